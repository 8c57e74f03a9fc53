/* Ratings: closed forms, invariances, and comparison with the reference model. */
#include "league/rating.h"

#include "league/cholesky.h"
#include "league/results.h"
#include "reference.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SEED = 4711 };

static void assert_near(double found, double expected, double tolerance) {
    if (!(fabs(found - expected) <= tolerance))
        fail_msg("found %.9g, expected %.9g (within %g)", found, expected, tolerance);
}

static void add_pair(Ratings *ratings, uint32_t a, uint32_t b, uint64_t wins, uint64_t draws,
                     uint64_t losses) {
    const uint32_t bots[] = {a, b};
    ratings_add(ratings, 2, bots, (const uint32_t[]){1, 2}, wins);
    ratings_add(ratings, 2, bots, (const uint32_t[]){1, 1}, draws);
    ratings_add(ratings, 2, bots, (const uint32_t[]){2, 1}, losses);
}

static void fit(Ratings *ratings) {
    Error error = {0};
    if (!ratings_fit(ratings, &error))
        fail_msg("%s", error.text);
}

static double standard_error(const Ratings *ratings, uint32_t bot) {
    return ratings_error(ratings, bot) / 1.959963984540054 / REFERENCE_ELO;
}

static double probability_below(double deviations) {
    return erfc(-deviations / sqrt(2)) / 2;
}

/* ---- closed forms ---- */

static void two_bots_differ_by_the_logarithm_of_their_wins(void **unused) {
    (void)unused;
    Ratings *ratings = ratings_new(2);
    add_pair(ratings, 0, 1, 700000, 0, 300000);
    fit(ratings);
    double difference = 400 * log10(7.0 / 3);
    assert_near(ratings_elo(ratings, 0), difference / 2, 1e-3);
    assert_near(ratings_elo(ratings, 1), -difference / 2, 1e-3);
    /* The difference has variance 1 / (n p q), each bot half the difference. */
    assert_near(standard_error(ratings, 0), 0.5 / sqrt(1e6 * 0.7 * 0.3), 1e-8);
    assert_near(ratings_expected(ratings, 0, 1), 0.7, 1e-6);
    assert_near(ratings_expected(ratings, 1, 0), 0.3, 1e-6);
    ratings_free(ratings);
}

static void draws_do_not_change_the_difference_of_two_bots(void **unused) {
    (void)unused;
    Ratings *ratings = ratings_new(2);
    add_pair(ratings, 0, 1, 500000, 400000, 100000);
    fit(ratings);
    assert_near(ratings_elo(ratings, 0) - ratings_elo(ratings, 1), 400 * log10(5), 1e-3);
    /* Three outcomes, two parameters: the logarithm of wins / losses has variance 1/W + 1/L. */
    double deviation = sqrt(1 / 5e5 + 1 / 1e5);
    assert_near(standard_error(ratings, 1), deviation / 2, 1e-7);
    assert_near(ratings_expected(ratings, 0, 1), 0.7, 1e-6);
    ratings_free(ratings);
}

static void superiority_follows_from_the_difference_in_standard_errors(void **unused) {
    (void)unused;
    Ratings *ratings = ratings_new(2);
    add_pair(ratings, 0, 1, 50600, 0, 50000);
    fit(ratings);
    double deviations = log(50600.0 / 50000) / sqrt(1 / 50600.0 + 1 / 50000.0);
    assert_near(ratings_superiority(ratings, 0, 1), probability_below(deviations), 1e-5);
    assert_near(ratings_superiority(ratings, 1, 0), probability_below(-deviations), 1e-5);
    assert_true(ratings_superiority(ratings, 0, 0) == 0.5);
    ratings_free(ratings);
}

static void three_bots_in_a_cycle_are_equal(void **unused) {
    (void)unused;
    Ratings *ratings = ratings_new(3);
    for (uint32_t i = 0; i < 3; i++)
        add_pair(ratings, i, (i + 1) % 3, 30, 5, 10);
    fit(ratings);
    for (uint32_t i = 0; i < 3; i++) {
        assert_near(ratings_elo(ratings, i), 0, 1e-9);
        assert_near(ratings_error(ratings, i), ratings_error(ratings, 0), 1e-9);
    }
    assert_near(ratings_superiority(ratings, 0, 2), 0.5, 1e-9);
    ratings_free(ratings);
}

static void in_a_chain_differences_and_variances_add_up(void **unused) {
    (void)unused;
    Ratings *ratings = ratings_new(3);
    add_pair(ratings, 0, 1, 75000, 0, 25000);
    add_pair(ratings, 1, 2, 75000, 0, 25000);
    fit(ratings);
    double step = 400 * log10(3);
    assert_near(ratings_elo(ratings, 0), step, 0.01);
    assert_near(ratings_elo(ratings, 1), 0, 0.01);
    assert_near(ratings_elo(ratings, 2), -step, 0.01);
    /* If u and v are the two differences, each with variance w, the first strength is (2u + v) / 3
       and the middle one (v - u) / 3. */
    double variance = 1 / (1e5 * 0.75 * 0.25);
    assert_near(standard_error(ratings, 0), sqrt(variance * 5 / 9), 1e-6);
    assert_near(standard_error(ratings, 1), sqrt(variance * 2 / 9), 1e-6);
    ratings_free(ratings);
}

/* Calls `visit` with every ranking of four bots, including ties. */
static void every_ranking(void (*visit)(const uint32_t *ranks, void *context), void *context) {
    for (uint32_t code = 0; code < 256; code++) {
        uint32_t ranks[4];
        uint32_t seen = 0;
        for (uint32_t i = 0; i < 4; i++) {
            ranks[i] = 1 + (code >> 2 * i & 3);
            seen |= 1U << ranks[i];
        }
        if (((seen >> 1) & ((seen >> 1) + 1)) == 0) /* 1, 2, ... without a gap */
            visit(ranks, context);
    }
}

typedef struct Average {
    Ratings *ratings;
    const double *strengths;
    const double *tie_weights;
} Average;

static void add_average(const uint32_t *ranks, void *context) {
    const Average *average = context;
    static const uint32_t bots[] = {0, 1, 2, 3};
    double chance = exp(reference_log(4, average->strengths, ranks, average->tie_weights));
    ratings_add(average->ratings, 4, bots, ranks, (uint64_t)llround(chance * 1e10));
}

static void assert_average_is_found(const double *tie_weights) {
    static const double strengths[] = {1.2, 0.4, -0.3, -1.3};
    Average average = {ratings_new(4), strengths, tie_weights};
    every_ranking(add_average, &average);
    fit(average.ratings);
    for (uint32_t i = 0; i < 4; i++)
        assert_near(ratings_elo(average.ratings, i), strengths[i] * REFERENCE_ELO, 1e-3);
    ratings_free(average.ratings);
}

static void expected_plackett_luce_results_give_the_true_strengths(void **unused) {
    (void)unused;
    static const double tie_weights[] = {0, 0, -INFINITY, -INFINITY, -INFINITY};
    assert_average_is_found(tie_weights);
}

static void expected_results_with_ties_give_the_true_strengths(void **unused) {
    (void)unused;
    static const double tie_weights[] = {0, 0, -0.5, -1.1, 0.3};
    assert_average_is_found(tie_weights);
}

static void expected_results_of_strengths_2_1_1_give_these_strengths(void **unused) {
    (void)unused;
    Ratings *ratings = ratings_new(3);
    static const uint32_t bots[] = {0, 1, 2};
    static const uint32_t rankings[6][3] = {{1, 2, 3}, {1, 3, 2}, {2, 1, 3},
                                            {3, 1, 2}, {2, 3, 1}, {3, 2, 1}};
    /* Strengths 2, 1, 1: P(0 first) = 1/2; P(1, 0, 2) = 1/4 x 2/3; P(1, 2, 0) = 1/4 x 1/3. */
    static const uint64_t times[6] = {300000, 300000, 200000, 100000, 200000, 100000};
    for (int i = 0; i < 6; i++)
        ratings_add(ratings, 3, bots, rankings[i], times[i]);
    fit(ratings);
    assert_near(ratings_elo(ratings, 0) - ratings_elo(ratings, 1), 400 * log10(2), 1e-3);
    assert_near(ratings_elo(ratings, 1), ratings_elo(ratings, 2), 1e-6);
    ratings_free(ratings);
}

/* ---- comparison with the reference ---- */

enum { LEAGUE_BOTS = 6, LEAGUE_RESULTS = 60, LEAGUE_PARAMETERS = LEAGUE_BOTS + 4 };

typedef struct League {
    uint32_t players[LEAGUE_RESULTS];
    uint32_t bots[LEAGUE_RESULTS][LEAGUE_BOTS];
    uint32_t ranks[LEAGUE_RESULTS][LEAGUE_BOTS];
    bool tie_seen[REFERENCE_PLAYERS];
} League;

/* Draws matches of two to six bots, with ties of two to five. */
static void draw_league(League *league, Random *random) {
    static const double tie_weights[] = {0, 0, 0.2, 0, 0.1, -0.2, -INFINITY};
    memset(league, 0, sizeof *league);
    for (int r = 0; r < LEAGUE_RESULTS; r++) {
        uint32_t *bots = league->bots[r];
        league->players[r] = 2 + random_below(random, LEAGUE_BOTS - 1);
        for (uint32_t i = 0; i < LEAGUE_BOTS; i++) {
            uint32_t j = random_below(random, i + 1);
            bots[i] = bots[j];
            bots[j] = i;
        }
        double strengths[REFERENCE_PLAYERS] = {0};
        for (uint32_t i = 0; i < league->players[r]; i++)
            strengths[i] = 0.4 * bots[i];
        reference_draw(random, league->players[r], strengths, tie_weights, league->ranks[r]);
        for (uint32_t i = 0; i < league->players[r]; i++) {
            uint32_t tied = 0;
            for (uint32_t j = 0; j < league->players[r]; j++)
                tied += league->ranks[r][j] == league->ranks[r][i];
            league->tie_seen[tied] = true;
        }
    }
}

static Ratings *rate_league(const League *league) {
    Ratings *ratings = ratings_new(LEAGUE_BOTS);
    for (int r = 0; r < LEAGUE_RESULTS; r++)
        ratings_add(ratings, league->players[r], league->bots[r], league->ranks[r], 1);
    fit(ratings);
    return ratings;
}

/* Prior and likelihood as documented. Parameters: strengths, then the weights of ties of 2, 3, 4
   and 5. */
static double log_posterior(const League *league, const double *parameters) {
    double tie_weights[REFERENCE_PLAYERS + 1] = {0};
    double sum = 0;
    for (uint32_t i = 0; i < LEAGUE_BOTS; i++)
        sum -= pow(parameters[i] * REFERENCE_ELO / 1000, 2) / 2;
    for (uint32_t size = 2; size <= REFERENCE_PLAYERS; size++)
        tie_weights[size] = -INFINITY;
    for (uint32_t size = 2; size < 6; size++) {
        if (league->tie_seen[size])
            tie_weights[size] = parameters[LEAGUE_BOTS + size - 2];
        sum -= pow(parameters[LEAGUE_BOTS + size - 2] / 5, 2) / 2;
    }
    for (int r = 0; r < LEAGUE_RESULTS; r++) {
        double strengths[REFERENCE_PLAYERS] = {0};
        for (uint32_t i = 0; i < league->players[r]; i++)
            strengths[i] = parameters[league->bots[r][i]];
        sum += reference_log(league->players[r], strengths, league->ranks[r], tie_weights);
    }
    return sum;
}

static double slope_of(const League *league, const double *at, int parameter) {
    static const double width = 1e-4;
    double moved[LEAGUE_PARAMETERS];
    memcpy(moved, at, sizeof moved);
    moved[parameter] = at[parameter] + width;
    double above = log_posterior(league, moved);
    moved[parameter] = at[parameter] - width;
    return (above - log_posterior(league, moved)) / (2 * width);
}

/* Inverts the negative Hessian by elimination. */
static void invert_curvature(const League *league, const double *at,
                             double inverse[LEAGUE_PARAMETERS][LEAGUE_PARAMETERS]) {
    static const double width = 1e-3;
    double rows[LEAGUE_PARAMETERS][2 * LEAGUE_PARAMETERS] = {{0}};
    for (int i = 0; i < LEAGUE_PARAMETERS; i++) {
        double moved[LEAGUE_PARAMETERS];
        memcpy(moved, at, sizeof moved);
        for (int j = 0; j < LEAGUE_PARAMETERS; j++) {
            moved[i] = at[i] + width;
            double above = slope_of(league, moved, j);
            moved[i] = at[i] - width;
            rows[i][j] = (slope_of(league, moved, j) - above) / (2 * width);
        }
        rows[i][LEAGUE_PARAMETERS + i] = 1;
    }
    for (int pivot = 0; pivot < LEAGUE_PARAMETERS; pivot++) {
        double scale = rows[pivot][pivot];
        for (int j = 0; j < 2 * LEAGUE_PARAMETERS; j++)
            rows[pivot][j] /= scale;
        for (int i = 0; i < LEAGUE_PARAMETERS; i++) {
            double factor = i == pivot ? 0 : rows[i][pivot];
            for (int j = 0; j < 2 * LEAGUE_PARAMETERS; j++)
                rows[i][j] -= factor * rows[pivot][j];
        }
    }
    for (int i = 0; i < LEAGUE_PARAMETERS; i++)
        memcpy(inverse[i], rows[i] + LEAGUE_PARAMETERS, sizeof inverse[i]);
}

/* The fitted strengths, and the tie weights that fit them best. */
static void find_parameters(const League *league, const Ratings *ratings, double *parameters) {
    memset(parameters, 0, LEAGUE_PARAMETERS * sizeof *parameters);
    for (uint32_t i = 0; i < LEAGUE_BOTS; i++)
        parameters[i] = ratings_elo(ratings, i) / REFERENCE_ELO;
    for (int round = 0; round < 200; round++)
        for (int tie = LEAGUE_BOTS; tie < LEAGUE_PARAMETERS; tie++) {
            double slope = slope_of(league, parameters, tie);
            parameters[tie] += 1e-3;
            double curvature = (slope_of(league, parameters, tie) - slope) / 1e-3;
            parameters[tie] -= 1e-3 + slope / curvature;
        }
}

static void the_gradient_is_zero_at_the_fit(void **unused) {
    (void)unused;
    Random random = random_seeded(SEED);
    for (int round = 0; round < 3; round++) {
        League league;
        double parameters[LEAGUE_PARAMETERS];
        draw_league(&league, &random);
        Ratings *ratings = rate_league(&league);
        find_parameters(&league, ratings, parameters);
        for (int i = 0; i < LEAGUE_PARAMETERS; i++)
            assert_near(slope_of(&league, parameters, i), 0, 1e-5);
        ratings_free(ratings);
    }
}

static void intervals_and_comparisons_follow_from_the_curvature_at_the_fit(void **unused) {
    (void)unused;
    Random random = random_seeded(SEED + 1);
    League league;
    double parameters[LEAGUE_PARAMETERS];
    double inverse[LEAGUE_PARAMETERS][LEAGUE_PARAMETERS];
    draw_league(&league, &random);
    Ratings *ratings = rate_league(&league);
    find_parameters(&league, ratings, parameters);
    invert_curvature(&league, parameters, inverse);
    for (uint32_t i = 0; i < LEAGUE_BOTS; i++) {
        /* The variance of a strength minus the mean of all. */
        double variance = inverse[i][i];
        for (uint32_t j = 0; j < LEAGUE_BOTS; j++) {
            variance -= 2 * inverse[i][j] / LEAGUE_BOTS;
            for (uint32_t k = 0; k < LEAGUE_BOTS; k++)
                variance += inverse[j][k] / LEAGUE_BOTS / LEAGUE_BOTS;
        }
        assert_near(standard_error(ratings, i), sqrt(variance), 1e-5);
        for (uint32_t j = 0; j < LEAGUE_BOTS; j++) {
            if (j == i)
                continue;
            double deviation = sqrt(inverse[i][i] + inverse[j][j] - 2 * inverse[i][j]);
            assert_near(ratings_superiority(ratings, i, j),
                        probability_below((parameters[i] - parameters[j]) / deviation), 1e-5);
        }
    }
    ratings_free(ratings);
}

/* ---- invariances ---- */

static void assert_same(const Ratings *a, const Ratings *b, const uint32_t *renamed) {
    for (uint32_t i = 0; i < LEAGUE_BOTS; i++) {
        uint32_t other = renamed ? renamed[i] : i;
        assert_near(ratings_elo(a, i), ratings_elo(b, other), 1e-7);
        assert_near(ratings_error(a, i), ratings_error(b, other), 1e-7);
    }
}

static void the_order_of_adding_does_not_matter(void **unused) {
    (void)unused;
    Random random = random_seeded(SEED + 2);
    League league;
    draw_league(&league, &random);
    Ratings *forward = rate_league(&league);
    Ratings *backward = ratings_new(LEAGUE_BOTS);
    for (int r = LEAGUE_RESULTS; r-- > 0;) {
        ratings_add(backward, league.players[r], league.bots[r], league.ranks[r], 1);
        if (r % 7 == 0) /* also with fits in between */
            fit(backward);
    }
    fit(backward);
    assert_same(forward, backward, NULL);
    ratings_free(forward);
    ratings_free(backward);
}

static void names_and_seats_do_not_matter(void **unused) {
    (void)unused;
    static const uint32_t renamed[LEAGUE_BOTS] = {3, 5, 0, 4, 1, 2};
    Random random = random_seeded(SEED + 3);
    League league;
    draw_league(&league, &random);
    Ratings *plain = rate_league(&league);
    Ratings *other = ratings_new(LEAGUE_BOTS);
    for (int r = 0; r < LEAGUE_RESULTS; r++) {
        uint32_t bots[LEAGUE_BOTS];
        uint32_t ranks[LEAGUE_BOTS];
        uint32_t players = league.players[r];
        for (uint32_t i = 0; i < players; i++) {
            bots[i] = renamed[league.bots[r][players - 1 - i]];
            ranks[i] = league.ranks[r][players - 1 - i];
        }
        ratings_add(other, players, bots, ranks, 1);
    }
    fit(other);
    assert_same(plain, other, renamed);
    ratings_free(plain);
    ratings_free(other);
}

static void a_result_added_n_times_is_n_results(void **unused) {
    (void)unused;
    Random random = random_seeded(SEED + 4);
    League league;
    draw_league(&league, &random);
    Ratings *at_once = ratings_new(LEAGUE_BOTS);
    Ratings *one_by_one = ratings_new(LEAGUE_BOTS);
    for (int r = 0; r < LEAGUE_RESULTS; r++) {
        ratings_add(at_once, league.players[r], league.bots[r], league.ranks[r], 5);
        for (int i = 0; i < 5; i++)
            ratings_add(one_by_one, league.players[r], league.bots[r], league.ranks[r], 1);
    }
    fit(at_once);
    fit(one_by_one);
    assert_same(at_once, one_by_one, NULL);
    ratings_free(at_once);
    ratings_free(one_by_one);
}

static void equal_results_are_stored_once(void **unused) {
    (void)unused;
    Results results = {0};
    results_add(&results, 3, (const uint32_t[]){7, 8, 9}, (const uint32_t[]){1, 1, 3}, 2);
    results_add(&results, 3, (const uint32_t[]){9, 8, 7}, (const uint32_t[]){2, 1, 1}, 3);
    assert_int_equal(results.count, 1);
    const Result *only = results_next(&results, NULL);
    assert_true(only->times == 5);
    assert_int_equal(only->places[0], 7);
    assert_int_equal(only->places[1], 8 | PLACE_TIED);
    assert_int_equal(only->places[2], 9);
    assert_null(results_next(&results, only));
    results_add(&results, 3, (const uint32_t[]){7, 8, 9}, (const uint32_t[]){1, 2, 3}, 1);
    results_add(&results, 2, (const uint32_t[]){7, 8}, (const uint32_t[]){1, 1}, 1);
    assert_int_equal(results.count, 3);
    results_add(&results, 2, (const uint32_t[]){8, 7}, (const uint32_t[]){4, 4}, UINT64_MAX);
    assert_int_equal(results.count, 3);
    only = results_add(&results, 2, (const uint32_t[]){8, 7}, (const uint32_t[]){4, 4}, 2);
    assert_true(only->times == UINT64_MAX); /* saturated, not overflowed */
    results_free(&results);
}

/* ---- extreme data ---- */

static void bots_that_won_or_lost_everything_have_finite_ratings_in_order(void **unused) {
    (void)unused;
    Ratings *ratings = ratings_new(4);
    add_pair(ratings, 0, 1, 10, 0, 0);
    add_pair(ratings, 1, 2, 10, 0, 0);
    add_pair(ratings, 2, 3, 1000000000, 0, 0);
    fit(ratings);
    for (uint32_t i = 0; i < 4; i++) {
        assert_true(isfinite(ratings_elo(ratings, i)) && fabs(ratings_elo(ratings, i)) < 10000);
        assert_true(ratings_error(ratings, i) > 0 && ratings_error(ratings, i) < 10000);
    }
    for (uint32_t i = 0; i < 3; i++) {
        assert_true(ratings_elo(ratings, i) > ratings_elo(ratings, i + 1) + 100);
        assert_true(ratings_superiority(ratings, i, i + 1) > 0.8);
    }
    ratings_free(ratings);
}

static void more_wins_without_a_loss_rate_higher(void **unused) {
    (void)unused;
    double before = 0;
    for (uint64_t wins = 1; wins < UINT64_MAX / 20; wins *= 10) {
        Ratings *ratings = ratings_new(2);
        add_pair(ratings, 0, 1, wins, 0, 0);
        fit(ratings);
        assert_true(ratings_elo(ratings, 0) > before + 20);
        before = ratings_elo(ratings, 0);
        ratings_free(ratings);
    }
}

static void only_draws_give_equal_finite_ratings(void **unused) {
    (void)unused;
    Ratings *ratings = ratings_new(3);
    add_pair(ratings, 0, 1, 0, 100, 0);
    ratings_add(ratings, 3, (const uint32_t[]){0, 1, 2}, (const uint32_t[]){1, 1, 1}, 100);
    fit(ratings);
    for (uint32_t i = 0; i < 3; i++) {
        assert_near(ratings_elo(ratings, i), 0, 1e-6);
        assert_true(ratings_error(ratings, i) < 1900);
    }
    assert_near(ratings_expected(ratings, 0, 1), 0.5, 1e-9);
    ratings_free(ratings);
}

static void groups_that_never_met_have_mean_zero_and_large_errors(void **unused) {
    (void)unused;
    Ratings *ratings = ratings_new(5);
    add_pair(ratings, 0, 1, 75000, 0, 25000);
    add_pair(ratings, 2, 3, 90000, 0, 10000); /* 4 never played */
    fit(ratings);
    assert_near(ratings_elo(ratings, 0), 200 * log10(3), 0.1);
    assert_near(ratings_elo(ratings, 1), -200 * log10(3), 0.1);
    assert_near(ratings_elo(ratings, 2), 200 * log10(9), 0.1);
    assert_near(ratings_elo(ratings, 4), 0, 1e-6);
    assert_true(ratings_superiority(ratings, 0, 1) > 0.9999);
    assert_true(ratings_superiority(ratings, 2, 1) < 0.75);
    assert_true(ratings_error(ratings, 0) > 500);
    ratings_free(ratings);
}

static void without_results_ratings_are_zero_with_the_error_of_the_prior(void **unused) {
    (void)unused;
    Ratings *ratings = ratings_new(4);
    fit(ratings);
    for (uint32_t i = 0; i < 4; i++) {
        assert_near(ratings_elo(ratings, i), 0, 1e-9);
        assert_near(ratings_error(ratings, i), 1.96 * 1000 * sqrt(0.75), 0.1);
    }
    assert_near(ratings_superiority(ratings, 0, 1), 0.5, 1e-9);
    ratings_free(ratings);
    ratings = ratings_new(1);
    fit(ratings);
    assert_near(ratings_elo(ratings, 0), 0, 1e-9);
    assert_near(ratings_error(ratings, 0), 0, 1e-3);
    ratings_free(ratings);
}

static void very_large_counts_are_rated(void **unused) {
    (void)unused;
    Ratings *ratings = ratings_new(3);
    add_pair(ratings, 0, 1, 3000000000000000000U, 1000000000000000000U, 1000000000000000000U);
    add_pair(ratings, 1, 2, 3000000000000000000U, 1000000000000000000U, 1000000000000000000U);
    add_pair(ratings, 2, 0, UINT64_MAX, 0, UINT64_MAX);
    fit(ratings);
    assert_true(ratings_elo(ratings, 0) > ratings_elo(ratings, 1));
    assert_true(ratings_elo(ratings, 1) > ratings_elo(ratings, 2));
    ratings_free(ratings);
}

/* Groups that never met, with so many matches each that the prior is lost in rounding: rated or
   rejected with an error, but never wrong. */
static void counts_beyond_the_precision_are_rated_or_rejected(void **unused) {
    (void)unused;
    Ratings *ratings = ratings_new(6);
    Error error = {0};
    for (uint32_t i = 0; i < 6; i += 3) {
        add_pair(ratings, i, i + 1, UINT64_MAX / 2, 0, UINT64_MAX / 3);
        add_pair(ratings, i + 1, i + 2, UINT64_MAX / 2, 0, UINT64_MAX / 3);
    }
    if (ratings_fit(ratings, &error))
        assert_near(ratings_elo(ratings, 0) - ratings_elo(ratings, 1), 400 * log10(1.5), 1e-3);
    else
        assert_non_null(strstr(error.text, "run out of digits"));
    ratings_free(ratings);
}

static void a_match_of_sixty_four_with_a_tie_of_forty_is_rated(void **unused) {
    (void)unused;
    Ratings *ratings = ratings_new(64);
    uint32_t bots[64];
    uint32_t ranks[64];
    for (uint32_t i = 0; i < 64; i++) {
        bots[i] = i;
        ranks[i] = i < 12 ? i + 1 : i < 52 ? 13 : i + 1;
    }
    ratings_add(ratings, 64, bots, ranks, 1);
    fit(ratings);
    for (uint32_t i = 1; i < 64; i++) {
        bool tied = i > 12 && i < 52;
        if (tied)
            assert_near(ratings_elo(ratings, i), ratings_elo(ratings, 12), 1e-6);
        else
            assert_true(ratings_elo(ratings, i - 1) > ratings_elo(ratings, i));
    }
    ratings_free(ratings);
}

static void single_player_results_and_zero_counts_have_no_effect(void **unused) {
    (void)unused;
    Ratings *ratings = ratings_new(2);
    ratings_add(ratings, 1, (const uint32_t[]){0}, (const uint32_t[]){1}, 5);
    ratings_add(ratings, 2, (const uint32_t[]){0, 1}, (const uint32_t[]){1, 2}, 0);
    fit(ratings);
    assert_near(ratings_elo(ratings, 0), 0, 1e-9);
    ratings_free(ratings);
    ratings_free(NULL);
}

/* ---- information gain ---- */

/* The sum of all variances. */
static double total_variance(const Ratings *ratings, uint32_t bots) {
    double sum = 0;
    for (uint32_t i = 0; i < bots; i++)
        sum += standard_error(ratings, i) * standard_error(ratings, i);
    return sum;
}

static void the_expected_information_gain_is_achieved(void **unused) {
    (void)unused;
    Ratings *ratings = ratings_new(3);
    add_pair(ratings, 0, 1, 300, 0, 100);
    add_pair(ratings, 1, 2, 200, 0, 200);
    fit(ratings);
    double before = total_variance(ratings, 3);
    double promise = ratings_information_gain(ratings, 0, 1);
    assert_near(ratings_information_gain(ratings, 1, 0), promise, 1e-15);
    assert_true(ratings_information_gain(ratings, 1, 1) == 0);
    add_pair(ratings, 0, 1, 3, 0, 1); /* four more, with the expected result */
    fit(ratings);
    assert_near((before - total_variance(ratings, 3)) / 4 / promise, 1, 0.02);
    ratings_free(ratings);
}

static void unknown_and_equal_opponents_have_the_highest_information_gain(void **unused) {
    (void)unused;
    Ratings *ratings = ratings_new(4);
    add_pair(ratings, 0, 1, 50, 0, 50);
    add_pair(ratings, 1, 2, 99, 0, 1);
    fit(ratings);
    assert_true(ratings_information_gain(ratings, 1, 3) >
                10 * ratings_information_gain(ratings, 0, 1));
    assert_true(ratings_information_gain(ratings, 0, 2) > 0);
    Ratings *even = ratings_new(3);
    add_pair(even, 0, 1, 9000, 0, 1000);
    add_pair(even, 2, 0, 5, 0, 5); /* as strong as 0, with few matches */
    fit(even);
    assert_true(ratings_information_gain(even, 2, 0) > ratings_information_gain(even, 2, 1));
    assert_true(ratings_information_gain(even, 2, 1) > ratings_information_gain(even, 0, 1));
    ratings_free(ratings);
    ratings_free(even);
}

/* ---- the matrix ---- */

static void a_matrix_times_its_inverse_is_the_identity(void **unused) {
    (void)unused;
    enum { SIZE = 37 };
    static double matrix[SIZE * SIZE];
    static double factor[SIZE * SIZE];
    static double scratch[SIZE * SIZE];
    static double inverse[SIZE * SIZE];
    Random random = random_seeded(SEED + 5);
    for (int i = 0; i < SIZE * SIZE; i++)
        scratch[i] = reference_normal(&random);
    for (int i = 0; i < SIZE; i++)
        for (int j = 0; j < SIZE; j++)
            for (int k = 0; k < SIZE; k++)
                matrix[i * SIZE + j] += scratch[i * SIZE + k] * scratch[j * SIZE + k];
    memcpy(factor, matrix, sizeof factor);
    assert_true(cholesky_factor(factor, SIZE));
    cholesky_invert(factor, SIZE, scratch, inverse);
    double solved[SIZE] = {0};
    solved[3] = 1;
    cholesky_solve(factor, SIZE, solved);
    for (int i = 0; i < SIZE; i++) {
        assert_near(solved[i], inverse[i * SIZE + 3], 1e-8);
        for (int j = 0; j < SIZE; j++) {
            double sum = 0;
            for (int k = 0; k < SIZE; k++)
                sum += matrix[i * SIZE + k] * inverse[k * SIZE + j];
            assert_near(sum, i == j, 1e-8);
        }
    }
    double indefinite[4] = {1, 0, 2, 1};
    assert_false(cholesky_factor(indefinite, 2));
}

int main(void) {
    printf("seed %d\n", SEED);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_bots_differ_by_the_logarithm_of_their_wins),
        cmocka_unit_test(draws_do_not_change_the_difference_of_two_bots),
        cmocka_unit_test(superiority_follows_from_the_difference_in_standard_errors),
        cmocka_unit_test(three_bots_in_a_cycle_are_equal),
        cmocka_unit_test(in_a_chain_differences_and_variances_add_up),
        cmocka_unit_test(expected_plackett_luce_results_give_the_true_strengths),
        cmocka_unit_test(expected_results_with_ties_give_the_true_strengths),
        cmocka_unit_test(expected_results_of_strengths_2_1_1_give_these_strengths),
        cmocka_unit_test(the_gradient_is_zero_at_the_fit),
        cmocka_unit_test(intervals_and_comparisons_follow_from_the_curvature_at_the_fit),
        cmocka_unit_test(the_order_of_adding_does_not_matter),
        cmocka_unit_test(names_and_seats_do_not_matter),
        cmocka_unit_test(a_result_added_n_times_is_n_results),
        cmocka_unit_test(equal_results_are_stored_once),
        cmocka_unit_test(bots_that_won_or_lost_everything_have_finite_ratings_in_order),
        cmocka_unit_test(more_wins_without_a_loss_rate_higher),
        cmocka_unit_test(only_draws_give_equal_finite_ratings),
        cmocka_unit_test(groups_that_never_met_have_mean_zero_and_large_errors),
        cmocka_unit_test(without_results_ratings_are_zero_with_the_error_of_the_prior),
        cmocka_unit_test(very_large_counts_are_rated),
        cmocka_unit_test(counts_beyond_the_precision_are_rated_or_rejected),
        cmocka_unit_test(a_match_of_sixty_four_with_a_tie_of_forty_is_rated),
        cmocka_unit_test(single_player_results_and_zero_counts_have_no_effect),
        cmocka_unit_test(the_expected_information_gain_is_achieved),
        cmocka_unit_test(unknown_and_equal_opponents_have_the_highest_information_gain),
        cmocka_unit_test(a_matrix_times_its_inverse_is_the_identity),
    };
    return cmocka_run_group_tests_name("rating", tests, NULL, NULL);
}
