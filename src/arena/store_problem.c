/* See store_problem.h. */
#include "arena/store_problem.h"

#include "http/problem.h"

Outcome problem_from_store(const Request *request, Response *response, StoreResult result,
                           const Error *error) {
    switch (result) {
    case STORE_NOT_FOUND:
        return problem(request, response, 404, "%s", error->text);
    case STORE_CONFLICT:
        return problem(request, response, 409, "%s", error->text);
    case STORE_REJECTED:
        return problem(request, response, 422, "%s", error->text);
    default:
        log_write(arena_of(request)->log, LOG_ERROR, "store", &(LogField){"error", error->text, 0},
                  1);
        return problem(request, response, 500,
                       "The arena could not complete the request. Try again later, or ask its "
                       "operator to look up this request in the log.");
    }
}
