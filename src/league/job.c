/* See job.h. */
#include "league/job.h"

#include "league/message.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- jobs ---- */

static void put_file(Buffer *to, const GameFile *file) {
    message_put_text(to, file->name);
    message_put_slice(to, file->text);
}

static void put_bot(Buffer *to, const BotSpec *bot) {
    message_put_uint(to, bot->kind);
    message_put_text(to, bot->name);
    message_put_text(to, bot->text);
    message_put_text(to, bot->command);
    message_put_text(to, bot->program);
    message_put_text(to, bot->directory);
    message_put_text(to, bot->build);
    message_put_text(to, bot->host);
    message_put_text(to, bot->port);
    message_put_text(to, bot->path);
}

bool job_has_person(const Job *job) {
    for (uint32_t i = 0; i < job->players; i++)
        if (job->person_ms[i])
            return true;
    return false;
}

static uint32_t bots_of(const Job *job) {
    return job->task == TASK_MATCH ? job->players : 1;
}

void job_encode(const Job *job, Buffer *to) {
    message_put_uint(to, job->id);
    message_put_uint(to, job->task);
    message_put_uint(to, job->try_turn);
    message_put_uint(to, job->live);
    message_put_text(to, job->game->name);
    put_file(to, &job->config);
    put_file(to, &job->map);
    message_put_uint(to, job->seed);
    message_put_uint(to, job->overrides.turn_ms);
    message_put_uint(to, job->overrides.start_ms);
    message_put_uint(to, job->overrides.ponder);
    message_put_uint(to, job->overrides.memory_most);
    for (LimitKind limit = 0; limit < LIMITS; limit++)
        message_put_uint(to, job->overrides.limits[limit]);
    message_put_uint(to, job->players);
    for (uint32_t i = 0; i < bots_of(job); i++)
        put_bot(to, job->bots[i]);
    for (uint32_t i = 0; i < job->players; i++)
        message_put_uint(to, job->person_ms[i]);
    message_put_uint(to, job->prelude_turns);
    message_put_slice(to, job->prelude);
    message_put_uint(to, job->variation.seed);
    message_put_uint(to, job->variation.passes);
    message_put_uint(to, job->variation.deviator);
    message_put_uint(to, job->variation.deviation_turns);
}

static void take_file(MessageReader *reader, JobCopy *copy, int which, GameFile *file) {
    copy->names[which] = message_text(reader);
    Slice text = message_slice(reader);
    buffer_add(&copy->texts[which], text.at, text.length);
    if (copy->names[which])
        *file =
            (GameFile){copy->names[which], {copy->texts[which].data, copy->texts[which].length}};
}

static void take_bot(MessageReader *reader, BotSpec *bot) {
    uint64_t kind = message_uint(reader);
    reader->good = reader->good && kind <= BOT_UNIX;
    *bot = (BotSpec){.kind = (BotKind)(kind % (BOT_UNIX + 1))};
    bot->name = message_text(reader);
    bot->text = message_text(reader);
    bot->command = message_text(reader);
    bot->program = message_text(reader);
    bot->directory = message_text(reader);
    bot->build = message_text(reader);
    bot->host = message_text(reader);
    bot->port = message_text(reader);
    bot->path = message_text(reader);
    reader->good = reader->good && bot->name && bot->text;
}

bool job_decode(JobCopy *copy, Slice message) {
    MessageReader reader = {message, true};
    *copy = (JobCopy){0};
    Job *job = &copy->job;
    job->id = message_uint(&reader);
    uint64_t task = message_uint(&reader);
    job->try_turn = message_uint(&reader) != 0;
    job->live = message_uint(&reader) != 0;
    char *game = message_text(&reader);
    job->game = game ? game_find(slice_of(game), NULL) : NULL;
    free(game);
    take_file(&reader, copy, 0, &job->config);
    take_file(&reader, copy, 1, &job->map);
    job->seed = message_uint(&reader);
    job->overrides.turn_ms = (uint32_t)message_uint(&reader);
    job->overrides.start_ms = (uint32_t)message_uint(&reader);
    job->overrides.ponder = message_uint(&reader) != 0;
    job->overrides.memory_most = (uint32_t)message_uint(&reader);
    for (LimitKind limit = 0; limit < LIMITS; limit++)
        job->overrides.limits[limit] = message_uint(&reader);
    uint64_t players = message_uint(&reader);
    if (!reader.good || !job->game || task >= TASKS || players == 0 || players > GAME_PLAYERS_MAX)
        return false;
    job->task = (JobTask)task;
    job->players = (uint32_t)players;
    for (uint32_t i = 0; i < bots_of(job); i++) {
        take_bot(&reader, &copy->bots[i]);
        job->bots[i] = &copy->bots[i];
    }
    for (uint32_t i = 0; i < players; i++)
        job->person_ms[i] = (uint32_t)message_uint(&reader);
    job->prelude_turns = (uint32_t)message_uint(&reader);
    Slice prelude = message_slice(&reader);
    buffer_add(&copy->prelude, prelude.at, prelude.length);
    job->prelude = (Slice){copy->prelude.data, copy->prelude.length};
    job->variation.seed = message_uint(&reader);
    job->variation.passes = (uint32_t)message_uint(&reader);
    job->variation.deviator = (uint32_t)message_uint(&reader);
    job->variation.deviation_turns = (uint32_t)message_uint(&reader);
    return reader.good && reader.rest.length == 0;
}

void job_free(JobCopy *copy) {
    for (uint32_t i = 0; i < GAME_PLAYERS_MAX; i++)
        bot_spec_free(&copy->bots[i]);
    for (int i = 0; i < 2; i++) {
        buffer_free(&copy->texts[i]);
        free(copy->names[i]);
    }
    buffer_free(&copy->prelude);
    *copy = (JobCopy){0};
}

/* ---- records ---- */

static void put_player(Buffer *to, const PlayerVerdict *player) {
    message_put_text(to, player->name);
    message_put_uint(to, player->status);
    message_put_uint(to, player->rank);
    message_put_int(to, player->score);
    message_put_uint(to, player->refused);
    message_put_uint(to, player->timeouts);
    message_put_uint(to, player->late);
    message_put_uint(to, player->graces);
    message_put_uint(to, player->restarts);
    message_put_int(to, player->wall_total);
    message_put_int(to, player->wall_longest);
    message_put_int(to, player->cpu_total);
    message_put_int(to, player->cpu_longest);
    message_put_text(to, player->failure);
}

void record_encode(const Record *record, Buffer *to) {
    const Verdict *verdict = &record->verdict;
    message_put_uint(to, record->id);
    message_put_uint(to, record->kind);
    message_put_text(to, record->error.text);
    message_put_int(to, record->wall);
    message_put_slice(to, (Slice){record->text.data, record->text.length});
    message_put_uint(to, record->check_errors);
    message_put_uint(to, record->check_warnings);
    message_put_slice(to, (Slice){record->build.data, record->build.length});
    message_put_uint(to, record->built);
    message_put_uint(to, record->left.files);
    message_put_uint(to, record->left.bytes);
    message_put_uint(to, verdict->turns);
    message_put_text(to, verdict->reason ? verdict->reason : "");
    message_put_uint(to, verdict->scored);
    message_put_uint(to, verdict->course);
    message_put_uint(to, verdict->players);
    for (uint32_t i = 0; i < verdict->players; i++)
        put_player(to, &verdict->player[i]);
}

static void take_into(MessageReader *reader, char *to, size_t size) {
    char *text = message_text(reader);
    snprintf(to, size, "%s", text ? text : "");
    free(text);
}

static void take_player(MessageReader *reader, PlayerVerdict *player) {
    player->name = message_text(reader);
    uint64_t status = message_uint(reader);
    reader->good = reader->good && status < STATUSES;
    player->status = (PlayerStatus)(status % STATUSES);
    player->rank = (uint32_t)message_uint(reader);
    player->score = message_int(reader);
    player->refused = message_uint(reader);
    player->timeouts = (uint32_t)message_uint(reader);
    player->late = (uint32_t)message_uint(reader);
    player->graces = (uint32_t)message_uint(reader);
    player->restarts = (uint32_t)message_uint(reader);
    player->wall_total = message_int(reader);
    player->wall_longest = message_int(reader);
    player->cpu_total = message_int(reader);
    player->cpu_longest = message_int(reader);
    take_into(reader, player->failure, sizeof player->failure);
}

bool record_decode(Record *record, Slice message) {
    MessageReader reader = {message, true};
    *record = (Record){0};
    record->id = message_uint(&reader);
    uint64_t kind = message_uint(&reader);
    take_into(&reader, record->error.text, sizeof record->error.text);
    record->wall = message_int(&reader);
    Slice text = message_slice(&reader);
    buffer_add(&record->text, text.at, text.length);
    record->check_errors = (uint32_t)message_uint(&reader);
    record->check_warnings = (uint32_t)message_uint(&reader);
    Slice build = message_slice(&reader);
    buffer_add(&record->build, build.at, build.length);
    record->built = message_uint(&reader) != 0;
    record->left.files = message_uint(&reader);
    record->left.bytes = message_uint(&reader);
    record->verdict.turns = (uint32_t)message_uint(&reader);
    take_into(&reader, record->reason, sizeof record->reason);
    record->verdict.reason = record->reason;
    record->verdict.scored = message_uint(&reader) != 0;
    record->verdict.course = message_uint(&reader);
    uint64_t players = message_uint(&reader);
    if (!reader.good || kind >= RECORD_KINDS || players > GAME_PLAYERS_MAX)
        return false;
    record->kind = (RecordKind)kind;
    record->verdict.players = (uint32_t)players;
    for (uint32_t i = 0; i < players; i++)
        take_player(&reader, &record->verdict.player[i]);
    return reader.good && reader.rest.length == 0;
}

void record_free(Record *record) {
    verdict_free(&record->verdict);
    buffer_free(&record->text);
    buffer_free(&record->build);
}
