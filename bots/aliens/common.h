/* Shared by the house bots of Aliens: reads views and writes answers. */
#ifndef BOTS_ALIENS_COMMON_H
#define BOTS_ALIENS_COMMON_H

#include "base/buffer.h"
#include "base/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS_MAX = 10000 };

/* A view; "mine" and "theirs" stand for the players "a" and "b", as seen by the bot. */
typedef struct View {
    int rows;
    int cols;
    int cells;
    int turn;
    int turns_max;
    char mine;
    char theirs;
    int my_energy;
    int their_energy;
    int my_spawn;
    int their_spawn;
    bool my_spawn_razed;
    bool their_spawn_razed;
    char grid[CELLS_MAX];
} View;

static inline _Noreturn void give_up(const char *what) {
    fprintf(stderr, "invalid view of Aliens: %s\n", what);
    exit(1);
}

static inline uint32_t view_member(const Json *json, uint32_t object, const char *key,
                                   JsonKind kind) {
    uint32_t node = json_member(json, object, key);
    if (node == JSON_NONE || json->nodes[node].kind != kind)
        give_up(key);
    return node;
}

static inline int view_number(const Json *json, uint32_t object, const char *key, int low,
                              int high) {
    int64_t value = 0;
    if (!json_whole(json, view_member(json, object, key, JSON_NUMBER), &value) || value < low ||
        value > high)
        give_up(key);
    return (int)value;
}

static inline void view_fill(View *view, const Json *json) {
    if (json->nodes[0].kind != JSON_OBJECT)
        give_up("not an object");
    uint32_t state = view_member(json, 0, "state", JSON_OBJECT);
    Slice player = json->nodes[view_member(json, 0, "player", JSON_STRING)].text;
    bool second = slice_equals(player, "b");
    if (!second && !slice_equals(player, "a"))
        give_up("player");
    view->mine = second ? 'b' : 'a';
    view->theirs = second ? 'a' : 'b';
    view->rows = view_number(json, state, "rows", 1, CELLS_MAX);
    view->cols = view_number(json, state, "cols", 1, CELLS_MAX / view->rows);
    view->cells = view->rows * view->cols;
    view->turn = view_number(json, state, "turnsElapsed", 0, INT32_MAX);
    view->turns_max = view_number(json, state, "maxTurns", 0, INT32_MAX);
    uint32_t me = view_member(json, state, second ? "p2" : "p1", JSON_OBJECT);
    uint32_t they = view_member(json, state, second ? "p1" : "p2", JSON_OBJECT);
    view->my_energy = view_number(json, me, "food", 0, INT32_MAX);
    view->their_energy = view_number(json, they, "food", 0, INT32_MAX);
    view->my_spawn = view_number(json, me, "spawn", 0, view->cells - 1);
    view->their_spawn = view_number(json, they, "spawn", 0, view->cells - 1);
    view->my_spawn_razed = json_member(json, me, "spawnDisabled") != JSON_NONE;
    view->their_spawn_razed = json_member(json, they, "spawnDisabled") != JSON_NONE;
    Slice grid = json->nodes[view_member(json, state, "grid", JSON_STRING)].text;
    if (grid.length != (size_t)view->cells)
        give_up("grid");
    memcpy(view->grid, grid.at, grid.length);
}

/* Waits for the next view. False at the end of the match. */
static inline bool view_read(View *view) {
    static char *line;
    static size_t capacity;
    static Json json;
    ssize_t length = getline(&line, &capacity, stdin);
    if (length <= 0)
        return false;
    Error error;
    if (!json_parse(&json, (Slice){line, (size_t)length}, &error))
        give_up(error.text);
    view_fill(view, &json);
    return true;
}

/* The number of steps between two squares. */
static inline int view_steps(const View *view, int a, int b) {
    return abs(a / view->cols - b / view->cols) + abs(a % view->cols - b % view->cols);
}

/* Ten per step, plus the longer of the two axes: closing the longer axis first avoids zigzagging
   after a moving target. */
static inline int view_way(const View *view, int a, int b) {
    int down = abs(a / view->cols - b / view->cols);
    int right = abs(a % view->cols - b % view->cols);
    return 10 * (down + right) + (down > right ? down : right);
}

/* Stores the up to four adjacent squares in `next` and returns their number. */
static inline int view_neighbours(const View *view, int square, int next[4]) {
    int count = 0;
    if (square >= view->cols)
        next[count++] = square - view->cols;
    if (square + view->cols < view->cells)
        next[count++] = square + view->cols;
    if (square % view->cols > 0)
        next[count++] = square - 1;
    if (square % view->cols < view->cols - 1)
        next[count++] = square + 1;
    return count;
}

/* Moves are added to an answer between answer_begin and answer_send. */
static inline void answer_begin(Buffer *answer) {
    buffer_clear(answer);
    buffer_char(answer, '[');
}

static inline void answer_move(Buffer *answer, int from, int to) {
    buffer_format(answer, "%s{\"from\":%d,\"to\":%d}", answer->length > 1 ? "," : "", from, to);
}

static inline void answer_send(Buffer *answer) {
    buffer_text(answer, "]\n");
    if (fwrite(answer->data, 1, answer->length, stdout) != answer->length || fflush(stdout) != 0)
        exit(1);
}

#endif
