/* "Play now": a match of bots, versions and code straight from an editor, asked for by a person or by a visitor. The answer is there before the match is. */
#include "server/auth.h"
#include "server/engine.h"
#include "server/match_json.h"
#include "server/settings.h"
#include "server/spec.h"
#include "server/versions.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

enum {
    TURN_MS_MOST = 5000,
    SOURCE_MOST = 256 << 10,
    VISITOR_SOURCE_MOST = 64 << 10,
    VISITOR_PLAYERS_MOST = 4,
    CROWD = 4, /* times waiting_max: so many matches wait, and visitors have to come later */
};

#define SEED_MOST ((INT64_C(1) << 53) - 1) /* every reader of JSON keeps that whole */

/* What is being asked for. */
typedef struct Wish {
    const Request *request;
    Response *response;
    Config body;
    const Game *game;
    MatchSpec spec;
    StoreNewSeat seats[GAME_PLAYERS_MAX];
    char labels[GAME_PLAYERS_MAX][STORE_NAME_SIZE];
    uint64_t owners[GAME_PLAYERS_MAX]; /* of the bots; 0: code */
    uint64_t seed;
    bool open;
    Error error;
} Wish;

static Store *store_of(const Wish *wish) {
    return arena_of(wish->request)->store;
}

static Slice text_of(const Wish *wish, uint32_t node) {
    return wish->body.json.nodes[node].text;
}

/* A member that is a text without NUL; JSON_NONE if it is not there. */
static bool find_text(Wish *wish, uint32_t object, const char *field, uint32_t *node) {
    if (!config_kind(&wish->body, object, field, JSON_STRING, node, &wish->error))
        return false;
    Slice text = *node == JSON_NONE ? (Slice){"", 0} : text_of(wish, *node);
    return !text.length || !memchr(text.at, '\0', text.length) ||
           config_refuse(&wish->body, *node, &wish->error, "\"%s\" holds a NUL character", field);
}

static char *copy_of(Slice text) {
    char *copy = calloc(1, text.length + 1);
    if (!copy)
        abort();
    if (text.length)
        memcpy(copy, text.at, text.length);
    return copy;
}

/* ---- who may ---- */

/* False, and a problem, for visitors where they are not wanted, or who ask too often. */
static bool admit_visitor(const Wish *wish) {
    const Request *request = wish->request;
    const Arena *arena = arena_of(request);
    StoreQueueSize size;
    Error error;
    if (!arena_visitors(arena)) {
        problem(request, wish->response, 401, "playing here needs an account");
        return false;
    }
    uint32_t wait = limits_take(http_limits(request->http), RATE_VISITOR,
                                address_key(request->address), request->began);
    if (wait) {
        problem_retry(request, wish->response, 429, wait,
                      "without an account one may ask for a few matches only; try again after a "
                      "while");
        return false;
    }
    if (store_queue_size(arena->store, &size, &error) == STORE_OK &&
        size.matches[MATCH_PLAY_NOW] >= CROWD * arena->options.waiting_max) {
        problem_retry(request, wish->response, 503, 10,
                      "many matches wait already; try again after a while");
        return false;
    }
    return true;
}

/* False, and a problem, for somebody who has enough matches waiting. */
static bool admit_account(const Wish *wish) {
    StoreMatchesWanted wanted = {.requester = wish->request->account};
    StorePage page = {.limit = 50};
    StoreMatches matches = {0};
    Error error;
    uint32_t waiting = 0;
    if (store_matches_list(store_of(wish), &wanted, &page, &matches, &error) == STORE_OK)
        for (uint32_t i = 0; i < matches.count; i++)
            waiting += matches.rows[i].state == MATCH_WAITING;
    store_matches_free(&matches);
    if (waiting < arena_of(wish->request)->options.waiting_max)
        return true;
    problem_retry(wish->request, wish->response, 429, 5,
                  "so many of your matches wait that you cannot ask for more yet");
    return false;
}

/* ---- seats ---- */

static bool take_version(Wish *wish, uint32_t seat, uint32_t node, const StoreBot *bot,
                         uint64_t version) {
    if (strcmp(bot->game, wish->game->name) != 0)
        return config_refuse(&wish->body, node, &wish->error, "%s/%s plays %s, not %s",
                             bot->owner_name, bot->name, bot->game, wish->game->name);
    if (!version)
        return config_refuse(&wish->body, node, &wish->error,
                             "%s/%s has no version that can play yet", bot->owner_name, bot->name);
    wish->seats[seat] = (StoreNewSeat){.bot = bot->id, .version = version};
    wish->owners[seat] = bot->owner;
    return true;
}

/* "owner/name" */
static bool take_bot(Wish *wish, uint32_t seat, uint32_t node) {
    StoreBot bot;
    Error error;
    char *text = copy_of(text_of(wish, node));
    char *slash = strchr(text, '/');
    if (slash)
        *slash = '\0';
    bool found = slash && store_bot_find(store_of(wish), text, slash + 1, &bot, &error) == STORE_OK;
    free(text);
    return found ? take_version(wish, seat, node, &bot, bot.active)
                 : config_refuse(&wish->body, node, &wish->error,
                                 "there is no bot \"%.*s\"; it is written owner/name",
                                 SLICE_ARGS(text_of(wish, node)));
}

/* A version that is not the active one is its owner's to try. */
static bool take_numbered(Wish *wish, uint32_t seat, uint32_t node) {
    StoreVersion version;
    StoreBot bot;
    Error error;
    uint64_t id = 0;
    bool found = json_uint64(&wish->body.json, node, &id) && id <= INT64_MAX &&
                 store_version_get(store_of(wish), id, &version, &error) == STORE_OK &&
                 store_bot_get(store_of(wish), version.bot, &bot, &error) == STORE_OK &&
                 (bot.active == id || auth_is_or_organises(wish->request, bot.owner));
    if (!found)
        return config_refuse(&wish->body, node, &wish->error, "there is no such version");
    if (version.build != BUILD_GOOD)
        return config_refuse(&wish->body, node, &wish->error,
                             "that version is not built, or could not be");
    return take_version(wish, seat, node, &bot, id);
}

static bool take_draft(Wish *wish, uint32_t seat, uint32_t language, uint32_t source) {
    size_t most = wish->request->account ? SOURCE_MOST : VISITOR_SOURCE_MOST;
    const Language *known = languages_all;
    while (known->name && !slice_equals(text_of(wish, language), known->name))
        known++;
    if (!known->name || !language_is_here(known))
        return config_refuse(&wish->body, language, &wish->error,
                             "this arena has no language \"%.*s\"",
                             SLICE_ARGS(text_of(wish, language)));
    if (!text_of(wish, source).length || text_of(wish, source).length > most)
        return config_refuse(&wish->body, source, &wish->error, "\"source\" has 1 to %zu bytes",
                             most);
    wish->spec.seats[seat].language = copy_of(text_of(wish, language));
    wish->spec.seats[seat].source = copy_of(text_of(wish, source));
    snprintf(wish->labels[seat], sizeof wish->labels[seat], "draft");
    wish->seats[seat] = (StoreNewSeat){.label = wish->labels[seat]};
    return true;
}

static bool take_seat(Wish *wish, uint32_t seat, uint32_t node) {
    static const char *const known[] = {"bot", "version", "language", "source", NULL};
    uint32_t bot;
    uint32_t language;
    uint32_t source;
    uint32_t version;
    if (wish->body.json.nodes[node].kind != JSON_OBJECT)
        return config_refuse(&wish->body, node, &wish->error, "a seat is an object");
    if (!config_known(&wish->body, node, known, &wish->error) ||
        !find_text(wish, node, "bot", &bot) || !find_text(wish, node, "language", &language) ||
        !find_text(wish, node, "source", &source) ||
        !config_kind(&wish->body, node, "version", JSON_NUMBER, &version, &wish->error))
        return false;
    bool code = language != JSON_NONE && source != JSON_NONE;
    if ((bot != JSON_NONE) + (version != JSON_NONE) + code != 1 ||
        (!code && (language != JSON_NONE || source != JSON_NONE)))
        return config_refuse(&wish->body, node, &wish->error,
                             "a seat has a \"bot\", a \"version\", or \"language\" and \"source\"");
    return code               ? take_draft(wish, seat, language, source)
           : bot != JSON_NONE ? take_bot(wish, seat, bot)
                              : take_numbered(wish, seat, version);
}

static bool take_seats(Wish *wish) {
    uint32_t list;
    const JsonNode *nodes = wish->body.json.nodes;
    uint32_t most = wish->request->account ? GAME_PLAYERS_MAX : VISITOR_PLAYERS_MOST;
    if (!config_kind(&wish->body, 0, "seats", JSON_ARRAY, &list, &wish->error))
        return false;
    if (list == JSON_NONE || nodes[list].count < 1 || nodes[list].count > most)
        return config_refuse(&wish->body, 0, &wish->error, "\"seats\" is a list of 1 to %u", most);
    for (uint32_t node = list + 1; node < nodes[list].next; node = nodes[node].next)
        if (!take_seat(wish, wish->spec.players++, node))
            return false;
    return true;
}

/* ---- the rest of the body ---- */

/* Times are capped whatever the configuration says. */
static bool cap_times(Wish *wish) {
    MatchSpec *spec = &wish->spec;
    int64_t wanted = 0;
    GameFile config = spec->config.name ? (GameFile){spec->config.name, slice_of(spec->config.text)}
                                        : (GameFile){0};
    GameFile map =
        spec->map.name ? (GameFile){spec->map.name, slice_of(spec->map.text)} : (GameFile){0};
    uint32_t most = wish->request->account ? TURN_MS_MOST : wish->game->talk.turn_ms;
    if (!config_int(&wish->body, 0, "turn_time", 1, most, &wanted, &wish->error))
        return false;
    GameSetup *setup = wish->game->setup(&config, &map, spec->players, &wish->error);
    if (!setup)
        return false;
    uint32_t turn = wanted ? (uint32_t)wanted : setup->talk.turn_ms;
    uint32_t start = setup->talk.start_ms;
    uint32_t start_most =
        wish->game->talk.start_ms > TURN_MS_MOST ? wish->game->talk.start_ms : TURN_MS_MOST;
    wish->game->setup_free(setup);
    spec->terms.turn_ms = turn < most || turn <= wish->game->talk.turn_ms ? turn : most;
    spec->terms.start_ms = start < start_most ? start : start_most;
    return true;
}

static bool take_rules(Wish *wish) {
    uint32_t map;
    uint32_t config;
    int64_t seed = -1;
    if (!find_text(wish, 0, "map", &map) || !find_text(wish, 0, "config", &config) ||
        !config_int(&wish->body, 0, "seed", 0, SEED_MOST, &seed, &wish->error) ||
        !config_bool(&wish->body, 0, "open", &wish->open, &wish->error))
        return false;
    if (config != JSON_NONE && !wish->request->account)
        return config_refuse(&wish->body, config, &wish->error,
                             "a configuration of one's own needs an account");
    if (seed >= 0)
        wish->seed = (uint64_t)seed;
    else if (getrandom(&wish->seed, sizeof wish->seed, 0) == (ssize_t)sizeof wish->seed)
        wish->seed >>= 11;
    char *map_name = map == JSON_NONE ? NULL : copy_of(text_of(wish, map));
    char *config_text = config == JSON_NONE ? NULL : copy_of(text_of(wish, config));
    bool good = spec_choose(&wish->spec, wish->game, map_name, config_text, wish->spec.players,
                            wish->seed, &wish->error);
    free(map_name);
    free(config_text);
    return good && cap_times(wish);
}

/* Everybody reads the standard error of all players of an open match: so all must be the asker's own. */
static bool check_open(Wish *wish) {
    for (uint32_t i = 0; wish->open && i < wish->spec.players; i++)
        if (wish->owners[i] && !auth_is_or_organises(wish->request, wish->owners[i]))
            return error_set(&wish->error,
                             "an open match shows what all its bots write to standard error, so "
                             "it can be played with your own bots only");
    return true;
}

static bool take_body(Wish *wish) {
    static const char *const known[] = {"game",      "map",   "config", "seed",
                                        "turn_time", "seats", "open",   NULL};
    uint32_t game;
    if (!config_known(&wish->body, 0, known, &wish->error) || !find_text(wish, 0, "game", &game))
        return false;
    char *name = game == JSON_NONE ? NULL : copy_of(text_of(wish, game));
    wish->game = name ? game_find(name) : NULL;
    free(name);
    if (!wish->game) {
        config_refuse(&wish->body, 0, &wish->error,
                      "\"game\" must be the name of a game; /api/v1/games lists them");
        return false;
    }
    return take_seats(wish) && take_rules(wish) && check_open(wish);
}

/* ---- the answer ---- */

static Outcome ask_for(Wish *wish) {
    Arena *arena = arena_of(wish->request);
    Buffer spec = {0};
    uint64_t id = 0;
    char topic[LIVE_TOPIC_MAX];
    char location[64];
    char key[MATCH_KEY_SIZE];
    StoreMatches matches = {0};
    spec_write(&wish->spec, &spec);
    StoreNewMatch match = {.kind = MATCH_PLAY_NOW,
                           .open = wish->open,
                           .game = wish->game->name,
                           .map = wish->spec.map.name ? wish->spec.map.name : "",
                           .seed = wish->seed,
                           .requester = wish->request->account,
                           .spec = buffer_string(&spec),
                           .players = wish->spec.players,
                           .seats = wish->seats};
    StoreResult result = store_queue_matches(arena->store, &match, 1, &id, &wish->error);
    buffer_free(&spec);
    if (result == STORE_OK) {
        snprintf(topic, sizeof topic, "match-%" PRIu64, id);
        live_open(arena->live, topic, LIVE_MATCH_EVENTS, LIVE_MATCH_BYTES);
        engine_wake(arena->engine);
        result = store_match_get(arena->store, id, &matches, &wish->error);
    }
    match_key(id, key);
    if (result == STORE_OK)
        result = match_json(arena, &matches.rows[0], wish->request->account ? NULL : key,
                            &wish->response->bytes, &wish->error);
    store_matches_free(&matches);
    if (result != STORE_OK)
        return api_store_problem(wish->request, wish->response, result, &wish->error);
    snprintf(location, sizeof location, "/api/v1/matches/%" PRIu64, id);
    response_header(wish->response, HEADER_LOCATION, slice_of(location));
    wish->response->status = 201;
    wish->response->secret = !wish->request->account;
    return OUTCOME_ANSWERED;
}

Outcome play_now(Request *request, Response *response) {
    Wish *wish = calloc(1, sizeof *wish);
    if (!wish)
        abort();
    wish->request = request;
    wish->response = response;
    Outcome outcome = OUTCOME_ANSWERED;
    if (api_body(request, response, &wish->body) &&
        (request->account ? admit_account(wish) : admit_visitor(wish)))
        outcome =
            take_body(wish) ? ask_for(wish) : api_body_problem(request, response, &wish->error);
    config_free(&wish->body);
    spec_free(&wish->spec);
    free(wish);
    return outcome;
}
