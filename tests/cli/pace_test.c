/* When a bot counts as slower or faster than before. */
#include "cli/pace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { TURNS = 60, MICROSECOND = 1000 };

/* A match whose turns take `cpu` microseconds, with noise of up to a tenth. The first turn starts
   the program. `spikes`: one turn in this many takes ten times as long; 0: none. */
static Pace match_of(uint32_t turns, int64_t cpu, uint32_t spikes) {
    Pace pace = {0};
    for (uint32_t i = 0; i < turns; i++) {
        int64_t noise = (int64_t)(i * 7919 % 21) - 10; /* percent */
        int64_t time = cpu * MICROSECOND * (100 + noise) / 100;
        if (i == 0)
            time = (int64_t)100000 * MICROSECOND;
        if (spikes && i % spikes == 0)
            time *= 10;
        pace_add(&pace, time, 3 * time);
    }
    return pace;
}

static void compares(Pace before, Pace now, const char *expected) {
    Buffer text = {0};
    pace_write(&before, &now, &text);
    assert_string_equal(buffer_string(&text), expected);
    buffer_free(&text);
    pace_free(&before);
    pace_free(&now);
}

static void the_median_of_the_cpu_times_is_shown(void **unused) {
    (void)unused;
    compares((Pace){0}, match_of(TURNS, 1000, 0), "1.00 ms per turn");
    compares((Pace){0}, match_of(TURNS, 20000, 5), "20.4 ms per turn");
    compares((Pace){0}, match_of(1, 1000, 0), "");
}

static void a_clear_change_is_reported(void **unused) {
    (void)unused;
    compares(match_of(TURNS, 1000, 0), match_of(TURNS, 1400, 0), "1.40 ms per turn, 40% slower");
    compares(match_of(TURNS, 1400, 0), match_of(TURNS, 1000, 0), "1.00 ms per turn, 40% faster");
    compares(match_of(TURNS, 1000, 0), match_of(TURNS, 3000, 0),
             "3.00 ms per turn, 3.0 times slower");
    compares(match_of(TURNS, 3000, 0), match_of(TURNS, 1000, 0),
             "1.00 ms per turn, 3.0 times faster");
}

static void noise_is_not_reported(void **unused) {
    (void)unused;
    compares(match_of(TURNS, 1000, 0), match_of(TURNS, 1200, 0),
             "1.20 ms per turn, as fast as before");
    /* Twice as long, but the difference is a few microseconds. */
    compares(match_of(TURNS, 20, 0), match_of(TURNS, 40, 0), "0.04 ms per turn, as fast as before");
    /* Some slow turns double the mean. */
    compares(match_of(TURNS, 1200, 0), match_of(TURNS, 1200, 9),
             "1.21 ms per turn, as fast as before");
}

static void a_longer_match_is_not_a_slower_bot(void **unused) {
    (void)unused;
    Pace late = match_of(TURNS, 1000, 0);
    for (uint32_t i = 0; i < 5 * TURNS; i++) /* the board fills, and turns take longer */
        pace_add(&late, (int64_t)5000 * MICROSECOND, (int64_t)5000 * MICROSECOND);
    compares(match_of(TURNS, 1000, 0), late, "5.00 ms per turn, as fast as before");
}

static void few_common_turns_are_not_compared(void **unused) {
    (void)unused;
    compares(match_of(8, 1000, 0), match_of(TURNS, 3000, 0), "3.00 ms per turn");
    compares(match_of(9, 1000, 0), match_of(9, 3000, 0), "2.97 ms per turn, 3.0 times slower");
}

static void times_by_different_clocks_are_not_compared(void **unused) {
    (void)unused;
    Pace wall = {0};
    for (uint32_t i = 0; i < TURNS; i++)
        pace_add(&wall, 0, (int64_t)9000 * MICROSECOND);
    compares(wall, match_of(TURNS, 1000, 0), "1.00 ms per turn");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_median_of_the_cpu_times_is_shown),
        cmocka_unit_test(a_clear_change_is_reported),
        cmocka_unit_test(noise_is_not_reported),
        cmocka_unit_test(a_longer_match_is_not_a_slower_bot),
        cmocka_unit_test(few_common_turns_are_not_compared),
        cmocka_unit_test(times_by_different_clocks_are_not_compared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
