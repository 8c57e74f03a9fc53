/* A cell: the namespaces, the mounts and the control group that a bot runs in, and their keeper.

   Making a cell takes longer than starting a bot in it, so a cell is used again for the next start
   of the same bot. It must then be as if new. A cell is reused only for an identical start
   (command, directory, limits, seat), so nothing passes from one bot to another; and only when it
   is clean, so nothing passes from one match to the next. Clean means:

   - the bot exited on its own, and no process is left in the pid namespace: its process 1, the
     keeper, has no children. So their descriptors, sockets, locks, timers and memory are gone too;
   - the next process gets the pid that the first one got;
   - /tmp has the same times, mode and owner as before the bot, and not one file or block more;
   - the keeper, which bots inherit from, has the scheduling attributes that it began with;
   - what is still charged to the control group, such as cached files, is a small part of its limit,
     and its counters begin at zero (cgroup_restart);
   - every layer is there that keeps a bot from leaving anything else: the pid and mount namespaces
     and the seccomp filter (no System V ipc, message queues, keys, limits of other processes).

   The keeper checks the first four, the rest is checked here. Otherwise the cell is destroyed. */
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
    /* for a build: an empty file system with a limited size is there instead */
    bool writable;
    uint32_t seat;           /* less than SANDBOX_SEATS */
    int owner;               /* from sandbox_owner_map for the directory, or -1 */
    char *program_directory; /* absolute, or NULL: mounted as well */
    SandboxLimits limits;
} SandboxStart;

/* Signals from R on which K stops or continues everything in its namespace. Without a pid namespace
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
    int32_t others; /* processes that still ran when the bot had ended, and were killed */
    char call[44];
} KeeperMessage;

/* CPU time in nanoseconds. */
static inline int64_t rusage_cpu(const struct rusage *use) {
    return (int64_t)(use->ru_utime.tv_sec + use->ru_stime.tv_sec) * 1000000000 +
           (int64_t)(use->ru_utime.tv_usec + use->ru_stime.tv_usec) * 1000;
}

typedef struct Cell {
    pid_t pid;   /* of the keeper; 0: it is dead */
    int control; /* the socket to the keeper; readable once the bot has ended */
    bool grouped;
    Cgroup group;

    /* only for cell.c */
    SandboxStart start; /* with its own strings */
    struct stat directory;
    struct stat program_directory;
    bool clean;        /* the bot has ended and the keeper has found the cell clean */
    int status;        /* of a keeper that is dead */
    int64_t cpu;       /* likewise */
    struct Cell *next; /* in the list of idle cells, the last used one first */
} Cell;

/* Takes an idle cell that was made for such a start; NULL if there is none. */
Cell *cell_take(const Sandbox *sandbox, const SandboxStart *start);

/* Makes a cell. If a namespace cannot be created, errno says why. */
Cell *cell_new(const Sandbox *sandbox, const SandboxStart *start, Error *error);

/* For a writable start with mounts of its own, before cell_run: a descriptor of the empty directory
   in which the build will work. -1 if the keeper has failed; it reports why. */
int cell_directory(const Cell *cell);

/* What differs between two bots in a cell. */
typedef struct CellRun {
    int fds[3];    /* standard input, output and error */
    uint64_t seed; /* SKIRMISH_SEED in its environment; 0: not set */
} CellRun;

/* Starts the bot. False if the keeper of an idle cell has died. */
bool cell_run(const Sandbox *sandbox, Cell *cell, const CellRun *run);

/* Reads what the keeper has reported; never waits. False if that is nothing yet. A keeper that died
   without a report counts as the bot: `code` is its own wait status. */
bool cell_report(Cell *cell, KeeperMessage *message);

/* Kills everything in it, and waits for the keeper. */
void cell_kill(Cell *cell);

/* Keeps the cell for the next start if it is clean; otherwise destroys it. */
void cell_end(const Sandbox *sandbox, Cell *cell);

/* Whether this process is the keeper of an idle cell. */
bool cell_is_idle(const Sandbox *sandbox, pid_t pid);

/* Destroys the idle cells. */
void cell_end_idle(const Sandbox *sandbox);

#endif
