/* What a store reports about its work, for its owner's metrics. The cost is low: one function call
   per transaction and per request for a file. */
#ifndef STORE_WATCH_H
#define STORE_WATCH_H

#include <stdbool.h>
#include <stdint.h>

/* Work that takes time: transactions, including the time spent waiting for a connection and for
   other transactions; and requests to the place for files. */
typedef enum StoreWork {
    WORK_READ,
    WORK_WRITE,  /* alone, see transaction_write */
    WORK_QUEUE,  /* concurrently with others of the queue */
    WORK_BESIDE, /* concurrently with all others */
    WORK_FILE_PUT,
    WORK_FILE_GET, /* reading a copy from the cache does not count */
    WORK_FILE_HAS,
    WORK_FILE_DELETE,
    STORE_WORKS
} StoreWork;

typedef enum StoreEvent {
    EVENT_COLLIDED, /* a transaction failed because of another one; it is retried or reported */
    EVENT_LEASE_EXPIRED,
    EVENT_CACHE_HIT, /* in the cache of remote files */
    EVENT_CACHE_MISS,
    STORE_EVENTS
} StoreEvent;

/* The functions are called from any thread and may be NULL. */
typedef struct StoreWatch {
    void *context;
    /* `failed`: for a reason beyond the caller's control, such as a full disk or a lost
       connection. */
    void (*worked)(void *context, StoreWork work, int64_t nanoseconds, bool failed);
    void (*happened)(void *context, StoreEvent event, uint32_t times);
} StoreWatch;

static inline void watch_worked(const StoreWatch *watch, StoreWork work, int64_t nanoseconds,
                                bool failed) {
    if (watch->worked)
        watch->worked(watch->context, work, nanoseconds, failed);
}

static inline void watch_happened(const StoreWatch *watch, StoreEvent event, uint32_t times) {
    if (watch->happened && times)
        watch->happened(watch->context, event, times);
}

#endif
