/* A turn of the rules allocates nothing, whatever the orders; views and answers allocate nothing
   once their buffers have grown. */
#include "../counting.h"
#include "play.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TURNS = 400 };

typedef struct Counts {
    uint64_t step;
    uint64_t view;
} Counts;

/* Plays a match with sensible answers; all buffers are reused in the next match. */
static void drive(const GamePlay *play, GameSetup *setup, Buffer *text, Counts *counts) {
    const Game *game = play->game;
    GameState *state = game_state_new(setup);
    GameOrders *orders[GAME_PLAYERS_MAX];
    Notes *notes = calloc(1, sizeof *notes);
    Random random = random_seeded(1);
    for (uint32_t i = 0; i < setup->players; i++)
        orders[i] = game_orders_new(setup);
    game->init(setup, 1, state);
    for (int turn = 0; turn < TURNS && !state->over; turn++) {
        notes_clear(notes);
        notes->wants_events = true;
        for (uint32_t i = 0; i < setup->players; i++) {
            memset(orders[i], 0, setup->orders_size);
            if (!game->is_active(setup, state, i))
                continue;
            uint64_t before = counting_calls;
            buffer_clear(text);
            game->view(setup, state, i, text);
            counts->view += counting_calls - before;
            buffer_clear(text);
            play->answer(setup, state, i, &random, text);
            if (!game->read(setup, state, i, (Slice){text->data, text->length}, orders[i], notes,
                            NULL))
                memset(orders[i], 0, setup->orders_size);
        }
        uint64_t before = counting_calls;
        game->step(setup, state, (const GameOrders *const *)orders, notes);
        counts->step += counting_calls - before;
    }
    for (uint32_t i = 0; i < setup->players; i++)
        free(orders[i]);
    free(notes);
    free(state);
}

int main(void) {
    int failures = 0;
    for (const GamePlay *const *play = plays_all; *play; play++)
        for (uint32_t i = 0; i < (*play)->case_count; i++) {
            Counts counts = {0};
            Buffer text = {0};
            GameSetup *setup = play_setup(*play, &(*play)->cases[i]);
            drive(*play, setup, &text, &counts);
            counts.view = 0; /* the first match has grown the buffer */
            drive(*play, setup, &text, &counts);
            bool good = counts.step == 0 && counts.view == 0;
            printf("%s case %u: %llu allocations in steps, %llu in views\n", (*play)->game->name, i,
                   (unsigned long long)counts.step, (unsigned long long)counts.view);
            failures += !good;
            (*play)->game->setup_free(setup);
            buffer_free(&text);
        }
    return failures ? 1 : 0;
}
