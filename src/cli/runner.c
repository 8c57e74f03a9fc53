/* skirmish runner: what the dispatcher starts. Nobody types this. */
#include "league/runner.h"
#include "cli/cli.h"
#include "cli/sandbox_option.h"

#include <stdlib.h>

static int run(int count, char **arguments) {
    SandboxMode mode = SANDBOX_STRICT;
    Error error;
    if (count != 3 || !read_sandbox_mode(arguments[1], &mode, &error)) {
        print_error(
            "`runner` is started by tournaments and arenas only; see `skirmish help tournament`");
        return STATUS_USAGE;
    }
    return runner_run(mode, atoi(arguments[2])); // NOLINT(cert-err34-c): from our own hand
}

const Command command_runner = {"runner", NULL, run};
