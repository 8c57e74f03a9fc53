/* The system calls that a bot may make: a list of what language runtimes need, compiled into a
   filter.

   Other calls fail and the bot continues, because runtimes probe for features and handle errors. A
   bot is killed (SIGSYS) only for a call through the interface of another architecture, where the
   same numbers mean other calls. The errors:

     EPERM    forbidden: the call, or the call with these arguments
     EACCES   sockets, as in socket(2); only connected pairs (AF_UNIX) are allowed
     ENOSPC   more entries in epoll sets than allowed
     0        succeeds without doing anything: sched_setaffinity
     ENOTSUP  extended attributes of files
     ENOSYS   not in this kernel, so that programs do without: clone3, io_uring and the like, and
              every call that is newer than the list */
#ifndef BOTS_SECCOMP_H
#define BOTS_SECCOMP_H

#include "base/error.h"

#include <linux/filter.h>
#include <stdint.h>

typedef struct SeccompFilter {
    struct sock_fprog program;
} SeccompFilter;

/* Builds the filter: once, for all bots. On failure there is nothing to free. */
bool seccomp_filter_build(SeccompFilter *filter, Error *error);

/* Applies the filter to the calling thread and everything it starts afterwards, irrevocably. The
   thread must have no_new_privs. Allocates nothing. A second filter cannot be applied on top.

   Sets `*supervisor` to a descriptor that is readable when a process under the filter waits for
   seccomp_supervise; -1 if a sandbox around us already has one, because the kernel allows only one.
   Without it, or if `supervisor` is NULL, the number of entries in epoll sets is not limited. */
bool seccomp_filter_apply(const SeccompFilter *filter, int *supervisor, Error *error);

/* Decides about one new entry in an epoll set: allows and counts it, or refuses it if there are
   `watches_max` already. It cannot see which entries were removed again. False if the supervisor's
   descriptor does not work. */
bool seccomp_supervise(int supervisor, uint32_t *watches, uint32_t watches_max);

void seccomp_filter_free(SeccompFilter *filter);

#endif
