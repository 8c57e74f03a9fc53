/* Leaves traces for the next bot, or looks for those of an earlier one. cell_test.c starts this
   program repeatedly with the same command; the first line of its input is the action.

   "look" prints all that a bot could see of an earlier one. The other actions leave something. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

/* ---- looking ---- */

static void print_file(const char *path) {
    char line[512];
    FILE *file = fopen(path, "re");
    printf("%s:\n", path);
    while (file && fgets(line, sizeof line, file))
        /* skip what differs between any two processes */
        if (!strstr(line, "ctxt_switches") && strncmp(line, "Vm", 2) != 0 &&
            strncmp(line, "Rss", 3) != 0 && strncmp(line, "Cpus_", 5) != 0)
            fputs(line, stdout);
    if (file)
        fclose(file);
}

static int by_name(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void print_directory(const char *path, int only_numbers) {
    char *names[512];
    size_t count = 0;
    DIR *directory = opendir(path);
    for (struct dirent *entry; directory && (entry = readdir(directory)) && count < 512;)
        if (!only_numbers || (entry->d_name[0] >= '0' && entry->d_name[0] <= '9'))
            names[count++] = strdup(entry->d_name);
    if (directory)
        closedir(directory);
    qsort(names, count, sizeof *names, by_name);
    printf("%s:", path);
    for (size_t i = 0; i < count; i++) {
        printf(" %s", names[i]);
        free(names[i]);
    }
    printf("\n");
}

static void look(void) {
    struct stat about;
    struct statfs space;
    printf("pid %d of %d, group %d, session %d\n", (int)getpid(), (int)getppid(), (int)getpgrp(),
           (int)getsid(0));
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    waitpid(child, NULL, 0);
    printf("child %d\n", (int)child);
    printf("user %d %d, nice %d, policy %d, umask %o\n", (int)getuid(), (int)getgid(),
           getpriority(PRIO_PROCESS, 0), sched_getscheduler(0), umask(022));
    for (int limit = 0; limit < RLIM_NLIMITS; limit++) {
        struct rlimit is;
        getrlimit((__rlimit_resource_t)limit, &is);
        printf("limit %d %llu %llu\n", limit, (unsigned long long)is.rlim_cur,
               (unsigned long long)is.rlim_max);
    }
    print_file("/proc/self/status");
    print_file("/proc/self/cgroup");
    print_file("/proc/net/unix");
    print_file("/proc/sysvipc/shm");
    print_file("/proc/sys/kernel/hostname");
    print_directory("/proc", 1);
    print_directory("/proc/self/fd", 0);
    print_directory("/", 0);
    print_directory("/tmp", 0);
    print_directory("/dev", 0);
    print_directory(".", 0);
    statfs("/tmp", &space);
    stat("/tmp", &about);
    printf("tmp %o %d %d, %ld of %ld, %ld\n", about.st_mode, (int)about.st_uid, (int)about.st_gid,
           (long)space.f_bfree, (long)space.f_blocks, (long)space.f_ffree);
    for (char **name = environ; *name; name++)
        printf("%s\n", *name);
}

/* ---- leaving something ---- */

/* Leaves a child in its own session that nobody waits for and that does not end by itself. */
static void leave_process(void) {
    int ready[2];
    char byte = 0;
    if (pipe(ready) != 0)
        return;
    if (fork() == 0) {
        setsid();
        for (int number = 1; number < NSIG; number++)
            signal(number, SIG_IGN);
        if (write(ready[1], &byte, 1) == 1)
            for (;;)
                pause();
    }
    if (read(ready[0], &byte, 1) != 1)
        _exit(3);
}

static void leave_pids(void) {
    for (int i = 0; i < 40; i++) {
        pid_t child = fork();
        if (child == 0)
            _exit(0);
        waitpid(child, NULL, 0);
    }
}

static void leave_memory(void) {
    size_t size = (size_t)24 << 20;
    int file = open("/tmp/much", O_CREAT | O_WRONLY, 0600);
    char *bytes = malloc(size);
    memset(bytes, 1, size);
    if (write(file, bytes, size) != (ssize_t)size)
        _exit(3);
    unlink("/tmp/much"); /* it is freed when this process ends */
    free(bytes);
}

static void use_cpu(void) {
    struct timespec used;
    do
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    while (used.tv_nsec < 300000000 && used.tv_sec == 0);
}

/* A child dies at the memory limit. */
static void run_out_of_memory(void) {
    pid_t child = fork();
    if (child == 0) {
        for (;;) {
            /* without volatile, a compiler could leave out memory that is never read */
            volatile char *more = malloc(1 << 20);
            if (!more)
                _exit(0);
            for (size_t i = 0; i < 1 << 20; i += 4096)
                more[i] = 1;
        }
    }
    waitpid(child, NULL, 0);
}

static void run_out_of_processes(void) {
    int hold[2];
    char byte;
    if (pipe(hold) != 0)
        return;
    for (int i = 0; i < 200; i++) {
        pid_t child = fork();
        if (child < 0)
            break;
        if (child == 0) {
            close(hold[1]);
            _exit(read(hold[0], &byte, 1) != 0);
        }
    }
    close(hold[1]);
    while (wait(NULL) > 0)
        ;
}

int main(void) {
    char what[64] = "";
    if (!fgets(what, sizeof what, stdin))
        return 2;
    what[strcspn(what, "\n")] = '\0';
    if (strcmp(what, "look") == 0)
        look();
    else if (strcmp(what, "file") == 0)
        close(open("/tmp/trace", O_CREAT | O_WRONLY, 0644));
    else if (strcmp(what, "removed file") == 0)
        unlink((close(open("/tmp/trace", O_CREAT | O_WRONLY, 0644)), "/tmp/trace"));
    else if (strcmp(what, "mode") == 0)
        chmod("/tmp", 0700);
    else if (strcmp(what, "times") == 0)
        utimensat(AT_FDCWD, "/tmp", (struct timespec[2]){{42, 0}, {43, 0}}, 0);
    else if (strcmp(what, "listing") == 0)
        print_directory("/tmp", 0);
    else if (strcmp(what, "process") == 0)
        leave_process();
    else if (strcmp(what, "pids") == 0)
        leave_pids();
    else if (strcmp(what, "nice") == 0)
        setpriority(PRIO_PROCESS, 1, 10);
    else if (strcmp(what, "nice user") == 0)
        setpriority(PRIO_USER, 0, 10);
    else if (strcmp(what, "policy") == 0)
        sched_setscheduler(1, SCHED_IDLE, &(struct sched_param){0});
    else if (strcmp(what, "limit") == 0)
        syscall(SYS_prlimit64, 1, RLIMIT_NOFILE, &(struct rlimit){40, 40}, NULL);
    else if (strcmp(what, "own limit") == 0)
        setrlimit(RLIMIT_NOFILE, &(struct rlimit){40, 40});
    else if (strcmp(what, "signals") == 0)
        for (int number = 1; number < NSIG; number++)
            kill(1, number);
    else if (strcmp(what, "ipc") == 0)
        syscall(SYS_shmget, 42, 4096, 01666);
    else if (strcmp(what, "memory") == 0)
        leave_memory();
    else if (strcmp(what, "cpu") == 0)
        use_cpu();
    else if (strcmp(what, "out of memory") == 0)
        run_out_of_memory();
    else if (strcmp(what, "out of processes") == 0)
        run_out_of_processes();
    else
        return 2;
    fflush(stdout);
    return 0;
}
