/* See other_engines.h. */
#include "arena/play/other_engines.h"

#include "arena/play/engine_internal.h"
#include "arena/play/shared_seats.h"
#include "arena/play/topic_relay.h"
#include "arena/settings.h"
#include "base/clock.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum {
    RESULTS_PER_READ = 200,
    HEARD_MAX = 4096, /* beyond this, the engine checks everything */
    CHECK_MS = 10000, /* between two ends of all streams of accounts */
    ENDING_MS = 3000, /* for the last events of a match that is over */
};

/* ---- news, on its own thread ---- */

static void hear(void *context, StoreNewsKind kind, uint64_t subject) {
    Engine *engine = context;
    OtherEngines *others = &engine->others;
    topic_relay_hear(engine->arena->relay, kind, subject);
    shared_seats_hear(engine->arena->shared_seats, kind, subject);
    if (kind == NEWS_WATCH || kind == NEWS_EVENTS || kind == NEWS_CALL || kind == NEWS_ANSWER)
        return;
    if (kind == NEWS_REVOKED) {
        if (engine->arena->live)
            live_revoke(engine->arena->live, subject, 0);
        return;
    }
    pthread_mutex_lock(&others->lock);
    if (others->heard_count >= HEARD_MAX) {
        others->heard_count = 0;
        kind = NEWS_MISSED;
    }
    if (others->heard_count == others->heard_capacity) {
        others->heard_capacity = others->heard_capacity * 2 + 16;
        others->heard = xreallocarray(others->heard, others->heard_capacity, sizeof *others->heard);
    }
    others->heard[others->heard_count++] = (HeardNews){kind, subject};
    pthread_mutex_unlock(&others->lock);
    engine_wake_for_news(engine);
}

bool other_engines_start(Engine *engine, Error *error) {
    Store *store = engine->arena->store;
    OtherEngines *others = &engine->others;
    pthread_mutex_init(&others->lock, NULL);
    others->shared = engine->arena->options.store != NULL;
    return !others->shared ||
           (store_matches_last_result(store, &others->last_result, error) == STORE_OK &&
            store_news_start(store, (StoreNewsListener){engine, hear}, error));
}

void other_engines_stop(Engine *engine) {
    if (engine->others.shared)
        store_news_stop(engine->arena->store);
}

void other_engines_free(Engine *engine) {
    OtherEngines *others = &engine->others;
    other_engines_stop(engine);
    pthread_mutex_destroy(&others->lock);
    free(others->heard);
    free(others->watched);
}

/* ---- live topics ---- */

void other_engines_watch(Engine *engine, uint64_t match) {
    OtherEngines *others = &engine->others;
    if (!others->shared)
        return;
    pthread_mutex_lock(&others->lock);
    uint32_t i = 0;
    while (i < others->watched_count && others->watched[i].match != match)
        i++;
    if (i == others->watched_count) {
        if (i == others->watched_capacity) {
            others->watched_capacity = i * 2 + 16;
            others->watched =
                xreallocarray(others->watched, others->watched_capacity, sizeof *others->watched);
        }
        others->watched[others->watched_count++] = (WatchedMatch){.match = match};
    }
    pthread_mutex_unlock(&others->lock);
}

static void unwatch(OtherEngines *others, uint64_t match) {
    pthread_mutex_lock(&others->lock);
    for (uint32_t i = 0; i < others->watched_count; i++)
        if (others->watched[i].match == match)
            others->watched[i] = others->watched[--others->watched_count];
    pthread_mutex_unlock(&others->lock);
}

/* NULL if nobody watches the match. Call it with the lock held. */
static WatchedMatch *find_watched(const OtherEngines *others, uint64_t match) {
    for (uint32_t i = 0; i < others->watched_count; i++)
        if (others->watched[i].match == match)
            return &others->watched[i];
    return NULL;
}

/* Whether someone watches a match that is over, and whose topic waits for its last events. */
static bool is_ending(OtherEngines *others, uint64_t match) {
    pthread_mutex_lock(&others->lock);
    const WatchedMatch *watched = find_watched(others, match);
    bool ending = watched && watched->end_by;
    pthread_mutex_unlock(&others->lock);
    return ending;
}

/* Whether to end the topic of a match that is over now: someone waits for that, and no more events
   will arrive from the process that played it. Otherwise a later check ends it. */
static bool should_end(Engine *engine, uint64_t match) {
    OtherEngines *others = &engine->others;
    char topic[LIVE_TOPIC_MAX];
    int64_t now = clock_now();
    engine_topic(match, topic);
    bool expects = topic_relay_expects(engine->arena->relay, topic);
    pthread_mutex_lock(&others->lock);
    WatchedMatch *watched = find_watched(others, match);
    if (watched && !watched->end_by)
        watched->end_by = now + ENDING_MS * CLOCK_MS;
    bool end = watched && (!expects || now >= watched->end_by);
    pthread_mutex_unlock(&others->lock);
    return end;
}

static void end_topic(Engine *engine, const StoreMatch *match) {
    Buffer verdict = {0};
    Error error;
    if (match->state == MATCH_OVER &&
        store_match_verdict(engine->arena->store, match->id, &verdict, &error) == STORE_OK)
        engine_end_topic(engine, match->id, (Slice){verdict.data, verdict.length});
    else
        engine_end_without_verdict(engine, match->id, match->reason);
    buffer_free(&verdict);
}

static void end_watched(Engine *engine, const StoreMatch *match) {
    if (!should_end(engine, match->id))
        return;
    unwatch(&engine->others, match->id);
    end_topic(engine, match);
}

/* ---- results ---- */

void other_engines_own(Engine *engine, uint64_t match) {
    OtherEngines *others = &engine->others;
    if (!others->shared)
        return;
    others->own[match % OWN_RESULTS] = match;
    unwatch(others, match);
}

static bool plays(const Engine *engine, uint64_t match) {
    for (const LeasedJob *job = engine->jobs; job; job = job->next)
        if (!job->over && job->lease.kind == JOB_MATCH && job->lease.subject == match)
            return true;
    return false;
}

/* Reports that a match that is not played here has started or ended. */
static void report(Engine *engine, const StoreMatch *match) {
    StoreSeatResult seats[STORE_SEATS_MAX];
    bool ended = match->state != MATCH_WAITING && match->state != MATCH_PLAYING;
    for (uint32_t i = 0; i < match->players; i++)
        seats[i] =
            (StoreSeatResult){.rank = match->seats[i].rank, .status = match->seats[i].status};
    activity_add(&engine->activity, match, match->state, match->state == MATCH_OVER ? seats : NULL);
    if (!ended)
        return;
    end_watched(engine, match);
    if (match->state != MATCH_CALLED_OFF)
        engine_report_end(engine, match);
}

static void read_results(Engine *engine) {
    OtherEngines *others = &engine->others;
    StoreMatches matches = {0};
    Error error;
    bool good;
    do {
        good = store_matches_ended(engine->arena->store, others->last_result, RESULTS_PER_READ,
                                   &matches, &error) == STORE_OK;
        for (uint32_t i = 0; good && i < matches.count; i++) {
            const StoreMatch *match = &matches.rows[i];
            others->last_result = match->result;
            if (others->own[match->id % OWN_RESULTS] == match->id)
                continue;
            metric_add(engine->metric_played[match->kind], 1);
            report(engine, match);
        }
    } while (good && matches.count == RESULTS_PER_READ);
    if (!good)
        engine_log(engine, LOG_ERROR, "store", 0, error.text);
    store_matches_free(&matches);
}

/* Checks a match that is in the news, or that someone waits for. */
static void look_at_match(Engine *engine, uint64_t id, bool has_news) {
    StoreMatches found = {0};
    Error error;
    if (plays(engine, id) || engine->others.own[id % OWN_RESULTS] == id)
        return;
    StoreResult result = store_match_get(engine->arena->store, id, &found, &error);
    if (result == STORE_NOT_FOUND)
        unwatch(&engine->others, id);
    if (result == STORE_OK) {
        const StoreMatch *match = &found.rows[0];
        bool goes_on = match->state == MATCH_WAITING || match->state == MATCH_PLAYING;
        if (match->state == MATCH_OVER)
            read_results(engine); /* reports it, unless that was done before */
        if (match->state == MATCH_OVER || (!goes_on && is_ending(&engine->others, id)))
            end_watched(engine, match);
        else if (has_news || !goes_on)
            report(engine, match);
    }
    store_matches_free(&found);
}

static void look_at_watched(Engine *engine) {
    OtherEngines *others = &engine->others;
    pthread_mutex_lock(&others->lock);
    uint32_t count = others->watched_count;
    WatchedMatch *matches = xcalloc(count + 1, sizeof *matches);
    if (count)
        memcpy(matches, others->watched, count * sizeof *matches);
    pthread_mutex_unlock(&others->lock);
    for (uint32_t i = 0; i < count; i++)
        look_at_match(engine, matches[i].match, false);
    free(matches);
}

/* ---- revoked sessions and settings ---- */

static bool read_settings(Engine *engine) {
    Error error;
    bool good = settings_load(engine->arena, &error);
    if (!good)
        engine_log(engine, LOG_ERROR, "store", 0, error.text);
    return good;
}

/* Without news, this process does not learn which sessions have ended. So all streams of accounts
   end from time to time, and those that are still allowed reconnect. This is not done while the
   database cannot be read, because then none could reconnect. */
static void check_streams(Engine *engine) {
    OtherEngines *others = &engine->others;
    int64_t now = clock_now();
    if ((!others->news_lost && store_news_arrive(engine->arena->store)) ||
        now < others->next_check || !engine->arena->live || !read_settings(engine))
        return;
    others->news_lost = false;
    others->next_check = now + CHECK_MS * CLOCK_MS;
    live_revoke_all(engine->arena->live);
}

void other_engines_look(Engine *engine) {
    if (!engine->others.shared || engine->arena->options.is_worker)
        return;
    read_results(engine);
    look_at_watched(engine);
    check_streams(engine);
}

/* ---- news, on the engine's thread ---- */

static void take_version(const Engine *engine, StoreNewsKind kind, uint64_t id) {
    const Arena *arena = engine->arena;
    StoreVersion version;
    StoreBot bot;
    Error error;
    if (store_version_get(arena->store, id, &version, &error) != STORE_OK ||
        store_bot_get(arena->store, version.bot, &bot, &error) != STORE_OK)
        return;
    if (kind == NEWS_BUILD)
        activity_build(arena, &bot, version.build == BUILD_GOOD);
    else
        activity_check(arena, &bot);
}

static void hear_ratings(const Engine *engine) {
    for (uint32_t i = 0; i < engine->listener_count; i++)
        if (engine->listeners[i].ratings_heard)
            engine->listeners[i].ratings_heard(engine->listeners[i].context);
}

void other_engines_take_news(Engine *engine, bool *cancelled) {
    OtherEngines *others = &engine->others;
    *cancelled = false;
    if (!others->shared)
        return;
    pthread_mutex_lock(&others->lock);
    HeardNews *heard = others->heard;
    uint32_t count = others->heard_count;
    others->heard = NULL;
    others->heard_count = others->heard_capacity = 0;
    pthread_mutex_unlock(&others->lock);
    bool missed = false;
    for (uint32_t i = 0; i < count; i++) {
        StoreNewsKind kind = heard[i].kind;
        missed |= kind == NEWS_MISSED;
        *cancelled |= kind == NEWS_MISSED || kind == NEWS_CANCELLED;
        if (engine->arena->options.is_worker)
            continue;
        if (kind == NEWS_SETTINGS)
            read_settings(engine);
        else if (kind == NEWS_FORGOTTEN)
            atomic_store(&engine->renamed, true);
        else if (kind == NEWS_MATCH)
            look_at_match(engine, heard[i].subject, true);
        else if (kind == NEWS_TOURNAMENT)
            activity_tournament_heard(engine->arena, heard[i].subject);
        else if (kind == NEWS_RATINGS || kind == NEWS_MISSED)
            hear_ratings(engine);
        else if (kind == NEWS_BUILD || kind == NEWS_CHECK)
            take_version(engine, kind, heard[i].subject);
    }
    free(heard);
    others->news_lost |= missed;
    if (missed && !engine->arena->options.is_worker)
        atomic_store(&engine->renamed, true);
    if (missed)
        other_engines_look(engine);
    else if (*cancelled && !engine->arena->options.is_worker)
        look_at_watched(engine);
}
