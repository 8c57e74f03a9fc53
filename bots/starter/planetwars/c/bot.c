/* A starter bot for Planet Wars: every planet takes the nearest planet that it can. Change it!

       skirmish play planetwars --watch . house:random

   Each turn, think() gets a view:
       view->turn               the number of the turn, from 1
       view->planets            each has name, x, y, owner (1: you, 2 and more: enemies, 0: nobody),
       view->planet_count       ships
       view->expeditions        fleets under way: id, origin and destination (names of planets),
       view->expedition_count   owner, ships, turns_remaining
   and writes the moves, each a fleet from one of your planets to another planet:
       moves[0] = (Move){"protos", "extos", 6};
       return 1; */
#include "protocol.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The line to change first: how many ships a planet keeps at home, and by how many ships its fleets
   outnumber their targets. */
enum { GARRISON = 0, SPARE = 1 };

/* The travel time in turns. */
static int travel_time(const Planet *a, const Planet *b) {
    double dx = a->x - b->x, dy = a->y - b->y;
    return fmax(1, ceil(sqrt(dx * dx + dy * dy)));
}

/* The index of a planet. */
static int find(const View *view, const char *name) {
    int index = 0;
    while (index < view->planet_count - 1 && strcmp(view->planets[index].name, name) != 0)
        index++;
    return index;
}

typedef struct Target {
    int index; /* of the planet */
    int turns; /* to get there */
} Target;

/* The nearest first; those that are equally near in the order of the view. */
static int compare_targets(const void *a, const void *b) {
    const Target *one = a, *other = b;
    return one->turns != other->turns ? one->turns - other->turns : one->index - other->index;
}

/* Lists the planets that are not ours, the nearest first, and returns how many there are. */
static int find_targets(const View *view, const Planet *origin, Target targets[]) {
    int count = 0;
    for (int i = 0; i < view->planet_count; i++)
        if (view->planets[i].owner != 1)
            targets[count++] = (Target){i, travel_time(origin, &view->planets[i])};
    qsort(targets, count, sizeof *targets, compare_targets);
    return count;
}

/* Writes the moves of this turn and returns how many there are. The whole strategy is here. */
static int think(const View *view, Move moves[]) {
    long long ours[MAX_PLANETS] = {0};   /* our ships under way to each planet */
    long long theirs[MAX_PLANETS] = {0}; /* and those of the enemies */
    for (int i = 0; i < view->expedition_count; i++) {
        const Expedition *expedition = &view->expeditions[i];
        long long *side = expedition->owner == 1 ? ours : theirs;
        side[find(view, expedition->destination)] += expedition->ships;
    }

    int count = 0;
    for (int i = 0; i < view->planet_count; i++) {
        const Planet *origin = &view->planets[i];
        if (origin->owner != 1)
            continue;
        /* A planet under attack keeps the ships it needs. */
        long long ships = origin->ships - GARRISON - theirs[i];
        Target targets[MAX_PLANETS];
        int target_count = find_targets(view, origin, targets);
        for (int k = 0; k < target_count; k++) {
            int index = targets[k].index;
            const Planet *target = &view->planets[index];
            /* An enemy planet builds a ship per turn until we arrive; a neutral one builds none. */
            int built = target->owner ? targets[k].turns : 0;
            long long needed = target->ships + built + theirs[index] + SPARE - ours[index];
            if (needed > 0 && needed <= ships) {
                ships -= needed;
                ours[index] += needed;
                moves[count++] = (Move){origin->name, target->name, needed};
            }
        }
    }
    return count;
}

/* The main loop: answer every view until the match ends. */
int main(void) {
    static View view;
    static Move moves[MAX_MOVES];
    while (read_view(&view)) {
        if (view.turn == 1) /* debug output: "skirmish play --stderr" and replays show it */
            fprintf(stderr, "planets on this map: %d\n", view.planet_count);
        int count = think(&view, moves);
        send_answer(moves, count);
    }
    return 0;
}
