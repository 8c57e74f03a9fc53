/* The files of a build. In the sandbox, a build works in a small file system in memory, whose size
   the kernel limits. The bot's directory is copied there before the build, and the build's changes
   are copied back afterwards. */
#ifndef BOTS_BUILD_FILES_H
#define BOTS_BUILD_FILES_H

#include "base/error.h"

#include <stdint.h>
#include <sys/types.h>

enum { BUILD_FILES_MAX = 65536 };
#define BUILD_BYTES_MAX (UINT64_C(512) << 20)

/* Copies the contents of the bot's directory into an empty one and makes the build's user their
   owner. Both arguments are descriptors of directories. Regular files, directories and symbolic
   links are copied, with their times and without set-id bits; others are left out. */
bool build_files_bring(int from, int to, uid_t uid, gid_t gid, Error *error);

/* Makes the bot's directory the same as the one in which its build worked: copies new and changed
   files and removes files that no longer exist. No process of the build may still run. New files
   belong to the owner of the bot's directory. If the directory would become too large, or leave
   less than a tenth of its disk free, this changes nothing and sets the error. */
bool build_files_fetch(int from, int to, Error *error);

#endif
