/* The protocol of Underworld: what a bot reads and prints; also draws the board and writes it as
   JSON. */
#include "base/paint.h"
#include "games/underworld/underworld.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- view ---- */

/* Marks the cells of row `y` that the player sees. Each object it owns sees an interval of the row;
   `change` counts where intervals begin and end. There are at most 40000 objects, so the sums
   fit. */
static void mark_visible(const UnderworldSetup *setup, const UnderworldState *state,
                         uint32_t player, uint32_t y, bool *seen) {
    const UnderworldObject *objects = underworld_objects_const(setup, state);
    int64_t vision = setup->vision;
    int32_t change[UNDERWORLD_SIDE_MAX + 1] = {0};
    for (uint32_t i = 0; i < state->object_count; i++) {
        int64_t away = (int64_t)objects[i].y - y;
        if (objects[i].owner != player || away * away > vision * vision)
            continue;
        int64_t half = 0;
        while ((half + 1) * (half + 1) + away * away <= vision * vision && half < setup->size_x)
            half++;
        int64_t first = objects[i].x - half;
        int64_t behind = objects[i].x + half + 1;
        change[first < 0 ? 0 : first]++;
        change[behind > setup->size_x ? setup->size_x : behind]--;
    }
    int32_t watchers = 0;
    for (uint32_t x = 0; x < setup->size_x; x++)
        seen[x] = (watchers += change[x]) > 0;
}

/* The maximum length of a line about an object: four numbers, a letter, and a byte after each. */
enum { OBJECT_BYTES = 4 * (BUFFER_UINT_MAX + 1) + 2 };

/* Writes into reserved room: this is where a view spends its time. */
static void write_object(const UnderworldObject *objects, const UnderworldCell *cell, uint32_t x,
                         uint32_t y, Buffer *to) {
    static const char wall[] = "-1 # -1";
    char *start = buffer_reserve(to, OBJECT_BYTES);
    char *at = buffer_put_uint(start, x);
    *at++ = ' ';
    at = buffer_put_uint(at, y);
    *at++ = ' ';
    if (cell->kind == UNDERWORLD_WALL) {
        memcpy(at, wall, sizeof wall - 1);
        at += sizeof wall - 1;
    } else {
        at = buffer_put_uint(at, cell->side - 1u);
        *at++ = ' ';
        *at++ = (char)cell->kind;
        *at++ = ' ';
        at = buffer_put_uint(at, (uint32_t)objects[cell->object].hitpoints); /* more than zero */
    }
    *at++ = '\n';
    to->length += (size_t)(at - start);
}

/* The first cell from `x` on that is not free; `size_x` if there is none. Looks at two cells at a
   time, since most are free. */
static uint32_t skip_free(const UnderworldCell *row, uint32_t x, uint32_t size_x) {
    const UnderworldCell kinds[2] = {{.kind = UINT8_MAX}, {.kind = UINT8_MAX}};
    uint64_t mask;
    uint64_t two;
    memcpy(&mask, kinds, sizeof mask);
    for (; x + 2 <= size_x; x += 2) {
        memcpy(&two, row + x, sizeof two);
        if (two & mask)
            break;
    }
    while (x < size_x && row[x].kind == UNDERWORLD_FREE)
        x++;
    return x;
}

static void view(const GameSetup *head, const GameState *state_head, uint32_t player, Buffer *to) {
    const UnderworldSetup *setup = (const UnderworldSetup *)head;
    const UnderworldState *state = (const UnderworldState *)state_head;
    const UnderworldObject *objects = underworld_objects_const(setup, state);
    const UnderworldCell *grid = underworld_grid_const(setup, state);
    if (state_head->turn == 0)
        buffer_format(to, "%u %u %u %u\n", setup->size_x, setup->size_y, head->players, player);
    buffer_text(to, "money ");
    buffer_int(to, state->players[player].money);
    buffer_char(to, '\n');
    bool seen[UNDERWORLD_SIDE_MAX];
    memset(seen, true, sizeof seen);
    for (uint32_t y = 0; y < setup->size_y; y++) {
        if (setup->vision)
            mark_visible(setup, state, player, y, seen);
        const UnderworldCell *row = grid + underworld_cell(setup, 0, y);
        for (uint32_t x = 0; (x = skip_free(row, x, setup->size_x)) < setup->size_x; x++)
            if (seen[x] || row[x].kind == UNDERWORLD_WALL)
                write_object(objects, &row[x], x, y, to);
    }
    buffer_text(to, "end\n");
}

static bool is_active(const GameSetup *setup, const GameState *state, uint32_t player) {
    (void)setup;
    return !state->over && !((const UnderworldState *)state)->players[player].out;
}

static void farewell(const GameSetup *setup, const GameState *state, uint32_t player, Buffer *to) {
    (void)setup;
    (void)state;
    (void)player;
    buffer_text(to, "gg\nend\n");
}

/* ---- answer ---- */

static const char *const command_names[] = {
    [UNDERWORLD_MOVE] = "move",
    [UNDERWORLD_SPAWN] = "spawn",
    [UNDERWORLD_BUILD] = "build",
};

/* Parses one line. Returns NULL if it is a command that the rules can judge, otherwise what is
   wrong with it. */
static const char *read_command(const UnderworldSetup *setup, Slice line, UnderworldOrder *order) {
    Slice word[4];
    uint32_t words = 0;
    while (words < 4 && slice_word(&line, &word[words]))
        words++;
    uint8_t kind = UNDERWORLD_MOVE;
    while (kind <= UNDERWORLD_BUILD && !slice_equals(word[0], command_names[kind]))
        kind++;
    if (kind > UNDERWORLD_BUILD)
        return "unknown command; known: move, spawn, build";
    bool builds = kind == UNDERWORLD_BUILD;
    if (words < 4)
        return builds ? "expected x, y and B or F" : "expected x, y and N, S, E or W";
    int64_t x;
    int64_t y;
    if (!slice_int(word[1], &x) || !slice_int(word[2], &y))
        return "x and y must be whole numbers";
    if (x < 0 || x >= setup->size_x || y < 0 || y >= setup->size_y)
        return "off the board";
    uint8_t what = (uint8_t)*word[3].at;
    bool known = builds ? what == UNDERWORLD_BARRACKS || what == UNDERWORLD_FARM
                        : underworld_is_direction(what);
    if (!known || word[3].length != 1)
        return builds ? "only B (barracks) and F (farm) can be built"
                      : "the direction must be N, S, E or W";
    *order = (UnderworldOrder){kind, what, (uint16_t)x, (uint16_t)y};
    return NULL;
}

static bool read(const GameSetup *head, const GameState *state, uint32_t player, Slice answer,
                 GameOrders *orders_head, Notes *notes, Error *error) {
    const UnderworldSetup *setup = (const UnderworldSetup *)head;
    UnderworldOrders *orders = (UnderworldOrders *)orders_head;
    (void)state;
    orders->head = (GameOrders){.kind = ORDERS_GIVEN};
    uint32_t lines = 0;
    for (Slice line; slice_line(&answer, &line);) {
        if (line.length > UNDERWORLD_LINE_MAX)
            return error_set(error, "line %u has %zu bytes; the limit is %d", lines + 1,
                             line.length, UNDERWORLD_LINE_MAX);
        Slice command = slice_trim(line);
        if (slice_equals(command, "end"))
            break;
        if (++lines > UNDERWORLD_ORDERS_MAX)
            return error_set(error, "more than %d lines in a turn", UNDERWORLD_ORDERS_MAX);
        if (!command.length)
            continue;
        const char *reason = read_command(setup, command, &orders->order[orders->head.count]);
        if (reason)
            notes_refuse(notes, player, "%.*s: %s", SLICE_ARGS(command), reason);
        else
            orders->head.count++;
    }
    return true;
}

/* ---- drawing and JSON ---- */

static void draw(const GameSetup *head, const GameState *state_head, bool colour, Buffer *to) {
    const UnderworldSetup *setup = (const UnderworldSetup *)head;
    const UnderworldState *state = (const UnderworldState *)state_head;
    const UnderworldObject *objects = underworld_objects_const(setup, state);
    const UnderworldCell *grid = underworld_grid_const(setup, state);
    int digits = head->players > 10 ? 2 : 1;
    for (uint32_t y = 0; y < setup->size_y; y++) {
        for (uint32_t x = 0; x < setup->size_x; x++) {
            const UnderworldCell *cell = &grid[underworld_cell(setup, x, y)];
            char text[8] = {cell->kind ? (char)cell->kind : '.', '\0'};
            if (cell->side)
                snprintf(text + 1, sizeof text - 1, "%d", (cell->side - 1) % 100);
            if (x)
                buffer_char(to, ' ');
            int paint = cell->side ? cell->side - 1 : cell->kind ? PAINT_PLAIN : PAINT_DIM;
            paint_text(to, colour, paint, text);
            for (int used = (int)strlen(text); used <= digits && x + 1 < setup->size_x; used++)
                buffer_char(to, ' ');
        }
        buffer_char(to, '\n');
    }
    for (uint32_t player = 0; player < head->players; player++) {
        uint32_t count[256] = {0};
        for (uint32_t i = 0; i < state->object_count; i++)
            count[objects[i].kind] += objects[i].owner == player;
        char name[24];
        snprintf(name, sizeof name, "player %u", player);
        paint_text(to, colour, (int)player, name);
        buffer_format(to, ": money %" PRId64 ", C %u, B %u, F %u, W %u%s\n",
                      state->players[player].money, count[UNDERWORLD_CASTLE],
                      count[UNDERWORLD_BARRACKS], count[UNDERWORLD_FARM], count[UNDERWORLD_WARRIOR],
                      state->players[player].out ? ", out" : "");
    }
}

static void write_object_json(JsonOut *out, uint32_t x, uint32_t y, char kind, int owner,
                              int64_t hitpoints) {
    json_open(out, NULL, '{');
    json_out_uint(out, "x", x);
    json_out_uint(out, "y", y);
    json_out_string(out, "type", (Slice){&kind, 1});
    json_out_int(out, "owner", owner);
    json_out_int(out, "hitpoints", hitpoints);
    json_close(out, '}');
}

static void state_json(const GameSetup *head, const GameState *state_head, Buffer *to) {
    const UnderworldSetup *setup = (const UnderworldSetup *)head;
    const UnderworldState *state = (const UnderworldState *)state_head;
    const UnderworldObject *objects = underworld_objects_const(setup, state);
    const UnderworldCell *grid = underworld_grid_const(setup, state);
    JsonOut out = {.to = to};
    json_open(&out, NULL, '{');
    json_out_uint(&out, "turn", state_head->turn);
    json_out_uint(&out, "maxTurns", head->turns_max);
    json_out_uint(&out, "sizex", setup->size_x);
    json_out_uint(&out, "sizey", setup->size_y);
    json_open(&out, "players", '[');
    for (uint32_t player = 0; player < head->players; player++) {
        json_open(&out, NULL, '{');
        json_out_int(&out, "money", state->players[player].money);
        if (state->players[player].out)
            json_out_uint(&out, "lostInTurn", state->players[player].out - 1);
        else
            json_out_null(&out, "lostInTurn");
        json_close(&out, '}');
    }
    json_close(&out, ']');
    json_open(&out, "objects", '[');
    for (uint32_t y = 0; y < setup->size_y; y++)
        for (uint32_t x = 0; x < setup->size_x; x++) {
            const UnderworldCell *cell = &grid[underworld_cell(setup, x, y)];
            if (cell->kind != UNDERWORLD_FREE)
                write_object_json(&out, x, y, (char)cell->kind, (int)cell->side - 1,
                                  cell->side ? objects[cell->object].hitpoints : -1);
        }
    json_close(&out, ']');
    json_close(&out, '}');
}

static void orders_json(const GameSetup *setup, const GameOrders *head, Buffer *to) {
    const UnderworldOrders *orders = (const UnderworldOrders *)head;
    (void)setup;
    JsonOut out = {.to = to};
    json_open(&out, NULL, '[');
    for (uint32_t i = 0; i < head->count && i < UNDERWORLD_ORDERS_MAX && head->kind == ORDERS_GIVEN;
         i++) {
        const UnderworldOrder *order = &orders->order[i];
        if (order->kind < UNDERWORLD_MOVE || order->kind > UNDERWORLD_BUILD)
            continue;
        char what = (char)order->what;
        json_open(&out, NULL, '{');
        json_out_text(&out, "command", command_names[order->kind]);
        json_out_uint(&out, "x", order->x);
        json_out_uint(&out, "y", order->y);
        json_out_string(&out, order->kind == UNDERWORLD_BUILD ? "obj" : "dir", (Slice){&what, 1});
        json_close(&out, '}');
    }
    json_close(&out, ']');
}

static const GameOption options[] = {
    {"sizex", "10", "columns of the board, 1 to 200"},
    {"sizey", "10", "rows of the board, 1 to 200"},
    {"money", "3000", "money of each player at the start"},
    {"maxTurns", "1000", "turns until the surviving players tie"},
    {"objects", "from the default map", "a list of x, y, type (C, B, F, W or #) and owner"},
    {"players", "none", "a list of name and command: one bot per seat"},
    {"rules.castle", "10000", "hitpoints"},
    {"rules.barracks", "1500, 1500", "hitpoints, cost"},
    {"rules.farm", "1000, 1000, 50", "hitpoints, cost, income"},
    {"rules.warrior", "500, 500, 100, 2", "hitpoints, cost, damage, range"},
    {"rules.vision", "off", "how far a player sees from what it owns"},
    {0},
};

const Game game_underworld = {
    .name = "underworld",
    .title = "Underworld",
    .summary =
        "Farms earn money, barracks train warriors, warriors fight; lose your castle and you lose.",
    .players_min = 2,
    .players_max = GAME_PLAYERS_MAX,
    .talk =
        {
            .framing = FRAMING_END_LINE,
            .answer_limit = 2 << 20,
            .turn_ms = 1000,
            .start_ms = 5000,
            .greeting = "Who are you?\n",
            .hello = "crayfish",
            .on_timeout = FAILURE_FORFEITS,
            .on_exit = FAILURE_FORFEITS,
            .on_malformed = FAILURE_FORFEITS,
            .on_no_hello = FAILURE_FORFEITS,
        },
    .maps = underworld_maps,
    .options = options,
    .largest = underworld_largest,
    .setup = underworld_setup,
    .setup_free = underworld_setup_free,
    .init = underworld_init,
    .absent = underworld_absent,
    .step = underworld_step,
    .result = underworld_result,
    .is_active = is_active,
    .view = view,
    .read = read,
    .farewell = farewell,
    .draw = draw,
    .state_json = state_json,
    .orders_json = orders_json,
};
