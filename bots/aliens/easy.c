/* House bot for Aliens, level easy: every unit goes to nearby energy, otherwise to the nearest
   enemy or the enemy's spawn, by any shortest path. It never moves two units onto one square, but
   does not check whether it can win a fight. */
#include "common.h"

enum { NEAR = 2 }; /* steps to energy that is worth fetching */

/* The square with this content that is nearest to `from`; -1 if there is none. */
static int nearest(const View *view, int from, char what) {
    int best = -1;
    int best_steps = 0;
    for (int square = 0; square < view->cells; square++) {
        int steps = view_steps(view, from, square);
        if (view->grid[square] == what && (best < 0 || steps < best_steps)) {
            best = square;
            best_steps = steps;
        }
    }
    return best;
}

/* Moves the unit one step towards its goal, if a free square leads there. */
static void move_unit(const View *view, int unit, bool *held, Buffer *answer) {
    int goal = nearest(view, unit, '*');
    if (goal < 0 || view_steps(view, unit, goal) > NEAR)
        goal = nearest(view, unit, view->theirs);
    if (goal < 0 || (!view->their_spawn_razed &&
                     view_steps(view, unit, view->their_spawn) < view_steps(view, unit, goal)))
        goal = view->their_spawn;
    int next[4];
    int count = view_neighbours(view, unit, next);
    int best = unit;
    for (int i = 0; i < count; i++)
        if (!held[next[i]] && view->grid[next[i]] != '*' &&
            view_steps(view, next[i], goal) < view_steps(view, best, goal))
            best = next[i];
    if (best == unit)
        return;
    held[unit] = false;
    held[best] = true;
    answer_move(answer, unit, best);
}

int main(void) {
    static View view;
    static bool held[CELLS_MAX]; /* one of our units is or will be there */
    Buffer answer = {0};
    while (view_read(&view)) {
        for (int square = 0; square < view.cells; square++)
            held[square] = view.grid[square] == view.mine;
        answer_begin(&answer);
        for (int square = 0; square < view.cells; square++)
            if (view.grid[square] == view.mine)
                move_unit(&view, square, held, &answer);
        answer_send(&answer);
    }
    buffer_free(&answer);
    return 0;
}
