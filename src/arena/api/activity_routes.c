/* The live stream of changes on the arena, for pages that update automatically. */
#include "arena/api/match_json.h"
#include "arena/api/routes.h"
#include "arena/play/play.h"
#include "http/schemas.h"

static Outcome handle_live(Request *request, Response *response) {
    (void)response;
    return request_watch(request, ACTIVITY_TOPIC, LIVE_FROM_NOW);
}

static const Route routes[] = {
    {.method = METHOD_GET,
     .pattern = "/api/v1/activity/live",
     .name = "activity_live",
     .handle = handle_live,
     .scope = SCOPE_READ,
     .rate = RATE_READ,
     .summary = "Streams changes: matches that start or end (at most one event per second), "
                "games with new ratings, bots with a new build or a new check, tournaments",
     .group = "arena",
     .gives_type = TYPE_EVENTS,
     .events = "matches=ActivityMatches ratings=ActivityRatings build=ActivityBuild "
               "check=ActivityCheck tournament=ActivityTournament"},
};

#define PLAYERS_SCHEMA ARRAY_SCHEMA(REF_SCHEMA("ActivityPlayer"))
#define ITEMS_SCHEMA ARRAY_SCHEMA(REF_SCHEMA("ActivityMatch"))

static const Schema schemas[] = {
    {"ActivityPlayer",
     SCHEMA_OBJECT("\"name\",\"owner\",\"rank\",\"status\"",
                   "\"name\":" TEXT_SCHEMA ",\"owner\":" TEXT_OR_NULL_SCHEMA
                   ",\"rank\":" INTEGER_OR_NULL_SCHEMA ",\"status\":" TEXT_OR_NULL_SCHEMA)},
    {"ActivityMatch", SCHEMA_OBJECT("\"id\",\"kind\",\"state\",\"game\",\"tournament\",\"players\"",
                                    "\"id\":" COUNT_SCHEMA
                                    ",\"kind\":" ENUM_SCHEMA(MATCH_KINDS) ",\"state\":" ENUM_SCHEMA(
                                        MATCH_STATES) ",\"game\":" TEXT_SCHEMA
                                                      ",\"tournament\":" INTEGER_OR_NULL_SCHEMA
                                                      ",\"players\":" PLAYERS_SCHEMA)},
    {"ActivityMatches",
     SCHEMA_OBJECT("\"complete\",\"items\"",
                   "\"complete\":"
                   "{\"type\":\"boolean\",\"description\":\"false: there were too many matches "
                   "for one event\"}"
                   ",\"items\":" ITEMS_SCHEMA)},
    {"ActivityRatings", SCHEMA_OBJECT("\"game\"", SCHEMA_TEXT("game"))},
    {"ActivityBuild",
     SCHEMA_OBJECT("\"owner\",\"bot\",\"good\"",
                   SCHEMA_TEXT("owner") "," SCHEMA_TEXT("bot") "," SCHEMA_BOOL("good"))},
    {"ActivityCheck",
     SCHEMA_OBJECT("\"owner\",\"bot\"", SCHEMA_TEXT("owner") "," SCHEMA_TEXT("bot"))},
    {"ActivityTournament", SCHEMA_OBJECT("\"id\"", SCHEMA_NUMBER("id"))},
};

const ApiGroup api_activity = {routes, sizeof routes / sizeof *routes, schemas,
                               sizeof schemas / sizeof *schemas};
