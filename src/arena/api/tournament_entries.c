/* Handlers that enter bots in a tournament and withdraw them. */
#include "arena/api/tournament_routes.h"

#include "arena/people/people.h"

#include <inttypes.h>
#include <stdio.h>

/* Finds the bot if the caller may enter and withdraw it: its owner and organisers. */
static bool own_bot(const Request *request, Response *response, Slice owner, Slice name,
                    StoreBot *bot) {
    Error error;
    StoreResult result = store_bot_find(arena_of(request)->store, owner, name, bot, &error);
    if (result != STORE_OK) {
        error_about(&error, "bot");
        problem_from_store(request, response, result, &error);
        return false;
    }
    if (auth_is_owner_or_organiser(request, bot->owner))
        return true;
    problem_about(request, response, 403, "bot",
                  "Only its owner and organisers can enter or withdraw a bot.");
    return false;
}

static bool body_name(const Request *request, Response *response, const JsonObject *body,
                      const char *field, Slice *name) {
    Error error;
    uint32_t node;
    bool good = json_object_member(body, 0, field, JSON_STRING, &node, &error);
    if (good && node == JSON_NONE)
        good = json_object_missing(body, 0, field, &error);
    if (good)
        *name = body->json.nodes[node].text;
    else
        api_body_problem(request, response, &error);
    return good;
}

static void enter(const Request *request, Response *response, const StoreBot *bot) {
    Error error;
    char detail[32];
    Store *store = arena_of(request)->store;
    uint64_t id = tournaments_id(request);
    StoreResult result = store_tournament_enter(store, id, bot->id, &error);
    if (result != STORE_OK) {
        error_about(&error, "bot");
        problem_from_store(request, response, result, &error);
        return;
    }
    snprintf(detail, sizeof detail, "bot %" PRIu64, bot->id);
    tournaments_audit(request, "tournament.enter", id, detail);
    char location[160];
    snprintf(location, sizeof location, "/api/v1/tournaments/%" PRIu64 "/entrants/%s/%s", id,
             bot->owner_name, bot->name);
    response_header(response, HEADER_LOCATION, slice_of(location));
    response->status = 201;
    StoreEntrant entrant = {.bot = bot->id, .version = bot->active, .entered = store_now(store)};
    snprintf(entrant.name, sizeof entrant.name, "%s", bot->name);
    snprintf(entrant.owner_name, sizeof entrant.owner_name, "%s", bot->owner_name);
    JsonOut out = {.to = &response->bytes};
    tournaments_write_entrant(&out, &entrant);
}

Outcome tournaments_handle_enter(Request *request, Response *response) {
    static const char *const known[] = {"owner", "bot", NULL};
    JsonObject body;
    Error error;
    Slice owner;
    Slice name;
    StoreBot bot;
    if (api_body(request, response, &body)) {
        if (!json_object_allow_only(&body, 0, known, &error))
            api_body_problem(request, response, &error);
        else if (body_name(request, response, &body, "owner", &owner) &&
                 body_name(request, response, &body, "bot", &name) &&
                 own_bot(request, response, owner, name, &bot))
            enter(request, response, &bot);
    }
    json_object_free(&body);
    return OUTCOME_ANSWERED;
}

Outcome tournaments_handle_leave(Request *request, Response *response) {
    Error error;
    char detail[32];
    StoreBot bot;
    uint64_t id = tournaments_id(request);
    if (!own_bot(request, response, request_path(request, "owner"), request_path(request, "bot"),
                 &bot))
        return OUTCOME_ANSWERED;
    StoreResult result = store_tournament_leave(arena_of(request)->store, id, bot.id, &error);
    if (result != STORE_OK)
        return problem_from_store(request, response, result, &error);
    snprintf(detail, sizeof detail, "bot %" PRIu64, bot.id);
    tournaments_audit(request, "tournament.leave", id, detail);
    return api_no_content(response);
}
