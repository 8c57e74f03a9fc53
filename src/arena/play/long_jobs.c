/* See long_jobs.h. */
#include "arena/play/long_jobs.h"

#include "base/clock.h"

#include <stdio.h>
#include <string.h>

enum {
    STALL_MS = 30000,       /* in addition to what a turn can take: the machine may be busy */
    STALL_FACTOR = 3,       /* the same for long turns */
    UNKNOWN_MS = 10 * 60000 /* for a build, and until a match has started */
};

/* How long a runner has worked on a job, in nanoseconds; 0 if none does. *followed is set as by
   dispatcher_began. */
static int64_t elapsed(const LeasedJob *job, bool *followed) {
    int64_t began = job->over || job->with_people || !job->engine->dispatcher
                        ? 0
                        : dispatcher_began(job->engine->dispatcher, job->id, followed);
    return began ? clock_now() - began : 0;
}

static bool is_long(const LeasedJob *job) {
    bool followed;
    return !job->over && !job->with_people &&
           (job->lease.is_long || elapsed(job, &followed) > LONG_MS * CLOCK_MS);
}

static uint32_t count_long(const Engine *engine) {
    uint32_t count = 0;
    for (const LeasedJob *job = engine->jobs; job; job = job->next)
        count += is_long(job);
    return count;
}

bool long_jobs_have_room(const Engine *engine) {
    uint32_t places = engine->runners > 1 ? engine->runners - 1 : 1;
    return count_long(engine) < places;
}

static void cancel_overdue(LeasedJob *job) {
    bool followed;
    uint32_t seconds = job->engine->arena->options.match_seconds;
    char why[80];
    bool casual = job->phase == JOB_PLAYING && leased_job_match(job)->kind == MATCH_PLAY_NOW;
    if (job->phase == JOB_ANALYSING && !job->over)
        leased_analysis_limit(job, elapsed(job, &followed));
    if (job->over || !(casual || job->phase == JOB_CHECKING) ||
        elapsed(job, &followed) <= seconds * INT64_C(1000) * CLOCK_MS)
        return;
    snprintf(why, sizeof why, "it took longer than %u seconds", seconds);
    dispatcher_cancel(job->engine->dispatcher, job->id);
    if (casual)
        leased_job_call_off(job, why);
    else
        leased_check_fail(job, why);
}

/* The number that follows this text, which cannot occur in a JSON string; 0 if there is none. */
static int64_t number_after(Slice header, const char *text) {
    const char *found = memmem(header.at, header.length, text, strlen(text));
    const char *end = header.at + header.length;
    int64_t number = 0;
    for (const char *at = found ? found + strlen(text) : end; at < end && *at >= '0' && *at <= '9';
         at++)
        number = number < INT32_MAX ? number * 10 + (*at - '0') : number;
    return number;
}

void long_jobs_note_start(LeasedJob *job, Slice header) {
    int64_t milliseconds =
        number_after(header, ",\"turn_ms\":") + number_after(header, ",\"start_ms\":");
    job->turn_most = milliseconds * CLOCK_MS * leased_job_match(job)->players;
}

/* How long a runner may go without a report, in nanoseconds. */
static int64_t silence_most(const LeasedJob *job) {
    return job->turn_most ? STALL_MS * CLOCK_MS + job->turn_most * STALL_FACTOR
                          : UNKNOWN_MS * CLOCK_MS;
}

int64_t long_jobs_stall_ms(const LeasedJob *job) {
    int64_t limit = job->engine->arena->options.match_seconds * INT64_C(1000);
    int64_t most = silence_most(job) / CLOCK_MS;
    switch (job->phase) {
    case JOB_WAITING: /* for builds of other jobs, one after the other */
        most = (int64_t)UNKNOWN_MS * GAME_PLAYERS_MAX;
        break;
    case JOB_CHECKING: /* its runner reports only the end, see cancel_overdue */
    case JOB_ANALYSING:
        most = limit > most ? limit : most;
        break;
    case JOB_BUILDING:
    case JOB_PREPARING:
    case JOB_PLAYING:
        break;
    }
    /* Progress is reported only when the lease is extended. */
    return job->with_people ? 0 : 2 * (most + engine_lease_ms(job->engine));
}

/* Fails a job whose runner hangs. */
static void fail_stalled(LeasedJob *job) {
    bool followed;
    bool reports =
        job->phase == JOB_PLAYING || job->phase == JOB_BUILDING || job->phase == JOB_PREPARING;
    int64_t silent = reports ? elapsed(job, &followed) : 0;
    if (silent && job->heard && clock_now() - job->heard < silent)
        silent = clock_now() - job->heard;
    if (silent <= silence_most(job))
        return;
    dispatcher_cancel(job->engine->dispatcher, job->id);
    leased_job_fail(job, "its runner made no progress");
}

/* Returns a job that blocks another one on its runner. */
static void free_followers(LeasedJob *job) {
    bool followed = false;
    if (elapsed(job, &followed) <= LONG_MS * CLOCK_MS || !followed)
        return;
    dispatcher_cancel(job->engine->dispatcher, job->id);
    leased_job_return(job);
}

/* The most recently started long job that has not been interrupted before, or NULL. */
static LeasedJob *youngest(const Engine *engine) {
    LeasedJob *found = NULL;
    int64_t least = 0;
    bool followed;
    for (LeasedJob *job = engine->jobs; job; job = job->next) {
        int64_t time = elapsed(job, &followed);
        if (!is_long(job) || job->lease.is_long || (found && time >= least))
            continue;
        found = job;
        least = time;
    }
    return found;
}

void long_jobs_check(Engine *engine) {
    bool wait = false;
    Error error;
    if (!engine->dispatcher)
        return;
    for (LeasedJob *job = engine->jobs; job; job = job->next) {
        cancel_overdue(job);
        fail_stalled(job);
        free_followers(job);
    }
    bool full = count_long(engine) >= engine->runners && !engine->arena->options.no_jobs;
    LeasedJob *job = full ? youngest(engine) : NULL;
    if (!job)
        return;
    if (store_queue_others_wait(engine->arena->store, job->lease.id, &wait, &error) != STORE_OK)
        wait = false;
    if (wait || dispatcher_waits(engine->dispatcher))
        leased_job_interrupt(job);
}
