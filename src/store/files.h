/* Replays and bots' sources: immutable files named by their content hash, in files/ab/abcdef... of
   the data directory, or in another place (see StoreOptions).

   A file is durable when store_file_put returns. The row that names it is written afterwards, so no
   row names a missing file. A file that no row names is garbage and may be swept. */
#ifndef STORE_FILES_H
#define STORE_FILES_H

#include "store/types.h"

/* Stores the bytes. Equal bytes are one file. */
StoreResult store_file_put(Store *store, Slice bytes, StoreFile *file, Error *error);

/* Stores the whole content of `fd`, which may be larger than memory. */
StoreResult store_file_put_fd(Store *store, int fd, StoreFile *file, int64_t *size, Error *error);

/* Returns a descriptor for reading, which the caller closes, and sets the size; -1 on failure. */
int store_file_open(Store *store, const StoreFile *file, int64_t *size, Error *error);

bool store_file_exists(const Store *store, const StoreFile *file);

/* Appends the content. */
StoreResult store_file_read(Store *store, const StoreFile *file, Buffer *to, Error *error);

/* Deletes files that no row names and that were not stored in the last `age` milliseconds (an hour
   is ample, because a row is written immediately after its file). Does nothing during a backup.
   *count: how many were deleted. */
StoreResult store_files_sweep(Store *store, int64_t age, uint32_t *count, Error *error);

/* Sweeps one of STORE_SWEEP_PARTS parts of all files, so that no call takes long even with millions
   of files. */
enum { STORE_SWEEP_PARTS = 257 };
StoreResult store_files_sweep_part(Store *store, uint32_t part, int64_t age, uint32_t *count,
                                   Error *error);

#endif
