/* skirmish runner: the process that a dispatcher starts to play matches. Not for users. */
#include "league/runner.h"
#include "cli/cli.h"
#include "cli/sandbox_option.h"

#include <stdlib.h>
#include <string.h>

static int run(int count, char **arguments) {
    SandboxMode mode = SANDBOX_STRICT;
    Error error;
    if (count != 4 || !read_sandbox_mode(arguments[1], &mode, &error)) {
        print_error("only tournaments and arenas start `runner`; see `skirmish help tournament`");
        return STATUS_USAGE;
    }
    int core = atoi(arguments[2]); // NOLINT(cert-err34-c): written by the dispatcher
    return runner_run(mode, core, strcmp(arguments[3], "people") == 0);
}

const Command command_runner = {"runner", NULL, run};
