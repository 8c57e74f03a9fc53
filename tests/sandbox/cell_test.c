/* Reused cells (bots/cell.h): a bot finds no trace of an earlier one.

   Usage: cell_test TRACES [nobody]. TRACES is the program of hostile/traces.c. With "nobody", root
   switches to that user first. */
#include "base/buffer.h"
#include "bots/process.h"
#include "workplace.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/magic.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { IDLE_MAX = 16 };

static Workplace workplace;
static Sandbox *sandbox;

/* One run of the program. */
typedef struct Run {
    pid_t keeper; /* the same in two runs if the cell was reused */
    Buffer said;
    int status;
    int64_t cpu;
    bool out_of_memory;
    bool refused_processes;
} Run;

static Run run_command(const char *what, const char *command, bool stop) {
    Process process;
    Error error = {0};
    Run run = {0};
    char text[128];
    snprintf(text, sizeof text, "%s", command);
    ProcessStart start = {.command = text,
                          .directory = workplace.directory,
                          .sandbox = sandbox,
                          .limits = sandbox_standard_limits};
    start.limits.memory = 64 << 20;
    if (!process_start(&process, &start, &error))
        fail_msg("%s", error.text);
    run.keeper = process.pid;
    dprintf(process.in, "%s\n", what);
    if (stop)
        process_stop(&process);
    close(process.in);
    process.in = -1;
    fcntl(process.out, F_SETFL, 0);
    for (ssize_t got = 1; got > 0 && !stop;) {
        got = read(process.out, buffer_reserve(&run.said, 4096), 4096);
        run.said.length += got > 0 ? (size_t)got : 0;
    }
    struct pollfd end = {.fd = process.end, .events = POLLIN};
    if (!stop) {
        assert_int_equal(poll(&end, 1, -1), 1);
        assert_true(process_reap(&process));
    }
    process_end(&process);
    assert_string_equal(process.setup_failure, "");
    run.status = process.status;
    run.cpu = process.cpu_ended;
    run.out_of_memory = process.out_of_memory;
    run.refused_processes = process.refused_processes;
    buffer_string(&run.said);
    return run;
}

static Run run_traces(const char *what) {
    Run run = run_command(what, "exec ./traces", false);
    assert_int_equal(run.status, 0);
    return run;
}

static pid_t keeper_of(const char *what) {
    Run run = run_traces(what);
    buffer_free(&run.said);
    return run.keeper;
}

static int children_count(void) {
    char path[64];
    int count = 0;
    int child = 0;
    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    FILE *list = fopen(path, "re");
    assert_non_null(list);
    while (fscanf(list, "%d", &child) == 1) // NOLINT(cert-err34-c): the kernel's own list
        count++;
    fclose(list);
    return count;
}

/* ---- the tests ---- */

static int new_sandbox(void **state) {
    (void)state;
    Error error = {0};
    sandbox = process_prepare(&error) ? sandbox_new(SANDBOX_BEST_EFFORT, &error) : NULL;
    if (!sandbox)
        fprintf(stderr, "%s\n", error.text);
    return sandbox ? 0 : 1;
}

/* Frees the sandbox, and fails if a process is left. */
static int free_sandbox(void **state) {
    (void)state;
    sandbox_free(sandbox);
    return children_count() == 0 && waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD ? 0 : 1;
}

static void a_clean_cell_is_reused(void **state) {
    (void)state;
    Run first = run_traces("own limit");
    Run second = run_traces("look");
    assert_int_equal(first.keeper, second.keeper);
    assert_non_null(strstr(second.said.data, "pid 2 of 1"));
    buffer_free(&first.said);
    buffer_free(&second.said);
}

/* Fails with the first line that differs. */
static void assert_same_lines(const char *after, const Buffer *seen, const Buffer *expected) {
    Slice rest[2] = {{seen->data, seen->length}, {expected->data, expected->length}};
    Slice line[2] = {{0}};
    bool same = true;
    while (same && slice_line(&rest[0], &line[0]))
        same = slice_line(&rest[1], &line[1]) && line[0].length == line[1].length &&
               memcmp(line[0].at, line[1].at, line[0].length) == 0;
    if (!same || rest[1].length)
        fail_msg("after \"%s\" a bot sees \"%.*s\" instead of \"%.*s\"", after, (int)line[0].length,
                 line[0].at, (int)line[1].length, line[1].at);
}

/* After actions that leave no trace, the cell is reused. After the others, the next bot gets a new
   one. In both cases it sees the same as in a fresh cell. */
static void a_bot_sees_no_traces_of_the_previous_bot(void **state) {
    static const struct {
        const char *what;
        int uses_again; /* -1: depends on the user */
    } traces[] = {
        {"look", -1},
        {"file", 0},
        {"removed file", 0},
        {"mode", -1},
        {"times", -1},
        {"listing", -1},
        {"process", 1},
        {"pids", 1},
        {"nice", -1},
        {"nice user", -1},
        {"policy", -1},
        {"limit", 1},
        {"own limit", 1},
        {"signals", 1},
        {"ipc", 1},
        {"memory", 0},
        {"cpu", 1},
        {"out of memory", -1},
        {"out of processes", -1},
    };
    (void)state;
    Run fresh = run_traces("look");
    for (size_t i = 0; i < sizeof traces / sizeof *traces; i++) {
        if (strncmp(traces[i].what, "out of", 6) == 0 && !sandbox_has(sandbox, LAYER_MEMORY))
            continue; /* nothing but the limit protects the machine's memory */
        pid_t left = keeper_of(traces[i].what);
        Run next = run_traces("look");
        assert_same_lines(traces[i].what, &next.said, &fresh.said);
        if (traces[i].uses_again >= 0 && (left == next.keeper) != traces[i].uses_again)
            fail_msg("after \"%s\" the cell was%s used again", traces[i].what,
                     left == next.keeper ? "" : " not");
        assert_false(next.out_of_memory);
        assert_false(next.refused_processes);
        buffer_free(&next.said);
    }
    buffer_free(&fresh.said);
}

static void resources_used_by_a_bot_are_not_charged_to_the_next(void **state) {
    (void)state;
    Run first = run_traces("cpu");
    Run second = run_traces("own limit");
    assert_int_equal(first.keeper, second.keeper);
    assert_true(first.cpu >= 300000000);
    assert_true(second.cpu < 300000000);
    buffer_free(&first.said);
    buffer_free(&second.said);
    if (!sandbox_has(sandbox, LAYER_PROCESSES))
        return;
    first = run_traces("out of processes");
    assert_true(first.refused_processes);
    second = run_traces("own limit");
    assert_false(second.refused_processes);
    buffer_free(&first.said);
    buffer_free(&second.said);
}

/* Writes a file and evicts it from the page cache, so that its next reader is charged for it.
   Returns false if the file system keeps it in memory. */
static bool write_uncached(const char *path, size_t size) {
    static const char bytes[1 << 20] = {1};
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    assert_true(fd >= 0);
    for (size_t done = 0; done < size; done += sizeof bytes)
        assert_int_equal(write(fd, bytes, sizeof bytes), sizeof bytes);
    struct statfs where;
    bool evicted = fsync(fd) == 0 && posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED) == 0 &&
                   fstatfs(fd, &where) == 0 && where.f_type != TMPFS_MAGIC;
    close(fd);
    return evicted;
}

static pid_t keeper_of_reader(void) {
    Run run = run_command("own limit", "cat large >/dev/null; exec ./traces", false);
    assert_int_equal(run.status, 0);
    buffer_free(&run.said);
    return run.keeper;
}

static void a_group_with_much_remaining_memory_is_not_reused(void **state) {
    (void)state;
    char path[96];
    snprintf(path, sizeof path, "%s/large", workplace.directory);
    /* A quarter of the memory limit. */
    bool tested = sandbox_has(sandbox, LAYER_MEMORY) && write_uncached(path, 16 << 20);
    pid_t keepers[3] = {0};
    for (int i = 0; tested && i < 3; i++)
        keepers[i] = keeper_of_reader();
    unlink(path);
    if (!tested) {
        print_message("no memory limit, or files are always in memory\n");
        skip();
    }
    assert_int_not_equal(keepers[0], keepers[1]);
    /* By then, the file was in the page cache, so its reader was not charged for it. */
    assert_int_equal(keepers[1], keepers[2]);
}

static void a_bot_that_was_stopped_or_killed_does_not_affect_the_next(void **state) {
    (void)state;
    Run stopped = run_command("look", "exec ./traces", true);
    Run next = run_traces("look");
    assert_int_not_equal(stopped.keeper, next.keeper);
    buffer_free(&stopped.said);
    buffer_free(&next.said);
}

static void another_bot_gets_another_cell(void **state) {
    (void)state;
    Run one = run_command("own limit", "exec ./traces", false);
    Run other = run_command("own limit", "exec ./traces other", false);
    assert_int_not_equal(one.keeper, other.keeper);
    Run again = run_command("own limit", "exec ./traces", false);
    assert_int_equal(one.keeper, again.keeper);
    buffer_free(&one.said);
    buffer_free(&other.said);
    buffer_free(&again.said);
}

static void a_replaced_directory_is_detected(void **state) {
    char old[128];
    char program[160];
    char moved[160];
    (void)state;
    pid_t before = keeper_of("own limit");
    snprintf(old, sizeof old, "%s.old", workplace.directory);
    snprintf(program, sizeof program, "%s/traces", workplace.directory);
    snprintf(moved, sizeof moved, "%s/traces", old);
    assert_int_equal(rename(workplace.directory, old), 0);
    assert_int_equal(mkdir(workplace.directory, 0755), 0);
    assert_int_equal(rename(moved, program), 0);
    assert_int_equal(rmdir(old), 0);
    assert_int_not_equal(keeper_of("own limit"), before);
}

static void a_keeper_that_was_killed_is_replaced(void **state) {
    (void)state;
    pid_t before = keeper_of("own limit");
    kill(before, SIGKILL);
    siginfo_t end;
    assert_int_equal(waitid(P_PID, (id_t)before, &end, WEXITED | WNOWAIT), 0);
    assert_int_not_equal(keeper_of("own limit"), before);
}

static void the_number_of_kept_cells_is_limited(void **state) {
    (void)state;
    for (int i = 0; i < IDLE_MAX + 4; i++) {
        char command[32];
        snprintf(command, sizeof command, "exec ./traces %d", i);
        Run run = run_command("own limit", command, false);
        buffer_free(&run.said);
    }
    assert_int_equal(children_count(), IDLE_MAX);
    process_sweep(sandbox);
    assert_int_equal(children_count(), IDLE_MAX);
}

static void ignore_signal(int signal) {
    (void)signal;
}

/* A runner may get a signal while it starts, for example to stop. */
static void a_signal_does_not_spoil_the_test_of_the_sandbox(void **state) {
    (void)state;
    struct sigaction action = {.sa_handler = ignore_signal};
    struct sigaction before;
    struct itimerval often = {.it_interval.tv_usec = 300, .it_value.tv_usec = 300};
    struct itimerval never = {0};
    Error error = {0};
    sigaction(SIGALRM, &action, &before);
    setitimer(ITIMER_REAL, &often, NULL);
    Sandbox *tested = sandbox_new(SANDBOX_BEST_EFFORT, &error);
    setitimer(ITIMER_REAL, &never, NULL);
    sigaction(SIGALRM, &before, NULL);
    if (!tested)
        fail_msg("%s", error.text);
    sandbox_free(tested);
}

int main(int count, char **arguments) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_clean_cell_is_reused, new_sandbox, free_sandbox),
        cmocka_unit_test_setup_teardown(a_bot_sees_no_traces_of_the_previous_bot, new_sandbox,
                                        free_sandbox),
        cmocka_unit_test_setup_teardown(resources_used_by_a_bot_are_not_charged_to_the_next,
                                        new_sandbox, free_sandbox),
        cmocka_unit_test_setup_teardown(a_group_with_much_remaining_memory_is_not_reused,
                                        new_sandbox, free_sandbox),
        cmocka_unit_test_setup_teardown(a_bot_that_was_stopped_or_killed_does_not_affect_the_next,
                                        new_sandbox, free_sandbox),
        cmocka_unit_test_setup_teardown(another_bot_gets_another_cell, new_sandbox, free_sandbox),
        cmocka_unit_test_setup_teardown(a_replaced_directory_is_detected, new_sandbox,
                                        free_sandbox),
        cmocka_unit_test_setup_teardown(a_keeper_that_was_killed_is_replaced, new_sandbox,
                                        free_sandbox),
        cmocka_unit_test_setup_teardown(the_number_of_kept_cells_is_limited, new_sandbox,
                                        free_sandbox),
        cmocka_unit_test(a_signal_does_not_spoil_the_test_of_the_sandbox),
    };
    bool nobody = count == 3 && strcmp(arguments[2], "nobody") == 0;
    if (count < 2 || !workplace_open(&workplace, arguments[1], nobody))
        return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    workplace_remove(&workplace);
    return failed;
}
