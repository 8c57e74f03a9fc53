/* A tournament run from the command line: the options of its plan, progress and Ctrl-C. Shared by
   `tournament` and `compare`. */
#ifndef CLI_TOURNAMENT_RUN_H
#define CLI_TOURNAMENT_RUN_H

#include "cli/cli.h"
#include "cli/report_output.h"
#include "league/tournament.h"

#include <getopt.h>

typedef struct TournamentRun {
    Plan plan;
    Sandbox *sandbox;
    uint64_t jobs;
    const char *out;
    char *replays; /* the directory, or NULL */
    ReportOutput output;
    Tournament *tournament;
    int64_t began;
    bool may_end_soon; /* the total is a maximum */
    bool ending;       /* Ctrl-C was pressed */
    /* progress */
    bool terminal;  /* standard error is a terminal */
    uint32_t shown; /* lines on the screen */
    int64_t shown_at;
    int64_t show_every;
    Buffer text;
} TournamentRun;

/* Options of both commands, for a table of getopt_long. */
#define TOURNAMENT_RUN_OPTIONS                                                                  \
 {"game", required_argument, NULL, 'g'}, {"map", required_argument, NULL, 'm'},                 \
     {"config", required_argument, NULL, 'c'}, {"seed", required_argument, NULL, 's'},          \
     {"turn-time", required_argument, NULL, 't'}, {"start-time", required_argument, NULL, 'T'}, \
     {"sandbox", required_argument, NULL, 'x'}, {"limit", required_argument, NULL, 'L'},        \
     {"ponder", no_argument, NULL, 'p'}, {"jobs", required_argument, NULL, 'J'},                \
     {"out", required_argument, NULL, 'o'}, {"no-replays", no_argument, NULL, 'n'},             \
     {"html", required_argument, NULL, 'H'}, {"json", no_argument, NULL, 'j'},                  \
     {"quiet", no_argument, NULL, 'q'}, {                                                       \
  "help", no_argument, NULL, 'h'                                                                \
 }

/* Handles one of these options. */
bool tournament_run_option(TournamentRun *run, int option, const char *value, Error *error);

/* Reads maps and configuration, chooses a seed if none is given, completes the plan and opens the
   sandbox. */
bool tournament_run_prepare(TournamentRun *run, Error *error);

/* Opens the tournament. `file` is as in TournamentOptions. */
bool tournament_run_open(TournamentRun *run, TournamentFile *file, const TournamentOptions *more,
                         Error *error);

/* Plays until the end or until Ctrl-C: the first lets running matches finish, the second aborts
   them. `line` writes what to show below the progress line; it may be NULL. */
TournamentState tournament_run_play(TournamentRun *run,
                                    void (*line)(TournamentRun *run, Buffer *to), Error *error);

void tournament_run_free(TournamentRun *run);

#endif
