/* How commands print. Everything passes utf8_clean, because a name, a message or a log may come
   from a bot, a file or an arena, and must not act on the terminal. No other file in this folder
   calls the output functions of stdio (tools/check-text). */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include "base/buffer.h"
#include "base/error.h"
#include "base/slice.h"
#include "base/utf8.h"

#include <stdio.h>

/* Prints to standard output, or to a stream. */
void print(const char *format, ...) __attribute__((format(printf, 1, 2)));
void print_to(FILE *to, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Prints text of any length, which may contain zero bytes; false if writing fails. print_text
   prints lines. */
bool print_as(FILE *to, TextForm form, Slice text);
void print_text(FILE *to, Slice text);

/* Prints the text in the first `columns` columns, and fills them with spaces. */
void print_column(const char *text, uint32_t columns);

/* Prints to standard output and clears the buffer; false if writing fails. */
bool print_buffer(TextForm form, Buffer *text);

/* Writes a file, which may be a terminal. */
bool print_file(const char *path, Slice text, Error *error);

/* Prints a control sequence of the program's own, such as one that moves the cursor. */
void print_control(FILE *to, const char *sequence);

/* Prints "skirmish: sentence" to standard error, unless output_is_closed. */
void print_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Flushes standard output; false if writing failed, now or before. */
bool print_flush(void);

/* Whether the reader of standard output is gone, as in `skirmish games | head -1`. Commands with
   bots ignore SIGPIPE: they detect it here, end as if interrupted, and report nothing. */
bool output_is_closed(void);

#endif
