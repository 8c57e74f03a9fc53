/* What a Gems bot reads and answers, and how the board is shown. */
#include "base/paint.h"
#include "games/gems/gems.h"

#include <string.h>

static const char *const move_names[GEMS_MOVE_COUNT] = {"stay", "up", "down", "left", "right"};

/* The members that the view and the exported state share. */
static void write_state(JsonOut *out, const GemsSetup *setup, const GemsState *state) {
    json_out_uint(out, "turn", state->head.turn);
    json_out_uint(out, "maxTurns", setup->head.turns_max);
    json_open(out, "players", '[');
    for (uint32_t i = 0; i < setup->head.players; i++) {
        const GemsPlayer *player = &state->player[i];
        json_open(out, NULL, '{');
        json_out_uint(out, "row", player->row);
        json_out_uint(out, "col", player->col);
        json_out_uint(out, "points", player->points);
        json_out_bool(out, "playing", !player->out);
        json_close(out, '}');
    }
    json_close(out, ']');
    json_open(out, "grid", '[');
    for (uint32_t row = 0; row < setup->rows; row++) {
        char text[GEMS_SIDE_MAX];
        for (uint32_t col = 0; col < setup->cols; col++) {
            uint8_t gem = state->gem[row * setup->cols + col];
            text[col] = gem ? (char)('0' + gem) : '.';
        }
        json_out_string(out, NULL, (Slice){text, setup->cols});
    }
    json_close(out, ']');
}

static bool is_active(const GameSetup *setup, const GameState *state, uint32_t player) {
    (void)setup;
    return !state->over && !((const GemsState *)state)->player[player].out;
}

static void view(const GameSetup *setup, const GameState *state, uint32_t player, Buffer *to) {
    JsonOut out = {.to = to};
    json_open(&out, NULL, '{');
    json_out_uint(&out, "you", player);
    write_state(&out, (const GemsSetup *)setup, (const GemsState *)state);
    json_close(&out, '}');
    buffer_char(to, '\n');
}

static bool read(const GameSetup *setup, const GameState *state, uint32_t player, Slice answer,
                 GameOrders *head, Notes *notes, Error *error) {
    GemsOrders *orders = (GemsOrders *)head;
    Slice word = slice_trim(answer);
    (void)state;
    (void)player;
    (void)notes;
    memset(orders, 0, setup->orders_size);
    for (uint32_t move = 0; move < GEMS_MOVE_COUNT; move++)
        if (slice_equals(word, move_names[move])) {
            orders->head = (GameOrders){.kind = ORDERS_GIVEN, .count = 1};
            orders->move = move;
            return true;
        }
    return error_set(error, "unknown move \"%.*s\"; use up, down, left, right or stay",
                     SLICE_ARGS(word));
}

/* Draws a square: the first player who stands there, or else the gem. */
static void draw_square(const GemsSetup *setup, const GemsState *state, uint32_t row, uint32_t col,
                        bool colour, Buffer *to) {
    for (uint32_t i = 0; i < setup->head.players; i++) {
        const GemsPlayer *player = &state->player[i];
        if (!player->out && player->row == row && player->col == col) {
            paint_char(to, colour, (int)i, (char)('a' + i));
            return;
        }
    }
    uint8_t gem = state->gem[row * setup->cols + col];
    paint_char(to, colour, gem ? PAINT_BRIGHT : PAINT_DIM, gem ? (char)('0' + gem) : '.');
}

static void draw(const GameSetup *head, const GameState *state_head, bool colour, Buffer *to) {
    const GemsSetup *setup = (const GemsSetup *)head;
    const GemsState *state = (const GemsState *)state_head;
    for (uint32_t row = 0; row < setup->rows; row++)
        for (uint32_t col = 0; col < setup->cols; col++) {
            draw_square(setup, state, row, col, colour, to);
            buffer_char(to, col + 1 < setup->cols ? ' ' : '\n');
        }
    for (uint32_t i = 0; i < head->players; i++) {
        paint_char(to, colour, (int)i, (char)('a' + i));
        buffer_format(to, ": %u points%s\n", state->player[i].points,
                      state->player[i].out ? ", out" : "");
    }
}

static void state_json(const GameSetup *setup, const GameState *state, Buffer *to) {
    JsonOut out = {.to = to};
    json_open(&out, NULL, '{');
    write_state(&out, (const GemsSetup *)setup, (const GemsState *)state);
    json_close(&out, '}');
}

static void orders_json(const GameSetup *setup, const GameOrders *head, Buffer *to) {
    const GemsOrders *orders = (const GemsOrders *)head;
    (void)setup;
    bool given = orders->head.kind == ORDERS_GIVEN && orders->move < GEMS_MOVE_COUNT;
    json_string(to, slice_of(move_names[given ? orders->move : GEMS_STAY]));
}

static const GameOption options[] = {
    {"rows", "11", "rows of the board, 3 to 30"},
    {"cols", "11", "columns of the board, 3 to 30"},
    {"gems", "5", "gems on the board, 1 to 100"},
    {"maxTurns", "100", "turns in a match, 1 to 10000"},
    {0},
};

const Game game_gems = {
    .name = "gems",
    .title = "Gems",
    .summary = "Race for gems that appear at random; the most points win.",
    .players_min = 2,
    .players_max = GEMS_PLAYERS_MAX,
    .talk =
        {
            .framing = FRAMING_LINE,
            .answer_limit = 1024,
            .turn_ms = 1000,
            .start_ms = 5000,
            .greeting = "",
            .on_timeout = FAILURE_SKIPS,
            .on_exit = FAILURE_FORFEITS,
            .on_malformed = FAILURE_SKIPS,
        },
    .maps = gems_maps,
    .options = options,
    .setup = gems_setup,
    .setup_free = gems_setup_free,
    .init = gems_init,
    .step = gems_step,
    .result = gems_result,
    .is_active = is_active,
    .view = view,
    .read = read,
    .draw = draw,
    .state_json = state_json,
    .orders_json = orders_json,
};
