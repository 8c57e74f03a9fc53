/* Only for the files sandbox*.c and for cell.c. */
#ifndef BOTS_SANDBOX_INTERNAL_H
#define BOTS_SANDBOX_INTERNAL_H

#include "bots/cell.h"
#include "bots/seccomp.h"

enum { PARTS_MAX = 24 };

/* A user namespace that maps an owner of directories to the bots' user. */
typedef struct OwnerMap {
    uid_t uid;
    gid_t gid;
    int map; /* -1: none */
} OwnerMap;

struct Sandbox {
    SandboxMode mode;
    bool has[LAYERS];
    char reason[LAYERS][160];
    CgroupHost cgroups;
    SeccompFilter filter;
    bool filter_built;
    int *networks; /* an empty network namespace for each seat, or -1: see sandbox_network */
    /* the user id outside; with LAYER_UID that of seat 0, followed by those of the other seats */
    uid_t uid;
    gid_t gid;
    OwnerMap *maps;         /* the last map of each seat */
    Cell **idle;            /* the list of idle cells */
    pid_t owner;            /* the process that the cells belong to */
    char *parts[PARTS_MAX]; /* parts of /etc and /var that runtimes and compilers need */
    uint32_t part_count;
};

/* The data that the keeper needs. */
typedef struct Keeper {
    const Sandbox *sandbox;
    const SandboxStart *start;
    const Cgroup *group;
    bool born_inside; /* created in the v2 group: no need to move there */
    int network;      /* the network namespace to join, or -1 */
    int control;      /* the socket to R */
    int counter;      /* the kernel's file with the namespace's last pid, or -1 */
    int tmp;          /* the bot's /tmp, or -1 */
    int supervisor;   /* the supervisor of the seccomp filter, or -1 */
    uid_t uid;        /* user id of the bot */
    gid_t gid;
} Keeper;

static inline uid_t sandbox_bot_uid(const Sandbox *sandbox, uint32_t seat) {
    return sandbox->uid + (sandbox->has[LAYER_UID] ? seat : 0);
}

static inline gid_t sandbox_bot_gid(const Sandbox *sandbox, uint32_t seat) {
    return sandbox->gid + (sandbox->has[LAYER_UID] ? seat : 0);
}

/* The keeper: see sandbox_keeper.c. */
_Noreturn void keeper_run(Keeper *keeper, bool user_namespace);

/* Writes a small file, creating it if needed. Returns false with errno set. */
bool sandbox_write_file(const char *path, const char *text);

/* Tests whether namespaces (CLONE_NEW...) can be created. Returns 0 or the errno. */
int sandbox_namespace_failure(uint64_t namespaces);

/* The empty network namespace of a seat; -1 if each of its bots gets a new one. */
int sandbox_network(const Sandbox *sandbox, uint32_t seat);

#endif
