/* See sandbox.h. Sections: the layers, launching. */
#include "bots/sandbox_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

const SandboxLimits sandbox_standard_limits = {
    .memory = UINT64_C(256) << 20,
    .processes = 64,
    .open_files = 256,
    .file_size = UINT64_C(64) << 20,
    .tmp_size = UINT64_C(64) << 20,
};

/* ---- the layers ---- */

/* An ordinary user creates namespaces inside a user namespace, and the number of these may be
   limited. */
#define ALLOW_NAMESPACES(kind)                                                      \
 "allow user namespaces (sysctl kernel.unprivileged_userns_clone=1, user.max_" kind \
 "_namespaces), or run as root"
#define DELEGATE(controller) \
 "run as root, or delegate the " controller " controller (systemd: Delegate=yes)"

static const struct {
    const char *name;
    const char *summary;
    const char *remedy;
} layers[LAYERS] = {
    [LAYER_KILL] = {"kill", "pid namespace: everything a bot started ends with it",
                    ALLOW_NAMESPACES("pid")},
    [LAYER_FILES] = {"files", "mount namespace: a read-only root with runtimes and the bot's files",
                     ALLOW_NAMESPACES("mnt")},
    [LAYER_NETWORK] = {"network", "an empty network namespace", ALLOW_NAMESPACES("net")},
    [LAYER_IPC] = {"ipc", "ipc, uts and cgroup namespaces", ALLOW_NAMESPACES("{ipc,uts,cgroup}")},
    [LAYER_MEMORY] = {"memory", "control group: memory limit", DELEGATE("memory")},
    [LAYER_PROCESSES] = {"processes", "control group: limit on processes and threads",
                         DELEGATE("pids")},
    [LAYER_CPU] = {"cpu",
                   "control group: a fair share of the CPU for bots that run at the same time",
                   DELEGATE("cpu")},
    [LAYER_FREEZE] = {"freeze", "control group: the whole bot is frozen while another thinks",
                      "run as root, or delegate a control group (systemd: Delegate=yes)"},
    [LAYER_UID] = {"uid", "a separate user",
                   "run as root, or require the other layers with --sandbox=strict-except-uid"},
    [LAYER_RLIMITS] = {"rlimits", "limits on open files and file size; no core dumps",
                       "raise the hard limits of the shell"},
    [LAYER_NO_NEW_PRIVS] = {"no_new_privs", "set-user-id programs grant no privileges",
                            "use Linux 3.5 or later"},
    [LAYER_LANDLOCK] = {"landlock", "Landlock: access to files and TCP restricted a second time",
                        "use a kernel with Landlock (5.13) and lsm=landlock"},
    [LAYER_SECCOMP] = {"seccomp", "only the system calls that runtimes need",
                       "use a kernel with seccomp filters"},
};

const char *layer_name(Layer layer) {
    return layers[layer].name;
}

const char *layer_summary(Layer layer) {
    return layers[layer].summary;
}

const char *layer_remedy(Layer layer) {
    return layers[layer].remedy;
}

bool layer_is_required(Layer layer, SandboxMode mode) {
    return mode == SANDBOX_STRICT || (mode == SANDBOX_STRICT_EXCEPT_UID && layer != LAYER_UID);
}

const char *const sandbox_mode_names[] = {
    [SANDBOX_NONE] = "none",
    [SANDBOX_BEST_EFFORT] = "best-effort",
    [SANDBOX_STRICT_EXCEPT_UID] = "strict-except-uid",
    [SANDBOX_STRICT] = "strict",
    NULL,
};

SandboxMode sandbox_mode(const Sandbox *sandbox) {
    return sandbox->mode;
}

bool sandbox_has(const Sandbox *sandbox, Layer layer) {
    return sandbox->has[layer];
}

const char *sandbox_reason(const Sandbox *sandbox, Layer layer) {
    return sandbox->reason[layer];
}

uint32_t sandbox_names(const Sandbox *sandbox, const SandboxLimits *limits, const char **names) {
    uint32_t count = 0;
    for (Layer layer = 0; sandbox && layer < LAYERS; layer++)
        if (sandbox->has[layer] && (layer != LAYER_CPU || limits->share))
            names[count++] = layers[layer].name;
    return count;
}

/* ---- launching ---- */

/* Whether the file system can map owners; tests this on a detached mount. */
static bool can_map_owners(const char *directory, int map) {
    struct mount_attr attributes = {
        .attr_set = MOUNT_ATTR_IDMAP,
        .userns_fd = (uint64_t)(unsigned)map,
    };
    int tree = open_tree(AT_FDCWD, directory, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
    bool can =
        tree >= 0 && mount_setattr(tree, "", AT_EMPTY_PATH, &attributes, sizeof attributes) == 0;
    if (tree >= 0)
        close(tree);
    return can;
}

/* Starts a process in new namespaces that only waits until end_idler: a way to create a namespace
   without entering it. -1 on failure. */
static pid_t begin_idler(uint64_t namespaces, int hold[2]) {
    if (pipe2(hold, O_CLOEXEC) != 0)
        return -1;
    struct clone_args arguments = {.flags = namespaces, .exit_signal = SIGCHLD};
    long pid = syscall(SYS_clone3, &arguments, sizeof arguments);
    if (pid == 0) {
        char byte;
        close(hold[1]);
        ssize_t got = read(hold[0], &byte, 1);
        _exit(got != 0);
    }
    int reason = errno;
    close(hold[0]);
    if (pid < 0)
        close(hold[1]);
    errno = reason;
    return (pid_t)pid;
}

static void end_idler(pid_t pid, const int hold[2]) {
    close(hold[1]);
    waitpid(pid, NULL, 0);
}

static int open_namespace(pid_t pid, const char *name) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/ns/%s", (int)pid, name);
    return open(path, O_RDONLY | O_CLOEXEC);
}

int sandbox_namespace_failure(uint64_t namespaces) {
    int hold[2];
    pid_t pid = begin_idler(namespaces, hold);
    int reason = errno;
    if (pid >= 0)
        end_idler(pid, hold);
    return pid >= 0 ? 0 : reason;
}

/* Created once per seat and joined by all bots of that seat, because creating one takes most of a
   millisecond. Bots of one match have different ones; otherwise they would see each other's sockets
   in /proc/net/unix. We do not enter it ourselves: root of a user namespace could not come back. */
int sandbox_network(const Sandbox *sandbox, uint32_t seat) {
    int *network = &sandbox->networks[seat];
    if (*network >= 0 || !sandbox->has[LAYER_NETWORK] || geteuid() != 0)
        return *network;
    int hold[2];
    pid_t pid = begin_idler(CLONE_NEWNET, hold);
    if (pid >= 0) {
        *network = open_namespace(pid, "net");
        end_idler(pid, hold);
    }
    return *network;
}

/* Creates a user namespace that maps the outside user `uid` to the bot's user. It only configures a
   mount; no process lives in it. -1 on failure. */
static int make_map(const Sandbox *sandbox, uint32_t seat, uid_t uid, gid_t gid) {
    int hold[2];
    pid_t pid = begin_idler(CLONE_NEWUSER, hold);
    if (pid < 0)
        return -1;
    char path[64];
    char text[64];
    snprintf(path, sizeof path, "/proc/%d/uid_map", (int)pid);
    snprintf(text, sizeof text, "%u %u 1\n", uid, sandbox->uid + seat);
    bool good = sandbox_write_file(path, text);
    snprintf(path, sizeof path, "/proc/%d/gid_map", (int)pid);
    snprintf(text, sizeof text, "%u %u 1\n", gid, sandbox->gid + seat);
    good = good && sandbox_write_file(path, text);
    int map = good ? open_namespace(pid, "user") : -1;
    end_idler(pid, hold);
    return map;
}

int sandbox_owner_map(const Sandbox *sandbox, uint32_t seat, const char *directory, uid_t uid,
                      gid_t gid) {
    OwnerMap *last = &sandbox->maps[seat];
    if (!sandbox->has[LAYER_UID] || !sandbox->has[LAYER_FILES])
        return -1;
    if (last->map < 0 || last->uid != uid || last->gid != gid) {
        if (last->map >= 0)
            close(last->map);
        *last = (OwnerMap){uid, gid, make_map(sandbox, seat, uid, gid)};
    }
    return last->map >= 0 && can_map_owners(directory, last->map) ? last->map : -1;
}

void sandbox_yield(const Sandbox *sandbox) {
    cgroup_host_yield(&sandbox->cgroups);
}

bool sandbox_groups(const Sandbox *sandbox, const SandboxLimits *limits) {
    return sandbox->has[LAYER_MEMORY] || sandbox->has[LAYER_PROCESSES] ||
           sandbox->has[LAYER_FREEZE] || (sandbox->has[LAYER_CPU] && limits->share);
}

bool sandbox_group(const Sandbox *sandbox, const SandboxLimits *limits, Cgroup *group,
                   Error *error) {
    CgroupLimits inner = {
        .memory = limits->memory,
        .processes = limits->processes,
        .share = limits->share && sandbox->has[LAYER_CPU],
        .cpu = limits->cpu,
    };
    return cgroup_create(&sandbox->cgroups, &inner, group, error);
}
