/* See sandbox_option.h. */
#include "cli/sandbox_option.h"

#include "base/buffer.h"
#include "cli/cli.h"

bool read_sandbox_mode(const char *text, SandboxMode *mode, Error *error) {
    return sandbox_mode_find(text, mode) ||
           error_set(error, "--sandbox must be " SANDBOX_MODES ", not \"%.40s\"", text);
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
