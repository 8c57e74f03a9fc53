/* The protocol of Aliens: what a bot reads and prints; also draws the board and writes it as
   JSON. */
#include "base/paint.h"
#include "games/aliens/aliens.h"

#include <string.h>

/* The view is written with pieces of constant text instead of a JsonOut, since it is written twice
   in every turn. */
static void write_player(const AliensSetup *setup, const AliensState *state, int player,
                         Buffer *to) {
    buffer_text(to, "{\"food\":");
    buffer_uint(to, state->energy[player]);
    buffer_text(to, ",\"spawn\":");
    buffer_uint(to, setup->spawn[player]);
    if (state->razed[player])
        buffer_text(to, ",\"spawnDisabled\":true");
    buffer_char(to, '}');
}

static void state_json(const GameSetup *head, const GameState *state_head, Buffer *to) {
    const AliensSetup *setup = (const AliensSetup *)head;
    const AliensState *state = (const AliensState *)state_head;
    buffer_text(to, "{\"rows\":");
    buffer_uint(to, setup->rows);
    buffer_text(to, ",\"cols\":");
    buffer_uint(to, setup->cols);
    buffer_text(to, ",\"p1\":");
    write_player(setup, state, 0, to);
    buffer_text(to, ",\"p2\":");
    write_player(setup, state, 1, to);
    buffer_text(to, ",\"grid\":\"");
    buffer_add(to, state->grid, setup->cells); /* no letter of it needs an escape */
    buffer_text(to, "\",\"maxTurns\":");
    buffer_uint(to, head->turns_max);
    buffer_text(to, ",\"turnsElapsed\":");
    buffer_uint(to, state_head->turn);
    buffer_char(to, '}');
}

static void view(const GameSetup *setup, const GameState *state, uint32_t player, Buffer *to) {
    buffer_text(to, "{\"player\":\"");
    buffer_char(to, (char)(ALIENS_UNIT + player));
    buffer_text(to, "\",\"state\":");
    state_json(setup, state, to);
    buffer_text(to, "}\n");
}

static bool is_active(const GameSetup *setup, const GameState *state, uint32_t player) {
    (void)setup;
    (void)player;
    return !state->over;
}

/* The direction from one square to another; ALIENS_NO_MOVE if they are neither equal nor
   adjacent. */
static AliensMove direction(const AliensSetup *setup, uint32_t from, int64_t to) {
    for (unsigned move = ALIENS_STAY; move <= ALIENS_RIGHT; move++) {
        uint32_t target = aliens_target(setup, from, (uint8_t)move);
        if (target < setup->cells && target == to)
            return (AliensMove)move;
    }
    return ALIENS_NO_MOVE;
}

/* Handles one well-formed move of the answer: adds it to the orders, or rejects it with a
   reason. */
static void take_move(const AliensSetup *setup, const AliensState *state, uint32_t player,
                      Slice from_text, Slice to_text, const int64_t *from, const int64_t *to,
                      AliensOrders *orders, Notes *notes) {
    AliensMove move = ALIENS_NO_MOVE;
    const char *reason = NULL;
    if (!from || !to)
        reason = "is not between whole numbers";
    else if (*from < 0 || *from >= setup->cells || *to < 0 || *to >= setup->cells)
        reason = "is off the grid";
    else if (state->grid[*from] != (char)(ALIENS_UNIT + player))
        reason = "does not start at one of your units";
    else if ((move = direction(setup, (uint32_t)*from, *to)) == ALIENS_NO_MOVE)
        reason = "is not to an adjacent square";
    else if (orders->move[*from] != ALIENS_NO_MOVE)
        reason = "is a second move for that unit";
    if (reason) {
        notes_refuse(notes, player, "move from %.*s to %.*s %s", SLICE_ARGS(from_text),
                     SLICE_ARGS(to_text), reason);
        return;
    }
    orders->move[*from] = (uint8_t)move;
    orders->head.count++;
}

static bool read(const GameSetup *head, const GameState *state, uint32_t player, Slice answer,
                 GameOrders *orders_head, Notes *notes, Error *error) {
    /* Reused in every turn, so that parsing usually allocates nothing. */
    static _Thread_local Json json = {.lenient = true, .repeats = true};
    const AliensSetup *setup = (const AliensSetup *)head;
    AliensOrders *orders = (AliensOrders *)orders_head;
    memset(orders, 0, head->orders_size);
    orders->head.kind = ORDERS_GIVEN;
    json_keep_for_thread(&json);
    if (!json_parse(&json, answer, error))
        return error_prefix(error, "the answer is not valid JSON");
    if (json.nodes[0].kind != JSON_ARRAY)
        return error_set(error, "the answer must be an array of moves, not %s",
                         json_kind_name(&json, 0));
    uint32_t index = 0;
    for (uint32_t node = 1; node < json.nodes[0].next; node = json.nodes[node].next, index++) {
        if (json.nodes[node].kind != JSON_OBJECT)
            return error_set(error, "move %u must be an object with \"from\" and \"to\", not %s",
                             index, json_kind_name(&json, node));
        uint32_t from = json_member(&json, node, "from");
        uint32_t to = json_member(&json, node, "to");
        if (from == JSON_NONE || to == JSON_NONE)
            return error_set(error, "move %u has no \"%s\"", index,
                             from == JSON_NONE ? "from" : "to");
        if (json.nodes[from].kind != JSON_NUMBER || json.nodes[to].kind != JSON_NUMBER)
            return error_set(error, "move %u: \"from\" and \"to\" must be numbers", index);
        int64_t from_value = 0;
        int64_t to_value = 0;
        bool from_whole = json_whole(&json, from, &from_value);
        bool to_whole = json_whole(&json, to, &to_value);
        take_move(setup, (const AliensState *)state, player, json.nodes[from].text,
                  json.nodes[to].text, from_whole ? &from_value : NULL, to_whole ? &to_value : NULL,
                  orders, notes);
    }
    return true;
}

static void draw(const GameSetup *head, const GameState *state_head, bool colour, Buffer *to) {
    const AliensSetup *setup = (const AliensSetup *)head;
    const AliensState *state = (const AliensState *)state_head;
    for (uint32_t square = 0; square < setup->cells; square++) {
        char c = state->grid[square];
        int paint = c == 'a'             ? 0
                    : c == 'b'           ? 1
                    : c == ALIENS_DEAD   ? PAINT_DEAD
                    : c == ALIENS_ENERGY ? PAINT_BRIGHT
                                         : PAINT_DIM;
        if (c == ALIENS_EMPTY && (square == setup->spawn[0] || square == setup->spawn[1])) {
            int owner = square == setup->spawn[1];
            c = state->razed[owner] ? '-' : '+';
            paint = owner;
        }
        paint_char(to, colour, paint, c);
        buffer_char(to, (square + 1) % setup->cols ? ' ' : '\n');
    }
    for (int player = 0; player < 2; player++) {
        uint32_t units = 0;
        for (uint32_t square = 0; square < setup->cells; square++)
            units += state->grid[square] == ALIENS_UNIT + player;
        paint_char(to, colour, player, (char)(ALIENS_UNIT + player));
        buffer_format(to, ": %u %s, energy %u%s\n", units, units == 1 ? "unit" : "units",
                      state->energy[player], state->razed[player] ? ", spawn razed" : "");
    }
}

static void orders_json(const GameSetup *head, const GameOrders *head_orders, Buffer *to) {
    const AliensSetup *setup = (const AliensSetup *)head;
    const AliensOrders *orders = (const AliensOrders *)head_orders;
    JsonOut out = {.to = to};
    json_open(&out, NULL, '[');
    for (uint32_t from = 0; from < setup->cells && orders->head.kind == ORDERS_GIVEN; from++) {
        uint32_t target = aliens_target(setup, from, orders->move[from]);
        if (target == setup->cells)
            continue;
        json_open(&out, NULL, '{');
        json_out_uint(&out, "from", from);
        json_out_uint(&out, "to", target);
        json_close(&out, '}');
    }
    json_close(&out, ']');
}

static const GameOption options[] = {
    {"rows", "20", "rows of the grid, 4 to 100"},
    {"cols", "20", "columns of the grid, 4 to 100"},
    {"maxTurns", "100", "turns until the match is a draw"},
    {"energyInterval", "3", "turns between two drops of energy"},
    {0},
};

const Game game_aliens = {
    .name = "aliens",
    .title = "Aliens",
    .summary =
        "Units fight where they meet and multiply by gathering energy; lose them all and you lose.",
    .players_min = 2,
    .players_max = 2,
    .talk =
        {
            .framing = FRAMING_JSON_ARRAY,
            .answer_limit = 1 << 20,
            .turn_ms = 2000,
            .start_ms = 5000,
            .greeting = "",
            .on_timeout = FAILURE_FORFEITS,
            .on_exit = FAILURE_FORFEITS,
            .on_malformed = FAILURE_FORFEITS,
        },
    .maps = aliens_maps,
    .options = options,
    .largest = aliens_largest,
    .setup = aliens_setup,
    .setup_free = aliens_setup_free,
    .init = aliens_init,
    .step = aliens_step,
    .result = aliens_result,
    .is_active = is_active,
    .view = view,
    .read = read,
    .draw = draw,
    .state_json = state_json,
    .orders_json = orders_json,
};
