/* The name under which the engine of this process holds jobs of the queue.

   Several processes lease jobs from one PostgreSQL database, so each start chooses a new name from
   host, process and random numbers, and keeps it in the data directory. The lock of that directory
   proves that the process which wrote the last name is gone: its jobs return to the queue at once.
   Jobs of a process on a machine that does not come back return when their leases expire.

   With SQLite only one process uses the store, so its name is always the same. */
#ifndef ARENA_PLAY_HOLDER_H
#define ARENA_PLAY_HOLDER_H

#include "arena/arena.h"

enum { HOLDER_SIZE = WORKER_NAME_SIZE };

/* Returns the jobs of the process that used the data directory before to the queue, and chooses a
   name. `last` is the name of that process, or "". */
bool holder_take(const Arena *arena, char name[HOLDER_SIZE], char last[HOLDER_SIZE], Error *error);

/* The name of this machine, without spaces and control characters. */
void holder_machine(char name[STORE_MACHINE_SIZE]);

#endif
