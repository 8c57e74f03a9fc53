/* Files in the store's own PostgreSQL database, as rows of chunks; see file_backend.h.

   A file is one row and its chunks, written in one transaction. Chunks are written and read one at
   a time, so that memory is bounded. The row records when the file was last used. `put` and
   `remove_old` lock it, so that those of different processes wait for each other. */
#include "base/memory.h"
#include "store/file_backend.h"
#include "store/internal.h"
#include "store/store.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct FileTable {
    FilePlace base;
    Store *store;
} FileTable;

static Store *store_of(FilePlace *place) {
    return ((FileTable *)place)->store;
}

static void table_close(FilePlace *place) {
    free(place->name);
    free(place);
}

/* Does nothing, because the tables are part of the schema. */
static bool table_make(FilePlace *place, Error *error) {
    (void)place;
    (void)error;
    return true;
}

/* ---- the id ---- */

static bool table_read_id(FilePlace *place, char id[PLACE_ID_SIZE], Error *error) {
    memset(id, 0, PLACE_ID_SIZE);
    FileRows rows;
    DatabaseStamp stamp;
    if (!file_rows_begin(&rows, store_of(place), ACCESS_READ, error))
        return file_rows_end(&rows);
    rows.good = database_read_stamp(rows.database, &stamp, error);
    if (rows.good && !stamp.empty &&
        file_rows_start(&rows, "SELECT value FROM settings WHERE name = ?1",
                        VALUES(as_text(PLACE_ID_HERE)))) {
        Slice text = database_text(rows.database, 0);
        snprintf(id, PLACE_ID_SIZE, "%.*s", (int)text.length, text.at);
    }
    return file_rows_end(&rows);
}

static bool table_write_id(FilePlace *place, const char *id, Error *error) {
    FileRows rows;
    file_rows_begin(&rows, store_of(place), ACCESS_WRITE_BESIDE, error);
    file_rows_run(&rows, "INSERT INTO settings (name, value) VALUES (?1, ?2)",
                  VALUES(as_text(PLACE_ID_HERE), as_text(id)));
    return file_rows_end(&rows);
}

static bool table_is_empty(FilePlace *place, bool *empty, Error *error) {
    FileRows rows;
    DatabaseStamp stamp;
    if (!file_rows_begin(&rows, store_of(place), ACCESS_READ, error))
        return file_rows_end(&rows);
    rows.good = database_read_stamp(rows.database, &stamp, error);
    *empty = rows.good &&
             (stamp.empty || !file_rows_start(&rows, "SELECT 1 FROM files LIMIT 1", NULL, 0));
    return file_rows_end(&rows);
}

/* ---- writing ---- */

static void write_chunks(FileRows *rows, FileSource *source) {
    char *chunk = xmalloc(FILE_CHUNK);
    size_t length = 0;
    int64_t number = 0;
    ssize_t count = 1;
    source_rewind(source);
    while (rows->good && count > 0) {
        count = source_read(source, chunk + length, FILE_CHUNK - length, rows->error);
        length += count > 0 ? (size_t)count : 0;
        rows->good = count >= 0;
        /* A read may return less than a chunk. */
        if (length == FILE_CHUNK || (count == 0 && length)) {
            file_rows_run(rows, "INSERT INTO file_chunks (name, number, bytes) VALUES (?1, ?2, ?3)",
                          VALUES(as_text(source->file.name), as_number(number),
                                 as_bytes((Slice){chunk, length})));
            number++;
            length = 0;
        }
    }
    free(chunk);
}

/* If another process is storing or deleting the same file, waits for the lock of its row. */
static bool table_put(FilePlace *place, FileSource *source, Error *error) {
    FileRows rows;
    int64_t now = store_now(store_of(place));
    file_rows_begin(&rows, store_of(place), ACCESS_WRITE_BESIDE, error);
    Value name = as_text(source->file.name);
    if (!file_rows_run(&rows, "UPDATE files SET used = ?2 WHERE name = ?1",
                       VALUES(name, as_number(now)))) {
        if (file_rows_run(&rows,
                          "INSERT INTO files (name, size, used) VALUES (?1, ?2, ?3) "
                          "ON CONFLICT (name) DO NOTHING",
                          VALUES(name, as_number(source->size), as_number(now))))
            write_chunks(&rows, source);
        else /* it was stored meanwhile */
            file_rows_run(&rows, "UPDATE files SET used = ?2 WHERE name = ?1",
                          VALUES(name, as_number(now)));
    }
    return file_rows_end(&rows);
}

/* ---- reading ---- */

static FileResult table_has(FilePlace *place, const char *name, Error *error) {
    FileRows rows;
    file_rows_begin(&rows, store_of(place), ACCESS_READ, error);
    bool found =
        file_rows_start(&rows, "SELECT 1 FROM files WHERE name = ?1", VALUES(as_text(name)));
    return !file_rows_end(&rows) ? FILE_FAILED : found ? FILE_FOUND : FILE_MISSING;
}

static FileResult table_fetch(FilePlace *place, const char *name, int to, Error *error) {
    FileRows rows;
    file_rows_begin(&rows, store_of(place), ACCESS_READ, error);
    bool found =
        file_rows_start(&rows, "SELECT size FROM files WHERE name = ?1", VALUES(as_text(name)));
    int64_t size = found ? database_number(rows.database, 0) : 0;
    int64_t done = 0;
    for (int64_t number = 0; rows.good && done < size; number++) {
        Slice bytes = {0};
        if (file_rows_start(&rows, "SELECT bytes FROM file_chunks WHERE name = ?1 AND number = ?2",
                            VALUES(as_text(name), as_number(number))))
            bytes = database_bytes(rows.database, 0);
        if (!bytes.length)
            break; /* the file is damaged; the caller notices */
        rows.good = file_write_bytes(to, bytes.at, bytes.length, error);
        done += (int64_t)bytes.length;
    }
    return !file_rows_end(&rows) ? FILE_FAILED : found ? FILE_FOUND : FILE_MISSING;
}

/* ---- sweeping ---- */

/* A part is the files whose names begin with its number. */
static bool table_list(FilePlace *place, uint32_t part, int64_t before, FileVisitor *visit,
                       void *context, Error *error) {
    if (part >= STORE_SWEEP_PARTS - 1)
        return true; /* there are no unfinished files */
    char low[3];
    char high[3];
    snprintf(low, sizeof low, "%02x", part);
    snprintf(high, sizeof high, part == 255 ? "g" : "%02x", part + 1);
    FileRows rows;
    Buffer names = {0};
    file_rows_begin(&rows, store_of(place), ACCESS_READ, error);
    bool found = file_rows_start(
        &rows, "SELECT name FROM files WHERE name >= ?1 AND name < ?2 AND used <= ?3",
        VALUES(as_text(low), as_text(high), as_number(before)));
    while (found) {
        Slice name = database_text(rows.database, 0);
        buffer_format(&names, "%.*s\n", (int)name.length, name.at);
        found = database_step(rows.database) == STEP_ROW;
    }
    bool good = file_rows_end(&rows);
    if (good)
        file_visit_lines(&names, visit, context);
    buffer_free(&names);
    return good;
}

static bool table_remove_old(FilePlace *place, const char *name, int64_t before, bool *removed,
                             Error *error) {
    FileRows rows;
    file_rows_begin(&rows, store_of(place), ACCESS_WRITE_BESIDE, error);
    *removed = file_rows_run(&rows, "DELETE FROM files WHERE name = ?1 AND used <= ?2",
                             VALUES(as_text(name), as_number(before))) > 0;
    return file_rows_end(&rows);
}

static const FileBackend table_backend = {
    .close = table_close,
    .make = table_make,
    .read_id = table_read_id,
    .write_id = table_write_id,
    .is_empty = table_is_empty,
    .put = table_put,
    .has = table_has,
    .fetch = table_fetch,
    .list = table_list,
    .remove_old = table_remove_old,
};

FilePlace *file_table_open(Store *store, Error *error) {
    if (!database_is_uri(store->database)) {
        error_set(error, "files can be in the database only if it is PostgreSQL; name one with "
                         "--store, or a directory with --files");
        return NULL;
    }
    FileTable *table = xcalloc(1, sizeof *table);
    table->base = (FilePlace){.backend = &table_backend, .name = xstrdup("the database")};
    table->store = store;
    return &table->base;
}
