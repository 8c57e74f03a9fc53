/* Parsing of addresses and headers from clients: the first byte chooses the parser, the rest is the
   text. Whatever is accepted must satisfy its contract. */
#include "fuzz.h"

#include "base/utf8.h"
#include "http/address.h"
#include "http/host.h"
#include "http/router.h"

#include <stdlib.h>
#include <string.h>

static Outcome handle(Request *request, Response *response) {
    (void)request;
    (void)response;
    return OUTCOME_ANSWERED;
}

static const Route routes[] = {
    {METHOD_GET, "/", "home", handle, .rate = 0},
    {METHOD_GET, "/bots/{bot}", "bot", handle,
     .parameters = {{.name = "bot"},
                    {.name = "limit", .kind = PARAMETER_NUMBER, .minimum = 1, .maximum = 200},
                    {.name = "q"}}},
    {METHOD_GET, "/bots/new", "new", handle, .rate = 0},
    {METHOD_GET, "/{game}/bots/{bot}/versions/{version}", "version", handle,
     .parameters = {{.name = "game"}, {.name = "bot"}, {.name = "version"}}},
    {METHOD_GET, "/files/{path...}", "files", handle, .parameters = {{.name = "path"}}},
    {METHOD_GET, "/{path...}", "pages", handle, .parameters = {{.name = "path"}}},
};

/* Accepted text contains nothing that could break a line, a path or a name. */
static void check_text(Slice text, const char *what) {
    for (size_t i = 0; i < text.length;) {
        unsigned char c = (unsigned char)text.at[i];
        size_t step = utf8_length((const unsigned char *)text.at + i, text.length - i);
        if (c < 0x20 || c == 0x7f || !step)
            fuzz_broken("%s holds a byte that should have been refused", what);
        i += step;
    }
}

static void try_address(char *uri, size_t length) {
    static Router *router;
    static Request request;
    Slice segments[REQUEST_SEGMENTS_MAX];
    uint32_t count = 0;
    uint32_t allowed = 0;
    Error error = {0};
    if (!router)
        router = router_new(routes, sizeof routes / sizeof routes[0], &error);
    if (!router)
        fuzz_broken("%s", error.text);
    char *mark = length ? memchr(uri, '?', length) : NULL;
    size_t path_length = mark ? (size_t)(mark - uri) : length;
    request.query_count = 0;
    if (!decode_path(uri, path_length, segments, REQUEST_SEGMENTS_MAX, &count, &error) ||
        (mark && !decode_query(mark + 1, length - path_length - 1, request.query, REQUEST_QUERY_MAX,
                               &request.query_count, &error))) {
        if (!error.text[0])
            fuzz_broken("rejected without an error message");
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        check_text(segments[i], "a segment");
        if (slice_equals(segments[i], "..") || memchr(segments[i].at, '/', segments[i].length))
            fuzz_broken("a segment leads to another directory");
    }
    for (uint32_t i = 0; i < request.query_count; i++) {
        check_text(request.query[i].name, "a name");
        check_text(request.query[i].value, "a value");
    }
    const Route *route = router_find(router, &request, segments, count, &allowed);
    request.route = route;
    if (route && route_check(route, &request, &error)) {
        int64_t limit = request_number(&request, "limit", 1);
        if (limit < 1 || limit > 200)
            fuzz_broken("a number outside its limits was accepted");
        for (uint32_t i = 0; route->parameters[i].name && strchr(route->pattern, '{') && i < 1; i++)
            check_text(request_path(&request, route->parameters[i].name), "a parameter");
    }
}

static void try_cookies(Slice text) {
    Pair cookies[REQUEST_COOKIES_MAX];
    uint32_t count = 0;
    Slice value;
    decode_cookies(text, cookies, REQUEST_COOKIES_MAX, &count);
    if (count > REQUEST_COOKIES_MAX)
        fuzz_broken("too many cookies");
    for (uint32_t i = 0; i < count; i++) {
        if (!cookies[i].name.length)
            fuzz_broken("a cookie without a name");
        if (cookies[i].name.at < text.at ||
            cookies[i].value.at + cookies[i].value.length > text.at + text.length)
            fuzz_broken("a cookie outside the header");
    }
    pair_find(cookies, count, "session", &value);
}

static void try_lists(Slice text) {
    Network network;
    Network local = {{{0}}, 0};
    Address address;
    char written[ADDRESS_TEXT];
    decode_accepts_encoding(text, "gzip");
    decode_is_type(text, "application/json");
    decode_etag_matches(text, slice_of("W/\"0123456789abcdef-10\""));
    if (network_parse(text, &network, NULL) && network.bits > 128)
        fuzz_broken("a network of too many bits");
    address = local.base;
    address_follow(&address, text, &local, 1);
    host_is_known("example.org .example.net", text);
    address_write(address, written);
    Address again;
    if (!address_parse(slice_of(written), &again) || memcmp(&again, &address, sizeof again) != 0)
        fuzz_broken("an address that does not read back: %s", written);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (!size || size > REQUEST_URI_MAX)
        return 0;
    /* A copy of exactly this size, so that reading beyond its end is detected. */
    char *text = malloc(size > 1 ? size - 1 : 1);
    if (!text)
        abort();
    memcpy(text, data + 1, size - 1);
    if (data[0] % 3 == 0)
        try_address(text, size - 1);
    else if (data[0] % 3 == 1)
        try_cookies((Slice){text, size - 1});
    else
        try_lists((Slice){text, size - 1});
    free(text);
    return 0;
}
