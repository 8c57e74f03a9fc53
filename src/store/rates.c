/* See rates.h. */
#include "store/rates.h"

#include "store/internal.h"
#include "store/store.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

static void hash_name(const StoreRate *rate, char hash[SECRET_SIZE]) {
    char name[64];
    snprintf(name, sizeof name, "%s %" PRIu64, rate->limit, rate->key);
    secret_hash(slice_of(name), hash);
}

StoreResult store_rate_take(Store *store, const StoreRate *rate, int64_t *wait, Error *error) {
    assert(rate->token > 0 && rate->room >= rate->token);
    char name[SECRET_SIZE];
    int64_t now = store_now(store);
    /* A bucket that has a token is full again by then. */
    int64_t most = now + rate->room - rate->token;
    hash_name(rate, name);
    *wait = 0;
    Transaction transaction = transaction_beside(store, error);
    int64_t taken = sql_run(
        &transaction,
        "INSERT INTO rates (name, full_at) VALUES (?1, ?2 + ?3) ON CONFLICT (name) DO UPDATE SET "
        "full_at = CASE WHEN rates.full_at > ?2 THEN rates.full_at ELSE ?2 END + ?3 "
        "WHERE rates.full_at <= ?4",
        VALUES(as_text(name), as_number(now), as_number(rate->token), as_number(most)));
    if (!taken) {
        /* A bucket can take longer to fill than an empty one only if the clock was set back. */
        sql_run(&transaction, "UPDATE rates SET full_at = ?2 WHERE name = ?1 AND full_at > ?2",
                VALUES(as_text(name), as_number(now + rate->room)));
        int64_t full = sql_number(&transaction, "SELECT full_at FROM rates WHERE name = ?1",
                                  VALUES(as_text(name)));
        *wait = full > most ? full - most : 1;
    }
    return transaction_end(&transaction);
}

StoreResult store_rate_give_back(Store *store, const StoreRate *rate, Error *error) {
    char name[SECRET_SIZE];
    hash_name(rate, name);
    Transaction transaction = transaction_beside(store, error);
    sql_run(&transaction, "UPDATE rates SET full_at = full_at - ?2 WHERE name = ?1",
            VALUES(as_text(name), as_number(rate->token)));
    return transaction_end(&transaction);
}

StoreResult store_rates_trim(Store *store, Error *error) {
    Transaction transaction = transaction_beside(store, error);
    sql_run(&transaction, "DELETE FROM rates WHERE full_at <= ?1",
            VALUES(as_number(store_now(store))));
    return transaction_end(&transaction);
}
