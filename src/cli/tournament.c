/* skirmish tournament: plays the matches of a format and rates the bots. */
#include "base/memory.h"
#include "cli/terminal.h"
#include "cli/tournament_run.h"
#include "league/report.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
    "Play a tournament and print its table with ratings.\n"
    "\n"
    "Usage: skirmish tournament PLAN.json [options]\n"
    "       skirmish tournament --game GAME [options] BOT BOT...\n"
    "       skirmish tournament --resume RESULTS.db [options]\n"
    "\n"
    "Name bots as for `skirmish play`, the strongest first. Every pairing is played with\n"
    "the seats swapped (or rotated) on the same map and seed. Results are written to one\n"
    "SQLite file as they arrive, with the replays next to it; --resume continues a tournament\n"
    "that was stopped or killed.\n"
    "\n"
    "Format options\n"
    "  --format round-robin      every bot plays every other (default)\n"
    "           gauntlet         the first bot plays all others (--challengers N: the first N)\n"
    "           swiss            rounds between bots with equal scores, no pairing repeated\n"
    "           knockout         a seeded bracket; one loss eliminates\n"
    "           double-knockout  the same; two losses eliminate\n"
    "           ladder           the most informative pairing, until --error or Ctrl-C\n"
    "  --rounds N            number of rounds; in a ladder, the maximum\n"
    "  --games N             pairs of matches per meeting, both seats (default: one per map);\n"
    "                        with more players, how often each bot plays in every seat\n"
    "  --players N           players per match (2, or the game's minimum)\n"
    "  --challengers N       gauntlet: the number of challengers\n"
    "  --error N             ladder: stop when every rating is known to within N Elo\n"
    "  --title TEXT          title of the report\n"
    "\n"
    "Match options\n"
    "  --map NAME|FILE       a standard map, a file, or generate:SEED[:SIZE]; can be\n"
    "                        repeated: every pairing is played on every map\n"
    "  --config FILE         game configuration\n"
    "  --seed N              seed of all random events, also of bots that use\n"
    "                        SKIRMISH_SEED (default: random, printed)\n"
    "  --turn-time MS, --start-time MS, --sandbox MODE, --limit NAME=VALUE, --ponder\n"
    "                        as for `skirmish play`\n"
    "  --jobs N              matches at a time, each on its own core (default: all cores)\n"
    "\n"
    "Output options\n"
    "  --out FILE            write the results to FILE (tournament.db) and the replays to\n"
    "                        FILE.replays/\n"
    "  --no-replays          write no replays\n"
    "  --html FILE           write a page with the table, charts and the bracket\n"
    "  --json, --csv         print this format instead of the table\n"
    "  --quiet               print only errors and missing sandbox layers\n"
    "\n"
    "A PLAN is a JSON object with the same names, such as\n"
    "  {\"game\": \"aliens\", \"rounds\": 5, \"bots\": [\"house:medium\", \"./mine\"]}\n"
    "\n"
    "Options override the plan. docs/tournaments.md lists all fields. `skirmish rate RESULTS.db`\n"
    "prints the table again.\n"
    "\n"
    "Exit status: 0 finished, 1 internal failure or full disk, 2 invalid usage or file,\n"
    "130 interrupted (results are kept).\n"
    "\n"
    "Examples\n"
    "  skirmish tournament --game aliens --format swiss ./ann ./bob ./eve house:medium\n"
    "  skirmish tournament cup.json --html cup.html\n"
    "  skirmish tournament --resume tournament.db\n";

static const struct option options[] = {
    TOURNAMENT_RUN_OPTIONS,
    {"format", required_argument, NULL, 'f'},
    {"rounds", required_argument, NULL, 'r'},
    {"games", required_argument, NULL, 'G'},
    {"players", required_argument, NULL, 'P'},
    {"challengers", required_argument, NULL, 'C'},
    {"error", required_argument, NULL, 'e'},
    {"title", required_argument, NULL, 'i'},
    {"resume", required_argument, NULL, 'R'},
    {"csv", no_argument, NULL, 'v'},
    {NULL, 0, NULL, 0},
};

typedef struct GivenOptions {
    TournamentRun *run; /* changed by most options */
    bool game;          /* --game was given: the arguments are bots */
    bool plan_changed;  /* an option of the plan was given */
    const char *resume; /* RESULTS.db */
} GivenOptions;

static bool read_option(void *context, int option, const char *value, Error *error) {
    GivenOptions *given = context;
    TournamentRun *run = given->run;
    Plan *plan = &run->plan;
    given->game = given->game || option == 'g';
    given->plan_changed = given->plan_changed || !strchr("RJoHjvq", option);
    uint64_t points = 0;
    switch (option) {
    case 'f':
        return format_read(value, &plan->format, error);
    case 'r':
        return parse_count("--rounds", value, 1, 1000000, &plan->rounds, error);
    case 'G':
        return parse_count("--games", value, 1, 100000, &plan->games, error);
    case 'P':
        return parse_count("--players", value, 2, GAME_PLAYERS_MAX, &plan->players, error);
    case 'C':
        return parse_count("--challengers", value, 1, PLAN_BOTS_MAX, &plan->challengers, error);
    case 'e':
        if (!parse_number("--error", value, 1, 4000, &points, error))
            return false;
        plan->error = (double)points;
        return true;
    case 'i':
        free(plan->title);
        plan->title = xstrdup(value ? value : "");
        return true;
    case 'R':
        given->resume = value;
        return true;
    case 'v':
        run->output.csv = true;
        return true;
    default:
        return tournament_run_option(run, option, value, error);
    }
}

/* Reads all options; false when the exit status is in *status. */
static bool read_options(GivenOptions *given, int count, char **arguments, int *status) {
    optind = 0; /* restarts getopt_long */
    return read_each_option(&command_tournament, count, arguments, options, read_option, given,
                            status);
}

/* ---- the plan ---- */

static bool load_plan(TournamentRun *run, const char *path, Error *error) {
    Buffer text = {0};
    plan_free(&run->plan);
    bool good = load_file(path, &text, error) &&
                plan_read(&run->plan, path, (Slice){text.data, text.length}, error);
    buffer_free(&text);
    if (good && (run->plan.speed_min || run->plan.speed_max))
        return error_set(error,
                         "%s: only arenas choose machines by their speed; remove \"speed_min\" and "
                         "\"speed_max\"",
                         path);
    return good;
}

/* Opens the results and reads the plan saved in them. */
static TournamentFile *open_file(TournamentRun *run, const char *path, Error *error) {
    TournamentFile *file = tournament_file_open(path, true, error);
    Buffer text = {0};
    plan_free(&run->plan);
    bool good = file && tournament_file_plan(file, &text, error) &&
                plan_read(&run->plan, path, (Slice){text.data, text.length}, error);
    buffer_free(&text);
    if (good)
        return file;
    tournament_file_close(file);
    return NULL;
}

/* The absolute path, with a suffix. */
static char *path_from_here(const char *path, const char *ending) {
    Buffer name = {0};
    char *directory = *path == '/' ? NULL : getcwd(NULL, 0);
    buffer_format(&name, "%s%s%s%s", directory ? directory : "", directory ? "/" : "", path,
                  ending);
    buffer_string(&name);
    free(directory);
    return name.data;
}

/* ---- output ---- */

static Report report_of(const TournamentRun *run, Buffer *title, bool unfinished) {
    const Plan *plan = &run->plan;
    plan_title(plan, title);
    return (Report){
        .title = buffer_string(title),
        .game = plan->game->name,
        .format = format_name(plan->format),
        .seed = plan->seed,
        .standings = tournament_standings(run->tournament),
        .schedule = tournament_schedule(run->tournament),
        .unfinished = unfinished,
    };
}

/* The current table, below the progress line. */
static void show_table(TournamentRun *run, Buffer *to) {
    Error error;
    Standings *standings = tournament_standings(run->tournament);
    if (!standings_matches(standings) ||
        !standings_settle(standings, tournament_schedule(run->tournament), &error))
        return;
    Buffer title = {0};
    Report report = report_of(run, &title, true);
    buffer_char(to, '\n');
    report_table(&report, terminal_has_colour(stderr), terminal_columns(stderr), 15, to);
    buffer_free(&title);
}

/* Prints the results, whatever ended the tournament, and returns the exit status. */
static int finish(TournamentRun *run, TournamentState state, const char *results, Error *error) {
    Error other = {0};
    int status = STATUS_DONE;
    Standings *standings = tournament_standings(run->tournament);
    if (state == TOURNAMENT_FAILED) {
        print_error("%s", error->text);
        status = STATUS_FAILURE;
    }
    Buffer title = {0};
    if (standings_matches(standings) &&
        standings_settle(standings, tournament_schedule(run->tournament), &other)) {
        Report report = report_of(run, &title, state != TOURNAMENT_FINISHED);
        if (!report_output(&run->output, &report, &other)) {
            print_error("%s", other.text);
            status = STATUS_FAILURE;
        }
    } else if (other.text[0]) {
        print_error("%s", other.text);
        status = STATUS_FAILURE;
    }
    buffer_free(&title);
    if (state != TOURNAMENT_FINISHED)
        print_error("%" PRIu64
                    " matches saved in %s; continue with: skirmish tournament --resume %s",
                    tournament_done(run->tournament), results, results);
    else if (!run->output.quiet && !run->output.json && !run->output.csv)
        print("seed: %" PRIu64 ", results: %s%s%s%s\n", run->plan.seed, results,
              run->replays ? ", replays: " : "", run->replays ? results : "",
              run->replays ? ".replays" : "");
    return state == TOURNAMENT_STOPPED ? STATUS_INTERRUPTED : status;
}

/* ---- the command ---- */

/* Whether the arguments are bots. A single *.json is a plan even with --game, which overrides the
   plan's game. */
static bool are_bots(const GivenOptions *given, int left, const char *first) {
    size_t length = left == 1 ? strlen(first) : 0;
    return given->game && !(length > 5 && strcmp(first + length - 5, ".json") == 0);
}

/* Returns 0 to continue; otherwise the exit status, or -1 after --help. */
static int make_plan(TournamentRun *run, GivenOptions *given, int count, char **arguments,
                     TournamentFile **file) {
    Error error = {0};
    int status = STATUS_DONE;
    if (!read_options(given, count, arguments, &status))
        return status == STATUS_DONE ? -1 : status;
    int left = count - optind;
    bool maps_given = run->plan.map_count > 0;
    if (given->resume) {
        if (given->plan_changed || given->game || left || run->out)
            return usage_error(
                &command_tournament,
                "--resume can be combined only with --jobs, --html, --json, --csv and --quiet");
        *file = open_file(run, given->resume, &error);
        if (*file)
            return STATUS_DONE;
    } else if (are_bots(given, left, arguments[optind])) {
        for (int i = optind; i < count; i++)
            plan_add_bot(&run->plan, NULL, arguments[i]);
        return STATUS_DONE;
    } else if (left != 1) {
        return usage_error(&command_tournament,
                           left ? GAME_REQUIRED : "expected a PLAN.json, or --game GAME and bots");
    } else if (load_plan(run, arguments[optind], &error)) {
        /* Applied again, because options override the plan. */
        if (maps_given)
            plan_clear_maps(&run->plan);
        return read_options(given, count, arguments, &status) ? STATUS_DONE : status;
    }
    print_error("%s", error.text);
    return STATUS_USAGE;
}

/* Changes to the directory in which the bots run, even when resuming. */
static bool go_to_bots(Plan *plan, const char *resume, Error *error) {
    char *directory = plan->directory ? realpath(plan->directory, NULL) : NULL;
    if (!directory || chdir(directory) != 0) {
        free(directory);
        return error_set(error,
                         resume ? "cannot enter %s, where the tournament was started: %s"
                                : "cannot enter %s, the directory of the plan: %s",
                         plan->directory, strerror(errno));
    }
    free(plan->directory);
    plan->directory = directory;
    return true;
}

static int run_tournament(TournamentRun *run, const char *results, const char *resume,
                          TournamentFile *file) {
    Error error = {0};
    TournamentOptions more = {.context = run};
    int here = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    /* The replays of cup.db are in cup.db.replays. */
    run->replays = run->plan.no_replays ? NULL : path_from_here(results, ".replays");
    if (!tournament_run_prepare(run, &error) || !go_to_bots(&run->plan, resume, &error)) {
        if (!interrupt_seen)
            print_error("%s", error.text);
        tournament_file_close(file);
        return interrupt_seen ? STATUS_INTERRUPTED : STATUS_USAGE;
    }
    if (!tournament_run_open(run, file, &more, &error)) {
        print_error("%s", error.text);
        return STATUS_USAGE;
    }
    TournamentState state = tournament_run_play(run, show_table, &error);
    if (here >= 0 && fchdir(here) == 0)
        close(here);
    return finish(run, state, results, &error);
}

static int run_command(int count, char **arguments) {
    TournamentRun run = {.plan = {.sandbox = SANDBOX_BEST_EFFORT}, .output = {.cross = true}};
    GivenOptions given = {.run = &run};
    TournamentFile *file = NULL;
    int status = make_plan(&run, &given, count, arguments, &file);
    if (status == STATUS_DONE && run.output.json && run.output.csv)
        status = usage_error(&command_tournament, "--json and --csv cannot be combined");
    if (!run.out)
        run.out = "tournament.db";
    const char *results = given.resume ? given.resume : run.out;
    char *elsewhere = run.plan.directory ? path_from_here(results, "") : NULL;
    run.out = elsewhere ? elsewhere : results;
    if (status == STATUS_DONE)
        status = run_tournament(&run, results, given.resume, file);
    tournament_run_free(&run);
    free(elsewhere);
    return status == -1 ? STATUS_DONE : status;
}

const Command command_tournament = {"tournament", help, run_command};
