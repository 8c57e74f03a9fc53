/* Sums per address. */
#include "http/address_sums.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { SECRET = 4711, BUSY = 1, OTHERS = 100000 };

static void a_sum_stays_within_its_limit(void **state) {
    (void)state;
    AddressSums *sums = address_sums_new(SECRET);
    assert_true(address_sums_add(sums, BUSY, 6, 10));
    assert_false(address_sums_add(sums, BUSY, 5, 10));
    assert_true(address_sums_add(sums, BUSY, 4, 10));
    assert_false(address_sums_add(sums, BUSY, 1, 10));
    assert_false(address_sums_add(sums, BUSY, UINT64_MAX, 10));
    address_sums_subtract(sums, BUSY, 4);
    assert_true(address_sums_add(sums, BUSY, 4, 10));
    assert_true(address_sums_add(sums, BUSY, 100, UINT64_MAX));
    address_sums_free(sums);
}

/* If each address had only one counter, about 24 of these would be rejected. */
static void a_busy_address_does_not_limit_others(void **state) {
    (void)state;
    AddressSums *sums = address_sums_new(SECRET);
    assert_true(address_sums_add(sums, BUSY, 10, 10));
    uint32_t refused = 0;
    for (uint64_t other = BUSY + 1; other <= BUSY + OTHERS; other++) {
        if (address_sums_add(sums, other, 10, 10))
            address_sums_subtract(sums, other, 10);
        else
            refused++;
    }
    assert_int_equal(refused, 0);
    assert_false(address_sums_add(sums, BUSY, 1, 10));
    address_sums_free(sums);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sum_stays_within_its_limit),
        cmocka_unit_test(a_busy_address_does_not_limit_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
