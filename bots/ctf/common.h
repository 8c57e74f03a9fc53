/* Shared by the house bots of Capture the flag: reads views and finds squares on the map. Invalid
   input ends the program with a message on standard error; the end of input ends it silently. */
#ifndef BOTS_CTF_COMMON_H
#define BOTS_CTF_COMMON_H

#include "base/slice.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SIDE_MAX = 200,
    CELLS_MAX = SIDE_MAX * SIDE_MAX,
    TEAM_MAX = 26,
    GRENADES_MAX = 256,
    STAY = 4, /* does not move */
    DIRECTIONS = 5,
    FAR = 30000, /* steps to a square that cannot be reached */
};

typedef int16_t Field[CELLS_MAX]; /* steps from every square to one goal */

static const char direction_letters[DIRECTIONS] = {'U', 'D', 'L', 'R', 'S'};

typedef struct Soldier {
    char name;
    int at; /* y * width + x */
    int cooldown;
    bool alive;
    bool carries; /* the enemy's flag */
} Soldier;

typedef struct Grenade {
    int at;
    int countdown;
} Grenade;

typedef struct World {
    char team;
    int width;
    int height;
    int cells;
    int base[2];  /* own, enemy's */
    int spawn[2]; /* own, enemy's */
    int turn;     /* views read */
    char tiles[CELLS_MAX];

    int flag[2];  /* own, enemy's */
    int count[2]; /* number of soldiers */
    Soldier soldiers[2][TEAM_MAX];
    int grenade_count; /* own grenades only */
    Grenade grenades[GRENADES_MAX];
} World;

static _Noreturn void give_up(const char *what, Slice line) {
    fprintf(stderr, "%s: \"%.*s\"\n", what, SLICE_ARGS(line));
    exit(1);
}

/* Reads the next line of input. At the end of input the match is over, and the program exits. */
static inline Slice next_line(void) {
    static char *buffer;
    static size_t capacity;
    ssize_t length = getline(&buffer, &capacity, stdin);
    if (length < 0)
        exit(0);
    Slice rest = {buffer, (size_t)length};
    Slice line = rest;
    slice_line(&rest, &line);
    return line;
}

static inline int next_number(Slice *rest, Slice line) {
    Slice word;
    int64_t value = 0;
    if (!slice_word(rest, &word) || !slice_int(word, &value) || value < INT32_MIN ||
        value > INT32_MAX)
        give_up("expected a number", line);
    return (int)value;
}

static inline int next_square(const World *world, Slice *rest, Slice line) {
    int x = next_number(rest, line);
    int y = next_number(rest, line);
    if (x < 0 || y < 0 || x >= world->width || y >= world->height)
        give_up("expected a square on the map", line);
    return y * world->width + x;
}

static inline void read_soldier(World *world, int side, Slice *rest, Slice line) {
    Slice name;
    Slice alive;
    Slice flag;
    Soldier soldier = {0};
    if (world->count[side] == TEAM_MAX || !slice_word(rest, &name))
        give_up("expected a soldier", line);
    soldier.name = *name.at;
    soldier.at = next_square(world, rest, line);
    if (side == 0)
        soldier.cooldown = next_number(rest, line);
    if (!slice_word(rest, &alive) || !slice_word(rest, &flag))
        give_up("expected whether a soldier is alive and has a flag", line);
    soldier.alive = slice_equals(alive, "True");
    soldier.carries = !slice_equals(flag, "No");
    world->soldiers[side][world->count[side]++] = soldier;
}

/* Reads the team and the map, up to the empty line. */
static inline void read_start(World *world) {
    Slice line = next_line();
    if (!slice_equals(line, "A") && !slice_equals(line, "B"))
        give_up("expected the team", line);
    world->team = *line.at;
    bool of_b = world->team == 'B';
    for (line = next_line(); line.length; line = next_line()) {
        if (world->height == 0)
            world->width = (int)(line.length < SIDE_MAX ? line.length : SIDE_MAX);
        if (line.length != (size_t)world->width || world->height == SIDE_MAX)
            give_up("expected a row of the map", line);
        for (int x = 0; x < world->width; x++) {
            int at = world->height * world->width + x;
            char tile = line.at[x];
            world->tiles[at] = tile;
            if (tile == 'A' || tile == 'B')
                world->spawn[(tile == 'B') != of_b] = at;
            if (tile == 'a' || tile == 'b')
                world->base[(tile == 'b') != of_b] = at;
        }
        world->height++;
    }
    if (world->height == 0)
        give_up("expected a map", line);
    world->cells = world->width * world->height;
}

/* Reads the lines of one round, up to the empty line. */
static inline void read_round(World *world) {
    Slice line;
    next_line(); /* the points */
    world->count[0] = world->count[1] = world->grenade_count = 0;
    for (line = next_line(); line.length; line = next_line()) {
        Slice rest = line;
        Slice word;
        if (!slice_word(&rest, &word))
            give_up("expected a word", line);
        if (slice_equals(word, "Flag")) {
            world->flag[0] = next_square(world, &rest, line);
        } else if (slice_equals(word, "EnemyFlag")) {
            world->flag[1] = next_square(world, &rest, line);
        } else if (slice_equals(word, "Soldier")) {
            read_soldier(world, 0, &rest, line);
        } else if (slice_equals(word, "Enemy")) {
            read_soldier(world, 1, &rest, line);
        } else if (slice_equals(word, "Grenade") && world->grenade_count < GRENADES_MAX) {
            Grenade *grenade = &world->grenades[world->grenade_count++];
            grenade->at = next_square(world, &rest, line);
            grenade->countdown = next_number(&rest, line);
        } else {
            give_up("unknown line", line);
        }
    }
    world->turn++;
}

/* The adjacent square in a direction; -1 if it is off the map or an obstacle. */
static inline int neighbour(const World *world, int at, int direction) {
    static const int step_x[DIRECTIONS] = {0, 0, -1, 1, 0};
    static const int step_y[DIRECTIONS] = {-1, 1, 0, 0, 0};
    if (direction == STAY)
        return at;
    int x = at % world->width + step_x[direction];
    int y = at / world->width + step_y[direction];
    if (x < 0 || y < 0 || x >= world->width || y >= world->height)
        return -1;
    int to = y * world->width + x;
    return world->tiles[to] == '#' ? -1 : to;
}

static inline int steps_apart(const World *world, int a, int b) {
    return abs(a % world->width - b % world->width) + abs(a / world->width - b / world->width);
}

/* Computes the steps from every square to the goal. */
static inline void flood(const World *world, int goal, Field field) {
    static int queue[CELLS_MAX];
    int count = 0;
    for (int at = 0; at < world->cells; at++)
        field[at] = FAR;
    field[goal] = 0;
    queue[count++] = goal;
    for (int i = 0; i < count; i++)
        for (int direction = 0; direction < STAY; direction++) {
            int to = neighbour(world, queue[i], direction);
            if (to < 0 || field[to] != FAR)
                continue;
            field[to] = (int16_t)(field[queue[i]] + 1);
            queue[count++] = to;
        }
}

/* Where a soldier is when its next order begins: dead soldiers respawn first. */
static inline int start_of(const World *world, int side, const Soldier *soldier) {
    return soldier->alive ? soldier->at : world->spawn[side];
}

/* Whether an explosion at `centre` reaches `at`. */
static inline bool in_blast(const World *world, int centre, int at) {
    return abs(centre % world->width - at % world->width) <= 1 &&
           abs(centre / world->width - at / world->width) <= 1;
}

/* Writes one order; `target` is the square to throw at, or -1. */
static inline void write_order(const World *world, const Soldier *soldier, int direction,
                               int target) {
    printf("%c %c", soldier->name, direction_letters[direction]);
    if (target >= 0)
        printf(" (%d,%d)", target % world->width, target / world->width);
    putchar('\n');
}

/* Ends the answer. */
static inline void write_end(void) {
    putchar('\n');
    fflush(stdout);
}

/* Writes an order for each of our soldiers: a direction, and a square to throw at or -1. */
static inline void write_answer(const World *world, const int *steps, const int *targets) {
    for (int i = 0; i < world->count[0]; i++)
        write_order(world, &world->soldiers[0][i], steps[i], targets[i]);
    write_end();
}

#endif
