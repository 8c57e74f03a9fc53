/* Helpers of bench/http:

     http-bench fill DIRECTORY BOTS GAMES MATCHES  a data directory for an arena (crowd.h)
     http-bench viewers PORT PATH N SECONDS        N spectators of a match that stamping_bot.c
                                                   plays; prints how late turns reached them, as
                                                   JSON

   Spectators connect from different addresses, because an arena limits the connections per
   address. */
#include "base/clock.h"
#include "crowd.h"
#include "stats.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { SAMPLES_MAX = 4 << 20, PIECE = 1 << 16 };

static uint32_t number(const char *text) {
    return (uint32_t)strtoul(text, NULL, 10);
}

/* ---- fill ---- */

static int fill(char **words) {
    Crowd crowd = {.bots = number(words[1]),
                   .games = number(words[2]),
                   .matches = number(words[3]),
                   .random = random_seeded(1)};
    if (crowd.games < 1 || crowd.games > 5 || !crowd.bots || crowd.bots % crowd.games != 0) {
        fprintf(stderr, "bots must be a multiple of games, of which there are 1 to 5\n");
        return 2;
    }
    crowd_open(&crowd, words[0], true);
    crowd_add_people(&crowd);
    crowd_add_bots(&crowd);
    crowd_ask(&crowd, crowd.matches);
    crowd_play(&crowd, crowd.matches);
    Error error;
    crowd_must(store_close(crowd.store, &error) ? STORE_OK : STORE_FAILED, &error);
    return 0;
}

/* ---- viewers ---- */

typedef struct Tail {
    int socket;
    char kept[64]; /* the end of the received text: a time stamp may be split */
    size_t length;
    uint64_t events;
} Tail;

static double *delays;
static uint32_t delay_count;
static uint64_t bytes_read;

/* Records how late each turn in the text arrived, and keeps the last bytes of the text. An answer
   is a string inside the event, so its quotes are escaped. */
static void take(Tail *tail, const char *text, size_t length, int64_t now) {
    static const char mark[] = "\\\"sent\\\":";
    const char *end = text + length;
    const char *kept = length < sizeof mark ? text : end - sizeof mark;
    for (const char *at = text;
         (at = memmem(at, (size_t)(end - at), mark, sizeof mark - 1)) != NULL;) {
        const char *digits = at + sizeof mark - 1;
        const char *brace = memchr(digits, '}', (size_t)(end - digits));
        if (!brace) {
            kept = (size_t)(end - at) <= sizeof tail->kept ? at : kept;
            break;
        }
        tail->events++;
        if (delay_count < SAMPLES_MAX)
            delays[delay_count++] = (double)(now - strtoll(digits, NULL, 10)) / 1e6;
        at = brace;
        kept = kept < brace ? brace : kept;
    }
    tail->length = (size_t)(end - kept);
    memcpy(tail->kept, kept, tail->length);
}

static int connect_viewer(uint16_t port, const char *path, uint32_t index) {
    struct sockaddr_in to = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct sockaddr_in from = {.sin_family = AF_INET,
                               .sin_addr.s_addr =
                                   htonl(0x7f010000 + (index / 250) * 256 + index % 250 + 1)};
    char ask[256];
    int length = snprintf(ask, sizeof ask, "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n", path);
    int socket_fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (socket_fd < 0 || bind(socket_fd, (struct sockaddr *)&from, sizeof from) != 0 ||
        connect(socket_fd, (struct sockaddr *)&to, sizeof to) != 0 ||
        write(socket_fd, ask, (size_t)length) != length)
        return -1;
    return socket_fd;
}

static void report(const Tail *tails, uint32_t count, double seconds) {
    uint64_t least = UINT64_MAX;
    uint64_t most = 0;
    uint32_t closed = 0;
    for (uint32_t i = 0; i < count; i++) {
        least = tails[i].events < least ? tails[i].events : least;
        most = tails[i].events > most ? tails[i].events : most;
        closed += tails[i].socket < 0;
    }
    stats_of(delays, delay_count);
    printf("{\"viewers\":%u,\"seconds\":%.1f,\"bytes\":%.0f,\"fewest\":%llu,\"most\":%llu,"
           "\"closed\":%u,\"p50_ms\":%.2f,\"p99_ms\":%.2f,\"worst_ms\":%.2f}\n",
           (unsigned)count, seconds, (double)bytes_read / delay_count, (unsigned long long)least,
           (unsigned long long)most, (unsigned)closed, stats_share(delays, delay_count, 0.5),
           stats_share(delays, delay_count, 0.99), delays[delay_count - 1]);
}

static void read_some(Tail *tail) {
    static char text[PIECE + sizeof tail->kept];
    memcpy(text, tail->kept, tail->length);
    ssize_t length = read(tail->socket, text + tail->length, PIECE);
    if (length > 0) {
        bytes_read += (uint64_t)length;
        take(tail, text, tail->length + (size_t)length, clock_now());
    } else {
        close(tail->socket);
        tail->socket = -1;
    }
}

static int view(uint16_t port, const char *path, uint32_t count, double seconds) {
    Tail *tails = calloc(count, sizeof *tails);
    delays = calloc(SAMPLES_MAX, sizeof *delays);
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    if (!tails || !delays || epoll < 0)
        abort();
    for (uint32_t i = 0; i < count; i++) {
        struct epoll_event want = {.events = EPOLLIN, .data.ptr = &tails[i]};
        tails[i].socket = connect_viewer(port, path, i);
        if (tails[i].socket < 0 || epoll_ctl(epoll, EPOLL_CTL_ADD, tails[i].socket, &want) != 0) {
            fprintf(stderr, "viewer %u cannot connect: %s\n", (unsigned)i, strerror(errno));
            exit(1);
        }
    }
    int64_t warm = clock_now() + 1000 * CLOCK_MS; /* the initial connections are not measured */
    int64_t end = warm + (int64_t)(seconds * 1e9);
    bool counting = false;
    while (clock_now() < end) {
        struct epoll_event happened[64];
        int ready = epoll_wait(epoll, happened, 64, 100);
        if (!counting && clock_now() > warm) {
            counting = true;
            delay_count = 0;
            bytes_read = 0;
            for (uint32_t i = 0; i < count; i++)
                tails[i].events = 0;
        }
        for (int i = 0; i < ready; i++)
            read_some(happened[i].data.ptr);
    }
    if (!delay_count) {
        fprintf(stderr, "no turn came\n");
        exit(1);
    }
    report(tails, count, seconds);
    free(tails);
    free(delays);
    return 0;
}

int main(int count, char **arguments) {
    const char *mode = count > 1 ? arguments[1] : "";
    if (strcmp(mode, "fill") == 0 && count == 6)
        return fill(arguments + 2);
    if (strcmp(mode, "viewers") == 0 && count == 6)
        return view((uint16_t)number(arguments[2]), arguments[3], number(arguments[4]),
                    strtod(arguments[5], NULL));
    fprintf(stderr, "usage: http-bench fill DIRECTORY BOTS GAMES MATCHES |\n"
                    "                  viewers PORT PATH N SECONDS\n");
    return 2;
}
