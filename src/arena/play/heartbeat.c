/* See heartbeat.h. */
#include "arena/play/heartbeat.h"

#include "arena/play/engine_internal.h"
#include "base/clock.h"
#include "http/schemas.h"
#include "league/calibration.h"

#include <stdio.h>
#include <string.h>

bool heartbeat_may_lease(const Engine *engine) {
    return engine->heartbeat.worker.wanted == WANTED_PLAY;
}

bool heartbeat_is_too_slow(const Engine *engine) {
    return engine->heartbeat.worker.speed < engine->arena->options.worker_speed_min;
}

static StoreWorkerState state_of(const Engine *engine) {
    switch (engine->heartbeat.worker.wanted) {
    case WANTED_BLOCK:
        return WORKER_BLOCKED;
    case WANTED_DRAIN:
        return engine->jobs ? WORKER_DRAINING : WORKER_DRAINED;
    case WANTED_PLAY:
        break;
    }
    return engine->stopping                ? WORKER_DRAINING
           : !engine->dispatcher           ? WORKER_BROKEN
           : heartbeat_is_too_slow(engine) ? WORKER_TOO_SLOW
                                           : WORKER_RUNNING;
}

/* Logs requests of administrators, and that the machine is too slow, because they explain why no
   match starts here. */
static void log_changes(const Engine *engine, StoreWorkerWanted before, StoreWorkerState last) {
    const StoreWorker *worker = &engine->heartbeat.worker;
    char slow[160];
    if (worker->wanted != before)
        engine_log(engine, LOG_INFO, "worker", 0,
                   worker->wanted == WANTED_PLAY ? "an administrator resumed this worker"
                   : worker->wanted == WANTED_DRAIN
                       ? "an administrator is draining this worker; it leases no more jobs"
                       : "an administrator has blocked this worker; its jobs return to the queue");
    if (worker->state != WORKER_TOO_SLOW || last == WORKER_TOO_SLOW)
        return;
    snprintf(slow, sizeof slow,
             "this machine is too slow: its speed is %u, but --worker-speed-min of the arena is "
             "%u; it leases no jobs",
             worker->speed, engine->arena->options.worker_speed_min);
    engine_log(engine, LOG_WARNING, "worker", 0, slow);
}

static bool beat(Engine *engine, const char *previous, Error *error) {
    Heartbeat *heart = &engine->heartbeat;
    StoreWorkerWanted before = heart->worker.wanted;
    StoreWorkerState last = heart->written.state;
    heart->due = clock_now() + HEARTBEAT_MS * CLOCK_MS;
    if (store_worker_beat(engine->arena->store, &heart->worker, previous, error) != STORE_OK)
        return false;
    log_changes(engine, before, last);
    heart->written = heart->worker;
    return true;
}

static void count_states(Engine *engine) {
    uint32_t counts[WORKER_STATES];
    Error error;
    if (engine->arena->options.is_worker ||
        store_workers_count(engine->arena->store, counts, &error) != STORE_OK)
        return;
    for (uint32_t i = 0; i < WORKER_STATES; i++)
        if (engine->heartbeat.states[i])
            metric_set(engine->heartbeat.states[i], counts[i]);
}

bool heartbeat_start(Engine *engine, const char *previous, Error *error) {
    static const char *const states[] = NAME_ARRAY(WORKER_STATE_NAMES);
    const ArenaOptions *options = &engine->arena->options;
    Heartbeat *heart = &engine->heartbeat;
    heart->worker = (StoreWorker){.kind = options->is_worker ? WORKER_WORKS : WORKER_SERVES,
                                  .speed = calibration_measure(),
                                  .runners = options->no_jobs ? 0 : engine->runners};
    snprintf(heart->worker.name, sizeof heart->worker.name, "%s", engine->holder);
    holder_machine(heart->worker.machine);
    snprintf(heart->worker.version, sizeof heart->worker.version, "%s", SKIRMISH_VERSION);
    heart->written.state = WORKER_RUNNING;
    for (uint32_t i = 0; !options->is_worker && i < WORKER_STATES; i++)
        if (i != WORKER_STOPPED)
            heart->states[i] = metrics_gauge(engine->arena->metrics, "skirmish_workers",
                                             "Processes that play.", "state", states[i]);
    if (!beat(engine, previous[0] ? previous : NULL, error))
        return error_prefix(error, "registering this worker");
    count_states(engine);
    return true;
}

/* Whether to send a heartbeat. Without a shared store, this is the case only after a change. */
static bool is_due(const Engine *engine) {
    const Heartbeat *heart = &engine->heartbeat;
    return heart->worker.state != heart->written.state || !heart->due ||
           (engine->arena->options.store && heart->due <= clock_now());
}

void heartbeat_tick(Engine *engine) {
    Heartbeat *heart = &engine->heartbeat;
    Error error;
    heart->worker.state = state_of(engine);
    if (!is_due(engine))
        return;
    StoreWorkerWanted before = heart->worker.wanted;
    bool good = beat(engine, NULL, &error);
    if (!good && !heart->failed)
        engine_log(engine, LOG_ERROR, "store", 0, error.text);
    heart->failed = !good;
    if (heart->worker.wanted != before)
        heart->due = 0; /* the next heartbeat writes the new state */
    count_states(engine);
}

void heartbeat_hurry(Engine *engine) {
    engine->heartbeat.due = 0;
    heartbeat_tick(engine);
}

void heartbeat_stop(Engine *engine) {
    Error error;
    engine->heartbeat.worker.state = WORKER_STOPPED;
    if (engine->heartbeat.written.name[0] && !beat(engine, NULL, &error))
        engine_log(engine, LOG_WARNING, "store", 0, error.text);
}
