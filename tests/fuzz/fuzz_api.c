/* Requests to the arena's routes, without sockets: "METHOD PATH?QUERY", headers, an empty line, the
   body. They are parsed, routed, admitted and answered as in exchange.c, with a store that is
   recreated now and then; no engine runs, so requested matches stay queued. No request may cause a
   server error, and a response declared as JSON must be valid. */
#include "fuzz.h"

#include "arena/api/routes.h"
#include "arena/bots/directory_tree.h"
#include "arena/people/people.h"
#include "arena/play/remote_seats.h"
#include "arena/settings.h"
#include "http/connection.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BODY_MOST = 1 << 16, INPUTS_A_STORE = 256, ROUTES_MAX = 128 };

static const ApiGroup *const groups[] = {&api_accounts, &api_admin,       &api_bots, &api_matches,
                                         &api_ladder,   &api_tournaments, &api_join};

static Route routes[ROUTES_MAX];
static uint32_t route_count;
static Http http; /* only what handlers use */
static Arena arena;
static char *directory;
static Error error;
static bool worn; /* data was changed or deleted that other inputs may need */

/* ---- an arena ---- */

static void need(bool good) {
    if (!good)
        fuzz_broken("%s", error.text);
}

/* A player, an organiser and an administrator; the token of each is skt_, the name and zeros, and
   the secret of a session is the name and zeros. */
static uint64_t add_person(const char *name, StoreRole role) {
    uint64_t id = 0;
    char secret[64];
    StoreNewAccount account = {.name = name, .password = "!", .role = role};
    need(store_account_add(arena.store, &account, &id, &error) == STORE_OK);
    snprintf(secret, sizeof secret, "skt_%s%08d", name, 0);
    StoreToken token = {.account = id, .name = "fuzz", .scopes = STORE_SCOPES_ALL};
    need(store_token_add(arena.store, &token, slice_of(secret), NULL, &error) == STORE_OK);
    need(store_session_add(arena.store, id, slice_of(secret + 4), "::1", INT64_MAX, NULL, &error) ==
         STORE_OK);
    return id;
}

static void add_bot(uint64_t owner, const char *name) {
    uint64_t bot = 0;
    StoreFile file;
    StoreJob job;
    uint32_t count = 1;
    Slice source = slice_of("print()");
    need(store_bot_add(arena.store, owner, "aliens", name, &bot, &error) == STORE_OK);
    need(store_file_put(arena.store, source, &file, &error) == STORE_OK);
    StoreNewVersion version = {.bot = bot,
                               .language = "python",
                               .file_name = "bot.py",
                               .source = file,
                               .size = (int64_t)source.length,
                               .spec = "{}"};
    need(store_version_add(arena.store, &version, NULL, &error) == STORE_OK);
    need(store_queue_lease(arena.store, JOB_BUILD, "fuzz", 60000, &job, &count, &error) ==
         STORE_OK);
    StoreBuildResult built = {.good = true, .activate = true, .log = slice_of("fine")};
    need(store_queue_finish_build(arena.store, job.id, job.attempt, &built, &error) == STORE_OK);
}

static void add_tournament(uint64_t organiser) {
    uint64_t id = 0;
    StoreNewTournament tournament = {
        .organiser = organiser,
        .name = "cup",
        .game = "aliens",
        .format = "swiss",
        .plan = "{\"title\":\"cup\",\"game\":\"aliens\",\"format\":\"swiss\",\"seed\":1}"};
    need(store_tournament_add(arena.store, &tournament, &id, &error) == STORE_OK);
}

/* Adds a queued match between the two bots. */
static void add_match(uint64_t requester) {
    uint64_t id = 0;
    StoreNewSeat seats[] = {{.bot = 1, .version = 1}, {.bot = 2, .version = 2}};
    StoreNewMatch match = {.kind = MATCH_PLAY_NOW,
                           .game = "aliens",
                           .map = "",
                           .requester = requester,
                           .spec = "{}",
                           .players = 2,
                           .seats = seats};
    need(store_queue_matches(arena.store, &match, 1, &id, &error) == STORE_OK);
}

static void close_arena(void) {
    if (!directory)
        return;
    remote_seats_free(arena.remote_seats);
    live_close(http.live);
    live_free(http.live);
    limits_free(http.limits);
    need(store_close(arena.store, &error));
    tree_remove(directory);
    free(directory);
    directory = NULL;
}

static void open_arena(void) {
    LiveOptions live = {.viewers_max = 1, .viewers_per_address = 1, .heartbeat_ms = 60000};
    /* In memory, where syncing is free. */
    const char *place = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    directory = tree_make_new(place, "skirmish-fuzz-", &error);
    need(directory != NULL);
    StoreOptions options = {.directory = directory, .relaxed = true};
    arena = (Arena){.options = {.data = directory,
                                .upload_max = BODY_MOST,
                                .unpacked_max = 1 << 20,
                                .bots_max = 20,
                                .versions_max = 20,
                                .disk_max = 1 << 30,
                                .waiting_max = 50,
                                .people_per_address = 1,
                                .seats_max = 50},
                    .http = &http};
    need((arena.store = store_open(&options, &error)) != NULL);
    need(settings_load(&arena, &error));
    http.limits = limits_new(NULL, 0, 16);
    http.live = arena.live = live_new(&live);
    need((arena.remote_seats = remote_seats_new(&arena, &error)) != NULL);
    uint64_t player = add_person("pia", ROLE_PLAYER);
    uint64_t organiser = add_person("olga", ROLE_ORGANISER);
    add_person("ada", ROLE_ADMINISTRATOR);
    add_bot(player, "left");
    add_bot(organiser, "right");
    add_tournament(organiser);
    add_match(player);
}

static void make_table(void) {
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
        for (uint32_t k = 0; k < groups[i]->route_count; k++)
            routes[route_count++] = groups[i]->routes[k];
    need((http.router = router_new(routes, route_count, &error)) != NULL);
    http.options.context = &arena;
    atexit(close_arena);
}

/* ---- a request ---- */

/* The text up to the end of the line, which is skipped. */
static Slice take_line(Slice *rest) {
    const char *end = rest->length ? memchr(rest->at, '\n', rest->length) : NULL;
    Slice line = {rest->at, end ? (size_t)(end - rest->at) : rest->length};
    size_t skipped = line.length + (end != NULL);
    *rest = (Slice){rest->at + skipped, rest->length - skipped};
    return line;
}

/* False for what head.c or exchange.c would reject. */
static bool take_headers(Request *request, Slice *rest) {
    Slice cookies;
    for (Slice line; (line = take_line(rest)).length;) {
        const char *colon = memchr(line.at, ':', line.length);
        if (!colon || request->header_count == REQUEST_HEADERS_MAX)
            return false;
        for (size_t i = 0; i < line.length; i++)
            if ((unsigned char)line.at[i] < 0x20 || line.at[i] == 0x7f)
                return false;
        Slice name = {line.at, (size_t)(colon - line.at)};
        Slice value = {colon + 1, line.length - name.length - 1};
        request->headers[request->header_count++] = (Pair){name, slice_trim(value)};
    }
    if (request_header(request, "Cookie", &cookies))
        decode_cookies(cookies, request->cookies, REQUEST_COOKIES_MAX, &request->cookie_count);
    return true;
}

static bool find_route(Request *request, char *uri, size_t length) {
    Slice segments[REQUEST_SEGMENTS_MAX];
    uint32_t count = 0;
    uint32_t allowed = 0;
    char *mark = length ? memchr(uri, '?', length) : NULL;
    size_t path_length = mark ? (size_t)(mark - uri) : length;
    if (length > REQUEST_URI_MAX ||
        !decode_path(uri, path_length, segments, REQUEST_SEGMENTS_MAX, &count, &error) ||
        (mark && !decode_query(mark + 1, length - path_length - 1, request->query,
                               REQUEST_QUERY_MAX, &request->query_count, &error)))
        return false;
    request->route = router_find(http.router, request, segments, count, &allowed);
    return request->route && route_check(request->route, request, &error);
}

static bool takes_body(const Request *request) {
    Slice type;
    return request->body.length <= request->route->body_max &&
           (!request->route->takes || (request_header(request, "Content-Type", &type) &&
                                       decode_is_type(type, "application/json")));
}

static void check_answer(const Request *request, Response *response) {
    static Json json;
    Payload payload = response_payload(response, (AcceptedEncodings){0});
    if (response->status < 200 || response->status >= 500)
        if (response->status != 503)
            fuzz_broken("%s: %u: %.*s", request->route->name, response->status,
                        SLICE_ARGS(payload.bytes));
    if (response->file < 0 && payload.bytes.length &&
        (payload.type == TYPE_JSON || payload.type == TYPE_PROBLEM) &&
        !json_parse(&json, payload.bytes, &error))
        fuzz_broken("%s: the answer is not valid JSON: %s", request->route->name, error.text);
    if (response->status >= 400 && payload.type != TYPE_PROBLEM)
        fuzz_broken("%s: status %u, but the body is not a problem", request->route->name,
                    response->status);
    for (uint32_t i = 0; i < response->header_count; i++)
        if (strpbrk(response->headers[i].value, "\r\n"))
            fuzz_broken("%s: a header contains a line break", request->route->name);
}

static void answer(Request *request) {
    Response response;
    response_init(&response);
    const Route *route = request->route;
    if (auth_admit(request, &response) && takes_body(request) &&
        (!route->permit || route->permit(request, &response)) &&
        route->handle(request, &response) == OUTCOME_DEFERRED)
        request->work(request, &response);
    check_answer(request, &response);
    if (request->method >= METHOD_POST && response.status < 300 && response.status != 201)
        worn = true; /* additions do no harm */
    auth_dismiss(request);
    response_reset(&response);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static Request request;
    static uint32_t inputs;
    if (!route_count)
        make_table();
    if (size > BODY_MOST)
        return 0;
    if (inputs++ % INPUTS_A_STORE == 0 || worn) {
        worn = false;
        close_arena();
        open_arena();
    }
    char *text = malloc(size + 1);
    if (!text)
        abort();
    memcpy(text, data, size);
    request = (Request){.http = &http, .context = &arena, .id = inputs, .began = inputs};
    Slice rest = {text, size};
    Slice line = take_line(&rest);
    Slice method;
    if (slice_word(&line, &method) && method.length < 8) {
        request.method = method_parse(method);
        line = slice_trim(line);
        if (take_headers(&request, &rest) &&
            find_route(&request, text + (line.at - text), line.length)) {
            request.body = rest;
            answer(&request);
        }
    }
    free(text);
    return 0;
}
