/* Footsoldiers for the benchmarks: eight soldiers march up and down the default map, past each
   other and around the rocks.

   They have more health than they can lose in a match, so all eight stay until the end. */
#include "games/footsoldiers/footsoldiers.h"
#include "scene.h"

enum { ENDLESS = 1000000000, LEFT_END = 8, RIGHT_END = 58 };

static void prepare(const GameSetup *head, GameState *state_head) {
    const FootsoldiersSetup *setup = (const FootsoldiersSetup *)head;
    FootsoldiersState *state = (FootsoldiersState *)state_head;
    static const FootsoldiersType types[] = {FOOTSOLDIERS_SCOUT, FOOTSOLDIERS_ASSASSIN,
                                             FOOTSOLDIERS_SCOUT, FOOTSOLDIERS_TANK};
    for (uint32_t player = 0; player < 2; player++) {
        state->player[player].health = ENDLESS;
        for (int32_t i = 0; i < 4; i++) {
            FootsoldiersSquare at = {player ? RIGHT_END - i : LEFT_END + i, i + 1};
            FootsoldiersSquare destination = {player ? LEFT_END : RIGHT_END, 5 - i};
            footsoldiers_place(setup, state, player, types[i], at, destination, FOOTSOLDIERS_LEFT);
        }
    }
    for (uint32_t i = 0; i < state->soldier_count; i++)
        state->soldier[i].health = ENDLESS;
}

/* Sends a soldier that has arrived to the other end; if there is none, repeats an order. */
static void orders(const GameSetup *setup, const GameState *state_head, uint32_t player,
                   GameOrders *head) {
    const FootsoldiersState *state = (const FootsoldiersState *)state_head;
    FootsoldiersOrders *order = (FootsoldiersOrders *)head;
    (void)setup;
    *order = (FootsoldiersOrders){.head = {.kind = ORDERS_GIVEN}};
    for (uint32_t i = 0; i < state->soldier_count; i++) {
        const FootsoldiersSoldier *soldier = &state->soldier[i];
        if (soldier->player != player)
            continue;
        bool arrived = soldier->at.x == soldier->destination.x;
        if (order->head.count && !arrived)
            continue;
        order->head.count = 1;
        order->command = FOOTSOLDIERS_MOVE;
        order->at = soldier->at;
        order->destination = soldier->destination;
        if (arrived)
            order->destination.x = LEFT_END + RIGHT_END - soldier->at.x;
    }
}

const BenchScene scene_footsoldiers = {
    .game = &game_footsoldiers,
    .what = "eight soldiers on the board",
    .players = 2,
    .prepare = prepare,
    .orders = orders,
    .view_end = "\n",
    .trivial_hello = "Ready\n",
    .trivial_answer = "No-op\n",
};
