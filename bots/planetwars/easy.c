/* The easy house bot of Planet Wars: every planet sends just enough ships to the nearest planet
   that it can take with the ships it has. It ignores expeditions under way, so it attacks the same
   planet from several sides, and it never defends. Each planet acts only in about one of three
   turns, chosen at random, so that no two matches are the same. */
#include "../bot_random.h"
#include "common.h"

/* The number of ships that takes one planet from another: more than will be there on arrival. */
static uint64_t ships_to_take(const Planet *target, uint32_t turns) {
    return target->ships + (target->owner ? turns : 0) + 1;
}

static void attack_nearest(Board *board, uint32_t origin) {
    const Planet *from = &board->planets[origin];
    uint32_t nearest = UINT32_MAX;
    uint32_t destination = origin;
    for (uint32_t i = 0; i < board->planet_count; i++) {
        const Planet *to = &board->planets[i];
        uint32_t turns = board_travel(from, to);
        if (to->owner != 1 && turns < nearest && ships_to_take(to, turns) <= from->ships) {
            nearest = turns;
            destination = i;
        }
    }
    if (destination != origin)
        board_send(board, origin, destination,
                   ships_to_take(&board->planets[destination], nearest));
}

int main(void) {
    Random random = bot_random();
    Board board = {0};
    while (board_read(&board)) {
        for (uint32_t i = 0; i < board.planet_count; i++)
            if (board.planets[i].owner == 1 && random_below(&random, 3) == 0)
                attack_nearest(&board, i);
        board_answer(&board);
    }
    board_free(&board);
    return 0;
}
