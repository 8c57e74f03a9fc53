/* Which language a bot is written in. Private to bots/; the table of languages is in bots.h. */
#ifndef ARENA_BOTS_LANGUAGES_H
#define ARENA_BOTS_LANGUAGES_H

#include "arena/bots/bots.h"

enum { LANGUAGE_FILE_SIZE = 91 };

const Language *language_of_file(const char *name); /* by its extension; NULL: none */

/* The name of the language of a bot with a bot.json, by the programs and files in its commands. If
   they name none, LANGUAGE_OWN. */
#define LANGUAGE_OWN "own"
const char *language_of_own_commands(const BotSpec *spec);

/* The file name of a bot that is a single source file: `given`, or if that is NULL, "main" with the
   language's extension. Java sources are named after their class. */
void language_file_name(const Language *language, Slice source, const char *given,
                        char name[LANGUAGE_FILE_SIZE]);

/* Finds the main file in spec->directory, and sets build and command. Returns NULL, with an error
   for the owner, if there is no main file or the language is not installed. */
const Language *language_fill_spec(BotSpec *spec, Error *error);

#endif
