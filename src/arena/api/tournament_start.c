/* Handlers that schedule, start and cancel a tournament. */
#include "arena/api/tournament_routes.h"

#include "arena/tournaments/tournaments.h"

static void start(Request *request, Response *response) {
    Error error;
    uint64_t id = tournaments_id(request);
    StoreResult result = stored_tournament_start(arena_of(request)->store, id, &error);
    if (result != STORE_OK) {
        problem_from_store(request, response, result, &error);
        return;
    }
    tournaments_audit(request, "tournament.start", id, "");
    tournament_scheduler_notify(arena_of(request)->scheduler);
    tournaments_answer(request, response, id);
}

/* Making the schedule of many bots is slow. */
Outcome tournaments_handle_start(Request *request, Response *response) {
    (void)response;
    return request_defer(request, start);
}

Outcome tournaments_handle_schedule(Request *request, Response *response) {
    static const char *const known[] = {"starts", NULL};
    Error error;
    JsonObject body;
    Store *store = arena_of(request)->store;
    uint64_t id = tournaments_id(request);
    int64_t starts = -1;
    bool good = api_body(request, response, &body);
    if (good && (!json_object_allow_only(&body, 0, known, &error) ||
                 !tournament_starts_read(&body, store_now(store), &starts, &error) ||
                 (starts < 0 && !json_object_missing(&body, 0, "starts", &error)))) {
        api_body_problem(request, response, &error);
        good = false;
    }
    json_object_free(&body);
    if (!good)
        return OUTCOME_ANSWERED;
    StoreResult result = store_tournament_schedule(store, id, starts, "", &error);
    if (result != STORE_OK)
        return problem_from_store(request, response, result, &error);
    tournaments_audit(request, "tournament.schedule", id, starts ? "" : "no start time");
    tournament_scheduler_notify(arena_of(request)->scheduler);
    tournaments_answer(request, response, id);
    return OUTCOME_ANSWERED;
}

Outcome tournaments_handle_call_off(Request *request, Response *response) {
    Error error;
    StoreTournament before;
    const Arena *arena = arena_of(request);
    uint64_t id = tournaments_id(request);
    StoreResult result = store_tournament_get(arena->store, id, &before, &error);
    if (result == STORE_OK)
        result = store_tournament_move(arena->store, id, TOURNAMENT_CALLED_OFF, &error);
    if (result != STORE_OK)
        return problem_from_store(request, response, result, &error);
    if (before.state == TOURNAMENT_OPEN) /* the scheduler does not know it */
        tournament_topic_forget(arena, id);
    tournaments_audit(request, "tournament.call-off", id, "");
    tournament_scheduler_notify(arena_of(request)->scheduler);
    tournaments_answer(request, response, id);
    return OUTCOME_ANSWERED;
}
