/* Seats of remote players, shared by several front ends. A seat is in the memory of the front end
   that created it, its owner. Other front ends find it here, and forward requests for it to its
   owner. A seat is identified by its topic, which contains a hash of its secret. Like the events in
   relay.h, these rows are only a buffer: a crash of the server loses them, and owners write their
   seats again. Only on PostgreSQL. Workers have no rights to these tables. */
#ifndef STORE_SEAT_CALLS_H
#define STORE_SEAT_CALLS_H

#include "store/types.h"

enum {
    SEAT_TOPIC_SIZE = 64,
    SEAT_SILENT_MS = 15000, /* an owner that has not renewed a seat for this long counts as gone */
};

/* The topic of the seat with this secret. */
void store_seat_topic(Slice secret, char topic[SEAT_TOPIC_SIZE]);

typedef struct StoreRemoteSeat {
    char topic[SEAT_TOPIC_SIZE];
    uint64_t match;
    uint64_t account; /* 0: a visitor's */
    int64_t seen;     /* when its owner last renewed it */
} StoreRemoteSeat;

/* Adds or renews seats. */
StoreResult store_seats_renew(Store *store, const StoreRemoteSeat *seats, uint32_t count,
                              Error *error);

StoreResult store_seat_find(Store *store, const char *topic, StoreRemoteSeat *seat, Error *error);
StoreResult store_seat_remove(Store *store, const char *topic, Error *error);

/* Sends a request to the owner of a seat, in a format that only the owner interprets. */
StoreResult store_seat_ask(Store *store, const char *topic, Slice question, uint64_t *call,
                           Error *error);

/* Takes the answer, a number, and deletes the call; STORE_NOT_FOUND if there is no answer yet.
   store_seat_give_up deletes a call without an answer. */
StoreResult store_seat_take_answer(Store *store, uint64_t call, uint32_t *answer, Error *error);
StoreResult store_seat_give_up(Store *store, uint64_t call, Error *error);

typedef struct StoreSeatCall {
    uint64_t id;
    char topic[SEAT_TOPIC_SIZE];
    Buffer question; /* buffer_free it */
} StoreSeatCall;

/* Reads the unanswered calls with ids above `after`, oldest first, at most *count; sets *count to
   how many. */
StoreResult store_seat_calls(Store *store, uint64_t after, StoreSeatCall *calls, uint32_t *count,
                             Error *error);
StoreResult store_seat_answer(Store *store, uint64_t call, uint32_t answer, Error *error);

/* Deletes rows of owners that are gone. */
StoreResult store_seats_trim(Store *store, Error *error);

#endif
