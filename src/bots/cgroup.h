/* Control groups: what a bot and everything it starts may use together, what they have used, and
   the way to stop or end all of them at once.

   The kernel keeps its groups in directory trees. On a v2 machine there is one, with every
   controller in it; on a v1 machine there is one a controller; on a hybrid one the controllers are
   v1 and a v2 tree without controllers stands beside them. CgroupHost finds out, once, which tree
   gives what here; a Cgroup is one bot's directory in each of the trees that are needed.

   The "cpu" controller is used for bots that ask for a share only. It makes the kernel schedule
   every bot as a group, which is the share; but handing the core over between referee and bot then
   costs more, and bots that think in turn have no use for it.

   On a v2 machine this process makes a group of its own beneath the one that it was started in,
   since a group that has controllers to give may hold no process: "skirmish-runner-PID", with
   itself in "referee" in there and its bots beside that. So referee and bots are scheduled as one
   group as long as none of them asks for a share, and the bots of one runner ask for themselves.

   This neither starts processes nor decides which limits a bot needs. */
#ifndef BOTS_CGROUP_H
#define BOTS_CGROUP_H

#include "base/error.h"

#include <stdint.h>
#include <sys/types.h>

typedef enum CgroupFeature {
    CGROUP_MEMORY,    /* a limit on memory, and the count of those killed by it */
    CGROUP_PROCESSES, /* a limit on processes and threads */
    CGROUP_SHARE,     /* as much CPU time as any other group when all want it, and a limit on it */
    CGROUP_FREEZE,    /* stopping all at once, and letting them go on */
    CGROUP_CPU,       /* the CPU time of all */
    CGROUP_KILL,      /* SIGKILL to all */
    CGROUP_FEATURES
} CgroupFeature;

typedef enum CgroupTree {
    CGROUP_V2,
    CGROUP_V1_MEMORY,
    CGROUP_V1_PIDS,
    CGROUP_V1_FREEZER,
    CGROUP_V1_CPUACCT, /* with "cpu" in it, where the two share a tree */
    CGROUP_V1_CPU,
    CGROUP_TREES
} CgroupTree;

enum { CGROUP_PATH_MAX = 512, CGROUP_NAME_MAX = 48 };

/* One tree of groups. `base` is the directory that bots' groups are made in. */
typedef struct CgroupPlace {
    bool mounted;
    bool with_cpu;  /* the tree is that of the "cpu" controller as well */
    bool reachable; /* our own group lies beneath the mount point */
    char mount[CGROUP_PATH_MAX];
    char own[CGROUP_PATH_MAX];  /* our own group beneath `mount`: "" or "/a/b" */
    char path[CGROUP_PATH_MAX]; /* of `base`, for messages */
    int base;                   /* -1: no groups can be made in this tree */
    Error reason;               /* why not */
} CgroupPlace;

/* Where this machine keeps its control groups, found once; which of the features can be had, and
   why not. */
typedef struct CgroupHost {
    CgroupPlace places[CGROUP_TREES];
    /* which file of which tree gives it (an index in cgroup.c); -1: none */
    int sources[CGROUP_FEATURES];
    Error reasons[CGROUP_FEATURES]; /* why not: the call, the path, what the kernel said */
    /* why v2's controller for it is not ours to use; empty if it is */
    Error undelegated[CGROUP_FEATURES];
    char runner[CGROUP_NAME_MAX]; /* v2: the group of this runner, in `above`; "" if none */
    char home[CGROUP_PATH_MAX];   /* where in `above` this process came from; "" for itself */
    int above;
    pid_t runner_pid;
} CgroupHost;

/* What the kernel says of its groups: the text of /proc/self/mountinfo and of /proc/self/cgroup.
   `prefix` goes in front of every mount point, for tests; elsewhere it is "". */
typedef struct CgroupFacts {
    const char *prefix;
    const char *mounts;
    const char *self;
} CgroupFacts;

/* Tries each feature on a group of its own, and removes what dead runners left. On a v2 machine
   this process moves into its runner's group. It never fails hard: true if all features are there,
   and otherwise `sources` and `reasons` tell. cgroup_host_close is due in either case. */
bool cgroup_host_find(CgroupHost *host);
bool cgroup_host_find_in(CgroupHost *host, const CgroupFacts *facts);

/* Kills what is still in the groups of dead runners, and removes those that are empty. The other
   functions need a CgroupHost; this one does not. */
void cgroup_end_leftovers(void);

/* Goes back to the group that this process came from, if it left it, and closes the descriptors. No
   Cgroup may be in use. */
void cgroup_host_close(CgroupHost *host);

static inline bool cgroup_host_has(const CgroupHost *host, CgroupFeature feature) {
    return host->sources[feature] >= 0;
}

/* 0 means no limit. `processes` counts threads too, and everybody in the group: also who set the
   bot up. */
typedef struct CgroupLimits {
    uint64_t memory; /* bytes; swap counts */
    uint32_t processes;
    bool share;   /* be scheduled as a group, with the same weight as every other */
    uint32_t cpu; /* percent of one core, with `share` */
} CgroupLimits;

/* One bot's group. The host must stay open as long as it. All descriptors close on exec. */
typedef struct Cgroup {
    char name[CGROUP_NAME_MAX];    /* "skirmish-PID-N" */
    int bases[CGROUP_TREES];       /* the host's */
    int sources[CGROUP_FEATURES];  /* the host's */
    int directories[CGROUP_TREES]; /* -1: not needed */
    int entrances[CGROUP_TREES];   /* cgroup.procs, to be written */
    /* what is wanted in the middle of a match: freezing, CPU time, killing; -1 else */
    int files[CGROUP_FEATURES];
} Cgroup;

/* Makes a group with every feature that the host has (a share only if that is asked for); a limit
   that the host cannot keep is left out, as `host->reasons` told. On failure, which includes a host
   that has nothing at all, nothing is left behind. Of the groups that one process has at a time
   either all ask for a share or none does: on v2 the last one made decides. */
bool cgroup_create(const CgroupHost *host, const CgroupLimits *limits, Cgroup *group, Error *error);

/* Moves the calling process into the group. For the child between fork and exec: it does nothing
   but write. When nobody on the machine has been moved for a while, the kernel lets the first to be
   moved wait for several milliseconds (it synchronises all CPUs). */
bool cgroup_enter(const Cgroup *group);

/* The same without that wait, on v2: a descriptor for clone3's CLONE_INTO_CGROUP, so that the child
   is born in the group, or -1 if there is no v2 group. A child born there calls cgroup_enter_v1,
   which moves it into the rest; on a pure v2 machine there is none. */
int cgroup_clone_target(const Cgroup *group);
bool cgroup_enter_v1(const Cgroup *group);

/* Nanoseconds used by all that are or were in it; -1 if it cannot be known. */
int64_t cgroup_cpu(const Cgroup *group);

/* Nanoseconds in which somebody in it could have run and nobody did, for want of a core; -1 if it
   cannot be known. Only the second version of control groups keeps it. */
int64_t cgroup_pressure(const Cgroup *group);

/* How many processes in it the kernel has killed for memory, and the most memory that they held, in
   bytes; 0 if it cannot be known. */
uint64_t cgroup_oom_kills(const Cgroup *group);
uint64_t cgroup_memory_peak(const Cgroup *group);

/* How often somebody in it was refused a new process or thread at the limit; 0 if it cannot be
   known. */
uint64_t cgroup_refused_processes(const Cgroup *group);

/* Stops all in the group or lets them go on; false if it cannot. Each stops when the kernel next
   has it in hand, which the caller does not wait for. */
bool cgroup_freeze(const Cgroup *group, bool frozen);

/* SIGKILL to everything in it, frozen or not; waits until it is empty, for two seconds at most. */
void cgroup_kill(const Cgroup *group);

/* Kills what is left and removes the group. The kernel may need a moment to let go of it: tried
   again for a second; what remains even then is removed by a later cgroup_host_find. */
void cgroup_remove(Cgroup *group);

#endif
