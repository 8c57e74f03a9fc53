/* Standings for programs: JSON, which is complete, and CSV for spreadsheets. See report.h. */
#include "base/json.h"
#include "base/utf8.h"
#include "league/report_common.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- JSON ---- */

/* Writes a number with `places` decimals, or null if it is not finite. Never negative zero. */
static void out_decimal(JsonOut *out, const char *key, double value, int places) {
    Buffer text = {0};
    if (isfinite(value))
        buffer_format(&text, "%.*f", places, fabs(value) < 0.5 * pow(10, -places) ? 0 : value);
    else
        buffer_text(&text, "null");
    json_out_raw(out, key, (Slice){text.data, text.length});
    buffer_free(&text);
}

static void out_text_or_null(JsonOut *out, const char *key, const char *text) {
    if (text)
        json_out_text(out, key, text);
    else
        json_out_null(out, key);
}

static void out_row(JsonOut *out, uint32_t bot, const StandingsRow *row) {
    json_open(out, NULL, '{');
    json_out_uint(out, "bot", bot);
    json_out_text(out, "name", row->name);
    json_out_uint(out, "place", row->place);
    out_decimal(out, "rating", row->matches ? row->elo : NAN, 3);
    out_decimal(out, "error", row->matches ? row->error : NAN, 3);
    json_out_uint(out, "matches", row->matches);
    json_out_uint(out, "wins", row->wins);
    json_out_uint(out, "draws", row->draws);
    json_out_uint(out, "losses", row->losses);
    out_decimal(out, "points", row->points, 1);
    out_decimal(out, "points_most", row->points_most, 0);
    json_out_uint(out, "turns", row->turns);
    json_out_ms(out, "wall_ms", row->wall, 6);
    json_out_ms(out, "wall_longest_ms", row->wall_longest, 6);
    json_out_ms(out, "cpu_ms", row->cpu, 6);
    json_out_uint(out, "timeouts", row->timeouts);
    json_out_uint(out, "graces", row->graces);
    json_out_uint(out, "crashes", row->crashes);
    json_out_uint(out, "refused", row->refused);
    if (row->failure)
        json_out_text(out, "failure", row->failure);
    if (row->is_swiss) {
        json_open(out, "swiss", '{');
        out_decimal(out, "points", row->swiss.points / 2.0, 1);
        out_decimal(out, "buchholz", (double)row->swiss.buchholz / 2, 1);
        json_out_uint(out, "byes", row->swiss.byes);
        json_close(out, '}');
    }
    json_close(out, '}');
}

/* Writes each pair that has met once, with the smaller number first. */
static void out_pairs(JsonOut *out, const Standings *standings) {
    json_open(out, "pairs", '[');
    for (uint32_t a = 0; a < standings_bots(standings); a++)
        for (uint32_t b = a + 1; b < standings_bots(standings); b++) {
            StandingsPair pair = standings_pair(standings, a, b);
            if (pair.wins + pair.draws + pair.losses == 0)
                continue;
            json_open(out, NULL, '{');
            json_out_uint(out, "a", a);
            json_out_uint(out, "b", b);
            json_out_uint(out, "wins", pair.wins);
            json_out_uint(out, "draws", pair.draws);
            json_out_uint(out, "losses", pair.losses);
            out_decimal(out, "superiority", standings_superiority(standings, a, b), 6);
            json_close(out, '}');
        }
    json_close(out, ']');
}

static void out_bot(JsonOut *out, const char *key, uint32_t bot) {
    if (bot == BRACKET_NOBODY)
        json_out_null(out, key);
    else
        json_out_uint(out, key, bot);
}

static void out_bracket(JsonOut *out, const Schedule *schedule) {
    static const char *const sides[] = {"winners", "losers", "final"};
    uint32_t count = schedule ? schedule_bracket(schedule) : 0;
    if (!count) {
        json_out_null(out, "bracket");
        return;
    }
    json_open(out, "bracket", '[');
    for (uint32_t i = 0; i < count; i++) {
        const BracketNode *node = schedule_bracket_node(schedule, i);
        json_open(out, NULL, '{');
        json_out_text(out, "side", sides[node->side]);
        json_out_uint(out, "round", node->round);
        json_out_uint(out, "position", node->position);
        json_open(out, "places", '[');
        for (uint32_t place = 0; place < node->players; place++) {
            json_open(out, NULL, '{');
            out_bot(out, "bot", node->bots[place]);
            out_decimal(out, "points", node->points[place] / 2.0, 1);
            json_close(out, '}');
        }
        json_close(out, ']');
        json_out_bool(out, "bye", node->bye);
        json_out_bool(out, "by_seeding", node->by_seeding);
        out_bot(out, "winner", node->winner);
        json_close(out, '}');
    }
    json_close(out, ']');
}

static void out_history(JsonOut *out, const Standings *standings) {
    StandingsHistory history = {0};
    uint32_t bots = standings_bots(standings);
    bool good = standings_history(standings, report_history_points(standings), &history, NULL);
    json_open(out, "history", '[');
    for (uint32_t point = 0; point < history.points && good; point++) {
        json_open(out, NULL, '{');
        json_out_uint(out, "matches", history.matches[point]);
        json_open(out, "ratings", '[');
        for (uint32_t bot = 0; bot < bots; bot++)
            out_decimal(out, NULL, history.elo[(size_t)point * bots + bot], 2);
        json_close(out, ']');
        json_close(out, '}');
    }
    json_close(out, ']');
    standings_history_free(&history);
}

void report_json(const Report *report, Buffer *to) {
    const Standings *standings = report->standings;
    JsonOut out = {.to = to};
    json_open(&out, NULL, '{');
    out_text_or_null(&out, "title", report->title);
    out_text_or_null(&out, "game", report->game);
    out_text_or_null(&out, "format", report->format);
    json_out_uint(&out, "seed", report->seed);
    json_out_bool(&out, "finished", !report->unfinished);
    json_out_uint(&out, "matches", standings_matches(standings));
    json_open(&out, "bots", '[');
    for (uint32_t i = 0; i < standings_bots(standings); i++)
        out_row(&out, standings_at(standings, i),
                standings_row(standings, standings_at(standings, i)));
    json_close(&out, ']');
    out_pairs(&out, standings);
    out_bracket(&out, report->schedule);
    out_history(&out, standings);
    json_close(&out, '}');
    buffer_char(to, '\n');
}

/* ---- CSV ---- */

/* Appends a quoted text field; see report_csv about formulas. */
static void put_field(Buffer *to, const char *text) {
    Buffer clean = {0};
    utf8_show(&clean, slice_of(text), UINT32_MAX);
    buffer_char(to, '"');
    if (clean.length && strchr("=+-@", clean.data[0]))
        buffer_char(to, '\'');
    for (size_t i = 0; i < clean.length; i++) {
        if (clean.data[i] == '"')
            buffer_char(to, '"');
        buffer_char(to, clean.data[i]);
    }
    buffer_char(to, '"');
    buffer_free(&clean);
}

void report_csv(const Report *report, Buffer *to) {
    const Standings *standings = report->standings;
    buffer_text(to, "place,name,rating,error,matches,wins,draws,losses,points,points_most,turns,"
                    "wall_ms,wall_longest_ms,cpu_ms,timeouts,graces,crashes,refused");
    bool swiss = standings_bots(standings) && standings_row(standings, 0)->is_swiss;
    buffer_text(to, swiss ? ",swiss_points,buchholz,byes\r\n" : "\r\n");
    for (uint32_t i = 0; i < standings_bots(standings); i++) {
        const StandingsRow *row = standings_row(standings, standings_at(standings, i));
        buffer_format(to, "%u,", row->place);
        put_field(to, row->name);
        if (row->matches)
            buffer_format(to, ",%.3f,%.3f", row->elo, row->error);
        else
            buffer_text(to, ",,");
        buffer_format(to, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%.1f,%.0f,%" PRIu64,
                      row->matches, row->wins, row->draws, row->losses, row->points,
                      row->points_most, row->turns);
        buffer_format(to, ",%.6f,%.6f,%.6f", (double)row->wall / 1e6,
                      (double)row->wall_longest / 1e6, (double)row->cpu / 1e6);
        buffer_format(to, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64, row->timeouts,
                      row->graces, row->crashes, row->refused);
        if (swiss)
            buffer_format(to, ",%.1f,%.1f,%u", row->swiss.points / 2.0,
                          (double)row->swiss.buchholz / 2, row->swiss.byes);
        buffer_text(to, "\r\n");
    }
}
