/* House bot for Footsoldiers: any soldier, any place, any destination on the map, at random. Its
   commands are always allowed under the default rules. */
#include "../bot_random.h"
#include "common.h"

enum { MAX_DISTANCE = 5 };
static const int64_t costs[FOOTSOLDIERS_TYPES] = {10, 11, 12};

/* A random square between the corner and the farthest rock or base. */
static FootsoldiersSquare some_square(const View *view, Random *random) {
    int32_t width = 0;
    int32_t height = 0;
    for (int player = 0; player < 2; player++) {
        width = view->base[player].x > width ? view->base[player].x : width;
        height = view->base[player].y > height ? view->base[player].y : height;
    }
    for (uint32_t i = 0; i < view->rock_count; i++) {
        width = view->rocks[i].x > width ? view->rocks[i].x : width;
        height = view->rocks[i].y > height ? view->rocks[i].y : height;
    }
    return (FootsoldiersSquare){(int32_t)random_below(random, (uint32_t)width + 1),
                                (int32_t)random_below(random, (uint32_t)height + 1)};
}

/* A random free square near our base; the base itself if none was found. */
static FootsoldiersSquare some_place(const View *view, Random *random) {
    FootsoldiersSquare base = view->base[view->you];
    for (int tries = 0; tries < 100; tries++) {
        int32_t across = (int32_t)random_below(random, 2 * MAX_DISTANCE + 1) - MAX_DISTANCE;
        int32_t down = (int32_t)random_below(random, 2 * MAX_DISTANCE + 1) - MAX_DISTANCE;
        FootsoldiersSquare place = {base.x + across, base.y + down};
        if (abs(across) + abs(down) <= MAX_DISTANCE && place.x >= 0 && place.y >= 0 &&
            !view_occupied(view, place))
            return place;
    }
    return base;
}

/* A random soldier of ours that a command can name, or NULL. */
static const FootsoldiersSoldier *some_soldier(const View *view, Random *random) {
    const FootsoldiersSoldier *chosen = NULL;
    uint32_t found = 0;
    for (uint32_t i = 0; i < view->soldier_count; i++) {
        const FootsoldiersSoldier *soldier = &view->soldiers[i];
        if (soldier->player == view->you && soldier->at.x >= 0 && soldier->at.y >= 0 &&
            random_below(random, ++found) == 0)
            chosen = soldier;
    }
    return chosen;
}

static FootsoldiersOrders choose(const View *view, Random *random) {
    FootsoldiersOrders order = {
        .command = random_below(random, 4),
        .type = random_below(random, FOOTSOLDIERS_TYPES),
        .destination = some_square(view, random),
        .direction = random_below(random, FOOTSOLDIERS_DIRECTIONS),
    };
    const FootsoldiersSoldier *soldier = some_soldier(view, random);
    if (order.command == FOOTSOLDIERS_BUILD) {
        order.at = some_place(view, random);
        if (view->money[view->you] < costs[order.type] ||
            memcmp(&order.at, &view->base[view->you], sizeof order.at) == 0)
            order.command = FOOTSOLDIERS_NO_OP;
    } else if (soldier) {
        order.at = soldier->at;
    } else {
        order.command = FOOTSOLDIERS_NO_OP;
    }
    return order;
}

int main(void) {
    Random random = bot_random();
    View view = {0};
    puts("Ready");
    fflush(stdout);
    while (view_read(&view)) {
        FootsoldiersOrders order = choose(&view, &random);
        command_write(&order);
    }
    view_free(&view);
    return 0;
}
