/* A worker: a process without an HTTP server that plays for the arenas of a PostgreSQL database.

   It has an engine (play/engine.h), which leases builds, matches, checks and analyses, and a data
   directory for what it builds. Matches with people and remote bots stay with `serve`, to which
   their players are connected. A worker never creates or upgrades a store, and takes the limits of
   matches from it (match_limits.h). */
#ifndef ARENA_WORKER_H
#define ARENA_WORKER_H

#include "arena/arena.h"

/* Opens the store, and starts leasing jobs. Of the options, it uses those of the store, the data
   directory, the runners, `free_min` and `log`. NULL on failure. */
Arena *worker_start(const ArenaOptions *options, Error *error);

/* The name under which the worker holds jobs. */
const char *worker_name(const Arena *worker);

/* Chores, once a second. */
void worker_tick(Arena *worker);

/* Leases no more jobs; running ones finish within this many milliseconds or go back to the queue.
   Does not wait. May be called again with less time. */
void worker_drain(Arena *worker, uint32_t drain_ms);
bool worker_is_drained(const Arena *worker);

/* Returns the jobs that are still running to the queue, and closes and frees everything. NULL is
   fine. */
void worker_stop(Arena *worker);

#endif
