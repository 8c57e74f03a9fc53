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

void share_charge(Transaction *transaction, const char *requester, int64_t used) {
    sql_send(transaction,
             "INSERT INTO shares AS s (requester, part, used, time) VALUES (?1, " SHARE_PART
             ", ?2, ?3) " SHARE_ADD,
             VALUES(as_text(requester), as_number(used > 0 ? used : 0),
                    as_number(store_now(transaction->store))));
}

void share_forget(Transaction *transaction) {
    sql_send(transaction,
             "DELETE FROM shares WHERE time < ?1 - " SHARE_FADES_MS
             " AND slow < ?1 - " SHARE_FADES_MS,
             VALUES(as_number(store_now(transaction->store))));
}

#define IS_SLOW SHARE_IS_SLOW("name", "?3")
#define LEFT SHARE_LEFT("?3")

/* The requesters are found by skipping through the index, so that a long queue of one of them costs
   nothing. Who has used how much matters only if several wait. MATERIALIZED keeps PostgreSQL from
   repeating subqueries. */
const char share_waiting[] =
    "WITH RECURSIVE names (name) AS (SELECT min(requester) FROM jobs WHERE expires = 0 "
    "UNION ALL SELECT (SELECT min(requester) FROM jobs WHERE expires = 0 AND requester > name) "
    "FROM names WHERE name IS NOT NULL), "
    "running (requester, used) AS MATERIALIZED (SELECT requester, "
    "sum(CASE WHEN ?3 - leased > " SHARE_LEAST_MS " THEN ?3 - leased ELSE " SHARE_LEAST_MS
    " END) FROM jobs WHERE expires > 0 "
    "AND (SELECT count(name) FROM names) > 1 GROUP BY requester), "
    "loads (requester, slow, used) AS MATERIALIZED (SELECT name, " IS_SLOW ", "
    "coalesce((SELECT sum(" LEFT ") FROM shares s WHERE s.requester = name), 0) + "
    "coalesce((SELECT used FROM running WHERE requester = name), 0) "
    "FROM names WHERE name IS NOT NULL), "
    "firsts (requester, slow, used, first) AS MATERIALIZED (SELECT requester, slow, used, "
    "(SELECT w.urgency << 48 | w.id FROM jobs w "
    "WHERE w.expires = 0 AND w.requester = loads.requester AND w.urgency >= ?1 "
    "AND w.urgency < ?2 AND (?4 = 1 OR (w.long = 0 AND NOT loads.slow)) AND (w.kind & ?5) <> 0 "
    "ORDER BY w.urgency, w.id LIMIT 1) FROM loads) "
    "SELECT requester, used, slow, first FROM firsts WHERE first IS NOT NULL "
    "ORDER BY used, first LIMIT ?6";
