/* skirmish backup and restore: a copy of an arena's data directory, also while the arena runs, and
   the way back. */
#include "cli/cli.h"
#include "store/store.h"

#include <getopt.h>
#include <stdio.h>
#include <unistd.h>

static const char backup_help[] =
    "Usage: skirmish backup DIRECTORY [--data DIRECTORY]\n"
    "\n"
    "Copies everything that an arena keeps, as it is at one moment, into a new directory. The arena may\n"
    "go on meanwhile. The directory appears under its name only when the copy is whole, and the\n"
    "content of every file was checked on the way.\n"
    "\n"
    "  --data DIRECTORY      the arena's data directory (./skirmish-data)\n"
    "\n"
    "Exit status: 0 copied, 2 wrong usage or no such arena, 1 the copy failed.\n"
    "\n"
    "Example\n"
    "  skirmish backup /var/backups/arena-monday --data /var/lib/skirmish\n";

static const char restore_help[] =
    "Usage: skirmish restore BACKUP --data DIRECTORY\n"
    "\n"
    "Makes an arena's data directory from a backup. It must be empty or not there.\n"
    "\n"
    "  --data DIRECTORY      the data directory to make\n"
    "\n"
    "Exit status: 0 restored, 2 wrong usage or refused, 1 it failed.\n";

static const struct option options[] = {
    {"data", required_argument, NULL, 'd'}, {"help", no_argument, NULL, 'h'}, {NULL, 0, NULL, 0}};

/* The one argument; NULL when *status has the exit status. */
static const char *read_arguments(const Command *command, int count, char **arguments,
                                  const char **data, const char *what, int *status) {
    int option;
    while ((option = next_option(command, count, arguments, options, status)) != 0) {
        if (option < 0)
            return NULL;
        *data = optarg;
    }
    if (count - optind == 1)
        return arguments[optind];
    *status = usage_error(command, "expected %s", what);
    return NULL;
}

static int status_of(StoreResult result) {
    if (result == STORE_OK)
        return STATUS_DONE;
    return result == STORE_FAILED ? STATUS_FAILURE : STATUS_USAGE;
}

static int run_backup(int count, char **arguments) {
    const char *data = "skirmish-data";
    int status = STATUS_DONE;
    const char *to = read_arguments(&command_backup, count, arguments, &data,
                                    "one directory to copy to", &status);
    if (!to)
        return status;
    Error error = {""};
    StoreOptions store_options = {.directory = data, .read_only = true};
    Store *store = store_open(&store_options, &error);
    if (!store) {
        print_error("%s", error.text);
        return STATUS_USAGE;
    }
    StoreResult result = store_backup(store, to, &error);
    if (result == STORE_OK)
        printf("Copied %s to %s\n", data, to);
    else
        print_error("%s", error.text);
    store_close(store, &error);
    return status_of(result);
}

static int run_restore(int count, char **arguments) {
    const char *data = NULL;
    int status = STATUS_DONE;
    const char *from =
        read_arguments(&command_restore, count, arguments, &data, "one backup", &status);
    if (!from)
        return status;
    if (!data)
        return usage_error(&command_restore, "where to? --data is missing");
    if (access(from, F_OK) != 0) {
        print_error("there is no backup %s", from);
        return STATUS_USAGE;
    }
    Error error = {""};
    StoreResult result = store_restore(from, data, &error);
    if (result == STORE_OK)
        printf("Restored %s to %s\n", from, data);
    else
        print_error("%s", error.text);
    return status_of(result);
}

const Command command_backup = {"backup", "copies an arena's data", backup_help, run_backup};
const Command command_restore = {"restore", "makes an arena's data from a backup", restore_help,
                                 run_restore};
