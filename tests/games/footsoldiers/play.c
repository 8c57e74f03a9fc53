/* Plays Footsoldiers in tests: answers, hostile orders, and the invariants after every turn. */
#include "../play.h"
#include "games/footsoldiers/footsoldiers.h"

#include <stdlib.h>
#include <string.h>

/* A random square near another one, never negative, since commands have no minus sign. */
static FootsoldiersSquare near(Random *random, FootsoldiersSquare square, uint32_t reach) {
    FootsoldiersSquare found = {
        square.x + (int32_t)random_below(random, 2 * reach + 1) - (int32_t)reach,
        square.y + (int32_t)random_below(random, 2 * reach + 1) - (int32_t)reach};
    found.x = found.x < 0 ? 0 : found.x;
    found.y = found.y < 0 ? 0 : found.y;
    return found;
}

static FootsoldiersSquare some_destination(const FootsoldiersSetup *setup, uint32_t player,
                                           Random *random) {
    switch (random_below(random, 5)) {
    case 0:
        return (FootsoldiersSquare){(int32_t)random_below(random, (uint32_t)setup->width),
                                    (int32_t)random_below(random, (uint32_t)setup->height)};
    case 1:
        return near(random, setup->base[player], 3);
    case 2:
        return near(random, setup->base[1 - player], 40);
    default:
        return near(random, setup->base[1 - player], 1);
    }
}

static void answer(const GameSetup *head, const GameState *state_head, uint32_t player,
                   Random *random, Buffer *to) {
    static const char *const garbage[] = {
        "",      "no-op",       "Build Scout (1,2) (3, 4) Up", "{}",
        "Move ", "No-op No-op", "Move (1, 2) to (-3, 4)"};
    const FootsoldiersSetup *setup = (const FootsoldiersSetup *)head;
    const FootsoldiersState *state = (const FootsoldiersState *)state_head;
    FootsoldiersSquare destination = some_destination(setup, player, random);
    const char *direction = footsoldiers_direction_names[random_below(random, 4)];
    uint32_t kind = random_below(random, 100);
    if (kind < 2) {
        buffer_text(to, garbage[random_below(random, 7)]);
        return;
    }
    if (kind < 70 && (state->player[player].money >= 12 || kind < 10)) {
        FootsoldiersSquare at = near(random, setup->base[player], kind % 8);
        buffer_format(to, "Build %s (%d, %d) (%d, %d) %s\n",
                      footsoldiers_type_names[random_below(random, 3)], at.x, at.y, destination.x,
                      destination.y, direction);
        return;
    }
    if (!state->soldier_count || kind > 95) {
        buffer_text(to, "No-op\n");
        return;
    }
    /* Now and then the enemy's, or one on a square that cannot be named. */
    const FootsoldiersSoldier *soldier =
        &state->soldier[random_below(random, state->soldier_count)];
    if (random_below(random, 3))
        buffer_format(to, "Move (%d, %d) to (%d, %d)\n", abs(soldier->at.x), abs(soldier->at.y),
                      destination.x, destination.y);
    else
        buffer_format(to, "Change attack direction (%d, %d) to %s\n", abs(soldier->at.x),
                      abs(soldier->at.y), direction);
}

static void hostile(const GameSetup *head, const GameState *state_head, uint32_t player,
                    Random *random, GameOrders *orders_head) {
    const FootsoldiersSetup *setup = (const FootsoldiersSetup *)head;
    const FootsoldiersState *state = (const FootsoldiersState *)state_head;
    FootsoldiersOrders *orders = (FootsoldiersOrders *)orders_head;
    int32_t *squares[] = {&orders->at.x, &orders->at.y, &orders->destination.x,
                          &orders->destination.y};
    static const int32_t absurd[] = {INT32_MIN, INT32_MAX,  -1, 0, FOOTSOLDIERS_COORDINATE_MAX,
                                     -1000000,  1000000000, 70};
    orders->head.kind = ORDERS_GIVEN;
    orders->head.count = random_below(random, 2);
    orders->command = random_below(random, random_below(random, 20) ? 4 : UINT32_MAX);
    orders->type = random_below(random, random_below(random, 20) ? 3 : UINT32_MAX);
    orders->direction = random_below(random, random_below(random, 20) ? 4 : UINT32_MAX);
    orders->destination = some_destination(setup, player, random);
    orders->at = near(random, setup->base[player], 4);
    if (orders->command != FOOTSOLDIERS_BUILD && state->soldier_count)
        orders->at = state->soldier[random_below(random, state->soldier_count)].at;
    if (random_below(random, 10) == 0)
        *squares[random_below(random, 4)] = absurd[random_below(random, 8)];
}

static bool is_solid(const FootsoldiersSetup *setup, FootsoldiersSquare square) {
    for (uint32_t i = 0; i < setup->fixture_count; i++)
        if (setup->fixtures[i].at.x == square.x && setup->fixtures[i].at.y == square.y)
            return true;
    return false;
}

static const char *check_soldiers(const FootsoldiersSetup *setup, const FootsoldiersState *state) {
    for (uint32_t i = 0; i < state->soldier_count; i++) {
        const FootsoldiersSoldier *soldier = &state->soldier[i];
        if (i > 0) {
            FootsoldiersSquare last = soldier[-1].at;
            if (last.x > soldier->at.x || (last.x == soldier->at.x && last.y >= soldier->at.y))
                return "the soldiers are not in order, or two are on one square";
        }
        if (is_solid(setup, soldier->at))
            return "a soldier is on a rock or a base";
        if (soldier->health <= 0 || soldier->health > setup->health[soldier->type])
            return "a soldier's health is out of range";
        if (soldier->type >= FOOTSOLDIERS_TYPES || soldier->player > 1 ||
            soldier->direction >= FOOTSOLDIERS_DIRECTIONS || soldier->reserved)
            return "a soldier has an unknown type";
        if (soldier->destination.x < 0 || soldier->destination.y < 0)
            return "a soldier has an impossible destination";
    }
    return NULL;
}

/* Soldiers have no identity, so the checks compare sums over all of them. */
static const char *check_change(const FootsoldiersSetup *setup, const FootsoldiersState *before,
                                const FootsoldiersState *after) {
    for (uint32_t player = 0; player < 2; player++) {
        const FootsoldiersPlayer *had = &before->player[player];
        const FootsoldiersPlayer *has = &after->player[player];
        uint32_t soldiers[2] = {0, 0};
        for (uint32_t i = 0; i < before->soldier_count; i++)
            soldiers[0] += before->soldier[i].player == player;
        for (uint32_t i = 0; i < after->soldier_count; i++)
            soldiers[1] += after->soldier[i].player == player;
        int64_t paid = had->money + setup->money_per_turn - has->money;
        if (soldiers[1] > soldiers[0] + 1)
            return "more than one soldier was built";
        if (paid != 0 && paid != setup->cost[0] && paid != setup->cost[1] && paid != setup->cost[2])
            return "money does not add up";
        if (soldiers[1] > soldiers[0] && paid == 0 && setup->cost[0] && setup->cost[1] &&
            setup->cost[2])
            return "a soldier was built without payment";
        if (has->money < 0)
            return "money is negative";
        if (has->health < 0 || has->health > had->health)
            return "a player's health has grown or is negative";
        if (has->lost != (has->health == 0))
            return "`lost` does not match the players' health";
        /* At most four soldiers are adjacent to a base, all of them enemies. */
        int64_t strongest = 0;
        for (int type = 0; type < FOOTSOLDIERS_TYPES; type++)
            strongest = setup->damage[type] > strongest ? setup->damage[type] : strongest;
        if (had->health - has->health > 4 * strongest)
            return "a base lost more health than four strikes";
    }
    return NULL;
}

static const char *check(const GameSetup *head, const GameState *before_head,
                         const GameState *after_head) {
    const FootsoldiersSetup *setup = (const FootsoldiersSetup *)head;
    const FootsoldiersState *before = (const FootsoldiersState *)before_head;
    const FootsoldiersState *after = (const FootsoldiersState *)after_head;
    if (after->soldier_count > setup->soldiers_max)
        return "there are too many soldiers";
    if (after->head.used != sizeof *after + after->soldier_count * sizeof *after->soldier)
        return "`used` does not match the number of soldiers";
    if (after->end == END_FORFEIT)
        return memcmp(before->soldier, after->soldier,
                      before->soldier_count * sizeof *before->soldier) == 0 &&
                       before->soldier_count == after->soldier_count
                   ? NULL
                   : "a disqualification changed the board";
    const char *wrong = check_soldiers(setup, after);
    return wrong ? wrong : check_change(setup, before, after);
}

/* A narrow field, free soldiers, the fastest and slowest ones, and a map full of rocks around the
   bases. */
static const PlayCase cases[] = {
    {NULL, NULL, 2},
    {"{\"initial-money\":500,\"money-per-turn\":50,\"damage\":{\"assassin\":0}}",
     "  1   X   2\n\n   X\n", 2},
    {"{\"cost\":{\"scout\":0,\"assassin\":0,\"tank\":0},\"total-turns\":301,"
     "\"speed\":{\"scout\":31,\"assassin\":1,\"tank\":0},\"damage\":{\"scout\":1,\"tank\":0},"
     "\"max-distance-from-base\":40}",
     "1           2", 2},
    {"{\"money-per-turn\":1000000,\"initial-money\":1000000000,\"max-distance-from-base\":1000000,"
     "\"health\":{\"tank\":1000000000},\"damage\":{\"scout\":1000000000}}",
     "XXXXX  \nX1 XX  \nXXXXX 2", 2},
    {"{\"total-turns\":1,\"view-newline\":false}", "12", 2},
};

const GamePlay play_footsoldiers = {
    .game = &game_footsoldiers,
    .cases = cases,
    .case_count = sizeof cases / sizeof *cases,
    .answer = answer,
    .hostile = hostile,
    .check = check,
};
