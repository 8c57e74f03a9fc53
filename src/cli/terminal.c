/* See terminal.h. Uses only plain control sequences that every terminal supports. */
#include "cli/terminal.h"

#include "base/paint.h"
#include "cli/output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { NAME_WIDTH = 30 }; /* columns */

static bool is_open;
static ColourChoice colour_choice;

void terminal_choose_colour(ColourChoice choice) {
    colour_choice = choice;
}

bool terminal_has_cursor(FILE *to) {
    const char *terminal = getenv("TERM");
    return isatty(fileno(to)) && !(terminal && strcmp(terminal, "dumb") == 0);
}

bool terminal_has_colour(FILE *to) {
    if (colour_choice != COLOUR_AUTO)
        return colour_choice == COLOUR_ALWAYS;
    const char *no_colour = getenv("NO_COLOR");
    return terminal_has_cursor(to) && !(no_colour && *no_colour);
}

uint32_t terminal_columns(FILE *of) {
    struct winsize size = {0};
    if (ioctl(fileno(of), TIOCGWINSZ, &size) != 0 || size.ws_col < 20)
        return 80;
    return size.ws_col;
}

void terminal_draw_board(const Board *board, const char *const *names, const char *head,
                         bool colour, Buffer *to) {
    paint_text(to, colour, PAINT_BRIGHT, head);
    buffer_text(to, "\n\n");
    board->game->draw(board->setup, board->state, colour, to);
    buffer_char(to, '\n');
    for (uint32_t i = 0; i < board->players; i++) {
        char line[160];
        bool active = !board->state->over && board->game->is_active(board->setup, board->state, i);
        Buffer name = {0};
        utf8_show(&name, slice_of(names[i]), NAME_WIDTH);
        snprintf(line, sizeof line, "%u %s", i + 1, buffer_string(&name));
        buffer_free(&name);
        paint_text(to, colour, (int)i, line);
        if (board->status[i] != STATUS_OK)
            buffer_format(to, " [%s]", status_name(board->status[i]));
        else if (!active && !board->state->over)
            buffer_text(to, " [eliminated]");
        if (board->refused[i])
            buffer_format(to, " refused: %llu", (unsigned long long)board->refused[i]);
        if (board->graces[i])
            buffer_format(to, " grace: %u", board->graces[i]);
        buffer_char(to, '\n');
    }
}

void terminal_open(void) {
    is_open = terminal_has_cursor(stdout);
    if (is_open)
        print_control(stdout, "\033[?1049h\033[?25l\033[?7l"); /* alternate screen, no cursor, no
                                                                   line wrapping */
}

void terminal_close(void) {
    if (is_open) {
        print_control(stdout, "\033[?7h\033[?25h\033[?1049l");
        print_flush();
    }
    is_open = false;
}

bool terminal_is_open(void) {
    return is_open;
}

/* The height of the terminal. A taller board is cut off above the footer. */
static size_t visible_lines(void) {
    struct winsize size = {0};
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row < 4)
        return 24;
    return size.ws_row;
}

void terminal_show(Buffer *picture, const char *footer) {
    if (!is_open) {
        print_as(stdout, TEXT_COLOURS, (Slice){picture->data, picture->length});
        print("\n");
        print_flush();
        return;
    }
    print_control(stdout, "\033[H");
    Slice rest = {picture->data, picture->length};
    Slice line;
    size_t room = visible_lines() - 1;
    while (room-- && slice_line(&rest, &line)) {
        print_as(stdout, TEXT_COLOURS, line);
        print_control(stdout, "\033[K\n");
    }
    print("%s", footer);
    print_control(stdout, "\033[K\033[J");
    print_flush();
}
