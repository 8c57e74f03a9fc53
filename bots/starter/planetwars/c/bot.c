/* A starter bot for Planet Wars: every planet takes the nearest planet that it can. Change it!

       skirmish play planetwars --watch . house:random

   A view is one line of JSON. You are always player 1 in it, and neutral planets have
   the owner null:
       {"planets":[{"ship_count":6,"x":-6.0,"y":0.0,"owner":1,"name":"protos"}, ...],
        "expeditions":[{"id":0,"ship_count":4,"origin":"tetartos","destination":"protos",
                        "owner":2,"turns_remaining":11}, ...]}
   The answer is also one line of JSON. Without moves: {"moves":[]}
       {"moves":[{"origin":"protos","destination":"extos","ship_count":6}]} */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The line to change first: how many ships a planet keeps at home, and by how many ships its
   fleets outnumber their targets. */
enum { GARRISON = 0, SPARE = 1 };

typedef struct Planet {
    long long ships;
    double x, y;
    int owner;              /* 0: neutral */
    char *name;             /* as in the view, between the quotes */
    long long ours, theirs; /* ships under way to it */
} Planet;

static Planet planets[256];
static int planet_count;

/* The travel time in turns. */
static int turns(const Planet *a, const Planet *b) {
    double dx = a->x - b->x, dy = a->y - b->y;
    double distance = ceil(sqrt(dx * dx + dy * dy));
    return distance < 1 ? 1 : (int)distance;
}

/* The nearest planet of somebody else that was not looked at yet; NULL when there is none. */
static Planet *nearest(const Planet *origin, const bool *seen) {
    Planet *found = NULL;
    for (int i = 0; i < planet_count; i++)
        if (planets[i].owner != 1 && !seen[i] &&
            (!found || turns(origin, &planets[i]) < turns(origin, found)))
            found = &planets[i];
    return found;
}

/* Prints the moves of this turn. The whole strategy is here. */
static void think(void) {
    const char *comma = "";
    printf("{\"moves\":[");
    for (Planet *origin = planets; origin < planets + planet_count; origin++) {
        /* A planet under attack keeps the ships it needs. */
        long long ships = origin->owner == 1 ? origin->ships - GARRISON - origin->theirs : 0;
        bool seen[256] = {false};
        for (Planet *to = nearest(origin, seen); to; to = nearest(origin, seen)) {
            seen[to - planets] = true;
            /* An enemy planet builds a ship per turn until we arrive; a neutral one none. */
            long long there = to->ships + to->theirs + (to->owner ? turns(origin, to) : 0);
            long long needed = there + SPARE - to->ours;
            if (needed <= 0 || needed > ships)
                continue;
            ships -= needed;
            to->ours += needed;
            printf("%s{\"origin\":\"%s\",\"destination\":\"%s\",\"ship_count\":%lld}", comma,
                   origin->name, to->name, needed);
            comma = ",";
        }
    }
    printf("]}\n");
    fflush(stdout); /* send the answer now */
}

/* What stands behind the next such name; "" if there is none. Enough for views as these. */
static char *after(char *text, const char *name) {
    char *found = strstr(text, name);
    return found ? found + strlen(name) : text + strlen(text);
}

/* Ends the string that begins here at its closing quote, and returns what follows. */
static char *cut(char *text) {
    while (*text && *text != '"')
        text += *text == '\\' && text[1] ? 2 : 1;
    if (*text)
        *text++ = '\0';
    return text;
}

static void read_view(char *line) {
    char *at = line, *expeditions = after(line, "\"expeditions\":");
    for (planet_count = 0; *(at = after(at, "{\"ship_count\":")) && planet_count < 256;) {
        Planet *planet = &planets[planet_count++];
        *planet = (Planet){.ships = atoll(at), .name = after(at, "\"name\":\"")};
        sscanf(at, "%*d,\"x\":%lf,\"y\":%lf,\"owner\":%d", &planet->x, &planet->y, &planet->owner);
        at = cut(planet->name);
    }
    for (at = expeditions; *(at = after(at, "\"ship_count\":"));) {
        char *name = after(at, "\"destination\":\""), *owner = after(cut(name), "\"owner\":");
        for (Planet *planet = planets; planet < planets + planet_count; planet++)
            if (strcmp(planet->name, name) == 0)
                *(atoi(owner) == 1 ? &planet->ours : &planet->theirs) += atoll(at);
        at = owner;
    }
}

/* The main loop: read a view, print an answer, until the input ends with the match. */
int main(void) {
    char *line = NULL;
    size_t size = 0;
    for (bool first = true; getline(&line, &size, stdin) > 0; first = false) {
        read_view(line);
        if (first) /* debug output: "skirmish play --stderr" and replays show it */
            fprintf(stderr, "planets on this map: %d\n", planet_count);
        think();
    }
}
