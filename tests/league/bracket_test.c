/* Knockout and double knockout: who meets whom, who advances, and the final places. */
#include "schedule_play.h"

/* ---- knockout ---- */

static void assert_places(const Schedule *schedule, const uint32_t *expected, uint32_t bots) {
    uint32_t places[64];
    assert_true(schedule_places(schedule, places));
    for (uint32_t i = 0; i < bots; i++)
        assert_int_equal(places[i], expected[i]);
}

static void a_bracket_of_thirteen_gives_the_three_best_a_bye_and_seeds_as_usual(void **unused) {
    (void)unused;
    ScheduleOptions options = {.format = FORMAT_KNOCKOUT, .bots = 13, .players = 2};
    Schedule *fresh = make(&options);
    assert_int_equal(schedule_total(fresh), 12);
    assert_string_equal(drawn(fresh, SIDE_WINNERS, 1), "0* 7v8 3v12 4v11 1* 6v9 2* 5v10");
    schedule_free(fresh);

    Tournament all = play(&options, favourites_win, 1);
    assert_int_equal(all.count, 12);
    assert_string_equal(drawn(all.schedule, SIDE_WINNERS, 1),
                        "0* 7*v8 3*v12 4*v11 1* 6*v9 2* 5*v10");
    assert_string_equal(drawn(all.schedule, SIDE_WINNERS, 2), "0*v7 3*v4 1*v6 2*v5");
    assert_string_equal(drawn(all.schedule, SIDE_WINNERS, 3), "0*v3 1*v2");
    assert_string_equal(drawn(all.schedule, SIDE_WINNERS, 4), "0*v1");
    assert_places(all.schedule, (uint32_t[]){1, 2, 3, 3, 5, 5, 5, 5, 9, 9, 9, 9, 9}, 13);
    tournament_free(&all);
}

static void a_bracket_of_thirteen_in_which_favourites_always_lose(void **unused) {
    (void)unused;
    ScheduleOptions options = {.format = FORMAT_KNOCKOUT, .bots = 13, .players = 2};
    Tournament all = play(&options, favourites_lose, 2);
    assert_int_equal(all.count, 12);
    assert_string_equal(drawn(all.schedule, SIDE_WINNERS, 2), "0v8* 12*v11 1v9* 2v10*");
    assert_string_equal(drawn(all.schedule, SIDE_WINNERS, 3), "8v12* 9v10*");
    assert_string_equal(drawn(all.schedule, SIDE_WINNERS, 4), "12*v10");
    assert_places(all.schedule, (uint32_t[]){5, 5, 5, 9, 9, 9, 9, 9, 3, 3, 2, 5, 1}, 13);
    tournament_free(&all);
}

static void a_bracket_of_sixteen_pairs_one_and_sixteen_eight_and_nine(void **unused) {
    (void)unused;
    ScheduleOptions options = {.format = FORMAT_KNOCKOUT, .bots = 16, .players = 2};
    Schedule *schedule = make(&options);
    assert_string_equal(drawn(schedule, SIDE_WINNERS, 1), "0v15 7v8 3v12 4v11 1v14 6v9 2v13 5v10");
    schedule_free(schedule);
}

static void a_drawn_fixture_has_three_play_offs_then_the_better_seed_advances(void **unused) {
    (void)unused;
    ScheduleOptions options = {.format = FORMAT_KNOCKOUT, .bots = 4, .players = 2};
    Tournament all = play(&options, all_draw, 3);
    assert_int_equal(all.count, 3 * 4);
    assert_int_equal(schedule_total(all.schedule), 12);
    assert_string_equal(drawn(all.schedule, SIDE_WINNERS, 2), "0*v1");
    const BracketNode *final = schedule_bracket_node(all.schedule, 2);
    assert_true(final->by_seeding);
    assert_int_equal(final->points[0], 4 * MATCHES);
    assert_int_equal(final->points[1], 4 * MATCHES);
    tournament_free(&all);
}

/* All matches are drawn until a play-off has a winner: the play-off decides, not the seeding. */
static void a_won_play_off_decides_the_fixture(void **unused) {
    (void)unused;
    ScheduleOptions options = {.format = FORMAT_KNOCKOUT, .bots = 2, .players = 2};
    Schedule *schedule = make(&options);
    Fixture first;
    Fixture second;
    assert_true(schedule_next(schedule, &first));
    add_result(schedule, &first, all_draw);
    assert_true(schedule_next(schedule, &second));
    assert_true(first.number != second.number);
    add_result(schedule, &second, favourites_lose);
    assert_true(schedule_finished(schedule));
    assert_string_equal(drawn(schedule, SIDE_WINNERS, 1), "0v1*");
    assert_false(schedule_bracket_node(schedule, 0)->by_seeding);
    schedule_free(schedule);
}

static void one_bot_advances_from_each_four_player_heat(void **unused) {
    (void)unused;
    ScheduleOptions options = {.format = FORMAT_KNOCKOUT, .bots = 14, .players = 4};
    Tournament all = play(&options, favourites_win, 4);
    assert_int_equal(all.count, 5);
    assert_string_equal(drawn(all.schedule, SIDE_WINNERS, 1),
                        "0*v7 1*v6v8v13 2*v5v9v12 3*v4v10v11");
    assert_string_equal(drawn(all.schedule, SIDE_WINNERS, 2), "0*v1v2v3");
    assert_places(all.schedule, (uint32_t[]){1, 2, 3, 4, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5}, 14);
    tournament_free(&all);
}

/* For any number of bots and players per heat: every bot is placed once, all but one are
   eliminated, and at most one heat is not full. */
static void brackets_of_any_size_have_a_place_for_every_bot(void **unused) {
    (void)unused;
    for (uint32_t players = 2; players <= 5; players++)
        for (uint32_t bots = players; bots <= 64; bots++) {
            ScheduleOptions options = {.format = FORMAT_KNOCKOUT, .bots = bots, .players = players};
            Tournament all = play(&options, random_result, bots);
            uint32_t small = 0;
            uint32_t heats = 0;
            for (uint32_t n = 0; n < schedule_bracket(all.schedule); n++)
                heats += !schedule_bracket_node(all.schedule, n)->bye;
            assert_int_equal(heats, (bots - 1 + players - 2) / (players - 1));
            for (uint32_t f = 0; f < all.count; f++)
                small += all.fixtures[f].players < players && all.fixtures[f].number % 4 == 0;
            assert_true(small <= 1);
            uint32_t places[64];
            uint32_t firsts = 0;
            assert_true(schedule_places(all.schedule, places));
            for (uint32_t i = 0; i < bots; i++)
                firsts += places[i] == 1;
            assert_int_equal(firsts, 1);
            tournament_free(&all);
        }
}

/* ---- double knockout ---- */

static void assert_two_lives(const Tournament *tournament, Judge *judge, uint32_t bots) {
    uint32_t losses[64] = {0};
    uint32_t places[64];
    for (uint32_t f = 0; f < tournament->count; f++) {
        const Fixture *fixture = &tournament->fixtures[f];
        int result = outcome(fixture, judge);
        assert_true(result != 0);
        losses[fixture->bots[result > 0 ? 1 : 0]]++;
    }
    assert_true(schedule_places(tournament->schedule, places));
    uint32_t winner_losses = 0;
    for (uint32_t i = 0; i < bots; i++) {
        if (places[i] == 1)
            winner_losses = losses[i];
        else
            assert_int_equal(losses[i], 2);
    }
    assert_true(winner_losses <= 1);
    assert_int_equal(tournament->count, 2 * bots - 2 + winner_losses);
}

static void in_a_double_knockout_all_but_the_winner_lose_twice(void **unused) {
    (void)unused;
    static Judge *const judges[] = {favourites_win, favourites_lose};
    for (uint32_t bots = 2; bots <= 40; bots++)
        for (size_t j = 0; j < 2; j++) {
            ScheduleOptions options = {.format = FORMAT_DOUBLE, .bots = bots, .players = 2};
            Tournament all = play(&options, judges[j], bots);
            assert_two_lives(&all, judges[j], bots);
            tournament_free(&all);
        }
}

static void a_double_knockout_of_six(void **unused) {
    (void)unused;
    ScheduleOptions options = {.format = FORMAT_DOUBLE, .bots = 6, .players = 2};
    Tournament all = play(&options, favourites_win, 5);
    assert_int_equal(all.count, 10);
    assert_string_equal(drawn(all.schedule, SIDE_WINNERS, 1), "0* 3*v4 1* 2*v5");
    assert_string_equal(drawn(all.schedule, SIDE_WINNERS, 2), "0*v3 1*v2");
    assert_string_equal(drawn(all.schedule, SIDE_WINNERS, 3), "0*v1");
    assert_string_equal(drawn(all.schedule, SIDE_LOSERS, 1), "4* 5*");
    assert_string_equal(drawn(all.schedule, SIDE_LOSERS, 2), "2*v4 3*v5");
    assert_string_equal(drawn(all.schedule, SIDE_LOSERS, 3), "2*v3");
    assert_string_equal(drawn(all.schedule, SIDE_LOSERS, 4), "1*v2");
    assert_string_equal(drawn(all.schedule, SIDE_FINAL, 1), "0*v1");
    assert_string_equal(drawn(all.schedule, SIDE_FINAL, 2), "");
    assert_places(all.schedule, (uint32_t[]){1, 2, 3, 4, 5, 5}, 6);
    tournament_free(&all);
}

static void a_double_knockout_of_eight(void **unused) {
    (void)unused;
    ScheduleOptions options = {.format = FORMAT_DOUBLE, .bots = 8, .players = 2};
    Tournament all = play(&options, favourites_win, 6);
    assert_int_equal(all.count, 14);
    assert_string_equal(drawn(all.schedule, SIDE_WINNERS, 1), "0*v7 3*v4 1*v6 2*v5");
    assert_string_equal(drawn(all.schedule, SIDE_LOSERS, 1), "7v4* 6v5*");
    assert_string_equal(drawn(all.schedule, SIDE_LOSERS, 2), "2*v4 3*v5");
    assert_string_equal(drawn(all.schedule, SIDE_LOSERS, 3), "2*v3");
    assert_string_equal(drawn(all.schedule, SIDE_LOSERS, 4), "1*v2");
    assert_places(all.schedule, (uint32_t[]){1, 2, 3, 4, 5, 5, 7, 7}, 8);
    tournament_free(&all);
}

static void a_double_knockout_of_thirteen(void **unused) {
    (void)unused;
    ScheduleOptions options = {.format = FORMAT_DOUBLE, .bots = 13, .players = 2};
    Schedule *fresh = make(&options);
    assert_int_equal(schedule_total(fresh), 24);
    schedule_free(fresh);
    Tournament all = play(&options, favourites_win, 7);
    assert_int_equal(all.count, 24);
    assert_string_equal(drawn(all.schedule, SIDE_LOSERS, 1), "8* 12v11* 9* 10*");
    assert_string_equal(drawn(all.schedule, SIDE_LOSERS, 2), "5*v8 6*v11 4*v9 7*v10");
    assert_string_equal(drawn(all.schedule, SIDE_LOSERS, 3), "5*v6 4*v7");
    assert_places(all.schedule, (uint32_t[]){1, 2, 3, 4, 5, 5, 7, 7, 9, 9, 9, 9, 13}, 13);
    tournament_free(&all);
}

/* Bot 1 only loses its first fixture against bot 0, so the grand final is played twice. */
static void one_loses_to_zero_only_once(const Fixture *fixture, uint32_t match, uint32_t *ranks) {
    favourites_win(fixture, match, ranks);
    if (fixture->bots[0] + fixture->bots[1] == 1 && fixture->round > 4)
        favourites_lose(fixture, match, ranks);
}

static void the_grand_final_is_played_again_when_the_losers_side_wins_it(void **unused) {
    (void)unused;
    ScheduleOptions options = {.format = FORMAT_DOUBLE, .bots = 8, .players = 2};
    Tournament all = play(&options, one_loses_to_zero_only_once, 8);
    assert_int_equal(all.count, 15);
    assert_int_equal(schedule_total(all.schedule), 15);
    assert_string_equal(drawn(all.schedule, SIDE_FINAL, 1), "0v1*");
    assert_string_equal(drawn(all.schedule, SIDE_FINAL, 2), "0v1*");
    assert_places(all.schedule, (uint32_t[]){2, 1, 3, 4, 5, 5, 7, 7}, 8);
    tournament_free(&all);
}

/* The first round of the losers' side with a rematch, or UINT32_MAX. */
static uint32_t first_rematch(const Schedule *schedule) {
    for (uint32_t n = 0; n < schedule_bracket(schedule); n++) {
        const BracketNode *node = schedule_bracket_node(schedule, n);
        for (uint32_t m = 0; m < n && node->side == SIDE_LOSERS; m++) {
            const BracketNode *before = schedule_bracket_node(schedule, m);
            if ((before->bots[0] == node->bots[0] && before->bots[1] == node->bots[1]) ||
                (before->bots[0] == node->bots[1] && before->bots[1] == node->bots[0]))
                return node->round;
        }
    }
    return UINT32_MAX;
}

/* Losers are placed crosswise, so a rematch happens only when too few bots are left to avoid it. */
static void in_a_double_knockout_rematches_are_delayed(void **unused) {
    (void)unused;
    static const uint32_t earliest[][2] = {{8, 3}, {16, 4}, {32, 5}, {64, 7}};
    uint64_t seed_before = judge_seed;
    for (size_t i = 0; i < sizeof earliest / sizeof *earliest; i++)
        for (uint32_t seed = 0; seed < 300; seed++) {
            ScheduleOptions options = {
                .format = FORMAT_DOUBLE, .bots = earliest[i][0], .players = 2};
            judge_seed = seed_before + seed;
            Tournament all = play(&options, random_result, 0);
            assert_true(first_rematch(all.schedule) >= earliest[i][1]);
            tournament_free(&all);
        }
    judge_seed = seed_before;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bracket_of_thirteen_gives_the_three_best_a_bye_and_seeds_as_usual),
        cmocka_unit_test(a_bracket_of_thirteen_in_which_favourites_always_lose),
        cmocka_unit_test(a_bracket_of_sixteen_pairs_one_and_sixteen_eight_and_nine),
        cmocka_unit_test(a_drawn_fixture_has_three_play_offs_then_the_better_seed_advances),
        cmocka_unit_test(a_won_play_off_decides_the_fixture),
        cmocka_unit_test(one_bot_advances_from_each_four_player_heat),
        cmocka_unit_test(brackets_of_any_size_have_a_place_for_every_bot),
        cmocka_unit_test(in_a_double_knockout_all_but_the_winner_lose_twice),
        cmocka_unit_test(a_double_knockout_of_six),
        cmocka_unit_test(a_double_knockout_of_eight),
        cmocka_unit_test(a_double_knockout_of_thirteen),
        cmocka_unit_test(the_grand_final_is_played_again_when_the_losers_side_wins_it),
        cmocka_unit_test(in_a_double_knockout_rematches_are_delayed),
    };
    return cmocka_run_group_tests_name("bracket", tests, choose_seed, NULL);
}
