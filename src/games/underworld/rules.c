/* The rules of Underworld, in the order of docs/rules/underworld.md. `underworld_step` lists the
   stages of a turn. */
#include "games/underworld/underworld.h"

#include <assert.h>
#include <string.h>

void underworld_init(const GameSetup *setup, uint64_t seed, GameState *state) {
    (void)seed; /* this game has no randomness */
    memcpy(state, ((const UnderworldSetup *)setup)->initial, setup->state_size);
}

/* The fate of a warrior that has a move; see `movement`. */
enum { UNDECIDED, GOES, STAYS };

/* Data shared by the stages of one turn. `accepted` has a bit for each order to spawn or build that
   was valid at the start of the turn. */
typedef struct Turn {
    const UnderworldSetup *setup;
    UnderworldState *state;
    const GameOrders *const *orders;
    Notes *notes;
    UnderworldCell *grid;
    UnderworldObject *objects;
    uint32_t moves;
    uint32_t spawns;
    uint32_t builds;
    uint64_t accepted[GAME_PLAYERS_MAX][UNDERWORLD_ORDERS_MAX / 64];
} Turn;

static const char *name_of(uint8_t kind) {
    switch (kind) {
    case UNDERWORLD_WARRIOR:
        return "warrior";
    case UNDERWORLD_BARRACKS:
        return "barracks";
    case UNDERWORLD_CASTLE:
        return "castle";
    default:
        return "farm";
    }
}

static const UnderworldValues *values_of(const UnderworldSetup *setup, uint8_t kind) {
    switch (kind) {
    case UNDERWORLD_WARRIOR:
        return &setup->warrior;
    case UNDERWORLD_BARRACKS:
        return &setup->barracks;
    case UNDERWORLD_CASTLE:
        return &setup->castle;
    default:
        return &setup->farm;
    }
}

void underworld_put(const UnderworldSetup *setup, UnderworldState *state, uint32_t x, uint32_t y,
                    uint8_t kind, uint32_t owner) {
    UnderworldCell *cell = &underworld_grid(setup, state)[underworld_cell(setup, x, y)];
    if (kind == UNDERWORLD_WALL) {
        *cell = (UnderworldCell){.kind = kind};
        return;
    }
    uint32_t place = state->object_count++;
    assert(place < setup->size_x * setup->size_y);
    *cell = (UnderworldCell){(uint16_t)place, (uint8_t)(owner + 1), kind};
    underworld_objects(setup, state)[place] = (UnderworldObject){
        .hitpoints = values_of(setup, kind)->hitpoints,
        .x = (uint16_t)x,
        .y = (uint16_t)y,
        .owner = (uint8_t)owner,
        .kind = kind,
    };
    state->head.used += (uint32_t)sizeof(UnderworldObject);
}

bool underworld_target(const UnderworldSetup *setup, uint32_t x, uint32_t y, uint8_t direction,
                       uint32_t *to_x, uint32_t *to_y) {
    switch (direction) {
    case 'N':
        y--;
        break;
    case 'S':
        y++;
        break;
    case 'E':
        x++;
        break;
    case 'W':
        x--;
        break;
    default:
        return false;
    }
    if (x >= setup->size_x || y >= setup->size_y) /* -1 has become UINT32_MAX */
        return false;
    *to_x = x;
    *to_y = y;
    return true;
}

static uint32_t cell_of(const Turn *turn, const UnderworldObject *object) {
    return underworld_cell(turn->setup, object->x, object->y);
}

/* The difference between the grid indexes of a cell and its neighbour. */
static uint32_t step_of(const Turn *turn, uint8_t direction) {
    switch (direction) {
    case 'N':
        return 0 - turn->setup->stride;
    case 'S':
        return turn->setup->stride;
    case 'E':
        return 1;
    default:
        return UINT32_MAX;
    }
}

static void refuse(const Turn *turn, uint32_t player, const UnderworldOrder *order,
                   const char *reason) {
    static const char *const names[] = {"order", "move", "spawn", "build"};
    if (!turn->notes)
        return;
    bool shown = order->what > ' ' && order->what < 127;
    notes_refuse(turn->notes, player, "%s %u %u %c: %s", names[order->kind < 4 ? order->kind : 0],
                 order->x, order->y, shown ? order->what : '?', reason);
}

/* Each farm pays its owner. */
static void income(Turn *turn) {
    for (uint32_t i = 0; i < turn->state->object_count; i++)
        if (turn->objects[i].kind == UNDERWORLD_FARM)
            turn->state->players[turn->objects[i].owner].money += turn->setup->income;
}

/* ---- orders, checked on the board at the start of the turn ---- */

static bool near_own_building(const Turn *turn, uint32_t player, uint32_t x, uint32_t y) {
    for (int dy = -2; dy <= 2; dy++)
        for (int dx = -2; dx <= 2; dx++) {
            uint32_t at_x = x + (uint32_t)dx;
            uint32_t at_y = y + (uint32_t)dy;
            if (dx * dx + dy * dy > 4 || at_x >= turn->setup->size_x || at_y >= turn->setup->size_y)
                continue;
            const UnderworldCell *cell = &turn->grid[underworld_cell(turn->setup, at_x, at_y)];
            if (cell->side == player + 1 && cell->kind != UNDERWORLD_WARRIOR)
                return true;
        }
    return false;
}

/* Returns NULL if the order is valid, otherwise what is wrong with it. Stores the order in its
   warrior or barracks. */
static const char *judge_order(Turn *turn, uint32_t player, const UnderworldOrder *order) {
    const UnderworldSetup *setup = turn->setup;
    if (order->kind != UNDERWORLD_MOVE && order->kind != UNDERWORLD_SPAWN &&
        order->kind != UNDERWORLD_BUILD)
        return "unknown order";
    if (order->x >= setup->size_x || order->y >= setup->size_y)
        return "off the board";
    if (order->kind == UNDERWORLD_BUILD) {
        if (order->what != UNDERWORLD_BARRACKS && order->what != UNDERWORLD_FARM)
            return "only B (barracks) and F (farm) can be built";
        if (!near_own_building(turn, player, order->x, order->y))
            return "none of your buildings is within distance 2";
        turn->builds++;
        return NULL;
    }
    bool moves = order->kind == UNDERWORLD_MOVE;
    const UnderworldCell *cell = &turn->grid[underworld_cell(setup, order->x, order->y)];
    if (cell->side != player + 1 ||
        cell->kind != (moves ? UNDERWORLD_WARRIOR : UNDERWORLD_BARRACKS))
        return moves ? "none of your warriors is there" : "none of your barracks is there";
    if (!underworld_is_direction(order->what))
        return "the direction must be N, S, E or W";
    uint32_t to_x, to_y;
    if (!underworld_target(setup, order->x, order->y, order->what, &to_x, &to_y))
        return "leads off the board";
    UnderworldObject *object = &turn->objects[cell->object];
    if (object->order)
        return moves ? "this warrior already has a move" : "this barracks already has an order";
    object->order = order->what;
    turn->moves += moves;
    turn->spawns += !moves;
    return NULL;
}

static uint32_t order_count(const Turn *turn, uint32_t player) {
    const GameOrders *orders = turn->orders[player];
    if (turn->state->players[player].out || orders->kind != ORDERS_GIVEN)
        return 0;
    return orders->count < UNDERWORLD_ORDERS_MAX ? orders->count : UNDERWORLD_ORDERS_MAX;
}

static void take_orders(Turn *turn) {
    turn->moves = turn->spawns = turn->builds = 0;
    for (uint32_t player = 0; player < turn->setup->head.players; player++) {
        uint32_t count = order_count(turn, player);
        const UnderworldOrders *orders = (const UnderworldOrders *)turn->orders[player];
        memset(turn->accepted[player], 0, (count + 63) / 64 * sizeof(uint64_t));
        for (uint32_t i = 0; i < count; i++) {
            const UnderworldOrder *order = &orders->order[i];
            const char *reason = judge_order(turn, player, order);
            if (reason)
                refuse(turn, player, order, reason);
            else if (order->kind != UNDERWORLD_MOVE)
                turn->accepted[player][i / 64] |= UINT64_C(1) << i % 64;
        }
    }
}

/* ---- movement ---- */

static UnderworldObject *mover_at(const Turn *turn, uint32_t cell) {
    const UnderworldCell *found = &turn->grid[cell];
    if (found->kind != UNDERWORLD_WARRIOR || !turn->objects[found->object].order)
        return NULL;
    return &turn->objects[found->object];
}

static uint32_t wanted_by(const Turn *turn, const UnderworldObject *mover) {
    return cell_of(turn, mover) + step_of(turn, mover->order);
}

/* Whether another warrior wants the same cell. */
static bool contested(const Turn *turn, const UnderworldObject *mover, uint32_t wanted) {
    const uint32_t stride = turn->setup->stride;
    const uint32_t beside[4] = {wanted - stride, wanted + stride, wanted - 1, wanted + 1};
    for (int i = 0; i < 4; i++) {
        const UnderworldObject *other = mover_at(turn, beside[i]);
        if (other && other != mover && wanted_by(turn, other) == wanted)
            return true;
    }
    return false;
}

/* The fate of a warrior if it does not depend on the warrior in front; UNDECIDED if it does. */
static uint8_t initial_fate(const Turn *turn, const UnderworldObject *mover, const char **reason) {
    uint32_t wanted = wanted_by(turn, mover);
    if (contested(turn, mover, wanted)) {
        *reason = "another warrior wants the same cell";
        return STAYS;
    }
    if (turn->grid[wanted].kind == UNDERWORLD_FREE)
        return GOES;
    const UnderworldObject *ahead = mover_at(turn, wanted);
    if (!ahead) {
        *reason = "the cell is occupied";
        return STAYS;
    }
    if (wanted_by(turn, ahead) == cell_of(turn, mover)) {
        *reason = "two warriors cannot swap places";
        return STAYS;
    }
    return UNDECIDED;
}

static void refuse_move(const Turn *turn, const UnderworldObject *mover, const char *reason) {
    const UnderworldOrder order = {UNDERWORLD_MOVE, mover->order, mover->x, mover->y};
    refuse(turn, mover->owner, &order, reason);
}

/* The warrior in front of an UNDECIDED one. */
static UnderworldObject *in_front_of(const Turn *turn, const UnderworldObject *mover) {
    return &turn->objects[turn->grid[wanted_by(turn, mover)].object];
}

/* Decides a line of UNDECIDED warriors, beginning at its end: all share the fate of the first
   decided warrior in front of them. A line that closes into a ring moves. It can only close at its
   end, because no cell in it is wanted by two warriors. */
static void decide_train(const Turn *turn, UnderworldObject *last) {
    const UnderworldObject *first = in_front_of(turn, last);
    while (first != last && first->fate == UNDECIDED)
        first = in_front_of(turn, first);
    uint8_t fate = first == last ? GOES : first->fate;
    for (UnderworldObject *one = last; one->fate == UNDECIDED; one = in_front_of(turn, one)) {
        one->fate = fate;
        if (fate == STAYS)
            refuse_move(turn, one, "the warrior in front does not move");
    }
}

/* All warriors move at once: first their fates are decided, then all leave their cells, then all
   arrive. */
static void movement(Turn *turn) {
    uint32_t count = turn->state->object_count;
    UnderworldObject *objects = turn->objects;
    for (uint32_t i = 0; i < count && turn->moves; i++) {
        if (objects[i].kind != UNDERWORLD_WARRIOR || !objects[i].order)
            continue;
        const char *reason = NULL;
        objects[i].fate = initial_fate(turn, &objects[i], &reason);
        if (reason)
            refuse_move(turn, &objects[i], reason);
    }
    for (uint32_t i = 0; i < count && turn->moves; i++)
        if (objects[i].kind == UNDERWORLD_WARRIOR && objects[i].order &&
            objects[i].fate == UNDECIDED)
            decide_train(turn, &objects[i]);
    for (uint32_t i = 0; i < count && turn->moves; i++)
        if (objects[i].fate == GOES)
            turn->grid[cell_of(turn, &objects[i])] = (UnderworldCell){0};
    for (uint32_t i = 0; i < count && turn->moves + turn->spawns; i++) {
        UnderworldObject *object = &objects[i];
        if (object->fate == GOES) {
            uint32_t x = object->x;
            uint32_t y = object->y;
            underworld_target(turn->setup, x, y, object->order, &x, &y);
            object->x = (uint16_t)x;
            object->y = (uint16_t)y;
            turn->grid[cell_of(turn, object)] =
                (UnderworldCell){(uint16_t)i, (uint8_t)(object->owner + 1), object->kind};
        }
        object->order = object->fate = 0;
    }
}

/* ---- battle ---- */

/* Divides a warrior's damage equally among all enemies in range. The parts are rounded to the
   nearest whole number, halves up. */
static void strike(Turn *turn, const UnderworldObject *warrior) {
    enum { REACH_MAX = (2 * UNDERWORLD_RANGE_MAX + 1) * (2 * UNDERWORLD_RANGE_MAX + 1) };
    const UnderworldSetup *setup = turn->setup;
    const UnderworldCell *centre = &turn->grid[cell_of(turn, warrior)];
    const int32_t *reach = setup->reach;
    const uint32_t reach_count = setup->reach_count;
    const uint8_t own_side = centre->side;
    uint16_t enemies[REACH_MAX];
    uint32_t count = 0;
    for (uint32_t i = 0; i < reach_count; i++) {
        UnderworldCell cell = centre[reach[i]];
        enemies[count] = cell.object;
        count += (cell.side != 0) & (cell.side != own_side);
    }
    if (!count)
        return;
    int32_t part = (int32_t)((2 * (int64_t)setup->damage + count) / (2 * (int64_t)count));
    for (uint32_t i = 0; i < count; i++) {
        /* Dead objects take no more damage, so that the sum of many parts cannot overflow. */
        int32_t *hitpoints = &turn->objects[enemies[i]].hitpoints;
        if (*hitpoints > 0)
            *hitpoints -= part;
    }
}

/* Removes an object from the board. The last object takes its place in the list. */
static void remove_object(Turn *turn, uint32_t place) {
    UnderworldState *state = turn->state;
    UnderworldObject *objects = turn->objects;
    turn->grid[cell_of(turn, &objects[place])] = (UnderworldCell){0};
    uint32_t last = --state->object_count;
    if (place != last) {
        objects[place] = objects[last];
        turn->grid[cell_of(turn, &objects[place])].object = (uint16_t)place;
    }
    objects[last] = (UnderworldObject){0};
    state->head.used -= (uint32_t)sizeof(UnderworldObject);
}

/* All warriors strike, then dead objects are removed. */
static void battle(Turn *turn) {
    UnderworldState *state = turn->state;
    for (uint32_t i = 0; i < state->object_count; i++)
        if (turn->objects[i].kind == UNDERWORLD_WARRIOR)
            strike(turn, &turn->objects[i]);
    for (uint32_t i = 0; i < state->object_count;) {
        const UnderworldObject *object = &turn->objects[i];
        if (object->hitpoints > 0) {
            i++;
            continue;
        }
        notes_event(turn->notes, "player %u loses the %s at (%u,%u)", object->owner,
                    name_of(object->kind), object->x, object->y);
        remove_object(turn, i);
    }
}

/* ---- spawning and building ---- */

/* During these stages, a free cell that an order wants holds a claim: `side` is the player, and
   `kind` the lower-case letter of the new object, or CONTESTED. Claims that fail are removed before
   the stage ends. */
enum { CONTESTED = '!', SMALL = 'a' - 'A' };

typedef struct Claim {
    uint32_t player;
    const UnderworldOrder *order;
    uint32_t x;
    uint32_t y;
    UnderworldCell *cell;
    uint8_t kind;
} Claim;

static void stake(Turn *turn, const Claim *claim) {
    uint8_t kind = (uint8_t)(claim->kind + SMALL);
    (void)turn;
    if (claim->cell->kind == UNDERWORLD_FREE)
        *claim->cell = (UnderworldCell){.side = (uint8_t)(claim->player + 1), .kind = kind};
    else if ((claim->cell->kind >= 'a' && claim->cell->kind != kind) ||
             (claim->cell->kind == kind && claim->cell->side != claim->player + 1))
        *claim->cell = (UnderworldCell){.kind = CONTESTED};
}

static void carry_out(Turn *turn, const Claim *claim) {
    int64_t *money = &turn->state->players[claim->player].money;
    int32_t cost = values_of(turn->setup, claim->kind)->cost;
    if (claim->cell->kind == CONTESTED) {
        refuse(turn, claim->player, claim->order, "more than one request for that cell");
    } else if (claim->cell->kind < 'a') {
        refuse(turn, claim->player, claim->order, "the cell is occupied");
    } else if (*money < cost) {
        refuse(turn, claim->player, claim->order, "not enough money");
    } else {
        *money -= cost;
        underworld_put(turn->setup, turn->state, claim->x, claim->y, claim->kind, claim->player);
        notes_event(turn->notes, "player %u %s a %s at (%u,%u)", claim->player,
                    claim->order->kind == UNDERWORLD_SPAWN ? "spawns" : "builds",
                    name_of(claim->kind), claim->x, claim->y);
    }
}

static void withdraw(Turn *turn, const Claim *claim) {
    (void)turn;
    if (claim->cell->kind == CONTESTED || claim->cell->kind >= 'a')
        *claim->cell = (UnderworldCell){0};
}

/* Calls `act` for each accepted order of a kind, in the order of players and of their commands. */
static void for_each_claim(Turn *turn, UnderworldOrderKind kind,
                           void (*act)(Turn *turn, const Claim *claim)) {
    for (uint32_t player = 0; player < turn->setup->head.players; player++) {
        const UnderworldOrders *orders = (const UnderworldOrders *)turn->orders[player];
        uint32_t count = order_count(turn, player);
        for (uint32_t i = 0; i < count; i++) {
            const UnderworldOrder *order = &orders->order[i];
            if (order->kind != kind || !(turn->accepted[player][i / 64] >> i % 64 & 1))
                continue;
            Claim claim = {.player = player, .order = order, .x = order->x, .y = order->y};
            claim.kind = UNDERWORLD_WARRIOR;
            if (kind == UNDERWORLD_BUILD)
                claim.kind = order->what;
            else
                underworld_target(turn->setup, order->x, order->y, order->what, &claim.x, &claim.y);
            claim.cell = &turn->grid[underworld_cell(turn->setup, claim.x, claim.y)];
            act(turn, &claim);
        }
    }
}

static void settle_claims(Turn *turn, UnderworldOrderKind kind) {
    for_each_claim(turn, kind, stake);
    for_each_claim(turn, kind, carry_out);
    for_each_claim(turn, kind, withdraw);
}

/* A barracks that fell in the battle still carries out its order. */
static void spawning(Turn *turn) {
    if (turn->spawns)
        settle_claims(turn, UNDERWORLD_SPAWN);
}

static void building(Turn *turn) {
    if (turn->builds)
        settle_claims(turn, UNDERWORLD_BUILD);
}

/* ---- the end ---- */

/* The player's objects stay on the board. */
static void lose(Turn *turn, uint32_t player, bool forfeited) {
    UnderworldPlayer *loser = &turn->state->players[player];
    loser->out = turn->state->head.turn + 2;
    loser->forfeited = forfeited;
    notes_event(turn->notes, "player %u %s", player,
                forfeited ? "is disqualified: its bot failed"
                          : "has no castle left and is eliminated");
}

/* A bot that failed loses at once; the turn continues without it. */
static void forfeit(Turn *turn) {
    for (uint32_t player = 0; player < turn->setup->head.players; player++)
        if (turn->orders[player]->kind == ORDERS_FORFEIT && !turn->state->players[player].out)
            lose(turn, player, true);
}

static void the_end(Turn *turn) {
    UnderworldState *state = turn->state;
    uint32_t players = turn->setup->head.players;
    bool castle[GAME_PLAYERS_MAX] = {false};
    for (uint32_t i = 0; i < state->object_count; i++)
        castle[turn->objects[i].owner] |= turn->objects[i].kind == UNDERWORLD_CASTLE;
    bool eliminated = false;
    uint32_t in = 0;
    for (uint32_t player = 0; player < players; player++) {
        if (!castle[player] && !state->players[player].out) {
            lose(turn, player, false);
            eliminated = true;
        }
        in += !state->players[player].out;
    }
    state->head.turn++;
    if (in <= 1)
        state->end = eliminated ? END_ELIMINATION : END_FORFEIT;
    else if (state->head.turn >= turn->setup->head.turns_max)
        state->end = END_TURN_LIMIT;
    state->head.over = state->end != END_NONE;
}

void underworld_absent(const GameSetup *setup, GameState *head, uint32_t player) {
    UnderworldState *state = (UnderworldState *)head;
    assert(player < setup->players);
    (void)setup;
    state->players[player].out = 1;
    state->players[player].forfeited = 1;
}

void underworld_step(const GameSetup *setup, GameState *head, const GameOrders *const *orders,
                     Notes *notes) {
    Turn turn;
    turn.setup = (const UnderworldSetup *)setup;
    turn.state = (UnderworldState *)head;
    turn.orders = orders;
    turn.notes = notes;
    turn.grid = underworld_grid(turn.setup, turn.state);
    turn.objects = underworld_objects(turn.setup, turn.state);
    assert(!head->over);
    forfeit(&turn);
    income(&turn);
    take_orders(&turn);
    movement(&turn);
    battle(&turn);
    spawning(&turn);
    building(&turn);
    the_end(&turn);
}

void underworld_result(const GameSetup *setup, const GameState *head, GameResult *result) {
    const UnderworldState *state = (const UnderworldState *)head;
    int64_t merit[GAME_PLAYERS_MAX];
    *result = (GameResult){.end = (GameEnd)state->end};
    for (uint32_t player = 0; player < setup->players; player++)
        merit[player] = state->players[player].out ? state->players[player].out : INT64_MAX;
    game_rank_by(setup->players, merit, result->rank);
}
