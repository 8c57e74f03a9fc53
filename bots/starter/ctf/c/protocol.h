/* How a bot for Capture the flag talks to the referee. You need not change this file.
   See protocol.c for examples of a view and an answer. */
#ifndef PROTOCOL_H
#define PROTOCOL_H

#include <stdbool.h>

enum { MAX_SIDE = 200, MAX_SOLDIERS = 7, MAX_GRENADES = 3 * MAX_SOLDIERS, NAME_SIZE = 16 };

typedef struct Square {
    int x, y;
} Square;

typedef struct Order {
    const char *name; /* of the soldier */
    char step;        /* U, D, L, R or S */
    bool throws;      /* a grenade, at the target */
    Square target;
} Order;

typedef struct Soldier {
    char name[NAME_SIZE];
    Square at;
    int cooldown;
    bool alive;
    bool carries_flag;
} Soldier;

typedef struct Enemy {
    char name[NAME_SIZE];
    Square at;
    bool alive;
    bool carries_flag;
} Enemy;

typedef struct Grenade {
    Square at;
    int countdown;
} Grenade;

typedef struct View {
    int turn;
    int rows, columns;
    char map[MAX_SIDE][MAX_SIDE + 1];
    Square base, spawn;
    int points, enemy_points;
    Square flag, enemy_flag;
    Soldier soldiers[MAX_SOLDIERS];
    int soldier_count;
    Grenade grenades[MAX_GRENADES];
    int grenade_count;
    Enemy enemies[MAX_SOLDIERS];
    int enemy_count;
} View;

/* Reads the next view; the first time, it must be all zeros. False: the match is over. */
bool read_view(View *view);

/* Sends the answer to the last view. */
void send_answer(const Order orders[], int count);

#endif
