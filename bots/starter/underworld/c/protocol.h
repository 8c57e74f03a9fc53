/* How a bot for Underworld talks to the referee. You need not change this file.
   See protocol.c for examples of a view and an answer. */
#ifndef PROTOCOL_H
#define PROTOCOL_H

#include <stdbool.h>

enum { MAX_CELLS = 200 * 200 }; /* of the largest board; they are numbered row by row from 0 */

typedef struct Command {
    const char *verb; /* build, spawn or move */
    int cell;
    char what; /* the building, or the direction */
} Command;

typedef struct Thing {
    int cell;
    int owner;
    char kind;
    int hitpoints;
} Thing;

typedef struct View {
    int turn;
    int columns, rows;
    int players, me;
    long long money;
    Thing things[MAX_CELLS];
    int thing_count;
} View;

/* Reads the next view; the first time, it must be all zeros. False: the match is over. */
bool read_view(View *view);

/* Sends the answer to a view. */
void send_answer(const View *view, const Command commands[], int count);

#endif
