/* See sprt.h.

   How the five outcomes of a pair are spread is not known, only their mean is in question: s = 1 / (1 + 10^(-elo/400)) of the points. So the
   likelihood of "the difference is elo" is that of the spread which, of all with this mean, explains the pairs best; the test compares the two. This is exact maximum likelihood
   over all five outcomes: there is no variance to be estimated and divided by, which is zero when all pairs were alike, and nothing is made up for outcomes that never came. If all
   pairs seen lie on one side of the mean, the best spread has a share of the outcome at the far end, though it was never seen.

   The bounds are log(beta) and -log(alpha), a little wider than Wald's log(beta / (1 - alpha)) and log((1 - beta) / alpha), which keep the sum of both errors but not each of them: the
   odds pass 1 / alpha with a chance of at most alpha when elo0 is true, however long one looks. It costs about 2 % more pairs at 5 %.

   Of the spreads with a given mean, the best gives an outcome with points a and share f the probability f / (1 + t (a - s)), with the t that makes the mean come out. */
#include "league/sprt.h"

#include <math.h>

enum { OUTCOMES = 5 };

static const double ELO = 173.71779276130073; /* points in one unit of log odds: 400 / ln 10 */
static const double INTERVAL = 1.959963984540054;
static const double ELO_REACH = 2000;
static const double CHANCE_LEAST = 1e-9;

bool sprt_check(const Sprt *sprt, Error *error) {
    const struct {
        const char *name;
        double elo;
        double chance;
    } sides[] = {{"0", sprt->elo0, sprt->alpha}, {"1", sprt->elo1, sprt->beta}};
    for (int side = 0; side < 2; side++) {
        if (!(fabs(sides[side].elo) <= ELO_REACH))
            return error_set(error, "elo%s must be between %g and %g, and is %g", sides[side].name,
                             -ELO_REACH, ELO_REACH, sides[side].elo);
        if (!(sides[side].chance >= CHANCE_LEAST && sides[side].chance < 1))
            return error_set(error,
                             "%s is a chance of being wrong: more than 0, less than 1, and not %g",
                             side ? "beta" : "alpha", sides[side].chance);
    }
    if (!(sprt->elo0 < sprt->elo1))
        return error_set(error, "elo1 (%g) must be larger than elo0 (%g)", sprt->elo1, sprt->elo0);
    if (!(sprt->elo1 - sprt->elo0 >= 0.01))
        return error_set(error, "elo0 (%g) and elo1 (%g) are too close to be told apart",
                         sprt->elo0, sprt->elo1);
    if (!(sprt->alpha + sprt->beta < 1))
        return error_set(error,
                         "alpha (%g) and beta (%g) must be less than 1 together: else a coin "
                         "would do as well as the test",
                         sprt->alpha, sprt->beta);
    return true;
}

static double points_of(int outcome) {
    return outcome / (OUTCOMES - 1.0);
}

static double mean_of(double elo) {
    return 1 / (1 + exp(-elo / ELO));
}

/* How far the mean under t misses `mean`: falls as t grows. */
static double miss(const uint64_t *pairs, double mean, double t, double *slope) {
    double sum = 0;
    *slope = 0;
    for (int i = 0; i < OUTCOMES; i++) {
        if (!pairs[i])
            continue;
        double distance = points_of(i) - mean;
        double share = distance / (1 + t * distance);
        sum += (double)pairs[i] * share;
        *slope -= (double)pairs[i] * share * share;
    }
    return sum;
}

/* The t of the best spread with this mean. No probability may be negative, so it lies between two ends; at an end an outcome that was not seen takes its share. */
static double best_t(const uint64_t *pairs, double mean) {
    double low = -1 / (1 - mean);
    double high = 1 / mean;
    double slope = 0;
    if (!pairs[OUTCOMES - 1] && miss(pairs, mean, low, &slope) <= 0)
        return low;
    if (!pairs[0] && miss(pairs, mean, high, &slope) >= 0)
        return high;
    double t = 0;
    for (int i = 0; i < 200; i++) { /* Newton, kept between the ends by halving */
        double off = miss(pairs, mean, t, &slope);
        *(off > 0 ? &low : &high) = t;
        double next = slope < 0 ? t - off / slope : t;
        if (!(next > low && next < high))
            next = (low + high) / 2;
        if (fabs(next - t) <= 1e-14 * (1 + fabs(t)))
            break;
        t = next;
    }
    return t;
}

/* The logarithm of how much less likely the pairs are at best if the mean is this, than with no condition at all; 0 or less. */
static double log_likelihood(const uint64_t *pairs, double mean) {
    double t = best_t(pairs, mean);
    double sum = 0;
    for (int i = 0; i < OUTCOMES; i++)
        if (pairs[i])
            sum -= (double)pairs[i] * log1p(t * (points_of(i) - mean));
    return sum;
}

/* Mean and variance of the points of a pair. A quarter of a pair won and a quarter lost are counted along, which keep the difference finite when all is won and its error above zero when
   all pairs were alike; of the weights tried in simulations this one keeps intervals nearest to 95 % at lopsided scores. */
static void estimate(const uint64_t *pairs, SprtState *state) {
    double count = 0.5;
    double sum = 0.25;
    double squares = 0.25;
    for (int i = 0; i < OUTCOMES; i++) {
        count += (double)pairs[i];
        sum += (double)pairs[i] * points_of(i);
        squares += (double)pairs[i] * points_of(i) * points_of(i);
    }
    double mean = sum / count;
    double variance = squares / count - mean * mean;
    double error = sqrt((variance > 0 ? variance : 0) / count) / (mean * (1 - mean));
    state->elo = log(mean / (1 - mean)) * ELO;
    state->elo_low = state->elo - INTERVAL * error * ELO;
    state->elo_high = state->elo + INTERVAL * error * ELO;
}

/* How likely the new bot is better: the drop of the likelihood at equality, read as the square of a standard error. */
static double superiority_of(const uint64_t *pairs) {
    double balance = 0;
    for (int i = 0; i < OUTCOMES; i++)
        balance += (double)pairs[i] * (points_of(i) - 0.5);
    double drop = -log_likelihood(pairs, 0.5);
    double distance = sqrt(drop > 0 ? drop : 0);
    return erfc(balance > 0 ? -distance : distance) / 2;
}

SprtState sprt_state(const Sprt *sprt) {
    SprtState state = {
        .llr = log_likelihood(sprt->pairs, mean_of(sprt->elo1)) -
               log_likelihood(sprt->pairs, mean_of(sprt->elo0)),
        .lower = log(sprt->beta),
        .upper = -log(sprt->alpha),
        .superiority = superiority_of(sprt->pairs),
    };
    estimate(sprt->pairs, &state);
    if (state.llr >= state.upper)
        state.verdict = SPRT_ACCEPTS_ELO1;
    else if (state.llr <= state.lower)
        state.verdict = SPRT_ACCEPTS_ELO0;
    return state;
}
