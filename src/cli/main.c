/* skirmish: finds the command and runs it. */
#include "cli/cli.h"

#include "base/nearest_name.h"
#include "cli/init_process.h"
#include "cli/secret_arguments.h"
#include "cli/terminal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { COMMANDS_MAX = 64 };

/* In the order of the overview; an empty title ends the list. */
static const struct {
    const char *title;
    const Command *commands[16];
} groups[] = {
    {"On this machine",
     {&command_new, &command_dev, &command_play, &command_tournament, &command_compare,
      &command_rate, &command_replay, &command_feed, &command_check, &command_analyze,
      &command_games, &command_doctor}},
    {"Run an arena",
     {&command_serve, &command_worker, &command_backup, &command_restore, &command_migrate,
      &command_password}},
    {"Use an arena",
     {&command_login, &command_logout, &command_submit, &command_bots, &command_matches,
      &command_challenge, &command_logs, &command_join}},
    {NULL, {&command_runner, &command_unpack}}, /* not listed */
    {"", {NULL}},
};

typedef const Command *const CommandEntry;

static const Command *find_command(const char *name) {
    for (uint32_t i = 0; !groups[i].title || *groups[i].title; i++)
        for (CommandEntry *command = groups[i].commands; *command; command++)
            if (strcmp((*command)->name, name) == 0)
                return *command;
    return game_command(name);
}

static int unknown_command(const char *name) {
    const char *names[COMMANDS_MAX];
    uint32_t count = 0;
    for (uint32_t i = 0; groups[i].title && *groups[i].title; i++)
        for (CommandEntry *command = groups[i].commands; *command; command++)
            names[count++] = (*command)->name;
    for (const Game *const *game = games_all; *game && count < COMMANDS_MAX - 3; game++)
        if ((*game)->command_help)
            names[count++] = (*game)->name;
    names[count++] = "help";
    names[count++] = "version";
    names[count] = NULL;
    const char *nearest = nearest_name(slice_of(name), names);
    if (nearest)
        print_error("unknown command \"%s\"; did you mean \"%s\"?", name, nearest);
    else
        print_error("unknown command \"%s\"; `skirmish help` lists all commands", name);
    return STATUS_USAGE;
}

/* Prints a command with the first line of its help, without the full stop. */
static void print_command(FILE *to, const Command *command) {
    print_to(to, "  %-11s %.*s\n", command->name, (int)strcspn(command->help, ".\n"),
             command->help);
}

static void print_overview(FILE *to) {
    print_to(to, "Play matches between bots, run tournaments, and host an arena.\n"
                 "\n"
                 "Usage: skirmish COMMAND ...\n");
    for (uint32_t i = 0; groups[i].title && *groups[i].title; i++) {
        print_to(to, "\n%s\n", groups[i].title);
        for (CommandEntry *command = groups[i].commands; *command; command++)
            print_command(to, *command);
        for (const Game *const *game = games_all; i == 0 && *game; game++)
            if (game_command((*game)->name))
                print_command(to, game_command((*game)->name));
    }
    print_to(to, "\n"
                 "Other\n"
                 "  help        Print the help of a command: skirmish help COMMAND\n"
                 "  version     Print the version\n"
                 "\n"
                 "Options of every command\n"
                 "  --color WHEN  print colours: auto (default: on a terminal, unless the\n"
                 "                environment variable NO_COLOR is set), always or never\n"
                 "  --help        print the help of the command\n"
                 "\n"
                 "Examples\n"
                 "  skirmish play aliens --watch house:medium house:random\n"
                 "  skirmish help play\n");
}

static int run_help(int count, char **arguments) {
    if (count < 2) {
        print_overview(stdout);
        return STATUS_DONE;
    }
    const Command *command = find_command(arguments[1]);
    if (command && command->help)
        return show_help(command);
    return unknown_command(arguments[1]);
}

static bool choose_colour(const char *when) {
    static const char *const names[] = {"auto", "always", "never", NULL};
    static const ColourChoice choices[] = {COLOUR_AUTO, COLOUR_ALWAYS, COLOUR_NEVER};
    Error error;
    uint32_t index = 0;
    bool good = when ? parse_choice("--color", when, names, &index, &error)
                     : error_set(&error, "option --color requires a value");
    if (good)
        terminal_choose_colour(choices[index]);
    else
        print_error("%s", error.text);
    return good;
}

/* Removes --color, which every command has, from the arguments. Keeps everything after "--". */
static bool take_colour(int *count, char **arguments) {
    int kept = 1;
    int at = 1;
    for (; at < *count && strcmp(arguments[at], "--") != 0; at++)
        if (strcmp(arguments[at], "--color") == 0) {
            at++;
            if (!choose_colour(at < *count ? arguments[at] : NULL))
                return false;
        } else if (strncmp(arguments[at], "--color=", 8) == 0) {
            if (!choose_colour(arguments[at] + 8))
                return false;
        } else {
            arguments[kept++] = arguments[at];
        }
    while (at < *count)
        arguments[kept++] = arguments[at++];
    arguments[kept] = NULL;
    *count = kept;
    return true;
}

/* Ends like a command that does not start bots: such commands do not ignore SIGPIPE. */
static int end_by_closed_output(void) {
    signal(SIGPIPE, SIG_DFL);
    raise(SIGPIPE);
    return STATUS_FAILURE; /* not reached, unless SIGPIPE is blocked */
}

int main(int count, char **arguments) {
    hide_secret_arguments(count, arguments);
    if (!take_colour(&count, arguments))
        return STATUS_USAGE;
    if (count < 2) {
        print_overview(stderr);
        return STATUS_USAGE;
    }
    const char *name = arguments[1];
    if (strcmp(name, "help") == 0 || strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
        return run_help(count - 1, arguments + 1);
    if (strcmp(name, "version") == 0 || strcmp(name, "--version") == 0) {
        print("skirmish %s\n", SKIRMISH_VERSION);
        return STATUS_DONE;
    }
    const Command *command = find_command(name);
    if (!command)
        return unknown_command(name);
    if (count > 2 && command->help &&
        (strcmp(arguments[2], "--help") == 0 || strcmp(arguments[2], "-h") == 0))
        return show_help(command);
    init_process_separate();
    int status = command->run(count - 1, arguments + 1);
    bool is_written = print_flush();
    if (output_is_closed())
        return end_by_closed_output();
    if (!is_written && status == STATUS_DONE) {
        print_error("cannot write to standard output: %s", strerror(errno));
        status = STATUS_FAILURE;
    }
    return status;
}
