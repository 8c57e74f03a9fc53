/* See tournament_file.h. */
#include "league/tournament_file.h"

#include "base/buffer.h"
#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* "SKBK", in the place that SQLite keeps for the program whose file it is. */
enum { APPLICATION = 0x534b424b, VERSION = 1, APPLICATION_OFFSET = 68, BUSY_MS = 10000 };

/* Marks the file before it gets its log, so that the mark is in the file itself from the start. */
static const char mark[] = "PRAGMA application_id = 1397441099; PRAGMA user_version = 1;"
                           "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; BEGIN";

static const char schema[] =
    "CREATE TABLE plan (json TEXT NOT NULL) STRICT;"
    "CREATE TABLE bots (bot INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, spec TEXT NOT NULL, trouble TEXT) STRICT;"
    "CREATE TABLE matches (match INTEGER PRIMARY KEY, fixture INTEGER NOT NULL, leg INTEGER NOT NULL,"
    " round INTEGER NOT NULL, map TEXT, seed INTEGER NOT NULL, turns INTEGER NOT NULL, reason TEXT NOT NULL,"
    " outcome TEXT NOT NULL CHECK (outcome IN ('played', 'forfeited')), replay TEXT, wall_ns INTEGER NOT NULL,"
    " UNIQUE (fixture, leg)) STRICT;"
    "CREATE TABLE seats (match INTEGER NOT NULL REFERENCES matches, seat INTEGER NOT NULL,"
    " bot INTEGER NOT NULL REFERENCES bots, rank INTEGER NOT NULL, score INTEGER, status TEXT NOT NULL, failure TEXT,"
    " refused INTEGER NOT NULL, timeouts INTEGER NOT NULL, late INTEGER NOT NULL, restarts INTEGER NOT NULL,"
    " graces INTEGER NOT NULL, wall_ns INTEGER NOT NULL, wall_longest_ns INTEGER NOT NULL, cpu_ns INTEGER NOT NULL,"
    " cpu_longest_ns INTEGER NOT NULL, PRIMARY KEY (match, seat)) STRICT, WITHOUT ROWID;";

typedef enum Statement { BEGIN, COMMIT, ADD_MATCH, ADD_SEAT, FIND_MATCH, STATEMENTS } Statement;

static const char *const statement_texts[STATEMENTS] = {
    [BEGIN] = "BEGIN IMMEDIATE",
    [COMMIT] = "COMMIT",
    [ADD_MATCH] = "INSERT INTO matches (fixture, leg, round, map, seed, turns, reason, outcome, "
                  "replay, wall_ns) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    [ADD_SEAT] = "INSERT INTO seats VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    [FIND_MATCH] = "SELECT bot, rank FROM matches JOIN seats USING (match) WHERE fixture = ? "
                   "AND leg = ? ORDER BY seat",
};

struct Book {
    char *path;
    sqlite3 *database;
    sqlite3_stmt *statements[STATEMENTS];
    /* a descriptor of the file that holds a lock, or -1. Closed last: closing it sooner would undo
       SQLite's own locks */
    int lock;
};

static bool fail(const Book *book, const char *what, Error *error) {
    int system = sqlite3_system_errno(book->database);
    int code = sqlite3_errcode(book->database) & 0xff;
    bool tells = system && (code == SQLITE_IOERR || code == SQLITE_CANTOPEN);
    return error_set(error, "cannot %s %s: %s%s%s", what, book->path,
                     sqlite3_errmsg(book->database), tells ? ": " : "",
                     tells ? strerror(system) : "");
}

/* ---- opening and closing ---- */

static bool take_lock(Book *book, Error *error) {
    book->lock = open(book->path, O_RDWR | O_CLOEXEC);
    if (book->lock < 0)
        return error_set(error, "cannot open %s: %s", book->path, strerror(errno));
    if (flock(book->lock, LOCK_EX | LOCK_NB) != 0)
        return error_set(error,
                         errno == EWOULDBLOCK
                             ? "%s is in use: another tournament is being written to it"
                             : "cannot lock %s",
                         book->path);
    return true;
}

static bool run(Book *book, const char *what, const char *text, Error *error) {
    return sqlite3_exec(book->database, text, NULL, NULL, NULL) == SQLITE_OK ||
           fail(book, what, error);
}

/* Opens the database; on failure the book is closed. */
static Book *open_database(const char *path, int flags, Error *error) {
    Book *book = xcalloc(1, sizeof *book);
    book->lock = -1;
    book->path = xstrdup(path ? path : "the results");
    if (sqlite3_open_v2(path ? path : ":memory:", &book->database, flags | SQLITE_OPEN_NOMUTEX,
                        NULL) != SQLITE_OK) {
        fail(book, "open", error);
        book_close(book, NULL);
        return NULL;
    }
    sqlite3_busy_timeout(book->database, BUSY_MS);
    sqlite3_extended_result_codes(book->database, 1);
    return book;
}

static bool prepare(Book *book, Error *error) {
    for (Statement i = 0; i < STATEMENTS; i++)
        if (sqlite3_prepare_v3(book->database, statement_texts[i], -1, SQLITE_PREPARE_PERSISTENT,
                               &book->statements[i], NULL) != SQLITE_OK)
            return fail(book, "use", error);
    return true;
}

static Book *give_up(Book *book) {
    book_close(book, NULL);
    return NULL;
}

static bool write_plan(Book *book, Slice plan, Error *error) {
    sqlite3_stmt *statement = NULL;
    bool good = sqlite3_prepare_v2(book->database, "INSERT INTO plan VALUES (?)", -1, &statement,
                                   NULL) == SQLITE_OK &&
                sqlite3_bind_text64(statement, 1, plan.at, plan.length, SQLITE_STATIC,
                                    SQLITE_UTF8) == SQLITE_OK &&
                sqlite3_step(statement) == SQLITE_DONE;
    sqlite3_finalize(statement);
    return good || fail(book, "write", error);
}

Book *book_create(const char *path, Slice plan, Error *error) {
    int fd = path ? open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0666) : -1;
    if (path && fd < 0) {
        if (errno == EEXIST)
            error_set(error, "%s exists already; --resume goes on with it, --out names another",
                      path);
        else
            error_set(error, "cannot create %s: %s", path, strerror(errno));
        return NULL;
    }
    if (fd >= 0)
        close(fd);
    Book *book = open_database(path, SQLITE_OPEN_READWRITE, error);
    if (!book) {
        if (path)
            unlink(path);
        return NULL;
    }
    if ((path && !take_lock(book, error)) || !run(book, "write", mark, error) ||
        !run(book, "write", schema, error) || !write_plan(book, plan, error) ||
        !run(book, "write", "COMMIT", error) || !prepare(book, error)) {
        if (path)
            unlink(path); /* nothing is in it yet */
        return give_up(book);
    }
    return book;
}

bool book_is_one(const char *path) {
    unsigned char head[APPLICATION_OFFSET + 4];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool whole = fd >= 0 && read(fd, head, sizeof head) == (ssize_t)sizeof head;
    if (fd >= 0)
        close(fd);
    const unsigned char *at = head + APPLICATION_OFFSET;
    return whole && memcmp(head, "SQLite format 3", 16) == 0 &&
           (at[0] << 24 | at[1] << 16 | at[2] << 8 | at[3]) == APPLICATION;
}

/* A number that a pragma gives. */
static int64_t ask_number(Book *book, const char *question) {
    sqlite3_stmt *statement = NULL;
    int64_t number = -1;
    if (sqlite3_prepare_v2(book->database, question, -1, &statement, NULL) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW)
        number = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return number;
}

Book *book_open(const char *path, bool to_write, Error *error) {
    if (access(path, R_OK) != 0) {
        error_set(error, "cannot read %s: %s", path, strerror(errno));
        return NULL;
    }
    Book *book =
        open_database(path, to_write ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY, error);
    if (!book || (to_write && !take_lock(book, error)))
        return give_up(book);
    int64_t application = ask_number(book, "PRAGMA application_id");
    if (application != APPLICATION) {
        if (application >= 0 || sqlite3_errcode(book->database) == SQLITE_NOTADB)
            error_set(error, "%s is not the file of a tournament", path);
        else
            fail(book, "read", error);
        return give_up(book);
    }
    if (ask_number(book, "PRAGMA user_version") != VERSION) {
        error_set(error, "%s was written by another version of Skirmish", path);
        return give_up(book);
    }
    if ((to_write &&
         !run(book, "write", "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL", error)) ||
        !prepare(book, error))
        return give_up(book);
    return book;
}

bool book_close(Book *book, Error *error) {
    if (!book)
        return true;
    for (Statement i = 0; i < STATEMENTS; i++)
        sqlite3_finalize(book->statements[i]);
    if (book->lock >= 0) {
        /* Without its log it can also be read where the reader may not write. Whoever reads it now
           is not waited for. */
        sqlite3_busy_timeout(book->database, 0);
        sqlite3_exec(book->database, "PRAGMA journal_mode = DELETE", NULL, NULL, NULL);
    }
    bool good = sqlite3_close(book->database) == SQLITE_OK;
    if (!good)
        error_set(error, "cannot close %s", book->path);
    if (book->lock >= 0)
        close(book->lock);
    free(book->path);
    free(book);
    return good;
}

/* ---- writing ---- */

/* Runs a prepared statement that gives no rows. */
static bool finish(Book *book, Statement statement, Error *error) {
    bool good = sqlite3_step(book->statements[statement]) == SQLITE_DONE;
    if (!good)
        fail(book, "write to", error);
    sqlite3_reset(book->statements[statement]);
    return good;
}

bool book_set_bots(Book *book, const BookBot *bots, uint32_t count, Error *error) {
    static const char text[] = "INSERT INTO bots VALUES (?, ?, ?, ?) "
                               "ON CONFLICT (bot) DO UPDATE SET trouble = excluded.trouble";
    sqlite3_stmt *statement = NULL;
    if (!finish(book, BEGIN, error))
        return false;
    bool good = sqlite3_prepare_v2(book->database, text, -1, &statement, NULL) == SQLITE_OK;
    for (uint32_t i = 0; good && i < count; i++) {
        sqlite3_bind_int64(statement, 1, i);
        sqlite3_bind_text(statement, 2, bots[i].name, -1, SQLITE_STATIC);
        sqlite3_bind_text(statement, 3, bots[i].spec, -1, SQLITE_STATIC);
        sqlite3_bind_text(statement, 4, bots[i].trouble, -1, SQLITE_STATIC);
        good = sqlite3_step(statement) == SQLITE_DONE && sqlite3_reset(statement) == SQLITE_OK;
    }
    if (!good)
        fail(book, "write to", error);
    sqlite3_finalize(statement);
    good = good && finish(book, COMMIT, error);
    if (!good)
        sqlite3_exec(book->database, "ROLLBACK", NULL, NULL, NULL);
    return good;
}

bool book_set_trouble(Book *book, uint32_t bot, const char *trouble, Error *error) {
    sqlite3_stmt *statement = NULL;
    bool good = sqlite3_prepare_v2(book->database, "UPDATE bots SET trouble = ?2 WHERE bot = ?1",
                                   -1, &statement, NULL) == SQLITE_OK &&
                sqlite3_bind_int64(statement, 1, bot) == SQLITE_OK &&
                sqlite3_bind_text(statement, 2, trouble, -1, SQLITE_STATIC) == SQLITE_OK &&
                sqlite3_step(statement) == SQLITE_DONE;
    if (!good)
        fail(book, "write to", error);
    sqlite3_finalize(statement);
    return good;
}

static bool add_match(Book *book, const BookMatch *match, Error *error) {
    sqlite3_stmt *statement = book->statements[ADD_MATCH];
    sqlite3_bind_int64(statement, 1, match->fixture);
    sqlite3_bind_int64(statement, 2, match->leg);
    sqlite3_bind_int64(statement, 3, match->round);
    sqlite3_bind_text(statement, 4, match->map, -1, SQLITE_STATIC);
    sqlite3_bind_int64(statement, 5, (int64_t)match->seed);
    sqlite3_bind_int64(statement, 6, match->verdict->turns);
    sqlite3_bind_text(statement, 7, match->verdict->reason, -1, SQLITE_STATIC);
    sqlite3_bind_text(statement, 8, match->forfeited ? "forfeited" : "played", -1, SQLITE_STATIC);
    sqlite3_bind_text(statement, 9, match->replay, -1, SQLITE_STATIC);
    sqlite3_bind_int64(statement, 10, match->wall);
    return finish(book, ADD_MATCH, error);
}

static bool add_seat(Book *book, int64_t match, uint32_t seat, uint32_t bot,
                     const PlayerVerdict *player, bool scored, Error *error) {
    sqlite3_stmt *statement = book->statements[ADD_SEAT];
    sqlite3_bind_int64(statement, 1, match);
    sqlite3_bind_int64(statement, 2, seat);
    sqlite3_bind_int64(statement, 3, bot);
    sqlite3_bind_int64(statement, 4, player->rank);
    if (scored)
        sqlite3_bind_int64(statement, 5, player->score);
    else
        sqlite3_bind_null(statement, 5);
    sqlite3_bind_text(statement, 6, status_name(player->status), -1, SQLITE_STATIC);
    sqlite3_bind_text(statement, 7, player->failure[0] ? player->failure : NULL, -1, SQLITE_STATIC);
    sqlite3_bind_int64(statement, 8, (int64_t)player->refused);
    sqlite3_bind_int64(statement, 9, player->timeouts);
    sqlite3_bind_int64(statement, 10, player->late);
    sqlite3_bind_int64(statement, 11, player->restarts);
    sqlite3_bind_int64(statement, 12, player->graces);
    sqlite3_bind_int64(statement, 13, player->wall_total);
    sqlite3_bind_int64(statement, 14, player->wall_longest);
    sqlite3_bind_int64(statement, 15, player->cpu_total);
    sqlite3_bind_int64(statement, 16, player->cpu_longest);
    return finish(book, ADD_SEAT, error);
}

/* A file that was removed or moved could be written to all the same, and nobody would find it. */
static bool is_in_place(const Book *book, Error *error) {
    struct stat named;
    struct stat held;
    return book->lock < 0 ||
           (stat(sqlite3_db_filename(book->database, "main"), &named) == 0 &&
            fstat(book->lock, &held) == 0 && named.st_dev == held.st_dev &&
            named.st_ino == held.st_ino) ||
           error_set(error, "%s is not there any more: it was removed or moved", book->path);
}

bool book_record(Book *book, const BookMatch *match, Error *error) {
    const Verdict *verdict = match->verdict;
    bool good =
        is_in_place(book, error) && finish(book, BEGIN, error) && add_match(book, match, error);
    int64_t row = sqlite3_last_insert_rowid(book->database);
    for (uint32_t i = 0; good && i < verdict->players; i++)
        good = add_seat(book, row, i, match->bots[i], &verdict->player[i], verdict->scored, error);
    good = good && finish(book, COMMIT, error);
    if (!good)
        sqlite3_exec(book->database, "ROLLBACK", NULL, NULL, NULL);
    return good;
}

/* ---- reading ---- */

bool book_plan(Book *book, Buffer *to, Error *error) {
    sqlite3_stmt *statement = NULL;
    bool good = sqlite3_prepare_v2(book->database, "SELECT json FROM plan", -1, &statement, NULL) ==
                    SQLITE_OK &&
                sqlite3_step(statement) == SQLITE_ROW;
    if (good)
        buffer_add(to, sqlite3_column_text(statement, 0),
                   (size_t)sqlite3_column_bytes(statement, 0));
    sqlite3_finalize(statement);
    return good || error_set(error, "%s: the plan of the tournament is missing", book->path);
}

bool book_bots(Book *book, char ***names, uint32_t *count, Error *error) {
    sqlite3_stmt *statement = NULL;
    int64_t rows = ask_number(book, "SELECT count(*) FROM bots");
    *count = 0;
    *names = xcalloc(rows > 0 ? (size_t)rows : 1, sizeof **names);
    bool good = sqlite3_prepare_v2(book->database, "SELECT bot, name FROM bots ORDER BY bot", -1,
                                   &statement, NULL) == SQLITE_OK;
    while (good && sqlite3_step(statement) == SQLITE_ROW && *count < rows) {
        const char *name = (const char *)sqlite3_column_text(statement, 1);
        good = sqlite3_column_int64(statement, 0) == *count && name;
        if (good)
            (*names)[(*count)++] = xstrdup(name);
    }
    sqlite3_finalize(statement);
    return good || error_set(error, "%s: the list of bots is damaged", book->path);
}

bool book_find(Book *book, uint32_t fixture, uint32_t leg, uint32_t players, uint32_t *bots,
               uint32_t *ranks, bool *found, Error *error) {
    sqlite3_stmt *statement = book->statements[FIND_MATCH];
    sqlite3_bind_int64(statement, 1, fixture);
    sqlite3_bind_int64(statement, 2, leg);
    uint32_t seats = 0;
    int step = SQLITE_ROW;
    while (seats < players && (step = sqlite3_step(statement)) == SQLITE_ROW) {
        bots[seats] = (uint32_t)sqlite3_column_int64(statement, 0);
        ranks[seats] = (uint32_t)sqlite3_column_int64(statement, 1);
        seats++;
    }
    /* What cannot be read must not be taken for what is not there: it would be played again. */
    bool good = step == SQLITE_ROW || step == SQLITE_DONE || fail(book, "read", error);
    sqlite3_reset(statement);
    *found = seats == players;
    return good;
}

uint64_t book_count(Book *book) {
    int64_t count = ask_number(book, "SELECT count(*) FROM matches");
    return count > 0 ? (uint64_t)count : 0;
}

static PlayerStatus status_of(const char *name) {
    for (PlayerStatus status = 0; status < STATUSES; status++)
        if (name && strcmp(name, status_name(status)) == 0)
            return status;
    return STATUSES;
}

/* `failure` has room for one, which must last as long as the seat. */
static void read_seat(sqlite3_stmt *statement, PlayedSeat *seat, char *failure, size_t size) {
    const char *text = (const char *)sqlite3_column_text(statement, 12);
    snprintf(failure, size, "%s", text ? text : "");
    *seat = (PlayedSeat){
        .failure = *failure ? failure : NULL,
        .bot = (uint32_t)sqlite3_column_int64(statement, 2),
        .rank = (uint32_t)sqlite3_column_int64(statement, 3),
        .score = sqlite3_column_int64(statement, 4),
        .status = status_of((const char *)sqlite3_column_text(statement, 5)),
        .refused = (uint64_t)sqlite3_column_int64(statement, 6),
        .timeouts = (uint32_t)sqlite3_column_int64(statement, 7),
        .graces = (uint32_t)sqlite3_column_int64(statement, 8),
        .wall = sqlite3_column_int64(statement, 9),
        .wall_longest = sqlite3_column_int64(statement, 10),
        .cpu = sqlite3_column_int64(statement, 11),
    };
}

bool book_each(Book *book, void (*take)(void *context, const PlayedMatch *match), void *context,
               Error *error) {
    static const char text[] =
        "SELECT match, turns, bot, rank, score, status, refused, timeouts, graces, seats.wall_ns, "
        "wall_longest_ns, cpu_ns, failure FROM matches JOIN seats USING (match) ORDER BY match, seat";
    sqlite3_stmt *statement = NULL;
    int64_t bots = ask_number(book, "SELECT count(*) FROM bots");
    int64_t current = -1;
    PlayedMatch match = {0};
    char failures[GAME_PLAYERS_MAX][sizeof((PlayerVerdict *)0)->failure];
    if (sqlite3_prepare_v2(book->database, text, -1, &statement, NULL) != SQLITE_OK)
        return fail(book, "read", error);
    int step;
    bool good = true;
    while (good && (step = sqlite3_step(statement)) == SQLITE_ROW) {
        if (sqlite3_column_int64(statement, 0) != current) {
            if (match.players)
                take(context, &match);
            match.players = 0;
            match.turns = (uint32_t)sqlite3_column_int64(statement, 1);
            current = sqlite3_column_int64(statement, 0);
        }
        int64_t bot = sqlite3_column_int64(statement, 2);
        good = match.players < GAME_PLAYERS_MAX && bot >= 0 && bot < bots;
        if (good) {
            read_seat(statement, &match.seats[match.players], failures[match.players],
                      sizeof *failures);
            match.players++;
        }
        good = good && match.seats[match.players - 1].status < STATUSES;
    }
    if (good && match.players)
        take(context, &match);
    sqlite3_finalize(statement);
    if (!good)
        return error_set(error, "%s: match %" PRId64 " is damaged", book->path, current);
    return step == SQLITE_DONE || fail(book, "read", error);
}
