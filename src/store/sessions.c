/* See sessions.h. */
#include "store/sessions.h"

#include "store/internal.h"
#include "store/sql_enums.h"
#include "store/store.h"

#include <inttypes.h>
#include <sodium.h>

void secret_hash(Slice secret, char hash[SECRET_SIZE]) {
    unsigned char bytes[(SECRET_SIZE - 1) / 2];
    crypto_generichash(bytes, sizeof bytes, (const unsigned char *)secret.at, secret.length, NULL,
                       0);
    sodium_bin2hex(hash, SECRET_SIZE, bytes, sizeof bytes);
}

/* The account's columns, which follow those of the session or token. */
#define ACCOUNT_COLUMNS "a.id, a.name, a.role, a.state, a.created, a.temporary"

static const Field account_fields[] = {NUMBER_OF(StoreAccount, id),
                                       TEXT_OF(StoreAccount, name),
                                       NUMBER_OF(StoreAccount, role),
                                       NUMBER_OF(StoreAccount, state),
                                       NUMBER_OF(StoreAccount, created),
                                       NUMBER_OF(StoreAccount, temporary),
                                       {0}};

/* Adds a row with a secret. The statement must return the id. */
static StoreResult add(Transaction *transaction, const char *sql, const Value *values, size_t count,
                       const char *taken, uint64_t *id) {
    uint64_t made = (uint64_t)sql_number(transaction, sql, values, count);
    transaction_explain(transaction, STORE_CONFLICT, "%s", taken);
    transaction_explain(transaction, STORE_NOT_FOUND, "unknown account");
    StoreResult result = transaction_end(transaction);
    if (result == STORE_OK && id)
        *id = made;
    return result;
}

/* Finds a valid row and its account by a secret. */
static StoreResult find(Store *store, const char *sql, const Value *values, size_t count,
                        const Field *fields, void *found, StoreAccount *account, const char *none,
                        Error *error) {
    Transaction transaction = transaction_read(store, error);
    sql_query(&transaction, sql, values, count);
    if (sql_row(&transaction)) {
        int column = row_read(&transaction, 0, fields, found);
        if (account)
            row_read(&transaction, column, account_fields, account);
    } else {
        transaction_reject(&transaction, STORE_NOT_FOUND, "%s", none);
    }
    return transaction_end(&transaction);
}

/* ---- sessions ---- */

static const Field session_fields[] = {
    NUMBER_OF(StoreSession, id),      NUMBER_OF(StoreSession, account),
    NUMBER_OF(StoreSession, created), NUMBER_OF(StoreSession, expires),
    TEXT_OF(StoreSession, address),   {0}};

#define SESSION_COLUMNS "s.id, s.account, s.created, s.expires, s.address"

StoreResult store_session_add(Store *store, uint64_t account, Slice secret, const char *address,
                              int64_t expires, uint64_t *id, Error *error) {
    char hash[SECRET_SIZE];
    secret_hash(secret, hash);
    Transaction transaction = transaction_write(store, error);
    return add(&transaction,
               "INSERT INTO sessions (secret, account, address, created, expires) "
               "VALUES (?1, ?2, ?3, ?4, ?5) RETURNING id",
               VALUES(as_text(hash), as_id(account), as_text(address), as_number(store_now(store)),
                      as_number(expires)),
               "a session with this secret already exists", id);
}

StoreResult store_session_find(Store *store, Slice secret, StoreSession *session,
                               StoreAccount *account, Error *error) {
    StoreSession unused;
    char hash[SECRET_SIZE];
    secret_hash(secret, hash);
    return find(store,
                "SELECT " SESSION_COLUMNS ", " ACCOUNT_COLUMNS
                " FROM sessions s JOIN accounts a ON a.id = s.account "
                "WHERE s.secret = ?1 AND s.expires > ?2 AND a.state = " SQL_ACCOUNT_ACTIVE,
                VALUES(as_text(hash), as_number(store_now(store))), session_fields,
                session ? session : &unused, account, "this session has ended", error);
}

StoreResult store_sessions_list(Store *store, uint64_t account, StorePage *page, StoreSession *rows,
                                Error *error) {
    return store_list(store,
                      "SELECT " SESSION_COLUMNS ", s.id, s.id FROM sessions s "
                      "WHERE s.account = ?4 AND s.id < ?2 AND s.expires > ?5 "
                      "ORDER BY s.id DESC LIMIT ?3",
                      VALUES(as_id(account), as_number(store_now(store))), session_fields, page,
                      rows, sizeof *rows, error);
}

StoreResult store_session_renew(Store *store, uint64_t id, int64_t expires, Error *error) {
    Transaction transaction = transaction_write(store, error);
    if (!sql_run(&transaction, "UPDATE sessions SET expires = ?2 WHERE id = ?1 AND expires > ?3",
                 VALUES(as_id(id), as_number(expires), as_number(store_now(store)))))
        transaction_reject(&transaction, STORE_NOT_FOUND, "unknown session %" PRIu64, id);
    return transaction_end(&transaction);
}

StoreResult store_session_end(Store *store, uint64_t account, uint64_t id, Error *error) {
    Transaction transaction = transaction_write(store, error);
    int64_t ended =
        id ? sql_run(&transaction, "DELETE FROM sessions WHERE account = ?1 AND id = ?2",
                     VALUES(as_id(account), as_id(id)))
           : sql_run(&transaction, "DELETE FROM sessions WHERE account = ?1",
                     VALUES(as_id(account)));
    if (!ended && id)
        transaction_reject(&transaction, STORE_NOT_FOUND, "unknown session %" PRIu64, id);
    return transaction_end(&transaction);
}

/* ---- known addresses ---- */

StoreResult store_address_remember(Store *store, uint64_t account, const char *address,
                                   Error *error) {
    Transaction transaction = transaction_write(store, error);
    sql_run(&transaction,
            "INSERT INTO known_addresses (account, address, time) VALUES (?1, ?2, ?3) "
            "ON CONFLICT (account, address) DO UPDATE SET time = excluded.time",
            VALUES(as_id(account), as_text(address), as_number(store_now(store))));
    sql_run(&transaction,
            "DELETE FROM known_addresses WHERE account = ?1 AND address NOT IN (SELECT address "
            "FROM known_addresses WHERE account = ?1 ORDER BY time DESC LIMIT ?2)",
            VALUES(as_id(account), as_number(STORE_ADDRESSES_KEPT)));
    return transaction_end(&transaction);
}

StoreResult store_address_find(Store *store, uint64_t account, const char *address, int64_t since,
                               Error *error) {
    Transaction transaction = transaction_read(store, error);
    if (!sql_number(&transaction,
                    "SELECT count(*) FROM known_addresses WHERE account = ?1 AND address = ?2 "
                    "AND time >= ?3",
                    VALUES(as_id(account), as_text(address), as_number(since))))
        transaction_reject(&transaction, STORE_NOT_FOUND, "unknown address");
    return transaction_end(&transaction);
}

/* ---- tokens ---- */

static const Field token_fields[] = {NUMBER_OF(StoreToken, id),      NUMBER_OF(StoreToken, account),
                                     TEXT_OF(StoreToken, name),      NUMBER_OF(StoreToken, scopes),
                                     NUMBER_OF(StoreToken, created), NUMBER_OF(StoreToken, expires),
                                     NUMBER_OF(StoreToken, used),    {0}};

#define TOKEN_COLUMNS "t.id, t.account, t.name, t.scopes, t.created, t.expires, t.used"

StoreResult store_token_add(Store *store, const StoreToken *token, Slice secret, uint64_t *id,
                            Error *error) {
    char hash[SECRET_SIZE];
    secret_hash(secret, hash);
    Transaction transaction = transaction_write(store, error);
    /* A new token replaces an expired one with the same name. */
    sql_run(&transaction,
            "DELETE FROM tokens WHERE account = ?1 AND name = ?2 AND expires BETWEEN 1 AND ?3",
            VALUES(as_id(token->account), as_text(token->name), as_number(store_now(store))));
    return add(&transaction,
               "INSERT INTO tokens (secret, account, name, scopes, created, expires, used) "
               "VALUES (?1, ?2, ?3, ?4, ?5, ?6, 0) RETURNING id",
               VALUES(as_text(hash), as_id(token->account), as_text(token->name),
                      as_number(token->scopes), as_number(store_now(store)),
                      as_number(token->expires)),
               "you already have a token with this name; choose another name", id);
}

StoreResult store_token_find(Store *store, Slice secret, StoreToken *token, StoreAccount *account,
                             Error *error) {
    StoreToken unused;
    char hash[SECRET_SIZE];
    secret_hash(secret, hash);
    return find(store,
                "SELECT " TOKEN_COLUMNS ", " ACCOUNT_COLUMNS
                " FROM tokens t JOIN accounts a ON a.id = t.account "
                "WHERE t.secret = ?1 AND a.state = " SQL_ACCOUNT_ACTIVE,
                VALUES(as_text(hash)), token_fields, token ? token : &unused, account,
                "this token is unknown or revoked", error);
}

StoreResult store_tokens_list(Store *store, uint64_t account, StorePage *page, StoreToken *rows,
                              Error *error) {
    return store_list(store,
                      "SELECT " TOKEN_COLUMNS ", t.id, t.id FROM tokens t WHERE t.account = ?4 "
                      "AND t.id < ?2 ORDER BY t.id DESC LIMIT ?3",
                      VALUES(as_id(account)), token_fields, page, rows, sizeof *rows, error);
}

StoreResult store_token_revoke(Store *store, uint64_t account, uint64_t id, Error *error) {
    Transaction transaction = transaction_write(store, error);
    if (!sql_run(&transaction, "DELETE FROM tokens WHERE account = ?1 AND id = ?2",
                 VALUES(as_id(account), as_id(id))))
        transaction_reject(&transaction, STORE_NOT_FOUND, "unknown token %" PRIu64, id);
    return transaction_end(&transaction);
}

StoreResult store_token_used(Store *store, uint64_t id, Error *error) {
    Transaction transaction = transaction_write(store, error);
    sql_run(&transaction, "UPDATE tokens SET used = ?2 WHERE id = ?1",
            VALUES(as_id(id), as_number(store_now(store))));
    return transaction_end(&transaction);
}

/* ---- invitations ---- */

static const Field invitation_fields[] = {
    NUMBER_OF(StoreInvitation, id),      NUMBER_OF(StoreInvitation, creator),
    TEXT_OF(StoreInvitation, note),      NUMBER_OF(StoreInvitation, role),
    NUMBER_OF(StoreInvitation, left),    NUMBER_OF(StoreInvitation, created),
    NUMBER_OF(StoreInvitation, expires), {0}};

StoreResult store_invitation_add(Store *store, const StoreInvitation *invitation, const char *code,
                                 uint64_t *id, Error *error) {
    char hash[SECRET_SIZE];
    secret_hash(slice_of(code), hash);
    Transaction transaction = transaction_write(store, error);
    return add(&transaction,
               "INSERT INTO invitations (secret, creator, note, role, uses, created, expires) "
               "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) RETURNING id",
               VALUES(as_text(hash), as_id(invitation->creator), as_text(invitation->note),
                      as_number(invitation->role), as_number(invitation->left),
                      as_number(store_now(store)), as_number(invitation->expires)),
               "an invitation with this code already exists", id);
}

#define INVITATIONS \
 "SELECT id, creator, note, role, uses, created, expires, id, id FROM invitations "

StoreResult store_invitations_list(Store *store, uint64_t creator, StorePage *page,
                                   StoreInvitation *rows, Error *error) {
    static const char all[] = INVITATIONS "WHERE id < ?2 ORDER BY id DESC LIMIT ?3";
    static const char own[] =
        INVITATIONS "WHERE creator = ?4 AND id < ?2 ORDER BY id DESC LIMIT ?3";
    return store_list(store, creator ? own : all, (const Value[]){as_id(creator)}, creator ? 1 : 0,
                      invitation_fields, page, rows, sizeof *rows, error);
}

StoreResult store_invitation_revoke(Store *store, uint64_t creator, uint64_t id, Error *error) {
    Transaction transaction = transaction_write(store, error);
    if (!sql_run(&transaction,
                 "DELETE FROM invitations WHERE id = ?1 AND coalesce(?2, creator) = creator",
                 VALUES(as_id(id), as_id(creator))))
        transaction_reject(&transaction, STORE_NOT_FOUND, "unknown invitation %" PRIu64, id);
    return transaction_end(&transaction);
}

StoreRole invitation_use(Transaction *transaction, const char *code) {
    char hash[SECRET_SIZE];
    secret_hash(slice_of(code), hash);
    /* Returns the role plus one, to distinguish ROLE_PLAYER from no row. An invitation cannot grant
       a role that its creator no longer has, not even to the creator. */
    int64_t role = sql_number(
        transaction,
        "UPDATE invitations SET uses = uses - 1 WHERE secret = ?1 AND "
        "uses > 0 AND (expires = 0 OR expires > ?2) AND EXISTS (SELECT 1 "
        "FROM accounts WHERE accounts.id = creator AND state = " SQL_ACCOUNT_ACTIVE " AND "
        "accounts.role >= invitations.role) RETURNING role + 1",
        VALUES(as_text(hash), as_number(store_now(transaction->store))));
    if (!role)
        transaction_reject(
            transaction, STORE_REJECTED,
            "this invitation code is unknown, used up or expired; ask for a new one");
    return role ? (StoreRole)(role - 1) : ROLE_PLAYER;
}
