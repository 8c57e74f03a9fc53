/* Standings as one HTML page: a sortable table and the charts of report_charts.c. The page makes no
   network requests and works from disk. Names of bots cannot inject code: they are escaped, and the
   policy in the head allows only the style and script of report_page.h. See report.h. */
#include "base/utf8.h"
#include "league/report_common.h"
#include "league/report_page.h"

#include <inttypes.h>
#include <string.h>

enum { CHART_BOTS = 40, NAME_MOST = 200, FIND_FROM = 20, TALL_FROM = 30 };

void report_escape(Buffer *to, const char *text, uint32_t most) {
    Buffer clean = {0};
    utf8_show(&clean, slice_of(text), most);
    for (size_t i = 0; i < clean.length; i++) {
        char c = clean.data[i];
        static const char special[] = "&<>\"'";
        static const char *const names[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
        const char *found = strchr(special, c);
        if (found && c)
            buffer_text(to, names[found - special]);
        else
            buffer_char(to, c);
    }
    buffer_free(&clean);
}

static const StandingsRow *row_at(const Report *report, uint32_t position) {
    return standings_row(report->standings, standings_at(report->standings, position));
}

/* ---- the head ---- */

/* The directives that work in a meta element; all others need a header. */
#define OWN_POLICY                                                                    \
 "default-src 'none'; style-src '" PAGE_STYLE_HASH "'; script-src '" PAGE_SCRIPT_HASH \
 "'; base-uri 'none'; form-action 'none'"

const char report_html_policy[] = OWN_POLICY "; frame-ancestors 'none'; sandbox allow-scripts";

static void put_head(const Report *report, Buffer *to) {
    buffer_text(to, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                    "<meta http-equiv=\"Content-Security-Policy\" content=\"" OWN_POLICY "\">\n"
                    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                    "<meta name=\"color-scheme\" content=\"light dark\">\n<title>");
    report_escape(to, report->title ? report->title : "Standings", NAME_MOST);
    buffer_text(to, "</title>\n<style>");
    buffer_text(to, page_style);
    buffer_text(to, "</style>\n</head>\n<body>\n");
}

static void put_fact(Buffer *to, const char *what, const char *value) {
    if (!value)
        return;
    buffer_format(to, "<li>%s <b>", what);
    report_escape(to, value, NAME_MOST);
    buffer_text(to, "</b></li>\n");
}

/* Appends the name of a format for people: "Round robin" for round-robin. */
static void put_format(Buffer *to, const char *format) {
    if (!format)
        return;
    Buffer title = {0};
    buffer_text(&title, format);
    for (size_t i = 0; i < title.length; i++)
        if (title.data[i] == '-')
            title.data[i] = ' ';
    if (title.length && title.data[0] >= 'a' && title.data[0] <= 'z')
        title.data[0] = (char)(title.data[0] - 'a' + 'A');
    put_fact(to, "Format", buffer_string(&title));
    buffer_free(&title);
}

static void put_facts(const Report *report, Buffer *to) {
    Buffer text = {0};
    buffer_text(to, "<ul class=\"facts\">\n");
    put_fact(to, "Game", report->game);
    put_format(to, report->format);
    buffer_uint(&text, standings_bots(report->standings));
    put_fact(to, "Bots", buffer_string(&text));
    buffer_clear(&text);
    buffer_uint(&text, standings_matches(report->standings));
    put_fact(to, "Matches", buffer_string(&text));
    buffer_clear(&text);
    buffer_uint(&text, report->seed);
    put_fact(to, "Seed", report->format ? buffer_string(&text) : NULL);
    put_fact(to, "State", report->unfinished ? "unfinished" : NULL);
    buffer_text(to, "</ul>\n");
    buffer_free(&text);
}

/* Shows the first three in letters that can be read from the back of a hall. */
static void put_podium(const Report *report, Buffer *to) {
    if (standings_bots(report->standings) > 3 && row_at(report, 3)->place == 1)
        return; /* no bot is eliminated yet */
    buffer_text(to, "<ol class=\"podium\">\n");
    for (uint32_t i = 0; i < 3 && i < standings_bots(report->standings); i++) {
        const StandingsRow *row = row_at(report, i);
        if (!row->matches)
            continue;
        static const char *const places[] = {"First", "Second", "Third"};
        buffer_format(to, "<li%s><span>%s place</span><strong><bdi>",
                      row->place == 1 ? " class=\"first\"" : "", places[(row->place - 1) % 3]);
        report_escape(to, row->name, NAME_MOST);
        buffer_format(to, "</bdi></strong><span>%+.0f ± %.0f, ", report_elo(row), row->error);
        report_points(to, row->points);
        buffer_text(to, " of ");
        report_points(to, row->points_most);
        buffer_text(to, " points</span></li>\n");
    }
    buffer_text(to, "</ol>\n");
}

/* ---- the table ---- */

/* Groups of columns that are shown only if there is data for them. */
typedef enum Part {
    PART_ALWAYS,
    PART_SWISS,
    PART_BYES,
    PART_TIMES,
    PART_CONDUCT, /* timeouts, crashes, rejected orders */
    PART_GRACES,
    PARTS
} Part;

typedef struct Shown {
    bool parts[PARTS];
} Shown;

static const struct {
    Part part;
    const char *title;
    const char *attributes;
} heads[] = {
    {PART_ALWAYS, "#", " data-first=\"ascending\" aria-sort=\"ascending\""},
    {PART_ALWAYS, "bot", " class=\"name\" data-text data-first=\"ascending\""},
    {PART_ALWAYS, "rating", ""},
    {PART_SWISS, "Swiss points", ""},
    {PART_SWISS, "Buchholz", ""},
    {PART_BYES, "byes", ""},
    {PART_ALWAYS, "points", ""},
    {PART_ALWAYS, "score", ""},
    {PART_ALWAYS, "won", ""},
    {PART_ALWAYS, "drawn", ""},
    {PART_ALWAYS, "lost", ""},
    {PART_TIMES, "ms per turn", ""},
    {PART_TIMES, "longest turn, ms", ""},
    {PART_TIMES, "CPU ms per turn", ""},
    {PART_CONDUCT, "timeouts", ""},
    {PART_CONDUCT, "crashes", ""},
    {PART_CONDUCT, "rejected", ""},
    {PART_GRACES, "graces", ""},
};

static void put_number(Buffer *to, uint64_t value, bool bad) {
    buffer_format(to, "<td%s>%" PRIu64 "</td>",
                  value == 0 ? " class=\"zero\""
                  : bad      ? " class=\"bad\""
                             : "",
                  value);
}

static void put_time(Buffer *to, double nanoseconds, bool known) {
    if (!known) {
        buffer_text(to, "<td class=\"zero\" data-v=\"\">-</td>");
        return;
    }
    buffer_format(to, "<td data-v=\"%.0f\">", nanoseconds);
    report_ms(to, nanoseconds);
    buffer_text(to, "</td>");
}

static void put_points(Buffer *to, double points) {
    buffer_text(to, "<td>");
    report_points(to, points);
    buffer_text(to, "</td>");
}

static void put_row(const StandingsRow *row, Shown shown, Buffer *to) {
    buffer_format(to, "<tr><td>%u</td><td class=\"name\" title=\"", row->place);
    report_escape(to, row->name, NAME_MOST);
    buffer_text(to, "\"><bdi>");
    report_escape(to, row->name, NAME_MOST);
    buffer_text(to, "</bdi></td>");
    if (row->matches)
        buffer_format(to, "<td data-v=\"%.3f\">%+.0f <small>± %.0f</small></td>", row->elo,
                      report_elo(row), row->error);
    else
        buffer_text(to, "<td class=\"zero\" data-v=\"\">-</td>");
    if (shown.parts[PART_SWISS]) {
        put_points(to, row->swiss.points / 2.0);
        put_points(to, (double)row->swiss.buchholz / 2);
    }
    if (shown.parts[PART_BYES])
        put_number(to, row->swiss.byes, false);
    put_points(to, row->points);
    if (row->points_most > 0)
        buffer_format(to, "<td data-v=\"%.6f\">%.1f%%</td>", report_share(row),
                      100 * report_share(row));
    else
        buffer_text(to, "<td class=\"zero\" data-v=\"\">-</td>");
    put_number(to, row->wins, false);
    put_number(to, row->draws, false);
    put_number(to, row->losses, false);
    if (shown.parts[PART_TIMES]) {
        double turns = row->turns ? (double)row->turns : 1;
        put_time(to, (double)row->wall / turns, row->turns);
        put_time(to, (double)row->wall_longest, row->turns);
        put_time(to, (double)row->cpu / turns, row->turns);
    }
    if (shown.parts[PART_CONDUCT]) {
        put_number(to, row->timeouts, true);
        put_number(to, row->crashes, true);
        put_number(to, row->refused, false);
    }
    if (shown.parts[PART_GRACES])
        put_number(to, row->graces, false);
    buffer_text(to, "</tr>\n");
}

static void put_table(const Report *report, Shown shown, Buffer *to) {
    uint32_t bots = standings_bots(report->standings);
    buffer_text(
        to,
        "<section class=\"full\">\n<h2>Standings</h2>\n"
        "<p>Ratings use the Elo scale: a lead of 400 points means odds of ten to one. ± is half "
        "the width of the 95% confidence interval. Points: one for each opponent beaten, half "
        "for each draw.");
    if (shown.parts[PART_SWISS])
        buffer_text(
            to,
            " Swiss points decide the place: one for each opponent beaten over a whole meeting, "
            "half for a draw; a bye counts as a win. Buchholz breaks ties: the sum of the "
            "opponents' Swiss points, with the bot's own for a bye.");
    buffer_text(to, "</p>\n");
    if (bots > FIND_FROM)
        buffer_text(to, "<input type=\"search\" placeholder=\"Find a bot\" "
                        "aria-label=\"Find a bot\" hidden>\n");
    buffer_format(to, "<div class=\"scroll%s\" tabindex=\"0\"><table>\n<thead><tr>",
                  bots > TALL_FROM ? " tall" : "");
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        if (shown.parts[heads[i].part])
            buffer_format(to, "<th scope=\"col\"%s><button type=\"button\">%s</button></th>",
                          heads[i].attributes, heads[i].title);
    buffer_text(to, "</tr></thead>\n<tbody>\n");
    for (uint32_t i = 0; i < bots; i++)
        put_row(row_at(report, i), shown, to);
    buffer_text(to, "</tbody></table></div>\n</section>\n");
}

static void put_failures(const Report *report, Buffer *to) {
    bool any = false;
    for (uint32_t i = 0; i < standings_bots(report->standings); i++) {
        const StandingsRow *row = row_at(report, i);
        if (!row->failure)
            continue;
        buffer_text(to, any ? "" : "<section class=\"full\">\n<h2>Last failures</h2>\n<ul>\n");
        any = true;
        buffer_text(to, "<li><b><bdi>");
        report_escape(to, row->name, NAME_MOST);
        buffer_text(to, "</bdi></b>: ");
        report_escape(to, row->failure, NAME_MOST);
        buffer_text(to, "</li>\n");
    }
    buffer_text(to, any ? "</ul>\n</section>\n" : "");
}

/* ---- the charts ---- */

/* Appends a section with a chart; nothing if the chart is empty. */
static void put_section(const Report *report, const char *class, const char *title,
                        const char *text, void (*chart)(const Report *, uint32_t, Buffer *),
                        Buffer *to) {
    uint32_t bots = standings_bots(report->standings);
    uint32_t shown = bots < CHART_BOTS ? bots : CHART_BOTS;
    Buffer drawing = {0};
    chart(report, shown, &drawing);
    if (drawing.length) {
        buffer_format(to, "<section class=\"%s\">\n<h2>%s</h2>\n<p>%s", class, title, text);
        if (shown < bots)
            buffer_format(to, " Showing the first %u of %u bots.", shown, bots);
        buffer_text(to, "</p>\n<div class=\"scroll\" tabindex=\"0\">");
        buffer_add(to, drawing.data, drawing.length);
        buffer_text(to, "</div>\n</section>\n");
    }
    buffer_free(&drawing);
}

static void put_bracket(const Report *report, Buffer *to) {
    Buffer drawing = {0};
    report_bracket_chart(report, &drawing);
    if (drawing.length) {
        buffer_text(
            to,
            "<section class=\"full\">\n<h2>Bracket</h2>\n<p>Points over all matches of a meeting. "
            "* marks a tie in which the higher seed advanced.</p>\n");
        buffer_add(to, drawing.data, drawing.length);
        buffer_text(to, "</section>\n");
    }
    buffer_free(&drawing);
}

void report_html(const Report *report, Buffer *to) {
    Shown shown = {.parts = {[PART_ALWAYS] = true}};
    for (uint32_t i = 0; i < standings_bots(report->standings); i++) {
        const StandingsRow *row = row_at(report, i);
        shown.parts[PART_SWISS] |= row->is_swiss;
        shown.parts[PART_BYES] |= row->is_swiss && row->swiss.byes > 0;
        shown.parts[PART_TIMES] |= row->turns > 0;
        shown.parts[PART_CONDUCT] |= report_has_conduct(row);
        shown.parts[PART_GRACES] |= row->graces > 0;
    }
    put_head(report, to);
    buffer_text(to, "<header>\n<h1>");
    report_escape(to, report->title ? report->title : "Standings", NAME_MOST);
    buffer_text(to, "</h1>\n");
    put_facts(report, to);
    put_podium(report, to);
    buffer_text(to, "</header>\n<main>\n");
    put_table(report, shown, to);
    put_bracket(report, to);
    put_section(
        report, "half", "Ratings",
        "Dot: rating. Line: 95% confidence interval. Bots whose lines overlap widely may be "
        "equally strong.",
        report_rating_chart, to);
    put_section(
        report, "half", "Ratings over time",
        "Recomputed from the matches up to each point. The first eight bots have colours. Early "
        "ratings are based on few matches and may lie outside the chart.",
        report_history_chart, to);
    put_section(
        report, standings_bots(report->standings) > HEAT_FITS ? "full" : "half", "Head to head",
        "Percentage of points that the row's bot won against the column's bot. Hover for details "
        "and for the probability that it is the stronger one.",
        report_heat_map, to);
    put_section(
        report, "half", "Time",
        "Milliseconds per turn, on a logarithmic scale. CPU time covers whole matches including "
        "the bot's start, so it may exceed the time of the turns.",
        report_time_chart, to);
    put_failures(report, to);
    buffer_text(
        to,
        "</main>\n<footer>Generated by Skirmish. This page is self-contained: it makes no network "
        "requests.</footer>\n<script>");
    buffer_text(to, page_script);
    buffer_text(to, "</script>\n</body>\n</html>\n");
}
