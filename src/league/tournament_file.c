/* See tournament_file.h. */
#include "league/tournament_file.h"

#include "base/buffer.h"
#include "base/memory.h"
#include "sql/database.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { APPLICATION = 0x534b424b, VERSION = 1 }; /* "SKBK" */

static const char journal[] = "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL";

static const char schema[] =
    "CREATE TABLE plan (json TEXT NOT NULL) STRICT;"
    "CREATE TABLE bots (bot INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, spec TEXT NOT NULL, "
    "trouble TEXT) STRICT;"
    "CREATE TABLE matches (match INTEGER PRIMARY KEY, fixture INTEGER NOT NULL, leg INTEGER NOT "
    "NULL,"
    " round INTEGER NOT NULL, map TEXT, seed INTEGER NOT NULL, turns INTEGER NOT NULL, reason "
    "TEXT NOT NULL,"
    " outcome TEXT NOT NULL CHECK (outcome IN ('played', 'forfeited')), replay TEXT, wall_ns "
    "INTEGER NOT NULL,"
    " UNIQUE (fixture, leg)) STRICT;"
    "CREATE TABLE seats (match INTEGER NOT NULL REFERENCES matches, seat INTEGER NOT NULL,"
    " bot INTEGER NOT NULL REFERENCES bots, rank INTEGER NOT NULL, score INTEGER, status TEXT NOT "
    "NULL, failure TEXT,"
    " refused INTEGER NOT NULL, timeouts INTEGER NOT NULL, late INTEGER NOT NULL, restarts "
    "INTEGER NOT NULL,"
    " graces INTEGER NOT NULL, wall_ns INTEGER NOT NULL, wall_longest_ns INTEGER NOT NULL, cpu_ns "
    "INTEGER NOT NULL,"
    " cpu_longest_ns INTEGER NOT NULL, PRIMARY KEY (match, seat)) STRICT, WITHOUT ROWID;";

struct TournamentFile {
    char *path;
    Database *database;
    /* A descriptor that holds the lock, or -1. It must be closed last, because closing it earlier
       would drop SQLite's own locks. */
    int lock;
};

/* ---- opening and closing ---- */

static bool take_lock(TournamentFile *file, Error *error) {
    file->lock = open(file->path, O_RDWR | O_CLOEXEC);
    if (file->lock < 0)
        return error_set(error, "cannot open %s: %s", file->path, strerror(errno));
    if (flock(file->lock, LOCK_EX | LOCK_NB) == 0)
        return true;
    return error_set(error,
                     errno == EWOULDBLOCK ? "%s is in use by another tournament" : "cannot lock %s",
                     file->path);
}

/* Opens the database, and takes the lock if it is opened for writing. NULL on failure. */
static TournamentFile *open_database(const char *path, bool to_write, Error *error) {
    TournamentFile *file = xcalloc(1, sizeof *file);
    file->lock = -1;
    file->path = xstrdup(path ? path : "");
    file->database = database_open(path, to_write ? DATABASE_PLAIN : DATABASE_READER, false, error);
    if (file->database && (!path || !to_write || take_lock(file, error)))
        return file;
    tournament_file_close(file);
    return NULL;
}

/* Writes the stamp before it enables the write-ahead log, so that the stamp is in the file itself
   from the start. */
static bool write_head(TournamentFile *file, Slice plan, Error *error) {
    const DatabaseStamp stamp = {.application = APPLICATION, .version = VERSION, .oldest = VERSION};
    return database_write_stamp(file->database, &stamp, error) &&
           database_script(file->database, journal, error) &&
           database_script(file->database, "BEGIN", error) &&
           database_script(file->database, schema, error) &&
           database_run(file->database, "INSERT INTO plan VALUES (?1)", VALUES(as_slice(plan)),
                        error) &&
           database_script(file->database, "COMMIT", error);
}

TournamentFile *tournament_file_create(const char *path, Slice plan, Error *error) {
    int created = path ? open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0666) : -1;
    if (path && created < 0) {
        if (errno == EEXIST)
            error_set(error,
                      "%s exists already; continue it with --resume, or choose another file "
                      "with --out",
                      path);
        else
            error_set(error, "cannot create %s: %s", path, strerror(errno));
        return NULL;
    }
    if (created >= 0)
        close(created);
    TournamentFile *file = open_database(path, true, error);
    if (file && write_head(file, plan, error))
        return file;
    if (path)
        unlink(path); /* it is still empty */
    tournament_file_close(file);
    return NULL;
}

bool tournament_file_detect(const char *path) {
    return database_has_stamp(path, APPLICATION);
}

static bool check_stamp(TournamentFile *file, Error *error) {
    DatabaseStamp stamp;
    if (!database_read_stamp(file->database, &stamp, error)) {
        if (database_error(file->database, error) != DATABASE_NOT_A_DATABASE)
            return false;
        stamp = (DatabaseStamp){0};
    }
    if (stamp.application != APPLICATION)
        return error_set(error, "%s is not a tournament file", file->path);
    return stamp.version == VERSION ||
           error_set(error, "%s was written by another version of Skirmish", file->path);
}

TournamentFile *tournament_file_open(const char *path, bool to_write, Error *error) {
    if (access(path, R_OK) != 0) {
        error_set(error, "cannot read %s: %s", path, strerror(errno));
        return NULL;
    }
    TournamentFile *file = open_database(path, to_write, error);
    if (file && check_stamp(file, error) &&
        (!to_write || database_script(file->database, journal, error)))
        return file;
    tournament_file_close(file);
    return NULL;
}

void tournament_file_close(TournamentFile *file) {
    if (!file)
        return;
    if (file->lock >= 0)
        database_remove_wal(file->database);
    database_close(file->database);
    if (file->lock >= 0)
        close(file->lock);
    free(file->path);
    free(file);
}

/* ---- writing ---- */

static bool begin(TournamentFile *file, Error *error) {
    return database_run(file->database, "BEGIN IMMEDIATE", NULL, 0, error);
}

/* Commits if all went well, else rolls back. */
static bool finish(TournamentFile *file, bool good, Error *error) {
    good = good && database_run(file->database, "COMMIT", NULL, 0, error);
    if (!good && database_in_transaction(file->database))
        database_script(file->database, "ROLLBACK", NULL);
    return good;
}

bool tournament_file_set_bots(TournamentFile *file, const FileBot *bots, uint32_t count,
                              Error *error) {
    bool good = begin(file, error);
    for (uint32_t i = 0; good && i < count; i++)
        good = database_run(file->database,
                            "INSERT INTO bots VALUES (?1, ?2, ?3, ?4) "
                            "ON CONFLICT (bot) DO UPDATE SET trouble = excluded.trouble",
                            VALUES(as_number(i), as_text(bots[i].name), as_text(bots[i].spec),
                                   as_text(bots[i].failure)),
                            error);
    return finish(file, good, error);
}

bool tournament_file_set_failure(TournamentFile *file, uint32_t bot, const char *failure,
                                 Error *error) {
    return database_run(file->database, "UPDATE bots SET trouble = ?2 WHERE bot = ?1",
                        VALUES(as_number(bot), as_text(failure)), error);
}

static bool add_match(TournamentFile *file, const FileMatch *match, Error *error) {
    return database_run(
        file->database,
        "INSERT INTO matches (fixture, leg, round, map, seed, turns, reason, outcome, replay, "
        "wall_ns) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
        VALUES(as_number(match->fixture), as_number(match->leg), as_number(match->round),
               as_text(match->map), as_number((int64_t)match->seed),
               as_number(match->verdict->turns), as_text(match->verdict->reason),
               as_text(match->forfeited ? "forfeited" : "played"), as_text(match->replay),
               as_number(match->wall)),
        error);
}

static bool add_seat(TournamentFile *file, int64_t match, uint32_t seat, uint32_t bot,
                     const PlayerVerdict *player, bool scored, Error *error) {
    return database_run(
        file->database,
        "INSERT INTO seats VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, "
        "?15, ?16)",
        VALUES(as_number(match), as_number(seat), as_number(bot), as_number(player->rank),
               scored ? as_number(player->score) : as_text(NULL),
               as_text(status_name(player->status)),
               as_text(player->failure[0] ? player->failure : NULL),
               as_number((int64_t)player->refused), as_number(player->timeouts),
               as_number(player->late), as_number(player->restarts), as_number(player->graces),
               as_number(player->wall_total), as_number(player->wall_longest),
               as_number(player->cpu_total), as_number(player->cpu_longest)),
        error);
}

/* Whether the file is still at its path. A file that was deleted or moved could still be written
   to, but its content would be lost. */
static bool is_in_place(const TournamentFile *file, Error *error) {
    struct stat named;
    struct stat held;
    return file->lock < 0 ||
           (stat(database_path(file->database), &named) == 0 && fstat(file->lock, &held) == 0 &&
            named.st_dev == held.st_dev && named.st_ino == held.st_ino) ||
           error_set(error, "%s was deleted or moved", file->path);
}

bool tournament_file_add_match(TournamentFile *file, const FileMatch *match, Error *error) {
    const Verdict *verdict = match->verdict;
    if (!is_in_place(file, error) || !begin(file, error))
        return false;
    bool good = add_match(file, match, error);
    int64_t id = database_last_id(file->database);
    for (uint32_t i = 0; good && i < verdict->players; i++)
        good = add_seat(file, id, i, match->bots[i], &verdict->player[i], verdict->scored, error);
    return finish(file, good, error);
}

/* ---- reading ---- */

bool tournament_file_plan(TournamentFile *file, Buffer *to, Error *error) {
    bool good = database_start(file->database, "SELECT json FROM plan", NULL, 0) &&
                database_step(file->database) == STEP_ROW;
    if (good) {
        Slice plan = database_text(file->database, 0);
        buffer_add(to, plan.at, plan.length);
    }
    database_end(file->database);
    return good || error_set(error, "%s: the plan of the tournament is missing", file->path);
}

bool tournament_file_find(TournamentFile *file, uint32_t fixture, uint32_t leg, uint32_t players,
                          uint32_t *bots, uint32_t *ranks, bool *found, Error *error) {
    static const char sql[] = "SELECT bot, rank FROM matches JOIN seats USING (match) "
                              "WHERE fixture = ?1 AND leg = ?2 ORDER BY seat";
    uint32_t seats = 0;
    Step step = STEP_FAILED;
    if (database_start(file->database, sql, VALUES(as_number(fixture), as_number(leg))))
        while ((step = database_step(file->database)) == STEP_ROW && seats < players) {
            bots[seats] = (uint32_t)database_number(file->database, 0);
            ranks[seats] = (uint32_t)database_number(file->database, 1);
            seats++;
        }
    /* A match that cannot be read must not be taken for a missing one, because it would be played
       again. */
    if (step == STEP_FAILED)
        database_error(file->database, error);
    database_end(file->database);
    *found = seats == players;
    return step != STEP_FAILED;
}

static PlayerStatus status_of(Slice name) {
    PlayerStatus status = 0;
    while (status < STATUSES && !slice_equals(name, status_name(status)))
        status++;
    return status;
}

/* Reads a row of tournament_file_each. The text of the seat's failure is stored in `failure`. */
static void read_seat(Database *database, PlayedSeat *seat, char *failure, size_t size) {
    Slice text = database_text(database, 12);
    snprintf(failure, size, "%.*s", (int)text.length, text.at);
    *seat = (PlayedSeat){
        .failure = *failure ? failure : NULL,
        .bot = (uint32_t)database_number(database, 2),
        .rank = (uint32_t)database_number(database, 3),
        .score = database_number(database, 4),
        .status = status_of(database_text(database, 5)),
        .refused = (uint64_t)database_number(database, 6),
        .timeouts = (uint32_t)database_number(database, 7),
        .graces = (uint32_t)database_number(database, 8),
        .wall = database_number(database, 9),
        .wall_longest = database_number(database, 10),
        .cpu = database_number(database, 11),
    };
}

bool tournament_file_each(TournamentFile *file,
                          void (*take)(void *context, const PlayedMatch *match), void *context,
                          Error *error) {
    static const char sql[] =
        "SELECT match, turns, bot, rank, score, status, refused, timeouts, graces, seats.wall_ns, "
        "wall_longest_ns, cpu_ns, failure FROM matches JOIN seats USING (match) "
        "ORDER BY match, seat";
    Database *database = file->database;
    int64_t bots = database_query_number(database, "SELECT count(*) FROM bots");
    int64_t current = -1;
    PlayedMatch match = {0};
    char failures[GAME_PLAYERS_MAX][sizeof((PlayerVerdict *)0)->failure];
    Step step = database_start(database, sql, NULL, 0) ? STEP_ROW : STEP_FAILED;
    bool damaged = false;
    while (step == STEP_ROW && !damaged && (step = database_step(database)) == STEP_ROW) {
        if (database_number(database, 0) != current) {
            if (match.players)
                take(context, &match);
            match.players = 0;
            match.turns = (uint32_t)database_number(database, 1);
            current = database_number(database, 0);
        }
        int64_t bot = database_number(database, 2);
        damaged = match.players == GAME_PLAYERS_MAX || bot < 0 || bot >= bots;
        if (damaged)
            break;
        PlayedSeat *seat = &match.seats[match.players];
        read_seat(database, seat, failures[match.players], sizeof *failures);
        match.players++;
        damaged = seat->status == STATUSES;
    }
    if (step == STEP_FAILED)
        database_error(database, error);
    else if (damaged)
        error_set(error, "%s: match %" PRId64 " is damaged", file->path, current);
    else if (match.players)
        take(context, &match);
    database_end(database);
    return step != STEP_FAILED && !damaged;
}
