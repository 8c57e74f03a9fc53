/* The charts of the HTML page, as inline SVG. Colours are classes that the page's style defines for
   light and dark themes; hovering shows the numbers (SVG titles). See report_common.h. */
#include "base/utf8.h"
#include "league/bracket.h"
#include "league/report_common.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum {
    PLOT_WIDTH = 490, /* of a chart without the names of the bots */
    LETTER_WIDTH = 7, /* of an average letter */
    LABEL_MOST = 65,  /* letters of a name that are shown: "owner/bot" of an arena always fits */
    LABEL_FITS = 200, /* with wider labels, a chart scrolls instead of shrinking */
    HOVER_MOST = 120,
    ROW_HEIGHT = 20,
    LINE_COLOURS = 8,
};

static const StandingsRow *row_at(const Report *report, uint32_t position) {
    return standings_row(report->standings, standings_at(report->standings, position));
}

/* The width that the names of the first `shown` bots need. */
static double label_width(const Report *report, uint32_t shown) {
    uint32_t longest = 0;
    for (uint32_t i = 0; i < shown; i++) {
        uint32_t width = (uint32_t)utf8_width(slice_of(row_at(report, i)->name));
        longest = width > longest ? width : longest;
    }
    return 16 + (double)(longest < LABEL_MOST ? longest : LABEL_MOST) * LETTER_WIDTH;
}

/* Starts a chart, which is scaled to fill its section. A chart that `keeps` its size scrolls if it
   is wider than the screen. */
static void open_chart(Buffer *to, double width, double height, bool keeps, const char *label) {
    buffer_format(to,
                  "<svg viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" height=\"%.0f\"%s role=\"img\" "
                  "aria-label=\"%s\">\n",
                  width, height, width, height, keeps ? "" : " class=\"fit\"", label);
}

static void put_text(Buffer *to, double x, double y, const char *class, const char *text) {
    buffer_format(to, "<text x=\"%.1f\" y=\"%.1f\" class=\"%s\">", x, y, class);
    report_escape(to, text, LABEL_MOST);
    buffer_text(to, "</text>");
}

static void put_line(Buffer *to, double x1, double y1, double x2, double y2, const char *class) {
    buffer_format(to, "<path d=\"M%.1f %.1fL%.1f %.1f\" class=\"%s\"/>", x1, y1, x2, y2, class);
}

/* ---- scales ---- */

typedef struct Scale {
    double low; /* of the values */
    double high;
    double from; /* the coordinates of `low` and `high` */
    double to;
} Scale;

static double scaled(const Scale *scale, double value) {
    double range = scale->high - scale->low;
    return scale->from +
           (range > 0 ? (value - scale->low) / range : 0.5) * (scale->to - scale->from);
}

/* A step of 1, 2 or 5 times a power of ten, such that there are about `count` steps in the
   range. */
static double nice_step(double range, int count) {
    double raw = range > 0 ? range / count : 1;
    double power = pow(10, floor(log10(raw)));
    double factor = raw / power;
    return power * (factor <= 1.5 ? 1 : factor <= 3.5 ? 2 : factor <= 7.5 ? 5 : 10);
}

/* How many steps there are to the end of a scale. */
static int steps_in(double range, double step) {
    return (int)floor(range / step + 0.01);
}

/* Widens a scale to whole steps. */
static double round_scale(Scale *scale, int count) {
    double step = nice_step(scale->high - scale->low, count);
    scale->low = floor(scale->low / step) * step;
    scale->high = ceil(scale->high / step) * step;
    if (scale->high <= scale->low)
        scale->high = scale->low + step;
    return step;
}

/* ---- ratings with their intervals ---- */

enum { RATING_FIGURES = 92 };

static void put_rating_row(const StandingsRow *row, const Scale *x, double y, Buffer *to) {
    double middle = y + ROW_HEIGHT / 2.0;
    double width = x->to + RATING_FIGURES;
    buffer_text(to, "<g class=\"row\"><title>");
    report_escape(to, row->name, HOVER_MOST);
    buffer_format(to, ": %+.1f, 95%% confidence interval %+.1f to %+.1f</title>", row->elo,
                  row->elo - row->error, row->elo + row->error);
    buffer_format(to, "<rect x=\"0\" y=\"%.1f\" width=\"%.0f\" height=\"%d\" class=\"hit\"/>", y,
                  width, ROW_HEIGHT);
    put_text(to, x->from - 8, middle + 4, "end", row->name);
    put_line(to, scaled(x, row->elo - row->error), middle, scaled(x, row->elo + row->error), middle,
             "whisker");
    for (int end = -1; end <= 1; end += 2)
        put_line(to, scaled(x, row->elo + end * row->error), middle - 4,
                 scaled(x, row->elo + end * row->error), middle + 4, "whisker");
    buffer_format(to, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4.5\" class=\"dot\"/>",
                  scaled(x, row->elo), middle);
    buffer_format(to, "<text x=\"%.0f\" y=\"%.1f\" class=\"end figure\">%+.0f ± %.0f</text></g>\n",
                  width, middle + 4, row->elo, row->error);
}

void report_rating_chart(const Report *report, uint32_t shown, Buffer *to) {
    double label = label_width(report, shown);
    double width = label + PLOT_WIDTH;
    Scale x = {.low = 0, .high = 0, .from = label, .to = width - RATING_FIGURES};
    uint32_t rows = 0;
    for (uint32_t i = 0; i < shown; i++) {
        const StandingsRow *row = row_at(report, i);
        x.low = fmin(x.low, row->matches ? row->elo - row->error : 0);
        x.high = fmax(x.high, row->matches ? row->elo + row->error : 0);
        rows += row->matches > 0;
    }
    if (!rows)
        return;
    double step = round_scale(&x, 6);
    double bottom = (double)rows * ROW_HEIGHT + 6;
    open_chart(to, width, bottom + 22, label > LABEL_FITS, "Ratings with 95% confidence intervals");
    for (int i = 0; i <= steps_in(x.high - x.low, step); i++) {
        double tick = x.low + i * step;
        put_line(to, scaled(&x, tick), 2, scaled(&x, tick), bottom,
                 fabs(tick) < step / 2 ? "zero" : "grid");
        buffer_format(to, "<text x=\"%.1f\" y=\"%.1f\" class=\"mid tick\">%.0f</text>\n",
                      scaled(&x, tick), bottom + 16, fabs(tick) < step / 2 ? 0.0 : tick);
    }
    double y = 4;
    for (uint32_t i = 0; i < shown; i++)
        if (row_at(report, i)->matches) {
            put_rating_row(row_at(report, i), &x, y, to);
            y += ROW_HEIGHT;
        }
    buffer_text(to, "</svg>\n");
}

/* ---- time ---- */

typedef struct TimeUse {
    double wall; /* milliseconds per turn; 0: unknown */
    double cpu;
    double longest;
} TimeUse;

static TimeUse time_use(const StandingsRow *row) {
    TimeUse use = {.longest = (double)row->wall_longest / 1e6};
    if (row->turns) {
        use.wall = (double)row->wall / 1e6 / (double)row->turns;
        use.cpu = (double)row->cpu / 1e6 / (double)row->turns;
    }
    return use;
}

enum { TIME_FIGURES = 80 };

static void put_time_row(const StandingsRow *row, const Scale *x, double y, Buffer *to) {
    TimeUse use = time_use(row);
    double middle = y + ROW_HEIGHT / 2.0;
    double width = x->to + TIME_FIGURES;
    double longest = use.longest > 0 ? use.longest : use.wall;
    buffer_text(to, "<g class=\"row\"><title>");
    report_escape(to, row->name, HOVER_MOST);
    if (row->turns) {
        buffer_text(to, ": ");
        report_ms(to, use.wall * 1e6);
        buffer_text(to, " ms per turn; CPU time ");
        report_ms(to, use.cpu * 1e6);
        buffer_text(to, " ms including the start; longest turn ");
        report_ms(to, use.longest * 1e6);
        buffer_format(to, " ms; timeouts: %" PRIu64 "</title>", row->timeouts);
    } else {
        buffer_text(to, " has not played a turn</title>");
    }
    buffer_format(to, "<rect x=\"0\" y=\"%.1f\" width=\"%.0f\" height=\"%d\" class=\"hit\"/>", y,
                  width, ROW_HEIGHT);
    put_text(to, x->from - 8, middle + 4, "end", row->name);
    if (use.wall > 0) {
        double right = scaled(x, log10(longest));
        put_line(to, scaled(x, log10(use.wall)), middle, right, middle, "reach");
        put_line(to, right, middle - 5, right, middle + 5, "longest");
        buffer_format(to, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4.5\" class=\"dot\"/>",
                      scaled(x, log10(use.wall)), middle);
    }
    if (use.cpu > 0)
        buffer_format(to, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\" class=\"cpu\"/>",
                      scaled(x, log10(use.cpu)), middle);
    buffer_format(to, "<text x=\"%.0f\" y=\"%.1f\" class=\"end figure\">", width - 2, middle + 4);
    if (row->turns)
        report_ms(to, use.wall * 1e6);
    buffer_text(to, row->turns ? " ms</text></g>\n" : "-</text></g>\n");
}

static void put_time_legend(double left, Buffer *to) {
    buffer_format(to, "<g class=\"legend\"><circle cx=\"%.0f\" cy=\"9\" r=\"4.5\" class=\"dot\"/>",
                  left + 6);
    buffer_format(to, "<text x=\"%.0f\" y=\"13\">average turn</text>", left + 16);
    buffer_format(to, "<circle cx=\"%.0f\" cy=\"9\" r=\"3.5\" class=\"cpu\"/>", left + 126);
    buffer_format(to, "<text x=\"%.0f\" y=\"13\">CPU, including start</text>", left + 136);
    put_line(to, left + 286, 4, left + 286, 14, "longest");
    buffer_format(to, "<text x=\"%.0f\" y=\"13\">longest turn</text></g>\n", left + 296);
}

/* Uses a logarithmic axis, because averages may be microseconds and the longest turn seconds. */
void report_time_chart(const Report *report, uint32_t shown, Buffer *to) {
    double low = INFINITY;
    double high = 0;
    for (uint32_t i = 0; i < shown; i++) {
        TimeUse use = time_use(row_at(report, i));
        const double values[] = {use.wall, use.cpu, use.longest};
        for (int value = 0; value < 3; value++) {
            low = values[value] > 0 ? fmin(low, values[value]) : low;
            high = fmax(high, values[value]);
        }
    }
    if (!(high > 0))
        return;
    double label = label_width(report, shown);
    double width = label + PLOT_WIDTH;
    Scale x = {floor(log10(low)), ceil(log10(high)), label, width - TIME_FIGURES};
    x.high = x.high <= x.low ? x.low + 1 : x.high;
    double bottom = (double)shown * ROW_HEIGHT + 30;
    open_chart(to, width, bottom + 22, label > LABEL_FITS, "Time per turn");
    put_time_legend(label, to);
    for (int i = 0; i <= steps_in(x.high - x.low, 1); i++) {
        double tick = x.low + i;
        put_line(to, scaled(&x, tick), 24, scaled(&x, tick), bottom, "grid");
        buffer_format(to, "<text x=\"%.1f\" y=\"%.1f\" class=\"mid tick\">%g ms</text>\n",
                      scaled(&x, tick), bottom + 16, pow(10, tick));
    }
    for (uint32_t i = 0; i < shown; i++)
        put_time_row(row_at(report, i), &x, 26 + (double)i * ROW_HEIGHT, to);
    buffer_text(to, "</svg>\n");
}

/* ---- ratings over time ---- */

enum { HISTORY_HEIGHT = 360, HISTORY_LEFT = 44, HISTORY_RIGHT = 500 };

typedef struct HistoryLabel {
    uint32_t line;
    double y;
} HistoryLabel;

static int compare_labels(const void *left, const void *right) {
    const HistoryLabel *a = left;
    const HistoryLabel *b = right;
    return a->y < b->y ? -1 : a->y > b->y;
}

static double history_elo(const Report *report, const StandingsHistory *history, uint32_t point,
                          uint32_t line) {
    return history->elo[(size_t)point * standings_bots(report->standings) +
                        standings_at(report->standings, line)];
}

static void put_history_line(const Report *report, const StandingsHistory *history, uint32_t line,
                             const Scale *x, const Scale *y, Buffer *to) {
    Buffer path = {0};
    for (uint32_t point = 0; point < history->points; point++) {
        double elo = history_elo(report, history, point, line);
        if (!isnan(elo))
            buffer_format(&path, "%c%.1f %.1f", path.length ? 'L' : 'M',
                          scaled(x, (double)history->matches[point]), scaled(y, elo));
    }
    if (path.length) {
        buffer_text(to, "<g class=\"trace");
        if (line < LINE_COLOURS)
            buffer_format(to, " c%u", line);
        buffer_text(to, "\"><title>");
        report_escape(to, row_at(report, line)->name, HOVER_MOST);
        buffer_format(to, ": %+.0f</title><path d=\"%s\" class=\"wide\"/><path d=\"%s\"/></g>\n",
                      row_at(report, line)->elo, buffer_string(&path), buffer_string(&path));
    }
    buffer_free(&path);
}

/* Writes names at the right end of the coloured lines, moved apart where they would overlap. */
static void put_history_labels(const Report *report, const Scale *y, uint32_t shown, Buffer *to) {
    HistoryLabel labels[LINE_COLOURS];
    uint32_t count = 0;
    for (uint32_t line = 0; line < shown && line < LINE_COLOURS; line++)
        if (row_at(report, line)->matches)
            labels[count++] = (HistoryLabel){line, scaled(y, row_at(report, line)->elo)};
    qsort(labels, count, sizeof *labels, compare_labels);
    for (uint32_t i = 1; i < count; i++)
        labels[i].y = fmax(labels[i].y, labels[i - 1].y + 15);
    double over = count ? labels[count - 1].y - y->from : 0;
    for (uint32_t i = count; i-- > 0 && over > 0;) {
        labels[i].y = fmin(labels[i].y, i + 1 < count ? labels[i + 1].y - 15 : y->from);
    }
    for (uint32_t i = 0; i < count; i++) {
        const StandingsRow *row = row_at(report, labels[i].line);
        buffer_format(to, "<g class=\"trace c%u\">", labels[i].line);
        buffer_format(to, "<path d=\"M%d %.1fL%d %.1f\"/>", HISTORY_RIGHT + 2, scaled(y, row->elo),
                      HISTORY_RIGHT + 12, labels[i].y);
        put_text(to, HISTORY_RIGHT + 16, labels[i].y + 4, "start", row->name);
        buffer_text(to, "</g>\n");
    }
}

static void put_history_axes(Scale *x, Scale *y, Buffer *to) {
    double step = round_scale(y, 6);
    for (int i = 0; i <= steps_in(y->high - y->low, step); i++) {
        double tick = y->low + i * step;
        put_line(to, HISTORY_LEFT, scaled(y, tick), HISTORY_RIGHT, scaled(y, tick),
                 fabs(tick) < step / 2 ? "zero" : "grid");
        buffer_format(to, "<text x=\"%d\" y=\"%.1f\" class=\"end tick\">%.0f</text>\n",
                      HISTORY_LEFT - 6, scaled(y, tick) + 4, fabs(tick) < step / 2 ? 0.0 : tick);
    }
    step = fmax(1, nice_step(x->high, 5));
    for (int i = 0; i <= steps_in(x->high, step); i++)
        buffer_format(to, "<text x=\"%.1f\" y=\"%d\" class=\"mid tick\">%.0f</text>\n",
                      scaled(x, i * step), HISTORY_HEIGHT - 18, i * step);
    buffer_format(to, "<text x=\"%d\" y=\"%d\" class=\"mid tick\">matches</text>\n",
                  (HISTORY_LEFT + HISTORY_RIGHT) / 2, HISTORY_HEIGHT - 2);
}

void report_history_chart(const Report *report, uint32_t shown, Buffer *to) {
    const Standings *standings = report->standings;
    StandingsHistory history = {0};
    if (!standings_history(standings, report_history_points(standings), &history, NULL) ||
        history.points < 2) {
        standings_history_free(&history);
        return;
    }
    Scale x = {0, (double)standings_matches(standings), HISTORY_LEFT, HISTORY_RIGHT};
    Scale y = {0, 0, HISTORY_HEIGHT - 40, 12};
    for (uint32_t point = history.points / 8; point < history.points; point++)
        for (uint32_t line = 0; line < shown; line++) {
            double elo = history_elo(report, &history, point, line);
            y.low = isnan(elo) ? y.low : fmin(y.low, elo);
            y.high = isnan(elo) ? y.high : fmax(y.high, elo);
        }
    double label = label_width(report, shown < LINE_COLOURS ? shown : LINE_COLOURS);
    open_chart(to, HISTORY_RIGHT + 16 + label, HISTORY_HEIGHT + 4, label > LABEL_FITS,
               "Ratings over time");
    put_history_axes(&x, &y, to);
    /* A nested SVG element clips what does not fit: after few matches, ratings are far apart. */
    buffer_format(to, "<svg x=\"%d\" y=\"6\" width=\"%d\" height=\"%d\" viewBox=\"%d 6 %d %d\">\n",
                  HISTORY_LEFT, HISTORY_RIGHT - HISTORY_LEFT + 2, HISTORY_HEIGHT - 40, HISTORY_LEFT,
                  HISTORY_RIGHT - HISTORY_LEFT + 2, HISTORY_HEIGHT - 40);
    for (uint32_t line = shown; line-- > 0;)
        put_history_line(report, &history, line, &x, &y, to);
    buffer_text(to, "</svg>\n");
    put_history_labels(report, &y, shown, to);
    buffer_text(to, "</svg>\n");
    standings_history_free(&history);
}

/* ---- the cross table ---- */

static void put_heat_cell(const Report *report, uint32_t row, uint32_t column, double x, double y,
                          double size, Buffer *to) {
    const Standings *standings = report->standings;
    uint32_t a = standings_at(standings, row);
    uint32_t b = standings_at(standings, column);
    StandingsPair pair = standings_pair(standings, a, b);
    bool met = pair.wins + pair.draws + pair.losses > 0;
    double share = report_pair_share(pair);
    buffer_text(to, "<g class=\"");
    buffer_format(to, met ? "q%.0f" : row == column ? "self" : "none", 10 * share);
    buffer_text(to, "\"><title>");
    report_escape(to, row_at(report, row)->name, HOVER_MOST);
    if (row != column) {
        buffer_text(to, " against ");
        report_escape(to, row_at(report, column)->name, HOVER_MOST);
        if (met)
            buffer_format(to, ": %" PRIu64 " won, %" PRIu64 " drawn, %" PRIu64 " lost (%.0f%%)",
                          pair.wins, pair.draws, pair.losses, 100 * share);
        else
            buffer_text(to, ": never met");
        buffer_format(to, "; stronger with %.1f%% probability",
                      100 * standings_superiority(standings, a, b));
    }
    buffer_format(to, "</title><rect x=\"%.0f\" y=\"%.0f\" width=\"%.0f\" height=\"%.0f\"/>", x, y,
                  size - 2, size - 2);
    if (met)
        buffer_format(to, "<text x=\"%.1f\" y=\"%.1f\" class=\"mid\">%.0f</text>", x + size / 2 - 1,
                      y + size / 2 + 3, 100 * share);
    buffer_text(to, "</g>\n");
}

void report_heat_map(const Report *report, uint32_t shown, Buffer *to) {
    double size = shown <= HEAT_FITS ? 38 : 28;
    double label = label_width(report, shown);
    double left = label + 28;
    open_chart(to, left + size * shown, 24 + size * shown, shown > HEAT_FITS || label > LABEL_FITS,
               "Cross table");
    for (uint32_t column = 0; column < shown; column++)
        buffer_format(to, "<text x=\"%.1f\" y=\"14\" class=\"mid tick\">%u</text>\n",
                      left + size * column + size / 2 - 1, column + 1);
    for (uint32_t row = 0; row < shown; row++) {
        double y = 22 + size * row;
        put_text(to, left - 34, y + size / 2 + 3, "end", row_at(report, row)->name);
        buffer_format(to, "<text x=\"%.1f\" y=\"%.1f\" class=\"end tick\">%u</text>\n", left - 8,
                      y + size / 2 + 3, row + 1);
        for (uint32_t column = 0; column < shown; column++)
            put_heat_cell(report, row, column, left + size * column, y, size, to);
    }
    buffer_text(to, "</svg>\n");
}

/* ---- the bracket ---- */

enum { PLACE_HEIGHT = 22, POINTS_WIDTH = 36, JOIN_WIDTH = 36, HALF_ROW = 14, HEAD_HEIGHT = 30 };

static double entry_y(uint32_t row) {
    return HEAD_HEIGHT + (double)row * HALF_ROW + PLACE_HEIGHT / 2.0;
}

static void put_place(const Report *report, const BracketPicture *picture,
                      const BracketEntry *entry, double width, Buffer *to) {
    double x = (double)entry->column * (width + JOIN_WIDTH);
    double y = entry_y(entry->row);
    bool known = entry->bot != BRACKET_NOBODY;
    const char *class = entry->out ? "place out" : known ? "place" : "place open";
    bool champion = known && entry->column + 1 == picture->columns;
    buffer_format(to, "<g class=\"%s%s\"><title>", class, champion ? " champion" : "");
    report_escape(to, known ? standings_row(report->standings, entry->bot)->name : "to be decided",
                  HOVER_MOST);
    buffer_format(to, "</title><rect x=\"%.1f\" y=\"%.1f\" width=\"%.0f\" height=\"%d\" rx=\"4\"/>",
                  x + 0.5, y - PLACE_HEIGHT / 2.0, width, PLACE_HEIGHT);
    put_text(to, x + 8, y + 4, "start",
             known ? standings_row(report->standings, entry->bot)->name : "?");
    buffer_format(to, "<text x=\"%.1f\" y=\"%.1f\" class=\"end figure\">", x + width - 8, y + 4);
    if (entry->bye)
        buffer_text(to, "bye");
    bracket_points(entry, to);
    buffer_text(to, "</text></g>\n");
}

static void put_bracket_side(const Report *report, const BracketPicture *picture, Buffer *to) {
    Buffer heading = {0};
    double width = label_width(report, standings_bots(report->standings)) + POINTS_WIDTH;
    double step = width + JOIN_WIDTH;
    if (!picture->alone)
        buffer_format(to, "<h3>%s</h3>\n", bracket_title(picture));
    buffer_text(to, "<div class=\"scroll\" tabindex=\"0\">");
    open_chart(to, (double)(picture->columns - 1) * step + width + 1,
               entry_y(picture->rows - 1) + PLACE_HEIGHT, true, "Bracket");
    for (uint32_t column = 0; column < picture->columns; column++) {
        buffer_clear(&heading);
        bracket_heading(picture, column, &heading);
        put_text(to, (double)column * step + 8, 14, "tick", buffer_string(&heading));
    }
    for (uint32_t i = 0; i < picture->join_count; i++) {
        const BracketJoin *join = &picture->joins[i];
        double x = (double)join->column * step + width;
        double half = JOIN_WIDTH / 2.0;
        buffer_format(to, "<path class=\"join\" d=\"M%.1f %.1fV%.1fM%.1f %.1fh%.1f\"/>\n", x + half,
                      entry_y(join->first), entry_y(join->last), x + half, entry_y(join->out),
                      half);
    }
    for (uint32_t i = 0; i < picture->entry_count; i++) {
        const BracketEntry *entry = &picture->entries[i];
        double x = (double)entry->column * step + width;
        if (entry->column + 1 < picture->columns)
            put_line(to, x, entry_y(entry->row), x + JOIN_WIDTH / 2.0, entry_y(entry->row), "join");
        put_place(report, picture, entry, width, to);
    }
    buffer_text(to, "</svg></div>\n");
    buffer_free(&heading);
}

void report_bracket_chart(const Report *report, Buffer *to) {
    BracketPicture pictures[BRACKET_SIDES];
    uint32_t sides = bracket_lay_out(report->schedule, pictures);
    for (uint32_t i = 0; i < sides; i++) {
        put_bracket_side(report, &pictures[i], to);
        bracket_free(&pictures[i]);
    }
}
