/* Fairness under attack: the turn of an honest bot beside a hostile opponent, compared with its
   turn beside a quiet one. Both are measured in short matches that alternate on one core. The
   hostile opponent does everything that we know to slow others down
   (tests/sandbox/hostile/burdens.c). */
#include "base/clock.h"
#include "bench.h"
#include "bots/match_bots.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PAIRS_MAX = 64, TURNS = 7, BOTS = 2, OPPONENT = 0, HONEST = 1 };

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

/* The median turn of the honest bot in a match beside this opponent. */
static double honest_turn(const Sandbox *sandbox, const BotSpec *specs) {
    Error error = {0};
    MatchBotsOptions options = {
        .framing = FRAMING_LINE,
        .answer_limit = 1 << 16,
        .sandbox = sandbox,
        .limits = sandbox_standard_limits,
        .in_turn = true,
    };
    MatchBots *bots = match_bots_new(BOTS, specs, &options, &error);
    if (!bots || !match_bots_start(bots, OPPONENT, &error) ||
        !match_bots_start(bots, HONEST, &error))
        fail(error.text);
    double turns[TURNS];
    for (int i = 0; i < TURNS; i++) {
        turn_of(bots, OPPONENT);
        turns[i] = turn_of(bots, HONEST);
        match_bots_settle(bots);
    }
    match_bots_end(bots);
    match_bots_free(bots);
    return stats_of(turns, TURNS).median;
}

void bench_fairness(const BenchOptions *options, Report *report) {
    static double quiet[PAIRS_MAX];
    static double attacked[PAIRS_MAX];
    static double ratio[PAIRS_MAX];
    static char honest[] = "exec ./burdens steps 5";
    static char calm[] = "exec ./burdens steps 0";
    static char hostile[] = "exec ./burdens all 40";
    uint32_t pairs = options->quick ? 1 : 21;
    char directory[PATH_MAX] = "";
    ssize_t length = readlink("/proc/self/exe", directory, sizeof directory - 1);
    char *slash = length > 0 ? strrchr(directory, '/') : NULL;
    if (slash)
        *slash = '\0';
    Error error = {0};
    Sandbox *sandbox = sandbox_new(SANDBOX_BEST_EFFORT, &error);
    if (!sandbox)
        fail(error.text);
    BotSpec specs[BOTS] = {
        [OPPONENT] = {.kind = BOT_PROCESS, .directory = directory},
        [HONEST] = {.kind = BOT_PROCESS, .directory = directory, .command = honest},
    };
    for (uint32_t i = 0; i < pairs; i++) {
        specs[OPPONENT].command = calm;
        quiet[i] = honest_turn(sandbox, specs);
        specs[OPPONENT].command = hostile;
        attacked[i] = honest_turn(sandbox, specs);
        ratio[i] = attacked[i] / quiet[i];
    }
    report_figure(report, "any", "turn beside quiet", "ms", stats_of(quiet, pairs),
                  "of an honest bot");
    report_figure(report, "any", "turn beside hostile", "ms", stats_of(attacked, pairs), NULL);
    report_figure(report, "any", "hostile / quiet", "", stats_of(ratio, pairs), "at most 1.05");
    sandbox_free(sandbox);
}
