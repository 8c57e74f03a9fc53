/* House bot for Capture the flag, level easy: all soldiers run to the enemy's flag by the shortest
   path, and carry it home. Each throws at the current square of an enemy in range, so grenades
   mostly come too late. */
#include "common.h"

enum { RANGE = 10 }; /* the default range of grenades; the view does not contain it */

/* The direction of a step towards the goal of the field. */
static int step_towards(const World *world, const int16_t *field, int from) {
    int best = STAY;
    for (int direction = 0; direction < STAY; direction++) {
        int to = neighbour(world, from, direction);
        if (to >= 0 && field[to] < field[neighbour(world, from, best)])
            best = direction;
    }
    return best;
}

/* The square of an enemy in range, or -1. */
static int find_target(const World *world, const Soldier *soldier) {
    if (!soldier->alive || soldier->cooldown > 0)
        return -1;
    for (int i = 0; i < world->count[1]; i++) {
        const Soldier *enemy = &world->soldiers[1][i];
        int steps = steps_apart(world, soldier->at, enemy->at);
        if (enemy->alive && steps <= RANGE && steps > 4)
            return enemy->at;
    }
    return -1;
}

int main(void) {
    static World world;
    static Field home;
    static Field flag;
    read_start(&world);
    flood(&world, world.base[0], home);
    for (;;) {
        int steps[TEAM_MAX];
        int targets[TEAM_MAX];
        read_round(&world);
        flood(&world, world.flag[1], flag);
        for (int i = 0; i < world.count[0]; i++) {
            const Soldier *soldier = &world.soldiers[0][i];
            int from = start_of(&world, 0, soldier);
            bool has_flag = soldier->carries || from == world.flag[1];
            steps[i] = step_towards(&world, has_flag ? home : flag, from);
            targets[i] = find_target(&world, soldier);
        }
        write_answer(&world, steps, targets);
    }
}
