/* The legs of a fixture. For each of its `games`, the bots play every rotation of the seats (with
   two players: both seatings) on the same map with the same seed, and all fixtures of a round have
   the same maps and seeds. So seat, map and luck favour no bot. Legs are numbered from 0, game by
   game and within a game rotation by rotation. */
#ifndef LEAGUE_LEG_H
#define LEAGUE_LEG_H

#include "league/plan.h"

/* How many legs a fixture has. */
uint32_t leg_count(const Plan *plan, const Fixture *fixture);

/* The player of a seat in this leg, as an index into the fixture's bots. */
uint32_t leg_player(uint32_t players, uint32_t leg, uint32_t seat);

/* The seed of a leg, and the index of its map in the plan. */
uint64_t leg_seed(const Plan *plan, const Fixture *fixture, uint32_t leg);
uint32_t leg_map(const Plan *plan, const Fixture *fixture, uint32_t leg);

/* Ranks a leg that was not played: absent bots come last, all others tie. */
void leg_forfeit(uint32_t players, const bool *absent, uint32_t *ranks);

/* One heat of a bracket may have fewer players than the other matches. Fails if the plan's maps do
   not support that number. */
bool leg_check_heats(const Plan *plan, const Schedule *schedule, Error *error);

#endif
