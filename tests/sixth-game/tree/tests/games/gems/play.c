/* Plays Gems in tests: answers, hostile orders, and the invariants after every turn. */

#include "../play.h"
#include "games/gems/gems.h"

static void answer(const GameSetup *setup, const GameState *state, uint32_t player, Random *random,
                   Buffer *to) {
    static const char *const answers[] = {"up\n", "down\n", " left \r\n", "right\n", "stay\n"};
    static const char *const garbage[] = {"", "\n", "UP\n", "up up\n", "{\"move\":\"up\"}\n"};
    (void)setup;
    (void)state;
    (void)player;
    const char *const *from = random_below(random, 100) ? answers : garbage;
    buffer_text(to, from[random_below(random, 5)]);
}

static void hostile(const GameSetup *setup, const GameState *state, uint32_t player, Random *random,
                    GameOrders *orders) {
    (void)setup;
    (void)state;
    (void)player;
    orders->kind = ORDERS_GIVEN;
    orders->count = 1;
    ((GemsOrders *)orders)->move = random_below(random, random_below(random, 20) ? 6 : UINT32_MAX);
}

static const char *check(const GameSetup *head, const GameState *before_head,
                         const GameState *after_head) {
    const GemsSetup *setup = (const GemsSetup *)head;
    const GemsState *before = (const GemsState *)before_head;
    const GemsState *after = (const GemsState *)after_head;
    uint32_t gems = 0;
    for (uint32_t square = 0; square < setup->rows * setup->cols; square++) {
        if (after->gem[square] > GEMS_VALUE_MAX)
            return "a gem has an impossible value";
        gems += after->gem[square] > 0;
    }
    if (gems > setup->gems)
        return "there are too many gems";
    for (uint32_t i = 0; i < head->players; i++) {
        const GemsPlayer *was = &before->player[i];
        const GemsPlayer *is = &after->player[i];
        uint32_t moved = (uint32_t)((is->row != was->row) + (is->col != was->col));
        if (is->row >= setup->rows || is->col >= setup->cols)
            return "a player is off the board";
        if (moved > 1)
            return "a player moved diagonally";
        if (!is->out && after->gem[is->row * setup->cols + is->col])
            return "a player is on a gem";
        if (is->points < was->points || is->points > was->points + GEMS_VALUE_MAX)
            return "a player's points changed by an impossible amount";
        if (is->out && (moved || is->points != was->points))
            return "an eliminated player moved or scored";
        if (was->out && is->out != was->out)
            return "a player came back";
    }
    return NULL;
}

static const PlayCase cases[] = {
    {NULL, NULL, 2},
    {NULL, NULL, 3},
    {"{\"rows\":3,\"cols\":3,\"gems\":100,\"maxTurns\":20}", NULL, 3},
    {"{\"gems\":1,\"maxTurns\":500}", "{\"rows\":3,\"cols\":30}", 2},
};

const GamePlay play_gems = {
    .game = &game_gems,
    .cases = cases,
    .case_count = sizeof cases / sizeof *cases,
    .answer = answer,
    .hostile = hostile,
    .check = check,
};
