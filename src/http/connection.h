/* What http.c, exchange.c, connection.c and send.c share: the server and its connections. Private
   to them. */
#ifndef HTTP_CONNECTION_H
#define HTTP_CONNECTION_H

#include "http/http.h"
#include "http/thread_pool.h"

#include <microhttpd.h>
#include <pthread.h>
#include <stdatomic.h>

enum {
    BODY_RATE = 16 << 10, /* bytes per second that every client is expected to manage */
    /* libmicrohttpd's memory for a connection: the heads of request and response */
    POOL_SIZE = 32 << 10,
    BODY_KEPT = 16 << 10, /* body buffers up to this size are reused by the next request */
    ADDRESS_SLOTS = 4096,
};

/* The state of a connection. Moving it on from HEAD or BODY is a race against the deadline thread,
   which moves it to EXPIRED. */
typedef enum Phase {
    PHASE_HEAD,    /* between requests, or receiving a head */
    PHASE_BODY,    /* receiving a body */
    PHASE_WORK,    /* a handler is running */
    PHASE_LIVE,    /* its socket is lent to live.c */
    PHASE_READY,   /* the response is complete, to be sent when libmicrohttpd asks for it */
    PHASE_SEND,    /* sending the response */
    PHASE_EXPIRED, /* missed a deadline and got a 408 */
    PHASE_GONE,    /* to be closed */
} Phase;

typedef struct Connection {
    struct Http *http;
    struct MHD_Connection *mhd;
    int socket;
    Address peer;
    _Atomic int phase;
    _Atomic int64_t deadline;
    _Atomic int64_t stalled_at; /* while sending: when to check that the client has read more */
    uint64_t acknowledged;      /* bytes, at the last such check */
    _Atomic bool spoke;         /* sent a request line, or is new: gets a 408 when it is late */
    struct Connection *next;
    struct Connection *previous;

    Buffer uri;
    bool uri_too_long;
    bool announced; /* the head announces a body */
    bool close;     /* after this response */
    bool overflow;  /* the body was longer than allowed */
    bool refused;   /* the response is complete and waits for the end of the body */
    bool admitted;
    size_t discarded;
    uint64_t sent; /* bytes of body, for the log */
    unsigned status;
    Buffer body;
    Request request;
    Response response;
} Connection;

struct Http {
    HttpOptions options;
    Network *proxies;
    Router *router;
    struct MHD_Daemon *daemon;
    int listening;
    uint16_t port;
    Limits *limits;
    ThreadPool *pools[POOLS];
    Live *live;
    _Atomic bool stopping;
    _Atomic uint64_t next_id;
    uint64_t secret; /* so that nobody can choose addresses that collide */

    /* Connections, and how many each address has (by hash slot: two addresses may share one). */
    pthread_mutex_t lock;
    pthread_cond_t calm; /* signalled when `busy` drops to 0 */
    Connection *connections;
    uint32_t connection_count;
    uint32_t busy; /* connections not in PHASE_HEAD */
    uint16_t per_address[ADDRESS_SLOTS];
    pthread_t keeper;
    pthread_cond_t keeper_end;
    bool keeper_ends;

    /* Metrics */
    Metric **route_times; /* one per route, and a last one for requests without a route */
    Metric *answers[6];   /* by the first digit of the status */
    Metric *connections_now;
    Metric *connections_refused;
    Metric *expired;
    Metric *viewers_now;
    Metric *viewers_dropped;
    Metric *events_published;
    Metric *deferred_now;
};

/* ---- connection.c ---- */

enum MHD_Result connection_accept(void *context, const struct sockaddr *address, socklen_t length);
void connection_notify(void *context, struct MHD_Connection *mhd, void **socket_context,
                       enum MHD_ConnectionNotificationCode code);

/* Moves a connection on from HEAD or BODY; false if it has expired. With `ms`, the new phase has a
   deadline, extended by a second for each BODY_RATE of `bytes`. */
bool connection_move(Connection *connection, Phase from, Phase to, uint32_t ms, uint64_t bytes);

/* Maintains Http.busy. */
void connection_busy(Connection *connection, bool busy);

/* The deadline thread: expires late connections. */
void *connection_keep(void *context);

/* ---- exchange.c ---- */

void *exchange_uri(void *context, const char *uri, struct MHD_Connection *mhd);
enum MHD_Result exchange_handle(void *context, struct MHD_Connection *mhd, const char *url,
                                const char *method, const char *version, const char *upload,
                                size_t *upload_size, void **request_context);
void exchange_completed(void *context, struct MHD_Connection *mhd, void **request_context,
                        enum MHD_RequestTerminationCode code);

/* ---- send.c ---- */

/* Queues the connection's response. */
enum MHD_Result send_response(Connection *connection);

/* Status line and headers of a stream, for live.c; and a complete response for a client that was
   too slow. Both are for a socket that libmicrohttpd is not writing to. */
void send_stream_head(Buffer *to);
void send_refusal(int socket, unsigned status);

#endif
