/* Landlock: restricts which paths a process and its descendants may access, whatever the owner and
   mode of the files; this cannot be undone. On newer kernels it also denies TCP, abstract Unix
   sockets and signals to processes outside. */
#ifndef BOTS_LANDLOCK_H
#define BOTS_LANDLOCK_H

#include "base/error.h"

/* The Landlock ABI version of the kernel; 0: none. Files require version 1, truncation 3, TCP 4,
   ioctl on devices 5, sockets and signals 6. */
int landlock_abi(void);

/* Restricts the calling thread, and everything it starts afterwards, to:
     beneath `read_only`    reading and executing
     beneath `read_write`   the same, and creating, changing, moving and removing, except device
                            nodes
     on `devices`           reading and writing these files themselves
   Files that are already open stay accessible. Each list ends with NULL; paths that do not exist
   are skipped; a directory includes everything in it. The thread must have no_new_privs. On
   failure, which is certain without Landlock, nothing has changed. */
bool landlock_restrict(const char *const *read_only, const char *const *read_write,
                       const char *const *devices, Error *error);

#endif
