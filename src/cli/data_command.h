/* Shared by `backup` and `restore`: one path, --data, and the exit statuses of the store. */
#ifndef CLI_DATA_COMMAND_H
#define CLI_DATA_COMMAND_H

#include "cli/cli.h"
#include "store/store.h"

/* Reads --data into *data and --files, if the command has it, into *files (else NULL), and returns
   the only argument. NULL when the command ends here, with the exit status in *status. `expected`
   describes the argument for the message about a missing one. */
const char *data_command_read(const Command *command, int count, char **arguments,
                              const char **data, const char **files, const char *expected,
                              int *status);

int store_exit_status(StoreResult result);

/* Shows the progress of a copy. */
void show_copied(uint64_t done, uint64_t total);

#endif
