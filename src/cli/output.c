/* See output.h. */
#include "cli/output.h"

#include "base/memory.h"
#include "cli/cli.h"
#include "cli/progress_bar.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static bool is_closed;

bool output_is_closed(void) {
    return is_closed;
}

static void note_failure(void) {
    if (errno != EPIPE)
        return;
    is_closed = true;
    interrupt_seen = SIGPIPE;
}

bool print_flush(void) {
    if (fflush(stdout) == 0)
        return !ferror(stdout);
    note_failure();
    return false;
}

bool print_as(FILE *to, TextForm form, Slice text) {
    Buffer clean = {0};
    progress_bar_make_room(to);
    utf8_clean(&clean, text, form);
    bool good = fwrite(clean.data, 1, clean.length, to) == clean.length;
    if (!good && to == stdout)
        note_failure();
    buffer_free(&clean);
    return good;
}

void print_text(FILE *to, Slice text) {
    print_as(to, TEXT_LINES, text);
}

static void print_format(FILE *to, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));

static void print_format(FILE *to, const char *format, va_list arguments) {
    char *text = xvasprintf(format, arguments);
    print_text(to, slice_of(text));
    free(text);
}

void print(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    print_format(stdout, format, arguments);
    va_end(arguments);
}

void print_to(FILE *to, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    print_format(to, format, arguments);
    va_end(arguments);
}

void print_column(const char *text, uint32_t columns) {
    Buffer shown = {0};
    uint32_t width = utf8_show(&shown, slice_of(text), columns);
    print("%s%*s", buffer_string(&shown), (int)(columns - width), "");
    buffer_free(&shown);
}

bool print_buffer(TextForm form, Buffer *text) {
    bool good = print_as(stdout, form, (Slice){text->data, text->length});
    buffer_clear(text);
    return good;
}

bool print_file(const char *path, Slice text, Error *error) {
    FILE *file = fopen(path, "we");
    bool good = file && print_as(file, TEXT_LINES, text);
    int reason = errno;
    if (file && fclose(file) != 0 && good) {
        good = false;
        reason = errno;
    }
    return good || error_set(error, "cannot write %s: %s", path, strerror(reason));
}

void print_control(FILE *to, const char *sequence) {
    fputs(sequence, to);
}

void print_error(const char *format, ...) {
    va_list arguments;
    progress_bar_make_room(stderr);
    print_flush();
    if (is_closed)
        return;
    va_start(arguments, format);
    fputs("skirmish: ", stderr);
    print_format(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}
