/* See fuzz.h. */
#include "fuzz.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The address sanitizer keeps freed memory for a while to detect its use: 256 MB by default, half
   of what ./test fuzz allows. */
const char *__asan_default_options(void);
const char *__asan_default_options(void) {
    return "quarantine_size_mb=32";
}

void fuzz_broken(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    abort();
}

FuzzMatch *fuzz_match_new(const GamePlay *play, GameSetup *setup) {
    FuzzMatch *match = calloc(1, sizeof *match);
    if (!match)
        abort();
    match->play = play;
    match->setup = setup;
    match->state = game_state_new(setup);
    match->before = game_state_new(setup);
    match->state_again = game_state_new(setup);
    for (uint32_t player = 0; player < setup->players; player++) {
        match->orders[player] = game_orders_new(setup);
        match->orders_again[player] = game_orders_new(setup);
    }
    match->notes.wants_events = true;
    return match;
}

void fuzz_match_free(FuzzMatch *match) {
    for (uint32_t player = 0; player < match->setup->players; player++) {
        free(match->orders[player]);
        free(match->orders_again[player]);
    }
    free(match->state_again);
    free(match->state);
    free(match->before);
    buffer_free(&match->text);
    match->play->game->setup_free(match->setup);
    free(match);
}

/* Sets the orders for no answer, or for one that was rejected as a whole: only the head is
   defined. */
static void set_no_orders(FuzzMatch *match, uint32_t player, GameOrdersKind kind) {
    *match->orders[player] = *match->orders_again[player] = (GameOrders){.kind = kind};
}

/* Checks that `read` sets everything that counts, so that the memory's previous content makes no
   difference. */
static void compare_orders(FuzzMatch *match, uint32_t player) {
    const Game *game = match->play->game;
    const GameOrders *orders = match->orders[player];
    const GameOrders *again = match->orders_again[player];
    buffer_clear(&match->text);
    game->orders_json(match->setup, orders, &match->text);
    size_t length = match->text.length;
    game->orders_json(match->setup, again, &match->text);
    if (orders->kind != again->kind || orders->count != again->count ||
        match->text.length != 2 * length ||
        memcmp(match->text.data, match->text.data + length, length) != 0)
        fuzz_broken("%s: `read` does not define all orders that it counts", game->name);
}

void fuzz_match_read(FuzzMatch *match, uint32_t player, Slice answer) {
    const Game *game = match->play->game;
    GameOrders *orders = match->orders[player];
    GameOrders *again = match->orders_again[player];
    memset(orders, 0xa5, match->setup->orders_size);
    memset(again, 0x5a, match->setup->orders_size);
    if (!answer.at) {
        set_no_orders(match, player, ORDERS_NONE);
        return;
    }
    /* A copy of exactly this size, so that reading beyond its end is detected. */
    char *copy = malloc(answer.length ? answer.length : 1);
    if (!copy)
        abort();
    memcpy(copy, answer.at, answer.length);
    answer.at = copy;
    Error error = {0};
    bool good =
        game->read(match->setup, match->state, player, answer, orders, &match->notes, &error);
    if (good != game->read(match->setup, match->state, player, answer, again, NULL, NULL))
        fuzz_broken("%s: the same answer was accepted once and rejected once", game->name);
    if (!good && !error.text[0])
        fuzz_broken("%s: an answer was refused without a reason", game->name);
    bool forfeits = match->setup->talk.on_malformed == FAILURE_FORFEITS;
    if (good)
        compare_orders(match, player);
    else
        set_no_orders(match, player, forfeits ? ORDERS_FORFEIT : ORDERS_NONE);
    free(copy);
}

void fuzz_match_answer(FuzzMatch *match, Random *random) {
    for (uint32_t player = 0; player < match->setup->players; player++) {
        Slice answer = {NULL, 0};
        if (match->play->game->is_active(match->setup, match->state, player)) {
            buffer_clear(&match->text);
            match->play->answer(match->setup, match->state, player, random, &match->text);
            answer = (Slice){buffer_string(&match->text), match->text.length};
        }
        fuzz_match_read(match, player, answer);
    }
}

static void expect_json(const FuzzMatch *match, const char *what) {
    static Json json;
    Error error;
    if (!json_parse(&json, (Slice){match->text.data, match->text.length}, &error))
        fuzz_broken("%s: the %s is not valid JSON: %s", match->play->game->name, what, error.text);
}

/* Draws and writes everything. With many players, only the views of the first, the second and the
   last. */
void fuzz_match_show(FuzzMatch *match) {
    const Game *game = match->play->game;
    const GameSetup *setup = match->setup;
    for (uint32_t player = 0; player < setup->players; player++) {
        buffer_clear(&match->text);
        game->orders_json(setup, match->orders[player], &match->text);
        expect_json(match, "orders");
    }
    for (uint32_t player = 0; player < setup->players; player++) {
        if (player > 1 && player + 1 < setup->players)
            continue;
        buffer_clear(&match->text);
        if (game->is_active(setup, match->state, player)) {
            game->view(setup, match->state, player, &match->text);
            if (!match->text.length)
                fuzz_broken("%s: a view is empty", game->name);
        } else if (game->farewell) {
            game->farewell(setup, match->state, player, &match->text);
        }
    }
    buffer_clear(&match->text);
    game->draw(setup, match->state, match->state->turn % 2, &match->text);
    if (!match->text.length || match->text.data[match->text.length - 1] != '\n')
        fuzz_broken("%s: a drawing does not end with a newline", game->name);
    buffer_clear(&match->text);
    game->state_json(setup, match->state, &match->text);
    expect_json(match, "state");
}

void fuzz_match_step(FuzzMatch *match) {
    const Game *game = match->play->game;
    const GameSetup *setup = match->setup;
    memcpy(match->before, match->state, setup->state_size);
    memcpy(match->state_again, match->state, setup->state_size);
    game->step(setup, match->state, (const GameOrders *const *)match->orders, &match->notes);
    game->step(setup, match->state_again, (const GameOrders *const *)match->orders_again, NULL);
    if (memcmp(match->state, match->state_again, setup->state_size) != 0)
        fuzz_broken("%s: a turn depends on bytes that do not belong to orders", game->name);
    if (match->state->turn != match->before->turn + 1)
        fuzz_broken("%s: the turn was not counted", game->name);
    if (match->state->turn >= setup->turns_max && !match->state->over)
        fuzz_broken("%s: the match continues after the turn limit", game->name);
    if (match->state->used > setup->state_size)
        fuzz_broken("%s: more bytes are used than the state has", game->name);
    const char *what = match->play->check(setup, match->before, match->state);
    if (what)
        fuzz_broken("%s: turn %u: %s", game->name, match->state->turn, what);
    GameResult result;
    game->result(setup, match->state, &result);
    if (match->state->over != (result.end != END_NONE))
        fuzz_broken("%s: `over` and the result disagree", game->name);
    notes_clear(&match->notes);
}

void fuzz_try_setup(const GamePlay *play, GameSetup *setup) {
    enum { BYTES_MAX = 32 << 20, TURNS_MAX = 6 };
    const size_t bytes_worth_a_turn = 1 << 18;
    if (setup->players < play->game->players_min || setup->players > play->game->players_max)
        fuzz_broken("%s: set up for %u players", play->game->name, setup->players);
    if (setup->state_size < sizeof(GameState) || setup->orders_size < sizeof(GameOrders))
        fuzz_broken("%s: a state or orders without room for the head", play->game->name);
    size_t bytes = 3 * setup->state_size + 2 * setup->players * setup->orders_size;
    if (bytes > BYTES_MAX) {
        play->game->setup_free(setup);
        return;
    }
    FuzzMatch *match = fuzz_match_new(play, setup);
    Random random = random_seeded(1);
    play->game->init(setup, 1, match->state);
    fuzz_match_show(match);
    size_t turns = 1 + TURNS_MAX * bytes_worth_a_turn / (bytes_worth_a_turn + bytes);
    for (size_t i = 0; i < turns && !match->state->over; i++) {
        fuzz_match_answer(match, &random);
        fuzz_match_step(match);
        fuzz_match_show(match);
    }
    fuzz_match_free(match);
}
