/* What lets somebody in. Secrets (of any bytes, made by the caller from real chance) are kept only
   as their BLAKE2b hash and found by it: whoever reads the database cannot come in with what is
   there. */
#ifndef STORE_SESSIONS_H
#define STORE_SESSIONS_H

#include "store/accounts.h"

/* ---- sessions: a browser that has logged in ---- */

typedef struct StoreSession {
    uint64_t id;
    uint64_t account;
    int64_t created;
    int64_t expires;
    char address[STORE_LABEL_SIZE]; /* where it was begun from */
} StoreSession;

StoreResult store_session_add(Store *store, uint64_t account, Slice secret, const char *address,
                              int64_t expires, uint64_t *id, Error *error);

/* The session and whose it is; only while it lasts and while the account is active. Either may be
   NULL. */
StoreResult store_session_find(Store *store, Slice secret, StoreSession *session,
                               StoreAccount *account, Error *error);
StoreResult store_sessions_list(Store *store, uint64_t account, StorePage *page, StoreSession *rows,
                                Error *error);

/* Lets a session that is not over last until another time. */
StoreResult store_session_renew(Store *store, uint64_t id, int64_t expires, Error *error);

/* Ends one session of the account, or all of them when `id` is 0. */
StoreResult store_session_end(Store *store, uint64_t account, uint64_t id, Error *error);

/* ---- tokens: a program that acts for an account ---- */

typedef struct StoreToken {
    uint64_t id;
    uint64_t account;
    char name[STORE_LABEL_SIZE]; /* the owner's word for it */
    int64_t created;
    int64_t expires; /* 0: never */
    int64_t used;    /* last; 0: never */
} StoreToken;

StoreResult store_token_add(Store *store, uint64_t account, const char *name, Slice secret,
                            int64_t expires, uint64_t *id, Error *error);
StoreResult store_token_find(Store *store, Slice secret, StoreToken *token, StoreAccount *account,
                             Error *error);
StoreResult store_tokens_list(Store *store, uint64_t account, StorePage *page, StoreToken *rows,
                              Error *error);
StoreResult store_token_revoke(Store *store, uint64_t account, uint64_t id, Error *error);

/* Notes that it was used now. A write: not for every request, but when the last note is old. */
StoreResult store_token_used(Store *store, uint64_t id, Error *error);

/* ---- invitations: codes that let somebody register ---- */

typedef struct StoreInvitation {
    uint64_t id;
    uint64_t creator;
    char note[STORE_LABEL_SIZE];
    StoreRole role; /* of the accounts that it makes */
    uint32_t left;  /* how often it can still be used */
    int64_t created;
    int64_t expires; /* 0: never */
} StoreInvitation;

/* `invitation` says who makes it, the note, the role, how often and until when. */
StoreResult store_invitation_add(Store *store, const StoreInvitation *invitation, const char *code,
                                 uint64_t *id, Error *error);

/* `creator` 0: everybody's. */
StoreResult store_invitations_list(Store *store, uint64_t creator, StorePage *page,
                                   StoreInvitation *rows, Error *error);
StoreResult store_invitation_revoke(Store *store, uint64_t creator, uint64_t id, Error *error);

#endif
