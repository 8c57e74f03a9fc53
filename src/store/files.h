/* Replays and bots' sources: files that are named by their content and never change, in
   files/ab/abcdef... of the data directory.

   A file is written under a temporary name, synced, renamed, and its directory synced, before
   store_file_put returns: the row that names it comes after. So no row ever names a file that is
   not there; a file that no row names is left over and may be swept. */
#ifndef STORE_FILES_H
#define STORE_FILES_H

#include "store/types.h"

/* Keeps the bytes. The same bytes again are the same file. */
StoreResult store_file_put(Store *store, Slice bytes, StoreFile *file, Error *error);

/* The same with what is in `fd` from its beginning to its end, which may be larger than memory. */
StoreResult store_file_put_fd(Store *store, int fd, StoreFile *file, int64_t *size, Error *error);

/* A descriptor for reading, which the caller closes, and the size; or -1. */
int store_file_open(Store *store, const StoreFile *file, int64_t *size, Error *error);

/* Appends the content. */
StoreResult store_file_read(Store *store, const StoreFile *file, Buffer *to, Error *error);

/* Removes files that no row names and that nobody has put for `age` milliseconds (an hour is
   plenty: a row follows its file at once). Does nothing while a backup is made. *count: how
   many. */
StoreResult store_files_sweep(Store *store, int64_t age, uint32_t *count, Error *error);

/* The same for one of STORE_SWEEP_PARTS parts of all files, so that nobody waits long where there
   are millions. */
enum { STORE_SWEEP_PARTS = 257 };
StoreResult store_files_sweep_part(Store *store, uint32_t part, int64_t age, uint32_t *count,
                                   Error *error);

#endif
