/* A leased job: a version to build, a match, a check (leased_check.c) or an analysis
   (leased_analysis.c). For a match, each seat is prepared (the directory of a version or draft, or
   the socket of a remote player), bots that are not built yet are built, and the match is played. A
   bot that cannot play forfeits; a failure of the arena itself returns the job to the queue. How a
   job ends is in leased_job_end.c. */
#include "arena/play/engine_internal.h"

#include "arena/bots/bots.h"
#include "arena/play/long_jobs.h"
#include "arena/play/remote_seats.h"
#include "base/clock.h"
#include "base/memory.h"
#include "http/schemas.h"
#include "match/match.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void draft_key(const LeasedJob *job, uint32_t seat, char key[48]) {
    snprintf(key, 48, "%" PRIu64 "-%u", job->lease.subject, seat);
}

/* ---- the log ---- */

const char *job_kind_name(StoreJobKind kind) {
    static const char *const names[] = NAME_ARRAY(JOB_KIND_NAMES);
    return names[kind == JOB_BUILD ? 0 : kind == JOB_MATCH ? 1 : kind == JOB_CHECK ? 2 : 3];
}

void leased_job_log(const LeasedJob *job, LogLevel level, const char *event, const char *sentence) {
    bool of_match = job->lease.kind & (JOB_MATCH | JOB_ANALYSIS);
    LogField fields[8] = {
        {.name = "job", .number = (int64_t)job->lease.id},
        {.name = "kind", .text = job_kind_name(job->lease.kind)},
        {.name = of_match ? "match" : "version", .number = (int64_t)job->lease.subject},
        {.name = "attempt", .number = job->lease.attempt}};
    uint32_t count = 4;
    if (job->lease.request[0])
        fields[count++] = (LogField){.name = "request", .text = job->lease.request};
    if (sentence)
        fields[count++] = (LogField){.name = "sentence", .text = sentence};
    if (job->outcome) {
        fields[count++] = (LogField){.name = "outcome", .text = job->outcome};
        fields[count++] = (LogField){.name = "microseconds",
                                     .number = (clock_now() - job->began) / (CLOCK_MS / 1000)};
    }
    log_write(job->engine->arena->log, level, event, fields, count);
}

void leased_job_over(LeasedJob *job, const char *outcome) {
    job->over = true;
    job->outcome = outcome;
}

/* ---- handing work to the dispatcher ---- */

void leased_job_give(LeasedJob *job, Job *work, int replay) {
    work->overrides.memory_most = job->engine->arena->options.bot_memory_max;
    job->id = work->id = ++job->engine->last_id;
    job->heard = job->turn_most = 0;
    job->steps++;
    work->alone = job->lease.is_long || job->lease.attempt > 1;
    dispatcher_give(job->engine->dispatcher, work, replay);
}

static GameFile file_of(const PlanFile *file) {
    return file->name ? (GameFile){file->name, slice_of(file->text)} : (GameFile){0};
}

void leased_job_give_build(LeasedJob *job, uint32_t seat, bool try_turn) {
    Job work = {.task = TASK_BUILD,
                .try_turn = try_turn,
                .game = job->game,
                .config = file_of(&job->setup.config),
                .map = file_of(&job->setup.map),
                .overrides = job->setup.overrides,
                .players = job->setup.players ? job->setup.players : 1,
                .bots = {&job->bots[seat]}};
    job->building = seat;
    leased_job_give(job, &work, -1);
}

/* An unnamed file, which the kernel deletes when it is closed. */
static int open_replay(const LeasedJob *job) {
    return open(job->engine->arena->options.data, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
}

static void give_match(LeasedJob *job) {
    const StoreMatch *match = leased_job_match(job);
    Job work = {.live = true,
                .game = job->game,
                .config = file_of(&job->setup.config),
                .map = file_of(&job->setup.map),
                .seed = match->seed,
                .overrides = job->setup.overrides,
                .players = match->players,
                .prelude = {job->prelude.data, job->prelude.length},
                .prelude_turns = job->setup.from_turn};
    uint64_t *replay = &work.overrides.limits[LIMIT_REPLAY];
    uint64_t most = job->engine->arena->options.replay_max;
    most = most ? most : match_replay_bytes(match->players);
    *replay = *replay && *replay < most ? *replay : most; /* an organiser may lower it */
    for (uint32_t i = 0; i < match->players; i++) {
        work.bots[i] = &job->bots[i];
        work.person_ms[i] = job->setup.seats[i].person_ms;
    }
    job->phase = JOB_PLAYING;
    job->replay = open_replay(job);
    int lent = job->replay >= 0 ? fcntl(job->replay, F_DUPFD_CLOEXEC, 0) : -1;
    if (lent < 0) {
        Error error;
        error_set(&error, "cannot create a file for the replay: %s", strerror(errno));
        leased_job_fail(job, error.text);
        return;
    }
    leased_job_give(job, &work, lent);
}

/* ---- preparing bots ---- */

/* Names the bot for the replay, without the directories of this arena. */
static void name_seat(LeasedJob *job, uint32_t seat) {
    const StoreSeat *row = &leased_job_match(job)->seats[seat];
    BotSpec *bot = &job->bots[seat];
    char text[48];
    if (row->version)
        snprintf(text, sizeof text, "version %" PRIu64, row->version);
    else
        snprintf(text, sizeof text, "%s", job->draft[seat] ? "draft" : "remote");
    free(bot->name);
    free(bot->text);
    bot->name = xstrdup(row->name);
    bot->text = xstrdup(text);
}

/* False for a failure of the arena; a bot's own failure goes to job->failure. */
static bool prepare_version(LeasedJob *job, uint32_t seat, Error *error) {
    bool built = false;
    BotSpec *bot = &job->bots[seat];
    bot_spec_free(bot);
    bool good = versions_prepare(job->engine->arena, leased_job_match(job)->seats[seat].version,
                                 bot, &built, error);
    job->needs_build[seat] = good && !built && bot->build;
    if (!good && bot->text)
        job->failure[seat] = xstrdup(error->text);
    return good || bot->text;
}

static bool prepare_draft(LeasedJob *job, uint32_t seat, const char *key, Error *error) {
    const QueuedSeat *own = &job->setup.seats[seat];
    const char *text = own->archive ? own->archive : own->source ? own->source : "";
    Slice code = slice_of(text);
    Buffer zip = {0};
    bool good = true;
    if (own->archive) {
        size_t length = 0;
        good = sodium_base642bin((unsigned char *)buffer_reserve(&zip, code.length + 1),
                                 code.length + 1, text, code.length, NULL, &length, NULL,
                                 sodium_base64_VARIANT_ORIGINAL) == 0 ||
               error_set(error, "the archive is not valid base64");
        code = (Slice){zip.data, length};
    }
    good =
        good && versions_prepare_draft(job->engine->arena, key, own->archive ? NULL : own->language,
                                       code, &job->bots[seat], error);
    job->needs_build[seat] = good && job->bots[seat].build;
    buffer_free(&zip);
    return good;
}

/* False for a failure of the arena; a bot's own failure goes to job->failure. */
static bool prepare_seat(LeasedJob *job, uint32_t seat, Error *error) {
    Arena *arena = job->engine->arena;
    const QueuedSeat *own = &job->setup.seats[seat];
    bool good = true;
    char key[48];
    draft_key(job, seat, key);
    if (own->remote && arena->options.is_worker) {
        job->empty = job->empty ? job->empty : xstrdup("its remote player is not connected");
    } else if (own->remote) {
        RemoteSeatResult how = remote_seats_open(arena->remote_seats, job->lease.subject, seat,
                                                 &job->bots[seat], error);
        good = how != REMOTE_SEAT_FAILED;
        if (how == REMOTE_SEAT_EMPTY && !job->empty)
            job->empty = xstrdup(error->text);
    } else if (own->language || own->archive) {
        job->draft[seat] = true;
        good = prepare_draft(job, seat, key, error);
    } else if (leased_job_match(job)->seats[seat].version) {
        if (!prepare_version(job, seat, error))
            return false;
    } else {
        good = error_set(error, "nobody plays this seat");
    }
    if (!good)
        job->failure[seat] = xstrdup(error->text);
    name_seat(job, seat);
    return true;
}

bool leased_job_is_built_by_another(const LeasedJob *asks, uint64_t version) {
    for (const LeasedJob *job = asks->engine->jobs; job; job = job->next)
        if (job != asks && !job->over && job->building_version == version)
            return true;
    return false;
}

/* Builds the next bot that needs it; if none is left, plays the match. */
static void advance(LeasedJob *job) {
    const StoreMatch *match = leased_job_match(job);
    bool any_failed = false;
    Error error;
    for (uint32_t i = 0; i < match->players; i++) {
        uint64_t version = job->draft[i] ? 0 : match->seats[i].version;
        any_failed |= job->failure[i] != NULL;
        if (!job->needs_build[i] || job->failure[i])
            continue;
        if (version && leased_job_is_built_by_another(job, version)) {
            job->phase = JOB_WAITING;
            return;
        }
        if (job->phase == JOB_WAITING) {
            /* It may have been built in the meantime. */
            if (!prepare_version(job, i, &error)) {
                leased_job_fail_for_now(job, error.text);
                return;
            }
            name_seat(job, i);
            any_failed |= job->failure[i] != NULL;
            if (!job->needs_build[i])
                continue;
        }
        job->phase = JOB_PREPARING;
        job->building_version = version;
        leased_job_give_build(job, i, false);
        return;
    }
    if (any_failed)
        leased_job_forfeit(job);
    else
        give_match(job);
}

void leased_job_tell(const LeasedJob *job) {
    if (leased_job_match(job)->kind == MATCH_PLAY_NOW)
        store_news_send(job->engine->arena->store, NEWS_MATCH, job->lease.subject);
}

/* ---- starting ---- */

/* Reads the replay whose turns the match starts with. */
static bool read_prelude(LeasedJob *job, Error *error) {
    Store *store = job->engine->arena->store;
    StoreMatches from = {0};
    const StoreFile *file = &leased_job_match(job)->seats[0].source;
    bool good = true;
    if (job->setup.from_match) {
        good = store_match_get(store, job->setup.from_match, &from, error) == STORE_OK;
        file = good ? &from.rows[0].replay : file;
    }
    good = good && store_file_read(store, file, &job->prelude, error) == STORE_OK;
    store_matches_free(&from);
    return good;
}

static bool read_match(LeasedJob *job, Error *error) {
    Store *store = job->engine->arena->store;
    Buffer text = {0};
    bool good = store_match_get(store, job->lease.subject, &job->match, error) == STORE_OK &&
                store_match_spec(store, job->lease.subject, &text, error) == STORE_OK &&
                queued_match_read(&job->setup, (Slice){text.data, text.length}, error);
    buffer_free(&text);
    if (!good)
        return false;
    job->game = game_find(slice_of(leased_job_match(job)->game), error);
    if (!job->game)
        return false;
    if (job->setup.players != leased_job_match(job)->players)
        return error_set(error, "the match has %u players, but its setup has %u",
                         leased_job_match(job)->players, job->setup.players);
    return !job->setup.from_turn || read_prelude(job, error);
}

static void begin_match(LeasedJob *job) {
    Error error = {0};
    bool good = read_match(job, &error);
    for (uint32_t i = 0; good && i < leased_job_match(job)->players; i++)
        good = prepare_seat(job, i, &error);
    if (!good) {
        leased_job_fail_for_now(job, error.text);
        return;
    }
    engine_begin_topic(job);
    activity_add(&job->engine->activity, leased_job_match(job), MATCH_PLAYING, NULL);
    leased_job_tell(job);
    job->phase = JOB_PREPARING;
    if (job->empty)
        leased_job_call_off(job, job->empty);
    else
        advance(job);
}

static void begin_build(LeasedJob *job) {
    Arena *arena = job->engine->arena;
    StoreVersion version;
    StoreBot bot;
    bool built = false;
    Error error = {0};
    bool good = store_version_get(arena->store, job->lease.subject, &version, &error) == STORE_OK &&
                store_bot_get(arena->store, version.bot, &bot, &error) == STORE_OK &&
                versions_prepare(arena, job->lease.subject, &job->bots[0], &built, &error);
    job->game = good ? game_find(slice_of(bot.game), &error) : NULL;
    uint32_t players = job->game && job->game->players_min > 2 ? job->game->players_min : 2;
    if (!job->game ||
        !queued_match_choose(&job->setup, job->game, NULL, NULL, players, 1, &error)) {
        leased_job_fail_for_now(job, error.text);
        return;
    }
    job->phase = JOB_BUILDING;
    job->building_version = job->lease.subject;
    leased_job_give_build(job, 0, true);
}

void leased_job_begin(Engine *engine, const StoreJob *lease, bool with_people) {
    LeasedJob *job = xcalloc(1, sizeof *job);
    job->engine = engine;
    job->lease = *lease;
    job->with_people = with_people;
    job->replay = -1;
    job->lease_until = clock_now() + engine_lease_ms(engine) * CLOCK_MS;
    job->next = engine->jobs;
    engine->jobs = job;
    job->began = clock_now();
    if (lease->request[0])
        leased_job_log(job, LOG_INFO, "job.start", NULL);
    if (lease->kind == JOB_MATCH)
        begin_match(job);
    else if (lease->kind == JOB_CHECK)
        leased_check_advance(job);
    else if (lease->kind == JOB_ANALYSIS)
        leased_analysis_begin(job);
    else
        begin_build(job);
}

/* ---- records of runners ---- */

static void publish(LeasedJob *job, const char *event, const Buffer *text) {
    char topic[LIVE_TOPIC_MAX];
    engine_topic(job->lease.subject, topic);
    live_publish(job->engine->arena->live, topic, event, (Slice){text->data, text->length});
}

/* Everyone may see that a bot could not be built, but not the output of its compiler. */
static void take_failure(LeasedJob *job, const Record *record) {
    const Arena *arena = job->engine->arena;
    uint32_t seat = job->building;
    Buffer sentence = {0};
    if (record->build.length)
        buffer_text(&sentence, "could not be built");
    else
        versions_hide_paths(arena, slice_of(record->error.text), &sentence);
    job->failure[seat] = xstrdup(buffer_string(&sentence));
    buffer_free(&sentence);
    if (job->draft[seat])
        versions_hide_paths(arena, (Slice){record->build.data, record->build.length},
                            &job->logs[seat]);
}

/* Processes the end of the build of a bot that plays in this match. */
static void take_prepared(LeasedJob *job, const Record *record) {
    const StoreMatch *match = leased_job_match(job);
    uint64_t version = match->seats[job->building].version;
    bool draft = job->draft[job->building];
    Error error = {0};
    job->building_version = 0;
    if (record->kind == RECORD_BAD_BOT)
        take_failure(job, record);
    else if (!draft && !versions_mark_built(job->engine->arena, version, record->left, &error))
        job->failure[job->building] = xstrdup(error.text);
    if (job->failure[job->building]) {
        if (!draft)
            versions_drop_build(job->engine->arena, version);
    } else {
        job->needs_build[job->building] = false;
        if (!draft) {
            for (uint32_t i = 0; i < match->players; i++)
                if (match->seats[i].version == version)
                    job->needs_build[i] = false;
        }
    }
    advance(job);
}

static void take_played(LeasedJob *job, Record *record) {
    metric_observe(job->engine->metric_seconds, record->wall);
    if (record->kind == RECORD_BAD_BOT)
        verdict_forfeit(&record->verdict);
    leased_job_finish_match(job, &record->verdict, record->kind == RECORD_PLAYED);
}

void leased_job_take(Engine *engine, Record *record) {
    LeasedJob *job = engine->jobs;
    while (job && (job->over || job->id != record->id))
        job = job->next;
    if (!job)
        return;
    job->heard = clock_now();
    job->steps++;
    if (record->kind == RECORD_START)
        long_jobs_note_start(job, (Slice){record->text.data, record->text.length});
    if (record->kind == RECORD_START)
        publish(job, "start", &record->text);
    else if (record->kind == RECORD_TURN)
        publish(job, "turn", &record->text);
    else if (record->kind == RECORD_STOPPED)
        leased_job_return(job);
    else if (record->kind == RECORD_FAILED)
        leased_job_fail(job, record->error.text);
    else if (job->lease.kind == JOB_CHECK)
        leased_check_take(job, record);
    else if (job->phase == JOB_ANALYSING)
        leased_analysis_take(job, record);
    else if (job->phase == JOB_BUILDING)
        leased_job_finish_build(job, record);
    else if (job->phase == JOB_PREPARING)
        take_prepared(job, record);
    else
        take_played(job, record);
}

static void leased_job_free(LeasedJob *job) {
    if (job->lease.request[0])
        leased_job_log(job, LOG_INFO, "job.end", NULL);
    for (uint32_t i = 0; i < GAME_PLAYERS_MAX; i++) {
        char key[48];
        bot_spec_free(&job->bots[i]);
        free(job->failure[i]);
        buffer_free(&job->logs[i]);
        draft_key(job, i, key);
        if (job->draft[i])
            versions_drop_draft(job->engine->arena, key);
    }
    if (job->replay >= 0)
        close(job->replay);
    leased_analysis_free(job); /* before the replay, which it reads */
    free(job->empty);
    queued_match_free(&job->setup);
    buffer_free(&job->prelude);
    store_matches_free(&job->match);
    free(job);
}

/* Removes the jobs that are over. Returns whether there were any. */
static bool remove_over(Engine *engine) {
    bool some = false;
    for (LeasedJob **at = &engine->jobs; *at;) {
        LeasedJob *job = *at;
        if (!job->over) {
            at = &job->next;
            continue;
        }
        *at = job->next;
        leased_job_free(job);
        some = true;
    }
    return some;
}

void leased_jobs_advance(Engine *engine) {
    do
        for (LeasedJob *job = engine->jobs; job; job = job->next)
            if (job->phase == JOB_WAITING && !job->over)
                job->lease.kind == JOB_CHECK ? leased_check_advance(job) : advance(job);
    while (remove_over(engine));
}
