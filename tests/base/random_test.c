/* The random number generator: the published algorithm, the same numbers forever, and no number
   more likely than another. */
#include "base/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

/* The seed of the statistical checks. It is printed, so that a failure can be reproduced with
   RANDOM_TEST_SEED. */
static uint64_t seed;

static int choose_seed(void **unused) {
    (void)unused;
    const char *given = getenv("RANDOM_TEST_SEED");
    seed = given ? strtoull(given, NULL, 10) : (uint64_t)time(NULL);
    printf("seed %llu\n", (unsigned long long)seed);
    return 0;
}

/* splitmix64 from 0 begins with 0xe220a8397b1dcdaf, 0x6e789e6aa1b965f4: known from its authors. */
static void splitmix64_expands_the_seed_into_the_state(void **unused) {
    (void)unused;
    Random random = random_seeded(0);
    assert_true(random.state[0] == 0xe220a8397b1dcdafu);
    assert_true(random.state[1] == 0x6e789e6aa1b965f4u);
    assert_true(random.state[2] == 0x06c45d188009454fu);
    assert_true(random.state[3] == 0xf88bb8a8724c81ecu);
}

/* xoshiro256** from the state 1, 2, 3, 4 begins with these numbers. */
static void the_numbers_match_xoshiro256_starstar(void **unused) {
    (void)unused;
    static const uint64_t expected[] = {11520,
                                        0,
                                        1509978240,
                                        1215971899390074240u,
                                        1216172134540287360u,
                                        607988272756665600u,
                                        16172922978634559625u};
    Random random = {{1, 2, 3, 4}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        assert_true(random_next(&random) == expected[i]);
}

/* Replays depend on these numbers: if they change, no existing replay can be verified. */
static void a_seed_always_gives_the_same_numbers(void **unused) {
    (void)unused;
    Random random = random_seeded(2024);
    uint32_t drawn[8];
    for (int i = 0; i < 8; i++)
        drawn[i] = random_below(&random, 1000);
    static const uint32_t expected[8] = {55, 782, 72, 159, 773, 244, 394, 257};
    for (int i = 0; i < 8; i++)
        assert_int_equal(drawn[i], expected[i]);
}

static void a_copy_continues_with_the_same_numbers(void **unused) {
    (void)unused;
    Random random = random_seeded(seed);
    random_next(&random);
    Random copy = random;
    for (int i = 0; i < 100; i++)
        assert_true(random_next(&random) == random_next(&copy));
}

static void a_bound_of_one_gives_zero(void **unused) {
    (void)unused;
    Random random = random_seeded(seed);
    for (int i = 0; i < 100; i++)
        assert_int_equal(random_below(&random, 1), 0);
}

static void numbers_stay_below_their_bound(void **unused) {
    (void)unused;
    static const uint32_t bounds[] = {2, 3, 7, 100, 65537, 3000000000u, UINT32_MAX};
    Random random = random_seeded(seed);
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++)
        for (int draw = 0; draw < 10000; draw++)
            assert_true(random_below(&random, bounds[i]) < bounds[i]);
}

/* Chi-square over ten bins of equal width, or over the remainders by three. A sound generator
   exceeds these limits less than once in a hundred million runs. */
static void check_even(uint32_t bound, bool by_remainder) {
    enum { DRAWS = 90000 };
    uint32_t bin_count = by_remainder ? 3 : 10;
    uint32_t bins[10] = {0};
    Random random = random_seeded(seed);
    for (int i = 0; i < DRAWS; i++) {
        uint32_t drawn = random_below(&random, bound);
        bins[by_remainder ? drawn % 3 : drawn / (bound / 10)]++;
    }
    double sum = 0;
    for (uint32_t i = 0; i < bin_count; i++) {
        double expected = DRAWS / (double)bin_count;
        sum += (bins[i] - expected) * (bins[i] - expected) / expected;
    }
    if (sum > (by_remainder ? 40 : 60))
        fail_msg("numbers below %u: chi-square %.1f, seed %llu", bound, sum,
                 (unsigned long long)seed);
}

static void every_number_is_equally_likely(void **unused) {
    (void)unused;
    check_even(10, false);
    check_even(1000, false);
    check_even(3000000000u, false);
    /* Four 32-bit draws map to three numbers: without redrawing, one in three numbers would come up
       twice as often. */
    check_even(3u << 30, true);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(splitmix64_expands_the_seed_into_the_state),
        cmocka_unit_test(the_numbers_match_xoshiro256_starstar),
        cmocka_unit_test(a_seed_always_gives_the_same_numbers),
        cmocka_unit_test(a_copy_continues_with_the_same_numbers),
        cmocka_unit_test(a_bound_of_one_gives_zero),
        cmocka_unit_test(numbers_stay_below_their_bound),
        cmocka_unit_test(every_number_is_equally_likely),
    };
    return cmocka_run_group_tests(tests, choose_seed, NULL);
}
