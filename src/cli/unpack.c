/* skirmish unpack: the process that an arena starts to read an archive. Not for users. */
#include "arena/bots/bots.h"
#include "cli/cli.h"

static int run(int count, char **arguments) {
    if (count != 2) {
        print_error("only arenas start `unpack`; see `skirmish help serve`");
        return STATUS_USAGE;
    }
    archive_child_run(arguments[1]);
}

const Command command_unpack = {"unpack", NULL, run};
