/* A starter bot for Capture the flag: some fetch the flag, others guard. Change it!

       skirmish play ctf --watch . house:random

   Each round, think() gets a view. Squares have x and y:
       view->turn                          the number of the round, from 1
       view->map, view->rows, columns      the map, map[y][x]; '#' is an obstacle
       view->base, view->spawn             where your flag belongs, where your soldiers start
       view->points, view->enemy_points    the score
       view->flag, view->enemy_flag        where the flags are now
       view->soldiers, soldier_count       yours: name, at, cooldown, alive, carries_flag
       view->grenades, grenade_count       yours: at, countdown (enemy grenades are hidden)
       view->enemies, enemy_count          name, at, alive, carries_flag
   and writes orders: a step (U, D, L, R, or S to stay) and perhaps a square to throw at:
       orders[0] = (Order){.name = "X", .step = 'D', .throws = true, .target = {10, 7}};
       orders[1] = (Order){.name = "Y", .step = 'S'};
       return 2; */
#include "protocol.h"

#include <stdio.h>
#include <stdlib.h>

/* The line to change first: how many soldiers stay at our flag. The others fetch the enemy's. */
enum { GUARDS = 1 };
enum { RANGE = 10 }; /* the default range of grenades */
enum { UNREACHABLE = 9999 };

static const struct {
    char letter;
    int dx, dy;
} steps[] = {{'S', 0, 0}, {'U', 0, -1}, {'D', 0, 1}, {'L', -1, 0}, {'R', 1, 0}};
enum { STEP_COUNT = sizeof steps / sizeof *steps };

/* The steps to a goal from every square that can reach it; -1 for all others. */
typedef int Distances[MAX_SIDE][MAX_SIDE];

static bool is_same(Square a, Square b) {
    return a.x == b.x && a.y == b.y;
}

static int apart(Square a, Square b) {
    return abs(a.x - b.x) + abs(a.y - b.y);
}

static bool is_inside(const View *view, Square at) {
    return at.x >= 0 && at.x < view->columns && at.y >= 0 && at.y < view->rows;
}

static void measure(const View *view, Square goal, Distances far) {
    static Square queue[MAX_SIDE * MAX_SIDE];
    int first = 0, count = 0;
    for (int y = 0; y < view->rows; y++)
        for (int x = 0; x < view->columns; x++)
            far[y][x] = -1;
    far[goal.y][goal.x] = 0;
    queue[count++] = goal;
    while (first < count) {
        Square at = queue[first++];
        for (int i = 0; i < STEP_COUNT; i++) {
            Square to = {at.x + steps[i].dx, at.y + steps[i].dy};
            if (is_inside(view, to) && view->map[to.y][to.x] != '#' && far[to.y][to.x] < 0) {
                far[to.y][to.x] = far[at.y][at.x] + 1;
                queue[count++] = to;
            }
        }
    }
}

/* The cost of a square: steps to the goal, and our own grenades, which kill us too. */
static int cost(const View *view, Square at, Distances far) {
    bool is_reachable = is_inside(view, at) && far[at.y][at.x] >= 0;
    int result = is_reachable ? far[at.y][at.x] : UNREACHABLE;
    for (int i = 0; i < view->grenade_count; i++) {
        Square blast = view->grenades[i].at;
        if (view->grenades[i].countdown == 1 && abs(at.x - blast.x) <= 1 &&
            abs(at.y - blast.y) <= 1)
            return result + 1000;
    }
    return result;
}

/* Chooses the nearest enemy in range. A grenade kills everyone in the 3 x 3 squares around it,
   three rounds later. */
static bool find_target(const View *view, Square from, Square *target) {
    bool found = false;
    for (int i = 0; i < view->enemy_count; i++) {
        Square at = view->enemies[i].at;
        int distance = apart(at, from);
        if (view->enemies[i].alive && distance > 3 && distance <= RANGE &&
            (!found || distance < apart(*target, from))) {
            found = true;
            *target = at;
        }
    }
    return found;
}

/* Writes the orders of this round and returns how many there are. The whole strategy is here. */
static int think(const View *view, Order orders[]) {
    static Distances to_base, to_flag, to_enemy_flag;
    measure(view, view->base, to_base);
    measure(view, view->flag, to_flag);
    measure(view, view->enemy_flag, to_enemy_flag);
    for (int i = 0; i < view->soldier_count; i++) {
        const Soldier *soldier = &view->soldiers[i];
        Square at = soldier->alive ? soldier->at : view->spawn; /* the dead respawn first */
        int(*far)[MAX_SIDE] = i < GUARDS ? to_flag : to_enemy_flag;
        /* On the base, the next order captures the flag. */
        if (!is_same(at, view->base) && (soldier->carries_flag || is_same(at, view->enemy_flag)))
            far = to_base;
        orders[i] = (Order){.name = soldier->name, .step = 'S'};
        int best = UNREACHABLE;
        for (int k = 0; k < STEP_COUNT; k++) {
            Square to = {at.x + steps[k].dx, at.y + steps[k].dy};
            int price = cost(view, to, far);
            if (price < best) {
                best = price;
                orders[i].step = steps[k].letter;
            }
        }
        if (soldier->alive && soldier->cooldown == 0)
            orders[i].throws = find_target(view, at, &orders[i].target);
    }
    return view->soldier_count;
}

/* The main loop: answer every view until the match ends. */
int main(void) {
    static View view;
    Order orders[MAX_SOLDIERS];
    while (read_view(&view)) {
        if (view.turn == 1) /* debug output: "skirmish play --stderr" and replays show it */
            fprintf(stderr, "I have %d soldiers\n", view.soldier_count);
        int count = think(&view, orders);
        send_answer(orders, count);
    }
    return 0;
}
