/* Matches that begin with the turns of a recorded one, and seats played by people. Usage:
   prelude_test BOT BOT BOT: bots for Aliens, Footsoldiers and Underworld. */
#include "base/hash.h"
#include "match/match.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { SEED = 7, TURNS = 5, DIGESTS = 2000 };

static char *aliens_bot;
static char *footsoldiers_bot;
static char *underworld_bot;
static char directory[] = "/tmp/skirmish-prelude-XXXXXX";
static char old_file[64];
static char new_file[64];

typedef struct Meeting {
    const char *game;
    BotSpec bots[2];
    const char *from; /* a replay, or NULL */
    uint32_t turns;
    uint32_t turn_ms; /* 0: the game's */
    uint32_t person_ms[2];
    MatchVariation variation;
    const MatchWatcher *watcher;
    Verdict verdict;
    Error error;
} Meeting;

static BotSpec program(char *path) {
    return (BotSpec){.name = path, .text = path, .program = path};
}

static BotSpec shell(char *command) {
    return (BotSpec){.name = command, .text = command, .command = command};
}

/* Plays the match and writes its replay to `to`, which may be NULL. */
static MatchOutcome play(Meeting *meeting, const char *to) {
    GameFile none = {0};
    MatchOptions options = {
        .setup = game_find(slice_of(meeting->game), NULL)->setup(&none, &none, 2, &meeting->error),
        .seed = SEED,
        .bots = meeting->bots,
        .config = &none,
        .map = &none,
        .person_ms = meeting->person_ms,
        .prelude = meeting->from ? replay_open(meeting->from, &meeting->error) : NULL,
        .prelude_turns = meeting->turns,
        .variation = meeting->variation,
        .replay = to ? replay_create(to, &meeting->error) : NULL,
        .watcher = meeting->watcher,
    };
    assert_non_null(options.setup);
    assert_true(!to || options.replay);
    assert_true(!meeting->from || options.prelude);
    if (meeting->turn_ms)
        options.setup->talk.turn_ms = meeting->turn_ms;
    MatchOutcome outcome = match_play(&options, &meeting->verdict, &meeting->error);
    replay_close(options.replay);
    replay_free(options.prelude);
    return outcome;
}

/* The content of a replay. */
typedef struct Story {
    uint64_t digests[DIGESTS];
    uint32_t turns;
    Buffer errors[2];
    AnswerKind first[2];   /* in the first turn after the prelude */
    uint32_t not_asked[2]; /* turns; see note_turn */
    uint64_t passes;       /* a digest of who passed when */
} Story;

/* Reads and verifies a replay. */
static void read_story(const char *file, Story *story) {
    Error error = {0};
    Replay *replay = replay_open(file, &error);
    Board board;
    ReplayTurn turn;
    ReplayEnd end;
    *story = (Story){0};
    assert_non_null(replay);
    assert_true(replay_board(replay, &board, &error));
    while (replay_next(replay, &turn, &end, &error) == REPLAY_TURN) {
        if (!replay_apply(&board, &turn, &error))
            fail_msg("%s", error.text);
        assert_true(story->turns < DIGESTS);
        story->digests[story->turns++] = turn.digest;
        for (uint32_t i = 0; i < 2; i++) {
            buffer_add(&story->errors[i], turn.players[i].errors.at, turn.players[i].errors.length);
            if (turn.turn == TURNS + 1)
                story->first[i] = turn.players[i].kind;
        }
    }
    if (!replay_check_end(&board, &end, &error))
        fail_msg("%s", error.text);
    board_free(&board);
    replay_free(replay);
}

static void free_story(Story *story) {
    for (uint32_t i = 0; i < 2; i++)
        buffer_free(&story->errors[i]);
}

static void record(const char *game, BotSpec bot) {
    Meeting meeting = {.game = game, .bots = {bot, bot}};
    if (play(&meeting, old_file) != MATCH_PLAYED)
        fail_msg("%s", meeting.error.text);
    verdict_free(&meeting.verdict);
}

/* Continues the recorded match and checks that the first turns are the recorded ones. */
static void play_on(Meeting *meeting, Story *now) {
    static Story before;
    meeting->from = old_file;
    meeting->turns = TURNS;
    if (play(meeting, new_file) != MATCH_PLAYED)
        fail_msg("%s", meeting->error.text);
    read_story(old_file, &before);
    read_story(new_file, now);
    assert_true(now->turns > TURNS);
    assert_memory_equal(before.digests, now->digests, TURNS * sizeof *before.digests);
    free_story(&before);
}

static void recorded_answers_count_until_the_prelude_ends(void **state) {
    (void)state;
    static Story now;
    static Story before;
    record("aliens", program(aliens_bot));
    read_story(old_file, &before);
    /* Answers every view with no moves: if that counted in the prelude, the digests would
       differ. */
    Meeting meeting = {
        .game = "aliens",
        .bots = {program(aliens_bot), shell((char[]){"while read -r view; do echo '[]'; done"})}};
    play_on(&meeting, &now);
    assert_int_equal(now.first[1], ANSWER_GIVEN);
    assert_true(before.turns != now.turns ||
                memcmp(before.digests, now.digests, now.turns * sizeof *now.digests) != 0);
    verdict_free(&meeting.verdict);
    free_story(&now);
    free_story(&before);
}

static void bots_receive_the_views_of_the_prelude(void **state) {
    (void)state;
    static Story now;
    record("aliens", program(aliens_bot));
    Meeting meeting = {
        .game = "aliens",
        .bots = {program(aliens_bot),
                 shell((char[]){"while read -r view; do echo . >&2; echo '[]'; done"})}};
    play_on(&meeting, &now);
    assert_int_equal(now.errors[1].length, 2 * now.turns);
    verdict_free(&meeting.verdict);
    free_story(&now);
}

static void recorded_standard_error_is_not_copied(void **state) {
    (void)state;
    static Story now;
    Meeting first = {
        .game = "aliens",
        .bots = {program(aliens_bot),
                 shell((char[]){"while read -r view; do echo secret >&2; echo '[]'; done"})}};
    assert_int_equal(play(&first, old_file), MATCH_PLAYED);
    verdict_free(&first.verdict);
    Meeting meeting = {.game = "aliens", .bots = {program(aliens_bot), program(aliens_bot)}};
    play_on(&meeting, &now);
    assert_int_equal(now.errors[1].length, 0);
    verdict_free(&meeting.verdict);
    free_story(&now);
}

static void a_bot_that_exits_in_the_prelude_crashes_in_the_first_turn_after_it(void **state) {
    (void)state;
    static Story now;
    record("aliens", program(aliens_bot));
    Meeting meeting = {.game = "aliens",
                       .bots = {program(aliens_bot), shell((char[]){"read -r view; exit 3"})}};
    play_on(&meeting, &now);
    assert_int_equal(now.turns, TURNS + 1);
    assert_int_equal(meeting.verdict.player[1].status, STATUS_CRASHED);
    assert_string_equal(meeting.verdict.player[1].failure, "exited with status 3 in turn 6");
    verdict_free(&meeting.verdict);
    free_story(&now);
}

static void a_bot_without_a_hello_loses_after_the_prelude(void **state) {
    (void)state;
    static Story now;
    record("underworld", program(underworld_bot));
    Meeting meeting = {
        .game = "underworld",
        .bots = {program(underworld_bot), shell((char[]){"echo no; cat >/dev/null"})}};
    play_on(&meeting, &now);
    assert_int_equal(now.turns, TURNS + 1);
    assert_int_equal(meeting.verdict.player[0].rank, 1);
    assert_int_equal(meeting.verdict.player[1].rank, 2);
    verdict_free(&meeting.verdict);
    free_story(&now);
}

static void restarts_in_the_prelude_do_not_count(void **state) {
    (void)state;
    static Story now;
    record("footsoldiers", program(footsoldiers_bot));
    /* Prints its hello, reads one view and exits, so it is restarted every second turn. */
    Meeting meeting = {
        .game = "footsoldiers",
        .bots = {program(footsoldiers_bot), shell((char[]){"echo Ready; read -r view"})}};
    play_on(&meeting, &now);
    uint32_t allowed = game_find(slice_of("footsoldiers"), NULL)->talk.restarts;
    assert_int_equal(meeting.verdict.player[1].restarts, allowed);
    assert_true(now.turns >= TURNS + 2 * allowed);
    verdict_free(&meeting.verdict);
    free_story(&now);
}

static void replay_goes_beyond_reports_whether_a_match_continued(void **state) {
    (void)state;
    static Story before;
    Error error = {0};
    record("aliens", program(aliens_bot));
    read_story(old_file, &before);
    Replay *replay = replay_open(old_file, &error);
    assert_true(replay_goes_beyond(replay, TURNS, &error));
    assert_true(replay_goes_beyond(replay, before.turns - 1, &error)); /* rewound */
    assert_false(replay_goes_beyond(replay, before.turns, &error));
    assert_non_null(strstr(error.text, "the match ended after turn"));
    replay_free(replay);
    free_story(&before);
}

static void people_have_their_own_time_limit_and_are_asked_after_the_prelude(void **state) {
    (void)state;
    static Story now;
    record("aliens", program(aliens_bot));
    char slow[] = "while read -r view; do echo . >&2; sleep 0.2; exit; done";
    Meeting meeting = {.game = "aliens",
                       .bots = {program(aliens_bot), shell(slow)},
                       .turn_ms = 50,
                       .person_ms = {0, 60000}};
    play_on(&meeting, &now);
    /* The program had time to exit, and received one view. */
    assert_int_equal(now.first[1], ANSWER_LEFT);
    assert_int_equal(now.errors[1].length, 2);
    assert_int_equal(meeting.verdict.player[1].status, STATUS_LEFT);
    assert_string_equal(meeting.verdict.player[1].failure, "left in turn 6");
    assert_string_equal(meeting.verdict.reason, "left");
    verdict_free(&meeting.verdict);
    free_story(&now);
}

static void the_header_records_people_and_the_prelude(void **state) {
    (void)state;
    static Story now;
    Error error = {0};
    record("aliens", program(aliens_bot));
    Meeting meeting = {.game = "aliens",
                       .bots = {program(aliens_bot), program(aliens_bot)},
                       .person_ms = {0, 60000}};
    play_on(&meeting, &now);
    Replay *replay = replay_open(new_file, &error);
    Slice json = replay_header_json(replay);
    char *text = strndup(json.at, json.length);
    assert_non_null(strstr(text, "\"prelude\":5"));
    assert_non_null(strstr(text, "\"person_ms\":60000"));
    free(text);
    replay_free(replay);
    verdict_free(&meeting.verdict);
    free_story(&now);
}

/* Whether two stories have the same turns up to this one. */
static bool alike(const Story *one, const Story *other, uint32_t turns) {
    return one->turns >= turns && other->turns >= turns &&
           memcmp(one->digests, other->digests, turns * sizeof *one->digests) == 0;
}

/* Notes a turn of a match that has no replay. */
static void note_turn(void *context, const Board *board, const PlayerTurn *turns) {
    Story *story = context;
    story->digests[story->turns++] = game_digest(board->state);
    for (uint32_t i = 0; i < 2; i++) {
        bool passed = turns[i].kind == ANSWER_NOT_ASKED;
        story->not_asked[i] += passed;
        if (board->state->turn <= TURNS + 10) /* all matches last that long */
            story->passes = hash64_chain(story->passes, passed);
    }
}

/* Plays on from the recorded match, or from the start, with passes. */
static void play_with_passes(const char *from, MatchVariation variation, Story *story) {
    *story = (Story){0};
    MatchWatcher watcher = {.context = story, .turn = note_turn};
    Meeting meeting = {.game = "aliens",
                       .bots = {program(aliens_bot), program(aliens_bot)},
                       .from = from,
                       .turns = from ? TURNS : 0,
                       .variation = variation,
                       .watcher = &watcher};
    if (play(&meeting, NULL) != MATCH_PLAYED)
        fail_msg("%s", meeting.error.text);
    for (uint32_t i = 0; i < 2; i++)
        assert_int_equal(meeting.verdict.player[i].status, STATUS_OK);
    verdict_free(&meeting.verdict);
}

static void passes_come_after_the_prelude_and_follow_the_seed(void **state) {
    (void)state;
    static Story before;
    static Story stories[3];
    record("aliens", program(aliens_bot));
    read_story(old_file, &before);
    for (uint32_t i = 0; i < 3; i++) {
        MatchVariation variation = {.seed = i < 2 ? 1 : 2, .passes = 300};
        play_with_passes(old_file, variation, &stories[i]);
        assert_true(alike(&before, &stories[i], TURNS));
        assert_true(stories[i].not_asked[0] > 0 && stories[i].not_asked[1] > 0);
    }
    assert_int_equal(stories[0].turns, stories[1].turns);
    assert_true(alike(&stories[0], &stories[1], stories[0].turns));
    assert_true(stories[0].passes == stories[1].passes);
    assert_false(stories[0].passes == stories[2].passes);
    free_story(&before);
}

static void nobody_passes_in_the_first_turn(void **state) {
    (void)state;
    static Story now;
    play_with_passes(NULL, (MatchVariation){.seed = 1, .passes = 1000}, &now);
    for (uint32_t i = 0; i < 2; i++)
        assert_int_equal(now.not_asked[i], now.turns - 1);
}

static void others_follow_the_record_while_one_player_deviates(void **state) {
    (void)state;
    enum { DEVIATION = 20 };
    static Story before;
    static Story now;
    char idle[] = "while read -r view; do echo '[]'; done";
    record("aliens", program(aliens_bot));
    read_story(old_file, &before);
    /* The idle bot has the other seat, whose recorded answers count. */
    Meeting same = {.game = "aliens",
                    .bots = {program(aliens_bot), shell(idle)},
                    .variation = {.deviator = 1, .deviation_turns = DEVIATION}};
    play_on(&same, &now);
    assert_true(alike(&before, &now, TURNS + DEVIATION));
    verdict_free(&same.verdict);
    free_story(&now);
    /* Now the idle bot is the one that deviates. */
    Meeting other = {.game = "aliens",
                     .bots = {program(aliens_bot), shell(idle)},
                     .variation = {.deviator = 2, .deviation_turns = DEVIATION}};
    play_on(&other, &now);
    assert_false(alike(&before, &now, TURNS + DEVIATION));
    verdict_free(&other.verdict);
    free_story(&now);
    free_story(&before);
}

static int make_directory(void **state) {
    (void)state;
    if (!mkdtemp(directory))
        return -1;
    snprintf(old_file, sizeof old_file, "%s/old.skr", directory);
    snprintf(new_file, sizeof new_file, "%s/new.skr", directory);
    return 0;
}

static int remove_directory(void **state) {
    (void)state;
    unlink(old_file);
    unlink(new_file);
    return rmdir(directory);
}

int main(int count, char **arguments) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recorded_answers_count_until_the_prelude_ends),
        cmocka_unit_test(bots_receive_the_views_of_the_prelude),
        cmocka_unit_test(recorded_standard_error_is_not_copied),
        cmocka_unit_test(a_bot_that_exits_in_the_prelude_crashes_in_the_first_turn_after_it),
        cmocka_unit_test(a_bot_without_a_hello_loses_after_the_prelude),
        cmocka_unit_test(restarts_in_the_prelude_do_not_count),
        cmocka_unit_test(replay_goes_beyond_reports_whether_a_match_continued),
        cmocka_unit_test(people_have_their_own_time_limit_and_are_asked_after_the_prelude),
        cmocka_unit_test(the_header_records_people_and_the_prelude),
        cmocka_unit_test(passes_come_after_the_prelude_and_follow_the_seed),
        cmocka_unit_test(nobody_passes_in_the_first_turn),
        cmocka_unit_test(others_follow_the_record_while_one_player_deviates),
    };
    if (count != 4)
        return 1;
    aliens_bot = arguments[1];
    footsoldiers_bot = arguments[2];
    underworld_bot = arguments[3];
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
