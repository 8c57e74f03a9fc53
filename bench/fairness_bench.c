/* Fairness under attack: compares the turn of an honest bot that follows a hostile bot's turn with
   its turn that follows a quiet bot's turn. All three play in one match on one core, and the honest
   bot's turns follow the other two alternately, so that each is compared with those just before and
   after it. The hostile bots are in tests/sandbox/hostile/burdens.c. Their attacks take effect
   within a few milliseconds, in the next bot's turn. */
#include "base/clock.h"
#include "bench.h"
#include "bots/match_bots.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MATCHES = 3, PAIRS = 12, BOTS = 3, QUIET = 0, HOSTILE = 1, HONEST = 2 };

/* Each bot uses most of what its limits allow. */
static const struct {
    const char *name;
    char *command;
} kinds[] = {
    {"timers", (char[]){"exec ./burdens timers"}},
    {"alarms", (char[]){"exec ./burdens alarms 60"}},
    {"threads", (char[]){"exec ./burdens threads 60"}},
    {"all at once", (char[]){"exec ./burdens all 28"}},
    {"short bursts", (char[]){"exec ./burdens bursts 1800"}},
    {"watches", (char[]){"exec ./burdens watches 40"}},
    {"exits", (char[]){"exec ./burdens exits 150"}},
    {"cold caches", (char[]){"exec ./burdens caches 64"}},
    {"new memory", (char[]){"exec ./burdens reserves 200"}},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static void fail(const char *why) {
    fprintf(stderr, "%s\n", why);
    exit(1);
}

/* Asks one bot and returns the milliseconds that it took. */
static double turn_of(MatchBots *bots, uint32_t bot) {
    match_bots_ask(bots, bot, slice_of("view\n"), 20000 * CLOCK_MS);
    if (!match_bots_wait(bots) || match_bots_reply(bots, bot)->kind != REPLY_ANSWER)
        fail("a bot gave no answer");
    return (double)match_bots_reply(bots, bot)->wall / 1e6;
}

/* The honest bot's turns in one match, in ms: after the quiet bot, after the hostile one, and so
   on, the last after the quiet one. The first is not counted: it includes the start. */
static void play(const Sandbox *sandbox, const BotSpec *specs, double *turns, uint32_t count) {
    Error error = {0};
    MatchBotsOptions options = {
        .framing = FRAMING_LINE,
        .answer_limit = 1 << 16,
        .sandbox = sandbox,
        .limits = sandbox_standard_limits,
        .in_turn = true,
    };
    MatchBots *bots = match_bots_new(BOTS, specs, &options, &error);
    for (uint32_t i = 0; i < BOTS; i++)
        if (!bots || !match_bots_start(bots, i, &error))
            fail(error.text);
    turn_of(bots, HONEST);
    for (uint32_t i = 0; i < count; i++) {
        turn_of(bots, i % 2 == 0 ? QUIET : HOSTILE);
        turns[i] = turn_of(bots, HONEST);
        match_bots_settle(bots);
    }
    match_bots_end(bots);
    match_bots_free(bots);
}

/* The amount of measurement for each kind of bot. */
typedef struct Effort {
    uint32_t matches;
    uint32_t pairs; /* pairs of turns in each match */
} Effort;

/* Plays some matches with one kind of hostile bot. Returns the ratio of each turn after the hostile
   bot's turns to the turns around it. */
static Stats measure(const Sandbox *sandbox, const BotSpec *specs, Effort effort, double *quiet) {
    double turns[2 * PAIRS + 1];
    double ratios[MATCHES * PAIRS];
    uint32_t count = 0;
    for (uint32_t match = 0; match < effort.matches; match++) {
        play(sandbox, specs, turns, 2 * effort.pairs + 1);
        for (size_t i = 0; i < effort.pairs; i++, count++) {
            ratios[count] = 2 * turns[2 * i + 1] / (turns[2 * i] + turns[2 * i + 2]);
            quiet[count] = turns[2 * i];
        }
    }
    return stats_of(ratios, count);
}

/* The directory of this program, where the bots are. */
static void find_directory(char directory[PATH_MAX]) {
    ssize_t length = readlink("/proc/self/exe", directory, PATH_MAX - 1);
    directory[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(directory, '/');
    if (slash)
        *slash = '\0';
}

void bench_fairness(const BenchOptions *options, Report *report) {
    static double quiet[KINDS * MATCHES * PAIRS];
    Effort effort = options->quick ? (Effort){1, 1} : (Effort){MATCHES, PAIRS};
    uint32_t samples = effort.matches * effort.pairs;
    char directory[PATH_MAX];
    find_directory(directory);
    Error error = {0};
    Sandbox *sandbox = sandbox_new(SANDBOX_BEST_EFFORT, &error);
    if (!sandbox)
        fail(error.text);
    BotSpec specs[BOTS] = {
        [QUIET] = {.command = (char[]){"exec ./burdens steps 0"}},
        /* about 45 ms on the project's machine */
        [HONEST] = {.command = options->quick ? (char[]){"exec ./burdens searches 1"}
                                              : (char[]){"exec ./burdens searches 28"}},
    };
    Stats worst = {0};
    for (uint32_t kind = 0; kind < KINDS; kind++) {
        specs[HOSTILE].command = kinds[kind].command;
        for (uint32_t i = 0; i < BOTS; i++) {
            specs[i].kind = BOT_PROCESS;
            specs[i].directory = directory;
        }
        Stats stats = measure(sandbox, specs, effort, quiet + (size_t)kind * samples);
        report_figure(report, "any", kinds[kind].name, "x quiet", stats, NULL);
        worst = stats.median > worst.median ? stats : worst;
    }
    report_figure(report, "any", "turn with quiet", "ms", stats_of(quiet, KINDS * samples),
                  "of an honest bot");
    report_figure(report, "any", "hostile / quiet", "", worst, "the worst; at most 1.05");
    sandbox_free(sandbox);
}
