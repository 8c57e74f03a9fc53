/* See database.h. Chooses the engine of a database, and contains what the engines share. */
#include "sql/database.h"

#include "sql/driver.h"
#include "sql/postgres_uri.h"
#include "sql/valid_text.h"

#include <stdlib.h>
#include <string.h>

bool database_is_uri(const char *name) {
    Slice rest = slice_of(name);
    return slice_skip(&rest, "postgresql://") || slice_skip(&rest, "postgres://");
}

char *database_uri_to_show(const char *uri) {
    char *shown = postgres_without_secrets(uri);
    return shown ? shown : slice_copy((Slice){uri, strcspn(uri, "/")});
}

Database *database_open(const char *name, DatabaseKind kind, bool relaxed, Error *error) {
    const DatabaseDriver *driver =
        name && database_is_uri(name) ? &postgres_driver : &sqlite_driver;
    return driver->open(name, kind, relaxed, error);
}

void database_close(Database *database) {
    if (database)
        database->driver->close(database);
}

DatabaseEngine database_engine(const Database *database) {
    return database->driver->kind;
}

const char *database_path(Database *database) {
    return database->driver->path(database);
}

/* ---- statements ---- */

bool database_begin(Database *database, DatabaseAccess access) {
    return database->driver->begin(database, access);
}

bool database_start(Database *database, const char *sql, const Value *values, size_t count) {
    return database->driver->start(database, sql, values, count);
}

bool database_send(Database *database, const char *sql, const Value *values, size_t count) {
    return database->driver->send(database, sql, values, count);
}

Step database_step(Database *database) {
    return database->driver->step(database);
}

void database_end(Database *database) {
    database->driver->end(database);
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
    return database->driver->changes(database);
}

int64_t database_last_id(Database *database) {
    return database->driver->last_id(database);
}

int64_t database_number(Database *database, int column) {
    return database->driver->number(database, column);
}

Slice database_text(Database *database, int column) {
    return database->driver->text(database, column);
}

Slice database_bytes(Database *database, int column) {
    return database->driver->bytes(database, column);
}

DatabaseError database_error(Database *database, Error *error) {
    return database->driver->error(database, error);
}

bool database_in_transaction(Database *database) {
    return database->driver->in_transaction(database);
}

/* ---- outside of the usual statements ---- */

bool database_script(Database *database, const char *sql, Error *error) {
    return database->driver->script(database, sql, error);
}

int64_t database_query_number(Database *database, const char *sql) {
    return database->driver->query_number(database, sql);
}

bool database_read_stamp(Database *database, DatabaseStamp *stamp, Error *error) {
    return database->driver->read_stamp(database, stamp, error);
}

bool database_write_stamp(Database *database, const DatabaseStamp *stamp, Error *error) {
    return database->driver->write_stamp(database, stamp, error);
}

bool database_use_wal(Database *database, Error *error) {
    return database->driver->use_wal(database, error);
}

uint32_t database_wal_pages(Database *database) {
    return database->driver->wal_pages(database);
}

bool database_checkpoint(Database *database, bool whole, Error *error) {
    return database->driver->checkpoint(database, whole, error);
}

void database_remove_wal(Database *database) {
    database->driver->remove_wal(database);
}

bool database_copy(Database *from, Database *to, Error *error) {
    return from->driver->copy(from, to, error);
}

bool database_check(Database *database, Error *error) {
    return database->driver->check(database, error);
}

void database_query_plans(Database *database,
                          void (*take)(void *context, const char *sql, const char *plan),
                          void *context) {
    database->driver->query_plans(database, take, context);
}

/* ---- what engines share ---- */

Prepared *statement_slot(StatementCache *cache, const char *sql) {
    size_t at = (size_t)((uintptr_t)sql * UINT64_C(0x9E3779B97F4A7C15) >> 40) % CACHE_SLOTS;
    while (cache->slots[at].sql && cache->slots[at].sql != sql)
        at = (at + 1) % CACHE_SLOTS;
    return &cache->slots[at];
}

void statement_add(StatementCache *cache, Prepared *slot, const char *sql, void *statement) {
    if (cache->count >= CACHE_SLOTS / 2)
        abort(); /* impossible: statements are constants, and this program has fewer */
    *slot = (Prepared){.sql = sql, .statement = statement};
    cache->count++;
}

Slice value_text(const Value *value, Buffer *valid) {
    if (valid_text_is(value->text))
        return value->text;
    buffer_clear(valid);
    valid_text_add(valid, value->text);
    return (Slice){valid->data, valid->length};
}
