/* See store.h: opening and closing, the writer and the pool of readers. */
#include "store/store.h"

#include "base/memory.h"
#include "base/path.h"
#include "store/internal.h"
#include "store/schema.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

enum { CHECKPOINT_PAGES = 2000 }; /* about 8 MB of log */

/* Expired tokens stay in their owner's list for a month. */
#define EXPIRED_KEPT_MS (30 * INT64_C(86400000))

static int64_t machine_now(void) {
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

int64_t store_now(const Store *store) {
    return store->now();
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

/* What messages call a database: without the password of a URI. */
static const char *name_of(const Store *store, Database *database) {
    return database_engine(database) == ENGINE_SQLITE ? store->database : database_path(database);
}

static bool open_to_write(Store *store, bool relaxed, Error *error) {
    bool uri = database_is_uri(store->database);
    /* A database that cannot be used must not leave a new directory behind. */
    if (uri && !(store->writer = database_open(store->database, DATABASE_WRITER, relaxed, error)))
        return false;
    if (!directory_suits(store->directory, uri, error) ||
        !directory_make(store->directory, error) || !take_lock(store, error) ||
        !files_make(store->directory, error))
        return false;
    if (!uri)
        store->writer = database_open(store->database, DATABASE_WRITER, relaxed, error);
    return store->writer &&
           (schema_migrate(store->writer, schema_steps, schema_version, error) ||
            error_prefix(error, "%s", name_of(store, store->writer))) &&
           (!uri || directory_bind(store, error));
}

static bool open_to_read(Store *store, Error *error) {
    if (!directory_suits(store->directory, database_is_uri(store->database), error))
        return false;
    Database *reader = store_take_reader(store, error);
    if (!reader)
        return false;
    bool good =
        schema_is_current(reader, error) || error_prefix(error, "%s", name_of(store, reader));
    store_return_reader(store, reader);
    return good;
}

bool store_is_there(const char *directory) {
    return directory_has_files_of(directory, false) || directory_has_files_of(directory, true);
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
    store->now = options->now ? options->now : machine_now;
    store->checkpoint_at = CHECKPOINT_PAGES;
    pthread_mutex_init(&store->writing, NULL);
    pthread_mutex_init(&store->pool, NULL);
    pthread_mutex_init(&store->files, NULL);
    pthread_cond_init(&store->returned, NULL);
    bool good = options->read_only ? open_to_read(store, error)
                                   : open_to_write(store, options->relaxed, error);
    if (good)
        return store;
    store_close(store, NULL);
    return NULL;
}

bool store_close(Store *store, Error *error) {
    if (!store)
        return true;
    for (uint32_t i = 0; i < store->idle_count; i++)
        database_close(store->idle[i]);
    bool good = !store->writer || database_checkpoint(store->writer, true, error);
    database_close(store->writer);
    if (store->lock >= 0)
        close(store->lock);
    pthread_mutex_destroy(&store->writing);
    pthread_mutex_destroy(&store->pool);
    pthread_mutex_destroy(&store->files);
    pthread_cond_destroy(&store->returned);
    free(store->directory);
    free(store->database);
    free(store);
    return good;
}

/* ---- connections ---- */

Database *store_take_reader(Store *store, Error *error) {
    Database *reader = NULL;
    pthread_mutex_lock(&store->pool);
    while (!store->idle_count && store->readers == READERS_MAX)
        pthread_cond_wait(&store->returned, &store->pool);
    if (store->idle_count)
        reader = store->idle[--store->idle_count];
    else
        store->readers++;
    pthread_mutex_unlock(&store->pool);
    if (reader)
        return reader;
    reader = database_open(store->database, DATABASE_READER, false, error);
    if (!reader) {
        pthread_mutex_lock(&store->pool);
        store->readers--;
        pthread_cond_signal(&store->returned);
        pthread_mutex_unlock(&store->pool);
    }
    return reader;
}

void store_return_reader(Store *store, Database *reader) {
    pthread_mutex_lock(&store->pool);
    store->idle[store->idle_count++] = reader;
    pthread_cond_signal(&store->returned);
    pthread_mutex_unlock(&store->pool);
}

Database *store_take_writer(Store *store, Error *error) {
    if (store->read_only) {
        error_set(error, "the store is open for reading only");
        return NULL;
    }
    pthread_mutex_lock(&store->writing);
    return store->writer;
}

/* Makes a checkpoint when the log is long. While a reader keeps the log from being reset it only
   grows; the threshold then moves on, since a checkpoint at every commit would be wasted. */
void store_return_writer(Store *store) {
    uint32_t pages = database_wal_pages(store->writer);
    if (pages + CHECKPOINT_PAGES < store->checkpoint_at)
        store->checkpoint_at = CHECKPOINT_PAGES;
    if (pages >= store->checkpoint_at) {
        database_checkpoint(store->writer, false,
                            NULL); /* a failure shows at the next commit or at closing */
        store->checkpoint_at = pages + CHECKPOINT_PAGES;
    }
    pthread_mutex_unlock(&store->writing);
}

/* ---- housekeeping ---- */

StoreResult store_tidy(Store *store, Error *error) {
    Transaction transaction = transaction_write(store, error);
    sql_run(&transaction, "DELETE FROM tokens WHERE expires BETWEEN 1 AND ?1",
            VALUES(as_number(store_now(store) - EXPIRED_KEPT_MS)));
    sql_run(&transaction, "DELETE FROM sessions WHERE expires <= ?1",
            VALUES(as_number(store_now(store))));
    StoreResult result = transaction_end(&transaction);
    if (result != STORE_OK)
        return result;
    Database *writer = store_take_writer(store, error);
    if (!writer)
        return STORE_FAILED;
    if (!database_checkpoint(writer, true, error))
        result = STORE_FAILED;
    store->checkpoint_at = CHECKPOINT_PAGES;
    pthread_mutex_unlock(&store->writing);
    return result;
}

StoreResult store_check(Store *store, Error *error) {
    Transaction transaction = transaction_read(store, error);
    if (transaction.result == STORE_OK && !database_check(transaction.database, error))
        transaction.result = STORE_FAILED;
    sql_query(&transaction, NAMED_FILES, NULL, 0);
    while (sql_row(&transaction)) {
        StoreFile file;
        row_read(&transaction, 0, (const Field[]){TEXT_OF(StoreFile, name), {0}}, &file);
        if (!files_has(store->directory, &file))
            transaction_reject(&transaction, STORE_FAILED,
                               "the store refers to the file %s, which is missing", file.name);
    }
    return transaction_end(&transaction);
}
