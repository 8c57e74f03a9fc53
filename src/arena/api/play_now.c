/* "Play now": a match of bots, versions and code straight from an editor, asked for by a person or
   by a visitor. The answer is there before the match is. */
#include "arena/api/match_json.h"
#include "arena/api/match_request.h"
#include "arena/people/auth.h"
#include "arena/play/engine.h"

#include <inttypes.h>
#include <stdio.h>

/* False, and a problem, for somebody who has enough matches waiting. */
static bool admit_account(const Wish *wish) {
    StoreMatchesWanted wanted = {.requester = wish->request->account};
    StorePage page = {.limit = 50};
    StoreMatches matches = {0};
    Error error;
    uint32_t waiting = 0;
    if (store_matches_list(arena_of(wish->request)->store, &wanted, &page, &matches, &error) ==
        STORE_OK)
        for (uint32_t i = 0; i < matches.count; i++)
            waiting += matches.rows[i].state == MATCH_WAITING;
    store_matches_free(&matches);
    if (waiting < arena_of(wish->request)->options.waiting_max)
        return true;
    problem_retry(wish->request, wish->response, 429, 5,
                  "so many of your matches wait that you cannot ask for more yet");
    return false;
}

/* Without a list, those of the recorded match. */
static bool take_seats(Wish *wish) {
    uint32_t list;
    const JsonNode *nodes = wish->body.json.nodes;
    uint32_t most = wish_players_most(wish);
    if (!config_kind(&wish->body, 0, "seats", JSON_ARRAY, &list, &wish->error))
        return false;
    if (list == JSON_NONE && wish->begins) {
        for (uint32_t i = 0; i < wish->spec.players; i++)
            if (!wish_take_recorded(wish, i))
                return false;
        return true;
    }
    if (list == JSON_NONE || nodes[list].count < 1 || nodes[list].count > most)
        return config_refuse(&wish->body, 0, &wish->error, "\"seats\" is a list of 1 to %u", most);
    if (wish->begins && nodes[list].count != wish->spec.players)
        return config_refuse(&wish->body, list, &wish->error, "the recorded match had %u players",
                             wish->spec.players);
    wish->spec.players = 0;
    for (uint32_t node = list + 1; node < nodes[list].next; node = nodes[node].next)
        if (!wish_take_seat(wish, wish->spec.players++, node))
            return false;
    return true;
}

/* Everybody reads the standard error of all players of an open match: so all must be the asker's
   own. */
static bool check_open(Wish *wish, bool open) {
    for (uint32_t i = 0; open && i < wish->spec.players; i++)
        if (wish->owners[i] && !auth_is_or_organises(wish->request, wish->owners[i]))
            return error_set(&wish->error,
                             "an open match shows what all its bots write to standard error, so "
                             "it can be played with your own bots only");
    return true;
}

static bool take_body(Wish *wish, bool *open) {
    static const char *const known[] = {"game", "map",   "config", "seed", "turn_time",
                                        "from", "seats", "open",   NULL};
    int64_t turn_ms = 0;
    return config_known(&wish->body, 0, known, &wish->error) && wish_take_game(wish) &&
           config_int(&wish->body, 0, "turn_time", 1, wish_turn_most(wish), &turn_ms,
                      &wish->error) &&
           config_bool(&wish->body, 0, "open", open, &wish->error) && take_seats(wish) &&
           wish_take_rules(wish, (uint32_t)turn_ms) && check_open(wish, *open);
}

/* ---- the answer ---- */

static Outcome ask_for(Wish *wish, bool open) {
    Arena *arena = arena_of(wish->request);
    Buffer spec = {0};
    uint64_t id = 0;
    char topic[LIVE_TOPIC_MAX];
    char location[64];
    char key[MATCH_KEY_SIZE];
    StoreMatches matches = {0};
    StoreNewMatch match = wish_match(wish, &spec);
    match.open = open;
    StoreResult result = store_queue_matches(arena->store, &match, 1, &id, &wish->error);
    buffer_free(&spec);
    if (result == STORE_OK) {
        snprintf(topic, sizeof topic, "match-%" PRIu64, id);
        live_open(arena->live, topic, LIVE_MATCH_EVENTS, LIVE_MATCH_BYTES);
        engine_wake(arena->engine);
        result = store_match_get(arena->store, id, &matches, &wish->error);
    }
    match_key(id, key);
    if (result == STORE_OK)
        result = match_json(arena, &matches.rows[0], wish->request->account ? NULL : key,
                            &wish->response->bytes, &wish->error);
    store_matches_free(&matches);
    if (result != STORE_OK)
        return api_store_problem(wish->request, wish->response, result, &wish->error);
    snprintf(location, sizeof location, "/api/v1/matches/%" PRIu64, id);
    response_header(wish->response, HEADER_LOCATION, slice_of(location));
    wish->response->status = 201;
    wish->response->secret = !wish->request->account;
    return OUTCOME_ANSWERED;
}

static Outcome play(Wish *wish) {
    bool open = false;
    if (!(wish->request->account ? admit_account(wish) : wish_admit_visitor(wish, false)))
        return OUTCOME_ANSWERED;
    return take_body(wish, &open) ? ask_for(wish, open)
                                  : api_body_problem(wish->request, wish->response, &wish->error);
}

static void play_later(Request *request, Response *response) {
    Wish *wish = wish_new(request, response);
    if (wish)
        play(wish);
    wish_free(wish);
}

Outcome play_now(Request *request, Response *response) {
    Wish *wish = wish_new(request, response);
    Outcome outcome = !wish                ? OUTCOME_ANSWERED
                      : wish_is_long(wish) ? request_defer(request, play_later)
                                           : play(wish);
    wish_free(wish);
    return outcome;
}
