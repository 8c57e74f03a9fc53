/* The growing buffer: what was appended stays intact when the buffer grows. */
#include "base/buffer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void an_empty_buffer_needs_no_memory(void **unused) {
    (void)unused;
    Buffer buffer = {0};
    buffer_add(&buffer, NULL, 0);
    buffer_text(&buffer, "");
    buffer_drop(&buffer, 0);
    buffer_clear(&buffer);
    assert_null(buffer.data);
    assert_string_equal(buffer_string(&buffer), "");
    buffer_free(&buffer);
    assert_null(buffer.data);
    assert_int_equal(buffer.capacity, 0);
}

static void appended_text_follows_the_existing_text(void **unused) {
    (void)unused;
    Buffer buffer = {0};
    buffer_text(&buffer, "a");
    buffer_char(&buffer, '-');
    buffer_add(&buffer, "xyz", 2);
    buffer_format(&buffer, "<%d %s>", 7, "words");
    buffer_format(&buffer, "%s", "");
    assert_string_equal(buffer_string(&buffer), "a-xy<7 words>");
    assert_int_equal(buffer.length, 13);
    buffer_free(&buffer);
}

static void a_buffer_grows_and_keeps_its_bytes(void **unused) {
    (void)unused;
    Buffer buffer = {0};
    for (uint32_t i = 0; i < 100000; i++)
        buffer_char(&buffer, (char)('a' + i % 26));
    assert_int_equal(buffer.length, 100000);
    for (uint32_t i = 0; i < 100000; i++)
        assert_int_equal(buffer.data[i], (char)('a' + i % 26));
    buffer_free(&buffer);
}

static void text_longer_than_the_free_space_is_formatted_completely(void **unused) {
    (void)unused;
    Buffer buffer = {0};
    char text[1000];
    memset(text, 'y', sizeof text);
    buffer_format(&buffer, "x%.*sz", (int)sizeof text, text);
    assert_int_equal(buffer.length, 1002);
    assert_int_equal(buffer.data[0], 'x');
    assert_int_equal(buffer.data[1001], 'z');
    buffer_free(&buffer);
}

static void clearing_keeps_the_memory(void **unused) {
    (void)unused;
    Buffer buffer = {0};
    buffer_text(&buffer, "something");
    size_t capacity = buffer.capacity;
    buffer_clear(&buffer);
    assert_int_equal(buffer.length, 0);
    assert_non_null(buffer.data);
    assert_int_equal(buffer.capacity, capacity);
    buffer_free(&buffer);
}

static void numbers_are_written_in_full(void **unused) {
    (void)unused;
    Buffer buffer = {0};
    buffer_uint(&buffer, 0);
    buffer_char(&buffer, ' ');
    buffer_uint(&buffer, UINT64_MAX);
    buffer_char(&buffer, ' ');
    buffer_int(&buffer, INT64_MIN);
    buffer_char(&buffer, ' ');
    buffer_int(&buffer, INT64_MAX);
    buffer_char(&buffer, ' ');
    buffer_int(&buffer, -10);
    assert_string_equal(buffer_string(&buffer), "0 18446744073709551615 -9223372036854775808 "
                                                "9223372036854775807 -10");
    buffer_free(&buffer);
}

static void dropping_moves_the_rest_to_the_front(void **unused) {
    (void)unused;
    Buffer buffer = {0};
    buffer_text(&buffer, "abcdef");
    buffer_drop(&buffer, 2);
    assert_string_equal(buffer_string(&buffer), "cdef");
    buffer_drop(&buffer, 0);
    assert_int_equal(buffer.length, 4);
    buffer_drop(&buffer, 4);
    assert_int_equal(buffer.length, 0);
    buffer_free(&buffer);
}

static void text_can_be_appended_after_reading_the_string(void **unused) {
    (void)unused;
    Buffer buffer = {0};
    buffer_text(&buffer, "ab");
    assert_string_equal(buffer_string(&buffer), "ab");
    buffer_text(&buffer, "cd");
    assert_string_equal(buffer_string(&buffer), "abcd");
    buffer_free(&buffer);
}

static void varints_have_seven_bits_per_byte_lowest_first(void **unused) {
    (void)unused;
    static const struct {
        uint64_t value;
        const char *bytes;
        size_t length;
    } cases[] = {
        {0, "\x00", 1},
        {1, "\x01", 1},
        {127, "\x7f", 1},
        {128, "\x80\x01", 2},
        {300, "\xac\x02", 2},
        {16384, "\x80\x80\x01", 3},
        {UINT64_MAX, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 10},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Buffer buffer = {0};
        buffer_varint(&buffer, cases[i].value);
        assert_int_equal(buffer.length, cases[i].length);
        assert_memory_equal(buffer.data, cases[i].bytes, buffer.length);
        buffer_free(&buffer);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_buffer_needs_no_memory),
        cmocka_unit_test(appended_text_follows_the_existing_text),
        cmocka_unit_test(a_buffer_grows_and_keeps_its_bytes),
        cmocka_unit_test(text_longer_than_the_free_space_is_formatted_completely),
        cmocka_unit_test(clearing_keeps_the_memory),
        cmocka_unit_test(numbers_are_written_in_full),
        cmocka_unit_test(dropping_moves_the_rest_to_the_front),
        cmocka_unit_test(text_can_be_appended_after_reading_the_string),
        cmocka_unit_test(varints_have_seven_bits_per_byte_lowest_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
