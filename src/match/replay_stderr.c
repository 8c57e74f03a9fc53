/* The standard error that a replay holds: extracts one player's, and copies a replay without it. */
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

/* Copies the end except for the last words, which are its last member. */
static bool copy_end(const ReplayEnd *end, uint32_t players, const bool *keep, ReplayWriter *to,
                     Error *error) {
    Json json = {0};
    bool good = json_parse(&json, end->json, error);
    uint32_t words = good ? json_member(&json, 0, "last_words") : JSON_NONE;
    if (good && (words == JSON_NONE || words < 2))
        good = error_set(error, "the replay's end has no last words");
    if (good) {
        Buffer text = {0};
        buffer_add(&text, end->json.at, json.nodes[words - 1].offset);
        JsonOut out = {.to = &text};
        json_open(&out, "last_words", '[');
        for (uint32_t i = 0; i < players; i++)
            json_out_string(&out, NULL, keep[i] ? end->last_words[i] : (Slice){"", 0});
        json_close(&out, ']');
        json_close(&out, '}');
        good = replay_copy_end(to, (Slice){text.data, text.length}, error);
        buffer_free(&text);
    }
    json_free(&json);
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

bool replay_redact(Replay *from, const bool *keep, ReplayWriter *to, Error *error) {
    uint32_t players = replay_header(from)->players;
    ReplayTurn turn;
    ReplayEnd end;
    ReplayStep step = REPLAY_BROKEN;
    Buffer record = {0};
    bool good = replay_copy_header(to, replay_header_json(from), error);
    while (good && (step = replay_next(from, &turn, &end, error)) == REPLAY_TURN) {
        buffer_clear(&record);
        copy_turn(&turn, players, keep, &record);
        good = replay_copy_turn(to, (Slice){record.data, record.length}, error);
    }
    buffer_free(&record);
    return good && step == REPLAY_END && copy_end(&end, players, keep, to, error);
}
