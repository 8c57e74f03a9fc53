/* See remote_match.h. */
#include "cli/remote_match.h"

#include "cli/cli.h"

#include <poll.h>
#include <unistd.h>

enum { POLL_MS = 1000, PAUSE_MS = 200 };

static bool get_match(Client *client, uint64_t match, Answer *answer, Error *error) {
    char path[64];
    snprintf(path, sizeof path, "/api/v1/matches/%llu", (unsigned long long)match);
    return client_get(client, path, answer, error);
}

bool fight_is_over(const Answer *answer, uint32_t object) {
    return slice_equals(answer_text(answer, object, "state"), "over");
}

static bool is_ended(const Answer *answer) {
    Slice state = answer_text(answer, 0, "state");
    return !slice_equals(state, "waiting") && !slice_equals(state, "playing");
}

static void show_progress(bool show, const Answer *answer, Slice turn) {
    if (!show)
        return;
    fputs("\r\033[K", stderr);
    print_safely(stderr, answer_text(answer, 0, "state"));
    if (turn.length) {
        fputs(", turn ", stderr);
        print_safely(stderr, turn);
    }
    fflush(stderr);
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

/* Follows the turns until nothing more comes, or the match has ended otherwise: that is looked at
   whenever it is quiet. False if it cannot be looked at. */
static bool follow(Client *client, uint64_t match, bool show, Answer *answer, bool *played,
                   Error *error) {
    char path[64];
    Error ignored;
    StreamEvent event;
    Json json = {0};
    bool good = true;
    StreamNews news = STREAM_QUIET;
    snprintf(path, sizeof path, "/api/v1/matches/%llu/live", (unsigned long long)match);
    Stream *stream = stream_open(client, path);
    while (good && !interrupt_seen && !is_ended(answer)) {
        news = stream_next(stream, POLL_MS, -1, &event, &ignored);
        if (news == STREAM_QUIET)
            good = get_match(client, match, answer, error);
        else if (news != STREAM_EVENT || (*played = slice_equals(event.name, "end")))
            break;
        else if (slice_equals(event.name, "turn"))
            show_progress(show, answer, turn_of(&json, event.data));
    }
    json_free(&json);
    stream_close(stream);
    return good;
}

bool fight_wait(Client *client, uint64_t match, bool quiet, Answer *answer, Error *error) {
    bool show = !quiet && isatty(STDERR_FILENO) != 0;
    bool played = false;
    bool good = get_match(client, match, answer, error);
    while (good && !is_ended(answer) && !interrupt_seen) {
        show_progress(show, answer, (Slice){"", 0});
        good = (played || follow(client, match, show, answer, &played, error)) &&
               get_match(client, match, answer, error);
        /* A match that waits may have nothing to follow yet, and the last turn is there a moment
           before the verdict. */
        if (good && !is_ended(answer) && !interrupt_seen)
            poll(NULL, 0, PAUSE_MS);
    }
    if (show)
        fputs("\r\033[K", stderr);
    return good && !interrupt_seen;
}

/* ---- printing ---- */

static uint32_t players_of(const Answer *answer, uint32_t object, uint32_t *end) {
    uint32_t list = answer_member(answer, object, "players");
    *end = 0;
    if (list == JSON_NONE || answer->json.nodes[list].kind != JSON_ARRAY)
        return 0;
    *end = answer->json.nodes[list].next;
    return list + 1;
}

/* owner/bot, or the label of one that is no bot's. */
static void print_player(const Answer *answer, uint32_t player) {
    Slice owner = answer_text(answer, player, "owner");
    if (owner.length) {
        print_safely(stdout, owner);
        fputc('/', stdout);
    }
    print_safely(stdout, answer_text(answer, player, "name"));
}

void fight_print(const Answer *answer, uint32_t object) {
    uint32_t end;
    uint32_t seat = 1;
    printf("match %lld, ", (long long)answer_number(answer, object, "id"));
    print_safely(stdout, answer_text(answer, object, "game"));
    Slice map = answer_text(answer, object, "map");
    if (map.length) {
        fputs(" on ", stdout);
        print_safely(stdout, map);
    }
    printf(", %lld turns: ", (long long)answer_number(answer, object, "turns"));
    print_safely(stdout, answer_text(answer, object, "state"));
    Slice reason = answer_text(answer, object, "reason");
    if (reason.length) {
        fputs(" (", stdout);
        print_safely(stdout, reason);
        fputc(')', stdout);
    }
    fputc('\n', stdout);
    if (!fight_is_over(answer, object))
        return;
    fputs("\n rank    score  player\n", stdout);
    for (uint32_t node = players_of(answer, object, &end); node < end;
         node = answer->json.nodes[node].next, seat++) {
        uint32_t score = answer_member(answer, node, "score");
        bool scored = score != JSON_NONE && answer->json.nodes[score].kind == JSON_NUMBER;
        printf("%5lld", (long long)answer_number(answer, node, "rank"));
        if (scored)
            printf(" %8lld", (long long)answer_number(answer, node, "score"));
        else
            printf(" %8s", "");
        printf("  %u ", seat);
        print_player(answer, node);
        Slice failure = answer_text(answer, node, "failure");
        if (failure.length) {
            fputs("\n                   it ", stdout);
            print_safely(stdout, failure);
        }
        fputc('\n', stdout);
    }
}

void fight_print_line(const Answer *answer, uint32_t object) {
    uint32_t end;
    printf("%7lld  ", (long long)answer_number(answer, object, "id"));
    Slice game = answer_text(answer, object, "game");
    Slice state = answer_text(answer, object, "state");
    print_safely(stdout, game);
    printf("%*s", game.length < 13 ? (int)(13 - game.length) : 1, "");
    print_safely(stdout, state);
    printf("%*s", state.length < 11 ? (int)(11 - state.length) : 1, "");
    uint32_t first = players_of(answer, object, &end);
    for (uint32_t node = first; node < end; node = answer->json.nodes[node].next) {
        fputs(node == first ? "" : ", ", stdout);
        if (fight_is_over(answer, object))
            printf("%lld. ", (long long)answer_number(answer, node, "rank"));
        print_player(answer, node);
    }
    fputc('\n', stdout);
}
