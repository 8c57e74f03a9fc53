/* How a bot for Planet Wars talks to the referee. You need not change this file.

   A view is one line of JSON. The bot is always player 1 in it; neutral planets have the owner
   null:
       {"planets":[{"ship_count":6,"x":-6.0,"y":0.0,"owner":1,"name":"protos"}, ...],
        "expeditions":[{"id":0,"ship_count":4,"origin":"tetartos","destination":"protos",
                        "owner":2,"turns_remaining":11}, ...]}
   An answer is also one line of JSON. Without moves: {"moves":[]}
       {"moves":[{"origin":"protos","destination":"extos","ship_count":6}]} */
#include "protocol.h"

#include "json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is(const char *name, const char *other) {
    return strcmp(name, other) == 0;
}

static Planet read_planet(void) {
    Planet planet = {.name = ""};
    const char *name;
    while ((name = json_member())) {
        if (is(name, "name"))
            planet.name = json_string();
        else if (is(name, "x"))
            planet.x = json_number();
        else if (is(name, "y"))
            planet.y = json_number();
        else if (is(name, "owner"))
            planet.owner = json_word("null") ? 0 : json_integer();
        else if (is(name, "ship_count"))
            planet.ships = json_integer();
        else
            json_skip();
    }
    return planet;
}

static void read_planets(View *view) {
    while (json_element()) {
        if (view->planet_count < MAX_PLANETS)
            view->planets[view->planet_count++] = read_planet();
        else
            json_skip();
    }
}

static Expedition read_expedition(void) {
    Expedition expedition = {.origin = "", .destination = ""};
    const char *name;
    while ((name = json_member())) {
        if (is(name, "id"))
            expedition.id = json_integer();
        else if (is(name, "origin"))
            expedition.origin = json_string();
        else if (is(name, "destination"))
            expedition.destination = json_string();
        else if (is(name, "owner"))
            expedition.owner = json_integer();
        else if (is(name, "ship_count"))
            expedition.ships = json_integer();
        else if (is(name, "turns_remaining"))
            expedition.turns_remaining = json_integer();
        else
            json_skip();
    }
    return expedition;
}

static void read_expeditions(View *view) {
    static int room;
    while (json_element()) {
        if (view->expedition_count == room) {
            room = room ? 2 * room : 64;
            view->expeditions = realloc(view->expeditions, room * sizeof *view->expeditions);
            if (!view->expeditions)
                abort(); /* out of memory */
        }
        view->expeditions[view->expedition_count++] = read_expedition();
    }
}

bool read_view(View *view) {
    static char *line;
    static size_t size;
    if (getline(&line, &size, stdin) < 0)
        return false;
    view->turn++;
    view->planet_count = 0;
    view->expedition_count = 0;
    json_begin(line);
    const char *name;
    while ((name = json_member())) {
        if (is(name, "planets"))
            read_planets(view);
        else if (is(name, "expeditions"))
            read_expeditions(view);
        else
            json_skip();
    }
    return true;
}

void send_answer(const Move moves[], int count) {
    printf("{\"moves\":[");
    for (int i = 0; i < count; i++)
        printf("%s{\"origin\":\"%s\",\"destination\":\"%s\",\"ship_count\":%lld}", i ? "," : "",
               moves[i].origin, moves[i].destination, moves[i].ships);
    printf("]}\n");
    fflush(stdout); /* otherwise the answer would wait in a buffer */
}
