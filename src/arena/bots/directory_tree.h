/* Directories that are made and thrown away, with whatever strangers' builds left in them. */
#ifndef ARENA_BOTS_DIRECTORY_TREE_H
#define ARENA_BOTS_DIRECTORY_TREE_H

#include "base/buffer.h"
#include "base/error.h"

#include <stdint.h>

/* "A/B" in memory that the caller frees. */
char *tree_path(const char *directory, const char *name);

/* Makes a directory that only we may look into; it may be there already. */
bool tree_make(const char *path, Error *error);

/* Makes a directory in `parent` under a name that begins with `prefix` and that nothing else has,
   and gives its path for the caller to free; NULL if it cannot be. */
char *tree_make_new(const char *parent, const char *prefix, Error *error);

/* Removes the directory and everything in it, however deep; never follows a link. What is not there
   is fine. False if something is left. */
bool tree_remove(const char *path);

/* Whether there is no more in it than so many files and directories, and so many bytes on the disk.
   False as well if it cannot be read. */
bool tree_holds_at_most(const char *path, uint64_t files, uint64_t bytes);

/* Has what was written there reach the disk. */
bool tree_sync(const char *path, Error *error);

/* Calls `take` with the name of everything in the directory but "." and "..", in no order. False if
   it cannot be read. */
bool tree_each(const char *path, void (*take)(void *context, const char *name), void *context);

#endif
