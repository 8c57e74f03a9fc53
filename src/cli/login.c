/* skirmish login: creates an API token on an arena and saves it. */
#include "base/memory.h"
#include "cli/cli.h"
#include "cli/client.h"

#include <getopt.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
    "Log in to an arena.\n"
    "\n"
    "Usage: skirmish login URL [options]\n"
    "\n"
    "Asks for name and password, creates an API token for this machine on the arena, and saves\n"
    "the token (not the password) in $XDG_CONFIG_HOME/skirmish/arena.json, which only you can\n"
    "read. submit, bots, matches, challenge, logs and join use it. In scripts, set SKIRMISH_URL\n"
    "and SKIRMISH_TOKEN instead.\n"
    "\n"
    "  --name NAME           account name (default: ask)\n"
    "  --token TOKEN         an existing API token instead of name and password\n"
    "                        (- for standard input)\n"
    "  --scopes LIST         what the new token allows, separated by commas: read,\n"
    "                        play, upload, organise, administer (default: read,play,upload)\n"
    "  --days N              days until the new token expires (default: 90)\n"
    "  --register            create the account first\n"
    "  --invitation CODE     with --register: the invitation code, if the arena requires one\n"
    "\n"
    "Exit status: 0 logged in, 2 invalid usage or rejected, 130 interrupted.\n"
    "\n"
    "Examples\n"
    "  skirmish login http://localhost:3000 --name alice\n"
    "  skirmish login http://localhost:3000 --name alice --scopes read,play --days 7\n";

typedef struct Login {
    const char *url;
    const char *name;
    const char *token;
    const char *invitation;
    const char *scopes;
    uint32_t days; /* 0: the arena's default */
    bool make_account;
    char typed_name[256];
    char typed_secret[1024];
} Login;

/* ---- the exchange ---- */

static void credentials(const Login *login, const char *password, bool registers, Buffer *to) {
    JsonOut out = {.to = to};
    json_open(&out, NULL, '{');
    json_out_text(&out, "name", login->name);
    json_out_text(&out, "password", password);
    if (registers && login->invitation)
        json_out_text(&out, "invitation", login->invitation);
    json_close(&out, '}');
}

static bool post(Client *client, const char *path, Buffer *body, const char *csrf_token,
                 Reply *reply, Error *error) {
    Call call = {.method = "POST",
                 .path = path,
                 .body = {body->data, body->length},
                 .csrf_token = csrf_token};
    bool good = client_call(client, &call, reply, error);
    if (body->data)
        sodium_memzero(body->data, body->length);
    buffer_clear(body);
    return good;
}

/* The scopes and the lifetime of the token. The arena checks both. */
static void write_rights(const Login *login, JsonOut *out) {
    if (login->scopes) {
        json_open(out, "scopes", '[');
        for (const char *at = login->scopes; *at;) {
            size_t length = strcspn(at, ",");
            json_out_string(out, NULL, (Slice){at, length});
            at += length + (at[length] == ',');
        }
        json_close(out, ']');
    }
    if (login->days)
        json_out_uint(out, "days", login->days);
}

/* Opens a session, creates an API token and closes the session. */
static bool make_token(Client *client, const Login *login, const char *password,
                       SavedLogin *account, Error *error) {
    Reply reply = {0};
    Buffer body = {0};
    char host[65] = "";
    char csrf_token[100] = "";
    /* Registering also logs in. */
    credentials(login, password, login->make_account, &body);
    bool good = post(client, login->make_account ? "/api/v1/register" : "/api/v1/login", &body,
                     NULL, &reply, error);
    if (good) {
        Slice text = reply_text(&reply, 0, "csrf_token");
        snprintf(csrf_token, sizeof csrf_token, "%.*s", (int)(text.length < 90 ? text.length : 90),
                 text.at);
        gethostname(host, sizeof host - 1);
        JsonOut out = {.to = &body};
        json_open(&out, NULL, '{');
        Buffer name = {0};
        buffer_format(&name, "skirmish on %s", host);
        json_out_text(&out, "name", buffer_string(&name));
        buffer_free(&name);
        write_rights(login, &out);
        json_close(&out, '}');
        good = post(client, "/api/v1/tokens", &body, csrf_token, &reply, error);
    }
    if (good) {
        account->token = slice_copy(reply_text(&reply, 0, "token"));
        account->token_id = (uint64_t)reply_number(&reply, 0, "id");
        good = account->token[0] || error_set(error, "the arena returned no API token");
        Error ignored;
        post(client, "/api/v1/logout", &body, csrf_token, &reply, &ignored);
    }
    buffer_free(&body);
    reply_free(&reply);
    return good;
}

/* Fetches the name of the token's account. */
static bool confirm(SavedLogin *account, Error *error) {
    Reply reply = {0};
    Client *client = client_new(account->url, account->token, error);
    bool good = client && client_get(client, "/api/v1/me", &reply, error);
    if (good) {
        free(account->name);
        account->name = slice_copy(reply_text(&reply, 0, "name"));
        good = account->name[0] ||
               error_set(error, "%.200s returned no account name; is it a Skirmish arena?",
                         account->url);
    }
    reply_free(&reply);
    client_free(client);
    return good;
}

static bool get_token(Login *login, Client *client, SavedLogin *account, Error *error) {
    if (login->token) {
        if (strcmp(login->token, "-") == 0 &&
            !prompt("Token: ", true, login->typed_secret, sizeof login->typed_secret, error))
            return false;
        account->token =
            xstrdup(strcmp(login->token, "-") == 0 ? login->typed_secret : login->token);
        return true;
    }
    if (!login->name) {
        if (!prompt("Name: ", false, login->typed_name, sizeof login->typed_name, error))
            return false;
        login->name = login->typed_name;
    }
    return prompt("Password: ", true, login->typed_secret, sizeof login->typed_secret, error) &&
           make_token(client, login, login->typed_secret, account, error);
}

static int log_in(Login *login) {
    Error error = {0};
    SavedLogin account = {0};
    Client *client = client_new(login->url, NULL, &error);
    bool good = client != NULL;
    if (good) {
        account.url = xstrdup(client_url(client));
        account.name = xstrdup("");
        if (client_is_open(client))
            print_error(
                "the connection to %s is not encrypted; others can read your password and token",
                login->url);
        good = get_token(login, client, &account, &error) && confirm(&account, &error) &&
               saved_login_save(&account, &error);
    }
    if (good) {
        print("Logged in to %s as %s.\n", account.url, account.name);
    } else
        print_error("%s", error.text);
    sodium_memzero(login->typed_secret, sizeof login->typed_secret);
    saved_login_free(&account);
    client_free(client);
    if (interrupt_seen)
        return STATUS_INTERRUPTED;
    return good ? STATUS_DONE : STATUS_USAGE;
}

static int run(int count, char **arguments) {
    static const struct option options[] = {
        {"name", required_argument, NULL, 'n'},
        {"token", required_argument, NULL, 't'},
        {"invitation", required_argument, NULL, 'i'},
        {"register", no_argument, NULL, 'r'},
        {"scopes", required_argument, NULL, 's'},
        {"days", required_argument, NULL, 'd'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    Login login = {0};
    Error error;
    int status = STATUS_DONE;
    int option;
    while ((option = next_option(&command_login, count, arguments, options, &status)) != 0) {
        if (option < 0)
            return status;
        if (option == 'n')
            login.name = optarg;
        else if (option == 't')
            login.token = optarg;
        else if (option == 'i')
            login.invitation = optarg;
        else if (option == 's')
            login.scopes = optarg;
        else if (option == 'd') {
            if (!parse_count("--days", optarg, 1, 3650, &login.days, &error))
                return usage_error(&command_login, "%s", error.text);
        } else
            login.make_account = true;
    }
    if (count - optind != 1)
        return usage_error(&command_login, "expected the URL of one arena");
    if (login.token && (login.name || login.make_account))
        return usage_error(&command_login, "--token cannot be combined with --name or --register");
    if (login.token && (login.scopes || login.days))
        return usage_error(&command_login,
                           "--scopes and --days are for new tokens, not for --token");
    if (login.invitation && !login.make_account)
        return usage_error(&command_login, "--invitation requires --register");
    login.url = arguments[optind];
    catch_interrupts();
    return log_in(&login);
}

const Command command_login = {"login", help, run};
