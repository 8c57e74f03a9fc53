/* skirmish challenge: plays a match on the arena. */
#include "cli/cli.h"
#include "cli/client.h"
#include "cli/remote_match.h"

#include <getopt.h>
#include <string.h>

static const char help[] =
    "Play a match on the arena and print the result.\n"
    "\n"
    "Usage: skirmish challenge OPPONENT... --bot MINE [options]\n"
    "\n"
    "An OPPONENT is a bot, as OWNER/NAME, or one of your own by its name.\n"
    "\n"
    "  --bot MINE            your bot; it gets the first seat\n"
    "  --map MAP             a standard map, or generate[:SEED[:SIZE]]\n"
    "  --no-wait             print the match number and do not wait\n"
    "  --json                print the match as one JSON object\n"
    "\n"
    "Exit status: 0 match played, 1 match could not be played, 2 invalid usage or rejected,\n"
    "130 interrupted (the match continues).\n"
    "\n"
    "Examples\n"
    "  skirmish challenge house/aliens-medium --bot mine\n"
    "  skirmish challenge house/planetwars-medium bob/fleet --bot mine --map generate:7\n";

typedef struct Challenge {
    const char *bot;
    const char *map;
    bool no_wait;
    bool json;
    char **opponents;
    int opponent_count;
} Challenge;

/* OWNER/NAME; a name alone is one of the user's own bots. */
static void full_name(const char *name, const char *own, Buffer *to) {
    if (!strchr(name, '/'))
        buffer_format(to, "%s/", own);
    buffer_text(to, name);
}

static void add_seat(JsonOut *out, const char *name, const char *own) {
    Buffer text = {0};
    full_name(name, own, &text);
    json_open(out, NULL, '{');
    json_out_string(out, "bot", (Slice){text.data, text.length});
    json_close(out, '}');
    buffer_free(&text);
}

/* Fetches the bot into `reply`, for the game it plays. */
static bool find_bot(Client *client, const char *name, const char *own, Reply *reply,
                     Error *error) {
    Buffer text = {0};
    Buffer path = {0};
    full_name(name, own, &text);
    const char *slash = strchr(buffer_string(&text), '/');
    buffer_text(&path, "/api/v1/bots/");
    url_add(&path, (Slice){text.data, (size_t)(slash - text.data)});
    buffer_char(&path, '/');
    url_add(&path, slice_of(slash + 1));
    bool good = client_get(client, buffer_string(&path), reply, error);
    if (!good && reply->status == 404)
        error_set(error, "unknown bot \"%.100s\"", buffer_string(&text));
    buffer_free(&text);
    buffer_free(&path);
    return good;
}

static bool ask_for(Client *client, const Challenge *challenge, const char *own, Reply *reply,
                    Error *error) {
    if (!find_bot(client, challenge->bot, own, reply, error))
        return false;
    Buffer body = {0};
    JsonOut out = {.to = &body};
    json_open(&out, NULL, '{');
    json_out_string(&out, "game", reply_text(reply, 0, "game"));
    if (challenge->map)
        json_out_text(&out, "map", challenge->map);
    json_open(&out, "seats", '[');
    add_seat(&out, challenge->bot, own);
    for (int i = 0; i < challenge->opponent_count; i++)
        add_seat(&out, challenge->opponents[i], own);
    json_close(&out, ']');
    json_close(&out, '}');
    Call call = {.method = "POST", .path = "/api/v1/matches", .body = {body.data, body.length}};
    bool good = client_call(client, &call, reply, error);
    buffer_free(&body);
    return good;
}

static int play(Client *client, const Challenge *challenge, const char *own) {
    Reply reply = {0};
    Error error = {0};
    int status = STATUS_USAGE;
    if (ask_for(client, challenge, own, &reply, &error)) {
        uint64_t match = (uint64_t)reply_number(&reply, 0, "id");
        if (!challenge->json && !challenge->no_wait)
            print_to(stderr, "Match %llu queued\n", (unsigned long long)match);
        bool good =
            challenge->no_wait || remote_match_wait(client, match, challenge->json, &reply, &error);
        if (!good)
            status = STATUS_FAILURE;
        else if (challenge->json)
            print_reply(&reply);
        else if (challenge->no_wait)
            print("%llu\n", (unsigned long long)match);
        else
            remote_match_print(&reply, 0);
        if (good)
            status = challenge->no_wait || remote_match_is_over(&reply, 0) ? STATUS_DONE
                                                                           : STATUS_FAILURE;
    }
    if (interrupt_seen)
        status = STATUS_INTERRUPTED;
    else if (error.text[0])
        print_error("%s", error.text);
    reply_free(&reply);
    return status;
}

static int run(int count, char **arguments) {
    static const struct option options[] = {
        {"bot", required_argument, NULL, 'b'}, {"map", required_argument, NULL, 'm'},
        {"no-wait", no_argument, NULL, 'n'},   {"json", no_argument, NULL, 'j'},
        {"help", no_argument, NULL, 'h'},      {NULL, 0, NULL, 0},
    };
    Challenge challenge = {0};
    int status = STATUS_DONE;
    int option;
    while ((option = next_option(&command_challenge, count, arguments, options, &status)) != 0) {
        if (option < 0)
            return status;
        if (option == 'b')
            challenge.bot = optarg;
        else if (option == 'm')
            challenge.map = optarg;
        else if (option == 'n')
            challenge.no_wait = true;
        else
            challenge.json = true;
    }
    challenge.opponents = arguments + optind;
    challenge.opponent_count = count - optind;
    if (!challenge.bot)
        return usage_error(&command_challenge, "--bot is required");
    if (!challenge.opponent_count)
        return usage_error(&command_challenge, "expected at least one OPPONENT");
    Error error;
    SavedLogin account;
    catch_interrupts();
    Client *client = client_logged_in(&account, &error);
    if (client)
        status = play(client, &challenge, account.name);
    else {
        print_error("%s", error.text);
        status = STATUS_USAGE;
    }
    saved_login_free(&account);
    client_free(client);
    return status;
}

const Command command_challenge = {"challenge", help, run};
