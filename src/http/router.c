/* See router.h. The routes form a tree with one level per path segment. At each level a literal
   segment is tried first, then a parameter, then {path...}. A path that begins with a literal
   segment never falls through to {path...}: an unknown path below /api is not a page. */
#include "http/router.h"

#include "base/memory.h"
#include "base/nearest_name.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHOICES_MAX = 32, CHOICES_SIZE = 400 };

typedef struct RouteNode {
    Slice word;              /* the literal segment; empty for parameters */
    struct RouteNode *words; /* next level: the first literal segment, */
    struct RouteNode *any;   /* the parameter, */
    struct RouteNode *rest;  /* and {path...} */
    struct RouteNode *next;  /* next literal segment of the same level */
    const Route *routes[METHODS];
    uint32_t allowed;
} RouteNode;

struct Router {
    RouteNode root;
};

static RouteNode *node_new(Slice word) {
    RouteNode *node = xcalloc(1, sizeof *node);
    node->word = word;
    return node;
}

static void node_free(RouteNode *node) {
    if (!node)
        return;
    for (RouteNode *word = node->words; word;) {
        RouteNode *next = word->next;
        node_free(word);
        word = next;
    }
    node_free(node->any);
    node_free(node->rest);
    free(node);
}

void router_free(Router *router) {
    if (!router)
        return;
    for (RouteNode *word = router->root.words; word;) {
        RouteNode *next = word->next;
        node_free(word);
        word = next;
    }
    node_free(router->root.any);
    node_free(router->root.rest);
    free(router);
}

/* ---- patterns ---- */

/* Takes the next segment from a pattern (without its first slash). False after the last. */
static bool next_segment(const char **rest, Slice *segment) {
    if (!*rest)
        return false;
    const char *slash = strchr(*rest, '/');
    *segment = (Slice){*rest, slash ? (size_t)(slash - *rest) : strlen(*rest)};
    *rest = slash ? slash + 1 : NULL;
    return true;
}

/* Whether a segment is {name} or {name...}; sets its name. */
static bool is_parameter(Slice segment, Slice *name, bool *rest) {
    if (segment.length < 3 || segment.at[0] != '{' || segment.at[segment.length - 1] != '}')
        return false;
    *name = (Slice){segment.at + 1, segment.length - 2};
    *rest = name->length > 3 && memcmp(name->at + name->length - 3, "...", 3) == 0;
    if (*rest)
        name->length -= 3;
    return true;
}

bool route_path_index(const Route *route, const char *name, uint32_t *index) {
    const char *pattern = route->pattern + 1;
    Slice segment;
    Slice found;
    bool rest = false;
    for (*index = 0; next_segment(&pattern, &segment);) {
        if (!is_parameter(segment, &found, &rest))
            continue;
        if (slice_equals(found, name))
            return true;
        ++*index;
    }
    return false;
}

static const Parameter *declared(const Route *route, Slice name) {
    for (uint32_t i = 0; i < ROUTE_DECLARED_MAX && route->parameters[i].name; i++)
        if (slice_equals(name, route->parameters[i].name))
            return &route->parameters[i];
    return NULL;
}

/* ---- making the tree ---- */

static RouteNode *child(RouteNode *node, Slice segment) {
    Slice name;
    bool rest = false;
    if (is_parameter(segment, &name, &rest)) {
        RouteNode **place = rest ? &node->rest : &node->any;
        if (!*place)
            *place = node_new((Slice){0});
        return *place;
    }
    for (RouteNode *word = node->words; word; word = word->next)
        if (word->word.length == segment.length &&
            memcmp(word->word.at, segment.at, segment.length) == 0)
            return word;
    RouteNode *word = node_new(segment);
    word->next = node->words;
    node->words = word;
    return word;
}

static bool add_route(Router *router, const Route *route, Error *error) {
    if (!route->name || !route->handle || !route->pattern || route->pattern[0] != '/' ||
        route->method >= METHODS || route->method == METHOD_HEAD || route->method == METHOD_OPTIONS)
        return error_set(
            error,
            "a route needs a name, a handler, a method other than HEAD and OPTIONS, and a pattern");
    const char *pattern = route->pattern + 1;
    RouteNode *node = &router->root;
    Slice segment;
    Slice name;
    uint32_t parameters = 0;
    uint32_t segments = 0;
    while (next_segment(&pattern, &segment)) {
        bool rest = false;
        if (is_parameter(segment, &name, &rest)) {
            parameters++;
            if (!declared(route, name))
                return error_set(error, "undeclared parameter {%.*s}", SLICE_ARGS(name));
            if (rest && (pattern || route->summary))
                return error_set(error,
                                 "{%.*s...} must be the last segment of an undocumented route",
                                 SLICE_ARGS(name));
        }
        segments++;
        node = child(node, segment);
    }
    if (parameters > REQUEST_PARAMETERS_MAX || segments > REQUEST_SEGMENTS_MAX)
        return error_set(error, "too many segments or parameters");
    if (node->routes[route->method])
        return error_set(error, "duplicate of route %s", node->routes[route->method]->name);
    node->routes[route->method] = route;
    node->allowed |= 1U << route->method;
    return true;
}

Router *router_new(const Route *routes, uint32_t count, Error *error) {
    Router *router = xcalloc(1, sizeof *router);
    for (uint32_t i = 0; i < count; i++) {
        bool good = add_route(router, &routes[i], error);
        for (uint32_t j = 0; good && j < i; j++)
            if (strcmp(routes[j].name, routes[i].name) == 0)
                good = error_set(error, "duplicate name");
        if (!good) {
            error_prefix(error, "route %s %s", routes[i].name ? routes[i].name : "without a name",
                         routes[i].pattern ? routes[i].pattern : "");
            router_free(router);
            return NULL;
        }
    }
    return router;
}

/* ---- finding ---- */

typedef struct Search {
    Request *request;
    const Slice *segments;
    uint32_t count;
} Search;

/* Joins all segments from `index` on. Only the last may be empty, as in "a/". */
static bool join_rest(const Search *search, uint32_t index, uint32_t parameter) {
    Request *request = search->request;
    size_t length = 0;
    for (uint32_t i = index; i < search->count; i++) {
        Slice segment = search->segments[i];
        bool hole = !segment.length && (i == index || i + 1 < search->count);
        if (hole || length + segment.length + 1 > sizeof request->rest)
            return false;
        if (i > index)
            request->rest[length++] = '/';
        if (segment.length)
            memcpy(request->rest + length, segment.at, segment.length);
        length += segment.length;
    }
    request->parameters[parameter] = (Slice){request->rest, length};
    return true;
}

static const RouteNode *find(const Search *search, const RouteNode *node, uint32_t index,
                             uint32_t parameter) {
    if (index == search->count)
        return node->allowed ? node : NULL;
    Slice segment = search->segments[index];
    const RouteNode *found = NULL;
    const RouteNode *word = node->words;
    while (word && (word->word.length != segment.length ||
                    (segment.length && memcmp(word->word.at, segment.at, segment.length) != 0)))
        word = word->next;
    if (word)
        found = find(search, word, index + 1, parameter);
    if (!found && node->any && segment.length) {
        found = find(search, node->any, index + 1, parameter + 1);
        if (found)
            search->request->parameters[parameter] = segment;
    }
    if (!found && !word && node->rest && join_rest(search, index, parameter))
        found = node->rest;
    return found;
}

const Route *router_find(const Router *router, Request *request, const Slice *segments,
                         uint32_t count, uint32_t *allowed) {
    Search search = {request, segments, count};
    const RouteNode *node = find(&search, &router->root, 0, 0);
    *allowed = node ? node->allowed : 0;
    if (*allowed & 1U << METHOD_GET)
        *allowed |= 1U << METHOD_HEAD;
    if (*allowed)
        *allowed |= 1U << METHOD_OPTIONS;
    Method method = request->method == METHOD_HEAD ? METHOD_GET : request->method;
    return node && method < METHODS ? node->routes[method] : NULL;
}

/* ---- parameters ---- */

/* Checks that the value is one of the words. Copies them, because find_name needs names that end
   with a zero byte. */
static bool check_choice(const Parameter *parameter, Slice value, Error *error) {
    char text[CHOICES_SIZE];
    const char *names[CHOICES_MAX + 1] = {NULL};
    uint32_t count = 0;
    uint32_t index = 0;
    char *rest = NULL;
    assert(strlen(parameter->choices) < sizeof text);
    snprintf(text, sizeof text, "%s", parameter->choices);
    for (char *word = strtok_r(text, " ", &rest); word && count < CHOICES_MAX;
         word = strtok_r(NULL, " ", &rest))
        names[count++] = word;
    return find_name("value", value, names, &index, error) ||
           error_prefix(error, "parameter \"%s\"", parameter->name);
}

static bool unknown_parameter(const Route *route, Slice name, Error *error) {
    const char *names[ROUTE_DECLARED_MAX + 1] = {NULL};
    uint32_t count = 0;
    uint32_t index = 0;
    for (uint32_t i = 0; i < ROUTE_DECLARED_MAX && route->parameters[i].name; i++)
        if (!route_path_index(route, route->parameters[i].name, &index))
            names[count++] = route->parameters[i].name;
    return unknown_name("query parameter", name, names, error);
}

static bool check_value(const Parameter *parameter, Slice value, Error *error) {
    int64_t number = 0;
    int64_t most = parameter->maximum ? parameter->maximum : 200;
    switch (parameter->kind) {
    case PARAMETER_TEXT:
        return value.length <= (size_t)most ||
               error_set(error, "parameter \"%s\" is too long; at most %lld bytes are allowed",
                         parameter->name, (long long)most);
    case PARAMETER_NUMBER:
        return (slice_int(value, &number) && number >= parameter->minimum &&
                number <= parameter->maximum) ||
               error_set(error, "parameter \"%s\" must be a whole number from %lld to %lld",
                         parameter->name, (long long)parameter->minimum,
                         (long long)parameter->maximum);
    case PARAMETER_CHOICE:
        return check_choice(parameter, value, error);
    }
    return false;
}

bool route_check(const Route *route, const Request *request, Error *error) {
    for (uint32_t i = 0; i < ROUTE_DECLARED_MAX && route->parameters[i].name; i++) {
        const Parameter *parameter = &route->parameters[i];
        uint32_t index = 0;
        Slice value;
        bool given = route_path_index(route, parameter->name, &index);
        if (given)
            value = request->parameters[index];
        else
            given = request_query(request, parameter->name, &value);
        if (given && !check_value(parameter, value, error))
            return error_about(error, parameter->name);
    }
    for (uint32_t i = 0; i < request->query_count && !route->any_query; i++) {
        uint32_t index = 0;
        const Parameter *parameter = declared(route, request->query[i].name);
        if (!parameter || route_path_index(route, parameter->name, &index))
            return unknown_parameter(route, request->query[i].name, error);
    }
    return true;
}
