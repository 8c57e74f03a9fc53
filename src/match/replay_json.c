/* A turn of a replay or of a live match as JSON. */
#include "match/replay.h"

#include <inttypes.h>
#include <stdio.h>

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
        snprintf(more, sizeof more, "(and %u more)", notes->refused[player] - kept);
        json_out_text(out, NULL, more);
    }
    json_close(out, ']');
}

/* Begins a member whose value the game appends itself. */
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
    json_out_ms(out, "wall_ms", turn->wall, 6);
    json_out_ms(out, "cpu_ms", turn->cpu, 6);
    json_out_uint(out, "late", turn->late);
    json_out_ms(out, "grace_ms", turn->grace, 6);
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
