/* The threads that serve connections. Each has an epoll set with its own connections and the
   listening socket, which they share. A connection stays with one thread; a new one goes to the
   thread that has the fewest.

   Sockets are watched edge-triggered for both directions and registered once: a connection
   remembers whether its socket was readable and writable, so that a request costs no call of
   epoll_ctl. Other threads return connections through loop_post. */
#include "http/connection.h"

#include "base/clock.h"
#include "base/memory.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { POLLED = 128, ACCEPTED = 64 };

static char listening_mark; /* marks the listening socket in an epoll set */

const char *loop_date(Loop *loop) {
    time_t now = time(NULL);
    struct tm parts;
    if (now != loop->date_at) {
        loop->date_at = now;
        strftime(loop->date, sizeof loop->date, "%a, %d %b %Y %H:%M:%S GMT",
                 gmtime_r(&now, &parts));
    }
    return loop->date;
}

/* ---- from other threads ---- */

static void wake(const Loop *loop) {
    uint64_t one = 1;
    while (write(loop->wake, &one, sizeof one) < 0 && errno == EINTR)
        continue;
}

void loop_post(Connection *connection) {
    Loop *loop = connection->loop;
    pthread_mutex_lock(&loop->lock);
    connection->next_posted = loop->posted;
    loop->posted = connection;
    pthread_mutex_unlock(&loop->lock);
    wake(loop);
}

/* ---- connections ---- */

/* Adds the socket to the epoll set. False if the kernel refuses, for example because of its limit
   on watches. */
static bool watch(Connection *connection) {
    struct epoll_event want = {.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET,
                               .data.ptr = connection};
    return epoll_ctl(connection->loop->epoll, EPOLL_CTL_ADD, connection->socket, &want) == 0;
}

void loop_lend(const Connection *connection) {
    epoll_ctl(connection->loop->epoll, EPOLL_CTL_DEL, connection->socket, NULL);
}

void loop_take_back(Connection *connection) {
    (void)!watch(connection); /* if this fails, the connection ends at its deadline */
}

static void adopt(Loop *loop, Connection *connection) {
    connection->adopted = true;
    connection->next = loop->connections;
    if (loop->connections)
        loop->connections->previous = connection;
    loop->connections = connection;
    if (!watch(connection))
        connection->phase = PHASE_GONE;
}

/* Removes a connection from the list and the epoll set; it is freed at the end of the pass. */
static void retire(Loop *loop, Connection *connection) {
    if (connection->previous)
        connection->previous->next = connection->next;
    else
        loop->connections = connection->next;
    if (connection->next)
        connection->next->previous = connection->previous;
    epoll_ctl(loop->epoll, EPOLL_CTL_DEL, connection->socket, NULL);
    connection->next_retired = loop->retired;
    loop->retired = connection;
    connection->adopted = false;
}

static void free_retired(Loop *loop) {
    Http *http = loop->http;
    while (loop->retired) {
        Connection *connection = loop->retired;
        loop->retired = connection->next_retired;
        address_sums_subtract(http->connections_by_address, address_key(connection->peer), 1);
        atomic_fetch_sub(&http->connection_count, 1);
        atomic_fetch_sub(&loop->count, 1);
        connection_free(connection);
    }
}

/* Retires a connection in PHASE_GONE. If it is in the list `again`, that happens at its turn. */
static void retire_if_gone(Loop *loop, Connection *connection) {
    if (connection->phase == PHASE_GONE && !connection->again)
        retire(loop, connection);
}

static void go_on(Loop *loop, Connection *connection) {
    connection_run(connection);
    retire_if_gone(loop, connection);
}

/* ---- new connections ---- */

static void listen_again(Loop *loop) {
    struct epoll_event want = {.events = EPOLLIN | EPOLLEXCLUSIVE, .data.ptr = &listening_mark};
    if (!loop->listening && !atomic_load(&loop->http->stopping) &&
        atomic_load(&loop->http->connection_count) < loop->http->options.connections_max)
        loop->listening = epoll_ctl(loop->epoll, EPOLL_CTL_ADD, loop->http->listening, &want) == 0;
}

static void stop_listening(Loop *loop) {
    if (loop->listening)
        epoll_ctl(loop->epoll, EPOLL_CTL_DEL, loop->http->listening, NULL);
    loop->listening = false;
}

static Loop *least_busy(Http *http) {
    Loop *least = &http->loops[0];
    for (uint32_t i = 1; i < http->loop_count; i++)
        if (atomic_load(&http->loops[i].count) < atomic_load(&least->count))
            least = &http->loops[i];
    return least;
}

/* Counts a connection, unless its address has too many. Trusted proxies have no limit. */
static bool count_connection(Http *http, Address peer) {
    bool is_proxy = network_holds(http->proxies, http->options.proxy_count, peer);
    uint64_t most = is_proxy ? UINT64_MAX : http->options.connections_per_address;
    if (address_sums_add(http->connections_by_address, address_key(peer), 1, most))
        return true;
    metric_add(http->connections_refused, 1);
    return false;
}

static void take_socket(Loop *loop, int socket, Address peer) {
    Http *http = loop->http;
    int yes = 1;
    unsigned stall_ms = http->options.stall_ms;
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    /* Also ends streams whose client has vanished or never reads. */
    setsockopt(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, &stall_ms, sizeof stall_ms);
    atomic_fetch_add(&http->connection_count, 1);
    Connection *connection = connection_new(http, socket, peer);
    connection->loop = least_busy(http);
    atomic_fetch_add(&connection->loop->count, 1);
    if (connection->loop != loop) {
        loop_post(connection);
        return;
    }
    adopt(loop, connection);
    retire_if_gone(loop, connection);
}

/* Accepts waiting clients. If the server is full or has no free descriptors, the clients wait until
   a connection is closed. */
static void accept_some(Loop *loop) {
    Http *http = loop->http;
    for (uint32_t i = 0; i < ACCEPTED; i++) {
        struct sockaddr_storage address;
        socklen_t length = sizeof address;
        if (atomic_load(&http->connection_count) >= http->options.connections_max) {
            stop_listening(loop);
            return;
        }
        int socket = accept4(http->listening, (struct sockaddr *)&address, &length,
                             SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (socket < 0) {
            if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED)
                stop_listening(loop);
            return;
        }
        Address peer = address_of((struct sockaddr *)&address);
        if (count_connection(http, peer))
            take_socket(loop, socket, peer);
        else
            close(socket);
    }
}

/* ---- the thread ---- */

/* Takes the posted connections; sets *ends to whether the thread is to end. */
static Connection *posted_connections(Loop *loop, bool *ends) {
    pthread_mutex_lock(&loop->lock);
    Connection *posted = loop->posted;
    loop->posted = NULL;
    *ends = loop->ends;
    pthread_mutex_unlock(&loop->lock);
    return posted;
}

static bool take_posted(Loop *loop) {
    uint64_t signals;
    bool ends = false;
    while (read(loop->wake, &signals, sizeof signals) < 0 && errno == EINTR)
        continue;
    for (Connection *each = posted_connections(loop, &ends), *next; each; each = next) {
        next = each->next_posted;
        if (!each->adopted)
            adopt(loop, each);
        else
            exchange_resume(each);
        go_on(loop, each);
    }
    return ends;
}

void loop_run_again(Connection *connection) {
    Loop *loop = connection->loop;
    if (connection->again)
        return;
    connection->again = true;
    connection->next_again = loop->again;
    loop->again = connection;
}

/* Gives another turn to the connections that used up theirs in the previous pass. */
static void run_again(Loop *loop, Connection *waiting) {
    for (Connection *each = waiting, *next; each; each = next) {
        next = each->next_again;
        each->again = false;
        go_on(loop, each);
    }
}

/* Closes all connections, including those that other threads have just posted. */
static void close_all(Loop *loop) {
    bool ends = false;
    for (Connection *each = posted_connections(loop, &ends), *next; each; each = next) {
        next = each->next_posted;
        if (!each->adopted)
            adopt(loop, each);
    }
    loop->again = NULL;
    while (loop->connections)
        retire(loop, loop->connections);
    free_retired(loop);
}

static void take_event(Loop *loop, const struct epoll_event *event) {
    Connection *connection = event->data.ptr;
    if (!connection->adopted) /* it was retired earlier in this pass */
        return;
    bool ended = (event->events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0;
    connection->ended = connection->ended || ended;
    connection->readable = connection->readable || ended || (event->events & EPOLLIN);
    connection->writable = connection->writable || (event->events & (EPOLLOUT | EPOLLERR));
    go_on(loop, connection);
}

static void check_all(Loop *loop, int64_t now) {
    for (Connection *each = loop->connections, *next; each; each = next) {
        next = each->next;
        connection_check(each, now);
        retire_if_gone(loop, each);
    }
}

static uint32_t shortest(const HttpOptions *options) {
    const uint32_t times[] = {options->head_ms, options->body_ms, options->idle_ms,
                              options->send_ms, options->stall_ms};
    uint32_t least = times[0];
    for (size_t i = 1; i < sizeof times / sizeof times[0]; i++)
        least = times[i] < least ? times[i] : least;
    return least;
}

static void *run(void *context) {
    Loop *loop = context;
    Http *http = loop->http;
    uint32_t tick = shortest(&http->options) / 4;
    tick = tick < 10 ? 10 : tick > 200 ? 200 : tick;
    int64_t looked = clock_now();
    sigset_t pipe; /* block SIGPIPE, because sendfile has no MSG_NOSIGNAL */
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe, NULL);
    for (bool ends = false; !ends;) {
        struct epoll_event happened[POLLED];
        listen_again(loop);
        Connection *waiting = loop->again;
        loop->again = NULL;
        int count = epoll_wait(loop->epoll, happened, POLLED, waiting ? 0 : (int)tick);
        if (atomic_load(&http->stopping))
            stop_listening(loop);
        for (int i = 0; i < count; i++)
            if (!happened[i].data.ptr)
                ends = take_posted(loop);
            else if (happened[i].data.ptr == &listening_mark)
                accept_some(loop);
            else
                take_event(loop, &happened[i]);
        run_again(loop, waiting);
        int64_t now = clock_now();
        if (now - looked >= tick * CLOCK_MS) {
            looked = now;
            check_all(loop, now);
            log_flush(http->options.log);
        }
        free_retired(loop);
    }
    close_all(loop);
    return NULL;
}

/* ---- start and stop ---- */

bool loops_start(Http *http, Error *error) {
    http->loops = xcalloc(http->options.threads, sizeof *http->loops);
    for (uint32_t i = 0; i < http->options.threads; i++)
        http->loops[i].epoll = http->loops[i].wake = -1;
    for (uint32_t i = 0; i < http->options.threads; i++) {
        Loop *loop = &http->loops[i];
        struct epoll_event want = {.events = EPOLLIN, .data.ptr = NULL};
        loop->http = http;
        pthread_mutex_init(&loop->lock, NULL); /* owns no resources, so it needs no destroy */
        loop->epoll = epoll_create1(EPOLL_CLOEXEC);
        loop->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
        if (loop->epoll < 0 || loop->wake < 0 ||
            epoll_ctl(loop->epoll, EPOLL_CTL_ADD, loop->wake, &want) != 0)
            return error_set(error, "cannot start the HTTP server: %s", strerror(errno));
    }
    http->loop_count = http->options.threads;
    for (uint32_t i = 0; i < http->loop_count; i++)
        if (pthread_create(&http->loops[i].thread, NULL, run, &http->loops[i]) != 0)
            abort();
    return true;
}

void loops_stop(Http *http) {
    for (uint32_t i = 0; i < http->loop_count; i++) {
        pthread_mutex_lock(&http->loops[i].lock);
        http->loops[i].ends = true;
        pthread_mutex_unlock(&http->loops[i].lock);
        wake(&http->loops[i]);
    }
    for (uint32_t i = 0; i < http->loop_count; i++)
        pthread_join(http->loops[i].thread, NULL);
    for (uint32_t i = 0; i < http->options.threads && http->loops; i++) {
        Loop *loop = &http->loops[i];
        if (loop->epoll >= 0 && loop->wake >= 0)
            close_all(loop);
        if (loop->epoll >= 0)
            close(loop->epoll);
        if (loop->wake >= 0)
            close(loop->wake);
    }
    free(http->loops);
    http->loops = NULL;
    http->loop_count = 0;
}
