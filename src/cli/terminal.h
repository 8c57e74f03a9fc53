/* The terminal: its size and colours, and the board drawn in it. */
#ifndef CLI_TERMINAL_H
#define CLI_TERMINAL_H

#include "match/board.h"

#include <stdio.h>

/* When to print colours. By default, to a terminal that shows them if the environment variable
   NO_COLOR is not set. */
typedef enum ColourChoice { COLOUR_AUTO, COLOUR_ALWAYS, COLOUR_NEVER } ColourChoice;
void terminal_choose_colour(ColourChoice choice);

/* Whether to print colours to a stream. No other place decides this. */
bool terminal_has_colour(FILE *to);

/* Whether the stream is a terminal in which the cursor can be moved. */
bool terminal_has_cursor(FILE *to);

/* The width of the terminal: 80 if it is not a terminal. */
uint32_t terminal_columns(FILE *of);

/* Appends a picture of the board, with the line `head` above it and the players' names below. */
void terminal_draw_board(const Board *board, const char *const *names, const char *head,
                         bool colour, Buffer *to);

/* Shows a picture in place of the previous one; below it if there is no terminal_has_cursor. */
void terminal_show(Buffer *picture, const char *footer);

/* Switches to the alternate screen without a cursor, and back. Does nothing if standard output is
   not a terminal with a cursor. */
void terminal_open(void);
void terminal_close(void);

/* Whether the alternate screen is shown. */
bool terminal_is_open(void);

#endif
