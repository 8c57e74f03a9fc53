/* See files.h. */
#include "store/files.h"

#include "base/memory.h"
#include "base/path.h"
#include "store/internal.h"
#include "store/store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HASH_BYTES = 32, CHUNK = 256 * 1024, FOLDERS = STORE_SWEEP_PARTS - 1 };

static const char temporary_prefix[] = "new-";

/* "DIRECTORY/files/ab/abcdef..."; the caller frees it. */
static char *path_of(const char *directory, const char *name) {
    Buffer path = {0};
    buffer_format(&path, "%s/files/%.2s/%s", directory, name, name);
    buffer_string(&path);
    return path.data;
}

static bool is_name(const char *name) {
    return strlen(name) == (size_t)HASH_BYTES * 2 &&
           strspn(name, "0123456789abcdef") == (size_t)HASH_BYTES * 2;
}

/* ---- directories ---- */

bool directory_sync(const char *path, Error *error) {
    int directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool good = directory >= 0 && fsync(directory) == 0;
    if (!good)
        error_set(error, "cannot sync %s: %s", path, strerror(errno));
    if (directory >= 0)
        close(directory);
    return good;
}

bool directory_make(const char *path, Error *error) {
    if (mkdir(path, 0700) == 0) {
        Buffer parent = {0};
        buffer_format(&parent, "%s/..", path);
        bool good = directory_sync(buffer_string(&parent), error);
        buffer_free(&parent);
        return good;
    }
    struct stat status;
    if (errno == EEXIST && stat(path, &status) == 0) {
        if (S_ISDIR(status.st_mode))
            return true;
        errno = ENOTDIR;
    }
    return error_set(error, "cannot create the directory %s: %s", path, strerror(errno));
}

bool files_make(const char *directory, Error *error) {
    char *files = path_join(directory, "files");
    bool good = directory_make(files, error);
    for (unsigned i = 0; good && i < FOLDERS; i++) {
        char name[16];
        snprintf(name, sizeof name, "files/%02x", i);
        char *path = path_join(directory, name);
        if (mkdir(path, 0700) != 0 && errno != EEXIST)
            good = error_set(error, "cannot create the directory %s: %s", path, strerror(errno));
        free(path);
    }
    good = good && directory_sync(files, error);
    free(files);
    return good;
}

int files_lock(const char *directory, bool shared, Error *error) {
    char *path = path_join(directory, "files");
    int lock = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int failed = lock < 0 ? -1 : flock(lock, shared ? LOCK_SH : LOCK_EX | LOCK_NB);
    int result = lock;
    if (failed) {
        result = lock >= 0 && errno == EWOULDBLOCK ? FILES_BUSY : -1;
        error_set(error, "cannot lock %s: %s", path, strerror(errno));
        if (lock >= 0)
            close(lock);
    }
    free(path);
    return result;
}

/* ---- writing ---- */

/* A file that is being written, under a temporary name. */
typedef struct Draft {
    char *path;
    int fd;
    int64_t size;
    crypto_generichash_state hash;
} Draft;

static bool draft_open(Draft *draft, const char *directory, Error *error) {
    *draft = (Draft){.path = path_join(directory, "files/new-XXXXXX")};
    crypto_generichash_init(&draft->hash, NULL, 0, HASH_BYTES);
    draft->fd = mkostemp(draft->path, O_CLOEXEC);
    return draft->fd >= 0 ||
           error_set(error, "cannot write to %s/files: %s", directory, strerror(errno));
}

static bool draft_write(Draft *draft, const char *bytes, size_t count, Error *error) {
    crypto_generichash_update(&draft->hash, (const unsigned char *)bytes, count);
    draft->size += (int64_t)count;
    while (count) {
        ssize_t written = write(draft->fd, bytes, count);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return error_set(error, "cannot write a file in the store: %s",
                             errno == ENOSPC || errno == EDQUOT ? "the disk is full"
                                                                : strerror(errno));
        bytes += written;
        count -= (size_t)written;
    }
    return true;
}

/* Copies `fd` from its beginning. It is read by position, which leaves its offset alone. */
static bool draft_copy(Draft *draft, int fd, Error *error) {
    char *chunk = xmalloc(CHUNK);
    bool good = true;
    for (;;) {
        ssize_t count = pread(fd, chunk, CHUNK, draft->size);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            good = error_set(error, "cannot read a file: %s", strerror(errno));
        if (count <= 0 || !(good = draft_write(draft, chunk, (size_t)count, error)))
            break;
    }
    free(chunk);
    return good;
}

/* Syncs the content and computes its name. */
static bool draft_finish(Draft *draft, StoreFile *file, Error *error) {
    unsigned char hash[HASH_BYTES];
    crypto_generichash_final(&draft->hash, hash, sizeof hash);
    sodium_bin2hex(file->name, sizeof file->name, hash, sizeof hash);
    return fsync(draft->fd) == 0 ||
           error_set(error, "cannot write a file in the store: %s", strerror(errno));
}

/* Renames the file to its final name. A file that exists already stays, and counts as used now. A
   lock, if given, is held only for that. */
static bool draft_settle(Draft *draft, const char *directory, const StoreFile *file,
                         pthread_mutex_t *lock, Error *error) {
    char *path = path_of(directory, file->name);
    char *folder = slice_copy((Slice){path, strlen(path) - strlen(file->name) - 1});
    struct stat status;
    if (lock)
        pthread_mutex_lock(lock);
    bool there = stat(path, &status) == 0 && status.st_size == draft->size &&
                 utimensat(AT_FDCWD, path, NULL, 0) == 0;
    bool good = there || rename(draft->path, path) == 0 ||
                error_set(error, "cannot write %s: %s", path, strerror(errno));
    if (lock)
        pthread_mutex_unlock(lock);
    if (good && !there) {
        free(draft->path);
        draft->path = NULL;
    }
    /* Also if it existed already: its writer may not have synced it yet. */
    good = good && directory_sync(folder, error);
    free(folder);
    free(path);
    return good;
}

static void draft_close(Draft *draft) {
    if (draft->fd >= 0) {
        close(draft->fd);
        if (draft->path)
            unlink(draft->path);
    }
    free(draft->path);
}

static StoreResult put(Store *store, Slice bytes, int fd, StoreFile *file, int64_t *size,
                       Error *error) {
    if (store->read_only) {
        error_set(error, "the store is open for reading only");
        return STORE_FAILED;
    }
    Draft draft;
    bool good = draft_open(&draft, store->directory, error) &&
                (fd < 0 ? draft_write(&draft, bytes.at, bytes.length, error)
                        : draft_copy(&draft, fd, error)) &&
                draft_finish(&draft, file, error) &&
                draft_settle(&draft, store->directory, file, &store->files, error);
    if (good && size)
        *size = draft.size;
    draft_close(&draft);
    return good ? STORE_OK : STORE_FAILED;
}

StoreResult store_file_put(Store *store, Slice bytes, StoreFile *file, Error *error) {
    return put(store, bytes, -1, file, NULL, error);
}

StoreResult store_file_put_fd(Store *store, int fd, StoreFile *file, int64_t *size, Error *error) {
    return put(store, (Slice){0}, fd, file, size, error);
}

bool files_copy(const char *from, const char *to, const char *name, Error *error) {
    if (!is_name(name))
        return error_set(error, "\"%.80s\" is not a valid file name", name);
    char *path = path_of(from, name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    Draft draft = {.fd = -1};
    StoreFile file;
    bool good = fd >= 0 || error_set(error, "cannot read %s: %s", path, strerror(errno));
    good = good && draft_open(&draft, to, error) && draft_copy(&draft, fd, error) &&
           draft_finish(&draft, &file, error);
    if (good && strcmp(file.name, name) != 0)
        good = error_set(error, "%s is damaged: its content does not match its name", path);
    good = good && draft_settle(&draft, to, &file, NULL, error);
    draft_close(&draft);
    if (fd >= 0)
        close(fd);
    free(path);
    return good;
}

/* ---- reading ---- */

bool files_has(const char *directory, const StoreFile *file) {
    if (!file->name[0])
        return true;
    if (!is_name(file->name))
        return false;
    char *path = path_of(directory, file->name);
    bool there = access(path, F_OK) == 0;
    free(path);
    return there;
}

bool store_file_exists(const Store *store, const StoreFile *file) {
    return file->name[0] && files_has(store->directory, file);
}

StoreResult files_need(Store *store, const StoreFile *file, Error *error) {
    if (files_has(store->directory, file))
        return STORE_OK;
    error_set(error, "the store has no file %.64s", file->name);
    return STORE_REJECTED;
}

int store_file_open(Store *store, const StoreFile *file, int64_t *size, Error *error) {
    if (!is_name(file->name)) {
        error_set(error, "\"%.64s\" is not a valid file name", file->name);
        return -1;
    }
    char *path = path_of(store->directory, file->name);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    struct stat status = {0};
    if (fd < 0 || fstat(fd, &status) != 0)
        error_set(error, "cannot open the file %s: %s", file->name, strerror(errno));
    else if (size)
        *size = status.st_size;
    free(path);
    return fd;
}

StoreResult store_file_read(Store *store, const StoreFile *file, Buffer *to, Error *error) {
    int64_t size = 0;
    int fd = store_file_open(store, file, &size, error);
    if (fd < 0)
        return STORE_NOT_FOUND;
    char *at = buffer_reserve(to, (size_t)size);
    int64_t done = 0;
    ssize_t count = 1;
    while (done < size && count > 0) {
        count = read(fd, at + done, (size_t)(size - done));
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

/* Deletes a file if it is old, under the lock that store_file_put uses to mark it. */
static bool remove_old(Store *store, const char *path, int64_t before) {
    struct stat status;
    pthread_mutex_lock(&store->files);
    bool removed =
        stat(path, &status) == 0 && S_ISREG(status.st_mode) &&
        (int64_t)status.st_mtim.tv_sec * 1000 + status.st_mtim.tv_nsec / 1000000 <= before &&
        unlink(path) == 0;
    pthread_mutex_unlock(&store->files);
    return removed;
}

static bool is_named(Transaction *transaction, const char *name) {
    return sql_number(transaction,
                      "SELECT EXISTS (SELECT 1 FROM versions WHERE source = ?1 AND source <> '') "
                      "OR EXISTS (SELECT 1 FROM versions WHERE product = ?1 AND product <> '') "
                      "OR EXISTS (SELECT 1 FROM matches WHERE replay = ?1 AND replay <> '') "
                      "OR EXISTS (SELECT 1 FROM seats WHERE source = ?1 AND source <> '')",
                      VALUES(as_text(name))) != 0;
}

/* `folder` is "files", which has the unfinished files, or one of its folders. */
static void sweep_folder(Transaction *transaction, const char *folder, int64_t before,
                         uint32_t *count) {
    char *path = path_join(transaction->store->directory, folder);
    DIR *directory = opendir(path);
    struct dirent *entry;
    while (directory && transaction->result == STORE_OK && (entry = readdir(directory))) {
        bool draft = strncmp(entry->d_name, temporary_prefix, sizeof temporary_prefix - 1) == 0;
        if (!draft && (!is_name(entry->d_name) || is_named(transaction, entry->d_name)))
            continue;
        char *file = path_join(path, entry->d_name);
        if (transaction->result == STORE_OK && remove_old(transaction->store, file, before))
            ++*count;
        free(file);
    }
    if (directory)
        closedir(directory);
    free(path);
}

/* A part is a folder of files; the last part is "files" itself, with the unfinished files. */
StoreResult store_files_sweep_part(Store *store, uint32_t part, int64_t age, uint32_t *count,
                                   Error *error) {
    *count = 0;
    if (store->read_only) {
        error_set(error, "the store is open for reading only");
        return STORE_FAILED;
    }
    int lock = files_lock(store->directory, false, error);
    if (lock < 0)
        return lock == FILES_BUSY ? STORE_OK : STORE_FAILED;
    char folder[16] = "files";
    if (part < FOLDERS)
        snprintf(folder, sizeof folder, "files/%02x", part);
    Transaction transaction = transaction_read(store, error);
    sweep_folder(&transaction, folder, store_now(store) - age, count);
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
