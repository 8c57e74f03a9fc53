/* skirmish challenge and skirmish logs: a match on the arena, now; and what one's bots said in
   it. */
#include "cli/cli.h"
#include "cli/client.h"
#include "cli/remote_match.h"

#include <getopt.h>
#include <string.h>
#include <unistd.h>

static const char challenge_help[] =
    "Usage: skirmish challenge OPPONENT... --bot MINE [options]\n"
    "\n"
    "Has the arena play a match of your bot against others, now; follows it and prints the verdict.\n"
    "An OPPONENT is a bot, as owner/bot, or one of your own by its name.\n"
    "\n"
    "  --bot MINE            your bot; its seat is the first\n"
    "  --map MAP             a standard map, or generate[:SEED[:SIZE]]\n"
    "  --no-wait             do not wait for it; print its number\n"
    "  --json                the match as one JSON object\n"
    "\n"
    "Exit status: 0 played to a verdict, 2 wrong usage or refused, 1 it could not be played,\n"
    "130 interrupted; the match goes on then.\n"
    "\n"
    "Examples\n"
    "  skirmish challenge house/aliens-hunter --bot mine\n"
    "  skirmish challenge house/planetwars-admiral bob/fleet --bot mine --map generate:7\n";

static const char logs_help[] =
    "Usage: skirmish logs MATCH [options]\n"
    "\n"
    "Prints what your bots wrote to standard error in a match, each line led by its seat where there\n"
    "are several.\n"
    "\n"
    "  --seat N              only this seat, counted from 1\n"
    "  --json                one JSON object: {\"match\": N, \"seats\": [{\"seat\": N, \"stderr\": TEXT}]}\n"
    "\n"
    "Exit status: 0 printed, 2 wrong usage or refused, 130 interrupted.\n";

/* ---- challenge ---- */

typedef struct Challenge {
    const char *bot;
    const char *map;
    bool no_wait;
    bool json;
    char **opponents;
    int opponent_count;
} Challenge;

/* owner/bot; one of one's own goes by its name alone. */
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

/* Which game the bot plays: leaves it in `answer`. */
static bool find_bot(Client *client, const char *name, const char *own, Answer *answer,
                     Error *error) {
    Buffer text = {0};
    Buffer path = {0};
    full_name(name, own, &text);
    const char *slash = strchr(buffer_string(&text), '/');
    buffer_text(&path, "/api/v1/bots/");
    url_add(&path, (Slice){text.data, (size_t)(slash - text.data)});
    buffer_char(&path, '/');
    url_add(&path, slice_of(slash + 1));
    bool good = client_get(client, buffer_string(&path), answer, error);
    if (!good && answer->status == 404)
        error_set(error, "there is no bot %.100s", buffer_string(&text));
    buffer_free(&text);
    buffer_free(&path);
    return good;
}

static bool ask_for(Client *client, const Challenge *challenge, const char *own, Answer *answer,
                    Error *error) {
    if (!find_bot(client, challenge->bot, own, answer, error))
        return false;
    Buffer body = {0};
    JsonOut out = {.to = &body};
    json_open(&out, NULL, '{');
    json_out_string(&out, "game", answer_text(answer, 0, "game"));
    if (challenge->map)
        json_out_text(&out, "map", challenge->map);
    json_open(&out, "seats", '[');
    add_seat(&out, challenge->bot, own);
    for (int i = 0; i < challenge->opponent_count; i++)
        add_seat(&out, challenge->opponents[i], own);
    json_close(&out, ']');
    json_close(&out, '}');
    Call call = {.method = "POST", .path = "/api/v1/matches", .body = {body.data, body.length}};
    bool good = client_call(client, &call, answer, error);
    buffer_free(&body);
    return good;
}

static int play(Client *client, const Challenge *challenge, const char *own) {
    Answer answer = {0};
    Error error = {""};
    int status = STATUS_USAGE;
    if (ask_for(client, challenge, own, &answer, &error)) {
        uint64_t match = (uint64_t)answer_number(&answer, 0, "id");
        if (!challenge->json && !challenge->no_wait)
            fprintf(stderr, "Match %llu waits to be played.\n", (unsigned long long)match);
        bool good =
            challenge->no_wait || fight_wait(client, match, challenge->json, &answer, &error);
        if (!good)
            status = STATUS_OUR_FAILURE;
        else if (challenge->json)
            print_answer(&answer);
        else if (challenge->no_wait)
            printf("%llu\n", (unsigned long long)match);
        else
            fight_print(&answer, 0);
        if (good)
            status =
                challenge->no_wait || fight_is_over(&answer, 0) ? STATUS_DONE : STATUS_OUR_FAILURE;
    }
    if (interrupt_seen)
        status = STATUS_INTERRUPTED;
    else if (error.text[0])
        complain("%s", error.text);
    answer_free(&answer);
    return status;
}

static int run_challenge(int count, char **arguments) {
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
        return wrong_usage(&command_challenge, "which of your bots plays? --bot is missing");
    if (!challenge.opponent_count)
        return wrong_usage(&command_challenge, "against whom? an opponent is missing");
    Error error;
    Account account;
    catch_interrupts();
    Client *client = client_of_account(&account, &error);
    if (client)
        status = play(client, &challenge, account.name);
    else {
        complain("%s", error.text);
        status = STATUS_USAGE;
    }
    account_free(&account);
    client_free(client);
    return status;
}

/* ---- logs ---- */

static void print_led(uint32_t seat, Slice text) {
    Slice line;
    while (slice_line(&text, &line)) {
        printf("%u: ", seat);
        print_safely(stdout, line);
        fputc('\n', stdout);
    }
}

static bool get_log(Client *client, uint64_t match, uint32_t seat, Answer *answer, Error *error) {
    char path[96];
    snprintf(path, sizeof path, "/api/v1/matches/%llu/players/%u/stderr", (unsigned long long)match,
             seat - 1); /* the API counts from 0, people from 1 */
    return client_get(client, path, answer, error);
}

typedef struct Logs {
    uint64_t match;
    uint32_t seat; /* 0: all that one may see */
    bool json;
} Logs;

/* How many seats the match has. */
static uint32_t seats_of(const Answer *answer) {
    uint32_t list = answer_member(answer, 0, "players");
    return list != JSON_NONE && answer->json.nodes[list].kind == JSON_ARRAY
               ? answer->json.nodes[list].count
               : 0;
}

static void print_log(const Logs *logs, JsonOut *out, uint32_t seat, const Answer *answer) {
    Slice text = {answer->body.data, answer->body.length};
    if (logs->json) {
        json_open(out, NULL, '{');
        json_out_uint(out, "seat", seat);
        json_out_string(out, "stderr", text);
        json_close(out, '}');
    } else if (!logs->seat)
        print_led(seat, text);
    else if (isatty(STDOUT_FILENO))
        print_safely(stdout, text);
    else
        fwrite(text.at, 1, text.length, stdout);
}

static bool print_logs(Client *client, const Logs *logs, Error *error) {
    char path[64];
    Answer answer = {0};
    Buffer text = {0};
    JsonOut out = {.to = &text};
    uint32_t shown = 0;
    snprintf(path, sizeof path, "/api/v1/matches/%llu", (unsigned long long)logs->match);
    bool good = client_get(client, path, &answer, error);
    uint32_t seats = seats_of(&answer);
    if (good && logs->seat > seats)
        good = error_set(error, "match %llu has %u seats", (unsigned long long)logs->match, seats);
    json_open(&out, NULL, '{');
    json_out_uint(&out, "match", logs->match);
    json_open(&out, "seats", '[');
    for (uint32_t seat = 1; good && seat <= seats; seat++) {
        if (logs->seat && seat != logs->seat)
            continue;
        if (get_log(client, logs->match, seat, &answer, error)) {
            print_log(logs, &out, seat, &answer);
            shown++;
        } else if (logs->seat || (answer.status != 403 && answer.status != 404))
            good = false; /* others' seats are passed over */
    }
    json_close(&out, ']');
    json_close(&out, '}');
    buffer_char(&text, '\n');
    if (good && !shown)
        good =
            error_set(error, "no bot of yours played in match %llu, or there is nothing of it yet",
                      (unsigned long long)logs->match);
    if (good && logs->json)
        print_buffer(&text);
    buffer_free(&text);
    answer_free(&answer);
    return good;
}

static int run_logs(int count, char **arguments) {
    static const struct option options[] = {{"seat", required_argument, NULL, 's'},
                                            {"json", no_argument, NULL, 'j'},
                                            {"help", no_argument, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    Logs logs = {0};
    Error error = {""};
    int status = STATUS_DONE;
    int option;
    while ((option = next_option(&command_logs, count, arguments, options, &status)) != 0) {
        if (option < 0)
            return status;
        if (option == 'j')
            logs.json = true;
        else if (!parse_count("--seat", optarg, 1, GAME_PLAYERS_MAX, &logs.seat, &error))
            return wrong_usage(&command_logs, "%s", error.text);
    }
    if (count - optind != 1)
        return wrong_usage(&command_logs, "of which match? expected its number");
    if (!parse_number("MATCH", arguments[optind], 1, INT64_MAX, &logs.match, &error))
        return wrong_usage(&command_logs, "%s", error.text);
    Account account;
    catch_interrupts();
    Client *client = client_of_account(&account, &error);
    if (!client || !print_logs(client, &logs, &error)) {
        complain("%s", error.text);
        status = interrupt_seen ? STATUS_INTERRUPTED : STATUS_USAGE;
    }
    account_free(&account);
    client_free(client);
    return status;
}

const Command command_challenge = {"challenge", "plays a match on the arena", challenge_help,
                                   run_challenge};
const Command command_logs = {"logs", "what your bots said in a match", logs_help, run_logs};
