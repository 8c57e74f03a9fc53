/* Shared by match_routes.c, which also has the table of routes, play_now.c, match_cancel.c,
   match_replay.c and analysis_routes.c. */
#ifndef ARENA_API_MATCH_ROUTES_H
#define ARENA_API_MATCH_ROUTES_H

#include "arena/api/routes.h"

/* Reads the match in the path. Answers with a problem and returns false if there is none.
   Call store_matches_free in either case. */
bool match_of_path(const Request *request, Response *response, StoreMatches *matches);

/* Answers with the match in the path as it is now. */
Outcome match_answer(Request *request, Response *response);

/* The handler that cancels a match (match_cancel.c), and whether the caller may use it now. */
Outcome match_handle_cancel(Request *request, Response *response);
bool match_is_cancellable(const Request *request, const StoreMatch *match);

/* Whether the caller may request an analysis of the match (analysis_routes.c). */
bool match_is_analysable(const Request *request, const StoreMatch *match);

/* The handler of POST /api/v1/matches (play_now.c). */
Outcome play_now(Request *request, Response *response);

/* The handlers of a played match (match_replay.c). */
Outcome match_handle_replay(Request *request, Response *response);
Outcome match_handle_errors(Request *request, Response *response);
Outcome match_handle_diagnostics(Request *request, Response *response);

#endif
