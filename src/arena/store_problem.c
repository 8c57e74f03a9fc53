/* See store_problem.h. */
#include "arena/store_problem.h"

#include "http/problem.h"

Outcome problem_from_store(const Request *request, Response *response, StoreResult result,
                           const Error *error) {
    switch (result) {
    case STORE_NOT_FOUND:
        return problem_from_error(request, response, 404, error);
    case STORE_CONFLICT:
        return problem_from_error(request, response, 409, error);
    case STORE_BUSY:
        problem_from_error(request, response, 429, error);
        response_header(response, HEADER_RETRY_AFTER, slice_of("5"));
        return OUTCOME_ANSWERED;
    case STORE_REJECTED:
        return problem_from_error(request, response, 422, error);
    default:
        log_write(arena_of(request)->log, LOG_ERROR, "store", &(LogField){"error", error->text, 0},
                  1);
        if (!store_answers(arena_of(request)->store))
            return problem_retry(request, response, 503, 5,
                                 "The arena cannot reach its database at the moment. Try again "
                                 "in a few seconds.");
        return problem(request, response, 500,
                       "The arena could not complete the request. Try again later, or ask its "
                       "operator to look up this request in the log.");
    }
}
