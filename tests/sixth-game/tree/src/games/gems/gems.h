/* Gems: two or three players race over a grid for gems that appear at random. docs/rules/gems.md
   has the rules. */
#ifndef GAMES_GEMS_GEMS_H
#define GAMES_GEMS_GEMS_H

#include "base/random.h"
#include "games/game.h"

enum { GEMS_SIDE_MIN = 3, GEMS_SIDE_MAX = 30, GEMS_PLAYERS_MAX = 3, GEMS_VALUE_MAX = 3 };

typedef enum GemsMove {
    GEMS_STAY,
    GEMS_UP,
    GEMS_DOWN,
    GEMS_LEFT,
    GEMS_RIGHT,
    GEMS_MOVE_COUNT
} GemsMove;

typedef struct GemsSetup {
    GameSetup head;
    uint32_t rows;
    uint32_t cols;
    uint32_t gems; /* how many lie on the board at the start of a turn */
} GemsSetup;

typedef struct GemsPlayer {
    uint32_t row;
    uint32_t col;
    uint32_t points;
    uint32_t out; /* the turn, from 1, in which the bot failed; 0 while it plays */
} GemsPlayer;

typedef struct GemsState {
    GameState head;
    Random random;
    GemsPlayer player[GEMS_PLAYERS_MAX];
    uint32_t end; /* GameEnd */
    uint32_t reserved;
    uint8_t gem[]; /* for each square, row by row: the value of the gem there, or 0 */
} GemsState;

typedef struct GemsOrders {
    GameOrders head;
    uint32_t move; /* GemsMove */
    uint32_t reserved;
} GemsOrders;

extern const Game game_gems;
extern const GameMap gems_maps[];

GameSetup *gems_setup(const GameFile *config, const GameFile *map, uint32_t players, Error *error);
void gems_setup_free(GameSetup *setup);
void gems_init(const GameSetup *setup, uint64_t seed, GameState *state);
void gems_step(const GameSetup *setup, GameState *state, const GameOrders *const *orders,
               Notes *notes);
void gems_result(const GameSetup *setup, const GameState *state, GameResult *result);

#endif
