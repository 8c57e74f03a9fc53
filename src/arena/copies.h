/* Copies: files that the arena derives from a replay for its readers and keeps for later ones: the
   replay without private standard error and the names of deleted accounts, and the picture of its
   last turn. Making a copy unpacks the whole match; reading it again only opens a file.

   A copy is DATA/copies/HASH-KIND, where HASH names the replay, so it is never outdated. Copies can
   be deleted at any time: the oldest go when they take more than COPIES_BYTES_MAX, all of them when
   the arena starts or the disk is low, and those of a replay soon after the replay is deleted. */
#ifndef ARENA_COPIES_H
#define ARENA_COPIES_H

#include "arena/arena.h"
#include "match/replay.h"

enum { COPIES_BYTES_MAX = 1 << 30, COPY_KIND_SIZE = 48 };

typedef struct Copies Copies;

/* Deletes all copies. NULL on failure. */
Copies *copies_new(Arena *arena, Error *error);
void copies_free(Copies *copies); /* NULL is fine */

/* Writes the copy of the replay to an empty file. It may leave the file's offset anywhere, and must
   not close the file. */
typedef bool (*CopyMaker)(void *context, Replay *replay, int file, Error *error);

/* Opens the copy, and makes it first if it does not exist; other callers that need the same copy
   wait until it is made. Returns a descriptor, which the caller closes, and sets the size; -1 on
   failure. For request_defer only. */
int copies_open(Copies *copies, const StoreFile *replay, const char *kind, CopyMaker make,
                void *context, int64_t *size, Error *error);

/* Opens a replay of the store without reading all of it. The caller frees it; NULL on failure. */
Replay *copies_replay(const Arena *arena, const StoreFile *file, Error *error);

/* Deletes copies whose replay is gone; the oldest if they take too much space; all while the disk
   is low. Housekeeping calls it. */
void copies_tidy(Copies *copies);

#endif
