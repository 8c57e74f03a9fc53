/* Code points, the width of text, and that untrusted names cannot control a terminal. */
#include "base/utf8.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void code_points_are_decoded_and_invalid_bytes_replaced(void **unused) {
    (void)unused;
    static const uint32_t expected[] = {'a', 0xe9, 0x732b, 0x1f600, 0xfffd, 0xfffd, 'b', 0xfffd};
    Slice rest = slice_of("a\xc3\xa9\xe7\x8c\xab\xf0\x9f\x98\x80\xff\xc0"
                          "b\xe7");
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        assert_true(rest.length > 0);
        assert_int_equal(utf8_next(&rest), expected[i]);
    }
    assert_int_equal(rest.length, 0);
}

static void width_counts_columns_not_bytes(void **unused) {
    (void)unused;
    static const struct {
        const char *text;
        uint32_t width;
    } cases[] = {
        {"", 0},
        {"plain", 5},
        {"\xc3\xa9t\xc3\xa9", 3}, /* été */
        {"e\xcc\x81", 1},         /* e and a combining accent */
        {"\xe7\x8c\xab", 2},      /* a wide character */
        {"\xf0\x9f\x98\x80!", 3}, /* an emoji */
        {"\x1b[31m", 5},          /* a control character shows as one mark */
        {"\xff\xfe", 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(utf8_width(slice_of(cases[i].text)), cases[i].width);
}

static void shows(const char *text, uint32_t most, const char *expected, uint32_t width) {
    Buffer shown = {0};
    assert_int_equal(utf8_show(&shown, slice_of(text), most), width);
    assert_string_equal(buffer_string(&shown), expected);
    buffer_free(&shown);
}

static void text_that_is_too_wide_is_truncated_with_an_ellipsis(void **unused) {
    (void)unused;
    shows("abcdef", 6, "abcdef", 6);
    shows("abcdef", 5, "abcd\xe2\x80\xa6", 5);
    shows("abcdef", 1, "\xe2\x80\xa6", 1);
    shows("abcdef", 0, "", 0);
    shows("\xe7\x8c\xab\xe7\x8c\xab\xe7\x8c\xab", 4, "\xe7\x8c\xab\xe2\x80\xa6", 3);
}

static void control_and_direction_characters_are_replaced(void **unused) {
    (void)unused;
    shows("a\x1b[2Jb", 80, "a\xef\xbf\xbd[2Jb", 6);
    shows("a\nb\x7f", 80,
          "a\xef\xbf\xbd"
          "b\xef\xbf\xbd",
          4);
    shows("\xc2\x9b"
          "31m",
          80,
          "\xef\xbf\xbd"
          "31m",
          4); /* U+009B, which means ESC [ */
    shows("\xe2\x80\xae"
          "evil",
          80,
          "\xef\xbf\xbd"
          "evil",
          5); /* right-to-left override */
    shows("\xff", 80, "\xef\xbf\xbd", 1);
}

static void cleans(TextForm form, const char *text, const char *expected) {
    Buffer clean = {0};
    utf8_clean(&clean, slice_of(text), form);
    assert_string_equal(buffer_string(&clean), expected);
    buffer_free(&clean);
}

static void each_form_of_text_keeps_its_harmless_characters(void **unused) {
    (void)unused;
    static const char text[] = "a\tb\n\033[1;31mc\033[2J\xc2\x9b\r";
#define MARK "\xef\xbf\xbd"
    cleans(TEXT_LINE, text, "a" MARK "b" MARK MARK "[1;31mc" MARK "[2J" MARK MARK);
    cleans(TEXT_LINES, text, "a\tb\n" MARK "[1;31mc" MARK "[2J" MARK MARK);
    cleans(TEXT_COLOURS, text, "a\tb\n\033[1;31mc" MARK "[2J" MARK MARK);
    cleans(TEXT_JSON, text, "a\tb\n\\u001b[1;31mc\\u001b[2J\\u009b ");
    cleans(TEXT_COLOURS, "\033[1;\033[m\033[", MARK "[1;\033[m" MARK "[");
    cleans(TEXT_JSON, "\xf3\xa0\x80\xa0\xf0\x91\x82\xbd", "\\udb40\\udc20\\ud804\\udcbd");
    cleans(TEXT_LINES, "\x9b\xc0\x9b\xe0\x82\x9b", MARK MARK MARK MARK MARK MARK);
    cleans(TEXT_LINES, "caf\xc3\xa9 \xe7\x8c\xab", "caf\xc3\xa9 \xe7\x8c\xab");
#undef MARK
}

static void an_incomplete_character_at_the_end_is_recognised(void **unused) {
    (void)unused;
    static const struct {
        const char *text;
        size_t unfinished;
    } cases[] = {
        {"", 0},
        {"a", 0},
        {"\xc3", 1},
        {"\xc3\xa9", 0},
        {"\xe7\x8c", 2},
        {"a\xf0\x9f\x98", 3},
        {"\xf0\x9f\x98\x80", 0},
        {"\x80\x80\x80\x80", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(utf8_unfinished(slice_of(cases[i].text)), cases[i].unfinished);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(code_points_are_decoded_and_invalid_bytes_replaced),
        cmocka_unit_test(width_counts_columns_not_bytes),
        cmocka_unit_test(text_that_is_too_wide_is_truncated_with_an_ellipsis),
        cmocka_unit_test(control_and_direction_characters_are_replaced),
        cmocka_unit_test(each_form_of_text_keeps_its_harmless_characters),
        cmocka_unit_test(an_incomplete_character_at_the_end_is_recognised),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
