/* House bot for Gems: goes for the gem with the highest value per step, and leaves a gem alone if
   another player gets there first. */
#include "common.h"

static int steps(const View *view, int player, int row, int col) {
    return abs(view->row[player] - row) + abs(view->col[player] - col);
}

/* Whether another player is nearer to the square. */
static bool is_lost(const View *view, int row, int col) {
    for (int player = 1; player < view->players; player++)
        if (steps(view, player, row, col) < steps(view, 0, row, col))
            return true;
    return false;
}

static const char *choose(const View *view) {
    /* The centre is close to wherever the next gem appears. */
    int goal_row = view->rows / 2;
    int goal_col = view->cols / 2;
    int best = 0;
    for (int row = 0; row < view->rows; row++)
        for (int col = 0; col < view->cols; col++) {
            if (!view->gem[row][col] || is_lost(view, row, col))
                continue;
            int worth = 1000 * view->gem[row][col] / (steps(view, 0, row, col) + 1);
            if (worth > best) {
                best = worth;
                goal_row = row;
                goal_col = col;
            }
        }
    if (goal_row != view->row[0])
        return goal_row < view->row[0] ? "up" : "down";
    if (goal_col != view->col[0])
        return goal_col < view->col[0] ? "left" : "right";
    return "stay";
}

int main(void) {
    static View view;
    while (view_read(&view))
        answer_send(choose(&view));
    return 0;
}
