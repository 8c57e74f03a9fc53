/* The keeper: sets up a cell from inside, starts bots in it and waits for them. See sandbox.h for
   the theory of operation. Everything here runs in the child that cell_new clones. */
#include "base/path.h"
#include "bots/bot_seed.h"
#include "bots/build_files.h"
#include "bots/landlock.h"
#include "bots/sandbox_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <linux/close_range.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define HOST_NAME "arena"
enum {
    SIGNALS_MAX = 16, /* includes POSIX timers, each of which delays others by up to 30 us */
    /* entries that a bot may add to epoll sets: enough for a program that creates a new set in each
       of thousands of turns, and notifying all of them takes 2 ms */
    WATCHES_MAX = 16384,
};

static _Noreturn void fail(const Keeper *keeper, Layer layer, const char *call) {
    KeeperMessage message = {.ended = 0, .layer = (int32_t)layer, .code = errno};
    snprintf(message.call, sizeof message.call, "%s", call);
    ssize_t sent = write(keeper->control, &message, sizeof message);
    (void)sent;
    _exit(125);
}

bool sandbox_write_file(const char *path, const char *text) {
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    bool good = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
    int reason = errno;
    if (fd >= 0)
        close(fd);
    errno = reason;
    return good;
}

/* Maps our user id in our new user namespace: we keep the id and have all capabilities over the
   namespaces that were created with it. */
static void map_user(const Keeper *keeper) {
    char map[64];
    if (!sandbox_write_file("/proc/self/setgroups", "deny"))
        fail(keeper, LAYER_KILL, "write setgroups");
    snprintf(map, sizeof map, "%u %u 1\n", keeper->uid, keeper->uid);
    if (!sandbox_write_file("/proc/self/uid_map", map))
        fail(keeper, LAYER_KILL, "write uid_map");
    snprintf(map, sizeof map, "%u %u 1\n", keeper->gid, keeper->gid);
    if (!sandbox_write_file("/proc/self/gid_map", map))
        fail(keeper, LAYER_KILL, "write gid_map");
}

/* Creates all directories of a relative path. */
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

/* Bind-mounts `from` at `to`, with everything below it, without set-user-id bits and devices. */
static bool show(const char *from, const char *to, bool writable) {
    struct mount_attr attributes = {
        .attr_set = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | (writable ? 0u : MOUNT_ATTR_RDONLY),
    };
    return mount(from, to, NULL, MS_BIND | MS_REC, NULL) == 0 &&
           mount_setattr(AT_FDCWD, to, AT_RECURSIVE, &attributes, sizeof attributes) == 0;
}

/* The same for a directory that was opened before the mounts changed. `owner` is a user namespace
   that maps the directory's owner to the bot's user, so that the bot owns the files, whatever their
   permissions outside; or -1. */
static bool show_directory(int fd, const char *path, int owner) {
    struct mount_attr attributes = {
        .attr_set = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_RDONLY |
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

/* Sends R the directory in which a build will work. */
static bool send_directory(const Keeper *keeper, int fd) {
    char byte = 0;
    union {
        char bytes[CMSG_SPACE(sizeof fd)];
        struct cmsghdr align;
    } space = {0};
    struct msghdr message = {.msg_iov = &(struct iovec){&byte, 1},
                             .msg_iovlen = 1,
                             .msg_control = space.bytes,
                             .msg_controllen = sizeof space.bytes};
    struct cmsghdr *rights = CMSG_FIRSTHDR(&message);
    *rights = (struct cmsghdr){
        .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(sizeof fd)};
    memcpy(CMSG_DATA(rights), &fd, sizeof fd);
    return sendmsg(keeper->control, &message, MSG_NOSIGNAL) == 1;
}

/* Mounts a file system whose size the kernel limits for a build, which must not fill the disk. */
static void show_workplace(const Keeper *keeper, const char *path) {
    char options[128];
    snprintf(options, sizeof options, "size=%llu,nr_inodes=%d,mode=700,uid=%u,gid=%u",
             (unsigned long long)BUILD_BYTES_MAX, BUILD_FILES_MAX, keeper->uid, keeper->gid);
    if (!make_path(path + 1) ||
        mount("tmpfs", path + 1, "tmpfs", MS_NOSUID | MS_NODEV, options) != 0)
        fail(keeper, LAYER_FILES, "mount the directory of a build");
    int fd = open(path + 1, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0 || !send_directory(keeper, fd))
        fail(keeper, LAYER_FILES, "open the directory of a build");
    close(fd);
}

static void show_devices(const Keeper *keeper) {
    static const char *const names[] = {"null", "zero", "full", "random", "urandom"};
    /* Devices can still be written to, but their owner (also root of a user namespace) cannot
       change their mode for the whole machine. */
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
    if (mkdir("etc", 0755) != 0 || mkdir("var", 0755) != 0 || mkdir("var/lib", 0755) != 0)
        fail(keeper, LAYER_FILES, "mkdir etc and var/lib");
    for (uint32_t i = 0; i < sandbox->part_count; i++) {
        const char *path = sandbox->parts[i];
        struct stat about;
        if (stat(path, &about) != 0)
            continue;
        int fd = S_ISDIR(about.st_mode) ? -1 : open(path + 1, O_CREAT | O_WRONLY | O_CLOEXEC, 0644);
        bool made = S_ISDIR(about.st_mode) ? mkdir(path + 1, 0755) == 0 : fd >= 0 && close(fd) == 0;
        if (!made || !show(path, path + 1, false))
            fail(keeper, LAYER_FILES, "show a part of /etc or /var");
    }
    char text[160];
    unsigned uid = keeper->uid;
    unsigned gid = keeper->gid;
    snprintf(text, sizeof text, "root:x:0:0::/:/bin/false\nbot:x:%u:%u::/tmp:/bin/sh\n", uid, gid);
    if (!sandbox_write_file("etc/passwd", text))
        fail(keeper, LAYER_FILES, "write etc/passwd");
    snprintf(text, sizeof text, "root:x:0:\nbot:x:%u:\n", gid);
    if (!sandbox_write_file("etc/group", text))
        fail(keeper, LAYER_FILES, "write etc/group");
    if (!sandbox_write_file("etc/hostname", HOST_NAME "\n"))
        fail(keeper, LAYER_FILES, "write etc/hostname");
}

/* Whether a directory is visible in any case, as part of the system. */
static bool is_system(const char *path) {
    return strcmp(path, "/") == 0 || path_is_below(path, "/usr") || path_is_below(path, "/opt") ||
           path_is_below(path, "/proc") || path_is_below(path, "/sys") ||
           path_is_below(path, "/dev") || path_is_below(path, "/etc");
}

/* Builds a new root on a small tmpfs and detaches the old one. The new root is mounted at /tmp, so
   directories that may lie below /tmp are opened first. */
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
    if (start->writable)
        show_workplace(keeper, start->directory);
    else if (own >= 0 && !show_directory(own, start->directory, start->owner))
        fail(keeper, LAYER_FILES, "show the bot's directory");
    if (program >= 0 && strcmp(start->program_directory, start->directory) != 0 &&
        !show_directory(program, start->program_directory, -1))
        fail(keeper, LAYER_FILES, "show the program's directory");
    /* hidepid=2 hides processes that the reader may not inspect: here the keeper, whose command
       line is the referee's. */
    if (mkdir("proc", 0755) != 0 ||
        mount("proc", "proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC | MS_RDONLY, "hidepid=2") !=
            0)
        fail(keeper, LAYER_FILES, "mount /proc");
    /* Replaces the kernel's file, which can be watched: whenever a host name is set, as at the
       start of every bot, the watchers in all namespaces are notified. */
    if (mount("etc/hostname", "proc/sys/kernel/hostname", NULL, MS_BIND, NULL) != 0)
        fail(keeper, LAYER_FILES, "replace the hostname file");
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

/* For root without the ability to become another user, as in a user namespace that maps only root:
   it keeps its user id but no capabilities. */
static bool drop_capabilities(void) {
    struct __user_cap_header_struct version = {.version = _LINUX_CAPABILITY_VERSION_3};
    const struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {0};
    /* May fail, because it needs a capability that root may lack; no_new_privs also prevents
       regaining capabilities. */
    for (unsigned long one = 0; prctl(PR_CAPBSET_READ, one, 0, 0, 0) >= 0; one++)
        prctl(PR_CAPBSET_DROP, one, 0, 0, 0);
    return syscall(SYS_capset, &version, none) == 0;
}

/* Keeps only the capability to set the last pid of the namespace, if we have it. Bots lose it when
   they are executed. */
static bool keep_one_capability(void) {
    struct __user_cap_header_struct version = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct kept[_LINUX_CAPABILITY_U32S_3] = {0};
    uint32_t bit = CAP_TO_MASK(CAP_CHECKPOINT_RESTORE);
    kept[CAP_TO_INDEX(CAP_CHECKPOINT_RESTORE)] =
        (struct __user_cap_data_struct){.effective = bit, .permitted = bit};
    if (syscall(SYS_capset, &version, kept) == 0)
        return true;
    kept[CAP_TO_INDEX(CAP_CHECKPOINT_RESTORE)] = (struct __user_cap_data_struct){0};
    return syscall(SYS_capset, &version, kept) == 0;
}

static void drop_privileges(Keeper *keeper) {
    const Sandbox *sandbox = keeper->sandbox;
    const SandboxLimits *limits = &keeper->start->limits;
    if (sandbox->has[LAYER_UID]) {
        prctl(PR_SET_KEEPCAPS, 1);
        /* Not through libc, which would wait for threads that only the referee has. */
        if (syscall(SYS_setgroups, 0, NULL) != 0 ||
            syscall(SYS_setresgid, keeper->gid, keeper->gid, keeper->gid) != 0 ||
            syscall(SYS_setresuid, keeper->uid, keeper->uid, keeper->uid) != 0)
            fail(keeper, LAYER_UID, "setresuid");
    }
    if (geteuid() == 0 ? !drop_capabilities() : !keep_one_capability())
        fail(keeper, LAYER_NO_NEW_PRIVS, "capset");
    /* After the change of user, which resets the signal. Not dumpable: other processes of that user
       must not inspect this one. */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_DUMPABLE, 0);
    if (sandbox->has[LAYER_RLIMITS]) {
        /* Smaller than any dump. Unlike 0, a limit of 1 also keeps the kernel from starting the
           system's core dump handler, which would run outside the sandbox. */
        limit(keeper, RLIMIT_CORE, 1);
        /* This limit includes timers: each interrupts another bot's turn when it expires. */
        limit(keeper, RLIMIT_SIGPENDING, SIGNALS_MAX);
        limit(keeper, RLIMIT_NOFILE, limits->open_files);
        limit(keeper, RLIMIT_FSIZE, limits->file_size);
        /* The user who runs Skirmish may be allowed to raise priorities; bots are not. */
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
        const char *const read_only[] = {"/usr", "/bin",         "/lib",  "/lib64", "/sbin", "/opt",
                                         "/etc", "/var/lib/ghc", "/proc", own,      program, NULL};
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
        if (!seccomp_filter_apply(&sandbox->filter, &keeper->supervisor, &error))
            fail(keeper, LAYER_SECCOMP, "seccomp");
    }
}

/* Runs in the child between vfork and exec. The child shares our memory, so this only makes system
   calls. */
static _Noreturn void become_bot(const Keeper *keeper, const int fds[3], char *seed) {
    const SandboxStart *start = keeper->start;
    char *const environment[] = {
        (char[]){"PATH=" SANDBOX_PATH}, (char[]){"HOME=/tmp"}, (char[]){"TMPDIR=/tmp"},
        (char[]){"LANG=C.UTF-8"},       *seed ? seed : NULL,   NULL};
    char *const shell[] = {(char[]){"sh"}, (char[]){"-c"}, start->command, NULL};
    char *const direct[] = {start->program, NULL};
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SANDBOX_STOP, SIG_DFL);
    signal(SANDBOX_CONTINUE, SIG_DFL);
    prctl(PR_SET_PDEATHSIG, 0);
    if (dup2(fds[0], 0) == 0 && dup2(fds[1], 1) == 1 && dup2(fds[2], 2) == 2 &&
        chdir(start->directory) == 0 && close_range(3, ~0U, CLOSE_RANGE_CLOEXEC) == 0) {
        if (start->command)
            execve("/bin/sh", shell, environment);
        else
            execve(start->program, direct, environment);
    }
    fail(keeper, LAYER_FILES, start->command ? "exec /bin/sh" : "exec the bot");
}

/* Obeys signals from outside only. Their sender has no pid in this namespace, so its pid shows as
   0; a bot could forge that with a queued signal, but not together with SI_USER. kill(-1) reaches
   all processes except process 1, which is K. */
static void on_halt(int number, siginfo_t *from, void *unused) {
    (void)unused;
    if (from->si_code == SI_USER && from->si_pid == 0 && getpid() == 1)
        kill(-1, number == SANDBOX_STOP ? SIGSTOP : SIGCONT);
}

/* Does nothing: the signal only has to interrupt a wait when a child ends. */
static void on_child(int unused) {
    (void)unused;
}

/* ---- keeping ---- */

/* What must be the same after a bot as before. */
typedef struct Traces {
    struct stat tmp;
    struct statfs space;
    int priority;
    int policy;
} Traces;

static bool read_traces(const Keeper *keeper, Traces *traces) {
    traces->priority = getpriority(PRIO_PROCESS, 0);
    traces->policy = sched_getscheduler(0);
    return keeper->tmp >= 0 && fstat(keeper->tmp, &traces->tmp) == 0 &&
           fstatfs(keeper->tmp, &traces->space) == 0;
}

static bool is_same_time(struct timespec a, struct timespec b) {
    return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

/* Whether a bot has left /tmp and the keeper as they were. The owner of /tmp can set all of its
   times except the last one. */
static bool left_no_traces(const Keeper *keeper, const Traces *before) {
    Traces now;
    return read_traces(keeper, &now) && now.priority == before->priority &&
           now.policy == before->policy && now.space.f_ffree == before->space.f_ffree &&
           now.space.f_bfree == before->space.f_bfree && now.tmp.st_mode == before->tmp.st_mode &&
           now.tmp.st_uid == before->tmp.st_uid && now.tmp.st_gid == before->tmp.st_gid &&
           is_same_time(now.tmp.st_atim, before->tmp.st_atim) &&
           is_same_time(now.tmp.st_mtim, before->tmp.st_mtim) &&
           is_same_time(now.tmp.st_ctim, before->tmp.st_ctim);
}

/* Makes the pids of the namespace start at 2 again: they would reveal what earlier bots did. */
static bool reset_pids(const Keeper *keeper) {
    return keeper->counter >= 0 && pwrite(keeper->counter, "1", 1, 0) == 1;
}

/* Waits for R to send a bot's standard descriptors and seed. Exits if R is gone. */
static void receive(const Keeper *keeper, CellRun *run) {
    union {
        char bytes[CMSG_SPACE(3 * sizeof(int))];
        struct cmsghdr align;
    } space;
    ssize_t got;
    struct msghdr message;
    do {
        message = (struct msghdr){.msg_iov = &(struct iovec){&run->seed, sizeof run->seed},
                                  .msg_iovlen = 1,
                                  .msg_control = space.bytes,
                                  .msg_controllen = sizeof space.bytes};
        got = recvmsg(keeper->control, &message, MSG_CMSG_CLOEXEC);
    } while (got < 0 && errno == EINTR);
    const struct cmsghdr *rights =
        got == (ssize_t)sizeof run->seed ? CMSG_FIRSTHDR(&message) : NULL;
    if (!rights || rights->cmsg_len != CMSG_LEN(sizeof run->fds))
        _exit(0);
    memcpy(run->fds, CMSG_DATA(rights), sizeof run->fds);
}

/* Reaps processes that have ended; true if the bot has, or if no child is left. */
static bool reap(pid_t bot, KeeperMessage *message) {
    for (;;) {
        struct rusage use;
        pid_t gone = wait4(-1, &message->code, WNOHANG, &use);
        if (gone == bot)
            message->cpu = rusage_cpu(&use);
        if (gone == bot || (gone < 0 && errno != EINTR))
            return true;
        if (gone == 0)
            return false;
    }
}

/* Reaps orphans until the bot itself ends, and limits its watches. SIGCHLD is blocked except while
   we wait, so that no signal is missed. */
static KeeperMessage await_bot(const Keeper *keeper, pid_t bot) {
    KeeperMessage message = {.ended = 1};
    struct pollfd event = {.fd = keeper->supervisor, .events = POLLIN};
    uint32_t watches = 0;
    sigset_t none;
    sigemptyset(&none);
    while (!reap(bot, &message))
        if (ppoll(&event, 1, NULL, &none) > 0 &&
            !seccomp_supervise(event.fd, &watches, WATCHES_MAX))
            event.fd = -1; /* threads that wait for us keep waiting, and time out */
    return message;
}

/* Kills all other processes in the namespace and returns their number. We are the parent of all
   orphans. */
static int32_t end_others(void) {
    int32_t ended = 0;
    while (waitpid(-1, NULL, WNOHANG) > 0)
        continue; /* ended earlier; not counted */
    while (waitpid(-1, NULL, WNOHANG) >= 0 || errno != ECHILD) {
        kill(-1, SIGKILL);
        ended += waitpid(-1, NULL, 0) > 0;
    }
    return ended;
}

/* Discards the signal of a child that was reaped before the signal arrived. Otherwise the next bot
   would see in /proc that a signal is queued. */
static void discard_child_signal(void) {
    sigset_t children;
    sigemptyset(&children);
    sigaddset(&children, SIGCHLD);
    sigtimedwait(&children, NULL, &(struct timespec){0});
}

/* Starts one bot after another, as R requests. */
static _Noreturn void keep(const Keeper *keeper) {
    Traces before;
    bool has_traces = read_traces(keeper, &before);
    for (;;) {
        CellRun run;
        char seed[BOT_SEED_SIZE];
        receive(keeper, &run);
        bot_seed_variable(run.seed, seed);
        pid_t bot = vfork(); // NOLINT(clang-analyzer-security.insecureAPI.vfork)
        if (bot == 0)
            become_bot(keeper, run.fds, seed); // NOLINT(clang-analyzer-unix.Vfork)
        if (bot < 0)
            fail(keeper, LAYER_PROCESSES, "vfork");
        for (int i = 0; i < 3; i++)
            close(run.fds[i]);
        KeeperMessage message = await_bot(keeper, bot);
        bool alone = getpid() == 1;
        if (alone)
            message.others = end_others();
        discard_child_signal();
        message.clean =
            alone && has_traces && left_no_traces(keeper, &before) && reset_pids(keeper);
        ssize_t sent = write(keeper->control, &message, sizeof message);
        if (sent != (ssize_t)sizeof message || !alone)
            _exit(0);
    }
}

/* Keeps the descriptors that are still needed, and the standard ones, which bots replace. */
static void close_others(const Keeper *keeper) {
    const int kept[] = {keeper->control, keeper->counter, keeper->tmp};
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (nothing < 0 || dup2(nothing, 0) < 0 || dup2(nothing, 1) < 0 || dup2(nothing, 2) < 0)
        fail(keeper, LAYER_FILES, "open /dev/null");
    for (unsigned from = 3;;) {
        unsigned next = ~0U;
        for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
            if (kept[i] >= (int)from && (unsigned)kept[i] < next)
                next = (unsigned)kept[i];
        if (next > from)
            close_range(from, next == ~0U ? next : next - 1, 0);
        if (next == ~0U)
            return;
        from = next + 1;
    }
}

_Noreturn void keeper_run(Keeper *keeper, bool user_namespace) {
    const Sandbox *sandbox = keeper->sandbox;
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGPIPE, SIG_DFL);
    if (keeper->group &&
        !(keeper->born_inside ? cgroup_enter_v1(keeper->group) : cgroup_enter(keeper->group)))
        fail(keeper, LAYER_MEMORY, "write cgroup.procs");
    if (user_namespace)
        map_user(keeper);
    if (keeper->network >= 0 && setns(keeper->network, CLONE_NEWNET) != 0)
        fail(keeper, LAYER_NETWORK, "setns");
    if (sandbox->has[LAYER_IPC]) {
        if (unshare(CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP) != 0)
            fail(keeper, LAYER_IPC, "unshare");
        if (sethostname(HOST_NAME, strlen(HOST_NAME)) != 0)
            fail(keeper, LAYER_IPC, "sethostname");
    }
    keeper->counter = open("/proc/sys/kernel/ns_last_pid", O_WRONLY | O_CLOEXEC);
    if (sandbox->has[LAYER_FILES]) {
        build_root(keeper);
        keeper->tmp = open("/tmp", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    }
    close_others(keeper);
    drop_privileges(keeper);
    /* Without a pid namespace the handler does nothing, but the default action would kill us. */
    struct sigaction halt = {.sa_sigaction = on_halt, .sa_flags = SA_SIGINFO};
    /* One handler at a time: if both signals were pending, their handlers would nest, the later one
       would run first, and the bot would stay stopped. */
    sigaddset(&halt.sa_mask, SANDBOX_STOP);
    sigaddset(&halt.sa_mask, SANDBOX_CONTINUE);
    sigaction(SANDBOX_STOP, &halt, NULL);
    sigaction(SANDBOX_CONTINUE, &halt, NULL);
    sigset_t children;
    sigemptyset(&children);
    sigaddset(&children, SIGCHLD);
    sigprocmask(SIG_BLOCK, &children, NULL);
    signal(SIGCHLD, on_child);
    keep(keeper);
}
