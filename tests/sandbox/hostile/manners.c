/* Bots that misbehave: with their pipes, when they exit, with their children and with their time.

       manners NAME [NUMBER]

   None of this needs special rights; the question is whether it harms others. */
#include "polite.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <time.h>

static int number; /* from the command line */

static void sleep_ms(long ms) {
    struct timespec span = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&span, NULL);
}

static _Noreturn void wait_endlessly(void) {
    for (;;)
        pause();
}

/* ---- pipes ---- */

static void reads_nothing(void) {
    fcntl(STDIN_FILENO, F_SETPIPE_SZ, 4096); /* the next view does not fit */
    wait_endlessly();
}

static void answers_unread(void) {
    fcntl(STDIN_FILENO, F_SETPIPE_SZ, 4096);
    while (say(answer, sizeof answer - 1)) {}
}

static void flood_stdout(void) {
    static char much[100000];
    memset(much, 'y', sizeof much);
    for (size_t i = 99; i < sizeof much; i += 100)
        much[i] = '\n';
    while (say(much, sizeof much)) {}
}

static void endless_line(void) {
    static char much[100000];
    memset(much, 'x', sizeof much);
    while (say(much, sizeof much)) {}
}

static void flood_stderr(void) {
    static char much[1000000];
    memset(much, 'e', sizeof much);
    while (view()) {
        for (int i = 0; i < 3; i++)
            if (write(STDERR_FILENO, much, sizeof much) < 0)
                return;
        say(answer, sizeof answer - 1);
    }
}

static void no_newline(void) {
    view();
    say(answer, sizeof answer - 2);
    wait_endlessly();
}

static void garbage(void) {
    static const char bytes[] = "\0\xff\xfe\xc0\x80{\0\n";
    while (view())
        say(bytes, sizeof bytes - 1);
}

static void close_stdin(void) {
    view();
    close(STDIN_FILENO);
    for (int i = 0; i < 5; i++)
        say(answer, sizeof answer - 1);
    wait_endlessly();
}

static void close_stdout(void) {
    view();
    close(STDOUT_FILENO);
    wait_endlessly();
}

static void close_both(void) {
    view();
    close(STDIN_FILENO);
    close(STDOUT_FILENO);
    wait_endlessly();
}

/* ---- ends ---- */

/* Exits at the given stage: 0 at once, 1 with part of a view read, 2 with the view read, 3 with
   part of an answer printed, 4 with the answer printed, 5 a turn later. */
static void exits(void) {
    if (number == 1) {
        char byte = 0;
        if (read(STDIN_FILENO, &byte, 1) < 0)
            _exit(9);
    }
    if (number >= 2)
        view();
    if (number >= 3)
        say(answer, number == 3 ? 5 : sizeof answer - 1);
    if (number >= 5)
        polite_turn();
    _exit(7);
}

static void dies(void) {
    polite_turn();
    signal(number, SIG_DFL);
    raise(number);
    wait_endlessly();
}

/* Ignores signals and the end of its input. */
static void deaf(void) {
    for (int i = 1; i < NSIG; i++)
        signal(i, SIG_IGN);
    polite();
    for (;;)
        sleep_ms(10);
}

static void stops(void) {
    polite_turn();
    raise(SIGSTOP);
    polite();
}

/* ---- children ---- */

static void daemonize(void) {
    if (fork() == 0) {
        setsid();
        if (fork() == 0) {
            for (int i = 0; i < 3; i++)
                close(i);
            wait_endlessly();
        }
        _exit(0);
    }
    polite();
}

static void sessions(void) {
    for (int i = 0; i < 8; i++)
        if (fork() == 0) {
            setsid();
            for (int j = 1; j < NSIG; j++)
                signal(j, SIG_IGN);
            wait_endlessly();
        }
    polite();
}

/* Leaves a segment of shared memory, which outlives its creator. */
static void shares(void) {
    shmget(0x5ca1ab1e, 4096, IPC_CREAT | 0666);
    polite();
}

/* The bot exits and its child continues in its place. */
static void survives(void) {
    polite_turn();
    if (fork() == 0) {
        setsid();
        polite();
        wait_endlessly();
    }
    _exit(0);
}

/* ---- signals to others ---- */

static void signals_all(void) {
    static const int signals[] = {SIGSTOP, SIGTERM, SIGINT, SIGHUP, SIGKILL};
    polite_turn();
    if (!is_confined()) {
        fputs("ALLOWED signals: all processes are in sight\n", stderr);
        return;
    }
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        for (pid_t pid = 1; pid <= 1 << 15; pid++)
            if (pid != getpid())
                kill(pid, signals[i]);
        for (pid_t group = 2; group <= 1 << 10; group++)
            if (group != getpgrp())
                kill(-group, signals[i]);
    }
    kill(-1, SIGKILL);
    fputs("DENIED signals EPERM\n", stderr);
    polite();
}

static void signals_group(void) {
    polite_turn();
    if (is_confined())
        kill(0, SIGKILL);
}

static void stops_group(void) {
    polite_turn();
    if (is_confined())
        kill(0, SIGSTOP);
    polite();
}

/* ---- time ---- */

static void late(void) {
    while (view()) {
        sleep_ms(number);
        say(answer, sizeof answer - 1);
    }
}

static int64_t cpu_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static _Atomic int64_t *child_cpu;

static void *spin_thread(void *unused) {
    for (volatile int i = 0;; i = i + 1) {}
    return unused;
}

/* Computes during the opponent's turn: in threads, and in a child in another session. Prints how
   many ms of CPU time it had between its answer and its next view. */
static void spins(void) {
    child_cpu =
        mmap(NULL, sizeof *child_cpu, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (child_cpu == MAP_FAILED)
        return;
    if (fork() == 0) {
        setsid();
        for (;;)
            atomic_store(child_cpu, cpu_now());
    }
    pthread_t thread;
    for (int i = 0; i < 3; i++)
        pthread_create(&thread, NULL, spin_thread, NULL);
    int64_t before = 0;
    while (view()) {
        if (before)
            fprintf(stderr, "SPUN %lld\n",
                    (long long)(cpu_now() + atomic_load(child_cpu) - before) / 1000000);
        before = cpu_now() + atomic_load(child_cpu);
        say(answer, sizeof answer - 1);
    }
}

/* Computes all the time, in the given number of threads. */
static void crowd(void) {
    pthread_t thread;
    for (int i = 0; i < number; i++)
        pthread_create(&thread, NULL, spin_thread, NULL);
    polite();
}

/* An honest bot that needs the given number of ms of CPU time for each answer. */
static void works(void) {
    while (view()) {
        int64_t until = cpu_now() + (int64_t)number * 1000000;
        while (cpu_now() < until) {}
        say(answer, sizeof answer - 1);
    }
}

/* ---- limits per user ---- */

static bool take_timer(timer_t *timer) {
    struct sigevent none = {.sigev_notify = SIGEV_NONE};
    return timer_create(CLOCK_MONOTONIC, &none, timer) == 0;
}

/* Uses up the user's timers, and so much memory for pipes that the kernel makes new ones
   smaller. */
static void hogs(void) {
    for (int i = 0; i < 40; i++)
        if (fork() == 0) {
            timer_t timer;
            int ends[2];
            while (take_timer(&timer)) {}
            while (pipe2(ends, O_CLOEXEC) == 0) {}
            wait_endlessly();
        }
    while (view()) {
        sleep_ms(100); /* gives its children time: they are stopped after the answer */
        say(answer, sizeof answer - 1);
    }
}

/* Needs a timer and a pipe of the usual size for each answer. */
static void needs(void) {
    while (view()) {
        timer_t timer;
        int ends[2];
        if (!take_timer(&timer) || pipe2(ends, O_CLOEXEC) != 0 ||
            fcntl(ends[0], F_GETPIPE_SZ) < 65536)
            _exit(3);
        timer_delete(timer);
        close(ends[0]);
        close(ends[1]);
        say(answer, sizeof answer - 1);
    }
}

/* ---- fatal limits ---- */

static void dies_of_forks(void) {
    polite_turn();
    for (int i = 0; i < 500; i++) {
        pid_t child = fork();
        if (child < 0)
            _exit(5);
        if (child == 0)
            wait_endlessly();
    }
}

static void dies_of_a_large_file(void) {
    static char much[1 << 20];
    polite_turn();
    int fd = open("/tmp/large", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    for (int i = 0; i < 100; i++)
        if (write(fd, much, sizeof much) < 0)
            _exit(9);
}

static const struct {
    const char *name;
    void (*act)(void);
} manners[] = {
    {"polite", polite},
    {"reads-nothing", reads_nothing},
    {"answers-unread", answers_unread},
    {"flood-stdout", flood_stdout},
    {"flood-stderr", flood_stderr},
    {"endless-line", endless_line},
    {"no-newline", no_newline},
    {"garbage", garbage},
    {"close-stdin", close_stdin},
    {"close-stdout", close_stdout},
    {"close-both", close_both},
    {"exits", exits},
    {"dies", dies},
    {"deaf", deaf},
    {"stops", stops},
    {"daemonize", daemonize},
    {"sessions", sessions},
    {"shares", shares},
    {"survives", survives},
    {"signals-all", signals_all},
    {"signals-group", signals_group},
    {"stops-group", stops_group},
    {"late", late},
    {"spins", spins},
    {"crowd", crowd},
    {"works", works},
    {"hogs", hogs},
    {"needs", needs},
    {"dies-of-forks", dies_of_forks},
    {"dies-of-a-large-file", dies_of_a_large_file},
};

int main(int count, char **arguments) {
    number = count > 2 ? (int)strtol(arguments[2], NULL, 10) : 0;
    for (size_t i = 0; count > 1 && i < sizeof manners / sizeof *manners; i++)
        if (strcmp(arguments[1], manners[i].name) == 0) {
            manners[i].act();
            return 0;
        }
    fputs("manners: which?\n", stderr);
    return 2;
}
