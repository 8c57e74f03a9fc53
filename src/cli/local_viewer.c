/* See local_viewer.h. */
#include "cli/local_viewer.h"

#include "arena/api/api.h"
#include "base/memory.h"
#include "cli/cli.h"
#include "cli/stop_signal.h"
#include "http/http.h"
#include "http/problem.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    TOKEN_BYTES = 16,
    TOKEN_LETTERS = 2 * TOKEN_BYTES,
    STATE_BYTES = 1 << 20, /* approximate limit for the newest state */
    DRAIN_MS = 200,
};

static const char topic[] = "run";

struct LocalViewer {
    Pages *pages;
    Metrics *metrics;
    Http *http;
    bool no_browser;
    char token[TOKEN_LETTERS + 1];
    char address[80];

    pthread_mutex_t lock;
    int replays[LOCAL_VIEWER_REPLAYS]; /* guarded by it; at number % LOCAL_VIEWER_REPLAYS */
    uint32_t added;
};

/* ---- routes ---- */

static LocalViewer *viewer_of(const Request *request) {
    return request->context;
}

/* Compares in constant time, so that the duration does not reveal the token. */
static bool permit(Request *request, Response *response) {
    const char *token = viewer_of(request)->token;
    Slice given = request_path(request, "token");
    unsigned different = given.length != TOKEN_LETTERS;
    for (size_t i = 0; i < TOKEN_LETTERS && i < given.length; i++)
        different |= (unsigned)(given.at[i] ^ token[i]);
    if (different)
        problem(request, response, 404, "Page not found. Use the address that was printed.");
    return !different;
}

/* The element tells web/src/main.ts which page this is. */
static Outcome handle_page(Request *request, Response *response) {
    static const char element[] = "<meta name=\"skirmish-local\" content=\"yes\">\n";
    pages_answer(viewer_of(request)->pages, slice_of(element), response);
    response->cache = CACHE_NEVER;
    return OUTCOME_ANSWERED;
}

static Outcome handle_events(Request *request, Response *response) {
    (void)response;
    return request_watch(request, topic, LIVE_FROM_LAST);
}

static Outcome handle_replay(Request *request, Response *response) {
    LocalViewer *viewer = viewer_of(request);
    int64_t number = request_number(request, "number", 0);
    int file = -1;
    struct stat about;
    pthread_mutex_lock(&viewer->lock);
    if (number < viewer->added && number + LOCAL_VIEWER_REPLAYS >= viewer->added)
        file = fcntl(viewer->replays[number % LOCAL_VIEWER_REPLAYS], F_DUPFD_CLOEXEC, 0);
    pthread_mutex_unlock(&viewer->lock);
    if (file < 0 || fstat(file, &about) != 0) {
        if (file >= 0)
            close(file);
        return problem(request, response, 404, "This match is no longer available.");
    }
    response->file = file;
    response->file_size = (uint64_t)about.st_size;
    response->type = TYPE_BYTES;
    return OUTCOME_ANSWERED;
}

/* Serves scripts, styles and pictures, which are not secret; but not index.html, which would be the
   arena's page. */
static Outcome handle_file(Request *request, Response *response) {
    Slice path = request_path(request, "path");
    return !slice_equals(path, "index.html") &&
                   pages_answer_file(viewer_of(request)->pages, path, response)
               ? OUTCOME_ANSWERED
               : problem(request, response, 404,
                         "Page not found. Use the address that was printed.");
}

static const Route routes[] = {
    {.method = METHOD_GET,
     .pattern = "/local/{token}",
     .name = "page",
     .handle = handle_page,
     .parameters = {{.name = "token", .maximum = REQUEST_REST_MAX}},
     .any_query = true,
     .permit = permit},
    {.method = METHOD_GET,
     .pattern = "/local/{token}/events",
     .name = "events",
     .handle = handle_events,
     .parameters = {{.name = "token", .maximum = REQUEST_REST_MAX}},
     .permit = permit},
    {.method = METHOD_GET,
     .pattern = "/local/{token}/replays/{number}",
     .name = "replay",
     .handle = handle_replay,
     .parameters = {{.name = "token", .maximum = REQUEST_REST_MAX},
                    {.name = "number", .kind = PARAMETER_NUMBER, .maximum = UINT32_MAX}},
     .permit = permit},
    {.method = METHOD_GET,
     .pattern = "/{path...}",
     .name = "file",
     .handle = handle_file,
     .parameters = {{.name = "path", .maximum = REQUEST_REST_MAX}},
     .any_query = true},
};

/* ---- start and stop ---- */

static bool draw_token(char token[TOKEN_LETTERS + 1], Error *error) {
    unsigned char bytes[TOKEN_BYTES];
    if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes)
        return error_set(error, "no random numbers: %s", strerror(errno));
    for (int i = 0; i < TOKEN_BYTES; i++)
        snprintf(token + 2 * (size_t)i, 3, "%02x", bytes[i]);
    return true;
}

/* The server's threads must not receive signals, which are for the main thread. */
static bool serve(LocalViewer *viewer, const LocalViewerOptions *options, Error *error) {
    HttpOptions http = {
        .port = (uint16_t)options->port,
        .routes = routes,
        .route_count = sizeof routes / sizeof *routes,
        .context = viewer,
        .host_names = "",
        .metrics = viewer->metrics,
        .page_policy = pages_policy,
    };
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    viewer->http = http_start(&http, error);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!viewer->http && options->port) {
        Error reason = *error;
        error_set(error, "%s; choose another port with --port", reason.text);
    }
    return viewer->http != NULL;
}

LocalViewer *local_viewer_start(const LocalViewerOptions *options, Error *error) {
    LocalViewer *viewer = xcalloc(1, sizeof *viewer);
    viewer->no_browser = options->no_browser;
    pthread_mutex_init(&viewer->lock, NULL);
    viewer->metrics = metrics_new();
    viewer->pages = pages_read(getenv("SKIRMISH_WEB"), error);
    bool good = viewer->pages != NULL;
    if (good && pages_missing(viewer->pages))
        good = error_set(error, "the web pages are not built; run tools/build-web");
    if (!good || !draw_token(viewer->token, error) || !serve(viewer, options, error)) {
        local_viewer_stop(viewer);
        return NULL;
    }
    snprintf(viewer->address, sizeof viewer->address, "http://127.0.0.1:%u/local/%s",
             http_port(viewer->http), viewer->token);
    live_open(http_live(viewer->http), topic, 1, STATE_BYTES);
    return viewer;
}

void local_viewer_stop(LocalViewer *viewer) {
    if (!viewer)
        return;
    http_stop(viewer->http, DRAIN_MS);
    uint32_t kept = viewer->added < LOCAL_VIEWER_REPLAYS ? viewer->added : LOCAL_VIEWER_REPLAYS;
    for (uint32_t i = 0; i < kept; i++)
        close(viewer->replays[i]);
    pages_free(viewer->pages);
    metrics_free(viewer->metrics);
    pthread_mutex_destroy(&viewer->lock);
    free(viewer);
}

const char *local_viewer_address(const LocalViewer *viewer) {
    return viewer->address;
}

/* ---- the browser ---- */

/* Replaces this process, a grandchild of the command. */
static void become_browser(char *program, char *address) {
    int null = open("/dev/null", O_RDWR);
    for (int fd = 0; fd < 3; fd++)
        dup2(null, fd);
    close_range(3, ~0U, 0);
    signal(SIGPIPE, SIG_DFL);
    execvp(program, (char *[]){program, address, NULL});
    _exit(1);
}

/* Lets a browser outlive this process without counting as a leftover of a bot: the browser becomes
   a child of process 1 before this process adopts orphans again. */
void local_viewer_browse(const LocalViewer *viewer) {
    const char *chosen = getenv("BROWSER");
    bool has_display = getenv("DISPLAY") || getenv("WAYLAND_DISPLAY");
    bool has_choice = chosen && *chosen && !strpbrk(chosen, ":% ");
    if (viewer->no_browser || (!has_choice && !has_display))
        return;
    char *program = xstrdup(has_choice ? chosen : "xdg-open");
    char *address = xstrdup(viewer->address);
    int adopts = 0;
    prctl(PR_GET_CHILD_SUBREAPER, &adopts);
    prctl(PR_SET_CHILD_SUBREAPER, 0UL);
    pid_t child = fork();
    if (child == 0) {
        setsid();
        if (fork() == 0)
            become_browser(program, address);
        _exit(0);
    }
    while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
        continue;
    prctl(PR_SET_CHILD_SUBREAPER, adopts ? 1UL : 0UL);
    free(address);
    free(program);
}

/* ---- what pages show ---- */

uint32_t local_viewer_add(LocalViewer *viewer, int replay) {
    pthread_mutex_lock(&viewer->lock);
    uint32_t number = viewer->added++;
    int *place = &viewer->replays[number % LOCAL_VIEWER_REPLAYS];
    if (number >= LOCAL_VIEWER_REPLAYS)
        close(*place);
    *place = replay;
    pthread_mutex_unlock(&viewer->lock);
    return number;
}

void local_viewer_publish(LocalViewer *viewer, Slice state) {
    live_publish(http_live(viewer->http), topic, "state", state);
}

/* ---- one replay ---- */

static void write_state(LocalViewer *viewer, const char *title, const Game *game, int replay,
                        int analysis, Buffer *to) {
    JsonOut out = {.to = to};
    json_open(&out, NULL, '{');
    json_out_text(&out, "kind", "replay");
    json_out_text(&out, "title", title);
    json_out_text(&out, "game", game->title);
    json_out_text(&out, "state", "done");
    json_open(&out, "matches", '[');
    json_open(&out, NULL, '{');
    json_out_uint(&out, "replay", local_viewer_add(viewer, replay));
    if (analysis >= 0)
        json_out_uint(&out, "analysis", local_viewer_add(viewer, analysis));
    json_close(&out, '}');
    json_close(&out, ']');
    json_close(&out, '}');
}

int local_viewer_show(const LocalViewerOptions *options, const char *title, const Game *game,
                      int replay, int analysis) {
    Error error = {0};
    Buffer state = {0};
    LocalViewer *viewer =
        stop_signal_catch(&error) >= 0 ? local_viewer_start(options, &error) : NULL;
    if (!viewer) {
        print_error("%s", error.text);
        close(replay);
        if (analysis >= 0)
            close(analysis);
        return STATUS_USAGE;
    }
    write_state(viewer, title, game, replay, analysis, &state);
    local_viewer_publish(viewer, (Slice){state.data, state.length});
    buffer_free(&state);
    print("Viewer: %s\nPress Ctrl-C to stop\n", local_viewer_address(viewer));
    print_flush();
    local_viewer_browse(viewer);
    stop_signal_wait();
    local_viewer_stop(viewer);
    return STATUS_DONE;
}
