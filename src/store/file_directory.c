/* Files in a directory, as PLACE/files/ab/abcdef...; see file_backend.h. The directory may be on a
   network file system that several machines share.

   A file is written under a temporary name, synced and renamed, and its folder is synced. Its
   modification time records when it was last used. Marking a file as used and deleting it are
   mutually exclusive: between threads by a mutex, between processes by a lock on
   PLACE/files/lock. */
#include "base/memory.h"
#include "base/path.h"
#include "store/file_backend.h"
#include "store/internal.h"
#include "store/store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FOLDERS = STORE_SWEEP_PARTS - 1 };

static const char temporary_prefix[] = "new-";

typedef struct FileDirectory {
    FilePlace base;
    char *path;
    bool shared;
    pthread_mutex_t using; /* held while a file is marked as used, or found old and deleted */
    int lock;              /* locked for the same purpose between processes; -1 unless `shared` */
} FileDirectory;

static FileDirectory *directory_of(FilePlace *place) {
    return (FileDirectory *)place;
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

static bool make_folders(const FileDirectory *directory, Error *error) {
    char *files = path_join(directory->path, "files");
    bool good = directory_make(directory->path, error) && directory_make(files, error);
    for (unsigned i = 0; good && i < FOLDERS; i++) {
        char name[16];
        snprintf(name, sizeof name, "%02x", i);
        char *path = path_join(files, name);
        if (mkdir(path, 0700) != 0 && errno != EEXIST)
            good = error_set(error, "cannot create the directory %s: %s", path, strerror(errno));
        free(path);
    }
    good = good && directory_sync(files, error);
    free(files);
    return good;
}

static bool directory_prepare(FilePlace *place, Error *error) {
    FileDirectory *directory = directory_of(place);
    if (!make_folders(directory, error))
        return false;
    if (!directory->shared)
        return true;
    char *path = path_join(directory->path, "files/lock");
    directory->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    bool good =
        directory->lock >= 0 || error_set(error, "cannot open %s: %s", path, strerror(errno));
    free(path);
    return good;
}

static void directory_close(FilePlace *place) {
    FileDirectory *directory = directory_of(place);
    if (directory->lock >= 0)
        close(directory->lock);
    pthread_mutex_destroy(&directory->using);
    free(directory->path);
    free(place->name);
    free(directory);
}

/* ---- the id ---- */

static bool directory_read_id(FilePlace *place, char id[PLACE_ID_SIZE], Error *error) {
    memset(id, 0, PLACE_ID_SIZE);
    char *path = path_join(directory_of(place)->path, PLACE_ID_FILE);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    bool good = file >= 0 || errno == ENOENT ||
                error_set(error, "cannot open %s: %s", path, strerror(errno));
    if (file >= 0) {
        good = read(file, id, PLACE_ID_SIZE - 1) == PLACE_ID_SIZE - 1 ||
               error_set(error, "cannot read %s: it is damaged", path);
        close(file);
    }
    free(path);
    return good;
}

/* Writes the id to a temporary file first, because a place with a partial id would be unusable. */
static bool directory_write_id(FilePlace *place, const char *id, Error *error) {
    const char *directory = directory_of(place)->path;
    char *path = path_join(directory, PLACE_ID_FILE);
    char *draft = path_join(directory, PLACE_ID_FILE ".new");
    bool made = directory_make(directory, error);
    int file = made ? open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600) : -1;
    bool good = file >= 0 && write(file, id, PLACE_ID_SIZE - 1) == PLACE_ID_SIZE - 1 &&
                fsync(file) == 0 && rename(draft, path) == 0;
    if (made && !good)
        error_set(error, "cannot write %s: %s", path, strerror(errno));
    if (file >= 0)
        close(file);
    good = good && directory_sync(directory, error);
    free(draft);
    free(path);
    return good;
}

static void note_any(void *context, const char *name) {
    (void)name;
    *(bool *)context = false;
}

static bool directory_list(FilePlace *place, uint32_t part, int64_t before, FileVisitor *visit,
                           void *context, Error *error);

static bool directory_is_empty(FilePlace *place, bool *empty, Error *error) {
    *empty = true;
    bool good = true;
    for (uint32_t part = 0; good && *empty && part < FOLDERS; part++)
        good = directory_list(place, part, 0, note_any, empty, error);
    return good;
}

/* ---- writing ---- */

/* "PLACE/files/ab/abcdef...", or "PLACE/files/new-abcdef" for an unfinished file. The caller frees
   it. */
static char *path_of(const FileDirectory *directory, const char *name) {
    Buffer path = {0};
    if (file_is_name(name))
        buffer_format(&path, "%s/files/%.2s/%s", directory->path, name, name);
    else
        buffer_format(&path, "%s/files/%s", directory->path, name);
    buffer_string(&path);
    return path.data;
}

/* Takes the locks for marking or deleting a file. A failure must not be ignored, because without
   them a file that is in use could be deleted. */
static bool begin_using(FileDirectory *directory, Error *error) {
    pthread_mutex_lock(&directory->using);
    int failed;
    do
        failed = directory->lock >= 0 ? flock(directory->lock, LOCK_EX) : 0;
    while (failed && errno == EINTR);
    if (!failed)
        return true;
    error_set(error, "cannot lock %s/files/lock: %s", directory->path, strerror(errno));
    pthread_mutex_unlock(&directory->using);
    return false;
}

static void end_using(FileDirectory *directory) {
    if (directory->lock >= 0)
        flock(directory->lock, LOCK_UN);
    pthread_mutex_unlock(&directory->using);
}

/* Marks a file as used now; false if it does not exist with this size. */
static bool mark(const char *path, int64_t size) {
    struct stat status;
    return stat(path, &status) == 0 && status.st_size == size &&
           utimensat(AT_FDCWD, path, NULL, 0) == 0;
}

/* Renames a finished draft to the file's name. If the file was stored meanwhile, marks it as used
   and deletes the draft instead. */
static bool settle(FileDirectory *directory, const char *draft, const char *path, int64_t size,
                   Error *error) {
    if (!begin_using(directory, error))
        return false;
    bool there = mark(path, size);
    bool good = there || rename(draft, path) == 0 ||
                error_set(error, "cannot write %s: %s", path, strerror(errno));
    end_using(directory);
    if (there)
        unlink(draft);
    return good;
}

static bool write_new(FileDirectory *directory, FileSource *source, const char *path,
                      Error *error) {
    char *draft = path_join(directory->path, "files/new-XXXXXX");
    int fd = mkostemp(draft, O_CLOEXEC);
    bool good = fd >= 0 ||
                error_set(error, "cannot write to %s/files: %s", directory->path, strerror(errno));
    good = good && file_write(fd, source, error) &&
           (fsync(fd) == 0 ||
            error_set(error, "cannot write a file in the store: %s", strerror(errno))) &&
           settle(directory, draft, path, source->size, error);
    if (fd >= 0) {
        close(fd);
        if (!good)
            unlink(draft);
    }
    free(draft);
    return good;
}

static bool directory_put(FilePlace *place, FileSource *source, Error *error) {
    FileDirectory *directory = directory_of(place);
    if (!begin_using(directory, error))
        return false;
    char *path = path_of(directory, source->file.name);
    bool there = mark(path, source->size);
    end_using(directory);
    bool good = there || write_new(directory, source, path, error);
    /* Sync the folder even if the file already existed: its writer may not have done so yet. */
    char *folder = slice_copy((Slice){path, strlen(path) - strlen(source->file.name) - 1});
    good = good && directory_sync(folder, error);
    free(folder);
    free(path);
    return good;
}

/* ---- reading ---- */

static FileResult directory_has(FilePlace *place, const char *name, Error *error) {
    char *path = path_of(directory_of(place), name);
    FileResult result = access(path, F_OK) == 0 ? FILE_FOUND
                        : errno == ENOENT       ? FILE_MISSING
                                                : FILE_FAILED;
    if (result == FILE_FAILED)
        error_set(error, "cannot find the file %s: %s", name, strerror(errno));
    free(path);
    return result;
}

static int directory_open(FilePlace *place, const char *name, FileResult *result, Error *error) {
    char *path = path_of(directory_of(place), name);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    *result = fd >= 0 ? FILE_FOUND : errno == ENOENT ? FILE_MISSING : FILE_FAILED;
    if (fd < 0)
        error_set(error, "cannot open the file %s: %s", name, strerror(errno));
    free(path);
    return fd;
}

/* ---- sweeping ---- */

/* A part is a folder of files; the last part is "files" itself, with the unfinished files. */
static bool directory_list(FilePlace *place, uint32_t part, int64_t before, FileVisitor *visit,
                           void *context, Error *error) {
    (void)before;
    char folder[16] = "files";
    if (part < FOLDERS)
        snprintf(folder, sizeof folder, "files/%02x", part);
    char *path = path_join(directory_of(place)->path, folder);
    DIR *directory = opendir(path);
    struct dirent *entry;
    bool good = directory || errno == ENOENT ||
                error_set(error, "cannot list %s: %s", path, strerror(errno));
    while (directory && (entry = readdir(directory)))
        if (file_is_name(entry->d_name) ||
            strncmp(entry->d_name, temporary_prefix, sizeof temporary_prefix - 1) == 0)
            visit(context, entry->d_name);
    if (directory)
        closedir(directory);
    free(path);
    return good;
}

/* Opens the file because on a network file system this is what fetches the current modification
   time from the server. */
static bool directory_remove_old(FilePlace *place, const char *name, int64_t before, bool *removed,
                                 Error *error) {
    FileDirectory *directory = directory_of(place);
    *removed = false;
    if (!begin_using(directory, error))
        return false;
    char *path = path_of(directory, name);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    struct stat status;
    *removed = fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode) &&
               (int64_t)status.st_mtim.tv_sec * 1000 + status.st_mtim.tv_nsec / 1000000 <= before &&
               unlink(path) == 0;
    if (fd >= 0)
        close(fd);
    free(path);
    end_using(directory);
    return true;
}

static const FileBackend directory_backend = {
    .close = directory_close,
    .make = directory_prepare,
    .read_id = directory_read_id,
    .write_id = directory_write_id,
    .is_empty = directory_is_empty,
    .put = directory_put,
    .has = directory_has,
    .open = directory_open,
    .list = directory_list,
    .remove_old = directory_remove_old,
};

FilePlace *file_directory_open(const char *path, bool shared) {
    FileDirectory *directory = xcalloc(1, sizeof *directory);
    directory->base = (FilePlace){.backend = &directory_backend, .name = xstrdup(path)};
    directory->path = xstrdup(path);
    directory->shared = shared;
    directory->lock = -1;
    pthread_mutex_init(&directory->using, NULL);
    return &directory->base;
}
