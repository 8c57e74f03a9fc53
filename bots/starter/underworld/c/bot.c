/* A starter bot for Underworld: farms first, then warriors, then the nearest castle. Change it!

       skirmish play underworld --map duel --watch . house:random

   Each turn, think() gets a view. Cells are numbered row by row from 0, so that arrays can have an
   element per cell:
       view->turn                  the number of the turn, from 1
       view->columns, view->rows   the size of the board
       view->players, view->me     how many players there are, and your number, from 0
       view->money                 what you can spend
       view->things, thing_count   what you see: each has cell, owner, hitpoints and kind ('C'
                                   castle, 'B' barracks, 'F' farm, 'W' warrior, '#' wall)
   and writes any number of commands:
       commands[0] = (Command){"build", 1, 'F'};    a farm or barracks, within distance 2 of your
                                                    buildings
       commands[1] = (Command){"spawn", 10, 'E'};   the barracks spawns a warrior to the east
       commands[2] = (Command){"move", 11, 'S'};    the warrior moves south; it strikes
       return 3;                                    automatically */
#include "protocol.h"

#include <stdio.h>
#include <string.h>

/* The line to change first: how many farms to build, and how many warriors before they attack. */
enum { FARMS = 3, ARMY = 4 };
enum { FARM_COST = 1000, WARRIOR_COST = 500 };
enum { REACH = 4 }; /* range of warriors and of building: distance 2, squared */

static const struct {
    char letter;
    int dx, dy;
} directions[4] = {{'N', 0, -1}, {'S', 0, 1}, {'E', 1, 0}, {'W', -1, 0}};

typedef struct Cells {
    int count;
    int list[MAX_CELLS];
} Cells;

static int far[MAX_CELLS];    /* the steps to the goal from every cell; -1: no way */
static bool taken[MAX_CELLS]; /* cells that are not free */

/* Adds the cells of all things of one kind, either ours or those of others. */
static void add_cells(Cells *cells, const View *view, char kind, bool ours) {
    for (int i = 0; i < view->thing_count; i++)
        if (view->things[i].kind == kind && (view->things[i].owner == view->me) == ours)
            cells->list[cells->count++] = view->things[i].cell;
}

/* The squared distance. */
static int apart(const View *view, int a, int b) {
    int dx = a % view->columns - b % view->columns;
    int dy = a / view->columns - b / view->columns;
    return dx * dx + dy * dy;
}

static bool is_near(const View *view, int cell, const Cells *cells, int reach) {
    for (int i = 0; i < cells->count; i++)
        if (apart(view, cell, cells->list[i]) <= reach)
            return true;
    return false;
}

/* The adjacent cell in a direction; -1: it is not on the board. */
static int neighbour(const View *view, int cell, int direction) {
    int x = cell % view->columns + directions[direction].dx;
    int y = cell / view->columns + directions[direction].dy;
    bool inside = x >= 0 && x < view->columns && y >= 0 && y < view->rows;
    return inside ? y * view->columns + x : -1;
}

/* Fills `far`. */
static void measure(const View *view, int goal, const Cells *closed) {
    static Cells queue;
    static bool is_closed[MAX_CELLS];
    memset(is_closed, 0, sizeof is_closed);
    for (int i = 0; i < closed->count; i++)
        is_closed[closed->list[i]] = true;
    memset(far, -1, sizeof far);
    far[goal] = 0;
    queue.list[0] = goal;
    queue.count = 1;
    for (int i = 0; i < queue.count; i++)
        for (int d = 0; d < 4; d++) {
            int to = neighbour(view, queue.list[i], d);
            if (to >= 0 && far[to] < 0 && !is_closed[to]) {
                far[to] = far[queue.list[i]] + 1;
                queue.list[queue.count++] = to;
            }
        }
}

/* The direction of the free neighbour that is nearest to the goal; -1: none is free. */
static int next_step(const View *view, int cell) {
    int best = -1;
    for (int d = 0; d < 4; d++) {
        int to = neighbour(view, cell, d);
        if (to >= 0 && !taken[to] && far[to] >= 0 &&
            (best < 0 || far[to] < far[neighbour(view, cell, best)]))
            best = d;
    }
    return best;
}

/* The cell for a farm; -1: there is none. The cells around barracks are left free for warriors. */
static int find_site(const View *view, int home, const Cells *buildings, const Cells *barracks) {
    int site = -1;
    for (int cell = 0; cell < view->columns * view->rows; cell++)
        if (!taken[cell] && !is_near(view, cell, barracks, 1) &&
            is_near(view, cell, buildings, REACH) &&
            (site < 0 || apart(view, cell, home) < apart(view, site, home)))
            site = cell;
    return site;
}

/* Adds a cell after those that are as near to the goal or nearer. */
static void insert(Cells *cells, int cell) {
    int place = cells->count++;
    for (; place > 0 && far[cells->list[place - 1]] > far[cell]; place--)
        cells->list[place] = cells->list[place - 1];
    cells->list[place] = cell;
}

/* Writes the commands of this turn and returns how many there are. The whole strategy is here. */
static int think(const View *view, Command commands[]) {
    static Cells castles, barracks, buildings, closed, warriors, army, threats;
    castles.count = barracks.count = buildings.count = closed.count = 0;
    warriors.count = army.count = threats.count = 0;
    add_cells(&barracks, view, 'B', true);
    add_cells(&buildings, view, 'C', true);
    add_cells(&buildings, view, 'B', true);
    int others = buildings.count;
    add_cells(&buildings, view, 'F', true);
    int farms = buildings.count - others;
    add_cells(&warriors, view, 'W', true);
    add_cells(&threats, view, 'W', false);
    int home = buildings.list[0];

    add_cells(&castles, view, 'C', false);
    int goal = view->columns * view->rows - 1 - home; /* the opposite side if we see no castle */
    for (int i = 0; i < castles.count; i++)
        if (i == 0 || apart(view, castles.list[i], home) < apart(view, goal, home))
            goal = castles.list[i];
    /* Only walls and our own buildings block the way: we destroy those of the enemies. */
    closed = buildings;
    add_cells(&closed, view, '#', false);
    measure(view, goal, &closed);
    memset(taken, 0, sizeof taken);
    for (int i = 0; i < view->thing_count; i++)
        taken[view->things[i].cell] = true;

    int count = 0;
    long long money = view->money;
    /* Warriors in front move first and make room for the next. */
    for (int i = 0; i < warriors.count; i++)
        if (far[warriors.list[i]] >= 0)
            insert(&army, warriors.list[i]);
    for (int i = 0; i < army.count; i++) {
        int cell = army.list[i];
        bool fights = is_near(view, cell, &threats, REACH);
        bool waits = warriors.count < ARMY && !is_near(view, cell, &buildings, REACH);
        int step = next_step(view, cell);
        int to = step < 0 ? cell : neighbour(view, cell, step);
        if (far[to] < far[cell] && !fights && !waits) {
            taken[cell] = false;
            taken[to] = true;
            commands[count++] = (Command){"move", cell, directions[step].letter};
        }
    }
    int site = -1;
    if (farms < FARMS && money >= FARM_COST)
        site = find_site(view, home, &buildings, &barracks);
    if (site >= 0) {
        taken[site] = true;
        money -= FARM_COST;
        commands[count++] = (Command){"build", site, 'F'};
    }
    for (int i = 0; i < barracks.count; i++) {
        int step = next_step(view, barracks.list[i]);
        if (step >= 0 && money >= WARRIOR_COST) {
            taken[neighbour(view, barracks.list[i], step)] = true;
            money -= WARRIOR_COST;
            commands[count++] = (Command){"spawn", barracks.list[i], directions[step].letter};
        }
    }
    return count;
}

/* The main loop: answer every view until the match ends. */
int main(void) {
    static View view;
    static Command commands[MAX_CELLS];
    while (read_view(&view)) {
        if (view.turn == 1) /* debug output: "skirmish play --stderr" and replays show it */
            fprintf(stderr, "I am player %d of %d\n", view.me, view.players);
        int count = think(&view, commands);
        send_answer(&view, commands, count);
    }
    return 0;
}
