/* How a bot for Aliens talks to the referee. You need not change this file.
   See protocol.c for examples of a view and an answer. */
#ifndef PROTOCOL_H
#define PROTOCOL_H

#include <stdbool.h>

enum { MAX_SQUARES = 100 * 100 }; /* of the largest grid */

typedef struct Move {
    int from; /* a square with one of your units */
    int to;   /* an adjacent square */
} Move;

typedef struct Player {
    char letter;
    int energy; /* for units that will appear at the spawn */
    int spawn;
    bool spawn_destroyed;
} Player;

typedef struct View {
    int turn;
    int rows, cols;
    const char *grid;
    Player me, enemy;
} View;

/* Reads the next view, which is valid until the following call. False: the match is over. */
bool read_view(View *view);

/* Sends the answer to the last view. */
void send_answer(const Move moves[], int count);

#endif
