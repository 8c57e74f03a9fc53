/* Grace: what of the time that a bot took was not its own doing.

   On a busy machine the clock on the wall also counts the time that a bot stood in the queue for a
   core. A bot is charged for the time it ran and for the time it chose to wait (slept, read, waited
   for its own), but not for that queue. The kernel keeps both in nanoseconds: run and queue time of
   every thread (/proc/PID/task/TID/schedstat), and of a control group the time in which somebody in
   it could have run and nobody did (cpu.pressure), which also knows of processes that are gone.

   Looking costs tens of microseconds, so nobody looks at quick turns. A bot that thinks for a while
   is looked at once early in its turn, and then again only when its time is up by the wall.

   Three things make it fair to the other side. All CPU time of the bot is charged, whatever the
   queue was like. Threads of one bot that wait for each other are its own doing: what its others
   ran is taken off a thread's queue time. And a thread's wait that is still going on is not in its
   sum yet: it is believed for the moment, and looked at again when it is over.

   Threads may have waited one after the other or at the same time, which their sums do not tell.
   With the group's pressure, which is the truth for the whole bot and up to this moment, only the
   longest wait of one thread is believed beside it; without (no sandbox) the sum of all, in the
   bot's favour. */
#ifndef BOTS_GRACE_H
#define BOTS_GRACE_H

#include "base/buffer.h"
#include "bots/process.h"

#include <stdint.h>

typedef struct Grace {
    Buffer threads;     /* as they were at the last look */
    Buffer fresh;       /* as they are at this one */
    int64_t first_at;   /* when the first look of this turn was; 0: there was none */
    int64_t last_at;    /* and the last */
    int64_t cpu;        /* at the first look */
    int64_t pressure;   /* likewise; -1: not known */
    int64_t unwatched;  /* nanoseconds by which the first look came late */
    int64_t own_queued; /* the referee's own queue time, at the last look */
} Grace;

/* What a turn costs the bot. */
typedef struct GraceCharge {
    int64_t sure; /* by what the kernel has counted */
    /* if all of its threads that are in the queue now have been there since they were last seen to
       move */
    int64_t least;
} GraceCharge;

/* Forgets the turn before. Costs nothing. */
static inline void grace_reset(Grace *grace) {
    grace->first_at = 0;
}

/* How long after the start of a turn with that limit the first look is due. */
int64_t grace_first_look(int64_t limit);

/* The first look of a turn, which was due at `due`. If it comes late, the referee itself had to
   wait, and the bot is not charged for that. A process without a pid (a bot at a socket) cannot be
   looked at: for it that is all. */
void grace_look(Grace *grace, const Process *process, int64_t due);

/* What the time since `asked_at` costs by now; `cores` is how many the bot may use. After the first
   look only. */
GraceCharge grace_charge(Grace *grace, const Process *process, int64_t asked_at, uint32_t cores);

/* The same when an answer has just been found. The referee may have been in the queue when it came,
   and takes that off. */
int64_t grace_charge_answer(Grace *grace, const Process *process, int64_t asked_at, uint32_t cores);

void grace_free(Grace *grace);

#endif
