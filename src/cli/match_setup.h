/* Prepares a match from the arguments: game, configuration, map and bots. Shared by the commands
   that play. */
#ifndef CLI_MATCH_SETUP_H
#define CLI_MATCH_SETUP_H

#include "cli/cli.h"
#include "match/overrides.h"
#include "match/replay.h"

typedef struct MatchSetup {
    const Game *game;
    GameFile config;
    GameFile map;
    Buffer config_text;
    Buffer map_text;
    char *config_name;
    char *map_name;
    GameSetup *game_setup;  /* NULL once a match has taken it over */
    const Sandbox *sandbox; /* for looking up and building bots; NULL: none */
    BotSpec *bots;
    uint32_t bot_count;
} MatchSetup;

/* Finds the game. */
bool match_setup_game(MatchSetup *setup, const char *name, Error *error);

/* Loads configuration and map (either may be NULL) and creates the game's setup. `map` is the name
   of a standard map, generate[:SEED[:SIZE]], or a file; the default is the standard map for that
   many players. If `players` is 0, the number of bots that the configuration names is used. */
bool match_setup_load(MatchSetup *setup, const char *config, const char *map, uint32_t players,
                      uint64_t seed, Error *error);

/* The same with configuration and map of a replay, which must outlive the setup. Fails if the game
   or the number of players differs. */
bool match_setup_replay(MatchSetup *setup, const Replay *replay, uint32_t players, Error *error);

/* Parses and builds the bots; with count 0, those that the configuration names. */
bool match_setup_bots(MatchSetup *setup, char *const *bots, uint32_t count, Error *error);

/* Builds a bot, if necessary, and shows the progress. Ends early after Ctrl-C. */
bool build_bot(const BotSpec *spec, const Sandbox *sandbox, Error *error);

/* Parses a value of --limit, NAME=VALUE. */
bool read_limit(MatchOverrides *overrides, const char *text, Error *error);

void match_setup_free(MatchSetup *setup);

/* Appends the text of a map, given as for match_setup_load. */
bool load_map(const Game *game, const char *map, uint32_t players, uint64_t seed, Buffer *to,
              Error *error);

#endif
