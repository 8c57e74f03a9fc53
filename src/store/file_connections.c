/* Inside the store: connections for rows about files. On PostgreSQL, they are separate from the
   writers, so that a large file does not block other writes. SQLite has only the writer. */
#include "store/internal.h"

static Database *take_connection(Store *store, Error *error) {
    return database_is_uri(store->database) ? pool_take(store, &store->file_writers, error)
                                            : store_take_writer(store, false, error);
}

static void return_connection(Store *store, Database *database) {
    if (database_is_uri(store->database))
        pool_return(store, &store->file_writers, database);
    else
        store_return_writer(store, database, false);
}

/* ---- transactions ---- */

bool file_rows_begin(FileRows *rows, Store *store, DatabaseAccess access, Error *error) {
    *rows = (FileRows){.store = store, .error = error};
    rows->database = take_connection(store, error);
    rows->good = rows->database != NULL;
    if (rows->good && !database_begin(rows->database, access)) {
        database_error(rows->database, error);
        rows->good = false;
    }
    return rows->good;
}

bool file_rows_start(FileRows *rows, const char *sql, const Value *values, size_t count) {
    if (!rows->good)
        return false;
    Step step = database_start(rows->database, sql, values, count) ? database_step(rows->database)
                                                                   : STEP_FAILED;
    if (step == STEP_FAILED) {
        database_error(rows->database, rows->error);
        rows->good = false;
    }
    return step == STEP_ROW;
}

int64_t file_rows_run(FileRows *rows, const char *sql, const Value *values, size_t count) {
    file_rows_start(rows, sql, values, count);
    return rows->good ? database_changes(rows->database) : 0;
}

bool file_rows_end(FileRows *rows) {
    if (!rows->database)
        return false;
    file_rows_run(rows, "COMMIT", NULL, 0);
    database_end(rows->database);
    if (database_in_transaction(rows->database))
        database_script(rows->database, "ROLLBACK", NULL);
    return_connection(rows->store, rows->database);
    rows->database = NULL;
    return rows->good;
}
