/* House bot for Gems: moves at random.

   Usage: random [SEED]. Without a seed, no two matches are alike. */
#include "../bot_random.h"
#include "common.h"

int main(void) {
    static const char *const moves[] = {"up", "down", "left", "right", "stay"};
    static View view;
    Random random = bot_random();
    while (view_read(&view))
        answer_send(moves[random_below(&random, 5)]);
    return 0;
}
