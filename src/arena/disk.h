/* Free space on the disk with the data directory. While it is low, the arena starts no matches and
   builds and accepts no uploads, to leave room for what it must still write: results, accounts,
   sessions, the audit log. It resumes automatically when there is space again. */
#ifndef ARENA_DISK_H
#define ARENA_DISK_H

#include "arena/arena.h"

/* Measures the free space; the housekeeping does so once a second. Creates the metrics first, if
   the arena has any. */
void disk_measure(Arena *arena);

/* Whether the last measurement found less than ArenaOptions.free_min. Safe from any thread. */
bool disk_is_low(const Arena *arena);

/* The message to show while the disk is low: a sentence without a full stop. */
extern const char disk_low_notice[];

/* Answers with status 507 and returns true while the disk is low. */
bool disk_refuse(const Request *request, Response *response);

#endif
