/* One stage of a ranking: of the bots that are left, which one, or which tied few, come next?

   A set of k of the n bots that are left comes next with a weight of

       exp(tie weight of k) x product of their strengths / (geometric mean of all n strengths) ^ (k
       - 1)

   and the tie weight of one bot alone is 0. Without ties this is Plackett and Luce's model; with
   two bots it is Bradley and Terry's with Davidson's draws. Among sets of one size the odds are
   those of the products of strengths: each tied bot has beaten each bot that is still left, as much
   as if it had come alone. (Ties by the geometric mean of the tied, the better known way, do not
   have that: there two who share the first place of four gain no more than the third.)

   The logarithm of a stage's likelihood is linear in log strengths and tie weights but for the
   logarithm of the sum of all weights: its derivatives are the means and covariances of what the
   next set may be, and it has no local hills. */
#ifndef LEAGUE_PLACKETT_LUCE_H
#define LEAGUE_PLACKETT_LUCE_H

#include <stdint.h>

/* Which sizes of ties there are besides one bot alone, ascending, and the logarithms of their
   weights. */
typedef struct TieWeights {
    uint32_t count;
    const uint32_t *sizes;
    const double *weights;
} TieWeights;

/* What a stage with `bots` bots comes to. A bot's part in a set of k is 1 if it is one of them,
   else 0, less (k - 1) / bots: what its log strength is multiplied by in the logarithm of the
   weight. All parts add up to 1. */
typedef struct RankingStage {
    double log_total;   /* of the weights of all sets */
    double *mean;       /* of each bot's part */
    double *covariance; /* of the parts: bots x bots */
    double *tie_share;  /* how likely each size of ties is; 0 for one larger than what is left */
    double *tie_cross;  /* covariances of sizes and parts: ties x bots */
    double *scratch;
} RankingStage;

/* Room for stages with up to so many bots and sizes of ties. */
RankingStage *ranking_stage_new(uint32_t bots, uint32_t ties);
void ranking_stage_free(RankingStage *stage);

/* Fills the stage in; `strengths` are logarithms, one a bot. */
void ranking_stage_compute(RankingStage *stage, uint32_t bots, const double *strengths,
                           const TieWeights *ties);

#endif
