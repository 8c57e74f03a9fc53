/* See store.h: opening and closing, and the pools of connections. */
#include "store/store.h"

#include "base/memory.h"
#include "base/path.h"
#include "store/file_backend.h"
#include "store/internal.h"
#include "store/schema.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

enum { CHECKPOINT_PAGES = 2000 }; /* about 8 MB of log */

enum { DEAD_JOBS = 500 }; /* rows; thousands of dead rows make leasing slower */

#define FILE_CACHE_BYTES (INT64_C(1) << 30)

/* Expired tokens stay in their owner's list for a month. */
#define EXPIRED_KEPT_MS (30 * INT64_C(86400000))

bool store_counts_later(const Store *store) {
    return database_is_uri(store->database);
}

/* ---- pools of connections ---- */

static void pool_init(ConnectionPool *pool, DatabaseKind kind, bool relaxed, uint32_t most) {
    *pool = (ConnectionPool){.kind = kind, .relaxed = relaxed, .most = most};
    pthread_cond_init(&pool->returned, NULL);
}

static void pool_close(ConnectionPool *pool) {
    for (uint32_t i = 0; i < pool->idle_count; i++)
        database_close(pool->idle[i]);
    pthread_cond_destroy(&pool->returned);
}

Database *pool_take(Store *store, ConnectionPool *pool, Error *error) {
    Database *database = NULL;
    pthread_mutex_lock(&store->pools);
    while (!pool->idle_count && pool->open == pool->most)
        pthread_cond_wait(&pool->returned, &store->pools);
    if (pool->idle_count)
        database = pool->idle[--pool->idle_count];
    else
        pool->open++;
    pthread_mutex_unlock(&store->pools);
    if (database)
        return database;
    database = database_open(store->database, pool->kind, pool->relaxed, error);
    if (!database) {
        pthread_mutex_lock(&store->pools);
        pool->open--;
        pthread_cond_signal(&pool->returned);
        pthread_mutex_unlock(&store->pools);
    }
    return database;
}

void pool_return(Store *store, ConnectionPool *pool, Database *database) {
    pthread_mutex_lock(&store->pools);
    pool->idle[pool->idle_count++] = database;
    pthread_cond_signal(&pool->returned);
    pthread_mutex_unlock(&store->pools);
}

/* ---- opening ---- */

static bool take_lock(Store *store, Error *error) {
    char *path = path_join(store->directory, "lock");
    store->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    bool good = store->lock >= 0;
    if (!good)
        error_set(error, "cannot open %s: %s", path, strerror(errno));
    else if (flock(store->lock, LOCK_EX | LOCK_NB) != 0)
        good = error_set(error,
                         errno == EWOULDBLOCK ? "%s is in use by another Skirmish process"
                                              : "cannot lock %s",
                         store->directory);
    free(path);
    return good;
}

/* The name of a database for messages, without the password of a URI. */
static const char *name_of(const Store *store, Database *database) {
    return database_engine(database) == ENGINE_SQLITE ? store->database : database_path(database);
}

static int64_t cache_bytes(const StoreOptions *options) {
    return options->file_cache ? options->file_cache : FILE_CACHE_BYTES;
}

/* Whether the database has no tables yet; `writer` is NULL if it is a file. */
static bool is_new(const Store *store, Database *writer) {
    DatabaseStamp stamp;
    if (!writer)
        return access(store->database, F_OK) != 0;
    return database_read_stamp(writer, &stamp, NULL) && stamp.empty;
}

/* Whether the database has a store of this version, and the place has its files. */
static bool can_join(Store *store, const StoreOptions *options, Database *writer, Error *error) {
    if (!writer)
        return error_set(error, "only a store on PostgreSQL can be shared; name it with --store");
    return (schema_is_current(writer, error) ||
            error_prefix(error, "%s", name_of(store, writer))) &&
           place_open(store, options->files, error) && place_bind(store, error);
}

/* Whether the place for the files belongs to the database. If the first check fails, another
   process may have created the store in the meantime, so checks again. */
static bool has_its_place(Store *store, Database *writer, bool create, Error *error) {
    return place_check(store, create, error) ||
           (writer && !is_new(store, writer) && place_check(store, false, error));
}

/* Checks the database and the place for files before anything is created or upgraded, so that a
   failure leaves no traces. On PostgreSQL, connects and sets *writer. */
static bool check_before(Store *store, const StoreOptions *options, Database **writer,
                         Error *error) {
    bool uri = database_is_uri(store->database);
    if (uri && !(*writer = store_take_writer(store, false, error)))
        return false;
    if (!directory_suits(store->directory, uri, error))
        return false;
    if (options->joins)
        return can_join(store, options, *writer, error);
    bool create = is_new(store, *writer);
    if (*writer && !create && !schema_is_known(*writer, error))
        return error_prefix(error, "%s", name_of(store, *writer));
    if (options->without_files)
        return true;
    /* An existing SQLite file is checked later: it cannot be read before the lock is held and its
       log is recovered. */
    return place_open(store, options->files, error) &&
           ((!*writer && !create) || has_its_place(store, *writer, create, error));
}

static bool open_to_write(Store *store, const StoreOptions *options, Error *error) {
    Database *writer = NULL;
    bool good = check_before(store, options, &writer, error) &&
                directory_make(store->directory, error) && take_lock(store, error) &&
                (writer || (writer = store_take_writer(store, false, error))) &&
                (options->joins || schema_migrate(writer, schema_steps, schema_version, error) ||
                 error_prefix(error, "%s", name_of(store, writer)));
    if (writer)
        store_return_writer(store, writer, false);
    return good && (options->without_files || ((options->joins || place_bind(store, error)) &&
                                               place_prepare(store, cache_bytes(options), error)));
}

static bool open_to_read(Store *store, const StoreOptions *options, Error *error) {
    if (!directory_suits(store->directory, database_is_uri(store->database), error))
        return false;
    Database *reader = store_take_reader(store, error);
    if (!reader)
        return false;
    bool good =
        schema_is_current(reader, error) || error_prefix(error, "%s", name_of(store, reader));
    store_return_reader(store, reader);
    return good && (options->without_files ||
                    (place_open(store, options->files, error) && place_bind(store, error) &&
                     place_prepare(store, cache_bytes(options), error)));
}

/* Whether the directory has a lock file. A store on PostgreSQL with its files elsewhere has nothing
   else in it. */
static bool has_lock(const char *directory) {
    char *path = path_join(directory, "lock");
    bool there = access(path, F_OK) == 0;
    free(path);
    return there;
}

bool store_is_there(const char *directory) {
    return directory_has_files_of(directory, false) || directory_has_files_of(directory, true) ||
           has_lock(directory);
}

bool store_is_in_use(const char *directory) {
    char *path = path_join(directory, "lock");
    int lock = open(path, O_RDONLY | O_CLOEXEC);
    bool in_use = lock >= 0 && flock(lock, LOCK_SH | LOCK_NB) != 0;
    if (lock >= 0)
        close(lock);
    free(path);
    return in_use;
}

Store *store_open(const StoreOptions *options, Error *error) {
    if (sodium_init() < 0) {
        error_set(error, "this machine has no source of random numbers");
        return NULL;
    }
    Store *store = xcalloc(1, sizeof *store);
    store->directory = xstrdup(options->directory);
    store->database = options->database ? xstrdup(options->database)
                                        : path_join(options->directory, STORE_DATABASE);
    store->lock = -1;
    store->read_only = options->read_only;
    store->watch = options->watch;
    store->checkpoint_at = CHECKPOINT_PAGES;
    pthread_mutex_init(&store->writing, NULL);
    pthread_mutex_init(&store->pools, NULL);
    bool uri = database_is_uri(store->database);
    store_clock_init(&store->clock, options->now, uri);
    pool_init(&store->readers, DATABASE_READER, false, READERS_MAX);
    pool_init(&store->writers, DATABASE_WRITER, options->relaxed, uri ? WRITERS_MAX : 1);
    pool_init(&store->file_writers, DATABASE_WRITER, false, FILE_WRITERS_MAX);
    bool good = options->read_only ? open_to_read(store, options, error)
                                   : open_to_write(store, options, error);
    if (good)
        return store;
    store_close(store, NULL);
    return NULL;
}

bool store_close(Store *store, Error *error) {
    if (!store)
        return true;
    leader_close(store);
    news_close(store);
    pool_close(&store->readers);
    bool good =
        !store->writers.idle_count || database_checkpoint(store->writers.idle[0], true, error);
    pool_close(&store->writers);
    pool_close(&store->file_writers);
    place_close(store->files);
    if (store->lock >= 0)
        close(store->lock);
    pthread_mutex_destroy(&store->writing);
    pthread_mutex_destroy(&store->pools);
    free(store->directory);
    free(store->database);
    free(store);
    return good;
}

/* ---- connections ---- */

Database *store_take_reader(Store *store, Error *error) {
    return pool_take(store, &store->readers, error);
}

void store_return_reader(Store *store, Database *reader) {
    pool_return(store, &store->readers, reader);
}

Database *store_take_writer(Store *store, bool alone, Error *error) {
    if (store->read_only) {
        error_set(error, "the store is open for reading only");
        return NULL;
    }
    if (alone)
        pthread_mutex_lock(&store->writing);
    Database *writer = pool_take(store, &store->writers, error);
    if (alone && !writer)
        pthread_mutex_unlock(&store->writing);
    return writer;
}

/* Makes a checkpoint when the log is long. As long as a reader prevents its reset, the log keeps
   growing, so the threshold rises too; otherwise every commit would make a futile checkpoint. */
static void checkpoint_if_due(Store *store, Database *writer) {
    uint32_t pages = database_wal_pages(writer);
    if (pages + CHECKPOINT_PAGES < store->checkpoint_at)
        store->checkpoint_at = CHECKPOINT_PAGES;
    if (pages >= store->checkpoint_at) {
        /* A failure will be reported by the next commit or when the store is closed. */
        database_checkpoint(writer, false, NULL);
        store->checkpoint_at = pages + CHECKPOINT_PAGES;
    }
}

void store_return_writer(Store *store, Database *writer, bool alone) {
    if (database_engine(writer) == ENGINE_SQLITE)
        checkpoint_if_due(store, writer);
    pool_return(store, &store->writers, writer);
    if (alone)
        pthread_mutex_unlock(&store->writing);
}

static void count_connections(const ConnectionPool *pool, StoreConnections *connections) {
    connections->open += pool->open;
    connections->used += pool->open - pool->idle_count;
}

StoreConnections store_connections(Store *store) {
    StoreConnections connections = {.reconnects = database_reconnects()};
    pthread_mutex_lock(&store->pools);
    count_connections(&store->readers, &connections);
    count_connections(&store->writers, &connections);
    count_connections(&store->file_writers, &connections);
    pthread_mutex_unlock(&store->pools);
    return connections;
}

/* ---- housekeeping ---- */

StoreResult store_tidy(Store *store, Error *error) {
    Transaction transaction = transaction_write(store, error);
    sql_run(&transaction, "DELETE FROM tokens WHERE expires BETWEEN 1 AND ?1",
            VALUES(as_number(store_now(store) - EXPIRED_KEPT_MS)));
    sql_run(&transaction, "DELETE FROM sessions WHERE expires <= ?1",
            VALUES(as_number(store_now(store))));
    workers_forget(&transaction);
    StoreResult result = transaction_end(&transaction);
    if (result != STORE_OK)
        return result;
    Database *writer = store_take_writer(store, true, error);
    if (!writer)
        return STORE_FAILED;
    if (!database_checkpoint(writer, true, error))
        result = STORE_FAILED;
    store->checkpoint_at = CHECKPOINT_PAGES;
    store_return_writer(store, writer, true);
    return result;
}

StoreResult store_tidy_queue(Store *store, Error *error) {
    if (!database_is_uri(store->database))
        return STORE_OK;
    Database *writer = store_take_writer(store, false, error);
    if (!writer)
        return STORE_FAILED;
    int64_t dead =
        database_query_number(writer, "SELECT pg_stat_get_dead_tuples('jobs'::regclass)");
    bool good = dead >= 0;
    if (!good)
        database_error(writer, error);
    else if (dead >= DEAD_JOBS)
        good = database_script(writer, "VACUUM (SKIP_LOCKED, TRUNCATE off) jobs", error);
    store_return_writer(store, writer, false);
    return good ? STORE_OK : STORE_FAILED;
}

StoreResult store_check(Store *store, Error *error) {
    Transaction transaction = transaction_read(store, error);
    if (transaction.result == STORE_OK && !database_check(transaction.database, error))
        transaction.result = STORE_FAILED;
    sql_query(&transaction, NAMED_FILES, NULL, 0);
    while (sql_row(&transaction)) {
        StoreFile file;
        row_read(&transaction, 0, (const Field[]){TEXT_OF(StoreFile, name), {0}}, &file);
        Error reason;
        StoreResult found = files_need(store, &file, &reason);
        if (found == STORE_REJECTED)
            transaction_reject(&transaction, STORE_FAILED,
                               "the store refers to the file %s, which is missing", file.name);
        else if (found != STORE_OK)
            transaction_reject(&transaction, STORE_FAILED, "%s", reason.text);
    }
    return transaction_end(&transaction);
}
