/* What the house bots of Underworld share: the handshake, and a view read into a World. */
#ifndef BOTS_UNDERWORLD_COMMON_H
#define BOTS_UNDERWORLD_COMMON_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE_MAX = 1000 };

/* What stands on a cell; kind 0 where nothing does. */
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

/* A line without its end. False when there is none left. */
static inline bool read_line(char *line, int size) {
    if (!fgets(line, size, stdin))
        return false;
    line[strcspn(line, "\r\n")] = '\0';
    return true;
}

/* Says who we are, and reads the size of the board. */
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
    if (sscanf(line, "%d %d %d %d", &world.size_x, &world.size_y, &world.players, &world.me) != 4 ||
        world.size_x < 1 || world.size_y < 1 || world.size_x > SIDE_MAX || world.size_y > SIDE_MAX)
        give_up("expected the line with the size of the board");
    world.cells = calloc((size_t)world.size_x * (size_t)world.size_y, sizeof *world.cells);
    if (!world.cells)
        give_up("out of memory");
    world.turn = -1;
    return world;
}

/* The next view. False when the match is over for us. */
static inline bool world_read(World *world) {
    char line[256];
    memset(world->cells, 0, (size_t)world->size_x * (size_t)world->size_y * sizeof *world->cells);
    world->turn++;
    while (read_line(line, sizeof line)) {
        int x;
        int y;
        Thing thing;
        if (strcmp(line, "end") == 0)
            return true;
        if (strcmp(line, "gg") == 0)
            return false;
        if (sscanf(line, "money %lld", &world->money) == 1)
            continue;
        if (sscanf(line, "%d %d %d %c %d", &x, &y, &thing.owner, &thing.kind, &thing.hitpoints) !=
                5 ||
            !on_board(world, x, y))
            give_up("expected a line with an object");
        *thing_at(world, x, y) = thing;
    }
    return false;
}

static inline void say_end(void) {
    puts("end");
    fflush(stdout);
}

#endif
