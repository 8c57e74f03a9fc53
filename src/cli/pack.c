/* See pack.h. */
#include "cli/pack.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static ssize_t on_write(struct archive *archive, void *context, const void *bytes, size_t length) {
    (void)archive;
    buffer_add(context, bytes, length);
    return (ssize_t)length;
}

static bool add_header(struct archive *archive, const char *name, const struct stat *status,
                       Error *error) {
    struct archive_entry *entry = archive_entry_new();
    archive_entry_set_pathname(entry, name);
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_entry_set_perm(entry, status->st_mode & S_IXUSR ? 0755 : 0644);
    archive_entry_set_size(entry, status->st_size);
    bool good = archive_write_header(archive, entry) == ARCHIVE_OK ||
                error_set(error, "cannot pack %.300s: %s", name, archive_error_string(archive));
    archive_entry_free(entry);
    return good;
}

/* Copies the file's bytes; fails if the file no longer has the size in its header. */
static bool add_content(struct archive *archive, int fd, const char *name, size_t size,
                        Error *error) {
    char bytes[65536];
    size_t total = 0;
    ssize_t got;
    while ((got = read(fd, bytes, sizeof bytes)) != 0) {
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return error_set(error, "cannot read %.300s: %s", name, strerror(errno));
        total += (size_t)got;
        if (total > size)
            break;
        if (archive_write_data(archive, bytes, (size_t)got) != got)
            return error_set(error, "cannot pack %.300s: %s", name, archive_error_string(archive));
    }
    return total == size || error_set(error, "%.300s changed while it was read", name);
}

static bool add_file(struct archive *archive, const char *path, const char *name, Error *error) {
    struct stat status;
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    bool good = true;
    if (fd < 0 || fstat(fd, &status) != 0)
        good = error_set(error, "cannot read %.300s: %s", name, strerror(errno));
    else
        good = add_header(archive, name, &status, error) &&
               add_content(archive, fd, name, (size_t)status.st_size, error);
    if (fd >= 0)
        close(fd);
    return good;
}

static int by_name(const FTSENT **left, const FTSENT **right) {
    return strcmp((*left)->fts_name, (*right)->fts_name);
}

static bool is_left_out(const FTSENT *entry) {
    const char *name = entry->fts_name;
    return entry->fts_level > 0 && (name[0] == '.' || strcmp(name, "__pycache__") == 0 ||
                                    strcmp(name, "node_modules") == 0);
}

typedef struct Pack {
    struct archive *archive;
    size_t root; /* bytes of the directory's own path, before the names in the archive */
    uint32_t files;
    uint64_t bytes;
} Pack;

static bool add_entry(Pack *pack, const FTSENT *entry, Error *error) {
    const char *name = entry->fts_path;
    if (entry->fts_level > 0)
        name += pack->root + strspn(name + pack->root, "/");
    switch (entry->fts_info) {
    case FTS_D:
    case FTS_DP:
        return true;
    case FTS_F:
        break;
    case FTS_SL:
    case FTS_SLNONE:
        return error_set(error, "%.300s is a link; an arena accepts regular files only", name);
    case FTS_DNR:
    case FTS_ERR:
    case FTS_NS:
        return error_set(error, "cannot read %.300s: %s", name, strerror(entry->fts_errno));
    default:
        return error_set(error, "%.300s is not a regular file", name);
    }
    pack->bytes += (uint64_t)entry->fts_statp->st_size;
    if (++pack->files > PACK_FILES_MAX)
        return error_set(error, "the bot has more than %d files", PACK_FILES_MAX);
    if (pack->bytes > PACK_BYTES_MAX)
        return error_set(error, "the bot has more than %d MiB, up to and including %.300s",
                         PACK_BYTES_MAX >> 20, name);
    return add_file(pack->archive, entry->fts_accpath, name, error);
}

static bool add_tree(Pack *pack, char *path, Error *error) {
    FTS *tree =
        fts_open((char *[]){path, NULL}, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR, by_name);
    if (!tree)
        return error_set(error, "cannot read %.300s: %s", path, strerror(errno));
    bool good = true;
    for (FTSENT *entry = fts_read(tree); entry && good; entry = good ? fts_read(tree) : NULL) {
        if (entry->fts_level == 0)
            pack->root = entry->fts_pathlen;
        if (is_left_out(entry))
            fts_set(tree, entry, FTS_SKIP);
        else
            good = add_entry(pack, entry, error);
    }
    fts_close(tree);
    return good;
}

bool pack_directory(const char *path, Buffer *to, Error *error) {
    Pack pack = {.archive = archive_write_new()};
    Buffer copy = {0}; /* fts_open requires a path that is not const */
    buffer_text(&copy, path);
    buffer_string(&copy);
    archive_write_set_format_ustar(pack.archive);
    archive_write_set_bytes_in_last_block(pack.archive, 1);
    bool good =
        archive_write_open(pack.archive, to, NULL, on_write, NULL) == ARCHIVE_OK ||
        error_set(error, "cannot pack %.300s: %s", path, archive_error_string(pack.archive));
    good = good && add_tree(&pack, copy.data, error) &&
           (pack.files || error_set(error, "%.300s has no files", path));
    if (archive_write_close(pack.archive) != ARCHIVE_OK && good)
        good = error_set(error, "cannot pack %.300s: %s", path, archive_error_string(pack.archive));
    archive_write_free(pack.archive);
    buffer_free(&copy);
    return good;
}
