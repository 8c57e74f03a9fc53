/* See publish.h. */
#include "cli/publish.h"

#include "cli/cli.h"
#include "cli/screen.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static bool write_page(const Report *report, const char *path, Error *error) {
    Buffer page = {0};
    report_html(report, &page);
    FILE *file = fopen(path, "we");
    bool good = file && fwrite(page.data, 1, page.length, file) == page.length;
    int reason = errno;
    if (file && fclose(file) != 0 && good) {
        good = false;
        reason = errno;
    }
    buffer_free(&page);
    return good || error_set(error, "cannot write %s: %s", path, strerror(reason));
}

static void add_tables(const Publication *publication, const Report *report, Buffer *text) {
    uint32_t columns = screen_columns();
    report_table(report, screen_has_colour(), columns, 0, text);
    if (publication->cross) {
        buffer_char(text, '\n');
        report_cross(report, columns, text);
    }
    size_t before = text->length;
    buffer_char(text, '\n');
    report_bracket(report, text);
    if (text->length == before + 1)
        text->length = before; /* there is none */
}

bool publish(const Publication *publication, const Report *report, Error *error) {
    Buffer text = {0};
    if (publication->json)
        report_json(report, &text);
    else if (publication->csv)
        report_csv(report, &text);
    else if (!publication->quiet)
        add_tables(publication, report, &text);
    print_buffer(&text);
    buffer_free(&text);
    return !publication->html || write_page(report, publication->html, error);
}
