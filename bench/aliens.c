/* Aliens for the benchmarks: the middle of a match on the default map. */
#include "games/aliens/aliens.h"
#include "scene.h"

#include <stdlib.h>
#include <string.h>

enum { UNITS_EACH = 8, MOVES_EACH = 2 };

/* Eight units per player, spread over its half, and two energies far from all of them. */
static void prepare(const GameSetup *head, GameState *state_head) {
    static const uint8_t rows[UNITS_EACH] = {1, 1, 4, 4, 4, 7, 7, 7};
    static const uint8_t cols[UNITS_EACH] = {5, 13, 1, 9, 17, 3, 8, 14};
    const AliensSetup *setup = (const AliensSetup *)head;
    AliensState *state = (AliensState *)state_head;
    for (uint32_t i = 0; i < UNITS_EACH; i++) {
        uint32_t square = rows[i] * setup->cols + cols[i];
        state->grid[square] = 'a';
        state->grid[setup->cells - 1 - square] = 'b';
    }
    state->grid[0] = state->grid[setup->cells - 1] = ALIENS_ENERGY;
    state->energy[0] = state->energy[1] = 0;
}

/* Whether no other unit is within reach of a unit on `square` that came from `from`, so that no
   unit dies and the match continues. */
static bool is_calm(const AliensSetup *setup, const AliensState *state, uint32_t from,
                    uint32_t square) {
    int row = (int)(square / setup->cols);
    int col = (int)(square % setup->cols);
    for (uint32_t other = 0; other < setup->cells; other++) {
        char there = state->grid[other];
        int distance =
            abs((int)(other / setup->cols) - row) + abs((int)(other % setup->cols) - col);
        if (there == ALIENS_ENERGY ? distance == 0
                                   : there != ALIENS_EMPTY && other != from && distance <= 3)
            return false;
    }
    return true;
}

static void orders(const GameSetup *head, const GameState *state_head, uint32_t player,
                   GameOrders *orders_head) {
    const AliensSetup *setup = (const AliensSetup *)head;
    const AliensState *state = (const AliensState *)state_head;
    AliensOrders *given = (AliensOrders *)orders_head;
    memset(given, 0, head->orders_size);
    given->head.kind = ORDERS_GIVEN;
    /* The search starts elsewhere in each turn, so that units and directions vary. */
    uint32_t start = state->head.turn * 149 % setup->cells;
    for (uint32_t i = 0; i < setup->cells && given->head.count < MOVES_EACH; i++) {
        uint32_t from = (start + i) % setup->cells;
        if (state->grid[from] != (char)(ALIENS_UNIT + player))
            continue;
        for (uint32_t turn = 0; turn < 4; turn++) {
            uint8_t move = (uint8_t)(ALIENS_UP + (state->head.turn + turn) % 4);
            uint32_t to = aliens_target(setup, from, move);
            if (to < setup->cells && is_calm(setup, state, from, to)) {
                given->move[from] = move;
                given->head.count++;
                break;
            }
        }
    }
}

const BenchScene scene_aliens = {
    .game = &game_aliens,
    .what = "eight units a player on the standard board, two of them moving",
    .players = 2,
    .prepare = prepare,
    .orders = orders,
    .view_end = "}}\n",
    .trivial_hello = "",
    .trivial_answer = "[]",
};
