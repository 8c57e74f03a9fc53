/* UTF-8: validation, width in a terminal, and making untrusted text safe to show. */
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

/* Whether a code point can act on a terminal or hide in text: a control or format character, or a
   separator of lines or paragraphs (Unicode's categories Cc, Cf, Zl and Zp). */
bool utf8_is_control(uint32_t code);

/* Whether the text contains no such code point. */
bool utf8_is_line(Slice text);

typedef enum TextForm {
    TEXT_LINE,    /* part of a line: U+FFFD for every control character */
    TEXT_LINES,   /* newlines and tabs stay */
    TEXT_COLOURS, /* the same, and colours as base/paint.h sets them stay */
    TEXT_JSON,    /* escapes for control characters, so that nothing is lost; white space stays */
} TextForm;

/* Appends untrusted text as valid UTF-8 without anything that can act on a terminal. All text that
   did not come with the program passes through here before it is printed. */
void utf8_clean(Buffer *to, Slice text, TextForm form);

/* How many bytes at the end of a text could be completed to a character by more bytes: 0 to 3. */
size_t utf8_unfinished(Slice text);

/* The columns that the text takes in a terminal: two for wide characters, none for combining marks,
   one for control characters (as utf8_show shows them). */
uint32_t utf8_width(Slice text);

/* Appends the text as valid UTF-8, with U+FFFD for every control character, cut to `most` columns
   with an ellipsis. Returns the columns used. */
uint32_t utf8_show(Buffer *to, Slice text, uint32_t most);

/* Removes a byte order mark, which some editors write at the start of a file. */
void utf8_skip_mark(Buffer *text);

/* Appends the first line of untrusted text in quotation marks, made safe by utf8_show. */
void utf8_quote(Buffer *to, Slice text);

#endif
