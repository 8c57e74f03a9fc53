/* Capture the flag: two teams of soldiers carry the enemy's flag home and throw grenades at each
   other. docs/rules/ctf.md has the full rules. This header declares the types that setup.c, rules.c
   and protocol.c share; a program that calls the rules directly fills them itself.

   Player 0 is team A, player 1 is team B. Soldiers are numbered in the alphabetical order of their
   names, which is the order in which they act: all of B's come before all of A's. */
#ifndef GAMES_CTF_CTF_H
#define GAMES_CTF_CTF_H

#include "games/game.h"

enum {
    CTF_SIDE_MAX = 200,
    CTF_TEAM_MAX = 7, /* soldiers in a team */
    CTF_SOLDIERS_MAX = 2 * CTF_TEAM_MAX,
    CTF_FUSE = 3, /* rounds from a throw to its explosion */
    CTF_GRENADES_MAX = CTF_FUSE * CTF_SOLDIERS_MAX,
    CTF_NOBODY = 255,
};

/* The fields of the rules line, with shorter names. */
typedef struct CtfRules {
    uint32_t rounds;
    uint32_t soldiers; /* per team */
    int32_t points_kill;
    int32_t points_capture;
    int32_t grenade_range;
    int32_t grenade_cooldown;
} CtfRules;

typedef struct CtfSquare {
    uint8_t x;
    uint8_t y;
} CtfSquare;

typedef struct CtfSetup {
    GameSetup head;
    CtfRules rules;
    uint32_t width;
    uint32_t height;
    CtfSquare spawn[2];
    CtfSquare base[2];
    char tiles[CTF_SIDE_MAX * CTF_SIDE_MAX]; /* row by row: . # A B a b */
} CtfSetup;

typedef struct CtfFlag {
    CtfSquare at;     /* if carried, the square of the carrier */
    uint8_t carrier;  /* a soldier of the other team, or CTF_NOBODY */
    uint8_t reserved; /* zero */
} CtfFlag;

typedef struct CtfSoldier {
    CtfSquare at; /* if dead, where it died */
    uint16_t cooldown;
    uint8_t alive;
    uint8_t reserved[3]; /* zero */
} CtfSoldier;

typedef struct CtfGrenade {
    uint32_t due; /* explodes at the start of this turn */
    CtfSquare at;
    uint8_t thrower;
    uint8_t reserved; /* zero */
} CtfGrenade;

typedef struct CtfState {
    GameState head;
    int64_t points[2];
    uint32_t failed[2]; /* the team's bot failed */
    uint32_t end;       /* GameEnd */
    uint32_t grenade_count;
    CtfFlag flag[2]; /* by the team that owns it */
    CtfSoldier soldier[CTF_SOLDIERS_MAX];
    CtfGrenade grenade[CTF_GRENADES_MAX]; /* in the order in which they were thrown */
} CtfState;

typedef enum CtfMove {
    CTF_NO_ORDER,
    CTF_STAY,
    CTF_UP,
    CTF_DOWN,
    CTF_LEFT,
    CTF_RIGHT,
    CTF_MOVES, /* number of moves */
} CtfMove;

typedef struct CtfOrder {
    /* a CtfMove; if CTF_NO_ORDER, the other members are ignored */
    uint8_t move;
    uint8_t throws;
    uint8_t reserved[2];
    int32_t x; /* where to throw */
    int32_t y;
} CtfOrder;

/* An order for each soldier, by its number; those for soldiers of the other team are ignored.
   `head.count` is the number of orders given. */
typedef struct CtfOrders {
    GameOrders head;
    CtfOrder order[CTF_SOLDIERS_MAX];
} CtfOrders;

extern const Game game_ctf;
extern const GameMap ctf_maps[];
void ctf_largest(Buffer *map);

/* The letters of the moves, by CtfMove: U, D, L, R, S. */
extern const char ctf_move_letters[CTF_MOVES];

GameSetup *ctf_setup(const GameFile *config, const GameFile *map, uint32_t players, Error *error);
void ctf_setup_free(GameSetup *setup);
void ctf_init(const GameSetup *setup, uint64_t seed, GameState *state);
void ctf_step(const GameSetup *setup, GameState *state, const GameOrders *const *orders,
              Notes *notes);
void ctf_result(const GameSetup *setup, const GameState *state, GameResult *result);

/* The number of the team's first soldier. */
static inline uint32_t ctf_first(const CtfSetup *setup, uint32_t team) {
    return team == 0 ? setup->rules.soldiers : 0;
}

static inline uint32_t ctf_team(const CtfSetup *setup, uint32_t soldier) {
    return soldier < setup->rules.soldiers ? 1 : 0;
}

/* A soldier's name: one letter. */
char ctf_name(const CtfSetup *setup, uint32_t soldier);

static inline char ctf_letter(uint32_t team) {
    return team == 0 ? 'A' : 'B';
}

static inline char ctf_tile(const CtfSetup *setup, CtfSquare at) {
    return setup->tiles[at.y * setup->width + at.x];
}

#endif
