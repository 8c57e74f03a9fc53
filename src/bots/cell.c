/* See cell.h. Sections: making, running, ending, idle cells. */
#include "bots/sandbox_internal.h"

#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    IDLE_MAX = 16,
    CHARGE_PART = 16, /* a reused group may begin with 1/16 of its memory limit */
};

/* ---- making ---- */

static char *copy_of(const char *text) {
    return text ? xstrdup(text) : NULL;
}

static void cell_free(Cell *cell) {
    if (cell->control >= 0)
        close(cell->control);
    free(cell->start.command);
    free(cell->start.program);
    free(cell->start.directory);
    free(cell->start.program_directory);
    free(cell);
}

static void identify(const char *path, struct stat *about) {
    if (!path || stat(path, about) != 0)
        *about = (struct stat){0};
}

/* Clones the keeper into its namespaces. */
static pid_t clone_keeper(const Sandbox *sandbox, const Cell *cell, int control) {
    bool user_namespace =
        geteuid() != 0 && (sandbox->has[LAYER_KILL] || sandbox->has[LAYER_FILES] ||
                           sandbox->has[LAYER_NETWORK] || sandbox->has[LAYER_IPC]);
    int target = cell->grouped ? cgroup_clone_target(&cell->group) : -1;
    int network = sandbox_network(sandbox, cell->start.seat);
    struct clone_args arguments = {
        .cgroup = target >= 0 ? (uint64_t)(unsigned)target : 0,
        /* Our signal handlers are not meant for the keeper, which bots can send signals to. */
        .flags = CLONE_CLEAR_SIGHAND | (target >= 0 ? (uint64_t)CLONE_INTO_CGROUP : 0) |
                 (user_namespace ? (uint64_t)CLONE_NEWUSER : 0) |
                 (sandbox->has[LAYER_KILL] ? (uint64_t)CLONE_NEWPID : 0) |
                 (sandbox->has[LAYER_FILES] ? (uint64_t)CLONE_NEWNS : 0) |
                 (sandbox->has[LAYER_NETWORK] && network < 0 ? (uint64_t)CLONE_NEWNET : 0),
        .exit_signal = SIGCHLD,
    };
    Keeper keeper = {.sandbox = sandbox,
                     .start = &cell->start,
                     .group = cell->grouped ? &cell->group : NULL,
                     .born_inside = target >= 0,
                     .network = network,
                     .control = control,
                     .counter = -1,
                     .tmp = -1,
                     .supervisor = -1,
                     .uid = sandbox_bot_uid(sandbox, cell->start.seat),
                     .gid = sandbox_bot_gid(sandbox, cell->start.seat)};
    long pid = syscall(SYS_clone3, &arguments, sizeof arguments);
    if (pid == 0)
        keeper_run(&keeper, user_namespace);
    return (pid_t)pid;
}

Cell *cell_new(const Sandbox *sandbox, const SandboxStart *start, Error *error) {
    int ends[2];
    Cell *cell = xcalloc(1, sizeof *cell);
    *cell = (Cell){.control = -1, .start = *start};
    cell->start.command = copy_of(start->command);
    cell->start.program = copy_of(start->program);
    cell->start.directory = copy_of(start->directory);
    cell->start.program_directory = copy_of(start->program_directory);
    identify(start->directory, &cell->directory);
    identify(start->program_directory, &cell->program_directory);
    cell->grouped = sandbox_groups(sandbox, &start->limits);
    if (cell->grouped && !sandbox_group(sandbox, &start->limits, &cell->group, error)) {
        cell_free(cell);
        return NULL;
    }
    const char *failed = "socketpair";
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0) {
        failed = "clone3";
        cell->control = ends[0];
        cell->pid = clone_keeper(sandbox, cell, ends[1]);
        int reason = errno;
        close(ends[1]);
        errno = reason;
        if (cell->pid > 0)
            return cell;
    }
    int reason = errno;
    error_set(error, "cannot start a bot: %s: %s", failed, strerror(reason));
    if (cell->grouped)
        cgroup_remove(&cell->group);
    cell_free(cell);
    errno = reason;
    return NULL;
}

/* ---- running ---- */

int cell_directory(const Cell *cell) {
    char byte;
    int fd = -1;
    union {
        char bytes[CMSG_SPACE(sizeof fd)];
        struct cmsghdr align;
    } space;
    struct msghdr message = {.msg_iov = &(struct iovec){&byte, 1},
                             .msg_iovlen = 1,
                             .msg_control = space.bytes,
                             .msg_controllen = sizeof space.bytes};
    ssize_t got;
    /* A report of a failure is longer, and stays in the socket for cell_report. */
    do
        got = recv(cell->control, &byte, 1, MSG_PEEK | MSG_TRUNC);
    while (got < 0 && errno == EINTR);
    if (got != 1 || recvmsg(cell->control, &message, MSG_CMSG_CLOEXEC) != 1)
        return -1;
    const struct cmsghdr *rights = CMSG_FIRSTHDR(&message);
    if (rights && rights->cmsg_len == CMSG_LEN(sizeof fd))
        memcpy(&fd, CMSG_DATA(rights), sizeof fd);
    return fd;
}

bool cell_run(const Sandbox *sandbox, Cell *cell, const CellRun *run) {
    const int *fds = run->fds;
    uint64_t seed = run->seed;
    union {
        char bytes[CMSG_SPACE(sizeof run->fds)];
        struct cmsghdr align;
    } space = {0};
    struct iovec content = {&seed, sizeof seed};
    struct msghdr message = {.msg_iov = &content,
                             .msg_iovlen = 1,
                             .msg_control = space.bytes,
                             .msg_controllen = sizeof space.bytes};
    struct cmsghdr *rights = CMSG_FIRSTHDR(&message);
    *rights = (struct cmsghdr){
        .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(sizeof run->fds)};
    memcpy(CMSG_DATA(rights), fds, sizeof run->fds);
    /* The bot owns its pipes, so that it can also open them by name: some programs read
       /dev/stdin. */
    for (int i = 0; sandbox->has[LAYER_UID] && i < 3; i++) {
        struct stat about;
        if (fstat(fds[i], &about) != 0 ||
            (S_ISFIFO(about.st_mode) && fchown(fds[i], sandbox_bot_uid(sandbox, cell->start.seat),
                                               sandbox_bot_gid(sandbox, cell->start.seat)) != 0))
            return false;
    }
    /* We may have moved to another core since the cell was made. */
    cpu_set_t cores;
    if (sched_getaffinity(0, sizeof cores, &cores) == 0)
        sched_setaffinity(cell->pid, sizeof cores, &cores);
    cell->clean = false;
    return sendmsg(cell->control, &message, MSG_NOSIGNAL) == (ssize_t)sizeof seed;
}

static void reap_keeper(Cell *cell) {
    struct rusage use;
    if (!cell->pid)
        return;
    while (wait4(cell->pid, &cell->status, 0, &use) < 0)
        if (errno != EINTR) {
            use = (struct rusage){0};
            break;
        }
    cell->cpu = rusage_cpu(&use);
    cell->pid = 0;
}

bool cell_report(Cell *cell, KeeperMessage *message) {
    ssize_t got;
    do /* ECONNRESET: the keeper died before it read our request; its report follows */
        got = recv(cell->control, message, sizeof *message, MSG_DONTWAIT);
    while (got < 0 && (errno == EINTR || errno == ECONNRESET));
    if (got < 0 && errno == EAGAIN && cell->pid)
        return false;
    if (got == (ssize_t)sizeof *message) {
        message->call[sizeof message->call - 1] = '\0';
        cell->clean = message->ended && message->clean;
        return true;
    }
    reap_keeper(cell);
    *message = (KeeperMessage){.ended = 1, .code = cell->status, .cpu = cell->cpu};
    return true;
}

/* ---- ending ---- */

void cell_kill(Cell *cell) {
    if (!cell->pid)
        return;
    cell->clean = false;
    kill(cell->pid, SIGKILL); /* the whole namespace dies with the keeper */
    kill(-cell->pid, SIGKILL);
    if (cell->grouped)
        cgroup_kill(&cell->group);
    reap_keeper(cell);
}

static void destroy(Cell *cell) {
    cell_kill(cell);
    if (cell->grouped)
        cgroup_remove(&cell->group);
    cell_free(cell);
}

static bool has_little_charge(const Cell *cell) {
    return !cell->grouped || cgroup_memory(&cell->group) <= cell->start.limits.memory / CHARGE_PART;
}

/* Whether the keeper's checks can detect everything that a bot might leave. */
static bool can_be_clean(const Sandbox *sandbox) {
    return sandbox->has[LAYER_KILL] && sandbox->has[LAYER_FILES] && sandbox->has[LAYER_SECCOMP];
}

void cell_end(const Sandbox *sandbox, Cell *cell) {
    Cell **idle = sandbox->idle;
    if (!cell->pid || !cell->clean || cell->start.writable || !can_be_clean(sandbox) ||
        !has_little_charge(cell)) {
        destroy(cell);
        return;
    }
    cell->next = *idle;
    *idle = cell;
    uint32_t count = 1;
    for (Cell *at = cell; at->next; count++) {
        if (count < IDLE_MAX) {
            at = at->next;
            continue;
        }
        Cell *last = at->next;
        at->next = last->next;
        destroy(last);
    }
}

/* ---- idle cells ---- */

static bool is_same_text(const char *a, const char *b) {
    return a && b ? strcmp(a, b) == 0 : a == b;
}

/* Whether it is the same directory, with the same owner and mode. Its mount in the cell keeps the
   inode in use, so no other directory can have that number. */
static bool is_same_file(const char *path, const struct stat *before) {
    struct stat now;
    identify(path, &now);
    return now.st_dev == before->st_dev && now.st_ino == before->st_ino &&
           now.st_uid == before->st_uid && now.st_gid == before->st_gid &&
           now.st_mode == before->st_mode;
}

static bool is_same_limits(const SandboxLimits *a, const SandboxLimits *b) {
    return a->memory == b->memory && a->processes == b->processes &&
           a->open_files == b->open_files && a->file_size == b->file_size &&
           a->tmp_size == b->tmp_size && a->share == b->share && a->cpu == b->cpu;
}

static bool is_made_for(const Cell *cell, const SandboxStart *start) {
    return cell->start.seat == start->seat && !start->writable &&
           is_same_text(cell->start.command, start->command) &&
           is_same_text(cell->start.program, start->program) &&
           is_same_text(cell->start.directory, start->directory) &&
           is_same_text(cell->start.program_directory, start->program_directory) &&
           is_same_limits(&cell->start.limits, &start->limits) &&
           is_same_file(start->directory, &cell->directory) &&
           is_same_file(start->program_directory, &cell->program_directory);
}

Cell *cell_take(const Sandbox *sandbox, const SandboxStart *start) {
    for (Cell **at = sandbox->idle; *at;) {
        Cell *cell = *at;
        if (is_made_for(cell, start)) {
            *at = cell->next;
            if (cell->grouped)
                cgroup_restart(&cell->group);
            return cell;
        }
        /* The groups of a process either all have a share of the CPU or none do. */
        if (cell->start.limits.share != start->limits.share) {
            *at = cell->next;
            destroy(cell);
        } else {
            at = &cell->next;
        }
    }
    return NULL;
}

bool cell_is_idle(const Sandbox *sandbox, pid_t pid) {
    for (const Cell *cell = sandbox ? *sandbox->idle : NULL; cell; cell = cell->next)
        if (cell->pid == pid)
            return true;
    return false;
}

void cell_end_idle(const Sandbox *sandbox) {
    while (*sandbox->idle && sandbox->owner == getpid()) {
        Cell *cell = *sandbox->idle;
        *sandbox->idle = cell->next;
        destroy(cell);
    }
}
