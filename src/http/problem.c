/* See problem.h. */
#include "http/problem.h"

#include "base/json.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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
        {417, "Expectation Failed"},
        {421, "Misdirected Request"},
        {422, "Unprocessable Content"},
        {429, "Too Many Requests"},
        {431, "Request Header Fields Too Large"},
        {500, "Internal Server Error"},
        {501, "Not Implemented"},
        {503, "Service Unavailable"},
        {505, "HTTP Version Not Supported"},
        {507, "Insufficient Storage"},
    };
    for (size_t i = 0; i < sizeof titles / sizeof titles[0]; i++)
        if (titles[i].status == status)
            return titles[i].title;
    return "Error";
}

/* Turns the message of an Error into a sentence. Such messages are fragments ("unknown game
   \"alien\""), the form that the command line prints. Adds a full stop, and a capital letter unless
   the first word is a name such as bot.json. Leaves sentences unchanged. */
static void make_sentence(char *text, size_t size) {
    size_t word = strspn(text, "abcdefghijklmnopqrstuvwxyz");
    if (word && strchr(" ,;:'", text[word]))
        text[0] = (char)(text[0] - 'a' + 'A');
    size_t length = strlen(text);
    if (length && length + 1 < size && !strchr(".?!", text[length - 1]))
        memcpy(text + length, ".", 2);
}

/* Writes what is wrong with a field, without its name, because the text appears next to the
   field. */
static void write_field(JsonOut *out, const char *field, const char *message) {
    char detail[sizeof((Error *)0)->text + 16];
    const char *dot = strrchr(field, '.');
    const char *name = dot ? dot + 1 : field;
    size_t length = strlen(name);
    bool named = message[0] == '"' && strncmp(message + 1, name, length) == 0 &&
                 strncmp(message + 1 + length, "\" ", 2) == 0;
    snprintf(detail, sizeof detail, "%s%s", named ? "this field " : "",
             named ? message + length + 3 : message);
    make_sentence(detail, sizeof detail);
    json_open(out, "errors", '[');
    json_open(out, NULL, '{');
    json_out_text(out, "field", field);
    json_out_text(out, "detail", detail);
    json_close(out, '}');
    json_close(out, ']');
}

static Outcome write_problem(const Request *request, Response *response, unsigned status,
                             const char *field, const char *message) {
    char detail[sizeof((Error *)0)->text + 1];
    snprintf(detail, sizeof detail, "%s", message);
    make_sentence(detail, sizeof detail);
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
    if (field[0])
        write_field(&out, field, message);
    json_out_text(&out, "request", id);
    json_close(&out, '}');
    return OUTCOME_ANSWERED;
}

Outcome problem(const Request *request, Response *response, unsigned status, const char *format,
                ...) {
    char message[sizeof((Error *)0)->text];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return write_problem(request, response, status, "", message);
}

Outcome problem_about(const Request *request, Response *response, unsigned status,
                      const char *field, const char *format, ...) {
    char message[sizeof((Error *)0)->text];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return write_problem(request, response, status, field, message);
}

Outcome problem_from_error(const Request *request, Response *response, unsigned status,
                           const Error *error) {
    return write_problem(request, response, status, error->field, error->text);
}

Outcome problem_retry(const Request *request, Response *response, unsigned status, uint32_t seconds,
                      const char *message) {
    write_problem(request, response, status, "", message);
    char text[16];
    snprintf(text, sizeof text, "%u", (unsigned)seconds);
    response_header(response, HEADER_RETRY_AFTER, slice_of(text));
    return OUTCOME_ANSWERED;
}

Outcome problem_limit(const Request *request, Response *response, uint32_t seconds,
                      const char *reason, const char *otherwise) {
    char message[sizeof((Error *)0)->text];
    snprintf(message, sizeof message, "%s. Try again in %u s%s", reason, (unsigned)seconds,
             otherwise);
    return problem_retry(request, response, 429, seconds, message);
}
