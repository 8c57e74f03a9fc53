/* Standings: totals, places and history. */
#include "league/standings.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *const names[] = {"alice", "bob", "carol", "dave"};

static void add(Standings *standings, uint32_t players, const uint32_t *bots,
                const uint32_t *ranks) {
    PlayedMatch match = {.turns = 10, .players = players};
    for (uint32_t i = 0; i < players; i++)
        match.seats[i] = (PlayedSeat){.bot = bots[i], .rank = ranks[i]};
    standings_add(standings, &match);
}

static void duel(Standings *standings, uint32_t winner, uint32_t loser) {
    add(standings, 2, (const uint32_t[]){winner, loser}, (const uint32_t[]){1, 2});
}

static void settle(Standings *standings, const Schedule *schedule) {
    Error error;
    if (!standings_settle(standings, schedule, &error))
        fail_msg("%s", error.text);
}

static void a_match_gives_points_for_every_opponent_beaten(void **unused) {
    (void)unused;
    Standings *standings = standings_new(4, names);
    /* carol before alice and dave, who tie; bob last */
    add(standings, 4, (const uint32_t[]){0, 1, 2, 3}, (const uint32_t[]){2, 4, 1, 2});
    /* a shared first place */
    add(standings, 3, (const uint32_t[]){3, 2, 0}, (const uint32_t[]){1, 1, 3});
    settle(standings, NULL);
    const StandingsRow *carol = standings_row(standings, 2);
    assert_int_equal(carol->wins, 1);
    assert_int_equal(carol->draws, 1);
    assert_int_equal(carol->losses, 0);
    assert_true(carol->points == 3 + 1.5 && carol->points_most == 5);
    const StandingsRow *alice = standings_row(standings, 0);
    assert_int_equal(alice->losses, 2);
    assert_true(alice->points == 1.5 && alice->points_most == 5);
    const StandingsRow *bob = standings_row(standings, 1);
    assert_int_equal(bob->matches, 1);
    assert_true(bob->points == 0 && bob->points_most == 3);
    assert_int_equal(standings_matches(standings), 2);
    StandingsPair pair = standings_pair(standings, 0, 2);
    assert_true(pair.wins == 0 && pair.draws == 0 && pair.losses == 2);
    pair = standings_pair(standings, 3, 0);
    assert_true(pair.wins == 1 && pair.draws == 1 && pair.losses == 0);
    pair = standings_pair(standings, 1, 1);
    assert_true(pair.wins + pair.draws + pair.losses == 0);
    standings_free(standings);
}

static void usage_and_failures_are_summed(void **unused) {
    (void)unused;
    Standings *standings = standings_new(2, names);
    for (int status = 0; status < STATUSES; status++) {
        PlayedMatch match = {
            .turns = 7, .players = 2, .seats = {{.bot = 1, .rank = 1}, {.rank = 2}}};
        match.seats[1].status = (PlayerStatus)status;
        match.seats[1].refused = 2;
        match.seats[1].timeouts = 3;
        match.seats[1].graces = 4;
        match.seats[1].wall = 100;
        match.seats[1].cpu = 50;
        match.seats[1].wall_longest = 60 - status;
        standings_add(standings, &match);
    }
    settle(standings, NULL);
    const StandingsRow *row = standings_row(standings, 0);
    assert_int_equal(row->crashes, STATUSES - 3); /* all but ok, timed out and left */
    assert_int_equal(row->refused, 2 * STATUSES);
    assert_int_equal(row->timeouts, 3 * STATUSES);
    assert_int_equal(row->graces, 4 * STATUSES);
    assert_int_equal(row->turns, 7 * STATUSES);
    assert_int_equal(row->wall, 100 * STATUSES);
    assert_int_equal(row->cpu, 50 * STATUSES);
    assert_int_equal(row->wall_longest, 60);
    assert_int_equal(standings_row(standings, 1)->crashes, 0);
    standings_free(standings);
}

static void places_are_by_rating_and_equal_ratings_share_a_place(void **unused) {
    (void)unused;
    Standings *standings = standings_new(4, names);
    duel(standings, 3, 0);
    duel(standings, 3, 1);
    duel(standings, 0, 2);
    duel(standings, 1, 2);
    settle(standings, NULL);
    static const uint32_t order[] = {3, 0, 1, 2};
    static const uint32_t places[] = {1, 2, 2, 4};
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(standings_at(standings, i), order[i]);
        assert_int_equal(standings_row(standings, order[i])->place, places[i]);
    }
    assert_true(standings_superiority(standings, 3, 2) > 0.5);
    assert_true(standings_row(standings, 3)->error > 0);
    standings_free(standings);
}

static void bots_that_have_not_played_rank_below_bots_that_lost(void **unused) {
    (void)unused;
    Standings *standings = standings_new(4, names);
    duel(standings, 2, 3);
    settle(standings, NULL);
    static const uint32_t order[] = {2, 3, 0, 1};
    static const uint32_t places[] = {1, 2, 3, 3};
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(standings_at(standings, i), order[i]);
        assert_int_equal(standings_row(standings, order[i])->place, places[i]);
    }
    standings_free(standings);
}

static void the_order_of_a_format_overrides_ratings(void **unused) {
    (void)unused;
    ScheduleOptions options = {.format = FORMAT_KNOCKOUT, .bots = 2, .players = 2};
    Error error;
    Schedule *schedule = schedule_new(&options, &error);
    assert_non_null(schedule);
    Fixture fixture;
    assert_true(schedule_next(schedule, &fixture));
    uint32_t ranks[2];
    for (uint32_t i = 0; i < 2; i++)
        ranks[i] = fixture.bots[i] == 1 ? 1 : 2;
    schedule_result(schedule, &fixture, 1, ranks);
    Standings *standings = standings_new(2, names);
    duel(standings, 1, 0);
    for (int i = 0; i < 5; i++) /* matches outside the bracket */
        duel(standings, 0, 1);
    settle(standings, schedule);
    assert_true(standings_row(standings, 0)->elo > standings_row(standings, 1)->elo);
    assert_int_equal(standings_at(standings, 0), 1);
    assert_int_equal(standings_row(standings, 1)->place, 1);
    assert_int_equal(standings_row(standings, 0)->place, 2);
    standings_free(standings);
    schedule_free(schedule);
}

static void history_ends_with_the_current_standings(void **unused) {
    (void)unused;
    Standings *standings = standings_new(4, names);
    for (int i = 0; i < 50; i++)
        duel(standings, (uint32_t)i % 3 == 0, 2);
    for (int i = 0; i < 50; i++)
        duel(standings, 2, (uint32_t)i % 2);
    settle(standings, NULL);
    StandingsHistory history = {0};
    Error error;
    assert_true(standings_history(standings, 8, &history, &error));
    assert_int_equal(history.points, 8);
    assert_int_equal(history.matches[0], 12);
    assert_int_equal(history.matches[3], 50);
    assert_int_equal(history.matches[7], 100);
    for (uint32_t bot = 0; bot < 3; bot++)
        if (fabs(history.elo[7 * 4 + bot] - standings_row(standings, bot)->elo) > 0.01)
            fail_msg("%f is not %f", history.elo[7 * 4 + bot], standings_row(standings, bot)->elo);
    assert_true(history.elo[3 * 4 + 2] < history.elo[7 * 4 + 2]); /* it lost, then won */
    assert_true(isnan(history.elo[7 * 4 + 3]));                   /* it never played */
    standings_history_free(&history);
    assert_true(standings_history(standings, 1000, &history, &error));
    assert_int_equal(history.points, 100);
    standings_history_free(&history);
    standings_free(standings);
}

static void many_pairs_are_counted_separately(void **unused) {
    (void)unused;
    enum { BOTS = 300 };
    const char *many[BOTS];
    for (uint32_t i = 0; i < BOTS; i++)
        many[i] = "x";
    Standings *standings = standings_new(BOTS, many);
    for (uint32_t i = 0; i < BOTS; i++)
        for (uint32_t j = 0; j < i; j++)
            for (uint32_t k = 0; k < (i + j) % 3; k++)
                duel(standings, i, j);
    for (uint32_t i = 0; i < BOTS; i++)
        for (uint32_t j = 0; j < i; j++) {
            assert_int_equal(standings_pair(standings, i, j).wins, (i + j) % 3);
            assert_int_equal(standings_pair(standings, j, i).losses, (i + j) % 3);
        }
    standings_free(standings);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_match_gives_points_for_every_opponent_beaten),
        cmocka_unit_test(usage_and_failures_are_summed),
        cmocka_unit_test(places_are_by_rating_and_equal_ratings_share_a_place),
        cmocka_unit_test(bots_that_have_not_played_rank_below_bots_that_lost),
        cmocka_unit_test(the_order_of_a_format_overrides_ratings),
        cmocka_unit_test(history_ends_with_the_current_standings),
        cmocka_unit_test(many_pairs_are_counted_separately),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
