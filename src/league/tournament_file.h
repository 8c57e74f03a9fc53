/* The book: the one SQLite file that a tournament is written to as it happens. Each match is one
   transaction, so that whatever becomes of this process, what was recorded stays recorded; a match
   that is in it twice is refused by the file itself. Anybody may read it with any SQLite while it
   is being written.

     plan     one row: the tournament as JSON, see plan.h
     bots     bot (0, 1, ... in the order of seeding), name, spec, trouble (why it could not start,
              or NULL)
     matches  match (in the order in which they ended), fixture, leg, round, map, seed, turns,
              reason, outcome ('played' or 'forfeited'), replay, wall_ns
     seats    match, seat, bot, rank, score, status, failure, refused, timeouts, late, restarts,
              graces, wall_ns, wall_longest_ns, cpu_ns, cpu_longest_ns

   With a book open for writing, nobody else can open it for writing: two tournaments cannot go on
   in one file. */
#ifndef LEAGUE_TOURNAMENT_FILE_H
#define LEAGUE_TOURNAMENT_FILE_H

#include "league/standings.h"
#include "match/verdict.h"

typedef struct Book Book;

/* A new file, which must not exist; NULL as a path keeps it all in memory. */
Book *book_create(const char *path, Slice plan, Error *error);

/* One that is there. */
Book *book_open(const char *path, bool to_write, Error *error);

/* False if the last of it could not be written. NULL is fine. */
bool book_close(Book *book, Error *error);

/* Whether the file is a book, as far as its first bytes tell. */
bool book_is_one(const char *path);

/* The plan, appended to `to`. */
bool book_plan(Book *book, Buffer *to, Error *error);

typedef struct BookBot {
    const char *name;
    const char *spec;
    const char *trouble; /* or NULL */
} BookBot;

/* Writes the list of bots down, all in one transaction. Those that are in it already stay as they
   are but for their trouble. */
bool book_set_bots(Book *book, const BookBot *bots, uint32_t count, Error *error);
bool book_set_trouble(Book *book, uint32_t bot, const char *trouble, Error *error);

/* The names, in order; the caller frees each, and the list. */
bool book_bots(Book *book, char ***names, uint32_t *count, Error *error);

typedef struct BookMatch {
    uint32_t fixture;
    uint32_t leg;
    uint32_t round;
    const char *map; /* its name, or NULL */
    uint64_t seed;
    bool forfeited;
    const char *replay; /* its file, beside the book, or NULL */
    int64_t wall;
    const uint32_t *bots; /* one a seat */
    const Verdict *verdict;
} BookMatch;

/* Writes a match down for good. */
bool book_record(Book *book, const BookMatch *match, Error *error);

/* Whether a match is in the book (*found); then who played and how they came out, one a seat. False
   if it cannot be read. */
bool book_find(Book *book, uint32_t fixture, uint32_t leg, uint32_t players, uint32_t *bots,
               uint32_t *ranks, bool *found, Error *error);

/* All matches in the order in which they ended. */
bool book_each(Book *book, void (*take)(void *context, const PlayedMatch *match), void *context,
               Error *error);

/* How many matches are in it. */
uint64_t book_count(Book *book);

#endif
