/* What many matches add up to: a table with ratings, a cross table, times, and how the ratings came
   about.

   Matches are added one by one as they end, or all at once from a file; nothing here knows where
   they come from. Ranks are by rating unless a format's own order (a bracket, a Swiss) is given. */
#ifndef LEAGUE_STANDINGS_H
#define LEAGUE_STANDINGS_H

#include "league/rating.h"
#include "league/schedule.h"
#include "match/board.h"

/* One match that was played, as the standings need it. Only bot and rank matter for ratings; what
   is not known is zero. */
typedef struct PlayedSeat {
    uint32_t bot;
    uint32_t rank;
    int64_t score;
    PlayerStatus status;
    uint64_t refused;
    uint32_t timeouts;
    uint32_t graces; /* turns that it was given more time for, because the machine was busy */
    int64_t wall;    /* nanoseconds, all turns */
    int64_t wall_longest;
    int64_t cpu;
    const char *failure; /* what went wrong with it, in words, or NULL */
} PlayedSeat;

typedef struct PlayedMatch {
    uint32_t turns;
    uint32_t players;
    PlayedSeat seats[GAME_PLAYERS_MAX];
} PlayedMatch;

/* A bot's row. In matches of more than two, a win is a first place held alone, a draw a shared
   one. */
typedef struct StandingsRow {
    const char *name;
    uint32_t place; /* 1 is best; equal ones are level */
    double elo;
    double error;
    uint64_t matches;
    uint64_t wins;
    uint64_t draws;
    uint64_t losses;
    double points;      /* a point for each opponent beaten, half a point for each drawn with */
    double points_most; /* what there was to be had */
    uint64_t refused;
    uint64_t timeouts;
    uint64_t graces;
    /* matches in which it crashed, did not start, broke a limit or was disqualified */
    uint64_t crashes;
    uint64_t turns;
    int64_t wall; /* nanoseconds over all turns */
    int64_t wall_longest;
    int64_t cpu;
    const char *failure; /* the last of its failures that is known, or NULL */
    bool is_swiss;       /* the place is by `swiss` */
    SwissScore swiss;
} StandingsRow;

/* How a pair fared, from the first one's side. */
typedef struct StandingsPair {
    uint64_t wins;
    uint64_t draws;
    uint64_t losses;
} StandingsPair;

typedef struct Standings Standings;

/* Copies the names. */
Standings *standings_new(uint32_t bots, const char *const *names);
void standings_free(Standings *standings);

void standings_add(Standings *standings, const PlayedMatch *match);

/* Computes ratings and places. `schedule` may be NULL. Without an order of the format's own, bots
   that have not played are behind all others. */
bool standings_settle(Standings *standings, const Schedule *schedule, Error *error);

uint32_t standings_bots(const Standings *standings);
uint64_t standings_matches(const Standings *standings);

/* After standings_settle: the row of a bot by its number; and which bot is at this position of the
   table, from 0. */
const StandingsRow *standings_row(const Standings *standings, uint32_t bot);
uint32_t standings_at(const Standings *standings, uint32_t position);
StandingsPair standings_pair(const Standings *standings, uint32_t a, uint32_t b);
double standings_superiority(const Standings *standings, uint32_t a, uint32_t b);

/* How the ratings came about: what they were at some points of the way, computed again from the
   matches up to there, in the order in which they were added. */
typedef struct StandingsHistory {
    uint32_t points;
    uint64_t *matches; /* of each point: how many had been played */
    double *elo;       /* of each point, of each bot; NAN before its first match */
} StandingsHistory;

/* At most `points` of them, fewer when there are fewer matches. Free it in any case. */
bool standings_history(const Standings *standings, uint32_t points, StandingsHistory *history,
                       Error *error);
void standings_history_free(StandingsHistory *history);

#endif
