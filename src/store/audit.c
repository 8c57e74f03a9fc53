/* See audit.h. */
#include "store/audit.h"

#include "store/internal.h"
#include "store/store.h"

static const Field fields[] = {
    NUMBER_OF(StoreAudit, id),       NUMBER_OF(StoreAudit, time),  NUMBER_OF(StoreAudit, actor),
    TEXT_OF(StoreAudit, actor_name), TEXT_OF(StoreAudit, action),  TEXT_OF(StoreAudit, subject),
    TEXT_OF(StoreAudit, detail),     TEXT_OF(StoreAudit, address), {0}};

#define SELECT                                                                         \
 "SELECT l.id, l.time, l.actor, coalesce(a.name, ''), l.action, l.subject, l.detail, " \
 "l.address, l.id, l.id FROM audit l LEFT JOIN accounts a ON a.id = l.actor "

StoreResult store_audit_add(Store *store, const StoreAudit *entry, Error *error) {
    Transaction transaction = transaction_write(store, error);
    sql_run(&transaction,
            "INSERT INTO audit (time, actor, action, subject, detail, address) "
            "VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            VALUES(as_number(store_now(store)), as_id(entry->actor), as_text(entry->action),
                   as_text(entry->subject), as_text(entry->detail), as_text(entry->address)));
    transaction_explain(&transaction, STORE_NOT_FOUND, "unknown account");
    return transaction_end(&transaction);
}

StoreResult store_audit_list(Store *store, uint64_t actor, StorePage *page, StoreAudit *rows,
                             Error *error) {
    static const char all[] = SELECT "WHERE l.id < ?2 ORDER BY l.id DESC LIMIT ?3";
    static const char of_actor[] =
        SELECT "WHERE l.actor = ?4 AND l.id < ?2 ORDER BY l.id DESC LIMIT ?3";
    return store_list(store, actor ? of_actor : all, (const Value[]){as_id(actor)}, actor ? 1 : 0,
                      fields, page, rows, sizeof *rows, error);
}

StoreResult store_audit_trim(Store *store, int64_t before, Error *error) {
    Transaction transaction = transaction_write(store, error);
    sql_run(&transaction, "DELETE FROM audit WHERE time < ?1", VALUES(as_number(before)));
    return transaction_end(&transaction);
}

StoreResult store_setting_get(Store *store, const char *name, Buffer *value, Error *error) {
    Transaction transaction = transaction_read(store, error);
    if (!sql_text(&transaction, "SELECT value FROM settings WHERE name = ?1", VALUES(as_text(name)),
                  value))
        transaction_reject(&transaction, STORE_NOT_FOUND, "%s is not set", name);
    return transaction_end(&transaction);
}

StoreResult store_setting_default(Store *store, const char *name, const char *value, Error *error) {
    Transaction transaction = transaction_write(store, error);
    sql_run(&transaction,
            "INSERT INTO settings (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO NOTHING",
            VALUES(as_text(name), as_text(value)));
    return transaction_end(&transaction);
}

StoreResult store_setting_set(Store *store, const char *name, const char *value, Error *error) {
    Transaction transaction = transaction_write(store, error);
    if (value)
        sql_run(&transaction,
                "INSERT INTO settings (name, value) VALUES (?1, ?2) "
                "ON CONFLICT (name) DO UPDATE SET value = excluded.value",
                VALUES(as_text(name), as_text(value)));
    else
        sql_run(&transaction, "DELETE FROM settings WHERE name = ?1", VALUES(as_text(name)));
    return transaction_end(&transaction);
}
