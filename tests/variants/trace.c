/* Plays every game from fixed seeds and prints, for each match, hashes of all its output. Two
   builds of the rules that print the same play the same game.

   Usage: trace [TURNS]            TURNS turns of each case (default 1000)
          trace TURNS GAME CASE    one case, every turn, to find where two builds differ */
#include "../games/play.h"
#include "base/hash.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TURNS_A_CASE = 1000, TURNS_A_MATCH = 150 };

/* Hashes, chained over the turns of a match. */
typedef struct Trace {
    uint64_t views;
    uint64_t notes; /* rejected orders and answers with their reasons, events */
    uint64_t shown; /* drawing and JSON, of state and orders */
    uint64_t states;
} Trace;

typedef struct Match {
    const GamePlay *play;
    GameSetup *setup;
    GameState *state;
    GameOrders *orders[GAME_PLAYERS_MAX];
    Notes notes;
    Buffer text;
    Trace trace;
    Random random;
    bool hostile;
} Match;

static void chain(uint64_t *hash, const void *bytes, size_t count) {
    *hash = hash64_chain(*hash, hash64(bytes, count));
}

static void take_text(Match *match, uint64_t *hash) {
    chain(hash, buffer_string(&match->text), match->text.length);
    buffer_clear(&match->text);
}

static void order(Match *match, uint32_t player) {
    const Game *game = match->play->game;
    GameOrders *orders = match->orders[player];
    memset(orders, 0, match->setup->orders_size);
    if (!game->is_active(match->setup, match->state, player)) {
        if (game->farewell) {
            game->farewell(match->setup, match->state, player, &match->text);
            take_text(match, &match->trace.views);
        }
        return;
    }
    game->view(match->setup, match->state, player, &match->text);
    take_text(match, &match->trace.views);
    if (match->hostile) {
        match->play->hostile(match->setup, match->state, player, &match->random, orders);
    } else {
        match->play->answer(match->setup, match->state, player, &match->random, &match->text);
        Error error;
        if (!game->read(match->setup, match->state, player,
                        (Slice){buffer_string(&match->text), match->text.length}, orders,
                        &match->notes, &error)) {
            chain(&match->trace.notes, error.text, strlen(error.text));
            memset(orders, 0, match->setup->orders_size);
            if (match->setup->talk.on_malformed == FAILURE_FORFEITS)
                orders->kind = ORDERS_FORFEIT;
        }
        buffer_clear(&match->text);
    }
    game->orders_json(match->setup, orders, &match->text);
    take_text(match, &match->trace.shown);
}

static void turn(Match *match) {
    const Game *game = match->play->game;
    notes_clear(&match->notes);
    for (uint32_t player = 0; player < match->setup->players; player++)
        order(match, player);
    game->step(match->setup, match->state, (const GameOrders *const *)match->orders, &match->notes);
    chain(&match->trace.notes, match->notes.refused, sizeof match->notes.refused);
    chain(&match->trace.notes, match->notes.refusals, match->notes.refusals_length);
    chain(&match->trace.notes, match->notes.events, match->notes.events_length);
    game->draw(match->setup, match->state, true, &match->text);
    take_text(match, &match->trace.shown);
    game->state_json(match->setup, match->state, &match->text);
    take_text(match, &match->trace.shown);
    match->trace.states = hash64_chain(match->trace.states, game_digest(match->state));
}

static void print_line(const Match *match, uint32_t index, uint32_t number) {
    printf("%s case %u match %u%s: turn %u, views %016" PRIx64 ", notes %016" PRIx64
           ", shown %016" PRIx64 ", states %016" PRIx64,
           match->play->game->name, index, number, match->hostile ? " (hostile)" : "",
           match->state->turn, match->trace.views, match->trace.notes, match->trace.shown,
           match->trace.states);
}

static void print_verdict(const Match *match) {
    GameResult result;
    match->play->game->result(match->setup, match->state, &result);
    printf(", end %d, ranks", (int)result.end);
    for (uint32_t player = 0; player < match->setup->players; player++)
        printf(" %u", result.rank[player]);
    for (uint32_t player = 0; player < match->setup->players && result.scored; player++)
        printf("%s %" PRId64, player ? "" : ", scores", result.score[player]);
}

/* Plays at most `turns_max` turns of a match; returns how many it played. */
static uint32_t play_match(Match *match, uint32_t index, uint32_t number, uint32_t turns_max,
                           bool every_turn) {
    const Game *game = match->play->game;
    match->setup = play_setup(match->play, &match->play->cases[index]);
    match->state = game_state_new(match->setup);
    for (uint32_t player = 0; player < match->setup->players; player++)
        match->orders[player] = game_orders_new(match->setup);
    match->trace = (Trace){0};
    match->random = random_seeded(hash64_chain(index, number));
    match->hostile = number % 3 == 2;
    game->init(match->setup, number, match->state);
    if (game->absent && number % 7 == 6)
        game->absent(match->setup, match->state, number % match->setup->players);
    uint32_t turns = 0;
    for (; turns < turns_max && !match->state->over; turns++) {
        turn(match);
        if (every_turn) {
            print_line(match, index, number);
            putchar('\n');
        }
    }
    print_line(match, index, number);
    print_verdict(match);
    putchar('\n');
    for (uint32_t player = 0; player < match->setup->players; player++)
        free(match->orders[player]);
    free(match->state);
    game->setup_free(match->setup);
    return turns;
}

/* Writes floating-point numbers, which depends on the C library, and reads them back. */
static void trace_doubles(Match *match) {
    static Json json;
    Random random = random_seeded(1);
    uint64_t hash = 0;
    for (int i = 0; i < 20000; i++) {
        /* One draw per statement: C does not define the order of operands. */
        double value = (double)(int64_t)random_next(&random);
        value /= (double)(1 + random_below(&random, 1000000));
        json_double(&match->text, i % 2 ? value : value / 1e18);
        double again = 0;
        if (json_parse(&json, (Slice){match->text.data, match->text.length}, NULL) &&
            json_number(&json, 0, &again))
            chain(&hash, &again, sizeof again);
        take_text(match, &hash);
    }
    json_free(&json);
    printf("doubles: %016" PRIx64 "\n", hash);
}

int main(int count, char **arguments) {
    static Match match;
    uint32_t turns_a_case =
        count > 1 ? (uint32_t)strtoul(arguments[1], NULL, 10) : (uint32_t)TURNS_A_CASE;
    bool one = count > 3;
    match.notes.wants_events = true;
    if (!one)
        trace_doubles(&match);
    for (const GamePlay *const *play = plays_all; *play; play++) {
        match.play = *play;
        for (uint32_t index = 0; index < (*play)->case_count; index++) {
            if (one && (strcmp(arguments[2], (*play)->game->name) != 0 ||
                        index != strtoul(arguments[3], NULL, 10)))
                continue;
            uint32_t number = 0;
            for (uint32_t turns = 0; turns < turns_a_case; number++) {
                uint32_t left = turns_a_case - turns;
                uint32_t limit = left < TURNS_A_MATCH ? left : TURNS_A_MATCH;
                /* A match whose players were all absent has no turn; it counts as one, so that the
                   loop ends. */
                uint32_t played = play_match(&match, index, number, limit, one);
                turns += played ? played : 1;
            }
        }
    }
    buffer_free(&match.text);
    return 0;
}
