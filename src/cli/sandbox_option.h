/* The sandbox as a command wants it: opened, and what is missing told in a line. */
#ifndef CLI_SANDBOX_OPTION_H
#define CLI_SANDBOX_OPTION_H

#include "bots/sandbox.h"

/* Understands strict, best-effort and none. */
bool read_sandbox_mode(const char *text, SandboxMode *mode, Error *error);

/* Prepares the sandbox. With best-effort a line on standard error names the layers that are
   missing. */
Sandbox *open_sandbox(SandboxMode mode, Error *error);

#endif
