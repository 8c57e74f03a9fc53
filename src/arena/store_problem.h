/* Turns a result of the store into a problem response. */
#ifndef ARENA_STORE_PROBLEM_H
#define ARENA_STORE_PROBLEM_H

#include "arena/arena.h"

/* Answers 404, 409, 422, 429, 500, or 503 while the database cannot be reached. The message of an
   internal failure goes to the log, not to the client. */
Outcome problem_from_store(const Request *request, Response *response, StoreResult result,
                           const Error *error);

#endif
