/* Remote seats, with a real store, real HTTP and a runner that the test simulates.
   tests/cli/test_client.py tests what `skirmish join` does with the events. */
#include "arena/api/routes.h"
#include "arena/play/remote_seats.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ftw.h>
#include <netinet/in.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h> /* after the headers that it needs */

enum { WAIT_MS = 20000, TEXT = 1 << 16 };

typedef struct Fixture {
    char directory[64];
    Arena arena;
    uint64_t alice;
    uint64_t bob;
    uint64_t version;
} Fixture;

static Fixture fixture;

/* ---- an arena with one bot ---- */

/* A token is the number of an account. */
static bool admit(Request *request, Response *response) {
    Slice token = {"", 0};
    int64_t account = 0;
    if (request_header(request, "Authorization", &token) && slice_skip(&token, "Bearer ") &&
        slice_int(token, &account))
        request->account = (uint64_t)account;
    if (request->account || request->route->needs == NEEDS_NOTHING)
        return true;
    problem(request, response, 401, "log in first");
    return false;
}

static void add_bot(Error *error) {
    StoreFile source;
    uint64_t bot = 0;
    StoreJob job;
    uint32_t count = 1;
    Store *store = fixture.arena.store;
    assert_int_equal(store_bot_add(store, fixture.bob, "aliens", "hunter", &bot, error), STORE_OK);
    assert_int_equal(store_file_put(store, slice_of("source"), &source, error), STORE_OK);
    StoreNewVersion version = {
        .bot = bot, .language = "c", .file_name = "x.c", .source = source, .size = 6, .spec = "{}"};
    assert_int_equal(store_version_add(store, &version, &fixture.version, error), STORE_OK);
    assert_int_equal(store_queue_lease(store, JOB_BUILD, "test", 60000, &job, &count, error),
                     STORE_OK);
    StoreBuildResult built = {.good = true, .activate = true};
    assert_int_equal(store_queue_finish_build(store, job.id, job.attempt, &built, error), STORE_OK);
}

static int set_up(void **state) {
    Error error = {0};
    (void)state;
    fixture = (Fixture){.directory = "/tmp/skirmish-join-XXXXXX"};
    assert_non_null(mkdtemp(fixture.directory));
    Arena *arena = &fixture.arena;
    arena->options = (ArenaOptions){
        .data = fixture.directory, .waiting_max = 2, .seats_max = 2, .people_per_address = 1};
    arena->store =
        store_open(&(StoreOptions){.directory = fixture.directory, .relaxed = true}, &error);
    assert_non_null(arena->store);
    StoreNewAccount alice = {.name = "alice", .password = "x"};
    StoreNewAccount bob = {.name = "bob", .password = "x"};
    assert_int_equal(store_account_add(arena->store, &alice, &fixture.alice, &error), STORE_OK);
    assert_int_equal(store_account_add(arena->store, &bob, &fixture.bob, &error), STORE_OK);
    add_bot(&error);
    arena->metrics = metrics_new();
    arena->remote_seats = remote_seats_new(arena, &error);
    assert_non_null(arena->remote_seats);
    static const LimitClass limits[RATES] = {{0, 0}}; /* none */
    HttpOptions options = {.context = arena,
                           .limits = limits,
                           .limit_count = RATES,
                           .admit = admit,
                           .routes = api_join.routes,
                           .route_count = api_join.route_count,
                           .metrics = arena->metrics};
    arena->http = http_start(&options, &error);
    if (!arena->http)
        fail_msg("%s", error.text);
    arena->live = http_live(arena->http);
    return 0;
}

static int remove_entry(const char *path, const struct stat *about, int kind, struct FTW *place) {
    (void)about;
    (void)kind;
    (void)place;
    return remove(path);
}

static int tear_down(void **state) {
    Error error;
    (void)state;
    remote_seats_close(fixture.arena.remote_seats);
    http_stop(fixture.arena.http, 1000);
    remote_seats_free(fixture.arena.remote_seats);
    assert_true(store_close(fixture.arena.store, &error));
    metrics_free(fixture.arena.metrics);
    return nftw(fixture.directory, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

/* ---- a client ---- */

typedef struct Reply {
    int status;
    char text[TEXT];
} Reply;

static int dial(void) {
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons(http_port(fixture.arena.http)),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    assert_int_equal(connect(fd, (const struct sockaddr *)&address, sizeof address), 0);
    return fd;
}

static void send_request(int fd, const char *method, const char *path, uint64_t account,
                         const char *type, Slice body) {
    Buffer text = {0};
    buffer_format(&text, "%s %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n", method,
                  path);
    if (account)
        buffer_format(&text, "Authorization: Bearer %llu\r\n", (unsigned long long)account);
    if (type)
        buffer_format(&text, "Content-Type: %s\r\nContent-Length: %zu\r\n", type, body.length);
    buffer_text(&text, "\r\n");
    buffer_add(&text, body.at, body.length);
    assert_int_equal(send(fd, text.data, text.length, MSG_NOSIGNAL), text.length);
    buffer_free(&text);
}

/* Reads until the text holds `until` (NULL: to the end). */
static void read_until(int fd, char *text, const char *until) {
    size_t length = strlen(text);
    while (!until || !strstr(text, until)) {
        struct pollfd ready = {.fd = fd, .events = POLLIN};
        if (poll(&ready, 1, WAIT_MS) != 1)
            fail_msg("waited for %s and had %s", until ? until : "the end", text);
        ssize_t got = recv(fd, text + length, TEXT - 1 - length, 0);
        if (got == 0 && until)
            fail_msg("it ended before %s: %s", until, text);
        if (got <= 0)
            return;
        length += (size_t)got;
        text[length] = '\0';
    }
}

static Reply ask(const char *method, const char *path, uint64_t account, const char *type,
                 const char *body) {
    Reply reply = {0};
    int fd = dial();
    send_request(fd, method, path, account, type, slice_of(body));
    read_until(fd, reply.text, NULL);
    assert_memory_equal(reply.text, "HTTP/1.1 ", 9);
    reply.status = (int)strtol(reply.text + 9, NULL, 10);
    close(fd);
    return reply;
}

static Reply join_with(uint64_t account, const char *body) {
    return ask("POST", "/api/v1/join", account, "application/json", body);
}

/* Reads the seat's secret and the match from the response. */
static void find_seat(const Reply *reply, char *secret, uint64_t *match) {
    const char *at = strstr(reply->text, "\"seat\":\"");
    assert_non_null(at);
    snprintf(secret, REMOTE_SECRET_SIZE, "%s", at + 8);
    at = strstr(reply->text, "\"match\":");
    assert_non_null(at);
    *match = strtoull(at + 8, NULL, 10);
}

/* Joins a match; fills in the seat's secret and the match. */
static void join_match(char *secret, uint64_t *match) {
    Reply reply = join_with(fixture.alice, "{\"game\":\"aliens\"}");
    assert_int_equal(reply.status, 201);
    find_seat(&reply, secret, match);
}

static int answer(const char *secret, uint64_t account, const char *query, const char *body) {
    char path[160];
    snprintf(path, sizeof path, "/api/v1/join/%s/answers%s", secret, query);
    return ask("POST", path, account, "application/octet-stream", body).status;
}

static int watch(const char *secret) {
    char path[96];
    int fd = dial();
    snprintf(path, sizeof path, "/api/v1/join/%s/events", secret);
    send_request(fd, "GET", path, fixture.alice, NULL, (Slice){"", 0});
    return fd;
}

/* ---- a runner ---- */

/* Finds the socket where a runner reaches the remote seat of the match. Returns false if no seat is
   ready. */
static bool take_seat(uint64_t match, BotSpec *spec, Error *error) {
    for (uint32_t seat = 0; seat < 2; seat++) {
        if (remote_seats_open(fixture.arena.remote_seats, match, seat, spec, error) ==
            REMOTE_SEAT_READY)
            return true;
        bot_spec_free(spec);
    }
    return false;
}

static int run(const BotSpec *spec) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    assert_int_equal(spec->kind, BOT_UNIX);
    snprintf(address.sun_path, sizeof address.sun_path, "%s", spec->path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(connect(fd, (const struct sockaddr *)&address, sizeof address), 0);
    return fd;
}

static void lease(StoreJob *job) {
    Error error;
    uint32_t count = 1;
    assert_int_equal(store_queue_lease(fixture.arena.store, JOB_MATCH | JOB_REMOTE, "test", 60000,
                                       job, &count, &error),
                     STORE_OK);
    assert_int_equal(count, 1);
}

static StoreMatchState state_of(uint64_t match) {
    StoreMatches matches = {0};
    Error error;
    assert_int_equal(store_match_get(fixture.arena.store, match, &matches, &error), STORE_OK);
    StoreMatchState state = matches.rows[0].state;
    store_matches_free(&matches);
    return state;
}

/* ---- tests ---- */

static void test_views_and_answers_are_forwarded_and_the_end_is_announced(void **state) {
    (void)state;
    char secret[REMOTE_SECRET_SIZE];
    char text[TEXT] = "";
    char said[TEXT] = "";
    uint64_t match = 0;
    StoreJob job;
    BotSpec spec;
    Error error;
    join_match(secret, &match);
    lease(&job);
    assert_int_equal(job.subject, match);
    assert_true(take_seat(match, &spec, &error));
    int events = watch(secret);
    int runner = run(&spec);
    read_until(events, text, "event: start\ndata: {\"run\":1}");
    assert_int_equal(send(runner, "view one\n", 9, MSG_NOSIGNAL), 9);
    read_until(events, text, "{\"run\":1,\"bytes\":\"dmlldyBvbmUK\"}");
    assert_int_equal(answer(secret, fixture.alice, "?run=1&at=0", "[]\n"), 204);
    read_until(runner, said, "[]\n");
    close(runner);
    read_until(events, text, "event: stop\ndata: {\"run\":1}");
    StoreSeatResult seats[2] = {{.rank = 1, .status = "survived"}, {.rank = 2, .status = "out"}};
    StoreMatchResult result = {.turns = 1,
                               .reason = "elimination",
                               .verdict = slice_of("{}"),
                               .players = 2,
                               .seats = seats};
    assert_int_equal(
        store_queue_finish_match(fixture.arena.store, job.id, job.attempt, &result, &error),
        STORE_OK);
    remote_seats_end(fixture.arena.remote_seats, match);
    read_until(events, text, "event: end");
    read_until(events, text, "\"state\":\"over\"}");
    close(events);
    bot_spec_free(&spec);
}

static void test_a_repeated_answer_counts_once(void **state) {
    (void)state;
    char secret[REMOTE_SECRET_SIZE];
    char said[TEXT] = "";
    char text[TEXT] = "";
    uint64_t match = 0;
    BotSpec spec;
    Error error;
    join_match(secret, &match);
    assert_true(take_seat(match, &spec, &error));
    int events = watch(secret);
    int runner = run(&spec);
    read_until(events, text, "event: start");
    assert_int_equal(answer(secret, fixture.alice, "?run=1&at=0", "one\n"), 204);
    assert_int_equal(answer(secret, fixture.alice, "?run=1&at=0", "one\n"), 204);
    assert_int_equal(answer(secret, fixture.alice, "?run=1&at=2", "e\ntwo\n"), 204);
    assert_int_equal(answer(secret, fixture.alice, "?run=1&at=99", "gap\n"), 409);
    assert_int_equal(answer(secret, fixture.alice, "?run=2&at=0", "early\n"), 409);
    assert_int_equal(answer(secret, fixture.alice, "?run=1&at=8&last=1", ""), 204);
    read_until(runner, said, NULL);
    assert_string_equal(said, "one\ntwo\n");
    close(runner);
    close(events);
    bot_spec_free(&spec);
}

static void test_a_restarted_bot_gets_its_own_run(void **state) {
    (void)state;
    char secret[REMOTE_SECRET_SIZE];
    char said[TEXT] = "";
    char text[TEXT] = "";
    uint64_t match = 0;
    BotSpec spec;
    Error error;
    join_match(secret, &match);
    assert_true(take_seat(match, &spec, &error));
    int events = watch(secret);
    int first = run(&spec);
    read_until(events, text, "event: start\ndata: {\"run\":1}");
    close(first);
    int second = run(&spec);
    read_until(events, text, "event: stop\ndata: {\"run\":1}");
    read_until(events, text, "event: start\ndata: {\"run\":2}");
    assert_int_equal(answer(secret, fixture.alice, "?run=1&at=0", "stale\n"), 409);
    assert_int_equal(answer(secret, fixture.alice, "?run=2&at=0", "fresh\n"), 204);
    read_until(second, said, "fresh\n");
    assert_string_equal(said, "fresh\n");
    close(second);
    close(events);
    bot_spec_free(&spec);
}

static void test_a_match_that_returns_to_the_queue_is_played_again(void **state) {
    (void)state;
    char secret[REMOTE_SECRET_SIZE];
    char text[TEXT] = "";
    uint64_t match = 0;
    StoreJob job;
    BotSpec spec;
    Error error;
    join_match(secret, &match);
    lease(&job);
    assert_true(take_seat(match, &spec, &error));
    int events = watch(secret);
    int runner = run(&spec);
    read_until(events, text, "event: start\ndata: {\"run\":1}");
    assert_int_equal(store_queue_return(fixture.arena.store, job.id, job.attempt, &error),
                     STORE_OK);
    remote_seats_end(fixture.arena.remote_seats, match);
    close(runner);
    bot_spec_free(&spec);
    read_until(events, text, "event: wait\ndata: {\"run\":1}");
    lease(&job);
    assert_true(take_seat(match, &spec, &error));
    runner = run(&spec);
    read_until(events, text, "event: start\ndata: {\"run\":2}");
    assert_null(strstr(text, "event: end"));
    close(runner);
    close(events);
    bot_spec_free(&spec);
}

static void test_a_seat_belongs_to_one_account(void **state) {
    (void)state;
    char secret[REMOTE_SECRET_SIZE];
    char path[96];
    uint64_t match = 0;
    join_match(secret, &match);
    snprintf(path, sizeof path, "/api/v1/join/%s", secret);
    assert_int_equal(answer(secret, fixture.bob, "", ""), 404);
    assert_int_equal(answer(secret, 0, "", ""), 404);
    assert_int_equal(ask("DELETE", path, fixture.bob, NULL, "").status, 404);
    snprintf(path, sizeof path, "/api/v1/join/%s/events", secret);
    assert_int_equal(ask("GET", path, fixture.bob, NULL, "").status, 404);
    secret[0] = secret[0] == 'A' ? 'B' : 'A';
    assert_int_equal(answer(secret, fixture.alice, "", ""), 404);
    assert_int_equal(state_of(match), MATCH_WAITING);
}

static void test_leaving_cancels_a_waiting_match(void **state) {
    (void)state;
    char secret[REMOTE_SECRET_SIZE];
    char path[96];
    char text[TEXT] = "";
    uint64_t match = 0;
    BotSpec spec;
    Error error;
    join_match(secret, &match);
    int events = watch(secret);
    snprintf(path, sizeof path, "/api/v1/join/%s", secret);
    assert_int_equal(ask("DELETE", path, fixture.alice, NULL, "").status, 204);
    read_until(events, text, "\"state\":\"called_off\"}");
    close(events);
    assert_int_equal(state_of(match), MATCH_CALLED_OFF);
    assert_false(take_seat(match, &spec, &error));
}

static void test_players_are_notified_when_the_arena_stops(void **state) {
    (void)state;
    static const char cancelled[] =
        "\"state\":\"called_off\",\"reason\":\"the arena was restarted\"}";
    char waits[REMOTE_SECRET_SIZE];
    char plays[REMOTE_SECRET_SIZE];
    char text[TEXT] = "";
    char more[TEXT] = "";
    uint64_t matches[2] = {0};
    BotSpec spec;
    Error error;
    join_match(waits, &matches[0]);
    join_match(plays, &matches[1]);
    int events[2] = {watch(waits), watch(plays)};
    assert_true(take_seat(matches[1], &spec, &error));
    int runner = run(&spec);
    remote_seats_close(fixture.arena.remote_seats);
    read_until(events[0], text, cancelled);
    read_until(events[1], more, cancelled);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(state_of(matches[i]), MATCH_CALLED_OFF);
        close(events[i]);
    }
    close(runner);
    bot_spec_free(&spec);
    /* A match of a killed arena: its seat is unknown. */
    assert_int_equal(remote_seats_open(fixture.arena.remote_seats, 4711, 0, &spec, &error),
                     REMOTE_SEAT_EMPTY);
    assert_string_equal(error.text, "the arena was restarted");
    bot_spec_free(&spec);
}

static void test_a_player_who_connects_while_the_arena_stops_is_notified(void **state) {
    (void)state;
    char secret[REMOTE_SECRET_SIZE];
    char text[TEXT] = "";
    uint64_t match = 0;
    join_match(secret, &match);
    remote_seats_close(fixture.arena.remote_seats);
    int events = watch(secret);
    read_until(events, text, "\"state\":\"called_off\",\"reason\":\"the arena was restarted\"}");
    close(events);
    assert_int_equal(answer(secret, fixture.alice, "", ""), 204);
    assert_int_equal(join_with(fixture.alice, "{\"game\":\"aliens\"}").status, 503);
}

static void test_leaving_in_a_match_ends_the_bots_output(void **state) {
    (void)state;
    char secret[REMOTE_SECRET_SIZE];
    char path[96];
    char said[TEXT] = "";
    char text[TEXT] = "";
    uint64_t match = 0;
    BotSpec spec;
    Error error;
    join_match(secret, &match);
    assert_true(take_seat(match, &spec, &error));
    int events = watch(secret);
    int runner = run(&spec);
    read_until(events, text, "event: start");
    snprintf(path, sizeof path, "/api/v1/join/%s", secret);
    assert_int_equal(ask("DELETE", path, fixture.alice, NULL, "").status, 204);
    read_until(runner, said, NULL);
    assert_string_equal(said, "");
    close(runner);
    close(events);
    bot_spec_free(&spec);
}

static void test_seats_per_account_are_limited(void **state) {
    (void)state;
    char secret[REMOTE_SECRET_SIZE];
    uint64_t match = 0;
    join_match(secret, &match);
    join_match(secret, &match);
    Reply reply = join_with(fixture.alice, "{\"game\":\"aliens\"}");
    assert_int_equal(reply.status, 429);
    assert_non_null(strstr(reply.text, "You already play 2 matches from your own machine"));
    /* Seats played in person have their own limit. */
    static const char person[] = "{\"game\":\"aliens\",\"person\":true}";
    for (int i = 0; i < 2; i++) {
        reply = join_with(fixture.alice, person);
        assert_int_equal(reply.status, 201);
    }
    find_seat(&reply, secret, &match);
    reply = join_with(fixture.alice, person);
    assert_int_equal(reply.status, 429);
    assert_non_null(strstr(reply.text, "You already hold 2 seats"));
    assert_int_equal(join_with(fixture.bob, person).status, 201);
    /* Leaving a seat frees it. */
    char path[64];
    snprintf(path, sizeof path, "/api/v1/join/%s", secret);
    assert_int_equal(ask("DELETE", path, fixture.alice, NULL, "").status, 204);
    assert_int_equal(join_with(fixture.alice, person).status, 201);
    assert_int_equal(join_with(fixture.alice, person).status, 429);
}

static void test_the_secret_gives_access_to_a_visitors_seat(void **state) {
    (void)state;
    char secret[REMOTE_SECRET_SIZE];
    char said[TEXT] = "";
    char text[TEXT] = "";
    uint64_t match = 0;
    uint32_t count = 1;
    StoreJob job;
    BotSpec spec;
    Error error;
    static const char match_request[] = "{\"game\":\"aliens\",\"person\":true}";
    assert_int_equal(join_with(0, match_request).status, 401); /* visitors are off */
    fixture.arena.settings.visitors = true;
    Reply reply = join_with(0, match_request);
    assert_int_equal(reply.status, 201);
    assert_non_null(strstr(reply.text, "\"name\":\"visitor\""));
    find_seat(&reply, secret, &match);
    assert_int_equal(
        store_queue_lease(fixture.arena.store, JOB_ANY, "test", 60000, &job, &count, &error),
        STORE_OK);
    assert_int_equal(count, 0);
    assert_true(take_seat(match, &spec, &error));
    int events = watch(secret);
    int runner = run(&spec);
    read_until(events, text, "event: start");
    assert_int_equal(answer(secret, 0, "?run=1&at=0", "[]\n"), 204);
    read_until(runner, said, "[]\n");
    /* A visitor who logs in during the match keeps the seat. */
    assert_int_equal(answer(secret, fixture.bob, "?run=1&at=3", "[]\n"), 204);
    /* Another secret does not work for this seat. */
    secret[0] = secret[0] == 'A' ? 'B' : 'A';
    assert_int_equal(answer(secret, 0, "?run=1&at=6", "[]\n"), 404);
    close(runner);
    close(events);
    bot_spec_free(&spec);
    assert_int_equal(join_with(0, match_request).status, 201);
    reply = join_with(0, match_request);
    assert_int_equal(reply.status, 429);
    assert_non_null(strstr(reply.text, "Visitors from your address already hold 2 seats"));
}

static void test_a_person_who_stops_responding_loses_the_seat(void **state) {
    (void)state;
    enum { ANSWER_MS = 1500 };
    char secret[REMOTE_SECRET_SIZE];
    char said[TEXT] = "";
    char text[TEXT] = "";
    uint64_t id = 0;
    RemoteSeatRoom room;
    BotSpec spec;
    Error error;
    StoreNewSeat seats[2] = {{.label = "alice"}, {.label = "other"}};
    StoreNewMatch match = {
        .game = "aliens", .map = "", .spec = "{}", .players = 2, .seats = seats, .person = true};
    RemotePlayer player = {.account = fixture.alice, .answer_ms = ANSWER_MS};
    assert_int_equal(
        remote_seats_add(fixture.arena.remote_seats, &player, &match, secret, &id, &room, &error),
        STORE_OK);
    assert_true(take_seat(id, &spec, &error));
    int events = watch(secret);
    int runner = run(&spec);
    assert_int_equal(send(runner, "view one\n", 9, MSG_NOSIGNAL), 9);
    read_until(events, text, "event: view");
    assert_int_equal(answer(secret, fixture.alice, "?run=1&at=0", "[]\n"), 204);
    read_until(runner, said, "[]\n");
    /* Without a view there is no deadline. With one, keep-alives are not answers. */
    struct pollfd quiet = {.fd = runner, .events = POLLIN};
    assert_int_equal(poll(&quiet, 1, 2 * ANSWER_MS), 0);
    assert_int_equal(send(runner, "view two\n", 9, MSG_NOSIGNAL), 9);
    assert_int_equal(answer(secret, fixture.alice, "", ""), 204);
    read_until(runner, said, NULL);
    assert_string_equal(said, "[]\n");
    read_until(events, text, "event: stop");
    close(runner);
    close(events);
    bot_spec_free(&spec);
}

static void test_invalid_matches_are_rejected_with_a_reason(void **state) {
    (void)state;
    static const struct {
        const char *body;
        const char *sentence;
    } cases[] = {
        {"[]", "expected a JSON object"},
        {"{}", "game\\\" is required"},
        {"{\"game\":\"chess\"}", "unknown game"},
        {"{\"game\":7}", "game"},
        {"{\"game\":\"ctf\"}", "no bot on this arena plays ctf yet"},
        {"{\"game\":\"ctf\",\"opponents\":[\"bob/hunter\"]}", "bob/hunter plays aliens, not ctf"},
        {"{\"game\":\"aliens\",\"opponents\":[\"bob/nobody\"]}", "unknown bot \\\"bob/nobody\\\""},
        {"{\"game\":\"aliens\",\"opponents\":[\"bob\"]}", "write it as owner/name"},
        {"{\"game\":\"aliens\",\"opponents\":[3]}", "a seat must be an object"},
        {"{\"game\":\"aliens\",\"opponents\":[\"bob/hunter\",\"bob/hunter\"]}",
         "at most 2 players"},
        {"{\"game\":\"aliens\",\"map\":\"nowhere\"}", "map"},
        {"{\"game\":\"aliens\",\"label\":\"<script>\"}", "a label"},
        {"{\"game\":\"aliens\",\"colour\":\"red\"}", "colour"},
        {"{\"game\":\"aliens\",\"turn_time\":5000}", "is for people only"},
        {"{\"game\":\"aliens\",\"person\":true,\"turn_time\":600001}", "turn_time"},
        {"{\"game\":\"aliens\",\"person\":true,\"label\":\"mine\"}", "is for bots only"},
        {"{\"game\":\"aliens\",\"person\":1}", "person"},
        {"{\"game\":\"aliens\",\"seat\":2}", "seat"},
        {"{\"game\":\"aliens\",\"seed\":-1}", "seed"},
        {"{\"from\":{\"match\":1}}", "needs a \\\"turn\\\""},
        {"{\"from\":{\"turn\":1}}", "either a \\\"match\\\" or a \\\"replay\\\""},
        {"{\"from\":{\"match\":77,\"turn\":1}}", "unknown match 77"},
        {"{\"from\":{\"replay\":\"*\",\"turn\":1}}", "a replay file in base64"},
        {"{\"from\":{\"replay\":\"AAAA\",\"turn\":1}}", "not a Skirmish replay"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Reply reply = join_with(fixture.alice, cases[i].body);
        if (reply.status != 422 || !strcasestr(reply.text, cases[i].sentence))
            fail_msg("%s: %s", cases[i].body, reply.text);
    }
    assert_int_equal(join_with(0, "{\"game\":\"aliens\"}").status, 401);
}

static void test_players_who_come_and_go_do_not_lock_others_out(void **state) {
    (void)state;
    char secret[REMOTE_SECRET_SIZE];
    char path[96];
    uint64_t match = 0;
    for (uint32_t i = 0; i < REMOTE_SEATS_MAX + 10; i++) {
        join_match(secret, &match);
        snprintf(path, sizeof path, "/api/v1/join/%s", secret);
        assert_int_equal(ask("DELETE", path, fixture.alice, NULL, "").status, 204);
    }
    /* The latest seats are still known. */
    assert_int_equal(answer(secret, fixture.alice, "", ""), 204);
}

static void test_sockets_of_a_killed_arena_are_deleted(void **state) {
    (void)state;
    char path[96];
    Error error;
    snprintf(path, sizeof path, "%s/run/7-0", fixture.directory);
    FILE *left = fopen(path, "w");
    assert_non_null(left);
    fclose(left);
    remote_seats_free(fixture.arena.remote_seats);
    fixture.arena.remote_seats = remote_seats_new(&fixture.arena, &error);
    assert_non_null(fixture.arena.remote_seats);
    assert_int_equal(access(path, F_OK), -1);
}

int main(void) {
#define SENTENCE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        SENTENCE(test_views_and_answers_are_forwarded_and_the_end_is_announced),
        SENTENCE(test_a_repeated_answer_counts_once),
        SENTENCE(test_a_restarted_bot_gets_its_own_run),
        SENTENCE(test_a_match_that_returns_to_the_queue_is_played_again),
        SENTENCE(test_a_seat_belongs_to_one_account),
        SENTENCE(test_leaving_cancels_a_waiting_match),
        SENTENCE(test_players_are_notified_when_the_arena_stops),
        SENTENCE(test_a_player_who_connects_while_the_arena_stops_is_notified),
        SENTENCE(test_leaving_in_a_match_ends_the_bots_output),
        SENTENCE(test_seats_per_account_are_limited),
        SENTENCE(test_the_secret_gives_access_to_a_visitors_seat),
        SENTENCE(test_a_person_who_stops_responding_loses_the_seat),
        SENTENCE(test_invalid_matches_are_rejected_with_a_reason),
        SENTENCE(test_players_who_come_and_go_do_not_lock_others_out),
        SENTENCE(test_sockets_of_a_killed_arena_are_deleted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
