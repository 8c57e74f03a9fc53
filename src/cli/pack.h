/* Packs a bot's directory into a tar archive, to upload it. */
#ifndef CLI_PACK_H
#define CLI_PACK_H

#include "base/buffer.h"
#include "base/error.h"

enum { PACK_FILES_MAX = 2000, PACK_BYTES_MAX = 32 << 20 };

/* Appends an archive of all regular files below the directory, sorted by name and without times and
   owners, so that the same files give the same bytes. Leaves out names that begin with a dot,
   __pycache__ and node_modules. Fails on links and other special files, and when there are too many
   files or bytes. */
bool pack_directory(const char *path, Buffer *to, Error *error);

#endif
