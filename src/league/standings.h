/* Standings: a table with ratings, a cross table, times, and the history of the ratings.

   Matches are added one by one, from any source. Places are by rating unless the format has a
   specific order (a bracket, a Swiss). */
#ifndef LEAGUE_STANDINGS_H
#define LEAGUE_STANDINGS_H

#include "league/rating.h"
#include "league/schedule.h"
#include "match/board.h"

/* The data of a finished match that the standings need. Ratings use only bot and rank; unknown
   values are zero. */
typedef struct PlayedSeat {
    uint32_t bot;
    uint32_t rank;
    int64_t score;
    PlayerStatus status;
    uint64_t refused;
    uint32_t timeouts;
    uint32_t graces; /* turns with extra time, because the machine was busy */
    int64_t wall;    /* nanoseconds over all turns */
    int64_t wall_longest;
    int64_t cpu;
    const char *failure; /* a message, or NULL */
} PlayedSeat;

typedef struct PlayedMatch {
    uint32_t turns;
    uint32_t players;
    PlayedSeat seats[GAME_PLAYERS_MAX];
} PlayedMatch;

/* A bot's row. In matches of more than two, a win is an unshared first place and a draw a shared
   one. */
typedef struct StandingsRow {
    const char *name;
    uint32_t place; /* 1 is best; bots that are level have equal places */
    double elo;
    double error;
    uint64_t matches;
    uint64_t wins;
    uint64_t draws;
    uint64_t losses;
    double points;      /* one for each opponent beaten, half for each tie */
    double points_most; /* the maximum */
    uint64_t refused;
    uint64_t timeouts;
    uint64_t graces;
    /* matches in which it crashed, did not start, exceeded a limit or was disqualified */
    uint64_t crashes;
    uint64_t turns;
    int64_t wall; /* nanoseconds over all turns */
    int64_t wall_longest;
    int64_t cpu;
    const char *failure; /* its last known failure, or NULL */
    bool is_swiss;       /* `place` follows `swiss` */
    SwissScore swiss;
} StandingsRow;

/* Results between two bots, from the first one's view. */
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

/* Computes ratings and places. `schedule` may be NULL. Unless the format has a specific order, bots
   that have not played come last. */
bool standings_settle(Standings *standings, const Schedule *schedule, Error *error);

uint32_t standings_bots(const Standings *standings);
uint64_t standings_matches(const Standings *standings);

/* A bot's row, and the bot at a position of the table, from 0. Call standings_settle first. */
const StandingsRow *standings_row(const Standings *standings, uint32_t bot);
uint32_t standings_at(const Standings *standings, uint32_t position);
StandingsPair standings_pair(const Standings *standings, uint32_t a, uint32_t b);
double standings_superiority(const Standings *standings, uint32_t a, uint32_t b);

/* The history of the ratings: their values at some points, each computed from the matches added
   before that point. */
typedef struct StandingsHistory {
    uint32_t points;
    uint64_t *matches; /* of each point: matches played so far */
    double *elo;       /* points x bots; NAN before a bot's first match */
} StandingsHistory;

/* Computes a history of at most `points` points, fewer if there are fewer matches. The caller frees
   it in either case. */
bool standings_history(const Standings *standings, uint32_t points, StandingsHistory *history,
                       Error *error);
void standings_history_free(StandingsHistory *history);

#endif
