/* Invalid route tables, and paths that match several routes. */
#include "http/openapi.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static Outcome handle(Request *request, Response *response) {
    (void)request;
    (void)response;
    return OUTCOME_ANSWERED;
}

static void assert_rejected(const Route *routes, uint32_t count, const char *sentence) {
    Error error = {0};
    Router *router = router_new(routes, count, &error);
    assert_null(router);
    assert_string_equal(error.text, sentence);
}

static void a_parameter_must_be_declared(void **state) {
    (void)state;
    const Route routes[] = {
        {METHOD_GET, "/bots/{bot}", "bot", handle, .parameters = {{.name = "bat"}}}};
    assert_rejected(routes, 1, "route bot /bots/{bot}: undeclared parameter {bot}");
}

static void duplicate_routes_are_rejected(void **state) {
    (void)state;
    const Route routes[] = {
        {METHOD_GET, "/bots/{bot}", "bot", handle, .parameters = {{.name = "bot"}}},
        {METHOD_PUT, "/bots/{name}", "put", handle, .parameters = {{.name = "name"}}},
        {METHOD_GET, "/bots/{name}", "other", handle, .parameters = {{.name = "name"}}},
    };
    assert_rejected(routes, 3, "route other /bots/{name}: duplicate of route bot");
}

static void duplicate_names_are_rejected(void **state) {
    (void)state;
    const Route routes[] = {{METHOD_GET, "/a", "same", handle, .rate = 0},
                            {METHOD_GET, "/b", "same", handle, .rate = 0}};
    assert_rejected(routes, 2, "route same /b: duplicate name");
}

static void a_rest_parameter_must_be_last(void **state) {
    (void)state;
    const Route routes[] = {
        {METHOD_GET, "/{path...}/b", "x", handle, .parameters = {{.name = "path"}}}};
    assert_rejected(
        routes, 1,
        "route x /{path...}/b: {path...} must be the last segment of an undocumented route");
}

static const char *found(const Router *router, Request *request, const char *path) {
    char copy[200] = "";
    Slice segments[REQUEST_SEGMENTS_MAX];
    uint32_t count = 0;
    uint32_t allowed = 0;
    strncpy(copy, path, sizeof copy - 1);
    assert_true(decode_path(copy, strlen(copy), segments, REQUEST_SEGMENTS_MAX, &count, NULL));
    const Route *route = router_find(router, request, segments, count, &allowed);
    return route ? route->name : allowed ? "method" : "none";
}

static void matching_backtracks_to_the_next_route(void **state) {
    (void)state;
    static const Route routes[] = {
        {METHOD_GET, "/a/b/c", "words", handle, .rate = 0},
        {METHOD_GET, "/a/{x}/d", "middle", handle, .parameters = {{.name = "x"}}},
        {METHOD_GET, "/{y}/b/{z}", "ends", handle, .parameters = {{.name = "y"}, {.name = "z"}}},
        {METHOD_GET, "/{path...}", "rest", handle, .parameters = {{.name = "path"}}},
        {METHOD_POST, "/", "root", handle, .rate = 0},
    };
    Router *router = router_new(routes, 5, NULL);
    static Request request = {.method = METHOD_GET};
    assert_non_null(router);
    assert_string_equal(found(router, &request, "/a/b/c"), "words");
    assert_string_equal(found(router, &request, "/a/b/d"), "middle");
    assert_string_equal(found(router, &request, "/a/b/e"), "ends");
    assert_string_equal(found(router, &request, "/b/c/d"), "rest");
    assert_string_equal(found(router, &request, "/"), "method");
    router_free(router);
}

static void a_rest_parameter_does_not_match_below_a_literal_segment(void **state) {
    (void)state;
    static const Route routes[] = {
        {METHOD_GET, "/api/bots", "bots", handle, .rate = 0},
        {METHOD_GET, "/api/{x}/d", "one", handle, .parameters = {{.name = "x"}}},
        {METHOD_GET, "/", "home", handle, .rate = 0},
        {METHOD_GET, "/{path...}", "rest", handle, .parameters = {{.name = "path"}}},
    };
    Router *router = router_new(routes, 4, NULL);
    static Request request = {.method = METHOD_GET};
    assert_non_null(router);
    assert_string_equal(found(router, &request, "/api"), "none");
    assert_string_equal(found(router, &request, "/api/"), "none");
    assert_string_equal(found(router, &request, "/api/cats"), "none");
    assert_string_equal(found(router, &request, "/api/bots/x"), "none");
    assert_string_equal(found(router, &request, "/api/bots/d"), "one");
    assert_string_equal(found(router, &request, "/apis/bots"), "rest");
    assert_string_equal(found(router, &request, "/"), "home");
    assert_string_equal(found(router, &request, "//"), "none");
    router_free(router);
}

static void a_rest_parameter_has_no_empty_segment_except_the_last(void **state) {
    (void)state;
    static const Route routes[] = {
        {METHOD_GET, "/f/{path...}", "rest", handle, .parameters = {{.name = "path"}}}};
    Router *router = router_new(routes, 1, NULL);
    static Request request = {.method = METHOD_GET};
    assert_non_null(router);
    assert_string_equal(found(router, &request, "/f/a/b/"), "rest");
    assert_true(slice_equals(request.parameters[0], "a/b/"));
    assert_string_equal(found(router, &request, "/f/"), "none");
    assert_string_equal(found(router, &request, "/f/a//"), "none");
    assert_string_equal(found(router, &request, "/f//a"), "none");
    router_free(router);
}

static void unknown_schemas_are_rejected(void **state) {
    (void)state;
    const Route routes[] = {{METHOD_GET, "/a", "a", handle, .summary = "A", .gives = "Bot"}};
    const Schema broken[] = {{"Bot", "{\"$ref\":\"#/components/schemas/Owner\"}"}};
    const Schema good[] = {{"Bot", "{\"$ref\":\"#/components/schemas/Problem\"}"}};
    const Schema no_json[] = {{"Bot", "{"}};
    OpenApi api = {.title = "T", .version = "1", .routes = routes, .route_count = 1};
    Buffer text = {0};
    Error error = {0};
    assert_false(openapi_write(&api, &text, &error));
    assert_string_equal(error.text, "route a: unknown schema");
    api.schemas = broken;
    api.schema_count = 1;
    assert_false(openapi_write(&api, &text, &error));
    assert_string_equal(error.text, "schema Bot: unknown schema Owner");
    api.schemas = no_json;
    assert_false(openapi_write(&api, &text, &error));
    api.schemas = good;
    assert_true(openapi_write(&api, &text, &error));
    buffer_free(&text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_parameter_must_be_declared),
        cmocka_unit_test(duplicate_routes_are_rejected),
        cmocka_unit_test(duplicate_names_are_rejected),
        cmocka_unit_test(a_rest_parameter_must_be_last),
        cmocka_unit_test(matching_backtracks_to_the_next_route),
        cmocka_unit_test(a_rest_parameter_does_not_match_below_a_literal_segment),
        cmocka_unit_test(a_rest_parameter_has_no_empty_segment_except_the_last),
        cmocka_unit_test(unknown_schemas_are_rejected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
