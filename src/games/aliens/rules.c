/* The rules of Aliens, in the order of docs/rules/aliens.md. `aliens_step` at the end is the list of a turn's stages. */
#include "games/aliens/aliens.h"

#include "games/config.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- set-up ---- */

static bool read_fields(AliensSetup *setup, const Config *config, Error *error) {
    static const char *const known[] = {"rows", "cols", "maxTurns", "energyInterval", NULL};
    int64_t rows = setup->rows;
    int64_t cols = setup->cols;
    int64_t turns = setup->head.turns_max;
    int64_t interval = setup->energy_interval;
    if (!config_known(config, 0, known, error) ||
        !config_int(config, 0, "rows", ALIENS_SIDE_MIN, ALIENS_SIDE_MAX, &rows, error) ||
        !config_int(config, 0, "cols", ALIENS_SIDE_MIN, ALIENS_SIDE_MAX, &cols, error) ||
        !config_int(config, 0, "maxTurns", 1, 100000, &turns, error) ||
        !config_int(config, 0, "energyInterval", 1, 100000, &interval, error))
        return false;
    setup->rows = (uint32_t)rows;
    setup->cols = (uint32_t)cols;
    setup->head.turns_max = (uint32_t)turns;
    setup->energy_interval = (uint32_t)interval;
    return true;
}

GameSetup *aliens_setup(const GameFile *config, const GameFile *map, uint32_t players,
                        Error *error) {
    if (players != 2) {
        error_set(error, "Aliens is for 2 players, not %u", players);
        return NULL;
    }
    AliensSetup *setup = calloc(1, sizeof *setup);
    if (!setup)
        abort();
    *setup = (AliensSetup){
        .head = {.game = &game_aliens, .players = 2, .turns_max = 100},
        .rows = 20,
        .cols = 20,
        .energy_interval = 3,
    };
    setup->head.talk = setup->head.game->talk;
    Config files[2] = {0};
    bool good = config_open(&files[0], map, error) && config_open(&files[1], config, error) &&
                config_disjoint(&files[1], &files[0], error) &&
                read_fields(setup, &files[0], error) && read_fields(setup, &files[1], error);
    config_free(&files[0]);
    config_free(&files[1]);
    if (!good) {
        free(setup);
        return NULL;
    }
    setup->cells = setup->rows * setup->cols;
    setup->spawn[0] = setup->cols + 1;
    setup->spawn[1] = (setup->rows - 2) * setup->cols + setup->cols - 2;
    /* Both blocks are kept at a multiple of eight bytes; what lies behind the grid is zero. */
    setup->head.state_size = (sizeof(AliensState) + setup->cells + 7) / 8 * 8;
    setup->head.orders_size = (sizeof(AliensOrders) + setup->cells + 7) / 8 * 8;
    return &setup->head;
}

void aliens_setup_free(GameSetup *setup) {
    free(setup);
}

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

/* What the stages of one turn share: where the units and the energy are, so that no stage has to look at the whole grid. */
typedef struct Turn {
    const AliensSetup *setup;
    AliensState *state;
    Notes *notes;
    uint32_t unit_count;
    uint32_t energy_count;
    uint16_t units[ALIENS_SIDE_MAX * ALIENS_SIDE_MAX];
    uint16_t energy[ALIENS_SIDE_MAX * ALIENS_SIDE_MAX];
} Turn;

static int owner_at(const AliensState *state, uint32_t square) {
    return state->grid[square] == 'a' ? 0 : state->grid[square] == 'b' ? 1 : -1;
}

uint32_t aliens_target(const AliensSetup *setup, uint32_t from, uint8_t move) {
    uint32_t col = from % setup->cols;
    switch (move) {
    case ALIENS_STAY:
        return from;
    case ALIENS_UP:
        return from >= setup->cols ? from - setup->cols : setup->cells;
    case ALIENS_DOWN:
        return from + setup->cols < setup->cells ? from + setup->cols : setup->cells;
    case ALIENS_LEFT:
        return col > 0 ? from - 1 : setup->cells;
    case ALIENS_RIGHT:
        return col + 1 < setup->cols ? from + 1 : setup->cells;
    default:
        return setup->cells;
    }
}

/* The squares next to `square`, up to four; returns how many. */
static uint32_t neighbours(const AliensSetup *setup, uint32_t square, uint32_t *next) {
    uint32_t count = 0;
    uint32_t col = square % setup->cols;
    if (square >= setup->cols)
        next[count++] = square - setup->cols;
    if (square + setup->cols < setup->cells)
        next[count++] = square + setup->cols;
    if (col > 0)
        next[count++] = square - 1;
    if (col + 1 < setup->cols)
        next[count++] = square + 1;
    return count;
}

/* Finds units and energy, and wipes the marks of those who died in the turn before. */
static void look_around(Turn *turn) {
    char *grid = turn->state->grid;
    uint64_t empty;
    memset(&empty, ALIENS_EMPTY, sizeof empty);
    turn->unit_count = turn->energy_count = 0;
    for (uint32_t start = 0; start < turn->setup->cells; start += 8) {
        /* Most of the grid is empty: eight squares at a time. The block's end is padded, so this reads inside it. */
        uint64_t word;
        memcpy(&word, grid + start, sizeof word);
        if (word == empty)
            continue;
        uint32_t end = start + 8 < turn->setup->cells ? start + 8 : turn->setup->cells;
        for (uint32_t square = start; square < end; square++) {
            if (grid[square] == ALIENS_DEAD)
                grid[square] = ALIENS_EMPTY;
            else if (grid[square] == ALIENS_ENERGY)
                turn->energy[turn->energy_count++] = (uint16_t)square;
            else if (grid[square] != ALIENS_EMPTY)
                turn->units[turn->unit_count++] = (uint16_t)square;
        }
    }
}

static void kill_unit(Turn *turn, uint32_t square, const char *how) {
    if (turn->notes && turn->notes->wants_events && turn->state->grid[square] != ALIENS_DEAD)
        notes_event(turn->notes, "%c at %u %s", turn->state->grid[square], square, how);
    turn->state->grid[square] = ALIENS_DEAD;
}

/* All at once: everyone leaves, then everyone arrives. Whoever arrives where somebody already did dies, with all who are there. */
static void move_units(Turn *turn, const GameOrders *const *orders) {
    AliensState *state = turn->state;
    uint32_t kept = 0;
    char mover[ALIENS_SIDE_MAX * ALIENS_SIDE_MAX];
    for (uint32_t i = 0; i < turn->unit_count; i++) {
        uint32_t from = turn->units[i];
        mover[i] = state->grid[from];
        state->grid[from] = ALIENS_EMPTY;
    }
    for (uint32_t i = 0; i < turn->unit_count; i++) {
        uint32_t from = turn->units[i];
        const GameOrders *given = orders[mover[i] - ALIENS_UNIT];
        uint8_t move = given->kind == ORDERS_GIVEN ? ((const AliensOrders *)given)->move[from]
                                                   : ALIENS_NO_MOVE;
        uint32_t to = aliens_target(turn->setup, from, move);
        if (to == turn->setup->cells)
            to = from;
        if (state->grid[to] == ALIENS_EMPTY || state->grid[to] == ALIENS_ENERGY) {
            if (state->grid[to] == ALIENS_ENERGY)
                notes_event(turn->notes, "%c tramples the energy at %u", mover[i], to);
            state->grid[to] = mover[i];
            turn->units[kept++] = (uint16_t)to;
        } else {
            if (turn->notes && turn->notes->wants_events)
                notes_event(turn->notes, "%c dies in a collision at %u", mover[i], to);
            kill_unit(turn, to, "dies in a collision");
        }
    }
    turn->unit_count = kept;
}

/* Forgets units that are no longer on the grid. */
static void drop_dead(Turn *turn) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < turn->unit_count; i++)
        if (turn->state->grid[turn->units[i]] != ALIENS_DEAD)
            turn->units[kept++] = turn->units[i];
    turn->unit_count = kept;
}

/* For every pair of adjacent enemies the one with more enemies beside it dies, both when equal; judged on the counts before anyone falls. */
static void battle(Turn *turn) {
    AliensState *state = turn->state;
    uint8_t enemies[ALIENS_SIDE_MAX * ALIENS_SIDE_MAX];
    uint16_t dying[ALIENS_SIDE_MAX * ALIENS_SIDE_MAX];
    uint32_t dying_count = 0;
    bool any = false;
    for (uint32_t i = 0; i < turn->unit_count; i++) {
        uint32_t next[4];
        uint32_t count = neighbours(turn->setup, turn->units[i], next);
        char enemy = state->grid[turn->units[i]] == 'a' ? 'b' : 'a';
        uint8_t beside = 0;
        for (uint32_t j = 0; j < count; j++)
            beside = (uint8_t)(beside + (state->grid[next[j]] == enemy));
        enemies[turn->units[i]] = beside;
        any |= beside > 0;
    }
    if (!any)
        return;
    for (uint32_t i = 0; i < turn->unit_count; i++) {
        uint32_t next[4];
        uint32_t count = neighbours(turn->setup, turn->units[i], next);
        char enemy = state->grid[turn->units[i]] == 'a' ? 'b' : 'a';
        bool dies = false;
        for (uint32_t j = 0; j < count; j++)
            dies |= state->grid[next[j]] == enemy && enemies[turn->units[i]] >= enemies[next[j]];
        if (dies)
            dying[dying_count++] = turn->units[i];
    }
    for (uint32_t i = 0; i < dying_count; i++)
        kill_unit(turn, dying[i], "dies in battle");
    drop_dead(turn);
}

static void raze(Turn *turn) {
    for (int player = 0; player < 2; player++)
        if (owner_at(turn->state, turn->setup->spawn[player]) == 1 - player &&
            !turn->state->razed[player]) {
            turn->state->razed[player] = 1;
            notes_event(turn->notes, "the spawn of %c is razed", ALIENS_UNIT + player);
        }
}

static void spawn(Turn *turn) {
    AliensState *state = turn->state;
    for (int player = 0; player < 2; player++) {
        uint32_t square = turn->setup->spawn[player];
        if (!state->energy[player] || state->razed[player] || state->grid[square] != ALIENS_EMPTY)
            continue;
        state->energy[player]--;
        state->grid[square] = (char)(ALIENS_UNIT + player);
        turn->units[turn->unit_count++] = (uint16_t)square;
        notes_event(turn->notes, "%c spawns at %u", ALIENS_UNIT + player, square);
    }
}

static void gather(Turn *turn) {
    AliensState *state = turn->state;
    for (uint32_t i = 0; i < turn->energy_count; i++) {
        uint32_t square = turn->energy[i];
        if (state->grid[square] != ALIENS_ENERGY)
            continue; /* trampled */
        uint32_t next[4];
        uint32_t count = neighbours(turn->setup, square, next);
        bool beside[2] = {false, false};
        for (uint32_t j = 0; j < count; j++)
            if (owner_at(state, next[j]) >= 0)
                beside[owner_at(state, next[j])] = true;
        if (!beside[0] && !beside[1])
            continue;
        state->grid[square] = ALIENS_EMPTY;
        if (beside[0] && beside[1]) {
            notes_event(turn->notes, "both want the energy at %u: nobody gets it", square);
        } else {
            state->energy[beside[1]]++;
            notes_event(turn->notes, "%c gathers the energy at %u", ALIENS_UNIT + beside[1],
                        square);
        }
    }
}

/* An empty square and its counterpart under half a turn of the grid. In a grid of odd sides the centre is its own counterpart and is left out:
   looking at the first half only does that, and a draw from the half is a draw of the pair. */
static void drop_energy(Turn *turn) {
    AliensState *state = turn->state;
    if (state->head.turn % turn->setup->energy_interval != 0)
        return;
    uint32_t half = turn->setup->cells / 2;
    uint32_t last = turn->setup->cells - 1;
    uint32_t free_pairs = 0;
    for (uint32_t square = 0; square < half; square++)
        free_pairs += (uint32_t)(state->grid[square] == ALIENS_EMPTY) &
                      (uint32_t)(state->grid[last - square] == ALIENS_EMPTY);
    if (!free_pairs)
        return;
    uint32_t drawn = random_below(&state->random, free_pairs);
    for (uint32_t square = 0;; square++) {
        assert(square < half);
        if (state->grid[square] == ALIENS_EMPTY && state->grid[last - square] == ALIENS_EMPTY &&
            drawn-- == 0) {
            state->grid[square] = state->grid[last - square] = ALIENS_ENERGY;
            notes_event(turn->notes, "energy appears at %u and %u", square, last - square);
            return;
        }
    }
}

static void judge(Turn *turn) {
    AliensState *state = turn->state;
    uint32_t units[2] = {0, 0};
    for (uint32_t i = 0; i < turn->unit_count; i++)
        units[owner_at(state, turn->units[i])]++;
    for (int player = 0; player < 2; player++)
        state->lost[player] = units[player] == 0;
    if (state->lost[0] || state->lost[1])
        state->end = END_ELIMINATION;
    else if (state->head.turn == turn->setup->head.turns_max)
        state->end = END_TURN_LIMIT;
    state->head.over = state->end != END_NONE;
}

/* A bot that failed has lost; the board is left as it was. */
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
        look_around(&turn);
        move_units(&turn, orders);
        drop_dead(&turn);
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
