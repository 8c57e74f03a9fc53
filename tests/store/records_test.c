/* Records: results against each opponent, winning streaks, and first wins against house bots. */
#include "fixture.h"

static Store *store_of(void **state) {
    return ((TestStore *)*state)->store;
}

/* Plays a match of two bots with these ranks; returns its id. */
static uint64_t play(Store *store, StoreMatchKind kind, uint64_t bot, uint64_t other, uint32_t rank,
                     uint32_t other_rank) {
    Error error;
    StoreSeatResult seats[2] = {{.rank = rank, .status = "ok"},
                                {.rank = other_rank, .status = "ok"}};
    StoreMatchResult result = {
        .turns = 9, .reason = "", .verdict = slice_of("{}"), .players = 2, .seats = seats};
    uint64_t id = add_match(store, kind, "aliens", bot, other);
    StoreJob job = lease_one(store, 1000);
    assert_ok(store_queue_finish_match(store, job.id, job.attempt, &result, &error));
    return id;
}

static void assert_record(Store *store, uint64_t bot, uint64_t opponent, uint32_t won,
                          uint32_t drawn, uint32_t lost) {
    Error error;
    StoreRecord record;
    assert_ok(store_record_get(store, bot, opponent, &record, &error));
    assert_int_equal(record.opponent, opponent);
    assert_int_equal(record.matches, won + drawn + lost);
    assert_int_equal(record.won, won);
    assert_int_equal(record.drawn, drawn);
    assert_int_equal(record.lost, lost);
}

static void results_are_counted_against_each_opponent(void **state) {
    Store *store = store_of(state);
    Error error;
    uint64_t ada = add_account(store, "ada", ROLE_PLAYER);
    uint64_t bob = add_account(store, "bob", ROLE_PLAYER);
    uint64_t hunter = add_bot(store, ada, "aliens", "hunter", NULL);
    uint64_t runner = add_bot(store, bob, "aliens", "runner", NULL);
    uint64_t walker = add_bot(store, bob, "aliens", "walker", NULL);
    assert_record(store, hunter, runner, 0, 0, 0);
    play(store, MATCH_LADDER, hunter, runner, 1, 2);
    play(store, MATCH_LADDER, runner, hunter, 1, 2);
    play(store, MATCH_TOURNAMENT, hunter, runner, 1, 1);
    play(store, MATCH_PLAY_NOW, hunter, runner, 1, 2);
    play(store, MATCH_PLAY_NOW, hunter, walker, 2, 1);
    play(store, MATCH_PLAY_NOW, hunter, hunter, 1, 2); /* against itself: not counted */
    play(store, MATCH_PLAY_NOW, hunter, 0, 1, 2);      /* against a visitor's code: the same */
    assert_record(store, hunter, runner, 2, 1, 1);
    assert_record(store, runner, hunter, 1, 1, 2);
    assert_record(store, walker, hunter, 1, 0, 0);
    StorePage page = {.limit = 1};
    StoreRecord row;
    assert_ok(store_records_list(store, hunter, &page, &row, &error));
    assert_string_equal(row.name, "runner");
    assert_string_equal(row.owner_name, "bob");
    page.from = page.next;
    assert_ok(store_records_list(store, hunter, &page, &row, &error));
    assert_string_equal(row.name, "walker");
    assert_int_equal(row.lost, 1);
    assert_int_equal(page.next.id, 0);
}

static void the_longest_streak_counts_ranked_matches(void **state) {
    Store *store = store_of(state);
    Error error;
    StoreStreak streak;
    uint64_t ada = add_account(store, "ada", ROLE_PLAYER);
    uint64_t bob = add_account(store, "bob", ROLE_PLAYER);
    uint64_t hunter = add_bot(store, ada, "aliens", "hunter", NULL);
    uint64_t runner = add_bot(store, bob, "aliens", "runner", NULL);
    assert_ok(store_longest_streak(store, ada, &streak, &error));
    assert_int_equal(streak.length, 0);
    uint64_t last = 0;
    play(store, MATCH_LADDER, hunter, runner, 1, 2);
    for (uint32_t i = 0; i < 3; i++) {
        play(store, MATCH_PLAY_NOW, hunter, runner, 2, 1); /* casual: does not end it */
        last = play(store, MATCH_LADDER, hunter, runner, 1, 2);
    }
    play(store, MATCH_LADDER, hunter, runner, 1, 1); /* a ranked draw ends it */
    play(store, MATCH_LADDER, hunter, runner, 1, 2);
    assert_ok(store_longest_streak(store, ada, &streak, &error));
    assert_string_equal(streak.bot, "hunter");
    assert_string_equal(streak.game, "aliens");
    assert_int_equal(streak.length, 4);
    assert_int_equal(streak.last, last);
    assert_ok(store_longest_streak(store, bob, &streak, &error));
    assert_int_equal(streak.length, 0);
}

static void the_first_ranked_win_against_a_house_bot_is_remembered(void **state) {
    Store *store = store_of(state);
    Error error;
    uint64_t house = add_account(store, "house", ROLE_PLAYER);
    uint64_t ada = add_account(store, "ada", ROLE_PLAYER);
    uint64_t hunter = add_bot(store, ada, "aliens", "hunter", NULL);
    uint64_t guards[2];
    for (uint32_t i = 0; i < 2; i++) {
        uint64_t version;
        assert_ok(store_bot_add(store, house, "aliens", i ? "queen" : "guard", &guards[i], &error));
        StoreNewVersion new = {.bot = guards[i],
                               .language = "house",
                               .file_name = "",
                               .source = add_file(store, "guard"),
                               .spec = ""};
        assert_ok(store_version_add(store, &new, &version, &error));
    }
    build_all(store, true);
    play(store, MATCH_PLAY_NOW, hunter, guards[1], 1, 2);
    play(store, MATCH_LADDER, hunter, guards[1], 2, 1);
    uint64_t first = play(store, MATCH_LADDER, hunter, guards[1], 1, 2);
    play(store, MATCH_LADDER, hunter, guards[1], 1, 2);
    StoreHouseWin wins[4];
    uint32_t count = 4;
    assert_ok(store_house_wins(store, ada, wins, &count, &error));
    assert_int_equal(count, 2);
    assert_string_equal(wins[0].house_bot, "guard");
    assert_int_equal(wins[0].match, 0);
    assert_string_equal(wins[1].house_bot, "queen");
    assert_string_equal(wins[1].game, "aliens");
    assert_string_equal(wins[1].by, "hunter");
    assert_int_equal(wins[1].match, first);
}

static void matches_can_be_listed_by_opponent_and_by_owner(void **state) {
    Store *store = store_of(state);
    uint64_t ada = add_account(store, "ada", ROLE_PLAYER);
    uint64_t bob = add_account(store, "bob", ROLE_PLAYER);
    uint64_t hunter = add_bot(store, ada, "aliens", "hunter", NULL);
    uint64_t second = add_bot(store, ada, "aliens", "second", NULL);
    uint64_t runner = add_bot(store, bob, "aliens", "runner", NULL);
    uint64_t both = play(store, MATCH_LADDER, hunter, runner, 1, 2);
    uint64_t family = play(store, MATCH_LADDER, hunter, second, 1, 2);
    uint64_t alone = play(store, MATCH_LADDER, second, 0, 1, 2);
    const struct {
        StoreMatchesWanted wanted;
        uint64_t ids[4];
    } cases[] = {
        {{.bot = hunter, .opponent = runner}, {both}},
        {{.bot = hunter, .opponent = second}, {family}},
        {{.owner = ada}, {alone, family, both}},
        {{.owner = bob}, {both}},
        {{.owner = ada, .opponent = runner}, {both}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_matches(store, &cases[i].wanted, cases[i].ids);
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        CASE(results_are_counted_against_each_opponent),
        CASE(the_longest_streak_counts_ranked_matches),
        CASE(the_first_ranked_win_against_a_house_bot_is_remembered),
        CASE(matches_can_be_listed_by_opponent_and_by_owner),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
