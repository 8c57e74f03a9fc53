/* Inside the store: fair shares of the runners.

   Every job has a requester: an account (its casual matches, builds, checks and analyses), the
   address of a visitor, a tournament, or the ladder. A free runner takes the most urgent job (see
   Urgency), and of these the oldest, of the waiting requester that has recently used the least
   runner time.

   Runner time is the wall-clock time from the lease of a job to its end, however it ends. Used time
   fades: it counts in full at first and not at all after SHARE_FADES_MS. Running jobs count with
   the time since their lease, and with at least SHARE_LEAST_MS, so that a requester does not get
   all free runners at once. So requesters cannot save up time, and those who flood the queue only
   delay themselves.

   Jobs that turn out to be long hold all runners but one: see play/long_jobs.h in the arena. A job
   that had to leave its runner for that reason is marked `long`, and is leased only with JOB_LONG.
   So are, for SHARE_FADES_MS after that, all jobs of its requester and of those whose jobs were
   running for even longer; they are called slow. Checks are marked `long` from their start. */
#ifndef STORE_QUEUE_SHARE_H
#define STORE_QUEUE_SHARE_H

#include "store/queue.h"
#include "store/transaction.h"

#define SHARE_FADES_MS "600000"
#define SHARE_LEAST_MS "1000"

enum { REQUESTER_SIZE = 40 };

/* The requester of a match; of a build or check: that of its account. */
void share_of_match(const StoreNewMatch *match, char requester[REQUESTER_SIZE]);
void share_of_account(uint64_t account, char requester[REQUESTER_SIZE]);

/* The milliseconds that a row `s` of `shares` still counts at the time ?`now`. */
#define SHARE_LEFT(now)                                                             \
 "s.used * CASE WHEN s.time >= " now " THEN " SHARE_FADES_MS " WHEN s.time <= " now \
 " - " SHARE_FADES_MS " THEN 0 ELSE " SHARE_FADES_MS " - (" now " - s.time) END / " SHARE_FADES_MS

/* Transactions that finish jobs of one requester at the same time must not wait for each other, so
   on PostgreSQL a requester has a row of `shares` for each of several parts of the connections. */
#define SHARE_PART "(0 /*postgres + pg_backend_pid() % 16*/)"

/* Adds the time of a new row to that of an existing one. */
#define SHARE_ADD                                                  \
 "ON CONFLICT (requester, part) DO UPDATE SET used = " SHARE_LEFT( \
     "excluded.time") " + "                                        \
                      "excluded.used, time = excluded.time"

/* Charges the requesters of leased jobs, before these are deleted or returned. `which` is a
   condition on jobs with ?1; ?2 is the time. */
#define SHARE_CHARGE(which)                                                                 \
 "INSERT INTO shares AS s (requester, part, used, time) SELECT requester, " SHARE_PART ", " \
 "sum(CASE WHEN ?2 > leased THEN ?2 - leased ELSE 0 END), ?2 FROM jobs WHERE expires > 0 "  \
 "AND " which " GROUP BY requester " SHARE_ADD

/* Charges a requester for a job that was leased `used` milliseconds ago. Transactions that share
   the writing charge their requesters in the order of their names, after everything else. */
void share_charge(Transaction *transaction, const char *requester, int64_t used);

/* The requester ?`requester` is slow at the time ?`now`. */
#define SHARE_IS_SLOW(requester, now)                                                 \
 "EXISTS (SELECT 1 FROM shares t WHERE t.requester = " requester " AND t.slow > " now \
 " - " SHARE_FADES_MS ")"

/* Deletes what has faded; in transactions that write alone. */
void share_forget(Transaction *transaction);

/* The start of a statement that reads `firsts`: the requesters with waiting jobs, whether they are
   slow, the milliseconds that they have used, and the first of their jobs that can be leased, as
   urgency << 48 | id, or NULL. These have an urgency from ?1 to below ?2, one of the kinds ?5, and
   are for the speed `speed`, and have no owner or `holder`; long ones only if ?4. ?3 is the time.
   `before` are other queries.

   The requesters are found by skipping through the index, so that a long queue of one of them costs
   nothing. The used time matters only if several wait. MATERIALIZED keeps PostgreSQL from repeating
   subqueries. */
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

/* Those with a job for the speed ?6 and the holder ?8, in the order in which the next runners go to
   them: at most ?7. The columns: requester, milliseconds used, whether it is slow, and the job. */
extern const char share_waiting[];

#endif
