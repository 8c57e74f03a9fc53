/* One job of the queue under way: a version that is built and checked, or a match. A match goes:
   its bots are made ready (each in its seat: a version's directory, a draft's, or somebody
   elsewhere), those that are not built in this directory are built, then it is played, and the
   replay is in the store before the result is. A bot that cannot play loses by forfeit; what is our
   own failure puts the job back. */
#include "arena/play/engine_internal.h"

#include "arena/bots/versions.h"
#include "arena/play/remote_seats.h"
#include "arena/tournaments/scheduler.h"
#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Once it was read. */
static const StoreMatch *match_of(const Task *task) {
    return task->match.rows;
}

static char *copy_of(const char *text) {
    char *copy = strdup(text);
    if (!copy)
        abort();
    return copy;
}

static void draft_key(const Task *task, uint32_t seat, char key[48]) {
    snprintf(key, 48, "%" PRIu64 "-%u", task->job.subject, seat);
}

/* ---- the end of a task ---- */

static void task_free(Task *task) {
    for (uint32_t i = 0; i < GAME_PLAYERS_MAX; i++) {
        char key[48];
        bot_spec_free(&task->bots[i]);
        free(task->trouble[i]);
        buffer_free(&task->logs[i]);
        draft_key(task, i, key);
        if (task->draft[i])
            versions_drop_draft(task->engine->arena, key);
    }
    if (task->replay >= 0)
        close(task->replay);
    free(task->empty);
    spec_free(&task->spec);
    buffer_free(&task->prelude);
    store_matches_free(&task->match);
    free(task);
}

/* Whether somebody plays it from elsewhere. */
static bool is_joined(const Task *task) {
    for (uint32_t i = 0; task->match.count && i < match_of(task)->players; i++)
        if (task->spec.seats[i].remote)
            return true;
    return false;
}

/* Whoever waits for what this match leads to. */
static void tell_others(const Task *task, bool result) {
    const StoreMatch *match = match_of(task);
    if (!task->match.count)
        return;
    if (is_joined(task))
        joins_end(task->engine->arena->joins, match->id);
    if (result && match->tournament)
        conductor_match_over(task->engine->arena->conductor, match->tournament, match->id);
    if (result && match->kind == MATCH_LADDER)
        ladders_poke(task->engine->ladders);
}

/* Viewers of a match that has no verdict are told why. */
static void end_without_verdict(Task *task, const char *why) {
    Buffer text = {0};
    JsonOut out = {.to = &text};
    json_open(&out, NULL, '{');
    json_out_uint(&out, "turns", 0);
    json_out_text(&out, "reason", why);
    json_open(&out, "players", '[');
    json_close(&out, ']');
    json_close(&out, '}');
    engine_end_topic(task->engine, task->job.subject, (Slice){text.data, text.length});
    buffer_free(&text);
}

/* Nobody will play it. */
static void call_off(Task *task, const char *why) {
    Error error;
    task->over = true;
    if (store_queue_call_off(task->engine->arena->store, task->job.subject, why, &error) !=
        STORE_OK)
        engine_log(task->engine, LOG_WARNING, "queue", task->job.subject, error.text);
    end_without_verdict(task, why);
    tell_others(task, false);
}

void task_return(Task *task) {
    Error error;
    if (task->over)
        return;
    if (task->engine->stopping && is_joined(task)) {
        call_off(task, JOIN_RESTARTED); /* there will be nobody who could go on */
        return;
    }
    task->over = true;
    if (store_queue_return(task->engine->arena->store, task->job.id, task->job.attempt, &error) !=
        STORE_OK)
        engine_log(task->engine, LOG_WARNING, "queue", task->job.subject, error.text);
    tell_others(task, false);
}

/* Our own failure: the job is tried again, or given up. */
static void fail(Task *task, const char *why) {
    Error error;
    bool over = false;
    task->over = true;
    metric_add(task->engine->metric_failures, 1);
    engine_log(task->engine, LOG_ERROR, "job", task->job.subject, why);
    StoreResult result = store_queue_fail(task->engine->arena->store, task->job.id,
                                          task->job.attempt, why, &over, &error);
    if (result != STORE_OK)
        engine_log(task->engine, LOG_WARNING, "queue", task->job.subject, error.text);
    if (task->job.kind == JOB_MATCH && (over || result == STORE_CONFLICT))
        end_without_verdict(task, over ? why : "the match was called off");
    tell_others(task, over);
}

/* ---- results ---- */

static void write_verdict(Verdict *verdict, Buffer *to) {
    JsonOut out = {.to = to};
    for (uint32_t i = 0; i < verdict->players; i++) {
        free(verdict->player[i].name); /* the store's own names last */
        verdict->player[i].name = NULL;
    }
    json_open(&out, NULL, '{');
    verdict_json(verdict, &out);
    json_close(&out, '}');
}

/* What the builds of drafts said: a list with a text or null for each seat; nothing if there is
   none. */
static void write_logs(const Task *task, Buffer *to) {
    JsonOut out = {.to = to};
    uint32_t players = match_of(task)->players;
    bool some = false;
    for (uint32_t i = 0; i < players; i++)
        some |= task->logs[i].length > 0;
    if (!some)
        return;
    json_open(&out, NULL, '[');
    for (uint32_t i = 0; i < players; i++)
        if (task->logs[i].length)
            json_out_string(&out, NULL, (Slice){task->logs[i].data, task->logs[i].length});
        else
            json_out_null(&out, NULL);
    json_close(&out, ']');
}

static bool keep_replay(Task *task, StoreFile *file, Error *error) {
    int64_t size = 0;
    return store_file_put_fd(task->engine->arena->store, task->replay, file, &size, error) ==
           STORE_OK;
}

/* Puts the verdict into the store; the replay first, if the match was played. */
static void finish_match(Task *task, Verdict *verdict, bool played) {
    Engine *engine = task->engine;
    const StoreMatch *match = match_of(task);
    StoreSeatResult seats[GAME_PLAYERS_MAX];
    StoreMatchResult result = {.turns = verdict->turns,
                               .reason = verdict->reason,
                               .players = verdict->players,
                               .seats = seats};
    Buffer text = {0};
    Buffer logs = {0};
    Error error = {""};
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
    write_logs(task, &logs);
    result.logs = (Slice){logs.data, logs.length};
    if (played && !keep_replay(task, &result.replay, &error)) {
        buffer_free(&text);
        buffer_free(&logs);
        fail(task, error.text);
        return;
    }
    StoreResult how = store_queue_finish_match(engine->arena->store, task->job.id,
                                               task->job.attempt, &result, &error);
    task->over = true;
    if (how == STORE_OK) {
        metric_add(engine->metric_played[match->kind], 1);
        engine_end_topic(engine, match->id, result.verdict);
        tell_others(task, true);
    } else if (how == STORE_CONFLICT) {
        engine_log(engine, LOG_INFO, "late", match->id, error.text);
        end_without_verdict(task, "the match was called off");
        tell_others(task, false);
    } else {
        fail(task, error.text);
    }
    buffer_free(&text);
    buffer_free(&logs);
}

/* A match that a bot cannot take part in is not played. */
static void forfeit(Task *task) {
    static Verdict verdict; /* large; the engine has one thread */
    verdict = (Verdict){.players = match_of(task)->players};
    for (uint32_t i = 0; i < verdict.players; i++) {
        verdict.player[i].status = task->trouble[i] ? STATUS_NO_START : STATUS_OK;
        snprintf(verdict.player[i].failure, sizeof verdict.player[i].failure, "%.150s",
                 task->trouble[i] ? task->trouble[i] : "");
    }
    verdict_forfeit(&verdict);
    finish_match(task, &verdict, false);
}

/* The log of a build that was tried, for the owner of the bot. */
static void write_build_log(const Task *task, const Record *record, const Error *left, Buffer *to) {
    const Arena *arena = task->engine->arena;
    if (left->text[0]) {
        buffer_format(to, "The build is of no use here: %s.\n", left->text);
    } else if (record->kind == RECORD_PLAYED) {
        buffer_text(to, "Built, and got through a first turn.\n");
    } else if (record->built || !record->build.length) { /* else the output tells all */
        versions_show(arena, slice_of(record->error.text), to);
        buffer_char(to, '\n');
    }
    if (record->build.length) {
        if (to->length)
            buffer_text(to, "The build said:\n");
        versions_show(arena, (Slice){record->build.data, record->build.length}, to);
        if (to->data[to->length - 1] != '\n')
            buffer_char(to, '\n');
    }
    if (record->text.length) {
        buffer_text(to, "Standard error of that turn:\n");
        versions_show(arena, (Slice){record->text.data, record->text.length}, to);
    }
}

static void finish_build(Task *task, const Record *record) {
    Engine *engine = task->engine;
    Buffer log = {0};
    Error error = {""};
    bool good = record->kind == RECORD_PLAYED &&
                versions_mark_built(engine->arena, task->job.subject, &error);
    write_build_log(task, record, &error, &log);
    if (!good)
        versions_drop_build(engine->arena, task->job.subject);
    StoreBuildResult result = {.good = good, .activate = good, .log = {log.data, log.length}};
    task->over = true;
    metric_add(engine->metric_builds, 1);
    if (store_queue_finish_build(engine->arena->store, task->job.id, task->job.attempt, &result,
                                 &error) != STORE_OK)
        engine_log(engine, LOG_WARNING, "queue", 0, error.text);
    buffer_free(&log);
}

/* ---- giving work to the dispatcher ---- */

static void give(Task *task, Job *job, int replay) {
    task->id = job->id = ++task->engine->last_id;
    dispatcher_give(task->engine->dispatcher, job, replay);
}

static GameFile file_of(const PlanFile *file) {
    return file->name ? (GameFile){file->name, slice_of(file->text)} : (GameFile){0};
}

static void give_build(Task *task, uint32_t seat, bool check) {
    Job job = {.build = true,
               .check = check,
               .game = task->game,
               .config = file_of(&task->spec.config),
               .map = file_of(&task->spec.map),
               .terms = task->spec.terms,
               .players = task->spec.players ? task->spec.players : 1,
               .bots = {&task->bots[seat]}};
    task->building = seat;
    give(task, &job, -1);
}

/* A file without a name, which is gone with us. */
static int open_replay(const Task *task) {
    return open(task->engine->arena->options.data, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
}

static void give_match(Task *task) {
    const StoreMatch *match = match_of(task);
    Job job = {.live = true,
               .game = task->game,
               .config = file_of(&task->spec.config),
               .map = file_of(&task->spec.map),
               .seed = match->seed,
               .terms = task->spec.terms,
               .players = match->players,
               .prelude = {task->prelude.data, task->prelude.length},
               .prelude_turns = task->spec.from_turn};
    for (uint32_t i = 0; i < match->players; i++) {
        job.bots[i] = &task->bots[i];
        job.person_ms[i] = task->spec.seats[i].person_ms;
    }
    task->phase = TASK_PLAYS;
    task->replay = open_replay(task);
    int lent = task->replay >= 0 ? fcntl(task->replay, F_DUPFD_CLOEXEC, 0) : -1;
    if (lent < 0) {
        Error error;
        error_set(&error, "cannot make a file for the replay: %s", strerror(errno));
        fail(task, error.text);
        return;
    }
    give(task, &job, lent);
}

/* ---- making bots ready ---- */

/* What the replay calls it. Directories are nobody's business. */
static void name_seat(Task *task, uint32_t seat) {
    const StoreSeat *row = &match_of(task)->seats[seat];
    BotSpec *bot = &task->bots[seat];
    char text[48];
    if (row->version)
        snprintf(text, sizeof text, "version %" PRIu64, row->version);
    else
        snprintf(text, sizeof text, "%s", task->draft[seat] ? "draft" : "remote");
    free(bot->name);
    free(bot->text);
    bot->name = copy_of(row->name);
    bot->text = copy_of(text);
}

/* False for our own failures; a bot's are its trouble. */
static bool ready_version(Task *task, uint32_t seat, Error *error) {
    bool built = false;
    BotSpec *bot = &task->bots[seat];
    bot_spec_free(bot);
    bool good = versions_prepare(task->engine->arena, match_of(task)->seats[seat].version, bot,
                                 &built, error);
    task->needs_build[seat] = good && !built && bot->build;
    if (!good && bot->text)
        task->trouble[seat] = copy_of(error->text);
    return good || bot->text;
}

/* False for our own failures; a bot's are its trouble. */
static bool ready_seat(Task *task, uint32_t seat, Error *error) {
    Arena *arena = task->engine->arena;
    const SpecSeat *own = &task->spec.seats[seat];
    bool good = true;
    char key[48];
    draft_key(task, seat, key);
    if (own->remote) {
        JoinSeat how = joins_seat(arena->joins, task->job.subject, seat, &task->bots[seat], error);
        good = how != JOIN_SEAT_BROKEN;
        if (how == JOIN_SEAT_EMPTY && !task->empty)
            task->empty = copy_of(error->text);
    } else if (own->language) {
        task->draft[seat] = true;
        good = versions_prepare_draft(arena, key, own->language,
                                      slice_of(own->source ? own->source : ""), &task->bots[seat],
                                      error);
        task->needs_build[seat] = good && task->bots[seat].build;
    } else if (match_of(task)->seats[seat].version) {
        if (!ready_version(task, seat, error))
            return false;
    } else {
        good = error_set(error, "nobody plays this seat");
    }
    if (!good)
        task->trouble[seat] = copy_of(error->text);
    name_seat(task, seat);
    return true;
}

static bool is_being_built(const Task *asks, uint64_t version) {
    for (const Task *task = asks->engine->tasks; task; task = task->next)
        if (task != asks && !task->over && task->building_version == version)
            return true;
    return false;
}

/* Builds the next bot that has to be, or plays. */
static void go_on(Task *task) {
    const StoreMatch *match = match_of(task);
    bool trouble = false;
    Error error;
    for (uint32_t i = 0; i < match->players; i++) {
        uint64_t version = task->draft[i] ? 0 : match->seats[i].version;
        trouble |= task->trouble[i] != NULL;
        if (!task->needs_build[i] || task->trouble[i])
            continue;
        if (version && is_being_built(task, version)) {
            task->phase = TASK_WAITS;
            return;
        }
        if (task->phase == TASK_WAITS) {
            /* It may have been built meanwhile. */
            if (!ready_version(task, i, &error)) {
                fail(task, error.text);
                return;
            }
            name_seat(task, i);
            trouble |= task->trouble[i] != NULL;
            if (!task->needs_build[i])
                continue;
        }
        task->phase = TASK_PREPARES;
        task->building_version = version;
        give_build(task, i, false);
        return;
    }
    if (trouble)
        forfeit(task);
    else
        give_match(task);
}

/* ---- beginning ---- */

/* The replay that it begins with. */
static bool read_prelude(Task *task, Error *error) {
    Store *store = task->engine->arena->store;
    StoreMatches from = {0};
    const StoreFile *file = &match_of(task)->seats[0].source;
    bool good = true;
    if (task->spec.from_match) {
        good = store_match_get(store, task->spec.from_match, &from, error) == STORE_OK;
        file = good ? &from.rows[0].replay : file;
    }
    good = good && store_file_read(store, file, &task->prelude, error) == STORE_OK;
    store_matches_free(&from);
    return good;
}

static bool read_match(Task *task, Error *error) {
    Store *store = task->engine->arena->store;
    Buffer text = {0};
    bool good = store_match_get(store, task->job.subject, &task->match, error) == STORE_OK &&
                store_match_spec(store, task->job.subject, &text, error) == STORE_OK &&
                spec_read(&task->spec, (Slice){text.data, text.length}, error);
    buffer_free(&text);
    if (!good)
        return false;
    task->game = game_find(match_of(task)->game);
    if (!task->game)
        return error_set(error, "no game is called %s", match_of(task)->game);
    if (task->spec.players != match_of(task)->players)
        return error_set(error, "the match has %u players, and its specification %u",
                         match_of(task)->players, task->spec.players);
    return !task->spec.from_turn || read_prelude(task, error);
}

static void begin_match(Task *task) {
    Error error = {""};
    char topic[LIVE_TOPIC_MAX];
    bool good = read_match(task, &error);
    for (uint32_t i = 0; good && i < match_of(task)->players; i++)
        good = ready_seat(task, i, &error);
    if (!good) {
        fail(task, error.text);
        return;
    }
    engine_topic(task->job.subject, topic);
    live_open(task->engine->arena->live, topic, LIVE_MATCH_EVENTS, LIVE_MATCH_BYTES);
    task->phase = TASK_PREPARES;
    if (task->empty)
        call_off(task, task->empty);
    else
        go_on(task);
}

static void begin_build(Task *task) {
    Arena *arena = task->engine->arena;
    StoreVersion version;
    StoreBot bot;
    bool built = false;
    Error error = {""};
    bool good = store_version_get(arena->store, task->job.subject, &version, &error) == STORE_OK &&
                store_bot_get(arena->store, version.bot, &bot, &error) == STORE_OK &&
                versions_prepare(arena, task->job.subject, &task->bots[0], &built, &error);
    task->game = good ? game_find(bot.game) : NULL;
    if (good && !task->game)
        error_set(&error, "no game is called %s", bot.game);
    uint32_t players = task->game && task->game->players_min > 2 ? task->game->players_min : 2;
    if (!task->game || !spec_choose(&task->spec, task->game, NULL, NULL, players, 1, &error)) {
        fail(task, error.text);
        return;
    }
    task->phase = TASK_BUILDS;
    task->building_version = task->job.subject;
    give_build(task, 0, true);
}

void task_begin(Engine *engine, const StoreJob *job) {
    Task *task = calloc(1, sizeof *task);
    if (!task)
        abort();
    task->engine = engine;
    task->job = *job;
    task->replay = -1;
    task->lease_until = clock_now() + LEASE_MS * CLOCK_MS;
    task->next = engine->tasks;
    engine->tasks = task;
    if (job->kind == JOB_MATCH)
        begin_match(task);
    else
        begin_build(task);
}

/* ---- what runners say ---- */

static void publish(Task *task, const char *event, const Buffer *text) {
    char topic[LIVE_TOPIC_MAX];
    engine_topic(task->job.subject, topic);
    live_publish(task->engine->arena->live, topic, event, (Slice){text->data, text->length});
}

/* Why a bot cannot play is for everybody; what its compiler said is not. */
static void take_trouble(Task *task, const Record *record) {
    const Arena *arena = task->engine->arena;
    uint32_t seat = task->building;
    Buffer sentence = {0};
    if (record->build.length)
        buffer_text(&sentence, "could not be built");
    else
        versions_show(arena, slice_of(record->error.text), &sentence);
    task->trouble[seat] = copy_of(buffer_string(&sentence));
    buffer_free(&sentence);
    if (task->draft[seat])
        versions_show(arena, (Slice){record->build.data, record->build.length}, &task->logs[seat]);
}

/* A bot of this match was built, or cannot be. */
static void take_prepared(Task *task, const Record *record) {
    const StoreMatch *match = match_of(task);
    uint64_t version = match->seats[task->building].version;
    bool draft = task->draft[task->building];
    Error error = {""};
    task->building_version = 0;
    if (record->kind == RECORD_BAD_BOT)
        take_trouble(task, record);
    else if (!draft && !versions_mark_built(task->engine->arena, version, &error))
        task->trouble[task->building] = copy_of(error.text);
    if (task->trouble[task->building]) {
        if (!draft)
            versions_drop_build(task->engine->arena, version);
    } else {
        task->needs_build[task->building] = false;
        if (!draft) {
            for (uint32_t i = 0; i < match->players; i++)
                if (match->seats[i].version == version)
                    task->needs_build[i] = false;
        }
    }
    go_on(task);
}

static void take_played(Task *task, Record *record) {
    metric_observe(task->engine->metric_seconds, record->wall);
    if (record->kind == RECORD_BAD_BOT)
        verdict_forfeit(&record->verdict);
    finish_match(task, &record->verdict, record->kind == RECORD_PLAYED);
}

void task_take(Engine *engine, Record *record) {
    Task *task = engine->tasks;
    while (task && (task->over || task->id != record->id))
        task = task->next;
    if (!task)
        return;
    if (record->kind == RECORD_START)
        publish(task, "start", &record->text);
    else if (record->kind == RECORD_TURN)
        publish(task, "turn", &record->text);
    else if (record->kind == RECORD_STOPPED)
        task_return(task);
    else if (record->kind == RECORD_FAILED)
        fail(task, record->error.text);
    else if (task->phase == TASK_BUILDS)
        finish_build(task, record);
    else if (task->phase == TASK_PREPARES)
        take_prepared(task, record);
    else
        take_played(task, record);
}

/* Whether there was one. */
static bool remove_over(Engine *engine) {
    bool some = false;
    for (Task **at = &engine->tasks; *at;) {
        Task *task = *at;
        if (!task->over) {
            at = &task->next;
            continue;
        }
        *at = task->next;
        task_free(task);
        some = true;
    }
    return some;
}

void tasks_sort(Engine *engine) {
    do
        for (Task *task = engine->tasks; task; task = task->next)
            if (task->phase == TASK_WAITS && !task->over)
                go_on(task);
    while (remove_over(engine));
}
