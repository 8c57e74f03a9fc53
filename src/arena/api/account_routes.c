/* Routes for people's own accounts: sign up, log in and out, password, sessions, API tokens. */
#include "arena/api/routes.h"
#include "arena/bots/bots.h"
#include "arena/people/people.h"
#include "arena/settings.h"
#include "base/json_object.h"
#include "http/schemas.h"

#include "base/hash.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { SMALL_BODY = 4096, TOKENS_MAX = 50, TOKEN_DAYS_MAX = 3650, INVITATION_SIZE = 65 };

#define DAY_MS INT64_C(86400000)

/* ---- request bodies ---- */

typedef struct Credentials {
    JsonObject config;
    char name[STORE_NAME_SIZE];
    char invitation[INVITATION_SIZE];
    Slice password;
    Slice new_password;
} Credentials;

/* Reads the members in `known`; all but the invitation are required. Answers with a problem and
   returns false on a mistake. Free the object in either case. */
static bool read_credentials(const Request *request, Response *response, const char *const *known,
                             Credentials *credentials) {
    Error error;
    *credentials = (Credentials){0};
    if (!api_body(request, response, &credentials->config))
        return false;
    const JsonObject *config = &credentials->config;
    bool good = json_object_allow_only(config, 0, known, &error);
    for (const char *const *field = known; *field && good; field++) {
        if (strcmp(*field, "name") == 0)
            good = json_object_required_text(config, *field, credentials->name, STORE_NAME_SIZE,
                                             &error);
        else if (strcmp(*field, "invitation") == 0)
            good =
                json_object_text(config, *field, credentials->invitation, INVITATION_SIZE, &error);
        else
            good = json_object_required_bytes(config, *field,
                                              strcmp(*field, "password") == 0
                                                  ? &credentials->password
                                                  : &credentials->new_password,
                                              &error);
    }
    if (!good)
        api_body_problem(request, response, &error);
    return good;
}

/* Whether the password is the account's, whose hash is copied to `hash`. An unknown account (0)
   takes equally long. Answers with a problem and returns false if the store fails. */
static bool is_password(const Request *request, Response *response, uint64_t account,
                        Slice password, bool *right, Buffer *hash) {
    Error error;
    StoreResult result = STORE_OK;
    if (account)
        result = store_account_password(arena_of(request)->store, account, hash, &error);
    if (result == STORE_OK)
        *right = password_matches(password, buffer_string(hash));
    else
        problem_from_store(request, response, result, &error);
    if (result == STORE_OK && *right && password_needs_rehash(buffer_string(hash))) {
        /* Rehash it while we know it. As with any change, other sessions end. */
        char fresh[PASSWORD_HASH_SIZE];
        const Caller *caller = auth_caller(request);
        if (password_hash(password, fresh, &error) &&
            store_account_set_password(arena_of(request)->store, account, fresh,
                                       caller ? caller->secret : (Slice){0}, &error) == STORE_OK) {
            buffer_clear(hash);
            buffer_text(hash, fresh);
        }
    }
    return result == STORE_OK;
}

/* ---- responses ---- */

static void write_me(Response *response, const StoreAccount *account, const char *csrf_token,
                     int64_t expires) {
    JsonOut out = {.to = &response->bytes};
    response->secret = true;
    json_open(&out, NULL, '{');
    json_out_uint(&out, "id", account->id);
    json_out_text(&out, "name", account->name);
    json_out_text(&out, "role", role_names[account->role]);
    api_time(&out, "created", account->created);
    if (csrf_token)
        json_out_text(&out, "csrf_token", csrf_token);
    else
        json_out_null(&out, "csrf_token");
    api_time(&out, "expires", expires);
    json_close(&out, '}');
}

/* Starts a session for an account whose password, stored as `hash`, was checked, and answers with
   the account. */
static void log_in(const Request *request, Response *response, uint64_t id, const char *hash,
                   unsigned status) {
    Store *store = arena_of(request)->store;
    StoreAccount account;
    int64_t expires = 0;
    Error error;
    char csrf_token[CSRF_TOKEN_SIZE];
    StoreResult result = store_account_get(store, id, &account, &error);
    if (result == STORE_OK)
        result = auth_start_session(request, response, id, hash, csrf_token, &expires, &error);
    if (result != STORE_OK) {
        problem_from_store(request, response, result, &error);
        return;
    }
    response->status = status;
    write_me(response, &account, csrf_token, expires);
}

static Outcome answer_nothing(Response *response) {
    response->status = 204;
    return OUTCOME_ANSWERED;
}

static Outcome answer_created(Response *response, const char *where, uint64_t id) {
    char location[64];
    snprintf(location, sizeof location, "%s%" PRIu64, where, id);
    response->status = 201;
    response_header(response, HEADER_LOCATION, slice_of(location));
    return OUTCOME_ANSWERED;
}

/* ---- signing up ---- */

/* Names that could be mistaken for the arena itself. */
static bool is_reserved(const char *name) {
    static const char *const reserved[] = {"admin", "administrator", "arena", "house",
                                           "root",  "skirmish",      "system"};
    char key[STORE_NAME_SIZE];
    store_name_key(slice_of(name), key);
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
        if (strcmp(key, reserved[i]) == 0)
            return true;
    return false;
}

/* All checks that come before the password is hashed. */
static bool may_register(const Request *request, Response *response,
                         const Credentials *credentials) {
    StoreAccount other;
    Error error = {""};
    if (arena_registration(arena_of(request)) == REGISTRATION_INVITATION &&
        !credentials->invitation[0]) {
        problem(request, response, 403,
                "You need an invitation code to sign up here. Ask an organiser for one.");
        return false;
    }
    if (!store_name_check("an account", slice_of(credentials->name), &error) ||
        !password_check(credentials->password, credentials->name, &error)) {
        problem(request, response, 422, "%s", error.text);
        return false;
    }
    if (is_reserved(credentials->name) ||
        store_account_find(arena_of(request)->store, credentials->name, &other, &error) ==
            STORE_OK) {
        problem(request, response, 409, "The name \"%s\" is taken. Choose another one.",
                credentials->name);
        return false;
    }
    return true;
}

static void register_later(Request *request, Response *response) {
    static const char *const known[] = {"name", "password", "invitation", NULL};
    Credentials credentials;
    Error error;
    char hash[PASSWORD_HASH_SIZE];
    uint64_t id = 0;
    StoreResult result = STORE_FAILED;
    if (read_credentials(request, response, known, &credentials) &&
        may_register(request, response, &credentials)) {
        StoreNewAccount account = {.name = credentials.name,
                                   .password = hash,
                                   .role = ROLE_PLAYER,
                                   .invitation =
                                       credentials.invitation[0] ? credentials.invitation : NULL};
        if (password_hash(credentials.password, hash, &error))
            result = store_account_add(arena_of(request)->store, &account, &id, &error);
        if (result == STORE_OK) {
            char location[64];
            auth_audit_as(request, id, "account.register", credentials.name,
                          account.invitation ? "with an invitation" : "");
            snprintf(location, sizeof location, "/api/v1/people/%s", credentials.name);
            response_header(response, HEADER_LOCATION, slice_of(location));
            log_in(request, response, id, hash, 201);
        } else {
            problem_from_store(request, response, result, &error);
        }
    }
    json_object_free(&credentials.config);
}

static Outcome handle_register(Request *request, Response *response) {
    if (arena_registration(arena_of(request)) == REGISTRATION_CLOSED)
        return problem(request, response, 403,
                       "Sign-up is closed. Ask an administrator of this arena for an account.");
    return request_hash(request, register_later);
}

/* ---- log in and out ---- */

/* Counts an attempt against the account from any address. Unknown names count like known ones. */
static bool may_try(const Request *request, Response *response, const char *name,
                    uint64_t account) {
    char key[STORE_NAME_SIZE];
    store_name_key(slice_of(name), key);
    uint32_t wait = limits_take(http_limits(request->http), RATE_GUESS,
                                account ? ~account : hash64(key, strlen(key)), request->began);
    if (wait)
        problem_retry(request, response, 429, wait,
                      "Too many attempts to log in. Wait a moment, then try again.");
    return !wait;
}

static void log_in_later(Request *request, Response *response) {
    static const char *const known[] = {"name", "password", NULL};
    const Arena *arena = arena_of(request);
    Credentials credentials;
    StoreAccount account = {0};
    Buffer hash = {0};
    Error error;
    bool right = false;
    if (read_credentials(request, response, known, &credentials)) {
        if (store_account_find(arena->store, credentials.name, &account, &error) != STORE_OK)
            account.id = 0;
        if (may_try(request, response, credentials.name, account.id) &&
            is_password(request, response, account.id, credentials.password, &right, &hash)) {
            if (!right)
                problem(request, response, 401, "Wrong name or password.");
            else if (account.state != ACCOUNT_ACTIVE)
                problem(request, response, 403,
                        "This account is suspended. Ask an administrator of this arena.");
            else
                log_in(request, response, account.id, buffer_string(&hash), 200);
            log_write(arena->log, LOG_INFO, right ? "login" : "login.failed",
                      &(LogField){"account", NULL, (int64_t)account.id}, 1);
        }
    }
    buffer_free(&hash);
    json_object_free(&credentials.config);
}

static Outcome handle_log_in(Request *request, Response *response) {
    (void)response;
    return request_hash(request, log_in_later);
}

static Outcome handle_log_out(Request *request, Response *response) {
    const Caller *caller = auth_caller(request);
    Error error;
    if (!caller->session)
        return problem(request, response, 409,
                       "An API token has no session to end. Revoke the token instead.");
    StoreResult result =
        store_session_end(arena_of(request)->store, request->account, caller->session, &error);
    if (result != STORE_OK && result != STORE_NOT_FOUND)
        return problem_from_store(request, response, result, &error);
    auth_clear_cookie(request, response);
    return answer_nothing(response);
}

/* ---- the own account ---- */

static Outcome handle_me(Request *request, Response *response) {
    const Caller *caller = auth_caller(request);
    char csrf_token[CSRF_TOKEN_SIZE];
    auth_renew_session(request, response);
    if (caller->session)
        auth_csrf_token(caller->secret, csrf_token);
    write_me(response, &caller->account, caller->session ? csrf_token : NULL, caller->expires);
    return OUTCOME_ANSWERED;
}

/* Asks for the caller's password again. Answers with a problem and returns false if it is wrong. */
static bool confirms_password(const Request *request, Response *response, Slice password) {
    bool right = false;
    Buffer hash = {0};
    bool known = is_password(request, response, request->account, password, &right, &hash);
    buffer_free(&hash);
    if (!known)
        return false;
    if (!right)
        problem(request, response, 403, "Wrong password.");
    return right;
}

static void change_password_later(Request *request, Response *response) {
    static const char *const known[] = {"password", "new_password", NULL};
    const Caller *caller = auth_caller(request);
    Credentials credentials;
    Error error;
    char hash[PASSWORD_HASH_SIZE];
    if (read_credentials(request, response, known, &credentials)) {
        if (!password_check(credentials.new_password, caller->account.name, &error)) {
            problem(request, response, 422, "%s", error.text);
        } else if (confirms_password(request, response, credentials.password)) {
            StoreResult result = STORE_FAILED;
            if (password_hash(credentials.new_password, hash, &error))
                result = store_account_set_password(arena_of(request)->store, request->account,
                                                    hash, caller->secret, &error);
            if (result == STORE_OK) {
                auth_audit(request, "account.password", caller->account.name, "");
                answer_nothing(response);
            } else {
                problem_from_store(request, response, result, &error);
            }
        }
    }
    json_object_free(&credentials.config);
}

static Outcome handle_change_password(Request *request, Response *response) {
    (void)response;
    return request_hash(request, change_password_later);
}

static void delete_me_later(Request *request, Response *response) {
    static const char *const known[] = {"password", NULL};
    Credentials credentials;
    Error error;
    if (read_credentials(request, response, known, &credentials) &&
        confirms_password(request, response, credentials.password)) {
        StoreResult result =
            store_account_delete(arena_of(request)->store, request->account, &error);
        if (result == STORE_OK) {
            char subject[STORE_LABEL_SIZE];
            snprintf(subject, sizeof subject, "account %" PRIu64, request->account);
            auth_audit(request, "account.delete", subject, "");
            auth_clear_cookie(request, response);
            answer_nothing(response);
            versions_remove_orphans(arena_of(request));
        } else {
            problem_from_store(request, response, result, &error);
        }
    }
    json_object_free(&credentials.config);
}

static Outcome handle_delete_me(Request *request, Response *response) {
    (void)response;
    return request_hash(request, delete_me_later);
}

static void write_person(JsonOut *out, const StoreAccount *account) {
    json_open(out, NULL, '{');
    json_out_uint(out, "id", account->id);
    json_out_text(out, "name", account->name);
    json_out_text(out, "role", role_names[account->role]);
    api_time(out, "created", account->created);
    json_close(out, '}');
}

static Outcome handle_people(Request *request, Response *response) {
    StoreAccount rows[STORE_PAGE_MAX];
    StorePage page;
    Slice search = {0};
    Error error;
    if (!api_page(request, response, &page))
        return OUTCOME_ANSWERED;
    request_query(request, "search", &search);
    StoreResult result =
        store_accounts_search(arena_of(request)->store, search, true, &page, rows, &error);
    if (result != STORE_OK)
        return problem_from_store(request, response, result, &error);
    JsonOut out = {.to = &response->bytes};
    api_list_open(&out);
    for (uint32_t i = 0; i < page.count; i++)
        write_person(&out, &rows[i]);
    api_list_close(&out, &page);
    response_tag(response);
    return OUTCOME_ANSWERED;
}

static Outcome handle_person(Request *request, Response *response) {
    StoreAccount account;
    Error error;
    StoreResult result =
        auth_find_person(arena_of(request), request_path(request, "person"), &account, &error);
    if (result != STORE_OK)
        return problem_from_store(request, response, result, &error);
    JsonOut out = {.to = &response->bytes};
    write_person(&out, &account);
    response_tag(response);
    return OUTCOME_ANSWERED;
}

/* ---- sessions ---- */

static Outcome handle_sessions(Request *request, Response *response) {
    StorePage page;
    StoreSession rows[STORE_PAGE_MAX];
    Error error;
    if (!api_page(request, response, &page))
        return OUTCOME_ANSWERED;
    StoreResult result =
        store_sessions_list(arena_of(request)->store, request->account, &page, rows, &error);
    if (result != STORE_OK)
        return problem_from_store(request, response, result, &error);
    JsonOut out = {.to = &response->bytes};
    api_list_open(&out);
    for (uint32_t i = 0; i < page.count; i++) {
        json_open(&out, NULL, '{');
        json_out_uint(&out, "id", rows[i].id);
        api_time(&out, "created", rows[i].created);
        api_time(&out, "expires", rows[i].expires);
        json_out_text(&out, "address", rows[i].address);
        json_out_bool(&out, "current", rows[i].id == auth_caller(request)->session);
        json_close(&out, '}');
    }
    api_list_close(&out, &page);
    return OUTCOME_ANSWERED;
}

static Outcome handle_end_session(Request *request, Response *response) {
    uint64_t id = (uint64_t)request_number(request, "session", 0);
    Error error;
    StoreResult result = store_session_end(arena_of(request)->store, request->account, id, &error);
    if (result != STORE_OK)
        return problem_from_store(request, response, result, &error);
    if (!id || id == auth_caller(request)->session)
        auth_clear_cookie(request, response);
    return answer_nothing(response);
}

/* ---- API tokens ---- */

static void write_token(JsonOut *out, const StoreToken *token, const char *secret) {
    json_open(out, NULL, '{');
    json_out_uint(out, "id", token->id);
    json_out_text(out, "name", token->name);
    api_time(out, "created", token->created);
    api_time(out, "expires", token->expires);
    api_time(out, "used", token->used);
    if (secret)
        json_out_text(out, "token", secret);
    json_close(out, '}');
}

static Outcome handle_tokens(Request *request, Response *response) {
    StorePage page;
    StoreToken rows[STORE_PAGE_MAX];
    Error error;
    if (!api_page(request, response, &page))
        return OUTCOME_ANSWERED;
    StoreResult result =
        store_tokens_list(arena_of(request)->store, request->account, &page, rows, &error);
    if (result != STORE_OK)
        return problem_from_store(request, response, result, &error);
    JsonOut out = {.to = &response->bytes};
    api_list_open(&out);
    for (uint32_t i = 0; i < page.count; i++)
        write_token(&out, &rows[i], NULL);
    api_list_close(&out, &page);
    return OUTCOME_ANSWERED;
}

static bool read_new_token(const Request *request, Response *response, StoreToken *token) {
    static const char *const known[] = {"name", "days", NULL};
    Store *store = arena_of(request)->store;
    JsonObject config;
    Error error;
    int64_t days = 0;
    bool good = api_body(request, response, &config);
    if (good) {
        good =
            json_object_allow_only(&config, 0, known, &error) &&
            json_object_required_text(&config, "name", token->name, sizeof token->name, &error) &&
            json_object_int(&config, 0, "days", 1, TOKEN_DAYS_MAX, &days, &error);
        if (!good)
            api_body_problem(request, response, &error);
    }
    json_object_free(&config);
    token->created = store_now(store);
    token->expires = days ? token->created + days * DAY_MS : 0;
    return good;
}

static Outcome handle_make_token(Request *request, Response *response) {
    Store *store = arena_of(request)->store;
    StoreToken token = {0};
    StoreToken rows[TOKENS_MAX];
    StorePage page = {.limit = TOKENS_MAX};
    Error error;
    if (!auth_caller(request)->session)
        return problem(request, response, 403,
                       "An API token cannot create another one. Log in with your password.");
    if (!read_new_token(request, response, &token))
        return OUTCOME_ANSWERED;
    StoreResult result = store_tokens_list(store, request->account, &page, rows, &error);
    if (result == STORE_OK && page.count == TOKENS_MAX)
        return problem(request, response, 409,
                       "You have %d API tokens, the maximum. Revoke one first.", TOKENS_MAX);
    char secret[SECRET_TEXT_SIZE];
    char text[SECRET_TEXT_SIZE + 4];
    secret_generate(secret);
    snprintf(text, sizeof text, "skt_%s", secret);
    if (result == STORE_OK)
        result = store_token_add(store, request->account, token.name, slice_of(text), token.expires,
                                 &token.id, &error);
    if (result != STORE_OK)
        return problem_from_store(request, response, result, &error);
    auth_audit(request, "token.make", token.name, "");
    JsonOut out = {.to = &response->bytes};
    response->secret = true;
    write_token(&out, &token, text);
    return answer_created(response, "/api/v1/tokens/", token.id);
}

static Outcome handle_revoke_token(Request *request, Response *response) {
    uint64_t id = (uint64_t)request_number(request, "token", 0);
    char subject[STORE_LABEL_SIZE];
    Error error;
    StoreResult result = store_token_revoke(arena_of(request)->store, request->account, id, &error);
    if (result != STORE_OK)
        return problem_from_store(request, response, result, &error);
    snprintf(subject, sizeof subject, "token %" PRIu64, id);
    auth_audit(request, "token.revoke", subject, "");
    return answer_nothing(response);
}

/* ---- routes and schemas ---- */

#define ROLE_SCHEMA ENUM_SCHEMA(ROLE_NAMES)
#define NAME SCHEMA_SHORT("name", "2", "32")
#define PASSWORD(name) SCHEMA_SHORT(name, "1", "200")
#define TOKEN_MEMBERS                                                        \
 SCHEMA_NUMBER("id")                                                         \
 "," SCHEMA_TEXT("name") "," SCHEMA_TIME("created") "," SCHEMA_TIME_OR_NULL( \
     "expires") "," SCHEMA_TIME_OR_NULL("used")

static const Schema schemas[] = {
    {"Registration", SCHEMA_OBJECT("\"name\",\"password\"",
                                   NAME "," PASSWORD("password") "," SCHEMA_TEXT("invitation"))},
    {"Credentials", SCHEMA_OBJECT("\"name\",\"password\"", NAME "," PASSWORD("password"))},
    {"PasswordChange", SCHEMA_OBJECT("\"password\",\"new_password\"",
                                     PASSWORD("password") "," PASSWORD("new_password"))},
    {"PasswordProof", SCHEMA_OBJECT("\"password\"", PASSWORD("password"))},
    {"Me", SCHEMA_OBJECT("\"id\",\"name\",\"role\",\"created\",\"csrf_token\",\"expires\"",
                         "\"id\":" INTEGER_SCHEMA ",\"name\":" TEXT_SCHEMA ",\"role\":" ROLE_SCHEMA
                         ",\"created\":" TIME_SCHEMA ",\"csrf_token\":" TEXT_OR_NULL_SCHEMA
                         ",\"expires\":" TIME_OR_NULL_SCHEMA)},
    {"Person", SCHEMA_OBJECT("\"id\",\"name\",\"role\",\"created\"",
                             "\"id\":" INTEGER_SCHEMA ",\"name\":" TEXT_SCHEMA
                             ",\"role\":" ROLE_SCHEMA ",\"created\":" TIME_SCHEMA)},
    {"People", SCHEMA_LIST("Person")},
    {"Session",
     SCHEMA_OBJECT("\"id\",\"created\",\"expires\",\"address\",\"current\"",
                   SCHEMA_NUMBER("id") "," SCHEMA_TIME("created") "," SCHEMA_TIME(
                       "expires") "," SCHEMA_TEXT("address") "," SCHEMA_BOOL("current"))},
    {"Sessions", SCHEMA_LIST("Session")},
    {"NewToken", SCHEMA_OBJECT("\"name\"", SCHEMA_SHORT("name", "1", "96") "," SCHEMA_RANGE(
                                               "days", "1", "3650"))},
    {"Token", SCHEMA_OBJECT("\"id\",\"name\",\"created\",\"expires\",\"used\"", TOKEN_MEMBERS)},
    {"TokenMade", SCHEMA_OBJECT("\"id\",\"name\",\"created\",\"expires\",\"used\",\"token\"",
                                TOKEN_MEMBERS "," SCHEMA_TEXT("token"))},
    {"Tokens", SCHEMA_LIST("Token")},
};

#define GROUP "accounts"
#define ID_PARAMETER(name, about) \
 { name, PARAMETER_NUMBER, 1, INT64_MAX, NULL, about }

static const Route routes[] = {
    {METHOD_POST, "/api/v1/register", "register", handle_register, NEEDS_NOTHING, RATE_REGISTER,
     SMALL_BODY, "Creates an account and logs in", GROUP, .takes = "Registration", .gives = "Me",
     .gives_status = 201},
    {METHOD_POST, "/api/v1/login", "login", handle_log_in, NEEDS_NOTHING, RATE_LOGIN, SMALL_BODY,
     "Logs in: sets a session cookie and returns the session's CSRF token", GROUP,
     .takes = "Credentials", .gives = "Me"},
    {METHOD_POST, "/api/v1/logout", "logout", handle_log_out, NEEDS_SESSION, RATE_WRITE, 0,
     "Logs out: ends the session", GROUP, .gives_status = 204},
    {METHOD_GET, "/api/v1/me", "me", handle_me, NEEDS_SESSION, RATE_READ, 0,
     "Returns the own account and the CSRF token, and extends the session to 30 days", GROUP,
     .gives = "Me"},
    {METHOD_DELETE, "/api/v1/me", "me_delete", handle_delete_me, NEEDS_SESSION, RATE_GUESS,
     SMALL_BODY, "Deletes the own account and its bots. Its matches stay, without the name", GROUP,
     .takes = "PasswordProof", .gives_status = 204},
    {METHOD_PUT, "/api/v1/me/password", "me_password", handle_change_password, NEEDS_SESSION,
     RATE_GUESS, SMALL_BODY, "Changes the password and ends all other sessions", GROUP,
     .takes = "PasswordChange", .gives_status = 204},
    {METHOD_GET, "/api/v1/people", "people", handle_people, NEEDS_NOTHING, RATE_READ, 0,
     "Lists people with active accounts, newest first", GROUP,
     .parameters = {{"search", PARAMETER_TEXT, 0, 64, NULL, "a part of the name"}, PAGE_PARAMETERS},
     .gives = "People", .tagged = true},
    {METHOD_GET, "/api/v1/people/{person}", "person", handle_person, NEEDS_NOTHING, RATE_READ, 0,
     "Returns the public profile of a person", GROUP,
     .parameters = {{"person", PARAMETER_TEXT, 0, 64, NULL, "the name of the account"}},
     .gives = "Person", .tagged = true},
    {METHOD_GET, "/api/v1/sessions", "sessions", handle_sessions, NEEDS_SESSION, RATE_READ, 0,
     "Lists the own sessions", GROUP, .parameters = {PAGE_PARAMETERS}, .gives = "Sessions"},
    {METHOD_DELETE, "/api/v1/sessions", "sessions_end", handle_end_session, NEEDS_SESSION,
     RATE_WRITE, 0, "Ends all own sessions", GROUP, .gives_status = 204},
    {METHOD_DELETE, "/api/v1/sessions/{session}", "session_end", handle_end_session, NEEDS_SESSION,
     RATE_WRITE, 0, "Ends one of the own sessions", GROUP,
     .parameters = {ID_PARAMETER("session", "the id of the session")}, .gives_status = 204},
    {METHOD_GET, "/api/v1/tokens", "tokens", handle_tokens, NEEDS_SESSION, RATE_READ, 0,
     "Lists the own API tokens, without their secrets", GROUP, .parameters = {PAGE_PARAMETERS},
     .gives = "Tokens"},
    {METHOD_POST, "/api/v1/tokens", "token_make", handle_make_token, NEEDS_SESSION, RATE_WRITE,
     SMALL_BODY, "Creates an API token. The token is only in this response", GROUP,
     .takes = "NewToken", .gives = "TokenMade", .gives_status = 201},
    {METHOD_DELETE, "/api/v1/tokens/{token}", "token_revoke", handle_revoke_token, NEEDS_SESSION,
     RATE_WRITE, 0, "Revokes one of the own API tokens", GROUP,
     .parameters = {ID_PARAMETER("token", "the id of the token")}, .gives_status = 204},
};

const ApiGroup api_accounts = {routes, sizeof routes / sizeof *routes, schemas,
                               sizeof schemas / sizeof *schemas};
