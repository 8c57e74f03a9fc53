/* House bot for Planet Wars: occasionally, each of its planets sends some ships to a random
   planet. */
#include "../bot_random.h"
#include "common.h"

static void choose_moves(Board *board, Random *random) {
    for (uint32_t origin = 0; origin < board->planet_count; origin++) {
        const Planet *planet = &board->planets[origin];
        if (planet->owner != 1 || planet->ships == 0 || random_below(random, 3) != 0)
            continue;
        uint32_t most = planet->ships < 1000000 ? (uint32_t)planet->ships : 1000000;
        uint32_t destination = random_below(random, board->planet_count);
        if (destination != origin)
            board_send(board, origin, destination, 1 + random_below(random, most));
    }
}

int main(void) {
    Random random = bot_random();
    Board board = {0};
    while (board_read(&board)) {
        choose_moves(&board, &random);
        board_answer(&board);
    }
    board_free(&board);
    return 0;
}
