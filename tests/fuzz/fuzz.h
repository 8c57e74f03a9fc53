/* Shared by the fuzz targets.

   A target is one file with LLVMFuzzerTestOneInput. It is linked twice: with libFuzzer as fuzz_NAME
   (option `fuzz`), and with corpus_main.c as corpus_NAME, a quick test that runs the inputs in
   tests/fuzz/corpus/NAME. A violated invariant ends the program through fuzz_broken. */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include "../games/play.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Prints what is wrong and aborts. */
_Noreturn void fuzz_broken(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The game for which this target was built. */
const GamePlay *fuzz_play(void);

/* A match that a target plays, with its memory. */
typedef struct FuzzMatch {
    const GamePlay *play;
    GameSetup *setup;
    GameState *state;
    GameState *before;
    GameOrders *orders[GAME_PLAYERS_MAX];
    /* the same answers read into memory with other bytes in it, and the turn played with them */
    GameOrders *orders_again[GAME_PLAYERS_MAX];
    GameState *state_again;
    Notes notes;
    Buffer text;
} FuzzMatch;

/* Takes ownership of the setup. */
FuzzMatch *fuzz_match_new(const GamePlay *play, GameSetup *setup);
void fuzz_match_free(FuzzMatch *match);

/* Reads one answer, valid or not, as a player's orders for the coming turn. A slice with a NULL
   pointer means no answer. */
void fuzz_match_read(FuzzMatch *match, uint32_t player, Slice answer);

/* Reads an answer of the game's GamePlay for every player. */
void fuzz_match_answer(FuzzMatch *match, Random *random);

/* Plays one turn with the current orders and checks the invariants. */
void fuzz_match_step(FuzzMatch *match);

/* Draws and writes everything that can be shown of the orders and the state. */
void fuzz_match_show(FuzzMatch *match);

/* Plays a few turns of an accepted configuration, within the time and memory of a fuzzer, and frees
   it. */
void fuzz_try_setup(const GamePlay *play, GameSetup *setup);

#endif
