/* The rules alone, without a referee or bots: turns and views per second. */
#include "base/clock.h"
#include "bench.h"

#include <stdlib.h>
#include <string.h>

enum { TURNS_MAX = 200, SAMPLES_MAX = 64 };

/* Recorded orders of several turns, so that only steps are measured. */
typedef struct Recording {
    uint32_t turns;
    GameOrders *orders[TURNS_MAX][GAME_PLAYERS_MAX];
} Recording;

static void record(const BenchScene *scene, const GameSetup *setup, const GameState *start,
                   GameState *state, Recording *recording) {
    memcpy(state, start, setup->state_size);
    for (recording->turns = 0; recording->turns < TURNS_MAX && !state->over; recording->turns++) {
        GameOrders **orders = recording->orders[recording->turns];
        for (uint32_t player = 0; player < setup->players; player++) {
            orders[player] = game_orders_new(setup);
            if (scene->game->is_active(setup, state, player))
                scene->orders(setup, state, player, orders[player]);
        }
        scene->game->step(setup, state, (const GameOrders *const *)orders, NULL);
    }
}

static void forget(const GameSetup *setup, Recording *recording) {
    for (uint32_t turn = 0; turn < recording->turns; turn++)
        for (uint32_t player = 0; player < setup->players; player++)
            free(recording->orders[turn][player]);
}

static Stats time_turns(const BenchScene *scene, const GameSetup *setup, const GameState *start,
                        GameState *state, const Recording *recording, const BenchOptions *options) {
    double samples[SAMPLES_MAX];
    for (uint32_t sample = 0; sample < bench_samples(options); sample++) {
        uint64_t turns = 0;
        int64_t began = clock_now();
        int64_t now;
        do {
            memcpy(state, start, setup->state_size);
            for (uint32_t turn = 0; turn < recording->turns; turn++)
                scene->game->step(setup, state, (const GameOrders *const *)recording->orders[turn],
                                  NULL);
            turns += recording->turns;
            now = clock_now();
        } while (now - began < bench_sample_ns(options));
        samples[sample] = (double)turns * 1e9 / (double)(now - began);
    }
    return stats_of(samples, bench_samples(options));
}

/* Views of the position for all active players; their mean size goes to `bytes`. */
static Stats time_views(const BenchScene *scene, const GameSetup *setup, const GameState *state,
                        const BenchOptions *options, double *bytes) {
    double samples[SAMPLES_MAX];
    Buffer view = {0};
    uint64_t total = 0;
    uint64_t views = 0;
    for (uint32_t sample = 0; sample < bench_samples(options); sample++) {
        uint64_t before = views;
        int64_t began = clock_now();
        int64_t now;
        do {
            for (uint32_t player = 0; player < setup->players; player++) {
                if (!scene->game->is_active(setup, state, player))
                    continue;
                buffer_clear(&view);
                scene->game->view(setup, state, player, &view);
                total += view.length;
                views++;
            }
            now = clock_now();
        } while (now - began < bench_sample_ns(options));
        samples[sample] = (double)(views - before) * 1e9 / (double)(now - began);
    }
    buffer_free(&view);
    *bytes = views ? (double)total / (double)views : 0;
    return stats_of(samples, bench_samples(options));
}

void bench_rules(const BenchScene *scene, const BenchOptions *options, Report *report) {
    static Recording recording;
    GameSetup *setup = bench_setup(scene);
    GameState *start = bench_position(scene, setup);
    GameState *state = game_state_new(setup);
    record(scene, setup, start, state, &recording);
    Stats turns = time_turns(scene, setup, start, state, &recording, options);
    report_figure(report, scene->game->name, "rules", "turns/s", turns, scene->what);
    double bytes = 0;
    Stats views = time_views(scene, setup, start, options, &bytes);
    report_figure(report, scene->game->name, "views", "views/s", views, NULL);
    report_figure(report, scene->game->name, "view size", "bytes", stats_of(&bytes, 1), NULL);
    forget(setup, &recording);
    free(state);
    free(start);
    scene->game->setup_free(setup);
}
