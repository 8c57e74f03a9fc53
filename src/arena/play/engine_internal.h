/* Shared by engine.c (the thread, leases, live topics), leased_job.c (one job in progress),
   leased_check.c (the check of a version), leased_analysis.c (the analysis of a match) and
   leased_job_end.c (the end of a job). All of it runs on the engine's thread. */
#ifndef ARENA_PLAY_ENGINE_INTERNAL_H
#define ARENA_PLAY_ENGINE_INTERNAL_H

#include "arena/play/activity.h"
#include "arena/play/engine.h"
#include "arena/play/heartbeat.h"
#include "arena/play/holder.h"
#include "arena/play/other_engines.h"
#include "arena/play/queued_match.h"
#include "league/dispatcher.h"

#include <pthread.h>
#include <stdatomic.h>

enum {
    QUEUE_KINDS = 6,  /* builds, three kinds of matches, checks, and analyses */
    ANALYSES_MAX = 8, /* at a time, and at most one per runner */
    TOPICS_KEPT = 16, /* topics of finished matches; topic_kept() says for how long */
};

typedef enum JobPhase {
    JOB_BUILDING,  /* the job is to build a version */
    JOB_WAITING,   /* a match or check: another job builds one of its versions */
    JOB_PREPARING, /* a match or check: the bot in seat `building` is being built */
    JOB_PLAYING,
    JOB_CHECKING,  /* the job is to check a version, which is built */
    JOB_ANALYSING, /* the job is to analyse a match */
} JobPhase;

typedef struct LeasedAnalysis LeasedAnalysis; /* see leased_analysis.c */

/* A job of the queue that this engine has leased. */
typedef struct LeasedJob {
    struct LeasedJob *next;
    struct Engine *engine;
    uint64_t id; /* the id of its last job for the dispatcher */
    StoreJob lease;
    bool with_people;    /* leased for the runners of people */
    int64_t heard;       /* clock_now of the last record about `id`; 0: none yet */
    uint64_t steps;      /* its progress: the work given to runners, and their reports */
    int64_t turn_most;   /* nanoseconds that a turn of the match can take; 0: unknown yet */
    int64_t lease_until; /* clock_now */
    JobPhase phase;
    bool over;           /* it will be removed from the list */
    const char *outcome; /* its outcome, for the log; set with `over` */
    int64_t began;       /* clock_now */
    uint64_t building_version;
    uint32_t building;
    const Game *game;
    QueuedMatch setup;
    StoreMatches match;
    BotSpec bots[GAME_PLAYERS_MAX];
    bool needs_build[GAME_PLAYERS_MAX];
    bool draft[GAME_PLAYERS_MAX];
    char *failure[GAME_PLAYERS_MAX]; /* why a bot cannot play, or NULL */
    char *empty;                     /* why a seat has no player, or NULL */
    Buffer logs[GAME_PLAYERS_MAX];   /* output of failed builds of drafts */
    int replay;                      /* or -1 */
    Buffer prelude;           /* the replay that the match starts with, or that is analysed */
    LeasedAnalysis *analysis; /* or NULL */
} LeasedJob;

/* A finished match whose topic still exists. */
typedef struct KeptTopic {
    uint64_t match;
    int64_t until;
} KeptTopic;

typedef struct AnalysisProgress {
    uint64_t match;
    uint32_t done;
    uint32_t total;
} AnalysisProgress;

struct Engine {
    Arena *arena;
    pthread_t thread;
    char holder[HOLDER_SIZE];      /* the name under which it leases jobs */
    char last_holder[HOLDER_SIZE]; /* the process before it */
    Heartbeat heartbeat;
    int wake;            /* an eventfd */
    atomic_bool renamed; /* an account was deleted */
    atomic_bool asked;   /* engine_wake was called */
    OtherEngines others;
    Dispatcher *dispatcher;
    EngineListener listeners[ENGINE_LISTENERS_MAX];
    uint32_t listener_count;
    LeasedJob *jobs;
    uint64_t last_id;
    uint64_t ticks;
    uint32_t runners;          /* for jobs without people */
    bool check_queue[2];       /* there may be a job to lease: [true] for matches with people */
    bool continuation_is_next; /* analyses and other jobs take turns */
    int64_t retry_at;          /* when to try again to start runners; 0: they run */
    bool started;              /* the thread is running */
    _Atomic int state;         /* 0: starting, 1: started, -1: failed, 2: ended */
    Error error;               /* why it failed to start */
    pthread_mutex_t lock;      /* for `state` and `progress` */
    pthread_cond_t settled;
    _Atomic bool stopping;
    _Atomic int64_t stop_by; /* clock_now */
    AnalysisProgress progress[ANALYSES_MAX];
    uint32_t progress_count;
    KeptTopic kept[TOPICS_KEPT];
    uint32_t kept_next;
    StoreQueueSize size; /* as last published */
    ActivityMatches activity;
    Metric *metric_played[3];
    Metric *metric_builds;
    Metric *metric_checks;
    Metric *metric_failures;
    Metric *metric_seconds;
    Metric *metric_waiting[QUEUE_KINDS];
    Metric *metric_leased;
    Metric *metric_without_worker;
};

/* How long jobs are leased. */
static inline int64_t engine_lease_ms(const Engine *engine) {
    return (int64_t)engine->arena->options.lease_seconds * 1000;
}

/* Starts a job that was leased. */
void leased_job_begin(Engine *engine, const StoreJob *lease, bool with_people);

/* Processes a runner's record. */
void leased_job_take(Engine *engine, Record *record);

/* The same for analyses; leased_job_begin and leased_job_take call these. */
void leased_analysis_begin(LeasedJob *job);
void leased_analysis_take(LeasedJob *job, Record *record);
void leased_analysis_free(LeasedJob *job);

/* Ends an analysis that has taken too long, including the time of its current continuation so far,
   in nanoseconds. */
void leased_analysis_limit(LeasedJob *job, int64_t current);

/* Gives the dispatcher a continuation of the analysis that has waited the longest. False if no
   analysis waits, or the dispatcher has no room. When the engine stops, the analysis returns to the
   queue instead. */
bool leased_analyses_give(Engine *engine);

/* Whether another analysis can be leased. */
bool leased_analyses_have_room(const Engine *engine);

/* Frees the jobs that are over, and continues those that waited for one of them. */
void leased_jobs_advance(Engine *engine);

/* For leased_check.c and leased_analysis.c. The first function gives work to the dispatcher. The
   second one gives it the build of a seat's bot, which with `try_turn` also plays a turn. The third
   one returns whether another job of this engine builds the version. */
void leased_job_give(LeasedJob *job, Job *work, int replay);
void leased_job_give_build(LeasedJob *job, uint32_t seat, bool try_turn);
bool leased_job_is_built_by_another(const LeasedJob *asks, uint64_t version);

/* Starts or continues the check of a version; processes a record of it; and ends it without a
   report, for a reason that the owner of the bot may read. */
void leased_check_advance(LeasedJob *job);
void leased_check_take(LeasedJob *job, const Record *record);
void leased_check_fail(LeasedJob *job, const char *why);

/* Notifies other processes that the match has started or ended. Does so only for casual matches,
   because people wait for them; other processes read the results of the rest soon enough. */
void leased_job_tell(const LeasedJob *job);

/* Logs an event of a job. Log its start and end only if somebody requested the job: ladders may
   play thousands of matches a second. */
void leased_job_log(const LeasedJob *job, LogLevel level, const char *event, const char *sentence);

/* The job is over for this engine; `outcome` is a constant, for the log. */
void leased_job_over(LeasedJob *job, const char *outcome);

/* The match of a job, which must have been read from the store. */
static inline const StoreMatch *leased_job_match(const LeasedJob *job) {
    return job->match.rows;
}

/* The ways in which a job ends. Afterwards it is over for this engine. */

/* Returns the job to the queue. A match with remote players is called off when the arena stops.
   False if the store failed. */
bool leased_job_return(LeasedJob *job);

/* Stops a job that has to make room for others, and returns it to the queue; it restarts later. */
void leased_job_interrupt(LeasedJob *job);

/* Calls the match off and publishes the reason to viewers. False if the store failed. */
bool leased_job_call_off(LeasedJob *job, const char *why);

/* Stops a job that is no longer in the store's queue, or that was leased again. */
void leased_job_drop(LeasedJob *job);

/* Ends a job after a failure of the arena: it is retried, or given up after too many attempts. */
void leased_job_fail(LeasedJob *job, const char *why);

/* The same because something could not be read or written. The job backs off, so that an object
   store that fails for some seconds does not use up all attempts of all jobs. */
void leased_job_fail_for_now(LeasedJob *job, const char *why);

/* Stores the replay, if the match was played, and then the verdict. */
void leased_job_finish_match(LeasedJob *job, Verdict *verdict, bool played);

/* Ends a match without playing it: the bots that cannot play forfeit. */
void leased_job_forfeit(LeasedJob *job);

/* Stores the result of the build of a version, and its log. */
void leased_job_finish_build(LeasedJob *job, const Record *record);

/* The name of a match's topic. */
void engine_topic(uint64_t match, char topic[LIVE_TOPIC_MAX]);

/* Starts publishing the topic of a match for this attempt; stops although the match is not over. */
void engine_begin_topic(LeasedJob *job);
void engine_leave_topic(const LeasedJob *job);

/* Publishes the last event of a match: its verdict, or why it has none. */
void engine_end_topic(Engine *engine, uint64_t match, Slice verdict);
void engine_end_without_verdict(Engine *engine, uint64_t match, const char *why);

/* Calls the listeners: a match has a result, or was given up. */
void engine_report_end(const Engine *engine, const StoreMatch *match);

/* Wakes the engine's thread. From any thread. */
void engine_wake_for_news(Engine *engine);

/* Logs a message; a `match` of 0 is omitted. */
void engine_log(const Engine *engine, LogLevel level, const char *event, uint64_t match,
                const char *sentence);

#endif
