/* BOT as people write it: a shell command, a directory with a bot.json, house:NAME, tcp:HOST:PORT
   or unix:PATH. */
#ifndef BOTS_BOT_SPEC_H
#define BOTS_BOT_SPEC_H

#include "base/buffer.h"
#include "base/error.h"
#include "bots/sandbox.h"

typedef enum BotKind { BOT_PROCESS, BOT_TCP, BOT_UNIX } BotKind;

typedef struct BotSpec {
    BotKind kind;
    char *name;      /* what people call it */
    char *text;      /* as it was written */
    char *command;   /* for the shell, or NULL */
    char *program;   /* a file to run as it is, or NULL */
    char *directory; /* where it runs, or NULL for here */
    char *build;     /* a shell command that makes it, run in `directory`, or NULL */
    char *host;      /* BOT_TCP */
    char *port;
    char *path; /* BOT_UNIX */
} BotSpec;

/* Understands one BOT. Programs are looked for where the sandbox shows them (NULL: none). `game` is
   the name of the game that a house bot has to play. On failure the error says what is wrong and
   what would be right. Free it in either case. */
bool bot_spec_parse(BotSpec *spec, const char *text, const char *game, const Sandbox *sandbox,
                    Error *error);
void bot_spec_free(BotSpec *spec);

/* Appends the names of a game's house bots, each with a blank in front, in the order of the
   alphabet. */
void bot_house_names(const char *game, Buffer *names);

/* Whether the file that a bot.json runs can be executed, if it is right in the bot's directory. */
bool bot_spec_check_run(const BotSpec *spec, Error *error);

#endif
