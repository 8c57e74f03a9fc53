/* See grace.h. */
#include "bots/grace.h"

#include "base/clock.h"

#include <stdio.h>
#include <unistd.h>

enum {
    FIRST_DUE_PART = 50, /* limit / 50: until then, wall time is charged */
    TEXT_MAX = 512,
};

typedef struct ThreadUse {
    pid_t thread;
    bool known;    /* the kernel reports the times of this thread */
    bool runnable; /* on a core or in the queue for one */
    int64_t run;
    int64_t queued;
    int64_t run_before; /* value at the first measurement; 0 if the thread did not exist yet */
    int64_t queued_before;
    int64_t still_since; /* the thread has not been seen to run since then */
} ThreadUse;

int64_t grace_first_due(int64_t limit) {
    int64_t part = limit / FIRST_DUE_PART;
    int64_t least = limit / 4 < CLOCK_MS ? limit / 4 : CLOCK_MS;
    return part > least ? part : least;
}

/* ---- what the kernel reports ---- */

static bool read_times(const char *directory, int64_t *run, int64_t *queued) {
    char text[TEXT_MAX];
    Slice rest = process_read(directory, "schedstat", text, sizeof text);
    Slice word;
    return slice_word(&rest, &word) && slice_int(word, run) && slice_word(&rest, &word) &&
           slice_int(word, queued);
}

static void add_thread(const char *directory, pid_t thread, void *context) {
    ThreadUse use = {.thread = thread};
    use.known = read_times(directory, &use.run, &use.queued);
    use.runnable = process_thread_runs(directory);
    buffer_add(context, &use, sizeof use);
}

static int64_t own_queued(void) {
    int64_t run = 0;
    int64_t queued = 0;
    return read_times("/proc/thread-self", &run, &queued) ? queued : 0;
}

static int64_t pressure_of(const Process *process) {
    return process->grouped && !process->ended ? cgroup_pressure(&process->group) : -1;
}

static int64_t throttled_of(const Process *process) {
    return process->grouped && !process->ended ? cgroup_throttled(&process->group) : 0;
}

/* Whether more threads, not counting ours, want to run than there are cores. */
static bool machine_is_busy(void) {
    char text[TEXT_MAX];
    Slice rest = process_read("/proc", "loadavg", text, sizeof text);
    Slice word;
    int64_t running = 0;
    for (int field = 0; field < 4; field++)
        if (!slice_word(&rest, &word))
            return false;
    for (size_t i = 0; i < word.length && word.at[i] != '/'; i++)
        running = running * 10 + (word.at[i] - '0');
    return running > sysconf(_SC_NPROCESSORS_ONLN) + 1;
}

/* ---- measurements ---- */

static size_t count_of(const Buffer *threads) {
    return threads->length / sizeof(ThreadUse);
}

static ThreadUse *at(const Buffer *threads, size_t index) {
    return (ThreadUse *)(void *)threads->data + index;
}

static const ThreadUse *find(const Buffer *threads, pid_t thread) {
    for (size_t i = 0; i < count_of(threads); i++)
        if (at(threads, i)->thread == thread)
            return at(threads, i);
    return NULL;
}

void grace_measure(Grace *grace, const Process *process, int64_t due, int64_t cpu) {
    buffer_clear(&grace->threads);
    process_each_thread(process, add_thread, &grace->threads);
    grace->cpu = cpu;
    grace->pressure = pressure_of(process);
    grace->throttled = throttled_of(process);
    grace->own_queued = own_queued();
    grace->first_at = grace->last_at = clock_now();
    grace->unwatched = grace->first_at > due ? grace->first_at - due : 0;
    for (size_t i = 0; i < count_of(&grace->threads); i++) {
        ThreadUse *use = at(&grace->threads, i);
        use->run_before = use->run;
        use->queued_before = use->queued;
        use->still_since = grace->first_at;
    }
}

static void look_again(Grace *grace, const Process *process) {
    buffer_clear(&grace->fresh);
    process_each_thread(process, add_thread, &grace->fresh);
    for (size_t i = 0; i < count_of(&grace->fresh); i++) {
        ThreadUse *use = at(&grace->fresh, i);
        const ThreadUse *before = find(&grace->threads, use->thread);
        bool moved = !before || use->run != before->run || use->queued != before->queued;
        use->still_since = moved ? grace->last_at : before->still_since;
        use->run_before = before ? before->run_before : 0;
        use->queued_before = before ? before->queued_before : 0;
    }
    Buffer old = grace->threads;
    grace->threads = grace->fresh;
    grace->fresh = old;
    grace->last_at = clock_now();
}

/* ---- the charge ---- */

static int64_t larger(int64_t a, int64_t b) {
    return a > b ? a : b;
}

/* The times of all threads since the first measurement. */
typedef struct Sums {
    int64_t queued;  /* time in the queue that other threads of the bot do not explain: the sum, */
    int64_t longest; /* the longest of one thread, */
    int64_t queuing; /* and the sum including waits that have not ended */
    bool runnable;
    bool known; /* the kernel reports it */
} Sums;

static Sums sum_up(const Grace *grace, int64_t cpu) {
    Sums sums = {0};
    for (size_t i = 0; i < count_of(&grace->threads); i++) {
        const ThreadUse *use = at(&grace->threads, i);
        int64_t run = use->run - use->run_before;
        int64_t queued = use->queued - use->queued_before - larger(0, cpu - run);
        int64_t going_on = use->runnable ? grace->last_at - use->still_since : 0;
        sums.queued += larger(0, queued);
        sums.longest = larger(sums.longest, queued);
        sums.queuing += larger(0, queued + going_on);
        sums.runnable |= use->runnable;
        sums.known |= use->known;
    }
    return sums;
}

/* The cost of a turn with this much CPU time when queue times are unknown: CPU time then has to be
   well within the limit. */
static int64_t cost_of(int64_t used) {
    return used + used / 3;
}

/* A bot that wants to run on a busy machine is assumed to have waited whenever it did not run. */
static GraceCharge charge_blindly(const Sums *sums, int64_t used, int64_t wall) {
    bool waits = sums->runnable && machine_is_busy();
    return (GraceCharge){.sure = wall, .least = waits ? cost_of(used) : wall};
}

/* Whether all CPU time of the bot is known, or it is trusted. */
static bool is_accounted(const Process *process) {
    return process->grouped || !process->sandboxed;
}

static GraceCharge charge(Grace *grace, const Process *process, int64_t asked_at, int64_t used) {
    look_again(grace, process);
    Sums sums = sum_up(grace, used);
    int64_t wall = grace->last_at - asked_at - grace->unwatched;
    int64_t pressure = grace->pressure >= 0 ? pressure_of(process) : -1;
    if (!sums.known && pressure < 0 && process->pid)
        return charge_blindly(&sums, used, wall);
    if (pressure >= 0) {
        int64_t waited = larger(pressure - grace->pressure, sums.longest);
        waited -= throttled_of(process) - grace->throttled;
        int64_t charged = larger(used, wall - larger(0, waited));
        return (GraceCharge){.sure = charged, .least = charged};
    }
    return (GraceCharge){
        .sure = larger(used, wall - sums.queued),
        .least = larger(used, wall - sums.queuing),
    };
}

static int64_t used_by(const Grace *grace, const Process *process) {
    return larger(0, process_cpu(process, true) - grace->cpu);
}

GraceCharge grace_charge(Grace *grace, const Process *process, int64_t asked_at) {
    int64_t wall = clock_now() - asked_at;
    if (!is_accounted(process))
        return (GraceCharge){wall, wall};
    GraceCharge result = charge(grace, process, asked_at, used_by(grace, process));
    grace->own_queued = own_queued();
    return result;
}

int64_t grace_charge_answer(Grace *grace, const Process *process, int64_t asked_at) {
    if (!is_accounted(process))
        return clock_now() - asked_at;
    int64_t used = used_by(grace, process);
    int64_t sure = charge(grace, process, asked_at, used).sure;
    return larger(used, sure - (own_queued() - grace->own_queued));
}

void grace_free(Grace *grace) {
    buffer_free(&grace->threads);
    buffer_free(&grace->fresh);
}
