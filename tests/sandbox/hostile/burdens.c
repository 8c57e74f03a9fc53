/* Bots that burden their opponents: they leave work to the kernel, which it does during the turns
   of others.

       burdens NAME [NUMBER]

   Each takes as much as it gets and plays on politely. */
#include "polite.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <time.h>

static int number; /* from the command line */

/* ---- timers ---- */

enum { TIMERS = 1000, WATCHERS = 120, WATCHED = 120, TIMER_GAP = 20000 };

/* Timers that expire in the opponent's turn. For each the kernel sends a signal, and for each
   signal it notifies everybody who waits for one: here, thousands of entries in epoll sets. */
static void timers(void) {
    static timer_t all[TIMERS];
    int count = 0;
    int watches = 0;
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGRTMIN);
    sigprocmask(SIG_BLOCK, &set, NULL);
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN};
    while (count < TIMERS && timer_create(CLOCK_MONOTONIC, &event, &all[count]) == 0)
        count++;
    int signals[WATCHED];
    for (int i = 0; i < WATCHED; i++)
        signals[i] = signalfd(-1, &set, SFD_CLOEXEC);
    for (int i = 0; i < WATCHERS; i++) {
        int watcher = epoll_create1(EPOLL_CLOEXEC);
        struct epoll_event what = {.events = EPOLLIN};
        for (int j = 0; j < WATCHED; j++)
            watches += epoll_ctl(watcher, EPOLL_CTL_ADD, signals[j], &what) == 0;
    }
    dprintf(STDERR_FILENO, "TIMERS %d WATCHES %d\n", count, watches);
    while (view()) {
        siginfo_t info;
        while (sigtimedwait(&set, &info, &(struct timespec){0}) > 0) {}
        for (int i = 0; i < count; i++)
            timer_settime(all[i], 0,
                          &(struct itimerspec){.it_value.tv_nsec = 2000000 + i * TIMER_GAP}, NULL);
        say(answer, sizeof answer - 1);
    }
}

/* ---- after the end ---- */

static void *spin(void *unused) {
    for (volatile int i = 0;; i = i + 1) {}
    return unused;
}

/* Computes when it has been eliminated, in the given number of threads. */
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

/* ---- an honest bot ---- */

/* Does the same work in every turn, whatever it costs: the given number of millions of steps. */
static void steps(void) {
    while (view()) {
        for (volatile int million = 0; million < number; million = million + 1)
            for (volatile int i = 0; i < 1000000; i = i + 1) {}
        say(answer, sizeof answer - 1);
    }
}

static const struct {
    const char *name;
    void (*act)(void);
} burdens[] = {
    {"conquers", conquers},
    {"lingers", lingers},
    {"steps", steps},
    {"timers", timers},
};

int main(int count, char **arguments) {
    number = count > 2 ? (int)strtol(arguments[2], NULL, 10) : 0;
    for (size_t i = 0; count > 1 && i < sizeof burdens / sizeof *burdens; i++)
        if (strcmp(arguments[1], burdens[i].name) == 0) {
            burdens[i].act();
            return 0;
        }
    fputs("burdens: which?\n", stderr);
    return 2;
}
