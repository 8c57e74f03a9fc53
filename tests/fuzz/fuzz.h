/* What the fuzz targets share.

   A target is one file with LLVMFuzzerTestOneInput. It is linked twice: with libFuzzer as fuzz_NAME
   (option `fuzz`), and with corpus_main.c as corpus_NAME, a quick test that runs the inputs kept in
   tests/fuzz/corpus/NAME. A broken promise ends the program through fuzz_broken. */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include "../games/play.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Says what is broken, and aborts. */
_Noreturn void fuzz_broken(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The game that this target was built for. */
const GamePlay *fuzz_play(void);

/* A position that a target drives, with its memory. */
typedef struct FuzzMatch {
    const GamePlay *play;
    GameSetup *setup;
    GameState *state;
    GameState *before;
    GameOrders *orders[GAME_PLAYERS_MAX];
    GameOrders *again; /* the same answer read once more */
    Notes notes;
    Buffer text;
} FuzzMatch;

/* Takes the setup over. */
FuzzMatch *fuzz_match_new(const GamePlay *play, GameSetup *setup);
void fuzz_match_free(FuzzMatch *match);

/* Reads one answer, whatever it is, as a player's orders for the coming turn. A slice that points
   nowhere stands for no answer. */
void fuzz_match_read(FuzzMatch *match, uint32_t player, Slice answer);

/* Lets every player say what the game's GamePlay has it say. */
void fuzz_match_answer(FuzzMatch *match, Random *random);

/* One turn with the orders at hand; checks the invariants. */
void fuzz_match_step(FuzzMatch *match);

/* Asks for everything that can be shown of the orders and of the state. */
void fuzz_match_show(FuzzMatch *match);

/* Plays a few turns of a configuration that was accepted, no more than a fuzzer has time and memory
   for, and frees it. */
void fuzz_try_setup(const GamePlay *play, GameSetup *setup);

#endif
