/* Both ends of the server's benchmark, which bench/http runs:

     http-bench bare                     libmicrohttpd's hello-world, to compare with
     http-bench serve                    our server: /hello, /rows (a leaderboard's first page, cached), /live (20 events a second)
     http-bench viewers PORT N SECONDS   N viewers of /live; prints how late events came, as JSON

   The servers print their port and stop when their standard input ends. The log goes to standard error. */
#include "base/clock.h"
#include "base/json.h"
#include "server/http.h"
#include "stats.h"

#include <errno.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { EVENTS_A_SECOND = 20, EVENT_SIZE = 1000, SAMPLES_MAX = 4 << 20 };

static void serve_until_closed(unsigned port) {
    printf("%u\n", port);
    fflush(stdout);
    while (getchar() != EOF)
        continue;
}

/* ---- bare ---- */

static enum MHD_Result say_hello(void *context, struct MHD_Connection *connection, const char *url,
                                 const char *method, const char *version, const char *upload,
                                 size_t *upload_size, void **request) {
    static char hello[] = "Hello, world!";
    static int seen;
    (void)context;
    (void)url;
    (void)method;
    (void)version;
    (void)upload;
    (void)upload_size;
    if (!*request) {
        *request = &seen;
        return MHD_YES;
    }
    struct MHD_Response *response =
        MHD_create_response_from_buffer(strlen(hello), hello, MHD_RESPMEM_PERSISTENT);
    enum MHD_Result queued = MHD_queue_response(connection, 200, response);
    MHD_destroy_response(response);
    return queued;
}

static int serve_bare(void) {
    struct sockaddr_in local = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct MHD_Daemon *daemon =
        MHD_start_daemon(MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_TURBO, 0, NULL, NULL, say_hello,
                         NULL, MHD_OPTION_SOCK_ADDR, (struct sockaddr *)&local,
                         MHD_OPTION_THREAD_POOL_SIZE, 2U, MHD_OPTION_END);
    if (!daemon)
        return 1;
    serve_until_closed(MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT)->port);
    MHD_stop_daemon(daemon);
    return 0;
}

/* ---- ours ---- */

static Body *rows;
static _Atomic bool stopping;

static Outcome handle_hello(Request *request, Response *response) {
    (void)request;
    response->type = TYPE_TEXT;
    buffer_text(&response->bytes, "Hello, world!");
    return OUTCOME_ANSWERED;
}

static Outcome handle_rows(Request *request, Response *response) {
    (void)request;
    response_share(response, rows);
    return OUTCOME_ANSWERED;
}

static Outcome handle_live(Request *request, Response *response) {
    (void)response;
    return request_watch(request, "match", LIVE_FROM_NOW);
}

static Body *make_rows(void) {
    Buffer text = {0};
    JsonOut out = {.to = &text};
    json_open(&out, NULL, '{');
    json_open(&out, "rows", '[');
    for (int i = 0; i < 50; i++) {
        char name[32];
        snprintf(name, sizeof name, "bot number %d", i * 7919 % 1000);
        json_open(&out, NULL, '{');
        json_out_int(&out, "rank", i + 1);
        json_out_int(&out, "bot", i * 7919 % 1000);
        json_out_text(&out, "name", name);
        json_out_text(&out, "owner", "somebody");
        json_out_int(&out, "rating", 1900 - i * 3);
        json_out_int(&out, "error", 20 + i % 7);
        json_out_int(&out, "played", 400 + i);
        json_close(&out, '}');
    }
    json_close(&out, ']');
    json_out_text(&out, "next", "eyJyYW5rIjo1MH0");
    json_close(&out, '}');
    return body_new(TYPE_JSON, &text);
}

static void *publish(void *context) {
    Live *live = context;
    char data[EVENT_SIZE + 1];
    struct timespec pause = {.tv_nsec = 1000000000L / EVENTS_A_SECOND};
    while (!atomic_load(&stopping)) {
        int length =
            snprintf(data, sizeof data, "{\"sent\":%lld,\"state\":\"", (long long)clock_now());
        memset(data + length, 'x', sizeof data - (size_t)length);
        live_publish(live, "match", "turn", (Slice){data, EVENT_SIZE});
        nanosleep(&pause, NULL);
    }
    return NULL;
}

static int serve(void) {
    static const Route routes[] = {
        {METHOD_GET, "/hello", "hello", handle_hello, .rate = 0},
        {METHOD_GET, "/rows", "rows", handle_rows, .rate = 0},
        {METHOD_GET, "/live", "live", handle_live, .rate = 0},
    };
    Log *log = log_new(STDERR_FILENO, LOG_INFO);
    Metrics *metrics = metrics_new();
    rows = make_rows();
    Error error = {""};
    Http *http =
        http_start(&(HttpOptions){.routes = routes,
                                  .route_count = sizeof routes / sizeof routes[0],
                                  .log = log,
                                  .metrics = metrics,
                                  .connections_max = 10000,
                                  .connections_per_address = 10000,
                                  .live = {.viewers_max = 10000, .viewers_per_address = 10000}},
                   &error);
    if (!http) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    live_open(http_live(http), "match", 1000, 4 << 20);
    pthread_t publisher;
    if (pthread_create(&publisher, NULL, publish, http_live(http)) != 0)
        abort();
    serve_until_closed(http_port(http));
    atomic_store(&stopping, true);
    pthread_join(publisher, NULL);
    http_stop(http, 1000);
    body_release(rows);
    log_free(log);
    metrics_free(metrics);
    return 0;
}

/* ---- viewers ---- */

typedef struct Tail {
    int socket;
    char kept[64]; /* the end of what came: a field may be cut in two */
    size_t length;
    uint64_t events;
} Tail;

static double *delays;
static uint32_t delay_count;

/* Notes how late each event in the text came, and keeps its last bytes. */
static void take(Tail *tail, const char *text, size_t length, int64_t now) {
    static const char mark[] = "{\"sent\":";
    const char *end = text + length;
    const char *kept = length < 40 ? text : end - 40;
    for (const char *at = text;
         (at = memmem(at, (size_t)(end - at), mark, sizeof mark - 1)) != NULL;) {
        const char *digits = at + sizeof mark - 1;
        const char *comma = memchr(digits, ',', (size_t)(end - digits));
        if (!comma) {
            kept = at;
            break;
        }
        tail->events++;
        if (delay_count < SAMPLES_MAX)
            delays[delay_count++] = (double)(now - strtoll(digits, NULL, 10)) / 1e6;
        at = comma;
        kept = kept < comma ? comma : kept;
    }
    tail->length = (size_t)(end - kept);
    memcpy(tail->kept, kept, tail->length);
}

static int connect_viewer(uint16_t port) {
    static const char ask[] = "GET /live HTTP/1.1\r\nHost: localhost\r\n\r\n";
    struct sockaddr_in to = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int socket_fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (socket_fd < 0 || connect(socket_fd, (struct sockaddr *)&to, sizeof to) != 0 ||
        write(socket_fd, ask, sizeof ask - 1) != (ssize_t)sizeof ask - 1)
        return -1;
    return socket_fd;
}

static void report(const Tail *tails, uint32_t count, double seconds) {
    uint64_t least = UINT64_MAX;
    uint32_t closed = 0;
    for (uint32_t i = 0; i < count; i++) {
        least = tails[i].events < least ? tails[i].events : least;
        closed += tails[i].socket < 0;
    }
    stats_of(delays, delay_count);
    printf("{\"viewers\":%u,\"seconds\":%.1f,\"events\":%u,\"fewest\":%llu,\"closed\":%u,"
           "\"p50_ms\":%.2f,\"p99_ms\":%.2f,\"worst_ms\":%.2f}\n",
           (unsigned)count, seconds, (unsigned)delay_count, (unsigned long long)least,
           (unsigned)closed, stats_share(delays, delay_count, 0.5),
           stats_share(delays, delay_count, 0.99), delays[delay_count - 1]);
}

static int view(uint16_t port, uint32_t count, double seconds) {
    Tail *tails = calloc(count, sizeof *tails);
    delays = calloc(SAMPLES_MAX, sizeof *delays);
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    if (!tails || !delays || epoll < 0)
        abort();
    for (uint32_t i = 0; i < count; i++) {
        struct epoll_event want = {.events = EPOLLIN, .data.ptr = &tails[i]};
        tails[i].socket = connect_viewer(port);
        if (tails[i].socket < 0 || epoll_ctl(epoll, EPOLL_CTL_ADD, tails[i].socket, &want) != 0) {
            fprintf(stderr, "viewer %u cannot connect: %s\n", (unsigned)i, strerror(errno));
            return 1;
        }
    }
    int64_t warm = clock_now() + 1000 * CLOCK_MS; /* the crowd at the door is not measured */
    int64_t end = warm + (int64_t)(seconds * 1e9);
    bool counting = false;
    while (clock_now() < end) {
        struct epoll_event happened[64];
        int ready = epoll_wait(epoll, happened, 64, 100);
        if (!counting && clock_now() > warm) {
            counting = true;
            delay_count = 0;
            for (uint32_t i = 0; i < count; i++)
                tails[i].events = 0;
        }
        for (int i = 0; i < ready; i++) {
            Tail *tail = happened[i].data.ptr;
            char text[16384 + sizeof tail->kept];
            memcpy(text, tail->kept, tail->length);
            ssize_t length = read(tail->socket, text + tail->length, 16384);
            if (length > 0) {
                take(tail, text, tail->length + (size_t)length, clock_now());
            } else {
                close(tail->socket);
                tail->socket = -1;
            }
        }
    }
    if (!delay_count)
        return 1;
    report(tails, count, seconds);
    free(tails);
    free(delays);
    return 0;
}

int main(int count, char **arguments) {
    const char *mode = count > 1 ? arguments[1] : "";
    if (strcmp(mode, "bare") == 0)
        return serve_bare();
    if (strcmp(mode, "serve") == 0)
        return serve();
    if (strcmp(mode, "viewers") == 0 && count == 5)
        return view((uint16_t)strtoul(arguments[2], NULL, 10),
                    (uint32_t)strtoul(arguments[3], NULL, 10), strtod(arguments[4], NULL));
    fprintf(stderr, "usage: http-bench bare | serve | viewers PORT N SECONDS\n");
    return 2;
}
