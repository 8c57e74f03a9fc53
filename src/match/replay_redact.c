/* Copies a replay without the standard error or the names of some players, and extracts the
   standard error of one. */
#include "match/replay.h"

bool replay_errors(Replay *from, uint32_t player, Buffer *to, Error *error) {
    ReplayTurn turn;
    ReplayEnd end;
    ReplayStep step;
    while ((step = replay_next(from, &turn, &end, error)) == REPLAY_TURN)
        buffer_add(to, turn.players[player].errors.at, turn.players[player].errors.length);
    if (step == REPLAY_END)
        buffer_add(to, end.last_words[player].at, end.last_words[player].length);
    return step == REPLAY_END;
}

/* The offset after the JSON string that begins at `offset`. */
static size_t after_string(Slice source, size_t offset) {
    for (offset++; source.at[offset] != '"'; offset++)
        offset += source.at[offset] == '\\';
    return offset + 1;
}

/* Appends the JSON of a header or an end, with the other names. */
static bool copy_named(Slice source, const ReplayRedaction *how, Buffer *to, Error *error) {
    Json json = {0};
    size_t at = 0;
    bool good = json_parse(&json, source, error);
    uint32_t list =
        good && json.nodes[0].kind == JSON_OBJECT ? json_member(&json, 0, "players") : JSON_NONE;
    if (good && (list == JSON_NONE || json.nodes[list].kind != JSON_ARRAY ||
                 json.nodes[list].count > GAME_PLAYERS_MAX))
        good = error_set(error, "the replay has no list of players");
    uint32_t node = list + 1;
    for (uint32_t i = 0; good && i < json.nodes[list].count; i++, node = json.nodes[node].next) {
        uint32_t name =
            json.nodes[node].kind == JSON_OBJECT ? json_member(&json, node, "name") : JSON_NONE;
        if (!how->names[i] || name == JSON_NONE || json.nodes[name].kind != JSON_STRING)
            continue;
        buffer_add(to, source.at + at, json.nodes[name].offset - at);
        json_string(to, slice_of(how->names[i]));
        at = after_string(source, json.nodes[name].offset);
    }
    buffer_add(to, source.at + at, source.length - at);
    json_free(&json);
    return good;
}

static bool copy_header(Slice source, const ReplayRedaction *how, ReplayWriter *to, Error *error) {
    Buffer text = {0};
    bool good = copy_named(source, how, &text, error) &&
                replay_copy_header(to, (Slice){text.data, text.length}, error);
    buffer_free(&text);
    return good;
}

/* Copies the end except for the last words, which are its last member. */
static bool copy_end(const ReplayEnd *end, uint32_t players, const ReplayRedaction *how,
                     ReplayWriter *to, Error *error) {
    Json json = {0};
    Buffer named = {0};
    bool good = copy_named(end->json, how, &named, error) &&
                json_parse(&json, (Slice){named.data, named.length}, error);
    uint32_t words = good ? json_member(&json, 0, "last_words") : JSON_NONE;
    if (good && (words == JSON_NONE || words < 2))
        good = error_set(error, "the replay's end has no last words");
    if (good) {
        Buffer text = {0};
        buffer_add(&text, buffer_string(&named), json.nodes[words - 1].offset);
        JsonOut out = {.to = &text};
        json_open(&out, "last_words", '[');
        for (uint32_t i = 0; i < players; i++)
            json_out_string(&out, NULL, how->errors[i] ? end->last_words[i] : (Slice){"", 0});
        json_close(&out, ']');
        json_close(&out, '}');
        good = replay_copy_end(to, (Slice){text.data, text.length}, error);
        buffer_free(&text);
    }
    json_free(&json);
    buffer_free(&named);
    return good;
}

/* Copies the record of a turn, with empty texts for those that are not kept. Each text follows its
   length. */
static void copy_turn(const ReplayTurn *turn, uint32_t players, const bool *keep, Buffer *to) {
    const char *at = turn->record.at;
    for (uint32_t i = 0; i < players; i++) {
        Slice errors = turn->players[i].errors;
        size_t before = to->length;
        if (keep[i] || !errors.length)
            continue;
        buffer_varint(to, errors.length); /* only to measure its length */
        size_t width = to->length - before;
        to->length = before;
        buffer_add(to, at, (size_t)(errors.at - at) - width);
        buffer_varint(to, 0);
        at = errors.at + errors.length;
    }
    buffer_add(to, at, (size_t)(turn->record.at + turn->record.length - at));
}

bool replay_redact(Replay *from, const ReplayRedaction *how, ReplayWriter *to, Error *error) {
    uint32_t players = replay_header(from)->players;
    ReplayTurn turn;
    ReplayEnd end;
    ReplayStep step = REPLAY_BROKEN;
    Buffer record = {0};
    bool good = copy_header(replay_header_json(from), how, to, error);
    while (good && (step = replay_next(from, &turn, &end, error)) == REPLAY_TURN) {
        buffer_clear(&record);
        copy_turn(&turn, players, how->errors, &record);
        good = replay_copy_turn(to, (Slice){record.data, record.length}, error);
    }
    buffer_free(&record);
    return good && step == REPLAY_END && copy_end(&end, players, how, to, error);
}
