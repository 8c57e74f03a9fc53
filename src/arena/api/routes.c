/* See routes.h. */
#include "arena/api/routes.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

bool api_page(const Request *request, Response *response, StorePage *page) {
    Slice cursor;
    *page = (StorePage){.limit = (uint32_t)request_number(request, "limit", 50)};
    if (!request_query(request, "cursor", &cursor) || store_cursor_read(cursor, &page->from))
        return true;
    problem(
        request, response, 400,
        "Invalid cursor. Use the \"next\" of the previous page, or leave it out to start over.");
    return false;
}

void api_list_open(JsonOut *out) {
    json_open(out, NULL, '{');
    json_open(out, "items", '[');
}

void api_list_close(JsonOut *out, const StorePage *page) {
    char text[STORE_CURSOR_SIZE];
    json_close(out, ']');
    store_cursor_write(page->next, text);
    if (text[0])
        json_out_text(out, "next", text);
    else
        json_out_null(out, "next");
    json_close(out, '}');
}

bool api_body(const Request *request, Response *response, JsonObject *config) {
    Error error;
    if (json_object_parse(config, "body", request->body, &error))
        return true;
    api_body_problem(request, response, &error);
    return false;
}

Outcome api_body_problem(const Request *request, Response *response, const Error *error) {
    const char *text = error->text;
    /* Bodies are rarely longer than one line, so "body:1: " does not help. */
    if (strncmp(text, "body:", 5) == 0) {
        size_t digits = strspn(text + 5, "0123456789");
        if (strncmp(text + 5 + digits, ": ", 2) == 0)
            text += 5 + digits + 2;
    }
    return problem_about(request, response, 422, error->field, "%s", text);
}

Outcome api_no_content(Response *response) {
    response->status = 204;
    return OUTCOME_ANSWERED;
}

void api_time(JsonOut *out, const char *key, int64_t milliseconds) {
    if (!milliseconds) {
        json_out_null(out, key);
        return;
    }
    time_t seconds = (time_t)(milliseconds / 1000);
    struct tm parts;
    char text[40];
    gmtime_r(&seconds, &parts);
    size_t length = strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
    snprintf(text + length, sizeof text - length, ".%03dZ", (int)(milliseconds % 1000));
    json_out_text(out, key, text);
}
