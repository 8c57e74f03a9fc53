/* The terminal: its size and colours, and the board drawn in it. */
#ifndef CLI_TERMINAL_H
#define CLI_TERMINAL_H

#include "match/board.h"

/* Whether standard output is a terminal that shows colours (NO_COLOR is honoured). */
bool terminal_has_colour(void);

/* The width of standard output: 80 if it is not a terminal. */
uint32_t terminal_columns(void);

/* Appends a picture of the board, with the line `head` above it and the players' names below. */
void terminal_draw_board(const Board *board, const char *const *names, const char *head,
                         bool colour, Buffer *to);

/* Shows a picture in place of the previous one; after it if standard output is not a terminal. */
void terminal_show(Buffer *picture, const char *footer);

/* Switches to the alternate screen without a cursor, and back. Does nothing if standard output is
   not a terminal. */
void terminal_open(void);
void terminal_close(void);

#endif
