/* Errors as application/problem+json (RFC 9457): type, title, status, detail, and the request's id
   in the log. If a single field of the request is invalid, `errors` names it, with a sentence that
   can be shown next to the field of a form. */
#ifndef HTTP_PROBLEM_H
#define HTTP_PROBLEM_H

#include "base/error.h"
#include "http/request.h"

/* Makes the response a problem. The message becomes `detail`: a sentence for the client that says
   what to change. Messages of an Error value fit as they are (they get a capital letter and a full
   stop here). It may quote what the client sent, and must not reveal anything that the client may
   not read. Returns OUTCOME_ANSWERED, so that a handler can `return problem(...)`. */
Outcome problem(const Request *request, Response *response, unsigned status, const char *format,
                ...) __attribute__((format(printf, 4, 5)));

/* Makes the response a problem about a field: a member of the body ("seats.0.bot") or a
   parameter. */
Outcome problem_about(const Request *request, Response *response, unsigned status,
                      const char *field, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* Makes the response a problem with the message of an error, about its field if it has one. */
Outcome problem_from_error(const Request *request, Response *response, unsigned status,
                           const Error *error);

/* Makes the response a problem with the header Retry-After. */
Outcome problem_retry(const Request *request, Response *response, unsigned status, uint32_t seconds,
                      const char *message);

/* Makes the response a 429 problem with the header Retry-After. The detail consists of `reason`,
   such as "Rate limit reached", then "Try again in 7 s", and `otherwise`, such as ", or log in". */
Outcome problem_limit(const Request *request, Response *response, uint32_t seconds,
                      const char *reason, const char *otherwise);

/* The title of a status: "Not Found" for 404. */
const char *status_title(unsigned status);

#endif
