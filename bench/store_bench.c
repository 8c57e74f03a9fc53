/* The store of a busy arena with 1,000 bots and 100,000 matches: microseconds for every list that a
   page shows, from the start and from various positions, and how many jobs per second can be leased
   and finished. Smaller numbers with --quick. */
#include "base/clock.h"
#include "bench.h"
#include "store_questions.h"

#include <ftw.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { SAMPLES = 2000, WAITING = 5000 };

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *place) {
    (void)status;
    (void)type;
    (void)place;
    return remove(path);
}

/* CPU time of this thread, independent of other load. */
static int64_t cpu_now(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* Measures one query. Each page continues where the previous one ended; when a list ends, another
   bot follows. */
static void time_question(Crowd *crowd, size_t index, uint32_t samples, Report *report) {
    static double taken[SAMPLES];
    static double worked[SAMPLES];
    StorePage page = {.limit = QUESTION_PAGE};
    uint64_t bot = 1;
    for (uint32_t i = 0; i < samples; i++) {
        Error error;
        if (!page.from.id)
            bot = 1 + random_below(&crowd->random, crowd->bots);
        int64_t cpu_began = cpu_now();
        int64_t began = clock_now();
        crowd_must(store_questions[index].ask(crowd, bot, &page, &error), &error);
        taken[i] = (double)(clock_now() - began) / 1000;
        worked[i] = (double)(cpu_now() - cpu_began) / 1000;
        page.from = i % 200 == 199 ? (StoreCursor){0} : page.next;
    }
    Stats stats = stats_of(taken, samples);
    stats_of(worked, samples); /* stats_of sorts the samples */
    char note[64];
    snprintf(note, sizeof note, "p99 %.0f; of the CPU's time %.0f",
             stats_share(taken, samples, 0.99), stats_share(worked, samples, 0.99));
    report_figure(report, "store", store_questions[index].name, "us", stats, note);
}

/* Jobs per second, leased ten at a time and finished one by one. */
static void time_queue(Crowd *crowd, const char *name, uint32_t samples, uint32_t batch,
                       Report *report) {
    double rates[64];
    for (uint32_t i = 0; i < samples; i++) {
        crowd_ask(crowd, batch);
        int64_t began = clock_now();
        uint32_t done = crowd_play(crowd, batch);
        rates[i] = (double)done * 1e9 / (double)(clock_now() - began);
    }
    report_figure(report, "store", name, "jobs/s", stats_of(rates, samples), NULL);
}

void bench_store(const BenchOptions *options, Report *report) {
    const char *place = getenv("TMPDIR");
    char directory[512];
    snprintf(directory, sizeof directory, "%s/skirmish-bench-XXXXXX", place ? place : "/tmp");
    if (!mkdtemp(directory)) {
        perror(directory);
        exit(1);
    }
    Crowd crowd = {.bots = options->quick ? 50 : 1000,
                   .games = 5,
                   .matches = options->quick ? 500 : 100000,
                   .random = random_seeded(1)};
    crowd_open(&crowd, directory, true);
    crowd_add_people(&crowd);
    crowd_add_bots(&crowd);
    crowd_ask(&crowd, crowd.matches);
    crowd_play(&crowd, crowd.matches);
    crowd_ask(&crowd, options->quick ? 50 : WAITING);
    for (size_t i = 0; i < store_question_count; i++)
        time_question(&crowd, i, options->quick ? 20 : SAMPLES, report);
    crowd_play(&crowd, WAITING);
    time_queue(&crowd, "queue, relaxed", options->quick ? 1 : 11, options->quick ? 50 : 2000,
               report);
    store_close(crowd.store, NULL);
    crowd_open(&crowd, directory, false);
    time_queue(&crowd, "queue, synced", options->quick ? 1 : 11, options->quick ? 20 : 500, report);
    store_close(crowd.store, NULL);
    store_questions_free();
    nftw(directory, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}
