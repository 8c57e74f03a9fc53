/* See match_request.h. */
#include "arena/api/match_request.h"

#include "arena/api/bot_routes.h"
#include "arena/api/match_json.h"
#include "arena/bots/bots.h"
#include "arena/disk.h"
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
    MATCH_HOURS_MOST = 3,   /* if every bot uses all its time, because others wait that long */
    MEMORY_MIB_MOST = 2560, /* the default of Footsoldiers */
    SOURCE_MOST = 256 << 10,
    VISITOR_SOURCE_MOST = 64 << 10,
    VISITOR_PLAYERS_MOST = 4,
    REPLAY_MOST = 1 << 20,   /* bytes of an uploaded replay */
    PRELUDE_MOST = 16 << 20, /* and of any replay: the engine and a runner hold it in memory */
    WAITING_LIMITS_MOST =
        40, /* visitors are turned away when WAITING_LIMITS_MOST * waiting_max matches wait */
};

#define SEED_MOST ((INT64_C(1) << 53) - 1) /* exact in every JSON parser */

static Store *store_of(const MatchRequest *wanted) {
    return arena_of(wanted->request)->store;
}

static Slice text_of(const MatchRequest *wanted, uint32_t node) {
    return wanted->body.json.nodes[node].text;
}

/* Finds a string without zero bytes; JSON_NONE if it is absent. */
static bool find_text(MatchRequest *wanted, uint32_t object, const char *field, uint32_t *node) {
    if (!json_object_member(&wanted->body, object, field, JSON_STRING, node, &wanted->error))
        return false;
    Slice text = *node == JSON_NONE ? (Slice){"", 0} : text_of(wanted, *node);
    return !text.length || !memchr(text.at, '\0', text.length) ||
           json_object_error(&wanted->body, *node, &wanted->error,
                             "\"%s\" must not contain a zero byte", field);
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

/* ---- problems ---- */

bool match_request_note(MatchRequest *wanted, StoreResult result) {
    wanted->result = result;
    return result == STORE_OK;
}

/* Like match_request_note, for something that the body names at `node`: if it does not exist, the
   body is wrong. */
static bool is_found(MatchRequest *wanted, uint32_t node, StoreResult result) {
    if (result != STORE_NOT_FOUND)
        return match_request_note(wanted, result);
    Error inner = wanted->error;
    return json_object_error(&wanted->body, node, &wanted->error, "%s", inner.text);
}

Outcome match_request_problem(const MatchRequest *wanted) {
    return wanted->result == STORE_OK
               ? api_body_problem(wanted->request, wanted->response, &wanted->error)
               : problem_from_store(wanted->request, wanted->response, wanted->result,
                                    &wanted->error);
}

/* ---- permissions ---- */

bool match_request_permit(Request *request, Response *response) {
    const Arena *arena = arena_of(request);
    if (disk_refuse(request, response))
        return false;
    if (request->account)
        return true;
    if (!arena_visitors(arena)) {
        problem(request, response, 401,
                "Only people with an account can play here. Log in or sign up.");
        return false;
    }
    uint32_t wait =
        limits_take_shared(http_limits(request->http), RATE_VISITOR, address_key(request->address),
                           arena->options.people_per_address, request->began);
    if (wait)
        problem_limit(request, response, wait, "Guest limit reached",
                      ", or sign up for more matches");
    return !wait;
}

bool match_request_admit_visitor(const MatchRequest *wanted, bool person) {
    const Request *request = wanted->request;
    const Arena *arena = arena_of(request);
    StoreQueueSize size;
    Error error;
    /* A replay contains a configuration, and stays in the store with its match. */
    if (match_request_is_long(wanted)) {
        problem(request, wanted->response, 401, "Log in to continue a match from a replay file.");
        return false;
    }
    uint32_t people = arena->options.people_per_address;
    if (store_queue_size(arena->store, &size, &error) == STORE_OK &&
        (person ? size.people : size.matches[MATCH_PLAY_NOW]) >=
            (uint64_t)WAITING_LIMITS_MOST * arena->options.waiting_max * people) {
        problem_retry(request, wanted->response, 503, 10,
                      "Too many matches are waiting. Try again in a few seconds.");
        return false;
    }
    return true;
}

uint32_t match_request_players_most(const MatchRequest *wanted) {
    return wanted->request->account ? GAME_PLAYERS_MAX : VISITOR_PLAYERS_MOST;
}

/* ---- continuing a recorded match ---- */

bool match_request_is_long(const MatchRequest *wanted) {
    uint32_t from = json_member(&wanted->body.json, 0, "from");
    return from != JSON_NONE && wanted->body.json.nodes[from].kind == JSON_OBJECT &&
           json_member(&wanted->body.json, from, "replay") != JSON_NONE;
}

/* Checks the size of the replay of a match: bots that print much make replays large. */
static bool is_small(MatchRequest *wanted, uint32_t node, const StoreMatch *match) {
    int64_t size = 0;
    int file = store_file_open(store_of(wanted), &match->replay, &size, &wanted->error);
    if (file < 0)
        return match_request_note(wanted, STORE_FAILED);
    close(file);
    return size <= PRELUDE_MOST ||
           json_object_error(&wanted->body, node, &wanted->error,
                             "the replay of match %" PRIu64 " is too large to continue from",
                             match->id);
}

/* Takes the setup from a match of this arena. */
static bool begin_as_match(MatchRequest *wanted, uint32_t node, uint64_t id, uint32_t turn) {
    Buffer text = {0};
    QueuedMatch old = {0};
    if (!is_found(wanted, node,
                  store_match_get(store_of(wanted), id, &wanted->from, &wanted->error)))
        return false;
    const StoreMatch *match = &wanted->from.rows[0];
    Error inner;
    if (!match->replay.name[0] && !match_no_replay_error(match, &inner))
        return json_object_error(&wanted->body, node, &wanted->error, "%s", inner.text);
    if (turn >= match->turns)
        return json_object_error(
            &wanted->body, node, &wanted->error,
            "match %" PRIu64 " ended after turn %u; choose an earlier \"turn\"", id, match->turns);
    if (!is_small(wanted, node, match))
        return false;
    bool good =
        match_request_note(wanted, store_match_spec(store_of(wanted), id, &text, &wanted->error)) &&
        queued_match_read(&old, (Slice){text.data, text.length}, &wanted->error);
    if (good) {
        wanted->game = game_find(slice_of(match->game), NULL);
        wanted->seed = match->seed;
        wanted->setup.players = match->players;
        wanted->setup.config = old.config;
        wanted->setup.map = old.map;
        old.config = old.map = (PlanFile){0};
        wanted->setup.overrides.turn_ms = old.overrides.turn_ms;
        wanted->setup.overrides.start_ms = old.overrides.start_ms;
        wanted->setup.from_match = turn ? id : 0;
    }
    queued_match_free(&old);
    buffer_free(&text);
    return good;
}

static PlanFile copy_file(const GameFile *file) {
    return file->name ? (PlanFile){xstrdup(file->name), slice_copy(file->text)} : (PlanFile){0};
}

/* Whether the game accepts the configuration in the replay, and the replay continues after that
   turn. The runner checks that the recorded answers lead to the recorded states, and otherwise
   abandons the match. */
static bool can_begin(Replay *replay, uint32_t turn, Error *error) {
    Board board;
    if (!replay_board(replay, &board, error))
        return false;
    board_free(&board);
    return replay_goes_beyond(replay, turn, error);
}

/* Names in a file must obey the same rules as those in the API. */
static bool has_clean_names(const ReplayHeader *header, Error *error) {
    const char *map = header->map.name ? header->map.name : "";
    const char *config = header->config.name ? header->config.name : "";
    bool good = store_text_check("the name of the replay's map", slice_of(map), error) &&
                store_text_check("the name of the replay's configuration", slice_of(config), error);
    for (uint32_t i = 0; good && i < header->players; i++)
        good = !header->names[i] || store_text_check("the name of a player in the replay",
                                                     slice_of(header->names[i]), error);
    return good;
}

/* Takes the setup from an uploaded replay, which is stored as the source of the first seat. */
static bool begin_as_replay(MatchRequest *wanted, uint32_t node, uint32_t turn) {
    Slice text = text_of(wanted, node);
    size_t length = 0;
    Buffer bytes = {0};
    if (sodium_base642bin((unsigned char *)buffer_reserve(&bytes, REPLAY_MOST), REPLAY_MOST,
                          text.at, text.length, NULL, &length, NULL,
                          sodium_base64_VARIANT_ORIGINAL) != 0) {
        buffer_free(&bytes);
        return json_object_error(&wanted->body, node, &wanted->error,
                                 "\"replay\" must be a replay file in base64, of at most 1 MiB");
    }
    bytes.length = length;
    Replay *replay =
        replay_open_uploaded("the replay", (Slice){bytes.data, bytes.length}, &wanted->error);
    bool good = replay && has_clean_names(replay_header(replay), &wanted->error) &&
                can_begin(replay, turn, &wanted->error);
    if (good) {
        const ReplayHeader *header = replay_header(replay);
        wanted->game = header->game;
        wanted->seed = header->seed;
        wanted->setup.players = header->players;
        wanted->setup.config = copy_file(&header->config);
        wanted->setup.map = copy_file(&header->map);
        wanted->setup.overrides.turn_ms = header->turn_ms;
        wanted->setup.overrides.start_ms = header->start_ms;
        good = !turn || match_request_note(wanted, store_file_put(store_of(wanted),
                                                                  (Slice){bytes.data, bytes.length},
                                                                  &wanted->source, &wanted->error));
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
        return json_object_error(
            &wanted->body, from, &wanted->error,
            "\"from\" needs a \"turn\", and either a \"match\" or a \"replay\"");
    if (!(match ? begin_as_match(wanted, from, (uint64_t)match, (uint32_t)turn)
                : begin_as_replay(wanted, replay, (uint32_t)turn)))
        return false;
    wanted->begins = true;
    wanted->setup.from_turn = (uint32_t)turn;
    return wanted->setup.players <= match_request_players_most(wanted) ||
           json_object_error(&wanted->body, from, &wanted->error,
                             "without an account, a match has at most %u players; log in for more",
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
            return json_object_missing(&wanted->body, 0, "game", &wanted->error);
        Error inner;
        wanted->game = game_find(text_of(wanted, node), &inner);
        if (!wanted->game)
            return json_object_error(&wanted->body, node, &wanted->error, "%s", inner.text);
    }
    return !recorded || recorded == wanted->game ||
           json_object_error(&wanted->body, node, &wanted->error,
                             "the recorded match is %s; leave \"game\" out", recorded->name);
}

/* ---- seats ---- */

static bool take_version(MatchRequest *wanted, uint32_t seat, uint32_t node, const StoreBot *bot,
                         uint64_t version) {
    if (strcmp(bot->game, wanted->game->name) != 0)
        return json_object_error(&wanted->body, node, &wanted->error, "%s/%s plays %s, not %s",
                                 bot->owner_name, bot->name, bot->game, wanted->game->name);
    if (bot->suspended)
        return json_object_error(&wanted->body, node, &wanted->error,
                                 "the owner of %s/%s is suspended; choose another bot",
                                 bot->owner_name, bot->name);
    if (!version)
        return json_object_error(&wanted->body, node, &wanted->error,
                                 "%s/%s has no active version; choose another bot", bot->owner_name,
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
    return is_found(wanted, node,
                    bots_find(wanted->request, text_of(wanted, node), &bot, &wanted->error)) &&
           take_version(wanted, seat, node, &bot, bot.active);
}

/* Only its owner and organisers can play a version that is not active. */
static bool take_numbered(MatchRequest *wanted, uint32_t seat, uint32_t node) {
    StoreVersion version;
    StoreBot bot;
    uint64_t id = 0;
    StoreResult result = STORE_NOT_FOUND;
    if (json_uint64(&wanted->body.json, node, &id) && id <= INT64_MAX)
        result = store_version_get(store_of(wanted), id, &version, &wanted->error);
    if (result == STORE_OK)
        result = store_bot_get(store_of(wanted), version.bot, &bot, &wanted->error);
    if (result != STORE_OK && result != STORE_NOT_FOUND)
        return match_request_note(wanted, result);
    if (result == STORE_NOT_FOUND ||
        (bot.active != id && !auth_is_owner_or_organiser(wanted->request, bot.owner)))
        return json_object_error(&wanted->body, node, &wanted->error,
                                 "unknown version, or one that is not active and not yours");
    if (version.build != BUILD_GOOD)
        return json_object_error(&wanted->body, node, &wanted->error,
                                 "this version is not built yet, or its build failed");
    return take_version(wanted, seat, node, &bot, id);
}

static bool name_draft(MatchRequest *wanted, uint32_t seat) {
    snprintf(wanted->labels[seat], sizeof wanted->labels[seat], "draft");
    wanted->seats[seat] = (StoreNewSeat){.label = wanted->labels[seat]};
    return true;
}

static bool take_draft(MatchRequest *wanted, uint32_t seat, uint32_t language, uint32_t source) {
    size_t most = wanted->request->account ? SOURCE_MOST : VISITOR_SOURCE_MOST;
    Error inner;
    const Language *known = language_find(text_of(wanted, language), &inner);
    if (!known)
        return json_object_error(&wanted->body, language, &wanted->error, "%s", inner.text);
    if (!language_is_installed(known))
        return json_object_error(&wanted->body, language, &wanted->error,
                                 "%s is not installed on this arena", known->title);
    if (!text_of(wanted, source).length || text_of(wanted, source).length > most)
        return json_object_error(&wanted->body, source, &wanted->error,
                                 "\"source\" must have 1 to %zu bytes", most);
    wanted->setup.seats[seat].language = slice_copy(text_of(wanted, language));
    wanted->setup.seats[seat].source = slice_copy(text_of(wanted, source));
    return name_draft(wanted, seat);
}

/* Takes a draft of several files. Its archive is unpacked before the match, like that of a
   version. */
static bool take_archive(MatchRequest *wanted, uint32_t seat, uint32_t archive) {
    size_t most = wanted->request->account ? SOURCE_MOST : VISITOR_SOURCE_MOST;
    size_t length = 0;
    Slice text = text_of(wanted, archive);
    Buffer bytes = {0};
    bool good =
        sodium_base642bin((unsigned char *)buffer_reserve(&bytes, most), most, text.at, text.length,
                          NULL, &length, NULL, sodium_base64_VARIANT_ORIGINAL) == 0 &&
        length > 0;
    buffer_free(&bytes);
    if (!good)
        return json_object_error(&wanted->body, archive, &wanted->error,
                                 "\"archive\" must be a zip file in base64, of at most %zu bytes",
                                 most);
    wanted->setup.seats[seat].archive = slice_copy(text);
    return name_draft(wanted, seat);
}

bool match_request_take_seat(MatchRequest *wanted, uint32_t seat, uint32_t node) {
    static const char *const known[] = {"bot", "version", "language", "source", "archive", NULL};
    uint32_t archive;
    uint32_t bot;
    uint32_t language;
    uint32_t source;
    uint32_t version;
    if (wanted->body.json.nodes[node].kind != JSON_OBJECT)
        return json_object_error(&wanted->body, node, &wanted->error, "a seat must be an object");
    if (!json_object_allow_only(&wanted->body, node, known, &wanted->error) ||
        !find_text(wanted, node, "bot", &bot) || !find_text(wanted, node, "language", &language) ||
        !find_text(wanted, node, "source", &source) ||
        !find_text(wanted, node, "archive", &archive) ||
        !json_object_member(&wanted->body, node, "version", JSON_NUMBER, &version, &wanted->error))
        return false;
    bool code = language != JSON_NONE && source != JSON_NONE;
    if ((bot != JSON_NONE) + (version != JSON_NONE) + (archive != JSON_NONE) + code != 1 ||
        (!code && (language != JSON_NONE || source != JSON_NONE)))
        return json_object_error(&wanted->body, node, &wanted->error,
                                 "a seat needs a \"bot\", a \"version\", an \"archive\", or "
                                 "\"language\" and \"source\"");
    return code                   ? take_draft(wanted, seat, language, source)
           : archive != JSON_NONE ? take_archive(wanted, seat, archive)
           : bot != JSON_NONE     ? match_request_take_bot(wanted, seat, bot)
                                  : take_numbered(wanted, seat, version);
}

bool match_request_take_recorded(MatchRequest *wanted, uint32_t seat) {
    StoreBot bot;
    const StoreSeat *row = wanted->from.count ? &wanted->from.rows[0].seats[seat] : NULL;
    if (!row || !row->version)
        return error_set(
            &wanted->error,
            "player %u of the recorded match was not a bot of this arena; name a bot for "
            "its seat",
            seat + 1);
    StoreResult result = store_bot_get(store_of(wanted), row->bot, &bot, &wanted->error);
    if (result != STORE_OK && result != STORE_NOT_FOUND)
        return match_request_note(wanted, result);
    if (result == STORE_NOT_FOUND || bot.retired)
        return error_set(&wanted->error,
                         "%s, player %u of the recorded match, is retired; name a bot for its seat",
                         row->name, seat + 1);
    return take_version(wanted, seat, 0, &bot, row->version);
}

/* ---- the rules ---- */

uint32_t match_request_turn_most(const MatchRequest *wanted) {
    return wanted->request->account ? TURN_MS_MOST : wanted->game->talk.turn_ms;
}

/* Limits times and memory, whatever the configuration says. */
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
        return error_about(&wanted->error, setup->config.name ? "config" : "map");
    uint32_t turn = turn_ms                    ? turn_ms
                    : setup->overrides.turn_ms ? setup->overrides.turn_ms
                                               : game_setup->talk.turn_ms;
    uint32_t start =
        setup->overrides.start_ms ? setup->overrides.start_ms : game_setup->talk.start_ms;
    uint32_t start_most =
        wanted->game->talk.start_ms > TURN_MS_MOST ? wanted->game->talk.start_ms : TURN_MS_MOST;
    if (game_setup->talk.memory_kib >> 10 > MEMORY_MIB_MOST)
        setup->overrides.limits[LIMIT_MEMORY] = MEMORY_MIB_MOST;
    uint32_t turns = game_setup->turns_max;
    wanted->game->setup_free(game_setup);
    setup->overrides.turn_ms = turn < most || turn <= wanted->game->talk.turn_ms ? turn : most;
    setup->overrides.start_ms = start < start_most ? start : start_most;
    uint64_t longest = (uint64_t)turns * setup->players * setup->overrides.turn_ms;
    return longest <= MATCH_HOURS_MOST * UINT64_C(3600000) ||
           error_set(&wanted->error,
                     "%u turns of %u players with %u ms each can take %" PRIu64
                     " hours, but the limit is %d; use a shorter turn_time, or a configuration "
                     "with fewer turns",
                     turns, setup->players, setup->overrides.turn_ms, longest / 3600000 + 1,
                     MATCH_HOURS_MOST);
}

/* Takes map, configuration and seed from the body. */
static bool choose_rules(MatchRequest *wanted, uint32_t map, uint32_t config, int64_t seed) {
    if (config != JSON_NONE && !wanted->request->account)
        return json_object_error(&wanted->body, config, &wanted->error,
                                 "log in to use your own configuration");
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
    return good || error_about(&wanted->error, config == JSON_NONE ? "map" : "config");
}

bool match_request_take_rules(MatchRequest *wanted, uint32_t turn_ms) {
    uint32_t map;
    uint32_t config;
    int64_t seed = -1;
    if (!find_text(wanted, 0, "map", &map) || !find_text(wanted, 0, "config", &config) ||
        !json_object_int(&wanted->body, 0, "seed", 0, SEED_MOST, &seed, &wanted->error))
        return false;
    if (wanted->begins && (map != JSON_NONE || config != JSON_NONE || seed >= 0))
        return json_object_error(
            &wanted->body, 0, &wanted->error,
            "with \"from\", leave out \"map\", \"config\" and \"seed\": they come from the record");
    return (wanted->begins || choose_rules(wanted, map, config, seed)) &&
           cap_terms(wanted, turn_ms);
}

StoreNewMatch match_request_match(MatchRequest *wanted, Buffer *json) {
    StoreNewMatch match = {.kind = MATCH_PLAY_NOW,
                           .game = wanted->game->name,
                           .map = wanted->setup.map.name ? wanted->setup.map.name : "",
                           .seed = wanted->seed,
                           .requester = wanted->request->account,
                           .visitor = address_key(wanted->request->address),
                           .players = wanted->setup.players,
                           .request = wanted->id,
                           .seats = wanted->seats};
    request_id_text(wanted->request, wanted->id);
    queued_match_write(&wanted->setup, json);
    match.spec = buffer_string(json);
    wanted->seats[0].source = wanted->source;
    for (uint32_t i = 0; i < wanted->setup.players; i++) {
        match.person |= wanted->setup.seats[i].person_ms != 0;
        match.remote |= wanted->setup.seats[i].remote;
    }
    return match;
}
