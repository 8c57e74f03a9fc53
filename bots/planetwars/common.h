/* Shared by the house bots of Planet Wars: reads views from standard input and writes moves to
   standard output. A bot owns one Board and calls board_read until it returns false. Invalid input
   ends the program with a message on standard error. */
#ifndef BOTS_PLANETWARS_COMMON_H
#define BOTS_PLANETWARS_COMMON_H

#include "base/buffer.h"
#include "base/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Planet {
    Slice name; /* valid until the next view */
    double x;
    double y;
    uint64_t ships;
    uint32_t owner; /* 1: this bot; 0: neutral */
} Planet;

typedef struct Expedition {
    uint64_t ships;
    uint32_t owner;
    uint32_t origin;
    uint32_t destination;
    uint32_t turns_remaining;
} Expedition;

typedef struct Board {
    Planet *planets;
    uint32_t planet_count;
    Expedition *expeditions;
    uint32_t expedition_count;
    Buffer answer; /* the moves so far */
    char *line;
    size_t line_capacity;
    Json json;
} Board;

static inline _Noreturn void board_give_up(const char *what) {
    fprintf(stderr, "invalid view of Planet Wars: %s\n", what);
    exit(1);
}

static inline uint32_t board_member(const Json *json, uint32_t object, const char *key) {
    uint32_t node =
        json->nodes[object].kind == JSON_OBJECT ? json_member(json, object, key) : JSON_NONE;
    if (node == JSON_NONE)
        board_give_up(key);
    return node;
}

static inline uint64_t board_uint(const Json *json, uint32_t object, const char *key) {
    uint64_t value = 0;
    if (!json_uint64(json, board_member(json, object, key), &value))
        board_give_up(key);
    return value;
}

static inline double board_number(const Json *json, uint32_t object, const char *key) {
    double value = 0;
    if (!json_number(json, board_member(json, object, key), &value))
        board_give_up(key);
    return value;
}

static inline uint32_t board_list(const Json *json, const char *key, uint32_t count_max) {
    uint32_t node = board_member(json, 0, key);
    if (json->nodes[node].kind != JSON_ARRAY || json->nodes[node].count > count_max)
        board_give_up(key);
    return node;
}

static inline uint32_t board_find(const Board *board, uint32_t object, const char *key) {
    Slice name = board->json.nodes[board_member(&board->json, object, key)].text;
    for (uint32_t i = 0; i < board->planet_count; i++) {
        Slice other = board->planets[i].name;
        if (other.length == name.length && memcmp(other.at, name.at, name.length) == 0)
            return i;
    }
    board_give_up(key);
}

static inline void *board_grow(void *list, uint32_t count, size_t size) {
    void *grown = realloc(list, (count ? count : 1) * size);
    if (!grown)
        abort();
    return grown;
}

static inline void board_read_planets(Board *board) {
    const Json *json = &board->json;
    uint32_t list = board_list(json, "planets", 2000);
    board->planets =
        (Planet *)board_grow(board->planets, json->nodes[list].count, sizeof *board->planets);
    board->planet_count = 0;
    for (uint32_t node = list + 1; node < json->nodes[list].next; node = json->nodes[node].next) {
        uint32_t name = board_member(json, node, "name");
        if (json->nodes[name].kind != JSON_STRING || json->nodes[name].text.length == 0)
            board_give_up("name");
        bool owned = json->nodes[board_member(json, node, "owner")].kind != JSON_NULL;
        board->planets[board->planet_count++] = (Planet){
            .name = json->nodes[name].text,
            .x = board_number(json, node, "x"),
            .y = board_number(json, node, "y"),
            .ships = board_uint(json, node, "ship_count"),
            .owner = owned ? (uint32_t)board_uint(json, node, "owner") : 0,
        };
    }
}

static inline void board_read_expeditions(Board *board) {
    const Json *json = &board->json;
    uint32_t list = board_list(json, "expeditions", 10000000);
    board->expeditions = (Expedition *)board_grow(board->expeditions, json->nodes[list].count,
                                                  sizeof *board->expeditions);
    board->expedition_count = 0;
    for (uint32_t node = list + 1; node < json->nodes[list].next; node = json->nodes[node].next)
        board->expeditions[board->expedition_count++] = (Expedition){
            .ships = board_uint(json, node, "ship_count"),
            .owner = (uint32_t)board_uint(json, node, "owner"),
            .origin = board_find(board, node, "origin"),
            .destination = board_find(board, node, "destination"),
            .turns_remaining = (uint32_t)board_uint(json, node, "turns_remaining"),
        };
}

/* Waits for the next view and clears the answer. False at the end of input. */
static inline bool board_read(Board *board) {
    ssize_t length = getline(&board->line, &board->line_capacity, stdin);
    if (length < 0)
        return false;
    Error error;
    if (!json_parse(&board->json, (Slice){board->line, (size_t)length}, &error))
        board_give_up(error.text);
    board_read_planets(board);
    board_read_expeditions(board);
    buffer_clear(&board->answer);
    return true;
}

/* Adds a move and subtracts the ships from the planet. */
static inline void board_send(Board *board, uint32_t origin, uint32_t destination, uint64_t ships) {
    Buffer *answer = &board->answer;
    buffer_text(answer, answer->length ? ",{\"origin\":" : "{\"origin\":");
    json_string(answer, board->planets[origin].name);
    buffer_text(answer, ",\"destination\":");
    json_string(answer, board->planets[destination].name);
    buffer_text(answer, ",\"ship_count\":");
    buffer_uint(answer, ships);
    buffer_char(answer, '}');
    board->planets[origin].ships -= ships;
}

/* Writes the answer. */
static inline void board_answer(Board *board) {
    printf("{\"moves\":[%s]}\n", buffer_string(&board->answer));
    if (fflush(stdout) != 0)
        exit(0); /* the referee has closed the pipe */
}

static inline void board_free(Board *board) {
    free(board->planets);
    free(board->expeditions);
    free(board->line);
    buffer_free(&board->answer);
    json_free(&board->json);
}

/* Turns that an expedition takes; at least 1. */
static inline uint32_t board_travel(const Planet *from, const Planet *to) {
    double across = from->x - to->x;
    double up = from->y - to->y;
    double turns = ceil(sqrt(across * across + up * up));
    return turns < 1 ? 1 : turns > 1e9 ? 1000000000 : (uint32_t)turns;
}

#endif
