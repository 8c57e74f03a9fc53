/* See match_setup.h. */
#include "cli/match_setup.h"

#include "base/memory.h"
#include "base/nearest_name.h"
#include "bots/bot_build.h"
#include "bots/process.h"
#include "cli/progress_bar.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool match_setup_game(MatchSetup *setup, const char *name, Error *error) {
    setup->game = game_find(slice_of(name), error);
    return setup->game != NULL;
}

/* generate[:SEED[:SIZE]] */
static bool generate(const Game *game, const char *map, uint32_t players, uint64_t seed, Buffer *to,
                     Error *error) {
    uint64_t size = 0;
    char numbers[2][24] = {"", ""};
    Slice rest = slice_of(map);
    slice_skip(&rest, "generate");
    for (int i = 0; i < 2 && slice_skip(&rest, ":"); i++)
        for (size_t length = 0; rest.length && *rest.at != ':'; rest.at++, rest.length--)
            if (length + 1 < sizeof numbers[i])
                numbers[i][length++] = *rest.at;
    if (!game->generate)
        return error_set(error, "%s has no map generator", game->name);
    if (rest.length)
        return error_set(
            error, "invalid map \"%.60s\"; expected generate, generate:SEED or generate:SEED:SIZE",
            map);
    if ((*numbers[0] && !parse_number("the map's seed", numbers[0], 0, UINT64_MAX, &seed, error)) ||
        (*numbers[1] && !parse_number("the map's size", numbers[1], 1, 10000, &size, error)))
        return false;
    return game->generate(players, seed, (uint32_t)size, to, error);
}

bool load_map(const Game *game, const char *map, uint32_t players, uint64_t seed, Buffer *to,
              Error *error) {
    Error no_map;
    const GameMap *standard = game_find_map(game, slice_of(map), &no_map);
    if (standard) {
        buffer_text(to, standard->text);
        return true;
    }
    if (strcmp(map, "generate") == 0 || strncmp(map, "generate:", 9) == 0)
        return generate(game, map, players, seed, to, error);
    if (load_file(map, to, error))
        return true;
    if (!strpbrk(map, "/.")) /* the name of a map, not a path */
        *error = no_map;
    return false;
}

bool match_setup_load(MatchSetup *setup, const char *config, const char *map, uint32_t players,
                      uint64_t seed, Error *error) {
    const Game *game = setup->game;
    bool named_there = !players && config; /* players, by the configuration */
    if (!named_there && (players < game->players_min || players > game->players_max)) {
        char range[32];
        if (game->players_min == game->players_max)
            snprintf(range, sizeof range, "%u", game->players_min);
        else
            snprintf(range, sizeof range, "%u to %u", game->players_min, game->players_max);
        char given[16] = "none";
        if (players)
            snprintf(given, sizeof given, "%u", players);
        return error_set(error, "%s requires %s bots, but %s %s given", game->name, range, given,
                         players == 1 ? "was" : "were");
    }
    if (config) {
        if (!load_file(config, &setup->config_text, error))
            return false;
        setup->config_name = xstrdup(config);
        setup->config =
            (GameFile){setup->config_name, {setup->config_text.data, setup->config_text.length}};
    }
    if (map) {
        if (!load_map(game, map, players, seed, &setup->map_text, error))
            return false;
        setup->map_name = xstrdup(map);
    } else {
        /* The standard map is passed as text, so that a replay does not depend on later defaults. A
           configuration with its own map rejects the standard map; the setup is then repeated
           without it. */
        const GameMap *standard = players ? game_default_map(game, players) : NULL;
        if (standard) {
            buffer_text(&setup->map_text, standard->text);
            setup->map_name = xstrdup(standard->name);
        }
    }
    if (setup->map_name)
        setup->map = (GameFile){setup->map_name, {setup->map_text.data, setup->map_text.length}};
    setup->game_setup = game->setup(&setup->config, &setup->map, players, error);
    if (!setup->game_setup && config && !map && setup->map_name) {
        setup->map = (GameFile){0};
        setup->game_setup = game->setup(&setup->config, &setup->map, players, error);
    }
    return setup->game_setup != NULL;
}

bool match_setup_replay(MatchSetup *setup, const Replay *replay, uint32_t players, Error *error) {
    const ReplayHeader *header = replay_header(replay);
    if (setup->game != header->game)
        return error_set(error, "the replay is a match of %s, not of %s", header->game->name,
                         setup->game->name);
    if (players != header->players)
        return error_set(error, "the recorded match has %u players, but %u %s given",
                         header->players, players, players == 1 ? "bot was" : "bots were");
    setup->config = header->config;
    setup->map = header->map;
    setup->game_setup = header->game->setup(&setup->config, &setup->map, players, error);
    return setup->game_setup != NULL;
}

bool build_bot(const BotSpec *spec, const Sandbox *sandbox, Error *error) {
    progress_bar_begin(!spec->build, 0);
    progress_bar_show(-1, "building %s", spec->name);
    bool good = bot_build(spec, sandbox, &interrupt_seen, NULL, error);
    progress_bar_end();
    return good;
}

bool match_setup_bots(MatchSetup *setup, char *const *bots, uint32_t count, Error *error) {
    const GameSetup *game_setup = setup->game_setup;
    uint32_t players = game_setup->players;
    if (!count && !game_setup->seats)
        return error_set(error, "no bots given, and the configuration names none");
    setup->bots = xcalloc(players, sizeof *setup->bots);
    setup->bot_count = players;
    if (!process_prepare(error))
        return false;
    for (uint32_t i = 0; i < players; i++) {
        const char *text = count ? bots[i] : game_setup->seats[i].command;
        BotSpec *spec = &setup->bots[i];
        if (!bot_spec_parse(spec, text, setup->game->name, setup->sandbox, error))
            return false;
        if (!count) {
            free(spec->name);
            spec->name = xstrdup(game_setup->seats[i].name);
        }
        if (!build_bot(spec, setup->sandbox, error))
            return false;
    }
    return true;
}

bool read_limit(MatchOverrides *overrides, const char *text, Error *error) {
    const char *names[LIMITS + 1] = {NULL};
    uint32_t index = 0;
    for (LimitKind limit = 0; limit < LIMITS; limit++)
        names[limit] = limit_name(limit);
    Slice name = {text, strcspn(text, "=")};
    if (!find_name("limit", name, names, &index, error))
        return false;
    if (!text[name.length])
        return error_set(error, "the limit \"%s\" has no value; expected %s=VALUE", text, text);
    return parse_number(names[index], text + name.length + 1, 1, limit_most((LimitKind)index),
                        &overrides->limits[index], error);
}

void match_setup_free(MatchSetup *setup) {
    for (uint32_t i = 0; i < setup->bot_count; i++)
        bot_spec_free(&setup->bots[i]);
    free(setup->bots);
    if (setup->game_setup)
        setup->game->setup_free(setup->game_setup);
    buffer_free(&setup->config_text);
    buffer_free(&setup->map_text);
    free(setup->config_name);
    free(setup->map_name);
}
