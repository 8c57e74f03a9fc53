/* A leased analysis of a match that is over (analysis/analysis.h): the house bot ANALYSIS_BOT plays
   on from turns of its replay.

   An analysis takes hundreds of continuations, most of them a few milliseconds long. The dispatcher
   gets them one at a time, so that an analysis uses at most one runner, and alternating with the
   jobs of the queue, so that these do not wait for its end. The lease charges its requester for all
   of the time.

   Nothing of an unfinished analysis is stored: if it returns to the queue, for example because the
   arena stops, it restarts. Continuations write no files, so they continue while the disk is
   low. */
#include "arena/play/engine_internal.h"

#include "analysis/analysis.h"
#include "base/clock.h"
#include "base/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { REPLAY_MOST = 16 << 20 }; /* bytes: it is in memory, and sent with each continuation */

struct LeasedAnalysis {
    Analysis analysis;
    char name[32];         /* of the match, for messages */
    uint64_t continuation; /* the id within the analysis of the one that is being played */
    int64_t idle_since;    /* clock_now; 0: a continuation is being played */
    int64_t wall;          /* what all continuations took, in nanoseconds */
};

/* ---- progress, which other threads read ---- */

static void show_progress(Engine *engine) {
    pthread_mutex_lock(&engine->lock);
    engine->progress_count = 0;
    for (const LeasedJob *job = engine->jobs; job; job = job->next)
        if (job->analysis && !job->over && engine->progress_count < ANALYSES_MAX)
            engine->progress[engine->progress_count++] =
                (AnalysisProgress){.match = job->lease.subject,
                                   .done = job->analysis->analysis.played,
                                   .total = job->analysis->analysis.total};
    pthread_mutex_unlock(&engine->lock);
}

void engine_analysis_progress(Engine *engine, uint64_t match, uint32_t *done, uint32_t *total) {
    *done = *total = 0;
    if (!engine)
        return;
    pthread_mutex_lock(&engine->lock);
    for (uint32_t i = 0; i < engine->progress_count; i++)
        if (engine->progress[i].match == match) {
            *done = engine->progress[i].done;
            *total = engine->progress[i].total;
        }
    pthread_mutex_unlock(&engine->lock);
}

/* ---- the end ---- */

/* Stores the result, or why it failed: a sentence without a full stop. */
static void finish(LeasedJob *job, const char *failure) {
    const Engine *engine = job->engine;
    Analysis *analysis = &job->analysis->analysis;
    Buffer json = {0};
    Error error;
    for (uint32_t i = 0; i < analysis->players; i++) {
        free(analysis->names[i]); /* names come from the store, where they can change */
        analysis->names[i] = NULL;
    }
    if (!failure)
        analysis_json(analysis, &json);
    StoreAnalysisResult result = {.result = {json.data, json.length}, .failure = failure};
    leased_job_over(job, "finished");
    if (failure)
        engine_log(engine, LOG_INFO, "analysis", job->lease.subject, failure);
    if (store_queue_finish_analysis(engine->arena->store, job->lease.id, job->lease.attempt,
                                    &result, &error) != STORE_OK)
        engine_log(engine, LOG_WARNING, "queue", job->lease.subject, error.text);
    buffer_free(&json);
}

void leased_analysis_free(LeasedJob *job) {
    if (job->analysis)
        analysis_free(&job->analysis->analysis);
    free(job->analysis);
}

/* ---- the beginning ---- */

/* Reads the replay, unless it is too large. STORE_FAILED: perhaps it can be read later. */
static StoreResult read_file(LeasedJob *job, const StoreFile *file, Error *error) {
    Store *store = job->engine->arena->store;
    int64_t size = 0;
    if (!file->name[0]) {
        error_set(error, "the replay has been deleted");
        return STORE_NOT_FOUND;
    }
    int fd = store_file_open(store, file, &size, error);
    if (fd >= 0)
        close(fd);
    if (size > REPLAY_MOST) {
        error_set(error, "the replay is larger than %d MiB", REPLAY_MOST >> 20);
        return STORE_REJECTED;
    }
    StoreResult result = store_file_read(store, file, &job->prelude, error);
    if (result != STORE_OK) {
        engine_log(job->engine, LOG_ERROR, "analysis", job->lease.subject, error->text);
        error_set(error, "the replay cannot be read");
    }
    return result;
}

static StoreResult read_replay(LeasedJob *job, Error *error) {
    StoreMatches match = {0};
    StoreResult result =
        store_match_get(job->engine->arena->store, job->lease.subject, &match, error);
    if (result == STORE_OK)
        result = read_file(job, &match.rows[0].replay, error);
    store_matches_free(&match);
    return result;
}

/* Sets the bot of every player to the house bot that plays on. */
static bool open_bots(LeasedJob *job, Error *error) {
    Slice bytes = {job->prelude.data, job->prelude.length};
    Replay *replay = replay_open_memory(job->analysis->name, bytes, error);
    bool good = replay != NULL;
    for (uint32_t i = 0; good && i < replay_header(replay)->players; i++)
        good = bot_spec_parse(&job->bots[i], ANALYSIS_BOT, replay_header(replay)->game->name, NULL,
                              error);
    replay_free(replay);
    return good;
}

void leased_analysis_begin(LeasedJob *job) {
    Error error = {0};
    LeasedAnalysis *leased = job->analysis = xcalloc(1, sizeof *leased);
    snprintf(leased->name, sizeof leased->name, "match %" PRIu64, job->lease.subject);
    job->phase = JOB_ANALYSING;
    leased->idle_since = clock_now();
    StoreResult result = read_replay(job, &error);
    bool good = result == STORE_OK && open_bots(job, &error);
    AnalysisOptions options = {
        .name = leased->name,
        .replay = {job->prelude.data, job->prelude.length},
        .bots = job->bots,
        .samples = ANALYSIS_SAMPLES,
        .continuations = ANALYSIS_CONTINUATIONS,
        .passes = ANALYSIS_PASSES,
        .seed = 1, /* as on the command line, so that both give the same result */
    };
    if (result == STORE_FAILED)
        leased_job_fail_for_now(job, error.text);
    else if (!good || !analysis_begin(&leased->analysis, &options, &error))
        finish(job, error.text); /* a retry would hardly help; people can request it again */
    show_progress(job->engine);
}

/* ---- continuations ---- */

void leased_analysis_limit(LeasedJob *job, int64_t current) {
    uint32_t seconds = job->engine->arena->options.match_seconds;
    char why[80];
    if (job->analysis->wall + current <= seconds * INT64_C(1000) * CLOCK_MS)
        return;
    snprintf(why, sizeof why, "it took longer than %u seconds", seconds);
    if (job->id)
        dispatcher_cancel(job->engine->dispatcher, job->id);
    finish(job, why);
}

void leased_analysis_take(LeasedJob *job, Record *record) {
    LeasedAnalysis *leased = job->analysis;
    Error error = {0};
    record->id = leased->continuation;
    job->id = 0;
    leased->idle_since = clock_now();
    leased->wall += record->wall;
    if (!analysis_take(&leased->analysis, record, &error))
        leased_job_fail(job, error.text);
    else if (analysis_is_done(&leased->analysis))
        finish(job, NULL);
    else
        leased_analysis_limit(job, 0);
    show_progress(job->engine);
}

/* The analysis that has been without a running continuation for the longest time, or NULL. */
static LeasedJob *find_idle(const Engine *engine) {
    LeasedJob *found = NULL;
    for (LeasedJob *job = engine->jobs; job; job = job->next)
        if (job->phase == JOB_ANALYSING && !job->over && job->analysis->idle_since &&
            (!found || job->analysis->idle_since < found->analysis->idle_since))
            found = job;
    return found;
}

bool leased_analyses_give(Engine *engine) {
    LeasedJob *job = find_idle(engine);
    Job work;
    if (!job || !engine->dispatcher)
        return false;
    if (engine->stopping) {
        leased_job_return(job);
        return true;
    }
    if (!dispatcher_room(engine->dispatcher, false) ||
        !analysis_next(&job->analysis->analysis, &work))
        return false;
    job->analysis->continuation = work.id;
    job->analysis->idle_since = 0;
    leased_job_give(job, &work, -1);
    engine->continuation_is_next = false;
    return true;
}

bool leased_analyses_have_room(const Engine *engine) {
    uint32_t count = 0;
    for (const LeasedJob *job = engine->jobs; job; job = job->next)
        count += job->analysis && !job->over;
    return count < (engine->runners < ANALYSES_MAX ? engine->runners : ANALYSES_MAX);
}
