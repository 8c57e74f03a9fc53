/* A directory as a tar archive, for sending a bot: written here because it takes a page, and a
   library would bring its readers along. */
#ifndef CLI_TAR_H
#define CLI_TAR_H

#include "base/buffer.h"
#include "base/error.h"

enum { TAR_FILES_MAX = 2000, TAR_BYTES_MAX = 32 << 20 };

/* Appends an archive of all plain files beneath the directory, in the order of their names, the
   same each time. Names that begin with a dot, and __pycache__ and node_modules, are left out.
   Refuses links, and names that a tar header has no room for. */
bool tar_directory(const char *path, Buffer *to, Error *error);

#endif
