/* Writes the status line and headers of responses. This is the only place that adds the security
   headers, so every response has them. */
#include "http/connection.h"

#include "http/problem.h"

#include <string.h>

static const struct {
    const char *name;
    const char *value;
} protection[] = {
    {"X-Content-Type-Options", "nosniff"},
    {"Referrer-Policy", "no-referrer"},
    {"Cross-Origin-Opener-Policy", "same-origin"},
    {"Cross-Origin-Resource-Policy", "same-origin"},
    {"X-Frame-Options", "DENY"}, /* the last: see add_headers */
};

static const char nothing_policy[] = "default-src 'none'; frame-ancestors 'none'";

enum { PROTECTIONS = sizeof protection / sizeof protection[0], SMALL_MAX = 128 << 10 };

/* The value of Cache-Control. A response made for one account may be cached by the browser, but not
   by proxies. */
static const char *cache_text(CacheRule rule, bool personal) {
    static const char *const texts[] = {"no-store", "no-cache",
                                        "public, max-age=31536000, immutable"};
    return rule == CACHE_ASK && personal ? "private, no-cache" : texts[rule];
}

static void add(Buffer *to, const char *name, const char *value) {
    buffer_text(to, name);
    buffer_add(to, ": ", 2);
    buffer_text(to, value);
    buffer_add(to, "\r\n", 2);
}

static void add_status(Buffer *to, unsigned status, const char *date) {
    buffer_text(to, "HTTP/1.1 ");
    buffer_uint(to, status);
    buffer_char(to, ' ');
    buffer_text(to, status_title(status));
    buffer_add(to, "\r\n", 2);
    add(to, "Date", date);
}

/* Adds the id that the log has for the request, so that a client can report it to the operator. */
static void add_id(Buffer *to, const Request *request) {
    char id[REQUEST_ID_TEXT];
    request_id_text(request, id);
    add(to, "X-Request-Id", id);
}

void send_stream_head(Buffer *to, const Request *request, const char *date) {
    add_status(to, 200, date);
    add_id(to, request);
    add(to, "Connection", "close");
    add(to, "X-Accel-Buffering", "no");
    add(to, "Content-Type", content_type_name(TYPE_EVENTS));
    add(to, "Cache-Control", "no-store");
    add(to, "Content-Security-Policy", nothing_policy);
    for (uint32_t i = 0; i < PROTECTIONS; i++)
        add(to, protection[i].name, protection[i].value);
    buffer_add(to, "\r\n", 2);
}

static void add_headers(const Connection *connection, Buffer *to, const Payload *payload,
                        bool with_content) {
    static const char *const encodings[] = {"", "gzip", "br", "zstd"};
    const Response *response = &connection->response;
    /* A script may run as a worker, which obeys the policy of its script's response. */
    bool page = payload->type == TYPE_HTML || payload->type == TYPE_SCRIPT;
    const char *policy =
        response->policy ? response->policy : connection->http->options.page_policy;
    add(to, "Content-Security-Policy", page ? policy : nothing_policy);
    for (uint32_t i = 0; i < PROTECTIONS - (response->framed ? 1U : 0U); i++)
        add(to, protection[i].name, protection[i].value);
    add(to, "Cache-Control", cache_text(response->cache, connection->request.account != 0));
    if (with_content) {
        add(to, "Content-Type", content_type_name(payload->type));
        if (payload->encoding != ENCODING_NONE)
            add(to, "Content-Encoding", encodings[payload->encoding]);
    }
    if (payload->varies)
        add(to, "Vary", "Accept-Encoding");
    if (payload->etag[0])
        add(to, "ETag", payload->etag);
    for (uint32_t i = 0; i < response->header_count; i++)
        add(to, header_name(response->headers[i].name), response->headers[i].value);
    if (connection->close || atomic_load(&connection->http->stopping))
        add(to, "Connection", "close");
    else if (connection->head.old)
        add(to, "Connection", "keep-alive");
}

static bool is_unmodified(const Request *request, const Response *response) {
    Slice known;
    return response->status == 200 && response->etag[0] &&
           (request->method == METHOD_GET || request->method == METHOD_HEAD) &&
           request_header(request, "If-None-Match", &known) &&
           decode_etag_matches(known, slice_of(response->etag));
}

/* Accounts for the memory of the response. If there is too little, the response becomes a 503. */
static void hold_content(Connection *connection) {
    Response *response = &connection->response;
    size_t bytes = connection->body.capacity + response->bytes.capacity;
    if (connection_hold(connection, bytes, bytes <= SMALL_MAX))
        return;
    problem_retry(&connection->request, response, 503, 5,
                  "The server is out of memory for responses; try again in a few seconds.");
}

void send_response(Connection *connection) {
    const Request *request = &connection->request;
    Response *response = &connection->response;
    Buffer *out = &connection->out;
    Slice encodings;
    AcceptedEncodings accepted = {0};
    hold_content(connection);
    if (is_unmodified(request, response))
        response->status = 304;
    unsigned status = response->status;
    bool empty = status == 204 || status == 304;
    if (!empty && request_header(request, "Accept-Encoding", &encodings)) {
        accepted.gzip = decode_accepts_encoding(encodings, "gzip");
        accepted.brotli = decode_accepts_encoding(encodings, "br");
    }
    Payload payload = response_payload(response, accepted);
    uint64_t size = empty ? 0 : response->file >= 0 ? response->file_size : payload.bytes.length;
    buffer_clear(out);
    add_status(out, status, loop_date(connection->loop));
    add_id(out, request);
    add_headers(connection, out, &payload, !empty);
    if (!empty) {
        buffer_text(out, "Content-Length: ");
        buffer_uint(out, size);
        buffer_add(out, "\r\n", 2);
    }
    buffer_add(out, "\r\n", 2);
    if (request->method == METHOD_HEAD)
        size = 0;
    connection->payload = payload.bytes;
    connection->out_at = 0;
    connection->out_size = out->length + size;
    connection->sent = size;
    connection->status = status;
    connection_begin(connection, PHASE_SEND, connection->http->options.send_ms, size);
}
