/* The plan of a tournament as the API reads and writes it: the members of league/plan.h without
   files, directories and programs. */
#ifndef ARENA_TOURNAMENTS_TOURNAMENT_PLAN_H
#define ARENA_TOURNAMENTS_TOURNAMENT_PLAN_H

#include "base/json_object.h"
#include "league/plan.h"

/* Reads and checks a plan; its title is the tournament's name. Maps are names of standard maps,
   "generate:SEED[:SIZE]" or {"name", "text"}; the configuration is text. Free the plan in any
   case. */
bool tournament_plan_read(Plan *plan, const JsonObject *body, Error *error);

/* Reads "starts", when the tournament starts automatically: an RFC 3339 time after `now`, in
   milliseconds, or null (0). Absent: *starts does not change. */
bool tournament_starts_read(const JsonObject *body, int64_t now, int64_t *starts, Error *error);

/* Writes the members of an open object, from "players" to "config". */
void tournament_plan_write(const Plan *plan, JsonOut *out);

#endif
