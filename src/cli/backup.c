/* skirmish backup: copies an arena's data directory, even while the arena runs. */
#include "cli/data_command.h"
#include "cli/progress_bar.h"

#include <stdio.h>

static const char help[] =
    "Copy an arena's data into a new directory.\n"
    "\n"
    "Usage: skirmish backup DIRECTORY [--data DIRECTORY] [--files PLACE]\n"
    "\n"
    "The copy is a consistent snapshot; the arena can keep running. The content of every file\n"
    "is checked, and DIRECTORY appears only when the copy is complete.\n"
    "\n"
    "  --data DIRECTORY      the arena's data directory (./skirmish-data)\n"
    "  --files PLACE         where its files are, as for skirmish serve; they are copied too\n"
    "\n"
    "Exit status: 0 copied, 1 copy failed, 2 invalid usage or no such arena.\n"
    "\n"
    "Examples\n"
    "  skirmish backup /var/backups/arena-monday --data /var/lib/skirmish\n";

static int run(int count, char **arguments) {
    const char *data = "skirmish-data";
    const char *files = NULL;
    int status = STATUS_DONE;
    const char *to = data_command_read(&command_backup, count, arguments, &data, &files,
                                       "one directory to copy to", &status);
    if (!to)
        return status;
    Error error = {0};
    StoreOptions store_options = {.directory = data, .files = files, .read_only = true};
    Store *store = store_open(&store_options, &error);
    if (!store) {
        print_error("%s", error.text);
        return STATUS_USAGE;
    }
    progress_bar_begin(false, 0);
    StoreResult result = store_backup(store, to, show_copied, &error);
    progress_bar_end();
    if (result == STORE_OK)
        print("Copied %s to %s\n", data, to);
    else
        print_error("%s", error.text);
    store_close(store, &error);
    return store_exit_status(result);
}

const Command command_backup = {"backup", help, run};
