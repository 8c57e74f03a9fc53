/* See usage.h. */
#include "store/usage.h"

#include "store/internal.h"
#include "store/sql_enums.h"
#include "store/store.h"

#include <inttypes.h>

StoreResult store_usage(Store *store, uint64_t owner, StoreUsage *usage, Error *error) {
    Transaction transaction = transaction_read(store, error);
    usage->sources = sql_number(
        &transaction,
        "SELECT coalesce(sum(size), 0) FROM (SELECT DISTINCT v.source, v.size FROM bots b "
        "JOIN versions v ON v.bot = b.id WHERE b.owner = ?1 AND v.source <> '') AS files",
        VALUES(as_id(owner)));
    usage->builds = sql_number(&transaction,
                               "SELECT coalesce(sum(v.build_bytes), 0) FROM bots b "
                               "JOIN versions v ON v.bot = b.id WHERE b.owner = ?1",
                               VALUES(as_id(owner)));
    usage->most = sql_number(&transaction, "SELECT disk_max FROM accounts WHERE id = ?1",
                             VALUES(as_id(owner)));
    return transaction_end(&transaction);
}

StoreResult store_usage_allow(Store *store, uint64_t owner, int64_t bytes, Error *error) {
    Transaction transaction = transaction_write(store, error);
    sql_run(&transaction, "UPDATE accounts SET disk_max = ?2 WHERE id = ?1",
            VALUES(as_id(owner), as_number(bytes)));
    return transaction_end(&transaction);
}

StoreResult store_usage_added(Store *store, uint64_t owner, int64_t since, uint32_t *count,
                              Error *error) {
    Transaction transaction = transaction_read(store, error);
    *count = (uint32_t)sql_number(&transaction,
                                  "SELECT count(*) FROM bots b JOIN versions v ON v.bot = b.id "
                                  "WHERE b.owner = ?1 AND v.created > ?2",
                                  VALUES(as_id(owner), as_number(since)));
    return transaction_end(&transaction);
}

StoreResult store_usage_set_build(Store *store, uint64_t version, int64_t bytes, Error *error) {
    Transaction transaction = transaction_write(store, error);
    sql_run(&transaction,
            "UPDATE versions SET build_bytes = ?2 WHERE id = ?1 AND build_bytes <> ?2",
            VALUES(as_id(version), as_number(bytes)));
    return transaction_end(&transaction);
}

StoreResult store_usage_of_build(Store *store, uint64_t version, int64_t *bytes, Error *error) {
    Transaction transaction = transaction_read(store, error);
    *bytes = sql_number(&transaction, "SELECT build_bytes FROM versions WHERE id = ?1",
                        VALUES(as_id(version)));
    return transaction_end(&transaction);
}

StoreResult store_usage_builds(Store *store, uint64_t after, uint64_t *ids, uint32_t *count,
                               Error *error) {
    uint32_t most = *count;
    *count = 0;
    Transaction transaction = transaction_read(store, error);
    sql_query(&transaction,
              "SELECT id FROM versions WHERE build_bytes > 0 AND id > ?1 ORDER BY id LIMIT ?2",
              VALUES(as_id(after), as_number(most)));
    while (*count < most && sql_row(&transaction))
        ids[(*count)++] = (uint64_t)database_number(transaction.database, 0);
    return transaction_end(&transaction);
}

/* A condition: version `v` plays, or may play soon, for a reason other than being active. A check
   does not prevent its deletion. */
#define PLAYS_SOMEWHERE                                                                       \
 "(EXISTS (SELECT 1 FROM jobs WHERE version = v.id AND kind = " SQL_JOB_BUILD ") "            \
 "OR EXISTS (SELECT 1 FROM jobs j JOIN seats s ON s.match = j.match WHERE s.version = v.id) " \
 "OR EXISTS (SELECT 1 FROM entrants e JOIN tournaments t ON t.id = e.tournament "             \
 "WHERE e.bot = v.bot AND e.version = v.id "                                                  \
 "AND t.state IN (" SQL_TOURNAMENT_OPEN ", " SQL_TOURNAMENT_RUNNING ")))"

StoreResult store_usage_needs_build(Store *store, uint64_t version, bool *needed, Error *error) {
    Transaction transaction = transaction_read(store, error);
    *needed = sql_number(&transaction,
                         "SELECT b.active IS NOT DISTINCT FROM v.id OR " PLAYS_SOMEWHERE
                         " OR EXISTS (SELECT 1 FROM jobs WHERE version = v.id) "
                         "FROM versions v JOIN bots b ON b.id = v.bot WHERE v.id = ?1",
                         VALUES(as_id(version))) != 0;
    return transaction_end(&transaction);
}

StoreResult store_usage_delete(Store *store, uint64_t version, Error *error) {
    Transaction transaction = transaction_write(store, error);
    if (!sql_run(&transaction,
                 "UPDATE versions SET source = '', spec = '' WHERE id = ?1 AND id IN (SELECT v.id "
                 "FROM versions v JOIN bots b ON b.id = v.bot WHERE v.id = ?1 "
                 "AND b.active IS DISTINCT FROM v.id AND NOT " PLAYS_SOMEWHERE ")",
                 VALUES(as_id(version))))
        transaction_reject(&transaction, STORE_CONFLICT,
                           "version %" PRIu64 " is active, waits for a match or plays in a "
                           "tournament; activate another version first, or wait",
                           version);
    sql_run(&transaction, "DELETE FROM jobs WHERE version = ?1 AND kind = " SQL_JOB_CHECK,
            VALUES(as_id(version)));
    return transaction_end(&transaction);
}

StoreResult store_usage_forget(Store *store, uint32_t limit, uint32_t *count, Error *error) {
    Transaction transaction = transaction_write(store, error);
    *count = (uint32_t)sql_run(
        &transaction,
        "UPDATE versions SET source = '', spec = '' WHERE id IN (SELECT v.id FROM bots b "
        "JOIN versions v ON v.bot = b.id WHERE b.retired = 1 AND v.source <> '' "
        "AND NOT " PLAYS_SOMEWHERE " LIMIT ?1)",
        VALUES(as_number(limit)));
    return transaction_end(&transaction);
}
