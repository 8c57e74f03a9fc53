/* Inside the store: what others do to the queue within their own transactions. */
#ifndef STORE_QUEUE_INTERNAL_H
#define STORE_QUEUE_INTERNAL_H

#include "store/queue.h"
#include "store/transaction.h"

/* The lowest goes first. One number for each kind of thing that waits. */
typedef enum Urgency {
    URGENCY_BUILD,
    URGENCY_PLAY_NOW,
    URGENCY_TOURNAMENT,
    URGENCY_LADDER,
    URGENCY_PERSON, /* leased apart */
    URGENCIES
} Urgency;

void queue_add(Transaction *transaction, StoreJobKind kind, Urgency urgency, uint64_t subject);

/* Forgets the code of seats whose match is no longer in the queue. */
void queue_forget_sources(Transaction *transaction);

/* Calls off the jobs in which a bot has a part, or those of a tournament; what their matches and
   versions say becomes so. */
void queue_drop_bot(Transaction *transaction, uint64_t bot);
void queue_drop_tournament(Transaction *transaction, uint64_t tournament);

#endif
