/* See file_backend.h: content and its name, and verified reading. */
#include "store/file_backend.h"

#include "base/clock.h"
#include "base/memory.h"
#include "store/file_cache.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool file_is_name(const char *name) {
    size_t length = (size_t)FILE_HASH_BYTES * 2;
    return strlen(name) == length && strspn(name, "0123456789abcdef") == length;
}

/* ---- content ---- */

static ssize_t read_source(FileSource *source, char *to, size_t room, Error *error) {
    ssize_t count;
    if (source->fd < 0) {
        size_t rest = source->bytes.length - (size_t)source->at;
        count = (ssize_t)(rest < room ? rest : room);
        if (count)
            memcpy(to, source->bytes.at + source->at, (size_t)count);
    } else {
        do
            count = pread(source->fd, to, room, source->at);
        while (count < 0 && errno == EINTR);
        if (count < 0)
            error_set(error, "cannot read a file: %s", strerror(errno));
    }
    if (count > 0) {
        crypto_generichash_update(&source->hash, (const unsigned char *)to, (size_t)count);
        source->at += count;
    }
    return count;
}

void source_rewind(FileSource *source) {
    source->at = 0;
    crypto_generichash_init(&source->hash, NULL, 0, FILE_HASH_BYTES);
}

static void name_content(FileSource *source, StoreFile *file) {
    unsigned char hash[FILE_HASH_BYTES];
    crypto_generichash_final(&source->hash, hash, sizeof hash);
    sodium_bin2hex(file->name, sizeof file->name, hash, sizeof hash);
}

bool source_measure(FileSource *source, Error *error) {
    char *chunk = xmalloc(FILE_CHUNK);
    ssize_t count;
    source_rewind(source);
    do
        count = read_source(source, chunk, FILE_CHUNK, error);
    while (count > 0);
    free(chunk);
    source->size = source->at;
    name_content(source, &source->file);
    return count == 0;
}

ssize_t source_read(FileSource *source, char *to, size_t room, Error *error) {
    ssize_t count = read_source(source, to, room, error);
    StoreFile file = {0};
    if (count != 0)
        return count;
    name_content(source, &file);
    if (strcmp(file.name, source->file.name) == 0)
        return 0;
    error_set(error, "a file changed while it was stored; try again");
    return -1;
}

/* Computes the name and the size of a descriptor's content. */
static bool measure_file(int fd, StoreFile *file, int64_t *size, Error *error) {
    FileSource source = {.fd = fd};
    if (!source_measure(&source, error))
        return false;
    *file = source.file;
    *size = source.size;
    return true;
}

/* ---- writing ---- */

bool file_write_bytes(int fd, const char *bytes, size_t count, Error *error) {
    while (count) {
        ssize_t written = write(fd, bytes, count);
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

bool file_write(int fd, FileSource *source, Error *error) {
    char *chunk = xmalloc(FILE_CHUNK);
    ssize_t count;
    bool good = true;
    source_rewind(source);
    while (good && (count = source_read(source, chunk, FILE_CHUNK, error)) != 0)
        good = count > 0 && file_write_bytes(fd, chunk, (size_t)count, error);
    free(chunk);
    return good;
}

/* ---- listing ---- */

void file_visit_lines(const Buffer *names, FileVisitor *visit, void *context) {
    Slice rest = {names->data, names->length};
    Slice line;
    while (slice_line(&rest, &line)) {
        char *name = slice_copy(line);
        visit(context, name);
        free(name);
    }
}

/* ---- requests ---- */

static void report(const FilePlace *place, StoreWork work, int64_t began, bool failed) {
    watch_worked(&place->watch, work, clock_now() - began, failed);
}

bool place_put(FilePlace *place, FileSource *source, Error *error) {
    int64_t began = clock_now();
    bool good = place->backend->put(place, source, error);
    report(place, WORK_FILE_PUT, began, !good);
    return good;
}

FileResult place_has(FilePlace *place, const char *name, Error *error) {
    int64_t began = clock_now();
    FileResult result = place->backend->has(place, name, error);
    report(place, WORK_FILE_HAS, began, result == FILE_FAILED);
    return result;
}

bool place_remove_old(FilePlace *place, const char *name, int64_t before, bool *removed,
                      Error *error) {
    int64_t began = clock_now();
    bool good = place->backend->remove_old(place, name, before, removed, error);
    report(place, WORK_FILE_DELETE, began, !good);
    return good;
}

/* ---- reading ---- */

/* Whether the content of a descriptor matches its name. */
static bool is_intact(FilePlace *place, const StoreFile *file, int fd, int64_t *size,
                      Error *error) {
    StoreFile found;
    int64_t length;
    if (!measure_file(fd, &found, &length, error))
        return false;
    if (size)
        *size = length;
    return strcmp(found.name, file->name) == 0 ||
           error_set(error, "the file %s in %s is damaged: its content does not match its name",
                     file->name, place->name);
}

/* Fetches a file into the cache. *damaged: a file was received, but its content does not match its
   name. */
static int fetch(FilePlace *place, const StoreFile *file, int64_t *size, FileResult *result,
                 bool *damaged, Error *error) {
    int fd = file_cache_create(place->cache, error);
    int64_t began = clock_now();
    *result = fd < 0 ? FILE_FAILED : place->backend->fetch(place, file->name, fd, error);
    *damaged = *result == FILE_FOUND && !is_intact(place, file, fd, size, error);
    if (*damaged)
        *result = FILE_FAILED;
    report(place, WORK_FILE_GET, began, *result == FILE_FAILED);
    if (*result == FILE_FOUND) {
        int reader = file_cache_keep(place->cache, fd, file->name, error);
        *result = reader >= 0 ? FILE_FOUND : FILE_FAILED;
        return reader;
    }
    if (*result == FILE_MISSING)
        error_set(error, "the store has no file %s", file->name);
    if (fd >= 0)
        close(fd);
    return -1;
}

static int open_near(FilePlace *place, const StoreFile *file, int64_t *size, FileResult *result,
                     Error *error) {
    int64_t began = clock_now();
    int fd = place->backend->open(place, file->name, result, error);
    if (fd >= 0 && !is_intact(place, file, fd, size, error)) {
        *result = FILE_FAILED;
        close(fd);
        fd = -1;
    }
    report(place, WORK_FILE_GET, began, *result == FILE_FAILED);
    return fd;
}

/* Opens a file of a remote place. A damaged copy in the cache is fetched again. So is a damaged
   download, once. */
static int open_far(FilePlace *place, const StoreFile *file, int64_t *size, FileResult *result,
                    Error *error) {
    int fd = file_cache_get(place->cache, file->name);
    bool hit = fd >= 0 && is_intact(place, file, fd, size, error);
    watch_happened(&place->watch, hit ? EVENT_CACHE_HIT : EVENT_CACHE_MISS, 1);
    if (hit) {
        *result = FILE_FOUND;
        return fd;
    }
    if (fd >= 0) {
        close(fd);
        file_cache_drop(place->cache, file->name);
    }
    bool damaged;
    fd = fetch(place, file, size, result, &damaged, error);
    return damaged ? fetch(place, file, size, result, &damaged, error) : fd;
}

int place_open_file(FilePlace *place, const StoreFile *file, int64_t *size, FileResult *result,
                    Error *error) {
    if (file_is_name(file->name))
        return (place->cache ? open_far : open_near)(place, file, size, result, error);
    *result = FILE_MISSING;
    error_set(error, "\"%.64s\" is not a valid file name", file->name);
    return -1;
}

bool place_copy_file(FilePlace *from, FilePlace *to, const StoreFile *file, Error *error) {
    FileResult result;
    FileSource source = {.file = *file};
    source.fd = place_open_file(from, file, &source.size, &result, error);
    if (source.fd < 0)
        return false;
    bool good = place_put(to, &source, error);
    close(source.fd);
    return good;
}
