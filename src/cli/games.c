/* skirmish games: lists the games with their maps and configuration fields. */
#include "cli/match_setup.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

static const char help[] =
    "List the games with their maps and configuration fields.\n"
    "\n"
    "Usage: skirmish games [GAME [--map NAME [--players N]]]\n"
    "\n"
    "  --map NAME            print the text of a map: a standard map or\n"
    "                        generate:SEED[:SIZE]; edit it and use it with\n"
    "                        `skirmish play --map FILE`\n"
    "  --players N           with --map: for N players (default: the game's minimum)\n"
    "\n"
    "Exit status: 0 listed, 2 invalid usage.\n"
    "\n"
    "Examples\n"
    "  skirmish games aliens\n"
    "  skirmish games planetwars --map generate:7 > my.map\n";

static void print_players(uint32_t least, uint32_t most) {
    if (least == most)
        print("%u players", least);
    else
        print("%u to %u players", least, most);
}

static void print_game(const Game *game) {
    print("%s: %s, ", game->name, game->title);
    print_players(game->players_min, game->players_max);
    print("\n  %s\n  time limits: %u ms per turn, %u ms to start\n  maps:\n", game->summary,
          game->talk.turn_ms, game->talk.start_ms);
    for (const GameMap *map = game->maps; map->name; map++) {
        print("    %-16s %s", map->name, map->summary);
        if (map->players)
            print(" (%u players)", map->players);
        print("\n");
    }
    if (game->generate)
        print("    %-16s %s\n", "generate:SEED",
              "generated from a seed; generate:SEED:SIZE sets the size");
    print("  configuration (--config FILE):\n");
    for (const GameOption *option = game->options; option->name; option++)
        print("    %-28s %-10s %s\n", option->name, option->standard, option->summary);
    print("\n");
}

static int print_map(const Game *game, const char *name, uint32_t players) {
    Error error = {0};
    Buffer text = {0};
    int status = STATUS_DONE;
    if (load_map(game, name, players ? players : game->players_min, 0, &text, &error)) {
        print_buffer(TEXT_LINES, &text);
    } else {
        print_error("%s", error.text);
        status = STATUS_USAGE;
    }
    buffer_free(&text);
    return status;
}

static int run(int count, char **arguments) {
    static const struct option options[] = {
        {"map", required_argument, NULL, 'm'},
        {"players", required_argument, NULL, 'p'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    const char *map = NULL;
    uint64_t players = 0;
    Error error = {0};
    int status = STATUS_DONE;
    int option;
    while ((option = next_option(&command_games, count, arguments, options, &status)) != 0) {
        if (option < 0)
            return status;
        if (option == 'm')
            map = optarg;
        else if (!parse_number("--players", optarg, 2, GAME_PLAYERS_MAX, &players, &error))
            return usage_error(&command_games, "%s", error.text);
    }
    if (count - optind > 1 || (map && count == optind))
        return usage_error(&command_games,
                           map ? "--map requires GAME" : "expected at most one GAME");
    if (count == optind) {
        for (const Game *const *game = games_all; *game; game++)
            print_game(*game);
        return STATUS_DONE;
    }
    MatchSetup setup = {0};
    if (!match_setup_game(&setup, arguments[optind], &error)) {
        print_error("%s", error.text);
        return STATUS_USAGE;
    }
    if (map)
        return print_map(setup.game, map, (uint32_t)players);
    print_game(setup.game);
    return STATUS_DONE;
}

const Command command_games = {"games", help, run};
