/* A runner: a small process that plays one match at a time on one core, or builds one bot, and
   reports the result.

   It starts untrusted programs, so it has access to nothing of value: it has one inherited socket
   to the dispatcher, no database, no other descriptor, and few environment variables. It exits when
   the socket closes. SIGTERM aborts its match; it also gets SIGTERM when the dispatcher dies. */
#ifndef LEAGUE_RUNNER_H
#define LEAGUE_RUNNER_H

#include "bots/sandbox.h"
#include "league/own_program.h"

enum { RUNNER_SOCKET = OWN_PROGRAM_SOCKET }; /* the descriptor of its socket */

/* Runs until the socket closes; returns the exit status. `core` is the core to which the runner is
   pinned; negative: any. A runner that yields, and its bots, get only the CPU time that nothing
   else needs. */
int runner_run(SandboxMode mode, int core, bool yields);

#endif
