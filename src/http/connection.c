/* Connections: how many each address may have, and their deadlines.

   libmicrohttpd only has an idle timeout, which a client that sends a byte now and then never
   reaches, and it closes without a response. So each phase of a request has a deadline here, and a
   thread checks all of them a few times a second. A late connection gets a 408, written straight to
   the socket (nobody else writes to it before the response), and the socket is shut down;
   libmicrohttpd notices and cleans up.

   The deadline of a response grows with its size. A client that reads nothing for send_ms is
   disconnected earlier, so that large files cannot be used to hold connections. */
#include "http/connection.h"

#include "base/clock.h"
#include "base/hash.h"
#include "base/memory.h"

#include <linux/tcp.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>

static uint16_t *address_slot(Http *http, Address address) {
    return &http->per_address[hash64_chain(http->secret, address_key(address)) % ADDRESS_SLOTS];
}

enum MHD_Result connection_accept(void *context, const struct sockaddr *address, socklen_t length) {
    Http *http = context;
    (void)length;
    Address peer = address_of(address);
    if (network_holds(http->proxies, http->options.proxy_count, peer))
        return MHD_YES;
    pthread_mutex_lock(&http->lock);
    bool room = *address_slot(http, peer) < http->options.connections_per_address;
    pthread_mutex_unlock(&http->lock);
    if (!room)
        metric_add(http->connections_refused, 1);
    return room ? MHD_YES : MHD_NO;
}

static void open_connection(Http *http, struct MHD_Connection *mhd, void **socket_context) {
    Connection *connection = xcalloc(1, sizeof *connection);
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_CONNECTION_FD);
    connection->socket = info ? info->connect_fd : -1;
    info = MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    connection->peer = address_of(info ? info->client_addr : NULL);
    connection->http = http;
    connection->mhd = mhd;
    connection->spoke = true;
    connection->deadline = clock_now() + http->options.head_ms * CLOCK_MS;
    response_init(&connection->response);
    pthread_mutex_lock(&http->lock);
    connection->next = http->connections;
    if (http->connections)
        http->connections->previous = connection;
    http->connections = connection;
    http->connection_count++;
    ++*address_slot(http, connection->peer);
    pthread_mutex_unlock(&http->lock);
    *socket_context = connection;
}

static void close_connection(Http *http, Connection *connection) {
    pthread_mutex_lock(&http->lock);
    if (connection->previous)
        connection->previous->next = connection->next;
    else
        http->connections = connection->next;
    if (connection->next)
        connection->next->previous = connection->previous;
    http->connection_count--;
    --*address_slot(http, connection->peer);
    pthread_mutex_unlock(&http->lock);
    response_reset(&connection->response);
    buffer_free(&connection->uri);
    buffer_free(&connection->body);
    free(connection);
}

void connection_notify(void *context, struct MHD_Connection *mhd, void **socket_context,
                       enum MHD_ConnectionNotificationCode code) {
    if (code == MHD_CONNECTION_NOTIFY_STARTED)
        open_connection(context, mhd, socket_context);
    else if (*socket_context)
        close_connection(context, *socket_context);
}

bool connection_move(Connection *connection, Phase from, Phase to, uint32_t ms, uint64_t bytes) {
    int64_t deadline = INT64_MAX;
    if (ms)
        deadline = clock_now() + ms * CLOCK_MS + (int64_t)(bytes / BODY_RATE) * 1000 * CLOCK_MS;
    int expected = (int)from;
    atomic_store(&connection->deadline, deadline);
    atomic_store(&connection->stalled_at, clock_now() + ms * CLOCK_MS);
    return atomic_compare_exchange_strong(&connection->phase, &expected, (int)to);
}

void connection_busy(Connection *connection, bool busy) {
    Http *http = connection->http;
    pthread_mutex_lock(&http->lock);
    http->busy += busy ? 1 : UINT32_MAX;
    if (!http->busy)
        pthread_cond_signal(&http->calm);
    pthread_mutex_unlock(&http->lock);
}

/* Called with the lock held, which also keeps the socket open. */
static void expire(Http *http, Connection *connection) {
    int phase = atomic_load(&connection->phase);
    if (phase != PHASE_HEAD && phase != PHASE_BODY && phase != PHASE_SEND)
        return;
    bool reading = phase != PHASE_SEND;
    if (!atomic_compare_exchange_strong(&connection->phase, &phase, PHASE_EXPIRED))
        return;
    metric_add(http->expired, 1);
    if (reading && atomic_load(&connection->spoke))
        send_refusal(connection->socket, 408);
    shutdown(connection->socket, SHUT_RDWR);
}

/* Whether the client has received nothing more of its response for send_ms. */
static bool is_stalled(Http *http, Connection *connection, int64_t now) {
    if (atomic_load(&connection->phase) != PHASE_SEND ||
        now <= atomic_load(&connection->stalled_at))
        return false;
    struct tcp_info info = {0};
    socklen_t size = sizeof info;
    if (getsockopt(connection->socket, IPPROTO_TCP, TCP_INFO, &info, &size) != 0)
        return false; /* its deadline remains */
    bool stalled = info.tcpi_bytes_acked == connection->acknowledged;
    connection->acknowledged = info.tcpi_bytes_acked;
    atomic_store(&connection->stalled_at, now + http->options.send_ms * CLOCK_MS);
    return stalled;
}

static uint32_t shortest(const HttpOptions *options) {
    uint32_t least = options->head_ms;
    least = options->body_ms < least ? options->body_ms : least;
    least = options->idle_ms < least ? options->idle_ms : least;
    return options->send_ms < least ? options->send_ms : least;
}

void *connection_keep(void *context) {
    Http *http = context;
    uint32_t tick = shortest(&http->options) / 4;
    tick = tick < 10 ? 10 : tick > 200 ? 200 : tick;
    pthread_mutex_lock(&http->lock);
    while (!http->keeper_ends) {
        struct timespec until;
        clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_nsec += tick * 1000000L;
        until.tv_sec += until.tv_nsec / 1000000000L;
        until.tv_nsec %= 1000000000L;
        pthread_cond_timedwait(&http->keeper_end, &http->lock, &until);
        int64_t now = clock_now();
        for (Connection *each = http->connections; each; each = each->next)
            if (now > atomic_load(&each->deadline) || is_stalled(http, each, now))
                expire(http, each);
        pthread_mutex_unlock(&http->lock);
        log_flush(http->options.log);
        pthread_mutex_lock(&http->lock);
    }
    pthread_mutex_unlock(&http->lock);
    return NULL;
}
