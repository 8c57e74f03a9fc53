/* See sandbox_option.h. */
#include "cli/sandbox_option.h"

#include "base/buffer.h"
#include "cli/cli.h"

bool read_sandbox_mode(const char *text, SandboxMode *mode, Error *error) {
    uint32_t index = 0;
    if (!parse_choice("--sandbox", text, sandbox_mode_names, &index, error))
        return false;
    *mode = (SandboxMode)index;
    return true;
}

Sandbox *open_sandbox(SandboxMode mode, Error *error) {
    Sandbox *sandbox = sandbox_new(mode, error);
    if (!sandbox || mode != SANDBOX_BEST_EFFORT)
        return sandbox;
    Buffer missing = {0};
    for (Layer layer = 0; layer < LAYERS; layer++)
        if (!sandbox_has(sandbox, layer))
            buffer_format(&missing, "%s%s", missing.length ? ", " : "", layer_name(layer));
    if (missing.length)
        print_error("the sandbox is incomplete, missing: %s; `skirmish doctor` explains why",
                    buffer_string(&missing));
    buffer_free(&missing);
    return sandbox;
}
