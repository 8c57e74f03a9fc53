/* See random.h. */
#include "base/random.h"

#include <assert.h>

Random random_seeded(uint64_t seed) {
    /* splitmix64 spreads any seed, 0 included, over the whole state. */
    Random random;
    for (int i = 0; i < 4; i++) {
        uint64_t z = seed += 0x9e3779b97f4a7c15u;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        random.state[i] = z ^ (z >> 31);
    }
    return random;
}

static uint64_t rotate(uint64_t value, int by) {
    return value << by | value >> (64 - by);
}

uint64_t random_next(Random *random) {
    uint64_t *s = random->state;
    uint64_t result = rotate(s[1] * 5, 7) * 9;
    uint64_t shifted = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= shifted;
    s[3] = rotate(s[3], 45);
    return result;
}

uint32_t random_below(Random *random, uint32_t bound) {
    assert(bound > 0);
    /* Multiply and shift; reject numbers from the uneven end of the range and draw again. */
    uint32_t uneven = (0u - bound) % bound;
    for (;;) {
        uint64_t product = (random_next(random) >> 32) * bound;
        if ((uint32_t)product >= uneven)
            return (uint32_t)(product >> 32);
    }
}
