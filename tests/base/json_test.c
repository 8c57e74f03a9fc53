/* Reading and writing JSON: what is accepted, the error messages for the rest, numbers without
   loss, and output that is always valid. */
#include "base/json.h"
#include "base/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- in ---- */

static void values_of_every_kind_are_accepted(void **unused) {
    (void)unused;
    static const struct {
        const char *text;
        JsonKind kind;
        const char *name;
    } cases[] = {
        {"null", JSON_NULL, "null"},
        {"false", JSON_FALSE, "false"},
        {" true ", JSON_TRUE, "true"},
        {"0", JSON_NUMBER, "a number"},
        {"-0", JSON_NUMBER, "a number"},
        {"-12.50e+3", JSON_NUMBER, "a number"},
        {"1E-2", JSON_NUMBER, "a number"},
        {"\"\"", JSON_STRING, "a string"},
        {"\t[\r\n]\n", JSON_ARRAY, "an array"},
        {"[1,[2,{}],\"a\"]", JSON_ARRAY, "an array"},
        {"{}", JSON_OBJECT, "an object"},
        {"{\"a\":{\"a\":1},\"b\":[]}", JSON_OBJECT, "an object"},
    };
    Json json = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Error error = {0};
        if (!json_parse(&json, slice_of(cases[i].text), &error))
            fail_msg("%s: %s", cases[i].text, error.text);
        assert_int_equal(json.nodes[0].kind, cases[i].kind);
        assert_string_equal(json_kind_name(&json, 0), cases[i].name);
    }
    json_free(&json);
}

static void invalid_json_is_rejected_with_line_and_column(void **unused) {
    (void)unused;
    static const struct {
        const char *text;
        const char *message;
    } cases[] = {
        {"", "line 1, column 1: unexpected end; expected a JSON value"},
        {" \n ", "line 2, column 2: unexpected end; expected a JSON value"},
        {"nul", "line 1, column 1: expected a JSON value"},
        {"NaN", "line 1, column 1: expected a JSON value"},
        {"'a'", "line 1, column 1: expected a JSON value"},
        {"True", "line 1, column 1: expected a JSON value"},
        {"+1", "line 1, column 1: expected a JSON value"},
        {".5", "line 1, column 1: expected a JSON value"},
        {"// no\n1", "line 1, column 1: expected a JSON value"},
        {"-", "line 1, column 1: invalid number"},
        {"01", "line 1, column 1: invalid number"},
        {"-01", "line 1, column 1: invalid number"},
        {"1.", "line 1, column 1: invalid number"},
        {"1e", "line 1, column 1: invalid number"},
        {"[1,\n 2e+]", "line 2, column 2: invalid number"},
        {"0x10", "line 1, column 2: unexpected text after the JSON value"},
        {"1 2", "line 1, column 3: unexpected text after the JSON value"},
        {"{}\n\n]", "line 3, column 1: unexpected text after the JSON value"},
        {"[", "line 1, column 2: unexpected end; expected a JSON value"},
        {"[1", "line 1, column 1: unterminated array"},
        {"[1,", "line 1, column 4: unexpected end; expected a JSON value"},
        {"[1,]", "line 1, column 4: expected a JSON value"},
        {"[1 2]", "line 1, column 4: expected a comma or ]"},
        {"[1}", "line 1, column 3: expected a comma or ]"},
        {"{", "line 1, column 2: expected a member name in quotes"},
        {"{a:1}", "line 1, column 2: expected a member name in quotes"},
        {"{\"a\":1,}", "line 1, column 8: expected a member name in quotes"},
        {"{\"a\" 1}", "line 1, column 6: expected a colon"},
        {"{\"a\":1", "line 1, column 1: unterminated object"},
        {"{\"a\":1]", "line 1, column 7: expected a comma or }"},
        {"{\"a\":1,\n\"a\":2}", "line 2, column 1: duplicate member name"},
        {"{\"a\":1,\"\\u0061\":2}", "line 1, column 8: duplicate member name"},
        {"\"a", "line 1, column 1: unterminated string"},
        {"[\"a\\\"]", "line 1, column 2: unterminated string"},
        {"\"a\nb\"", "line 1, column 3: control character in a string"},
        {"\"\t\"", "line 1, column 2: control character in a string"},
        {"\"\\x\"", "line 1, column 2: invalid escape sequence"},
        {"\"\\", "line 1, column 2: invalid escape sequence"},
        {"\"\\u12g4\"", "line 1, column 6: \\u must be followed by four hexadecimal digits"},
        {"\"\\u12", "line 1, column 6: \\u must be followed by four hexadecimal digits"},
        {"\"\\ud800\"", "line 1, column 2: incomplete surrogate pair"},
        {"\"\\ud800x\"", "line 1, column 2: incomplete surrogate pair"},
        {"\"\\ud800\\u0041\"", "line 1, column 2: incomplete surrogate pair"},
        {"\"\\udc00\\ud800\"", "line 1, column 2: incomplete surrogate pair"},
        {"\"\x80\"", "line 1, column 2: invalid UTF-8"},
        {"\"\xc3\"", "line 1, column 2: invalid UTF-8"},
        {"\"\xc0\xaf\"", "line 1, column 2: invalid UTF-8"},
        {"\"\xe0\x80\xaf\"", "line 1, column 2: invalid UTF-8"},
        {"\"\xed\xa0\x80\"", "line 1, column 2: invalid UTF-8"},
        {"\"\xf0\x80\x80\xaf\"", "line 1, column 2: invalid UTF-8"},
        {"\"\xf4\x90\x80\x80\"", "line 1, column 2: invalid UTF-8"},
        {"\"\xff\"", "line 1, column 2: invalid UTF-8"},
        {"\xef\xbb\xbf{}", "line 1, column 1: expected a JSON value"},
    };
    Json json = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Error error = {.text = "accepted"};
        bool accepted = json_parse(&json, slice_of(cases[i].text), &error);
        if (accepted || strcmp(error.text, cases[i].message) != 0)
            fail_msg("%s\n is: %s\n not: %s", cases[i].text, error.text, cases[i].message);
    }
    json_free(&json);
}

static void a_null_pointer_is_an_empty_text(void **unused) {
    (void)unused;
    Json json = {0};
    Error error = {0};
    assert_false(json_parse(&json, (Slice){NULL, 0}, &error));
    assert_string_equal(error.text, "line 1, column 1: unexpected end; expected a JSON value");
    json_free(&json);
}

static void a_zero_byte_is_not_white_space(void **unused) {
    (void)unused;
    Json json = {0};
    assert_false(json_parse(&json, (Slice){"1\0", 2}, NULL));
    assert_false(json_parse(&json, (Slice){"\"\0\"", 3}, NULL));
    json_free(&json);
}

/* Writes the first text `count` times, then the second text as often. */
static void repeat(Buffer *to, uint32_t count, const char *first, const char *second) {
    buffer_clear(to);
    for (uint32_t i = 0; i < count; i++)
        buffer_text(to, first);
    for (uint32_t i = 0; i < count; i++)
        buffer_text(to, second);
}

static void sixty_four_levels_are_accepted_and_one_more_is_not(void **unused) {
    (void)unused;
    Json json = {0};
    Buffer text = {0};
    Error error = {0};
    repeat(&text, 64, "[", "]");
    assert_true(json_parse(&json, slice_of(buffer_string(&text)), &error));
    repeat(&text, 65, "[", "]");
    assert_false(json_parse(&json, slice_of(buffer_string(&text)), &error));
    assert_string_equal(error.text,
                        "line 1, column 65: arrays and objects nested more than 64 deep");
    /* Nor is a text that would overflow the stack of a recursive parser. */
    repeat(&text, 1000000, "[", "");
    assert_false(json_parse(&json, slice_of(buffer_string(&text)), &error));
    buffer_free(&text);
    json_free(&json);
}

static void two_hundred_and_fifty_six_members_are_accepted_and_one_more_is_not(void **unused) {
    (void)unused;
    Json json = {0};
    Buffer text = {0};
    for (uint32_t members = 256; members <= 257; members++) {
        buffer_clear(&text);
        for (uint32_t i = 0; i < members; i++)
            buffer_format(&text, "%s\"%u\":%u", i ? "," : "{", i, i);
        buffer_char(&text, '}');
        Error error = {0};
        assert_int_equal(json_parse(&json, slice_of(buffer_string(&text)), &error), members == 256);
        if (members == 256)
            assert_int_equal(json.nodes[0].count, 256);
        else
            assert_non_null(strstr(error.text, "more than 256 members in one object"));
    }
    buffer_free(&text);
    json_free(&json);
}

static void escapes_are_resolved(void **unused) {
    (void)unused;
    static const struct {
        const char *text;
        const char *content;
    } cases[] = {
        {"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t"},
        {"\"\\u0041\\u00e9\\u20AC\"", "A\xc3\xa9\xe2\x82\xac"},
        {"\"\\ud83d\\uDE00\"", "\xf0\x9f\x98\x80"},
        {"\"\\uffff\"", "\xef\xbf\xbf"},
        {"\"\xf4\x8f\xbf\xbf\"", "\xf4\x8f\xbf\xbf"},
    };
    Json json = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_true(json_parse(&json, slice_of(cases[i].text), NULL));
        assert_true(slice_equals(json.nodes[0].text, cases[i].content));
    }
    assert_true(json_parse(&json, slice_of("\"a\\u0000b\""), NULL));
    assert_int_equal(json.nodes[0].text.length, 3);
    assert_memory_equal(json.nodes[0].text.at, "a\0b", 3);
    json_free(&json);
}

static void nodes_are_in_the_order_of_the_text(void **unused) {
    (void)unused;
    Json json = {0};
    assert_true(json_parse(&json, slice_of("{\"a\": [1, {\"b\": 2}],\n \"c\": \"d\"}"), NULL));
    assert_int_equal(json.count, 9);
    assert_int_equal(json.nodes[0].count, 2);
    assert_int_equal(json.nodes[0].next, 9);
    uint32_t array = json_member(&json, 0, "a");
    assert_int_equal(array, 2);
    assert_int_equal(json.nodes[array].count, 2);
    assert_int_equal(json.nodes[array].next, 7);
    uint32_t text = json_member(&json, 0, "c");
    assert_int_equal(text, 8);
    assert_int_equal(json_line(&json, text), 2);
    assert_int_equal(json_line(&json, array), 1);
    assert_int_equal(json_member(&json, 0, "b"), JSON_NONE);
    assert_int_equal(json_member(&json, 4, "b"), 6);
    json_free(&json);
}

static void a_reader_can_be_used_again_after_an_error(void **unused) {
    (void)unused;
    Json json = {0};
    assert_false(json_parse(&json, slice_of("[1,2,\"abc\\u0041"), NULL));
    assert_true(json_parse(&json, slice_of("[\"x\"]"), NULL));
    assert_int_equal(json.count, 2);
    assert_true(slice_equals(json.nodes[1].text, "x"));
    json_free(&json);
}

static void whole_numbers_are_recognised_in_every_notation(void **unused) {
    (void)unused;
    static const struct {
        const char *text;
        bool whole;
        int64_t value;
    } cases[] = {
        {"0", true, 0},
        {"-0", true, 0},
        {"0.0", true, 0},
        {"-0.000e99999999999999999999", true, 0},
        {"5", true, 5},
        {"5.0", true, 5},
        {"-5.000", true, -5},
        {"50e-1", true, 5},
        {"0.5e1", true, 5},
        {"0.05E+2", true, 5},
        {"1e18", true, 1000000000000000000},
        {"1200e-2", true, 12},
        {"100.0", true, 100},
        {"9223372036854775807", true, INT64_MAX},
        {"9223372036854775807.0", true, INT64_MAX},
        {"922337203685477580.7e1", true, INT64_MAX},
        {"-9223372036854775808", true, INT64_MIN},
        {"-9223372036854775808.0", true, INT64_MIN},
        {"-922337203685477580.8e1", true, INT64_MIN},
        {"9223372036854775808", false, 0},
        {"9223372036854775808.0", false, 0},
        {"-9223372036854775809.0", false, 0},
        {"1e19", false, 0},
        {"1e99999999999999999999", false, 0},
        {"5.5", false, 0},
        {"5e-1", false, 0},
        {"0.1", false, 0},
        {"1e-99999999999999999999", false, 0},
        {"18446744073709551617", false, 0},
        {"\"5\"", false, 0},
        {"null", false, 0},
    };
    Json json = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t value = 77;
        assert_true(json_parse(&json, slice_of(cases[i].text), NULL));
        if (json_whole(&json, 0, &value) != cases[i].whole ||
            (cases[i].whole && value != cases[i].value))
            fail_msg("%s: %lld", cases[i].text, (long long)value);
    }
    json_free(&json);
}

static void the_largest_seed_is_two_to_the_64th_minus_one(void **unused) {
    (void)unused;
    Json json = {0};
    uint64_t value = 0;
    assert_true(json_parse(&json, slice_of("18446744073709551615"), NULL));
    assert_true(json_uint64(&json, 0, &value));
    assert_true(value == UINT64_MAX);
    static const char *const refused[] = {
        "18446744073709551616", "99999999999999999999", "-1", "1.0", "1e3", "\"1\""};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        assert_true(json_parse(&json, slice_of(refused[i]), NULL));
        assert_false(json_uint64(&json, 0, &value));
    }
    json_free(&json);
}

static void every_number_that_fits_a_double_is_read(void **unused) {
    (void)unused;
    static const struct {
        const char *text;
        bool good;
        double value;
    } cases[] = {
        {"0.1", true, 0.1},
        {"-2.5e3", true, -2500},
        {"1e308", true, 1e308},
        {"1e309", false, 0},
        {"1e-400", true, 0},
        {"0.3333333333333333333333333333333333333333333333333333333333333333333333333333", true,
         1.0 / 3},
        {"[1]", false, 0},
    };
    Json json = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double value = 0;
        assert_true(json_parse(&json, slice_of(cases[i].text), NULL));
        if (json_number(&json, 0, &value) != cases[i].good ||
            (cases[i].good && value != cases[i].value))
            fail_msg("%s: %g", cases[i].text, value);
    }
    json_free(&json);
}

/* ---- out ---- */

static void every_escaped_string_is_valid_json(void **unused) {
    (void)unused;
    static const struct {
        Slice text;
        const char *json;
    } cases[] = {
        {{"", 0}, "\"\""},
        {{"plain", 5}, "\"plain\""},
        {{"a\"b\\c", 5}, "\"a\\\"b\\\\c\""},
        {{"\n\t\r", 3}, "\"\\n\\t\\r\""},
        {{"\x00\x01\x1f\x7f", 4}, "\"\\u0000\\u0001\\u001f\\u007f\""},
        {{"\xc3\xa9\xf0\x9f\x98\x80", 6}, "\"\xc3\xa9\xf0\x9f\x98\x80\""},
        {{"a\xffz", 3}, "\"a\\ufffdz\""},
        {{"\xe2\x82", 2}, "\"\\ufffd\\ufffd\""},
        {{"\xed\xa0\x80", 3}, "\"\\ufffd\\ufffd\\ufffd\""},
        {{"\xc2\x9b\xe2\x80\xae", 5}, "\"\\u009b\\u202e\""},
        {{"\xf3\xa0\x81\x81\xc3\xa9", 6}, "\"\\udb40\\udc41\xc3\xa9\""},
        {{"/", 1}, "\"/\""},
    };
    Buffer out = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        buffer_clear(&out);
        json_string(&out, cases[i].text);
        assert_string_equal(buffer_string(&out), cases[i].json);
    }
    buffer_free(&out);
}

static void commas_are_written_only_between_members(void **unused) {
    (void)unused;
    Buffer text = {0};
    JsonOut out = {.to = &text};
    json_open(&out, NULL, '{');
    json_open(&out, "empty", '[');
    json_close(&out, ']');
    json_open(&out, "list", '[');
    json_out_int(&out, NULL, INT64_MIN);
    json_out_uint(&out, NULL, UINT64_MAX);
    json_open(&out, NULL, '{');
    json_close(&out, '}');
    json_out_null(&out, NULL);
    json_close(&out, ']');
    json_out_bool(&out, "yes", true);
    json_out_text(&out, "a\"key", "text");
    json_out_raw(&out, "raw", slice_of("[1]"));
    json_close(&out, '}');
    assert_string_equal(
        buffer_string(&text),
        "{\"empty\":[],\"list\":[-9223372036854775808,18446744073709551615,{},null],\"yes\":true,"
        "\"a\\\"key\":\"text\",\"raw\":[1]}");
    buffer_free(&text);
}

static void doubles_are_written_in_short_form_with_a_decimal_point(void **unused) {
    (void)unused;
    static const struct {
        double value;
        const char *text;
    } cases[] = {
        {0, "0.0"},
        {1, "1.0"},
        {10, "10.0"},
        {-0.25, "-0.25"},
        {0.1, "0.1"},
        {0.1 + 0.2, "0.30000000000000004"},
        {1e15, "1000000000000000.0"},
        {123456.789, "123456.789"},
    };
    Buffer out = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        buffer_clear(&out);
        json_double(&out, cases[i].value);
        assert_string_equal(buffer_string(&out), cases[i].text);
    }
    buffer_free(&out);
}

static double any_double(Random *random, uint32_t kind) {
    double value = 0;
    uint64_t bits = random_next(random);
    switch (kind) {
    case 0: /* random bits */
        memcpy(&value, &bits, sizeof value);
        return value;
    case 1: /* as large as coordinates */
        return (double)(int64_t)(bits >> 40) / (double)(1 + random_below(random, 10000));
    default: /* few digits */
        return (double)(int32_t)bits / 1000.0;
    }
}

static void every_double_reads_back_as_the_same_number(void **unused) {
    (void)unused;
    Json json = {0};
    Buffer out = {0};
    Random random = random_seeded(42);
    for (uint32_t i = 0; i < 60000; i++) {
        double value = any_double(&random, i % 3);
        if (!isfinite(value))
            continue;
        buffer_clear(&out);
        json_double(&out, value);
        double again = 0;
        if (!json_parse(&json, (Slice){out.data, out.length}, NULL) ||
            !json_number(&json, 0, &again) || again != value || !memchr(out.data, '.', out.length))
            fail_msg("%.17g was written as %s", value, buffer_string(&out));
    }
    buffer_free(&out);
    json_free(&json);
}

/* With one digit less, the number would not read back the same. So 0.1 does not become
   0.1000000000000000055. */
static void doubles_have_no_unnecessary_digits(void **unused) {
    (void)unused;
    Buffer out = {0};
    Random random = random_seeded(43);
    for (uint32_t i = 0; i < 20000; i++) {
        double value = any_double(&random, 1);
        buffer_clear(&out);
        json_double(&out, value);
        const char *point = strchr(buffer_string(&out), '.');
        int places = (int)strlen(point + 1);
        char shorter[64];
        snprintf(shorter, sizeof shorter, "%.*f", places - 1, value);
        if (places > 1 && strtod(shorter, NULL) == value)
            fail_msg("%s could be %s", buffer_string(&out), shorter);
    }
    buffer_free(&out);
}

static void times_are_truncated_to_the_requested_decimals(void **unused) {
    (void)unused;
    Buffer text = {0};
    JsonOut out = {.to = &text};
    json_open(&out, NULL, '[');
    json_out_ms(&out, NULL, 1234567899, 6);
    json_out_ms(&out, NULL, 1234567899, 3);
    json_out_ms(&out, NULL, 1000001, 6);
    json_out_ms(&out, NULL, 99999, 1);
    json_out_ms(&out, NULL, -5, 3);
    json_out_double(&out, NULL, -0.25);
    json_close(&out, ']');
    assert_string_equal(buffer_string(&text), "[1234.567899,1234.567,1.000001,0.0,0.000,-0.25]");
    buffer_free(&text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_of_every_kind_are_accepted),
        cmocka_unit_test(invalid_json_is_rejected_with_line_and_column),
        cmocka_unit_test(a_null_pointer_is_an_empty_text),
        cmocka_unit_test(a_zero_byte_is_not_white_space),
        cmocka_unit_test(sixty_four_levels_are_accepted_and_one_more_is_not),
        cmocka_unit_test(two_hundred_and_fifty_six_members_are_accepted_and_one_more_is_not),
        cmocka_unit_test(escapes_are_resolved),
        cmocka_unit_test(nodes_are_in_the_order_of_the_text),
        cmocka_unit_test(a_reader_can_be_used_again_after_an_error),
        cmocka_unit_test(whole_numbers_are_recognised_in_every_notation),
        cmocka_unit_test(the_largest_seed_is_two_to_the_64th_minus_one),
        cmocka_unit_test(every_number_that_fits_a_double_is_read),
        cmocka_unit_test(every_escaped_string_is_valid_json),
        cmocka_unit_test(commas_are_written_only_between_members),
        cmocka_unit_test(doubles_are_written_in_short_form_with_a_decimal_point),
        cmocka_unit_test(every_double_reads_back_as_the_same_number),
        cmocka_unit_test(doubles_have_no_unnecessary_digits),
        cmocka_unit_test(times_are_truncated_to_the_requested_decimals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
