/* Capture the flag for the benchmarks: the position to measure, and the smallest bot that plays
   it. */
#include "games/ctf/ctf.h"
#include "scene.h"

#include <string.h>

/* All soldiers can throw soon, and both flags are carried. */
static void prepare(const GameSetup *head, GameState *state_head) {
    const CtfSetup *setup = (const CtfSetup *)head;
    CtfState *state = (CtfState *)state_head;
    for (uint32_t number = 0; number < 2 * setup->rules.soldiers; number++)
        state->soldier[number].cooldown = (uint16_t)(number % setup->rules.soldiers);
    for (uint32_t team = 0; team < 2; team++) {
        uint32_t carrier = ctf_first(setup, 1 - team);
        state->flag[team].carrier = (uint8_t)carrier;
        state->flag[team].at = state->soldier[carrier].at;
    }
}

/* One soldier walks back and forth, another throws when it can. */
static void give_orders(const GameSetup *head, const GameState *state_head, uint32_t player,
                        GameOrders *orders_head) {
    const CtfSetup *setup = (const CtfSetup *)head;
    const CtfState *state = (const CtfState *)state_head;
    CtfOrders *orders = (CtfOrders *)orders_head;
    memset(orders, 0, sizeof *orders);
    orders->head = (GameOrders){ORDERS_GIVEN, 2};
    uint32_t walker = ctf_first(setup, player);
    uint32_t thrower = walker + setup->rules.soldiers - 1;
    bool there = (state_head->turn + player) % 2 == 0;
    orders->order[walker].move = there ? CTF_RIGHT : CTF_LEFT;
    const CtfSoldier *soldier = &state->soldier[thrower];
    orders->order[thrower] = (CtfOrder){
        .move = CTF_STAY,
        .throws = soldier->cooldown == 0,
        .x = soldier->at.x < 3 ? soldier->at.x + 3 : soldier->at.x - 3,
        .y = soldier->at.y,
    };
}

const BenchScene scene_ctf = {
    .game = &game_ctf,
    .what = "three soldiers a team, both flags carried, one walks and one throws",
    .players = 2,
    .prepare = prepare,
    .orders = give_orders,
    .view_end = "\n\n",
    .trivial_hello = "",
    .trivial_answer = "\n",
};
