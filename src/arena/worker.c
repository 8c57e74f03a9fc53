/* See worker.h. */
#include "arena/worker.h"

#include "arena/bots/bots.h"
#include "arena/disk.h"
#include "arena/figures.h"
#include "arena/match_limits.h"
#include "arena/play/play.h"
#include "base/memory.h"

#include <stdlib.h>
#include <unistd.h>

enum { LOG_FD = STDERR_FILENO };

static bool start(Arena *worker, Error *error) {
    StoreOptions options = {.directory = worker->options.data,
                            .database = worker->options.store,
                            .files = worker->options.files,
                            .file_cache = (int64_t)worker->options.file_cache,
                            .joins = true};
    worker->figures = figures_new(worker, &options.watch);
    return (worker->store = store_open(&options, error)) && match_limits_load(worker, error) &&
           versions_clean(worker, error) && topic_relay_start(worker, error) &&
           (worker->engine = engine_new(worker, error)) && engine_start(worker->engine, error);
}

Arena *worker_start(const ArenaOptions *options, Error *error) {
    Arena *worker = xcalloc(1, sizeof *worker);
    worker->options = *options;
    worker->options.is_worker = true;
    worker->options.lease_seconds = LEASE_SECONDS; /* unless match_limits_load finds another one */
    worker->log = log_new(LOG_FD, LOG_INFO);
    worker->metrics = metrics_new();
    worker->live = live_new(&(LiveOptions){.heartbeat_ms = 60000, .stall_ms = 60000});
    if (start(worker, error)) {
        disk_measure(worker);
        return worker;
    }
    worker_stop(worker);
    return NULL;
}

const char *worker_name(const Arena *worker) {
    return engine_holder(worker->engine);
}

static void log_status(Arena *worker) {
    EngineCounts done = engine_counts(worker->engine);
    const LogField fields[] = {
        {.name = "matches", .number = done.matches},
        {.name = "builds", .number = done.builds},
        {.name = "checks", .number = done.checks},
        {.name = "job_failures", .number = done.failures},
    };
    figures_read(worker);
    figures_log(worker, fields, sizeof fields / sizeof *fields);
}

void worker_tick(Arena *worker) {
    if (figures_are_due(worker))
        log_status(worker);
    log_flush(worker->log);
    disk_measure(worker);
    versions_empty_trash(worker);
}

void worker_drain(Arena *worker, uint32_t drain_ms) {
    engine_drain(worker->engine, drain_ms);
}

bool worker_is_drained(const Arena *worker) {
    return engine_has_ended(worker->engine);
}

void worker_stop(Arena *worker) {
    Error error;
    if (!worker)
        return;
    engine_stop(worker->engine, 0);
    if (worker->engine)
        log_status(worker);
    topic_relay_stop(worker->relay);
    live_close(worker->live);
    live_free(worker->live);
    engine_free(worker->engine);
    topic_relay_free(worker->relay);
    versions_empty_trash(worker);
    if (!store_close(worker->store, &error))
        log_write(worker->log, LOG_ERROR, "store", &(LogField){"error", error.text, 0}, 1);
    figures_free(worker->figures);
    metrics_free(worker->metrics);
    log_free(worker->log);
    free(worker);
}
