/* A piece of text that someone else owns, and functions to split it into lines, words and numbers.
   An empty slice may have a NULL pointer. */
#ifndef BASE_SLICE_H
#define BASE_SLICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Slice {
    const char *at;
    size_t length;
} Slice;

/* For printf: "%.*s", SLICE_ARGS(slice). Shows at most 60 bytes, to keep messages short. */
#define SLICE_ARGS(slice) (int)((slice).length < 60 ? (slice).length : 60), (slice).at

Slice slice_of(const char *text);

/* Takes the next line off `rest` (without its LF or CRLF). False when nothing is left. A last line
   needs no newline. */
bool slice_line(Slice *rest, Slice *line);

/* Takes the next word off `rest`, skipping blanks and tabs. False when only blanks are left. */
bool slice_word(Slice *rest, Slice *word);

/* Takes `text` off the front of `rest` if `rest` begins with it. */
bool slice_skip(Slice *rest, const char *text);

/* Without white space at either end. */
Slice slice_trim(Slice slice);

/* A copy with a zero byte after it, which the caller frees. */
char *slice_copy(Slice slice);

/* Copies the slice with a zero byte after it. If it does not fit or contains a zero byte, sets an
   empty text and returns false: a cut name could be the name of someone else. */
bool slice_to(Slice slice, char *to, size_t size);

bool slice_equals(Slice slice, const char *text);

/* Reads the whole slice as a decimal number with an optional minus; false if it is anything else or
   does not fit. */
bool slice_int(Slice slice, int64_t *value);

/* The value of a hexadecimal digit, or -1. */
int hex_digit_value(char c);

#endif
