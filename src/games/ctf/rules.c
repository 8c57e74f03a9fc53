/* The rules of Capture the flag, in the order of docs/rules/ctf.md. `ctf_step` lists the stages of
   a round. */
#include "games/ctf/ctf.h"

#include <assert.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(CtfSoldier) == 8 && sizeof(CtfGrenade) == 8 && sizeof(CtfFlag) == 4 &&
                   offsetof(CtfState, grenade) == 168 && sizeof(CtfState) == 504,
               "a state has no padding");

/* Team A has the first soldiers of X Y Z W V U T, team B those of L M N P Q R S. Here they are in
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

/* Sets the number of grenades; the used part of the state ends with the last one. */
static void count_grenades(CtfState *state, uint32_t count) {
    state->grenade_count = count;
    state->head.used = (uint32_t)(offsetof(CtfState, grenade) + count * sizeof(CtfGrenade));
}

void ctf_init(const GameSetup *head, uint64_t seed, GameState *state_head) {
    const CtfSetup *setup = (const CtfSetup *)head;
    CtfState *state = (CtfState *)state_head;
    (void)seed; /* this game has no randomness */
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

/* Whether events are recorded; if not, formatting them would waste time. */
static bool wants_events(const Round *round) {
    return round->notes && round->notes->wants_events;
}

/* ---- a round: respawns ---- */

/* Soldiers that died in the previous round come back. */
static void respawn(const Round *round) {
    for (uint32_t soldier = 0; soldier < 2 * round->setup->rules.soldiers; soldier++) {
        if (round->state->soldier[soldier].alive)
            continue;
        place_at_spawn(round->setup, round->state, soldier);
        if (wants_events(round))
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
    if (wants_events(round))
        notes_event(round->notes, "%c dies at (%u,%u): A %" PRId64 " - B %" PRId64,
                    ctf_name(round->setup, soldier), at.x, at.y, state->points[0],
                    state->points[1]);
    if (flag->carrier != soldier)
        return;
    flag->carrier = CTF_NOBODY;
    if (wants_events(round))
        notes_event(round->notes, "%c drops the flag of %c at (%u,%u)",
                    ctf_name(round->setup, soldier), ctf_letter(enemy), at.x, at.y);
}

static void explode_one(const Round *round, const CtfGrenade *grenade) {
    CtfState *state = round->state;
    if (wants_events(round))
        notes_event(round->notes, "the grenade of %c explodes at (%u,%u)",
                    ctf_name(round->setup, grenade->thrower), grenade->at.x, grenade->at.y);
    for (uint32_t soldier = 0; soldier < 2 * round->setup->rules.soldiers; soldier++)
        if (state->soldier[soldier].alive &&
            abs(state->soldier[soldier].at.x - grenade->at.x) <= 1 &&
            abs(state->soldier[soldier].at.y - grenade->at.y) <= 1)
            kill_soldier(round, soldier);
}

/* Grenades that are due explode in the order in which they were thrown; they come first in the
   list. */
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
    if (wants_events(round))
        notes_event(round->notes, "%c picks up the flag of %c at (%u,%u)",
                    ctf_name(round->setup, soldier), ctf_letter(enemy), flag->at.x, flag->at.y);
}

static bool on_map(const CtfSetup *setup, int32_t x, int32_t y) {
    return x >= 0 && y >= 0 && x < (int32_t)setup->width && y < (int32_t)setup->height;
}

/* Why the soldier cannot throw there, or NULL. */
static const char *throw_problem(const CtfSetup *setup, const CtfSoldier *soldier,
                                 const CtfOrder *order) {
    if (!on_map(setup, order->x, order->y))
        return "off the map";
    if (ctf_tile(setup, (CtfSquare){(uint8_t)order->x, (uint8_t)order->y}) == '#')
        return "an obstacle is in the way";
    if (abs(order->x - soldier->at.x) + abs(order->y - soldier->at.y) > setup->rules.grenade_range)
        return "out of range";
    return soldier->cooldown ? "still cooling down" : NULL;
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
    if (wants_events(round))
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
                     off ? "off the map" : "an obstacle is in the way");
}

/* Moves a carried flag with its carrier. If the flag was on the carrier's own base before this
   move, it is captured instead, wherever the carrier went. */
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
    if (wants_events(round))
        notes_event(round->notes, "%c captures the flag of %c: A %" PRId64 " - B %" PRId64,
                    ctf_name(round->setup, soldier), ctf_letter(1 - team), state->points[0],
                    state->points[1]);
}

static void cool_down(CtfSoldier *soldier) {
    soldier->cooldown = (uint16_t)(soldier->cooldown - (soldier->cooldown > 0));
}

/* The soldier's order, or NULL: dead soldiers and invalid moves have none. */
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
                     alive ? "%c has an order without a move" : "%c has an order, but is dead",
                     ctf_name(round->setup, soldier));
    return NULL;
}

/* The soldiers of both teams act one after the other, in alphabetical order. */
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

/* Teams whose bot failed lose; the board does not change. */
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
        /* After a forfeit the score does not matter: the team whose bot failed ranks last. */
        merit[team] =
            state->end == END_FORFEIT ? -(int64_t)state->failed[team] : state->points[team];
    }
    game_rank_by(2, merit, result->rank);
}
