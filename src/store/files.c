/* See files.h. The places for files are behind file_backend.h. */
#include "store/files.h"

#include "store/file_backend.h"
#include "store/internal.h"
#include "store/store.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

int files_lock(const char *directory, bool shared, Error *error) {
    int lock = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int failed = lock < 0 ? -1 : flock(lock, shared ? LOCK_SH : LOCK_EX | LOCK_NB);
    if (!failed)
        return lock;
    int result = lock >= 0 && errno == EWOULDBLOCK ? FILES_BUSY : -1;
    error_set(error, "cannot lock %s: %s", directory, strerror(errno));
    if (lock >= 0)
        close(lock);
    return result;
}

static bool is_usable(const Store *store, bool writes, Error *error) {
    if (writes && store->read_only)
        return error_set(error, "the store is open for reading only");
    return store->files || error_set(error, "the store is open without its files");
}

/* ---- writing ---- */

static StoreResult put(Store *store, FileSource *source, StoreFile *file, int64_t *size,
                       Error *error) {
    if (!is_usable(store, true, error) || !source_measure(source, error) ||
        !place_put(store->files, source, error))
        return STORE_FAILED;
    *file = source->file;
    if (size)
        *size = source->size;
    return STORE_OK;
}

StoreResult store_file_put(Store *store, Slice bytes, StoreFile *file, Error *error) {
    return put(store, &(FileSource){.bytes = bytes, .fd = -1}, file, NULL, error);
}

StoreResult store_file_put_fd(Store *store, int fd, StoreFile *file, int64_t *size, Error *error) {
    return put(store, &(FileSource){.fd = fd}, file, size, error);
}

/* ---- reading ---- */

/* STORE_REJECTED unless the file exists. */
static StoreResult find(const Store *store, const StoreFile *file, Error *error) {
    if (!is_usable(store, false, error))
        return STORE_FAILED;
    FileResult found =
        file_is_name(file->name) ? place_has(store->files, file->name, error) : FILE_MISSING;
    if (found == FILE_MISSING)
        error_set(error, "the store has no file %.64s", file->name);
    return found == FILE_FOUND ? STORE_OK : found == FILE_MISSING ? STORE_REJECTED : STORE_FAILED;
}

bool store_file_exists(const Store *store, const StoreFile *file) {
    return file->name[0] && find(store, file, NULL) == STORE_OK;
}

StoreResult files_need(Store *store, const StoreFile *file, Error *error) {
    return file->name[0] ? find(store, file, error) : STORE_OK;
}

static int open_file(Store *store, const StoreFile *file, int64_t *size, FileResult *result,
                     Error *error) {
    *result = FILE_FAILED;
    return is_usable(store, false, error) ? place_open_file(store->files, file, size, result, error)
                                          : -1;
}

int store_file_open(Store *store, const StoreFile *file, int64_t *size, Error *error) {
    FileResult result;
    return open_file(store, file, size, &result, error);
}

StoreResult store_file_read(Store *store, const StoreFile *file, Buffer *to, Error *error) {
    FileResult result;
    int64_t size = 0;
    int fd = open_file(store, file, &size, &result, error);
    if (fd < 0)
        return result == FILE_MISSING ? STORE_NOT_FOUND : STORE_FAILED;
    char *at = buffer_reserve(to, (size_t)size);
    int64_t done = 0;
    ssize_t count = 1;
    while (done < size && count > 0) {
        count = pread(fd, at + done, (size_t)(size - done), done);
        done += count > 0 ? count : 0;
    }
    close(fd);
    if (done < size) {
        error_set(error, "cannot read the file %s: %s", file->name,
                  count < 0 ? strerror(errno) : "it is shorter than expected");
        return STORE_FAILED;
    }
    to->length += (size_t)size;
    return STORE_OK;
}

/* ---- sweeping ---- */

static bool is_named(Transaction *transaction, const char *name) {
    return sql_number(transaction,
                      "SELECT EXISTS (SELECT 1 FROM versions WHERE source = ?1 AND source <> '') "
                      "OR EXISTS (SELECT 1 FROM versions WHERE product = ?1 AND product <> '') "
                      "OR EXISTS (SELECT 1 FROM matches WHERE replay = ?1 AND replay <> '') "
                      "OR EXISTS (SELECT 1 FROM seats WHERE source = ?1 AND source <> '')",
                      VALUES(as_text(name))) != 0;
}

typedef struct FileSweep {
    Transaction *transaction;
    FilePlace *place;
    int64_t before;
    uint32_t count;
} FileSweep;

/* Checks first whether a row names the file and then whether it is old, because a file that is
   stored and named in between is no longer old. */
static void sweep_file(void *context, const char *name) {
    FileSweep *sweep = context;
    Error error;
    bool removed;
    if (sweep->transaction->result != STORE_OK ||
        (file_is_name(name) && is_named(sweep->transaction, name)) ||
        sweep->transaction->result != STORE_OK)
        return;
    if (!place_remove_old(sweep->place, name, sweep->before, &removed, &error))
        transaction_reject(sweep->transaction, STORE_FAILED, "%s", error.text);
    else if (removed)
        sweep->count++;
}

StoreResult store_files_sweep_part(Store *store, uint32_t part, int64_t age, uint32_t *count,
                                   Error *error) {
    *count = 0;
    if (!is_usable(store, true, error))
        return STORE_FAILED;
    int lock = files_lock(store->directory, false, error);
    if (lock < 0)
        return lock == FILES_BUSY ? STORE_OK : STORE_FAILED;
    Transaction transaction = transaction_read(store, error);
    FileSweep sweep = {&transaction, store->files, store_now(store) - age, 0};
    Error reason;
    if (!store->files->backend->list(store->files, part, sweep.before, sweep_file, &sweep, &reason))
        transaction_reject(&transaction, STORE_FAILED, "%s", reason.text);
    *count = sweep.count;
    close(lock);
    return transaction_end(&transaction);
}

StoreResult store_files_sweep(Store *store, int64_t age, uint32_t *count, Error *error) {
    StoreResult result = STORE_OK;
    *count = 0;
    for (uint32_t part = 0; result == STORE_OK && part < STORE_SWEEP_PARTS; part++) {
        uint32_t found;
        result = store_files_sweep_part(store, part, age, &found, error);
        *count += found;
    }
    return result;
}
