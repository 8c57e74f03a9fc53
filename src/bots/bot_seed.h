/* SKIRMISH_SEED: the number in a bot's environment that its random choices should come from.

   It depends only on the match's seed and on the bot's seat, so that bots that use it play the same
   match again. It does not reveal the match's seed or the other bots' numbers. */
#ifndef BOTS_BOT_SEED_H
#define BOTS_BOT_SEED_H

#include <stdint.h>

enum { BOT_SEED_SIZE = 40 };

/* From 1 to 2^53, which every language can read exactly. */
uint64_t bot_seed(uint64_t match_seed, uint32_t seat);

/* "SKIRMISH_SEED=123"; "" if the seed is 0. */
void bot_seed_variable(uint64_t seed, char text[BOT_SEED_SIZE]);

#endif
