/* skirmish analyze: shows where a match was decided. */
#include "analysis/analysis.h"
#include "base/clock.h"
#include "base/memory.h"
#include "bots/process.h"
#include "cli/cli.h"
#include "cli/match_setup.h"
#include "cli/progress_bar.h"
#include "cli/sandbox_option.h"
#include "cli/terminal.h"
#include "league/dispatcher.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LINE_EVERY_MS = 10000 };

static const char help[] =
    "Show where a match was decided: winning chances turn by turn, and blunders.\n"
    "\n"
    "Usage: skirmish analyze REPLAY [options]\n"
    "\n"
    "Bots play on from sampled turns of the match, many times from each, with different seeds.\n"
    "A player's share of the wins is its winning chance at that turn, shown with its 95%\n"
    "confidence interval. Every player passes some turns at random, so that even bots without\n"
    "randomness play different matches. The largest drops are examined more closely: a turn is\n"
    "a blunder if the bot, in the player's place, would have found clearly better orders.\n"
    "\n"
    "The result is also written to a file next to the replay, which the viewer shows as a curve:\n"
    "match.analysis.json for match.skr.\n"
    "\n"
    "  --bots BOT            the bot that plays on, as for `skirmish play` (default\n"
    "                        house:medium); repeat it to name one for each player in order\n"
    "  --samples N           number of sampled turns (default 25)\n"
    "  --continuations N     matches from each of them (default 20); more make the intervals\n"
    "                        narrower and find smaller blunders\n"
    "  --passes PERCENT      share of turns that a player passes (default 10)\n"
    "  --seed N              seed of the continuations: the same seed and bots that use\n"
    "                        SKIRMISH_SEED give the same result (default 1)\n"
    "  --jobs N              matches to play at the same time (default: the number of cores)\n"
    "  --sandbox MODE        as for `skirmish play`\n"
    "  --output FILE         write the result for the viewer to this file (- for none)\n"
    "  --json                print the result as one JSON object; no file is written unless\n"
    "                        --output is given\n"
    "  --quiet               print no progress\n"
    "\n"
    "Exit status: 0 analysed, 1 internal failure, 2 invalid usage, file or bot, 130\n"
    "interrupted.\n"
    "\n"
    "Examples\n"
    "  skirmish analyze match.skr\n"
    "  skirmish analyze match.skr --samples 50 --continuations 40\n"
    "  skirmish analyze match.skr --bots ./my_bot --bots house:medium --json\n";

typedef struct Analyze {
    const char *path;
    const char *bots[GAME_PLAYERS_MAX];
    uint32_t bot_count;
    const char *output;
    bool json;
    bool quiet;
    uint32_t percent;
    uint64_t jobs;
    AnalysisOptions options;

    Sandbox *sandbox;
    Buffer replay;
    BotSpec *specs;
    uint32_t players;
    int64_t began;
    int64_t shown_at;
} Analyze;

/* ---- options ---- */

static bool add_bot(Analyze *analyze, const char *bot, Error *error) {
    if (analyze->bot_count == GAME_PLAYERS_MAX)
        return error_set(error, "--bots can be given at most %d times", GAME_PLAYERS_MAX);
    analyze->bots[analyze->bot_count++] = bot;
    return true;
}

static bool read_option(void *context, int option, const char *value, Error *error) {
    Analyze *analyze = context;
    AnalysisOptions *options = &analyze->options;
    switch (option) {
    case 'b':
        return add_bot(analyze, value, error);
    case 'n':
        return parse_count("--samples", value, 1, 10000, &options->samples, error);
    case 'c':
        return parse_count("--continuations", value, 1, 10000, &options->continuations, error);
    case 'p':
        return parse_count("--passes", value, 0, 90, &analyze->percent, error);
    case 's':
        return parse_number("--seed", value, 0, UINT64_MAX, &options->seed, error);
    case 'J':
        return parse_number("--jobs", value, 1, dispatcher_cores(), &analyze->jobs, error);
    case 'x':
        return read_sandbox_mode(value, &options->sandbox, error);
    case 'o':
        analyze->output = value;
        return true;
    case 'j':
        analyze->json = true;
        return true;
    default:
        analyze->quiet = true;
        return true;
    }
}

/* False when the exit status is in *status. */
static bool read_options(Analyze *analyze, int count, char **arguments, int *status) {
    static const struct option options[] = {
        {"bots", required_argument, NULL, 'b'},
        {"samples", required_argument, NULL, 'n'},
        {"continuations", required_argument, NULL, 'c'},
        {"passes", required_argument, NULL, 'p'},
        {"seed", required_argument, NULL, 's'},
        {"jobs", required_argument, NULL, 'J'},
        {"sandbox", required_argument, NULL, 'x'},
        {"output", required_argument, NULL, 'o'},
        {"json", no_argument, NULL, 'j'},
        {"quiet", no_argument, NULL, 'q'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    if (!read_each_option(&command_analyze, count, arguments, options, read_option, analyze,
                          status))
        return false;
    if (count - optind != 1) {
        *status = count > optind ? unexpected_argument(&command_analyze, arguments[optind + 1])
                                 : usage_error(&command_analyze, "expected REPLAY");
        return false;
    }
    analyze->path = arguments[optind];
    return true;
}

/* ---- start ---- */

/* Parses and builds the bots of all players. If only one bot is named, it plays for all. */
static bool open_bots(Analyze *analyze, Error *error) {
    Replay *replay = replay_open_memory(
        analyze->path, (Slice){analyze->replay.data, analyze->replay.length}, error);
    if (!replay)
        return false;
    const char *game = replay_header(replay)->game->name;
    uint32_t players = replay_header(replay)->players;
    replay_free(replay);
    if (!analyze->bot_count)
        add_bot(analyze, ANALYSIS_BOT, error);
    if (analyze->bot_count > 1 && analyze->bot_count != players)
        return error_set(error,
                         "the match has %u players, but --bots names %u bots; name one bot, "
                         "or one for each player",
                         players, analyze->bot_count);
    analyze->specs = xcalloc(players, sizeof *analyze->specs);
    analyze->players = players;
    for (uint32_t i = 0; i < players; i++) {
        BotSpec *spec = &analyze->specs[i];
        const char *bot = analyze->bots[analyze->bot_count > 1 ? i : 0];
        if (!bot_spec_parse(spec, bot, game, analyze->sandbox, error))
            return false;
        bool new = i == 0 || analyze->bot_count > 1;
        if (new && !build_bot(spec, analyze->sandbox, error))
            return false;
    }
    return true;
}

/* ---- progress ---- */

static void say(void *context, const char *message) {
    (void)context;
    print_error("%s", message);
}

/* Shows a bar in a terminal; elsewhere, prints a line now and then. */
static void show_progress(void *context, uint32_t done, uint32_t total) {
    Analyze *analyze = context;
    int64_t now = clock_now();
    if (total)
        progress_bar_show((double)done / total, "%u of %u continuations", done, total);
    if (analyze->quiet || !total || progress_bar_is_on() ||
        now - analyze->shown_at < LINE_EVERY_MS * CLOCK_MS)
        return;
    analyze->shown_at = now;
    print_to(stderr, "%u of %u continuations", done, total);
    if (done)
        print_to(stderr, ", %.0f s left",
                 (double)(now - analyze->began) / 1e9 / done * (total - done));
    print_to(stderr, "\n");
    fflush(stderr);
}

/* ---- the command ---- */

/* Writes the file for the viewer and prints the result. */
static bool print_analysis(const Analyze *analyze, const Analysis *analysis, Error *error) {
    Buffer path = {0};
    Buffer json = {0};
    Buffer text = {0};
    analysis_json(analysis, &json);
    if (analyze->output)
        buffer_text(&path, analyze->output);
    else if (!analyze->json && strcmp(analyze->path, "-") != 0)
        analysis_file_name(analyze->path, &path);
    bool writes = path.length && strcmp(buffer_string(&path), "-") != 0;
    bool good = !writes || print_file(buffer_string(&path), (Slice){json.data, json.length}, error);
    if (analyze->json) {
        print_buffer(TEXT_JSON, &json);
    } else {
        analysis_text(analysis, terminal_columns(stdout), terminal_has_colour(stdout), &text);
        print_buffer(TEXT_COLOURS, &text);
        if (writes && good)
            print("\n  analysis: %s\n", buffer_string(&path));
    }
    buffer_free(&path);
    buffer_free(&json);
    buffer_free(&text);
    return good;
}

static int run_analyze(Analyze *analyze) {
    Error error = {0};
    Analysis analysis = {0};
    catch_interrupts();
    if (!load_file(analyze->path, &analyze->replay, &error) ||
        !(analyze->sandbox = open_sandbox(analyze->options.sandbox, &error)) ||
        !process_prepare(&error) || !open_bots(analyze, &error)) {
        print_error("%s", error.text);
        return interrupt_seen ? STATUS_INTERRUPTED : STATUS_USAGE;
    }
    AnalysisOptions *options = &analyze->options;
    options->name = analyze->path;
    options->replay = (Slice){analyze->replay.data, analyze->replay.length};
    options->bots = analyze->specs;
    options->passes = analyze->percent * 10;
    options->jobs = (uint32_t)(analyze->jobs ? analyze->jobs : dispatcher_cores());
    options->progress = show_progress;
    options->report = say;
    options->context = analyze;
    options->interrupt = &interrupt_seen;
    analyze->began = analyze->shown_at = clock_now();
    progress_bar_begin(analyze->quiet, 0);
    bool good = analysis_run(&analysis, options, &error);
    progress_bar_end();
    good = good && print_analysis(analyze, &analysis, &error);
    if (!good)
        print_error("%s", error.text);
    bool unread = !analysis.point_count; /* the replay cannot be analysed */
    analysis_free(&analysis);
    if (good)
        return STATUS_DONE;
    return interrupt_seen ? STATUS_INTERRUPTED : unread ? STATUS_USAGE : STATUS_FAILURE;
}

static int run(int count, char **arguments) {
    Analyze analyze = {
        .percent = ANALYSIS_PASSES / 10,
        .options = {.samples = ANALYSIS_SAMPLES,
                    .continuations = ANALYSIS_CONTINUATIONS,
                    .seed = 1,
                    .sandbox = SANDBOX_BEST_EFFORT},
    };
    int status = STATUS_DONE;
    if (!read_options(&analyze, count, arguments, &status))
        return status;
    status = run_analyze(&analyze);
    for (uint32_t i = 0; i < analyze.players; i++)
        bot_spec_free(&analyze.specs[i]);
    free(analyze.specs);
    buffer_free(&analyze.replay);
    sandbox_free(analyze.sandbox);
    return status;
}

const Command command_analyze = {"analyze", help, run};
