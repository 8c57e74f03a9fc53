/* Is the new bot better than the old one? A sequential test over pairs of matches.

   A pair is the same map and seed played twice with the seats swapped, so that luck and seat cancel
   out; it is worth 0 to 2 points, in halves: five outcomes. The test weighs "the true difference is
   elo1 or more" against "it is elo0 or less", pair by pair in the order in which they were begun,
   and ends when the odds against one of them pass what alpha and beta allow. It keeps that promise
   however the outcomes are spread: lopsided, all alike, or never seen before. */
#ifndef LEAGUE_SPRT_H
#define LEAGUE_SPRT_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum SprtVerdict { SPRT_UNDECIDED, SPRT_ACCEPTS_ELO0, SPRT_ACCEPTS_ELO1 } SprtVerdict;

typedef struct Sprt {
    double elo0;
    double elo1;
    double alpha;      /* how often elo1 may be accepted although elo0 is true */
    double beta;       /* how often elo0 may be accepted although elo1 is true */
    uint64_t pairs[5]; /* by the points of the new bot: 0, 1/2, 1, 3/2, 2 */
    double llr1;       /* the logarithm of the odds against "elo0 or less"; -log(alpha) is enough */
    double llr0;       /* the same against "elo1 or more"; -log(beta) is enough */
    SprtVerdict verdict; /* the first for which it was enough; stays */
} Sprt;

/* The difference as it looks now, with its 95 % interval; finite. */
typedef struct SprtEstimate {
    double elo;
    double elo_low;
    double elo_high;
    double superiority; /* how likely it is that the new bot is better at all */
} SprtEstimate;

/* Whether elo0 < elo1, both within reach, and alpha and beta make sense together. */
bool sprt_check(const Sprt *sprt, Error *error);

/* Takes one more pair in, with so many half points for the new bot: 0 to 4. */
void sprt_add(Sprt *sprt, int half_points);

SprtEstimate sprt_estimate(const Sprt *sprt);

#endif
