/* Inside the schedule: the interface between schedule.c and the formats. Nothing else includes
   this.

   schedule.c keeps the fixtures and results. A format adds fixtures, each with its number, as soon
   as it knows them. schedule.c gives them out and passes each result to the format exactly once,
   even if the result arrived before its fixture. The tournament is over when no fixture is open, so
   a format must immediately add all fixtures that a result makes possible. */
#ifndef LEAGUE_FORMATS_H
#define LEAGUE_FORMATS_H

#include "base/random.h"
#include "league/schedule.h"

enum { FIXTURES_MAX = 1000000 };

/* The result of a fixture: `ranks` has a row of `players` for each match. */
typedef struct FixtureResult {
    uint32_t matches;
    uint32_t players;
    uint32_t *bots;
    uint32_t *ranks;
} FixtureResult;

typedef struct FormatRules {
    bool keeps_results; /* results are kept until schedule_forget */
    uint32_t numbers;   /* consecutive numbers reserved for a fixture and its play-offs; 0: one */

    /* Checks the format's options, creates the state and adds the first fixtures. After a failure
       `end` frees the state. */
    bool (*begin)(Schedule *schedule, Error *error);
    void (*add_result)(Schedule *schedule, uint32_t number,
                       const FixtureResult *result); /* NULL: not needed */
    uint32_t (*total)(const Schedule *schedule);
    uint32_t (*again)(const Schedule *schedule, uint32_t number); /* NULL: from `numbers` */
    bool (*places)(const Schedule *schedule, uint32_t *places);   /* NULL: no specific order */
    /* NULL: not a Swiss */
    void (*swiss)(const Schedule *schedule, uint32_t bot, SwissScore *score);
    void (*end)(void *state); /* NULL: just free it */
} FormatRules;

extern const FormatRules format_round_robin;
extern const FormatRules format_gauntlet;
extern const FormatRules format_swiss;
extern const FormatRules format_knockout;
extern const FormatRules format_double;
extern const FormatRules format_ladder;

typedef struct FixtureEntry FixtureEntry;

struct Schedule {
    ScheduleOptions options;
    const FormatRules *rules;
    void *state; /* the format's */

    FixtureEntry *entries; /* by number; zero if no such fixture is known yet */
    uint32_t entries_capacity;
    uint32_t *pool; /* the bots of all fixtures */
    size_t pool_used;
    size_t pool_capacity;
    uint32_t *queue; /* numbers of fixtures, in the order in which they were added */
    uint32_t queue_head;
    uint32_t queue_used;
    uint32_t queue_capacity;
    uint32_t settled; /* entries of the queue already checked for waiting results */
    uint32_t open;    /* fixtures without a result */
};

/* ---- schedule.c, for the formats ---- */

/* Adds a fixture. A number is used once. */
void schedule_add(Schedule *schedule, uint32_t number, uint32_t round, uint32_t players,
                  const uint32_t *bots);

/* For `keeps_results`: the result of a fixture, or NULL. schedule_forget frees a result; the
   fixture still counts as played. */
const FixtureResult *schedule_known(const Schedule *schedule, uint32_t number);
void schedule_forget(Schedule *schedule, uint32_t number);

/* Fails if there would be too many fixtures. */
bool schedule_fits(double fixtures, Error *error);

/* Adds the points of each bot over all matches of a result, in halves: two for each opponent it
   beat, one for each tie. */
void result_points(const FixtureResult *result, uint32_t *points);

void formats_shuffle(Random *random, uint32_t *numbers, uint32_t count);

/* ---- brackets (knockout.c), for schedule.c ---- */

uint32_t bracket_count(const Schedule *schedule);
const BracketNode *bracket_node(const Schedule *schedule, uint32_t index);

/* ---- pairing.c, for Swiss ---- */

/* Pairs of vertices 0 to count-1. Pairs are fixed one by one, such that the remaining vertices can
   always be paired. */
typedef struct Pairing {
    uint32_t count;
    uint8_t *joined; /* count * count, symmetric: whether two vertices may be paired */
    bool *gone;      /* by vertex: its pair is fixed */
    uint32_t *match; /* a pairing of the remaining vertices */
    /* for the path search */
    uint32_t *parent;
    uint32_t *base;
    bool *seen;
    bool *marked;
    uint32_t *queue;
} Pairing;

enum { PAIRING_NONE = UINT32_MAX };

/* A graph without edges. */
Pairing pairing_new(uint32_t count);
void pairing_free(Pairing *pairing);
void pairing_join(Pairing *pairing, uint32_t a, uint32_t b);

/* Finds a maximum matching and returns how many vertices are left over; their `match` is
   PAIRING_NONE. */
uint32_t pairing_solve(Pairing *pairing);

/* Fixes this pair if the others can still be paired; requires a perfect matching. */
bool pairing_fix(Pairing *pairing, uint32_t a, uint32_t b);

#endif
