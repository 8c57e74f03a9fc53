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

enum {
    TRUSTED_MS = 3000, /* less than the server's timeout for idle connections */
    SILENCE_MS = 5000, /* after this time, the database counts as unavailable */
};

/* "SKSL" as a number is the key of the lock. A second lock on the same connection does no harm. */
#define LOCK_KEY "1397445452"
#define TAKE_LOCK "pg_try_advisory_lock(" LOCK_KEY ")"

/* The answer to ask_for_lock is the process id of the server's backend if this connection has the
   lock, and ANSWER_FOLLOWS if another one has it. Smaller values mean that there was no answer. */
enum { ANSWER_FOLLOWS = 1 };
static const char ask_for_lock[] = "SELECT CASE WHEN " TAKE_LOCK " THEN pg_backend_pid() ELSE 1 "
                                   "END, set_config('idle_session_timeout', '6s', false)";
static const char has_lock[] =
    "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND classid = 0 AND "
    "objid = " LOCK_KEY " AND objsubid = 1 AND granted AND pid = ?1 AND "
    "database = (SELECT oid FROM pg_database WHERE datname = current_database())";

struct Leader {
    Database *database;       /* the connection that has the lock */
    _Atomic int64_t process;  /* the last answer, see ask_for_lock */
    _Atomic int64_t trusted;  /* clock_now until which this process leads; 0: it does not */
    _Atomic int64_t from;     /* clock_now from which it leads, while it has the lock */
    _Atomic int64_t answered; /* clock_now of the last request that was answered */
    pthread_t thread;
    bool started;
    pthread_mutex_t lock; /* guards `stopping` */
    pthread_cond_t stopped;
    bool stopping;
};

bool store_leads(const Store *store) {
    const struct Leader *leader = store->leader;
    if (!leader)
        return !database_is_uri(store->database);
    int64_t now = clock_now();
    return atomic_load(&leader->trusted) > now && atomic_load(&leader->from) <= now;
}

bool store_answers(const Store *store) {
    const struct Leader *leader = store->leader;
    return !leader || clock_now() - atomic_load(&leader->answered) < SILENCE_MS * CLOCK_MS;
}

/* Asks for the lock. The answer is trusted from when the request was sent, because the server's
   timeout starts no earlier. The previous leader may still trust an answer from before this one, so
   a new leader waits until that trust has expired. */
static void ask(struct Leader *leader) {
    int64_t sent = clock_now();
    int64_t answer = database_query_number(leader->database, ask_for_lock);
    bool leads = answer > ANSWER_FOLLOWS;
    if (leads && answer != atomic_load(&leader->process)) /* a new connection has the lock */
        atomic_store(&leader->from, clock_now() + TRUSTED_MS * CLOCK_MS);
    atomic_store(&leader->process, answer);
    atomic_store(&leader->trusted, leads ? sent + TRUSTED_MS * CLOCK_MS : 0);
    if (answer >= ANSWER_FOLLOWS)
        atomic_store(&leader->answered, sent);
}

void leader_require(Transaction *transaction) {
    const struct Leader *leader = transaction->store->leader;
    if (leader && !sql_number(transaction, has_lock, VALUES(as_number(leader->process))))
        transaction_reject(transaction, STORE_REJECTED, "this process no longer leads");
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
    return database_query_number(database, "SELECT " TAKE_LOCK) == 1;
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
