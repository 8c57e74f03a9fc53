/* SKIRMISH_SEED: an environment variable with a number from which a bot should derive its random
   choices.

   It depends only on the match's seed and the bot's seat, so that bots that use it play a repeated
   match identically. It reveals neither the match's seed nor the other bots' numbers. */
#ifndef BOTS_BOT_SEED_H
#define BOTS_BOT_SEED_H

#include <stdint.h>

enum { BOT_SEED_SIZE = 40 };

/* From 1 to 2^53, a range that every language can represent exactly. */
uint64_t bot_seed(uint64_t match_seed, uint32_t seat);

/* "SKIRMISH_SEED=123"; "" if the seed is 0. */
void bot_seed_variable(uint64_t seed, char text[BOT_SEED_SIZE]);

#endif
