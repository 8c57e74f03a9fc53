/* The medium house bot of Planet Wars: makes the moves of the strategy in strategy.h. */
#include "strategy.h"

int main(void) {
    Board board = {0};
    Strategy strategy = {.style = STYLE_USUAL};
    while (board_read(&board)) {
        strategy_measure(&strategy, &board);
        strategy_think_about(&strategy, &board);
        for (uint32_t i = 0; i < strategy.move_count; i++) {
            const PlanetwarsMove *move = &strategy.moves[i];
            board_send(&board, move->origin, move->destination, move->ships);
        }
        board_answer(&board);
    }
    strategy_free(&strategy);
    board_free(&board);
    return 0;
}
