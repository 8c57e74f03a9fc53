/* See queue.h: results, failures, and jobs that return to the queue. */
#include "store/queue.h"

#include "store/internal.h"
#include "store/queue_internal.h"
#include "store/queue_share.h"
#include "store/sql_enums.h"
#include "store/store.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A message format that takes a job and an attempt. */
#define QUEUE_LOST \
 "job %" PRIu64 " is not leased as attempt %" PRIu32 "; it was finished, cancelled or leased again"

void queue_lost(Transaction *transaction, uint64_t job, uint32_t attempt) {
    transaction_reject(transaction, STORE_CONFLICT, QUEUE_LOST, job, attempt);
}

/* ---- giving up ---- */

typedef struct Ended {
    StoreJobKind kind;
    uint64_t subject;
    uint32_t losses;
    char failure[STORE_LINE_SIZE];
    uint64_t account; /* the requester, or 0 */
} Ended;

/* A new check of a version replaces the old one. */
#define CHECK_REPLACES                                                                   \
 " ON CONFLICT (version) DO UPDATE SET time = excluded.time, errors = excluded.errors, " \
 "warnings = excluded.warnings, report = excluded.report, failure = excluded.failure"

/* A statement that records that a job was given up. ?1 is its subject, ?2 the reason, ?3 the time;
   for an analysis, ?4 is the account that requested it. */
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

void queue_give_up(Transaction *transaction, uint64_t job) {
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
    if (ended.kind == JOB_MATCH) {
        sql_run(transaction, "UPDATE seats SET source = '' WHERE match = ?1 AND source <> ''",
                VALUES(as_id(ended.subject)));
        if (sql_number(transaction, "SELECT code FROM match_texts WHERE match = ?1",
                       VALUES(as_id(ended.subject))))
            queue_forget_code(transaction, ended.subject);
    }
}

/* ---- finishing ---- */

uint64_t queue_take_job(Transaction *transaction, StoreJobKind kind, uint64_t job,
                        uint32_t attempt) {
    sql_run(transaction, SHARE_CHARGE("id = ?1"),
            VALUES(as_id(job), as_number(store_now(transaction->store))));
    share_forget(transaction);
    uint64_t subject = (uint64_t)sql_number(
        transaction,
        "DELETE FROM jobs WHERE id = ?1 AND attempt = ?2 AND expires <> 0 AND kind = ?3 "
        "RETURNING coalesce(match, version)",
        VALUES(as_id(job), as_number(attempt), as_number(kind)));
    if (!subject)
        queue_lost(transaction, job, attempt);
    return subject;
}

/* What is needed of a leased job to finish it. */
typedef struct Taken {
    uint64_t job;
    uint64_t match;
    char requester[REQUESTER_SIZE];
    int64_t leased;
    uint32_t players;
    bool code; /* the spec contains code, which must be deleted */
    const StoreFinish *finish;
} Taken;

/* A statement that deletes leased jobs of matches, by id and attempt. */
#define TAKE(which)                                                                            \
 "DELETE FROM jobs WHERE kind = " SQL_JOB_MATCH " AND expires <> 0 AND (" which ") RETURNING " \
 "id, match, requester, leased, (SELECT count(*) FROM seats s WHERE s.match = jobs.match), "   \
 "(SELECT t.code FROM match_texts t WHERE t.match = jobs.match)"
#define JOB(id, attempt) "(id = ?" #id " AND attempt = ?" #attempt ")"

static int by_job(const void *one, const void *other) {
    uint64_t a = (*(StoreFinish *const *)one)->job;
    uint64_t b = (*(StoreFinish *const *)other)->job;
    return (a > b) - (a < b);
}

/* Deletes the leased jobs of these results, in the order of their ids. Returns how many there
   were. */
static uint32_t take_jobs(Transaction *transaction, StoreFinish **finishes, uint32_t count,
                          Taken *taken) {
    enum { JOBS = 8, JOBS_VALUES = 2 * JOBS };
    static const Field fields[] = {NUMBER_OF(Taken, job),
                                   NUMBER_OF(Taken, match),
                                   TEXT_OF(Taken, requester),
                                   NUMBER_OF(Taken, leased),
                                   NUMBER_OF(Taken, players),
                                   NUMBER_OF(Taken, code),
                                   {0}};
    uint32_t got = 0;
    for (uint32_t from = 0; from < count; from += JOBS) {
        Value values[JOBS_VALUES] = {{0}};
        Value *next = values;
        for (uint32_t i = from; i < count && i < from + JOBS; i++) {
            *next++ = as_id(finishes[i]->job);
            *next++ = as_number(finishes[i]->attempt);
        }
        if (count == 1)
            sql_query(transaction, TAKE(JOB(1, 2)), values, 2);
        else
            sql_query(transaction,
                      TAKE(JOB(1, 2) " OR " JOB(3, 4) " OR " JOB(5, 6) " OR " JOB(7, 8) " OR " JOB(
                          9, 10) " OR " JOB(11, 12) " OR " JOB(13, 14) " OR " JOB(15, 16)),
                      values, JOBS_VALUES);
        while (sql_row(transaction)) {
            taken[got] = (Taken){0};
            row_read(transaction, 0, fields, &taken[got]);
            for (uint32_t i = from; i < count && i < from + JOBS; i++)
                if (finishes[i]->job == taken[got].job) {
                    finishes[i]->how = STORE_OK;
                    taken[got].finish = finishes[i];
                }
            got++;
        }
    }
    return got;
}

static Value score_of(const StoreSeatResult *seat) {
    return seat->scored ? as_number(seat->score) : as_text(NULL);
}

static Value failure_of(const StoreSeatResult *seat) {
    return as_text(seat->failure ? seat->failure : "");
}

static void write_seat(Transaction *transaction, uint64_t match, uint32_t index,
                       const StoreSeatResult *seat) {
    sql_send(transaction,
             "UPDATE seats SET place = ?3, score = ?4, status = ?5, failure = ?6, source = '' "
             "WHERE match = ?1 AND seat = ?2",
             VALUES(as_id(match), as_number(index), as_number(seat->rank), score_of(seat),
                    as_text(seat->status), failure_of(seat)));
}

/* Writes both seats with one statement, because most matches have two players. */
static void write_both_seats(Transaction *transaction, uint64_t match,
                             const StoreSeatResult seats[2]) {
    sql_send(transaction,
             "UPDATE seats SET place = CASE seat WHEN 0 THEN ?2 ELSE ?6 END, "
             "score = CASE seat WHEN 0 THEN CAST(?3 AS BIGINT) ELSE CAST(?7 AS BIGINT) END, "
             "status = CASE seat WHEN 0 THEN ?4 ELSE ?8 END, "
             "failure = CASE seat WHEN 0 THEN ?5 ELSE ?9 END, source = '' WHERE match = ?1",
             VALUES(as_id(match), as_number(seats[0].rank), score_of(&seats[0]),
                    as_text(seats[0].status), failure_of(&seats[0]), as_number(seats[1].rank),
                    score_of(&seats[1]), as_text(seats[1].status), failure_of(&seats[1])));
}

/* Writes the result of a match. `number` is the result's number, or NULL on PostgreSQL, where a
   sequence provides it. */
static void write_result(Transaction *transaction, const Taken *taken, Value number) {
    const StoreMatchResult *result = taken->finish->result;
    if (taken->players != result->players)
        transaction_reject(transaction, STORE_REJECTED,
                           "match %" PRIu64 " has %" PRIu32 " players, but the result has %" PRIu32,
                           taken->match, taken->players, result->players);
    sql_send(transaction,
             "UPDATE matches SET state = " SQL_MATCH_OVER
             ", ended = ?2, turns = ?3, reason = ?4, replay = ?5, replay_bytes = ?7, "
             "result = coalesce(?6, 0 /*postgres + nextval('result_numbers')*/), machine = ?8, "
             "speed = ?9 WHERE id = ?1",
             VALUES(as_id(taken->match), as_number(store_now(transaction->store)),
                    as_number(result->turns), as_text(result->reason), as_text(result->replay.name),
                    number, as_number(result->replay_bytes),
                    as_text(result->machine ? result->machine : ""), as_number(result->speed)));
    sql_send(transaction, "UPDATE match_texts SET verdict = ?2, logs = ?3 WHERE match = ?1",
             VALUES(as_id(taken->match), as_slice(result->verdict), as_slice(result->logs)));
    if (result->players == 2)
        write_both_seats(transaction, taken->match, result->seats);
    else
        for (uint32_t i = 0; i < result->players; i++)
            write_seat(transaction, taken->match, i, &result->seats[i]);
    if (taken->code)
        queue_forget_code(transaction, taken->match);
}

static int by_requester(const void *one, const void *other) {
    return strcmp(((const Taken *)one)->requester, ((const Taken *)other)->requester);
}

static void charge(Transaction *transaction, Taken *taken, uint32_t count) {
    int64_t now = store_now(transaction->store);
    qsort(taken, count, sizeof *taken, by_requester);
    int64_t used = 0;
    for (uint32_t i = 0; i < count; i++) {
        used += now > taken[i].leased ? now - taken[i].leased : 0;
        if (i + 1 == count || by_requester(&taken[i], &taken[i + 1]) != 0) {
            share_charge(transaction, taken[i].requester, used);
            used = 0;
        }
    }
}

static StoreResult finish_once(Store *store, StoreFinish **finishes, uint32_t count, bool *collided,
                               Error *error) {
    Taken taken[QUEUE_LEASE_MAX];
    for (uint32_t i = 0; i < count; i++)
        finishes[i]->how = STORE_CONFLICT;
    Transaction transaction = transaction_share(store, error);
    uint32_t got = take_jobs(&transaction, finishes, count, taken);
    bool later = store_counts_later(store);
    int64_t last =
        later || !got ? 0 : sql_number(&transaction, "SELECT last FROM results", NULL, 0);
    for (uint32_t i = 0; i < got; i++)
        write_result(&transaction, &taken[i], later ? as_text(NULL) : as_number(last + 1 + i));
    charge(&transaction, taken, got);
    if (!later && got) {
        records_count(&transaction, last, last + got);
        share_forget(&transaction);
    }
    StoreResult result = transaction_end(&transaction);
    *collided = transaction.collided;
    return result;
}

StoreResult store_queue_finish_matches(Store *store, StoreFinish *finishes, uint32_t count,
                                       Error *error) {
    assert(count <= QUEUE_LEASE_MAX);
    StoreFinish *sorted[QUEUE_LEASE_MAX];
    for (uint32_t i = 0; i < count; i++) {
        StoreResult there = files_need(store, &finishes[i].result->replay, error);
        if (there != STORE_OK)
            return there;
        sorted[i] = &finishes[i];
    }
    /* NOLINTNEXTLINE(bugprone-sizeof-expression): the array contains pointers */
    qsort(sorted, count, sizeof *sorted, by_job);
    StoreResult result;
    bool collided;
    uint32_t tries = 0;
    do
        result = finish_once(store, sorted, count, &collided, error);
    while (collided && ++tries < QUEUE_TRIES);
    return result;
}

StoreResult store_queue_finish_match(Store *store, uint64_t job, uint32_t attempt,
                                     const StoreMatchResult *result, Error *error) {
    StoreFinish finish = {.job = job, .attempt = attempt, .result = result};
    StoreResult how = store_queue_finish_matches(store, &finish, 1, error);
    if (how != STORE_OK || finish.how == STORE_OK)
        return how;
    error_set(error, QUEUE_LOST, job, attempt);
    return finish.how;
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
        queue_add_check(&transaction, version, result->request);
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

/* Reads the only row of a statement that ends a lease: losses, requester, leased. */
static bool sql_ended(Transaction *transaction, const char *sql, const Value *values, size_t count,
                      uint32_t *losses, Taken *taken) {
    static const Field fields[] = {TEXT_OF(Taken, requester), NUMBER_OF(Taken, leased), {0}};
    bool found = false;
    sql_query(transaction, sql, values, count);
    while (sql_row(transaction)) {
        *losses = (uint32_t)database_number(transaction->database, 0);
        row_read(transaction, 1, fields, taken);
        found = true;
    }
    return found;
}

StoreResult store_queue_fail(Store *store, uint64_t job, uint32_t attempt, const char *why,
                             int64_t rest, bool *over, Error *error) {
    *over = false;
    uint32_t losses = 0;
    Taken taken = {0};
    Transaction transaction = transaction_share(store, error);
    if (!sql_ended(&transaction,
                   "UPDATE jobs SET expires = ?4, losses = losses + 1, holder = '', trouble = ?3 "
                   "WHERE id = ?1 AND attempt = ?2 AND expires <> 0 "
                   "RETURNING losses, requester, leased",
                   VALUES(as_id(job), as_number(attempt), as_text(why),
                          as_number(rest ? store_now(store) + rest : 0)),
                   &losses, &taken))
        queue_lost(&transaction, job, attempt);
    if (losses >= QUEUE_LOSSES_MAX)
        queue_give_up(&transaction, job);
    else
        sql_send(&transaction, MATCHES_WAIT("id = ?1"), VALUES(as_id(job)));
    charge(&transaction, &taken, 1);
    transaction_tell(&transaction, NEWS_JOBS);
    StoreResult result = transaction_end(&transaction);
    *over = result == STORE_OK && losses >= QUEUE_LOSSES_MAX;
    return result;
}

static StoreResult return_job(Store *store, uint64_t job, uint32_t attempt, bool is_long,
                              Error *error) {
    uint32_t losses;
    Taken taken = {0};
    Transaction transaction =
        is_long ? transaction_write(store, error) : transaction_share(store, error);
    if (!sql_ended(&transaction,
                   "UPDATE jobs SET expires = 0, holder = '', "
                   "long = CASE WHEN ?3 = 1 THEN 1 ELSE long END "
                   "WHERE id = ?1 AND attempt = ?2 AND expires <> 0 "
                   "RETURNING losses, requester, leased",
                   VALUES(as_id(job), as_number(attempt), as_number(is_long)), &losses, &taken))
        queue_lost(&transaction, job, attempt);
    sql_send(&transaction, MATCHES_WAIT("id = ?1"), VALUES(as_id(job)));
    charge(&transaction, &taken, 1);
    /* Mark its requester as slow, and the requesters of jobs that have been running for even
       longer. A check does not make its requester slow, because the arena requested it; nor does an
       analysis, which lets others play in between. */
    if (is_long)
        sql_run(&transaction,
                "INSERT INTO shares (requester, part, used, time, slow) "
                "SELECT DISTINCT requester, 0, 0, ?2, ?2 FROM jobs WHERE id = ?1 OR (expires > 0 "
                "AND urgency NOT IN (?3, ?4, ?5) "
                "AND leased <= (SELECT leased FROM jobs WHERE id = ?1)) "
                "ON CONFLICT (requester, part) DO UPDATE SET slow = excluded.slow",
                VALUES(as_id(job), as_number(store_now(store)), as_number(URGENCY_PERSON),
                       as_number(URGENCY_CHECK), as_number(URGENCY_ANALYSIS)));
    transaction_tell(&transaction, NEWS_JOBS);
    return transaction_end(&transaction);
}

StoreResult store_queue_return(Store *store, uint64_t job, uint32_t attempt, Error *error) {
    return return_job(store, job, attempt, false, error);
}

StoreResult store_queue_interrupt(Store *store, uint64_t job, uint32_t attempt, Error *error) {
    return return_job(store, job, attempt, true, error);
}
