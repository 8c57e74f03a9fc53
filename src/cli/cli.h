/* Shared by all commands: exit statuses, messages, options, files and interrupts. */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include "base/buffer.h"
#include "base/error.h"
#include "cli/output.h"
#include "games/game.h"
#include "match/board.h"
#include "match/match.h"
#include "match/verdict.h"

#include <signal.h>
#include <stdio.h>

enum { STATUS_DONE = 0, STATUS_FAILURE = 1, STATUS_USAGE = 2, STATUS_INTERRUPTED = 130 };

typedef struct Command {
    const char *name;
    const char *help; /* its first line is its summary; NULL for a command not meant for people */
    int (*run)(int count, char **arguments); /* arguments[0] is the command's name */
} Command;

extern const Command command_new;
extern const Command command_dev;
extern const Command command_play;
extern const Command command_serve;
extern const Command command_worker;
extern const Command command_tournament;
extern const Command command_compare;
extern const Command command_feed;
extern const Command command_analyze;
extern const Command command_check;
extern const Command command_games;
extern const Command command_replay;
extern const Command command_rate;
extern const Command command_doctor;
extern const Command command_runner;
extern const Command command_unpack;
extern const Command command_login;
extern const Command command_logout;
extern const Command command_submit;
extern const Command command_bots;
extern const Command command_matches;
extern const Command command_challenge;
extern const Command command_logs;
extern const Command command_join;
extern const Command command_backup;
extern const Command command_restore;
extern const Command command_migrate;
extern const Command command_password;

/* The command of a game whose original document defines a command line (Game.command_help), or
   NULL. */
const Command *game_command(const char *name);

/* Prints an error and names the command's help; returns STATUS_USAGE. */
int usage_error(const Command *command, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
int unexpected_argument(const Command *command, const char *argument);

#define GAME_REQUIRED "--game is required; `skirmish games` lists all games"

/* Prints a command's help and returns STATUS_DONE. */
int show_help(const Command *command);

struct option;

/* The next option's letter, or 0 when there are no more. -1 when the command ends here: help or an
   error has been printed, and *status is the exit status. */
int next_option(const Command *command, int count, char **arguments, const struct option *options,
                int *status);

/* Reads an option and its value, NULL if it has none. */
typedef bool OptionReader(void *context, int option, const char *value, Error *error);

/* Passes each option to `read`. False when the command ends here: help or an error, which may come
   from `read`, has been printed, and *status is the exit status. */
bool read_each_option(const Command *command, int count, char **arguments,
                      const struct option *options, OptionReader *read, void *context, int *status);

/* The error of an option for which getopt_long returned ':' or '?' (`code`). Returns false. */
bool option_error(int code, char **arguments, const struct option *options, Error *error);

/* Reads a whole file ("-" is standard input) of at most 16 MiB. */
bool load_file(const char *path, Buffer *to, Error *error);

/* The same for bots and for lists of results, of at most 1 GiB. */
bool load_bot(const char *path, Buffer *to, Error *error);
bool load_results(const char *path, Buffer *to, Error *error);

/* Parses an option's value, a whole number from `low` to `high`. */
bool parse_number(const char *option, const char *text, uint64_t low, uint64_t high,
                  uint64_t *value, Error *error);

/* The same for 32 bits. */
bool parse_count(const char *option, const char *text, uint32_t low, uint32_t high, uint32_t *value,
                 Error *error);

/* Finds an option's value in the list, which ends with NULL. */
bool parse_choice(const char *option, const char *text, const char *const *choices, uint32_t *index,
                  Error *error);

/* Reads a line from standard input. At a terminal, prints the question first, and does not echo a
   secret. */
bool prompt(const char *question, bool secret, char *to, size_t size, Error *error);

/* Repeats the question until a line is given; an empty one means `standard`. */
bool prompt_or(const char *question, const char *standard, char *to, size_t size, Error *error);

/* Shows the possible answers to the next question. */
void prompt_list(const char *title, const char *const *names);

/* Lists the games and asks for one; NULL if there is no input. */
const Game *prompt_game(Error *error);

/* A random seed that fits in a JSON number exactly (53 bits). */
uint64_t draw_seed(void);

/* Not 0 after Ctrl-C or SIGTERM, once catch_interrupts was called. */
extern volatile sig_atomic_t interrupt_seen;
void catch_interrupts(void);

#endif
