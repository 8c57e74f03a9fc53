/* Inside the store: operations on the queue within other parts' transactions. */
#ifndef STORE_QUEUE_INTERNAL_H
#define STORE_QUEUE_INTERNAL_H

#include "store/queue.h"
#include "store/transaction.h"

/* The lowest comes first among the jobs of one requester. The numbers are in the database. */
typedef enum Urgency {
    URGENCY_BUILD,
    URGENCY_PLAY_NOW,
    URGENCY_ANALYSIS,
    URGENCY_CHECK,
    URGENCY_TOURNAMENT,
    URGENCY_LADDER,
    URGENCY_PERSON, /* leased apart */
    URGENCIES
} Urgency;

void queue_add(Transaction *transaction, StoreJobKind kind, Urgency urgency, uint64_t subject,
               const char *requester);

/* Queues a check of a version, for the owner of its bot. */
void queue_add_check(Transaction *transaction, uint64_t version);

/* Deletes a leased job by its attempt; returns its match or version. This rejects late and
   duplicate results. */
uint64_t queue_take_job(Transaction *transaction, StoreJobKind kind, uint64_t job,
                        uint32_t attempt);

/* Rejects with STORE_BUSY if the requester already has `most` jobs of this urgency, waiting or
   leased; `what` is what the message calls them. */
void queue_check_most(Transaction *transaction, const char *requester, Urgency urgency,
                      uint32_t most, const char *what);

/* A new analysis of a match replaces the old one. */
#define ANALYSIS_REPLACES                                                                    \
 " ON CONFLICT (match) DO UPDATE SET requester = excluded.requester, time = excluded.time, " \
 "result = excluded.result, failure = excluded.failure"

/* Deletes the code of seats whose matches are no longer to be played. */
void queue_forget_sources(Transaction *transaction);

/* Deletes the analyses of matches without a replay, and cancels those that wait or run. */
void queue_forget_analyses(Transaction *transaction);

/* Cancel all jobs of a bot, or of a tournament, and mark their matches and versions accordingly. */
void queue_drop_bot(Transaction *transaction, uint64_t bot);
/* The casual matches and the analyses that an account requested. */
void queue_drop_requester(Transaction *transaction, uint64_t account);
void queue_drop_tournament(Transaction *transaction, uint64_t tournament);

/* Counts the result of a match whose seats have been written; see records.h. */
void records_add(Transaction *transaction, uint64_t match);

#endif
