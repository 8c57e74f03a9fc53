/* skirmish: finds the command and runs it. */
#include "cli/cli.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const Command *const commands[] = {&command_play,       &command_serve,
                                          &command_tournament, &command_compare,
                                          &command_rate,       &command_replay,
                                          &command_games,      &command_ctf,
                                          &command_doctor,     &command_login,
                                          &command_logout,     &command_submit,
                                          &command_bots,       &command_matches,
                                          &command_challenge,  &command_logs,
                                          &command_join,       &command_backup,
                                          &command_restore,    &command_password,
                                          &command_runner,     NULL};

static const Command *find_command(const char *name) {
    for (const Command *const *command = commands; *command; command++)
        if (strcmp((*command)->name, name) == 0)
            return *command;
    return NULL;
}

static void print_overview(FILE *to) {
    fputs("skirmish: an arena for programs that fight\n\nUsage: skirmish COMMAND ...\n\n", to);
    for (const Command *const *command = commands; *command; command++)
        if ((*command)->summary)
            fprintf(to, "  %-11s %s\n", (*command)->name, (*command)->summary);
    fputs("  help        explains a command: skirmish help COMMAND\n"
          "  version     prints the version\n\n"
          "A first match, drawn in the terminal:\n\n"
          "  skirmish play aliens --watch house:hunter house:random\n",
          to);
}

static int run_help(int count, char **arguments) {
    if (count < 2) {
        print_overview(stdout);
        return STATUS_DONE;
    }
    const Command *command = find_command(arguments[1]);
    if (command && command->help)
        return show_help(command);
    print_error("no command is called \"%s\"; `skirmish help` lists them", arguments[1]);
    return STATUS_USAGE;
}

int main(int count, char **arguments) {
    if (count < 2) {
        print_overview(stderr);
        return STATUS_USAGE;
    }
    const char *name = arguments[1];
    if (strcmp(name, "help") == 0 || strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
        return run_help(count - 1, arguments + 1);
    if (strcmp(name, "version") == 0 || strcmp(name, "--version") == 0) {
        printf("skirmish %s\n", SKIRMISH_VERSION);
        return STATUS_DONE;
    }
    const Command *command = find_command(name);
    if (!command) {
        print_error("no command is called \"%s\"; `skirmish help` lists them", name);
        return STATUS_USAGE;
    }
    if (count > 2 && command->help &&
        (strcmp(arguments[2], "--help") == 0 || strcmp(arguments[2], "-h") == 0))
        return show_help(command);
    int status = command->run(count - 1, arguments + 1);
    if ((fflush(stdout) != 0 || ferror(stdout)) && status == STATUS_DONE) {
        print_error("cannot write to standard output: %s", strerror(errno));
        status = STATUS_FAILURE;
    }
    return status;
}
