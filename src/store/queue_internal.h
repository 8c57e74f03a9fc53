/* Inside the store: operations on the queue within other parts' transactions.

   The frequent transactions of the queue (leasing and extending jobs, finishing matches, returning
   jobs and reporting failures) write concurrently on PostgreSQL, see transaction_share. They do not
   interfere with each other and cannot deadlock, because each of them

   1. locks the rows of its jobs first: waiting jobs with SKIP LOCKED, which does not wait, leased
      jobs by id and attempt, in the order of their ids. After waiting for a row, it reads the row
      again, and does nothing if the attempt is over;
   2. then writes only what belongs to its jobs: the match with its players and texts, and when a
      job is given up also the version, check or analysis. The lock on the job's row protects them;
   3. then charges the requesters in `shares`, in the order of their names, and commits.

   They read everything else, such as other requesters' shares, without a lock, because fair shares
   need not be exact while they change. Invariants over many rows (limits, names, tournaments,
   expired leases) are left to transactions that write alone. */
#ifndef STORE_QUEUE_INTERNAL_H
#define STORE_QUEUE_INTERNAL_H

#include "store/queue.h"
#include "store/transaction.h"

/* Among the jobs of one requester, the lowest value comes first. The values are stored in the
   database. */
typedef enum Urgency {
    URGENCY_REMOTE = -1, /* a casual match with a remote player, but without a person */
    URGENCY_BUILD,
    URGENCY_PLAY_NOW,
    URGENCY_ANALYSIS,
    URGENCY_CHECK,
    URGENCY_TOURNAMENT,
    URGENCY_LADDER,
    URGENCY_PERSON, /* leased separately */
    URGENCIES
} Urgency;

/* Adds a job. `request` is the id of the HTTP request in the log, or NULL. */
void queue_add(Transaction *transaction, StoreJobKind kind, Urgency urgency, uint64_t subject,
               const char *requester, const char *request);

/* Queues a check of a version, for the owner of its bot. */
void queue_add_check(Transaction *transaction, uint64_t version, const char *request);

/* Deletes a leased job by id and attempt, which rejects late and duplicate results. Returns its
   match or version. */
uint64_t queue_take_job(Transaction *transaction, StoreJobKind kind, uint64_t job,
                        uint32_t attempt);

/* A job is leased if `expires` is not 0. Statements about single jobs use `expires <> 0`, because
   with `expires > 0` PostgreSQL may scan the index of all leased jobs. */

/* Rejects the transaction because its lease has ended. */
void queue_lost(Transaction *transaction, uint64_t job, uint32_t attempt);

/* How often a transaction is tried that fails because of a concurrent one. */
enum { QUEUE_TRIES = 5 };

/* Rejects with STORE_BUSY if the requester already has `most` jobs of this urgency, waiting or
   leased; `what` is the noun for them in the message. */
void queue_check_most(Transaction *transaction, const char *requester, Urgency urgency,
                      uint32_t most, const char *what);

/* A new analysis of a match replaces the old one. */
#define ANALYSIS_REPLACES                                                                    \
 " ON CONFLICT (match) DO UPDATE SET requester = excluded.requester, time = excluded.time, " \
 "result = excluded.result, failure = excluded.failure"

/* Deletes the code of the seats of a match that will not be played any more. */
void queue_forget_code(Transaction *transaction, uint64_t match);

/* Removes a job from the queue, and records that it was given up. */
void queue_give_up(Transaction *transaction, uint64_t job);

/* A statement that marks as waiting the matches whose jobs are about to return to the queue.
   `which` is a condition on jobs. */
#define MATCHES_WAIT(which)                                                           \
 "UPDATE matches SET state = " SQL_MATCH_WAITING ", started = 0 WHERE id IN (SELECT " \
 "match FROM jobs WHERE kind = " SQL_JOB_MATCH " AND " which ")"

/* Returns the jobs of a holder to the queue; returns how many. */
int64_t queue_take_back(Transaction *transaction, const char *holder);

/* A condition: a row of `workers` can lease jobs that need a speed from `min` to `max` (0: any),
   and had a heartbeat at `since` or later. */
#define WORKER_FITS(min, max, since)                                                             \
 "state = " SQL_WORKER_RUNNING " AND wanted = " SQL_WANTED_PLAY                                  \
 " AND runners > 0 AND seen >= " since " AND speed >= " min " AND (" max " = 0 OR speed <= " max \
 ")"

/* Deletes the analyses of matches without a replay, and cancels those that wait or run. */
void queue_forget_analyses(Transaction *transaction);

/* These cancel all jobs of a bot, an account or a tournament, and mark their matches and versions
   accordingly. */
void queue_drop_bot(Transaction *transaction, uint64_t bot);
/* Cancels the casual matches and the analyses that an account requested. */
void queue_drop_requester(Transaction *transaction, uint64_t account);
void queue_drop_tournament(Transaction *transaction, uint64_t tournament);

/* ---- results ----

   Results are numbered in the order in which they arrive, and each is counted once, in this order:
   `results.last` is the number of the last counted result, and changes together with the records.
   On SQLite a result is counted in the transaction that stores it. On PostgreSQL, where matches end
   concurrently, a sequence numbers the results and they are counted later: a transaction that
   writes alone finds the number up to which no result is missing, and another one counts them while
   new ones are stored. A lock on the row of `results` protects the records. Readers that must not
   miss a result call records_catch_up first. */

/* Counts the results with numbers above `after` up to `last`. */
void records_count(Transaction *transaction, int64_t after, int64_t last);

/* Counts all results that have not been counted yet; does nothing in a store that is opened
   read_only. */
StoreResult records_catch_up(Store *store, Error *error);

#endif
