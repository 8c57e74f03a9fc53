/* How tests play a game without bots: each game has tests/games/GAME/play.c with one of these. The
   property test, the comparison of builds, the fuzz targets and the corpus check all use it. */
#ifndef TESTS_GAMES_PLAY_H
#define TESTS_GAMES_PLAY_H

#include "base/random.h"
#include "games/game.h"

/* A configuration to test; texts may be NULL for "not given". */
typedef struct PlayCase {
    const char *config;
    const char *map;
    uint32_t players;
} PlayCase;

typedef struct GamePlay {
    const Game *game;
    const PlayCase *cases; /* the default first */
    uint32_t case_count;

    /* Appends an answer: mostly sensible orders, sometimes rejected ones, now and then garbage. */
    void (*answer)(const GameSetup *setup, const GameState *state, uint32_t player, Random *random,
                   Buffer *to);

    /* Fills the orders with any values that the type allows: in range, out of range, duplicate,
       absurd. Sets head.kind to ORDERS_GIVEN and head.count to the number of orders (within their
       capacity). */
    void (*hostile)(const GameSetup *setup, const GameState *state, uint32_t player, Random *random,
                    GameOrders *orders);

    /* Checks the game's invariants after a step; `before` is the state before it. Returns NULL, or
       a description of what is wrong. */
    const char *(*check)(const GameSetup *setup, const GameState *before, const GameState *after);
} GamePlay;

/* All of them, in the order of games_all; ends with NULL. */
extern const GamePlay *const plays_all[];

/* Sets up one of the cases; ends the program with the error if it is invalid. */
GameSetup *play_setup(const GamePlay *play, const PlayCase *with);

#endif
