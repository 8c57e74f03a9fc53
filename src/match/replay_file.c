/* Replay files: a ReplaySource that unpacks a file, or one that is in memory, with zstd. */
#include "match/replay_source.h"

#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

enum {
    READ_SIZE = 64 << 10,
    WINDOW_LOG_MAX = 24, /* what the writer's level never exceeds */
};

typedef struct ReplayFile {
    ReplaySource source; /* first: a ReplayFile is used as one */
    int fd;              /* -1: from memory */
    Slice memory;
    size_t taken; /* bytes of the memory that have been put into `packed` */
    ZSTD_DCtx *zstd;
    Buffer packed;
    size_t packed_at;
} ReplayFile;

static bool refill(ReplayFile *file, Error *error) {
    file->packed_at = 0;
    buffer_clear(&file->packed);
    if (file->fd < 0) {
        size_t left = file->memory.length - file->taken;
        size_t part = left < READ_SIZE ? left : READ_SIZE;
        buffer_add(&file->packed, file->memory.at + file->taken, part);
        file->taken += part;
        return true;
    }
    ssize_t got;
    do
        got = read(file->fd, buffer_reserve(&file->packed, READ_SIZE), READ_SIZE);
    while (got < 0 && errno == EINTR);
    if (got < 0)
        return error_set(error, "cannot be read: %s", strerror(errno));
    file->packed.length = (size_t)got;
    return true;
}

static bool file_read(ReplaySource *source, Buffer *to, Error *error) {
    ReplayFile *file = (ReplayFile *)source;
    if (file->packed_at == file->packed.length) {
        if (!refill(file, error))
            return false;
        if (!file->packed.length)
            return error_set(error, "the replay is damaged: the file ends too early");
    }
    ZSTD_inBuffer in = {file->packed.data, file->packed.length, file->packed_at};
    ZSTD_outBuffer out = {buffer_reserve(to, READ_SIZE), READ_SIZE, 0};
    size_t left = ZSTD_decompressStream(file->zstd, &out, &in);
    if (ZSTD_isError(left))
        return error_set(error, "the replay is damaged: %s", ZSTD_getErrorName(left));
    file->packed_at = in.pos;
    to->length += out.pos;
    source->done = left == 0;
    return true;
}

/* Reads the head. A pipe may give the first bytes in portions; a file does not. */
static bool begin(ReplayFile *file, Error *error) {
    if (!refill(file, error) ||
        !replay_check_head((Slice){file->packed.data, file->packed.length}, error))
        return false;
    file->packed_at = REPLAY_HEAD_BYTES;
    return true;
}

static bool file_rewind(ReplaySource *source, Error *error) {
    ReplayFile *file = (ReplayFile *)source;
    ZSTD_DCtx_reset(file->zstd, ZSTD_reset_session_only);
    source->done = false;
    file->taken = 0;
    if (file->fd >= 0 && lseek(file->fd, 0, SEEK_SET) < 0)
        return error_set(error, "cannot be read again from its start: %s", strerror(errno));
    return begin(file, error);
}

static bool file_at_end(ReplaySource *source, bool *more, Error *error) {
    ReplayFile *file = (ReplayFile *)source;
    if (file->packed_at == file->packed.length && !refill(file, error))
        return false;
    *more = file->packed_at < file->packed.length;
    return true;
}

static void file_free(ReplaySource *source) {
    ReplayFile *file = (ReplayFile *)source;
    if (file->fd >= 0)
        close(file->fd);
    ZSTD_freeDCtx(file->zstd);
    buffer_free(&file->packed);
    free(file);
}

static Replay *open_any(const char *name, int fd, Slice memory, bool uploaded, Error *error) {
    ReplayFile *file = xcalloc(1, sizeof *file);
    file->source = (ReplaySource){
        .read = file_read, .rewind = file_rewind, .at_end = file_at_end, .free = file_free};
    file->fd = fd;
    file->memory = memory;
    file->zstd = ZSTD_createDCtx();
    if (!file->zstd)
        abort();
    ZSTD_DCtx_setParameter(file->zstd, ZSTD_d_windowLogMax, WINDOW_LOG_MAX);
    if (begin(file, error))
        return replay_open_source(name, &file->source, uploaded, error);
    file_free(&file->source);
    error_prefix(error, "%s", name);
    return NULL;
}

Replay *replay_open(const char *path, Error *error) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        error_set(error, "%s: cannot be opened: %s", path, strerror(errno));
        return NULL;
    }
    return open_any(path, fd, (Slice){0}, false, error);
}

Replay *replay_open_on(const char *name, int fd, Error *error) {
    return open_any(name, fd, (Slice){0}, false, error);
}

Replay *replay_open_memory(const char *name, Slice bytes, Error *error) {
    return open_any(name, -1, bytes, false, error);
}

Replay *replay_open_uploaded(const char *name, Slice bytes, Error *error) {
    return open_any(name, -1, bytes, true, error);
}
