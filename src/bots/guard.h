/* The guard of a match: a thread that stops the waiting bots when a turn takes long and the
   referee, which normally stops them, gets no CPU time.

   Referee and bots share one core, so that switching between them is fast. A bot that begins to
   compute in many threads after its answer takes that core from the bot that is asked, and from the
   referee, until the kernel has given each thread its share, which takes a tenth of a second or
   more. Raising the referee's priority would prevent that, but the kernel would then switch to the
   referee too early in every turn (a turn took twice as long). The guard may run on any core and
   sleeps nearly all the time, so the kernel lets it run at once.

   Only the referee calls these functions. Bots are not locked during a turn: the guard acts only if
   the turn that it saw is still going on. */
#ifndef BOTS_GUARD_H
#define BOTS_GUARD_H

#include "bots/process.h"

#include <sched.h>

typedef struct Guard Guard;

/* Starts the thread, on these cores. NULL if that fails. */
Guard *guard_new(uint32_t bots, const cpu_set_t *cores);

/* Allows the guard to stop a bot that was started. The process must not end before guard_forget. */
void guard_watch(Guard *guard, uint32_t bot, const Process *process);

/* Forbids it again; true if the guard has stopped the bot. */
bool guard_forget(Guard *guard, uint32_t bot);

/* Begins the turn of one bot; true if the guard had stopped the bot, which must then be
   continued. */
bool guard_begin_turn(Guard *guard, uint32_t bot);

/* Ends the turn: until the next one the guard stops nobody. */
void guard_end_turn(Guard *guard);

void guard_free(Guard *guard);

#endif
