/* Aliens: units of two players move at once, fight where they meet and multiply by gathering
   energy. docs/rules/aliens.md has the rules in full; this header has the shapes that rules.c and
   protocol.c share, and that a program which drives the rules fills itself. */
#ifndef GAMES_ALIENS_ALIENS_H
#define GAMES_ALIENS_ALIENS_H

#include "base/random.h"
#include "games/game.h"

enum { ALIENS_SIDE_MIN = 4, ALIENS_SIDE_MAX = 100 };

/* What stands on a square of the grid. */
enum {
    ALIENS_EMPTY = '.',
    ALIENS_ENERGY = '*',
    ALIENS_DEAD = 'x',
    ALIENS_UNIT = 'a' /* + player */
};

typedef enum AliensMove {
    ALIENS_NO_MOVE,
    ALIENS_STAY,
    ALIENS_UP,
    ALIENS_DOWN,
    ALIENS_LEFT,
    ALIENS_RIGHT,
} AliensMove;

typedef struct AliensSetup {
    GameSetup head;
    uint32_t rows;
    uint32_t cols;
    uint32_t cells;
    uint32_t energy_interval;
    uint32_t spawn[2];
    /* a square's neighbours: up, down, left, right; `cells` where the grid ends */
    uint16_t next[][4];
} AliensSetup;

typedef struct AliensState {
    GameState head;
    Random random;
    uint32_t energy[2];
    uint32_t razed[2];
    uint32_t lost[2];
    uint32_t end; /* GameEnd */
    uint32_t reserved;
    char grid[]; /* row by row, and a zero behind */
} AliensState;

/* A move for every square of the grid; where no own unit stands it is ignored. `head.count` tells
   how many were given. */
typedef struct AliensOrders {
    GameOrders head;
    uint8_t move[];
} AliensOrders;

extern const Game game_aliens;
extern const GameMap aliens_maps[];

GameSetup *aliens_setup(const GameFile *config, const GameFile *map, uint32_t players,
                        Error *error);
void aliens_setup_free(GameSetup *setup);
void aliens_init(const GameSetup *setup, uint64_t seed, GameState *state);
void aliens_step(const GameSetup *setup, GameState *state, const GameOrders *const *orders,
                 Notes *notes);
void aliens_result(const GameSetup *setup, const GameState *state, GameResult *result);

/* The square that a move leads to, or `cells` when that is off the grid or no move at all. */
uint32_t aliens_target(const AliensSetup *setup, uint32_t from, uint8_t move);

#endif
