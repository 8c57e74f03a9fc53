/* People: who sends a request, what they may do, and their passwords.

   A browser has a session, in a cookie that scripts cannot read. A program has an API token, in the
   header Authorization. Every change requested by a session must carry its CSRF token in the header
   X-CSRF-Token (it is in the response to a login and to GET /api/v1/me): a page of another site can
   make the browser send the cookie, but cannot read that token.

     auth.c      sessions, API tokens, CSRF tokens, permissions, the audit log
     password.c  password rules and hashes; common_passwords.c lists what people guess first
     recovery.c  a new password without logging in, for users who can write to the data directory */
#ifndef ARENA_PEOPLE_PEOPLE_H
#define ARENA_PEOPLE_PEOPLE_H

#include "arena/arena.h"

/* ---- who sends the request ---- */

/* The names of StoreRole, for schemas.h, and as an array that ends with NULL. */
#define ROLE_NAMES(name, between) \
 name("player") between name("organiser") between name("administrator")
extern const char *const role_names[];

/* The names of Scope, for schemas.h, and as an array that ends with NULL. */
#define SCOPE_NAMES(name, between)                                                 \
 name("read") between name("play") between name("upload") between name("organise") \
     between name("administer")
extern const char *const scope_names[];

/* The bit of a scope in Caller.scopes and StoreToken.scopes. */
static inline uint32_t scope_bit(Scope scope) {
    return UINT32_C(1) << (scope - 1);
}

/* The sender of a request: its `session`, NULL for a visitor. */
typedef struct Caller {
    StoreAccount account;
    uint64_t session; /* 0: an API token was used */
    uint64_t token;   /* 0: a session was used */
    uint32_t scopes;  /* of the token */
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

/* Creates the administrator if there is no account yet. The password, which must be changed at the
   first login, is written to the file INITIAL_PASSWORD in the data directory, which only its owner
   can read. It is printed only at a terminal: the output of a service goes to a journal. */
bool auth_create_administrator(Arena *arena, Error *error);

/* Deletes that file if the account is that administrator. Pass the account as it was before its
   password changed. */
#define INITIAL_PASSWORD "initial-password"
void auth_forget_initial_password(const char *data, const StoreAccount *account);

/* Whether the request comes from this account, or from an organiser or administrator. */
bool auth_is_owner_or_organiser(const Request *request, uint64_t account);

/* ---- sessions ---- */

/* The cookie that carries a session. Behind TLS its name has a prefix, with which browsers accept
   it only from this host, over TLS and for all paths: a neighbouring host cannot set one. */
#define SESSION_COOKIE "skirmish_session"
const char *auth_session_cookie(const Arena *arena);

enum { CSRF_TOKEN_SIZE = 44, SESSION_IDLE_DAYS = 30, SESSION_DAYS = 90 };

/* Starts a session for the account, sends its cookie, and ends the session that the request came
   with. `password` is the hash that was checked: STORE_CONFLICT if it has changed since, because a
   new password ends all other sessions. */
StoreResult auth_start_session(const Request *request, Response *response, uint64_t account,
                               const char *password, char csrf_token[CSRF_TOKEN_SIZE],
                               int64_t *expires, Error *error);

/* Extends the session of the request, at most once a day: it ends SESSION_IDLE_DAYS after its last
   use, and SESSION_DAYS after the login. Does nothing for API tokens. */
void auth_renew_session(const Request *request, Response *response);

/* Makes the browser delete its session cookie. */
void auth_clear_cookie(const Request *request, Response *response);

/* The identifier of a session or an API token in Request.credential. */
static inline uint64_t credential_of_session(uint64_t session) {
    return session * 2;
}
static inline uint64_t credential_of_token(uint64_t token) {
    return token * 2 + 1;
}

/* Ends the streams of an account that were opened with this credential, which is no longer valid;
   0: all streams of the account. Also notifies the other arenas on the database, which end all of
   them. Clients with a valid credential reconnect. Call it after changing the store. */
void auth_end_streams(const Arena *arena, uint64_t account, uint64_t credential);

/* The CSRF token of the session with this secret. */
void auth_csrf_token(Slice secret, char csrf_token[CSRF_TOKEN_SIZE]);

/* ---- the audit log ---- */

/* Records an action, such as "bot.retire" of "bot 17". */
void auth_audit(const Request *request, const char *action, const char *subject,
                const char *detail);

/* The same for an account that the request has just created. */
void auth_audit_as(const Request *request, uint64_t actor, const char *action, const char *subject,
                   const char *detail);

/* ---- passwords ----

   Hashing takes tens of milliseconds and 19 MiB on purpose, so it runs only on the threads of
   request_hash, whose number limits how many hashes are computed at once. */

enum {
    PASSWORD_MIN = 8,
    PASSWORD_MAX = 128,
    PASSWORD_BYTES_MAX = 4 * PASSWORD_MAX,
    PASSWORD_HASH_SIZE = 128,
    PASSWORD_GENERATED_SIZE = 21,
    SECRET_TEXT_SIZE = 44, /* 256 bits in 43 letters, digits, '-' and '_' */
};

/* Whether the password may be chosen: PASSWORD_MIN to PASSWORD_MAX characters, and not easy to
   guess: not the name of the account or of Skirmish, a common word, digits only, or a few
   characters repeated or in a row. Digits and signs around a word make no difference. */
bool password_check(Slice password, const char *name, Error *error);

/* argon2id. False when memory is short. */
bool password_hash(Slice password, char hash[PASSWORD_HASH_SIZE], Error *error);

/* The hash "" stands for an unknown account: it matches no password, but takes as long to compare
   as a real one. */
bool password_matches(Slice password, const char *hash);

/* Whether the hash was made with parameters other than those that password_hash uses now. */
bool password_needs_rehash(const char *hash);

/* A password for a person to copy: 20 letters and digits, without look-alikes. */
void password_generate(char text[PASSWORD_GENERATED_SIZE]);

/* 256 random bits, for sessions, API tokens and invitation codes. */
void secret_generate(char text[SECRET_TEXT_SIZE]);

/* ---- password recovery (`skirmish password`) ----

   A data directory has one writer. If an arena runs in it, `skirmish password` leaves the new hash
   in a file there, and the arena applies it in recovery_tick. Otherwise the command writes the hash
   to the store itself. */

/* Sets the password of an account, ends its sessions and records both in the audit log. An empty
   password means a random one, which is copied to `generated` (PASSWORD_GENERATED_SIZE bytes) and
   must be changed after the next login. `data` and `database` are those of StoreOptions.
   False if there is no such arena or account, if the password is not allowed, or if the running
   arena does not respond. */
bool recovery_password(const char *data, const char *database, const char *name, Slice password,
                       char *generated, Error *error);

/* Applies a request that recovery_password left. Call it regularly in a running arena. */
void recovery_tick(Arena *arena);

#endif
