/* A tournament: the schedule's fixtures become matches, the dispatcher has them played, and what
   comes back goes into the book, the standings and the schedule.

   A fixture is played as legs, see leg.h.

   Order of things, which is what makes `kill -9` harmless: the replay is complete and has its name,
   then the match is in the book, then it counts. Taking up again reads the book and plays what is
   not in it; nothing else is remembered. */
#ifndef LEAGUE_TOURNAMENT_H
#define LEAGUE_TOURNAMENT_H

#include "league/dispatcher.h"
#include "league/plan.h"
#include "league/tournament_file.h"

typedef struct TournamentOptions {
    Plan *plan;          /* settled; outlives the tournament; its bots get their names here */
    Book *book;          /* to go on with one, which is taken over; or NULL, and ... */
    const char *out;     /* ... the file to create, or NULL for none */
    const char *replays; /* a directory, made if it is not there; NULL: no replays */
    uint32_t jobs;
    const char *program;    /* see DispatcherOptions */
    const Sandbox *sandbox; /* where programs are looked for; NULL: none */
    void *context;
    void (*tell)(void *context, const char *sentence); /* for the operator; may be NULL */
    /* A fixture has ended; ranks as for schedule_result. `course` is the digest of how its matches
       went (of those that were played here), see verdict.h. `forfeit` tells why a bot did not come
       to one of its matches, or is NULL. May be NULL. */
    void (*ended)(void *context, const Fixture *fixture, uint32_t matches, const uint32_t *ranks,
                  uint64_t course, const char *forfeit);
} TournamentOptions;

typedef struct Tournament Tournament;

/* Understands the bots and opens the book. A bot that cannot be understood or built is told of, and
   forfeits its matches. */
Tournament *tournament_new(const TournamentOptions *options, Error *error);

/* What a book says, without playing: only the standings and the schedule can be asked for, and it
   is to be freed. Takes the book over. If the book's meetings are not those that the plan leads to
   now, the schedule is NULL and the standings are there all the same. */
Tournament *tournament_recall(Plan *plan, Book *book, Error *error);

/* Ends all runners. False if the last of the book could not be written. NULL is fine. */
bool tournament_free(Tournament *tournament, Error *error);

typedef enum TournamentState {
    TOURNAMENT_GOES_ON,
    TOURNAMENT_FINISHED,
    TOURNAMENT_STOPPED, /* as was asked for; nothing is being played any more */
    TOURNAMENT_BROKEN,  /* the error tells why; what was recorded stays recorded */
} TournamentState;

/* Keeps the runners busy and takes in what they send, for about so many milliseconds. */
TournamentState tournament_step(Tournament *tournament, int milliseconds, Error *error);

/* No further match is begun; those under way come to their end, or are broken off. */
void tournament_wind_down(Tournament *tournament);
void tournament_break_off(Tournament *tournament);

uint64_t tournament_done(const Tournament *tournament);
uint64_t tournament_begun_with(const Tournament *tournament); /* done before this process */
uint64_t tournament_total(const Tournament *tournament);      /* 0: nobody knows */
uint32_t tournament_under_way(const Tournament *tournament);
Standings *tournament_standings(Tournament *tournament);
const Schedule *tournament_schedule(const Tournament *tournament);

/* Why a bot cannot play, or NULL. */
const char *tournament_trouble(const Tournament *tournament, uint32_t bot);

#endif
