/* A server with only the routes for bots, for test_bots.py. It trusts the header X-Test-Account.
   POST /test/build runs a build, in the best sandbox that is available.

   Usage: bots_arena DATA [upload_max=N] [unpacked_max=N] [bots_max=N] [versions_max=N]
   [disk_max=N]. Prints its port, and runs until its standard input ends. */
#include "arena/api/routes.h"
#include "arena/bots/bots.h"
#include "bots/bot_build.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct {
    const char *name;
    StoreRole role;
} people[] = {{"ann", ROLE_PLAYER},
              {"ben", ROLE_PLAYER},
              {"olga", ROLE_ORGANISER},
              {"ada", ROLE_ADMINISTRATOR}};

static Sandbox *sandbox;

static _Noreturn void die(const Error *error) {
    fprintf(stderr, "%s\n", error->text);
    exit(1);
}

static bool admit(Request *request, Response *response) {
    Slice name;
    Error error;
    StoreAccount account;
    if (request_header(request, "X-Test-Account", &name)) {
        if (store_account_find(arena_of(request)->store, name, &account, &error) != STORE_OK)
            die(&error);
        request->account = account.id;
        request->role = account.role;
    }
    if (request->route->needs == NEEDS_NOTHING || request->account)
        return true;
    problem(request, response, 401, "Log in first.");
    return false;
}

/* Builds a version, as the engine does. */
static void build_all(Request *request, Response *response) {
    Arena *arena = request->context;
    (void)response;
    for (;;) {
        StoreJob job;
        Error error = {0};
        uint32_t count = 1;
        if (store_queue_lease(arena->store, JOB_BUILD, "test", 600000, &job, &count, &error) !=
            STORE_OK)
            die(&error);
        if (!count)
            return;
        BotSpec spec;
        bool built;
        bool good = versions_prepare(arena, job.subject, &spec, &built, &error) &&
                    (built || bot_build(&spec, sandbox, NULL, NULL, &error));
        if (good)
            versions_mark_built(arena, job.subject, (BuildSize){0}, &error);
        bot_spec_free(&spec);
        StoreBuildResult result = {.good = good, .activate = true, .log = slice_of(error.text)};
        if (store_queue_finish_build(arena->store, job.id, job.attempt, &result, &error) !=
            STORE_OK)
            die(&error);
    }
}

static Outcome handle_build(Request *request, Response *response) {
    (void)response;
    return request_defer(request, build_all);
}

static Body *document;

static Outcome handle_document(Request *request, Response *response) {
    (void)request;
    response_share(response, document);
    return OUTCOME_ANSWERED;
}

static Route *make_routes(const Arena *arena, uint32_t *count) {
    *count = api_bots.route_count + 2;
    Route *routes = calloc(*count, sizeof *routes);
    if (!routes)
        abort();
    memcpy(routes, api_bots.routes, api_bots.route_count * sizeof *routes);
    for (uint32_t i = 0; i < api_bots.route_count; i++)
        if (routes[i].body_max == BODY_UPLOAD)
            routes[i].body_max = arena->options.upload_max;
    routes[*count - 2] = (Route){
        .method = METHOD_POST, .pattern = "/test/build", .name = "build", .handle = handle_build};
    routes[*count - 1] = (Route){.method = METHOD_GET,
                                 .pattern = "/api/v1/openapi.json",
                                 .name = "openapi",
                                 .handle = handle_document};
    return routes;
}

static void read_options(ArenaOptions *options, int count, char **arguments) {
    for (int i = 2; i < count; i++) {
        Slice text = slice_of(arguments[i]);
        int64_t value = 0;
        bool upload = slice_skip(&text, "upload_max=");
        bool unpacked = !upload && slice_skip(&text, "unpacked_max=");
        bool bots = !upload && !unpacked && slice_skip(&text, "bots_max=");
        bool versions = !upload && !unpacked && !bots && slice_skip(&text, "versions_max=");
        bool disk = !upload && !unpacked && !bots && !versions && slice_skip(&text, "disk_max=");
        slice_int(text, &value);
        if (upload)
            options->upload_max = (uint64_t)value;
        else if (unpacked)
            options->unpacked_max = (uint64_t)value;
        else if (bots)
            options->bots_max = (uint32_t)value;
        else if (versions)
            options->versions_max = (uint32_t)value;
        else if (disk)
            options->disk_max = (uint64_t)value;
    }
}

static void add_people(Arena *arena, Error *error) {
    for (size_t i = 0; i < sizeof people / sizeof *people; i++) {
        StoreNewAccount account = {
            .name = people[i].name, .password = "none", .role = people[i].role};
        StoreResult result = store_account_add(arena->store, &account, NULL, error);
        if (result != STORE_OK && result != STORE_CONFLICT)
            die(error);
    }
}

int main(int count, char **arguments) {
    Error error = {0};
    Arena arena = {.options = {.upload_max = 2 << 20,
                               .unpacked_max = 8 << 20,
                               .bots_max = 20,
                               .versions_max = 100,
                               .disk_max = 1 << 30}};
    arena.options.data = count > 1 ? arguments[1] : "";
    arena.options.program = getenv("SKIRMISH"); /* it unpacks archives */
    read_options(&arena.options, count, arguments);
    arena.metrics = metrics_new();
    arena.log = log_new(STDERR_FILENO, LOG_ERROR);
    arena.store = store_open(&(StoreOptions){.directory = arena.options.data}, &error);
    sandbox = sandbox_new(SANDBOX_BEST_EFFORT, &error);
    if (!arena.store || !sandbox || !versions_start(&arena, &error))
        die(&error);
    add_people(&arena, &error);
    static const LimitClass no_limits[RATES] = {{0, 1}};
    HttpOptions options = {.context = &arena,
                           .admit = admit,
                           .limits = no_limits,
                           .limit_count = RATES,
                           .connections_per_address = 100,
                           .metrics = arena.metrics,
                           .log = arena.log};
    Route *routes = make_routes(&arena, &options.route_count);
    options.routes = routes;
    static const char *const roles[] = {"player", "organiser", "administrator"};
    OpenApi api = {.title = "test",
                   .roles = roles,
                   .version = "1",
                   .routes = routes,
                   .route_count = options.route_count,
                   .schemas = api_bots.schemas,
                   .schema_count = api_bots.schema_count};
    Buffer text = {0};
    if (!openapi_write(&api, &text, &error))
        die(&error);
    document = body_new(TYPE_JSON, &text);
    arena.http = http_start(&options, &error);
    if (!arena.http)
        die(&error);
    printf("%u\n", http_port(arena.http));
    fflush(stdout);
    while (getchar() != EOF)
        continue;
    http_stop(arena.http, 1000);
    bool good = store_close(arena.store, &error);
    body_release(document);
    sandbox_free(sandbox);
    metrics_free(arena.metrics);
    log_free(arena.log);
    free(routes);
    if (!good)
        die(&error);
    return 0;
}
