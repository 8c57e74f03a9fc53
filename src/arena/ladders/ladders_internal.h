/* Shared by ladders.c (the thread), ladder_ratings.c and matchmaking.c. All functions run on the
   ladders' thread; other threads only set `woken` and `stopping`, under the lock. Functions that
   return false have set `error`. */
#ifndef ARENA_LADDERS_LADDERS_INTERNAL_H
#define ARENA_LADDERS_LADDERS_INTERNAL_H

#include "arena/ladders/ladders.h"
#include "base/random.h"
#include "games/game.h"
#include "league/rating.h"

#include <pthread.h>

enum {
    QUEUED_VERSIONS = 1024 /* versions in the queue that are counted; rarely exceeded */
};

/* One player of a result. The results of a game form one list. */
typedef struct ResultEntry {
    uint64_t version;
    uint32_t rank;
    uint32_t players; /* in the first entry of a match; 0 in the others */
} ResultEntry;

typedef struct RatedBot {
    StoreRating row; /* as last computed */
    uint32_t queued; /* its seats in the queue */
    int64_t history; /* clock_now of its last point in the history */
    double history_rating;
    uint64_t history_version;
} RatedBot;

typedef struct GameLadder {
    const Game *game;
    uint64_t last_result;
    ResultEntry *entries;
    size_t entry_count;
    size_t entry_capacity;
    RatedBot *rated; /* the active bots, by version */
    uint32_t rated_count;
    Ratings *ratings;
    uint32_t *indices; /* scratch space: the ladder, best first */
    bool contested;    /* not all bots have the same owner */
    bool stale;        /* the ratings lack new results or bots */
    int64_t next_fit;  /* clock_now */
    int64_t next_meeting;
    uint32_t meetings; /* added to the queue */
    uint64_t shown;    /* a digest of the ladder as last published */
} GameLadder;

struct Ladders {
    Arena *arena;
    pthread_t thread;
    bool started;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool woken;
    bool stopping;
    bool heard; /* the leader has stored new ratings */
    bool leads; /* this process stores the ratings and adds matches */
    GameLadder *games;
    uint32_t game_count;
    uint32_t turn; /* modulo game_count: the next game to get a meeting */
    StoreQueuedVersion queued[QUEUED_VERSIONS];
    Random random;
};

/* The active version on the ladder, or NULL. */
RatedBot *ladder_find_rated(const GameLadder *ladder, uint64_t version);

/* Reads new results and active versions, and computes the ratings if it is time. The longer that
   takes, the later it is repeated. */
bool ladder_update(const Ladders *ladders, GameLadder *ladder, Error *error);

/* Publishes the ladder as it is in the store, if that has changed or `always`. */
void ladder_publish(const Ladders *ladders, GameLadder *ladder, bool always);

/* Adds meetings to the queue if it has room. */
bool matchmaking_add(Ladders *ladders, Error *error);

#endif
