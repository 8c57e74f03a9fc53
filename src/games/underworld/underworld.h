/* Underworld: castles, farms, barracks and warriors on a grid; a player without a castle loses.
   docs/rules/underworld.md has the full rules. This header declares the types that setup.c, rules.c
   and protocol.c share; a program that calls the rules directly fills them itself. */
#ifndef GAMES_UNDERWORLD_UNDERWORLD_H
#define GAMES_UNDERWORLD_UNDERWORLD_H

#include "games/game.h"

enum {
    UNDERWORLD_SIDE_MAX = 200,
    UNDERWORLD_RANGE_MAX = 32,
    UNDERWORLD_VISION_MAX = 400,
    UNDERWORLD_TURNS_MAX = 100000,
    UNDERWORLD_INCOME_MAX = 1000000,
    UNDERWORLD_VALUE_MAX = 1000000000, /* hitpoints, costs, damage */
    UNDERWORLD_ORDERS_MAX = 4096,      /* per player and turn */
    UNDERWORLD_LINE_MAX = 1024,        /* bytes in one line of an answer */
};
#define UNDERWORLD_MONEY_MAX INT64_C(1000000000000)

/* The contents of a cell, as letters of the protocol. */
enum {
    UNDERWORLD_FREE = 0,
    UNDERWORLD_WARRIOR = 'W',
    UNDERWORLD_BARRACKS = 'B',
    UNDERWORLD_CASTLE = 'C',
    UNDERWORLD_FARM = 'F',
    UNDERWORLD_WALL = '#',
};

typedef struct UnderworldValues {
    int32_t hitpoints;
    int32_t cost;
} UnderworldValues;

/* The grid has a margin of free cells above and below, and between the end of a row and the start
   of the next, as wide as a warrior reaches: code that scans around a cell of the board needs no
   bounds checks. Cell (x, y) is `origin + y * stride + x`. */
typedef struct UnderworldSetup {
    GameSetup head;
    uint32_t size_x;
    uint32_t size_y;
    uint32_t stride;
    uint32_t origin;
    uint32_t grid_cells; /* including the margin */
    uint32_t grid_offset;
    uint32_t objects_offset;
    uint32_t vision; /* 0: everything is visible */
    UnderworldValues castle;
    UnderworldValues barracks;
    UnderworldValues farm;
    UnderworldValues warrior;
    int32_t income;
    int32_t damage;
    int32_t range;
    /* cells within range of a warrior, as differences of grid indexes */
    uint32_t reach_count;
    int32_t *reach;
    GameState *initial;
} UnderworldSetup;

typedef struct UnderworldPlayer {
    int64_t money;
    /* 0: not lost; 1: lost before the first turn; n + 1: lost in turn n, counted from 1 */
    uint32_t out;
    uint32_t forfeited; /* its bot failed */
} UnderworldPlayer;

/* A cell of the grid: the object on it, and copies of what the rules read most often. */
typedef struct UnderworldCell {
    uint16_t object; /* its index in the list of objects */
    uint8_t side;    /* its owner + 1; 0 for free cells and walls */
    uint8_t kind;
} UnderworldCell;

/* Walls are only on the grid. `order` and `fate` are used during a turn and zero between turns. */
typedef struct UnderworldObject {
    int32_t hitpoints;
    uint16_t x;
    uint16_t y;
    uint8_t owner;
    uint8_t kind;
    uint8_t order;
    uint8_t fate;
} UnderworldObject;

/* Followed by the players, the grid and the objects, in this order. The used part of the state ends
   with the last object. */
typedef struct UnderworldState {
    GameState head;
    uint32_t end; /* GameEnd */
    uint32_t object_count;
    UnderworldPlayer players[];
} UnderworldState;

typedef enum UnderworldOrderKind {
    UNDERWORLD_NO_ORDER,
    UNDERWORLD_MOVE,
    UNDERWORLD_SPAWN,
    UNDERWORLD_BUILD,
} UnderworldOrderKind;

typedef struct UnderworldOrder {
    uint8_t kind;
    uint8_t what; /* N, S, E or W; for UNDERWORLD_BUILD the letter of the building */
    uint16_t x;
    uint16_t y;
} UnderworldOrder;

typedef struct UnderworldOrders {
    GameOrders head;
    UnderworldOrder order[UNDERWORLD_ORDERS_MAX];
} UnderworldOrders;

static inline UnderworldCell *underworld_grid(const UnderworldSetup *setup,
                                              UnderworldState *state) {
    return (UnderworldCell *)(void *)((char *)state + setup->grid_offset);
}

static inline const UnderworldCell *underworld_grid_const(const UnderworldSetup *setup,
                                                          const UnderworldState *state) {
    return (const UnderworldCell *)(const void *)((const char *)state + setup->grid_offset);
}

static inline UnderworldObject *underworld_objects(const UnderworldSetup *setup,
                                                   UnderworldState *state) {
    return (UnderworldObject *)(void *)((char *)state + setup->objects_offset);
}

static inline const UnderworldObject *underworld_objects_const(const UnderworldSetup *setup,
                                                               const UnderworldState *state) {
    return (const UnderworldObject *)(const void *)((const char *)state + setup->objects_offset);
}

static inline uint32_t underworld_cell(const UnderworldSetup *setup, uint32_t x, uint32_t y) {
    return setup->origin + y * setup->stride + x;
}

extern const Game game_underworld;
extern const GameMap underworld_maps[];
void underworld_largest(Buffer *map);

GameSetup *underworld_setup(const GameFile *config, const GameFile *map, uint32_t players,
                            Error *error);
void underworld_setup_free(GameSetup *setup);
void underworld_init(const GameSetup *setup, uint64_t seed, GameState *state);
void underworld_absent(const GameSetup *setup, GameState *state, uint32_t player);
void underworld_step(const GameSetup *setup, GameState *state, const GameOrders *const *orders,
                     Notes *notes);
void underworld_result(const GameSetup *setup, const GameState *state, GameResult *result);

/* Places an object with full hitpoints (or a wall, whose owner is ignored) on a free cell. For
   setups, tests and benchmarks. */
void underworld_put(const UnderworldSetup *setup, UnderworldState *state, uint32_t x, uint32_t y,
                    uint8_t kind, uint32_t owner);

static inline bool underworld_is_direction(uint8_t letter) {
    return letter == 'N' || letter == 'S' || letter == 'E' || letter == 'W';
}

/* The cell one step from (x, y). Returns false, without changing *to_x and *to_y, if `direction` is
   not N, S, E or W or if the step leaves the board. */
bool underworld_target(const UnderworldSetup *setup, uint32_t x, uint32_t y, uint8_t direction,
                       uint32_t *to_x, uint32_t *to_y);

#endif
