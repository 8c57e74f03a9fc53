/* Text as code points: which bytes are valid UTF-8, how wide text stands in a terminal, and names
   of strangers made harmless to show. */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include "base/buffer.h"
#include "base/slice.h"

/* The length of the valid UTF-8 sequence at `at`, or 0. Overlong forms, surrogates and what lies
   above U+10FFFF are not valid. */
size_t utf8_length(const unsigned char *at, size_t left);

/* Takes the next code point off `rest`, which is not empty. Bytes that are no UTF-8 come one by
   one, each as U+FFFD. */
uint32_t utf8_next(Slice *rest);

/* Whether a code point only moves things about on a screen: control characters, ends of lines, and
   what turns the direction of text. */
bool utf8_is_control(uint32_t code);

/* Whether there is no control in the text. */
bool utf8_is_line(Slice text);

/* Columns that the text takes in a terminal: two for wide characters, none for marks that combine.
   Controls count as one, as utf8_show shows them. */
uint32_t utf8_width(Slice text);

/* Appends the text as valid UTF-8 with U+FFFD for every control, so that a name cannot do anything
   to a screen. What is wider than `most` columns is cut and ends in an ellipsis; returns the
   columns taken. */
uint32_t utf8_show(Buffer *to, Slice text, uint32_t most);

/* Takes a byte order mark off the beginning of a file's text: some editors write one, and nobody
   sees it. */
void utf8_skip_mark(Buffer *text);

/* Appends the first line of what somebody said, shown so and between quotation marks: for sentences
   about it. */
void utf8_quote(Buffer *to, Slice text);

#endif
