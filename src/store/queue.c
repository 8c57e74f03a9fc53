/* See queue.h: leases and results. Adding jobs is in queue_add.c. */
#include "store/queue.h"

#include "store/internal.h"
#include "store/queue_internal.h"
#include "store/queue_share.h"
#include "store/sql_enums.h"
#include "store/store.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

/* Call it before a lease ends. */
static void charge(Transaction *transaction, uint64_t job) {
    sql_run(transaction, SHARE_CHARGE("id = ?1"),
            VALUES(as_id(job), as_number(store_now(transaction->store))));
    share_forget(transaction);
}

static void lost(Transaction *transaction, uint64_t job, uint32_t attempt) {
    transaction_reject(transaction, STORE_CONFLICT,
                       "job %" PRIu64 " is not leased as attempt %" PRIu32
                       "; it was finished, cancelled or leased again",
                       job, attempt);
}

/* ---- giving up ---- */

typedef struct Ended {
    StoreJobKind kind;
    uint64_t subject;
    uint32_t losses;
    char failure[STORE_LINE_SIZE];
    uint64_t account; /* that requested it, or 0 */
} Ended;

/* A new check of a version replaces the old one. */
#define CHECK_REPLACES                                                                   \
 " ON CONFLICT (version) DO UPDATE SET time = excluded.time, errors = excluded.errors, " \
 "warnings = excluded.warnings, report = excluded.report, failure = excluded.failure"

/* Records that a job was given up. ?1 is its subject, ?2 the reason, ?3 the time; of an analysis,
   ?4 is the account that requested it. */
static const char *given_up(StoreJobKind kind) {
    switch (kind) {
    case JOB_MATCH:
        return "UPDATE matches SET state = " SQL_MATCH_GIVEN_UP
               ", reason = ?2, ended = ?3 WHERE id = ?1";
    case JOB_CHECK:
        return "INSERT INTO checks (version, time, errors, warnings, report, failure) "
               "VALUES (?1, ?3, 0, 0, '', ?2)" CHECK_REPLACES;
    case JOB_ANALYSIS:
        return "INSERT INTO analyses (match, requester, time, result, failure) "
               "VALUES (?1, ?4, ?3, '', ?2)" ANALYSIS_REPLACES;
    default:
        return "UPDATE versions SET build = " SQL_BUILD_FAILED
               ", log = ?2, built = ?3 WHERE id = ?1";
    }
}

/* Removes a job from the queue and records that it was given up. */
static void give_up(Transaction *transaction, uint64_t job) {
    static const Field fields[] = {NUMBER_OF(Ended, kind),    NUMBER_OF(Ended, subject),
                                   NUMBER_OF(Ended, losses),  TEXT_OF(Ended, failure),
                                   NUMBER_OF(Ended, account), {0}};
    Ended ended = {0};
    sql_query(
        transaction,
        "DELETE FROM jobs WHERE id = ?1 RETURNING kind, coalesce(match, version), losses, trouble, "
        "CASE WHEN requester LIKE 'account %' THEN CAST(substr(requester, 9) AS BIGINT) ELSE 0 END",
        VALUES(as_id(job)));
    if (sql_row(transaction))
        row_read(transaction, 0, fields, &ended);
    while (sql_row(transaction))
        continue;
    char reason[STORE_LINE_SIZE + 64];
    snprintf(reason, sizeof reason, "given up after %" PRIu32 " attempts; the last one: %s",
             ended.losses, ended.failure);
    const Value values[] = {as_id(ended.subject), as_text(reason),
                            as_number(store_now(transaction->store)), as_id(ended.account)};
    sql_run(transaction, given_up(ended.kind), values, ended.kind == JOB_ANALYSIS ? 4 : 3);
    queue_forget_sources(transaction);
}

/* The matches of jobs that are about to return to the queue wait again. `which` is a condition on
   jobs. */
#define MATCHES_WAIT(which)                                                           \
 "UPDATE matches SET state = " SQL_MATCH_WAITING ", started = 0 WHERE id IN (SELECT " \
 "match FROM jobs WHERE kind = " SQL_JOB_MATCH " AND " which ")"

static const char expired_trouble[] = "nothing was heard of it in time";

/* Expired leases: each counts as a failure. */
static void collect_expired(Transaction *transaction, int64_t now) {
    if (!sql_number(transaction,
                    "SELECT EXISTS (SELECT 1 FROM jobs WHERE expires > 0 AND expires <= ?1)",
                    VALUES(as_number(now))))
        return;
    sql_run(transaction, SHARE_CHARGE("expires <= ?1"), VALUES(as_number(now), as_number(now)));
    uint64_t job;
    while ((job = (uint64_t)sql_number(
                transaction,
                "UPDATE jobs SET losses = losses + 1, trouble = ?3 WHERE id = "
                "(SELECT id FROM jobs WHERE expires > 0 AND expires <= ?1 "
                "AND losses + 1 >= ?2 LIMIT 1) RETURNING id",
                VALUES(as_number(now), as_number(QUEUE_LOSSES_MAX), as_text(expired_trouble)))))
        give_up(transaction, job);
    sql_run(transaction, MATCHES_WAIT("expires > 0 AND expires <= ?1"), VALUES(as_number(now)));
    sql_run(transaction,
            "UPDATE jobs SET expires = 0, losses = losses + 1, holder = '', trouble = ?2 "
            "WHERE expires > 0 AND expires <= ?1",
            VALUES(as_number(now), as_text(expired_trouble)));
}

/* ---- leasing ---- */

static const Field job_fields[] = {NUMBER_OF(StoreJob, id),      NUMBER_OF(StoreJob, kind),
                                   NUMBER_OF(StoreJob, attempt), NUMBER_OF(StoreJob, losses),
                                   NUMBER_OF(StoreJob, subject), NUMBER_OF(StoreJob, expires),
                                   NUMBER_OF(StoreJob, is_long), {0}};

/* Leases the next job, and marks its match as being played. False if there is none. */
static bool lease_next(Transaction *transaction, StoreJobKind kinds, const char *holder,
                       int64_t now, int64_t lease, StoreJob *job) {
    bool person = kinds == JOB_PERSON;
    uint64_t next = (uint64_t)sql_number(transaction, share_next_job,
                                         VALUES(as_number(person ? URGENCY_PERSON : URGENCY_BUILD),
                                                as_number(person ? URGENCIES : URGENCY_PERSON),
                                                as_number(now), as_number((kinds & JOB_LONG) != 0),
                                                as_number(person ? JOB_MATCH : kinds & JOB_ANY)));
    if (!next ||
        !sql_one(transaction,
                 "UPDATE jobs SET attempt = attempt + 1, expires = ?1, leased = ?2, "
                 "holder = ?3, long = CASE WHEN " SHARE_IS_SLOW(
                     "jobs.requester",
                     "?2") " THEN 1 ELSE long END WHERE id = ?4 RETURNING id, kind, attempt, "
                           "losses, coalesce(match, version), expires, long",
                 VALUES(as_number(now + lease), as_number(now), as_text(holder), as_id(next)),
                 job_fields, job))
        return false;
    if (job->kind == JOB_MATCH)
        sql_run(transaction,
                "UPDATE matches SET state = " SQL_MATCH_PLAYING ", started = ?2 WHERE id = ?1",
                VALUES(as_id(job->subject), as_number(now)));
    return true;
}

StoreResult store_queue_lease(Store *store, StoreJobKind kinds, const char *holder, int64_t lease,
                              StoreJob *jobs, uint32_t *count, Error *error) {
    assert(lease > 0 && *count <= QUEUE_LEASE_MAX &&
           (kinds == JOB_PERSON || !(kinds & JOB_PERSON)));
    uint32_t wanted = *count;
    uint32_t got = 0;
    int64_t now = store_now(store);
    *count = 0;
    Transaction transaction = transaction_write(store, error);
    collect_expired(&transaction, now);
    while (got < wanted && lease_next(&transaction, kinds, holder, now, lease, &jobs[got]))
        got++;
    StoreResult result = transaction_end(&transaction);
    if (result == STORE_OK)
        *count = got;
    return result;
}

StoreResult store_queue_extend(Store *store, uint64_t job, uint32_t attempt, int64_t lease,
                               Error *error) {
    Transaction transaction = transaction_write(store, error);
    if (!sql_run(&transaction,
                 "UPDATE jobs SET expires = ?3 WHERE id = ?1 AND attempt = ?2 AND expires > 0",
                 VALUES(as_id(job), as_number(attempt), as_number(store_now(store) + lease))))
        lost(&transaction, job, attempt);
    return transaction_end(&transaction);
}

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

/* ---- finishing ---- */

uint64_t queue_take_job(Transaction *transaction, StoreJobKind kind, uint64_t job,
                        uint32_t attempt) {
    charge(transaction, job);
    uint64_t subject = (uint64_t)sql_number(
        transaction,
        "DELETE FROM jobs WHERE id = ?1 AND attempt = ?2 AND expires > 0 AND kind = ?3 "
        "RETURNING coalesce(match, version)",
        VALUES(as_id(job), as_number(attempt), as_number(kind)));
    if (!subject)
        lost(transaction, job, attempt);
    return subject;
}

static void write_seats(Transaction *transaction, uint64_t match, const StoreMatchResult *result) {
    int64_t players = sql_number(transaction, "SELECT count(*) FROM seats WHERE match = ?1",
                                 VALUES(as_id(match)));
    if (players != result->players)
        transaction_reject(transaction, STORE_REJECTED,
                           "match %" PRIu64 " has %" PRId64 " players, but the result has %" PRIu32,
                           match, players, result->players);
    for (uint32_t i = 0; i < result->players; i++) {
        const StoreSeatResult *seat = &result->seats[i];
        sql_run(transaction,
                "UPDATE seats SET place = ?3, score = ?4, status = ?5, failure = ?6 "
                "WHERE match = ?1 AND seat = ?2",
                VALUES(as_id(match), as_number(i), as_number(seat->rank),
                       seat->scored ? as_number(seat->score) : as_text(NULL), as_text(seat->status),
                       as_text(seat->failure ? seat->failure : "")));
    }
}

StoreResult store_queue_finish_match(Store *store, uint64_t job, uint32_t attempt,
                                     const StoreMatchResult *result, Error *error) {
    StoreResult there = files_need(store, &result->replay, error);
    if (there != STORE_OK)
        return there;
    Transaction transaction = transaction_write(store, error);
    uint64_t match = queue_take_job(&transaction, JOB_MATCH, job, attempt);
    int64_t order =
        sql_number(&transaction, "UPDATE results SET last = last + 1 RETURNING last", NULL, 0);
    sql_run(&transaction,
            "UPDATE matches SET state = " SQL_MATCH_OVER
            ", ended = ?2, turns = ?3, reason = ?4, replay = ?5, "
            "result = ?6, replay_bytes = ?7 WHERE id = ?1",
            VALUES(as_id(match), as_number(store_now(store)), as_number(result->turns),
                   as_text(result->reason), as_text(result->replay.name), as_number(order),
                   as_number(result->replay_bytes)));
    sql_run(&transaction, "UPDATE match_texts SET verdict = ?2, logs = ?3 WHERE match = ?1",
            VALUES(as_id(match), as_slice(result->verdict), as_slice(result->logs)));
    write_seats(&transaction, match, result);
    records_add(&transaction, match);
    queue_forget_sources(&transaction);
    return transaction_end(&transaction);
}

StoreResult store_queue_finish_build(Store *store, uint64_t job, uint32_t attempt,
                                     const StoreBuildResult *result, Error *error) {
    StoreResult there = files_need(store, &result->product, error);
    if (there != STORE_OK)
        return there;
    Transaction transaction = transaction_write(store, error);
    uint64_t version = queue_take_job(&transaction, JOB_BUILD, job, attempt);
    sql_run(&transaction,
            "UPDATE versions SET build = ?2, log = ?3, product = ?4, built = ?5 WHERE id = ?1",
            VALUES(as_id(version), as_number(result->good ? BUILD_GOOD : BUILD_FAILED),
                   as_slice(result->log), as_text(result->product.name),
                   as_number(store_now(store))));
    if (result->good && result->activate)
        /* An older version whose build took longer must not replace a newer one. */
        sql_run(&transaction,
                "UPDATE bots SET active = ?1 WHERE id = (SELECT bot FROM versions WHERE id = ?1) "
                "AND retired = 0 AND coalesce(active, 0) < ?1",
                VALUES(as_id(version)));
    if (result->good && result->check)
        queue_add_check(&transaction, version);
    return transaction_end(&transaction);
}

StoreResult store_queue_finish_check(Store *store, uint64_t job, uint32_t attempt,
                                     const StoreCheckResult *result, Error *error) {
    Transaction transaction = transaction_write(store, error);
    uint64_t version = queue_take_job(&transaction, JOB_CHECK, job, attempt);
    sql_run(&transaction,
            "INSERT INTO checks (version, time, errors, warnings, report, failure) "
            "VALUES (?1, ?2, ?3, ?4, ?5, ?6)" CHECK_REPLACES,
            VALUES(as_id(version), as_number(store_now(store)), as_number(result->errors),
                   as_number(result->warnings), as_slice(result->report),
                   as_text(result->failure ? result->failure : "")));
    return transaction_end(&transaction);
}

StoreResult store_queue_fail(Store *store, uint64_t job, uint32_t attempt, const char *why,
                             bool *over, Error *error) {
    *over = false;
    Transaction transaction = transaction_write(store, error);
    charge(&transaction, job);
    int64_t losses =
        sql_number(&transaction,
                   "UPDATE jobs SET expires = 0, losses = losses + 1, holder = '', trouble = ?3 "
                   "WHERE id = ?1 AND attempt = ?2 AND expires > 0 RETURNING losses",
                   VALUES(as_id(job), as_number(attempt), as_text(why)));
    if (!losses)
        lost(&transaction, job, attempt);
    if (losses >= QUEUE_LOSSES_MAX)
        give_up(&transaction, job);
    else
        sql_run(&transaction, MATCHES_WAIT("id = ?1"), VALUES(as_id(job)));
    StoreResult result = transaction_end(&transaction);
    *over = result == STORE_OK && losses >= QUEUE_LOSSES_MAX;
    return result;
}

static StoreResult return_job(Store *store, uint64_t job, uint32_t attempt, bool is_long,
                              Error *error) {
    Transaction transaction = transaction_write(store, error);
    charge(&transaction, job);
    if (!sql_run(&transaction,
                 "UPDATE jobs SET expires = 0, holder = '', "
                 "long = CASE WHEN ?3 = 1 THEN 1 ELSE long END "
                 "WHERE id = ?1 AND attempt = ?2 AND expires > 0",
                 VALUES(as_id(job), as_number(attempt), as_number(is_long))))
        lost(&transaction, job, attempt);
    /* Its requester is slow, and those of jobs that run for even longer. Nobody is slow because of
       a check, which nobody has asked for, or of an analysis, which lets others play in between. */
    if (is_long)
        sql_run(&transaction,
                "INSERT INTO shares (requester, used, time, slow) "
                "SELECT DISTINCT requester, 0, ?2, ?2 FROM jobs WHERE id = ?1 OR (expires > 0 "
                "AND urgency NOT IN (?3, ?4, ?5) "
                "AND leased <= (SELECT leased FROM jobs WHERE id = ?1)) "
                "ON CONFLICT (requester) DO UPDATE SET slow = excluded.slow",
                VALUES(as_id(job), as_number(store_now(store)), as_number(URGENCY_PERSON),
                       as_number(URGENCY_CHECK), as_number(URGENCY_ANALYSIS)));
    sql_run(&transaction, MATCHES_WAIT("id = ?1"), VALUES(as_id(job)));
    return transaction_end(&transaction);
}

StoreResult store_queue_return(Store *store, uint64_t job, uint32_t attempt, Error *error) {
    return return_job(store, job, attempt, false, error);
}

StoreResult store_queue_interrupt(Store *store, uint64_t job, uint32_t attempt, Error *error) {
    return return_job(store, job, attempt, true, error);
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
    StoreResult result = transaction_end(&transaction);
    if (result == STORE_OK)
        *count = (uint32_t)back;
    return result;
}
