/* Bots' files. A version is a source file or an archive, kept in the store by its content; to be built and run it is unpacked into a directory of its own, DATA/versions/ID, which is built in place and can be
   thrown away at any time: it is made again from the store. A draft is code straight from an editor, which lives as long as its match.

   What runs a version: its bot.json ("build", "run"), or the language by the ending of the one file (or of the main file) in it. */
#ifndef SERVER_VERSIONS_H
#define SERVER_VERSIONS_H

#include "bots/spec.h"
#include "server/arena.h"

/* Languages that this machine has what it takes for. */
typedef struct Language {
    const char *name;    /* "python" */
    const char *title;   /* "Python" */
    const char *endings; /* ".py", several with blanks between */
    const char *build;   /* a shell command; %s is the file; NULL: none */
    const char *run;
    const char *needs; /* the program that must be there */
} Language;

extern const Language languages_all[]; /* ends with a NULL name */
bool language_is_here(const Language *language);
const Language *language_of_file(const char *name); /* by its ending; NULL: none */

/* Checks what was uploaded, without building it: a single file or an archive, its size, what is in it (no bombs, no paths out, no links). The sentence is for the owner. `language` becomes the name of the
   language, or "own" for a bot.json. */
bool versions_check(const Arena *arena, const char *file_name, Slice bytes,
                    char language[STORE_GAME_SIZE], Error *error);

/* Fills the spec of a version: name, directory, build and run; unpacks it first if it is not there. *built tells whether its build has been done in this directory. bot_spec_free it in any case. */
bool versions_prepare(Arena *arena, uint64_t version, BotSpec *spec, bool *built, Error *error);

/* Its build went well. */
void versions_mark_built(Arena *arena, uint64_t version);

/* The same for a draft, in a directory of its own; versions_drop_draft removes that. */
bool versions_prepare_draft(Arena *arena, const char *key, const char *language, Slice source,
                            BotSpec *spec, Error *error);
void versions_drop_draft(Arena *arena, const char *key);

/* Adds the house bots of all games, under the account "house", where they are missing. */
bool versions_first_start(Arena *arena, Error *error);

#endif
