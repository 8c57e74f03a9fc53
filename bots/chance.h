/* Where the bots that play by chance have theirs from: the seed that is their first argument, or
   else the machine. Neither the time in seconds nor the number of the process would do: in the
   sandbox every bot has the same number, and two that start in one second would play alike. */
#ifndef BOTS_CHANCE_H
#define BOTS_CHANCE_H

#include "base/random.h"

#include <stdlib.h>
#include <sys/random.h>
#include <time.h>

static inline Random chance_begin(int count, char **arguments) {
    uint64_t seed = 0;
    if (count > 1)
        return random_seeded(strtoull(arguments[1], NULL, 10));
    if (getrandom(&seed, sizeof seed, 0) != sizeof seed) {
        struct timespec now = {0};
        clock_gettime(CLOCK_REALTIME, &now);
        seed = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    }
    return random_seeded(seed);
}

#endif
