/* See match_request.h. */
#include "arena/api/match_request.h"

#include "arena/api/match_json.h"
#include "arena/bots/bots.h"
#include "arena/people/people.h"
#include "arena/settings.h"
#include "base/memory.h"
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

static Store *store_of(const MatchRequest *wanted) {
    return arena_of(wanted->request)->store;
}

static Slice text_of(const MatchRequest *wanted, uint32_t node) {
    return wanted->body.json.nodes[node].text;
}

/* A member that is a text without NUL; JSON_NONE if it is not there. */
static bool find_text(MatchRequest *wanted, uint32_t object, const char *field, uint32_t *node) {
    if (!json_object_member(&wanted->body, object, field, JSON_STRING, node, &wanted->error))
        return false;
    Slice text = *node == JSON_NONE ? (Slice){"", 0} : text_of(wanted, *node);
    return !text.length || !memchr(text.at, '\0', text.length) ||
           json_object_error(&wanted->body, *node, &wanted->error, "\"%s\" holds a NUL character",
                             field);
}

MatchRequest *match_request_new(const Request *request, Response *response) {
    MatchRequest *wanted = xcalloc(1, sizeof *wanted);
    wanted->request = request;
    wanted->response = response;
    if (api_body(request, response, &wanted->body))
        return wanted;
    match_request_free(wanted);
    return NULL;
}

void match_request_free(MatchRequest *wanted) {
    if (!wanted)
        return;
    json_object_free(&wanted->body);
    queued_match_free(&wanted->setup);
    store_matches_free(&wanted->from);
    free(wanted);
}

/* ---- who may ---- */

bool match_request_admit_visitor(const MatchRequest *wanted, bool person) {
    const Request *request = wanted->request;
    const Arena *arena = arena_of(request);
    StoreQueueSize size;
    Error error;
    if (!arena_visitors(arena)) {
        problem(request, wanted->response, 401, "playing here needs an account");
        return false;
    }
    /* It brings rules of its own, as a configuration does, and stays in the store with its
       match. */
    if (match_request_is_long(wanted)) {
        problem(request, wanted->response, 401,
                "to play on from a file of one's own needs an account");
        return false;
    }
    uint32_t people = arena->options.people_per_address;
    uint32_t wait = limits_take_shared(http_limits(request->http), RATE_VISITOR,
                                       address_key(request->address), people, request->began);
    if (wait) {
        problem_retry(request, wanted->response, 429, wait,
                      "without an account only a few matches may be asked for from one address; "
                      "try again after a while");
        return false;
    }
    if (store_queue_size(arena->store, &size, &error) == STORE_OK &&
        (person ? size.people : size.matches[MATCH_PLAY_NOW]) >=
            (uint64_t)CROWD * arena->options.waiting_max * people) {
        problem_retry(request, wanted->response, 503, 10,
                      "many matches wait already; try again after a while");
        return false;
    }
    return true;
}

uint32_t match_request_players_most(const MatchRequest *wanted) {
    return wanted->request->account ? GAME_PLAYERS_MAX : VISITOR_PLAYERS_MOST;
}

/* ---- a recorded match to begin with ---- */

bool match_request_is_long(const MatchRequest *wanted) {
    uint32_t from = json_member(&wanted->body.json, 0, "from");
    return from != JSON_NONE && wanted->body.json.nodes[from].kind == JSON_OBJECT &&
           json_member(&wanted->body.json, from, "replay") != JSON_NONE;
}

/* Bots that say a lot make large replays. */
static bool is_small(const MatchRequest *wanted, const StoreFile *replay) {
    int64_t size = 0;
    Error error;
    int file = store_file_open(store_of(wanted), replay, &size, &error);
    if (file >= 0)
        close(file);
    return file >= 0 && size <= PRELUDE_MOST;
}

/* A match of this arena: what was asked for then is asked for now. */
static bool begin_as_match(MatchRequest *wanted, uint32_t node, uint64_t id, uint32_t turn) {
    Buffer text = {0};
    QueuedMatch old = {0};
    Error error;
    if (store_match_get(store_of(wanted), id, &wanted->from, &error) != STORE_OK)
        return json_object_error(&wanted->body, node, &wanted->error, "there is no match %" PRIu64,
                                 id);
    const StoreMatch *match = &wanted->from.rows[0];
    if (!match->replay.name[0])
        return json_object_error(&wanted->body, node, &wanted->error,
                                 "match %" PRIu64 " has no replay%s", id,
                                 match_lacks_replay(match));
    if (turn >= match->turns)
        return json_object_error(&wanted->body, node, &wanted->error,
                                 "match %" PRIu64 " was over after turn %u", id, match->turns);
    if (!is_small(wanted, &match->replay))
        return json_object_error(
            &wanted->body, node, &wanted->error,
            "the replay of match %" PRIu64 " is too large to be played on from", id);
    bool good = store_match_spec(store_of(wanted), id, &text, &wanted->error) == STORE_OK &&
                queued_match_read(&old, (Slice){text.data, text.length}, &wanted->error);
    if (good) {
        wanted->game = game_find(slice_of(match->game), NULL);
        wanted->seed = match->seed;
        wanted->setup.players = match->players;
        wanted->setup.config = old.config;
        wanted->setup.map = old.map;
        old.config = old.map = (PlanFile){0};
        wanted->setup.terms.turn_ms = old.terms.turn_ms;
        wanted->setup.terms.start_ms = old.terms.start_ms;
        wanted->setup.from_match = turn ? id : 0;
    }
    queued_match_free(&old);
    buffer_free(&text);
    return good;
}

static PlanFile copy_file(const GameFile *file) {
    return file->name ? (PlanFile){xstrdup(file->name), slice_copy(file->text)} : (PlanFile){0};
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
static bool begin_as_replay(MatchRequest *wanted, uint32_t node, uint32_t turn) {
    Slice text = text_of(wanted, node);
    size_t length = 0;
    Buffer bytes = {0};
    if (sodium_base642bin((unsigned char *)buffer_reserve(&bytes, REPLAY_MOST), REPLAY_MOST,
                          text.at, text.length, NULL, &length, NULL,
                          sodium_base64_VARIANT_ORIGINAL) != 0) {
        buffer_free(&bytes);
        return json_object_error(&wanted->body, node, &wanted->error,
                                 "\"replay\" is a replay file in base64, of 1 MiB at most");
    }
    bytes.length = length;
    Replay *replay =
        replay_open_uploaded("the replay", (Slice){bytes.data, bytes.length}, &wanted->error);
    bool good = replay && can_begin(replay, turn, &wanted->error);
    if (good) {
        const ReplayHeader *header = replay_header(replay);
        wanted->game = header->game;
        wanted->seed = header->seed;
        wanted->setup.players = header->players;
        wanted->setup.config = copy_file(&header->config);
        wanted->setup.map = copy_file(&header->map);
        wanted->setup.terms.turn_ms = header->turn_ms;
        wanted->setup.terms.start_ms = header->start_ms;
        good = !turn || store_file_put(store_of(wanted), (Slice){bytes.data, bytes.length},
                                       &wanted->source, &wanted->error) == STORE_OK;
    }
    replay_free(replay);
    buffer_free(&bytes);
    return good;
}

static bool take_from(MatchRequest *wanted, uint32_t from) {
    static const char *const known[] = {"match", "replay", "turn", NULL};
    uint32_t replay;
    int64_t match = 0;
    int64_t turn = -1;
    if (!json_object_allow_only(&wanted->body, from, known, &wanted->error) ||
        !json_object_int(&wanted->body, from, "match", 1, INT64_MAX, &match, &wanted->error) ||
        !json_object_int(&wanted->body, from, "turn", 0, UINT32_MAX - 1, &turn, &wanted->error) ||
        !find_text(wanted, from, "replay", &replay))
        return false;
    if (turn < 0 || !match == (replay == JSON_NONE))
        return json_object_error(&wanted->body, from, &wanted->error,
                                 "\"from\" has a \"match\" or a \"replay\", and a \"turn\"");
    if (!(match ? begin_as_match(wanted, from, (uint64_t)match, (uint32_t)turn)
                : begin_as_replay(wanted, replay, (uint32_t)turn)))
        return false;
    wanted->begins = true;
    wanted->setup.from_turn = (uint32_t)turn;
    return wanted->setup.players <= match_request_players_most(wanted) ||
           json_object_error(&wanted->body, from, &wanted->error,
                             "without an account one may play with %u players at most",
                             match_request_players_most(wanted));
}

bool match_request_take_game(MatchRequest *wanted) {
    uint32_t node;
    uint32_t from;
    if (!json_object_member(&wanted->body, 0, "from", JSON_OBJECT, &from, &wanted->error) ||
        !find_text(wanted, 0, "game", &node) || (from != JSON_NONE && !take_from(wanted, from)))
        return false;
    const Game *recorded = wanted->game;
    if (node != JSON_NONE || !recorded) {
        if (node == JSON_NONE)
            return json_object_error(&wanted->body, 0, &wanted->error, "\"game\" is required");
        Error inner;
        wanted->game = game_find(text_of(wanted, node), &inner);
        if (!wanted->game)
            return json_object_error(&wanted->body, node, &wanted->error, "%s", inner.text);
    }
    return !recorded || recorded == wanted->game ||
           json_object_error(&wanted->body, node, &wanted->error, "the recorded match is one of %s",
                             recorded->name);
}

/* ---- seats ---- */

static bool take_version(MatchRequest *wanted, uint32_t seat, uint32_t node, const StoreBot *bot,
                         uint64_t version) {
    if (strcmp(bot->game, wanted->game->name) != 0)
        return json_object_error(&wanted->body, node, &wanted->error, "%s/%s plays %s, not %s",
                                 bot->owner_name, bot->name, bot->game, wanted->game->name);
    if (!version)
        return json_object_error(&wanted->body, node, &wanted->error,
                                 "%s/%s has no version that can play now", bot->owner_name,
                                 bot->name);
    wanted->seats[seat] = (StoreNewSeat){.bot = bot->id, .version = version};
    wanted->owners[seat] = bot->owner;
    return true;
}

bool match_request_take_active(MatchRequest *wanted, uint32_t seat, uint32_t node,
                               const StoreBot *bot) {
    return take_version(wanted, seat, node, bot, bot->active);
}

/* "owner/name" */
bool match_request_take_bot(MatchRequest *wanted, uint32_t seat, uint32_t node) {
    StoreBot bot;
    Error error;
    char *text = slice_copy(text_of(wanted, node));
    char *slash = strchr(text, '/');
    if (slash)
        *slash = '\0';
    bool found =
        slash && store_bot_find(store_of(wanted), text, slash + 1, &bot, &error) == STORE_OK;
    free(text);
    return found ? take_version(wanted, seat, node, &bot, bot.active)
                 : json_object_error(&wanted->body, node, &wanted->error,
                                     "there is no bot \"%.*s\"; it is written owner/name",
                                     SLICE_ARGS(text_of(wanted, node)));
}

/* A version that is not the active one is its owner's to try. */
static bool take_numbered(MatchRequest *wanted, uint32_t seat, uint32_t node) {
    StoreVersion version;
    StoreBot bot;
    Error error;
    uint64_t id = 0;
    bool found = json_uint64(&wanted->body.json, node, &id) && id <= INT64_MAX &&
                 store_version_get(store_of(wanted), id, &version, &error) == STORE_OK &&
                 store_bot_get(store_of(wanted), version.bot, &bot, &error) == STORE_OK &&
                 (bot.active == id || auth_is_owner_or_organiser(wanted->request, bot.owner));
    if (!found)
        return json_object_error(&wanted->body, node, &wanted->error, "there is no such version");
    if (version.build != BUILD_GOOD)
        return json_object_error(&wanted->body, node, &wanted->error,
                                 "that version is not built, or could not be");
    return take_version(wanted, seat, node, &bot, id);
}

static bool take_draft(MatchRequest *wanted, uint32_t seat, uint32_t language, uint32_t source) {
    size_t most = wanted->request->account ? SOURCE_MOST : VISITOR_SOURCE_MOST;
    const Language *known = languages_all;
    while (known->name && !slice_equals(text_of(wanted, language), known->name))
        known++;
    if (!known->name || !language_is_installed(known))
        return json_object_error(&wanted->body, language, &wanted->error,
                                 "this arena has no language \"%.*s\"",
                                 SLICE_ARGS(text_of(wanted, language)));
    if (!text_of(wanted, source).length || text_of(wanted, source).length > most)
        return json_object_error(&wanted->body, source, &wanted->error,
                                 "\"source\" has 1 to %zu bytes", most);
    wanted->setup.seats[seat].language = slice_copy(text_of(wanted, language));
    wanted->setup.seats[seat].source = slice_copy(text_of(wanted, source));
    snprintf(wanted->labels[seat], sizeof wanted->labels[seat], "draft");
    wanted->seats[seat] = (StoreNewSeat){.label = wanted->labels[seat]};
    return true;
}

bool match_request_take_seat(MatchRequest *wanted, uint32_t seat, uint32_t node) {
    static const char *const known[] = {"bot", "version", "language", "source", NULL};
    uint32_t bot;
    uint32_t language;
    uint32_t source;
    uint32_t version;
    if (wanted->body.json.nodes[node].kind != JSON_OBJECT)
        return json_object_error(&wanted->body, node, &wanted->error, "a seat is an object");
    if (!json_object_allow_only(&wanted->body, node, known, &wanted->error) ||
        !find_text(wanted, node, "bot", &bot) || !find_text(wanted, node, "language", &language) ||
        !find_text(wanted, node, "source", &source) ||
        !json_object_member(&wanted->body, node, "version", JSON_NUMBER, &version, &wanted->error))
        return false;
    bool code = language != JSON_NONE && source != JSON_NONE;
    if ((bot != JSON_NONE) + (version != JSON_NONE) + code != 1 ||
        (!code && (language != JSON_NONE || source != JSON_NONE)))
        return json_object_error(
            &wanted->body, node, &wanted->error,
            "a seat has a \"bot\", a \"version\", or \"language\" and \"source\"");
    return code               ? take_draft(wanted, seat, language, source)
           : bot != JSON_NONE ? match_request_take_bot(wanted, seat, bot)
                              : take_numbered(wanted, seat, version);
}

bool match_request_take_recorded(MatchRequest *wanted, uint32_t seat) {
    StoreBot bot;
    Error error;
    const StoreSeat *row = wanted->from.count ? &wanted->from.rows[0].seats[seat] : NULL;
    if (!row || !row->version)
        return error_set(&wanted->error,
                         "player %u of the recorded match was no bot of this arena; say who is to "
                         "play its seat",
                         seat + 1);
    if (store_bot_get(store_of(wanted), row->bot, &bot, &error) != STORE_OK || bot.retired)
        return error_set(&wanted->error,
                         "%s, player %u of the recorded match, plays no more; say "
                         "who is to play its seat",
                         row->name, seat + 1);
    return take_version(wanted, seat, 0, &bot, row->version);
}

/* ---- the rules ---- */

uint32_t match_request_turn_most(const MatchRequest *wanted) {
    return wanted->request->account ? TURN_MS_MOST : wanted->game->talk.turn_ms;
}

/* Times and memory are capped whatever the configuration says. */
static bool cap_terms(MatchRequest *wanted, uint32_t turn_ms) {
    QueuedMatch *setup = &wanted->setup;
    GameFile config = setup->config.name
                          ? (GameFile){setup->config.name, slice_of(setup->config.text)}
                          : (GameFile){0};
    GameFile map =
        setup->map.name ? (GameFile){setup->map.name, slice_of(setup->map.text)} : (GameFile){0};
    uint32_t most = match_request_turn_most(wanted);
    GameSetup *game_setup = wanted->game->setup(&config, &map, setup->players, &wanted->error);
    if (!game_setup)
        return false;
    uint32_t turn = turn_ms                ? turn_ms
                    : setup->terms.turn_ms ? setup->terms.turn_ms
                                           : game_setup->talk.turn_ms;
    uint32_t start = setup->terms.start_ms ? setup->terms.start_ms : game_setup->talk.start_ms;
    uint32_t start_most =
        wanted->game->talk.start_ms > TURN_MS_MOST ? wanted->game->talk.start_ms : TURN_MS_MOST;
    if (game_setup->talk.memory_kib >> 10 > MEMORY_MIB_MOST)
        setup->terms.limits[LIMIT_MEMORY] = MEMORY_MIB_MOST;
    uint32_t turns = game_setup->turns_max;
    wanted->game->setup_free(game_setup);
    setup->terms.turn_ms = turn < most || turn <= wanted->game->talk.turn_ms ? turn : most;
    setup->terms.start_ms = start < start_most ? start : start_most;
    uint64_t longest = (uint64_t)turns * setup->players * setup->terms.turn_ms;
    return longest <= MATCH_HOURS_MOST * UINT64_C(3600000) ||
           error_set(&wanted->error,
                     "body: %u turns of %u players who have %u ms each may take %" PRIu64
                     " hours, and a match has %d at most; give a shorter turn_time, or a "
                     "configuration with fewer turns",
                     turns, setup->players, setup->terms.turn_ms, longest / 3600000 + 1,
                     MATCH_HOURS_MOST);
}

/* Map, configuration and seed as the body has them. */
static bool choose_rules(MatchRequest *wanted, uint32_t map, uint32_t config, int64_t seed) {
    if (config != JSON_NONE && !wanted->request->account)
        return json_object_error(&wanted->body, config, &wanted->error,
                                 "a configuration of one's own needs an account");
    if (seed >= 0)
        wanted->seed = (uint64_t)seed;
    else {
        randombytes_buf(&wanted->seed, sizeof wanted->seed);
        wanted->seed >>= 11;
    }
    char *map_name = map == JSON_NONE ? NULL : slice_copy(text_of(wanted, map));
    char *config_text = config == JSON_NONE ? NULL : slice_copy(text_of(wanted, config));
    bool good = queued_match_choose(&wanted->setup, wanted->game, map_name, config_text,
                                    wanted->setup.players, wanted->seed, &wanted->error);
    free(map_name);
    free(config_text);
    return good;
}

bool match_request_take_rules(MatchRequest *wanted, uint32_t turn_ms) {
    uint32_t map;
    uint32_t config;
    int64_t seed = -1;
    if (!find_text(wanted, 0, "map", &map) || !find_text(wanted, 0, "config", &config) ||
        !json_object_int(&wanted->body, 0, "seed", 0, SEED_MOST, &seed, &wanted->error))
        return false;
    if (wanted->begins && (map != JSON_NONE || config != JSON_NONE || seed >= 0))
        return json_object_error(&wanted->body, 0, &wanted->error,
                                 "map, configuration and seed are those of the recorded match");
    return (wanted->begins || choose_rules(wanted, map, config, seed)) &&
           cap_terms(wanted, turn_ms);
}

StoreNewMatch match_request_match(MatchRequest *wanted, Buffer *json) {
    StoreNewMatch match = {.kind = MATCH_PLAY_NOW,
                           .game = wanted->game->name,
                           .map = wanted->setup.map.name ? wanted->setup.map.name : "",
                           .seed = wanted->seed,
                           .requester = wanted->request->account,
                           .players = wanted->setup.players,
                           .seats = wanted->seats};
    queued_match_write(&wanted->setup, json);
    match.spec = buffer_string(json);
    wanted->seats[0].source = wanted->source;
    for (uint32_t i = 0; i < wanted->setup.players; i++)
        match.person |= wanted->setup.seats[i].person_ms != 0;
    return match;
}
