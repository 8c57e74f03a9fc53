/* Control groups: they are found wherever a machine mounts them, and limits, freezing and killing
   work.

   Kernel behaviour is tested on the real groups of this machine, with all of its trees and again
   with only the v1 ones; skipped if groups cannot be created. A pure v2 machine is simulated as a
   tree of plain files: mkdirat and unlinkat are wrapped (-Wl,--wrap=mkdirat -Wl,--wrap=unlinkat),
   so that a new directory there has the files that the kernel would create in a group. */
#include "base/clock.h"
#include "bots/cgroup.h"
#include "bots/cgroup_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { NOBODY = 65534, WAIT_MAX_MS = 60000, LIFETIME_S = 120 };

#define MIB (UINT64_C(1) << 20)

static char real_mounts[256 * 1024];
static char real_self[4096];
static char space[CGROUP_SPACE_SIZE]; /* part of group names in a container: its pid namespace */

/* ---- helpers ---- */

static void read_whole(const char *path, char *text, size_t size) {
    int file = open(path, O_RDONLY | O_CLOEXEC);
    size_t length = 0;
    for (ssize_t count; file >= 0 && (count = read(file, text + length, size - 1 - length)) > 0;)
        length += (size_t)count;
    text[length] = '\0';
    if (file >= 0)
        close(file);
}

/* Keeps the lines of `text` that contain `part`, or those that do not. */
static void keep_lines(char *text, const char *part, bool with) {
    char *to = text;
    for (char *line = text, *next; *line; line = next) {
        char *end = strchr(line, '\n');
        next = end ? end + 1 : line + strlen(line);
        char saved = *next;
        *next = '\0';
        bool has = strstr(line, part) != NULL;
        *next = saved;
        if (has == with) {
            memmove(to, line, (size_t)(next - line));
            to += next - line;
        }
    }
    *to = '\0';
}

static void nap(void) {
    usleep(2000);
}

/* Waits for all children, including adopted ones. */
static void reap_all(void) {
    while (waitpid(-1, NULL, 0) > 0 || errno == EINTR)
        continue;
}

typedef enum Trees { ALL_TREES, V1_TREES, V2_TREE } Trees;

static bool find_host(CgroupHost *host, Trees trees) {
    static char mounts[sizeof real_mounts];
    memcpy(mounts, real_mounts, sizeof mounts);
    if (trees == V1_TREES)
        keep_lines(mounts, " - cgroup2 ", false);
    if (trees == V2_TREE)
        keep_lines(mounts, " - cgroup2 ", true);
    return cgroup_host_find_in(host, &(CgroupFacts){"", mounts, real_self});
}

/* One bot's group on this machine; skips the test if the feature is missing. */
typedef struct Fixture {
    CgroupHost host;
    Cgroup group;
} Fixture;

static void fixture_make(Fixture *fixture, Trees trees, CgroupFeature needed, CgroupLimits limits) {
    find_host(&fixture->host, trees);
    if (!cgroup_host_has(&fixture->host, needed)) {
        print_message("not on this machine: %s\n", fixture->host.reasons[needed].text);
        cgroup_host_close(&fixture->host);
        skip();
    }
    Error error;
    if (!cgroup_create(&fixture->host, &limits, &fixture->group, &error))
        fail_msg("%s", error.text);
}

static bool has_directory(const CgroupHost *host, CgroupTree tree, const char *name) {
    struct stat status;
    return host->places[tree].base >= 0 && fstatat(host->places[tree].base, name, &status, 0) == 0;
}

/* Removes the group and checks that nothing is left of it. */
static void fixture_end(Fixture *fixture) {
    char name[CGROUP_NAME_MAX];
    memcpy(name, fixture->group.name, sizeof name);
    cgroup_remove(&fixture->group);
    for (CgroupTree tree = 0; tree < CGROUP_TREES; tree++)
        assert_false(has_directory(&fixture->host, tree, name));
    reap_all();
    cgroup_host_close(&fixture->host);
}

/* Forks a child that an alarm ends, in case a failed test does not. */
static pid_t fork_mortal(void) {
    pid_t pid = fork();
    if (pid == 0)
        alarm(LIFETIME_S);
    return pid;
}

/* Starts `bot` in the group. */
static pid_t start_in(const Cgroup *group, int (*bot)(int), int argument) {
    pid_t pid = fork_mortal();
    if (pid == 0)
        _exit(cgroup_enter(group) ? bot(argument) : 99);
    assert_true(pid > 0);
    return pid;
}

static int wait_for(pid_t pid) {
    int status = 0;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return status;
}

/* ---- bots ---- */

static int hold_memory(int mebibytes) {
    size_t size = (size_t)mebibytes * MIB;
    volatile char *memory =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return 1;
    for (size_t i = 0; i < size; i += 4096)
        memory[i] = 1;
    return 0;
}

/* Forks children until that fails, and returns their number; 98 if `most` succeed. */
static int fork_bomb(int most) {
    for (int count = 0; count < most; count++) {
        pid_t child = fork_mortal();
        if (child < 0)
            return count;
        if (child == 0)
            for (;;)
                pause();
    }
    return 98;
}

static int spin_in(int number) {
    for (pid_t child = 1; child > 0 && number > 1; number--)
        if ((child = fork_mortal()) < 0)
            return 1;
    for (volatile unsigned count = 0;; count++)
        continue;
}

/* Leaves a grandchild in its own session that holds `file` open and can only be killed by
   SIGKILL. */
static int leave_daemon(int file) {
    if (fork_mortal() > 0)
        return 0;
    setsid();
    if (fork_mortal() > 0)
        return 0;
    setsid();
    signal(SIGTERM, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    if (write(file, "!", 1) != 1)
        return 1;
    for (;;)
        pause();
}

/* ---- on this machine ---- */

static void each_limit_bites(Trees trees) {
    Fixture fixture;
    fixture_make(&fixture, trees, CGROUP_MEMORY,
                 (CgroupLimits){.memory = 16 * MIB, .processes = 8});
    assert_int_equal(cgroup_oom_kills(&fixture.group), 0);
    int status = wait_for(start_in(&fixture.group, hold_memory, 4));
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    assert_int_equal(cgroup_oom_kills(&fixture.group), 0);
    assert_true(cgroup_memory_peak(&fixture.group) >= 4 * MIB);
    status = wait_for(start_in(&fixture.group, hold_memory, 64));
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    assert_int_equal(cgroup_oom_kills(&fixture.group), 1);
    assert_true(cgroup_memory_peak(&fixture.group) <= 16 * MIB);
    if (cgroup_host_has(&fixture.host, CGROUP_PROCESSES)) {
        assert_int_equal(cgroup_refused_processes(&fixture.group), 0);
        status = wait_for(start_in(&fixture.group, fork_bomb, 50));
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 7);
        assert_int_equal(cgroup_refused_processes(&fixture.group), 1);
    }
    fixture_end(&fixture);
}

static void a_group_without_limits_has_none(void **unused) {
    (void)unused;
    Fixture fixture;
    fixture_make(&fixture, ALL_TREES, CGROUP_MEMORY, (CgroupLimits){0});
    int status = wait_for(start_in(&fixture.group, hold_memory, 32));
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    fixture_end(&fixture);
}

/* Waits until the group has used another `more` nanoseconds of CPU time. */
static void wait_for_cpu(const Cgroup *group, int64_t more) {
    int64_t from = cgroup_cpu(group);
    int64_t deadline = clock_now() + WAIT_MAX_MS * CLOCK_MS;
    while (cgroup_cpu(group) < from + more) {
        assert_true(clock_now() < deadline);
        nap();
    }
}

/* Waits until the group has used no CPU time for 50 ms. */
static void wait_for_standstill(const Cgroup *group) {
    int64_t deadline = clock_now() + WAIT_MAX_MS * CLOCK_MS;
    int64_t before;
    do {
        assert_true(clock_now() < deadline);
        before = cgroup_cpu(group);
        usleep(50000);
    } while (cgroup_cpu(group) != before);
}

static void a_frozen_group_uses_no_time(Trees trees) {
    Fixture fixture;
    fixture_make(&fixture, trees, CGROUP_FREEZE, (CgroupLimits){0});
    assert_true(cgroup_cpu(&fixture.group) >= 0);
    start_in(&fixture.group, spin_in, 2);
    for (int i = 0; i < 2; i++) {
        wait_for_cpu(&fixture.group, 5 * CLOCK_MS);
        assert_true(cgroup_freeze(&fixture.group, true));
        wait_for_standstill(&fixture.group);
        assert_true(cgroup_freeze(&fixture.group, false));
    }
    wait_for_cpu(&fixture.group, 5 * CLOCK_MS);
    fixture_end(&fixture);
}

static void killing_reaches_daemons(Trees trees, bool frozen) {
    Fixture fixture;
    fixture_make(&fixture, trees, CGROUP_KILL, (CgroupLimits){0});
    int ends[2];
    char said;
    assert_int_equal(pipe(ends), 0);
    start_in(&fixture.group, leave_daemon, ends[1]);
    assert_int_equal(read(ends[0], &said, 1), 1);
    close(ends[1]);
    if (frozen && cgroup_host_has(&fixture.host, CGROUP_FREEZE))
        assert_true(cgroup_freeze(&fixture.group, true));
    cgroup_kill(&fixture.group);
    alarm(WAIT_MAX_MS / 1000); /* live processes keep the pipe open */
    assert_int_equal(read(ends[0], &said, 1), 0);
    alarm(0);
    close(ends[0]);
    fixture_end(&fixture);
}

static void killing_ends_more_than_one_reading_lists(Trees trees) {
    Fixture fixture;
    fixture_make(&fixture, trees, CGROUP_KILL, (CgroupLimits){0});
    pid_t pid = start_in(&fixture.group, fork_bomb, 900);
    wait_for(pid);
    fixture_end(&fixture);
}

/* The ratio of the CPU time of a group with eight processes to that of a group with one, all on one
   core, while the latter uses 300 ms. Other load affects both. */
static double crowd_over_one(Trees trees, bool share) {
    Fixture fixture;
    Cgroup crowd;
    Error error;
    CgroupLimits limits = {.processes = 20, .share = share};
    cpu_set_t before;
    cpu_set_t one;
    fixture_make(&fixture, trees, CGROUP_SHARE, limits);
    assert_true(cgroup_create(&fixture.host, &limits, &crowd, &error));
    CPU_ZERO(&one);
    CPU_SET((size_t)sched_getcpu(), &one);
    assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    start_in(&crowd, spin_in, 8);
    start_in(&fixture.group, spin_in, 1);
    assert_int_equal(sched_setaffinity(0, sizeof before, &before), 0);
    wait_for_cpu(&fixture.group, CLOCK_MS); /* until all are running */
    int64_t from = cgroup_cpu(&fixture.group);
    int64_t crowd_from = cgroup_cpu(&crowd);
    wait_for_cpu(&fixture.group, 300 * CLOCK_MS);
    double ratio =
        (double)(cgroup_cpu(&crowd) - crowd_from) / (double)(cgroup_cpu(&fixture.group) - from);
    cgroup_remove(&crowd);
    fixture_end(&fixture);
    return ratio;
}

static void many_processes_get_no_more_than_their_share(void **unused) {
    (void)unused;
    double without = crowd_over_one(ALL_TREES, false);
    double with = crowd_over_one(ALL_TREES, true);
    print_message("a crowd of eight over one: %.2f times the time, with shares %.2f\n", without,
                  with);
    assert_true(without > 4); /* otherwise the test shows nothing */
    assert_true(with < 1.6);
}

static void a_limit_on_cpu_time_is_enforced(void **unused) {
    (void)unused;
    Fixture fixture;
    fixture_make(&fixture, ALL_TREES, CGROUP_SHARE, (CgroupLimits){.share = true, .cpu = 10});
    int64_t began = clock_now();
    int64_t from = cgroup_cpu(&fixture.group);
    start_in(&fixture.group, spin_in, 4);
    wait_for_cpu(&fixture.group, 200 * CLOCK_MS);
    /* The limit is a tenth of a core, plus the quota of the first and last period. Without a limit,
       the group would use a whole core or more. */
    assert_true(cgroup_cpu(&fixture.group) - from < (clock_now() - began) / 4);
    fixture_end(&fixture);
}

static void without_a_share_a_bot_is_in_no_scheduler_group(void **unused) {
    (void)unused;
    Fixture fixture;
    fixture_make(&fixture, V1_TREES, CGROUP_SHARE, (CgroupLimits){0});
    assert_int_equal(fixture.group.directories[CGROUP_V1_CPU], -1);
    fixture_end(&fixture);
    fixture_make(&fixture, V1_TREES, CGROUP_SHARE, (CgroupLimits){.share = true});
    if (!fixture.host.places[CGROUP_V1_CPUACCT].with_cpu)
        assert_true(fixture.group.directories[CGROUP_V1_CPU] >= 0);
    fixture_end(&fixture);
}

static void with_all_trees_limits_are_enforced(void **unused) {
    (void)unused;
    each_limit_bites(ALL_TREES);
}

static void with_v1_alone_limits_are_enforced(void **unused) {
    (void)unused;
    each_limit_bites(V1_TREES);
}

static void with_all_trees_freezing_stops_the_clock(void **unused) {
    (void)unused;
    a_frozen_group_uses_no_time(ALL_TREES);
}

static void with_v1_alone_freezing_stops_the_clock(void **unused) {
    (void)unused;
    a_frozen_group_uses_no_time(V1_TREES);
}

static void with_v2_alone_freezing_stops_the_clock(void **unused) {
    (void)unused;
    a_frozen_group_uses_no_time(V2_TREE);
}

static void with_all_trees_killing_reaches_daemons(void **unused) {
    (void)unused;
    killing_reaches_daemons(ALL_TREES, false);
    killing_reaches_daemons(ALL_TREES, true);
}

static void with_v1_alone_killing_reaches_daemons(void **unused) {
    (void)unused;
    killing_reaches_daemons(V1_TREES, false);
    killing_reaches_daemons(V1_TREES, true);
}

static void killing_ends_many_processes(void **unused) {
    (void)unused;
    killing_ends_more_than_one_reading_lists(ALL_TREES);
    killing_ends_more_than_one_reading_lists(V1_TREES);
}

static void a_child_can_be_created_in_a_v2_group(void **unused) {
    (void)unused;
    Fixture fixture;
    fixture_make(&fixture, ALL_TREES, CGROUP_KILL, (CgroupLimits){0});
    if (cgroup_clone_target(&fixture.group) < 0) {
        fixture_end(&fixture);
        skip();
    }
    struct clone_args arguments = {
        .flags = CLONE_INTO_CGROUP,
        .exit_signal = SIGCHLD,
        .cgroup = (unsigned)cgroup_clone_target(&fixture.group),
    };
    pid_t pid = (pid_t)syscall(SYS_clone3, &arguments, sizeof arguments);
    if (pid == 0) {
        char self[4096];
        bool entered = cgroup_enter_v1(&fixture.group);
        read_whole("/proc/self/cgroup", self, sizeof self);
        int count = 0;
        for (const char *at = self; (at = strstr(at, fixture.group.name)); at++)
            count++;
        _exit(entered ? count : 99);
    }
    assert_true(pid > 0);
    int trees = 0;
    for (CgroupTree tree = 0; tree < CGROUP_TREES; tree++)
        trees += fixture.group.directories[tree] >= 0;
    int status = wait_for(pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), trees);
    fixture_end(&fixture);
}

/* Creates the directory `name` in every tree with groups, and returns these trees. */
static void leave_group(const CgroupHost *host, const char *name, int places[CGROUP_TREES]) {
    for (CgroupTree tree = 0; tree < CGROUP_TREES; tree++) {
        bool inner = tree == CGROUP_V2 && host->runner[0];
        places[tree] = inner ? host->above : host->places[tree].base;
        if (places[tree] >= 0)
            assert_int_equal(mkdirat(places[tree], name, 0755), 0);
    }
}

static void assert_removed(const int places[CGROUP_TREES], const char *name) {
    for (CgroupTree tree = 0; tree < CGROUP_TREES; tree++)
        if (places[tree] >= 0)
            assert_int_not_equal(faccessat(places[tree], name, F_OK, 0), 0);
}

static void only_groups_of_dead_runners_are_removed(void **unused) {
    (void)unused;
    Fixture fixture;
    fixture_make(&fixture, ALL_TREES, CGROUP_KILL, (CgroupLimits){0});
    pid_t dead = fork();
    if (dead == 0)
        _exit(0);
    siginfo_t info;
    assert_int_equal(waitid(P_PID, (id_t)dead, &info, WEXITED | WNOWAIT), 0);
    char leftover[CGROUP_NAME_MAX];
    snprintf(leftover, sizeof leftover, "skirmish-%s%d-7", space, (int)dead);
    int places[CGROUP_TREES];
    CgroupHost again;

    leave_group(&fixture.host, leftover, places);
    find_host(&again, ALL_TREES); /* while the dead runner has not been reaped */
    assert_removed(places, leftover);
    wait_for(dead);
    leave_group(&fixture.host, leftover, places);
    cgroup_host_close(&again);
    assert_removed(places, leftover);

    leave_group(&fixture.host, leftover, places);
    find_host(&again, ALL_TREES);
    assert_removed(places, leftover);
    for (CgroupTree tree = 0; tree < CGROUP_TREES; tree++)
        assert_int_equal(has_directory(&again, tree, fixture.group.name),
                         fixture.group.directories[tree] >= 0);
    cgroup_host_close(&again);
    fixture_end(&fixture);
}

typedef struct Orphan {
    pid_t pid;
    char group[CGROUP_NAME_MAX];
} Orphan;

/* A runner that is killed while its bot is frozen. */
static _Noreturn void die_with_a_frozen_bot(int tell) {
    Fixture fixture;
    Orphan orphan;
    find_host(&fixture.host, V1_TREES);
    Error error;
    if (!cgroup_create(&fixture.host, &(CgroupLimits){0}, &fixture.group, &error))
        _exit(1);
    memcpy(orphan.group, fixture.group.name, sizeof orphan.group);
    orphan.pid = fork_mortal();
    if (orphan.pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        cgroup_enter(&fixture.group);
        raise(SIGSTOP);
        _exit(2);
    }
    waitpid(orphan.pid, NULL, WUNTRACED); /* it is in the group, and set to die with us */
    if (!cgroup_freeze(&fixture.group, true) ||
        write(tell, &orphan, sizeof orphan) != sizeof orphan)
        _exit(3);
    raise(SIGKILL);
    _exit(4);
}

static void with_v1_alone_frozen_bots_of_dead_runners_are_killed(void **unused) {
    (void)unused;
    Fixture fixture;
    Orphan orphan;
    int ends[2];
    fixture_make(&fixture, V1_TREES, CGROUP_FREEZE, (CgroupLimits){0});
    assert_int_equal(pipe(ends), 0);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    pid_t runner = fork_mortal();
    if (runner == 0)
        die_with_a_frozen_bot(ends[1]);
    close(ends[1]);
    assert_int_equal(read(ends[0], &orphan, sizeof orphan), sizeof orphan);
    close(ends[0]);
    int status = wait_for(runner);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    CgroupHost again;
    find_host(&again, V1_TREES);
    status = wait_for(orphan.pid);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    cgroup_host_close(&again);
    for (CgroupTree tree = 0; tree < CGROUP_TREES; tree++)
        assert_false(has_directory(&fixture.host, tree, orphan.group));
    prctl(PR_SET_CHILD_SUBREAPER, 0);
    fixture_end(&fixture);
}

static void the_user_nobody_has_no_groups_and_sees_the_reasons(void **unused) {
    (void)unused;
    if (getuid() != 0)
        skip();
    pid_t pid = fork();
    if (pid == 0) {
        if (setresgid(NOBODY, NOBODY, NOBODY) != 0 || setresuid(NOBODY, NOBODY, NOBODY) != 0)
            _exit(1);
        CgroupHost host;
        if (cgroup_host_find(&host))
            _exit(2);
        for (CgroupFeature feature = 0; feature < CGROUP_FEATURES; feature++)
            if (cgroup_host_has(&host, feature) || host.reasons[feature].text[0] == '\0')
                _exit(3);
        Cgroup group;
        Error error = {0};
        if (cgroup_create(&host, &(CgroupLimits){.memory = 16 * MIB, .processes = 8}, &group,
                          &error) ||
            error.text[0] == '\0')
            _exit(4);
        if (cgroup_cpu(&group) != -1 || cgroup_freeze(&group, true) ||
            cgroup_oom_kills(&group) != 0)
            _exit(5);
        cgroup_kill(&group);
        cgroup_remove(&group);
        cgroup_host_close(&host);
        _exit(0);
    }
    int status = wait_for(pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

/* ---- on a simulated machine ---- */

static char drawn[64]; /* its root; "" for the real machine */

int __real_mkdirat(int directory, const char *path, mode_t mode);
int __wrap_mkdirat(int directory, const char *path, mode_t mode);
int __real_unlinkat(int directory, const char *path, int flags);
int __wrap_unlinkat(int directory, const char *path, int flags);

static void draw_at(int directory, const char *name, const char *text) {
    int file = openat(directory, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    assert_true(file >= 0);
    assert_int_equal(write(file, text, strlen(text)), strlen(text));
    close(file);
}

static void text_at(int directory, const char *name, char text[64]) {
    int file = openat(directory, name, O_RDONLY | O_CLOEXEC);
    ssize_t count = file < 0 ? 0 : read(file, text, 63);
    text[count > 0 ? count : 0] = '\0';
    if (file >= 0)
        close(file);
}

/* The files of a v2 group; those of controllers only if the parent group delegates them. */
static const char *const GROUP_FILES[] = {
    "cgroup.type",        "cgroup.procs",    "cgroup.subtree_control",
    "cgroup.controllers", "cgroup.freeze",   "cgroup.kill",
    "cpu.stat",           "memory.max",      "memory.events",
    "memory.peak",        "memory.swap.max", "pids.max",
    "pids.events",        "cpu.max",         "cpu.idle"};
enum { GROUP_FILE_COUNT = sizeof GROUP_FILES / sizeof *GROUP_FILES };

static void draw_group(int above, int directory) {
    char enabled[64];
    text_at(above, "cgroup.subtree_control", enabled);
    for (int i = 0; i < GROUP_FILE_COUNT; i++) {
        const char *file = GROUP_FILES[i];
        if ((strncmp(file, "memory", 6) == 0 && !strstr(enabled, "memory")) ||
            (strncmp(file, "pids", 4) == 0 && !strstr(enabled, "pids")) ||
            (strncmp(file, "cpu.", 4) == 0 && strcmp(file, "cpu.stat") != 0 &&
             !strstr(enabled, "cpu")))
            continue;
        draw_at(directory, file,
                strcmp(file, "cpu.stat") == 0 ? "usage_usec 12\nuser_usec 5\n" : "");
    }
}

int __wrap_mkdirat(int directory, const char *path, mode_t mode) {
    int result = __real_mkdirat(directory, path, mode);
    if (result != 0 || !drawn[0])
        return result;
    int made = openat(directory, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    draw_group(directory, made);
    close(made);
    return 0;
}

int __wrap_unlinkat(int directory, const char *path, int flags) {
    int inside = drawn[0] ? openat(directory, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (inside >= 0) {
        for (int i = 0; i < GROUP_FILE_COUNT; i++)
            __real_unlinkat(inside, GROUP_FILES[i], 0);
        close(inside);
    }
    return __real_unlinkat(directory, path, flags);
}

/* Creates a machine: a v2 tree with one service that has these controllers. Returns the service's
   directory. */
static int draw_machine(const char *controllers) {
    snprintf(drawn, sizeof drawn, "/tmp/cgroup_test.XXXXXX");
    char *root = mkdtemp(drawn);
    assert_non_null(root);
    int at = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_int_equal(__real_mkdirat(at, "groups", 0755), 0);
    assert_int_equal(__real_mkdirat(at, "groups/service", 0755), 0);
    draw_at(at, "groups/cgroup.controllers", "cpuset cpu io memory pids\n");
    int service = openat(at, "groups/service", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    draw_group(at, service);
    draw_at(service, "cgroup.controllers", controllers);
    close(at);
    return service;
}

static void erase_machine(int service) {
    close(service);
    char command[96];
    snprintf(command, sizeof command, "rm -r %s", drawn);
    assert_int_equal(system(command), 0);
    drawn[0] = '\0';
}

static const char V2_MOUNTS[] =
    "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
    "30 22 0:26 / /groups rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n";

static void on_v2_a_runner_moves_aside_and_delegates_its_controllers_to_bots(void **unused) {
    (void)unused;
    int service = draw_machine("cpu memory pids\n");
    CgroupHost host;
    assert_true(cgroup_host_find_in(&host, &(CgroupFacts){drawn, V2_MOUNTS, "0::/service\n"}));
    char runner[CGROUP_NAME_MAX];
    char text[64];
    snprintf(runner, sizeof runner, "skirmish-runner-%s%d", space, (int)getpid());
    assert_string_equal(host.runner, runner);
    text_at(service, "cgroup.subtree_control", text);
    assert_string_equal(text, "+memory +pids +cpu");
    char procs[CGROUP_NAME_MAX + 32];
    snprintf(procs, sizeof procs, "%s/cgroup.subtree_control", runner);
    text_at(service, procs, text);
    assert_string_equal(text, "+memory +pids +cpu");
    snprintf(procs, sizeof procs, "%s/referee/cgroup.procs", runner);
    text_at(service, procs, text);
    assert_string_equal(text, "0");
    int runners = openat(service, runner, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    Cgroup group;
    Error error;
    assert_true(cgroup_create(&host, &(CgroupLimits){.memory = 256 * MIB, .processes = 64}, &group,
                              &error));
    int directory = openat(runners, group.name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_true(directory >= 0);
    close(runners);
    text_at(directory, "memory.max", text);
    assert_string_equal(text, "268435456");
    text_at(directory, "memory.swap.max", text);
    assert_string_equal(text, "0");
    text_at(directory, "pids.max", text);
    assert_string_equal(text, "64");
    assert_true(cgroup_enter(&group));
    text_at(directory, "cgroup.procs", text);
    assert_string_equal(text, "0");
    draw_at(directory, "cgroup.procs", "");
    assert_int_equal(cgroup_cpu(&group), 12000);
    draw_at(directory, "memory.events",
            "low 0\nhigh 0\nmax 41\noom 3\noom_kill 2\noom_group_kill 0\n");
    assert_int_equal(cgroup_oom_kills(&group), 2);
    draw_at(directory, "memory.peak", "4096\n");
    assert_int_equal(cgroup_memory_peak(&group), 4096);
    assert_true(cgroup_freeze(&group, true));
    text_at(directory, "cgroup.freeze", text);
    assert_string_equal(text, "1");
    close(directory);
    cgroup_remove(&group);

    snprintf(text, sizeof text, "%d\n", (int)getpid());
    draw_at(service, procs, text);
    struct stat status;
    assert_int_equal(fstat(service, &status), 0);
    bool counts_links = status.st_nlink == 3; /* as the kernel's own tree does */
    cgroup_host_close(&host);
    if (counts_links)
        assert_int_not_equal(faccessat(service, runner, F_OK, 0), 0);
    erase_machine(service);
}

static void on_v2_a_runner_can_leave_the_cpu_to_its_siblings(void **unused) {
    (void)unused;
    int service = draw_machine("cpu memory pids\n");
    draw_at(service, "cgroup.subtree_control", "memory pids cpu\n");
    CgroupHost host;
    char text[64];
    assert_true(cgroup_host_find_in(&host, &(CgroupFacts){drawn, V2_MOUNTS, "0::/service\n"}));
    cgroup_host_yield(&host);
    text_at(host.places[CGROUP_V2].base, "cpu.idle", text);
    assert_string_equal(text, "1");
    cgroup_host_close(&host);
    erase_machine(service);
}

static void on_v2_a_runner_of_a_runner_uses_the_group_above(void **unused) {
    (void)unused;
    int service = draw_machine("cpu memory pids\n");
    draw_at(service, "cgroup.subtree_control", "memory pids cpu\n");
    CgroupHost host;
    char self[96];
    char expected[192];
    snprintf(self, sizeof self, "0::/service/skirmish-runner-%s%d/referee\n", space,
             (int)getppid());
    assert_true(cgroup_host_find_in(&host, &(CgroupFacts){drawn, V2_MOUNTS, self}));
    snprintf(expected, sizeof expected, "%s/groups/service/skirmish-runner-%s%d", drawn, space,
             (int)getpid());
    assert_string_equal(host.places[CGROUP_V2].path, expected);
    snprintf(expected, sizeof expected, "skirmish-runner-%s%d/referee", space, (int)getppid());
    assert_string_equal(host.home, expected);
    cgroup_host_close(&host);
    erase_machine(service);
}

static void on_v2_without_the_memory_controller_the_reason_says_so(void **unused) {
    (void)unused;
    int service = draw_machine("cpu pids\n");
    CgroupHost host;
    assert_false(cgroup_host_find_in(&host, &(CgroupFacts){drawn, V2_MOUNTS, "0::/service\n"}));
    assert_false(cgroup_host_has(&host, CGROUP_MEMORY));
    assert_non_null(
        strstr(host.reasons[CGROUP_MEMORY].text, "cgroup.controllers does not list memory"));
    assert_true(cgroup_host_has(&host, CGROUP_PROCESSES));
    assert_true(cgroup_host_has(&host, CGROUP_FREEZE));
    assert_true(cgroup_host_has(&host, CGROUP_CPU));
    assert_true(cgroup_host_has(&host, CGROUP_KILL));
    cgroup_host_close(&host);
    erase_machine(service);
}

static void on_v2_controllers_that_cannot_be_enabled_leave_the_rest_and_a_reason(void **unused) {
    (void)unused;
    int service = draw_machine("memory pids\n");
    __real_unlinkat(service, "cgroup.subtree_control", 0);
    CgroupHost host;
    assert_false(cgroup_host_find_in(&host, &(CgroupFacts){drawn, V2_MOUNTS, "0::/service\n"}));
    assert_false(cgroup_host_has(&host, CGROUP_MEMORY));
    assert_false(cgroup_host_has(&host, CGROUP_PROCESSES));
    assert_non_null(strstr(host.reasons[CGROUP_MEMORY].text, "write \"+memory +pids\" to "));
    assert_non_null(strstr(host.reasons[CGROUP_SHARE].text, "does not list cpu"));
    assert_non_null(strstr(host.reasons[CGROUP_MEMORY].text, strerror(ENOENT)));
    assert_true(cgroup_host_has(&host, CGROUP_KILL));
    assert_string_equal(host.runner, ""); /* back where it was */
    cgroup_host_close(&host);
    erase_machine(service);
}

static void a_machine_without_control_groups_reports_the_reasons(void **unused) {
    (void)unused;
    CgroupHost host;
    assert_false(cgroup_host_find_in(
        &host, &(CgroupFacts){"", "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n", ""}));
    for (CgroupFeature feature = 0; feature < CGROUP_FEATURES; feature++) {
        assert_false(cgroup_host_has(&host, feature));
        assert_non_null(strstr(host.reasons[feature].text, "are mounted"));
    }
    cgroup_host_close(&host);
}

static void mounts_are_parsed_as_the_kernel_writes_them(void **unused) {
    (void)unused;
    /* A container's view: only what is below its own group; a mount point with a space; two
       controllers in one tree. */
    static const char mounts[] =
        "40 22 0:31 /box/a /nowhere/my\\040memory rw - cgroup cgroup rw,memory\n"
        "41 22 0:32 /box/a /nowhere/pids rw - cgroup cgroup rw,pids\n"
        "42 22 0:33 / /nowhere/cpu rw - cgroup cgroup rw,cpu,cpuacct\n"
        "43 22 0:34 / /nowhere/unified rw - cgroup2 cgroup2 rw\n"
        "44 22 0:31 / /elsewhere rw - cgroup cgroup rw,memory\n"
        "45 22 0:31\n\n";
    static const char self[] =
        "12:memory:/box/a/inner\n11:pids:/box/abc\n10:cpu,cpuacct:/\n1:name=systemd:/x\n0::/../y\n";
    CgroupHost host;
    assert_false(cgroup_host_find_in(&host, &(CgroupFacts){"", mounts, self}));
    assert_string_equal(host.places[CGROUP_V1_MEMORY].mount, "/nowhere/my memory");
    assert_true(host.places[CGROUP_V1_MEMORY].reachable);
    assert_string_equal(host.places[CGROUP_V1_MEMORY].own, "/inner");
    assert_string_equal(host.places[CGROUP_V1_PIDS].mount, "/nowhere/pids");
    assert_false(host.places[CGROUP_V1_PIDS].reachable);
    assert_true(host.places[CGROUP_V1_CPUACCT].with_cpu);
    assert_true(host.places[CGROUP_V1_CPUACCT].reachable);
    assert_string_equal(host.places[CGROUP_V1_CPUACCT].own, "");
    assert_false(host.places[CGROUP_V2].reachable);
    assert_false(host.places[CGROUP_V1_FREEZER].mounted);
    assert_non_null(strstr(host.reasons[CGROUP_MEMORY].text, "open /nowhere/my memory"));
    assert_non_null(strstr(host.reasons[CGROUP_MEMORY].text, strerror(ENOENT)));
    cgroup_host_close(&host);
}

static void on_v1_bots_of_a_limited_runner_stay_within_its_limit(void **unused) {
    (void)unused;
    static const char mounts[] = "40 22 0:31 / /groups rw - cgroup cgroup rw,pids\n";
    int service = draw_machine("");
    CgroupHost host;
    char expected[96];
    cgroup_host_find_in(&host, &(CgroupFacts){drawn, mounts, "3:pids:/service\n"});
    snprintf(expected, sizeof expected, "%s/groups", drawn);
    assert_string_equal(host.places[CGROUP_V1_PIDS].path, expected);
    cgroup_host_close(&host);
    draw_at(service, "pids.max", "max\n");
    cgroup_host_find_in(&host, &(CgroupFacts){drawn, mounts, "3:pids:/service\n"});
    assert_string_equal(host.places[CGROUP_V1_PIDS].path, expected);
    cgroup_host_close(&host);
    draw_at(service, "pids.max", "200\n");
    cgroup_host_find_in(&host, &(CgroupFacts){drawn, mounts, "3:pids:/service\n"});
    snprintf(expected, sizeof expected, "%s/groups/service", drawn);
    assert_string_equal(host.places[CGROUP_V1_PIDS].path, expected);
    cgroup_host_close(&host);
    erase_machine(service);
}

int main(void) {
    read_whole("/proc/self/mountinfo", real_mounts, sizeof real_mounts);
    read_whole("/proc/self/cgroup", real_self, sizeof real_self);
    cgroup_space(space);
    prctl(PR_SET_CHILD_SUBREAPER, 1); /* so that reap_all waits for grandchildren as well */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mounts_are_parsed_as_the_kernel_writes_them),
        cmocka_unit_test(a_machine_without_control_groups_reports_the_reasons),
        cmocka_unit_test(on_v2_a_runner_moves_aside_and_delegates_its_controllers_to_bots),
        cmocka_unit_test(on_v2_a_runner_can_leave_the_cpu_to_its_siblings),
        cmocka_unit_test(on_v2_a_runner_of_a_runner_uses_the_group_above),
        cmocka_unit_test(on_v2_without_the_memory_controller_the_reason_says_so),
        cmocka_unit_test(on_v2_controllers_that_cannot_be_enabled_leave_the_rest_and_a_reason),
        cmocka_unit_test(on_v1_bots_of_a_limited_runner_stay_within_its_limit),
        cmocka_unit_test(with_all_trees_limits_are_enforced),
        cmocka_unit_test(with_v1_alone_limits_are_enforced),
        cmocka_unit_test(many_processes_get_no_more_than_their_share),
        cmocka_unit_test(a_limit_on_cpu_time_is_enforced),
        cmocka_unit_test(without_a_share_a_bot_is_in_no_scheduler_group),
        cmocka_unit_test(a_group_without_limits_has_none),
        cmocka_unit_test(with_all_trees_freezing_stops_the_clock),
        cmocka_unit_test(with_v1_alone_freezing_stops_the_clock),
        cmocka_unit_test(with_v2_alone_freezing_stops_the_clock),
        cmocka_unit_test(with_all_trees_killing_reaches_daemons),
        cmocka_unit_test(with_v1_alone_killing_reaches_daemons),
        cmocka_unit_test(killing_ends_many_processes),
        cmocka_unit_test(a_child_can_be_created_in_a_v2_group),
        cmocka_unit_test(only_groups_of_dead_runners_are_removed),
        cmocka_unit_test(with_v1_alone_frozen_bots_of_dead_runners_are_killed),
        cmocka_unit_test(the_user_nobody_has_no_groups_and_sees_the_reasons),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
