/* How a bot for Capture the flag talks to the referee. You need not change this file.

   The input starts with the team's letter, the map and an empty line. Then a view per round:
       0 0                            our points, theirs
       Flag 1 5                       where our flag is
       Soldier X 2 7 8 True No        name, x, y, cooldown, alive, the flag it carries
       Grenade 10 7 2                 ours: x, y, rounds left
       EnemyFlag 13 9
       Enemy L 11 8 True No           name, x, y, alive, flag
       (an empty line)
   An answer is a line per order and an empty line:
       X D (10,7) */
#include "protocol.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static char line[1024]; /* the last line that was read */

/* Reads a line of the input. False at the end of the input. */
static bool read_line(void) {
    return fgets(line, sizeof line, stdin) != NULL;
}

static bool is_empty(void) {
    return strspn(line, " \t\r\n") == strlen(line);
}

static bool is(const char *word, const char *other) {
    return strcmp(word, other) == 0;
}

/* Reads the team's letter and the map. */
static bool read_start(View *view) {
    char team = '\0';
    if (!read_line())
        return false;
    sscanf(line, " %c", &team);
    while (read_line()) {
        if (is_empty())
            return true;
        char *row = view->map[view->rows];
        if (view->rows == MAX_SIDE || sscanf(line, "%200s", row) != 1)
            continue;
        view->columns = (int)strlen(row);
        for (int x = 0; x < view->columns; x++)
            if (row[x] == tolower(team))
                view->base = (Square){x, view->rows};
            else if (row[x] == team)
                view->spawn = (Square){x, view->rows};
        view->rows++;
    }
    return false;
}

/* Reads a line of a view; lines that begin with another word are skipped. */
static void read_thing(View *view) {
    char kind[NAME_SIZE] = "", alive[NAME_SIZE] = "", flag[NAME_SIZE] = "";
    int length = 0;
    sscanf(line, "%15s%n", kind, &length);
    const char *words = line + length;
    if (is(kind, "Flag")) {
        sscanf(words, "%d %d", &view->flag.x, &view->flag.y);
    } else if (is(kind, "EnemyFlag")) {
        sscanf(words, "%d %d", &view->enemy_flag.x, &view->enemy_flag.y);
    } else if (is(kind, "Soldier") && view->soldier_count < MAX_SOLDIERS) {
        Soldier *one = &view->soldiers[view->soldier_count++];
        sscanf(words, "%15s %d %d %d %15s %15s", one->name, &one->at.x, &one->at.y, &one->cooldown,
               alive, flag);
        one->alive = is(alive, "True");
        one->carries_flag = !is(flag, "No");
    } else if (is(kind, "Enemy") && view->enemy_count < MAX_SOLDIERS) {
        Enemy *one = &view->enemies[view->enemy_count++];
        sscanf(words, "%15s %d %d %15s %15s", one->name, &one->at.x, &one->at.y, alive, flag);
        one->alive = is(alive, "True");
        one->carries_flag = !is(flag, "No");
    } else if (is(kind, "Grenade") && view->grenade_count < MAX_GRENADES) {
        Grenade *one = &view->grenades[view->grenade_count++];
        sscanf(words, "%d %d %d", &one->at.x, &one->at.y, &one->countdown);
    }
}

bool read_view(View *view) {
    if (view->turn == 0 && !read_start(view))
        return false;
    if (!read_line())
        return false;
    view->turn++;
    view->soldier_count = view->grenade_count = view->enemy_count = 0;
    sscanf(line, "%d %d", &view->points, &view->enemy_points);
    while (read_line()) {
        if (is_empty())
            return true;
        read_thing(view);
    }
    return false;
}

void send_answer(const Order orders[], int count) {
    for (int i = 0; i < count; i++) {
        printf("%s %c", orders[i].name, orders[i].step);
        if (orders[i].throws)
            printf(" (%d,%d)", orders[i].target.x, orders[i].target.y);
        printf("\n");
    }
    printf("\n");
    fflush(stdout); /* otherwise the answer would wait in a buffer */
}
