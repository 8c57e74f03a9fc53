/* Questions at the terminal: see cli.h. */
#include "cli/cli.h"

#include <stdio.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

enum { GAMES_LISTED = 31 };

bool prompt(const char *question, bool secret, char *to, size_t size, Error *error) {
    bool terminal = isatty(STDIN_FILENO) != 0;
    struct termios before;
    bool hidden = terminal && secret && tcgetattr(STDIN_FILENO, &before) == 0;
    if (hidden) {
        struct termios silent = before;
        silent.c_lflag &= ~(tcflag_t)ECHO;
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent);
    }
    if (terminal) {
        print_to(stderr, "%s", question);
        fflush(stderr);
    }
    bool good = fgets(to, (int)size, stdin) != NULL;
    if (hidden) {
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &before);
        print_to(stderr, "\n");
    }
    if (!good)
        return error_set(error, interrupt_seen ? "interrupted" : "no input");
    size_t length = strcspn(to, "\r\n");
    if (!to[length] && length + 1 >= size)
        return error_set(error, "the input is too long");
    to[length] = '\0';
    return length > 0 || error_set(error, "no input");
}

bool prompt_or(const char *question, const char *standard, char *to, size_t size, Error *error) {
    char text[200];
    snprintf(text, sizeof text, "%s [%s]: ", question, standard);
    to[0] = '\0';
    if (prompt(text, false, to, size, error))
        return true;
    if (feof(stdin) || interrupt_seen || to[0])
        return false;
    snprintf(to, size, "%s", standard);
    return true;
}

void prompt_list(const char *title, const char *const *names) {
    print_to(stderr, "%s:", title);
    for (; *names; names++)
        print_to(stderr, " %s", *names);
    print_to(stderr, "\n");
}

const Game *prompt_game(Error *error) {
    const char *names[GAMES_LISTED + 1] = {NULL};
    char typed[64];
    for (uint32_t i = 0; i < GAMES_LISTED && games_all[i]; i++)
        names[i] = games_all[i]->name;
    prompt_list("Games", names);
    while (prompt_or("Game", names[0], typed, sizeof typed, error)) {
        const Game *game = game_find(slice_of(typed), error);
        if (game)
            return game;
        print_error("%s", error->text);
    }
    return NULL;
}
