/* One request and its response, from libmicrohttpd's callbacks to a handler and back.

   libmicrohttpd calls exchange_uri with the first line, then exchange_handle: once with the head,
   once for each piece of the body, once at the end; and again after a suspended connection was
   resumed. The connection's phase says which of these a call is. */
#include "http/connection.h"

#include "base/clock.h"
#include "http/problem.h"

#include <string.h>

/* Bytes of a body that are read and discarded so that the client reads our response: */
enum {
    DISCARDED_MAX = 256 << 10, /* of a body that turned out too long */
    REFUSED_MAX = 8 << 20,     /* of a body of known length whose request is rejected */
};

void *exchange_uri(void *context, const char *uri, struct MHD_Connection *mhd) {
    (void)context;
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    Connection *connection = info ? info->socket_context : NULL;
    if (!connection)
        return NULL;
    size_t length = strlen(uri);
    connection->uri_too_long = length > REQUEST_URI_MAX;
    buffer_clear(&connection->uri);
    if (!connection->uri_too_long)
        buffer_add(&connection->uri, uri, length);
    atomic_store(&connection->spoke, true);
    atomic_store(&connection->deadline, clock_now() + connection->http->options.head_ms * CLOCK_MS);
    return connection;
}

/* ---- the head ---- */

typedef struct HeadReader {
    Request *request;
    size_t bytes;
    uint32_t lengths; /* Content-Length headers */
    bool chunked;
    bool too_many;
    bool bad;
} HeadReader;

static enum MHD_Result take_header(void *context, enum MHD_ValueKind kind, const char *name,
                                   size_t name_size, const char *value, size_t value_size) {
    (void)kind;
    HeadReader *reader = context;
    Request *request = reader->request;
    Pair header = {{name, name_size}, {value ? value : "", value ? value_size : 0}};
    reader->bytes += name_size + value_size;
    reader->too_many = request->header_count == REQUEST_HEADERS_MAX;
    if (reader->too_many)
        return MHD_NO;
    for (size_t i = 0; i < header.value.length; i++) {
        unsigned char c = (unsigned char)header.value.at[i];
        reader->bad = reader->bad || (c < 0x20 && c != '\t') || c == 0x7f;
    }
    reader->lengths += decode_same_letters(header.name, "Content-Length");
    reader->chunked = reader->chunked || decode_same_letters(header.name, "Transfer-Encoding");
    request->headers[request->header_count++] = header;
    return MHD_YES;
}

/* Reads the headers. False if the response is a problem. */
static bool take_headers(Connection *connection, uint64_t *body_size) {
    Request *request = &connection->request;
    Response *response = &connection->response;
    HeadReader reader = {.request = request};
    MHD_get_connection_values_n(connection->mhd, MHD_HEADER_KIND, take_header, &reader);
    Slice value;
    int64_t length = 0;
    connection->announced = reader.chunked || reader.lengths > 0;
    if (reader.too_many || reader.bytes > REQUEST_HEAD_MAX) {
        connection->announced = true; /* unknown: there may be a body */
        problem(request, response, 431,
                "Too many headers: at most %d headers and %d bytes are allowed.",
                REQUEST_HEADERS_MAX, REQUEST_HEAD_MAX);
        return false;
    }
    if (reader.lengths == 1 && request_header(request, "Content-Length", &value) &&
        slice_int(value, &length) && length == 0 && !reader.chunked)
        connection->announced = false;
    if (reader.bad || reader.lengths > 1 || (reader.lengths && reader.chunked) || length < 0) {
        connection->announced = true;
        problem(request, response, 400,
                "The headers contradict each other or contain a control character.");
        return false;
    }
    *body_size = (uint64_t)length;
    if (request_header(request, "Cookie", &value))
        decode_cookies(value, request->cookies, REQUEST_COOKIES_MAX, &request->cookie_count);
    Slice forwarded = {0};
    if (!request_header(request, "X-Forwarded-For", &forwarded))
        forwarded = (Slice){0};
    request->address = address_forwarded(connection->peer, forwarded, connection->http->proxies,
                                         connection->http->options.proxy_count);
    return true;
}

static void set_allow(Response *response, uint32_t allowed) {
    Buffer text = {0};
    for (uint32_t method = 0; method < METHODS; method++)
        if (allowed & 1U << method)
            buffer_format(&text, "%s%s", text.length ? ", " : "", method_name((Method)method));
    response_header(response, HEADER_ALLOW, (Slice){text.data, text.length});
    buffer_free(&text);
}

/* A proxy may send "http://host/path". The host does not matter, only the path. */
static void skip_origin(char **uri, size_t *length) {
    Slice rest = {*uri, *length};
    if (!slice_skip(&rest, "http://") && !slice_skip(&rest, "https://"))
        return;
    const char *slash = rest.length ? memchr(rest.at, '/', rest.length) : NULL;
    size_t skipped = slash ? (size_t)(slash - *uri) : *length;
    *uri += skipped;
    *length -= skipped;
}

/* Finds the route. False if the response is already complete. */
static bool find_route(Connection *connection) {
    Request *request = &connection->request;
    Response *response = &connection->response;
    Error error = {0};
    if (connection->uri_too_long) {
        problem(request, response, 414, "The URL is longer than %d bytes.", REQUEST_URI_MAX);
        return false;
    }
    char *uri = connection->uri.data;
    size_t length = connection->uri.length;
    skip_origin(&uri, &length);
    char *mark = length ? memchr(uri, '?', length) : NULL;
    size_t path_length = mark ? (size_t)(mark - uri) : length;
    Slice segments[REQUEST_SEGMENTS_MAX];
    uint32_t count = 0;
    if (!decode_path(uri, path_length, segments, REQUEST_SEGMENTS_MAX, &count, &error) ||
        (mark && !decode_query(mark + 1, length - path_length - 1, request->query,
                               REQUEST_QUERY_MAX, &request->query_count, &error))) {
        problem(request, response, 400, "Invalid URL: %s.", error.text);
        return false;
    }
    uint32_t allowed = 0;
    request->route = router_find(connection->http->router, request, segments, count, &allowed);
    if (!allowed) {
        problem(request, response, 404, "Page not found.");
    } else if (request->method == METHOD_OPTIONS) {
        response->status = 204;
        set_allow(response, allowed);
    } else if (!request->route) {
        problem(request, response, 405,
                "Method not allowed; see the Allow header for the methods of this address.");
        set_allow(response, allowed);
    } else if (!route_check(request->route, request, &error)) {
        problem_about(request, response, 400, error.field, "%s", error.text);
    } else {
        return true;
    }
    return false;
}

/* Whether the client sent something that may log it in. */
static bool has_credentials(const Request *request) {
    Slice value;
    return request->cookie_count || request_header(request, "Authorization", &value);
}

static bool within_limits(Connection *connection) {
    const Request *request = &connection->request;
    const Http *http = connection->http;
    uint32_t rate = request->route->rate;
    uint32_t wait = !rate ? 0
                    : request->account
                        ? limits_take(http->limits, rate, ~request->account, request->began)
                        : limits_take_shared(http->limits, rate, address_key(request->address),
                                             http->options.people_per_address, request->began);
    if (wait)
        problem_retry(
            request, &connection->response, 429, wait,
            request->account ? "Rate limit reached; try again after the time in Retry-After."
            : has_credentials(request) ? "Rate limit of your network address reached; try again "
                                         "after the time in Retry-After."
                                       : "Rate limit of your network address reached; try again "
                                         "after the time in Retry-After, or log in.");
    return !wait;
}

/* Whether the request may proceed to its body and its handler. */
static bool let_in(Connection *connection, uint64_t body_size) {
    Request *request = &connection->request;
    Response *response = &connection->response;
    const Route *route = request->route;
    Slice type;
    /* The account is not known yet: first the limit of the address, then that of the account. */
    if (!within_limits(connection))
        return false;
    connection->admitted = true;
    if (connection->http->options.admit && !connection->http->options.admit(request, response))
        return false;
    if (request->account && !within_limits(connection))
        return false;
    if (body_size > route->body_max || (connection->announced && !route->body_max)) {
        problem(request, response, 413, "The body is too large; at most %zu bytes are allowed.",
                route->body_max);
        return false;
    }
    if (route->takes && !(request_header(request, "Content-Type", &type) &&
                          decode_is_type(type, content_type_name(TYPE_JSON)))) {
        problem(request, response, 415,
                "The body must be JSON; set Content-Type to application/json.");
        return false;
    }
    return !route->permit || route->permit(request, response);
}

/* ---- answering ---- */

static void work_now(void *context) {
    Connection *connection = context;
    connection->request.work(&connection->request, &connection->response);
    atomic_store(&connection->phase, PHASE_READY);
    MHD_resume_connection(connection->mhd); /* do not touch the connection after this */
}

static void viewer_gone(void *context) {
    Connection *connection = context;
    atomic_store(&connection->phase, PHASE_GONE);
    MHD_resume_connection(connection->mhd);
}

static enum MHD_Result start_work(Connection *connection) {
    Http *http = connection->http;
    MHD_suspend_connection(connection->mhd);
    if (!thread_pool_submit(http->pools[connection->request.pool], work_now, connection)) {
        problem_retry(&connection->request, &connection->response, 503, 5,
                      "The server is busy; try again in a few seconds.");
        atomic_store(&connection->phase, PHASE_READY);
        MHD_resume_connection(connection->mhd);
    }
    return MHD_YES;
}

static void refuse_viewer(Connection *connection, LiveJoin why) {
    const Request *request = &connection->request;
    Response *response = &connection->response;
    if (why == LIVE_OVER)
        response->status = 204; /* tells browsers not to reconnect */
    else if (why == LIVE_NO_TOPIC)
        problem(request, response, 404, "Unknown stream.");
    else
        problem_retry(request, response, 503, 10,
                      "Too many viewers, in total or from your address; try again later.");
}

static enum MHD_Result start_stream(Connection *connection) {
    Request *request = &connection->request;
    if (request->method == METHOD_HEAD) {
        connection->response.type = TYPE_EVENTS;
        return send_response(connection);
    }
    Buffer head = {0};
    send_stream_head(&head);
    LiveViewer viewer = {.socket = connection->socket,
                         .address = address_key(request->address),
                         .topic = request->topic,
                         .from = request->from,
                         .last_id = request->last_id,
                         .head = {head.data, head.length},
                         .gone = viewer_gone,
                         .context = connection};
    connection->status = 200;
    atomic_store(&connection->phase, PHASE_LIVE);
    MHD_suspend_connection(connection->mhd);
    LiveJoin joined = live_join(connection->http->live, &viewer);
    if (joined != LIVE_JOINED) {
        refuse_viewer(connection, joined);
        atomic_store(&connection->phase, PHASE_READY);
        MHD_resume_connection(connection->mhd);
    }
    buffer_free(&head);
    return MHD_YES;
}

static enum MHD_Result answer(Connection *connection) {
    Request *request = &connection->request;
    Response *response = &connection->response;
    request->body = (Slice){connection->body.data, connection->body.length};
    Outcome outcome = request->route->handle(request, response);
    if (outcome == OUTCOME_ANSWERED)
        return send_response(connection);
    if (atomic_load(&connection->http->stopping)) {
        problem_retry(request, response, 503, 5,
                      "The server is stopping; try again in a few seconds.");
        return send_response(connection);
    }
    return outcome == OUTCOME_DEFERRED ? start_work(connection) : start_stream(connection);
}

/* ---- the steps of an exchange ---- */

static uint64_t new_id(Http *http) {
    /* Unique, without revealing how many requests there were: multiplying by an odd number is a
       permutation. */
    return (atomic_fetch_add(&http->next_id, 1) + 1) * UINT64_C(0x9e3779b97f4a7c15);
}

/* Whether the client waits for "100 Continue" before it sends the body. */
static bool awaits_continue(const Request *request) {
    Slice value;
    return request_header(request, "Expect", &value);
}

static enum MHD_Result begin(Connection *connection, const char *method) {
    Http *http = connection->http;
    Request *request = &connection->request;
    if (!connection_move(connection, PHASE_HEAD, PHASE_WORK, 0, 0))
        return MHD_NO;
    connection_busy(connection, true);
    /* Resetting the counts is enough; clearing the arrays would be slow. */
    request->query_count = request->header_count = request->cookie_count = 0;
    request->route = NULL;
    request->account = request->role = 0;
    request->session = NULL;
    request->body = (Slice){0};
    request->address = connection->peer;
    request->http = http;
    request->context = http->options.context;
    request->method = method_parse(method);
    request->id = new_id(http);
    request->began = clock_now();
    connection->announced = connection->overflow = connection->admitted = false;
    connection->refused = false;
    connection->close = false;
    connection->discarded = 0;
    uint64_t body_size = 0;
    bool good = take_headers(connection, &body_size) && find_route(connection) &&
                let_in(connection, body_size);
    connection->refused = !good;
    if (!good && !(body_size && body_size <= REFUSED_MAX && !awaits_continue(request))) {
        /* libmicrohttpd closes a connection that gets its response before the end of the request,
           so only clients that are still sending are answered at once. */
        connection->close = connection->announced;
        if (connection->announced)
            return send_response(connection);
        atomic_store(&connection->phase, PHASE_READY);
        return MHD_YES;
    }
    connection_move(connection, PHASE_WORK, PHASE_BODY, http->options.body_ms, body_size);
    return MHD_YES;
}

/* Takes a piece of the body. If the body is too long or the request is rejected, the rest is read
   and discarded up to a limit: clients read the response only after they have sent everything, and
   lose it if we close earlier. */
static enum MHD_Result take_body(Connection *connection, const char *upload, size_t *size) {
    if (connection->refused) {
        *size = 0;
        return MHD_YES;
    }
    size_t room = connection->request.route->body_max - connection->body.length;
    if (!connection->overflow && *size <= room) {
        buffer_add(&connection->body, upload, *size);
    } else {
        connection->overflow = true;
        connection->discarded += *size;
        if (connection->discarded > DISCARDED_MAX) {
            connection->status = 413;
            if (connection_move(connection, PHASE_BODY, PHASE_GONE, 0, 0))
                send_refusal(connection->socket, 413);
            return MHD_NO;
        }
    }
    *size = 0;
    return MHD_YES;
}

static enum MHD_Result end_body(Connection *connection) {
    if (!connection_move(connection, PHASE_BODY, PHASE_WORK, 0, 0))
        return MHD_NO;
    if (connection->refused)
        return send_response(connection);
    if (connection->overflow) {
        problem(&connection->request, &connection->response, 413,
                "The body is too large; at most %zu bytes are allowed.",
                connection->request.route->body_max);
        return send_response(connection);
    }
    return answer(connection);
}

enum MHD_Result exchange_handle(void *context, struct MHD_Connection *mhd, const char *url,
                                const char *method, const char *version, const char *upload,
                                size_t *upload_size, void **request_context) {
    (void)context;
    (void)mhd;
    (void)url;
    (void)version;
    Connection *connection = *request_context;
    if (!connection)
        return MHD_NO;
    switch ((Phase)atomic_load(&connection->phase)) {
    case PHASE_HEAD:
        return begin(connection, method);
    case PHASE_BODY:
        return *upload_size ? take_body(connection, upload, upload_size) : end_body(connection);
    case PHASE_READY:
        return send_response(connection);
    default:
        return MHD_NO;
    }
}

static void write_log(const Connection *connection, int64_t taken) {
    const Request *request = &connection->request;
    char id[REQUEST_ID_TEXT];
    char address[ADDRESS_TEXT];
    request_id_text(request, id);
    address_write(request->address, address);
    LogField fields[] = {
        {.name = "request", .text = id},
        {.name = "address", .text = address},
        {.name = "method", .text = method_name(request->method)},
        {.name = "route", .text = request->route ? request->route->name : "none"},
        {.name = "status", .number = connection->status},
        {.name = "bytes", .number = (int64_t)connection->sent},
        {.name = "microseconds", .number = taken / 1000},
        {.name = "account", .number = (int64_t)request->account},
    };
    uint32_t count = sizeof fields / sizeof fields[0];
    log_write(connection->http->options.log, connection->status >= 500 ? LOG_WARNING : LOG_INFO,
              "request", fields, request->account ? count : count - 1);
}

void exchange_completed(void *context, struct MHD_Connection *mhd, void **request_context,
                        enum MHD_RequestTerminationCode code) {
    (void)mhd;
    (void)code;
    Http *http = context;
    Connection *connection = *request_context;
    *request_context = NULL;
    if (!connection)
        return;
    Request *request = &connection->request;
    if (request->began) {
        int64_t taken = clock_now() - request->began;
        uint32_t index = request->route ? (uint32_t)(request->route - http->options.routes)
                                        : http->options.route_count;
        int phase = atomic_load(&connection->phase);
        if (phase == PHASE_EXPIRED && !connection->status)
            connection->status = 408;
        metric_observe(http->route_times[index], taken);
        if (connection->status)
            metric_add(http->answers[connection->status / 100 % 6], 1);
        write_log(connection, taken);
        if (connection->admitted && http->options.dismiss)
            http->options.dismiss(request);
        request->began = 0;
        connection->status = 0;
        connection->sent = 0;
        response_reset(&connection->response);
        buffer_clear(&connection->body);
        if (connection->body.capacity > BODY_KEPT)
            buffer_free(&connection->body);
        connection_busy(connection, false);
    }
    atomic_store(&connection->spoke, false);
    atomic_store(&connection->deadline, clock_now() + http->options.idle_ms * CLOCK_MS);
    int phase = atomic_load(&connection->phase);
    if (phase != PHASE_EXPIRED && phase != PHASE_GONE)
        atomic_compare_exchange_strong(&connection->phase, &phase, PHASE_HEAD);
}
