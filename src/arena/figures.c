/* See figures.h. */
#include "arena/figures.h"

#include "base/clock.h"
#include "base/memory.h"

#include <stdlib.h>

enum { KINDS = 7, FIELDS_MAX = 24, LOG_SECONDS = 60 };

struct Figures {
    Metric *works[STORE_WORKS];
    Metric *transaction_failures;
    Metric *file_failures;
    Metric *events[STORE_EVENTS];
    Metric *up;
    Metric *connections;
    Metric *connections_used;
    Metric *reconnects;
    Metric *oldest[KINDS];
    Metric *oldest_lease;
    Metric *repeated;
    int64_t next_log; /* clock_now */
};

/* ---- what the store reports, from any thread ---- */

static bool is_of_files(StoreWork work) {
    return work >= WORK_FILE_PUT;
}

static void take_work(void *context, StoreWork work, int64_t nanoseconds, bool failed) {
    Figures *figures = context;
    metric_observe(figures->works[work], nanoseconds);
    if (failed)
        metric_add(is_of_files(work) ? figures->file_failures : figures->transaction_failures, 1);
}

static void take_event(void *context, StoreEvent event, uint32_t times) {
    const Figures *figures = context;
    metric_add(figures->events[event], times);
}

/* ---- metrics ---- */

static void make_works(Figures *figures, Metrics *metrics) {
    static const char *const names[STORE_WORKS] = {
        [WORK_READ] = "read",       [WORK_WRITE] = "write",       [WORK_QUEUE] = "queue",
        [WORK_BESIDE] = "small",    [WORK_FILE_PUT] = "put",      [WORK_FILE_GET] = "get",
        [WORK_FILE_HAS] = "exists", [WORK_FILE_DELETE] = "delete"};
    for (StoreWork work = 0; work < STORE_WORKS; work++)
        figures->works[work] =
            is_of_files(work)
                ? metrics_histogram(metrics, "skirmish_files_request_seconds",
                                    "Duration of requests to the file storage.", "request",
                                    names[work])
                : metrics_histogram(metrics, "skirmish_store_transaction_seconds",
                                    "Duration of transactions, including the wait for a connection "
                                    "and for other writers.",
                                    "transaction", names[work]);
}

static void make_events(Figures *figures, Metrics *metrics) {
    static const struct {
        const char *name;
        const char *help;
    } events[STORE_EVENTS] = {
        [EVENT_COLLIDED] = {"skirmish_store_collisions_total",
                            "Transactions that failed because of a conflict; most are retried."},
        [EVENT_LEASE_EXPIRED] = {"skirmish_leases_expired_total",
                                 "Leases that this process found to have expired."},
        [EVENT_CACHE_HIT] = {"skirmish_files_cache_hits_total", "Files read from the cache."},
        [EVENT_CACHE_MISS] = {"skirmish_files_cache_misses_total",
                              "Files that were not in the cache."},
    };
    for (StoreEvent event = 0; event < STORE_EVENTS; event++)
        figures->events[event] =
            metrics_counter(metrics, events[event].name, events[event].help, NULL, NULL);
}

static void make_queue(Figures *figures, Metrics *metrics) {
    static const char *const kinds[KINDS] = {"build", "play_now", "tournament", "ladder",
                                             "check", "analysis", "person"};
    for (uint32_t i = 0; i < KINDS; i++)
        figures->oldest[i] =
            metrics_gauge(metrics, "skirmish_queue_oldest_seconds",
                          "How long the oldest waiting job has been in the queue; 0 if none waits.",
                          "kind", kinds[i]);
    figures->oldest_lease = metrics_gauge(
        metrics, "skirmish_queue_oldest_lease_seconds",
        "How long the oldest running job has been running; 0 if none runs.", NULL, NULL);
    figures->repeated =
        metrics_gauge(metrics, "skirmish_queue_repeated",
                      "Running jobs that have failed before, or whose lease expired.", NULL, NULL);
}

Figures *figures_new(Arena *arena, StoreWatch *watch) {
    Figures *figures = xcalloc(1, sizeof *figures);
    Metrics *metrics = arena->metrics;
    *watch = (StoreWatch){.context = figures, .worked = take_work, .happened = take_event};
    metric_set(metrics_gauge(metrics, "skirmish_store_info", "The database engine.", "engine",
                             arena->options.store ? "postgresql" : "sqlite"),
               1);
    make_works(figures, metrics);
    make_events(figures, metrics);
    make_queue(figures, metrics);
    figures->transaction_failures = metrics_counter(
        metrics, "skirmish_store_errors_total",
        "Transactions that failed, for example for lack of a connection.", NULL, NULL);
    figures->file_failures = metrics_counter(metrics, "skirmish_files_errors_total",
                                             "Failed requests to the file storage.", NULL, NULL);
    figures->up = metrics_gauge(metrics, "skirmish_store_up",
                                "1 if the database could be read a moment ago.", NULL, NULL);
    figures->connections = metrics_gauge(
        metrics, "skirmish_store_connections",
        "Connections to the database, without those for notifications and leading.", NULL, NULL);
    figures->connections_used =
        metrics_gauge(metrics, "skirmish_store_connections_used",
                      "Connections to the database that are in use.", NULL, NULL);
    figures->reconnects =
        metrics_counter(metrics, "skirmish_store_reconnects_total",
                        "Connections to the database that were lost and replaced.", NULL, NULL);
    return figures;
}

void figures_free(Figures *figures) {
    free(figures);
}

/* ---- what is read ---- */

static void read_ages(const Figures *figures, const StoreQueueAges *ages) {
    const int64_t oldest[KINDS] = {ages->builds,
                                   ages->matches[MATCH_PLAY_NOW],
                                   ages->matches[MATCH_TOURNAMENT],
                                   ages->matches[MATCH_LADDER],
                                   ages->checks,
                                   ages->analyses,
                                   ages->people};
    for (uint32_t i = 0; i < KINDS; i++)
        metric_set(figures->oldest[i], oldest[i] / 1000);
    metric_set(figures->oldest_lease, ages->lease / 1000);
    metric_set(figures->repeated, ages->repeated);
}

void figures_read(Arena *arena) {
    const Figures *figures = arena->figures;
    StoreQueueAges ages;
    Error error;
    if (!figures)
        return; /* a test has no metrics */
    bool good = store_queue_ages(arena->store, &ages, &error) == STORE_OK;
    StoreConnections connections = store_connections(arena->store);
    metric_set(figures->up, good);
    if (good)
        read_ages(figures, &ages);
    metric_set(figures->connections, connections.open);
    metric_set(figures->connections_used, connections.used);
    metric_set(figures->reconnects, (int64_t)connections.reconnects);
}

bool figures_are_due(const Arena *arena) {
    Figures *figures = arena->figures;
    int64_t now = clock_now();
    bool due = now >= figures->next_log;
    if (due)
        figures->next_log = now + LOG_SECONDS * (1000 * CLOCK_MS);
    return due;
}

void figures_log(const Arena *arena, const LogField *more, uint32_t count) {
    const Figures *figures = arena->figures;
    LogField fields[FIELDS_MAX] = {
        {.name = "store_up", .number = metric_value(figures->up)},
        {.name = "store_errors", .number = metric_value(figures->transaction_failures)},
        {.name = "store_collisions", .number = metric_value(figures->events[EVENT_COLLIDED])},
        {.name = "store_connections", .number = metric_value(figures->connections)},
        {.name = "store_reconnects", .number = metric_value(figures->reconnects)},
        {.name = "leases_expired", .number = metric_value(figures->events[EVENT_LEASE_EXPIRED])},
        {.name = "files_errors", .number = metric_value(figures->file_failures)},
        {.name = "file_cache_hits", .number = metric_value(figures->events[EVENT_CACHE_HIT])},
        {.name = "file_cache_misses", .number = metric_value(figures->events[EVENT_CACHE_MISS])},
    };
    uint32_t all = 0;
    while (fields[all].name)
        all++;
    for (uint32_t i = 0; i < count && all < FIELDS_MAX; i++)
        fields[all++] = more[i];
    log_write(arena->log, LOG_INFO, "status", fields, all);
}
