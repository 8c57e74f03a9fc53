/* What a bot sees of the file system, to explain why the sandbox does not find a file that exists.
   Only for commands that users typed: files that an uploaded bot names are not looked up, so that
   its author does not learn which files this machine has. */
#ifndef BOTS_SANDBOX_VIEW_H
#define BOTS_SANDBOX_VIEW_H

#include "base/error.h"
#include "bots/bot_spec.h"
#include "bots/sandbox.h"

/* Whether a command started in the current directory names a file that exists but that the sandbox
   hides. If so, the error names the file and the remedy. */
bool sandbox_hides_word(const Sandbox *sandbox, const char *command, Error *error);

/* The same for a bot; always false for a bot that is not a command. */
bool sandbox_hides_bot(const Sandbox *sandbox, const BotSpec *spec, Error *error);

/* Whether a program is installed only where the sandbox hides it. `program` is a path, or a name
   that is found on our PATH but not on that of bots. `what` begins the error: "program
   \"node\"". */
bool sandbox_hides_program(const Sandbox *sandbox, const char *program, const char *what,
                           Error *error);

/* Whether every bot sees the file that is, or will be, at this path, because it is in one of the
   system's directories that the sandbox shows. */
bool sandbox_shows(const Sandbox *sandbox, const char *path);

#endif
