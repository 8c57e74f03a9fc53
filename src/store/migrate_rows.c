/* See migrate_internal.h. Both engines have the same tables and columns, so the catalog is read
   from an SQLite database in memory to which all steps of the schema are applied. */
#include "base/memory.h"
#include "store/migrate_internal.h"
#include "store/queue_internal.h"
#include "store/schema.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS_MAX = 24, TABLES_MAX = 64, SHOW_EVERY = 256 };

/* Not copied as rows: files are copied through their place. */
#define TABLES_OF_FILES "('files', 'file_chunks')"

/* Settings that are not copied: the target has its own place for files. */
#define OWN_SETTINGS "('" PLACE_ID_SETTING "', '" PLACE_ID_HERE "')"

typedef struct MigratedColumn {
    char *name;
    ValueKind kind;
    /* for a column that refers to a later table and is therefore updated at the end; else NULL */
    RowQuery late;
    char *update;
} MigratedColumn;

typedef struct MigratedTable {
    char *name;
    bool issues_ids;
    MigratedColumn columns[COLUMNS_MAX];
    uint32_t column_count;
    const char *key; /* the column that identifies the rows of late columns */
    RowQuery query;  /* each column, and whether it is NULL */
    char *insert;
    char *count;
} MigratedTable;

struct Catalog {
    MigratedTable tables[TABLES_MAX];
    uint32_t count;
};

/* ---- reading many rows ---- */

/* The content of a buffer as a separate string. */
static char *take_string(Buffer *buffer) {
    char *text = xstrdup(buffer_string(buffer));
    buffer_free(buffer);
    return text;
}

RowQuery row_query_make(const char *name, const char *select) {
    Buffer fetch = {0};
    buffer_format(&fetch, "FETCH FORWARD 200 FROM migrate_%s", name);
    return (RowQuery){.select = xstrdup(select), .fetch = take_string(&fetch)};
}

void row_query_free(RowQuery *query) {
    free(query->select);
    free(query->fetch);
}

RowReader row_reader_start(Transaction *transaction, const RowQuery *query) {
    RowReader reader = {.transaction = transaction};
    if (transaction->result != STORE_OK ||
        database_engine(transaction->database) == ENGINE_SQLITE) {
        sql_query(transaction, query->select, NULL, 0);
        return reader;
    }
    Buffer declare = {0};
    const char *cursor = strrchr(query->fetch, ' ');
    Error error;
    buffer_format(&declare, "DECLARE%s NO SCROLL CURSOR FOR %s", cursor, query->select);
    if (!database_script(transaction->database, buffer_string(&declare), &error))
        transaction_reject(transaction, STORE_FAILED, "%s", error.text);
    buffer_free(&declare);
    reader.fetch = query->fetch;
    sql_query(transaction, reader.fetch, NULL, 0);
    return reader;
}

bool row_reader_next(RowReader *reader) {
    if (sql_row(reader->transaction))
        return reader->found = true;
    if (!reader->fetch || !reader->found)
        return false;
    sql_query(reader->transaction, reader->fetch, NULL, 0);
    return reader->found = sql_row(reader->transaction);
}

/* ---- the tables ---- */

static const char list_columns[] =
    "SELECT t.name, c.name, c.type, c.pk = 1, instr(t.sql, 'AUTOINCREMENT') > 0, "
    "EXISTS (SELECT 1 FROM pragma_foreign_key_list(t.name) f JOIN sqlite_master r "
    "ON r.name = f.\"table\" WHERE f.\"from\" = c.name AND r.rowid > t.rowid) "
    "FROM sqlite_master t JOIN pragma_table_info(t.name) c WHERE t.type = 'table' "
    "AND t.name NOT LIKE 'sqlite_%' AND t.name NOT IN " TABLES_OF_FILES " ORDER BY t.rowid, c.cid";

/* Prepares the statements of a late column. The table's key is known, because it is the first
   column. */
static void write_late(const MigratedTable *table, MigratedColumn *column) {
    Buffer text = {0};
    buffer_format(&text, "SELECT %s, %s FROM %s WHERE %s IS NOT NULL", table->key, column->name,
                  table->name, column->name);
    column->late = row_query_make(column->name, buffer_string(&text));
    buffer_clear(&text);
    buffer_format(&text, "UPDATE %s SET %s = ?2 WHERE %s = ?1", table->name, column->name,
                  table->key);
    column->update = take_string(&text);
}

/* Adds the column in the current row of list_columns. */
static bool add_column(Catalog *catalog, Database *model) {
    Slice name = database_text(model, 0);
    MigratedTable *table = catalog->count ? &catalog->tables[catalog->count - 1] : NULL;
    if (!table || !slice_equals(name, table->name)) {
        if (catalog->count == TABLES_MAX)
            return false;
        table = &catalog->tables[catalog->count++];
        *table =
            (MigratedTable){.name = slice_copy(name), .issues_ids = database_number(model, 4) != 0};
    }
    if (table->column_count == COLUMNS_MAX)
        return false;
    MigratedColumn *column = &table->columns[table->column_count++];
    Slice type = database_text(model, 2);
    *column = (MigratedColumn){.name = slice_copy(database_text(model, 1)),
                               .kind = slice_equals(type, "INTEGER") ? VALUE_NUMBER
                                       : slice_equals(type, "TEXT")  ? VALUE_TEXT
                                                                     : VALUE_BYTES};
    if (database_number(model, 3))
        table->key = column->name;
    if (database_number(model, 5))
        write_late(table, column);
    return true;
}

static bool is_settings(const MigratedTable *table) {
    return strcmp(table->name, "settings") == 0;
}

/* Whether this is the table `results`, which has one row even in a new store. */
static bool is_results(const MigratedTable *table) {
    return strcmp(table->name, "results") == 0;
}

static void write_statements(MigratedTable *table) {
    Buffer columns = {0};
    Buffer nulls = {0};
    Buffer marks = {0};
    Buffer text = {0};
    for (uint32_t i = 0; i < table->column_count; i++) {
        const char *comma = i ? ", " : "";
        buffer_format(&columns, "%s%s", comma, table->columns[i].name);
        buffer_format(&nulls, ", %s IS NULL", table->columns[i].name);
        buffer_format(&marks, "%s?%u", comma, i + 1);
    }
    const char *rest = is_settings(table) ? " WHERE name NOT IN " OWN_SETTINGS : "";
    buffer_format(&text, "SELECT %s%s FROM %s%s", buffer_string(&columns), buffer_string(&nulls),
                  table->name, rest);
    table->query = row_query_make(table->name, buffer_string(&text));
    buffer_clear(&text);
    buffer_format(&text, "INSERT INTO %s (%s) VALUES (%s)", table->name, buffer_string(&columns),
                  buffer_string(&marks));
    table->insert = take_string(&text);
    text = (Buffer){0};
    buffer_format(&text, "SELECT count(*) FROM %s%s", table->name, rest);
    table->count = take_string(&text);
    buffer_free(&columns);
    buffer_free(&nulls);
    buffer_free(&marks);
}

static bool read_columns(Catalog *catalog, Database *model, Error *error) {
    bool fits = true;
    Step step = STEP_FAILED;
    bool good = schema_migrate(model, schema_steps, schema_version, error);
    if (good && database_start(model, list_columns, NULL, 0))
        while (fits && (step = database_step(model)) == STEP_ROW)
            fits = add_column(catalog, model);
    if (!fits)
        return error_set(error, "a table of the store has more columns than can be copied");
    if (good && step != STEP_DONE)
        database_error(model, error);
    return good && step == STEP_DONE;
}

Catalog *catalog_load(Error *error) {
    Catalog *catalog = xcalloc(1, sizeof *catalog);
    Database *model = database_open(NULL, DATABASE_PLAIN, false, error);
    bool good = model && read_columns(catalog, model, error);
    database_close(model);
    for (uint32_t i = 0; i < catalog->count; i++)
        write_statements(&catalog->tables[i]);
    if (good)
        return catalog;
    catalog_free(catalog);
    return NULL;
}

void catalog_free(Catalog *catalog) {
    for (uint32_t i = 0; catalog && i < catalog->count; i++) {
        MigratedTable *table = &catalog->tables[i];
        for (uint32_t j = 0; j < table->column_count; j++) {
            free(table->columns[j].name);
            free(table->columns[j].update);
            row_query_free(&table->columns[j].late);
        }
        row_query_free(&table->query);
        free(table->name);
        free(table->insert);
        free(table->count);
    }
    free(catalog);
}

/* ---- checks ---- */

void catalog_check_empty(const Catalog *catalog, Transaction *to) {
    for (uint32_t i = 0; i < catalog->count; i++) {
        const MigratedTable *table = &catalog->tables[i];
        if (!is_settings(table) && !is_results(table) && sql_number(to, table->count, NULL, 0))
            transaction_reject(to, STORE_REJECTED, MIGRATE_NOT_EMPTY);
    }
}

static void check_count(const MigratedTable *table, uint64_t copied, Transaction *from,
                        Transaction *to) {
    int64_t there = sql_number(to, table->count, NULL, 0);
    int64_t here = sql_number(from, table->count, NULL, 0);
    if (from->result == STORE_OK && (there != here || copied != (uint64_t)here))
        transaction_reject(to, STORE_FAILED,
                           "of %" PRId64 " rows in %s, %" PRId64 " arrived; nothing was copied",
                           here, table->name, there);
}

/* ---- copying ---- */

/* Reports the progress; rejects after an interruption. */
typedef struct MigrationProgress {
    StoreMigrated *migrated;
    uint64_t done;
    uint64_t total;
} MigrationProgress;

static void show(const MigrationProgress *progress, Transaction *to) {
    if (progress->migrated && !progress->migrated("rows", progress->done, progress->total))
        transaction_reject(to, STORE_FAILED, MIGRATE_INTERRUPTED);
}

/* Reads column `index` of the current row. Bytes and texts are valid until the next row. */
static Value read_value(Database *from, const MigratedTable *table, uint32_t index) {
    const MigratedColumn *column = &table->columns[index];
    if (database_number(from, (int)(table->column_count + index)))
        return (Value){.kind = VALUE_NULL};
    if (column->kind == VALUE_NUMBER)
        return as_number(database_number(from, (int)index));
    return column->kind == VALUE_TEXT ? as_slice(database_text(from, (int)index))
                                      : as_bytes(database_bytes(from, (int)index));
}

static uint64_t copy_rows(const MigratedTable *table, Transaction *from, Transaction *to,
                          MigrationProgress *progress) {
    Value values[COLUMNS_MAX];
    uint64_t count = 0;
    RowReader reader = row_reader_start(from, &table->query);
    while (to->result == STORE_OK && row_reader_next(&reader)) {
        for (uint32_t i = 0; i < table->column_count; i++)
            values[i] = table->columns[i].update ? (Value){.kind = VALUE_NULL}
                                                 : read_value(from->database, table, i);
        sql_send(to, table->insert, values, table->column_count);
        count++;
        if (++progress->done % SHOW_EVERY == 0)
            show(progress, to);
    }
    return count;
}

/* Copies the columns that refer to later tables. */
static void copy_late(const MigratedTable *table, Transaction *from, Transaction *to) {
    for (uint32_t i = 0; i < table->column_count; i++) {
        const MigratedColumn *column = &table->columns[i];
        if (!column->update)
            continue;
        RowReader reader = row_reader_start(from, &column->late);
        while (to->result == STORE_OK && row_reader_next(&reader))
            sql_send(to, column->update,
                     VALUES(as_number(database_number(from->database, 0)),
                            as_number(database_number(from->database, 1))));
    }
}

/* Copies the last id, because ids are never reused, not even those of deleted rows. */
static void copy_last_id(const MigratedTable *table, Transaction *from, Transaction *to) {
    static const char sqlite[] = "SELECT seq FROM sqlite_sequence WHERE name = ?1";
    static const char postgres[] = "SELECT coalesce(last_value, 0) FROM pg_sequences WHERE "
                                   "schemaname = current_schema() AND sequencename = ?1";
    Buffer sequence = {0};
    buffer_format(&sequence, "%s_id_seq", table->name);
    const char *name = buffer_string(&sequence);
    bool here = from->result == STORE_OK && database_engine(from->database) == ENGINE_SQLITE;
    int64_t last =
        sql_number(from, here ? sqlite : postgres, VALUES(as_text(here ? table->name : name)));
    if (last && to->result == STORE_OK && database_engine(to->database) == ENGINE_SQLITE) {
        sql_run(to, "DELETE FROM sqlite_sequence WHERE name = ?1", VALUES(as_text(table->name)));
        sql_run(to, "INSERT INTO sqlite_sequence (name, seq) VALUES (?1, ?2)",
                VALUES(as_text(table->name), as_number(last)));
    } else if (last) {
        sql_number(to, "SELECT setval(CAST(CAST(?1 AS TEXT) AS regclass), ?2)",
                   VALUES(as_text(name), as_number(last)));
    }
    buffer_free(&sequence);
}

/* Continues the numbers of results. PostgreSQL numbers results with a sequence and counts them
   later; SQLite has already counted all. */
static void continue_results(Transaction *to) {
    int64_t counted = sql_number(to, "SELECT last FROM results", NULL, 0);
    int64_t last = sql_number(to, "SELECT coalesce(max(result), 0) FROM matches", NULL, 0);
    if (to->result != STORE_OK)
        return;
    if (database_engine(to->database) == ENGINE_SQLITE) {
        if (last > counted)
            records_count(to, counted, last);
    } else {
        sql_number(to, "SELECT setval('result_numbers', ?1, false)",
                   VALUES(as_number((last > counted ? last : counted) + 1)));
    }
}

/* Deletes what a new store already has: the row of `results`, and perhaps settings. */
static void clear(Transaction *to) {
    sql_run(to, "DELETE FROM results", NULL, 0);
    sql_run(to, "DELETE FROM settings WHERE name NOT IN " OWN_SETTINGS, NULL, 0);
}

void catalog_copy(const Catalog *catalog, Transaction *from, Transaction *to,
                  StoreMigrated *migrated, MigrateCounts *counts) {
    MigrationProgress progress = {.migrated = migrated};
    for (uint32_t i = 0; i < catalog->count; i++)
        progress.total += (uint64_t)sql_number(from, catalog->tables[i].count, NULL, 0);
    show(&progress, to);
    clear(to);
    for (uint32_t i = 0; i < catalog->count; i++) {
        uint64_t rows = copy_rows(&catalog->tables[i], from, to, &progress);
        counts->rows += rows;
        counts->tables += rows > 0;
        check_count(&catalog->tables[i], rows, from, to);
    }
    for (uint32_t i = 0; i < catalog->count; i++) {
        copy_late(&catalog->tables[i], from, to);
        if (catalog->tables[i].issues_ids)
            copy_last_id(&catalog->tables[i], from, to);
    }
    continue_results(to);
    show(&progress, to);
}
