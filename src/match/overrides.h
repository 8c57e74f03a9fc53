/* The times and limits of a match. They override the game's configuration; 0 means not set, and
   then the configuration or the default applies. */
#ifndef MATCH_OVERRIDES_H
#define MATCH_OVERRIDES_H

#include "bots/sandbox.h"
#include "games/game.h"

typedef enum LimitKind {
    LIMIT_MEMORY, /* MiB */
    LIMIT_PROCESSES,
    LIMIT_CPU, /* percent of one core */
    LIMIT_FILES,
    LIMIT_FILE_SIZE, /* MiB */
    LIMIT_TMP,       /* MiB */
    LIMIT_ANSWER,    /* bytes in one answer */
    LIMIT_STDERR,    /* bytes kept in a match */
    LIMIT_REPLAY,    /* bytes of all players' answers in a match */
    LIMITS
} LimitKind;

typedef struct MatchOverrides {
    uint32_t turn_ms;
    uint32_t start_ms;
    bool ponder;
    uint32_t memory_most; /* MiB, whatever `limits` and the configuration say; 0: no limit */
    uint64_t limits[LIMITS];
} MatchOverrides;

/* As typed: "memory", "file-size"; and the maximum of each. */
const char *limit_name(LimitKind limit);
uint64_t limit_most(LimitKind limit);

/* Applies what is set to a setup, and returns the limits of each bot. */
SandboxLimits overrides_apply(const MatchOverrides *overrides, GameSetup *setup);

#endif
