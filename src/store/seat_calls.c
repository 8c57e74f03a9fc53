/* See seat_calls.h. */
#include "store/seat_calls.h"

#include "store/internal.h"
#include "store/store.h"

#include <inttypes.h>
#include <stdio.h>

enum { CALL_KEPT_MS = 60000, SEAT_KEPT_MS = 600000 };

void store_seat_topic(Slice secret, char topic[SEAT_TOPIC_SIZE]) {
    char hash[SECRET_SIZE];
    secret_hash(secret, hash);
    snprintf(topic, SEAT_TOPIC_SIZE, "seat-%.48s", hash);
}

StoreResult store_seats_renew(Store *store, const StoreRemoteSeat *seats, uint32_t count,
                              Error *error) {
    Transaction transaction = transaction_beside(store, error);
    for (uint32_t i = 0; i < count; i++)
        sql_send(&transaction,
                 "INSERT INTO remote_seats (topic, match, account, seen) VALUES (?1, ?2, ?3, ?4) "
                 "ON CONFLICT (topic) DO UPDATE SET seen = excluded.seen",
                 VALUES(as_text(seats[i].topic), as_number((int64_t)seats[i].match),
                        as_number((int64_t)seats[i].account), as_number(store_now(store))));
    return transaction_end(&transaction);
}

StoreResult store_seat_find(Store *store, const char *topic, StoreRemoteSeat *seat, Error *error) {
    static const Field fields[] = {TEXT_OF(StoreRemoteSeat, topic),
                                   NUMBER_OF(StoreRemoteSeat, match),
                                   NUMBER_OF(StoreRemoteSeat, account),
                                   NUMBER_OF(StoreRemoteSeat, seen),
                                   {0}};
    Transaction transaction = transaction_read(store, error);
    if (!sql_one(&transaction,
                 "SELECT topic, match, account, seen FROM remote_seats WHERE topic = ?1",
                 VALUES(as_text(topic)), fields, seat))
        transaction_reject(&transaction, STORE_NOT_FOUND, "unknown seat");
    return transaction_end(&transaction);
}

StoreResult store_seat_remove(Store *store, const char *topic, Error *error) {
    Transaction transaction = transaction_beside(store, error);
    sql_run(&transaction, "DELETE FROM remote_seats WHERE topic = ?1", VALUES(as_text(topic)));
    return transaction_end(&transaction);
}

StoreResult store_seat_ask(Store *store, const char *topic, Slice question, uint64_t *call,
                           Error *error) {
    Transaction transaction = transaction_beside(store, error);
    *call = (uint64_t)sql_number(
        &transaction,
        "INSERT INTO seat_calls (topic, question, asked) "
        "VALUES (?1, ?2, ?3) RETURNING id",
        VALUES(as_text(topic), as_bytes(question), as_number(store_now(store))));
    return transaction_end(&transaction);
}

StoreResult store_seat_take_answer(Store *store, uint64_t call, uint32_t *answer, Error *error) {
    Transaction transaction = transaction_beside(store, error);
    int64_t found = sql_number(
        &transaction,
        "DELETE FROM seat_calls WHERE id = ?1 AND answer IS NOT NULL RETURNING answer + 1",
        VALUES(as_id(call)));
    if (!found)
        transaction_reject(&transaction, STORE_NOT_FOUND, "not answered yet");
    *answer = found ? (uint32_t)(found - 1) : 0;
    return transaction_end(&transaction);
}

StoreResult store_seat_give_up(Store *store, uint64_t call, Error *error) {
    Transaction transaction = transaction_beside(store, error);
    sql_run(&transaction, "DELETE FROM seat_calls WHERE id = ?1", VALUES(as_id(call)));
    return transaction_end(&transaction);
}

StoreResult store_seat_calls(Store *store, uint64_t after, StoreSeatCall *calls, uint32_t *count,
                             Error *error) {
    static const Field fields[] = {
        NUMBER_OF(StoreSeatCall, id), TEXT_OF(StoreSeatCall, topic), {0}};
    Transaction transaction = transaction_read(store, error);
    uint32_t got = 0;
    sql_query(&transaction,
              "SELECT id, topic, question FROM seat_calls WHERE answer IS NULL AND id > ?1 "
              "ORDER BY id LIMIT ?2",
              VALUES(as_number((int64_t)after), as_number(*count)));
    while (sql_row(&transaction)) {
        StoreSeatCall *call = &calls[got++];
        *call = (StoreSeatCall){0};
        row_read(&transaction, 0, fields, call);
        Slice question = database_bytes(transaction.database, 2);
        buffer_add(&call->question, question.at, question.length);
    }
    *count = got;
    return transaction_end(&transaction);
}

StoreResult store_seat_answer(Store *store, uint64_t call, uint32_t answer, Error *error) {
    Transaction transaction = transaction_beside(store, error);
    sql_run(&transaction, "UPDATE seat_calls SET answer = ?2 WHERE id = ?1",
            VALUES(as_id(call), as_number(answer)));
    return transaction_end(&transaction);
}

StoreResult store_seats_trim(Store *store, Error *error) {
    Transaction transaction = transaction_beside(store, error);
    sql_run(&transaction, "DELETE FROM seat_calls WHERE asked < ?1",
            VALUES(as_number(store_now(store) - CALL_KEPT_MS)));
    sql_run(&transaction, "DELETE FROM remote_seats WHERE seen < ?1",
            VALUES(as_number(store_now(store) - SEAT_KEPT_MS)));
    return transaction_end(&transaction);
}
