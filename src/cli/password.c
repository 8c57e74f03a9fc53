/* skirmish password: sets a new password for an account of an arena on this machine. */
#include "arena/people/people.h"
#include "cli/cli.h"
#include "sql/database.h"

#include <getopt.h>
#include <sodium.h>
#include <string.h>

static const char help[] =
    "Set a new password for an account of an arena on this machine.\n"
    "\n"
    "Usage: skirmish password NAME [options]\n"
    "\n"
    "Use it if an administrator has lost their password. Prints a random password once, which\n"
    "must be changed after the next login. All sessions of the account end and its API tokens\n"
    "are revoked. Works while the arena runs and while it is stopped, for anyone who can write\n"
    "to the data directory. The arena's audit log records it.\n"
    "\n"
    "  --data DIRECTORY      the arena's data directory (./skirmish-data)\n"
    "  --store URI           the arena's PostgreSQL database, as for skirmish serve\n"
    "  --ask                 ask for the new password instead of generating one\n"
    "\n"
    "Exit status: 0 changed, 2 invalid usage or rejected, 130 interrupted.\n"
    "\n"
    "Examples\n"
    "  skirmish password admin --data /var/lib/skirmish\n";

static bool prompt_twice(char typed[PASSWORD_BYTES_MAX + 2], Error *error) {
    char again[PASSWORD_BYTES_MAX + 2] = "";
    bool good = prompt("New password: ", true, typed, PASSWORD_BYTES_MAX + 2, error) &&
                prompt("Repeat password: ", true, again, sizeof again, error) &&
                (strcmp(typed, again) == 0 || error_set(error, "the passwords do not match"));
    sodium_memzero(again, sizeof again);
    return good;
}

static int run(int count, char **arguments) {
    static const struct option options[] = {{"data", required_argument, NULL, 'd'},
                                            {"store", required_argument, NULL, 's'},
                                            {"ask", no_argument, NULL, 'a'},
                                            {"help", no_argument, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    const char *data = "skirmish-data";
    const char *store = NULL;
    bool asks = false;
    int option;
    int status = STATUS_DONE;
    while ((option = next_option(&command_password, count, arguments, options, &status)) != 0) {
        if (option < 0)
            return status;
        if (option == 'd')
            data = optarg;
        else if (option == 's')
            store = optarg;
        else
            asks = true;
    }
    if (count - optind != 1)
        return usage_error(&command_password, "expected the name of one account");
    if (store && !database_is_uri(store))
        return usage_error(&command_password, "--store is not the URI of a PostgreSQL database; "
                                              "use the form postgresql://USER@HOST/DATABASE");
    const char *name = arguments[optind];
    Error error = {0};
    char typed[PASSWORD_BYTES_MAX + 2] = "";
    char drawn[PASSWORD_GENERATED_SIZE] = "";
    catch_interrupts();
    bool good = (!asks || prompt_twice(typed, &error)) &&
                recovery_password(data, store, name, slice_of(typed), drawn, &error);
    sodium_memzero(typed, sizeof typed);
    if (!good)
        print_error("%s", error.text);
    else if (asks)
        print("Password of %s changed. All sessions ended, all API tokens revoked.\n", name);
    else
        print("New password of %s: %s (shown only once). All sessions ended, all API tokens "
              "revoked.\n",
              name, drawn);
    sodium_memzero(drawn, sizeof drawn);
    if (interrupt_seen && !good)
        return STATUS_INTERRUPTED;
    return good ? STATUS_DONE : STATUS_USAGE;
}

const Command command_password = {"password", help, run};
