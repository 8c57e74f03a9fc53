/* A starter bot for Aliens: it gathers energy, and attacks when it is strong. Change it!

       skirmish play aliens --watch . house:random

   Each turn, think() gets a view:
       view->turn               the number of the turn, from 1
       view->rows, view->cols   the size of the grid; squares are numbered row by row from 0
       view->grid               a character per square: '.' empty, '*' energy, 'a' and 'b' units
       view->me, view->enemy    the players: letter, energy, spawn (a square), spawn_destroyed
   and writes the moves, from a square to an adjacent one. Units without a move stay:
       moves[0] = (Move){21, 22};
       moves[1] = (Move){40, 60};
       return 2; */
#include "protocol.h"

#include <stdio.h>
#include <stdlib.h>

/* The line to change first: attack when we have this many times as many units as the enemy. */
enum { COURAGE = 2 };

typedef struct Squares {
    int count;
    int list[MAX_SQUARES + 1];
} Squares;

static void find(const View *view, char what, Squares *found) {
    found->count = 0;
    for (int square = 0; square < view->rows * view->cols; square++)
        if (view->grid[square] == what)
            found->list[found->count++] = square;
}

static int steps(const View *view, int a, int b) {
    int cols = view->cols;
    return abs(a / cols - b / cols) + abs(a % cols - b % cols);
}

/* Lists the adjacent squares and returns how many there are. */
static int neighbours(const View *view, int square, int list[4]) {
    int row = square / view->cols, col = square % view->cols;
    int count = 0;
    if (row > 0)
        list[count++] = square - view->cols;
    if (row < view->rows - 1)
        list[count++] = square + view->cols;
    if (col > 0)
        list[count++] = square - 1;
    if (col < view->cols - 1)
        list[count++] = square + 1;
    return count;
}

/* The cost of a square: distance to the goal, or one of `dangers` too close. */
static int cost(const View *view, int square, int goal, const Squares *dangers) {
    for (int i = 0; i < dangers->count; i++)
        if (steps(view, square, dangers->list[i]) <= 2)
            return steps(view, square, goal) + 1000;
    return steps(view, square, goal);
}

/* Writes the moves of this turn and returns how many there are. The whole strategy is here. */
static int think(const View *view, Move moves[]) {
    static Squares units, enemies, goals;
    static const Squares none;
    find(view, view->me.letter, &units);
    find(view, view->enemy.letter, &enemies);
    bool attack = units.count >= COURAGE * enemies.count;
    find(view, attack ? view->enemy.letter : '*', &goals);
    if (attack)
        goals.list[goals.count++] = view->enemy.spawn;
    bool taken[MAX_SQUARES] = {false}; /* by one of our units; if two meet on a square, both die */
    for (int i = 0; i < units.count; i++)
        taken[units.list[i]] = true;
    bool claimed[MAX_SQUARES] = {false}; /* energy that one of our units is already going for */
    int count = 0;
    for (int i = 0; i < units.count; i++) {
        int unit = units.list[i];
        int goal = -1;
        for (int k = 0; k < goals.count; k++) {
            int other = goals.list[k];
            if (!claimed[other] && (goal < 0 || steps(view, unit, other) < steps(view, unit, goal)))
                goal = other;
        }
        if (goal < 0)
            goal = view->rows / 2 * view->cols + view->cols / 2;
        if (!attack)
            claimed[goal] = true;

        const Squares *dangers = attack ? &none : &enemies;
        int around[4];
        int around_count = neighbours(view, unit, around);
        int to = unit;
        for (int k = 0; k < around_count; k++)
            /* Energy is gathered from an adjacent square; moving onto it destroys it. */
            if (!taken[around[k]] && view->grid[around[k]] != '*' &&
                cost(view, around[k], goal, dangers) < cost(view, to, goal, dangers))
                to = around[k];
        if (to != unit) {
            taken[unit] = false;
            taken[to] = true;
            moves[count++] = (Move){unit, to};
        }
    }
    return count;
}

/* The main loop: answer every view until the match ends. */
int main(void) {
    View view = {0};
    static Move moves[MAX_SQUARES];
    while (read_view(&view)) {
        if (view.turn == 1) /* debug output: "skirmish play --stderr" and replays show it */
            fprintf(stderr, "I am player %c\n", view.me.letter);
        int count = think(&view, moves);
        send_answer(moves, count);
    }
    return 0;
}
