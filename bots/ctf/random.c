/* Walks at random and throws at random, but only where that is allowed. Usage: ctf-random
   [SEED]. */
#include "common.h"

#include "../chance.h"

enum { RANGE = 10 }; /* bots are not told; this is the standard one */

/* A square in range without an obstacle, or -1 when a few draws did not find one. */
static int draw_target(const World *world, int from, Random *random) {
    for (int tries = 0; tries < 10; tries++) {
        int at = (int)random_below(random, (uint32_t)world->cells);
        if (world->tiles[at] != '#' && steps_apart(world, from, at) <= RANGE)
            return at;
    }
    return -1;
}

int main(int count, char **arguments) {
    static World world;
    Random random = chance_begin(count, arguments);
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
            say_order(&world, soldier, direction, throws ? draw_target(&world, from, &random) : -1);
        }
        say_end();
    }
}
