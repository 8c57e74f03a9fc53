/* Builds a bot by the command in its bot.json. */
#ifndef BOTS_BOT_BUILD_H
#define BOTS_BOT_BUILD_H

#include "bots/bot_spec.h"

#include <signal.h>

enum { BUILD_OUTPUT_MAX = 64 << 10 };

/* Runs the build command, if there is one, in the sandbox with the bot's directory writable, then
   checks that the file to run can be executed. If the build fails, the error ends with the last
   lines that it printed. Set-id bits and capabilities of the directory's files are removed.

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
