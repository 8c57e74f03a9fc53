/* The legs of a fixture: for each of its `games` the seats are taken in every rotation (for two:
   both ways round) on the same map with the same seed, and all fixtures of a round get the same
   maps and seeds. So nobody is favoured by seat, map or luck. Legs are numbered from 0, rotation by
   rotation, game by game. */
#ifndef LEAGUE_LEG_H
#define LEAGUE_LEG_H

#include "league/plan.h"

/* How many a fixture has. */
uint32_t leg_count(const Plan *plan, const Fixture *fixture);

/* Who sits in a seat in this leg, as an index into the fixture's bots. */
uint32_t leg_player(uint32_t players, uint32_t leg, uint32_t seat);

/* The seed of a leg, and which of the plan's maps it is played on. */
uint64_t leg_seed(const Plan *plan, const Fixture *fixture, uint32_t leg);
uint32_t leg_map(const Plan *plan, const Fixture *fixture, uint32_t leg);

/* Ranks of bots that did not come: behind everybody who did. Nobody else is ahead of anybody. */
void leg_forfeit(uint32_t players, const bool *absent, uint32_t *ranks);

/* In a bracket of heats one may have fewer places than a match has players; false, with a sentence,
   if the plan's maps do not do for that as well. */
bool leg_check_heats(const Plan *plan, const Schedule *schedule, Error *error);

#endif
