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

/* Matches in which a person plays are leased by JOB_PERSON only, because other runners play them.
   The leased job has the kind JOB_MATCH. */
typedef enum StoreJobKind {
    JOB_BUILD = 1,
    JOB_MATCH = 2,
    JOB_PERSON = 4,
    JOB_LONG = 8, /* only for leases: also jobs that were interrupted because they are long */
    /* of a version that is built, see docs/checking-bots.md; it takes a few seconds, and is a long
       job from its start */
    JOB_CHECK = 16,
    JOB_ANALYSIS = 32, /* of a match that is over */
    /* only for leases: also matches with remote players, who are connected to one arena, so that no
       other process can play them; without other kinds, only these */
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
    bool remote;       /* a seat is played from elsewhere: see JOB_REMOTE */
    const char *owner; /* the only holder that can lease it; NULL: any */
    const char *game;
    const char *map;
    uint64_t seed;
    uint64_t requester;
    uint64_t visitor; /* without a requester: who it is for, such as an address_key */
    uint64_t tournament;
    uint32_t fixture;
    uint32_t leg;
    /* STORE_BUSY if the requester or visitor already has as many casual matches without people
       that wait or are being played; 0: any number */
    uint32_t most;
    /* of the worker that plays it; 0: any */
    uint32_t speed_min;
    uint32_t speed_max;
    uint32_t players;
    /* for the runner; must not name anyone, because it outlives deleted accounts */
    const char *spec;
    const char *request;       /* what the log calls the request that adds it, or NULL */
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
    char request[STORE_REQUEST_SIZE]; /* what the log calls the request that added it, or "" */
} StoreJob;

/* Leases up to *count jobs (at most QUEUE_LEASE_MAX) of these kinds for `lease` milliseconds, in
   the order of fair shares. Sets *count to how many, which may be 0. `holder` names this
   dispatcher. */
StoreResult store_queue_lease(Store *store, StoreJobKind kinds, const char *holder, int64_t lease,
                              StoreJob *jobs, uint32_t *count, Error *error);

/* How far a leased job has come. */
typedef struct StoreProgress {
    uint64_t steps;   /* a number that changes with each turn, build and so on */
    int64_t stall_ms; /* how long until it must change, the column "patience"; 0: no limit */
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
    Slice verdict; /* must not name anyone, see StoreNewMatch */
    /* build logs, in the caller's format; deleted with the account that requested the match */
    Slice logs;
    StoreFile replay; /* already in files */
    int64_t replay_bytes;
    const char *machine; /* that played it, or NULL */
    uint32_t speed;      /* of it, or 0 */
    uint32_t players;
    const StoreSeatResult *seats;
} StoreMatchResult;

/* STORE_CONFLICT for a late or duplicate result, which changes nothing. */
StoreResult store_queue_finish_match(Store *store, uint64_t job, uint32_t attempt,
                                     const StoreMatchResult *result, Error *error);

/* The result of a match, see above, and the outcome: STORE_OK, or STORE_CONFLICT for a late or
   duplicate one. */
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
    bool check;          /* if good: queue a check of it, for the owner of the bot */
    const char *request; /* of the job, for that of the check; or NULL */
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

/* Reports that the attempt failed, not because of a bot. The job returns to the queue or is given
   up (*over). Nobody can lease it again for `rest` milliseconds: more than 0 if something that it
   needs, such as the place of the files, is unavailable. */
StoreResult store_queue_fail(Store *store, uint64_t job, uint32_t attempt, const char *why,
                             int64_t rest, bool *over, Error *error);

/* The ids of the jobs that this holder has leased, at most *count; sets *count to how many. All
   other jobs that the holder works on were cancelled. */
StoreResult store_queue_held(Store *store, const char *holder, uint64_t *jobs, uint32_t *count,
                             Error *error);

/* Returns a job to the queue without counting a failure. */
StoreResult store_queue_return(Store *store, uint64_t job, uint32_t attempt, Error *error);

/* The same for a long job that must make room. It is leased again only with JOB_LONG. For ten
   minutes, this also applies to all jobs of its requester, and of those whose jobs have run for
   even longer. */
StoreResult store_queue_interrupt(Store *store, uint64_t job, uint32_t attempt, Error *error);

/* Whether a job of another requester waits, without counting matches with people, jobs that are
   leased only with JOB_LONG, and requesters who have a runner. */
StoreResult store_queue_others_wait(Store *store, uint64_t job, bool *wait, Error *error);

/* Returns all jobs of a holder to the queue: after its restart, nobody plays them. *count: how
   many. */
StoreResult store_queue_recover(Store *store, const char *holder, uint32_t *count, Error *error);

/* The status of a player whose bot was retired during the match or before it, which cancelled the
   match. */
#define QUEUE_WITHDRAWN "withdrawn"

/* Cancels a match that is not over, for the reason `why` (NULL: none). */
StoreResult store_queue_call_off(Store *store, uint64_t match, const char *why, Error *error);

/* Cancels matches that wait for an owner that is gone, because nobody else can play them. */
StoreResult store_queue_call_off_orphans(Store *store, const char *why, Error *error);

typedef struct StoreQueueSize {
    uint32_t builds; /* waiting; also below */
    uint32_t checks;
    uint32_t analyses;
    uint32_t matches[3]; /* by StoreMatchKind, without `people` */
    /* matches with a person: they wait for their own runners and delay nobody */
    uint32_t people;
    uint32_t leased; /* of any kind */
    /* how many of them need a speed that no running worker has */
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

/* The versions with seats in unfinished ladder matches, at most *count; sets *count to how many. */
StoreResult store_queue_ladder(Store *store, StoreQueuedVersion *rows, uint32_t *count,
                               Error *error);

/* About how many jobs are leased before this match, if nobody adds any; STORE_NOT_FOUND
   if it is not waiting. */
StoreResult store_queue_ahead(Store *store, uint64_t match, uint32_t *count, Error *error);

#endif
