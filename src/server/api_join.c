/* Seats that are played from elsewhere: asking for a match, following its views, sending answers, leaving. What is behind it is join.h's. A seat is known by its secret and is its account's alone: to everybody else
   it is not there. */
#include "server/api.h"
#include "server/engine.h"
#include "server/join.h"
#include "server/spec.h"

#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BODY_MAX = 16 << 10, OPPONENT_SIZE = 2 * STORE_NAME_SIZE, SEED_BITS_DROPPED = 11 };

/* ---- asking for a match ---- */

typedef struct Wish {
    const Game *game;
    char map[STORE_LABEL_SIZE];
    char label[STORE_NAME_SIZE];
    StoreBot opponents[GAME_PLAYERS_MAX];
    uint32_t opponent_count;
} Wish;

/* A member that is a short text; absent: `to` stays as it is. */
static bool read_text(const Config *body, const char *field, char *to, size_t size, Error *error) {
    uint32_t node = JSON_NONE;
    if (!config_kind(body, 0, field, JSON_STRING, &node, error))
        return false;
    if (node == JSON_NONE)
        return true;
    Slice text = body->json.nodes[node].text;
    if (text.length >= size || memchr(text.at, '\0', text.length))
        return config_refuse(body, node, error, "%s must have less than %zu bytes", field, size);
    memcpy(to, text.at, text.length);
    to[text.length] = '\0';
    return true;
}

/* owner/bot: one that plays this game. */
static StoreResult find_opponent(Store *store, Slice text, const Game *game, StoreBot *bot,
                                 Error *error) {
    char name[OPPONENT_SIZE];
    int length = snprintf(name, sizeof name, "%.*s", SLICE_ARGS(text));
    char *slash = strchr(name, '/');
    if (!slash || (size_t)length >= sizeof name || text.length != (size_t)length) {
        error_set(error, "an opponent is given as owner/bot, not \"%.*s\"", SLICE_ARGS(text));
        return STORE_REFUSED;
    }
    *slash = '\0';
    StoreResult result = store_bot_find(store, name, slash + 1, bot, error);
    if (result == STORE_NOT_FOUND) {
        error_set(error, "there is no bot %s/%s", name, slash + 1);
        return STORE_REFUSED;
    }
    if (result != STORE_OK)
        return result;
    if (strcmp(bot->game, game->name) != 0)
        error_set(error, "%s/%s plays %s, not %s", name, slash + 1, bot->game, game->name);
    else if (bot->retired || !bot->active)
        error_set(error, "%s/%s has no version that plays", name, slash + 1);
    else
        return STORE_OK;
    return STORE_REFUSED;
}

/* As many as the game needs at least, by chance among those that play. */
static StoreResult draw_opponents(Store *store, Wish *wish, Error *error) {
    static const uint32_t most = STORE_PAGE_MAX;
    StoreBot *rows = calloc(most, sizeof *rows);
    if (!rows)
        abort();
    StorePage page = {.limit = most};
    StoreResult result = store_bots_list(store, 0, wish->game->name, &page, rows, error);
    uint32_t count = 0;
    for (uint32_t i = 0; result == STORE_OK && i < page.count; i++)
        if (rows[i].active)
            rows[count++] = rows[i];
    if (result == STORE_OK && !count) {
        error_set(error, "no bot on this arena plays %s yet", wish->game->name);
        result = STORE_REFUSED;
    }
    /* The same one twice only where there are too few. */
    for (uint32_t left = count;
         result == STORE_OK && count && wish->opponent_count + 1 < wish->game->players_min;
         left = left > 1 ? left - 1 : count) {
        uint32_t pick = randombytes_uniform(left);
        wish->opponents[wish->opponent_count++] = rows[pick];
        StoreBot picked = rows[pick];
        rows[pick] = rows[left - 1];
        rows[left - 1] = picked;
    }
    free(rows);
    return result;
}

static StoreResult read_opponents(Store *store, const Config *body, Wish *wish, Error *error) {
    uint32_t list = JSON_NONE;
    if (!config_kind(body, 0, "opponents", JSON_ARRAY, &list, error))
        return STORE_REFUSED;
    if (list == JSON_NONE || !body->json.nodes[list].count)
        return draw_opponents(store, wish, error);
    const JsonNode *nodes = body->json.nodes;
    for (uint32_t node = list + 1; node < nodes[list].next; node = nodes[node].next) {
        if (nodes[node].kind != JSON_STRING) {
            config_refuse(body, node, error, "an opponent is given as \"owner/bot\"");
            return STORE_REFUSED;
        }
        if (wish->opponent_count + 1 >= wish->game->players_max) {
            error_set(error, "%s is for at most %u players", wish->game->name,
                      wish->game->players_max);
            return STORE_REFUSED;
        }
        StoreResult result = find_opponent(store, nodes[node].text, wish->game,
                                           &wish->opponents[wish->opponent_count], error);
        if (result != STORE_OK)
            return result;
        wish->opponent_count++;
    }
    return STORE_OK;
}

static StoreResult read_wish(Store *store, const Config *body, Wish *wish, Error *error) {
    static const char *const known[] = {"game", "opponents", "map", "label", NULL};
    char game[STORE_GAME_SIZE] = "";
    if (!config_known(body, 0, known, error) ||
        !read_text(body, "game", game, sizeof game, error) ||
        !read_text(body, "map", wish->map, sizeof wish->map, error) ||
        !read_text(body, "label", wish->label, sizeof wish->label, error))
        return STORE_REFUSED;
    if (wish->label[0] && !store_name_check("a label", slice_of(wish->label), error))
        return STORE_REFUSED;
    wish->game = game_find(game);
    if (!wish->game) {
        error_set(error, game[0] ? "no game is called \"%s\"" : "which game?%s", game);
        return STORE_REFUSED;
    }
    return read_opponents(store, body, wish, error);
}

/* Puts the match into the queue. The seat from elsewhere is one by chance. */
static StoreResult ask_for_match(Arena *arena, uint64_t account, const Wish *wish,
                                 char secret[JOIN_SECRET_SIZE], uint64_t *id, uint32_t *seat,
                                 Error *error) {
    uint32_t players = wish->opponent_count + 1;
    uint64_t seed = 0;
    MatchSpec spec = {0};
    randombytes_buf(&seed, sizeof seed);
    seed >>= SEED_BITS_DROPPED; /* whole in every reader of JSON */
    if (!spec_choose(&spec, wish->game, wish->map[0] ? wish->map : NULL, NULL, players, seed,
                     error)) {
        spec_free(&spec);
        return STORE_REFUSED;
    }
    *seat = randombytes_uniform(players);
    spec.players = players;
    spec.seats[*seat].remote = true;
    StoreNewSeat seats[GAME_PLAYERS_MAX] = {0};
    for (uint32_t i = 0, opponent = 0; i < players; i++)
        if (i == *seat)
            seats[i] = (StoreNewSeat){.label = wish->label};
        else {
            const StoreBot *bot = &wish->opponents[opponent++];
            seats[i] = (StoreNewSeat){.bot = bot->id, .version = bot->active};
        }
    Buffer text = {0};
    spec_write(&spec, &text);
    StoreNewMatch match = {.kind = MATCH_PLAY_NOW,
                           .game = wish->game->name,
                           .map = spec.map.name ? spec.map.name : "",
                           .seed = seed,
                           .requester = account,
                           .spec = buffer_string(&text),
                           .players = players,
                           .seats = seats};
    StoreResult result = joins_add(arena->joins, account, &match, *seat, secret, id, error);
    buffer_free(&text);
    spec_free(&spec);
    return result;
}

static void write_joined(Response *response, const Wish *wish, const char *secret, uint64_t match,
                         uint32_t seat) {
    char location[64];
    JsonOut out = {.to = &response->bytes};
    json_open(&out, NULL, '{');
    json_out_text(&out, "seat", secret);
    json_out_uint(&out, "match", match);
    json_out_text(&out, "game", wish->game->name);
    json_open(&out, "players", '[');
    for (uint32_t i = 0, opponent = 0; i <= wish->opponent_count; i++) {
        bool own = i == seat;
        const StoreBot *bot = own ? NULL : &wish->opponents[opponent++];
        json_open(&out, NULL, '{');
        json_out_text(&out, "name", own ? wish->label : bot->name);
        if (own)
            json_out_null(&out, "owner");
        else
            json_out_text(&out, "owner", bot->owner_name);
        json_out_bool(&out, "joined", own);
        json_close(&out, '}');
    }
    json_close(&out, ']');
    json_close(&out, '}');
    response->status = 201;
    response->secret = true;
    snprintf(location, sizeof location, "/api/v1/matches/%llu", (unsigned long long)match);
    response_header(response, HEADER_LOCATION, slice_of(location));
}

static Outcome handle_join(Request *request, Response *response) {
    Arena *arena = arena_of(request);
    Error error = {""};
    Config body = {0};
    Wish *wish = calloc(1, sizeof *wish);
    if (!wish)
        abort();
    if (api_body(request, response, &body)) {
        char secret[JOIN_SECRET_SIZE] = "";
        uint64_t match = 0;
        uint32_t seat = 0;
        StoreAccount account;
        StoreResult result = store_account_get(arena->store, request->account, &account, &error);
        if (result == STORE_OK) {
            memcpy(wish->label, account.name, sizeof account.name);
            result = read_wish(arena->store, &body, wish, &error);
        }
        if (result == STORE_OK)
            result = ask_for_match(arena, request->account, wish, secret, &match, &seat, &error);
        if (result == STORE_OK) {
            write_joined(response, wish, secret, match, seat);
            engine_wake(arena->engine);
        } else
            api_store_problem(request, response, result, &error);
    }
    config_free(&body);
    free(wish);
    return OUTCOME_ANSWERED;
}

/* ---- playing ---- */

static Outcome no_seat(const Request *request, Response *response) {
    return problem(request, response, 404, "you play no seat of that name, or its match is over");
}

static Outcome handle_events(Request *request, Response *response) {
    char topic[LIVE_TOPIC_MAX];
    Slice secret = request_path(request, "seat");
    if (!joins_has(arena_of(request)->joins, secret, request->account))
        return no_seat(request, response);
    joins_topic(secret, topic);
    return request_watch(request, topic, LIVE_FROM_START);
}

static Outcome handle_answers(Request *request, Response *response) {
    JoinAnswer answer = {.run = (uint32_t)request_number(request, "run", 0),
                         .at = (uint64_t)request_number(request, "at", 0),
                         .last = request_number(request, "last", 0) == 1,
                         .bytes = request->body};
    if (!answer.run && answer.bytes.length)
        return problem(request, response, 422,
                       "the parameter run must say which start of the bot these bytes are from");
    switch (joins_answer(arena_of(request)->joins, request_path(request, "seat"), request->account,
                         &answer)) {
    case JOIN_UNKNOWN:
        return no_seat(request, response);
    case JOIN_STALE:
        return problem(request, response, 409, "run %u of the bot is over", answer.run);
    case JOIN_GAP:
        return problem(request, response, 409, "bytes before byte %llu of run %u are missing",
                       (unsigned long long)answer.at, answer.run);
    case JOIN_FLOOD:
        return problem_retry(request, response, 429, 1, "the bot says more than the referee takes");
    default:
        response->status = 204;
        return OUTCOME_ANSWERED;
    }
}

static Outcome handle_leave(Request *request, Response *response) {
    if (!joins_leave(arena_of(request)->joins, request_path(request, "seat"), request->account))
        return no_seat(request, response);
    response->status = 204;
    return OUTCOME_ANSWERED;
}

/* ---- the table ---- */

#define SEAT_PARAMETER \
 { "seat", PARAMETER_TEXT, 0, JOIN_SECRET_SIZE - 1, NULL, "the seat's secret, from asking for it" }

static const Route routes[] = {
    {.method = METHOD_POST,
     .pattern = "/api/v1/join",
     .name = "join",
     .handle = handle_join,
     .needs = NEEDS_SESSION,
     .rate = RATE_PLAY,
     .body_max = BODY_MAX,
     .summary = "Asks for a match in which the caller plays a seat with a bot of its own machine",
     .group = "join",
     .takes = "JoinRequest",
     .gives = "Joined",
     .gives_status = 201},
    {.method = METHOD_GET,
     .pattern = "/api/v1/join/{seat}/events",
     .name = "join_events",
     .handle = handle_events,
     .needs = NEEDS_SESSION,
     .rate = RATE_WRITE,
     .summary =
         "The seat's events from the first: start, view, stop, wait and end; Last-Event-ID goes on behind one",
     .group = "join",
     .parameters = {SEAT_PARAMETER},
     .gives_type = TYPE_EVENTS,
     .events = "start=JoinRun view=JoinView stop=JoinRun wait=JoinRun end=JoinEnd"},
    {.method = METHOD_POST,
     .pattern = "/api/v1/join/{seat}/answers",
     .name = "join_answers",
     .handle = handle_answers,
     .needs = NEEDS_SESSION,
     .body_max = JOIN_ANSWERS_MAX,
     .summary = "Bytes of the bot's output; without any, a sign of life",
     .group = "join",
     .parameters = {SEAT_PARAMETER,
                    {"run", PARAMETER_NUMBER, 1, UINT32_MAX, NULL,
                     "which start of the bot they are from"},
                    {"at", PARAMETER_NUMBER, 0, INT64_MAX, NULL,
                     "how many bytes of this run came before these"},
                    {"last", PARAMETER_NUMBER, 0, 1, NULL, "1: the output ends behind these"}},
     .gives_status = 204},
    {.method = METHOD_DELETE,
     .pattern = "/api/v1/join/{seat}",
     .name = "join_leave",
     .handle = handle_leave,
     .needs = NEEDS_SESSION,
     .rate = RATE_WRITE,
     .summary =
         "Gives the seat up: a match that waits is called off, in one that is played the bot is gone",
     .group = "join",
     .parameters = {SEAT_PARAMETER},
     .gives_status = 204},
};

static const Schema schemas[] = {
    {"JoinRun",
     "{\"type\":\"object\",\"additionalProperties\":false,\"required\":[\"run\"],\"properties\":"
     "{\"run\":{\"type\":\"integer\"}}}"},
    {"JoinView",
     "{\"type\":\"object\",\"additionalProperties\":false,\"required\":[\"run\",\"bytes\"],\"pro"
     "perties\":{\"run\":{\"type\":\"integer\"},\"bytes\":{\"type\":\"string\",\"description\":"
     "\"of the view, in base 64\"}}}"},
    {"JoinEnd",
     "{\"type\":\"object\",\"additionalProperties\":false,\"required\":[\"match\",\"state\"],\"p"
     "roperties\":{\"match\":{\"type\":\"integer\"},\"state\":{\"type\":\"string\"}}}"},
    {"JoinRequest",
     "{\"type\":\"object\",\"additionalProperties\":false,\"required\":[\"game\"],\"properties\":{"
     "\"game\":{\"type\":\"string\"},"
     "\"opponents\":{\"type\":\"array\",\"maxItems\":63,\"items\":{\"type\":\"string\",\"description\":\"owner/bot\"},"
     "\"description\":\"the bots to play against; none: drawn from those that play the game\"},"
     "\"map\":{\"type\":\"string\",\"description\":\"a standard map, or generate[:SEED[:SIZE]]\"},"
     "\"label\":{\"type\":\"string\",\"description\":\"what the bot is called in this match; the account's name unless it is given\"}}}"},
    {"Joined",
     "{\"type\":\"object\",\"additionalProperties\":false,\"required\":[\"seat\",\"match\",\"game\",\"players\"],\"properties\":{"
     "\"seat\":{\"type\":\"string\",\"description\":\"a secret: whoever knows it and has the account's token plays\"},"
     "\"match\":{\"type\":\"integer\"},\"game\":{\"type\":\"string\"},"
     "\"players\":{\"type\":\"array\",\"items\":{\"type\":\"object\",\"additionalProperties\":false,"
     "\"required\":[\"name\",\"owner\",\"joined\"],\"properties\":{\"name\":{\"type\":\"string\"},"
     "\"owner\":{\"type\":[\"string\",\"null\"]},\"joined\":{\"type\":\"boolean\"}}}}}}"},
};

const ApiGroup api_join = {routes, sizeof routes / sizeof *routes, schemas,
                           sizeof schemas / sizeof *schemas};
