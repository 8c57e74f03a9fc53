/* POST /api/v1/matches: a match of bots, versions and drafts, for people and visitors. The response
   does not wait for the match. */
#include "arena/api/match_json.h"
#include "arena/api/match_request.h"
#include "arena/api/match_routes.h"
#include "arena/people/people.h"
#include "arena/play/play.h"

#include <inttypes.h>
#include <stdio.h>

/* Without "seats", takes those of the recorded match. */
static bool take_seats(MatchRequest *wanted) {
    uint32_t list;
    const JsonNode *nodes = wanted->body.json.nodes;
    uint32_t most = match_request_players_most(wanted);
    if (!json_object_member(&wanted->body, 0, "seats", JSON_ARRAY, &list, &wanted->error))
        return false;
    if (list == JSON_NONE && wanted->begins) {
        for (uint32_t i = 0; i < wanted->setup.players; i++)
            if (!match_request_take_recorded(wanted, i))
                return false;
        return true;
    }
    if (list == JSON_NONE || nodes[list].count < 1 || nodes[list].count > most)
        return json_object_error(&wanted->body, 0, &wanted->error,
                                 "\"seats\" must be a list of 1 to %u seats", most) ||
               error_about(&wanted->error, "seats");
    if (wanted->begins && nodes[list].count != wanted->setup.players)
        return json_object_error(&wanted->body, list, &wanted->error,
                                 "the recorded match has %u players; name as many seats",
                                 wanted->setup.players);
    wanted->setup.players = 0;
    for (uint32_t node = list + 1; node < nodes[list].next; node = nodes[node].next)
        if (!match_request_take_seat(wanted, wanted->setup.players++, node))
            return false;
    return true;
}

/* The standard error of an open match is public, so all its bots must be the caller's. */
static bool check_open(MatchRequest *wanted, bool open) {
    for (uint32_t i = 0; open && i < wanted->setup.players; i++)
        if (wanted->owners[i] && !auth_is_owner_or_organiser(wanted->request, wanted->owners[i]))
            return error_set(
                &wanted->error,
                "an open match shows the standard error of all its bots; choose your own "
                "bots only, or leave \"open\" out");
    return true;
}

static bool take_body(MatchRequest *wanted, bool *open) {
    static const char *const known[] = {"game", "map",   "config", "seed", "turn_time",
                                        "from", "seats", "open",   NULL};
    int64_t turn_ms = 0;
    return json_object_allow_only(&wanted->body, 0, known, &wanted->error) &&
           match_request_take_game(wanted) &&
           json_object_int(&wanted->body, 0, "turn_time", 1, match_request_turn_most(wanted),
                           &turn_ms, &wanted->error) &&
           json_object_bool(&wanted->body, 0, "open", open, &wanted->error) && take_seats(wanted) &&
           match_request_take_rules(wanted, (uint32_t)turn_ms) && check_open(wanted, *open);
}

/* ---- the response ---- */

static Outcome ask_for(MatchRequest *wanted, bool open) {
    Arena *arena = arena_of(wanted->request);
    Buffer json = {0};
    uint64_t id = 0;
    char topic[LIVE_TOPIC_MAX];
    char location[64];
    char key[MATCH_KEY_SIZE];
    StoreMatches matches = {0};
    StoreNewMatch match = match_request_match(wanted, &json);
    match.open = open;
    match.most = arena->options.waiting_max;
    if (!wanted->request->account)
        match.most *= arena->options.people_per_address;
    StoreResult result = store_queue_matches(arena->store, &match, 1, &id, &wanted->error);
    buffer_free(&json);
    if (result == STORE_OK) {
        engine_open_topic(arena, id, topic);
        engine_wake(arena->engine);
        result = store_match_get(arena->store, id, &matches, &wanted->error);
    }
    match_key(arena, id, key);
    if (result == STORE_OK)
        result = match_json(arena, &matches.rows[0], (MatchRights){.cancel = true},
                            wanted->request->account ? NULL : key, &wanted->response->bytes,
                            &wanted->error);
    store_matches_free(&matches);
    if (result != STORE_OK)
        return problem_from_store(wanted->request, wanted->response, result, &wanted->error);
    snprintf(location, sizeof location, "/api/v1/matches/%" PRIu64, id);
    response_header(wanted->response, HEADER_LOCATION, slice_of(location));
    wanted->response->status = 201;
    wanted->response->secret = !wanted->request->account;
    return OUTCOME_ANSWERED;
}

static Outcome play(MatchRequest *wanted) {
    bool open = false;
    if (!wanted->request->account && !match_request_admit_visitor(wanted, false))
        return OUTCOME_ANSWERED;
    return take_body(wanted, &open) ? ask_for(wanted, open) : match_request_problem(wanted);
}

static void play_later(Request *request, Response *response) {
    MatchRequest *wanted = match_request_new(request, response);
    if (wanted)
        play(wanted);
    match_request_free(wanted);
}

Outcome play_now(Request *request, Response *response) {
    MatchRequest *wanted = match_request_new(request, response);
    Outcome outcome = !wanted                         ? OUTCOME_ANSWERED
                      : match_request_is_long(wanted) ? request_defer(request, play_later)
                                                      : play(wanted);
    match_request_free(wanted);
    return outcome;
}
