/* One match of `skirmish dev`, which is played in every run: its setup, and the latest result as a
   line in the terminal and as JSON for the page. */
#ifndef CLI_DEV_MATCH_H
#define CLI_DEV_MATCH_H

#include "cli/match_setup.h"
#include "cli/pace.h"
#include "league/job.h"

typedef enum DevState { DEV_WAITING, DEV_PLAYING, DEV_PLAYED, DEV_FAILED } DevState;

typedef struct DevMatch {
    MatchSetup setup; /* only game, configuration and map */
    DevState state;
    uint64_t job;    /* while it is played */
    int replay;      /* the file, until the viewer has it; -1: none */
    uint32_t number; /* the replay's number in the viewer, once played */
    const char *result;
    Buffer summary; /* "won in turn 57 (elimination)", or why no match was played */
    Buffer pace;    /* "1.2 ms per turn, 20% faster", or empty */
    Buffer errors;  /* the last lines of the bot's standard error, if it failed */
    Pace before;    /* the pace in the latest match with turns */
} DevMatch;

/* Loads configuration and map, as for match_setup_load. */
bool dev_match_load(DevMatch *match, const Game *game, const char *config, const char *map,
                    uint32_t players, uint64_t seed, Error *error);
void dev_match_free(DevMatch *match);

/* The name of its map, or of its game. */
const char *dev_match_name(const DevMatch *match);

/* Forgets the last result, except for its speed. */
void dev_match_reset(DevMatch *match);

/* Processes the final record of its job. The bot has the first seat. */
void dev_match_judge(DevMatch *match, const Record *record);

/* Prints its result as a line, with the name in that many columns. */
void dev_match_print(const DevMatch *match, uint32_t columns);

/* Appends it as an object: LocalMatch in web/src/viewer/local.ts. */
void dev_match_json(const DevMatch *match, JsonOut *out);

#endif
