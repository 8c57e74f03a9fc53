/* See database.h. Connections are opened without SQLite's own mutexes. */
#include "sql/database.h"

#include "base/memory.h"
#include "sql/valid_text.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    BUSY_MS = 10000,
    CHECKPOINT_MS = 200,
    CACHE_SLOTS = 512,
    VALUES_MAX = 24,
    STAMP_OFFSET = 68, /* of the application id in a file */
};

typedef struct Prepared {
    const char *sql;
    sqlite3_stmt *statement;
} Prepared;

struct Database {
    char *path;
    sqlite3 *handle;
    Prepared cache[CACHE_SLOTS]; /* open addressing by the address of the text */
    uint32_t cached;
    sqlite3_stmt *current;
    Buffer valid[VALUES_MAX]; /* texts of the current statement that were not UTF-8 */
    uint32_t wal_pages;
};

/* ---- opening and closing ---- */

static int note_wal_pages(void *context, sqlite3 *database, const char *name, int pages) {
    (void)database;
    (void)name;
    ((Database *)context)->wal_pages = (uint32_t)pages;
    return SQLITE_OK;
}

/* SQLite would create the file readable by everyone. Its log takes over the permissions. */
static bool create_private(const char *path, Error *error) {
    int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0)
        return error_set(error, "cannot open %s: %s", path, strerror(errno));
    close(file);
    return true;
}

static bool configure(Database *database, DatabaseKind kind, bool relaxed, Error *error) {
    sqlite3_extended_result_codes(database->handle, 1);
    sqlite3_busy_timeout(database->handle, BUSY_MS);
    /* The file may come from anyone: its schema must not make SQLite call functions. */
    sqlite3_db_config(database->handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_db_config(database->handle, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    switch (kind) {
    case DATABASE_WRITER:
        sqlite3_wal_hook(database->handle, note_wal_pages,
                         database); /* replaces automatic checkpoints */
        return database_script(database,
                               "PRAGMA foreign_keys = ON; "
                               "PRAGMA temp_store = MEMORY; PRAGMA cache_size = -32768",
                               error) &&
               database_script(
                   database, relaxed ? "PRAGMA synchronous = NORMAL" : "PRAGMA synchronous = FULL",
                   error);
    case DATABASE_READER:
        sqlite3_db_config(database->handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
        return database_script(database,
                               "PRAGMA wal_autocheckpoint = 0; PRAGMA temp_store = MEMORY; "
                               "PRAGMA cache_size = -4096",
                               error);
    case DATABASE_PLAIN:
        return true;
    }
    return false;
}

Database *database_open(const char *path, DatabaseKind kind, bool relaxed, Error *error) {
    if (path && kind != DATABASE_READER && !create_private(path, error))
        return NULL;
    Database *database = xcalloc(1, sizeof *database);
    database->path = xstrdup(path ? path : "the database in memory");
    int flags = kind == DATABASE_READER ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE;
    if (sqlite3_open_v2(path ? path : ":memory:", &database->handle, flags | SQLITE_OPEN_NOMUTEX,
                        NULL) != SQLITE_OK) {
        database_error(database, error);
    } else if (configure(database, kind, relaxed, error)) {
        return database;
    }
    database_close(database);
    return NULL;
}

void database_close(Database *database) {
    if (!database)
        return;
    for (uint32_t i = 0; i < CACHE_SLOTS; i++)
        sqlite3_finalize(database->cache[i].statement);
    for (uint32_t i = 0; i < VALUES_MAX; i++)
        buffer_free(&database->valid[i]);
    sqlite3_close(database->handle);
    free(database->path);
    free(database);
}

const char *database_path(Database *database) {
    const char *path = sqlite3_db_filename(database->handle, "main");
    return path ? path : "";
}

/* ---- errors ---- */

/* Our own words for what an operator can fix; NULL: use SQLite's. */
static const char *in_words(int code) {
    switch (code & 0xff) {
    case SQLITE_FULL:
        return "the disk is full";
    case SQLITE_READONLY:
        return "the file is read-only";
    case SQLITE_CORRUPT:
        return "the file is damaged; restore a backup";
    case SQLITE_NOTADB:
        return "the file is damaged or not a database; restore a backup";
    default:
        return NULL;
    }
}

static int system_error(Database *database, int code) {
    bool from_system = (code & 0xff) == SQLITE_IOERR || (code & 0xff) == SQLITE_CANTOPEN;
    return from_system ? sqlite3_system_errno(database->handle) : 0;
}

DatabaseError database_error(Database *database, Error *error) {
    int code = sqlite3_extended_errcode(database->handle);
    if (code == SQLITE_CONSTRAINT_UNIQUE || code == SQLITE_CONSTRAINT_PRIMARYKEY) {
        error_set(error, "this exists already");
        return DATABASE_DUPLICATE;
    }
    if (code == SQLITE_CONSTRAINT_FOREIGNKEY) {
        error_set(error, "something this refers to does not exist");
        return DATABASE_MISSING_REFERENCE;
    }
    int system = system_error(database, code);
    const char *words = in_words(system == ENOSPC || system == EDQUOT ? SQLITE_FULL : code);
    if (words || !system)
        error_set(error, "%s: %s", database->path,
                  words ? words : sqlite3_errmsg(database->handle));
    else
        error_set(error, "%s: %s: %s", database->path, sqlite3_errmsg(database->handle),
                  strerror(system));
    return (code & 0xff) == SQLITE_NOTADB ? DATABASE_NOT_A_DATABASE : DATABASE_FAILED;
}

/* ---- statements ---- */

static Prepared *find_slot(Database *database, const char *sql) {
    size_t at = (size_t)((uintptr_t)sql * UINT64_C(0x9E3779B97F4A7C15) >> 40) % CACHE_SLOTS;
    while (database->cache[at].sql && database->cache[at].sql != sql)
        at = (at + 1) % CACHE_SLOTS;
    return &database->cache[at];
}

static sqlite3_stmt *prepared(Database *database, const char *sql) {
    Prepared *slot = find_slot(database, sql);
    if (slot->sql)
        return slot->statement;
    if (database->cached >= CACHE_SLOTS / 2)
        abort(); /* statements are constants of this program: it has fewer */
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v3(database->handle, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement,
                           NULL) != SQLITE_OK)
        return NULL;
    *slot = (Prepared){.sql = sql, .statement = statement};
    database->cached++;
    return statement;
}

static int bind(Database *database, int place, const Value *value) {
    Slice bytes = value->text;
    switch (value->kind) {
    case VALUE_NUMBER:
        return sqlite3_bind_int64(database->current, place, value->number);
    case VALUE_TEXT:
        if (!valid_text_is(bytes)) {
            Buffer *valid = &database->valid[place - 1];
            buffer_clear(valid);
            valid_text_add(valid, bytes);
            bytes = (Slice){valid->data, valid->length};
        }
        return sqlite3_bind_text64(database->current, place, bytes.at ? bytes.at : "", bytes.length,
                                   SQLITE_STATIC, SQLITE_UTF8);
    default:
        return sqlite3_bind_null(database->current, place);
    }
}

bool database_start(Database *database, const char *sql, const Value *values, size_t count) {
    database_end(database);
    if (count > VALUES_MAX)
        abort();
    sqlite3_stmt *statement = prepared(database, sql);
    if (!statement)
        return false;
    database->current = statement;
    for (size_t i = 0; i < count; i++)
        if (bind(database, (int)i + 1, &values[i]) != SQLITE_OK) {
            database_end(database);
            return false;
        }
    return true;
}

Step database_step(Database *database) {
    if (!database->current)
        return STEP_DONE;
    int code = sqlite3_step(database->current);
    return code == SQLITE_ROW ? STEP_ROW : code == SQLITE_DONE ? STEP_DONE : STEP_FAILED;
}

void database_end(Database *database) {
    if (database->current) {
        sqlite3_reset(database->current);
        sqlite3_clear_bindings(database->current);
    }
    database->current = NULL;
}

bool database_run(Database *database, const char *sql, const Value *values, size_t count,
                  Error *error) {
    bool good =
        database_start(database, sql, values, count) && database_step(database) == STEP_DONE;
    if (!good)
        database_error(database, error);
    database_end(database);
    return good;
}

int64_t database_changes(Database *database) {
    return sqlite3_changes64(database->handle);
}

int64_t database_last_id(Database *database) {
    return sqlite3_last_insert_rowid(database->handle);
}

int64_t database_number(Database *database, int column) {
    return sqlite3_column_int64(database->current, column);
}

Slice database_text(Database *database, int column) {
    const char *at = (const char *)sqlite3_column_text(database->current, column);
    return (Slice){at ? at : "", at ? (size_t)sqlite3_column_bytes(database->current, column) : 0};
}

/* ---- outside of the usual statements ---- */

bool database_script(Database *database, const char *sql, Error *error) {
    if (sqlite3_exec(database->handle, sql, NULL, NULL, NULL) == SQLITE_OK)
        return true;
    database_error(database, error);
    return false;
}

int64_t database_query_number(Database *database, const char *sql) {
    sqlite3_stmt *statement = NULL;
    int64_t answer = -1;
    if (sqlite3_prepare_v2(database->handle, sql, -1, &statement, NULL) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW)
        answer = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return answer;
}

bool database_read_stamp(Database *database, DatabaseStamp *stamp, Error *error) {
    int64_t application = database_query_number(database, "PRAGMA application_id");
    int64_t version = database_query_number(database, "PRAGMA user_version");
    int64_t tables = database_query_number(database, "SELECT count(*) FROM sqlite_master");
    if (tables < 0) {
        database_error(database, error);
        return false;
    }
    *stamp = (DatabaseStamp){(uint32_t)application, (uint32_t)version, tables == 0};
    return true;
}

bool database_write_stamp(Database *database, uint32_t application, uint32_t version,
                          Error *error) {
    char sql[96];
    snprintf(sql, sizeof sql, "PRAGMA application_id = %" PRIu32 "; PRAGMA user_version = %" PRIu32,
             application, version);
    return database_script(database, sql, error);
}

bool database_has_stamp(const char *path, uint32_t application) {
    unsigned char head[STAMP_OFFSET + 4];
    int file = open(path, O_RDONLY | O_CLOEXEC);
    bool whole = file >= 0 && read(file, head, sizeof head) == (ssize_t)sizeof head;
    if (file >= 0)
        close(file);
    const unsigned char *at = head + STAMP_OFFSET;
    return whole && memcmp(head, "SQLite format 3", 16) == 0 &&
           ((uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3]) ==
               application;
}

bool database_in_transaction(Database *database) {
    return !sqlite3_get_autocommit(database->handle);
}

uint32_t database_wal_pages(Database *database) {
    return database->wal_pages;
}

bool database_checkpoint(Database *database, bool whole, Error *error) {
    sqlite3_busy_timeout(database->handle, CHECKPOINT_MS);
    int code = sqlite3_wal_checkpoint_v2(
        database->handle, NULL, whole ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_PASSIVE,
        NULL, NULL);
    if (code != SQLITE_OK && code != SQLITE_BUSY)
        database_error(database, error);
    sqlite3_busy_timeout(database->handle, BUSY_MS);
    if (whole && code == SQLITE_OK)
        database->wal_pages = 0;
    return code == SQLITE_OK || code == SQLITE_BUSY; /* a reader is in the way: next time */
}

void database_remove_wal(Database *database) {
    sqlite3_busy_timeout(database->handle, 0);
    sqlite3_exec(database->handle, "PRAGMA journal_mode = DELETE", NULL, NULL, NULL);
    sqlite3_busy_timeout(database->handle, BUSY_MS);
}

bool database_copy(Database *from, Database *to, Error *error) {
    sqlite3_backup *backup = sqlite3_backup_init(to->handle, "main", from->handle, "main");
    if (!backup) {
        database_error(to, error);
        return false;
    }
    int code = sqlite3_backup_step(backup, -1); /* in one step, so the copy is a snapshot */
    if (sqlite3_backup_finish(backup) != SQLITE_OK || code != SQLITE_DONE) {
        database_error(sqlite3_errcode(to->handle) != SQLITE_OK ? to : from, error);
        return false;
    }
    return true;
}

bool database_check(Database *database, Error *error) {
    sqlite3_stmt *statement = NULL;
    const char *answer = NULL;
    bool good = false;
    if (sqlite3_prepare_v2(database->handle, "PRAGMA integrity_check(1)", -1, &statement, NULL) ==
            SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW) {
        answer = (const char *)sqlite3_column_text(statement, 0);
        good = answer && strcmp(answer, "ok") == 0;
        if (!good)
            error_set(error, "%s is damaged: %s", database->path, answer ? answer : "?");
    } else {
        database_error(database, error);
    }
    sqlite3_finalize(statement);
    return good;
}

static void explain(Database *database, const char *sql, Buffer *plan) {
    Buffer question = {0};
    buffer_format(&question, "EXPLAIN QUERY PLAN %s", sql);
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v2(database->handle, buffer_string(&question), -1, &statement, NULL) ==
        SQLITE_OK)
        while (sqlite3_step(statement) == SQLITE_ROW)
            buffer_format(plan, "%s\n", (const char *)sqlite3_column_text(statement, 3));
    sqlite3_finalize(statement);
    buffer_free(&question);
}

void database_query_plans(Database *database,
                          void (*take)(void *context, const char *sql, const char *plan),
                          void *context) {
    for (uint32_t i = 0; i < CACHE_SLOTS; i++)
        if (database->cache[i].sql) {
            Buffer plan = {0};
            explain(database, database->cache[i].sql, &plan);
            take(context, database->cache[i].sql, buffer_string(&plan));
            buffer_free(&plan);
        }
}
