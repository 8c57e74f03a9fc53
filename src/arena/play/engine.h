/* The engine: one thread that leases jobs from the queue, passes them to the dispatcher's runners,
   stores the results, and publishes the turns of running matches.

   Other parts learn about results, and add to the queue, through an EngineListener: the engine
   depends on none of them.

   Live topics: "match-ID" with the events "start" (game, map, configuration, seed, players: what a
   replay's header has), "turn" (as `skirmish replay export` writes it, without standard error) and
   "end" (the verdict); "queue" with "size". */
#ifndef ARENA_PLAY_ENGINE_H
#define ARENA_PLAY_ENGINE_H

#include "arena/arena.h"
#include "base/json.h"

typedef struct Engine Engine;

/* How much the topic of a match keeps for late viewers, for live_open. Longer matches must be read
   from their replays. */
enum { LIVE_MATCH_EVENTS = 10000, LIVE_MATCH_BYTES = 4 << 20 };

enum { ENGINE_LISTENERS_MAX = 4 };

/* Callbacks run on the engine's thread and block it. NULL: not needed. */
typedef struct EngineListener {
    void *context;
    /* The match has a result, or was given up after too many failures. */
    void (*match_ended)(void *context, const StoreMatch *match);
    /* An account was deleted, here or on another arena: its name must no longer be shown. */
    void (*name_forgotten)(void *context);
    /* Another arena, which leads, has stored new ratings; or news was missed. */
    void (*ratings_heard)(void *context);
    /* Once a second until the engine stops: time to add matches to the queue. */
    void (*tick)(void *context);
} EngineListener;

/* Creates an engine, without starting it, and returns the jobs of an earlier engine with the same
   data directory to the queue. The engine of a worker leaves matches with people and remote bots to
   others. NULL on failure. */
Engine *engine_new(Arena *arena, Error *error);

/* Call it before engine_start only. A NULL engine is ignored. */
void engine_listen(Engine *engine, EngineListener listener);

/* Starts the thread. False if runners cannot work here, for example for lack of isolation. */
bool engine_start(Engine *engine, Error *error);

/* Reports that something was added to the queue, or cancelled there. From any thread. NULL is
   fine. */
void engine_wake(Engine *engine);

/* Reports that an administrator drained, blocked or resumed this worker, see store/workers.h. From
   any thread. NULL is fine. */
void engine_wake_for_worker(Engine *engine);

/* Opens the topic of a match that is waiting or being played, and ensures that it ends with the
   match, wherever that is played. From any thread. */
void engine_open_topic(const Arena *arena, uint64_t match, char topic[LIVE_TOPIC_MAX]);

/* The same for a match that someone is about to watch: its events also arrive if it is played
   elsewhere. */
void engine_watch_topic(const Arena *arena, uint64_t match, char topic[LIVE_TOPIC_MAX]);

/* Reports that an account was deleted: drops the events of the topic "activity", which may contain
   its name, and notifies the listeners and other arenas. From any thread; NULL is fine. */
void engine_forget_names(Engine *engine);

/* Leases no more jobs from now on; running ones finish within this many milliseconds or go back to
   the queue. May be called again to change the time. Does not wait; engine_has_ended returns true
   when nothing is left to do. */
void engine_drain(Engine *engine, uint32_t drain_ms);
bool engine_has_ended(const Engine *engine);

/* What the engine has done since it started; `matches` includes those that others have played. */
typedef struct EngineCounts {
    int64_t matches;
    int64_t builds;
    int64_t checks;
    int64_t failures; /* of the arena, not of bots */
} EngineCounts;
EngineCounts engine_counts(const Engine *engine);

/* The name under which the engine leases jobs. */
const char *engine_holder(const Engine *engine);

/* Drains the engine, and waits until that is done. engine_wake may still be called until
   engine_free. NULL is fine for both. */
void engine_stop(Engine *engine, uint32_t drain_ms);
void engine_free(Engine *engine);

/* How many continuations of the analysis of this match were played, and how many are planned so
   far; 0 of 0 if none is running. From any thread; NULL is fine. */
void engine_analysis_progress(Engine *engine, uint64_t match, uint32_t *done, uint32_t *total);

/* The names of the kinds of jobs, in the log and in the API. */
#define JOB_KIND_NAMES(name, between) \
 name("build") between name("match") between name("check") between name("analysis")
const char *job_kind_name(StoreJobKind kind);

/* Writes how much is waiting and running, as a JSON object: the API and the topic "queue" send
   the same. */
void engine_write_queue(const StoreQueueSize *size, JsonOut *out);

#endif
