/* Refusals as application/problem+json (RFC 9457): type, title, status, detail, and the request's
   id, by which the log knows it. */
#ifndef HTTP_PROBLEM_H
#define HTTP_PROBLEM_H

#include "http/request.h"

/* Makes the response a problem. The detail is a sentence for the person who asked; it may quote
   what they sent, and must not tell what is not theirs to know. Returns OUTCOME_ANSWERED, so that
   `return problem(...)` is the whole of a handler's refusal. */
Outcome problem(const Request *request, Response *response, unsigned status, const char *format,
                ...) __attribute__((format(printf, 4, 5)));

/* The same with the header Retry-After. */
Outcome problem_retry(const Request *request, Response *response, unsigned status, uint32_t seconds,
                      const char *sentence);

/* "Not Found", ... for the codes that this server answers with. */
const char *status_title(unsigned status);

#endif
