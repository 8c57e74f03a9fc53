/* The chunked encoding of a body: a state machine that takes bytes as they arrive.

   As strict as head.h: lines end in CR LF, sizes are short hexadecimal numbers, and extensions and
   trailers are read, checked and ignored, up to a limit. */
#ifndef HTTP_CHUNKS_H
#define HTTP_CHUNKS_H

#include "base/slice.h"

typedef enum ChunksState {
    CHUNKS_SIZE,
    CHUNKS_EXTENSION,
    CHUNKS_SIZE_LF,
    CHUNKS_DATA,
    CHUNKS_DATA_CR,
    CHUNKS_DATA_LF,
    CHUNKS_LINE, /* the start of a trailer, or of the empty line that ends the body */
    CHUNKS_TRAILER,
    CHUNKS_TRAILER_LF,
    CHUNKS_LAST_LF,
    CHUNKS_DONE,
    CHUNKS_BROKEN,
} ChunksState;

typedef struct Chunks {
    ChunksState state;
    uint32_t digits;  /* of the size of this chunk */
    uint32_t ignored; /* bytes of extensions and trailers */
    uint64_t left;    /* bytes of this chunk */
} Chunks;

/* Consumes bytes from the front of `rest` until one of these happens: it finds a piece of data,
   which it returns; `rest` is empty; the body ends (CHUNKS_DONE); or the encoding is invalid
   (CHUNKS_BROKEN). Start each body with a zeroed Chunks. */
Slice chunks_take(Chunks *chunks, Slice *rest);

#endif
