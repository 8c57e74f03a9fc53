/* See cgroup.h: finds, in each tree, a directory in which groups can be created, and then, with a
   trial group, the file that provides each feature.

   Where groups are created. On v2 with controllers: beneath our own group, because that is the one
   that an administrator delegates; if that fails because our group has other processes, beneath the
   root of the tree, which only root can do. On v1 and on v2 without controllers: beneath the root
   of the tree; if that is not allowed, or if our own group has a limit that bots would escape,
   beneath our own group. */
#include "bots/cgroup_internal.h"

#include "base/buffer.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* The files with the limit of a group, to determine whether our own group is limited. */
static const char *const LIMIT_FILES[CGROUP_TREES] = {
    [CGROUP_V2] = "memory.max", /* not pids.max, which every login session has */
    [CGROUP_V1_MEMORY] = "memory.limit_in_bytes",
    [CGROUP_V1_PIDS] = "pids.max",
};

/* For messages about machines without control groups. */
static const char *const FEATURE_VERBS[CGROUP_FEATURES] = {
    [CGROUP_MEMORY] = "limit memory", [CGROUP_PROCESSES] = "limit processes",
    [CGROUP_SHARE] = "share the CPU", [CGROUP_FREEZE] = "stop bots",
    [CGROUP_CPU] = "count CPU time",  [CGROUP_KILL] = "end bots",
};

/* ---- finding a directory for groups ---- */

/* Whether our own group, or one above it beneath the mount point, has a limit. */
static bool own_is_limited(const CgroupPlace *place, CgroupTree tree) {
    if (!LIMIT_FILES[tree])
        return false;
    char own[CGROUP_PATH_MAX];
    memcpy(own, place->own, sizeof own);
    for (char *end; (end = strrchr(own, '/')); *end = '\0') {
        char path[2 * CGROUP_PATH_MAX + 32];
        char text[TEXT_MAX];
        snprintf(path, sizeof path, "%s%s/%s", place->mount, own, LIMIT_FILES[tree]);
        int64_t limit;
        /* Without a limit it says "max", or the largest number that is whole pages. */
        if (slice_int(slice_trim(cgroup_read_at(AT_FDCWD, path, text)), &limit) &&
            limit < INT64_MAX / 2)
            return true;
    }
    return false;
}

/* Creates a runner's group in `base` and moves this process into its "referee" group. Returns false
   with the reason set. */
static bool step_aside(CgroupHost *host, int base, const char *path, Error *reason) {
    char referee[CGROUP_NAME_MAX + 16];
    char procs[CGROUP_NAME_MAX + 32];
    char space[CGROUP_SPACE_SIZE];
    cgroup_space(space);
    snprintf(host->runner, sizeof host->runner, RUNNER_PREFIX "%s%d", space, (int)getpid());
    snprintf(referee, sizeof referee, "%s/" REFEREE, host->runner);
    snprintf(procs, sizeof procs, "%s/cgroup.procs", referee);
    host->runner_pid = getpid();
    if (mkdirat(base, host->runner, 0755) != 0 && errno != EEXIST)
        error_set(reason, "mkdir %s/%s: %s", path, host->runner, strerror(errno));
    else if (mkdirat(base, referee, 0755) != 0 && errno != EEXIST)
        error_set(reason, "mkdir %s/%s: %s", path, referee, strerror(errno));
    else if (!cgroup_write_at(base, procs, "0"))
        error_set(reason, "write %s/%s: %s", path, procs, strerror(errno));
    else
        return true;
    cgroup_remove_runner(base, host->runner);
    host->runner[0] = '\0';
    return false;
}

/* Moves this process back to the group that it came from. */
static void step_back(CgroupHost *host, int base) {
    char procs[CGROUP_PATH_MAX + 16];
    snprintf(procs, sizeof procs, "%s%scgroup.procs", host->home, host->home[0] ? "/" : "");
    if (cgroup_write_at(base, procs, "0"))
        cgroup_remove_runner(base, host->runner);
    host->runner[0] = '\0';
}

/* Creates a runner's group in `base` and enables the v2 controllers for the groups in it. Returns
   that group, or -1 with `undelegated` set. */
static int enable_controllers(CgroupHost *host, int base, const char *path) {
    static const char control[] = "cgroup.subtree_control";
    char text[TEXT_MAX];
    char change[64];
    char inner[CGROUP_NAME_MAX + 32];
    Slice given = cgroup_read_at(base, "cgroup.controllers", text);
    bool any = false;
    for (int i = 0; i < CGROUP_CONTROLLERS; i++) {
        bool listed = cgroup_has_word(given, cgroup_controllers[i].name);
        Error *reason = &host->undelegated[cgroup_controllers[i].feature];
        reason->text[0] = '\0';
        if (!listed)
            error_set(reason, "%s/cgroup.controllers does not list %s", path,
                      cgroup_controllers[i].name);
        any = any || listed;
    }
    Error reason = {0};
    if (!any || !step_aside(host, base, path, &reason))
        goto undelegated;
    snprintf(inner, sizeof inner, "%s/%s", host->runner, control);
    const char *failed = control;
    if (cgroup_give_controllers(base, control, given, '+', change)) {
        failed = inner;
        if (cgroup_give_controllers(base, inner, given, '+', change)) {
            int runner = openat(base, host->runner, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
            if (runner >= 0)
                return runner;
        }
    }
    int number = errno;
    error_set(&reason, "write \"%s\" to %s/%s: %s%s", change, path, failed, strerror(number),
              number == EBUSY ? " (other processes are in this group; start in a separate group)"
                              : "");
    step_back(host, base);
undelegated:
    for (int i = 0; i < CGROUP_CONTROLLERS; i++) {
        Error *to = &host->undelegated[cgroup_controllers[i].feature];
        if (!to->text[0])
            *to = reason;
    }
    return -1;
}

/* Whether we are alone in our runner's group and, with `above`, nobody else needs the controllers
   that we enabled in the group above it. If not, the controllers stay enabled, which does no harm,
   and others remove our group as a leftover. */
static bool is_alone(const CgroupHost *host, bool above) {
    struct stat status;
    char procs[CGROUP_NAME_MAX + 32];
    char text[TEXT_MAX];
    int64_t pid;
    snprintf(procs, sizeof procs, "%s/" REFEREE "/cgroup.procs", host->runner);
    return (!above || (fstat(host->above, &status) == 0 && status.st_nlink == 3)) &&
           slice_int(slice_trim(cgroup_read_at(host->above, procs, text)), &pid) &&
           pid == host->runner_pid;
}

static void leave_runner(CgroupHost *host) {
    char change[64];
    Slice all = slice_of("memory pids cpu");
    bool came_from_above = host->home[0] == '\0';
    /* Only the root group may hold processes while it delegates controllers; only it has no
       cgroup.type. */
    bool root = faccessat(host->above, "cgroup.type", F_OK, 0) != 0;
    if (host->runner_pid != getpid() || !is_alone(host, came_from_above && !root))
        return;
    if (came_from_above && !root) {
        cgroup_give_controllers(host->places[CGROUP_V2].base, "cgroup.subtree_control", all, '-',
                                change);
        cgroup_give_controllers(host->above, "cgroup.subtree_control", all, '-', change);
    }
    step_back(host, host->above);
}

/* Opens the directory for groups and creates the trial group in it. Returns false with the reason
   set. */
static bool place_open(CgroupHost *host, CgroupTree tree, const char *beneath, Cgroup *trial) {
    CgroupPlace *place = &host->places[tree];
    char path[2 * CGROUP_PATH_MAX + CGROUP_NAME_MAX];
    if (snprintf(path, sizeof path, "%s%s", place->mount, beneath) >=
        CGROUP_PATH_MAX - CGROUP_NAME_MAX)
        return error_set(&place->reason, "the path of our own group in %s is too long",
                         place->mount);
    int base = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (base < 0)
        return error_set(&place->reason, "open %s: %s", path, strerror(errno));
    cgroup_remove_leftovers(base);
    int runner = tree == CGROUP_V2 ? enable_controllers(host, base, path) : -1;
    if (runner >= 0) {
        host->above = base;
        base = runner;
        snprintf(path + strlen(path), sizeof path - strlen(path), "/%s", host->runner);
    }
    memcpy(place->path, path, sizeof place->path);
    trial->bases[tree] = base;
    if (cgroup_make_directory(trial, tree, place->path, &place->reason)) {
        place->base = base;
        place->reason.text[0] = '\0'; /* left by a place tried earlier */
        return true;
    }
    if (runner >= 0) {
        step_back(host, host->above);
        cgroup_close_file(&host->above);
    }
    trial->bases[tree] = -1;
    close(base);
    return false;
}

/* Undoes place_open. */
static void place_close(CgroupHost *host, CgroupTree tree, Cgroup *trial) {
    CgroupPlace *place = &host->places[tree];
    if (place->base < 0)
        return;
    cgroup_close_file(&trial->directories[tree]);
    cgroup_close_file(&trial->entrances[tree]);
    unlinkat(place->base, trial->name, AT_REMOVEDIR);
    trial->bases[tree] = -1;
    if (host->runner[0])
        leave_runner(host);
    cgroup_close_file(&host->above);
    cgroup_close_file(&place->base);
}

/* Finds a place in v2 with controllers: beneath our own group, or, if memory cannot be limited
   there and we are root, beneath the root of the tree. If that fails too, uses our own group with
   the features that it has, and reports its reasons. */
static void place_find_delegated(CgroupHost *host, const char *own, bool limited, Cgroup *trial) {
    const CgroupPlace *place = &host->places[CGROUP_V2];
    const char *reason = host->undelegated[CGROUP_MEMORY].text;
    place_open(host, CGROUP_V2, own, trial);
    if ((place->base >= 0 && !reason[0]) || own[0] == '\0' || limited || geteuid() != 0)
        return;
    place_close(host, CGROUP_V2, trial);
    char home[CGROUP_PATH_MAX];
    memcpy(home, host->home, sizeof home);
    memcpy(host->home, place->own + 1, strlen(place->own + 1) + 1);
    place_open(host, CGROUP_V2, "", trial);
    if (place->base >= 0 && !reason[0])
        return;
    place_close(host, CGROUP_V2, trial);
    memcpy(host->home, home, sizeof home);
    place_open(host, CGROUP_V2, own, trial);
}

static void place_find(CgroupHost *host, CgroupTree tree, Cgroup *trial) {
    CgroupPlace *place = &host->places[tree];
    if (!place->mounted)
        return;
    char own[CGROUP_PATH_MAX];
    bool limited = own_is_limited(place, tree);
    /* In a tree with the "cpu" controller, bots compete for the CPU with their siblings, so keep
       them beneath our own group. */
    bool keep_within = limited || (tree != CGROUP_V2 && place->with_cpu);
    cgroup_own_base(place, own, host->home);
    if (tree == CGROUP_V2) {
        char path[CGROUP_PATH_MAX + 32];
        char text[TEXT_MAX];
        snprintf(path, sizeof path, "%s/cgroup.controllers", place->mount);
        keep_within = slice_trim(cgroup_read_at(AT_FDCWD, path, text)).length > 0;
    }
    if (keep_within && !place->reachable) {
        error_set(&place->reason, "our control group is not beneath %s", place->mount);
        return;
    }
    if (tree == CGROUP_V2 && keep_within) {
        place_find_delegated(host, own, limited, trial);
        return;
    }
    bool found = !keep_within && place_open(host, tree, "", trial);
    if (!found && place->reachable && (keep_within || own[0] != '\0'))
        place_open(host, tree, own, trial);
}

/* ---- finding the features ---- */

/* Moves a child into the trial groups. A tree is not used if its group cannot be entered. */
static void try_entrances(CgroupHost *host, const Cgroup *trial) {
    int reasons[CGROUP_TREES];
    int ends[2];
    for (CgroupTree tree = 0; tree < CGROUP_TREES; tree++)
        reasons[tree] = ECHILD; /* unless the child reports another error */
    if (pipe2(ends, O_CLOEXEC) == 0) {
        pid_t child = fork();
        if (child == 0) {
            for (CgroupTree tree = 0; tree < CGROUP_TREES; tree++)
                reasons[tree] =
                    trial->entrances[tree] < 0 || cgroup_write_text(trial->entrances[tree], "0")
                        ? 0
                        : errno;
            _exit(write(ends[1], reasons, sizeof reasons) == (ssize_t)sizeof reasons ? 0 : 1);
        }
        close(ends[1]);
        if (child > 0) {
            while (read(ends[0], reasons, sizeof reasons) < 0 && errno == EINTR)
                continue;
            while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
                continue;
        }
        close(ends[0]);
    }
    for (CgroupTree tree = 0; tree < CGROUP_TREES; tree++) {
        CgroupPlace *place = &host->places[tree];
        if (place->base >= 0 && reasons[tree] != 0) {
            error_set(&place->reason, "write \"0\" to %s/%s/cgroup.procs: %s", place->path,
                      trial->name, strerror(reasons[tree]));
        }
    }
}

/* Whether one source works on the trial group. Returns false with the reason set. */
static bool try_source(const CgroupHost *host, const Source *source, const Cgroup *trial,
                       Error *reason) {
    const CgroupPlace *place = &host->places[source->tree];
    if (place->reason.text[0])
        return error_set(reason, "%s", place->reason.text);
    int file = openat(trial->directories[source->tree], source->file, source->flags | O_CLOEXEC);
    bool works = file >= 0 && (!source->trial || cgroup_write_text(file, source->trial));
    int error = errno;
    cgroup_close_file(&file);
    if (works)
        return true;
    if (source->tree == CGROUP_V2 && host->undelegated[source->feature].text[0])
        return error_set(reason, "%s", host->undelegated[source->feature].text);
    return error_set(reason, "%s %s/%s/%s: %s", source->trial ? "write" : "open", place->path,
                     trial->name, source->file, strerror(error));
}

static void feature_find(CgroupHost *host, CgroupFeature feature, const Cgroup *trial) {
    Error *reason = &host->reasons[feature];
    error_set(reason, "no control groups that can %s are mounted", FEATURE_VERBS[feature]);
    for (int i = 0; i < CGROUP_SOURCES; i++) {
        const Source *source = &cgroup_sources[i];
        const CgroupPlace *place = &host->places[source->tree];
        if (source->feature != feature || !place->mounted ||
            (source->without_cpu && place->with_cpu))
            continue;
        if (!try_source(host, source, trial, reason))
            continue;
        host->sources[feature] = i;
        reason->text[0] = '\0';
        return;
    }
}

bool cgroup_host_find_in(CgroupHost *host, const CgroupFacts *facts) {
    cgroup_locate(host, facts);

    Cgroup trial = cgroup_none();
    char space[CGROUP_SPACE_SIZE];
    cgroup_space(space);
    snprintf(trial.name, sizeof trial.name, GROUP_PREFIX "%s%d-0", space, (int)getpid());
    for (CgroupTree tree = 0; tree < CGROUP_TREES; tree++)
        place_find(host, tree, &trial);
    try_entrances(host, &trial);
    bool all = true;
    for (CgroupFeature feature = 0; feature < CGROUP_FEATURES; feature++) {
        feature_find(host, feature, &trial);
        all = all && cgroup_host_has(host, feature);
    }
    cgroup_remove(&trial);
    for (CgroupTree tree = 0; tree < CGROUP_TREES; tree++)
        if (!cgroup_needs(host, tree, true) && !(tree == CGROUP_V2 && host->runner[0]))
            cgroup_close_file(&host->places[tree].base);
    return all;
}

bool cgroup_host_find(CgroupHost *host) {
    CgroupKernelFacts kernel;
    cgroup_read_facts(&kernel);
    bool all = cgroup_host_find_in(host, &kernel.facts);
    cgroup_free_facts(&kernel);
    return all;
}

void cgroup_host_yield(const CgroupHost *host) {
    int group = host->places[CGROUP_V2].base;
    /* cpu.idle has existed since Linux 5.15. */
    if (host->runner[0] && !cgroup_write_at(group, "cpu.idle", "1"))
        cgroup_write_at(group, "cpu.weight", "1");
}

void cgroup_host_close(CgroupHost *host) {
    for (CgroupTree tree = 0; tree < CGROUP_TREES; tree++)
        if (host->places[tree].base >= 0)
            cgroup_remove_leftovers(
                tree == CGROUP_V2 && host->above >= 0 ? host->above : host->places[tree].base);
    if (host->runner[0])
        leave_runner(host);
    cgroup_close_file(&host->above);
    for (CgroupTree tree = 0; tree < CGROUP_TREES; tree++)
        cgroup_close_file(&host->places[tree].base);
    for (CgroupFeature feature = 0; feature < CGROUP_FEATURES; feature++)
        host->sources[feature] = -1;
}
