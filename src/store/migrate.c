/* See migrate.h.

   The source is read in one snapshot. No arena can use either place meanwhile, because this process
   holds the lock of a data directory, or the leader's lock on PostgreSQL. */
#include "store/migrate.h"

#include "base/path.h"
#include "store/migrate_internal.h"
#include "store/schema.h"
#include "store/store.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

enum { TEMPORARY_DEPTH = 3 };

#define CACHE_BYTES (INT64_C(64) << 20)

/* The source or the target. */
typedef struct Side {
    const StorePlace *place;
    bool uri;
    const char *directory;
    char *temporary; /* a directory for a store without a data directory; NULL: it has one */
    int lock;
    Store *store;
} Side;

/* ---- opening ---- */

/* Sets the side's data directory. For a store on PostgreSQL, this is the directory of its files. If
   its files are not in a directory, creates a temporary one for the cache of files. */
static bool find_directory(Side *side, Error *error) {
    const StorePlace *place = side->place;
    if (!side->uri || store_files_are_in_directory(place->files)) {
        side->directory = side->uri ? place->files : place->store;
        return true;
    }
    const char *parent = getenv("TMPDIR");
    side->temporary = path_join(parent && parent[0] ? parent : "/tmp", "skirmish-migrate-XXXXXX");
    if (!mkdtemp(side->temporary)) {
        error_set(error, "cannot create the directory %s: %s", side->temporary, strerror(errno));
        free(side->temporary);
        side->temporary = NULL;
        return false;
    }
    side->directory = side->temporary;
    return true;
}

static bool open_side(Side *side, bool read_only, Error *error) {
    StoreOptions options = {.directory = side->directory,
                            .database = side->uri ? side->place->store : NULL,
                            .files = side->place->files,
                            .file_cache = CACHE_BYTES,
                            .read_only = read_only};
    side->store = store_open(&options, error);
    return side->store != NULL;
}

static bool close_side(Side *side, Error *error) {
    bool good = store_close(side->store, error);
    if (side->lock >= 0)
        close(side->lock);
    if (side->temporary)
        directory_remove(side->temporary, TEMPORARY_DEPTH);
    free(side->temporary);
    return good;
}

/* Keeps arenas from starting with this data directory. A backup has no lock file and needs none,
   because no arena uses it. */
static bool lock_source(Side *from, Error *error) {
    char *path = path_join(from->directory, "lock");
    from->lock = open(path, O_RDONLY | O_CLOEXEC);
    free(path);
    return from->lock < 0 || flock(from->lock, LOCK_SH | LOCK_NB) == 0 ||
           error_set(error, "%s is in use by another Skirmish process; stop the arena first",
                     from->directory);
}

/* Rejects a source of any other version, because the copy would lack data that this program does
   not know. */
static bool check_source(const Side *from, Error *error) {
    Database *reader = store_take_reader(from->store, error);
    bool good = reader &&
                (schema_is_own(reader, error) || error_prefix(error, "%s", database_path(reader)));
    if (reader)
        store_return_reader(from->store, reader);
    return good;
}

static bool open_source(Side *from, Error *error) {
    if (!from->uri && !directory_has_files_of(from->place->store, false) &&
        !directory_has_files_of(from->place->store, true))
        return error_set(error,
                         "%s is not the data directory of an arena; name the one that `skirmish "
                         "serve --data` uses, or the URI of a PostgreSQL database",
                         from->place->store);
    return find_directory(from, error) && (from->uri || lock_source(from, error)) &&
           open_side(from, true, error) && check_source(from, error);
}

/* Rejects an unsuitable target before anything is created or upgraded. */
static bool check_target(const Side *to, Error *error) {
    DatabaseStamp stamp;
    if (!to->uri && !directory_has_files_of(to->place->store, false))
        return true;
    char *path = to->uri ? NULL : path_join(to->place->store, STORE_DATABASE);
    Database *database =
        database_open(to->uri ? to->place->store : path, DATABASE_READER, false, error);
    free(path);
    bool good =
        database && database_read_stamp(database, &stamp, error) &&
        (stamp.empty ||
         ((schema_is_own(database, error) || error_prefix(error, "%s", database_path(database))) &&
          (database_query_number(database, "SELECT count(*) FROM accounts") <= 0 ||
           error_set(error, MIGRATE_NOT_EMPTY))));
    database_close(database);
    return good;
}

static bool are_same(const StorePlace *from, const StorePlace *to) {
    bool uri = database_is_uri(from->store);
    return strcmp(from->store, to->store) == 0 ||
           (!uri && !database_is_uri(to->store) && is_same_directory(from->store, to->store));
}

/* ---- copying ---- */

static void begin_source(Transaction *from, const Side *side) {
    if (from->result == STORE_OK && side->uri && !leader_keep_out(from->database))
        transaction_reject(from, STORE_REJECTED,
                           "an arena is running on the database to copy from; stop it first");
    transaction_snapshot(from);
}

/* Disables the timeout for idle transactions, because the connection of one side waits while the
   other side works. */
static void allow_waiting(Transaction *transaction) {
    Error error;
    if (transaction->result == STORE_OK &&
        database_engine(transaction->database) == ENGINE_POSTGRES &&
        !database_script(transaction->database, "SET LOCAL idle_in_transaction_session_timeout = 0",
                         &error))
        transaction_reject(transaction, STORE_FAILED, "%s", error.text);
}

/* Copies the files that rows name. */
static void copy_files(Transaction *from, const RowQuery *query, Store *to, StoreMigrated *migrated,
                       MigrateCounts *counts) {
    Error error;
    uint64_t total =
        (uint64_t)sql_number(from, "SELECT count(*) FROM (" NAMED_FILES ") AS named", NULL, 0);
    RowReader reader = row_reader_start(from, query);
    while (row_reader_next(&reader)) {
        StoreFile file;
        row_read(from, 0, (const Field[]){TEXT_OF(StoreFile, name), {0}}, &file);
        if (migrated && !migrated("files", counts->files, total))
            transaction_reject(from, STORE_FAILED, MIGRATE_INTERRUPTED);
        else if (!place_copy_file(from->store->files, to->files, &file, &error))
            transaction_reject(from, STORE_FAILED, "%s", error.text);
        else
            counts->files++;
    }
}

static StoreResult copy(const Side *source, const Side *target, const Catalog *catalog,
                        const RowQuery *files, StoreMigrated *migrated, MigrateCounts *counts,
                        Error *error) {
    Transaction from = transaction_read(source->store, error);
    begin_source(&from, source);
    allow_waiting(&from);
    copy_files(&from, files, target->store, migrated, counts);
    if (from.result != STORE_OK)
        return transaction_end(&from);
    Transaction to = transaction_write(target->store, error);
    allow_waiting(&to);
    catalog_check_empty(catalog, &to);
    catalog_copy(catalog, &from, &to, migrated, counts);
    if (from.result != STORE_OK) /* `error` already has its message */
        to.result = from.result;
    transaction_end(&from);
    return transaction_end(&to);
}

StoreResult store_migrate(const StorePlace *from, const StorePlace *to, StoreMigrated *migrated,
                          MigrateCounts *counts, Error *error) {
    *counts = (MigrateCounts){0};
    if (are_same(from, to)) {
        error_set(error, "source and destination are the same; name another destination");
        return STORE_REJECTED;
    }
    Side source = {.place = from, .uri = database_is_uri(from->store), .lock = -1};
    Side target = {.place = to, .uri = database_is_uri(to->store), .lock = -1};
    RowQuery files = row_query_make("named_files", NAMED_FILES);
    Catalog *catalog = catalog_load(error);
    StoreResult result = catalog ? STORE_REJECTED : STORE_FAILED;
    if (catalog && open_source(&source, error) && check_target(&target, error) &&
        find_directory(&target, error) && open_side(&target, false, error))
        result = copy(&source, &target, catalog, &files, migrated, counts, error);
    close_side(&source, NULL);
    if (!close_side(&target, result == STORE_OK ? error : NULL) && result == STORE_OK)
        result = STORE_FAILED;
    catalog_free(catalog);
    row_query_free(&files);
    return result;
}
