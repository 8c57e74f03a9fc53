/* House bot for Aliens: every unit moves at random or stays. */
#include "../bot_random.h"
#include "common.h"

int main(void) {
    static View view;
    Buffer answer = {0};
    Random random = bot_random();
    while (view_read(&view)) {
        answer_begin(&answer);
        for (int square = 0; square < view.cells; square++) {
            if (view.grid[square] != view.mine)
                continue;
            int choices[5] = {square};
            uint32_t choice_count = 1 + (uint32_t)view_neighbours(&view, square, choices + 1);
            answer_move(&answer, square, choices[random_below(&random, choice_count)]);
        }
        answer_send(&answer);
    }
    buffer_free(&answer);
    return 0;
}
