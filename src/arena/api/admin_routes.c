/* Routes for administrators: accounts, invitations, settings, the audit log. Organisers can manage
   their own invitations. GET /api/v1/arena, which shows the settings, is public. */
#include "arena/api/routes.h"
#include "arena/bots/bots.h"
#include "arena/people/people.h"
#include "arena/settings.h"
#include "base/json_object.h"
#include "http/schemas.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { SMALL_BODY = 4096, USES_MAX = 10000, DAYS_MAX = 3650 };

#define DAY_MS INT64_C(86400000)
#define DISK_MOST (INT64_C(1) << 50)

/* ---- accounts ---- */

/* The names of StoreAccountState. */
#define ACCOUNT_STATES(name, between) \
 name("active") between name("suspended") between name("deleted")

static void write_account(JsonOut *out, const StoreAccount *account) {
    static const char *const states[] = NAME_ARRAY(ACCOUNT_STATES);
    json_open(out, NULL, '{');
    json_out_uint(out, "id", account->id);
    json_out_text(out, "name", account->name);
    json_out_text(out, "role", role_names[account->role]);
    json_out_text(out, "state", states[account->state]);
    api_time(out, "created", account->created);
    json_out_int(out, "disk_max", account->disk_max);
    json_close(out, '}');
}

/* Finds the account in the path. Answers with a problem and returns false if there is none. */
static bool find_account(const Request *request, Response *response, StoreAccount *account) {
    Error error;
    StoreResult result = store_account_find(arena_of(request)->store,
                                            request_path(request, "person"), account, &error);
    if (result != STORE_OK)
        problem_from_store(request, response, result, &error);
    return result == STORE_OK;
}

static Outcome handle_accounts(Request *request, Response *response) {
    Store *store = arena_of(request)->store;
    StoreAccount rows[STORE_PAGE_MAX];
    StorePage page;
    Slice search;
    Error error;
    if (!api_page(request, response, &page))
        return OUTCOME_ANSWERED;
    StoreResult result = request_query(request, "search", &search)
                             ? store_accounts_search(store, search, false, &page, rows, &error)
                             : store_accounts_list(store, &page, rows, &error);
    if (result != STORE_OK)
        return problem_from_store(request, response, result, &error);
    JsonOut out = {.to = &response->bytes};
    api_list_open(&out);
    for (uint32_t i = 0; i < page.count; i++)
        write_account(&out, &rows[i]);
    api_list_close(&out, &page);
    return OUTCOME_ANSWERED;
}

static Outcome handle_account(Request *request, Response *response) {
    StoreAccount account;
    JsonOut out = {.to = &response->bytes};
    if (find_account(request, response, &account))
        write_account(&out, &account);
    return OUTCOME_ANSWERED;
}

static StoreResult change_role(const Request *request, const StoreAccount *account, StoreRole role,
                               Error *error) {
    char detail[STORE_LINE_SIZE];
    if (role == account->role)
        return STORE_OK;
    StoreResult result = store_account_set_role(arena_of(request)->store, account->id, role, error);
    if (result == STORE_OK) {
        snprintf(detail, sizeof detail, "from %s to %s", role_names[account->role],
                 role_names[role]);
        auth_audit(request, "account.role", account->name, detail);
    }
    return result;
}

static StoreResult change_suspension(const Request *request, const StoreAccount *account,
                                     bool suspended, Error *error) {
    Store *store = arena_of(request)->store;
    if (suspended == (account->state == ACCOUNT_SUSPENDED))
        return STORE_OK;
    StoreResult result = store_account_suspend(store, account->id, suspended, error);
    /* Otherwise old sessions would work again when the account is restored. */
    if (result == STORE_OK && suspended)
        result = store_session_end(store, account->id, 0, error);
    if (suspended)
        auth_end_streams(arena_of(request), account->id, 0);
    if (result == STORE_OK)
        auth_audit(request, suspended ? "account.suspend" : "account.restore", account->name, "");
    return result;
}

static StoreResult change_disk(const Request *request, const StoreAccount *account, int64_t bytes,
                               Error *error) {
    if (bytes == account->disk_max)
        return STORE_OK;
    StoreResult result = store_usage_allow(arena_of(request)->store, account->id, bytes, error);
    char detail[STORE_LABEL_SIZE];
    snprintf(detail, sizeof detail, "%" PRId64 " bytes", bytes);
    if (result == STORE_OK)
        auth_audit(request, "account.disk", account->name, bytes ? detail : "the default");
    return result;
}

static Outcome handle_change_account(Request *request, Response *response) {
    static const char *const known[] = {"role", "suspended", "disk_max", NULL};
    StoreAccount account;
    JsonObject config = {0};
    Error error;
    if (!find_account(request, response, &account))
        return OUTCOME_ANSWERED;
    uint32_t role = account.role;
    bool suspended = account.state == ACCOUNT_SUSPENDED;
    int64_t disk_max = account.disk_max;
    bool good = api_body(request, response, &config);
    if (good && (!json_object_allow_only(&config, 0, known, &error) ||
                 !json_object_choice(&config, "role", role_names, &role, &error) ||
                 !json_object_bool(&config, 0, "suspended", &suspended, &error) ||
                 !json_object_int(&config, 0, "disk_max", 0, DISK_MOST, &disk_max, &error))) {
        api_body_problem(request, response, &error);
        good = false;
    }
    json_object_free(&config);
    if (!good)
        return OUTCOME_ANSWERED;
    StoreResult result = change_role(request, &account, (StoreRole)role, &error);
    if (result == STORE_OK)
        result = change_suspension(request, &account, suspended, &error);
    if (result == STORE_OK)
        result = change_disk(request, &account, disk_max, &error);
    if (result == STORE_OK)
        result = store_account_get(arena_of(request)->store, account.id, &account, &error);
    if (result != STORE_OK)
        return problem_from_store(request, response, result, &error);
    JsonOut out = {.to = &response->bytes};
    write_account(&out, &account);
    return OUTCOME_ANSWERED;
}

static void delete_account_later(Request *request, Response *response) {
    StoreAccount account;
    if (find_account(request, response, &account))
        api_delete_account(request, response, account.id);
}

static Outcome handle_delete_account(Request *request, Response *response) {
    (void)response;
    return request_defer(request, delete_account_later);
}

static void reset_password_later(Request *request, Response *response) {
    StoreAccount account;
    Error error;
    char password[PASSWORD_GENERATED_SIZE];
    char hash[PASSWORD_HASH_SIZE];
    if (!find_account(request, response, &account))
        return;
    password_generate(password);
    StoreResult result = STORE_FAILED;
    if (password_hash(slice_of(password), hash, &error))
        result = store_account_set_password(arena_of(request)->store, account.id, hash, true,
                                            (Slice){0}, &error);
    if (result != STORE_OK) {
        problem_from_store(request, response, result, &error);
        return;
    }
    auth_end_streams(arena_of(request), account.id, 0);
    auth_audit(request, "account.reset", account.name, "");
    JsonOut out = {.to = &response->bytes};
    response->secret = true;
    json_open(&out, NULL, '{');
    json_out_text(&out, "password", password);
    json_close(&out, '}');
}

static Outcome handle_reset_password(Request *request, Response *response) {
    (void)response;
    return request_hash(request, reset_password_later);
}

/* ---- invitations ---- */

static void write_invitation(JsonOut *out, const StoreInvitation *invitation, const char *code) {
    json_open(out, NULL, '{');
    json_out_uint(out, "id", invitation->id);
    json_out_text(out, "note", invitation->note);
    json_out_text(out, "role", role_names[invitation->role]);
    json_out_uint(out, "left", invitation->left);
    api_time(out, "created", invitation->created);
    api_time(out, "expires", invitation->expires);
    if (code)
        json_out_text(out, "code", code);
    json_close(out, '}');
}

/* The account whose invitations the caller may see and revoke; 0: all accounts. */
static uint64_t inviter(const Request *request) {
    return request->role >= ROLE_ADMINISTRATOR ? 0 : request->account;
}

static Outcome handle_invitations(Request *request, Response *response) {
    StoreInvitation rows[STORE_PAGE_MAX];
    StorePage page;
    Error error;
    if (!api_page(request, response, &page))
        return OUTCOME_ANSWERED;
    StoreResult result =
        store_invitations_list(arena_of(request)->store, inviter(request), &page, rows, &error);
    if (result != STORE_OK)
        return problem_from_store(request, response, result, &error);
    JsonOut out = {.to = &response->bytes};
    api_list_open(&out);
    for (uint32_t i = 0; i < page.count; i++)
        write_invitation(&out, &rows[i], NULL);
    api_list_close(&out, &page);
    return OUTCOME_ANSWERED;
}

static bool read_invitation(const Request *request, Response *response,
                            StoreInvitation *invitation) {
    static const char *const known[] = {"note", "role", "uses", "days", NULL};
    JsonObject config = {0};
    Error error;
    int64_t uses = 1;
    int64_t days = 0;
    uint32_t role = ROLE_PLAYER;
    bool good = api_body(request, response, &config);
    if (good &&
        (!json_object_allow_only(&config, 0, known, &error) ||
         !json_object_text(&config, "note", invitation->note, sizeof invitation->note, &error) ||
         (!store_text_check("the note", slice_of(invitation->note), &error) &&
          !error_about(&error, "note")) ||
         !json_object_choice(&config, "role", role_names, &role, &error) ||
         !json_object_int(&config, 0, "uses", 1, USES_MAX, &uses, &error) ||
         !json_object_int(&config, 0, "days", 1, DAYS_MAX, &days, &error))) {
        api_body_problem(request, response, &error);
        good = false;
    }
    json_object_free(&config);
    invitation->creator = request->account;
    invitation->role = (StoreRole)role;
    invitation->left = (uint32_t)uses;
    invitation->created = store_now(arena_of(request)->store);
    invitation->expires = days ? invitation->created + days * DAY_MS : 0;
    return good;
}

static Outcome handle_make_invitation(Request *request, Response *response) {
    StoreInvitation invitation = {0};
    char code[PASSWORD_GENERATED_SIZE];
    char text[STORE_LINE_SIZE];
    Error error;
    if (!read_invitation(request, response, &invitation))
        return OUTCOME_ANSWERED;
    if (invitation.role != ROLE_PLAYER && request->role < ROLE_ADMINISTRATOR)
        return problem_about(
            request, response, 403, "role",
            "Organisers can invite players only. Ask an administrator to invite other roles.");
    password_generate(code);
    StoreResult result =
        store_invitation_add(arena_of(request)->store, &invitation, code, &invitation.id, &error);
    if (result != STORE_OK)
        return problem_from_store(request, response, result, &error);
    char subject[STORE_LABEL_SIZE];
    snprintf(subject, sizeof subject, "invitation %" PRIu64, invitation.id);
    snprintf(text, sizeof text, "uses: %u, role: %s", (unsigned)invitation.left,
             role_names[invitation.role]);
    auth_audit(request, "invitation.make", subject, text);
    snprintf(text, sizeof text, "/api/v1/admin/invitations/%" PRIu64, invitation.id);
    response->status = 201;
    response->secret = true;
    response_header(response, HEADER_LOCATION, slice_of(text));
    JsonOut out = {.to = &response->bytes};
    write_invitation(&out, &invitation, code);
    return OUTCOME_ANSWERED;
}

static Outcome handle_revoke_invitation(Request *request, Response *response) {
    uint64_t id = (uint64_t)request_number(request, "invitation", 0);
    char subject[STORE_LABEL_SIZE];
    Error error;
    StoreResult result =
        store_invitation_revoke(arena_of(request)->store, inviter(request), id, &error);
    if (result != STORE_OK)
        return problem_from_store(request, response, result, &error);
    snprintf(subject, sizeof subject, "invitation %" PRIu64, id);
    auth_audit(request, "invitation.revoke", subject, "");
    return api_no_content(response);
}

/* ---- settings ---- */

static void write_settings(JsonOut *out, const Arena *arena) {
    json_out_text(out, "registration", registration_names[arena_registration(arena)]);
    json_out_bool(out, "visitors", arena_visitors(arena));
    json_out_bool(out, "ladder", arena_ladder_on(arena));
}

static Outcome handle_settings(Request *request, Response *response) {
    JsonOut out = {.to = &response->bytes};
    json_open(&out, NULL, '{');
    write_settings(&out, arena_of(request));
    json_close(&out, '}');
    return OUTCOME_ANSWERED;
}

static Outcome handle_arena(Request *request, Response *response) {
    JsonOut out = {.to = &response->bytes};
    json_open(&out, NULL, '{');
    json_out_text(&out, "version", SKIRMISH_VERSION);
    write_settings(&out, arena_of(request));
    json_close(&out, '}');
    response_tag(response);
    return OUTCOME_ANSWERED;
}

static StoreResult set_settings(const Request *request, Registration registration, bool visitors,
                                bool ladder, Error *error) {
    Arena *arena = arena_of(request);
    StoreResult result = STORE_OK;
    if (registration != arena_registration(arena)) {
        result = settings_set_registration(arena, registration, error);
        if (result == STORE_OK)
            auth_audit(request, "settings.change", "registration",
                       registration_names[registration]);
    }
    if (result == STORE_OK && visitors != arena_visitors(arena)) {
        result = settings_set_visitors(arena, visitors, error);
        if (result == STORE_OK)
            auth_audit(request, "settings.change", "visitors", visitors ? "on" : "off");
    }
    if (result == STORE_OK && ladder != arena_ladder_on(arena)) {
        result = settings_set_ladder(arena, ladder, error);
        if (result == STORE_OK)
            auth_audit(request, "settings.change", "ladder", ladder ? "on" : "off");
    }
    return result;
}

static Outcome handle_change_settings(Request *request, Response *response) {
    static const char *const known[] = {"registration", "visitors", "ladder", NULL};
    const Arena *arena = arena_of(request);
    JsonObject config = {0};
    Error error;
    uint32_t registration = arena_registration(arena);
    bool visitors = arena_visitors(arena);
    bool ladder = arena_ladder_on(arena);
    bool good = api_body(request, response, &config);
    if (good &&
        (!json_object_allow_only(&config, 0, known, &error) ||
         !json_object_choice(&config, "registration", registration_names, &registration, &error) ||
         !json_object_bool(&config, 0, "visitors", &visitors, &error) ||
         !json_object_bool(&config, 0, "ladder", &ladder, &error))) {
        api_body_problem(request, response, &error);
        good = false;
    }
    json_object_free(&config);
    if (!good)
        return OUTCOME_ANSWERED;
    StoreResult result =
        set_settings(request, (Registration)registration, visitors, ladder, &error);
    if (result != STORE_OK)
        return problem_from_store(request, response, result, &error);
    return handle_settings(request, response);
}

/* ---- the audit log ---- */

static void write_entry(JsonOut *out, const StoreAudit *entry) {
    json_open(out, NULL, '{');
    json_out_uint(out, "id", entry->id);
    api_time(out, "time", entry->time);
    if (entry->actor)
        json_out_text(out, "person", entry->actor_name);
    else
        json_out_null(out, "person");
    json_out_text(out, "action", entry->action);
    json_out_text(out, "subject", entry->subject);
    json_out_text(out, "detail", entry->detail);
    json_out_text(out, "address", entry->address);
    json_close(out, '}');
}

static Outcome handle_audit(Request *request, Response *response) {
    Store *store = arena_of(request)->store;
    StoreAudit rows[STORE_PAGE_MAX];
    StorePage page;
    StoreAccount account = {0};
    Slice person;
    Error error;
    StoreResult result = STORE_OK;
    if (!api_page(request, response, &page))
        return OUTCOME_ANSWERED;
    if (request_query(request, "person", &person))
        result = store_account_find(store, person, &account, &error);
    if (result == STORE_OK)
        result = store_audit_list(store, account.id, &page, rows, &error);
    if (result != STORE_OK)
        return problem_from_store(request, response, result, &error);
    JsonOut out = {.to = &response->bytes};
    api_list_open(&out);
    for (uint32_t i = 0; i < page.count; i++)
        write_entry(&out, &rows[i]);
    api_list_close(&out, &page);
    return OUTCOME_ANSWERED;
}

/* ---- routes and schemas ---- */

#define REGISTRATION_MEMBER SCHEMA_CHOICE("registration", REGISTRATION_NAMES)
#define SETTINGS_MEMBERS REGISTRATION_MEMBER "," SCHEMA_BOOL("visitors") "," SCHEMA_BOOL("ladder")
#define DISK_MEMBER SCHEMA_RANGE("disk_max", "0", "1125899906842624")
#define ACCOUNT_MEMBERS                                                           \
 SCHEMA_NUMBER("id")                                                              \
 "," SCHEMA_TEXT("name") "," SCHEMA_CHOICE("role", ROLE_NAMES) "," SCHEMA_CHOICE( \
     "state", ACCOUNT_STATES) "," SCHEMA_TIME("created") "," DISK_MEMBER
#define INVITATION_MEMBERS                                                        \
 SCHEMA_NUMBER("id")                                                              \
 "," SCHEMA_TEXT("note") "," SCHEMA_CHOICE("role", ROLE_NAMES) "," SCHEMA_NUMBER( \
     "left") "," SCHEMA_TIME("created") "," SCHEMA_TIME_OR_NULL("expires")

static const Schema schemas[] = {
    {"Arena", SCHEMA_OBJECT("\"version\",\"registration\",\"visitors\",\"ladder\"",
                            SCHEMA_TEXT("version") "," SETTINGS_MEMBERS)},
    {"Settings", SCHEMA_OBJECT("\"registration\",\"visitors\",\"ladder\"", SETTINGS_MEMBERS)},
    {"SettingsChange", SCHEMA_OBJECT("", SETTINGS_MEMBERS)},
    {"Account",
     SCHEMA_OBJECT("\"id\",\"name\",\"role\",\"state\",\"created\",\"disk_max\"", ACCOUNT_MEMBERS)},
    {"Accounts", SCHEMA_LIST("Account")},
    {"AccountChange", SCHEMA_OBJECT("", SCHEMA_CHOICE("role", ROLE_NAMES) "," SCHEMA_BOOL(
                                            "suspended") "," DISK_MEMBER)},
    {"NewPassword", SCHEMA_OBJECT("\"password\"", SCHEMA_TEXT("password"))},
    {"NewInvitation",
     SCHEMA_OBJECT(
         "", SCHEMA_SHORT("note", "0", "96") "," SCHEMA_CHOICE("role", ROLE_NAMES) "," SCHEMA_RANGE(
                 "uses", "1", "10000") "," SCHEMA_RANGE("days", "1", "3650"))},
    {"Invitation", SCHEMA_OBJECT("\"id\",\"note\",\"role\",\"left\",\"created\",\"expires\"",
                                 INVITATION_MEMBERS)},
    {"InvitationMade",
     SCHEMA_OBJECT("\"id\",\"note\",\"role\",\"left\",\"created\",\"expires\",\"code\"",
                   INVITATION_MEMBERS "," SCHEMA_TEXT("code"))},
    {"Invitations", SCHEMA_LIST("Invitation")},
    {"AuditEntry",
     SCHEMA_OBJECT("\"id\",\"time\",\"person\",\"action\",\"subject\",\"detail\",\"address\"",
                   "\"id\":" INTEGER_SCHEMA ",\"time\":" TIME_SCHEMA
                   ",\"person\":" TEXT_OR_NULL_SCHEMA ",\"action\":" TEXT_SCHEMA
                   ",\"subject\":" TEXT_SCHEMA ",\"detail\":" TEXT_SCHEMA
                   ",\"address\":" TEXT_SCHEMA)},
    {"Audit", SCHEMA_LIST("AuditEntry")},
};

#define GROUP "administration"
#define ROOT "/api/v1/admin"
#define PERSON \
 { "person", PARAMETER_TEXT, 0, 64, NULL, "the name of the account" }

static const Route routes[] = {
    {METHOD_GET, "/api/v1/arena", "arena", handle_arena, NEEDS_NOTHING, SCOPE_READ, RATE_READ, 0,
     "Returns the version and the public settings of the arena", GROUP, .gives = "Arena",
     .tagged = true},
    {METHOD_GET, ROOT "/accounts", "accounts", handle_accounts, NEEDS_ADMINISTRATOR,
     SCOPE_ADMINISTER, RATE_READ, 0, "Lists all accounts, newest first", GROUP,
     .parameters = {{"search", PARAMETER_TEXT, 0, 64, NULL, "a part of the name"}, PAGE_PARAMETERS},
     .gives = "Accounts"},
    {METHOD_GET, ROOT "/accounts/{person}", "account", handle_account, NEEDS_ADMINISTRATOR,
     SCOPE_ADMINISTER, RATE_READ, 0, "Returns an account", GROUP, .parameters = {PERSON},
     .gives = "Account"},
    {METHOD_PATCH, ROOT "/accounts/{person}", "account_change", handle_change_account,
     NEEDS_ADMINISTRATOR, SCOPE_ADMINISTER, RATE_WRITE, SMALL_BODY,
     "Changes the role or the disk quota of an account (0: the arena's default), or suspends or "
     "reactivates it",
     GROUP, .parameters = {PERSON}, .takes = "AccountChange", .gives = "Account"},
    {METHOD_DELETE, ROOT "/accounts/{person}", "account_delete", handle_delete_account,
     NEEDS_ADMINISTRATOR, SCOPE_ADMINISTER, RATE_WRITE, 0, "Deletes an account and its bots", GROUP,
     .parameters = {PERSON}, .gives_status = 204},
    {METHOD_POST, ROOT "/accounts/{person}/password", "account_reset", handle_reset_password,
     NEEDS_ADMINISTRATOR, SCOPE_ADMINISTER, RATE_WRITE, 0,
     "Sets a random password, ends the sessions and revokes the API tokens. The password is only "
     "in this response, and must be changed after the next login",
     GROUP, .parameters = {PERSON}, .gives = "NewPassword"},
    {METHOD_GET, ROOT "/invitations", "invitations", handle_invitations, NEEDS_ORGANISER,
     SCOPE_ORGANISE, RATE_READ, 0,
     "Lists your invitations, without their codes. Administrators see all of them", GROUP,
     .parameters = {PAGE_PARAMETERS}, .gives = "Invitations"},
    {METHOD_POST, ROOT "/invitations", "invitation_make", handle_make_invitation, NEEDS_ORGANISER,
     SCOPE_ORGANISE, RATE_WRITE, SMALL_BODY,
     "Creates an invitation. Its code is only in this response. Organisers can invite players only",
     GROUP, .takes = "NewInvitation", .gives = "InvitationMade", .gives_status = 201},
    {METHOD_DELETE, ROOT "/invitations/{invitation}", "invitation_revoke", handle_revoke_invitation,
     NEEDS_ORGANISER, SCOPE_ORGANISE, RATE_WRITE, 0,
     "Revokes one of your invitations. Administrators can revoke any", GROUP,
     .parameters = {{"invitation", PARAMETER_NUMBER, 1, INT64_MAX, NULL,
                     "the id of the invitation"}},
     .gives_status = 204},
    {METHOD_GET, ROOT "/settings", "settings", handle_settings, NEEDS_ADMINISTRATOR,
     SCOPE_ADMINISTER, RATE_READ, 0,
     "Returns the settings that can be changed while the arena runs", GROUP, .gives = "Settings"},
    {METHOD_PATCH, ROOT "/settings", "settings_change", handle_change_settings, NEEDS_ADMINISTRATOR,
     SCOPE_ADMINISTER, RATE_WRITE, SMALL_BODY,
     "Changes settings. They override the options that the arena was started with", GROUP,
     .takes = "SettingsChange", .gives = "Settings"},
    {METHOD_GET, ROOT "/audit", "audit", handle_audit, NEEDS_ADMINISTRATOR, SCOPE_ADMINISTER,
     RATE_READ, 0, "Lists the audit log, newest first", GROUP,
     .parameters = {{"person", PARAMETER_TEXT, 0, 64, NULL, "only actions of this person"},
                    PAGE_PARAMETERS},
     .gives = "Audit"},
};

const ApiGroup api_admin = {routes, sizeof routes / sizeof *routes, schemas,
                            sizeof schemas / sizeof *schemas};
