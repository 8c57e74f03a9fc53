/* Shared by http.c, loop.c, exchange.c, connection.c and send.c: the server, its threads and its
   connections. Private to them. */
#ifndef HTTP_CONNECTION_H
#define HTTP_CONNECTION_H

#include "http/address_sums.h"
#include "http/budget.h"
#include "http/chunks.h"
#include "http/head.h"
#include "http/http.h"
#include "http/thread_pool.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

enum {
    BODY_RATE = 16 << 10, /* bytes per second that every client is expected to manage */
    KEPT = 4 << 10,       /* buffers up to this size are reused by the next request */
    /* A connection may hold this much without taking from the budget, which all threads share. */
    HELD_FREELY = 16 << 10,
};

/* The state of a connection. The connection belongs to its thread (a Loop), except in PHASE_WORK
   and PHASE_LIVE: then it belongs to another thread, until loop_post returns it. */
typedef enum Phase {
    PHASE_HEAD,   /* between requests, or receiving a head */
    PHASE_BODY,   /* receiving a body */
    PHASE_WORK,   /* a pool thread is working on the request */
    PHASE_LIVE,   /* live.c has its socket */
    PHASE_SEND,   /* sending the response */
    PHASE_LINGER, /* the response is sent; what the client still sends is discarded */
    PHASE_GONE,   /* to be closed */
} Phase;

typedef struct Connection {
    struct Http *http;
    struct Loop *loop;
    int socket;
    Address peer;
    Phase phase;
    bool adopted;  /* in its thread's list of connections and epoll set */
    bool again;    /* in its thread's list of connections to continue with */
    bool readable; /* set by an epoll event, cleared when the socket has no more data */
    bool writable;
    bool ended;         /* the client closed its side, or the connection broke */
    bool spoke;         /* is new or sent part of a request: gets a 408 if the deadline passes */
    int64_t deadline;   /* of the phase */
    int64_t stalled_at; /* stalled if nothing has moved by then */
    bool moved;         /* bytes have moved since stalled_at was set */
    uint64_t acked;     /* bytes that the client had acknowledged at the last stall check */
    struct Connection *next;
    struct Connection *previous;
    struct Connection *next_posted;
    struct Connection *next_again;
    struct Connection *next_retired;

    /* Receiving */
    Buffer in;       /* bytes received but not yet processed */
    size_t searched; /* bytes of `in` that were searched for the end of a head */
    Buffer text;     /* the head of the request, which its slices point to */
    Head head;
    Chunks chunks;
    uint64_t body_left;
    Buffer body;
    uint64_t discarded;

    /* Sending */
    Buffer out; /* the head of the response */
    Slice payload;
    uint64_t out_at;   /* bytes of `out` and the content that were sent */
    uint64_t out_size; /* bytes of `out` and the content: the payload or the file */

    bool close; /* after this response */
    bool admitted;
    bool busy;
    size_t held;    /* bytes taken from the budget, */
    uint64_t owner; /* for this address */
    uint64_t sent;  /* bytes of body, for the log */
    unsigned status;
    Request request;
    Response response;
} Connection;

/* One thread, with the connections that it serves. */
typedef struct Loop {
    struct Http *http;
    pthread_t thread;
    int epoll;
    int wake;
    bool listening; /* the listening socket is in its epoll set */
    Connection *connections;
    Connection *again;   /* used up their turn; they continue after all others */
    Connection *retired; /* freed at the end of a pass: pending epoll events may refer to them */
    _Atomic uint32_t count;
    time_t date_at;
    char date[40];

    pthread_mutex_t lock;
    Connection *posted; /* guarded by it */
    bool ends;
} Loop;

struct Http {
    HttpOptions options;
    Network *proxies;
    Router *router;
    int listening;
    uint16_t port;
    Loop *loops;
    uint32_t loop_count; /* running loops */
    Limits *limits;
    Budget *budget;
    ThreadPool *pools[POOLS];
    Live *live;
    _Atomic bool stopping;
    _Atomic uint64_t next_id;
    AddressSums *connections_by_address;
    _Atomic uint32_t connection_count;
    _Atomic uint32_t busy; /* requests in progress */
    pthread_mutex_t lock;
    pthread_cond_t calm; /* signalled when `busy` drops to 0 while the server stops */

    /* Metrics */
    Metric **route_times; /* one per route, followed by one for requests without a route */
    Metric *answers[6];   /* by the first digit of the status */
    Metric *connections_now;
    Metric *connections_refused;
    Metric *expired;
    Metric *viewers_now;
    Metric *viewers_dropped;
    Metric *events_published;
    Metric *deferred_now;
    Metric *memory_now;
    Metric *memory_limit;
    Metric *memory_refused;
};

/* ---- loop.c ---- */

/* Starts the threads. False with an error on failure. */
bool loops_start(Http *http, Error *error);

/* Closes all connections and ends the threads. */
void loops_stop(Http *http);

/* Hands a connection to its thread: a new connection, or one that another thread owned in
   PHASE_WORK or PHASE_LIVE. Callable from any thread. The caller must not touch the connection
   afterwards. */
void loop_post(Connection *connection);

/* Schedules a connection to continue after all others have had their turn. Call it only from the
   connection's thread. */
void loop_run_again(Connection *connection);

/* Takes a connection's socket out of the epoll set of its thread, and puts it back. */
void loop_lend(const Connection *connection);
void loop_take_back(Connection *connection);

/* ---- connection.c ---- */

/* Takes ownership of the socket. */
Connection *connection_new(Http *http, int socket, Address peer);
void connection_free(Connection *connection);

/* Advances the connection until it must wait. If it must be closed, it is then in PHASE_GONE. */
void connection_run(Connection *connection);

/* Begins a phase that must end within `ms` (0: no limit), plus a second for each BODY_RATE of
   `bytes`. */
void connection_begin(Connection *connection, Phase phase, uint32_t ms, uint64_t bytes);

/* Responds with 408 or closes the connection if its deadline has passed or it has stalled. */
void connection_check(Connection *connection, int64_t now);

/* Changes how much memory the connection holds. False if the budget does not allow more. */
bool connection_hold(Connection *connection, size_t bytes, bool small);

/* ---- exchange.c ---- */

/* Handles a request whose head is the first `size` bytes of `in`: routes it, checks it, and begins
   to read its body or to answer it. */
void exchange_start(Connection *connection, size_t size);

/* Takes a piece of the body; false if that ended the request. */
bool exchange_take_body(Connection *connection, Slice piece);

/* Answers a request whose body is complete. */
void exchange_answer(Connection *connection);

/* Continues after a pool thread has finished or live.c has returned the socket. */
void exchange_resume(Connection *connection);

/* Answers with a problem and then closes the connection. May be called before the request has
   started. */
void exchange_reject(Connection *connection, unsigned status, const char *detail);

/* Call this once the response was sent or never will be: logs the request and prepares for the
   next one. */
void exchange_end(Connection *connection);

/* ---- send.c ---- */

/* Starts sending the connection's response. */
void send_response(Connection *connection);

/* Appends the status line and headers of a stream, for live.c. */
void send_stream_head(Buffer *to, const Request *request, const char *date);

/* The current time as the value of the header Date. */
const char *loop_date(Loop *loop);

#endif
