/* BOT as users write it: a shell command, a directory with a bot.json, house:NAME, tcp:HOST:PORT
   or unix:PATH. */
#ifndef BOTS_BOT_SPEC_H
#define BOTS_BOT_SPEC_H

#include "base/buffer.h"
#include "base/error.h"
#include "bots/sandbox.h"

typedef enum BotKind { BOT_PROCESS, BOT_TCP, BOT_UNIX } BotKind;

typedef struct BotSpec {
    BotKind kind;
    char *name;      /* for display */
    char *text;      /* as the user wrote it */
    char *command;   /* for the shell; or NULL */
    char *program;   /* a file to execute directly, or NULL */
    char *directory; /* where it runs; NULL: the current directory */
    char *game;      /* the game that its bot.json names, or NULL */
    char *build;     /* a shell command that builds it, run in `directory`, or NULL */
    char *host;      /* BOT_TCP */
    char *port;
    char *path; /* BOT_UNIX */
} BotSpec;

/* Parses one BOT. Programs are looked up where the sandbox mounts them (NULL: no sandbox). `game`
   is the name of the game that a house bot has to play. Free it on failure too. */
bool bot_spec_parse(BotSpec *spec, const char *text, const char *game, const Sandbox *sandbox,
                    Error *error);
void bot_spec_free(BotSpec *spec);

/* Appends the names of a game's house bots in alphabetical order, each preceded by a space. */
void bot_house_names(const char *game, Buffer *names);

/* Checks that the file that a bot.json runs can be executed. True without a check if the file is
   not directly in the bot's directory. */
bool bot_spec_check_run(const BotSpec *spec, Error *error);

#endif
