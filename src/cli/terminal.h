/* A match drawn in a terminal: the board of a turn with a line on top and the players below. */
#ifndef CLI_TERMINAL_H
#define CLI_TERMINAL_H

#include "match/board.h"

/* Whether standard output is a terminal that shows colours (NO_COLOR is honoured). */
bool terminal_has_colour(void);

/* How wide standard output is: 80 where it is no terminal. */
uint32_t terminal_columns(void);

/* Appends the picture of the board as it is. `names` has one a player; `head` is the line on
   top. */
void terminal_draw_board(const Board *board, const char *const *names, const char *head,
                         bool colour, Buffer *to);

/* Shows a picture in place of the last one; on anything but a terminal, below it. */
void terminal_show(Buffer *picture, const char *footer);

/* Takes the whole screen and hides the cursor; gives both back. Nothing happens when standard
   output is no terminal. */
void terminal_open(void);
void terminal_close(void);

#endif
