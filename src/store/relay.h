/* Events of live topics that processes on one PostgreSQL database pass to each other: the publisher
   of a topic that is watched elsewhere writes its events, and the others read them. The rows are a
   buffer, not a record: a crash of the server loses them, and they are deleted soon after the topic
   has ended. Topics of matches have their own table, because workers publish them and must not read
   the topics of seats. With SQLite there is only one process, and these calls fail. */
#ifndef STORE_RELAY_H
#define STORE_RELAY_H

#include "store/types.h"

typedef enum StoreRelayKind { RELAY_MATCHES, RELAY_SEATS, RELAY_KINDS } StoreRelayKind;

typedef struct StoreRelayEvent {
    const char *topic;
    uint64_t number; /* its id in the topic */
    Slice data;      /* as viewers receive it; empty: the topic has ended before this number */
} StoreRelayEvent;

/* Writes events in this order: a reader of one event of a topic can also read those before it.
   Events that are there already stay as they are. */
StoreResult store_relay_put(Store *store, StoreRelayKind kind, const StoreRelayEvent *events,
                            uint32_t count, Error *error);

typedef struct StoreRelayReader {
    void *context;
    void (*take)(void *context, uint64_t number, Slice data);
} StoreRelayReader;

/* Passes the first events of a topic with numbers above `after` to the reader, in their order: at
   most *count. Sets *count to how many. */
StoreResult store_relay_read(Store *store, StoreRelayKind kind, const char *topic, uint64_t after,
                             StoreRelayReader reader, uint32_t *count, Error *error);

/* Deletes the events of a topic with numbers below `below`. */
StoreResult store_relay_drop(Store *store, StoreRelayKind kind, const char *topic, uint64_t below,
                             Error *error);

/* Deletes the events of topics without new ones for this many milliseconds: their publishers are
   gone. */
StoreResult store_relay_trim(Store *store, int64_t age, Error *error);

#endif
