/* See data_command.h. */
#include "cli/data_command.h"

#include "cli/progress_bar.h"

#include <getopt.h>
#include <inttypes.h>

static const struct option options[] = {
    {"help", no_argument, NULL, 'h'}, {"data", required_argument, NULL, 'd'}, {NULL, 0, NULL, 0}};
static const struct option options_with_files[] = {{"help", no_argument, NULL, 'h'},
                                                   {"data", required_argument, NULL, 'd'},
                                                   {"files", required_argument, NULL, 'f'},
                                                   {NULL, 0, NULL, 0}};

const char *data_command_read(const Command *command, int count, char **arguments,
                              const char **data, const char **files, const char *expected,
                              int *status) {
    int option;
    while ((option = next_option(command, count, arguments, files ? options_with_files : options,
                                 status)) != 0) {
        if (option < 0)
            return NULL;
        *(files && option == 'f' ? files : data) = optarg;
    }
    if (count - optind == 1)
        return arguments[optind];
    *status = usage_error(command, "expected %s", expected);
    return NULL;
}

int store_exit_status(StoreResult result) {
    if (result == STORE_OK)
        return STATUS_DONE;
    return result == STORE_FAILED ? STATUS_FAILURE : STATUS_USAGE;
}

void show_copied(uint64_t done, uint64_t total) {
    if (total)
        progress_bar_show((double)done / (double)total, "%" PRIu64 " of %" PRIu64 " files", done,
                          total);
    else
        progress_bar_show(-1, "copying the database");
}
