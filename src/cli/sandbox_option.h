/* The option --sandbox. */
#ifndef CLI_SANDBOX_OPTION_H
#define CLI_SANDBOX_OPTION_H

#include "bots/sandbox.h"

/* Parses the name of a mode. */
bool read_sandbox_mode(const char *text, SandboxMode *mode, Error *error);

/* Opens the sandbox. With best-effort, a warning names the missing layers, even with --quiet. */
Sandbox *open_sandbox(SandboxMode mode, Error *error);

/* Whether bots cannot read the data directory and `files`, the place of the files (or NULL). */
bool sandbox_hides(const Sandbox *sandbox, const char *data, const char *files, Error *error);

#endif
