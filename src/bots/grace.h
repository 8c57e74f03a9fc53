/* Grace: the part of a turn's time that a bot is not charged for because the machine was busy.

   On a busy machine wall time includes the time that a bot waited for a core. A bot is charged for
   the time it ran and for the time it chose to wait (slept, read, waited for its own threads), but
   not for its time in the run queue. The kernel counts both in nanoseconds: the run and queue time
   of every thread (/proc/PID/task/TID/schedstat), and for a control group the time during which a
   thread in it could have run but none did (cpu.pressure), which includes processes that have
   ended.

   A measurement takes tens of microseconds, so quick turns are not measured. A bot that thinks for
   a while is measured once early in its turn, and again only when its wall time is up.

   A bot must gain nothing by trying to earn grace:

   - All CPU time of the turn is charged, of all threads and of processes that have ended, as if it
     had been used sequentially. So however a bot waits, it never computes for longer than its
     limit. Only a control group counts all CPU time; a sandboxed bot without one gets no grace.
     Bots without a sandbox are trusted and charged for the CPU time that can be seen.
   - When threads of one bot wait for each other, that is the bot's own doing: the time that its
     other threads ran is subtracted from a thread's queue time.
   - Time for which the bot was stopped by its own limit on CPU time is charged.
   - If the group's pressure is known, which is exact for a bot on one core, the larger of it and
     the longest wait of one thread is credited. Otherwise the sum of all threads' waits is
     credited, in the bot's favour, because the sums do not show whether threads waited sequentially
     or at the same time. A wait that has not ended is not in a thread's sum yet: it is credited for
     now, and checked when it has ended. */
#ifndef BOTS_GRACE_H
#define BOTS_GRACE_H

#include "base/buffer.h"
#include "bots/process.h"

#include <stdint.h>

typedef struct Grace {
    Buffer threads;     /* at the previous measurement */
    Buffer fresh;       /* at the current one */
    int64_t first_at;   /* when the first measurement of this turn was made; 0: none yet */
    int64_t last_at;    /* and the last one */
    int64_t cpu;        /* CPU time at the start of the turn */
    int64_t pressure;   /* value at the first measurement; -1: unknown */
    int64_t throttled;  /* value at the first measurement */
    int64_t unwatched;  /* nanoseconds by which the first measurement was late */
    int64_t own_queued; /* the referee's own queue time at the last measurement */
} Grace;

/* The time that a turn costs the bot. */
typedef struct GraceCharge {
    int64_t sure; /* according to what the kernel has counted so far */
    /* if all threads that are queued now have been queued since they were last seen to run */
    int64_t least;
} GraceCharge;

/* Begins a new turn. Costs nothing. */
static inline void grace_reset(Grace *grace) {
    grace->first_at = 0;
}

/* How long after the start of a turn with that limit the first measurement is due. */
int64_t grace_first_due(int64_t limit);

/* Takes the first measurement of a turn, which was due at `due`. If it is late, the referee itself
   had to wait, and for that delay the bot is charged only its CPU time. `cpu` is the bot's CPU time
   at the start of the turn. A process without a pid (a bot at a socket) cannot be measured and gets
   no other grace. */
void grace_measure(Grace *grace, const Process *process, int64_t due, int64_t cpu);

/* What the time since `asked_at` costs so far. After grace_measure only. */
GraceCharge grace_charge(Grace *grace, const Process *process, int64_t asked_at);

/* The same for an answer that has just been found. The time that the referee itself was queued
   since the last measurement is charged only as far as it is the bot's CPU time. */
int64_t grace_charge_answer(Grace *grace, const Process *process, int64_t asked_at);

void grace_free(Grace *grace);

#endif
