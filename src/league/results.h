/* Results of matches, stored compactly: equal results are one record with a count. rating.h
   interprets them. */
#ifndef LEAGUE_RESULTS_H
#define LEAGUE_RESULTS_H

#include "base/buffer.h"

#include <stdint.h>

/* A place holds a bot's number, best first; the flag means that the bot ties with the previous
   place. */
#define PLACE_TIED (UINT32_C(1) << 31)
#define PLACE_BOT(place) ((place) & ~PLACE_TIED)

typedef struct Result {
    uint64_t times;
    uint32_t players;
    uint32_t places[];
} Result;

/* `{0}` is empty. `records` holds the records in sequence; `slots` is a hash table of them. */
typedef struct Results {
    Buffer records;
    size_t count;
    size_t *slots; /* 1 + offset in `records`; 0: free */
    size_t slot_count;
} Results;

void results_free(Results *results);

/* Adds a result. Equal ranks are ties. The returned record is valid until the next call. */
const Result *results_add(Results *results, uint32_t players, const uint32_t *bots,
                          const uint32_t *ranks, uint64_t times);

/* The first record (`after` is NULL) or the next; NULL after the last. */
const Result *results_next(const Results *results, const Result *after);

#endif
