/* The sequential test: its computations compared with plain sums and searches, and edge cases.
   simulation_test checks its error rates. */
#include "base/random.h"
#include "league/sprt.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void assert_near(double found, double expected, double tolerance) {
    if (!(fabs(found - expected) <= tolerance))
        fail_msg("found %.12g, expected %.12g (within %g)", found, expected, tolerance);
}

static Sprt test_of(double elo0, double elo1, uint64_t p0, uint64_t p1, uint64_t p2, uint64_t p3,
                    uint64_t p4) {
    return (Sprt){
        .elo0 = elo0, .elo1 = elo1, .alpha = 0.05, .beta = 0.05, .pairs = {p0, p1, p2, p3, p4}};
}

static double score_of(double elo) {
    return 1 / (1 + pow(10, -elo / 400));
}

static SprtEstimate estimate_of(uint64_t p0, uint64_t p1, uint64_t p2, uint64_t p3, uint64_t p4) {
    Sprt sprt = test_of(0, 5, p0, p1, p2, p3, p4);
    return sprt_estimate(&sprt);
}

static void assert_finite(const Sprt *sprt) {
    SprtEstimate estimate = sprt_estimate(sprt);
    assert_true(isfinite(sprt->llr0) && isfinite(sprt->llr1) && isfinite(estimate.elo));
    assert_true(isfinite(estimate.elo_low) && isfinite(estimate.elo_high));
    assert_true(estimate.elo_low < estimate.elo && estimate.elo < estimate.elo_high);
    assert_true(estimate.superiority >= 0 && estimate.superiority <= 1);
}

/* Adds equal pairs until the test has a verdict; returns how many. */
static uint64_t pairs_until_known(Sprt *sprt, int half_points) {
    uint64_t pairs = 0;
    while (sprt->verdict == SPRT_UNDECIDED && pairs < 10000000) {
        sprt_add(sprt, half_points);
        pairs++;
    }
    return pairs;
}

/* ---- the guarantee ---- */

/* The factors by which each outcome of the next pair multiplies the odds. */
static void factors_of(const Sprt *sprt, double *for_elo1, double *for_elo0) {
    for (int outcome = 0; outcome < 5; outcome++) {
        Sprt next = *sprt;
        sprt_add(&next, outcome);
        for_elo1[outcome] = exp(next.llr1 - sprt->llr1);
        for_elo0[outcome] = exp(next.llr0 - sprt->llr0);
    }
}

/* The factor is a straight line over the points that is 1 at the mean and never negative. So its
   expectation is 1 for every distribution with this mean, and less for one on the far side.
   Together with the threshold 1 / alpha, this is the whole guarantee. */
static void assert_fair(const double *factor, double mean, bool rises) {
    double slope = factor[4] - factor[0];
    assert_true(factor[0] >= 0 && factor[4] >= 0);
    assert_true(rises ? slope >= 0 : slope <= 0);
    for (int outcome = 0; outcome < 5; outcome++)
        assert_near(factor[outcome], 1 + slope * (outcome / 4.0 - mean), 1e-9);
}

static void every_bet_is_fair_for_any_past_pairs(void **unused) {
    (void)unused;
    static const double bounds[][2] = {{0, 5},     {0, 20},        {-5, 0},      {-10, 300},
                                       {330, 370}, {-2000, -1990}, {1990, 2000}, {-2000, 2000}};
    Random random = random_seeded(4);
    for (int round = 0; round < 5000; round++) {
        const double *bound = bounds[random_below(&random, sizeof bounds / sizeof *bounds)];
        Sprt sprt = test_of(bound[0], bound[1], 0, 0, 0, 0, 0);
        for (int i = 0; i < 5; i++)
            if (random_below(&random, 2))
                sprt.pairs[i] = random_next(&random) >> (44 + random_below(&random, 20));
        double for_elo1[5];
        double for_elo0[5];
        factors_of(&sprt, for_elo1, for_elo0);
        assert_fair(for_elo1, score_of(bound[0]), true);
        assert_fair(for_elo0, score_of(bound[1]), false);
    }
}

static void the_test_decides_when_the_odds_reach_alpha_or_beta(void **unused) {
    (void)unused;
    Sprt sprt = {.elo0 = 0, .elo1 = 20, .alpha = 0.01, .beta = 0.1};
    while (sprt.verdict == SPRT_UNDECIDED) {
        assert_true(sprt.llr1 < log(100) && sprt.llr0 < log(10));
        sprt_add(&sprt, 4);
    }
    assert_true(sprt.verdict == SPRT_ACCEPTS_ELO1 && sprt.llr1 >= log(100));
    sprt = (Sprt){.elo0 = 0, .elo1 = 20, .alpha = 0.01, .beta = 0.1};
    while (sprt.verdict == SPRT_UNDECIDED) {
        assert_true(sprt.llr1 < log(100) && sprt.llr0 < log(10));
        sprt_add(&sprt, 0);
    }
    assert_true(sprt.verdict == SPRT_ACCEPTS_ELO0 && sprt.llr0 >= log(10));
}

static void a_verdict_is_final(void **unused) {
    (void)unused;
    Sprt sprt = test_of(0, 20, 0, 0, 0, 0, 0);
    pairs_until_known(&sprt, 4);
    for (int i = 0; i < 1000; i++)
        sprt_add(&sprt, 0);
    assert_true(sprt.verdict == SPRT_ACCEPTS_ELO1 && sprt.llr1 < 0);
}

/* After enough pairs the distribution is known, and this is Wald's test: the factors are the ratios
   of the probabilities. With two outcomes they follow from the means. */
static void with_a_known_distribution_the_odds_are_likelihood_ratios(void **unused) {
    (void)unused;
    Sprt sprt = test_of(0, 20, 500000, 0, 0, 0, 500000);
    double s0 = score_of(0);
    double s1 = score_of(20);
    double for_elo1[5];
    double for_elo0[5];
    factors_of(&sprt, for_elo1, for_elo0);
    assert_near(for_elo1[4], s1 / s0, 1e-3);
    assert_near(for_elo1[0], (1 - s1) / (1 - s0), 1e-3);
    assert_near(for_elo0[4], s0 / s1, 1e-3);
    assert_near(for_elo0[0], (1 - s0) / (1 - s1), 1e-3);
}

static void without_pairs_nothing_is_known(void **unused) {
    (void)unused;
    Sprt sprt = test_of(0, 5, 0, 0, 0, 0, 0);
    SprtEstimate estimate = sprt_estimate(&sprt);
    assert_true(sprt.llr0 == 0 && sprt.llr1 == 0 && sprt.verdict == SPRT_UNDECIDED);
    assert_near(estimate.superiority, 0.5, 1e-12);
    assert_near(estimate.elo, 0, 1e-9);
    assert_finite(&sprt);
}

static void swapping_the_bots_mirrors_the_test(void **unused) {
    (void)unused;
    Sprt here = test_of(-3, 8, 0, 0, 0, 0, 0);
    Sprt there = test_of(-8, 3, 0, 0, 0, 0, 0);
    Random random = random_seeded(5);
    for (int i = 0; i < 200; i++) {
        int outcome = (int)random_below(&random, 5);
        sprt_add(&here, outcome);
        sprt_add(&there, 4 - outcome);
    }
    SprtEstimate seen_here = sprt_estimate(&here);
    SprtEstimate seen_there = sprt_estimate(&there);
    assert_near(here.llr0, there.llr1, 1e-9);
    assert_near(here.llr1, there.llr0, 1e-9);
    assert_near(seen_here.elo, -seen_there.elo, 1e-9);
    assert_near(seen_here.elo_low, -seen_there.elo_high, 1e-3);
    assert_near(seen_here.superiority, 1 - seen_there.superiority, 1e-9);
}

/* ---- the estimate ---- */

static void the_estimate_is_the_mean_and_its_error_comes_from_the_spread_of_pairs(void **unused) {
    (void)unused;
    SprtEstimate estimate = estimate_of(100000, 200000, 300000, 250000, 150000);
    double mean = (0.2 * 0.25 + 0.3 * 0.5 + 0.25 * 0.75 + 0.15);
    double square = (0.2 * 0.0625 + 0.3 * 0.25 + 0.25 * 0.5625 + 0.15);
    double error = sqrt((square - mean * mean) / 1e6) / (mean * (1 - mean)) * 400 / log(10);
    assert_near(estimate.elo, 400 * log10(mean / (1 - mean)), 1e-3);
    assert_near(estimate.elo_high - estimate.elo, 1.96 * error, 2e-3);
    assert_near(estimate.elo - estimate.elo_low, 1.96 * error, 2e-3);
}

/* With all five outcomes: of all distributions whose mean is an end of the interval, the best one
   explains the pairs worse than their own distribution by a factor of exp(-1.96^2 / 2). Found by
   searching a fine grid. */
static void the_interval_ends_where_no_distribution_explains_the_pairs_well(void **unused) {
    (void)unused;
    SprtEstimate estimate = estimate_of(7, 21, 40, 18, 14);
    const double ends[2] = {estimate.elo_low, estimate.elo_high};
    const double own[5] = {7.25, 21, 40, 18, 14.25};
    double unbound = 0;
    for (int i = 0; i < 5; i++)
        unbound += own[i] * log(own[i] / 100.5);
    enum { STEPS = 120 };
    for (int side = 0; side < 2; side++) {
        double best = -INFINITY;
        for (int i = 1; i < STEPS; i++)
            for (int j = 1; i + j < STEPS; j++)
                for (int k = 1; i + j + k < STEPS; k++) {
                    /* p1, p2 and p3 are free; p0 and p4 follow from the sum and the mean. */
                    double p1 = i * 0.9 / STEPS;
                    double p2 = j * 0.9 / STEPS;
                    double p3 = k * 0.9 / STEPS;
                    double p4 = score_of(ends[side]) - p1 / 4 - p2 / 2 - p3 * 3 / 4;
                    double p0 = 1 - p1 - p2 - p3 - p4;
                    if (p0 <= 0 || p4 <= 0)
                        continue;
                    double value = own[0] * log(p0) + own[1] * log(p1) + own[2] * log(p2) +
                                   own[3] * log(p3) + own[4] * log(p4);
                    best = value > best ? value : best;
                }
        assert_near(unbound - best, 1.96 * 1.96 / 2, 0.03);
    }
}

static void seat_advantage_does_not_widen_the_estimate(void **unused) {
    (void)unused;
    SprtEstimate even = estimate_of(10, 0, 980, 0, 10);
    SprtEstimate wild = estimate_of(250, 0, 500, 0, 250);
    assert_true(even.elo_high < wild.elo_high / 4);
}

static void superiority_grows_with_every_won_pair(void **unused) {
    (void)unused;
    double before = 0.5;
    for (uint64_t pairs = 1; pairs < 20; pairs++) {
        double now = estimate_of(0, 0, 0, 0, pairs).superiority;
        assert_true(now > before);
        before = now;
    }
    assert_true(before > 0.9999);
    assert_near(estimate_of(0, 0, 500, 0, 0).superiority, 0.5, 1e-9);
}

/* ---- extreme data ---- */

/* If every pair doubled the odds, it would take five. */
static void a_clear_difference_is_decided_soon(void **unused) {
    (void)unused;
    static const double bounds[][2] = {{0, 5}, {0, 10}, {0, 20}, {-5, 0}, {-20, 0}};
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++) {
        Sprt won = test_of(bounds[i][0], bounds[i][1], 0, 0, 0, 0, 0);
        Sprt lost = won;
        assert_in_range(pairs_until_known(&won, 4), 5, 15);
        assert_in_range(pairs_until_known(&lost, 0), 5, 15);
        assert_int_equal(won.verdict, SPRT_ACCEPTS_ELO1);
        assert_int_equal(lost.verdict, SPRT_ACCEPTS_ELO0);
        assert_finite(&won);
        assert_finite(&lost);
        assert_true(sprt_estimate(&won).elo_low > 100 && sprt_estimate(&lost).elo_high < -100);
    }
}

/* If the new bot scored s1, at least one pair in 1 / (2 s1 - 1) would have been better than
   drawn. */
static void only_drawn_pairs_lead_to_a_verdict(void **unused) {
    (void)unused;
    Sprt sprt = test_of(0, 20, 0, 0, 0, 0, 0);
    double least = log(20) / -log(1 - (2 * score_of(20) - 1));
    assert_in_range(pairs_until_known(&sprt, 2), (uint64_t)least, (uint64_t)(1.5 * least));
    assert_int_equal(sprt.verdict, SPRT_ACCEPTS_ELO0);
    sprt = test_of(-20, 0, 0, 0, 0, 0, 0);
    assert_in_range(pairs_until_known(&sprt, 2), (uint64_t)least, (uint64_t)(1.5 * least));
    assert_int_equal(sprt.verdict, SPRT_ACCEPTS_ELO1);
}

static void equal_pairs_give_finite_results_and_a_verdict(void **unused) {
    (void)unused;
    static const double bounds[][2] = {{0, 5}, {-5, 0}, {-2000, 2000}, {1990, 2000}, {300, 310}};
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++)
        for (int outcome = 0; outcome < 5; outcome++) {
            Sprt sprt = test_of(bounds[i][0], bounds[i][1], 0, 0, 0, 0, 0);
            double seen = outcome / 4.0;
            for (uint64_t count = 0; count < 1000000000; count = count * 10 + 1) {
                Sprt many = sprt;
                many.pairs[outcome] = count;
                sprt_add(&many, outcome);
                assert_finite(&many);
            }
            if (seen >= score_of(bounds[i][1]) || seen <= score_of(bounds[i][0])) {
                pairs_until_known(&sprt, outcome);
                assert_int_equal(sprt.verdict, seen >= score_of(bounds[i][1]) ? SPRT_ACCEPTS_ELO1
                                                                              : SPRT_ACCEPTS_ELO0);
            }
        }
}

static void a_single_opposite_pair_does_not_change_the_verdict(void **unused) {
    (void)unused;
    for (int at = 0; at < 8; at++) {
        Sprt sprt = test_of(0, 10, 0, 0, 0, 0, 0);
        for (int i = 0; i < 60; i++)
            sprt_add(&sprt, i == at ? 0 : 4);
        assert_finite(&sprt);
        assert_int_equal(sprt.verdict, SPRT_ACCEPTS_ELO1);
    }
}

static void bounds_far_from_zero_are_distinguished(void **unused) {
    (void)unused;
    /* 99.9% of the points are 1200 Elo points. */
    Sprt sprt = test_of(1100, 1200, 0, 0, 0, 0, 0);
    for (int i = 0; i < 16000; i++)
        sprt_add(&sprt, i % 250 == 249 ? 3 : 4);
    assert_int_equal(sprt.verdict, SPRT_ACCEPTS_ELO1);
    sprt = test_of(1200, 1300, 0, 0, 0, 0, 0);
    for (int i = 0; i < 8000; i++)
        sprt_add(&sprt, i % 400 == 399 ? 2 : i % 67 == 66 ? 3 : 4);
    assert_int_equal(sprt.verdict, SPRT_ACCEPTS_ELO0);
}

/* ---- invalid options ---- */

static void assert_refused(double elo0, double elo1, double alpha, double beta, const char *words) {
    Sprt sprt = {.elo0 = elo0, .elo1 = elo1, .alpha = alpha, .beta = beta};
    Error error = {0};
    assert_false(sprt_check(&sprt, &error));
    if (!strstr(error.text, words))
        fail_msg("\"%s\" does not contain \"%s\"", error.text, words);
}

static void invalid_options_are_rejected_with_an_error(void **unused) {
    (void)unused;
    assert_refused(5, 0, 0.05, 0.05, "elo1 (0) must be larger than elo0 (5)");
    assert_refused(5, 5, 0.05, 0.05, "must be larger");
    assert_refused(0, 1e-9, 0.05, 0.05, "too close");
    assert_refused(NAN, 5, 0.05, 0.05, "elo0 must be between");
    assert_refused(0, INFINITY, 0.05, 0.05, "elo1 must be between -2000 and 2000, not inf");
    assert_refused(-3000, 0, 0.05, 0.05, "elo0 must be between");
    assert_refused(0, 5, 0, 0.05, "alpha is an error probability");
    assert_refused(0, 5, 0.05, 1, "beta is an error probability");
    assert_refused(0, 5, NAN, 0.05, "alpha is an error probability");
    assert_refused(0, 5, 0.6, 0.5, "must be less than 1");
}

static void common_options_are_accepted(void **unused) {
    (void)unused;
    static const double uses[][4] = {
        {0, 5, 0.05, 0.05}, {-3, 1, 0.05, 0.1}, {0, 200, 0.001, 0.2}, {-2000, 2000, 0.49, 0.5}};
    for (size_t i = 0; i < sizeof uses / sizeof *uses; i++) {
        Sprt sprt = {
            .elo0 = uses[i][0], .elo1 = uses[i][1], .alpha = uses[i][2], .beta = uses[i][3]};
        Error error = {0};
        assert_true(sprt_check(&sprt, &error));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_bet_is_fair_for_any_past_pairs),
        cmocka_unit_test(the_test_decides_when_the_odds_reach_alpha_or_beta),
        cmocka_unit_test(a_verdict_is_final),
        cmocka_unit_test(with_a_known_distribution_the_odds_are_likelihood_ratios),
        cmocka_unit_test(without_pairs_nothing_is_known),
        cmocka_unit_test(swapping_the_bots_mirrors_the_test),
        cmocka_unit_test(the_estimate_is_the_mean_and_its_error_comes_from_the_spread_of_pairs),
        cmocka_unit_test(the_interval_ends_where_no_distribution_explains_the_pairs_well),
        cmocka_unit_test(seat_advantage_does_not_widen_the_estimate),
        cmocka_unit_test(superiority_grows_with_every_won_pair),
        cmocka_unit_test(a_clear_difference_is_decided_soon),
        cmocka_unit_test(only_drawn_pairs_lead_to_a_verdict),
        cmocka_unit_test(equal_pairs_give_finite_results_and_a_verdict),
        cmocka_unit_test(a_single_opposite_pair_does_not_change_the_verdict),
        cmocka_unit_test(bounds_far_from_zero_are_distinguished),
        cmocka_unit_test(invalid_options_are_rejected_with_an_error),
        cmocka_unit_test(common_options_are_accepted),
    };
    return cmocka_run_group_tests_name("sprt", tests, NULL, NULL);
}
