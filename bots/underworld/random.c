/* House bot for Underworld: every warrior takes a random step to a free cell, every barracks may
   spawn, and any money left may be spent on a building nearby. */
#include "common.h"

#include "../bot_random.h"

enum { WARRIOR_COST = 500, FARM_COST = 1000, BARRACKS_COST = 1500 };

static bool is_free(const World *world, int x, int y) {
    return on_board(world, x, y) && !thing_at(world, x, y)->kind;
}

static int below(Random *random, int bound) {
    return (int)random_below(random, (uint32_t)bound);
}

/* A random direction that leads to a free cell, or -1. */
static int free_step(const World *world, Random *random, int x, int y) {
    int found[4];
    int count = 0;
    for (int i = 0; i < 4; i++)
        if (is_free(world, x + steps[i].x, y + steps[i].y))
            found[count++] = i;
    return count ? found[below(random, count)] : -1;
}

static void build_near(World *world, Random *random, int x, int y) {
    int at_x = x + below(random, 5) - 2;
    int at_y = y + below(random, 5) - 2;
    bool barracks = below(random, 4) == 0;
    int cost = barracks ? BARRACKS_COST : FARM_COST;
    if ((at_x - x) * (at_x - x) + (at_y - y) * (at_y - y) > 4 || !is_free(world, at_x, at_y) ||
        world->money < cost)
        return;
    printf("build %d %d %c\n", at_x, at_y, barracks ? 'B' : 'F');
    world->money -= cost;
}

static void play(World *world, Random *random) {
    for (int y = 0; y < world->size_y; y++)
        for (int x = 0; x < world->size_x; x++) {
            const Thing *thing = thing_at(world, x, y);
            if (!thing->kind || thing->owner != world->me)
                continue;
            int step = free_step(world, random, x, y);
            if (thing->kind == 'W' && step >= 0)
                printf("move %d %d %c\n", x, y, steps[step].letter);
            if (thing->kind == 'W')
                continue;
            if (thing->kind == 'B' && step >= 0 && world->money >= WARRIOR_COST &&
                below(random, 2)) {
                printf("spawn %d %d %c\n", x, y, steps[step].letter);
                world->money -= WARRIOR_COST;
            }
            if (below(random, 10) == 0)
                build_near(world, random, x, y);
        }
}

int main(void) {
    Random random = bot_random();
    World world = world_greet();
    while (world_read(&world)) {
        play(&world, &random);
        write_end();
    }
    free(world.cells);
    return 0;
}
