/* The HTTP server: libmicrohttpd, and around it what it does not do by itself.

   A few threads share the connections (epoll). Each request goes: head complete -> route found,
   limits, admitted -> body read up to the route's limit -> handler -> response sent -> logged and
   counted. Refusals come as early as they can, so that nobody uploads what will not be taken. See
   exchange.c for that, connection.c for deadlines and limits on connections, thread_pool.h for work that
   takes a while, live.h for streams. No TLS: that is a proxy's. */
#ifndef HTTP_HTTP_H
#define HTTP_HTTP_H

#include "http/limits.h"
#include "http/log.h"
#include "http/metrics.h"
#include "http/router.h"

typedef struct HttpOptions {
    const char *address; /* numeric, IPv4 or IPv6; NULL: 127.0.0.1 */
    uint16_t port;       /* 0: any that is free */
    const Route *routes; /* must stay */
    uint32_t route_count;
    void *context; /* every request's */

    /* Says whether a request may go on, before its body is read: it looks for session or token,
       fills account and role, and compares with route->needs. To refuse it fills the response and
       returns false. Called for every route; may be NULL if no route needs anything. Must be
       quick. */
    bool (*admit)(Request *request, Response *response);

    /* Called when a request that was admitted is over, to free its `session`. May be NULL. */
    void (*dismiss)(Request *request);

    const Network *proxies; /* whose X-Forwarded-For is believed; copied */
    uint32_t proxy_count;
    const LimitClass *limits; /* a Route's `rate` is an index; 0 is never looked at */
    uint32_t limit_count;
    uint32_t people_per_address; /* who may share one: as many times as usual what an address may
                                    do, and have; 0: 1 */
    Log *log;                    /* may be NULL */
    Metrics *metrics;            /* must be there, and outlive the server */

    /* 0: as http_open says. */
    uint32_t threads;
    uint32_t connections_max;
    uint32_t connections_per_address; /* of a proxy as many as it likes */
    uint32_t head_ms;      /* from the first line (or the connection) to the end of the head */
    uint32_t body_ms;      /* for the body, and a second more for each BODY_RATE bytes of it */
    uint32_t idle_ms;      /* between requests */
    uint32_t send_ms;      /* as body_ms, for the response */
    uint32_t pool_threads; /* of each pool, see request.h; the queue likewise */
    uint32_t pool_queue;
    LiveOptions live;
    const char *page_policy; /* Content-Security-Policy of HTML and scripts; all else has one that
                                allows nothing */
} HttpOptions;

typedef struct Http Http;

/* Listens, so that who connects waits; nothing is answered before http_serve. NULL with an error if
   the table of routes is wrong or the address cannot be had. */
Http *http_open(const HttpOptions *options, Error *error);

/* From here on requests are answered. False with an error if that cannot be. */
bool http_serve(Http *http, Error *error);

/* Both at once. */
Http *http_start(const HttpOptions *options, Error *error);
uint16_t http_port(const Http *http);

/* Takes no more connections, lets viewers go, finishes the work that was given to the threads and
   the requests that are under way (for so many milliseconds at most), and frees everything. NULL is
   fine. */
void http_stop(Http *http, uint32_t drain_ms);

Live *http_live(Http *http);
Limits *http_limits(Http *http);

/* Handlers for /healthz (200 while we serve, 503 once we stop) and /metrics. */
Outcome http_handle_health(Request *request, Response *response);
Outcome http_handle_metrics(Request *request, Response *response);

#endif
