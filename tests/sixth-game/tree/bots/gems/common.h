/* What the house bots of Gems share: reading a view. */
#ifndef BOTS_GEMS_COMMON_H
#define BOTS_GEMS_COMMON_H

#include "base/json.h"

#include <stdio.h>
#include <stdlib.h>

enum { PLAYERS_MAX = 3, SIDE_MAX = 30 };

typedef struct View {
    int rows;
    int cols;
    int gem[SIDE_MAX][SIDE_MAX]; /* value, or 0 */
    int players;
    int row[PLAYERS_MAX]; /* of players who still play; the bot itself is number 0 */
    int col[PLAYERS_MAX];
} View;

/* A number from 0 to `limit` - 1. Ends the program if there is none. */
static inline int view_number(const Json *json, uint32_t object, const char *key, int limit) {
    uint32_t node = json_member(json, object, key);
    int64_t value = -1;
    if (node == JSON_NONE || !json_whole(json, node, &value) || value < 0 || value >= limit) {
        fprintf(stderr, "the view has no valid \"%s\"\n", key);
        exit(1);
    }
    return (int)value;
}

/* The node of an array with at most `limit` elements. Ends the program if there is none. */
static inline uint32_t view_array(const Json *json, const char *key, uint32_t limit) {
    uint32_t node = json_member(json, 0, key);
    if (node == JSON_NONE || json->nodes[node].kind != JSON_ARRAY ||
        json->nodes[node].count > limit) {
        fprintf(stderr, "the view has no valid \"%s\"\n", key);
        exit(1);
    }
    return node;
}

static inline void view_fill(View *view, const Json *json) {
    *view = (View){.players = 1};
    uint32_t grid = view_array(json, "grid", SIDE_MAX);
    for (uint32_t node = grid + 1; node < json->nodes[grid].next; node = json->nodes[node].next) {
        Slice line = json->nodes[node].text;
        view->cols = (int)(line.length < SIDE_MAX ? line.length : SIDE_MAX);
        for (int col = 0; col < view->cols; col++)
            view->gem[view->rows][col] = line.at[col] == '.' ? 0 : line.at[col] - '0';
        view->rows++;
    }
    int you = view_number(json, 0, "you", PLAYERS_MAX);
    uint32_t players = view_array(json, "players", PLAYERS_MAX);
    int number = 0;
    for (uint32_t node = players + 1; node < json->nodes[players].next;
         node = json->nodes[node].next, number++) {
        uint32_t playing = json_member(json, node, "playing");
        if (playing == JSON_NONE || json->nodes[playing].kind != JSON_TRUE)
            continue;
        int index = number == you ? 0 : view->players++;
        if (index == PLAYERS_MAX)
            exit(1);
        view->row[index] = view_number(json, node, "row", view->rows);
        view->col[index] = view_number(json, node, "col", view->cols);
    }
}

/* Waits for the next view. Returns false when the match is over. */
static inline bool view_read(View *view) {
    static char *line;
    static size_t capacity;
    static Json json;
    ssize_t length = getline(&line, &capacity, stdin);
    if (length <= 0)
        return false;
    Error error;
    if (!json_parse(&json, (Slice){line, (size_t)length}, &error) ||
        json.nodes[0].kind != JSON_OBJECT) {
        fprintf(stderr, "the view is not a JSON object\n");
        exit(1);
    }
    view_fill(view, &json);
    return true;
}

static inline void answer_send(const char *move) {
    if (puts(move) < 0 || fflush(stdout) != 0)
        exit(1);
}

#endif
