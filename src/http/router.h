/* The table of routes, and finding one in it.

   A route is one line of a table: what it is called with, what it needs, what it takes and gives.
   Everything that depends on that comes from the same line: matching, refusing parameters that are
   not declared or not of their kind, limits, metrics, and the OpenAPI document (openapi.h). */
#ifndef HTTP_ROUTER_H
#define HTTP_ROUTER_H

#include "base/error.h"
#include "http/request.h"

typedef enum ParameterKind {
    PARAMETER_TEXT,   /* at most `maximum` bytes; 0: 200 */
    PARAMETER_NUMBER, /* whole, from `minimum` to `maximum` */
    PARAMETER_CHOICE, /* one of the words of `choices`, which blanks separate */
} ParameterKind;

/* Of the path if the pattern names it, else of the query, where it may be left out. */
typedef struct Parameter {
    const char *name;
    ParameterKind kind;
    int64_t minimum;
    int64_t maximum;
    const char *choices;
    const char *about;
} Parameter;

enum { ROUTE_DECLARED_MAX = 10 };

/* In the order in which a line of a table reads.
   NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding) */
typedef struct Route {
    Method method;       /* a route for GET answers HEAD as well */
    const char *pattern; /* "/api/v1/bots/{bot}"; a last {path...} takes all the rest, if it is not
                            below a word that another pattern has there */
    const char *name;    /* for metrics, the log and as operationId; one of its kind */
    Handler handle;
    uint32_t needs;  /* the role that HttpOptions.admit asks for; 0: none */
    uint32_t rate;   /* class of HttpOptions.limits, 0: none */
    size_t body_max; /* bytes; 0: no body is taken */

    /* For the document. */
    const char *summary; /* NULL: the route is not in the document */
    const char *group;
    Parameter parameters[ROUTE_DECLARED_MAX]; /* up to the first without a name */
    const char *takes; /* schema of the JSON body; others are refused with 415. NULL: any bytes */
    const char *gives; /* schema of the answer; NULL: no JSON */
    unsigned gives_status; /* 0: 200 */
    ContentType gives_type;
    bool tagged; /* answers have an ETag, so 304 is one of them */
    /* of a stream: "start=MatchStart turn=MatchTurn", each event and its schema */
    const char *events;
    bool any_query; /* parameters that are not declared are let through */
} Route;

typedef struct Router Router;

/* Checks the table, which must stay, and makes it ready. NULL with an error that names the
   route. */
Router *router_new(const Route *routes, uint32_t count, Error *error);
void router_free(Router *router);

/* Finds the route for a path, puts its parameters into the request, and fills `allowed` with a bit
   for each method that the path has. NULL: no such path (then allowed is 0) or no such method. */
const Route *router_find(const Router *router, Request *request, const Slice *segments,
                         uint32_t count, uint32_t *allowed);

/* Whether the parameters are what the route declares. */
bool route_check(const Route *route, const Request *request, Error *error);

/* Which parameter of the path has this name. */
bool route_path_index(const Route *route, const char *name, uint32_t *index);

#endif
