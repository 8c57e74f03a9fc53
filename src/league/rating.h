/* Ratings: how strong bots are, from who finished before whom.

   The model. Every bot has one strength. A match of two follows Bradley and Terry, with draws as
   Davidson put them in; a match of more follows Plackett and Luce. Ratings are the strengths that
   make the results most likely, on the Elo scale: 400 points are odds of ten to one, and the mean
   of all is zero. A weak prior keeps who won all or lost all finite. Intervals and comparisons come
   from the information matrix.

   This knows bots by number and nothing of games, matches or files. */
#ifndef LEAGUE_RATING_H
#define LEAGUE_RATING_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct Ratings Ratings;

Ratings *ratings_new(uint32_t bots);
void ratings_free(Ratings *ratings);

/* Adds a match that ended like this `times` times. `bots` are different ones; ranks are as in a
   verdict: 1 is best, equal ranks are ties. Results that are alike are kept as one, so that a
   million of them are no burden. */
void ratings_add(Ratings *ratings, uint32_t players, const uint32_t *bots, const uint32_t *ranks,
                 uint64_t times);

/* Computes all ratings from all results so far; may be called again as results come in, and starts
   from where it was. */
bool ratings_fit(Ratings *ratings, Error *error);

/* After ratings_fit. Elo points; the error is half the width of the 95 % interval. */
double ratings_elo(const Ratings *ratings, uint32_t bot);
double ratings_error(const Ratings *ratings, uint32_t bot);

/* How likely it is that `a` is stronger than `b`, 0 to 1. */
double ratings_superiority(const Ratings *ratings, uint32_t a, uint32_t b);

/* What a share of the points `a` may expect against `b`, 0 to 1 (a draw is half a point). */
double ratings_expected(const Ratings *ratings, uint32_t a, uint32_t b);

/* How much one more match between these two would tell: the drop in the uncertainty of all ratings
   that it promises. For comparing pairings; it has no unit. Takes time in proportion to the number
   of bots. Like all figures here it may differ in its last digits with the order in which results
   came: who has to choose the same each time rounds it first. */
double ratings_promise(const Ratings *ratings, uint32_t a, uint32_t b);

#endif
