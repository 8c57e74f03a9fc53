/* Sending responses: through libmicrohttpd, or straight to the socket for streams and timeouts.
   This is the only place that adds the security headers, to every response. */
#include "http/connection.h"

#include "http/problem.h"

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

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

enum { PROTECTIONS = sizeof protection / sizeof protection[0] };

/* A response made for one account may be cached by the browser, not by proxies. */
static const char *cache_text(CacheRule rule, bool personal) {
    static const char *const texts[] = {"no-store", "no-cache",
                                        "public, max-age=31536000, immutable"};
    return rule == CACHE_ASK && personal ? "private, no-cache" : texts[rule];
}

void send_stream_head(Buffer *to) {
    buffer_text(to, "HTTP/1.1 200 OK\r\nConnection: close\r\nX-Accel-Buffering: no\r\n");
    buffer_format(to, "Content-Type: %s\r\nCache-Control: no-store\r\n",
                  content_type_name(TYPE_EVENTS));
    buffer_format(to, "Content-Security-Policy: %s\r\n", nothing_policy);
    for (uint32_t i = 0; i < PROTECTIONS; i++)
        buffer_format(to, "%s: %s\r\n", protection[i].name, protection[i].value);
    buffer_text(to, "\r\n");
}

void send_refusal(int socket, unsigned status) {
    Buffer text = {0};
    buffer_format(&text,
                  "HTTP/1.1 %u %s\r\nConnection: close\r\nContent-Length: 0\r\n"
                  "Cache-Control: no-store\r\nContent-Security-Policy: %s\r\n",
                  status, status_title(status), nothing_policy);
    for (uint32_t i = 0; i < PROTECTIONS; i++)
        buffer_format(&text, "%s: %s\r\n", protection[i].name, protection[i].value);
    buffer_text(&text, "\r\n");
    (void)!send(socket, text.data, text.length, MSG_NOSIGNAL | MSG_DONTWAIT);
    buffer_free(&text);
}

static void release_body(void *body) {
    body_release(body);
}

/* The content for libmicrohttpd, which takes ownership of it from the response. */
static struct MHD_Response *make_content(Response *response, const Payload *payload, bool empty) {
    static char nothing[1];
    if (empty || (!payload->bytes.length && response->file < 0))
        return MHD_create_response_from_buffer(0, nothing, MHD_RESPMEM_PERSISTENT);
    if (response->file >= 0) {
        struct MHD_Response *made =
            MHD_create_response_from_fd64(response->file_size, response->file);
        response->file = made ? -1 : response->file;
        return made;
    }
    /* libmicrohttpd's pointer is not const, although it does not change the bytes. */
    void *bytes = NULL;
    memcpy(&bytes, &payload->bytes.at, sizeof bytes);
    struct MHD_Response *made = NULL;
    if (response->shared) {
        made = MHD_create_response_from_buffer_with_free_callback_cls(
            payload->bytes.length, bytes, release_body, response->shared);
        response->shared = made ? NULL : response->shared;
    } else {
        made = MHD_create_response_from_buffer(payload->bytes.length, bytes, MHD_RESPMEM_MUST_FREE);
        response->bytes = made ? (Buffer){0} : response->bytes;
    }
    return made;
}

static void add(struct MHD_Response *to, const char *name, const char *value) {
    MHD_add_response_header(to, name, value);
}

static void add_headers(const Connection *connection, struct MHD_Response *to,
                        const Payload *payload, bool with_content) {
    static const char *const encodings[] = {"", "gzip", "zstd"};
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
}

static bool is_unmodified(const Request *request, const Response *response) {
    Slice known;
    return response->status == 200 && response->etag[0] &&
           (request->method == METHOD_GET || request->method == METHOD_HEAD) &&
           request_header(request, "If-None-Match", &known) &&
           decode_etag_matches(known, slice_of(response->etag));
}

enum MHD_Result send_response(Connection *connection) {
    const Request *request = &connection->request;
    Response *response = &connection->response;
    Slice accepted;
    if (is_unmodified(request, response))
        response->status = 304;
    unsigned status = response->status;
    bool empty = status == 204 || status == 304;
    bool gzip = !empty && request_header(request, "Accept-Encoding", &accepted) &&
                decode_accepts_gzip(accepted);
    Payload payload = response_payload(response, gzip);
    uint64_t size = empty ? 0 : response->file >= 0 ? response->file_size : payload.bytes.length;
    struct MHD_Response *made = make_content(response, &payload, empty);
    if (!made)
        return MHD_NO;
    add_headers(connection, made, &payload, !empty);
    connection->sent = request->method == METHOD_HEAD ? 0 : size;
    connection->status = status;
    atomic_store(&connection->phase, PHASE_WORK);
    connection_move(connection, PHASE_WORK, PHASE_SEND, connection->http->options.send_ms, size);
    enum MHD_Result queued = MHD_queue_response(connection->mhd, status, made);
    MHD_destroy_response(made);
    return queued;
}
