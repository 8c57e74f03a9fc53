/* Routes for matches and the queue: lists, verdicts, live streams. All of these are public. POST is
   in play_now.c; replays and standard error are in match_replay.c. */
#include "arena/api/match_routes.h"

#include "arena/api/bot_routes.h"
#include "arena/api/match_json.h"
#include "arena/api/match_preview.h"
#include "arena/api/match_request.h"
#include "arena/play/play.h"
#include "http/schemas.h"

#include <inttypes.h>
#include <stdio.h>

/* ---- lists ---- */

static StoreResult want_game(const Request *request, Slice name, StoreMatchesWanted *wanted,
                             Error *error) {
    (void)request;
    const Game *game = game_find(name, error);
    if (!game)
        return STORE_NOT_FOUND;
    wanted->game = game->name;
    return STORE_OK;
}

/* The id of a bot, written owner/name; 0 if it is unknown. */
static StoreResult find_bot(const Request *request, Slice name, uint64_t *id, Error *error) {
    StoreBot bot = {0};
    StoreResult result = bots_find(request, name, &bot, error);
    *id = bot.id;
    return result;
}

static StoreResult want_bot(const Request *request, Slice name, StoreMatchesWanted *wanted,
                            Error *error) {
    return find_bot(request, name, &wanted->bot, error);
}

static StoreResult want_opponent(const Request *request, Slice name, StoreMatchesWanted *wanted,
                                 Error *error) {
    return find_bot(request, name, &wanted->opponent, error);
}

/* The id of a person; 0 if the name is unknown. */
static StoreResult find_person(const Request *request, Slice name, uint64_t *id, Error *error) {
    StoreAccount account = {0};
    StoreResult result = store_account_find(arena_of(request)->store, name, &account, error);
    *id = account.id;
    return result;
}

static StoreResult want_person(const Request *request, Slice name, StoreMatchesWanted *wanted,
                               Error *error) {
    return find_person(request, name, &wanted->requester, error);
}

static StoreResult want_owner(const Request *request, Slice name, StoreMatchesWanted *wanted,
                              Error *error) {
    return find_person(request, name, &wanted->owner, error);
}

static StoreResult want_tournament(const Request *request, Slice unused, StoreMatchesWanted *wanted,
                                   Error *error) {
    (void)unused;
    (void)error;
    wanted->tournament = (uint64_t)request_number(request, "tournament", 0);
    return STORE_OK;
}

/* The position of a word in a list; the router has checked that it is there. */
static uint32_t position_of(Slice word, const char *const *words) {
    uint32_t place = 0;
    while (words[place + 1] && !slice_equals(word, words[place]))
        place++;
    return place;
}

static StoreResult want_kind(const Request *request, Slice kind, StoreMatchesWanted *wanted,
                             Error *error) {
    (void)request;
    (void)error;
    wanted->of_kind = true;
    wanted->kind = (StoreMatchKind)position_of(kind, match_kind_names);
    return STORE_OK;
}

static StoreResult want_state(const Request *request, Slice state, StoreMatchesWanted *wanted,
                              Error *error) {
    (void)request;
    (void)error;
    wanted->in_state = true;
    wanted->state = (StoreMatchState)position_of(state, match_state_names);
    return STORE_OK;
}

static StoreResult want_house(const Request *request, Slice unused, StoreMatchesWanted *wanted,
                              Error *error) {
    (void)request;
    (void)unused;
    (void)error;
    wanted->without_house = true;
    return STORE_OK;
}

static const struct {
    const char *name;
    StoreResult (*want)(const Request *request, Slice value, StoreMatchesWanted *wanted,
                        Error *error);
} filters[] = {{"game", want_game},
               {"kind", want_kind},
               {"bot", want_bot},
               {"opponent", want_opponent},
               {"owner", want_owner},
               {"person", want_person},
               {"tournament", want_tournament},
               {"state", want_state},
               {"house", want_house}};

/* Reads the filters. Answers with a problem and returns false if one names something unknown. */
static bool read_wanted(const Request *request, Response *response, StoreMatchesWanted *wanted) {
    Slice value;
    Error error = {0};
    StoreResult result = STORE_OK;
    *wanted = (StoreMatchesWanted){0};
    for (size_t i = 0; i < sizeof filters / sizeof *filters && result == STORE_OK; i++)
        if (request_query(request, filters[i].name, &value))
            if ((result = filters[i].want(request, value, wanted, &error)) != STORE_OK)
                error_about(&error, filters[i].name);
    if (result != STORE_OK)
        problem_from_store(request, response, result, &error);
    return result == STORE_OK;
}

static Outcome handle_list(Request *request, Response *response) {
    StorePage page;
    StoreMatchesWanted wanted;
    StoreMatches matches = {0};
    Error error;
    if (!api_page(request, response, &page) || !read_wanted(request, response, &wanted))
        return OUTCOME_ANSWERED;
    StoreResult result =
        store_matches_list(arena_of(request)->store, &wanted, &page, &matches, &error);
    if (result == STORE_OK) {
        JsonOut out = {.to = &response->bytes};
        api_list_open(&out);
        for (uint32_t i = 0; i < matches.count; i++) {
            json_open(&out, NULL, '{');
            match_json_row(&out, &matches.rows[i]);
            json_close(&out, '}');
        }
        api_list_close(&out, &page);
        response_tag(response);
    }
    store_matches_free(&matches);
    return result == STORE_OK ? OUTCOME_ANSWERED
                              : problem_from_store(request, response, result, &error);
}

/* ---- one match ---- */

bool match_of_path(const Request *request, Response *response, StoreMatches *matches) {
    Error error;
    *matches = (StoreMatches){0};
    StoreResult result = store_match_get(
        arena_of(request)->store, (uint64_t)request_number(request, "match", 0), matches, &error);
    if (result != STORE_OK)
        problem_from_store(request, response, result, &error);
    return result == STORE_OK;
}

Outcome match_answer(Request *request, Response *response) {
    StoreMatches matches;
    Error error;
    if (match_of_path(request, response, &matches)) {
        const StoreMatch *match = &matches.rows[0];
        MatchRights rights = {.cancel = match_is_cancellable(request, match),
                              .analyse = match_is_analysable(request, match)};
        StoreResult result =
            match_json(arena_of(request), match, rights, NULL, &response->bytes, &error);
        if (result != STORE_OK)
            problem_from_store(request, response, result, &error);
    }
    store_matches_free(&matches);
    return OUTCOME_ANSWERED;
}

static Outcome handle_match(Request *request, Response *response) {
    Outcome outcome = match_answer(request, response);
    if (response->status == 200)
        response_tag(response);
    return outcome;
}

static Outcome handle_live(Request *request, Response *response) {
    StoreMatches matches;
    char topic[LIVE_TOPIC_MAX];
    Slice from;
    bool good = match_of_path(request, response, &matches);
    if (good) {
        const StoreMatch *match = &matches.rows[0];
        snprintf(topic, sizeof topic, "match-%" PRIu64, match->id);
        /* After a restart, or if it is played elsewhere, the topic is not open yet. */
        if (match->state == MATCH_WAITING || match->state == MATCH_PLAYING)
            engine_watch_topic(arena_of(request), match->id, topic);
    }
    store_matches_free(&matches);
    bool now = request_query(request, "from", &from) && slice_equals(from, "now");
    return good ? request_watch(request, topic, now ? LIVE_FROM_NOW : LIVE_FROM_START)
                : OUTCOME_ANSWERED;
}

/* ---- the queue ---- */

static Outcome handle_queue(Request *request, Response *response) {
    StoreQueueSize size;
    Error error;
    StoreResult result = store_queue_size(arena_of(request)->store, &size, &error);
    if (result != STORE_OK)
        return problem_from_store(request, response, result, &error);
    JsonOut out = {.to = &response->bytes};
    engine_write_queue(&size, &out);
    return OUTCOME_ANSWERED;
}

static Outcome handle_queue_live(Request *request, Response *response) {
    (void)response;
    return request_watch(request, "queue", LIVE_FROM_LAST);
}

/* ---- routes and schemas ---- */

#define SEAT_PARAMETER                                     \
 {                                                         \
  "seat", PARAMETER_NUMBER, 0, GAME_PLAYERS_MAX - 1, NULL, \
      "the player, from 0, as in the list of the match"    \
 }
#define KEY_PARAMETER \
 { "key", PARAMETER_TEXT, 0, 64, NULL, "the key that a visitor got with the match" }

static const Route routes[] = {
    {.method = METHOD_POST,
     .pattern = "/api/v1/matches",
     .name = "play_now",
     .handle = play_now,
     .permit = match_request_permit,
     .scope = SCOPE_PLAY,
     .rate = RATE_PLAY,
     .body_max = MATCH_REQUEST_BODY_MAX,
     .summary = "Requests a match of bots or drafts. Visitors have tighter limits",
     .group = "matches",
     .takes = "NewMatch",
     .gives = "Match",
     .gives_status = 201},
    {.method = METHOD_GET,
     .pattern = "/api/v1/matches",
     .name = "matches",
     .handle = handle_list,
     .scope = SCOPE_READ,
     .rate = RATE_READ,
     .summary =
         "Lists matches that pass all filters, newest first. With several filters, a page can be "
         "short and still have a next one",
     .group = "matches",
     .parameters =
         {{"game", PARAMETER_TEXT, 0, 32, NULL, "only matches of this game"},
          {"kind", PARAMETER_CHOICE, 0, 0, NAME_CHOICES(MATCH_KINDS), "only matches of this kind"},
          {"bot", PARAMETER_TEXT, 0, 65, NULL, "only matches of this bot, written owner/name"},
          {"opponent", PARAMETER_TEXT, 0, 65, NULL,
           "only matches in which this bot also plays, written owner/name"},
          {"owner", PARAMETER_TEXT, 0, 32, NULL,
           "only matches in which a bot of this person plays"},
          {"person", PARAMETER_TEXT, 0, 32, NULL, "only matches that this person requested"},
          {"tournament", PARAMETER_NUMBER, 1, INT64_MAX, NULL, "only matches of this tournament"},
          {"state", PARAMETER_CHOICE, 0, 0, NAME_CHOICES(MATCH_STATES),
           "only matches in this state"},
          {"house", PARAMETER_CHOICE, 0, 0, "exclude",
           "leaves out ladder matches between house bots"},
          PAGE_PARAMETERS},
     .gives = "Matches",
     .tagged = true},
    {.method = METHOD_GET,
     .pattern = "/api/v1/matches/{match}",
     .name = "match",
     .handle = handle_match,
     .scope = SCOPE_READ,
     .rate = RATE_READ,
     .summary = "Returns a match: players, state, place in the queue, verdict",
     .group = "matches",
     .parameters = {MATCH_PARAMETER, KEY_PARAMETER},
     .gives = "Match",
     .tagged = true},
    {.method = METHOD_POST,
     .pattern = "/api/v1/matches/{match}/call-off",
     .name = "match_call_off",
     .handle = match_handle_cancel,
     .scope = SCOPE_PLAY,
     .rate = RATE_WRITE,
     .summary =
         "Cancels a waiting or running match, except those of tournaments. For the person who "
         "requested it, a visitor with its key, and administrators",
     .group = "matches",
     .parameters = {MATCH_PARAMETER, KEY_PARAMETER},
     .gives = "Match"},
    {.method = METHOD_GET,
     .pattern = "/api/v1/matches/{match}/replay",
     .name = "match_replay",
     .handle = match_handle_replay,
     .scope = SCOPE_READ,
     .rate = RATE_READ,
     .summary =
         "Returns the replay, with the standard error of the players that the caller may read",
     .group = "matches",
     .parameters = {MATCH_PARAMETER, KEY_PARAMETER},
     .gives_type = TYPE_BYTES,
     .tagged = true},
    {.method = METHOD_GET,
     .pattern = "/api/v1/matches/{match}/picture",
     .name = "match_picture",
     .handle = match_handle_picture,
     .scope = SCOPE_READ,
     .rate = RATE_READ,
     .summary = "Returns a picture of the board after the last turn, as PNG of 1200 by 630 pixels",
     .group = "matches",
     .parameters = {MATCH_PARAMETER},
     .gives_type = TYPE_PNG,
     .tagged = true},
    {.method = METHOD_GET,
     .pattern = "/api/v1/matches/{match}/players/{seat}/stderr",
     .name = "match_stderr",
     .handle = match_handle_errors,
     .scope = SCOPE_READ,
     .rate = RATE_READ,
     .summary = "Returns the standard error of a player",
     .group = "matches",
     .parameters = {MATCH_PARAMETER, SEAT_PARAMETER, KEY_PARAMETER},
     .gives_type = TYPE_TEXT},
    {.method = METHOD_GET,
     .pattern = "/api/v1/matches/{match}/players/{seat}/diagnostics",
     .name = "match_diagnostics",
     .handle = match_handle_diagnostics,
     .scope = SCOPE_READ,
     .rate = RATE_READ,
     .summary = "Returns the standard error of a player, the log of a failed build of a draft, and "
                "the places in the sources that they name",
     .group = "matches",
     .parameters = {MATCH_PARAMETER, SEAT_PARAMETER, KEY_PARAMETER},
     .gives = "MatchDiagnostics",
     .tagged = true},
    {.method = METHOD_GET,
     .pattern = "/api/v1/matches/{match}/live",
     .name = "match_live",
     .handle = handle_live,
     .scope = SCOPE_READ,
     .rate = RATE_READ,
     .summary = "Streams a match while it is played: events start, turn and end",
     .group = "matches",
     .parameters = {MATCH_PARAMETER,
                    {"from", PARAMETER_CHOICE, 0, 0, "start now",
                     "where to start (default start)"}},
     .gives_type = TYPE_EVENTS,
     .events = "start=MatchStart turn=MatchTurn end=Verdict"},
    {.method = METHOD_GET,
     .pattern = "/api/v1/queue",
     .name = "queue",
     .handle = handle_queue,
     .scope = SCOPE_READ,
     .rate = RATE_READ,
     .summary = "Returns the numbers of waiting builds and matches",
     .group = "matches",
     .gives = "Queue"},
    {.method = METHOD_GET,
     .pattern = "/api/v1/queue/live",
     .name = "queue_live",
     .handle = handle_queue_live,
     .scope = SCOPE_READ,
     .rate = RATE_READ,
     .summary = "Streams these numbers as the event size whenever they change",
     .group = "matches",
     .gives_type = TYPE_EVENTS,
     .events = "size=Queue"},
};

/* Members of both lists and single matches. */
#define MATCH_REQUIRED                                                                      \
 "\"id\",\"kind\",\"state\",\"open\",\"game\",\"map\",\"seed\",\"tournament\",\"created\"," \
 "\"started\",\"ended\",\"turns\",\"reason\",\"replay\",\"players\""
#define MATCH_MEMBERS                                                                            \
 "\"id\":" COUNT_SCHEMA ",\"kind\":" ENUM_SCHEMA(MATCH_KINDS) ",\"state\":" ENUM_SCHEMA(         \
     MATCH_STATES) ",\"open\":" BOOL_SCHEMA ",\"game\":" TEXT_SCHEMA                             \
                   ",\"map\":" TEXT_OR_NULL_SCHEMA ",\"seed\":" COUNT_SCHEMA                     \
                   ",\"tournament\":" INTEGER_OR_NULL_SCHEMA ",\"created\":" TIME_OR_NULL_SCHEMA \
                   ",\"started\":" TIME_OR_NULL_SCHEMA ",\"ended\":" TIME_OR_NULL_SCHEMA         \
                   ",\"turns\":" COUNT_SCHEMA ",\"reason\":" TEXT_OR_NULL_SCHEMA                 \
                   ",\"replay\":" BOOL_SCHEMA                                                    \
                   ",\"players\":" ARRAY_SCHEMA(REF_SCHEMA("MatchPlayer"))

/* Members of single matches only. */
#define VERDICT_OR_NULL_SCHEMA OR_NULL_SCHEMA("Verdict")
#define SPEED_OR_NULL_SCHEMA                                                                \
 "{\"type\":[\"integer\",\"null\"],\"description\":\"the speed of the machine, in percent " \
 "of the reference machine\"}"
#define ANALYSABLE_SCHEMA                                                              \
 "{\"type\":\"boolean\",\"description\":\"whether the caller can request an analysis " \
 "now, within the limit per hour\"}"
#define CANCELLABLE_SCHEMA \
 "{\"type\":\"boolean\",\"description\":\"whether the caller can cancel it now\"}"
#define KEY_SCHEMA                                                                    \
 "{\"type\":\"string\",\"description\":\"for visitors: gives access to the standard " \
 "error of their code, and cancels the match\"}"

#define SEAT_BOT_SCHEMA              \
 SCHEMA_OBJECT("\"bot\"", "\"bot\":" \
                          "{\"type\":\"string\",\"description\":\"owner/name\"}")
#define SEAT_VERSION_SCHEMA SCHEMA_OBJECT("\"version\"", "\"version\":" COUNT_SCHEMA)
#define SEAT_LANGUAGE_SCHEMA \
 SCHEMA_OBJECT("\"language\",\"source\"", "\"language\":" TEXT_SCHEMA ",\"source\":" TEXT_SCHEMA)
#define SEAT_ARCHIVE_SCHEMA                                                                    \
 SCHEMA_OBJECT("\"archive\"", "\"archive\":"                                                   \
                              "{\"type\":\"string\",\"description\":\"code in several files: " \
                              "a zip file in base64\"}")
#define VERDICT_PLAYERS_ITEM_SCHEMA                                                                \
 SCHEMA_OBJECT("\"name\",\"rank\",\"score\",\"status\",\"refused\",\"timeouts\",\"late\","         \
               "\"graces\",\"restarts\",\"wall_total_ms\",\"wall_longest_ms\","                    \
               "\"cpu_total_ms\",\"cpu_longest_ms\"",                                              \
               "\"name\":" TEXT_SCHEMA ",\"rank\":" COUNT_SCHEMA                                   \
               ",\"score\":" INTEGER_OR_NULL_SCHEMA ",\"status\":" TEXT_SCHEMA                     \
               ",\"failure\":" TEXT_SCHEMA ",\"refused\":" COUNT_SCHEMA                            \
               ",\"timeouts\":" COUNT_SCHEMA ",\"late\":" COUNT_SCHEMA ",\"graces\":" COUNT_SCHEMA \
               ",\"restarts\":" COUNT_SCHEMA ",\"wall_total_ms\":" NUMBER_SCHEMA                   \
               ",\"wall_longest_ms\":" NUMBER_SCHEMA ",\"cpu_total_ms\":" NUMBER_SCHEMA            \
               ",\"cpu_longest_ms\":" NUMBER_SCHEMA)
#define VERDICT_PLAYERS_SCHEMA ARRAY_SCHEMA(VERDICT_PLAYERS_ITEM_SCHEMA)
#define MATCH_DIAGNOSTICS_DIAGNOSTICS_SCHEMA ARRAY_SCHEMA(DIAGNOSTIC_REF)
#define MATCH_START_CONFIG_NAME_SCHEMA \
 SCHEMA_OBJECT("\"name\",\"text\"", "\"name\":" TEXT_SCHEMA ",\"text\":" TEXT_SCHEMA)
#define MATCH_START_SANDBOX_SCHEMA ARRAY_SCHEMA(TEXT_SCHEMA)
#define MATCH_START_PLAYERS_ITEM_SCHEMA       \
 SCHEMA_OBJECT("\"name\",\"bot\",\"absent\"", \
               "\"name\":" TEXT_SCHEMA ",\"bot\":" TEXT_SCHEMA ",\"absent\":" BOOL_SCHEMA)
#define MATCH_START_PLAYERS_SCHEMA ARRAY_SCHEMA(MATCH_START_PLAYERS_ITEM_SCHEMA)
#define MATCH_TURN_PLAYERS_ITEM_SCHEMA                                                        \
 SCHEMA_OBJECT("\"name\",\"kind\",\"answer\",\"orders\",\"refused\",\"reasons\",\"wall_ms\"," \
               "\"cpu_ms\",\"late\",\"grace_ms\"",                                            \
               "\"name\":" TEXT_SCHEMA ",\"kind\":" TEXT_SCHEMA ",\"answer\":" TEXT_SCHEMA    \
               ",\"orders\":"                                                                 \
               "{\"description\":\"the parsed answer, in the format of the game\"}"           \
               ",\"refused\":" INTEGER_SCHEMA ",\"reasons\":" MATCH_START_SANDBOX_SCHEMA      \
               ",\"wall_ms\":" NUMBER_SCHEMA ",\"cpu_ms\":" NUMBER_SCHEMA                     \
               ",\"late\":" INTEGER_SCHEMA ",\"grace_ms\":" NUMBER_SCHEMA)
#define MATCH_TURN_PLAYERS_SCHEMA ARRAY_SCHEMA(MATCH_TURN_PLAYERS_ITEM_SCHEMA)

static const Schema schemas[] = {
    {"NewMatch",
     SCHEMA_OBJECT("",
                   "\"game\":"
                   "{\"type\":\"string\",\"description\":\"optional with from\"}"
                   ",\"from\":" FROM_REF ",\"map\":"
                   "{\"type\":\"string\",\"description\":\"a standard map, generate or "
                   "generate:SEED[:SIZE]\"}"
                   ",\"config\":"
                   "{\"type\":\"string\",\"description\":\"the text of a configuration\"}"
                   ",\"seed\":" COUNT_SCHEMA ",\"turn_time\":"
                   "{\"type\":\"integer\",\"minimum\":1,\"description\":\"milliseconds\"}"
                   ",\"open\":"
                   "{\"type\":\"boolean\",\"description\":\"everyone can read the standard error "
                   "of all players\"}"
                   ",\"seats\":"
                   "{\"type\":\"array\",\"minItems\":1,\"items\":" SEAT_REF
                   ",\"description\":\"required without from; default with from: the recorded "
                   "players\"}")},
    {"Seat", "{\"oneOf\":[" SEAT_BOT_SCHEMA "," SEAT_VERSION_SCHEMA "," SEAT_LANGUAGE_SCHEMA
             "," SEAT_ARCHIVE_SCHEMA "]}"},
    {"MatchPlayer",
     SCHEMA_OBJECT("\"name\",\"owner\",\"version\",\"rank\",\"score\",\"status\",\"failure\"",
                   "\"name\":" TEXT_SCHEMA ",\"owner\":" TEXT_OR_NULL_SCHEMA
                   ",\"version\":" INTEGER_OR_NULL_SCHEMA ",\"rank\":" INTEGER_OR_NULL_SCHEMA
                   ",\"score\":" INTEGER_OR_NULL_SCHEMA ",\"status\":"
                   "{\"type\":[\"string\",\"null\"],\"description\":\"ok, timeout, crashed, "
                   "disqualified, did not start, out of memory or too much output; of a person "
                   "also left\"}"
                   ",\"failure\":" TEXT_OR_NULL_SCHEMA)},
    {"MatchRow", SCHEMA_OBJECT(MATCH_REQUIRED, MATCH_MEMBERS)},
    {"Matches", SCHEMA_LIST("MatchRow")},
    {"Verdict", SCHEMA_OBJECT("\"turns\",\"reason\",\"players\"",
                              "\"turns\":" COUNT_SCHEMA ",\"reason\":" TEXT_SCHEMA
                              ",\"players\":" VERDICT_PLAYERS_SCHEMA)},
    {"Match",
     SCHEMA_OBJECT(
         MATCH_REQUIRED
         ",\"machine\",\"speed\",\"ahead\",\"verdict\",\"analysis\",\"analysable\",\"cancellable\"",
         MATCH_MEMBERS ",\"machine\":" TEXT_OR_NULL_SCHEMA ",\"speed\":" SPEED_OR_NULL_SCHEMA
                       ",\"ahead\":" INTEGER_OR_NULL_SCHEMA ",\"verdict\":" VERDICT_OR_NULL_SCHEMA
                       ",\"analysis\":" ANALYSIS_STATE_SCHEMA ",\"analysable\":" ANALYSABLE_SCHEMA
                       ",\"cancellable\":" CANCELLABLE_SCHEMA ",\"key\":" KEY_SCHEMA)},
    {"MatchDiagnostics",
     SCHEMA_OBJECT("\"log\",\"stderr\",\"diagnostics\"",
                   "\"log\":" TEXT_OR_NULL_SCHEMA ",\"stderr\":" TEXT_OR_NULL_SCHEMA
                   ",\"diagnostics\":" MATCH_DIAGNOSTICS_DIAGNOSTICS_SCHEMA)},
    {"MatchStart",
     SCHEMA_OBJECT("\"skirmish\",\"game\",\"seed\",\"config\",\"map\",\"turn_ms\",\"start_ms\","
                   "\"think\",\"sandbox\",\"players\"",
                   "\"skirmish\":"
                   "{\"type\":\"string\",\"description\":\"the version that plays\"}"
                   ",\"game\":" TEXT_SCHEMA ",\"seed\":" INTEGER_SCHEMA ",\"config\":"
                   "{\"anyOf\":["
                   "{\"type\":\"null\"}"
                   "," MATCH_START_CONFIG_NAME_SCHEMA "]}"
                   ",\"map\":"
                   "{\"anyOf\":["
                   "{\"type\":\"null\"}"
                   "," MATCH_START_CONFIG_NAME_SCHEMA "]}"
                   ",\"turn_ms\":" INTEGER_SCHEMA ",\"start_ms\":" INTEGER_SCHEMA
                   ",\"think\":" TEXT_SCHEMA ",\"sandbox\":" MATCH_START_SANDBOX_SCHEMA
                   ",\"players\":" MATCH_START_PLAYERS_SCHEMA)},
    {"MatchTurn",
     SCHEMA_OBJECT("\"turn\",\"state\",\"players\",\"events\",\"digest\"",
                   "\"turn\":" INTEGER_SCHEMA ",\"state\":"
                   "{\"description\":\"in the format of the game\"}"
                   ",\"players\":" MATCH_TURN_PLAYERS_SCHEMA
                   ",\"events\":" MATCH_START_SANDBOX_SCHEMA ",\"digest\":" TEXT_SCHEMA)},
    {"Queue",
     SCHEMA_OBJECT(
         "\"builds\",\"play_now\",\"tournament\",\"ladder\",\"checks\",\"analyses\",\"running\","
         "\"without_worker\"",
         "\"builds\":" COUNT_SCHEMA ",\"play_now\":" COUNT_SCHEMA ",\"tournament\":" COUNT_SCHEMA
         ",\"ladder\":" COUNT_SCHEMA ",\"checks\":" COUNT_SCHEMA ",\"analyses\":" COUNT_SCHEMA
         ",\"running\":" COUNT_SCHEMA ",\"without_worker\":"
         "{\"type\":\"integer\",\"minimum\":0,\"description\":\"of those that wait, how many "
         "need a speed that no running worker has\"}")},
};

const ApiGroup api_matches = {routes, sizeof routes / sizeof *routes, schemas,
                              sizeof schemas / sizeof *schemas};
