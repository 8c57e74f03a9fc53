/* A bot that tries every way out of the sandbox, reports which worked, and then plays on politely.

       tries MARK BASE PORT

   MARK is a unique word: it names files and an abstract socket, and is a secret in the environment
   of the referee. BASE is the directory of the test, with the other bot in BASE/honest and the
   replays in BASE/out; PORT is where the test listens on the loopback interface. Each attempt runs
   in its own child process, so that none affects the next. */
#include "polite.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/netlink.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/timex.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <time.h>

/* An attempt returns 0 if it worked, else the errno. */
typedef int Try(void);

static const char *mark;
static const char *base;
static int port;
extern char **environ;

static int outcome(long result) {
    return result < 0 ? errno : 0;
}

/* The path of a name in a directory. */
static const char *in(const char *directory, const char *name) {
    static char path[4096];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    return path;
}

/* ---- files: which can be read, listed or created ---- */

static const char *const secrets[] = {
    "/etc/shadow",       "/etc/gshadow",
    "/etc/sudoers",      "/proc/kcore",
    "/proc/kmsg",        "/proc/1/mem",
    "/proc/1/environ",   "/proc/1/maps",
    "/dev/mem",          "/dev/kmsg",
    "/dev/port",         "/dev/tty",
    "/dev/ptmx",         "/dev/kvm",
    "/dev/fuse",         "/dev/net/tun",
    "/dev/loop-control", "/dev/mapper/control",
    "/proc/1/fd/3",      "/proc/1/fd/5",
    "BASE/out/old.skr",  "BASE/honest/bot.json",
    "BASE/config.json",  "../honest/bot.json",
    "link-shadow",       "link-honest",
    "link-replay",       "link-up/honest/bot.json",
};

static const char *const closed_directories[] = {
    "/root",    "/boot",     "/sys",     "/sys/fs/cgroup", "/lost+found", "/var/lib/dpkg",
    "/var/log", "/run/user", "BASE/out", "BASE/honest",    "/proc/1/fd",  "/proc/1/map_files",
};

static const char *const closed_to_writing[] = {
    "bot.json",
    "BASE/honest/bot.json",
    "/etc/passwd",
    "/etc/ld.so.cache",
    "/usr/bin/env",
    "/proc/sys/kernel/core_pattern",
    "/proc/sys/kernel/hostname",
    "/proc/sys/kernel/ns_last_pid",
    "/proc/sys/vm/drop_caches",
    "/proc/sysrq-trigger",
    "/proc/1/oom_score_adj",
    "/proc/1/comm",
    "/sys/power/state",
    "/sys/kernel/uevent_helper",
    "/sys/fs/cgroup/cgroup.procs",
    "/sys/fs/cgroup/memory/memory.limit_in_bytes",
    "/dev/sda",
    "/dev/kmsg",
};

static const char *const places[] = {
    ".",           "..",    "/",        "/usr",        "/usr/bin", "/usr/local/bin",
    "/usr/lib",    "/etc",  "/var",     "/var/tmp",    "/dev",     "/run",
    "/opt",        "/home", "/root",    "/proc",       "/sys",     "/sys/fs/cgroup",
    "/dev/mqueue", "BASE",  "BASE/out", "BASE/honest", "link-up",
};

static const char *resolved(const char *path) {
    return strncmp(path, "BASE", 4) == 0 ? in(base, path[4] ? path + 5 : ".") : path;
}

static const char *subject; /* the path of the current attempt */

static int try_read(void) {
    char byte = 0;
    int fd = open(resolved(subject), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    int status = fd < 0 ? errno : outcome(read(fd, &byte, 1));
    /* EIO and EAGAIN: it can be opened, but is empty. */
    return fd >= 0 && (status == EIO || status == EAGAIN) ? 0 : status;
}

static int try_list(void) {
    return opendir(resolved(subject)) ? 0 : errno;
}

static int try_write(void) {
    return outcome(open(resolved(subject), O_WRONLY | O_CLOEXEC | O_NOCTTY));
}

static int try_make(void) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", resolved(subject), mark);
    return outcome(open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666));
}

static int mkdir_own(void) {
    return outcome(mkdir(mark, 0777));
}

static int unlink_own(void) {
    return outcome(unlink("bot.json"));
}

static int rename_own(void) {
    return outcome(rename("bot.json", mark));
}

static int chmod_own(void) {
    return outcome(chmod("bot.json", 0777));
}

static int touch_own(void) {
    return outcome(utimensat(AT_FDCWD, "bot.json", NULL, 0));
}

static int label_own(void) {
    return outcome(setxattr("bot.json", "user.mark", mark, strlen(mark), 0));
}

static int truncate_own(void) {
    return outcome(truncate("bot.json", 0));
}

static int symlink_out(void) {
    return outcome(symlink("/etc/shadow", in(".", mark)));
}

static int read_by_symlink(void) {
    char byte = 0;
    if (symlink("/etc/shadow", "/tmp/shadow") < 0)
        return 0;
    int fd = open("/tmp/shadow", O_RDONLY | O_CLOEXEC);
    return fd < 0 ? errno : outcome(read(fd, &byte, 1));
}

static int read_other_by_symlink(void) {
    if (symlink(in(base, "honest/bot.json"), "/tmp/honest") < 0)
        return 0;
    return outcome(open("/tmp/honest", O_RDONLY | O_CLOEXEC));
}

static int link_in(void) {
    return outcome(link("/etc/passwd", "/tmp/hard"));
}

static int link_other(void) {
    return outcome(link(in(base, "honest/bot.json"), "/tmp/hard"));
}

static int link_out(void) {
    return outcome(link("bot.json", "../hard"));
}

/* With a lease, others that open the file would have to wait. */
static int lease_own(void) {
    int fd = open("bot.json", O_RDONLY | O_CLOEXEC);
    return fd < 0 ? errno : outcome(fcntl(fd, F_SETLEASE, F_WRLCK));
}

/* Unlimited locks would fill kernel memory that no process is charged for. */
static int lock_part(void) {
    int fd = open(in("/tmp", mark), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    struct flock part = {.l_type = F_WRLCK, .l_len = 1};
    int status = fd < 0 ? 0 : outcome(fcntl(fd, F_SETLK, &part));
    return status == ENOLCK ? EPERM : status;
}

static int remove_null(void) {
    return outcome(unlink("/dev/null"));
}

static int chmod_null(void) {
    return outcome(chmod("/dev/null", 0));
}

static int make_device(void) {
    return outcome(mknod("/tmp/mem", S_IFCHR | 0600, (dev_t)(1 << 8 | 1)));
}

static int open_by_handle(void) {
    struct {
        struct file_handle head;
        unsigned char bytes[8];
    } handle = {.head = {.handle_bytes = 8, .handle_type = 1}};
    int status = outcome(open_by_handle_at(AT_FDCWD, &handle.head, O_RDONLY));
    return status == EINVAL || status == ESTALE ? 0 : status;
}

/* ---- other processes ---- */

static int ptrace_parent(void) {
    return outcome(ptrace(PTRACE_SEIZE, getppid(), NULL, NULL));
}

static int ptrace_first(void) {
    return outcome(ptrace(PTRACE_ATTACH, 1, NULL, NULL));
}

static int ptrace_me(void) {
    return outcome(ptrace(PTRACE_TRACEME, 0, NULL, NULL));
}

static int read_memory_of_first(void) {
    char bytes[8];
    struct iovec to = {bytes, sizeof bytes};
    struct iovec from = {&port, sizeof bytes};
    int status = outcome(process_vm_readv(1, &to, 1, &from, 1, 0));
    return status == EFAULT ? 0 : status;
}

static int write_memory_of_first(void) {
    char bytes[8] = "";
    struct iovec from = {bytes, sizeof bytes};
    struct iovec to = {&port, sizeof bytes};
    int status = outcome(process_vm_writev(1, &from, 1, &to, 1, 0));
    return status == EFAULT ? 0 : status;
}

static int take_descriptor_of_first(void) {
    int first = (int)syscall(SYS_pidfd_open, 1, 0);
    if (first < 0)
        return errno;
    int status = EPERM;
    for (int fd = 3; fd < 64 && status; fd++)
        if (syscall(SYS_pidfd_getfd, first, fd, 0) >= 0)
            status = 0;
    return status;
}

/* Calls `look` for every visible process. */
static int each_process(bool (*look)(const char *pid)) {
    DIR *all = opendir("/proc");
    if (!all)
        return errno;
    int status = EPERM;
    for (struct dirent *entry; (entry = readdir(all));)
        if (entry->d_name[0] >= '0' && entry->d_name[0] <= '9' && look(entry->d_name))
            status = 0;
    closedir(all);
    return status;
}

static bool environment_is_open(const char *pid) {
    static char text[1 << 17];
    char path[300];
    snprintf(path, sizeof path, "/proc/%s/environ", pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd < 0 ? -1 : read(fd, text, sizeof text);
    if (fd >= 0)
        close(fd);
    return got > 0 && memmem(text, (size_t)got, mark, strlen(mark));
}

static int environment_of_referee(void) {
    return each_process(environment_is_open);
}

static bool memory_is_open(const char *pid) {
    char path[300];
    snprintf(path, sizeof path, "/proc/%s/mem", pid);
    int number = (int)strtol(pid, NULL, 10);
    if (number == getpid() || number == getppid())
        return false;
    int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

static int memory_of_others(void) {
    return each_process(memory_is_open);
}

/* A bot must not see any process but itself and its keeper. */
static bool is_stranger(const char *pid) {
    int number = (int)strtol(pid, NULL, 10);
    return number != 1 && number != getpid() && number != getppid();
}

static int see_others(void) {
    return each_process(is_stranger);
}

static int signal_first(void) {
    /* Succeeds without effect: the kernel protects the first process of a namespace. */
    kill(1, SIGKILL);
    nanosleep(&(struct timespec){0, 1000000}, NULL);
    return kill(1, 0) == 0 || errno == EPERM ? EPERM : 0;
}

/* Stops everything in this sandbox if its first process does not check who sent the signal. */
static int stop_by_first(void) {
    siginfo_t made_up = {.si_signo = SIGUSR1, .si_code = SI_QUEUE};
    syscall(SYS_rt_sigqueueinfo, 1, SIGUSR1, &made_up);
    nanosleep(&(struct timespec){0, 1000000}, NULL);
    return EPERM;
}

/* ---- network ---- */

static int connected(int family, int kind, const void *address, socklen_t length) {
    int fd = socket(family, kind | SOCK_CLOEXEC, 0);
    return fd < 0 ? errno : outcome(connect(fd, address, length));
}

static struct sockaddr_in loopback(void) {
    return (struct sockaddr_in){.sin_family = AF_INET,
                                .sin_port = htons((uint16_t)port),
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}

static int tcp_to_host(void) {
    struct sockaddr_in host = loopback();
    return connected(AF_INET, SOCK_STREAM, &host, sizeof host);
}

static int udp_to_host(void) {
    struct sockaddr_in host = loopback();
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    return fd < 0
               ? errno
               : outcome(sendto(fd, mark, strlen(mark), 0, (struct sockaddr *)&host, sizeof host));
}

static int tcp6(void) {
    return outcome(socket(AF_INET6, SOCK_STREAM, 0));
}

static int tcp_listen(void) {
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    return fd < 0 ? errno : outcome(listen(fd, 1));
}

static int connect_unix(const char *path, bool abstract) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t length = strlen(path);
    if (length + 2 > sizeof address.sun_path)
        return 0;
    memcpy(address.sun_path + abstract, path, length);
    return connected(
        AF_UNIX, SOCK_STREAM, &address,
        (socklen_t)(offsetof(struct sockaddr_un, sun_path) + abstract + length + !abstract));
}

static int unix_to_host(void) {
    return connect_unix(in(base, "socket"), false);
}

static int abstract_to_host(void) {
    return connect_unix(mark, true);
}

static int abstract_to_other(void) {
    struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "\0meet"};
    int fd = socket(AF_UNIX, SOCK_DGRAM, 0);
    return fd < 0 ? errno
                  : outcome(bind(fd, (struct sockaddr *)&address,
                                 (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 5)));
}

static int netlink(void) {
    return outcome(socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE));
}

static int raw_ip(void) {
    return outcome(socket(AF_INET, SOCK_RAW, IPPROTO_ICMP));
}

static int packets(void) {
    return outcome(socket(AF_PACKET, SOCK_RAW, 0));
}

static int vsock(void) {
    return outcome(socket(AF_VSOCK, SOCK_STREAM, 0));
}

static int crypto_socket(void) {
    return outcome(socket(AF_ALG, SOCK_SEQPACKET, 0));
}

/* ---- namespaces and mounts ---- */

static int unshare_user(void) {
    return outcome(unshare(CLONE_NEWUSER));
}

static int unshare_mount(void) {
    return outcome(unshare(CLONE_NEWNS));
}

static int unshare_net(void) {
    return outcome(unshare(CLONE_NEWNET));
}

static int unshare_pid(void) {
    return outcome(unshare(CLONE_NEWPID));
}

static int unshare_ipc(void) {
    return outcome(unshare(CLONE_NEWIPC));
}

static int unshare_cgroup(void) {
    return outcome(unshare(CLONE_NEWCGROUP));
}

static int clone_user(void) {
    long child = syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, NULL, NULL, NULL, NULL);
    if (child == 0)
        _exit(0);
    return outcome(child);
}

static int clone3_user(void) {
    uint64_t arguments[11] = {CLONE_NEWUSER, 0, 0, 0, SIGCHLD};
    long child = syscall(SYS_clone3, arguments, sizeof arguments);
    if (child == 0)
        _exit(0);
    return outcome(child);
}

static int join_namespace(void) {
    int fd = open("/proc/1/ns/net", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        fd = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
    return fd < 0 ? errno : outcome(setns(fd, 0));
}

static int mount_tmpfs(void) {
    return outcome(mount("none", "/tmp", "tmpfs", 0, NULL));
}

static int mount_proc(void) {
    return outcome(mount("proc", "/tmp", "proc", 0, NULL));
}

static int mount_bind(void) {
    return outcome(mount("/", "/tmp", NULL, MS_BIND, NULL));
}

static int remount_root(void) {
    return outcome(mount(NULL, "/", NULL, MS_REMOUNT | MS_BIND, NULL));
}

static int unmount_tmp(void) {
    return outcome(umount2("/tmp", MNT_DETACH));
}

static int unmount_own(void) {
    return outcome(umount2(".", MNT_DETACH));
}

static int new_mount(void) {
    return outcome(syscall(SYS_fsopen, "tmpfs", 0));
}

static int copy_mount(void) {
    return outcome(syscall(SYS_open_tree, AT_FDCWD, "/", 1));
}

static int change_root(void) {
    return outcome(chroot("/tmp"));
}

static int pivot(void) {
    return outcome(syscall(SYS_pivot_root, "/", "/tmp"));
}

/* ---- rights ---- */

static int become_root(void) {
    return getuid() == 0 ? 0 : outcome(setuid(0));
}

static int become_other(void) {
    return outcome(setresuid(1, 1, 1));
}

static int become_group(void) {
    return getgid() == 0 ? 0 : outcome(setgid(0));
}

static int join_groups(void) {
    gid_t group = 0;
    return outcome(setgroups(1, &group));
}

/* Whether a line of /proc/self/status has this value. */
static bool status_says(const char *field, const char *value) {
    char line[512];
    bool says = false;
    FILE *file = fopen("/proc/self/status", "re");
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, field, strlen(field)) == 0 && line[strlen(field)] == ':')
            says = strspn(line + strlen(field) + 1, " \t") + strlen(value) + 1 ==
                       strlen(line + strlen(field) + 1) &&
                   strstr(line, value);
    if (file)
        fclose(file);
    return says;
}

static int have_capabilities(void) {
    const char none[] = "0000000000000000";
    return status_says("CapEff", none) && status_says("CapPrm", none) &&
                   status_says("CapInh", none) && status_says("CapAmb", none)
               ? EPERM
               : 0;
}

static int gain_privileges(void) {
    return status_says("NoNewPrivs", "1") ? EPERM : 0;
}

static int go_unfiltered(void) {
    return status_says("Seccomp", "2") ? EPERM : 0;
}

/* A copy of this program next to it belongs to root and has the set-user-id bit; with "id" it
   prints its user. */
static int setuid_program(void) {
    char expected[16];
    snprintf(expected, sizeof expected, "%u", geteuid());
    execl("./setuid-tries", "tries", "id", expected, NULL);
    return errno;
}

static int run_su(void) {
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        close(STDERR_FILENO);
        close(STDOUT_FILENO);
        execl("/usr/bin/su", "su", "-c", "true", NULL);
        _exit(127);
    }
    return child < 0 || waitpid(child, &status, 0) < 0 || status ? EPERM : 0;
}

static int raise_limit(__rlimit_resource_t limit) {
    struct rlimit now;
    getrlimit(limit, &now);
    if (now.rlim_max == RLIM_INFINITY)
        return 0;
    now.rlim_cur = now.rlim_max = now.rlim_max + 1;
    if (setrlimit(limit, &now) != 0)
        return errno;
    /* The call may have succeeded without effect. */
    rlim_t wanted = now.rlim_max;
    getrlimit(limit, &now);
    return now.rlim_max == wanted ? 0 : EPERM;
}

static int raise_core(void) {
    return raise_limit(RLIMIT_CORE);
}

/* With a limit of one byte no core is written, and no core dump handler is started. */
static int call_core_collector(void) {
    struct rlimit now;
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    getrlimit(RLIMIT_CORE, &now);
    return now.rlim_cur == 1 ? EPERM : 0;
}

static int raise_files(void) {
    return raise_limit(RLIMIT_NOFILE);
}

static int raise_size(void) {
    return raise_limit(RLIMIT_FSIZE);
}

static int real_time(void) {
    struct sched_param most = {.sched_priority = 1};
    return outcome(sched_setscheduler(0, SCHED_FIFO, &most));
}

static int more_priority(void) {
    errno = 0;
    return outcome(setpriority(PRIO_PROCESS, 0, -10));
}

/* The match is pinned to one core, if there are several. */
static int move(pid_t pid) {
    cpu_set_t before;
    cpu_set_t cores;
    memset(&cores, 0xff, sizeof cores);
    if (sched_getaffinity(pid, sizeof before, &before) != 0 ||
        sched_setaffinity(pid, sizeof cores, &cores) != 0 ||
        sched_getaffinity(pid, sizeof cores, &cores) != 0)
        return errno;
    return CPU_EQUAL(&before, &cores) ? EPERM : 0; /* success without a change counts as denied */
}

static int other_core(void) {
    return move(0);
}

static int other_core_for_first(void) {
    return move(1);
}

/* SCHED_DEADLINE would give this process a part of every period, before all others. */
static int own_part_of_every_period(void) {
    struct {
        uint32_t size;
        uint32_t policy;
        uint64_t flags;
        int32_t nice;
        uint32_t priority;
        uint64_t runtime;
        uint64_t deadline;
        uint64_t period;
    } deadline = {sizeof deadline, 6, 0, 0, 0, 10000000, 20000000, 20000000};
    return outcome(syscall(SYS_sched_setattr, 0, &deadline, 0));
}

static int disk_first(void) {
    enum { OF_PROCESS = 1, REAL_TIME = 1 << 13 };
    return outcome(syscall(SYS_ioprio_set, OF_PROCESS, 0, REAL_TIME));
}

static int spared_by_oom(void) {
    int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    return fd < 0 ? errno : outcome(write(fd, "-1000", 5));
}

/* ---- work and messages for others ---- */

static int watch_files(void) {
    return outcome(inotify_init1(IN_CLOEXEC));
}

static int timer_descriptor(void) {
    return outcome(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC));
}

static int signal_descriptor(void) {
    sigset_t none;
    sigemptyset(&none);
    return outcome(signalfd(-1, &none, SFD_CLOEXEC));
}

static int notices_of_input(void) {
    return outcome(fcntl(STDIN_FILENO, F_SETFL, O_ASYNC));
}

/* The kernel notifies the watchers of all namespaces when the host name of one of them is set, as
   happens at the start of every bot. */
static int watch_host_name(void) {
    struct epoll_event what = {.events = EPOLLPRI};
    int name = open("/proc/sys/kernel/hostname", O_RDONLY | O_CLOEXEC);
    return name < 0 ? errno : outcome(epoll_ctl(epoll_create1(0), EPOLL_CTL_ADD, name, &what));
}

static int many_timers(void) {
    enum { MANY = 100 };
    struct sigevent none = {.sigev_notify = SIGEV_NONE};
    timer_t timer;
    for (int i = 0; i < MANY; i++)
        if (timer_create(CLOCK_MONOTONIC, &none, &timer) != 0)
            return errno == EAGAIN ? EPERM : 0;
    return 0;
}

/* A file that every bot sees. */
static int shared_file(void) {
    return open("/usr/bin/env", O_RDONLY | O_CLOEXEC);
}

static int see_cached_page(void) {
    unsigned char there = 0;
    int fd = open("bot.json", O_RDONLY | O_CLOEXEC);
    void *page = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
    return outcome(mincore(page, 4096, &there));
}

static int read_if_cached(void) {
    char byte = 0;
    struct iovec into = {&byte, 1};
    int status = outcome(preadv2(shared_file(), &into, 1, 0, RWF_NOWAIT));
    return status == EAGAIN ? 0 : status;
}

/* Success without effect counts as denied; the kernel itself would reject the descriptor. */
static int without_effect(long result) {
    return result == 0 ? EPERM : 0;
}

static int lock_for_others(void) {
    return without_effect(flock(-1, LOCK_EX));
}

static int evict_file(void) {
    return without_effect(posix_fadvise(-1, 0, 0, POSIX_FADV_DONTNEED));
}

static int read_ahead(void) {
    return without_effect(readahead(-1, 0, 4096));
}

static int flush_file(void) {
    return without_effect(fsync(-1));
}

static int flush_data(void) {
    return without_effect(fdatasync(-1));
}

static int flush_range(void) {
    return without_effect(sync_file_range(-1, 0, 0, 0));
}

static int flush_mapping(void) {
    return without_effect(msync(NULL, 4096, MS_SYNC));
}

/* ---- inherited resources ---- */

static int inherited_descriptors(void) {
    int status = EPERM;
    DIR *all = opendir("/proc/self/fd");
    for (struct dirent *entry; all && (entry = readdir(all));) {
        int fd = (int)strtol(entry->d_name, NULL, 10);
        if (entry->d_name[0] != '.' && fd > STDERR_FILENO && fd != dirfd(all))
            status = 0;
    }
    if (all)
        closedir(all);
    return status;
}

static int inherited_environment(void) {
    static const char *const known[] = {"PATH=",        "HOME=/tmp", "TMPDIR=/tmp",
                                        "LANG=C.UTF-8", "PWD=",      "OLDPWD=",
                                        "SHLVL=",       "_=",        "SKIRMISH_SEED="};
    for (char **variable = environ; *variable; variable++) {
        bool expected = false;
        for (size_t i = 0; i < sizeof known / sizeof *known; i++)
            expected = expected || strncmp(*variable, known[i], strlen(known[i])) == 0;
        if (!expected || strstr(*variable, mark))
            return 0;
    }
    return EPERM;
}

static int strange_devices(void) {
    static const char known[] = " . .. null zero full random urandom fd stdin stdout stderr shm ";
    int status = EPERM;
    DIR *all = opendir("/dev");
    for (struct dirent *entry; all && (entry = readdir(all));) {
        char word[300];
        snprintf(word, sizeof word, " %s ", entry->d_name);
        if (!strstr(known, word))
            status = 0;
    }
    if (all)
        closedir(all);
    return status;
}

static int other_interfaces(void) {
    char line[512];
    int status = EPERM;
    FILE *file = fopen("/proc/net/dev", "re");
    while (file && fgets(line, sizeof line, file))
        if (strchr(line, ':') && !strstr(line, " lo:"))
            status = 0;
    if (file)
        fclose(file);
    return status;
}

static int controlling_terminal(void) {
    char byte = ' ';
    int status = outcome(ioctl(STDIN_FILENO, TIOCSTI, &byte));
    return status == ENOTTY || status == EINVAL ? EPERM : status;
}

/* ---- the kernel ---- */

static int load_module(void) {
    int status = outcome(syscall(SYS_finit_module, STDIN_FILENO, "", 0));
    return status == EBADF || status == EINVAL || status == ENOEXEC ? 0 : status;
}

static int load_bpf(void) {
    int status = outcome(syscall(SYS_bpf, 0, NULL, 0));
    return status == EINVAL || status == EFAULT || status == E2BIG ? 0 : status;
}

static int profile(void) {
    struct {
        uint32_t type;
        uint32_t size;
        uint64_t config;
        char rest[112];
    } event = {.type = 1, .size = 128, .config = 1};
    int status = outcome(syscall(SYS_perf_event_open, &event, 0, -1, -1, 0));
    return status == EINVAL || status == E2BIG ? 0 : status;
}

static int ring(void) {
    char parameters[120] = "";
    return outcome(syscall(SYS_io_uring_setup, 4, parameters));
}

static int add_key(void) {
    return outcome(syscall(SYS_add_key, "user", mark, "x", 1, -4 /* of this process */));
}

static int keyring(void) {
    return outcome(syscall(SYS_keyctl, 0, -3 /* of the session */, 1));
}

static int handle_faults(void) {
    return outcome(syscall(SYS_userfaultfd, 1));
}

static int reboot(void) {
    /* With magic numbers that no kernel accepts. */
    int status = outcome(syscall(SYS_reboot, 0, 0, 0, NULL));
    return status == EINVAL ? 0 : status;
}

static int swap_on(void) {
    return outcome(syscall(SYS_swapon, "/tmp/none", 0));
}

static int account(void) {
    return outcome(syscall(SYS_acct, NULL));
}

static int read_kernel_log(void) {
    return outcome(syscall(SYS_syslog, 3, port ? &port : NULL, 4));
}

static int set_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return outcome(clock_settime(CLOCK_REALTIME, &now));
}

static int set_day(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    long day[2] = {now.tv_sec, now.tv_nsec / 1000};
    return outcome(syscall(SYS_settimeofday, day, NULL));
}

static int adjust_clock(void) {
    struct timex change = {.modes = ADJ_OFFSET_SINGLESHOT};
    return outcome(adjtimex(&change));
}

static int rename_host(void) {
    return outcome(sethostname(mark, strlen(mark)));
}

/* 4 MB of arguments exceed the limit, which must be in force here too. */

static int huge_arguments(void) {
    enum { COUNT = 40, SIZE = 100000 };
    static char much[SIZE];
    static char *arguments[COUNT + 1];
    memset(much, 'a', SIZE - 1);
    for (int i = 0; i < COUNT; i++)
        arguments[i] = much;
    execv("/usr/bin/true", arguments);
    return errno == E2BIG ? EPERM : errno;
}

typedef struct Door {
    const char *name;
    Try *open;
} Door;

static const Door doors[] = {
    {"mkdir-own", mkdir_own},
    {"unlink-own", unlink_own},
    {"rename-own", rename_own},
    {"chmod-own", chmod_own},
    {"touch-own", touch_own},
    {"label-own", label_own},
    {"truncate-own", truncate_own},
    {"symlink-out", symlink_out},
    {"read-by-symlink", read_by_symlink},
    {"read-other-by-symlink", read_other_by_symlink},
    {"link-in", link_in},
    {"link-other", link_other},
    {"link-out", link_out},
    {"lease-own", lease_own},
    {"lock-part", lock_part},
    {"remove-null", remove_null},
    {"chmod-null", chmod_null},
    {"make-device", make_device},
    {"open-by-handle", open_by_handle},
    {"ptrace-parent", ptrace_parent},
    {"ptrace-first", ptrace_first},
    {"ptrace-me", ptrace_me},
    {"read-memory-of-first", read_memory_of_first},
    {"write-memory-of-first", write_memory_of_first},
    {"take-descriptor-of-first", take_descriptor_of_first},
    {"environment-of-referee", environment_of_referee},
    {"memory-of-others", memory_of_others},
    {"see-others", see_others},
    {"signal-first", signal_first},
    {"stop-by-first", stop_by_first},
    {"tcp-to-host", tcp_to_host},
    {"udp-to-host", udp_to_host},
    {"tcp6", tcp6},
    {"tcp-listen", tcp_listen},
    {"unix-to-host", unix_to_host},
    {"abstract-to-host", abstract_to_host},
    {"abstract-to-other", abstract_to_other},
    {"netlink", netlink},
    {"raw-ip", raw_ip},
    {"packets", packets},
    {"vsock", vsock},
    {"crypto-socket", crypto_socket},
    {"unshare-user", unshare_user},
    {"unshare-mount", unshare_mount},
    {"unshare-net", unshare_net},
    {"unshare-pid", unshare_pid},
    {"unshare-ipc", unshare_ipc},
    {"unshare-cgroup", unshare_cgroup},
    {"clone-user", clone_user},
    {"clone3-user", clone3_user},
    {"join-namespace", join_namespace},
    {"mount-tmpfs", mount_tmpfs},
    {"mount-proc", mount_proc},
    {"mount-bind", mount_bind},
    {"remount-root", remount_root},
    {"unmount-tmp", unmount_tmp},
    {"unmount-own", unmount_own},
    {"new-mount", new_mount},
    {"copy-mount", copy_mount},
    {"change-root", change_root},
    {"pivot", pivot},
    {"become-root", become_root},
    {"become-other", become_other},
    {"become-group", become_group},
    {"join-groups", join_groups},
    {"have-capabilities", have_capabilities},
    {"gain-privileges", gain_privileges},
    {"go-unfiltered", go_unfiltered},
    {"setuid-program", setuid_program},
    {"run-su", run_su},
    {"raise-core", raise_core},
    {"call-core-collector", call_core_collector},
    {"raise-files", raise_files},
    {"raise-size", raise_size},
    {"real-time", real_time},
    {"more-priority", more_priority},
    {"other-core", other_core},
    {"other-core-for-first", other_core_for_first},
    {"own-part-of-every-period", own_part_of_every_period},
    {"disk-first", disk_first},
    {"spared-by-oom", spared_by_oom},
    {"watch-files", watch_files},
    {"timer-descriptor", timer_descriptor},
    {"signal-descriptor", signal_descriptor},
    {"notices-of-input", notices_of_input},
    {"watch-host-name", watch_host_name},
    {"many-timers", many_timers},
    {"lock-for-others", lock_for_others},
    {"see-cached-page", see_cached_page},
    {"read-if-cached", read_if_cached},
    {"evict-file", evict_file},
    {"read-ahead", read_ahead},
    {"flush-file", flush_file},
    {"flush-data", flush_data},
    {"flush-range", flush_range},
    {"flush-mapping", flush_mapping},
    {"inherited-descriptors", inherited_descriptors},
    {"inherited-environment", inherited_environment},
    {"strange-devices", strange_devices},
    {"other-interfaces", other_interfaces},
    {"controlling-terminal", controlling_terminal},
    {"load-module", load_module},
    {"load-bpf", load_bpf},
    {"profile", profile},
    {"ring", ring},
    {"add-key", add_key},
    {"keyring", keyring},
    {"handle-faults", handle_faults},
    {"reboot", reboot},
    {"swap-on", swap_on},
    {"account", account},
    {"read-kernel-log", read_kernel_log},
    {"set-clock", set_clock},
    {"set-day", set_day},
    {"adjust-clock", adjust_clock},
    {"rename-host", rename_host},
    {"huge-arguments", huge_arguments},
};

/* ---- what must be allowed, otherwise the rest proves little ---- */

static int write_tmp(void) {
    return outcome(open(in("/tmp", mark), O_WRONLY | O_CREAT | O_CLOEXEC, 0666));
}

static int read_own(void) {
    subject = "bot.json";
    return try_read();
}

static int read_system(void) {
    subject = "/usr/bin/env";
    return try_read();
}

static int write_null(void) {
    subject = "/dev/null";
    return try_write();
}

static int read_random(void) {
    subject = "/dev/urandom";
    return try_read();
}

static int open_input_by_name(void) {
    return outcome(open("/dev/stdin", O_RDONLY | O_CLOEXEC));
}

static int open_output_by_name(void) {
    return outcome(open("/dev/stdout", O_WRONLY | O_CLOEXEC));
}

static const Door open_doors[] = {
    {"input-by-name", open_input_by_name},
    {"output-by-name", open_output_by_name},
    {"write-tmp", write_tmp},
    {"read-own", read_own},
    {"read-system", read_system},
    {"write-null", write_null},
    {"read-random", read_random},
};

/* ---- */

static void knock(const char *kind, const char *name, Try *open_it) {
    fflush(stderr);
    pid_t child = fork();
    if (child == 0) {
        alarm(2);
        int status = open_it();
        _exit(status < 255 ? status : 254);
    }
    int status = 0;
    char reason[32] = "";
    if (child < 0 || waitpid(child, &status, 0) < 0)
        snprintf(reason, sizeof reason, "fork");
    else if (WIFSIGNALED(status))
        snprintf(reason, sizeof reason, "SIG%s", sigabbrev_np(WTERMSIG(status)));
    else if (WEXITSTATUS(status))
        snprintf(reason, sizeof reason, "%s", strerrorname_np(WEXITSTATUS(status)));
    if (*reason)
        fprintf(stderr, "DENIED %s%s %s\n", kind, name, reason);
    else
        fprintf(stderr, "ALLOWED %s%s\n", kind, name);
}

static void knock_at_paths(const char *kind, const char *const *paths, size_t count, Try *open_it) {
    for (size_t i = 0; i < count; i++) {
        subject = paths[i];
        knock(kind, subject, open_it);
    }
}

#define LENGTH(list) (sizeof(list) / sizeof *(list))

int main(int count, char **arguments) {
    if (count == 3 && strcmp(arguments[1], "id") == 0)
        return (uid_t)strtoul(arguments[2], NULL, 10) == geteuid() ? EPERM : 0;
    if (count != 4)
        return 2;
    mark = arguments[1];
    base = arguments[2];
    port = (int)strtol(arguments[3], NULL, 10);
    static char room[1 << 14];
    setvbuf(stderr, room, _IOFBF, sizeof room);
    if (!is_confined() || !have_capabilities()) {
        fputs("ALLOWED everything\n", stderr); /* nothing is attempted, because it would work */
        fflush(stderr);
        polite();
        return 0;
    }
    knock_at_paths("read:", secrets, LENGTH(secrets), try_read);
    knock_at_paths("list:", closed_directories, LENGTH(closed_directories), try_list);
    knock_at_paths("write:", closed_to_writing, LENGTH(closed_to_writing), try_write);
    knock_at_paths("make:", places, LENGTH(places), try_make);
    for (size_t i = 0; i < LENGTH(doors); i++)
        knock("", doors[i].name, doors[i].open);
    for (size_t i = 0; i < LENGTH(open_doors); i++)
        knock("open:", open_doors[i].name, open_doors[i].open);
    fputs("TRIED\n", stderr);
    fflush(stderr);
    polite();
    return 0;
}
