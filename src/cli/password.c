/* skirmish password: a new password for an account of an arena on this machine. */
#include "arena/people/people.h"
#include "cli/cli.h"

#include <getopt.h>
#include <sodium.h>
#include <string.h>

static const char help[] =
    "Usage: skirmish password NAME [options]\n"
    "\n"
    "Gives an account of an arena a new password, for an administrator who lost theirs: a password\n"
    "that is drawn and printed once, to be changed after logging in. The account's sessions are over;\n"
    "its tokens stay. It works while the arena runs and while it is stopped, for whoever may write to\n"
    "its data directory, and is in the arena's audit log.\n"
    "\n"
    "  --data DIRECTORY      the arena's data directory (./skirmish-data)\n"
    "  --ask                 ask for the new password, twice, instead of drawing one\n"
    "\n"
    "Exit status: 0 done, 2 wrong usage or refused, 130 interrupted.\n"
    "\n"
    "Example\n"
    "  skirmish password admin --data /var/lib/skirmish\n";

static bool prompt_twice(char typed[PASSWORD_MAX + 2], Error *error) {
    char again[PASSWORD_MAX + 2] = "";
    bool good = prompt("New password: ", true, typed, PASSWORD_MAX + 2, error) &&
                prompt("The same again: ", true, again, sizeof again, error) &&
                (strcmp(typed, again) == 0 || error_set(error, "these were two different ones"));
    sodium_memzero(again, sizeof again);
    return good;
}

static int run(int count, char **arguments) {
    static const struct option options[] = {{"data", required_argument, NULL, 'd'},
                                            {"ask", no_argument, NULL, 'a'},
                                            {"help", no_argument, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    const char *data = "skirmish-data";
    bool asks = false;
    int option;
    int status = STATUS_DONE;
    while ((option = next_option(&command_password, count, arguments, options, &status)) != 0) {
        if (option < 0)
            return status;
        if (option == 'd')
            data = optarg;
        else
            asks = true;
    }
    if (count - optind != 1)
        return usage_error(&command_password, "expected the name of one account");
    const char *name = arguments[optind];
    Error error = {""};
    char typed[PASSWORD_MAX + 2] = "";
    char drawn[PASSWORD_GENERATED_SIZE] = "";
    catch_interrupts();
    bool good = (!asks || prompt_twice(typed, &error)) &&
                recovery_password(data, name, slice_of(typed), drawn, &error);
    sodium_memzero(typed, sizeof typed);
    if (!good)
        print_error("%s", error.text);
    else if (asks)
        printf("%s has the new password, and no sessions.\n", name);
    else
        printf("%s has the new password %s (shown only once), and no sessions.\n", name, drawn);
    sodium_memzero(drawn, sizeof drawn);
    if (interrupt_seen && !good)
        return STATUS_INTERRUPTED;
    return good ? STATUS_DONE : STATUS_USAGE;
}

const Command command_password = {"password", "a new password for somebody of an arena", help, run};
