/* What is to be done: matches to play and versions to build.

   A job is leased, with an attempt number and an expiry; it is played while no transaction is open;
   and it is finished by one transaction that begins by taking the job away under its id and attempt
   number, and writes the result only if that took something. A late result, or a second one, finds
   nothing to take and is refused. A lease that expires, or whose holder is gone, puts the job back.

   A job that fails again and again (the lease expired, or the runner said so) is given up after
   QUEUE_LOSSES_MAX times: its match or version then says why. */
#ifndef STORE_QUEUE_H
#define STORE_QUEUE_H

#include "store/bots.h"
#include "store/matches.h"

enum { QUEUE_LOSSES_MAX = 3, QUEUE_LEASE_MAX = 64 };

/* Matches in which a person plays are leased apart, by JOB_PERSON alone: who can play such a one is
   not who plays the others. As a job it is a JOB_MATCH. */
typedef enum StoreJobKind {
    JOB_BUILD = 1,
    JOB_MATCH = 2,
    JOB_ANY = 3,
    JOB_PERSON = 4
} StoreJobKind;

typedef struct StoreNewSeat {
    uint64_t bot;      /* or 0 */
    uint64_t version;  /* or 0; else built well, and of this bot */
    const char *label; /* the name of one that is no bot's */
    /* what was given for it: code, a replay to begin with; in the files already. Forgotten when the
       match is over */
    StoreFile source;
} StoreNewSeat;

typedef struct StoreNewMatch {
    StoreMatchKind kind; /* play-now goes before tournaments, and those before the ladder */
    bool open;
    bool person; /* a person plays a seat: see JOB_PERSON */
    const char *game;
    const char *map;
    uint64_t seed;
    uint64_t requester;
    uint64_t tournament;
    uint32_t fixture;
    uint32_t leg;
    const char *spec; /* for the runner; name nobody in it: it outlives deleted accounts */
    uint32_t players;
    const StoreNewSeat *seats;
} StoreNewMatch;

/* Asks for all these matches, or none. `ids` has room for `count`. A fixture that its tournament
   already has is a STORE_CONFLICT. */
StoreResult store_queue_matches(Store *store, const StoreNewMatch *matches, uint32_t count,
                                uint64_t *ids, Error *error);

typedef struct StoreJob {
    uint64_t id;
    StoreJobKind kind;
    uint32_t attempt; /* from 1 */
    uint32_t losses;  /* attempts that failed */
    uint64_t subject; /* the match or version */
    int64_t expires;
} StoreJob;

/* Leases up to *count jobs (at most QUEUE_LEASE_MAX) of these kinds, the most urgent first and
   among those the oldest, for `lease` milliseconds; *count becomes how many. None is no failure.
   `holder` names this dispatcher. */
StoreResult store_queue_lease(Store *store, StoreJobKind kinds, const char *holder, int64_t lease,
                              StoreJob *jobs, uint32_t *count, Error *error);

/* For a job that takes longer: `lease` more milliseconds from now. STORE_CONFLICT if the lease is
   lost. */
StoreResult store_queue_extend(Store *store, uint64_t job, uint32_t attempt, int64_t lease,
                               Error *error);

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
    Slice verdict; /* name nobody in it, see StoreNewMatch */
    Slice logs; /* the caller's: what builds said; gone with the account that asked for the match */
    StoreFile replay; /* is in the files already */
    uint32_t players;
    const StoreSeatResult *seats;
} StoreMatchResult;

/* STORE_CONFLICT for a late or doubled result, which changes nothing. */
StoreResult store_queue_finish_match(Store *store, uint64_t job, uint32_t attempt,
                                     const StoreMatchResult *result, Error *error);

typedef struct StoreBuildResult {
    bool good;
    bool activate; /* if good */
    Slice log;
    StoreFile product; /* or none */
} StoreBuildResult;

StoreResult store_queue_finish_build(Store *store, uint64_t job, uint32_t attempt,
                                     const StoreBuildResult *result, Error *error);

/* The attempt failed through no fault of the bots. The job goes back, or is given up for good:
   *over. */
StoreResult store_queue_fail(Store *store, uint64_t job, uint32_t attempt, const char *why,
                             bool *over, Error *error);

/* Puts a job back unplayed, without a mark against it. */
StoreResult store_queue_return(Store *store, uint64_t job, uint32_t attempt, Error *error);

/* The same for all that a holder has: after a restart nobody plays them any more. */
StoreResult store_queue_recover(Store *store, const char *holder, uint32_t *count, Error *error);

/* The status of a player whose bot was retired while its match waited or was played, which called
   the match off. */
#define QUEUE_WITHDRAWN "withdrawn"

/* Calls a match off that is not over. `why` is its reason; NULL: there is none to tell. */
StoreResult store_queue_call_off(Store *store, uint64_t match, const char *why, Error *error);

typedef struct StoreQueueSize {
    uint32_t builds;     /* waiting; likewise below */
    uint32_t matches[3]; /* by StoreMatchKind, without those ... */
    /* ... that people play: they wait for a runner of their own, perhaps for hours, and hold up
       nobody */
    uint32_t people;
    uint32_t leased; /* of any kind */
} StoreQueueSize;

StoreResult store_queue_size(Store *store, StoreQueueSize *size, Error *error);

typedef struct StoreQueuedVersion {
    uint64_t version;
    uint32_t seats; /* in matches that wait or are being played */
} StoreQueuedVersion;

/* Which versions have seats in ladder matches that are not over, `*count` of them at most; sets it
   to how many there are. */
StoreResult store_queue_ladder(Store *store, StoreQueuedVersion *rows, uint32_t *count,
                               Error *error);

/* How many jobs will be leased before this match, by who leases such; STORE_NOT_FOUND if it does
   not wait. */
StoreResult store_queue_ahead(Store *store, uint64_t match, uint32_t *count, Error *error);

#endif
