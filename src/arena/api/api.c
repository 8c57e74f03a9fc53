/* The table of all routes, their rate limits and the OpenAPI document. See api.h. */
#include "arena/api/api.h"

#include "arena/api/routes.h"
#include "arena/disk.h"
#include "arena/people/people.h"
#include "base/memory.h"
#include "http/problem.h"

#include <stdlib.h>
#include <string.h>

/* Per account and per address; for addresses, multiplied by options.people_per_address. The limits
   on wrong passwords allow addresses that an account does not know at most a hundred attempts in
   the first hour, and no address can use up the attempts of the others. */
const LimitClass api_limits[RATES] = {
    [RATE_READ] = {1200, 200},  [RATE_WRITE] = {600, 200}, [RATE_LOGIN] = {60, 40},
    [RATE_REGISTER] = {30, 40}, [RATE_UPLOAD] = {20, 20},  [RATE_PLAY] = {30, 15},
    [RATE_VISITOR] = {6, 4},    [RATE_GUESS] = {1, 10},    [RATE_ACCOUNT] = {1, 40},
    [RATE_CONFIRM] = {1, 10},
};
const uint32_t api_limit_count = RATES;

static const ApiGroup *const groups[] = {
    &api_accounts, &api_sessions, &api_admin,       &api_bots,     &api_games,
    &api_matches,  &api_ladder,   &api_tournaments, &api_join,     &api_records,
    &api_activity, &api_pages,    &api_checks,      &api_analyses, &api_workers};
enum { GROUP_COUNT = sizeof groups / sizeof groups[0] };

static Outcome handle_openapi(Request *request, Response *response) {
    response_share(response, arena_of(request)->openapi);
    return OUTCOME_ANSWERED;
}

/* A load balancer sends requests to another arena while the status is not 200. */
static Outcome handle_health(Request *request, Response *response) {
    Outcome outcome = http_handle_health(request, response);
    if (!store_answers(arena_of(request)->store))
        return problem(request, response, 503, "The arena cannot reach its database.");
    if (response->status == 200) {
        buffer_clear(&response->bytes);
        buffer_format(&response->bytes, "{\"status\":\"ok\",\"disk\":\"%s\"}",
                      disk_is_low(arena_of(request)) ? "low" : "ok");
    }
    return outcome;
}

/* For monitoring, from the addresses that the operator listed or with a token of an
   administrator. */
static Outcome handle_metrics(Request *request, Response *response) {
    const ArenaOptions *options = &arena_of(request)->options;
    if (options->metrics_limited && request->role < ROLE_ADMINISTRATOR &&
        !network_holds(options->metrics_from, options->metrics_from_count, request->address))
        return problem(request, response, 403,
                       "Only certain addresses can read the metrics. From others, send an "
                       "administrator's API token with the scope \"administer\".");
    return http_handle_metrics(request, response);
}

static const Route own_routes[] = {
    {.method = METHOD_GET, .pattern = "/healthz", .name = "health", .handle = handle_health},
    {.method = METHOD_GET, .pattern = "/metrics", .name = "metrics", .handle = handle_metrics},
    {.method = METHOD_GET,
     .pattern = "/api/v1/openapi.json",
     .name = "openapi",
     .handle = handle_openapi,
     .rate = RATE_READ},
};
enum { OWN_COUNT = sizeof own_routes / sizeof *own_routes };

const Route *api_routes(const Arena *arena, uint32_t *count) {
    static Route *table;
    static uint32_t length;
    if (!table) {
        length = OWN_COUNT;
        for (uint32_t i = 0; i < GROUP_COUNT; i++)
            length += groups[i]->route_count;
        table = xcalloc(length, sizeof *table);
        memcpy(table, own_routes, sizeof own_routes);
        uint32_t at = OWN_COUNT;
        for (uint32_t i = 0; i < GROUP_COUNT; i++)
            for (uint32_t k = 0; k < groups[i]->route_count; k++)
                table[at++] = groups[i]->routes[k];
    }
    for (uint32_t i = 0; i < length; i++)
        if (table[i].body_max == BODY_UPLOAD)
            table[i].body_max = (size_t)arena->options.upload_max;
    *count = length;
    return table;
}

bool api_write_document(Arena *arena, Error *error) {
    uint32_t schema_count = 0;
    for (uint32_t i = 0; i < GROUP_COUNT; i++)
        schema_count += groups[i]->schema_count;
    Schema *schemas = xcalloc(schema_count, sizeof *schemas);
    uint32_t at = 0;
    for (uint32_t i = 0; i < GROUP_COUNT; i++)
        for (uint32_t k = 0; k < groups[i]->schema_count; k++)
            schemas[at++] = groups[i]->schemas[k];
    OpenApi api = {.title = "Skirmish",
                   .version = SKIRMISH_VERSION,
                   .roles = role_names,
                   .scopes = scope_names,
                   .session_cookie = auth_session_cookie(arena),
                   .schemas = schemas,
                   .schema_count = schema_count};
    api.routes = api_routes(arena, &api.route_count);
    Buffer text = {0};
    bool good = openapi_write(&api, &text, error);
    if (good)
        arena->openapi = body_new(TYPE_JSON, &text);
    buffer_free(&text);
    free(schemas);
    return good;
}
