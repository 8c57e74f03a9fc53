/* News: notifications between the processes that share a PostgreSQL database, so that they learn of
   changes without delay. News can get lost, so every process also polls from time to time.

   A thread with its own connection sends and receives the news. PostgreSQL lets only one process at
   a time commit a notification, and wakes every listener for it. Therefore news is collected
   briefly and sent together, and not every match result is sent: see store_news_send. With SQLite,
   no other process uses the store, and nothing is sent. */
#ifndef STORE_NEWS_H
#define STORE_NEWS_H

#include "base/hash.h"
#include "store/types.h"

#include <string.h>

typedef enum StoreNewsKind {
    NEWS_MISSED,     /* some may have been lost: check everything */
    NEWS_JOBS,       /* the queue has jobs that wait */
    NEWS_CANCELLED,  /* jobs were cancelled */
    NEWS_MATCH,      /* this match was started or has ended */
    NEWS_BUILD,      /* this version was built, or could not be */
    NEWS_CHECK,      /* this version was checked */
    NEWS_WATCH,      /* this topic (see store_topic_key) has viewers */
    NEWS_EVENTS,     /* this topic has new events, see relay.h */
    NEWS_REVOKED,    /* a session or token of this account is no longer valid, or all of them */
    NEWS_FORGOTTEN,  /* an account was deleted: its name must no longer be shown */
    NEWS_SETTINGS,   /* settings of the arena have changed */
    NEWS_CALL,       /* a request to the owner of a seat, see seat_calls.h */
    NEWS_ANSWER,     /* a request was answered */
    NEWS_TOURNAMENT, /* this tournament has changed */
    NEWS_RATINGS,    /* the leader has stored new ratings */
    NEWS_KINDS
} StoreNewsKind;

/* The key of a live topic in the news. Collisions are harmless. */
static inline uint64_t store_topic_key(const char *topic) {
    return (hash64(topic, strlen(topic)) & INT64_MAX) | 1;
}

typedef struct StoreNewsListener {
    void *context;
    /* Called on the thread of the news. `subject` is an id, or 0. */
    void (*take)(void *context, StoreNewsKind kind, uint64_t subject);
} StoreNewsListener;

/* Starts the thread; does nothing with SQLite. Call it once per store. */
bool store_news_start(Store *store, StoreNewsListener listener, Error *error);

/* Sends the remaining news and ends the thread; later news is not sent. store_close calls this
   too. */
void store_news_stop(Store *store);

/* Notifies the other processes, if there can be any. Callable from any thread; never waits. The
   store itself reports jobs that were added and cancelled. */
void store_news_send(Store *store, StoreNewsKind kind, uint64_t subject);

/* Whether news currently arrives, so that polling is hardly needed. */
bool store_news_arrive(Store *store);

#endif
