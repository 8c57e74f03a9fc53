/* Bots' files. A version is a source file or an archive, kept in the store by its content; to be
   built and run it is unpacked into a directory of its own, DATA/versions/ID, which is built in
   place and can be thrown away at any time: it is made again from the store. A draft is code
   straight from an editor, which lives as long as its match.

   What runs a version: its bot.json ("build", "run"), or the language by the ending of the one file
   (or of the main file) in it. */
#ifndef ARENA_BOTS_VERSIONS_H
#define ARENA_BOTS_VERSIONS_H

#include "arena/arena.h"
#include "league/job.h"

typedef struct Language {
    const char *name;    /* "python" */
    const char *title;   /* "Python" */
    const char *endings; /* ".py", several with blanks between */
    /* a shell command, or NULL: none. %s is the main file, %a all files of the language beside it,
       %c the main file without its ending */
    const char *build;
    const char *run;
    const char *needs; /* the programs that must be there, with blanks between */
} Language;

extern const Language languages_all[];           /* ends with a NULL name */
bool language_is_here(const Language *language); /* its programs are where the sandbox shows them */
const Language *language_of_file(const char *name); /* by its ending; NULL: none */
const Language *language_find(const char *name);

enum { LANGUAGE_FILE_SIZE = 91 };

/* What the one file of a bot is called: as it came, or "main" with the ending; in Java, after the
   class in it. */
void language_file_name(const Language *language, Slice source, const char *called,
                        char name[LANGUAGE_FILE_SIZE]);

/* Finds the main file in spec->directory, and sets build and command. NULL, with a sentence for the
   owner, if there is none to choose or the language is not here. */
const Language *language_spec(BotSpec *spec, Error *error);

/* Checks what was uploaded, without building it: a single file or an archive, its size, what is in
   it (no bombs, no paths out, no links). The sentence is for the owner. `language` becomes the name
   of the language, or "own" for a bot.json. Unpacks, so it takes a while: from request_defer
   only. */
bool versions_check(const Arena *arena, const char *file_name, Slice bytes,
                    char language[STORE_GAME_SIZE], Error *error);

/* Fills the spec of a version: name (the bot's), directory, build and run; unpacks it first if it
   is not there. *built tells whether its build has been done in this directory: if not, have it
   built (bot_spec_build, or a Job with `build`), and then say so with versions_mark_built. That
   holds before a match too: a directory may have been thrown away since. A version that has nothing
   to build is built. bot_spec_free it in any case. If it is false, the spec has a text where it is
   the bot's own files that cannot be understood (its build may have changed them), and none where
   the fault is ours. */
bool versions_prepare(Arena *arena, uint64_t version, BotSpec *spec, bool *built, Error *error);

/* Its build went well. False if it left more behind than an arena keeps of one: then it did not. */
bool versions_mark_built(Arena *arena, uint64_t version, Error *error);

/* Its build did not go well: what it left behind goes. */
void versions_drop_build(Arena *arena, uint64_t version);

/* Fills the spec of the bot that a version meets in its start check: the house bot "random" of the
   game. After a good build, and before store_queue_finish_build, the engine plays one match of the
   version against it (as many of it as the game's standard map wants), and gives the record to
   versions_judge_start. bot_spec_free it in any case. */
bool versions_start_opponent(const char *game, BotSpec *spec, Error *error);

/* Whether the bot in seat 0 got going: it started, and did not fail within its first turns. How
   well it played does not matter. False with a sentence for the build's log. A record that says
   nothing about the bot (RECORD_FAILED, RECORD_STOPPED) counts as good: the fault is ours. */
bool versions_judge_start(const Record *record, Error *error);

/* The same as versions_prepare for a draft, in a directory of its own, made anew each time;
   versions_drop_draft removes that. The key has letters, digits, '-' and '_' only. */
bool versions_prepare_draft(Arena *arena, const char *key, const char *language, Slice source,
                            BotSpec *spec, Error *error);
void versions_drop_draft(Arena *arena, const char *key);

/* Appends a text that a build or a bot wrote, with the names of files as their owner knows them:
   the directories that this arena keeps them in are nobody's business, and are taken out. */
void versions_show(const Arena *arena, Slice text, Buffer *to);

/* Throws away the directories of versions whose source is gone because their owner's account was
   deleted. After deleting an account, or now and then; from any thread. */
void versions_sweep(Arena *arena);

/* Throws away drafts, what was left half done, and the directories of versions that are not active
   (they are made again when they are wanted), and adds the house bots of all games, as GAME-NAME
   under the account "house" (into which nobody can log in), where they are missing. They are
   versions of the language "house", whose source is the name, and active at once. */
bool versions_first_start(Arena *arena, Error *error);

/* ---- inside ---- */

/* See house_bots.c. */
bool house_add(Arena *arena, Error *error);

#endif
