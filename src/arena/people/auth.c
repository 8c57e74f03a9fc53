/* Sessions, API tokens, CSRF tokens, permissions, the first administrator and the audit log. See
   people.h. */
#include "arena/people/people.h"

#include "arena/people/password.h"
#include "arena/store_problem.h"
#include "base/clock.h"
#include "base/memory.h"
#include "base/path.h"
#include "http/problem.h"
#include "http/schemas.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TOKEN_PREFIX "skt_"
#define CSRF_HEADER "X-CSRF-Token"
#define FIRST_ADMINISTRATOR "admin" /* nobody else can register this name */
#define DAY_MS INT64_C(86400000)
#define LEFT_MAX_MS (36500 * DAY_MS) /* no overflow in nanoseconds */

enum { SESSIONS_MAX = 20, TOKEN_USED_MS = 300000, SECRET_MAX = 128 };

const char *const role_names[] = NAME_ARRAY(ROLE_NAMES);
const char *const scope_names[] = NAME_ARRAY(SCOPE_NAMES);

_Static_assert(STORE_SCOPES_ALL == (1 << (SCOPE_SESSION - 1)) - 1,
               "the store and the API have the same scopes");

/* ---- CSRF tokens ---- */

void auth_csrf_token(Slice secret, char csrf_token[CSRF_TOKEN_SIZE]) {
    /* A hash with the secret as its key reveals nothing about the secret and cannot be computed
       without it. */
    static const unsigned char purpose[] = "skirmish: CSRF token of a session";
    unsigned char key[crypto_generichash_KEYBYTES];
    unsigned char bytes[crypto_generichash_BYTES];
    crypto_generichash(key, sizeof key, (const unsigned char *)secret.at, secret.length, NULL, 0);
    crypto_generichash(bytes, sizeof bytes, purpose, sizeof purpose, key, sizeof key);
    sodium_bin2base64(csrf_token, CSRF_TOKEN_SIZE, bytes, sizeof bytes,
                      sodium_base64_VARIANT_URLSAFE_NO_PADDING);
}

static bool has_csrf_token(const Request *request, Slice secret) {
    char csrf_token[CSRF_TOKEN_SIZE];
    Slice given;
    auth_csrf_token(secret, csrf_token);
    return request_header(request, CSRF_HEADER, &given) && given.length == CSRF_TOKEN_SIZE - 1 &&
           sodium_memcmp(given.at, csrf_token, CSRF_TOKEN_SIZE - 1) == 0;
}

/* ---- who sends the request ---- */

static bool is_safe(Method method) {
    return method == METHOD_GET || method == METHOD_HEAD || method == METHOD_OPTIONS;
}

/* A token without the scopes of a role has only the rights of a player. */
static StoreRole role_of(const Caller *caller) {
    StoreRole most = !caller->token || caller->scopes & scope_bit(SCOPE_ADMINISTER)
                         ? ROLE_ADMINISTRATOR
                     : caller->scopes & scope_bit(SCOPE_ORGANISE) ? ROLE_ORGANISER
                                                                  : ROLE_PLAYER;
    return caller->account.role < most ? caller->account.role : most;
}

static void take_caller(Request *request, const Caller *caller) {
    Caller *kept = xmalloc(sizeof *kept);
    *kept = *caller;
    request->session = kept;
    request->account = caller->account.id;
    request->role = role_of(caller);
    request->credential =
        caller->token ? credential_of_token(caller->token) : credential_of_session(caller->session);
    if (caller->expires) {
        int64_t left_ms = caller->expires - store_now(arena_of(request)->store);
        request->until =
            request->began + (left_ms < LEFT_MAX_MS ? left_ms : LEFT_MAX_MS) * CLOCK_MS;
    }
}

static bool refuse_unauthenticated(const Request *request, Response *response, const char *detail) {
    problem(request, response, 401, "%s", detail);
    response_header(response, HEADER_WWW_AUTHENTICATE, slice_of("Bearer realm=\"skirmish\""));
    return false;
}

/* Finds the API token in the header Authorization. Other schemes are meant for a proxy. */
static bool find_token(const Request *request, Slice *token) {
    static const char scheme[] = "Bearer";
    Slice header;
    Slice word;
    if (!request_header(request, "Authorization", &header) || !slice_word(&header, &word) ||
        !decode_same_letters(word, scheme))
        return false;
    *token = slice_trim(header);
    return true;
}

/* An invalid token is an error even on routes that need none. */
static bool admit_token(Request *request, Response *response, Slice secret) {
    Store *store = arena_of(request)->store;
    Caller caller = {0};
    StoreToken token;
    Error error;
    Slice rest = secret;
    bool plausible = slice_skip(&rest, TOKEN_PREFIX) && secret.length <= SECRET_MAX;
    StoreResult result = plausible
                             ? store_token_find(store, secret, &token, &caller.account, &error)
                             : STORE_NOT_FOUND;
    if (result == STORE_NOT_FOUND)
        return refuse_unauthenticated(
            request, response,
            "The API token is invalid or revoked. Create a new one on your account page, or run "
            "`skirmish login`.");
    if (result != STORE_OK) {
        problem_from_store(request, response, result, &error);
        return false;
    }
    if (token.expires && token.expires <= store_now(store))
        return refuse_unauthenticated(
            request, response,
            "The API token has expired. Create a new one on your account page, or run `skirmish "
            "login`.");
    caller.token = token.id;
    caller.scopes = token.scopes;
    caller.expires = token.expires;
    caller.began = token.created;
    take_caller(request, &caller);
    if (store_now(store) - token.used > TOKEN_USED_MS)
        store_token_used(store, token.id, &error);
    return true;
}

/* The sender of an expired or unknown session is a visitor. */
static bool admit_cookie(Request *request, Response *response, Slice secret) {
    Caller caller = {.secret = secret};
    StoreSession session;
    Error error;
    if (!secret.length || secret.length > SECRET_MAX)
        return true;
    StoreResult result =
        store_session_find(arena_of(request)->store, secret, &session, &caller.account, &error);
    if (result == STORE_NOT_FOUND)
        return true;
    if (result != STORE_OK) {
        problem_from_store(request, response, result, &error);
        return false;
    }
    if (caller.account.temporary && request->route->needs == NEEDS_NOTHING)
        return true; /* a visitor until the password is changed */
    if (!is_safe(request->method) && !has_csrf_token(request, secret)) {
        problem(request, response, 403,
                "This session's CSRF token is missing or wrong. Send the csrf_token of GET "
                "/api/v1/me in the header " CSRF_HEADER ".");
        return false;
    }
    caller.session = session.id;
    caller.began = session.created;
    caller.expires = session.expires;
    take_caller(request, &caller);
    return true;
}

/* Whether the route accepts the sender's API token; true if the sender did not use one. */
static bool has_scope(const Request *request, Response *response) {
    const Caller *caller = auth_caller(request);
    Scope scope = request->route->scope;
    if (!caller || !caller->token || scope == SCOPE_NONE)
        return true;
    if (scope == SCOPE_SESSION)
        problem(request, response, 403,
                "API tokens cannot be used for this. Log in with your password.");
    else if (!(caller->scopes & scope_bit(scope)))
        problem(request, response, 403,
                "This needs an API token with the scope \"%s\". Create one on your account page.",
                scope_names[scope - 1]);
    else
        return true;
    return false;
}

/* Whether the sender may proceed: an account with a generated password must first change it. */
static bool has_own_password(const Request *request, Response *response) {
    static const char *const allowed[] = {"me", "me_password", "logout"};
    const Caller *caller = auth_caller(request);
    if (!caller || !caller->account.temporary)
        return true;
    for (size_t i = 0; i < sizeof allowed / sizeof *allowed; i++)
        if (strcmp(request->route->name, allowed[i]) == 0)
            return true;
    problem(request, response, 403,
            "Choose a new password first: on the account page, or with PUT "
            "/api/v1/me/password.");
    return false;
}

/* Whether the sender has the role that the route needs. */
static bool has_role(const Request *request, Response *response) {
    static const StoreRole least[] = {[NEEDS_SESSION] = ROLE_PLAYER,
                                      [NEEDS_ORGANISER] = ROLE_ORGANISER,
                                      [NEEDS_ADMINISTRATOR] = ROLE_ADMINISTRATOR};
    Needs needs = request->route->needs;
    if (needs == NEEDS_NOTHING)
        return true;
    if (!request->account)
        return refuse_unauthenticated(
            request, response, "Log in first, or send an API token in the Authorization header.");
    if (request->role >= (uint32_t)least[needs])
        return true;
    problem(request, response, 403, "%s",
            needs == NEEDS_ORGANISER
                ? "Only organisers and administrators can do this. Ask an administrator for the "
                  "role of organiser."
                : "Only administrators can do this. Ask an administrator of this arena.");
    return false;
}

bool auth_admit(Request *request, Response *response) {
    Slice given;
    bool known = true;
    if (find_token(request, &given))
        known = admit_token(request, response, given);
    else if (request_cookie(request, auth_session_cookie(arena_of(request)), &given))
        known = admit_cookie(request, response, given);
    return known && has_scope(request, response) && has_role(request, response) &&
           (request->route->needs == NEEDS_NOTHING || has_own_password(request, response));
}

void auth_dismiss(Request *request) {
    free(request->session);
    request->session = NULL;
}

bool auth_is_owner_or_organiser(const Request *request, uint64_t account) {
    return request->account && (request->account == account || request->role >= ROLE_ORGANISER);
}

/* ---- sessions ---- */

const char *auth_session_cookie(const Arena *arena) {
    return arena->options.secure_cookies ? "__Host-" SESSION_COOKIE : SESSION_COOKIE;
}

/* When a session that is used now expires, unless it is used again. */
static int64_t session_end(int64_t now, int64_t began) {
    int64_t idle = now + SESSION_IDLE_DAYS * DAY_MS;
    int64_t last = began + SESSION_DAYS * DAY_MS;
    return idle < last ? idle : last;
}

static void send_cookie(const Request *request, Response *response, Slice secret, int64_t ms) {
    response_cookie(response, auth_session_cookie(arena_of(request)), secret, ms / 1000,
                    arena_of(request)->options.secure_cookies);
}

void auth_end_streams(const Arena *arena, uint64_t account, uint64_t credential) {
    if (arena->live)
        live_revoke(arena->live, account, credential);
    store_news_send(arena->store, NEWS_REVOKED,
                    account); /* ends all of them there; valid ones reconnect */
}

void auth_clear_cookie(const Request *request, Response *response) {
    response_cookie(response, auth_session_cookie(arena_of(request)), (Slice){0}, 0,
                    arena_of(request)->options.secure_cookies);
}

static void end_session(const Arena *arena, uint64_t account, uint64_t session) {
    Error error;
    store_session_end(arena->store, account, session, &error);
    auth_end_streams(arena, account, credential_of_session(session));
}

/* Ends all but the newest sessions of an account. */
static void end_old_sessions(const Arena *arena, uint64_t account) {
    Store *store = arena->store;
    StoreSession rows[SESSIONS_MAX];
    StorePage page = {.limit = SESSIONS_MAX};
    Error error;
    if (store_sessions_list(store, account, &page, rows, &error) != STORE_OK || !page.next.id)
        return;
    page = (StorePage){.from = page.next, .limit = SESSIONS_MAX};
    if (store_sessions_list(store, account, &page, rows, &error) == STORE_OK)
        for (uint32_t i = 0; i < page.count; i++)
            end_session(arena, account, rows[i].id);
}

/* Ends the new session if the password has changed since it was checked. Call it when the session
   is in the store, because a password change after that ends it with the others. */
static StoreResult check_unchanged(Store *store, uint64_t account, uint64_t session,
                                   const char *password, Error *error) {
    Buffer now = {0};
    Error unread;
    StoreResult result = store_account_password(store, account, &now, error);
    if (result == STORE_OK && strcmp(buffer_string(&now), password) != 0) {
        error_set(error, "the password has just been changed; log in again");
        result = STORE_CONFLICT;
    }
    if (result != STORE_OK)
        store_session_end(store, account, session, &unread);
    buffer_free(&now);
    return result;
}

StoreResult auth_start_session(const Request *request, Response *response, uint64_t account,
                               const char *password, char csrf_token[CSRF_TOKEN_SIZE],
                               int64_t *expires, Error *error) {
    Store *store = arena_of(request)->store;
    const Caller *caller = auth_caller(request);
    char secret[SECRET_TEXT_SIZE];
    char address[ADDRESS_TEXT];
    secret_generate(secret);
    address_write(request->address, address);
    int64_t now = store_now(store);
    *expires = session_end(now, now);
    uint64_t session = 0;
    StoreResult result =
        store_session_add(store, account, slice_of(secret), address, *expires, &session, error);
    if (result == STORE_OK)
        result = check_unchanged(store, account, session, password, error);
    if (result != STORE_OK)
        return result;
    if (caller && caller->session)
        end_session(arena_of(request), caller->account.id, caller->session);
    end_old_sessions(arena_of(request), account);
    Error unread;
    store_address_remember(store, account, address, &unread);
    auth_csrf_token(slice_of(secret), csrf_token);
    send_cookie(request, response, slice_of(secret), *expires - now);
    return STORE_OK;
}

void auth_renew_session(const Request *request, Response *response) {
    Store *store = arena_of(request)->store;
    Caller *caller = request->session;
    int64_t now = store_now(store);
    int64_t expires = session_end(now, caller->began);
    Error error;
    if (!caller->session || expires - caller->expires < DAY_MS)
        return;
    if (store_session_renew(store, caller->session, expires, &error) == STORE_OK) {
        caller->expires = expires;
        send_cookie(request, response, caller->secret, expires - now);
    }
}

/* ---- the first administrator ---- */

static bool write_initial_password(const Arena *arena, const char *password, Error *error) {
    char *path = path_join(arena->options.data, INITIAL_PASSWORD);
    unlink(path);
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    bool good = file >= 0 && dprintf(file, "%s\n", password) > 0 && fsync(file) == 0;
    if (!good)
        error_set(error, "cannot write %s: %s", path, strerror(errno));
    if (file >= 0)
        close(file);
    free(path);
    return good;
}

void auth_forget_initial_password(const char *data, const StoreAccount *account) {
    if (!account->temporary || strcmp(account->name, FIRST_ADMINISTRATOR) != 0)
        return;
    char *path = path_join(data, INITIAL_PASSWORD);
    unlink(path);
    free(path);
}

bool auth_create_administrator(Arena *arena, Error *error) {
    StoreAccount first;
    StorePage page = {.limit = 1};
    if (!password_prepare(error) ||
        store_accounts_list(arena->store, &page, &first, error) != STORE_OK)
        return false;
    if (page.count)
        return true;
    char password[PASSWORD_GENERATED_SIZE];
    char hash[PASSWORD_HASH_SIZE];
    Buffer sentence = {0};
    password_generate(password);
    if (!password_hash(slice_of(password), hash, error))
        return false;
    /* The file is written before the account is stored: if the arena is stopped in between, the
       next start creates the administrator again, and nobody is locked out. */
    if (!write_initial_password(arena, password, error))
        return false;
    if (arena->options.at_terminal)
        buffer_format(&sentence,
                      "Log in as " FIRST_ADMINISTRATOR
                      " with the password %s and choose another one. ",
                      password);
    else
        buffer_format(&sentence,
                      "Log in as " FIRST_ADMINISTRATOR
                      " and choose another password. The first one is in "
                      "%s/" INITIAL_PASSWORD ".",
                      arena->options.data);
    if (arena->options.notify)
        arena->options.notify(buffer_string(&sentence));
    buffer_free(&sentence);
    StoreNewAccount account = {.name = FIRST_ADMINISTRATOR,
                               .password = hash,
                               .temporary = true,
                               .role = ROLE_ADMINISTRATOR};
    return store_account_add(arena->store, &account, NULL, error) == STORE_OK;
}

/* ---- the audit log ---- */

void auth_audit_as(const Request *request, uint64_t actor, const char *action, const char *subject,
                   const char *detail) {
    const Arena *arena = arena_of(request);
    StoreAudit entry = {.actor = actor};
    Error error;
    snprintf(entry.action, sizeof entry.action, "%s", action);
    snprintf(entry.subject, sizeof entry.subject, "%s", subject ? subject : "");
    snprintf(entry.detail, sizeof entry.detail, "%s", detail ? detail : "");
    address_write(request->address, entry.address);
    if (store_audit_add(arena->store, &entry, &error) != STORE_OK)
        log_write(arena->log, LOG_ERROR, "audit",
                  (LogField[]){{"action", entry.action, 0}, {"error", error.text, 0}}, 2);
}

void auth_audit(const Request *request, const char *action, const char *subject,
                const char *detail) {
    auth_audit_as(request, request->account, action, subject, detail);
}
