/* See backup.h. A backup is an ordinary data directory without a write-ahead log: a store can be
   opened on it.

   The order matters: first a snapshot of the database, then the files that this copy names. The
   lock prevents sweeps meanwhile. */
#include "store/backup.h"

#include "base/path.h"
#include "store/file_backend.h"
#include "store/internal.h"
#include "store/schema.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- directories ---- */

static bool is_empty(const char *path) {
    DIR *directory = opendir(path);
    bool empty = directory != NULL;
    struct dirent *entry;
    while (empty && (entry = readdir(directory)))
        empty = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
    if (directory)
        closedir(directory);
    return empty;
}

void directory_remove(const char *path, int depth) {
    DIR *directory = depth > 0 ? opendir(path) : NULL;
    struct dirent *entry;
    while (directory && (entry = readdir(directory))) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        char *below = path_join(path, entry->d_name);
        if (unlink(below) != 0)
            directory_remove(below, depth - 1);
        free(below);
    }
    if (directory)
        closedir(directory);
    rmdir(path);
}

/* ---- copying ---- */

/* The source of a copy. */
typedef struct Original {
    Database *database;
    const char *directory; /* whose lock keeps files from being swept */
    FilePlace *files;
} Original;

/* Copies the database. The files of the copy are next to it, wherever the original has them, so the
   copy needs no id of a place. */
static bool copy_database(Database *from, const char *directory, Error *error) {
    char *path = path_join(directory, STORE_DATABASE);
    Database *to = database_open(path, DATABASE_PLAIN, false, error);
    bool good = to && database_copy(from, to, error) &&
                database_script(to,
                                "PRAGMA journal_mode = DELETE; "
                                "DELETE FROM settings WHERE name = '" PLACE_ID_SETTING "'",
                                error) &&
                database_check(to, error);
    database_close(to);
    int file = good ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (good && (file < 0 || fsync(file) != 0))
        good = error_set(error, "cannot sync %s: %s", path, strerror(errno));
    if (file >= 0)
        close(file);
    free(path);
    return good;
}

static bool count_files(Database *copy, uint64_t *total) {
    bool good = database_start(copy, "SELECT count(*) FROM (" NAMED_FILES ") AS named", NULL, 0) &&
                database_step(copy) == STEP_ROW;
    *total = good ? (uint64_t)database_number(copy, 0) : 0;
    return good && database_step(copy) == STEP_DONE;
}

/* Copies the files that the copied database names. */
static bool copy_files(FilePlace *from, FilePlace *to, const char *directory, StoreCopied *copied,
                       Error *error) {
    uint64_t done = 0;
    uint64_t total = 0;
    char *path = path_join(directory, STORE_DATABASE);
    Database *copy = database_open(path, DATABASE_READER, false, error);
    free(path);
    if (!copy)
        return false;
    bool good = count_files(copy, &total) && database_start(copy, NAMED_FILES, NULL, 0);
    if (!good)
        database_error(copy, error);
    Step step = STEP_FAILED;
    while (good && (step = database_step(copy)) == STEP_ROW) {
        StoreFile file;
        Slice text = database_text(copy, 0);
        snprintf(file.name, sizeof file.name, "%.*s", (int)text.length, text.at);
        good = place_copy_file(from, to, &file, error);
        done++;
        if (copied)
            copied(done, total);
    }
    if (good && step != STEP_DONE) {
        database_error(copy, error);
        good = false;
    }
    database_close(copy);
    return good;
}

static bool copy_all(const Original *from, const char *to, StoreCopied *copied, Error *error) {
    if (copied)
        copied(0, 0);
    int lock = files_lock(from->directory, true, error);
    if (lock < 0)
        return false;
    FilePlace *files = file_directory_open(to, false);
    bool good = files->backend->make(files, error) && copy_database(from->database, to, error) &&
                copy_files(from->files, files, to, copied, error) && directory_sync(to, error);
    place_close(files);
    close(lock);
    return good;
}

/* Copies to another name first, so that the final name always belongs to a complete copy. */
static bool copy_whole(const Original *from, const char *to, StoreCopied *copied, Error *error) {
    Buffer part = {0};
    buffer_text(&part, to);
    while (part.length > 1 && part.data[part.length - 1] == '/')
        part.length--;
    buffer_text(&part, ".part");
    const char *path = buffer_string(&part);
    bool good = mkdir(path, 0700) == 0 ||
                error_set(error, "cannot create the directory %s: %s", path, strerror(errno));
    if (good) {
        good = copy_all(from, path, copied, error) &&
               (rename(path, to) == 0 ||
                error_set(error, "cannot rename %s to %s: %s", path, to, strerror(errno)));
        if (!good)
            directory_remove(path, 3);
    }
    if (good) {
        Buffer parent = {0};
        buffer_format(&parent, "%s/..", to);
        good = directory_sync(buffer_string(&parent), error);
        buffer_free(&parent);
    }
    buffer_free(&part);
    return good;
}

/* ---- backup and restore ---- */

StoreResult store_backup(Store *store, const char *path, StoreCopied *copied, Error *error) {
    if (access(path, F_OK) == 0) {
        error_set(error, "%s exists already; choose a new directory for the backup", path);
        return STORE_REJECTED;
    }
    Database *reader = store_take_reader(store, error);
    if (!reader)
        return STORE_FAILED;
    bool good =
        copy_whole(&(Original){reader, store->directory, store->files}, path, copied, error);
    store_return_reader(store, reader);
    return good || error_prefix(error, "the backup failed") ? STORE_OK : STORE_FAILED;
}

StoreResult store_restore(const char *path, const char *directory, StoreCopied *copied,
                          Error *error) {
    if (access(directory, F_OK) == 0 && !is_empty(directory)) {
        error_set(error, "%s is not empty; choose an empty directory to restore into", directory);
        return STORE_REJECTED;
    }
    char *database = path_join(path, STORE_DATABASE);
    Database *from = database_open(database, DATABASE_READER, false, error);
    FilePlace *files = file_directory_open(path, false);
    free(database);
    bool good = from && (schema_is_known(from, error) || error_prefix(error, "%s", path)) &&
                copy_whole(&(Original){from, path, files}, directory, copied, error);
    place_close(files);
    database_close(from);
    return good || error_prefix(error, "restoring failed") ? STORE_OK : STORE_FAILED;
}
