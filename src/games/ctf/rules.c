/* The rules of Capture the flag, in the order of docs/rules/ctf.md. `ctf_step` near the end is the
   list of a round's stages. */
#include "base/memory.h"
#include "games/ctf/ctf.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(CtfSoldier) == 8 && sizeof(CtfGrenade) == 8 && sizeof(CtfFlag) == 4 &&
                   offsetof(CtfState, grenade) == 168 && sizeof(CtfState) == 504,
               "a state has no padding");

/* ---- set-up: the line of rules ---- */

enum { RULE_ROUNDS, RULE_SOLDIERS, RULE_KILL, RULE_CAPTURE, RULE_RANGE, RULE_COOLDOWN, RULES };

static const struct {
    const char *name;
    int64_t low;
    int64_t high;
    int64_t standard;
} rule_fields[RULES] = {
    [RULE_ROUNDS] = {"nRounds", 1, 100000, 100},
    [RULE_SOLDIERS] = {"nSoldiers", 1, CTF_TEAM_MAX, 3},
    [RULE_KILL] = {"pointsKill", -1000000, 1000000, 1},
    [RULE_CAPTURE] = {"pointsCapture", -1000000, 1000000, 100},
    [RULE_RANGE] = {"grenadeRange", 0, 1000, 10},
    [RULE_COOLDOWN] = {"grenadeCooldown", 0, 10000, 8},
};
#define RULE_NAMES "nRounds, nSoldiers, pointsKill, pointsCapture, grenadeRange and grenadeCooldown"

/* The line of rules while it is taken apart. */
typedef struct RuleLine {
    const char *file;
    Slice text;
    Slice token; /* the one at hand; empty at the end of the line */
    Error *error;
} RuleLine;

static bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.';
}

/* Goes on to the next token: a name, a number, or a single sign. */
static void next_token(RuleLine *line) {
    const char *end = line->text.at + line->text.length;
    const char *at = line->token.at + line->token.length;
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    size_t length = 0;
    while (at + length < end && is_word(at[length]))
        length++;
    line->token = (Slice){at, length || at == end ? length : 1};
}

/* Refuses the token at hand: the sentence says what was wanted. */
static bool refuse_token(const RuleLine *line, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static bool refuse_token(const RuleLine *line, const char *format, ...) {
    Error wanted;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(wanted.text, sizeof wanted.text, format, arguments);
    va_end(arguments);
    size_t column = (size_t)(line->token.at - line->text.at) + 1;
    if (!line->token.length)
        return error_set(line->error, "%s:1:%zu: %s, not the end of the line", line->file, column,
                         wanted.text);
    return error_set(line->error, "%s:1:%zu: %s, not \"%.*s\"", line->file, column, wanted.text,
                     SLICE_ARGS(line->token));
}

static bool skip_token(RuleLine *line, const char *text, const char *where) {
    if (!slice_equals(line->token, text))
        return refuse_token(line, "expected \"%s\" %s", text, where);
    next_token(line);
    return true;
}

/* One `name = number`. */
static bool read_rule(RuleLine *line, int64_t *values, bool *given) {
    uint32_t field = 0;
    while (field < RULES && !slice_equals(line->token, rule_fields[field].name))
        field++;
    if (field == RULES)
        return refuse_token(line, "expected one of " RULE_NAMES);
    const char *name = rule_fields[field].name;
    if (given[field])
        return error_set(line->error, "%s:1:%zu: \"%s\" is given a second time", line->file,
                         (size_t)(line->token.at - line->text.at) + 1, name);
    given[field] = true;
    next_token(line);
    if (!skip_token(line, "=", "behind the name of a field"))
        return false;
    int64_t value = 0;
    if (!slice_int(line->token, &value) || value < rule_fields[field].low ||
        value > rule_fields[field].high)
        return refuse_token(line, "\"%s\" must be a whole number from %" PRId64 " to %" PRId64,
                            name, rule_fields[field].low, rule_fields[field].high);
    values[field] = value;
    next_token(line);
    return true;
}

/* `Rules { nRounds = 100, ... }`: every field once, in any order. */
static bool read_rules(const char *file, Slice text, int64_t *values, Error *error) {
    RuleLine line = {.file = file, .text = text, .token = {text.at, 0}, .error = error};
    bool given[RULES] = {false};
    next_token(&line);
    if (!skip_token(&line, "Rules", "at the start of the line of rules") ||
        !skip_token(&line, "{", "behind \"Rules\"") || !read_rule(&line, values, given))
        return false;
    while (slice_equals(line.token, ",")) {
        next_token(&line);
        if (!read_rule(&line, values, given))
            return false;
    }
    if (!slice_equals(line.token, "}"))
        return refuse_token(&line, "expected \",\" or \"}\" behind a field");
    next_token(&line);
    if (line.token.length)
        return refuse_token(&line, "expected the end of the line behind the rules");
    for (uint32_t field = 0; field < RULES; field++)
        if (!given[field])
            return error_set(error, "%s:1: \"%s\" is missing: " RULE_NAMES " are all needed", file,
                             rule_fields[field].name);
    return true;
}

/* ---- set-up: the map ---- */

/* Puts one row of the map into the setup, and remembers where the spawns and bases are. `found` has
   the line of each, 0 while missing. */
static bool read_row(CtfSetup *setup, const char *file, uint32_t line, Slice row, uint32_t *found,
                     Error *error) {
    static const char marks[] = "ABab";
    CtfSquare *const places[] = {&setup->spawn[0], &setup->spawn[1], &setup->base[0],
                                 &setup->base[1]};
    uint32_t y = setup->height;
    if (y == CTF_SIDE_MAX)
        return error_set(error, "%s:%u: a map has at most %d rows", file, line, CTF_SIDE_MAX);
    if (!row.length)
        return error_set(error, "%s:%u: an empty line stands inside the map", file, line);
    if (row.length > CTF_SIDE_MAX)
        return error_set(error, "%s:%u: a row has at most %d squares, not %zu", file, line,
                         CTF_SIDE_MAX, row.length);
    if (y == 0)
        setup->width = (uint32_t)row.length;
    if (row.length != setup->width)
        return error_set(error, "%s:%u: the row has %zu squares; the first row has %u", file, line,
                         row.length, setup->width);
    for (uint32_t x = 0; x < setup->width; x++) {
        char tile = row.at[x];
        setup->tiles[y * setup->width + x] = tile;
        if (tile == '.' || tile == '#')
            continue;
        const char *mark = memchr(marks, tile, sizeof marks - 1);
        if (!mark)
            return error_set(error, "%s:%u:%u: a square is one of . # A B a b, not \"%c\"", file,
                             line, x + 1, tile >= ' ' && tile < 127 ? tile : '?');
        if (found[mark - marks])
            return error_set(error, "%s:%u:%u: a second \"%c\"; the first is in line %u", file,
                             line, x + 1, tile, found[mark - marks]);
        found[mark - marks] = line;
        *places[mark - marks] = (CtfSquare){(uint8_t)x, (uint8_t)y};
    }
    setup->height++;
    return true;
}

static bool read_map(CtfSetup *setup, const char *file, uint32_t first_line, Slice text,
                     Error *error) {
    static const char *const marks[] = {"\"A\", the spawn of team A", "\"B\", the spawn of team B",
                                        "\"a\", the base of team A", "\"b\", the base of team B"};
    uint32_t found[4] = {0};
    uint32_t line = first_line;
    Slice row;
    if (slice_skip(&text, "Rules"))
        return error_set(error,
                         "%s:%u: a map has no line of rules; a file with one is a configuration",
                         file, line);
    for (; slice_line(&text, &row); line++)
        if (!read_row(setup, file, line, row, found, error))
            return false;
    for (uint32_t i = 0; i < 4; i++)
        if (!found[i])
            return error_set(error, "%s: the map has no %s", file, marks[i]);
    return true;
}

/* ---- set-up ---- */

/* Without the line ends behind the last line that is not empty. */
static Slice without_empty_end(Slice text) {
    while (text.length && (text.at[text.length - 1] == '\n' || text.at[text.length - 1] == '\r'))
        text.length--;
    return text;
}

/* Fills the setup from both files. The configuration holds the rules and perhaps the map, which
   else is the other file, which else is the standard map. */
static bool read_files(CtfSetup *setup, const GameFile *config, const GameFile *map, Error *error) {
    int64_t values[RULES];
    for (uint32_t field = 0; field < RULES; field++)
        values[field] = rule_fields[field].standard;
    const char *map_file = map->name ? map->name : ctf_maps[0].name;
    Slice map_text = without_empty_end(map->name ? map->text : slice_of(ctf_maps[0].text));
    uint32_t map_line = 1;
    if (config->name) {
        Slice rest = without_empty_end(config->text);
        Slice line = {"", 0};
        slice_line(&rest, &line);
        if (!read_rules(config->name, line, values, error))
            return false;
        if (rest.length && map->name)
            return error_set(error, "%s:2: the map is also set in %s; remove one of them",
                             config->name, map->name);
        if (rest.length) {
            map_file = config->name;
            map_text = rest;
            map_line = 2;
        }
    }
    setup->rules = (CtfRules){
        .rounds = (uint32_t)values[RULE_ROUNDS],
        .soldiers = (uint32_t)values[RULE_SOLDIERS],
        .points_kill = (int32_t)values[RULE_KILL],
        .points_capture = (int32_t)values[RULE_CAPTURE],
        .grenade_range = (int32_t)values[RULE_RANGE],
        .grenade_cooldown = (int32_t)values[RULE_COOLDOWN],
    };
    return read_map(setup, map_file, map_line, map_text, error);
}

GameSetup *ctf_setup(const GameFile *config, const GameFile *map, uint32_t players, Error *error) {
    if (players != 2) {
        error_set(error, "Capture the flag is for 2 players, not %u", players);
        return NULL;
    }
    CtfSetup *setup = xcalloc(1, sizeof *setup);
    if (!read_files(setup, config, map, error)) {
        free(setup);
        return NULL;
    }
    setup->head = (GameSetup){
        .game = &game_ctf,
        .players = 2,
        .turns_max = setup->rules.rounds,
        .state_size = sizeof(CtfState),
        .orders_size = sizeof(CtfOrders),
        .talk = game_ctf.talk,
    };
    return &setup->head;
}

void ctf_setup_free(GameSetup *setup) {
    free(setup);
}

/* Teams get their soldiers in the order X Y Z W V U T and L M N P Q R S; here they stand in
   alphabetical order. */
char ctf_name(const CtfSetup *setup, uint32_t soldier) {
    uint32_t count = setup->rules.soldiers;
    assert(soldier < 2 * count);
    if (soldier < count)
        return "LMNPQRS"[soldier];
    return "TUVWXYZ"[(count < 3 ? 4 : CTF_TEAM_MAX - count) + soldier - count];
}

static void place_at_spawn(const CtfSetup *setup, CtfState *state, uint32_t soldier) {
    state->soldier[soldier] = (CtfSoldier){
        .at = setup->spawn[ctf_team(setup, soldier)],
        .cooldown = (uint16_t)setup->rules.grenade_cooldown,
        .alive = 1,
    };
}

/* `used` ends with the last grenade. */
static void count_grenades(CtfState *state, uint32_t count) {
    state->grenade_count = count;
    state->head.used = (uint32_t)(offsetof(CtfState, grenade) + count * sizeof(CtfGrenade));
}

void ctf_init(const GameSetup *head, uint64_t seed, GameState *state_head) {
    const CtfSetup *setup = (const CtfSetup *)head;
    CtfState *state = (CtfState *)state_head;
    (void)seed; /* nothing here is left to chance */
    memset(state, 0, sizeof *state);
    for (uint32_t team = 0; team < 2; team++)
        state->flag[team] = (CtfFlag){.at = setup->base[team], .carrier = CTF_NOBODY};
    for (uint32_t soldier = 0; soldier < 2 * setup->rules.soldiers; soldier++)
        place_at_spawn(setup, state, soldier);
    count_grenades(state, 0);
}

/* ---- a round ---- */

typedef struct Round {
    const CtfSetup *setup;
    CtfState *state;
    Notes *notes;
} Round;

static bool same_square(CtfSquare a, CtfSquare b) {
    return a.x == b.x && a.y == b.y;
}

/* Whether somebody reads along: names and scores are only put together then. */
static bool told(const Round *round) {
    return round->notes && round->notes->wants_events;
}

/* ---- a round: respawns ---- */

/* Who died in the round before is back. */
static void respawn(const Round *round) {
    for (uint32_t soldier = 0; soldier < 2 * round->setup->rules.soldiers; soldier++) {
        if (round->state->soldier[soldier].alive)
            continue;
        place_at_spawn(round->setup, round->state, soldier);
        if (told(round))
            notes_event(round->notes, "%c is back at (%u,%u)", ctf_name(round->setup, soldier),
                        round->state->soldier[soldier].at.x, round->state->soldier[soldier].at.y);
    }
}

/* ---- a round: explosions ---- */

static void kill_soldier(const Round *round, uint32_t soldier) {
    CtfState *state = round->state;
    CtfSquare at = state->soldier[soldier].at;
    uint32_t enemy = 1 - ctf_team(round->setup, soldier);
    CtfFlag *flag = &state->flag[enemy];
    state->soldier[soldier].alive = 0;
    state->points[enemy] += round->setup->rules.points_kill;
    if (told(round))
        notes_event(round->notes, "%c dies at (%u,%u): A %" PRId64 " - B %" PRId64,
                    ctf_name(round->setup, soldier), at.x, at.y, state->points[0],
                    state->points[1]);
    if (flag->carrier != soldier)
        return;
    flag->carrier = CTF_NOBODY;
    if (told(round))
        notes_event(round->notes, "%c drops the flag of %c at (%u,%u)",
                    ctf_name(round->setup, soldier), ctf_letter(enemy), at.x, at.y);
}

static void explode_one(const Round *round, const CtfGrenade *grenade) {
    CtfState *state = round->state;
    if (told(round))
        notes_event(round->notes, "the grenade of %c explodes at (%u,%u)",
                    ctf_name(round->setup, grenade->thrower), grenade->at.x, grenade->at.y);
    for (uint32_t soldier = 0; soldier < 2 * round->setup->rules.soldiers; soldier++)
        if (state->soldier[soldier].alive &&
            abs(state->soldier[soldier].at.x - grenade->at.x) <= 1 &&
            abs(state->soldier[soldier].at.y - grenade->at.y) <= 1)
            kill_soldier(round, soldier);
}

/* The grenades that are due, in the order of their throws: they are the first of the list. */
static void explode(const Round *round) {
    CtfState *state = round->state;
    uint32_t count = state->grenade_count;
    uint32_t due = 0;
    for (; due < count && state->grenade[due].due <= state->head.turn; due++)
        explode_one(round, &state->grenade[due]);
    if (!due)
        return;
    memmove(state->grenade, state->grenade + due, (count - due) * sizeof(CtfGrenade));
    memset(state->grenade + count - due, 0, due * sizeof(CtfGrenade));
    count_grenades(state, count - due);
}

/* ---- a round: orders ---- */

static void pick_up_flag(const Round *round, uint32_t soldier) {
    CtfState *state = round->state;
    uint32_t enemy = 1 - ctf_team(round->setup, soldier);
    CtfFlag *flag = &state->flag[enemy];
    if (flag->carrier != CTF_NOBODY || !same_square(flag->at, state->soldier[soldier].at))
        return;
    flag->carrier = (uint8_t)soldier;
    if (told(round))
        notes_event(round->notes, "%c picks up the flag of %c at (%u,%u)",
                    ctf_name(round->setup, soldier), ctf_letter(enemy), flag->at.x, flag->at.y);
}

static bool on_map(const CtfSetup *setup, int32_t x, int32_t y) {
    return x >= 0 && y >= 0 && x < (int32_t)setup->width && y < (int32_t)setup->height;
}

/* Why the soldier may not throw there, or NULL. */
static const char *throw_problem(const CtfSetup *setup, const CtfSoldier *soldier,
                                 const CtfOrder *order) {
    if (!on_map(setup, order->x, order->y))
        return "off the map";
    if (ctf_tile(setup, (CtfSquare){(uint8_t)order->x, (uint8_t)order->y}) == '#')
        return "an obstacle is there";
    if (abs(order->x - soldier->at.x) + abs(order->y - soldier->at.y) > setup->rules.grenade_range)
        return "out of range";
    return soldier->cooldown ? "the cooldown is not over" : NULL;
}

static void throw_grenade(const Round *round, uint32_t number, const CtfOrder *order) {
    CtfState *state = round->state;
    CtfSoldier *soldier = &state->soldier[number];
    if (!order->throws)
        return;
    const char *problem = throw_problem(round->setup, soldier, order);
    if (problem) {
        if (round->notes)
            notes_refuse(round->notes, ctf_team(round->setup, number),
                         "%c throws at (%" PRId32 ",%" PRId32 ") from (%u,%u): %s",
                         ctf_name(round->setup, number), order->x, order->y, soldier->at.x,
                         soldier->at.y, problem);
        return;
    }
    soldier->cooldown = (uint16_t)round->setup->rules.grenade_cooldown;
    state->grenade[state->grenade_count] = (CtfGrenade){
        .due = state->head.turn + CTF_FUSE,
        .at = {(uint8_t)order->x, (uint8_t)order->y},
        .thrower = (uint8_t)number,
    };
    count_grenades(state, state->grenade_count + 1);
    if (told(round))
        notes_event(round->notes, "%c throws a grenade at (%d,%d)", ctf_name(round->setup, number),
                    order->x, order->y);
}

const char ctf_move_letters[CTF_MOVES] = {
    [CTF_NO_ORDER] = '-', [CTF_STAY] = 'S', [CTF_UP] = 'U',
    [CTF_DOWN] = 'D',     [CTF_LEFT] = 'L', [CTF_RIGHT] = 'R',
};

static void move_soldier(const Round *round, uint32_t soldier, uint8_t move) {
    static const struct {
        int32_t x;
        int32_t y;
    } offsets[CTF_MOVES] = {
        [CTF_UP] = {0, -1}, [CTF_DOWN] = {0, 1}, [CTF_LEFT] = {-1, 0}, [CTF_RIGHT] = {1, 0}};
    const CtfSetup *setup = round->setup;
    CtfSquare *at = &round->state->soldier[soldier].at;
    int32_t x = at->x + offsets[move].x;
    int32_t y = at->y + offsets[move].y;
    bool off = !on_map(setup, x, y);
    if (!off && setup->tiles[(uint32_t)y * setup->width + (uint32_t)x] != '#')
        *at = (CtfSquare){(uint8_t)x, (uint8_t)y};
    else if (round->notes)
        notes_refuse(round->notes, ctf_team(setup, soldier), "%c moves %c from (%u,%u): %s",
                     ctf_name(setup, soldier), ctf_move_letters[move], at->x, at->y,
                     off ? "off the map" : "an obstacle is there");
}

/* A carried flag comes along; but one that already lay on the carrier's own base is captured,
   wherever the carrier went. */
static void bring_flag(const Round *round, uint32_t soldier) {
    CtfState *state = round->state;
    uint32_t team = ctf_team(round->setup, soldier);
    CtfFlag *flag = &state->flag[1 - team];
    if (flag->carrier != soldier)
        return;
    if (!same_square(flag->at, round->setup->base[team])) {
        flag->at = state->soldier[soldier].at;
        return;
    }
    *flag = (CtfFlag){.at = round->setup->base[1 - team], .carrier = CTF_NOBODY};
    state->points[team] += round->setup->rules.points_capture;
    if (told(round))
        notes_event(round->notes, "%c captures the flag of %c: A %" PRId64 " - B %" PRId64,
                    ctf_name(round->setup, soldier), ctf_letter(1 - team), state->points[0],
                    state->points[1]);
}

static void cool_down(CtfSoldier *soldier) {
    soldier->cooldown = (uint16_t)(soldier->cooldown - (soldier->cooldown > 0));
}

/* What the soldier was told, or NULL. The dead do nothing, and what is no move is no order. */
static const CtfOrder *order_of(const Round *round, uint32_t soldier,
                                const GameOrders *const *orders) {
    uint32_t team = ctf_team(round->setup, soldier);
    if (orders[team]->kind != ORDERS_GIVEN)
        return NULL;
    const CtfOrder *order = &((const CtfOrders *)orders[team])->order[soldier];
    if (order->move == CTF_NO_ORDER)
        return NULL;
    bool alive = round->state->soldier[soldier].alive;
    if (alive && order->move < CTF_MOVES)
        return order;
    if (round->notes)
        notes_refuse(round->notes, team,
                     alive ? "%c has an order that is no move" : "%c has an order, but is dead",
                     ctf_name(round->setup, soldier));
    return NULL;
}

/* All soldiers of both teams, by name. */
static void carry_out_orders(const Round *round, const GameOrders *const *orders) {
    for (uint32_t soldier = 0; soldier < 2 * round->setup->rules.soldiers; soldier++) {
        const CtfOrder *order = order_of(round, soldier, orders);
        if (order) {
            pick_up_flag(round, soldier);
            throw_grenade(round, soldier, order);
            move_soldier(round, soldier, order->move);
            bring_flag(round, soldier);
        }
        cool_down(&round->state->soldier[soldier]);
    }
}

/* ---- the end ---- */

/* Teams whose bot failed have lost; the board is left as it was. */
static bool forfeit(CtfState *state, const GameOrders *const *orders) {
    for (uint32_t team = 0; team < 2; team++)
        state->failed[team] = orders[team]->kind == ORDERS_FORFEIT;
    if (state->failed[0] || state->failed[1])
        state->end = END_FORFEIT;
    return state->end == END_FORFEIT;
}

static void judge(const CtfSetup *setup, CtfState *state) {
    if (state->end == END_NONE && state->head.turn == setup->rules.rounds)
        state->end = state->points[0] == state->points[1] ? END_TURN_LIMIT : END_SCORE;
    state->head.over = state->end != END_NONE;
}

void ctf_step(const GameSetup *setup, GameState *head, const GameOrders *const *orders,
              Notes *notes) {
    CtfState *state = (CtfState *)head;
    const Round round = {(const CtfSetup *)setup, state, notes};
    assert(!head->over);
    if (!forfeit(state, orders)) {
        respawn(&round);
        explode(&round);
        carry_out_orders(&round, orders);
    }
    head->turn++;
    judge(round.setup, state);
}

void ctf_result(const GameSetup *setup, const GameState *head, GameResult *result) {
    const CtfState *state = (const CtfState *)head;
    (void)setup;
    *result = (GameResult){.end = (GameEnd)state->end, .scored = true};
    int64_t merit[2];
    for (uint32_t team = 0; team < 2; team++) {
        result->score[team] = state->points[team];
        /* Whoever failed is behind, whatever the score; it no longer counts otherwise. */
        merit[team] =
            state->end == END_FORFEIT ? -(int64_t)state->failed[team] : state->points[team];
    }
    game_rank_by(2, merit, result->rank);
}
