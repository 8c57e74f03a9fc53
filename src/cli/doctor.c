/* skirmish doctor: which layers of the sandbox this machine gives, why not, and what to do about
   it. */
#include "cli/cli.h"
#include "cli/sandbox_option.h"

#include <stdio.h>

static const char help[] =
    "Usage: skirmish doctor\n"
    "\n"
    "Tries every layer of the sandbox for real and tells of each whether it works, why not, and\n"
    "what to do about it. Layers marked with * are required by --sandbox=strict.\n"
    "\n"
    "Exit status: 0 when strict can be had, 1 when not.\n";

static int run(int count, char **arguments) {
    Error error = {""};
    (void)arguments;
    if (count > 1)
        return usage_error(&command_doctor, "expected no arguments");
    Sandbox *sandbox = sandbox_new(SANDBOX_BEST_EFFORT, &error);
    if (!sandbox) {
        print_error("%s", error.text);
        return STATUS_FAILURE;
    }
    bool strict = true;
    for (Layer layer = 0; layer < LAYERS; layer++) {
        bool works = sandbox_has(sandbox, layer);
        printf("%-7s %c %-13s %s\n", works ? "works" : "MISSING",
               layer_is_required(layer) ? '*' : ' ', layer_name(layer), layer_summary(layer));
        if (!works)
            printf("          why: %s\n          do:  %s\n", sandbox_reason(sandbox, layer),
                   layer_remedy(layer));
        strict = strict && (works || !layer_is_required(layer));
    }
    printf("\n--sandbox=strict %s\n",
           strict ? "can be had" : "cannot be had here: a layer marked with * is missing");
    sandbox_free(sandbox);
    return strict ? STATUS_DONE : STATUS_FAILURE;
}

const Command command_doctor = {"doctor", "tells which layers of the sandbox work here", help, run};
