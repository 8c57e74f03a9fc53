/* Underworld for the benchmarks: the default map in the middle of a match, with 40 objects and
   armies in contact. */
#include "games/underworld/underworld.h"
#include "scene.h"

static void prepare(const GameSetup *head, GameState *state_head) {
    const UnderworldSetup *setup = (const UnderworldSetup *)head;
    UnderworldState *state = (UnderworldState *)state_head;
    /* For player 0 in its corner; mirrored for the others. */
    static const struct {
        uint8_t x;
        uint8_t y;
        uint8_t kind;
    } own[] = {{2, 1, UNDERWORLD_FARM},    {1, 2, UNDERWORLD_FARM},    {3, 2, UNDERWORLD_WARRIOR},
               {2, 3, UNDERWORLD_WARRIOR}, {3, 3, UNDERWORLD_WARRIOR}, {4, 2, UNDERWORLD_WARRIOR},
               {2, 4, UNDERWORLD_WARRIOR}, {2, 2, UNDERWORLD_WARRIOR}};
    static const bool mirror[4][2] = {{false, false}, {true, true}, {false, true}, {true, false}};
    for (uint32_t player = 0; player < 4; player++)
        for (size_t i = 0; i < sizeof own / sizeof *own; i++)
            underworld_put(setup, state, mirror[player][0] ? 9u - own[i].x : own[i].x,
                           mirror[player][1] ? 9u - own[i].y : own[i].y, own[i].kind, player);
}

/* Moves the first warrior that can move, and spawns from the first barracks that can spawn. */
static void orders(const GameSetup *head, const GameState *state_head, uint32_t player,
                   GameOrders *orders_head) {
    static const uint8_t directions[] = {'N', 'S', 'E', 'W'};
    const UnderworldSetup *setup = (const UnderworldSetup *)head;
    const UnderworldState *state = (const UnderworldState *)state_head;
    const UnderworldObject *objects = underworld_objects_const(setup, state);
    const UnderworldCell *grid = underworld_grid_const(setup, state);
    UnderworldOrders *given = (UnderworldOrders *)orders_head;
    bool moves = false;
    bool spawns = false;
    given->head = (GameOrders){ORDERS_GIVEN, 0};
    for (uint32_t i = 0; i < state->object_count; i++) {
        const UnderworldObject *object = &objects[i];
        bool *has = object->kind == UNDERWORLD_WARRIOR ? &moves : &spawns;
        if (object->owner != player || *has ||
            (object->kind != UNDERWORLD_WARRIOR && object->kind != UNDERWORLD_BARRACKS))
            continue;
        for (int j = 0; j < 4 && !*has; j++) {
            uint32_t x;
            uint32_t y;
            if (!underworld_target(setup, object->x, object->y, directions[j], &x, &y) ||
                grid[underworld_cell(setup, x, y)].kind != UNDERWORLD_FREE)
                continue;
            given->order[given->head.count++] = (UnderworldOrder){
                object->kind == UNDERWORLD_WARRIOR ? UNDERWORLD_MOVE : UNDERWORLD_SPAWN,
                directions[j], object->x, object->y};
            *has = true;
        }
    }
}

const BenchScene scene_underworld = {
    .game = &game_underworld,
    .what = "40 objects on the 10 x 10 board, four armies in contact",
    .players = 4,
    .prepare = prepare,
    .orders = orders,
    .view_end = "end\n",
    .trivial_hello = "crayfish\n",
    .trivial_answer = "end\n",
};
