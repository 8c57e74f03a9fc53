/* How a bot for Footsoldiers talks to the referee. You need not change this file.
   See protocol.c for examples of a view and the answers. */
#ifndef PROTOCOL_H
#define PROTOCOL_H

#include <stdbool.h>

enum { MAX_SIDE = 500 }; /* of the largest map */

typedef struct Square {
    int x, y;
} Square;

typedef struct Player {
    const char *team;
    long long money;
    Square base;
    int health;
} Player;

typedef struct Thing {
    const char *type;
    Square at;
    const char *team; /* NULL: a rock */
    int health;       /* 0: not a soldier */
    Square destination;
    const char *direction;
} Thing;

typedef struct View {
    int turn;
    int turns_remaining;
    Player me, enemy;
    Thing *map;
    int map_count;
} View;

typedef struct Command {
    enum { NO_OP, BUILD, MOVE, TURN } verb;
    const char *type; /* of the soldier to build */
    Square at;
    Square destination;
    const char *direction;
} Command;

Command build(const char *type, Square at, Square destination, const char *direction);
Command move(Square soldier, Square destination);
Command turn(Square soldier, const char *direction);
Command no_op(void);

/* Reads the next view, which is valid until the following call. False: the match is over. The
   first time, the view must be all zeros. */
bool read_view(View *view);

/* Sends the answer to the last view. */
void send_answer(Command command);

#endif
