/* See worker.h. */
#include "arena/worker.h"

#include "arena/bots/bots.h"
#include "arena/disk.h"
#include "arena/limits.h"
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
    return (worker->store = store_open(&options, error)) && limits_load(worker, error) &&
           versions_clean(worker, error) && (worker->engine = engine_new(worker, error)) &&
           engine_start(worker->engine, error);
}

Arena *worker_start(const ArenaOptions *options, Error *error) {
    Arena *worker = xcalloc(1, sizeof *worker);
    worker->options = *options;
    worker->options.is_worker = true;
    worker->log = log_new(LOG_FD, LOG_INFO);
    worker->metrics = metrics_new();
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

void worker_tick(Arena *worker) {
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
    engine_free(worker->engine);
    versions_empty_trash(worker);
    if (!store_close(worker->store, &error))
        log_write(worker->log, LOG_ERROR, "store", &(LogField){"error", error.text, 0}, 1);
    metrics_free(worker->metrics);
    log_free(worker->log);
    free(worker);
}
