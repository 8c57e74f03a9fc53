/* The interface of a game: everything that the rest of the program knows about one.

   A game is a table of functions and three kinds of memory:

   - GameSetup: the configuration, the map, and what is computed from them once. It is read from
     text, never changes during a match, and may contain pointers.
   - GameState: what changes. One flat block of `state_size` bytes without pointers, size_t or
     padding that is not zero: copying it is memcpy, comparing it is memcmp, and its digest is the
     same on every machine. If the game needs random numbers, their generator is in the state.
   - GameOrders: what one player wants to do in one turn; `orders_size` bytes.

   Each begins with the struct of that name.

   A turn: `view` for every player that is active (`is_active`); the bots answer; `read` turns each
   answer into orders; `step` takes the orders of all players at once. `step` allocates nothing,
   reads no clock, prints nothing, and accepts any orders: those that are not allowed are ignored,
   with a reason in the Notes. After a step `state->over` says whether the match is decided, and
   `result` gives ranks and scores.

   In a game's folder, setup.c has setup and setup_free; rules.c has init, step and result;
   protocol.c has view, read, the drawings and the table; maps.c has the maps. All of it also
   compiles for WebAssembly. docs/adding-a-game.md lists the steps for a new game. */
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

/* What happens to a player whose bot fails in a turn. */
typedef enum GameFailure {
    FAILURE_SKIPS,    /* no orders in this turn; it stays in the match */
    FAILURE_FORFEITS, /* its orders are ORDERS_FORFEIT, and the rules decide what that means */
    /* no orders while the bot is restarted; after too many restarts it forfeits */
    FAILURE_RESTARTS,
} GameFailure;

/* How to talk to bots. The game sets the defaults; a configuration may change them. */
typedef struct GameTalk {
    FramingKind framing;
    uint32_t answer_limit; /* bytes in one answer */
    uint32_t turn_ms;
    uint32_t start_ms;    /* until the hello; without a hello, added to the first turn */
    const char *greeting; /* sent as soon as the bot runs, or "" */
    const char *hello;    /* the line that the bot must print before its first view, or NULL */
    uint32_t restarts;    /* for FAILURE_RESTARTS: how many in a match */
    GameFailure on_timeout;
    GameFailure on_exit;
    GameFailure on_malformed; /* `read` rejects the whole answer, or it exceeds the limit */
    GameFailure on_no_hello;
    uint32_t memory_kib; /* memory limit of a bot from the configuration, or 0 */
    /* the likely reason why a bot waits for more input after a whole view, if this configuration
       has a special one; or NULL */
    const char *waiting_hint;
} GameTalk;

/* A configuration or map, with its name for messages. */
typedef struct GameFile {
    const char *name; /* NULL if there is none */
    Slice text;
} GameFile;

/* A built-in map; `text` is what `setup` reads. */
typedef struct GameMap {
    const char *name;
    const char *summary;
    uint32_t players; /* how many can play on it; 0: any number that the game allows */
    const char *text;
} GameMap;

/* A field of the configuration, for help and pages. */
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

/* The head of every game's setup, aligned for the 64-bit numbers that follow it. */
typedef struct GameSetup {
    _Alignas(8) const Game *game;
    uint32_t players;
    uint32_t turns_max;
    size_t state_size;
    size_t orders_size;
    GameTalk talk;
    GameSeat *seats; /* `players` of them, or NULL */
} GameSetup;

/* The head of every game's state, aligned for what follows it. `used` counts the bytes in use,
   head included; the rest of the block is zero. */
typedef struct GameState {
    _Alignas(8) uint32_t turn; /* turns played */
    uint32_t used;
    uint32_t over;
    uint32_t reserved; /* zero */
} GameState;

typedef enum GameOrdersKind {
    ORDERS_NONE,    /* no answer, or none that counts */
    ORDERS_GIVEN,   /* the answer is valid; it may contain no order */
    ORDERS_FORFEIT, /* the player is disqualified */
} GameOrdersKind;

/* The head of every game's orders. What follows it is defined only for ORDERS_GIVEN, and in a list
   of orders only up to `count`: clearing the rest would take longer than most turns. */
typedef struct GameOrders {
    _Alignas(8) uint32_t kind;
    uint32_t count;
} GameOrders;

typedef enum GameEnd {
    END_NONE, /* not over */
    END_ELIMINATION,
    END_SCORE,
    END_TURN_LIMIT,
    END_FORFEIT, /* a bot failed; the match knows how */
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
    /* ends with a NULL name; the first one for a number of players is the default */
    const GameMap *maps;
    const GameOption *options; /* ends with a NULL name */
    /* The help of `skirmish NAME CONFIG COMMAND...`, for a game whose own document defines this
       command line; NULL for all others. */
    const char *command_help;

    /* Writes a map made from a seed, or NULL where the game has no generator. Same arguments, same
       map. `size` is in the game's own unit; 0 is the default. */
    bool (*generate)(uint32_t players, uint64_t seed, uint32_t size, Buffer *map, Error *error);

    /* Writes a map of the largest size that the rules allow, for `players_max` players: bots are
       tested on it. NULL: the largest one that `generate` makes, or else the standard maps. */
    void (*largest)(Buffer *map);

    /* Reads configuration and map. `players` is how many take part, 0 if only the configuration
       knows. Without a file (name NULL), the defaults apply. On failure NULL, and an error that
       names file, line and field. */
    GameSetup *(*setup)(const GameFile *config, const GameFile *map, uint32_t players,
                        Error *error);
    void (*setup_free)(GameSetup *setup);

    void (*init)(const GameSetup *setup, uint64_t seed, GameState *state);

    /* The player's bot failed before the first turn (on_no_hello is FAILURE_FORFEITS). NULL if
       that cannot happen. */
    void (*absent)(const GameSetup *setup, GameState *state, uint32_t player);

    /* One turn. `orders` has an entry for each player. `notes` may be NULL. */
    void (*step)(const GameSetup *setup, GameState *state, const GameOrders *const *orders,
                 Notes *notes);

    /* Ranks and scores as they stand; final when `state->over`. Rank 1 is best, equal ranks are
       ties (1, 1, 3). */
    void (*result)(const GameSetup *setup, const GameState *state, GameResult *result);

    /* Whether the player takes part in the next turn; eliminated players do not. */
    bool (*is_active)(const GameSetup *setup, const GameState *state, uint32_t player);

    /* Appends what the player's bot reads; in turn 0 also what the game sends once at the start. */
    void (*view)(const GameSetup *setup, const GameState *state, uint32_t player, Buffer *to);

    /* Turns an answer into orders. Single orders that are rejected go to `notes` (which may be
       NULL). If the whole answer is invalid, returns false with a reason for the bot's author, and
       `orders` is not defined. */
    bool (*read)(const GameSetup *setup, const GameState *state, uint32_t player, Slice answer,
                 GameOrders *orders, Notes *notes, Error *error);

    /* Appends the last message to a player who is eliminated or whose match is over; NULL if the
       game sends none. */
    void (*farewell)(const GameSetup *setup, const GameState *state, uint32_t player, Buffer *to);

    /* Draws the board as text, followed by one line per player; each line is ended by a newline.
       Colours through base/paint.h. */
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

/* Whether that many players can play a match; if not, sets the error. */
bool game_takes(const Game *game, uint32_t players, Error *error);

/* Zeroed memory for a state, or for the orders of one player. The caller frees it. */
GameState *game_state_new(const GameSetup *setup);
GameOrders *game_orders_new(const GameSetup *setup);

uint64_t game_digest(const GameState *state);

/* Ranks players by one number each: higher is better, equal numbers tie. */
void game_rank_by(uint32_t players, const int64_t *merit, uint32_t *rank);

#endif
