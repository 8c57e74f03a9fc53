/* A starter bot for Footsoldiers: it builds soldiers and guides them to the enemy. Change it!

       skirmish play footsoldiers --watch . house:random

   Each turn, think() gets a view. Squares have x and y:
       view->turn, view->turns_remaining   this turn, from 1; turns to play, including this one
       view->me, view->enemy               the players: team ("player1"), money, base, health
       view->map, view->map_count          everything on the field, each with type, at, team;
                                           type is "Base", "Rock", "Scout", "Assassin" or "Tank";
                                           soldiers also have health, destination, direction
   and returns one command:
       build("Scout", (Square){2, 3}, (Square){65, 3}, "Right")
                                           place, destination, attack direction
       move((Square){6, 1}, (Square){9, 5})
                                           where the soldier is, its new destination
       turn((Square){6, 1}, "Left")        where the soldier is, its new direction
       no_op() */
#include "protocol.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The line to change first: what to build, in this order, over and over. */
static const char *const plan[] = {"Scout", "Assassin", "Scout"};
enum { PLAN_LENGTH = sizeof plan / sizeof *plan };
enum { NEAR = 5 }; /* maximum distance from the base to build */
enum { UNREACHABLE = 9999, FAR_SIDE = MAX_SIDE + 1 };

/* Steps to the enemy's base from every square that can reach it, computed in the first turn; the
   others have -1. */
static int far[FAR_SIDE][FAR_SIDE];
static int built;

static int cost(const char *type) {
    if (strcmp(type, "Scout") == 0)
        return 10;
    return strcmp(type, "Assassin") == 0 ? 11 : 12;
}

static bool is_same(Square a, Square b) {
    return a.x == b.x && a.y == b.y;
}

static int apart(Square a, Square b) {
    return abs(a.x - b.x) + abs(a.y - b.y);
}

static void find_neighbours(Square at, Square list[4]) {
    list[0] = (Square){at.x + 1, at.y};
    list[1] = (Square){at.x, at.y + 1};
    list[2] = (Square){at.x, at.y - 1};
    list[3] = (Square){at.x - 1, at.y};
}

static bool is_reachable(Square at) {
    return at.x >= 0 && at.x < FAR_SIDE && at.y >= 0 && at.y < FAR_SIDE && far[at.y][at.x] >= 0;
}

/* Fills `far`: from the enemy's base outwards, around the rocks, and also one square off the
   map. */
static void measure(const View *view) {
    static bool rocks[FAR_SIDE][FAR_SIDE];
    static Square queue[FAR_SIDE * FAR_SIDE];
    int width = 0, height = 0, first = 0, count = 0;
    for (int i = 0; i < view->map_count; i++) {
        Square at = view->map[i].at;
        width = at.x + 2 > width ? at.x + 2 : width;
        height = at.y + 2 > height ? at.y + 2 : height;
        if (strcmp(view->map[i].type, "Rock") == 0)
            rocks[at.y][at.x] = true;
    }
    memset(far, -1, sizeof far);
    far[view->enemy.base.y][view->enemy.base.x] = 0;
    queue[count++] = view->enemy.base;
    while (first < count) {
        Square at = queue[first++];
        Square around[4];
        find_neighbours(at, around);
        for (int i = 0; i < 4; i++) {
            Square to = around[i];
            bool is_inside = to.x >= 0 && to.x < width && to.y >= 0 && to.y < height;
            if (is_inside && !is_reachable(to) && !rocks[to.y][to.x]) {
                far[to.y][to.x] = far[at.y][at.x] + 1;
                queue[count++] = to;
            }
        }
    }
}

static int steps(Square at) {
    return is_reachable(at) ? far[at.y][at.x] : UNREACHABLE;
}

/* How far a soldier can go without a detour: it gets stuck behind rocks. */
static Square waypoint(Square start) {
    Square here = start;
    for (int walked = 0; steps(here) > 0; walked++) {
        Square around[4];
        find_neighbours(here, around);
        Square to = around[0];
        for (int i = 1; i < 4; i++)
            if (steps(around[i]) < steps(to))
                to = around[i];
        if (apart(to, start) <= walked)
            break;
        here = to;
    }
    return here;
}

static bool is_taken(const View *view, Square at) {
    for (int i = 0; i < view->map_count; i++)
        if (is_same(view->map[i].at, at))
            return true;
    return false;
}

/* Finds the free square near our base that is nearest to the enemy's. */
static bool find_site(const View *view, Square *site) {
    Square home = view->me.base;
    bool found = false;
    for (int dx = -NEAR; dx <= NEAR; dx++)
        for (int dy = -NEAR; dy <= NEAR; dy++) {
            Square at = {home.x + dx, home.y + dy};
            if (abs(dx) + abs(dy) <= NEAR && is_reachable(at) && !is_taken(view, at) &&
                (!found || steps(at) < steps(*site))) {
                found = true;
                *site = at;
            }
        }
    return found;
}

/* The command of this turn. The whole strategy is here. */
static Command think(const View *view) {
    if (view->turn == 1)
        measure(view);
    const char *type = plan[built % PLAN_LENGTH];
    Square site;
    if (view->me.money >= cost(type) && find_site(view, &site)) {
        built++;
        const char *look = view->me.base.x < view->enemy.base.x ? "Right" : "Left";
        return build(type, site, waypoint(site), look);
    }
    for (int i = 0; i < view->map_count; i++) { /* nothing to build: guide one that has arrived */
        const Thing *thing = &view->map[i];
        bool is_ours = thing->health && strcmp(thing->team, view->me.team) == 0;
        if (is_ours && is_reachable(thing->at) && is_same(thing->at, thing->destination)) {
            Square to = waypoint(thing->at);
            if (!is_same(thing->at, to))
                return move(thing->at, to);
        }
    }
    return no_op();
}

/* The main loop: answer every view until the match ends. */
int main(void) {
    View view = {0};
    while (read_view(&view)) {
        if (view.turn == 1) { /* debug output: "skirmish play --stderr" and replays show it */
            fprintf(stderr, "building");
            for (int i = 0; i < PLAN_LENGTH; i++)
                fprintf(stderr, " %s", plan[i]);
            fprintf(stderr, "\n");
        }
        send_answer(think(&view));
    }
    return 0;
}
