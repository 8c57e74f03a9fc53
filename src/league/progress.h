/* The progress of a tournament: which legs to play next, which fixtures are open, and when it is
   over. It holds no storage, clock or thread. The owner starts the legs that it receives, reports
   their results, and supplies earlier records.

   The schedule decides who meets whom, including tie-breaks (schedule.h). Each of its fixtures is
   played as legs (leg.h). A fixture is open from the moment the schedule gives it out until all
   its legs have ended; then the schedule receives the result, which may release further fixtures.

   To resume a tournament, create its progress again: when a fixture opens, `recorded` is called for
   each of its legs. The order in which legs end does not matter. */
#ifndef LEAGUE_PROGRESS_H
#define LEAGUE_PROGRESS_H

#include "league/plan.h"

/* Instead of a bot in RecordedLeg: an empty seat, which fits any bot, and a bot that does not
   belong to the fixture. */
enum { SEAT_EMPTY = UINT32_MAX, SEAT_STRANGER = UINT32_MAX - 1 };

/* A leg as its owner has recorded it, by seat. */
typedef struct RecordedLeg {
    uint32_t players;
    uint32_t bots[GAME_PLAYERS_MAX];
    bool ended;
    uint32_t ranks[GAME_PLAYERS_MAX]; /* if it has ended */
    uint64_t match;                   /* see Leg */
} RecordedLeg;

typedef enum LegStage { LEG_DUE, LEG_STARTED, LEG_ENDED } LegStage;

typedef struct Leg {
    LegStage stage;
    uint64_t match; /* the owner's number for the match; 0 if it has none */
} Leg;

/* For the owner to read; only `notes` is the owner's to write. */
typedef struct OpenFixture {
    struct OpenFixture *next;
    Fixture fixture;
    uint32_t leg_count;
    Leg *legs;
    uint32_t *ranks; /* leg_count rows, each in the order of the fixture's bots */
    void *notes;     /* NULL at first; the owner frees it */
    uint32_t ended;  /* how many legs have ended */
    uint32_t given;  /* all legs before this one have been given out */
} OpenFixture;

typedef struct ProgressOptions {
    const Plan *plan; /* settled; must outlive the progress */
    uint32_t bots;
    void *context;
    /* Reads the record of a leg and sets *found, which is false on entry. Returns false if it
       cannot be read. NULL: nothing is recorded. */
    bool (*recorded)(void *context, const Fixture *fixture, uint32_t leg, RecordedLeg *record,
                     bool *found, Error *error);
    /* Called when all legs of a fixture have ended; it is freed afterwards. May be NULL. */
    void (*decided)(void *context, OpenFixture *open);
} ProgressOptions;

typedef struct Progress Progress;

/* NULL if the format or the maps do not allow this number of bots. */
Progress *progress_new(const ProgressOptions *options, Error *error);
void progress_free(Progress *progress);

/* Opens fixtures until it has found `legs` recorded legs, or no more fixtures can open. Fails like
   progress_next. */
bool progress_replay(Progress *progress, uint64_t legs, Error *error);

/* Starts the next leg that is due; *open is NULL if there is none until more legs have ended. Fails
   if the record of a leg cannot be read or has other bots than the schedule; the progress is
   unusable afterwards. */
bool progress_next(Progress *progress, OpenFixture **open, uint32_t *leg, Error *error);

/* The open fixture of this number, or NULL. */
OpenFixture *progress_find(const Progress *progress, uint32_t fixture);

/* The first of all open fixtures. */
OpenFixture *progress_open(const Progress *progress);

/* Sets the owner's number for the match of a started leg. */
void progress_set_match(OpenFixture *open, uint32_t leg, uint64_t match);

/* Reports that a leg of an open fixture has ended; ignored if it had already ended. The fixture is
   freed with its last leg. False if the record has other bots than the fixture. */
bool progress_end_leg(Progress *progress, OpenFixture *open, uint32_t leg,
                      const RecordedLeg *record, Error *error);

/* How many legs have started and not ended. */
uint32_t progress_running(const Progress *progress);

/* How many legs the whole tournament has, as far as is known; 0 if it has no end. */
uint64_t progress_total(const Progress *progress);

bool progress_finished(const Progress *progress);

const Schedule *progress_schedule(const Progress *progress);

#endif
