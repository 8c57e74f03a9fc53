/* How a leased job ends: with the result of a build or a match, called off, returned to the queue,
   or failed. The replay of a match is stored before its result. */
#include "arena/play/engine_internal.h"

#include "arena/bots/bots.h"
#include "arena/play/remote_seats.h"

#include <stdio.h>
#include <stdlib.h>

/* Whether a seat is played from elsewhere. */
static bool has_remote_seat(const LeasedJob *job) {
    for (uint32_t i = 0; job->match.count && i < leased_job_match(job)->players; i++)
        if (job->setup.seats[i].remote)
            return true;
    return false;
}

/* Publishes that the match is now in this state, and notifies listeners if it has a result or was
   given up. `seats` are the results, or NULL. */
static void notify(const LeasedJob *job, StoreMatchState state, const StoreSeatResult *seats) {
    const StoreMatch *match = leased_job_match(job);
    bool ended = state == MATCH_OVER || state == MATCH_GIVEN_UP;
    if (!job->match.count)
        return;
    activity_add(&job->engine->activity, match, state, seats);
    if (has_remote_seat(job) && !job->engine->arena->options.is_worker)
        remote_seats_end(job->engine->arena->remote_seats, match->id);
    if (state != MATCH_WAITING)
        other_engines_own(job->engine, match->id);
    else
        engine_leave_topic(job);
    leased_job_tell(job);
    if (ended)
        engine_report_end(job->engine, match);
}

/* Reads the match again: the store may have changed it, for example the name of a deleted
   account. */
static StoreResult read_again(LeasedJob *job) {
    Error error;
    StoreResult result =
        store_match_get(job->engine->arena->store, job->lease.subject, &job->match, &error);
    if (result != STORE_OK)
        store_matches_free(&job->match);
    return result;
}

/* Publishes to viewers why the match has no verdict. */
static void end_without_verdict(LeasedJob *job, const char *why) {
    engine_end_without_verdict(job->engine, job->lease.subject, why);
}

/* The lease was lost, because the match was called off or another engine plays it now. Ends the
   topic if the match was called off. */
static void end_if_called_off(LeasedJob *job) {
    StoreResult result = read_again(job);
    bool found = result == STORE_OK;
    if (result == STORE_NOT_FOUND || (found && leased_job_match(job)->state == MATCH_CALLED_OFF)) {
        end_without_verdict(job,
                            found ? leased_job_match(job)->reason : "the match was called off");
        notify(job, MATCH_CALLED_OFF, NULL);
    } else if (found && leased_job_match(job)->state == MATCH_WAITING) {
        notify(job, MATCH_WAITING, NULL); /* this worker was blocked */
    } else {
        engine_leave_topic(job);
    }
}

bool leased_job_call_off(LeasedJob *job, const char *why) {
    Error error;
    leased_job_over(job, "called off");
    StoreResult result =
        store_queue_call_off(job->engine->arena->store, job->lease.subject, why, &error);
    if (result != STORE_OK)
        engine_log(job->engine, LOG_WARNING, "queue", job->lease.subject, error.text);
    end_without_verdict(job, why);
    notify(job, MATCH_CALLED_OFF, NULL);
    return result != STORE_FAILED;
}

void leased_job_drop(LeasedJob *job) {
    Engine *engine = job->engine;
    leased_job_over(job, "cancelled");
    if (job->id && engine->dispatcher)
        dispatcher_cancel(engine->dispatcher, job->id);
    if (job->lease.kind != JOB_MATCH) {
        if (job->building_version) /* it is not complete */
            versions_drop_build(engine->arena, job->building_version);
        return;
    }
    end_if_called_off(job);
}

bool leased_job_return(LeasedJob *job) {
    Error error;
    if (job->over)
        return true;
    if (job->engine->stopping && has_remote_seat(job))
        return leased_job_call_off(job, REMOTE_RESTARTED); /* its players cannot come back */
    leased_job_over(job, "returned");
    StoreResult result =
        store_queue_return(job->engine->arena->store, job->lease.id, job->lease.attempt, &error);
    if (result != STORE_OK)
        engine_log(job->engine, LOG_WARNING, "queue", job->lease.subject, error.text);
    notify(job, MATCH_WAITING, NULL);
    return result != STORE_FAILED;
}

void leased_job_interrupt(LeasedJob *job) {
    Error error;
    leased_job_over(job, "interrupted");
    dispatcher_cancel(job->engine->dispatcher, job->id);
    if (store_queue_interrupt(job->engine->arena->store, job->lease.id, job->lease.attempt,
                              &error) != STORE_OK)
        engine_log(job->engine, LOG_WARNING, "queue", job->lease.subject, error.text);
    notify(job, MATCH_WAITING, NULL);
}

static void fail_for(LeasedJob *job, const char *why, int64_t rest) {
    Error error;
    bool over = false;
    leased_job_over(job, "failed");
    metric_add(job->engine->metric_failures, 1);
    leased_job_log(job, LOG_ERROR, "job", why);
    StoreResult result = store_queue_fail(job->engine->arena->store, job->lease.id,
                                          job->lease.attempt, why, rest, &over, &error);
    if (result != STORE_OK)
        engine_log(job->engine, LOG_WARNING, "queue", job->lease.subject, error.text);
    if (job->lease.kind == JOB_MATCH && result == STORE_CONFLICT) {
        end_if_called_off(job);
        return;
    }
    if (job->lease.kind == JOB_MATCH && over)
        end_without_verdict(job, why);
    notify(job, over ? MATCH_GIVEN_UP : MATCH_WAITING, NULL);
}

void leased_job_fail(LeasedJob *job, const char *why) {
    fail_for(job, why, 0);
}

void leased_job_fail_for_now(LeasedJob *job, const char *why) {
    enum { SHORT_REST_MS = 5000, LONG_REST_MS = 60000 };
    fail_for(job, why, job->lease.losses ? LONG_REST_MS : SHORT_REST_MS);
}

/* ---- results ---- */

static void write_verdict(Verdict *verdict, Buffer *to) {
    JsonOut out = {.to = to};
    for (uint32_t i = 0; i < verdict->players; i++) {
        free(verdict->player[i].name); /* names come from the store, where they can change */
        verdict->player[i].name = NULL;
    }
    json_open(&out, NULL, '{');
    verdict_json(verdict, &out);
    json_close(&out, '}');
}

/* Writes the output of failed builds of drafts: a list with a string or null for each seat. Writes
   nothing if no build of a draft failed. */
static void write_logs(const LeasedJob *job, Buffer *to) {
    JsonOut out = {.to = to};
    uint32_t players = leased_job_match(job)->players;
    bool some = false;
    for (uint32_t i = 0; i < players; i++)
        some |= job->logs[i].length > 0;
    if (!some)
        return;
    json_open(&out, NULL, '[');
    for (uint32_t i = 0; i < players; i++)
        if (job->logs[i].length)
            json_out_string(&out, NULL, (Slice){job->logs[i].data, job->logs[i].length});
        else
            json_out_null(&out, NULL);
    json_close(&out, ']');
}

static bool keep_replay(LeasedJob *job, StoreMatchResult *result, Error *error) {
    return store_file_put_fd(job->engine->arena->store, job->replay, &result->replay,
                             &result->replay_bytes, error) == STORE_OK;
}

void leased_job_finish_match(LeasedJob *job, Verdict *verdict, bool played) {
    Engine *engine = job->engine;
    const StoreMatch *match = leased_job_match(job);
    StoreSeatResult seats[GAME_PLAYERS_MAX];
    StoreMatchResult result = {.turns = verdict->turns,
                               .reason = verdict->reason,
                               .machine = engine->heartbeat.worker.machine,
                               .speed = engine->heartbeat.worker.speed,
                               .players = verdict->players,
                               .seats = seats};
    Buffer text = {0};
    Buffer logs = {0};
    Error error = {0};
    for (uint32_t i = 0; i < verdict->players; i++) {
        const PlayerVerdict *player = &verdict->player[i];
        seats[i] = (StoreSeatResult){.rank = player->rank,
                                     .scored = verdict->scored,
                                     .score = player->score,
                                     .status = status_name(player->status),
                                     .failure = player->failure[0] ? player->failure : NULL};
    }
    write_verdict(verdict, &text);
    result.verdict = (Slice){text.data, text.length};
    write_logs(job, &logs);
    result.logs = (Slice){logs.data, logs.length};
    if (played && !keep_replay(job, &result, &error)) {
        buffer_free(&text);
        buffer_free(&logs);
        leased_job_fail_for_now(job, error.text);
        return;
    }
    StoreResult how = store_queue_finish_match(engine->arena->store, job->lease.id,
                                               job->lease.attempt, &result, &error);
    leased_job_over(job, "finished");
    if (how == STORE_OK) {
        metric_add(engine->metric_played[match->kind], 1);
        engine_end_topic(engine, match->id, result.verdict);
        notify(job, MATCH_OVER, seats);
    } else if (how == STORE_CONFLICT) {
        job->outcome = "late";
        engine_log(engine, LOG_INFO, "late", match->id, error.text);
        end_if_called_off(job);
    } else {
        leased_job_fail(job, error.text);
    }
    buffer_free(&text);
    buffer_free(&logs);
}

void leased_job_forfeit(LeasedJob *job) {
    static Verdict verdict; /* static because it is large; the engine has one thread */
    verdict = (Verdict){.players = leased_job_match(job)->players};
    for (uint32_t i = 0; i < verdict.players; i++) {
        verdict.player[i].status = job->failure[i] ? STATUS_NO_START : STATUS_OK;
        snprintf(verdict.player[i].failure, sizeof verdict.player[i].failure, "%.150s",
                 job->failure[i] ? job->failure[i] : "");
    }
    verdict_forfeit(&verdict);
    leased_job_finish_match(job, &verdict, false);
}

/* The build log, for the owner of the bot. */
static void write_build_log(const LeasedJob *job, const Record *record, const Error *left,
                            Buffer *to) {
    const Arena *arena = job->engine->arena;
    if (left->text[0]) {
        buffer_format(to, "Build rejected: %s.\n", left->text);
    } else if (record->kind == RECORD_PLAYED) {
        buffer_text(to, "Built, and passed the first turn.\n");
    } else if (record->built || !record->build.length) { /* otherwise the output says it all */
        versions_hide_paths(arena, slice_of(record->error.text), to);
        buffer_char(to, '\n');
    }
    if (record->build.length) {
        if (to->length)
            buffer_text(to, "Build output:\n");
        versions_hide_paths(arena, (Slice){record->build.data, record->build.length}, to);
        if (to->data[to->length - 1] != '\n')
            buffer_char(to, '\n');
    }
    if (record->text.length) {
        buffer_text(to, "Standard error of that turn:\n");
        versions_hide_paths(arena, (Slice){record->text.data, record->text.length}, to);
    }
}

/* Notifies pages that a bot has a new build. */
static void report_build(const LeasedJob *job, bool good) {
    const Arena *arena = job->engine->arena;
    StoreVersion version;
    StoreBot bot;
    Error error;
    if (store_version_get(arena->store, job->lease.subject, &version, &error) == STORE_OK &&
        store_bot_get(arena->store, version.bot, &bot, &error) == STORE_OK)
        activity_build(arena, &bot, good);
}

void leased_job_finish_build(LeasedJob *job, const Record *record) {
    Engine *engine = job->engine;
    Buffer log = {0};
    Error error = {0};
    bool good = record->kind == RECORD_PLAYED &&
                versions_mark_built(engine->arena, job->lease.subject, record->left, &error);
    write_build_log(job, record, &error, &log);
    if (!good)
        versions_drop_build(engine->arena, job->lease.subject);
    StoreBuildResult result = {.good = good,
                               .activate = good,
                               .check = good,
                               .request = job->lease.request,
                               .log = {log.data, log.length}};
    leased_job_over(job, "finished");
    metric_add(engine->metric_builds, 1);
    if (store_queue_finish_build(engine->arena->store, job->lease.id, job->lease.attempt, &result,
                                 &error) != STORE_OK)
        engine_log(engine, LOG_WARNING, "queue", 0, error.text);
    else
        report_build(job, good);
    store_news_send(engine->arena->store, NEWS_BUILD, job->lease.subject);
    versions_drop_unneeded(engine->arena); /* such as that of the previously active version */
    buffer_free(&log);
}
