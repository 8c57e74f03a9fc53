/* One request and its response: from the bytes of a head to a handler and back. connection.c calls
   these functions as bytes arrive; at its end, each begins the next phase of the connection. */
#include "http/connection.h"

#include "base/clock.h"
#include "http/host.h"
#include "http/problem.h"

#include <string.h>
#include <sys/socket.h>

/* ---- the head ---- */

static uint64_t new_id(Http *http) {
    /* Unique, without revealing how many requests there were: multiplying by an odd number is a
       permutation. */
    return (atomic_fetch_add(&http->next_id, 1) + 1) * UINT64_C(0x9e3779b97f4a7c15);
}

/* Prepares for a request, or for part of one that is answered with a problem. */
static void prepare(Connection *connection) {
    Http *http = connection->http;
    Request *request = &connection->request;
    /* Resetting the counts is enough; clearing the arrays would be slow. */
    request->query_count = request->header_count = request->cookie_count = 0;
    request->route = NULL;
    request->method = METHODS;
    request->account = request->role = 0;
    request->credential = 0;
    request->until = 0;
    request->session = NULL;
    request->body = (Slice){0};
    request->address = connection->peer;
    request->http = http;
    request->context = http->options.context;
    request->id = new_id(http);
    request->began = clock_now();
    connection->owner = address_key(connection->peer);
    connection->head.headers = request->headers;
    connection->admitted = connection->close = false;
    connection->busy = true;
    atomic_fetch_add(&http->busy, 1);
}

/* Finds the address of the client if the peer is a trusted proxy. */
static void find_client(Connection *connection) {
    Request *request = &connection->request;
    const Http *http = connection->http;
    uint32_t proxies = http->options.proxy_count;
    for (uint32_t i = proxies ? request->header_count : 0; i-- > 0;)
        if (decode_same_letters(request->headers[i].name, "X-Forwarded-For") &&
            !address_follow(&request->address, request->headers[i].value, http->proxies, proxies))
            return;
}

/* Reads the headers. False if the response is a problem. */
static bool take_head(Connection *connection) {
    Request *request = &connection->request;
    const Http *http = connection->http;
    Head *head = &connection->head;
    Error error = {0};
    Slice value;
    unsigned status =
        head_parse((Slice){connection->text.data, connection->text.length}, head, &error);
    request->header_count = head->header_count;
    request->method = method_parse(head->method);
    /* After an invalid head, the start of the next request is unknown. */
    connection->close = head->close || status;
    if (status) {
        problem(request, &connection->response, status, "%s", error.text);
        return false;
    }
    if (request_header(request, "Cookie", &value))
        decode_cookies(value, request->cookies, REQUEST_COOKIES_MAX, &request->cookie_count);
    find_client(connection);
    connection->owner = address_key(request->address);
    if (!host_is_served(http->options.host_names, head)) {
        problem(request, &connection->response, 421,
                "This server does not answer to the host name of the request. Use its address, or "
                "ask its operator to add the name to the option host-names.");
        return false;
    }
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

/* The path and the query of the target, to be decoded in place. A proxy may send
   "http://host/path". */
static char *path_of(const Connection *connection, size_t *length) {
    Slice rest = connection->head.target;
    if (slice_skip(&rest, "http://") || slice_skip(&rest, "https://")) {
        const char *slash = rest.length ? memchr(rest.at, '/', rest.length) : NULL;
        size_t skipped = slash ? (size_t)(slash - rest.at) : rest.length;
        rest = (Slice){rest.at + skipped, rest.length - skipped};
    }
    *length = rest.length;
    return connection->text.data + (rest.at - connection->text.data);
}

/* Finds the route. False if the response is already complete. */
static bool find_route(Connection *connection) {
    Request *request = &connection->request;
    Response *response = &connection->response;
    Error error = {0};
    size_t length = 0;
    char *uri = path_of(connection, &length);
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
                "Method not allowed. The Allow header lists the methods of this address.");
        set_allow(response, allowed);
    } else if (!route_check(request->route, request, &error)) {
        problem_about(request, response, 400, error.field, "%s", error.text);
    } else {
        return true;
    }
    return false;
}

/* Whether the client sent credentials. */
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
        problem_limit(request, &connection->response, wait,
                      request->account ? "Rate limit reached"
                                       : "Rate limit of your network address reached",
                      request->account || has_credentials(request) ? "" : ", or log in");
    return !wait;
}

/* Whether the request may proceed to its body and its handler. */
static bool let_in(Connection *connection) {
    Request *request = &connection->request;
    Response *response = &connection->response;
    const Route *route = request->route;
    Slice type;
    /* The address's limit comes first, because the account is only known after `admit`. */
    if (!within_limits(connection))
        return false;
    connection->admitted = true;
    request->revocations = live_revocations(connection->http->live);
    if (connection->http->options.admit && !connection->http->options.admit(request, response))
        return false;
    if (request->account && !within_limits(connection))
        return false;
    const Head *head = &connection->head;
    if (head->body_size > route->body_max || (head->announced && !route->body_max)) {
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
    loop_post(connection);
}

static void viewer_gone(void *context) {
    loop_post(context);
}

static void start_work(Connection *connection) {
    const Http *http = connection->http;
    connection_begin(connection, PHASE_WORK, 0, 0);
    ThreadPool *pool = http->pools[connection->request.pool];
    if (!pool || !thread_pool_submit(pool, work_now, connection)) {
        problem_retry(&connection->request, &connection->response, 503, 5,
                      "The server is busy; try again in a few seconds.");
        send_response(connection);
    }
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

static void start_stream(Connection *connection) {
    Request *request = &connection->request;
    if (request->method == METHOD_HEAD) {
        connection->response.type = TYPE_EVENTS;
        send_response(connection);
        return;
    }
    Buffer head = {0};
    send_stream_head(&head, request, loop_date(connection->loop));
    Live *live = connection->http->live;
    uint64_t revocations = request->revocations;
    LiveViewer viewer = {.socket = connection->socket,
                         .address = address_key(request->address),
                         .account = request->account,
                         .credential = request->credential,
                         .until = request->until,
                         .topic = request->topic,
                         .from = request->from,
                         .last_id = request->last_id,
                         .head = {head.data, head.length},
                         .gone = viewer_gone,
                         .context = connection};
    connection->status = 200;
    connection_begin(connection, PHASE_LIVE, 0, 0);
    loop_lend(connection);
    LiveJoin joined = live_join(live, &viewer);
    /* Do not touch the connection of a viewer that has joined. */
    if (joined == LIVE_JOINED && viewer.account && live_revocations(live) != revocations)
        live_revoke(live, viewer.account, viewer.credential);
    if (joined != LIVE_JOINED) {
        loop_take_back(connection);
        refuse_viewer(connection, joined);
        send_response(connection);
    }
    buffer_free(&head);
}

void exchange_answer(Connection *connection) {
    Request *request = &connection->request;
    Response *response = &connection->response;
    request->body = (Slice){connection->body.data, connection->body.length};
    Outcome outcome = request->route->handle(request, response);
    if (outcome != OUTCOME_ANSWERED && atomic_load(&connection->http->stopping)) {
        problem_retry(request, response, 503, 5,
                      "The server is stopping; try again in a few seconds.");
        outcome = OUTCOME_ANSWERED;
    }
    if (outcome == OUTCOME_ANSWERED)
        send_response(connection);
    else if (outcome == OUTCOME_DEFERRED)
        start_work(connection);
    else
        start_stream(connection);
}

void exchange_resume(Connection *connection) {
    if (connection->phase == PHASE_WORK)
        send_response(connection);
    else
        connection->phase = PHASE_GONE;
}

/* ---- the body ---- */

/* Sends the complete response of a rejected request. Skips the body if it has already arrived;
   otherwise closes the connection after the response, because the client may never send the
   body. */
static void answer_early(Connection *connection) {
    const Head *head = &connection->head;
    Buffer *in = &connection->in;
    bool arrived = !head->chunked && head->body_size <= in->length;
    if (arrived && !connection->close)
        buffer_drop(in, (size_t)head->body_size);
    else if (head->announced)
        connection->close = true;
    send_response(connection);
}

void exchange_start(Connection *connection, size_t size) {
    const Head *head = &connection->head;
    Buffer *text = &connection->text;
    prepare(connection);
    buffer_clear(text);
    buffer_add(text, connection->in.data, size);
    buffer_drop(&connection->in, size);
    if (!take_head(connection) || !find_route(connection) || !let_in(connection)) {
        answer_early(connection);
        return;
    }
    connection->body_left = head->body_size;
    connection->chunks = (Chunks){0};
    if (!head->announced) {
        exchange_answer(connection);
        return;
    }
    static const char go_on[] = "HTTP/1.1 100 Continue\r\n\r\n";
    if (head->expects && !head->old && !connection->in.length)
        (void)!send(connection->socket, go_on, sizeof go_on - 1, MSG_NOSIGNAL | MSG_DONTWAIT);
    connection_begin(connection, PHASE_BODY, connection->http->options.body_ms, head->body_size);
}

bool exchange_take_body(Connection *connection, Slice piece) {
    Request *request = &connection->request;
    Response *response = &connection->response;
    Buffer *body = &connection->body;
    if (piece.length > request->route->body_max - body->length) {
        problem(request, response, 413, "The body is too large; at most %zu bytes are allowed.",
                request->route->body_max);
    } else {
        buffer_reserve(body, piece.length);
        if (connection_hold(connection, body->capacity, false)) {
            buffer_add(body, piece.at, piece.length);
            return true;
        }
        problem_retry(request, response, 503, 5,
                      "The server is out of memory for requests; try again in a few seconds.");
    }
    connection->close = true;
    send_response(connection);
    return false;
}

void exchange_reject(Connection *connection, unsigned status, const char *detail) {
    if (!connection->request.began)
        prepare(connection);
    problem(&connection->request, &connection->response, status, "%s", detail);
    connection->close = true;
    send_response(connection);
}

/* ---- the end ---- */

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

/* Frees a buffer, or keeps it for the next request if it is small. */
static void reuse(Buffer *buffer) {
    buffer_clear(buffer);
    if (buffer->capacity > KEPT)
        buffer_free(buffer);
}

static void no_longer_busy(Connection *connection) {
    Http *http = connection->http;
    connection->busy = false;
    if (atomic_fetch_sub(&http->busy, 1) == 1 && atomic_load(&http->stopping)) {
        pthread_mutex_lock(&http->lock);
        pthread_cond_signal(&http->calm);
        pthread_mutex_unlock(&http->lock);
    }
}

void exchange_end(Connection *connection) {
    Http *http = connection->http;
    Request *request = &connection->request;
    if (!request->began)
        return;
    int64_t taken = clock_now() - request->began;
    uint32_t index = request->route ? (uint32_t)(request->route - http->options.routes)
                                    : http->options.route_count;
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
    reuse(&connection->out);
    reuse(&connection->body);
    reuse(&connection->text);
    if (!connection->in.length)
        reuse(&connection->in);
    connection_hold(connection, 0, true);
    no_longer_busy(connection);
}
