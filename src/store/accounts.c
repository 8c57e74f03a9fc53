/* See accounts.h. */
#include "store/accounts.h"

#include "store/internal.h"
#include "store/queue_internal.h"
#include "store/sql_enums.h"
#include "store/store.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const Field fields[] = {
    NUMBER_OF(StoreAccount, id),       TEXT_OF(StoreAccount, name),
    NUMBER_OF(StoreAccount, role),     NUMBER_OF(StoreAccount, state),
    NUMBER_OF(StoreAccount, created),  NUMBER_OF(StoreAccount, temporary),
    NUMBER_OF(StoreAccount, disk_max), {0}};

#define COLUMNS "id, name, role, state, created, temporary, disk_max"

static void missing(Transaction *transaction, uint64_t id) {
    transaction_reject(transaction, STORE_NOT_FOUND, "unknown account %" PRIu64, id);
}

StoreResult store_account_add(Store *store, const StoreNewAccount *account, uint64_t *id,
                              Error *error) {
    if (!store_name_check("an account", slice_of(account->name), error))
        return STORE_REJECTED;
    char key[STORE_NAME_SIZE];
    store_name_key(slice_of(account->name), key);
    char look[STORE_NAME_SIZE];
    store_name_look(slice_of(account->name), look);
    Transaction transaction = transaction_write(store, error);
    if (sql_number(&transaction,
                   "SELECT count(*) FROM accounts WHERE "
                   "replace(replace(replace(name_key, '0', 'o'), '1', 'l'), 'i', 'l') = ?1",
                   VALUES(as_text(look))))
        transaction_reject(
            &transaction, STORE_CONFLICT,
            "the name \"%s\" is taken or looks like one that is; choose another name",
            account->name);
    StoreRole role =
        account->invitation ? invitation_use(&transaction, account->invitation) : account->role;
    uint64_t made = (uint64_t)sql_number(
        &transaction,
        "INSERT INTO accounts (name, name_key, password, role, state, created, temporary) "
        "VALUES (?1, ?2, ?3, ?4, " SQL_ACCOUNT_ACTIVE ", ?5, ?6) RETURNING id",
        VALUES(as_text(account->name), as_text(key), as_text(account->password), as_number(role),
               as_number(store_now(store)), as_number(account->temporary)));
    transaction_explain(&transaction, STORE_CONFLICT,
                        "the name \"%s\" is taken; choose another name", account->name);
    StoreResult result = transaction_end(&transaction);
    if (result == STORE_OK && id)
        *id = made;
    return result;
}

StoreResult store_account_get(Store *store, uint64_t id, StoreAccount *account, Error *error) {
    Transaction transaction = transaction_read(store, error);
    if (!sql_one(&transaction, "SELECT " COLUMNS " FROM accounts WHERE id = ?1", VALUES(as_id(id)),
                 fields, account))
        missing(&transaction, id);
    return transaction_end(&transaction);
}

StoreResult store_account_find(Store *store, Slice name, StoreAccount *account, Error *error) {
    char key[STORE_NAME_SIZE] = "";
    if (store_name_check("an account", name, NULL))
        store_name_key(name, key);
    Transaction transaction = transaction_read(store, error);
    if (!sql_one(&transaction, "SELECT " COLUMNS " FROM accounts WHERE name_key = ?1",
                 VALUES(as_text(key)), fields, account))
        transaction_reject(&transaction, STORE_NOT_FOUND, "unknown account \"%.*s\"",
                           SLICE_ARGS(name));
    return transaction_end(&transaction);
}

StoreResult store_accounts_list(Store *store, StorePage *page, StoreAccount *rows, Error *error) {
    return store_list(store,
                      "SELECT " COLUMNS ", id, id FROM accounts WHERE id < ?2 "
                      "ORDER BY id DESC LIMIT ?3",
                      NULL, 0, fields, page, rows, sizeof *rows, error);
}

StoreResult store_accounts_search(Store *store, Slice text, bool active_only, StorePage *page,
                                  StoreAccount *rows, Error *error) {
    char pattern[SEARCH_SIZE];
    search_pattern(text, pattern);
    return store_list(store,
                      active_only ? "SELECT " COLUMNS ", id, id FROM accounts WHERE id < ?2 "
                                    "AND state = " SQL_ACCOUNT_ACTIVE
                                    " AND name_key LIKE ?4 ORDER BY id DESC LIMIT ?3"
                                  : "SELECT " COLUMNS ", id, id FROM accounts WHERE id < ?2 "
                                    "AND name_key LIKE ?4 ORDER BY id DESC LIMIT ?3",
                      VALUES(as_text(pattern)), fields, page, rows, sizeof *rows, error);
}

StoreResult store_account_password(Store *store, uint64_t id, Buffer *hash, Error *error) {
    Transaction transaction = transaction_read(store, error);
    if (!sql_text(&transaction, "SELECT password FROM accounts WHERE id = ?1", VALUES(as_id(id)),
                  hash))
        missing(&transaction, id);
    return transaction_end(&transaction);
}

StoreResult store_account_set_password(Store *store, uint64_t id, const char *hash, bool temporary,
                                       Slice keep, Error *error) {
    char kept[SECRET_SIZE] = "";
    if (keep.length)
        secret_hash(keep, kept);
    Transaction transaction = transaction_write(store, error);
    if (!sql_run(&transaction,
                 "UPDATE accounts SET password = ?2, temporary = ?3 "
                 "WHERE id = ?1 AND state <> " SQL_ACCOUNT_DELETED,
                 VALUES(as_id(id), as_text(hash), as_number(temporary))))
        missing(&transaction, id);
    sql_run(&transaction, "DELETE FROM sessions WHERE account = ?1 AND secret <> ?2",
            VALUES(as_id(id), as_text(kept)));
    sql_run(&transaction, "DELETE FROM tokens WHERE account = ?1", VALUES(as_id(id)));
    return transaction_end(&transaction);
}

StoreResult store_account_rehash(Store *store, uint64_t id, const char *old, const char *hash,
                                 Error *error) {
    Transaction transaction = transaction_write(store, error);
    if (!sql_run(&transaction, "UPDATE accounts SET password = ?3 WHERE id = ?1 AND password = ?2",
                 VALUES(as_id(id), as_text(old), as_text(hash))))
        missing(&transaction, id);
    return transaction_end(&transaction);
}

/* ---- roles and states ---- */

/* Rejects a change that has left no active administrator. Call it after the change, in the same
   transaction. An arena that never had an administrator does not need one. */
static void keep_an_administrator(Transaction *transaction, bool was_one) {
    if (was_one && !sql_number(transaction,
                               "SELECT count(*) FROM accounts WHERE role = " SQL_ROLE_ADMINISTRATOR
                               " AND state = " SQL_ACCOUNT_ACTIVE,
                               NULL, 0))
        transaction_reject(transaction, STORE_REJECTED,
                           "this is the last administrator; make another account one first");
}

/* Whether the account is an active administrator. It must exist and not be deleted. */
static bool is_administrator(Transaction *transaction, uint64_t id) {
    StoreAccount account = {0};
    if (!sql_one(transaction,
                 "SELECT " COLUMNS " FROM accounts WHERE id = ?1 AND state <> " SQL_ACCOUNT_DELETED,
                 VALUES(as_id(id)), fields, &account))
        missing(transaction, id);
    return account.role == ROLE_ADMINISTRATOR && account.state == ACCOUNT_ACTIVE;
}

StoreResult store_account_set_role(Store *store, uint64_t id, StoreRole role, Error *error) {
    Transaction transaction = transaction_write(store, error);
    bool was_one = is_administrator(&transaction, id);
    sql_run(&transaction, "UPDATE accounts SET role = ?2 WHERE id = ?1",
            VALUES(as_id(id), as_number(role)));
    keep_an_administrator(&transaction, was_one);
    return transaction_end(&transaction);
}

/* Cancels the account's jobs and withdraws its bots. */
static void stop_work(Transaction *transaction, uint64_t id) {
    uint64_t bot = 0;
    while ((bot = (uint64_t)sql_number(
                transaction, "SELECT id FROM bots WHERE owner = ?1 AND id > ?2 ORDER BY id LIMIT 1",
                VALUES(as_id(id), as_number((int64_t)bot)))))
        bot_withdraw(transaction, bot);
    queue_drop_requester(transaction, id);
}

StoreResult store_account_suspend(Store *store, uint64_t id, bool suspended, Error *error) {
    Transaction transaction = transaction_write(store, error);
    bool was_one = is_administrator(&transaction, id);
    sql_run(&transaction, "UPDATE accounts SET state = ?2 WHERE id = ?1",
            VALUES(as_id(id), as_number(suspended ? ACCOUNT_SUSPENDED : ACCOUNT_ACTIVE)));
    if (suspended)
        stop_work(&transaction, id);
    keep_an_administrator(&transaction, was_one);
    return transaction_end(&transaction);
}

/* ---- deleting ---- */

/* Statements that delete what belongs to an account, ordered so that no reference breaks. ?1 is the
   account. */
static const char *const deletions[] = {
    "DELETE FROM sessions WHERE account = ?1",
    "DELETE FROM tokens WHERE account = ?1",
    "DELETE FROM known_addresses WHERE account = ?1",
    "DELETE FROM invitations WHERE creator = ?1",
    "UPDATE match_texts SET logs = '' WHERE logs <> '' "
    "AND match IN (SELECT id FROM matches WHERE requester = ?1)",
    "UPDATE seats SET label = '" DELETED_LABEL "' WHERE bot IS NULL AND label <> 'draft' "
    "AND match IN (SELECT id FROM matches WHERE requester = ?1)",
    "DELETE FROM rating_points WHERE bot IN (SELECT id FROM bots WHERE owner = ?1)",
    "DELETE FROM checks WHERE version IN (SELECT v.id FROM versions v JOIN bots b ON b.id = v.bot "
    "WHERE b.owner = ?1)",
    "DELETE FROM analyses WHERE requester = ?1",
    "UPDATE versions SET source = '', product = '', spec = '', log = '', file_name = '' "
    "WHERE bot IN (SELECT id FROM bots WHERE owner = ?1)",
    "UPDATE bots SET name = '" DELETED_PREFIX
    "' || id, name_key = NULL, retired = 1, published = 0, "
    "active = NULL WHERE owner = ?1",
    "UPDATE accounts SET name = '" DELETED_PREFIX "' || id, name_key = '" DELETED_PREFIX
    "' || id, password = '', "
    "role = " SQL_ROLE_PLAYER ", state = " SQL_ACCOUNT_DELETED " WHERE id = ?1",
};

StoreResult store_account_delete(Store *store, uint64_t id, Error *error) {
    Transaction transaction = transaction_write(store, error);
    bool was_one = is_administrator(&transaction, id);
    stop_work(&transaction, id);
    for (size_t i = 0; i < sizeof deletions / sizeof *deletions; i++)
        sql_run(&transaction, deletions[i], VALUES(as_id(id)));
    keep_an_administrator(&transaction, was_one);
    return transaction_end(&transaction);
}
