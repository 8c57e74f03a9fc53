/* Shared by the house bots medium and hard of Footsoldiers: the match as the views show it, and a
   planner that simulates the game with each command a player could give, assuming no further
   commands by either side, and chooses the command with the best outcome. Views show the
   destination of every soldier, so the simulation is exact until the enemy gives its next command.

   It assumes the default configuration and only learns from builds that were rejected. It uses no
   random numbers: the same states get the same commands. */
#ifndef BOTS_FOOTSOLDIERS_PLANNER_H
#define BOTS_FOOTSOLDIERS_PLANNER_H

#include "base/memory.h"
#include "common.h"

enum {
    HORIZON_MAX = 18,  /* turns simulated */
    HORIZON_MIN = 3,   /* turns simulated on a very crowded board */
    EFFORT = 20000,    /* soldier moves simulated per choice: a few milliseconds */
    TRIALS = 40,       /* the fewest commands to try, with a shorter horizon if necessary */
    CANDIDATES = 400,  /* the most commands to try */
    ALARM = 12,        /* an enemy this near to the base calls for a defender */
    WHOLE_WAY = 70,    /* progress counts within this many steps of the enemy's base */
    VICTORY = 100000,  /* the value of having won, per turn */
    MARGIN = 6,        /* squares around the map that paths may use */
    FAR = 1000000,     /* unreachable */
    TURNS_MAX = 10000, /* the maximum in a configuration */
};

static const FootsoldiersOrders no_command = {.head = {.kind = ORDERS_GIVEN}};

/* Where a soldier should walk; see `way_to_enemy`. */
typedef struct Way {
    FootsoldiersSquare to;
    bool known;
} Way;

typedef struct Planner {
    FootsoldiersSetup *setup;
    FootsoldiersState *trial; /* simulates one command and its outcome */
    FootsoldiersState *walk;  /* simulates one soldier alone */
    int32_t width;            /* width of the fields, including margins */
    int32_t height;
    int32_t *to_base[2]; /* walking distances to the bases, ignoring soldiers */
    Way *ways[2][FOOTSOLDIERS_TYPES];

    /* The choice being made. */
    const FootsoldiersState *now;
    uint32_t you;
    uint32_t effort;
    uint32_t horizon;
    FootsoldiersOrders candidates[CANDIDATES];
    uint32_t candidate_count;
} Planner;

static inline bool same(FootsoldiersSquare one, FootsoldiersSquare other) {
    return one.x == other.x && one.y == other.y;
}

static inline int32_t distance(FootsoldiersSquare from, FootsoldiersSquare to) {
    return abs(from.x - to.x) + abs(from.y - to.y);
}

static inline FootsoldiersSquare neighbour(FootsoldiersSquare square, int direction) {
    return (FootsoldiersSquare){square.x + footsoldiers_steps[direction].x,
                                square.y + footsoldiers_steps[direction].y};
}

static inline void copy_state(FootsoldiersState *to, const FootsoldiersState *from) {
    memcpy(to, from, from->head.used);
}

/* ---- paths ---- */

/* The index of a square in the fields, or -1 if it is outside. */
static inline int32_t field_index(const Planner *planner, FootsoldiersSquare square) {
    int32_t x = square.x + MARGIN;
    int32_t y = square.y + MARGIN;
    if (x < 0 || y < 0 || x >= planner->width || y >= planner->height)
        return -1;
    return y * planner->width + x;
}

static inline int32_t steps_to(const Planner *planner, const int32_t *field,
                               FootsoldiersSquare from) {
    int32_t index = field_index(planner, from);
    return index < 0 ? FAR : field[index];
}

/* The distance of every square on and around the map from a base, by breadth-first search. */
static inline int32_t *measure(const Planner *planner, FootsoldiersSquare base) {
    int32_t squares = planner->width * planner->height;
    int32_t *field = xcalloc((size_t)squares, sizeof *field);
    int32_t *queue = xcalloc((size_t)squares, sizeof *queue);
    for (int32_t i = 0; i < squares; i++)
        field[i] = FAR;
    /* Rocks and the other base are marked as visited, so that no path enters them. */
    for (uint32_t i = 0; i < planner->setup->fixture_count; i++)
        field[field_index(planner, planner->setup->fixtures[i].at)] = FAR + 1;
    int32_t head = 0;
    int32_t tail = 0;
    queue[tail++] = field_index(planner, base);
    field[queue[0]] = 0;
    while (head < tail) {
        int32_t from = queue[head++];
        FootsoldiersSquare square = {from % planner->width - MARGIN,
                                     from / planner->width - MARGIN};
        for (int direction = 0; direction < FOOTSOLDIERS_DIRECTIONS; direction++) {
            int32_t next = field_index(planner, neighbour(square, direction));
            if (next < 0 || field[next] != FAR)
                continue;
            field[next] = field[from] + 1;
            queue[tail++] = next;
        }
    }
    free(queue);
    return field;
}

/* Simulates one soldier alone: true if it gets to within `near` of the destination. */
static inline bool arrives(Planner *planner, FootsoldiersType type, FootsoldiersSquare from,
                           FootsoldiersSquare to, int32_t near) {
    const GameOrders *orders[2] = {&no_command.head, &no_command.head};
    GameSetup *setup = &planner->setup->head;
    footsoldiers_init(setup, 0, &planner->walk->head);
    footsoldiers_place(planner->setup, planner->walk, planner->you, type, from, to,
                       FOOTSOLDIERS_DOWN);
    for (;;) {
        FootsoldiersSquare at = planner->walk->soldier[0].at;
        if (distance(at, to) <= near)
            return true;
        planner->walk->head.turn = planner->walk->head.over = 0;
        planner->walk->player[0].health = planner->walk->player[1].health = INT32_MAX;
        footsoldiers_step(setup, &planner->walk->head, orders, NULL);
        if (same(at, planner->walk->soldier[0].at))
            return false;
    }
}

/* Follows the shortest path to the enemy's base as far as a soldier gets without another command.
   Gaps of a few squares are tolerated, because a farther square may be reachable even if a nearer
   one is not. */
static inline FootsoldiersSquare follow_path(Planner *planner, FootsoldiersType type,
                                             FootsoldiersSquare from) {
    FootsoldiersSquare base = planner->setup->base[1 - planner->you];
    const int32_t *field = planner->to_base[1 - planner->you];
    int32_t left = steps_to(planner, field, from);
    FootsoldiersSquare best = base;
    if (left >= FAR || arrives(planner, type, from, base, 1))
        return base;
    FootsoldiersSquare at = from;
    int failures = 0;
    while (left > 1 && failures < 12) {
        for (int direction = 0; direction < FOOTSOLDIERS_DIRECTIONS; direction++)
            if (steps_to(planner, field, neighbour(at, direction)) < left) {
                at = neighbour(at, direction);
                break;
            }
        left = steps_to(planner, field, at);
        if (at.x < 0 || at.y < 0 || !arrives(planner, type, from, at, 0)) {
            failures++;
        } else {
            best = at;
            failures = 0;
        }
    }
    return best;
}

/* The destination that brings a soldier nearest to the enemy's base without another command:
   soldiers walk straight towards their destination and stop at rocks. It never changes in a match,
   so each is computed once. */
static inline FootsoldiersSquare way_to_enemy(Planner *planner, FootsoldiersType type,
                                              FootsoldiersSquare from) {
    int32_t index = field_index(planner, from);
    if (index < 0)
        return follow_path(planner, type, from);
    Way *way = &planner->ways[planner->you][type][index];
    if (!way->known)
        *way = (Way){follow_path(planner, type, from), true};
    return way->to;
}

/* ---- evaluation ---- */

static inline int64_t worth_of_soldier(const Planner *planner, const FootsoldiersSoldier *soldier) {
    const FootsoldiersSetup *setup = planner->setup;
    int64_t full = setup->cost[soldier->type] * 10;
    int64_t health = soldier->health < setup->health[soldier->type] ? soldier->health
                                                                    : setup->health[soldier->type];
    int64_t worth = full * 4 / 10 + full * 6 / 10 * health / setup->health[soldier->type];
    int32_t gone =
        WHOLE_WAY - steps_to(planner, planner->to_base[1 - soldier->player], soldier->at);
    return worth + (gone > 0 ? gone : 0);
}

/* The value of a position for a player: above all the result, then the health of the bases, then
   the cost of the soldiers and how far they have come. */
static inline int64_t worth(const Planner *planner, const FootsoldiersState *state, uint32_t you) {
    int64_t sum[2];
    for (int player = 0; player < 2; player++)
        sum[player] = state->player[player].money * 10 + (int64_t)state->player[player].health * 35;
    for (uint32_t i = 0; i < state->soldier_count; i++)
        sum[state->soldier[i].player] += worth_of_soldier(planner, &state->soldier[i]);
    int64_t result = 0;
    if (state->head.over && state->player[you].lost)
        result = -VICTORY;
    else if (state->head.over && state->player[1 - you].lost)
        result = VICTORY;
    return sum[you] - sum[1 - you] + result;
}

/* The value of a command: the sum over all simulated turns, so that earlier gains count more. */
static inline int64_t evaluate(Planner *planner, const FootsoldiersOrders *order) {
    uint32_t you = planner->you;
    const GameOrders *orders[2] = {&no_command.head, &no_command.head};
    orders[you] = &order->head;
    copy_state(planner->trial, planner->now);
    int64_t sum = 0;
    int64_t last = 0;
    for (uint32_t turn = 0; turn < planner->horizon; turn++) {
        if (!planner->trial->head.over) {
            footsoldiers_step(&planner->setup->head, &planner->trial->head, orders, NULL);
            orders[you] = &no_command.head;
            last = worth(planner, planner->trial, you);
        }
        sum += last;
    }
    return sum;
}

/* ---- candidate commands ---- */

static inline void consider(Planner *planner, FootsoldiersOrders order) {
    if (planner->candidate_count == CANDIDATES)
        return;
    order.head = (GameOrders){.kind = ORDERS_GIVEN, .count = 1};
    planner->candidates[planner->candidate_count++] = order;
}

static inline bool is_occupied(const Planner *planner, FootsoldiersSquare square) {
    for (uint32_t i = 0; i < planner->now->soldier_count; i++)
        if (same(planner->now->soldier[i].at, square))
            return true;
    int32_t index = field_index(planner, square);
    return index >= 0 && (planner->to_base[0][index] == 0 || planner->to_base[1][index] == 0 ||
                          planner->to_base[0][index] == FAR + 1);
}

static inline bool can_build_at(const Planner *planner, FootsoldiersSquare square) {
    return square.x >= 0 && square.y >= 0 &&
           distance(square, planner->setup->base[planner->you]) <= planner->setup->max_distance &&
           !is_occupied(planner, square);
}

static inline void consider_builds_at(Planner *planner, FootsoldiersSquare at, bool attacks) {
    if (!can_build_at(planner, at))
        return;
    for (uint32_t type = 0; type < FOOTSOLDIERS_TYPES; type++)
        if (planner->now->player[planner->you].money >= planner->setup->cost[type])
            consider(
                planner,
                (FootsoldiersOrders){
                    .command = FOOTSOLDIERS_BUILD,
                    .type = type,
                    .at = at,
                    .destination = attacks ? way_to_enemy(planner, (FootsoldiersType)type, at) : at,
                });
}

/* Attackers start from the two squares nearest to the enemy on foot. */
static inline void consider_attackers(Planner *planner) {
    FootsoldiersSquare base = planner->setup->base[planner->you];
    const int32_t *field = planner->to_base[1 - planner->you];
    int32_t reach = (int32_t)planner->setup->max_distance;
    FootsoldiersSquare best[2] = {base, base};
    int32_t steps[2] = {FAR, FAR};
    for (int32_t x = base.x - reach; x <= base.x + reach; x++)
        for (int32_t y = base.y - reach; y <= base.y + reach; y++) {
            FootsoldiersSquare at = {x, y};
            int32_t here = steps_to(planner, field, at);
            if (here >= steps[1] || !can_build_at(planner, at))
                continue;
            int place = here < steps[0] ? 0 : 1;
            if (place == 0) {
                best[1] = best[0];
                steps[1] = steps[0];
            }
            best[place] = at;
            steps[place] = here;
        }
    consider_builds_at(planner, best[0], true);
    consider_builds_at(planner, best[1], true);
}

/* Whether an enemy is near our base or will be soon if we do nothing. */
static inline bool is_threatened(Planner *planner) {
    uint32_t you = planner->you;
    for (uint32_t i = 0; i < planner->now->soldier_count; i++)
        if (planner->now->soldier[i].player != you &&
            distance(planner->now->soldier[i].at, planner->setup->base[you]) <= ALARM)
            return true;
    evaluate(planner, &no_command);
    return planner->trial->player[you].health < planner->now->player[you].health;
}

/* Defenders are built close to the base, or next to an enemy within reach. */
static inline void consider_defenders(Planner *planner) {
    FootsoldiersSquare base = planner->setup->base[planner->you];
    for (uint32_t i = 0; i < planner->now->soldier_count; i++)
        if (planner->now->soldier[i].player != planner->you)
            for (int direction = 0; direction < FOOTSOLDIERS_DIRECTIONS; direction++)
                consider_builds_at(planner, neighbour(planner->now->soldier[i].at, direction),
                                   false);
    for (int32_t x = base.x - 2; x <= base.x + 2; x++)
        for (int32_t y = base.y - 2; y <= base.y + 2; y++)
            if (distance(base, (FootsoldiersSquare){x, y}) <= 2)
                consider_builds_at(planner, (FootsoldiersSquare){x, y}, false);
}

static inline void consider_move(Planner *planner, const FootsoldiersSoldier *soldier,
                                 FootsoldiersSquare to) {
    if (to.x >= 0 && to.y >= 0 && !same(to, soldier->destination))
        consider(planner, (FootsoldiersOrders){
                              .command = FOOTSOLDIERS_MOVE, .at = soldier->at, .destination = to});
}

/* A soldier can continue to the enemy's base, chase the nearest enemy or go home, and it can face
   another adjacent square. */
static inline void consider_soldier(Planner *planner, const FootsoldiersSoldier *soldier) {
    const FootsoldiersState *now = planner->now;
    const FootsoldiersSquare *base = planner->setup->base;
    const FootsoldiersSoldier *nearest = NULL;
    if (soldier->at.x < 0 || soldier->at.y < 0)
        return;
    for (uint32_t i = 0; i < now->soldier_count; i++) {
        const FootsoldiersSoldier *other = &now->soldier[i];
        if (other->player != soldier->player &&
            (!nearest || distance(soldier->at, other->at) < distance(soldier->at, nearest->at)))
            nearest = other;
    }
    if (distance(soldier->at, base[1 - planner->you]) > 1)
        consider_move(planner, soldier,
                      way_to_enemy(planner, (FootsoldiersType)soldier->type, soldier->at));
    if (nearest && distance(soldier->at, nearest->at) <= 14)
        consider_move(planner, soldier, nearest->at);
    if (distance(soldier->at, base[planner->you]) <= 20)
        consider_move(planner, soldier, base[planner->you]);
    int targets = 0;
    for (int direction = 0; direction < FOOTSOLDIERS_DIRECTIONS; direction++)
        targets += is_occupied(planner, neighbour(soldier->at, direction));
    for (uint32_t direction = 0; direction < FOOTSOLDIERS_DIRECTIONS && targets > 1; direction++)
        if (direction != soldier->direction)
            consider(planner, (FootsoldiersOrders){.command = FOOTSOLDIERS_CHANGE_DIRECTION,
                                                   .at = soldier->at,
                                                   .direction = direction});
}

/* Lists the commands that the player may want to give. */
static inline void consider_all(Planner *planner) {
    planner->candidate_count = 0;
    if (is_threatened(planner))
        consider_defenders(planner);
    consider_attackers(planner);
    for (uint32_t i = 0; i < planner->now->soldier_count; i++)
        if (planner->now->soldier[i].player == planner->you)
            consider_soldier(planner, &planner->now->soldier[i]);
}

/* Prepares a choice for the player `you` in the state `now`, which must not change meanwhile. */
static inline void planner_look(Planner *planner, const FootsoldiersState *now, uint32_t you,
                                uint32_t effort) {
    planner->now = now;
    planner->you = you;
    planner->effort = effort;
    uint32_t horizon = effort / TRIALS / (now->soldier_count + 2);
    planner->horizon = horizon < HORIZON_MIN   ? HORIZON_MIN
                       : horizon > HORIZON_MAX ? HORIZON_MAX
                                               : horizon;
    consider_all(planner);
}

/* The best command for a player, found with this much effort. */
static inline FootsoldiersOrders planner_choose(Planner *planner, const FootsoldiersState *now,
                                                uint32_t you, uint32_t effort) {
    planner_look(planner, now, you, effort);
    FootsoldiersOrders best = no_command;
    int64_t best_worth = evaluate(planner, &no_command);
    uint32_t cost = (now->soldier_count + 2) * planner->horizon;
    for (uint32_t i = 0; i < planner->candidate_count && (i + 1) * cost < effort; i++) {
        int64_t found = evaluate(planner, &planner->candidates[i]);
        if (found > best_worth) {
            best = planner->candidates[i];
            best_worth = found;
        }
    }
    return best;
}

/* ---- the match as the views show it ---- */

typedef struct Match {
    View view;
    Planner planner;
    FootsoldiersState *now;          /* NULL before the first view */
    FootsoldiersOrders last_command; /* the command of the previous turn */
    int64_t money_then;
    uint32_t soldiers_then;
} Match;

/* Rebuilds the map from the first view and passes it to the library. Plenty of money and more turns
   than remain reserve room for as many soldiers as there can be, even if the match is far advanced;
   the real amounts come from the views. */
static inline GameSetup *setup_of(const View *view) {
    int32_t width = 0;
    int32_t height = 0;
    for (uint32_t i = 0; i < view->rock_count + 2; i++) {
        FootsoldiersSquare at = i < 2 ? view->base[i] : view->rocks[i - 2];
        if (at.x < 0 || at.y < 0 || at.x >= FOOTSOLDIERS_SIDE_MAX || at.y >= FOOTSOLDIERS_SIDE_MAX)
            give_up("the map is too large");
        width = at.x >= width ? at.x + 1 : width;
        height = at.y >= height ? at.y + 1 : height;
    }
    Buffer map = {0};
    for (int32_t y = 0; y < height; y++)
        buffer_format(&map, "%*s\n", width, "");
    for (uint32_t i = 0; i < view->rock_count + 2; i++) {
        FootsoldiersSquare at = i < 2 ? view->base[i] : view->rocks[i - 2];
        map.data[at.y * (width + 1) + at.x] = i < 2 ? (char)('1' + i) : 'X';
    }
    Buffer config = {0};
    int64_t turns = view->turns_remaining + view->soldier_count;
    turns = turns > TURNS_MAX && view->turns_remaining <= TURNS_MAX ? TURNS_MAX : turns;
    buffer_format(&config, "{\"total-turns\":%lld,\"initial-money\":1000000000}", (long long)turns);
    GameFile config_file = {"configuration", slice_of(buffer_string(&config))};
    GameFile map_file = {"map", (Slice){map.data, map.length}};
    Error error;
    GameSetup *setup = footsoldiers_setup(&config_file, &map_file, 2, &error);
    if (!setup)
        give_up(error.text);
    buffer_free(&map);
    buffer_free(&config);
    return setup;
}

static inline void match_begin(Match *match) {
    Planner *planner = &match->planner;
    GameSetup *setup = setup_of(&match->view);
    planner->setup = (FootsoldiersSetup *)setup;
    planner->trial = (FootsoldiersState *)game_state_new(setup);
    planner->walk = (FootsoldiersState *)game_state_new(setup);
    match->now = (FootsoldiersState *)game_state_new(setup);
    planner->width = planner->setup->width + 2 * MARGIN;
    planner->height = planner->setup->height + 2 * MARGIN;
    for (int player = 0; player < 2; player++) {
        planner->to_base[player] = measure(planner, planner->setup->base[player]);
        for (int type = 0; type < FOOTSOLDIERS_TYPES; type++)
            planner->ways[player][type] =
                xcalloc((size_t)planner->width * (size_t)planner->height, sizeof(Way));
    }
}

/* Sets the state from the view. */
static inline void match_take_over(Match *match) {
    const View *view = &match->view;
    const FootsoldiersSetup *setup = match->planner.setup;
    FootsoldiersState *state = match->now;
    int64_t played = setup->total_turns - view->turns_remaining;
    if (played < 0 || view->soldier_count >= setup->soldiers_max)
        give_up("it does not match the first one");
    footsoldiers_init(&setup->head, 0, &state->head);
    state->head.turn = (uint32_t)played;
    for (uint32_t player = 0; player < 2; player++) {
        state->player[player].money = view->money[player];
        state->player[player].health = (int32_t)view->health[player];
    }
    /* Both lists have the same order. */
    memcpy(state->soldier, view->soldiers, view->soldier_count * sizeof *view->soldiers);
    state->soldier_count = view->soldier_count;
    state->head.used = (uint32_t)(sizeof *state + state->soldier_count * sizeof *state->soldier);
}

static inline uint32_t own_soldiers(const View *view) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < view->soldier_count; i++)
        count += view->soldiers[i].player == view->you;
    return count;
}

/* If the last build neither added a soldier nor cost money, it was rejected: this match has a
   different building distance or different costs than assumed. */
static inline void match_learn(Match *match) {
    const View *view = &match->view;
    const FootsoldiersOrders *last = &match->last_command;
    FootsoldiersSetup *setup = match->planner.setup;
    if (last->command != FOOTSOLDIERS_BUILD || view->money[view->you] < match->money_then ||
        own_soldiers(view) > match->soldiers_then)
        return;
    int32_t away = distance(last->at, view->base[view->you]);
    if (away > 1)
        setup->max_distance = away - 1;
    else
        setup->cost[last->type] = match->money_then + 1;
}

/* Prints `Ready` before the first view and reads the next one. False at the end of input. */
static inline bool match_next(Match *match) {
    if (!match->now) {
        puts("Ready");
        fflush(stdout);
    }
    if (!view_read(&match->view))
        return false;
    if (!match->now)
        match_begin(match);
    match_learn(match);
    match_take_over(match);
    return true;
}

static inline void match_answer(Match *match, const FootsoldiersOrders *order) {
    match->last_command = *order;
    match->money_then = match->view.money[match->view.you];
    match->soldiers_then = own_soldiers(&match->view);
    command_write(order);
}

static inline void match_free(Match *match) {
    Planner *planner = &match->planner;
    view_free(&match->view);
    if (!match->now)
        return;
    for (int player = 0; player < 2; player++) {
        free(planner->to_base[player]);
        for (int type = 0; type < FOOTSOLDIERS_TYPES; type++)
            free(planner->ways[player][type]);
    }
    free(planner->trial);
    free(planner->walk);
    free(match->now);
    footsoldiers_setup_free(&planner->setup->head);
}

#endif
