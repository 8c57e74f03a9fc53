/* See rating.h.

   A result is split into stages: which bot came first, which of the remaining bots came next, and
   so on. plackett_luce.h has the model of one stage, including ties. It is the only family that is
   Davidson's model for two bots and Plackett and Luce's without ties, treats a tie as evidence of
   equal strength (averaging over the possible orders does not), never rates a bot above one that
   beat it because of a tie, and has a likelihood with a single maximum, so that its intervals are
   meaningful. Each observed tie size has a weight, which is estimated along with the strengths;
   other sizes are assumed to be impossible.

   The prior: each log strength is normally distributed around zero. RATING_PRIOR is worth about an
   eighth of one even match against a bot of known strength; the caller may set another prior. The
   likelihood depends only on differences, so the prior alone determines the level: the mean is
   zero, also within each group of bots that never met another group. A tie weight is normally
   distributed around zero with standard deviation PRIOR_TIE.

   The objective has a single maximum and no flat regions, so Newton's method with shortened steps
   converges from anywhere. The inverse of the information matrix, tie weights included, is the
   covariance. The direction in which all strengths rise together depends only on the prior. It is
   made stiff before factoring, because with large counts it would be lost in rounding errors, and
   is removed from the covariance afterwards, because the mean is zero by definition. */
#include "league/rating.h"

#include "base/memory.h"
#include "league/cholesky.h"
#include "league/plackett_luce.h"
#include "league/results.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double ELO = 173.71779276130073; /* points in one unit of log strength: 400 / ln 10 */
static const double PRIOR_TIE = 5;
static const double INTERVAL = 1.959963984540054; /* standard errors on each side cover 95% */

/* Newton's decrement is the distance to the maximum in standard errors. */
static const double CONVERGED = 1e-7;
/* Below this decrement, full steps are safe and values differ only by rounding. */
static const double CLOSE = 1e-3;
enum { STEPS_MAX = 500, HALVINGS_MAX = 60 };

struct Ratings {
    uint32_t bots;
    double prior_elo;
    Results results;
    uint32_t players_max;
    uint32_t ties; /* number of tie sizes observed */
    uint32_t *tie_sizes;
    double *parameters; /* log strengths, then tie weights; the result of the last fit */
    double *covariance; /* of the log strengths; NULL before the first fit */
    bool stale;         /* results were added after the last fit */
};

Ratings *ratings_new(uint32_t bots) {
    Ratings *ratings = xcalloc(1, sizeof *ratings);
    ratings->bots = bots;
    ratings->prior_elo = RATING_PRIOR;
    ratings->parameters = xcalloc(bots, sizeof *ratings->parameters);
    ratings->stale = true;
    return ratings;
}

void ratings_free(Ratings *ratings) {
    if (!ratings)
        return;
    results_free(&ratings->results);
    free(ratings->tie_sizes);
    free(ratings->parameters);
    free(ratings->covariance);
    free(ratings);
}

void ratings_set_prior(Ratings *ratings, double elo) {
    ratings->prior_elo = elo;
    ratings->stale = true;
}

/* ---- results ---- */

/* How many bots share the rank of the bot at `first`. */
static uint32_t group_size(const Result *result, uint32_t first) {
    uint32_t end = first + 1;
    while (end < result->players && (result->places[end] & PLACE_TIED))
        end++;
    return end - first;
}

/* Makes sure that ties of this size have a parameter. */
static void learn_tie(Ratings *ratings, uint32_t size) {
    uint32_t at = 0;
    while (at < ratings->ties && ratings->tie_sizes[at] < size)
        at++;
    if (at < ratings->ties && ratings->tie_sizes[at] == size)
        return;
    uint32_t behind = ratings->ties - at;
    uint32_t *sizes = xreallocarray(ratings->tie_sizes, ratings->ties + 1, sizeof *sizes);
    double *parameters =
        xreallocarray(ratings->parameters, ratings->bots + ratings->ties + 1, sizeof *parameters);
    double *weights = parameters + ratings->bots;
    memmove(sizes + at + 1, sizes + at, behind * sizeof *sizes);
    memmove(weights + at + 1, weights + at, behind * sizeof *weights);
    sizes[at] = size;
    weights[at] = 0;
    ratings->tie_sizes = sizes;
    ratings->parameters = parameters;
    ratings->ties++;
}

void ratings_add(Ratings *ratings, uint32_t players, const uint32_t *bots, const uint32_t *ranks,
                 uint64_t times) {
    if (players < 2 || !times)
        return; /* nothing to compare */
    for (uint32_t i = 0; i < players; i++)
        assert(bots[i] < ratings->bots);
    const Result *result = results_add(&ratings->results, players, bots, ranks, times);
    for (uint32_t first = 0; first < players; first += group_size(result, first))
        if (group_size(result, first) > 1)
            learn_tie(ratings, group_size(result, first));
    if (players > ratings->players_max)
        ratings->players_max = players;
    ratings->stale = true;
}

/* ---- the maximum ---- */

/* The objective at some parameters: its value (negated: less is better), its gradient (`slope`) and
   the information matrix. */
typedef struct Point {
    size_t size; /* parameters */
    double value;
    double rounding; /* the rounding error of the value */
    double *slope;
    double *information; /* lower triangle */
} Point;

/* The state that is shared while results are added to a point. */
typedef struct Survey {
    const Ratings *ratings;
    const double *parameters;
    TieWeights ties;
    RankingStage *stage;
    double *strengths;   /* of one result's bots, best first */
    double *information; /* among these bots */
    Point *place;
} Survey;

static double *information_at(const Point *place, size_t a, size_t b) {
    return &place->information[a > b ? a * place->size + b : b * place->size + a];
}

/* Adds a stage of a result: of the bots from `first` on, `size` came next. */
static void add_stage(const Survey *survey, const Result *result, uint32_t first, uint32_t size) {
    const RankingStage *stage = survey->stage;
    Point *place = survey->place;
    uint32_t bots = survey->ratings->bots;
    uint32_t left = result->players - first;
    double times = (double)result->times;
    double off = (size - 1.0) / left; /* subtracted from all parts, see plackett_luce.h */
    double others = 0;                /* sum over the other bots than the first */
    for (uint32_t i = 1; i < left; i++)
        others += stage->mean[i];
    place->value += times * stage->log_total;
    place->rounding += times * 1e-15 * (1 + fabs(stage->log_total));
    for (uint32_t i = 0; i < left; i++) {
        double part = (i < size) - off;
        place->value -= times * part * survey->strengths[first + i];
        /* For an unshared first place that was almost certain, the sum over the other bots is more
           precise than 1 minus the first bot's part. */
        double slope = i == 0 && size == 1 ? -others : stage->mean[i] - part;
        place->slope[PLACE_BOT(result->places[first + i])] += times * slope;
        for (uint32_t j = 0; j <= i; j++)
            survey->information[(first + i) * result->players + first + j] +=
                stage->covariance[i * left + j];
    }
    for (uint32_t tie = 0; tie < survey->ties.count; tie++) {
        double share = stage->tie_share[tie];
        bool came = survey->ties.sizes[tie] == size;
        if (came)
            place->value -= times * survey->ties.weights[tie];
        place->slope[bots + tie] += times * (share - came);
        for (uint32_t i = 0; i < left; i++)
            *information_at(place, bots + tie, PLACE_BOT(result->places[first + i])) +=
                times * stage->tie_cross[tie * left + i];
        for (uint32_t other = 0; other <= tie; other++)
            *information_at(place, bots + tie, bots + other) +=
                times * ((other == tie ? share : 0) - share * stage->tie_share[other]);
    }
}

static void add_result(const Survey *survey, const Result *result) {
    uint32_t players = result->players;
    for (uint32_t i = 0; i < players; i++)
        survey->strengths[i] = survey->parameters[PLACE_BOT(result->places[i])];
    memset(survey->information, 0, (size_t)players * players * sizeof *survey->information);
    for (uint32_t first = 0; first + 1 < players;) {
        uint32_t size = group_size(result, first);
        ranking_stage_compute(survey->stage, players - first, survey->strengths + first,
                              &survey->ties);
        add_stage(survey, result, first, size);
        first += size;
    }
    for (uint32_t i = 0; i < players; i++)
        for (uint32_t j = 0; j <= i; j++)
            *information_at(survey->place, PLACE_BOT(result->places[i]),
                            PLACE_BOT(result->places[j])) +=
                (double)result->times * survey->information[i * players + j];
}

/* Evaluates the objective at these parameters: the prior, then all results. */
static void survey_at(const Ratings *ratings, const double *parameters, Point *place) {
    uint32_t bots = ratings->bots;
    memset(place->slope, 0, place->size * sizeof *place->slope);
    memset(place->information, 0, place->size * place->size * sizeof *place->information);
    place->value = place->rounding = 0;
    for (size_t i = 0; i < place->size; i++) {
        double deviation = i < bots ? ratings->prior_elo / ELO : PRIOR_TIE;
        double precision = 1 / (deviation * deviation);
        place->value += parameters[i] * parameters[i] * precision / 2;
        place->slope[i] = parameters[i] * precision;
        place->information[i * place->size + i] = precision;
    }
    uint32_t players = ratings->players_max;
    Survey survey = {
        .ratings = ratings,
        .parameters = parameters,
        .ties = {ratings->ties, ratings->tie_sizes, parameters + bots},
        .stage = ranking_stage_new(players, ratings->ties),
        .strengths = xcalloc(players, sizeof(double)),
        .information = xcalloc((size_t)players * players, sizeof(double)),
        .place = place,
    };
    const Result *result = NULL;
    while ((result = results_next(&ratings->results, result)))
        add_result(&survey, result);
    ranking_stage_free(survey.stage);
    free(survey.strengths);
    free(survey.information);
}

/* Makes the direction in which all strengths rise together as stiff as the others are on average.
   The gradient has no component in that direction, so steps do not change. */
static void stiffen(Point *place, uint32_t bots) {
    double sum = 0;
    for (uint32_t i = 0; i < bots; i++)
        sum += place->information[i * place->size + i];
    double extra = bots ? sum / bots / bots : 0;
    for (uint32_t i = 0; i < bots; i++)
        for (uint32_t j = 0; j <= i; j++)
            place->information[i * place->size + j] += extra;
}

/* Subtracts the mean of the log strengths, which is nonzero only because of rounding. */
static void centre(double *strengths, uint32_t bots) {
    double sum = 0;
    for (uint32_t i = 0; i < bots; i++)
        sum += strengths[i];
    for (uint32_t i = 0; i < bots; i++)
        strengths[i] -= sum / bots;
}

/* Line search: starting from `parameters`, which are evaluated in `place`, takes as much of `step`
   as improves the value. False if no part of it does. */
static bool advance(const Ratings *ratings, double *parameters, const double *step,
                    double decrement, Point *place, double *trial) {
    double before = place->value;
    for (int halvings = 0; halvings < HALVINGS_MAX; halvings++) {
        double length = ldexp(1, -halvings);
        for (size_t i = 0; i < place->size; i++)
            trial[i] = parameters[i] - length * step[i];
        centre(trial, ratings->bots);
        survey_at(ratings, trial, place);
        double enough = before - 1e-4 * length * decrement * decrement + place->rounding;
        if (decrement < CLOSE || place->value <= enough) {
            memcpy(parameters, trial, place->size * sizeof *parameters);
            return true;
        }
    }
    return false;
}

/* Moves `parameters` to the maximum. Leaves the Cholesky factor there in `place->information`. */
static bool climb(const Ratings *ratings, double *parameters, Point *place, double *step,
                  double *trial, Error *error) {
    double previous = INFINITY;
    survey_at(ratings, parameters, place);
    for (int steps = 0; steps < STEPS_MAX; steps++) {
        stiffen(place, ratings->bots);
        if (!cholesky_factor(place->information, place->size))
            return error_set(
                error,
                "the results cannot be rated: some count so much more often than others that "
                "the numbers run out of digits");
        memcpy(step, place->slope, place->size * sizeof *step);
        cholesky_solve(place->information, place->size, step);
        double product = 0;
        for (size_t i = 0; i < place->size; i++)
            product += step[i] * place->slope[i];
        double decrement = sqrt(product > 0 ? product : 0);
        /* Close to the maximum, each step squares the distance. If it does not, only rounding
           errors remain. */
        if (decrement < CONVERGED || (decrement < CLOSE && decrement > previous / 4))
            return true;
        previous = decrement < CLOSE ? decrement : INFINITY;
        if (!advance(ratings, parameters, step, decrement, place, trial))
            break;
    }
    return error_set(error, "the ratings did not converge after %d steps", STEPS_MAX);
}

/* Computes the covariance of the log strengths relative to their mean from the covariance of all
   parameters, removing the common direction. */
static void centre_covariance(const double *whole, size_t size, double *covariance, uint32_t bots) {
    double *means = xcalloc(bots, sizeof *means);
    double total = 0;
    for (uint32_t i = 0; i < bots; i++) {
        for (uint32_t j = 0; j < bots; j++)
            means[i] += whole[i * size + j] / bots;
        total += means[i] / bots;
    }
    for (uint32_t i = 0; i < bots; i++)
        for (uint32_t j = 0; j < bots; j++)
            covariance[(size_t)i * bots + j] = whole[i * size + j] - means[i] - means[j] + total;
    free(means);
}

bool ratings_fit(Ratings *ratings, Error *error) {
    if (!ratings->stale)
        return true;
    size_t size = (size_t)ratings->bots + ratings->ties;
    Point place = {
        .size = size,
        .slope = xcalloc(size, sizeof(double)),
        .information = xcalloc(size * size, sizeof(double)),
    };
    double *parameters = xcalloc(size, sizeof(double));
    double *step = xcalloc(size * 2, sizeof(double));
    memcpy(parameters, ratings->parameters, size * sizeof *parameters);
    bool settled = climb(ratings, parameters, &place, step, step + size, error);
    if (settled) {
        double *scratch = xcalloc(size * size, sizeof(double));
        double *whole = xcalloc(size * size, sizeof(double));
        cholesky_invert(place.information, size, scratch, whole);
        if (!ratings->covariance)
            ratings->covariance = xcalloc((size_t)ratings->bots * ratings->bots, sizeof(double));
        centre_covariance(whole, size, ratings->covariance, ratings->bots);
        memcpy(ratings->parameters, parameters, size * sizeof *parameters);
        ratings->stale = false;
        free(scratch);
        free(whole);
    }
    free(place.slope);
    free(place.information);
    free(parameters);
    free(step);
    return settled;
}

/* ---- results of the fit ---- */

static double covariance_of(const Ratings *ratings, uint32_t a, uint32_t b) {
    assert(ratings->covariance && a < ratings->bots && b < ratings->bots);
    return ratings->covariance[(size_t)a * ratings->bots + b];
}

static double difference_variance(const Ratings *ratings, uint32_t a, uint32_t b) {
    double variance = covariance_of(ratings, a, a) + covariance_of(ratings, b, b) -
                      2 * covariance_of(ratings, a, b);
    return variance > 0 ? variance : 0;
}

double ratings_elo(const Ratings *ratings, uint32_t bot) {
    assert(bot < ratings->bots);
    return ratings->parameters[bot] * ELO;
}

double ratings_error(const Ratings *ratings, uint32_t bot) {
    double variance = covariance_of(ratings, bot, bot);
    return variance > 0 ? INTERVAL * sqrt(variance) * ELO : 0;
}

double ratings_superiority(const Ratings *ratings, uint32_t a, uint32_t b) {
    if (a == b)
        return 0.5;
    double difference = ratings->parameters[a] - ratings->parameters[b];
    double variance = difference_variance(ratings, a, b);
    if (variance <= 0)
        return difference > 0 ? 1 : difference < 0 ? 0 : 0.5;
    return erfc(-difference / sqrt(2 * variance)) / 2;
}

/* The expected outcome of a match of two. */
typedef struct Odds {
    double win;
    double draw;
    double loss;
} Odds;

static Odds odds_of(const Ratings *ratings, uint32_t a, uint32_t b) {
    double half = (ratings->parameters[a] - ratings->parameters[b]) / 2;
    double largest = fabs(half);
    bool draws = ratings->ties && ratings->tie_sizes[0] == 2;
    double win = exp(half - largest);
    double loss = exp(-half - largest);
    double draw = draws ? exp(ratings->parameters[ratings->bots] - largest) : 0;
    double total = win + draw + loss;
    return (Odds){win / total, draw / total, loss / total};
}

double ratings_expected(const Ratings *ratings, uint32_t a, uint32_t b) {
    Odds odds = odds_of(ratings, a, b);
    return odds.win + odds.draw / 2;
}

double ratings_information_gain(const Ratings *ratings, uint32_t a, uint32_t b) {
    if (a == b)
        return 0;
    /* A match adds information on the difference. This is a rank-one update of the matrix, and thus
       of its inverse, which decreases the sum of all variances. */
    Odds odds = odds_of(ratings, a, b);
    double information = (odds.win + odds.loss) * odds.draw / 4 + odds.win * odds.loss;
    double reach = 0;
    for (uint32_t i = 0; i < ratings->bots; i++) {
        double shift = covariance_of(ratings, a, i) - covariance_of(ratings, b, i);
        reach += shift * shift;
    }
    return information * reach / (1 + information * difference_variance(ratings, a, b));
}
