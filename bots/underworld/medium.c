/* House bot for Underworld: plays the strategy in warlord.h. */
#include "warlord.h"

int main(void) {
    static UnderworldOrders orders;
    World world = world_greet();
    Warlord lord;
    warlord_init(&lord, &world, &usual_style);
    while (world_read(&lord.world)) {
        warlord_think(&lord, &orders);
        write_orders(&orders);
    }
    warlord_free(&lord);
    free(world.cells);
    return 0;
}
