/* How a bot for Aliens talks to the referee. You need not change this file.

   A view is one line of JSON:
       {"player":"a","state":{"rows":20,"cols":20,
        "p1":{"food":1,"spawn":21},"p2":{"food":1,"spawn":378,"spawnDisabled":true},
        "grid":"....a..*....b...","maxTurns":100,"turnsElapsed":0}}
   An answer is a JSON array:
       [{"from":21,"to":22},{"from":40,"to":60}] */
#include "protocol.h"

#include "json.h"

#include <stdio.h>
#include <string.h>

static bool is(const char *name, const char *other) {
    return strcmp(name, other) == 0;
}

static Player read_player(char letter) {
    Player player = {.letter = letter};
    const char *name;
    while ((name = json_member())) {
        if (is(name, "food"))
            player.energy = json_integer();
        else if (is(name, "spawn"))
            player.spawn = json_integer();
        else if (is(name, "spawnDisabled") && json_word("true"))
            player.spawn_destroyed = true;
        else
            json_skip();
    }
    return player;
}

static void read_state(View *view, Player *a, Player *b) {
    const char *name;
    while ((name = json_member())) {
        if (is(name, "rows"))
            view->rows = json_integer();
        else if (is(name, "cols"))
            view->cols = json_integer();
        else if (is(name, "grid"))
            view->grid = json_string();
        else if (is(name, "turnsElapsed"))
            view->turn = json_integer() + 1;
        else if (is(name, "p1"))
            *a = read_player('a');
        else if (is(name, "p2"))
            *b = read_player('b');
        else
            json_skip();
    }
}

bool read_view(View *view) {
    static char *line;
    static size_t size;
    if (getline(&line, &size, stdin) < 0)
        return false;
    Player a = {0}, b = {0};
    bool is_a = true;
    const char *name;
    json_begin(line);
    while ((name = json_member())) {
        if (is(name, "player"))
            is_a = is(json_string(), "a");
        else if (is(name, "state"))
            read_state(view, &a, &b);
        else
            json_skip();
    }
    view->me = is_a ? a : b;
    view->enemy = is_a ? b : a;
    return true;
}

void send_answer(const Move moves[], int count) {
    printf("[");
    for (int i = 0; i < count; i++)
        printf("%s{\"from\":%d,\"to\":%d}", i ? "," : "", moves[i].from, moves[i].to);
    printf("]\n");
    fflush(stdout); /* otherwise the answer would wait in a buffer */
}
