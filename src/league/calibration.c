/* See calibration.h. */
#include "league/calibration.h"

#include "base/clock.h"
#include "games/game.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define GAME "planetwars"
enum { PLAYERS = 2, SEED = 1, SLICE_TURNS = 100, ANSWER_BYTES = 64, LEAST_SLICES = 3 };

typedef struct Bench {
    GameSetup *setup;
    GameState *state;
    GameOrders *orders[PLAYERS];
    Buffer view;
    int to_bot[2];
    int from_bot[2];
} Bench;

/* Reads exactly `size` bytes; false if the pipe ends before. */
static bool read_all(int fd, size_t size) {
    char bytes[4096];
    while (size) {
        ssize_t got = read(fd, bytes, size < sizeof bytes ? size : sizeof bytes);
        if (got <= 0)
            return false;
        size -= (size_t)got;
    }
    return true;
}

/* The thread at the other end of the pipes: repeatedly reads a length and that many bytes, and
   answers. Ends when its pipe is closed. */
static void *answer(void *context) {
    const Bench *bench = context;
    char bytes[ANSWER_BYTES] = {0};
    size_t size;
    while (read(bench->to_bot[0], &size, sizeof size) == (ssize_t)sizeof size &&
           read_all(bench->to_bot[0], size) &&
           write(bench->from_bot[1], bytes, sizeof bytes) == (ssize_t)sizeof bytes)
        continue;
    return NULL;
}

static bool play_turn(Bench *bench) {
    const Game *game = bench->setup->game;
    if (bench->state->over)
        game->init(bench->setup, SEED, bench->state);
    for (uint32_t player = 0; player < PLAYERS; player++) {
        buffer_clear(&bench->view);
        size_t size = 0;
        buffer_add(&bench->view, &size, sizeof size); /* replaced below */
        game->view(bench->setup, bench->state, player, &bench->view);
        size = bench->view.length - sizeof size;
        memcpy(bench->view.data, &size, sizeof size);
        if (write(bench->to_bot[1], bench->view.data, bench->view.length) !=
                (ssize_t)bench->view.length ||
            !read_all(bench->from_bot[0], ANSWER_BYTES))
            return false;
    }
    game->step(bench->setup, bench->state, (const GameOrders *const *)bench->orders, NULL);
    return true;
}

/* Returns the nanoseconds per turn in the best slice; 0 on failure. */
static int64_t measure(Bench *bench) {
    int64_t until = clock_now() + CALIBRATION_MS * CLOCK_MS;
    int64_t best = 0;
    for (uint32_t slice = 0; slice < LEAST_SLICES || clock_now() < until; slice++) {
        bench->setup->game->init(bench->setup, SEED, bench->state);
        int64_t began = clock_now();
        for (uint32_t turn = 0; turn < SLICE_TURNS; turn++)
            if (!play_turn(bench))
                return 0;
        int64_t took = (clock_now() - began) / SLICE_TURNS;
        best = !best || took < best ? took : best;
    }
    return best;
}

static int64_t measure_with_bot(Bench *bench) {
    pthread_t bot;
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are for the main thread */
    bool started = pthread_create(&bot, NULL, answer, bench) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    int64_t took = started ? measure(bench) : 0;
    close(bench->to_bot[1]);
    bench->to_bot[1] = -1;
    if (started)
        pthread_join(bot, NULL);
    return took;
}

/* Pins this thread to its current core; `before` receives the set of cores that it may use. */
static void pin(cpu_set_t *before) {
    cpu_set_t one;
    int core = sched_getcpu();
    CPU_ZERO(before);
    if (core < 0 || sched_getaffinity(0, sizeof *before, before) != 0)
        return;
    CPU_ZERO(&one);
    CPU_SET((unsigned)core, &one);
    sched_setaffinity(0, sizeof one, &one); /* if this fails, the measured speed is a bit lower */
}

uint32_t calibration_measure(void) {
    Bench bench = {.to_bot = {-1, -1}, .from_bot = {-1, -1}};
    Error error;
    cpu_set_t cores;
    int64_t took = 0;
    const Game *game = game_find(slice_of(GAME), &error);
    const GameMap *map = game ? game_default_map(game, PLAYERS) : NULL;
    if (!map)
        return 0;
    GameFile file = {map->name, slice_of(map->text)};
    bench.setup = game->setup(&(GameFile){0}, &file, PLAYERS, &error);
    if (!bench.setup)
        return 0;
    bench.state = game_state_new(bench.setup);
    for (uint32_t i = 0; i < PLAYERS; i++)
        bench.orders[i] = game_orders_new(bench.setup);
    pin(&cores);
    if (pipe2(bench.to_bot, O_CLOEXEC) == 0 && pipe2(bench.from_bot, O_CLOEXEC) == 0)
        took = measure_with_bot(&bench);
    if (CPU_COUNT(&cores))
        sched_setaffinity(0, sizeof cores, &cores);
    for (uint32_t i = 0; i < 2; i++) {
        if (bench.to_bot[i] >= 0)
            close(bench.to_bot[i]);
        if (bench.from_bot[i] >= 0)
            close(bench.from_bot[i]);
    }
    for (uint32_t i = 0; i < PLAYERS; i++)
        free(bench.orders[i]);
    free(bench.state);
    buffer_free(&bench.view);
    game->setup_free(bench.setup);
    if (!took)
        return 0;
    int64_t speed = (CALIBRATION_REFERENCE_NS * INT64_C(100) + took / 2) / took;
    return speed ? (uint32_t)speed : 1;
}
