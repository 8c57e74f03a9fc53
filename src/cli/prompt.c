/* prompt(): see cli.h. */
#include "cli/cli.h"

#include <stdio.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

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
