/* A request as a value: everything of it that a handler may look at, already taken apart and
   checked. The slices are good until the response is sent.

   A handler fills the response and returns OUTCOME_ANSWERED. It runs on a thread that serves many
   connections, so it must not wait for anything but the store's quick answers: what takes longer
   goes through request_defer, what goes on and on through request_watch. */
#ifndef HTTP_REQUEST_H
#define HTTP_REQUEST_H

#include "http/address.h"
#include "http/decode.h"
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
    METHODS, /* also: any other */
} Method;

/* "GET", ...; "OTHER" for what is none of them. */
const char *method_name(Method method);
Method method_parse(const char *name);

typedef enum Outcome {
    OUTCOME_ANSWERED,
    OUTCOME_DEFERRED, /* from request_defer or request_hash */
    OUTCOME_LIVE,     /* from request_watch */
} Outcome;

/* Threads of their own for each kind of work that takes a while. */
typedef enum Pool { POOL_GENERAL, POOL_HASHES, POOLS } Pool;

typedef struct Request Request;
typedef Outcome (*Handler)(Request *request, Response *response);
typedef void (*Deferred)(Request *request, Response *response);

enum {
    REQUEST_URI_MAX = 4096,
    REQUEST_HEAD_MAX = 12288, /* bytes of all headers */
    REQUEST_HEADERS_MAX = 48,
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
    Method method; /* as it came: HEAD reaches the handler of GET */
    uint64_t id;   /* of this request, in the log and in problems */
    Address address;
    int64_t began; /* clock_now, when its head was there */
    Slice body;

    /* Who asks: set by the application's `admit`. 0: nobody we know. */
    uint64_t account;
    uint32_t role;
    void *session;

    Slice parameters[REQUEST_PARAMETERS_MAX]; /* in the order of the pattern */
    Pair query[REQUEST_QUERY_MAX];
    Pair headers[REQUEST_HEADERS_MAX];
    Pair cookies[REQUEST_COOKIES_MAX];
    uint32_t query_count;
    uint32_t header_count;
    uint32_t cookie_count;
    char rest[REQUEST_REST_MAX];

    /* What the handler asked for. */
    Deferred work;
    Pool pool;
    char topic[LIVE_TOPIC_MAX];
    LiveFrom from;
    uint64_t last_id;
};

void request_id_text(const Request *request, char text[REQUEST_ID_TEXT]);

/* A parameter of the path, by the name it has in the route's pattern, where it must be. */
Slice request_path(const Request *request, const char *name);

/* A parameter of the query; false if it was not given. */
bool request_query(const Request *request, const char *name, Slice *value);

/* A parameter of path or query that the route declares as a number, so that it is one. */
int64_t request_number(const Request *request, const char *name, int64_t otherwise);

/* A header, whatever the case of its letters; false if there is none, or more than one. */
bool request_header(const Request *request, const char *name, Slice *value);

bool request_cookie(const Request *request, const char *name, Slice *value);

/* Has `work` fill the response on a thread of its own kind. When too many wait already, the
   response is a 503 and `work` is never called: a handler must not hold anything that only `work`
   would free. */
Outcome request_defer(Request *request, Deferred work);

/* The same for work that hashes a password, which is slow on purpose: nothing else waits for it. */
Outcome request_hash(Request *request, Deferred work);

/* Makes the response the stream of a topic's events, from the start or from now; a Last-Event-ID of
   the client counts for more. 404 if there is no such topic. */
Outcome request_watch(Request *request, const char *topic, LiveFrom from);

#endif
