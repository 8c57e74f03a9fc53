/* The processes that play, as administrators see and control them: each `serve` and each `worker`
   has a row, which it renews with a heartbeat.

   The store enforces what an administrator wants: the queue leases nothing to a worker that should
   drain or is blocked, whatever the process believes. A process that does not register may lease
   (tests and benchmarks do), but no jobs that require a minimum speed: its own counts as 0.

   The row of a process that stopped remains for a day. A process that is restarted with the same
   data directory has a new name, and inherits `wanted` from the old one. */
#ifndef STORE_WORKERS_H
#define STORE_WORKERS_H

#include "store/queue.h"

enum {
    WORKER_NAME_SIZE = 112,
    WORKER_LOST_MS = 60000, /* without a heartbeat; as long as a lease */
};

/* The numbers are in the database. */
typedef enum StoreWorkerKind { WORKER_SERVES, WORKER_WORKS } StoreWorkerKind;

typedef enum StoreWorkerState {
    WORKER_RUNNING,
    WORKER_DRAINING, /* takes no jobs; some are still running */
    WORKER_DRAINED,
    WORKER_BLOCKED,
    WORKER_TOO_SLOW, /* for what the operator allows */
    WORKER_BROKEN,   /* no runner can be started */
    WORKER_STOPPED,
    WORKER_LOST, /* without heartbeats; only in lists */
    WORKER_STATES
} StoreWorkerState;

typedef enum StoreWorkerWanted {
    WANTED_PLAY,
    WANTED_DRAIN, /* finish what is running */
    WANTED_BLOCK, /* return it to the queue */
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

/* Registers a process, or renews its row, and reads `wanted`. A new row inherits it from the
   process `previous`, which stopped; NULL: there is none. Writes beside others, without waiting for
   the disk: many workers call this every few seconds. */
StoreResult store_worker_beat(Store *store, StoreWorker *worker, const char *previous,
                              Error *error);

/* Sets what an administrator wants a worker to do from now on. WANTED_BLOCK also returns its jobs
   to the queue. STORE_NOT_FOUND if there is no such worker. */
StoreResult store_worker_ask(Store *store, const char *name, StoreWorkerWanted wanted,
                             Error *error);

/* One worker, or the workers after a name, in the order of their names, at most *count; sets *count
   to how many. Without those that stopped, unless they should drain or are blocked. */
StoreResult store_worker_get(Store *store, const char *name, StoreWorker *worker, Error *error);
StoreResult store_workers_list(Store *store, const char *after, StoreWorker *rows, uint32_t *count,
                               Error *error);

/* How many workers there are in each state, as in lists. */
StoreResult store_workers_count(Store *store, uint32_t counts[WORKER_STATES], Error *error);

typedef struct StoreHeldJob {
    char holder[WORKER_NAME_SIZE];
    uint64_t id;
    StoreJobKind kind;
    uint64_t subject; /* the match or version */
    int64_t leased;
    int64_t progressed; /* when it last made progress; 0: nothing is known yet */
} StoreHeldJob;

/* The jobs that the workers from one name to another have leased, by name, of each the oldest
   first, at most *count; sets *count to how many. */
StoreResult store_workers_jobs(Store *store, const char *from, const char *to, StoreHeldJob *rows,
                               uint32_t *count, Error *error);

/* Whether a running worker has a speed in this range, see StoreNewMatch. */
StoreResult store_workers_fit(Store *store, uint32_t speed_min, uint32_t speed_max, bool *fit,
                              Error *error);

#endif
