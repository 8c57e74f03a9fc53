/* Rate limits: a token bucket for each class of request and each key (an address, an account), in
   memory of fixed size.

   A bucket is one number, the time at which it will be full again, so a full bucket need not be
   stored. When the memory is full, the fullest bucket is evicted, so an attacker with many
   addresses evicts only clients that have used almost nothing. Safe to use from any thread. */
#ifndef HTTP_LIMITS_H
#define HTTP_LIMITS_H

#include <stdint.h>

typedef struct LimitClass {
    uint32_t per_minute; /* 0: no limit */
    uint32_t burst;      /* the bucket's capacity, at least 1 */
} LimitClass;

typedef struct Limits Limits;

enum { LIMIT_CLASSES_MAX = 16 };

/* Keeps about `entries` buckets, of 16 bytes each. */
Limits *limits_new(const LimitClass *classes, uint32_t count, uint32_t entries);
void limits_free(Limits *limits);

/* Takes a token at the time `now` (clock_now). Returns 0, or if there is none the number of seconds
   (at least 1) until there will be. An unknown class has no limit. */
uint32_t limits_take(Limits *limits, uint32_t class, uint64_t key, int64_t now);

/* The same for a key that `people` people share (0 counts as 1): the limit grows with them. */
uint32_t limits_take_shared(Limits *limits, uint32_t class, uint64_t key, uint32_t people,
                            int64_t now);

/* Returns a token that limits_take has just taken, because the action does not count. */
void limits_give_back(Limits *limits, uint32_t class, uint64_t key);

#endif
