/* A bot's process: cheap to start, watched through a descriptor, and ended together with all its
   descendants.

   Who holds what: the referee has the write end of the bot's standard input and the read ends of
   its output and error; the bot has the other three ends and nothing else. Every bot leads its own
   process group, so that signals to the group reach its children. It stays in our session: in its
   own session it would be scheduled as a separate group (autogroup), which doubles the cost of a
   switch between referee and bot early in a match.

   The referee is a "subreaper": descendants of a bot that lose their parent become the referee's
   children, where process_sweep finds them. It adopts no other processes, because it is never
   process 1 of a container (cli/init_process.h). A bot gets SIGKILL when its referee dies; its
   descendants then become children of the dispatcher, which kills them with process_end_orphans.

   With a sandbox (sandbox.h) the process that we know is the bot's keeper, which outlives the bot.
   Without one, bots and their descendants are ended all the same, but nothing keeps them from doing
   harm. */
#ifndef BOTS_PROCESS_H
#define BOTS_PROCESS_H

#include "base/error.h"
#include "base/slice.h"
#include "bots/cell.h"

#include <stdint.h>
#include <sys/types.h>

typedef struct Process {
    pid_t pid; /* 0: none */
    int end;   /* readable once it has ended */
    int in;    /* its standard input: we write */
    int out;   /* its standard output and error: we read, without blocking */
    int err;
    int status; /* wait status as from waitpid, once `ended` */
    bool ended;
    bool sandboxed; /* `pid` is the keeper's */
    const Sandbox *sandbox;
    Cell *cell;
    bool grouped; /* `group`, the group of the cell, exists */
    Cgroup group;
    bool out_of_memory; /* once `ended`: the kernel killed it at its memory limit */
    /* once `ended`: the bot had tried to exceed its limit on processes and threads */
    bool refused_processes;
    /* once `ended`, in a sandbox: processes that still ran when the bot had ended */
    uint32_t others_killed;
    char setup_failure[160]; /* once `ended`: why the sandbox could not be set up, or "" */
    /* descriptor of a build's directory in memory, which the caller closes; -1: none */
    int workplace;
    /* once `ended`: CPU time of the bot and of children that it waited for */
    int64_t cpu_ended;
} Process;

/* What to run: `command` through the shell, or, if that is NULL, `program` directly. */
typedef struct ProcessStart {
    char *command;
    char *program;
    const char *directory;  /* NULL: the current one */
    const Sandbox *sandbox; /* NULL: none */
    SandboxLimits limits;
    uint64_t seed; /* SKIRMISH_SEED in its environment; 0: not set */
    bool writable; /* a copy of the directory, for a build: see Process.workplace */
    uint32_t seat; /* see SANDBOX_SEATS */
} ProcessStart;

/* Makes orphaned descendants become children of this process. Call it before the first start. */
bool process_prepare(Error *error);

/* A process that has not been started. */
Process process_none(void);

bool process_start(Process *process, const ProcessStart *start, Error *error);

/* Reaps the process if it has ended; never waits. Returns whether it has ended. */
bool process_reap(Process *process);

/* Stops and continues the bot and all its descendants. */
void process_stop(const Process *process);
void process_continue(const Process *process);

/* Stops a bot that keeps its core busy, without depending on its keeper, which may have to wait for
   that core. */
void process_stop_directly(const Process *process);

/* The same, and waits until none of its threads runs, for at most 100 ms. */
void process_stop_now(const Process *process);

/* Kills the process with all its descendants, waits for it, and closes its descriptors. A sandboxed
   bot that has ended leaves its cell for the next start. */
void process_end(Process *process);

/* Kills and reaps every descendant of this process, except the keepers of idle cells. Call it when
   no bot should survive. `sandbox` may be NULL. */
void process_sweep(const Sandbox *sandbox);

/* Kills what dead runners left: every child of this process for which `is_ours` is false, with its
   descendants, and everything in the runners' control groups. Reaps processes that have ended;
   never waits. Returns true when nothing is left; until then call it again. Only for a process that
   has no other children and is not process 1. */
bool process_end_orphans(bool (*is_ours)(pid_t child));

/* CPU time in nanoseconds of the process and, with `tree`, of its living descendants and of those
   that were waited for. */
int64_t process_cpu(const Process *process, bool tree);

bool process_has_children(const Process *process);

/* Calls `visit` for every thread of the process and of its living descendants, with its directory
   beneath /proc. */
void process_each_thread(const Process *process,
                         void (*visit)(const char *directory, pid_t thread, void *context),
                         void *context);

/* Whether any thread of the process or of its descendants is on a core or in the queue for one. */
bool process_runs(const Process *process);

/* Whether the thread with this directory beneath /proc is on a core or in the queue for one. */
bool process_thread_runs(const char *directory);

/* Reads a small file beneath /proc as a string into `text`, truncated if it is longer; "" if it
   cannot be read. */
Slice process_read(const char *directory, const char *name, char *text, size_t size);

typedef enum ProcessWait {
    WAIT_UNKNOWN, /* blocked, on something unknown */
    WAIT_READING, /* a thread reads standard input or polls, and none runs or sleeps */
    WAIT_BUSY,    /* a thread runs or sleeps for a limited time */
} ProcessWait;

/* What the threads of the bot and of its descendants are doing now, as far as the kernel reveals
   it. */
ProcessWait process_waiting(const Process *process);

/* "exited with status 3", "was killed by signal 11 (Segmentation fault)". */
void process_describe_end(const Process *process, char *text, size_t size);

#endif
