/* The files of a build. In the sandbox a build works in a small file system in memory, whose size
   the kernel enforces. The bot's directory is copied there before the build, and what the build has
   changed is copied back after it. */
#ifndef BOTS_BUILD_FILES_H
#define BOTS_BUILD_FILES_H

#include "base/error.h"

#include <stdint.h>
#include <sys/types.h>

enum { BUILD_FILES_MAX = 65536 };
#define BUILD_BYTES_MAX (UINT64_C(512) << 20)

/* Copies the bot's directory into an empty one and makes everything there the build's user's. Both
   are descriptors of directories. Regular files, directories and symbolic links are copied, with
   their times and without set-id bits; others are left out. */
bool build_files_bring(int from, int to, uid_t uid, gid_t gid, Error *error);

/* Makes the bot's directory the same as the one in which its build worked: copies what is new or
   changed, and removes what is gone. Nothing of the build may run any more. New files belong to the
   owner of the bot's directory. If it would become too large, or leave less than a tenth of its
   disk, this changes nothing and sets the error. */
bool build_files_fetch(int from, int to, Error *error);

#endif
