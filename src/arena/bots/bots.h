/* Bots' files: uploads, the directories in which versions are built and run, and the output of
   builds.

   A version is a source file or an archive, stored by its content. To be built and run it is
   unpacked into its own directory, DATA/versions/ID, and built in place. That directory can be
   removed at any time: it is recreated from the store. A draft is code from an editor, which lives
   as long as its match.

   The command that runs a version comes from its bot.json ("build", "run"), or from the language of
   its one file or its main file. */
#ifndef ARENA_BOTS_BOTS_H
#define ARENA_BOTS_BOTS_H

#include "arena/arena.h"
#include "league/job.h"

/* ---- languages ---- */

typedef struct Language {
    const char *name;    /* "python" */
    const char *title;   /* "Python" */
    const char *endings; /* the extensions of its files: ".py", separated by spaces */
    /* Shell commands; no build if NULL. %s is the main file, %a all files of the language next to
       it, %c the main file without its extension. */
    const char *build;
    const char *run;
    const char *needs;    /* the programs that it needs, separated by spaces */
    const char *packages; /* the Debian packages that contain them, separated by spaces */
    /* A shell command that fails if the library %s is missing; NULL: this cannot be tested. */
    const char *import;
} Language;

extern const Language languages_all[]; /* ends with a NULL name */

/* Returns NULL for an unknown language, with an error that suggests a name. `error` may be NULL. */
const Language *language_find(Slice name, Error *error);

/* Whether the language's programs are installed where the sandbox finds them. */
bool language_is_installed(const Language *language);

/* ---- libraries ----

   Libraries that operators have installed for bots in addition to a language's own: a list of words
   such as "python:numpy" (ArenaOptions.libraries). */

/* Whether each word names a language of this arena and a library that it can import; NULL is an
   empty list. Starts the languages' programs, so it takes a while. */
bool libraries_check(const char *list, Error *error);

/* Writes the member "libraries": the names of the libraries in the list for this language. */
void libraries_write(JsonOut *out, const char *list, const Language *language);

/* ---- uploads and versions ---- */

/* Removes drafts, unfinished directories and the directories of inactive versions, and adds missing
   house bots: GAME-NAME of the account "house", which nobody can log in to. Their language is
   "house", their source is the name, and they are active at once. Call it when the arena starts. */
bool versions_start(Arena *arena, Error *error);

/* The cleanup that versions_start begins with. Workers call only this: it concerns nothing but
   files on their machine. */
bool versions_clean(Arena *arena, Error *error);

/* Checks an upload without building it: a source file or an archive, its size and its content (no
   zip bombs, no paths to other directories, no links). `language` becomes the name of the language,
   or "own" if the commands of a bot.json name none. The error is for the owner. Unpacks the upload,
   so call it from request_defer only. */
bool versions_check(const Arena *arena, const char *file_name, Slice bytes,
                    char language[STORE_GAME_SIZE], Error *error);

/* The process that reads archives, `skirmish unpack NAME`: see archive_child.h. Does not return. */
_Noreturn void archive_child_run(const char *file_name);

/* Fills the spec of a version: its name (the bot's), directory, build and run; unpacks it first if
   its directory is missing. If *built is false, build it (bot_build, or a Job with TASK_BUILD)
   and call versions_mark_built; also before a match, because the directory may have been removed. A
   version without a build command counts as built.

   Call bot_spec_free in any case. On failure spec->text is set if the bot's own files are at
   fault (its build may have changed them), and NULL if the arena is. */
bool versions_prepare(Arena *arena, uint64_t version, BotSpec *spec, bool *built, Error *error);

/* Records a successful build of this size. False if the size exceeds what the arena keeps of one
   version or of all bots of its owner: then the build counts as failed. */
bool versions_mark_built(Arena *arena, uint64_t version, BuildSize left, Error *error);

/* Removes the files of a failed build. Like versions_drop_draft, it only moves the directory to the
   trash, which is quick; versions_empty_trash deletes it. */
void versions_drop_build(Arena *arena, uint64_t version);

/* Removes builds that are not needed now: those of versions that are not active and play neither in
   a tournament nor in a match in the queue. They are rebuilt when they play again. Only for the
   thread that prepares versions, which could otherwise lose a build that it has just found. */
void versions_drop_unneeded(Arena *arena);

/* The disk quota in bytes of the account with this usage. */
uint64_t versions_disk_max(const Arena *arena, const StoreUsage *usage);

/* Whether the bots of an account may use this many more bytes; otherwise the error says how much
   they use. `instead_of`: a version whose build is replaced, or 0. */
bool versions_have_room(const Arena *arena, uint64_t owner, uint64_t bytes, uint64_t instead_of,
                        Error *error);

/* Deletes everything in the trash, however large. Call it on a background thread. */
void versions_empty_trash(Arena *arena);

/* Removes the directories of versions whose source is gone with their owner's account. Safe from
   any thread. */
void versions_remove_orphans(Arena *arena);

/* Like versions_prepare for a draft, in a new directory each time, which versions_drop_draft
   removes. The key has letters, digits, '-' and '_' only. `code` is a source file in the language,
   or a zip file if `language` is NULL. */
bool versions_prepare_draft(Arena *arena, const char *key, const char *language, Slice code,
                            BotSpec *spec, Error *error);
void versions_drop_draft(Arena *arena, const char *key);

/* Appends the output of a build or a bot, with file names relative to the bot, without the
   directories of the arena. */
void versions_hide_paths(const Arena *arena, Slice text, Buffer *to);

/* ---- diagnostics ----

   Places in a bot's own files that a compiler error or a traceback names, for an editor to show.
   This covers the messages of gcc, g++, javac, go, rustc, GHC and SBCL, and the tracebacks of
   Python, Node, Ruby, Lua, Perl, Java, Go, Rust and Haskell: the innermost frame in a file of the
   bot counts. Absolute paths belong to libraries, not to the bot (see versions_hide_paths).
   Everything else is skipped. */

typedef struct Diagnostic {
    Slice file;
    uint32_t line;   /* from 1 */
    uint32_t column; /* from 1; 0: unknown */
    Slice message;   /* one line; may be empty */
} Diagnostic;

enum { DIAGNOSTICS_MAX = 50 };

/* Finds up to DIAGNOSTICS_MAX places, in the order of the text, and returns their number. They
   point into the text. */
uint32_t diagnostics_find(Slice text, Diagnostic found[DIAGNOSTICS_MAX]);

/* Writes the member "diagnostics" with the places that the texts name. */
void diagnostics_write(JsonOut *out, const Slice *texts, uint32_t count);

#endif
