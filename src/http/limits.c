/* See limits.h. */
#include "http/limits.h"

#include "base/hash.h"
#include "base/memory.h"

#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/random.h>

enum { WAYS = 8 }; /* buckets that a key may occupy */

#define SECOND INT64_C(1000000000)

typedef struct Bucket {
    uint64_t key;
    int64_t full; /* when it is full again; a time in the past means unused */
} Bucket;

struct Limits {
    LimitClass classes[LIMIT_CLASSES_MAX];
    uint32_t count;
    uint64_t secret; /* prevents attackers from choosing keys that collide */
    uint32_t sets;   /* a power of two */
    pthread_mutex_t lock;
    Bucket *buckets;
};

Limits *limits_new(const LimitClass *classes, uint32_t count, uint32_t entries) {
    assert(count <= LIMIT_CLASSES_MAX);
    Limits *limits = xcalloc(1, sizeof *limits);
    limits->count = count;
    for (uint32_t i = 0; i < count; i++)
        limits->classes[i] = classes[i];
    if (getrandom(&limits->secret, sizeof limits->secret, 0) != sizeof limits->secret)
        abort();
    limits->sets = 1;
    while (limits->sets < UINT32_C(1) << 24 && limits->sets * WAYS < entries)
        limits->sets *= 2;
    limits->buckets = xcalloc((size_t)limits->sets * WAYS, sizeof *limits->buckets);
    pthread_mutex_init(&limits->lock, NULL);
    return limits;
}

void limits_free(Limits *limits) {
    if (!limits)
        return;
    pthread_mutex_destroy(&limits->lock);
    free(limits->buckets);
    free(limits);
}

/* The key's bucket, or else the bucket to evict for it. */
static Bucket *find(const Limits *limits, uint64_t key) {
    Bucket *set = limits->buckets + (key & (limits->sets - 1)) * WAYS;
    Bucket *fullest = set;
    for (uint32_t i = 0; i < WAYS; i++) {
        if (set[i].key == key)
            return &set[i];
        if (set[i].full < fullest->full)
            fullest = &set[i];
    }
    *fullest = (Bucket){.key = key};
    return fullest;
}

/* The time between two tokens; 0: no limit. */
static int64_t token_of(const Limits *limits, uint32_t class) {
    bool limited = limits && class < limits->count && limits->classes[class].per_minute;
    return limited ? 60 * SECOND / limits->classes[class].per_minute : 0;
}

static uint64_t mix(const Limits *limits, uint32_t class, uint64_t key) {
    return hash64_chain(hash64_chain(limits->secret, class), key);
}

uint32_t limits_take(Limits *limits, uint32_t class, uint64_t key, int64_t now) {
    return limits_take_shared(limits, class, key, 1, now);
}

uint32_t limits_take_shared(Limits *limits, uint32_t class, uint64_t key, uint32_t people,
                            int64_t now) {
    int64_t token = token_of(limits, class);
    if (!token)
        return 0;
    /* The time to fill the bucket stays the same; each token costs less of it. */
    int64_t room = token * (limits->classes[class].burst ? limits->classes[class].burst : 1);
    token /= people ? people : 1;
    uint64_t mixed = mix(limits, class, key);
    pthread_mutex_lock(&limits->lock);
    Bucket *bucket = find(limits, mixed);
    int64_t full = (bucket->full > now ? bucket->full : now) + token;
    int64_t excess = full - now - room;
    if (excess <= 0)
        bucket->full = full;
    pthread_mutex_unlock(&limits->lock);
    return excess <= 0 ? 0 : (uint32_t)((excess + SECOND - 1) / SECOND);
}

void limits_give_back(Limits *limits, uint32_t class, uint64_t key) {
    int64_t token = token_of(limits, class);
    if (!token)
        return;
    pthread_mutex_lock(&limits->lock);
    find(limits, mix(limits, class, key))->full -= token;
    pthread_mutex_unlock(&limits->lock);
}
