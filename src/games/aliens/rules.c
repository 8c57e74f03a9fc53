/* The rules of Aliens, in the order of docs/rules/aliens.md. `aliens_step` lists the stages of a
   turn. */
#include "games/aliens/aliens.h"

#include <assert.h>
#include <string.h>

void aliens_init(const GameSetup *head, uint64_t seed, GameState *state_head) {
    const AliensSetup *setup = (const AliensSetup *)head;
    AliensState *state = (AliensState *)state_head;
    memset(state, 0, head->state_size);
    state->head.used = (uint32_t)head->state_size;
    state->random = random_seeded(seed);
    state->energy[0] = state->energy[1] = 1;
    memset(state->grid, ALIENS_EMPTY, setup->cells);
}

/* ---- a turn ---- */

/* Data shared by the stages of one turn. `units` lists the living units: each is the number of its
   square, plus the player in a higher bit. */
typedef struct Turn {
    const AliensSetup *setup;
    AliensState *state;
    Notes *notes;
    uint32_t unit_count;
    uint16_t units[ALIENS_SIDE_MAX * ALIENS_SIDE_MAX];
} Turn;

enum { UNIT_SQUARE = (1 << 14) - 1, UNIT_PLAYER_SHIFT = 14, UNIT_DYING = 1 << 15 };
_Static_assert(ALIENS_SIDE_MAX *ALIENS_SIDE_MAX <= UNIT_SQUARE, "a square fits below the player");

static uint32_t square_of(uint16_t unit) {
    return unit & UNIT_SQUARE;
}

static uint32_t player_of(uint16_t unit) {
    return unit >> UNIT_PLAYER_SHIFT & 1;
}

static char letter_of(uint32_t player) {
    return (char)(ALIENS_UNIT + player);
}

static uint16_t make_unit(uint32_t square, uint32_t player) {
    return (uint16_t)(square | player << UNIT_PLAYER_SHIFT);
}

uint32_t aliens_target(const AliensSetup *setup, uint32_t from, uint8_t move) {
    if (move >= ALIENS_UP && move <= ALIENS_RIGHT)
        return setup->next[from][move - ALIENS_UP];
    return move == ALIENS_STAY ? from : setup->cells;
}

/* The number of adjacent squares that contain `what`. */
static uint32_t count_beside(const Turn *turn, uint32_t square, char what) {
    const char *grid = turn->state->grid;
    const uint16_t *next = turn->setup->next[square];
    return (uint32_t)(grid[next[0]] == what) + (uint32_t)(grid[next[1]] == what) +
           (uint32_t)(grid[next[2]] == what) + (uint32_t)(grid[next[3]] == what);
}

/* Reads eight squares at once, the first in the lowest byte. From a square whose number is a
   multiple of eight this may read beyond the grid, but not beyond the state. */
static uint64_t eight_squares(const char *at) {
    uint64_t word;
    memcpy(&word, at, sizeof word);
    return word;
}

#define EVERY_BYTE UINT64_C(0x0101010101010101)

/* Lists the units in the order of their squares and removes the marks of units that died in the
   previous turn. */
static void list_units(Turn *turn) {
    char *grid = turn->state->grid;
    turn->unit_count = 0;
    for (uint32_t start = 0; start < turn->setup->cells; start += 8) {
        /* Letters have bit 6 set; empty squares, energy and the zero bytes after the grid do
           not. */
        uint64_t letters = eight_squares(grid + start) & 0x40 * EVERY_BYTE;
        for (; letters; letters &= letters - 1) {
            uint32_t square = start + (uint32_t)__builtin_ctzll(letters) / 8;
            if (grid[square] == ALIENS_DEAD)
                grid[square] = ALIENS_EMPTY;
            else
                turn->units[turn->unit_count++] =
                    make_unit(square, (uint32_t)(grid[square] - ALIENS_UNIT));
        }
    }
}

/* Removes dead units from the list. */
static void drop_dead(Turn *turn) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < turn->unit_count; i++) {
        turn->units[kept] = turn->units[i];
        kept += turn->state->grid[square_of(turn->units[i])] != ALIENS_DEAD;
    }
    turn->unit_count = kept;
}

/* The square that a unit moves to. It stays if it has no order or if its order is invalid. */
static uint32_t destination(const Turn *turn, uint32_t from, uint32_t player,
                            const GameOrders *given) {
    uint8_t move =
        given->kind == ORDERS_GIVEN ? ((const AliensOrders *)given)->move[from] : ALIENS_NO_MOVE;
    if (move == ALIENS_NO_MOVE)
        return from;
    uint32_t to = aliens_target(turn->setup, from, move);
    if (to < turn->setup->cells)
        return to;
    notes_refuse(turn->notes, player, "the move of the unit at %u leads off the grid", from);
    return from;
}

/* All units move at once: first all leave their squares, then all arrive. If several arrive on the
   same square, all of them die. */
static void move_units(Turn *turn, const GameOrders *const *orders) {
    char *grid = turn->state->grid;
    uint32_t kept = 0;
    bool collided = false;
    for (uint32_t i = 0; i < turn->unit_count; i++)
        grid[square_of(turn->units[i])] = ALIENS_EMPTY;
    for (uint32_t i = 0; i < turn->unit_count; i++) {
        uint32_t player = player_of(turn->units[i]);
        uint32_t to = destination(turn, square_of(turn->units[i]), player, orders[player]);
        char there = grid[to];
        if (there == ALIENS_EMPTY || there == ALIENS_ENERGY) {
            if (there == ALIENS_ENERGY)
                notes_event(turn->notes, "%c tramples the energy at %u", letter_of(player), to);
            grid[to] = letter_of(player);
            turn->units[kept++] = make_unit(to, player);
            continue;
        }
        if (there != ALIENS_DEAD)
            notes_event(turn->notes, "%c dies in a collision at %u", there, to);
        notes_event(turn->notes, "%c dies in a collision at %u", letter_of(player), to);
        grid[to] = ALIENS_DEAD;
        collided = true;
    }
    turn->unit_count = kept;
    if (collided)
        drop_dead(turn);
}

/* Whether the unit dies: it has an adjacent enemy with no more adjacent enemies than the unit
   itself. */
static bool falls(const Turn *turn, uint32_t square, uint32_t player) {
    const uint16_t *next = turn->setup->next[square];
    char enemy = letter_of(1 - player);
    uint32_t beside = count_beside(turn, square, enemy);
    for (int i = 0; i < 4 && beside; i++)
        if (turn->state->grid[next[i]] == enemy &&
            beside >= count_beside(turn, next[i], letter_of(player)))
            return true;
    return false;
}

/* Of each pair of adjacent enemies, the one with more adjacent enemies dies; both die if the counts
   are equal. All counts are taken before any unit is removed. */
static void battle(Turn *turn) {
    char *grid = turn->state->grid;
    bool any = false;
    for (uint32_t i = 0; i < turn->unit_count; i++)
        if (falls(turn, square_of(turn->units[i]), player_of(turn->units[i]))) {
            turn->units[i] |= UNIT_DYING;
            any = true;
        }
    if (!any)
        return;
    for (uint32_t i = 0; i < turn->unit_count; i++)
        if (turn->units[i] & UNIT_DYING) {
            uint32_t square = square_of(turn->units[i]);
            notes_event(turn->notes, "%c dies in battle at %u", grid[square], square);
            grid[square] = ALIENS_DEAD;
        }
    drop_dead(turn);
}

static void raze(Turn *turn) {
    AliensState *state = turn->state;
    for (uint32_t player = 0; player < 2; player++)
        if (state->grid[turn->setup->spawn[player]] == letter_of(1 - player) &&
            !state->razed[player]) {
            state->razed[player] = 1;
            notes_event(turn->notes, "the spawn of %c is razed", letter_of(player));
        }
}

static void spawn(Turn *turn) {
    AliensState *state = turn->state;
    for (uint32_t player = 0; player < 2; player++) {
        uint32_t square = turn->setup->spawn[player];
        if (!state->energy[player] || state->razed[player] || state->grid[square] != ALIENS_EMPTY)
            continue;
        state->energy[player]--;
        state->grid[square] = letter_of(player);
        turn->units[turn->unit_count++] = make_unit(square, player);
        notes_event(turn->notes, "%c spawns at %u", letter_of(player), square);
    }
}

/* Gives energy to the player with adjacent units; if both players have some, nobody gets it. */
static void take_energy(Turn *turn, uint32_t square) {
    AliensState *state = turn->state;
    bool beside[2] = {count_beside(turn, square, letter_of(0)) > 0,
                      count_beside(turn, square, letter_of(1)) > 0};
    state->grid[square] = ALIENS_EMPTY;
    if (beside[0] && beside[1]) {
        notes_event(turn->notes, "both want the energy at %u: nobody gets it", square);
    } else {
        state->energy[beside[1]]++;
        notes_event(turn->notes, "%c gathers the energy at %u", letter_of(beside[1]), square);
    }
}

static void gather(Turn *turn) {
    for (uint32_t i = 0; i < turn->unit_count; i++) {
        const uint16_t *next = turn->setup->next[square_of(turn->units[i])];
        for (int j = 0; j < 4; j++)
            if (turn->state->grid[next[j]] == ALIENS_ENERGY)
                take_energy(turn, next[j]);
    }
}

/* Finds, among the eight squares from `start`, those in the first half of the grid that are empty
   and whose counterpart under half a turn is empty: bit 7 of their bytes is set. On a grid with an
   odd number of squares the centre is its own counterpart; it is not in the first half, so it is
   never chosen. */
static uint64_t free_pairs(const Turn *turn, uint32_t start) {
    const char *grid = turn->state->grid;
    uint32_t half = turn->setup->cells / 2;
    uint64_t here = eight_squares(grid + start);
    uint64_t there = __builtin_bswap64(eight_squares(grid + turn->setup->cells - 8 - start));
    uint64_t taken = (here ^ ALIENS_EMPTY * EVERY_BYTE) | (there ^ ALIENS_EMPTY * EVERY_BYTE);
    /* Characters are below 0x80, so adding 0x7f carries into bit 7 of exactly the bytes that are
       not zero. */
    uint64_t pairs = ~(taken + 0x7f * EVERY_BYTE) & 0x80 * EVERY_BYTE;
    return half - start >= 8 ? pairs : pairs & ((UINT64_C(1) << 8 * (half - start)) - 1);
}

/* Puts energy on a random free pair of squares, all with the same probability. */
static void drop_energy(Turn *turn) {
    AliensState *state = turn->state;
    if (state->head.turn % turn->setup->energy_interval != 0)
        return;
    uint32_t half = turn->setup->cells / 2;
    uint32_t count = 0;
    for (uint32_t start = 0; start < half; start += 8)
        count += (uint32_t)((free_pairs(turn, start) >> 7) * EVERY_BYTE >> 56);
    if (!count)
        return;
    uint32_t drawn = random_below(&state->random, count);
    uint32_t start = 0;
    uint64_t pairs = free_pairs(turn, start);
    for (; drawn; drawn--) {
        while (!pairs)
            pairs = free_pairs(turn, start += 8);
        pairs &= pairs - 1;
    }
    while (!pairs)
        pairs = free_pairs(turn, start += 8);
    uint32_t square = start + (uint32_t)__builtin_ctzll(pairs) / 8;
    uint32_t counterpart = turn->setup->cells - 1 - square;
    state->grid[square] = state->grid[counterpart] = ALIENS_ENERGY;
    notes_event(turn->notes, "energy appears at %u and %u", square, counterpart);
}

static void judge(Turn *turn) {
    AliensState *state = turn->state;
    uint32_t second = 0;
    for (uint32_t i = 0; i < turn->unit_count; i++)
        second += player_of(turn->units[i]);
    state->lost[0] = second == turn->unit_count;
    state->lost[1] = second == 0;
    if (state->lost[0] || state->lost[1])
        state->end = END_ELIMINATION;
    else if (state->head.turn == turn->setup->head.turns_max)
        state->end = END_TURN_LIMIT;
    state->head.over = state->end != END_NONE;
}

/* A bot that failed loses; the board does not change. */
static bool forfeit(AliensState *state, const GameOrders *const *orders) {
    for (int player = 0; player < 2; player++)
        state->lost[player] = orders[player]->kind == ORDERS_FORFEIT;
    if (!state->lost[0] && !state->lost[1])
        return false;
    state->end = END_FORFEIT;
    state->head.over = 1;
    return true;
}

void aliens_step(const GameSetup *setup, GameState *head, const GameOrders *const *orders,
                 Notes *notes) {
    AliensState *state = (AliensState *)head;
    Turn turn;
    turn.setup = (const AliensSetup *)setup;
    turn.state = state;
    turn.notes = notes;
    assert(!head->over);
    if (!forfeit(state, orders)) {
        list_units(&turn);
        move_units(&turn, orders);
        battle(&turn);
        raze(&turn);
        spawn(&turn);
        gather(&turn);
        drop_energy(&turn);
    }
    head->turn++;
    if (!head->over)
        judge(&turn);
}

void aliens_result(const GameSetup *setup, const GameState *head, GameResult *result) {
    const AliensState *state = (const AliensState *)head;
    (void)setup;
    *result = (GameResult){.end = (GameEnd)state->end};
    for (int player = 0; player < 2; player++)
        result->rank[player] = state->lost[player] && !state->lost[1 - player] ? 2 : 1;
}
