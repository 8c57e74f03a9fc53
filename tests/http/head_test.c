/* Heads and chunks of requests, byte by byte. */
#include "http/chunks.h"
#include "http/head.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static Pair headers[HEAD_LINES_MAX];

/* Parses a head, and returns the status. */
static unsigned parse(const char *text, size_t length, Head *head) {
    size_t searched = 0;
    size_t size = 0;
    Error error = {0};
    *head = (Head){.headers = headers};
    assert_int_equal(head_find_end((Slice){text, length}, &searched, &size), HEAD_COMPLETE);
    assert_int_equal(size, length);
    unsigned status = head_parse((Slice){text, length}, head, &error);
    assert_int_equal(status != 0, error.text[0] != '\0');
    return status;
}

static void a_head_is_split_into_its_parts(void **state) {
    static const char text[] = "PUT /a?b=%20c HTTP/1.1\r\nhost: example.org:3000\r\n"
                               "X-Empty:\r\nX-Blanks: \t a b \t\r\nContent-Length: 12\r\n"
                               "Connection: Keep-Alive, Close\r\nExpect: 100-Continue\r\n\r\n";
    Head head;
    (void)state;
    assert_int_equal(parse(text, sizeof text - 1, &head), 0);
    assert_true(slice_equals(head.method, "PUT"));
    assert_true(slice_equals(head.target, "/a?b=%20c"));
    assert_true(slice_equals(head.host, "example.org:3000"));
    assert_int_equal(head.header_count, 6);
    assert_int_equal(head.headers[1].value.length, 0);
    assert_true(slice_equals(head.headers[2].value, "a b"));
    assert_true(head.announced && !head.chunked && head.close && head.expects && !head.old);
    assert_int_equal(head.body_size, 12);
}

static void the_end_of_a_head_is_found_however_it_arrives(void **state) {
    static const char text[] = "GET / HTTP/1.1\r\nHost: x\r\n\r\nGET";
    size_t searched = 0;
    size_t size = 0;
    (void)state;
    for (size_t length = 0; length < sizeof text - 4; length++)
        assert_int_equal(head_find_end((Slice){text, length}, &searched, &size), HEAD_INCOMPLETE);
    assert_int_equal(head_find_end((Slice){text, sizeof text - 1}, &searched, &size),
                     HEAD_COMPLETE);
    assert_int_equal(size, sizeof text - 4);
}

static void a_connection_is_kept_unless_one_side_wants_it_closed(void **state) {
    static const struct {
        const char *text;
        bool close;
    } cases[] = {
        {"GET / HTTP/1.1\r\nHost: x\r\n\r\n", false},
        {"GET / HTTP/1.1\r\nHost: x\r\nConnection: te ,close\r\n\r\n", true},
        {"GET / HTTP/1.1\r\nHost: x\r\nConnection: closed\r\n\r\n", false},
        {"GET / HTTP/1.0\r\n\r\n", true},
        {"GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", false},
    };
    Head head;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(parse(cases[i].text, strlen(cases[i].text), &head), 0);
        assert_int_equal(head.close, cases[i].close);
    }
}

/* Takes a chunked body in pieces of `step` bytes. Returns the decoded text, or NULL if it is
   malformed or incomplete; sets how many bytes follow it. */
static const char *take_chunks(const char *text, size_t step, size_t *after) {
    static char decoded[256];
    Chunks chunks = {0};
    size_t length = strlen(text);
    size_t at = 0;
    decoded[0] = '\0';
    *after = 0;
    while (at < length && chunks.state < CHUNKS_DONE) {
        Slice rest = {text + at, length - at < step ? length - at : step};
        at += rest.length;
        while (rest.length && chunks.state < CHUNKS_DONE) {
            Slice piece = chunks_take(&chunks, &rest);
            strncat(decoded, piece.length ? piece.at : "", piece.length);
        }
        *after = rest.length + length - at;
    }
    return chunks.state == CHUNKS_DONE ? decoded : NULL;
}

static void chunks_are_joined_however_they_arrive(void **state) {
    static const char text[] =
        "3\r\nabc\r\n00A;x=\"y\"\r\n0123456789\r\n0\r\nTrailer: a\r\nB: c\r\n\r\nGET";
    size_t after = 0;
    (void)state;
    for (size_t step = 1; step < sizeof text; step++) {
        const char *decoded = take_chunks(text, step, &after);
        assert_non_null(decoded);
        assert_string_equal(decoded, "abc0123456789");
        assert_int_equal(after, 3);
    }
}

static void incomplete_chunks_are_not_a_body(void **state) {
    static const char text[] = "3\r\nabc\r\n0\r\n\r\n";
    char part[sizeof text];
    size_t after = 0;
    (void)state;
    for (size_t length = 0; length < sizeof text - 1; length++) {
        memcpy(part, text, length);
        part[length] = '\0';
        assert_null(take_chunks(part, 4, &after));
    }
}

static void endless_extensions_and_trailers_are_rejected(void **state) {
    static const char *const starts[] = {"1;", "0\r\nTrailer: "};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        Chunks chunks = {0};
        Slice start = {starts[i], strlen(starts[i])};
        chunks_take(&chunks, &start);
        for (uint32_t k = 0; k < 10000 && chunks.state != CHUNKS_BROKEN; k++) {
            Slice more = {"x", 1};
            chunks_take(&chunks, &more);
        }
        assert_int_equal(chunks.state, CHUNKS_BROKEN);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_head_is_split_into_its_parts),
        cmocka_unit_test(the_end_of_a_head_is_found_however_it_arrives),
        cmocka_unit_test(a_connection_is_kept_unless_one_side_wants_it_closed),
        cmocka_unit_test(chunks_are_joined_however_they_arrive),
        cmocka_unit_test(incomplete_chunks_are_not_a_body),
        cmocka_unit_test(endless_extensions_and_trailers_are_rejected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
