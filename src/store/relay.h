/* Events of live topics that processes on one PostgreSQL database pass to each other: the publisher
   of a topic that other processes' viewers watch writes its events, and the other processes read
   them. The rows are only a buffer: a crash of the server loses them, and they are deleted soon
   after the topic has ended. Topics of matches have their own table, because workers publish them
   and must not read the topics of seats. With SQLite there is only one process, and these calls
   fail. */
#ifndef STORE_RELAY_H
#define STORE_RELAY_H

#include "store/types.h"

typedef enum StoreRelayKind { RELAY_MATCHES, RELAY_SEATS, RELAY_KINDS } StoreRelayKind;

typedef struct StoreRelayEvent {
    const char *topic;
    uint64_t number; /* its id in the topic */
    Slice data;      /* as viewers receive it; empty: the topic has ended before this number */
} StoreRelayEvent;

/* Writes events in this order, so that a reader who can read one event of a topic can also read all
   earlier ones. Does not change events that already exist. */
StoreResult store_relay_put(Store *store, StoreRelayKind kind, const StoreRelayEvent *events,
                            uint32_t count, Error *error);

typedef struct StoreRelayReader {
    void *context;
    void (*take)(void *context, uint64_t number, Slice data);
} StoreRelayReader;

/* Passes the first events of a topic with numbers above `after` to the reader, in order, at most
   *count; sets *count to how many. */
StoreResult store_relay_read(Store *store, StoreRelayKind kind, const char *topic, uint64_t after,
                             StoreRelayReader reader, uint32_t *count, Error *error);

/* Deletes the events of a topic with numbers below `below`. */
StoreResult store_relay_drop(Store *store, StoreRelayKind kind, const char *topic, uint64_t below,
                             Error *error);

/* Deletes the events of topics that have had no new events for `age` milliseconds, because their
   publishers are gone. */
StoreResult store_relay_trim(Store *store, int64_t age, Error *error);

#endif
