/* skirmish compare: plays pairs of matches until a sequential test decides whether a new bot is
   better than an old one. */
#include "base/memory.h"
#include "cli/tournament_run.h"
#include "league/leg.h"
#include "league/sprt.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STATUS_NOT_BETTER = 3, STATUS_UNDECIDED = 4, PAIRS_USUAL = 20000, PAIRS_MOST = 1000000 };

static const char help[] =
    "Test whether a new bot is better than an old one.\n"
    "\n"
    "Usage: skirmish compare OLD NEW --game GAME [options]\n"
    "\n"
    "Plays pairs of matches on the same map and seed with the seats swapped, and stops as\n"
    "soon as the answer is known: a sequential probability ratio test (SPRT) over the five\n"
    "outcomes of a pair. Name bots as for `skirmish play`.\n"
    "\n"
    "Test options\n"
    "  --elo0 N              NEW is not better if it is ahead by at most N Elo (0) ...\n"
    "  --elo1 N              ... and better if it is ahead by at least N Elo (20)\n"
    "  --alpha P             probability of a wrong \"better\" (0.05)\n"
    "  --beta P              probability of a wrong \"not better\" (0.05)\n"
    "  --pairs N             stop without an answer after N pairs (20000)\n"
    "\n"
    "Match options\n"
    "  --map NAME|FILE       a standard map, a file, or generate:SEED[:SIZE]; can be\n"
    "                        repeated: pairs use the maps in turn\n"
    "  --config FILE         game configuration\n"
    "  --seed N              seed of all random events, also of bots that use\n"
    "                        SKIRMISH_SEED (default: random, printed)\n"
    "  --turn-time MS, --start-time MS, --sandbox MODE, --limit NAME=VALUE, --ponder\n"
    "                        as for `skirmish play`\n"
    "  --jobs N              matches at a time, each on its own core (default: all cores)\n"
    "\n"
    "Output options\n"
    "  --out FILE            write the results to FILE and the replays to FILE.replays/,\n"
    "                        as `skirmish tournament` does\n"
    "  --no-replays          write no replays\n"
    "  --json                print the answer as one JSON object\n"
    "  --quiet               print only errors and missing sandbox layers; the exit status is\n"
    "                        the answer\n"
    "\n"
    "Exit status: 0 better, 1 internal failure, 2 invalid usage, file or bot, 3 not better,\n"
    "4 undecided after --pairs, 130 interrupted.\n"
    "\n"
    "Examples\n"
    "  skirmish compare ./last_week ./today --game planetwars --map generate:1 --map generate:2\n"
    "  skirmish compare old new --game aliens --elo0 -10 --elo1 0   # is it at least as good?\n";

typedef struct MatchPair {
    uint64_t course; /* see verdict.h */
    uint32_t map;
    uint8_t half_points; /* half points of the new bot */
    bool played;
} MatchPair;

typedef struct Compare {
    TournamentRun run;
    Sprt sprt;
    uint64_t pairs_most;
    MatchPair *pairs;
    uint64_t counted;  /* pairs that the test has counted, in order */
    uint64_t repeated; /* counted pairs that are identical to the first pair on the same map */
    Error failure;     /* why a bot could not play, which ends the test undecided */
} Compare;

/* Pair i is played on map i modulo the number of maps, so the first pair on map m is pair m. */
static void count_pair(Compare *compare) {
    const MatchPair *pair = &compare->pairs[compare->counted];
    const MatchPair *first = &compare->pairs[pair->map];
    compare->repeated += pair != first && pair->course == first->course;
    sprt_add(&compare->sprt, pair->half_points);
    compare->counted++;
}

/* Pairs count in the order in which they started. Otherwise quick matches would count first and
   bias the test. */
static void pair_ended(void *context, const Fixture *fixture, uint32_t matches,
                       const uint32_t *ranks, uint64_t course, const char *forfeit) {
    Compare *compare = (Compare *)context;
    uint32_t newer = fixture->bots[0] == 1 ? 0 : 1;
    uint8_t half_points = 0;
    if (forfeit && compare->sprt.verdict == SPRT_UNDECIDED) {
        error_set(&compare->failure, "%s", forfeit);
        tournament_abort(compare->run.tournament);
    }
    if (compare->failure.text[0])
        return;
    for (uint32_t i = 0; i < matches; i++) {
        uint32_t new_rank = ranks[i * 2 + newer];
        uint32_t old_rank = ranks[i * 2 + 1 - newer];
        half_points = (uint8_t)(half_points + (new_rank < old_rank ? 2 : new_rank == old_rank));
    }
    compare->pairs[fixture->round - 1] =
        (MatchPair){course, leg_map(&compare->run.plan, fixture, 0), half_points, true};
    while (compare->sprt.verdict == SPRT_UNDECIDED && compare->counted < compare->pairs_most &&
           compare->pairs[compare->counted].played)
        count_pair(compare);
    if (compare->sprt.verdict != SPRT_UNDECIDED)
        tournament_abort(compare->run.tournament);
}

/* ---- options ---- */

static bool read_decimal(const char *option, const char *text, double low, double high, double *to,
                         Error *error) {
    char *end;
    double value = strtod(text, &end);
    if (!*text || *end || !isfinite(value) || value < low || value > high)
        return error_set(error, "%s must be a number from %g to %g, not \"%.40s\"", option, low,
                         high, text);
    *to = value;
    return true;
}

static bool read_option(void *context, int option, const char *value, Error *error) {
    Compare *compare = context;
    switch (option) {
    case '0':
        return read_decimal("--elo0", value, -2000, 2000, &compare->sprt.elo0, error);
    case '1':
        return read_decimal("--elo1", value, -2000, 2000, &compare->sprt.elo1, error);
    case 'a':
        return read_decimal("--alpha", value, 0, 1, &compare->sprt.alpha, error);
    case 'b':
        return read_decimal("--beta", value, 0, 1, &compare->sprt.beta, error);
    case 'H':
        return error_set(error, "unknown option \"--html\"");
    case 'P':
        return parse_number("--pairs", value, 1, PAIRS_MOST, &compare->pairs_most, error);
    default:
        return tournament_run_option(&compare->run, option, value, error);
    }
}

static bool read_options(Compare *compare, int count, char **arguments, int *status) {
    static const struct option options[] = {
        TOURNAMENT_RUN_OPTIONS,
        {"elo0", required_argument, NULL, '0'},
        {"elo1", required_argument, NULL, '1'},
        {"alpha", required_argument, NULL, 'a'},
        {"beta", required_argument, NULL, 'b'},
        {"pairs", required_argument, NULL, 'P'},
        {NULL, 0, NULL, 0},
    };
    Error error;
    if (!read_each_option(&command_compare, count, arguments, options, read_option, compare,
                          status))
        return false;
    if (count - optind != 2)
        *status = usage_error(&command_compare, "expected two bots, OLD and NEW, but %d %s given",
                              count - optind, count - optind == 1 ? "was" : "were");
    else if (!sprt_check(&compare->sprt, &error))
        *status = usage_error(&command_compare, "%s", error.text);
    else
        return true;
    return false;
}

/* ---- output ---- */

static const char *answer_of(const Compare *compare) {
    return compare->sprt.verdict == SPRT_ACCEPTS_ELO1   ? "better"
           : compare->sprt.verdict == SPRT_ACCEPTS_ELO0 ? "not better"
                                                        : "undecided";
}

/* Writes the odds with three digits, capped at the odds that decide the test. */
static void write_odds(Buffer *to, double llr, double chance) {
    double odds = fmin(exp(llr), 1 / chance);
    buffer_format(to, "%.3g (needs %.3g)", odds < 0.01 ? 0 : odds, 1 / chance);
}

/* The state of the test in three or four lines. */
static void write_state(const Compare *compare, Buffer *to) {
    const Sprt *sprt = &compare->sprt;
    const uint64_t *pairs = sprt->pairs;
    SprtEstimate estimate = sprt_estimate(sprt);
    buffer_format(to,
                  "Elo %+.1f (95%% interval %+.1f to %+.1f), probability of being better: %.1f%%\n",
                  estimate.elo, estimate.elo_low, estimate.elo_high, 100 * estimate.superiority);
    buffer_text(to, "odds for \"better\" ");
    write_odds(to, sprt->llr1, sprt->alpha);
    buffer_text(to, ", for \"not better\" ");
    write_odds(to, sprt->llr0, sprt->beta);
    buffer_char(to, '\n');
    buffer_format(to,
                  "%" PRIu64 " pairs: 0 points %" PRIu64 ", 1/2 %" PRIu64 ", 1 %" PRIu64
                  ", 3/2 %" PRIu64 ", 2 %" PRIu64 "\n",
                  compare->counted, pairs[0], pairs[1], pairs[2], pairs[3], pairs[4]);
    if (compare->repeated * 2 > compare->counted)
        buffer_format(
            to,
            "%" PRIu64
            " pairs repeated the first pair on the same map exactly: these bots are nearly\n"
            "deterministic, so more pairs add little. Add maps with --map.\n",
            compare->repeated);
}

static void show_state(TournamentRun *run, Buffer *to) {
    const Compare *compare = (const Compare *)run; /* its first member */
    if (compare->counted)
        write_state(compare, to);
}

static void write_json(const Compare *compare, Buffer *to) {
    const Plan *plan = &compare->run.plan;
    SprtEstimate estimate = sprt_estimate(&compare->sprt);
    JsonOut out = {.to = to};
    json_open(&out, NULL, '{');
    json_out_text(&out, "answer", answer_of(compare));
    json_out_text(&out, "game", plan->game->name);
    json_out_text(&out, "old", plan->bots[0].text);
    json_out_text(&out, "new", plan->bots[1].text);
    json_out_uint(&out, "seed", plan->seed);
    json_out_double(&out, "elo0", compare->sprt.elo0);
    json_out_double(&out, "elo1", compare->sprt.elo1);
    json_out_double(&out, "alpha", compare->sprt.alpha);
    json_out_double(&out, "beta", compare->sprt.beta);
    json_out_uint(&out, "pairs", compare->counted);
    json_open(&out, "by_points", '[');
    for (int i = 0; i < 5; i++)
        json_out_uint(&out, NULL, compare->sprt.pairs[i]);
    json_close(&out, ']');
    json_out_uint(&out, "repeated", compare->repeated);
    json_out_double(&out, "llr_better", compare->sprt.llr1);
    json_out_double(&out, "llr_better_needed", -log(compare->sprt.alpha));
    json_out_double(&out, "llr_not_better", compare->sprt.llr0);
    json_out_double(&out, "llr_not_better_needed", -log(compare->sprt.beta));
    json_out_double(&out, "elo", estimate.elo);
    json_out_double(&out, "elo_low", estimate.elo_low);
    json_out_double(&out, "elo_high", estimate.elo_high);
    json_out_double(&out, "superiority", estimate.superiority);
    for (uint32_t i = 0; i < 2; i++) {
        const char *failure =
            standings_row(tournament_standings(compare->run.tournament), i)->failure;
        const char *key = i ? "new_failure" : "old_failure";
        if (failure)
            json_out_text(&out, key, failure);
        else
            json_out_null(&out, key);
    }
    json_close(&out, '}');
    buffer_char(to, '\n');
}

/* Reports failures: a bot that crashes loses, and without this its author would blame its
   strategy. */
static void write_failures(const TournamentRun *run, Buffer *to) {
    const Standings *standings = tournament_standings(run->tournament);
    for (uint32_t i = 0; i < 2; i++) {
        const StandingsRow *row = standings_row(standings, i);
        if (row->crashes || row->timeouts)
            buffer_format(to,
                          "%s: %" PRIu64 " crashes and %" PRIu64 " timeouts in %" PRIu64
                          " matches; last failure: %s\n",
                          row->name, row->crashes, row->timeouts, row->matches,
                          row->failure ? row->failure : "unknown");
    }
}

static int finish(const Compare *compare, TournamentState state, const Error *error) {
    const TournamentRun *run = &compare->run;
    bool decided = compare->sprt.verdict != SPRT_UNDECIDED;
    if (state == TOURNAMENT_FAILED && !decided) {
        print_error("%s", error->text);
        return STATUS_FAILURE;
    }
    if (compare->failure.text[0]) {
        print_error("%s", compare->failure.text);
        return STATUS_USAGE;
    }
    Buffer text = {0};
    if (run->output.json) {
        write_json(compare, &text);
    } else if (!run->output.quiet) {
        write_state(compare, &text);
        write_failures(run, &text);
        buffer_format(
            &text, "%s: %s is %s than %s (elo0 %g, elo1 %g, alpha %g, beta %g; seed %" PRIu64 ")\n",
            run->plan.game->name, run->plan.bots[1].name,
            decided ? answer_of(compare) : "not proven better or worse", run->plan.bots[0].name,
            compare->sprt.elo0, compare->sprt.elo1, compare->sprt.alpha, compare->sprt.beta,
            run->plan.seed);
    }
    print_buffer(run->output.json ? TEXT_JSON : TEXT_LINES, &text);
    buffer_free(&text);
    if (decided)
        return compare->sprt.verdict == SPRT_ACCEPTS_ELO1 ? STATUS_DONE : STATUS_NOT_BETTER;
    return state == TOURNAMENT_STOPPED ? STATUS_INTERRUPTED : STATUS_UNDECIDED;
}

/* ---- the command ---- */

/* A bot that cannot play at all is an error, not a result. */
static bool check_bots(const Compare *compare, Error *error) {
    for (uint32_t i = 0; i < 2; i++) {
        const char *failure = tournament_bot_failure(compare->run.tournament, i);
        if (failure)
            return error_set(error, "%s", failure);
    }
    return true;
}

static int run_compare(Compare *compare, char *older, char *newer) {
    TournamentRun *run = &compare->run;
    Plan *plan = &run->plan;
    Error error = {0};
    TournamentOptions more = {.context = compare, .ended = pair_ended};
    Buffer replays = {0};
    run->may_end_soon = true;
    plan->format = FORMAT_ROUND_ROBIN;
    plan->players = 2;
    plan->games = 1;
    plan->rounds = (uint32_t)compare->pairs_most;
    plan_add_bot(plan, NULL, older);
    plan_add_bot(plan, NULL, newer);
    if (run->out && !plan->no_replays) {
        buffer_format(&replays, "%s.replays", run->out);
        buffer_string(&replays);
        run->replays = replays.data;
    }
    if (!tournament_run_prepare(run, &error) || !tournament_run_open(run, NULL, &more, &error)) {
        if (!interrupt_seen)
            print_error("%s", error.text);
        return interrupt_seen ? STATUS_INTERRUPTED : STATUS_USAGE;
    }
    if (!check_bots(compare, &error)) {
        print_error("%s", error.text);
        return STATUS_USAGE;
    }
    return finish(compare, tournament_run_play(run, show_state, &error), &error);
}

static int run_command(int count, char **arguments) {
    Compare compare = {
        .run = {.plan = {.sandbox = SANDBOX_BEST_EFFORT}},
        .sprt = {.elo0 = 0, .elo1 = 20, .alpha = 0.05, .beta = 0.05},
        .pairs_most = PAIRS_USUAL,
    };
    int status = STATUS_DONE;
    if (!read_options(&compare, count, arguments, &status))
        return status;
    compare.pairs = xcalloc(compare.pairs_most, sizeof *compare.pairs);
    status = run_compare(&compare, arguments[optind], arguments[optind + 1]);
    tournament_run_free(&compare.run);
    free(compare.pairs);
    return status;
}

const Command command_compare = {"compare", help, run_command};
