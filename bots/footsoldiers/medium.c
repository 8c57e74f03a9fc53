/* House bot for Footsoldiers: gives the command that the planner in planner.h finds best. */
#include "planner.h"

int main(void) {
    static Match match;
    while (match_next(&match)) {
        FootsoldiersOrders order =
            planner_choose(&match.planner, match.now, match.view.you, EFFORT);
        match_answer(&match, &order);
    }
    match_free(&match);
    return 0;
}
