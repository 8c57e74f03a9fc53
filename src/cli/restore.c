/* skirmish restore: creates an arena's data directory from a backup. */
#include "cli/data_command.h"
#include "cli/progress_bar.h"

#include <stdio.h>
#include <unistd.h>

static const char help[] =
    "Create an arena's data directory from a backup.\n"
    "\n"
    "Usage: skirmish restore BACKUP --data DIRECTORY\n"
    "\n"
    "  --data DIRECTORY      the data directory to create; it must be new or empty\n"
    "\n"
    "Exit status: 0 restored, 1 restore failed, 2 invalid usage or backup.\n"
    "\n"
    "Examples\n"
    "  skirmish restore /var/backups/arena-monday --data /var/lib/skirmish\n";

static int run(int count, char **arguments) {
    const char *data = NULL;
    int status = STATUS_DONE;
    const char *from =
        data_command_read(&command_restore, count, arguments, &data, NULL, "one backup", &status);
    if (!from)
        return status;
    if (!data)
        return usage_error(&command_restore, "--data is required");
    if (access(from, F_OK) != 0) {
        print_error("backup %s does not exist", from);
        return STATUS_USAGE;
    }
    Error error = {0};
    progress_bar_begin(false, 0);
    StoreResult result = store_restore(from, data, show_copied, &error);
    progress_bar_end();
    if (result == STORE_OK)
        print("Restored %s to %s\n", from, data);
    else
        print_error("%s", error.text);
    return store_exit_status(result);
}

const Command command_restore = {"restore", help, run};
