/* House bot for Footsoldiers: policy rollouts. It takes the commands that the planner of
   house:medium likes best, and plays out each of them for some turns, with the planner commanding
   both sides from then on. So it sees not only where all soldiers are going, but also how the enemy
   will answer, and it wins clearly against an enemy that plays like the planner.

   1. The enemy's command in this turn: the planner's choice for the other side.
   2. Our commands, ordered by the planner's value; the best few are played out. Doing nothing is
      always among them.
   3. The value of a command is the sum of the values of all positions on the way, so that earlier
   gains count more.

   The number of simulations is fixed, so the same views get the same answers. The clock ends the
   search early only on a very slow machine. */
#include "planner.h"

#include <time.h>

enum {
    CHOICES = 10,        /* commands played out */
    DEPTH = 14,          /* turns of a playout */
    MODEL_EFFORT = 8000, /* effort of the planner in playouts, less than in house:medium */
    /* of CPU time; a turn has 1 s of wall time, and the search usually takes 20 ms */
    TIME_LIMIT_MS = 600,
};

typedef struct Choice {
    FootsoldiersOrders order;
    int64_t worth;
} Choice;

typedef struct Search {
    Choice choices[CANDIDATES + 1];
    uint32_t count;
    FootsoldiersState *future;
} Search;

static int by_worth(const void *a, const void *b) {
    int64_t one = ((const Choice *)a)->worth;
    int64_t other = ((const Choice *)b)->worth;
    return (one < other) - (one > other);
}

/* Fills the list of choices: doing nothing, and then the commands that the planner considers, best
   first. */
static void list_choices(Planner *planner, Search *search) {
    search->count = 0;
    search->choices[search->count++] = (Choice){.order = no_command};
    for (uint32_t i = 0; i < planner->candidate_count; i++)
        search->choices[search->count++] =
            (Choice){planner->candidates[i], evaluate(planner, &planner->candidates[i])};
    qsort(search->choices + 1, search->count - 1, sizeof *search->choices, by_worth);
}

/* The value of our command `first` if the enemy gives the command `reply` in the same turn, and the
   planner commands both sides in later turns. */
static int64_t play_out(Match *match, FootsoldiersState *state, const FootsoldiersOrders *first,
                        const FootsoldiersOrders *reply) {
    Planner *planner = &match->planner;
    uint32_t you = match->view.you;
    const GameOrders *orders[2];
    orders[you] = &first->head;
    orders[1 - you] = &reply->head;
    int64_t sum = 0;
    int64_t last = 0;
    copy_state(state, match->now);
    for (int turn = 0; turn < DEPTH; turn++) {
        FootsoldiersOrders chosen[2];
        for (uint32_t player = 0; player < 2 && turn && !state->head.over; player++) {
            chosen[player] = planner_choose(planner, state, player, MODEL_EFFORT);
            orders[player] = &chosen[player].head;
        }
        if (!state->head.over) {
            footsoldiers_step(&planner->setup->head, &state->head, orders, NULL);
            last = worth(planner, state, you);
        }
        sum += last;
    }
    return sum;
}

static FootsoldiersOrders choose(Match *match, Search *search) {
    Planner *planner = &match->planner;
    uint32_t you = match->view.you;
    clock_t deadline = clock() + TIME_LIMIT_MS * (CLOCKS_PER_SEC / 1000);
    FootsoldiersOrders reply = planner_choose(planner, match->now, 1 - you, EFFORT);
    planner_look(planner, match->now, you, EFFORT);
    list_choices(planner, search);
    FootsoldiersOrders best = no_command;
    int64_t best_worth = INT64_MIN;
    for (uint32_t i = 0; i < search->count && i < CHOICES && clock() < deadline; i++) {
        int64_t found = play_out(match, search->future, &search->choices[i].order, &reply);
        if (found > best_worth) {
            best = search->choices[i].order;
            best_worth = found;
        }
    }
    return best;
}

int main(void) {
    static Match match;
    static Search search;
    while (match_next(&match)) {
        if (!search.future)
            search.future = (FootsoldiersState *)game_state_new(&match.planner.setup->head);
        FootsoldiersOrders order = choose(&match, &search);
        match_answer(&match, &order);
    }
    free(search.future);
    match_free(&match);
    return 0;
}
