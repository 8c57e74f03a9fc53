/* Aliens: the units of two players move simultaneously, fight adjacent enemies and gather energy to
   multiply. docs/rules/aliens.md has the full rules. This header declares the types that setup.c,
   rules.c and protocol.c share; a program that calls the rules directly fills them itself. */
#ifndef GAMES_ALIENS_ALIENS_H
#define GAMES_ALIENS_ALIENS_H

#include "base/random.h"
#include "games/game.h"

enum { ALIENS_SIDE_MIN = 4, ALIENS_SIDE_MAX = 100 };

/* The contents of a square. */
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
    /* the neighbours of each square: up, down, left, right; `cells` if off the grid */
    uint16_t next[][4];
} AliensSetup;

typedef struct AliensState {
    GameState head;
    Random random;
    uint32_t energy[2];
    uint32_t razed[2];
    uint32_t lost[2];
    uint32_t end; /* a GameEnd */
    uint32_t reserved;
    char grid[]; /* row by row, followed by a zero byte */
} AliensState;

/* A move for every square of the grid; ignored for squares without a unit of the player.
   `head.count` is the number of moves given. */
typedef struct AliensOrders {
    GameOrders head;
    uint8_t move[];
} AliensOrders;

extern const Game game_aliens;
extern const GameMap aliens_maps[];
void aliens_largest(Buffer *map);

GameSetup *aliens_setup(const GameFile *config, const GameFile *map, uint32_t players,
                        Error *error);
void aliens_setup_free(GameSetup *setup);
void aliens_init(const GameSetup *setup, uint64_t seed, GameState *state);
void aliens_step(const GameSetup *setup, GameState *state, const GameOrders *const *orders,
                 Notes *notes);
void aliens_result(const GameSetup *setup, const GameState *state, GameResult *result);

/* The square that a move leads to; `cells` if it is off the grid or the move is invalid. */
uint32_t aliens_target(const AliensSetup *setup, uint32_t from, uint8_t move);

#endif
