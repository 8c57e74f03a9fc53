/* Inside the schedule: what its front (schedule.c) and the formats know of each other. Nobody else
   includes this.

   The front keeps the book of fixtures and results. A format adds fixtures, each under its number,
   as soon as it can name them; the front gives them out, and hands each result to the format
   exactly once, whichever of the two came first. When no fixture is open any more the tournament is
   over, so a format adds whatever a result makes possible at once. */
#ifndef LEAGUE_FORMATS_H
#define LEAGUE_FORMATS_H

#include "base/random.h"
#include "league/schedule.h"

enum { FIXTURES_MAX = 1000000 };

/* How a fixture ended: `ranks` has a row of `players` for each match. */
typedef struct FixtureResult {
    uint32_t matches;
    uint32_t players;
    uint32_t *bots;
    uint32_t *ranks;
} FixtureResult;

typedef struct FormatRules {
    const char *name;
    bool keeps_results; /* until it says schedule_forget */
    uint32_t numbers; /* that a meeting has, one after the other: it may be played again. 0: one */

    /* Checks the options that are its own, makes the state and adds the first fixtures. On failure
       a sentence; what it made is freed by `end`. */
    bool (*begin)(Schedule *schedule, Error *error);
    void (*took)(Schedule *schedule, uint32_t number,
                 const FixtureResult *result); /* NULL: no interest */
    uint32_t (*total)(const Schedule *schedule);
    uint32_t (*again)(const Schedule *schedule, uint32_t number); /* NULL: by `numbers` */
    bool (*places)(const Schedule *schedule, uint32_t *places);   /* NULL: no order of its own */
    void (*swiss)(const Schedule *schedule, uint32_t bot, SwissScore *score); /* NULL: is none */
    void (*end)(void *state); /* NULL: a plain block */
} FormatRules;

extern const FormatRules format_round_robin;
extern const FormatRules format_gauntlet;
extern const FormatRules format_swiss;
extern const FormatRules format_knockout;
extern const FormatRules format_double;
extern const FormatRules format_ladder;

typedef struct Entry Entry;

struct Schedule {
    ScheduleOptions options;
    const FormatRules *rules;
    void *state; /* the format's */

    Entry *entries; /* by number; those of no fixture known so far are zero */
    uint32_t entries_capacity;
    uint32_t *pool; /* the bots of all fixtures */
    size_t pool_used;
    size_t pool_capacity;
    uint32_t *queue; /* numbers, as they were added */
    uint32_t queue_head;
    uint32_t queue_used;
    uint32_t queue_capacity;
    uint32_t settled; /* of the queue: known to the format so far, or found to have no result yet */
    uint32_t open;    /* fixtures without a result */
};

/* ---- the front, for formats ---- */

/* Adds a fixture. A number is used once. */
void schedule_add(Schedule *schedule, uint32_t number, uint32_t round, uint32_t players,
                  const uint32_t *bots);
const uint32_t *schedule_bots(const Schedule *schedule, uint32_t number);

/* For `keeps_results`: NULL while there is none. Forgotten, it is there no more, though the fixture
   stays played. */
const FixtureResult *schedule_known(const Schedule *schedule, uint32_t number);
void schedule_forget(Schedule *schedule, uint32_t number);

/* Checks that so many fixtures are not too many. */
bool schedule_fits(double fixtures, Error *error);

/* Points of each bot over all matches of a result, in halves: two for each opponent that it
   finished before, one for each it is level with. Added to `points`. */
void result_points(const FixtureResult *result, uint32_t *points);

void formats_shuffle(Random *random, uint32_t *numbers, uint32_t count);

/* ---- brackets (knockout.c), for the front ---- */

uint32_t bracket_count(const Schedule *schedule);
const BracketNode *bracket_node(const Schedule *schedule, uint32_t index);

/* ---- pairing.c, for Swiss ---- */

/* Pairs of vertices 0 to count-1, chosen one after the other in the order in which vertices ask,
   such that at any moment what is left can still be paired. */
typedef struct Pairing {
    uint32_t count;
    uint8_t *joined; /* count * count, symmetric: these two may be paired */
    bool *gone;      /* has been given its partner for good */
    uint32_t *match; /* a pairing of what is left that shows that there is one */
    /* for the search of a path */
    uint32_t *parent;
    uint32_t *base;
    bool *seen;
    bool *marked;
    uint32_t *queue;
} Pairing;

enum { PAIRING_NONE = UINT32_MAX };

/* No two are joined at first. */
Pairing pairing_new(uint32_t count);
void pairing_free(Pairing *pairing);
void pairing_join(Pairing *pairing, uint32_t a, uint32_t b);

/* Finds as many pairs as there can be and returns how many vertices are left over; `match` of those
   is PAIRING_NONE. */
uint32_t pairing_solve(Pairing *pairing);

/* Pairs these two for good if the others can still be paired; needs a pairing without leftovers. */
bool pairing_fix(Pairing *pairing, uint32_t a, uint32_t b);

#endif
