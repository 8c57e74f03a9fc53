/* The times and limits of a match. They override the game's configuration; 0 means not set, and
   then the configuration or the default applies. */
#ifndef MATCH_TERMS_H
#define MATCH_TERMS_H

#include "bots/sandbox.h"
#include "games/game.h"

typedef enum TermsLimit {
    LIMIT_MEMORY, /* MiB */
    LIMIT_PROCESSES,
    LIMIT_CPU, /* percent of one core */
    LIMIT_FILES,
    LIMIT_FILE_SIZE, /* MiB */
    LIMIT_TMP,       /* MiB */
    LIMIT_ANSWER,    /* bytes in one answer */
    LIMIT_STDERR,    /* bytes kept in a match */
    LIMITS
} TermsLimit;

typedef struct MatchTerms {
    uint32_t turn_ms;
    uint32_t start_ms;
    bool ponder;
    uint64_t limits[LIMITS];
} MatchTerms;

/* As typed: "memory", "file-size"; and the maximum of each. */
const char *limit_name(TermsLimit limit);
uint64_t limit_most(TermsLimit limit);

/* Applies what is set to a setup, and returns the limits of each bot. */
SandboxLimits terms_apply(const MatchTerms *terms, GameSetup *setup);

#endif
