/* The row of this engine in the registry of workers (store/workers.h): what it is, and what an
   administrator wants it to do.

   On PostgreSQL it is renewed every few seconds. With SQLite, where nobody else reads it, it is
   written only when something changes. Everything runs on the engine's thread. */
#ifndef ARENA_PLAY_HEARTBEAT_H
#define ARENA_PLAY_HEARTBEAT_H

#include "arena/arena.h"

enum { HEARTBEAT_MS = 5000 };

struct Engine;

typedef struct Heartbeat {
    StoreWorker worker;
    StoreWorker written; /* as it is in the store */
    atomic_bool asked;   /* an administrator has changed `wanted`, see engine_wake_for_worker */
    int64_t due;         /* clock_now of the next one */
    bool failed;         /* the last one, which was logged */
    Metric *states[WORKER_STATES];
} Heartbeat;

/* Measures the speed of this machine and registers the engine. It takes the place of the process
   `previous`; "": none is known. */
bool heartbeat_start(struct Engine *engine, const char *previous, Error *error);

/* Once a second, and when the engine begins to stop. */
void heartbeat_tick(struct Engine *engine);

/* Checks `wanted` now. */
void heartbeat_hurry(struct Engine *engine);

/* The engine has ended. */
void heartbeat_stop(struct Engine *engine);

/* Whether it may lease jobs; and whether the machine is too slow for those without people. */
bool heartbeat_may_lease(const struct Engine *engine);
bool heartbeat_is_too_slow(const struct Engine *engine);

#endif
