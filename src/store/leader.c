/* See leader.h. */
#include "store/leader.h"

#include "base/clock.h"
#include "base/memory.h"
#include "store/internal.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TRUSTED_MS = 3000 }; /* less than the server waits */

/* "SKSL" as a number is the key of the lock. A second lock on the same connection does no harm. */
#define TAKE_LOCK "SELECT pg_try_advisory_lock(1397445452)"
static const char ask_for_lock[] = TAKE_LOCK ", "
                                             "set_config('idle_session_timeout', '6s', false)";

struct Leader {
    Database *database;      /* the connection that has the lock */
    _Atomic int64_t trusted; /* clock_now until which this process leads; 0: it does not */
    pthread_t thread;
    bool started;
    pthread_mutex_t lock; /* guards `stopping` */
    pthread_cond_t stopped;
    bool stopping;
};

bool store_leads(const Store *store) {
    const struct Leader *leader = store->leader;
    return leader ? atomic_load(&leader->trusted) > clock_now() : !database_is_uri(store->database);
}

/* What counts is when the question was sent: the server waits at least from then on. */
static void ask(struct Leader *leader) {
    int64_t sent = clock_now();
    bool leads = database_query_number(leader->database, ask_for_lock) == 1;
    atomic_store(&leader->trusted, leads ? sent + TRUSTED_MS * CLOCK_MS : 0);
}

/* Sleeps for a second; false when the store is closed. */
static bool wait_a_second(struct Leader *leader) {
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec++;
    pthread_mutex_lock(&leader->lock);
    while (!leader->stopping &&
           pthread_cond_timedwait(&leader->stopped, &leader->lock, &until) == 0)
        continue;
    bool stopping = leader->stopping;
    pthread_mutex_unlock(&leader->lock);
    return !stopping;
}

static void *run(void *context) {
    struct Leader *leader = context;
    while (wait_a_second(leader))
        ask(leader);
    return NULL;
}

static bool start_thread(struct Leader *leader, Error *error) {
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are for the main thread */
    int failure = pthread_create(&leader->thread, NULL, run, leader);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    leader->started = failure == 0;
    return leader->started ||
           error_set(error, "cannot start the leader thread: %s", strerror(failure));
}

bool store_leader_start(Store *store, Error *error) {
    if (!database_is_uri(store->database))
        return true;
    struct Leader *leader = xcalloc(1, sizeof *leader);
    pthread_condattr_t monotonic;
    pthread_mutex_init(&leader->lock, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&leader->stopped, &monotonic);
    pthread_condattr_destroy(&monotonic);
    store->leader = leader;
    leader->database = database_open(store->database, DATABASE_PLAIN, false, error);
    if (!leader->database)
        return false;
    ask(leader);
    return start_thread(leader, error);
}

bool leader_keep_out(Database *database) {
    return database_query_number(database, TAKE_LOCK) == 1;
}

/* Closing the connection releases the lock, so that another process leads within a second. */
void leader_close(Store *store) {
    struct Leader *leader = store->leader;
    if (!leader)
        return;
    pthread_mutex_lock(&leader->lock);
    leader->stopping = true;
    pthread_cond_signal(&leader->stopped);
    pthread_mutex_unlock(&leader->lock);
    if (leader->started)
        pthread_join(leader->thread, NULL);
    database_close(leader->database);
    pthread_mutex_destroy(&leader->lock);
    pthread_cond_destroy(&leader->stopped);
    free(leader);
    store->leader = NULL;
}
