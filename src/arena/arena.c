/* See arena.h. */
#include "arena/arena.h"

#include "arena/api/api.h"
#include "arena/bots/bots.h"
#include "arena/copies.h"
#include "arena/disk.h"
#include "arena/figures.h"
#include "arena/housekeeping/housekeeping.h"
#include "arena/ladders/ladders.h"
#include "arena/match_limits.h"
#include "arena/people/people.h"
#include "arena/play/play.h"
#include "arena/settings.h"
#include "arena/tournaments/tournaments.h"
#include "base/memory.h"

#include <stdlib.h>
#include <unistd.h>

enum {
    LOG_FD = STDERR_FILENO,
    WAITING_THREADS = 8, /* for requests that wait for other arenas */
};

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
    if (!options->disk_max)
        options->disk_max = 512 << 20;
    if (!options->waiting_max)
        options->waiting_max = 5;
    if (!options->match_seconds)
        options->match_seconds = 600;
    if (!options->lease_seconds)
        options->lease_seconds = LEASE_SECONDS;
    if (!options->people_per_address)
        options->people_per_address = 1;
    if (!options->bot_memory_max)
        options->bot_memory_max = 4096;
    if (!options->bot_processes_max)
        options->bot_processes_max = 256;
    if (!options->turn_time_max)
        options->turn_time_max = 60000;
    if (!options->seats_max)
        options->seats_max = 2;
}

static bool open_store(Arena *arena, Error *error) {
    StoreOptions options = {.directory = arena->options.data,
                            .database = arena->options.store,
                            .files = arena->options.files,
                            .file_cache = (int64_t)arena->options.file_cache};
    arena->figures = figures_new(arena, &options.watch);
    arena->store = store_open(&options, error);
    disk_measure(arena);
    return arena->store && store_leader_start(arena->store, error) && settings_load(arena, error) &&
           settings_load_secret(arena, error) &&
           (!arena->options.store || match_limits_store(arena, error)) &&
           auth_create_administrator(arena, error) && versions_start(arena, error);
}

static bool open_http(Arena *arena, Error *error) {
    HttpOptions options = {
        .address = arena->options.address,
        .port = arena->options.port == UINT16_MAX ? 0 : arena->options.port,
        .context = arena,
        .admit = auth_admit,
        .dismiss = auth_dismiss,
        .host_names = arena->options.host_names ? arena->options.host_names : "",
        .memory_mib = arena->options.http_memory,
        .proxies = arena->options.proxies,
        .proxy_count = arena->options.proxy_count,
        .limits = api_limits,
        .limit_count = api_limit_count,
        .people_per_address = arena->options.people_per_address,
        .log = arena->log,
        .metrics = arena->metrics,
        .page_policy = pages_policy,
        .waiting_threads = arena->options.store ? WAITING_THREADS : 0,
    };
    options.routes = api_routes(arena, &options.route_count);
    arena->http = http_open(&options, error);
    arena->live = arena->http ? http_live(arena->http) : NULL;
    return arena->http != NULL;
}

/* Ladders and tournaments register with the engine before it starts. */
static bool start_play(Arena *arena, Error *error) {
    return topic_relay_start(arena, error) && shared_seats_start(arena, error) &&
           (arena->engine = engine_new(arena, error)) &&
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
    if (api_write_document(arena, error) &&
        (arena->pages = pages_read(arena->options.web, error)) && open_store(arena, error) &&
        (arena->copies = copies_new(arena, error)) &&
        (arena->remote_seats = remote_seats_new(arena, error)) && open_http(arena, error) &&
        start_play(arena, error) && (arena->housekeeping = housekeeping_start(arena, error)) &&
        http_serve(arena->http, error)) { /* last, so that requests find everything ready */
        if (pages_missing(arena->pages) && arena->options.notify)
            arena->options.notify(
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
    shared_seats_stop(arena->shared_seats);
    topic_relay_stop(arena->relay);
    http_stop(arena->http, 1000);
    tournament_scheduler_free(arena->scheduler);
    engine_free(arena->engine);
    remote_seats_free(arena->remote_seats);
    shared_seats_free(arena->shared_seats);
    topic_relay_free(arena->relay);
    housekeeping_stop(arena->housekeeping);
    copies_free(arena->copies);
    if (!store_close(arena->store, &error))
        log_write(arena->log, LOG_ERROR, "store", &(LogField){"error", error.text, 0}, 1);
    pages_free(arena->pages);
    body_release(arena->openapi);
    figures_free(arena->figures);
    metrics_free(arena->metrics);
    log_free(arena->log);
    free(arena);
}

uint16_t arena_port(const Arena *arena) {
    return http_port(arena->http);
}
