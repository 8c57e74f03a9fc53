/* See guard.h. */
#include "bots/guard.h"

#include "base/clock.h"
#include "base/memory.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
    TICK = 2000000, /* ns: a turn that lasts for more than one to two ticks is long */
    /* ns that the kernel lets the guard run for: the shorter, the sooner it starts */
    SLICE = 100000,
    NICE = -20,
    SEAT_BITS = 8,
};

typedef struct Watched {
    Process process; /* a copy; pid 0: not watched */
    bool stopped;
} Watched;

struct Guard {
    pthread_t thread;
    cpu_set_t cores;
    sem_t end;
    pthread_mutex_t lock; /* protects `watched`; a turn begins under it */
    /* 0 between turns; else the number of the turn, and in the lowest bits the bot and 1 */
    atomic_uint_fast64_t turn;
    uint64_t turns;
    uint32_t bots;
    Watched watched[];
};

/* As the kernel defines it: libc does not. */
typedef struct SchedAttributes {
    uint32_t size;
    uint32_t policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t slice;
    uint64_t deadline;
    uint64_t period;
} SchedAttributes;

/* Both calls may fail: raising a priority needs a privilege, and setting a slice needs Linux
   6.12. */
static void run_soon(void) {
    int nice = getpriority(PRIO_PROCESS, 0);
    SchedAttributes wanted = {.size = sizeof wanted, .nice = NICE, .slice = SLICE};
    if (sched_getscheduler(0) != SCHED_OTHER || syscall(SYS_sched_setattr, 0, &wanted, 0) == 0)
        return;
    wanted.nice = nice;
    syscall(SYS_sched_setattr, 0, &wanted, 0);
}

static void stop_others(Guard *guard, uint64_t turn) {
    pthread_mutex_lock(&guard->lock);
    for (uint32_t i = 0; i < guard->bots && atomic_load(&guard->turn) == turn; i++) {
        Watched *bot = &guard->watched[i];
        if (!bot->process.pid || bot->stopped || i + 1 == (turn & ((1 << SEAT_BITS) - 1)))
            continue;
        bot->stopped = true;
        process_stop_directly(&bot->process);
    }
    pthread_mutex_unlock(&guard->lock);
}

/* Sleeps for a tick. False when the match ends. */
static bool sleep_for_a_tick(Guard *guard) {
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += TICK;
    if (until.tv_nsec >= 1000000000) {
        until.tv_nsec -= 1000000000;
        until.tv_sec++;
    }
    return sem_clockwait(&guard->end, CLOCK_MONOTONIC, &until) != 0;
}

static void *keep_watch(void *context) {
    Guard *guard = context;
    uint64_t seen = 0;
    uint64_t done = 0;
    sched_setaffinity(0, sizeof guard->cores, &guard->cores);
    run_soon();
    while (sleep_for_a_tick(guard)) {
        uint64_t turn = atomic_load(&guard->turn);
        if (turn && turn == seen && turn != done) {
            stop_others(guard, turn);
            done = turn;
        }
        seen = turn;
    }
    return NULL;
}

Guard *guard_new(uint32_t bots, const cpu_set_t *cores) {
    Guard *guard = xcalloc(1, sizeof *guard + bots * sizeof *guard->watched);
    guard->bots = bots;
    guard->cores = *cores;
    sem_init(&guard->end, 0, 0);
    pthread_mutex_init(&guard->lock, NULL);
    /* Signals are for the referee. */
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool started = pthread_create(&guard->thread, NULL, keep_watch, guard) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (started)
        return guard;
    sem_destroy(&guard->end);
    pthread_mutex_destroy(&guard->lock);
    free(guard);
    return NULL;
}

void guard_watch(Guard *guard, uint32_t bot, const Process *process) {
    pthread_mutex_lock(&guard->lock);
    guard->watched[bot] = (Watched){.process = *process};
    pthread_mutex_unlock(&guard->lock);
}

bool guard_forget(Guard *guard, uint32_t bot) {
    pthread_mutex_lock(&guard->lock);
    bool stopped = guard->watched[bot].stopped;
    guard->watched[bot] = (Watched){0};
    pthread_mutex_unlock(&guard->lock);
    return stopped;
}

bool guard_begin_turn(Guard *guard, uint32_t bot) {
    pthread_mutex_lock(&guard->lock);
    atomic_store(&guard->turn, ++guard->turns << SEAT_BITS | (bot + 1));
    bool stopped = guard->watched[bot].stopped;
    guard->watched[bot].stopped = false;
    pthread_mutex_unlock(&guard->lock);
    return stopped;
}

void guard_end_turn(Guard *guard) {
    atomic_store_explicit(&guard->turn, 0, memory_order_relaxed);
}

void guard_free(Guard *guard) {
    if (!guard)
        return;
    sem_post(&guard->end);
    pthread_join(guard->thread, NULL);
    sem_destroy(&guard->end);
    pthread_mutex_destroy(&guard->lock);
    free(guard);
}
