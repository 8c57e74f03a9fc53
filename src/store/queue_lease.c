/* See queue.h: leasing jobs in the order of fair shares, and leases that end without a result. */
#include "store/internal.h"
#include "store/queue_internal.h"
#include "store/queue_share.h"
#include "store/sql_enums.h"
#include "store/store.h"

#include <assert.h>
#include <inttypes.h>

/* ---- expired leases ---- */

/* Statements that end leases that have failed by the time ?1, for the reason ?2. */
typedef struct FailedLeases {
    const char *trouble;
    const char *charge;
    const char *give_up; /* returns the id of one job that has now failed ?3 times */
    const char *matches;
    const char *jobs;
} FailedLeases;

#define FAILED_LEASES(which)                                                                   \
 .charge = SHARE_CHARGE(which),                                                                \
 .give_up = "UPDATE jobs SET losses = losses + 1, trouble = ?2 WHERE id = (SELECT id FROM "    \
            "jobs WHERE expires > 0 AND " which " AND losses + 1 >= ?3 LIMIT 1) RETURNING id", \
 .matches = MATCHES_WAIT("expires > 0 AND " which),                                            \
 .jobs = "UPDATE jobs SET expires = 0, losses = losses + 1, holder = '', trouble = ?2 "        \
         "WHERE expires > 0 AND " which

static const FailedLeases overdue = {
    .trouble = "its process did not respond in time",
    FAILED_LEASES("expires <= ?1 AND holder <> ''"),
};

/* Jobs that back off after a failure have an expiry and no holder. */
static const char end_rests[] =
    "UPDATE jobs SET expires = 0 WHERE expires > 0 AND expires <= ?1 AND holder = ''";

/* Progress reported by an earlier attempt does not count. */
#define IS_STUCK \
 "holder <> '' AND patience > 0 AND progressed >= leased AND progressed + patience <= ?1"
static const FailedLeases idle = {
    .trouble = "its worker extended the lease without making progress",
    FAILED_LEASES(IS_STUCK),
};

/* Ends failed leases, each of which counts as a failure. *count: how many. If `count` is NULL,
   sends no news, not even to the holders. */
static StoreResult collect(Store *store, const FailedLeases *which, int64_t now, uint32_t *count,
                           Error *error) {
    Transaction transaction = transaction_write(store, error);
    const Value values[] = {as_number(now), as_text(which->trouble), as_number(QUEUE_LOSSES_MAX)};
    uint32_t failed = 0;
    sql_run(&transaction, which->charge, VALUES(as_number(now), as_number(now)));
    share_forget(&transaction);
    uint64_t job;
    while ((job = (uint64_t)sql_number(&transaction, which->give_up, values, 3))) {
        queue_give_up(&transaction, job);
        failed++;
    }
    sql_run(&transaction, end_rests, values, 1);
    sql_run(&transaction, which->matches, values, 1);
    failed += (uint32_t)sql_run(&transaction, which->jobs, values, 2);
    if (count) {
        *count = failed;
        transaction_tell(&transaction, NEWS_CANCELLED); /* the holders are still working on them */
    }
    StoreResult result = transaction_end(&transaction);
    if (result == STORE_OK)
        watch_happened(&store->watch, EVENT_LEASE_EXPIRED, failed);
    return result;
}

StoreResult store_queue_end_stuck(Store *store, uint32_t *count, Error *error) {
    *count = 0;
    int64_t now = store_now(store);
    Transaction transaction = transaction_read(store, error);
    bool some = sql_number(&transaction,
                           "SELECT EXISTS (SELECT 1 FROM jobs WHERE expires > 0 AND " IS_STUCK ")",
                           VALUES(as_number(now)));
    StoreResult result = transaction_end(&transaction);
    return result == STORE_OK && some ? collect(store, &idle, now, count, error) : result;
}

/* ---- leasing ---- */

/* A requester with waiting jobs, and the first of them that has not been taken. */
typedef struct Waiting {
    char requester[REQUESTER_SIZE];
    int64_t used;
    bool slow;
    int64_t first; /* urgency << 48 | id */
} Waiting;

/* A lease in progress. */
typedef struct Leasing {
    Transaction *transaction;
    StoreJobKind kinds;
    int64_t now;
    const char *holder;
    int64_t speed;                    /* of the holder */
    Waiting waiting[QUEUE_LEASE_MAX]; /* in no order */
    uint32_t waiting_count;
    StoreJob *jobs; /* taken */
    uint32_t wanted;
    uint32_t got;
} Leasing;

/* Sets the parameters ?1 to ?6 of share_waiting, which select the jobs that may be leased. */
static void which_jobs(const Leasing *leasing, Value values[6]) {
    StoreJobKind kinds = leasing->kinds;
    Urgency from = kinds == JOB_PERSON  ? URGENCY_PERSON
                   : kinds & JOB_REMOTE ? URGENCY_REMOTE
                                        : URGENCY_BUILD;
    Urgency below = kinds == JOB_PERSON   ? URGENCIES
                    : kinds == JOB_REMOTE ? URGENCY_BUILD
                                          : URGENCY_PERSON;
    if (kinds == JOB_PERSON || kinds == JOB_REMOTE)
        kinds = kinds == JOB_PERSON ? JOB_MATCH : JOB_MATCH | JOB_LONG;
    values[0] = as_number(from);
    values[1] = as_number(below);
    values[2] = as_number(leasing->now);
    values[3] = as_number((kinds & JOB_LONG) != 0);
    values[4] = as_number(kinds & JOB_ANY);
    values[5] = as_number(leasing->speed);
}

/* Reads the requesters that come next. QUEUE_LEASE_MAX are enough, because each gets at least one
   of the jobs. */
static void read_waiting(Leasing *leasing) {
    static const Field fields[] = {TEXT_OF(Waiting, requester),
                                   NUMBER_OF(Waiting, used),
                                   NUMBER_OF(Waiting, slow),
                                   NUMBER_OF(Waiting, first),
                                   {0}};
    Value values[8];
    which_jobs(leasing, values);
    values[6] = as_number(QUEUE_LEASE_MAX);
    values[7] = as_text(leasing->holder);
    sql_query(leasing->transaction, share_waiting, values, 8);
    while (sql_row(leasing->transaction))
        row_read(leasing->transaction, 0, fields, &leasing->waiting[leasing->waiting_count++]);
}

static bool comes_before(const Waiting *one, const Waiting *other) {
    return one->used != other->used ? one->used < other->used : one->first < other->first;
}

enum { LEAST_MS = 1000 }; /* SHARE_LEAST_MS */

/* How many runners in a row go to the requester `first`: each adds LEAST_MS to its used time, until
   it has used as much as the next requester. */
static uint32_t in_a_row(const Leasing *leasing, const Waiting *first) {
    uint32_t most = leasing->wanted - leasing->got;
    for (uint32_t i = 0; i < leasing->waiting_count; i++) {
        const Waiting *other = &leasing->waiting[i];
        int64_t ahead = other->used - first->used;
        int64_t turns = ahead > 0 ? (ahead + LEAST_MS - 1) / LEAST_MS : 1;
        if (other != first && turns < most)
            most = (uint32_t)turns;
    }
    return most;
}

/* The waiting jobs of the requester ?7, from urgency ?8 and id ?9 on, that the holder ?10 may
   lease. */
#define ITS_JOBS                                                                                \
 "FROM jobs WHERE expires = 0 AND requester = ?7 AND (urgency, id) >= (?8, ?9) AND urgency >= " \
 "?1 AND urgency < ?2 AND ?3 > 0 AND (?4 = 1 OR long = 0) AND (kind & ?5) <> 0 AND "            \
 "speed_min <= ?6 AND (speed_max = 0 OR speed_max >= ?6) AND (owner = '' OR owner = ?10) "      \
 "ORDER BY urgency, id "

/* Sets the parameters ?8 and ?9 of ITS_JOBS. */
static void values_from(int64_t first, Value *values) {
    int64_t id = first & ((INT64_C(1) << 48) - 1);
    values[7] = as_number((first - id) / (INT64_C(1) << 48));
    values[8] = as_number(id);
}

/* Finds the first job of a requester from `from->first` on; false if there is none. */
static bool find_first(Leasing *leasing, Waiting *from, Value *values) {
    values_from(from->first, values);
    from->first = sql_number(leasing->transaction, "SELECT urgency << 48 | id " ITS_JOBS "LIMIT 1",
                             values, 10);
    return from->first != 0;
}

static const Field job_fields[] = {
    NUMBER_OF(StoreJob, id),      NUMBER_OF(StoreJob, kind),    NUMBER_OF(StoreJob, attempt),
    NUMBER_OF(StoreJob, losses),  NUMBER_OF(StoreJob, subject), NUMBER_OF(StoreJob, is_long),
    NUMBER_OF(StoreJob, expires), TEXT_OF(StoreJob, request),   {0}};

/* Takes up to `most` jobs of a requester (other transactions may be taking some of them) and finds
   its next job. Drops the requester from the list if it has no more. */
static void take_jobs(Leasing *leasing, Waiting *from, uint32_t most) {
    Value values[11];
    which_jobs(leasing, values);
    values[6] = as_text(from->requester);
    values_from(from->first, values);
    values[9] = as_text(leasing->holder);
    values[10] = as_number(most);
    uint32_t got = 0;
    /* PostgreSQL checks the condition again after locking a row, so a job that was leased in the
       meantime is skipped. */
    sql_query(leasing->transaction,
              "SELECT id, kind, attempt + 1, losses, coalesce(match, version), long, "
              "urgency << 48 | id, request " ITS_JOBS
              "LIMIT ?11 /*postgres FOR UPDATE SKIP LOCKED*/",
              values, 11);
    while (sql_row(leasing->transaction)) {
        StoreJob *job = &leasing->jobs[leasing->got + got++];
        row_read(leasing->transaction, 0, job_fields, job);
        job->is_long |= from->slow;
        from->first = job->expires + 1; /* the column of `expires` holds urgency << 48 | id here */
    }
    leasing->got += got;
    from->used += (int64_t)got * LEAST_MS;
    bool more = got == most;
    if (more && leasing->got < leasing->wanted && leasing->waiting_count > 1)
        more = find_first(leasing, from, values);
    if (!more)
        *from = leasing->waiting[--leasing->waiting_count];
}

/* The number of ids in a statement; unused ones are NULL. */
enum { IDS = 16 };
#define ID_LIST "(?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20)"

#define MARK_JOBS                                                                     \
 "UPDATE jobs SET attempt = attempt + 1, expires = ?1, leased = ?2, holder = ?3, "    \
 "long = CASE WHEN ?4 = 1 AND " SHARE_IS_SLOW("jobs.requester", "?2") " THEN 1 ELSE " \
                                                                      "long END WHERE id "
#define MARK_MATCHES "UPDATE matches SET state = " SQL_MATCH_PLAYING ", started = ?2 WHERE id "

/* Marks jobs as leased, and their matches as being played. */
static void mark_leased(Transaction *transaction, const char *holder, int64_t lease, int64_t now,
                        StoreJob *jobs, uint32_t count) {
    Value of_jobs[4 + IDS] = {as_number(now + lease), as_number(now), as_text(holder),
                              as_number(0)};
    Value of_matches[4 + IDS] = {{0}, as_number(now)};
    bool matches = false;
    for (uint32_t i = 0; i < count; i++) {
        bool match = jobs[i].kind == JOB_MATCH;
        jobs[i].expires = now + lease;
        of_jobs[4 + i] = as_id(jobs[i].id);
        if (jobs[i].is_long)
            of_jobs[3] = as_number(1); /* some requesters may be slow */
        of_matches[4 + i] = as_id(match ? jobs[i].subject : 0);
        matches |= match;
    }
    sql_send(transaction, MARK_JOBS "IN " ID_LIST, of_jobs, 4 + IDS);
    if (matches)
        sql_send(transaction, MARK_MATCHES "IN " ID_LIST, of_matches, 4 + IDS);
}

/* Reads the speed of the holder. *expired: leases have expired. False if an administrator does not
   let the holder lease. */
static bool read_terms(Leasing *leasing, const char *holder, bool *expired) {
    int64_t wanted = 0;
    *expired = false;
    leasing->speed = 0;
    sql_query(leasing->transaction,
              "SELECT EXISTS (SELECT 1 FROM jobs WHERE expires > 0 AND expires <= ?1), w.wanted, "
              "w.speed FROM (SELECT 1) one LEFT JOIN workers w ON w.name = ?2",
              VALUES(as_number(leasing->now), as_text(holder)));
    while (sql_row(leasing->transaction)) {
        *expired = database_number(leasing->transaction->database, 0);
        wanted = database_number(leasing->transaction->database, 1);
        leasing->speed = database_number(leasing->transaction->database, 2);
    }
    return wanted == WANTED_PLAY;
}

/* Leases up to leasing->wanted jobs, step by step. *expired: see read_terms. */
static void lease_some(Leasing *leasing, const char *holder, int64_t lease, bool *expired) {
    Transaction *transaction = leasing->transaction;
    bool may_lease = read_terms(leasing, holder, expired);
    if (!*expired && may_lease)
        read_waiting(leasing);
    while (transaction->result == STORE_OK && leasing->got < leasing->wanted &&
           leasing->waiting_count) {
        Waiting *first = &leasing->waiting[0];
        for (uint32_t i = 1; i < leasing->waiting_count; i++)
            if (comes_before(&leasing->waiting[i], first))
                first = &leasing->waiting[i];
        take_jobs(leasing, first, in_a_row(leasing, first));
    }
    for (uint32_t i = 0; i < leasing->got; i += IDS)
        mark_leased(transaction, holder, lease, leasing->now, &leasing->jobs[i],
                    leasing->got - i < IDS ? leasing->got - i : IDS);
}

/* One statement that does what lease_some does, for one job. Nearly all leases are of one job, and
   this takes two thirds of the time. It returns no row if no job waits, if other transactions are
   taking all jobs of the first requester, if leases have expired, or if the holder may not lease.
   ?6 is the end of the lease, ?7 the holder. */
/* clang-format off */
static const char take_one[] = SHARE_FIRSTS(
    "terms (speed, wanted) AS MATERIALIZED (SELECT coalesce(max(speed), 0), "
    "coalesce(max(wanted), 0) FROM workers WHERE name = ?7), ",
    "(SELECT speed FROM terms)", "?7")
    ", best (requester, slow, urgency, id) AS MATERIALIZED (SELECT requester, slow, "
    "first >> 48, first & 281474976710655 FROM firsts WHERE first IS NOT NULL "
    "AND (SELECT wanted FROM terms) = " SQL_WANTED_PLAY " AND NOT EXISTS "
    "(SELECT 1 FROM jobs WHERE expires > 0 AND expires <= ?3) ORDER BY used, first LIMIT 1) "
    "UPDATE jobs SET attempt = attempt + 1, expires = ?6, leased = ?3, holder = ?7, "
    "long = CASE WHEN (SELECT slow FROM best) THEN 1 ELSE long END "
    "WHERE id = (SELECT w.id FROM jobs w, best WHERE w.expires = 0 "
    "AND w.requester = best.requester AND (w.urgency, w.id) >= (best.urgency, best.id) "
    "AND w.urgency < ?2 AND (?4 = 1 OR w.long = 0) AND (w.kind & ?5) <> 0 "
    "AND w.speed_min <= (SELECT speed FROM terms) "
    "AND (w.speed_max = 0 OR w.speed_max >= (SELECT speed FROM terms)) "
    "AND (w.owner = '' OR w.owner = ?7) "
    "ORDER BY w.urgency, w.id LIMIT 1 /*postgres FOR UPDATE OF w SKIP LOCKED*/) "
    "RETURNING id, kind, attempt, losses, coalesce(match, version), long, expires, request";
/* clang-format on */

static void lease_one(Leasing *leasing, const char *holder, int64_t lease) {
    Transaction *transaction = leasing->transaction;
    StoreJob *job = leasing->jobs;
    Value values[7];
    which_jobs(leasing, values);
    values[5] = as_number(leasing->now + lease);
    values[6] = as_text(holder);
    sql_query(transaction, take_one, values, 7);
    while (sql_row(transaction)) {
        row_read(transaction, 0, job_fields, job);
        leasing->got++;
    }
    if (leasing->got && job->kind == JOB_MATCH)
        sql_send(transaction, MARK_MATCHES "= ?1",
                 VALUES(as_id(job->subject), as_number(leasing->now)));
}

/* One attempt to lease. *expired: leases have expired, and must be collected first. The commit is
   relaxed: if a crash of the server loses the lease, the job is waiting again. If the same attempt
   number is then leased again, the first result counts, as always. */
static StoreResult lease_once(Store *store, const char *holder, int64_t lease, Leasing *leasing,
                              bool *expired, bool *collided, Error *error) {
    Transaction transaction = transaction_share_relaxed(store, error);
    leasing->transaction = &transaction;
    leasing->waiting_count = 0;
    leasing->got = 0;
    *expired = false;
    if (leasing->wanted == 1)
        lease_one(leasing, holder, lease);
    if (!leasing->got)
        lease_some(leasing, holder, lease, expired);
    StoreResult result = transaction_end(&transaction);
    *collided = transaction.collided;
    leasing->transaction = NULL;
    return result;
}

StoreResult store_queue_lease(Store *store, StoreJobKind kinds, const char *holder, int64_t lease,
                              StoreJob *jobs, uint32_t *count, Error *error) {
    assert(lease > 0 && *count <= QUEUE_LEASE_MAX &&
           (kinds == JOB_PERSON || !(kinds & JOB_PERSON)));
    Leasing leasing = {
        .kinds = kinds, .holder = holder, .now = store_now(store), .jobs = jobs, .wanted = *count};
    *count = 0;
    StoreResult result;
    bool again;
    uint32_t tries = 0;
    do {
        bool expired;
        bool collided;
        result = lease_once(store, holder, lease, &leasing, &expired, &collided, error);
        if (result == STORE_OK && expired)
            result = collect(store, &overdue, leasing.now, NULL, error);
        again = (result == STORE_OK && expired) || (collided && ++tries < QUEUE_TRIES);
    } while (again);
    if (result == STORE_OK)
        *count = leasing.got;
    return result;
}

StoreResult store_queue_extend(Store *store, uint64_t job, uint32_t attempt, int64_t lease,
                               const StoreProgress *progress, Error *error) {
    static const StoreProgress unknown = {0};
    int64_t now = store_now(store);
    const StoreProgress *made = progress ? progress : &unknown;
    Transaction transaction = transaction_share(store, error);
    if (!sql_run(&transaction,
                 "UPDATE jobs SET expires = ?3, progressed = CASE WHEN progress <> ?4 "
                 "OR progressed < leased THEN ?6 ELSE progressed END, progress = ?4, patience = ?5 "
                 "WHERE id = ?1 AND attempt = ?2 AND expires <> 0",
                 VALUES(as_id(job), as_number(attempt), as_number(now + lease),
                        as_number((int64_t)made->steps), as_number(made->stall_ms),
                        as_number(now))))
        queue_lost(&transaction, job, attempt);
    return transaction_end(&transaction);
}

/* ---- who holds what ---- */

StoreResult store_queue_held(Store *store, const char *holder, uint64_t *jobs, uint32_t *count,
                             Error *error) {
    uint32_t most = *count;
    uint32_t got = 0;
    Transaction transaction = transaction_read(store, error);
    sql_query(&transaction, "SELECT id FROM jobs WHERE expires > 0 AND holder = ?1 LIMIT ?2",
              VALUES(as_text(holder), as_number(most)));
    while (sql_row(&transaction))
        jobs[got++] = (uint64_t)database_number(transaction.database, 0);
    *count = got;
    return transaction_end(&transaction);
}

/* A condition: the holder of the job ?1 has the speed that job `j` needs. */
#define FOR_HOLDER                                                                               \
 "((speed_min = 0 AND speed_max = 0) OR EXISTS (SELECT 1 FROM workers w JOIN jobs h ON "         \
 "h.holder = w.name WHERE h.id = ?1 AND w.speed >= j.speed_min AND (j.speed_max = 0 OR w.speed " \
 "<= j.speed_max)))"

StoreResult store_queue_others_wait(Store *store, uint64_t job, bool *wait, Error *error) {
    Transaction transaction = transaction_read(store, error);
    *wait = sql_number(&transaction,
                       "SELECT EXISTS (SELECT 1 FROM jobs j WHERE expires = 0 AND long = 0 "
                       "AND urgency <> ?2 AND requester <> (SELECT requester FROM jobs "
                       "WHERE id = ?1) AND " FOR_HOLDER
                       " AND NOT EXISTS (SELECT 1 FROM jobs r WHERE r.expires > 0 "
                       "AND r.requester = j.requester AND r.urgency <> ?2) "
                       "AND NOT " SHARE_IS_SLOW("j.requester", "?3") ")",
                       VALUES(as_id(job), as_number(URGENCY_PERSON), as_number(store_now(store))));
    return transaction_end(&transaction);
}

int64_t queue_take_back(Transaction *transaction, const char *holder) {
    sql_run(transaction, MATCHES_WAIT("expires > 0 AND holder = ?1"), VALUES(as_text(holder)));
    int64_t back = sql_run(
        transaction, "UPDATE jobs SET expires = 0, holder = '' WHERE expires > 0 AND holder = ?1",
        VALUES(as_text(holder)));
    if (back)
        transaction_tell(transaction, NEWS_JOBS);
    return back;
}

StoreResult store_queue_recover(Store *store, const char *holder, uint32_t *count, Error *error) {
    *count = 0;
    Transaction transaction = transaction_write(store, error);
    int64_t back = queue_take_back(&transaction, holder);
    StoreResult result = transaction_end(&transaction);
    if (result == STORE_OK)
        *count = (uint32_t)back;
    return result;
}
