/* See cgroup.h: kills and removes the groups that dead runners left behind. */
#include "bots/cgroup_internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The pid of the runner that a group belongs to, from its name; 0 if it is not one of our
   groups. */
static pid_t owner_of(const char *name) {
    const char *digits = NULL;
    char space[CGROUP_SPACE_SIZE];
    cgroup_space(space);
    if (strncmp(name, RUNNER_PREFIX, strlen(RUNNER_PREFIX)) == 0)
        digits = name + strlen(RUNNER_PREFIX);
    else if (strncmp(name, GROUP_PREFIX, strlen(GROUP_PREFIX)) == 0)
        digits = name + strlen(GROUP_PREFIX);
    if (!digits || strncmp(digits, space, strlen(space)) != 0)
        return 0;
    digits += strlen(space);
    if (*digits < '1' || *digits > '9')
        return 0;
    char *end;
    errno = 0;
    long pid = strtol(digits, &end, 10);
    return errno == 0 && (*end == '-' || *end == '\0') && pid <= INT32_MAX ? (pid_t)pid : 0;
}

/* Calls `visit` for every entry of the directory `name`, which may remove it. */
static void each_entry(int base, const char *name, void (*visit)(int directory, const char *name)) {
    int copy = openat(base, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *directory = copy < 0 ? NULL : fdopendir(copy);
    if (!directory) {
        cgroup_close_file(&copy);
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

void cgroup_remove_runner(int base, const char *name) {
    each_entry(base, name, remove_inner);
    unlinkat(base, name, AT_REMOVEDIR);
}

/* Kills the processes that remain in a bot's group. Most died with their runner, but not a keeper
   that was frozen before it had requested that; and in v1 a frozen process dies only after
   thawing. */
static void kill_inner(int directory, const char *name) {
    char path[CGROUP_NAME_MAX + 32];
    if (owner_of(name) <= 0)
        return;
    snprintf(path, sizeof path, "%.47s/cgroup.kill", name);
    cgroup_write_at(directory, path, "1");
    snprintf(path, sizeof path, "%.47s/freezer.state", name);
    cgroup_write_at(directory, path, "THAWED");
}

/* Zombies count as gone: process 1 of a container may not reap them. */
static bool is_gone(pid_t process) {
    char path[32];
    char text[TEXT_MAX];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)process);
    if (kill(process, 0) != 0)
        return errno == ESRCH;
    const char *state = strrchr(cgroup_read_at(AT_FDCWD, path, text).at, ')');
    return state && (strncmp(state, ") Z", 3) == 0 || strncmp(state, ") X", 3) == 0);
}

/* Kills and removes a group if its runner is dead. */
static void remove_leftover(int base, const char *name) {
    pid_t owner = owner_of(name);
    if (owner > 0 && is_gone(owner)) {
        kill_inner(base, name);
        each_entry(base, name, kill_inner);
        cgroup_remove_runner(base, name);
    }
}

void cgroup_remove_leftovers(int base) {
    each_entry(base, ".", remove_leftover);
}

static void end_leftovers_in(const char *mount, const char *own) {
    char path[2 * CGROUP_PATH_MAX];
    snprintf(path, sizeof path, "%s%s", mount, own);
    int base = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (base >= 0)
        cgroup_remove_leftovers(base);
    cgroup_close_file(&base);
}

void cgroup_end_leftovers(void) {
    CgroupKernelFacts kernel;
    CgroupHost host;
    cgroup_read_facts(&kernel);
    cgroup_locate(&host, &kernel.facts);
    cgroup_free_facts(&kernel);
    for (CgroupTree tree = 0; tree < CGROUP_TREES; tree++) {
        const CgroupPlace *place = &host.places[tree];
        char own[CGROUP_PATH_MAX] = "";
        char home[CGROUP_PATH_MAX];
        if (!place->mounted)
            continue;
        end_leftovers_in(place->mount, "");
        if (place->reachable)
            cgroup_own_base(place, own, home);
        if (own[0])
            end_leftovers_in(place->mount, own);
    }
}
