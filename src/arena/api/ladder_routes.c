/* Ladders. The first page of each is cached for a second, because it is requested often and changes
   rarely. A page that is older than the ratings is not sent. */
#include "arena/api/routes.h"
#include "arena/ladders/ladders.h"
#include "base/memory.h"

#include "base/clock.h"
#include "games/game.h"
#include "http/schemas.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_PAGE = 50, GAMES_MAX = 64 };

#define KEPT (1000 * CLOCK_MS)

/* The game that the path names; NULL, and a problem, if there is none. *index is its place in the
   list of games. */
static const Game *find_game(const Request *request, Response *response, uint32_t *index) {
    Error error;
    const Game *game = game_find(request_path(request, "game"), &error);
    if (!game)
        problem(request, response, 404, "%s", error.text);
    for (*index = 0; games_all[*index] && games_all[*index] != game;)
        ++*index;
    return game;
}

/* ---- the ladder ---- */

static StoreResult write_page(Store *store, const Game *game, StorePage *page, Buffer *to,
                              Error *error) {
    StoreRating *rows = xcalloc(page->limit, sizeof *rows);
    StoreResult result = store_ratings_list(store, game->name, page, rows, error);
    JsonOut out = {.to = to};
    api_list_open(&out);
    for (uint32_t i = 0; result == STORE_OK && i < page->count; i++)
        ladders_row(&out, &rows[i]);
    api_list_close(&out, page);
    free(rows);
    return result;
}

typedef struct Kept {
    const Arena *arena; /* to which the page belongs */
    Body *body;
    int64_t since; /* clock_now */
} Kept;

static pthread_mutex_t kept_lock = PTHREAD_MUTEX_INITIALIZER;
static Kept kept[GAMES_MAX];

static bool send_kept(const Request *request, Response *response, uint32_t index) {
    pthread_mutex_lock(&kept_lock);
    const Kept *mine = &kept[index];
    bool there = mine->body && mine->arena == arena_of(request) &&
                 request->began < mine->since + KEPT && mine->since > mine->arena->ratings_changed;
    if (there)
        response_share(response, mine->body);
    pthread_mutex_unlock(&kept_lock);
    return there;
}

/* Caches a page. Takes ownership of the body. */
static void keep(const Request *request, uint32_t index, Body *body) {
    pthread_mutex_lock(&kept_lock);
    Body *old = kept[index].body;
    kept[index] = (Kept){arena_of(request), body, request->began};
    pthread_mutex_unlock(&kept_lock);
    body_release(old);
}

static Outcome handle_ladder(Request *request, Response *response) {
    uint32_t index;
    StorePage page;
    Slice cursor;
    Error error;
    const Game *game = find_game(request, response, &index);
    if (!game || !api_page(request, response, &page))
        return OUTCOME_ANSWERED;
    bool first =
        !request_query(request, "cursor", &cursor) && page.limit == FIRST_PAGE && index < GAMES_MAX;
    if (first && send_kept(request, response, index))
        return OUTCOME_ANSWERED;
    Buffer text = {0};
    StoreResult result = write_page(arena_of(request)->store, game, &page, &text, &error);
    if (result != STORE_OK) {
        buffer_free(&text);
        return problem_from_store(request, response, result, &error);
    }
    if (first) {
        Body *body = body_new(TYPE_JSON, &text);
        response_share(response, body);
        keep(request, index, body);
    } else {
        response->bytes = text;
        response_tag(response);
    }
    return OUTCOME_ANSWERED;
}

static Outcome handle_live(Request *request, Response *response) {
    uint32_t index;
    char topic[LIVE_TOPIC_MAX];
    const Game *game = find_game(request, response, &index);
    if (!game)
        return OUTCOME_ANSWERED;
    snprintf(topic, sizeof topic, "ladder-%s", game->name);
    return request_watch(request, topic, LIVE_FROM_LAST);
}

/* ---- a bot's history ---- */

static void number(JsonOut *out, const char *key, double value) {
    char text[32];
    snprintf(text, sizeof text, "%.1f", value);
    json_out_raw(out, key, slice_of(text));
}

static Outcome handle_history(Request *request, Response *response) {
    uint32_t index;
    StorePage page;
    StoreBot bot;
    StoreRatingPoint rows[STORE_PAGE_MAX];
    Error error;
    const Game *game = find_game(request, response, &index);
    if (!game || !api_page(request, response, &page))
        return OUTCOME_ANSWERED;
    Store *store = arena_of(request)->store;
    StoreResult result = store_bot_find(store, request_path(request, "owner"),
                                        request_path(request, "bot"), &bot, &error);
    if (result == STORE_OK && strcmp(bot.game, game->name) != 0)
        return problem(request, response, 404, "The bot %s/%s does not play %s.", bot.owner_name,
                       bot.name, game->name);
    if (result == STORE_OK)
        result = store_rating_history(store, bot.id, &page, rows, &error);
    if (result != STORE_OK)
        return problem_from_store(request, response, result, &error);
    JsonOut out = {.to = &response->bytes};
    api_list_open(&out);
    for (uint32_t i = 0; i < page.count; i++) {
        json_open(&out, NULL, '{');
        api_time(&out, "time", rows[i].time);
        json_out_uint(&out, "version", rows[i].version);
        number(&out, "rating", rows[i].rating);
        number(&out, "error", rows[i].error);
        json_out_uint(&out, "matches", rows[i].matches);
        json_close(&out, '}');
    }
    api_list_close(&out, &page);
    response_tag(response);
    return OUTCOME_ANSWERED;
}

/* ---- routes and schemas ---- */

#define GAME_PARAMETER \
 { "game", PARAMETER_TEXT, 0, 32, NULL, "the name of the game" }

static const Route routes[] = {
    {.method = METHOD_GET,
     .pattern = "/api/v1/ladders/{game}",
     .name = "ladder",
     .handle = handle_ladder,
     .scope = SCOPE_READ, /* no rate limit: a cached page costs less than counting */
     .summary = "Lists the bots on the ladder of a game, best first",
     .group = "ladders",
     .parameters = {GAME_PARAMETER, PAGE_PARAMETERS},
     .gives = "Ladder",
     .tagged = true},
    {.method = METHOD_GET,
     .pattern = "/api/v1/ladders/{game}/live",
     .name = "ladder_live",
     .handle = handle_live,
     .scope = SCOPE_READ,
     .rate = RATE_READ,
     .summary = "Streams the first 50 rows as the event ratings whenever they change",
     .group = "ladders",
     .parameters = {GAME_PARAMETER},
     .gives_type = TYPE_EVENTS,
     .events = "ratings=LadderChange"},
    {.method = METHOD_GET,
     .pattern = "/api/v1/ladders/{game}/bots/{owner}/{bot}",
     .name = "ladder_history",
     .handle = handle_history,
     .scope = SCOPE_READ,
     .rate = RATE_READ,
     .summary = "Lists the rating history of a bot, newest first",
     .group = "ladders",
     .parameters = {GAME_PARAMETER,
                    {"owner", PARAMETER_TEXT, 0, 32, NULL, "the bot's owner"},
                    {"bot", PARAMETER_TEXT, 0, 32, NULL, "the bot's name"},
                    PAGE_PARAMETERS},
     .gives = "LadderHistory",
     .tagged = true},
};

#define LADDER_ROW_REF REF_SCHEMA("LadderRow")
#define LADDER_CHANGE_ITEMS_SCHEMA ARRAY_SCHEMA(LADDER_ROW_REF)

static const Schema schemas[] = {
    {"LadderRow",
     SCHEMA_OBJECT("\"rank\",\"owner\",\"bot\",\"version\",\"rating\",\"error\",\"matches\","
                   "\"won\",\"drawn\",\"lost\"",
                   "\"rank\":" COUNT_SCHEMA ",\"owner\":" TEXT_SCHEMA ",\"bot\":" TEXT_SCHEMA
                   ",\"version\":" COUNT_SCHEMA ",\"rating\":" NUMBER_SCHEMA
                   ",\"error\":" NUMBER_SCHEMA ",\"matches\":" COUNT_SCHEMA ",\"won\":" COUNT_SCHEMA
                   ",\"drawn\":" COUNT_SCHEMA ",\"lost\":" COUNT_SCHEMA)},
    {"Ladder", SCHEMA_LIST("LadderRow")},
    {"LadderChange", SCHEMA_OBJECT("\"game\",\"items\"", "\"game\":" TEXT_SCHEMA
                                                         ",\"items\":" LADDER_CHANGE_ITEMS_SCHEMA)},
    {"LadderPoint",
     SCHEMA_OBJECT("\"time\",\"version\",\"rating\",\"error\",\"matches\"",
                   "\"time\":" TIME_SCHEMA ",\"version\":" COUNT_SCHEMA ",\"rating\":" NUMBER_SCHEMA
                   ",\"error\":" NUMBER_SCHEMA ",\"matches\":" COUNT_SCHEMA)},
    {"LadderHistory", SCHEMA_LIST("LadderPoint")},
};

const ApiGroup api_ladder = {routes, sizeof routes / sizeof *routes, schemas,
                             sizeof schemas / sizeof *schemas};
