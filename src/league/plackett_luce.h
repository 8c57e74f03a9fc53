/* One stage of a ranking: which of the remaining bots, or which tied group of them, comes next?

   A set of k of the n remaining bots comes next with a weight of

       exp(tie weight of k) x product of their strengths
         / (geometric mean of all n strengths) ^ (k - 1)

   where the tie weight of a single bot is 0. Without ties this is the Plackett-Luce model; for two
   bots it is the Bradley-Terry model with Davidson's draws. Among sets of the same size, the odds
   are the ratios of the products of strengths: each tied bot has beaten each remaining bot as
   clearly as if it had not tied. (The better known extension, which uses the geometric mean of the
   tied bots, lacks this property: two bots that share first place among four gain no more than the
   third.)

   The log likelihood of a stage is linear in log strengths and tie weights, minus the logarithm of
   the sum of all weights. So its derivatives are the means and covariances of the next set, and it
   has no local maxima besides the global one. */
#ifndef LEAGUE_PLACKETT_LUCE_H
#define LEAGUE_PLACKETT_LUCE_H

#include <stdint.h>

/* The sizes of ties that can occur (2 or more, ascending), and the logarithms of their weights. */
typedef struct TieWeights {
    uint32_t count;
    const uint32_t *sizes;
    const double *weights;
} TieWeights;

/* The distribution of a stage with `bots` bots. A bot's part in a set of k is the factor of its log
   strength in the logarithm of the set's weight: 1 if the bot is in the set, otherwise 0, minus
   (k - 1) / bots. All parts add up to 1. */
typedef struct RankingStage {
    double log_total;   /* the logarithm of the sum of the weights of all sets */
    double *mean;       /* of each bot's part */
    double *covariance; /* of the parts: bots x bots */
    double *tie_share;  /* the probability of each tie size; 0 if there are fewer bots */
    double *tie_cross;  /* covariances of sizes and parts: ties x bots */
    double *scratch;
} RankingStage;

/* Allocates a stage for at most this many bots and tie sizes. */
RankingStage *ranking_stage_new(uint32_t bots, uint32_t ties);
void ranking_stage_free(RankingStage *stage);

/* Computes the stage; `strengths` are logarithms, one per bot. */
void ranking_stage_compute(RankingStage *stage, uint32_t bots, const double *strengths,
                           const TieWeights *ties);

#endif
