/* The row of this engine in the registry of workers (store/workers.h): what it is, and what an
   administrator wants it to do.

   With PostgreSQL it is renewed every few seconds. With SQLite, where no other process reads it, it
   is written only when something changes. Everything runs on the engine's thread. */
#ifndef ARENA_PLAY_HEARTBEAT_H
#define ARENA_PLAY_HEARTBEAT_H

#include "arena/arena.h"

enum { HEARTBEAT_MS = 5000 };

struct Engine;

typedef struct Heartbeat {
    StoreWorker worker;
    StoreWorker written; /* as it is in the store */
    atomic_bool asked;   /* an administrator has changed `wanted`, see engine_wake_for_worker */
    int64_t due;         /* clock_now of the next heartbeat */
    bool failed;         /* the last heartbeat failed, which was logged */
    Metric *states[WORKER_STATES];
} Heartbeat;

/* Measures the speed of this machine and registers the engine, which replaces the process
   `previous`; "": none is known. */
bool heartbeat_start(struct Engine *engine, const char *previous, Error *error);

/* Once a second, and when the engine begins to stop. */
void heartbeat_tick(struct Engine *engine);

/* Sends a heartbeat now, to read `wanted`. */
void heartbeat_hurry(struct Engine *engine);

/* Records that the engine has ended. */
void heartbeat_stop(struct Engine *engine);

/* Whether the engine may lease jobs; and whether this machine is too slow for those without
   people. */
bool heartbeat_may_lease(const struct Engine *engine);
bool heartbeat_is_too_slow(const struct Engine *engine);

#endif
