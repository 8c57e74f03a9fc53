/* What a benchmark needs to know of a game: a position worth timing, orders for it, and the
   smallest bot that can play it. Each game has one in bench/GAME.c. */
#ifndef BENCH_SCENE_H
#define BENCH_SCENE_H

#include "games/game.h"

typedef struct BenchScene {
    const Game *game;
    const char *what; /* the position in words: "eight soldiers on the board" */
    uint32_t players;

    /* Changes the state that `init` left into the position; NULL when that is the position. */
    void (*prepare)(const GameSetup *setup, GameState *state);

    /* Fills one or two legal orders for a player, for the state at hand. Called outside the time
       that is measured. */
    void (*orders)(const GameSetup *setup, const GameState *state, uint32_t player,
                   GameOrders *orders);

    const char *view_end;      /* the bytes that end every view */
    const char *trivial_hello; /* what the trivial bot says before the first view, "" for nothing */
    /* what it says to every view: a well-formed answer without orders */
    const char *trivial_answer;
} BenchScene;

/* All of them, in the order of games_all; ends with NULL. */
extern const BenchScene *const scenes_all[];

#endif
