/* Routes for games: the list of games with their maps and options. */
#include "arena/api/routes.h"
#include "games/game.h"
#include "http/schemas.h"

#include <pthread.h>

static void game_json(JsonOut *out, const Game *game) {
    json_open(out, NULL, '{');
    json_out_text(out, "name", game->name);
    json_out_text(out, "title", game->title);
    json_out_text(out, "summary", game->summary);
    json_out_uint(out, "players_min", game->players_min);
    json_out_uint(out, "players_max", game->players_max);
    json_out_uint(out, "turn_ms", game->talk.turn_ms);
    json_out_uint(out, "start_ms", game->talk.start_ms);
    json_out_bool(out, "generates_maps", game->generate != NULL);
    json_open(out, "maps", '[');
    for (const GameMap *map = game->maps; map->name; map++) {
        json_open(out, NULL, '{');
        json_out_text(out, "name", map->name);
        json_out_text(out, "summary", map->summary);
        if (map->players)
            json_out_uint(out, "players", map->players);
        else
            json_out_null(out, "players");
        json_close(out, '}');
    }
    json_close(out, ']');
    json_open(out, "options", '[');
    for (const GameOption *option = game->options; option->name; option++) {
        json_open(out, NULL, '{');
        json_out_text(out, "name", option->name);
        json_out_text(out, "standard", option->standard);
        json_out_text(out, "summary", option->summary);
        json_close(out, '}');
    }
    json_close(out, ']');
    json_close(out, '}');
}

static Body *games_body;

static void make_games(void) {
    Buffer text = {0};
    JsonOut out = {.to = &text};
    json_open(&out, NULL, '{');
    json_open(&out, "items", '[');
    for (const Game *const *game = games_all; *game; game++)
        game_json(&out, *game);
    json_close(&out, ']');
    json_out_null(&out, "next");
    json_close(&out, '}');
    games_body = body_new(TYPE_JSON, &text);
}

static Outcome handle_games(Request *request, Response *response) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)request;
    pthread_once(&once, make_games);
    response_share(response, games_body);
    return OUTCOME_ANSWERED;
}

/* ---- routes and schemas ---- */

static const Route routes[] = {
    {.method = METHOD_GET,
     .pattern = "/api/v1/games",
     .name = "games",
     .handle = handle_games,
     .scope = SCOPE_READ,
     .summary = "Lists the games, with their maps and options",
     .group = "games",
     .gives = "Games",
     .tagged = true},
};

#define GAME_MAPS_ITEM_SCHEMA                                      \
 SCHEMA_OBJECT("\"name\",\"summary\",\"players\"",                 \
               "\"name\":" TEXT_SCHEMA ",\"summary\":" TEXT_SCHEMA \
               ",\"players\":" INTEGER_OR_NULL_SCHEMA)
#define GAME_MAPS_SCHEMA ARRAY_SCHEMA(GAME_MAPS_ITEM_SCHEMA)
#define GAME_OPTIONS_ITEM_SCHEMA                    \
 SCHEMA_OBJECT("\"name\",\"standard\",\"summary\"", \
               "\"name\":" TEXT_SCHEMA ",\"standard\":" TEXT_SCHEMA ",\"summary\":" TEXT_SCHEMA)
#define GAME_OPTIONS_SCHEMA ARRAY_SCHEMA(GAME_OPTIONS_ITEM_SCHEMA)

static const Schema schemas[] = {
    {"Game",
     SCHEMA_OBJECT("\"name\",\"title\",\"summary\",\"players_min\",\"players_max\",\"turn_ms\","
                   "\"start_ms\",\"generates_maps\",\"maps\",\"options\"",
                   "\"name\":" TEXT_SCHEMA ",\"title\":" TEXT_SCHEMA ",\"summary\":" TEXT_SCHEMA
                   ",\"players_min\":" COUNT_SCHEMA ",\"players_max\":" COUNT_SCHEMA
                   ",\"turn_ms\":" COUNT_SCHEMA ",\"start_ms\":" COUNT_SCHEMA
                   ",\"generates_maps\":" BOOL_SCHEMA ",\"maps\":" GAME_MAPS_SCHEMA
                   ",\"options\":" GAME_OPTIONS_SCHEMA)},
    {"Games", SCHEMA_LIST("Game")},
};

const ApiGroup api_games = {routes, sizeof routes / sizeof *routes, schemas,
                            sizeof schemas / sizeof *schemas};
