/* The option --sandbox. */
#ifndef CLI_SANDBOX_OPTION_H
#define CLI_SANDBOX_OPTION_H

#include "bots/sandbox.h"

/* Parses strict, best-effort or none. */
bool read_sandbox_mode(const char *text, SandboxMode *mode, Error *error);

/* Opens the sandbox. With best-effort, a warning names the missing layers. */
Sandbox *open_sandbox(SandboxMode mode, Error *error);

#endif
