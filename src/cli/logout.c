/* skirmish logout: revokes the API token and deletes the saved login. */
#include "cli/cli.h"
#include "cli/client.h"

#include <getopt.h>

static const char help[] =
    "Revoke the saved API token and delete it.\n"
    "\n"
    "Usage: skirmish logout\n"
    "\n"
    "Exit status: 0 logged out, 1 deleted but not revoked, 2 invalid usage.\n"
    "\n"
    "Examples\n"
    "  skirmish logout\n";

static int run(int count, char **arguments) {
    static const struct option options[] = {{"help", no_argument, NULL, 'h'}, {NULL, 0, NULL, 0}};
    int status = STATUS_DONE;
    if (next_option(&command_logout, count, arguments, options, &status) != 0)
        return status;
    if (optind != count)
        return unexpected_argument(&command_logout, arguments[optind]);
    Error error = {0};
    SavedLogin account;
    Reply reply = {0};
    Client *client = client_logged_in(&account, &error);
    bool good = client != NULL;
    if (good && account.token_id) {
        char path[64];
        snprintf(path, sizeof path, "/api/v1/tokens/%llu", (unsigned long long)account.token_id);
        good = client_call(client, &(Call){.method = "DELETE", .path = path}, &reply, &error);
        good = good || reply.status == 401 || reply.status == 404; /* already revoked */
    }
    if (client) {
        Error forgetting;
        if (!saved_login_delete(&forgetting))
            print_error("%s", forgetting.text);
    }
    if (good)
        print("Logged out.\n");
    else
        print_error("%s", error.text);
    status = good ? STATUS_DONE : client ? STATUS_FAILURE : STATUS_USAGE;
    reply_free(&reply);
    saved_login_free(&account);
    client_free(client);
    return status;
}

const Command command_logout = {"logout", help, run};
