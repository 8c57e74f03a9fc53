/* See problem.h. */
#include "http/problem.h"

#include "base/error.h"
#include "base/json.h"

#include <stdarg.h>
#include <stdio.h>

const char *status_title(unsigned status) {
    static const struct {
        unsigned status;
        const char *title;
    } titles[] = {
        {200, "OK"},
        {201, "Created"},
        {202, "Accepted"},
        {204, "No Content"},
        {303, "See Other"},
        {304, "Not Modified"},
        {400, "Bad Request"},
        {401, "Unauthorized"},
        {403, "Forbidden"},
        {404, "Not Found"},
        {405, "Method Not Allowed"},
        {408, "Request Timeout"},
        {409, "Conflict"},
        {410, "Gone"},
        {412, "Precondition Failed"},
        {413, "Content Too Large"},
        {414, "URI Too Long"},
        {415, "Unsupported Media Type"},
        {422, "Unprocessable Content"},
        {429, "Too Many Requests"},
        {431, "Request Header Fields Too Large"},
        {500, "Internal Server Error"},
        {503, "Service Unavailable"},
    };
    for (size_t i = 0; i < sizeof titles / sizeof titles[0]; i++)
        if (titles[i].status == status)
            return titles[i].title;
    return "Error";
}

static Outcome write_problem(const Request *request, Response *response, unsigned status,
                             const char *detail) {
    response_reset(response);
    response->status = status;
    response->type = TYPE_PROBLEM;
    char id[REQUEST_ID_TEXT];
    request_id_text(request, id);
    JsonOut out = {.to = &response->bytes};
    json_open(&out, NULL, '{');
    json_out_text(&out, "type", "about:blank");
    json_out_text(&out, "title", status_title(status));
    json_out_uint(&out, "status", status);
    json_out_text(&out, "detail", detail);
    json_out_text(&out, "request", id);
    json_close(&out, '}');
    return OUTCOME_ANSWERED;
}

Outcome problem(const Request *request, Response *response, unsigned status, const char *format,
                ...) {
    char detail[sizeof((Error *)0)->text];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(detail, sizeof detail, format, arguments);
    va_end(arguments);
    return write_problem(request, response, status, detail);
}

Outcome problem_retry(const Request *request, Response *response, unsigned status, uint32_t seconds,
                      const char *sentence) {
    write_problem(request, response, status, sentence);
    char text[16];
    snprintf(text, sizeof text, "%u", (unsigned)seconds);
    response_header(response, HEADER_RETRY_AFTER, slice_of(text));
    return OUTCOME_ANSWERED;
}
