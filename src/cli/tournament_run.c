/* See tournament_run.h. */
#include "cli/tournament_run.h"

#include "base/clock.h"
#include "base/memory.h"
#include "cli/match_setup.h"
#include "cli/progress_bar.h"
#include "cli/sandbox_option.h"
#include "cli/terminal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { STEP_MS = 250, LINE_EVERY_MS = 10000, DRAW_EVERY_MS = 500 };

/* ---- options ---- */

static bool read_game(Plan *plan, const char *name, Error *error) {
    MatchSetup setup = {0};
    bool good = match_setup_game(&setup, name, error);
    plan->game = setup.game;
    return good;
}

bool tournament_run_option(TournamentRun *run, int option, const char *value, Error *error) {
    Plan *plan = &run->plan;
    switch (option) {
    case 'g':
        return read_game(plan, value, error);
    case 'm':
        plan_add_map(plan, value);
        return true;
    case 'c':
        free(plan->config.name);
        free(plan->config.text);
        plan->config = (PlanFile){.name = xstrdup(value)};
        return true;
    case 's':
        plan->seed_given = true;
        return parse_number("--seed", value, 0, UINT64_MAX, &plan->seed, error);
    case 't':
        return parse_count("--turn-time", value, 1, 3600000, &plan->overrides.turn_ms, error);
    case 'T':
        return parse_count("--start-time", value, 1, 3600000, &plan->overrides.start_ms, error);
    case 'x':
        return read_sandbox_mode(value, &plan->sandbox, error);
    case 'L':
        return read_limit(&plan->overrides, value, error);
    case 'p':
        plan->overrides.ponder = true;
        return true;
    case 'J':
        if (parse_number("--jobs", value, 1, dispatcher_cores(), &run->jobs, error))
            return true;
        if (strtoull(value, NULL, 10) > dispatcher_cores())
            error_set(error, "--jobs must be at most %u, the number of available cores",
                      dispatcher_cores());
        return false;
    case 'o':
        run->out = value;
        return true;
    case 'n':
        plan->no_replays = true;
        return true;
    case 'H':
        run->output.html = value;
        return true;
    case 'j':
        run->output.json = true;
        return true;
    default:
        run->output.quiet = true;
        return true;
    }
}

/* ---- the plan ---- */

static char *text_of(Buffer *text) {
    buffer_string(text);
    return text->data;
}

static bool read_files(Plan *plan, Error *error) {
    if (plan->config.name && !plan->config.text) {
        Buffer text = {0};
        bool good = load_file(plan->config.name, &text, error);
        plan->config.text = text_of(&text);
        if (!good)
            return false;
    }
    /* Which map a name means depends on the number of players. */
    uint32_t players = plan_players(plan);
    for (uint32_t i = 0; i < plan->map_count; i++) {
        PlanFile *map = &plan->maps[i];
        Buffer text = {0};
        if (map->text)
            continue;
        bool good = load_map(plan->game, map->name, players, plan->seed, &text, error);
        map->text = text_of(&text);
        if (!good)
            return false;
    }
    return true;
}

bool tournament_run_prepare(TournamentRun *run, Error *error) {
    Plan *plan = &run->plan;
    catch_interrupts();
    if (!plan->game)
        return error_set(error, GAME_REQUIRED);
    if (!plan->seed_given)
        plan->seed = draw_seed();
    if (!run->jobs)
        run->jobs = dispatcher_cores();
    if (!plan->directory)
        plan->directory = getcwd(NULL, 0);
    return read_files(plan, error) && plan_settle(plan, error) &&
           (run->sandbox = open_sandbox(plan->sandbox, error)) != NULL;
}

/* ---- progress ---- */

/* Removes the progress from the screen. */
static void hide_progress(TournamentRun *run) {
    char sequence[32];
    /* \r: the terminal may have echoed ^C */
    snprintf(sequence, sizeof sequence, "\r\033[%uA\033[J", run->shown);
    if (run->shown)
        print_control(stderr, sequence);
    run->shown = 0;
}

static void say(void *context, const char *sentence) {
    TournamentRun *run = context;
    hide_progress(run);
    print_error("%s", sentence);
    run->shown_at = 0;
}

/* "1234 of 5000 matches, 312 per second, 12 s left, 2 running" */
static void write_progress(const TournamentRun *run, Buffer *to) {
    const Tournament *tournament = run->tournament;
    uint64_t done = tournament_done(tournament);
    uint64_t total = tournament_total(tournament);
    uint64_t here = done - tournament_begun_with(tournament);
    double seconds = (double)(clock_now() - run->began) / 1e9;
    double rate = seconds > 0 ? (double)here / seconds : 0;
    buffer_format(to, "%" PRIu64, done);
    if (total)
        buffer_format(to, run->may_end_soon ? " of at most %" PRIu64 : " of %" PRIu64, total);
    buffer_format(to, " matches, %.*f per second", rate < 10 ? 1 : 0, rate);
    if (total > done && here && !run->ending && !run->may_end_soon) {
        buffer_text(to, ", ");
        write_span(to, (double)(total - done) / rate);
        buffer_text(to, " left");
    }
    if (tournament_under_way(tournament))
        buffer_format(to, ", %u running", tournament_under_way(tournament));
    buffer_char(to, '\n');
}

static uint32_t terminal_rows(void) {
    struct winsize size = {0};
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row >= 4 ? size.ws_row : 24;
}

/* Redraws in place in a terminal; elsewhere, prints a line now and then. */
static void show(TournamentRun *run, void (*line)(TournamentRun *run, Buffer *to)) {
    int64_t now = clock_now();
    if (run->output.quiet || now - run->shown_at < run->show_every)
        return;
    buffer_clear(&run->text);
    write_progress(run, &run->text);
    if (run->terminal && line)
        line(run, &run->text);
    hide_progress(run);
    Slice rest = {run->text.data, run->text.length};
    Slice text;
    for (uint32_t room = terminal_rows() - 1; room && slice_line(&rest, &text); room--) {
        print_control(stderr, run->terminal ? "\033[?7l" : "");
        print_as(stderr, TEXT_COLOURS, text);
        print_control(stderr, run->terminal ? "\033[?7h\n" : "\n");
        run->shown += run->terminal;
    }
    fflush(stderr);
    /* Drawing a large table is slow: spend at most 2% of the time on it. */
    int64_t took = clock_now() - now;
    int64_t least = (run->terminal ? DRAW_EVERY_MS : LINE_EVERY_MS) * CLOCK_MS;
    run->show_every = 50 * took > least ? 50 * took : least;
    run->shown_at = clock_now();
}

/* ---- playing ---- */

bool tournament_run_open(TournamentRun *run, TournamentFile *file, const TournamentOptions *more,
                         Error *error) {
    TournamentOptions options = *more;
    options.plan = &run->plan;
    options.file = file;
    options.out = run->out;
    options.jobs = (uint32_t)run->jobs;
    options.sandbox = run->sandbox;
    options.replays = run->replays;
    options.report = say;
    run->terminal = terminal_has_cursor(stderr);
    run->show_every = run->terminal ? 0 : LINE_EVERY_MS * CLOCK_MS;
    run->began = run->shown_at = clock_now();
    run->tournament = tournament_new(&options, error);
    return run->tournament != NULL;
}

TournamentState tournament_run_play(TournamentRun *run,
                                    void (*line)(TournamentRun *run, Buffer *to), Error *error) {
    int asked = 0;
    for (;;) {
        TournamentState state = tournament_step(run->tournament, STEP_MS, error);
        if (state != TOURNAMENT_IN_PROGRESS) {
            hide_progress(run);
            return state;
        }
        if (interrupt_seen) {
            interrupt_seen = 0;
            run->ending = true;
            catch_interrupts(); /* the handler was reset when it ran */
            if (asked++) {
                tournament_abort(run->tournament);
            } else {
                uint32_t count = tournament_under_way(run->tournament);
                tournament_stop(run->tournament);
                if (count && !run->output.quiet) {
                    hide_progress(run);
                    print_error("finishing %u running %s; press Ctrl-C again to abort", count,
                                count == 1 ? "match" : "matches");
                }
            }
        }
        show(run, line);
    }
}

void tournament_run_free(TournamentRun *run) {
    tournament_free(run->tournament);
    sandbox_free(run->sandbox);
    plan_free(&run->plan);
    free(run->replays);
    buffer_free(&run->text);
}
