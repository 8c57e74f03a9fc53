/* Accounts. Names are unique regardless of case. Passwords are hashed by the caller. */
#ifndef STORE_ACCOUNTS_H
#define STORE_ACCOUNTS_H

#include "store/types.h"

typedef enum StoreRole { ROLE_PLAYER, ROLE_ORGANISER, ROLE_ADMINISTRATOR, ROLES } StoreRole;
typedef enum StoreAccountState {
    ACCOUNT_ACTIVE,
    ACCOUNT_SUSPENDED, /* cannot sign in, and its bots do not play; can be reactivated */
    ACCOUNT_DELETED,
} StoreAccountState;

typedef struct StoreAccount {
    uint64_t id;
    char name[STORE_NAME_SIZE];
    bool temporary; /* its password was generated and must be changed */
    StoreRole role;
    StoreAccountState state;
    int64_t created;
    int64_t disk_max; /* bytes; 0: the arena's default */
} StoreAccount;

/* Checks the name of an account or a bot: 2 to 32 ASCII letters, digits, '-' and '_', starting with
   a letter, and not "deleted-...". Two names must differ in more than case or '-' and '_'. `what`
   is "an account" or "a bot". */
bool store_name_check(const char *what, Slice name, Error *error);

/* Writes the form of a valid name that must be unique. */
void store_name_key(Slice name, char key[STORE_NAME_SIZE]);

/* Writes what a name looks like: l, 1 and I are the same, and so are O and 0. An account cannot be
   created if its name looks like that of another account. */
void store_name_look(Slice name, char look[STORE_NAME_SIZE]);

/* Checks a name that is free text, such as a tournament's: one line of visible characters, in which
   no word mixes letters of several alphabets, because they could look alike. `what` is "the name of
   the tournament". */
bool store_text_check(const char *what, Slice text, Error *error);

typedef struct StoreNewAccount {
    const char *name;
    const char *password;   /* a hash */
    bool temporary;         /* it must be changed */
    StoreRole role;         /* ignored with an invitation, which sets the role */
    const char *invitation; /* a code, or NULL */
} StoreNewAccount;

StoreResult store_account_add(Store *store, const StoreNewAccount *account, uint64_t *id,
                              Error *error);

/* Deleted accounts are found by id, not by name. */
StoreResult store_account_get(Store *store, uint64_t id, StoreAccount *account, Error *error);
StoreResult store_account_find(Store *store, Slice name, StoreAccount *account, Error *error);
StoreResult store_accounts_list(Store *store, StorePage *page, StoreAccount *rows, Error *error);

/* Accounts whose names contain this text, regardless of case. An empty text finds all. */
StoreResult store_accounts_search(Store *store, Slice text, bool active_only, StorePage *page,
                                  StoreAccount *rows, Error *error);

/* Appends the hash. */
StoreResult store_account_password(Store *store, uint64_t id, Buffer *hash, Error *error);

/* A `temporary` password must be changed after the next login. Also revokes all tokens of the
   account, and ends all its sessions except the one with the secret `keep` (may be empty). */
StoreResult store_account_set_password(Store *store, uint64_t id, const char *hash, bool temporary,
                                       Slice keep, Error *error);

/* Replaces the hash `old` with another hash of the same password; sessions and tokens stay valid.
   STORE_NOT_FOUND if the password has changed meanwhile. */
StoreResult store_account_rehash(Store *store, uint64_t id, const char *old, const char *hash,
                                 Error *error);

/* These three fail if they would leave no active administrator. */
StoreResult store_account_set_role(Store *store, uint64_t id, StoreRole role, Error *error);

/* Suspending also cancels the account's builds, the matches that it requested and the matches of
   its bots; its bots leave the ladders and the tournaments that have not begun. */
StoreResult store_account_suspend(Store *store, uint64_t id, bool suspended, Error *error);

/* Renames the account to "deleted-ID" and deletes its password, sessions and tokens. Renames its
   bots likewise and deletes their sources, logs and ratings. Cancels all jobs of the account and
   its bots. Matches that the bots played remain, under the new names. */
StoreResult store_account_delete(Store *store, uint64_t id, Error *error);

#endif
