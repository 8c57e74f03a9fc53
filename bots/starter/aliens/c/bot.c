/* A starter bot for Aliens: it gathers energy, and attacks when it is strong. Change it!

       skirmish play aliens --watch . house:random

   Each turn, the bot reads one view, a line of JSON:
       {"player":"a","state":{"rows":20,"cols":20,"grid":"....a..*....b...", ...}}
   The grid has one character per square, row by row: "." empty, "*" energy, "a", "b" units.
   The answer is a JSON array of moves. Units without a move stay:
       [{"from":21,"to":22},{"from":40,"to":60}] */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The line to change first: attack when we have this many times as many units as the enemy. */
enum { COURAGE = 2 };
enum { SQUARES = 10000 }; /* the maximum */

static int rows, cols;
static const char *grid;
static int enemies[SQUARES], enemy_count;
static bool attack;

static int steps(int a, int b) {
    return abs(a / cols - b / cols) + abs(a % cols - b % cols);
}

/* Lists the squares that contain `what` and returns how many there are. */
static int squares(char what, int *list) {
    int count = 0;
    for (int square = 0; square < rows * cols; square++)
        if (grid[square] == what)
            list[count++] = square;
    return count;
}

/* The cost of a square: distance to the goal, or an enemy too close. */
static int cost(int square, int goal) {
    for (int i = 0; i < enemy_count && !attack; i++)
        if (steps(square, enemies[i]) <= 2)
            return steps(square, goal) + 1000;
    return steps(square, goal);
}

/* Prints the moves of this turn. The whole strategy is here. */
static void think(char me, int enemy_spawn) {
    static int units[SQUARES], goals[SQUARES + 1];
    int unit_count = squares(me, units);
    enemy_count = squares(me == 'a' ? 'b' : 'a', enemies);
    attack = unit_count >= COURAGE * enemy_count;
    int goal_count = squares(attack ? (me == 'a' ? 'b' : 'a') : '*', goals);
    if (attack)
        goals[goal_count++] = enemy_spawn;
    bool taken[SQUARES] = {false}; /* by one of our units; if two meet on a square, both die */
    for (int i = 0; i < unit_count; i++)
        taken[units[i]] = true;
    const char *comma = "";
    printf("[");
    for (int i = 0; i < unit_count; i++) {
        int unit = units[i];
        int best = -1;
        for (int g = 0; g < goal_count; g++)
            if (goals[g] >= 0 && (best < 0 || steps(unit, goals[g]) < steps(unit, goals[best])))
                best = g;
        int goal = best >= 0 ? goals[best] : rows / 2 * cols + cols / 2;
        if (best >= 0 && !attack)
            goals[best] = -1; /* no other unit goes for this energy */
        int around[4] = {unit - cols, unit + cols, unit - 1, unit + 1};
        bool there[4] = {unit >= cols, unit<(rows - 1) * cols, unit % cols> 0,
                         unit % cols < cols - 1};
        int to = unit;
        for (int k = 0; k < 4; k++)
            /* Energy is gathered from an adjacent square; moving onto it destroys it. */
            if (there[k] && !taken[around[k]] && grid[around[k]] != '*' &&
                cost(around[k], goal) < cost(to, goal))
                to = around[k];
        if (to == unit)
            continue;
        taken[unit] = false;
        taken[to] = true;
        printf("%s{\"from\":%d,\"to\":%d}", comma, unit, to);
        comma = ",";
    }
    printf("]\n");
    fflush(stdout); /* send the answer now */
}

/* The value after the first such name. Good enough as a JSON reader for these simple views. */
static const char *after(const char *text, const char *name) {
    const char *found = strstr(text, name);
    return found ? found + strlen(name) : "";
}

/* The main loop: read a view, print an answer, until the input ends with the match. */
int main(void) {
    char *line = NULL;
    size_t size = 0;
    for (bool first = true; getline(&line, &size, stdin) > 0; first = false) {
        char me = *after(line, "\"player\":\"");
        rows = atoi(after(line, "\"rows\":"));
        cols = atoi(after(line, "\"cols\":"));
        grid = after(line, "\"grid\":\"");
        const char *enemy = after(line, me == 'a' ? "\"p2\":" : "\"p1\":");
        if (first) /* debug output: "skirmish play --stderr" and replays show it */
            fprintf(stderr, "I am player %c\n", me);
        think(me, atoi(after(enemy, "\"spawn\":")));
    }
    free(line);
    return 0;
}
