/* See file_cache.h. */
#include "store/file_cache.h"

#include "base/memory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct FileCache {
    char *path;
    int directory;
    int64_t most;
    pthread_mutex_t lock;
    int64_t bytes; /* of all copies; also counts copies that another process has deleted since */
};

/* A copy, when it was last used, and its size. */
typedef struct CachedFile {
    int64_t used;
    int64_t size;
    char *name;
} CachedFile;

static int compare_used(const void *one, const void *other) {
    int64_t a = ((const CachedFile *)one)->used;
    int64_t b = ((const CachedFile *)other)->used;
    return a < b ? -1 : a > b;
}

/* Lists all copies and sets `bytes` to their size. The caller frees the copies and their names. */
static size_t list_copies(FileCache *cache, CachedFile **copies) {
    size_t count = 0;
    size_t capacity = 0;
    int own = openat(cache->directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *list = own >= 0 ? fdopendir(own) : NULL;
    struct dirent *found;
    *copies = NULL;
    cache->bytes = 0;
    while (list && (found = readdir(list))) {
        struct stat about;
        if (found->d_name[0] == '.' ||
            fstatat(cache->directory, found->d_name, &about, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        if (count == capacity) {
            capacity = capacity ? 2 * capacity : 64;
            *copies = xreallocarray(*copies, capacity, sizeof **copies);
        }
        int64_t used = (int64_t)about.st_mtim.tv_sec * 1000000000 + about.st_mtim.tv_nsec;
        (*copies)[count++] = (CachedFile){used, about.st_size, xstrdup(found->d_name)};
        cache->bytes += about.st_size;
    }
    if (list)
        closedir(list);
    return count;
}

/* Deletes the least recently used copies until the others have at most `most` bytes. */
static void shrink(FileCache *cache, int64_t most) {
    CachedFile *copies;
    size_t count = list_copies(cache, &copies);
    if (count)
        qsort(copies, count, sizeof *copies, compare_used);
    for (size_t i = 0; i < count; i++) {
        if (cache->bytes > most && unlinkat(cache->directory, copies[i].name, 0) == 0)
            cache->bytes -= copies[i].size;
        free(copies[i].name);
    }
    free(copies);
}

FileCache *file_cache_open(const char *directory, int64_t most, Error *error) {
    FileCache *cache = xcalloc(1, sizeof *cache);
    cache->path = xstrdup(directory);
    cache->most = most;
    pthread_mutex_init(&cache->lock, NULL);
    if (mkdir(directory, 0700) != 0 && errno != EEXIST)
        cache->directory = -1;
    else
        cache->directory = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (cache->directory < 0) {
        error_set(error, "cannot create the directory %s: %s", directory, strerror(errno));
        file_cache_close(cache);
        return NULL;
    }
    shrink(cache, most);
    return cache;
}

void file_cache_close(FileCache *cache) {
    if (!cache)
        return;
    if (cache->directory >= 0)
        close(cache->directory);
    pthread_mutex_destroy(&cache->lock);
    free(cache->path);
    free(cache);
}

int file_cache_get(FileCache *cache, const char *name) {
    int fd = openat(cache->directory, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (fd >= 0)
        futimens(fd, NULL);
    return fd;
}

int file_cache_create(FileCache *cache, Error *error) {
    int fd = open(cache->path, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd < 0)
        error_set(error, "cannot create a file in %s: %s", cache->path, strerror(errno));
    return fd;
}

/* Adds a copy. If the cache is full, shrinks it to three quarters, so that not every new copy has
   to list all others. */
static void add(FileCache *cache, const char *link, int64_t size, const char *name) {
    pthread_mutex_lock(&cache->lock);
    if (linkat(AT_FDCWD, link, cache->directory, name, AT_SYMLINK_FOLLOW) == 0) {
        cache->bytes += size;
        if (cache->bytes > cache->most)
            shrink(cache, cache->most / 4 * 3);
    }
    pthread_mutex_unlock(&cache->lock);
}

int file_cache_keep(FileCache *cache, int fd, const char *name, Error *error) {
    struct stat about;
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    if (fstat(fd, &about) == 0 && about.st_size <= cache->most)
        add(cache, link, about.st_size, name);
    int reader = open(link, O_RDONLY | O_CLOEXEC);
    if (reader < 0)
        error_set(error, "cannot open a file in %s: %s", cache->path, strerror(errno));
    close(fd);
    return reader;
}

void file_cache_drop(FileCache *cache, const char *name) {
    unlinkat(cache->directory, name, 0);
}
