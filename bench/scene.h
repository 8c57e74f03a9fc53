/* The part of a benchmark that depends on the game: a position to measure, orders for it, and the
   smallest bot that can play it. Each game has one in bench/GAME.c. */
#ifndef BENCH_SCENE_H
#define BENCH_SCENE_H

#include "games/game.h"

typedef struct BenchScene {
    const Game *game;
    const char *what; /* describes the position: "eight soldiers on the board" */
    uint32_t players;

    /* Changes the state from `init` into the position; NULL if no change is needed. */
    void (*prepare)(const GameSetup *setup, GameState *state);

    /* Fills in one or two valid orders of a player for the current state. Not part of the measured
       time. */
    void (*orders)(const GameSetup *setup, const GameState *state, uint32_t player,
                   GameOrders *orders);

    const char *view_end;      /* the bytes that end every view */
    const char *trivial_hello; /* what the trivial bot prints before the first view, or "" */
    /* its answer to every view: well-formed, without orders */
    const char *trivial_answer;
} BenchScene;

/* All scenes, in the order of games_all; ends with NULL. */
extern const BenchScene *const scenes_all[];

#endif
