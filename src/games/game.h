/* The contract of a game: everything that the rest of the house may know of one.

   A game is a table of functions and three kinds of memory:

   - GameSetup: what was configured: the map, the rules' numbers, anything worth computing once. It
   is made from text, never changes
     during a match, and may hold pointers.
   - GameState: what changes. One flat block of `state_size` bytes without pointers, size_t or
   padding that is not zero: copying it is
     memcpy, comparing it is memcmp, and its digest is the same on every machine. A generator of
     chance, if the game needs one, is
     inside it. Every state begins with a GameState head.
   - GameOrders: what one player wants in one turn, `orders_size` bytes, beginning with a GameOrders
   head.

   A turn goes: `view` for every player that `asks`; the bots answer; `read` makes orders of each
   answer; `step` takes the orders of all players at once. `step` allocates nothing, reads no clock,
   prints nothing, and copes with any orders: what is not allowed is ignored, with a reason in the
   Notes. After a step `state->over` says whether the match is decided, and `result` tells how.

   rules.c of a game holds setup, init, step and result; protocol.c holds view, read and the
   drawings; maps.c the standard maps. All of it compiles for WebAssembly as it is. Adding a game is
   a folder, and its name in games.list. */
#ifndef GAMES_GAME_H
#define GAMES_GAME_H

#include "base/buffer.h"
#include "base/error.h"
#include "base/framing.h"
#include "base/json.h"
#include "base/slice.h"
#include "games/notes.h"

enum { GAME_PLAYERS_MAX = 64 };

typedef struct Game Game;

/* What becomes of a player whose bot fails in a turn. */
typedef enum GameFailure {
    FAILURE_SKIPS,    /* no orders this turn; it plays on */
    FAILURE_FORFEITS, /* its orders are ORDERS_FORFEIT, and the rules decide what that means */
    /* a turn or more without orders while the bot is started anew; too often, and it forfeits */
    FAILURE_RESTARTS,
} GameFailure;

/* How bots are talked to. The game gives the defaults; a configuration may change them for its
   match. */
typedef struct GameTalk {
    FramingKind framing;
    uint32_t answer_limit; /* bytes in one answer */
    uint32_t turn_ms;
    uint32_t start_ms;    /* until the hello; without a hello, on top of the first turn */
    const char *greeting; /* sent as soon as the bot runs, or "" */
    const char *hello;    /* the line that the bot must say before its first view, or NULL */
    uint32_t restarts;    /* for FAILURE_RESTARTS: how many in a match */
    GameFailure on_timeout;
    GameFailure on_exit;
    GameFailure on_malformed; /* an answer that `read` refuses as a whole, or one above the limit */
    GameFailure on_no_hello;
    uint32_t memory_kib; /* what a bot may use, as the configuration says; 0 when it says nothing */
} GameTalk;

/* A text that somebody gave, with the name that messages call it by. */
typedef struct GameFile {
    const char *name; /* NULL: not given */
    Slice text;
} GameFile;

/* A standard map, ready to be given to `setup`. */
typedef struct GameMap {
    const char *name;
    const char *summary;
    uint32_t players; /* for how many it is made; 0: any number that the game allows */
    const char *text;
} GameMap;

/* A line of help on a field of the configuration. */
typedef struct GameOption {
    const char *name;
    const char *standard;
    const char *summary;
} GameOption;

/* A bot that the configuration itself names for a seat (Underworld's `players`). */
typedef struct GameSeat {
    char *name;
    char *command;
} GameSeat;

/* The head of every game's setup. Aligned for 64-bit numbers behind it, also where pointers are
   small. */
typedef struct GameSetup {
    _Alignas(8) const Game *game;
    uint32_t players;
    uint32_t turns_max;
    size_t state_size;
    size_t orders_size;
    GameTalk talk;
    GameSeat *seats; /* `players` of them, or NULL */
} GameSetup;

/* The head of every game's state. `used` counts the bytes of the block that matter, head included;
   what lies behind is zero. Aligned for what the games put behind it. */
typedef struct GameState {
    _Alignas(8) uint32_t turn; /* turns played */
    uint32_t used;
    uint32_t over;
    uint32_t reserved; /* zero */
} GameState;

typedef enum GameOrdersKind {
    ORDERS_NONE,    /* nothing was said, or nothing that counts */
    ORDERS_GIVEN,   /* the answer was understood; it may hold no order */
    ORDERS_FORFEIT, /* the player is out */
} GameOrdersKind;

/* The head of every game's orders. */
typedef struct GameOrders {
    _Alignas(8) uint32_t kind;
    uint32_t count;
} GameOrders;

typedef enum GameEnd {
    END_NONE, /* not over */
    END_ELIMINATION,
    END_SCORE,
    END_TURN_LIMIT,
    END_FORFEIT, /* somebody's bot failed; the match knows how */
} GameEnd;

typedef struct GameResult {
    GameEnd end;
    bool scored; /* the game keeps a score */
    uint32_t rank[GAME_PLAYERS_MAX];
    int64_t score[GAME_PLAYERS_MAX];
} GameResult;

struct Game {
    const char *name;    /* as typed: "planetwars" */
    const char *title;   /* as read: "Planet Wars" */
    const char *summary; /* one sentence */
    uint32_t players_min;
    uint32_t players_max;
    GameTalk talk;
    /* ends with a NULL name; the first for a number of players is its standard map */
    const GameMap *maps;
    const GameOption *options; /* ends with a NULL name */
    /* The help of `skirmish NAME CONFIG COMMAND...`, for a game whose own document defines this
       command line; NULL for all others. */
    const char *command_help;

    /* Writes a map made from a seed, or NULL where the game has no generator. Same arguments, same
       map. `size` is the game's own measure of how large, 0 for the usual. */
    bool (*generate)(uint32_t players, uint64_t seed, uint32_t size, Buffer *map, Error *error);

    /* Reads configuration and map. `players` is how many take part, 0 when only the configuration
       knows. Either file may be missing (name NULL): the standard values hold then. On failure
       NULL, and an error that names file, line and field. */
    GameSetup *(*setup)(const GameFile *config, const GameFile *map, uint32_t players,
                        Error *error);
    void (*setup_free)(GameSetup *setup);

    void (*init)(const GameSetup *setup, uint64_t seed, GameState *state);

    /* The player's bot failed before the first turn (on_no_hello is FAILURE_FORFEITS). NULL where
       that cannot be. */
    void (*absent)(const GameSetup *setup, GameState *state, uint32_t player);

    /* One turn. `orders` has an entry for each player. `notes` may be NULL. */
    void (*step)(const GameSetup *setup, GameState *state, const GameOrders *const *orders,
                 Notes *notes);

    /* Ranks and scores as they stand; final when `state->over`. Rank 1 is best, equal ranks are
       ties (1, 1, 3). */
    void (*result)(const GameSetup *setup, const GameState *state, GameResult *result);

    /* Whether the player takes part in the coming turn: who is out is not asked. */
    bool (*asks)(const GameSetup *setup, const GameState *state, uint32_t player);

    /* Appends what the player's bot reads. In turn 0 that includes whatever the game says once at
       the start. */
    void (*view)(const GameSetup *setup, const GameState *state, uint32_t player, Buffer *to);

    /* Makes orders of an answer. Fills the whole of `orders`. Single orders that are refused go to
       `notes` (which may be NULL); an answer that is bad as a whole makes it return false, with a
       reason for the bot's author. */
    bool (*read)(const GameSetup *setup, const GameState *state, uint32_t player, Slice answer,
                 GameOrders *orders, Notes *notes, Error *error);

    /* Appends what a player is told that is out or at the end, or NULL where the game says
       nothing. */
    void (*farewell)(const GameSetup *setup, const GameState *state, uint32_t player, Buffer *to);

    /* Draws the board as text, each line ended by a newline; colours through base/paint.h. */
    void (*draw)(const GameSetup *setup, const GameState *state, bool colour, Buffer *to);

    /* The whole state, and one player's orders, as one JSON value each. */
    void (*state_json)(const GameSetup *setup, const GameState *state, Buffer *to);
    void (*orders_json)(const GameSetup *setup, const GameOrders *orders, Buffer *to);
};

/* All games, in the order of games.list; ends with NULL. */
extern const Game *const games_all[];

/* The game of that name; NULL, with an error that suggests one, if there is none. */
const Game *game_find(Slice name, Error *error);

/* The standard map of that name; NULL, with an error, if there is none. */
const GameMap *game_find_map(const Game *game, Slice name, Error *error);

/* The map that is played when none is chosen; NULL if the game has none for that many players. */
const GameMap *game_default_map(const Game *game, uint32_t players);

/* Whether so many can play a match of it; else a sentence. */
bool game_takes(const Game *game, uint32_t players, Error *error);

/* Zeroed memory for one state, or for one player's orders. The caller frees it. */
GameState *game_state_new(const GameSetup *setup);
GameOrders *game_orders_new(const GameSetup *setup);

uint64_t game_digest(const GameState *state);

/* Fills ranks from one number a player: the higher the better, equal numbers tie. */
void game_rank_by(uint32_t players, const int64_t *merit, uint32_t *rank);

#endif
