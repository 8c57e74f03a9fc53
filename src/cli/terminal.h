/* The terminal: its size and colours, and the board drawn in it. */
#ifndef CLI_TERMINAL_H
#define CLI_TERMINAL_H

#include "match/board.h"

/* When to print colours. By default, if standard output is a terminal that shows them and the
   environment variable NO_COLOR is not set. */
typedef enum ColourChoice { COLOUR_AUTO, COLOUR_ALWAYS, COLOUR_NEVER } ColourChoice;
void terminal_choose_colour(ColourChoice choice);

/* Whether to print colours. */
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

/* Whether that screen is shown. */
bool terminal_is_open(void);

#endif
