/* House bot for Capture the flag, level medium: takes the flag and runs, and throws grenades where
   enemies will be. raider.h explains how. */
#include "raider.h"

int main(void) {
    static Raider raider;
    raider_begin(&raider, bot_random());
    read_start(&raider.world);
    for (;;) {
        read_round(&raider.world);
        raider_think(&raider);
        write_answer(&raider.world, raider.steps, raider.targets);
    }
}
