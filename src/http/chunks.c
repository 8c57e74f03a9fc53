/* See chunks.h. */
#include "http/chunks.h"

enum { DIGITS_MAX = 8, IGNORED_MAX = 4096 };

static ChunksState take_size(Chunks *chunks, char c) {
    int digit = hex_digit_value(c);
    if (digit >= 0 && chunks->digits < DIGITS_MAX) {
        chunks->digits++;
        chunks->left = chunks->left * 16 + (uint64_t)digit;
        return CHUNKS_SIZE;
    }
    if (!chunks->digits)
        return CHUNKS_BROKEN;
    return c == '\r' ? CHUNKS_SIZE_LF : c == ';' ? CHUNKS_EXTENSION : CHUNKS_BROKEN;
}

/* A byte of an extension or a trailer, up to the CR that ends it. */
static ChunksState ignore(Chunks *chunks, char c, ChunksState same, ChunksState end) {
    if (c == '\r')
        return end;
    bool control = ((unsigned char)c < 0x20 && c != '\t') || c == 0x7f;
    return control || ++chunks->ignored > IGNORED_MAX ? CHUNKS_BROKEN : same;
}

/* The state after a byte that is not data. */
static ChunksState next_state(Chunks *chunks, char c) {
    switch (chunks->state) {
    case CHUNKS_SIZE:
        return take_size(chunks, c);
    case CHUNKS_EXTENSION:
        return ignore(chunks, c, CHUNKS_EXTENSION, CHUNKS_SIZE_LF);
    case CHUNKS_SIZE_LF:
        chunks->digits = 0;
        return c != '\n' ? CHUNKS_BROKEN : chunks->left ? CHUNKS_DATA : CHUNKS_LINE;
    case CHUNKS_DATA_CR:
        return c == '\r' ? CHUNKS_DATA_LF : CHUNKS_BROKEN;
    case CHUNKS_DATA_LF:
        return c == '\n' ? CHUNKS_SIZE : CHUNKS_BROKEN;
    case CHUNKS_LINE:
        return ignore(chunks, c, CHUNKS_TRAILER, CHUNKS_LAST_LF);
    case CHUNKS_TRAILER:
        return ignore(chunks, c, CHUNKS_TRAILER, CHUNKS_TRAILER_LF);
    case CHUNKS_TRAILER_LF:
        return c == '\n' ? CHUNKS_LINE : CHUNKS_BROKEN;
    case CHUNKS_LAST_LF:
        return c == '\n' ? CHUNKS_DONE : CHUNKS_BROKEN;
    default:
        return CHUNKS_BROKEN;
    }
}

Slice chunks_take(Chunks *chunks, Slice *rest) {
    while (rest->length && chunks->state < CHUNKS_DONE) {
        if (chunks->state == CHUNKS_DATA) {
            uint64_t length = chunks->left < rest->length ? chunks->left : rest->length;
            Slice data = {rest->at, (size_t)length};
            *rest = (Slice){rest->at + length, rest->length - (size_t)length};
            chunks->left -= length;
            if (!chunks->left)
                chunks->state = CHUNKS_DATA_CR;
            return data;
        }
        chunks->state = next_state(chunks, *rest->at);
        *rest = (Slice){rest->at + 1, rest->length - 1};
    }
    return (Slice){0};
}
