/* See leg.h. */
#include "league/leg.h"

#include "base/random.h"

uint32_t leg_count(const Plan *plan, const Fixture *fixture) {
    return plan->games * fixture->players;
}

uint32_t leg_player(uint32_t players, uint32_t leg, uint32_t seat) {
    return (seat + leg) % players;
}

/* All rotations share map and seed. A play-off gets new ones. */
static uint32_t game_of(const Plan *plan, const Fixture *fixture, uint32_t leg) {
    return fixture->again * plan->games + leg / fixture->players;
}

uint64_t leg_seed(const Plan *plan, const Fixture *fixture, uint32_t leg) {
    uint32_t game = game_of(plan, fixture, leg);
    Random random = random_seeded(plan->seed ^ ((uint64_t)fixture->round << 32 | game));
    return random_next(&random) >> 11; /* 53 bits, which every JSON parser keeps exact */
}

uint32_t leg_map(const Plan *plan, const Fixture *fixture, uint32_t leg) {
    uint32_t game = game_of(plan, fixture, leg);
    return plan->map_count ? (fixture->round - 1 + game) % plan->map_count : 0;
}

void leg_forfeit(uint32_t players, const bool *absent, uint32_t *ranks) {
    uint32_t present = 0;
    for (uint32_t i = 0; i < players; i++)
        present += !absent[i];
    for (uint32_t i = 0; i < players; i++)
        ranks[i] = absent[i] ? present + 1 : 1;
}

bool leg_check_heats(const Plan *plan, const Schedule *schedule, Error *error) {
    for (uint32_t i = 0; i < schedule_bracket(schedule); i++) {
        uint32_t players = schedule_bracket_node(schedule, i)->players;
        for (uint32_t k = 0; players != plan->players && k < plan->map_count; k++) {
            GameFile config = plan_config(plan);
            GameFile map = plan_map(plan, k);
            GameSetup *setup = players < plan->game->players_min
                                   ? NULL
                                   : plan->game->setup(&config, &map, players, error);
            if (!setup)
                return error_set(
                    error,
                    "with %u bots one heat of this bracket has %u players, which map \"%s\" does "
                    "not support",
                    plan->bot_count, players, map.name);
            plan->game->setup_free(setup);
        }
    }
    return true;
}
