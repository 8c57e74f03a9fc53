/* Seats that are played from elsewhere: requesting a match, following its views, sending answers,
   leaving. remote_seats.h implements them. A seat is identified by its secret and belongs to its
   account: for everyone else, it does not exist. */
#include "arena/api/match_json.h"
#include "arena/api/match_request.h"
#include "arena/play/play.h"
#include "base/memory.h"
#include "http/schemas.h"

#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    PERSON_MS_LEAST = 1000,
    PERSON_MS_USUAL = 60000,
    PERSON_MS_MOST = 600000,
    PERSON_EXTRA_MS = 2000, /* extra time: the turn times out before the person counts as gone */
    RETRY_S = 5,            /* when to retry if no seat was free */
};

/* ---- requesting a match ---- */

/* The player who takes a seat in the requested match. */
typedef struct JoiningPlayer {
    MatchRequest *wanted;
    uint32_t seat;
    uint32_t person_ms; /* 0: a bot plays */
    char label[STORE_PLAYER_SIZE];
} JoiningPlayer;

/* The name of the seat: "ann (in person)", "ann (remote)", or "LABEL (ann, remote)" if a remote bot
   has a label. Names cannot contain these characters, so nobody can pass for an account or a
   bot. */
static bool take_label(JoiningPlayer *joining, bool person) {
    MatchRequest *wanted = joining->wanted;
    uint32_t node = JSON_NONE;
    StoreAccount account = {0};
    Slice label = {0};
    if (!json_object_member(&wanted->body, 0, "label", JSON_STRING, &node, &wanted->error))
        return false;
    if (person && node != JSON_NONE)
        return json_object_error(
            &wanted->body, node, &wanted->error,
            "\"label\" is for bots only; people play under their account's name");
    if (node != JSON_NONE)
        label = wanted->body.json.nodes[node].text;
    if (label.length && !store_name_check("a label", label, &wanted->error))
        return false;
    if (!wanted->request->account) {
        snprintf(joining->label, sizeof joining->label, "visitor");
        return true;
    }
    if (!match_request_note(wanted,
                            store_account_get(arena_of(wanted->request)->store,
                                              wanted->request->account, &account, &wanted->error)))
        return false;
    if (label.length)
        snprintf(joining->label, sizeof joining->label, "%.*s (%s, remote)", SLICE_ARGS(label),
                 account.name);
    else
        snprintf(joining->label, sizeof joining->label, "%s (%s)", account.name,
                 person ? "in person" : "remote");
    return true;
}

static bool take_person(JoiningPlayer *joining) {
    MatchRequest *wanted = joining->wanted;
    bool person = false;
    int64_t turn_ms = 0;
    if (!json_object_bool(&wanted->body, 0, "person", &person, &wanted->error) ||
        !json_object_int(&wanted->body, 0, "turn_time", PERSON_MS_LEAST, PERSON_MS_MOST, &turn_ms,
                         &wanted->error))
        return false;
    if (turn_ms && !person)
        return json_object_error(
                   &wanted->body, 0, &wanted->error,
                   "\"turn_time\" is for people only; bots have the turn time of the game") ||
               error_about(&wanted->error, "turn_time");
    if (person)
        joining->person_ms = turn_ms ? (uint32_t)turn_ms : PERSON_MS_USUAL;
    return take_label(joining, person);
}

/* Takes the requested seat, or a random one. */
static bool take_own_seat(JoiningPlayer *joining) {
    MatchRequest *wanted = joining->wanted;
    int64_t seat = -1;
    if (!json_object_int(&wanted->body, 0, "seat", 0, wanted->setup.players - 1, &seat,
                         &wanted->error))
        return false;
    if (seat < 0 && wanted->begins)
        return json_object_error(
                   &wanted->body, 0, &wanted->error,
                   "\"seat\" is required with \"from\": the seat of the recorded match to play") ||
               error_about(&wanted->error, "seat");
    joining->seat = seat < 0 ? randombytes_uniform(wanted->setup.players) : (uint32_t)seat;
    wanted->setup.seats[joining->seat] =
        (QueuedSeat){.remote = true, .person_ms = joining->person_ms};
    wanted->seats[joining->seat] = (StoreNewSeat){.label = joining->label};
    return true;
}

/* Draws random opponents from the active bots: the minimum that the game requires. */
static bool draw_opponents(JoiningPlayer *joining) {
    static const uint32_t most = STORE_PAGE_MAX;
    MatchRequest *wanted = joining->wanted;
    wanted->setup.players = wanted->game->players_min > 1 ? wanted->game->players_min : 1;
    if (!take_own_seat(joining))
        return false;
    StoreBot *rows = xcalloc(most, sizeof *rows);
    StorePage page = {.limit = most};
    bool good = match_request_note(wanted, store_bots_list(arena_of(wanted->request)->store, 0,
                                                           wanted->game->name, &page, rows,
                                                           &wanted->error));
    uint32_t count = 0;
    for (uint32_t i = 0; good && i < page.count; i++)
        if (rows[i].active)
            rows[count++] = rows[i];
    if (good && !count)
        good = error_set(&wanted->error, "no bot on this arena plays %s yet; upload one first",
                         wanted->game->name);
    /* A bot gets a second seat only if there are too few bots. */
    uint32_t left = count;
    for (uint32_t seat = 0; good && seat < wanted->setup.players; seat++) {
        if (seat == joining->seat)
            continue;
        uint32_t pick = randombytes_uniform(left);
        StoreBot picked = rows[pick];
        good = match_request_take_active(wanted, seat, 0, &picked);
        rows[pick] = rows[left - 1];
        rows[left - 1] = picked;
        left = left > 1 ? left - 1 : count;
    }
    free(rows);
    return good;
}

/* Takes the named opponents, in the order of the other seats. */
static bool take_named(JoiningPlayer *joining, uint32_t list) {
    MatchRequest *wanted = joining->wanted;
    const JsonNode *nodes = wanted->body.json.nodes;
    uint32_t players = nodes[list].count + 1;
    uint32_t most = match_request_players_most(wanted);
    most = most < wanted->game->players_max ? most : wanted->game->players_max;
    if (wanted->begins && players != wanted->setup.players)
        return json_object_error(&wanted->body, list, &wanted->error,
                                 "the recorded match has %u players; name the other players",
                                 wanted->setup.players);
    if (players > most)
        return json_object_error(&wanted->body, list, &wanted->error,
                                 "%s allows at most %u players here", wanted->game->name, most);
    wanted->setup.players = players;
    if (!take_own_seat(joining))
        return false;
    uint32_t seat = 0;
    for (uint32_t node = list + 1; node < nodes[list].next; node = nodes[node].next, seat++) {
        seat += seat == joining->seat;
        if (!(nodes[node].kind == JSON_STRING ? match_request_take_bot(wanted, seat, node)
                                              : match_request_take_seat(wanted, seat, node)))
            return false;
    }
    return true;
}

static bool take_opponents(JoiningPlayer *joining) {
    MatchRequest *wanted = joining->wanted;
    uint32_t list = JSON_NONE;
    if (!json_object_member(&wanted->body, 0, "opponents", JSON_ARRAY, &list, &wanted->error))
        return false;
    if (list != JSON_NONE && wanted->body.json.nodes[list].count)
        return take_named(joining, list);
    if (!wanted->begins)
        return draw_opponents(joining);
    if (!take_own_seat(joining))
        return false;
    for (uint32_t i = 0; i < wanted->setup.players; i++)
        if (i != joining->seat && !match_request_take_recorded(wanted, i))
            return false;
    return true;
}

static bool take_body(JoiningPlayer *joining) {
    static const char *const known[] = {"game", "opponents", "map",  "label", "person", "turn_time",
                                        "seat", "config",    "seed", "from",  NULL};
    MatchRequest *wanted = joining->wanted;
    return json_object_allow_only(&wanted->body, 0, known, &wanted->error) &&
           take_person(joining) && match_request_take_game(wanted) && take_opponents(joining) &&
           match_request_take_rules(wanted, 0);
}

static StoreResult write_joined(const MatchRequest *wanted, const JoiningPlayer *joining,
                                const char *secret, uint64_t id, Error *error) {
    char location[64];
    char key[MATCH_KEY_SIZE];
    StoreMatches matches = {0};
    Response *response = wanted->response;
    StoreResult result = store_match_get(arena_of(wanted->request)->store, id, &matches, error);
    if (result != STORE_OK)
        return result;
    JsonOut out = {.to = &response->bytes};
    json_open(&out, NULL, '{');
    json_out_text(&out, "seat", secret);
    json_out_uint(&out, "match", id);
    json_out_text(&out, "game", wanted->game->name);
    json_open(&out, "players", '[');
    for (uint32_t i = 0; i < matches.rows[0].players; i++) {
        const StoreSeat *seat = &matches.rows[0].seats[i];
        json_open(&out, NULL, '{');
        json_out_text(&out, "name", seat->name);
        if (seat->owner_name[0])
            json_out_text(&out, "owner", seat->owner_name);
        else
            json_out_null(&out, "owner");
        json_out_bool(&out, "joined", i == joining->seat);
        json_close(&out, '}');
    }
    json_close(&out, ']');
    match_key(arena_of(wanted->request), id, key);
    if (!wanted->request->account)
        json_out_text(&out, "key", key);
    json_close(&out, '}');
    store_matches_free(&matches);
    response->status = 201;
    response->secret = true;
    snprintf(location, sizeof location, "/api/v1/matches/%llu", (unsigned long long)id);
    response_header(response, HEADER_LOCATION, slice_of(location));
    return STORE_OK;
}

static Outcome take_seat(MatchRequest *wanted) {
    const Request *request = wanted->request;
    Arena *arena = arena_of(request);
    JoiningPlayer joining = {.wanted = wanted};
    uint32_t person = json_member(&wanted->body.json, 0, "person");
    char secret[REMOTE_SECRET_SIZE] = "";
    uint64_t id = 0;
    if (!request->account &&
        (person == JSON_NONE || wanted->body.json.nodes[person].kind != JSON_TRUE))
        return problem(request, wanted->response, 401,
                       "Log in to join with a bot that runs on your own machine.");
    if (!request->account && !match_request_admit_visitor(wanted, true))
        return OUTCOME_ANSWERED;
    if (!take_body(&joining))
        return match_request_problem(wanted);
    Buffer json = {0};
    StoreNewMatch match = match_request_match(wanted, &json);
    RemotePlayer player = {.account = request->account,
                           .address = address_key(request->address),
                           .seat = joining.seat,
                           .answer_ms = joining.person_ms
                                            ? joining.person_ms + wanted->setup.overrides.start_ms +
                                                  PERSON_EXTRA_MS
                                            : 0};
    RemoteSeatRoom room;
    StoreResult result =
        remote_seats_add(arena->remote_seats, &player, &match, secret, &id, &room, &wanted->error);
    buffer_free(&json);
    if (room != REMOTE_ROOM_FREE)
        return problem_retry(request, wanted->response, room == REMOTE_ROOM_OWN_TAKEN ? 429 : 503,
                             RETRY_S, wanted->error.text);
    if (result == STORE_OK)
        result = write_joined(wanted, &joining, secret, id, &wanted->error);
    if (result != STORE_OK)
        return problem_from_store(request, wanted->response, result, &wanted->error);
    engine_wake(arena->engine);
    return OUTCOME_ANSWERED;
}

static void take_seat_later(Request *request, Response *response) {
    MatchRequest *wanted = match_request_new(request, response);
    if (wanted)
        take_seat(wanted);
    match_request_free(wanted);
}

static Outcome handle_join(Request *request, Response *response) {
    MatchRequest *wanted = match_request_new(request, response);
    Outcome outcome = !wanted                         ? OUTCOME_ANSWERED
                      : match_request_is_long(wanted) ? request_defer(request, take_seat_later)
                                                      : take_seat(wanted);
    match_request_free(wanted);
    return outcome;
}

/* ---- playing ---- */

static Outcome no_seat(const Request *request, Response *response) {
    return problem(request, response, 404,
                   "You do not play this seat, or its match is over. Join again for a new match.");
}

static Outcome handle_events(Request *request, Response *response) {
    char topic[LIVE_TOPIC_MAX];
    Slice secret = request_path(request, "seat");
    const Arena *arena = arena_of(request);
    if (!remote_seats_has(arena->remote_seats, secret, request->account) &&
        !shared_seats_watch(arena->shared_seats, secret, request->account))
        return no_seat(request, response);
    remote_seats_topic(secret, topic);
    return request_watch(request, topic, LIVE_FROM_START);
}

static bool permit_answers(Request *request, Response *response) {
    uint32_t wait = request->account
                        ? 0
                        : limits_take_shared(
                              http_limits(request->http), RATE_READ, address_key(request->address),
                              arena_of(request)->options.people_per_address, request->began);
    if (wait)
        problem_retry(request, response, 429, wait,
                      "Too many answers. Wait a moment, then send again.");
    else if (remote_seats_has(arena_of(request)->remote_seats, request_path(request, "seat"),
                              request->account) ||
             shared_seats_has(arena_of(request)->shared_seats, request_path(request, "seat"),
                              request->account))
        return true;
    else
        no_seat(request, response);
    return false;
}

static RemoteAnswer answer_of(const Request *request) {
    return (RemoteAnswer){.run = (uint32_t)request_number(request, "run", 0),
                          .at = (uint64_t)request_number(request, "at", 0),
                          .last = request_number(request, "last", 0) == 1,
                          .bytes = request->body};
}

static Outcome respond(const Request *request, Response *response, RemoteAnswerResult taken) {
    RemoteAnswer answer = answer_of(request);
    switch (taken) {
    case REMOTE_ANSWER_UNKNOWN:
        return no_seat(request, response);
    case REMOTE_ANSWER_STALE:
        return problem(request, response, 409,
                       "Run %u of the bot is over. Wait for the next start event.", answer.run);
    case REMOTE_ANSWER_GAP:
        return problem(request, response, 409,
                       "Bytes before byte %llu of run %u are missing. Send them first.",
                       (unsigned long long)answer.at, answer.run);
    case REMOTE_ANSWER_FLOOD:
        return problem_retry(
            request, response, 429, 1,
            "The bot prints faster than the referee reads. Wait a moment, then send again.");
    default:
        return api_no_content(response);
    }
}

/* Answers with a problem if the front end that has the seat was not found or did not respond. */
static Outcome no_answer(const Request *request, Response *response, StoreResult result,
                         Error *error) {
    if (result == STORE_NOT_FOUND)
        return no_seat(request, response);
    if (result == STORE_BUSY)
        return problem_retry(request, response, 503, 1, error->text);
    return problem_from_store(request, response, result, error);
}

/* Passes the answer on, because the seat may belong to another front end. */
static void answer_elsewhere(Request *request, Response *response) {
    RemoteAnswer answer = answer_of(request);
    RemoteAnswerResult taken;
    Error error;
    StoreResult result =
        shared_seats_answer(arena_of(request)->shared_seats, request_path(request, "seat"),
                            request->account, &answer, &taken, &error);
    if (result == STORE_OK)
        respond(request, response, taken);
    else
        no_answer(request, response, result, &error);
}

static Outcome handle_answers(Request *request, Response *response) {
    RemoteAnswer answer = answer_of(request);
    const Arena *arena = arena_of(request);
    if (!answer.run && answer.bytes.length)
        return problem(request, response, 422,
                       "The parameter run is required: the run that these bytes belong to.");
    RemoteAnswerResult taken = remote_seats_answer(
        arena->remote_seats, request_path(request, "seat"), request->account, &answer);
    return taken == REMOTE_ANSWER_UNKNOWN && arena->shared_seats
               ? request_wait(request, answer_elsewhere)
               : respond(request, response, taken);
}

static void leave_elsewhere(Request *request, Response *response) {
    bool left;
    Error error;
    StoreResult result =
        shared_seats_leave(arena_of(request)->shared_seats, request_path(request, "seat"),
                           request->account, &left, &error);
    if (result != STORE_OK)
        no_answer(request, response, result, &error);
    else if (left)
        api_no_content(response);
    else
        no_seat(request, response);
}

static Outcome handle_leave(Request *request, Response *response) {
    const Arena *arena = arena_of(request);
    if (remote_seats_leave(arena->remote_seats, request_path(request, "seat"), request->account))
        return api_no_content(response);
    return arena->shared_seats ? request_wait(request, leave_elsewhere)
                               : no_seat(request, response);
}

/* ---- the table ---- */

#define SECRET_PARAMETER                                   \
 {                                                         \
  "seat", PARAMETER_TEXT, 0, REMOTE_SECRET_SIZE - 1, NULL, \
      "the secret of the seat, from the response of /join" \
 }

static const Route routes[] = {
    {.method = METHOD_POST,
     .pattern = "/api/v1/join",
     .name = "join",
     .handle = handle_join,
     .permit = match_request_permit,
     .scope = SCOPE_PLAY,
     .rate = RATE_PLAY,
     .body_max = MATCH_REQUEST_BODY_MAX,
     .summary =
         "Requests a match in which the caller plays one seat, with a bot on their own machine "
         "or in person. Visitors can play in person. Status 429: too many seats are in use",
     .group = "join",
     .takes = "JoinRequest",
     .gives = "Joined",
     .gives_status = 201},
    {.method = METHOD_GET,
     .pattern = "/api/v1/join/{seat}/events",
     .name = "join_events",
     .handle = handle_events,
     .scope = SCOPE_PLAY,
     .rate = RATE_WRITE,
     .summary =
         "Streams the events of the seat from the first one (or after Last-Event-ID): start, view, "
         "stop, wait and end",
     .group = "join",
     .parameters = {SECRET_PARAMETER},
     .gives_type = TYPE_EVENTS,
     .events = "start=JoinRun view=JoinView stop=JoinRun wait=JoinRun end=JoinEnd"},
    {.method = METHOD_POST,
     .pattern = "/api/v1/join/{seat}/answers",
     .name = "join_answers",
     .handle = handle_answers,
     .permit = permit_answers,
     .scope = SCOPE_PLAY,
     .body_max = REMOTE_ANSWERS_MAX,
     .summary = "Sends bytes of the bot's output; an empty body keeps the seat alive",
     .group = "join",
     .parameters = {SECRET_PARAMETER,
                    {"run", PARAMETER_NUMBER, 1, UINT32_MAX, NULL,
                     "the run of the bot that the bytes belong to"},
                    {"at", PARAMETER_NUMBER, 0, INT64_MAX, NULL,
                     "the number of bytes of this run that came before"},
                    {"last", PARAMETER_NUMBER, 0, 1, NULL, "1: the output ends after these bytes"}},
     .gives_status = 204},
    {.method = METHOD_DELETE,
     .pattern = "/api/v1/join/{seat}",
     .name = "join_leave",
     .handle = handle_leave,
     .scope = SCOPE_PLAY,
     .rate = RATE_WRITE,
     .summary =
         "Leaves the seat: a waiting match is cancelled; in a running match the player forfeits",
     .group = "join",
     .parameters = {SECRET_PARAMETER},
     .gives_status = 204},
};

#define JOINED_PLAYERS_ITEM_SCHEMA                                       \
 SCHEMA_OBJECT("\"name\",\"owner\",\"joined\"",                          \
               "\"name\":" TEXT_SCHEMA ",\"owner\":" TEXT_OR_NULL_SCHEMA \
               ",\"joined\":" BOOL_SCHEMA)
#define JOINED_PLAYERS_SCHEMA ARRAY_SCHEMA(JOINED_PLAYERS_ITEM_SCHEMA)

static const Schema schemas[] = {
    {"From", "{\"type\":\"object\",\"additionalProperties\":false,\"required\":[\"turn\"],"
             "\"description\":\"continue a recorded match, with its map, configuration and "
             "seed; give either match or replay\",\"properties\":{\"match\":"
             "{\"type\":\"integer\",\"minimum\":1,\"description\":\"a match of this arena\"}"
             ",\"replay\":"
             "{\"type\":\"string\",\"description\":\"a replay file of at most 1 MiB in "
             "base64; requires an account\"}"
             ",\"turn\":"
             "{\"type\":\"integer\",\"minimum\":0,\"description\":\"the number of turns to "
             "replay from the record before the new players take over\"}"
             "}}"},
    {"JoinRun", SCHEMA_OBJECT("\"run\"", "\"run\":" INTEGER_SCHEMA)},
    {"JoinView", SCHEMA_OBJECT("\"run\",\"bytes\"",
                               "\"run\":" INTEGER_SCHEMA ",\"bytes\":"
                               "{\"type\":\"string\",\"description\":\"the view in base64\"}")},
    {"JoinEnd",
     SCHEMA_OBJECT("\"match\",\"state\"",
                   "\"match\":" INTEGER_SCHEMA ",\"state\":" TEXT_SCHEMA ",\"reason\":"
                   "{\"type\":\"string\",\"description\":\"why it was cancelled or abandoned\"}")},
    {"JoinRequest",
     SCHEMA_OBJECT("",
                   "\"game\":"
                   "{\"type\":\"string\",\"description\":\"optional with from\"}"
                   ",\"person\":"
                   "{\"type\":\"boolean\",\"description\":\"a person plays the seat, not a bot\"}"
                   ",\"turn_time\":"
                   "{\"type\":\"integer\",\"minimum\":1000,\"maximum\":600000,"
                   "\"description\":\"milliseconds per turn for a person (default 60000); a person "
                   "who exceeds it loses the seat\"}"
                   ",\"seat\":"
                   "{\"type\":\"integer\",\"minimum\":0,\"description\":\"the seat to play, from "
                   "0 (default random); required with from\"}"
                   ",\"opponents\":"
                   "{\"type\":\"array\",\"maxItems\":63,\"items\":"
                   "{\"oneOf\":["
                   "{\"type\":\"string\",\"description\":\"owner/bot\"}"
                   "," SEAT_REF "]}"
                   ",\"description\":\"the other players in the order of their seats; default: "
                   "random bots of the game; with from, the recorded ones\"}"
                   ",\"map\":"
                   "{\"type\":\"string\",\"description\":\"a standard map, or "
                   "generate[:SEED[:SIZE]]\"}"
                   ",\"config\":"
                   "{\"type\":\"string\",\"description\":\"the text of a configuration; requires "
                   "an account\"}"
                   ",\"seed\":" COUNT_SCHEMA ",\"from\":" FROM_REF ",\"label\":"
                   "{\"type\":\"string\",\"description\":\"the name of the bot in this match, "
                   "shown with the name of the account\"}")},
    {"Joined",
     SCHEMA_OBJECT("\"seat\",\"match\",\"game\",\"players\"",
                   "\"seat\":"
                   "{\"type\":\"string\",\"description\":\"the secret of the seat; only this "
                   "account can use it; for a visitor, anyone who knows it\"}"
                   ",\"match\":" INTEGER_SCHEMA ",\"game\":" TEXT_SCHEMA
                   ",\"players\":" JOINED_PLAYERS_SCHEMA ",\"key\":"
                   "{\"type\":\"string\",\"description\":\"for visitors: gives access to the "
                   "standard error of their code\"}")},
};

const ApiGroup api_join = {routes, sizeof routes / sizeof *routes, schemas,
                           sizeof schemas / sizeof *schemas};
