/* See match_setup.h. */
#include "cli/match_setup.h"

#include "bots/process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool arrange_game(Arrangement *arrangement, const char *name, Error *error) {
    arrangement->game = game_find(name);
    if (arrangement->game)
        return true;
    Buffer names = {0};
    for (const Game *const *game = games_all; *game; game++)
        buffer_format(&names, "%s%s", names.length ? ", " : "", (*game)->name);
    error_set(error, "no game is called \"%.60s\"; there are %s", name, buffer_string(&names));
    buffer_free(&names);
    return false;
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
        return error_set(error, "%s has no generator of maps", game->name);
    if (rest.length)
        return error_set(
            error, "map \"%.60s\": expected generate, generate:SEED or generate:SEED:SIZE", map);
    if ((*numbers[0] && !parse_number("the map's seed", numbers[0], 0, UINT64_MAX, &seed, error)) ||
        (*numbers[1] && !parse_number("the map's size", numbers[1], 1, 10000, &size, error)))
        return false;
    return game->generate(players, seed, (uint32_t)size, to, error);
}

bool arrange_map_text(const Game *game, const char *map, uint32_t players, uint64_t seed,
                      Buffer *to, Error *error) {
    const GameMap *standard = game_map(game, map, players);
    if (standard) {
        buffer_text(to, standard->text);
        return true;
    }
    if (strcmp(map, "generate") == 0 || strncmp(map, "generate:", 9) == 0)
        return generate(game, map, players, seed, to, error);
    if (load_file(map, to, error))
        return true;
    Buffer names = {0};
    for (const GameMap *known = game->maps; known->name; known++)
        buffer_format(&names, "%s%s", names.length ? ", " : "", known->name);
    Error inner = *error;
    error_set(error, "%s; the standard maps of %s are %s%s", inner.text, game->name,
              buffer_string(&names), game->generate ? ", and generate:SEED makes one" : "");
    buffer_free(&names);
    return false;
}

bool arrange_setup(Arrangement *arrangement, const char *config, const char *map, uint32_t players,
                   uint64_t seed, Error *error) {
    const Game *game = arrangement->game;
    bool named_there = !players && config; /* by the configuration */
    if (!named_there && (players < game->players_min || players > game->players_max)) {
        char given[16] = "none";
        if (players)
            snprintf(given, sizeof given, "%u", players);
        const char *verb = players > 1 ? "are" : "is";
        if (game->players_min == game->players_max)
            return error_set(error, "%s is for %u bots, and %s %s given", game->name,
                             game->players_min, given, verb);
        return error_set(error, "%s is for %u to %u bots, and %s %s given", game->name,
                         game->players_min, game->players_max, given, verb);
    }
    if (config) {
        if (!load_file(config, &arrangement->config_text, error))
            return false;
        arrangement->config_name = strdup(config);
        arrangement->config =
            (GameFile){arrangement->config_name,
                       {arrangement->config_text.data, arrangement->config_text.length}};
    }
    if (map) {
        if (!arrange_map_text(game, map, players, seed, &arrangement->map_text, error))
            return false;
        arrangement->map_name = strdup(map);
    } else {
        /* The standard map is given by its text, so that a replay does not depend on what is
           standard later. A configuration that brings its own refuses it, and is then tried
           alone. */
        const GameMap *standard = players ? game_map(game, NULL, players) : NULL;
        if (standard) {
            buffer_text(&arrangement->map_text, standard->text);
            arrangement->map_name = strdup(standard->name);
        }
    }
    if (arrangement->map_name)
        arrangement->map = (GameFile){arrangement->map_name,
                                      {arrangement->map_text.data, arrangement->map_text.length}};
    arrangement->setup = game->setup(&arrangement->config, &arrangement->map, players, error);
    if (!arrangement->setup && config && !map && arrangement->map_name) {
        arrangement->map = (GameFile){0};
        arrangement->setup = game->setup(&arrangement->config, &arrangement->map, players, error);
    }
    return arrangement->setup != NULL;
}

bool arrange_replay(Arrangement *arrangement, const Replay *replay, uint32_t players,
                    Error *error) {
    const ReplayHeader *header = replay_header(replay);
    if (arrangement->game != header->game)
        return error_set(error, "the replay is one of %s, not of %s", header->game->name,
                         arrangement->game->name);
    if (players != header->players)
        return error_set(error, "the recorded match had %u players, and %u bots are given",
                         header->players, players);
    arrangement->config = header->config;
    arrangement->map = header->map;
    arrangement->setup =
        header->game->setup(&arrangement->config, &arrangement->map, players, error);
    return arrangement->setup != NULL;
}

bool arrange_bots(Arrangement *arrangement, char *const *bots, uint32_t count, Error *error) {
    const GameSetup *setup = arrangement->setup;
    uint32_t players = setup->players;
    if (!count && !setup->seats)
        return error_set(error, "no bots are given, and the configuration names none");
    arrangement->bots = calloc(players, sizeof *arrangement->bots);
    if (!arrangement->bots)
        abort();
    arrangement->bot_count = players;
    if (!process_prepare(error))
        return false;
    for (uint32_t i = 0; i < players; i++) {
        const char *text = count ? bots[i] : setup->seats[i].command;
        BotSpec *spec = &arrangement->bots[i];
        if (!bot_spec_parse(spec, text, arrangement->game->name, arrangement->sandbox, error))
            return false;
        if (!count) {
            free(spec->name);
            spec->name = strdup(setup->seats[i].name);
        }
        if (!bot_spec_build(spec, arrangement->sandbox, &interrupt_seen, NULL, error))
            return false;
    }
    return true;
}

bool arrange_limit(MatchTerms *terms, const char *text, Error *error) {
    Buffer names = {0};
    for (TermsLimit i = 0; i < LIMITS; i++) {
        size_t length = strlen(limit_name(i));
        buffer_format(&names, "%s%s", i ? ", " : "", limit_name(i));
        if (strncmp(text, limit_name(i), length) != 0 || text[length] != '=')
            continue;
        buffer_free(&names);
        return parse_number(limit_name(i), text + length + 1, 1, limit_most(i), &terms->limits[i],
                            error);
    }
    error_set(error, "--limit must be NAME=VALUE with one of %s, not \"%.40s\"",
              buffer_string(&names), text);
    buffer_free(&names);
    return false;
}

void arrange_free(Arrangement *arrangement) {
    for (uint32_t i = 0; i < arrangement->bot_count; i++)
        bot_spec_free(&arrangement->bots[i]);
    free(arrangement->bots);
    if (arrangement->setup)
        arrangement->game->setup_free(arrangement->setup);
    buffer_free(&arrangement->config_text);
    buffer_free(&arrangement->map_text);
    free(arrangement->config_name);
    free(arrangement->map_name);
}
