/* Follows the engines of other processes that share the store: an arena reports matches, builds and
   checks that ended elsewhere like those of its own engine. The store has all results in order, so
   this module reads new results once a second, and at once when news arrives (store/news.h). It
   ends live topics of matches that are played elsewhere, unless the processes that play them do so
   (topic_relay.h). Everything runs on the engine's thread, except where a function says
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
    int64_t end_by; /* clock_now until which its last events may arrive; 0: it is not over */
} WatchedMatch;

typedef struct OtherEngines {
    bool shared; /* others may use the store */
    uint64_t last_result;
    uint64_t own[OWN_RESULTS]; /* recent matches that ended here, at their ids % OWN_RESULTS */
    bool news_lost;            /* news of ended sessions may have been lost */
    int64_t next_check;        /* clock_now */
    pthread_mutex_t lock;      /* guards what follows */
    HeardNews *heard;
    uint32_t heard_count;
    uint32_t heard_capacity;
    WatchedMatch *watched; /* matches whose topics someone waits for */
    uint32_t watched_count;
    uint32_t watched_capacity;
} OtherEngines;

/* From now on, news wakes the engine. Results that exist already are not reported. */
bool other_engines_start(Engine *engine, Error *error);

/* From now on, no more news arrives. other_engines_free calls it too. */
void other_engines_stop(Engine *engine);
void other_engines_free(Engine *engine);

/* Reports that someone waits for the events of a match. From any thread. */
void other_engines_watch(Engine *engine, uint64_t match);

/* Reports that this engine stored the result of a match, or ended its topic. */
void other_engines_own(Engine *engine, uint64_t match);

/* Processes the news that has arrived. *cancelled: jobs may have been cancelled, which the caller
   handles. */
void other_engines_take_news(Engine *engine, bool *cancelled);

/* Once a second: checks results and watched matches. */
void other_engines_look(Engine *engine);

#endif
