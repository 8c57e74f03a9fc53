/* Footsoldiers: two players build soldiers near their bases and send them across a field of rocks
   at the enemy's base. docs/rules/footsoldiers.md has the rules in full; this header has the shapes
   that rules.c and protocol.c share, and that a program which drives the rules fills itself. */
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

/* Clockwise, as seen on a map whose rows go down. */
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

/* What the map draws and what never changes. */
typedef enum FootsoldiersFixtureKind {
    FOOTSOLDIERS_BASE, /* + player */
    FOOTSOLDIERS_ROCK = 2,
} FootsoldiersFixtureKind;

typedef struct FootsoldiersFixture {
    FootsoldiersSquare at;
    uint32_t kind;
    uint32_t text_start; /* of its part of `fixture_text` */
    uint32_t text_end;
} FootsoldiersFixture;

/* The numbers of the configuration are kept as wide as it reads them; all are small enough to be
   added and multiplied freely. */
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
    int32_t width;   /* of the drawn map */
    int32_t height;
    FootsoldiersSquare base[2];
    FootsoldiersFixture *fixtures; /* by x, then y */
    uint32_t fixture_count;
    Buffer fixture_text; /* the fixtures as a view shows them, with a comma between two */
    uint32_t solid_stride;
    /* a bit for every square of the map, set where a rock or a base stands; see solid_row in
       rules.c */
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
    FootsoldiersSoldier soldier[]; /* by x, then y; no two on one square */
} FootsoldiersState;

typedef enum FootsoldiersCommand {
    FOOTSOLDIERS_NO_OP,
    FOOTSOLDIERS_BUILD,            /* type, at, destination, direction */
    FOOTSOLDIERS_MOVE,             /* at, destination */
    FOOTSOLDIERS_CHANGE_DIRECTION, /* at, direction */
} FootsoldiersCommand;

/* One command a turn. `head.count` is 0 for No-op, else 1; the rules look at `command` only. */
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

/* Puts a soldier with full health on a free square, at its place in the order. */
void footsoldiers_place(const FootsoldiersSetup *setup, FootsoldiersState *state, uint32_t player,
                        FootsoldiersType type, FootsoldiersSquare at,
                        FootsoldiersSquare destination, FootsoldiersDirection direction);

uint32_t footsoldiers_turns_remaining(const FootsoldiersSetup *setup,
                                      const FootsoldiersState *state);

/* Writes the fixtures once as every view will show them. */
void footsoldiers_write_fixtures(FootsoldiersSetup *setup);

#endif
