/* See http.h. Starting and stopping; exchange.c handles the requests. */
#include "http/connection.h"

#include "base/memory.h"
#include "http/problem.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    LIMIT_ENTRIES = 1 << 15,
    BACKLOG = 511,
    FILES_KEPT = 256, /* descriptors for everything except connections */
};

static const char usual_page_policy[] =
    "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; img-src 'self' data:; "
    "object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

static uint32_t at_most(uint64_t count, uint32_t most) {
    return count < most ? (uint32_t)count : most;
}

static void set_defaults(HttpOptions *options) {
    if (!options->people_per_address)
        options->people_per_address = 1;
    const struct {
        uint32_t *option;
        uint32_t usual;
    } defaults[] = {
        {&options->threads, 2},
        {&options->memory_mib, 256},
        {&options->connections_max, 4096},
        {&options->connections_per_address,
         at_most(UINT64_C(256) * options->people_per_address, UINT16_MAX)},
        {&options->head_ms, 10000},
        {&options->body_ms, 15000},
        {&options->idle_ms, 30000},
        {&options->send_ms, 30000},
        {&options->stall_ms, 20000},
        {&options->pool_threads, 2},
        {&options->pool_queue, 64},
        {&options->live.viewers_max, 2000},
        {&options->live.viewers_per_address,
         at_most(UINT64_C(64) * options->people_per_address, UINT16_MAX)},
        {&options->live.heartbeat_ms, 15000},
        {&options->live.stall_ms, 5000},
    };
    for (size_t i = 0; i < sizeof defaults / sizeof defaults[0]; i++)
        if (!*defaults[i].option)
            *defaults[i].option = defaults[i].usual;
    if (options->connections_max > UINT16_MAX)
        options->connections_max = UINT16_MAX;
    if (!options->address)
        options->address = "127.0.0.1";
    if (!options->page_policy)
        options->page_policy = usual_page_policy;
}

/* Opens a listening socket and sets `port` to its actual port. */
static int start_listening(const HttpOptions *options, uint16_t *port, Error *error) {
    struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_port = htons(options->port)};
    struct sockaddr_in four = {.sin_family = AF_INET, .sin_port = htons(options->port)};
    bool is_six = strchr(options->address, ':') != NULL;
    int yes = 1;
    if (inet_pton(is_six ? AF_INET6 : AF_INET, options->address,
                  is_six ? (void *)&six.sin6_addr : (void *)&four.sin_addr) != 1) {
        error_set(error, "cannot listen on \"%s\": not a numeric address", options->address);
        return -1;
    }
    struct sockaddr *address = is_six ? (void *)&six : (void *)&four;
    socklen_t length = is_six ? sizeof six : sizeof four;
    int listening =
        socket(is_six ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (listening < 0 || setsockopt(listening, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) != 0 ||
        bind(listening, address, length) != 0 || listen(listening, BACKLOG) != 0 ||
        getsockname(listening, address, &length) != 0) {
        error_set(error, "cannot listen on %s port %u: %s", options->address,
                  (unsigned)options->port, strerror(errno));
        if (listening >= 0)
            close(listening);
        return -1;
    }
    *port = ntohs(is_six ? six.sin6_port : four.sin_port);
    return listening;
}

static void make_metrics(Http *http) {
    static const char *const classes[6] = {"none", "1xx", "2xx", "3xx", "4xx", "5xx"};
    Metrics *metrics = http->options.metrics;
    uint32_t routes = http->options.route_count;
    http->route_times = xcalloc((size_t)routes + 1, sizeof(Metric *));
    for (uint32_t i = 0; i <= routes; i++)
        http->route_times[i] =
            metrics_histogram(metrics, "skirmish_http_request_seconds",
                              "Time from the end of the request head to the end of the response.",
                              "route", i < routes ? http->options.routes[i].name : "none");
    for (uint32_t i = 0; i < 6; i++)
        http->answers[i] = metrics_counter(metrics, "skirmish_http_responses_total",
                                           "Responses by status class.", "class", classes[i]);
    http->connections_now =
        metrics_gauge(metrics, "skirmish_http_connections", "Open connections.", NULL, NULL);
    http->connections_refused =
        metrics_counter(metrics, "skirmish_http_connections_refused_total",
                        "Connections refused because of the limit per address.", NULL, NULL);
    http->expired =
        metrics_counter(metrics, "skirmish_http_expired_total",
                        "Connections closed because they missed a deadline.", NULL, NULL);
    http->memory_now =
        metrics_gauge(metrics, "skirmish_http_memory_bytes",
                      "Memory in use for bodies, responses and streams.", NULL, NULL);
    http->memory_limit = metrics_gauge(metrics, "skirmish_http_memory_limit_bytes",
                                       "The limit of skirmish_http_memory_bytes.", NULL, NULL);
    http->memory_refused = metrics_counter(metrics, "skirmish_http_memory_refused_total",
                                           "Requests refused because of that limit.", NULL, NULL);
    http->viewers_now =
        metrics_gauge(metrics, "skirmish_live_viewers", "Viewers of live streams.", NULL, NULL);
    http->viewers_dropped =
        metrics_counter(metrics, "skirmish_live_dropped_total",
                        "Viewers dropped because they were too slow.", NULL, NULL);
    http->events_published =
        metrics_counter(metrics, "skirmish_live_events_total", "Events published.", NULL, NULL);
    http->deferred_now = metrics_gauge(metrics, "skirmish_deferred_pending",
                                       "Deferred requests, queued or running.", NULL, NULL);
}

/* Checks that the options provide everything that the routes refer to. */
static bool check_options(const HttpOptions *options, Error *error) {
    for (uint32_t i = 0; i < options->route_count; i++) {
        const Route *route = &options->routes[i];
        if (route->needs && !options->admit)
            return error_set(error, "route %s needs a role, but there is no admit function",
                             route->name);
        if (route->rate >= (options->limit_count ? options->limit_count : 1))
            return error_set(error, "route %s has an unknown rate limit", route->name);
    }
    return true;
}

static void free_all(Http *http) {
    loops_stop(http);
    limits_free(http->limits);
    for (Pool pool = 0; pool < POOLS; pool++)
        thread_pool_free(http->pools[pool]);
    if (http->live)
        live_close(http->live);
    live_free(http->live);
    budget_free(http->budget);
    address_sums_free(http->connections_by_address);
    router_free(http->router);
    pthread_mutex_destroy(&http->lock);
    pthread_cond_destroy(&http->calm);
    free(http->route_times);
    free(http->proxies);
    free(http);
}

/* Raises the limit on open files to what the connections need. If that is not allowed, lowers
   connections_max; further clients then wait until a connection is closed. */
static void raise_file_limit(HttpOptions *options) {
    struct rlimit limit;
    rlim_t wanted = options->connections_max + FILES_KEPT;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= wanted)
        return;
    limit.rlim_cur = wanted < limit.rlim_max ? wanted : limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    if (limit.rlim_cur >= wanted)
        return;
    rlim_t left = limit.rlim_cur > FILES_KEPT ? limit.rlim_cur - FILES_KEPT : 1;
    LogField fields[] = {{.name = "limit", .number = (int64_t)limit.rlim_cur},
                         {.name = "wanted", .number = (int64_t)wanted},
                         {.name = "connections", .number = (int64_t)left}};
    log_write(options->log, LOG_WARNING, "limit of open files is low", fields, 3);
    options->connections_max = (uint32_t)left;
}

static void copy_proxies(Http *http) {
    uint32_t count = http->options.proxy_count;
    http->proxies = xcalloc((size_t)count + 1, sizeof(Network));
    for (uint32_t i = 0; i < count; i++)
        http->proxies[i] = http->options.proxies[i];
}

static ThreadPool *new_pool(const HttpOptions *options, Pool pool) {
    uint32_t threads = pool == POOL_WAITING ? options->waiting_threads : options->pool_threads;
    return threads ? thread_pool_new(threads, options->pool_queue) : NULL;
}

Http *http_open(const HttpOptions *options, Error *error) {
    Http *http = xcalloc(1, sizeof *http);
    http->options = *options;
    set_defaults(&http->options);
    raise_file_limit(&http->options);
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&http->lock, NULL);
    pthread_cond_init(&http->calm, &monotonic);
    pthread_condattr_destroy(&monotonic);
    uint64_t secret;
    if (getrandom(&secret, sizeof secret, 0) != sizeof secret)
        abort();
    http->connections_by_address = address_sums_new(secret);
    http->next_id = secret >> 16;
    copy_proxies(http);
    http->router = router_new(options->routes, options->route_count, error);
    if (http->router && check_options(&http->options, error))
        http->listening = start_listening(&http->options, &http->port, error);
    else
        http->listening = -1;
    if (http->listening < 0) {
        free_all(http);
        return NULL;
    }
    make_metrics(http);
    http->limits = limits_new(options->limits, options->limit_count, LIMIT_ENTRIES);
    for (Pool pool = 0; pool < POOLS; pool++)
        http->pools[pool] = new_pool(&http->options, pool);
    http->budget =
        budget_new((uint64_t)http->options.memory_mib << 20, http->options.people_per_address);
    http->options.live.budget = http->budget;
    http->live = live_new(&http->options.live);
    return http;
}

bool http_serve(Http *http, Error *error) {
    return loops_start(http, error);
}

Http *http_start(const HttpOptions *options, Error *error) {
    Http *http = http_open(options, error);
    if (http && !http_serve(http, error)) {
        http_stop(http, 0);
        return NULL;
    }
    return http;
}

uint16_t http_port(const Http *http) {
    return http->port;
}

Live *http_live(Http *http) {
    return http->live;
}

Limits *http_limits(Http *http) {
    return http->limits;
}

/* Waits until no request is in progress, for at most `ms`. */
static void drain(Http *http, uint32_t ms) {
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += ms / 1000;
    until.tv_nsec += ms % 1000 * 1000000L;
    until.tv_sec += until.tv_nsec / 1000000000L;
    until.tv_nsec %= 1000000000L;
    pthread_mutex_lock(&http->lock);
    while (atomic_load(&http->busy) &&
           pthread_cond_timedwait(&http->calm, &http->lock, &until) != ETIMEDOUT)
        continue;
    pthread_mutex_unlock(&http->lock);
}

void http_stop(Http *http, uint32_t drain_ms) {
    if (!http)
        return;
    atomic_store(&http->stopping, true);
    shutdown(http->listening, SHUT_RDWR);
    live_close(http->live);
    /* Deferred work uses its connection, so it must finish first, however long it takes. */
    for (Pool pool = 0; pool < POOLS; pool++)
        if (http->pools[pool])
            thread_pool_close(http->pools[pool]);
    drain(http, drain_ms);
    loops_stop(http);
    close(http->listening);
    log_flush(http->options.log);
    free_all(http);
}

Outcome http_handle_health(Request *request, Response *response) {
    if (atomic_load(&request->http->stopping))
        return problem(request, response, 503, "The server is stopping.");
    buffer_text(&response->bytes, "{\"status\":\"ok\"}");
    return OUTCOME_ANSWERED;
}

Outcome http_handle_metrics(Request *request, Response *response) {
    Http *http = request->http;
    LiveCounts live = live_counts(http->live);
    BudgetCounts memory = budget_counts(http->budget);
    metric_set(http->connections_now, atomic_load(&http->connection_count));
    metric_set(http->memory_now, (int64_t)memory.used);
    metric_set(http->memory_limit, (int64_t)memory.most);
    metric_set(http->memory_refused, (int64_t)memory.refused);
    metric_set(http->viewers_now, (int64_t)live.viewers);
    metric_set(http->viewers_dropped, (int64_t)live.dropped);
    metric_set(http->events_published, (int64_t)live.published);
    uint32_t pending = 0;
    for (Pool pool = 0; pool < POOLS; pool++)
        pending += http->pools[pool] ? thread_pool_pending(http->pools[pool]) : 0;
    metric_set(http->deferred_now, pending);
    response->type = TYPE_METRICS;
    metrics_write(http->options.metrics, &response->bytes);
    return OUTCOME_ANSWERED;
}
