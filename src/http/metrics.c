/* See metrics.h. */
#include "http/metrics.h"

#include "base/memory.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef enum MetricKind { COUNTER, GAUGE, HISTOGRAM } MetricKind;

static const struct {
    int64_t most; /* nanoseconds */
    const char *text;
} bounds[] = {
    {250000, "0.00025"}, {500000, "0.0005"},  {1000000, "0.001"},  {2500000, "0.0025"},
    {5000000, "0.005"},  {10000000, "0.01"},  {25000000, "0.025"}, {50000000, "0.05"},
    {100000000, "0.1"},  {250000000, "0.25"}, {500000000, "0.5"},  {1000000000, "1"},
    {2500000000, "2.5"}, {5000000000, "5"},   {10000000000, "10"},
};

enum { BOUNDS = sizeof bounds / sizeof bounds[0] };

struct Metric {
    MetricKind kind;
    const char *name;
    const char *help;
    char *label;  /* as written, without braces: route="users"; empty for none */
    Metric *next; /* with the same name */
    Metric *next_name;
    _Atomic int64_t value;               /* for a histogram, the sum in nanoseconds */
    _Atomic uint64_t counts[BOUNDS + 1]; /* per bucket, not cumulative */
};

struct Metrics {
    pthread_mutex_t lock;
    Metric *first;
};

Metrics *metrics_new(void) {
    Metrics *metrics = xcalloc(1, sizeof *metrics);
    pthread_mutex_init(&metrics->lock, NULL);
    return metrics;
}

void metrics_free(Metrics *metrics) {
    if (!metrics)
        return;
    for (Metric *name = metrics->first; name;) {
        Metric *next_name = name->next_name;
        for (Metric *metric = name; metric;) {
            Metric *next = metric->next;
            free(metric->label);
            free(metric);
            metric = next;
        }
        name = next_name;
    }
    pthread_mutex_destroy(&metrics->lock);
    free(metrics);
}

static char *label_text(const char *label, const char *value) {
    Buffer text = {0};
    if (label) {
        buffer_format(&text, "%s=\"", label);
        for (const char *c = value; *c; c++) {
            if (*c == '\\' || *c == '"')
                buffer_char(&text, '\\');
            buffer_char(&text, (unsigned char)*c < 0x20 ? ' ' : *c);
        }
        buffer_char(&text, '"');
    }
    buffer_string(&text);
    return text.data;
}

static Metric *add(Metrics *metrics, MetricKind kind, const char *name, const char *help,
                   const char *label, const char *value) {
    Metric *metric = xcalloc(1, sizeof *metric);
    metric->kind = kind;
    metric->name = name;
    metric->help = help;
    metric->label = label_text(label, value);
    pthread_mutex_lock(&metrics->lock);
    Metric **place = &metrics->first;
    while (*place && strcmp((*place)->name, name) != 0)
        place = &(*place)->next_name;
    while (*place)
        place = &(*place)->next;
    *place = metric;
    pthread_mutex_unlock(&metrics->lock);
    return metric;
}

Metric *metrics_counter(Metrics *metrics, const char *name, const char *help, const char *label,
                        const char *value) {
    return add(metrics, COUNTER, name, help, label, value);
}

Metric *metrics_gauge(Metrics *metrics, const char *name, const char *help, const char *label,
                      const char *value) {
    return add(metrics, GAUGE, name, help, label, value);
}

Metric *metrics_histogram(Metrics *metrics, const char *name, const char *help, const char *label,
                          const char *value) {
    return add(metrics, HISTOGRAM, name, help, label, value);
}

void metric_add(Metric *metric, int64_t amount) {
    atomic_fetch_add_explicit(&metric->value, amount, memory_order_relaxed);
}

void metric_set(Metric *metric, int64_t value) {
    atomic_store_explicit(&metric->value, value, memory_order_relaxed);
}

int64_t metric_value(const Metric *metric) {
    return atomic_load_explicit(&metric->value, memory_order_relaxed);
}

void metric_observe(Metric *metric, int64_t nanoseconds) {
    uint32_t range = 0;
    while (range < BOUNDS && nanoseconds > bounds[range].most)
        range++;
    atomic_fetch_add_explicit(&metric->counts[range], 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&metric->value, nanoseconds, memory_order_relaxed);
}

static void write_histogram(const Metric *metric, Buffer *to) {
    const char *comma = metric->label[0] ? "," : "";
    uint64_t count = 0;
    for (uint32_t i = 0; i <= BOUNDS; i++) {
        count += atomic_load_explicit(&metric->counts[i], memory_order_relaxed);
        buffer_format(to, "%s_bucket{%s%sle=\"%s\"} %llu\n", metric->name, metric->label, comma,
                      i < BOUNDS ? bounds[i].text : "+Inf", (unsigned long long)count);
    }
    const char *open = metric->label[0] ? "{" : "";
    const char *close = metric->label[0] ? "}" : "";
    buffer_format(to, "%s_sum%s%s%s %.9f\n", metric->name, open, metric->label, close,
                  (double)metric_value(metric) / 1e9);
    buffer_format(to, "%s_count%s%s%s %llu\n", metric->name, open, metric->label, close,
                  (unsigned long long)count);
}

void metrics_write(Metrics *metrics, Buffer *to) {
    static const char *const kinds[] = {"counter", "gauge", "histogram"};
    pthread_mutex_lock(&metrics->lock);
    for (const Metric *name = metrics->first; name; name = name->next_name) {
        buffer_format(to, "# HELP %s %s\n# TYPE %s %s\n", name->name, name->help, name->name,
                      kinds[name->kind]);
        for (const Metric *metric = name; metric; metric = metric->next) {
            if (metric->kind == HISTOGRAM)
                write_histogram(metric, to);
            else
                buffer_format(to, "%s%s%s%s %lld\n", metric->name, metric->label[0] ? "{" : "",
                              metric->label, metric->label[0] ? "}" : "",
                              (long long)metric_value(metric));
        }
    }
    pthread_mutex_unlock(&metrics->lock);
}
