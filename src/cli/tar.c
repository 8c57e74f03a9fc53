/* See tar.h. The format is POSIX ustar. */
#include "cli/tar.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCK = 512, NAME_MAX_BYTES = 100, PREFIX_MAX_BYTES = 155, DEPTH_MAX = 32 };

typedef struct Header {
    char name[100];
    char mode[8];
    char uid[8];
    char gid[8];
    char size[12];
    char mtime[12];
    char checksum[8];
    char type;
    char link[100];
    char magic[8];
    char user[32];
    char group[32];
    char device[16];
    char prefix[155];
    char rest[12];
} Header;

typedef struct Tar {
    Buffer *to;
    uint32_t files;
    Error *error;
} Tar;

static bool set_name(Header *header, const char *name, Error *error) {
    size_t length = strlen(name);
    const char *split = name;
    /* A long name is cut at a slash. */
    while (length - (size_t)(split - name) > NAME_MAX_BYTES) {
        split = strchr(split, '/');
        if (!split)
            return error_set(error, "%.300s: the name is too long for an archive", name);
        split++;
    }
    size_t before = split > name ? (size_t)(split - name) - 1 : 0;
    if (before > PREFIX_MAX_BYTES)
        return error_set(error, "%.300s: the name is too long for an archive", name);
    memcpy(header->prefix, name, before);
    memcpy(header->name, split, strlen(split));
    return true;
}

static bool add_header(Tar *tar, const char *name, mode_t mode, size_t size) {
    Header header = {.type = '0', .magic = {'u', 's', 't', 'a', 'r', '\0', '0', '0'}};
    if (!set_name(&header, name, tar->error))
        return false;
    snprintf(header.mode, sizeof header.mode, "%07o", mode & S_IXUSR ? 0755U : 0644U);
    snprintf(header.uid, sizeof header.uid, "%07o", 0U);
    snprintf(header.gid, sizeof header.gid, "%07o", 0U);
    snprintf(header.size, sizeof header.size, "%011lo", (unsigned long)size);
    snprintf(header.mtime, sizeof header.mtime, "%011o", 0U);
    memset(header.checksum, ' ', sizeof header.checksum);
    unsigned sum = 0;
    const unsigned char *bytes = (const unsigned char *)&header;
    for (size_t i = 0; i < sizeof header; i++)
        sum += bytes[i];
    snprintf(header.checksum, sizeof header.checksum, "%06o", sum);
    _Static_assert(sizeof header == BLOCK, "a header is one block");
    buffer_add(tar->to, &header, sizeof header);
    return true;
}

static void fill_block(Buffer *to, size_t size) {
    static const char zeros[BLOCK];
    if (size % BLOCK)
        buffer_add(to, zeros, BLOCK - size % BLOCK);
}

static bool add_file(Tar *tar, int fd, const char *name, const struct stat *status) {
    size_t size = (size_t)status->st_size;
    if (tar->files++ >= TAR_FILES_MAX)
        return error_set(tar->error, "there are more than %d files", TAR_FILES_MAX);
    if (size > TAR_BYTES_MAX || tar->to->length + size > TAR_BYTES_MAX)
        return error_set(tar->error, "%.300s: with this file it is more than %d MiB", name,
                         TAR_BYTES_MAX >> 20);
    if (!add_header(tar, name, status->st_mode, size))
        return false;
    char *at = buffer_reserve(tar->to, size + 1);
    size_t got = 0;
    ssize_t more = 1;
    /* One byte more than it had: a file that changes meanwhile is noticed. */
    while (got <= size && (more = read(fd, at + got, size + 1 - got)) != 0) {
        if (more < 0 && errno != EINTR)
            return error_set(tar->error, "cannot read %.300s: %s", name, strerror(errno));
        got += more > 0 ? (size_t)more : 0;
    }
    if (got != size)
        return error_set(tar->error, "%.300s changes while it is read", name);
    tar->to->length += size;
    fill_block(tar->to, size);
    return true;
}

static int by_name(const void *left, const void *right) {
    return strcmp(*(char *const *)left, *(char *const *)right);
}

static bool is_left_out(const char *name) {
    return name[0] == '.' || strcmp(name, "__pycache__") == 0 || strcmp(name, "node_modules") == 0;
}

static bool add_directory(Tar *tar, int fd, const char *prefix, uint32_t depth);

static bool add_entry(Tar *tar, int directory, const char *prefix, const char *name,
                      uint32_t depth) {
    Buffer path = {0};
    struct stat status;
    buffer_format(&path, "%s%s", prefix, name);
    const char *full = buffer_string(&path);
    int fd = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    bool good = true;
    if (fd < 0 && errno == ELOOP)
        good = error_set(tar->error, "%.300s is a link; an arena takes plain files only", full);
    else if (fd < 0 || fstat(fd, &status) != 0)
        good = error_set(tar->error, "cannot read %.300s: %s", full, strerror(errno));
    else if (S_ISREG(status.st_mode))
        good = add_file(tar, fd, full, &status);
    else if (S_ISDIR(status.st_mode)) {
        buffer_char(&path, '/');
        good = add_directory(tar, fd, buffer_string(&path), depth + 1);
        fd = -1; /* it closed it */
    } else
        good = error_set(tar->error, "%.300s is no plain file", full);
    if (fd >= 0)
        close(fd);
    buffer_free(&path);
    return good;
}

/* Takes the descriptor over. */
static bool add_directory(Tar *tar, int fd, const char *prefix, uint32_t depth) {
    DIR *entries = fdopendir(fd);
    char **names = NULL;
    size_t count = 0;
    bool good = true;
    if (!entries || depth > DEPTH_MAX) {
        error_set(tar->error, "cannot read %.300s: %s", *prefix ? prefix : ".",
                  entries ? "too deep" : strerror(errno));
        if (entries)
            closedir(entries);
        else
            close(fd);
        return false;
    }
    for (struct dirent *entry = readdir(entries); entry && count <= TAR_FILES_MAX;
         entry = readdir(entries)) {
        if (is_left_out(entry->d_name))
            continue;
        char **more = realloc(names, (count + 1) * sizeof *names);
        char *copy = strdup(entry->d_name);
        if (!more || !copy)
            abort();
        names = more;
        names[count++] = copy;
    }
    if (count)
        qsort(names, count, sizeof *names, by_name);
    for (size_t i = 0; i < count; i++) {
        good = good && add_entry(tar, dirfd(entries), prefix, names[i], depth);
        free(names[i]);
    }
    free(names);
    closedir(entries);
    return good;
}

bool tar_directory(const char *path, Buffer *to, Error *error) {
    static const char zeros[BLOCK];
    Tar tar = {.to = to, .error = error};
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return error_set(error, "cannot read %.300s: %s", path, strerror(errno));
    if (!add_directory(&tar, fd, "", 0))
        return false;
    if (!tar.files)
        return error_set(error, "there are no files in %.300s", path);
    buffer_add(to, zeros, BLOCK);
    buffer_add(to, zeros, BLOCK);
    return true;
}
