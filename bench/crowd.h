/* A store as a busy arena has it: people, bots with ratings, matches that were played. For the
   benchmarks of the store and of the server. Whatever fails ends the program with a sentence.

   The bots are no programs: nothing of this can be played. */
#ifndef BENCH_CROWD_H
#define BENCH_CROWD_H

#include "base/random.h"
#include "store/store.h"

/* People are called person-1, person-2, ...; the first of them are administrators. Each has a
   session and a token, whose secrets are their name. */
enum { CROWD_PEOPLE = 200, CROWD_ADMINISTRATORS = 50 };

typedef struct Crowd {
    Store *store;
    uint32_t bots;  /* bot-1, bot-2, ...: a multiple of `games` */
    uint32_t games; /* how many of the games they play, in turn; at most 5 */
    uint32_t matches;
    Random random;
} Crowd;

/* Opens the store in this directory, which is made if it is not there. */
void crowd_open(Crowd *crowd, const char *directory, bool relaxed);

/* People and tournaments; bots with a good version and a history of ratings. Into an empty
   store. */
void crowd_add_people(Crowd *crowd);
void crowd_add_bots(Crowd *crowd);

const char *crowd_game_of(const Crowd *crowd, uint64_t bot);

/* Asks for so many matches between bots of one game. */
void crowd_ask(Crowd *crowd, uint32_t count);

/* Leases up to `count` matches, ten at a time, and finishes them one by one; how many. */
uint32_t crowd_play(Crowd *crowd, uint32_t count);

/* Ends the program if the store has failed. */
void crowd_must(StoreResult result, const Error *error);

#endif
