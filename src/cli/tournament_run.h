/* What `tournament` and `compare` have in common: the options of a plan, the way to a plan that can
   be played, and what a person sees while many matches are played. */
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
    bool may_end_soon; /* the total is the most there can be */
    bool ending;       /* Ctrl-C was pressed */
    /* the progress that is shown */
    bool terminal;  /* standard error is one */
    uint32_t shown; /* lines of it on the screen */
    int64_t shown_at;
    int64_t show_every;
    Buffer text;
} TournamentRun;

/* Options that both have; for a table of getopt_long. */
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

/* Takes one of these options. */
bool tournament_run_option(TournamentRun *run, int option, const char *value, Error *error);

/* Reads maps and configuration, draws a seed if there is none, settles the plan and opens the
   sandbox. */
bool tournament_run_prepare(TournamentRun *run, Error *error);

/* Opens the tournament and, unless it is to be quiet, shows how it goes. `book` as in
   TournamentOptions. */
bool tournament_run_open(TournamentRun *run, Book *book, const TournamentOptions *more,
                         Error *error);

/* Plays until the end, or until Ctrl-C: the first lets what is under way come to its end, the
   second breaks it off. `line` writes what to show beneath the line of progress; it may be NULL. */
TournamentState tournament_run_play(TournamentRun *run,
                                    void (*line)(TournamentRun *run, Buffer *to), Error *error);

/* Takes what was shown off the screen again. */
void tournament_run_hide(TournamentRun *run);

bool tournament_run_free(TournamentRun *run, Error *error);

#endif
