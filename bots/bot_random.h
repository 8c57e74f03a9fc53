/* The random generator of a house bot. It is seeded by SKIRMISH_SEED, so that a match with the same
   seed repeats; otherwise by the kernel. The time in seconds or the process id would not do: all
   sandboxed bots have the same id, and two bots that start in the same second would play alike. */
#ifndef BOTS_BOT_RANDOM_H
#define BOTS_BOT_RANDOM_H

#include "base/random.h"

#include <stdlib.h>
#include <sys/random.h>
#include <time.h>

static inline Random bot_random(void) {
    const char *given = getenv("SKIRMISH_SEED");
    uint64_t seed = 0;
    if (given)
        return random_seeded(strtoull(given, NULL, 10));
    if (getrandom(&seed, sizeof seed, 0) != sizeof seed) {
        struct timespec now = {0};
        clock_gettime(CLOCK_REALTIME, &now);
        seed = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    }
    return random_seeded(seed);
}

#endif
