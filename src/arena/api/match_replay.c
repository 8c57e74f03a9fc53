/* The files of a played match: its replay, and the standard error and build logs of its bots.
   Replays are public, but the standard error of a bot is private to its owner, and nobody can read
   the names of deleted accounts: a replay is sent from a copy without these parts (copies.h). */
#include "arena/api/match_json.h"
#include "arena/api/match_routes.h"
#include "arena/bots/bots.h"
#include "arena/copies.h"
#include "base/hash.h"
#include "match/replay.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The parts of a replay that the caller may read. */
typedef struct Portion {
    ReplayRedaction how;
    uint64_t kept;    /* a bit for each player whose standard error they get */
    uint64_t unnamed; /* a bit for each player whose name was deleted */
    bool whole;
} Portion;

static Portion portion_of(const Request *request, const StoreMatch *match) {
    Portion portion = {.whole = true};
    for (uint32_t i = 0; i < match->players; i++) {
        bool unnamed = store_seat_is_deleted(&match->seats[i]);
        portion.how.errors[i] = match_may_read_errors(request, match, i);
        portion.how.names[i] = unnamed ? match->seats[i].name : NULL;
        portion.kept |= (uint64_t)portion.how.errors[i] << i;
        portion.unnamed |= (uint64_t)unnamed << i;
        portion.whole &= portion.how.errors[i] && !unnamed;
    }
    return portion;
}

static void send_as_file(Response *response, int file, int64_t size, const StoreMatch *match,
                         const Portion *portion) {
    char text[64];
    response->type = TYPE_BYTES;
    response->file = file;
    response->file_size = (uint64_t)size;
    response->cache = CACHE_ASK;
    snprintf(response->etag, sizeof response->etag, "\"%.16s-%" PRIx64 "\"", match->replay.name,
             hash64_chain(portion->kept, portion->unnamed));
    snprintf(text, sizeof text, "attachment; filename=\"match-%" PRIu64 ".skr\"", match->id);
    response_header(response, HEADER_CONTENT_DISPOSITION, slice_of(text));
}

/* Writes the portion of the replay. */
static bool redact(void *context, Replay *replay, int file, Error *error) {
    int lent = fcntl(file, F_DUPFD_CLOEXEC, 0);
    ReplayWriter *writer = lent >= 0 ? replay_create_on(lent, error) : NULL;
    if (lent < 0)
        error_set(error, "cannot copy the replay: %s", strerror(errno));
    bool good = writer && replay_redact(replay, context, writer, error);
    replay_close(writer);
    return good;
}

static int open_redacted(const Request *request, const StoreMatch *match, Portion *portion,
                         int64_t *size, Error *error) {
    char kind[COPY_KIND_SIZE];
    snprintf(kind, sizeof kind, "%" PRIx64 "-%" PRIx64 ".skr", portion->kept, portion->unnamed);
    return copies_open(arena_of(request)->copies, &match->replay, kind, redact, &portion->how, size,
                       error);
}

static void send_replay(Request *request, Response *response) {
    StoreMatches matches;
    int64_t size = 0;
    Error error = {0};
    if (!match_of_path(request, response, &matches)) {
        store_matches_free(&matches);
        return;
    }
    const StoreMatch *match = &matches.rows[0];
    if (!match->replay.name[0]) {
        match_no_replay(request, response, 404, match);
    } else {
        Portion portion = portion_of(request, match);
        int file = portion.whole
                       ? store_file_open(arena_of(request)->store, &match->replay, &size, &error)
                       : open_redacted(request, match, &portion, &size, &error);
        if (file >= 0)
            send_as_file(response, file, size, match, &portion);
        else
            problem_from_store(request, response, STORE_FAILED, &error);
    }
    store_matches_free(&matches);
}

Outcome match_handle_replay(Request *request, Response *response) {
    (void)response;
    return request_defer(request, send_replay);
}

/* Finds the match and the seat in the path. Answers with a problem and returns false unless the
   caller may read the bot's standard error. Call store_matches_free in either case. */
static bool find_readable(const Request *request, Response *response, StoreMatches *matches,
                          uint32_t *seat) {
    *seat = (uint32_t)request_number(request, "seat", 0);
    if (!match_of_path(request, response, matches))
        return false;
    const StoreMatch *match = &matches->rows[0];
    if (*seat < match->players && match_may_read_errors(request, match, *seat))
        return true;
    problem(request, response, 404,
            "Unknown player, or you may not read the standard error of this player.");
    return false;
}

/* Appends the standard error of a player in a match that has a replay. */
static bool read_errors(const Request *request, const StoreMatch *match, uint32_t seat, Buffer *to,
                        Error *error) {
    const Arena *arena = arena_of(request);
    Buffer raw = {0};
    Replay *replay = copies_replay(arena, &match->replay, error);
    bool good = replay && replay_errors(replay, seat, &raw, error);
    if (good)
        versions_hide_paths(arena, (Slice){raw.data, raw.length}, to);
    replay_free(replay);
    buffer_free(&raw);
    return good;
}

static void send_errors(Request *request, Response *response) {
    StoreMatches matches;
    Error error = {0};
    uint32_t seat;
    if (find_readable(request, response, &matches, &seat)) {
        response->type = TYPE_TEXT;
        if (!matches.rows[0].replay.name[0])
            match_no_replay(request, response, 404, &matches.rows[0]);
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
    Error error = {0};
    uint32_t seat;
    if (find_readable(request, response, &matches, &seat)) {
        const StoreMatch *match = &matches.rows[0];
        bool played = match->replay.name[0] != '\0';
        if (match->state != MATCH_OVER) {
            match_no_replay(request, response, 404, match);
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

Outcome match_handle_diagnostics(Request *request, Response *response) {
    (void)response;
    return request_defer(request, send_diagnostics);
}

Outcome match_handle_errors(Request *request, Response *response) {
    (void)response;
    return request_defer(request, send_errors);
}
