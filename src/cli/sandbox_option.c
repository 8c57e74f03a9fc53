/* See sandbox_option.h. */
#include "cli/sandbox_option.h"

#include "base/buffer.h"
#include "bots/sandbox_view.h"
#include "cli/cli.h"
#include "store/store.h"

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

bool sandbox_hides(const Sandbox *sandbox, const char *data, const char *files, Error *error) {
    const char *const directories[][2] = {
        {"data directory", data},
        {"directory for files", files && store_files_are_in_directory(files) ? files : NULL}};
    for (size_t i = 0; i < sizeof directories / sizeof *directories; i++)
        if (directories[i][1] && sandbox_shows(sandbox, directories[i][1]))
            return error_set(error,
                             "bots can read all files in the %s \"%.200s\", because the sandbox "
                             "shows them this part of the system; choose another %s, such as "
                             "/var/lib/skirmish",
                             directories[i][0], directories[i][1], directories[i][0]);
    return true;
}
