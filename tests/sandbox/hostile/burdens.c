/* Bots that burden their opponents: they compute, or make the kernel work, during the turns of
   others.

       burdens NAME [NUMBER]

   Each takes as much as it can get and plays on politely. NUMBER is called "the given number"
   below. */
#include "polite.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>

enum { MIB = 1 << 20, PAGE = 4096 };

static int number; /* from the command line */

/* ---- timers ---- */

enum { TIMERS = 1000, WATCHERS = 120, WATCHED = 120, TIMER_GAP = 20000 };

/* Timers that expire in the opponent's turn. Each makes the kernel send a signal, and each signal
   notifies all who wait for one: here, thousands of entries in epoll sets. */
static timer_t all_timers[TIMERS];
static int timer_count;
static sigset_t timer_signals;

static void take_timers(void) {
    int watches = 0;
    sigemptyset(&timer_signals);
    sigaddset(&timer_signals, SIGRTMIN);
    sigprocmask(SIG_BLOCK, &timer_signals, NULL);
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN};
    while (timer_count < TIMERS &&
           timer_create(CLOCK_MONOTONIC, &event, &all_timers[timer_count]) == 0)
        timer_count++;
    int signals[WATCHED];
    for (int i = 0; i < WATCHED; i++)
        signals[i] = signalfd(-1, &timer_signals, SFD_CLOEXEC);
    for (int i = 0; i < WATCHERS; i++) {
        int watcher = epoll_create1(EPOLL_CLOEXEC);
        struct epoll_event what = {.events = EPOLLIN};
        for (int j = 0; j < WATCHED; j++)
            watches += epoll_ctl(watcher, EPOLL_CTL_ADD, signals[j], &what) == 0;
    }
    dprintf(STDERR_FILENO, "TIMERS %d WATCHES %d\n", timer_count, watches);
}

static void set_timers(void) {
    siginfo_t info;
    while (sigtimedwait(&timer_signals, &info, &(struct timespec){0}) > 0) {}
    for (int i = 0; i < timer_count; i++)
        timer_settime(all_timers[i], 0,
                      &(struct itimerspec){.it_value.tv_nsec = 2000000 + i * TIMER_GAP}, NULL);
}

static void timers(void) {
    take_timers();
    while (view()) {
        set_timers();
        say(answer, sizeof answer - 1);
    }
}

static void ignore(int unused) {
    (void)unused;
}

/* The same with ITIMER_REAL, of which each process has one, in the given number of processes. */
static void start_alarms(void) {
    static const struct sigaction handle = {.sa_handler = ignore};
    sigaction(SIGALRM, &handle, NULL);
    for (int i = 0; i < number; i++) {
        struct timeval period = {.tv_usec = 4000 + i * (TIMER_GAP / 1000)};
        if (fork() == 0) {
            setitimer(ITIMER_REAL, &(struct itimerval){period, period}, NULL);
            for (;;)
                pause();
        }
    }
}

static void alarms(void) {
    start_alarms();
    polite();
}

/* ---- after the end ---- */

static void *spin(void *unused) {
    for (volatile int i = 0;; i = i + 1) {}
    return unused;
}

/* Starts the given number of threads, which never stop. */
static void start_threads(void) {
    pthread_t thread;
    for (int i = 0; i < number; i++)
        pthread_create(&thread, NULL, spin, NULL);
}

/* Computes after it has been eliminated, in the given number of threads. */
static void lingers(void) {
    polite();
    pthread_t thread;
    for (int i = 1; i < number; i++)
        pthread_create(&thread, NULL, spin, NULL);
    spin(NULL);
}

/* Eliminates the owner of planet a. */
static void conquers(void) {
    static const char attack[] =
        "{\"moves\": [{\"origin\": \"b\", \"destination\": \"a\", \"ship_count\": 100}]}\n";
    if (view())
        say(attack, sizeof attack - 1);
    polite();
}

/* ---- more time than allowed ---- */

static int64_t clock_of(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void compute(clockid_t clock, int64_t ms) {
    for (int64_t until = clock_of(clock) + ms * 1000000; clock_of(clock) < until;) {}
}

enum { PART = 20 }; /* ms */

/* Computes in a child for a moment. This process ignores SIGCHLD, so the kernel does not add the
   child's time to its own. */
static void compute_in_child(void) {
    int ends[2];
    char byte = 0;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return;
    if (fork() == 0) {
        compute(CLOCK_PROCESS_CPUTIME_ID, PART);
        _exit(0);
    }
    close(ends[1]);
    while (read(ends[0], &byte, 1) > 0) {}
    close(ends[0]);
}

/* Starts a process of the lowest priority, which waits for the core while others of this bot
   compute. */
static void start_waiting(void) {
    if (fork() == 0) {
        sched_setscheduler(0, SCHED_IDLE, &(struct sched_param){0});
        spin(NULL);
    }
}

/* Computes for the given number of ms, in children that have ended when the referee looks. */
static void idles(void) {
    signal(SIGCHLD, SIG_IGN);
    start_waiting();
    while (view()) {
        for (int done = 0; done < number; done += PART)
            compute_in_child();
        say(answer, sizeof answer - 1);
    }
}

static void *compute_part(void *unused) {
    compute(CLOCK_THREAD_CPUTIME_ID, PART);
    return unused;
}

/* The same in one thread after another, so that none runs for long. */
static void chains(void) {
    pthread_t thread;
    start_waiting();
    start_waiting();
    while (view()) {
        for (int done = 0; done < number; done += PART)
            if (pthread_create(&thread, NULL, compute_part, NULL) == 0)
                pthread_join(thread, NULL);
        say(answer, sizeof answer - 1);
    }
}

/* Keeps the referee from running, so that it looks for the answer too late. */
static void starves(void) {
    pthread_t thread;
    for (int i = 0; i < 60; i++)
        pthread_create(&thread, NULL, spin, NULL);
    while (view()) {
        compute(CLOCK_PROCESS_CPUTIME_ID, number);
        say(answer, sizeof answer - 1);
    }
}

/* ---- watches ---- */

/* Watches standard error with WATCHERS epoll sets, each through WATCHED copies of its descriptor,
   or with as many as the kernel allows. */
static void watch_errors(void) {
    int copies[WATCHED];
    for (int i = 0; i < WATCHED; i++)
        copies[i] = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
    for (int i = 0; i < WATCHERS; i++) {
        int watcher = epoll_create1(EPOLL_CLOEXEC);
        struct epoll_event what = {.events = EPOLLOUT | EPOLLET};
        for (int j = 0; j < WATCHED; j++)
            if (epoll_ctl(watcher, EPOLL_CTL_ADD, copies[j], &what) != 0)
                return;
    }
}

/* Watches standard error in the given number of processes, and fills it in each turn. When the
   referee reads it, the kernel notifies all of these watches. */
static void watches(void) {
    static const char text[PAGE] = {0};
    int ready[2];
    char byte;
    if (pipe2(ready, O_CLOEXEC) != 0)
        return;
    for (int i = 0; i < number; i++)
        if (fork() == 0) {
            watch_errors();
            close(ready[0]);
            close(ready[1]);
            for (;;)
                pause();
        }
    close(ready[1]);
    while (read(ready[0], &byte, 1) > 0) {}
    fcntl(STDERR_FILENO, F_SETFL, O_NONBLOCK);
    while (view()) {
        while (write(STDERR_FILENO, text, sizeof text) > 0) {}
        say(answer, sizeof answer - 1);
    }
}

/* ---- all at once ---- */

/* Timers; the given number of processes with an alarm and of threads that never stop; and many
   watches on standard input. */
static void all(void) {
    take_timers();
    start_alarms();
    for (int i = 0; i < WATCHERS; i++) {
        struct epoll_event what = {.events = EPOLLIN};
        epoll_ctl(epoll_create1(EPOLL_CLOEXEC), EPOLL_CTL_ADD, STDIN_FILENO, &what);
    }
    start_threads();
    while (view()) {
        set_timers();
        say(answer, sizeof answer - 1);
    }
}

/* The given number of threads that never stop, from the start. */
static void threads(void) {
    start_threads();
    polite();
}

/* ---- quiet at first ---- */

enum { QUIET_TURNS = 20 };

static void quiet_turns(void) {
    for (int i = 0; i < QUIET_TURNS; i++)
        polite_turn();
}

/* The given number of threads that never stop, from a later turn on. */
static void later(void) {
    quiet_turns();
    if (view())
        start_threads();
    say(answer, sizeof answer - 1);
    polite();
}

/* The same with processes, which it starts after its answer. */
static void forks(void) {
    quiet_turns();
    polite_turn();
    for (int i = 0; i < number; i++)
        if (fork() == 0)
            spin(NULL);
    polite();
}

static int call_pipe[2];
static atomic_bool spinning;

static void *spin_when_called(void *unused) {
    char byte;
    while (read(call_pipe[0], &byte, 1) == 1)
        while (spinning) {}
    return unused;
}

/* The same with threads that compute after every other answer only. */
static void alternates(void) {
    pthread_t thread;
    if (pipe2(call_pipe, O_CLOEXEC) != 0)
        return;
    for (int i = 0; i < number; i++)
        pthread_create(&thread, NULL, spin_when_called, NULL);
    quiet_turns();
    for (bool spins = true; view(); spins = !spins) {
        spinning = spins;
        for (int i = 0; spins && i < number; i++)
            if (write(call_pipe[1], "", 1) != 1)
                return;
        say(answer, sizeof answer - 1);
    }
}

/* ---- shortly after the answer ---- */

enum { BURSTS = 12 };

static void touch(char *memory, size_t size) {
    for (size_t i = 0; i < size; i += PAGE)
        memory[i] = 1;
}

/* After each answer, a child with the given number of MiB of memory exits, and the kernel frees its
   pages. */
static void exits(void) {
    size_t size = (size_t)number * MIB;
    for (int ends[2]; pipe2(ends, O_CLOEXEC) == 0 && view(); close(ends[1])) {
        int ready[2];
        char byte;
        if (pipe2(ready, O_CLOEXEC) != 0)
            return;
        if (fork() == 0) {
            char *memory = malloc(size);
            if (memory)
                touch(memory, size);
            close(ends[1]);
            close(ready[0]);
            close(ready[1]);
            _exit((int)read(ends[0], &byte, 1));
        }
        close(ends[0]);
        close(ready[1]);
        while (read(ready[0], &byte, 1) > 0) {}
        close(ready[0]);
        say(answer, sizeof answer - 1);
        while (waitpid(-1, NULL, WNOHANG) > 0) {}
    }
}

static int burst_pipe[2];

static void *burst(void *unused) {
    char byte;
    while (read(burst_pipe[0], &byte, 1) == 1)
        for (int64_t until = clock_of(CLOCK_THREAD_CPUTIME_ID) + (int64_t)number * 1000 / BURSTS;
             clock_of(CLOCK_THREAD_CPUTIME_ID) < until;) {}
    return unused;
}

/* After each answer, computes for the given number of microseconds in total, in several threads. */
static void bursts(void) {
    static const char go[BURSTS] = {0};
    pthread_t thread;
    if (pipe2(burst_pipe, O_CLOEXEC) != 0)
        return;
    for (int i = 0; i < BURSTS; i++)
        pthread_create(&thread, NULL, burst, NULL);
    while (view() && say(answer, sizeof answer - 1) &&
           write(burst_pipe[1], go, sizeof go) == (ssize_t)sizeof go) {}
}

/* ---- before the answer ---- */

/* Writes to the given number of MiB of memory in each turn, so that caches hold nothing else. */
static void caches(void) {
    size_t size = (size_t)number * MIB;
    char *memory = malloc(size);
    while (memory && view()) {
        memset(memory, 1, size);
        say(answer, sizeof answer - 1);
    }
}

/* The same with memory that it allocates and frees in each turn. */
static void reserves(void) {
    size_t size = (size_t)number * MIB;
    while (view()) {
        char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory != MAP_FAILED) {
            touch(memory, size);
            munmap(memory, size);
        }
        say(answer, sizeof answer - 1);
    }
}

/* ---- an honest bot ---- */

/* Does the same work in every turn, however long it takes: the given number of million steps. */
static void steps(void) {
    while (view()) {
        for (volatile int million = 0; million < number; million = million + 1)
            for (volatile int i = 0; i < 1000000; i = i + 1) {}
        say(answer, sizeof answer - 1);
    }
}

/* The same with random accesses to a table, as in a program that searches. */
static void searches(void) {
    static uint32_t table[MIB / sizeof(uint32_t)];
    uint32_t at = 1;
    while (view()) {
        for (int i = 0; i < number * 1000000; i++) {
            at = at * 1664525 + 1013904223;
            table[at >> 14] += at;
        }
        say(answer, sizeof answer - 1);
    }
}

static const struct {
    const char *name;
    void (*act)(void);
} burdens[] = {
    {"alarms", alarms},     {"all", all},           {"alternates", alternates},
    {"bursts", bursts},     {"caches", caches},     {"chains", chains},
    {"conquers", conquers}, {"exits", exits},       {"forks", forks},
    {"idles", idles},       {"later", later},       {"lingers", lingers},
    {"reserves", reserves}, {"searches", searches}, {"starves", starves},
    {"steps", steps},       {"threads", threads},   {"timers", timers},
    {"watches", watches},
};

int main(int count, char **arguments) {
    number = count > 2 ? (int)strtol(arguments[2], NULL, 10) : 0;
    for (size_t i = 0; count > 1 && i < sizeof burdens / sizeof *burdens; i++)
        if (strcmp(arguments[1], burdens[i].name) == 0) {
            burdens[i].act();
            return 0;
        }
    fputs("burdens: expected the name of a burden\n", stderr);
    return 2;
}
