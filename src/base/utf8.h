/* UTF-8: validation, width in a terminal, and making untrusted names safe to show. */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include "base/buffer.h"
#include "base/slice.h"

/* The length of the valid UTF-8 sequence at `at`, or 0. Overlong forms, surrogates and code
   points above U+10FFFF are invalid. */
size_t utf8_length(const unsigned char *at, size_t left);

/* Takes the next code point off `rest`, which is not empty. Each byte that is
   not valid UTF-8 becomes U+FFFD. */
uint32_t utf8_next(Slice *rest);

/* Whether a code point is a control character, a line separator or a change of text direction. */
bool utf8_is_control(uint32_t code);

/* Whether the text has no such code point. */
bool utf8_is_line(Slice text);

/* Columns that the text takes in a terminal: two for wide characters, none for combining marks, one
   for controls (as utf8_show shows them). */
uint32_t utf8_width(Slice text);

/* Appends the text as valid UTF-8, with U+FFFD for every control, cut to `most` columns with an
   ellipsis. Returns the columns used. */
uint32_t utf8_show(Buffer *to, Slice text, uint32_t most);

/* Removes a byte order mark, which some editors write at the start of a file. */
void utf8_skip_mark(Buffer *text);

/* Appends the first line of untrusted text in quotation marks, made safe by utf8_show. */
void utf8_quote(Buffer *to, Slice text);

#endif
