/* The list of games, and what holds for all of them. See game.h. */
#include "games/game.h"

#include "base/hash.h"
#include "base/memory.h"
#include "games_list.h" /* made from games.list: GAMES(X) is X(name) for each */

#include <string.h>

#define DECLARE(name) extern const Game game_##name;
GAMES(DECLARE)

#define ENTRY(name) &game_##name,
const Game *const games_all[] = {GAMES(ENTRY) NULL};

const Game *game_find(const char *name) {
    for (const Game *const *game = games_all; *game; game++)
        if (strcmp((*game)->name, name) == 0)
            return *game;
    return NULL;
}

const GameMap *game_map(const Game *game, const char *name, uint32_t players) {
    for (const GameMap *map = game->maps; map->name; map++)
        if (name ? strcmp(map->name, name) == 0 : map->players == 0 || map->players == players)
            return map;
    return NULL;
}

bool game_takes(const Game *game, uint32_t players, Error *error) {
    if (players >= game->players_min && players <= game->players_max)
        return true;
    if (game->players_min == game->players_max)
        return error_set(error, "a match of %s is for %u players, not %u", game->name,
                         game->players_min, players);
    return error_set(error, "a match of %s is for %u to %u players, not %u", game->name,
                     game->players_min, game->players_max, players);
}

GameState *game_state_new(const GameSetup *setup) {
    return xcalloc(1, setup->state_size);
}

GameOrders *game_orders_new(const GameSetup *setup) {
    return xcalloc(1, setup->orders_size);
}

uint64_t game_digest(const GameState *state) {
    return hash64(state, state->used);
}

void game_rank_by(uint32_t players, const int64_t *merit, uint32_t *rank) {
    for (uint32_t i = 0; i < players; i++) {
        rank[i] = 1;
        for (uint32_t j = 0; j < players; j++)
            rank[i] += merit[j] > merit[i];
    }
}
