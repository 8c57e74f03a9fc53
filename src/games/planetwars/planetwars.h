/* Planet Wars: players send expeditions from planet to planet, and the largest fleet at a planet
   takes it. docs/rules/planetwars.md has the full rules. This header declares the types that
   setup.c, rules.c, protocol.c and maps.c share; a program that calls the rules directly fills them
   itself. */
#ifndef GAMES_PLANETWARS_PLANETWARS_H
#define GAMES_PLANETWARS_PLANETWARS_H

#include "games/game.h"

enum {
    PLANETWARS_PLANETS_MAX = 256,
    PLANETWARS_NAME_MAX = 60, /* bytes */
    PLANETWARS_TURNS_MAX = 100000,
    /* The most expeditions of one player that may be under way: a number per planet of the map, and
       a minimum. */
    PLANETWARS_UNDER_WAY_PER_PLANET = 16,
    PLANETWARS_UNDER_WAY_LEAST = 3072,
    PLANETWARS_INDEX_SIZE = 512, /* slots for names: a power of two, at most half full */
};

/* The most ships on a planet at the start. With this and the limits above, every sum of ships fits
   into 64 bits and is exact as a double. */
#define PLANETWARS_SHIPS_MAX INT64_C(1000000000000)

/* Coordinates range from -PLANETWARS_REACH to PLANETWARS_REACH. */
#define PLANETWARS_REACH 1e6

/* A part of `text` in the setup: text in the view that never changes. */
typedef struct PlanetwarsPiece {
    uint32_t at;
    uint32_t length;
} PlanetwarsPiece;

/* The constant properties of a planet. */
typedef struct PlanetwarsSite {
    char name[PLANETWARS_NAME_MAX + 4]; /* ends with NUL */
    uint32_t name_length;
    uint32_t owner; /* at the start: 0 for none, else the player's number, from 1 */
    uint64_t ships; /* ships at the start */
    double x;
    double y;
    PlanetwarsPiece place;     /* text between its ship count and its owner */
    PlanetwarsPiece rest;      /* text between its owner and the next planet's ship count */
    PlanetwarsPiece as_origin; /* text between an expedition's ship count and its destination */
    PlanetwarsPiece as_destination; /* text between there and an expedition's owner */
} PlanetwarsSite;

typedef struct PlanetwarsSetup {
    GameSetup head;
    uint32_t planet_count;
    uint32_t under_way_max;   /* most expeditions of one player, and moves in its orders */
    uint32_t expeditions_max; /* most expeditions of all players that fit into the state */
    uint32_t reserved;
    PlanetwarsSite *sites;
    /* turns from planet to planet, at least 1: [origin * planet_count + destination] */
    uint32_t *travel;
    uint16_t index[PLANETWARS_INDEX_SIZE]; /* planets by name: number + 1, or 0 */
    Buffer text;
} PlanetwarsSetup;

typedef struct PlanetwarsPlayer {
    /* the planets that it owns; aligned for the planets that follow the players */
    _Alignas(8) uint32_t planets;
    uint32_t expeditions; /* under way */
    uint32_t died;        /* the turn, from 1; 0 while it is alive */
    uint32_t reserved;
} PlanetwarsPlayer;

typedef struct PlanetwarsPlanet {
    uint64_t ships;
    uint32_t owner; /* 0 for none, else the player's number, from 1 */
    uint32_t reserved;
} PlanetwarsPlanet;

typedef struct PlanetwarsExpedition {
    uint64_t id;
    uint64_t ships;
    uint32_t turns_remaining;
    uint32_t owner; /* the player's number, from 1 */
    uint16_t origin;
    uint16_t destination;
    /* zero between turns; during a turn, links expeditions that arrive at the same planet */
    uint32_t next;
} PlanetwarsExpedition;

/* Followed by the players, the planets, and the expeditions in the order of their ids. */
typedef struct PlanetwarsState {
    GameState head;
    uint32_t end; /* GameEnd */
    uint32_t expedition_count;
    uint64_t next_id;
} PlanetwarsState;

typedef struct PlanetwarsMove {
    uint64_t ships;
    uint32_t origin;
    uint32_t destination;
} PlanetwarsMove;

typedef struct PlanetwarsOrders {
    GameOrders head; /* `count` moves */
    PlanetwarsMove moves[];
} PlanetwarsOrders;

/* The parts of a state. Like strchr, these return a pointer without const: a caller that may change
   the state may change them. */
static inline PlanetwarsPlayer *planetwars_players(const PlanetwarsState *state) {
    /* The only way to drop const that the compilers accept.
       NOLINTNEXTLINE(performance-no-int-to-ptr) */
    return (PlanetwarsPlayer *)((uintptr_t)state + sizeof *state);
}

static inline PlanetwarsPlanet *planetwars_planets(const PlanetwarsSetup *setup,
                                                   const PlanetwarsState *state) {
    return (PlanetwarsPlanet *)(planetwars_players(state) + setup->head.players);
}

static inline PlanetwarsExpedition *planetwars_expeditions(const PlanetwarsSetup *setup,
                                                           const PlanetwarsState *state) {
    return (PlanetwarsExpedition *)(planetwars_planets(setup, state) + setup->planet_count);
}

extern const Game game_planetwars;
extern const GameMap planetwars_maps[];

GameSetup *planetwars_setup(const GameFile *config, const GameFile *map, uint32_t players,
                            Error *error);
void planetwars_setup_free(GameSetup *setup);
void planetwars_init(const GameSetup *setup, uint64_t seed, GameState *state);
void planetwars_step(const GameSetup *setup, GameState *state, const GameOrders *const *orders,
                     Notes *notes);
void planetwars_result(const GameSetup *setup, const GameState *state, GameResult *result);

/* See Game.generate. `size` is the number of planets for each player. */
bool planetwars_generate(uint32_t players, uint64_t seed, uint32_t size, Buffer *map, Error *error);

/* Turns that an expedition takes between two places: the distance rounded up, and at least one. */
uint32_t planetwars_travel(double x, double y, double other_x, double other_y);

/* The number of the planet with that name; `planet_count` if there is none. */
uint32_t planetwars_find(const PlanetwarsSetup *setup, Slice name);

/* Why a move is not allowed, or NULL. `ships` is how many ships the player can still send from the
   origin, `under_way` how many other expeditions it has; both are only used if the player owns the
   origin. */
const char *planetwars_refusal(const PlanetwarsSetup *setup, const PlanetwarsState *state,
                               uint32_t player, const PlanetwarsMove *move, uint64_t ships,
                               uint32_t under_way);

/* Fills `text` and its pieces in a setup whose sites are complete. In protocol.c. */
void planetwars_prepare_view(PlanetwarsSetup *setup);

#endif
