/* Creates, reads, flushes and removes directories, whatever untrusted builds have left in them. */
#ifndef ARENA_BOTS_DIRECTORY_TREE_H
#define ARENA_BOTS_DIRECTORY_TREE_H

#include "base/buffer.h"
#include "base/error.h"
#include "base/path.h"

#include <stdint.h>

/* Creates a directory that only this user can read, unless it exists. */
bool tree_make(const char *path, Error *error);

/* Creates a directory in `parent` with a unique name that starts with `prefix`. Returns its path,
   which the caller frees, or NULL. */
char *tree_make_new(const char *parent, const char *prefix, Error *error);

/* Removes the directory and everything in it, however deep, without following links. True if it is
   gone or never existed. */
bool tree_remove(const char *path);

/* Flushes the file system of the directory to disk. */
bool tree_sync(const char *path, Error *error);

/* Calls `take` with the name of each entry except "." and "..", in no particular order. False if
   the directory cannot be read. */
bool tree_each(const char *path, void (*take)(void *context, const char *name), void *context);

#endif
