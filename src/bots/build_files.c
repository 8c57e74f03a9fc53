/* See build_files.h. */
#include "bots/build_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum {
    DEPTH_MAX = 64, /* each level keeps a descriptor open */
    DISK_LEFT = 10, /* a tenth of the disk must stay free */
};

typedef struct BuildCopy {
    bool trial; /* count, but change nothing */
    uid_t uid;
    gid_t gid;
    uint64_t bytes;
    uint64_t files;
    unsigned depth;
    bool is_full; /* it failed because the file system is full */
    Error *error;
} BuildCopy;

static bool fail(BuildCopy *copy, const char *what, const char *name) {
    copy->is_full = errno == ENOSPC;
    error_set(copy->error, "cannot %s %.200s: %s", what, name, strerror(errno));
    return false;
}

static bool is_copied(mode_t mode) {
    return S_ISREG(mode) || S_ISDIR(mode) || S_ISLNK(mode);
}

static bool is_same_time(const struct stat *a, const struct stat *b) {
    return a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

static mode_t plain_mode(const struct stat *about) {
    return about->st_mode & (S_IRWXU | S_IRWXG | S_IRWXO);
}

/* Opens a directory below another; -1 with errno set. */
static int open_directory(int at, const char *name) {
    return openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* Opens a stream for readdir; the caller keeps its descriptor. */
static DIR *list(int directory) {
    int fd = open_directory(directory, ".");
    DIR *all = fd >= 0 ? fdopendir(fd) : NULL;
    if (fd >= 0 && !all)
        close(fd);
    return all;
}

static struct dirent *next_entry(DIR *all) {
    struct dirent *entry;
    do
        entry = readdir(all);
    while (entry && (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0));
    return entry;
}

/* Removes a file, or a directory with everything in it. */
static bool remove_all(BuildCopy *copy, int at, const char *name) {
    if (unlinkat(at, name, 0) == 0)
        return true;
    if (errno != EISDIR && errno != EPERM)
        return fail(copy, "remove", name);
    int directory = open_directory(at, name);
    DIR *all = directory >= 0 ? list(directory) : NULL;
    bool good = all != NULL || fail(copy, "read", name);
    for (struct dirent *entry; good && (entry = next_entry(all));)
        good = remove_all(copy, directory, entry->d_name);
    if (all)
        closedir(all);
    if (directory >= 0)
        close(directory);
    return good && (unlinkat(at, name, AT_REMOVEDIR) == 0 || fail(copy, "remove", name));
}

static bool copy_content(int from, int to) {
    static _Thread_local char bytes[1 << 16];
    for (ssize_t got; (got = read(from, bytes, sizeof bytes)) != 0;) {
        if (got < 0)
            return false;
        for (ssize_t done = 0, now; done < got; done += now)
            if ((now = write(to, bytes + done, (size_t)(got - done))) < 0)
                return false;
    }
    return true;
}

/* `about` is the status of the file to copy; `to` has no entry with this name. */
static bool copy_file(BuildCopy *copy, int from, int to, const char *name,
                      const struct stat *about) {
    int in = openat(from, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (in < 0)
        return fail(copy, "read", name);
    int out = openat(to, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, about->st_mtim};
    bool good = out >= 0 && copy_content(in, out) &&
                (geteuid() != 0 || fchown(out, copy->uid, copy->gid) == 0) &&
                fchmod(out, plain_mode(about)) == 0 && futimens(out, times) == 0;
    good = good || fail(copy, "write", name);
    close(in);
    if (out >= 0)
        close(out);
    return good;
}

static bool copy_link(BuildCopy *copy, int from, int to, const char *name) {
    char target[PATH_MAX];
    ssize_t length = readlinkat(from, name, target, sizeof target - 1);
    if (length < 0)
        return fail(copy, "read", name);
    target[length] = '\0';
    return (symlinkat(target, to, name) == 0 &&
            (geteuid() != 0 ||
             fchownat(to, name, copy->uid, copy->gid, AT_SYMLINK_NOFOLLOW) == 0)) ||
           fail(copy, "write", name);
}

static bool is_same_link(int from, int to, const char *name) {
    char targets[2][PATH_MAX];
    ssize_t first = readlinkat(from, name, targets[0], PATH_MAX);
    ssize_t second = readlinkat(to, name, targets[1], PATH_MAX);
    return first >= 0 && first == second && memcmp(targets[0], targets[1], (size_t)first) == 0;
}

static bool copy_directory(BuildCopy *copy, int from, int to);

/* Copies a subdirectory. `there` says that `to` already has it. In a trial it may be missing. */
static bool copy_below(BuildCopy *copy, int from, int to, const char *name,
                       const struct stat *about, bool there) {
    if (++copy->depth > DEPTH_MAX)
        return error_set(copy->error, "directories are nested more than %d deep", DEPTH_MAX);
    bool made = !there && !copy->trial && mkdirat(to, name, 0700) == 0;
    int inner_from = open_directory(from, name);
    int inner_to = there || made ? open_directory(to, name) : -1;
    bool good = inner_from >= 0 || fail(copy, "read", name);
    good = good && (inner_to >= 0 || (copy->trial && !there) || fail(copy, "write", name));
    good = good && copy_directory(copy, inner_from, inner_to);
    if (good && !copy->trial) {
        struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, about->st_mtim};
        good = (!made || geteuid() != 0 || fchown(inner_to, copy->uid, copy->gid) == 0) &&
               fchmod(inner_to, plain_mode(about)) == 0 && futimens(inner_to, times) == 0;
        good = good || fail(copy, "write", name);
    }
    if (inner_from >= 0)
        close(inner_from);
    if (inner_to >= 0)
        close(inner_to);
    copy->depth--;
    return good;
}

static bool copy_entry(BuildCopy *copy, int from, int to, const char *name) {
    struct stat about;
    struct stat before;
    if (fstatat(from, name, &about, AT_SYMLINK_NOFOLLOW) != 0)
        return fail(copy, "read", name);
    if (!is_copied(about.st_mode))
        return true;
    bool there = to >= 0 && fstatat(to, name, &before, AT_SYMLINK_NOFOLLOW) == 0;
    bool same_kind = there && (about.st_mode & S_IFMT) == (before.st_mode & S_IFMT);
    copy->files++;
    if (S_ISDIR(about.st_mode) && (same_kind || copy->trial))
        return copy_below(copy, from, same_kind ? to : -1, name, &about, same_kind);
    if (same_kind && (S_ISLNK(about.st_mode)
                          ? is_same_link(from, to, name)
                          : about.st_size == before.st_size && is_same_time(&about, &before) &&
                                plain_mode(&about) == (before.st_mode & ALLPERMS)))
        return true;
    copy->bytes += (uint64_t)about.st_size;
    if (copy->trial)
        return true;
    if (there && !remove_all(copy, to, name))
        return false;
    return S_ISDIR(about.st_mode)   ? copy_below(copy, from, to, name, &about, false)
           : S_ISREG(about.st_mode) ? copy_file(copy, from, to, name, &about)
                                    : copy_link(copy, from, to, name);
}

/* Removes entries that no longer exist in the copied directory. */
static bool remove_gone(BuildCopy *copy, int from, int to) {
    struct stat about;
    DIR *all = list(to);
    bool good = all != NULL || fail(copy, "read", "a directory");
    for (struct dirent *entry; good && (entry = next_entry(all));)
        if (fstatat(from, entry->d_name, &about, AT_SYMLINK_NOFOLLOW) != 0 && errno == ENOENT &&
            fstatat(to, entry->d_name, &about, AT_SYMLINK_NOFOLLOW) == 0 &&
            is_copied(about.st_mode))
            good = remove_all(copy, to, entry->d_name);
    if (all)
        closedir(all);
    return good;
}

static bool copy_directory(BuildCopy *copy, int from, int to) {
    DIR *all = list(from);
    bool good = all != NULL || fail(copy, "read", "a directory");
    for (struct dirent *entry; good && (entry = next_entry(all));)
        good = copy_entry(copy, from, to, entry->d_name);
    if (all)
        closedir(all);
    return good && (copy->trial || remove_gone(copy, from, to));
}

bool build_files_bring(int from, int to, uid_t uid, gid_t gid, Error *error) {
    BuildCopy copy = {.uid = uid, .gid = gid, .error = error};
    bool good = copy_directory(&copy, from, to);
    if (copy.is_full)
        error_set(error,
                  "its directory has more than %" PRIu64 " MiB or %d files; remove what its build "
                  "does not need, or use --sandbox=none",
                  BUILD_BYTES_MAX >> 20, BUILD_FILES_MAX);
    return good;
}

bool build_files_fetch(int from, int to, Error *error) {
    struct stat owner;
    struct statvfs disk;
    BuildCopy trial = {.trial = true, .error = error};
    if (fstat(to, &owner) != 0 || fstatvfs(to, &disk) != 0)
        return error_set(error, "cannot read the bot's directory: %s", strerror(errno));
    if (!copy_directory(&trial, from, to))
        return false;
    /* Files with holes are larger than the space that they took in the build's file system. */
    if (trial.bytes > BUILD_BYTES_MAX)
        return error_set(error, "its files have more than %" PRIu64 " MiB", BUILD_BYTES_MAX >> 20);
    uint64_t kept = (uint64_t)disk.f_blocks * disk.f_frsize / DISK_LEFT;
    uint64_t room = (uint64_t)disk.f_bavail * disk.f_frsize;
    if (trial.bytes && trial.bytes + kept > room)
        return error_set(error, "its files have %" PRIu64 " MiB, and the disk is nearly full",
                         trial.bytes >> 20);
    BuildCopy copy = {.uid = owner.st_uid, .gid = owner.st_gid, .error = error};
    return copy_directory(&copy, from, to);
}
