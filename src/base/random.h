/* The random number generator of a match (xoshiro256**). It is part of the game's state, is copied
   with it, and gives the same numbers on every machine. Rules use no other randomness. */
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
