/* skirmish doctor: checks the layers of the sandbox on this machine. */
#include "cli/cli.h"
#include "cli/sandbox_option.h"
#include "league/calibration.h"

#include <stdio.h>

static const char help[] =
    "Check which layers of the sandbox work on this machine, and its speed.\n"
    "\n"
    "Usage: skirmish doctor\n"
    "\n"
    "Tries every layer and prints whether it works. For a layer that does not, prints the\n"
    "reason and how to fix it. --sandbox=strict requires all of them. An ordinary user cannot\n"
    "have \"uid\"; --sandbox=strict-except-uid requires all others. Also prints the speed\n"
    "of this machine, as a percentage of a reference machine.\n"
    "\n"
    "Exit status: 0 strict is available, 1 strict is not available.\n"
    "\n"
    "Examples\n"
    "  skirmish doctor\n";

static int run(int count, char **arguments) {
    Error error = {0};
    (void)arguments;
    if (count > 1)
        return unexpected_argument(&command_doctor, arguments[1]);
    Sandbox *sandbox = sandbox_new(SANDBOX_BEST_EFFORT, &error);
    if (!sandbox) {
        print_error("%s", error.text);
        return STATUS_FAILURE;
    }
    SandboxMode best = SANDBOX_STRICT;
    for (Layer layer = 0; layer < LAYERS; layer++) {
        bool works = sandbox_has(sandbox, layer);
        print("%-7s  %-13s %s\n", works ? "works" : "MISSING", layer_name(layer),
              layer_summary(layer));
        if (!works)
            print("         reason: %s\n         remedy: %s\n", sandbox_reason(sandbox, layer),
                  layer_remedy(layer));
        while (!works && layer_is_required(layer, best))
            best--;
    }
    print("\n--sandbox=strict is %s\n", best == SANDBOX_STRICT ? "available" : "not available");
    if (best == SANDBOX_STRICT_EXCEPT_UID)
        print("--sandbox=strict-except-uid is available\n");
    print("speed of a core: %u%% of the reference\n", calibration_measure());
    sandbox_free(sandbox);
    return best == SANDBOX_STRICT ? STATUS_DONE : STATUS_FAILURE;
}

const Command command_doctor = {"doctor", help, run};
