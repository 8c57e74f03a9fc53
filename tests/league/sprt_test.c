/* The sequential test: what it computes, beside plain sums and searches, and how it behaves at the edges. Its error rates are simulation_test's. */
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
        fail_msg("%.12g, and %.12g was expected (within %g)", found, expected, tolerance);
}

static Sprt test_of(double elo0, double elo1, uint64_t p0, uint64_t p1, uint64_t p2, uint64_t p3,
                    uint64_t p4) {
    return (Sprt){
        .elo0 = elo0, .elo1 = elo1, .alpha = 0.05, .beta = 0.05, .pairs = {p0, p1, p2, p3, p4}};
}

static double score_of(double elo) {
    return 1 / (1 + pow(10, -elo / 400));
}

static void assert_finite(const SprtState *state) {
    assert_true(isfinite(state->llr) && isfinite(state->elo));
    assert_true(isfinite(state->elo_low) && isfinite(state->elo_high));
    assert_true(state->elo_low < state->elo && state->elo < state->elo_high);
    assert_true(state->superiority >= 0 && state->superiority <= 1);
}

/* ---- closed forms ---- */

static void the_bounds_are_the_odds_that_alpha_and_beta_allow(void **unused) {
    (void)unused;
    Sprt sprt = {.elo0 = 0, .elo1 = 5, .alpha = 0.05, .beta = 0.1};
    SprtState state = sprt_state(&sprt);
    assert_near(state.upper, log(1 / 0.05), 1e-12);
    assert_near(state.lower, log(0.1), 1e-12);
    assert_true(state.llr == 0 && state.verdict == SPRT_UNDECIDED);
    assert_near(state.superiority, 0.5, 1e-12);
    assert_near(state.elo, 0, 1e-9);
    assert_finite(&state);
}

/* With two outcomes only there is no choice: they have the shares that the mean asks for. */
static void with_wins_and_losses_only_it_is_the_test_of_a_coin(void **unused) {
    (void)unused;
    Sprt sprt = test_of(0, 20, 480, 0, 0, 0, 520);
    double s0 = score_of(0);
    double s1 = score_of(20);
    double expected = 520 * log(s1 / s0) + 480 * log((1 - s1) / (1 - s0));
    assert_near(sprt_state(&sprt).llr, expected, 1e-9);
}

/* Losses, even pairs and wins; at elo 0 the best spread keeps the even ones and halves the rest. */
static void at_equality_wins_and_losses_share_what_is_not_even(void **unused) {
    (void)unused;
    Sprt sprt = test_of(0, 10, 10, 0, 60, 0, 30);
    double at_zero = 40 * log(0.2) + 60 * log(0.6);
    /* Under elo1: p0 = x, p4 = x + 2 s - 1, p2 the rest; the best x by search. */
    double shift = 2 * score_of(10) - 1;
    double low = 1e-9;
    double high = (1 - shift) / 2 - 1e-9;
    for (int i = 0; i < 300; i++) {
        double x = (low + high) / 2;
        double slope = 10 / x + 30 / (x + shift) - 120 / (1 - 2 * x - shift);
        *(slope > 0 ? &low : &high) = x;
    }
    double at_ten = 10 * log(low) + 30 * log(low + shift) + 60 * log(1 - 2 * low - shift);
    assert_near(sprt_state(&sprt).llr, at_ten - at_zero, 1e-8);
}

/* All five outcomes: no spread of the right mean explains the pairs better than the one that is found. Tried by walking over a fine grid. */
static void no_spread_with_that_mean_explains_the_pairs_better(void **unused) {
    (void)unused;
    static const uint64_t pairs[5] = {7, 21, 40, 18, 14};
    double best[2] = {-INFINITY, -INFINITY};
    const double elo[2] = {-30, 45};
    enum { STEPS = 120 };
    for (int side = 0; side < 2; side++)
        for (int i = 1; i < STEPS; i++)
            for (int j = 1; i + j < STEPS; j++)
                for (int k = 1; i + j + k < STEPS; k++) {
                    /* p1, p2, p3 are chosen; p0 and p4 follow from the sum and the mean. */
                    double p1 = i * 0.9 / STEPS;
                    double p2 = j * 0.9 / STEPS;
                    double p3 = k * 0.9 / STEPS;
                    double p4 = score_of(elo[side]) - p1 / 4 - p2 / 2 - p3 * 3 / 4;
                    double p0 = 1 - p1 - p2 - p3 - p4;
                    if (p0 <= 0 || p4 <= 0)
                        continue;
                    double value =
                        7 * log(p0) + 21 * log(p1) + 40 * log(p2) + 18 * log(p3) + 14 * log(p4);
                    best[side] = value > best[side] ? value : best[side];
                }
    Sprt sprt = test_of(elo[0], elo[1], pairs[0], pairs[1], pairs[2], pairs[3], pairs[4]);
    assert_near(sprt_state(&sprt).llr, best[1] - best[0], 0.02);
}

static void the_estimate_is_the_mean_and_its_error_the_pairs_spread(void **unused) {
    (void)unused;
    Sprt sprt = test_of(0, 5, 100000, 200000, 300000, 250000, 150000);
    SprtState state = sprt_state(&sprt);
    double mean = (0.2 * 0.25 + 0.3 * 0.5 + 0.25 * 0.75 + 0.15);
    double square = (0.2 * 0.0625 + 0.3 * 0.25 + 0.25 * 0.5625 + 0.15);
    double error = sqrt((square - mean * mean) / 1e6) / (mean * (1 - mean)) * 400 / log(10);
    assert_near(state.elo, 400 * log10(mean / (1 - mean)), 1e-3);
    assert_near(state.elo_high - state.elo, 1.96 * error, 1e-3);
    assert_near(state.elo - state.elo_low, 1.96 * error, 1e-3);
}

static void seat_advantage_does_not_blur_the_estimate(void **unused) {
    (void)unused;
    Sprt even = test_of(0, 5, 10, 0, 980, 0, 10);
    Sprt wild = test_of(0, 5, 250, 0, 500, 0, 250);
    SprtState seen_even = sprt_state(&even);
    SprtState seen_wild = sprt_state(&wild);
    assert_true(seen_even.elo_high < seen_wild.elo_high / 4);
}

static void the_other_side_sees_the_mirror_image(void **unused) {
    (void)unused;
    Sprt sprt = test_of(-3, 8, 12, 30, 50, 41, 20);
    Sprt mirror = test_of(-8, 3, 20, 41, 50, 30, 12);
    SprtState here = sprt_state(&sprt);
    SprtState there = sprt_state(&mirror);
    assert_near(here.llr, -there.llr, 1e-9);
    assert_near(here.elo, -there.elo, 1e-9);
    assert_near(here.elo_low, -there.elo_high, 1e-9);
    assert_near(here.superiority, 1 - there.superiority, 1e-9);
}

/* ---- lopsided ---- */

static void all_pairs_won_are_decided_and_finite(void **unused) {
    (void)unused;
    const double upper = log(1 / 0.05);
    const double step = log(score_of(10) / score_of(0));
    uint64_t needed = (uint64_t)ceil(upper / step);
    assert_true(needed == 106);
    for (uint64_t pairs = 1; pairs < 100000000000U; pairs = pairs * 3 + 1) {
        Sprt sprt = test_of(0, 10, 0, 0, 0, 0, pairs);
        SprtState state = sprt_state(&sprt);
        assert_finite(&state);
        assert_near(state.llr / (step * (double)pairs), 1, 1e-9);
        assert_int_equal(state.verdict, pairs >= needed ? SPRT_ACCEPTS_ELO1 : SPRT_UNDECIDED);
        assert_true(state.elo > 0);
        sprt = test_of(0, 10, pairs, 0, 0, 0, 0);
        state = sprt_state(&sprt);
        assert_finite(&state);
        assert_true(state.llr < 0 && state.elo < 0);
        assert_int_equal(state.verdict, state.llr <= -upper ? SPRT_ACCEPTS_ELO0 : SPRT_UNDECIDED);
    }
}

static void all_pairs_alike_are_finite_whatever_they_were(void **unused) {
    (void)unused;
    static const double bounds[][2] = {{0, 5}, {-5, 0}, {-2000, 2000}, {1990, 2000}, {300, 310}};
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++)
        for (int outcome = 0; outcome < 5; outcome++)
            for (uint64_t count = 0; count < 1000000000; count = count * 10 + 1) {
                Sprt sprt = test_of(bounds[i][0], bounds[i][1], 0, 0, 0, 0, 0);
                sprt.pairs[outcome] = count;
                SprtState state = sprt_state(&sprt);
                assert_finite(&state);
                if (count < 100000000)
                    continue;
                double seen = outcome / 4.0;
                if (seen >= score_of(bounds[i][1]))
                    assert_int_equal(state.verdict, SPRT_ACCEPTS_ELO1);
                if (seen <= score_of(bounds[i][0]))
                    assert_int_equal(state.verdict, SPRT_ACCEPTS_ELO0);
            }
}

static void nearly_all_won_is_decided_as_soon_as_all_won(void **unused) {
    (void)unused;
    Sprt sprt = test_of(0, 10, 0, 0, 0, 1, 110);
    assert_int_equal(sprt_state(&sprt).verdict, SPRT_ACCEPTS_ELO1);
    sprt = test_of(0, 10, 1, 0, 1, 5, 115);
    assert_int_equal(sprt_state(&sprt).verdict, SPRT_ACCEPTS_ELO1);
    sprt = test_of(0, 10, 9990, 10, 0, 0, 0);
    assert_int_equal(sprt_state(&sprt).verdict, SPRT_ACCEPTS_ELO0);
}

static void bounds_far_from_zero_are_told_apart(void **unused) {
    (void)unused;
    /* 99.9 % of the points is 1200 points. */
    Sprt sprt = test_of(1100, 1200, 0, 0, 0, 32, 7968);
    assert_int_equal(sprt_state(&sprt).verdict, SPRT_ACCEPTS_ELO1);
    sprt = test_of(1200, 1300, 0, 0, 10, 60, 3930);
    assert_int_equal(sprt_state(&sprt).verdict, SPRT_ACCEPTS_ELO0);
}

static void superiority_grows_with_every_pair_won(void **unused) {
    (void)unused;
    double before = 0.5;
    for (uint64_t pairs = 1; pairs < 20; pairs++) {
        Sprt sprt = test_of(0, 5, 0, 0, 0, 0, pairs);
        double now = sprt_state(&sprt).superiority;
        assert_true(now > before);
        before = now;
    }
    assert_true(before > 0.9999);
    Sprt even = test_of(0, 5, 0, 0, 500, 0, 0);
    assert_near(sprt_state(&even).superiority, 0.5, 1e-9);
}

/* ---- what is refused ---- */

static void assert_refused(double elo0, double elo1, double alpha, double beta, const char *words) {
    Sprt sprt = {.elo0 = elo0, .elo1 = elo1, .alpha = alpha, .beta = beta};
    Error error = {""};
    assert_false(sprt_check(&sprt, &error));
    if (!strstr(error.text, words))
        fail_msg("\"%s\" does not say \"%s\"", error.text, words);
}

static void what_makes_no_test_is_refused_with_a_sentence(void **unused) {
    (void)unused;
    assert_refused(5, 0, 0.05, 0.05, "elo1 (0) must be larger than elo0 (5)");
    assert_refused(5, 5, 0.05, 0.05, "must be larger");
    assert_refused(0, 1e-9, 0.05, 0.05, "too close");
    assert_refused(NAN, 5, 0.05, 0.05, "elo0 must be between");
    assert_refused(0, INFINITY, 0.05, 0.05, "elo1 must be between -2000 and 2000, and is inf");
    assert_refused(-3000, 0, 0.05, 0.05, "elo0 must be between");
    assert_refused(0, 5, 0, 0.05, "alpha is a chance");
    assert_refused(0, 5, 0.05, 1, "beta is a chance");
    assert_refused(0, 5, NAN, 0.05, "alpha is a chance");
    assert_refused(0, 5, 0.6, 0.5, "less than 1 together");
}

static void what_people_use_is_accepted(void **unused) {
    (void)unused;
    static const double uses[][4] = {
        {0, 5, 0.05, 0.05}, {-3, 1, 0.05, 0.1}, {0, 200, 0.001, 0.2}, {-2000, 2000, 0.49, 0.5}};
    for (size_t i = 0; i < sizeof uses / sizeof *uses; i++) {
        Sprt sprt = {uses[i][0], uses[i][1], uses[i][2], uses[i][3], {0}};
        Error error = {""};
        assert_true(sprt_check(&sprt, &error));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_bounds_are_the_odds_that_alpha_and_beta_allow),
        cmocka_unit_test(with_wins_and_losses_only_it_is_the_test_of_a_coin),
        cmocka_unit_test(at_equality_wins_and_losses_share_what_is_not_even),
        cmocka_unit_test(no_spread_with_that_mean_explains_the_pairs_better),
        cmocka_unit_test(the_estimate_is_the_mean_and_its_error_the_pairs_spread),
        cmocka_unit_test(seat_advantage_does_not_blur_the_estimate),
        cmocka_unit_test(the_other_side_sees_the_mirror_image),
        cmocka_unit_test(all_pairs_won_are_decided_and_finite),
        cmocka_unit_test(all_pairs_alike_are_finite_whatever_they_were),
        cmocka_unit_test(nearly_all_won_is_decided_as_soon_as_all_won),
        cmocka_unit_test(bounds_far_from_zero_are_told_apart),
        cmocka_unit_test(superiority_grows_with_every_pair_won),
        cmocka_unit_test(what_makes_no_test_is_refused_with_a_sentence),
        cmocka_unit_test(what_people_use_is_accepted),
    };
    return cmocka_run_group_tests_name("sprt", tests, NULL, NULL);
}
