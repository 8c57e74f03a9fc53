/* Counters, gauges and histograms in the Prometheus text format. They are created once and then
   updated from any thread without a lock. */
#ifndef HTTP_METRICS_H
#define HTTP_METRICS_H

#include "base/buffer.h"

typedef struct Metrics Metrics;
typedef struct Metric Metric;

Metrics *metrics_new(void);
void metrics_free(Metrics *metrics);

/* Creates a metric, which lives as long as the Metrics. `name` and `help` are constants; `label`
   may be NULL; `value` may be any text. Metrics of the same name differ in the label's value. */
Metric *metrics_counter(Metrics *metrics, const char *name, const char *help, const char *label,
                        const char *value);
Metric *metrics_gauge(Metrics *metrics, const char *name, const char *help, const char *label,
                      const char *value);

/* A histogram of durations from 0.25 ms to 10 s. */
Metric *metrics_histogram(Metrics *metrics, const char *name, const char *help, const char *label,
                          const char *value);

void metric_add(Metric *metric, int64_t amount);
void metric_set(Metric *metric, int64_t value);
void metric_observe(Metric *metric, int64_t nanoseconds);
int64_t metric_value(const Metric *metric);

void metrics_write(Metrics *metrics, Buffer *to);

#endif
