/* Every game under random and hostile orders, for many turns, with its invariants checked after
   every turn.

   Usage: property_test [GAME [TURNS [SEED]]]. Prints its seed, so that a failure can be
   reproduced. */
#include "base/hash.h"
#include "play.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct Drive {
    const GamePlay *play;
    GameSetup *setup;
    GameState *state;
    GameState *before;
    GameState *copy;
    GameOrders *orders[GAME_PLAYERS_MAX];
    Buffer text;
    Notes notes;
} Drive;

static _Noreturn void broken(const Drive *drive, uint64_t match_seed, const char *what) {
    fprintf(stderr, "%s: match seed %" PRIu64 ", turn %u: %s\n", drive->play->game->name,
            match_seed, drive->state->turn, what);
    exit(1);
}

static void choose_orders(Drive *drive, uint32_t player, bool hostile, Random *random) {
    const Game *game = drive->play->game;
    GameOrders *orders = drive->orders[player];
    memset(orders, 0, drive->setup->orders_size);
    if (!game->is_active(drive->setup, drive->state, player))
        return;
    uint32_t chance = random_below(random, 3000);
    if (chance == 0) {
        orders->kind = ORDERS_FORFEIT;
    } else if (chance < 60) {
        orders->kind = ORDERS_NONE;
    } else if (hostile) {
        drive->play->hostile(drive->setup, drive->state, player, random, orders);
    } else {
        buffer_clear(&drive->text);
        game->view(drive->setup, drive->state, player, &drive->text);
        buffer_clear(&drive->text);
        drive->play->answer(drive->setup, drive->state, player, random, &drive->text);
        Error error;
        if (!game->read(drive->setup, drive->state, player,
                        (Slice){drive->text.data, drive->text.length}, orders, &drive->notes,
                        &error)) {
            memset(orders, 0, drive->setup->orders_size);
            orders->kind =
                game->talk.on_malformed == FAILURE_FORFEITS ? ORDERS_FORFEIT : ORDERS_NONE;
        }
    }
}

/* Compares each byte with the next one: memcmp is much faster than a loop. */
static bool all_zero(const char *bytes, size_t count) {
    return count == 0 || (bytes[0] == 0 && memcmp(bytes, bytes + 1, count - 1) == 0);
}

static void check_turn(const Drive *drive, uint64_t match_seed) {
    const Game *game = drive->play->game;
    const GameState *state = drive->state;
    if (state->turn != drive->before->turn + 1)
        broken(drive, match_seed, "the turn was not counted");
    if (state->turn >= drive->setup->turns_max && !state->over)
        broken(drive, match_seed, "the match continues after the turn limit");
    if (state->used > drive->setup->state_size)
        broken(drive, match_seed, "more bytes are used than the state has");
    if (!all_zero((const char *)state + state->used, drive->setup->state_size - state->used))
        broken(drive, match_seed, "the unused bytes after the state are not zero");
    if (memcmp(state, drive->copy, drive->setup->state_size) != 0)
        broken(drive, match_seed, "the same step on a copy gave another state");
    const char *what = drive->play->check(drive->setup, drive->before, state);
    if (what)
        broken(drive, match_seed, what);
    GameResult result;
    game->result(drive->setup, state, &result);
    uint32_t best = UINT32_MAX;
    for (uint32_t player = 0; player < drive->setup->players; player++) {
        if (result.rank[player] < 1 || result.rank[player] > drive->setup->players)
            broken(drive, match_seed, "a rank is out of range");
        best = result.rank[player] < best ? result.rank[player] : best;
    }
    if (best != 1)
        broken(drive, match_seed, "nobody has rank 1");
    if (state->over != (result.end != END_NONE))
        broken(drive, match_seed, "`over` and the result disagree");
}

static uint32_t play_match(Drive *drive, const PlayCase *with, bool hostile, uint64_t match_seed,
                           uint32_t turns_left) {
    const Game *game = drive->play->game;
    Random random = random_seeded(match_seed);
    drive->setup = play_setup(drive->play, with);
    drive->state = game_state_new(drive->setup);
    drive->before = game_state_new(drive->setup);
    drive->copy = game_state_new(drive->setup);
    for (uint32_t player = 0; player < drive->setup->players; player++)
        drive->orders[player] = game_orders_new(drive->setup);
    game->init(drive->setup, match_seed, drive->state);
    if (game->absent && random_below(&random, 20) == 0)
        game->absent(drive->setup, drive->state, random_below(&random, drive->setup->players));
    uint32_t turns = 0;
    while (!drive->state->over && turns < turns_left) {
        notes_clear(&drive->notes);
        drive->notes.wants_events = random_below(&random, 10) == 0;
        for (uint32_t player = 0; player < drive->setup->players; player++)
            choose_orders(drive, player, hostile, &random);
        memcpy(drive->before, drive->state, drive->setup->state_size);
        memcpy(drive->copy, drive->state, drive->setup->state_size);
        game->step(drive->setup, drive->state, (const GameOrders *const *)drive->orders,
                   &drive->notes);
        game->step(drive->setup, drive->copy, (const GameOrders *const *)drive->orders, NULL);
        turns++;
        check_turn(drive, match_seed);
    }
    for (uint32_t player = 0; player < drive->setup->players; player++)
        free(drive->orders[player]);
    free(drive->state);
    free(drive->before);
    free(drive->copy);
    game->setup_free(drive->setup);
    return turns;
}

static void drive_game(const GamePlay *play, uint64_t seed, uint32_t turns_wanted) {
    static Drive drive;
    drive.play = play;
    uint32_t turns = 0;
    uint32_t matches = 0;
    while (turns < turns_wanted) {
        const PlayCase *with = &play->cases[matches % play->case_count];
        turns += play_match(&drive, with, matches / play->case_count % 2,
                            hash64_chain(seed, matches), turns_wanted - turns);
        matches++;
    }
    printf("%s: %u turns in %u matches passed, seed %" PRIu64 "\n", play->game->name, turns,
           matches, seed);
    buffer_free(&drive.text);
}

int main(int count, char **arguments) {
    uint32_t turns = count > 2 ? (uint32_t)strtoul(arguments[2], NULL, 10) : 100000;
    uint64_t seed = count > 3 ? strtoull(arguments[3], NULL, 10) : (uint64_t)time(NULL);
    bool found = false;
    for (const GamePlay *const *play = plays_all; *play; play++)
        if (count < 2 || strcmp(arguments[1], (*play)->game->name) == 0) {
            printf("%s: seed %" PRIu64 "\n", (*play)->game->name, seed);
            fflush(stdout);
            drive_game(*play, seed, turns);
            found = true;
        }
    if (!found)
        fprintf(stderr, "no game is called %s\n", arguments[1]);
    return found ? 0 : 1;
}
