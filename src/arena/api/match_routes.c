/* Routes for games, matches and the queue: lists, verdicts, replays, standard error, live streams.
   POST is in play_now.c.

   Matches and verdicts are public. The standard error of a bot is its owner's, so a replay is sent
   without the parts that the caller may not read. */
#include "arena/api/match_json.h"
#include "arena/api/match_request.h"
#include "arena/bots/bots.h"
#include "arena/play/play.h"
#include "http/schemas.h"
#include "match/replay.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- games ---- */

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

/* ---- lists ---- */

enum { PAIR_SIZE = 2 * STORE_NAME_SIZE }; /* owner/name */

/* A parameter as a C string; "" if it is longer than any name. */
static const char *name_of(Slice value, char text[PAIR_SIZE]) {
    bool fits = value.length < PAIR_SIZE;
    snprintf(text, PAIR_SIZE, "%.*s", fits ? (int)value.length : 0, value.at);
    return text;
}

static StoreResult want_game(const Request *request, Slice name, StoreMatchesWanted *wanted,
                             Error *error) {
    (void)request;
    const Game *game = game_find(name, error);
    if (!game)
        return STORE_NOT_FOUND;
    wanted->game = game->name;
    return STORE_OK;
}

static StoreResult want_bot(const Request *request, Slice name, StoreMatchesWanted *wanted,
                            Error *error) {
    char text[PAIR_SIZE];
    StoreBot bot = {0};
    name_of(name, text);
    char *slash = strchr(text, '/');
    if (slash)
        *slash = '\0';
    StoreResult result =
        store_bot_find(arena_of(request)->store, text, slash ? slash + 1 : "", &bot, error);
    wanted->bot = bot.id;
    return result;
}

static StoreResult want_person(const Request *request, Slice name, StoreMatchesWanted *wanted,
                               Error *error) {
    char text[PAIR_SIZE];
    StoreAccount account = {0};
    StoreResult result =
        store_account_find(arena_of(request)->store, name_of(name, text), &account, error);
    wanted->requester = account.id;
    return result;
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

static const struct {
    const char *name;
    StoreResult (*want)(const Request *request, Slice value, StoreMatchesWanted *wanted,
                        Error *error);
} filters[] = {{"game", want_game},
               {"kind", want_kind},
               {"bot", want_bot},
               {"person", want_person},
               {"tournament", want_tournament},
               {"state", want_state}};

/* Reads the filters. Answers with a problem and returns false if one names something unknown. */
static bool read_wanted(const Request *request, Response *response, StoreMatchesWanted *wanted) {
    Slice value;
    Error error = {""};
    StoreResult result = STORE_OK;
    *wanted = (StoreMatchesWanted){0};
    for (size_t i = 0; i < sizeof filters / sizeof *filters && result == STORE_OK; i++)
        if (request_query(request, filters[i].name, &value))
            result = filters[i].want(request, value, wanted, &error);
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

/* Reads the match in the path. Answers with a problem and returns false if there is none.
   store_matches_free it in either case. */
static bool find_match(const Request *request, Response *response, StoreMatches *matches) {
    Error error;
    *matches = (StoreMatches){0};
    StoreResult result = store_match_get(
        arena_of(request)->store, (uint64_t)request_number(request, "match", 0), matches, &error);
    if (result != STORE_OK)
        problem_from_store(request, response, result, &error);
    return result == STORE_OK;
}

static Outcome handle_match(Request *request, Response *response) {
    StoreMatches matches;
    Error error;
    if (find_match(request, response, &matches)) {
        StoreResult result =
            match_json(arena_of(request), &matches.rows[0], NULL, &response->bytes, &error);
        if (result == STORE_OK)
            response_tag(response);
        else
            problem_from_store(request, response, result, &error);
    }
    store_matches_free(&matches);
    return OUTCOME_ANSWERED;
}

static Outcome handle_live(Request *request, Response *response) {
    StoreMatches matches;
    char topic[LIVE_TOPIC_MAX];
    Slice from;
    bool good = find_match(request, response, &matches);
    if (good) {
        const StoreMatch *match = &matches.rows[0];
        snprintf(topic, sizeof topic, "match-%" PRIu64, match->id);
        /* After a restart the topic is not open yet. */
        if (match->state == MATCH_WAITING || match->state == MATCH_PLAYING)
            live_open(arena_of(request)->live, topic, LIVE_MATCH_EVENTS, LIVE_MATCH_BYTES);
    }
    store_matches_free(&matches);
    bool now = request_query(request, "from", &from) && slice_equals(from, "now");
    return good ? request_watch(request, topic, now ? LIVE_FROM_NOW : LIVE_FROM_START)
                : OUTCOME_ANSWERED;
}

/* ---- replays and standard error ---- */

static Outcome no_replay(const Request *request, Response *response, const StoreMatch *match) {
    return problem(request, response, 404, "match %" PRIu64 " has no replay%s", match->id,
                   match_lacks_replay(match));
}

static void send_as_file(Response *response, int file, int64_t size, const StoreMatch *match,
                         uint64_t kept) {
    char text[64];
    response->type = TYPE_BYTES;
    response->file = file;
    response->file_size = (uint64_t)size;
    response->cache = CACHE_ASK;
    snprintf(response->etag, sizeof response->etag, "\"%.16s-%" PRIx64 "\"", match->replay.name,
             kept);
    snprintf(text, sizeof text, "attachment; filename=\"match-%" PRIu64 ".skr\"", match->id);
    response_header(response, HEADER_CONTENT_DISPOSITION, slice_of(text));
}

/* A file in memory with the replay, without what the caller may not read; -1 on failure. */
static int redacted(const Request *request, const StoreMatch *match, const bool *keep,
                    int64_t *size, Error *error) {
    Buffer bytes = {0};
    int file = memfd_create("replay", MFD_CLOEXEC);
    int lent = file >= 0 ? dup(file) : -1;
    struct stat about;
    bool good = false;
    if (lent < 0)
        error_set(error, "not enough memory for the replay");
    else if (store_file_read(arena_of(request)->store, &match->replay, &bytes, error) == STORE_OK) {
        Replay *replay = replay_open_memory("replay", (Slice){bytes.data, bytes.length}, error);
        ReplayWriter *writer = replay ? replay_create_on(lent, error) : NULL;
        lent = writer ? -1 : lent;
        good = writer && replay_redact(replay, keep, writer, error);
        replay_close(writer);
        replay_free(replay);
    }
    buffer_free(&bytes);
    if (lent >= 0)
        close(lent);
    if (good && fstat(file, &about) == 0 && lseek(file, 0, SEEK_SET) == 0) {
        *size = about.st_size;
        return file;
    }
    if (file >= 0)
        close(file);
    return -1;
}

static void send_replay(Request *request, Response *response) {
    StoreMatches matches;
    bool keep[GAME_PLAYERS_MAX] = {false};
    uint64_t kept = 0;
    int64_t size = 0;
    Error error = {""};
    if (!find_match(request, response, &matches)) {
        store_matches_free(&matches);
        return;
    }
    const StoreMatch *match = &matches.rows[0];
    for (uint32_t i = 0; i < match->players; i++) {
        keep[i] = match_may_read_errors(request, match, i);
        kept |= (uint64_t)keep[i] << i;
    }
    bool whole = kept == (match->players == 64 ? UINT64_MAX : (UINT64_C(1) << match->players) - 1);
    if (!match->replay.name[0]) {
        no_replay(request, response, match);
    } else {
        int file = whole ? store_file_open(arena_of(request)->store, &match->replay, &size, &error)
                         : redacted(request, match, keep, &size, &error);
        if (file >= 0)
            send_as_file(response, file, size, match, kept);
        else
            problem_from_store(request, response, STORE_FAILED, &error);
    }
    store_matches_free(&matches);
}

static Outcome handle_replay(Request *request, Response *response) {
    (void)response;
    return request_defer(request, send_replay);
}

/* Finds the match and the seat in the path. Answers with a problem and returns false unless the
   caller may read the bot's standard error. store_matches_free it in either case. */
static bool find_readable(const Request *request, Response *response, StoreMatches *matches,
                          uint32_t *seat) {
    *seat = (uint32_t)request_number(request, "seat", 0);
    if (!find_match(request, response, matches))
        return false;
    const StoreMatch *match = &matches->rows[0];
    if (*seat < match->players && match_may_read_errors(request, match, *seat))
        return true;
    problem(request, response, 404,
            "There is no such player, or you may not read its standard error.");
    return false;
}

/* Appends the standard error of a player in a match that has a replay. */
static bool read_errors(const Request *request, const StoreMatch *match, uint32_t seat, Buffer *to,
                        Error *error) {
    const Arena *arena = arena_of(request);
    Buffer bytes = {0};
    Buffer raw = {0};
    Replay *replay = store_file_read(arena->store, &match->replay, &bytes, error) == STORE_OK
                         ? replay_open_memory("replay", (Slice){bytes.data, bytes.length}, error)
                         : NULL;
    bool good = replay && replay_errors(replay, seat, &raw, error);
    if (good)
        versions_hide_paths(arena, (Slice){raw.data, raw.length}, to);
    replay_free(replay);
    buffer_free(&raw);
    buffer_free(&bytes);
    return good;
}

static void send_errors(Request *request, Response *response) {
    StoreMatches matches;
    Error error = {""};
    uint32_t seat;
    if (find_readable(request, response, &matches, &seat)) {
        response->type = TYPE_TEXT;
        if (!matches.rows[0].replay.name[0])
            no_replay(request, response, &matches.rows[0]);
        else if (!read_errors(request, &matches.rows[0], seat, &response->bytes, &error))
            problem_from_store(request, response, STORE_FAILED, &error);
    }
    store_matches_free(&matches);
}

/* Appends the build log of a draft; nothing if its build succeeded, or if the seat is a bot's. */
static bool read_log(const Arena *arena, const StoreMatch *match, uint32_t seat, Buffer *to,
                     Error *error) {
    Buffer text = {0};
    Json json = {0};
    bool good = store_match_logs(arena->store, match->id, &text, error) == STORE_OK;
    if (good && text.length) {
        good = json_parse(&json, (Slice){text.data, text.length}, error);
        uint32_t node = 1;
        for (uint32_t i = 0; good && i < seat && node < json.count; i++)
            node = json.nodes[node].next;
        if (good && node < json.count && json.nodes[node].kind == JSON_STRING)
            buffer_add(to, json.nodes[node].text.at, json.nodes[node].text.length);
    }
    json_free(&json);
    buffer_free(&text);
    return good;
}

static void text_or_null(JsonOut *out, const char *key, Slice text, bool there) {
    if (there)
        json_out_string(out, key, text);
    else
        json_out_null(out, key);
}

static void send_diagnostics(Request *request, Response *response) {
    StoreMatches matches;
    Buffer log = {0};
    Buffer errors = {0};
    Error error = {""};
    uint32_t seat;
    if (find_readable(request, response, &matches, &seat)) {
        const StoreMatch *match = &matches.rows[0];
        bool played = match->replay.name[0] != '\0';
        if (match->state != MATCH_OVER) {
            no_replay(request, response, match);
        } else if (!read_log(arena_of(request), match, seat, &log, &error) ||
                   (played && !read_errors(request, match, seat, &errors, &error))) {
            problem_from_store(request, response, STORE_FAILED, &error);
        } else {
            Slice texts[] = {{log.data, log.length}, {errors.data, errors.length}};
            JsonOut out = {.to = &response->bytes};
            json_open(&out, NULL, '{');
            text_or_null(&out, "log", texts[0], log.length > 0);
            text_or_null(&out, "stderr", texts[1], played);
            diagnostics_write(&out, texts, 2);
            json_close(&out, '}');
            response_tag(response);
        }
    }
    buffer_free(&errors);
    buffer_free(&log);
    store_matches_free(&matches);
}

static Outcome handle_diagnostics(Request *request, Response *response) {
    (void)response;
    return request_defer(request, send_diagnostics);
}

static Outcome handle_errors(Request *request, Response *response) {
    (void)response;
    return request_defer(request, send_errors);
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

#define MATCH_PARAMETER \
 { "match", PARAMETER_NUMBER, 1, INT64_MAX, NULL, "the id of the match" }
#define SEAT_PARAMETER                                     \
 {                                                         \
  "seat", PARAMETER_NUMBER, 0, GAME_PLAYERS_MAX - 1, NULL, \
      "the player, from 0, as in the list of the match"    \
 }
#define KEY_PARAMETER \
 { "key", PARAMETER_TEXT, 0, 64, NULL, "the key that a visitor got with the match" }

static const Route routes[] = {
    {.method = METHOD_GET,
     .pattern = "/api/v1/games",
     .name = "games",
     .handle = handle_games,
     .summary = "Lists the games, with their maps and options",
     .group = "games",
     .gives = "Games",
     .tagged = true},
    {.method = METHOD_POST,
     .pattern = "/api/v1/matches",
     .name = "play_now",
     .handle = play_now,
     .rate = RATE_PLAY,
     .body_max = MATCH_REQUEST_BODY_MAX,
     .summary = "Requests a match of bots or drafts. Visitors can do this within limits",
     .group = "matches",
     .takes = "NewMatch",
     .gives = "Match",
     .gives_status = 201},
    {.method = METHOD_GET,
     .pattern = "/api/v1/matches",
     .name = "matches",
     .handle = handle_list,
     .rate = RATE_READ,
     .summary =
         "Lists matches that pass all filters, newest first. With several filters, a page can be "
         "short and still have a next one",
     .group = "matches",
     .parameters =
         {{"game", PARAMETER_TEXT, 0, 32, NULL, "only matches of this game"},
          {"kind", PARAMETER_CHOICE, 0, 0, NAME_CHOICES(MATCH_KINDS), "only matches of this kind"},
          {"bot", PARAMETER_TEXT, 0, 65, NULL, "only matches of this bot, written owner/name"},
          {"person", PARAMETER_TEXT, 0, 32, NULL, "only matches that this person requested"},
          {"tournament", PARAMETER_NUMBER, 1, INT64_MAX, NULL, "only matches of this tournament"},
          {"state", PARAMETER_CHOICE, 0, 0, NAME_CHOICES(MATCH_STATES),
           "only matches in this state"},
          PAGE_PARAMETERS},
     .gives = "Matches",
     .tagged = true},
    {.method = METHOD_GET,
     .pattern = "/api/v1/matches/{match}",
     .name = "match",
     .handle = handle_match,
     .rate = RATE_READ,
     .summary = "Returns a match: players, state, place in the queue, verdict",
     .group = "matches",
     .parameters = {MATCH_PARAMETER},
     .gives = "Match",
     .tagged = true},
    {.method = METHOD_GET,
     .pattern = "/api/v1/matches/{match}/replay",
     .name = "match_replay",
     .handle = handle_replay,
     .rate = RATE_READ,
     .summary =
         "Returns the replay, with the standard error of the players that the caller may read",
     .group = "matches",
     .parameters = {MATCH_PARAMETER, KEY_PARAMETER},
     .gives_type = TYPE_BYTES,
     .tagged = true},
    {.method = METHOD_GET,
     .pattern = "/api/v1/matches/{match}/players/{seat}/stderr",
     .name = "match_stderr",
     .handle = handle_errors,
     .rate = RATE_READ,
     .summary = "Returns the standard error of a player",
     .group = "matches",
     .parameters = {MATCH_PARAMETER, SEAT_PARAMETER, KEY_PARAMETER},
     .gives_type = TYPE_TEXT},
    {.method = METHOD_GET,
     .pattern = "/api/v1/matches/{match}/players/{seat}/diagnostics",
     .name = "match_diagnostics",
     .handle = handle_diagnostics,
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
     .rate = RATE_READ,
     .summary = "Returns the number of waiting builds and matches",
     .group = "matches",
     .gives = "Queue"},
    {.method = METHOD_GET,
     .pattern = "/api/v1/queue/live",
     .name = "queue_live",
     .handle = handle_queue_live,
     .rate = RATE_READ,
     .summary = "Streams the same as the event size whenever it changes",
     .group = "matches",
     .gives_type = TYPE_EVENTS,
     .events = "size=Queue"},
};

/* What lists and single matches both have. */
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

#define GAME_MAPS_ITEM_SCHEMA                                      \
 SCHEMA_OBJECT("\"name\",\"summary\",\"players\"",                 \
               "\"name\":" TEXT_SCHEMA ",\"summary\":" TEXT_SCHEMA \
               ",\"players\":" INTEGER_OR_NULL_SCHEMA)
#define GAME_MAPS_SCHEMA ARRAY_SCHEMA(GAME_MAPS_ITEM_SCHEMA)
#define GAME_OPTIONS_ITEM_SCHEMA                    \
 SCHEMA_OBJECT("\"name\",\"standard\",\"summary\"", \
               "\"name\":" TEXT_SCHEMA ",\"standard\":" TEXT_SCHEMA ",\"summary\":" TEXT_SCHEMA)
#define GAME_OPTIONS_SCHEMA ARRAY_SCHEMA(GAME_OPTIONS_ITEM_SCHEMA)
#define FROM_REF REF_SCHEMA("From")
#define SEAT_REF REF_SCHEMA("Seat")
#define SEAT_BOT_SCHEMA              \
 SCHEMA_OBJECT("\"bot\"", "\"bot\":" \
                          "{\"type\":\"string\",\"description\":\"owner/name\"}")
#define SEAT_VERSION_SCHEMA SCHEMA_OBJECT("\"version\"", "\"version\":" COUNT_SCHEMA)
#define SEAT_LANGUAGE_SCHEMA \
 SCHEMA_OBJECT("\"language\",\"source\"", "\"language\":" TEXT_SCHEMA ",\"source\":" TEXT_SCHEMA)
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
#define DIAGNOSTIC_REF REF_SCHEMA("Diagnostic")
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
    {"Game",
     SCHEMA_OBJECT("\"name\",\"title\",\"summary\",\"players_min\",\"players_max\",\"turn_ms\","
                   "\"start_ms\",\"generates_maps\",\"maps\",\"options\"",
                   "\"name\":" TEXT_SCHEMA ",\"title\":" TEXT_SCHEMA ",\"summary\":" TEXT_SCHEMA
                   ",\"players_min\":" COUNT_SCHEMA ",\"players_max\":" COUNT_SCHEMA
                   ",\"turn_ms\":" COUNT_SCHEMA ",\"start_ms\":" COUNT_SCHEMA
                   ",\"generates_maps\":" BOOL_SCHEMA ",\"maps\":" GAME_MAPS_SCHEMA
                   ",\"options\":" GAME_OPTIONS_SCHEMA)},
    {"Games", SCHEMA_LIST("Game")},
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
                   "{\"type\":\"boolean\",\"description\":\"everybody can read the standard error "
                   "of all players\"}"
                   ",\"seats\":"
                   "{\"type\":\"array\",\"minItems\":1,\"items\":" SEAT_REF
                   ",\"description\":\"required without from; default with from: the recorded "
                   "players\"}")},
    {"Seat", "{\"oneOf\":[" SEAT_BOT_SCHEMA "," SEAT_VERSION_SCHEMA "," SEAT_LANGUAGE_SCHEMA "]}"},
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
         MATCH_REQUIRED ",\"ahead\",\"verdict\"", MATCH_MEMBERS
         ",\"ahead\":" INTEGER_OR_NULL_SCHEMA
         ",\"verdict\":{\"oneOf\":[{\"type\":\"null\"}," REF_SCHEMA(
             "Verdict") "]},"
                        "\"key\":{\"type\":\"string\",\"description\":\"for visitors: gives access "
                        "to the standard error of their code\"}")},
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
    {"Queue", SCHEMA_OBJECT("\"builds\",\"play_now\",\"tournament\",\"ladder\",\"running\"",
                            "\"builds\":" COUNT_SCHEMA ",\"play_now\":" COUNT_SCHEMA
                            ",\"tournament\":" COUNT_SCHEMA ",\"ladder\":" COUNT_SCHEMA
                            ",\"running\":" COUNT_SCHEMA)},
};

const ApiGroup api_matches = {routes, sizeof routes / sizeof *routes, schemas,
                              sizeof schemas / sizeof *schemas};
