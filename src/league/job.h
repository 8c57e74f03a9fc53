/* What travels between the dispatcher and a runner: a job there, a record back. A job stands on its
   own: a runner knows nothing but what it is given. */
#ifndef LEAGUE_JOB_H
#define LEAGUE_JOB_H

#include "bots/bot_spec.h"
#include "match/match.h"
#include "match/terms.h"

/* One match to play, or one bot to build. */
typedef struct Job {
    uint64_t id; /* the giver's; comes back with the record */
    bool build;  /* build the first bot, and nothing else */
    bool check;  /* after a build: let the bot play one turn, against itself in all seats */
    bool live;   /* tell of every turn as it is played */
    const Game *game;
    GameFile config;
    GameFile map;
    uint64_t seed;
    MatchTerms terms;
    uint32_t players;
    const BotSpec *bots[GAME_PLAYERS_MAX];
    uint32_t person_ms[GAME_PLAYERS_MAX]; /* see match.h, as for these */
    Slice prelude;                        /* a replay, or nothing */
    uint32_t prelude_turns;
} Job;

/* Whether a person plays in it, who thinks while the bots and the runner wait. */
bool job_is_patient(const Job *job);

typedef enum RecordKind {
    RECORD_READY,  /* the runner's first word: it can play */
    RECORD_PLAYED, /* a match, with its verdict; or a build that went well */
    /* a bot could not be started, reached or built: `error`, and in a match its seat has the status
       STATUS_NO_START */
    RECORD_BAD_BOT,
    RECORD_FAILED,  /* our own failure: `error` */
    RECORD_STOPPED, /* broken off, as was asked for */
    /* of a live match: `text` is its header, as `skirmish replay info` has it. Comes again when the
       match is played anew */
    RECORD_START,
    /* of a live match: `text` is a turn, as `skirmish replay export` has it, without standard
       error */
    RECORD_TURN,
    RECORD_KINDS
} RecordKind;

typedef struct Record {
    uint64_t id;
    RecordKind kind;
    Error error;
    int64_t wall; /* nanoseconds that it took */
    Verdict verdict;
    char reason[64]; /* what verdict.reason points at */
    Buffer text;     /* of a build: what the bot wrote to its standard error when it was checked */
    Buffer build;    /* of a build: what it printed, see bot_build */
    bool built;      /* of a build: it went well, whatever came of the check */
} Record;

void job_encode(const Job *job, Buffer *to);

/* A job that was taken in, with the memory that it owns. False if it makes no sense. Free it in
   either case. */
typedef struct JobCopy {
    Job job;
    BotSpec bots[GAME_PLAYERS_MAX];
    Buffer texts[2];
    Buffer prelude;
    char *names[2];
} JobCopy;

bool job_decode(JobCopy *copy, Slice message);
void job_free(JobCopy *copy);

/* Whether it is the last that is heard of its job. */
static inline bool record_ends(const Record *record) {
    return record->kind != RECORD_START && record->kind != RECORD_TURN;
}

void record_encode(const Record *record, Buffer *to);

/* False if it makes no sense. Free it in either case, with record_free. */
bool record_decode(Record *record, Slice message);
void record_free(Record *record);

#endif
