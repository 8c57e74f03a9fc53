/* skirmish submit: uploads a new version of a bot and waits until it is built. */
#include "bots/bot_spec.h"
#include "cli/cli.h"
#include "cli/client.h"
#include "cli/pack.h"
#include "cli/progress_bar.h"

#include <errno.h>
#include <getopt.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { POLL_MS = 300 };

static const char help[] =
    "Upload a new version of a bot to the arena.\n"
    "\n"
    "Usage: skirmish submit DIRECTORY|FILE [options]\n"
    "\n"
    "Waits until the arena has built and tested the bot, and prints the build log and where the\n"
    "result of its check will appear. A DIRECTORY is uploaded completely, except for names that\n"
    "begin with a dot, __pycache__ and node_modules. A FILE is a single source file or an\n"
    "archive (zip, tar).\n"
    "\n"
    "  --bot NAME            name of the bot (default: name of the directory or file)\n"
    "  --game GAME           create the bot for this game if it does not exist (default: the\n"
    "                        game in its bot.json)\n"
    "  --activate            make this version live once it is built\n"
    "  --no-wait             do not wait for the build\n"
    "  --json                print the version as one JSON object\n"
    "\n"
    "Exit status: 0 built (with --no-wait: uploaded), 1 build or test failed, 2 invalid usage\n"
    "or rejected, 130 interrupted.\n"
    "\n"
    "Examples\n"
    "  skirmish submit ./hunter --game aliens --activate\n"
    "  skirmish submit fleet.py --bot admiral --activate\n";

typedef struct Submit {
    const char *path;
    const char *bot;
    const char *game;
    bool activate;
    bool no_wait;
    bool json;
    BotSpec spec;     /* read from a directory with a bot.json */
    Buffer name;      /* name of the bot */
    Buffer file_name; /* file name of the upload */
    Buffer bytes;
} Submit;

/* ---- the upload ---- */

/* The last part of a path, after resolving links and dots. */
static bool base_name(const char *path, Buffer *to, Error *error) {
    char *full = realpath(path, NULL);
    if (!full)
        return error_set(error, "cannot read %.300s: %s", path, strerror(errno));
    const char *slash = strrchr(full, '/');
    buffer_text(to, slash ? slash + 1 : full);
    free(full);
    return true;
}

/* Reads the game from the bot.json of a directory, if there is one. The arena explains an invalid
   bot.json. */
static void read_game(Submit *submit) {
    Error ignored;
    if (!submit->game && bot_spec_parse(&submit->spec, submit->path, "", NULL, &ignored))
        submit->game = submit->spec.game;
}

static bool pack(Submit *submit, Error *error) {
    struct stat status;
    Buffer base = {0};
    if (stat(submit->path, &status) != 0)
        return error_set(error, "cannot read %.300s: %s", submit->path, strerror(errno));
    bool directory = S_ISDIR(status.st_mode);
    bool good = base_name(submit->path, &base, error) &&
                (directory ? pack_directory(submit->path, &submit->bytes, error)
                           : load_bot(submit->path, &submit->bytes, error));
    if (good && directory)
        read_game(submit);
    if (good) {
        const char *text = buffer_string(&base);
        const char *dot = directory ? NULL : strrchr(text, '.');
        size_t length = dot && dot > text ? (size_t)(dot - text) : base.length;
        buffer_add(&submit->name, submit->bot ? submit->bot : text,
                   submit->bot ? strlen(submit->bot) : length);
        buffer_format(&submit->file_name, "%s%s", text, directory ? ".tar" : "");
    }
    buffer_free(&base);
    return good;
}

static void bot_path(const Submit *submit, const char *owner, Buffer *to) {
    buffer_text(to, "/api/v1/bots/");
    url_add(to, slice_of(owner));
    buffer_char(to, '/');
    url_add(to, (Slice){submit->name.data, submit->name.length});
}

/* Creates the bot if it does not exist. */
static bool ensure_bot(Client *client, Submit *submit, const char *owner, Reply *reply,
                       Error *error) {
    Buffer path = {0};
    bot_path(submit, owner, &path);
    bool good = client_get(client, buffer_string(&path), reply, error);
    buffer_free(&path);
    if (good) {
        Slice game = reply_text(reply, 0, "game");
        return !submit->game || slice_equals(game, submit->game) ||
               error_set(error, "your bot \"%s\" plays %.*s, not %s", buffer_string(&submit->name),
                         SLICE_ARGS(game), submit->game);
    }
    if (reply->status != 404)
        return false;
    if (!submit->game)
        return error_set(error, "you have no bot \"%s\"; to create it, use --game GAME",
                         buffer_string(&submit->name));
    Buffer body = {0};
    JsonOut out = {.to = &body};
    json_open(&out, NULL, '{');
    json_out_text(&out, "name", buffer_string(&submit->name));
    json_out_text(&out, "game", submit->game);
    json_close(&out, '}');
    Call call = {.method = "POST", .path = "/api/v1/bots", .body = {body.data, body.length}};
    good = client_call(client, &call, reply, error);
    buffer_free(&body);
    return good;
}

static bool send_version(Client *client, Submit *submit, const char *owner, Reply *reply,
                         Error *error) {
    Buffer path = {0};
    bot_path(submit, owner, &path);
    buffer_text(&path, "/versions?file_name=");
    url_add(&path, (Slice){submit->file_name.data, submit->file_name.length});
    Call call = {.method = "POST",
                 .path = buffer_string(&path),
                 .body = {submit->bytes.data, submit->bytes.length},
                 .type = "application/octet-stream"};
    bool good = client_call(client, &call, reply, error);
    buffer_free(&path);
    return good;
}

/* ---- waiting for the build ---- */

static bool wait_for_build(Client *client, uint64_t version, Reply *reply, Error *error) {
    char path[64];
    snprintf(path, sizeof path, "/api/v1/versions/%llu", (unsigned long long)version);
    bool good = client_get(client, path, reply, error);
    progress_bar_begin(false, 0);
    while (good && slice_equals(reply_text(reply, 0, "build"), "waiting") && !interrupt_seen) {
        progress_bar_show(-1, "waiting for the build");
        poll(NULL, 0, POLL_MS);
        good = client_get(client, path, reply, error);
    }
    progress_bar_end();
    return good && !interrupt_seen;
}

/* Makes the version live. */
static bool activate(Client *client, uint64_t version, Reply *reply, Error *error) {
    char path[64];
    snprintf(path, sizeof path, "/api/v1/versions/%llu/activate", (unsigned long long)version);
    return client_call(client, &(Call){.method = "POST", .path = path}, reply, error);
}

/* Prints the build log to standard error. */
static void show_log(Client *client, uint64_t version) {
    char path[64];
    Reply reply = {0};
    Error ignored;
    snprintf(path, sizeof path, "/api/v1/versions/%llu/log", (unsigned long long)version);
    if (client_get(client, path, &reply, &ignored) && reply.body.length) {
        print_text(stderr, (Slice){reply.body.data, reply.body.length});
        if (reply.body.data[reply.body.length - 1] != '\n')
            print_to(stderr, "\n");
    }
    reply_free(&reply);
}

static void print_result(const Submit *submit, const Reply *reply, const SavedLogin *account,
                         bool built) {
    print("%.*s version %lld", (int)submit->name.length, submit->name.data,
          (long long)reply_number(reply, 0, "number"));
    if (submit->no_wait)
        print(" uploaded\n");
    else if (built)
        print(submit->activate ? " is live\n" : " built; use --activate to make it live\n");
    else
        print(" failed to build\n");
    if (built)
        print("The arena checks it now; see %s/bots/%s/%.*s\n", account->url, account->name,
              (int)submit->name.length, submit->name.data);
}

static int submit_bot(Client *client, Submit *submit, const SavedLogin *account) {
    Reply reply = {0};
    Error error = {0};
    int status = STATUS_USAGE;
    bool good = pack(submit, &error) &&
                (account->name[0] ||
                 error_set(&error, "account name unknown; log in with: skirmish login URL")) &&
                ensure_bot(client, submit, account->name, &reply, &error) &&
                send_version(client, submit, account->name, &reply, &error);
    if (good) {
        uint64_t version = (uint64_t)reply_number(&reply, 0, "id");
        good = submit->no_wait || wait_for_build(client, version, &reply, &error);
        bool built = slice_equals(reply_text(&reply, 0, "build"), "good");
        if (good && !submit->no_wait)
            show_log(client, version);
        if (good && built && submit->activate)
            good = activate(client, version, &reply, &error);
        if (good && submit->json)
            print_reply(&reply);
        else if (good)
            print_result(submit, &reply, account, built);
        status = good && (built || submit->no_wait) ? STATUS_DONE : STATUS_FAILURE;
    }
    if (interrupt_seen)
        status = STATUS_INTERRUPTED;
    else if (!good)
        print_error("%s", error.text);
    reply_free(&reply);
    return status;
}

static int run(int count, char **arguments) {
    static const struct option options[] = {
        {"bot", required_argument, NULL, 'b'},
        {"game", required_argument, NULL, 'g'},
        {"activate", no_argument, NULL, 'a'},
        {"no-wait", no_argument, NULL, 'n'},
        {"json", no_argument, NULL, 'j'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    Submit submit = {0};
    int status = STATUS_DONE;
    int option;
    while ((option = next_option(&command_submit, count, arguments, options, &status)) != 0) {
        if (option < 0)
            return status;
        if (option == 'b')
            submit.bot = optarg;
        else if (option == 'g')
            submit.game = optarg;
        submit.activate |= option == 'a';
        submit.no_wait |= option == 'n';
        submit.json |= option == 'j';
    }
    if (count - optind != 1)
        return usage_error(&command_submit, "expected one DIRECTORY or FILE");
    if (submit.activate && submit.no_wait)
        return usage_error(&command_submit, "--activate and --no-wait cannot be combined");
    submit.path = arguments[optind];
    Error error;
    SavedLogin account;
    catch_interrupts();
    Client *client = client_logged_in(&account, &error);
    if (client)
        status = submit_bot(client, &submit, &account);
    else {
        print_error("%s", error.text);
        status = STATUS_USAGE;
    }
    saved_login_free(&account);
    client_free(client);
    bot_spec_free(&submit.spec);
    buffer_free(&submit.name);
    buffer_free(&submit.file_name);
    buffer_free(&submit.bytes);
    return status;
}

const Command command_submit = {"submit", help, run};
