/* Parsing text: lines, words, whole numbers. */
#include "base/slice.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void lines_end_in_lf_or_crlf_and_the_last_needs_neither(void **unused) {
    (void)unused;
    static const char *const expected[] = {"one", "two", "", "a\rb", "last"};
    Slice rest = slice_of("one\ntwo\r\n\na\rb\nlast");
    Slice line;
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        assert_true(slice_line(&rest, &line));
        assert_true(slice_equals(line, expected[i]));
    }
    assert_false(slice_line(&rest, &line));
}

static void a_final_newline_does_not_start_another_line(void **unused) {
    (void)unused;
    Slice rest = slice_of("one\n");
    Slice line;
    assert_true(slice_line(&rest, &line));
    assert_false(slice_line(&rest, &line));
}

static void words_are_separated_by_blanks_and_tabs(void **unused) {
    (void)unused;
    Slice rest = slice_of("  go\t 12  north ");
    Slice word;
    assert_true(slice_word(&rest, &word) && slice_equals(word, "go"));
    assert_true(slice_word(&rest, &word) && slice_equals(word, "12"));
    assert_true(slice_word(&rest, &word) && slice_equals(word, "north"));
    assert_false(slice_word(&rest, &word));
    assert_int_equal(rest.length, 0);
}

static void skip_removes_a_prefix_or_nothing(void **unused) {
    (void)unused;
    Slice rest = slice_of("player 1");
    assert_false(slice_skip(&rest, "players"));
    assert_false(slice_skip(&rest, "player 12"));
    assert_true(slice_skip(&rest, ""));
    assert_true(slice_skip(&rest, "player "));
    assert_true(slice_equals(rest, "1"));
    Slice part = {"player 12", 8}; /* bytes after a slice do not belong to it */
    assert_false(slice_skip(&part, "player 12"));
}

static void trim_removes_white_space_from_both_ends(void **unused) {
    (void)unused;
    assert_true(slice_equals(slice_trim(slice_of(" \t\r\n\v\f a b \n")), "a b"));
    assert_int_equal(slice_trim(slice_of(" \n ")).length, 0);
    assert_int_equal(slice_trim(slice_of("")).length, 0);
}

static void a_null_slice_is_an_empty_slice(void **unused) {
    (void)unused;
    Slice nothing = {NULL, 0};
    Slice part;
    int64_t value = 0;
    assert_true(slice_equals(nothing, ""));
    assert_false(slice_equals(nothing, "a"));
    assert_true(slice_skip(&nothing, ""));
    assert_false(slice_line(&nothing, &part));
    assert_false(slice_word(&nothing, &part));
    assert_false(slice_int(nothing, &value));
    assert_int_equal(slice_trim(nothing).length, 0);
}

static void whole_numbers_have_an_optional_minus_and_must_fit_64_bits(void **unused) {
    (void)unused;
    static const struct {
        const char *text;
        bool good;
        int64_t value;
    } cases[] = {
        {"0", true, 0},
        {"-0", true, 0},
        {"007", true, 7},
        {"-12", true, -12},
        {"9223372036854775807", true, INT64_MAX},
        {"-9223372036854775808", true, INT64_MIN},
        {"9223372036854775808", false, 0},
        {"-9223372036854775809", false, 0},
        {"99999999999999999999999", false, 0},
        {"", false, 0},
        {"-", false, 0},
        {"--1", false, 0},
        {"+1", false, 0},
        {" 1", false, 0},
        {"1 ", false, 0},
        {"1.0", false, 0},
        {"0x1", false, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t value = 77;
        if (slice_int(slice_of(cases[i].text), &value) != cases[i].good ||
            (cases[i].good && value != cases[i].value))
            fail_msg("\"%s\": %lld", cases[i].text, (long long)value);
    }
}

static void hexadecimal_digits_have_a_value(void **unused) {
    (void)unused;
    static const char digits[] = "0123456789abcdefABCDEF";
    for (int c = -128; c < 128; c++) {
        const char *at = c ? strchr(digits, (char)c) : NULL;
        int value = at ? (int)(at - digits) : -1;
        assert_int_equal(hex_digit_value((char)c), value < 16 ? value : value - 6);
    }
}

static void a_copy_is_complete_or_empty(void **unused) {
    (void)unused;
    static const struct {
        Slice slice;
        bool good;
        const char *copy;
    } cases[] = {
        {{"house", 5}, true, "house"},    {{"housed", 6}, false, ""}, {{"ho\0se", 5}, false, ""},
        {{"house\0x", 5}, true, "house"}, {{"", 0}, true, ""},        {{NULL, 0}, true, ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[] = "older";
        assert_int_equal(slice_to(cases[i].slice, text, sizeof text), cases[i].good);
        assert_string_equal(text, cases[i].copy);
    }
}

static void a_message_shows_at_most_sixty_bytes_of_a_slice(void **unused) {
    (void)unused;
    char shown[200];
    char text[100];
    memset(text, 'a', sizeof text);
    for (size_t length = 58; length < 100; length++) {
        Slice slice = {text, length};
        assert_int_equal(snprintf(shown, sizeof shown, "%.*s", SLICE_ARGS(slice)),
                         length < 60 ? length : 60);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_end_in_lf_or_crlf_and_the_last_needs_neither),
        cmocka_unit_test(a_final_newline_does_not_start_another_line),
        cmocka_unit_test(words_are_separated_by_blanks_and_tabs),
        cmocka_unit_test(skip_removes_a_prefix_or_nothing),
        cmocka_unit_test(trim_removes_white_space_from_both_ends),
        cmocka_unit_test(a_null_slice_is_an_empty_slice),
        cmocka_unit_test(whole_numbers_have_an_optional_minus_and_must_fit_64_bits),
        cmocka_unit_test(hexadecimal_digits_have_a_value),
        cmocka_unit_test(a_copy_is_complete_or_empty),
        cmocka_unit_test(a_message_shows_at_most_sixty_bytes_of_a_slice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
