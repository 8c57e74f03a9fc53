/* Inside the store: which place the files are in, and which place belongs to which database.

   A database must not be used with the wrong place, because the arena would delete files that the
   database does not name. Therefore the first start gives the database and the place the same
   random id. Only an SQLite database with its files in the same data directory needs no id.

   The first start takes three steps: the database gets the id, marked as new; the place gets the
   id; the mark is removed. After a crash in between, the next start continues: while an id is
   marked as new there are no files yet, so it matches any place without an id. The second and third
   step are one transaction, so that if two arenas start at the same time with different places, one
   of them is rejected. */
#include "base/memory.h"
#include "base/path.h"
#include "store/file_backend.h"
#include "store/file_cache.h"
#include "store/internal.h"
#include "store/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NEW_MARK "new:"

/* ---- directories ---- */

bool directory_has_files_of(const char *directory, bool uri) {
    char *path = path_join(directory, uri ? PLACE_ID_FILE : STORE_DATABASE);
    bool there = access(path, F_OK) == 0;
    free(path);
    return there;
}

bool directory_suits(const char *directory, bool uri, Error *error) {
    if (uri && directory_has_files_of(directory, false))
        return error_set(error,
                         "%s has its own database, " STORE_DATABASE
                         "; choose another data directory for a store on PostgreSQL",
                         directory);
    if (!uri && directory_has_files_of(directory, true))
        return error_set(error,
                         "%s has the files of a store on PostgreSQL; name its database with "
                         "--store, and use pg_dump to back it up",
                         directory);
    return true;
}

bool is_same_directory(const char *one, const char *other) {
    struct stat first;
    struct stat second;
    return strcmp(one, other) == 0 ||
           (stat(one, &first) == 0 && stat(other, &second) == 0 && first.st_dev == second.st_dev &&
            first.st_ino == second.st_ino);
}

/* ---- opening ---- */

bool store_files_are_in_directory(const char *files) {
    return strcmp(files, "database") != 0 && !strstr(files, "://");
}

/* Opens the place that --files names. */
static FilePlace *open_elsewhere(Store *store, const char *name, Error *error) {
    if (strcmp(name, "database") == 0)
        return file_table_open(store, error);
    if (strncmp(name, "s3://", 5) == 0)
        return file_s3_open(store, name, error);
    if (!name[0] || !store_files_are_in_directory(name)) {
        const char *scheme = strstr(name, "://");
        /* What follows the scheme may contain a password. */
        error_set(error,
                  "\"%.*s\" is not a place for files; name a directory, \"database\", or a bucket "
                  "as s3://BUCKET",
                  scheme ? (int)(scheme - name) + 3 : 0, name);
        return NULL;
    }
    if (directory_has_files_of(name, false)) {
        error_set(error,
                  "%s is the data directory of another store; choose another directory for files",
                  name);
        return NULL;
    }
    return file_directory_open(name, true);
}

bool place_open(Store *store, const char *name, Error *error) {
    store->files_elsewhere = name && !is_same_directory(name, store->directory);
    store->files = store->files_elsewhere ? open_elsewhere(store, name, error)
                                          : file_directory_open(store->directory, false);
    if (store->files)
        store->files->watch = store->watch;
    return store->files != NULL;
}

bool place_prepare(Store *store, int64_t cache_bytes, Error *error) {
    FilePlace *place = store->files;
    if (!place->backend->open) {
        char *path = path_join(store->directory, "file-cache");
        place->cache = file_cache_open(path, cache_bytes, error);
        free(path);
        if (!place->cache)
            return false;
    }
    return store->read_only || place->backend->make(place, error);
}

void place_close(FilePlace *place) {
    if (!place)
        return;
    file_cache_close(place->cache);
    place->backend->close(place);
}

/* ---- binding ---- */

static bool is_foreign(const Store *store, Error *error) {
    error_set(error,
              store->files_elsewhere
                  ? "%s does not have the files of this store; name the place that it was created "
                    "with, or an empty one for a new store"
              : database_is_uri(store->database)
                  ? "%s is not the data directory of this store; use the one that it was created "
                    "with, which has its files, or name their place with --files"
                  : "%s does not have the files of this store; name their place with --files",
              store->files->name);
    return true;
}

/* Whether the id of the place matches `known`, the database's id, which may be marked as new. */
static bool is_ours(const Store *store, const char *known, const char *id, Error *error) {
    Slice rest = slice_of(known);
    bool fits =
        slice_skip(&rest, NEW_MARK) ? !id[0] || slice_equals(rest, id) : strcmp(known, id) == 0;
    return fits || !is_foreign(store, error);
}

static bool refuse_unknown(const FilePlace *place, Error *error) {
    return error_set(error, "%s has files of an unknown store; choose an empty place", place->name);
}

/* Rejects a database and a place, both without an id, that cannot begin a store together, because
   one of them already has files. */
static void check_empty(Transaction *transaction, FilePlace *place) {
    Error error;
    bool empty = false;
    if (sql_number(transaction, "SELECT count(*) FROM (" NAMED_FILES ") AS named", NULL, 0))
        transaction_reject(transaction, STORE_REJECTED,
                           "the files of this store are in its data directory, not in %s; start "
                           "without --files",
                           place->name);
    else if (!place->backend->is_empty(place, &empty, &error))
        transaction_reject(transaction, STORE_FAILED, "%s", error.text);
    else if (!empty && !refuse_unknown(place, &error))
        transaction_reject(transaction, STORE_REJECTED, "%s", error.text);
}

static void read_setting(Transaction *transaction, Buffer *known) {
    buffer_clear(known);
    sql_text(transaction, "SELECT value FROM settings WHERE name = ?1",
             VALUES(as_text(PLACE_ID_SETTING)), known);
    buffer_string(known);
}

/* The first step: creates an id unless the database has one. */
static void begin_binding(Transaction *transaction, FilePlace *place, const Buffer *known) {
    if (known->length)
        return;
    check_empty(transaction, place);
    unsigned char bytes[PLACE_ID_SIZE / 2];
    char id[PLACE_ID_SIZE];
    char marked[sizeof NEW_MARK + sizeof id];
    randombytes_buf(bytes, sizeof bytes);
    sodium_bin2hex(id, sizeof id, bytes, sizeof bytes);
    snprintf(marked, sizeof marked, NEW_MARK "%s", id);
    sql_run(transaction, "INSERT INTO settings (name, value) VALUES (?1, ?2)",
            VALUES(as_text(PLACE_ID_SETTING), as_text(marked)));
}

/* The second and third step: gives the place the id, and removes the mark. */
static void finish_binding(Transaction *transaction, FilePlace *place, const char *known,
                           const char *id) {
    Slice rest = slice_of(known);
    Error error;
    if (transaction->result != STORE_OK || !slice_skip(&rest, NEW_MARK))
        return;
    if (!id[0] && !place->backend->write_id(place, rest.at, &error))
        transaction_reject(transaction, STORE_FAILED, "%s", error.text);
    sql_run(transaction, "UPDATE settings SET value = ?2 WHERE name = ?1",
            VALUES(as_text(PLACE_ID_SETTING), as_slice(rest)));
}

/* Another process may be binding the same store, so both ids are read again inside transactions
   that write alone. */
static bool bind_in_steps(Store *store, char id[PLACE_ID_SIZE], Buffer *known, Error *error) {
    FilePlace *place = store->files;
    Error reason;
    Transaction transaction = transaction_write(store, error);
    read_setting(&transaction, known);
    if (!known->length && id[0] && is_foreign(store, &reason))
        transaction_reject(&transaction, STORE_REJECTED, "%s", reason.text);
    begin_binding(&transaction, place, known);
    if (transaction_end(&transaction) != STORE_OK)
        return false;
    transaction = transaction_write(store, error);
    read_setting(&transaction, known);
    if (transaction.result == STORE_OK && !place->backend->read_id(place, id, &reason))
        transaction_reject(&transaction, STORE_FAILED, "%s", reason.text);
    if (transaction.result == STORE_OK && !is_ours(store, known->data, id, &reason))
        transaction_reject(&transaction, STORE_REJECTED, "%s", reason.text);
    finish_binding(&transaction, place, known->data, id);
    return transaction_end(&transaction) == STORE_OK;
}

/* Reads the ids of the database and of the place. The database of a new store has none yet. */
static bool read_ids(Store *store, bool is_new, Buffer *known, char id[PLACE_ID_SIZE],
                     Error *error) {
    buffer_string(known);
    if (!is_new) {
        Transaction transaction = transaction_read(store, error);
        read_setting(&transaction, known);
        if (transaction_end(&transaction) != STORE_OK)
            return false;
    }
    return store->files->backend->read_id(store->files, id, error);
}

/* Whether the files are next to an SQLite database, which needs no id. */
static bool is_together(const Store *store) {
    return !database_is_uri(store->database) && !store->files_elsewhere;
}

/* Whether a new store can begin in a place without an id. If the place has files by now, another
   process may be beginning the same store. It writes the id before the first file, so a place with
   files but without an id belongs to an unknown store. */
static bool can_begin(Store *store, Error *error) {
    char id[PLACE_ID_SIZE];
    FilePlace *place = store->files;
    bool empty;
    return place->backend->is_empty(place, &empty, error) &&
           (empty ||
            (place->backend->read_id(place, id, error) && (id[0] || refuse_unknown(place, error))));
}

bool place_check(Store *store, bool is_new, Error *error) {
    char id[PLACE_ID_SIZE];
    Buffer known = {0};
    bool good = read_ids(store, is_new, &known, id, error);
    if (good && known.length)
        good = is_ours(store, known.data, id, error);
    else if (good && id[0])
        good = !is_foreign(store, error);
    else if (good && is_new && !is_together(store))
        good = can_begin(store, error);
    buffer_free(&known);
    return good;
}

bool place_bind(Store *store, Error *error) {
    char id[PLACE_ID_SIZE];
    Buffer known = {0};
    bool good = read_ids(store, false, &known, id, error);
    /* Does not write unless it must, because this also runs for read-only stores. */
    if (good && (known.length || is_together(store) || store->read_only))
        good = is_ours(store, known.data, id, error);
    if (good && !store->read_only && !is_together(store) &&
        (!known.length || strncmp(known.data, NEW_MARK, strlen(NEW_MARK)) == 0))
        good = bind_in_steps(store, id, &known, error);
    buffer_free(&known);
    return good;
}
