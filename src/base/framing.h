/* Where one answer of a bot ends and the next begins, in a stream of bytes that arrives in any
   portions.

   A Framing is fed what is there so far and finds the end of the first answer; it remembers how far
   it has looked, so that a slow bot's bytes are looked at once. It knows nothing of what an answer
   means. */
#ifndef BASE_FRAMING_H
#define BASE_FRAMING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum FramingKind {
    FRAMING_LINE,       /* one line */
    FRAMING_BLANK_LINE, /* lines, up to an empty one */
    FRAMING_END_LINE,   /* lines, up to one that says "end" */
    /* one JSON array; a line that does not begin one is an answer too, for the parser to refuse */
    FRAMING_JSON_ARRAY,
} FramingKind;

typedef struct Framing {
    FramingKind kind;
    size_t scanned;    /* bytes looked at */
    size_t line_start; /* of the line being looked at */
    size_t depth;      /* of brackets, in FRAMING_JSON_ARRAY */
    bool in_string;
    bool escaped;
    bool no_array; /* in FRAMING_JSON_ARRAY: what is there does not begin one */
} Framing;

/* Ready for the next answer. */
void framing_reset(Framing *framing);

/* The length of the first answer in the `count` bytes, its end mark included, or 0 if it is not
   complete. Until an answer is found it must be given the same bytes again, with more behind them.
   With `closed`, nothing will follow: a last line without its newline then counts as a line. */
size_t framing_find(Framing *framing, const char *bytes, size_t count, bool closed);

#endif
