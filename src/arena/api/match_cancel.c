/* POST /api/v1/matches/{match}/call-off: cancels a match that waits or is being played. The person
   who requested it can do that, and administrators. The engine stops its bots within a second; the
   match has no result, so it does not affect ratings. A tournament needs all its matches, so it can
   only be cancelled as a whole. */
#include "arena/api/match_json.h"
#include "arena/api/match_routes.h"
#include "arena/people/people.h"
#include "arena/play/play.h"

#include <inttypes.h>
#include <stdio.h>

static bool is_requester(const Request *request, const StoreMatch *match) {
    if (match->kind != MATCH_PLAY_NOW)
        return false;
    return match->requester ? request->account == match->requester
                            : match_has_key(request, match->id);
}

bool match_is_cancellable(const Request *request, const StoreMatch *match) {
    return (match->state == MATCH_WAITING || match->state == MATCH_PLAYING) && !match->tournament &&
           (is_requester(request, match) || request->role >= ROLE_ADMINISTRATOR);
}

static Outcome cancel(Request *request, Response *response, const StoreMatch *match) {
    Arena *arena = arena_of(request);
    char subject[STORE_LABEL_SIZE];
    Error error;
    StoreResult result = store_queue_call_off(arena->store, match->id,
                                              is_requester(request, match)
                                                  ? "cancelled by the person who requested it"
                                                  : "cancelled by an administrator",
                                              &error);
    if (result != STORE_OK)
        return problem_from_store(request, response, result, &error);
    engine_wake(arena->engine);
    snprintf(subject, sizeof subject, "match %" PRIu64, match->id);
    auth_audit(request, "match.call-off", subject, "");
    return match_answer(request, response);
}

Outcome match_handle_cancel(Request *request, Response *response) {
    StoreMatches matches;
    if (match_of_path(request, response, &matches)) {
        const StoreMatch *match = &matches.rows[0];
        bool administrator = request->role >= ROLE_ADMINISTRATOR;
        if (!is_requester(request, match) && !administrator)
            problem(request, response, request->account ? 403 : 401,
                    "Only the person who requested a match and administrators can cancel it.");
        else if (match->tournament)
            problem(request, response, 409,
                    "A match of a tournament cannot be cancelled alone. Cancel the tournament.");
        else
            cancel(request, response, match);
    }
    store_matches_free(&matches);
    return OUTCOME_ANSWERED;
}
