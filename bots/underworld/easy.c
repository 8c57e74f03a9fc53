/* House bot for Underworld: builds a farm, then spends all its money on warriors, and sends them to
   the nearest enemy castle in groups. It neither defends its castle nor counts the enemy's army. */
#include "warlord.h"

enum { FARMS = 1, GROUP = 4 };

/* Moves a warrior by the free step that leads nearest to the target. A warrior with a target in
   range stays to strike it. */
static void advance(Warlord *lord, int cell) {
    const World *world = &lord->world;
    int x = cell % world->size_x;
    int y = cell / world->size_x;
    int hits, castle, danger;
    weigh(lord, x, y, &hits, &castle, &danger);
    int best = -1;
    int best_distance = lord->to_target[cell];
    for (int i = 0; i < 4 && !hits; i++) {
        int to_x = x + steps[i].x;
        int to_y = y + steps[i].y;
        if (!on_board(world, to_x, to_y) || thing_at(world, to_x, to_y)->kind ||
            lord->taken[cell_at(lord, to_x, to_y)] ||
            lord->to_target[cell_at(lord, to_x, to_y)] >= best_distance)
            continue;
        best = i;
        best_distance = lord->to_target[cell_at(lord, to_x, to_y)];
    }
    if (best < 0) {
        lord->taken[cell] = true;
        return;
    }
    lord->taken[cell_at(lord, x + steps[best].x, y + steps[best].y)] = true;
    give_order(lord, UNDERWORLD_MOVE, cell, steps[best].letter);
}

static void think(Warlord *lord) {
    lord->orders->head = (GameOrders){.kind = ORDERS_GIVEN};
    lord->budget = lord->world.money;
    survey(lord);
    const Camp *own = &lord->camps[lord->world.me];
    for (int cell = 0; cell < lord->cell_count; cell++) {
        const Thing *thing = &lord->world.cells[cell];
        bool waits = own->warriors < GROUP && lord->from_home[cell] == GROUP;
        if (!mine(lord, thing) || thing->kind != 'W')
            continue;
        if (waits)
            lord->taken[cell] = true;
        else
            advance(lord, cell);
    }
    if (own->farms < FARMS)
        build(lord, false);
    spawn(lord, own->barracks);
}

int main(void) {
    static UnderworldOrders orders;
    World world = world_greet();
    Warlord lord;
    warlord_init(&lord, &world, &usual_style);
    lord.orders = &orders;
    while (world_read(&lord.world)) {
        think(&lord);
        write_orders(&orders);
    }
    warlord_free(&lord);
    free(world.cells);
    return 0;
}
