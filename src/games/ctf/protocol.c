/* The protocol of Capture the flag: what a bot reads and prints; also draws the board and writes it
   as JSON. */
#include "base/paint.h"
#include "games/ctf/ctf.h"

#include <string.h>

/* ---- what a bot reads ---- */

static Slice row_of(const CtfSetup *setup, uint32_t y) {
    return (Slice){setup->tiles + (size_t)y * setup->width, setup->width};
}

static void write_square(Buffer *to, CtfSquare at) {
    buffer_char(to, ' ');
    buffer_uint(to, at.x);
    buffer_char(to, ' ');
    buffer_uint(to, at.y);
}

static void write_flag(Buffer *to, const char *word, const CtfFlag *flag) {
    buffer_text(to, word);
    write_square(to, flag->at);
    buffer_char(to, '\n');
}

/* Writes the soldiers of a team by name. A soldier can only carry the flag of the other team. */
static void write_soldiers(Buffer *to, const CtfSetup *setup, const CtfState *state, uint32_t team,
                           bool own) {
    uint32_t first = ctf_first(setup, team);
    for (uint32_t number = first; number < first + setup->rules.soldiers; number++) {
        const CtfSoldier *soldier = &state->soldier[number];
        buffer_text(to, own ? "Soldier " : "Enemy ");
        buffer_char(to, ctf_name(setup, number));
        write_square(to, soldier->at);
        if (own) {
            buffer_char(to, ' ');
            buffer_uint(to, soldier->cooldown);
        }
        buffer_text(to, soldier->alive ? " True " : " False ");
        if (state->flag[1 - team].carrier == number)
            buffer_char(to, ctf_letter(1 - team));
        else
            buffer_text(to, "No");
        buffer_char(to, '\n');
    }
}

/* Grenades that are due are not shown: they explode before the orders that answer this view. */
static void write_grenades(Buffer *to, const CtfSetup *setup, const CtfState *state,
                           uint32_t team) {
    for (uint32_t i = 0; i < state->grenade_count; i++) {
        const CtfGrenade *grenade = &state->grenade[i];
        if (ctf_team(setup, grenade->thrower) != team || grenade->due <= state->head.turn)
            continue;
        buffer_text(to, "Grenade");
        write_square(to, grenade->at);
        buffer_char(to, ' ');
        buffer_uint(to, grenade->due - state->head.turn);
        buffer_char(to, '\n');
    }
}

static void write_start(Buffer *to, const CtfSetup *setup, uint32_t team) {
    buffer_char(to, ctf_letter(team));
    buffer_char(to, '\n');
    for (uint32_t y = 0; y < setup->height; y++) {
        buffer_add(to, row_of(setup, y).at, setup->width);
        buffer_char(to, '\n');
    }
    buffer_char(to, '\n');
}

static void view(const GameSetup *head, const GameState *state_head, uint32_t team, Buffer *to) {
    const CtfSetup *setup = (const CtfSetup *)head;
    const CtfState *state = (const CtfState *)state_head;
    if (state_head->turn == 0)
        write_start(to, setup, team);
    buffer_int(to, state->points[team]);
    buffer_char(to, ' ');
    buffer_int(to, state->points[1 - team]);
    buffer_char(to, '\n');
    write_flag(to, "Flag", &state->flag[team]);
    write_soldiers(to, setup, state, team, true);
    write_grenades(to, setup, state, team);
    write_flag(to, "EnemyFlag", &state->flag[1 - team]);
    write_soldiers(to, setup, state, 1 - team, false);
    buffer_char(to, '\n');
}

static bool is_active(const GameSetup *setup, const GameState *state, uint32_t player) {
    (void)setup;
    (void)player;
    return !state->over;
}

/* ---- what a bot prints ---- */

/* Reads a whole number of any size and clamps it to 32 bits: such a square is off the map anyway.
   False if it is not a number. */
static bool read_number(Slice text, int32_t *value) {
    bool negative = text.length && *text.at == '-';
    if (text.length == (size_t)negative)
        return false;
    for (size_t i = negative; i < text.length; i++)
        if (text.at[i] < '0' || text.at[i] > '9')
            return false;
    int64_t whole = negative ? INT32_MIN : INT32_MAX;
    slice_int(text, &whole);
    *value = (int32_t)(whole < INT32_MIN ? INT32_MIN : whole > INT32_MAX ? INT32_MAX : whole);
    return true;
}

/* `(x,y)`, without blanks inside. */
static bool read_target(Slice text, CtfOrder *order) {
    if (text.length < 2 || text.at[0] != '(' || text.at[text.length - 1] != ')')
        return false;
    const char *comma = memchr(text.at, ',', text.length);
    if (!comma)
        return false;
    const char *end = text.at + text.length - 1;
    order->throws = 1;
    return read_number((Slice){text.at + 1, (size_t)(comma - text.at) - 1}, &order->x) &&
           read_number((Slice){comma + 1, (size_t)(end - comma) - 1}, &order->y);
}

/* The number of the team's soldier of that name, or CTF_NOBODY. */
static uint32_t find_soldier(const CtfSetup *setup, uint32_t team, Slice name) {
    uint32_t first = ctf_first(setup, team);
    for (uint32_t number = first; number < first + setup->rules.soldiers; number++)
        if (name.length == 1 && *name.at == ctf_name(setup, number))
            return number;
    return CTF_NOBODY;
}

static CtfMove find_move(Slice letter) {
    for (uint32_t move = CTF_STAY; move < CTF_MOVES; move++)
        if (letter.length == 1 && *letter.at == ctf_move_letters[move])
            return (CtfMove)move;
    return CTF_NO_ORDER;
}

/* One line: `<soldier> <direction> [(<x>,<y>)]`. */
static bool read_order(const CtfSetup *setup, uint32_t team, uint32_t line, Slice text,
                       CtfOrders *orders, Error *error) {
    Slice rest = text;
    Slice name;
    Slice letter;
    Slice word;
    if (!slice_word(&rest, &name))
        return error_set(error, "line %u contains only blanks; an answer ends with an empty line",
                         line);
    uint32_t soldier = find_soldier(setup, team, name);
    if (soldier == CTF_NOBODY) {
        char yours[2 * CTF_TEAM_MAX + 1] = "";
        size_t used = 0;
        for (uint32_t i = 0; i < setup->rules.soldiers; i++) {
            yours[used++] = ' ';
            yours[used++] = ctf_name(setup, ctf_first(setup, team) + i);
        }
        return error_set(error, "line %u: \"%.*s\" is not one of your soldiers; you have%s", line,
                         SLICE_ARGS(name), yours);
    }
    CtfOrder *order = &orders->order[soldier];
    if (order->move != CTF_NO_ORDER)
        return error_set(error, "line %u: %c already has an order", line, *name.at);
    if (!slice_word(&rest, &letter))
        return error_set(error, "line %u: %c has no direction; use U, D, L, R or S", line,
                         *name.at);
    order->move = (uint8_t)find_move(letter);
    if (order->move == CTF_NO_ORDER)
        return error_set(error, "line %u: \"%.*s\" is not a direction; use U, D, L, R or S", line,
                         SLICE_ARGS(letter));
    if (slice_word(&rest, &word) && !read_target(word, order))
        return error_set(error, "line %u: \"%.*s\" is not a square; write it as (3,4)", line,
                         SLICE_ARGS(word));
    if (slice_word(&rest, &word))
        return error_set(error,
                         "line %u: \"%.*s\" is one word too many; expected the end of the line",
                         line, SLICE_ARGS(word));
    orders->head.count++;
    return true;
}

static bool read(const GameSetup *head, const GameState *state, uint32_t team, Slice answer,
                 GameOrders *orders_head, Notes *notes, Error *error) {
    const CtfSetup *setup = (const CtfSetup *)head;
    CtfOrders *orders = (CtfOrders *)orders_head;
    (void)state;
    (void)notes; /* the rules decide whether an order is allowed, when it is carried out */
    memset(orders, 0, sizeof *orders);
    orders->head.kind = ORDERS_GIVEN;
    uint32_t line = 1;
    Slice text;
    for (; slice_line(&answer, &text) && text.length; line++)
        if (!read_order(setup, team, line, text, orders, error))
            return false;
    if (answer.length)
        return error_set(error, "line %u is empty and ends the answer, but more lines follow",
                         line);
    return true;
}

/* ---- drawing ---- */

/* Draws the most important thing on a square: in this order, a soldier, a flag, a dead soldier, a
   grenade, the map. */
static void draw_square(const CtfSetup *setup, const CtfState *state, CtfSquare at, bool colour,
                        Buffer *to) {
    uint32_t count = 2 * setup->rules.soldiers;
    uint32_t dead = CTF_NOBODY;
    for (uint32_t number = 0; number < count; number++) {
        const CtfSoldier *soldier = &state->soldier[number];
        if (soldier->at.x != at.x || soldier->at.y != at.y)
            continue;
        if (soldier->alive) {
            paint_char(to, colour, (int)ctf_team(setup, number), ctf_name(setup, number));
            return;
        }
        dead = number;
    }
    for (uint32_t team = 0; team < 2; team++)
        if (state->flag[team].at.x == at.x && state->flag[team].at.y == at.y) {
            paint_char(to, colour, (int)team, team == 0 ? 'a' : 'b');
            return;
        }
    if (dead != CTF_NOBODY) {
        paint_char(to, colour, PAINT_DEAD, '_');
        return;
    }
    for (uint32_t i = 0; i < state->grenade_count; i++)
        if (state->grenade[i].at.x == at.x && state->grenade[i].at.y == at.y) {
            paint_char(to, colour, PAINT_BRIGHT,
                       (char)('0' + state->grenade[i].due - state->head.turn));
            return;
        }
    char tile = ctf_tile(setup, at);
    switch (tile) {
    case 'A':
    case 'B':
        paint_char(to, colour, tile - 'A', '+');
        break;
    case 'a':
    case 'b':
        paint_char(to, colour, tile - 'a', '-');
        break;
    default:
        paint_char(to, colour, PAINT_DIM, tile);
    }
}

static void draw(const GameSetup *head, const GameState *state_head, bool colour, Buffer *to) {
    const CtfSetup *setup = (const CtfSetup *)head;
    const CtfState *state = (const CtfState *)state_head;
    for (uint32_t y = 0; y < setup->height; y++)
        for (uint32_t x = 0; x < setup->width; x++) {
            draw_square(setup, state, (CtfSquare){(uint8_t)x, (uint8_t)y}, colour, to);
            buffer_char(to, x + 1 < setup->width ? ' ' : '\n');
        }
    for (uint32_t team = 0; team < 2; team++) {
        paint_char(to, colour, (int)team, ctf_letter(team));
        buffer_format(to, ": %lld %s;", (long long)state->points[team],
                      state->points[team] == 1 ? "point" : "points");
        for (uint32_t i = 0; i < setup->rules.soldiers; i++) {
            uint32_t number = ctf_first(setup, team) + i;
            const CtfSoldier *soldier = &state->soldier[number];
            buffer_format(to, "%s %c", i ? "," : "", ctf_name(setup, number));
            if (!soldier->alive)
                buffer_text(to, " is dead");
            else if (state->flag[1 - team].carrier == number)
                buffer_text(to, " has the flag");
            else if (soldier->cooldown)
                buffer_format(to, " cools down (%u)", soldier->cooldown);
            else
                buffer_text(to, " is ready");
        }
        buffer_char(to, '\n');
    }
}

/* ---- as JSON ---- */

static void json_letter(JsonOut *out, const char *key, char letter) {
    json_out_text(out, key, (char[2]){letter, '\0'});
}

static void json_square(JsonOut *out, CtfSquare at) {
    json_out_uint(out, "x", at.x);
    json_out_uint(out, "y", at.y);
}

static void json_flag(JsonOut *out, const CtfSetup *setup, const CtfState *state, uint32_t team) {
    json_open(out, NULL, '{');
    json_letter(out, "team", ctf_letter(team));
    json_square(out, state->flag[team].at);
    if (state->flag[team].carrier == CTF_NOBODY)
        json_out_null(out, "carrier");
    else
        json_letter(out, "carrier", ctf_name(setup, state->flag[team].carrier));
    json_close(out, '}');
}

static void json_soldier(JsonOut *out, const CtfSetup *setup, const CtfState *state,
                         uint32_t number) {
    const CtfSoldier *soldier = &state->soldier[number];
    json_open(out, NULL, '{');
    json_letter(out, "name", ctf_name(setup, number));
    json_letter(out, "team", ctf_letter(ctf_team(setup, number)));
    json_square(out, soldier->at);
    json_out_uint(out, "cooldown", soldier->cooldown);
    json_out_bool(out, "alive", soldier->alive);
    json_close(out, '}');
}

static void json_grenade(JsonOut *out, const CtfSetup *setup, const CtfState *state,
                         const CtfGrenade *grenade) {
    json_open(out, NULL, '{');
    json_letter(out, "team", ctf_letter(ctf_team(setup, grenade->thrower)));
    json_letter(out, "thrower", ctf_name(setup, grenade->thrower));
    json_square(out, grenade->at);
    json_out_uint(out, "countdown", grenade->due - state->head.turn);
    json_close(out, '}');
}

static void state_json(const GameSetup *head, const GameState *state_head, Buffer *to) {
    const CtfSetup *setup = (const CtfSetup *)head;
    const CtfState *state = (const CtfState *)state_head;
    JsonOut out = {.to = to};
    json_open(&out, NULL, '{');
    json_out_uint(&out, "round", state->head.turn);
    json_out_uint(&out, "rounds", setup->rules.rounds);
    json_open(&out, "map", '[');
    for (uint32_t y = 0; y < setup->height; y++)
        json_out_string(&out, NULL, row_of(setup, y));
    json_close(&out, ']');
    json_open(&out, "points", '[');
    json_out_int(&out, NULL, state->points[0]);
    json_out_int(&out, NULL, state->points[1]);
    json_close(&out, ']');
    json_open(&out, "flags", '[');
    for (uint32_t team = 0; team < 2; team++)
        json_flag(&out, setup, state, team);
    json_close(&out, ']');
    json_open(&out, "soldiers", '[');
    for (uint32_t number = 0; number < 2 * setup->rules.soldiers; number++)
        json_soldier(&out, setup, state, number);
    json_close(&out, ']');
    json_open(&out, "grenades", '[');
    for (uint32_t i = 0; i < state->grenade_count; i++)
        json_grenade(&out, setup, state, &state->grenade[i]);
    json_close(&out, ']');
    json_close(&out, '}');
}

static void orders_json(const GameSetup *head, const GameOrders *orders_head, Buffer *to) {
    const CtfSetup *setup = (const CtfSetup *)head;
    const CtfOrders *orders = (const CtfOrders *)orders_head;
    JsonOut out = {.to = to};
    json_open(&out, NULL, '[');
    for (uint32_t number = 0; number < 2 * setup->rules.soldiers; number++) {
        const CtfOrder *order = &orders->order[number];
        if (orders->head.kind != ORDERS_GIVEN || order->move == CTF_NO_ORDER ||
            order->move >= CTF_MOVES)
            continue;
        json_open(&out, NULL, '{');
        json_letter(&out, "soldier", ctf_name(setup, number));
        json_letter(&out, "move", ctf_move_letters[order->move]);
        if (order->throws) {
            json_open(&out, "throw", '{');
            json_out_int(&out, "x", order->x);
            json_out_int(&out, "y", order->y);
            json_close(&out, '}');
        }
        json_close(&out, '}');
    }
    json_close(&out, ']');
}

static const GameOption options[] = {
    {"nRounds", "100", "rounds in a match, 1 to 100000"},
    {"nSoldiers", "3", "soldiers in a team, 1 to 7"},
    {"pointsKill", "1", "points for each enemy killed, -1000000 to 1000000"},
    {"pointsCapture", "100", "points for bringing the enemy's flag home, -1000000 to 1000000"},
    {"grenadeRange", "10", "how far a grenade can be thrown, 0 to 1000"},
    {"grenadeCooldown", "8", "rounds between two throws of a soldier, 0 to 10000"},
    {0},
};

static const char command_help[] =
    "Play Capture the flag with its original command line.\n"
    "\n"
    "Usage: skirmish ctf CONFIG CMD_A CMD_B\n"
    "\n"
    "CONFIG is a file with a line of rules and the map; CMD_A and CMD_B are the shell\n"
    "commands of the two brains. `skirmish play ctf` plays the same game with more options.\n"
    "\n"
    "Standard output is a log of events. Its last line is the score, such as\n"
    "\n"
    "  Final score: A 0 - B 101\n"
    "\n"
    "or \"A failed\" or \"B failed\" when a brain exited early, printed a malformed answer or\n"
    "timed out (both lines, A first, when both failed in the same round). Standard error\n"
    "has what the brains write there, each line prefixed with \"A: \" or \"B: \".\n"
    "\n"
    "Exit status: 0 match played, 1 internal failure, 2 invalid usage, file or command,\n"
    "130 interrupted.\n"
    "\n"
    "Examples\n"
    "  skirmish ctf my.config \"python3 a.py\" \"python3 b.py\"\n";

const Game game_ctf = {
    .name = "ctf",
    .title = "Capture the flag",
    .summary = "Two teams of soldiers carry the enemy's flag home and throw grenades at each "
               "other; the higher score wins.",
    .players_min = 2,
    .players_max = 2,
    .command_help = command_help,
    .talk =
        {
            .framing = FRAMING_BLANK_LINE,
            .answer_limit = 1 << 20,
            .turn_ms = 1000,
            .start_ms = 5000,
            .greeting = "",
            .on_timeout = FAILURE_FORFEITS,
            .on_exit = FAILURE_FORFEITS,
            .on_malformed = FAILURE_FORFEITS,
        },
    .maps = ctf_maps,
    .options = options,
    .largest = ctf_largest,
    .setup = ctf_setup,
    .setup_free = ctf_setup_free,
    .init = ctf_init,
    .step = ctf_step,
    .result = ctf_result,
    .is_active = is_active,
    .view = view,
    .read = read,
    .draw = draw,
    .state_json = state_json,
    .orders_json = orders_json,
};
