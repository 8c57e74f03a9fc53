/* A runner: a small process that plays one match at a time on one core, or builds one bot, and
   tells how it went.

   It starts untrusted programs, so it has nothing worth taking: one socket to the dispatcher, which
   it was born with, no database, no other descriptor, few variables of the environment. It ends
   when the socket does. SIGTERM breaks off the match that it is at. When the dispatcher dies, it
   gets that too. */
#ifndef LEAGUE_RUNNER_H
#define LEAGUE_RUNNER_H

#include "bots/sandbox.h"

enum { RUNNER_SOCKET = 3 }; /* the descriptor that it finds its socket on */

/* The whole life of a runner; returns its exit status. `core` is the one to stay on, or
   negative. */
int runner_run(SandboxMode mode, int core);

#endif
