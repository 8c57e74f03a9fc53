/* Who meets whom: the formats of tournaments.

   A schedule gives out fixtures (these bots meet) and takes in how they ended. How many matches a
   fixture has, on which maps and in which seats, is not its business. It is a function of its
   options and of the results alone: the order in which results come in changes nothing, so that a
   tournament that was broken off is taken up again by making the same schedule and telling it what
   is known. A fixture is given out as soon as the results that it hangs on are in.

   Bots are numbered by their seeding: 0 is the favourite.

   A fixture has `players` bots, as the options say, but for one: where the numbers do not work out,
   one heat of a knockout's first round has fewer (never with two players).

   Where a fixture must have a winner or counts as a whole, points decide, over all its matches: in
   each, one for every opponent that a bot finished before, half for every one that it is level
   with. A knockout's fixture that is level is played again, up to three times; then the better seed
   goes on. In a Swiss a bye is worth a won fixture; nobody meets twice, or has a second bye, while
   that can be avoided, and of the two a second bye is the lesser evil. A ladder's round has as many
   fixtures as all bots could play at once, but at least eight, and is chosen from the results of
   all rounds but the last. */
#ifndef LEAGUE_SCHEDULE_H
#define LEAGUE_SCHEDULE_H

#include "base/error.h"
#include "games/game.h"

typedef enum Format {
    FORMAT_ROUND_ROBIN, /* every set of bots that a match has room for meets */
    FORMAT_GAUNTLET,    /* the first few against everybody else */
    FORMAT_SWISS,       /* rounds in which equals meet, nobody twice */
    FORMAT_KNOCKOUT,    /* a seeded bracket; who loses is out */
    FORMAT_DOUBLE,      /* the same, and who loses twice is out */
    FORMAT_LADDER,      /* whoever tells most about the ratings, until they are known well enough */
    FORMATS
} Format;

/* As typed: "round-robin", "double-knockout". */
const char *format_name(Format format);

/* Or a sentence that lists them. */
bool format_read(const char *name, Format *format, Error *error);

typedef struct ScheduleOptions {
    Format format;
    uint32_t bots;
    uint32_t players; /* in a match */
    uint64_t seed;
    uint32_t rounds; /* how often all meet; in a Swiss, rounds; in a ladder, the most; none in a
                        knockout. 0: once; what it takes to find one winner; until stopped */
    uint32_t challengers; /* gauntlet: how many run it; 0: one */
    double error; /* ladder: it ends when no rating's error is larger, in Elo points; 0: never */
} ScheduleOptions;

typedef struct Fixture {
    uint32_t number; /* from 0; the same meeting has the same number, whenever it is given out */
    uint32_t round;  /* from 1 */
    /* which of its round's maps and seeds it has, from 0: play-offs of this meeting before this
       one, and the meeting itself; in a ladder its place in the round */
    uint32_t again;
    uint32_t players;
    uint32_t bots[GAME_PLAYERS_MAX];
} Fixture;

typedef struct Schedule Schedule;

/* NULL, with a sentence, when the format cannot be played with so many bots. */
Schedule *schedule_new(const ScheduleOptions *options, Error *error);
void schedule_free(Schedule *schedule);

/* The next fixture that can be played now; false when there is none (until more results are in, or
   for good). Each is given out once; one whose result is known already is not. */
bool schedule_next(Schedule *schedule, Fixture *fixture);

/* A fixture has ended. `ranks` has a row for each of its matches, and in it an entry for each of
   its bots, in the fixture's order. Told twice of the same fixture, it ignores the second.

   The fixture need not have been given out by this object: it is known by its number, and a result
   that comes before its fixture waits for it. So a tournament is taken up again by telling what is
   known in any order, before or while fixtures are given out. The caller sees to it that those
   results come from a schedule with the same options, and that there is at least one match; a
   result whose bots are not those of the fixture with its number is ignored. */
void schedule_result(Schedule *schedule, const Fixture *fixture, uint32_t matches,
                     const uint32_t *ranks);

/* Everything has been played. */
bool schedule_finished(const Schedule *schedule);

/* How many fixtures there are in all as far as can be said now; 0 when nobody knows. A bracket's
   grows with each play-off. */
uint32_t schedule_total(const Schedule *schedule);

/* Where each bot stands by the rules of the format, 1 is best: by points, then the points of the
   opponents (for a bye its own), then fixtures won in a Swiss; by how far it came in a bracket.
   Before the end: as things stand. False for formats that have no order of their own (the ratings
   or points give it). */
bool schedule_places(const Schedule *schedule, uint32_t *places);

/* What the order of a Swiss comes from, beside fixtures won. */
typedef struct SwissScore {
    uint32_t points;   /* in halves: of fixtures as a whole, two for one won; byes are won */
    uint64_t buchholz; /* in halves: the points of those that it met; for a bye its own */
    uint32_t byes;
} SwissScore;

/* False for other formats. */
bool schedule_swiss(const Schedule *schedule, uint32_t bot, SwissScore *score);

/* ---- for drawing brackets ---- */

typedef enum BracketSide { SIDE_WINNERS, SIDE_LOSERS, SIDE_FINAL } BracketSide;

enum { BRACKET_NOBODY = UINT32_MAX };

/* One place in the bracket where bots meet, or where one goes on without an opponent. The second
   grand final of a double knockout (SIDE_FINAL, round 2) is there only once it is needed. */
typedef struct BracketNode {
    BracketSide side;
    uint32_t round;                    /* of its side, from 1 */
    uint32_t position;                 /* in its round, from the top, from 0 */
    uint32_t players;                  /* how many places it has */
    uint32_t bots[GAME_PLAYERS_MAX];   /* BRACKET_NOBODY: not known yet, or a bye */
    uint32_t points[GAME_PLAYERS_MAX]; /* in halves, over all its matches, play-offs included */
    bool bye;                          /* it has but one bot, which goes on */
    bool by_seeding;                   /* level even after the play-offs: the better seed went on */
    uint32_t winner;                   /* BRACKET_NOBODY: not decided */
} BracketNode;

/* How many nodes there are, 0 for formats without a bracket; and each of them, by side, round and
   position. */
uint32_t schedule_bracket(const Schedule *schedule);
const BracketNode *schedule_bracket_node(const Schedule *schedule, uint32_t index);

#endif
