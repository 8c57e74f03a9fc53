/* House bot for Aliens, level medium: gathers energy nearby, multiplies, razes the enemy's spawn
   and hunts enemy units with several of its own units. strategy.h explains how. */
#include "strategy.h"

int main(void) {
    static Mind mind;
    Buffer answer = {0};
    while (view_read(&mind.view)) {
        strategy_think(&mind);
        answer_begin(&answer);
        for (int i = 0; i < mind.unit_count; i++)
            if (mind.units[i].to != mind.units[i].square)
                answer_move(&answer, mind.units[i].square, mind.units[i].to);
        answer_send(&answer);
    }
    buffer_free(&answer);
    return 0;
}
