/* The guard of a match: a thread that stops the waiting bots when a turn lasts and the referee,
   which is to do that, gets no time.

   Referee and bots share one core, so that switching between them is quick. A bot that begins to
   compute in many threads after its answer takes that core from the bot that is asked, and from the
   referee, until the kernel has given each thread its share: a tenth of a second and more. Raising
   the referee's priority would prevent that, but the kernel would then switch to it too early in
   every turn (a turn took twice as long). The guard is on any core and sleeps nearly all the time,
   so the kernel lets it run at once.

   Only the referee calls these functions. The bots of a turn are not locked: the guard acts only
   while the turn that it saw goes on. */
#ifndef BOTS_GUARD_H
#define BOTS_GUARD_H

#include "bots/process.h"

#include <sched.h>

typedef struct Guard Guard;

/* Starts the thread, on these cores. NULL if that fails. */
Guard *guard_new(uint32_t bots, const cpu_set_t *cores);

/* A bot was started: from now on it may be stopped. The process must not end before
   guard_forget. */
void guard_watch(Guard *guard, uint32_t bot, const Process *process);

/* Ends that; true if the guard has stopped it. */
bool guard_forget(Guard *guard, uint32_t bot);

/* The turn of one bot begins; true if the guard had stopped it, and it has to be continued. */
bool guard_begin_turn(Guard *guard, uint32_t bot);

/* The turn is over: until the next one nobody is stopped. */
void guard_end_turn(Guard *guard);

void guard_free(Guard *guard);

#endif
