/* Routes for people's own accounts: sign up, log in and out, change the password, delete the
   account; and for the public profiles of others. */
#include "arena/api/attempts.h"
#include "arena/api/routes.h"
#include "arena/bots/bots.h"
#include "arena/people/people.h"
#include "arena/play/play.h"
#include "arena/settings.h"
#include "arena/tournaments/tournaments.h"
#include "base/json_object.h"
#include "http/schemas.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { SMALL_BODY = 4096, INVITATION_SIZE = 65 };

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

/* Sets *right if this is the password of the account, and copies its hash to `hash`. Takes as long
   for an unknown account (0). Answers with a problem and returns false if the store fails. */
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
        /* Only now is the password known, which a new hash requires. */
        char fresh[PASSWORD_HASH_SIZE];
        if (password_hash(password, fresh, &error) &&
            store_account_rehash(arena_of(request)->store, account, buffer_string(hash), fresh,
                                 &error) == STORE_OK) {
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
    json_out_bool(&out, "must_change_password", account->temporary);
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

/* ---- signing up ---- */

/* Names that could be mistaken for the arena itself. */
static bool is_reserved(const char *name) {
    static const char *const reserved[] = {"admin", "administrator", "arena", "house",
                                           "root",  "skirmish",      "system"};
    char look[STORE_NAME_SIZE];
    char other[STORE_NAME_SIZE];
    store_name_look(slice_of(name), look);
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++) {
        store_name_look(slice_of(reserved[i]), other);
        if (strcmp(look, other) == 0)
            return true;
    }
    return false;
}

/* All checks that come before the password is hashed. */
static bool may_register(const Request *request, Response *response,
                         const Credentials *credentials) {
    StoreAccount other;
    Error error = {0};
    if (arena_registration(arena_of(request)) == REGISTRATION_INVITATION &&
        !credentials->invitation[0]) {
        problem_about(request, response, 403, "invitation",
                      "You need an invitation code to sign up here. Ask an organiser for one.");
        return false;
    }
    if (!store_name_check("an account", slice_of(credentials->name), &error)) {
        problem_about(request, response, 422, "name", "%s", error.text);
        return false;
    }
    if (!password_check(credentials->password, credentials->name, &error)) {
        problem_about(request, response, 422, "password", "%s", error.text);
        return false;
    }
    if (is_reserved(credentials->name) ||
        store_account_find(arena_of(request)->store, slice_of(credentials->name), &other, &error) ==
            STORE_OK) {
        problem_about(request, response, 409, "name",
                      "the name \"%s\" is taken; choose another name", credentials->name);
        return false;
    }
    return true;
}

static void register_later(Request *request, Response *response) {
    static const char *const known[] = {"name", "password", "invitation", NULL};
    Credentials credentials = {0};
    Error error;
    char hash[PASSWORD_HASH_SIZE];
    uint64_t id = 0;
    StoreResult result = STORE_FAILED;
    if (attempt_from_address(request, response, RATE_REGISTER) &&
        read_credentials(request, response, known, &credentials) &&
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
            error_about(&error, result == STORE_CONFLICT ? "name" : "invitation");
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

static void log_in_later(Request *request, Response *response) {
    static const char *const known[] = {"name", "password", NULL};
    const Arena *arena = arena_of(request);
    Credentials credentials = {0};
    StoreAccount account = {0};
    Buffer hash = {0};
    Error error;
    bool right = false;
    if (attempt_from_address(request, response, RATE_LOGIN) &&
        read_credentials(request, response, known, &credentials)) {
        StoreResult result =
            store_account_find(arena->store, slice_of(credentials.name), &account, &error);
        if (result != STORE_OK)
            account.id = 0;
        Attempt attempt = attempt_of(request, credentials.name, account.id);
        if (result != STORE_OK && result != STORE_NOT_FOUND) {
            problem_from_store(request, response, result, &error);
        } else if (attempt_begin(request, response, &attempt) &&
                   is_password(request, response, account.id, credentials.password, &right,
                               &hash)) {
            if (right)
                attempt_succeeded(request, &attempt);
            if (!right)
                problem_about(request, response, 401, "password", "Wrong name or password.");
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
    StoreResult result =
        store_session_end(arena_of(request)->store, request->account, caller->session, &error);
    if (result != STORE_OK && result != STORE_NOT_FOUND)
        return problem_from_store(request, response, result, &error);
    auth_end_streams(arena_of(request), request->account, request->credential);
    auth_clear_cookie(request, response);
    return api_no_content(response);
}

/* ---- the caller's account ---- */

static Outcome handle_me(Request *request, Response *response) {
    const Caller *caller = auth_caller(request);
    char csrf_token[CSRF_TOKEN_SIZE];
    auth_renew_session(request, response);
    if (caller->session)
        auth_csrf_token(caller->secret, csrf_token);
    write_me(response, &caller->account, caller->session ? csrf_token : NULL, caller->expires);
    return OUTCOME_ANSWERED;
}

/* Checks the password with which the caller confirms a request. Answers with a problem and returns
   false if it is wrong. */
static bool confirms_password(const Request *request, Response *response, Slice password) {
    bool right = false;
    Buffer hash = {0};
    if (!attempt_confirmation(request, response))
        return false;
    bool known = is_password(request, response, request->account, password, &right, &hash);
    buffer_free(&hash);
    if (!known)
        return false;
    if (!right)
        problem_about(request, response, 403, "password", "Wrong password.");
    else
        attempt_confirmed(request);
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
            problem_about(request, response, 422, "new_password", "%s", error.text);
        } else if (confirms_password(request, response, credentials.password)) {
            StoreResult result = STORE_FAILED;
            if (password_hash(credentials.new_password, hash, &error))
                result = store_account_set_password(arena_of(request)->store, request->account,
                                                    hash, false, caller->secret, &error);
            if (result == STORE_OK) {
                auth_end_streams(arena_of(request), request->account, 0);
                auth_audit(request, "account.password", caller->account.name, "");
                auth_forget_initial_password(arena_of(request)->options.data, &caller->account);
                api_no_content(response);
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

bool api_delete_account(const Request *request, Response *response, uint64_t account) {
    Arena *arena = arena_of(request);
    char subject[STORE_LABEL_SIZE];
    Error error;
    StoreResult result = store_account_delete(arena->store, account, &error);
    if (result != STORE_OK) {
        problem_from_store(request, response, result, &error);
        return false;
    }
    snprintf(subject, sizeof subject, "account %" PRIu64, account);
    auth_end_streams(arena, account, 0);
    engine_forget_names(arena->engine);
    tournament_scheduler_forget_names(arena->scheduler);
    auth_audit(request, "account.delete", subject, "");
    versions_remove_orphans(arena);
    api_no_content(response);
    return true;
}

static void delete_me_later(Request *request, Response *response) {
    static const char *const known[] = {"password", NULL};
    Credentials credentials;
    if (read_credentials(request, response, known, &credentials) &&
        confirms_password(request, response, credentials.password) &&
        api_delete_account(request, response, request->account))
        auth_clear_cookie(request, response);
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
    StoreResult result = store_account_find(arena_of(request)->store,
                                            request_path(request, "person"), &account, &error);
    if (result != STORE_OK)
        return problem_from_store(request, response, result, &error);
    JsonOut out = {.to = &response->bytes};
    write_person(&out, &account);
    response_tag(response);
    return OUTCOME_ANSWERED;
}

/* ---- routes and schemas ---- */

#define ROLE_SCHEMA ENUM_SCHEMA(ROLE_NAMES)
#define NAME SCHEMA_SHORT("name", "2", "32")
#define PASSWORD(name) SCHEMA_SHORT(name, "1", "200")

static const Schema schemas[] = {
    {"Registration", SCHEMA_OBJECT("\"name\",\"password\"",
                                   NAME "," PASSWORD("password") "," SCHEMA_TEXT("invitation"))},
    {"Credentials", SCHEMA_OBJECT("\"name\",\"password\"", NAME "," PASSWORD("password"))},
    {"PasswordChange", SCHEMA_OBJECT("\"password\",\"new_password\"",
                                     PASSWORD("password") "," PASSWORD("new_password"))},
    {"PasswordProof", SCHEMA_OBJECT("\"password\"", PASSWORD("password"))},
    {"Me",
     SCHEMA_OBJECT("\"id\",\"name\",\"role\",\"created\",\"csrf_token\",\"expires\","
                   "\"must_change_password\"",
                   "\"id\":" INTEGER_SCHEMA ",\"name\":" TEXT_SCHEMA ",\"role\":" ROLE_SCHEMA
                   ",\"created\":" TIME_SCHEMA ",\"csrf_token\":" TEXT_OR_NULL_SCHEMA
                   ",\"expires\":" TIME_OR_NULL_SCHEMA "," SCHEMA_BOOL("must_change_password"))},
    {"Person", SCHEMA_OBJECT("\"id\",\"name\",\"role\",\"created\"",
                             "\"id\":" INTEGER_SCHEMA ",\"name\":" TEXT_SCHEMA
                             ",\"role\":" ROLE_SCHEMA ",\"created\":" TIME_SCHEMA)},
    {"People", SCHEMA_LIST("Person")},
};

#define GROUP "accounts"

static const Route routes[] = {
    {METHOD_POST, "/api/v1/register", "register", handle_register, NEEDS_NOTHING, SCOPE_NONE,
     RATE_REGISTER, SMALL_BODY, "Creates an account and logs in", GROUP, .takes = "Registration",
     .gives = "Me", .gives_status = 201},
    {METHOD_POST, "/api/v1/login", "login", handle_log_in, NEEDS_NOTHING, SCOPE_NONE, RATE_LOGIN,
     SMALL_BODY, "Logs in: sets a session cookie and returns the session's CSRF token", GROUP,
     .takes = "Credentials", .gives = "Me"},
    {METHOD_POST, "/api/v1/logout", "logout", handle_log_out, NEEDS_SESSION, SCOPE_SESSION,
     RATE_WRITE, 0, "Logs out: ends the session", GROUP, .gives_status = 204},
    {METHOD_GET, "/api/v1/me", "me", handle_me, NEEDS_SESSION, SCOPE_READ, RATE_READ, 0,
     "Returns your account and the CSRF token, and extends the session to 30 days from now, but "
     "not beyond 90 days after the login",
     GROUP, .gives = "Me"},
    {METHOD_DELETE, "/api/v1/me", "me_delete", handle_delete_me, NEEDS_SESSION, SCOPE_SESSION,
     RATE_WRITE, SMALL_BODY,
     "Deletes your account and its bots. Its matches stay, without the name", GROUP,
     .takes = "PasswordProof", .gives_status = 204},
    {METHOD_PUT, "/api/v1/me/password", "me_password", handle_change_password, NEEDS_SESSION,
     SCOPE_SESSION, RATE_WRITE, SMALL_BODY,
     "Changes your password, ends all other sessions and revokes all API tokens", GROUP,
     .takes = "PasswordChange", .gives_status = 204},
    {METHOD_GET, "/api/v1/people", "people", handle_people, NEEDS_NOTHING, SCOPE_READ, RATE_READ, 0,
     "Lists people with active accounts, newest first", GROUP,
     .parameters = {{"search", PARAMETER_TEXT, 0, 64, NULL, "a part of the name"}, PAGE_PARAMETERS},
     .gives = "People", .tagged = true},
    {METHOD_GET, "/api/v1/people/{person}", "person", handle_person, NEEDS_NOTHING, SCOPE_READ,
     RATE_READ, 0, "Returns the public profile of a person", GROUP,
     .parameters = {{"person", PARAMETER_TEXT, 0, 64, NULL, "the name of the account"}},
     .gives = "Person", .tagged = true},
};

const ApiGroup api_accounts = {routes, sizeof routes / sizeof *routes, schemas,
                               sizeof schemas / sizeof *schemas};
