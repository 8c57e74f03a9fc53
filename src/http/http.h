/* An HTTP/1.1 server. Knows nothing about its application.

   A few threads share the connections (epoll). Each request goes: head complete -> route, rate
   limits, permission -> body up to the route's limit -> handler -> response -> log and metrics.
   Requests are rejected as early as possible, before their body is read. exchange.c implements
   these steps; loop.c has the threads and connection limits, connection.c receives and sends bytes
   and enforces deadlines, thread_pool.h does slow work, and live.h does streams. The server does
   not support TLS: put a proxy in front of it. */
#ifndef HTTP_HTTP_H
#define HTTP_HTTP_H

#include "http/limits.h"
#include "http/log.h"
#include "http/metrics.h"
#include "http/router.h"

typedef struct HttpOptions {
    const char *address; /* numeric, IPv4 or IPv6; NULL: 127.0.0.1 */
    uint16_t port;       /* 0: any free port */
    const Route *routes; /* must outlive the server */
    uint32_t route_count;
    void *context; /* becomes Request.context */

    /* Decides whether a request may proceed, before its body is read: identifies the account by
       session or token, sets account and role, and compares them with route->needs. To reject, it
       fills the response and returns false. Called for every route; may be NULL if no route needs a
       role. Must be quick. */
    bool (*admit)(Request *request, Response *response);

    /* Called at the end of every admitted request to free its `session`. May be NULL. */
    void (*dismiss)(Request *request);

    /* Names that the server answers to besides addresses and localhost, separated by spaces (see
       host.h); others get 421. NULL: any. Must outlive the server. */
    const char *host_names;
    const Network *proxies; /* proxies whose X-Forwarded-For is trusted; copied */
    uint32_t proxy_count;
    const LimitClass *limits; /* Route.rate is an index; entry 0 is never used */
    uint32_t limit_count;
    /* How many people may share an address: limits per address are multiplied by it; 0: 1. */
    uint32_t people_per_address;
    Log *log;         /* may be NULL */
    Metrics *metrics; /* required; must outlive the server */

    /* For each of these, 0 means the default; see set_defaults in http.c. */
    uint32_t threads;
    uint32_t connections_max;
    uint32_t connections_per_address; /* trusted proxies have no limit */
    uint32_t head_ms;         /* from the first line (or the connection) to the end of the head */
    uint32_t body_ms;         /* for the body, plus a second for each BODY_RATE bytes of it */
    uint32_t idle_ms;         /* between requests */
    uint32_t send_ms;         /* as body_ms, for the response */
    uint32_t stall_ms;        /* a client that sends or reads nothing for this long is dropped */
    uint32_t memory_mib;      /* for bodies, responses and streams together; beyond it, 503 */
    uint32_t pool_threads;    /* of each pool, see request.h */
    uint32_t pool_queue;      /* length of the queue of each pool */
    uint32_t waiting_threads; /* for request_wait; 0: none */
    LiveOptions live;
    const char *page_policy; /* Content-Security-Policy of HTML and scripts; others allow nothing */
} HttpOptions;

typedef struct Http Http;

/* Listens; clients that connect wait until http_serve. NULL with an error if the routing table is
   wrong or the address is unavailable. */
Http *http_open(const HttpOptions *options, Error *error);

/* Starts answering requests. False with an error on failure. */
bool http_serve(Http *http, Error *error);

/* Does http_open and http_serve in one call. */
Http *http_start(const HttpOptions *options, Error *error);
uint16_t http_port(const Http *http);

/* Accepts no more connections, ends the streams, finishes deferred work and, for at most
   `drain_ms`, the requests in progress; then frees everything. NULL is fine. */
void http_stop(Http *http, uint32_t drain_ms);

Live *http_live(Http *http);
Limits *http_limits(Http *http);

/* Handlers for /healthz (200 while the server runs, 503 once it stops) and /metrics. */
Outcome http_handle_health(Request *request, Response *response);
Outcome http_handle_metrics(Request *request, Response *response);

#endif
