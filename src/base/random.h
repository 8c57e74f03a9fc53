/* The match's own generator of chance (xoshiro256**). It lives inside a game's state, is copied
   with it, and gives the same numbers on every machine. There is no other source of chance in the
   rules. */
#ifndef BASE_RANDOM_H
#define BASE_RANDOM_H

#include <stdint.h>

typedef struct Random {
    uint64_t state[4];
} Random;

Random random_seeded(uint64_t seed);
uint64_t random_next(Random *random);

/* A number from 0 to bound - 1, every one equally likely; `bound` is at least 1. */
uint32_t random_below(Random *random, uint32_t bound);

#endif
