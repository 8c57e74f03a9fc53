/* Shared by the parts of the benchmark program.

   A part is a function that measures some figures of one game and adds them to the report; bench.c
   lists the parts. Figures are medians of several samples, with the lowest and the highest, because
   machines are noisy. */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include "base/buffer.h"
#include "scene.h"
#include "stats.h"

typedef struct BenchOptions {
    bool quick; /* fewer and shorter samples, only to check that it works */
    bool json;
} BenchOptions;

/* The number of samples of a figure, and the duration of each. */
uint32_t bench_samples(const BenchOptions *options);
int64_t bench_sample_ns(const BenchOptions *options);

/* Prints one figure: as a row of the table at once, or collected for the JSON. `figure` and `unit`
   are words such as "rules" and "turns/s"; `note` may be NULL. */
typedef struct Report Report;
void report_figure(Report *report, const char *game, const char *figure, const char *unit,
                   Stats stats, const char *note);

/* The game's default setup for the scene, and the state in its position. The caller frees both. */
GameSetup *bench_setup(const BenchScene *scene);
GameState *bench_position(const BenchScene *scene, const GameSetup *setup);

/* ---- the parts ---- */

/* Turns and views per second of the rules alone. */
void bench_rules(const BenchScene *scene, const BenchOptions *options, Report *report);

/* Turns per second of whole matches, compared with the same bytes over bare pipes; the cost of
   starting and ending matches. */
void bench_match(const BenchScene *scene, const BenchOptions *options, Report *report);

/* Milliseconds from the start of a bot to its first output: without a sandbox, in the sandbox, in
   bwrap. */
void bench_sandbox(const BenchOptions *options, Report *report);

/* The turn of an honest bot against a hostile opponent, compared with one against a quiet
   opponent. */
void bench_fairness(const BenchOptions *options, Report *report);

/* Seconds to rate a thousand bots from a million results. */
void bench_league(const BenchOptions *options, Report *report);

/* Matches per second of a tournament on all cores. */
void bench_tournament(const BenchOptions *options, Report *report);

/* Microseconds for every list of a store with 100,000 matches, and jobs per second. */
void bench_store(const BenchOptions *options, Report *report);

#endif
