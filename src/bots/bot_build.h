/* Builds a bot by the command in its bot.json. */
#ifndef BOTS_BOT_BUILD_H
#define BOTS_BOT_BUILD_H

#include "bots/bot_spec.h"

#include <signal.h>

enum { BUILD_OUTPUT_MAX = 64 << 10 };

/* Runs the build command, if there is one, in the sandbox in a copy of the bot's directory, takes
   over what it has changed (build_files.h), and checks that the file to run can be executed. If the
   build fails, nothing is changed, and the error ends with the last lines that it printed. Without
   a sandbox, or if that has no mounts, the build works in the directory itself. Set-id bits and
   capabilities of the directory's files are removed.

   If `output` is not NULL, everything that the build printed is appended to it, and how it ended if
   it failed; output of more than BUILD_OUTPUT_MAX bytes loses its middle, and a line in its place
   says so. */
bool bot_build(const BotSpec *spec, const Sandbox *sandbox, const volatile sig_atomic_t *interrupt,
               Buffer *output, Error *error);

/* How much a directory holds. */
typedef struct BuildSize {
    uint64_t files; /* and directories */
    uint64_t bytes; /* on disk */
} BuildSize;

/* Measures what a build left, without following links; UINT64_MAX if it cannot be read. Takes a
   while if that is much; stops counting at more files than a build may create. */
BuildSize bot_build_size(const char *directory);

#endif
