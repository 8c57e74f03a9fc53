/* Reports of standings: exact small tables, drawings of brackets, widths, and escaping of names. */
#include "base/json.h"
#include "base/utf8.h"
#include "league/report.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- fixtures ---- */

static Standings *bots_named(uint32_t count, const char *const *names) {
    return standings_new(count, names);
}

static Standings *bots_numbered(uint32_t count) {
    char(*texts)[16] = calloc(count, sizeof *texts);
    const char **names = calloc(count, sizeof *names);
    assert_non_null(texts);
    assert_non_null(names);
    for (uint32_t i = 0; i < count; i++) {
        snprintf(texts[i], sizeof *texts, "bot %u", i + 1);
        names[i] = texts[i];
    }
    Standings *standings = standings_new(count, names);
    free(texts);
    free(names);
    return standings;
}

static void meet(Standings *standings, uint32_t a, uint32_t b, int better, int times) {
    PlayedMatch match = {.players = 2, .seats = {{.bot = a}, {.bot = b}}};
    match.seats[0].rank = better < 0 ? 2 : 1;
    match.seats[1].rank = better > 0 ? 2 : 1;
    for (int i = 0; i < times; i++)
        standings_add(standings, &match);
}

static void settle(Standings *standings, const Schedule *schedule) {
    Error error;
    if (!standings_settle(standings, schedule, &error))
        fail_msg("%s", error.text);
}

/* Checks that every line fits into the width and is valid UTF-8 without control characters. */
static void assert_fits(Buffer *text, uint32_t columns) {
    Slice rest = {text->data, text->length};
    Slice line;
    while (slice_line(&rest, &line)) {
        if (utf8_width(line) > columns)
            fail_msg("%u columns instead of %u: %.*s", utf8_width(line), columns, (int)line.length,
                     line.at);
        while (line.length) {
            uint32_t code = utf8_next(&line);
            assert_false(utf8_is_control(code));
        }
    }
}

static const char *const hostile[] = {
    "<script>alert(1)</script>",
    "\x1b[2J\x1b[31mred",
    "\" onmouseover=\"alert(1)",
    "=HYPERLINK(\"evil\",\"x\")",
    "</title></style></svg><img src=x onerror=alert(1)>",
    "new\nline,comma\r\nand \"quotes\"",
    "\xff\xfe broken",
    "\u202edesrever",
    "a name that is so long that no table will ever have room for it, whatever the screen may be: "
    "wide, wider, widest",
    "\xe7\x8c\xab\xe7\x8c\xab\xe7\x8c\xab\xe7\x8c\xab"
    "\xe7\x8c\xab\xe7\x8c\xab\xe7\x8c\xab\xe7\x8c\xab",
};

enum { HOSTILE = sizeof hostile / sizeof *hostile };

static Standings *hostile_standings(void) {
    Standings *standings = bots_named(HOSTILE, hostile);
    for (uint32_t i = 0; i < HOSTILE; i++)
        for (uint32_t j = 0; j < i; j++)
            meet(standings, i, j, (int)(i + j) % 3 - 1, 3);
    settle(standings, NULL);
    return standings;
}

/* ---- the table ---- */

static void a_table_has_a_line_for_each_bot(void **unused) {
    (void)unused;
    static const char *const names[] = {"alice", "bob", "carol"};
    Standings *standings = bots_named(3, names);
    PlayedMatch match = {
        .turns = 100,
        .players = 2,
        .seats = {{.bot = 0, .rank = 1, .wall = 250 * INT64_C(1000000)},
                  {.bot = 1,
                   .rank = 2,
                   .status = STATUS_CRASHED,
                   .refused = 3,
                   .timeouts = 2,
                   .wall = 1234 * INT64_C(1000000)}},
    };
    standings_add(standings, &match);
    meet(standings, 0, 1, 0, 1);
    settle(standings, NULL);
    Buffer text = {0};
    Report report = {.title = "Aliens", .standings = standings};
    report_table(&report, false, 80, 0, &text);
    char expected[600];
    snprintf(expected, sizeof expected,
             "Aliens: 3 bots, 2 matches\n"
             "\n"
             "                                           ms/  time              re-\n"
             "#  bot       rating  points     %%  W-D-L  turn  outs  crashes  jected\n"
             "1  alice  %+.0f ±%3.0f     1.5  75.0  1-1-0  2.50     0        0       0\n"
             "2  bob    %+.0f ±%3.0f     0.5  25.0  0-1-1  12.3     2        1       3\n"
             "3  carol          -       0     -  0-0-0     -     0        0       0\n",
             standings_row(standings, 0)->elo, standings_row(standings, 0)->error,
             standings_row(standings, 1)->elo, standings_row(standings, 1)->error);
    assert_string_equal(buffer_string(&text), expected);
    buffer_free(&text);
    standings_free(standings);
}

static void unknown_figures_have_no_column(void **unused) {
    (void)unused;
    Standings *standings = bots_numbered(2);
    meet(standings, 0, 1, 1, 2);
    settle(standings, NULL);
    Buffer text = {0};
    Report report = {.title = "x", .standings = standings, .unfinished = true};
    report_table(&report, false, 80, 1, &text);
    char expected[300];
    snprintf(expected, sizeof expected,
             "x: 2 bots, 2 matches so far\n\n"
             "#  bot       rating  points      %%  W-D-L\n"
             "1  bot 1  %+.0f ±%3.0f       2  100.0  2-0-0\n"
             "... and 1 more bot\n",
             standings_row(standings, 0)->elo, standings_row(standings, 0)->error);
    assert_string_equal(buffer_string(&text), expected);
    buffer_free(&text);
    standings_free(standings);
}

static void a_table_is_never_wider_than_requested(void **unused) {
    (void)unused;
    Standings *standings = hostile_standings();
    PlayedMatch match = {
        .turns = 1000, .players = 2, .seats = {{.rank = 1}, {.bot = 1, .rank = 2}}};
    match.seats[0].graces = 12;
    match.seats[0].refused = 123456789;
    match.seats[1].wall = INT64_C(987654) * 1000000000;
    match.seats[1].timeouts = 1000;
    standings_add(standings, &match);
    settle(standings, NULL);
    Report report = {.title = hostile[1], .standings = standings};
    Buffer text = {0};
    for (uint32_t columns = 32; columns <= 200; columns++) {
        buffer_clear(&text);
        report_table(&report, false, columns, 0, &text);
        assert_fits(&text, columns);
        if (columns >= 100)
            assert_non_null(strstr(buffer_string(&text), "graces"));
    }
    buffer_free(&text);
    standings_free(standings);
}

static void colours_are_only_used_on_request(void **unused) {
    (void)unused;
    Standings *standings = bots_numbered(2);
    meet(standings, 0, 1, 1, 2);
    settle(standings, NULL);
    Report report = {.title = "x", .standings = standings};
    Buffer text = {0};
    report_table(&report, true, 80, 0, &text);
    assert_non_null(strstr(buffer_string(&text), "\x1b[1m"));
    buffer_clear(&text);
    report_table(&report, false, 80, 0, &text);
    assert_null(strchr(buffer_string(&text), '\x1b'));
    buffer_free(&text);
    standings_free(standings);
}

/* ---- the cross table ---- */

static void a_cross_table_shows_the_results_of_each_pair(void **unused) {
    (void)unused;
    static const char *const names[] = {"alice", "bob", "carol"};
    Standings *standings = bots_named(3, names);
    meet(standings, 0, 1, 1, 11);
    meet(standings, 0, 1, 0, 2);
    meet(standings, 2, 1, -1, 1);
    settle(standings, NULL);
    Report report = {.standings = standings};
    Buffer text = {0};
    report_cross(&report, 80, &text);
    assert_string_equal(buffer_string(&text), "Wins, draws and losses of row against column\n"
                                              "\n"
                                              "             A      B      C\n"
                                              "A alice      . 11-2-0      -\n"
                                              "B bob   0-2-11      .  1-0-0\n"
                                              "C carol      -  0-0-1      .\n");
    buffer_clear(&text);
    report_cross(&report, 25, &text);
    assert_string_equal(buffer_string(&text), "Percentage of points won by row against column\n"
                                              "\n"
                                              "          A   B   C\n"
                                              "A alice   .  92   -\n"
                                              "B bob     8   . 100\n"
                                              "C carol   -   0   .\n");
    buffer_clear(&text);
    report_cross(&report, 12, &text);
    assert_string_equal(
        buffer_string(&text),
        "The cross table of 3 bots does not fit in 12 columns; see the HTML report.\n");
    buffer_free(&text);
    standings_free(standings);
}

static void a_cross_table_fits_or_is_left_out(void **unused) {
    (void)unused;
    for (uint32_t bots = 2; bots <= 60; bots++) {
        Standings *standings = bots_numbered(bots);
        for (uint32_t i = 1; i < bots; i++)
            meet(standings, i - 1, i, 1, (int)i);
        settle(standings, NULL);
        Report report = {.standings = standings};
        Buffer text = {0};
        for (uint32_t columns = 80; columns <= 280; columns += 50) {
            buffer_clear(&text);
            report_cross(&report, columns, &text);
            assert_fits(&text, columns);
        }
        assert_non_null(strstr(buffer_string(&text), "against column"));
        buffer_free(&text);
        standings_free(standings);
    }
}

/* ---- brackets ---- */

/* Plays up to the given number of fixtures, two matches each; the bot with the smaller number wins
   both. From fixture `from` on, `upset` beats everyone. */
static Schedule *played_schedule(Format format, uint32_t bots, uint32_t players, uint32_t fixtures,
                                 uint32_t upset, uint32_t from) {
    ScheduleOptions options = {.format = format, .bots = bots, .players = players, .seed = 1};
    Error error;
    Schedule *schedule = schedule_new(&options, &error);
    if (!schedule)
        fail_msg("%s", error.text);
    Fixture fixture;
    for (uint32_t n = 0; n < fixtures && schedule_next(schedule, &fixture); n++) {
        uint32_t favourite = n >= from ? upset : BRACKET_NOBODY;
        uint32_t ranks[2 * GAME_PLAYERS_MAX];
        for (uint32_t i = 0; i < fixture.players; i++) {
            uint32_t rank = 1;
            for (uint32_t j = 0; j < fixture.players; j++)
                rank += fixture.bots[i] != favourite &&
                        (fixture.bots[j] < fixture.bots[i] || fixture.bots[j] == favourite) &&
                        i != j;
            ranks[i] = ranks[fixture.players + i] = rank;
        }
        schedule_result(schedule, &fixture, 2, ranks);
    }
    return schedule;
}

static void draws(Format format, uint32_t bots, uint32_t players, uint32_t fixtures, uint32_t upset,
                  uint32_t from, const char *expected) {
    Schedule *schedule = played_schedule(format, bots, players, fixtures, upset, from);
    Standings *standings = bots_numbered(bots);
    settle(standings, schedule);
    Report report = {.standings = standings, .schedule = schedule};
    Buffer text = {0};
    report_bracket(&report, &text);
    assert_string_equal(buffer_string(&text), expected);
    assert_fits(&text, 400);
    buffer_free(&text);
    standings_free(standings);
    schedule_free(schedule);
}

enum { ALL = 1000, NO_UPSET = 1000 };

/* Round 1: 1-3, 2-4, bye 5. Round 2: 1-2, 3-5, bye 4. Round 3: 1-4, 2-5, bye 3. The smaller number
   wins. */
static void a_swiss_table_shows_points_and_tie_breaks(void **unused) {
    (void)unused;
    Schedule *schedule = played_schedule(FORMAT_SWISS, 5, 2, ALL, NO_UPSET, ALL);
    Standings *standings = bots_numbered(5);
    settle(standings, schedule);
    Report report = {.standings = standings, .schedule = schedule};
    Buffer text = {0};
    report_table(&report, false, 80, 0, &text);
    assert_string_equal(buffer_string(&text),
                        "5 bots, 0 matches\n"
                        "\n"
                        "                   Swiss  Buch-\n"
                        "#  bot    rating  points   holz  byes  points  %  W-D-L\n"
                        "1  bot 1       -       3      5     0       0  -  0-0-0\n"
                        "2  bot 3       -       2      6     1       0  -  0-0-0\n"
                        "3  bot 2       -       2      5     0       0  -  0-0-0\n"
                        "4  bot 4       -       1      6     1       0  -  0-0-0\n"
                        "5  bot 5       -       1      5     1       0  -  0-0-0\n");
    buffer_clear(&text);
    report_csv(&report, &text);
    assert_non_null(
        strstr(buffer_string(&text), ",refused,swiss_points,buchholz,byes\r\n1,\"bot 1\""));
    assert_non_null(strstr(text.data, ",3.0,5.0,0\r\n"));
    buffer_clear(&text);
    report_json(&report, &text);
    assert_non_null(
        strstr(buffer_string(&text), "\"swiss\":{\"points\":3.0,\"buchholz\":5.0,\"byes\":0}"));
    buffer_clear(&text);
    report_html(&report, &text);
    assert_non_null(strstr(buffer_string(&text), "Buchholz</button>"));
    buffer_free(&text);
    standings_free(standings);
    schedule_free(schedule);
}

static void only_the_first_of_many_failures_are_shown(void **unused) {
    (void)unused;
    Standings *standings = bots_numbered(31);
    for (uint32_t i = 1; i < 31; i++)
        standings_add(
            standings,
            &(PlayedMatch){.players = 2,
                           .seats = {{.bot = 0, .rank = 1},
                                     {.bot = i, .rank = 2, .failure = "fell over\nand more"}}});
    settle(standings, NULL);
    Report report = {.standings = standings};
    Buffer text = {0};
    report_failures(&report, &text);
    assert_ptr_equal(
        strstr(buffer_string(&text), "Last failures\n\nbot 2   fell over\nbot 3   fell over\n"),
        text.data);
    assert_non_null(strstr(text.data, "bot 21  fell over\n... and 10 more bots; see the HTML"));
    buffer_free(&text);
    standings_free(standings);
}

static void a_rating_of_zero_has_no_minus_sign(void **unused) {
    (void)unused;
    Standings *standings = bots_numbered(3);
    for (uint32_t a = 0; a < 3; a++)
        for (uint32_t b = 0; b < a; b++)
            meet(standings, a, b, 0, 1);
    settle(standings, NULL);
    Report report = {.standings = standings};
    Buffer text = {0};
    report_table(&report, false, 80, 0, &text);
    report_html(&report, &text);
    report_json(&report, &text);
    assert_null(strstr(buffer_string(&text), "-0 "));
    assert_null(strstr(text.data, "-0.0"));
    buffer_free(&text);
    standings_free(standings);
}

static void a_bracket_of_four(void **unused) {
    (void)unused;
    draws(FORMAT_KNOCKOUT, 4, 2, ALL, 2, 0,
          "semi-finals    final          winner\n"
          "bot 1    2 ─┐\n"
          "            ├─ bot 1    0 ─┐\n"
          "bot 4    0 ─┘              │\n"
          "                           ├─ bot 3\n"
          "bot 2    0 ─┐              │\n"
          "            ├─ bot 3    2 ─┘\n"
          "bot 3    2 ─┘\n");
}

static void a_bracket_of_five_has_byes(void **unused) {
    (void)unused;
    draws(FORMAT_KNOCKOUT, 5, 2, ALL, NO_UPSET, 0,
          "round 1        semi-finals    final          winner\n"
          "bot 1 ──────── bot 1    2 ─┐\n"
          "                           ├─ bot 1    2 ─┐\n"
          "bot 4    2 ─┐              │              │\n"
          "            ├─ bot 4    0 ─┘              │\n"
          "bot 5    0 ─┘                             ├─ bot 1\n"
          "                                          │\n"
          "bot 2 ──────── bot 2    2 ─┐              │\n"
          "                           ├─ bot 2    0 ─┘\n"
          "bot 3 ──────── bot 3    0 ─┘\n");
}

static void unknown_bots_in_a_bracket_are_question_marks(void **unused) {
    (void)unused;
    draws(FORMAT_KNOCKOUT, 5, 2, 1, NO_UPSET, 0,
          "round 1        semi-finals    final          winner\n"
          "bot 1 ──────── bot 1      ─┐\n"
          "                           ├─ ?          ─┐\n"
          "bot 4    2 ─┐              │              │\n"
          "            ├─ bot 4      ─┘              │\n"
          "bot 5    0 ─┘                             ├─ ?\n"
          "                                          │\n"
          "bot 2 ──────── bot 2      ─┐              │\n"
          "                           ├─ ?          ─┘\n"
          "bot 3 ──────── bot 3      ─┘\n");
}

static void a_bracket_of_thirteen(void **unused) {
    (void)unused;
    draws(FORMAT_KNOCKOUT, 13, 2, ALL, 6, 0,
          "round 1        quarter-finals semi-finals    final          winner\n"
          "bot 1 ──────── bot 1    2 ─┐\n"
          "                           ├─ bot 1    2 ─┐\n"
          "bot 8    2 ─┐              │              │\n"
          "            ├─ bot 8    0 ─┘              │\n"
          "bot 9    0 ─┘                             │\n"
          "                                          ├─ bot 1    0 ─┐\n"
          "bot 4    2 ─┐                             │              │\n"
          "            ├─ bot 4    2 ─┐              │              │\n"
          "bot 13   0 ─┘              │              │              │\n"
          "                           ├─ bot 4    0 ─┘              │\n"
          "bot 5    2 ─┐              │                             │\n"
          "            ├─ bot 5    0 ─┘                             ├─ bot 7\n"
          "bot 12   0 ─┘                                            │\n"
          "                                                         │\n"
          "bot 2 ──────── bot 2    0 ─┐                             │\n"
          "                           ├─ bot 7    2 ─┐              │\n"
          "bot 7    2 ─┐              │              │              │\n"
          "            ├─ bot 7    2 ─┘              │              │\n"
          "bot 10   0 ─┘                             ├─ bot 7    2 ─┘\n"
          "                                          │\n"
          "bot 3 ──────── bot 3    2 ─┐              │\n"
          "                           ├─ bot 3    0 ─┘\n"
          "bot 6    2 ─┐              │\n"
          "            ├─ bot 6    0 ─┘\n"
          "bot 11   0 ─┘\n");
}

static void heats_of_four_join_four_lines(void **unused) {
    (void)unused;
    draws(FORMAT_KNOCKOUT, 10, 4, ALL, NO_UPSET, 0,
          "round 1        final          winner\n"
          "bot 1 ──────── bot 1    6 ─┐\n"
          "                           │\n"
          "bot 2 ──────── bot 2    4 ─┤\n"
          "                           │\n"
          "bot 3    6 ─┐              │\n"
          "            │              │\n"
          "bot 6    4 ─┤              │\n"
          "            ├─ bot 3    2 ─┼─ bot 1\n"
          "bot 7    2 ─┤              │\n"
          "            │              │\n"
          "bot 10   0 ─┘              │\n"
          "                           │\n"
          "bot 4    6 ─┐              │\n"
          "            │              │\n"
          "bot 5    4 ─┤              │\n"
          "            ├─ bot 4    0 ─┘\n"
          "bot 8    2 ─┤\n"
          "            │\n"
          "bot 9    0 ─┘\n");
}

static void a_double_knockout_has_two_sides_and_a_final(void **unused) {
    (void)unused;
    draws(FORMAT_DOUBLE, 6, 2, ALL, NO_UPSET, 0,
          "Winners\n"
          "\n"
          "round 1        round 2        round 3        advances\n"
          "bot 1 ──────── bot 1    2 ─┐\n"
          "                           ├─ bot 1    2 ─┐\n"
          "bot 4    2 ─┐              │              │\n"
          "            ├─ bot 4    0 ─┘              │\n"
          "bot 5    0 ─┘                             ├─ bot 1\n"
          "                                          │\n"
          "bot 2 ──────── bot 2    2 ─┐              │\n"
          "                           ├─ bot 2    0 ─┘\n"
          "bot 3    2 ─┐              │\n"
          "            ├─ bot 3    0 ─┘\n"
          "bot 6    0 ─┘\n"
          "\n"
          "Losers\n"
          "\n"
          "round 1        round 2        round 3        round 4        advances\n"
          "                                             bot 2    2 ─┐\n"
          "                                                         │\n"
          "               bot 3    2 ─┐                             ├─ bot 2\n"
          "                           ├─ bot 3    2 ─┐              │\n"
          "bot 5 ──────── bot 5    0 ─┘              │              │\n"
          "                                          ├─ bot 3    0 ─┘\n"
          "               bot 4    2 ─┐              │\n"
          "                           ├─ bot 4    0 ─┘\n"
          "bot 6 ──────── bot 6    0 ─┘\n"
          "\n"
          "Final\n"
          "\n"
          "final          winner\n"
          "bot 1    2 ─┐\n"
          "            ├─ bot 1\n"
          "bot 2    0 ─┘\n");
}

static void a_second_final_is_drawn_when_it_is_played(void **unused) {
    (void)unused;
    draws(FORMAT_DOUBLE, 3, 2, ALL, 1, 2,
          "Winners\n"
          "\n"
          "round 1        round 2        advances\n"
          "bot 1 ──────── bot 1    2 ─┐\n"
          "                           ├─ bot 1\n"
          "bot 2    2 ─┐              │\n"
          "            ├─ bot 2    0 ─┘\n"
          "bot 3    0 ─┘\n"
          "\n"
          "Losers\n"
          "\n"
          "round 1        round 2        advances\n"
          "               bot 2    2 ─┐\n"
          "                           ├─ bot 2\n"
          "bot 3 ──────── bot 3    0 ─┘\n"
          "\n"
          "Final\n"
          "\n"
          "final          second final   winner\n"
          "               bot 1    0 ─┐\n"
          "                           ├─ bot 2\n"
          "bot 1    0 ─┐              │\n"
          "            ├─ bot 2    2 ─┘\n"
          "bot 2    2 ─┘\n");
}

static void brackets_of_any_size_are_drawn(void **unused) {
    (void)unused;
    for (uint32_t bots = 4; bots <= 70; bots += 3)
        for (uint32_t played = 0; played <= 150; played += 30) {
            Format format = bots % 2 ? FORMAT_DOUBLE : FORMAT_KNOCKOUT;
            uint32_t players = format == FORMAT_KNOCKOUT ? 2 + bots / 2 % 3 : 2;
            Schedule *schedule = played_schedule(format, bots, players, played, bots / 3, bots / 2);
            Standings *standings = bots_numbered(bots);
            settle(standings, schedule);
            Report report = {.standings = standings, .schedule = schedule};
            Buffer text = {0};
            report_bracket(&report, &text);
            assert_fits(&text, 400);
            for (uint32_t i = 0; i < bots; i++)
                assert_non_null(strstr(buffer_string(&text), standings_row(standings, i)->name));
            buffer_clear(&text);
            report_html(&report, &text);
            assert_non_null(strstr(buffer_string(&text), "class=\"join\""));
            buffer_free(&text);
            standings_free(standings);
            schedule_free(schedule);
        }
}

static void formats_without_a_bracket_draw_nothing(void **unused) {
    (void)unused;
    draws(FORMAT_ROUND_ROBIN, 4, 2, ALL, NO_UPSET, 0, "");
}

/* ---- JSON, CSV and HTML ---- */

static void json_has_all_figures_and_unchanged_names(void **unused) {
    (void)unused;
    Schedule *schedule = played_schedule(FORMAT_KNOCKOUT, HOSTILE, 2, ALL, 0, 0);
    Standings *standings = hostile_standings();
    Report report = {.title = hostile[0],
                     .game = "aliens",
                     .format = "knockout",
                     .seed = UINT64_MAX,
                     .standings = standings,
                     .schedule = schedule,
                     .unfinished = true};
    Buffer text = {0};
    report_json(&report, &text);
    Json json = {0};
    Error error;
    if (!json_parse(&json, (Slice){text.data, text.length}, &error))
        fail_msg("%s", error.text);
    uint64_t seed = 0;
    assert_true(json_uint64(&json, json_member(&json, 0, "seed"), &seed) && seed == UINT64_MAX);
    assert_int_equal(json.nodes[json_member(&json, 0, "finished")].kind, JSON_FALSE);
    uint32_t bots = json_member(&json, 0, "bots");
    assert_int_equal(json.nodes[bots].count, HOSTILE);
    uint32_t row = bots + 1;
    for (uint32_t i = 0; i < HOSTILE; i++, row = json.nodes[row].next) {
        uint32_t bot = standings_at(standings, i);
        if (bot != 6) /* invalid UTF-8 is not allowed in JSON */
            assert_true(
                slice_equals(json.nodes[json_member(&json, row, "name")].text, hostile[bot]));
    }
    assert_int_equal(json.nodes[json_member(&json, 0, "pairs")].count, HOSTILE * (HOSTILE - 1) / 2);
    assert_int_equal(json.nodes[json_member(&json, 0, "bracket")].count,
                     schedule_bracket(schedule));
    assert_int_equal(json.nodes[json_member(&json, 0, "history")].count, 40);
    json_free(&json);
    buffer_free(&text);
    standings_free(standings);
    schedule_free(schedule);
}

static void csv_quotes_names_and_escapes_formulas(void **unused) {
    (void)unused;
    static const char *const names[] = {"a \"b\", c", "=1+1", "x\ny"};
    Standings *standings = bots_named(3, names);
    settle(standings, NULL);
    Report report = {.standings = standings};
    Buffer text = {0};
    report_csv(&report, &text);
    assert_string_equal(
        buffer_string(&text),
        "place,name,rating,error,matches,wins,draws,losses,points,points_most,turns,"
        "wall_ms,wall_longest_ms,cpu_ms,timeouts,graces,crashes,refused\r\n"
        "1,\"a \"\"b\"\", c\",,,0,0,0,0,0.0,0,0,0.000000,0.000000,0.000000,0,0,0,0\r\n"
        "1,\"'=1+1\",,,0,0,0,0,0.0,0,0,0.000000,0.000000,0.000000,0,0,0,0\r\n"
        "1,\"x\xef\xbf\xbdy\",,,0,0,0,0,0.0,0,0,0.000000,0.000000,0.000000,0,0,0,0\r\n");
    buffer_free(&text);
    standings_free(standings);
}

static void hostile_names_are_escaped_in_the_page(void **unused) {
    (void)unused;
    Schedule *schedule = played_schedule(FORMAT_DOUBLE, HOSTILE, 2, ALL, 0, 0);
    Standings *standings = hostile_standings();
    Report report = {.title = hostile[4],
                     .game = hostile[2],
                     .format = "x",
                     .standings = standings,
                     .schedule = schedule};
    Buffer text = {0};
    report_html(&report, &text);
    const char *page = buffer_string(&text);
    assert_non_null(strstr(page, "&lt;script&gt;alert(1)&lt;/script&gt;"));
    assert_null(strstr(page, "<script>alert"));
    assert_null(strstr(page, "<img"));
    assert_null(strstr(page, "\" onmouseover"));
    assert_null(strchr(page, '\x1b'));
    assert_null(strstr(page, "http:"));
    assert_null(strstr(page, "https:"));
    assert_non_null(strstr(page, "ratings over time") ? page : strstr(page, "Ratings over time"));
    buffer_free(&text);
    standings_free(standings);
    schedule_free(schedule);
}

static void a_thousand_bots_make_a_page_of_less_than_a_megabyte(void **unused) {
    (void)unused;
    Standings *standings = bots_numbered(1000);
    for (uint32_t i = 0; i < 1000; i++)
        meet(standings, i, (i * 7 + 1) % 1000 == i ? i / 2 : (i * 7 + 1) % 1000, 1, 1);
    settle(standings, NULL);
    Report report = {.title = "many", .standings = standings};
    Buffer text = {0};
    report_table(&report, false, 80, 0, &text);
    assert_fits(&text, 80);
    buffer_clear(&text);
    report_html(&report, &text);
    assert_true(text.length < 1 << 20);
    assert_non_null(strstr(buffer_string(&text), "Showing the first 40 of 1000 bots."));
    assert_non_null(strstr(buffer_string(&text), "Find a bot"));
    buffer_free(&text);
    standings_free(standings);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_table_has_a_line_for_each_bot),
        cmocka_unit_test(unknown_figures_have_no_column),
        cmocka_unit_test(a_table_is_never_wider_than_requested),
        cmocka_unit_test(colours_are_only_used_on_request),
        cmocka_unit_test(a_cross_table_shows_the_results_of_each_pair),
        cmocka_unit_test(a_cross_table_fits_or_is_left_out),
        cmocka_unit_test(a_swiss_table_shows_points_and_tie_breaks),
        cmocka_unit_test(only_the_first_of_many_failures_are_shown),
        cmocka_unit_test(a_rating_of_zero_has_no_minus_sign),
        cmocka_unit_test(a_bracket_of_four),
        cmocka_unit_test(a_bracket_of_five_has_byes),
        cmocka_unit_test(unknown_bots_in_a_bracket_are_question_marks),
        cmocka_unit_test(a_bracket_of_thirteen),
        cmocka_unit_test(heats_of_four_join_four_lines),
        cmocka_unit_test(a_double_knockout_has_two_sides_and_a_final),
        cmocka_unit_test(a_second_final_is_drawn_when_it_is_played),
        cmocka_unit_test(brackets_of_any_size_are_drawn),
        cmocka_unit_test(formats_without_a_bracket_draw_nothing),
        cmocka_unit_test(json_has_all_figures_and_unchanged_names),
        cmocka_unit_test(csv_quotes_names_and_escapes_formulas),
        cmocka_unit_test(hostile_names_are_escaped_in_the_page),
        cmocka_unit_test(a_thousand_bots_make_a_page_of_less_than_a_megabyte),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
