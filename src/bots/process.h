/* A bot's process: started small and fast, known by a pidfd, and ended with everything it started.

   Who holds what: the referee has the write end of the bot's standard input and the read ends of
   its output and error; the bot has the other three and nothing else. Every bot leads a process
   group of its own, so that signals to its group reach its children. It stays in our session: with
   a session of its own it would be scheduled as a group of its own (autogroup), and the core would
   change hands at twice the price while a match is young. The referee is a "subreaper": children of
   a bot that lose their parent become the referee's, where process_sweep finds them. A bot also
   dies when the referee does.

   With a sandbox (sandbox.h) the process that we know is the bot's keeper. Without one, bots are
   ended with what they leave behind, but are not kept from doing harm. */
#ifndef BOTS_PROCESS_H
#define BOTS_PROCESS_H

#include "base/error.h"
#include "base/slice.h"
#include "bots/sandbox.h"

#include <stdint.h>
#include <sys/types.h>

typedef struct Process {
    pid_t pid; /* 0: none */
    int pidfd;
    int in;  /* its standard input: we write */
    int out; /* its standard output and error: we read, without blocking */
    int err;
    int status; /* as waitpid gives it, once `ended` */
    bool ended;
    bool sandboxed; /* `pid` is its keeper, which tells by `keeper` how the bot ended */
    int keeper;
    bool grouped; /* `group` is there */
    Cgroup group;
    bool out_of_memory; /* once `ended`: the kernel ended it at its memory limit */
    /* once `ended`: it had asked for more processes or threads than it may have */
    bool refused_processes;
    char trouble[160]; /* once `ended`: the sandbox could not be set up, and why; else "" */
    int64_t cpu_ended; /* CPU time of it and the children that it waited for, once `ended` */
} Process;

/* What to run: `command` by the shell, or, if that is NULL, `program` itself. */
typedef struct ProcessStart {
    char *command;
    char *program;
    const char *directory;  /* NULL: the current one */
    const Sandbox *sandbox; /* NULL: none */
    SandboxLimits limits;
    bool writable; /* the directory, for a build */
    uint32_t seat; /* see SANDBOX_SEATS */
} ProcessStart;

/* Makes this process the one that orphans of bots come to. Once, before the first start. */
bool process_prepare(Error *error);

bool process_start(Process *process, const ProcessStart *start, Error *error);

/* Takes note of its end, if it has ended; never waits. */
bool process_reap(Process *process);

/* Stops and continues the bot with its group. */
void process_stop(const Process *process);
void process_continue(const Process *process);

/* Ends it with all its descendants, waits for it, and closes what is still open. */
void process_end(Process *process);

/* Ends every process that descends from this one, whoever started it. Only when no bot is meant to
   live on. */
void process_sweep(void);

/* Kills what dead runners left: every child of this process for which `is_ours` is false, with its
   descendants, and whatever is in their control groups. Reaps what has ended and never waits. True
   when nothing is left; until then call it again. For a process without other children. */
bool process_end_orphans(bool (*is_ours)(pid_t child));

/* CPU time in nanoseconds of the process and, with `tree`, of its living and awaited
   descendants. */
int64_t process_cpu(const Process *process, bool tree);

bool process_has_children(const Process *process);

/* Calls `visit` for every thread of the process and of its living descendants, with its directory
   beneath /proc. */
void process_each_thread(const Process *process,
                         void (*visit)(const char *directory, pid_t thread, void *context),
                         void *context);

/* A small file of the kernel's as a string in `text`, cut if it is longer; an empty one if it
   cannot be read. */
Slice process_read(const char *directory, const char *name, char *text, size_t size);

typedef enum ProcessWait {
    WAIT_UNKNOWN, /* blocked, but who knows on what */
    WAIT_READING, /* somebody reads standard input or polls, and nobody runs or sleeps */
    WAIT_BUSY,    /* a thread runs, or sleeps for a time */
} ProcessWait;

/* What the bot's threads, and those of its descendants, are doing at this moment, as far as the
   kernel tells. */
ProcessWait process_waiting(const Process *process);

/* "exited with status 3", "was killed by signal 11 (Segmentation fault)". */
void process_describe_end(const Process *process, char *text, size_t size);

#endif
