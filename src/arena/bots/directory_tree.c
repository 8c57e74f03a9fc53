/* See directory_tree.h. */
#include "arena/bots/directory_tree.h"

#include "base/memory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool tree_make(const char *path, Error *error) {
    if (mkdir(path, 0700) == 0 || errno == EEXIST)
        return true;
    return error_set(error, "cannot create the directory %s: %s", path, strerror(errno));
}

char *tree_make_new(const char *parent, const char *prefix, Error *error) {
    Buffer path = {0};
    buffer_format(&path, "%s/%sXXXXXX", parent, prefix);
    buffer_string(&path);
    if (mkdtemp(path.data))
        return path.data;
    error_set(error, "cannot create a directory in %s: %s", parent, strerror(errno));
    buffer_free(&path);
    return NULL;
}

static bool is_dots(const char *name) {
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/* ---- removing ---- */

/* Opens a directory inside another, even if its permissions were removed. */
static DIR *open_inside(int directory, const char *name) {
    int fd = openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 && errno == EACCES && fchmodat(directory, name, 0700, 0) == 0)
        fd = openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *inside = fd >= 0 ? fdopendir(fd) : NULL;
    if (fd >= 0 && !inside)
        close(fd);
    return inside;
}

/* Empties a directory in `top`: removes its files and moves its directories up to `top`. So nothing
   descends further than one level, however deep the tree is. */
static void flatten(int top, const char *name, uint64_t *moved) {
    DIR *inside = open_inside(top, name);
    if (!inside)
        return;
    fchmod(dirfd(inside), 0700);
    for (struct dirent *entry = readdir(inside); entry; entry = readdir(inside)) {
        if (is_dots(entry->d_name) || unlinkat(dirfd(inside), entry->d_name, 0) == 0)
            continue;
        for (int tries = 0; tries < 100; tries++) {
            char up[32];
            snprintf(up, sizeof up, ".up-%llu", (unsigned long long)++*moved);
            if (unlinkat(dirfd(inside), entry->d_name, AT_REMOVEDIR) == 0 ||
                renameat2(dirfd(inside), entry->d_name, top, up, RENAME_NOREPLACE) == 0 ||
                errno != EEXIST)
                break;
        }
    }
    closedir(inside);
}

/* One pass over `top`. True if it removed something. */
static bool remove_pass(int top, uint64_t *moved) {
    int copy = openat(top, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *entries = copy >= 0 ? fdopendir(copy) : NULL;
    bool done = false;
    if (!entries) {
        if (copy >= 0)
            close(copy);
        return false;
    }
    for (struct dirent *entry = readdir(entries); entry; entry = readdir(entries)) {
        if (is_dots(entry->d_name))
            continue;
        if (unlinkat(top, entry->d_name, 0) != 0) {
            flatten(top, entry->d_name, moved);
            done |= unlinkat(top, entry->d_name, AT_REMOVEDIR) == 0;
        } else {
            done = true;
        }
    }
    closedir(entries);
    return done;
}

bool tree_remove(const char *path) {
    uint64_t moved = 0;
    int top = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (top < 0)
        return errno == ENOENT;
    fchmod(top, 0700);
    while (remove_pass(top, &moved))
        continue;
    close(top);
    return rmdir(path) == 0;
}

bool tree_sync(const char *path, Error *error) {
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool good = fd >= 0 && syncfs(fd) == 0;
    if (!good)
        error_set(error, "cannot sync %s to disk: %s", path, strerror(errno));
    if (fd >= 0)
        close(fd);
    return good;
}

bool tree_each(const char *path, void (*take)(void *context, const char *name), void *context) {
    DIR *entries = opendir(path);
    if (!entries)
        return false;
    for (struct dirent *entry = readdir(entries); entry; entry = readdir(entries))
        if (!is_dots(entry->d_name))
            take(context, entry->d_name);
    closedir(entries);
    return true;
}
