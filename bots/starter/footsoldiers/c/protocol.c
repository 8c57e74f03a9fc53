/* How a bot for Footsoldiers talks to the referee. You need not change this file.

   The bot prints "Ready". Then each view is one line of JSON:
       {"you":"player1","turns-remaining":99,
        "map":[{"type":"Base","position":{"x":1,"y":3},"team":"player1"},
               {"type":"Rock","position":{"x":4,"y":0}},
               {"type":"Scout","position":{"x":6,"y":1},"health":9,"team":"player1",
                "destination":{"x":9,"y":1},"attack-direction":"Right"}, ...],
        "player1":{"team":"player1","money":13,"base":{"x":1,"y":3},"health":40},"player2":{...}}
   An answer is one line with one command:
       Build Scout (2, 3) (65, 3) Right
       Move (6, 1) to (9, 5)
       Change attack direction (6, 1) to Left
       No-op */
#include "protocol.h"

#include "json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is(const char *name, const char *other) {
    return strcmp(name, other) == 0;
}

static Square read_square(void) {
    Square square = {0};
    const char *name;
    while ((name = json_member())) {
        if (is(name, "x"))
            square.x = json_integer();
        else if (is(name, "y"))
            square.y = json_integer();
        else
            json_skip();
    }
    return square;
}

static Player read_player(void) {
    Player player = {.team = ""};
    const char *name;
    while ((name = json_member())) {
        if (is(name, "team"))
            player.team = json_string();
        else if (is(name, "money"))
            player.money = json_integer();
        else if (is(name, "base"))
            player.base = read_square();
        else if (is(name, "health"))
            player.health = json_integer();
        else
            json_skip();
    }
    return player;
}

static Thing read_thing(void) {
    Thing thing = {.type = "", .direction = ""};
    const char *name;
    while ((name = json_member())) {
        if (is(name, "type"))
            thing.type = json_string();
        else if (is(name, "position"))
            thing.at = read_square();
        else if (is(name, "team"))
            thing.team = json_string();
        else if (is(name, "health"))
            thing.health = json_integer();
        else if (is(name, "destination"))
            thing.destination = read_square();
        else if (is(name, "attack-direction"))
            thing.direction = json_string();
        else
            json_skip();
    }
    return thing;
}

static void read_map(View *view) {
    static int room;
    view->map_count = 0;
    while (json_element()) {
        if (view->map_count == room) {
            room = room ? 2 * room : 64;
            view->map = realloc(view->map, room * sizeof *view->map);
            if (!view->map)
                abort(); /* out of memory */
        }
        view->map[view->map_count++] = read_thing();
    }
}

bool read_view(View *view) {
    static char *line;
    static size_t size;
    if (view->turn == 0) {
        printf("Ready\n");
        fflush(stdout);
    }
    if (getline(&line, &size, stdin) < 0)
        return false;
    view->turn++;
    Player player1 = {0}, player2 = {0};
    bool is_first = true;
    const char *name;
    json_begin(line);
    while ((name = json_member())) {
        if (is(name, "you"))
            is_first = is(json_string(), "player1");
        else if (is(name, "turns-remaining"))
            view->turns_remaining = json_integer();
        else if (is(name, "map"))
            read_map(view);
        else if (is(name, "player1"))
            player1 = read_player();
        else if (is(name, "player2"))
            player2 = read_player();
        else
            json_skip();
    }
    view->me = is_first ? player1 : player2;
    view->enemy = is_first ? player2 : player1;
    return true;
}

Command build(const char *type, Square at, Square destination, const char *direction) {
    return (Command){BUILD, type, at, destination, direction};
}

Command move(Square soldier, Square destination) {
    return (Command){.verb = MOVE, .at = soldier, .destination = destination};
}

Command turn(Square soldier, const char *direction) {
    return (Command){.verb = TURN, .at = soldier, .direction = direction};
}

Command no_op(void) {
    return (Command){.verb = NO_OP};
}

void send_answer(Command command) {
    Square at = command.at, to = command.destination;
    switch (command.verb) {
    case BUILD:
        printf("Build %s (%d, %d) (%d, %d) %s\n", command.type, at.x, at.y, to.x, to.y,
               command.direction);
        break;
    case MOVE:
        printf("Move (%d, %d) to (%d, %d)\n", at.x, at.y, to.x, to.y);
        break;
    case TURN:
        printf("Change attack direction (%d, %d) to %s\n", at.x, at.y, command.direction);
        break;
    case NO_OP:
        printf("No-op\n");
        break;
    }
    fflush(stdout); /* otherwise the answer would wait in a buffer */
}
