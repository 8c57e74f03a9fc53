/* See relay.h. */
#include "store/relay.h"

#include "store/store.h"
#include "store/transaction.h"

StoreResult store_relay_put(Store *store, StoreRelayKind kind, const StoreRelayEvent *events,
                            uint32_t count, Error *error) {
    /* ON CONFLICT does not name the key, because that would require the right to read it. */
    static const char *const put[RELAY_KINDS] = {
        [RELAY_MATCHES] = "INSERT INTO relay (topic, number, data, sent) VALUES (?1, ?2, ?3, ?4) "
                          "ON CONFLICT DO NOTHING",
        [RELAY_SEATS] = "INSERT INTO seat_relay (topic, number, data, sent) VALUES (?1, ?2, ?3, "
                        "?4) ON CONFLICT DO NOTHING"};
    Transaction transaction = transaction_beside(store, error);
    Value sent = as_number(store_now(store));
    for (uint32_t i = 0; i < count; i++)
        sql_send(&transaction, put[kind],
                 VALUES(as_text(events[i].topic), as_number((int64_t)events[i].number),
                        as_bytes(events[i].data), sent));
    return transaction_end(&transaction);
}

StoreResult store_relay_read(Store *store, StoreRelayKind kind, const char *topic, uint64_t after,
                             StoreRelayReader reader, uint32_t *count, Error *error) {
#define READ(table)                                                              \
 "SELECT number, data FROM " table " WHERE topic = ?1 AND number > ?2 ORDER BY " \
 "number LIMIT ?3"
    static const char *const read[RELAY_KINDS] = {
        [RELAY_MATCHES] = READ("relay"), [RELAY_SEATS] = READ("seat_relay")};
    Transaction transaction = transaction_read(store, error);
    sql_query(&transaction, read[kind],
              VALUES(as_text(topic), as_number((int64_t)after), as_number(*count)));
    *count = 0;
    while (sql_row(&transaction)) {
        uint64_t number = (uint64_t)database_number(transaction.database, 0);
        reader.take(reader.context, number, database_bytes(transaction.database, 1));
        ++*count;
    }
    return transaction_end(&transaction);
}

StoreResult store_relay_drop(Store *store, StoreRelayKind kind, const char *topic, uint64_t below,
                             Error *error) {
    static const char *const drop[RELAY_KINDS] = {
        [RELAY_MATCHES] = "DELETE FROM relay WHERE topic = ?1 AND number < ?2",
        [RELAY_SEATS] = "DELETE FROM seat_relay WHERE topic = ?1 AND number < ?2"};
    Transaction transaction = transaction_beside(store, error);
    int64_t number = below < INT64_MAX ? (int64_t)below : INT64_MAX;
    sql_run(&transaction, drop[kind], VALUES(as_text(topic), as_number(number)));
    return transaction_end(&transaction);
}

StoreResult store_relay_trim(Store *store, int64_t age, Error *error) {
#define TRIM(table)                                                                  \
 "DELETE FROM " table " WHERE topic IN (SELECT topic FROM " table " GROUP BY topic " \
 "HAVING max(sent) < ?1)"
    Transaction transaction = transaction_beside(store, error);
    sql_run(&transaction, TRIM("relay"), VALUES(as_number(store_now(store) - age)));
    sql_run(&transaction, TRIM("seat_relay"), VALUES(as_number(store_now(store) - age)));
    return transaction_end(&transaction);
}
