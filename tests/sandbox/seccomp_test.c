/* The seccomp filter: what it allows, and with which errors it denies the rest. Denials prove the
   most when run as root, because the kernel itself would return other errors. Arguments are chosen
   so that a call that is wrongly allowed does nothing. */
#include "bots/seccomp.h"
#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <seccomp.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static SeccompFilter filter;

static int build_filter(void **unused) {
    (void)unused;
    Error error;
    if (seccomp_filter_build(&filter, &error))
        return 0;
    fprintf(stderr, "%s\n", error.text);
    return -1;
}

static int free_filter(void **unused) {
    (void)unused;
    seccomp_filter_free(&filter);
    return 0;
}

static int apply(void) {
    Error error;
    if (seccomp_filter_apply(&filter, NULL, &error))
        return 0;
    fprintf(stderr, "%s\n", error.text);
    return 1;
}

/* ---- denied with any arguments ---- */

static const struct {
    const char *name;
    int call;
    int number;
} REFUSED[] = {
#define REFUSE(name, number) \
 { #name, SCMP_SYS(name), number }
    REFUSE(socket, EACCES),
    REFUSE(connect, EACCES),
    REFUSE(bind, EACCES),
    REFUSE(listen, EACCES),
    REFUSE(accept, EACCES),
    REFUSE(accept4, EACCES),

    REFUSE(clone3, ENOSYS),
    REFUSE(openat2, ENOSYS),
    REFUSE(io_setup, ENOSYS),
    REFUSE(io_uring_setup, ENOSYS),
    REFUSE(io_uring_enter, ENOSYS),
    REFUSE(io_uring_register, ENOSYS),
    REFUSE(landlock_create_ruleset, ENOSYS),
    REFUSE(memfd_secret, ENOSYS),

    /* work that the kernel does while others run, and messages to others */
    REFUSE(signalfd, ENOSYS),
    REFUSE(signalfd4, ENOSYS),
    REFUSE(timerfd_create, ENOSYS),
    REFUSE(timerfd_settime, ENOSYS),
    REFUSE(timerfd_gettime, ENOSYS),
    REFUSE(inotify_init, ENOSYS),
    REFUSE(inotify_init1, ENOSYS),
    REFUSE(inotify_add_watch, ENOSYS),
    REFUSE(inotify_rm_watch, ENOSYS),
    REFUSE(mincore, ENOSYS),
    /* succeed without doing anything */
    REFUSE(flock, 0),
    REFUSE(fadvise64, 0),
    REFUSE(readahead, 0),
    REFUSE(fsync, 0),
    REFUSE(fdatasync, 0),
    REFUSE(sync_file_range, 0),

    /* memory, registers and descriptors of other processes */
    REFUSE(ptrace, EPERM),
    REFUSE(process_vm_readv, EPERM),
    REFUSE(process_vm_writev, EPERM),
    REFUSE(process_madvise, EPERM),
    REFUSE(process_mrelease, EPERM),
    REFUSE(pidfd_getfd, EPERM),
    REFUSE(kcmp, EPERM),

    /* namespaces and mounts */
    REFUSE(unshare, EPERM),
    REFUSE(setns, EPERM),
    REFUSE(mount, EPERM),
    REFUSE(umount2, EPERM),
    REFUSE(pivot_root, EPERM),
    REFUSE(chroot, EPERM),
    REFUSE(open_tree, EPERM),
    REFUSE(move_mount, EPERM),
    REFUSE(fsopen, EPERM),
    REFUSE(fsconfig, EPERM),
    REFUSE(fsmount, EPERM),
    REFUSE(fspick, EPERM),
    REFUSE(mount_setattr, EPERM),

    /* kernel internals */
    REFUSE(add_key, EPERM),
    REFUSE(request_key, EPERM),
    REFUSE(keyctl, EPERM),
    REFUSE(bpf, EPERM),
    REFUSE(seccomp, EPERM),
    REFUSE(perf_event_open, EPERM),
    REFUSE(userfaultfd, EPERM),
    REFUSE(fanotify_init, EPERM),
    REFUSE(fanotify_mark, EPERM),
    REFUSE(name_to_handle_at, EPERM),
    REFUSE(open_by_handle_at, EPERM),
    REFUSE(lookup_dcookie, EPERM),
    REFUSE(vmsplice, EPERM),
    REFUSE(remap_file_pages, EPERM),
    REFUSE(modify_ldt, EPERM),
    REFUSE(migrate_pages, EPERM),
    REFUSE(move_pages, EPERM),
    REFUSE(mbind, EPERM),
    REFUSE(set_mempolicy, EPERM),

    /* the machine */
    REFUSE(init_module, EPERM),
    REFUSE(finit_module, EPERM),
    REFUSE(delete_module, EPERM),
    REFUSE(kexec_load, EPERM),
    REFUSE(kexec_file_load, EPERM),
    REFUSE(reboot, EPERM),
    REFUSE(swapon, EPERM),
    REFUSE(swapoff, EPERM),
    REFUSE(clock_settime, EPERM),
    REFUSE(clock_adjtime, EPERM),
    REFUSE(adjtimex, EPERM),
    REFUSE(settimeofday, EPERM),
    REFUSE(sethostname, EPERM),
    REFUSE(setdomainname, EPERM),
    REFUSE(quotactl, EPERM),
    REFUSE(quotactl_fd, EPERM),
    REFUSE(acct, EPERM),
    REFUSE(iopl, EPERM),
    REFUSE(ioperm, EPERM),
    REFUSE(syslog, EPERM),
    REFUSE(sync, EPERM),
    REFUSE(syncfs, EPERM),

    /* scheduling */
    REFUSE(sched_setattr, EPERM),
    REFUSE(ioprio_set, EPERM),

    /* identities */
    REFUSE(setuid, EPERM),
    REFUSE(setgid, EPERM),
    REFUSE(setreuid, EPERM),
    REFUSE(setregid, EPERM),
    REFUSE(setresuid, EPERM),
    REFUSE(setresgid, EPERM),
    REFUSE(setgroups, EPERM),
    REFUSE(capset, EPERM),

    /* objects that would outlive the bot without an ipc namespace; attributes */
    REFUSE(shmget, EPERM),
    REFUSE(semget, EPERM),
    REFUSE(msgget, EPERM),
    REFUSE(mq_open, EPERM),
    REFUSE(setxattr, ENOTSUP),
    REFUSE(lsetxattr, ENOTSUP),
    REFUSE(fsetxattr, ENOTSUP),
    REFUSE(removexattr, ENOTSUP),
#undef REFUSE
};

static int make_refused_calls(void) {
    int wrong = apply();
    for (size_t i = 0; i < COUNT(REFUSED); i++)
        if (REFUSED[i].call >= 0)
            wrong += claim(REFUSED[i].name, syscall(REFUSED[i].call, -1L, -1L, -1L, -1L, -1L, -1L),
                           REFUSED[i].number);
    return wrong;
}

static void forbidden_calls_fail_with_their_errno(void **unused) {
    (void)unused;
    assert_int_equal(in_child(make_refused_calls), 0);
}

static int make_newer_calls(void) {
    int wrong = apply();
    for (long call = 451; call < 700; call++)
        wrong += CLAIM(ENOSYS, syscall(call, -1L, -1L, -1L, -1L, -1L, -1L));
    return wrong;
}

static void calls_newer_than_the_list_fail_with_enosys(void **unused) {
    (void)unused;
    assert_int_equal(in_child(make_newer_calls), 0);
}

/* ---- denied with certain arguments ---- */

static int ask_for_namespaces(void) {
    static const unsigned long flags[] = {
        CLONE_NEWNS,   CLONE_NEWCGROUP, CLONE_NEWUTS, CLONE_NEWIPC,
        CLONE_NEWUSER, CLONE_NEWPID,    CLONE_NEWNET, CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID,
    };
    int wrong = apply();
    for (size_t i = 0; i < COUNT(flags); i++) {
        long child = syscall(SYS_clone, flags[i] | SIGCHLD, NULL, NULL, NULL, 0L);
        if (child == 0)
            _exit(0);
        wrong += claim("clone with a namespace", child, EPERM);
        child = syscall(SYS_clone, flags[i] | SIGCHLD | 1UL << 40, NULL, NULL, NULL, 0L);
        if (child == 0)
            _exit(0);
        wrong += claim("clone with a namespace and a bit that the kernel ignores", child, EPERM);
    }
    return wrong;
}

static void children_get_no_namespaces(void **unused) {
    (void)unused;
    assert_int_equal(in_child(ask_for_namespaces), 0);
}

static int ask_for_sockets(void) {
    int pair[2];
    int wrong = apply();
    wrong += CLAIM(EACCES, socket(AF_INET, SOCK_STREAM, 0));
    wrong += CLAIM(EACCES, socket(AF_UNIX, SOCK_STREAM, 0));
    wrong += CLAIM(EACCES, socket(AF_NETLINK, SOCK_RAW, 0));
    wrong += CLAIM(EPERM, socketpair(AF_INET, SOCK_STREAM, 0, pair));
    wrong += CLAIM(EPERM, socketpair(AF_TIPC, SOCK_SEQPACKET, 0, pair));
    wrong += CLAIM(EPERM, socketpair(AF_UNIX, SOCK_DGRAM, 0, pair));
    wrong += CLAIM(EPERM, socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, pair));
    wrong += CLAIM(EPERM, socketpair(AF_UNIX, SOCK_RAW, 0, pair)); /* means SOCK_DGRAM here */
    wrong += CLAIM(0, socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
    wrong += CLAIM(0, socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair));
    wrong += CLAIM(0, send(pair[0], "x", 1, 0));
    char byte;
    wrong += CLAIM(0, recv(pair[1], &byte, 1, 0));
    int size = 65536;
    wrong += CLAIM(0, setsockopt(pair[0], SOL_SOCKET, SO_SNDBUF, &size, sizeof size));
    wrong += CLAIM(EPERM, setsockopt(pair[0], SOL_SOCKET, SO_ATTACH_FILTER, &size, sizeof size));
    wrong += CLAIM(EACCES, bind(pair[0], &(struct sockaddr){.sa_family = AF_UNIX}, 2));
    return wrong;
}

static void connected_pairs_are_the_only_sockets(void **unused) {
    (void)unused;
    assert_int_equal(in_child(ask_for_sockets), 0);
}

static char scratch[] = "/tmp/seccomp_test.XXXXXX";

static int make_files(void) {
    int wrong = apply();
    wrong += CLAIM(0, chdir(scratch));
    int file = open("plain", O_CREAT | O_RDWR | O_CLOEXEC, 0644);
    wrong += claim("open", file, 0);
    wrong += CLAIM(0, chmod("plain", 0755));
    wrong += CLAIM(0, fchmod(file, 01700));
    wrong += CLAIM(0, fchmodat(AT_FDCWD, "plain", 0600, 0));
    wrong += CLAIM(EPERM, chmod("plain", 04755));
    wrong += CLAIM(EPERM, chmod("plain", 02755));
    wrong += CLAIM(EPERM, fchmod(file, 06755));
    wrong += CLAIM(EPERM, fchmodat(AT_FDCWD, "plain", 04755, 0));
    wrong += CLAIM(ENOSYS, syscall(452 /* fchmodat2 */, AT_FDCWD, "plain", 04755, 0));
    wrong += CLAIM(EPERM, open("setuid", O_CREAT | O_WRONLY | O_CLOEXEC, 04755));
    wrong += CLAIM(EPERM, open(".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 04755));
#ifdef SYS_open
    wrong += CLAIM(EPERM, syscall(SYS_open, "setuid", O_CREAT | O_WRONLY, 04755));
    wrong += CLAIM(0, syscall(SYS_open, "plain", O_RDONLY, 04755)); /* creates nothing */
#endif
#ifdef SYS_creat
    wrong += CLAIM(EPERM, syscall(SYS_creat, "setuid", 02755));
#endif
    wrong += CLAIM(0, mkfifo("fifo", 0600));
    wrong += CLAIM(EPERM, mknod("null", S_IFCHR | 0666, 0x103));
    wrong += CLAIM(EPERM, mknod("disk", S_IFBLK | 0666, 0x800));
    wrong += CLAIM(EPERM, mknod("setuid", S_IFREG | 04755, 0));
    wrong += CLAIM(0, unlink("fifo"));
    wrong += CLAIM(0, unlink("plain"));
    return wrong;
}

static void set_id_bits_and_devices_are_denied(void **unused) {
    (void)unused;
    assert_non_null(mkdtemp(scratch));
    int status = in_child(make_files);
    assert_int_equal(rmdir(scratch), 0); /* nothing was created */
    assert_int_equal(status, 0);
}

static int turn_knobs(void) {
    struct rlimit limit;
    int number;
    int terminal = open("/dev/null", O_RDWR | O_CLOEXEC);
    int ends[2];
    int wrong = CLAIM(0, pipe2(ends, O_CLOEXEC)) + apply();

    wrong += CLAIM(0, personality(0xffffffff));
    wrong += CLAIM(0, personality(ADDR_NO_RANDOMIZE));
    wrong += CLAIM(0, personality(PER_LINUX));
    wrong += CLAIM(EPERM, personality(READ_IMPLIES_EXEC));
    wrong += CLAIM(EPERM, personality(PER_LINUX32));

    wrong += CLAIM(0, prlimit(0, RLIMIT_NOFILE, NULL, &limit));
    wrong += CLAIM(0, prlimit(getppid(), RLIMIT_NOFILE, NULL, &limit));
    wrong += CLAIM(0, setrlimit(RLIMIT_NOFILE, &limit));
    wrong += CLAIM(EPERM, prlimit(getppid(), RLIMIT_NOFILE, &limit, NULL));
    for (int one = 0; one < (int)RLIM_NLIMITS; one++) {
        wrong += CLAIM(0, getrlimit((__rlimit_resource_t)one, &limit));
        wrong += CLAIM(0, setrlimit((__rlimit_resource_t)one, &limit));
        wrong += CLAIM(0, syscall(SYS_setrlimit, one, &limit));
    }
    /* Setting the limit on core dumps succeeds, but does not change it. */
    struct rlimit before;
    wrong += CLAIM(0, getrlimit(RLIMIT_CORE, &before));
    const struct rlimit other = {before.rlim_cur ? 0 : before.rlim_max, before.rlim_max};
    wrong += CLAIM(0, setrlimit(RLIMIT_CORE, &other));
    wrong += CLAIM(0, syscall(SYS_setrlimit, RLIMIT_CORE, &other));
    wrong += CLAIM(EPERM, prlimit(getppid(), RLIMIT_CORE, &other, NULL));
    wrong += CLAIM(0, getrlimit(RLIMIT_CORE, &limit));
    wrong += CLAIM(0, limit.rlim_cur == before.rlim_cur ? 0 : -1);

    const struct flock part = {.l_type = F_WRLCK, .l_len = 1};
    const struct flock next = {.l_type = F_WRLCK, .l_start = 1, .l_len = 1};
    wrong += CLAIM(ENOLCK, fcntl(terminal, F_SETLK, &part));
    wrong += CLAIM(ENOLCK, fcntl(terminal, F_SETLKW, &part));
    wrong += CLAIM(ENOLCK, fcntl(terminal, F_OFD_SETLK, &next));
    wrong += CLAIM(ENOLCK, fcntl(terminal, F_OFD_SETLKW, &next));
    wrong += CLAIM(EPERM, fcntl(terminal, F_SETLEASE, F_RDLCK));
    wrong += CLAIM(EPERM, fcntl(terminal, F_NOTIFY, DN_MODIFY));
    wrong += CLAIM(EPERM, fcntl(ends[0], F_SETOWN, getpid()));
    wrong += CLAIM(EPERM, fcntl(ends[0], F_SETSIG, SIGCONT));
    wrong += CLAIM(0, fcntl(ends[0], F_SETFD, FD_CLOEXEC));
    wrong += CLAIM(0, fcntl(ends[0], F_SETFL, O_NONBLOCK));
    wrong += CLAIM(0, fcntl(ends[0], F_SETPIPE_SZ, 4096) > 0 ? 0 : -1);
    wrong += CLAIM(EPERM, fcntl(ends[0], F_SETFL, O_ASYNC));
    wrong += CLAIM(EPERM, ioctl(ends[0], FIOASYNC, &(int){1}));

    wrong += CLAIM(0, prctl(PR_SET_NAME, "bot"));
    wrong += CLAIM(0, prctl(PR_GET_DUMPABLE));
    wrong += CLAIM(EPERM, prctl(PR_SET_SECCOMP, 2, NULL));
    wrong += CLAIM(EPERM, prctl(PR_SET_MM, -1, -1, -1, -1));
    wrong += CLAIM(EPERM, prctl(PR_SET_SECUREBITS, -1));

    wrong += CLAIM(0, ioctl(ends[0], FIONREAD, &number));
    wrong += CLAIM(0, ioctl(ends[0], FIOCLEX));
    wrong += CLAIM(ENOTTY, isatty(ends[0]) ? 0 : -1);
    wrong += CLAIM(ENOTTY, isatty(terminal) ? 0 : -1);
    wrong += CLAIM(EPERM, ioctl(terminal, TIOCSTI, "x"));
    wrong += CLAIM(EPERM, ioctl(terminal, TIOCLINUX, "\3"));
    wrong += CLAIM(EPERM, syscall(SYS_ioctl, terminal, 1UL << 32 | TIOCSTI, "x"));
    wrong += CLAIM(EPERM, ioctl(terminal, TIOCSCTTY, 1));
    return wrong;
}

static void settings_can_only_be_changed_harmlessly(void **unused) {
    (void)unused;
    assert_int_equal(in_child(turn_knobs), 0);
}

static int give_advice(void) {
    enum { SIZE = 4096 };
    /* what the kernel does later or on other cores: merge, deactivate, evict, collapse */
    static const int refused[] = {12, 20, 21, 25};
    char *page = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int wrong = apply();
    for (size_t i = 0; i < COUNT(refused); i++)
        wrong += CLAIM(EINVAL, madvise(page, SIZE, refused[i]));
    /* The filter lets other advice through; the kernel may reject it. */
    for (int advice = MADV_NORMAL; advice <= MADV_DONTNEED_LOCKED; advice++)
        if (advice != refused[0] && advice != refused[1] && advice != refused[2])
            wrong += CLAIM(0, madvise(page, SIZE, advice) == 0 || errno == EINVAL ? 0 : -1);
    wrong += CLAIM(0, madvise(page, SIZE, MADV_FREE));
    wrong += CLAIM(0, madvise(page, SIZE, MADV_DONTNEED));
    wrong += CLAIM(0, madvise(page, SIZE, MADV_DONTDUMP));
    wrong += CLAIM(0, madvise(page, SIZE, MADV_POPULATE_WRITE));
    wrong += CLAIM(ENOMEM, msync(NULL, SIZE, MS_ASYNC));
    wrong += CLAIM(0, msync(NULL, SIZE, MS_SYNC));
    struct iovec part = {page, 1};
    int zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);
    int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    wrong += CLAIM(0, preadv2(zero, &part, 1, 0, 0));
    wrong += CLAIM(0, pwritev2(null, &part, 1, 0, 0));
    wrong += CLAIM(EOPNOTSUPP, preadv2(zero, &part, 1, 0, RWF_NOWAIT));
    wrong += CLAIM(EOPNOTSUPP, pwritev2(null, &part, 1, 0, RWF_NOWAIT));
    return wrong;
}

static void memory_and_caches_of_others_are_left_alone(void **unused) {
    (void)unused;
    assert_int_equal(in_child(give_advice), 0);
}

/* ---- other architectures ---- */

#ifdef __x86_64__
static int call_as_32_bits(void) {
    int wrong = apply();
    long answer = 20; /* getpid there */
    __asm__ volatile("int $0x80" : "+a"(answer) : : "memory", "r8", "r9", "r10", "r11");
    return wrong + 1;
}

static int call_with_32_bit_pointers(void) {
    int wrong = apply();
    syscall(0x40000000L | SYS_getpid);
    return wrong + 1;
}

static void calls_of_another_architecture_kill_the_bot(void **unused) {
    (void)unused;
    int status = in_child(call_as_32_bits);
    assert_true(WIFSIGNALED(status)); /* SIGSEGV if the kernel does not support these calls */
    assert_true(WTERMSIG(status) == SIGSYS || WTERMSIG(status) == SIGSEGV);
    status = in_child(call_with_32_bit_pointers);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGSYS);
}
#endif

/* ---- what runtimes need ---- */

static void *add_one(void *number) {
    ++*(int *)number;
    return number;
}

static int run_threads(void) {
    int wrong = apply();
    int number = 0;
    for (int i = 0; i < 8; i++) {
        pthread_t thread;
        errno = pthread_create(&thread, NULL, add_one, &number);
        wrong += claim("pthread_create", errno ? -1 : 0, 0);
        pthread_join(thread, NULL);
    }
    return wrong + (number != 8);
}

static void threads_run(void **unused) {
    (void)unused;
    assert_int_equal(in_child(run_threads), 0);
}

static int run_children(void) {
    extern char **environ;
    int wrong = apply();
    int status;
    pid_t child = fork();
    if (child == 0)
        _exit(3);
    wrong += claim("fork", child, 0);
    wrong += CLAIM(0, waitpid(child, &status, 0));
    wrong += CLAIM(0, WEXITSTATUS(status) == 3 ? 0 : -1);
    char *const arguments[] = {(char[]){"sh"}, (char[]){"-c"}, (char[]){"echo a | grep -q a"},
                               NULL};
    errno = posix_spawn(&child, "/bin/sh", NULL, NULL, arguments, environ);
    wrong += claim("posix_spawn", errno ? -1 : 0, 0);
    wrong += CLAIM(0, waitpid(child, &status, 0));
    wrong += CLAIM(0, status == 0 ? 0 : -1);
    wrong += CLAIM(0, kill(getpid(), 0));
    wrong += CLAIM(0, setsid());
    return wrong;
}

static void children_run(void **unused) {
    (void)unused;
    assert_int_equal(in_child(run_children), 0);
}

#ifdef __x86_64__
static int run_made_code(void) {
    static const unsigned char code[] = {0xb8, 42, 0, 0, 0, 0xc3}; /* mov $42, %eax; ret */
    int wrong = apply();
    void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    wrong += CLAIM(0, page == MAP_FAILED ? -1 : 0);
    memcpy(page, code, sizeof code);
    wrong += CLAIM(0, mprotect(page, 4096, PROT_READ | PROT_EXEC));
    int (*function)(void);
    memcpy(&function, &page, sizeof function);
    return wrong + (function() != 42);
}

static void code_generated_at_run_time_runs(void **unused) {
    (void)unused;
    assert_int_equal(in_child(run_made_code), 0);
}
#endif

static int wait_for_things(void) {
    int wrong = apply();
    int ends[2];
    wrong += CLAIM(0, pipe2(ends, O_CLOEXEC));
    struct pollfd polled = {.fd = ends[0], .events = POLLIN};
    wrong += CLAIM(0, poll(&polled, 1, 0));
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    wrong += claim("epoll_create1", epoll, 0);
    struct epoll_event event = {.events = EPOLLIN};
    wrong += CLAIM(0, epoll_ctl(epoll, EPOLL_CTL_ADD, ends[0], &event));
    wrong += CLAIM(0, epoll_wait(epoll, &event, 1, 0));
    wrong += CLAIM(0, eventfd(0, EFD_CLOEXEC));
    timer_t timer;
    wrong += CLAIM(
        0, timer_create(CLOCK_MONOTONIC, &(struct sigevent){.sigev_notify = SIGEV_NONE}, &timer));
    wrong += CLAIM(0, clock_nanosleep(CLOCK_MONOTONIC, 0, &(struct timespec){.tv_nsec = 1}, NULL));
    wrong += CLAIM(0, memfd_create("x", MFD_CLOEXEC));
    wrong += CLAIM(0, sched_yield());
    cpu_set_t cores;
    wrong += CLAIM(0, sched_getaffinity(0, sizeof cores, &cores));
    int count = CPU_COUNT(&cores);
    CPU_ZERO(&cores); /* the kernel itself would reject an empty set */
    wrong += CLAIM(0, sched_setaffinity(0, sizeof cores, &cores));
    wrong += CLAIM(0, sched_getaffinity(0, sizeof cores, &cores));
    wrong += CPU_COUNT(&cores) != count;
    char byte;
    wrong += CLAIM(0, syscall(SYS_getrandom, &byte, 1, 0));
    return wrong;
}

static void waiting_timers_and_random_numbers_work(void **unused) {
    (void)unused;
    assert_int_equal(in_child(wait_for_things), 0);
}

static int apply_twice(void) {
    int wrong = apply();
    Error error;
    if (seccomp_filter_apply(&filter, NULL, &error))
        return wrong + 1;
    return wrong + CLAIM(0, strstr(error.text, "seccomp: Operation not permitted") ? 0 : -1);
}

static void a_failure_to_apply_names_the_call_and_the_reason(void **unused) {
    (void)unused;
    assert_int_equal(in_child(apply_twice), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forbidden_calls_fail_with_their_errno),
        cmocka_unit_test(calls_newer_than_the_list_fail_with_enosys),
        cmocka_unit_test(children_get_no_namespaces),
        cmocka_unit_test(connected_pairs_are_the_only_sockets),
        cmocka_unit_test(set_id_bits_and_devices_are_denied),
        cmocka_unit_test(settings_can_only_be_changed_harmlessly),
        cmocka_unit_test(memory_and_caches_of_others_are_left_alone),
#ifdef __x86_64__
        cmocka_unit_test(calls_of_another_architecture_kill_the_bot),
        cmocka_unit_test(code_generated_at_run_time_runs),
#endif
        cmocka_unit_test(threads_run),
        cmocka_unit_test(children_run),
        cmocka_unit_test(waiting_timers_and_random_numbers_work),
        cmocka_unit_test(a_failure_to_apply_names_the_call_and_the_reason),
    };
    return cmocka_run_group_tests(tests, build_filter, free_filter);
}
