/* Gems for the benchmarks: three players on the standard board. */
#include "games/gems/gems.h"
#include "scene.h"

#include <string.h>

static void orders(const GameSetup *setup, const GameState *state, uint32_t player,
                   GameOrders *orders) {
    memset(orders, 0, setup->orders_size);
    orders->kind = ORDERS_GIVEN;
    orders->count = 1;
    ((GemsOrders *)orders)->move = GEMS_UP + (state->turn + player) % 4;
}

const BenchScene scene_gems = {
    .game = &game_gems,
    .what = "three players on the standard board, all moving",
    .players = 3,
    .orders = orders,
    .view_end = "]}\n",
    .trivial_hello = "",
    .trivial_answer = "stay\n",
};
