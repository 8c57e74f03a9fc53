/* Who asks. A browser has a session, in a cookie that scripts cannot read; a program has a token,
   in the header Authorization. What a session asks for and that changes something must also carry
   its CSRF token (header X-CSRF-Token, from the answer to logging in or GET /api/v1/me):
   another site's page can send the cookie along, but cannot know that token.

   Passwords are argon2id (libsodium), computed by request_hash only. */
#ifndef ARENA_PEOPLE_AUTH_H
#define ARENA_PEOPLE_AUTH_H

#include "arena/arena.h"

/* The cookie that carries a session. */
#define SESSION_COOKIE "skirmish_session"

enum { CSRF_TOKEN_SIZE = 44 };

/* "player", "organiser", "administrator", by StoreRole; then NULL. */
extern const char *const role_names[];

/* Who asks and by what right: a request's `session`, NULL for a visitor. */
typedef struct Caller {
    StoreAccount account;
    uint64_t session; /* 0: it came with a token */
    int64_t began;
    int64_t expires; /* 0: never */
    Slice secret;    /* of the session */
} Caller;

static inline const Caller *auth_caller(const Request *request) {
    return request->session;
}

/* For HttpOptions. */
bool auth_admit(Request *request, Response *response);
void auth_dismiss(Request *request);

/* Where there is no account yet: makes the administrator, and tells its password once. */
bool auth_first_start(Arena *arena, Error *error);

/* Whether the request comes from this account, or from an organiser or administrator. */
bool auth_is_or_organises(const Request *request, uint64_t account);

/* The account of that name, as a path or a query has it. Deleted ones are not found. */
StoreResult auth_find_person(const Arena *arena, Slice name, StoreAccount *account, Error *error);

/* Begins a new session for the account, whatever came with the request, and sends its cookie. The
   session that the request came with is over. `password` is the hash that the one who asks was let
   in by: STORE_CONFLICT if it is not the account's any more, since the one who changed it wanted
   all others out. */
StoreResult auth_begin_session(const Request *request, Response *response, uint64_t account,
                               const char *password, char csrf_token[CSRF_TOKEN_SIZE],
                               int64_t *expires, Error *error);

/* The session that the request came with lasts its whole time again, from now. Does nothing for
   tokens, and when that was done less than a day ago. */
void auth_renew_session(const Request *request, Response *response);

/* Has the browser forget its session. */
void auth_forget_session(const Request *request, Response *response);

/* The CSRF token of the session with this secret. */
void auth_csrf_token(Slice secret, char csrf_token[CSRF_TOKEN_SIZE]);

/* Writes down what was done: "bot.retire", "bot 17". */
void auth_audit(const Request *request, const char *action, const char *subject,
                const char *detail);

/* The same, for a request that became this account's. */
void auth_audit_as(const Request *request, uint64_t actor, const char *action, const char *subject,
                   const char *detail);

#endif
