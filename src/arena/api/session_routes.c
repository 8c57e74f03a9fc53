/* Routes for a person's sessions and API tokens: list and end them, create tokens. */
#include "arena/api/routes.h"
#include "arena/people/people.h"
#include "base/nearest_name.h"
#include "http/schemas.h"

#include <inttypes.h>
#include <stdio.h>

enum { SMALL_BODY = 4096, TOKENS_MAX = 50, TOKEN_DAYS = 90, TOKEN_DAYS_MAX = 3650 };

#define DAY_MS INT64_C(86400000)

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
    auth_end_streams(arena_of(request), request->account, id ? credential_of_session(id) : 0);
    if (!id || id == auth_caller(request)->session)
        auth_clear_cookie(request, response);
    return api_no_content(response);
}

/* ---- API tokens ---- */

static Outcome answer_created(Response *response, const char *where, uint64_t id) {
    char location[64];
    snprintf(location, sizeof location, "%s%" PRIu64, where, id);
    response->status = 201;
    response_header(response, HEADER_LOCATION, slice_of(location));
    return OUTCOME_ANSWERED;
}

static void write_token(JsonOut *out, const StoreToken *token, const char *secret) {
    json_open(out, NULL, '{');
    json_out_uint(out, "id", token->id);
    json_out_text(out, "name", token->name);
    json_open(out, "scopes", '[');
    for (uint32_t i = 0; scope_names[i]; i++)
        if (token->scopes & 1U << i)
            json_out_text(out, NULL, scope_names[i]);
    json_close(out, ']');
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

/* Reads the list of scopes: by default, what players need. A token never gets a scope that its
   owner's role cannot use, because it would take effect with a later role. */
static bool read_scopes(const Request *request, const JsonObject *config, uint32_t *scopes,
                        Error *error) {
    uint32_t list = JSON_NONE;
    const JsonNode *nodes = config->json.nodes;
    if (!json_object_member(config, 0, "scopes", JSON_ARRAY, &list, error))
        return false;
    *scopes = scope_bit(SCOPE_READ) | scope_bit(SCOPE_PLAY) | scope_bit(SCOPE_UPLOAD);
    if (list == JSON_NONE)
        return true;
    *scopes = 0;
    for (uint32_t node = list + 1; node < nodes[list].next; node = nodes[node].next) {
        uint32_t i = 0;
        Error inner;
        if (nodes[node].kind != JSON_STRING)
            return json_object_error(config, node, error, "a scope must be a string, not %s",
                                     json_kind_name(&config->json, node));
        if (!find_name("scope", nodes[node].text, scope_names, &i, &inner))
            return json_object_error(config, node, error, "%s", inner.text);
        StoreRole least = i + 1 == SCOPE_ADMINISTER ? ROLE_ADMINISTRATOR
                          : i + 1 == SCOPE_ORGANISE ? ROLE_ORGANISER
                                                    : ROLE_PLAYER;
        if (request->role < (uint32_t)least)
            return json_object_error(config, node, error, "the scope \"%s\" needs the role of %s",
                                     scope_names[i], role_names[least]);
        *scopes |= 1U << i;
    }
    return *scopes || json_object_error(config, list, error, "a token needs at least one scope");
}

static bool read_new_token(const Request *request, Response *response, StoreToken *token) {
    static const char *const known[] = {"name", "scopes", "days", NULL};
    Store *store = arena_of(request)->store;
    JsonObject config;
    Error error;
    int64_t days = TOKEN_DAYS;
    bool good = api_body(request, response, &config);
    if (good) {
        good =
            json_object_allow_only(&config, 0, known, &error) &&
            json_object_required_text(&config, "name", token->name, sizeof token->name, &error) &&
            (store_text_check("the name of the token", slice_of(token->name), &error) ||
             error_about(&error, "name")) &&
            read_scopes(request, &config, &token->scopes, &error) &&
            json_object_int(&config, 0, "days", 1, TOKEN_DAYS_MAX, &days, &error);
        if (!good)
            api_body_problem(request, response, &error);
    }
    json_object_free(&config);
    token->account = request->account;
    token->created = store_now(store);
    token->expires = token->created + days * DAY_MS;
    return good;
}

static Outcome handle_make_token(Request *request, Response *response) {
    Store *store = arena_of(request)->store;
    StoreToken token = {0};
    StoreToken rows[TOKENS_MAX];
    StorePage page = {.limit = TOKENS_MAX};
    Error error;
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
        result = store_token_add(store, &token, slice_of(text), &token.id, &error);
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
    uint64_t own = auth_caller(request)->token;
    if (own && own != id)
        return problem(request, response, 403,
                       "An API token can revoke only itself. Log in with your password.");
    StoreResult result = store_token_revoke(arena_of(request)->store, request->account, id, &error);
    if (result != STORE_OK)
        return problem_from_store(request, response, result, &error);
    auth_end_streams(arena_of(request), request->account, credential_of_token(id));
    snprintf(subject, sizeof subject, "token %" PRIu64, id);
    auth_audit(request, "token.revoke", subject, "");
    return api_no_content(response);
}

/* ---- routes and schemas ---- */

#define SCOPES_MEMBER "\"scopes\":" ARRAY_SCHEMA(ENUM_SCHEMA(SCOPE_NAMES))
#define TOKEN_MEMBERS                                                                          \
 SCHEMA_NUMBER("id")                                                                           \
 "," SCHEMA_TEXT("name") "," SCOPES_MEMBER "," SCHEMA_TIME("created") "," SCHEMA_TIME_OR_NULL( \
     "expires") "," SCHEMA_TIME_OR_NULL("used")

static const Schema schemas[] = {
    {"Session",
     SCHEMA_OBJECT("\"id\",\"created\",\"expires\",\"address\",\"current\"",
                   SCHEMA_NUMBER("id") "," SCHEMA_TIME("created") "," SCHEMA_TIME(
                       "expires") "," SCHEMA_TEXT("address") "," SCHEMA_BOOL("current"))},
    {"Sessions", SCHEMA_LIST("Session")},
    {"NewToken",
     SCHEMA_OBJECT("\"name\"", SCHEMA_SHORT("name", "1", "96") "," SCOPES_MEMBER "," SCHEMA_RANGE(
                                   "days", "1", "3650"))},
    {"Token",
     SCHEMA_OBJECT("\"id\",\"name\",\"scopes\",\"created\",\"expires\",\"used\"", TOKEN_MEMBERS)},
    {"TokenMade",
     SCHEMA_OBJECT("\"id\",\"name\",\"scopes\",\"created\",\"expires\",\"used\",\"token\"",
                   TOKEN_MEMBERS "," SCHEMA_TEXT("token"))},
    {"Tokens", SCHEMA_LIST("Token")},
};

#define GROUP "accounts"
#define ID_PARAMETER(name, about) \
 { name, PARAMETER_NUMBER, 1, INT64_MAX, NULL, about }

static const Route routes[] = {
    {METHOD_GET, "/api/v1/sessions", "sessions", handle_sessions, NEEDS_SESSION, SCOPE_READ,
     RATE_READ, 0, "Lists your sessions", GROUP, .parameters = {PAGE_PARAMETERS},
     .gives = "Sessions"},
    {METHOD_DELETE, "/api/v1/sessions", "sessions_end", handle_end_session, NEEDS_SESSION,
     SCOPE_SESSION, RATE_WRITE, 0, "Ends all your sessions", GROUP, .gives_status = 204},
    {METHOD_DELETE, "/api/v1/sessions/{session}", "session_end", handle_end_session, NEEDS_SESSION,
     SCOPE_SESSION, RATE_WRITE, 0, "Ends one of your sessions", GROUP,
     .parameters = {ID_PARAMETER("session", "the id of the session")}, .gives_status = 204},
    {METHOD_GET, "/api/v1/tokens", "tokens", handle_tokens, NEEDS_SESSION, SCOPE_READ, RATE_READ, 0,
     "Lists your API tokens, without their secrets", GROUP, .parameters = {PAGE_PARAMETERS},
     .gives = "Tokens"},
    {METHOD_POST, "/api/v1/tokens", "token_make", handle_make_token, NEEDS_SESSION, SCOPE_SESSION,
     RATE_WRITE, SMALL_BODY,
     "Creates an API token, by default with the scopes read, play and upload and for 90 days. The "
     "token is only in this response",
     GROUP, .takes = "NewToken", .gives = "TokenMade", .gives_status = 201},
    {METHOD_DELETE, "/api/v1/tokens/{token}", "token_revoke", handle_revoke_token, NEEDS_SESSION,
     SCOPE_READ, RATE_WRITE, 0,
     "Revokes one of your API tokens. An API token can revoke only itself", GROUP,
     .parameters = {ID_PARAMETER("token", "the id of the token")}, .gives_status = 204},
};

const ApiGroup api_sessions = {routes, sizeof routes / sizeof *routes, schemas,
                               sizeof schemas / sizeof *schemas};
