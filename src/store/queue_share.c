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

const char share_waiting[] =
    SHARE_FIRSTS("", "?6", "?8") "SELECT requester, used, slow, first FROM firsts "
                                 "WHERE first IS NOT NULL ORDER BY used, first LIMIT ?7";
