/* House bot for Footsoldiers: builds scouts and assassins alternately, whenever it has the money,
   and sends them to the enemy's base. Soldiers that have arrived somewhere else are sent on. It
   neither defends its base nor waits for a larger army. */
#include "planner.h"

/* The next soldier to build: a candidate of that type from the best place for an attack. */
static const FootsoldiersOrders *next_build(Planner *planner, uint32_t type) {
    planner->candidate_count = 0;
    consider_attackers(planner);
    for (uint32_t i = 0; i < planner->candidate_count; i++)
        if (planner->candidates[i].type == type)
            return &planner->candidates[i];
    return NULL;
}

/* Sends on the first soldier that stands at its destination. */
static const FootsoldiersOrders *next_move(Planner *planner) {
    planner->candidate_count = 0;
    for (uint32_t i = 0; i < planner->now->soldier_count; i++) {
        const FootsoldiersSoldier *soldier = &planner->now->soldier[i];
        if (soldier->player == planner->you && same(soldier->at, soldier->destination))
            consider_move(planner, soldier,
                          way_to_enemy(planner, (FootsoldiersType)soldier->type, soldier->at));
        if (planner->candidate_count)
            return &planner->candidates[0];
    }
    return &no_command;
}

int main(void) {
    static Match match;
    uint32_t built = 0;
    while (match_next(&match)) {
        Planner *planner = &match.planner;
        planner->now = match.now;
        planner->you = match.view.you;
        const FootsoldiersOrders *order =
            next_build(planner, built % 2 ? FOOTSOLDIERS_ASSASSIN : FOOTSOLDIERS_SCOUT);
        if (order)
            built++;
        else
            order = next_move(planner);
        match_answer(&match, order);
    }
    match_free(&match);
    return 0;
}
