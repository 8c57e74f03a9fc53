/* See process.h. */
#include "base/clock.h"
#include "base/memory.h"
#include "bots/bot_seed.h"
#include "bots/build_files.h"
#include "bots/process_tree.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/close_range.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { STOP_MS = 100 };

bool process_prepare(Error *error) {
    /* A write to a bot that has closed its input must fail, not kill us. */
    signal(SIGPIPE, SIG_IGN);
    if (prctl(PR_SET_CHILD_SUBREAPER, 1) != 0)
        return error_set(error, "cannot become the reaper of orphaned processes: %s",
                         strerror(errno));
    return true;
}

/* ---- start ---- */

typedef struct Pipes {
    int in[2];
    int out[2];
    int err[2];
} Pipes;

static void close_end(int *fd) {
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

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

/* Runs in the child between vfork and exec. The child shares our memory, so this only makes system
   calls. */
static _Noreturn void become(const ProcessStart *start, const Pipes *pipes, char **environment,
                             pid_t parent, volatile int *failure) {
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
            execve("/bin/sh", shell, environment);
        else
            execve(start->program, direct, environment);
    }
    *failure = errno;
    _exit(127);
}

/* Our own environment plus this variable, unless the variable is empty. The caller frees it. */
static char **environment_with(char *variable) {
    size_t count = 0;
    size_t kept = 0;
    size_t name = strcspn(variable, "=");
    while (environ[count])
        count++;
    char **list = xcalloc(count + 2, sizeof *list);
    for (size_t i = 0; i < count; i++)
        if (!*variable || strncmp(environ[i], variable, name + 1) != 0)
            list[kept++] = environ[i];
    if (*variable)
        list[kept] = variable;
    return list;
}

/* Starts a bot without a sandbox. With vfork, the child borrows our memory until it execs, so that
   starting a bot costs the same however large this process is. */
static pid_t fork_bare(const ProcessStart *start, const Pipes *pipes, char **environment,
                       int *pidfd, Error *error) {
    volatile int failure = 0;
    pid_t parent = getpid();
    pid_t pid = vfork(); // NOLINT(clang-analyzer-security.insecureAPI.vfork)
    if (pid == 0)
        become(start, pipes, environment, parent, &failure); // NOLINT(clang-analyzer-unix.Vfork)
    int reason = pid < 0 ? errno : failure;
    if (pid > 0 && failure)
        waitpid(pid, NULL, 0);
    if (pid < 0 || failure) {
        error_set(error, "cannot start %s%s%s: %s",
                  start->command ? start->command : start->program, start->directory ? " in " : "",
                  start->directory ? start->directory : "", strerror(reason));
        return -1;
    }
    *pidfd = pidfd_open(pid, 0);
    return pid;
}

static pid_t start_bare(const ProcessStart *start, const Pipes *pipes, int *pidfd, Error *error) {
    char seed[BOT_SEED_SIZE];
    bot_seed_variable(start->seed, seed);
    char **environment = environment_with(seed);
    pid_t pid = fork_bare(start, pipes, environment, pidfd, error);
    free(environment);
    return pid;
}

/* The bot's user must be able to enter its directory: as its owner, or, if the file system cannot
   map owners, through the permissions for everyone. */
static bool open_entry(const ProcessStart *start, const char *directory, int *owner, Error *error) {
    struct stat about;
    if (stat(directory, &about) != 0)
        return error_set(error, "cannot enter %s: %s", directory, strerror(errno));
    *owner = sandbox_owner_map(start->sandbox, start->seat, directory, about.st_uid, about.st_gid);
    if (*owner < 0 && sandbox_has(start->sandbox, LAYER_UID) && (about.st_mode & 05) != 05)
        return error_set(
            error, "the sandbox user cannot enter %s; run chmod o+rx on it, or use --sandbox=none",
            directory);
    return true;
}

/* Resolves the paths that a start in the sandbox names. */
typedef struct SandboxPaths {
    char directory[PATH_MAX];
    char program[PATH_MAX];
    char program_directory[PATH_MAX];
} SandboxPaths;

static bool resolve(const ProcessStart *start, SandboxPaths *paths, SandboxStart *inner,
                    Error *error) {
    if (!realpath(start->directory ? start->directory : ".", paths->directory)) {
        error_set(error, "cannot enter %s: %s",
                  start->directory ? start->directory : "the current directory", strerror(errno));
        return false;
    }
    *inner = (SandboxStart){
        .command = start->command,
        .directory = paths->directory,
        .writable = start->writable,
        .seat = start->seat,
        .owner = -1,
        .limits = start->limits,
    };
    if (start->command)
        return true;
    if (!realpath(start->program, paths->program))
        return error_set(error, "cannot start %s: %s", start->program, strerror(errno));
    snprintf(paths->program_directory, sizeof paths->program_directory, "%s", paths->program);
    char *slash = strrchr(paths->program_directory, '/');
    slash[slash == paths->program_directory] = '\0'; /* keep the slash of the root */
    inner->program = paths->program;
    inner->program_directory = paths->program_directory;
    return true;
}

static bool run_in(Cell *cell, const ProcessStart *start, const Pipes *pipes) {
    CellRun run = {{pipes->in[0], pipes->out[1], pipes->err[1]}, start->seed};
    return cell_run(start->sandbox, cell, &run);
}

/* Copies the bot's directory to where its build will work. False only with the error set: if the
   keeper has failed, its report follows. */
static bool furnish(const SandboxStart *inner, const Sandbox *sandbox, const Cell *cell,
                    Process *process, Error *error) {
    if (!inner->writable || !sandbox_has(sandbox, LAYER_FILES))
        return true;
    process->workplace = cell_directory(cell);
    if (process->workplace < 0)
        return true;
    int from = open(inner->directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct stat about;
    bool good = from >= 0 && fstat(process->workplace, &about) == 0;
    if (!good)
        error_set(error, "cannot read %s: %s", inner->directory, strerror(errno));
    good = good && build_files_bring(from, process->workplace, about.st_uid, about.st_gid, error);
    if (from >= 0)
        close(from);
    return good;
}

/* Starts a bot in an idle cell for an identical start, or in a new cell. */
static pid_t start_sandboxed(const ProcessStart *start, const Pipes *pipes, Process *process,
                             Error *error) {
    SandboxPaths paths;
    SandboxStart inner;
    if (!resolve(start, &paths, &inner, error))
        return -1;
    Cell *cell;
    while ((cell = cell_take(start->sandbox, &inner)) && !run_in(cell, start, pipes))
        cell_end(start->sandbox, cell); /* the cell's keeper was killed */
    bool is_new = !cell;
    if (is_new) {
        if (!open_entry(start, inner.directory, &inner.owner, error))
            return -1;
        cell = cell_new(start->sandbox, &inner, error);
        if (!cell)
            return -1;
        if (!furnish(&inner, start->sandbox, cell, process, error)) {
            cell_kill(cell);
            cell_end(start->sandbox, cell);
            return -1;
        }
    }
    pid_t keeper = cell->pid;
    if (is_new && !run_in(cell, start, pipes))
        cell_kill(cell); /* the keeper reports why it failed */
    process->cell = cell;
    process->grouped = cell->grouped;
    process->group = cell->group;
    process->end = cell->control;
    return keeper;
}

Process process_none(void) {
    return (Process){.end = -1, .in = -1, .out = -1, .err = -1, .workplace = -1};
}

bool process_start(Process *process, const ProcessStart *start, Error *error) {
    Pipes pipes;
    *process = process_none();
    process->sandboxed = start->sandbox && sandbox_mode(start->sandbox) != SANDBOX_NONE;
    process->sandbox = start->sandbox;
    if (!open_pipes(&pipes, error))
        return false;
    pid_t pid = process->sandboxed ? start_sandboxed(start, &pipes, process, error)
                                   : start_bare(start, &pipes, &process->end, error);
    close(pipes.in[0]);
    close(pipes.out[1]);
    close(pipes.err[1]);
    if (pid < 0) {
        close(pipes.in[1]);
        close(pipes.out[0]);
        close(pipes.err[0]);
        close_end(&process->workplace);
        process->pid = 0;
        return false;
    }
    process->pid = pid;
    process->in = pipes.in[1];
    process->out = pipes.out[0];
    process->err = pipes.err[0];
    fcntl(process->in, F_SETFL, O_NONBLOCK);
    fcntl(process->out, F_SETFL, O_NONBLOCK);
    fcntl(process->err, F_SETFL, O_NONBLOCK);
    return true;
}

/* ---- end ---- */

/* With a sandbox: reads the keeper's report on how the bot ended, or which part of the sandbox
   failed. */
static bool await_report(Process *process) {
    KeeperMessage message;
    if (!cell_report(process->cell, &message))
        return false;
    process->ended = true;
    if (message.ended) {
        process->status = message.code;
        process->others_killed = (uint32_t)message.others;
    } else {
        snprintf(process->setup_failure, sizeof process->setup_failure, "%s: %s", message.call,
                 strerror(message.code));
    }
    int64_t group_cpu = process->grouped ? cgroup_cpu(&process->group) : -1;
    process->cpu_ended = group_cpu >= 0 ? group_cpu : message.cpu;
    process->out_of_memory = process->grouped && cgroup_oom_kills(&process->group) > 0 &&
                             WIFSIGNALED(process->status) && WTERMSIG(process->status) == SIGKILL;
    process->refused_processes = process->grouped && cgroup_refused_processes(&process->group) > 0;
    return true;
}

/* The leader's pid stays taken until it is reaped. So killing the rest of its group before that
   cannot hit an unrelated process. */
static bool await(Process *process, int options) {
    if (!process->pid || process->ended)
        return true;
    if (process->cell)
        return await_report(process);
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
        process->cpu_ended = rusage_cpu(&usage);
    return true;
}

bool process_reap(Process *process) {
    return await(process, WNOHANG);
}

/* Stops or continues the bot and its descendants: through its control group; without one, through
   its keeper, which reaches everything in the namespace; otherwise through its process group. */
static void halt(const Process *process, bool stop) {
    if (!process->pid || process->ended ||
        (process->grouped && cgroup_freeze(&process->group, stop)))
        return;
    if (process->sandboxed)
        kill(process->pid, stop ? SANDBOX_STOP : SANDBOX_CONTINUE);
    else
        kill(-process->pid, stop ? SIGSTOP : SIGCONT);
}

void process_stop(const Process *process) {
    halt(process, true);
}

void process_continue(const Process *process) {
    halt(process, false);
}

static void count_running(const char *directory, pid_t thread, void *context) {
    (void)thread;
    *(int *)context += process_thread_runs(directory);
}

bool process_runs(const Process *process) {
    int running = 0;
    process_each_thread(process, count_running, &running);
    return running > 0;
}

static bool is_stopped(const Process *process) {
    return (process->grouped && cgroup_is_frozen(&process->group)) || !process_runs(process);
}

/* Makes whichever thread runs next stop its whole process. A signal to the process would wait for
   one thread, which may have to wait for the others. */
static void stop_thread(const char *directory, pid_t thread, void *keeper) {
    (void)directory;
    if (thread != *(const pid_t *)keeper)
        syscall(SYS_tkill, thread, SIGSTOP);
}

void process_stop_directly(const Process *process) {
    if (!process->pid || process->ended)
        return;
    halt(process, true);
    pid_t keeper = process->pid;
    if (process->sandboxed && !process->grouped)
        process_each_thread(process, stop_thread, &keeper);
}

void process_stop_now(const Process *process) {
    if (!process->pid || process->ended)
        return;
    process_stop_directly(process);
    int64_t until = clock_now() + STOP_MS * CLOCK_MS;
    for (long wait = CLOCK_MS / 50; !is_stopped(process) && clock_now() < until; wait += wait / 2)
        nanosleep(&(struct timespec){.tv_nsec = wait < CLOCK_MS ? wait : CLOCK_MS}, NULL);
}

void process_end(Process *process) {
    if (!process->pid)
        return;
    if (!process->ended && process->cell)
        cell_kill(process->cell);
    else if (!process->ended)
        process_kill_tree(process->pid, NULL);
    await(process, 0);
    if (process->cell) {
        process->end = -1; /* the cell's */
        cell_end(process->sandbox, process->cell);
    }
    process->cell = NULL;
    process->grouped = false;
    close_end(&process->in);
    close_end(&process->out);
    close_end(&process->err);
    close_end(&process->end);
    process->pid = 0;
}

/* ---- time ---- */

static int64_t clock_of(pid_t pid) {
    clockid_t clock;
    struct timespec time;
    if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &time) != 0)
        return 0;
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* CPU time of the children that `pid` has already waited for. */
static int64_t awaited_cpu(pid_t pid) {
    char directory[64];
    char text[1024];
    snprintf(directory, sizeof directory, "/proc/%d", (int)pid);
    process_read(directory, "stat", text, sizeof text);
    /* Fields are counted after the name, which may contain any characters; cutime and cstime are
       fields 16 and 17 of the file. */
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
    process_each_child(pid, add_cpu, context);
}

int64_t process_cpu(const Process *process, bool tree) {
    if (!process->pid || process->ended)
        return process->cpu_ended;
    int64_t group = process->grouped ? cgroup_cpu(&process->group) : -1;
    if (group >= 0)
        return group;
    if (!tree && !process->sandboxed)
        return clock_of(process->pid);
    int64_t sum = 0;
    add_cpu(process->pid, &sum);
    return sum;
}

/* Inspects a thread's current system call: its number and its arguments. */
static void inspect_thread(const char *directory, pid_t thread, void *context) {
    (void)thread;
    ProcessWait *wait = context;
    char text[64];
    Slice rest = process_read(directory, "syscall", text, sizeof text);
    Slice word;
    Slice argument;
    int64_t call = -1;
    if (!slice_word(&rest, &word))
        return;
    bool in_call = slice_int(word, &call) && slice_word(&rest, &argument);
    bool sleeps = call == SYS_nanosleep || call == SYS_clock_nanosleep;
    bool polls = call == SYS_ppoll || call == SYS_pselect6 || call == SYS_epoll_pwait;
#ifdef SYS_poll
    polls |= call == SYS_poll || call == SYS_select || call == SYS_epoll_wait;
#endif
    if (!in_call || sleeps)
        *wait = WAIT_BUSY;
    else if ((polls || (call == SYS_read && slice_equals(argument, "0x0"))) && *wait != WAIT_BUSY)
        *wait = WAIT_READING;
}

ProcessWait process_waiting(const Process *process) {
    ProcessWait wait = WAIT_UNKNOWN;
    process_each_thread(process, inspect_thread, &wait);
    return wait;
}

void process_describe_end(const Process *process, char *text, size_t size) {
    if (process->setup_failure[0])
        snprintf(text, size, "could not be started in the sandbox (%s)", process->setup_failure);
    else if (process->out_of_memory)
        snprintf(text, size, "ran out of memory");
    else if (WIFSIGNALED(process->status))
        snprintf(text, size, "was killed by signal %d (%s)", WTERMSIG(process->status),
                 strsignal(WTERMSIG(process->status)));
    else
        snprintf(text, size, "exited with status %d", WEXITSTATUS(process->status));
    size_t length = strlen(text);
    if (process->refused_processes && !process->setup_failure[0])
        snprintf(text + length, size - length, " after reaching its process limit");
}
