/* From what a person typed to a match that can be played: the game, its configuration and map, the
   bots. Shared by the commands that play. */
#ifndef CLI_MATCH_SETUP_H
#define CLI_MATCH_SETUP_H

#include "cli/cli.h"
#include "match/replay.h"
#include "match/terms.h"

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

/* The game of that name; the error lists the games there are. */
bool match_setup_game(MatchSetup *setup, const char *name, Error *error);

/* Loads configuration and map (either may be NULL) and makes the setup. `map` is the name of a
   standard map, generate[:SEED[:SIZE]], or a file. Without either, the standard map for that many
   players. `players` 0: as many as the configuration names bots for. */
bool match_setup_load(MatchSetup *setup, const char *config, const char *map, uint32_t players,
                      uint64_t seed, Error *error);

/* The same as a replay has it, which must outlive the setup: game, configuration and map.
   There must be as many players. */
bool match_setup_replay(MatchSetup *setup, const Replay *replay, uint32_t players, Error *error);

/* Understands and builds the bots; with count 0 those that the configuration names. */
bool match_setup_bots(MatchSetup *setup, char *const *bots, uint32_t count, Error *error);

/* Takes a limit as people write it, NAME=VALUE. */
bool read_limit(MatchTerms *terms, const char *text, Error *error);

void match_setup_free(MatchSetup *setup);

/* Writes the text of a map by its name, as for match_setup_load. */
bool load_map(const Game *game, const char *map, uint32_t players, uint64_t seed, Buffer *to,
              Error *error);

#endif
