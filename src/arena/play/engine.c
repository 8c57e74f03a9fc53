/* See engine.h. The thread leases jobs, hands them to the dispatcher, processes the records of
   runners, and once a second extends leases and calls the listeners. leased_job.c takes a job from
   its lease to its result. */
#include "arena/play/engine_internal.h"

#include "arena/bots/bots.h"
#include "arena/disk.h"
#include "arena/match_limits.h"
#include "arena/play/long_jobs.h"
#include "arena/play/remote_seats.h"
#include "arena/play/topic_relay.h"
#include "base/clock.h"
#include "base/memory.h"
#include "http/schemas.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum {
    TICK_MS = 1000,
    BUILDS_TICKS = 10,      /* between removals of builds that nothing needs */
    RECORDS_PER_PASS = 256, /* processed before the thread does anything else */
    READY_MS = 10000,       /* for the first runner to report that it can play */
    RETRY_MS = 5000,        /* until the next attempt to start runners */
    PEOPLE_PER_RUNNER = 4,  /* concurrent matches with people, per runner for other matches ... */
    PEOPLE_MAX = 32,        /* ... and in all */
    SLOW_MS = 1000,         /* after such a slow failure, the store is probably unreachable */
    HELD_MAX = 4096,        /* jobs that an engine holds; far more than it leases */
};

/* What the API calls the kinds of waiting jobs. */
static const char *const queue_kinds[QUEUE_KINDS] = {"builds", "play_now", "tournament",
                                                     "ladder", "checks",   "analyses"};

void engine_log(const Engine *engine, LogLevel level, const char *event, uint64_t match,
                const char *sentence) {
    LogField fields[] = {{"sentence", sentence, 0}, {"match", NULL, (int64_t)match}};
    log_write(engine->arena->log, level, event, fields, match ? 2 : 1);
}

/* ---- live topics ---- */

void engine_topic(uint64_t match, char topic[LIVE_TOPIC_MAX]) {
    snprintf(topic, LIVE_TOPIC_MAX, "match-%" PRIu64, match);
}

/* Schedules the removal of the topic of a match that is over for this process. */
static void keep_topic(Engine *engine, uint64_t match) {
    char topic[LIVE_TOPIC_MAX];
    KeptTopic *kept = &engine->kept[engine->kept_next++ % TOPICS_KEPT];
    if (kept->match) {
        engine_topic(kept->match, topic);
        live_forget(engine->arena->live, topic);
    }
    *kept = (KeptTopic){match, clock_now() + topic_kept(engine->arena)};
}

void engine_end_topic(Engine *engine, uint64_t match, Slice verdict) {
    char topic[LIVE_TOPIC_MAX];
    keep_topic(engine, match);
    engine_topic(match, topic);
    live_publish(engine->arena->live, topic, "end", verdict);
    live_end(engine->arena->live, topic);
}

void engine_end_without_verdict(Engine *engine, uint64_t match, const char *why) {
    Buffer text = {0};
    JsonOut out = {.to = &text};
    json_open(&out, NULL, '{');
    json_out_uint(&out, "turns", 0);
    json_out_text(&out, "reason", why);
    json_open(&out, "players", '[');
    json_close(&out, ']');
    json_close(&out, '}');
    engine_end_topic(engine, match, (Slice){text.data, text.length});
    buffer_free(&text);
}

void engine_open_topic(const Arena *arena, uint64_t match, char topic[LIVE_TOPIC_MAX]) {
    engine_topic(match, topic);
    live_open(arena->live, topic, LIVE_MATCH_EVENTS, LIVE_MATCH_BYTES);
    if (arena->relay)
        live_share(arena->live, topic);
    if (arena->engine)
        other_engines_watch(arena->engine, match);
}

void engine_watch_topic(const Arena *arena, uint64_t match, char topic[LIVE_TOPIC_MAX]) {
    engine_open_topic(arena, match, topic);
    topic_relay_follow(arena->relay, RELAY_MATCHES, topic);
}

void engine_begin_topic(LeasedJob *job) {
    Arena *arena = job->engine->arena;
    char topic[LIVE_TOPIC_MAX];
    for (uint32_t i = 0; i < TOPICS_KEPT; i++)
        if (job->engine->kept[i].match == job->lease.subject)
            job->engine->kept[i].match = 0; /* an earlier attempt was played here, too */
    engine_topic(job->lease.subject, topic);
    live_open(arena->live, topic, LIVE_MATCH_EVENTS, LIVE_MATCH_BYTES);
    if (!arena->relay)
        return;
    live_share(arena->live, topic);
    live_restart(arena->live, topic, job->lease.attempt - 1);
    topic_relay_own(arena->relay, RELAY_MATCHES, topic);
}

void engine_leave_topic(const LeasedJob *job) {
    Engine *engine = job->engine;
    char topic[LIVE_TOPIC_MAX];
    engine_topic(job->lease.subject, topic);
    topic_relay_disown(engine->arena->relay, topic);
    if (engine->arena->options.is_worker) /* an arena follows the topic instead */
        keep_topic(engine, job->lease.subject);
}

static void forget_topics(Engine *engine, int64_t now) {
    for (uint32_t i = 0; i < TOPICS_KEPT; i++) {
        KeptTopic *kept = &engine->kept[i];
        char topic[LIVE_TOPIC_MAX];
        if (!kept->match || kept->until > now)
            continue;
        engine_topic(kept->match, topic);
        live_forget(engine->arena->live, topic);
        kept->match = 0;
    }
}

/* ---- listeners ---- */

void engine_report_end(const Engine *engine, const StoreMatch *match) {
    for (uint32_t i = 0; i < engine->listener_count; i++) {
        const EngineListener *listener = &engine->listeners[i];
        if (listener->match_ended)
            listener->match_ended(listener->context, match);
    }
}

/* ---- once a second ---- */

/* In the order of queue_kinds. People's matches are requested like other casual ones. */
static void count_waiting(const StoreQueueSize *size, uint32_t waiting[QUEUE_KINDS]) {
    waiting[0] = size->builds;
    waiting[1] = size->matches[MATCH_PLAY_NOW] + size->people;
    waiting[2] = size->matches[MATCH_TOURNAMENT];
    waiting[3] = size->matches[MATCH_LADDER];
    waiting[4] = size->checks;
    waiting[5] = size->analyses;
}

void engine_write_queue(const StoreQueueSize *size, JsonOut *out) {
    uint32_t waiting[QUEUE_KINDS];
    count_waiting(size, waiting);
    json_open(out, NULL, '{');
    for (uint32_t i = 0; i < QUEUE_KINDS; i++)
        json_out_uint(out, queue_kinds[i], waiting[i]);
    json_out_uint(out, "running", size->leased);
    json_out_uint(out, "without_worker", size->without_worker);
    json_close(out, '}');
}

static void publish_size(Engine *engine) {
    StoreQueueSize size;
    Error error;
    if (engine->arena->options.is_worker || !engine->arena->live ||
        store_queue_size(engine->arena->store, &size, &error) != STORE_OK)
        return;
    if (memcmp(&size, &engine->size, sizeof size) == 0)
        return;
    engine->size = size;
    uint32_t waiting[QUEUE_KINDS];
    count_waiting(&size, waiting);
    for (uint32_t i = 0; i < QUEUE_KINDS; i++)
        metric_set(engine->metric_waiting[i], waiting[i]);
    metric_set(engine->metric_leased, size.leased);
    metric_set(engine->metric_without_worker, size.without_worker);
    Buffer text = {0};
    JsonOut out = {.to = &text};
    engine_write_queue(&size, &out);
    live_publish(engine->arena->live, "queue", "size", (Slice){text.data, text.length});
    buffer_free(&text);
}

/* Extends leases after a third of their time, and retries failures in the next tick. A store that
   cannot be reached takes seconds to fail, so the other leases then wait for that tick too. */
static void extend_leases(Engine *engine, int64_t now) {
    int64_t lease = engine_lease_ms(engine);
    int64_t began = clock_now();
    for (LeasedJob *job = engine->jobs; job; job = job->next) {
        Error error;
        if (job->lease_until - now > lease * CLOCK_MS * 2 / 3)
            continue;
        StoreProgress progress = {.steps = job->steps, .stall_ms = long_jobs_stall_ms(job)};
        if (store_queue_extend(engine->arena->store, job->lease.id, job->lease.attempt, lease,
                               &progress, &error) == STORE_OK) {
            job->lease_until = now + lease * CLOCK_MS;
            continue;
        }
        engine_log(engine, LOG_WARNING, "lease", job->lease.subject, error.text);
        if (clock_now() - began > SLOW_MS * CLOCK_MS)
            break;
    }
}

/* Stops jobs that were cancelled: alone, with their tournament, or because an account was
   deleted. */
static void drop_cancelled(Engine *engine) {
    uint64_t held[HELD_MAX];
    uint32_t count = HELD_MAX;
    Error error;
    if (!engine->jobs ||
        store_queue_held(engine->arena->store, engine->holder, held, &count, &error) != STORE_OK)
        return;
    for (LeasedJob *job = engine->jobs; job; job = job->next) {
        uint32_t i = 0;
        while (i < count && held[i] != job->lease.id)
            i++;
        if (i == count && !job->over)
            leased_job_drop(job);
    }
    leased_jobs_advance(engine);
}

static void check_queue_again(Engine *engine) {
    engine->check_queue[false] = engine->check_queue[true] = true;
}

static void forget_names(Engine *engine) {
    activity_forget(engine->arena, &engine->activity);
    for (uint32_t i = 0; i < engine->listener_count; i++)
        if (engine->listeners[i].name_forgotten)
            engine->listeners[i].name_forgotten(engine->listeners[i].context);
}

static void tick(Engine *engine, int64_t now) {
    Error error;
    if (engine->ticks++ % BUILDS_TICKS == 0) {
        versions_drop_unneeded(engine->arena);
        if (engine->arena->options.is_worker && !match_limits_load(engine->arena, &error))
            engine_log(engine, LOG_ERROR, "store", 0, error.text);
    }
    check_queue_again(engine);
    drop_cancelled(engine);
    heartbeat_tick(engine);
    other_engines_look(engine);
    long_jobs_check(engine);
    leased_jobs_advance(engine);
    for (uint32_t i = 0; !engine->stopping && i < engine->listener_count; i++)
        if (engine->listeners[i].tick)
            engine->listeners[i].tick(engine->listeners[i].context);
    extend_leases(engine, now);
    publish_size(engine);
    activity_publish(engine->arena, &engine->activity);
    forget_topics(engine, now);
}

/* ---- runners ---- */

static void log_dispatcher(void *context, const char *sentence) {
    engine_log(context, LOG_WARNING, "runner", 0, sentence);
}

static bool start_dispatcher(Engine *engine, Error *error) {
    const ArenaOptions *options = &engine->arena->options;
    uint32_t cores = dispatcher_cores();
    uint32_t runners = options->jobs && options->jobs < cores ? options->jobs : cores;
    uint32_t people =
        runners * PEOPLE_PER_RUNNER < PEOPLE_MAX ? runners * PEOPLE_PER_RUNNER : PEOPLE_MAX;
    DispatcherOptions dispatch = {
        .runners = runners,
        .people_runners = options->is_worker ? 0 : people,
        .sandbox = options->sandbox,
        .program = options->program,
        .wake = engine->wake,
        .report = log_dispatcher,
        .context = engine,
    };
    engine->runners = runners;
    engine->dispatcher = dispatcher_new(&dispatch, error);
    return engine->dispatcher != NULL;
}

/* No runner can be started: returns all jobs to the queue and schedules a retry. */
static void suspend(Engine *engine, const Error *error) {
    engine_log(engine, LOG_ERROR, "runner", 0, error->text);
    for (LeasedJob *job = engine->jobs; job; job = job->next)
        leased_job_return(job);
    leased_jobs_advance(engine);
    dispatcher_free(engine->dispatcher);
    engine->dispatcher = NULL;
    engine->retry_at = clock_now() + RETRY_MS * CLOCK_MS;
}

static void retry_dispatcher(Engine *engine) {
    Error error;
    if (!engine->retry_at || clock_now() < engine->retry_at)
        return;
    engine->retry_at = start_dispatcher(engine, &error) ? 0 : clock_now() + RETRY_MS * CLOCK_MS;
}

/* ---- the thread ---- */

/* The kinds of jobs without people that can be leased now. */
static StoreJobKind leasable(const Engine *engine) {
    if (engine->arena->options.no_jobs || heartbeat_is_too_slow(engine))
        return JOB_REMOTE;
    StoreJobKind kinds = engine->arena->options.is_worker ? JOB_ANY : JOB_ANY | JOB_REMOTE;
    if (long_jobs_have_room(engine))
        kinds |= JOB_LONG;
    if (!leased_analyses_have_room(engine))
        kinds &= ~(unsigned)JOB_ANALYSIS;
    return kinds;
}

static void lease(Engine *engine, bool people) {
    StoreJob jobs[QUEUE_LEASE_MAX];
    Error error;
    bool worker = engine->arena->options.is_worker;
    if (!heartbeat_may_lease(engine) || (worker && (people || heartbeat_is_too_slow(engine))))
        return;
    while (engine->check_queue[people] && !engine->stopping && engine->dispatcher &&
           !disk_is_low(engine->arena)) {
        uint32_t room = dispatcher_room(engine->dispatcher, people);
        uint32_t count = room < QUEUE_LEASE_MAX ? room : QUEUE_LEASE_MAX;
        if (!count)
            return;
        StoreJobKind kinds = people ? JOB_PERSON : leasable(engine);
        if (kinds & (JOB_LONG | JOB_ANALYSIS))
            count = 1; /* one at a time: after each, there may be no room for more */
        uint32_t wanted = count;
        if (store_queue_lease(engine->arena->store, kinds, engine->holder, engine_lease_ms(engine),
                              jobs, &count, &error) != STORE_OK) {
            engine_log(engine, LOG_ERROR, "store", 0, error.text);
            count = 0;
        }
        engine->check_queue[people] = count == wanted;
        engine->continuation_is_next |= !people && count > 0;
        for (uint32_t i = 0; i < count; i++)
            leased_job_begin(engine, &jobs[i], people);
        leased_jobs_advance(engine);
    }
}

static void drain_wake(Engine *engine) {
    uint64_t times;
    if (read(engine->wake, &times, sizeof times) != (ssize_t)sizeof times)
        return;
    bool asked = atomic_exchange(&engine->asked, false);
    bool cancelled;
    /* First of all: events published after the deletion do not contain the name, and must stay. */
    if (atomic_exchange(&engine->renamed, false))
        forget_names(engine);
    other_engines_take_news(engine, &cancelled);
    check_queue_again(engine);
    if (asked || cancelled)
        drop_cancelled(engine);
    if (atomic_exchange(&engine->heartbeat.asked, false) || cancelled)
        heartbeat_hurry(engine);
}

/* Processes the records of runners; waits at most this many milliseconds for the first one. */
static void take_records(Engine *engine, int milliseconds) {
    if (!engine->dispatcher) {
        struct timespec pause = {0, milliseconds * CLOCK_MS % (1000 * CLOCK_MS)};
        nanosleep(&pause, NULL);
        return;
    }
    for (uint32_t i = 0; i < RECORDS_PER_PASS; i++) {
        Record record;
        Error error;
        DispatcherEvent event =
            dispatcher_take(engine->dispatcher, i ? 0 : milliseconds, &record, &error);
        if (event == DISPATCHER_BROKEN)
            suspend(engine, &error);
        if (event != DISPATCHER_RECORD)
            return;
        bool ends = record_ends(&record);
        leased_job_take(engine, &record);
        record_free(&record);
        if (ends) {
            leased_jobs_advance(engine);
            check_queue_again(engine);
            return; /* a runner is free */
        }
    }
}

/* Sets the state and wakes the thread that waits for it. */
static void settle(Engine *engine, int state) {
    pthread_mutex_lock(&engine->lock);
    engine->state = state;
    pthread_cond_signal(&engine->settled);
    pthread_mutex_unlock(&engine->lock);
}

/* Waits for the first report of a runner. An arena does not start if the required isolation is not
   available. */
static bool check_runners(Engine *engine) {
    Record record;
    if (!start_dispatcher(engine, &engine->error))
        return false;
    DispatcherEvent event = dispatcher_take(engine->dispatcher, READY_MS, &record, &engine->error);
    if (event == DISPATCHER_RECORD)
        record_free(&record);
    return event != DISPATCHER_BROKEN &&
           heartbeat_start(engine, engine->last_holder, &engine->error);
}

static void run(Engine *engine) {
    int64_t next_tick = clock_now();
    while (!engine->stopping || (engine->jobs && clock_now() < engine->stop_by)) {
        int64_t now = clock_now();
        if (now >= next_tick) {
            retry_dispatcher(engine);
            tick(engine, now);
            next_tick = now + TICK_MS * CLOCK_MS;
        }
        if (engine->continuation_is_next)
            leased_analyses_give(engine);
        lease(engine, false);
        lease(engine, true);
        while (leased_analyses_give(engine))
            continue;
        leased_jobs_advance(engine);
        int64_t left = (next_tick - clock_now()) / CLOCK_MS;
        if (engine->stopping && engine->stop_by < next_tick)
            left = (engine->stop_by - clock_now()) / CLOCK_MS;
        take_records(engine, left > 0 ? (int)left + 1 : 0);
        drain_wake(engine);
    }
}

/* Aborts running matches and returns all jobs to the queue. If the store fails for one, the others
   are left, because each try may take seconds: they are repeated when their leases have expired. */
static void return_all(Engine *engine) {
    bool works = true;
    for (LeasedJob *job = engine->jobs; job; job = job->next) {
        if (works)
            works = leased_job_return(job);
        else
            leased_job_over(job, "left");
    }
    leased_jobs_advance(engine);
    dispatcher_free(engine->dispatcher);
    engine->dispatcher = NULL;
}

static void *run_thread(void *context) {
    Engine *engine = context;
    bool good = check_runners(engine);
    settle(engine, good ? 1 : -1);
    if (good)
        run(engine);
    return_all(engine);
    heartbeat_stop(engine);
    json_free_thread(); /* used by analyses, which recompute matches */
    if (good)
        settle(engine, 2);
    return NULL;
}

/* ---- starting and stopping ---- */

static void make_metrics(Engine *engine) {
    static const char *const kinds[] = NAME_ARRAY(MATCH_KINDS);
    static const char *const waiting[] = {"build",  "play_now", "tournament",
                                          "ladder", "check",    "analysis"};
    static_assert(sizeof waiting / sizeof *waiting == QUEUE_KINDS, "one gauge per kind");
    Metrics *metrics = engine->arena->metrics;
    for (uint32_t i = 0; i < 3; i++)
        engine->metric_played[i] =
            metrics_counter(metrics, "skirmish_matches_total", "Matches played.", "kind", kinds[i]);
    for (uint32_t i = 0; i < QUEUE_KINDS; i++)
        engine->metric_waiting[i] =
            metrics_gauge(metrics, "skirmish_queue_waiting", "Jobs waiting.", "kind", waiting[i]);
    engine->metric_leased =
        metrics_gauge(metrics, "skirmish_queue_running", "Jobs running.", NULL, NULL);
    engine->metric_without_worker =
        metrics_gauge(metrics, "skirmish_queue_without_worker",
                      "Waiting jobs that need a speed that no running worker has.", NULL, NULL);
    engine->metric_builds =
        metrics_counter(metrics, "skirmish_builds_total", "Versions built.", NULL, NULL);
    engine->metric_checks =
        metrics_counter(metrics, "skirmish_checks_total", "Versions checked.", NULL, NULL);
    engine->metric_failures =
        metrics_counter(metrics, "skirmish_job_failures_total",
                        "Jobs that failed because of the arena, not the bots.", NULL, NULL);
    engine->metric_seconds =
        metrics_histogram(metrics, "skirmish_match_seconds", "Duration of matches.", NULL, NULL);
}

EngineCounts engine_counts(const Engine *engine) {
    EngineCounts counts = {.builds = metric_value(engine->metric_builds),
                           .checks = metric_value(engine->metric_checks),
                           .failures = metric_value(engine->metric_failures)};
    for (uint32_t i = 0; i < 3; i++)
        counts.matches += metric_value(engine->metric_played[i]);
    return counts;
}

bool engine_start(Engine *engine, Error *error) {
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are for the main thread */
    int failure = pthread_create(&engine->thread, NULL, run_thread, engine);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (failure)
        return error_set(error, "cannot start the engine thread: %s", strerror(failure));
    engine->started = true;
    pthread_mutex_lock(&engine->lock);
    while (!engine->state)
        pthread_cond_wait(&engine->settled, &engine->lock);
    pthread_mutex_unlock(&engine->lock);
    if (engine->state < 0)
        *error = engine->error;
    return engine->state > 0;
}

Engine *engine_new(Arena *arena, Error *error) {
    Engine *engine = xcalloc(1, sizeof *engine);
    engine->arena = arena;
    pthread_mutex_init(&engine->lock, NULL);
    pthread_cond_init(&engine->settled, NULL);
    engine->wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (engine->wake < 0)
        error_set(error, "cannot create an eventfd: %s", strerror(errno));
    else if (holder_take(arena, engine->holder, engine->last_holder, error) &&
             other_engines_start(engine, error)) {
        make_metrics(engine);
        if (!arena->options.is_worker) {
            live_open(arena->live, "queue", 16, 64 << 10);
            activity_open(arena);
        }
        return engine;
    }
    engine_free(engine);
    return NULL;
}

void engine_listen(Engine *engine, EngineListener listener) {
    if (!engine)
        return;
    assert(!engine->started && engine->listener_count < ENGINE_LISTENERS_MAX);
    engine->listeners[engine->listener_count++] = listener;
}

void engine_forget_names(Engine *engine) {
    if (!engine)
        return;
    atomic_store(&engine->renamed, true);
    engine_wake_for_news(engine);
    store_news_send(engine->arena->store, NEWS_FORGOTTEN, 0);
}

void engine_wake_for_news(Engine *engine) {
    uint64_t one = 1;
    if (write(engine->wake, &one, sizeof one) < 0)
        return; /* the counter is full: the engine wakes anyway */
}

void engine_wake(Engine *engine) {
    if (!engine)
        return;
    atomic_store(&engine->asked, true);
    engine_wake_for_news(engine);
}

void engine_wake_for_worker(Engine *engine) {
    if (!engine)
        return;
    atomic_store(&engine->heartbeat.asked, true);
    engine_wake(engine);
}

void engine_drain(Engine *engine, uint32_t drain_ms) {
    engine->stop_by = clock_now() + drain_ms * CLOCK_MS;
    engine->stopping = true;
    engine_wake(engine);
}

bool engine_has_ended(const Engine *engine) {
    return engine->state == 2;
}

const char *engine_holder(const Engine *engine) {
    return engine->holder;
}

void engine_stop(Engine *engine, uint32_t drain_ms) {
    if (!engine)
        return;
    engine_drain(engine, drain_ms);
    if (engine->started)
        pthread_join(engine->thread, NULL);
    engine->started = false;
    other_engines_stop(engine);
}

void engine_free(Engine *engine) {
    if (!engine)
        return;
    other_engines_free(engine);
    if (engine->wake >= 0)
        close(engine->wake);
    pthread_mutex_destroy(&engine->lock);
    pthread_cond_destroy(&engine->settled);
    buffer_free(&engine->activity.items);
    free(engine);
}
