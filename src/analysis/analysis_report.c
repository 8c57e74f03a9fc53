/* An analysis as text with a chart, and as JSON. See analysis.h. */
#include "analysis/analysis.h"
#include "base/json.h"
#include "base/paint.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    CHART_ROWS = 11, /* one for every ten percent */
    CHART_COLUMNS_MAX = 100,
    CHART_MARGIN = 8,
    NAME_BYTES = 30,
    ORDERS_MOST = 300, /* bytes of orders that are printed */
};

void analysis_file_name(const char *replay, Buffer *to) {
    static const char ending[] = ".skr";
    size_t length = strlen(replay);
    size_t cut = sizeof ending - 1;
    if (length > cut && strcmp(replay + length - cut, ending) == 0)
        length -= cut;
    buffer_format(to, "%.*s.analysis.json", (int)length, replay);
}

/* ---- JSON ---- */

static void write_share(JsonOut *out, const char *key, double value) {
    char text[32];
    int length = snprintf(text, sizeof text, "%.4f", value);
    json_out_raw(out, key, (Slice){text, (size_t)length});
}

static void write_chance(JsonOut *out, const char *key, Chance chance) {
    json_open(out, key, '{');
    write_share(out, "chance", chance.value);
    write_share(out, "low", chance.low);
    write_share(out, "high", chance.high);
    json_close(out, '}');
}

static void write_points(const Analysis *analysis, JsonOut *out) {
    json_open(out, "points", '[');
    for (uint32_t i = 0; i < analysis->point_count; i++) {
        const AnalysisPoint *point = &analysis->points[i];
        json_open(out, NULL, '{');
        json_out_uint(out, "turn", point->turn);
        json_out_uint(out, "continuations", point->continuations);
        json_open(out, "players", '[');
        for (uint32_t player = 0; player < analysis->players; player++)
            write_chance(out, NULL, analysis_chance(point, player));
        json_close(out, ']');
        json_close(out, '}');
    }
    json_close(out, ']');
}

static void write_blunders(const Analysis *analysis, JsonOut *out) {
    json_open(out, "blunders", '[');
    for (uint32_t i = 0; i < analysis->blunder_count; i++) {
        const AnalysisBlunder *blunder = &analysis->blunders[i];
        char text[32];
        int length = snprintf(text, sizeof text, "%.3g", blunder->p_value);
        json_open(out, NULL, '{');
        json_out_uint(out, "player", blunder->player + 1);
        json_out_uint(out, "first_turn", blunder->first_turn);
        json_out_uint(out, "last_turn", blunder->last_turn);
        write_chance(out, "instead", blunder->instead);
        write_chance(out, "after", blunder->after);
        json_out_raw(out, "p_value", (Slice){text, (size_t)length});
        json_out_raw(out, "orders", (Slice){blunder->orders.data, blunder->orders.length});
        json_close(out, '}');
    }
    json_close(out, ']');
}

void analysis_json(const Analysis *analysis, Buffer *to) {
    const AnalysisOptions *options = &analysis->options;
    JsonOut out = {.to = to};
    char digest[20];
    snprintf(digest, sizeof digest, "%016" PRIx64, analysis->digest);
    json_open(&out, NULL, '{');
    json_out_text(&out, "format", "skirmish-analysis");
    json_out_uint(&out, "version", 1);
    json_out_text(&out, "game", analysis->game->name);
    json_out_uint(&out, "turns", analysis->turns);
    json_out_text(&out, "digest", digest);
    json_open(&out, "players", '[');
    for (uint32_t i = 0; i < analysis->players; i++) {
        json_open(&out, NULL, '{');
        if (analysis->names[i])
            json_out_text(&out, "name", analysis->names[i]);
        json_out_text(&out, "continued_by", options->bots[i].text);
        json_close(&out, '}');
    }
    json_close(&out, ']');
    json_out_uint(&out, "seed", options->seed);
    write_share(&out, "passes", options->passes / 1000.0);
    json_out_uint(&out, "continuations", analysis->played);
    json_out_uint(&out, "failed_continuations", analysis->failed);
    write_points(analysis, &out);
    write_blunders(analysis, &out);
    if (analysis->decided) {
        json_open(&out, "decided", '{');
        json_out_uint(&out, "turn", analysis->decided_turn);
        json_out_uint(&out, "player", analysis->winner + 1);
        json_close(&out, '}');
    } else {
        json_out_null(&out, "decided");
    }
    json_close(&out, '}');
    buffer_char(to, '\n');
}

/* ---- the chart ---- */

/* Appends a name, truncated if it is long, because many bots are named after their command. */
static void write_name(const Analysis *analysis, uint32_t player, bool colour, Buffer *to) {
    char name[NAME_BYTES + 1];
    size_t length = strlen(analysis->names[player]);
    size_t kept = length;
    if (length > NAME_BYTES)
        for (kept = NAME_BYTES - 3; ((unsigned char)analysis->names[player][kept] & 0xc0) == 0x80;)
            kept--;
    snprintf(name, sizeof name, "%.*s%s", (int)kept, analysis->names[player],
             length > NAME_BYTES ? "..." : "");
    buffer_format(to, "%u ", player + 1);
    paint_text(to, colour, (int)player, name);
}

static uint32_t chart_column(const Analysis *analysis, uint32_t turn, uint32_t width) {
    return (uint32_t)((uint64_t)turn * (width - 1) / analysis->turns);
}

/* The row of a chance in the chart; 0 is the lowest. */
static uint32_t chart_row(double chance) {
    return (uint32_t)lround(chance * (CHART_ROWS - 1));
}

/* Draws the axis, and a line with a mark below each blunder. */
static void draw_axis(const Analysis *analysis, uint32_t width, Buffer *to) {
    char marks[CHART_COLUMNS_MAX + 1];
    for (uint32_t i = 0; i < width; i++)
        marks[i] = '-';
    for (uint32_t i = 0; i < analysis->blunder_count; i++)
        marks[chart_column(analysis, analysis->blunders[i].last_turn, width)] = '^';
    buffer_format(to, "%*s+%.*s\n", CHART_MARGIN - 1, "", (int)width, marks);
    char last[24];
    snprintf(last, sizeof last, "%u", analysis->turns);
    buffer_format(to, "%*s 0%*s\n", CHART_MARGIN - 1, "turn", (int)width - 1, last);
}

/* Two players: draws the chance of the first one, with the confidence interval at each point. */
static void draw_curve(const Analysis *analysis, uint32_t width, bool colour, Buffer *to) {
    char cells[CHART_ROWS][CHART_COLUMNS_MAX];
    for (uint32_t row = 0; row < CHART_ROWS; row++)
        for (uint32_t column = 0; column < width; column++)
            cells[row][column] = row == CHART_ROWS / 2 ? '.' : ' ';
    for (uint32_t i = 0; i < analysis->point_count; i++) {
        Chance chance = analysis_chance(&analysis->points[i], 0);
        uint32_t column = chart_column(analysis, analysis->points[i].turn, width);
        for (uint32_t row = chart_row(chance.low); row <= chart_row(chance.high); row++)
            if (cells[row][column] != '*')
                cells[row][column] = '|';
        cells[chart_row(chance.value)][column] = '*';
    }
    buffer_text(to, "Winning chance of ");
    write_name(analysis, 0, colour, to);
    buffer_text(to, "; the rest is that of ");
    write_name(analysis, 1, colour, to);
    buffer_char(to, '\n');
    for (uint32_t row = CHART_ROWS; row-- > 0;) {
        if (row % 5 == 0)
            buffer_format(to, "%*u%% |", CHART_MARGIN - 3, row * 100 / (CHART_ROWS - 1));
        else
            buffer_format(to, "%*s|", CHART_MARGIN - 1, "");
        for (uint32_t column = 0; column < width; column++) {
            char c = cells[row][column];
            paint_char(to, colour, c == '*' ? 0 : PAINT_DIM, c);
        }
        buffer_char(to, '\n');
    }
    draw_axis(analysis, width, to);
}

/* More players: draws a line for each, whose digits are tenths. */
static void draw_lines(const Analysis *analysis, uint32_t width, bool colour, Buffer *to) {
    buffer_text(to, "Winning chances in tenths: 9 is 90% or more, 0 less than 10%\n");
    for (uint32_t player = 0; player < analysis->players; player++) {
        buffer_format(to, "%*s", CHART_MARGIN, "");
        uint32_t point = 0;
        for (uint32_t column = 0; column < width; column++) {
            while (point + 1 < analysis->point_count &&
                   chart_column(analysis, analysis->points[point + 1].turn, width) <= column)
                point++;
            double chance = analysis_chance(&analysis->points[point], player).value;
            uint32_t tenths = chance >= 0.9 ? 9 : (uint32_t)(chance * 10);
            paint_char(to, colour, (int)player, (char)('0' + tenths));
        }
        buffer_text(to, "  ");
        write_name(analysis, player, colour, to);
        buffer_char(to, '\n');
    }
    draw_axis(analysis, width, to);
}

/* ---- the report ---- */

static void write_range(Buffer *to, Chance chance) {
    buffer_format(to, "%.0f%% (%.0f-%.0f%%)", chance.value * 100, chance.low * 100,
                  chance.high * 100);
}

static bool same_bot(const Analysis *analysis) {
    for (uint32_t i = 1; i < analysis->players; i++)
        if (strcmp(analysis->options.bots[i].text, analysis->options.bots[0].text) != 0)
            return false;
    return true;
}

static void write_blunder(const AnalysisBlunder *blunder, const Analysis *analysis, bool colour,
                          Buffer *to) {
    if (blunder->first_turn == blunder->last_turn)
        buffer_format(to, "  Turn %u: ", blunder->last_turn);
    else
        buffer_format(to, "  Turns %u to %u: ", blunder->first_turn, blunder->last_turn);
    write_name(analysis, blunder->player, colour, to);
    buffer_text(to, " has a chance of ");
    write_range(to, blunder->after);
    buffer_text(to, " after it\n    with the orders of ");
    buffer_text(to, analysis->options.bots[blunder->player].text);
    buffer_text(to, " instead: ");
    write_range(to, blunder->instead);
    bool cut = blunder->orders.length > ORDERS_MOST;
    buffer_format(to, "\n    orders: %.*s%s\n", (int)(cut ? ORDERS_MOST : blunder->orders.length),
                  blunder->orders.data, cut ? "... (--json prints all)" : "");
}

static void write_decision(const Analysis *analysis, bool colour, Buffer *to) {
    if (!analysis->decided) {
        buffer_text(to, "The match ended without a single winner.\n");
    } else if (analysis->decided_turn == analysis->turns) {
        buffer_text(to, "Open until the end, when ");
        write_name(analysis, analysis->winner, colour, to);
        buffer_text(to, " won.\n");
    } else {
        buffer_format(to, "Decided after turn %u: from then on ", analysis->decided_turn);
        write_name(analysis, analysis->winner, colour, to);
        buffer_format(to, " wins at least %d%%.\n", ANALYSIS_SURE);
    }
}

void analysis_text(const Analysis *analysis, uint32_t columns, bool colour, Buffer *to) {
    uint32_t width = columns > CHART_MARGIN + 20 ? columns - CHART_MARGIN : 20;
    width = width < CHART_COLUMNS_MAX ? width : CHART_COLUMNS_MAX;
    buffer_format(to, "%s, %u %s, %u continuations by %s\n\n", analysis->game->name,
                  analysis->turns, analysis->turns == 1 ? "turn" : "turns", analysis->played,
                  same_bot(analysis) ? analysis->options.bots[0].text : "the chosen bots");
    if (analysis->players == 2)
        draw_curve(analysis, width, colour, to);
    else
        draw_lines(analysis, width > 60 ? 60 : width, colour, to);
    buffer_char(to, '\n');
    write_decision(analysis, colour, to);
    if (!analysis->blunder_count)
        buffer_text(to, "No blunders found.\n");
    else
        buffer_text(to, analysis->blunder_count == 1 ? "\nBlunder (^)\n" : "\nBlunders (^)\n");
    for (uint32_t i = 0; i < analysis->blunder_count; i++)
        write_blunder(&analysis->blunders[i], analysis, colour, to);
    if (analysis->failed)
        buffer_format(to, "\nIn %u continuations a bot failed: %s\n", analysis->failed,
                      analysis->failure);
}
