/* The sandbox: what a bot's process may see, use and reach.

   Theory of operation. The referee R clones a keeper K into new namespaces: K is process 1 of a pid
   namespace, with its own mounts, network, ipc and host name (and user namespace, when R is not
   root). K enters the bot's control groups, builds a small read-only root from the system's /usr
   and the bot's directory, and drops its privileges: all this together is a cell (cell.h). Then K
   waits at its control socket for the bot's standard descriptors, starts the bot B, and waits for
   it. B inherits every restriction from K, so that a start in an existing cell costs little more
   than one without a sandbox. When B ends, K kills and reaps all other processes in the namespace,
   checks whether the cell is as it was before, and reports that and B's status to R. Then it waits
   for the next start. R keeps a clean cell for the next start of the same bot. To end a bot that
   does not end by itself, R kills K, and the kernel kills everything in the namespace. There are
   two processes because process 1 ignores signals that it has no handler for, and because something
   has to reap orphans.

   Layers. Each restricts one thing. When the sandbox is prepared, the code that launches bots
   launches a probe, and a layer that fails is recorded with the system call and the errno. `strict`
   requires all layers, `strict-except-uid` all layers that an ordinary user can have; `best-effort`
   uses those that work. No layer is dropped silently. */
#ifndef BOTS_SANDBOX_H
#define BOTS_SANDBOX_H

#include "base/error.h"
#include "bots/cgroup.h"

#include <stdint.h>
#include <sys/types.h>

typedef enum SandboxMode {
    SANDBOX_NONE,
    SANDBOX_BEST_EFFORT,
    SANDBOX_STRICT_EXCEPT_UID,
    SANDBOX_STRICT,
} SandboxMode;

/* As typed; ends with NULL. */
extern const char *const sandbox_mode_names[];

typedef enum Layer {
    LAYER_KILL,      /* pid namespace: everything that a bot started ends with it */
    LAYER_FILES,     /* mount namespace: a read-only root with runtimes and the bot's files */
    LAYER_NETWORK,   /* an empty network namespace */
    LAYER_IPC,       /* ipc, uts and cgroup namespaces */
    LAYER_MEMORY,    /* control group */
    LAYER_PROCESSES, /* control group */
    LAYER_CPU,       /* control group: a share of the CPU for bots that run at the same time */
    LAYER_FREEZE,    /* control group: the whole group is frozen while another bot thinks */
    LAYER_UID,       /* a separate user (root only) */
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
    uint64_t file_size; /* the limit of one file */
    uint64_t tmp_size;  /* the size of the private /tmp */
    bool share;         /* the bots and the referee get equal shares of the CPU */
    uint32_t cpu;       /* with `share`: percent of one core; 0: no limit */
} SandboxLimits;

extern const SandboxLimits sandbox_standard_limits;

/* Where bots find programs. */
#define SANDBOX_PATH "/usr/local/bin:/usr/bin:/bin"

typedef struct Sandbox Sandbox;

/* Tests every layer. Returns NULL if one that the mode requires is missing (the error names the
   layer, the system call and the errno), and in any mode if the layers could not be tested. */
Sandbox *sandbox_new(SandboxMode mode, Error *error);
void sandbox_free(Sandbox *sandbox);

/* Gives this process and its bots only the CPU time that other control groups do not need. Within a
   group, SCHED_IDLE has this effect. */
void sandbox_yield(const Sandbox *sandbox);

SandboxMode sandbox_mode(const Sandbox *sandbox);
bool sandbox_has(const Sandbox *sandbox, Layer layer);

/* Why a layer is missing: "unshare: Operation not permitted"; "" if it works. */
const char *sandbox_reason(const Sandbox *sandbox, Layer layer);

const char *layer_name(Layer layer);
const char *layer_summary(Layer layer);
const char *layer_remedy(Layer layer);
bool layer_is_required(Layer layer, SandboxMode mode);

/* Fills in the names of the layers that are active for bots with these limits, in order, and
   returns their number. */
uint32_t sandbox_names(const Sandbox *sandbox, const SandboxLimits *limits, const char **names);

/* ---- for process.c ---- */

/* Bots of one sandbox that run at the same time have different seats, and with LAYER_UID different
   users, so that one bot cannot exhaust for another what the kernel limits per user (timers,
   pipes). */
enum { SANDBOX_SEATS = 64 };

/* A user namespace that maps the directory's owner to the bot's user; -1 without LAYER_UID, or if
   the kernel or the file system cannot map owners. The sandbox owns it and keeps it until the seat
   needs one for another owner: creating one is the most expensive part of a start. */
int sandbox_owner_map(const Sandbox *sandbox, uint32_t seat, const char *directory, uid_t uid,
                      gid_t gid);

/* Whether a bot with these limits has a control group. */
bool sandbox_groups(const Sandbox *sandbox, const SandboxLimits *limits);

/* Creates the control group of one bot. */
bool sandbox_group(const Sandbox *sandbox, const SandboxLimits *limits, Cgroup *group,
                   Error *error);

#endif
