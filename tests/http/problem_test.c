/* How error messages become the details of problems. */
#include "http/problem.h"

#include "base/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void assert_detail(const char *message, const char *detail) {
    Request request = {0};
    Response response;
    response_init(&response);
    problem(&request, &response, 400, "%s", message);
    Json json = {0};
    Error error = {0};
    assert_true(json_parse(&json, (Slice){response.bytes.data, response.bytes.length}, &error));
    uint32_t node = json_member(&json, 0, "detail");
    assert_true(slice_equals(json.nodes[node].text, detail));
    json_free(&json);
    response_reset(&response);
}

static void a_message_becomes_a_sentence(void **state) {
    (void)state;
    assert_detail("unknown game", "Unknown game.");
    assert_detail("invalid name; use letters", "Invalid name; use letters.");
}

static void a_sentence_is_unchanged(void **state) {
    (void)state;
    assert_detail("Log in first.", "Log in first.");
    assert_detail("unknown game \"alien\"; did you mean \"aliens\"?",
                  "Unknown game \"alien\"; did you mean \"aliens\"?");
}

static void a_name_at_the_start_is_not_capitalised(void **state) {
    (void)state;
    assert_detail("bot.json: \"run\" is missing", "bot.json: \"run\" is missing.");
    assert_detail("ada/rush is not rated", "ada/rush is not rated.");
    assert_detail("\"alien\" is unknown", "\"alien\" is unknown.");
}

static void assert_field(const Error *error, const char *expected) {
    Request request = {0};
    Response response;
    response_init(&response);
    problem_from_error(&request, &response, 422, error);
    assert_non_null(strstr(buffer_string(&response.bytes), expected));
    response_reset(&response);
}

static void each_invalid_field_has_its_own_sentence(void **state) {
    (void)state;
    assert_field(
        &(Error){"\"games\" must be at least 1", "games"},
        "\"errors\":[{\"field\":\"games\",\"detail\":\"This field must be at least 1.\"}]");
    assert_field(&(Error){"\"bot\" is required", "seats.0.bot"},
                 "{\"field\":\"seats.0.bot\",\"detail\":\"This field is required.\"}");
    assert_field(&(Error){"the name is taken", "name"},
                 "{\"field\":\"name\",\"detail\":\"The name is taken.\"}");
}

static void a_message_as_long_as_an_error_still_ends_with_a_full_stop(void **state) {
    (void)state;
    char longest[sizeof((Error *)0)->text] = "";
    char expected[sizeof longest + 1] = "";
    memset(longest, 'a', sizeof longest - 1);
    memcpy(expected, longest, sizeof longest);
    expected[0] = 'A';
    strcat(expected, ".");
    assert_detail(longest, expected);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_message_becomes_a_sentence),
        cmocka_unit_test(a_sentence_is_unchanged),
        cmocka_unit_test(a_name_at_the_start_is_not_capitalised),
        cmocka_unit_test(each_invalid_field_has_its_own_sentence),
        cmocka_unit_test(a_message_as_long_as_an_error_still_ends_with_a_full_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
