/* House bot for Aliens, level hard: searches with the rules.

   It expects the enemy to play like house:medium (strategy.h). Its initial plan is the one that
   medium would make if it were careful, bold or reckless, whichever turns out best. The search
   improves it: it attacks each enemy with two units at once, and then tries every other square for
   every unit, those nearest to the enemy first. To rate a plan, it lets medium play both sides for
   some turns with the rules library, and rates every position on the way: an early gain can gather
   and fight longer.

   A view shows everything except the interval of energy drops and where energy will appear; the
   search assumes that no more appears. It is limited by a number of simulations, so that a match
   with the same seed repeats. The clock matters only on a machine that is many times slower. */
#include "strategy.h"

#include "base/clock.h"
#include "games/aliens/aliens.h"

enum {
    SIMULATIONS_MAX = 1000, /* per turn; most turns need less than 150 */
    PASSES = 2,             /* passes of improvement per turn */
    DEPTH = 10,             /* turns of a simulation */
    REACH = 10,             /* units farther than this from all enemies follow the initial plan */
    WON = 1000000,
    UNIT_WORTH = 100,
    ENERGY_WORTH = 80, /* the worth of energy in hand while the spawn is intact */
    LEAD_WORTH = 400,  /* of owning all units, so that a trade helps the side that is ahead */
    RAZED_WORTH = 150, /* of the enemy's spawn */
    /* of a step towards an enemy or its spawn, because a match must also be finished */
    STEP_WORTH = 3,
    STEPS_MAX = 40,    /* greater distances to an enemy do not matter */
    TIME_MAX_MS = 1200 /* a turn may take two seconds */
};

typedef struct Search {
    AliensSetup *setup;
    AliensState *root;
    AliensState *state;      /* the state of a simulation */
    AliensOrders *plan[2];   /* both players' orders in the first turn */
    AliensOrders *orders[2]; /* both players' orders in later turns */
    uint32_t me;
    Boldness boldness; /* our boldness in simulations */
    int simulations;
    int64_t deadline;
    int enemy_count;
    int expected[CELLS_MAX]; /* where each enemy goes in this turn */
    uint8_t best_move[CELLS_MAX];
    Mind mind;  /* used for the real position */
    Mind model; /* used for a player in a simulation */
} Search;

/* Sets up the rules of the match that the view belongs to. */
static void search_begin(Search *search, const View *view) {
    Error error;
    Buffer text = {0};
    buffer_format(&text, "{\"rows\":%d,\"cols\":%d,\"maxTurns\":%d,\"energyInterval\":100000}",
                  view->rows, view->cols, view->turns_max);
    GameFile config = {.name = "view", .text = {text.data, text.length}};
    GameSetup *setup = aliens_setup(&config, &(GameFile){0}, 2, &error);
    buffer_free(&text);
    if (!setup)
        give_up(error.text);
    search->setup = (AliensSetup *)setup;
    search->root = (AliensState *)game_state_new(setup);
    search->state = (AliensState *)game_state_new(setup);
    aliens_init(setup, 1, &search->root->head);
    for (int player = 0; player < 2; player++) {
        search->plan[player] = (AliensOrders *)game_orders_new(setup);
        search->orders[player] = (AliensOrders *)game_orders_new(setup);
    }
}

/* What the player sees in a state. */
static void look(const AliensSetup *setup, const AliensState *state, uint32_t player, View *view) {
    *view = (View){
        .rows = (int)setup->rows,
        .cols = (int)setup->cols,
        .cells = (int)setup->cells,
        .turn = (int)state->head.turn,
        .turns_max = (int)setup->head.turns_max,
        .mine = (char)(ALIENS_UNIT + (int)player),
        .theirs = (char)(ALIENS_UNIT + 1 - (int)player),
        .my_energy = (int)state->energy[player],
        .my_spawn = (int)setup->spawn[player],
        .their_spawn = (int)setup->spawn[1 - player],
        .their_spawn_razed = state->razed[1 - player],
    };
    memcpy(view->grid, state->grid, setup->cells);
}

static uint8_t move_to(const AliensSetup *setup, int from, int to) {
    for (int move = ALIENS_UP; move <= ALIENS_RIGHT; move++)
        if (setup->next[from][move - ALIENS_UP] == to)
            return (uint8_t)move;
    return ALIENS_STAY;
}

/* Writes the plan of house:medium for the player whose view `mind` has. */
static void plan_as_medium(const Search *search, Mind *mind, AliensOrders *orders) {
    strategy_think(mind);
    orders->head = (GameOrders){.kind = ORDERS_GIVEN, .count = (uint32_t)mind->unit_count};
    for (int i = 0; i < mind->unit_count; i++)
        orders->move[mind->units[i].square] =
            move_to(search->setup, mind->units[i].square, mind->units[i].to);
}

/* Stores the squares of a player's units and returns their number. */
static int find_units(const Search *search, uint32_t player, int squares[CELLS_MAX]) {
    int count = 0;
    for (uint32_t square = 0; square < search->setup->cells; square++)
        if (search->state->grid[square] == ALIENS_UNIT + (int)player)
            squares[count++] = (int)square;
    return count;
}

/* The steps to `square` from the nearest of the units and from the second nearest. */
static void nearest_two(const View *view, int square, const int *units, int count, int steps[2]) {
    steps[0] = steps[1] = STEPS_MAX;
    for (int i = 0; i < count; i++) {
        int way = view_steps(view, units[i], square);
        if (way < steps[0]) {
            steps[1] = steps[0];
            steps[0] = way;
        } else if (way < steps[1]) {
            steps[1] = way;
        }
    }
}

/* How good the simulated state is for us. We want two units near every enemy, because one alone can
   only trade, and one near the enemy's spawn. */
static int rate(const Search *search) {
    static int units[2][CELLS_MAX];
    const AliensState *state = search->state;
    const View *view = &search->mind.view;
    uint32_t me = search->me;
    uint32_t enemy = 1 - me;
    if (state->lost[me] != state->lost[enemy])
        return (state->lost[enemy] ? 1 : -1) * (WON - (int)state->head.turn);
    int count[2];
    int worth[2];
    for (uint32_t player = 0; player < 2; player++) {
        count[player] = find_units(search, player, units[player]);
        worth[player] = UNIT_WORTH * count[player] +
                        (state->razed[player] ? 0 : ENERGY_WORTH * (int)state->energy[player]);
    }
    int steps[2];
    nearest_two(view, view->their_spawn, units[me], count[me], steps);
    worth[me] += state->razed[enemy] ? RAZED_WORTH : -STEP_WORTH * steps[0];
    for (int i = 0; i < count[enemy]; i++) {
        nearest_two(view, units[enemy][i], units[me], count[me], steps);
        worth[me] -= STEP_WORTH * (steps[0] + steps[1]);
    }
    return worth[me] - worth[enemy] +
           LEAD_WORTH * (count[me] - count[enemy]) / (count[me] + count[enemy] + 1);
}

/* Plays the plan and some further turns. Returns the rating of the last state plus one and a half
   times the mean rating of the states on the way; without these, the search would postpone what it
   can also gain later, and never do it. An early victory loses nothing by its shorter way. */
static int simulate(Search *search) {
    const GameSetup *setup = &search->setup->head;
    int sum = 0;
    search->simulations++;
    memcpy(search->state, search->root, setup->state_size);
    const GameOrders *plan[2] = {&search->plan[0]->head, &search->plan[1]->head};
    aliens_step(setup, &search->state->head, plan, NULL);
    for (int turn = 1; turn < DEPTH && !search->state->head.over; turn++) {
        sum += rate(search);
        for (uint32_t player = 0; player < 2; player++) {
            look(search->setup, search->state, player, &search->model.view);
            search->model.boldness = player == search->me ? search->boldness : CAREFUL;
            plan_as_medium(search, &search->model, search->orders[player]);
        }
        const GameOrders *orders[2] = {&search->orders[0]->head, &search->orders[1]->head};
        aliens_step(setup, &search->state->head, orders, NULL);
    }
    return rate(search) + (search->state->head.over ? 0 : 3 * sum / (2 * DEPTH));
}

/* Copies what the view shows into the state from which the search starts. */
static void load_root(Search *search, const View *view) {
    AliensState *root = search->root;
    search->me = view->mine == ALIENS_UNIT ? 0 : 1;
    root->head.turn = (uint32_t)view->turn;
    root->energy[search->me] = (uint32_t)view->my_energy;
    root->energy[1 - search->me] = (uint32_t)view->their_energy;
    root->razed[search->me] = view->my_spawn_razed;
    root->razed[1 - search->me] = view->their_spawn_razed;
    memcpy(root->grid, view->grid, search->setup->cells);
}

static bool may_go_on(const Search *search) {
    return search->simulations < SIMULATIONS_MAX && clock_now() < search->deadline;
}

/* Makes the initial plan: the best of those that medium would make with more or less courage. */
static int begin_plan(Search *search) {
    uint8_t *move = search->plan[search->me]->move;
    uint32_t cells = search->setup->cells;
    Boldness best = CAREFUL;
    int best_rate = -WON - 1;
    for (Boldness boldness = CAREFUL; boldness < BOLDNESSES; boldness++) {
        search->mind.boldness = search->boldness = boldness;
        plan_as_medium(search, &search->mind, search->plan[search->me]);
        int rated = simulate(search);
        if (rated > best_rate) {
            best = boldness;
            best_rate = rated;
            memcpy(search->best_move, move, cells);
        }
    }
    search->boldness = best;
    memcpy(move, search->best_move, cells);
    return best_rate;
}

/* One of our units that can be on `square` after this turn, except the one at `other`; -1 if there
   is none. */
static int unit_beside(const Search *search, uint32_t square, int other) {
    for (int move = ALIENS_STAY; move <= ALIENS_RIGHT; move++) {
        uint32_t from = aliens_target(search->setup, square, (uint8_t)move);
        if (from != search->setup->cells && search->mind.unit_at[from] >= 0 && (int)from != other)
            return (int)from;
    }
    return -1;
}

/* Sends two units to these squares, if that is better than the plan so far. */
static void attack_from(Search *search, const uint32_t to[2], int *best_rate) {
    uint8_t *move = search->plan[search->me]->move;
    int first = unit_beside(search, to[0], -1);
    int second = unit_beside(search, to[1], first);
    if (first < 0 || second < 0 || !may_go_on(search))
        return;
    uint8_t before[2] = {move[first], move[second]};
    move[first] = move_to(search->setup, first, (int)to[0]);
    move[second] = move_to(search->setup, second, (int)to[1]);
    if (move[first] == before[0] && move[second] == before[1])
        return;
    int rated = simulate(search);
    if (rated > *best_rate) {
        *best_rate = rated;
        return;
    }
    move[first] = before[0];
    move[second] = before[1];
}

/* Attacks each enemy at its expected square, from every pair of adjacent squares. */
static void attack_in_pairs(Search *search, int *best_rate) {
    uint32_t off = search->setup->cells;
    for (int i = 0; i < search->enemy_count; i++) {
        const uint16_t *around = search->setup->next[search->expected[i]];
        for (int a = 0; a < 4; a++)
            for (int b = a + 1; b < 4; b++)
                if (around[a] != off && around[b] != off)
                    attack_from(search, (uint32_t[2]){around[a], around[b]}, best_rate);
    }
}

/* Tries all other moves of a unit. */
static void improve_unit(Search *search, const Unit *unit, int *best_rate) {
    uint8_t *move = &search->plan[search->me]->move[unit->square];
    uint8_t best = *move;
    uint8_t before = *move;
    for (uint8_t other = ALIENS_STAY; other <= ALIENS_RIGHT && may_go_on(search); other++) {
        if (other == before ||
            aliens_target(search->setup, (uint32_t)unit->square, other) == search->setup->cells)
            continue;
        *move = other;
        int rated = simulate(search);
        if (rated > *best_rate) {
            *best_rate = rated;
            best = other;
        }
    }
    *move = best;
}

/* Looks for better moves of all units near the enemy. */
static void improve_plan(Search *search, int *best_rate) {
    const Mind *mind = &search->mind;
    attack_in_pairs(search, best_rate);
    for (int reach = 1; reach <= REACH; reach++)
        for (int i = 0; i < mind->unit_count; i++)
            if (mind->theirs.distance[mind->units[i].square] == reach)
                improve_unit(search, &mind->units[i], best_rate);
}

/* Makes the plan of this turn. A unit's best move depends on the moves of the others, so all are
   tried again after the first pass. */
static void search_turn(Search *search) {
    const Mind *mind = &search->mind;
    load_root(search, &mind->view);
    look(search->setup, search->root, 1 - search->me, &search->model.view);
    search->model.boldness = CAREFUL;
    plan_as_medium(search, &search->model, search->plan[1 - search->me]);
    search->enemy_count = search->model.unit_count;
    for (int i = 0; i < search->enemy_count; i++)
        search->expected[i] = search->model.units[i].to;
    search->simulations = 0;
    search->deadline = clock_now() + TIME_MAX_MS * CLOCK_MS;
    int best_rate = begin_plan(search);
    for (int pass = 0; pass < PASSES; pass++)
        improve_plan(search, &best_rate);
}

int main(void) {
    static Search search;
    Buffer answer = {0};
    while (view_read(&search.mind.view)) {
        if (!search.setup)
            search_begin(&search, &search.mind.view);
        search_turn(&search);
        answer_begin(&answer);
        for (int i = 0; i < search.mind.unit_count; i++) {
            int from = search.mind.units[i].square;
            uint32_t to =
                aliens_target(search.setup, (uint32_t)from, search.plan[search.me]->move[from]);
            answer_move(&answer, from, (int)to);
        }
        answer_send(&answer);
    }
    buffer_free(&answer);
    return 0;
}
