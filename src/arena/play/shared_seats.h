/* Lets the requests of remote players arrive at any front end. The seat itself is in the memory of
   the front end that created it, its owner (remote_seats.h). If several arenas share a PostgreSQL
   database, a row says that the seat exists (store/seat_calls.h), and

   - its events reach the viewers of other front ends like those of matches (topic_relay.h);
   - requests that a player sends to another front end are passed on to the owner as calls; that
     front end waits for the answer, so it needs a thread that may wait;
   - if the owner is gone, the leader calls the match off, and the player's front end reports this.

   A thread answers calls, renews the rows of this front end's seats, and ends the streams of other
   front ends' seats. With SQLite, Arena.shared_seats is NULL, which is fine for all functions. */
#ifndef ARENA_PLAY_SHARED_SEATS_H
#define ARENA_PLAY_SHARED_SEATS_H

#include "arena/play/remote_seats.h"

typedef struct SharedSeats SharedSeats;

/* Sets arena->shared_seats. Call it after topic_relay_start. */
bool shared_seats_start(Arena *arena, Error *error);

/* Ends the thread. shared_seats_free calls it too. */
void shared_seats_stop(SharedSeats *shared);
void shared_seats_free(SharedSeats *shared);

/* Takes news of the kinds NEWS_CALL, NEWS_ANSWER and NEWS_MISSED, and ignores others. Never
   waits. */
void shared_seats_hear(SharedSeats *shared, StoreNewsKind kind, uint64_t subject);

/* ---- seats of this front end; the topic is open ---- */

void shared_seats_add(SharedSeats *shared, Slice secret, uint64_t match, uint64_t account);
void shared_seats_remove(SharedSeats *shared, Slice secret);

/* ---- seats of other front ends; `account` 0 is a visitor ---- */

/* Whether another front end has this seat, and the account plays it. */
bool shared_seats_has(SharedSeats *shared, Slice secret, uint64_t account);

/* Opens the topic of such a seat, and ensures that its events arrive. */
bool shared_seats_watch(SharedSeats *shared, Slice secret, uint64_t account);

/* remote_seats_answer and remote_seats_leave for such a seat. They wait for its owner, at most a
   few seconds. STORE_BUSY if it does not respond. */
StoreResult shared_seats_answer(SharedSeats *shared, Slice secret, uint64_t account,
                                const RemoteAnswer *answer, RemoteAnswerResult *taken,
                                Error *error);
StoreResult shared_seats_leave(SharedSeats *shared, Slice secret, uint64_t account, bool *left,
                               Error *error);

#endif
