/* House bot for Capture the flag: moves and throws at random, but only where allowed. */
#include "common.h"

#include "../bot_random.h"

enum { RANGE = 10 }; /* the default; the view does not contain it */

/* A random square in range without an obstacle, or -1 after ten failed tries. */
static int draw_target(const World *world, int from, Random *random) {
    for (int tries = 0; tries < 10; tries++) {
        int at = (int)random_below(random, (uint32_t)world->cells);
        if (world->tiles[at] != '#' && steps_apart(world, from, at) <= RANGE)
            return at;
    }
    return -1;
}

int main(void) {
    static World world;
    Random random = bot_random();
    read_start(&world);
    for (;;) {
        read_round(&world);
        for (int i = 0; i < world.count[0]; i++) {
            const Soldier *soldier = &world.soldiers[0][i];
            int from = soldier->alive ? soldier->at : world.spawn[0];
            int direction = (int)random_below(&random, DIRECTIONS);
            while (neighbour(&world, from, direction) < 0)
                direction = (int)random_below(&random, DIRECTIONS);
            bool throws = soldier->alive && soldier->cooldown == 0 && random_below(&random, 4) == 0;
            write_order(&world, soldier, direction,
                        throws ? draw_target(&world, from, &random) : -1);
        }
        write_end();
    }
}
