/* Bots that exhaust resources: processes, threads, memory, files.

       bombs NAME MOST

   Each continues until it is refused or killed, or has taken MOST megabytes or pieces, so that it
   does no harm if the sandbox fails. It prints "DENIED name errno after N" or "ALLOWED name N" and
   then plays on politely. */
#include "polite.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>

enum { MEGABYTE = 1 << 20 };

static char filler[MEGABYTE];

/* Each takes the index of the next piece and returns 0, or the errno of the refusal. */

static int one_fork(long index) {
    (void)index;
    pid_t child = fork();
    if (child == 0)
        for (;;)
            pause();
    return child < 0 ? errno : 0;
}

static void *idle(void *unused) {
    pause();
    return unused;
}

static int one_thread(long index) {
    (void)index;
    pthread_t thread;
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 1 << 16);
    int status = pthread_create(&thread, &small, idle, NULL);
    pthread_attr_destroy(&small);
    return status;
}

static int touched(char *memory) {
    if (!memory || memory == MAP_FAILED)
        return errno;
    for (size_t i = 0; i < MEGABYTE; i += 4096)
        ((volatile char *)memory)[i] = 1;
    return 0;
}

static int one_malloc(long index) {
    (void)index;
    return touched(malloc(MEGABYTE));
}

static int one_slow(long index) {
    nanosleep(&(struct timespec){0, 2000000}, NULL);
    return one_malloc(index);
}

static int one_private(long index) {
    (void)index;
    return touched(
        mmap(NULL, MEGABYTE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
}

static int one_shared(long index) {
    (void)index;
    return touched(mmap(NULL, MEGABYTE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
}

static int one_memfd(long index) {
    static int fd = -1;
    if (index == 0 && (fd = (int)syscall(SYS_memfd_create, "bomb", 0)) < 0)
        return errno;
    return write(fd, filler, sizeof filler) < 0 ? errno : 0;
}

/* Huge pages come from a pool that memory limits do not cover. Counted in pages of 2 MiB. */
enum { HUGE_PAGE = 2 << 20 };

static int one_huge(long index) {
    (void)index;
    return touched(mmap(NULL, HUGE_PAGE, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0));
}

static int one_huge_memfd(long index) {
    static int fd = -1;
    if (index == 0 && (fd = (int)syscall(SYS_memfd_create, "bomb", MFD_HUGETLB)) < 0)
        return errno;
    if (ftruncate(fd, (index + 1) * HUGE_PAGE) != 0)
        return errno;
    return touched(
        mmap(NULL, HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, index * HUGE_PAGE));
}

static int one_huge_segment(long index) {
    (void)index;
    int segment = shmget(IPC_PRIVATE, HUGE_PAGE, IPC_CREAT | SHM_HUGETLB | 0600);
    return segment < 0 ? errno : touched(shmat(segment, NULL, 0));
}

/* One child per megabyte, so that no single process is large. */
static int one_child(long index) {
    (void)index;
    pid_t child = fork();
    if (child == 0) {
        for (int i = 0; i < 8; i++)
            if (touched(malloc(MEGABYTE)))
                _exit(1);
        for (;;)
            pause();
    }
    return child < 0 ? errno : 0;
}

static int one_tmpfs(long index) {
    char name[64];
    snprintf(name, sizeof name, "/tmp/part%ld", index);
    int fd = open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    ssize_t done = fd < 0 ? -1 : write(fd, filler, sizeof filler);
    int status = done < 0 ? errno : done < MEGABYTE ? ENOSPC : 0;
    close(fd);
    return status;
}

static int one_large(long index) {
    int fd = open("/tmp/large", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    ssize_t done = fd < 0 ? -1 : write(fd, filler, sizeof filler);
    int status = done < 0 ? errno : done < MEGABYTE ? ENOSPC : 0;
    (void)index;
    close(fd);
    return status;
}

static int one_file(long index) {
    char name[64];
    snprintf(name, sizeof name, "/tmp/%ld", index);
    int fd = open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    int status = fd < 0 ? errno : 0;
    close(fd);
    return status;
}

static int one_descriptor(long index) {
    (void)index;
    return open("/dev/null", O_RDONLY | O_CLOEXEC) < 0 ? errno : 0;
}

/* Entries in epoll sets, five thousand in each child. */
static int one_watcher(long index) {
    enum { SETS = 50, WATCHED = 100 };
    int report[2];
    int refused = 0;
    (void)index;
    if (pipe2(report, O_CLOEXEC) != 0)
        return errno;
    pid_t child = fork();
    if (child == 0) {
        int copies[WATCHED];
        for (int i = 0; i < WATCHED; i++)
            copies[i] = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
        for (int i = 0; i < SETS && !refused; i++) {
            int set = epoll_create1(EPOLL_CLOEXEC);
            struct epoll_event what = {.events = EPOLLOUT};
            for (int j = 0; j < WATCHED && !refused; j++)
                refused = epoll_ctl(set, EPOLL_CTL_ADD, copies[j], &what) == 0 ? 0 : errno;
        }
        if (write(report[1], &refused, sizeof refused) != (ssize_t)sizeof refused)
            _exit(1);
        for (;;)
            pause();
    }
    close(report[1]);
    if (child < 0 || read(report[0], &refused, sizeof refused) != (ssize_t)sizeof refused)
        refused = errno;
    close(report[0]);
    return refused;
}

static const struct {
    const char *name;
    int (*take)(long index);
} bombs[] = {
    {"forks", one_fork},
    {"threads", one_thread},
    {"malloc", one_malloc},
    {"slow", one_slow},
    {"private", one_private},
    {"shared", one_shared},
    {"memfd", one_memfd},
    {"children", one_child},
    {"tmpfs", one_tmpfs},
    {"large", one_large},
    {"files", one_file},
    {"descriptors", one_descriptor},
    {"watches", one_watcher},
    {"huge", one_huge},
    {"huge-memfd", one_huge_memfd},
    {"huge-segment", one_huge_segment},
};

/* ---- bots that never stop trying ---- */

static _Atomic long *taken;
static long most;

/* All processes fork as long as they can; MOST limits them if nothing else does. */
static _Noreturn void forks_endlessly(void) {
    for (;;)
        if (atomic_load(taken) < most && fork() == 0)
            atomic_fetch_add(taken, 1);
}

static void *creates_threads_endlessly(void *unused) {
    pthread_t thread;
    for (;;)
        if (atomic_load(taken) < most &&
            pthread_create(&thread, NULL, creates_threads_endlessly, unused) == 0)
            atomic_fetch_add(taken, 1);
    return unused;
}

int main(int count, char **arguments) {
    if (count != 3)
        return 2;
    const char *name = arguments[1];
    most = strtol(arguments[2], NULL, 10);
    signal(SIGXFSZ, SIG_IGN);
    memset(filler, 1, sizeof filler);
    taken = mmap(NULL, sizeof *taken, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (taken == MAP_FAILED || !polite_turn())
        return 1;
    if (strcmp(name, "fork-storm") == 0)
        forks_endlessly();
    if (strcmp(name, "thread-storm") == 0)
        creates_threads_endlessly(NULL);
    for (size_t i = 0; i < sizeof bombs / sizeof *bombs; i++) {
        if (strcmp(name, bombs[i].name) != 0)
            continue;
        long had = 0;
        int refused = 0;
        while (had < most && !(refused = bombs[i].take(had)))
            had++;
        if (strcmp(name, "descriptors") == 0)
            close(STDERR_FILENO + 1 + (int)(had / 2)); /* printing may need one */
        if (refused)
            dprintf(STDERR_FILENO, "DENIED %s %s after %ld\n", name, strerrorname_np(refused), had);
        else
            dprintf(STDERR_FILENO, "ALLOWED %s %ld\n", name, had);
        polite();
        return 0;
    }
    return 2;
}
