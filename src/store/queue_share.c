/* See queue_share.h. */
#include "store/queue_share.h"

#include "store/internal.h"
#include "store/store.h"

#include <inttypes.h>
#include <stdio.h>

void share_of_account(uint64_t account, char requester[REQUESTER_SIZE]) {
    snprintf(requester, REQUESTER_SIZE, "account %" PRIu64, account);
}

void share_of_match(const StoreNewMatch *match, char requester[REQUESTER_SIZE]) {
    if (match->kind == MATCH_LADDER)
        snprintf(requester, REQUESTER_SIZE, "ladder");
    else if (match->kind == MATCH_TOURNAMENT)
        snprintf(requester, REQUESTER_SIZE, "tournament %" PRIu64, match->tournament);
    else if (match->requester)
        share_of_account(match->requester, requester);
    else
        snprintf(requester, REQUESTER_SIZE, "visitor %016" PRIx64, match->visitor);
}

void share_forget(Transaction *transaction) {
    sql_run(transaction, "DELETE FROM shares WHERE time < ?1 - " SHARE_FADES_MS,
            VALUES(as_number(store_now(transaction->store))));
}

#define IS_SLOW SHARE_IS_SLOW("name", "?3")
#define LEFT SHARE_LEFT("?3")

/* The requesters are found by skipping through the index, so that a long queue of one of them costs
   nothing. */
const char share_next_job[] =
    "WITH RECURSIVE names (name) AS (SELECT min(requester) FROM jobs WHERE expires = 0 "
    "UNION ALL SELECT (SELECT min(requester) FROM jobs WHERE expires = 0 AND requester > name) "
    "FROM names WHERE name IS NOT NULL), "
    "loads (requester, slow, used) AS (SELECT name, " IS_SLOW ", "
    "coalesce((SELECT " LEFT " FROM shares s WHERE s.requester = name), 0) + "
    "coalesce((SELECT sum(CASE WHEN ?3 - leased > " SHARE_LEAST_MS " THEN ?3 - leased "
    "ELSE " SHARE_LEAST_MS " END) "
    "FROM jobs WHERE expires > 0 AND requester = name), 0) FROM names WHERE name IS NOT NULL) "
    "SELECT j.id FROM loads JOIN jobs j ON j.id = (SELECT w.id FROM jobs w "
    "WHERE w.expires = 0 AND w.requester = loads.requester AND w.urgency >= ?1 "
    "AND w.urgency < ?2 AND (?4 = 1 OR (w.long = 0 AND NOT loads.slow)) AND (w.kind & ?5) <> 0 "
    "ORDER BY w.urgency, w.id LIMIT 1) "
    "ORDER BY loads.used, j.urgency, j.id LIMIT 1";
