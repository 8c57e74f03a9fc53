/* The plan of a tournament as people send and read it through the API: league/plan.h's members
   under the names of tournament_routes.c's schema, and no files, directories or programs. */
#ifndef ARENA_TOURNAMENTS_TOURNAMENT_PLAN_H
#define ARENA_TOURNAMENTS_TOURNAMENT_PLAN_H

#include "base/json_object.h"
#include "league/plan.h"

/* Reads and settles a plan; its title is the tournament's name. Maps are standard maps' names,
   "generate:SEED[:SIZE]" or {"name", "text"}; the configuration is its text. Free the plan in any
   case. */
bool tournament_plan_read(Plan *plan, const JsonObject *body, Error *error);

/* The members of an object that is open, from "players" to "config". */
void tournament_plan_write(const Plan *plan, JsonOut *out);

#endif
