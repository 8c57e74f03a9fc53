/* Landlock: a scratch directory with a read-only, a read-write and an inaccessible part, as seen
   from inside. Checks that need a newer Landlock than the kernel's are skipped. */
#include "bots/landlock.h"
#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char scratch[] = "/tmp/landlock_test.XXXXXX";

static int put(const char *path, mode_t mode, const char *text) {
    int file = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, mode);
    if (file < 0)
        return -1;
    bool done = write(file, text, strlen(text)) == (ssize_t)strlen(text);
    return close(file) == 0 && done ? 0 : -1;
}

static int make_scratch(void **unused) {
    (void)unused;
    if (!mkdtemp(scratch) || chdir(scratch) != 0 || mkdir("read", 0755) != 0 ||
        mkdir("write", 0755) != 0 || mkdir("write/inner", 0755) != 0 || mkdir("other", 0755) != 0)
        return -1;
    return put("read/file", 0666, "read\n") || put("read/run", 0755, "#!/bin/sh\nexit 0\n") ||
                   put("write/file", 0666, "write\n") || put("other/file", 0666, "other\n") ||
                   put("other/run", 0755, "#!/bin/sh\nexit 0\n") ||
                   put("single", 0666, "single\n") || put("neighbour", 0666, "neighbour\n")
               ? -1
               : 0;
}

static int remove_scratch(void **unused) {
    (void)unused;
    char command[100];
    snprintf(command, sizeof command, "rm -rf -- %s", scratch);
    return chdir("/") == 0 && system(command) == 0 ? 0 : -1;
}

static int restrict_to_scratch(void) {
    const char *const read_only[] = {"/usr", "/bin",   "/lib",  "/lib64",    "/etc",
                                     "read", "single", "/proc", "not/there", NULL};
    const char *const read_write[] = {"write", "single/beneath a file", NULL};
    const char *const devices[] = {"/dev/null", "/dev/no such device", NULL};
    Error error;
    if (landlock_restrict(read_only, read_write, devices, &error))
        return 0;
    fprintf(stderr, "%s\n", error.text);
    return 1;
}

static int try_open(const char *path, int flags) {
    int file = open(path, flags | O_CLOEXEC, 0666);
    if (file >= 0)
        close(file);
    return file;
}

/* Runs a program in a child; returns as a system call does, with the errno of a failed exec. */
static int try_run(const char *path) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return -1;
    pid_t child = fork();
    if (child == 0) {
        char *const arguments[] = {(char[]){"run"}, NULL};
        execv(path, arguments);
        int number = errno;
        _exit(write(ends[1], &number, sizeof number) < 0);
    }
    close(ends[1]);
    int failure = 0;
    ssize_t got = read(ends[0], &failure, sizeof failure);
    close(ends[0]);
    waitpid(child, NULL, 0);
    errno = failure;
    return child > 0 && got == 0 ? 0 : -1;
}

static int read_things(void) {
    int wrong = restrict_to_scratch();
    wrong += CLAIM(0, try_open("read/file", O_RDONLY));
    wrong += CLAIM(0, try_open("read", O_RDONLY | O_DIRECTORY));
    wrong += CLAIM(0, try_open("single", O_RDONLY));
    wrong += CLAIM(0, try_run("read/run"));
    wrong += CLAIM(0, try_run("/bin/true"));

    wrong += CLAIM(EACCES, try_open("read/file", O_WRONLY));
    wrong += CLAIM(EACCES, try_open("read/file", O_RDWR));
    wrong += CLAIM(EACCES, try_open("read/new", O_CREAT | O_WRONLY));
    wrong += CLAIM(EACCES, try_open("single", O_WRONLY));
    wrong += CLAIM(EACCES, unlink("read/file"));
    wrong += CLAIM(EACCES, mkdir("read/new", 0755));
    wrong += CLAIM(EACCES, symlink("file", "read/new"));
    wrong += CLAIM(EACCES, rename("read/file", "read/new"));
    if (landlock_abi() >= 3)
        wrong += CLAIM(EACCES, truncate("read/file", 0));
    return wrong;
}

static void read_only_files_can_be_read_and_run_but_not_changed(void **unused) {
    (void)unused;
    assert_int_equal(in_child(read_things), 0);
}

static int write_things(void) {
    int wrong = restrict_to_scratch();
    wrong += CLAIM(0, try_open("write/file", O_RDWR));
    wrong += CLAIM(0, try_open("write/file", O_WRONLY | O_TRUNC));
    wrong += CLAIM(0, truncate("write/file", 3));
    wrong += CLAIM(0, put("write/run", 0755, "#!/bin/sh\nexit 0\n"));
    wrong += CLAIM(0, try_run("write/run"));
    wrong += CLAIM(0, mkdir("write/folder", 0755));
    wrong += CLAIM(0, rmdir("write/folder"));
    wrong += CLAIM(0, mkfifo("write/fifo", 0600));
    wrong += CLAIM(0, symlink("../other/file", "write/link"));
    wrong += CLAIM(0, rename("write/fifo", "write/pipe"));
    wrong += CLAIM(0, unlink("write/pipe"));
    if (landlock_abi() >= 2) {
        wrong += CLAIM(0, rename("write/run", "write/inner/run"));
        wrong += CLAIM(0, link("write/inner/run", "write/run"));
    }
    /* neither links nor renames move files in or out */
    wrong += CLAIM(EACCES, try_open("write/link", O_RDONLY));
    wrong += CLAIM(landlock_abi() >= 2 ? EACCES : EXDEV, rename("write/run", "other/run"));
    wrong += CLAIM(EXDEV, link("other/run", "write/stolen")); /* it would gain rights */
    wrong += CLAIM(landlock_abi() >= 2 ? EACCES : EXDEV, rename("write/run", "read/new"));
    return wrong;
}

static void read_write_files_can_be_changed(void **unused) {
    (void)unused;
    assert_int_equal(in_child(write_things), 0);
}

static int make_devices(void) {
    int wrong = restrict_to_scratch();
    wrong += CLAIM(EACCES, mknod("write/null", S_IFCHR | 0666, makedev(1, 3)));
    wrong += CLAIM(EACCES, mknod("write/disk", S_IFBLK | 0666, makedev(8, 0)));
    return wrong;
}

static void devices_cannot_be_created(void **unused) {
    (void)unused;
    if (getuid() != 0)
        skip(); /* the kernel denies it anyway */
    assert_int_equal(in_child(make_devices), 0);
}

static int touch_the_rest(void) {
    int wrong = restrict_to_scratch();
    wrong += CLAIM(EACCES, try_open("other/file", O_RDONLY));
    wrong += CLAIM(EACCES, try_open("other", O_RDONLY | O_DIRECTORY));
    wrong += CLAIM(EACCES, try_open("neighbour", O_RDONLY));
    wrong += CLAIM(EACCES, try_open("write/../other/file", O_RDONLY));
    wrong += CLAIM(EACCES, try_open("new", O_CREAT | O_WRONLY));
    wrong += CLAIM(EACCES, try_open("/", O_RDONLY | O_DIRECTORY));
    wrong += CLAIM(EACCES, try_open("/dev/zero", O_RDONLY));
    wrong += CLAIM(EACCES, try_run("other/run"));
    wrong += CLAIM(EACCES, unlink("other/file"));
    return wrong;
}

static void everything_else_is_inaccessible(void **unused) {
    (void)unused;
    assert_int_equal(in_child(touch_the_rest), 0);
}

static int use_devices(void) {
    int ends[2];
    int wrong = CLAIM(0, pipe2(ends, O_CLOEXEC)) + restrict_to_scratch();
    wrong += CLAIM(0, try_open("/dev/null", O_RDONLY));
    wrong += CLAIM(0, try_open("/dev/null", O_CREAT | O_WRONLY | O_TRUNC));
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    wrong += CLAIM(ENOTTY, isatty(null) ? 0 : -1);
    /* open files stay open, also under the name that /dev/stdout resolves to */
    char path[40];
    snprintf(path, sizeof path, "/proc/self/fd/%d", ends[1]);
    wrong += CLAIM(0, write(ends[1], "x", 1));
    wrong += CLAIM(0, try_open(path, O_WRONLY));
    return wrong;
}

static void devices_and_open_pipes_can_be_read_and_written(void **unused) {
    (void)unused;
    assert_int_equal(in_child(use_devices), 0);
}

static int use_tcp(void) {
    int wrong = restrict_to_scratch();
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(9), .sin_addr = {htonl(INADDR_LOOPBACK)}};
    int one = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    wrong += CLAIM(EACCES, bind(one, (struct sockaddr *)&address, sizeof address));
    wrong += CLAIM(EACCES, connect(one, (struct sockaddr *)&address, sizeof address));
    return wrong;
}

static void tcp_is_denied(void **unused) {
    (void)unused;
    if (landlock_abi() < 4)
        skip();
    assert_int_equal(in_child(use_tcp), 0);
}

static struct sockaddr_un listener; /* of the parent, in the abstract namespace */
static socklen_t listener_size = sizeof listener;

static int reach_outside(void) {
    int wrong = restrict_to_scratch();
    int one = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    wrong += CLAIM(EPERM, connect(one, (struct sockaddr *)&listener, listener_size));
    wrong += CLAIM(EPERM, kill(getppid(), 0));
    wrong += CLAIM(EPERM, kill(getppid(), SIGCONT));
    /* signals to its own children are allowed */
    pid_t child = fork();
    if (child == 0)
        for (;;)
            pause();
    wrong += CLAIM(0, kill(child, SIGKILL));
    wrong += CLAIM(0, waitpid(child, NULL, 0));
    return wrong;
}

static void abstract_sockets_and_signals_cannot_leave(void **unused) {
    (void)unused;
    if (landlock_abi() < 6)
        skip();
    int server = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    listener.sun_family = AF_UNIX;
    /* without a name the kernel chooses a free one */
    assert_int_equal(bind(server, (struct sockaddr *)&listener, sizeof listener.sun_family), 0);
    assert_int_equal(listen(server, 1), 0);
    assert_int_equal(getsockname(server, (struct sockaddr *)&listener, &listener_size), 0);
    int status = in_child(reach_outside);
    close(server);
    assert_int_equal(status, 0);
}

static int start_a_shell(void) {
    int wrong = restrict_to_scratch();
    return wrong + CLAIM(0, system("cat read/file | grep -q read && ! cat other/file 2>/dev/null"));
}

static void child_processes_are_restricted_too(void **unused) {
    (void)unused;
    assert_int_equal(in_child(start_a_shell), 0);
}

static int restrict_without_a_list_of_files(void) {
    const char *const nothing[] = {NULL};
    Error error;
    int wrong = landlock_restrict(nothing, nothing, nothing, &error) ? 0 : 1;
    return wrong + CLAIM(EACCES, try_open("read/file", O_RDONLY));
}

static void empty_lists_deny_everything(void **unused) {
    (void)unused;
    assert_int_equal(in_child(restrict_without_a_list_of_files), 0);
}

int main(void) {
    if (landlock_abi() == 0) {
        fputs("no Landlock in this kernel: skipped\n", stderr);
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(read_only_files_can_be_read_and_run_but_not_changed),
        cmocka_unit_test(read_write_files_can_be_changed),
        cmocka_unit_test(devices_cannot_be_created),
        cmocka_unit_test(everything_else_is_inaccessible),
        cmocka_unit_test(devices_and_open_pipes_can_be_read_and_written),
        cmocka_unit_test(tcp_is_denied),
        cmocka_unit_test(abstract_sockets_and_signals_cannot_leave),
        cmocka_unit_test(child_processes_are_restricted_too),
        cmocka_unit_test(empty_lists_deny_everything),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
