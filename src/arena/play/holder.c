/* See holder.h. */
#include "arena/play/holder.h"

#include "base/path.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#define ONLY_HOLDER "engine"

/* The name in the file; "" if there is none. */
static bool read_last(const char *path, char name[HOLDER_SIZE], Error *error) {
    memset(name, 0, HOLDER_SIZE);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return errno == ENOENT || error_set(error, "cannot open %s: %s", path, strerror(errno));
    ssize_t length = read(file, name, HOLDER_SIZE - 1);
    close(file);
    name[strcspn(name, "\n")] = '\0';
    return length >= 0 || error_set(error, "cannot read %s", path);
}

/* Replaces the file, so that a crash leaves the old name or the new one. */
static bool write_own(const char *path, const char *name, Error *error) {
    char fresh[4096];
    snprintf(fresh, sizeof fresh, "%s.new", path);
    int file = open(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    size_t length = strlen(name);
    bool good = file >= 0 && write(file, name, length) == (ssize_t)length && fsync(file) == 0;
    int reason = errno;
    if (file >= 0)
        close(file);
    if (good && rename(fresh, path) != 0) {
        good = false;
        reason = errno;
    }
    return good || error_set(error, "cannot write %s: %s", path, strerror(reason));
}

void holder_machine(char name[STORE_MACHINE_SIZE]) {
    memset(name, 0, STORE_MACHINE_SIZE);
    if (gethostname(name, STORE_MACHINE_SIZE - 1) != 0)
        snprintf(name, STORE_MACHINE_SIZE, "unknown");
    for (char *at = name; *at; at++)
        if (*at <= ' ' || *at > '~')
            *at = '-';
}

static bool choose(char name[HOLDER_SIZE], Error *error) {
    char host[STORE_MACHINE_SIZE];
    uint64_t random = 0;
    holder_machine(host);
    if (getrandom(&random, sizeof random, 0) != (ssize_t)sizeof random)
        return error_set(error, "this machine has no source of random numbers");
    snprintf(name, HOLDER_SIZE, "%s-%d-%08" PRIx64, host, (int)getpid(), random >> 32);
    return true;
}

bool holder_take(const Arena *arena, char name[HOLDER_SIZE], char last[HOLDER_SIZE], Error *error) {
    uint32_t count = 0;
    snprintf(last, HOLDER_SIZE, ONLY_HOLDER);
    bool shared = arena->options.store != NULL;
    char *path = path_join(arena->options.data, "holder");
    bool good = (!shared || read_last(path, last, error)) &&
                (!last[0] || store_queue_recover(arena->store, last, &count, error) == STORE_OK);
    snprintf(name, HOLDER_SIZE, ONLY_HOLDER);
    good = good && (!shared || (choose(name, error) && write_own(path, name, error)));
    free(path);
    return good;
}
