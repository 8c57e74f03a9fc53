/* See job.h. */
#include "league/job.h"

#include "league/message.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- jobs ---- */

static void put_file(Buffer *to, const GameFile *file) {
    wire_put_text(to, file->name);
    wire_put_slice(to, file->text);
}

static void put_bot(Buffer *to, const BotSpec *bot) {
    wire_put_uint(to, bot->kind);
    wire_put_text(to, bot->name);
    wire_put_text(to, bot->text);
    wire_put_text(to, bot->command);
    wire_put_text(to, bot->program);
    wire_put_text(to, bot->directory);
    wire_put_text(to, bot->build);
    wire_put_text(to, bot->host);
    wire_put_text(to, bot->port);
    wire_put_text(to, bot->path);
}

bool job_is_patient(const Job *job) {
    for (uint32_t i = 0; i < job->players; i++)
        if (job->person_ms[i])
            return true;
    return false;
}

void job_encode(const Job *job, Buffer *to) {
    wire_put_uint(to, job->id);
    wire_put_uint(to, job->build);
    wire_put_uint(to, job->check);
    wire_put_uint(to, job->live);
    wire_put_text(to, job->game->name);
    put_file(to, &job->config);
    put_file(to, &job->map);
    wire_put_uint(to, job->seed);
    wire_put_uint(to, job->terms.turn_ms);
    wire_put_uint(to, job->terms.start_ms);
    wire_put_uint(to, job->terms.ponder);
    for (TermsLimit limit = 0; limit < LIMITS; limit++)
        wire_put_uint(to, job->terms.limits[limit]);
    wire_put_uint(to, job->players);
    for (uint32_t i = 0; i < (job->build ? 1 : job->players); i++)
        put_bot(to, job->bots[i]);
    for (uint32_t i = 0; i < job->players; i++)
        wire_put_uint(to, job->person_ms[i]);
    wire_put_uint(to, job->prelude_turns);
    wire_put_slice(to, job->prelude);
}

static void take_file(WireReader *reader, JobCopy *copy, int which, GameFile *file) {
    copy->names[which] = wire_text(reader);
    Slice text = wire_slice(reader);
    buffer_add(&copy->texts[which], text.at, text.length);
    if (copy->names[which])
        *file =
            (GameFile){copy->names[which], {copy->texts[which].data, copy->texts[which].length}};
}

static void take_bot(WireReader *reader, BotSpec *bot) {
    uint64_t kind = wire_uint(reader);
    reader->good = reader->good && kind <= BOT_UNIX;
    *bot = (BotSpec){.kind = (BotKind)(kind % (BOT_UNIX + 1))};
    bot->name = wire_text(reader);
    bot->text = wire_text(reader);
    bot->command = wire_text(reader);
    bot->program = wire_text(reader);
    bot->directory = wire_text(reader);
    bot->build = wire_text(reader);
    bot->host = wire_text(reader);
    bot->port = wire_text(reader);
    bot->path = wire_text(reader);
    reader->good = reader->good && bot->name && bot->text;
}

bool job_decode(JobCopy *copy, Slice message) {
    WireReader reader = {message, true};
    *copy = (JobCopy){0};
    Job *job = &copy->job;
    job->id = wire_uint(&reader);
    job->build = wire_uint(&reader) != 0;
    job->check = wire_uint(&reader) != 0;
    job->live = wire_uint(&reader) != 0;
    char *game = wire_text(&reader);
    job->game = game ? game_find(slice_of(game), NULL) : NULL;
    free(game);
    take_file(&reader, copy, 0, &job->config);
    take_file(&reader, copy, 1, &job->map);
    job->seed = wire_uint(&reader);
    job->terms.turn_ms = (uint32_t)wire_uint(&reader);
    job->terms.start_ms = (uint32_t)wire_uint(&reader);
    job->terms.ponder = wire_uint(&reader) != 0;
    for (TermsLimit limit = 0; limit < LIMITS; limit++)
        job->terms.limits[limit] = wire_uint(&reader);
    uint64_t players = wire_uint(&reader);
    if (!reader.good || !job->game || players == 0 || players > GAME_PLAYERS_MAX)
        return false;
    job->players = (uint32_t)players;
    for (uint32_t i = 0; i < (job->build ? 1 : players); i++) {
        take_bot(&reader, &copy->bots[i]);
        job->bots[i] = &copy->bots[i];
    }
    for (uint32_t i = 0; i < players; i++)
        job->person_ms[i] = (uint32_t)wire_uint(&reader);
    job->prelude_turns = (uint32_t)wire_uint(&reader);
    Slice prelude = wire_slice(&reader);
    buffer_add(&copy->prelude, prelude.at, prelude.length);
    job->prelude = (Slice){copy->prelude.data, copy->prelude.length};
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
    wire_put_text(to, player->name);
    wire_put_uint(to, player->status);
    wire_put_uint(to, player->rank);
    wire_put_int(to, player->score);
    wire_put_uint(to, player->refused);
    wire_put_uint(to, player->timeouts);
    wire_put_uint(to, player->late);
    wire_put_uint(to, player->graces);
    wire_put_uint(to, player->restarts);
    wire_put_int(to, player->wall_total);
    wire_put_int(to, player->wall_longest);
    wire_put_int(to, player->cpu_total);
    wire_put_int(to, player->cpu_longest);
    wire_put_text(to, player->failure);
}

void record_encode(const Record *record, Buffer *to) {
    const Verdict *verdict = &record->verdict;
    wire_put_uint(to, record->id);
    wire_put_uint(to, record->kind);
    wire_put_text(to, record->error.text);
    wire_put_int(to, record->wall);
    wire_put_slice(to, (Slice){record->text.data, record->text.length});
    wire_put_slice(to, (Slice){record->build.data, record->build.length});
    wire_put_uint(to, record->built);
    wire_put_uint(to, verdict->turns);
    wire_put_text(to, verdict->reason ? verdict->reason : "");
    wire_put_uint(to, verdict->scored);
    wire_put_uint(to, verdict->course);
    wire_put_uint(to, verdict->players);
    for (uint32_t i = 0; i < verdict->players; i++)
        put_player(to, &verdict->player[i]);
}

static void take_into(WireReader *reader, char *to, size_t size) {
    char *text = wire_text(reader);
    snprintf(to, size, "%s", text ? text : "");
    free(text);
}

static void take_player(WireReader *reader, PlayerVerdict *player) {
    player->name = wire_text(reader);
    uint64_t status = wire_uint(reader);
    reader->good = reader->good && status < STATUSES;
    player->status = (PlayerStatus)(status % STATUSES);
    player->rank = (uint32_t)wire_uint(reader);
    player->score = wire_int(reader);
    player->refused = wire_uint(reader);
    player->timeouts = (uint32_t)wire_uint(reader);
    player->late = (uint32_t)wire_uint(reader);
    player->graces = (uint32_t)wire_uint(reader);
    player->restarts = (uint32_t)wire_uint(reader);
    player->wall_total = wire_int(reader);
    player->wall_longest = wire_int(reader);
    player->cpu_total = wire_int(reader);
    player->cpu_longest = wire_int(reader);
    take_into(reader, player->failure, sizeof player->failure);
}

bool record_decode(Record *record, Slice message) {
    WireReader reader = {message, true};
    *record = (Record){0};
    record->id = wire_uint(&reader);
    uint64_t kind = wire_uint(&reader);
    take_into(&reader, record->error.text, sizeof record->error.text);
    record->wall = wire_int(&reader);
    Slice text = wire_slice(&reader);
    buffer_add(&record->text, text.at, text.length);
    Slice build = wire_slice(&reader);
    buffer_add(&record->build, build.at, build.length);
    record->built = wire_uint(&reader) != 0;
    record->verdict.turns = (uint32_t)wire_uint(&reader);
    take_into(&reader, record->reason, sizeof record->reason);
    record->verdict.reason = record->reason;
    record->verdict.scored = wire_uint(&reader) != 0;
    record->verdict.course = wire_uint(&reader);
    uint64_t players = wire_uint(&reader);
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
