/* Builds a bot by the command in its bot.json. */
#ifndef BOTS_BOT_BUILD_H
#define BOTS_BOT_BUILD_H

#include "bots/bot_spec.h"

#include <signal.h>

enum { BUILD_OUTPUT_MAX = 64 << 10 };

/* Runs the build command, if there is one, in the sandbox in a copy of the bot's directory, copies
   back what the build has changed (build_files.h), and checks that the file to run can be executed.
   If the build fails, nothing is changed, and the error ends with the last lines that it printed.
   Without a sandbox, or if the sandbox has no mounts, the build works in the directory itself.
   Set-id bits and capabilities of the directory's files are removed.

   If `output` is not NULL, everything that the build printed is appended to it, and, if it failed,
   how it ended. If the output exceeds BUILD_OUTPUT_MAX bytes, a line replaces its middle. */
bool bot_build(const BotSpec *spec, const Sandbox *sandbox, const volatile sig_atomic_t *interrupt,
               Buffer *output, Error *error);

/* The size of a directory. */
typedef struct BuildSize {
    uint64_t files; /* and directories */
    uint64_t bytes; /* on disk */
} BuildSize;

/* Measures the files that a build left, without following links; UINT64_MAX if they cannot be read.
   Takes a while for many files; stops counting at more files than a build may create. */
BuildSize bot_build_size(const char *directory);

#endif
