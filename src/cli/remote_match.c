/* See remote_match.h. */
#include "cli/remote_match.h"

#include "cli/cli.h"
#include "cli/progress_bar.h"

#include <poll.h>

enum { POLL_MS = 1000, PAUSE_MS = 200 };

static bool get_match(Client *client, uint64_t match, Reply *reply, Error *error) {
    char path[64];
    snprintf(path, sizeof path, "/api/v1/matches/%llu", (unsigned long long)match);
    return client_get(client, path, reply, error);
}

bool remote_match_is_over(const Reply *reply, uint32_t object) {
    return slice_equals(reply_text(reply, object, "state"), "over");
}

static bool is_ended(const Reply *reply) {
    Slice state = reply_text(reply, 0, "state");
    return !slice_equals(state, "waiting") && !slice_equals(state, "playing");
}

static void show_progress(const Reply *reply, Slice turn) {
    Slice state = reply_text(reply, 0, "state");
    if (turn.length)
        progress_bar_show(-1, "%.*s, turn %.*s", SLICE_ARGS(state), SLICE_ARGS(turn));
    else
        progress_bar_show(-1, "%.*s", SLICE_ARGS(state));
}

/* The member "turn" of an event. */
static Slice turn_of(Json *json, Slice data) {
    Error ignored;
    json->lenient = true;
    if (!json_parse(json, data, &ignored) || json->nodes[0].kind != JSON_OBJECT)
        return (Slice){"", 0};
    uint32_t node = json_member(json, 0, "turn");
    return node != JSON_NONE && json->nodes[node].kind == JSON_NUMBER ? json->nodes[node].text
                                                                      : (Slice){"", 0};
}

/* Follows the turns until the stream ends. When no event arrives for a while, fetches the match, in
   case it ended without an event; false if that fails. */
static bool follow(Client *client, uint64_t match, Reply *reply, bool *played, Error *error) {
    char path[64];
    Error ignored;
    StreamEvent event;
    Json json = {0};
    bool good = true;
    StreamStatus news = STREAM_QUIET;
    snprintf(path, sizeof path, "/api/v1/matches/%llu/live", (unsigned long long)match);
    Stream *stream = stream_open(client, path);
    while (good && !interrupt_seen && !is_ended(reply)) {
        news = stream_next(stream, POLL_MS, -1, &event, &ignored);
        if (news == STREAM_QUIET)
            good = get_match(client, match, reply, error);
        else if (news != STREAM_EVENT || (*played = slice_equals(event.name, "end")))
            break;
        else if (slice_equals(event.name, "turn"))
            show_progress(reply, turn_of(&json, event.data));
    }
    json_free(&json);
    stream_close(stream);
    return good;
}

bool remote_match_wait(Client *client, uint64_t match, bool quiet, Reply *reply, Error *error) {
    bool played = false;
    progress_bar_begin(quiet, 0);
    bool good = get_match(client, match, reply, error);
    while (good && !is_ended(reply) && !interrupt_seen) {
        show_progress(reply, (Slice){"", 0});
        good = (played || follow(client, match, reply, &played, error)) &&
               get_match(client, match, reply, error);
        /* A waiting match may have nothing to follow yet, and the last turn arrives a moment before
           the verdict. */
        if (good && !is_ended(reply) && !interrupt_seen)
            poll(NULL, 0, PAUSE_MS);
    }
    progress_bar_end();
    return good && !interrupt_seen;
}

/* ---- printing ---- */

static uint32_t players_of(const Reply *reply, uint32_t object, uint32_t *end) {
    uint32_t list = reply_member(reply, object, "players");
    *end = 0;
    if (list == JSON_NONE || reply->json.nodes[list].kind != JSON_ARRAY)
        return 0;
    *end = reply->json.nodes[list].next;
    return list + 1;
}

/* OWNER/NAME of a bot, or the label of a person. */
static void print_player(const Reply *reply, uint32_t player) {
    Slice owner = reply_text(reply, player, "owner");
    if (owner.length)
        print("%.*s/", SLICE_ARGS(owner));
    print_text(stdout, reply_text(reply, player, "name"));
}

void remote_match_print(const Reply *reply, uint32_t object) {
    uint32_t end;
    uint32_t seat = 1;
    print("match %lld, ", (long long)reply_number(reply, object, "id"));
    print_text(stdout, reply_text(reply, object, "game"));
    Slice map = reply_text(reply, object, "map");
    if (map.length)
        print(" on %.*s", SLICE_ARGS(map));
    print(", %lld turns: ", (long long)reply_number(reply, object, "turns"));
    print_text(stdout, reply_text(reply, object, "state"));
    Slice reason = reply_text(reply, object, "reason");
    if (reason.length)
        print(" (%.*s)", SLICE_ARGS(reason));
    print("\n");
    if (!remote_match_is_over(reply, object))
        return;
    print("\n rank    score  player\n");
    for (uint32_t node = players_of(reply, object, &end); node < end;
         node = reply->json.nodes[node].next, seat++) {
        uint32_t score = reply_member(reply, node, "score");
        bool scored = score != JSON_NONE && reply->json.nodes[score].kind == JSON_NUMBER;
        print("%5lld", (long long)reply_number(reply, node, "rank"));
        if (scored)
            print(" %8lld", (long long)reply_number(reply, node, "score"));
        else
            print(" %8s", "");
        print("  %u ", seat);
        print_player(reply, node);
        Slice failure = reply_text(reply, node, "failure");
        if (failure.length)
            print("\n                   it %.*s", SLICE_ARGS(failure));
        print("\n");
    }
}

void remote_match_print_line(const Reply *reply, uint32_t object) {
    uint32_t end;
    print("%7lld  ", (long long)reply_number(reply, object, "id"));
    Slice game = reply_text(reply, object, "game");
    Slice state = reply_text(reply, object, "state");
    print_text(stdout, game);
    print("%*s", game.length < 13 ? (int)(13 - game.length) : 1, "");
    print_text(stdout, state);
    print("%*s", state.length < 11 ? (int)(11 - state.length) : 1, "");
    uint32_t first = players_of(reply, object, &end);
    for (uint32_t node = first; node < end; node = reply->json.nodes[node].next) {
        print("%s", node == first ? "" : ", ");
        if (remote_match_is_over(reply, object))
            print("%lld. ", (long long)reply_number(reply, node, "rank"));
        print_player(reply, node);
    }
    print("\n");
}
