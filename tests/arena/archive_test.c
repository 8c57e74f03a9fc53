/* A process without rights reads archives, and the arena does not trust its output. */
#include "arena/bots/archive.h"
#include "arena/bots/archive_child.h"
#include "arena/bots/directory_tree.h"
#include "base/buffer.h"
#include "base/path.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char directory[64];

static int set_up(void **state) {
    (void)state;
    snprintf(directory, sizeof directory, "/tmp/skirmish-archive-XXXXXX");
    return mkdtemp(directory) ? 0 : -1;
}

static int tear_down(void **state) {
    (void)state;
    return tree_remove(directory) ? 0 : -1;
}

/* ---- the process ---- */

/* Makes calls that could reach something outside the process. Returns how many of them succeed. */
static int try_all(pid_t parent) {
    struct rlimit limit = {.rlim_cur = RLIM_INFINITY, .rlim_max = RLIM_INFINITY};
    char *const none[] = {NULL};
    char byte = 0;
    int ends[2];
    const bool worked[] = {
        syscall(SYS_openat, AT_FDCWD, "/etc/passwd", O_RDONLY) >= 0,
        syscall(SYS_openat, AT_FDCWD, "/dev/null", O_RDWR) >= 0,
        syscall(SYS_openat, AT_FDCWD, "new", O_WRONLY | O_CREAT, 0600) >= 0,
        access("/etc/passwd", F_OK) == 0,
        mkdir("new", 0700) == 0,
        unlink("/tmp/none") == 0 || errno != EPERM,
        chdir("/") == 0,
        read(STDIN_FILENO, &byte, 1) >= 0,
        write(STDERR_FILENO, &byte, 1) >= 0,
        socket(AF_INET, SOCK_STREAM, 0) >= 0,
        socket(AF_UNIX, SOCK_STREAM, 0) >= 0,
        socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0,
        pipe2(ends, 0) == 0,
        syscall(SYS_memfd_create, "x", 0) >= 0,
        syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL) >= 0,
        execve("/bin/true", none, none) == 0,
        kill(parent, 0) == 0,
        ptrace(PTRACE_TRACEME, 0, NULL, NULL) == 0,
        syscall(SYS_pidfd_open, parent, 0) >= 0,
        syscall(SYS_io_uring_setup, 1, NULL) >= 0 || errno != EPERM,
        setrlimit(RLIMIT_CPU, &limit) == 0,
        prctl(PR_SET_DUMPABLE, 1) == 0,
        mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED,
        syscall(SYS_fcntl, STDIN_FILENO, F_SETFL, 0) >= 0,
        syscall(SYS_dup, STDIN_FILENO) >= 0,
    };
    int count = 0;
    for (size_t i = 0; i < sizeof worked / sizeof *worked; i++)
        count += worked[i];
    void *memory = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED || mprotect(memory, 4096, PROT_EXEC) == 0)
        count++;
    return count;
}

static void the_process_can_compute_and_write_and_nothing_else(void **unused) {
    (void)unused;
    int ends[2];
    int status = 0;
    assert_int_equal(pipe(ends), 0);
    pid_t parent = getpid();
    pid_t child = fork();
    if (child == 0) {
        Error error = {0};
        dup2(ends[1], STDOUT_FILENO);
        char result = archive_confine(&error) ? (char)try_all(parent) : 'x';
        /* Not _exit, which sanitizers intercept: they need more rights. */
        syscall(SYS_exit_group, write(STDOUT_FILENO, &result, 1) == 1 ? 0 : 1);
    }
    char result = -1;
    close(ends[1]);
    assert_int_equal(read(ends[0], &result, 1), 1);
    assert_int_equal(waitpid(child, &status, 0), child);
    close(ends[0]);
    assert_int_equal(result, 0);
    assert_int_equal(status, 0);
}

/* ---- how the arena handles the output ---- */

/* Unpacks "an archive" with a shell script as the program that reads it. Returns whether the arena
   accepted the result. */
static bool unpack_by(const char *script, Error *error) {
    char *program = path_join(directory, "program");
    char *files = path_join(directory, "files");
    FILE *file = fopen(program, "we");
    assert_non_null(file);
    fprintf(file, "#!/bin/sh\n%s\n", script);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(program, 0755), 0);
    assert_true(tree_remove(files));
    assert_int_equal(mkdir(files, 0700), 0);
    int fd = open(files, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool good = archive_unpack(program, "bot.tar", slice_of("content"), 1000, fd, error);
    close(fd);
    free(program);
    free(files);
    return good;
}

/* Appends a shell command that prints a message of this kind with this text. */
static void say(Buffer *script, ArchiveKind kind, const char *text, size_t length) {
    buffer_format(script, "printf '\\%03o\\0\\0\\0\\%03o\\%03o\\0\\0%s'\n", (unsigned)kind,
                  (unsigned)(length & 255), (unsigned)(length >> 8), text);
}

static void the_exit_status_of_the_process_decides_the_error(void **unused) {
    (void)unused;
    static const struct {
        const char *script;
        const char *error;
    } cases[] = {
        {"exit 0", "the arena could not unpack the upload: the process that unpacks archives ended "
                   "early"},
        {"kill -SEGV $$",
         "the archive cannot be read: it crashed the process that unpacks archives "
         "(Segmentation fault)"},
        {"kill -XCPU $$", "the archive cannot be read: unpacking it takes too long"},
        {"kill -KILL $$",
         "the arena could not unpack the upload: the process that unpacks archives "
         "ended early"},
        {"echo garbage garbage", "the archive cannot be read: damaged data"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Error error = {0};
        assert_false(unpack_by(cases[i].script, &error));
        assert_string_equal(error.text, cases[i].error);
    }
}

static void messages_of_the_process_are_checked(void **unused) {
    (void)unused;
    static const struct {
        ArchiveKind kind;
        const char *name;
        const char *error;
    } cases[] = {
        {ARCHIVE_FILE, "../up", "the archive contains a path with \"..\"; remove that file"},
        {ARCHIVE_FILE, "/etc/cron.d/x",
         "the archive contains an absolute path; use paths relative to the bot"},
        {ARCHIVE_LINK, "a", "the archive contains a link, \"a\"; only regular files are allowed"},
        {ARCHIVE_OTHER, "a", "\"a\" in the archive is neither a file nor a directory"},
        {ARCHIVE_DATA, "a", "\"a\" in the archive is neither a file nor a directory"},
        {ARCHIVE_DAMAGED, "a\\033b", "the archive cannot be read: a?b"},
        {ARCHIVE_KINDS, "a", "the archive cannot be read: damaged data"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Error error = {0};
        Buffer script = {0};
        size_t length = strlen(cases[i].name) - (strchr(cases[i].name, '\\') ? 3 : 0);
        say(&script, cases[i].kind, cases[i].name, length);
        buffer_text(&script, "exec sleep 1000\n"); /* the arena does not wait for it */
        assert_false(unpack_by(buffer_string(&script), &error));
        assert_string_equal(error.text, cases[i].error);
        buffer_free(&script);
    }
}

static void the_process_cannot_send_more_than_the_arena_accepts(void **unused) {
    (void)unused;
    Error error = {0};
    Buffer script = {0};
    say(&script, ARCHIVE_FILE, "a", 1);
    buffer_text(&script, "while :; do\n");
    say(&script, ARCHIVE_DATA, "abcdefghij", 10);
    buffer_text(&script, "done\n");
    assert_false(unpack_by(buffer_string(&script), &error));
    assert_string_equal(error.text,
                        "the archive unpacks to more than 1000 bytes, the limit of this arena");
    buffer_free(&script);
}

static void the_files_that_the_process_sends_are_written(void **unused) {
    (void)unused;
    Error error = {0};
    Buffer script = {0};
    struct stat about;
    say(&script, ARCHIVE_DIRECTORY, "lib", 3);
    say(&script, ARCHIVE_PROGRAM, "lib/bot", 7);
    say(&script, ARCHIVE_DATA, "hello ", 6);
    say(&script, ARCHIVE_DATA, "you", 3);
    say(&script, ARCHIVE_END, "", 0);
    if (!unpack_by(buffer_string(&script), &error))
        fail_msg("%s", error.text);
    char *file = path_join(directory, "files/lib/bot");
    assert_int_equal(stat(file, &about), 0);
    assert_int_equal(about.st_size, 9);
    assert_int_equal(about.st_mode & 0777, 0755);
    free(file);
    buffer_free(&script);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_process_can_compute_and_write_and_nothing_else),
        cmocka_unit_test(the_exit_status_of_the_process_decides_the_error),
        cmocka_unit_test(messages_of_the_process_are_checked),
        cmocka_unit_test(the_process_cannot_send_more_than_the_arena_accepts),
        cmocka_unit_test(the_files_that_the_process_sends_are_written),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
