/* An analysis as a source of jobs. The continuations are not played: set_record decides who wins
   them. Usage: analysis_test BOT, a bot for Aliens. */
#include "analysis/analysis.h"
#include "base/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { SAMPLES = 7, CONTINUATIONS = 4, HELD_MAX = 64 };

static char *bot;
static BotSpec bots[2];
static Buffer file; /* a replay */
static uint32_t loser;
static uint32_t turns;

/* Records a match. */
static int record(void **state) {
    (void)state;
    char path[] = "/tmp/skirmish-analysis-XXXXXX";
    int fd = mkstemp(path);
    GameFile none = {0};
    Error error = {0};
    Verdict verdict;
    bots[0] = bots[1] = (BotSpec){.name = bot, .text = bot, .program = bot};
    MatchOptions options = {
        .setup = game_find(slice_of("aliens"), NULL)->setup(&none, &none, 2, &error),
        .seed = 7,
        .bots = bots,
        .config = &none,
        .map = &none,
        .replay = fd >= 0 ? replay_create_on(dup(fd), &error) : NULL,
    };
    if (!options.setup || !options.replay ||
        match_play(&options, &verdict, &error) != MATCH_PLAYED) {
        print_error("%s\n", error.text);
        return -1;
    }
    loser = verdict.player[0].rank == 1 ? 1 : 0;
    turns = verdict.turns;
    verdict_free(&verdict);
    replay_close(options.replay);
    off_t size = lseek(fd, 0, SEEK_END);
    ssize_t got = pread(fd, buffer_reserve(&file, (size_t)size), (size_t)size, 0);
    file.length = (size_t)got;
    unlink(path);
    return close(fd) || got != size;
}

static int forget(void **state) {
    (void)state;
    buffer_free(&file);
    return 0;
}

static AnalysisOptions options_of(void) {
    return (AnalysisOptions){.name = "match",
                             .replay = {file.data, file.length},
                             .bots = bots,
                             .samples = SAMPLES,
                             .continuations = CONTINUATIONS,
                             .seed = 1};
}

/* The loser wins from every position before this turn, or if the bot chooses its orders. */
static uint32_t fatal_turn;

static void set_record(Record *of, const Job *job) {
    bool lost = job->prelude_turns >= fatal_turn && job->variation.deviator != loser + 1;
    *of = (Record){.id = job->id, .kind = RECORD_PLAYED, .verdict = {.players = 2}};
    of->verdict.player[loser].rank = lost ? 2 : 1;
    of->verdict.player[1 - loser].rank = lost ? 1 : 2;
}

/* Runs the analysis with up to `most` continuations at a time, of which the last one ends first.
   Returns the number of continuations. */
static uint32_t drive(Analysis *analysis, uint32_t most, Buffer *json) {
    static Record held[HELD_MAX];
    AnalysisOptions options = options_of();
    Error error = {0};
    uint32_t count = 0;
    uint32_t given = 0;
    if (!analysis_begin(analysis, &options, &error))
        fail_msg("%s", error.text);
    while (!analysis_is_done(analysis)) {
        Job job;
        while (count < most && analysis_next(analysis, &job)) {
            set_record(&held[count++], &job);
            given++;
        }
        assert_true(count > 0); /* otherwise this loop would not end */
        assert_true(analysis->total >= given);
        if (!analysis_take(analysis, &held[--count], &error))
            fail_msg("%s", error.text);
    }
    assert_int_equal(count, 0);
    analysis_json(analysis, json);
    return given;
}

static void a_blunder_is_narrowed_down_to_its_turn_and_proven(void **state) {
    (void)state;
    for (fatal_turn = 1; fatal_turn <= turns; fatal_turn += 5) {
        Analysis analysis;
        Buffer json = {0};
        uint32_t given = drive(&analysis, 1, &json);
        assert_int_equal(analysis.blunder_count, 1);
        assert_int_equal(analysis.blunders[0].player, loser);
        assert_int_equal(analysis.blunders[0].first_turn, fatal_turn);
        assert_int_equal(analysis.blunders[0].last_turn, fatal_turn);
        assert_int_equal(analysis.decided_turn, fatal_turn);
        assert_int_equal(analysis.played, given);
        assert_int_equal(analysis.total, given);
        buffer_free(&json);
        analysis_free(&analysis);
    }
}

static void the_order_of_records_does_not_matter(void **state) {
    (void)state;
    Buffer json[2] = {{0}};
    Analysis analysis;
    fatal_turn = turns / 2;
    for (uint32_t i = 0; i < 2; i++) {
        drive(&analysis, i ? HELD_MAX : 1, &json[i]);
        analysis_free(&analysis);
    }
    assert_string_equal(buffer_string(&json[0]), buffer_string(&json[1]));
    buffer_free(&json[0]);
    buffer_free(&json[1]);
}

static void players_without_names_have_none_in_the_file(void **state) {
    (void)state;
    Buffer json = {0};
    Analysis analysis;
    fatal_turn = turns;
    drive(&analysis, 1, &json);
    assert_non_null(strstr(buffer_string(&json), "\"name\":"));
    for (uint32_t i = 0; i < 2; i++) {
        free(analysis.names[i]);
        analysis.names[i] = NULL;
    }
    buffer_clear(&json);
    analysis_json(&analysis, &json);
    assert_null(strstr(buffer_string(&json), "\"name\":"));
    buffer_free(&json);
    analysis_free(&analysis);
}

static void a_continuation_that_cannot_be_played_ends_the_analysis(void **state) {
    (void)state;
    static const RecordKind kinds[] = {RECORD_FAILED, RECORD_BAD_BOT, RECORD_STOPPED};
    for (uint32_t i = 0; i < 3; i++) {
        static Record failed;
        AnalysisOptions options = options_of();
        Analysis analysis;
        Error error = {0};
        Job job;
        assert_true(analysis_begin(&analysis, &options, &error));
        assert_true(analysis_next(&analysis, &job));
        failed = (Record){.id = job.id, .kind = kinds[i], .error = {.text = "no more"}};
        assert_false(analysis_take(&analysis, &failed, &error));
        assert_string_equal(error.text, kinds[i] == RECORD_STOPPED ? "interrupted" : "no more");
        analysis_free(&analysis);
    }
}

static void a_file_that_is_not_a_replay_is_rejected(void **state) {
    (void)state;
    AnalysisOptions options = options_of();
    Analysis analysis;
    Error error = {0};
    options.replay.length /= 2;
    assert_false(analysis_begin(&analysis, &options, &error));
    assert_non_null(strstr(error.text, "match: "));
    analysis_free(&analysis);
}

int main(int count, char **arguments) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_blunder_is_narrowed_down_to_its_turn_and_proven),
        cmocka_unit_test(the_order_of_records_does_not_matter),
        cmocka_unit_test(players_without_names_have_none_in_the_file),
        cmocka_unit_test(a_continuation_that_cannot_be_played_ends_the_analysis),
        cmocka_unit_test(a_file_that_is_not_a_replay_is_rejected),
    };
    if (count != 2)
        return 1;
    bot = arguments[1];
    return cmocka_run_group_tests(tests, record, forget);
}
