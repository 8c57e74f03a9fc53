/* The layout of a bracket: the row and column of each bot, and the lines between them. Both the
   text and the SVG drawing use it. */
#ifndef LEAGUE_BRACKET_H
#define LEAGUE_BRACKET_H

#include "base/buffer.h"
#include "league/schedule.h"

/* A place in a node, or the winner's place after the last node. */
typedef struct BracketEntry {
    uint32_t column;
    uint32_t row;
    uint32_t bot;    /* BRACKET_NOBODY: not known yet */
    uint32_t points; /* in halves */
    bool scored;     /* `points` is set */
    bool out;        /* eliminated here */
    bool by_seeding; /* advanced by its seeding */
    bool bye;        /* advances without an opponent */
} BracketEntry;

/* The line from a node's entries to its winner in the next column, in row `out`. */
typedef struct BracketJoin {
    uint32_t column;
    uint32_t first; /* the node's first and last row */
    uint32_t last;
    uint32_t out;
} BracketJoin;

/* One side of a bracket. Bots are two rows apart, which leaves an empty row in between. */
typedef struct BracketPicture {
    BracketSide side;
    bool alone;       /* this is the only side */
    bool duels;       /* all nodes have two bots */
    uint32_t columns; /* including the winner's */
    uint32_t rows;
    BracketEntry *entries;
    uint32_t entry_count;
    BracketJoin *joins;
    uint32_t join_count;
    uint32_t *nodes_in; /* for each column but the last: nodes with more than one bot */
} BracketPicture;

enum { BRACKET_SIDES = 3 };

/* Fills in the sides and returns how many there are; 0 without a bracket. The caller frees each
   with bracket_free. */
uint32_t bracket_lay_out(const Schedule *schedule, BracketPicture pictures[BRACKET_SIDES]);
void bracket_free(BracketPicture *picture);

/* Appends the heading of a column: "round 1", "semi-finals", "winner". */
void bracket_heading(const BracketPicture *picture, uint32_t column, Buffer *to);

/* The title of the side; "" if it is the only one. */
const char *bracket_title(const BracketPicture *picture);

/* Appends the points of an entry: "2", "1½". */
void bracket_points(const BracketEntry *entry, Buffer *to);

#endif
