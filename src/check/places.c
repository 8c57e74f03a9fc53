/* See places.h. */
#include "check/places.h"

enum { SIZE_MAX_TRIED = 10000 }; /* the largest size tried for generated maps */

const Place *places_default(const Places *places) {
    return &places->list[places->usual];
}

uint32_t places_fewest_players(const Places *places) {
    uint32_t fewest = GAME_PLAYERS_MAX;
    for (uint32_t i = 0; i < places->count; i++)
        if (places->list[i].players < fewest)
            fewest = places->list[i].players;
    return fewest;
}

uint32_t places_most_players(const Places *places) {
    uint32_t most = 0;
    for (uint32_t i = 0; i < places->count; i++)
        if (places->list[i].players > most)
            most = places->list[i].players;
    return most;
}

static void add(Places *places, const char *name, Slice text, uint32_t players) {
    if (places->count < PLACES_MAX)
        places->list[places->count++] =
            (Place){.name = name, .map = {name, text}, .players = players};
}

/* Generates a map of the largest size that the generator accepts for this number of players. */
static bool generate_largest(const Game *game, uint32_t players, uint64_t seed, Buffer *map) {
    Error unread;
    uint32_t low = 0; /* accepted, because it means the default */
    uint32_t high = SIZE_MAX_TRIED + 1;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        buffer_clear(map);
        if (game->generate(players, seed, middle, map, &unread))
            low = middle;
        else
            high = middle;
    }
    buffer_clear(map);
    return game->generate(players, seed, low, map, &unread);
}

static void add_generated(Places *places, const Game *game, uint64_t seed) {
    const uint32_t counts[] = {game->players_min, game->players_max};
    for (uint32_t i = 0; i < 2 && places->count < PLACES_MAX; i++) {
        Buffer *map = &places->texts[places->count];
        Error unread;
        if (game->generate(counts[i], seed, 0, map, &unread))
            add(places, "generate", (Slice){map->data, map->length}, counts[i]);
    }
}

uint32_t places_longest_view(const Game *game, const Place *place, uint64_t seed, size_t *bytes) {
    Error unread;
    Buffer view = {0};
    uint32_t longest = 0;
    *bytes = 0;
    GameSetup *setup = game->setup(&place->config, &place->map, place->players, &unread);
    if (!setup)
        return 0;
    Board board;
    board_init(&board, setup, seed);
    for (uint32_t i = 0; i < place->players; i++) {
        buffer_clear(&view);
        game->view(board.setup, board.state, i, &view);
        if (view.length > *bytes) {
            *bytes = view.length;
            longest = i;
        }
    }
    board_free(&board);
    buffer_free(&view);
    return longest;
}

/* The place with the longest first view, among the listed ones and the generator's largest maps. */
static void find_largest(Places *places, const Game *game, uint64_t seed) {
    size_t most = 0;
    for (uint32_t i = 0; i < places->count; i++) {
        size_t bytes = 0;
        places_longest_view(game, &places->list[i], seed, &bytes);
        if (bytes > most)
            places->largest = places->list[i];
        most = bytes > most ? bytes : most;
    }
    Buffer *map = &places->largest_map;
    if (game->largest)
        game->largest(map);
    else if (!game->generate || !generate_largest(game, game->players_max, seed, map))
        return;
    Place largest = {.name = "of the largest size",
                     .map = {"largest", {map->data, map->length}},
                     .players = game->players_max};
    size_t bytes = 0;
    places_longest_view(game, &largest, seed, &bytes);
    if (bytes > most)
        places->largest = largest;
}

bool places_find(Places *places, const Game *game, uint64_t seed, Error *error) {
    const GameMap *usual = game_default_map(game, game->players_min);
    for (const GameMap *map = game->maps; map->name; map++) {
        Slice text = slice_of(map->text);
        if (map == usual)
            places->usual = places->count;
        add(places, map->name, text, map->players ? map->players : game->players_min);
        if (!map->players && game->players_max != game->players_min)
            add(places, map->name, text, game->players_max);
    }
    if (game->generate)
        add_generated(places, game, seed);
    if (!places->count)
        return error_set(error, "%s has no maps", game->title);
    find_largest(places, game, seed);
    return true;
}

void places_free(Places *places) {
    for (uint32_t i = 0; i < PLACES_MAX; i++)
        buffer_free(&places->texts[i]);
    buffer_free(&places->largest_map);
}
