/* A tournament: its progress says which matches to play, the dispatcher plays them, and the results
   go into the file, the standings and back into the progress. A fixture is played as legs, see
   leg.h.

   `kill -9` is harmless because of the order: first the replay is complete and has its name, then
   the match is in the file, then it counts. Resuming reads the file and plays what is not in it;
   there is no other state. */
#ifndef LEAGUE_TOURNAMENT_H
#define LEAGUE_TOURNAMENT_H

#include "league/dispatcher.h"
#include "league/plan.h"
#include "league/tournament_file.h"

typedef struct TournamentOptions {
    Plan *plan;           /* settled; outlives the tournament, which names its bots */
    TournamentFile *file; /* to resume, taken over; or NULL, and ... */
    const char *out;      /* ... the file to create, or NULL for none */
    const char *replays;  /* a directory, created if missing; NULL: no replays */
    uint32_t jobs;
    const char *program;    /* see DispatcherOptions */
    const Sandbox *sandbox; /* where programs are looked up; NULL: none */
    void *context;
    void (*report)(void *context, const char *message); /* for the operator; may be NULL */
    /* A fixture has ended; ranks as for schedule_result. `course` is a digest of how its matches
       went (those played here), see verdict.h. `forfeit` says why a bot missed one of its matches,
       or is NULL. May be NULL. */
    void (*ended)(void *context, const Fixture *fixture, uint32_t matches, const uint32_t *ranks,
                  uint64_t course, const char *forfeit);
} TournamentOptions;

typedef struct Tournament Tournament;

/* Reads the bots' specs and opens the file. A bot whose spec is invalid, or which cannot be built,
   is reported and forfeits its matches. */
Tournament *tournament_new(const TournamentOptions *options, Error *error);

/* Reads a tournament from a file, which is taken over, without playing: only for
   tournament_standings, tournament_schedule and tournament_free. The schedule is NULL if the
   fixtures in the file are not those that the plan leads to now; the standings exist anyway. */
Tournament *tournament_recall(Plan *plan, TournamentFile *file, Error *error);

/* Ends all runners. NULL is fine. */
void tournament_free(Tournament *tournament);

typedef enum TournamentState {
    TOURNAMENT_IN_PROGRESS,
    TOURNAMENT_FINISHED,
    TOURNAMENT_STOPPED, /* by request; no match is being played any more */
    TOURNAMENT_FAILED,  /* see the error; recorded matches stay recorded */
} TournamentState;

/* Keeps the runners busy and takes in their results, for about this many milliseconds. */
TournamentState tournament_step(Tournament *tournament, int milliseconds, Error *error);

/* Both start no further matches. Running ones are finished by the first, aborted by the second. */
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
