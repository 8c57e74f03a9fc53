/* skirmish check: runs the conformance test on a bot and prints its report. */
#include "check/check.h"

#include "base/paint.h"
#include "bots/process.h"
#include "cli/match_setup.h"
#include "cli/progress_bar.h"
#include "cli/sandbox_option.h"
#include "cli/terminal.h"

#include <getopt.h>
#include <stdio.h>
#include <unistd.h>

static const char help[] =
    "Check that a bot follows the protocol of its game.\n"
    "\n"
    "Usage: skirmish check BOT [options]\n"
    "\n"
    "Plays short matches in every seat and on every standard map, ends the bot's input, sends\n"
    "views in pieces, several at once and with other line ends, measures time and memory, and\n"
    "tests whether matches repeat. Every finding says what was sent, what was received and what\n"
    "to change. Name BOT as for `skirmish play`.\n"
    "\n"
    "  --game GAME           the game; required unless the bot's bot.json names it\n"
    "  --seed N              seed of the matches (default 1)\n"
    "  --turn-time MS, --start-time MS, --limit NAME=VALUE\n"
    "                        as for `skirmish play`\n"
    "  --sandbox MODE        strict, strict-except-uid, best-effort (default) or none\n"
    "  --strict              fail on warnings too\n"
    "  --json                print the report as one JSON object\n"
    "  --quiet               print only findings\n"
    "\n"
    "Exit status: 0 the bot passed, 1 errors found (with --strict: or warnings), 2 invalid\n"
    "usage or bot, 130 interrupted.\n"
    "\n"
    "Examples\n"
    "  skirmish check . --game aliens\n"
    "  skirmish check \"python3 my_bot.py\" --game planetwars --json\n";

typedef struct CheckCommand {
    const char *game;
    uint64_t seed;
    SandboxMode sandbox_mode;
    MatchOverrides overrides;
    bool strict;
    bool json;
    bool quiet;
} CheckCommand;

/* ---- options ---- */

static bool read_option(void *context, int option, const char *value, Error *error) {
    CheckCommand *command = context;
    switch (option) {
    case 'g':
        command->game = value;
        return true;
    case 's':
        return parse_number("--seed", value, 0, UINT64_MAX, &command->seed, error);
    case 't':
        return parse_count("--turn-time", value, 1, 3600000, &command->overrides.turn_ms, error);
    case 'T':
        return parse_count("--start-time", value, 1, 3600000, &command->overrides.start_ms, error);
    case 'x':
        return read_sandbox_mode(value, &command->sandbox_mode, error);
    case 'L':
        return read_limit(&command->overrides, value, error);
    case 'S':
        command->strict = true;
        return true;
    case 'j':
        command->json = true;
        return true;
    default:
        command->quiet = true;
        return true;
    }
}

/* False when the exit status is in *status. */
static bool read_options(CheckCommand *command, int count, char **arguments, int *status) {
    static const struct option options[] = {
        {"game", required_argument, NULL, 'g'},
        {"seed", required_argument, NULL, 's'},
        {"turn-time", required_argument, NULL, 't'},
        {"start-time", required_argument, NULL, 'T'},
        {"sandbox", required_argument, NULL, 'x'},
        {"limit", required_argument, NULL, 'L'},
        {"strict", no_argument, NULL, 'S'},
        {"json", no_argument, NULL, 'j'},
        {"quiet", no_argument, NULL, 'q'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    if (!read_each_option(&command_check, count, arguments, options, read_option, command, status))
        return false;
    if (count - optind == 1)
        return true;
    *status = count - optind ? unexpected_argument(&command_check, arguments[optind + 1])
                             : usage_error(&command_check, "BOT is required");
    return false;
}

/* ---- output ---- */

static void show_progress(void *context, const char *stage, double done) {
    (void)context;
    progress_bar_make_room(stderr); /* this stage may take long, so show it at once */
    progress_bar_show(done, "%3.0f%%  %s", 100 * done, stage);
}

/* Prints a text of several lines, indented. */
static void print_block(const char *title, const char *text, const char *otherwise) {
    Slice rest = slice_of(*text ? text : otherwise);
    Slice line;
    for (bool first = true; slice_line(&rest, &line); first = false) {
        print("    %-10s", first ? title : "");
        print_text(stdout, line);
        print("\n");
    }
}

static void print_finding(const CheckFinding *finding, bool colour) {
    Buffer text = {0};
    paint_text(&text, colour, PAINT_BRIGHT, check_severity_name(finding->severity));
    paint_text(&text, colour, PAINT_BRIGHT, ": ");
    paint_text(&text, colour, PAINT_BRIGHT, finding->id);
    print_buffer(TEXT_COLOURS, &text);
    buffer_free(&text);
    print(" (%s%s%s)\n", finding->stage, *finding->where ? "; " : "", finding->where);
    print_block("the bot", finding->what, "");
    if (*finding->where) {
        print_block("sent", finding->sent, "only the end of its input");
        print_block("received", finding->received, "nothing");
    }
    print_block("stderr", finding->errors, "");
    print_block("change", finding->change, "");
    print("\n");
}

static void print_report(const CheckCommand *command, const CheckReport *report) {
    uint32_t warnings = report->finding_count - report->errors;
    for (uint32_t i = 0; i < report->stage_count && !command->quiet; i++) {
        const CheckStage *stage = &report->stages[i];
        print("%-8s  ", check_outcome_name(stage->outcome));
        if (stage->note[0])
            print("%-17s%s\n", stage->name, stage->note);
        else
            print("%s\n", stage->name);
    }
    if (!command->quiet)
        print("\n");
    for (uint32_t i = 0; i < report->finding_count; i++)
        print_finding(&report->findings[i], terminal_has_colour(stdout));
    if (!command->quiet)
        print("%s: %u %s, %u %s; %u %s with %llu turns in %.1f s\n",
              check_passed(report) ? "passed" : "failed", report->errors,
              report->errors == 1 ? "error" : "errors", warnings,
              warnings == 1 ? "warning" : "warnings", report->sessions,
              report->sessions == 1 ? "match" : "matches", (unsigned long long)report->turns,
              (double)report->took / 1e9);
}

static void print_json(const Game *game, const BotSpec *bot, const CheckReport *report) {
    Buffer text = {0};
    JsonOut out = {.to = &text};
    json_open(&out, NULL, '{');
    json_out_text(&out, "game", game->name);
    json_out_text(&out, "bot", bot->name);
    check_json(report, &out);
    json_close(&out, '}');
    buffer_char(&text, '\n');
    print_buffer(TEXT_JSON, &text);
    buffer_free(&text);
}

/* ---- the command ---- */

static int check(CheckCommand *command, const Game *game, const BotSpec *bot,
                 const Sandbox *sandbox) {
    static CheckReport report; /* too large for the stack */
    Error error = {0};
    CheckOptions options = {
        .game = game,
        .bot = bot,
        .sandbox = sandbox,
        .overrides = &command->overrides,
        .seed = command->seed,
        .interrupt = &interrupt_seen,
        .progress = show_progress,
    };
    progress_bar_begin(command->quiet, 0);
    bool good = check_run(&options, &report, &error);
    progress_bar_end();
    int status = STATUS_DONE;
    if (!good) {
        print_error("%s", error.text);
        status = interrupt_seen ? STATUS_INTERRUPTED : STATUS_USAGE;
    } else {
        if (command->json)
            print_json(game, bot, &report);
        else
            print_report(command, &report);
        bool passed = check_passed(&report) && !(command->strict && report.finding_count);
        status = passed ? STATUS_DONE : STATUS_FAILURE;
    }
    check_free(&report);
    return status;
}

/* Parses the bot and finds its game: the one of --game, or else of its bot.json. */
static const Game *load(const CheckCommand *command, const char *text, const Sandbox *sandbox,
                        BotSpec *bot, Error *error) {
    const Game *game = command->game ? game_find(slice_of(command->game), error) : NULL;
    Slice rest = slice_of(text);
    bool house = slice_skip(&rest, "house:"); /* house bots have no bot.json */
    if (command->game ? !game : house && !error_set(error, GAME_REQUIRED))
        return NULL;
    if (!bot_spec_parse(bot, text, game ? game->name : "", sandbox, error))
        return NULL;
    if (!game && bot->game)
        game = game_find(slice_of(bot->game), error);
    else if (!game)
        error_set(error, GAME_REQUIRED);
    return game;
}

static int run(int count, char **arguments) {
    CheckCommand command = {.seed = 1, .sandbox_mode = SANDBOX_BEST_EFFORT};
    int status = STATUS_DONE;
    Error error = {0};
    BotSpec bot = {0};
    const Game *game = NULL;
    if (!read_options(&command, count, arguments, &status))
        return status;
    catch_interrupts();
    Sandbox *sandbox = open_sandbox(command.sandbox_mode, &error);
    if (sandbox && process_prepare(&error) &&
        (game = load(&command, arguments[optind], sandbox, &bot, &error)) != NULL &&
        build_bot(&bot, sandbox, &error)) {
        status = check(&command, game, &bot, sandbox);
    } else {
        print_error("%s", error.text);
        status = interrupt_seen ? STATUS_INTERRUPTED : STATUS_USAGE;
    }
    bot_spec_free(&bot);
    sandbox_free(sandbox);
    return status;
}

const Command command_check = {"check", help, run};
