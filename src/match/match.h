/* One live match: bots are started, asked turn by turn, and judged. */
#ifndef MATCH_MATCH_H
#define MATCH_MATCH_H

#include "bots/match_bots.h"
#include "match/board.h"
#include "match/replay.h"
#include "match/verdict.h"

typedef enum MatchThink { THINK_IN_TURN, THINK_TOGETHER } MatchThink;

/* Told of a match as it goes; any may be NULL. */
typedef struct MatchWatcher {
    void *context;
    bool wants_events;                                         /* fill the notes' events */
    void (*header)(void *context, const ReplayHeader *header); /* before `started` */
    void (*started)(void *context, const Board *board);
    void (*turn)(void *context, const Board *board, const PlayerTurn *turns);
    void (*ended)(void *context, const Board *board,
                  const PlayerTurn *last_words); /* only `errors` count */
} MatchWatcher;

typedef struct MatchOptions {
    GameSetup *setup; /* taken over */
    uint64_t seed;
    MatchThink think;
    const Sandbox *sandbox; /* NULL: none */
    SandboxLimits limits;
    bool ponder;         /* in turn, bots that are not asked are not stopped */
    size_t stderr_match; /* 0: the usual */
    const BotSpec *bots; /* one a player */
    /* for each player: how long the person who plays it may think; 0: a bot does. NULL: bots play
       all */
    const uint32_t *person_ms;
    Replay *prelude; /* fresh; may be NULL: see below */
    uint32_t prelude_turns;
    ReplayWriter *replay;   /* may be NULL; its header has not been written yet */
    const GameFile *config; /* for the replay's header */
    const GameFile *map;
    const MatchWatcher *watcher;            /* may be NULL */
    const volatile sig_atomic_t *interrupt; /* may be NULL */
} MatchOptions;

typedef enum MatchOutcome {
    MATCH_PLAYED,
    /* a bot could not even be started or reached; the error names it, and its status is
       STATUS_NO_START */
    MATCH_BAD_BOT,
    MATCH_FAILED, /* our own failure */
    MATCH_INTERRUPTED,
} MatchOutcome;

/* A match may begin as a recorded one did. In the turns of the prelude the answers of the replay
   count, whatever is said now; setup and seed must be those of the replay. Bots are asked as usual,
   so that they know what happened: what they say is thrown away, and nothing that they do is held
   against them, except that a bot that has ended has ended when its own turns begin. People are
   first asked after the prelude. Standard error is that of now: what was recorded may be others' to
   read. */

/* Plays a match to its verdict. When it returns, no process of a bot is left. Free the verdict in
   any case. */
MatchOutcome match_play(const MatchOptions *options, Verdict *verdict, Error *error);

/* The limits as bots get them in such a match: where bots may compute while another does, or are
   given a limit on CPU time, each has its share. */
SandboxLimits match_limits(const SandboxLimits *limits, MatchThink think, bool ponder);

const char *think_name(MatchThink think);

#endif
