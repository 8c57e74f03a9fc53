/* A cell: the namespaces, the mounts and the control group that a bot runs in, and their keeper.

   Making a cell takes longer than starting a bot in it, so a cell is reused for the next start of
   the same bot. It must then be as good as new. A cell is reused only for an identical start
   (command, directory, limits, seat), so nothing passes from one bot to another; and only when it
   is clean, so nothing passes from one match to the next. Clean means:

   - the bot exited by itself, and no process is left in the pid namespace: its process 1, the
     keeper, has no children. So the descriptors, sockets, locks, timers and memory of these
     processes are gone too;
   - the next process gets the same pid as the first one;
   - /tmp has the same times, mode and owner as before the bot, and no additional file or block;
   - the keeper, from which bots inherit, has its initial scheduling attributes;
   - the memory still charged to the control group, such as cached files, is a small part of its
     limit, and its counters are reset to zero (cgroup_restart);
   - all layers are active that keep a bot from leaving anything else: the pid and mount namespaces
     and the seccomp filter (no System V ipc, message queues, keys, limits of other processes).

   The keeper checks the first four conditions, cell.c the others. A cell that is not clean is
   destroyed. */
#ifndef BOTS_CELL_H
#define BOTS_CELL_H

#include "bots/sandbox.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

/* What runs in a cell, and where. */
typedef struct SandboxStart {
    char *command;   /* for the shell, or NULL */
    char *program;   /* a file to execute directly */
    char *directory; /* absolute; mounted read-only, unless `writable` */
    /* for a build: an empty file system of limited size is mounted there instead */
    bool writable;
    uint32_t seat;           /* less than SANDBOX_SEATS */
    int owner;               /* from sandbox_owner_map, for the directory; or -1 */
    char *program_directory; /* absolute, or NULL: mounted as well */
    SandboxLimits limits;
} SandboxStart;

/* Signals from R that make K stop or continue everything in its namespace. Without a pid namespace
   they do nothing. */
#define SANDBOX_STOP SIGUSR1
#define SANDBOX_CONTINUE SIGUSR2

/* What the keeper reports over the control socket. */
typedef struct KeeperMessage {
    int32_t ended; /* 1: `code` is the bot's wait status; 0: a layer failed, `code` is the errno */
    int32_t clean; /* as far as the keeper can tell */
    int32_t layer;
    int32_t code;
    int64_t cpu;    /* nanoseconds of the bot and of children that it waited for */
    int32_t others; /* processes that were killed because they still ran after the bot's end */
    char call[44];
} KeeperMessage;

/* CPU time in nanoseconds. */
static inline int64_t rusage_cpu(const struct rusage *use) {
    return (int64_t)(use->ru_utime.tv_sec + use->ru_stime.tv_sec) * 1000000000 +
           (int64_t)(use->ru_utime.tv_usec + use->ru_stime.tv_usec) * 1000;
}

typedef struct Cell {
    pid_t pid;   /* the keeper's pid; 0: it is dead */
    int control; /* the socket to the keeper; readable once the bot has ended */
    bool grouped;
    Cgroup group;

    /* only for cell.c */
    SandboxStart start; /* with its own strings */
    struct stat directory;
    struct stat program_directory;
    bool clean;        /* the bot has ended, and the keeper found the cell clean */
    int status;        /* wait status of a dead keeper */
    int64_t cpu;       /* CPU time of a dead keeper */
    struct Cell *next; /* in the list of idle cells, most recently used first */
} Cell;

/* Takes an idle cell that was made for an identical start; NULL if there is none. */
Cell *cell_take(const Sandbox *sandbox, const SandboxStart *start);

/* Makes a cell. On failure returns NULL with the error set; if a namespace cannot be created, errno
   gives the reason. */
Cell *cell_new(const Sandbox *sandbox, const SandboxStart *start, Error *error);

/* For a writable start with its own mounts, before cell_run: a descriptor of the empty directory in
   which the build will work. -1 if the keeper has failed; its report gives the reason. */
int cell_directory(const Cell *cell);

/* What differs between two bots in a cell. */
typedef struct CellRun {
    int fds[3];    /* standard input, output and error */
    uint64_t seed; /* SKIRMISH_SEED in its environment; 0: not set */
} CellRun;

/* Starts the bot. False if the keeper of an idle cell has died. */
bool cell_run(const Sandbox *sandbox, Cell *cell, const CellRun *run);

/* Reads the keeper's report; never waits. False if there is none yet. If a keeper died without a
   report, it counts as the bot: `code` is the keeper's own wait status. */
bool cell_report(Cell *cell, KeeperMessage *message);

/* Kills everything in the cell and waits for the keeper. */
void cell_kill(Cell *cell);

/* Keeps the cell for the next start if it is clean; otherwise destroys it. */
void cell_end(const Sandbox *sandbox, Cell *cell);

/* Whether this process is the keeper of an idle cell. */
bool cell_is_idle(const Sandbox *sandbox, pid_t pid);

/* Destroys the idle cells. */
void cell_end_idle(const Sandbox *sandbox);

#endif
