/* How a bot for Underworld talks to the referee. You need not change this file.

   The referee sends "Who are you?" and the bot must answer "crayfish". It then sends one line
       10 10 2 0                 columns, rows, players, your number
   and then a view in every turn:
       money 3000
       0 0 0 C 10000             x, y, owner, kind, hitpoints
       0 1 0 B 1500
       end
   After the last turn, it sends the line "gg" instead of a view. An answer is any number of
   commands, followed by "end":
       build 1 0 F
       spawn 0 1 E
       move 1 1 S */
#include "protocol.h"

#include <stdio.h>
#include <string.h>

static char line[1024]; /* the last line that was read */

/* Reads a line of the input. False at the end of the input. */
static bool read_line(void) {
    return fgets(line, sizeof line, stdin) != NULL;
}

static bool starts_with(const char *word) {
    return strncmp(line, word, strlen(word)) == 0;
}

/* Answers "Who are you?" and reads the line that is sent only once. */
static bool read_start(View *view) {
    if (!read_line())
        return false;
    printf("crayfish\n");
    fflush(stdout);
    return read_line() &&
           sscanf(line, "%d %d %d %d", &view->columns, &view->rows, &view->players, &view->me) == 4;
}

bool read_view(View *view) {
    if (view->turn == 0 && !read_start(view))
        return false;
    while (read_line() && !starts_with("gg")) {
        if (starts_with("money")) {
            view->turn++;
            view->thing_count = 0;
            sscanf(line, "money %lld", &view->money);
        } else if (starts_with("end")) {
            return true;
        } else if (view->thing_count < MAX_CELLS) {
            Thing *one = &view->things[view->thing_count++];
            int x = 0, y = 0;
            sscanf(line, "%d %d %d %c %d", &x, &y, &one->owner, &one->kind, &one->hitpoints);
            one->cell = y * view->columns + x;
        }
    }
    return false;
}

void send_answer(const View *view, const Command commands[], int count) {
    for (int i = 0; i < count; i++)
        printf("%s %d %d %c\n", commands[i].verb, commands[i].cell % view->columns,
               commands[i].cell / view->columns, commands[i].what);
    printf("end\n");
    fflush(stdout); /* otherwise the answer would wait in a buffer */
}
