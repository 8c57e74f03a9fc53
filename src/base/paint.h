/* Colours in a terminal: one palette, so that player 1 looks the same in every game. */
#ifndef BASE_PAINT_H
#define BASE_PAINT_H

#include "base/buffer.h"

#include "base/slice.h"

#include <stdbool.h>

enum { PAINT_PLAYERS = 8 }; /* colours; further players reuse them */
enum { PAINT_PLAIN = -1, PAINT_DIM = -2, PAINT_BRIGHT = -3, PAINT_DEAD = -4 };

/* Appends `text` in a player's colour (0 and up) or in one of the paints above; if `colour` is
   false, without colours. */
void paint_text(Buffer *to, bool colour, int paint, const char *text);
void paint_char(Buffer *to, bool colour, int paint, char c);

/* Takes the next character off painted text and updates `paint`, which is PAINT_PLAIN at the start,
   to its colour. False at the end. */
bool paint_read(Slice *text, int *paint, char *c);

#endif
