/* See analyses.h. */
#include "store/analyses.h"

#include "store/internal.h"
#include "store/queue_internal.h"
#include "store/queue_share.h"
#include "store/sql_enums.h"
#include "store/store.h"

#include <inttypes.h>

enum { HOUR_MS = 3600 * 1000 };

/* Rejects a match that cannot be analysed, or whose analysis is done or queued. */
static void check_match(Transaction *transaction, uint64_t match) {
    if (!sql_number(transaction, "SELECT 1 FROM matches WHERE id = ?1 AND replay <> ''",
                    VALUES(as_id(match))))
        transaction_reject(transaction, STORE_NOT_FOUND, "match %" PRIu64 " has no replay", match);
    else if (sql_number(transaction,
                        "SELECT 1 FROM jobs WHERE match = ?1 AND kind = " SQL_JOB_ANALYSIS,
                        VALUES(as_id(match))))
        transaction_reject(transaction, STORE_CONFLICT,
                           "match %" PRIu64 " is already being analysed", match);
    else if (sql_number(transaction, "SELECT 1 FROM analyses WHERE match = ?1 AND failure = ''",
                        VALUES(as_id(match))))
        transaction_reject(transaction, STORE_CONFLICT,
                           "match %" PRIu64 " has already been analysed", match);
}

/* Analyses in the queue count as well as those that ended in the last hour. */
static void check_rate(Transaction *transaction, uint64_t account, const char *requester,
                       uint32_t most, uint32_t *wait) {
    int64_t now = store_now(transaction->store);
    int64_t queued = sql_number(
        transaction, "SELECT count(*) FROM jobs WHERE requester = ?1 AND kind = " SQL_JOB_ANALYSIS,
        VALUES(as_text(requester)));
    int64_t ended =
        sql_number(transaction, "SELECT count(*) FROM analyses WHERE requester = ?1 AND time > ?2",
                   VALUES(as_id(account), as_number(now - HOUR_MS)));
    if (queued + ended < most)
        return;
    /* The wait ends when enough of the oldest analyses are more than an hour old. If none has ended
       yet, an hour from now is the best guess. */
    int64_t last = sql_number(
        transaction,
        "SELECT time FROM analyses WHERE requester = ?1 AND time > ?2 "
        "ORDER BY time LIMIT 1 OFFSET ?3",
        VALUES(as_id(account), as_number(now - HOUR_MS), as_number(queued + ended - most)));
    *wait = (uint32_t)((last ? last + HOUR_MS - now : HOUR_MS) / 1000 + 1);
    uint32_t minutes = (*wait + 59) / 60;
    transaction_reject(
        transaction, STORE_BUSY,
        "you have reached the limit of %" PRIu32 " %s per hour; try again in %" PRIu32 " %s", most,
        most == 1 ? "analysis" : "analyses", minutes, minutes == 1 ? "minute" : "minutes");
}

StoreResult store_queue_analysis(Store *store, uint64_t match, uint64_t account, uint32_t most,
                                 const char *request, uint32_t *wait, Error *error) {
    char requester[REQUESTER_SIZE];
    share_of_account(account, requester);
    *wait = 0;
    Transaction transaction = transaction_write(store, error);
    check_match(&transaction, match);
    check_rate(&transaction, account, requester, most, wait);
    queue_add(&transaction, JOB_ANALYSIS, URGENCY_ANALYSIS, match, requester, request);
    return transaction_end(&transaction);
}

StoreResult store_queue_finish_analysis(Store *store, uint64_t job, uint32_t attempt,
                                        const StoreAnalysisResult *result, Error *error) {
    Transaction transaction = transaction_write(store, error);
    int64_t account = sql_number(&transaction,
                                 "SELECT CAST(substr(requester, length('account ') + 1) AS BIGINT) "
                                 "FROM jobs WHERE id = ?1",
                                 VALUES(as_id(job)));
    uint64_t match = queue_take_job(&transaction, JOB_ANALYSIS, job, attempt);
    sql_run(&transaction,
            "INSERT INTO analyses (match, requester, time, result, failure) "
            "VALUES (?1, ?2, ?3, ?4, ?5)" ANALYSIS_REPLACES,
            VALUES(as_id(match), as_number(account), as_number(store_now(store)),
                   as_slice(result->failure ? (Slice){"", 0} : result->result),
                   as_text(result->failure ? result->failure : "")));
    return transaction_end(&transaction);
}

StoreResult store_analysis_get(Store *store, uint64_t match, StoreAnalysis *analysis,
                               Buffer *result, Error *error) {
    static const Field fields[] = {
        NUMBER_OF(StoreAnalysis, time), TEXT_OF(StoreAnalysis, failure), {0}};
    *analysis = (StoreAnalysis){0};
    Transaction transaction = transaction_read(store, error);
    transaction_snapshot(&transaction);
    int64_t leased =
        sql_number(&transaction,
                   "SELECT CASE WHEN holder <> '' THEN 2 ELSE 1 END FROM jobs WHERE match = ?1 "
                   "AND kind = " SQL_JOB_ANALYSIS,
                   VALUES(as_id(match)));
    if (leased)
        analysis->state = leased == 2 ? ANALYSIS_RUNNING : ANALYSIS_WAITING;
    else if (sql_one(&transaction, "SELECT time, failure FROM analyses WHERE match = ?1",
                     VALUES(as_id(match)), fields, analysis))
        analysis->state = analysis->failure[0] ? ANALYSIS_FAILED : ANALYSIS_DONE;
    if (result && analysis->state == ANALYSIS_DONE)
        sql_text(&transaction, "SELECT result FROM analyses WHERE match = ?1", VALUES(as_id(match)),
                 result);
    return transaction_end(&transaction);
}
