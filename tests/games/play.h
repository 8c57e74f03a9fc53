/* How tests drive a game without bots: each game has tests/games/GAME/play.c with one of these. The
   property test, the comparison of builds, the fuzz targets and the corpus check all use it. */
#ifndef TESTS_GAMES_PLAY_H
#define TESTS_GAMES_PLAY_H

#include "base/random.h"
#include "games/game.h"

/* A configuration worth driving: texts may be NULL for "not given". */
typedef struct PlayCase {
    const char *config;
    const char *map;
    uint32_t players;
} PlayCase;

typedef struct GamePlay {
    const Game *game;
    const PlayCase *cases; /* the standard one first */
    uint32_t case_count;

    /* Appends what a bot might say: mostly sensible orders, sometimes refused ones, now and then
       garbage. */
    void (*answer)(const GameSetup *setup, const GameState *state, uint32_t player, Random *random,
                   Buffer *to);

    /* Fills the orders with anything at all that the type allows: in range, out of range, doubled,
       absurd. Sets head.kind to ORDERS_GIVEN and head.count to what it filled (within the orders'
       capacity). */
    void (*hostile)(const GameSetup *setup, const GameState *state, uint32_t player, Random *random,
                    GameOrders *orders);

    /* Checks the game's invariants after a step (with `before` the state ahead of it): returns
       NULL, or a sentence on what is broken. */
    const char *(*check)(const GameSetup *setup, const GameState *before, const GameState *after);
} GamePlay;

/* All of them, in the order of games_all; ends with NULL. */
extern const GamePlay *const plays_all[];

/* Reads one of the cases; ends the program with the error if it is no good. */
GameSetup *play_setup(const GamePlay *play, const PlayCase *with);

#endif
