/* What the people who run a match set for it beyond the game's configuration: times and limits.
   Nothing set is zero, and then the configuration holds, or what is usual. */
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

/* As typed: "memory", "file-size"; and the most that each may be. */
const char *limit_name(TermsLimit limit);
uint64_t limit_most(TermsLimit limit);

/* Puts what is set into a setup, and returns what each bot may use. */
SandboxLimits terms_apply(const MatchTerms *terms, GameSetup *setup);

#endif
