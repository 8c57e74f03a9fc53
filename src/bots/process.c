/* See process.h. */
#include "bots/process.h"

#include "base/slice.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

bool process_prepare(Error *error) {
    /* A write to a bot that has closed its input must be an error, not our end. */
    signal(SIGPIPE, SIG_IGN);
    if (prctl(PR_SET_CHILD_SUBREAPER, 1) != 0)
        return error_set(error, "cannot become the reaper of bots' children: %s", strerror(errno));
    return true;
}

/* ---- start ---- */

typedef struct Pipes {
    int in[2];
    int out[2];
    int err[2];
} Pipes;

static void close_pipe(int *ends) {
    for (int i = 0; i < 2; i++)
        if (ends[i] >= 0)
            close(ends[i]);
}

static bool open_pipes(Pipes *pipes, Error *error) {
    *pipes = (Pipes){{-1, -1}, {-1, -1}, {-1, -1}};
    if (pipe2(pipes->in, O_CLOEXEC) == 0 && pipe2(pipes->out, O_CLOEXEC) == 0 &&
        pipe2(pipes->err, O_CLOEXEC) == 0)
        return true;
    int reason = errno;
    close_pipe(pipes->in);
    close_pipe(pipes->out);
    close_pipe(pipes->err);
    return error_set(error, "cannot open pipes to a bot: %s", strerror(reason));
}

/* Runs in the child between vfork and exec: it shares our memory, so it calls the kernel and nothing else. */
static _Noreturn void become(const ProcessStart *start, const Pipes *pipes, pid_t parent,
                             volatile int *failure) {
    char *const shell[] = {(char[]){"sh"}, (char[]){"-c"}, start->command, NULL};
    char *const direct[] = {start->program, NULL};
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGPIPE, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    if (getppid() == parent && dup2(pipes->in[0], 0) >= 0 && dup2(pipes->out[1], 1) >= 0 &&
        dup2(pipes->err[1], 2) >= 0 && close_range(3, ~0U, 0) == 0 &&
        (!start->directory || chdir(start->directory) == 0)) {
        if (start->command)
            execv("/bin/sh", shell);
        else
            execv(start->program, direct);
    }
    *failure = errno;
    _exit(127);
}

bool process_start(Process *process, const ProcessStart *start, Error *error) {
    Pipes pipes;
    if (!open_pipes(&pipes, error))
        return false;
    volatile int failure = 0;
    pid_t parent = getpid();
    /* vfork: the child borrows our memory until it execs, so that starting a bot costs the same however large we are. */
    pid_t pid = vfork(); // NOLINT(clang-analyzer-security.insecureAPI.vfork)
    if (pid == 0)
        become(start, &pipes, parent, &failure); // NOLINT(clang-analyzer-unix.Vfork)
    int reason = pid < 0 ? errno : failure;
    close(pipes.in[0]);
    close(pipes.out[1]);
    close(pipes.err[1]);
    if (pid > 0 && failure)
        waitpid(pid, NULL, 0);
    int pidfd = pid > 0 && !failure ? pidfd_open(pid, 0) : -1;
    if (pid < 0 || failure) {
        close(pipes.in[1]);
        close(pipes.out[0]);
        close(pipes.err[0]);
        return error_set(error, "cannot start %s%s%s: %s",
                         start->command ? start->command : start->program,
                         start->directory ? " in " : "", start->directory ? start->directory : "",
                         strerror(reason));
    }
    fcntl(pipes.in[1], F_SETFL, O_NONBLOCK);
    fcntl(pipes.out[0], F_SETFL, O_NONBLOCK);
    fcntl(pipes.err[0], F_SETFL, O_NONBLOCK);
    *process = (Process){
        .pid = pid, .pidfd = pidfd, .in = pipes.in[1], .out = pipes.out[0], .err = pipes.err[0]};
    return true;
}

/* ---- end ---- */

static int64_t from_timeval(struct timeval time) {
    return (int64_t)time.tv_sec * 1000000000 + (int64_t)time.tv_usec * 1000;
}

/* The leader's id stays taken until it is waited for: so the rest of its group is ended first, and no stranger can be hit. */
static bool await(Process *process, int options) {
    if (!process->pid || process->ended)
        return true;
    siginfo_t info = {0};
    int got;
    do
        got = waitid(P_PID, (id_t)process->pid, &info, WEXITED | WNOWAIT | options);
    while (got < 0 && errno == EINTR);
    if (got == 0 && info.si_pid == 0)
        return false;
    kill(-process->pid, SIGKILL);
    struct rusage usage;
    process->ended = true;
    if (wait4(process->pid, &process->status, 0, &usage) == process->pid)
        process->cpu_ended = from_timeval(usage.ru_utime) + from_timeval(usage.ru_stime);
    return true;
}

bool process_reap(Process *process) {
    return await(process, WNOHANG);
}

void process_stop(const Process *process) {
    if (process->pid && !process->ended)
        kill(-process->pid, SIGSTOP);
}

void process_continue(const Process *process) {
    if (process->pid && !process->ended)
        kill(-process->pid, SIGCONT);
}

/* Calls `visit` for every child of `pid`, as the kernel lists them for each of its threads. */
static void each_child(pid_t pid, void (*visit)(pid_t child, void *context), void *context) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    DIR *tasks = opendir(path);
    if (!tasks)
        return;
    for (struct dirent *task = readdir(tasks); task; task = readdir(tasks)) {
        if (task->d_name[0] == '.')
            continue;
        char list[320];
        snprintf(list, sizeof list, "/proc/%d/task/%s/children", (int)pid, task->d_name);
        FILE *children = fopen(list, "re");
        int child = 0;
        while (children &&
               fscanf(children, "%d", &child) == 1) // NOLINT(cert-err34-c): the kernel's own list
            visit(child, context);
        if (children)
            fclose(children);
    }
    closedir(tasks);
}

static void kill_tree(pid_t pid, void *unused) {
    /* The parent first, so that it starts no more; then what it had, which is still listed while it is a zombie or has become ours. */
    kill(pid, SIGSTOP);
    each_child(pid, kill_tree, unused);
    kill(pid, SIGKILL);
}

static void close_end(int *fd) {
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

void process_end(Process *process) {
    if (!process->pid)
        return;
    if (!process->ended)
        kill_tree(process->pid, NULL);
    await(process, 0);
    close_end(&process->in);
    close_end(&process->out);
    close_end(&process->err);
    close_end(&process->pidfd);
    process->pid = 0;
}

static void count_child(pid_t child, void *context) {
    (void)child;
    ++*(int *)context;
}

void process_sweep(void) {
    for (;;) {
        int children = 0;
        each_child(getpid(), count_child, &children);
        if (!children)
            return;
        each_child(getpid(), kill_tree, NULL);
        while (waitpid(-1, NULL, WNOHANG) > 0)
            ;
        struct timespec moment = {.tv_nsec = 200000};
        nanosleep(&moment, NULL);
    }
}

/* ---- time ---- */

static int64_t clock_of(pid_t pid) {
    clockid_t clock;
    struct timespec time;
    if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &time) != 0)
        return 0;
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* What the children that `pid` has already waited for used. */
static int64_t awaited_cpu(pid_t pid) {
    char path[64];
    char text[1024] = "";
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *file = fopen(path, "re");
    if (!file)
        return 0;
    size_t length = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[length] = '\0';
    /* Fields are counted from behind the name, which may hold anything; cutime and cstime are the 16th and 17th of the file. */
    const char *name_end = strrchr(text, ')');
    Slice rest = slice_of(name_end ? name_end + 1 : "");
    Slice word;
    int64_t ticks[2] = {0, 0};
    for (int field = 3; field <= 17 && slice_word(&rest, &word); field++)
        if (field >= 16)
            slice_int(word, &ticks[field - 16]);
    return (ticks[0] + ticks[1]) * (1000000000 / sysconf(_SC_CLK_TCK));
}

static void add_cpu(pid_t pid, void *context) {
    *(int64_t *)context += clock_of(pid) + awaited_cpu(pid);
    each_child(pid, add_cpu, context);
}

int64_t process_cpu(const Process *process, bool tree) {
    if (!process->pid || process->ended)
        return process->cpu_ended;
    if (!tree)
        return clock_of(process->pid);
    int64_t sum = 0;
    add_cpu(process->pid, &sum);
    return sum;
}

bool process_has_children(const Process *process) {
    int children = 0;
    if (process->pid && !process->ended)
        each_child(process->pid, count_child, &children);
    return children > 0;
}

/* Looks at the system call that a thread is in: its number, then its arguments. */
static void look_at_thread(const char *path, ProcessWait *wait) {
    char text[64] = "";
    FILE *file = fopen(path, "re");
    if (!file)
        return;
    size_t length = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[length] = '\0';
    Slice rest = slice_of(text);
    Slice word;
    Slice argument;
    int64_t call = -1;
    if (!slice_word(&rest, &word))
        return;
    bool in_call = slice_int(word, &call) && slice_word(&rest, &argument);
    if (!in_call || call == SYS_nanosleep || call == SYS_clock_nanosleep)
        *wait = WAIT_BUSY;
    else if (call == SYS_read && slice_equals(argument, "0x0") && *wait != WAIT_BUSY)
        *wait = WAIT_READING;
}

static void look_at_process(pid_t pid, void *context) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    DIR *tasks = opendir(path);
    for (struct dirent *task = tasks ? readdir(tasks) : NULL; task; task = readdir(tasks)) {
        char call[320];
        snprintf(call, sizeof call, "/proc/%d/task/%s/syscall", (int)pid, task->d_name);
        if (task->d_name[0] != '.')
            look_at_thread(call, context);
    }
    if (tasks)
        closedir(tasks);
    each_child(pid, look_at_process, context);
}

ProcessWait process_waiting(const Process *process) {
    ProcessWait wait = WAIT_UNKNOWN;
    if (process->pid && !process->ended)
        look_at_process(process->pid, &wait);
    return wait;
}

void process_describe_end(const Process *process, char *text, size_t size) {
    if (WIFSIGNALED(process->status))
        snprintf(text, size, "was killed by signal %d (%s)", WTERMSIG(process->status),
                 strsignal(WTERMSIG(process->status)));
    else
        snprintf(text, size, "exited with status %d", WEXITSTATUS(process->status));
}
