/* The calls to the kernel that a bot may make: a list of what language runtimes need, turned into a
   filter.

   What is not on the list is refused and the bot goes on, because runtimes try things and cope with
   a no. It is ended (SIGSYS) only when it calls through the door of another architecture, where the
   numbers mean other calls. The refusals:

     EPERM    forbidden: the call, or the call with these arguments
     EACCES   sockets, as socket(2) has it; pairs of connected ones (AF_UNIX) are all there is
     0        nothing is done, but not refused either: sched_setaffinity
     ENOTSUP  extended attributes of files
     ENOSYS   "this kernel does not have it", where programs then do without: clone3, io_uring and
              the like, and every call that is
              newer than the list */
#ifndef BOTS_SECCOMP_H
#define BOTS_SECCOMP_H

#include "base/error.h"

#include <linux/filter.h>

typedef struct SeccompFilter {
    struct sock_fprog program;
} SeccompFilter;

/* Builds the filter: once, for all bots. On failure there is nothing to free. */
bool seccomp_filter_build(SeccompFilter *filter, Error *error);

/* Puts the calling thread, and everything it starts from then on, under the filter, for good. It
   must have no_new_privs. Allocates nothing. A second filter cannot be applied on top: that call is
   refused. */
bool seccomp_filter_apply(const SeccompFilter *filter, Error *error);

void seccomp_filter_free(SeccompFilter *filter);

#endif
