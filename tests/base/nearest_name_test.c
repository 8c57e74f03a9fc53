/* Suggestions for mistyped names. */
#include "base/nearest_name.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *const games[] = {"footsoldiers", "ctf",        "aliens",
                                    "underworld",   "planetwars", NULL};

static void one_typo_per_three_letters_is_tolerated(void **unused) {
    (void)unused;
    static const char *const pairs[][2] = {
        {"alien", "aliens"},
        {"Aliens", "aliens"},
        {"alines", "aliens"},
        {"cft", "ctf"},
        {"planet", "planetwars"},
        {"underwordl", "underworld"},
        {"footsoldier", "footsoldiers"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        assert_string_equal(nearest_name(slice_of(pairs[i][0]), games), pairs[i][1]);
}

static void a_name_unlike_all_others_gets_no_suggestion(void **unused) {
    (void)unused;
    static const char *const typed[] = {"", "x", "go", "age", "chess", "planetarium-of-the-stars"};
    for (size_t i = 0; i < sizeof typed / sizeof *typed; i++)
        assert_null(nearest_name(slice_of(typed[i]), games));
    char longest[1000];
    memset(longest, 'a', sizeof longest);
    assert_null(nearest_name((Slice){longest, sizeof longest}, games));
}

static void the_error_suggests_a_name_or_lists_all(void **unused) {
    (void)unused;
    Error error;
    assert_false(unknown_name("game", slice_of("alien"), games, &error));
    assert_string_equal(error.text, "unknown game \"alien\"; did you mean \"aliens\"?");
    assert_false(unknown_name("game", slice_of("chess"), games, &error));
    assert_string_equal(error.text, "unknown game \"chess\"; known: footsoldiers, ctf, aliens, "
                                    "underworld, planetwars");
    assert_false(unknown_name("game", slice_of("chess"), games, NULL));
}

static void find_name_returns_the_index_of_a_name(void **unused) {
    (void)unused;
    Error error;
    uint32_t index = 7;
    assert_true(find_name("game", slice_of("aliens"), games, &index, &error));
    assert_int_equal(index, 2);
    index = 7;
    assert_false(find_name("game", slice_of("alien"), games, &index, &error));
    assert_int_equal(index, 7);
    assert_string_equal(error.text, "unknown game \"alien\"; did you mean \"aliens\"?");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_typo_per_three_letters_is_tolerated),
        cmocka_unit_test(a_name_unlike_all_others_gets_no_suggestion),
        cmocka_unit_test(the_error_suggests_a_name_or_lists_all),
        cmocka_unit_test(find_name_returns_the_index_of_a_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
