/* Footsoldiers: two players build soldiers near their bases and send them across a field of rocks
   to the enemy's base. docs/rules/footsoldiers.md has the full rules. This header declares the
   types that setup.c, rules.c and protocol.c share; a program that calls the rules directly fills
   them itself. */
#ifndef GAMES_FOOTSOLDIERS_FOOTSOLDIERS_H
#define GAMES_FOOTSOLDIERS_FOOTSOLDIERS_H

#include "games/game.h"

enum {
    FOOTSOLDIERS_SIDE_MAX = 500,             /* columns and lines of a map */
    FOOTSOLDIERS_SPEED_MAX = 31,             /* a soldier's reach fits into words of 64 squares */
    FOOTSOLDIERS_COORDINATE_MAX = 999999999, /* nine digits */
    FOOTSOLDIERS_PLAYER_HEALTH = 40,
};

typedef enum FootsoldiersType {
    FOOTSOLDIERS_SCOUT,
    FOOTSOLDIERS_ASSASSIN,
    FOOTSOLDIERS_TANK,
    FOOTSOLDIERS_TYPES,
} FootsoldiersType;

/* Clockwise on a map whose rows go down. */
typedef enum FootsoldiersDirection {
    FOOTSOLDIERS_DOWN,
    FOOTSOLDIERS_LEFT,
    FOOTSOLDIERS_UP,
    FOOTSOLDIERS_RIGHT,
    FOOTSOLDIERS_DIRECTIONS,
} FootsoldiersDirection;

/* x is the column from the left, y the row from the top. */
typedef struct FootsoldiersSquare {
    int32_t x;
    int32_t y;
} FootsoldiersSquare;

/* Things on the map that never change. */
typedef enum FootsoldiersFixtureKind {
    FOOTSOLDIERS_BASE, /* + player */
    FOOTSOLDIERS_ROCK = 2,
} FootsoldiersFixtureKind;

typedef struct FootsoldiersFixture {
    FootsoldiersSquare at;
    uint32_t kind;
    uint32_t text_start; /* offset of its part of `fixture_text` */
    uint32_t text_end;
} FootsoldiersFixture;

/* Numbers from the configuration stay 64 bits wide; their limits are so low that sums and products
   cannot overflow. */
typedef struct FootsoldiersSetup {
    GameSetup head;
    int64_t initial_money;
    int64_t money_per_turn;
    int64_t max_distance;
    int64_t total_turns;
    int64_t memory_kib;
    int64_t initialisation_seconds;
    int64_t health[FOOTSOLDIERS_TYPES];
    int64_t speed[FOOTSOLDIERS_TYPES];
    int64_t damage[FOOTSOLDIERS_TYPES];
    int64_t cost[FOOTSOLDIERS_TYPES];
    bool view_newline;
    uint32_t soldiers_max;
    int32_t fastest; /* the highest of the speeds */
    int32_t width;   /* width of the map as drawn */
    int32_t height;
    FootsoldiersSquare base[2];
    FootsoldiersFixture *fixtures; /* by x, then y */
    uint32_t fixture_count;
    Buffer fixture_text; /* the fixtures as shown in a view, separated by commas */
    uint32_t solid_stride;
    /* a bit for every square of the map, set for rocks and bases; see solid_row in rules.c */
    uint64_t *solid;
} FootsoldiersSetup;

typedef struct FootsoldiersSoldier {
    FootsoldiersSquare at;
    FootsoldiersSquare destination;
    int32_t health;
    uint8_t type;
    uint8_t player;
    uint8_t direction;
    uint8_t reserved; /* zero */
} FootsoldiersSoldier;

typedef struct FootsoldiersPlayer {
    int64_t money;
    int32_t health;
    uint32_t lost;
} FootsoldiersPlayer;

typedef struct FootsoldiersState {
    GameState head;
    FootsoldiersPlayer player[2];
    uint32_t end; /* GameEnd */
    uint32_t soldier_count;
    FootsoldiersSoldier soldier[]; /* by x, then y; at most one per square */
} FootsoldiersState;

typedef enum FootsoldiersCommand {
    FOOTSOLDIERS_NO_OP,
    FOOTSOLDIERS_BUILD,            /* type, at, destination, direction */
    FOOTSOLDIERS_MOVE,             /* at, destination */
    FOOTSOLDIERS_CHANGE_DIRECTION, /* at, direction */
} FootsoldiersCommand;

/* One command per turn. `head.count` is 0 for No-op, else 1; the rules only use `command`. */
typedef struct FootsoldiersOrders {
    GameOrders head;
    uint32_t command;
    uint32_t type;
    FootsoldiersSquare at;
    FootsoldiersSquare destination;
    uint32_t direction;
    uint32_t reserved; /* zero */
} FootsoldiersOrders;

extern const Game game_footsoldiers;
extern const GameMap footsoldiers_maps[];
void footsoldiers_largest(Buffer *map);
extern const char *const footsoldiers_type_names[FOOTSOLDIERS_TYPES];
extern const char *const footsoldiers_direction_names[FOOTSOLDIERS_DIRECTIONS];
extern const FootsoldiersSquare footsoldiers_steps[FOOTSOLDIERS_DIRECTIONS];

GameSetup *footsoldiers_setup(const GameFile *config, const GameFile *map, uint32_t players,
                              Error *error);
void footsoldiers_setup_free(GameSetup *setup);
void footsoldiers_init(const GameSetup *setup, uint64_t seed, GameState *state);
void footsoldiers_step(const GameSetup *setup, GameState *state, const GameOrders *const *orders,
                       Notes *notes);
void footsoldiers_result(const GameSetup *setup, const GameState *state, GameResult *result);

/* Adds a soldier with full health on a free square and keeps the list sorted. */
void footsoldiers_place(const FootsoldiersSetup *setup, FootsoldiersState *state, uint32_t player,
                        FootsoldiersType type, FootsoldiersSquare at,
                        FootsoldiersSquare destination, FootsoldiersDirection direction);

uint32_t footsoldiers_turns_remaining(const FootsoldiersSetup *setup,
                                      const FootsoldiersState *state);

/* Fills `fixture_text`. In protocol.c. */
void footsoldiers_write_fixtures(FootsoldiersSetup *setup);

#endif
