/* Plays Underworld in tests: answers, hostile orders, and the invariants after every turn. */
#include "../play.h"
#include "games/underworld/underworld.h"

#include <string.h>

static char any_direction(Random *random) {
    return "NSEW"[random_below(random, 4)];
}

static void garbage(Random *random, Buffer *to) {
    static const char *const lines[] = {"dance\n",
                                        "move 1 2\n",
                                        "move -1 99999999999999999999 N\n",
                                        "\n",
                                        "build 1 1 C\n",
                                        "spawn x y z\n",
                                        "\xff\xfe move\n",
                                        "move 0 0 N N N N\r\n"};
    if (random_below(random, 100) == 0) {
        for (uint32_t i = 0; i < 2000;
             i++) /* a line that is too long: the whole answer is refused */
            buffer_char(to, '#');
        buffer_char(to, '\n');
        return;
    }
    for (uint32_t i = random_below(random, 5); i > 0; i--)
        buffer_text(to, lines[random_below(random, 8)]);
}

static void answer(const GameSetup *head, const GameState *state_head, uint32_t player,
                   Random *random, Buffer *to) {
    const UnderworldSetup *setup = (const UnderworldSetup *)head;
    const UnderworldState *state = (const UnderworldState *)state_head;
    const UnderworldObject *objects = underworld_objects_const(setup, state);
    if (random_below(random, 50) == 0)
        garbage(random, to);
    for (uint32_t i = 0; i < state->object_count; i++) {
        const UnderworldObject *object = &objects[i];
        if (object->owner != player && random_below(random, 200) != 0)
            continue;
        if (object->kind == UNDERWORLD_WARRIOR)
            buffer_format(to, "move %u %u %c\n", object->x, object->y, any_direction(random));
        else if (object->kind == UNDERWORLD_BARRACKS)
            buffer_format(to, "spawn %u %u %c\n", object->x, object->y, any_direction(random));
        if (object->kind == UNDERWORLD_WARRIOR || random_below(random, 4) != 0)
            continue;
        /* One draw per line, since compilers may evaluate arguments in any order. */
        int x = (int)object->x + (int)random_below(random, 5) - 2;
        int y = (int)object->y + (int)random_below(random, 5) - 2;
        buffer_format(to, "build %d %d %c\n", x, y, "FFB"[random_below(random, 3)]);
    }
    buffer_text(to, "end\n");
}

static void hostile(const GameSetup *head, const GameState *state, uint32_t player, Random *random,
                    GameOrders *orders_head) {
    const UnderworldSetup *setup = (const UnderworldSetup *)head;
    UnderworldOrders *orders = (UnderworldOrders *)orders_head;
    (void)state;
    (void)player;
    uint32_t most = random_below(random, 500) ? 60 : UNDERWORLD_ORDERS_MAX;
    orders->head.kind = ORDERS_GIVEN;
    orders->head.count = random_below(random, most + 1);
    for (uint32_t i = 0; i < orders->head.count; i++) {
        bool absurd = random_below(random, 30) == 0;
        UnderworldOrder *order = &orders->order[i];
        order->kind = (uint8_t)(1 + random_below(random, 3));
        order->what = (uint8_t) "NSEWBF"[random_below(random, 6)];
        order->x = (uint16_t)random_below(random, absurd ? 65536 : setup->size_x);
        order->y = (uint16_t)random_below(random, absurd ? 65536 : setup->size_y);
        if (absurd && random_below(random, 2))
            order->kind = (uint8_t)random_below(random, 256);
        if (absurd && random_below(random, 2))
            order->what = (uint8_t)random_below(random, 256);
    }
}

/* The list of objects and the grid agree, and no data of the turn is left. */
static const char *check_board(const UnderworldSetup *setup, const UnderworldState *before,
                               const UnderworldState *state) {
    const UnderworldObject *objects = underworld_objects_const(setup, state);
    const UnderworldCell *grid = underworld_grid_const(setup, state);
    const UnderworldCell *grid_before = underworld_grid_const(setup, before);
    if (state->head.used !=
        setup->objects_offset + state->object_count * (uint32_t)sizeof(UnderworldObject))
        return "`used` does not match the number of objects";
    uint32_t on_grid = 0;
    for (uint32_t cell = 0; cell < setup->grid_cells; cell++) {
        bool wall = grid[cell].kind == UNDERWORLD_WALL;
        if (wall != (grid_before[cell].kind == UNDERWORLD_WALL))
            return "a wall appeared or vanished";
        if (!grid[cell].side && (grid[cell].object || (grid[cell].kind && !wall)))
            return "a cell without owner is neither free nor a wall";
        on_grid += grid[cell].side != 0;
    }
    if (on_grid != state->object_count)
        return "grid and list differ in the number of objects";
    for (uint32_t i = 0; i < state->object_count; i++) {
        const UnderworldObject *object = &objects[i];
        if (object->x >= setup->size_x || object->y >= setup->size_y)
            return "an object is off the board";
        UnderworldCell cell = grid[underworld_cell(setup, object->x, object->y)];
        if (cell.object != i || cell.side != object->owner + 1 || cell.kind != object->kind)
            return "an object and its cell differ";
        if (!object->kind || !strchr("WBCF", object->kind) || object->owner >= setup->head.players)
            return "an object has an unknown kind or owner";
        if (object->hitpoints <= 0)
            return "a dead object is on the board";
        if (object->order || object->fate)
            return "an order is left over";
    }
    return NULL;
}

static uint32_t count(const UnderworldSetup *setup, const UnderworldState *state, uint32_t player,
                      uint8_t kind) {
    const UnderworldObject *objects = underworld_objects_const(setup, state);
    uint32_t found = 0;
    for (uint32_t i = 0; i < state->object_count; i++)
        found += objects[i].owner == player && objects[i].kind == kind;
    return found;
}

/* Money comes from farms and is spent on new objects. There are at least as many new objects as the
   number of objects has grown. */
static const char *check_player(const UnderworldSetup *setup, const UnderworldState *before,
                                const UnderworldState *after, uint32_t player) {
    static const uint8_t kinds[] = {UNDERWORLD_WARRIOR, UNDERWORLD_BARRACKS, UNDERWORLD_FARM};
    const int64_t cost[] = {setup->warrior.cost, setup->barracks.cost, setup->farm.cost};
    const UnderworldPlayer *was = &before->players[player];
    const UnderworldPlayer *is = &after->players[player];
    int64_t income = (int64_t)count(setup, before, player, UNDERWORLD_FARM) * setup->income;
    int64_t spent = was->money + income - is->money;
    int64_t least = 0;
    uint32_t barracks = count(setup, before, player, UNDERWORLD_BARRACKS);
    for (int i = 0; i < 3; i++) {
        int64_t more =
            (int64_t)count(setup, after, player, kinds[i]) - count(setup, before, player, kinds[i]);
        least += more > 0 ? more * cost[i] : 0;
        if (i == 0 && more > barracks)
            return "more warriors were spawned than there are barracks";
        if (more > 0 && was->out)
            return "an eliminated player got a new object";
    }
    if (is->money < 0)
        return "money is negative";
    if (spent < least || (was->out && spent != 0))
        return "money does not add up";
    uint32_t castles = count(setup, after, player, UNDERWORLD_CASTLE);
    if (castles > count(setup, before, player, UNDERWORLD_CASTLE))
        return "a castle was built";
    if (was->out && (is->out != was->out || is->forfeited != was->forfeited))
        return "the turn of a loss was changed";
    if (!was->out && is->out && is->out != after->head.turn + 1)
        return "a loss has the wrong turn";
    if (!is->out && !castles)
        return "a player without a castle has not lost";
    if (!was->out && is->out && !is->forfeited && castles)
        return "a player with a castle has lost";
    return NULL;
}

/* A building that still exists has not gained hitpoints. */
static const char *check_buildings(const UnderworldSetup *setup, const UnderworldState *before,
                                   const UnderworldState *after) {
    const UnderworldCell *grid = underworld_grid_const(setup, before);
    const UnderworldObject *objects = underworld_objects_const(setup, after);
    for (uint32_t i = 0; i < after->object_count; i++) {
        const UnderworldObject *object = &objects[i];
        UnderworldCell was = grid[underworld_cell(setup, object->x, object->y)];
        if (object->kind == UNDERWORLD_CASTLE &&
            (was.kind != UNDERWORLD_CASTLE ||
             underworld_objects_const(setup, before)[was.object].hitpoints < object->hitpoints))
            return "a castle moved or gained hitpoints";
        if (object->kind == UNDERWORLD_FARM && object->hitpoints > setup->farm.hitpoints)
            return "a farm has too many hitpoints";
    }
    return NULL;
}

static const char *check(const GameSetup *head, const GameState *before_head,
                         const GameState *after_head) {
    const UnderworldSetup *setup = (const UnderworldSetup *)head;
    const UnderworldState *before = (const UnderworldState *)before_head;
    const UnderworldState *after = (const UnderworldState *)after_head;
    const char *what = check_board(setup, before, after);
    if (!what)
        what = check_buildings(setup, before, after);
    uint32_t in = 0;
    for (uint32_t player = 0; player < head->players; player++) {
        if (!what)
            what = check_player(setup, before, after, player);
        in += !after->players[player].out;
    }
    if (!what && in <= 1 && !after_head->over)
        what = "one player is left and the match goes on";
    if (!what && after->end == END_ELIMINATION && in > 1)
        what = "an elimination that leaves two";
    if (!what && after_head->over && in > 1 && after_head->turn < head->turns_max)
        what = "the match ended early";
    return what;
}

/* Sixteen players in four rows, with two castles for the first. */
#define CASTLE(x, y, owner) "{\"x\":" #x ",\"y\":" #y ",\"type\":\"C\",\"owner\":" #owner "}"
#define BARRACKS(x, y, owner) "{\"x\":" #x ",\"y\":" #y ",\"type\":\"B\",\"owner\":" #owner "}"
#define ROW(y, below, a, b, c, d)                                                    \
 CASTLE(0, y, a)                                                                     \
 "," BARRACKS(0, below, a) "," CASTLE(4, y, b) "," BARRACKS(4, below, b) "," CASTLE( \
     8, y, c) "," BARRACKS(8, below, c) "," CASTLE(12, y, d) "," BARRACKS(12, below, d)

static const PlayCase cases[] = {
    {NULL, NULL, 4},
    {NULL, NULL, 2},
    /* Plenty of everything: a crowded board. */
    {"{\"money\":1000000,\"maxTurns\":200,\"rules\":{\"warrior\":{\"cost\":1,\"damage\":7},"
     "\"farm\":{\"cost\":0},\"barracks\":{\"cost\":5}}}",
     NULL, 4},
    /* Limited vision, long range. */
    {"{\"rules\":{\"vision\":3,\"warrior\":{\"range\":32},\"castle\":{\"hitpoints\":2000}}}", NULL,
     8},
    /* The maximum of everything. */
    {"{\"money\":1000000000000,\"maxTurns\":100,\"rules\":{\"warrior\":{\"damage\":1000000000,"
     "\"hitpoints\":1000000000,\"cost\":1000000000},\"farm\":{\"income\":1000000}}}",
     NULL, 2},
    /* A strip one cell wide, no range, no damage. */
    {"{\"sizex\":1,\"sizey\":9,\"maxTurns\":50,\"rules\":{\"warrior\":{\"range\":0,\"damage\":0}},"
     "\"objects\":[" CASTLE(0, 0, 0) "," BARRACKS(0, 2, 0) "," CASTLE(0, 8, 1) "," BARRACKS(0, 6,
                                                                                            1) "]}",
     NULL, 2},
    {NULL,
     "{\"sizex\":13,\"sizey\":14,\"objects\":[" ROW(0, 1, 0, 1, 2, 3) "," ROW(
         4, 5, 4, 5, 6, 7) "," ROW(8, 9, 8, 9, 10, 11) "," ROW(12, 13, 12, 13, 14,
                                                               15) "," CASTLE(6, 6, 0) "]}",
     16},
};

const GamePlay play_underworld = {
    .game = &game_underworld,
    .cases = cases,
    .case_count = sizeof cases / sizeof *cases,
    .answer = answer,
    .hostile = hostile,
    .check = check,
};
