/* House bot for Footsoldiers: simulates the game with each command it could give, assuming no
   further commands by either side, and gives the command with the best outcome. Views show the
   destination of every soldier, so the simulation is exact until the enemy gives its next command.

   It assumes the default configuration and only learns from builds that were rejected. It uses no
   random numbers: the same views get the same answers. */
#include "common.h"

enum {
    HORIZON_MAX = 18,  /* turns simulated */
    HORIZON_MIN = 3,   /* the same on a very crowded board */
    EFFORT = 20000,    /* soldier moves simulated per turn: a few milliseconds */
    TRIALS = 40,       /* commands to try at least, with a shorter horizon if necessary */
    CANDIDATES = 400,  /* commands tried at most */
    ALARM = 12,        /* an enemy this near to the base calls for a defender */
    WHOLE_WAY = 70,    /* steps to the enemy's base within which progress counts */
    MARGIN = 6,        /* squares around the map that paths may use */
    FAR = 1000000,     /* unreachable */
    TURNS_MAX = 10000, /* the maximum in a configuration */
};

typedef struct Marshal {
    View view;
    FootsoldiersSetup *setup;
    FootsoldiersState *now;
    FootsoldiersState *trial;
    FootsoldiersState *walk; /* for one soldier alone */
    int32_t width;           /* of the fields, including margins */
    int32_t height;
    int32_t *to_base[2]; /* walking distances to the bases, ignoring soldiers */
    uint32_t horizon;
    FootsoldiersOrders candidates[CANDIDATES];
    uint32_t candidate_count;
    FootsoldiersOrders last_command; /* the command of the previous turn */
    int64_t money_then;
    uint32_t soldiers_then;
} Marshal;

static bool same(FootsoldiersSquare one, FootsoldiersSquare other) {
    return one.x == other.x && one.y == other.y;
}

static int32_t distance(FootsoldiersSquare from, FootsoldiersSquare to) {
    return abs(from.x - to.x) + abs(from.y - to.y);
}

static FootsoldiersSquare beside(FootsoldiersSquare square, int direction) {
    return (FootsoldiersSquare){square.x + footsoldiers_steps[direction].x,
                                square.y + footsoldiers_steps[direction].y};
}

/* ---- paths ---- */

static int32_t steps_to(const Marshal *marshal, const int32_t *field, FootsoldiersSquare from) {
    int32_t x = from.x + MARGIN;
    int32_t y = from.y + MARGIN;
    if (x < 0 || y < 0 || x >= marshal->width || y >= marshal->height)
        return FAR;
    return field[y * marshal->width + x];
}

/* The distance of every square on and around the map from a base, by breadth-first search. */
static int32_t *measure(const Marshal *marshal, FootsoldiersSquare base) {
    int32_t squares = marshal->width * marshal->height;
    int32_t *field = malloc((size_t)squares * sizeof *field);
    int32_t *queue = malloc((size_t)squares * sizeof *queue);
    if (!field || !queue)
        abort();
    for (int32_t i = 0; i < squares; i++)
        field[i] = FAR;
    /* Rocks and the other base are marked as visited, so that no path enters them. */
    for (uint32_t i = 0; i < marshal->setup->fixture_count; i++) {
        FootsoldiersSquare at = marshal->setup->fixtures[i].at;
        field[(at.y + MARGIN) * marshal->width + at.x + MARGIN] = FAR + 1;
    }
    int32_t head = 0;
    int32_t tail = 0;
    queue[tail++] = (base.y + MARGIN) * marshal->width + base.x + MARGIN;
    field[queue[0]] = 0;
    while (head < tail) {
        int32_t from = queue[head++];
        FootsoldiersSquare square = {from % marshal->width - MARGIN,
                                     from / marshal->width - MARGIN};
        for (int direction = 0; direction < FOOTSOLDIERS_DIRECTIONS; direction++) {
            FootsoldiersSquare next = beside(square, direction);
            int32_t x = next.x + MARGIN;
            int32_t y = next.y + MARGIN;
            if (x < 0 || y < 0 || x >= marshal->width || y >= marshal->height ||
                field[y * marshal->width + x] != FAR)
                continue;
            field[y * marshal->width + x] = field[from] + 1;
            queue[tail++] = y * marshal->width + x;
        }
    }
    free(queue);
    return field;
}

/* Simulates one soldier alone: true if it gets to within `near` of the destination. */
static bool arrives(Marshal *marshal, FootsoldiersType type, FootsoldiersSquare from,
                    FootsoldiersSquare to, int32_t near) {
    static const FootsoldiersOrders nothing;
    const GameOrders *orders[2] = {&nothing.head, &nothing.head};
    GameSetup *setup = &marshal->setup->head;
    footsoldiers_init(setup, 0, &marshal->walk->head);
    footsoldiers_place(marshal->setup, marshal->walk, marshal->view.you, type, from, to,
                       FOOTSOLDIERS_DOWN);
    for (;;) {
        FootsoldiersSquare at = marshal->walk->soldier[0].at;
        if (distance(at, to) <= near)
            return true;
        marshal->walk->head.turn = marshal->walk->head.over = 0;
        marshal->walk->player[0].health = marshal->walk->player[1].health = INT32_MAX;
        footsoldiers_step(setup, &marshal->walk->head, orders, NULL);
        if (same(at, marshal->walk->soldier[0].at))
            return false;
    }
}

/* The destination that brings a soldier nearest to the enemy's base without another command:
   soldiers walk straight towards their destination and stop at rocks. */
static FootsoldiersSquare way_to_enemy(Marshal *marshal, FootsoldiersType type,
                                       FootsoldiersSquare from) {
    uint32_t enemy = 1 - marshal->view.you;
    FootsoldiersSquare base = marshal->view.base[enemy];
    const int32_t *field = marshal->to_base[enemy];
    int32_t left = steps_to(marshal, field, from);
    FootsoldiersSquare best = base;
    if (left >= FAR || arrives(marshal, type, from, base, 1))
        return base;
    /* Follows the shortest path as far as possible. Gaps of a few squares are tolerated, since a
       farther square may be reachable even if a nearer one is not. */
    FootsoldiersSquare at = from;
    int failures = 0;
    while (left > 1 && failures < 12) {
        for (int direction = 0; direction < FOOTSOLDIERS_DIRECTIONS; direction++)
            if (steps_to(marshal, field, beside(at, direction)) < left) {
                at = beside(at, direction);
                break;
            }
        left = steps_to(marshal, field, at);
        if (at.x < 0 || at.y < 0 || !arrives(marshal, type, from, at, 0)) {
            failures++;
        } else {
            best = at;
            failures = 0;
        }
    }
    return best;
}

/* ---- evaluation ---- */

static int64_t worth_of_soldier(const Marshal *marshal, const FootsoldiersSoldier *soldier) {
    const FootsoldiersSetup *setup = marshal->setup;
    int64_t full = setup->cost[soldier->type] * 10;
    int64_t health = soldier->health < setup->health[soldier->type] ? soldier->health
                                                                    : setup->health[soldier->type];
    int64_t worth = full * 4 / 10 + full * 6 / 10 * health / setup->health[soldier->type];
    int32_t gone =
        WHOLE_WAY - steps_to(marshal, marshal->to_base[1 - soldier->player], soldier->at);
    return worth + (gone > 0 ? gone : 0);
}

/* The value of a position for us: above all the health of the bases, then the cost of the soldiers
   and how far they have come. */
static int64_t worth(const Marshal *marshal, const FootsoldiersState *state) {
    int64_t sum[2];
    for (int player = 0; player < 2; player++)
        sum[player] = state->player[player].money * 10 + (int64_t)state->player[player].health * 35;
    for (uint32_t i = 0; i < state->soldier_count; i++)
        sum[state->soldier[i].player] += worth_of_soldier(marshal, &state->soldier[i]);
    return sum[marshal->view.you] - sum[1 - marshal->view.you];
}

/* The value of a command: the sum over all simulated turns, so that sooner is better. */
static int64_t evaluate(Marshal *marshal, const FootsoldiersOrders *order) {
    static const FootsoldiersOrders nothing;
    uint32_t you = marshal->view.you;
    const GameOrders *orders[2] = {&nothing.head, &nothing.head};
    orders[you] = &order->head;
    memcpy(marshal->trial, marshal->now, marshal->now->head.used);
    int64_t sum = 0;
    int64_t last = 0;
    for (uint32_t turn = 0; turn < marshal->horizon; turn++) {
        if (!marshal->trial->head.over) {
            footsoldiers_step(&marshal->setup->head, &marshal->trial->head, orders, NULL);
            orders[you] = &nothing.head;
            last = worth(marshal, marshal->trial);
            if (marshal->trial->head.over)
                last += marshal->trial->player[you].lost       ? -100000
                        : marshal->trial->player[1 - you].lost ? 100000
                                                               : 0;
        }
        sum += last;
    }
    return sum;
}

/* ---- candidate commands ---- */

static void consider(Marshal *marshal, FootsoldiersOrders order) {
    if (marshal->candidate_count == CANDIDATES)
        return;
    order.head = (GameOrders){.kind = ORDERS_GIVEN, .count = 1};
    marshal->candidates[marshal->candidate_count++] = order;
}

static bool can_build_at(const Marshal *marshal, FootsoldiersSquare square) {
    return square.x >= 0 && square.y >= 0 &&
           distance(square, marshal->view.base[marshal->view.you]) <=
               marshal->setup->max_distance &&
           !view_occupied(&marshal->view, square);
}

static void consider_builds_at(Marshal *marshal, FootsoldiersSquare at, bool attacks) {
    if (!can_build_at(marshal, at))
        return;
    for (uint32_t type = 0; type < FOOTSOLDIERS_TYPES; type++)
        if (marshal->view.money[marshal->view.you] >= marshal->setup->cost[type])
            consider(
                marshal,
                (FootsoldiersOrders){
                    .command = FOOTSOLDIERS_BUILD,
                    .type = type,
                    .at = at,
                    .destination = attacks ? way_to_enemy(marshal, (FootsoldiersType)type, at) : at,
                });
}

/* Attackers start from the two squares nearest to the enemy on foot. */
static void consider_attackers(Marshal *marshal) {
    FootsoldiersSquare base = marshal->view.base[marshal->view.you];
    const int32_t *field = marshal->to_base[1 - marshal->view.you];
    int32_t reach = (int32_t)marshal->setup->max_distance;
    FootsoldiersSquare best[2] = {base, base};
    int32_t steps[2] = {FAR, FAR};
    for (int32_t x = base.x - reach; x <= base.x + reach; x++)
        for (int32_t y = base.y - reach; y <= base.y + reach; y++) {
            FootsoldiersSquare at = {x, y};
            int32_t here = steps_to(marshal, field, at);
            if (here >= steps[1] || !can_build_at(marshal, at))
                continue;
            int place = here < steps[0] ? 0 : 1;
            if (place == 0) {
                best[1] = best[0];
                steps[1] = steps[0];
            }
            best[place] = at;
            steps[place] = here;
        }
    consider_builds_at(marshal, best[0], true);
    consider_builds_at(marshal, best[1], true);
}

/* Whether an enemy is near our base or will be soon if we do nothing. */
static bool is_threatened(Marshal *marshal) {
    static const FootsoldiersOrders nothing;
    uint32_t you = marshal->view.you;
    for (uint32_t i = 0; i < marshal->now->soldier_count; i++)
        if (marshal->now->soldier[i].player != you &&
            distance(marshal->now->soldier[i].at, marshal->view.base[you]) <= ALARM)
            return true;
    evaluate(marshal, &nothing);
    return marshal->trial->player[you].health < marshal->now->player[you].health;
}

/* Defenders are built close to the base, or next to an enemy within reach. */
static void consider_defenders(Marshal *marshal) {
    FootsoldiersSquare base = marshal->view.base[marshal->view.you];
    for (uint32_t i = 0; i < marshal->view.soldier_count; i++)
        if (marshal->view.soldiers[i].player != marshal->view.you)
            for (int direction = 0; direction < FOOTSOLDIERS_DIRECTIONS; direction++)
                consider_builds_at(marshal, beside(marshal->view.soldiers[i].at, direction), false);
    for (int32_t x = base.x - 2; x <= base.x + 2; x++)
        for (int32_t y = base.y - 2; y <= base.y + 2; y++)
            if (distance(base, (FootsoldiersSquare){x, y}) <= 2)
                consider_builds_at(marshal, (FootsoldiersSquare){x, y}, false);
}

static void consider_move(Marshal *marshal, const FootsoldiersSoldier *soldier,
                          FootsoldiersSquare to) {
    if (to.x >= 0 && to.y >= 0 && !same(to, soldier->destination))
        consider(marshal, (FootsoldiersOrders){
                              .command = FOOTSOLDIERS_MOVE, .at = soldier->at, .destination = to});
}

/* A soldier can continue to the enemy's base, chase the nearest enemy or go home, and it can face
   another adjacent square. */
static void consider_soldier(Marshal *marshal, const FootsoldiersSoldier *soldier) {
    const View *view = &marshal->view;
    const FootsoldiersSoldier *nearest = NULL;
    if (soldier->at.x < 0 || soldier->at.y < 0)
        return;
    for (uint32_t i = 0; i < view->soldier_count; i++) {
        const FootsoldiersSoldier *other = &view->soldiers[i];
        if (other->player != soldier->player &&
            (!nearest || distance(soldier->at, other->at) < distance(soldier->at, nearest->at)))
            nearest = other;
    }
    if (distance(soldier->at, view->base[1 - view->you]) > 1)
        consider_move(marshal, soldier,
                      way_to_enemy(marshal, (FootsoldiersType)soldier->type, soldier->at));
    if (nearest && distance(soldier->at, nearest->at) <= 14)
        consider_move(marshal, soldier, nearest->at);
    if (distance(soldier->at, view->base[view->you]) <= 20)
        consider_move(marshal, soldier, view->base[view->you]);
    int targets = 0;
    for (int direction = 0; direction < FOOTSOLDIERS_DIRECTIONS; direction++)
        targets += view_occupied(view, beside(soldier->at, direction));
    for (uint32_t direction = 0; direction < FOOTSOLDIERS_DIRECTIONS && targets > 1; direction++)
        if (direction != soldier->direction)
            consider(marshal, (FootsoldiersOrders){.command = FOOTSOLDIERS_CHANGE_DIRECTION,
                                                   .at = soldier->at,
                                                   .direction = direction});
}

static FootsoldiersOrders choose(Marshal *marshal) {
    static const FootsoldiersOrders nothing = {.head = {.kind = ORDERS_GIVEN}};
    uint32_t horizon = EFFORT / TRIALS / (marshal->now->soldier_count + 2);
    marshal->horizon = horizon < HORIZON_MIN   ? HORIZON_MIN
                       : horizon > HORIZON_MAX ? HORIZON_MAX
                                               : horizon;
    marshal->candidate_count = 0;
    if (is_threatened(marshal))
        consider_defenders(marshal);
    consider_attackers(marshal);
    for (uint32_t i = 0; i < marshal->view.soldier_count; i++)
        if (marshal->view.soldiers[i].player == marshal->view.you)
            consider_soldier(marshal, &marshal->view.soldiers[i]);
    FootsoldiersOrders best = nothing;
    int64_t best_worth = evaluate(marshal, &nothing);
    uint32_t effort = (marshal->now->soldier_count + 2) * marshal->horizon;
    for (uint32_t i = 0; i < marshal->candidate_count && (i + 1) * effort < EFFORT; i++) {
        int64_t found = evaluate(marshal, &marshal->candidates[i]);
        if (found > best_worth) {
            best = marshal->candidates[i];
            best_worth = found;
        }
    }
    return best;
}

/* ---- the state of the view ---- */

/* Rebuilds the map from the first view and passes it to the library. Plenty of money and more turns
   than remain reserve room for as many soldiers as there can be, even if the match is far advanced;
   the real amounts come from the views. */
static void begin(Marshal *marshal) {
    const View *view = &marshal->view;
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
    marshal->setup = (FootsoldiersSetup *)setup;
    marshal->now = (FootsoldiersState *)game_state_new(setup);
    marshal->trial = (FootsoldiersState *)game_state_new(setup);
    marshal->walk = (FootsoldiersState *)game_state_new(setup);
    marshal->width = width + 2 * MARGIN;
    marshal->height = height + 2 * MARGIN;
    for (int player = 0; player < 2; player++)
        marshal->to_base[player] = measure(marshal, view->base[player]);
}

static void take_over(Marshal *marshal) {
    const View *view = &marshal->view;
    FootsoldiersState *state = marshal->now;
    int64_t played = marshal->setup->total_turns - view->turns_remaining;
    if (played < 0 || view->soldier_count >= marshal->setup->soldiers_max)
        give_up("it does not match the first one");
    footsoldiers_init(&marshal->setup->head, 0, &state->head);
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

static uint32_t own_soldiers(const View *view) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < view->soldier_count; i++)
        count += view->soldiers[i].player == view->you;
    return count;
}

/* If the last build neither added a soldier nor cost money, it was rejected: this match has another
   distance or other costs than assumed. */
static void learn(Marshal *marshal) {
    const View *view = &marshal->view;
    const FootsoldiersOrders *last = &marshal->last_command;
    if (last->command != FOOTSOLDIERS_BUILD || view->money[view->you] < marshal->money_then ||
        own_soldiers(view) > marshal->soldiers_then)
        return;
    int32_t away = distance(last->at, view->base[view->you]);
    if (away > 1)
        marshal->setup->max_distance = away - 1;
    else
        marshal->setup->cost[last->type] = marshal->money_then + 1;
}

int main(void) {
    static Marshal marshal;
    puts("Ready");
    fflush(stdout);
    while (view_read(&marshal.view)) {
        if (!marshal.setup)
            begin(&marshal);
        learn(&marshal);
        take_over(&marshal);
        marshal.last_command = choose(&marshal);
        marshal.money_then = marshal.view.money[marshal.view.you];
        marshal.soldiers_then = own_soldiers(&marshal.view);
        command_write(&marshal.last_command);
    }
    if (marshal.setup) {
        footsoldiers_setup_free(&marshal.setup->head);
        free(marshal.now);
        free(marshal.trial);
        free(marshal.walk);
        free(marshal.to_base[0]);
        free(marshal.to_base[1]);
    }
    view_free(&marshal.view);
    return 0;
}
