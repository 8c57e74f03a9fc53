/* Inside the store: a cache of remote files, in DATA/file-cache. It has at most `most` bytes; the
   least recently used copies are deleted first. The cache survives restarts. Copies are not synced,
   because the caller verifies every content against its name. */
#ifndef STORE_FILE_CACHE_H
#define STORE_FILE_CACHE_H

#include "base/error.h"

#include <stdint.h>

typedef struct FileCache FileCache;

/* NULL if the directory cannot be created. */
FileCache *file_cache_open(const char *directory, int64_t most, Error *error);
void file_cache_close(FileCache *cache); /* NULL is fine */

/* Opens a copy for reading, and marks it as used now; -1 if there is none. */
int file_cache_get(FileCache *cache, const char *name);

/* Creates a file without a name, which is deleted when it is closed unless file_cache_keep is
   called; -1 on failure. */
int file_cache_create(FileCache *cache, Error *error);

/* Keeps the new file `fd` as the copy of the file `name`, if it is small enough for the cache.
   Closes `fd`, and returns a read-only descriptor of the same file, at its beginning; -1 on
   failure. */
int file_cache_keep(FileCache *cache, int fd, const char *name, Error *error);

/* Deletes a copy that turned out to be damaged. */
void file_cache_drop(FileCache *cache, const char *name);

#endif
