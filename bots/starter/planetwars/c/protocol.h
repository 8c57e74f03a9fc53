/* How a bot for Planet Wars talks to the referee. You need not change this file.
   See protocol.c for examples of a view and an answer. */
#ifndef PROTOCOL_H
#define PROTOCOL_H

#include <stdbool.h>

enum { MAX_PLANETS = 256, MAX_MOVES = MAX_PLANETS * MAX_PLANETS };

/* Names of planets are as in the JSON: quotes and some other characters are escaped. */

typedef struct Move {
    const char *origin;
    const char *destination;
    long long ships;
} Move;

typedef struct Planet {
    const char *name;
    double x, y;
    int owner; /* 1: you; 0: nobody */
    long long ships;
} Planet;

typedef struct Expedition {
    long long id;
    const char *origin;
    const char *destination;
    int owner;
    long long ships;
    int turns_remaining;
} Expedition;

typedef struct View {
    int turn;
    Planet planets[MAX_PLANETS];
    int planet_count;
    Expedition *expeditions;
    int expedition_count;
} View;

/* Reads the next view, which is valid until the following call. False: the match is over. The
   first time, the view must be all zeros. */
bool read_view(View *view);

/* Sends the answer to the last view. */
void send_answer(const Move moves[], int count);

#endif
