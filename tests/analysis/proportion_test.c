/* Confidence intervals of winning chances, and the test for two of them. */
#include "analysis/proportion.h"
#include "base/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

enum { SEED = 20, TRIALS = 20000 };

static void assert_near(double found, double expected, double tolerance) {
    if (!(fabs(found - expected) <= tolerance))
        fail_msg("found %.6f, expected %.6f (within %g)", found, expected, tolerance);
}

/* The ends of the interval are the chances whose normal approximation is just compatible. */
static void the_ends_of_an_interval_are_1_96_deviations_away(void **state) {
    (void)state;
    for (int count = 1; count <= 100; count += 9)
        for (int wins = 0; wins <= count; wins++) {
            Chance chance = proportion_chance(wins, count);
            assert_near(chance.value, (double)wins / count, 1e-12);
            double ends[2] = {chance.low, chance.high};
            for (int end = 0; end < 2; end++) {
                double deviation = sqrt(ends[end] * (1 - ends[end]) / count);
                assert_near(fabs(ends[end] - chance.value), 1.959964 * deviation, 1e-6);
            }
            assert_true(chance.low <= chance.value && chance.value <= chance.high);
        }
}

static void no_wins_and_only_wins_both_leave_uncertainty(void **state) {
    (void)state;
    Chance none = proportion_chance(0, 20);
    Chance all = proportion_chance(20, 20);
    assert_near(none.low, 0, 1e-9);
    assert_near(none.high, 0.1611, 1e-4);
    assert_near(all.high, 1, 1e-9);
    assert_near(all.low, 1 - none.high, 1e-9);
}

static double draw_wins(Random *random, uint32_t count, double chance) {
    double wins = 0;
    for (uint32_t i = 0; i < count; i++)
        wins += random_below(random, 1000000) < chance * 1000000;
    return wins;
}

/* The share of trials with this p-value or a smaller one is at most about that p-value. */
static void equal_chances_rarely_look_different(void **state) {
    (void)state;
    Random random = random_seeded(SEED);
    printf("seed %d\n", SEED);
    for (int percent = 5; percent < 100; percent += 15) {
        double chance = percent / 100.0;
        uint32_t alarms = 0;
        for (uint32_t i = 0; i < TRIALS; i++) {
            double one = draw_wins(&random, 80, chance);
            double other = draw_wins(&random, 80, chance);
            alarms += proportion_p_value(one, 80, other, 80) < 0.05 / 6;
        }
        assert_true(alarms < 1.3 * TRIALS * 0.05 / 6);
    }
}

static void clearly_different_chances_are_distinguished(void **state) {
    (void)state;
    assert_true(proportion_p_value(40, 80, 10, 80) < 1e-5);
    assert_true(proportion_p_value(10, 80, 40, 80) > 0.99);
    assert_near(proportion_p_value(40, 80, 40, 80), 0.5, 1e-9);
    /* Two matches prove nothing. */
    assert_true(proportion_p_value(2, 2, 0, 2) > 0.01);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_ends_of_an_interval_are_1_96_deviations_away),
        cmocka_unit_test(no_wins_and_only_wins_both_leave_uncertainty),
        cmocka_unit_test(equal_chances_rarely_look_different),
        cmocka_unit_test(clearly_different_chances_are_distinguished),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
