/* News: what the processes that share a PostgreSQL database tell each other, so that none has to
   wait until it looks at the tables again. News can get lost, and whoever listens looks now and
   then anyway.

   A thread with its own connection sends and receives them. PostgreSQL lets only one process at a
   time commit a notification, and wakes every listener for it, so news are gathered for a moment
   and sent together, and not every result of a match is worth telling: see store_news_tell. With
   SQLite, nobody else has the store, and nothing is sent. */
#ifndef STORE_NEWS_H
#define STORE_NEWS_H

#include "store/types.h"

typedef enum StoreNewsKind {
    NEWS_MISSED,    /* some may have been lost: look at everything */
    NEWS_JOBS,      /* the queue has jobs that wait */
    NEWS_CANCELLED, /* jobs were cancelled */
    NEWS_MATCH,     /* this match was started or has ended */
    NEWS_BUILD,     /* this version was built, or could not be */
    NEWS_CHECK,     /* this version was checked */
    NEWS_KINDS
} StoreNewsKind;

typedef struct StoreNewsListener {
    void *context;
    /* On the thread of the news. `subject` is an id, or 0. */
    void (*take)(void *context, StoreNewsKind kind, uint64_t subject);
} StoreNewsListener;

/* Starts the thread; does nothing with SQLite. Once per store. */
bool store_news_start(Store *store, StoreNewsListener listener, Error *error);

/* Sends what is left, and ends the thread; later news are not sent. store_close calls it too. */
void store_news_stop(Store *store);

/* Tells the other processes, if there can be any. Never waits; from any thread. The store itself
   tells of jobs that were added and cancelled. */
void store_news_tell(Store *store, StoreNewsKind kind, uint64_t subject);

/* Whether news arrive now: then there is little need to look for changes. */
bool store_news_arrive(Store *store);

#endif
