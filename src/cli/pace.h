/* How long a bot takes per turn, and whether that has changed since an earlier match.

   Times of single turns vary with the machine's other load, with the position and with the length
   of the match. So this compares medians, only over turns that both matches have, and calls a bot
   slower or faster only if that is clear: the median differs by a quarter and by 0.05 ms, and three
   of four turns differ in the same direction. The first turn, in which programs start, does not
   count. */
#ifndef CLI_PACE_H
#define CLI_PACE_H

#include "base/buffer.h"

#include <stdbool.h>
#include <stdint.h>

/* The times of a bot's turns in one match, in nanoseconds. */
typedef struct Pace {
    int64_t *turns;
    uint32_t count;
    bool cpu; /* CPU times, which other load hardly affects; otherwise wall times */
} Pace;

void pace_free(Pace *pace);

/* Adds the time of the next turn. CPU time counts if it was measured in any turn. */
void pace_add(Pace *pace, int64_t cpu, int64_t wall);

/* Appends "1.23 ms per turn, 40% slower"; without a comparison if the matches have few turns in
   common; nothing if there are too few turns at all. */
void pace_write(const Pace *before, const Pace *now, Buffer *to);

#endif
