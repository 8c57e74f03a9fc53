/* skirmish logout: revokes the API token and deletes the saved login. */
#include "cli/cli.h"
#include "cli/client.h"

#include <getopt.h>

static const char help[] =
    "Usage: skirmish logout\n"
    "\n"
    "Has the arena revoke the token that login made, and forgets it.\n"
    "\n"
    "Exit status: 0 logged out, 2 wrong usage, 1 the token was forgotten but could not be revoked.\n";

static int run(int count, char **arguments) {
    static const struct option options[] = {{"help", no_argument, NULL, 'h'}, {NULL, 0, NULL, 0}};
    int status = STATUS_DONE;
    if (next_option(&command_logout, count, arguments, options, &status) != 0)
        return status;
    if (optind != count)
        return usage_error(&command_logout, "logout takes no arguments");
    Error error = {""};
    SavedLogin account;
    Reply reply = {0};
    Client *client = client_logged_in(&account, &error);
    bool good = client != NULL;
    if (good && account.token_id) {
        char path[64];
        snprintf(path, sizeof path, "/api/v1/tokens/%llu", (unsigned long long)account.token_id);
        good = client_call(client, &(Call){.method = "DELETE", .path = path}, &reply, &error);
        good = good || reply.status == 401 || reply.status == 404; /* gone already */
    }
    if (client) {
        Error forgetting;
        if (!saved_login_delete(&forgetting))
            print_error("%s", forgetting.text);
    }
    if (good)
        printf("Logged out.\n");
    else
        print_error("%s", error.text);
    status = good ? STATUS_DONE : client ? STATUS_FAILURE : STATUS_USAGE;
    reply_free(&reply);
    saved_login_free(&account);
    client_free(client);
    return status;
}

const Command command_logout = {"logout", "forgets the arena again", help, run};
