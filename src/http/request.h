/* A request as a handler sees it, parsed and checked. The slices are valid until the response is
   sent.

   A handler fills the response and returns OUTCOME_ANSWERED. It runs on a thread that serves many
   connections, so it must not block: slow work goes through request_defer, streams through
   request_watch. */
#ifndef HTTP_REQUEST_H
#define HTTP_REQUEST_H

#include "http/address.h"
#include "http/decode.h"
#include "http/head.h"
#include "http/live.h"
#include "http/response.h"

typedef enum Method {
    METHOD_GET,
    METHOD_HEAD,
    METHOD_POST,
    METHOD_PUT,
    METHOD_PATCH,
    METHOD_DELETE,
    METHOD_OPTIONS,
    METHODS, /* any other method */
} Method;

/* "GET", ...; "OTHER" for an unknown method. */
const char *method_name(Method method);
Method method_parse(Slice name);

typedef enum Outcome {
    OUTCOME_ANSWERED,
    OUTCOME_DEFERRED, /* from request_defer or request_hash */
    OUTCOME_LIVE,     /* from request_watch */
} Outcome;

/* Thread pools for deferred work. */
typedef enum Pool { POOL_GENERAL, POOL_HASHES, POOL_WAITING, POOLS } Pool;

typedef struct Request Request;
typedef Outcome (*Handler)(Request *request, Response *response);
typedef void (*Deferred)(Request *request, Response *response);

enum {
    REQUEST_URI_MAX = HEAD_URI_MAX,
    REQUEST_HEADERS_MAX = HEAD_LINES_MAX,
    REQUEST_COOKIES_MAX = 16,
    REQUEST_QUERY_MAX = 16,
    REQUEST_SEGMENTS_MAX = 16,
    REQUEST_PARAMETERS_MAX = 4, /* in a path */
    REQUEST_REST_MAX = 512,     /* bytes of a {path...} */
    REQUEST_ID_TEXT = 17,
};

struct Request {
    struct Http *http;
    void *context; /* the application's, from HttpOptions */
    const struct Route *route;
    Method method; /* as received: HEAD reaches the handler of GET */
    uint64_t id;   /* identifies the request in the log and in problems */
    Address address;
    int64_t began; /* clock_now at the end of the head */
    Slice body;

    /* Set by HttpOptions.admit. Account 0: not logged in. */
    uint64_t account;
    uint32_t role;
    uint64_t credential; /* the session or token, for live_revoke */
    int64_t until;       /* when the credential expires, by clock_now; 0: never */
    void *session;
    uint64_t revocations; /* live_revocations before `admit` */

    Slice parameters[REQUEST_PARAMETERS_MAX]; /* in the order of the pattern */
    Pair query[REQUEST_QUERY_MAX];
    Pair headers[REQUEST_HEADERS_MAX];
    Pair cookies[REQUEST_COOKIES_MAX];
    uint32_t query_count;
    uint32_t header_count;
    uint32_t cookie_count;
    char rest[REQUEST_REST_MAX];

    /* Set by request_defer, request_hash and request_watch. */
    Deferred work;
    Pool pool;
    char topic[LIVE_TOPIC_MAX];
    LiveFrom from;
    uint64_t last_id;
};

void request_id_text(const Request *request, char text[REQUEST_ID_TEXT]);

/* A path parameter, by its name in the route's pattern, which must have it. */
Slice request_path(const Request *request, const char *name);

/* A query parameter; false if absent. */
bool request_query(const Request *request, const char *name, Slice *value);

/* A path or query parameter that the route declares as a number; `otherwise` if absent. */
int64_t request_number(const Request *request, const char *name, int64_t otherwise);

/* A header, ignoring case; false if it is absent or repeated. */
bool request_header(const Request *request, const char *name, Slice *value);

bool request_cookie(const Request *request, const char *name, Slice *value);

/* Lets `work` fill the response on another thread. If the queue is full, the response is a 503 and
   `work` is never called, so a handler must not hold anything that only `work` would free. */
Outcome request_defer(Request *request, Deferred work);

/* As request_defer, for hashing a password, which is slow by design and has its own pool. */
Outcome request_hash(Request *request, Deferred work);

/* As request_defer, for work that waits for something outside this process: see waiting_threads. */
Outcome request_wait(Request *request, Deferred work);

/* Makes the response a stream of the topic's events, starting at `from` unless the client sent a
   Last-Event-ID. 404 if the topic does not exist. */
Outcome request_watch(Request *request, const char *topic, LiveFrom from);

#endif
