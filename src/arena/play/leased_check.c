/* A leased job that checks a version: the conformance test (check/check.h) of a bot that was
   uploaded and built. The report covers everything that the bot does. The check fails only if the
   bot cannot be rebuilt, or if the arena fails. */
#include "arena/play/engine_internal.h"

#include "arena/bots/bots.h"

#include <stdio.h>

/* The report has at most CHECK_FINDINGS_MAX findings of a few kilobytes each; this leaves room for
   texts that consist of control characters, which JSON escapes. */
enum { REPORT_MAX = 1 << 20 };

static void give_check(LeasedJob *job) {
    Job work = {.task = TASK_CHECK, .game = job->game, .players = 1, .bots = {&job->bots[0]}};
    job->phase = JOB_CHECKING;
    leased_job_give(job, &work, -1);
}

static void finish(LeasedJob *job, const StoreCheckResult *result) {
    const Arena *arena = job->engine->arena;
    Error error;
    StoreVersion version;
    StoreBot bot;
    leased_job_over(job, "finished");
    metric_add(job->engine->metric_checks, 1);
    if (store_queue_finish_check(arena->store, job->lease.id, job->lease.attempt, result, &error) !=
        STORE_OK)
        engine_log(job->engine, LOG_WARNING, "queue", 0, error.text);
    else if (store_version_get(arena->store, job->lease.subject, &version, &error) == STORE_OK &&
             store_bot_get(arena->store, version.bot, &bot, &error) == STORE_OK)
        activity_check(arena, &bot);
    store_news_send(arena->store, NEWS_CHECK, job->lease.subject);
}

void leased_check_fail(LeasedJob *job, const char *why) {
    Buffer sentence = {0};
    versions_hide_paths(job->engine->arena, slice_of(why), &sentence);
    StoreCheckResult result = {.failure = buffer_string(&sentence)};
    finish(job, &result);
    buffer_free(&sentence);
}

void leased_check_advance(LeasedJob *job) {
    const Arena *arena = job->engine->arena;
    uint64_t id = job->lease.subject;
    StoreVersion version;
    StoreBot bot;
    bool built = false;
    Error error = {0};
    if (leased_job_is_built_by_another(job, id)) {
        job->phase = JOB_WAITING;
        return;
    }
    bot_spec_free(&job->bots[0]);
    bool known = store_version_get(arena->store, id, &version, &error) == STORE_OK &&
                 store_bot_get(arena->store, version.bot, &bot, &error) == STORE_OK &&
                 (job->game = game_find(slice_of(bot.game), &error));
    bool good = known && versions_prepare(job->engine->arena, id, &job->bots[0], &built, &error);
    if (!good && job->bots[0].text) {
        leased_check_fail(job, error.text);
    } else if (!good) {
        leased_job_fail_for_now(job, error.text);
    } else if (!built && job->bots[0].build) {
        job->phase = JOB_PREPARING;
        job->building_version = id;
        leased_job_give_build(job, 0, false);
    } else {
        give_check(job);
    }
}

static void take_built(LeasedJob *job, const Record *record) {
    Arena *arena = job->engine->arena;
    Error error = {0};
    job->building_version = 0;
    if (record->kind != RECORD_BAD_BOT &&
        versions_mark_built(arena, job->lease.subject, record->left, &error)) {
        give_check(job);
        return;
    }
    versions_drop_build(arena, job->lease.subject);
    leased_check_fail(job, error.text[0]          ? error.text
                           : record->build.length ? "the bot could not be built again"
                                                  : record->error.text);
}

void leased_check_take(LeasedJob *job, const Record *record) {
    if (job->phase == JOB_PREPARING) {
        take_built(job, record);
        return;
    }
    Buffer report = {0};
    versions_hide_paths(job->engine->arena, (Slice){record->text.data, record->text.length},
                        &report);
    StoreCheckResult result = {.errors = record->check_errors,
                               .warnings = record->check_warnings,
                               .report = {report.data, report.length}};
    if (report.length <= REPORT_MAX)
        finish(job, &result);
    else
        leased_check_fail(job, "the report is too long");
    buffer_free(&report);
}
