/* A tournament: its progress determines which matches to play, the dispatcher plays them, and the
   results go into the file, the standings and back into the progress. A fixture is played as legs,
   see leg.h.

   `kill -9` is harmless because of the order of steps: first the replay is completed and renamed,
   then the match is recorded in the file, then it counts. Resuming reads the file and plays the
   matches that are not in it; there is no other state. */
#ifndef LEAGUE_TOURNAMENT_H
#define LEAGUE_TOURNAMENT_H

#include "league/dispatcher.h"
#include "league/plan.h"
#include "league/tournament_file.h"

typedef struct TournamentOptions {
    Plan *plan;           /* settled; must outlive the tournament, which sets its bots' names */
    TournamentFile *file; /* the file to resume, whose ownership passes; or NULL, and ... */
    const char *out;      /* ... the file to create, or NULL for none */
    const char *replays;  /* a directory, created if missing; NULL: no replays */
    uint32_t jobs;
    const char *program;    /* see DispatcherOptions */
    const Sandbox *sandbox; /* in which bots' programs are looked up; NULL: no sandbox */
    void *context;
    void (*report)(void *context, const char *message); /* for the operator; may be NULL */
    /* Called when a fixture has ended; ranks as for schedule_result. `course` is a digest of the
       course of those of its matches that this process played, see verdict.h. `forfeit` is why a
       bot missed one of the matches, or NULL. May be NULL. */
    void (*ended)(void *context, const Fixture *fixture, uint32_t matches, const uint32_t *ranks,
                  uint64_t course, const char *forfeit);
} TournamentOptions;

typedef struct Tournament Tournament;

/* Reads the bots' specs and opens the file. A bot whose spec is invalid, or which cannot be built,
   is reported and forfeits its matches. */
Tournament *tournament_new(const TournamentOptions *options, Error *error);

/* Reads a tournament from a file, whose ownership passes to it, without playing: only for
   tournament_standings, tournament_schedule and tournament_free. The schedule is NULL if the
   fixtures in the file differ from those that the plan leads to now; the standings exist anyway. */
Tournament *tournament_recall(Plan *plan, TournamentFile *file, Error *error);

/* Ends all runners. NULL is fine. */
void tournament_free(Tournament *tournament);

typedef enum TournamentState {
    TOURNAMENT_IN_PROGRESS,
    TOURNAMENT_FINISHED,
    TOURNAMENT_STOPPED, /* by request; no matches are running any more */
    TOURNAMENT_FAILED,  /* see the error; recorded matches stay recorded */
} TournamentState;

/* Keeps the runners busy and processes their results, for about this many milliseconds. */
TournamentState tournament_step(Tournament *tournament, int milliseconds, Error *error);

/* Both start no further matches. tournament_stop lets running matches finish; tournament_abort
   aborts them. */
void tournament_stop(Tournament *tournament);
void tournament_abort(Tournament *tournament);

uint64_t tournament_done(const Tournament *tournament);
uint64_t tournament_begun_with(const Tournament *tournament); /* done before this process */
uint64_t tournament_total(const Tournament *tournament);      /* 0: unknown */
uint32_t tournament_under_way(const Tournament *tournament);
Standings *tournament_standings(Tournament *tournament);
const Schedule *tournament_schedule(const Tournament *tournament);

/* Why a bot cannot play, or NULL. */
const char *tournament_bot_failure(const Tournament *tournament, uint32_t bot);

#endif
