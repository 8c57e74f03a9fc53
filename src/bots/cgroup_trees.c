/* See cgroup.h: where the trees of groups are mounted and which group in each is our own, from the
   kernel's lists. */
#include "bots/cgroup_internal.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* The controller that identifies a v1 tree; NULL for v2. */
static const char *const CONTROLLERS[CGROUP_TREES] = {
    [CGROUP_V1_MEMORY] = "memory",   [CGROUP_V1_PIDS] = "pids", [CGROUP_V1_FREEZER] = "freezer",
    [CGROUP_V1_CPUACCT] = "cpuacct", [CGROUP_V1_CPU] = "cpu",
};

/* Takes the next item of a comma-separated list. */
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

/* Copies a path from mountinfo, in which spaces and similar characters are escaped, as in \040.
   False if it does not fit. */
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

/* Our own group in a tree, from /proc/self/cgroup: lines like "4:memory:/a/b", and "0::/a/b" for
   v2. */
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

/* Records where a tree is mounted and where our group is in it. A mount may show only the part of
   the tree below `root`. */
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
    /* "/.." is how a cgroup namespace names groups outside itself. */
    bool beneath = own.length == 0 || (own.at[0] == '/' &&
                                       memcmp(own.at, "/..", own.length < 3 ? own.length : 3) != 0);
    place->reachable = own.at && beneath && own.length < sizeof place->own;
    if (place->reachable && own.length > 0)
        memcpy(place->own, own.at, own.length);
}

/* Reads the lines of mountinfo: "id parent device root mount options... - type source options". The
   first mount of a tree counts. */
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
                continue; /* both are in one tree, in which a group has one directory */
            place->with_cpu = has_item(options, "cpu");
            place_locate(place, facts, tree, fields[ROOT], fields[MOUNT]);
        }
    }
}

/* Finds where the trees are mounted, but nothing inside them. */
void cgroup_locate(CgroupHost *host, const CgroupFacts *facts) {
    *host = (CgroupHost){.above = -1};
    for (CgroupTree tree = 0; tree < CGROUP_TREES; tree++)
        host->places[tree].base = -1;
    for (CgroupFeature feature = 0; feature < CGROUP_FEATURES; feature++)
        host->sources[feature] = -1;
    locate(host, facts);
}

/* Our own group; but if a runner (this one or the one that started us) stepped aside into it, the
   group that the runner came from. In that case `home` becomes the rest of the path. */
void cgroup_own_base(const CgroupPlace *place, char own[CGROUP_PATH_MAX],
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

/* Reads a whole file of /proc; "" if it cannot be read. */
static const char *read_whole(Buffer *buffer, const char *path) {
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t count;
    while (file >= 0 && (count = read(file, buffer_reserve(buffer, TEXT_MAX), TEXT_MAX)) > 0)
        buffer->length += (size_t)count;
    cgroup_close_file(&file);
    return buffer_string(buffer);
}

void cgroup_read_facts(CgroupKernelFacts *kernel) {
    *kernel = (CgroupKernelFacts){0};
    kernel->facts = (CgroupFacts){
        .prefix = "",
        .mounts = read_whole(&kernel->mounts, "/proc/self/mountinfo"),
        .self = read_whole(&kernel->self, "/proc/self/cgroup"),
    };
}

void cgroup_free_facts(CgroupKernelFacts *kernel) {
    buffer_free(&kernel->mounts);
    buffer_free(&kernel->self);
}
