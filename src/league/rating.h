/* Ratings: the strength of bots, computed from results.

   The model: every bot has one strength. A match of two follows Bradley and Terry, with Davidson's
   draws; a match of more follows Plackett and Luce. Ratings are the maximum-likelihood strengths on
   the Elo scale: 400 points are odds of ten to one, and the mean is zero. A weak prior keeps the
   ratings of bots finite that won or lost everything. Intervals and comparisons come from the
   information matrix.

   It identifies bots by number, and knows nothing about games, matches or files. */
#ifndef LEAGUE_RATING_H
#define LEAGUE_RATING_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct Ratings Ratings;

Ratings *ratings_new(uint32_t bots);
void ratings_free(Ratings *ratings);

/* Sets the prior: each rating is normally distributed around 0 with this standard deviation in Elo
   points. The default is RATING_PRIOR. */
enum { RATING_PRIOR = 1000 };
void ratings_set_prior(Ratings *ratings, double elo);

/* Adds a result `times` times. All `bots` must differ; ranks are as in a verdict: 1 is best, equal
   ranks are ties. Equal results are stored once, so millions of them cost little. */
void ratings_add(Ratings *ratings, uint32_t players, const uint32_t *bots, const uint32_t *ranks,
                 uint64_t times);

/* Computes all ratings from all results so far. It may be called again after more results; the
   previous ratings are then its starting point. */
bool ratings_fit(Ratings *ratings, Error *error);

/* A bot's rating and its error, half the width of the 95% interval, in Elo points. Call ratings_fit
   first. */
double ratings_elo(const Ratings *ratings, uint32_t bot);
double ratings_error(const Ratings *ratings, uint32_t bot);

/* The probability that `a` is stronger than `b`. */
double ratings_superiority(const Ratings *ratings, uint32_t a, uint32_t b);

/* The expected score of `a` against `b`, 0 to 1 (a draw is half a point). */
double ratings_expected(const Ratings *ratings, uint32_t a, uint32_t b);

/* The information gain of one more match between these two bots: the expected drop in the
   uncertainty of all ratings. Only for comparing pairings; it has no unit. Takes time proportional
   to the number of bots. Like all values here, its last digits may depend on the order of the
   results, so round it before making reproducible choices. */
double ratings_information_gain(const Ratings *ratings, uint32_t a, uint32_t b);

#endif
