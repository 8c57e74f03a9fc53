/* The reader of replays. An input that begins with the letter P holds the unpacked records, which
   the target packs itself (otherwise hardly any mutation would pass the checksum); any other input
   is a whole file. */
#include "fuzz.h"

#include "match/replay.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

enum { TURNS_MOST = 300, STATE_MOST = 4 << 20 };

static Slice pack(const uint8_t *records, size_t size, Buffer *file) {
    char head[REPLAY_HEAD_BYTES];
    replay_head(head);
    buffer_add(file, head, sizeof head);
    size_t room = ZSTD_compressBound(size);
    size_t length = ZSTD_compress(buffer_reserve(file, room), room, records, size, 1);
    if (ZSTD_isError(length))
        fuzz_broken("cannot pack: %s", ZSTD_getErrorName(length));
    file->length += length;
    return (Slice){file->data, file->length};
}

/* Plays the records until the end or the first error; every failure must have a message. */
static void walk(Replay *replay, Board *board) {
    static ReplayTurn turn;
    static ReplayEnd end;
    for (int turns = 0; turns < TURNS_MOST; turns++) {
        Error error = {0};
        ReplayStep step = replay_next(replay, &turn, &end, &error);
        bool holds = step == REPLAY_TURN  ? replay_apply(board, &turn, &error)
                     : step == REPLAY_END ? replay_check_end(board, &end, &error)
                                          : false;
        if (!holds && !error.text[0])
            fuzz_broken("a replay was refused without a reason");
        if (!holds || step == REPLAY_END)
            return;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    Buffer file = {0};
    Error error = {0};
    Slice bytes = {(const char *)data, size};
    if (size && data[0] == 'P')
        bytes = pack(data + 1, size - 1, &file);
    Replay *replay = replay_open_memory("fuzz", bytes, &error);
    if (!replay && strncmp(error.text, "fuzz: ", 6) != 0)
        fuzz_broken("the error does not name the file: \"%s\"", error.text);
    for (int pass = 0; replay && pass < 2; pass++) {
        Board board = {0};
        if (replay_board(replay, &board, &error)) {
            if (board.setup->state_size < STATE_MOST)
                walk(replay, &board);
            board_free(&board);
        }
        if (!replay_rewind(replay, &error))
            break;
    }
    replay_free(replay);
    buffer_free(&file);
    return 0;
}
