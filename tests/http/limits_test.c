/* Token buckets, with a simulated clock. */
#include "http/limits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define SECOND INT64_C(1000000000)

static void a_burst_is_allowed_and_then_the_rate(void **state) {
    (void)state;
    const LimitClass classes[] = {{60, 3}};
    Limits *limits = limits_new(classes, 1, 64);
    int64_t now = 1000 * SECOND;
    for (int i = 0; i < 3; i++)
        assert_int_equal(limits_take(limits, 0, 1, now), 0);
    assert_int_equal(limits_take(limits, 0, 1, now), 1);
    assert_int_equal(limits_take(limits, 0, 1, now + SECOND - 1), 1);
    assert_int_equal(limits_take(limits, 0, 1, now + SECOND), 0);
    assert_int_equal(limits_take(limits, 0, 1, now + SECOND), 1);
    for (int i = 0; i < 3; i++)
        assert_int_equal(limits_take(limits, 0, 1, now + 60 * SECOND), 0);
    assert_int_equal(limits_take(limits, 0, 1, now + 60 * SECOND), 1);
    limits_free(limits);
}

static void a_rejected_request_returns_the_wait_and_costs_nothing(void **state) {
    (void)state;
    const LimitClass classes[] = {{2, 1}};
    Limits *limits = limits_new(classes, 1, 64);
    assert_int_equal(limits_take(limits, 0, 1, SECOND), 0);
    for (int i = 0; i < 100; i++)
        assert_int_equal(limits_take(limits, 0, 1, SECOND), 30);
    assert_int_equal(limits_take(limits, 0, 1, 30 * SECOND), 1);
    assert_int_equal(limits_take(limits, 0, 1, 31 * SECOND), 0);
    limits_free(limits);
}

static void a_returned_token_does_not_count(void **state) {
    (void)state;
    const LimitClass classes[] = {{60, 3}};
    Limits *limits = limits_new(classes, 1, 64);
    for (int i = 0; i < 100; i++) {
        assert_int_equal(limits_take(limits, 0, 7, 1), 0);
        limits_give_back(limits, 0, 7);
    }
    for (int i = 0; i < 3; i++)
        assert_int_equal(limits_take(limits, 0, 7, 1), 0);
    assert_int_equal(limits_take(limits, 0, 7, 1), 1);
    limits_give_back(limits, 9, 7); /* an unknown class has no limit */
    limits_free(limits);
}

static void people_with_the_same_key_share_a_combined_limit(void **state) {
    (void)state;
    const LimitClass classes[] = {{60, 3}};
    Limits *limits = limits_new(classes, 1, 64);
    int64_t now = 1000 * SECOND;
    for (int i = 0; i < 30; i++)
        assert_int_equal(limits_take_shared(limits, 0, 1, 10, now), 0);
    assert_int_equal(limits_take_shared(limits, 0, 1, 10, now), 1);
    for (int i = 0; i < 10; i++)
        assert_int_equal(limits_take_shared(limits, 0, 1, 10, now + SECOND), 0);
    assert_int_equal(limits_take_shared(limits, 0, 1, 10, now + SECOND), 1);
    limits_free(limits);
}

static void keys_and_classes_are_counted_separately(void **state) {
    (void)state;
    const LimitClass classes[] = {{1, 1}, {1, 1}, {0, 0}};
    Limits *limits = limits_new(classes, 3, 64);
    assert_int_equal(limits_take(limits, 0, 1, 0), 0);
    assert_int_equal(limits_take(limits, 0, 2, 0), 0);
    assert_int_equal(limits_take(limits, 1, 1, 0), 0);
    assert_int_equal(limits_take(limits, 0, 1, 0), 60);
    for (int i = 0; i < 10; i++) {
        assert_int_equal(limits_take(limits, 2, 1, 0), 0);
        assert_int_equal(limits_take(limits, 9, 1, 0), 0);
    }
    limits_free(limits);
}

static void many_other_keys_do_not_reset_a_key_at_its_limit(void **state) {
    (void)state;
    const LimitClass classes[] = {{6, 10}};
    Limits *limits = limits_new(classes, 1, 64);
    int64_t now = 1000 * SECOND;
    for (int i = 0; i < 10; i++)
        assert_int_equal(limits_take(limits, 0, 0, now), 0);
    for (uint64_t key = 1; key < 100000; key++)
        assert_int_equal(limits_take(limits, 0, key, now), 0);
    assert_int_not_equal(limits_take(limits, 0, 0, now), 0);
    limits_free(limits);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_burst_is_allowed_and_then_the_rate),
        cmocka_unit_test(a_rejected_request_returns_the_wait_and_costs_nothing),
        cmocka_unit_test(a_returned_token_does_not_count),
        cmocka_unit_test(people_with_the_same_key_share_a_combined_limit),
        cmocka_unit_test(keys_and_classes_are_counted_separately),
        cmocka_unit_test(many_other_keys_do_not_reset_a_key_at_its_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
