/* The sandbox: what a bot's process may see, use and reach.

   Theory of operation. The referee R clones a keeper K into new namespaces: K is process 1 of a pid
   namespace, and has mounts, network, ipc and host name of its own (and a user namespace, when R is
   not root). K enters the bot's control groups, builds a small read-only root out of the system's
   /usr and the bot's own directory, gives up its rights, forks the bot B, and waits. When B ends K
   writes how to R over the status pipe and exits, and the kernel ends whatever else was started in
   the namespace. To end a bot R kills K. There are two processes and not one because process 1 does
   not die by its own signals, and because somebody has to collect orphans.

   Layers. Each is one thing that is held back, and is tried for real when the sandbox is prepared:
   a probe is launched by the very code that launches bots, and a layer that fails is noted with the
   call and the errno. `strict` refuses to go on without the required ones (network, files, memory,
   kill); `best-effort` goes on with what there is; nothing is ever lowered in silence. */
#ifndef BOTS_SANDBOX_H
#define BOTS_SANDBOX_H

#include "base/error.h"
#include "bots/cgroup.h"

#include <signal.h>
#include <stdint.h>
#include <sys/types.h>

typedef enum SandboxMode { SANDBOX_NONE, SANDBOX_BEST_EFFORT, SANDBOX_STRICT } SandboxMode;

/* As typed: strict, best-effort, none. */
const char *sandbox_mode_name(SandboxMode mode);
bool sandbox_mode_find(const char *name, SandboxMode *mode);

typedef enum Layer {
    LAYER_KILL,  /* pid namespace: everything ends with the bot */
    LAYER_FILES, /* mount namespace: a read-only root that shows runtimes and the bot's own files */
    LAYER_NETWORK,   /* an empty network namespace */
    LAYER_IPC,       /* ipc, uts and cgroup namespaces */
    LAYER_MEMORY,    /* control group */
    LAYER_PROCESSES, /* control group */
    LAYER_CPU,       /* control group: a share of the CPU, for bots that run at the same time */
    LAYER_FREEZE,    /* control group: stopped as a whole while another thinks */
    LAYER_UID,       /* a user of its own (only root can give one) */
    LAYER_RLIMITS,   /* open files, file size, no core dumps */
    LAYER_NO_NEW_PRIVS,
    LAYER_LANDLOCK,
    LAYER_SECCOMP,
    LAYERS
} Layer;

typedef struct SandboxLimits {
    uint64_t memory;    /* bytes */
    uint32_t processes; /* and threads */
    uint32_t open_files;
    uint64_t file_size; /* of one file */
    uint64_t tmp_size;  /* of the private /tmp */
    bool share;         /* of the CPU, equal among the bots and the referee */
    uint32_t cpu;       /* with `share`: percent of one core; 0: as much as there is */
} SandboxLimits;

extern const SandboxLimits sandbox_standard_limits;

typedef struct Sandbox Sandbox;

/* Tries every layer. NULL when a required one is missing in strict mode: the error names layer,
   call and errno; and in either mode when none could be tried. */
Sandbox *sandbox_new(SandboxMode mode, Error *error);
void sandbox_free(Sandbox *sandbox);

SandboxMode sandbox_mode(const Sandbox *sandbox);
bool sandbox_has(const Sandbox *sandbox, Layer layer);

/* Why a layer is missing: "unshare: Operation not permitted"; "" when it is there. */
const char *sandbox_reason(const Sandbox *sandbox, Layer layer);

const char *layer_name(Layer layer);
const char *layer_summary(Layer layer);
const char *layer_remedy(Layer layer);
bool layer_is_required(Layer layer);

/* The names of the layers that are active for bots with these limits, in order; returns how
   many. */
uint32_t sandbox_names(const Sandbox *sandbox, const SandboxLimits *limits, const char **names);

/* ---- for process.c ---- */

/* Bots of one sandbox that run at the same time have seats of their own, and with LAYER_UID users:
   what the kernel counts for a user, as inotify and pipes, one bot cannot use up for another. */
enum { SANDBOX_SEATS = 64 };

/* For a directory of that owner: -1 where bots have no user of their own, or where the kernel
   cannot, for this file system or for any. It stays the sandbox's, which keeps it until it is asked
   for another owner's for that seat: to make one costs more than any other part of a start. */
int sandbox_owner_map(const Sandbox *sandbox, uint32_t seat, const char *directory, uid_t uid,
                      gid_t gid);

/* Whether a bot with these limits has a control group. */
bool sandbox_groups(const Sandbox *sandbox, const SandboxLimits *limits);

/* Makes the control group of one bot. */
bool sandbox_group(const Sandbox *sandbox, const SandboxLimits *limits, Cgroup *group,
                   Error *error);

typedef struct SandboxStart {
    char *command;         /* for the shell, or NULL */
    char *program;         /* a file to run as it is */
    const char *directory; /* absolute; shown read-only, or writable for a build */
    bool writable;
    uint32_t seat;                 /* less than SANDBOX_SEATS */
    int owner;                     /* from sandbox_owner_map for the directory, or -1 */
    const char *program_directory; /* absolute, or NULL: shown as well */
    SandboxLimits limits;
    int in; /* become the bot's standard descriptors */
    int out;
    int err;
} SandboxStart;

/* Signals from R that make K stop, or let go on, everything in its namespace. Without a pid
   namespace they do nothing. */
#define SANDBOX_STOP SIGUSR1
#define SANDBOX_CONTINUE SIGUSR2

/* What the keeper has to say, over the status pipe. */
typedef struct KeeperMessage {
    int32_t ended; /* 1: `code` is the bot's wait status; 0: a layer failed, `code` is the errno */
    int32_t layer;
    int32_t code;
    char call[48];
} KeeperMessage;

/* Launches a bot. `status` becomes the read end of the status pipe. Returns K's pid, or -1. */
pid_t sandbox_launch(const Sandbox *sandbox, const SandboxStart *start, Cgroup *group, int *pidfd,
                     int *status, Error *error);

#endif
