/* Tournaments: the public header of this part.

   scheduler.h          turns schedules into matches of the queue, and results into schedules
   stored_tournament.h  a tournament as it is stored: plan, bots, legs, standings
   standings_updater.h  the thread that computes standings, and the live topic of a tournament
   tournament_plan.h    the plan of a tournament as the API reads and writes it */
#ifndef ARENA_TOURNAMENTS_TOURNAMENTS_H
#define ARENA_TOURNAMENTS_TOURNAMENTS_H

#include "arena/tournaments/scheduler.h"
#include "arena/tournaments/standings_updater.h"
#include "arena/tournaments/stored_tournament.h"
#include "arena/tournaments/tournament_plan.h"

#endif
