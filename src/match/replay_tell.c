/* What is told of replays to people and programs: a turn as JSON, a player's standard error, a copy
   without standard error. */
#include "match/replay.h"

#include <inttypes.h>
#include <stdio.h>

/* ---- a turn as JSON ---- */

static void out_ms(JsonOut *out, const char *key, int64_t nanoseconds) {
    char text[48];
    snprintf(text, sizeof text, "%" PRId64 ".%06" PRId64, nanoseconds / 1000000,
             nanoseconds % 1000000);
    json_out_raw(out, key, slice_of(text));
}

static void out_reasons(JsonOut *out, const Notes *notes, uint32_t player) {
    uint32_t kept = 0;
    uint32_t whose = 0;
    Slice text;
    json_open(out, "reasons", '[');
    for (uint32_t at = 0; notes_next_refusal(notes, &at, &whose, &text);)
        if (whose == player) {
            json_out_string(out, NULL, text);
            kept++;
        }
    if (kept < notes->refused[player]) {
        char more[80];
        snprintf(more, sizeof more, "(and %u more, whose reasons were not kept)",
                 notes->refused[player] - kept);
        json_out_text(out, NULL, more);
    }
    json_close(out, ']');
}

/* A value that the game writes itself: where it stands is known only now. */
static void out_key(JsonOut *out, const char *key) {
    json_out_raw(out, key, (Slice){"", 0});
}

static void out_player(JsonOut *out, const Board *board, const char *name, uint32_t player,
                       const PlayerTurn *turn, bool errors) {
    json_open(out, NULL, '{');
    json_out_text(out, "name", name);
    json_out_text(out, "kind", answer_kind_name(turn->kind));
    json_out_string(out, "answer", turn->answer);
    out_key(out, "orders");
    board->game->orders_json(board->setup, board->orders[player], out->to);
    json_out_uint(out, "refused", board->notes->refused[player]);
    out_reasons(out, board->notes, player);
    if (errors)
        json_out_string(out, "stderr", turn->errors);
    out_ms(out, "wall_ms", turn->wall);
    out_ms(out, "cpu_ms", turn->cpu);
    json_out_uint(out, "late", turn->late);
    out_ms(out, "grace_ms", turn->grace);
    json_close(out, '}');
}

void replay_turn_json(const Board *board, const char *const *names, const PlayerTurn *turns,
                      bool errors, Buffer *to) {
    JsonOut out = {.to = to};
    char digest[20];
    snprintf(digest, sizeof digest, "%016" PRIx64, game_digest(board->state));
    json_open(&out, NULL, '{');
    json_out_uint(&out, "turn", board->state->turn);
    out_key(&out, "state");
    board->game->state_json(board->setup, board->state, to);
    json_open(&out, "players", '[');
    for (uint32_t i = 0; i < board->players; i++)
        out_player(&out, board, names[i], i, &turns[i], errors);
    json_close(&out, ']');
    json_open(&out, "events", '[');
    Slice rest = {board->notes->events, board->notes->events_length};
    for (Slice event; slice_line(&rest, &event);)
        json_out_string(&out, NULL, event);
    json_close(&out, ']');
    json_out_text(&out, "digest", digest);
    json_close(&out, '}');
}

/* ---- standard error ---- */

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

/* The end as it was, but for the last words: they are its last member. */
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

/* The record of a turn, with nothing in the place of what is not kept. Before each text stands its
   length. */
static void copy_turn(const ReplayTurn *turn, uint32_t players, const bool *keep, Buffer *to) {
    const char *at = turn->record.at;
    for (uint32_t i = 0; i < players; i++) {
        Slice errors = turn->players[i].errors;
        size_t before = to->length;
        if (keep[i] || !errors.length)
            continue;
        buffer_varint(to, errors.length); /* only to see how many bytes that takes */
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
