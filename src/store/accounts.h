/* Accounts. A name is unique whatever its case; what a password is hashed with is the caller's
   business. */
#ifndef STORE_ACCOUNTS_H
#define STORE_ACCOUNTS_H

#include "store/types.h"

typedef enum StoreRole { ROLE_PLAYER, ROLE_ORGANISER, ROLE_ADMINISTRATOR, ROLES } StoreRole;
typedef enum StoreAccountState {
    ACCOUNT_ACTIVE,
    ACCOUNT_SUSPENDED, /* cannot come in, and its bots rest; everything stays */
    ACCOUNT_DELETED,
} StoreAccountState;

typedef struct StoreAccount {
    uint64_t id;
    char name[STORE_NAME_SIZE];
    StoreRole role;
    StoreAccountState state;
    int64_t created;
} StoreAccount;

/* What a name of an account or a bot may be: 2 to 32 letters, digits, '-' and '_' of ASCII, a
   letter first, and not "deleted-...". No two that look alike but for their case or for '-' and '_'
   can be there at once. `what` is "an account" or "a bot". */
bool store_name_check(const char *what, Slice name, Error *error);

/* The name in the form in which it is unique. The name must be a good one. */
void store_name_key(Slice name, char key[STORE_NAME_SIZE]);

typedef struct StoreNewAccount {
    const char *name;
    const char *password;   /* a hash */
    StoreRole role;         /* with an invitation, the invitation's counts */
    const char *invitation; /* a code to use up, or NULL */
} StoreNewAccount;

StoreResult store_account_add(Store *store, const StoreNewAccount *account, uint64_t *id,
                              Error *error);

/* Deleted accounts are found by id, not by name. */
StoreResult store_account_get(Store *store, uint64_t id, StoreAccount *account, Error *error);
StoreResult store_account_find(Store *store, const char *name, StoreAccount *account, Error *error);
StoreResult store_accounts_list(Store *store, StorePage *page, StoreAccount *rows, Error *error);

/* Those with this piece of text in their names, whatever its case; a text that no name can hold
   finds none, an empty one all. */
StoreResult store_accounts_search(Store *store, Slice text, bool active_only, StorePage *page,
                                  StoreAccount *rows, Error *error);

/* Appends the hash. */
StoreResult store_account_password(Store *store, uint64_t id, Buffer *hash, Error *error);

/* Ends all sessions of the account but the one with this secret (which may be empty). */
StoreResult store_account_set_password(Store *store, uint64_t id, const char *hash, Slice keep,
                                       Error *error);

/* These three refuse to leave an arena without an active administrator. */
StoreResult store_account_set_role(Store *store, uint64_t id, StoreRole role, Error *error);
StoreResult store_account_suspend(Store *store, uint64_t id, bool suspended, Error *error);

/* The account becomes "deleted-ID", with no password, session or token, and so do its bots: names,
   sources, logs and ratings are gone, and what waited in the queue for them is called off. The
   matches that they played stay, under the new names. */
StoreResult store_account_delete(Store *store, uint64_t id, Error *error);

#endif
