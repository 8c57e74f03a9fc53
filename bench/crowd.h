/* A store like that of a busy arena: people, bots with ratings, finished matches. For the
   benchmarks of the store and the server. Any failure ends the program with a message.

   The bots are not programs, so none of this can be played. */
#ifndef BENCH_CROWD_H
#define BENCH_CROWD_H

#include "base/random.h"
#include "store/store.h"

/* People are called person-1, person-2, ...; the first of them are administrators. Each has a
   session and a token, whose secrets are the person's name. */
enum { CROWD_PEOPLE = 200, CROWD_ADMINISTRATORS = 50 };

typedef struct Crowd {
    Store *store;
    const char *database; /* the URI of a PostgreSQL database, or NULL */
    uint32_t bots;        /* bot-1, bot-2, ...: a multiple of `games` */
    uint32_t games;       /* how many games they are distributed over, in turn; at most 5 */
    uint32_t matches;
    Random random;
} Crowd;

/* Opens the store in this directory, which is created if missing. */
void crowd_open(Crowd *crowd, const char *directory, bool relaxed);

/* Adds people and tournaments, and bots with a working version and a rating history, to an empty
   store. */
void crowd_add_people(Crowd *crowd);
void crowd_add_bots(Crowd *crowd);

const char *crowd_game_of(const Crowd *crowd, uint64_t bot);

/* Requests `count` matches between bots of one game. */
void crowd_ask(Crowd *crowd, uint32_t count);

/* Adds `count` such matches directly to the tables of an open store, which is much faster: waiting
   ones with jobs, or finished ones, which come first. */
void crowd_fill(Crowd *crowd, const char *directory, uint32_t count, bool finished);

/* The result that all matches have. */
extern const StoreMatchResult crowd_result;

/* Leases up to `count` matches, ten at a time, and finishes them one by one; returns their
   number. */
uint32_t crowd_play(Crowd *crowd, uint32_t count);

/* Aborts the program if the store has failed. */
void crowd_must(StoreResult result, const Error *error);

#endif
