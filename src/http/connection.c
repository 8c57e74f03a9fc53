/* A connection: its bytes in and out, and its deadlines. exchange.c interprets them.

   Each phase has a deadline, and while bytes are expected to move, some must move every stall_ms: a
   client that sends or reads nothing is dropped, however much time its phase has left. Data that
   the kernel has accepted for sending may not have reached the client, so the server asks the
   kernel how much the client has confirmed. */
#include "http/connection.h"

#include "base/clock.h"
#include "base/memory.h"

#include <errno.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

enum {
    HEAD_PIECE = 4 << 10,
    BODY_PIECE = 16 << 10,
    FILE_PIECE = 1 << 20,
    STEPS_MAX = 64,          /* steps in one turn of a connection */
    DISCARDED_MAX = 8 << 20, /* bytes that are discarded so that the client reads our response */
    LINGER_MS = 30000,       /* how long bytes are discarded */
};

Connection *connection_new(Http *http, int socket, Address peer) {
    Connection *connection = xcalloc(1, sizeof *connection);
    connection->http = http;
    connection->socket = socket;
    connection->peer = peer;
    connection->spoke = true;
    connection->writable = true;
    response_init(&connection->response);
    connection_begin(connection, PHASE_HEAD, http->options.head_ms, 0);
    return connection;
}

void connection_free(Connection *connection) {
    exchange_end(connection);
    close(connection->socket);
    buffer_free(&connection->in);
    buffer_free(&connection->text);
    buffer_free(&connection->body);
    buffer_free(&connection->out);
    free(connection);
}

bool connection_hold(Connection *connection, size_t bytes, bool small) {
    Budget *budget = connection->http->budget;
    bytes = bytes > HELD_FREELY ? bytes : 0;
    if (bytes > connection->held &&
        !budget_take(budget, connection->owner, bytes - connection->held, small))
        return false;
    if (bytes < connection->held)
        budget_return(budget, connection->owner, connection->held - bytes);
    connection->held = bytes;
    return true;
}

/* ---- deadlines ---- */

/* Bytes that the client has acknowledged. */
static uint64_t bytes_acked(const Connection *connection) {
    struct tcp_info info = {0};
    socklen_t size = sizeof info;
    if (getsockopt(connection->socket, IPPROTO_TCP, TCP_INFO, &info, &size) != 0)
        return 0;
    return info.tcpi_bytes_acked;
}

void connection_begin(Connection *connection, Phase phase, uint32_t ms, uint64_t bytes) {
    int64_t now = clock_now();
    connection->phase = phase;
    connection->deadline = INT64_MAX;
    if (ms)
        connection->deadline = now + ms * CLOCK_MS + (int64_t)(bytes / BODY_RATE) * 1000 * CLOCK_MS;
    connection->stalled_at = now + connection->http->options.stall_ms * CLOCK_MS;
    connection->moved = true; /* so that the first stall check of a phase only records `acked` */
}

/* Whether no bytes have moved for stall_ms. Starts the next interval when one has passed. */
static bool is_stalled(Connection *connection, int64_t now) {
    if (connection->phase == PHASE_HEAD || now < connection->stalled_at)
        return false;
    uint64_t acked = connection->phase == PHASE_SEND ? bytes_acked(connection) : 0;
    bool stalled = !connection->moved && acked == connection->acked;
    connection->acked = acked;
    connection->moved = false;
    connection->stalled_at = now + connection->http->options.stall_ms * CLOCK_MS;
    return stalled;
}

void connection_check(Connection *connection, int64_t now) {
    Phase phase = connection->phase;
    if (phase == PHASE_WORK || phase == PHASE_LIVE || phase == PHASE_GONE ||
        (now < connection->deadline && !is_stalled(connection, now)))
        return;
    if (phase != PHASE_LINGER)
        metric_add(connection->http->expired, 1);
    if (phase == PHASE_BODY || (phase == PHASE_HEAD && connection->spoke))
        exchange_reject(connection, 408, "The request did not arrive in time.");
    else
        connection->phase = PHASE_GONE;
    connection_run(connection);
}

/* Ends the connection because of this error. Some stalled clients are noticed by the kernel before
   the server checks, so a timeout counts as expired. */
static void break_off(Connection *connection, int error) {
    if (error == ETIMEDOUT)
        metric_add(connection->http->expired, 1);
    connection->phase = PHASE_GONE;
}

/* ---- receiving ---- */

/* Receives up to `most` bytes. False if there are none now; then the connection waits or has
   ended. */
static bool receive(Connection *connection, Buffer *to, size_t most) {
    ssize_t count = -1;
    if (!connection->readable)
        return false;
    char *place = buffer_reserve(to, most);
    do
        count = recv(connection->socket, place, most, 0);
    while (count < 0 && errno == EINTR);
    if (count <= 0) {
        connection->readable = false;
        if (count == 0 || (errno != EAGAIN && errno != EWOULDBLOCK))
            break_off(connection, count == 0 ? 0 : errno);
        return false;
    }
    /* A short read has emptied the socket, and epoll will report new data; but it does not report
       the end again. */
    if ((size_t)count < most && !connection->ended)
        connection->readable = false;
    to->length += (size_t)count;
    connection->moved = true;
    return true;
}

/* Each of these functions takes one step of its phase, and returns false if the connection must
   wait. */

static bool read_head(Connection *connection) {
    const Buffer *in = &connection->in;
    size_t size = 0;
    HeadEnd end = head_find_end((Slice){in->data, in->length}, &connection->searched, &size);
    if (end == HEAD_COMPLETE && size == 2) { /* clients may send an empty line between requests */
        buffer_drop(&connection->in, size);
        connection->searched = 0;
    } else if (end == HEAD_COMPLETE) {
        connection->searched = 0;
        exchange_start(connection, size);
    } else if (end == HEAD_BARE_LF) {
        exchange_reject(connection, 400, "Each line of the head must end in CR LF.");
    } else if (in->length >= HEAD_SIZE_MAX) {
        bool in_first_line = !connection->searched;
        exchange_reject(connection, in_first_line ? 414 : 431,
                        in_first_line ? "The URL is too long." : "The headers are too long.");
    } else {
        bool first = !in->length && !connection->spoke;
        size_t room = HEAD_SIZE_MAX - in->length;
        if (!receive(connection, &connection->in, room < HEAD_PIECE ? room : HEAD_PIECE))
            return false;
        if (first) {
            connection->spoke = true;
            connection_begin(connection, PHASE_HEAD, connection->http->options.head_ms, 0);
        }
    }
    return true;
}

static bool read_chunks(Connection *connection) {
    Buffer *in = &connection->in;
    Chunks *chunks = &connection->chunks;
    Slice rest = {in->data, in->length};
    while (rest.length && chunks->state < CHUNKS_DONE) {
        Slice piece = chunks_take(chunks, &rest);
        if (piece.length && !exchange_take_body(connection, piece))
            return true;
    }
    buffer_drop(in, in->length - rest.length);
    if (chunks->state == CHUNKS_BROKEN)
        exchange_reject(connection, 400, "The chunks of the body are malformed.");
    else if (chunks->state == CHUNKS_DONE)
        exchange_answer(connection);
    else
        return receive(connection, in, BODY_PIECE);
    return true;
}

static bool read_body(Connection *connection) {
    Buffer *in = &connection->in;
    if (connection->head.chunked)
        return read_chunks(connection);
    if (in->length && connection->body_left) {
        size_t length =
            in->length < connection->body_left ? in->length : (size_t)connection->body_left;
        connection->body_left -= length;
        if (exchange_take_body(connection, (Slice){in->data, length}))
            buffer_drop(in, length);
        return true;
    }
    if (!connection->body_left) {
        exchange_answer(connection);
        return true;
    }
    return receive(connection, in,
                   connection->body_left < BODY_PIECE ? (size_t)connection->body_left : BODY_PIECE);
}

static bool discard(Connection *connection) {
    connection->discarded += connection->in.length;
    buffer_clear(&connection->in);
    if (connection->discarded <= DISCARDED_MAX)
        return receive(connection, &connection->in, BODY_PIECE);
    connection->phase = PHASE_GONE;
    return false;
}

/* ---- sending ---- */

/* Sends part of the response; returns the result of the system call. */
static ssize_t send_some(Connection *connection) {
    const Buffer *out = &connection->out;
    uint64_t at = connection->out_at;
    int file = connection->response.file;
    if (file >= 0 && at >= out->length) {
        off_t from = (off_t)(at - out->length);
        uint64_t left = connection->out_size - at;
        return sendfile(connection->socket, file, &from, left < FILE_PIECE ? left : FILE_PIECE);
    }
    struct iovec parts[2];
    size_t count = 0;
    size_t start = 0;
    if (at < out->length)
        parts[count++] = (struct iovec){out->data + at, out->length - (size_t)at};
    else
        start = (size_t)(at - out->length);
    if (file < 0 && connection->out_size > out->length) {
        void *bytes = NULL; /* an iovec is not const */
        memcpy(&bytes, &connection->payload.at, sizeof bytes);
        parts[count++] = (struct iovec){(char *)bytes + start, connection->payload.length - start};
    }
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = count};
    return sendmsg(connection->socket, &message,
                   MSG_NOSIGNAL | MSG_DONTWAIT |
                       (file >= 0 && connection->out_size > out->length ? MSG_MORE : 0));
}

/* Ends the response, then waits for the next request or closes the connection. */
static void end_response(Connection *connection) {
    bool last = connection->close || atomic_load(&connection->http->stopping);
    const HttpOptions *options = &connection->http->options;
    exchange_end(connection);
    if (last) {
        /* If the client is still sending, closing would discard the part of the response that it
           has not read yet. */
        shutdown(connection->socket, SHUT_WR);
        connection->discarded = 0;
        connection_begin(connection, PHASE_LINGER,
                         options->body_ms < LINGER_MS ? options->body_ms : LINGER_MS, 0);
        return;
    }
    connection->spoke = connection->in.length > 0;
    connection_begin(connection, PHASE_HEAD,
                     connection->spoke ? options->head_ms : options->idle_ms, 0);
}

static bool write_response(Connection *connection) {
    while (connection->out_at < connection->out_size) {
        if (!connection->writable)
            return false;
        ssize_t count = send_some(connection);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
            connection->writable = false;
            return false;
        }
        if (count <= 0) { /* 0: the file is shorter than announced */
            break_off(connection, count == 0 ? 0 : errno);
            return false;
        }
        connection->out_at += (uint64_t)count;
        connection->moved = true;
    }
    end_response(connection);
    return true;
}

void connection_run(Connection *connection) {
    bool more = true;
    for (uint32_t step = 0; more && step < STEPS_MAX; step++)
        switch (connection->phase) {
        case PHASE_HEAD:
            more = read_head(connection);
            break;
        case PHASE_BODY:
            more = read_body(connection);
            break;
        case PHASE_SEND:
            more = write_response(connection);
            break;
        case PHASE_LINGER:
            more = discard(connection);
            break;
        default:
            return;
        }
    if (more)
        loop_run_again(connection);
}
