/* A bracket laid out for drawing: which line and column each bot stands in, and which lines are
   joined. The drawings in text and in SVG are made from this. */
#ifndef LEAGUE_BRACKET_H
#define LEAGUE_BRACKET_H

#include "base/buffer.h"
#include "league/schedule.h"

/* A place in a node, or the one behind the last node, where the winner stands. */
typedef struct BracketEntry {
    uint32_t column;
    uint32_t row;
    uint32_t bot;    /* BRACKET_NOBODY: not known yet */
    uint32_t points; /* in halves */
    bool scored;     /* points are there */
    bool out;        /* it lost here */
    bool by_seeding; /* it went on by its seeding */
    bool bye;        /* it goes on without an opponent */
} BracketEntry;

/* The line from a node's entries to where its winner stands: in the next column, at `out`. */
typedef struct BracketJoin {
    uint32_t column;
    uint32_t first; /* rows of its upper and lower end */
    uint32_t last;
    uint32_t out;
} BracketJoin;

/* One side of a bracket. Rows are two apart, so that there is a line between two bots. */
typedef struct BracketPicture {
    BracketSide side;
    bool alone;       /* the bracket has no other side */
    bool duels;       /* all meet in pairs */
    uint32_t columns; /* the one of the winner included */
    uint32_t rows;
    BracketEntry *entries;
    uint32_t entry_count;
    BracketJoin *joins;
    uint32_t join_count;
    uint32_t *nodes_in; /* of each column but the last: how many nodes of more than one bot */
} BracketPicture;

enum { BRACKET_SIDES = 3 };

/* Fills in the sides that there are and returns how many; 0 without a bracket. Free each. */
uint32_t bracket_lay_out(const Schedule *schedule, BracketPicture pictures[BRACKET_SIDES]);
void bracket_free(BracketPicture *picture);

/* What a column is called: "round 1", "semi-finals", "winner". */
void bracket_heading(const BracketPicture *picture, uint32_t column, Buffer *to);

/* What the side is called; "" when there is but one. */
const char *bracket_title(const BracketPicture *picture);

/* Points in halves: "2", "1½". */
void bracket_points(const BracketEntry *entry, Buffer *to);

#endif
