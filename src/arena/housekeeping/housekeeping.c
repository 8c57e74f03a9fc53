/* See housekeeping.h. */
#include "arena/housekeeping/housekeeping.h"

#include "arena/bots/bots.h"
#include "arena/copies.h"
#include "arena/disk.h"
#include "arena/figures.h"
#include "arena/people/people.h"
#include "arena/settings.h"
#include "base/memory.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    QUEUE_ROUNDS = 2,
    STUCK_ROUNDS = 10,
    TIDY_ROUNDS = 60,
    FIGURES_ROUNDS = 5,
    COPIES_ROUNDS = 30,
    FORGET_ROUNDS = 30,
    SWEEP_ROUNDS = 14,  /* between two parts of the files; all of them take an hour */
    SWEEP_MS = 3600000, /* younger files may belong to a row that is being written */
    FORGET_MAX = 200,   /* replays a round, so that the store's writer is never busy for long */
    DAY_MS = 86400000,
    AUDIT_DAYS = 730,
    RELAY_MS = 3600000, /* longer than a match can go without a turn */
};

struct Housekeeping {
    Arena *arena;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t stopped;
    bool stopping;
    Metric *leads; /* whether this process does the chores of the store; or NULL */
};

static void log_failure(const Arena *arena, const Error *error) {
    log_write(arena->log, LOG_ERROR, "store", &(LogField){"sentence", error->text, 0}, 1);
}

static void forget_replays(const Arena *arena) {
    Error error;
    uint32_t count = 0;
    int64_t age = arena->options.keep_days * INT64_C(1) * DAY_MS;
    if (age && store_matches_forget(arena->store, store_now(arena->store) - age, FORGET_MAX, &count,
                                    &error) != STORE_OK)
        log_failure(arena, &error);
}

/* Prevents all visitors together, or one account, from filling the disk with matches. */
static void forget_casual(const Arena *arena) {
    Error error;
    uint32_t count = 0;
    int64_t most = (int64_t)arena->options.visitor_replays_max;
    if (most &&
        (store_matches_forget_visitors(arena->store, most, FORGET_MAX, &count, &error) !=
             STORE_OK ||
         store_matches_forget_casual(arena->store, most, FORGET_MAX, &count, &error) != STORE_OK))
        log_failure(arena, &error);
}

/* Retired bots keep their matches, but not their sources. */
static void forget_sources(const Arena *arena) {
    Error error;
    uint32_t count = 0;
    if (store_usage_forget(arena->store, FORGET_MAX, &count, &error) != STORE_OK)
        log_failure(arena, &error);
}

/* The audit log contains names of people, also of deleted accounts, so it is not kept forever. */
static void forget_audit(const Arena *arena) {
    Error error;
    int64_t before = store_now(arena->store) - AUDIT_DAYS * INT64_C(1) * DAY_MS;
    if (store_audit_trim(arena->store, before, &error) != STORE_OK)
        log_failure(arena, &error);
}

/* Takes jobs away from workers that make no progress: see long_jobs.h. */
static void end_stuck_jobs(const Arena *arena) {
    Error error;
    uint32_t count = 0;
    if (store_queue_end_stuck(arena->store, &count, &error) != STORE_OK)
        log_failure(arena, &error);
    else if (count)
        log_write(
            arena->log, LOG_WARNING, "lease",
            (const LogField[]){{"sentence", "ended leases that were extended without progress", 0},
                               {"jobs", NULL, count}},
            2);
}

static void trim_rates(const Arena *arena) {
    Error error;
    if (arena->options.store && store_rates_trim(arena->store, &error) != STORE_OK)
        log_failure(arena, &error);
}

static void trim_relay(const Arena *arena) {
    Error error;
    if (arena->options.store && (store_relay_trim(arena->store, RELAY_MS, &error) != STORE_OK ||
                                 store_seats_trim(arena->store, &error) != STORE_OK))
        log_failure(arena, &error);
}

static void sweep_files(const Arena *arena, uint32_t part) {
    Error error;
    uint32_t swept = 0;
    if (store_files_sweep_part(arena->store, part, SWEEP_MS, &swept, &error) != STORE_OK)
        log_failure(arena, &error);
}

/* Another arena may have changed the settings, and the news of that can get lost. */
static void read_settings(Arena *arena) {
    Error error;
    if (arena->options.store && !settings_load(arena, &error))
        log_failure(arena, &error);
}

/* Chores for this process and its data directory. */
static void do_own_chores(Arena *arena, uint64_t round) {
    recovery_tick(arena);
    log_flush(arena->log);
    disk_measure(arena);
    versions_empty_trash(arena);
    if (round % FIGURES_ROUNDS == 0) {
        figures_read(arena);
        read_settings(arena);
    }
    if (round % COPIES_ROUNDS == 0)
        copies_tidy(arena->copies);
}

/* Chores for the whole store: only the leader does them, because others may share it. */
static void do_store_chores(const Arena *arena, uint64_t round) {
    Error error;
    forget_replays(arena);
    if (round % QUEUE_ROUNDS == 0 && store_tidy_queue(arena->store, &error) != STORE_OK)
        log_failure(arena, &error);
    if (round % STUCK_ROUNDS == 0)
        end_stuck_jobs(arena);
    if (round % TIDY_ROUNDS == TIDY_ROUNDS - 1 && store_tidy(arena->store, &error) != STORE_OK)
        log_failure(arena, &error);
    if (round % FORGET_ROUNDS == 0) {
        forget_sources(arena);
        forget_casual(arena);
        forget_audit(arena);
        trim_rates(arena);
        trim_relay(arena);
    }
    if (round % SWEEP_ROUNDS == SWEEP_ROUNDS - 1)
        sweep_files(arena, (uint32_t)(round / SWEEP_ROUNDS % STORE_SWEEP_PARTS));
}

/* Sleeps for a second. Returns false as soon as the arena stops. */
static bool wait_a_second(Housekeeping *housekeeping) {
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec++;
    pthread_mutex_lock(&housekeeping->lock);
    while (!housekeeping->stopping &&
           pthread_cond_timedwait(&housekeeping->stopped, &housekeeping->lock, &until) == 0)
        continue;
    bool stopping = housekeeping->stopping;
    pthread_mutex_unlock(&housekeeping->lock);
    return !stopping;
}

static void *run(void *context) {
    Housekeeping *housekeeping = context;
    uint64_t round = 0;
    do {
        bool leads = store_leads(housekeeping->arena->store);
        if (housekeeping->leads)
            metric_set(housekeeping->leads, leads);
        do_own_chores(housekeeping->arena, round);
        if (leads)
            do_store_chores(housekeeping->arena, round);
        round++;
    } while (wait_a_second(housekeeping));
    return NULL;
}

static void housekeeping_free(Housekeeping *housekeeping) {
    pthread_mutex_destroy(&housekeeping->lock);
    pthread_cond_destroy(&housekeeping->stopped);
    free(housekeeping);
}

Housekeeping *housekeeping_start(Arena *arena, Error *error) {
    Housekeeping *housekeeping = xcalloc(1, sizeof *housekeeping);
    pthread_condattr_t monotonic;
    sigset_t all;
    sigset_t before;
    housekeeping->arena = arena;
    if (arena->metrics)
        housekeeping->leads = metrics_gauge(
            arena->metrics, "skirmish_leader",
            "1 if this process leads: it pairs matches, runs tournaments and deletes old data.",
            NULL, NULL);
    pthread_mutex_init(&housekeeping->lock, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&housekeeping->stopped, &monotonic);
    pthread_condattr_destroy(&monotonic);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are for the main thread */
    int failure = pthread_create(&housekeeping->thread, NULL, run, housekeeping);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!failure)
        return housekeeping;
    error_set(error, "cannot start the housekeeping thread: %s", strerror(failure));
    housekeeping_free(housekeeping);
    return NULL;
}

void housekeeping_stop(Housekeeping *housekeeping) {
    if (!housekeeping)
        return;
    pthread_mutex_lock(&housekeeping->lock);
    housekeeping->stopping = true;
    pthread_cond_signal(&housekeeping->stopped);
    pthread_mutex_unlock(&housekeeping->lock);
    pthread_join(housekeeping->thread, NULL);
    housekeeping_free(housekeeping);
}
