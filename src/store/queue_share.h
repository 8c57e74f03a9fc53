/* Inside the store: fair shares of the runners.

   Every job has a requester: an account (its casual matches, builds, checks and analyses), the
   address of a visitor, a tournament, or the ladder. A free runner takes the most urgent job (see
   Urgency), and of these the oldest, of the waiting requester that has recently used the least
   runner time.

   Runner time is the wall-clock time from the lease of a job to its end, however it ends. Used time
   decays linearly: it counts in full at first and not at all after SHARE_FADES_MS. A running job
   counts with the time since its lease, but at least SHARE_LEAST_MS, so that a requester does not
   get all free runners at once. As a result, requesters cannot save up time, and a requester that
   floods the queue delays only itself.

   Jobs that turn out to be long may occupy all runners but one: see play/long_jobs.h in the arena.
   A job that was interrupted for that reason is marked `long`, and is leased only with JOB_LONG.
   For SHARE_FADES_MS after that, the same applies to all jobs of its requester and of requesters
   whose jobs had been running for even longer; these requesters are called slow. Checks are marked
   `long` from their start. */
#ifndef STORE_QUEUE_SHARE_H
#define STORE_QUEUE_SHARE_H

#include "store/queue.h"
#include "store/transaction.h"

#define SHARE_FADES_MS "600000"
#define SHARE_LEAST_MS "1000"

enum { REQUESTER_SIZE = 40 };

/* Write the requester of a match, and the requester of an account's builds, checks and analyses. */
void share_of_match(const StoreNewMatch *match, char requester[REQUESTER_SIZE]);
void share_of_account(uint64_t account, char requester[REQUESTER_SIZE]);

/* The milliseconds that a row `s` of `shares` still counts for at the time `now`. */
#define SHARE_LEFT(now)                                                             \
 "s.used * CASE WHEN s.time >= " now " THEN " SHARE_FADES_MS " WHEN s.time <= " now \
 " - " SHARE_FADES_MS " THEN 0 ELSE " SHARE_FADES_MS " - (" now " - s.time) END / " SHARE_FADES_MS

/* Transactions that concurrently finish jobs of one requester must not wait for each other.
   Therefore on PostgreSQL the connections are divided into parts, and a requester has a row of
   `shares` for each part. */
#define SHARE_PART "(0 /*postgres + pg_backend_pid() % 16*/)"

/* Adds the used time of the row to be inserted to an existing row. */
#define SHARE_ADD                                                  \
 "ON CONFLICT (requester, part) DO UPDATE SET used = " SHARE_LEFT( \
     "excluded.time") " + "                                        \
                      "excluded.used, time = excluded.time"

/* Charges the requesters of leased jobs, before the jobs are deleted or returned. `which` is a
   condition on jobs that uses ?1; ?2 is the time. */
#define SHARE_CHARGE(which)                                                                 \
 "INSERT INTO shares AS s (requester, part, used, time) SELECT requester, " SHARE_PART ", " \
 "sum(CASE WHEN ?2 > leased THEN ?2 - leased ELSE 0 END), ?2 FROM jobs WHERE expires > 0 "  \
 "AND " which " GROUP BY requester " SHARE_ADD

/* Charges a requester for a job that was leased `used` milliseconds ago. Transactions that write
   concurrently (transaction_share) charge requesters in the order of their names, after all other
   writes. */
void share_charge(Transaction *transaction, const char *requester, int64_t used);

/* A condition: the requester is slow at the time `now`. */
#define SHARE_IS_SLOW(requester, now)                                                 \
 "EXISTS (SELECT 1 FROM shares t WHERE t.requester = " requester " AND t.slow > " now \
 " - " SHARE_FADES_MS ")"

/* Deletes shares that have decayed completely. Only for transactions that write alone. */
void share_forget(Transaction *transaction);

/* The start of a statement that reads from `firsts`: the requesters with waiting jobs, whether they
   are slow, the milliseconds that they have used, and the first of their jobs that can be leased,
   as urgency << 48 | id, or NULL. Such a job has an urgency from ?1 to below ?2 and one of the
   kinds ?5, allows the speed `speed`, and its owner is `holder` if it has one. Long jobs are
   included only if ?4 is 1. ?3 is the time. `before` is a list of other common table expressions.

   Skips through the index to find the requesters, so that a requester with a long queue costs no
   extra time. Computes the used time only if several requesters wait. MATERIALIZED keeps PostgreSQL
   from repeating subqueries. */
/* clang-format off */
#define SHARE_FIRSTS(before, speed, holder) \
 "WITH RECURSIVE " before \
 "names (name) AS (SELECT min(requester) FROM jobs WHERE expires = 0 UNION ALL " \
 "SELECT (SELECT min(requester) FROM jobs WHERE expires = 0 AND requester > name) " \
 "FROM names WHERE name IS NOT NULL), " \
 "running (requester, used) AS MATERIALIZED (SELECT requester, sum(CASE WHEN " \
 "?3 - leased > " SHARE_LEAST_MS " THEN ?3 - leased ELSE " SHARE_LEAST_MS " END) " \
 "FROM jobs WHERE expires > 0 AND (SELECT count(name) FROM names) > 1 " \
 "GROUP BY requester), " \
 "loads (requester, slow, used) AS MATERIALIZED (SELECT name, " \
 SHARE_IS_SLOW("name", "?3") ", coalesce((SELECT sum(" SHARE_LEFT("?3") ") FROM shares s " \
 "WHERE s.requester = name), 0) + coalesce((SELECT used FROM running " \
 "WHERE requester = name), 0) FROM names WHERE name IS NOT NULL), " \
 "firsts (requester, slow, used, first) AS MATERIALIZED (SELECT requester, slow, used, " \
 "(SELECT w.urgency << 48 | w.id FROM jobs w WHERE w.expires = 0 " \
 "AND w.requester = loads.requester AND w.urgency >= ?1 AND w.urgency < ?2 " \
 "AND (?4 = 1 OR (w.long = 0 AND NOT loads.slow)) AND (w.kind & ?5) <> 0 " \
 "AND w.speed_min <= " speed " AND (w.speed_max = 0 OR w.speed_max >= " speed ") " \
 "AND (w.owner = '' OR w.owner = " holder ") " \
 "ORDER BY w.urgency, w.id LIMIT 1) FROM loads) "
/* clang-format on */

/* A statement that reads at most ?7 requesters with a job for the speed ?6 and the holder ?8, in
   the order in which the next runners go to them. The columns: requester, milliseconds used,
   whether it is slow, and the job. */
extern const char share_waiting[];

#endif
