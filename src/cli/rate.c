/* skirmish rate: rates bots from a list of results or from the file of a tournament. */
#include "cli/cli.h"
#include "cli/progress_bar.h"
#include "cli/report_output.h"
#include "league/results_reader.h"
#include "league/tournament.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

enum { MATCHES_MAX = 10000000 };

static const char help[] =
    "Rate bots from a list of results and print the table.\n"
    "\n"
    "Usage: skirmish rate [options] RESULTS\n"
    "\n"
    "RESULTS is the file of a tournament, which can still be running, or a text file with\n"
    "one match per line (- for standard input):\n"
    "\n"
    "  alice > bob               alice finished ahead of bob\n"
    "  alice = bob               a draw\n"
    "  a > b = c > d             a match of four players, best first\n"
    "  alice > bob * 12          twelve matches with this result\n"
    "  \"x > y\" > bob             quote names, as in JSON, that begin with a quote, # or {,\n"
    "                            or contain one of > = *\n"
    "  {\"players\": [{\"name\": \"alice\", \"rank\": 1}, {\"name\": \"bob\", \"rank\": 2}]}\n"
    "                            the output of `skirmish play --json`\n"
    "  # a comment\n"
    "\n"
    "Ratings use the Elo scale with a mean of zero: a difference of 400 points means odds of\n"
    "ten to one. The number after ± is half the width of the 95% confidence interval.\n"
    "points: one for each opponent beaten, half for each draw. W-D-L: sole first places,\n"
    "shared first places, all others.\n"
    "\n"
    "  --cross               print the cross table as well (always for tournaments)\n"
    "  --html FILE           write a self-contained page with all tables and charts\n"
    "  --json                print everything as one JSON object instead of the table\n"
    "  --csv                 print one line per bot instead of the table; a name that a\n"
    "                        spreadsheet would run as a formula gets a leading apostrophe\n"
    "\n"
    "Exit status: 0 rated, 1 internal failure, 2 invalid usage or file.\n"
    "\n"
    "Examples\n"
    "  skirmish rate --cross results.txt\n"
    "  skirmish rate tournament.db --html tournament.html\n"
    "  skirmish play aliens --json house:medium ./mine >> results.txt\n"
    "  skirmish rate --html ratings.html results.txt\n";

typedef struct Rate {
    const char *path;
    ReportOutput output;
} Rate;

/* False when the exit status is in *status. */
static bool read_options(Rate *rate, int count, char **arguments, int *status) {
    static const struct option options[] = {
        {"cross", no_argument, NULL, 'c'}, {"html", required_argument, NULL, 'w'},
        {"json", no_argument, NULL, 'j'},  {"csv", no_argument, NULL, 'v'},
        {"help", no_argument, NULL, 'h'},  {NULL, 0, NULL, 0},
    };
    int option;
    while ((option = next_option(&command_rate, count, arguments, options, status)) != 0) {
        if (option < 0)
            return false;
        ReportOutput *output = &rate->output;
        output->cross |= option == 'c';
        output->json |= option == 'j';
        output->csv |= option == 'v';
        output->html = option == 'w' ? optarg : output->html;
    }
    if (rate->output.json + rate->output.csv + rate->output.cross > 1) {
        *status = usage_error(&command_rate, "--json, --csv and --cross cannot be combined");
        return false;
    }
    if (count - optind != 1) {
        *status = usage_error(&command_rate, "expected one RESULTS file, or - for standard input");
        return false;
    }
    rate->path = arguments[optind];
    return true;
}

/* Parses all lines; with standings, adds the matches to them. */
static bool read_lines(const Rate *rate, Slice text, ResultsReader *results_reader,
                       Standings *standings, Error *error) {
    PlayedMatch match;
    Slice line;
    uint64_t total = 0;
    double whole = 2 * (double)text.length; /* they are read twice */
    for (unsigned number = 1; slice_line(&text, &line); number++) {
        uint64_t times = 0;
        if (number % 1024 == 0) /* reading the clock takes longer than parsing a line */
            progress_bar_show((standings ? 1 : 0.5) - (double)text.length / whole, "reading %s",
                              rate->path);
        if (!results_reader_read(results_reader, line, &match, &times, error))
            return error_prefix(error, "%s:%u", rate->path, number);
        total += match.players ? times : 0;
        if (total > MATCHES_MAX)
            return error_set(error, "%s:%u: more than %d matches", rate->path, number, MATCHES_MAX);
        for (uint64_t i = 0; i < times && match.players && standings; i++)
            standings_add(standings, &match);
    }
    return total > 0 || error_set(error, "%s has no results", rate->path);
}

/* Reads the lines twice: the first pass finds the names and all errors. */
static Standings *read_results(const Rate *rate, Error *error) {
    Buffer content = {0};
    ResultsReader results_reader = {0};
    Standings *standings = NULL;
    bool good = load_results(rate->path, &content, error);
    Slice text = {content.data, content.length};
    if (good && text.length >= 16 && memcmp(text.at, "SQLite format 3", 16) == 0)
        good =
            error_set(error, "%s is a database, but not the results of a tournament", rate->path);
    if (good && read_lines(rate, text, &results_reader, NULL, error)) {
        standings = standings_new(results_reader.bots, (const char *const *)results_reader.names);
        read_lines(rate, text, &results_reader, standings, error);
    }
    results_reader_free(&results_reader);
    buffer_free(&content);
    return standings;
}

/* The last part of a path. */
static const char *name_of(const char *path) {
    const char *slash = strrchr(path, '/');
    return strcmp(path, "-") == 0 ? "Results" : slash ? slash + 1 : path;
}

static int rate_list(const Rate *rate, Error *error) {
    progress_bar_begin(false, PROGRESS_DELAY_MS);
    Standings *standings = read_results(rate, error);
    if (!standings)
        return STATUS_USAGE;
    progress_bar_make_room(stderr);
    progress_bar_show(-1, "computing the ratings");
    Report report = {.title = name_of(rate->path), .standings = standings};
    int status = !standings_settle(standings, NULL, error)       ? STATUS_FAILURE
                 : !report_output(&rate->output, &report, error) ? STATUS_USAGE
                                                                 : STATUS_DONE;
    standings_free(standings);
    return status;
}

/* Prints what the tournament itself would print now. */
static int rate_file(const Rate *rate, Error *error) {
    TournamentFile *file = tournament_file_open(rate->path, false, error);
    Plan plan = {0};
    Buffer text = {0};
    Buffer title = {0};
    Tournament *tournament = NULL;
    int status = STATUS_USAGE;
    if (file && tournament_file_plan(file, &text, error) &&
        plan_read(&plan, rate->path, (Slice){text.data, text.length}, error)) {
        tournament = tournament_recall(&plan, file, error);
        file = NULL;
    }
    if (tournament) {
        const Schedule *schedule = tournament_schedule(tournament);
        Standings *standings = tournament_standings(tournament);
        plan_title(&plan, &title);
        Report report = {
            .title = buffer_string(&title),
            .game = plan.game->name,
            .format = format_name(plan.format),
            .seed = plan.seed,
            .standings = standings,
            .schedule = schedule,
            .unfinished = schedule && !schedule_finished(schedule),
        };
        ReportOutput output = rate->output;
        output.cross = true;
        if (!standings_settle(standings, schedule, error))
            status = STATUS_FAILURE;
        else if (report_output(&output, &report, error))
            status = STATUS_DONE;
    }
    tournament_free(tournament);
    tournament_file_close(file);
    plan_free(&plan);
    buffer_free(&text);
    buffer_free(&title);
    return status;
}

static int run(int count, char **arguments) {
    Rate rate = {0};
    int status = STATUS_DONE;
    if (!read_options(&rate, count, arguments, &status))
        return status;
    Error error = {0};
    status =
        tournament_file_detect(rate.path) ? rate_file(&rate, &error) : rate_list(&rate, &error);
    progress_bar_end();
    if (status != STATUS_DONE)
        print_error("%s", error.text);
    return status;
}

const Command command_rate = {"rate", help, run};
