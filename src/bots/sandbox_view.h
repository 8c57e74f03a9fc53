/* What a bot sees of the file system, to explain why a file that exists is not found in the
   sandbox. For commands that users typed: what an uploaded bot names is not looked up, so that its
   author does not learn which files this machine has. */
#ifndef BOTS_SANDBOX_VIEW_H
#define BOTS_SANDBOX_VIEW_H

#include "base/error.h"
#include "bots/bot_spec.h"
#include "bots/sandbox.h"

/* Whether a command started in the current directory names a file that exists, but that the sandbox
   hides. The error then names the file and what to do. */
bool sandbox_hides_word(const Sandbox *sandbox, const char *command, Error *error);

/* The same for a bot; always false for one that is not a command. */
bool sandbox_hides_bot(const Sandbox *sandbox, const BotSpec *spec, Error *error);

/* Whether a program is installed only where the sandbox hides it: a path, or a name that is found
   on our PATH and not on that of bots. `what` begins the error: "program \"node\"". */
bool sandbox_hides_program(const Sandbox *sandbox, const char *program, const char *what,
                           Error *error);

/* Whether every bot sees what is, or will be, at this path: it is in one of the system's
   directories that the sandbox shows. */
bool sandbox_shows(const Sandbox *sandbox, const char *path);

#endif
