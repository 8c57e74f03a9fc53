/* Ratings at the documented size: a thousand bots and a million results, of two players and of
   four, with and without ties. Fitted from scratch, and again after one additional result, as
   during a tournament. */
#include "base/random.h"
#include "bench.h"
#include "league/rating.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { SAMPLES_MAX = 3, PLAYERS_MAX = 4 };

typedef struct Size {
    uint32_t bots;
    uint32_t results;
} Size;

/* Adds a random result: strengths are at most a thousand points apart, and with `ties` one result
   in five has a shared first place. */
static void add_result(Ratings *ratings, Random *random, uint32_t bots_all, uint32_t players,
                       bool ties) {
    uint32_t bots[PLAYERS_MAX];
    uint32_t ranks[PLAYERS_MAX];
    double times[PLAYERS_MAX];
    for (uint32_t i = 0; i < players; i++) {
        bool taken = true;
        while (taken) {
            bots[i] = random_below(random, bots_all);
            taken = false;
            for (uint32_t j = 0; j < i; j++)
                taken = taken || bots[j] == bots[i];
        }
        double strength = exp(5.8 * bots[i] / bots_all);
        times[i] = -log((random_below(random, 1000000) + 0.5) / 1e6) / strength;
    }
    bool shared = ties && random_below(random, 5) == 0;
    for (uint32_t i = 0; i < players; i++) {
        ranks[i] = 1;
        for (uint32_t j = 0; j < players; j++)
            ranks[i] += times[j] < times[i];
        if (shared && ranks[i] == 2)
            ranks[i] = 1;
    }
    ratings_add(ratings, players, bots, ranks, 1);
}

/* CPU time, because this thread never waits and the machine may be busy. */
static double seconds_used(void) {
    struct timespec used;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return (double)used.tv_sec + (double)used.tv_nsec / 1e9;
}

static double seconds_to_fit(Ratings *ratings) {
    Error error = {0};
    double began = seconds_used();
    if (!ratings_fit(ratings, &error)) {
        fprintf(stderr, "%s\n", error.text);
        exit(1);
    }
    return seconds_used() - began;
}

void bench_league(const BenchOptions *options, Report *report) {
    static const struct {
        const char *name;
        const char *again;
        uint32_t players;
        bool ties;
    } cases[] = {{"rate 2 players", "one more of 2", 2, false},
                 {"rate 2, draws", "one more, draws", 2, true},
                 {"rate 4 players", "one more of 4", 4, false},
                 {"rate 4, ties", "one more, ties", 4, true}};
    Size size = options->quick ? (Size){100, 10000} : (Size){1000, 1000000};
    uint32_t samples = options->quick ? 1 : SAMPLES_MAX;
    char note[64];
    snprintf(note, sizeof note, "%u bots, %u results", size.bots, size.results);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double first[SAMPLES_MAX];
        double again[SAMPLES_MAX];
        for (uint32_t sample = 0; sample < samples; sample++) {
            Random random = random_seeded(sample + 1);
            Ratings *ratings = ratings_new(size.bots);
            for (uint32_t result = 0; result < size.results; result++)
                add_result(ratings, &random, size.bots, cases[i].players, cases[i].ties);
            first[sample] = seconds_to_fit(ratings);
            add_result(ratings, &random, size.bots, cases[i].players, cases[i].ties);
            again[sample] = seconds_to_fit(ratings);
            ratings_free(ratings);
        }
        report_figure(report, "any", cases[i].name, "s", stats_of(first, samples), note);
        report_figure(report, "any", cases[i].again, "s", stats_of(again, samples),
                      "fitted again after one more result");
    }
}
