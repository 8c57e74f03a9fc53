/* The rules of Footsoldiers, in the order of docs/rules/footsoldiers.md. `footsoldiers_step` lists
   the stages of a turn. */
#include "games/footsoldiers/footsoldiers.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const FootsoldiersSquare footsoldiers_steps[FOOTSOLDIERS_DIRECTIONS] = {
    [FOOTSOLDIERS_DOWN] = {0, 1},
    [FOOTSOLDIERS_LEFT] = {-1, 0},
    [FOOTSOLDIERS_UP] = {0, -1},
    [FOOTSOLDIERS_RIGHT] = {1, 0},
};

/* A square as one number that sorts by x, then y. Works for all 32-bit coordinates, since orders
   may contain any. */
static int64_t order_of(FootsoldiersSquare square) {
    return (int64_t)square.x * (INT64_C(1) << 32) + ((int64_t)square.y - INT32_MIN);
}

static bool same(FootsoldiersSquare one, FootsoldiersSquare other) {
    return one.x == other.x && one.y == other.y;
}

static int64_t distance(FootsoldiersSquare from, FootsoldiersSquare to) {
    return llabs((int64_t)from.x - to.x) + llabs((int64_t)from.y - to.y);
}

static void count_used(FootsoldiersState *state) {
    state->head.used = (uint32_t)(sizeof *state + state->soldier_count * sizeof *state->soldier);
}

void footsoldiers_init(const GameSetup *head, uint64_t seed, GameState *state_head) {
    const FootsoldiersSetup *setup = (const FootsoldiersSetup *)head;
    FootsoldiersState *state = (FootsoldiersState *)state_head;
    (void)seed; /* this game has no randomness */
    memset(state, 0, head->state_size);
    for (int player = 0; player < 2; player++)
        state->player[player] = (FootsoldiersPlayer){.money = setup->initial_money,
                                                     .health = FOOTSOLDIERS_PLAYER_HEALTH};
    count_used(state);
}

/* ---- the field ---- */

/* Bits for the 64 squares from `from` to the right, the first in the lowest bit: set for rocks and
   bases. */
static uint64_t solid_row(const FootsoldiersSetup *setup, FootsoldiersSquare from) {
    if (from.y < 0 || from.y >= setup->height || from.x <= -64 || from.x >= setup->width)
        return 0;
    uint32_t bit = (uint32_t)(from.x + 64);
    const uint64_t *word = setup->solid + (size_t)from.y * setup->solid_stride + bit / 64;
    return word[0] >> bit % 64 | word[1] << 1 << (63 - bit % 64);
}

uint32_t footsoldiers_turns_remaining(const FootsoldiersSetup *setup,
                                      const FootsoldiersState *state) {
    return setup->head.turns_max - state->head.turn;
}

/* The index of the first soldier that sorts at or after the square. */
static uint32_t place_of(const FootsoldiersState *state, FootsoldiersSquare square) {
    uint32_t low = 0;
    uint32_t high = state->soldier_count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (order_of(state->soldier[middle].at) < order_of(square))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static FootsoldiersSoldier *soldier_at(FootsoldiersState *state, FootsoldiersSquare square) {
    uint32_t place = place_of(state, square);
    bool there = place < state->soldier_count && same(state->soldier[place].at, square);
    return there ? &state->soldier[place] : NULL;
}

void footsoldiers_place(const FootsoldiersSetup *setup, FootsoldiersState *state, uint32_t player,
                        FootsoldiersType type, FootsoldiersSquare at,
                        FootsoldiersSquare destination, FootsoldiersDirection direction) {
    assert(state->soldier_count < setup->soldiers_max);
    uint32_t place = place_of(state, at);
    memmove(&state->soldier[place + 1], &state->soldier[place],
            (state->soldier_count - place) * sizeof *state->soldier);
    state->soldier[place] = (FootsoldiersSoldier){.at = at,
                                                  .destination = destination,
                                                  .health = (int32_t)setup->health[type],
                                                  .type = (uint8_t)type,
                                                  .player = (uint8_t)player,
                                                  .direction = (uint8_t)direction};
    state->soldier_count++;
    count_used(state);
}

/* ---- a turn ---- */

typedef struct Turn {
    const FootsoldiersSetup *setup;
    FootsoldiersState *state;
    Notes *notes;
} Turn;

/* ---- a turn: obey commands ---- */

/* Commands have coordinates of up to nine digits without a sign; orders that were not read from
   text must obey the same limit. */
static bool can_be_named(FootsoldiersSquare square) {
    return square.x >= 0 && square.x <= FOOTSOLDIERS_COORDINATE_MAX && square.y >= 0 &&
           square.y <= FOOTSOLDIERS_COORDINATE_MAX;
}

static void build(const Turn *turn, uint32_t player, const FootsoldiersOrders *order) {
    const FootsoldiersSetup *setup = turn->setup;
    FootsoldiersState *state = turn->state;
    if (order->type >= FOOTSOLDIERS_TYPES || order->direction >= FOOTSOLDIERS_DIRECTIONS ||
        !can_be_named(order->destination)) {
        notes_refuse(turn->notes, player, "Build: invalid type, direction or destination");
        return;
    }
    int64_t *money = &state->player[player].money;
    int64_t cost = setup->cost[order->type];
    int64_t far = distance(setup->base[player], order->at);
    const char *name = footsoldiers_type_names[order->type];
    int32_t x = order->at.x;
    int32_t y = order->at.y;
    if (*money < cost)
        notes_refuse(turn->notes, player,
                     "Build %s at (%d, %d): it costs %" PRId64 ", and you have %" PRId64, name, x,
                     y, cost, *money);
    else if (far > setup->max_distance || !can_be_named(order->at))
        notes_refuse(turn->notes, player,
                     "Build %s at (%d, %d): too far, %" PRId64
                     " squares from your base; at most %" PRId64 " are allowed",
                     name, x, y, far, setup->max_distance);
    else if (solid_row(setup, order->at) & 1)
        notes_refuse(turn->notes, player, "Build %s at (%d, %d): occupied by a rock or a base",
                     name, x, y);
    else if (soldier_at(state, order->at))
        notes_refuse(turn->notes, player, "Build %s at (%d, %d): occupied by a soldier", name, x,
                     y);
    else {
        *money -= cost;
        footsoldiers_place(setup, state, player, (FootsoldiersType)order->type, order->at,
                           order->destination, (FootsoldiersDirection)order->direction);
        notes_event(turn->notes, "player%u builds a %s at (%d, %d)", player + 1, name, x, y);
    }
}

/* The player's soldier on that square; NULL, with a reason in the notes, if there is none. */
static FootsoldiersSoldier *own_soldier(const Turn *turn, uint32_t player, const char *command,
                                        FootsoldiersSquare at) {
    FootsoldiersSoldier *soldier = soldier_at(turn->state, at);
    if (soldier && soldier->player == player)
        return soldier;
    notes_refuse(turn->notes, player, "%s (%d, %d): %s", command, at.x, at.y,
                 soldier ? "the soldier there belongs to the enemy" : "no soldier is there");
    return NULL;
}

static void change_destination(const Turn *turn, uint32_t player, const FootsoldiersOrders *order) {
    FootsoldiersSoldier *soldier = own_soldier(turn, player, "Move", order->at);
    if (!soldier)
        return;
    if (!can_be_named(order->destination)) {
        notes_refuse(turn->notes, player, "Move (%d, %d): invalid destination", order->at.x,
                     order->at.y);
        return;
    }
    soldier->destination = order->destination;
    notes_event(turn->notes, "player%u sends the %s at (%d, %d) to (%d, %d)", player + 1,
                footsoldiers_type_names[soldier->type], order->at.x, order->at.y,
                order->destination.x, order->destination.y);
}

static void change_direction(const Turn *turn, uint32_t player, const FootsoldiersOrders *order) {
    FootsoldiersSoldier *soldier = own_soldier(turn, player, "Change attack direction", order->at);
    if (!soldier)
        return;
    if (order->direction >= FOOTSOLDIERS_DIRECTIONS) {
        notes_refuse(turn->notes, player, "Change attack direction (%d, %d): invalid direction",
                     order->at.x, order->at.y);
        return;
    }
    soldier->direction = (uint8_t)order->direction;
    static const char *const facing[FOOTSOLDIERS_DIRECTIONS] = {"down", "left", "up", "right"};
    notes_event(turn->notes, "player%u turns the %s at (%d, %d) to face %s", player + 1,
                footsoldiers_type_names[soldier->type], order->at.x, order->at.y,
                facing[order->direction]);
}

static void obey_commands(const Turn *turn, const GameOrders *const *orders) {
    for (uint32_t player = 0; player < 2; player++) {
        if (orders[player]->kind != ORDERS_GIVEN)
            continue;
        const FootsoldiersOrders *order = (const FootsoldiersOrders *)orders[player];
        switch (order->command) {
        case FOOTSOLDIERS_NO_OP:
            break;
        case FOOTSOLDIERS_BUILD:
            build(turn, player, order);
            break;
        case FOOTSOLDIERS_MOVE:
            change_destination(turn, player, order);
            break;
        case FOOTSOLDIERS_CHANGE_DIRECTION:
            change_direction(turn, player, order);
            break;
        default:
            notes_refuse(turn->notes, player, "unknown command");
        }
    }
}

/* ---- a turn: move soldiers ---- */

/* The squares that a soldier could reach if none were blocked: one word per row from the top, the
   leftmost square in the lowest bit. One more row above and below saves the flood fill from
   checking the edges. */
typedef struct Window {
    int32_t speed;
    FootsoldiersSquare corner; /* top left; row 1 of the arrays */
    uint64_t free[2 * FOOTSOLDIERS_SPEED_MAX + 3];
    uint64_t reached[2 * FOOTSOLDIERS_SPEED_MAX + 3];
} Window;

static void block(Window *window, FootsoldiersSquare square) {
    uint32_t column = (uint32_t)(square.x - window->corner.x);
    uint32_t row = (uint32_t)(square.y - window->corner.y);
    uint32_t last = (uint32_t)window->speed * 2;
    if (column <= last && row <= last)
        window->free[row + 1] &= ~(UINT64_C(1) << column);
}

/* Finds the free squares near a soldier. During this stage the list stays in the order of the
   squares at its start, and no soldier is more than `fastest` away from where it was then. So two
   soldiers that are out of order are at most twice that apart, and the search in either direction
   can stop once it is that far outside the window. */
static void find_free_squares(const Turn *turn, uint32_t index, Window *window) {
    const FootsoldiersSoldier *soldiers = turn->state->soldier;
    FootsoldiersSquare at = soldiers[index].at;
    int32_t rows = 2 * window->speed + 1;
    window->corner = (FootsoldiersSquare){at.x - window->speed, at.y - window->speed};
    for (int32_t row = 0; row < rows; row++)
        window->free[row + 1] =
            ~solid_row(turn->setup, (FootsoldiersSquare){window->corner.x, window->corner.y + row});
    int32_t beyond = window->speed + 2 * turn->setup->fastest;
    for (uint32_t i = index; i-- > 0 && soldiers[i].at.x >= at.x - beyond;)
        block(window, soldiers[i].at);
    for (uint32_t i = index + 1;
         i < turn->state->soldier_count && soldiers[i].at.x <= at.x + beyond; i++)
        block(window, soldiers[i].at);
}

/* Marks the squares that can be reached over free squares in at most `speed` steps, one step at a
   time for all squares at once. */
static void flood(Window *window) {
    int32_t centre = window->speed + 1;
    memset(window->reached, 0, (size_t)(2 * window->speed + 3) * sizeof *window->reached);
    window->reached[centre] = UINT64_C(1) << window->speed;
    for (int32_t step = 1; step <= window->speed; step++) {
        uint64_t above = 0;
        for (int32_t row = centre - step; row <= centre + step; row++) {
            uint64_t here = window->reached[row];
            uint64_t grown = here | here << 1 | here >> 1 | above | window->reached[row + 1];
            window->reached[row] = grown & window->free[row];
            above = here;
        }
    }
}

/* The reached square nearest to the destination. Ties go to the soldier's own square, then to the
   smaller x, then to the smaller y. */
static FootsoldiersSquare nearest(const Window *window, FootsoldiersSquare own,
                                  FootsoldiersSquare destination) {
    FootsoldiersSquare best = own;
    int64_t best_distance = distance(own, destination);
    int64_t own_distance = best_distance;
    int64_t column = (int64_t)destination.x - window->corner.x;
    /* Bits of the destination's column and all columns left of it. */
    uint64_t left = column < 0 ? 0 : column >= 63 ? UINT64_MAX : (UINT64_C(2) << column) - 1;
    for (int32_t row = 0; row <= 2 * window->speed; row++) {
        uint64_t reached = window->reached[row + 1];
        FootsoldiersSquare candidate = {0, window->corner.y + row};
        if (!reached || llabs((int64_t)candidate.y - destination.y) > best_distance)
            continue;
        /* In each row only the nearest square on either side matters. */
        for (int side = 0; side < 2; side++) {
            uint64_t squares = side ? reached & ~left : reached & left;
            if (!squares)
                continue;
            int bit = side ? __builtin_ctzll(squares) : 63 - __builtin_clzll(squares);
            candidate.x = window->corner.x + bit;
            int64_t away = distance(candidate, destination);
            if (away < best_distance ||
                (away == best_distance && away < own_distance && candidate.x < best.x)) {
                best = candidate;
                best_distance = away;
            }
        }
    }
    return best;
}

static void move_soldier(const Turn *turn, uint32_t index) {
    FootsoldiersSoldier *soldier = &turn->state->soldier[index];
    int32_t speed = (int32_t)turn->setup->speed[soldier->type];
    if (speed == 0 || same(soldier->at, soldier->destination))
        return;
    Window window;
    window.speed = speed;
    find_free_squares(turn, index, &window);
    flood(&window);
    soldier->at = nearest(&window, soldier->at, soldier->destination);
}

/* Insertion sort: the list is nearly sorted, because few soldiers pass each other in a turn. */
static void sort_soldiers(FootsoldiersState *state) {
    for (uint32_t i = 1; i < state->soldier_count; i++) {
        FootsoldiersSoldier moving = state->soldier[i];
        uint32_t place = i;
        for (; place > 0 && order_of(state->soldier[place - 1].at) > order_of(moving.at); place--)
            state->soldier[place] = state->soldier[place - 1];
        state->soldier[place] = moving;
    }
}

/* Soldiers move one after the other, each on the field as its predecessors left it. The list is
   sorted only after all have moved, so that its order does not change during the stage. */
static void move_soldiers(const Turn *turn) {
    uint32_t first = footsoldiers_turns_remaining(turn->setup, turn->state) % 2;
    for (uint32_t pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < turn->state->soldier_count; i++)
            if (turn->state->soldier[i].player == (first ^ pass))
                move_soldier(turn, i);
    sort_soldiers(turn->state);
}

/* ---- a turn: attack ---- */

static void strike(const Turn *turn, const FootsoldiersSoldier *attacker,
                   FootsoldiersSoldier *target) {
    int32_t damage = (int32_t)turn->setup->damage[attacker->type];
    int32_t *health = target ? &target->health : &turn->state->player[1 - attacker->player].health;
    *health = *health > damage ? *health - damage : 0;
    if (!turn->notes || !turn->notes->wants_events)
        return;
    const char *name = footsoldiers_type_names[attacker->type];
    if (target)
        notes_event(
            turn->notes, "player%d's %s at (%d, %d) strikes the %s at (%d, %d), which has %d left",
            attacker->player + 1, name, attacker->at.x, attacker->at.y,
            footsoldiers_type_names[target->type], target->at.x, target->at.y, target->health);
    else
        notes_event(turn->notes,
                    "player%d's %s at (%d, %d) strikes the base of player%d, which has %d left",
                    attacker->player + 1, name, attacker->at.x, attacker->at.y,
                    2 - attacker->player, *health);
}

/* Every soldier strikes the first adjacent enemy, clockwise from its direction. Soldiers at zero
   health still strike and can still be struck. Nothing in this stage depends on health, so damage
   is subtracted at once. */
static void attack(const Turn *turn) {
    FootsoldiersState *state = turn->state;
    uint32_t count = state->soldier_count;
    /* For Left and Right: indexes that advance along the list. */
    uint32_t side[FOOTSOLDIERS_DIRECTIONS] = {0};
    for (uint32_t i = 0; i < count; i++) {
        FootsoldiersSoldier *soldier = &state->soldier[i];
        FootsoldiersSoldier *beside[FOOTSOLDIERS_DIRECTIONS] = {NULL};
        for (int direction = 0; direction < FOOTSOLDIERS_DIRECTIONS; direction++) {
            FootsoldiersSquare square = {soldier->at.x + footsoldiers_steps[direction].x,
                                         soldier->at.y + footsoldiers_steps[direction].y};
            /* The list is sorted: a soldier above or below is the previous or next one, and the
               squares to the left and right come in the same order as the soldiers. */
            uint32_t *at = &side[direction];
            if (direction == FOOTSOLDIERS_DOWN)
                *at = i + 1;
            else if (direction == FOOTSOLDIERS_UP)
                *at = i ? i - 1 : count;
            else
                while (*at < count && order_of(state->soldier[*at].at) < order_of(square))
                    ++*at;
            if (*at < count && same(state->soldier[*at].at, square))
                beside[direction] = &state->soldier[*at];
        }
        FootsoldiersSquare enemy_base = turn->setup->base[1 - soldier->player];
        for (int turned = 0; turned < FOOTSOLDIERS_DIRECTIONS; turned++) {
            int direction = (soldier->direction + turned) % FOOTSOLDIERS_DIRECTIONS;
            FootsoldiersSquare square = {soldier->at.x + footsoldiers_steps[direction].x,
                                         soldier->at.y + footsoldiers_steps[direction].y};
            bool enemy = beside[direction] && beside[direction]->player != soldier->player;
            if (enemy || same(square, enemy_base)) {
                strike(turn, soldier, beside[direction]);
                break;
            }
        }
    }
}

/* ---- a turn: remove fallen, pay, judge ---- */

static void remove_fallen(const Turn *turn) {
    FootsoldiersState *state = turn->state;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < state->soldier_count; i++) {
        const FootsoldiersSoldier *soldier = &state->soldier[i];
        if (soldier->health > 0) {
            if (kept != i)
                state->soldier[kept] = *soldier;
            kept++;
        } else {
            notes_event(turn->notes, "player%d's %s at (%d, %d) falls", soldier->player + 1,
                        footsoldiers_type_names[soldier->type], soldier->at.x, soldier->at.y);
        }
    }
    if (kept == state->soldier_count)
        return;
    memset(&state->soldier[kept], 0, (state->soldier_count - kept) * sizeof *state->soldier);
    state->soldier_count = kept;
    count_used(state);
}

static void pay(const Turn *turn) {
    for (int player = 0; player < 2; player++)
        turn->state->player[player].money += turn->setup->money_per_turn;
}

static void judge(const Turn *turn) {
    FootsoldiersState *state = turn->state;
    for (int player = 0; player < 2; player++)
        state->player[player].lost = state->player[player].health == 0;
    if (state->player[0].lost || state->player[1].lost)
        state->end = END_ELIMINATION;
    else if (footsoldiers_turns_remaining(turn->setup, state) == 0)
        state->end = END_TURN_LIMIT;
    state->head.over = state->end != END_NONE;
}

/* Disqualified players lose; the board does not change. */
static bool disqualify(const Turn *turn, const GameOrders *const *orders) {
    FootsoldiersState *state = turn->state;
    for (int player = 0; player < 2; player++)
        state->player[player].lost = orders[player]->kind == ORDERS_FORFEIT;
    if (!state->player[0].lost && !state->player[1].lost)
        return false;
    state->end = END_FORFEIT;
    state->head.over = 1;
    return true;
}

void footsoldiers_step(const GameSetup *setup, GameState *head, const GameOrders *const *orders,
                       Notes *notes) {
    Turn turn = {(const FootsoldiersSetup *)setup, (FootsoldiersState *)head, notes};
    assert(!head->over);
    if (disqualify(&turn, orders)) {
        head->turn++;
        return;
    }
    obey_commands(&turn, orders);
    move_soldiers(&turn);
    attack(&turn);
    remove_fallen(&turn);
    pay(&turn);
    head->turn++;
    judge(&turn);
}

void footsoldiers_result(const GameSetup *setup, const GameState *head, GameResult *result) {
    const FootsoldiersState *state = (const FootsoldiersState *)head;
    (void)setup;
    *result = (GameResult){.end = (GameEnd)state->end};
    for (int player = 0; player < 2; player++)
        result->rank[player] =
            state->player[player].lost && !state->player[1 - player].lost ? 2 : 1;
}
