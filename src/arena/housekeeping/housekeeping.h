/* Housekeeping: a thread for background chores. Once a second it flushes the log, measures the free
   disk space, applies password resets (people/recovery.c), deletes leftovers of failed builds and
   drafts, and deletes replays older than --keep-days; from time to time it tidies the store and the
   copies (copies.h), and deletes files that nothing refers to. */
#ifndef ARENA_HOUSEKEEPING_HOUSEKEEPING_H
#define ARENA_HOUSEKEEPING_HOUSEKEEPING_H

#include "arena/arena.h"

typedef struct Housekeeping Housekeeping;

Housekeeping *housekeeping_start(Arena *arena, Error *error);

/* Finishes the chore in progress. NULL is fine. */
void housekeeping_stop(Housekeeping *housekeeping);

#endif
