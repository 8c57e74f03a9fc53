/* Inside the engine: what engine.c (the thread, leases, live topics) and leased_job.c (one job of the
   queue under way) share. */
#ifndef ARENA_PLAY_ENGINE_INTERNAL_H
#define ARENA_PLAY_ENGINE_INTERNAL_H

#include "arena/play/engine.h"
#include "arena/play/queued_match.h"
#include "league/dispatcher.h"

#include <pthread.h>
#include <stdatomic.h>

enum {
    QUEUE_KINDS = 4, /* builds, and three kinds of matches */
    LEASE_MS = 60000,
    TOPICS_KEPT = 16, /* of matches that are over; for how long, topic_kept says */
};

typedef enum JobPhase {
    JOB_BUILDING,  /* a version, as the queue wants it */
    JOB_WAITING,   /* a match, for a version that another job builds */
    JOB_PREPARING, /* a match, whose bot in the seat `building` is being built */
    JOB_PLAYING,
} JobPhase;

/* A job of the queue that this engine holds. */
typedef struct LeasedJob {
    struct LeasedJob *next;
    struct Engine *engine;
    uint64_t id; /* of what the dispatcher was given for it last */
    StoreJob lease;
    int64_t lease_until; /* clock_now */
    JobPhase phase;
    bool over; /* to be removed from the list */
    uint64_t building_version;
    uint32_t building;
    const Game *game;
    QueuedMatch setup;
    StoreMatches match;
    BotSpec bots[GAME_PLAYERS_MAX];
    bool needs_build[GAME_PLAYERS_MAX];
    bool draft[GAME_PLAYERS_MAX];
    char *trouble[GAME_PLAYERS_MAX]; /* why a bot cannot play, or NULL */
    char *empty;                     /* why there is nobody at a seat, or NULL */
    Buffer logs[GAME_PLAYERS_MAX];   /* what the build of a draft said that failed */
    int replay;                      /* or -1 */
    Buffer prelude;                  /* the replay that it begins with */
} LeasedJob;

/* A match that is over and can still be watched. */
typedef struct KeptTopic {
    uint64_t match;
    int64_t until;
} KeptTopic;

struct Engine {
    Arena *arena;
    pthread_t thread;
    int wake; /* an eventfd */
    Dispatcher *dispatcher;
    EngineListener listeners[ENGINE_LISTENERS_MAX];
    uint32_t listener_count;
    LeasedJob *jobs;
    uint64_t last_id;
    bool check_queue[2]; /* there may be something to lease: matches in which people play apart */
    int64_t broken;      /* no runner could be started: try again at this time; 0: all is well */
    bool started;        /* the thread runs */
    _Atomic int state;   /* of starting: 0 not yet, 1 well, -1 failed */
    Error error;         /* why it failed */
    pthread_mutex_t lock;
    pthread_cond_t settled;
    _Atomic bool stopping;
    _Atomic int64_t stop_by; /* clock_now */
    KeptTopic kept[TOPICS_KEPT];
    uint32_t kept_next;
    StoreQueueSize size; /* as published last */
    Metric *metric_played[3];
    Metric *metric_builds;
    Metric *metric_failures;
    Metric *metric_seconds;
    Metric *metric_waiting[QUEUE_KINDS];
    Metric *metric_leased;
};

/* Begins what was leased. */
void leased_job_begin(Engine *engine, const StoreJob *lease);

/* A runner has said something about a job. */
void leased_job_take(Engine *engine, Record *record);

/* Puts a job's job back, unplayed; the job is over. */
void leased_job_return(LeasedJob *job);

/* Removes the jobs that are over, and goes on with those that waited for one of them. */
void leased_jobs_advance(Engine *engine);

/* The name of a match's topic. */
void engine_topic(uint64_t match, char topic[LIVE_TOPIC_MAX]);

/* The match is over: viewers get this as the last event. */
void engine_end_topic(Engine *engine, uint64_t match, Slice verdict);

/* Writes to the log; `match` 0 is left out. */
void engine_log(const Engine *engine, LogLevel level, const char *event, uint64_t match,
                const char *sentence);

#endif
