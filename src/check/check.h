/* The conformance test of a bot: does it follow the protocol of its game, in every seat, on every
   map, and when referee and machine behave in ways that a single match does not show?

   Theory of operation. A check is a list of stages. A stage plays one or more sessions (session.h):
   one process of the bot (probe.h), a board, and opponents that do nothing or are house bots. A
   session that fails is diagnosed while the process still exists, and becomes a finding. The first
   stage tests what all others need; if it fails, the others do not run, so that one fault does not
   become twenty findings. Each kind of finding is reported once.

   Nothing here knows a game: maps, views and answers come through games/game.h. */
#ifndef CHECK_CHECK_H
#define CHECK_CHECK_H

#include "base/buffer.h"
#include "base/error.h"
#include "bots/bot_spec.h"
#include "games/game.h"
#include "match/overrides.h"

#include <signal.h>

enum { CHECK_STAGES_MAX = 16, CHECK_FINDINGS_MAX = 32 };

/* An error would lose matches; a warning is a risk elsewhere: on another system, on a busy machine,
   or when someone wants to repeat a match. */
typedef enum CheckSeverity { CHECK_WARNING, CHECK_ERROR } CheckSeverity;

typedef struct CheckFinding {
    const char *id; /* "not-flushed" */
    const char *stage;
    CheckSeverity severity;
    char *where;        /* "turn 3, player 2 of 2, map standard"; "" if it applies everywhere */
    char *what;         /* what the bot did, as a phrase: "exited with status 1" */
    char *sent;         /* the view, shortened; "" if nothing was sent */
    char *received;     /* "" if nothing was received */
    char *errors;       /* the end of the bot's standard error */
    const char *change; /* the remedy, a sentence */
} CheckFinding;

typedef enum CheckOutcome {
    CHECK_NOT_RUN, /* the bot failed in an earlier stage */
    CHECK_PASSED,
    CHECK_FOUND, /* there are findings */
    CHECK_SKIPPED,
} CheckOutcome;

typedef struct CheckStage {
    const char *name;
    CheckOutcome outcome;
    char note[120]; /* what was tested, or why it was not */
} CheckStage;

typedef struct CheckReport {
    CheckStage stages[CHECK_STAGES_MAX];
    uint32_t stage_count;
    CheckFinding findings[CHECK_FINDINGS_MAX];
    uint32_t finding_count;
    uint32_t errors; /* among the findings */
    uint32_t sessions;
    uint64_t turns;
    /* nanoseconds that the bot was charged for; memory in bytes, with 0 for an unknown peak */
    int64_t first_answer;
    int64_t longest_turn;
    int64_t start_limit;
    int64_t turn_limit;
    uint64_t memory_peak;
    uint64_t memory_limit;
    int64_t took;
} CheckReport;

typedef struct CheckOptions {
    const Game *game;
    const BotSpec *bot; /* built */
    const Sandbox *sandbox;
    const MatchOverrides *overrides;
    uint64_t seed;
    const volatile sig_atomic_t *interrupt; /* may be NULL */
    void *context;
    /* Called before each stage with the completed share of the work, from 0 to 1; may be NULL. */
    void (*progress)(void *context, const char *stage, double done);
} CheckOptions;

/* Runs the check. False if it could not be run or was interrupted; whatever the bot does is a
   finding. Free the report in both cases. */
bool check_run(const CheckOptions *options, CheckReport *report, Error *error);
void check_free(CheckReport *report);

/* Whether the bot passed: it has no errors. */
bool check_passed(const CheckReport *report);

/* The members of an object that the caller has opened. */
void check_json(const CheckReport *report, JsonOut *out);

const char *check_outcome_name(CheckOutcome outcome);
const char *check_severity_name(CheckSeverity severity);

#endif
