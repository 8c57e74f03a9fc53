/* See sandbox.h. Sections: the layers and their words, the keeper (which runs in the child),
   launching, probing. */
#include "bots/sandbox.h"

#include "base/memory.h"
#include "bots/landlock.h"
#include "bots/seccomp.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <grp.h>
#include <limits.h>
#include <linux/capability.h>
#include <linux/close_range.h>
#include <linux/sched.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    ETC_MAX = 24,
    PROBE_MS = 30000, /* also on a machine that is very busy */
    UID_BASE = 900000,
    UID_SPAN = 90000, /* runners; each has a user for every seat */
    SIGNALS_MAX = 1024,
};

/* A user namespace that maps an owner of directories to the bots' user. */
typedef struct OwnerMap {
    uid_t uid;
    gid_t gid;
    int map; /* -1: none */
} OwnerMap;

struct Sandbox {
    SandboxMode mode;
    bool has[LAYERS];
    char reason[LAYERS][160];
    CgroupHost cgroups;
    SeccompFilter filter;
    bool filter_built;
    int network; /* an empty network namespace to join, or -1 */
    /* outside; with LAYER_UID that of seat 0, and the next ones are those of the other seats */
    uid_t uid;
    gid_t gid;
    OwnerMap *maps;     /* the last one of each seat */
    char *etc[ETC_MAX]; /* parts of /etc that runtimes need */
    uint32_t etc_count;
};

const SandboxLimits sandbox_standard_limits = {
    .memory = UINT64_C(256) << 20,
    .processes = 64,
    .open_files = 256,
    .file_size = UINT64_C(64) << 20,
    .tmp_size = UINT64_C(64) << 20,
};

/* ---- the layers ---- */

static const struct {
    const char *name;
    const char *summary;
    const char *remedy;
    bool required;
} layers[LAYERS] = {
    [LAYER_KILL] =
        {"kill", "pid namespace: everything that a bot started ends with it",
         "allow user namespaces (sysctl kernel.unprivileged_userns_clone=1), or run as root", true},
    [LAYER_FILES] = {"files",
                     "mount namespace: a read-only root with runtimes and the bot's own files",
                     "allow user namespaces, or run as root", true},
    [LAYER_NETWORK] = {"network", "an empty network namespace",
                       "allow user namespaces, or run as root", true},
    [LAYER_IPC] = {"ipc", "ipc, uts and cgroup namespaces", "allow user namespaces, or run as root",
                   false},
    [LAYER_MEMORY] =
        {"memory", "control group: memory limit",
         "run as root, or have the memory controller delegated (systemd: Delegate=yes)", true},
    [LAYER_PROCESSES] =
        {"processes", "control group: limit on processes and threads",
         "run as root, or have the pids controller delegated (systemd: Delegate=yes)", false},
    [LAYER_CPU] = {"cpu", "control group: a share of the CPU, where bots run at the same time",
                   "run as root, or have the cpu controller delegated (systemd: Delegate=yes)",
                   false},
    [LAYER_FREEZE] = {"freeze", "control group: the whole bot is stopped while another thinks",
                      "run as root, or have a control group delegated", false},
    [LAYER_UID] = {"uid", "a user of its own", "run as root", false},
    [LAYER_RLIMITS] = {"rlimits", "open files, file size, no core dumps",
                       "raise the hard limits of the shell", false},
    [LAYER_NO_NEW_PRIVS] = {"no_new_privs", "set-user-id programs give no rights",
                            "use a kernel of this century", false},
    [LAYER_LANDLOCK] = {"landlock", "files and TCP held back once more by the kernel's Landlock",
                        "use a kernel with Landlock (5.13) and lsm=landlock", false},
    [LAYER_SECCOMP] = {"seccomp", "only the system calls that runtimes need",
                       "use a kernel with seccomp filters", false},
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

bool layer_is_required(Layer layer) {
    return layers[layer].required;
}

static const char *const mode_names[] = {
    [SANDBOX_NONE] = "none",
    [SANDBOX_BEST_EFFORT] = "best-effort",
    [SANDBOX_STRICT] = "strict",
};

const char *sandbox_mode_name(SandboxMode mode) {
    return mode_names[mode];
}

bool sandbox_mode_find(const char *name, SandboxMode *mode) {
    for (*mode = SANDBOX_NONE; *mode <= SANDBOX_STRICT; (*mode)++)
        if (strcmp(name, mode_names[*mode]) == 0)
            return true;
    return false;
}

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

/* ---- the keeper: from here to the next section everything runs in the child ---- */

typedef struct Keeper {
    const Sandbox *sandbox;
    const SandboxStart *start;
    const Cgroup *group;
    bool born_inside; /* in the v2 group: no need to move there */
    int status;
    uid_t uid; /* of the bot */
    gid_t gid;
} Keeper;

static _Noreturn void fail(const Keeper *keeper, Layer layer, const char *call) {
    KeeperMessage message = {.ended = 0, .layer = (int32_t)layer, .code = errno};
    snprintf(message.call, sizeof message.call, "%s", call);
    ssize_t sent = write(keeper->status, &message, sizeof message);
    (void)sent;
    _exit(125);
}

static bool write_file(const char *path, const char *text) {
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    bool good = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
    int reason = errno;
    if (fd >= 0)
        close(fd);
    errno = reason;
    return good;
}

/* In a user namespace of our own: we stay who we are, and have every right over the namespaces that
   were made with it. */
static void map_user(const Keeper *keeper) {
    char map[64];
    if (!write_file("/proc/self/setgroups", "deny"))
        fail(keeper, LAYER_KILL, "write setgroups");
    snprintf(map, sizeof map, "%u %u 1\n", keeper->uid, keeper->uid);
    if (!write_file("/proc/self/uid_map", map))
        fail(keeper, LAYER_KILL, "write uid_map");
    snprintf(map, sizeof map, "%u %u 1\n", keeper->gid, keeper->gid);
    if (!write_file("/proc/self/gid_map", map))
        fail(keeper, LAYER_KILL, "write gid_map");
}

/* Makes all directories of a relative path. */
static bool make_path(const char *path) {
    char part[PATH_MAX];
    size_t length = strlen(path);
    if (length >= sizeof part)
        return false;
    for (size_t i = 1; i <= length; i++)
        if (path[i] == '/' || path[i] == '\0') {
            memcpy(part, path, i);
            part[i] = '\0';
            if (mkdir(part, 0755) != 0 && errno != EEXIST)
                return false;
        }
    return true;
}

/* Shows `from` at `to`, with everything below it. A read-only mount also refuses set-user-id and
   devices. */
static bool show(const char *from, const char *to, bool writable) {
    struct mount_attr attributes = {
        .attr_set = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | (writable ? 0u : MOUNT_ATTR_RDONLY),
    };
    return mount(from, to, NULL, MS_BIND | MS_REC, NULL) == 0 &&
           mount_setattr(AT_FDCWD, to, AT_RECURSIVE, &attributes, sizeof attributes) == 0;
}

/* The same for a directory that was opened before the mounts changed. With `owner`, a user
   namespace that maps the directory's owner to the bot's own user: the bot sees the files as its
   own, whoever may read them outside, and what a build writes belongs to the owner. */
static bool show_directory(int fd, const char *path, bool writable, int owner) {
    struct mount_attr attributes = {
        .attr_set = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | (writable ? 0u : MOUNT_ATTR_RDONLY) |
                    (owner >= 0 ? (unsigned)MOUNT_ATTR_IDMAP : 0u),
        .userns_fd = owner >= 0 ? (uint64_t)(unsigned)owner : 0,
    };
    int tree = make_path(path + 1)
                   ? open_tree(fd, "", AT_EMPTY_PATH | OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC)
                   : -1;
    return tree >= 0 &&
           mount_setattr(tree, "", AT_EMPTY_PATH, &attributes, sizeof attributes) == 0 &&
           move_mount(tree, "", AT_FDCWD, path + 1, MOVE_MOUNT_F_EMPTY_PATH) == 0 &&
           close(tree) == 0;
}

static void show_devices(const Keeper *keeper) {
    static const char *const names[] = {"null", "zero", "full", "random", "urandom"};
    /* A device is written to all the same; but who owns it, which is root of a user namespace too,
       cannot change its mode for the whole machine. */
    struct mount_attr attributes = {
        .attr_set = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC | MOUNT_ATTR_RDONLY,
    };
    if (mkdir("dev", 0755) != 0)
        fail(keeper, LAYER_FILES, "mkdir dev");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char from[32];
        char to[32];
        snprintf(from, sizeof from, "/dev/%s", names[i]);
        snprintf(to, sizeof to, "dev/%s", names[i]);
        int fd = open(to, O_CREAT | O_WRONLY | O_CLOEXEC, 0666);
        if (fd < 0 || close(fd) != 0 || mount(from, to, NULL, MS_BIND, NULL) != 0 ||
            mount_setattr(AT_FDCWD, to, 0, &attributes, sizeof attributes) != 0)
            fail(keeper, LAYER_FILES, "mount a device");
    }
    bool linked = symlink("/proc/self/fd", "dev/fd") == 0 &&
                  symlink("/proc/self/fd/0", "dev/stdin") == 0 &&
                  symlink("/proc/self/fd/1", "dev/stdout") == 0 &&
                  symlink("/proc/self/fd/2", "dev/stderr") == 0 && symlink("/tmp", "dev/shm") == 0;
    if (!linked)
        fail(keeper, LAYER_FILES, "symlink in dev");
}

static void show_system(const Keeper *keeper) {
    static const char *const links[] = {"bin", "sbin", "lib", "lib32", "lib64", "libx32"};
    const Sandbox *sandbox = keeper->sandbox;
    if (mkdir("usr", 0755) != 0 || !show("/usr", "usr", false))
        fail(keeper, LAYER_FILES, "mount /usr");
    for (size_t i = 0; i < sizeof links / sizeof *links; i++) {
        char host[16];
        char target[64];
        snprintf(host, sizeof host, "/%s", links[i]);
        ssize_t length = readlink(host, target, sizeof target - 1);
        target[length > 0 ? length : 0] = '\0';
        struct stat about;
        bool good = length > 0 ? symlink(target, links[i]) == 0
                    : stat(host, &about) == 0
                        ? mkdir(links[i], 0755) == 0 && show(host, links[i], false)
                        : true;
        if (!good)
            fail(keeper, LAYER_FILES, "show /bin and /lib");
    }
    if (access("/opt", F_OK) == 0 && (mkdir("opt", 0755) != 0 || !show("/opt", "opt", false)))
        fail(keeper, LAYER_FILES, "mount /opt");
    if (mkdir("etc", 0755) != 0)
        fail(keeper, LAYER_FILES, "mkdir etc");
    for (uint32_t i = 0; i < sandbox->etc_count; i++) {
        const char *path = sandbox->etc[i];
        struct stat about;
        if (stat(path, &about) != 0)
            continue;
        int fd = S_ISDIR(about.st_mode) ? -1 : open(path + 1, O_CREAT | O_WRONLY | O_CLOEXEC, 0644);
        bool made = S_ISDIR(about.st_mode) ? mkdir(path + 1, 0755) == 0 : fd >= 0 && close(fd) == 0;
        if (!made || !show(path, path + 1, false))
            fail(keeper, LAYER_FILES, "show a part of /etc");
    }
    char text[160];
    unsigned uid = keeper->uid;
    unsigned gid = keeper->gid;
    snprintf(text, sizeof text, "root:x:0:0::/:/bin/false\nbot:x:%u:%u::/tmp:/bin/sh\n", uid, gid);
    if (!write_file("etc/passwd", text))
        fail(keeper, LAYER_FILES, "write etc/passwd");
    snprintf(text, sizeof text, "root:x:0:\nbot:x:%u:\n", gid);
    if (!write_file("etc/group", text))
        fail(keeper, LAYER_FILES, "write etc/group");
}

static bool is_below(const char *path, const char *root) {
    size_t length = strlen(root);
    return strncmp(path, root, length) == 0 && (path[length] == '/' || path[length] == '\0');
}

/* Whether a directory shows up by itself, with the system. */
static bool is_system(const char *path) {
    return strcmp(path, "/") == 0 || is_below(path, "/usr") || is_below(path, "/opt") ||
           is_below(path, "/proc") || is_below(path, "/sys") || is_below(path, "/dev") ||
           is_below(path, "/etc");
}

/* A new root on a small tmpfs, and the old one gone. Host paths are needed to the end, so what lies
   below /tmp (which serves as the place to mount the new root) is held open from before. */
static void build_root(const Keeper *keeper) {
    const SandboxStart *start = keeper->start;
    int own = is_system(start->directory) ? -1 : open(start->directory, O_PATH | O_CLOEXEC);
    int program = start->program_directory && !is_system(start->program_directory)
                      ? open(start->program_directory, O_PATH | O_CLOEXEC)
                      : -1;
    char options[64];
    if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
        fail(keeper, LAYER_FILES, "mount / private");
    if (mount("tmpfs", "/tmp", "tmpfs", MS_NOSUID | MS_NODEV, "size=1m,nr_inodes=4k,mode=755") !=
            0 ||
        chdir("/tmp") != 0)
        fail(keeper, LAYER_FILES, "mount tmpfs");
    show_system(keeper);
    show_devices(keeper);
    snprintf(options, sizeof options, "size=%llu,nr_inodes=16k,mode=1777",
             (unsigned long long)start->limits.tmp_size);
    if (mkdir("tmp", 0755) != 0 ||
        mount("tmpfs", "tmp", "tmpfs", MS_NOSUID | MS_NODEV, options) != 0)
        fail(keeper, LAYER_FILES, "mount /tmp");
    if (own >= 0 && !show_directory(own, start->directory, start->writable, start->owner))
        fail(keeper, LAYER_FILES, "show the bot's directory");
    if (program >= 0 && strcmp(start->program_directory, start->directory) != 0 &&
        !show_directory(program, start->program_directory, false, -1))
        fail(keeper, LAYER_FILES, "show the program's directory");
    if (mkdir("proc", 0755) != 0 ||
        mount("proc", "proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC | MS_RDONLY, NULL) != 0)
        fail(keeper, LAYER_FILES, "mount /proc");
    if (syscall(SYS_pivot_root, ".", ".") != 0 || umount2(".", MNT_DETACH) != 0 || chdir("/") != 0)
        fail(keeper, LAYER_FILES, "pivot_root");
    if (mount(NULL, "/", NULL, MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV, NULL) != 0)
        fail(keeper, LAYER_FILES, "remount / read-only");
}

static void limit(const Keeper *keeper, __rlimit_resource_t what, uint64_t most) {
    struct rlimit now;
    if (getrlimit(what, &now) != 0)
        fail(keeper, LAYER_RLIMITS, "getrlimit");
    rlim_t wanted = most < now.rlim_max ? most : now.rlim_max;
    if (setrlimit(what, &(struct rlimit){wanted, wanted}) != 0)
        fail(keeper, LAYER_RLIMITS, "setrlimit");
}

/* Root that cannot become another user, as in a user namespace with only itself in it, is root
   without rights from here on. */
static bool drop_capabilities(void) {
    struct __user_cap_header_struct version = {.version = _LINUX_CAPABILITY_VERSION_3};
    const struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {0};
    /* That none can be had again is also seen to by no_new_privs: this needs a right that root may
       lack. */
    for (unsigned long one = 0; prctl(PR_CAPBSET_READ, one, 0, 0, 0) >= 0; one++)
        prctl(PR_CAPBSET_DROP, one, 0, 0, 0);
    return syscall(SYS_capset, &version, none) == 0;
}

/* The pipes become the bot's own, so that it may open them by name as well: /dev/stdin is how some
   read their input. */
static void give_pipes(const Keeper *keeper) {
    struct stat about;
    for (int fd = 0; fd <= 2; fd++)
        if (fstat(fd, &about) != 0 ||
            (S_ISFIFO(about.st_mode) && fchown(fd, keeper->uid, keeper->gid) != 0))
            fail(keeper, LAYER_UID, "fchown");
}

static void give_up_rights(const Keeper *keeper) {
    const Sandbox *sandbox = keeper->sandbox;
    const SandboxLimits *limits = &keeper->start->limits;
    if (sandbox->has[LAYER_UID]) {
        give_pipes(keeper);
        if (setgroups(0, NULL) != 0 || setresgid(keeper->gid, keeper->gid, keeper->gid) != 0 ||
            setresuid(keeper->uid, keeper->uid, keeper->uid) != 0)
            fail(keeper, LAYER_UID, "setresuid");
    } else if (geteuid() == 0 && !drop_capabilities()) {
        fail(keeper, LAYER_NO_NEW_PRIVS, "capset");
    }
    /* After the change of user, which forgets it; and nobody of that user may look into this
       process. */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_DUMPABLE, 0);
    if (sandbox->has[LAYER_RLIMITS]) {
        /* Less than any dump; and 1, unlike 0, also keeps the kernel from starting the system's
           collector of dumps, which would run outside. */
        limit(keeper, RLIMIT_CORE, 1);
        /* Timers count here: thousands of them that expire at once would take the time of whose
           turn it is then. */
        limit(keeper, RLIMIT_SIGPENDING, SIGNALS_MAX);
        limit(keeper, RLIMIT_NOFILE, limits->open_files);
        limit(keeper, RLIMIT_FSIZE, limits->file_size);
        /* Whoever runs Skirmish may be allowed to go before others; bots are not. */
        limit(keeper, RLIMIT_NICE, 0);
        limit(keeper, RLIMIT_RTPRIO, 0);
        if (!sandbox->has[LAYER_PROCESSES])
            limit(keeper, RLIMIT_NPROC, limits->processes);
    }
    if (sandbox->has[LAYER_NO_NEW_PRIVS] && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        fail(keeper, LAYER_NO_NEW_PRIVS, "prctl");
    if (sandbox->has[LAYER_LANDLOCK]) {
        const char *own = keeper->start->writable ? "/usr" : keeper->start->directory;
        const char *program =
            keeper->start->program_directory ? keeper->start->program_directory : "/usr";
        const char *const read_only[] = {"/usr", "/bin",  "/lib", "/lib64", "/sbin", "/opt",
                                         "/etc", "/proc", own,    program,  NULL};
        const char *const read_write[] = {
            "/tmp", keeper->start->writable ? keeper->start->directory : NULL, NULL};
        const char *const devices[] = {"/dev/null",   "/dev/zero",    "/dev/full",
                                       "/dev/random", "/dev/urandom", NULL};
        Error error;
        if (!landlock_restrict(read_only, read_write, devices, &error))
            fail(keeper, LAYER_LANDLOCK, "landlock_restrict_self");
    }
    if (sandbox->has[LAYER_SECCOMP]) {
        Error error;
        if (!seccomp_filter_apply(&sandbox->filter, &error))
            fail(keeper, LAYER_SECCOMP, "seccomp");
    }
}

static _Noreturn void become_bot(const Keeper *keeper) {
    const SandboxStart *start = keeper->start;
    char *const environment[] = {(char[]){"PATH=/usr/local/bin:/usr/bin:/bin"},
                                 (char[]){"HOME=/tmp"}, (char[]){"TMPDIR=/tmp"},
                                 (char[]){"LANG=C.UTF-8"}, NULL};
    char *const shell[] = {(char[]){"sh"}, (char[]){"-c"}, start->command, NULL};
    char *const direct[] = {start->program, NULL};
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SANDBOX_STOP, SIG_DFL);
    signal(SANDBOX_CONTINUE, SIG_DFL);
    prctl(PR_SET_PDEATHSIG, 0);
    if (chdir(start->directory) == 0 && close_range(3, ~0U, CLOSE_RANGE_CLOEXEC) == 0) {
        if (start->command)
            execve("/bin/sh", shell, environment);
        else
            execve(start->program, direct, environment);
    }
    fail(keeper, LAYER_FILES, start->command ? "exec /bin/sh" : "exec the bot");
}

/* Only from outside: there the sender has no number that this namespace knows, and, since a program
   may make up what comes with a signal that it queues, but not that it was sent by kill, that it
   was sent so. To all but process 1, which is K. */
static void on_halt(int number, siginfo_t *from, void *unused) {
    (void)unused;
    if (from->si_code == SI_USER && from->si_pid == 0 && getpid() == 1)
        kill(-1, number == SANDBOX_STOP ? SIGSTOP : SIGCONT);
}

/* Collects orphans until the bot itself ends. */
static _Noreturn void keep(const Keeper *keeper, pid_t bot) {
    KeeperMessage message = {.ended = 1};
    close_range(0, (unsigned)keeper->status - 1, 0);
    close_range((unsigned)keeper->status + 1, ~0U, 0);
    for (;;) {
        int how = 0;
        pid_t gone = waitpid(-1, &how, 0);
        if (gone < 0 && errno == EINTR)
            continue;
        if (gone == bot || gone < 0) {
            message.code = how;
            ssize_t sent = write(keeper->status, &message, sizeof message);
            (void)sent;
            _exit(0);
        }
    }
}

static _Noreturn void run_keeper(const Keeper *keeper, bool user_namespace) {
    const Sandbox *sandbox = keeper->sandbox;
    const SandboxStart *start = keeper->start;
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGPIPE, SIG_DFL);
    if (dup2(start->in, 0) < 0 || dup2(start->out, 1) < 0 || dup2(start->err, 2) < 0)
        fail(keeper, LAYER_FILES, "dup2");
    if (keeper->group &&
        !(keeper->born_inside ? cgroup_enter_v1(keeper->group) : cgroup_enter(keeper->group)))
        fail(keeper, LAYER_MEMORY, "write cgroup.procs");
    if (user_namespace)
        map_user(keeper);
    if (sandbox->network >= 0 && sandbox->has[LAYER_NETWORK] &&
        setns(sandbox->network, CLONE_NEWNET) != 0)
        fail(keeper, LAYER_NETWORK, "setns");
    if (sandbox->has[LAYER_IPC]) {
        if (unshare(CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP) != 0)
            fail(keeper, LAYER_IPC, "unshare");
        if (sethostname("arena", 5) != 0)
            fail(keeper, LAYER_IPC, "sethostname");
    }
    if (sandbox->has[LAYER_FILES])
        build_root(keeper);
    give_up_rights(keeper);
    /* Without a pid namespace there is nobody to stop by these, and the default would be to die. */
    struct sigaction halt = {.sa_sigaction = on_halt, .sa_flags = SA_SIGINFO};
    /* One at a time: of two handlers that begin together the later would run first, and who is to
       go on would stay stopped. */
    sigaddset(&halt.sa_mask, SANDBOX_STOP);
    sigaddset(&halt.sa_mask, SANDBOX_CONTINUE);
    sigaction(SANDBOX_STOP, &halt, NULL);
    sigaction(SANDBOX_CONTINUE, &halt, NULL);
    pid_t bot = fork();
    if (bot < 0)
        fail(keeper, LAYER_PROCESSES, "fork");
    if (bot == 0)
        become_bot(keeper);
    keep(keeper, bot);
}

/* ---- launching ---- */

/* Whether the file system can be shown with other owners: tried on a mount that is never seen. */
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

/* A process in a new namespace that does nothing until it is let go: a way to have the namespace
   without living in it. -1 if there can be none. */
static pid_t begin_idler(uint64_t namespace, int hold[2]) {
    if (pipe2(hold, O_CLOEXEC) != 0)
        return -1;
    struct clone_args arguments = {.flags = namespace, .exit_signal = SIGCHLD};
    long pid = syscall(SYS_clone3, &arguments, sizeof arguments);
    if (pid == 0) {
        char byte;
        close(hold[1]);
        ssize_t got = read(hold[0], &byte, 1);
        _exit(got != 0);
    }
    close(hold[0]);
    if (pid < 0)
        close(hold[1]);
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

/* A user namespace in which the user `uid` outside is the bot's: only a means to describe a mount,
   nobody lives in it. -1 if there can be none. */
static int make_map(const Sandbox *sandbox, uint32_t seat, uid_t uid, gid_t gid) {
    int hold[2];
    pid_t pid = begin_idler(CLONE_NEWUSER, hold);
    if (pid < 0)
        return -1;
    char path[64];
    char text[64];
    snprintf(path, sizeof path, "/proc/%d/uid_map", (int)pid);
    snprintf(text, sizeof text, "%u %u 1\n", uid, sandbox->uid + seat);
    bool good = write_file(path, text);
    snprintf(path, sizeof path, "/proc/%d/gid_map", (int)pid);
    snprintf(text, sizeof text, "%u %u 1\n", gid, sandbox->gid + seat);
    good = good && write_file(path, text);
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

pid_t sandbox_launch(const Sandbox *sandbox, const SandboxStart *start, Cgroup *group, int *pidfd,
                     int *status, Error *error) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
        error_set(error, "cannot open a pipe to a bot's keeper: %s", strerror(errno));
        return -1;
    }
    bool user_namespace = geteuid() != 0 && (sandbox->has[LAYER_KILL] || sandbox->has[LAYER_FILES]);
    int target = group ? cgroup_clone_target(group) : -1;
    int known_by = -1;
    struct clone_args arguments = {
        .cgroup = target >= 0 ? (uint64_t)(unsigned)target : 0,
        .flags = CLONE_PIDFD | (target >= 0 ? (uint64_t)CLONE_INTO_CGROUP : 0) |
                 (user_namespace ? (uint64_t)CLONE_NEWUSER : 0) |
                 (sandbox->has[LAYER_KILL] ? (uint64_t)CLONE_NEWPID : 0) |
                 (sandbox->has[LAYER_FILES] ? (uint64_t)CLONE_NEWNS : 0) |
                 (sandbox->has[LAYER_NETWORK] && sandbox->network < 0 ? (uint64_t)CLONE_NEWNET : 0),
        .pidfd = (uint64_t)(uintptr_t)&known_by,
        .exit_signal = SIGCHLD,
    };
    Keeper keeper = {.sandbox = sandbox,
                     .start = start,
                     .group = group,
                     .born_inside = target >= 0,
                     .status = ends[1],
                     .uid = sandbox->uid + (sandbox->has[LAYER_UID] ? start->seat : 0),
                     .gid = sandbox->gid + (sandbox->has[LAYER_UID] ? start->seat : 0)};
    long pid = syscall(SYS_clone3, &arguments, sizeof arguments);
    if (pid == 0)
        run_keeper(&keeper, user_namespace);
    int reason = errno;
    close(ends[1]);
    if (pid < 0) {
        close(ends[0]);
        error_set(error, "cannot start a bot's keeper: clone3: %s", strerror(reason));
        errno = reason;
        return -1;
    }
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    *status = ends[0];
    *pidfd = known_by;
    return (pid_t)pid;
}

/* ---- probing ---- */

static void miss(Sandbox *sandbox, Layer layer, const char *call, int reason) {
    sandbox->has[layer] = false;
    snprintf(sandbox->reason[layer], sizeof sandbox->reason[layer], "%s: %s", call,
             strerror(reason));
}

/* An empty network namespace is made once and joined by every bot: making one costs most of a
   millisecond. Not by going there ourselves: root of a user namespace may not come back. */
static int empty_network(void) {
    int hold[2];
    pid_t pid = begin_idler(CLONE_NEWNET, hold);
    int made = pid < 0 ? -1 : open_namespace(pid, "net");
    if (pid >= 0)
        end_idler(pid, hold);
    return made;
}

static void find_etc(Sandbox *sandbox) {
    static const char *const patterns[] = {
        "/etc/alternatives", "/etc/ld.so.cache", "/etc/ld.so.conf*", "/etc/java-*", "/etc/python3*",
        "/etc/perl*",        "/etc/ruby*",       "/etc/localtime",   "/etc/lua*"};
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        glob_t found;
        if (glob(patterns[i], 0, NULL, &found) != 0)
            continue;
        for (size_t j = 0; j < found.gl_pathc && sandbox->etc_count < ETC_MAX; j++)
            sandbox->etc[sandbox->etc_count++] = xstrdup(found.gl_pathv[j]);
        globfree(&found);
    }
}

/* A machine that is short of something now tells nothing of what it can do. */
static bool is_want(int reason) {
    return reason == EAGAIN || reason == ENOMEM || reason == EMFILE || reason == ENFILE;
}

typedef enum Probed { PROBE_RAN, PROBE_MISSED, PROBE_UNKNOWN } Probed;

/* Launches `true` with the layers that are left. PROBE_MISSED: it did not run, and a layer has been
   struck off. PROBE_UNKNOWN: it did not say why it did not, which is the fault of no layer: to go
   on without one would be to lower the sandbox on a guess. */
static Probed probe(Sandbox *sandbox, Error *why) {
    static char command[] = "exit 0";
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (nothing < 0) {
        error_set(why, "the sandbox cannot be tried: open /dev/null: %s", strerror(errno));
        return PROBE_UNKNOWN;
    }
    SandboxStart start = {
        .command = command,
        .directory = "/",
        .owner = -1,
        .limits = sandbox_standard_limits,
        .in = nothing,
        .out = nothing,
        .err = nothing,
    };
    start.limits.share = true;
    bool grouped = sandbox_groups(sandbox, &start.limits);
    Cgroup group;
    Error error = {""};
    if (grouped && !sandbox_group(sandbox, &start.limits, &group, &error)) {
        for (Layer layer = LAYER_MEMORY; layer <= LAYER_FREEZE; layer++) {
            sandbox->has[layer] = false;
            snprintf(sandbox->reason[layer], sizeof sandbox->reason[layer], "%.150s", error.text);
        }
        close(nothing);
        return PROBE_MISSED;
    }
    int pidfd = -1;
    int status = -1;
    pid_t pid = sandbox_launch(sandbox, &start, grouped ? &group : NULL, &pidfd, &status, &error);
    int reason = errno;
    close(nothing);
    KeeperMessage message = {.ended = 0, .layer = LAYERS, .code = EIO, .call = "probe"};
    if (pid > 0) {
        struct pollfd wait = {.fd = status, .events = POLLIN};
        int came = poll(&wait, 1, PROBE_MS);
        if (came == 1 && read(status, &message, sizeof message) != (ssize_t)sizeof message)
            message = (KeeperMessage){.layer = LAYERS, .code = EIO, .call = "what it said"};
        else if (came != 1)
            message.code = ETIMEDOUT;
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
        close(status);
        close(pidfd);
    } else if (is_want(reason)) {
        message = (KeeperMessage){.layer = LAYERS, .code = reason, .call = "clone3"};
    } else {
        /* clone3 itself: it is the namespaces. */
        for (Layer layer = LAYER_KILL; layer <= LAYER_IPC; layer++)
            miss(sandbox, layer, "clone3", reason);
    }
    if (grouped)
        cgroup_remove(&group);
    if (message.ended)
        return PROBE_RAN;
    if (pid <= 0 && !is_want(reason))
        return PROBE_MISSED;
    message.call[sizeof message.call - 1] = '\0';
    if (message.layer < 0 || message.layer >= LAYERS || !sandbox->has[message.layer] ||
        is_want(message.code)) {
        error_set(why, "the sandbox cannot be tried: %s: %s", message.call, strerror(message.code));
        return PROBE_UNKNOWN;
    }
    miss(sandbox, (Layer)message.layer, message.call, message.code);
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
    Error error = {""};
    for (Layer layer = 0; layer < LAYERS; layer++)
        sandbox->has[layer] = true;
    sandbox->uid = root ? UID_BASE + (uid_t)(getpid() % UID_SPAN) * SANDBOX_SEATS : geteuid();
    sandbox->gid = root ? sandbox->uid : getegid();
    if (!root) {
        sandbox->has[LAYER_UID] = false;
        snprintf(sandbox->reason[LAYER_UID], sizeof sandbox->reason[LAYER_UID], "not root");
    }
    sandbox->filter_built = seccomp_filter_build(&sandbox->filter, &error);
    if (!sandbox->filter_built) {
        sandbox->has[LAYER_SECCOMP] = false;
        snprintf(sandbox->reason[LAYER_SECCOMP], sizeof sandbox->reason[LAYER_SECCOMP], "%.150s",
                 error.text);
    }
    if (landlock_abi() == 0)
        miss(sandbox, LAYER_LANDLOCK, "landlock_create_ruleset", ENOSYS);
    note_cgroups(sandbox);
    sandbox->network = root ? empty_network() : -1;
    find_etc(sandbox);
    Probed probed = PROBE_MISSED;
    while (has_any(sandbox) && probed == PROBE_MISSED)
        probed = probe(sandbox, why);
    return probed != PROBE_UNKNOWN;
}

Sandbox *sandbox_new(SandboxMode mode, Error *error) {
    Sandbox *sandbox = xcalloc(1, sizeof *sandbox);
    OwnerMap *maps = xcalloc(SANDBOX_SEATS, sizeof *maps);
    for (int seat = 0; seat < SANDBOX_SEATS; seat++)
        maps[seat].map = -1;
    sandbox->maps = maps;
    sandbox->mode = mode;
    sandbox->network = -1;
    if (mode == SANDBOX_NONE)
        return sandbox;
    if (!find_layers(sandbox, error)) {
        sandbox_free(sandbox);
        return NULL;
    }
    for (Layer layer = 0; mode == SANDBOX_STRICT && layer < LAYERS; layer++)
        if (layers[layer].required && !sandbox->has[layer]) {
            error_set(
                error,
                "--sandbox=strict cannot be had: the layer \"%s\" is missing (%s); %s; `skirmish doctor` tells more",
                layers[layer].name, sandbox->reason[layer], layers[layer].remedy);
            sandbox_free(sandbox);
            return NULL;
        }
    return sandbox;
}

void sandbox_free(Sandbox *sandbox) {
    if (!sandbox)
        return;
    if (sandbox->mode != SANDBOX_NONE)
        cgroup_host_close(&sandbox->cgroups);
    if (sandbox->filter_built)
        seccomp_filter_free(&sandbox->filter);
    if (sandbox->network >= 0)
        close(sandbox->network);
    for (int seat = 0; seat < SANDBOX_SEATS; seat++)
        if (sandbox->maps[seat].map >= 0)
            close(sandbox->maps[seat].map);
    for (uint32_t i = 0; i < sandbox->etc_count; i++)
        free(sandbox->etc[i]);
    free(sandbox->maps);
    free(sandbox);
}
