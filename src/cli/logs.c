/* skirmish logs: prints what the user's bots wrote to standard error in a match on the arena. */
#include "cli/cli.h"
#include "cli/client.h"

#include <getopt.h>
#include <unistd.h>

static const char help[] =
    "Print what your bots wrote to standard error in a match.\n"
    "\n"
    "Usage: skirmish logs MATCH [options]\n"
    "\n"
    "Each line is prefixed with its seat, unless --seat is given.\n"
    "\n"
    "  --seat N              only this seat, counted from 1\n"
    "  --json                print one JSON object:\n"
    "                        {\"match\": N, \"seats\": [{\"seat\": N, \"stderr\": TEXT}]}\n"
    "\n"
    "Exit status: 0 printed, 2 invalid usage or rejected, 130 interrupted.\n"
    "\n"
    "Examples\n"
    "  skirmish logs 1042 --seat 1\n";

static void print_with_seat(uint32_t seat, Slice text) {
    Slice line;
    while (slice_line(&text, &line)) {
        print("%u: ", seat);
        print_text(stdout, line);
        print("\n");
    }
}

static bool get_log(Client *client, uint64_t match, uint32_t seat, Reply *reply, Error *error) {
    char path[96];
    snprintf(path, sizeof path, "/api/v1/matches/%llu/players/%u/stderr", (unsigned long long)match,
             seat - 1); /* the API counts seats from 0, people from 1 */
    return client_get(client, path, reply, error);
}

typedef struct Logs {
    uint64_t match;
    uint32_t seat; /* 0: all seats of the user's bots */
    bool json;
} Logs;

/* The number of seats in the match. */
static uint32_t seats_of(const Reply *reply) {
    uint32_t list = reply_member(reply, 0, "players");
    return list != JSON_NONE && reply->json.nodes[list].kind == JSON_ARRAY
               ? reply->json.nodes[list].count
               : 0;
}

static void print_log(const Logs *logs, JsonOut *out, uint32_t seat, const Reply *reply) {
    Slice text = {reply->body.data, reply->body.length};
    if (logs->json) {
        json_open(out, NULL, '{');
        json_out_uint(out, "seat", seat);
        json_out_string(out, "stderr", text);
        json_close(out, '}');
    } else if (!logs->seat)
        print_with_seat(seat, text);
    else
        print_text(stdout, text);
}

static bool print_logs(Client *client, const Logs *logs, Error *error) {
    char path[64];
    Reply reply = {0};
    Buffer text = {0};
    JsonOut out = {.to = &text};
    uint32_t shown = 0;
    snprintf(path, sizeof path, "/api/v1/matches/%llu", (unsigned long long)logs->match);
    bool good = client_get(client, path, &reply, error);
    uint32_t seats = seats_of(&reply);
    if (good && logs->seat > seats)
        good = error_set(error, "match %llu has only %u seats", (unsigned long long)logs->match,
                         seats);
    json_open(&out, NULL, '{');
    json_out_uint(&out, "match", logs->match);
    json_open(&out, "seats", '[');
    for (uint32_t seat = 1; good && seat <= seats; seat++) {
        if (logs->seat && seat != logs->seat)
            continue;
        if (get_log(client, logs->match, seat, &reply, error)) {
            print_log(logs, &out, seat, &reply);
            shown++;
        } else if (logs->seat || (reply.status != 403 && reply.status != 404))
            good = false; /* with 403 and 404, seats of others are skipped */
    }
    json_close(&out, ']');
    json_close(&out, '}');
    buffer_char(&text, '\n');
    if (good && !shown)
        good = error_set(
            error, "no logs for match %llu; your bots did not play in it, or it has not ended",
            (unsigned long long)logs->match);
    if (good && logs->json)
        print_buffer(TEXT_JSON, &text);
    buffer_free(&text);
    reply_free(&reply);
    return good;
}

static int run(int count, char **arguments) {
    static const struct option options[] = {{"seat", required_argument, NULL, 's'},
                                            {"json", no_argument, NULL, 'j'},
                                            {"help", no_argument, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    Logs logs = {0};
    Error error = {0};
    int status = STATUS_DONE;
    int option;
    while ((option = next_option(&command_logs, count, arguments, options, &status)) != 0) {
        if (option < 0)
            return status;
        if (option == 'j')
            logs.json = true;
        else if (!parse_count("--seat", optarg, 1, GAME_PLAYERS_MAX, &logs.seat, &error))
            return usage_error(&command_logs, "%s", error.text);
    }
    if (count - optind != 1)
        return usage_error(&command_logs, "expected one MATCH number");
    if (!parse_number("MATCH", arguments[optind], 1, INT64_MAX, &logs.match, &error))
        return usage_error(&command_logs, "%s", error.text);
    SavedLogin account;
    catch_interrupts();
    Client *client = client_logged_in(&account, &error);
    if (!client || !print_logs(client, &logs, &error)) {
        print_error("%s", error.text);
        status = interrupt_seen ? STATUS_INTERRUPTED : STATUS_USAGE;
    }
    saved_login_free(&account);
    client_free(client);
    return status;
}

const Command command_logs = {"logs", help, run};
