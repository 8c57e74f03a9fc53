/* The rules of Gems, in the order of docs/rules/gems.md. `gems_step` lists the stages of a turn. */
#include "games/gems/gems.h"

#include <assert.h>
#include <string.h>

static uint32_t square_of(const GemsSetup *setup, const GemsPlayer *player) {
    return player->row * setup->cols + player->col;
}

/* How many players stand on the square. */
static uint32_t count_players(const GemsSetup *setup, const GemsState *state, uint32_t square) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < setup->head.players; i++)
        count += !state->player[i].out && square_of(setup, &state->player[i]) == square;
    return count;
}

/* A player whose bot failed leaves the board. */
static void remove_failed(const GemsSetup *setup, GemsState *state, const GameOrders *const *orders,
                          Notes *notes) {
    for (uint32_t i = 0; i < setup->head.players; i++)
        if (orders[i]->kind == ORDERS_FORFEIT && !state->player[i].out) {
            state->player[i].out = state->head.turn + 1;
            notes_event(notes, "%c leaves the board", 'a' + (char)i);
        }
}

static void move_players(const GemsSetup *setup, GemsState *state, const GameOrders *const *orders,
                         Notes *notes) {
    static const int8_t down[GEMS_MOVE_COUNT] = {[GEMS_UP] = -1, [GEMS_DOWN] = 1};
    static const int8_t right[GEMS_MOVE_COUNT] = {[GEMS_LEFT] = -1, [GEMS_RIGHT] = 1};
    for (uint32_t i = 0; i < setup->head.players; i++) {
        GemsPlayer *player = &state->player[i];
        uint32_t move = ((const GemsOrders *)orders[i])->move;
        if (player->out || orders[i]->kind != ORDERS_GIVEN || move >= GEMS_MOVE_COUNT)
            continue;
        int32_t row = (int32_t)player->row + down[move];
        int32_t col = (int32_t)player->col + right[move];
        if (row >= 0 && row < (int32_t)setup->rows && col >= 0 && col < (int32_t)setup->cols) {
            player->row = (uint32_t)row;
            player->col = (uint32_t)col;
        } else {
            notes_refuse(notes, i, "the move leads off the board");
        }
    }
}

static void collect_gems(const GemsSetup *setup, GemsState *state, Notes *notes) {
    for (uint32_t i = 0; i < setup->head.players; i++) {
        GemsPlayer *player = &state->player[i];
        uint8_t *gem = &state->gem[square_of(setup, player)];
        if (player->out || !*gem)
            continue;
        if (count_players(setup, state, square_of(setup, player)) == 1) {
            player->points += *gem;
            notes_event(notes, "%c collects a gem worth %u", 'a' + (char)i, *gem);
        } else {
            notes_event(notes, "a gem breaks: several players reached it at once");
        }
        *gem = 0;
    }
}

static bool is_free(const GemsSetup *setup, const GemsState *state, uint32_t square) {
    return !state->gem[square] && !count_players(setup, state, square);
}

/* Adds gems until as many lie on the board as the setup says, or no square is free. */
static void place_gems(const GemsSetup *setup, GemsState *state, Notes *notes) {
    uint32_t squares = setup->rows * setup->cols;
    uint32_t gems = 0;
    uint32_t free = 0;
    for (uint32_t square = 0; square < squares; square++) {
        gems += state->gem[square] > 0;
        free += is_free(setup, state, square);
    }
    for (; gems < setup->gems && free; gems++, free--) {
        uint32_t skip = random_below(&state->random, free);
        uint32_t square = 0;
        while (!is_free(setup, state, square) || skip--)
            square++;
        state->gem[square] = (uint8_t)(1 + random_below(&state->random, GEMS_VALUE_MAX));
        notes_event(notes, "a gem worth %u appears in row %u, column %u", state->gem[square],
                    square / setup->cols, square % setup->cols);
    }
}

static void end_match(const GemsSetup *setup, GemsState *state) {
    uint32_t playing = 0;
    for (uint32_t i = 0; i < setup->head.players; i++)
        playing += !state->player[i].out;
    if (playing < 2)
        state->end = END_FORFEIT;
    else if (state->head.turn == setup->head.turns_max)
        state->end = END_TURN_LIMIT;
    state->head.over = state->end != END_NONE;
}

void gems_init(const GameSetup *head, uint64_t seed, GameState *state_head) {
    const GemsSetup *setup = (const GemsSetup *)head;
    GemsState *state = (GemsState *)state_head;
    memset(state, 0, head->state_size);
    state->head.used = (uint32_t)head->state_size;
    state->random = random_seeded(seed);
    /* Player 1 starts at the top left, player 2 at the bottom right, player 3 at the top right. */
    state->player[1].row = setup->rows - 1;
    state->player[1].col = state->player[2].col = setup->cols - 1;
    place_gems(setup, state, NULL);
}

void gems_step(const GameSetup *head, GameState *state_head, const GameOrders *const *orders,
               Notes *notes) {
    const GemsSetup *setup = (const GemsSetup *)head;
    GemsState *state = (GemsState *)state_head;
    assert(!state->head.over);
    remove_failed(setup, state, orders, notes);
    move_players(setup, state, orders, notes);
    collect_gems(setup, state, notes);
    place_gems(setup, state, notes);
    state->head.turn++;
    end_match(setup, state);
}

void gems_result(const GameSetup *head, const GameState *state_head, GameResult *result) {
    const GemsState *state = (const GemsState *)state_head;
    *result = (GameResult){.end = (GameEnd)state->end, .scored = true};
    int64_t merit[GEMS_PLAYERS_MAX] = {0};
    for (uint32_t i = 0; i < head->players; i++) {
        const GemsPlayer *player = &state->player[i];
        result->score[i] = player->points;
        /* Players who failed rank below all others: the later, the better. */
        merit[i] =
            player->out ? (int64_t)player->out - head->turns_max - 1 : (int64_t)player->points;
    }
    game_rank_by(head->players, merit, result->rank);
}
