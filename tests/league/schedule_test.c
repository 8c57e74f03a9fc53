/* The tournament formats: known outcomes of each, and what all formats share: errors, any order of
   results, resuming. Swiss and brackets have their own files. */
#include "league/rating.h"
#include "schedule_play.h"

#include <math.h>

/* ---- round robin and gauntlet ---- */

static uint32_t meetings(const Tournament *tournament, uint32_t a, uint32_t b) {
    uint32_t sum = 0;
    for (uint32_t f = 0; f < tournament->count; f++) {
        const Fixture *fixture = &tournament->fixtures[f];
        uint32_t found = 0;
        for (uint32_t i = 0; i < fixture->players; i++)
            found += fixture->bots[i] == a || fixture->bots[i] == b;
        sum += found == 2;
    }
    return sum;
}

static bool takes_part(const Fixture *fixture, uint32_t bot) {
    for (uint32_t i = 0; i < fixture->players; i++)
        if (fixture->bots[i] == bot)
            return true;
    return false;
}

static void in_a_round_robin_all_pairs_meet_once_per_cycle_and_at_most_once_per_round(
    void **unused) {
    (void)unused;
    for (uint32_t bots = 2; bots <= 13; bots++) {
        ScheduleOptions options = {
            .format = FORMAT_ROUND_ROBIN, .bots = bots, .players = 2, .rounds = 2, .seed = bots};
        Tournament all = play(&options, favourites_win, 0);
        assert_int_equal(all.count, bots * (bots - 1));
        assert_int_equal(schedule_total(all.schedule), all.count);
        for (uint32_t a = 0; a < bots; a++)
            for (uint32_t b = a + 1; b < bots; b++)
                assert_int_equal(meetings(&all, a, b), 2);
        for (uint32_t i = 0; i < all.count; i++)
            for (uint32_t j = i + 1; j < all.count; j++)
                if (all.fixtures[i].round == all.fixtures[j].round)
                    assert_false(takes_part(&all.fixtures[j], all.fixtures[i].bots[0]) ||
                                 takes_part(&all.fixtures[j], all.fixtures[i].bots[1]));
        assert_int_equal(all.fixtures[all.count - 1].round, 2 * (bots - 1 + bots % 2));
        assert_false(schedule_places(all.schedule, (uint32_t[13]){0}));
        assert_int_equal(schedule_bracket(all.schedule), 0);
        tournament_free(&all);
    }
}

static uint64_t bots_as_bits(const Fixture *fixture) {
    uint64_t bits = 0;
    for (uint32_t i = 0; i < fixture->players; i++)
        bits |= UINT64_C(1) << fixture->bots[i];
    return bits;
}

static void in_a_round_robin_of_four_player_matches_each_set_meets_once(void **unused) {
    (void)unused;
    ScheduleOptions options = {.format = FORMAT_ROUND_ROBIN, .bots = 12, .players = 4, .seed = 7};
    Tournament all = play(&options, favourites_win, 0);
    assert_int_equal(all.count, 495); /* 12 choose 4 */
    for (uint32_t i = 0; i < all.count; i++)
        for (uint32_t j = i + 1; j < all.count; j++)
            assert_true(bots_as_bits(&all.fixtures[i]) != bots_as_bits(&all.fixtures[j]));
    for (uint32_t a = 0; a < 12; a++)
        for (uint32_t b = a + 1; b < 12; b++)
            assert_int_equal(meetings(&all, a, b), 45); /* 10 choose 2 */
    tournament_free(&all);
}

/* At any time, no bot has played many more fixtures (the third number) than another. */
static void in_a_multiplayer_round_robin_all_bots_have_played_about_equally_often(void **unused) {
    (void)unused;
    static const uint32_t shapes[][3] = {{7, 3, 2},  {9, 3, 2}, {12, 4, 3}, {16, 4, 4},
                                         {10, 5, 4}, {8, 6, 2}, {5, 5, 0}};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        ScheduleOptions options = {
            .format = FORMAT_ROUND_ROBIN, .bots = shapes[s][0], .players = shapes[s][1], .seed = s};
        Tournament all = play(&options, favourites_win, 0);
        uint32_t played[16] = {0};
        for (uint32_t f = 0; f < all.count; f++) {
            for (uint32_t i = 0; i < all.fixtures[f].players; i++)
                played[all.fixtures[f].bots[i]]++;
            uint32_t least = UINT32_MAX;
            uint32_t most = 0;
            for (uint32_t b = 0; b < options.bots; b++) {
                least = played[b] < least ? played[b] : least;
                most = played[b] > most ? played[b] : most;
            }
            assert_true(most - least <= shapes[s][2]);
        }
        tournament_free(&all);
    }
}

static void in_a_gauntlet_challengers_meet_all_bots_except_each_other(void **unused) {
    (void)unused;
    ScheduleOptions options = {
        .format = FORMAT_GAUNTLET, .bots = 11, .players = 2, .challengers = 3, .rounds = 2};
    Tournament all = play(&options, favourites_win, 0);
    assert_int_equal(all.count, 3 * 8 * 2);
    for (uint32_t a = 0; a < 11; a++)
        for (uint32_t b = a + 1; b < 11; b++)
            assert_int_equal(meetings(&all, a, b), a < 3 && b >= 3 ? 2 : 0);
    for (uint32_t f = 0; f < all.count; f++) /* in each round all three challengers play ... */
        assert_int_equal(all.fixtures[f].round, f / 3 + 1);
    for (uint32_t f = 0; f < all.count; f += 3) { /* ... against different opponents */
        uint64_t bits = bots_as_bits(&all.fixtures[f]) | bots_as_bits(&all.fixtures[f + 1]) |
                        bots_as_bits(&all.fixtures[f + 2]);
        assert_int_equal(__builtin_popcountll(bits), 6);
    }
    tournament_free(&all);
}

static void in_a_gauntlet_of_three_players_the_challenger_meets_every_pair_of_others(
    void **unused) {
    (void)unused;
    ScheduleOptions options = {.format = FORMAT_GAUNTLET, .bots = 8, .players = 3};
    Tournament all = play(&options, favourites_win, 0);
    assert_int_equal(all.count, 21); /* 7 choose 2 */
    for (uint32_t a = 1; a < 8; a++)
        for (uint32_t b = a + 1; b < 8; b++)
            assert_int_equal(meetings(&all, a, b), 1);
    for (uint32_t f = 0; f < all.count; f++)
        assert_true(takes_part(&all.fixtures[f], 0));
    tournament_free(&all);
}

/* ---- ladder ---- */

static const double STEP = 60; /* Elo points from one bot to the next */

static void strength_decides(const Fixture *fixture, uint32_t match, uint32_t *ranks) {
    uint64_t seed = hash64_chain(hash64_chain(judge_seed, fixture->number), match);
    Random random = random_seeded(seed);
    double merits[GAME_PLAYERS_MAX];
    for (uint32_t i = 0; i < fixture->players; i++) {
        double uniform = (random_below(&random, 1u << 30) + 0.5) / (1u << 30);
        merits[i] = -STEP * fixture->bots[i] * log(10) / 400 - log(-log(uniform));
    }
    for (uint32_t i = 0; i < fixture->players; i++) {
        ranks[i] = 1;
        for (uint32_t j = 0; j < fixture->players; j++)
            ranks[i] += merits[j] > merits[i];
    }
}

static void a_ladder_ends_when_all_ratings_are_known(void **unused) {
    (void)unused;
    static const uint32_t players[] = {2, 4};
    for (size_t p = 0; p < 2; p++) {
        ScheduleOptions options = {.format = FORMAT_LADDER,
                                   .bots = 12,
                                   .players = players[p],
                                   .seed = judge_seed,
                                   .error = 60};
        Tournament all = play(&options, strength_decides, judge_seed);
        Ratings *ratings = ratings_new(options.bots);
        uint32_t played[12] = {0};
        for (uint32_t f = 0; f < all.count; f++) {
            for (uint32_t i = 0; i < all.fixtures[f].players; i++)
                played[all.fixtures[f].bots[i]]++;
            for (uint32_t m = 0; m < MATCHES; m++) {
                uint32_t ranks[GAME_PLAYERS_MAX];
                strength_decides(&all.fixtures[f], m, ranks);
                ratings_add(ratings, all.fixtures[f].players, all.fixtures[f].bots, ranks, 1);
            }
        }
        assert_true(ratings_fit(ratings, NULL));
        printf("ladder of 12, %u players: %u fixtures to an error of 60\n", players[p], all.count);
        uint32_t mean = all.count * players[p] / 12;
        for (uint32_t i = 0; i < 12; i++) {
            assert_true(ratings_error(ratings, i) <= 61);
            /* 4 standard errors, plus a margin for the mean of the prior */
            assert_true(fabs(ratings_elo(ratings, i) - STEP * (5.5 - i)) < 140);
            assert_true(played[i] * 2 >= mean);
        }
        assert_true(all.count < 3000);
        ratings_free(ratings);
        tournament_free(&all);
    }
}

static void in_a_ladder_equal_bots_meet_more_often(void **unused) {
    (void)unused;
    ScheduleOptions options = {
        .format = FORMAT_LADDER, .bots = 30, .players = 2, .seed = judge_seed, .rounds = 60};
    Tournament all = play(&options, strength_decides, judge_seed);
    assert_int_equal(all.count, 60 * 15);
    assert_int_equal(schedule_total(all.schedule), all.count);
    double sum = 0;
    for (uint32_t f = 0; f < all.count; f++)
        sum += fabs((double)all.fixtures[f].bots[0] - (double)all.fixtures[f].bots[1]);
    printf("ladder of 30: opponents are %.1f places apart on average, at random it would be 10.3\n",
           sum / all.count);
    assert_true(sum / all.count < 7);
    tournament_free(&all);
}

/* A bot that always wins keeps a high information gain, because its strength stays uncertain. */
static void in_a_ladder_all_bots_play_nearly_equally_often(void **unused) {
    (void)unused;
    ScheduleOptions options = {
        .format = FORMAT_LADDER, .bots = 40, .players = 2, .seed = judge_seed, .rounds = 40};
    Tournament all = play(&options, favourites_win, judge_seed);
    uint32_t played[40] = {0};
    for (uint32_t f = 0; f < all.count; f++)
        for (uint32_t i = 0; i < 2; i++)
            played[all.fixtures[f].bots[i]]++;
    uint32_t least = UINT32_MAX;
    for (uint32_t i = 0; i < 40; i++)
        least = played[i] < least ? played[i] : least;
    printf("ladder of 40, favourites win: at least %u fixtures each, the mean is 40\n", least);
    assert_true(least >= 34);
    tournament_free(&all);
}

static void an_endless_ladder_always_has_two_rounds_open(void **unused) {
    (void)unused;
    ScheduleOptions options = {.format = FORMAT_LADDER, .bots = 20, .players = 2};
    Schedule *schedule = make(&options);
    Fixture fixtures[20];
    for (uint32_t i = 0; i < 20; i++) {
        assert_true(schedule_next(schedule, &fixtures[i]));
        assert_int_equal(fixtures[i].round, i / 10 + 1);
    }
    Fixture more;
    assert_false(schedule_next(schedule, &more));
    assert_int_equal(schedule_total(schedule), 0);
    for (uint32_t i = 1; i < 20; i++)
        add_result(schedule, &fixtures[i], favourites_win);
    assert_false(schedule_next(schedule, &more)); /* round 3 depends on all of round 1 */
    add_result(schedule, &fixtures[0], favourites_win);
    for (uint32_t i = 0; i < 20; i++) {
        assert_true(schedule_next(schedule, &more));
        assert_int_equal(more.round, i / 10 + 3);
    }
    assert_false(schedule_finished(schedule));
    schedule_free(schedule);
}

/* ---- all formats ---- */

static const ScheduleOptions every_kind[] = {
    {.format = FORMAT_ROUND_ROBIN, .bots = 9, .players = 2, .seed = 1},
    {.format = FORMAT_ROUND_ROBIN, .bots = 7, .players = 3, .seed = 2, .rounds = 2},
    {.format = FORMAT_GAUNTLET, .bots = 9, .players = 2, .challengers = 2, .seed = 3},
    {.format = FORMAT_SWISS, .bots = 21, .players = 2, .seed = 4},
    {.format = FORMAT_SWISS, .bots = 22, .players = 4, .seed = 5},
    {.format = FORMAT_KNOCKOUT, .bots = 27, .players = 2, .seed = 6},
    {.format = FORMAT_KNOCKOUT, .bots = 27, .players = 3, .seed = 7},
    {.format = FORMAT_DOUBLE, .bots = 21, .players = 2, .seed = 8},
    {.format = FORMAT_LADDER, .bots = 20, .players = 2, .seed = 9, .rounds = 12},
    {.format = FORMAT_LADDER, .bots = 9, .players = 4, .seed = 10, .rounds = 12},
};
enum { KINDS = sizeof every_kind / sizeof *every_kind };

/* Checks that fixtures and, if the format has them, places are the same. */
static void assert_same(const ScheduleOptions *options, Tournament *a, Tournament *b) {
    sort_by_number(a);
    sort_by_number(b);
    assert_int_equal(a->count, b->count);
    assert_memory_equal(a->fixtures, b->fixtures, a->count * sizeof *a->fixtures);
    uint32_t left[64] = {0};
    uint32_t right[64] = {0};
    assert_int_equal(schedule_places(a->schedule, left), schedule_places(b->schedule, right));
    assert_memory_equal(left, right, options->bots * sizeof *left);
    assert_int_equal(schedule_total(a->schedule), schedule_total(b->schedule));
    assert_int_equal(schedule_total(a->schedule), a->count);
}

static void the_order_of_results_does_not_matter(void **unused) {
    (void)unused;
    for (uint32_t k = 0; k < KINDS; k++) {
        Tournament straight = play(&every_kind[k], random_result, 0);
        for (uint64_t order = 1; order <= 5; order++) {
            Tournament mixed = play(&every_kind[k], random_result, order);
            assert_same(&every_kind[k], &straight, &mixed);
            tournament_free(&mixed);
        }
        tournament_free(&straight);
    }
}

/* The results of all finished fixtures are added first, in reverse order. */
static void a_tournament_resumes_after_all_results_were_added_first(void **unused) {
    (void)unused;
    for (uint32_t k = 0; k < KINDS; k++) {
        Tournament whole = play(&every_kind[k], random_result, 11);
        for (uint32_t part = 0; part <= 8; part++) {
            uint32_t known = whole.count * part / 8;
            Tournament again = {.schedule = make(&every_kind[k])};
            for (uint32_t i = known; i-- > 0;) {
                add_result(again.schedule, &whole.fixtures[i], random_result);
                write_down(&again, &whole.fixtures[i]);
            }
            play_on(&again, random_result, part + 1);
            Tournament copy = {.schedule = whole.schedule};
            for (uint32_t i = 0; i < whole.count; i++)
                write_down(&copy, &whole.fixtures[i]);
            assert_same(&every_kind[k], &copy, &again);
            free(copy.fixtures);
            tournament_free(&again);
        }
        tournament_free(&whole);
    }
}

static const Fixture *find_number(const Tournament *tournament, uint32_t count, uint32_t number) {
    for (uint32_t i = 0; i < count; i++)
        if (tournament->fixtures[i].number == number)
            return &tournament->fixtures[i];
    return NULL;
}

/* The other way: each fixture is looked up when it is given out, and its result is added if there
   is one. */
static void a_tournament_resumes_with_results_added_fixture_by_fixture(void **unused) {
    (void)unused;
    for (uint32_t k = 0; k < KINDS; k++) {
        Tournament whole = play(&every_kind[k], random_result, 12);
        uint32_t known = whole.count * 2 / 3;
        uint32_t found = 0;
        uint32_t unknown = 0;
        Schedule *schedule = make(&every_kind[k]);
        Fixture waiting[64];
        Fixture fixture;
        while (schedule_next(schedule, &fixture)) {
            const Fixture *before = find_number(&whole, known, fixture.number);
            if (before) {
                assert_memory_equal(before, &fixture, sizeof fixture);
                add_result(schedule, &fixture, random_result);
                found++;
            } else {
                assert_true(unknown < 64);
                waiting[unknown++] = fixture;
            }
        }
        assert_int_equal(found, known);
        Tournament again = {.schedule = schedule};
        for (uint32_t i = 0; i < known; i++)
            write_down(&again, &whole.fixtures[i]);
        for (uint32_t i = 0; i < unknown; i++) {
            add_result(schedule, &waiting[i], random_result);
            write_down(&again, &waiting[i]);
        }
        play_on(&again, random_result, 13);
        assert_same(&every_kind[k], &whole, &again);
        tournament_free(&again);
        tournament_free(&whole);
    }
}

static void a_result_of_other_bots_is_rejected(void **unused) {
    (void)unused;
    ScheduleOptions options = {.format = FORMAT_KNOCKOUT, .bots = 4, .players = 2};
    Schedule *schedule = make(&options);
    Fixture stranger = {.number = 0, .round = 1, .players = 2, .bots = {1, 2}};
    add_result(schedule, &stranger, favourites_win);
    Fixture later = {.number = 8, .round = 2, .players = 2, .bots = {2, 3}};
    add_result(schedule, &later, favourites_win);
    Tournament all = {.schedule = schedule};
    play_on(&all, favourites_win, 0);
    assert_int_equal(all.count, 3);
    assert_string_equal(drawn(schedule, SIDE_WINNERS, 2), "0*v1");
    tournament_free(&all);

    options = (ScheduleOptions){.format = FORMAT_KNOCKOUT, .bots = 3, .players = 3};
    schedule = make(&options);
    Fixture smaller = {.number = 0, .round = 1, .players = 2, .bots = {0, 1}};
    add_result(schedule, &smaller, favourites_win);
    assert_false(schedule_finished(schedule));
    schedule_free(schedule);
}

static void another_seed_gives_another_schedule_and_the_same_seed_the_same(void **unused) {
    (void)unused;
    ScheduleOptions options = {.format = FORMAT_ROUND_ROBIN, .bots = 9, .players = 2, .seed = 1};
    Tournament one = play(&options, favourites_win, 0);
    Tournament same = play(&options, favourites_win, 0);
    options.seed = 2;
    Tournament other = play(&options, favourites_win, 0);
    assert_same(&options, &one, &same);
    assert_memory_not_equal(one.fixtures, other.fixtures, one.count * sizeof *one.fixtures);
    tournament_free(&one);
    tournament_free(&same);
    tournament_free(&other);
}

static void formats_are_found_by_name(void **unused) {
    (void)unused;
    static const char *const names[FORMATS] = {"round-robin", "gauntlet",        "swiss",
                                               "knockout",    "double-knockout", "ladder"};
    Format format = FORMATS;
    for (uint32_t i = 0; i < FORMATS; i++) {
        assert_string_equal(format_name((Format)i), names[i]);
        assert_true(format_read(names[i], &format, NULL));
        assert_int_equal(format, i);
    }
    Error error;
    assert_false(format_read("scramble", &format, &error));
    assert_non_null(strstr(error.text, "known: round-robin, gauntlet, swiss, knockout, "));
}

static void invalid_options_are_rejected_with_an_error(void **unused) {
    (void)unused;
    static const struct {
        ScheduleOptions options;
        const char *says;
    } cases[] = {
        {{.format = FORMAT_SWISS, .bots = 1, .players = 2}, "at least two bots"},
        {{.format = FORMAT_SWISS, .bots = 5, .players = 1}, "2 to 64 players"},
        {{.format = FORMAT_SWISS, .bots = 99, .players = 65}, "2 to 64 players"},
        {{.format = FORMAT_LADDER, .bots = 3, .players = 4}, "at least as many bots"},
        {{.format = FORMAT_LADDER, .bots = 4, .players = 2, .error = -1}, "0 or more"},
        {{.format = FORMAT_LADDER, .bots = 4, .players = 2, .error = (double)NAN}, "0 or more"},
        {{.format = FORMAT_LADDER, .bots = 6000, .players = 2}, "at most 5000"},
        {{.format = FORMAT_ROUND_ROBIN, .bots = 100, .players = 4}, "3921225 fixtures"},
        {{.format = FORMAT_ROUND_ROBIN, .bots = 10, .players = 2, .rounds = 30000},
         "1350000 fixtures"},
        {{.format = FORMAT_ROUND_ROBIN, .bots = 4000000000, .players = 64},
         "more than 1000000000000000 fixtures"},
        {{.format = FORMAT_GAUNTLET, .bots = 200, .players = 5}, "a Swiss or a ladder"},
        {{.format = FORMAT_GAUNTLET, .bots = 5, .players = 3, .challengers = 4}, "too few"},
        {{.format = FORMAT_GAUNTLET, .bots = 5, .players = 2, .challengers = 5}, "too few"},
        {{.format = FORMAT_SWISS, .bots = 9, .players = 2, .rounds = 10}, "after 9 rounds"},
        {{.format = FORMAT_SWISS, .bots = 8, .players = 2, .rounds = 8}, "after 7 rounds"},
        {{.format = FORMAT_SWISS, .bots = 20000, .players = 2}, "at most 10000"},
        {{.format = FORMAT_SWISS, .bots = 8, .players = 4, .rounds = 600000}, "fixtures"},
        {{.format = FORMAT_KNOCKOUT, .bots = 100000, .players = 2}, "at most 65536"},
        {{.format = FORMAT_DOUBLE, .bots = 9, .players = 3}, "matches of 2 players"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Error error = {0};
        assert_null(schedule_new(&cases[i].options, &error));
        if (!strstr(error.text, cases[i].says))
            fail_msg("\"%s\" does not contain \"%s\"", error.text, cases[i].says);
    }
    assert_null(schedule_new(&cases[0].options, NULL));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_a_round_robin_all_pairs_meet_once_per_cycle_and_at_most_once_per_round),
        cmocka_unit_test(in_a_round_robin_of_four_player_matches_each_set_meets_once),
        cmocka_unit_test(in_a_multiplayer_round_robin_all_bots_have_played_about_equally_often),
        cmocka_unit_test(in_a_gauntlet_challengers_meet_all_bots_except_each_other),
        cmocka_unit_test(in_a_gauntlet_of_three_players_the_challenger_meets_every_pair_of_others),
        cmocka_unit_test(a_ladder_ends_when_all_ratings_are_known),
        cmocka_unit_test(in_a_ladder_equal_bots_meet_more_often),
        cmocka_unit_test(in_a_ladder_all_bots_play_nearly_equally_often),
        cmocka_unit_test(an_endless_ladder_always_has_two_rounds_open),
        cmocka_unit_test(the_order_of_results_does_not_matter),
        cmocka_unit_test(a_tournament_resumes_after_all_results_were_added_first),
        cmocka_unit_test(a_tournament_resumes_with_results_added_fixture_by_fixture),
        cmocka_unit_test(a_result_of_other_bots_is_rejected),
        cmocka_unit_test(another_seed_gives_another_schedule_and_the_same_seed_the_same),
        cmocka_unit_test(formats_are_found_by_name),
        cmocka_unit_test(invalid_options_are_rejected_with_an_error),
    };
    return cmocka_run_group_tests_name("schedule", tests, choose_seed, NULL);
}
