/* Routes for bots: create, list, publish, retire; and the languages. The handlers of versions are
   in version_routes.c. */
#include "arena/api/bot_routes.h"

#include "arena/bots/bots.h"
#include "arena/ladders/ladders.h"
#include "arena/people/people.h"
#include "base/memory.h"
#include "http/schemas.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- finding a bot, permissions ---- */

StoreResult bots_find(const Request *request, Slice text, StoreBot *bot, Error *error) {
    const char *slash = text.length ? memchr(text.at, '/', text.length) : NULL;
    if (!slash) {
        error_set(error, "unknown bot \"%.*s\"; write it as owner/name", SLICE_ARGS(text));
        return STORE_NOT_FOUND;
    }
    Slice owner = {text.at, (size_t)(slash - text.at)};
    Slice name = {slash + 1, text.length - owner.length - 1};
    return store_bot_find(arena_of(request)->store, owner, name, bot, error);
}

bool bots_of_path(const Request *request, Response *response, StoreBot *bot) {
    Error error;
    StoreResult result = store_bot_find(arena_of(request)->store, request_path(request, "owner"),
                                        request_path(request, "bot"), bot, &error);
    if (result != STORE_OK)
        problem_from_store(request, response, result, &error);
    return result == STORE_OK;
}

bool bots_may_change(const Request *request, Response *response, const StoreBot *bot,
                     bool moderation) {
    bool owner = request->account && request->account == bot->owner;
    if (owner || (moderation && request->account && request->role >= ROLE_ADMINISTRATOR))
        return true;
    problem(request, response, 403, "Only the owner of the bot can do this.");
    return false;
}

bool bots_may_read(const Request *request, const StoreBot *bot) {
    return bot->published || (request->account && auth_is_owner_or_organiser(request, bot->owner));
}

void bots_audit(const Request *request, const char *action, const StoreBot *bot,
                const char *detail) {
    char subject[64];
    snprintf(subject, sizeof subject, "bot %" PRIu64, bot->id);
    auth_audit(request, action, subject, detail);
}

/* ---- JSON ---- */

/* The members that every form of a bot has. */
static void write_members(JsonOut *out, const StoreBot *bot) {
    json_out_uint(out, "id", bot->id);
    json_out_text(out, "owner", bot->owner_name);
    json_out_text(out, "name", bot->name);
    json_out_text(out, "game", bot->game);
    json_out_bool(out, "published", bot->published);
    api_time(out, "created", bot->created);
    if (bot->active) {
        json_out_uint(out, "active_version", bot->active);
        json_out_uint(out, "active_number", bot->active_number);
    } else {
        json_out_null(out, "active_version");
        json_out_null(out, "active_number");
    }
}

static void write_rating(JsonOut *out, const StoreRating *rating) {
    json_open(out, "rating", '{');
    json_out_double(out, "rating", rating->rating);
    json_out_double(out, "error", rating->error);
    json_out_uint(out, "rank", rating->rank);
    json_out_uint(out, "matches", rating->matches);
    json_out_uint(out, "won", rating->won);
    json_out_uint(out, "drawn", rating->drawn);
    json_out_uint(out, "lost", rating->lost);
    json_close(out, '}');
}

/* Writes how many of its placement matches the active version has played. `rating` may be NULL, or
   be that of an earlier version. */
static void write_placement(JsonOut *out, const StoreBot *bot, const StoreRating *rating) {
    if (!bot->active) {
        json_out_null(out, "placement");
        return;
    }
    uint32_t played = rating && rating->version == bot->active ? rating->matches : 0;
    json_open(out, "placement", '{');
    json_out_uint(out, "played", played < LADDER_PLACED ? played : LADDER_PLACED);
    json_out_uint(out, "of", LADDER_PLACED);
    json_close(out, '}');
}

/* Answers with a bot, its active version and its rating. */
static Outcome answer_bot(const Request *request, Response *response, const StoreBot *bot) {
    Error error;
    Store *store = arena_of(request)->store;
    StoreVersion version = {0};
    StoreRating rating = {0};
    StoreResult result =
        bot->active ? store_version_get(store, bot->active, &version, &error) : STORE_OK;
    if (result != STORE_OK)
        return problem_from_store(request, response, result, &error);
    StoreResult rated = store_rating_get(store, bot->id, &rating, &error);
    if (rated != STORE_OK && rated != STORE_NOT_FOUND)
        return problem_from_store(request, response, rated, &error);
    JsonOut out = {.to = &response->bytes};
    json_open(&out, NULL, '{');
    write_members(&out, bot);
    if (bot->active)
        versions_write(&out, "version", &version, bot, bots_may_read(request, bot));
    else
        json_out_null(&out, "version");
    if (rated == STORE_OK)
        write_rating(&out, &rating);
    else
        json_out_null(&out, "rating");
    write_placement(&out, bot, rated == STORE_OK ? &rating : NULL);
    json_close(&out, '}');
    return OUTCOME_ANSWERED;
}

/* ---- bots ---- */

/* Reads whose bots to list; 0: those of all accounts. */
static bool read_owner(const Request *request, Response *response, uint64_t *owner) {
    Slice text;
    Error error;
    StoreAccount account;
    *owner = 0;
    if (request_query(request, "mine", &text)) {
        *owner = request->account;
        if (!request->account)
            problem(request, response, 401, "Log in to list your own bots.");
        return request->account != 0;
    }
    if (!request_query(request, "owner", &text))
        return true;
    StoreResult result = store_account_find(arena_of(request)->store, text, &account, &error);
    if (result != STORE_OK) {
        error_about(&error, "owner");
        problem_from_store(request, response, result, &error);
        return false;
    }
    *owner = account.id;
    return true;
}

static bool read_game(const Request *request, Response *response, const char **game) {
    Slice name;
    Error error;
    *game = NULL;
    if (!request_query(request, "game", &name))
        return true;
    const Game *found = game_find(name, &error);
    if (!found)
        problem(request, response, 404, "%s", error.text);
    *game = found ? found->name : NULL;
    return found != NULL;
}

static Outcome handle_list(Request *request, Response *response) {
    Error error;
    StorePage page;
    uint64_t owner;
    const char *game;
    Slice search = {0};
    if (!api_page(request, response, &page) || !read_owner(request, response, &owner) ||
        !read_game(request, response, &game))
        return OUTCOME_ANSWERED;
    StoreBot *rows = xcalloc(page.limit, sizeof *rows);
    Store *store = arena_of(request)->store;
    StoreResult result = request_query(request, "search", &search)
                             ? store_bots_search(store, owner, game, search, &page, rows, &error)
                             : store_bots_list(store, owner, game, &page, rows, &error);
    if (result == STORE_OK) {
        JsonOut out = {.to = &response->bytes};
        api_list_open(&out);
        for (uint32_t i = 0; i < page.count; i++) {
            json_open(&out, NULL, '{');
            write_members(&out, &rows[i]);
            json_close(&out, '}');
        }
        api_list_close(&out, &page);
        response_tag(response);
    } else {
        problem_from_store(request, response, result, &error);
    }
    free(rows);
    return OUTCOME_ANSWERED;
}

/* Counts the bots of an account, up to `max`. */
static StoreResult count_bots(const Arena *arena, uint64_t owner, uint32_t max, uint32_t *count,
                              Error *error) {
    StorePage page = {.limit = STORE_PAGE_MAX};
    StoreBot *rows = xcalloc(page.limit, sizeof *rows);
    StoreResult result = STORE_OK;
    *count = 0;
    do {
        result = store_bots_list(arena->store, owner, NULL, &page, rows, error);
        *count += page.count;
        page.from = page.next;
    } while (result == STORE_OK && page.next.id && *count < max);
    free(rows);
    return result;
}

/* Adds one bot at a time, so that concurrent requests cannot exceed the limit. */
static Outcome add_bot(const Request *request, Response *response, const char *game,
                       const char *name) {
    static pthread_mutex_t adding = PTHREAD_MUTEX_INITIALIZER;
    const Arena *arena = arena_of(request);
    Error error;
    StoreBot bot = {0};
    uint32_t count = 0;
    pthread_mutex_lock(&adding);
    StoreResult result =
        count_bots(arena, request->account, arena->options.bots_max, &count, &error);
    bool full = result == STORE_OK && count >= arena->options.bots_max;
    if (result == STORE_OK && !full)
        result = store_bot_add(arena->store, request->account, game, name, &bot.id, &error);
    pthread_mutex_unlock(&adding);
    if (full)
        return problem(request, response, 409,
                       "You have %" PRIu32 " bot%s, the maximum. Retire one first.", count,
                       count == 1 ? "" : "s");
    if (result == STORE_OK)
        result = store_bot_get(arena->store, bot.id, &bot, &error);
    if (result == STORE_CONFLICT)
        error_about(&error, "name");
    if (result != STORE_OK)
        return problem_from_store(request, response, result, &error);
    char place[128];
    snprintf(place, sizeof place, "/api/v1/bots/%s/%s", bot.owner_name, bot.name);
    bots_audit(request, "bot.add", &bot, bot.name);
    response->status = 201;
    response_header(response, HEADER_LOCATION, slice_of(place));
    return answer_bot(request, response, &bot);
}

static Outcome handle_add(Request *request, Response *response) {
    static const char *const known[] = {"game", "name", NULL};
    JsonObject config;
    Error error;
    uint32_t game = JSON_NONE;
    uint32_t name = JSON_NONE;
    char text[STORE_NAME_SIZE] = "";
    char called[STORE_NAME_SIZE] = "";
    bool good = api_body(request, response, &config);
    if (good) {
        good = json_object_allow_only(&config, 0, known, &error) &&
               json_object_member(&config, 0, "game", JSON_STRING, &game, &error) &&
               json_object_member(&config, 0, "name", JSON_STRING, &name, &error) &&
               (game != JSON_NONE || json_object_missing(&config, 0, "game", &error)) &&
               (name != JSON_NONE || json_object_missing(&config, 0, "name", &error)) &&
               (game_find(config.json.nodes[game].text, &error) || error_about(&error, "game")) &&
               slice_to(config.json.nodes[game].text, text, sizeof text) &&
               (store_name_check("a bot", config.json.nodes[name].text, &error) ||
                error_about(&error, "name")) &&
               slice_to(config.json.nodes[name].text, called, sizeof called);
        if (!good)
            api_body_problem(request, response, &error);
    }
    json_object_free(&config);
    return good ? add_bot(request, response, text, called) : OUTCOME_ANSWERED;
}

static Outcome handle_get(Request *request, Response *response) {
    StoreBot bot;
    if (!bots_of_path(request, response, &bot))
        return OUTCOME_ANSWERED;
    Outcome outcome = answer_bot(request, response, &bot);
    if (response->status == 200)
        response_tag(response);
    return outcome;
}

static bool permit_change(Request *request, Response *response) {
    StoreBot bot;
    return bots_of_path(request, response, &bot) && bots_may_change(request, response, &bot, true);
}

static Outcome handle_change(Request *request, Response *response) {
    static const char *const known[] = {"published", NULL};
    JsonObject config;
    Error error;
    StoreBot bot;
    if (!bots_of_path(request, response, &bot))
        return OUTCOME_ANSWERED;
    bool published = bot.published;
    bool good = api_body(request, response, &config);
    if (good) {
        good = json_object_allow_only(&config, 0, known, &error) &&
               json_object_bool(&config, 0, "published", &published, &error);
        if (!good)
            api_body_problem(request, response, &error);
    }
    json_object_free(&config);
    /* Administrators may hide sources, but not publish those of others. */
    if (!good || !bots_may_change(request, response, &bot, !published))
        return OUTCOME_ANSWERED;
    if (published != bot.published) {
        StoreResult result = store_bot_publish(arena_of(request)->store, bot.id, published, &error);
        if (result != STORE_OK)
            return problem_from_store(request, response, result, &error);
        bots_audit(request, published ? "bot.publish" : "bot.unpublish", &bot, bot.name);
        bot.published = published;
    }
    return answer_bot(request, response, &bot);
}

static Outcome handle_retire(Request *request, Response *response) {
    Error error;
    StoreBot bot;
    if (!bots_of_path(request, response, &bot) || !bots_may_change(request, response, &bot, true))
        return OUTCOME_ANSWERED;
    StoreResult result = store_bot_retire(arena_of(request)->store, bot.id, &error);
    if (result != STORE_OK)
        return problem_from_store(request, response, result, &error);
    bots_audit(request, "bot.retire", &bot, bot.name);
    return api_no_content(response);
}

static Outcome handle_usage(Request *request, Response *response) {
    const Arena *arena = arena_of(request);
    StoreUsage usage;
    Error error;
    StoreResult result = store_usage(arena->store, request->account, &usage, &error);
    if (result != STORE_OK)
        return problem_from_store(request, response, result, &error);
    JsonOut out = {.to = &response->bytes};
    json_open(&out, NULL, '{');
    json_out_int(&out, "used", usage.sources + usage.builds);
    json_out_int(&out, "sources", usage.sources);
    json_out_int(&out, "builds", usage.builds);
    json_out_uint(&out, "limit", versions_disk_max(arena, &usage));
    json_close(&out, '}');
    return OUTCOME_ANSWERED;
}

static Outcome handle_languages(Request *request, Response *response) {
    JsonOut out = {.to = &response->bytes};
    json_open(&out, NULL, '{');
    json_open(&out, "items", '[');
    for (const Language *language = languages_all; language->name; language++) {
        Slice rest = slice_of(language->endings);
        Slice ending;
        json_open(&out, NULL, '{');
        json_out_text(&out, "name", language->name);
        json_out_text(&out, "title", language->title);
        json_open(&out, "endings", '[');
        while (slice_word(&rest, &ending))
            json_out_string(&out, NULL, ending);
        json_close(&out, ']');
        json_out_bool(&out, "built", language->build != NULL);
        json_out_bool(&out, "available", language_is_installed(language));
        libraries_write(&out, arena_of(request)->options.libraries, language);
        json_close(&out, '}');
    }
    json_close(&out, ']');
    json_out_null(&out, "next");
    json_close(&out, '}');
    response_tag(response);
    return OUTCOME_ANSWERED;
}

/* ---- routes and schemas ---- */

#define BOT_REQUIRED \
 "\"id\",\"owner\",\"name\",\"game\",\"published\",\"created\",\"active_version\",\"active_number\""
#define BOT_MEMBERS                                                                 \
 "\"id\":" COUNT_SCHEMA ",\"owner\":" TEXT_SCHEMA ",\"name\":" TEXT_SCHEMA          \
 ",\"game\":" TEXT_SCHEMA ",\"published\":" BOOL_SCHEMA ",\"created\":" TIME_SCHEMA \
 ",\"active_version\":" INTEGER_OR_NULL_SCHEMA ",\"active_number\":" INTEGER_OR_NULL_SCHEMA

#define VERSION_OR_NULL_SCHEMA OR_NULL_SCHEMA("Version")
#define RATING_OR_NULL_SCHEMA OR_NULL_SCHEMA("BotRating")
#define PLACEMENT_OR_NULL_SCHEMA OR_NULL_SCHEMA("Placement")
#define BUILD_STATE_SCHEMA ENUM_SCHEMA(BUILD_STATES)
#define VERSION_DIAGNOSTICS_DIAGNOSTICS_SCHEMA ARRAY_SCHEMA(DIAGNOSTIC_REF)
#define CHECK_OR_NULL_SCHEMA OR_NULL_SCHEMA("CheckSummary")
#define LANGUAGE_ENDINGS_SCHEMA ARRAY_SCHEMA(TEXT_SCHEMA)
#define LANGUAGE_LIBRARIES_SCHEMA ARRAY_SCHEMA(TEXT_SCHEMA)

static const Schema schemas[] = {
    {"DiskUsage",
     SCHEMA_OBJECT("\"used\",\"sources\",\"builds\",\"limit\"",
                   SCHEMA_NUMBER("used") "," SCHEMA_NUMBER("sources") "," SCHEMA_NUMBER(
                       "builds") "," SCHEMA_NUMBER("limit"))},
    {"NewBot",
     SCHEMA_OBJECT("\"game\",\"name\"",
                   "\"game\":" TEXT_SCHEMA ",\"name\":"
                   "{\"type\":\"string\",\"pattern\":\"^[A-Za-z][A-Za-z0-9_-]{1,31}$\"}")},
    {"BotChange", SCHEMA_OBJECT("", "\"published\":" BOOL_SCHEMA)},
    {"Bot", SCHEMA_OBJECT(BOT_REQUIRED, BOT_MEMBERS)},
    {"Bots", SCHEMA_LIST("Bot")},
    {"BotDetail",
     SCHEMA_OBJECT(BOT_REQUIRED ",\"version\",\"rating\",\"placement\"", BOT_MEMBERS
                   ",\"version\":" VERSION_OR_NULL_SCHEMA ",\"rating\":" RATING_OR_NULL_SCHEMA
                   ",\"placement\":" PLACEMENT_OR_NULL_SCHEMA)},
    {"Placement",
     SCHEMA_OBJECT("\"played\",\"of\"", "\"played\":" COUNT_SCHEMA ",\"of\":" COUNT_SCHEMA)},
    {"BotRating",
     SCHEMA_OBJECT("\"rating\",\"error\",\"rank\",\"matches\",\"won\",\"drawn\",\"lost\"",
                   "\"rating\":" NUMBER_SCHEMA ",\"error\":" NUMBER_SCHEMA ",\"rank\":" COUNT_SCHEMA
                   ",\"matches\":" COUNT_SCHEMA ",\"won\":" COUNT_SCHEMA ",\"drawn\":" COUNT_SCHEMA
                   ",\"lost\":" COUNT_SCHEMA)},
    {"Version",
     SCHEMA_OBJECT("\"id\",\"bot\",\"owner\",\"name\",\"number\",\"language\",\"file_name\","
                   "\"size\",\"build\",\"active\",\"deleted\",\"created\",\"built\",\"check\"",
                   "\"id\":" COUNT_SCHEMA ",\"bot\":" COUNT_SCHEMA ",\"owner\":" TEXT_SCHEMA
                   ",\"name\":" TEXT_SCHEMA ",\"number\":" COUNT_SCHEMA ",\"language\":" TEXT_SCHEMA
                   ",\"file_name\":" TEXT_OR_NULL_SCHEMA ",\"size\":" COUNT_SCHEMA
                   ",\"build\":" BUILD_STATE_SCHEMA ",\"active\":" BOOL_SCHEMA
                   ",\"deleted\":" BOOL_SCHEMA ",\"created\":" TIME_SCHEMA
                   ",\"built\":" TIME_OR_NULL_SCHEMA ",\"check\":" CHECK_OR_NULL_SCHEMA)},
    {"CheckSummary", SCHEMA_OBJECT(CHECK_REQUIRED, CHECK_MEMBERS)},
    {"Versions", SCHEMA_LIST("Version")},
    {"Diagnostic",
     SCHEMA_OBJECT("\"file\",\"line\",\"message\"", "\"file\":" TEXT_SCHEMA ",\"line\":"
                                                    "{\"type\":\"integer\",\"minimum\":1}"
                                                    ",\"column\":"
                                                    "{\"type\":\"integer\",\"minimum\":1}"
                                                    ",\"message\":" TEXT_SCHEMA)},
    {"VersionDiagnostics",
     SCHEMA_OBJECT("\"build\",\"log\",\"diagnostics\"",
                   "\"build\":" BUILD_STATE_SCHEMA ",\"log\":" TEXT_SCHEMA
                   ",\"diagnostics\":" VERSION_DIAGNOSTICS_DIAGNOSTICS_SCHEMA)},
    {"Language",
     SCHEMA_OBJECT("\"name\",\"title\",\"endings\",\"built\",\"available\",\"libraries\"",
                   "\"name\":" TEXT_SCHEMA ",\"title\":" TEXT_SCHEMA
                   ",\"endings\":" LANGUAGE_ENDINGS_SCHEMA ",\"built\":" BOOL_SCHEMA
                   ",\"available\":" BOOL_SCHEMA ",\"libraries\":" LANGUAGE_LIBRARIES_SCHEMA)},
    {"Languages", SCHEMA_LIST("Language")},
};

#define VERSION_PARAMETER \
 { "version", PARAMETER_NUMBER, 1, INT64_MAX, NULL, "the id of the version" }
#define BOT_PATH "/api/v1/bots/{owner}/{bot}"
#define VERSION_PATH "/api/v1/versions/{version}"

enum { SMALL_BODY = 4096 };

static const Route routes[] = {
    {.method = METHOD_GET,
     .pattern = "/api/v1/languages",
     .name = "languages",
     .handle = handle_languages,
     .scope = SCOPE_READ,
     .rate = RATE_READ,
     .summary = "Lists the languages of bots, which of them are installed, and their libraries",
     .group = "bots",
     .gives = "Languages",
     .tagged = true},
    {.method = METHOD_GET,
     .pattern = "/api/v1/me/disk",
     .name = "disk_usage",
     .handle = handle_usage,
     .scope = SCOPE_READ,
     .needs = NEEDS_SESSION,
     .rate = RATE_READ,
     .summary = "Returns the disk space that your bots take: their sources, and the builds that "
                "are kept",
     .group = "bots",
     .gives = "DiskUsage"},
    {.method = METHOD_GET,
     .pattern = "/api/v1/bots",
     .name = "bots",
     .handle = handle_list,
     .scope = SCOPE_READ,
     .rate = RATE_READ,
     .summary = "Lists bots, newest first, optionally of a person, for a game, or by name",
     .group = "bots",
     .parameters = {{"owner", PARAMETER_TEXT, 0, 32, NULL, "only bots of this person"},
                    {"mine", PARAMETER_CHOICE, 0, 0, "true", "only your bots"},
                    {"game", PARAMETER_TEXT, 0, 32, NULL, "only bots for this game"},
                    {"search", PARAMETER_TEXT, 0, 64, NULL, "a part of the bot's name"},
                    PAGE_PARAMETERS},
     .gives = "Bots",
     .tagged = true},
    {.method = METHOD_POST,
     .pattern = "/api/v1/bots",
     .name = "bot_add",
     .handle = handle_add,
     .scope = SCOPE_UPLOAD,
     .needs = NEEDS_SESSION,
     .rate = RATE_WRITE,
     .body_max = SMALL_BODY,
     .summary = "Creates a bot for a game. It plays as soon as a version is built",
     .group = "bots",
     .takes = "NewBot",
     .gives = "BotDetail",
     .gives_status = 201},
    {.method = METHOD_GET,
     .pattern = BOT_PATH,
     .name = "bot",
     .handle = handle_get,
     .scope = SCOPE_READ,
     .rate = RATE_READ,
     .summary = "Returns a bot with its active version and its rating",
     .group = "bots",
     .parameters = {OWNER_PARAMETER, BOT_PARAMETER},
     .gives = "BotDetail",
     .tagged = true},
    {.method = METHOD_PATCH,
     .pattern = BOT_PATH,
     .name = "bot_change",
     .handle = handle_change,
     .permit = permit_change,
     .scope = SCOPE_UPLOAD,
     .needs = NEEDS_SESSION,
     .rate = RATE_WRITE,
     .body_max = SMALL_BODY,
     .summary = "Publishes or hides the sources of a bot",
     .group = "bots",
     .parameters = {OWNER_PARAMETER, BOT_PARAMETER},
     .takes = "BotChange",
     .gives = "BotDetail"},
    {.method = METHOD_DELETE,
     .pattern = BOT_PATH,
     .name = "bot_retire",
     .handle = handle_retire,
     .scope = SCOPE_UPLOAD,
     .needs = NEEDS_SESSION,
     .rate = RATE_WRITE,
     .summary =
         "Retires a bot permanently: it stops playing, its name becomes free, and its sources "
         "are deleted",
     .group = "bots",
     .parameters = {OWNER_PARAMETER, BOT_PARAMETER},
     .gives_status = 204},
    {.method = METHOD_GET,
     .pattern = BOT_PATH "/versions",
     .name = "versions",
     .handle = handle_versions_list,
     .scope = SCOPE_READ,
     .rate = RATE_READ,
     .summary = "Lists the versions of a bot, newest first",
     .group = "bots",
     .parameters = {OWNER_PARAMETER, BOT_PARAMETER, PAGE_PARAMETERS},
     .gives = "Versions",
     .tagged = true},
    {.method = METHOD_POST,
     .pattern = BOT_PATH "/versions",
     .name = "version_add",
     .handle = handle_version_add,
     .permit = permit_version_add,
     .scope = SCOPE_UPLOAD,
     .needs = NEEDS_SESSION,
     .rate = RATE_UPLOAD,
     .body_max = BODY_UPLOAD,
     .summary = "Uploads a version. With the parameter file_name, the body is a source file or an "
                "archive; without it, JSON with file_name and source",
     .group = "bots",
     .parameters = {OWNER_PARAMETER,
                    BOT_PARAMETER,
                    {"file_name", PARAMETER_TEXT, 0, STORE_LABEL_SIZE - 1, NULL,
                     "the name of the file; its extension determines the type"}},
     .gives = "Version",
     .gives_status = 201},
    {.method = METHOD_GET,
     .pattern = VERSION_PATH,
     .name = "version",
     .handle = handle_version_get,
     .scope = SCOPE_READ,
     .rate = RATE_READ,
     .summary = "Returns a version and the state of its build",
     .group = "bots",
     .parameters = {VERSION_PARAMETER},
     .gives = "Version",
     .tagged = true},
    {.method = METHOD_DELETE,
     .pattern = VERSION_PATH,
     .name = "version_delete",
     .handle = handle_version_delete,
     .scope = SCOPE_UPLOAD,
     .needs = NEEDS_SESSION,
     .rate = RATE_WRITE,
     .summary = "Deletes the source of a version that is not active. It stays in lists and cannot "
                "play again",
     .group = "bots",
     .parameters = {VERSION_PARAMETER},
     .gives_status = 204},
    {.method = METHOD_GET,
     .pattern = VERSION_PATH "/log",
     .name = "version_log",
     .handle = handle_version_log,
     .scope = SCOPE_READ,
     .rate = RATE_READ,
     .summary = "Returns the build log; for the owner and organisers only, unless published",
     .group = "bots",
     .parameters = {VERSION_PARAMETER},
     .gives_type = TYPE_TEXT,
     .tagged = true},
    {.method = METHOD_GET,
     .pattern = VERSION_PATH "/diagnostics",
     .name = "version_diagnostics",
     .handle = handle_version_diagnostics,
     .scope = SCOPE_READ,
     .rate = RATE_READ,
     .summary = "Returns the build log and the places in the sources that it names; for the owner "
                "and organisers only, unless published",
     .group = "bots",
     .parameters = {VERSION_PARAMETER},
     .gives = "VersionDiagnostics",
     .tagged = true},
    {.method = METHOD_GET,
     .pattern = VERSION_PATH "/source",
     .name = "version_source",
     .handle = handle_version_source,
     .scope = SCOPE_READ,
     .rate = RATE_READ,
     .summary = "Returns the uploaded file; for the owner and organisers only, unless published",
     .group = "bots",
     .parameters = {VERSION_PARAMETER},
     .gives_type = TYPE_BYTES,
     .tagged = true},
    {.method = METHOD_POST,
     .pattern = VERSION_PATH "/activate",
     .name = "version_activate",
     .handle = handle_version_activate,
     .scope = SCOPE_UPLOAD,
     .needs = NEEDS_SESSION,
     .rate = RATE_WRITE,
     .summary = "Activates a version whose build succeeded",
     .group = "bots",
     .parameters = {VERSION_PARAMETER},
     .gives = "Version"},
};

const ApiGroup api_bots = {routes, sizeof routes / sizeof *routes, schemas,
                           sizeof schemas / sizeof *schemas};
