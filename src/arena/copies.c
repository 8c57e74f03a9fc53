/* See copies.h. */
#include "arena/copies.h"

#include "arena/disk.h"
#include "base/memory.h"
#include "base/path.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A copy that is being made: on the stack of the thread that makes it. */
typedef struct Making {
    const char *name;
    struct Making *next;
} Making;

struct Copies {
    Arena *arena;
    char *path;
    int directory;
    pthread_mutex_t lock; /* of everything below */
    pthread_cond_t made;
    Making *making;
    int64_t bytes; /* of all copies */
    Metric *bytes_gauge;
    Metric *made_counter;
};

enum { NAME_SIZE = sizeof((StoreFile *)0)->name + 1 + COPY_KIND_SIZE };

/* ---- tidying ---- */

typedef struct ListedCopy {
    int64_t used; /* nanoseconds */
    int64_t size;
    char *name;
} ListedCopy;

static int compare_used(const void *one, const void *other) {
    const ListedCopy *a = one;
    const ListedCopy *b = other;
    return a->used < b->used ? -1 : a->used > b->used;
}

/* Lists the directory; returns the number of entries, which the caller frees with their names. */
static size_t list_copies(const Copies *copies, ListedCopy **entries) {
    size_t count = 0;
    size_t capacity = 0;
    DIR *list = opendir(copies->path);
    const struct dirent *found;
    *entries = NULL;
    while (list && (found = readdir(list))) {
        struct stat about;
        if (found->d_name[0] == '.' ||
            fstatat(copies->directory, found->d_name, &about, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        if (count == capacity) {
            capacity = capacity ? 2 * capacity : 64;
            *entries = xreallocarray(*entries, capacity, sizeof **entries);
        }
        int64_t used = (int64_t)about.st_mtim.tv_sec * 1000000000 + about.st_mtim.tv_nsec;
        (*entries)[count++] = (ListedCopy){used, about.st_size, xstrdup(found->d_name)};
    }
    if (list)
        closedir(list);
    return count;
}

/* Whether the store still has the replay that the copy was made from. */
static bool has_replay(const Copies *copies, const char *name) {
    StoreFile file = {0};
    size_t length = strcspn(name, "-");
    if (length >= sizeof file.name)
        return false;
    memcpy(file.name, name, length);
    return store_file_exists(copies->arena->store, &file);
}

/* Deletes copies whose replay is gone, and the oldest ones until at most `most` bytes are left. */
static void tidy(Copies *copies, int64_t most) {
    ListedCopy *entries;
    size_t count = list_copies(copies, &entries);
    int64_t bytes = 0;
    if (count)
        qsort(entries, count, sizeof *entries, compare_used);
    for (size_t i = 0; i < count; i++)
        bytes += entries[i].size;
    for (size_t i = 0; i < count; i++) {
        bool drop = bytes > most || !has_replay(copies, entries[i].name);
        if (drop && unlinkat(copies->directory, entries[i].name, 0) == 0)
            bytes -= entries[i].size;
        free(entries[i].name);
    }
    free(entries);
    copies->bytes = bytes;
    metric_set(copies->bytes_gauge, bytes);
}

void copies_tidy(Copies *copies) {
    if (!copies)
        return;
    pthread_mutex_lock(&copies->lock);
    tidy(copies, disk_is_low(copies->arena) ? 0 : COPIES_BYTES_MAX);
    pthread_mutex_unlock(&copies->lock);
}

/* ---- start and end ---- */

Copies *copies_new(Arena *arena, Error *error) {
    Copies *copies = xcalloc(1, sizeof *copies);
    copies->arena = arena;
    copies->path = path_join(arena->options.data, "copies");
    pthread_mutex_init(&copies->lock, NULL);
    pthread_cond_init(&copies->made, NULL);
    copies->bytes_gauge =
        metrics_gauge(arena->metrics, "skirmish_copies_bytes",
                      "Size of the copies of replays and their pictures.", NULL, NULL);
    copies->made_counter =
        metrics_counter(arena->metrics, "skirmish_copies_made_total",
                        "Copies of replays, and pictures, that were made.", NULL, NULL);
    if (mkdir(copies->path, 0700) != 0 && errno != EEXIST)
        error_set(error, "cannot create the directory %s: %s", copies->path, strerror(errno));
    else if ((copies->directory = open(copies->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0)
        error_set(error, "cannot open the directory %s: %s", copies->path, strerror(errno));
    else {
        tidy(copies, 0); /* copies are not synced: a crash may have left a partial one */
        return copies;
    }
    copies_free(copies);
    return NULL;
}

void copies_free(Copies *copies) {
    if (!copies)
        return;
    if (copies->directory >= 0)
        close(copies->directory);
    pthread_mutex_destroy(&copies->lock);
    pthread_cond_destroy(&copies->made);
    free(copies->path);
    free(copies);
}

/* ---- making ---- */

Replay *copies_replay(const Arena *arena, const StoreFile *file, Error *error) {
    int fd = store_file_open(arena->store, file, NULL, error);
    return fd < 0 ? NULL : replay_open_on("replay", fd, error);
}

/* Gives the unnamed file its name. Without a name, it is deleted when its reader closes it. */
static void keep(Copies *copies, int file, int64_t size, const char *name) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    pthread_mutex_lock(&copies->lock);
    metric_add(copies->made_counter, 1);
    if (!disk_is_low(copies->arena) &&
        linkat(AT_FDCWD, link, copies->directory, name, AT_SYMLINK_FOLLOW) == 0) {
        copies->bytes += size;
        metric_set(copies->bytes_gauge, copies->bytes);
        if (copies->bytes > COPIES_BYTES_MAX)
            tidy(copies, (int64_t)COPIES_BYTES_MAX / 4 * 3);
    }
    pthread_mutex_unlock(&copies->lock);
}

static int make_copy(Copies *copies, const StoreFile *from, const char *name, CopyMaker make,
                     void *context, Error *error) {
    struct stat about;
    Replay *replay = copies_replay(copies->arena, from, error);
    int file = replay ? open(copies->path, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600) : -1;
    bool good = file >= 0;
    if (replay && !good)
        error_set(error, "cannot create a file in %s: %s", copies->path, strerror(errno));
    good = good && make(context, replay, file, error);
    if (good && fstat(file, &about) == 0)
        keep(copies, file, about.st_size, name);
    replay_free(replay);
    if (good)
        return file;
    if (file >= 0)
        close(file);
    return -1;
}

/* ---- reading ---- */

static bool is_being_made(const Copies *copies, const char *name) {
    for (const Making *making = copies->making; making; making = making->next)
        if (strcmp(making->name, name) == 0)
            return true;
    return false;
}

static void end_making(Copies *copies, const Making *ended) {
    Making **at = &copies->making;
    while (*at != ended)
        at = &(*at)->next;
    *at = ended->next;
    pthread_cond_broadcast(&copies->made);
}

/* Opens a copy that exists, and marks it as used now; -1 if there is none. */
static int open_existing(const Copies *copies, const char *name) {
    int file = openat(copies->directory, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (file >= 0)
        utimensat(copies->directory, name, NULL, AT_SYMLINK_NOFOLLOW);
    return file;
}

int copies_open(Copies *copies, const StoreFile *replay, const char *kind, CopyMaker make,
                void *context, int64_t *size, Error *error) {
    char name[NAME_SIZE];
    struct stat about;
    snprintf(name, sizeof name, "%s-%.*s", replay->name, COPY_KIND_SIZE - 1, kind);
    pthread_mutex_lock(&copies->lock);
    while (is_being_made(copies, name))
        pthread_cond_wait(&copies->made, &copies->lock);
    int file = open_existing(copies, name);
    Making making = {name, copies->making};
    if (file < 0)
        copies->making = &making;
    pthread_mutex_unlock(&copies->lock);
    if (file < 0) {
        file = make_copy(copies, replay, name, make, context, error);
        pthread_mutex_lock(&copies->lock);
        end_making(copies, &making);
        pthread_mutex_unlock(&copies->lock);
    }
    if (file < 0)
        return -1;
    if (fstat(file, &about) == 0 && lseek(file, 0, SEEK_SET) == 0) {
        *size = about.st_size;
        return file;
    }
    error_set(error, "cannot read a copy of the replay: %s", strerror(errno));
    close(file);
    return -1;
}
