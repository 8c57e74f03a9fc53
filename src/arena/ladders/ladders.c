/* The ladders' thread. See ladders.h. */
#include "arena/ladders/ladders_internal.h"

#include "arena/play/play.h"
#include "base/clock.h"
#include "base/memory.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

static void log_error(const Ladders *ladders, const Error *error) {
    log_write(ladders->arena->log, LOG_ERROR, "ladder", &(LogField){"error", error->text, 0}, 1);
}

/* Sleeps for a second or until woken; false when stopping. */
static bool wait_for_news(Ladders *ladders) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec++;
    pthread_mutex_lock(&ladders->lock);
    while (!ladders->woken && !ladders->stopping &&
           pthread_cond_timedwait(&ladders->changed, &ladders->lock, &until) == 0)
        continue;
    ladders->woken = false;
    bool goes_on = !ladders->stopping;
    pthread_mutex_unlock(&ladders->lock);
    return goes_on;
}

/* A new leader stores the ratings, because its predecessor may not have done so. */
static void note_leader(Ladders *ladders) {
    bool leads = store_leads(ladders->arena->store);
    for (uint32_t i = 0; leads && !ladders->leads && i < ladders->game_count; i++)
        ladders->games[i].stale = true;
    ladders->leads = leads;
}

static bool take_heard(Ladders *ladders) {
    pthread_mutex_lock(&ladders->lock);
    bool heard = ladders->heard;
    ladders->heard = false;
    pthread_mutex_unlock(&ladders->lock);
    return heard;
}

static void *run(void *context) {
    Ladders *ladders = context;
    do {
        Error error = {0};
        bool good = true;
        note_leader(ladders);
        bool heard = take_heard(ladders);
        for (uint32_t i = 0; good && i < ladders->game_count; i++)
            good = ladder_update(ladders, &ladders->games[i], &error);
        for (uint32_t i = 0; heard && i < ladders->game_count; i++)
            ladder_publish(ladders, &ladders->games[i], false);
        if (!good || !matchmaking_add(ladders, &error))
            log_error(ladders, &error);
    } while (wait_for_news(ladders));
    return NULL;
}

/* The leader has stored ratings, and those that this arena published may be older. */
static void ratings_heard(void *context) {
    Ladders *ladders = context;
    pthread_mutex_lock(&ladders->lock);
    ladders->heard = true;
    pthread_mutex_unlock(&ladders->lock);
    ladders_wake(ladders);
}

static void match_ended(void *context, const StoreMatch *match) {
    if (match->kind == MATCH_LADDER)
        ladders_wake(context);
}

static void open_topics(const Ladders *ladders) {
    for (uint32_t i = 0; i < ladders->game_count; i++) {
        char topic[LIVE_TOPIC_MAX];
        snprintf(topic, sizeof topic, "ladder-%s", ladders->games[i].game->name);
        live_open(ladders->arena->live, topic, 16, 1 << 20);
    }
}

Ladders *ladders_start(Arena *arena, Error *error) {
    Ladders *ladders = xcalloc(1, sizeof *ladders);
    uint64_t seed = 0;
    ladders->arena = arena;
    pthread_mutex_init(&ladders->lock, NULL);
    pthread_cond_init(&ladders->changed, NULL);
    while (games_all[ladders->game_count])
        ladders->game_count++;
    ladders->games = xcalloc(ladders->game_count, sizeof *ladders->games);
    for (uint32_t i = 0; i < ladders->game_count; i++)
        ladders->games[i].game = games_all[i];
    open_topics(ladders);
    if (getrandom(&seed, sizeof seed, 0) != (ssize_t)sizeof seed)
        seed = (uint64_t)clock_now();
    ladders->random = random_seeded(seed);
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failure = pthread_create(&ladders->thread, NULL, run, ladders);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    ladders->started = failure == 0;
    if (ladders->started) {
        engine_listen(arena->engine, (EngineListener){.context = ladders,
                                                      .match_ended = match_ended,
                                                      .ratings_heard = ratings_heard});
        return ladders;
    }
    error_set(error, "cannot start the ladder thread: %s", strerror(failure));
    ladders_stop(ladders);
    return NULL;
}

void ladders_wake(Ladders *ladders) {
    if (!ladders)
        return;
    pthread_mutex_lock(&ladders->lock);
    ladders->woken = true;
    pthread_cond_signal(&ladders->changed);
    pthread_mutex_unlock(&ladders->lock);
}

void ladders_stop(Ladders *ladders) {
    if (!ladders)
        return;
    pthread_mutex_lock(&ladders->lock);
    ladders->stopping = true;
    pthread_cond_signal(&ladders->changed);
    pthread_mutex_unlock(&ladders->lock);
    if (ladders->started)
        pthread_join(ladders->thread, NULL);
    for (uint32_t i = 0; i < ladders->game_count; i++) {
        free(ladders->games[i].entries);
        free(ladders->games[i].rated);
        free(ladders->games[i].indices);
        ratings_free(ladders->games[i].ratings);
    }
    free(ladders->games);
    pthread_mutex_destroy(&ladders->lock);
    pthread_cond_destroy(&ladders->changed);
    free(ladders);
}
