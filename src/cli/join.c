/* skirmish join: plays a bot on this machine against bots on an arena, without uploading it.

   The arena's events say when to start the bot, what it reads and when to stop it; its output is
   sent back as it arrives. Neither side interprets the bytes: the referee applies the same rules
   and time limits as for any bot, and network time counts as the bot's. See arena/play. */
#include "base/clock.h"
#include "bots/process.h"
#include "bots/sandbox_view.h"
#include "cli/cli.h"
#include "cli/client.h"
#include "cli/match_setup.h"
#include "cli/remote_match.h"
#include "cli/sandbox_option.h"
#include "match/overrides.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <poll.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    ALIVE_MS = 5000, /* between keep-alive requests */
    WAIT_MS = 1000,
    MOMENT_MS = 500, /* for a bot to exit by itself */
    CHUNK = 48 << 10,
    OPPONENTS_MAX = GAME_PLAYERS_MAX - 1,
    MATCHES_MAX = 100000,
    TRIES = 5
};

static const char help[] =
    "Play a bot on this machine against bots on an arena.\n"
    "\n"
    "Usage: skirmish join URL --game GAME [options] -- BOT\n"
    "\n"
    "The bot is not uploaded: what it reads and prints travels over the network, and that time\n"
    "counts as its thinking time. Its standard error is printed here and not sent.\n"
    "\n"
    "A BOT is a shell command, a directory with a bot.json, or house:NAME, as for\n"
    "`skirmish play`.\n"
    "\n"
    "  --game GAME           the game (required)\n"
    "  --token TOKEN         an API token of your account (- for standard input); not needed\n"
    "                        after `skirmish login`\n"
    "  --against OWNER/BOT   an opponent; can be repeated (default: the arena chooses)\n"
    "  --map MAP             a standard map, or generate[:SEED[:SIZE]]\n"
    "  --label NAME          name of the bot in the match (default: your account's name)\n"
    "  --matches N           play N matches, one after the other (1; 0: until interrupted)\n"
    "  --sandbox MODE        strict, strict-except-uid, best-effort (default) or none, as for\n"
    "                        `skirmish play`\n"
    "  --json                print each match as one JSON object per line\n"
    "\n"
    "Exit status: 0 all matches played, 1 a match could not be played, 2 invalid usage or\n"
    "rejected, 130 interrupted (the running match is forfeited).\n"
    "\n"
    "Examples\n"
    "  skirmish join http://localhost:3000 --game aliens -- \"python3 my_bot.py\"\n"
    "  skirmish join http://localhost:3000 --game aliens --against house/aliens-medium -- ./mine\n";

typedef struct Join {
    const char *url;
    const char *token;
    const char *game;
    const char *map;
    const char *label;
    const char *against[OPPONENTS_MAX];
    uint32_t against_count;
    uint32_t matches;
    SandboxMode sandbox_mode;
    bool json;
    Sandbox *sandbox;
    BotSpec spec;
    Client *client;  /* for the stream */
    Client *answers; /* for answers, on a separate connection */
    Buffer seat;     /* the seat's secret */
    uint64_t match;
    Process process;
    bool running;
    int64_t run;
    uint64_t sent; /* bytes of the run's output */
    bool input_closed;
    Buffer input;  /* not yet read by the bot */
    Buffer errors; /* the beginning of an incomplete character */
    int64_t alive_at;
} Join;

/* ---- answers ---- */

/* Sends bytes of the bot's output, or none to keep the seat alive. If an answer gets lost, it is
   sent again: its offset tells the arena which bytes it already has. */
static bool send_answers(Join *join, Slice bytes, bool last, Error *error) {
    Buffer path = {0};
    Reply reply = {0};
    buffer_format(&path, "/api/v1/join/%s/answers", buffer_string(&join->seat));
    if (bytes.length || last)
        buffer_format(&path, "?run=%lld&at=%llu%s", (long long)join->run,
                      (unsigned long long)join->sent, last ? "&last=1" : "");
    Call call = {.method = "POST",
                 .path = buffer_string(&path),
                 .body = bytes,
                 .type = "application/octet-stream"};
    bool good = false;
    for (int i = 0; i < TRIES && !good && !interrupt_seen; i++) {
        if (i)
            poll(NULL, 0, 200 << i);
        good = client_call(join->answers, &call, &reply, error);
        if (good)
            error->text[0] = '\0'; /* left by an earlier attempt */
        /* The run or the match is over: no more answers are needed. */
        if (reply.status == 409 || reply.status == 404) {
            error->text[0] = '\0';
            good = true;
        } else if (reply.status && reply.status != 429 && reply.status < 500)
            break;
    }
    join->sent += bytes.length;
    join->alive_at = clock_now();
    buffer_free(&path);
    reply_free(&reply);
    return good;
}

/* ---- the bot ---- */

/* Prints the bot's standard error here instead of sending it. A character may arrive in pieces: its
   beginning waits for the rest. */
static void pass_errors(Join *join) {
    Buffer *errors = &join->errors;
    ssize_t got;
    while ((got = read(join->process.err, buffer_reserve(errors, CHUNK), CHUNK)) > 0) {
        errors->length += (size_t)got;
        size_t whole = errors->length - utf8_unfinished((Slice){errors->data, errors->length});
        print_text(stderr, (Slice){errors->data, whole});
        buffer_drop(errors, whole);
    }
}

static void end_bot(Join *join) {
    if (!join->running)
        return;
    if (!join->input_closed && join->process.in >= 0) {
        close(join->process.in);
        join->process.in = -1;
    }
    struct pollfd end = {.fd = join->process.end, .events = POLLIN};
    poll(&end, 1, MOMENT_MS);
    pass_errors(join);
    print_text(stderr, (Slice){join->errors.data, join->errors.length});
    buffer_clear(&join->errors);
    process_end(&join->process);
    join->running = false;
    buffer_clear(&join->input);
}

static bool start_bot(Join *join, Error *error) {
    ProcessStart start = {.command = join->spec.command,
                          .program = join->spec.program,
                          .directory = join->spec.directory,
                          .sandbox = join->sandbox,
                          .limits = sandbox_standard_limits};
    end_bot(join);
    if (!process_start(&join->process, &start, error))
        return false;
    fcntl(join->process.in, F_SETFL, fcntl(join->process.in, F_GETFL) | O_NONBLOCK);
    join->running = true;
    join->input_closed = false;
    join->sent = 0;
    return true;
}

static void push_input(Join *join) {
    while (join->running && !join->input_closed && join->input.length) {
        ssize_t written = write(join->process.in, join->input.data, join->input.length);
        if (written > 0)
            buffer_drop(&join->input, (size_t)written);
        else if (errno == EAGAIN)
            return;
        else if (errno != EINTR)
            buffer_clear(&join->input); /* the bot stopped reading */
    }
}

/* Sends what the bot has printed, and the end of its output. */
static bool pass_output(Join *join, Error *error) {
    char bytes[CHUNK];
    if (!join->running || join->process.out < 0)
        return true;
    pass_errors(join);
    for (;;) {
        ssize_t got = read(join->process.out, bytes, sizeof bytes);
        if (got > 0) {
            if (!send_answers(join, (Slice){bytes, (size_t)got}, false, error))
                return false;
            continue;
        }
        if (got < 0 && (errno == EAGAIN || errno == EINTR))
            return true;
        Error hint;
        if (!join->sent && sandbox_hides_bot(join->sandbox, &join->spec, &hint))
            print_error("%s", hint.text);
        bool good = send_answers(join, (Slice){"", 0}, true, error);
        end_bot(join);
        return good;
    }
}

/* ---- events ---- */

static bool take_view(Join *join, const Json *json, Error *error) {
    uint32_t node = json_member(json, 0, "bytes");
    if (node == JSON_NONE || json->nodes[node].kind != JSON_STRING)
        return error_set(error, "the arena sent an invalid view");
    Slice text = json->nodes[node].text;
    size_t length = 0;
    char *at = buffer_reserve(&join->input, text.length);
    if (sodium_base642bin((unsigned char *)at, text.length, text.at, text.length, NULL, &length,
                          NULL, sodium_base64_VARIANT_ORIGINAL) != 0)
        return error_set(error, "the arena sent an invalid view");
    join->input.length += length;
    push_input(join);
    return true;
}

/* Handles the end of the match. A cancelled match has no result to fetch, and the arena may be
   stopping. */
static bool take_end(const Join *join, const Json *json, Error *error) {
    uint32_t state = json_member(json, 0, "state");
    uint32_t reason = json_member(json, 0, "reason");
    if (state == JSON_NONE || !slice_equals(json->nodes[state].text, "called_off") ||
        reason == JSON_NONE || json->nodes[reason].kind != JSON_STRING)
        return true;
    return error_set(error, "match %llu was cancelled: %.*s", (unsigned long long)join->match,
                     SLICE_ARGS(json->nodes[reason].text));
}

/* False on failure; *over at the end of the match. */
static bool take_event(Join *join, const StreamEvent *event, bool *over, Error *error) {
    Json json = {.lenient = true};
    bool good = json_parse(&json, event->data, error) && json.nodes[0].kind == JSON_OBJECT;
    uint32_t node = good ? json_member(&json, 0, "run") : JSON_NONE;
    int64_t run = 0;
    if (node != JSON_NONE)
        json_whole(&json, node, &run);
    if (!good)
        error_set(error, "the arena sent an invalid event");
    else if (slice_equals(event->name, "start")) {
        join->run = run;
        good = start_bot(join, error);
        if (!good) { /* lets the referee notice that the bot is gone */
            Error ignored;
            join->sent = 0;
            send_answers(join, (Slice){"", 0}, true, &ignored);
        }
    } else if (slice_equals(event->name, "view")) {
        if (run == join->run && join->running)
            good = take_view(join, &json, error);
    } else if (slice_equals(event->name, "stop")) {
        if (run == join->run)
            end_bot(join);
    } else if (slice_equals(event->name, "end")) {
        *over = true;
        good = take_end(join, &json, error);
    } else if (slice_equals(event->name, "gap"))
        good = error_set(error, "the connection was lost for too long; some views are missing");
    json_free(&json);
    return good;
}

/* ---- a match ---- */

static bool ask_for_match(Join *join, Error *error) {
    Buffer body = {0};
    Reply reply = {0};
    JsonOut out = {.to = &body};
    json_open(&out, NULL, '{');
    json_out_text(&out, "game", join->game);
    if (join->against_count) {
        json_open(&out, "opponents", '[');
        for (uint32_t i = 0; i < join->against_count; i++)
            json_out_text(&out, NULL, join->against[i]);
        json_close(&out, ']');
    }
    if (join->map)
        json_out_text(&out, "map", join->map);
    if (join->label)
        json_out_text(&out, "label", join->label);
    json_close(&out, '}');
    Call call = {.method = "POST", .path = "/api/v1/join", .body = {body.data, body.length}};
    bool good = client_call(join->answers, &call, &reply, error);
    if (good) {
        buffer_clear(&join->seat);
        url_add(&join->seat, reply_text(&reply, 0, "seat"));
        join->match = (uint64_t)reply_number(&reply, 0, "match");
        join->alive_at = clock_now();
        good = join->seat.length ||
               error_set(error, "%.200s returned no seat; is it a Skirmish arena?", join->url);
    }
    buffer_free(&body);
    reply_free(&reply);
    return good;
}

/* Passes bytes in both directions until the match is over. */
static bool play_match(Join *join, Error *error) {
    Buffer path = {0};
    buffer_format(&path, "/api/v1/join/%s/events", buffer_string(&join->seat));
    Stream *stream = stream_open(join->client, buffer_string(&path));
    bool over = false;
    bool good = true;
    while (good && !over && !interrupt_seen) {
        StreamEvent event;
        int also = join->running ? join->process.out : -1;
        /* A short timeout retries input that the bot has not read yet. */
        StreamStatus news =
            stream_next(stream, join->input.length ? 1 : WAIT_MS, also, &event, error);
        if (news == STREAM_EVENT)
            good = take_event(join, &event, &over, error);
        else if (news == STREAM_OVER)
            over = true;
        else if (news == STREAM_FAILED)
            good = false;
        push_input(join);
        good = good && pass_output(join, error);
        if (good && clock_now() - join->alive_at > ALIVE_MS * CLOCK_MS)
            good = send_answers(join, (Slice){"", 0}, false, error);
    }
    end_bot(join);
    stream_close(stream);
    buffer_free(&path);
    return good && over;
}

/* Gives up the seat, so that the arena does not wait for it. */
static void leave(Join *join) {
    Buffer path = {0};
    Reply reply = {0};
    Error ignored;
    buffer_format(&path, "/api/v1/join/%s", buffer_string(&join->seat));
    int seen = interrupt_seen;
    interrupt_seen = 0; /* otherwise it would abort this call too */
    client_call(join->answers, &(Call){.method = "DELETE", .path = buffer_string(&path)}, &reply,
                &ignored);
    interrupt_seen = seen;
    buffer_free(&path);
    reply_free(&reply);
}

static int play_one(Join *join) {
    Error error = {0};
    Reply reply = {0};
    int status = STATUS_USAGE;
    if (ask_for_match(join, &error)) {
        status = STATUS_FAILURE;
        if (!join->json)
            print_to(stderr, "Match %llu queued\n", (unsigned long long)join->match);
        if (!play_match(join, &error))
            leave(join);
        else if (remote_match_wait(join->answers, join->match, true, &reply, &error)) {
            if (join->json)
                print_reply(&reply);
            else
                remote_match_print(&reply, 0);
            print_flush();
            status = remote_match_is_over(&reply, 0) ? STATUS_DONE : STATUS_FAILURE;
        }
    }
    if (interrupt_seen)
        status = STATUS_INTERRUPTED;
    else if (error.text[0])
        print_error("%s", error.text);
    reply_free(&reply);
    return status;
}

/* ---- the command ---- */

/* Connects with the token of --token, or else of `skirmish login`. */
static bool connect(Join *join, Error *error) {
    char typed[1024] = "";
    const char *token = join->token;
    SavedLogin account = {0};
    if (token && strcmp(token, "-") == 0) {
        if (!fgets(typed, sizeof typed, stdin))
            return error_set(error, "no API token on standard input");
        typed[strcspn(typed, "\r\n")] = '\0';
        token = typed;
    }
    bool good = true;
    if (!token) {
        good = saved_login_load(&account, error);
        size_t length = good ? strlen(account.url) : 0;
        /* A token is valid for one arena only. */
        if (good && (strncmp(account.url, join->url, length) != 0 ||
                     strspn(join->url + length, "/") != strlen(join->url + length)))
            good = error_set(
                error, "you are logged in to %.150s, not to %.150s; log in there or use --token",
                account.url, join->url);
        token = account.token;
    }
    join->client = good ? client_new(join->url, token, error) : NULL;
    join->answers = join->client ? client_new(join->url, token, error) : NULL;
    sodium_memzero(typed, sizeof typed);
    saved_login_free(&account);
    return join->answers != NULL;
}

static bool prepare_bot(Join *join, const char *text, Error *error) {
    if (!game_find(slice_of(join->game), error))
        return false;
    join->sandbox = open_sandbox(join->sandbox_mode, error);
    if (!join->sandbox || !process_prepare(error) ||
        !bot_spec_parse(&join->spec, text, join->game, join->sandbox, error))
        return false;
    if (join->spec.kind != BOT_PROCESS)
        return error_set(
            error, "join cannot play %.100s; expected a command, a directory or house:NAME", text);
    return build_bot(&join->spec, join->sandbox, error);
}

static bool read_options(Join *join, int count, char **arguments, int *status) {
    static const struct option options[] = {
        {"game", required_argument, NULL, 'g'},    {"token", required_argument, NULL, 't'},
        {"against", required_argument, NULL, 'a'}, {"map", required_argument, NULL, 'm'},
        {"label", required_argument, NULL, 'l'},   {"matches", required_argument, NULL, 'n'},
        {"sandbox", required_argument, NULL, 'x'}, {"json", no_argument, NULL, 'j'},
        {"help", no_argument, NULL, 'h'},          {NULL, 0, NULL, 0},
    };
    Error error = {0};
    int option;
    while ((option = next_option(&command_join, count, arguments, options, status)) != 0) {
        bool good = true;
        if (option < 0)
            return false;
        if (option == 'a' && join->against_count == OPPONENTS_MAX)
            good = error_set(&error, "--against can be given at most %d times", OPPONENTS_MAX);
        else if (option == 'a')
            join->against[join->against_count++] = optarg;
        else if (option == 'n')
            good = parse_count("--matches", optarg, 0, MATCHES_MAX, &join->matches, &error);
        else if (option == 'x')
            good = read_sandbox_mode(optarg, &join->sandbox_mode, &error);
        else if (option == 'j')
            join->json = true;
        else
            *(option == 'g'   ? &join->game
              : option == 't' ? &join->token
              : option == 'm' ? &join->map
                              : &join->label) = optarg;
        if (!good) {
            *status = usage_error(&command_join, "%s", error.text);
            return false;
        }
    }
    return true;
}

static int run(int count, char **arguments) {
    Join join = {.matches = 1, .sandbox_mode = SANDBOX_BEST_EFFORT};
    Error error = {0};
    int status = STATUS_DONE;
    if (!read_options(&join, count, arguments, &status))
        return status;
    if (count == optind)
        return usage_error(&command_join, "expected the URL of one arena");
    if (!join.game)
        return usage_error(&command_join, GAME_REQUIRED);
    if (count - optind != 2)
        return usage_error(&command_join, "expected URL -- BOT");
    join.url = arguments[optind];
    catch_interrupts();
    if (!connect(&join, &error) || !prepare_bot(&join, arguments[optind + 1], &error)) {
        print_error("%s", error.text);
        status = interrupt_seen ? STATUS_INTERRUPTED : STATUS_USAGE;
    }
    for (uint32_t i = 0; status == STATUS_DONE && (!join.matches || i < join.matches); i++)
        status = play_one(&join);
    bot_spec_free(&join.spec);
    sandbox_free(join.sandbox);
    client_free(join.client);
    client_free(join.answers);
    buffer_free(&join.seat);
    buffer_free(&join.input);
    buffer_free(&join.errors);
    return status;
}

const Command command_join = {"join", help, run};
