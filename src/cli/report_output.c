/* See report_output.h. */
#include "cli/report_output.h"

#include "cli/cli.h"
#include "cli/terminal.h"

static bool write_page(const Report *report, const char *path, Error *error) {
    Buffer page = {0};
    report_html(report, &page);
    bool good = print_file(path, (Slice){page.data, page.length}, error);
    buffer_free(&page);
    return good;
}

/* Appends a part after an empty line, unless the part is empty. */
static void add_part(Buffer *part, Buffer *text) {
    if (part->length)
        buffer_char(text, '\n');
    buffer_add(text, part->data, part->length);
    buffer_clear(part);
}

static void add_tables(const ReportOutput *output, const Report *report, Buffer *text) {
    uint32_t columns = terminal_columns(stdout);
    report_table(report, terminal_has_colour(stdout), columns, 0, text);
    if (output->cross) {
        buffer_char(text, '\n');
        report_cross(report, columns, text);
    }
    Buffer more = {0};
    report_bracket(report, &more);
    add_part(&more, text);
    report_failures(report, &more);
    add_part(&more, text);
    buffer_free(&more);
}

bool report_output(const ReportOutput *output, const Report *report, Error *error) {
    Buffer text = {0};
    if (output->json)
        report_json(report, &text);
    else if (output->csv)
        report_csv(report, &text);
    else if (!output->quiet)
        add_tables(output, report, &text);
    print_buffer(output->json ? TEXT_JSON : TEXT_COLOURS, &text);
    buffer_free(&text);
    return !output->html || write_page(report, output->html, error);
}
