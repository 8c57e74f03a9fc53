/* Whole tournaments of short matches between trivial bots on all cores, compared with the same
   matches played sequentially in one process on one core: the cost of the dispatcher, the sockets,
   the file and the load on the other cores. Measured without and with the sandbox. */
#include "base/clock.h"
#include "bench.h"
#include "bots/process.h"
#include "league/tournament.h"

#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { SAMPLES_MAX = 11 };

static const char config_text[] = "{\"max_turns\": 20}";

/* This program's directory; skirmish is in its parent. */
static void own_directory(char *to, size_t size) {
    ssize_t length = readlink("/proc/self/exe", to, size - 1);
    to[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(to, '/');
    if (slash)
        *slash = '\0';
}

static _Noreturn void fail(const Error *error) {
    fprintf(stderr, "%s\n", error->text);
    exit(1);
}

static Plan make_plan(const char *directory, SandboxMode mode, uint32_t matches) {
    Plan plan = {.game = game_find(slice_of("planetwars"), NULL),
                 .sandbox = mode,
                 .rounds = matches / 2,
                 .no_replays = true};
    Buffer bot = {0};
    Error error;
    buffer_format(&bot, "%s/trivial_bot '\\n' '' '{\"moves\":[]}\\n'", directory);
    for (int i = 0; i < 2; i++)
        plan_add_bot(&plan, NULL, buffer_string(&bot));
    buffer_free(&bot);
    plan.config = (PlanFile){strdup("short"), strdup(config_text)};
    if (!plan_settle(&plan, &error))
        fail(&error);
    return plan;
}

/* Matches per second, played sequentially on one core. */
static double rate_alone(const Plan *plan, const Sandbox *sandbox, uint32_t matches) {
    BotSpec bots[2];
    Error error = {0};
    for (int i = 0; i < 2; i++)
        if (!bot_spec_parse(&bots[i], plan->bots[i].text, plan->game->name, sandbox, &error))
            fail(&error);
    GameFile config = plan_config(plan);
    GameFile map = plan_map(plan, 0);
    int64_t began = clock_now();
    for (uint32_t i = 0; i < matches; i++) {
        Verdict verdict;
        MatchOptions options = {
            .setup = plan->game->setup(&config, &map, 2, &error),
            .seed = i,
            .sandbox = sandbox,
            .limits = sandbox_standard_limits,
            .bots = bots,
            .config = &config,
            .map = &map,
        };
        if (!options.setup || match_play(&options, &verdict, &error) != MATCH_PLAYED)
            fail(&error);
        verdict_free(&verdict);
    }
    double seconds = (double)(clock_now() - began) / 1e9;
    for (int i = 0; i < 2; i++)
        bot_spec_free(&bots[i]);
    return matches / seconds;
}

static double own_cpu(void) {
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    return (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
           (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec) / 1e6;
}

/* Matches per second in a tournament, and the share of all cores that this process (the dispatcher
   with its file) used. Excludes the start of the runners. */
static double rate_tournament(Plan *plan, const Sandbox *sandbox, const char *program,
                              uint32_t jobs, double *share) {
    char out[] = "/tmp/skirmish-bench-XXXXXX";
    Error error = {0};
    int fd = mkstemp(out);
    if (fd >= 0)
        close(fd);
    unlink(out);
    TournamentOptions options = {
        .plan = plan, .out = out, .jobs = jobs, .program = program, .sandbox = sandbox};
    Tournament *tournament = tournament_new(&options, &error);
    if (!tournament)
        fail(&error);
    TournamentState state = TOURNAMENT_IN_PROGRESS;
    while (state == TOURNAMENT_IN_PROGRESS && tournament_done(tournament) < jobs)
        state = tournament_step(tournament, 1, &error);
    uint64_t first = tournament_done(tournament);
    int64_t began = clock_now();
    double cpu = own_cpu();
    while (state == TOURNAMENT_IN_PROGRESS)
        state = tournament_step(tournament, 250, &error);
    double seconds = (double)(clock_now() - began) / 1e9;
    if (state != TOURNAMENT_FINISHED)
        fail(&error);
    *share = (own_cpu() - cpu) / (seconds * jobs);
    double rate = (double)(tournament_done(tournament) - first) / seconds;
    tournament_free(tournament);
    unlink(out);
    return rate;
}

/* Allows all processes to use all cores, or only the current one. */
static void spread(bool wide, const cpu_set_t *all) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET((size_t)sched_getcpu(), &one);
    sched_setaffinity(0, sizeof one, wide ? all : &one);
}

/* The same tournament without and with the sandbox. */
typedef struct Side {
    const char *what;
    SandboxMode mode;
    uint32_t matches; /* per sample and job */
    Sandbox *sandbox;
    Plan plan;
    double alone[SAMPLES_MAX];
    double together[SAMPLES_MAX];
    double ratio[SAMPLES_MAX];
    double share[SAMPLES_MAX];
} Side;

static void side_open(Side *side, const char *directory, uint32_t jobs) {
    Error error = {0};
    side->sandbox = sandbox_new(side->mode, &error);
    if (!side->sandbox)
        fail(&error);
    side->plan = make_plan(directory, side->mode, side->matches * jobs);
}

static void side_measure(Side *side, uint32_t i, const char *program, const cpu_set_t *all) {
    uint32_t jobs = (uint32_t)CPU_COUNT(all);
    spread(false, all);
    side->alone[i] = rate_alone(&side->plan, side->sandbox, side->matches);
    spread(true, all);
    side->together[i] = rate_tournament(&side->plan, side->sandbox, program, jobs, &side->share[i]);
    side->ratio[i] = 100 * side->together[i] / (side->alone[i] * jobs);
    side->share[i] *= 100;
}

/* Sorts the samples. */
static void side_report(Side *side, uint32_t samples, uint32_t jobs, Report *report) {
    char note[80];
    snprintf(note, sizeof note, "%s, one after the other on one core", side->what);
    report_figure(report, "planetwars", "matches alone", "per s", stats_of(side->alone, samples),
                  note);
    snprintf(note, sizeof note, "%s, a tournament of %u with %u jobs", side->what,
             side->matches * jobs, jobs);
    report_figure(report, "planetwars", "tournament", "per s", stats_of(side->together, samples),
                  note);
    snprintf(note, sizeof note, "of %u times the rate alone", jobs);
    report_figure(report, "planetwars", "of full speed", "%", stats_of(side->ratio, samples), note);
    report_figure(report, "planetwars", "dispatcher", "%", stats_of(side->share, samples),
                  "of the CPU, its file included");
    plan_free(&side->plan);
    sandbox_free(side->sandbox);
}

void bench_tournament(const BenchOptions *options, Report *report) {
    static Side bare = {.what = "bare", .mode = SANDBOX_NONE};
    static Side guarded = {.what = "sandboxed", .mode = SANDBOX_BEST_EFFORT};
    static double alone[SAMPLES_MAX];
    static double together[SAMPLES_MAX];
    char directory[PATH_MAX];
    char program[PATH_MAX + 16];
    cpu_set_t before;
    cpu_set_t all;
    Error error = {0};
    uint32_t samples = options->quick ? 1 : SAMPLES_MAX;
    sched_getaffinity(0, sizeof before, &before);
    memset(&all, 0xff, sizeof all); /* the kernel ignores cores that do not exist */
    sched_setaffinity(0, sizeof all, &all);
    sched_getaffinity(0, sizeof all, &all);
    uint32_t jobs = (uint32_t)CPU_COUNT(&all);
    own_directory(directory, sizeof directory);
    snprintf(program, sizeof program, "%s/../skirmish", directory);
    if (!process_prepare(&error))
        fail(&error);
    bare.matches = guarded.matches = options->quick ? 20 : 100;
    side_open(&bare, directory, jobs);
    side_open(&guarded, directory, jobs);
    /* Short samples, taken alternately, so that noise affects both. */
    for (uint32_t i = 0; i < samples; i++) {
        side_measure(&bare, i, program, &all);
        side_measure(&guarded, i, program, &all);
        alone[i] = 100 * guarded.alone[i] / bare.alone[i];
        together[i] = 100 * guarded.together[i] / bare.together[i];
    }
    side_report(&bare, samples, jobs, report);
    side_report(&guarded, samples, jobs, report);
    report_figure(report, "planetwars", "sandboxed / bare", "%", stats_of(alone, samples),
                  "matches alone");
    report_figure(report, "planetwars", "sandboxed / bare", "%", stats_of(together, samples),
                  "a tournament");
    sched_setaffinity(0, sizeof before, &before);
}
