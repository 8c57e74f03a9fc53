/* Finds where a match was decided: winning chances turn by turn, and orders that were blunders.

   From sampled turns of a replay, bots play the match on many times; each of these matches is a
   continuation. The share of continuations that a player wins is an estimate of its winning chance
   at that turn, provided that these bots play on. Many bots and games have no randomness. So that
   continuations differ, each has a different seed (SKIRMISH_SEED), and each player passes some
   turns at random.

   A continuation is an ordinary match with a prelude (match.h), played by the runners of the
   dispatcher. The bots receive all earlier turns, so bots that keep state between turns can be
   used. For the house bots, starting and the prelude take less than a tenth of a second, so nothing
   is kept between continuations.

   A blunder is found in three steps, each with new continuations, because the data by which a turn
   was selected cannot prove that it was bad:

   1. Sampling: the largest drops between neighbouring samples are candidates.
   2. Bisection: the half with the larger drop is chosen, until one turn is left.
   3. Proof: continuations from after that turn are compared with continuations in which the bot
      chose the player's orders in that turn, while all other players gave their recorded orders.
      The turn is a blunder if the bot's orders win more often by 30 percentage points and the
      difference is significant (with a Bonferroni correction for all tests).

   So a drop that is due to luck or to other players' good orders does not count as a blunder. The
   proof is about a single turn, because over several turns the other players' recorded orders would
   not react to the change, and the bot would seem better than it is. */
#ifndef ANALYSIS_ANALYSIS_H
#define ANALYSIS_ANALYSIS_H

#include "analysis/proportion.h"
#include "base/buffer.h"
#include "bots/bot_spec.h"
#include "league/job.h"
#include "match/replay.h"

#include <signal.h>

enum {
    ANALYSIS_SAMPLES = 25,
    ANALYSIS_CONTINUATIONS = 20,
    ANALYSIS_PASSES = 100,   /* per 1000 turns of a player */
    ANALYSIS_CANDIDATES = 3, /* drops that are examined more closely */
    ANALYSIS_SURE = 90,      /* percent; with this winning chance, the match counts as decided */
};

/* The default bot for continuations: the best house bot that answers in well under a millisecond.
   With a bot that uses its whole time limit, an analysis would take hours. */
#define ANALYSIS_BOT "house:medium"

typedef struct AnalysisOptions {
    const char *name;    /* of the replay, for messages */
    Slice replay;        /* the file; it must outlive the analysis */
    const BotSpec *bots; /* one per player, built */
    uint32_t samples;
    uint32_t continuations;
    uint32_t passes; /* see MatchVariation */
    uint64_t seed;

    /* Only for analysis_run. */
    uint32_t jobs;
    SandboxMode sandbox;
    const char *program; /* to start runners; NULL: this program */
    /* Called often; `total` grows when drops are examined more closely. May be NULL. */
    void (*progress)(void *context, uint32_t done, uint32_t total);
    void (*report)(void *context, const char *message); /* messages for the operator; may be NULL */
    void *context;
    const volatile sig_atomic_t *interrupt; /* may be NULL */
} AnalysisOptions;

/* The winning chances in the position after `turn` turns. */
typedef struct AnalysisPoint {
    uint32_t turn;
    uint32_t continuations; /* 0: the end of the match, whose result is known */
    double wins[GAME_PLAYERS_MAX];
} AnalysisPoint;

typedef struct AnalysisBlunder {
    uint32_t player; /* from 0 */
    uint32_t first_turn;
    uint32_t last_turn;
    Chance instead; /* the winning chance if the bot had chosen the orders */
    Chance after;   /* the winning chance after the recorded orders */
    double p_value;
    Buffer orders; /* a JSON array of {"turn", "answer", "orders"} */
} AnalysisBlunder;

typedef struct Analysis {
    AnalysisOptions options;
    const Game *game;
    uint32_t players;
    uint32_t turns;
    uint64_t digest;               /* of the final state: identifies the replay */
    char *names[GAME_PLAYERS_MAX]; /* owned; analysis_json leaves out those that are NULL */
    AnalysisPoint *points;         /* ordered by turn; the last one is the end of the match */
    uint32_t point_count;
    uint32_t played;   /* continuations in total, including those of bisections and proofs */
    uint32_t total;    /* planned so far; grows when drops are examined */
    uint32_t failed;   /* continuations in which a bot failed */
    char failure[200]; /* what happened in one of them */
    AnalysisBlunder blunders[ANALYSIS_CANDIDATES]; /* by turn */
    uint32_t blunder_count;
    bool decided;          /* one player won and had ANALYSIS_SURE percent at some point ... */
    uint32_t decided_turn; /* ... and from this turn to the end */
    uint32_t winner;
    struct AnalysisRun *run; /* private */
} Analysis;

/* An analysis as a source of jobs, for an owner with its own dispatcher. Give the continuations
   from analysis_next to it, and their records to analysis_take, until analysis_is_done. The order
   of the records does not matter. Free the analysis on failure too, and do not move it before
   that. */
bool analysis_begin(Analysis *analysis, const AnalysisOptions *options, Error *error);

/* Sets *job to the next continuation; the job points into the analysis and its options. False if
   there is none now, because records of other continuations must come first or the analysis is
   done. */
bool analysis_next(Analysis *analysis, Job *job);

/* Counts the record of a continuation, which has the id of its job. False if the analysis has
   failed. */
bool analysis_take(Analysis *analysis, const Record *record, Error *error);
bool analysis_is_done(const Analysis *analysis);

/* Runs a whole analysis with its own dispatcher. Free the analysis on failure too. */
bool analysis_run(Analysis *analysis, const AnalysisOptions *options, Error *error);
void analysis_free(Analysis *analysis);

/* Appends the name of the file next to a replay: match.analysis.json for match.skr. */
void analysis_file_name(const char *replay, Buffer *to);

/* A player's winning chance at a point. */
Chance analysis_chance(const AnalysisPoint *point, uint32_t player);

/* Appends the analysis as one JSON object, in one line: docs/analysis.md describes it. */
void analysis_json(const Analysis *analysis, Buffer *to);

/* Appends the report with its chart as text, at most `columns` wide except for names. */
void analysis_text(const Analysis *analysis, uint32_t columns, bool colour, Buffer *to);

#endif
