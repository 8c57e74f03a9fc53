/* Routes for the analysis of a match: where it was decided, and which orders cost a player the
   match. People request it for matches that they requested or in which their bots play; everyone
   can read the result. */
#include "arena/api/match_json.h"
#include "arena/api/match_routes.h"
#include "arena/disk.h"
#include "arena/people/people.h"
#include "arena/play/play.h"
#include "http/schemas.h"

#include <inttypes.h>
#include <stdio.h>

/* Whether the caller requested the match, plays in it, or is an administrator. */
static bool is_own(const Request *request, const StoreMatch *match) {
    bool own = request->role >= ROLE_ADMINISTRATOR ||
               (match->requester && match->requester == request->account);
    for (uint32_t i = 0; !own && i < match->players; i++) {
        StoreBot bot;
        Error error;
        own = match->seats[i].bot &&
              store_bot_get(arena_of(request)->store, match->seats[i].bot, &bot, &error) ==
                  STORE_OK &&
              bot.owner == request->account;
    }
    return own;
}

bool match_is_analysable(const Request *request, const StoreMatch *match) {
    return arena_of(request)->options.analyses_per_hour && request->account &&
           match->state == MATCH_OVER && match->replay.name[0] && is_own(request, match);
}

/* ---- reading ---- */

static void write_analysis(const Arena *arena, uint64_t match, const StoreAnalysis *analysis,
                           Slice result, Buffer *to) {
    uint32_t done = 0;
    uint32_t total = 0;
    JsonOut out = {.to = to};
    if (analysis->state == ANALYSIS_RUNNING)
        engine_analysis_progress(arena->engine, match, &done, &total);
    json_open(&out, NULL, '{');
    json_out_uint(&out, "match", match);
    analysis_state_json(&out, "state", analysis->state);
    json_out_uint(&out, "done", done);
    json_out_uint(&out, "total", total);
    api_time(&out, "ended", analysis->time);
    if (analysis->failure[0])
        json_out_text(&out, "failure", analysis->failure);
    else
        json_out_null(&out, "failure");
    if (result.length)
        json_out_raw(&out, "result", result);
    else
        json_out_null(&out, "result");
    json_close(&out, '}');
}

/* Answers with the analysis as it is now. */
static Outcome answer_analysis(const Request *request, Response *response, uint64_t match) {
    const Arena *arena = arena_of(request);
    StoreAnalysis analysis;
    Buffer text = {0};
    Error error;
    StoreResult result = store_analysis_get(arena->store, match, &analysis, &text, &error);
    Slice json = {text.data, text.length};
    while (json.length && json.at[json.length - 1] == '\n')
        json.length--;
    if (result != STORE_OK)
        problem_from_store(request, response, result, &error);
    else
        write_analysis(arena, match, &analysis, json, &response->bytes);
    buffer_free(&text);
    return OUTCOME_ANSWERED;
}

static Outcome handle_analysis(Request *request, Response *response) {
    StoreMatches matches;
    if (match_of_path(request, response, &matches)) {
        answer_analysis(request, response, matches.rows[0].id);
        if (response->status == 200)
            response_tag(response);
    }
    store_matches_free(&matches);
    return OUTCOME_ANSWERED;
}

/* ---- requesting ---- */

static Outcome request_analysis(const Request *request, Response *response,
                                const StoreMatch *match) {
    Arena *arena = arena_of(request);
    uint32_t wait = 0;
    Error error;
    char id[REQUEST_ID_TEXT];
    request_id_text(request, id);
    StoreResult result = store_queue_analysis(arena->store, match->id, request->account,
                                              arena->options.analyses_per_hour, id, &wait, &error);
    if (result == STORE_BUSY)
        return problem_retry(request, response, 429, wait, error.text);
    if (result != STORE_OK)
        return problem_from_store(request, response, result, &error);
    engine_wake(arena->engine);
    answer_analysis(request, response, match->id);
    if (response->status == 200)
        response->status = 202;
    return OUTCOME_ANSWERED;
}

static Outcome handle_request(Request *request, Response *response) {
    StoreMatches matches;
    if (match_of_path(request, response, &matches)) {
        const StoreMatch *match = &matches.rows[0];
        if (!arena_of(request)->options.analyses_per_hour)
            problem(request, response, 403, "This arena does not analyse matches.");
        else if (!is_own(request, match))
            problem(request, response, 403,
                    "You can analyse only matches that you requested or in which your bots play.");
        else if (match->state != MATCH_OVER || !match->replay.name[0])
            match_no_replay(request, response, 409, match);
        else if (!disk_refuse(request, response))
            request_analysis(request, response, match);
    }
    store_matches_free(&matches);
    return OUTCOME_ANSWERED;
}

/* ---- routes and schemas ---- */

#define PATH "/api/v1/matches/{match}/analysis"
static const Route routes[] = {
    {.method = METHOD_POST,
     .pattern = PATH,
     .name = "match_analyse",
     .handle = handle_request,
     .needs = NEEDS_SESSION,
     .scope = SCOPE_PLAY,
     .rate = RATE_PLAY,
     .summary = "Requests the analysis of a finished match: a house bot continues it from many "
                "turns. For administrators, and people who requested the match or whose bots "
                "played in it; limited per hour",
     .group = "matches",
     .parameters = {MATCH_PARAMETER},
     .gives = "MatchAnalysis",
     .gives_status = 202},
    {.method = METHOD_GET,
     .pattern = PATH,
     .name = "match_analysis",
     .handle = handle_analysis,
     .scope = SCOPE_READ,
     .rate = RATE_READ,
     .summary =
         "Returns the analysis of a match, or its progress. The state is null if there is none",
     .group = "matches",
     .parameters = {MATCH_PARAMETER},
     .gives = "MatchAnalysis",
     .tagged = true},
};

#define CHANCE_REF REF_SCHEMA("AnalysisChance")
#define CHANCES_SCHEMA ARRAY_SCHEMA(CHANCE_REF)
#define POINTS_SCHEMA ARRAY_SCHEMA(REF_SCHEMA("AnalysisPoint"))
#define BLUNDERS_SCHEMA ARRAY_SCHEMA(REF_SCHEMA("AnalysisBlunder"))
#define ORDERS_SCHEMA ARRAY_SCHEMA(REF_SCHEMA("AnalysisOrders"))
#define PLAYERS_SCHEMA ARRAY_SCHEMA(REF_SCHEMA("AnalysisPlayer"))
#define DECIDED_OR_NULL_SCHEMA OR_NULL_SCHEMA("AnalysisDecided")
#define RESULT_OR_NULL_SCHEMA OR_NULL_SCHEMA("AnalysisResult")
#define DONE_SCHEMA                                                                        \
 "{\"type\":\"integer\",\"minimum\":0,\"description\":\"while it runs: the continuations " \
 "played so far\"}"
#define TOTAL_SCHEMA                                                                       \
 "{\"type\":\"integer\",\"minimum\":0,\"description\":\"while it runs: the continuations " \
 "planned so far; grows when drops are examined more closely\"}"

static const Schema schemas[] = {
    {"AnalysisChance", SCHEMA_OBJECT("\"chance\",\"low\",\"high\"",
                                     "\"chance\":" NUMBER_SCHEMA ",\"low\":" NUMBER_SCHEMA
                                     ",\"high\":" NUMBER_SCHEMA)},
    {"AnalysisPoint", SCHEMA_OBJECT("\"turn\",\"continuations\",\"players\"",
                                    "\"turn\":" COUNT_SCHEMA ",\"continuations\":" COUNT_SCHEMA
                                    ",\"players\":" CHANCES_SCHEMA)},
    {"AnalysisOrders",
     SCHEMA_OBJECT("\"turn\",\"answer\",\"orders\"",
                   "\"turn\":" COUNT_SCHEMA ",\"answer\":" TEXT_SCHEMA
                   ",\"orders\":{\"description\":\"in the format of the game, or null\"}")},
    {"AnalysisBlunder",
     SCHEMA_OBJECT("\"player\",\"first_turn\",\"last_turn\",\"instead\",\"after\",\"p_value\","
                   "\"orders\"",
                   "\"player\":" COUNT_SCHEMA ",\"first_turn\":" COUNT_SCHEMA
                   ",\"last_turn\":" COUNT_SCHEMA ",\"instead\":" CHANCE_REF
                   ",\"after\":" CHANCE_REF ",\"p_value\":" NUMBER_SCHEMA
                   ",\"orders\":" ORDERS_SCHEMA)},
    {"AnalysisPlayer", SCHEMA_OBJECT("\"continued_by\"", "\"continued_by\":" TEXT_SCHEMA)},
    {"AnalysisDecided",
     SCHEMA_OBJECT("\"turn\",\"player\"", "\"turn\":" COUNT_SCHEMA ",\"player\":" COUNT_SCHEMA)},
    {"AnalysisResult",
     SCHEMA_OBJECT("\"format\",\"version\",\"game\",\"turns\",\"digest\",\"players\",\"seed\","
                   "\"passes\",\"continuations\",\"failed_continuations\",\"points\","
                   "\"blunders\",\"decided\"",
                   "\"format\":" TEXT_SCHEMA ",\"version\":" COUNT_SCHEMA ",\"game\":" TEXT_SCHEMA
                   ",\"turns\":" COUNT_SCHEMA ",\"digest\":" TEXT_SCHEMA
                   ",\"players\":" PLAYERS_SCHEMA ",\"seed\":" COUNT_SCHEMA
                   ",\"passes\":" NUMBER_SCHEMA ",\"continuations\":" COUNT_SCHEMA
                   ",\"failed_continuations\":" COUNT_SCHEMA ",\"points\":" POINTS_SCHEMA
                   ",\"blunders\":" BLUNDERS_SCHEMA ",\"decided\":" DECIDED_OR_NULL_SCHEMA)},
    {"MatchAnalysis",
     SCHEMA_OBJECT("\"match\",\"state\",\"done\",\"total\",\"ended\",\"failure\",\"result\"",
                   "\"match\":" COUNT_SCHEMA ",\"state\":" ANALYSIS_STATE_SCHEMA
                   ",\"done\":" DONE_SCHEMA ",\"total\":" TOTAL_SCHEMA
                   ",\"ended\":" TIME_OR_NULL_SCHEMA ",\"failure\":" TEXT_OR_NULL_SCHEMA
                   ",\"result\":" RESULT_OR_NULL_SCHEMA)},
};

const ApiGroup api_analyses = {routes, sizeof routes / sizeof *routes, schemas,
                               sizeof schemas / sizeof *schemas};
