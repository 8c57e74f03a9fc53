/* What http.c, exchange.c and connection.c share: the server and its connections. Nobody else
   includes this. */
#ifndef HTTP_CONNECTION_H
#define HTTP_CONNECTION_H

#include "http/http.h"
#include "http/thread_pool.h"

#include <microhttpd.h>
#include <pthread.h>
#include <stdatomic.h>

enum {
    BODY_RATE = 16 << 10, /* bytes a second that everybody should manage */
    POOL_SIZE =
        32 << 10, /* libmicrohttpd's memory for a connection: head of request and of response */
    BODY_KEPT = 16 << 10, /* a body's memory up to this is kept for the next request */
    ADDRESS_SLOTS = 4096,
};

/* Where a connection stands. Who moves it on from HEAD or BODY must win against the keeper of
   deadlines, which moves it to EXPIRED. */
typedef enum Phase {
    PHASE_HEAD,    /* between requests, or the head is coming */
    PHASE_BODY,    /* the body is coming */
    PHASE_WORK,    /* a handler is at it */
    PHASE_LIVE,    /* its socket is lent to live.c */
    PHASE_READY,   /* the response is there, to be sent when libmicrohttpd asks */
    PHASE_SEND,    /* the response is on its way */
    PHASE_EXPIRED, /* too slow, and told so */
    PHASE_GONE,    /* to be closed */
} Phase;

typedef struct Connection {
    struct Http *http;
    struct MHD_Connection *mhd;
    int socket;
    Address peer;
    _Atomic int phase;
    _Atomic int64_t deadline;
    _Atomic bool spoke; /* its request line has come, or it has never sent one: worth a 408 */
    struct Connection *next;
    struct Connection *previous;

    Buffer uri;
    bool uri_too_long;
    bool announced; /* a body, in the head */
    bool close;     /* after this response */
    bool overflow;  /* the body was longer than allowed */
    bool refused;   /* the response is there, and waits for the end of the body */
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
    uint64_t secret; /* so that nobody can choose addresses that meet */

    /* Connections, and how many come from where (by slot of a hash: two addresses may share
       one). */
    pthread_mutex_t lock;
    pthread_cond_t calm; /* nobody is busy */
    Connection *connections;
    uint32_t connection_count;
    uint32_t busy; /* not in PHASE_HEAD */
    uint16_t per_address[ADDRESS_SLOTS];
    pthread_t keeper;
    pthread_cond_t keeper_end;
    bool keeper_ends;

    /* Metrics */
    Metric **route_times; /* one a route, and a last for what has none */
    Metric *answers[6];   /* by the status' first digit */
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

/* Moves a connection on from HEAD or BODY; false if its time was up. With `ms`, the new phase has a
   deadline, a second longer for each BODY_RATE of `bytes`. */
bool connection_move(Connection *connection, Phase from, Phase to, uint32_t ms, uint64_t bytes);

/* For the count of those who are busy. */
void connection_busy(Connection *connection, bool busy);

/* The keeper of deadlines: a thread. */
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

/* Status line and headers of a stream, for live.c; and a whole refusal for who was too slow. Both
   for a socket that libmicrohttpd is not writing to. */
void send_stream_head(Buffer *to);
void send_refusal(int socket, unsigned status);

#endif
