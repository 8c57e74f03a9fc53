/* See wish.h. */
#include "arena/api/match_request.h"

#include "arena/api/match_json.h"
#include "arena/bots/versions.h"
#include "arena/people/auth.h"
#include "arena/settings.h"
#include "match/replay.h"

#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    TURN_MS_MOST = 5000,
    MATCH_HOURS_MOST =
        3, /* if every bot takes all its time: so long it may keep others from playing */
    MEMORY_MIB_MOST = 2560, /* what Footsoldiers gives its bots where nothing else is said */
    SOURCE_MOST = 256 << 10,
    VISITOR_SOURCE_MOST = 64 << 10,
    VISITOR_PLAYERS_MOST = 4,
    REPLAY_MOST = 1 << 20,   /* bytes of one that is sent along */
    PRELUDE_MOST = 16 << 20, /* and of any: the engine and a runner have it in memory */
    CROWD = 4, /* times waiting_max: so many matches wait, and visitors have to come later */
};

#define SEED_MOST ((INT64_C(1) << 53) - 1) /* every reader of JSON keeps that whole */

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

Wish *wish_new(const Request *request, Response *response) {
    Wish *wish = calloc(1, sizeof *wish);
    if (!wish)
        abort();
    wish->request = request;
    wish->response = response;
    if (api_body(request, response, &wish->body))
        return wish;
    wish_free(wish);
    return NULL;
}

void wish_free(Wish *wish) {
    if (!wish)
        return;
    config_free(&wish->body);
    spec_free(&wish->spec);
    store_matches_free(&wish->from);
    free(wish);
}

/* ---- who may ---- */

bool wish_admit_visitor(const Wish *wish, bool person) {
    const Request *request = wish->request;
    const Arena *arena = arena_of(request);
    StoreQueueSize size;
    Error error;
    if (!arena_visitors(arena)) {
        problem(request, wish->response, 401, "playing here needs an account");
        return false;
    }
    /* It brings rules of its own, as a configuration does, and stays in the store with its
       match. */
    if (wish_is_long(wish)) {
        problem(request, wish->response, 401,
                "to play on from a file of one's own needs an account");
        return false;
    }
    uint32_t people = arena->options.people_per_address;
    uint32_t wait = limits_take_shared(http_limits(request->http), RATE_VISITOR,
                                       address_key(request->address), people, request->began);
    if (wait) {
        problem_retry(request, wish->response, 429, wait,
                      "without an account only a few matches may be asked for from one address; "
                      "try again after a while");
        return false;
    }
    if (store_queue_size(arena->store, &size, &error) == STORE_OK &&
        (person ? size.people : size.matches[MATCH_PLAY_NOW]) >=
            (uint64_t)CROWD * arena->options.waiting_max * people) {
        problem_retry(request, wish->response, 503, 10,
                      "many matches wait already; try again after a while");
        return false;
    }
    return true;
}

uint32_t wish_players_most(const Wish *wish) {
    return wish->request->account ? GAME_PLAYERS_MAX : VISITOR_PLAYERS_MOST;
}

/* ---- a recorded match to begin with ---- */

bool wish_is_long(const Wish *wish) {
    uint32_t from = json_member(&wish->body.json, 0, "from");
    return from != JSON_NONE && wish->body.json.nodes[from].kind == JSON_OBJECT &&
           json_member(&wish->body.json, from, "replay") != JSON_NONE;
}

/* Bots that say a lot make large replays. */
static bool is_small(const Wish *wish, const StoreFile *replay) {
    int64_t size = 0;
    Error error;
    int file = store_file_open(store_of(wish), replay, &size, &error);
    if (file >= 0)
        close(file);
    return file >= 0 && size <= PRELUDE_MOST;
}

/* A match of this arena: what was asked for then is asked for now. */
static bool begin_as_match(Wish *wish, uint32_t node, uint64_t id, uint32_t turn) {
    Buffer text = {0};
    MatchSpec old = {0};
    Error error;
    if (store_match_get(store_of(wish), id, &wish->from, &error) != STORE_OK)
        return config_refuse(&wish->body, node, &wish->error, "there is no match %" PRIu64, id);
    const StoreMatch *match = &wish->from.rows[0];
    if (!match->replay.name[0])
        return config_refuse(&wish->body, node, &wish->error, "match %" PRIu64 " has no replay%s",
                             id, match_lacks_replay(match));
    if (turn >= match->turns)
        return config_refuse(&wish->body, node, &wish->error,
                             "match %" PRIu64 " was over after turn %u", id, match->turns);
    if (!is_small(wish, &match->replay))
        return config_refuse(&wish->body, node, &wish->error,
                             "the replay of match %" PRIu64 " is too large to be played on from",
                             id);
    bool good = store_match_spec(store_of(wish), id, &text, &wish->error) == STORE_OK &&
                spec_read(&old, (Slice){text.data, text.length}, &wish->error);
    if (good) {
        wish->game = game_find(match->game);
        wish->seed = match->seed;
        wish->spec.players = match->players;
        wish->spec.config = old.config;
        wish->spec.map = old.map;
        old.config = old.map = (PlanFile){0};
        wish->spec.terms.turn_ms = old.terms.turn_ms;
        wish->spec.terms.start_ms = old.terms.start_ms;
        wish->spec.from_match = turn ? id : 0;
    }
    spec_free(&old);
    buffer_free(&text);
    return good;
}

static PlanFile copy_file(const GameFile *file) {
    return file->name ? (PlanFile){copy_of(slice_of(file->name)), copy_of(file->text)}
                      : (PlanFile){0};
}

/* Whether its game takes its configuration, and it goes on after that turn. That its answers lead
   where it says is seen by the runner: a false one is given up, and its match says why. */
static bool can_begin(Replay *replay, uint32_t turn, Error *error) {
    Board board;
    if (!replay_board(replay, &board, error))
        return false;
    board_free(&board);
    return replay_goes_beyond(replay, turn, error);
}

/* A replay that was sent along: it goes into the store as the source of the first seat. */
static bool begin_as_replay(Wish *wish, uint32_t node, uint32_t turn) {
    Slice text = text_of(wish, node);
    size_t length = 0;
    Buffer bytes = {0};
    if (sodium_base642bin((unsigned char *)buffer_reserve(&bytes, REPLAY_MOST), REPLAY_MOST,
                          text.at, text.length, NULL, &length, NULL,
                          sodium_base64_VARIANT_ORIGINAL) != 0) {
        buffer_free(&bytes);
        return config_refuse(&wish->body, node, &wish->error,
                             "\"replay\" is a replay file in base64, of 1 MiB at most");
    }
    bytes.length = length;
    Replay *replay =
        replay_open_sent("the replay", (Slice){bytes.data, bytes.length}, &wish->error);
    bool good = replay && can_begin(replay, turn, &wish->error);
    if (good) {
        const ReplayHeader *header = replay_header(replay);
        wish->game = header->game;
        wish->seed = header->seed;
        wish->spec.players = header->players;
        wish->spec.config = copy_file(&header->config);
        wish->spec.map = copy_file(&header->map);
        wish->spec.terms.turn_ms = header->turn_ms;
        wish->spec.terms.start_ms = header->start_ms;
        good = !turn || store_file_put(store_of(wish), (Slice){bytes.data, bytes.length},
                                       &wish->source, &wish->error) == STORE_OK;
    }
    replay_free(replay);
    buffer_free(&bytes);
    return good;
}

static bool take_from(Wish *wish, uint32_t from) {
    static const char *const known[] = {"match", "replay", "turn", NULL};
    uint32_t replay;
    int64_t match = 0;
    int64_t turn = -1;
    if (!config_known(&wish->body, from, known, &wish->error) ||
        !config_int(&wish->body, from, "match", 1, INT64_MAX, &match, &wish->error) ||
        !config_int(&wish->body, from, "turn", 0, UINT32_MAX - 1, &turn, &wish->error) ||
        !find_text(wish, from, "replay", &replay))
        return false;
    if (turn < 0 || !match == (replay == JSON_NONE))
        return config_refuse(&wish->body, from, &wish->error,
                             "\"from\" has a \"match\" or a \"replay\", and a \"turn\"");
    if (!(match ? begin_as_match(wish, from, (uint64_t)match, (uint32_t)turn)
                : begin_as_replay(wish, replay, (uint32_t)turn)))
        return false;
    wish->begins = true;
    wish->spec.from_turn = (uint32_t)turn;
    return wish->spec.players <= wish_players_most(wish) ||
           config_refuse(&wish->body, from, &wish->error,
                         "without an account one may play with %u players at most",
                         wish_players_most(wish));
}

bool wish_take_game(Wish *wish) {
    uint32_t node;
    uint32_t from;
    if (!config_kind(&wish->body, 0, "from", JSON_OBJECT, &from, &wish->error) ||
        !find_text(wish, 0, "game", &node) || (from != JSON_NONE && !take_from(wish, from)))
        return false;
    const Game *recorded = wish->game;
    if (node != JSON_NONE || !recorded) {
        char *name = node == JSON_NONE ? NULL : copy_of(text_of(wish, node));
        wish->game = name ? game_find(name) : NULL;
        free(name);
    }
    if (!wish->game)
        return config_refuse(&wish->body, 0, &wish->error,
                             "\"game\" must be the name of a game; /api/v1/games lists them");
    return !recorded || recorded == wish->game ||
           config_refuse(&wish->body, node, &wish->error, "the recorded match is one of %s",
                         recorded->name);
}

/* ---- seats ---- */

static bool take_version(Wish *wish, uint32_t seat, uint32_t node, const StoreBot *bot,
                         uint64_t version) {
    if (strcmp(bot->game, wish->game->name) != 0)
        return config_refuse(&wish->body, node, &wish->error, "%s/%s plays %s, not %s",
                             bot->owner_name, bot->name, bot->game, wish->game->name);
    if (!version)
        return config_refuse(&wish->body, node, &wish->error,
                             "%s/%s has no version that can play now", bot->owner_name, bot->name);
    wish->seats[seat] = (StoreNewSeat){.bot = bot->id, .version = version};
    wish->owners[seat] = bot->owner;
    return true;
}

bool wish_take_active(Wish *wish, uint32_t seat, uint32_t node, const StoreBot *bot) {
    return take_version(wish, seat, node, bot, bot->active);
}

/* "owner/name" */
bool wish_take_bot(Wish *wish, uint32_t seat, uint32_t node) {
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

bool wish_take_seat(Wish *wish, uint32_t seat, uint32_t node) {
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
           : bot != JSON_NONE ? wish_take_bot(wish, seat, bot)
                              : take_numbered(wish, seat, version);
}

bool wish_take_recorded(Wish *wish, uint32_t seat) {
    StoreBot bot;
    Error error;
    const StoreSeat *row = wish->from.count ? &wish->from.rows[0].seats[seat] : NULL;
    if (!row || !row->version)
        return error_set(&wish->error,
                         "player %u of the recorded match was no bot of this arena; say who is to "
                         "play its seat",
                         seat + 1);
    if (store_bot_get(store_of(wish), row->bot, &bot, &error) != STORE_OK || bot.retired)
        return error_set(&wish->error,
                         "%s, player %u of the recorded match, plays no more; say "
                         "who is to play its seat",
                         row->name, seat + 1);
    return take_version(wish, seat, 0, &bot, row->version);
}

/* ---- the rules ---- */

uint32_t wish_turn_most(const Wish *wish) {
    return wish->request->account ? TURN_MS_MOST : wish->game->talk.turn_ms;
}

/* Times and memory are capped whatever the configuration says. */
static bool cap_terms(Wish *wish, uint32_t wanted) {
    MatchSpec *spec = &wish->spec;
    GameFile config = spec->config.name ? (GameFile){spec->config.name, slice_of(spec->config.text)}
                                        : (GameFile){0};
    GameFile map =
        spec->map.name ? (GameFile){spec->map.name, slice_of(spec->map.text)} : (GameFile){0};
    uint32_t most = wish_turn_most(wish);
    GameSetup *setup = wish->game->setup(&config, &map, spec->players, &wish->error);
    if (!setup)
        return false;
    uint32_t turn = wanted                ? wanted
                    : spec->terms.turn_ms ? spec->terms.turn_ms
                                          : setup->talk.turn_ms;
    uint32_t start = spec->terms.start_ms ? spec->terms.start_ms : setup->talk.start_ms;
    uint32_t start_most =
        wish->game->talk.start_ms > TURN_MS_MOST ? wish->game->talk.start_ms : TURN_MS_MOST;
    if (setup->talk.memory_kib >> 10 > MEMORY_MIB_MOST)
        spec->terms.limits[LIMIT_MEMORY] = MEMORY_MIB_MOST;
    uint32_t turns = setup->turns_max;
    wish->game->setup_free(setup);
    spec->terms.turn_ms = turn < most || turn <= wish->game->talk.turn_ms ? turn : most;
    spec->terms.start_ms = start < start_most ? start : start_most;
    uint64_t longest = (uint64_t)turns * spec->players * spec->terms.turn_ms;
    return longest <= MATCH_HOURS_MOST * UINT64_C(3600000) ||
           error_set(&wish->error,
                     "body: %u turns of %u players who have %u ms each may take %" PRIu64
                     " hours, and a match has %d at most; give a shorter turn_time, or a "
                     "configuration with fewer turns",
                     turns, spec->players, spec->terms.turn_ms, longest / 3600000 + 1,
                     MATCH_HOURS_MOST);
}

/* Map, configuration and seed as the body has them. */
static bool choose_rules(Wish *wish, uint32_t map, uint32_t config, int64_t seed) {
    if (config != JSON_NONE && !wish->request->account)
        return config_refuse(&wish->body, config, &wish->error,
                             "a configuration of one's own needs an account");
    if (seed >= 0)
        wish->seed = (uint64_t)seed;
    else {
        randombytes_buf(&wish->seed, sizeof wish->seed);
        wish->seed >>= 11;
    }
    char *map_name = map == JSON_NONE ? NULL : copy_of(text_of(wish, map));
    char *config_text = config == JSON_NONE ? NULL : copy_of(text_of(wish, config));
    bool good = spec_choose(&wish->spec, wish->game, map_name, config_text, wish->spec.players,
                            wish->seed, &wish->error);
    free(map_name);
    free(config_text);
    return good;
}

bool wish_take_rules(Wish *wish, uint32_t turn_ms) {
    uint32_t map;
    uint32_t config;
    int64_t seed = -1;
    if (!find_text(wish, 0, "map", &map) || !find_text(wish, 0, "config", &config) ||
        !config_int(&wish->body, 0, "seed", 0, SEED_MOST, &seed, &wish->error))
        return false;
    if (wish->begins && (map != JSON_NONE || config != JSON_NONE || seed >= 0))
        return config_refuse(&wish->body, 0, &wish->error,
                             "map, configuration and seed are those of the recorded match");
    return (wish->begins || choose_rules(wish, map, config, seed)) && cap_terms(wish, turn_ms);
}

StoreNewMatch wish_match(Wish *wish, Buffer *spec) {
    StoreNewMatch match = {.kind = MATCH_PLAY_NOW,
                           .game = wish->game->name,
                           .map = wish->spec.map.name ? wish->spec.map.name : "",
                           .seed = wish->seed,
                           .requester = wish->request->account,
                           .players = wish->spec.players,
                           .seats = wish->seats};
    spec_write(&wish->spec, spec);
    match.spec = buffer_string(spec);
    wish->seats[0].source = wish->source;
    for (uint32_t i = 0; i < wish->spec.players; i++)
        match.person |= wish->spec.seats[i].person_ms != 0;
    return match;
}
