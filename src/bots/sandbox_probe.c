/* Determines which layers of the sandbox work on this machine, by launching a probe with them: see
   sandbox.h. */
#include "bots/sandbox_internal.h"

#include "base/buffer.h"
#include "base/clock.h"
#include "base/memory.h"
#include "bots/bot_users.h"
#include "bots/landlock.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    PROBE_MS = 30000, /* enough even on a very busy machine */
};

static void remove_layer(Sandbox *sandbox, Layer layer, const char *call, int reason) {
    sandbox->has[layer] = false;
    snprintf(sandbox->reason[layer], sizeof sandbox->reason[layer], "%s: %s", call,
             strerror(reason));
}

static void find_parts(Sandbox *sandbox) {
    static const char *const patterns[] = {
        "/etc/alternatives", "/etc/ld.so.cache", "/etc/ld.so.conf*", "/etc/java-*", "/etc/python3*",
        "/etc/perl*",        "/etc/ruby*",       "/etc/localtime",   "/etc/lua*",   "/var/lib/ghc"};
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        glob_t found;
        if (glob(patterns[i], 0, NULL, &found) != 0)
            continue;
        for (size_t j = 0; j < found.gl_pathc && sandbox->part_count < PARTS_MAX; j++)
            sandbox->parts[sandbox->part_count++] = xstrdup(found.gl_pathv[j]);
        globfree(&found);
    }
}

/* Errors of a machine that is short of resources at the moment, which say nothing about a layer. */
static bool is_shortage(int reason) {
    return reason == EAGAIN || reason == ENOMEM || reason == EMFILE || reason == ENFILE;
}

/* Called when clone3 failed: determines which namespaces are to blame, for example because their
   number is limited. If each can be created alone, all are to blame. */
static void remove_namespaces(Sandbox *sandbox, int reason) {
    static const struct {
        Layer layer;
        uint64_t flag;
    } kinds[] = {
        {LAYER_KILL, CLONE_NEWPID}, {LAYER_FILES, CLONE_NEWNS}, {LAYER_NETWORK, CLONE_NEWNET}};
    uint64_t user = geteuid() == 0 ? 0 : CLONE_NEWUSER;
    bool found = false;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        int failure = sandbox_namespace_failure(user | kinds[i].flag);
        if (failure && !is_shortage(failure) && sandbox->has[kinds[i].layer]) {
            remove_layer(sandbox, kinds[i].layer, "clone3", failure);
            found = true;
        }
    }
    for (Layer layer = LAYER_KILL; !found && layer <= LAYER_IPC; layer++)
        remove_layer(sandbox, layer, "clone3", reason);
}

/* Waits for the keeper's message, even if signals arrive meanwhile: a runner may be asked to stop
   while it starts. */
static bool wait_for_keeper(const Cell *cell) {
    struct pollfd wait = {.fd = cell->control, .events = POLLIN};
    int64_t until = clock_now() + PROBE_MS * CLOCK_MS;
    int ready;
    do
        ready = poll(&wait, 1, (int)((until - clock_now()) / CLOCK_MS));
    while (ready < 0 && errno == EINTR && clock_now() < until);
    return ready == 1;
}

typedef enum Probed { PROBE_RAN, PROBE_MISSED, PROBE_UNKNOWN } Probed;

/* Launches a probe with the remaining layers. PROBE_MISSED: it did not run, and a layer has been
   removed. PROBE_UNKNOWN: it did not run for an unknown reason; removing a layer would then weaken
   the sandbox on a guess. */
static Probed probe(Sandbox *sandbox, Error *why) {
    static char command[] = "exit 0";
    static char root[] = "/";
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (nothing < 0) {
        error_set(why, "cannot test the sandbox: open /dev/null: %s", strerror(errno));
        return PROBE_UNKNOWN;
    }
    SandboxStart start = {
        .command = command,
        .directory = root,
        .owner = -1,
        .limits = sandbox_standard_limits,
    };
    start.limits.share = true;
    bool grouped = sandbox_groups(sandbox, &start.limits);
    Cgroup group;
    Error error = {0};
    if (grouped && !sandbox_group(sandbox, &start.limits, &group, &error)) {
        for (Layer layer = LAYER_MEMORY; layer <= LAYER_FREEZE; layer++) {
            sandbox->has[layer] = false;
            snprintf(sandbox->reason[layer], sizeof sandbox->reason[layer], "%.150s", error.text);
        }
        close(nothing);
        return PROBE_MISSED;
    }
    if (grouped)
        cgroup_remove(&group);
    Cell *cell = cell_new(sandbox, &start, &error);
    int reason = errno;
    CellRun run = {.fds = {nothing, nothing, nothing}};
    if (cell)
        cell_run(sandbox, cell, &run); /* a keeper that failed reports why */
    close(nothing);
    KeeperMessage message = {.ended = 0, .layer = LAYERS, .code = EIO, .call = "probe"};
    if (cell) {
        if (!wait_for_keeper(cell))
            message.code = ETIMEDOUT;
        else if (!cell_report(cell, &message) || !cell->pid)
            message = (KeeperMessage){.layer = LAYERS, .code = EIO, .call = "read status"};
        cell_kill(cell);
        cell_end(sandbox, cell);
    } else if (is_shortage(reason)) {
        message = (KeeperMessage){.layer = LAYERS, .code = reason, .call = "clone3"};
    } else {
        remove_namespaces(sandbox, reason);
    }
    if (message.ended)
        return PROBE_RAN;
    if (!cell && !is_shortage(reason))
        return PROBE_MISSED;
    message.call[sizeof message.call - 1] = '\0';
    if (message.layer < 0 || message.layer >= LAYERS || !sandbox->has[message.layer] ||
        is_shortage(message.code)) {
        error_set(why, "cannot test the sandbox: %s: %s", message.call, strerror(message.code));
        return PROBE_UNKNOWN;
    }
    remove_layer(sandbox, (Layer)message.layer, message.call, message.code);
    return PROBE_MISSED;
}

static bool has_any(const Sandbox *sandbox) {
    for (Layer layer = 0; layer < LAYERS; layer++)
        if (sandbox->has[layer])
            return true;
    return false;
}

static void note_cgroups(Sandbox *sandbox) {
    static const struct {
        Layer layer;
        CgroupFeature feature;
    } pairs[] = {{LAYER_MEMORY, CGROUP_MEMORY},
                 {LAYER_PROCESSES, CGROUP_PROCESSES},
                 {LAYER_CPU, CGROUP_SHARE},
                 {LAYER_FREEZE, CGROUP_FREEZE}};
    cgroup_host_find(&sandbox->cgroups);
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (!cgroup_host_has(&sandbox->cgroups, pairs[i].feature)) {
            sandbox->has[pairs[i].layer] = false;
            Error why = sandbox->cgroups.reasons[pairs[i].feature];
            snprintf(sandbox->reason[pairs[i].layer], sizeof sandbox->reason[pairs[i].layer],
                     "%.150s", why.text);
        }
}

static bool find_layers(Sandbox *sandbox, Error *why) {
    bool root = geteuid() == 0;
    Error error = {0};
    for (Layer layer = 0; layer < LAYERS; layer++)
        sandbox->has[layer] = true;
    sandbox->uid = root ? bot_users_first((uint32_t)getpid(), SANDBOX_SEATS) : geteuid();
    sandbox->gid = root ? sandbox->uid : getegid();
    if (!root || !sandbox->uid) {
        sandbox->has[LAYER_UID] = false;
        snprintf(sandbox->reason[LAYER_UID], sizeof sandbox->reason[LAYER_UID],
                 root ? "no free users: see /etc/subuid and /etc/subgid" : "not root");
    }
    sandbox->filter_built = seccomp_filter_build(&sandbox->filter, &error);
    if (!sandbox->filter_built) {
        sandbox->has[LAYER_SECCOMP] = false;
        snprintf(sandbox->reason[LAYER_SECCOMP], sizeof sandbox->reason[LAYER_SECCOMP], "%.150s",
                 error.text);
    }
    if (landlock_abi() == 0)
        remove_layer(sandbox, LAYER_LANDLOCK, "landlock_create_ruleset", ENOSYS);
    note_cgroups(sandbox);
    find_parts(sandbox);
    Probed probed = PROBE_MISSED;
    while (has_any(sandbox) && probed == PROBE_MISSED)
        probed = probe(sandbox, why);
    return probed != PROBE_UNKNOWN;
}

/* Whether all layers that the mode requires work. The error explains the first one that does not
   and names the others. */
static bool has_required(const Sandbox *sandbox, Error *error) {
    Layer first = LAYERS;
    Buffer others = {0};
    for (Layer layer = 0; layer < LAYERS; layer++) {
        if (sandbox->has[layer] || !layer_is_required(layer, sandbox->mode))
            continue;
        if (first == LAYERS)
            first = layer;
        else
            buffer_format(&others, "%s%s",
                          others.length ? ", " : "; also missing: ", layer_name(layer));
    }
    if (first < LAYERS)
        error_set(error,
                  "--sandbox=%s is not available: layer \"%s\" is missing (%s); %s%s; see "
                  "\"skirmish doctor\", or use --sandbox=best-effort for bots that you trust",
                  sandbox_mode_names[sandbox->mode], layer_name(first), sandbox->reason[first],
                  layer_remedy(first), buffer_string(&others));
    buffer_free(&others);
    return first == LAYERS;
}

Sandbox *sandbox_new(SandboxMode mode, Error *error) {
    Sandbox *sandbox = xcalloc(1, sizeof *sandbox);
    OwnerMap *maps = xcalloc(SANDBOX_SEATS, sizeof *maps);
    int *networks = xcalloc(SANDBOX_SEATS, sizeof *networks);
    for (int seat = 0; seat < SANDBOX_SEATS; seat++)
        maps[seat].map = networks[seat] = -1;
    sandbox->maps = maps;
    sandbox->networks = networks;
    sandbox->idle = xcalloc(1, sizeof(Cell *));
    sandbox->owner = getpid();
    sandbox->mode = mode;
    if (mode == SANDBOX_NONE)
        return sandbox;
    if (find_layers(sandbox, error) && has_required(sandbox, error))
        return sandbox;
    sandbox_free(sandbox);
    return NULL;
}

void sandbox_free(Sandbox *sandbox) {
    if (!sandbox)
        return;
    cell_end_idle(sandbox);
    if (sandbox->mode != SANDBOX_NONE)
        cgroup_host_close(&sandbox->cgroups);
    if (sandbox->filter_built)
        seccomp_filter_free(&sandbox->filter);
    for (int seat = 0; seat < SANDBOX_SEATS; seat++) {
        if (sandbox->networks[seat] >= 0)
            close(sandbox->networks[seat]);
        if (sandbox->maps[seat].map >= 0)
            close(sandbox->maps[seat].map);
    }
    for (uint32_t i = 0; i < sandbox->part_count; i++)
        free(sandbox->parts[i]);
    free(sandbox->networks);
    free(sandbox->maps);
    free(sandbox->idle);
    free(sandbox);
}
