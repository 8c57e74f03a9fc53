/* The table of routes, and the lookup of a request's route.

   A route is one entry of a table: method and path, required role, body and response. Matching,
   validation of parameters, rate limits, metrics and the OpenAPI document (openapi.h) are all
   derived from that entry. */
#ifndef HTTP_ROUTER_H
#define HTTP_ROUTER_H

#include "base/error.h"
#include "http/request.h"

typedef enum ParameterKind {
    PARAMETER_TEXT,   /* at most `maximum` bytes; 0: 200 */
    PARAMETER_NUMBER, /* whole, from `minimum` to `maximum` */
    PARAMETER_CHOICE, /* one of the words in `choices`, separated by spaces */
} ParameterKind;

/* A path parameter if the pattern names it, otherwise an optional query parameter. */
typedef struct Parameter {
    const char *name;
    ParameterKind kind;
    int64_t minimum;
    int64_t maximum;
    const char *choices;
    const char *about;
} Parameter;

enum { ROUTE_DECLARED_MAX = 12 };

/* Members are in the reading order of a table entry.
   NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding) */
typedef struct Route {
    Method method; /* a route for GET answers HEAD as well */
    /* "/api/v1/bots/{bot}"; a final {path...} matches the rest of any path that does not begin with
       a literal segment of another pattern. */
    const char *pattern;
    const char *name; /* unique: for metrics, the log and operationId */
    Handler handle;
    uint32_t needs;  /* the role that HttpOptions.admit requires; 0: none */
    uint32_t scope;  /* the scope that it requires of API tokens; 0: none */
    uint32_t rate;   /* class of HttpOptions.limits, 0: none */
    size_t body_max; /* bytes; 0: no body allowed */

    /* For the OpenAPI document. */
    const char *summary; /* NULL: not documented */
    const char *group;
    Parameter parameters[ROUTE_DECLARED_MAX]; /* up to the first without a name */
    const char *takes;     /* schema of the JSON body; other types get 415. NULL: any bytes */
    const char *gives;     /* schema of the response; NULL: not JSON */
    unsigned gives_status; /* 0: 200 */
    ContentType gives_type;
    bool tagged; /* responses have an ETag, so 304 is possible */
    /* Events of a stream and their schemas: "start=MatchStart turn=MatchTurn". */
    const char *events;
    bool any_query; /* undeclared query parameters are allowed */

    /* Checks rights that depend on the path, such as the ownership of a bot or a seat. Called after
       HttpOptions.admit and before the body is read. To reject, it fills the response and returns
       false. Must be quick. NULL: the role is enough. */
    bool (*permit)(Request *request, Response *response);
} Route;

typedef struct Router Router;

/* Checks the table, which must outlive the router. NULL with an error that names the route. */
Router *router_new(const Route *routes, uint32_t count, Error *error);
void router_free(Router *router);

/* Finds the route of a path, sets the request's path parameters, and sets a bit in `allowed` for
   each method of the path. NULL for an unknown path (`allowed` is 0) or an unknown method. */
const Route *router_find(const Router *router, Request *request, const Slice *segments,
                         uint32_t count, uint32_t *allowed);

/* Checks the parameters against the route's declarations. */
bool route_check(const Route *route, const Request *request, Error *error);

/* The index of the path parameter with this name. */
bool route_path_index(const Route *route, const char *name, uint32_t *index);

#endif
