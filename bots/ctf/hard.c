/* House bot for Capture the flag, level hard: searches with the rules.

   It expects the enemy to play like house:medium (raider.h). It simulates a second raider in the
   enemy's place, with the views that the enemy gets. So it knows where the enemy goes, and can
   guess what no view shows: the enemy's grenades and cooldowns.

   Its initial plan is that of house:medium, which avoids all grenades that are in the air. The
   search improves it soldier by soldier: it tries other steps, and throws at the squares where
   enemies will be when the grenade explodes, lets medium play both teams for some rounds with the
   rules library, and keeps what leads to the best position.

   The search is limited by a number of simulations, so that a match with the same seed repeats. The
   clock matters only on a machine that is many times slower. */
#include "raider.h"

#include "base/clock.h"
#include "games/ctf/ctf.h"

enum {
    DEPTH = 8, /* rounds of a simulation */
    SIMULATIONS_MAX = 30,
    TIME_MAX_MS = 600, /* a round may take one second */
    CAPTURE_WORTH = 100,
    KILL_WORTH = 4,
    CARRY_WORTH = 40 /* the worth of a flag on its way, minus the remaining steps */
};

/* The orders of one team, in the order of its soldiers. */
typedef struct Plan {
    int steps[TEAM_MAX];
    int targets[TEAM_MAX]; /* where to throw, or -1 */
} Plan;

typedef struct Search {
    CtfSetup setup;
    CtfState state; /* what is known; the rest as the second raider would have played */
    uint32_t us;
    uint32_t enemy;
    Raider raiders[2]; /* by team */
    Plan plans[2];     /* by team: the coming round */
    CtfState trial;    /* a simulation */
    Raider trial_raiders[2];
    int expected[CTF_TEAM_MAX]; /* where each enemy is when a grenade that is thrown now explodes */
    int simulations;
    int64_t deadline;
} Search;

/* ---- from views to states and back ---- */

static CtfSquare square_of(const World *world, int at) {
    return (CtfSquare){(uint8_t)(at % world->width), (uint8_t)(at / world->width)};
}

static int number_of(const CtfSetup *setup, CtfSquare at) {
    return (int)(at.y * setup->width + at.x);
}

/* Sets up the rules of the match that the first view belongs to. Views contain neither the points
   nor the range of grenades nor the number of rounds. */
static void search_begin(Search *search, const World *world) {
    CtfSetup *setup = &search->setup;
    search->us = world->team == 'A' ? 0 : 1;
    search->enemy = 1 - search->us;
    setup->head.players = 2;
    setup->rules = (CtfRules){
        .rounds = 100000,
        .soldiers = (uint32_t)(world->count[0] < CTF_TEAM_MAX ? world->count[0] : CTF_TEAM_MAX),
        .points_kill = KILL_WORTH,
        .points_capture = CAPTURE_WORTH,
        .grenade_range = 10,
        .grenade_cooldown = world->count[0] ? world->soldiers[0][0].cooldown : 0,
    };
    setup->width = (uint32_t)world->width;
    setup->height = (uint32_t)world->height;
    for (int side = 0; side < 2; side++) {
        uint32_t team = side == 0 ? search->us : search->enemy;
        setup->spawn[team] = square_of(world, world->spawn[side]);
        setup->base[team] = square_of(world, world->base[side]);
    }
    memcpy(setup->tiles, world->tiles, sizeof setup->tiles);
    ctf_init(&setup->head, 0, &search->state.head);

    World *theirs = &search->raiders[search->enemy].world;
    *theirs = *world;
    theirs->team = world->team == 'A' ? 'B' : 'A';
    for (int side = 0; side < 2; side++) {
        theirs->base[side] = world->base[1 - side];
        theirs->spawn[side] = world->spawn[1 - side];
    }
}

/* Adds a grenade to the state; they are ordered by the round in which they explode. */
static void add_grenade(CtfState *state, CtfGrenade grenade) {
    if (state->grenade_count == CTF_GRENADES_MAX)
        return;
    uint32_t i = state->grenade_count++;
    for (; i > 0 && state->grenade[i - 1].due > grenade.due; i--)
        state->grenade[i] = state->grenade[i - 1];
    state->grenade[i] = grenade;
}

/* Takes over everything that the view shows; the enemy's cooldowns and grenades stay. */
static void observe(Search *search, const World *world) {
    const CtfSetup *setup = &search->setup;
    CtfState *state = &search->state;
    CtfState before = *state;
    state->head.turn = (uint32_t)world->turn - 1;
    state->head.over = 0;
    for (int side = 0; side < 2; side++) {
        uint32_t team = side == 0 ? search->us : search->enemy;
        CtfFlag *enemy_flag = &state->flag[1 - team];
        enemy_flag->carrier = CTF_NOBODY;
        enemy_flag->at = square_of(world, world->flag[1 - side]);
        for (uint32_t i = 0; i < setup->rules.soldiers; i++) {
            const Soldier *seen = &world->soldiers[side][i];
            CtfSoldier *soldier = &state->soldier[ctf_first(setup, team) + i];
            soldier->at = square_of(world, seen->at);
            soldier->alive = seen->alive;
            if (side == 0)
                soldier->cooldown = (uint16_t)seen->cooldown;
            if (seen->carries)
                enemy_flag->carrier = (uint8_t)(ctf_first(setup, team) + i);
        }
    }
    memset(state->grenade, 0, sizeof state->grenade);
    state->grenade_count = 0;
    for (int i = 0; i < world->grenade_count; i++)
        add_grenade(state, (CtfGrenade){
                               .due = state->head.turn + (uint32_t)world->grenades[i].countdown,
                               .at = square_of(world, world->grenades[i].at),
                               .thrower = (uint8_t)ctf_first(setup, search->us),
                           });
    for (uint32_t i = 0; i < before.grenade_count; i++)
        if (ctf_team(setup, before.grenade[i].thrower) == search->enemy)
            add_grenade(state, before.grenade[i]);
}

/* Writes what a team sees to `world`, except for what never changes. We also see the grenades that
   the enemy is expected to have thrown. */
static void look(const Search *search, const CtfState *state, uint32_t team, World *world) {
    const CtfSetup *setup = &search->setup;
    world->turn = (int)state->head.turn + 1;
    world->grenade_count = 0;
    for (uint32_t i = 0; i < state->grenade_count; i++) {
        const CtfGrenade *grenade = &state->grenade[i];
        if (grenade->due > state->head.turn &&
            (team == search->us || ctf_team(setup, grenade->thrower) == team))
            world->grenades[world->grenade_count++] =
                (Grenade){number_of(setup, grenade->at), (int)(grenade->due - state->head.turn)};
    }
    for (uint32_t side = 0; side < 2; side++) {
        uint32_t owner = side == 0 ? team : 1 - team;
        world->flag[side] = number_of(setup, state->flag[owner].at);
        world->count[side] = (int)setup->rules.soldiers;
        for (uint32_t i = 0; i < setup->rules.soldiers; i++) {
            uint32_t number = ctf_first(setup, owner) + i;
            world->soldiers[side][i] = (Soldier){
                .name = ctf_name(setup, number),
                .at = number_of(setup, state->soldier[number].at),
                .cooldown = side == 0 ? state->soldier[number].cooldown : 0,
                .alive = state->soldier[number].alive,
                .carries = state->flag[1 - owner].carrier == number,
            };
        }
    }
}

static CtfOrders orders_of(const Search *search, uint32_t team, const Plan *plan) {
    static const uint8_t moves[DIRECTIONS] = {CTF_UP, CTF_DOWN, CTF_LEFT, CTF_RIGHT, CTF_STAY};
    const CtfSetup *setup = &search->setup;
    CtfOrders orders = {.head = {.kind = ORDERS_GIVEN, .count = setup->rules.soldiers}};
    for (uint32_t i = 0; i < setup->rules.soldiers; i++) {
        int target = plan->targets[i];
        orders.order[ctf_first(setup, team) + i] = (CtfOrder){
            .move = moves[plan->steps[i]],
            .throws = target >= 0,
            .x = target % (int)setup->width,
            .y = target / (int)setup->width,
        };
    }
    return orders;
}

/* ---- simulation ---- */

static void step(const Search *search, CtfState *state, const Plan plans[2]) {
    CtfOrders orders[2] = {orders_of(search, 0, &plans[0]), orders_of(search, 1, &plans[1])};
    const GameOrders *given[2] = {&orders[0].head, &orders[1].head};
    ctf_step(&search->setup.head, &state->head, given, NULL);
}

static void plan_as_medium(const Search *search, const CtfState *state, uint32_t team,
                           Raider *raider, Plan *plan) {
    look(search, state, team, &raider->world);
    raider_think(raider);
    memcpy(plan->steps, raider->steps, sizeof plan->steps);
    memcpy(plan->targets, raider->targets, sizeof plan->targets);
}

/* How far a team has brought the enemy's flag. */
static int flag_worth(const Search *search, uint32_t team) {
    const CtfState *state = &search->trial;
    const CtfFlag *flag = &state->flag[1 - team];
    const Raider *raider = &search->raiders[team];
    int at = number_of(&search->setup, flag->at);
    if (flag->carrier != CTF_NOBODY)
        return CARRY_WORTH - raider->home[at] / 2;
    int nearest = FAR;
    for (uint32_t i = 0; i < search->setup.rules.soldiers; i++) {
        const CtfSoldier *soldier = &state->soldier[ctf_first(&search->setup, team) + i];
        CtfSquare from = soldier->alive ? soldier->at : search->setup.spawn[team];
        int steps = abs(from.x - flag->at.x) + abs(from.y - flag->at.y);
        nearest = steps < nearest ? steps : nearest;
    }
    return -(nearest + raider->home[at]) / 2;
}

/* Plays the plans and some further rounds, and rates the result for us. */
static int simulate(Search *search) {
    search->simulations++;
    search->trial = search->state;
    memcpy(search->trial_raiders, search->raiders, sizeof search->trial_raiders);
    search->trial.points[0] = search->trial.points[1] = 0;
    step(search, &search->trial, search->plans);
    for (int round = 1; round < DEPTH; round++) {
        Plan plans[2];
        if (round == FLIGHT)
            for (uint32_t i = 0; i < search->setup.rules.soldiers; i++)
                search->expected[i] = number_of(
                    &search->setup,
                    search->trial.soldier[ctf_first(&search->setup, search->enemy) + i].at);
        for (uint32_t team = 0; team < 2; team++)
            plan_as_medium(search, &search->trial, team, &search->trial_raiders[team],
                           &plans[team]);
        step(search, &search->trial, plans);
    }
    return (int)(search->trial.points[search->us] - search->trial.points[search->enemy]) +
           flag_worth(search, search->us) - flag_worth(search, search->enemy);
}

/* ---- search ---- */

/* Keeps an order for one of our soldiers if it is better than the best plan so far. */
static void try_order(Search *search, uint32_t soldier, int direction, int target, int *best) {
    Plan *plan = &search->plans[search->us];
    int before_step = plan->steps[soldier];
    int before_target = plan->targets[soldier];
    if ((direction == before_step && target == before_target) ||
        search->simulations >= SIMULATIONS_MAX || clock_now() > search->deadline)
        return;
    plan->steps[soldier] = direction;
    plan->targets[soldier] = target;
    int rated = simulate(search);
    if (rated > *best) {
        *best = rated;
        return;
    }
    plan->steps[soldier] = before_step;
    plan->targets[soldier] = before_target;
}

static void improve_throw(Search *search, uint32_t number, int *best) {
    const Raider *raider = &search->raiders[search->us];
    const World *world = &raider->world;
    const Soldier *soldier = &world->soldiers[0][number];
    Plan *plan = &search->plans[search->us];
    if (!soldier->alive || soldier->cooldown > 0)
        return;
    int expected[CTF_TEAM_MAX];
    memcpy(expected, search->expected, sizeof expected);
    try_order(search, number, plan->steps[number], -1, best);
    for (uint32_t i = 0; i < search->setup.rules.soldiers; i++)
        if (world->tiles[expected[i]] != '#' &&
            steps_apart(world, soldier->at, expected[i]) <= raider->range)
            try_order(search, number, plan->steps[number], expected[i], best);
}

static void improve_step(Search *search, uint32_t number, int *best) {
    const World *world = &search->raiders[search->us].world;
    const Plan *plan = &search->plans[search->us];
    int from = start_of(world, 0, &world->soldiers[0][number]);
    for (int direction = 0; direction < DIRECTIONS; direction++)
        if (neighbour(world, from, direction) >= 0)
            try_order(search, number, direction, plan->targets[number], best);
}

static void search_round(Search *search) {
    search->simulations = 0;
    search->deadline = clock_now() + TIME_MAX_MS * CLOCK_MS;
    search->setup.rules.grenade_range = search->raiders[search->us].range;
    for (uint32_t team = 0; team < 2; team++)
        plan_as_medium(search, &search->state, team, &search->raiders[team], &search->plans[team]);
    int best = simulate(search);
    for (uint32_t i = 0; i < search->setup.rules.soldiers; i++)
        improve_throw(search, i, &best);
    for (uint32_t i = 0; i < search->setup.rules.soldiers; i++)
        improve_step(search, i, &best);
    /* The raider in our place learns the range of grenades from the throws that really happen. */
    Raider *raider = &search->raiders[search->us];
    for (uint32_t i = 0; i < search->setup.rules.soldiers; i++)
        raider->thrown_at[letter_index(raider->world.soldiers[0][i].name)] =
            search->plans[search->us].targets[i];
}

int main(void) {
    static Search search;
    static World world;
    Random random = bot_random();
    read_start(&world);
    for (;;) {
        read_round(&world);
        if (world.turn == 1) {
            search_begin(&search, &world);
            search.raiders[search.us].world = world;
            for (int team = 0; team < 2; team++)
                raider_begin(&search.raiders[team], random);
        }
        observe(&search, &world);
        search_round(&search);
        write_answer(&world, search.plans[search.us].steps, search.plans[search.us].targets);
        step(&search, &search.state, search.plans);
    }
}
