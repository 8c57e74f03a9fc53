/* See bot_seed.h. */
#include "bots/bot_seed.h"

#include "base/hash.h"

#include <inttypes.h>
#include <stdio.h>

uint64_t bot_seed(uint64_t match_seed, uint32_t seat) {
    const uint64_t key[2] = {match_seed, 0x64656573746f62u /* "botseed" */};
    uint64_t number = seat;
    return hash64_keyed(key, &number, sizeof number) % ((uint64_t)1 << 53) + 1;
}

void bot_seed_variable(uint64_t seed, char text[BOT_SEED_SIZE]) {
    text[0] = '\0';
    if (seed)
        snprintf(text, BOT_SEED_SIZE, "SKIRMISH_SEED=%" PRIu64, seed);
}
