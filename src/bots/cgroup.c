/* See cgroup.h.

   The file has two halves. The first looks for the trees: from the kernel's own lists to mount points, from there to a directory in which
   groups can be made, and then, on a trial group, to the file that gives each feature (SOURCES, best first). The second is the
   life of one bot's group.

   Where groups are made: on v2 with controllers beneath our own group, since that is what an administrator hands over ("delegates"); where that
   is not to be had, because others are in our group, beneath the root of the tree, which is root's to do. On v1 and in a v2 tree without
   controllers beneath the root of the tree, or, where that is not allowed or our own group has a limit that bots would get out of, beneath our
   own. */
#include "bots/cgroup.h"

#include "base/buffer.h"
#include "base/clock.h"
#include "base/slice.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define GROUP_PREFIX "skirmish-"
#define RUNNER_PREFIX GROUP_PREFIX "runner-"
#define REFEREE "referee"

enum {
    TEXT_MAX = 4096,
    NAMES_TRIED = 100,
    KILL_MS = 2000,
    REMOVE_MS = 1000,
    CPU_PERIOD_US = 100000
};

/* The controller that a v1 tree is known by; NULL for v2. */
static const char *const CONTROLLERS[CGROUP_TREES] = {
    [CGROUP_V1_MEMORY] = "memory",   [CGROUP_V1_PIDS] = "pids", [CGROUP_V1_FREEZER] = "freezer",
    [CGROUP_V1_CPUACCT] = "cpuacct", [CGROUP_V1_CPU] = "cpu",
};

/* The files in which a tree says how much its groups may have, to see whether we are kept within a limit ourselves. */
static const char *const LIMIT_FILES[CGROUP_TREES][2] = {
    [CGROUP_V2] = {"memory.max", "pids.max"},
    [CGROUP_V1_MEMORY] = {"memory.limit_in_bytes"},
    [CGROUP_V1_PIDS] = {"pids.max"},
};

/* v2's controllers. */
static const struct {
    const char *name;
    CgroupFeature feature;
} V2_CONTROLLERS[] = {{"memory", CGROUP_MEMORY}, {"pids", CGROUP_PROCESSES}, {"cpu", CGROUP_SHARE}};
enum { V2_CONTROLLER_COUNT = sizeof V2_CONTROLLERS / sizeof *V2_CONTROLLERS };

/* What a machine without control groups cannot do. */
static const char *const FEATURE_VERBS[CGROUP_FEATURES] = {
    [CGROUP_MEMORY] = "limit memory", [CGROUP_PROCESSES] = "limit processes",
    [CGROUP_SHARE] = "share the CPU", [CGROUP_FREEZE] = "stop bots",
    [CGROUP_CPU] = "count CPU time",  [CGROUP_KILL] = "end bots",
};

/* Where a feature comes from, the best source of each first. */
typedef struct Source {
    CgroupFeature feature;
    CgroupTree tree;
    const char *file;
    const char *trial; /* what a trial group gets written; NULL: reading is enough */
    int flags;
    bool without_cpu; /* not if the tree is that of "cpu" too */
} Source;

static const Source SOURCES[] = {
    {CGROUP_MEMORY, CGROUP_V2, "memory.max", "max", O_WRONLY, false},
    {CGROUP_MEMORY, CGROUP_V1_MEMORY, "memory.limit_in_bytes", "-1", O_WRONLY, false},
    {CGROUP_PROCESSES, CGROUP_V2, "pids.max", "max", O_WRONLY, false},
    {CGROUP_PROCESSES, CGROUP_V1_PIDS, "pids.max", "max", O_WRONLY, false},
    {CGROUP_SHARE, CGROUP_V2, "cpu.max", "max", O_WRONLY, false},
    {CGROUP_SHARE, CGROUP_V1_CPU, "cpu.shares", "1024", O_WRONLY, false},
    {CGROUP_SHARE, CGROUP_V1_CPUACCT, "cpu.shares", "1024", O_WRONLY, false},
    {CGROUP_FREEZE, CGROUP_V2, "cgroup.freeze", "0", O_WRONLY, false},
    {CGROUP_FREEZE, CGROUP_V1_FREEZER, "freezer.state", "THAWED", O_WRONLY, false},
    /* v1 counts nanoseconds, v2 microseconds. */
    {CGROUP_CPU, CGROUP_V1_CPUACCT, "cpuacct.usage", NULL, O_RDONLY, true},
    {CGROUP_CPU, CGROUP_V2, "cpu.stat", NULL, O_RDONLY, false},
    {CGROUP_CPU, CGROUP_V1_CPUACCT, "cpuacct.usage", NULL, O_RDONLY, false},
    {CGROUP_KILL, CGROUP_V2, "cgroup.kill", "1", O_WRONLY, false},
    /* One by one, from the list of those inside. The freezer first: what stands still starts nobody. */
    {CGROUP_KILL, CGROUP_V2, "cgroup.procs", NULL, O_RDONLY, false},
    {CGROUP_KILL, CGROUP_V1_FREEZER, "cgroup.procs", NULL, O_RDONLY, false},
    {CGROUP_KILL, CGROUP_V1_PIDS, "cgroup.procs", NULL, O_RDONLY, false},
    {CGROUP_KILL, CGROUP_V1_MEMORY, "cgroup.procs", NULL, O_RDONLY, false},
};
enum { SOURCE_COUNT = sizeof SOURCES / sizeof *SOURCES };

/* ---- small files ---- */

static bool write_text(int file, const char *text) {
    return write(file, text, strlen(text)) >= 0;
}

static bool write_at(int directory, const char *name, const char *text) {
    int file = openat(directory, name, O_WRONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    bool written = write_text(file, text);
    int reason = errno;
    close(file);
    errno = reason;
    return written;
}

/* The beginning of an open file as a string in `text`; an empty one if it cannot be read. */
static Slice read_text(int file, char text[TEXT_MAX]) {
    ssize_t count = file < 0 ? -1 : pread(file, text, TEXT_MAX - 1, 0);
    size_t length = count < 0 ? 0 : (size_t)count;
    text[length] = '\0';
    return (Slice){text, length};
}

static Slice read_at(int directory, const char *name, char text[TEXT_MAX]) {
    int file = openat(directory, name, O_RDONLY | O_CLOEXEC);
    Slice content = read_text(file, text);
    if (file >= 0)
        close(file);
    return content;
}

static bool has_word(Slice text, const char *wanted) {
    Slice word;
    while (slice_word(&text, &word))
        if (slice_equals(slice_trim(word), wanted))
            return true;
    return false;
}

/* The number behind `key` at the beginning of a line ("oom_kill 3"), or 0. */
static uint64_t keyed_number(Slice text, const char *key) {
    for (Slice line, word; slice_line(&text, &line);) {
        int64_t value;
        if (slice_word(&line, &word) && slice_equals(word, key) &&
            slice_int(slice_trim(line), &value) && value >= 0)
            return (uint64_t)value;
    }
    return 0;
}

static void close_file(int *file) {
    if (*file >= 0)
        close(*file);
    *file = -1;
}

static void pause_for(int64_t nanoseconds) {
    nanosleep(&(struct timespec){.tv_nsec = (long)nanoseconds}, NULL);
}

/* ---- finding the trees ---- */

/* The next of a comma-separated list. */
static bool take_item(Slice *list, Slice *item) {
    if (list->length == 0)
        return false;
    const char *comma = memchr(list->at, ',', list->length);
    *item = (Slice){list->at, comma ? (size_t)(comma - list->at) : list->length};
    size_t taken = item->length + (comma != NULL);
    *list = (Slice){list->at + taken, list->length - taken};
    return true;
}

static bool has_item(Slice list, const char *wanted) {
    for (Slice item; take_item(&list, &item);)
        if (slice_equals(item, wanted))
            return true;
    return false;
}

/* Copies a path of mountinfo, where blanks and the like are written as \040. False if it does not fit. */
static bool copy_path(char to[CGROUP_PATH_MAX], const char *prefix, Slice path) {
    size_t length = strlen(prefix);
    if (length >= CGROUP_PATH_MAX)
        return false;
    memcpy(to, prefix, length);
    for (size_t i = 0; i < path.length; i++) {
        char c = path.at[i];
        if (c == '\\' && i + 3 < path.length) {
            c = (char)((path.at[i + 1] - '0') << 6 | (path.at[i + 2] - '0') << 3 |
                       (path.at[i + 3] - '0'));
            i += 3;
        }
        if (length + 1 >= CGROUP_PATH_MAX)
            return false;
        to[length++] = c;
    }
    to[length] = '\0';
    return true;
}

/* Our own group in a tree, from /proc/self/cgroup: lines like "4:memory:/a/b", and "0::/a/b" for v2. */
static Slice own_group(const char *self, CgroupTree tree) {
    Slice rest = slice_of(self);
    for (Slice line; slice_line(&rest, &line);) {
        const char *first = memchr(line.at, ':', line.length);
        const char *second =
            first ? memchr(first + 1, ':', line.length - (size_t)(first + 1 - line.at)) : NULL;
        if (!second)
            continue;
        Slice list = {first + 1, (size_t)(second - first - 1)};
        if (CONTROLLERS[tree] ? has_item(list, CONTROLLERS[tree]) : list.length == 0)
            return (Slice){second + 1, line.length - (size_t)(second + 1 - line.at)};
    }
    return (Slice){0};
}

/* Notes where a tree is mounted and where in it we are. A mount may show only what lies beneath `root`. */
static void place_locate(CgroupPlace *place, const CgroupFacts *facts, CgroupTree tree, Slice root,
                         Slice mount) {
    char shown[CGROUP_PATH_MAX];
    if (!copy_path(place->mount, facts->prefix, mount) || !copy_path(shown, "", root))
        return;
    place->mounted = true;
    Slice own = own_group(facts->self, tree);
    if (strcmp(shown, "/") != 0 && !slice_skip(&own, shown))
        return;
    if (slice_equals(own, "/"))
        own.length = 0;
    /* "/.." is how a cgroup namespace names what is outside of it. */
    bool beneath = own.length == 0 || (own.at[0] == '/' &&
                                       memcmp(own.at, "/..", own.length < 3 ? own.length : 3) != 0);
    place->reachable = own.at && beneath && own.length < sizeof place->own;
    if (place->reachable && own.length > 0)
        memcpy(place->own, own.at, own.length);
}

/* Reads the lines of mountinfo: "id parent device root mount options... - type source options". The first mount of a tree counts. */
static void locate(CgroupHost *host, const CgroupFacts *facts) {
    Slice rest = slice_of(facts->mounts);
    for (Slice line; slice_line(&rest, &line);) {
        enum { ROOT = 3, MOUNT, FIELDS };
        Slice fields[FIELDS];
        int count = 0;
        while (count < FIELDS && slice_word(&line, &fields[count]))
            count++;
        if (count < FIELDS)
            continue;
        Slice skipped;
        while (slice_word(&line, &skipped) && !slice_equals(skipped, "-"))
            continue;
        Slice type;
        Slice options = {0};
        if (!slice_word(&line, &type) || !slice_word(&line, &skipped))
            continue;
        slice_word(&line, &options);
        bool v1 = slice_equals(type, "cgroup");
        if (!v1 && !slice_equals(type, "cgroup2"))
            continue;
        for (CgroupTree tree = 0; tree < CGROUP_TREES; tree++) {
            CgroupPlace *place = &host->places[tree];
            if (place->mounted ||
                (CONTROLLERS[tree] ? !v1 || !has_item(options, CONTROLLERS[tree]) : v1))
                continue;
            if (tree == CGROUP_V1_CPU && has_item(options, CONTROLLERS[CGROUP_V1_CPUACCT]))
                continue; /* one tree, and a group has one directory in it */
            place->with_cpu = has_item(options, "cpu");
            place_locate(place, facts, tree, fields[ROOT], fields[MOUNT]);
        }
    }
}

/* ---- finding a directory for groups ---- */

/* Whether our own group, or one above it beneath the mount point, has a limit. */
static bool own_is_limited(const CgroupPlace *place, CgroupTree tree) {
    char own[CGROUP_PATH_MAX];
    memcpy(own, place->own, sizeof own);
    for (char *end; (end = strrchr(own, '/')); *end = '\0')
        for (int i = 0; i < 2 && LIMIT_FILES[tree][i]; i++) {
            char path[2 * CGROUP_PATH_MAX + 32];
            char text[TEXT_MAX];
            snprintf(path, sizeof path, "%s%s/%s", place->mount, own, LIMIT_FILES[tree][i]);
            int64_t limit;
            /* Without a limit it says "max", or the largest number that is whole pages. */
            if (slice_int(slice_trim(read_at(AT_FDCWD, path, text)), &limit) &&
                limit < INT64_MAX / 2)
                return true;
        }
    return false;
}

/* The process that a group of ours belongs to, from its name; 0 if it is not one of ours. */
static pid_t owner_of(const char *name) {
    const char *digits = NULL;
    if (strncmp(name, RUNNER_PREFIX, strlen(RUNNER_PREFIX)) == 0)
        digits = name + strlen(RUNNER_PREFIX);
    else if (strncmp(name, GROUP_PREFIX, strlen(GROUP_PREFIX)) == 0)
        digits = name + strlen(GROUP_PREFIX);
    if (!digits || *digits < '1' || *digits > '9')
        return 0;
    char *end;
    errno = 0;
    long pid = strtol(digits, &end, 10);
    return errno == 0 && (*end == '-' || *end == '\0') && pid <= INT32_MAX ? (pid_t)pid : 0;
}

/* Calls `visit` for every name in the directory `name`, which may go while it is read. */
static void each_entry(int base, const char *name, void (*visit)(int directory, const char *name)) {
    int copy = openat(base, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *directory = copy < 0 ? NULL : fdopendir(copy);
    if (!directory) {
        close_file(&copy);
        return;
    }
    for (const struct dirent *entry; (entry = readdir(directory));)
        visit(dirfd(directory), entry->d_name);
    closedir(directory);
}

static void remove_inner(int directory, const char *name) {
    if (strcmp(name, REFEREE) == 0 || owner_of(name) > 0)
        unlinkat(directory, name, AT_REMOVEDIR);
}

/* A runner's group with those in it. What still has a process in it stays: the kernel refuses. */
static void remove_runner(int base, const char *name) {
    each_entry(base, name, remove_inner);
    unlinkat(base, name, AT_REMOVEDIR);
}

/* Removes a group if its runner is no more. */
static void remove_leftover(int base, const char *name) {
    pid_t owner = owner_of(name);
    if (owner > 0 && kill(owner, 0) != 0 && errno == ESRCH)
        remove_runner(base, name);
}

/* Moves this process into the referee's group of a new runner's in `base`. False sets `undelegated`. */
static bool step_aside(CgroupHost *host, int base, const char *path, Error *reason) {
    char referee[CGROUP_NAME_MAX + 16];
    char procs[CGROUP_NAME_MAX + 32];
    snprintf(host->runner, sizeof host->runner, RUNNER_PREFIX "%d", (int)getpid());
    snprintf(referee, sizeof referee, "%s/" REFEREE, host->runner);
    snprintf(procs, sizeof procs, "%s/cgroup.procs", referee);
    host->runner_pid = getpid();
    if (mkdirat(base, host->runner, 0755) != 0 && errno != EEXIST)
        error_set(reason, "mkdir %s/%s: %s", path, host->runner, strerror(errno));
    else if (mkdirat(base, referee, 0755) != 0 && errno != EEXIST)
        error_set(reason, "mkdir %s/%s: %s", path, referee, strerror(errno));
    else if (!write_at(base, procs, "0"))
        error_set(reason, "write %s/%s: %s", path, procs, strerror(errno));
    else
        return true;
    remove_runner(base, host->runner);
    host->runner[0] = '\0';
    return false;
}

/* Back to where this process came from. */
static void step_back(CgroupHost *host, int base) {
    char procs[CGROUP_PATH_MAX + 16];
    snprintf(procs, sizeof procs, "%s%scgroup.procs", host->home, host->home[0] ? "/" : "");
    if (write_at(base, procs, "0"))
        remove_runner(base, host->runner);
    host->runner[0] = '\0';
}

/* Gives controllers (or takes them, with the sign '-') to the groups in `directory`: those named in `given`, if their state is another. True
   if nothing was to be done. False leaves errno, and what was written in `change`. */
static bool give_controllers(int directory, const char *control, Slice given, char sign,
                             char change[64]) {
    char text[TEXT_MAX];
    Slice enabled = read_at(directory, control, text);
    size_t length = 0;
    change[0] = '\0';
    for (int i = 0; i < V2_CONTROLLER_COUNT; i++)
        if (has_word(given, V2_CONTROLLERS[i].name) &&
            has_word(enabled, V2_CONTROLLERS[i].name) != (sign == '+'))
            length += (size_t)snprintf(change + length, 64 - length, "%s%c%s", length ? " " : "",
                                       sign, V2_CONTROLLERS[i].name);
    return length == 0 || write_at(directory, control, change);
}

/* Makes v2's controllers those of the groups of a runner's group in `base`. Returns that group, or -1 with `undelegated` set. */
static int enable_controllers(CgroupHost *host, int base, const char *path) {
    static const char control[] = "cgroup.subtree_control";
    char text[TEXT_MAX];
    char change[64];
    char inner[CGROUP_NAME_MAX + 32];
    Slice given = read_at(base, "cgroup.controllers", text);
    bool any = false;
    for (int i = 0; i < V2_CONTROLLER_COUNT; i++) {
        bool listed = has_word(given, V2_CONTROLLERS[i].name);
        Error *reason = &host->undelegated[V2_CONTROLLERS[i].feature];
        reason->text[0] = '\0';
        if (!listed)
            error_set(reason, "%s/cgroup.controllers does not list %s", path,
                      V2_CONTROLLERS[i].name);
        any = any || listed;
    }
    Error reason = {""};
    if (!any || !step_aside(host, base, path, &reason))
        goto undelegated;
    snprintf(inner, sizeof inner, "%s/%s", host->runner, control);
    const char *failed = control;
    if (give_controllers(base, control, given, '+', change)) {
        failed = inner;
        if (give_controllers(base, inner, given, '+', change)) {
            int runner = openat(base, host->runner, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
            if (runner >= 0)
                return runner;
        }
    }
    int number = errno;
    error_set(&reason, "write \"%s\" to %s/%s: %s%s", change, path, failed, strerror(number),
              number == EBUSY ? " (other processes are in this group; start in one of its own)"
                              : "");
    step_back(host, base);
undelegated:
    for (int i = 0; i < V2_CONTROLLER_COUNT; i++) {
        Error *to = &host->undelegated[V2_CONTROLLERS[i].feature];
        if (!to->text[0])
            *to = reason;
    }
    return -1;
}

/* Whether nobody else is in our runner's group, and, with `above`, nobody counts on the controllers that we enabled in the one above it. Those that stay
   enabled do no harm, and the group that we leave then is a leftover to be removed by others. */
static bool is_alone(const CgroupHost *host, bool above) {
    struct stat status;
    char procs[CGROUP_NAME_MAX + 32];
    char text[TEXT_MAX];
    int64_t pid;
    snprintf(procs, sizeof procs, "%s/" REFEREE "/cgroup.procs", host->runner);
    return (!above || (fstat(host->above, &status) == 0 && status.st_nlink == 3)) &&
           slice_int(slice_trim(read_at(host->above, procs, text)), &pid) &&
           pid == host->runner_pid;
}

static void leave_runner(CgroupHost *host) {
    char change[64];
    Slice all = slice_of("memory pids cpu");
    bool came_from_above = host->home[0] == '\0';
    /* Only the root of all groups may hold processes while it gives controllers; it is the one that has no type. */
    bool root = faccessat(host->above, "cgroup.type", F_OK, 0) != 0;
    if (host->runner_pid != getpid() || !is_alone(host, came_from_above && !root))
        return;
    if (came_from_above && !root) {
        give_controllers(host->places[CGROUP_V2].base, "cgroup.subtree_control", all, '-', change);
        give_controllers(host->above, "cgroup.subtree_control", all, '-', change);
    }
    step_back(host, host->above);
}

/* Makes the group's directory in one tree and opens what is needed there; a name that is taken is left as EEXIST in errno. */
static bool make_directory(Cgroup *group, CgroupTree tree, const char *path, Error *error) {
    int base = group->bases[tree];
    if (mkdirat(base, group->name, 0755) != 0) {
        int reason = errno;
        error_set(error, "mkdir %s/%s: %s", path, group->name, strerror(reason));
        errno = reason;
        return false;
    }
    int directory = openat(base, group->name, O_PATH | O_DIRECTORY | O_CLOEXEC);
    int entrance = directory < 0 ? -1 : openat(directory, "cgroup.procs", O_WRONLY | O_CLOEXEC);
    if (entrance >= 0) {
        group->directories[tree] = directory;
        group->entrances[tree] = entrance;
        return true;
    }
    int reason = errno;
    close_file(&directory);
    unlinkat(base, group->name, AT_REMOVEDIR);
    error_set(error, "open %s/%s/cgroup.procs: %s", path, group->name, strerror(reason));
    errno = reason;
    return false;
}

/* Opens the directory that groups go to, and proves it with the trial's. False leaves the reason. */
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
    each_entry(base, ".", remove_leftover);
    int runner = tree == CGROUP_V2 ? enable_controllers(host, base, path) : -1;
    if (runner >= 0) {
        host->above = base;
        base = runner;
        snprintf(path + strlen(path), sizeof path - strlen(path), "/%s", host->runner);
    }
    memcpy(place->path, path, sizeof place->path);
    trial->bases[tree] = base;
    if (make_directory(trial, tree, place->path, &place->reason)) {
        place->base = base;
        place->reason.text[0] = '\0'; /* of a place tried before */
        return true;
    }
    if (runner >= 0) {
        step_back(host, host->above);
        close_file(&host->above);
    }
    trial->bases[tree] = -1;
    close(base);
    return false;
}

/* Our own group, or the one above it if ours is where a runner, this or the one that started us, stepped aside to: then the rest is `home`. */
static void own_base(const CgroupPlace *place, char own[CGROUP_PATH_MAX],
                     char home[CGROUP_PATH_MAX]) {
    memcpy(own, place->own, CGROUP_PATH_MAX);
    char *last = strrchr(own, '/');
    if (!last || strcmp(last + 1, REFEREE) != 0)
        return;
    *last = '\0';
    char *runner = strrchr(own, '/');
    *last = '/';
    if (!runner || strncmp(runner + 1, RUNNER_PREFIX, strlen(RUNNER_PREFIX)) != 0)
        return;
    memcpy(home, runner + 1, strlen(runner + 1) + 1);
    *runner = '\0';
}

/* Takes a place that was found back. */
static void place_close(CgroupHost *host, CgroupTree tree, Cgroup *trial) {
    CgroupPlace *place = &host->places[tree];
    if (place->base < 0)
        return;
    close_file(&trial->directories[tree]);
    close_file(&trial->entrances[tree]);
    unlinkat(place->base, trial->name, AT_REMOVEDIR);
    trial->bases[tree] = -1;
    if (host->runner[0])
        leave_runner(host);
    close_file(&host->above);
    close_file(&place->base);
}

/* A place in v2 with controllers: beneath our own group, or, if memory cannot be limited there and we are root, beneath the root of the tree. If not there
   either our own group has what it has, and the reason why it has no more is its. */
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
    /* In a tree of the "cpu" controller bots share with who stands beside them, and that shall be us. */
    bool keep_within = limited || (tree != CGROUP_V2 && place->with_cpu);
    own_base(place, own, host->home);
    if (tree == CGROUP_V2) {
        char path[CGROUP_PATH_MAX + 32];
        char text[TEXT_MAX];
        snprintf(path, sizeof path, "%s/cgroup.controllers", place->mount);
        keep_within = slice_trim(read_at(AT_FDCWD, path, text)).length > 0;
    }
    if (keep_within && !place->reachable) {
        error_set(&place->reason, "our own group is not beneath %s", place->mount);
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

/* Sends a child into the trial's groups. What keeps it out of one closes that tree. */
static void try_entrances(CgroupHost *host, const Cgroup *trial) {
    int reasons[CGROUP_TREES];
    int ends[2];
    for (CgroupTree tree = 0; tree < CGROUP_TREES; tree++)
        reasons[tree] = ECHILD; /* stays if the child says nothing */
    if (pipe2(ends, O_CLOEXEC) == 0) {
        pid_t child = fork();
        if (child == 0) {
            for (CgroupTree tree = 0; tree < CGROUP_TREES; tree++)
                reasons[tree] =
                    trial->entrances[tree] < 0 || write_text(trial->entrances[tree], "0") ? 0
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

/* Whether one source works on the trial group. False leaves the reason. */
static bool try_source(const CgroupHost *host, const Source *source, const Cgroup *trial,
                       Error *reason) {
    const CgroupPlace *place = &host->places[source->tree];
    if (place->reason.text[0])
        return error_set(reason, "%s", place->reason.text);
    int file = openat(trial->directories[source->tree], source->file, source->flags | O_CLOEXEC);
    bool works = file >= 0 && (!source->trial || write_text(file, source->trial));
    int error = errno;
    close_file(&file);
    if (works)
        return true;
    if (source->tree == CGROUP_V2 && host->undelegated[source->feature].text[0])
        return error_set(reason, "%s", host->undelegated[source->feature].text);
    return error_set(reason, "%s %s/%s/%s: %s", source->trial ? "write" : "open", place->path,
                     trial->name, source->file, strerror(error));
}

static void feature_find(CgroupHost *host, CgroupFeature feature, const Cgroup *trial) {
    Error *reason = &host->reasons[feature];
    error_set(reason, "no control groups that could %s are mounted", FEATURE_VERBS[feature]);
    for (int i = 0; i < SOURCE_COUNT; i++) {
        const Source *source = &SOURCES[i];
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

static Cgroup no_group(void) {
    Cgroup group = {0};
    for (CgroupTree tree = 0; tree < CGROUP_TREES; tree++)
        group.bases[tree] = group.directories[tree] = group.entrances[tree] = -1;
    for (CgroupFeature feature = 0; feature < CGROUP_FEATURES; feature++)
        group.sources[feature] = group.files[feature] = -1;
    return group;
}

/* Whether a feature comes from this tree, the share not counted if it is not asked for. */
static bool is_needed(const CgroupHost *host, CgroupTree tree, bool share) {
    for (CgroupFeature feature = 0; feature < CGROUP_FEATURES; feature++)
        if (cgroup_host_has(host, feature) && SOURCES[host->sources[feature]].tree == tree &&
            (share || feature != CGROUP_SHARE))
            return true;
    return false;
}

bool cgroup_host_find_in(CgroupHost *host, const CgroupFacts *facts) {
    *host = (CgroupHost){.above = -1};
    for (CgroupTree tree = 0; tree < CGROUP_TREES; tree++)
        host->places[tree].base = -1;
    for (CgroupFeature feature = 0; feature < CGROUP_FEATURES; feature++)
        host->sources[feature] = -1;
    locate(host, facts);

    Cgroup trial = no_group();
    snprintf(trial.name, sizeof trial.name, GROUP_PREFIX "%d-0", (int)getpid());
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
        if (!is_needed(host, tree, true) && !(tree == CGROUP_V2 && host->runner[0]))
            close_file(&host->places[tree].base);
    return all;
}

/* The whole of a file of /proc; an empty text if it cannot be read. */
static const char *read_whole(Buffer *buffer, const char *path) {
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t count;
    while (file >= 0 && (count = read(file, buffer_reserve(buffer, TEXT_MAX), TEXT_MAX)) > 0)
        buffer->length += (size_t)count;
    close_file(&file);
    return buffer_string(buffer);
}

bool cgroup_host_find(CgroupHost *host) {
    Buffer mounts = {0};
    Buffer self = {0};
    bool all = cgroup_host_find_in(host, &(CgroupFacts){
                                             .prefix = "",
                                             .mounts = read_whole(&mounts, "/proc/self/mountinfo"),
                                             .self = read_whole(&self, "/proc/self/cgroup"),
                                         });
    buffer_free(&mounts);
    buffer_free(&self);
    return all;
}

void cgroup_host_close(CgroupHost *host) {
    if (host->runner[0])
        leave_runner(host);
    close_file(&host->above);
    for (CgroupTree tree = 0; tree < CGROUP_TREES; tree++)
        close_file(&host->places[tree].base);
    for (CgroupFeature feature = 0; feature < CGROUP_FEATURES; feature++)
        host->sources[feature] = -1;
}

/* ---- one bot's group ---- */

/* The source of a feature that the group has; NULL if it has not. */
static const Source *source_of(const Cgroup *group, CgroupFeature feature) {
    return group->sources[feature] < 0 ? NULL : &SOURCES[group->sources[feature]];
}

/* Makes the directories under one name. A name that is taken anywhere leaves EEXIST in errno, and none of ours. */
static bool make_directories(const CgroupHost *host, Cgroup *group, Error *error) {
    for (CgroupTree tree = 0; tree < CGROUP_TREES; tree++) {
        if (group->bases[tree] < 0 || make_directory(group, tree, host->places[tree].path, error))
            continue;
        int reason = errno;
        for (CgroupTree made = 0; made < tree; made++) {
            if (group->bases[made] < 0)
                continue;
            unlinkat(group->bases[made], group->name, AT_REMOVEDIR);
            close_file(&group->directories[made]);
            close_file(&group->entrances[made]);
        }
        errno = reason;
        return false;
    }
    return true;
}

static bool set_limit(const CgroupHost *host, const Cgroup *group, CgroupFeature feature,
                      uint64_t limit, Error *error) {
    const Source *source = source_of(group, feature);
    if (!source || limit == 0)
        return true;
    char text[24];
    const char *file = source->file;
    if (feature == CGROUP_SHARE) {
        /* In microseconds of CPU time in each tenth of a second. */
        limit *= CPU_PERIOD_US / 100;
        if (source->tree != CGROUP_V2)
            file = "cpu.cfs_quota_us";
    }
    snprintf(text, sizeof text, "%" PRIu64, limit);
    int directory = group->directories[source->tree];
    if (!write_at(directory, file, text))
        return error_set(error, "write %s to %s/%s/%s: %s", text, host->places[source->tree].path,
                         group->name, file, strerror(errno));
    if (feature != CGROUP_MEMORY)
        return true;
    /* Swap is memory too. Where the kernel does not count it, these files are not there. */
    if (source->tree == CGROUP_V2)
        write_at(directory, "memory.swap.max", "0");
    else if (!write_at(directory, "memory.memsw.limit_in_bytes", text))
        write_at(directory, "memory.swappiness", "0");
    return true;
}

/* Opens what is wanted while a match is on. */
static bool open_files(const CgroupHost *host, Cgroup *group, Error *error) {
    for (CgroupFeature feature = CGROUP_FREEZE; feature < CGROUP_FEATURES; feature++) {
        const Source *source = source_of(group, feature);
        if (!source)
            continue;
        group->files[feature] =
            openat(group->directories[source->tree], source->file, source->flags | O_CLOEXEC);
        if (group->files[feature] < 0)
            return error_set(error, "open %s/%s/%s: %s", host->places[source->tree].path,
                             group->name, source->file, strerror(errno));
    }
    return true;
}

/* On v2 it is for all groups of this runner that the controller is there or not. */
static bool give_share(const CgroupHost *host, bool share, Error *error) {
    char change[64];
    if (!host->runner[0] || !cgroup_host_has(host, CGROUP_SHARE))
        return true;
    const CgroupPlace *place = &host->places[CGROUP_V2];
    if (give_controllers(place->base, "cgroup.subtree_control", slice_of("cpu"), share ? '+' : '-',
                         change))
        return true;
    return error_set(error, "write \"%s\" to %s/cgroup.subtree_control: %s", change, place->path,
                     strerror(errno));
}

bool cgroup_create(const CgroupHost *host, const CgroupLimits *limits, Cgroup *group,
                   Error *error) {
    static atomic_uint last;
    *group = no_group();
    bool any = false;
    for (CgroupTree tree = 0; tree < CGROUP_TREES; tree++)
        if (is_needed(host, tree, limits->share)) {
            group->bases[tree] = host->places[tree].base;
            any = true;
        }
    if (!any)
        return error_set(error, "no control groups: %s", host->reasons[CGROUP_MEMORY].text);
    memcpy(group->sources, host->sources, sizeof group->sources);
    if (!limits->share)
        group->sources[CGROUP_SHARE] = -1;
    if (!give_share(host, limits->share, error)) {
        *group = no_group();
        return false;
    }
    /* A runner in another pid namespace, or a dead one before us, may have had our number. */
    bool made = false;
    for (int i = 0; i < NAMES_TRIED && !made; i++) {
        snprintf(group->name, sizeof group->name, GROUP_PREFIX "%d-%u", (int)getpid(),
                 atomic_fetch_add(&last, 1) + 1);
        made = make_directories(host, group, error);
        if (!made && errno != EEXIST)
            break;
    }
    if (!made) {
        *group = no_group();
        return false;
    }
    if (set_limit(host, group, CGROUP_MEMORY, limits->memory, error) &&
        set_limit(host, group, CGROUP_PROCESSES, limits->processes, error) &&
        set_limit(host, group, CGROUP_SHARE, limits->cpu, error) && open_files(host, group, error))
        return true;
    cgroup_remove(group);
    return false;
}

static bool enter_from(const Cgroup *group, CgroupTree first) {
    for (CgroupTree tree = first; tree < CGROUP_TREES; tree++)
        if (group->entrances[tree] >= 0 && write(group->entrances[tree], "0", 1) != 1)
            return false;
    return true;
}

bool cgroup_enter(const Cgroup *group) {
    return enter_from(group, CGROUP_V2);
}

int cgroup_clone_target(const Cgroup *group) {
    return group->directories[CGROUP_V2];
}

bool cgroup_enter_v1(const Cgroup *group) {
    return enter_from(group, CGROUP_V2 + 1);
}

int64_t cgroup_cpu(const Cgroup *group) {
    char text[TEXT_MAX];
    const Source *source = source_of(group, CGROUP_CPU);
    Slice content = read_text(group->files[CGROUP_CPU], text);
    if (!source || content.length == 0)
        return -1;
    int64_t nanoseconds;
    if (source->tree == CGROUP_V2)
        return (int64_t)keyed_number(content, "usage_usec") * 1000;
    return slice_int(slice_trim(content), &nanoseconds) ? nanoseconds : -1;
}

int64_t cgroup_pressure(const Cgroup *group) {
    char text[TEXT_MAX];
    if (group->directories[CGROUP_V2] < 0)
        return -1;
    Slice rest = read_at(group->directories[CGROUP_V2], "cpu.pressure", text);
    Slice line;
    Slice word;
    int64_t microseconds;
    while (slice_line(&rest, &line))
        if (slice_word(&line, &word) && slice_equals(word, "full"))
            while (slice_word(&line, &word))
                if (slice_skip(&word, "total=") && slice_int(word, &microseconds))
                    return microseconds * 1000;
    return -1;
}

uint64_t cgroup_oom_kills(const Cgroup *group) {
    char text[TEXT_MAX];
    const Source *source = source_of(group, CGROUP_MEMORY);
    if (!source)
        return 0;
    const char *file = source->tree == CGROUP_V2 ? "memory.events" : "memory.oom_control";
    return keyed_number(read_at(group->directories[source->tree], file, text), "oom_kill");
}

uint64_t cgroup_memory_peak(const Cgroup *group) {
    char text[TEXT_MAX];
    const Source *source = source_of(group, CGROUP_MEMORY);
    if (!source)
        return 0;
    const char *file = source->tree == CGROUP_V2 ? "memory.peak" : "memory.max_usage_in_bytes";
    int64_t bytes;
    Slice content = slice_trim(read_at(group->directories[source->tree], file, text));
    return slice_int(content, &bytes) && bytes > 0 ? (uint64_t)bytes : 0;
}

uint64_t cgroup_refused_processes(const Cgroup *group) {
    char text[TEXT_MAX];
    const Source *source = source_of(group, CGROUP_PROCESSES);
    return source
               ? keyed_number(read_at(group->directories[source->tree], "pids.events", text), "max")
               : 0;
}

bool cgroup_freeze(const Cgroup *group, bool frozen) {
    const Source *source = source_of(group, CGROUP_FREEZE);
    if (!source)
        return false;
    const char *v2 = frozen ? "1" : "0";
    const char *v1 = frozen ? "FROZEN" : "THAWED";
    return write_text(group->files[CGROUP_FREEZE], source->tree == CGROUP_V2 ? v2 : v1);
}

/* Sends SIGKILL to those that the group's list names, as many as fit in one reading; a number that may be cut off is not one of them. */
static void kill_listed(Slice list) {
    while (list.length > 0 && list.at[list.length - 1] != '\n')
        list.length--;
    for (Slice line; slice_line(&list, &line);) {
        int64_t pid;
        if (slice_int(line, &pid) && pid > 0) /* 0: one that our pid namespace does not know */
            kill((pid_t)pid, SIGKILL);
    }
}

void cgroup_kill(const Cgroup *group) {
    const Source *source = source_of(group, CGROUP_KILL);
    if (!source)
        return;
    bool one_by_one = source->trial == NULL;
    char text[TEXT_MAX];
    int64_t deadline = clock_now() + KILL_MS * CLOCK_MS;
    if (!one_by_one)
        write_text(group->files[CGROUP_KILL], source->trial);
    for (int64_t wait = CLOCK_MS / 50;; wait = wait < 2 * CLOCK_MS ? 2 * wait : wait) {
        Slice list = read_at(group->directories[source->tree], "cgroup.procs", text);
        if (list.length == 0 || clock_now() > deadline)
            return;
        if (one_by_one) {
            /* Frozen, they cannot start others while the list is read; v1's freezer lets nobody die before it thaws. */
            cgroup_freeze(group, true);
            kill_listed(read_at(group->directories[source->tree], "cgroup.procs", text));
            cgroup_freeze(group, false);
        }
        pause_for(wait);
    }
}

void cgroup_remove(Cgroup *group) {
    cgroup_kill(group);
    int64_t deadline = clock_now() + REMOVE_MS * CLOCK_MS;
    for (CgroupTree tree = 0; tree < CGROUP_TREES; tree++) {
        if (group->directories[tree] < 0)
            continue;
        close_file(&group->directories[tree]);
        close_file(&group->entrances[tree]);
        while (unlinkat(group->bases[tree], group->name, AT_REMOVEDIR) != 0 && errno == EBUSY &&
               clock_now() < deadline)
            pause_for(CLOCK_MS / 20);
    }
    for (CgroupFeature feature = 0; feature < CGROUP_FEATURES; feature++)
        close_file(&group->files[feature]);
    *group = no_group();
}
