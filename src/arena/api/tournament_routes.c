/* Routes for tournaments. Anyone can read them, organisers create and run them, owners enter their
   bots. The scheduler plays a started tournament. */
#include "arena/api/tournament_routes.h"

#include "arena/people/people.h"
#include "arena/play/play.h"
#include "arena/tournaments/tournaments.h"
#include "http/schemas.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PLAN_BODY_MAX = 1 << 20, ENTRY_BODY_MAX = 1024, SEEDING_BODY_MAX = 1 << 19 };

void tournaments_audit(const Request *request, const char *action, uint64_t id,
                       const char *detail) {
    char subject[40];
    snprintf(subject, sizeof subject, "tournament %" PRIu64, id);
    auth_audit(request, action, subject, detail);
    activity_tournament(arena_of(request), id);
}

/* ---- creating and changing ---- */

/* Rejects a plan, a seeding or an entry for a tournament that does not exist. */
static bool permit_existing(Request *request, Response *response) {
    Error error;
    StoreTournament row;
    StoreResult result =
        store_tournament_get(arena_of(request)->store, tournaments_id(request), &row, &error);
    if (result != STORE_OK)
        problem_from_store(request, response, result, &error);
    return result == STORE_OK;
}

/* The values of the configuration that exceed the game's own; 0 for the others, because a game's
   own values may exceed the limits. */
static GameTalk talk_of_config(const Plan *plan) {
    Error unread;
    GameTalk talk = {0};
    const GameTalk *usual = &plan->game->talk;
    GameFile config = plan_config(plan);
    GameFile map = plan_map(plan, 0);
    GameSetup *setup =
        config.name ? plan->game->setup(&config, &map, plan->players, &unread) : NULL;
    if (!setup)
        return talk;
    if (setup->talk.memory_kib > usual->memory_kib)
        talk.memory_kib = setup->talk.memory_kib;
    if (setup->talk.turn_ms > usual->turn_ms)
        talk.turn_ms = setup->talk.turn_ms;
    if (setup->talk.start_ms > usual->start_ms)
        talk.start_ms = setup->talk.start_ms;
    plan->game->setup_free(setup);
    return talk;
}

/* Organisers can give bots more than a game does, up to what the operator allows. */
static bool is_within_limits(const ArenaOptions *options, const Plan *plan, Error *error) {
    const MatchOverrides *overrides = &plan->overrides;
    const GameTalk talk = talk_of_config(plan);
    const struct {
        const char *field;
        uint64_t wanted;
        uint64_t most;
        const char *unit;
    } limits[] = {
        {"limits.memory", overrides->limits[LIMIT_MEMORY], options->bot_memory_max, " MiB"},
        {"limits.processes", overrides->limits[LIMIT_PROCESSES], options->bot_processes_max, ""},
        {"turn_time", overrides->turn_ms, options->turn_time_max, " ms"},
        {"start_time", overrides->start_ms, options->turn_time_max, " ms"},
        {"config", overrides->limits[LIMIT_MEMORY] ? 0 : (talk.memory_kib + 1023) >> 10,
         options->bot_memory_max, " MiB"},
        {"config", overrides->turn_ms ? 0 : talk.turn_ms, options->turn_time_max, " ms"},
        {"config", overrides->start_ms ? 0 : talk.start_ms, options->turn_time_max, " ms"},
    };
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        if (limits[i].wanted > limits[i].most) {
            error_set(error, "this arena allows at most %llu%s, not %llu",
                      (unsigned long long)limits[i].most, limits[i].unit,
                      (unsigned long long)limits[i].wanted);
            return error_about(error, limits[i].field);
        }
    return true;
}

/* Reads the plan in the body, and when the tournament starts. Answers with a problem and returns
   false on a mistake. Free the plan in any case. */
static bool body_plan(const Request *request, Response *response, Plan *plan, int64_t *starts) {
    JsonObject body;
    Error error;
    bool good = api_body(request, response, &body);
    *plan = (Plan){0};
    if (good &&
        (!tournament_plan_read(plan, &body, &error) ||
         !is_within_limits(&arena_of(request)->options, plan, &error) ||
         !tournament_starts_read(&body, store_now(arena_of(request)->store), starts, &error))) {
        api_body_problem(request, response, &error);
        good = false;
    }
    json_object_free(&body);
    return good;
}

static Outcome handle_create(Request *request, Response *response) {
    Error error;
    Plan plan;
    Buffer text = {0};
    uint64_t id;
    int64_t starts = 0;
    if (body_plan(request, response, &plan, &starts)) {
        plan_write(&plan, &text);
        StoreNewTournament new = {
            .starts = starts,
            .organiser = request->account,
            .name = plan.title,
            .game = plan.game->name,
            .format = format_name(plan.format),
            .plan = buffer_string(&text),
        };
        StoreResult result = store_tournament_add(arena_of(request)->store, &new, &id, &error);
        if (result == STORE_OK) {
            char location[64];
            snprintf(location, sizeof location, "/api/v1/tournaments/%" PRIu64, id);
            tournaments_audit(request, "tournament.create", id, plan.title);
            tournament_scheduler_notify(arena_of(request)->scheduler);
            tournaments_answer(request, response, id);
            if (response->status == 200) {
                response->status = 201;
                response_header(response, HEADER_LOCATION, slice_of(location));
            }
        } else {
            problem_from_store(request, response, result, &error);
        }
    }
    buffer_free(&text);
    plan_free(&plan);
    return OUTCOME_ANSWERED;
}

/* Replaces the plan of an open tournament, and when it starts. */
static void change_plan(const Request *request, Response *response, const StoredTournament *stored,
                        const Plan *plan, int64_t starts, const char *action) {
    Error error;
    Buffer text = {0};
    plan_write(plan, &text);
    StoreResult result =
        store_tournament_change(arena_of(request)->store, stored->row.id, TOURNAMENT_OPEN,
                                plan->title ? plan->title : stored->row.name,
                                format_name(plan->format), buffer_string(&text), &error);
    buffer_free(&text);
    if (result == STORE_OK && starts != stored->row.starts)
        result =
            store_tournament_schedule(arena_of(request)->store, stored->row.id, starts, "", &error);
    if (result != STORE_OK) {
        problem_from_store(request, response, result, &error);
        return;
    }
    tournaments_audit(request, action, stored->row.id, "");
    tournament_scheduler_notify(arena_of(request)->scheduler);
    tournaments_answer(request, response, stored->row.id);
}

static Outcome handle_change(Request *request, Response *response) {
    Error error;
    StoreResult result;
    Plan plan;
    StoredTournament *stored =
        stored_tournament_read(arena_of(request)->store, tournaments_id(request), &result, &error);
    if (!stored)
        return tournaments_problem(request, response, result, &error);
    int64_t starts = stored->row.starts;
    if (body_plan(request, response, &plan, &starts)) {
        if (strcmp(plan.game->name, stored->row.game) != 0) {
            problem_about(request, response, 422, "game",
                          "The game of a tournament cannot be changed. Create a new tournament.");
        } else {
            for (uint32_t i = 0; !stored->seeded && i < stored->plan.bot_count; i++)
                plan_add_bot(&plan, stored->plan.bots[i].name, stored->plan.bots[i].text);
            change_plan(request, response, stored, &plan, starts, "tournament.change");
        }
    }
    plan_free(&plan);
    stored_tournament_free(stored);
    return OUTCOME_ANSWERED;
}

/* The entrant "owner/bot", or NULL. */
static const StoredBot *entrant_of(const StoredTournament *stored, Slice name) {
    for (uint32_t i = 0; i < stored->bot_count; i++)
        if (slice_equals(name, stored->bots[i].name))
            return &stored->bots[i];
    return NULL;
}

/* Sets the bots of the plan from the list in the body. */
static bool read_seeding(const StoredTournament *stored, const JsonObject *body, Plan *plan,
                         Error *error) {
    static const char *const known[] = {"bots", NULL};
    uint32_t list;
    if (!json_object_allow_only(body, 0, known, error) ||
        !json_object_member(body, 0, "bots", JSON_ARRAY, &list, error))
        return false;
    if (list == JSON_NONE)
        return json_object_missing(body, 0, "bots", error);
    const JsonNode *nodes = body->json.nodes;
    for (uint32_t node = list + 1; node < nodes[list].next; node = nodes[node].next) {
        const StoredBot *bot =
            nodes[node].kind == JSON_STRING ? entrant_of(stored, nodes[node].text) : NULL;
        if (!bot)
            return json_object_error(body, node, error,
                                     "\"bots\" must be a list of entrants, each \"owner/bot\"");
        char text[40];
        snprintf(text, sizeof text, "bot %" PRIu64, bot->bot);
        for (uint32_t i = 0; i < plan->bot_count; i++)
            if (strcmp(plan->bots[i].text, text) == 0)
                return json_object_error(body, node, error, "%s is listed twice; remove one",
                                         bot->name);
        plan_add_bot(plan, text, text);
    }
    return true;
}

static Outcome handle_seeding(Request *request, Response *response) {
    Error error;
    StoreResult result;
    JsonObject body;
    StoredTournament *stored =
        stored_tournament_read(arena_of(request)->store, tournaments_id(request), &result, &error);
    if (!stored)
        return tournaments_problem(request, response, result, &error);
    if (api_body(request, response, &body)) {
        Plan *plan = &stored->plan;
        for (uint32_t i = 0; i < plan->bot_count; i++) {
            free(plan->bots[i].name);
            free(plan->bots[i].text);
        }
        plan->bot_count = 0;
        if (read_seeding(stored, &body, plan, &error))
            change_plan(request, response, stored, plan, stored->row.starts, "tournament.seed");
        else
            api_body_problem(request, response, &error);
    }
    json_object_free(&body);
    stored_tournament_free(stored);
    return OUTCOME_ANSWERED;
}

/* ---- the table ---- */

#define TOURNAMENT_MATCH_PLAYERS_ITEM_SCHEMA \
 SCHEMA_OBJECT("\"bot\",\"name\",\"rank\"",  \
               "\"bot\":" INTEGER_SCHEMA ",\"name\":" TEXT_SCHEMA ",\"rank\":" INTEGER_SCHEMA)
#define TOURNAMENT_MATCH_PLAYERS_SCHEMA ARRAY_SCHEMA(TOURNAMENT_MATCH_PLAYERS_ITEM_SCHEMA)
#define TOURNAMENT_TABLE_BOTS_ITEM_SCHEMA                                                      \
 SCHEMA_OBJECT("\"bot\",\"name\",\"place\",\"matches\",\"wins\",\"draws\",\"losses\","         \
               "\"points\"",                                                                   \
               "\"bot\":" INTEGER_SCHEMA ",\"name\":" TEXT_SCHEMA ",\"place\":" INTEGER_SCHEMA \
               ",\"matches\":" INTEGER_SCHEMA ",\"wins\":" INTEGER_SCHEMA                      \
               ",\"draws\":" INTEGER_SCHEMA ",\"losses\":" INTEGER_SCHEMA                      \
               ",\"points\":" NUMBER_SCHEMA)
#define TOURNAMENT_TABLE_BOTS_SCHEMA ARRAY_SCHEMA(TOURNAMENT_TABLE_BOTS_ITEM_SCHEMA)
#define TOURNAMENT_SPEED_SCHEMA                                                              \
 "{\"type\":\"integer\",\"minimum\":1,\"maximum\":100000,\"description\":\"of the machines " \
 "that play, in percent of the reference\"}"
#define TOURNAMENT_FORMAT_SCHEMA ENUM_SCHEMA(FORMAT_NAMES)
#define TOURNAMENT_PLAN_MAPS_ITEM_NAME_SCHEMA \
 SCHEMA_OBJECT("\"name\",\"text\"", "\"name\":" TEXT_SCHEMA ",\"text\":" TEXT_SCHEMA)
#define TOURNAMENT_STATE_SCHEMA ENUM_SCHEMA(TOURNAMENT_STATES)
#define TOURNAMENT_MAPS_SCHEMA ARRAY_SCHEMA(TEXT_SCHEMA)
#define TOURNAMENT_LINKS_SCHEMA                                                               \
 SCHEMA_OBJECT("\"matches\",\"entrants\",\"standings\",\"live\",\"csv\",\"html\"",            \
               "\"matches\":" TEXT_SCHEMA ",\"entrants\":" TEXT_SCHEMA                        \
               ",\"standings\":" TEXT_SCHEMA ",\"live\":" TEXT_SCHEMA ",\"csv\":" TEXT_SCHEMA \
               ",\"html\":" TEXT_SCHEMA)
#define STANDINGS_BOTS_ITEM_SWISS_SCHEMA                                  \
 SCHEMA_OBJECT("\"points\",\"buchholz\",\"byes\"",                        \
               "\"points\":" NUMBER_SCHEMA ",\"buchholz\":" NUMBER_SCHEMA \
               ",\"byes\":" INTEGER_SCHEMA)
#define STANDINGS_BOTS_ITEM_SCHEMA                                                                \
 SCHEMA_OBJECT(                                                                                   \
     "\"bot\",\"name\",\"place\",\"rating\",\"error\",\"matches\",\"wins\","                      \
     "\"draws\",\"losses\",\"points\",\"points_most\",\"turns\",\"wall_ms\","                     \
     "\"wall_longest_ms\",\"cpu_ms\",\"timeouts\",\"graces\",\"crashes\",\"refused\"",            \
     "\"bot\":" INTEGER_SCHEMA ",\"name\":" TEXT_SCHEMA ",\"place\":" INTEGER_SCHEMA              \
     ",\"rating\":" NUMBER_OR_NULL_SCHEMA ",\"error\":" NUMBER_OR_NULL_SCHEMA                     \
     ",\"matches\":" INTEGER_SCHEMA ",\"wins\":" INTEGER_SCHEMA ",\"draws\":" INTEGER_SCHEMA      \
     ",\"losses\":" INTEGER_SCHEMA ",\"points\":" NUMBER_SCHEMA ",\"points_most\":" NUMBER_SCHEMA \
     ",\"turns\":" INTEGER_SCHEMA ",\"wall_ms\":" NUMBER_SCHEMA                                   \
     ",\"wall_longest_ms\":" NUMBER_SCHEMA ",\"cpu_ms\":" NUMBER_SCHEMA                           \
     ",\"timeouts\":" INTEGER_SCHEMA ",\"graces\":" INTEGER_SCHEMA ",\"crashes\":" INTEGER_SCHEMA \
     ",\"refused\":" INTEGER_SCHEMA ",\"swiss\":" STANDINGS_BOTS_ITEM_SWISS_SCHEMA)
#define STANDINGS_BOTS_SCHEMA ARRAY_SCHEMA(STANDINGS_BOTS_ITEM_SCHEMA)
#define STANDINGS_PAIRS_ITEM_SCHEMA                                                         \
 SCHEMA_OBJECT("\"a\",\"b\",\"wins\",\"draws\",\"losses\",\"superiority\"",                 \
               "\"a\":" INTEGER_SCHEMA ",\"b\":" INTEGER_SCHEMA ",\"wins\":" INTEGER_SCHEMA \
               ",\"draws\":" INTEGER_SCHEMA ",\"losses\":" INTEGER_SCHEMA                   \
               ",\"superiority\":" NUMBER_OR_NULL_SCHEMA)
#define STANDINGS_PAIRS_SCHEMA ARRAY_SCHEMA(STANDINGS_PAIRS_ITEM_SCHEMA)
#define STANDINGS_BRACKET_ITEM_PLACES_ITEM_SCHEMA \
 SCHEMA_OBJECT("\"bot\",\"points\"", "\"bot\":" INTEGER_OR_NULL_SCHEMA ",\"points\":" NUMBER_SCHEMA)
#define STANDINGS_BRACKET_ITEM_PLACES_SCHEMA ARRAY_SCHEMA(STANDINGS_BRACKET_ITEM_PLACES_ITEM_SCHEMA)
#define STANDINGS_BRACKET_ITEM_SCHEMA                                                          \
 SCHEMA_OBJECT("\"side\",\"round\",\"position\",\"places\",\"bye\",\"by_seeding\",\"winner\"", \
               "\"side\":"                                                                     \
               "{\"enum\":[\"winners\",\"losers\",\"final\"]}"                                 \
               ",\"round\":" INTEGER_SCHEMA ",\"position\":" INTEGER_SCHEMA                    \
               ",\"places\":" STANDINGS_BRACKET_ITEM_PLACES_SCHEMA ",\"bye\":" BOOL_SCHEMA     \
               ",\"by_seeding\":" BOOL_SCHEMA ",\"winner\":" INTEGER_OR_NULL_SCHEMA)
#define STANDINGS_HISTORY_ITEM_RATINGS_SCHEMA ARRAY_SCHEMA(NUMBER_OR_NULL_SCHEMA)
#define STANDINGS_HISTORY_ITEM_SCHEMA                                   \
 SCHEMA_OBJECT("\"matches\",\"ratings\"", "\"matches\":" INTEGER_SCHEMA \
                                          ",\"ratings\":" STANDINGS_HISTORY_ITEM_RATINGS_SCHEMA)
#define STANDINGS_HISTORY_SCHEMA ARRAY_SCHEMA(STANDINGS_HISTORY_ITEM_SCHEMA)

static const Schema schemas[] = {
    {"TournamentMatch",
     SCHEMA_OBJECT("\"match\",\"fixture\",\"leg\",\"round\",\"state\",\"players\"",
                   "\"match\":" INTEGER_SCHEMA ",\"fixture\":" INTEGER_SCHEMA
                   ",\"leg\":" INTEGER_SCHEMA ",\"round\":" INTEGER_SCHEMA ",\"state\":"
                   "{\"enum\":[\"pending\",\"played\",\"forfeited\",\"void\"]}"
                   ",\"players\":" TOURNAMENT_MATCH_PLAYERS_SCHEMA)},
    {"TournamentTable",
     SCHEMA_OBJECT("\"tournament\",\"finished\",\"matches\",\"bots\"",
                   "\"tournament\":" INTEGER_SCHEMA ",\"finished\":" BOOL_SCHEMA
                   ",\"matches\":" INTEGER_SCHEMA ",\"bots\":" TOURNAMENT_TABLE_BOTS_SCHEMA)},
    {"TournamentPlan",
     SCHEMA_OBJECT(
         "\"name\",\"game\",\"format\"",
         "\"name\":"
         "{\"type\":\"string\",\"minLength\":1,\"maxLength\":96}"
         ",\"game\":" TEXT_SCHEMA ",\"format\":" TOURNAMENT_FORMAT_SCHEMA ",\"rounds\":"
         "{\"type\":\"integer\",\"minimum\":1}"
         ",\"games\":"
         "{\"type\":\"integer\",\"minimum\":1,\"maximum\":100000,\"description\":"
         "\"pairs of matches per meeting, both seats; with more than two players, how "
         "often each bot plays in every seat. Default: once per map\"}"
         ",\"players\":"
         "{\"type\":\"integer\",\"minimum\":2,\"maximum\":64}"
         ",\"maps\":"
         "{\"type\":\"array\",\"maxItems\":100,\"items\":"
         "{\"oneOf\":[" TEXT_SCHEMA "," TOURNAMENT_PLAN_MAPS_ITEM_NAME_SCHEMA "]}"
         "}"
         ",\"config\":" TEXT_SCHEMA ",\"challengers\":"
         "{\"type\":\"integer\",\"minimum\":1}"
         ",\"error\":"
         "{\"type\":\"number\",\"minimum\":0,\"maximum\":4000}"
         ",\"seed\":" COUNT_SCHEMA ",\"turn_time\":"
         "{\"type\":\"integer\",\"minimum\":1,\"maximum\":3600000}"
         ",\"start_time\":"
         "{\"type\":\"integer\",\"minimum\":1,\"maximum\":3600000}"
         ",\"speed_min\":" TOURNAMENT_SPEED_SCHEMA ",\"speed_max\":" TOURNAMENT_SPEED_SCHEMA
         ",\"ponder\":" BOOL_SCHEMA ",\"limits\":"
         "{\"type\":\"object\",\"additionalProperties\":"
         "{\"type\":\"integer\",\"minimum\":1}"
         "}"
         ",\"starts\":"
         "{\"type\":[\"string\",\"null\"],\"format\":\"date-time\",\"description\":"
         "\"when it starts automatically and entries close; null: when an organiser starts "
         "it\"}")},
    {"TournamentStart",
     SCHEMA_OBJECT("\"starts\"", "\"starts\":"
                                 "{\"type\":[\"string\",\"null\"],\"format\":\"date-time\"}")},
    {"Tournament",
     SCHEMA_OBJECT(
         "\"id\",\"name\",\"game\",\"format\",\"state\",\"organiser\",\"created\","
         "\"started\",\"ended\",\"starts\",\"start_problem\",\"entrants\",\"seeding\","
         "\"players\",\"games\",\"matches_per_meeting\",\"rounds\",\"challengers\",\"error\","
         "\"seed\",\"turn_time\",\"start_time\",\"speed_min\",\"speed_max\",\"without_worker\","
         "\"ponder\",\"limits\",\"maps\",\"config\",\"links\"",
         "\"id\":" INTEGER_SCHEMA ",\"name\":" TEXT_SCHEMA ",\"game\":" TEXT_SCHEMA
         ",\"format\":" TOURNAMENT_FORMAT_SCHEMA ",\"state\":" TOURNAMENT_STATE_SCHEMA
         ",\"organiser\":" TEXT_SCHEMA ",\"created\":" TIME_SCHEMA
         ",\"started\":" TIME_OR_NULL_SCHEMA ",\"ended\":" TIME_OR_NULL_SCHEMA
         ",\"starts\":" TIME_OR_NULL_SCHEMA ",\"start_problem\":"
         "{\"type\":[\"string\",\"null\"],\"description\":\"why it did not start "
         "automatically\"}"
         ",\"entrants\":" INTEGER_SCHEMA ",\"seeding\":"
         "{\"enum\":[\"rating\",\"given\"]}"
         ",\"players\":" INTEGER_SCHEMA ",\"games\":" INTEGER_SCHEMA ",\"matches_per_meeting\":"
         "{\"type\":\"integer\",\"description\":\"games times players\"}"
         ",\"rounds\":" INTEGER_OR_NULL_SCHEMA ",\"challengers\":" INTEGER_OR_NULL_SCHEMA
         ",\"error\":" NUMBER_OR_NULL_SCHEMA ",\"seed\":" INTEGER_SCHEMA
         ",\"turn_time\":" INTEGER_OR_NULL_SCHEMA ",\"start_time\":" INTEGER_OR_NULL_SCHEMA
         ",\"speed_min\":" INTEGER_OR_NULL_SCHEMA ",\"speed_max\":" INTEGER_OR_NULL_SCHEMA
         ",\"without_worker\":"
         "{\"type\":\"boolean\",\"description\":\"its matches cannot start now, because no running "
         "worker has a speed in this range\"}"
         ",\"ponder\":" BOOL_SCHEMA ",\"limits\":"
         "{\"type\":\"object\",\"additionalProperties\":"
         "{\"type\":\"integer\",\"minimum\":1}"
         "}"
         ",\"maps\":" TOURNAMENT_MAPS_SCHEMA ",\"config\":" TEXT_OR_NULL_SCHEMA
         ",\"links\":" TOURNAMENT_LINKS_SCHEMA)},
    {"TournamentRow",
     SCHEMA_OBJECT("\"id\",\"name\",\"game\",\"format\",\"state\",\"organiser\",\"created\","
                   "\"started\",\"ended\",\"starts\"",
                   "\"id\":" INTEGER_SCHEMA ",\"name\":" TEXT_SCHEMA ",\"game\":" TEXT_SCHEMA
                   ",\"format\":" TOURNAMENT_FORMAT_SCHEMA ",\"state\":" TOURNAMENT_STATE_SCHEMA
                   ",\"organiser\":" TEXT_SCHEMA ",\"created\":" TIME_SCHEMA
                   ",\"started\":" TIME_OR_NULL_SCHEMA ",\"ended\":" TIME_OR_NULL_SCHEMA
                   ",\"starts\":" TIME_OR_NULL_SCHEMA)},
    {"TournamentPage", SCHEMA_LIST("TournamentRow")},
    {"Entry", SCHEMA_OBJECT("\"owner\",\"bot\"", "\"owner\":" TEXT_SCHEMA ",\"bot\":" TEXT_SCHEMA)},
    {"Entrant",
     SCHEMA_OBJECT("\"bot\",\"owner\",\"name\",\"version\",\"entered\"",
                   "\"bot\":" INTEGER_SCHEMA ",\"owner\":" TEXT_SCHEMA ",\"name\":" TEXT_SCHEMA
                   ",\"version\":" INTEGER_SCHEMA ",\"entered\":" TIME_SCHEMA)},
    {"EntrantPage", SCHEMA_LIST("Entrant")},
    {"Seeding", SCHEMA_OBJECT("\"bots\"", "\"bots\":" TOURNAMENT_MAPS_SCHEMA)},
    {"Standings",
     SCHEMA_OBJECT("\"title\",\"game\",\"format\",\"seed\",\"finished\",\"matches\",\"bots\","
                   "\"pairs\",\"bracket\",\"history\"",
                   "\"title\":" TEXT_SCHEMA ",\"game\":" TEXT_SCHEMA ",\"format\":" TEXT_SCHEMA
                   ",\"seed\":" INTEGER_SCHEMA ",\"finished\":" BOOL_SCHEMA
                   ",\"matches\":" INTEGER_SCHEMA ",\"bots\":" STANDINGS_BOTS_SCHEMA
                   ",\"pairs\":" STANDINGS_PAIRS_SCHEMA ",\"bracket\":"
                   "{\"type\":[\"array\",\"null\"],\"items\":" STANDINGS_BRACKET_ITEM_SCHEMA "}"
                   ",\"history\":" STANDINGS_HISTORY_SCHEMA)},
};

#define ONE "/api/v1/tournaments/{tournament}"
#define ID \
 { "tournament", PARAMETER_NUMBER, 1, INT64_MAX, NULL, "the id of the tournament" }

static const Route routes[] = {
    {.method = METHOD_GET,
     .pattern = "/api/v1/tournaments",
     .name = "tournaments_list",
     .handle = tournaments_handle_list,
     .scope = SCOPE_READ,
     .rate = RATE_READ,
     .summary = "Lists tournaments, newest first",
     .group = "tournaments",
     .parameters = {{"game", PARAMETER_TEXT, 0, STORE_GAME_SIZE - 1, NULL,
                     "only tournaments of this game"},
                    PAGE_PARAMETERS},
     .gives = "TournamentPage",
     .tagged = true},
    {.method = METHOD_POST,
     .pattern = "/api/v1/tournaments",
     .name = "tournament_create",
     .handle = handle_create,
     .scope = SCOPE_ORGANISE,
     .needs = NEEDS_ORGANISER,
     .rate = RATE_WRITE,
     .body_max = PLAN_BODY_MAX,
     .summary = "Creates a tournament that bots can enter",
     .group = "tournaments",
     .takes = "TournamentPlan",
     .gives = "Tournament",
     .gives_status = 201},
    {.method = METHOD_GET,
     .pattern = ONE,
     .name = "tournament_get",
     .handle = tournaments_handle_get,
     .scope = SCOPE_READ,
     .rate = RATE_READ,
     .summary = "Returns a tournament and its plan",
     .group = "tournaments",
     .parameters = {ID},
     .gives = "Tournament",
     .tagged = true},
    {.method = METHOD_PUT,
     .pattern = ONE,
     .name = "tournament_change",
     .handle = handle_change,
     .permit = permit_existing,
     .scope = SCOPE_ORGANISE,
     .needs = NEEDS_ORGANISER,
     .rate = RATE_WRITE,
     .body_max = PLAN_BODY_MAX,
     .summary = "Replaces the plan of an open tournament. The game and the entrants stay",
     .group = "tournaments",
     .parameters = {ID},
     .takes = "TournamentPlan",
     .gives = "Tournament"},
    {.method = METHOD_POST,
     .pattern = ONE "/start",
     .name = "tournament_start",
     .handle = tournaments_handle_start,
     .scope = SCOPE_ORGANISE,
     .needs = NEEDS_ORGANISER,
     .rate = RATE_WRITE,
     .summary = "Starts a tournament. After that, nobody can enter or withdraw",
     .group = "tournaments",
     .parameters = {ID},
     .gives = "Tournament"},
    {.method = METHOD_PUT,
     .pattern = ONE "/starts",
     .name = "tournament_schedule",
     .handle = tournaments_handle_schedule,
     .permit = permit_existing,
     .scope = SCOPE_ORGANISE,
     .needs = NEEDS_ORGANISER,
     .rate = RATE_WRITE,
     .body_max = ENTRY_BODY_MAX,
     .summary =
         "Sets when an open tournament starts automatically; with null, an organiser starts it",
     .group = "tournaments",
     .parameters = {ID},
     .takes = "TournamentStart",
     .gives = "Tournament"},
    {.method = METHOD_POST,
     .pattern = ONE "/call-off",
     .name = "tournament_call_off",
     .handle = tournaments_handle_call_off,
     .scope = SCOPE_ORGANISE,
     .needs = NEEDS_ORGANISER,
     .rate = RATE_WRITE,
     .summary = "Cancels a tournament and its waiting matches",
     .group = "tournaments",
     .parameters = {ID},
     .gives = "Tournament"},
    {.method = METHOD_PUT,
     .pattern = ONE "/seeding",
     .name = "tournament_seed",
     .handle = handle_seeding,
     .permit = permit_existing,
     .scope = SCOPE_ORGANISE,
     .needs = NEEDS_ORGANISER,
     .rate = RATE_WRITE,
     .body_max = SEEDING_BODY_MAX,
     .summary =
         "Sets the seeding of an open tournament, strongest first. Other entrants follow by rating",
     .group = "tournaments",
     .parameters = {ID},
     .takes = "Seeding",
     .gives = "Tournament"},
    {.method = METHOD_GET,
     .pattern = ONE "/entrants",
     .name = "tournament_entrants",
     .handle = tournaments_handle_entrants,
     .scope = SCOPE_READ,
     .rate = RATE_READ,
     .summary = "Lists the entrants, the latest first",
     .group = "tournaments",
     .parameters = {ID, PAGE_PARAMETERS},
     .gives = "EntrantPage",
     .tagged = true},
    {.method = METHOD_POST,
     .pattern = ONE "/entrants",
     .name = "tournament_enter",
     .handle = tournaments_handle_enter,
     .permit = permit_existing,
     .scope = SCOPE_PLAY,
     .needs = NEEDS_SESSION,
     .rate = RATE_WRITE,
     .body_max = ENTRY_BODY_MAX,
     .summary = "Enters a bot with its active version",
     .group = "tournaments",
     .parameters = {ID},
     .takes = "Entry",
     .gives = "Entrant",
     .gives_status = 201},
    {.method = METHOD_DELETE,
     .pattern = ONE "/entrants/{owner}/{bot}",
     .name = "tournament_leave",
     .handle = tournaments_handle_leave,
     .scope = SCOPE_PLAY,
     .needs = NEEDS_SESSION,
     .rate = RATE_WRITE,
     .summary = "Withdraws a bot from an open tournament",
     .group = "tournaments",
     .parameters = {ID,
                    {"owner", PARAMETER_TEXT, 0, STORE_NAME_SIZE - 1, NULL,
                     "the name of the owner's account"},
                    {"bot", PARAMETER_TEXT, 0, STORE_NAME_SIZE - 1, NULL, "the name of the bot"}},
     .gives_status = 204},
    {.method = METHOD_GET,
     .pattern = ONE "/standings",
     .name = "tournament_standings",
     .handle = tournaments_handle_standings,
     .scope = SCOPE_READ,
     .rate = RATE_READ,
     .summary =
         "Returns the table, cross table, bracket and rating history. Bots are numbered by seeding",
     .group = "tournaments",
     .parameters = {ID},
     .gives = "Standings",
     .tagged = true},
    {.method = METHOD_GET,
     .pattern = ONE "/standings.csv",
     .name = "tournament_csv",
     .handle = tournaments_handle_csv,
     .scope = SCOPE_READ,
     .rate = RATE_PLAY,
     .summary = "Returns the standings as CSV",
     .group = "tournaments",
     .parameters = {ID},
     .gives_type = TYPE_TEXT},
    {.method = METHOD_GET,
     .pattern = ONE "/report.html",
     .name = "tournament_html",
     .handle = tournaments_handle_html,
     .scope = SCOPE_READ,
     .rate = RATE_PLAY,
     .summary = "Returns the report as an HTML page",
     .group = "tournaments",
     .parameters = {ID},
     .gives_type = TYPE_HTML},
    {.method = METHOD_GET,
     .pattern = ONE "/live",
     .name = "tournament_live",
     .handle = tournaments_handle_live,
     .scope = SCOPE_READ,
     .rate = RATE_READ,
     .summary = "Streams the events match and standings",
     .group = "tournaments",
     .parameters = {ID},
     .gives_type = TYPE_EVENTS,
     .events = "match=TournamentMatch standings=TournamentTable"},
};

const ApiGroup api_tournaments = {routes, sizeof routes / sizeof *routes, schemas,
                                  sizeof schemas / sizeof *schemas};
