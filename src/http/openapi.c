/* See openapi.h. */
#include "http/openapi.h"

#include "base/json.h"
#include "http/problem.h"

#include <stdio.h>
#include <string.h>

static const char problem_schema[] =
    "{\"type\":\"object\",\"required\":[\"type\",\"title\",\"status\",\"detail\",\"request\"],"
    "\"properties\":{\"type\":{\"type\":\"string\"},\"title\":{\"type\":\"string\"},"
    "\"status\":{\"type\":\"integer\"},\"detail\":{\"type\":\"string\"},"
    "\"errors\":{\"type\":\"array\",\"description\":\"what is wrong with single fields\","
    "\"items\":{\"type\":\"object\",\"additionalProperties\":false,"
    "\"required\":[\"field\",\"detail\"],\"properties\":{"
    "\"field\":{\"type\":\"string\",\"description\":\"a member of the body, such as seats.0.bot, "
    "or a parameter\"},\"detail\":{\"type\":\"string\"}}}},"
    "\"request\":{\"type\":\"string\"}}}";

/* The schema of the first event of a stream whose viewer has missed events. */
static const char gap_schema[] =
    "{\"type\":\"object\",\"additionalProperties\":false,\"required\":[\"missed\"],\"properties\":"
    "{\"missed\":{\"type\":\"integer\",\"minimum\":1,"
    "\"description\":\"number of events that are no longer available\"}}}";

static const char reference[] = "#/components/schemas/";

static bool is_schema(const OpenApi *api, Slice name) {
    bool found = slice_equals(name, "Problem") || slice_equals(name, "LiveGap");
    for (uint32_t i = 0; i < api->schema_count && !found; i++)
        found = slice_equals(name, api->schemas[i].name);
    return found;
}

/* Takes the next event from a route's list. */
static bool take_event(Slice *rest, Slice *name, Slice *schema) {
    Slice word;
    if (!slice_word(rest, &word))
        return false;
    const char *is = memchr(word.at, '=', word.length);
    size_t length = is ? (size_t)(is - word.at) : word.length;
    *name = (Slice){word.at, length};
    *schema = is ? (Slice){is + 1, word.length - length - 1} : (Slice){0};
    return true;
}

/* Checks that all references to schemas can be resolved. */
static bool check_schemas(const OpenApi *api, Error *error) {
    Json json = {0};
    bool good = true;
    for (uint32_t i = 0; i < api->schema_count && good; i++) {
        const Schema *schema = &api->schemas[i];
        good = json_parse(&json, slice_of(schema->json), error);
        for (uint32_t node = 0; node < json.count && good; node++) {
            Slice text = json.nodes[node].text;
            if (json.nodes[node].kind == JSON_STRING && slice_skip(&text, reference) &&
                !is_schema(api, text))
                good = error_set(error, "unknown schema %.*s", SLICE_ARGS(text));
        }
        if (!good)
            error_prefix(error, "schema %s", schema->name);
    }
    json_free(&json);
    for (uint32_t i = 0; i < api->route_count && good; i++) {
        const Route *route = &api->routes[i];
        if ((route->takes && !is_schema(api, slice_of(route->takes))) ||
            (route->gives && !is_schema(api, slice_of(route->gives))))
            good = error_set(error, "route %s: unknown schema", route->name);
        Slice rest = slice_of(route->events ? route->events : "");
        Slice name;
        Slice schema;
        while (good && take_event(&rest, &name, &schema))
            good = is_schema(api, schema) || error_set(error, "route %s: unknown schema %.*s",
                                                       route->name, SLICE_ARGS(schema));
    }
    return good;
}

static void write_reference(JsonOut *out, const char *key, Slice schema) {
    char text[128];
    snprintf(text, sizeof text, "%s%.*s", reference, SLICE_ARGS(schema));
    json_open(out, key, '{');
    json_out_text(out, "$ref", text);
    json_close(out, '}');
}

/* The "content" of a body or a response. */
static void write_content(JsonOut *out, const char *type, const char *schema) {
    json_open(out, "content", '{');
    json_open(out, type, '{');
    if (schema)
        write_reference(out, "schema", slice_of(schema));
    json_close(out, '}');
    json_close(out, '}');
}

static void write_parameter(JsonOut *out, const Route *route, const Parameter *parameter) {
    uint32_t index = 0;
    bool in_path = route_path_index(route, parameter->name, &index);
    json_open(out, NULL, '{');
    json_out_text(out, "name", parameter->name);
    json_out_text(out, "in", in_path ? "path" : "query");
    json_out_bool(out, "required", in_path);
    if (parameter->about)
        json_out_text(out, "description", parameter->about);
    json_open(out, "schema", '{');
    if (parameter->kind == PARAMETER_NUMBER) {
        json_out_text(out, "type", "integer");
        json_out_int(out, "minimum", parameter->minimum);
        json_out_int(out, "maximum", parameter->maximum);
    } else {
        json_out_text(out, "type", "string");
        if (parameter->kind == PARAMETER_CHOICE) {
            Slice rest = slice_of(parameter->choices);
            Slice word;
            json_open(out, "enum", '[');
            while (slice_word(&rest, &word))
                json_out_string(out, NULL, word);
            json_close(out, ']');
        }
    }
    json_close(out, '}');
    json_close(out, '}');
}

static void write_response(JsonOut *out, unsigned status, const char *type, const char *schema) {
    char key[16];
    snprintf(key, sizeof key, "%u", status);
    json_open(out, key, '{');
    json_out_text(out, "description", status_title(status));
    if (type)
        write_content(out, type, schema);
    json_close(out, '}');
}

static void write_responses(JsonOut *out, const Route *route) {
    const char *problem_type = content_type_name(TYPE_PROBLEM);
    bool parameters = route->parameters[0].name != NULL;
    bool changes = route->method != METHOD_GET && route->method != METHOD_HEAD;
    const struct {
        unsigned status;
        bool possible;
    } problems[] = {
        {400, true},
        {401, true}, /* an invalid token is rejected everywhere */
        {403, changes || route->needs || route->scope},
        {404, parameters || route->takes != NULL},
        {409, changes},
        {413, true},
        {415, route->takes != NULL},
        {421, true}, /* a host name that the server does not answer to */
        {422, parameters || route->body_max},
        {429, route->rate != 0},
        {500, true},
        {503, true},
    };
    unsigned status = route->gives_status ? route->gives_status : 200;
    bool content = route->gives || route->gives_type != TYPE_JSON;
    json_open(out, "responses", '{');
    write_response(out, status, content ? content_type_name(route->gives_type) : NULL,
                   route->gives);
    if (route->gives_type == TYPE_EVENTS)
        write_response(out, 204, NULL, NULL); /* the stream has ended and was read completely */
    if (route->tagged)
        write_response(out, 304, NULL, NULL);
    for (size_t i = 0; i < sizeof problems / sizeof problems[0]; i++)
        if (problems[i].possible)
            write_response(out, problems[i].status, problem_type, "Problem");
    json_close(out, '}');
}

/* The name of a scope; NULL if the value means that API tokens are not accepted. */
static const char *scope_name(const OpenApi *api, uint32_t scope) {
    for (uint32_t i = 0; api->scopes && api->scopes[i]; i++)
        if (i + 1 == scope)
            return api->scopes[i];
    return NULL;
}

static void write_scheme(JsonOut *out, const char *scheme, const char *scope) {
    json_open(out, NULL, '{');
    json_open(out, scheme, '[');
    if (scope)
        json_out_text(out, NULL, scope);
    json_close(out, ']');
    json_close(out, '}');
}

static void write_security(JsonOut *out, const OpenApi *api, const Route *route) {
    const char *scope = scope_name(api, route->scope);
    if (route->needs)
        json_out_text(out, "x-role", api->roles[route->needs - 1]);
    json_open(out, "security", '[');
    if (!route->needs) {
        json_open(out, NULL, '{');
        json_close(out, '}');
    }
    write_scheme(out, "session", NULL);
    if (scope || !route->scope)
        write_scheme(out, "token", scope);
    json_close(out, ']');
}

/* Writes the events of a stream as an extension, because OpenAPI cannot describe them. */
static void write_events(JsonOut *out, const char *events) {
    Slice rest = slice_of(events);
    Slice name;
    Slice schema;
    json_open(out, "x-events", '{');
    while (take_event(&rest, &name, &schema)) {
        char key[64];
        snprintf(key, sizeof key, "%.*s", SLICE_ARGS(name));
        write_reference(out, key, schema);
    }
    write_reference(out, "gap", slice_of("LiveGap"));
    json_close(out, '}');
}

static void write_operation(JsonOut *out, const OpenApi *api, const Route *route) {
    static const char *const keys[METHODS] = {"get",   "head",   "post",   "put",
                                              "patch", "delete", "options"};
    json_open(out, keys[route->method], '{');
    json_out_text(out, "operationId", route->name);
    json_out_text(out, "summary", route->summary);
    if (route->group) {
        json_open(out, "tags", '[');
        json_out_text(out, NULL, route->group);
        json_close(out, ']');
    }
    if (route->needs || route->scope)
        write_security(out, api, route);
    json_open(out, "parameters", '[');
    for (uint32_t i = 0; i < ROUTE_DECLARED_MAX && route->parameters[i].name; i++)
        write_parameter(out, route, &route->parameters[i]);
    json_close(out, ']');
    if (route->body_max) {
        json_open(out, "requestBody", '{');
        json_out_bool(out, "required", route->takes != NULL);
        write_content(out, content_type_name(route->takes ? TYPE_JSON : TYPE_BYTES), route->takes);
        json_close(out, '}');
    }
    write_responses(out, route);
    if (route->events)
        write_events(out, route->events);
    json_close(out, '}');
}

static void write_paths(JsonOut *out, const OpenApi *api) {
    json_open(out, "paths", '{');
    for (uint32_t i = 0; i < api->route_count; i++) {
        const char *pattern = api->routes[i].pattern;
        bool first = api->routes[i].summary != NULL;
        for (uint32_t j = 0; j < i && first; j++)
            first = !api->routes[j].summary || strcmp(api->routes[j].pattern, pattern) != 0;
        if (!first)
            continue;
        json_open(out, pattern, '{');
        for (uint32_t j = i; j < api->route_count; j++)
            if (api->routes[j].summary && strcmp(api->routes[j].pattern, pattern) == 0)
                write_operation(out, api, &api->routes[j]);
        json_close(out, '}');
    }
    json_close(out, '}');
}

static void write_components(JsonOut *out, const OpenApi *api) {
    json_open(out, "components", '{');
    json_open(out, "securitySchemes", '{');
    if (api->session_cookie) {
        json_open(out, "session", '{');
        json_out_text(out, "type", "apiKey");
        json_out_text(out, "in", "cookie");
        json_out_text(out, "name", api->session_cookie);
        json_close(out, '}');
    }
    json_out_raw(out, "token", slice_of("{\"type\":\"http\",\"scheme\":\"bearer\"}"));
    json_close(out, '}');
    json_open(out, "schemas", '{');
    json_out_raw(out, "Problem", slice_of(problem_schema));
    json_out_raw(out, "LiveGap", slice_of(gap_schema));
    for (uint32_t i = 0; i < api->schema_count; i++)
        json_out_raw(out, api->schemas[i].name, slice_of(api->schemas[i].json));
    json_close(out, '}');
    json_close(out, '}');
}

bool openapi_write(const OpenApi *api, Buffer *to, Error *error) {
    if (!check_schemas(api, error))
        return false;
    JsonOut out = {.to = to};
    json_open(&out, NULL, '{');
    json_out_text(&out, "openapi", "3.1.0");
    json_open(&out, "info", '{');
    json_out_text(&out, "title", api->title);
    json_out_text(&out, "version", api->version);
    json_close(&out, '}');
    write_paths(&out, api);
    write_components(&out, api);
    json_close(&out, '}');
    return true;
}
