/* Inside the store: operations on the queue within other parts' transactions.

   The frequent transactions of the queue (leasing and extending jobs, finishing matches, returning
   jobs and reporting failures) write concurrently on PostgreSQL, see transaction_share. They keep
   out of each other's way and cannot deadlock, because each of them

   1. locks the rows of its jobs first: waiting jobs with SKIP LOCKED, which does not wait, leased
      ones by id and attempt in the order of their ids. After waiting for a row, it reads it again,
      and does nothing if the attempt is over;
   2. then writes only what belongs to its jobs: the match with its players and texts, and when a
      job is given up also the version, check or analysis. The row of the job protects them;
   3. then charges the requesters in `shares`, in the order of their names, and commits.

   They read everything else, such as the shares of others, without a lock: fair shares need not be
   exact while others change them. Invariants over many rows (limits, names, tournaments, expired
   leases) are left to transactions that write alone. */
#ifndef STORE_QUEUE_INTERNAL_H
#define STORE_QUEUE_INTERNAL_H

#include "store/queue.h"
#include "store/transaction.h"

/* The lowest comes first among the jobs of one requester. The numbers are in the database. */
typedef enum Urgency {
    URGENCY_REMOTE = -1, /* a casual match with a remote player, but without a person */
    URGENCY_BUILD,
    URGENCY_PLAY_NOW,
    URGENCY_ANALYSIS,
    URGENCY_CHECK,
    URGENCY_TOURNAMENT,
    URGENCY_LADDER,
    URGENCY_PERSON, /* leased apart */
    URGENCIES
} Urgency;

/* `request` is what the log calls the request that adds it, or NULL. */
void queue_add(Transaction *transaction, StoreJobKind kind, Urgency urgency, uint64_t subject,
               const char *requester, const char *request);

/* Queues a check of a version, for the owner of its bot. */
void queue_add_check(Transaction *transaction, uint64_t version, const char *request);

/* Deletes a leased job by its attempt; returns its match or version. This rejects late and
   duplicate results. */
uint64_t queue_take_job(Transaction *transaction, StoreJobKind kind, uint64_t job,
                        uint32_t attempt);

/* A job is leased if `expires` is not 0. Statements about single jobs say `expires <> 0`: after
   `expires > 0`, PostgreSQL may read the index of all leased jobs. */

/* Rejects a call about a lease that has ended. */
void queue_lost(Transaction *transaction, uint64_t job, uint32_t attempt);

/* How often a transaction that failed because of another one is tried. */
enum { QUEUE_TRIES = 5 };

/* Rejects with STORE_BUSY if the requester already has `most` jobs of this urgency, waiting or
   leased; `what` is what the message calls them. */
void queue_check_most(Transaction *transaction, const char *requester, Urgency urgency,
                      uint32_t most, const char *what);

/* A new analysis of a match replaces the old one. */
#define ANALYSIS_REPLACES                                                                    \
 " ON CONFLICT (match) DO UPDATE SET requester = excluded.requester, time = excluded.time, " \
 "result = excluded.result, failure = excluded.failure"

/* Deletes the code of the seats of a match that is no longer to be played. */
void queue_forget_code(Transaction *transaction, uint64_t match);

/* Removes a job from the queue, and records that it was given up. */
void queue_give_up(Transaction *transaction, uint64_t job);

/* The matches of jobs that are about to return to the queue wait again. `which` is a condition on
   jobs. */
#define MATCHES_WAIT(which)                                                           \
 "UPDATE matches SET state = " SQL_MATCH_WAITING ", started = 0 WHERE id IN (SELECT " \
 "match FROM jobs WHERE kind = " SQL_JOB_MATCH " AND " which ")"

/* Returns the jobs of a holder to the queue; returns how many. */
int64_t queue_take_back(Transaction *transaction, const char *holder);

/* Whether a row of `workers` can lease jobs that need a speed from `min` to `max` (0: any), if it
   was seen at `since` or later. */
#define WORKER_FITS(min, max, since)                                                             \
 "state = " SQL_WORKER_RUNNING " AND wanted = " SQL_WANTED_PLAY                                  \
 " AND runners > 0 AND seen >= " since " AND speed >= " min " AND (" max " = 0 OR speed <= " max \
 ")"

/* Deletes the analyses of matches without a replay, and cancels those that wait or run. */
void queue_forget_analyses(Transaction *transaction);

/* Cancel all jobs of a bot, or of a tournament, and mark their matches and versions accordingly. */
void queue_drop_bot(Transaction *transaction, uint64_t bot);
/* The casual matches and the analyses that an account requested. */
void queue_drop_requester(Transaction *transaction, uint64_t account);
void queue_drop_tournament(Transaction *transaction, uint64_t tournament);

/* ---- results ----

   Results have numbers in the order in which they arrive. They are counted in this order, each
   once: `results.last` is the number of the last one that was, and changes together with the
   records. On SQLite a result is counted in the transaction that stores it. On PostgreSQL, where
   matches end at the same time, a sequence numbers them, and they are counted later: a transaction
   that writes alone finds the number up to which all results are there, and another one counts them
   while new ones are stored. The row of `results` protects the records. Readers that must not miss
   a result have them counted first. */

/* Counts the results with numbers above `after` up to `last`. */
void records_count(Transaction *transaction, int64_t after, int64_t last);

/* Counts all results that were not counted yet; does nothing in a store that is open for reading
   only. */
StoreResult records_catch_up(Store *store, Error *error);

#endif
