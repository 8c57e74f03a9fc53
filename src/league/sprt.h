/* Is the new bot better than the old one? A sequential test over pairs of matches.

   A pair is the same map and seed played twice with the seats swapped, so that luck and seat cancel out; it is worth 0 to 2 points, in halves: five outcomes. The test
   weighs "the true difference is elo1" against "it is elo0" by the likelihood of the pairs seen, and ends when the odds pass a bound that alpha and beta set. It holds
   for lopsided scores and for outcomes that never came up. */
#ifndef LEAGUE_SPRT_H
#define LEAGUE_SPRT_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct Sprt {
    double elo0;
    double elo1;
    double alpha;      /* how often elo1 may be accepted although elo0 is true */
    double beta;       /* how often elo0 may be accepted although elo1 is true */
    uint64_t pairs[5]; /* by the points of the new bot: 0, 1/2, 1, 3/2, 2 */
} Sprt;

typedef enum SprtVerdict { SPRT_UNDECIDED, SPRT_ACCEPTS_ELO0, SPRT_ACCEPTS_ELO1 } SprtVerdict;

typedef struct SprtState {
    SprtVerdict verdict;
    double llr;   /* the logarithm of the odds so far */
    double lower; /* elo0 is accepted at or below this ... */
    double upper; /* ... and elo1 at or above this */
    double elo;   /* the difference as it looks now, with its 95 % interval; finite */
    double elo_low;
    double elo_high;
    double superiority; /* how likely it is that the new bot is better at all */
} SprtState;

/* Whether elo0 < elo1, both within reach, and alpha and beta make sense together. */
bool sprt_check(const Sprt *sprt, Error *error);

SprtState sprt_state(const Sprt *sprt);

#endif
