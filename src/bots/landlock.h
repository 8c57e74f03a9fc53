/* Landlock: restricts which paths a process and its descendants may access, whatever the owner and
   mode of the files; it cannot be undone. On newer kernels also: no TCP, no abstract Unix sockets
   and no signals to processes outside. */
#ifndef BOTS_LANDLOCK_H
#define BOTS_LANDLOCK_H

#include "base/error.h"

/* The Landlock ABI version of the kernel; 0: none. Files need 1, truncation 3, TCP 4, ioctl on
   devices 5, sockets and signals 6. */
int landlock_abi(void);

/* Leaves the calling thread, and everything it starts afterwards:
     beneath `read_only`    reading and running
     beneath `read_write`   that, and creating, changing, moving and removing; but no device nodes
     on `devices`           reading and writing these files themselves
   and of the rest nothing, except what is open already. Each list ends with NULL; a path that does
   not exist is skipped; a directory stands for all that is in it. The thread must have
   no_new_privs. On failure, which is certain without Landlock, nothing has changed. */
bool landlock_restrict(const char *const *read_only, const char *const *read_write,
                       const char *const *devices, Error *error);

#endif
