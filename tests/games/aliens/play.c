/* Plays Aliens in tests: answers, hostile orders, and the invariants after every turn. */
#include "../play.h"
#include "games/aliens/aliens.h"

#include <string.h>

static void answer(const GameSetup *head, const GameState *state_head, uint32_t player,
                   Random *random, Buffer *to) {
    static const char *const garbage[] = {
        "[{\"from\":1}]", "[1]", "{}", "[{\"from\":\"1\",\"to\":2}]", "nonsense", "[[[["};
    const AliensSetup *setup = (const AliensSetup *)head;
    const AliensState *state = (const AliensState *)state_head;
    if (random_below(random, 2000) == 0) {
        buffer_text(to, garbage[random_below(random, 6)]);
        return;
    }
    bool first = true;
    buffer_char(to, '[');
    for (uint32_t square = 0; square < setup->cells; square++) {
        if (state->grid[square] != (char)(ALIENS_UNIT + player) && random_below(random, 300) != 0)
            continue;
        static const int offsets[] = {1, -1, 0, 0, 0, 7};
        uint32_t draw = random_below(random, 6);
        int64_t to_square = (int64_t)square + (draw == 2   ? (int64_t)setup->cols
                                               : draw == 3 ? -(int64_t)setup->cols
                                                           : offsets[draw]);
        buffer_format(to, "%s{\"from\":%u,\"to\":%lld%s}", first ? "" : ", ", square,
                      (long long)to_square, random_below(random, 20) ? "" : ".5");
        first = false;
    }
    buffer_char(to, ']');
}

static void hostile(const GameSetup *head, const GameState *state, uint32_t player, Random *random,
                    GameOrders *orders_head) {
    const AliensSetup *setup = (const AliensSetup *)head;
    AliensOrders *orders = (AliensOrders *)orders_head;
    (void)state;
    (void)player;
    orders->head.kind = ORDERS_GIVEN;
    orders->head.count = setup->cells;
    for (uint32_t square = 0; square < setup->cells; square++)
        orders->move[square] = (uint8_t)random_below(random, random_below(random, 50) ? 6 : 256);
}

static uint32_t count(const AliensSetup *setup, const AliensState *state, char what) {
    uint32_t found = 0;
    for (uint32_t square = 0; square < setup->cells; square++)
        found += state->grid[square] == what;
    return found;
}

static const char *check(const GameSetup *head, const GameState *before_head,
                         const GameState *after_head) {
    const AliensSetup *setup = (const AliensSetup *)head;
    const AliensState *before = (const AliensState *)before_head;
    const AliensState *after = (const AliensState *)after_head;
    for (uint32_t square = 0; square < setup->cells; square++)
        if (!after->grid[square] || !strchr(".*xab", after->grid[square]))
            return "a square has unknown contents";
    for (size_t at = sizeof *after + setup->cells; at < head->state_size; at++)
        if (((const char *)after)[at] != 0)
            return "the bytes after the grid are not zero";
    if (after->end == END_FORFEIT)
        return memcmp(before->grid, after->grid, setup->cells) == 0 ? NULL
                                                                    : "a forfeit changed the grid";
    for (int player = 0; player < 2; player++) {
        uint32_t had = count(setup, before, (char)('a' + player));
        uint32_t has = count(setup, after, (char)('a' + player));
        if (has > had + 1)
            return "more than one unit spawned";
        if (before->razed[player] && !after->razed[player])
            return "a razed spawn works again";
        if (after->end == END_ELIMINATION && after->lost[player] != (has == 0))
            return "`lost` does not match the units left";
        if (!after->head.over && has == 0)
            return "the match continues although a player has no units";
        if (after->energy[player] + 1 < before->energy[player])
            return "energy was lost";
    }
    for (uint32_t square = 0; square < setup->cells; square++) {
        bool enemy_right = (square + 1) % setup->cols &&
                           after->grid[square] + after->grid[square + 1] == 'a' + 'b';
        bool letters = after->grid[square] == 'a' || after->grid[square] == 'b';
        /* Only a unit that has just spawned can be adjacent to an enemy. */
        bool spawned = square == setup->spawn[0] || square == setup->spawn[1] ||
                       square + 1 == setup->spawn[0] || square + 1 == setup->spawn[1];
        if (letters && enemy_right && !spawned)
            return "two enemies are adjacent after the battle";
    }
    return NULL;
}

static const PlayCase cases[] = {
    {NULL, NULL, 2},
    {"{\"rows\":4,\"cols\":4,\"maxTurns\":20,\"energyInterval\":1}", NULL, 2},
    {"{\"rows\":7,\"cols\":5}", NULL, 2},
    {"{\"maxTurns\":300,\"energyInterval\":2}", "{\"rows\":9,\"cols\":41}", 2},
};

const GamePlay play_aliens = {
    .game = &game_aliens,
    .cases = cases,
    .case_count = sizeof cases / sizeof *cases,
    .answer = answer,
    .hostile = hostile,
    .check = check,
};
