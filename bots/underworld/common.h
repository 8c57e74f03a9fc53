/* Shared by the house bots of Underworld: the handshake, and reading a view into a World. */
#ifndef BOTS_UNDERWORLD_COMMON_H
#define BOTS_UNDERWORLD_COMMON_H

#include "base/slice.h"
#include "games/underworld/underworld.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE_MAX = 1000 };

/* The contents of a cell; kind 0 if it is free. */
typedef struct Thing {
    int owner;
    int hitpoints;
    char kind;
} Thing;

typedef struct World {
    int size_x;
    int size_y;
    int players;
    int me;
    int turn; /* views read before this one */
    long long money;
    Thing *cells; /* row by row */
} World;

static const struct {
    char letter;
    int x;
    int y;
} steps[4] = {{'N', 0, -1}, {'S', 0, 1}, {'E', 1, 0}, {'W', -1, 0}};

static inline _Noreturn void give_up(const char *why) {
    fprintf(stderr, "%s\n", why);
    exit(1);
}

static inline bool on_board(const World *world, int x, int y) {
    return x >= 0 && x < world->size_x && y >= 0 && y < world->size_y;
}

static inline Thing *thing_at(const World *world, int x, int y) {
    return &world->cells[y * world->size_x + x];
}

/* Reads a line without its newline. False at the end of input. */
static inline bool read_line(char *line, int size) {
    if (!fgets(line, size, stdin))
        return false;
    line[strcspn(line, "\r\n")] = '\0';
    return true;
}

/* Reads `count` whole numbers from the start of a line. */
static inline bool take_numbers(Slice *line, int count, int *numbers) {
    for (int i = 0; i < count; i++) {
        Slice word;
        int64_t number;
        if (!slice_word(line, &word) || !slice_int(word, &number) || number < INT32_MIN ||
            number > INT32_MAX)
            return false;
        numbers[i] = (int)number;
    }
    return true;
}

/* Answers the handshake and reads the size of the board. */
static inline World world_greet(void) {
    World world = {0};
    char line[256];
    if (!read_line(line, sizeof line))
        exit(0);
    if (strcmp(line, "Who are you?") != 0)
        give_up("expected \"Who are you?\"");
    puts("crayfish");
    fflush(stdout);
    if (!read_line(line, sizeof line))
        exit(0);
    int numbers[4];
    Slice rest = slice_of(line);
    if (!take_numbers(&rest, 4, numbers) || numbers[0] < 1 || numbers[0] > SIDE_MAX ||
        numbers[1] < 1 || numbers[1] > SIDE_MAX)
        give_up("expected the line with the size of the board");
    world.size_x = numbers[0];
    world.size_y = numbers[1];
    world.players = numbers[2];
    world.me = numbers[3];
    world.cells = calloc((size_t)world.size_x * (size_t)world.size_y, sizeof *world.cells);
    if (!world.cells)
        give_up("out of memory");
    world.turn = -1;
    return world;
}

/* Reads the next view. False when the match is over for us. */
static inline bool world_read(World *world) {
    char line[256];
    memset(world->cells, 0, (size_t)world->size_x * (size_t)world->size_y * sizeof *world->cells);
    world->turn++;
    while (read_line(line, sizeof line)) {
        Slice rest = slice_of(line);
        Slice word;
        if (slice_equals(rest, "end"))
            return true;
        if (slice_equals(rest, "gg"))
            return false;
        if (slice_skip(&rest, "money ")) {
            int64_t money;
            if (!slice_int(slice_trim(rest), &money))
                give_up("expected the amount of money");
            world->money = money;
            continue;
        }
        int numbers[3];
        int hitpoints;
        if (!take_numbers(&rest, 3, numbers) || !slice_word(&rest, &word) || word.length != 1 ||
            !take_numbers(&rest, 1, &hitpoints) || !on_board(world, numbers[0], numbers[1]))
            give_up("expected a line with an object");
        *thing_at(world, numbers[0], numbers[1]) = (Thing){numbers[2], hitpoints, *word.at};
    }
    return false;
}

static inline void write_end(void) {
    puts("end");
    fflush(stdout);
}

/* Writes an answer. */
static inline void write_orders(const UnderworldOrders *orders) {
    static const char *const names[] = {
        [UNDERWORLD_MOVE] = "move", [UNDERWORLD_SPAWN] = "spawn", [UNDERWORLD_BUILD] = "build"};
    for (uint32_t i = 0; i < orders->head.count; i++)
        printf("%s %d %d %c\n", names[orders->order[i].kind], orders->order[i].x,
               orders->order[i].y, orders->order[i].what);
    write_end();
}

#endif
