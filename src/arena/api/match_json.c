/* See match_json.h. */
#include "arena/api/match_json.h"

#include "arena/people/people.h"
#include "http/schemas.h"

#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>

const char *const match_kind_names[] = NAME_ARRAY(MATCH_KINDS);
const char *const match_state_names[] = NAME_ARRAY(MATCH_STATES);

void analysis_state_json(JsonOut *out, const char *key, StoreAnalysisState state) {
    static const char *const names[] = NAME_ARRAY(ANALYSIS_STATES);
    if (state == ANALYSIS_NONE)
        json_out_null(out, key);
    else
        json_out_text(out, key, names[state - ANALYSIS_WAITING]);
}

static void id_or_null(JsonOut *out, const char *key, uint64_t id) {
    if (id)
        json_out_uint(out, key, id);
    else
        json_out_null(out, key);
}

static void text_or_null(JsonOut *out, const char *key, const char *text) {
    if (text[0])
        json_out_text(out, key, text);
    else
        json_out_null(out, key);
}

static void seat_json(JsonOut *out, const StoreSeat *seat) {
    json_open(out, NULL, '{');
    json_out_text(out, "name", seat->name);
    text_or_null(out, "owner", seat->owner_name);
    id_or_null(out, "version", seat->version);
    id_or_null(out, "rank", seat->rank);
    if (seat->scored)
        json_out_int(out, "score", seat->score);
    else
        json_out_null(out, "score");
    text_or_null(out, "status", seat->status);
    text_or_null(out, "failure", seat->failure);
    json_close(out, '}');
}

bool match_no_replay_error(const StoreMatch *match, Error *error) {
    bool open = match->state == MATCH_WAITING || match->state == MATCH_PLAYING;
    return error_set(error, "match %" PRIu64 " %s", match->id,
                     open           ? "has no replay yet; wait until it is over"
                     : match->turns ? "no longer has a replay; this arena deletes old replays"
                                    : "has no replay; it was not played");
}

Outcome match_no_replay(const Request *request, Response *response, unsigned status,
                        const StoreMatch *match) {
    Error error;
    match_no_replay_error(match, &error);
    return problem_from_error(request, response, status, &error);
}

void match_json_row(JsonOut *out, const StoreMatch *match) {
    json_out_uint(out, "id", match->id);
    json_out_text(out, "kind", match_kind_names[match->kind]);
    json_out_text(out, "state", match_state_names[match->state]);
    json_out_bool(out, "open", match->open);
    json_out_text(out, "game", match->game);
    text_or_null(out, "map", match->map);
    json_out_uint(out, "seed", match->seed);
    id_or_null(out, "tournament", match->tournament);
    api_time(out, "created", match->created);
    api_time(out, "started", match->started);
    api_time(out, "ended", match->ended);
    json_out_uint(out, "turns", match->turns);
    text_or_null(out, "reason", match->reason);
    json_out_bool(out, "replay", match->replay.name[0]);
    json_open(out, "players", '[');
    for (uint32_t i = 0; i < match->players; i++)
        seat_json(out, &match->seats[i]);
    json_close(out, ']');
}

/* Writes how many jobs are ahead in the queue; null if the match does not wait. */
static StoreResult ahead_json(const Arena *arena, const StoreMatch *match, JsonOut *out,
                              Error *error) {
    uint32_t ahead = 0;
    StoreResult result = match->state == MATCH_WAITING
                             ? store_queue_ahead(arena->store, match->id, &ahead, error)
                             : STORE_NOT_FOUND;
    if (result == STORE_OK)
        json_out_uint(out, "ahead", ahead);
    else
        json_out_null(out, "ahead");
    return result == STORE_FAILED ? STORE_FAILED : STORE_OK;
}

static StoreResult verdict_member(const Arena *arena, const StoreMatch *match, JsonOut *out,
                                  Error *error) {
    Buffer verdict = {0};
    StoreResult result = match->state == MATCH_OVER
                             ? store_match_verdict(arena->store, match->id, &verdict, error)
                             : STORE_OK;
    if (result == STORE_OK && verdict.length)
        json_out_raw(out, "verdict", (Slice){verdict.data, verdict.length});
    else
        json_out_null(out, "verdict");
    buffer_free(&verdict);
    return result;
}

/* Writes the state of the match's analysis, and whether the caller can request one. */
static StoreResult analysis_members(const Arena *arena, const StoreMatch *match, bool may,
                                    JsonOut *out, Error *error) {
    StoreAnalysis analysis = {0};
    StoreResult result = match->replay.name[0]
                             ? store_analysis_get(arena->store, match->id, &analysis, NULL, error)
                             : STORE_OK;
    analysis_state_json(out, "analysis", analysis.state);
    json_out_bool(out, "analysable",
                  may && (analysis.state == ANALYSIS_NONE || analysis.state == ANALYSIS_FAILED));
    return result;
}

StoreResult match_json(const Arena *arena, const StoreMatch *match, MatchRights rights,
                       const char *key, Buffer *to, Error *error) {
    JsonOut out = {.to = to};
    json_open(&out, NULL, '{');
    match_json_row(&out, match);
    text_or_null(&out, "machine", match->machine);
    id_or_null(&out, "speed", match->speed);
    StoreResult result = ahead_json(arena, match, &out, error);
    if (result == STORE_OK)
        result = verdict_member(arena, match, &out, error);
    if (result == STORE_OK)
        result = analysis_members(arena, match, rights.analyse, &out, error);
    json_out_bool(&out, "cancellable", rights.cancel);
    if (key)
        json_out_text(&out, "key", key);
    json_close(&out, '}');
    return result;
}

/* ---- permissions ---- */

void match_key(const Arena *arena, uint64_t match, char key[MATCH_KEY_SIZE]) {
    const char *secret = arena->settings.secret;
    unsigned char hash[crypto_generichash_BYTES];
    crypto_generichash(hash, sizeof hash, (const unsigned char *)&match, sizeof match,
                       (const unsigned char *)secret, strlen(secret));
    sodium_bin2hex(key, MATCH_KEY_SIZE, hash, (MATCH_KEY_SIZE - 1) / 2);
}

bool match_has_key(const Request *request, uint64_t match) {
    char key[MATCH_KEY_SIZE];
    Slice given;
    match_key(arena_of(request), match, key);
    return request_query(request, "key", &given) && given.length == MATCH_KEY_SIZE - 1 &&
           sodium_memcmp(given.at, key, MATCH_KEY_SIZE - 1) == 0;
}

bool match_may_read_errors(const Request *request, const StoreMatch *match, uint32_t seat) {
    StoreBot bot;
    Error error;
    if (match->open)
        return true;
    if (!match->seats[seat].bot)
        return match_has_key(request, match->id) ||
               auth_is_owner_or_organiser(request, match->requester);
    return store_bot_get(arena_of(request)->store, match->seats[seat].bot, &bot, &error) ==
               STORE_OK &&
           auth_is_owner_or_organiser(request, bot.owner);
}
