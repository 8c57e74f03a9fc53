/* The queue: matches to play and to analyse, and versions to build and to check.

   A job is leased with an attempt number and an expiry, and executed outside of any transaction.
   One transaction finishes it: it deletes the job by id and attempt number, and writes the result
   only if that deleted a row. So a late or duplicate result is rejected. When a lease expires or
   its holder is gone, the job returns to the queue.

   Which job is next is decided by fair shares of the requesters: see queue_share.h.

   A job that fails QUEUE_LOSSES_MAX times (its lease expired, or the runner reported a failure) is
   given up; its match, version, check or analysis then says why. */
#ifndef STORE_QUEUE_H
#define STORE_QUEUE_H

#include "store/bots.h"
#include "store/matches.h"

enum { QUEUE_LOSSES_MAX = 3, QUEUE_LEASE_MAX = 64 };

/* Bits that select the kinds of jobs to lease. Matches in which a person plays are leased only with
   JOB_PERSON, because separate runners play them. Such a leased job has the kind JOB_MATCH. */
typedef enum StoreJobKind {
    JOB_BUILD = 1,
    JOB_MATCH = 2,
    JOB_PERSON = 4,
    JOB_LONG = 8, /* only for leases: also jobs that were interrupted because they are long */
    /* check of a built version, see docs/checking-bots.md; takes a few seconds, and counts as a
       long job from its start */
    JOB_CHECK = 16,
    JOB_ANALYSIS = 32, /* of a match that is over */
    /* only for leases: also matches with remote players, which only the process that these players
       are connected to can play; without other kinds, only such matches */
    JOB_REMOTE = 64,
    JOB_ANY = JOB_BUILD | JOB_MATCH | JOB_CHECK | JOB_ANALYSIS
} StoreJobKind;

typedef struct StoreNewSeat {
    uint64_t bot;      /* or 0 */
    uint64_t version;  /* or 0; a successfully built version of the bot */
    const char *label; /* the name if there is no bot */
    /* uploaded for this match: code, or a replay to start from; already in files. Deleted when the
       match is over */
    StoreFile source;
} StoreNewSeat;

typedef struct StoreNewMatch {
    StoreMatchKind kind;
    bool open;
    bool person;       /* a person plays a seat: see JOB_PERSON */
    bool remote;       /* a remote player has a seat: see JOB_REMOTE */
    const char *owner; /* the only holder that can lease it; NULL: any */
    const char *game;
    const char *map;
    uint64_t seed;
    uint64_t requester;
    uint64_t visitor; /* without a requester: identifies the visitor, such as an address_key */
    uint64_t tournament;
    uint32_t fixture;
    uint32_t leg;
    /* the limit on casual matches without people that the requester or visitor has waiting or
       running, else STORE_BUSY; 0: no limit */
    uint32_t most;
    /* the permitted speed of the worker that plays it; 0: any */
    uint32_t speed_min;
    uint32_t speed_max;
    uint32_t players;
    /* for the runner; must not name any person, because it outlives deleted accounts */
    const char *spec;
    const char *request;       /* the id of the HTTP request in the log, or NULL */
    const StoreNewSeat *seats; /* one per player */
} StoreNewMatch;

/* Queues all these matches, or none. `ids` has room for `count`. STORE_CONFLICT if a tournament
   already has one of these legs. */
StoreResult store_queue_matches(Store *store, const StoreNewMatch *matches, uint32_t count,
                                uint64_t *ids, Error *error);

typedef struct StoreJob {
    uint64_t id;
    uint64_t subject; /* the match or version */
    int64_t expires;
    StoreJobKind kind;
    uint32_t attempt;                 /* from 1 */
    uint32_t losses;                  /* attempts that failed */
    bool is_long;                     /* interrupted before, see store_queue_interrupt */
    char request[STORE_REQUEST_SIZE]; /* the log's id of the HTTP request that added it, or "" */
} StoreJob;

/* Leases up to *count jobs (at most QUEUE_LEASE_MAX) of these kinds for `lease` milliseconds, in
   the order of fair shares. Sets *count to how many, which may be 0. `holder` names this
   dispatcher. */
StoreResult store_queue_lease(Store *store, StoreJobKind kinds, const char *holder, int64_t lease,
                              StoreJob *jobs, uint32_t *count, Error *error);

/* The progress of a leased job. */
typedef struct StoreProgress {
    uint64_t steps;   /* a number that changes with each turn, build and so on */
    int64_t stall_ms; /* the time in which it must change (column "patience"); 0: no limit */
} StoreProgress;

/* Renews a lease to end in `lease` milliseconds. STORE_CONFLICT if the lease is lost. `progress`
   may be NULL. */
StoreResult store_queue_extend(Store *store, uint64_t job, uint32_t attempt, int64_t lease,
                               const StoreProgress *progress, Error *error);

/* Ends the leases of jobs that make no progress although their holders extend them. Each counts as
   a failure. *count: how many. For the leader. */
StoreResult store_queue_end_stuck(Store *store, uint32_t *count, Error *error);

typedef struct StoreSeatResult {
    uint32_t rank;
    bool scored;
    int64_t score;
    const char *status;
    const char *failure; /* or NULL */
} StoreSeatResult;

typedef struct StoreMatchResult {
    uint32_t turns;
    const char *reason;
    Slice verdict; /* must not name any person, see StoreNewMatch */
    /* build logs, in the caller's format; deleted with the account that requested the match */
    Slice logs;
    StoreFile replay; /* already in files */
    int64_t replay_bytes;
    const char *machine; /* where the match was played, or NULL */
    uint32_t speed;      /* of that machine, or 0 */
    uint32_t players;
    const StoreSeatResult *seats;
} StoreMatchResult;

/* STORE_CONFLICT for a late or duplicate result, which changes nothing. */
StoreResult store_queue_finish_match(Store *store, uint64_t job, uint32_t attempt,
                                     const StoreMatchResult *result, Error *error);

/* The result of a match, and the outcome of storing it: STORE_OK, or STORE_CONFLICT for a late or
   duplicate result. */
typedef struct StoreFinish {
    uint64_t job;
    uint32_t attempt;
    const StoreMatchResult *result;
    StoreResult how; /* set if the call succeeds */
} StoreFinish;

/* Stores several results (at most QUEUE_LEASE_MAX) in one transaction, which is faster than one by
   one. Any failure other than STORE_CONFLICT changes nothing at all. */
StoreResult store_queue_finish_matches(Store *store, StoreFinish *finishes, uint32_t count,
                                       Error *error);

typedef struct StoreBuildResult {
    bool good;
    bool activate;       /* if good */
    bool check;          /* if good: queue a check of the version, for the bot's owner */
    const char *request; /* of the build job; the check gets the same; or NULL */
    Slice log;
    StoreFile product; /* or none */
} StoreBuildResult;

StoreResult store_queue_finish_build(Store *store, uint64_t job, uint32_t attempt,
                                     const StoreBuildResult *result, Error *error);

typedef struct StoreCheckResult {
    uint32_t errors;
    uint32_t warnings;
    Slice report;        /* in the caller's format */
    const char *failure; /* why there is no report, or NULL */
} StoreCheckResult;

StoreResult store_queue_finish_check(Store *store, uint64_t job, uint32_t attempt,
                                     const StoreCheckResult *result, Error *error);

/* Reports that the attempt failed for a reason other than a bot. The job returns to the queue or is
   given up (*over). It cannot be leased again for `rest` milliseconds: more than 0 if something
   that it needs, such as the place for files, is unavailable. */
StoreResult store_queue_fail(Store *store, uint64_t job, uint32_t attempt, const char *why,
                             int64_t rest, bool *over, Error *error);

/* Reads the ids of the jobs that this holder has leased, at most *count; sets *count to how many.
   Any other job that the holder is working on was cancelled. */
StoreResult store_queue_held(Store *store, const char *holder, uint64_t *jobs, uint32_t *count,
                             Error *error);

/* Returns a job to the queue without counting a failure. */
StoreResult store_queue_return(Store *store, uint64_t job, uint32_t attempt, Error *error);

/* Returns a long job to the queue because it must make room, without counting a failure. It is
   leased again only with JOB_LONG. For ten minutes, this also applies to all jobs of its requester,
   and of requesters whose jobs have been running for even longer. */
StoreResult store_queue_interrupt(Store *store, uint64_t job, uint32_t attempt, Error *error);

/* Whether a job of another requester waits, without counting matches with people, jobs that are
   leased only with JOB_LONG, and requesters that have a runner. */
StoreResult store_queue_others_wait(Store *store, uint64_t job, bool *wait, Error *error);

/* Returns all jobs of a holder to the queue. Call it after a restart of the holder, which no longer
   works on them. *count: how many. */
StoreResult store_queue_recover(Store *store, const char *holder, uint32_t *count, Error *error);

/* The status of a player whose bot was retired during the match or before it, which cancelled the
   match. */
#define QUEUE_WITHDRAWN "withdrawn"

/* Cancels a match that is not over, for the reason `why` (NULL: none). */
StoreResult store_queue_call_off(Store *store, uint64_t match, const char *why, Error *error);

/* Cancels matches that wait for an owner that is gone, because no other process can play them. */
StoreResult store_queue_call_off_orphans(Store *store, const char *why, Error *error);

typedef struct StoreQueueSize {
    uint32_t builds; /* waiting; also below */
    uint32_t checks;
    uint32_t analyses;
    uint32_t matches[3]; /* by StoreMatchKind, without `people` */
    /* matches with a person: they wait for separate runners and delay no other job */
    uint32_t people;
    uint32_t leased; /* of any kind */
    /* waiting jobs that need a speed that no running worker has */
    uint32_t without_worker;
} StoreQueueSize;

StoreResult store_queue_size(Store *store, StoreQueueSize *size, Error *error);

/* How many milliseconds the oldest jobs have been in the queue; 0: none. */
typedef struct StoreQueueAges {
    int64_t builds; /* waiting; also below */
    int64_t checks;
    int64_t analyses;
    int64_t matches[3]; /* by StoreMatchKind, without `people` */
    int64_t people;
    int64_t lease;     /* since the oldest lease of a job that is running */
    uint32_t repeated; /* running jobs that have failed before */
} StoreQueueAges;

StoreResult store_queue_ages(Store *store, StoreQueueAges *ages, Error *error);

typedef struct StoreQueuedVersion {
    uint64_t version;
    uint32_t seats; /* in matches that wait or are being played */
} StoreQueuedVersion;

/* Reads the versions with seats in unfinished ladder matches, at most *count; sets *count to how
   many. */
StoreResult store_queue_ladder(Store *store, StoreQueuedVersion *rows, uint32_t *count,
                               Error *error);

/* Estimates how many jobs will be leased before this match if no more are added. STORE_NOT_FOUND if
   it is not waiting. */
StoreResult store_queue_ahead(Store *store, uint64_t match, uint32_t *count, Error *error);

#endif
