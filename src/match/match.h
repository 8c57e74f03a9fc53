/* One live match: starts the bots, asks them turn by turn, and judges the result. */
#ifndef MATCH_MATCH_H
#define MATCH_MATCH_H

#include "bots/match_bots.h"
#include "match/board.h"
#include "match/replay.h"
#include "match/verdict.h"

/* The default limit on the bytes of answers in a replay: in total, or per player if that gives
   more. The largest match of house bots, Underworld with 64 players on 200 by 200 cells, has 46.6
   MB. */
enum { MATCH_REPLAY_BYTES = 8 << 20, MATCH_REPLAY_SHARE = 3 << 20 };

typedef enum MatchThink { THINK_IN_TURN, THINK_TOGETHER } MatchThink;

/* Callbacks during a match; any may be NULL. */
typedef struct MatchWatcher {
    void *context;
    bool wants_events;                                         /* record events in the notes */
    void (*header)(void *context, const ReplayHeader *header); /* before `started` */
    void (*started)(void *context, const Board *board);
    void (*turn)(void *context, const Board *board, const PlayerTurn *turns);
    void (*ended)(void *context, const Board *board,
                  const PlayerTurn *last_words); /* only `errors` count */
} MatchWatcher;

/* How one continuation of a recorded match differs from the others. All zero: no difference. */
typedef struct MatchVariation {
    uint64_t seed;   /* for the bots' random choices and for passes; 0: the match's seed */
    uint32_t passes; /* after the prelude: turns in 1000 in which a player passes, at random */
    /* For some turns after the prelude, only this player (from 1) gives new orders; the recorded
       answers of all others are used. Nobody passes in these turns. 0: no deviator */
    uint32_t deviator;
    uint32_t deviation_turns;
} MatchVariation;

typedef struct MatchOptions {
    GameSetup *setup; /* owned by the match from here on */
    uint64_t seed;
    MatchThink think;
    const Sandbox *sandbox; /* NULL: none */
    SandboxLimits limits;
    bool ponder;         /* in turn: bots that are not asked may compute */
    size_t stderr_match; /* 0: the default */
    /* limit on the bytes of answers in the replay; beyond it, players with more than an equal share
       are disqualified. 0: match_replay_bytes */
    uint64_t replay_bytes;
    const BotSpec *bots; /* one per player */
    /* for each player, how long the person in this seat may think, or 0 if a bot plays it. NULL: no
       people */
    const uint32_t *person_ms;
    Replay *prelude; /* fresh; may be NULL: see below */
    uint32_t prelude_turns;
    MatchVariation variation;
    ReplayWriter *replay;   /* may be NULL; its header has not been written yet */
    const GameFile *config; /* for the replay's header */
    const GameFile *map;
    const MatchWatcher *watcher;            /* may be NULL */
    const volatile sig_atomic_t *interrupt; /* may be NULL */
} MatchOptions;

typedef enum MatchOutcome {
    MATCH_PLAYED,
    /* a bot could not be started or reached; the error names it, and its status is
       STATUS_NO_START */
    MATCH_BAD_BOT,
    MATCH_FAILED, /* not the fault of a bot */
    MATCH_INTERRUPTED,
} MatchOutcome;

/* A match may begin with the turns of a recorded one, its prelude. In these turns the recorded
   answers are used; setup and seed must be those of the replay. Bots are asked as usual, so that
   they know what happened, but their answers are ignored and no failure counts; but a bot that has
   exited stays gone. People are first asked after the prelude. Only the new standard error is kept,
   because the recorded one may be private to others.

   A player that passes in a turn (MatchVariation) is not asked: a bot that gave an order without
   effect would conclude that the rules forbid it. Nobody passes in the first turn, because the
   first view has information that later ones do not repeat. A match with passes has no replay,
   because it could not be verified. */

/* Plays a match until its verdict. When it returns, no bot process is left. Free the verdict
   whatever the outcome. */
MatchOutcome match_play(const MatchOptions *options, Verdict *verdict, Error *error);

/* The limits that bots get in such a match: where bots may compute at the same time, or have a
   limit on CPU time, each also gets a share of the CPU. */
SandboxLimits match_limits(const SandboxLimits *limits, MatchThink think, bool ponder);

/* The default for a match of this many players: the larger of the two above. */
uint64_t match_replay_bytes(uint32_t players);

const char *think_name(MatchThink think);

#endif
