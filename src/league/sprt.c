/* See sprt.h.

   The question is only about the mean of a pair's points, s = 1 / (1 + 10^(-elo/400)) of the
   maximum; the distribution of its five outcomes is unknown. So before each pair two bets are
   placed, one against "the mean is s0 or less" and one against "it is s1 or more". A bet multiplies
   the odds so far:

       odds x (1 + t (points - s))

   At the mean s this is fair for every distribution: the expected odds do not change. A gambler who
   starts with 1 and bets at fair odds reaches 1 / alpha with a probability of at most alpha,
   however long the game lasts and however t is chosen, as long as it depends on past pairs only. So
   the guarantee needs no assumption about the distribution or its variance.

   The choice of t determines how soon the test ends. It is the t with which the odds would grow
   fastest if the mean were that of the other hypothesis and the distribution the most likely one
   with this mean, estimated from past pairs. If the distribution is known, the odds are then the
   likelihood ratio of Wald's test; while it is being estimated, they grow a little slower.
   (Estimating the distribution from the same pairs that it judges makes either hypothesis look
   better than it is; with few decisive pairs, that broke the guarantee.) If the pairs indicate a
   mean beyond the other hypothesis by two standard errors, the bet is on that mean, so that a clear
   difference is decided soon.

   Among the distributions with a given mean, the most likely one gives an outcome with points a and
   share f the probability f / (1 + t (a - s)), with the t that yields the mean; the same t makes
   the odds grow fastest. */
#include "league/sprt.h"

#include <math.h>

enum { OUTCOMES = 5 };

static const double ELO = 173.71779276130073; /* points in one unit of log odds: 400 / ln 10 */
static const double INTERVAL = 1.959963984540054;
static const double ELO_REACH = 2000;
/* The limit of intervals, at which 1 - 1e-15 of the points are won. */
static const double ELO_FAR = 6000;
static const double CHANCE_LEAST = 1e-9;
static const double CLEAR = 2; /* standard errors */
/* The weight of each outcome before the first pair, which makes the first bets careful. */
static const double PRIOR_WEIGHT = 0.4;

bool sprt_check(const Sprt *sprt, Error *error) {
    const struct {
        const char *name;
        double elo;
        double chance;
    } sides[] = {{"0", sprt->elo0, sprt->alpha}, {"1", sprt->elo1, sprt->beta}};
    for (int side = 0; side < 2; side++) {
        if (!(fabs(sides[side].elo) <= ELO_REACH))
            return error_set(error, "elo%s must be between %g and %g, not %g", sides[side].name,
                             -ELO_REACH, ELO_REACH, sides[side].elo);
        if (!(sides[side].chance >= CHANCE_LEAST && sides[side].chance < 1))
            return error_set(error,
                             "%s is an error probability and must be between 0 and 1, not %g",
                             side ? "beta" : "alpha", sides[side].chance);
    }
    if (!(sprt->elo0 < sprt->elo1))
        return error_set(error, "elo1 (%g) must be larger than elo0 (%g)", sprt->elo1, sprt->elo0);
    if (!(sprt->elo1 - sprt->elo0 >= 0.01))
        return error_set(error, "elo0 (%g) and elo1 (%g) are too close to each other", sprt->elo0,
                         sprt->elo1);
    if (!(sprt->alpha + sprt->beta < 1))
        return error_set(
            error,
            "the sum of alpha (%g) and beta (%g) must be less than 1; otherwise a coin "
            "toss would do as well",
            sprt->alpha, sprt->beta);
    return true;
}

static double points_of(int outcome) {
    return outcome / (OUTCOMES - 1.0);
}

static double mean_of(double elo) {
    return 1 / (1 + exp(-elo / ELO));
}

/* The difference between the mean under t and `mean`; it decreases as t grows. */
typedef struct Miss {
    double sum;
    double slope;
    double size; /* the sum of absolute values */
} Miss;

static Miss miss(const double *weights, double mean, double t) {
    Miss miss = {0};
    for (int i = 0; i < OUTCOMES; i++) {
        if (!(weights[i] > 0))
            continue;
        double distance = points_of(i) - mean;
        double share = distance / (1 + t * distance);
        miss.sum += weights[i] * share;
        miss.slope -= weights[i] * share * share;
        miss.size += weights[i] * fabs(share);
    }
    return miss;
}

/* Returns the t of the most likely distribution with this mean, for outcomes of these weights.
   Probabilities cannot be negative, so t is between two limits; at a limit, an outcome without
   weight has a positive probability. */
static double best_t(const double *weights, double mean) {
    double low = -1 / (1 - mean);
    double high = 1 / mean;
    if (!(weights[OUTCOMES - 1] > 0) && miss(weights, mean, low).sum <= 0)
        return low;
    if (!(weights[0] > 0) && miss(weights, mean, high).sum >= 0)
        return high;
    /* Newton's method, kept between the limits by bisection. A small step does not mean
       convergence: near the limits, where the sum is infinite, all steps are small. */
    double t = 0;
    for (int i = 0; i < 200; i++) {
        Miss off = miss(weights, mean, t);
        if (fabs(off.sum) <= 1e-14 * off.size)
            break;
        *(off.sum > 0 ? &low : &high) = t;
        double next = t - off.sum / off.slope;
        if (!(next > low && next < high))
            next = (low + high) / 2;
        if (!(next > low && next < high))
            break;
        t = next;
    }
    return t;
}

/* ---- the bets ---- */

/* Returns the bet against the mean `against`, assuming that the mean is `belief`, or the mean that
   the pairs indicate if it is farther away. */
static double bet(const double *weights, double against, double belief) {
    double count = 0;
    double sum = 0;
    double squares = 0;
    for (int i = 0; i < OUTCOMES; i++) {
        count += weights[i];
        sum += weights[i] * points_of(i);
        squares += weights[i] * points_of(i) * points_of(i);
    }
    double mean = sum / count;
    double doubt = CLEAR * sqrt((squares / count - mean * mean) / count);
    if (belief > against)
        belief = fmax(belief, mean - doubt);
    else
        belief = fmin(belief, mean + doubt);
    double t = best_t(weights, belief);
    double spread[OUTCOMES];
    for (int i = 0; i < OUTCOMES; i++)
        spread[i] = weights[i] / count / (1 + t * (points_of(i) - belief));
    return best_t(spread, against);
}

void sprt_add(Sprt *sprt, int half_points) {
    double weights[OUTCOMES];
    double mean0 = mean_of(sprt->elo0);
    double mean1 = mean_of(sprt->elo1);
    for (int i = 0; i < OUTCOMES; i++)
        weights[i] = (double)sprt->pairs[i] + PRIOR_WEIGHT;
    double for_elo1 = bet(weights, mean0, mean1);
    double for_elo0 = bet(weights, mean1, mean0);
    sprt->llr1 += log1p(for_elo1 * (points_of(half_points) - mean0));
    sprt->llr0 += log1p(for_elo0 * (points_of(half_points) - mean1));
    sprt->pairs[half_points]++;
    if (sprt->verdict == SPRT_UNDECIDED && sprt->llr1 >= -log(sprt->alpha))
        sprt->verdict = SPRT_ACCEPTS_ELO1;
    if (sprt->verdict == SPRT_UNDECIDED && sprt->llr0 >= -log(sprt->beta))
        sprt->verdict = SPRT_ACCEPTS_ELO0;
}

/* ---- the estimate ---- */

/* The log likelihood ratio of the best distribution to the best one with this mean; never
   negative. */
static double drop(const double *weights, double mean) {
    double t = best_t(weights, mean);
    double sum = 0;
    for (int i = 0; i < OUTCOMES; i++)
        if (weights[i] > 0)
            sum += weights[i] * log1p(t * (points_of(i) - mean));
    return fmax(sum, 0);
}

/* The end of the interval between `elo` and `far`. */
static double interval_end(const double *weights, double elo, double far) {
    while (fabs(far - elo) > 1e-4) {
        double middle = (elo + far) / 2;
        *(drop(weights, mean_of(middle)) > INTERVAL * INTERVAL / 2 ? &far : &elo) = middle;
    }
    return far;
}

/* Adds a quarter of a won pair and a quarter of a lost pair. They keep the difference finite if all
   pairs are won, and its error above zero if all pairs are equal. Of the weights tried in
   simulations, this one keeps the coverage of intervals closest to 95% at lopsided scores. */
SprtEstimate sprt_estimate(const Sprt *sprt) {
    double weights[OUTCOMES];
    double points = 0;
    double lost = 0;
    for (int i = 0; i < OUTCOMES; i++) {
        weights[i] = (double)sprt->pairs[i] + (i == 0 || i == OUTCOMES - 1 ? 0.25 : 0);
        points += weights[i] * points_of(i);
        lost += weights[i] * (1 - points_of(i));
    }
    double elo = log(points / lost) * ELO;
    double distance = sqrt(drop(weights, 0.5)); /* from "no better", in standard errors / sqrt 2 */
    return (SprtEstimate){
        .elo = elo,
        .elo_low = interval_end(weights, elo, -ELO_FAR),
        .elo_high = interval_end(weights, elo, ELO_FAR),
        .superiority = erfc(elo > 0 ? -distance : distance) / 2,
    };
}
