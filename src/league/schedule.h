/* Schedules: who meets whom, by the format of the tournament.

   A schedule gives out fixtures (these bots meet) and receives their results. It does not know how
   many matches a fixture has, on which maps and in which seats. It depends only on its options and
   the results, not on their order, so a tournament is resumed by creating the same schedule again
   and reporting the known results. A fixture is given out as soon as the results it depends on are
   known.

   Bots are numbered by seeding: 0 is the top seed.

   A fixture has `players` bots as in the options, with one exception: if the bots cannot be divided
   evenly, one heat in the first round of a knockout has fewer (never with two players).

   A fixture is decided by the points over all its matches: in each match, a bot gets one point for
   every opponent that it beat and half a point for every opponent with which it tied. In a
   knockout, a tied fixture has up to three play-offs; then the higher seed advances. In a Swiss, a
   bye counts as a won fixture; no bot meets the same opponent twice or has a second bye if that can
   be avoided, and a second bye is preferred to a second meeting. A ladder's round has as many
   fixtures as all bots could play at once, but at least eight, and is chosen from the results of
   all rounds before the previous one. */
#ifndef LEAGUE_SCHEDULE_H
#define LEAGUE_SCHEDULE_H

#include "base/error.h"
#include "games/game.h"

typedef enum Format {
    FORMAT_ROUND_ROBIN, /* every combination of bots that fits a match meets */
    FORMAT_GAUNTLET,    /* the first few against all others */
    FORMAT_SWISS,       /* bots with equal scores meet, without rematches */
    FORMAT_KNOCKOUT,    /* a seeded bracket; one loss eliminates */
    FORMAT_DOUBLE,      /* a seeded bracket; two losses eliminate */
    FORMAT_LADDER,      /* the most informative pairings, until the ratings are precise enough */
    FORMATS
} Format;

/* The names as users type them, in the order of Format: `name` applied to each, separated by
   `between`. */
#define FORMAT_NAMES(name, between)                                                          \
 name("round-robin") between name("gauntlet") between name("swiss") between name("knockout") \
     between name("double-knockout") between name("ladder")

const char *format_name(Format format);

/* Fails with a message that lists the formats. */
bool format_read(const char *name, Format *format, Error *error);

typedef struct ScheduleOptions {
    Format format;
    uint32_t bots;
    uint32_t players; /* in a match */
    uint64_t seed;
    /* round robin and gauntlet: how often all meet (0: once); Swiss: rounds (0: enough for one
       winner); ladder: the most rounds (0: no limit); not for a knockout */
    uint32_t rounds;
    uint32_t challengers; /* of a gauntlet; 0: one */
    double error; /* a ladder ends when all rating errors are below this (Elo points); 0: never */
} ScheduleOptions;

typedef struct Fixture {
    uint32_t number; /* from 0; the same fixture always has the same number */
    uint32_t round;  /* from 1 */
    /* selects one of its round's maps and seeds, from 0: the number of the play-off, 0 for the
       fixture itself; in a ladder its place in the round */
    uint32_t again;
    uint32_t players;
    uint32_t bots[GAME_PLAYERS_MAX];
} Fixture;

typedef struct Schedule Schedule;

/* NULL if the format does not allow this number of bots. */
Schedule *schedule_new(const ScheduleOptions *options, Error *error);
void schedule_free(Schedule *schedule);

/* Gives out the next fixture that can be played now; false if there is none, either until more
   results are known or because all were given out. Each fixture is given out once, and not at all
   if its result is already known. */
bool schedule_next(Schedule *schedule, Fixture *fixture);

/* Reports the result of a fixture. `ranks` has a row for each of its matches, with an entry for
   each of its bots in the fixture's order. A second result of the same fixture is ignored.

   The fixture need not have been given out by this object: it is identified by its number, and a
   result that arrives before its fixture is kept until then. So a tournament can be resumed by
   reporting the known results in any order, before or while fixtures are given out. The caller
   guarantees that the results come from a schedule with the same options and have at least one
   match. A result whose bots are not those of the fixture with its number is ignored. */
void schedule_result(Schedule *schedule, const Fixture *fixture, uint32_t matches,
                     const uint32_t *ranks);

/* Whether all fixtures have been played. */
bool schedule_finished(const Schedule *schedule);

/* The total number of fixtures as far as it is known; 0 if unknown. The total of a bracket grows
   with each play-off. */
uint32_t schedule_total(const Schedule *schedule);

/* Computes each bot's current place by the rules of the format; 1 is best. In a Swiss: by points,
   then by the opponents' points (for a bye the bot's own), then by fixtures won. In a bracket: by
   how far it came. False for other formats, which are ordered by ratings or points. */
bool schedule_places(const Schedule *schedule, uint32_t *places);

/* The scores that, along with fixtures won, determine the order of a Swiss. */
typedef struct SwissScore {
    uint32_t points;   /* in halves, by fixtures: two for a win; byes count as won */
    uint64_t buchholz; /* in halves: the points of its opponents; for a bye its own */
    uint32_t byes;
} SwissScore;

/* False for other formats. */
bool schedule_swiss(const Schedule *schedule, uint32_t bot, SwissScore *score);

/* ---- for drawing brackets ---- */

typedef enum BracketSide { SIDE_WINNERS, SIDE_LOSERS, SIDE_FINAL } BracketSide;

enum { BRACKET_NOBODY = UINT32_MAX };

/* A node of the bracket, where bots meet or a bot advances by a bye. The second grand final of a
   double knockout (SIDE_FINAL, round 2) exists only if it is needed. */
typedef struct BracketNode {
    BracketSide side;
    uint32_t round;                    /* of its side, from 1 */
    uint32_t position;                 /* in its round, from the top, from 0 */
    uint32_t players;                  /* places in it */
    uint32_t bots[GAME_PLAYERS_MAX];   /* BRACKET_NOBODY: not known yet, or a bye */
    uint32_t points[GAME_PLAYERS_MAX]; /* in halves, over all its matches, play-offs included */
    bool bye;                          /* it has only one bot, which advances */
    bool by_seeding; /* still tied after the play-offs: the higher seed advanced */
    uint32_t winner; /* BRACKET_NOBODY: not decided */
} BracketNode;

/* The number of nodes, 0 for formats without a bracket, and each node, ordered by side, round and
   position. */
uint32_t schedule_bracket(const Schedule *schedule);
const BracketNode *schedule_bracket_node(const Schedule *schedule, uint32_t index);

#endif
