/* The processes that play, as administrators see and control them: each `serve` and each `worker`
   has a row, which it renews with a heartbeat.

   The store enforces an administrator's decisions: the queue leases nothing to a worker that should
   drain or is blocked, even if the process does not know this yet. A process that does not register
   may lease jobs (tests and benchmarks do), except those that require a minimum speed, because its
   own speed counts as 0.

   The row of a process that stopped remains for a day. A process that is restarted with the same
   data directory gets a new name, and inherits `wanted` from the old one. */
#ifndef STORE_WORKERS_H
#define STORE_WORKERS_H

#include "store/queue.h"

enum {
    WORKER_NAME_SIZE = 112,
    WORKER_LOST_MS = 60000, /* without a heartbeat; as long as a lease */
};

/* The values are stored in the database. */
typedef enum StoreWorkerKind { WORKER_SERVES, WORKER_WORKS } StoreWorkerKind;

typedef enum StoreWorkerState {
    WORKER_RUNNING,
    WORKER_DRAINING, /* takes no jobs; some are still running */
    WORKER_DRAINED,
    WORKER_BLOCKED,
    WORKER_TOO_SLOW, /* slower than the operator allows */
    WORKER_BROKEN,   /* no runner can be started */
    WORKER_STOPPED,
    WORKER_LOST, /* without heartbeats; only in lists */
    WORKER_STATES
} StoreWorkerState;

typedef enum StoreWorkerWanted {
    WANTED_PLAY,
    WANTED_DRAIN, /* finish running jobs */
    WANTED_BLOCK, /* return running jobs to the queue */
} StoreWorkerWanted;

/* What the arena calls them, in these orders; see NAME_ARRAY in http/schemas.h. */
#define WORKER_KIND_NAMES(name, between) name("serve") between name("worker")
#define WORKER_STATE_NAMES(name, between)                                                 \
 name("running") between name("draining") between name("drained") between name("blocked") \
     between name("too_slow") between name("broken") between name("stopped") between name("lost")
#define WORKER_WANTED_NAMES(name, between) name("play") between name("drain") between name("block")

typedef struct StoreWorker {
    int64_t started;
    int64_t seen;
    StoreWorkerKind kind;
    uint32_t speed; /* see league/calibration.h; 0: unknown */
    uint32_t runners;
    uint32_t running; /* jobs that it has leased; only in lists */
    StoreWorkerState state;
    StoreWorkerWanted wanted;
    char version[STORE_GAME_SIZE]; /* of the program */
    char machine[STORE_MACHINE_SIZE];
    char name[WORKER_NAME_SIZE]; /* the holder of its jobs */
} StoreWorker;

/* Registers a process, or renews its row, and reads `wanted`. A new row inherits `wanted` from the
   process `previous`, which has stopped; NULL: there is none. Writes concurrently with all other
   transactions and does not wait for the disk, because many workers call this every few seconds. */
StoreResult store_worker_beat(Store *store, StoreWorker *worker, const char *previous,
                              Error *error);

/* Sets what an administrator wants a worker to do from now on. WANTED_BLOCK also returns its jobs
   to the queue. STORE_NOT_FOUND if there is no such worker. */
StoreResult store_worker_ask(Store *store, const char *name, StoreWorkerWanted wanted,
                             Error *error);

/* Reads one worker, or lists the workers after a name, in the order of their names, at most *count;
   sets *count to how many. The list omits workers that have stopped, unless they should drain or
   are blocked. */
StoreResult store_worker_get(Store *store, const char *name, StoreWorker *worker, Error *error);
StoreResult store_workers_list(Store *store, const char *after, StoreWorker *rows, uint32_t *count,
                               Error *error);

/* Counts the listed workers in each state. */
StoreResult store_workers_count(Store *store, uint32_t counts[WORKER_STATES], Error *error);

typedef struct StoreHeldJob {
    char holder[WORKER_NAME_SIZE];
    uint64_t id;
    StoreJobKind kind;
    uint64_t subject; /* the match or version */
    int64_t leased;
    int64_t progressed; /* when it last made progress; 0: not known yet */
} StoreHeldJob;

/* Reads the jobs that workers with names in a range have leased, ordered by name and then oldest
   first, at most *count; sets *count to how many. */
StoreResult store_workers_jobs(Store *store, const char *from, const char *to, StoreHeldJob *rows,
                               uint32_t *count, Error *error);

/* Whether a running worker has a speed in this range, see StoreNewMatch. */
StoreResult store_workers_fit(Store *store, uint32_t speed_min, uint32_t speed_max, bool *fit,
                              Error *error);

#endif
