/* The list of games, and functions for all of them. See game.h. */
#include "games/game.h"

#include "base/hash.h"
#include "base/memory.h"
#include "base/nearest_name.h"
#include "games_list.h" /* generated from games.list: GAMES(X) is X(name) for each game */

#include <string.h>

enum { MAPS_MAX = 64 }; /* the most maps listed in an error */

#define DECLARE(name) extern const Game game_##name;
GAMES(DECLARE)

#define NAME(name) #name,
#define ENTRY(name) &game_##name,
const Game *const games_all[] = {GAMES(ENTRY) NULL};

const Game *game_find(Slice name, Error *error) {
    static const char *const names[] = {GAMES(NAME) NULL};
    for (const Game *const *game = games_all; *game; game++)
        if (slice_equals(name, (*game)->name))
            return *game;
    unknown_name("game", name, names, error);
    return NULL;
}

const GameMap *game_find_map(const Game *game, Slice name, Error *error) {
    const char *names[MAPS_MAX + 2];
    size_t count = 0;
    for (const GameMap *map = game->maps; map->name; map++) {
        if (slice_equals(name, map->name))
            return map;
        if (count < MAPS_MAX)
            names[count++] = map->name;
    }
    if (game->generate)
        names[count++] = "generate";
    names[count] = NULL;
    unknown_name("map", name, names, error);
    return NULL;
}

const GameMap *game_default_map(const Game *game, uint32_t players) {
    for (const GameMap *map = game->maps; map->name; map++)
        if (map->players == 0 || map->players == players)
            return map;
    return NULL;
}

bool game_takes(const Game *game, uint32_t players, Error *error) {
    if (players >= game->players_min && players <= game->players_max)
        return true;
    if (game->players_min == game->players_max)
        return error_set(error, "%s is for %u players, not %u", game->title, game->players_min,
                         players);
    return error_set(error, "%s is for %u to %u players, not %u", game->title, game->players_min,
                     game->players_max, players);
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
