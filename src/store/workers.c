/* See workers.h. */
#include "store/workers.h"

#include "store/internal.h"
#include "store/queue_internal.h"
#include "store/sql_enums.h"
#include "store/store.h"

/* With SQLite, the only worker is the process that reads the row, so it needs no heartbeats. */
int64_t workers_seen_since(const Store *store) {
    return database_is_uri(store->database) ? store_now(store) - WORKER_LOST_MS : 0;
}

/* Does not update `wanted`, because workers have no right to: see grants.c. */
StoreResult store_worker_beat(Store *store, StoreWorker *worker, const char *previous,
                              Error *error) {
    Transaction transaction = transaction_share(store, error);
    worker->seen = store_now(store);
    if (!worker->started)
        worker->started = worker->seen;
    transaction_check_length(&transaction, "the name of the machine", worker->machine,
                             STORE_MACHINE_SIZE);
    worker->wanted = (StoreWorkerWanted)sql_number(
        &transaction,
        "INSERT INTO workers (name, machine, kind, version, speed, runners, state, wanted, "
        "started, seen) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, "
        "coalesce((SELECT wanted FROM workers WHERE name = ?10), 0), ?8, ?9) "
        "ON CONFLICT (name) DO UPDATE SET machine = excluded.machine, kind = excluded.kind, "
        "version = excluded.version, speed = excluded.speed, runners = excluded.runners, "
        "state = excluded.state, started = excluded.started, seen = excluded.seen "
        "RETURNING wanted",
        VALUES(as_text(worker->name), as_text(worker->machine), as_number(worker->kind),
               as_text(worker->version), as_number(worker->speed), as_number(worker->runners),
               as_number(worker->state), as_number(worker->started), as_number(worker->seen),
               as_text(previous ? previous : "")));
    if (previous)
        sql_run(&transaction, "UPDATE workers SET state = ?2 WHERE name = ?1 AND name <> ?3",
                VALUES(as_text(previous), as_number(WORKER_STOPPED), as_text(worker->name)));
    /* Other rows may remain after a move from PostgreSQL. */
    if (!database_is_uri(store->database))
        sql_run(&transaction, "DELETE FROM workers WHERE name <> ?1",
                VALUES(as_text(worker->name)));
    transaction_relax(&transaction);
    return transaction_end(&transaction);
}

StoreResult store_worker_ask(Store *store, const char *name, StoreWorkerWanted wanted,
                             Error *error) {
    Transaction transaction = transaction_write(store, error);
    if (!sql_run(&transaction, "UPDATE workers SET wanted = ?2 WHERE name = ?1",
                 VALUES(as_text(name), as_number(wanted))))
        transaction_reject(&transaction, STORE_NOT_FOUND, "unknown worker \"%s\"", name);
    if (wanted == WANTED_BLOCK)
        queue_take_back(&transaction, name);
    /* Makes the worker check its jobs and `wanted`. */
    transaction_tell(&transaction, NEWS_CANCELLED);
    return transaction_end(&transaction);
}

/* ---- reading ---- */

static const Field fields[] = {
    TEXT_OF(StoreWorker, name),    TEXT_OF(StoreWorker, machine),   NUMBER_OF(StoreWorker, kind),
    TEXT_OF(StoreWorker, version), NUMBER_OF(StoreWorker, speed),   NUMBER_OF(StoreWorker, runners),
    NUMBER_OF(StoreWorker, state), NUMBER_OF(StoreWorker, wanted),  NUMBER_OF(StoreWorker, started),
    NUMBER_OF(StoreWorker, seen),  NUMBER_OF(StoreWorker, running), {0}};

#define COLUMNS                                                                                 \
 "SELECT name, machine, kind, version, speed, runners, state, wanted, started, seen, "          \
 "coalesce(h.running, 0) FROM workers LEFT JOIN (SELECT holder, count(*) AS running FROM jobs " \
 "WHERE expires > 0 GROUP BY holder) h ON h.holder = name "

static void read_worker(const Transaction *transaction, StoreWorker *worker) {
    *worker = (StoreWorker){0};
    row_read(transaction, 0, fields, worker);
    if (worker->state == WORKER_STOPPED)
        return;
    if (!database_is_uri(transaction->store->database))
        worker->seen = store_now(transaction->store);
    if (worker->seen < workers_seen_since(transaction->store))
        worker->state = WORKER_LOST;
}

StoreResult store_worker_get(Store *store, const char *name, StoreWorker *worker, Error *error) {
    Transaction transaction = transaction_read(store, error);
    sql_query(&transaction, COLUMNS "WHERE name = ?1", VALUES(as_text(name)));
    if (sql_row(&transaction))
        read_worker(&transaction, worker);
    else
        transaction_reject(&transaction, STORE_NOT_FOUND, "unknown worker \"%s\"", name);
    return transaction_end(&transaction);
}

StoreResult store_workers_list(Store *store, const char *after, StoreWorker *rows, uint32_t *count,
                               Error *error) {
    uint32_t most = *count;
    *count = 0;
    Transaction transaction = transaction_read(store, error);
    sql_query(&transaction,
              COLUMNS "WHERE name > ?1 AND (state <> ?2 OR wanted <> " SQL_WANTED_PLAY
                      ") ORDER BY name LIMIT ?3",
              VALUES(as_text(after), as_number(WORKER_STOPPED), as_number(most)));
    while (sql_row(&transaction))
        read_worker(&transaction, &rows[(*count)++]);
    return transaction_end(&transaction);
}

StoreResult store_workers_count(Store *store, uint32_t counts[WORKER_STATES], Error *error) {
    for (uint32_t i = 0; i < WORKER_STATES; i++)
        counts[i] = 0;
    Transaction transaction = transaction_read(store, error);
    sql_query(&transaction,
              "SELECT CASE WHEN seen < ?1 THEN ?2 ELSE state END, count(*) FROM workers "
              "WHERE state <> ?3 GROUP BY 1",
              VALUES(as_number(workers_seen_since(store)), as_number(WORKER_LOST),
                     as_number(WORKER_STOPPED)));
    while (sql_row(&transaction)) {
        int64_t state = database_number(transaction.database, 0);
        if (state >= 0 && state < WORKER_STATES)
            counts[state] += (uint32_t)database_number(transaction.database, 1);
    }
    return transaction_end(&transaction);
}

StoreResult store_workers_jobs(Store *store, const char *from, const char *to, StoreHeldJob *rows,
                               uint32_t *count, Error *error) {
    static const Field job_fields[] = {TEXT_OF(StoreHeldJob, holder),
                                       NUMBER_OF(StoreHeldJob, id),
                                       NUMBER_OF(StoreHeldJob, kind),
                                       NUMBER_OF(StoreHeldJob, subject),
                                       NUMBER_OF(StoreHeldJob, leased),
                                       NUMBER_OF(StoreHeldJob, progressed),
                                       {0}};
    uint32_t most = *count;
    *count = 0;
    Transaction transaction = transaction_read(store, error);
    sql_query(&transaction,
              "SELECT holder, id, kind, coalesce(match, version), leased, CASE WHEN progressed >= "
              "leased THEN progressed ELSE 0 END FROM jobs WHERE expires > 0 AND holder >= ?1 "
              "AND holder <= ?2 ORDER BY holder, leased, id LIMIT ?3",
              VALUES(as_text(from), as_text(to), as_number(most)));
    while (sql_row(&transaction)) {
        rows[*count] = (StoreHeldJob){0};
        row_read(&transaction, 0, job_fields, &rows[(*count)++]);
    }
    return transaction_end(&transaction);
}

StoreResult store_workers_fit(Store *store, uint32_t speed_min, uint32_t speed_max, bool *fit,
                              Error *error) {
    Transaction transaction = transaction_read(store, error);
    *fit = sql_number(
        &transaction,
        "SELECT EXISTS (SELECT 1 FROM workers WHERE " WORKER_FITS("?1", "?2", "?3") ")",
        VALUES(as_number(speed_min), as_number(speed_max), as_number(workers_seen_since(store))));
    return transaction_end(&transaction);
}

/* ---- housekeeping ---- */

enum {
    KEPT_MS = 24 * 3600 * 1000,
    ASKED_KEPT_DAYS = 30, /* for workers that should drain or are blocked */
};

void workers_forget(Transaction *transaction) {
    int64_t now = store_now(transaction->store);
    if (database_is_uri(transaction->store->database))
        sql_run(
            transaction,
            "DELETE FROM workers WHERE seen < CASE WHEN wanted = " SQL_WANTED_PLAY
            " THEN ?1 ELSE ?2 END",
            VALUES(as_number(now - KEPT_MS), as_number(now - (int64_t)ASKED_KEPT_DAYS * KEPT_MS)));
}
