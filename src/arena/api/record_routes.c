/* Routes that count results: a bot's record against its opponents, and the achievements of a
   person's bots. */
#include "arena/api/bot_routes.h"
#include "arena/people/people.h"
#include "http/schemas.h"

enum { HOUSE_BOTS_MAX = 256 }; /* listed among the achievements */

/* ---- opponents ---- */

static void write_counts(JsonOut *out, const StoreRecord *record) {
    json_out_uint(out, "matches", record->matches);
    json_out_uint(out, "won", record->won);
    json_out_uint(out, "drawn", record->drawn);
    json_out_uint(out, "lost", record->lost);
}

static Outcome handle_opponents(Request *request, Response *response) {
    StoreBot bot;
    StorePage page;
    StoreRecord rows[STORE_PAGE_MAX];
    Error error;
    if (!api_page(request, response, &page) || !bots_of_path(request, response, &bot))
        return OUTCOME_ANSWERED;
    StoreResult result = store_records_list(arena_of(request)->store, bot.id, &page, rows, &error);
    if (result != STORE_OK)
        return problem_from_store(request, response, result, &error);
    JsonOut out = {.to = &response->bytes};
    api_list_open(&out);
    for (uint32_t i = 0; i < page.count; i++) {
        json_open(&out, NULL, '{');
        json_out_text(&out, "owner", rows[i].owner_name);
        json_out_text(&out, "name", rows[i].name);
        write_counts(&out, &rows[i]);
        json_close(&out, '}');
    }
    api_list_close(&out, &page);
    response_tag(response);
    return OUTCOME_ANSWERED;
}

static Outcome handle_opponent(Request *request, Response *response) {
    Store *store = arena_of(request)->store;
    StoreBot bot;
    StoreBot opponent;
    StoreRecord record;
    Error error;
    if (!bots_of_path(request, response, &bot))
        return OUTCOME_ANSWERED;
    StoreResult result = store_bot_find(store, request_path(request, "opponent_owner"),
                                        request_path(request, "opponent"), &opponent, &error);
    if (result == STORE_OK)
        result = store_record_get(store, bot.id, opponent.id, &record, &error);
    if (result != STORE_OK)
        return problem_from_store(request, response, result, &error);
    JsonOut out = {.to = &response->bytes};
    json_open(&out, NULL, '{');
    json_out_text(&out, "owner", opponent.owner_name);
    json_out_text(&out, "name", opponent.name);
    write_counts(&out, &record);
    json_close(&out, '}');
    response_tag(response);
    return OUTCOME_ANSWERED;
}

/* ---- achievements ---- */

static void write_house_win(JsonOut *out, const StoreHouseWin *win) {
    json_open(out, NULL, '{');
    json_out_text(out, "game", win->game);
    json_out_text(out, "house_bot", win->house_bot);
    if (win->match) {
        json_out_text(out, "bot", win->by);
        json_out_uint(out, "match", win->match);
    } else {
        json_out_null(out, "bot");
        json_out_null(out, "match");
    }
    api_time(out, "time", win->time);
    json_close(out, '}');
}

static void write_streak(JsonOut *out, const StoreStreak *streak) {
    if (!streak->length) {
        json_out_null(out, "longest_streak");
        return;
    }
    json_open(out, "longest_streak", '{');
    json_out_text(out, "bot", streak->bot);
    json_out_text(out, "game", streak->game);
    json_out_uint(out, "length", streak->length);
    json_out_uint(out, "last_match", streak->last);
    json_close(out, '}');
}

static Outcome handle_achievements(Request *request, Response *response) {
    Store *store = arena_of(request)->store;
    StoreAccount account;
    StoreHouseWin wins[HOUSE_BOTS_MAX];
    uint32_t count = HOUSE_BOTS_MAX;
    StoreStreak streak;
    Error error;
    StoreResult result =
        store_account_find(store, request_path(request, "person"), &account, &error);
    if (result == STORE_OK)
        result = store_house_wins(store, account.id, wins, &count, &error);
    if (result == STORE_OK)
        result = store_longest_streak(store, account.id, &streak, &error);
    if (result != STORE_OK)
        return problem_from_store(request, response, result, &error);
    JsonOut out = {.to = &response->bytes};
    json_open(&out, NULL, '{');
    json_open(&out, "house_bots", '[');
    for (uint32_t i = 0; i < count; i++)
        write_house_win(&out, &wins[i]);
    json_close(&out, ']');
    write_streak(&out, &streak);
    json_close(&out, '}');
    response_tag(response);
    return OUTCOME_ANSWERED;
}

/* ---- routes and schemas ---- */

#define OPPONENTS_PATH "/api/v1/bots/{owner}/{bot}/opponents"
static const Route routes[] = {
    {.method = METHOD_GET,
     .pattern = OPPONENTS_PATH,
     .name = "opponents",
     .handle = handle_opponents,
     .scope = SCOPE_READ,
     .rate = RATE_READ,
     .summary = "Counts a bot's results against each opponent over all matches, the most frequent "
                "opponent first",
     .group = "bots",
     .parameters = {OWNER_PARAMETER, BOT_PARAMETER, PAGE_PARAMETERS},
     .gives = "Opponents",
     .tagged = true},
    {.method = METHOD_GET,
     .pattern = OPPONENTS_PATH "/{opponent_owner}/{opponent}",
     .name = "opponent",
     .handle = handle_opponent,
     .scope = SCOPE_READ,
     .rate = RATE_READ,
     .summary = "Counts a bot's results against one opponent over all matches",
     .group = "bots",
     .parameters = {OWNER_PARAMETER,
                    BOT_PARAMETER,
                    {"opponent_owner", PARAMETER_TEXT, 0, 32, NULL, "the opponent's owner"},
                    {"opponent", PARAMETER_TEXT, 0, 32, NULL, "the opponent's name"}},
     .gives = "Opponent",
     .tagged = true},
    {.method = METHOD_GET,
     .pattern = "/api/v1/people/{person}/achievements",
     .name = "achievements",
     .handle = handle_achievements,
     .scope = SCOPE_READ,
     .rate = RATE_READ,
     .summary = "Returns the first win of a person's bots against each house bot and their longest "
                "winning streak, in ladder and tournament matches",
     .group = "accounts",
     .parameters = {{"person", PARAMETER_TEXT, 0, 64, NULL, "the name of the account"}},
     .gives = "Achievements",
     .tagged = true},
};

#define HOUSE_WINS_SCHEMA ARRAY_SCHEMA(REF_SCHEMA("HouseBotWin"))
#define STREAK_OR_NULL_SCHEMA OR_NULL_SCHEMA("Streak")

static const Schema schemas[] = {
    {"Opponent",
     SCHEMA_OBJECT("\"owner\",\"name\",\"matches\",\"won\",\"drawn\",\"lost\"",
                   "\"owner\":" TEXT_SCHEMA ",\"name\":" TEXT_SCHEMA ",\"matches\":" COUNT_SCHEMA
                   ",\"won\":" COUNT_SCHEMA ",\"drawn\":" COUNT_SCHEMA ",\"lost\":" COUNT_SCHEMA)},
    {"Opponents", SCHEMA_LIST("Opponent")},
    {"HouseBotWin",
     SCHEMA_OBJECT("\"game\",\"house_bot\",\"bot\",\"match\",\"time\"",
                   "\"game\":" TEXT_SCHEMA ",\"house_bot\":" TEXT_SCHEMA
                   ",\"bot\":" TEXT_OR_NULL_SCHEMA ",\"match\":" INTEGER_OR_NULL_SCHEMA
                   ",\"time\":" TIME_OR_NULL_SCHEMA)},
    {"Streak", SCHEMA_OBJECT("\"bot\",\"game\",\"length\",\"last_match\"",
                             "\"bot\":" TEXT_SCHEMA ",\"game\":" TEXT_SCHEMA
                             ",\"length\":" COUNT_SCHEMA ",\"last_match\":" COUNT_SCHEMA)},
    {"Achievements", SCHEMA_OBJECT("\"house_bots\",\"longest_streak\"",
                                   "\"house_bots\":" HOUSE_WINS_SCHEMA
                                   ",\"longest_streak\":" STREAK_OR_NULL_SCHEMA)},
};

const ApiGroup api_records = {routes, sizeof routes / sizeof *routes, schemas,
                              sizeof schemas / sizeof *schemas};
