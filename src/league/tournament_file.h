/* The file in which a tournament is recorded: an SQLite database. Each match is one transaction, so
   recorded matches survive if the process is killed, and the database rejects a match that it
   already has. Any SQLite program can read the file while it is being written.

     plan     one row: the tournament as JSON, see plan.h
     bots     bot (0, 1, ... in seeding order), name, spec, trouble (why the bot could not start, or
              NULL)
     matches  match (in the order in which they ended), fixture, leg, round, map, seed, turns,
              reason, outcome ('played' or 'forfeited'), replay, wall_ns
     seats    match, seat, bot, rank, score, status, failure, refused, timeouts, late, restarts,
              graces, wall_ns, wall_longest_ns, cpu_ns, cpu_longest_ns

   Only one process at a time can have the file open for writing. */
#ifndef LEAGUE_TOURNAMENT_FILE_H
#define LEAGUE_TOURNAMENT_FILE_H

#include "league/standings.h"
#include "match/verdict.h"

typedef struct TournamentFile TournamentFile;

/* Creates a file, which must not exist. With a NULL path, everything is kept in memory. */
TournamentFile *tournament_file_create(const char *path, Slice plan, Error *error);

/* Opens an existing file. */
TournamentFile *tournament_file_open(const char *path, bool to_write, Error *error);

void tournament_file_close(TournamentFile *file);

/* Whether the first bytes of a file show that it is a tournament file. */
bool tournament_file_detect(const char *path);

/* Appends the plan to `to`. */
bool tournament_file_plan(TournamentFile *file, Buffer *to, Error *error);

typedef struct FileBot {
    const char *name;
    const char *spec;
    const char *failure; /* or NULL */
} FileBot;

/* Records the list of bots in one transaction. For bots that are already in the file, only the
   failure changes. */
bool tournament_file_set_bots(TournamentFile *file, const FileBot *bots, uint32_t count,
                              Error *error);
bool tournament_file_set_failure(TournamentFile *file, uint32_t bot, const char *failure,
                                 Error *error);

typedef struct FileMatch {
    uint32_t fixture;
    uint32_t leg;
    uint32_t round;
    const char *map; /* its name, or NULL */
    uint64_t seed;
    bool forfeited;
    const char *replay; /* the name of its file in the tournament's folder of replays, or NULL */
    int64_t wall;
    const uint32_t *bots; /* by seat */
    const Verdict *verdict;
} FileMatch;

/* Records a match, durably. */
bool tournament_file_add_match(TournamentFile *file, const FileMatch *match, Error *error);

/* Looks up a match: sets *found, and if it is true the bots and their ranks by seat. False if the
   file cannot be read. */
bool tournament_file_find(TournamentFile *file, uint32_t fixture, uint32_t leg, uint32_t players,
                          uint32_t *bots, uint32_t *ranks, bool *found, Error *error);

/* Calls `take` with every match, in the order in which they ended. */
bool tournament_file_each(TournamentFile *file,
                          void (*take)(void *context, const PlayedMatch *match), void *context,
                          Error *error);

#endif
