/* Jobs, which the dispatcher sends to a runner, and records, which come back. A job is
   self-contained: a runner knows nothing else. */
#ifndef LEAGUE_JOB_H
#define LEAGUE_JOB_H

#include "bots/bot_build.h"
#include "match/match.h"
#include "match/overrides.h"

/* The kind of work. All kinds except a match use only the first bot. */
typedef enum JobTask {
    TASK_MATCH,
    TASK_BUILD,
    TASK_CHECK, /* the conformance test of a built bot, see check/check.h */
    TASKS
} JobTask;

typedef struct Job {
    uint64_t id; /* chosen by the sender; returned in the record */
    JobTask task;
    bool try_turn; /* after a build: play one turn with the bot in all seats */
    bool live;     /* send a record for every turn */
    bool alone;    /* for the dispatcher: a long job, so no job is queued after it on its runner */
    const Game *game;
    GameFile config;
    GameFile map;
    uint64_t seed;
    MatchOverrides overrides;
    uint32_t players;
    const BotSpec *bots[GAME_PLAYERS_MAX];
    uint32_t person_ms[GAME_PLAYERS_MAX]; /* see match.h; also for the members below */
    Slice prelude;                        /* a replay, or empty */
    uint32_t prelude_turns;
    MatchVariation variation;
} Job;

/* Whether a person plays in the match. */
bool job_has_person(const Job *job);

typedef enum RecordKind {
    RECORD_READY,  /* the runner has started */
    RECORD_PLAYED, /* a match, with its verdict; or a successful build, or a check */
    /* a bot could not be started, reached or built: see `error`; in a match its status is
       STATUS_NO_START */
    RECORD_BAD_BOT,
    RECORD_FAILED,  /* an internal failure: see `error` */
    RECORD_STOPPED, /* aborted by request */
    /* of a live match: `text` is its header as in `skirmish replay info`. Sent again if the match
       is restarted */
    RECORD_START,
    /* of a live match: `text` is a turn as in `skirmish replay export`, without standard error */
    RECORD_TURN,
    RECORD_KINDS
} RecordKind;

typedef struct Record {
    uint64_t id;
    RecordKind kind;
    Error error;
    int64_t wall; /* duration in nanoseconds */
    Verdict verdict;
    char reason[64]; /* verdict.reason points here */
    /* of a build: the bot's standard error during its first turn; of a check: the report, an object
       with the members of check_json */
    Buffer text;
    uint32_t check_errors; /* of a check: findings in the report */
    uint32_t check_warnings;
    Buffer build;   /* of a build: its output, see bot_build */
    bool built;     /* of a build: it succeeded, regardless of the first turn */
    BuildSize left; /* of a build that succeeded: the content of the bot's directory */
} Record;

void job_encode(const Job *job, Buffer *to);

/* A decoded job with the memory it owns. Decoding fails if the message is invalid. The caller frees
   the copy in either case. */
typedef struct JobCopy {
    Job job;
    BotSpec bots[GAME_PLAYERS_MAX];
    Buffer texts[2];
    Buffer prelude;
    char *names[2];
} JobCopy;

bool job_decode(JobCopy *copy, Slice message);
void job_free(JobCopy *copy);

/* Whether this is the last record of its job. */
static inline bool record_ends(const Record *record) {
    return record->kind != RECORD_START && record->kind != RECORD_TURN;
}

void record_encode(const Record *record, Buffer *to);

/* False if the message is invalid. The caller calls record_free in either case. */
bool record_decode(Record *record, Slice message);
void record_free(Record *record);

#endif
