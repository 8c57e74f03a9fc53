/* The progress of a long operation, in one line of standard error while that is a terminal:

     [############..................] 16 of 40 replays, 8 s left

   There is one such line at a time. All output of a command (output.h) removes it first, and the
   next progress_bar_show draws it again. The only control character is a carriage return, so it
   works on every terminal. */
#ifndef CLI_PROGRESS_BAR_H
#define CLI_PROGRESS_BAR_H

#include "base/buffer.h"

#include <stdbool.h>
#include <stdio.h>

/* Short operations show nothing. */
enum { PROGRESS_DELAY_MS = 500 };

/* Starts the clock of the remaining time. The line appears after `delay_ms`. With `quiet`,
   or if standard error is not a terminal, it never does. */
void progress_bar_begin(bool quiet, int delay_ms);

/* Whether progress_bar_show can show something. */
bool progress_bar_is_on(void);

/* Shows the bar for `share` (0 to 1) of the work, the text and the remaining time; only the text if
   the share is negative, which means unknown. May be called as often as you like. */
void progress_bar_show(double share, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Removes the line before output to this stream, if the stream is a terminal too. The next
   progress_bar_show draws it again at once; otherwise it redraws the line only a few times per
   second. */
void progress_bar_make_room(FILE *to);

/* Removes the line. */
void progress_bar_end(void);

/* Appends a span of time as people say it: "8 s", "2 min 05 s", "3 h 20 min". */
void write_span(Buffer *to, double seconds);

#endif
