/* Finds where a bot's answer ends in a stream of bytes that arrives in pieces.

   A Framing gets all bytes so far and remembers how far it has looked, so that each byte of a slow
   bot is scanned once. It does not know what an answer means. */
#ifndef BASE_FRAMING_H
#define BASE_FRAMING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum FramingKind {
    FRAMING_LINE,       /* one line */
    FRAMING_BLANK_LINE, /* lines, up to an empty one */
    FRAMING_END_LINE,   /* lines, up to the line "end" */
    /* one JSON array; any other line is an answer too, for the parser to reject */
    FRAMING_JSON_ARRAY,
} FramingKind;

typedef struct Framing {
    FramingKind kind;
    size_t scanned;    /* bytes looked at */
    size_t line_start; /* where the line being scanned starts */
    size_t depth;      /* nesting of brackets, in FRAMING_JSON_ARRAY */
    bool in_string;
    bool escaped;
    bool no_array; /* in FRAMING_JSON_ARRAY: the answer does not start with one */
} Framing;

/* Ready for the next answer. */
void framing_reset(Framing *framing);

/* The length of the first answer in the `count` bytes, including its end mark, or 0 if it is not
   complete. Until an answer is found, call it again with the same bytes and those that followed.
   `closed` says that no more bytes will come: a last line without a newline counts as a line. */
size_t framing_find(Framing *framing, const char *bytes, size_t count, bool closed);

#endif
