/* A server for the tests: src/http/ with a few demonstration routes. Prints its port, logs to
   standard error, and stops when its standard input ends. Options are pairs of a name and a value:
   demo_server head-ms 300 pool-queue 1 ... */
#include "base/json.h"
#include "http/http.h"
#include "http/openapi.h"
#include "http/problem.h"

#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef struct DemoServer {
    Http *http;
    Body *rows;
    Log *log;
    sem_t release;
} DemoServer;

static DemoServer demo;

static void write_pairs(JsonOut *out, const char *key, const Pair *pairs, uint32_t count) {
    json_open(out, key, '[');
    for (uint32_t i = 0; i < count; i++) {
        json_open(out, NULL, '[');
        json_out_string(out, NULL, pairs[i].name);
        json_out_string(out, NULL, pairs[i].value);
        json_close(out, ']');
    }
    json_close(out, ']');
}

static Outcome handle_echo(Request *request, Response *response) {
    char address[ADDRESS_TEXT];
    address_write(request->address, address);
    JsonOut out = {.to = &response->bytes};
    json_open(&out, NULL, '{');
    json_out_text(&out, "method", method_name(request->method));
    json_out_string(&out, "name", request_path(request, "name"));
    json_out_text(&out, "address", address);
    json_out_int(&out, "limit", request_number(request, "limit", -1));
    write_pairs(&out, "query", request->query, request->query_count);
    write_pairs(&out, "cookies", request->cookies, request->cookie_count);
    Slice session;
    json_out_bool(&out, "session", request_cookie(request, "session", &session));
    json_close(&out, '}');
    return OUTCOME_ANSWERED;
}

static Outcome handle_bytes(Request *request, Response *response) {
    response->type = TYPE_BYTES;
    buffer_add(&response->bytes, request->body.at, request->body.length);
    return OUTCOME_ANSWERED;
}

static Outcome handle_files(Request *request, Response *response) {
    Slice path = request_path(request, "path");
    response->type = TYPE_TEXT;
    buffer_add(&response->bytes, path.at, path.length);
    return OUTCOME_ANSWERED;
}

static Outcome handle_rows(Request *request, Response *response) {
    (void)request;
    response_share(response, demo.rows);
    return OUTCOME_ANSWERED;
}

static Outcome handle_big(Request *request, Response *response) {
    int64_t size = request_number(request, "size", 0);
    Slice secret;
    response->type = TYPE_TEXT;
    response->secret = request_query(request, "secret", &secret);
    for (int64_t i = 0; i < size; i++)
        buffer_char(&response->bytes, (char)('a' + i % 20));
    response_tag(response);
    return OUTCOME_ANSWERED;
}

static Outcome handle_file(Request *request, Response *response) {
    static const char content[] = "as it is in the file";
    (void)request;
    response->file = memfd_create("file", MFD_CLOEXEC);
    if (response->file < 0 || write(response->file, content, sizeof content - 1) < 0)
        return problem(request, response, 500, "The file could not be created.");
    response->file_size = sizeof content - 1;
    response->encoding = ENCODING_ZSTD;
    response->type = TYPE_BYTES;
    response->cache = CACHE_FOREVER;
    return OUTCOME_ANSWERED;
}

/* A file larger than the buffers of the kernel. */
static Outcome handle_big_file(Request *request, Response *response) {
    response->file = memfd_create("big file", MFD_CLOEXEC);
    response->file_size = 50000000;
    response->type = TYPE_BYTES;
    if (response->file < 0 || ftruncate(response->file, (off_t)response->file_size) != 0)
        return problem(request, response, 500, "The file could not be created.");
    return OUTCOME_ANSWERED;
}

static Outcome handle_page(Request *request, Response *response) {
    (void)request;
    response->type = TYPE_HTML;
    buffer_text(&response->bytes, "<!doctype html><title>a page</title>");
    return OUTCOME_ANSWERED;
}

/* Copies the body, which may contain anything, to the log, a header and a cookie. */
static Outcome handle_inject(Request *request, Response *response) {
    Buffer text = {0};
    buffer_add(&text, request->body.at, request->body.length);
    log_write(demo.log, LOG_WARNING, "inject",
              &(LogField){.name = "text", .text = buffer_string(&text)}, 1);
    response->status = 303;
    response_header(response, HEADER_LOCATION, request->body);
    response_cookie(response, "kept", request->body, 60, true);
    buffer_free(&text);
    return OUTCOME_ANSWERED;
}

static void work_slowly(Request *request, Response *response) {
    while (sem_wait(&demo.release) != 0)
        continue;
    response->type = TYPE_TEXT;
    buffer_format(&response->bytes, "done for %.*s", SLICE_ARGS(request_path(request, "name")));
}

static Outcome handle_slow(Request *request, Response *response) {
    (void)response;
    return request_defer(request, work_slowly);
}

static Outcome handle_release(Request *request, Response *response) {
    (void)request;
    sem_post(&demo.release);
    response->status = 204;
    return OUTCOME_ANSWERED;
}

static Outcome handle_account(Request *request, Response *response) {
    JsonOut out = {.to = &response->bytes};
    json_open(&out, NULL, '{');
    json_out_uint(&out, "account", request->account);
    json_close(&out, '}');
    return OUTCOME_ANSWERED;
}

/* ---- live streams ---- */

static const char *topic_of(const Request *request, char text[LIVE_TOPIC_MAX]) {
    Slice name = request_path(request, "topic");
    snprintf(text, LIVE_TOPIC_MAX, "%.*s", SLICE_ARGS(name));
    return text;
}

static Outcome handle_watch(Request *request, Response *response) {
    (void)response;
    char topic[LIVE_TOPIC_MAX];
    Slice from = slice_of("start");
    request_query(request, "from", &from);
    return request_watch(request, topic_of(request, topic),
                         slice_equals(from, "now")    ? LIVE_FROM_NOW
                         : slice_equals(from, "last") ? LIVE_FROM_LAST
                                                      : LIVE_FROM_START);
}

static Outcome handle_publish(Request *request, Response *response) {
    char topic[LIVE_TOPIC_MAX];
    topic_of(request, topic);
    Live *live = http_live(request->http);
    live_open(live, topic, 100, 4 << 20);
    uint64_t id = live_publish(live, topic, "turn", request->body);
    buffer_format(&response->bytes, "{\"id\":%llu}", (unsigned long long)id);
    return OUTCOME_ANSWERED;
}

static Outcome handle_end(Request *request, Response *response) {
    char topic[LIVE_TOPIC_MAX];
    live_end(http_live(request->http), topic_of(request, topic));
    response->status = 204;
    return OUTCOME_ANSWERED;
}

static Outcome handle_forget(Request *request, Response *response) {
    char topic[LIVE_TOPIC_MAX];
    live_forget(http_live(request->http), topic_of(request, topic));
    response->status = 204;
    return OUTCOME_ANSWERED;
}

/* ---- routes ---- */

static Outcome handle_openapi(Request *request, Response *response);

#define NAME \
 { .name = "name", .about = "any word" }
#define TOPIC \
 { .name = "topic", .maximum = 60 }

static const Route routes[] = {
    {METHOD_GET, "/healthz", "health", http_handle_health, .needs = 0},
    {METHOD_GET, "/metrics", "metrics", http_handle_metrics, .any_query = true},
    {METHOD_GET, "/openapi.json", "openapi", handle_openapi, .summary = "This document"},
    {METHOD_GET, "/", "home", handle_page, .needs = 0},
    {METHOD_GET, "/echo/{name}", "echo", handle_echo, .summary = "Echo the request",
     .parameters = {NAME,
                    {.name = "limit", .kind = PARAMETER_NUMBER, .minimum = 1, .maximum = 200},
                    {.name = "order", .kind = PARAMETER_CHOICE, .choices = "newest oldest"},
                    {.name = "text"},
                    {.name = "a b"}},
     .gives = "Echo"},
    {METHOD_GET, "/echo/special", "special", handle_page, .needs = 0},
    {METHOD_PUT, "/echo/{name}", "put", handle_bytes, .body_max = 100, .parameters = {NAME},
     .summary = "Take a small body", .gives_type = TYPE_BYTES},
    {METHOD_DELETE, "/echo/{name}", "delete", handle_bytes, .parameters = {NAME}},
    {METHOD_POST, "/bytes", "bytes", handle_bytes, .body_max = 100000},
    {METHOD_POST, "/json", "json", handle_bytes, .body_max = 1000, .takes = "Echo",
     .summary = "Take JSON", .gives = "Echo", .gives_status = 201},
    {METHOD_GET, "/files/{path...}", "files", handle_files, .parameters = {{.name = "path"}}},
    {METHOD_GET, "/rows", "rows", handle_rows, .needs = 0},
    {METHOD_GET, "/big", "big", handle_big,
     .parameters = {{.name = "size", .kind = PARAMETER_NUMBER, .maximum = 50000000},
                    {.name = "secret"}}},
    {METHOD_GET, "/file", "file", handle_file, .needs = 0},
    {METHOD_GET, "/bigfile", "big_file", handle_big_file, .needs = 0},
    {METHOD_POST, "/inject", "inject", handle_inject, .body_max = 1000},
    {METHOD_GET, "/slow/{name}", "slow", handle_slow, .parameters = {NAME}},
    {METHOD_POST, "/release", "release", handle_release, .needs = 0},
    {METHOD_GET, "/account", "account", handle_account, .needs = 1, .rate = 2,
     .summary = "Show the account", .gives = "Echo"},
    {METHOD_POST, "/account", "upload", handle_bytes, .needs = 1, .body_max = 1 << 20},
    {METHOD_POST, "/megabytes", "megabytes", handle_bytes, .body_max = 4 << 20},
    {METHOD_GET, "/limited", "limited", handle_page, .rate = 1},
    {METHOD_GET, "/live/{topic}", "watch", handle_watch,
     .parameters = {TOPIC,
                    {.name = "from", .kind = PARAMETER_CHOICE, .choices = "start now last"}}},
    {METHOD_POST, "/live/{topic}", "publish", handle_publish, .body_max = 1 << 20,
     .parameters = {TOPIC}},
    {METHOD_POST, "/live/{topic}/end", "end", handle_end, .parameters = {TOPIC}},
    {METHOD_DELETE, "/live/{topic}", "forget", handle_forget, .parameters = {TOPIC}},
};

enum { ROUTES = sizeof routes / sizeof routes[0] };

static Outcome handle_openapi(Request *request, Response *response) {
    static const Schema schemas[] = {{"Echo", "{\"type\":\"object\"}"}};
    static const char *const roles[] = {"user"};
    OpenApi api = {.title = "Demonstration",
                   .version = "1",
                   .routes = routes,
                   .route_count = ROUTES,
                   .schemas = schemas,
                   .schema_count = 1,
                   .roles = roles};
    Error error = {0};
    if (!openapi_write(&api, &response->bytes, &error))
        return problem(request, response, 500, "%s", error.text);
    return OUTCOME_ANSWERED;
}

static bool admit(Request *request, Response *response) {
    Slice session;
    if (request_cookie(request, "session", &session) && slice_equals(session, "good"))
        request->account = 7;
    if (!request->route->needs || request->account)
        return true;
    problem(request, response, 401, "Log in first.");
    return false;
}

static Body *make_rows(void) {
    Buffer text = {0};
    JsonOut out = {.to = &text};
    json_open(&out, NULL, '[');
    for (int i = 0; i < 50; i++) {
        json_open(&out, NULL, '{');
        json_out_int(&out, "rank", i + 1);
        json_out_text(&out, "name", "a bot with a name");
        json_close(&out, '}');
    }
    json_close(&out, ']');
    return body_new(TYPE_JSON, &text);
}

typedef struct NumberOption {
    const char *name;
    uint32_t *value;
} NumberOption;

static bool set_option(const NumberOption *known, uint32_t count, const char *name,
                       const char *value) {
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(known[i].name, name) == 0) {
            *known[i].value = (uint32_t)strtoul(value, NULL, 10);
            return true;
        }
    return false;
}

static void read_options(HttpOptions *options, Network *proxy, uint32_t *drain_ms, int count,
                         char **arguments) {
    const NumberOption known[] = {
        {"head-ms", &options->head_ms},
        {"body-ms", &options->body_ms},
        {"idle-ms", &options->idle_ms},
        {"send-ms", &options->send_ms},
        {"stall-ms", &options->stall_ms},
        {"memory-mib", &options->memory_mib},
        {"drain-ms", drain_ms},
        {"connections", &options->connections_max},
        {"per-address", &options->connections_per_address},
        {"pool-threads", &options->pool_threads},
        {"pool-queue", &options->pool_queue},
        {"viewers", &options->live.viewers_max},
        {"viewers-per-address", &options->live.viewers_per_address},
        {"heartbeat-ms", &options->live.heartbeat_ms},
        {"viewer-stall-ms", &options->live.stall_ms},
        {"send-buffer", &options->live.send_buffer},
    };
    for (int i = 1; i + 1 < count; i += 2) {
        Error error = {.text = "unknown option"};
        if (strcmp(arguments[i], "proxy") == 0 &&
            network_parse(slice_of(arguments[i + 1]), proxy, &error)) {
            options->proxies = proxy;
            options->proxy_count = 1;
        } else if (strcmp(arguments[i], "host-names") == 0) {
            options->host_names = arguments[i + 1];
        } else if (!set_option(known, sizeof known / sizeof known[0], arguments[i],
                               arguments[i + 1])) {
            fprintf(stderr, "%s: %s\n", arguments[i], error.text);
            exit(2);
        }
    }
}

int main(int count, char **arguments) {
    static const LimitClass limits[] = {{0, 0}, {60, 3}, {60, 5}};
    Network proxy;
    uint32_t drain_ms = 5000;
    Metrics *metrics = metrics_new();
    demo.log = log_new(STDERR_FILENO, LOG_INFO);
    demo.rows = make_rows();
    sem_init(&demo.release, 0, 0);
    HttpOptions options = {.routes = routes,
                           .route_count = ROUTES,
                           .admit = admit,
                           .limits = limits,
                           .limit_count = sizeof limits / sizeof limits[0],
                           .log = demo.log,
                           .metrics = metrics};
    read_options(&options, &proxy, &drain_ms, count, arguments);
    Error error = {0};
    Http *http = http_start(&options, &error);
    if (!http) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    printf("%u\n", (unsigned)http_port(http));
    fflush(stdout);
    while (getchar() != EOF)
        continue;
    http_stop(http, drain_ms);
    body_release(demo.rows);
    log_free(demo.log);
    metrics_free(metrics);
    sem_destroy(&demo.release);
    return 0;
}
