/* See cgroup.h: one bot's group, and what the cgroup_*.c files share. */
#include "bots/cgroup_internal.h"

#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { NAMES_TRIED = 100, KILL_MS = 2000, REMOVE_MS = 1000, CPU_PERIOD_US = 100000 };

const Source cgroup_sources[CGROUP_SOURCES] = {
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
    /* Kills one process after the other, from the list of processes. Freeze first: frozen processes
       start no others. */
    {CGROUP_KILL, CGROUP_V2, "cgroup.procs", NULL, O_RDONLY, false},
    {CGROUP_KILL, CGROUP_V1_FREEZER, "cgroup.procs", NULL, O_RDONLY, false},
    {CGROUP_KILL, CGROUP_V1_PIDS, "cgroup.procs", NULL, O_RDONLY, false},
    {CGROUP_KILL, CGROUP_V1_MEMORY, "cgroup.procs", NULL, O_RDONLY, false},
};

const V2Controller cgroup_controllers[CGROUP_CONTROLLERS] = {
    {"memory", CGROUP_MEMORY}, {"pids", CGROUP_PROCESSES}, {"cpu", CGROUP_SHARE}};

/* ---- small files ---- */

bool cgroup_write_text(int file, const char *text) {
    return write(file, text, strlen(text)) >= 0;
}

bool cgroup_write_at(int directory, const char *name, const char *text) {
    int file = openat(directory, name, O_WRONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    bool written = cgroup_write_text(file, text);
    int reason = errno;
    close(file);
    errno = reason;
    return written;
}

/* Reads the beginning of an open file into `text` as a string; "" if it cannot be read. */
static Slice read_text(int file, char text[TEXT_MAX]) {
    ssize_t count = file < 0 ? -1 : pread(file, text, TEXT_MAX - 1, 0);
    size_t length = count < 0 ? 0 : (size_t)count;
    text[length] = '\0';
    return (Slice){text, length};
}

Slice cgroup_read_at(int directory, const char *name, char text[TEXT_MAX]) {
    int file = openat(directory, name, O_RDONLY | O_CLOEXEC);
    Slice content = read_text(file, text);
    if (file >= 0)
        close(file);
    return content;
}

bool cgroup_has_word(Slice text, const char *wanted) {
    Slice word;
    while (slice_word(&text, &word))
        if (slice_equals(slice_trim(word), wanted))
            return true;
    return false;
}

void cgroup_space(char space[CGROUP_SPACE_SIZE]) {
    static const char first[] = "pid:[4026531836]"; /* the same on every Linux */
    char link[64];
    ssize_t length = readlink("/proc/self/ns/pid", link, sizeof link - 1);
    link[length > 0 ? length : 0] = '\0';
    const char *digits = strchr(link, '[');
    *space = '\0';
    if (digits && strcmp(link, first) != 0)
        snprintf(space, CGROUP_SPACE_SIZE, "%.*s.", (int)strspn(digits + 1, "0123456789"),
                 digits + 1);
}

void cgroup_close_file(int *file) {
    if (*file >= 0)
        close(*file);
    *file = -1;
}

/* The number after `key` at the beginning of a line ("oom_kill 3"), or 0. */
static uint64_t keyed_number(Slice text, const char *key) {
    for (Slice line, word; slice_line(&text, &line);) {
        int64_t value;
        if (slice_word(&line, &word) && slice_equals(word, key) &&
            slice_int(slice_trim(line), &value) && value >= 0)
            return (uint64_t)value;
    }
    return 0;
}

static void pause_for(int64_t nanoseconds) {
    nanosleep(&(struct timespec){.tv_nsec = (long)nanoseconds}, NULL);
}

/* ---- shared with the other files ---- */

bool cgroup_give_controllers(int directory, const char *control, Slice given, char sign,
                             char change[64]) {
    char text[TEXT_MAX];
    Slice enabled = cgroup_read_at(directory, control, text);
    size_t length = 0;
    change[0] = '\0';
    for (int i = 0; i < CGROUP_CONTROLLERS; i++)
        if (cgroup_has_word(given, cgroup_controllers[i].name) &&
            cgroup_has_word(enabled, cgroup_controllers[i].name) != (sign == '+'))
            length += (size_t)snprintf(change + length, 64 - length, "%s%c%s", length ? " " : "",
                                       sign, cgroup_controllers[i].name);
    return length == 0 || cgroup_write_at(directory, control, change);
}

bool cgroup_make_directory(Cgroup *group, CgroupTree tree, const char *path, Error *error) {
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
    cgroup_close_file(&directory);
    unlinkat(base, group->name, AT_REMOVEDIR);
    error_set(error, "open %s/%s/cgroup.procs: %s", path, group->name, strerror(reason));
    errno = reason;
    return false;
}

Cgroup cgroup_none(void) {
    Cgroup group = {0};
    for (CgroupTree tree = 0; tree < CGROUP_TREES; tree++)
        group.bases[tree] = group.directories[tree] = group.entrances[tree] = -1;
    for (CgroupFeature feature = 0; feature < CGROUP_FEATURES; feature++)
        group.sources[feature] = group.files[feature] = -1;
    return group;
}

bool cgroup_needs(const CgroupHost *host, CgroupTree tree, bool share) {
    for (CgroupFeature feature = 0; feature < CGROUP_FEATURES; feature++)
        if (cgroup_host_has(host, feature) && cgroup_sources[host->sources[feature]].tree == tree &&
            (share || feature != CGROUP_SHARE))
            return true;
    return false;
}

/* ---- one bot's group ---- */

/* The source of a feature; NULL if the group does not have it. */
static const Source *source_of(const Cgroup *group, CgroupFeature feature) {
    return group->sources[feature] < 0 ? NULL : &cgroup_sources[group->sources[feature]];
}

/* Creates the directories under one name. On failure none is left; errno is EEXIST if the name is
   taken. */
static bool make_directories(const CgroupHost *host, Cgroup *group, Error *error) {
    for (CgroupTree tree = 0; tree < CGROUP_TREES; tree++) {
        if (group->bases[tree] < 0 ||
            cgroup_make_directory(group, tree, host->places[tree].path, error))
            continue;
        int reason = errno;
        for (CgroupTree made = 0; made < tree; made++) {
            if (group->bases[made] < 0)
                continue;
            unlinkat(group->bases[made], group->name, AT_REMOVEDIR);
            cgroup_close_file(&group->directories[made]);
            cgroup_close_file(&group->entrances[made]);
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
        /* In microseconds of CPU time per period. */
        limit *= CPU_PERIOD_US / 100;
        if (source->tree != CGROUP_V2)
            file = "cpu.cfs_quota_us";
    }
    snprintf(text, sizeof text, "%" PRIu64, limit);
    int directory = group->directories[source->tree];
    if (!cgroup_write_at(directory, file, text))
        return error_set(error, "write %s to %s/%s/%s: %s", text, host->places[source->tree].path,
                         group->name, file, strerror(errno));
    if (feature != CGROUP_MEMORY)
        return true;
    /* Swap counts as memory. If the kernel does not count it, these files do not exist. */
    if (source->tree == CGROUP_V2)
        cgroup_write_at(directory, "memory.swap.max", "0");
    else if (!cgroup_write_at(directory, "memory.memsw.limit_in_bytes", text))
        cgroup_write_at(directory, "memory.swappiness", "0");
    return true;
}

/* Opens the files that are used during a match. */
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

/* On v2 the controller is enabled either for all groups of this runner or for none. */
static bool give_share(const CgroupHost *host, bool share, Error *error) {
    char change[64];
    if (!host->runner[0] || !cgroup_host_has(host, CGROUP_SHARE))
        return true;
    const CgroupPlace *place = &host->places[CGROUP_V2];
    if (cgroup_give_controllers(place->base, "cgroup.subtree_control", slice_of("cpu"),
                                share ? '+' : '-', change))
        return true;
    return error_set(error, "write \"%s\" to %s/cgroup.subtree_control: %s", change, place->path,
                     strerror(errno));
}

bool cgroup_create(const CgroupHost *host, const CgroupLimits *limits, Cgroup *group,
                   Error *error) {
    static atomic_uint last;
    *group = cgroup_none();
    bool any = false;
    for (CgroupTree tree = 0; tree < CGROUP_TREES; tree++)
        if (cgroup_needs(host, tree, limits->share)) {
            group->bases[tree] = host->places[tree].base;
            any = true;
        }
    if (!any)
        return error_set(error, "no control groups: %s", host->reasons[CGROUP_MEMORY].text);
    memcpy(group->sources, host->sources, sizeof group->sources);
    if (!limits->share)
        group->sources[CGROUP_SHARE] = -1;
    if (!give_share(host, limits->share, error)) {
        *group = cgroup_none();
        return false;
    }
    /* A dead process may have had our pid and left groups behind. */
    bool made = false;
    char space[CGROUP_SPACE_SIZE];
    cgroup_space(space);
    for (int i = 0; i < NAMES_TRIED && !made; i++) {
        snprintf(group->name, sizeof group->name, GROUP_PREFIX "%s%d-%u", space, (int)getpid(),
                 atomic_fetch_add(&last, 1) + 1);
        made = make_directories(host, group, error);
        if (!made && errno != EEXIST)
            break;
    }
    if (!made) {
        *group = cgroup_none();
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
        nanoseconds = (int64_t)keyed_number(content, "usage_usec") * 1000;
    else if (!slice_int(slice_trim(content), &nanoseconds))
        return -1;
    return nanoseconds - group->cpu_before;
}

int64_t cgroup_pressure(const Cgroup *group) {
    char text[TEXT_MAX];
    if (group->directories[CGROUP_V2] < 0)
        return -1;
    Slice rest = cgroup_read_at(group->directories[CGROUP_V2], "cpu.pressure", text);
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

int64_t cgroup_throttled(const Cgroup *group) {
    char text[TEXT_MAX];
    const Source *source = source_of(group, CGROUP_SHARE);
    if (!source)
        return 0;
    Slice content = cgroup_read_at(group->directories[source->tree], "cpu.stat", text);
    return source->tree == CGROUP_V2 ? (int64_t)keyed_number(content, "throttled_usec") * 1000
                                     : (int64_t)keyed_number(content, "throttled_time");
}

uint64_t cgroup_oom_kills(const Cgroup *group) {
    char text[TEXT_MAX];
    const Source *source = source_of(group, CGROUP_MEMORY);
    if (!source)
        return 0;
    const char *file = source->tree == CGROUP_V2 ? "memory.events" : "memory.oom_control";
    return keyed_number(cgroup_read_at(group->directories[source->tree], file, text), "oom_kill") -
           group->kills_before;
}

/* The number in one of the memory controller's two files. */
static uint64_t memory_number(const Cgroup *group, const char *v2, const char *v1) {
    char text[TEXT_MAX];
    const Source *source = source_of(group, CGROUP_MEMORY);
    if (!source)
        return 0;
    const char *file = source->tree == CGROUP_V2 ? v2 : v1;
    int64_t bytes;
    Slice content = slice_trim(cgroup_read_at(group->directories[source->tree], file, text));
    return slice_int(content, &bytes) && bytes > 0 ? (uint64_t)bytes : 0;
}

uint64_t cgroup_processes(const Cgroup *group) {
    char text[TEXT_MAX];
    int64_t count;
    const Source *source = source_of(group, CGROUP_PROCESSES);
    return source &&
                   slice_int(slice_trim(cgroup_read_at(group->directories[source->tree],
                                                       "pids.current", text)),
                             &count) &&
                   count > 0
               ? (uint64_t)count
               : 0;
}

uint64_t cgroup_memory_peak(const Cgroup *group) {
    return memory_number(group, "memory.peak", "memory.max_usage_in_bytes");
}

uint64_t cgroup_memory(const Cgroup *group) {
    return memory_number(group, "memory.current", "memory.usage_in_bytes");
}

void cgroup_restart(Cgroup *group) {
    group->cpu_before = 0;
    group->kills_before = group->refused_before = 0;
    int64_t cpu = cgroup_cpu(group);
    group->cpu_before = cpu > 0 ? cpu : 0;
    group->kills_before = cgroup_oom_kills(group);
    group->refused_before = cgroup_refused_processes(group);
    cgroup_freeze(group, false);
}

uint64_t cgroup_refused_processes(const Cgroup *group) {
    char text[TEXT_MAX];
    const Source *source = source_of(group, CGROUP_PROCESSES);
    return source
               ? keyed_number(cgroup_read_at(group->directories[source->tree], "pids.events", text),
                              "max") -
                     group->refused_before
               : 0;
}

bool cgroup_freeze(const Cgroup *group, bool frozen) {
    const Source *source = source_of(group, CGROUP_FREEZE);
    if (!source)
        return false;
    const char *v2 = frozen ? "1" : "0";
    const char *v1 = frozen ? "FROZEN" : "THAWED";
    return cgroup_write_text(group->files[CGROUP_FREEZE], source->tree == CGROUP_V2 ? v2 : v1);
}

bool cgroup_is_frozen(const Cgroup *group) {
    char text[TEXT_MAX];
    const Source *source = source_of(group, CGROUP_FREEZE);
    if (!source)
        return false;
    int directory = group->directories[source->tree];
    if (source->tree == CGROUP_V2)
        return keyed_number(cgroup_read_at(directory, "cgroup.events", text), "frozen") == 1;
    return cgroup_has_word(cgroup_read_at(directory, source->file, text), "FROZEN");
}

/* Kills the processes in the list, as many as fit in one read. Skips the last number, which may be
   cut off. */
static void kill_listed(Slice list) {
    while (list.length > 0 && list.at[list.length - 1] != '\n')
        list.length--;
    for (Slice line; slice_line(&list, &line);) {
        int64_t pid;
        if (slice_int(line, &pid) && pid > 0) /* 0: a process outside our pid namespace */
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
        cgroup_write_text(group->files[CGROUP_KILL], source->trial);
    for (int64_t wait = CLOCK_MS / 50;; wait = wait < 2 * CLOCK_MS ? 2 * wait : wait) {
        Slice list = cgroup_read_at(group->directories[source->tree], "cgroup.procs", text);
        if (list.length == 0 || clock_now() > deadline)
            return;
        if (one_by_one) {
            /* While frozen, processes cannot start others; in v1 they die only after thawing. */
            cgroup_freeze(group, true);
            kill_listed(cgroup_read_at(group->directories[source->tree], "cgroup.procs", text));
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
        cgroup_close_file(&group->directories[tree]);
        cgroup_close_file(&group->entrances[tree]);
        while (unlinkat(group->bases[tree], group->name, AT_REMOVEDIR) != 0 && errno == EBUSY &&
               clock_now() < deadline)
            pause_for(CLOCK_MS / 20);
    }
    for (CgroupFeature feature = 0; feature < CGROUP_FEATURES; feature++)
        cgroup_close_file(&group->files[feature]);
    *group = cgroup_none();
}
