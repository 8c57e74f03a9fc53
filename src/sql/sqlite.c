/* See sqlite.h. Connections are opened without SQLite's own mutexes: store.c gives each to one
   thread at a time. */
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

enum { BUSY_MS = 10000, CACHE_SLOTS = 512, TEXTS_MAX = 24, FOLD_MS = 200 };

typedef struct Prepared {
    const char *sql;
    sqlite3_stmt *statement;
} Prepared;

struct Connection {
    char *path;
    sqlite3 *database;
    Prepared cache[CACHE_SLOTS]; /* open addressing by the address of the text */
    uint32_t cached;
    sqlite3_stmt *current;
    Buffer cleaned[TEXTS_MAX]; /* texts of the current statement that had to be mended */
    uint32_t log_pages;
};

/* ---- opening and closing ---- */

static int count_log(void *context, sqlite3 *database, const char *name, int pages) {
    (void)database;
    (void)name;
    ((Connection *)context)->log_pages = (uint32_t)pages;
    return SQLITE_OK;
}

/* SQLite would make the file readable for everybody; the log and its index take the rights of the
   file. */
static bool make_private(const char *path, Error *error) {
    int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0)
        return error_set(error, "cannot open %s: %s", path, strerror(errno));
    close(file);
    return true;
}

static bool configure(Connection *connection, ConnectionKind kind, bool relaxed, Error *error) {
    sqlite3_extended_result_codes(connection->database, 1);
    sqlite3_busy_timeout(connection->database, BUSY_MS);
    /* What is in the file may be anybody's work: it must not make SQLite call functions. */
    sqlite3_db_config(connection->database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_db_config(connection->database, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    switch (kind) {
    case CONNECTION_WRITER:
        sqlite3_wal_hook(connection->database, count_log, connection); /* no folding by itself */
        return connection_script(connection,
                                 "PRAGMA foreign_keys = ON; "
                                 "PRAGMA temp_store = MEMORY; PRAGMA cache_size = -32768",
                                 error) &&
               connection_script(
                   connection,
                   relaxed ? "PRAGMA synchronous = NORMAL" : "PRAGMA synchronous = FULL", error);
    case CONNECTION_READER:
        sqlite3_db_config(connection->database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
        return connection_script(connection,
                                 "PRAGMA wal_autocheckpoint = 0; PRAGMA temp_store = MEMORY; "
                                 "PRAGMA cache_size = -4096",
                                 error);
    case CONNECTION_COPY:
        return true;
    }
    return false;
}

Connection *connection_open(const char *path, ConnectionKind kind, bool relaxed, Error *error) {
    if (kind != CONNECTION_READER && !make_private(path, error))
        return NULL;
    Connection *connection = xcalloc(1, sizeof *connection);
    connection->path = xstrdup(path);
    int flags = kind == CONNECTION_READER ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE;
    if (sqlite3_open_v2(path, &connection->database, flags | SQLITE_OPEN_NOMUTEX, NULL) !=
        SQLITE_OK) {
        connection_fault(connection, error);
    } else if (configure(connection, kind, relaxed, error)) {
        return connection;
    }
    connection_close(connection);
    return NULL;
}

void connection_close(Connection *connection) {
    if (!connection)
        return;
    for (uint32_t i = 0; i < CACHE_SLOTS; i++)
        sqlite3_finalize(connection->cache[i].statement);
    for (uint32_t i = 0; i < TEXTS_MAX; i++)
        buffer_free(&connection->cleaned[i]);
    sqlite3_close(connection->database);
    free(connection->path);
    free(connection);
}

/* ---- faults ---- */

/* Sentences for what an operator can do something about; the rest is told in SQLite's words. */
static const char *in_words(int code) {
    switch (code & 0xff) {
    case SQLITE_FULL:
        return "the disk is full";
    case SQLITE_READONLY:
        return "it can only be read";
    case SQLITE_CORRUPT:
        return "the file is damaged; a backup can be restored";
    case SQLITE_NOTADB:
        return "the file is no database, or it is damaged; a backup can be restored";
    default:
        return NULL;
    }
}

static int system_error(Connection *connection, int code) {
    bool tells = (code & 0xff) == SQLITE_IOERR || (code & 0xff) == SQLITE_CANTOPEN;
    return tells ? sqlite3_system_errno(connection->database) : 0;
}

StoreResult connection_fault(Connection *connection, Error *error) {
    int code = sqlite3_extended_errcode(connection->database);
    if (code == SQLITE_CONSTRAINT_UNIQUE || code == SQLITE_CONSTRAINT_PRIMARYKEY) {
        error_set(error, "this is there already");
        return STORE_CONFLICT;
    }
    if (code == SQLITE_CONSTRAINT_FOREIGNKEY) {
        error_set(error, "something that this refers to is not there");
        return STORE_NOT_FOUND;
    }
    int system = system_error(connection, code);
    const char *words = in_words(system == ENOSPC || system == EDQUOT ? SQLITE_FULL : code);
    if (words || !system)
        error_set(error, "%s: %s", connection->path,
                  words ? words : sqlite3_errmsg(connection->database));
    else
        error_set(error, "%s: %s: %s", connection->path, sqlite3_errmsg(connection->database),
                  strerror(system));
    return STORE_FAILED;
}

/* ---- statements ---- */

static Prepared *find_slot(Connection *connection, const char *sql) {
    size_t at = (size_t)((uintptr_t)sql * UINT64_C(0x9E3779B97F4A7C15) >> 40) % CACHE_SLOTS;
    while (connection->cache[at].sql && connection->cache[at].sql != sql)
        at = (at + 1) % CACHE_SLOTS;
    return &connection->cache[at];
}

static sqlite3_stmt *prepared(Connection *connection, const char *sql) {
    Prepared *slot = find_slot(connection, sql);
    if (slot->sql)
        return slot->statement;
    if (connection->cached >= CACHE_SLOTS / 2)
        abort(); /* statements are constants of this program: there are not so many */
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v3(connection->database, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement,
                           NULL) != SQLITE_OK)
        return NULL;
    *slot = (Prepared){.sql = sql, .statement = statement};
    connection->cached++;
    return statement;
}

static int bind(Connection *connection, int place, const Value *value) {
    Slice bytes = value->text;
    switch (value->kind) {
    case VALUE_NUMBER:
        return sqlite3_bind_int64(connection->current, place, value->number);
    case VALUE_TEXT:
        if (!clean_is(bytes)) {
            Buffer *cleaned = &connection->cleaned[place - 1];
            buffer_clear(cleaned);
            clean_text(cleaned, bytes);
            bytes = (Slice){cleaned->data, cleaned->length};
        }
        return sqlite3_bind_text64(connection->current, place, bytes.at ? bytes.at : "",
                                   bytes.length, SQLITE_STATIC, SQLITE_UTF8);
    default:
        return sqlite3_bind_null(connection->current, place);
    }
}

bool connection_start(Connection *connection, const char *sql, const Value *values, size_t count) {
    connection_end(connection);
    if (count > TEXTS_MAX)
        abort();
    sqlite3_stmt *statement = prepared(connection, sql);
    if (!statement)
        return false;
    connection->current = statement;
    for (size_t i = 0; i < count; i++)
        if (bind(connection, (int)i + 1, &values[i]) != SQLITE_OK) {
            connection_end(connection);
            return false;
        }
    return true;
}

Step connection_step(Connection *connection) {
    if (!connection->current)
        return STEP_DONE;
    int code = sqlite3_step(connection->current);
    return code == SQLITE_ROW ? STEP_ROW : code == SQLITE_DONE ? STEP_DONE : STEP_FAILED;
}

void connection_end(Connection *connection) {
    if (connection->current) {
        sqlite3_reset(connection->current);
        sqlite3_clear_bindings(connection->current);
    }
    connection->current = NULL;
}

int64_t connection_changes(Connection *connection) {
    return sqlite3_changes64(connection->database);
}

int64_t column_number(Connection *connection, int column) {
    return sqlite3_column_int64(connection->current, column);
}

Slice column_text(Connection *connection, int column) {
    const char *at = (const char *)sqlite3_column_text(connection->current, column);
    return (Slice){at ? at : "",
                   at ? (size_t)sqlite3_column_bytes(connection->current, column) : 0};
}

/* ---- the rest ---- */

bool connection_script(Connection *connection, const char *sql, Error *error) {
    if (sqlite3_exec(connection->database, sql, NULL, NULL, NULL) == SQLITE_OK)
        return true;
    connection_fault(connection, error);
    return false;
}

int64_t connection_ask(Connection *connection, const char *question) {
    sqlite3_stmt *statement = NULL;
    int64_t answer = -1;
    if (sqlite3_prepare_v2(connection->database, question, -1, &statement, NULL) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW)
        answer = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return answer;
}

bool connection_is_open(Connection *connection) {
    return !sqlite3_get_autocommit(connection->database);
}

uint32_t connection_log_pages(Connection *connection) {
    return connection->log_pages;
}

bool connection_fold(Connection *connection, bool whole, Error *error) {
    sqlite3_busy_timeout(connection->database, FOLD_MS);
    int code = sqlite3_wal_checkpoint_v2(
        connection->database, NULL, whole ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_PASSIVE,
        NULL, NULL);
    if (code != SQLITE_OK && code != SQLITE_BUSY)
        connection_fault(connection, error);
    sqlite3_busy_timeout(connection->database, BUSY_MS);
    if (whole && code == SQLITE_OK)
        connection->log_pages = 0;
    return code == SQLITE_OK || code == SQLITE_BUSY; /* a reader was in the way: next time */
}

bool connection_copy(Connection *connection, Connection *to, Error *error) {
    sqlite3_backup *backup =
        sqlite3_backup_init(to->database, "main", connection->database, "main");
    if (!backup) {
        connection_fault(to, error);
        return false;
    }
    int code = sqlite3_backup_step(backup, -1); /* in one go: a read that sees one moment */
    if (sqlite3_backup_finish(backup) != SQLITE_OK || code != SQLITE_DONE) {
        connection_fault(sqlite3_errcode(to->database) != SQLITE_OK ? to : connection, error);
        return false;
    }
    return true;
}

bool connection_sound(Connection *connection, Error *error) {
    sqlite3_stmt *statement = NULL;
    const char *answer = NULL;
    bool good = false;
    if (sqlite3_prepare_v2(connection->database, "PRAGMA integrity_check(1)", -1, &statement,
                           NULL) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW) {
        answer = (const char *)sqlite3_column_text(statement, 0);
        good = answer && strcmp(answer, "ok") == 0;
        if (!good)
            error_set(error, "%s is damaged: %s", connection->path, answer ? answer : "?");
    } else {
        connection_fault(connection, error);
    }
    sqlite3_finalize(statement);
    return good;
}

static void explain(Connection *connection, const char *sql, Buffer *plan) {
    Buffer question = {0};
    buffer_format(&question, "EXPLAIN QUERY PLAN %s", sql);
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v2(connection->database, buffer_string(&question), -1, &statement, NULL) ==
        SQLITE_OK)
        while (sqlite3_step(statement) == SQLITE_ROW)
            buffer_format(plan, "%s\n", (const char *)sqlite3_column_text(statement, 3));
    sqlite3_finalize(statement);
    buffer_free(&question);
}

void connection_plans(Connection *connection,
                      void (*take)(void *context, const char *sql, const char *plan),
                      void *context) {
    for (uint32_t i = 0; i < CACHE_SLOTS; i++)
        if (connection->cache[i].sql) {
            Buffer plan = {0};
            explain(connection, connection->cache[i].sql, &plan);
            take(context, connection->cache[i].sql, buffer_string(&plan));
            buffer_free(&plan);
        }
}
