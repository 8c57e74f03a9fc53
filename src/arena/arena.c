/* See arena.h. */
#include "arena/arena.h"

#include "arena/api/api.h"
#include "arena/bots/bots.h"
#include "arena/housekeeping/housekeeping.h"
#include "arena/ladders/ladders.h"
#include "arena/people/people.h"
#include "arena/play/play.h"
#include "arena/settings.h"
#include "arena/tournaments/tournaments.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LOG_FD = STDERR_FILENO };

/* Per account and per address; for addresses, multiplied by options.people_per_address. RATE_GUESS
   is also counted for the account whose password is tried. */
static const LimitClass limit_classes[RATES] = {
    [RATE_READ] = {1200, 200}, [RATE_WRITE] = {600, 200},  [RATE_LOGIN] = {60, 40},
    [RATE_GUESS] = {10, 10},   [RATE_REGISTER] = {30, 40}, [RATE_UPLOAD] = {20, 20},
    [RATE_PLAY] = {30, 15},    [RATE_VISITOR] = {6, 4},
};

static const ApiGroup *const groups[] = {&api_accounts, &api_admin,       &api_bots, &api_matches,
                                         &api_ladder,   &api_tournaments, &api_join, &api_pages};
enum { GROUP_COUNT = sizeof groups / sizeof groups[0] };

/* ---- the table of routes ---- */

static Outcome handle_openapi(Request *request, Response *response) {
    response_share(response, arena_of(request)->openapi);
    return OUTCOME_ANSWERED;
}

static const Route own_routes[] = {
    {.method = METHOD_GET, .pattern = "/healthz", .name = "health", .handle = http_handle_health},
    {.method = METHOD_GET, .pattern = "/metrics", .name = "metrics", .handle = http_handle_metrics},
    {.method = METHOD_GET,
     .pattern = "/api/v1/openapi.json",
     .name = "openapi",
     .handle = handle_openapi,
     .rate = RATE_READ},
};
enum { OWN_COUNT = sizeof own_routes / sizeof *own_routes };

/* All routes in one table, which is never freed. */
static const Route *all_routes(const Arena *arena, uint32_t *count) {
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

static bool write_document(Arena *arena, Error *error) {
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
                   .session_cookie = SESSION_COOKIE,
                   .schemas = schemas,
                   .schema_count = schema_count};
    api.routes = all_routes(arena, &api.route_count);
    Buffer text = {0};
    bool good = openapi_write(&api, &text, error);
    if (good)
        arena->openapi = body_new(TYPE_JSON, &text);
    buffer_free(&text);
    free(schemas);
    return good;
}

/* ---- starting and stopping ---- */

static void set_defaults(ArenaOptions *options) {
    if (!options->port)
        options->port = 3000;
    if (!options->upload_max)
        options->upload_max = 2 << 20;
    if (!options->unpacked_max)
        options->unpacked_max = 32 << 20;
    if (!options->bots_max)
        options->bots_max = 20;
    if (!options->versions_max)
        options->versions_max = 100;
    if (!options->waiting_max)
        options->waiting_max = 5;
    if (!options->people_per_address)
        options->people_per_address = 1;
    if (!options->seats_max)
        options->seats_max = 2;
}

static bool open_store(Arena *arena, Error *error) {
    StoreOptions options = {.directory = arena->options.data};
    arena->store = store_open(&options, error);
    return arena->store && settings_load(arena, error) && auth_create_administrator(arena, error) &&
           versions_start(arena, error);
}

static bool open_http(Arena *arena, Error *error) {
    HttpOptions options = {
        .address = arena->options.address,
        .port = arena->options.port == UINT16_MAX ? 0 : arena->options.port,
        .context = arena,
        .admit = auth_admit,
        .dismiss = auth_dismiss,
        .proxies = arena->options.proxies,
        .proxy_count = arena->options.proxy_count,
        .limits = limit_classes,
        .limit_count = RATES,
        .people_per_address = arena->options.people_per_address,
        .log = arena->log,
        .metrics = arena->metrics,
        .page_policy = pages_policy,
    };
    options.routes = all_routes(arena, &options.route_count);
    arena->http = http_open(&options, error);
    arena->live = arena->http ? http_live(arena->http) : NULL;
    return arena->http != NULL;
}

/* Ladders and tournaments register with the engine before it starts. */
static bool start_play(Arena *arena, Error *error) {
    return (arena->engine = engine_new(arena, error)) &&
           (arena->ladders = ladders_start(arena, error)) &&
           (arena->scheduler = tournament_scheduler_new(arena, error)) &&
           engine_start(arena->engine, error);
}

Arena *arena_start(const ArenaOptions *options, Error *error) {
    Arena *arena = xcalloc(1, sizeof *arena);
    arena->options = *options;
    set_defaults(&arena->options);
    arena->log = log_new(LOG_FD, LOG_INFO);
    arena->metrics = metrics_new();
    if (write_document(arena, error) && (arena->pages = pages_read(arena->options.web, error)) &&
        open_store(arena, error) && (arena->remote_seats = remote_seats_new(arena, error)) &&
        open_http(arena, error) && start_play(arena, error) &&
        (arena->housekeeping = housekeeping_start(arena, error)) &&
        http_serve(arena->http, error)) { /* last: requests find everything ready */
        if (pages_missing(arena->pages) && arena->options.tell)
            arena->options.tell(
                "The web pages are not built; only the API is available. To build them, run "
                "tools/build-web");
        return arena;
    }
    arena_stop(arena, 0);
    return NULL;
}

void arena_stop(Arena *arena, uint32_t drain_ms) {
    Error error;
    engine_stop(arena->engine, drain_ms);
    ladders_stop(arena->ladders);
    tournament_scheduler_stop(arena->scheduler);
    remote_seats_close(arena->remote_seats);
    http_stop(arena->http, 1000);
    tournament_scheduler_free(arena->scheduler);
    engine_free(arena->engine);
    remote_seats_free(arena->remote_seats);
    housekeeping_stop(arena->housekeeping);
    if (!store_close(arena->store, &error))
        log_write(arena->log, LOG_ERROR, "store", &(LogField){"error", error.text, 0}, 1);
    pages_free(arena->pages);
    body_release(arena->openapi);
    metrics_free(arena->metrics);
    log_free(arena->log);
    free(arena);
}

uint16_t arena_port(const Arena *arena) {
    return http_port(arena->http);
}
