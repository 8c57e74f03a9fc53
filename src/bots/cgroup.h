/* Control groups: limit what a bot and all its descendants may use together, measure what they have
   used, and stop or kill all of them at once.

   The kernel keeps its groups in directory trees. A v2 machine has one tree with all controllers; a
   v1 machine has one tree per controller; on a hybrid machine the controllers are v1, and there is
   a v2 tree without controllers. CgroupHost determines once which tree offers what; a Cgroup is one
   bot's directory in each tree that is needed.

   The "cpu" controller is used only for bots that need a share of the CPU. It makes the kernel
   schedule every bot as a group, which makes a switch between referee and bot more expensive, and
   bots that think in turn do not need it.

   On a v2 machine a group that delegates controllers to its children may hold no process. So this
   process creates "skirmish-runner-PID" in the group that it was started in, moves itself to
   "referee" in that group, and creates its bots' groups next to "referee". Referee and bots are
   scheduled as one group unless the runner's bots need a share.

   This module neither starts processes nor decides which limits a bot needs. */
#ifndef BOTS_CGROUP_H
#define BOTS_CGROUP_H

#include "base/error.h"

#include <stdint.h>
#include <sys/types.h>

typedef enum CgroupFeature {
    CGROUP_MEMORY,    /* a limit on memory, and the number of processes that it killed */
    CGROUP_PROCESSES, /* a limit on processes and threads */
    CGROUP_SHARE,     /* equal CPU time among groups that compete for it, and a limit on it */
    CGROUP_FREEZE,    /* freezing and thawing all at once */
    CGROUP_CPU,       /* CPU time used by all */
    CGROUP_KILL,      /* SIGKILL to all */
    CGROUP_FEATURES
} CgroupFeature;

typedef enum CgroupTree {
    CGROUP_V2,
    CGROUP_V1_MEMORY,
    CGROUP_V1_PIDS,
    CGROUP_V1_FREEZER,
    CGROUP_V1_CPUACCT, /* with "cpu" in it if the two share a tree */
    CGROUP_V1_CPU,
    CGROUP_TREES
} CgroupTree;

enum { CGROUP_PATH_MAX = 512, CGROUP_NAME_MAX = 48 };

/* One tree of groups. `base` is the directory in which bots' groups are created. */
typedef struct CgroupPlace {
    bool mounted;
    bool with_cpu;  /* the tree also has the "cpu" controller */
    bool reachable; /* our own group is beneath the mount point */
    char mount[CGROUP_PATH_MAX];
    char own[CGROUP_PATH_MAX];  /* our own group beneath `mount`: "" or "/a/b" */
    char path[CGROUP_PATH_MAX]; /* path of `base`, for messages */
    int base;                   /* -1: no groups can be created in this tree */
    Error reason;               /* why not */
} CgroupPlace;

/* Where this machine has its control groups, which features work, and why the others do not. */
typedef struct CgroupHost {
    CgroupPlace places[CGROUP_TREES];
    /* which file of which tree provides each feature (an index in cgroup.c); -1: none */
    int sources[CGROUP_FEATURES];
    Error reasons[CGROUP_FEATURES]; /* why a feature does not work: the call, the path, the error */
    /* why the v2 controller of a feature is not delegated to us; "" if it is */
    Error undelegated[CGROUP_FEATURES];
    char runner[CGROUP_NAME_MAX]; /* v2: this runner's group, in `above`; "" if none */
    /* the group in `above` that this process came from; "" for `above` itself */
    char home[CGROUP_PATH_MAX];
    int above;
    pid_t runner_pid;
} CgroupHost;

/* The text of /proc/self/mountinfo and /proc/self/cgroup. Tests set `prefix`, which is put in front
   of every mount point; elsewhere it is "". */
typedef struct CgroupFacts {
    const char *prefix;
    const char *mounts;
    const char *self;
} CgroupFacts;

/* Tries each feature on a trial group, and removes what dead runners left behind. On a v2 machine
   this process moves into its runner's group. True if all features work; otherwise see `sources`
   and `reasons`. Close the host in both cases. */
bool cgroup_host_find(CgroupHost *host);
bool cgroup_host_find_in(CgroupHost *host, const CgroupFacts *facts);

/* Kills the processes that remain in the groups of dead runners, and removes the groups that are
   empty. Unlike the other functions, this one needs no CgroupHost. */
void cgroup_end_leftovers(void);

/* Moves this process back to the group that it came from, and closes the descriptors. No Cgroup may
   be in use. */
void cgroup_host_close(CgroupHost *host);

/* Gives this runner's group (v2) only the CPU time that its siblings do not need. Without such a
   group, the runner and its bots share a group with others, and this does nothing. */
void cgroup_host_yield(const CgroupHost *host);

static inline bool cgroup_host_has(const CgroupHost *host, CgroupFeature feature) {
    return host->sources[feature] >= 0;
}

/* 0 means no limit. `processes` includes threads and the process that sets up the bot. */
typedef struct CgroupLimits {
    uint64_t memory; /* bytes, including swap */
    uint32_t processes;
    bool share;   /* schedule it as a group, with the same weight as the others */
    uint32_t cpu; /* percent of one core, with `share` */
} CgroupLimits;

/* One bot's group. The host must outlive it. All descriptors close on exec. */
typedef struct Cgroup {
    char name[CGROUP_NAME_MAX];    /* "skirmish-PID-N" */
    int bases[CGROUP_TREES];       /* the host's */
    int sources[CGROUP_FEATURES];  /* the host's */
    int directories[CGROUP_TREES]; /* -1: not needed */
    int entrances[CGROUP_TREES];   /* cgroup.procs, for writing */
    /* used during a match: freezing, CPU time, killing; -1 otherwise */
    int files[CGROUP_FEATURES];
    /* the kernel's counts at cgroup_restart */
    int64_t cpu_before;
    uint64_t kills_before;
    uint64_t refused_before;
} Cgroup;

/* Creates a group with every feature of the host (a share only if `limits` has it). Limits that the
   host does not support are left out. On failure, and on a host without any feature, nothing is
   left behind. The groups that a process has at a time either all have a share or none do: on v2
   the last one created decides. */
bool cgroup_create(const CgroupHost *host, const CgroupLimits *limits, Cgroup *group, Error *error);

/* Moves the calling process into the group. It only writes to files, so that a child can call it
   between fork and exec. After a pause the first such move on a machine takes several milliseconds,
   because the kernel synchronises all CPUs. */
bool cgroup_enter(const Cgroup *group);

/* A way without that delay, on v2: a descriptor for clone3's CLONE_INTO_CGROUP, which creates the
   child in the group, or -1 if there is no v2 group. Such a child calls cgroup_enter_v1 to move
   into its v1 groups, if any. */
int cgroup_clone_target(const Cgroup *group);
bool cgroup_enter_v1(const Cgroup *group);

/* Prepares an existing group for reuse: thaws it, and restarts the counts of CPU time, kills and
   refused processes. */
void cgroup_restart(Cgroup *group);

/* Bytes of memory that are charged to the group now; 0 if unknown. */
uint64_t cgroup_memory(const Cgroup *group);

/* The number of processes and threads in the group; 0 if unknown. */
uint64_t cgroup_processes(const Cgroup *group);

/* CPU time in nanoseconds of all processes that are or were in the group; -1 if unknown. */
int64_t cgroup_cpu(const Cgroup *group);

/* Nanoseconds during which a process in the group could have run but none did, because no core was
   free; -1 if unknown. Only v2 has this. */
int64_t cgroup_pressure(const Cgroup *group);

/* Nanoseconds during which the group's limit on CPU time kept it from running, summed over the
   cores; 0 without such a limit. */
int64_t cgroup_throttled(const Cgroup *group);

/* How many processes in the group were killed for lack of memory, and the peak memory use in bytes;
   0 if unknown. */
uint64_t cgroup_oom_kills(const Cgroup *group);
uint64_t cgroup_memory_peak(const Cgroup *group);

/* How often a new process or thread was refused at the limit; 0 if unknown. */
uint64_t cgroup_refused_processes(const Cgroup *group);

/* Freezes or thaws all processes in the group; false on failure. Does not wait until they have
   stopped. */
bool cgroup_freeze(const Cgroup *group, bool frozen);

/* Whether all processes have stopped. A process in a system call stops only when the call ends. */
bool cgroup_is_frozen(const Cgroup *group);

/* Kills all processes in the group, frozen or not, and waits until it is empty, for at most 2 s. */
void cgroup_kill(const Cgroup *group);

/* Kills what is left and removes the group. The kernel may keep it busy for a while, so this
   retries for 1 s; a later cgroup_host_find removes what remains. */
void cgroup_remove(Cgroup *group);

#endif
