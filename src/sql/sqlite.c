/* SQLite as the engine of a database, see database.h. Connections are opened without SQLite's own
   mutexes. */
#include "base/memory.h"
#include "sql/driver.h"

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
    STAMP_OFFSET = 68, /* of the application id in a file */
};

typedef struct Sqlite {
    Database base;
    char *path;
    sqlite3 *handle;
    StatementCache cache; /* of sqlite3_stmt */
    sqlite3_stmt *current;
    Buffer valid[VALUES_MAX]; /* texts of the current statement that were not UTF-8 */
    uint32_t wal_pages;
} Sqlite;

static Sqlite *sqlite_of(Database *database) {
    return (Sqlite *)database;
}

/* ---- errors ---- */

/* A message of this program for failures that an operator can fix; NULL: use SQLite's. */
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
    return from_system ? sqlite3_system_errno(sqlite_of(database)->handle) : 0;
}

static DatabaseError sqlite_error(Database *database, Error *error) {
    int code = sqlite3_extended_errcode(sqlite_of(database)->handle);
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
        error_set(error, "%s: %s", sqlite_of(database)->path,
                  words ? words : sqlite3_errmsg(sqlite_of(database)->handle));
    else
        error_set(error, "%s: %s: %s", sqlite_of(database)->path,
                  sqlite3_errmsg(sqlite_of(database)->handle), strerror(system));
    return (code & 0xff) == SQLITE_NOTADB ? DATABASE_NOT_A_DATABASE : DATABASE_FAILED;
}

/* ---- opening and closing ---- */

static int note_wal_pages(void *context, sqlite3 *database, const char *name, int pages) {
    (void)database;
    (void)name;
    ((Sqlite *)context)->wal_pages = (uint32_t)pages;
    return SQLITE_OK;
}

/* Creates the file, because SQLite would make it readable by everyone. The log inherits the
   permissions. */
static bool create_private(const char *path, Error *error) {
    int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0)
        return error_set(error, "cannot open %s: %s", path, strerror(errno));
    close(file);
    return true;
}

static bool sqlite_script(Database *database, const char *sql, Error *error) {
    if (sqlite3_exec(sqlite_of(database)->handle, sql, NULL, NULL, NULL) == SQLITE_OK)
        return true;
    sqlite_error(database, error);
    return false;
}

static bool configure(Database *database, DatabaseKind kind, bool relaxed, Error *error) {
    sqlite3_extended_result_codes(sqlite_of(database)->handle, 1);
    sqlite3_busy_timeout(sqlite_of(database)->handle, BUSY_MS);
    /* The file may be untrusted: its schema must not make SQLite call functions. */
    sqlite3_db_config(sqlite_of(database)->handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_db_config(sqlite_of(database)->handle, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    switch (kind) {
    case DATABASE_WRITER:
        sqlite3_wal_hook(sqlite_of(database)->handle, note_wal_pages,
                         database); /* replaces automatic checkpoints */
        return sqlite_script(database,
                             "PRAGMA foreign_keys = ON; "
                             "PRAGMA temp_store = MEMORY; PRAGMA cache_size = -32768",
                             error) &&
               sqlite_script(database,
                             relaxed ? "PRAGMA synchronous = NORMAL" : "PRAGMA synchronous = FULL",
                             error);
    case DATABASE_READER:
        sqlite3_db_config(sqlite_of(database)->handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
        return sqlite_script(database,
                             "PRAGMA wal_autocheckpoint = 0; PRAGMA temp_store = MEMORY; "
                             "PRAGMA cache_size = -4096",
                             error);
    case DATABASE_PLAIN:
        return true;
    }
    return false;
}

static void sqlite_close(Database *database) {
    Sqlite *sqlite = sqlite_of(database);
    for (uint32_t i = 0; i < CACHE_SLOTS; i++)
        sqlite3_finalize(sqlite->cache.slots[i].statement);
    for (uint32_t i = 0; i < VALUES_MAX; i++)
        buffer_free(&sqlite->valid[i]);
    sqlite3_close(sqlite->handle);
    free(sqlite->path);
    free(sqlite);
}

static Database *sqlite_open(const char *path, DatabaseKind kind, bool relaxed, Error *error) {
    if (path && kind != DATABASE_READER && !create_private(path, error))
        return NULL;
    Sqlite *sqlite = xcalloc(1, sizeof *sqlite);
    sqlite->base.driver = &sqlite_driver;
    sqlite->path = xstrdup(path ? path : "the database in memory");
    int flags = kind == DATABASE_READER ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE;
    if (sqlite3_open_v2(path ? path : ":memory:", &sqlite->handle, flags | SQLITE_OPEN_NOMUTEX,
                        NULL) != SQLITE_OK) {
        sqlite_error(&sqlite->base, error);
    } else if (configure(&sqlite->base, kind, relaxed, error)) {
        return &sqlite->base;
    }
    sqlite_close(&sqlite->base);
    return NULL;
}

static const char *sqlite_path(Database *database) {
    const char *path = sqlite3_db_filename(sqlite_of(database)->handle, "main");
    return path ? path : "";
}

/* ---- statements ---- */

static sqlite3_stmt *prepared(Sqlite *sqlite, const char *sql) {
    Prepared *slot = statement_slot(&sqlite->cache, sql);
    if (slot->sql)
        return slot->statement;
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v3(sqlite->handle, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL) !=
        SQLITE_OK)
        return NULL;
    statement_add(&sqlite->cache, slot, sql, statement);
    return statement;
}

static int bind(Sqlite *sqlite, int place, const Value *value) {
    Slice bytes;
    switch (value->kind) {
    case VALUE_NUMBER:
        return sqlite3_bind_int64(sqlite->current, place, value->number);
    case VALUE_TEXT:
        bytes = value_text(value, &sqlite->valid[place - 1]);
        return sqlite3_bind_text64(sqlite->current, place, bytes.at ? bytes.at : "", bytes.length,
                                   SQLITE_STATIC, SQLITE_UTF8);
    case VALUE_BYTES:
        return sqlite3_bind_blob64(sqlite->current, place, value->text.at ? value->text.at : "",
                                   value->text.length, SQLITE_STATIC);
    default:
        return sqlite3_bind_null(sqlite->current, place);
    }
}

static void sqlite_end(Database *database) {
    Sqlite *sqlite = sqlite_of(database);
    if (sqlite->current) {
        sqlite3_reset(sqlite->current);
        sqlite3_clear_bindings(sqlite->current);
    }
    sqlite->current = NULL;
}

static bool sqlite_start(Database *database, const char *sql, const Value *values, size_t count) {
    Sqlite *sqlite = sqlite_of(database);
    sqlite_end(database);
    if (count > VALUES_MAX)
        abort();
    sqlite->current = prepared(sqlite, sql);
    if (!sqlite->current)
        return false;
    for (size_t i = 0; i < count; i++)
        if (bind(sqlite, (int)i + 1, &values[i]) != SQLITE_OK) {
            sqlite_end(database);
            return false;
        }
    return true;
}

static Step sqlite_step(Database *database) {
    Sqlite *sqlite = sqlite_of(database);
    if (!sqlite->current)
        return STEP_DONE;
    int code = sqlite3_step(sqlite->current);
    return code == SQLITE_ROW ? STEP_ROW : code == SQLITE_DONE ? STEP_DONE : STEP_FAILED;
}

static bool sqlite_send(Database *database, const char *sql, const Value *values, size_t count) {
    bool good = sqlite_start(database, sql, values, count) && sqlite_step(database) == STEP_DONE;
    if (good)
        sqlite_end(database);
    return good;
}

/* Begins with a lock if it writes, so that a writer waits for another one here. At its first change
   it might have to fail instead. */
static bool sqlite_begin(Database *database, DatabaseAccess access) {
    bool good =
        sqlite_start(database, access == ACCESS_READ ? "BEGIN" : "BEGIN IMMEDIATE", NULL, 0) &&
        sqlite_step(database) == STEP_DONE;
    if (good)
        sqlite_end(database);
    return good;
}

static int64_t sqlite_changes(Database *database) {
    return sqlite3_changes64(sqlite_of(database)->handle);
}

static int64_t sqlite_last_id(Database *database) {
    return sqlite3_last_insert_rowid(sqlite_of(database)->handle);
}

static int64_t sqlite_number(Database *database, int column) {
    return sqlite3_column_int64(sqlite_of(database)->current, column);
}

static Slice sqlite_text(Database *database, int column) {
    const char *at = (const char *)sqlite3_column_text(sqlite_of(database)->current, column);
    return (Slice){at ? at : "",
                   at ? (size_t)sqlite3_column_bytes(sqlite_of(database)->current, column) : 0};
}

static Slice sqlite_bytes(Database *database, int column) {
    const char *at = sqlite3_column_blob(sqlite_of(database)->current, column);
    return (Slice){at ? at : "",
                   at ? (size_t)sqlite3_column_bytes(sqlite_of(database)->current, column) : 0};
}

/* ---- outside of the usual statements ---- */

static int64_t sqlite_query_number(Database *database, const char *sql) {
    sqlite3_stmt *statement = NULL;
    int64_t answer = -1;
    if (sqlite3_prepare_v2(sqlite_of(database)->handle, sql, -1, &statement, NULL) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW)
        answer = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return answer;
}

static bool sqlite_read_stamp(Database *database, DatabaseStamp *stamp, Error *error) {
    int64_t application = sqlite_query_number(database, "PRAGMA application_id");
    int64_t version = sqlite_query_number(database, "PRAGMA user_version");
    int64_t tables = sqlite_query_number(database, "SELECT count(*) FROM sqlite_master");
    if (tables < 0) {
        sqlite_error(database, error);
        return false;
    }
    *stamp =
        (DatabaseStamp){(uint32_t)application, (uint32_t)version, (uint32_t)version, tables == 0};
    return true;
}

static bool sqlite_write_stamp(Database *database, const DatabaseStamp *stamp, Error *error) {
    char sql[96];
    snprintf(sql, sizeof sql, "PRAGMA application_id = %" PRIu32 "; PRAGMA user_version = %" PRIu32,
             stamp->application, stamp->version);
    return sqlite_script(database, sql, error);
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

static bool sqlite_in_transaction(Database *database) {
    return !sqlite3_get_autocommit(sqlite_of(database)->handle);
}

/* With a write-ahead log, readers never wait for the writer. */
static bool sqlite_use_wal(Database *database, Error *error) {
    return sqlite_script(database, "PRAGMA journal_mode = WAL", error);
}

static uint32_t sqlite_wal_pages(Database *database) {
    return sqlite_of(database)->wal_pages;
}

static bool sqlite_checkpoint(Database *database, bool whole, Error *error) {
    sqlite3_busy_timeout(sqlite_of(database)->handle, CHECKPOINT_MS);
    int code = sqlite3_wal_checkpoint_v2(
        sqlite_of(database)->handle, NULL,
        whole ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
    if (code != SQLITE_OK && code != SQLITE_BUSY)
        sqlite_error(database, error);
    sqlite3_busy_timeout(sqlite_of(database)->handle, BUSY_MS);
    if (whole && code == SQLITE_OK)
        sqlite_of(database)->wal_pages = 0;
    return code == SQLITE_OK || code == SQLITE_BUSY; /* blocked by a reader: next time */
}

static void sqlite_remove_wal(Database *database) {
    sqlite3_busy_timeout(sqlite_of(database)->handle, 0);
    sqlite3_exec(sqlite_of(database)->handle, "PRAGMA journal_mode = DELETE", NULL, NULL, NULL);
    sqlite3_busy_timeout(sqlite_of(database)->handle, BUSY_MS);
}

static bool sqlite_copy(Database *from, Database *to, Error *error) {
    sqlite3_backup *backup =
        sqlite3_backup_init(sqlite_of(to)->handle, "main", sqlite_of(from)->handle, "main");
    if (!backup) {
        sqlite_error(to, error);
        return false;
    }
    int code = sqlite3_backup_step(backup, -1); /* in one step, so the copy is a snapshot */
    if (sqlite3_backup_finish(backup) != SQLITE_OK || code != SQLITE_DONE) {
        sqlite_error(sqlite3_errcode(sqlite_of(to)->handle) != SQLITE_OK ? to : from, error);
        return false;
    }
    return true;
}

static bool sqlite_check(Database *database, Error *error) {
    sqlite3_stmt *statement = NULL;
    const char *answer = NULL;
    bool good = false;
    if (sqlite3_prepare_v2(sqlite_of(database)->handle, "PRAGMA integrity_check(1)", -1, &statement,
                           NULL) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW) {
        answer = (const char *)sqlite3_column_text(statement, 0);
        good = answer && strcmp(answer, "ok") == 0;
        if (!good)
            error_set(error, "%s is damaged: %s", sqlite_of(database)->path, answer ? answer : "?");
    } else {
        sqlite_error(database, error);
    }
    sqlite3_finalize(statement);
    return good;
}

static void explain(Database *database, const char *sql, Buffer *plan) {
    Buffer question = {0};
    buffer_format(&question, "EXPLAIN QUERY PLAN %s", sql);
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v2(sqlite_of(database)->handle, buffer_string(&question), -1, &statement,
                           NULL) == SQLITE_OK)
        while (sqlite3_step(statement) == SQLITE_ROW)
            buffer_format(plan, "%s\n", (const char *)sqlite3_column_text(statement, 3));
    sqlite3_finalize(statement);
    buffer_free(&question);
}

static void sqlite_query_plans(Database *database,
                               void (*take)(void *context, const char *sql, const char *plan),
                               void *context) {
    const Prepared *slots = sqlite_of(database)->cache.slots;
    for (uint32_t i = 0; i < CACHE_SLOTS; i++)
        if (slots[i].sql) {
            Buffer plan = {0};
            explain(database, slots[i].sql, &plan);
            take(context, slots[i].sql, buffer_string(&plan));
            buffer_free(&plan);
        }
}

const DatabaseDriver sqlite_driver = {
    .kind = ENGINE_SQLITE,
    .open = sqlite_open,
    .close = sqlite_close,
    .path = sqlite_path,
    .begin = sqlite_begin,
    .start = sqlite_start,
    .send = sqlite_send,
    .step = sqlite_step,
    .end = sqlite_end,
    .changes = sqlite_changes,
    .last_id = sqlite_last_id,
    .number = sqlite_number,
    .text = sqlite_text,
    .bytes = sqlite_bytes,
    .error = sqlite_error,
    .in_transaction = sqlite_in_transaction,
    .script = sqlite_script,
    .query_number = sqlite_query_number,
    .read_stamp = sqlite_read_stamp,
    .write_stamp = sqlite_write_stamp,
    .use_wal = sqlite_use_wal,
    .wal_pages = sqlite_wal_pages,
    .checkpoint = sqlite_checkpoint,
    .remove_wal = sqlite_remove_wal,
    .copy = sqlite_copy,
    .check = sqlite_check,
    .query_plans = sqlite_query_plans,
};
