/* See progress_bar.h. */
#include "cli/progress_bar.h"

#include "base/clock.h"
#include "cli/output.h"
#include "cli/terminal.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

enum { BAR_COLUMNS = 30, DRAW_EVERY_MS = 100, TEXT_SIZE = 200, ECHO_COLUMNS = 2 };

static struct {
    bool on;
    int64_t began;
    int64_t next;   /* when to draw next */
    uint32_t shown; /* columns of the line; 0: none */
} line;

void write_span(Buffer *to, double seconds) {
    uint64_t whole = (uint64_t)(seconds + 0.5);
    if (whole >= 3600)
        buffer_format(to, "%" PRIu64 " h %02" PRIu64 " min", whole / 3600, whole / 60 % 60);
    else if (whole >= 60)
        buffer_format(to, "%" PRIu64 " min %02" PRIu64 " s", whole / 60, whole % 60);
    else
        buffer_format(to, "%" PRIu64 " s", whole);
}

static void hide(void) {
    uint32_t columns = line.shown + ECHO_COLUMNS; /* the terminal may have echoed ^C */
    if (!line.shown)
        return;
    line.shown = 0;
    print_control(stderr, "\r");
    print_to(stderr, "%*s", (int)columns, "");
    print_control(stderr, "\r");
    fflush(stderr);
}

void progress_bar_make_room(FILE *to) {
    if (!line.shown || !isatty(fileno(to)))
        return;
    hide();
    line.next = 0; /* shown again as soon as possible */
}

void progress_bar_begin(bool quiet, int delay_ms) {
    hide();
    line.on = !quiet && isatty(STDERR_FILENO);
    line.began = clock_now();
    line.next = line.began + delay_ms * CLOCK_MS;
}

bool progress_bar_is_on(void) {
    return line.on;
}

static void write_line(double share, const char *text, Buffer *to) {
    double seconds = (double)(clock_now() - line.began) / 1e9;
    uint32_t filled = share > 0 ? (uint32_t)(share * BAR_COLUMNS) : 0;
    for (uint32_t i = 0; share >= 0 && i < BAR_COLUMNS + 2; i++)
        buffer_char(to, i == 0 ? '[' : i == BAR_COLUMNS + 1 ? ']' : i <= filled ? '#' : '.');
    buffer_format(to, "%s%s", share >= 0 ? " " : "", text);
    if (share > 0) {
        buffer_text(to, ", ");
        write_span(to, seconds * (1 - share) / share);
        buffer_text(to, " left");
    }
}

void progress_bar_show(double share, const char *format, ...) {
    int64_t now = clock_now();
    if (!line.on || now < line.next)
        return;
    char text[TEXT_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    Buffer whole = {0};
    Buffer cut = {0};
    write_line(share > 1 ? 1 : share, text, &whole);
    uint32_t width = utf8_show(&cut, (Slice){whole.data, whole.length},
                               terminal_columns(stderr) - ECHO_COLUMNS - 1);
    uint32_t before = line.shown;
    line.shown = 0; /* so that printing does not hide it */
    print_control(stderr, "\r");
    print_to(stderr, "%s%*s", buffer_string(&cut), before > width ? (int)(before - width) : 0, "");
    fflush(stderr);
    line.shown = width > before ? width : before;
    line.next = now + DRAW_EVERY_MS * CLOCK_MS;
    buffer_free(&whole);
    buffer_free(&cut);
}

void progress_bar_end(void) {
    hide();
    line.on = false;
}
