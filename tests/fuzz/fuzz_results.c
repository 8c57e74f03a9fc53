/* Lists of results: any line is a match, no match, or rejected with an error; every accepted match
   can be added up and shown, and its text form reads back the same. */
#include "fuzz.h"
#include "league/report.h"
#include "league/results_reader.h"

#include <string.h>

enum { MATCHES_MOST = 64 };

static void check_match(const ResultsReader *results_reader, const PlayedMatch *match,
                        uint64_t times) {
    if (match->players == 1 || match->players > GAME_PLAYERS_MAX || times < 1 ||
        times > RESULTS_READER_TIMES_MAX)
        fuzz_broken("a match of %u players, %lu times", match->players, (unsigned long)times);
    for (uint32_t i = 0; i < match->players; i++) {
        if (match->seats[i].bot >= results_reader->bots || match->seats[i].rank < 1)
            fuzz_broken("a seat without a bot or a rank");
        for (uint32_t j = 0; j < i; j++)
            if (match->seats[i].bot == match->seats[j].bot)
                fuzz_broken("a bot in two seats");
    }
}

/* Writes the match as text with all names quoted, if JSON allows them, and reads it again. */
static void check_again(ResultsReader *results_reader, const PlayedMatch *match) {
    static Buffer line;
    buffer_clear(&line);
    for (uint32_t i = 0; i < match->players; i++) {
        if (i && match->seats[i].rank < match->seats[i - 1].rank)
            return; /* only JSON allows ranks in any order */
        if (i)
            buffer_char(&line, match->seats[i].rank > match->seats[i - 1].rank ? '>' : '=');
        const char *name = results_reader->names[match->seats[i].bot];
        json_string(&line, slice_of(name));
        if (strstr(buffer_string(&line), "\\ufffd"))
            return; /* invalid UTF-8 */
    }
    PlayedMatch again;
    uint64_t times = 0;
    Error error = {0};
    if (!results_reader_read(results_reader, (Slice){line.data, line.length}, &again, &times,
                             &error))
        fuzz_broken("the written match cannot be read back: %s", error.text);
    if (again.players != match->players)
        fuzz_broken("the number of players changed when the match was read back");
    for (uint32_t i = 0; i < match->players; i++)
        if (again.seats[i].bot != match->seats[i].bot ||
            (i && (again.seats[i].rank > again.seats[i - 1].rank) !=
                      (match->seats[i].rank > match->seats[i - 1].rank)))
            fuzz_broken("the match changed when it was read back");
}

static void show(const ResultsReader *results_reader, const PlayedMatch *matches, uint32_t count) {
    Standings *standings =
        standings_new(results_reader->bots, (const char *const *)results_reader->names);
    for (uint32_t i = 0; i < count; i++)
        standings_add(standings, &matches[i]);
    Error error = {0};
    if (!standings_settle(standings, NULL, &error))
        fuzz_broken("the results cannot be rated: %s", error.text);
    static Buffer text;
    static Json json;
    buffer_clear(&text);
    Report report = {.title = results_reader->names[0], .standings = standings};
    report_table(&report, false, 80, 0, &text);
    report_cross(&report, 80, &text);
    report_csv(&report, &text);
    report_html(&report, &text);
    buffer_clear(&text);
    report_json(&report, &text);
    if (!json_parse(&json, (Slice){text.data, text.length}, &error))
        fuzz_broken("the output is not valid JSON: %s", error.text);
    standings_free(standings);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static PlayedMatch matches[MATCHES_MOST];
    ResultsReader results_reader = {0};
    Slice rest = {(const char *)data, size};
    Slice line;
    uint32_t count = 0;
    while (count < MATCHES_MOST && slice_line(&rest, &line)) {
        uint64_t times = 0;
        Error error = {0};
        PlayedMatch *match = &matches[count];
        if (!results_reader_read(&results_reader, line, match, &times, &error)) {
            if (!error.text[0])
                fuzz_broken("rejected without an error message");
            continue;
        }
        check_match(&results_reader, match, times);
        if (match->players) {
            check_again(&results_reader, match);
            count++;
        }
    }
    if (count)
        show(&results_reader, matches, count);
    results_reader_free(&results_reader);
    return 0;
}
