/* The work of other processes' engines, if several share the store: an arena learns of matches,
   builds and checks that ended elsewhere, as it does of its own. The store has all results in
   order, so this module reads new results once a second, and at once when news arrive
   (store/news.h). It ends live topics of matches that are played elsewhere, unless their players do
   so (topic_relay.h). Everything runs on the engine's thread, except for the two functions that say
   otherwise. */
#ifndef ARENA_PLAY_OTHER_ENGINES_H
#define ARENA_PLAY_OTHER_ENGINES_H

#include "arena/play/engine.h"

#include <pthread.h>

enum { OWN_RESULTS = 1024 };

typedef struct HeardNews {
    StoreNewsKind kind;
    uint64_t subject;
} HeardNews;

typedef struct WatchedMatch {
    uint64_t match;
    int64_t end_by; /* clock_now: it is over, and until then its last events may arrive; 0: no */
} WatchedMatch;

typedef struct OtherEngines {
    bool shared; /* others may use the store */
    uint64_t last_result;
    uint64_t own[OWN_RESULTS]; /* matches that ended here, by their ids */
    bool doubt;                /* news of ended sessions may have been lost */
    int64_t next_check;        /* clock_now */
    pthread_mutex_t lock;      /* guards what follows */
    HeardNews *heard;
    uint32_t heard_count;
    uint32_t heard_capacity;
    WatchedMatch *watched; /* whose topics someone waits for */
    uint32_t watched_count;
    uint32_t watched_capacity;
} OtherEngines;

/* From here on, news wake the engine. Results that are there already are not reported. */
bool other_engines_start(Engine *engine, Error *error);

/* No news arrive any more. */
void other_engines_stop(Engine *engine);
void other_engines_free(Engine *engine);

/* Someone waits for the events of a match. From any thread. */
void other_engines_watch(Engine *engine, uint64_t match);

/* This engine stored the result of a match, or ended its topic. */
void other_engines_own(Engine *engine, uint64_t match);

/* Processes the news that have arrived. The caller handles cancelled jobs: *cancelled. */
void other_engines_take_news(Engine *engine, bool *cancelled);

/* Once a second: checks results and watched matches. */
void other_engines_look(Engine *engine);

#endif
