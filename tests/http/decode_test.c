/* Decoding of requests: input that HTTP client libraries do not send. The rest is tested over
   connections, in test_requests.py. */
#include "http/decode.h"

#include "http/address.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void a_zero_byte_is_rejected(void **state) {
    (void)state;
    char text[] = {'a', '\0', 'b'};
    size_t length = sizeof text;
    Error error = {0};
    assert_false(decode_text(text, &length, false, &error));
    assert_string_equal(error.text, "control characters are not allowed");
}

static void an_escape_beyond_the_end_is_rejected(void **state) {
    (void)state;
    char text[] = "a%41%4F"; /* `length` excludes the F */
    size_t length = strlen(text) - 1;
    assert_false(decode_text(text, &length, false, NULL));
    char whole[] = "a%41";
    length = strlen(whole);
    assert_true(decode_text(whole, &length, false, NULL));
    assert_int_equal(length, 2);
    assert_memory_equal(whole, "aA", 2);
}

static void a_path_is_split_into_decoded_segments(void **state) {
    (void)state;
    char path[] = "/a/b%20c//";
    Slice segments[4];
    uint32_t count = 0;
    assert_true(decode_path(path, strlen(path), segments, 4, &count, NULL));
    assert_int_equal(count, 4);
    assert_true(slice_equals(segments[0], "a"));
    assert_true(slice_equals(segments[1], "b c"));
    assert_int_equal(segments[2].length + segments[3].length, 0);
    char long_path[] = "/a/b/c/d/e";
    assert_false(decode_path(long_path, strlen(long_path), segments, 4, &count, NULL));
    char bare[] = "a/b";
    assert_false(decode_path(bare, 3, segments, 4, &count, NULL));
    assert_false(decode_path(bare, 0, segments, 4, &count, NULL));
}

static void a_query_keeps_empty_names_and_values(void **state) {
    (void)state;
    char query[] = "a&b=&=c&&d==e";
    Pair pairs[4];
    uint32_t count = 0;
    assert_true(decode_query(query, strlen(query), pairs, 4, &count, NULL));
    assert_int_equal(count, 4);
    assert_true(slice_equals(pairs[0].name, "a") && slice_equals(pairs[0].value, ""));
    assert_true(slice_equals(pairs[2].name, "") && slice_equals(pairs[2].value, "c"));
    assert_true(slice_equals(pairs[3].name, "d") && slice_equals(pairs[3].value, "=e"));
}

static void cookies_beyond_the_maximum_are_ignored(void **state) {
    (void)state;
    Pair pairs[2];
    uint32_t count = 0;
    decode_cookies(slice_of("a=1;b=\"2\" ; c=3"), pairs, 2, &count);
    assert_int_equal(count, 2);
    assert_true(slice_equals(pairs[1].value, "2"));
    decode_cookies((Slice){0}, pairs, 2, &count);
    assert_int_equal(count, 0);
}

static void addresses_are_matched_against_networks(void **state) {
    (void)state;
    static const struct {
        const char *network;
        const char *address;
        bool held;
    } cases[] = {
        {"10.0.0.0/8", "10.255.0.1", true},
        {"10.0.0.0/8", "11.0.0.1", false},
        {"10.1.2.128/25", "10.1.2.200", true},
        {"10.1.2.128/25", "10.1.2.100", false},
        {"::1", "::1", true},
        {"2001:db8::/33", "2001:db8:7fff::1", true},
        {"2001:db8::/33", "2001:db8:8000::1", false},
        {"0.0.0.0/0", "203.0.113.1", true},
        {"0.0.0.0/0", "2001:db8::1", false},
        {"10.0.0.0/8", "::ffff:10.1.1.1", true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        Network network;
        Address address;
        assert_true(network_parse(slice_of(cases[i].network), &network, NULL));
        assert_true(address_parse(slice_of(cases[i].address), &address));
        if (network_holds(&network, 1, address) != cases[i].held)
            fail_msg("%s in %s", cases[i].address, cases[i].network);
    }
}

static void invalid_networks_are_rejected(void **state) {
    (void)state;
    static const char *const texts[] = {"",          "10.0.0.0/33", "10.0.0.0/-1", "10.0.0/8",
                                        "localhost", "::/129",      "10.0.0.0/"};
    Network network;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (network_parse(slice_of(texts[i]), &network, NULL))
            fail_msg("\"%s\" was accepted", texts[i]);
}

static void ipv6_addresses_of_a_64_bit_network_have_the_same_key(void **state) {
    (void)state;
    Address a;
    Address b;
    Address c;
    assert_true(address_parse(slice_of("2001:db8:1:2::1"), &a));
    assert_true(address_parse(slice_of("2001:db8:1:2:ffff::9"), &b));
    assert_true(address_parse(slice_of("2001:db8:1:3::1"), &c));
    assert_true(address_key(a) == address_key(b));
    assert_true(address_key(a) != address_key(c));
    assert_true(address_parse(slice_of("10.0.0.1"), &a) && address_parse(slice_of("10.0.0.2"), &b));
    assert_true(address_key(a) != address_key(b));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_zero_byte_is_rejected),
        cmocka_unit_test(an_escape_beyond_the_end_is_rejected),
        cmocka_unit_test(a_path_is_split_into_decoded_segments),
        cmocka_unit_test(a_query_keeps_empty_names_and_values),
        cmocka_unit_test(cookies_beyond_the_maximum_are_ignored),
        cmocka_unit_test(addresses_are_matched_against_networks),
        cmocka_unit_test(invalid_networks_are_rejected),
        cmocka_unit_test(ipv6_addresses_of_a_64_bit_network_have_the_same_key),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
