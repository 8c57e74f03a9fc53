/* Landlock: which files a process may touch, by path, whatever their owner and mode say; the kernel
   holds it to that for good, with all that it starts. Where the kernel is new enough also: no TCP,
   no abstract unix sockets and no signals to processes outside. */
#ifndef BOTS_LANDLOCK_H
#define BOTS_LANDLOCK_H

#include "base/error.h"

/* The version of Landlock that the kernel has; 0: none. Files need 1, truncation 3, TCP 4, ioctl on
   devices 5, sockets and signals 6. */
int landlock_abi(void);

/* Leaves the calling thread, and everything it starts from then on:
     beneath `read_only`    reading and running
     beneath `read_write`   that, and making, changing, moving and removing; but no device nodes
     on `devices`           reading and writing these files themselves
   and of the rest nothing, except what is open already. Each list ends with NULL; a path that is
   not there is skipped; a directory stands for all that is in it. It must have no_new_privs. On
   failure, which without Landlock is certain, nothing has changed. */
bool landlock_restrict(const char *const *read_only, const char *const *read_write,
                       const char *const *devices, Error *error);

#endif
