/* See seccomp.h. The tables are the policy; the functions below only pass the tables to
   libseccomp. */
#include "bots/seccomp.h"

#include "base/memory.h"

#include <asm/termbits.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- the policy ---- */

/* Allowed with any arguments: the kernel caches these and does not run the filter for them. The
   list excludes calls that leave work for the kernel to do while others run, and calls whose
   effects others can see (see REFUSED). */
static const int ALLOWED[] = {
    /* memory; just-in-time compilers need mprotect; madvise, memfd_create, mmap and msync are in
       CONDITIONS */
    SCMP_SYS(brk),
    SCMP_SYS(get_mempolicy),
    SCMP_SYS(membarrier),
    SCMP_SYS(mlock),
    SCMP_SYS(mlock2),
    SCMP_SYS(mlockall),
    SCMP_SYS(mprotect),
    SCMP_SYS(mremap),
    SCMP_SYS(munlock),
    SCMP_SYS(munlockall),
    SCMP_SYS(munmap),
    SCMP_SYS(pkey_alloc),
    SCMP_SYS(pkey_free),
    SCMP_SYS(pkey_mprotect),

    /* processes and threads; clone is in CONDITIONS */
    SCMP_SYS(arch_prctl),
    SCMP_SYS(capget),
    SCMP_SYS(execve),
    SCMP_SYS(execveat),
    SCMP_SYS(exit),
    SCMP_SYS(exit_group),
    SCMP_SYS(fork),
    SCMP_SYS(futex),
    SCMP_SYS(futex_waitv),
    SCMP_SYS(get_robust_list),
    SCMP_SYS(getcpu),
    SCMP_SYS(getegid),
    SCMP_SYS(geteuid),
    SCMP_SYS(getgid),
    SCMP_SYS(getgroups),
    SCMP_SYS(getpgid),
    SCMP_SYS(getpgrp),
    SCMP_SYS(getpid),
    SCMP_SYS(getppid),
    SCMP_SYS(getpriority),
    SCMP_SYS(getresgid),
    SCMP_SYS(getresuid),
    SCMP_SYS(getrlimit),
    SCMP_SYS(getrusage),
    SCMP_SYS(getsid),
    SCMP_SYS(gettid),
    SCMP_SYS(getuid),
    SCMP_SYS(ioprio_get),
    SCMP_SYS(pidfd_open),
    SCMP_SYS(restart_syscall),
    SCMP_SYS(rseq),
    SCMP_SYS(sched_get_priority_max),
    SCMP_SYS(sched_get_priority_min),
    SCMP_SYS(sched_getaffinity),
    SCMP_SYS(sched_getattr),
    SCMP_SYS(sched_getparam),
    SCMP_SYS(sched_getscheduler),
    SCMP_SYS(sched_rr_get_interval),
    SCMP_SYS(sched_setparam),
    SCMP_SYS(sched_setscheduler),
    SCMP_SYS(sched_yield),
    SCMP_SYS(set_robust_list),
    SCMP_SYS(set_tid_address),
    SCMP_SYS(setpgid),
    SCMP_SYS(setpriority),
    SCMP_SYS(setsid),
    SCMP_SYS(sysinfo),
    SCMP_SYS(times),
    SCMP_SYS(uname),
    SCMP_SYS(vfork),
    SCMP_SYS(wait4),
    SCMP_SYS(waitid),

    /* signals: the uid, the pid namespace and Landlock limit the receivers */
    SCMP_SYS(kill),
    SCMP_SYS(pause),
    SCMP_SYS(pidfd_send_signal),
    SCMP_SYS(rt_sigaction),
    SCMP_SYS(rt_sigpending),
    SCMP_SYS(rt_sigprocmask),
    SCMP_SYS(rt_sigqueueinfo),
    SCMP_SYS(rt_sigreturn),
    SCMP_SYS(rt_sigsuspend),
    SCMP_SYS(rt_sigtimedwait),
    SCMP_SYS(rt_tgsigqueueinfo),
    SCMP_SYS(sigaltstack),
    SCMP_SYS(tgkill),
    SCMP_SYS(tkill),

    /* time and random numbers */
    SCMP_SYS(alarm),
    SCMP_SYS(clock_getres),
    SCMP_SYS(clock_gettime),
    SCMP_SYS(clock_nanosleep),
    SCMP_SYS(getitimer),
    SCMP_SYS(getrandom),
    SCMP_SYS(gettimeofday),
    SCMP_SYS(nanosleep),
    SCMP_SYS(setitimer),
    SCMP_SYS(time),
    SCMP_SYS(timer_create),
    SCMP_SYS(timer_delete),
    SCMP_SYS(timer_getoverrun),
    SCMP_SYS(timer_gettime),
    SCMP_SYS(timer_settime),

    /* descriptors, and waiting for them; epoll_ctl and fcntl are in CONDITIONS */
    SCMP_SYS(close),
    SCMP_SYS(close_range),
    SCMP_SYS(copy_file_range),
    SCMP_SYS(dup),
    SCMP_SYS(dup2),
    SCMP_SYS(dup3),
    SCMP_SYS(epoll_create),
    SCMP_SYS(epoll_create1),
    SCMP_SYS(epoll_pwait),
    SCMP_SYS(epoll_pwait2),
    SCMP_SYS(epoll_wait),
    SCMP_SYS(eventfd),
    SCMP_SYS(eventfd2),
    SCMP_SYS(lseek),
    SCMP_SYS(pipe),
    SCMP_SYS(pipe2),
    SCMP_SYS(poll),
    SCMP_SYS(ppoll),
    SCMP_SYS(pread64),
    SCMP_SYS(preadv),
    SCMP_SYS(pselect6),
    SCMP_SYS(pwrite64),
    SCMP_SYS(pwritev),
    SCMP_SYS(read),
    SCMP_SYS(readv),
    SCMP_SYS(select),
    SCMP_SYS(sendfile),
    SCMP_SYS(splice),
    SCMP_SYS(tee),
    SCMP_SYS(write),
    SCMP_SYS(writev),

    /* communication over a socket pair */
    SCMP_SYS(getpeername),
    SCMP_SYS(getsockname),
    SCMP_SYS(getsockopt),
    SCMP_SYS(recvfrom),
    SCMP_SYS(recvmmsg),
    SCMP_SYS(recvmsg),
    SCMP_SYS(sendmmsg),
    SCMP_SYS(sendmsg),
    SCMP_SYS(sendto),
    SCMP_SYS(shutdown),

    /* files: mounts and Landlock restrict which ones; not sync and syncfs, which make the whole
       machine wait for its disks */
    SCMP_SYS(access),
    SCMP_SYS(chdir),
    SCMP_SYS(chown),
    SCMP_SYS(faccessat),
    SCMP_SYS(faccessat2),
    SCMP_SYS(fchdir),
    SCMP_SYS(fchown),
    SCMP_SYS(fchownat),
    SCMP_SYS(fgetxattr),
    SCMP_SYS(flistxattr),
    SCMP_SYS(fstat),
    SCMP_SYS(fstatfs),
    SCMP_SYS(ftruncate),
    SCMP_SYS(futimesat),
    SCMP_SYS(getcwd),
    SCMP_SYS(getdents),
    SCMP_SYS(getdents64),
    SCMP_SYS(getxattr),
    SCMP_SYS(lchown),
    SCMP_SYS(lgetxattr),
    SCMP_SYS(link),
    SCMP_SYS(linkat),
    SCMP_SYS(listxattr),
    SCMP_SYS(llistxattr),
    SCMP_SYS(lstat),
    SCMP_SYS(mkdir),
    SCMP_SYS(mkdirat),
    SCMP_SYS(newfstatat),
    SCMP_SYS(readlink),
    SCMP_SYS(readlinkat),
    SCMP_SYS(rename),
    SCMP_SYS(renameat),
    SCMP_SYS(renameat2),
    SCMP_SYS(rmdir),
    SCMP_SYS(stat),
    SCMP_SYS(statfs),
    SCMP_SYS(statx),
    SCMP_SYS(symlink),
    SCMP_SYS(symlinkat),
    SCMP_SYS(truncate),
    SCMP_SYS(umask),
    SCMP_SYS(unlink),
    SCMP_SYS(unlinkat),
    SCMP_SYS(utime),
    SCMP_SYS(utimensat),
    SCMP_SYS(utimes),
};

/* Calls that fail with a specific errno; all other calls that are not allowed fail with EPERM. */
static const struct {
    int call;
    uint16_t number;
} REFUSED[] = {
    {SCMP_SYS(accept), EACCES},
    {SCMP_SYS(accept4), EACCES},
    {SCMP_SYS(bind), EACCES},
    {SCMP_SYS(connect), EACCES},
    {SCMP_SYS(listen), EACCES},
    {SCMP_SYS(socket), EACCES},

    /* As on a file system without extended attributes; programs that copy files expect this. */
    {SCMP_SYS(fremovexattr), ENOTSUP},
    {SCMP_SYS(fsetxattr), ENOTSUP},
    {SCMP_SYS(lremovexattr), ENOTSUP},
    {SCMP_SYS(lsetxattr), ENOTSUP},
    {SCMP_SYS(removexattr), ENOTSUP},
    {SCMP_SYS(setxattr), ENOTSUP},

    /* As on a file system that cannot reserve space; libc then writes zeros. Otherwise a build
       without its own file system could fill the disk in one call. */
    {SCMP_SYS(fallocate), EOPNOTSUPP},

    /* Their arguments are in memory, which a filter cannot read; older calls do the same. */
    {SCMP_SYS(clone3), ENOSYS},
    {SCMP_SYS(openat2), ENOSYS},
    /* Succeeds without effect: a match runs on one core, and libraries that pin threads give up if
       this fails. */
    {SCMP_SYS(sched_setaffinity), 0},
    /* The page cache and the disks are shared: a bot could evict files that others read, and keep
       disks busy with flushes. The kernel may ignore advice, and nothing that a bot writes outlives
       its match, so these succeed without effect; programs that store files would give up on an
       error. */
    {SCMP_SYS(fadvise64), 0},
    {SCMP_SYS(fdatasync), 0},
    {SCMP_SYS(fsync), 0},
    {SCMP_SYS(readahead), 0},
    {SCMP_SYS(sync_file_range), 0},
    /* Events for these are delivered in the context of the process that causes them, even to a
       frozen bot: expired timers interrupt the bot that is thinking, and watches on /usr slow down
       everyone who opens a file. Each event wakes up any number of epoll sets. */
    {SCMP_SYS(inotify_add_watch), ENOSYS},
    {SCMP_SYS(inotify_init), ENOSYS},
    {SCMP_SYS(inotify_init1), ENOSYS},
    {SCMP_SYS(inotify_rm_watch), ENOSYS},
    {SCMP_SYS(signalfd), ENOSYS},
    {SCMP_SYS(signalfd4), ENOSYS},
    {SCMP_SYS(timerfd_create), ENOSYS},
    {SCMP_SYS(timerfd_gettime), ENOSYS},
    {SCMP_SYS(timerfd_settime), ENOSYS},
    /* Channels between bots: a lock on a file in /usr, and whether a page of it is in memory. Locks
       succeed without effect, because Go builds and Java do not accept an error. */
    {SCMP_SYS(flock), 0},
    {SCMP_SYS(mincore), ENOSYS},
    /* Programs probe for these and can do without. */
    {SCMP_SYS(io_setup), ENOSYS},
    {SCMP_SYS(io_uring_enter), ENOSYS},
    {SCMP_SYS(io_uring_register), ENOSYS},
    {SCMP_SYS(io_uring_setup), ENOSYS},
    {SCMP_SYS(landlock_add_rule), ENOSYS},
    {SCMP_SYS(landlock_create_ruleset), ENOSYS},
    {SCMP_SYS(landlock_restrict_self), ENOSYS},
    {SCMP_SYS(memfd_secret), ENOSYS},
};

/* Bits that an argument must have: those of `mask` must be as in `value`. An int is compared
   without its upper half, which may contain anything. */
typedef struct Bits {
    uint32_t argument;
    uint64_t mask;
    uint64_t value;
} Bits;

#define INT UINT32_MAX

enum { COLLAPSE = 25, GUARD_INSTALL = 102 }; /* advice that older headers do not define */

/* The same for some arguments of a call. A row of CONDITIONS allows the other arguments. */
static const struct {
    int call;
    uint16_t number;
    Bits bits;
} REFUSED_ARGUMENTS[] = {
    /* Locks on parts of files: the kernel neither limits their number nor charges their memory. */
    {SCMP_SYS(fcntl), ENOLCK, {1, INT, F_SETLK}},
    {SCMP_SYS(fcntl), ENOLCK, {1, INT, F_SETLKW}},
    {SCMP_SYS(fcntl), ENOLCK, {1, INT, F_OFD_SETLK}},
    {SCMP_SYS(fcntl), ENOLCK, {1, INT, F_OFD_SETLKW}},
    /* The kernel merges, evicts and rearranges pages later or on other cores. Older kernels do not
       support this advice either. */
    {SCMP_SYS(madvise), EINVAL, {2, INT, MADV_MERGEABLE}},
    {SCMP_SYS(madvise), EINVAL, {2, INT, MADV_COLD}},
    {SCMP_SYS(madvise), EINVAL, {2, INT, MADV_PAGEOUT}},
    {SCMP_SYS(madvise), EINVAL, {2, INT, COLLAPSE}},
    /* Flushes a disk, like fsync. Without MS_SYNC the call only checks the address. */
    {SCMP_SYS(msync), 0, {2, MS_SYNC, MS_SYNC}},
    /* RWF_NOWAIT reveals whether a page is in memory. */
    {SCMP_SYS(preadv2), EOPNOTSUPP, {5, RWF_NOWAIT, RWF_NOWAIT}},
    {SCMP_SYS(pwritev2), EOPNOTSUPP, {5, RWF_NOWAIT, RWF_NOWAIT}},
};

/* The newest call that was considered when the tables were written: set_mempolicy_home_node. Calls
   from 424 on have the same numbers on every architecture, and later calls have higher numbers. */
enum { LAST_WEIGHED = 450 };

typedef struct Condition {
    int call;
    Bits bits[2]; /* both must match; a mask of 0 always does */
} Condition;

#define SET_ID (S_ISUID | S_ISGID)
#define NAMESPACES                                                                             \
 (CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | \
  CLONE_NEWNET)
enum { SOCKET_TYPE = 0xf }; /* the bits of a socket's type, without its flags */
/* The four bits of a limit's number. Of the sixteen limits, only RLIMIT_CORE matches none of the
   rows. */
enum { LIMIT_1 = 1, LIMIT_2 = 2, LIMIT_4 = 4, LIMIT_8 = 8 };
_Static_assert((int)RLIMIT_CORE == LIMIT_4, "the rows of setrlimit and prlimit64 leave out the 4");

/* A call is allowed if one of its rows matches. */
static const Condition CONDITIONS[] = {
    /* threads and children, but no namespaces */
    {SCMP_SYS(clone), {{0, NAMESPACES, 0}}},

    /* all advice except that refused above */
    {SCMP_SYS(madvise), {{2, INT & ~7U, MADV_NORMAL}}}, /* 0 to 7 */
    {SCMP_SYS(madvise), {{2, INT & ~3U, MADV_FREE}}},   /* 8 to 11 */
    {SCMP_SYS(madvise), {{2, INT, MADV_UNMERGEABLE}}},
    {SCMP_SYS(madvise), {{2, INT & ~1U, MADV_HUGEPAGE}}},      /* 14 and 15 */
    {SCMP_SYS(madvise), {{2, INT & ~3U, MADV_DONTDUMP}}},      /* 16 to 19 */
    {SCMP_SYS(madvise), {{2, INT & ~1U, MADV_POPULATE_READ}}}, /* 22 and 23 */
    {SCMP_SYS(madvise), {{2, INT, MADV_DONTNEED_LOCKED}}},
    {SCMP_SYS(madvise), {{2, INT & ~1U, GUARD_INSTALL}}}, /* 102 and 103 */
    {SCMP_SYS(msync), {{2, MS_SYNC, 0}}},
    {SCMP_SYS(preadv2), {{5, RWF_NOWAIT, 0}}},
    {SCMP_SYS(pwritev2), {{5, RWF_NOWAIT, 0}}},

    /* no huge pages: the limit on memory does not cover them */
    {SCMP_SYS(mmap), {{3, MAP_HUGETLB, 0}}},
    {SCMP_SYS(memfd_create), {{1, MFD_HUGETLB, 0}}},

    /* no leases, which block others who open the file, and no signals about events on a file */
    {SCMP_SYS(fcntl), {{1, INT, F_ADD_SEALS}}},
    {SCMP_SYS(fcntl), {{1, INT, F_DUPFD}}},
    {SCMP_SYS(fcntl), {{1, INT, F_DUPFD_CLOEXEC}}},
    {SCMP_SYS(fcntl), {{1, INT, F_GETFD}}},
    {SCMP_SYS(fcntl), {{1, INT, F_GETFL}}},
    {SCMP_SYS(fcntl), {{1, INT, F_GETLK}}},
    {SCMP_SYS(fcntl), {{1, INT, F_GETOWN}}},
    {SCMP_SYS(fcntl), {{1, INT, F_GETPIPE_SZ}}},
    {SCMP_SYS(fcntl), {{1, INT, F_GET_SEALS}}},
    {SCMP_SYS(fcntl), {{1, INT, F_OFD_GETLK}}},
    {SCMP_SYS(fcntl), {{1, INT, F_SETFD}}},
    {SCMP_SYS(fcntl), {{1, INT, F_SETFL}, {2, O_ASYNC, 0}}},
    {SCMP_SYS(fcntl), {{1, INT, F_SETPIPE_SZ}}},

    /* no set-user-id or set-group-id files, by chmod or at creation */
    {SCMP_SYS(chmod), {{1, SET_ID, 0}}},
    {SCMP_SYS(fchmod), {{1, SET_ID, 0}}},
    {SCMP_SYS(fchmodat), {{2, SET_ID, 0}}},
    {SCMP_SYS(creat), {{1, SET_ID, 0}}},
    {SCMP_SYS(open), {{1, O_CREAT | __O_TMPFILE, 0}}},
    {SCMP_SYS(open), {{2, SET_ID, 0}}},
    {SCMP_SYS(openat), {{2, O_CREAT | __O_TMPFILE, 0}}},
    {SCMP_SYS(openat), {{3, SET_ID, 0}}},
    /* the only special files are fifos */
    {SCMP_SYS(mknod), {{1, S_IFMT | SET_ID, S_IFIFO}}},
    {SCMP_SYS(mknod), {{1, S_IFMT | SET_ID, S_IFREG}}},
    {SCMP_SYS(mknodat), {{2, S_IFMT | SET_ID, S_IFIFO}}},
    {SCMP_SYS(mknodat), {{2, S_IFMT | SET_ID, S_IFREG}}},

    /* no datagram sockets, which could send to any other socket by name, and no SO_PASSCRED, which
       gives a socket a name that others can see */
    {SCMP_SYS(socketpair), {{0, INT, AF_UNIX}, {1, SOCKET_TYPE, SOCK_STREAM}}},
    {SCMP_SYS(socketpair), {{0, INT, AF_UNIX}, {1, SOCKET_TYPE, SOCK_SEQPACKET}}},
    {SCMP_SYS(setsockopt), {{1, INT, SOL_SOCKET}, {2, INT, SO_KEEPALIVE}}},
    {SCMP_SYS(setsockopt), {{1, INT, SOL_SOCKET}, {2, INT, SO_LINGER}}},
    {SCMP_SYS(setsockopt), {{1, INT, SOL_SOCKET}, {2, INT, SO_RCVBUF}}},
    {SCMP_SYS(setsockopt), {{1, INT, SOL_SOCKET}, {2, INT, SO_RCVTIMEO}}},
    {SCMP_SYS(setsockopt), {{1, INT, SOL_SOCKET}, {2, INT, SO_REUSEADDR}}},
    {SCMP_SYS(setsockopt), {{1, INT, SOL_SOCKET}, {2, INT, SO_SNDBUF}}},
    {SCMP_SYS(setsockopt), {{1, INT, SOL_SOCKET}, {2, INT, SO_SNDTIMEO}}},

    /* limits: all may be read, and a process may set its own (the hard limits hold), except the
       limit of core dumps, see add_core_limit: with any other value the kernel would pass a dump to
       the system's handler, which stores it on disk */
    {SCMP_SYS(prlimit64), {{2, UINT64_MAX, 0}}},
    {SCMP_SYS(prlimit64), {{0, INT, 0}, {1, LIMIT_1, LIMIT_1}}},
    {SCMP_SYS(prlimit64), {{0, INT, 0}, {1, LIMIT_2, LIMIT_2}}},
    {SCMP_SYS(prlimit64), {{0, INT, 0}, {1, LIMIT_4, 0}}},
    {SCMP_SYS(prlimit64), {{0, INT, 0}, {1, LIMIT_8, LIMIT_8}}},
    {SCMP_SYS(setrlimit), {{0, LIMIT_1, LIMIT_1}}},
    {SCMP_SYS(setrlimit), {{0, LIMIT_2, LIMIT_2}}},
    {SCMP_SYS(setrlimit), {{0, LIMIT_4, 0}}},
    {SCMP_SYS(setrlimit), {{0, LIMIT_8, LIMIT_8}}},

    /* see add_watches */
    {SCMP_SYS(epoll_ctl), {{1, INT, EPOLL_CTL_DEL}}},
    {SCMP_SYS(epoll_ctl), {{1, INT, EPOLL_CTL_MOD}}},

    {SCMP_SYS(personality), {{0, INT, PER_LINUX}}},
    {SCMP_SYS(personality), {{0, INT, ADDR_NO_RANDOMIZE}}},
    {SCMP_SYS(personality), {{0, INT, UINT32_MAX}}}, /* queries only */

    {SCMP_SYS(prctl), {{0, INT, PR_CAPBSET_READ}}},
    {SCMP_SYS(prctl), {{0, INT, PR_GET_CHILD_SUBREAPER}}},
    {SCMP_SYS(prctl), {{0, INT, PR_GET_DUMPABLE}}},
    {SCMP_SYS(prctl), {{0, INT, PR_GET_NAME}}},
    {SCMP_SYS(prctl), {{0, INT, PR_GET_NO_NEW_PRIVS}}},
    {SCMP_SYS(prctl), {{0, INT, PR_GET_PDEATHSIG}}},
    {SCMP_SYS(prctl), {{0, INT, PR_GET_SECCOMP}}},
    {SCMP_SYS(prctl), {{0, INT, PR_GET_SPECULATION_CTRL}}},
    {SCMP_SYS(prctl), {{0, INT, PR_GET_THP_DISABLE}}},
    {SCMP_SYS(prctl), {{0, INT, PR_GET_TIMERSLACK}}},
    {SCMP_SYS(prctl), {{0, INT, PR_SET_CHILD_SUBREAPER}}},
    {SCMP_SYS(prctl), {{0, INT, PR_SET_DUMPABLE}}},
    {SCMP_SYS(prctl), {{0, INT, PR_SET_NAME}}},
    {SCMP_SYS(prctl), {{0, INT, PR_SET_NO_NEW_PRIVS}}},
    {SCMP_SYS(prctl), {{0, INT, PR_SET_PDEATHSIG}}},
    {SCMP_SYS(prctl), {{0, INT, PR_SET_THP_DISABLE}}},
    {SCMP_SYS(prctl), {{0, INT, PR_SET_TIMERSLACK}}},
    {SCMP_SYS(prctl), {{0, INT, PR_SET_VMA}}},

    /* whether it is a terminal, its size, the number of bytes to read; nothing that inserts input
       (TIOCSTI, TIOCLINUX) */
    {SCMP_SYS(ioctl), {{1, INT, FICLONE}}},
    {SCMP_SYS(ioctl), {{1, INT, FICLONERANGE}}},
    {SCMP_SYS(ioctl), {{1, INT, FIOCLEX}}},
    {SCMP_SYS(ioctl), {{1, INT, FIONBIO}}},
    {SCMP_SYS(ioctl), {{1, INT, FIONCLEX}}},
    {SCMP_SYS(ioctl), {{1, INT, FIONREAD}}},
    {SCMP_SYS(ioctl), {{1, INT, FS_IOC_GETFLAGS}}},
    {SCMP_SYS(ioctl), {{1, INT, SECCOMP_IOCTL_NOTIF_RECV}}}, /* for the supervisor */
    {SCMP_SYS(ioctl), {{1, INT, SECCOMP_IOCTL_NOTIF_SEND}}},
    {SCMP_SYS(ioctl), {{1, INT, TCGETS}}},
    {SCMP_SYS(ioctl), {{1, INT, TCSETS}}},
    {SCMP_SYS(ioctl), {{1, INT, TCSETSF}}},
    {SCMP_SYS(ioctl), {{1, INT, TCSETSW}}},
    {SCMP_SYS(ioctl), {{1, INT, TCGETS2}}},
    {SCMP_SYS(ioctl), {{1, INT, TIOCGPGRP}}},
    {SCMP_SYS(ioctl), {{1, INT, TIOCGWINSZ}}},
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* ---- from the tables to a program ---- */

/* Calls that do not exist on this architecture have negative numbers. */
static int add_rule(scmp_filter_ctx rules, uint32_t action, int call, unsigned count,
                    const struct scmp_arg_cmp *comparisons) {
    return call < 0 ? 0 : seccomp_rule_add_array(rules, action, call, count, comparisons);
}

static struct scmp_arg_cmp comparison(const Bits *bits) {
    return (struct scmp_arg_cmp){
        .arg = bits->argument,
        .op = SCMP_CMP_MASKED_EQ,
        .datum_a = bits->mask,
        .datum_b = bits->value,
    };
}

static int add_condition(scmp_filter_ctx rules, const Condition *condition) {
    const Bits *bits = condition->bits;
    const struct scmp_arg_cmp comparisons[] = {comparison(&bits[0]), comparison(&bits[1])};
    unsigned count = bits[1].mask ? 2 : 1;
    return add_rule(rules, SCMP_ACT_ALLOW, condition->call, count, comparisons);
}

/* Setting the limit on core dumps succeeds without changing it, which satisfies programs that
   disable core dumps, as sanitizers do at start. */
static int add_core_limit(scmp_filter_ctx rules) {
    const struct scmp_arg_cmp by_limit[] = {
        {.arg = 0, .op = SCMP_CMP_MASKED_EQ, .datum_a = INT, .datum_b = RLIMIT_CORE}};
    const struct scmp_arg_cmp by_process[] = {
        {.arg = 0, .op = SCMP_CMP_MASKED_EQ, .datum_a = INT, .datum_b = 0},
        {.arg = 1, .op = SCMP_CMP_MASKED_EQ, .datum_a = INT, .datum_b = RLIMIT_CORE},
        {.arg = 2, .op = SCMP_CMP_NE, .datum_a = 0, .datum_b = 0}};
    int failure =
        add_rule(rules, SCMP_ACT_ERRNO(0), SCMP_SYS(setrlimit), COUNT(by_limit), by_limit);
    return failure == 0 ? add_rule(rules, SCMP_ACT_ERRNO(0), SCMP_SYS(prlimit64), COUNT(by_process),
                                   by_process)
                        : failure;
}

/* Each entry in an epoll set slows down everyone who writes to the watched file, and the kernel
   limits the number of entries only per user, for all programs together. So the supervisor counts
   them. Programs add few. */
static int add_watches(scmp_filter_ctx rules) {
    const struct scmp_arg_cmp adds = {
        .arg = 1, .op = SCMP_CMP_MASKED_EQ, .datum_a = INT, .datum_b = EPOLL_CTL_ADD};
    return add_rule(rules, SCMP_ACT_NOTIFY, SCMP_SYS(epoll_ctl), 1, &adds);
}

static int add_rules(scmp_filter_ctx rules) {
    int failure = seccomp_attr_set(rules, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
    /* A tree instead of a list: a call with conditions is found in eight steps instead of two
       hundred. */
    if (failure == 0)
        failure = seccomp_attr_set(rules, SCMP_FLTATR_CTL_OPTIMIZE, 2);
    for (size_t i = 0; failure == 0 && i < COUNT(ALLOWED); i++)
        failure = add_rule(rules, SCMP_ACT_ALLOW, ALLOWED[i], 0, NULL);
    for (size_t i = 0; failure == 0 && i < COUNT(REFUSED); i++)
        failure = add_rule(rules, SCMP_ACT_ERRNO(REFUSED[i].number), REFUSED[i].call, 0, NULL);
    for (size_t i = 0; failure == 0 && i < COUNT(REFUSED_ARGUMENTS); i++) {
        struct scmp_arg_cmp is_it = comparison(&REFUSED_ARGUMENTS[i].bits);
        failure = add_rule(rules, SCMP_ACT_ERRNO(REFUSED_ARGUMENTS[i].number),
                           REFUSED_ARGUMENTS[i].call, 1, &is_it);
    }
    for (size_t i = 0; failure == 0 && i < COUNT(CONDITIONS); i++)
        failure = add_condition(rules, &CONDITIONS[i]);
    if (failure == 0)
        failure = add_watches(rules);
    return failure == 0 ? add_core_limit(rules) : failure;
}

/* Precedes the program of libseccomp, which supports only one default action. Calls of another
   architecture (or of x32, which is marked by a bit) are left to libseccomp. */
enum { OTHER_POINTERS = 0x40000000, PROLOGUE = 6 };

static void write_prologue(struct sock_filter *code) {
    const struct sock_filter prologue[PROLOGUE] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, seccomp_arch_native(), 0, 4),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, OTHER_POINTERS, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, LAST_WEIGHED, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
    };
    memcpy(code, prologue, sizeof prologue);
}

/* Reads the program that libseccomp wrote to a file. The caller owns it; NULL with errno set. */
static struct sock_filter *read_program(int file, unsigned short *length) {
    struct stat status;
    if (fstat(file, &status) != 0)
        return NULL;
    size_t size = (size_t)status.st_size;
    size_t count = PROLOGUE + size / sizeof(struct sock_filter);
    if (size == 0 || size % sizeof(struct sock_filter) != 0 || count > BPF_MAXINSNS) {
        errno = EMSGSIZE;
        return NULL;
    }
    struct sock_filter *code = xmalloc(count * sizeof *code);
    if (pread(file, code + PROLOGUE, size, 0) != (ssize_t)size) {
        free(code);
        errno = EIO;
        return NULL;
    }
    write_prologue(code);
    *length = (unsigned short)count;
    return code;
}

/* Returns 0 or a negative errno, and sets the name of the call that failed. */
static int compile(SeccompFilter *filter, scmp_filter_ctx rules, int file, const char **failed) {
    *failed = "seccomp_rule_add";
    int failure = add_rules(rules);
    if (failure != 0)
        return failure;
    *failed = "seccomp_export_bpf";
    failure = seccomp_export_bpf(rules, file);
    if (failure != 0)
        return failure;
    *failed = "reading the program back";
    filter->program.filter = read_program(file, &filter->program.len);
    return filter->program.filter ? 0 : -errno;
}

bool seccomp_filter_build(SeccompFilter *filter, Error *error) {
    *filter = (SeccompFilter){0};
    int file = memfd_create("seccomp", MFD_CLOEXEC);
    if (file < 0)
        return error_set(error, "cannot build the seccomp filter: memfd_create: %s",
                         strerror(errno));
    const char *failed = "seccomp_init";
    int failure = -ENOMEM;
    scmp_filter_ctx rules = seccomp_init(SCMP_ACT_ERRNO(EPERM));
    if (rules)
        failure = compile(filter, rules, file, &failed);
    seccomp_release(rules);
    close(file);
    if (failure != 0)
        return error_set(error, "cannot build the seccomp filter: %s: %s", failed,
                         strerror(-failure));
    return true;
}

/* Without a supervisor, allows the calls that it would decide about. */
static void allow_unsupervised(const SeccompFilter *filter) {
    for (unsigned i = 0; i < filter->program.len; i++) {
        struct sock_filter *code = &filter->program.filter[i];
        if (code->code == (BPF_RET | BPF_K) && code->k == SECCOMP_RET_USER_NOTIF)
            code->k = SECCOMP_RET_ALLOW;
    }
}

bool seccomp_filter_apply(const SeccompFilter *filter, int *supervisor, Error *error) {
    long fd = -1;
    errno = EBUSY;
    if (supervisor)
        *supervisor = (int)(fd = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
                                         SECCOMP_FILTER_FLAG_NEW_LISTENER, &filter->program));
    if (fd >= 0)
        return true;
    if (errno == EBUSY) {
        allow_unsupervised(filter);
        if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter->program) == 0)
            return true;
    }
    return error_set(error, "cannot apply the seccomp filter: seccomp: %s", strerror(errno));
}

bool seccomp_supervise(int supervisor, uint32_t *watches, uint32_t watches_max) {
    struct seccomp_notif request = {0};
    /* It fails if the caller was killed meanwhile. */
    if (ioctl(supervisor, SECCOMP_IOCTL_NOTIF_RECV, &request) != 0)
        return errno == ENOENT || errno == EINTR;
    struct seccomp_notif_resp decision = {.id = request.id};
    if (*watches < watches_max) {
        decision.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
        ++*watches;
    } else {
        decision.error = -ENOSPC; /* as at the kernel's own limit */
    }
    return ioctl(supervisor, SECCOMP_IOCTL_NOTIF_SEND, &decision) == 0 || errno == ENOENT;
}

void seccomp_filter_free(SeccompFilter *filter) {
    free(filter->program.filter);
    *filter = (SeccompFilter){0};
}
