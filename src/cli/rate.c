/* skirmish rate: ratings and a table from a list of results that somebody wrote. */
#include "cli/cli.h"
#include "cli/screen.h"
#include "league/ledger.h"
#include "league/report.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

enum { MATCHES_MAX = 10000000 };

static const char help[] =
    "Usage: skirmish rate [options] RESULTS\n"
    "\n"
    "Rates bots, or whoever else plays, by a list of results, and prints the table. RESULTS is a\n"
    "file with a match on each line (- is standard input):\n"
    "\n"
    "  alice > bob               alice finished before bob\n"
    "  alice = bob               a draw\n"
    "  a > b = c > d             a match of four, best first\n"
    "  alice > bob * 12          twelve matches that ended like this\n"
    "  \"x > y\" > bob             names in quotes, as in JSON, where they begin with a quote, # or {,\n"
    "                            or hold one of > = *\n"
    "  {\"players\": [{\"name\": \"alice\", \"rank\": 1}, {\"name\": \"bob\", \"rank\": 2}]}\n"
    "                            what `skirmish play --json` prints\n"
    "  # a comment\n"
    "\n"
    "Ratings are on the Elo scale with their mean at zero: 400 points more are odds of ten to one.\n"
    "Behind ± is half the width of the 95 % interval. points: one for each opponent beaten, half\n"
    "for each drawn with. W-D-L: first places alone, first places shared, all others.\n"
    "\n"
    "  --cross                   the cross table too\n"
    "  --html FILE               write a page with all tables and charts, which needs nothing else\n"
    "  --json                    everything as one JSON object instead of the table\n"
    "  --csv                     a line a bot instead of the table; a name that a spreadsheet\n"
    "                            would take for a formula gets an apostrophe in front\n"
    "\n"
    "Exit status: 0 rated, 2 wrong usage or a bad file, 1 our own failure.\n"
    "\n"
    "Examples\n"
    "  skirmish rate --cross results.txt\n"
    "  skirmish play aliens --json house:hunter ./mine >> results.txt\n"
    "  skirmish rate --html ratings.html results.txt\n";

typedef struct Rate {
    const char *path;
    const char *html;
    bool cross;
    bool json;
    bool csv;
} Rate;

/* False when the exit status is in *status. */
static bool read_options(Rate *rate, int count, char **arguments, int *status) {
    static const struct option options[] = {
        {"cross", no_argument, NULL, 'c'}, {"html", required_argument, NULL, 'w'},
        {"json", no_argument, NULL, 'j'},  {"csv", no_argument, NULL, 'v'},
        {"help", no_argument, NULL, 'h'},  {NULL, 0, NULL, 0},
    };
    opterr = 0;
    int option;
    while ((option = getopt_long(count, arguments, ":", options, NULL)) != -1) {
        if (option == 'h') {
            *status = show_help(&command_rate);
            return false;
        }
        if (option == ':' || option == '?') {
            *status = wrong_usage(&command_rate,
                                  option == ':' ? "%s needs a value" : "there is no option %s",
                                  arguments[optind - 1]);
            return false;
        }
        rate->cross |= option == 'c';
        rate->json |= option == 'j';
        rate->csv |= option == 'v';
        rate->html = option == 'w' ? optarg : rate->html;
    }
    if (rate->json + rate->csv + rate->cross > 1) {
        *status = wrong_usage(&command_rate, "of --json, --csv and --cross only one can be given");
        return false;
    }
    if (count - optind != 1) {
        *status = wrong_usage(&command_rate, "exactly one file of results is needed, or -");
        return false;
    }
    rate->path = arguments[optind];
    return true;
}

/* Goes through all lines; with standings, adds what they say. */
static bool read_lines(const Rate *rate, Slice text, Ledger *ledger, Standings *standings,
                       Error *error) {
    PlayedMatch match;
    Slice line;
    uint64_t total = 0;
    for (unsigned number = 1; slice_line(&text, &line); number++) {
        uint64_t times = 0;
        if (!ledger_line(ledger, line, &match, &times, error))
            return error_prefix(error, "%s:%u", rate->path, number);
        total += match.players ? times : 0;
        if (total > MATCHES_MAX)
            return error_set(error, "%s:%u: more than %d matches", rate->path, number, MATCHES_MAX);
        for (uint64_t i = 0; i < times && match.players && standings; i++)
            standings_add(standings, &match);
    }
    return total > 0 || error_set(error, "%s has no results", rate->path);
}

/* Twice over the lines: the first time tells the names, and whether all of them can be read. */
static Standings *read_results(const Rate *rate, Error *error) {
    Buffer content = {0};
    Ledger ledger = {0};
    Standings *standings = NULL;
    bool good = load_results(rate->path, &content, error);
    Slice text = {content.data, content.length};
    /* Files of tournaments are read here once there are any. */
    if (good && text.length >= 16 && memcmp(text.at, "SQLite format 3", 16) == 0)
        good = error_set(error, "%s is a database; a list of results is needed", rate->path);
    if (good && read_lines(rate, text, &ledger, NULL, error)) {
        standings = standings_new(ledger.bots, (const char *const *)ledger.names);
        read_lines(rate, text, &ledger, standings, error);
    }
    ledger_free(&ledger);
    buffer_free(&content);
    return standings;
}

static bool write_page(const Report *report, const char *path, Error *error) {
    Buffer page = {0};
    report_html(report, &page);
    FILE *file = fopen(path, "wb");
    bool good = file && fwrite(page.data, 1, page.length, file) == page.length;
    int reason = errno;
    if (file && fclose(file) != 0 && good) {
        good = false;
        reason = errno;
    }
    buffer_free(&page);
    return good || error_set(error, "cannot write %s: %s", path, strerror(reason));
}

static void print_report(const Rate *rate, const Report *report) {
    Buffer text = {0};
    if (rate->json)
        report_json(report, &text);
    else if (rate->csv)
        report_csv(report, &text);
    else
        report_table(report, screen_has_colour(), screen_columns(), 0, &text);
    if (rate->cross) {
        buffer_char(&text, '\n');
        report_cross(report, screen_columns(), &text);
    }
    print_buffer(&text);
    buffer_free(&text);
}

static int run(int count, char **arguments) {
    Rate rate = {0};
    int status = STATUS_DONE;
    if (!read_options(&rate, count, arguments, &status))
        return status;
    Error error = {""};
    Standings *standings = read_results(&rate, &error);
    if (!standings) {
        complain("%s", error.text);
        return STATUS_USAGE;
    }
    const char *slash = strrchr(rate.path, '/');
    Report report = {
        .title = strcmp(rate.path, "-") == 0 ? "Results"
                 : slash                     ? slash + 1
                                             : rate.path,
        .standings = standings,
    };
    if (!standings_settle(standings, NULL, &error))
        status = STATUS_OUR_FAILURE;
    else if (rate.html && !write_page(&report, rate.html, &error))
        status = STATUS_USAGE;
    if (status == STATUS_DONE)
        print_report(&rate, &report);
    else
        complain("%s", error.text);
    standings_free(standings);
    return status;
}

const Command command_rate = {"rate", "rates bots by a list of results", help, run};
