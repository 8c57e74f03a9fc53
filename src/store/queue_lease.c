/* See queue.h: leasing jobs in the order of fair shares, and leases that end without a result. */
#include "store/internal.h"
#include "store/queue_internal.h"
#include "store/queue_share.h"
#include "store/sql_enums.h"
#include "store/store.h"

#include <assert.h>
#include <inttypes.h>

/* ---- expired leases ---- */

static const char expired_trouble[] = "nothing was heard of it in time";

/* Each counts as a failure. */
static StoreResult collect_expired(Store *store, int64_t now, Error *error) {
    Transaction transaction = transaction_write(store, error);
    sql_run(&transaction, SHARE_CHARGE("expires <= ?1"), VALUES(as_number(now), as_number(now)));
    share_forget(&transaction);
    uint64_t job;
    while ((job = (uint64_t)sql_number(
                &transaction,
                "UPDATE jobs SET losses = losses + 1, trouble = ?3 WHERE id = "
                "(SELECT id FROM jobs WHERE expires > 0 AND expires <= ?1 "
                "AND losses + 1 >= ?2 LIMIT 1) RETURNING id",
                VALUES(as_number(now), as_number(QUEUE_LOSSES_MAX), as_text(expired_trouble)))))
        queue_give_up(&transaction, job);
    sql_run(&transaction, MATCHES_WAIT("expires > 0 AND expires <= ?1"), VALUES(as_number(now)));
    sql_run(&transaction,
            "UPDATE jobs SET expires = 0, losses = losses + 1, holder = '', trouble = ?2 "
            "WHERE expires > 0 AND expires <= ?1",
            VALUES(as_number(now), as_text(expired_trouble)));
    return transaction_end(&transaction);
}

/* ---- leasing ---- */

/* A requester with waiting jobs, and the first of these that was not taken. */
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
    Waiting waiting[QUEUE_LEASE_MAX]; /* in no order */
    uint32_t waiting_count;
    StoreJob *jobs; /* taken */
    uint32_t wanted;
    uint32_t got;
} Leasing;

/* Which waiting jobs are leased: the values ?1 to ?5 of share_waiting. */
static void which_jobs(const Leasing *leasing, Value values[5]) {
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
}

/* More requesters than jobs are wanted cannot get one. */
static void read_waiting(Leasing *leasing) {
    static const Field fields[] = {TEXT_OF(Waiting, requester),
                                   NUMBER_OF(Waiting, used),
                                   NUMBER_OF(Waiting, slow),
                                   NUMBER_OF(Waiting, first),
                                   {0}};
    Value values[6];
    which_jobs(leasing, values);
    values[5] = as_number(QUEUE_LEASE_MAX);
    sql_query(leasing->transaction, share_waiting, values, 6);
    while (sql_row(leasing->transaction))
        row_read(leasing->transaction, 0, fields, &leasing->waiting[leasing->waiting_count++]);
}

static bool comes_before(const Waiting *one, const Waiting *other) {
    return one->used != other->used ? one->used < other->used : one->first < other->first;
}

enum { LEAST_MS = 1000 }; /* SHARE_LEAST_MS */

/* How many runners in a row go to the requester `first`: each one that it gets counts as
   LEAST_MS, and the others wait until it has used more than one of them. */
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

/* Of the requester ?6, from the job with urgency ?7 and id ?8 on. */
#define ITS_JOBS                                                                                \
 "FROM jobs WHERE expires = 0 AND requester = ?6 AND (urgency, id) >= (?7, ?8) AND urgency >= " \
 "?1 AND urgency < ?2 AND ?3 > 0 AND (?4 = 1 OR long = 0) AND (kind & ?5) <> 0 "                \
 "ORDER BY urgency, id "

/* The values ?7 and ?8. */
static void values_from(int64_t first, Value *values) {
    int64_t id = first & ((INT64_C(1) << 48) - 1);
    values[6] = as_number((first - id) / (INT64_C(1) << 48));
    values[7] = as_number(id);
}

/* Finds the first job of a requester from `from->first` on; false if there is none. */
static bool find_first(Leasing *leasing, Waiting *from, Value *values) {
    values_from(from->first, values);
    from->first = sql_number(leasing->transaction, "SELECT urgency << 48 | id " ITS_JOBS "LIMIT 1",
                             values, 8);
    return from->first != 0;
}

/* Takes `most` jobs of a requester, and finds the next one. Another transaction may be taking some
   of them; it drops the requester if there are no more. */
static void take_jobs(Leasing *leasing, Waiting *from, uint32_t most) {
    static const Field fields[] = {NUMBER_OF(StoreJob, id),      NUMBER_OF(StoreJob, kind),
                                   NUMBER_OF(StoreJob, attempt), NUMBER_OF(StoreJob, losses),
                                   NUMBER_OF(StoreJob, subject), NUMBER_OF(StoreJob, is_long),
                                   NUMBER_OF(StoreJob, expires), {0}};
    Value values[9];
    which_jobs(leasing, values);
    values[5] = as_text(from->requester);
    values_from(from->first, values);
    values[8] = as_number(most);
    uint32_t got = 0;
    /* Whoever looked at a row before another transaction leased it looks again after locking it. */
    sql_query(leasing->transaction,
              "SELECT id, kind, attempt + 1, losses, coalesce(match, version), long, "
              "urgency << 48 | id " ITS_JOBS "LIMIT ?9 /*postgres FOR UPDATE SKIP LOCKED*/",
              values, 9);
    while (sql_row(leasing->transaction)) {
        StoreJob *job = &leasing->jobs[leasing->got + got++];
        row_read(leasing->transaction, 0, fields, job);
        job->is_long |= from->slow;
        from->first = job->expires + 1; /* the next one */
    }
    leasing->got += got;
    from->used += (int64_t)got * LEAST_MS;
    bool more = got == most;
    if (more && leasing->got < leasing->wanted && leasing->waiting_count > 1)
        more = find_first(leasing, from, values);
    if (!more)
        *from = leasing->waiting[--leasing->waiting_count];
}

/* So many ids are in a statement; of fewer, the rest are NULL. Most leases are of one job, for
   which a shorter statement takes two thirds of the time. */
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
            of_jobs[3] = as_number(1); /* then some requesters may be slow */
        of_matches[4 + i] = as_id(match ? jobs[i].subject : 0);
        matches |= match;
    }
    bool one = count == 1;
    sql_send(transaction, one ? MARK_JOBS "= ?5" : MARK_JOBS "IN " ID_LIST, of_jobs,
             one ? 5 : 4 + IDS);
    if (matches)
        sql_send(transaction, one ? MARK_MATCHES "= ?5" : MARK_MATCHES "IN " ID_LIST, of_matches,
                 one ? 5 : 4 + IDS);
}

/* One attempt to lease. *expired: leases have expired, and have to be collected first. */
static StoreResult lease_once(Store *store, const char *holder, int64_t lease, Leasing *leasing,
                              bool *expired, bool *collided, Error *error) {
    Transaction transaction = transaction_share(store, error);
    leasing->transaction = &transaction;
    leasing->waiting_count = 0;
    leasing->got = 0;
    *expired = sql_number(&transaction,
                          "SELECT EXISTS (SELECT 1 FROM jobs WHERE expires > 0 AND expires <= ?1)",
                          VALUES(as_number(leasing->now)));
    if (!*expired)
        read_waiting(leasing);
    while (transaction.result == STORE_OK && leasing->got < leasing->wanted &&
           leasing->waiting_count) {
        Waiting *first = &leasing->waiting[0];
        for (uint32_t i = 1; i < leasing->waiting_count; i++)
            if (comes_before(&leasing->waiting[i], first))
                first = &leasing->waiting[i];
        take_jobs(leasing, first, in_a_row(leasing, first));
    }
    /* A lease that a crash of the server forgets is a job that waits. If the same attempt is leased
       again, the first result counts, as always. */
    if (leasing->got)
        transaction_relax(&transaction);
    for (uint32_t i = 0; i < leasing->got; i += IDS)
        mark_leased(&transaction, holder, lease, leasing->now, &leasing->jobs[i],
                    leasing->got - i < IDS ? leasing->got - i : IDS);
    StoreResult result = transaction_end(&transaction);
    *collided = transaction.collided;
    leasing->transaction = NULL;
    return result;
}

StoreResult store_queue_lease(Store *store, StoreJobKind kinds, const char *holder, int64_t lease,
                              StoreJob *jobs, uint32_t *count, Error *error) {
    assert(lease > 0 && *count <= QUEUE_LEASE_MAX &&
           (kinds == JOB_PERSON || !(kinds & JOB_PERSON)));
    Leasing leasing = {.kinds = kinds, .now = store_now(store), .jobs = jobs, .wanted = *count};
    *count = 0;
    StoreResult result;
    bool again;
    uint32_t tries = 0;
    do {
        bool expired;
        bool collided;
        result = lease_once(store, holder, lease, &leasing, &expired, &collided, error);
        if (result == STORE_OK && expired)
            result = collect_expired(store, leasing.now, error);
        again = (result == STORE_OK && expired) || (collided && ++tries < QUEUE_TRIES);
    } while (again);
    if (result == STORE_OK)
        *count = leasing.got;
    return result;
}

StoreResult store_queue_extend(Store *store, uint64_t job, uint32_t attempt, int64_t lease,
                               Error *error) {
    Transaction transaction = transaction_share(store, error);
    if (!sql_run(&transaction,
                 "UPDATE jobs SET expires = ?3 WHERE id = ?1 AND attempt = ?2 AND expires <> 0",
                 VALUES(as_id(job), as_number(attempt), as_number(store_now(store) + lease))))
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

StoreResult store_queue_others_wait(Store *store, uint64_t job, bool *wait, Error *error) {
    Transaction transaction = transaction_read(store, error);
    *wait = sql_number(&transaction,
                       "SELECT EXISTS (SELECT 1 FROM jobs j WHERE expires = 0 AND long = 0 "
                       "AND urgency <> ?2 AND requester <> (SELECT requester FROM jobs "
                       "WHERE id = ?1) AND NOT EXISTS (SELECT 1 FROM jobs r WHERE r.expires > 0 "
                       "AND r.requester = j.requester AND r.urgency <> ?2) "
                       "AND NOT " SHARE_IS_SLOW("j.requester", "?3") ")",
                       VALUES(as_id(job), as_number(URGENCY_PERSON), as_number(store_now(store))));
    return transaction_end(&transaction);
}

StoreResult store_queue_recover(Store *store, const char *holder, uint32_t *count, Error *error) {
    *count = 0;
    Transaction transaction = transaction_write(store, error);
    sql_run(&transaction, MATCHES_WAIT("expires > 0 AND holder = ?1"), VALUES(as_text(holder)));
    int64_t back = sql_run(
        &transaction, "UPDATE jobs SET expires = 0, holder = '' WHERE expires > 0 AND holder = ?1",
        VALUES(as_text(holder)));
    if (back)
        transaction_tell(&transaction, NEWS_JOBS);
    StoreResult result = transaction_end(&transaction);
    if (result == STORE_OK)
        *count = (uint32_t)back;
    return result;
}
