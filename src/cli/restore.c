/* skirmish restore: creates an arena's data directory from a backup. */
#include "cli/data_command.h"

#include <stdio.h>
#include <unistd.h>

static const char help[] =
    "Usage: skirmish restore BACKUP --data DIRECTORY\n"
    "\n"
    "Makes an arena's data directory from a backup. It must be empty or not there.\n"
    "\n"
    "  --data DIRECTORY      the data directory to make\n"
    "\n"
    "Exit status: 0 restored, 2 wrong usage or refused, 1 it failed.\n";

static int run(int count, char **arguments) {
    const char *data = NULL;
    int status = STATUS_DONE;
    const char *from =
        data_command_read(&command_restore, count, arguments, &data, "one backup", &status);
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
    return store_exit_status(result);
}

const Command command_restore = {"restore", "makes an arena's data from a backup", help, run};
