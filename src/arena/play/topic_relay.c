/* See topic_relay.h. The lock guards the lists of topics. Other threads add topics and mark them;
   only the relay's thread removes them, so it uses them without the lock, except for members that
   others change. */
#include "arena/play/topic_relay.h"

#include "base/clock.h"
#include "base/memory.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    GATHER_MS = 10,     /* between two batches of events */
    LOOK_MS = 1000,     /* between checks of topics without news */
    ANNOUNCE_MS = 5000, /* between announcements of a watch */
    WATCH_MS = 16000,   /* how long an announcement is valid */
    ENDED_MS = 10000,   /* how long the events of a topic that has ended remain in the table */
    RETRY_MS = 1000,    /* after a failure */
    FOLLOWED_MAX = 2000,
    WATCHES_MAX = 4096,
    BATCH_EVENTS = 256,
    BATCH_BYTES = 1 << 20,
    TRIM_BYTES = 1 << 20, /* events written between deletions of old ones */
    READ_EVENTS = 200,
};

/* A topic that this process publishes. */
typedef struct Owned {
    struct Owned *next;
    char name[LIVE_TOPIC_MAX];
    uint64_t key;
    StoreRelayKind kind;
    int64_t watched; /* clock_now until which someone elsewhere watches it; under the lock */
    bool gone;       /* under the lock */
    bool again;      /* its rows may have been lost; under the lock */
    uint64_t sent;   /* the id of the last event in the table */
    uint64_t newest; /* the number of the newest row that was written */
    size_t bytes;    /* written since the last deletion */
    bool ended;      /* the table has its end */
    int64_t drop_at; /* when to delete its rows; 0: there are none */
} Owned;

/* A topic that other processes may publish. */
typedef struct Followed {
    struct Followed *next;
    char name[LIVE_TOPIC_MAX];
    uint64_t key;
    StoreRelayKind kind;
    bool due;      /* has news; under the lock */
    bool gone;     /* under the lock */
    bool ended;    /* under the lock */
    int64_t until; /* clock_now; under the lock */
    int64_t announced;
} Followed;

/* Someone elsewhere watches a topic that nobody publishes yet. */
typedef struct Watch {
    uint64_t key;
    int64_t until;
} Watch;

struct TopicRelay {
    Arena *arena;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    bool woken;
    bool stopping;
    bool stopped;
    Owned *owned;
    Followed *followed;
    uint32_t followed_count;
    Watch watches[WATCHES_MAX];
    uint32_t watch_count;
};

static void log_failure(const TopicRelay *relay, const Error *error) {
    log_write(relay->arena->log, LOG_WARNING, "relay", &(LogField){"error", error->text, 0}, 1);
}

/* Call it with the lock held. */
static void wake(TopicRelay *relay) {
    relay->woken = true;
    pthread_cond_signal(&relay->wake);
}

/* ---- from any thread ---- */

static Owned *find_owned(const TopicRelay *relay, const char *topic) {
    for (Owned *owned = relay->owned; owned; owned = owned->next)
        if (!owned->gone && strcmp(owned->name, topic) == 0)
            return owned;
    return NULL;
}

static Followed *find_followed(const TopicRelay *relay, const char *topic) {
    for (Followed *followed = relay->followed; followed; followed = followed->next)
        if (!followed->gone && strcmp(followed->name, topic) == 0)
            return followed;
    return NULL;
}

static int64_t watched_until(const TopicRelay *relay, uint64_t key) {
    for (uint32_t i = 0; i < relay->watch_count; i++)
        if (relay->watches[i].key == key)
            return relay->watches[i].until;
    return 0;
}

void topic_relay_own(TopicRelay *relay, StoreRelayKind kind, const char *topic) {
    if (!relay)
        return;
    pthread_mutex_lock(&relay->lock);
    Followed *followed = find_followed(relay, topic);
    if (followed)
        followed->gone = true;
    if (!relay->stopping && !find_owned(relay, topic)) {
        Owned *owned = xcalloc(1, sizeof *owned);
        *owned = (Owned){.next = relay->owned, .key = store_topic_key(topic), .kind = kind};
        snprintf(owned->name, sizeof owned->name, "%s", topic);
        owned->watched = watched_until(relay, owned->key);
        relay->owned = owned;
        wake(relay);
    }
    pthread_mutex_unlock(&relay->lock);
}

void topic_relay_disown(TopicRelay *relay, const char *topic) {
    if (!relay)
        return;
    pthread_mutex_lock(&relay->lock);
    Owned *owned = find_owned(relay, topic);
    StoreRelayKind kind = owned ? owned->kind : 0;
    if (owned)
        owned->gone = true;
    pthread_mutex_unlock(&relay->lock);
    if (owned && !relay->arena->options.is_worker)
        topic_relay_follow(relay, kind, topic);
}

void topic_relay_follow(TopicRelay *relay, StoreRelayKind kind, const char *topic) {
    if (!relay)
        return;
    pthread_mutex_lock(&relay->lock);
    bool own = find_owned(relay, topic) != NULL;
    Followed *followed = own ? NULL : find_followed(relay, topic);
    if (!own && !followed && !relay->stopping && relay->followed_count < FOLLOWED_MAX) {
        followed = xcalloc(1, sizeof *followed);
        *followed = (Followed){.next = relay->followed, .key = store_topic_key(topic)};
        followed->kind = kind;
        snprintf(followed->name, sizeof followed->name, "%s", topic);
        relay->followed = followed;
        relay->followed_count++;
        followed->due = true;
        wake(relay);
    }
    if (followed)
        followed->until = clock_now() + WATCH_MS * CLOCK_MS;
    pthread_mutex_unlock(&relay->lock);
}

bool topic_relay_expects(TopicRelay *relay, const char *topic) {
    if (!relay)
        return false;
    pthread_mutex_lock(&relay->lock);
    const Followed *followed = find_followed(relay, topic);
    bool expects = followed && !followed->ended && !relay->stopping;
    pthread_mutex_unlock(&relay->lock);
    return expects;
}

/* ---- news, on its own thread ---- */

/* Remembers a watch, for a match that this process may lease soon. */
static void note_watch(TopicRelay *relay, uint64_t key, int64_t now) {
    uint32_t place = relay->watch_count;
    for (uint32_t i = 0; i < relay->watch_count; i++) {
        bool same = relay->watches[i].key == key;
        if (same || relay->watches[i].until < now)
            place = i;
        if (same)
            break;
    }
    if (place == WATCHES_MAX)
        return; /* the watch will be repeated */
    if (place == relay->watch_count)
        relay->watch_count++;
    relay->watches[place] = (Watch){key, now + WATCH_MS * CLOCK_MS};
    for (Owned *owned = relay->owned; owned; owned = owned->next)
        if (owned->key == key)
            owned->watched = now + WATCH_MS * CLOCK_MS;
}

void topic_relay_hear(TopicRelay *relay, StoreNewsKind kind, uint64_t subject) {
    if (!relay || (kind != NEWS_MISSED && kind != NEWS_WATCH && kind != NEWS_EVENTS))
        return;
    pthread_mutex_lock(&relay->lock);
    if (kind == NEWS_WATCH) {
        note_watch(relay, subject, clock_now());
        wake(relay);
    }
    /* News may have been missed because the database restarted, which can lose the rows. */
    for (Owned *owned = relay->owned; kind == NEWS_MISSED && owned; owned = owned->next)
        owned->again = true;
    for (Followed *followed = relay->followed; followed; followed = followed->next)
        if (kind == NEWS_MISSED || (kind == NEWS_EVENTS && followed->key == subject)) {
            followed->due = true;
            wake(relay);
        }
    pthread_mutex_unlock(&relay->lock);
}

static void tap(void *context) {
    TopicRelay *relay = context;
    pthread_mutex_lock(&relay->lock);
    wake(relay);
    pthread_mutex_unlock(&relay->lock);
}

/* ---- publishing ---- */

/* Events of several topics of one kind that are written together. */
typedef struct EventBatch {
    StoreRelayKind kind;
    uint32_t count;
    StoreRelayEvent events[BATCH_EVENTS];
    size_t starts[BATCH_EVENTS + 1]; /* in `text`, which moves while it grows */
    Owned *owners[BATCH_EVENTS];
    Buffer text;
} EventBatch;

/* Adds the events of a topic that are not in the table yet. */
static void gather(TopicRelay *relay, EventBatch *batch, Owned *owned) {
    LiveNext next = LIVE_NEXT_EVENT;
    uint64_t id = owned->sent;
    while (next == LIVE_NEXT_EVENT && batch->count < BATCH_EVENTS &&
           batch->text.length < BATCH_BYTES) {
        batch->starts[batch->count] = batch->text.length;
        next = live_next(relay->arena->live, owned->name, &id, &batch->text);
        if (next == LIVE_NEXT_NONE_YET)
            return;
        if (next != LIVE_NEXT_EVENT)
            id++; /* for the end */
        batch->owners[batch->count] = owned;
        batch->events[batch->count++] = (StoreRelayEvent){.topic = owned->name, .number = id};
    }
}

static void note_written(TopicRelay *relay, const EventBatch *batch) {
    for (uint32_t i = 0; i < batch->count; i++) {
        Owned *owned = batch->owners[i];
        const StoreRelayEvent *event = &batch->events[i];
        owned->drop_at = INT64_MAX;
        owned->newest = event->number;
        owned->bytes += event->data.length;
        if (event->data.length) {
            owned->sent = event->number;
        } else {
            owned->ended = true;
            owned->drop_at = clock_now() + ENDED_MS * CLOCK_MS;
        }
        if (i + 1 == batch->count || batch->owners[i + 1] != owned)
            store_news_send(relay->arena->store, NEWS_EVENTS, owned->key);
    }
}

/* Writes a batch of events of this kind; *more becomes true if there may be more. */
static bool publish_kind(TopicRelay *relay, StoreRelayKind kind, bool *more, Error *error) {
    static EventBatch batch; /* static because it is large; a process has one relay */
    batch.kind = kind;
    batch.count = 0;
    buffer_clear(&batch.text);
    pthread_mutex_lock(&relay->lock);
    Owned *first = relay->owned; /* topics that are added later wait for the next pass */
    int64_t now = clock_now();
    pthread_mutex_unlock(&relay->lock);
    for (Owned *owned = first; owned; owned = owned->next) {
        pthread_mutex_lock(&relay->lock);
        bool active = !owned->gone && owned->watched > now && owned->kind == kind;
        if (owned->again)
            owned->sent = 0;
        owned->again = false;
        pthread_mutex_unlock(&relay->lock);
        if (active && !owned->ended)
            gather(relay, &batch, owned);
    }
    if (!batch.count)
        return true;
    batch.starts[batch.count] = batch.text.length;
    for (uint32_t i = 0; i < batch.count; i++)
        batch.events[i].data = (Slice){batch.text.data ? batch.text.data + batch.starts[i] : "",
                                       batch.starts[i + 1] - batch.starts[i]};
    *more |= batch.count == BATCH_EVENTS || batch.text.length >= BATCH_BYTES;
    if (store_relay_put(relay->arena->store, kind, batch.events, batch.count, error) != STORE_OK)
        return false;
    note_written(relay, &batch);
    if (batch.text.capacity > (size_t)2 * BATCH_BYTES)
        buffer_free(&batch.text);
    return true;
}

/* Deletes rows that are no longer needed: those of topics that have ended or that nobody watches,
   and those that the topic itself no longer keeps. */
static bool drop_rows(TopicRelay *relay, Owned *owned, bool watched, int64_t now, Error *error) {
    LiveTopic topic = {0};
    if (!owned->drop_at)
        return true;
    bool there = live_look(relay->arena->live, owned->name, &topic);
    /* Live may have dropped all events because they contain the name of a deleted account. */
    bool dropped = there && topic.oldest > topic.last && topic.last;
    /* Rows of a later run stay: a process that hung may not know that another one publishes now. */
    uint64_t next_run = (owned->newest >> 32) + 1;
    uint64_t below = owned->drop_at <= now || (!watched && !owned->ended) ? next_run << 32 : 0;
    if (below) {
        owned->drop_at = 0;
        owned->sent = 0;
    } else if (there && owned->bytes && (owned->bytes > TRIM_BYTES || dropped)) {
        below = topic.oldest;
        owned->bytes = 0;
    }
    return !below || store_relay_drop(relay->arena->store, owned->kind, owned->name, below,
                                      error) == STORE_OK;
}

static bool drop_all_rows(TopicRelay *relay, Error *error) {
    bool good = true;
    int64_t now = clock_now();
    LiveTopic topic;
    pthread_mutex_lock(&relay->lock);
    Owned *first = relay->owned;
    pthread_mutex_unlock(&relay->lock);
    for (Owned *owned = first; good && owned; owned = owned->next) {
        bool there = live_look(relay->arena->live, owned->name, &topic);
        pthread_mutex_lock(&relay->lock);
        bool watched = owned->watched > now;
        bool gone = owned->gone;
        /* A watched topic still has to be ended in the table. */
        owned->gone |= !there && (owned->ended || !watched) && owned->drop_at <= now;
        pthread_mutex_unlock(&relay->lock);
        if (!gone) /* otherwise the rows may already be those of the next attempt */
            good = drop_rows(relay, owned, watched, now, error);
    }
    return good;
}

/* ---- following ---- */

typedef struct Receiving {
    Live *live;
    const Followed *followed;
    uint64_t last;
    bool ended;
} Receiving;

static void receive(void *context, uint64_t number, Slice data) {
    Receiving *receiving = context;
    receiving->last = number;
    if (data.length)
        live_receive(receiving->live, receiving->followed->name, number, data);
    else
        receiving->ended = true;
}

/* Reads new events of a topic. */
static bool read_topic(TopicRelay *relay, Followed *followed, Error *error) {
    LiveTopic topic;
    uint32_t count = READ_EVENTS;
    if (!live_look(relay->arena->live, followed->name, &topic) || topic.ended) {
        pthread_mutex_lock(&relay->lock);
        followed->gone = true;
        pthread_mutex_unlock(&relay->lock);
        return true;
    }
    Receiving receiving = {.live = relay->arena->live, .followed = followed, .last = topic.last};
    while (count == READ_EVENTS && !receiving.ended)
        if (store_relay_read(relay->arena->store, followed->kind, followed->name, receiving.last,
                             (StoreRelayReader){&receiving, receive}, &count, error) != STORE_OK)
            return false;
    if (receiving.ended) {
        live_end(relay->arena->live, followed->name);
        pthread_mutex_lock(&relay->lock);
        followed->ended = true;
        pthread_mutex_unlock(&relay->lock);
    }
    return true;
}

/* Repeats the watch of a topic with viewers; removes a topic without viewers. */
static void announce(TopicRelay *relay, Followed *followed, int64_t now) {
    LiveTopic topic = {0};
    if (now < followed->announced + ANNOUNCE_MS * CLOCK_MS)
        return;
    live_look(relay->arena->live, followed->name, &topic);
    pthread_mutex_lock(&relay->lock);
    if (topic.viewers)
        followed->until = now + WATCH_MS * CLOCK_MS;
    bool unwatched = !followed->gone && followed->until < now;
    followed->gone |= unwatched;
    bool goes_on = !followed->gone && !followed->ended;
    pthread_mutex_unlock(&relay->lock);
    if (unwatched)
        live_forget(relay->arena->live, followed->name);
    if (goes_on)
        store_news_send(relay->arena->store, NEWS_WATCH, followed->key);
    followed->announced = now;
}

static bool read_all(TopicRelay *relay, bool look, Error *error) {
    bool good = true;
    int64_t now = clock_now();
    pthread_mutex_lock(&relay->lock);
    Followed *first = relay->followed;
    pthread_mutex_unlock(&relay->lock);
    for (Followed *followed = first; good && followed; followed = followed->next) {
        pthread_mutex_lock(&relay->lock);
        bool due = (followed->due || look) && !followed->gone && !followed->ended;
        followed->due = false;
        pthread_mutex_unlock(&relay->lock);
        announce(relay, followed, now);
        if (due)
            good = read_topic(relay, followed, error);
    }
    return good;
}

/* ---- the thread ---- */

static void remove_gone(TopicRelay *relay) {
    for (Owned **at = &relay->owned; *at;) {
        Owned *owned = *at;
        if (owned->gone)
            *at = owned->next;
        else
            at = &owned->next;
        if (owned->gone)
            free(owned);
    }
    for (Followed **at = &relay->followed; *at;) {
        Followed *followed = *at;
        if (followed->gone)
            *at = followed->next;
        else
            at = &followed->next;
        if (followed->gone) {
            relay->followed_count--;
            free(followed);
        }
    }
}

/* Waits until the thread is woken, or until this time. Call it with the lock held. */
static void wait_until(TopicRelay *relay, int64_t when) {
    struct timespec until = {.tv_sec = (time_t)(when / 1000000000), .tv_nsec = when % 1000000000};
    while (!relay->stopping && !relay->woken &&
           pthread_cond_timedwait(&relay->wake, &relay->lock, &until) == 0)
        continue;
}

/* Passes events on, in both directions; false after a failure. */
static bool pass(TopicRelay *relay, bool look, bool *more) {
    Error error;
    bool good = true;
    *more = false;
    for (StoreRelayKind kind = 0; good && kind < RELAY_KINDS; kind++)
        good = publish_kind(relay, kind, more, &error);
    good = good && read_all(relay, look, &error) && (!look || drop_all_rows(relay, &error));
    if (!good)
        log_failure(relay, &error);
    return good;
}

static void *run(void *context) {
    TopicRelay *relay = context;
    int64_t next_look = 0;
    pthread_mutex_lock(&relay->lock);
    for (bool stopping = false; !stopping;) {
        bool more = false;
        int64_t began = clock_now();
        bool look = began >= next_look;
        if (look)
            next_look = began + LOOK_MS * CLOCK_MS;
        stopping = relay->stopping;
        relay->woken = false;
        pthread_mutex_unlock(&relay->lock);
        bool good = pass(relay, look, &more);
        pthread_mutex_lock(&relay->lock);
        remove_gone(relay);
        if (stopping)
            break;
        if (!good) {
            int64_t retry = clock_now() + RETRY_MS * CLOCK_MS;
            while (!relay->stopping && clock_now() < retry) {
                relay->woken = false;
                wait_until(relay, retry);
            }
        } else if (!more) {
            wait_until(relay, next_look);
            int64_t gathered = began + GATHER_MS * CLOCK_MS;
            while (!relay->stopping && clock_now() < gathered) {
                relay->woken = false;
                wait_until(relay, gathered);
            }
        }
    }
    pthread_mutex_unlock(&relay->lock);
    return NULL;
}

/* ---- starting and stopping ---- */

bool topic_relay_start(Arena *arena, Error *error) {
    sigset_t all;
    sigset_t before;
    pthread_condattr_t clock;
    if (!arena->options.store || !arena->live)
        return true;
    TopicRelay *relay = xcalloc(1, sizeof *relay);
    relay->arena = arena;
    pthread_mutex_init(&relay->lock, NULL);
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&relay->wake, &clock);
    pthread_condattr_destroy(&clock);
    live_set_tap(arena->live, tap, relay);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are for the main thread */
    int failure = pthread_create(&relay->thread, NULL, run, relay);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    relay->stopped = failure != 0;
    arena->relay = relay;
    return !failure ||
           error_set(error, "cannot start the thread of shared topics: %s", strerror(failure));
}

void topic_relay_stop(TopicRelay *relay) {
    if (!relay || relay->stopped)
        return;
    pthread_mutex_lock(&relay->lock);
    relay->stopping = true;
    pthread_cond_signal(&relay->wake);
    pthread_mutex_unlock(&relay->lock);
    pthread_join(relay->thread, NULL);
    relay->stopped = true;
}

void topic_relay_free(TopicRelay *relay) {
    if (!relay)
        return;
    topic_relay_stop(relay);
    for (Owned *owned = relay->owned; owned; owned = owned->next)
        owned->gone = true;
    for (Followed *followed = relay->followed; followed; followed = followed->next)
        followed->gone = true;
    remove_gone(relay);
    pthread_mutex_destroy(&relay->lock);
    pthread_cond_destroy(&relay->wake);
    free(relay);
}
