/* Addresses of clients behind proxies, and the host names that a server answers to. */
#include "http/address.h"
#include "http/host.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

/* Follows lines of X-Forwarded-For from 127.0.0.1, where 127.0.0.0/8 and 2001:db8:1::/48 are
   proxies. */
static const char *client(const char *const *lines, uint32_t count) {
    static char text[ADDRESS_TEXT];
    Network proxies[2];
    Address address;
    assert_true(network_parse(slice_of("127.0.0.0/8"), &proxies[0], NULL));
    assert_true(network_parse(slice_of("2001:db8:1::/48"), &proxies[1], NULL));
    assert_true(address_parse(slice_of("127.0.0.1"), &address));
    while (count-- > 0)
        if (!address_follow(&address, slice_of(lines[count]), proxies, 2))
            break;
    address_write(address, text);
    return text;
}

static void a_forwarded_address_may_have_a_port_and_brackets(void **state) {
    static const char *const cases[][2] = {
        {"203.0.113.9", "203.0.113.9"},
        {"203.0.113.9:4711", "203.0.113.9"},
        {"2001:db8::1", "2001:db8::1"},
        {"[2001:db8::1]", "2001:db8::1"},
        {"[2001:db8::1]:443", "2001:db8::1"},
        {"1.2.3.4, 203.0.113.9:80 ,\t127.0.0.7:3000, [2001:db8:1::5]:80", "203.0.113.9"},
        {"::ffff:203.0.113.9", "203.0.113.9"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(client(&cases[i][0], 1), cases[i][1]);
}

static void invalid_forwarded_addresses_are_ignored(void **state) {
    static const char *const texts[] = {
        "nonsense",       "unknown",        "203.0.113.9:",      "203.0.113.9:65536",
        "203.0.113.9:-1", "203.0.113.9:8x", "203.0.113.9:80:80", "[203.0.113.9]",
        "[2001:db8::1",   "[2001:db8::1]x", "[2001:db8::1]80",   "[]:80",
        "[2001:db8::1]:", "203.0.113.9,",   "203.0.113.999",     "\"203.0.113.9\"",
    };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_string_equal(client(&texts[i], 1), "127.0.0.1");
}

static void several_headers_form_one_list(void **state) {
    (void)state;
    assert_string_equal(client((const char *[]){"1.2.3.4", "203.0.113.9", "127.0.0.2"}, 3),
                        "203.0.113.9");
    assert_string_equal(client((const char *[]){"203.0.113.9", "127.0.0.2, 127.0.0.3"}, 2),
                        "203.0.113.9");
    /* What an untrusted client wrote ends the list. */
    assert_string_equal(client((const char *[]){"1.2.3.4", "nonsense, 127.0.0.2"}, 2), "127.0.0.2");
}

static void addresses_and_local_names_are_always_accepted(void **state) {
    static const char *const hosts[] = {"localhost",   "LOCALHOST:3000",    "localhost.",
                                        "a.localhost", "127.0.0.1",         "192.0.2.7:80",
                                        "[::1]",       "[2001:db8::1]:3000"};
    (void)state;
    for (size_t i = 0; i < sizeof hosts / sizeof *hosts; i++)
        assert_true(host_is_known("", slice_of(hosts[i])));
}

static void other_host_names_must_be_listed(void **state) {
    static const char names[] = "arena.example.org  .example.net";
    (void)state;
    assert_true(host_is_known(names, slice_of("arena.example.org")));
    assert_true(host_is_known(names, slice_of("Arena.Example.org:443")));
    assert_true(host_is_known(names, slice_of("arena.example.org.:443")));
    assert_true(host_is_known(names, slice_of("a.b.example.net")));
    static const char *const unknown[] = {"",
                                          ":80",
                                          "evil.example",
                                          "example.org",
                                          "xarena.example.org",
                                          "arena.example.org.evil.example",
                                          "example.net",
                                          "xexample.net",
                                          "localhost.evil.example",
                                          "notlocalhost",
                                          "127.0.0.1.evil.example",
                                          "127.1",
                                          "[::1].evil.example"};
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
        assert_false(host_is_known(names, slice_of(unknown[i])));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_forwarded_address_may_have_a_port_and_brackets),
        cmocka_unit_test(invalid_forwarded_addresses_are_ignored),
        cmocka_unit_test(several_headers_form_one_list),
        cmocka_unit_test(addresses_and_local_names_are_always_accepted),
        cmocka_unit_test(other_host_names_must_be_listed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
