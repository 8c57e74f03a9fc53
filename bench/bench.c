/* skirmish-bench: measures the speed of the games and of everything around them, pinned to one
   core, like a match.

   This file reads the options, runs the parts over the games and prints the figures; the parts do
   the measuring. */
#include "bench.h"

#include "base/json.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Every part, in the order of the columns of a game's figures. Add new parts here. */
static const struct {
    const char *name;
    void (*run)(const BenchScene *scene, const BenchOptions *options, Report *report);
} parts[] = {
    {"rules", bench_rules},
    {"match", bench_match},
};

static const char usage[] =
    "usage: skirmish-bench [--game NAME] [--part NAME] [--quick] [--json]\n"
    "\n"
    "Measures, for each game, on one core:\n"
    "  rules      turns a second of the rules alone, from recorded orders\n"
    "  views      views a second (one view is one player's), and their size\n"
    "  match      turns a second of whole matches between two trivial bots, without and with\n"
    "             a replay and the sandbox; the same bytes over bare pipes (the floor); the\n"
    "             ratio of the two, from alternating slices of a few turns; and how many\n"
    "             matches can be started and ended in a second\n"
    "and, once\n"
    "  sandbox    how long it takes to a bot's first word: bare, sandboxed, and in bwrap where\n"
    "             that is installed\n"
    "  fairness   the turn of an honest bot after that of each kind of hostile bot, compared\n"
    "             with those after a quiet bot in the same match\n"
    "  league     seconds to rate a thousand bots from a million results\n"
    "  tournament matches a second on all cores, compared with one core, bare and\n"
    "             sandboxed in turn, with the ratio; and what the dispatcher takes\n"
    "  store      how long each list of a store with 1,000 bots and 100,000 matches takes, a page\n"
    "             of 50 rows; and how many jobs its queue can lease and finish in a second\n"
    "\n"
    "Each figure is the median of several samples, with its 95% confidence interval, and the\n"
    "lowest and the highest sample.\n"
    "\n"
    "  --game NAME   that game only\n"
    "  --part NAME   that part only (rules measures views as well)\n"
    "  --quick       few and short samples: shows that it works, not how fast\n"
    "  --json        one JSON object instead of the table\n";

struct Report {
    const BenchOptions *options;
    int core;
    uint32_t rows;
    Buffer figures; /* members of the JSON array */
    JsonOut out;
};

uint32_t bench_samples(const BenchOptions *options) {
    return options->quick ? 3 : 11;
}

int64_t bench_sample_ns(const BenchOptions *options) {
    return options->quick ? 10000000 : 150000000;
}

GameSetup *bench_setup(const BenchScene *scene) {
    GameFile none = {0};
    Error error;
    GameSetup *setup = scene->game->setup(&none, &none, scene->players, &error);
    if (!setup) {
        fprintf(stderr, "%s: %s\n", scene->game->name, error.text);
        exit(1);
    }
    return setup;
}

GameState *bench_position(const BenchScene *scene, const GameSetup *setup) {
    GameState *state = game_state_new(setup);
    scene->game->init(setup, 1, state);
    if (scene->prepare)
        scene->prepare(setup, state);
    return state;
}

/* Three or four digits and a letter for the magnitude: "3.41 M". */
static const char *short_number(double value, char text[32]) {
    static const struct {
        double from;
        const char *letter;
    } scales[] = {{1e9, " G"}, {1e6, " M"}, {1e4, " k"}};
    const char *letter = "";
    for (size_t i = 0; i < sizeof scales / sizeof *scales && !letter[0]; i++)
        if (value >= scales[i].from) {
            value /= i < 2 ? scales[i].from : 1e3;
            letter = scales[i].letter;
        }
    snprintf(text, 32, "%.*f%s", value < 10 ? 2 : value < 1000 ? 1 : 0, value, letter);
    return text;
}

static void print_row(Report *report, const char *game, const char *figure, const char *unit,
                      Stats stats, const char *note) {
    char numbers[5][32];
    if (!report->rows)
        printf("%-13s %-17s %8s  %-9s %8s %8s %8s %8s\n", "game", "figure", "median", "unit",
               "95% from", "to", "lowest", "highest");
    printf("%-13s %-17s %8s  %-9s %8s %8s %8s %8s%s%s\n", game, figure,
           short_number(stats.median, numbers[0]), unit,
           stats.count > 1 ? short_number(stats.from, numbers[1]) : "",
           stats.count > 1 ? short_number(stats.to, numbers[2]) : "",
           stats.count > 1 ? short_number(stats.low, numbers[3]) : "",
           stats.count > 1 ? short_number(stats.high, numbers[4]) : "", note ? "  " : "",
           note ? note : "");
    fflush(stdout);
}

static void json_number_member(JsonOut *out, const char *key, double value) {
    Buffer text = {0};
    json_double(&text, value);
    json_out_raw(out, key, (Slice){text.data, text.length});
    buffer_free(&text);
}

static void add_json(Report *report, const char *game, const char *figure, const char *unit,
                     Stats stats, const char *note) {
    JsonOut *out = &report->out;
    json_open(out, NULL, '{');
    json_out_text(out, "game", game);
    json_out_text(out, "figure", figure);
    json_out_text(out, "unit", unit);
    json_number_member(out, "median", stats.median);
    json_number_member(out, "from", stats.from);
    json_number_member(out, "to", stats.to);
    json_number_member(out, "low", stats.low);
    json_number_member(out, "high", stats.high);
    json_out_uint(out, "samples", stats.count);
    if (note)
        json_out_text(out, "note", note);
    json_close(out, '}');
}

void report_figure(Report *report, const char *game, const char *figure, const char *unit,
                   Stats stats, const char *note) {
    (report->options->json ? add_json : print_row)(report, game, figure, unit, stats, note);
    report->rows++;
}

/* Pins this process, and everything it starts, to its current core: migrations cost more than the
   measured work. Returns the core, or -1. */
static int pin(void) {
    int core = sched_getcpu();
    if (core < 0)
        return -1;
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET((size_t)core, &set);
    return sched_setaffinity(0, sizeof set, &set) == 0 ? core : -1;
}

/* Parts that do not depend on a game; measured once. */
static const struct {
    const char *name;
    void (*run)(const BenchOptions *options, Report *report);
} single_parts[] = {
    {"sandbox", bench_sandbox}, {"fairness", bench_fairness},     {"league", bench_league},
    {"store", bench_store},     {"tournament", bench_tournament},
};

static void run_parts(const char *game, const char *part, const BenchOptions *options,
                      Report *report) {
    for (const BenchScene *const *scene = scenes_all; *scene; scene++) {
        if (game && strcmp((*scene)->game->name, game) != 0)
            continue;
        for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
            if (!part || strcmp(parts[i].name, part) == 0)
                parts[i].run(*scene, options, report);
    }
    for (size_t i = 0; i < sizeof single_parts / sizeof *single_parts; i++)
        if (part ? strcmp(part, single_parts[i].name) == 0 : !game)
            single_parts[i].run(options, report);
}

static _Noreturn void bad_usage(const char *what, const char *word) {
    fprintf(stderr, "%s %s\n\n%s", what, word, usage);
    exit(2);
}

int main(int count, char **arguments) {
    BenchOptions options = {0};
    const char *game = NULL;
    const char *part = NULL;
    for (int i = 1; i < count; i++) {
        const char *option = arguments[i];
        if (strcmp(option, "--help") == 0) {
            fputs(usage, stdout);
            return 0;
        }
        if (strcmp(option, "--quick") == 0)
            options.quick = true;
        else if (strcmp(option, "--json") == 0)
            options.json = true;
        else if ((strcmp(option, "--game") == 0 || strcmp(option, "--part") == 0) && i + 1 < count)
            *(option[2] == 'g' ? &game : &part) = arguments[++i];
        else
            bad_usage("this option is unknown or lacks its name:", option);
    }
    Error error;
    if (game && !game_find(slice_of(game), &error)) {
        fprintf(stderr, "%s\n", error.text);
        return 2;
    }
    Report report = {.options = &options, .core = pin()};
    report.out = (JsonOut){.to = &report.figures};
    if (!options.json && report.core < 0)
        printf("not pinned to a core: figures will vary\n");
    run_parts(game, part, &options, &report);
    if (!report.rows)
        bad_usage("no part is called", part ? part : "");
    if (options.json)
        printf("{\"core\":%d,\"quick\":%s,\"figures\":[%s]}\n", report.core,
               options.quick ? "true" : "false", buffer_string(&report.figures));
    buffer_free(&report.figures);
    return 0;
}
