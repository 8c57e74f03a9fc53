/* Is the new bot better than the old one? A sequential probability ratio test over pairs of
   matches.

   A pair is the same map and seed played twice with the seats swapped, so that luck and seat cancel
   out. It is worth 0 to 2 points, in steps of one half: five outcomes. The test weighs the
   hypothesis "the true difference is elo1 or more" against "it is elo0 or less", pair by pair in
   the order in which the pairs were started, and ends when the odds against one hypothesis exceed
   what alpha and beta allow. The error probabilities hold for any distribution of the outcomes. */
#ifndef LEAGUE_SPRT_H
#define LEAGUE_SPRT_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum SprtVerdict { SPRT_UNDECIDED, SPRT_ACCEPTS_ELO0, SPRT_ACCEPTS_ELO1 } SprtVerdict;

typedef struct Sprt {
    double elo0;
    double elo1;
    double alpha;        /* probability of accepting elo1 although elo0 is true */
    double beta;         /* probability of accepting elo0 although elo1 is true */
    uint64_t pairs[5];   /* by the new bot's points: 0, 1/2, 1, 3/2, 2 */
    double llr1;         /* the log odds against "elo0 or less"; decided at -log(alpha) */
    double llr0;         /* the log odds against "elo1 or more"; decided at -log(beta) */
    SprtVerdict verdict; /* final once it is decided */
} Sprt;

/* The current estimate of the difference with its 95% interval; always finite. */
typedef struct SprtEstimate {
    double elo;
    double elo_low;
    double elo_high;
    double superiority; /* probability that the new bot is better at all */
} SprtEstimate;

/* Checks the options: elo0 < elo1, both within limits, alpha and beta valid. */
bool sprt_check(const Sprt *sprt, Error *error);

/* Adds a pair with 0 to 4 half points for the new bot. */
void sprt_add(Sprt *sprt, int half_points);

SprtEstimate sprt_estimate(const Sprt *sprt);

#endif
