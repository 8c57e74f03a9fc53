/* Writes replay files: see replay.h for the format. Turns are collected in memory and compressed in
   large pieces, so that a turn costs only a copy. */
#include "base/memory.h"
#include "match/replay.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

enum { PIECE = 256 << 10, LEVEL = 3 };

struct ReplayWriter {
    char *path;
    char *temporary;
    int fd;
    ZSTD_CCtx *zstd;
    Buffer plain; /* not compressed yet */
    Buffer body;  /* the record under construction */
    Buffer packed;
    bool complete;
    /* a device, a pipe or a file that was given to us: written as it is, never replaced or
       removed */
    bool through;
    bool given;
};

static bool fail(const ReplayWriter *writer, int reason, Error *error) {
    return error_set(error, "cannot write the replay%s%s: %s", writer->given ? "" : " ",
                     writer->given ? "" : writer->path, strerror(reason));
}

static bool write_all(ReplayWriter *writer, const char *bytes, size_t count, Error *error) {
    while (count) {
        ssize_t written = write(writer->fd, bytes, count);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return fail(writer, written < 0 ? errno : EIO, error);
        bytes += written;
        count -= (size_t)written;
    }
    return true;
}

static bool compress(ReplayWriter *writer, bool last, Error *error) {
    ZSTD_inBuffer in = {writer->plain.data, writer->plain.length, 0};
    size_t left = 1;
    while (last ? left != 0 : in.pos < in.size) {
        buffer_clear(&writer->packed);
        buffer_reserve(&writer->packed, ZSTD_CStreamOutSize());
        ZSTD_outBuffer out = {writer->packed.data, writer->packed.capacity, 0};
        left = ZSTD_compressStream2(writer->zstd, &out, &in, last ? ZSTD_e_end : ZSTD_e_continue);
        if (ZSTD_isError(left))
            return error_set(error, "cannot compress a replay: %s", ZSTD_getErrorName(left));
        if (!write_all(writer, writer->packed.data, out.pos, error))
            return false;
    }
    buffer_clear(&writer->plain);
    return true;
}

/* Adds the body as a record of that type. */
static bool add_record(ReplayWriter *writer, char type, Error *error) {
    buffer_char(&writer->plain, type);
    buffer_varint(&writer->plain, writer->body.length);
    buffer_add(&writer->plain, writer->body.data, writer->body.length);
    buffer_clear(&writer->body);
    return writer->plain.length < PIECE || compress(writer, false, error);
}

/* Writes the first bytes. On failure closes the writer and returns NULL. */
static ReplayWriter *begin(ReplayWriter *writer, Error *error) {
    char head[REPLAY_HEAD_BYTES];
    replay_head(head);
    writer->zstd = ZSTD_createCCtx();
    if (!writer->zstd)
        abort();
    ZSTD_CCtx_setParameter(writer->zstd, ZSTD_c_compressionLevel, LEVEL);
    ZSTD_CCtx_setParameter(writer->zstd, ZSTD_c_checksumFlag, 1);
    if (write_all(writer, head, sizeof head, error))
        return writer;
    replay_close(writer);
    return NULL;
}

ReplayWriter *replay_create(const char *path, Error *error) {
    ReplayWriter *writer = xcalloc(1, sizeof *writer);
    /* Follow links: the file that a link names is the one to replace. */
    char *real = realpath(path, NULL);
    struct stat about;
    writer->path = real ? real : xstrdup(path);
    writer->through = stat(path, &about) == 0 && !S_ISREG(about.st_mode);
    Buffer temporary = {0};
    buffer_format(&temporary, "%s.%d.part", writer->path, (int)getpid());
    buffer_string(&temporary);
    writer->temporary = temporary.data;
    writer->fd = writer->through
                     ? open(path, O_WRONLY | O_CLOEXEC)
                     : open(writer->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (writer->fd < 0) {
        fail(writer, errno, error);
        replay_close(writer);
        return NULL;
    }
    return begin(writer, error);
}

ReplayWriter *replay_create_on(int fd, Error *error) {
    ReplayWriter *writer = xcalloc(1, sizeof *writer);
    writer->fd = fd;
    writer->through = writer->given = true;
    return begin(writer, error);
}

static void out_file(JsonOut *out, const char *key, const GameFile *file) {
    if (!file->name) {
        json_out_null(out, key);
        return;
    }
    json_open(out, key, '{');
    json_out_text(out, "name", file->name);
    json_out_string(out, "text", file->text);
    json_close(out, '}');
}

void replay_header_write(const ReplayHeader *header, Buffer *to) {
    JsonOut out = {.to = to};
    json_open(&out, NULL, '{');
    json_out_text(&out, "skirmish", SKIRMISH_VERSION);
    json_out_text(&out, "game", header->game->name);
    json_out_uint(&out, "seed", header->seed);
    out_file(&out, "config", &header->config);
    out_file(&out, "map", &header->map);
    json_out_uint(&out, "turn_ms", header->turn_ms);
    json_out_uint(&out, "start_ms", header->start_ms);
    json_out_text(&out, "think", header->think);
    if (header->prelude_turns)
        json_out_uint(&out, "prelude", header->prelude_turns);
    json_open(&out, "sandbox", '['); /* the layers that were active */
    for (uint32_t i = 0; i < header->layer_count; i++)
        json_out_text(&out, NULL, header->layers[i]);
    json_close(&out, ']');
    json_open(&out, "players", '[');
    for (uint32_t i = 0; i < header->players; i++) {
        json_open(&out, NULL, '{');
        json_out_text(&out, "name", header->names[i]);
        json_out_text(&out, "bot", header->bots[i]);
        json_out_bool(&out, "absent", header->absent[i]);
        if (header->person_ms[i])
            json_out_uint(&out, "person_ms", header->person_ms[i]);
        json_close(&out, '}');
    }
    json_close(&out, ']');
    json_close(&out, '}');
}

bool replay_write_header(ReplayWriter *writer, const ReplayHeader *header, Error *error) {
    replay_header_write(header, &writer->body);
    return add_record(writer, 'H', error);
}

bool replay_copy_header(ReplayWriter *writer, Slice json, Error *error) {
    buffer_add(&writer->body, json.at, json.length);
    return add_record(writer, 'H', error);
}

bool replay_copy_turn(ReplayWriter *writer, Slice record, Error *error) {
    buffer_add(&writer->body, record.at, record.length);
    return add_record(writer, 'T', error);
}

static void add_bytes(Buffer *to, Slice bytes) {
    buffer_varint(to, bytes.length);
    buffer_add(to, bytes.at, bytes.length);
}

static void add_refusals(Buffer *to, const Notes *notes, uint32_t player) {
    uint64_t kept = 0;
    uint32_t whose = 0;
    Slice text;
    for (uint32_t at = 0; notes_next_refusal(notes, &at, &whose, &text);)
        kept += whose == player;
    buffer_varint(to, notes->refused[player]);
    buffer_varint(to, kept);
    for (uint32_t at = 0; kept && notes_next_refusal(notes, &at, &whose, &text);)
        if (whose == player)
            add_bytes(to, text);
}

bool replay_write_turn(ReplayWriter *writer, const Board *board, const PlayerTurn *turns,
                       Error *error) {
    Buffer *to = &writer->body;
    buffer_varint(to, board->state->turn);
    for (uint32_t i = 0; i < board->players; i++) {
        bool graced = turns[i].grace > 0;
        buffer_char(to, (char)(turns[i].kind | (graced ? REPLAY_GRACED : 0)));
        if (graced)
            buffer_varint(to, (uint64_t)turns[i].grace);
        buffer_varint(to, (uint64_t)turns[i].wall);
        buffer_varint(to, (uint64_t)turns[i].cpu);
        buffer_varint(to, turns[i].late);
        add_bytes(to, turns[i].answer);
        add_bytes(to, turns[i].errors);
        add_refusals(to, board->notes, i);
    }
    uint64_t digest = game_digest(board->state);
    for (int shift = 0; shift < 64; shift += 8)
        buffer_char(to, (char)(digest >> shift));
    return add_record(writer, 'T', error);
}

/* Adds the body as the last record, and completes the file. */
static bool finish(ReplayWriter *writer, Error *error) {
    if (!add_record(writer, 'E', error) || !compress(writer, true, error))
        return false;
    if (!writer->given && fsync(writer->fd) != 0 && errno != EINVAL && errno != EROFS)
        return fail(writer, errno, error);
    if (!writer->through && rename(writer->temporary, writer->path) != 0)
        return fail(writer, errno, error);
    writer->complete = true;
    return true;
}

bool replay_write_end(ReplayWriter *writer, const Verdict *verdict, const PlayerTurn *last_words,
                      Error *error) {
    JsonOut out = {.to = &writer->body};
    json_open(&out, NULL, '{');
    verdict_json(verdict, &out);
    json_open(&out, "last_words", '[');
    for (uint32_t i = 0; i < verdict->players; i++)
        json_out_string(&out, NULL, last_words[i].errors);
    json_close(&out, ']');
    json_close(&out, '}');
    return finish(writer, error);
}

bool replay_copy_end(ReplayWriter *writer, Slice json, Error *error) {
    buffer_add(&writer->body, json.at, json.length);
    return finish(writer, error);
}

void replay_close(ReplayWriter *writer) {
    if (!writer)
        return;
    if (writer->fd >= 0)
        close(writer->fd);
    if (writer->fd >= 0 && !writer->complete && !writer->through)
        unlink(writer->temporary);
    ZSTD_freeCCtx(writer->zstd);
    buffer_free(&writer->plain);
    buffer_free(&writer->body);
    buffer_free(&writer->packed);
    free(writer->path);
    free(writer->temporary);
    free(writer);
}
