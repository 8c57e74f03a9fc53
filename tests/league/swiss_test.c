/* Swiss: bots with equal points meet, rematches are avoided, and byes are shared. */
#include "base/clock.h"
#include "schedule_play.h"

enum { BOTS_MAX = 1000 };

/* A simple second implementation of the table. Points are counted in halves. */
typedef struct Table {
    uint32_t bots;
    uint32_t players;
    uint32_t points[BOTS_MAX];
    uint32_t byes[BOTS_MAX];
    uint8_t met[BOTS_MAX][BOTS_MAX];
} Table;

static Table table;

/* Whether the bots from `next` on that are not `used` can be paired without a rematch. */
static bool can_pair(uint32_t next, bool *used) {
    while (next < table.bots && used[next])
        next++;
    if (next == table.bots)
        return true;
    used[next] = true;
    bool found = false;
    for (uint32_t other = next + 1; other < table.bots && !found; other++) {
        if (used[other] || table.met[next][other])
            continue;
        used[other] = true;
        found = can_pair(next + 1, used);
        used[other] = false;
    }
    used[next] = false;
    return found;
}

/* Tries all pairings: is there a round without a rematch, with a bye if the number is odd? With
   `fresh`, only a first bye counts. */
static bool round_without_rematch(bool fresh) {
    bool used[BOTS_MAX] = {false};
    if (table.bots % 2 == 0)
        return can_pair(0, used);
    for (uint32_t bye = 0; bye < table.bots; bye++) {
        if (fresh && table.byes[bye])
            continue;
        used[bye] = true;
        if (can_pair(0, used))
            return true;
        used[bye] = false;
    }
    return false;
}

static void add_points(const Fixture *fixture, Judge *judge) {
    uint32_t totals[GAME_PLAYERS_MAX] = {0};
    for (uint32_t m = 0; m < MATCHES; m++) {
        uint32_t ranks[GAME_PLAYERS_MAX];
        judge(fixture, m, ranks);
        for (uint32_t a = 0; a < fixture->players; a++)
            for (uint32_t b = 0; b < fixture->players; b++)
                totals[a] += ranks[a] < ranks[b] ? 2 : ranks[a] == ranks[b] && a != b;
    }
    for (uint32_t a = 0; a < fixture->players; a++)
        for (uint32_t b = 0; b < fixture->players; b++)
            table.points[fixture->bots[a]] +=
                totals[a] > totals[b] ? 2 : totals[a] == totals[b] && a != b;
}

typedef struct RoundSeen {
    uint32_t fixtures;
    uint32_t rematches;
    uint32_t apart; /* sum of the differences in points of opponents, in halves */
    uint32_t byes;
    bool bye_fresh;  /* all byes went to bots without one */
    bool bye_lowest; /* no bot without one had fewer points */
} RoundSeen;

static Fixture round_fixtures[BOTS_MAX];

static RoundSeen look_at(const Fixture *fixtures, uint32_t count) {
    RoundSeen seen = {.fixtures = count, .bye_fresh = true, .bye_lowest = true};
    bool plays[BOTS_MAX] = {false};
    for (uint32_t f = 0; f < count; f++)
        for (uint32_t a = 0; a < fixtures[f].players; a++) {
            uint32_t bot = fixtures[f].bots[a];
            assert_false(plays[bot]);
            plays[bot] = true;
            for (uint32_t b = 0; b < a; b++) {
                uint32_t other = fixtures[f].bots[b];
                seen.rematches += table.met[bot][other] > 0;
                seen.apart += table.points[bot] > table.points[other]
                                  ? table.points[bot] - table.points[other]
                                  : table.points[other] - table.points[bot];
            }
        }
    for (uint32_t bot = 0; bot < table.bots; bot++) {
        if (plays[bot])
            continue;
        seen.byes++;
        seen.bye_fresh &= table.byes[bot] == 0;
        for (uint32_t other = 0; other < table.bots; other++)
            seen.bye_lowest &=
                !plays[other] || table.byes[other] > 0 || table.points[other] >= table.points[bot];
    }
    return seen;
}

static void enter(const Fixture *fixtures, uint32_t count, Judge *judge) {
    bool plays[BOTS_MAX] = {false};
    for (uint32_t f = 0; f < count; f++) {
        add_points(&fixtures[f], judge);
        for (uint32_t a = 0; a < fixtures[f].players; a++) {
            plays[fixtures[f].bots[a]] = true;
            for (uint32_t b = 0; b < fixtures[f].players; b++)
                table.met[fixtures[f].bots[a]][fixtures[f].bots[b]] |= a != b;
        }
    }
    for (uint32_t bot = 0; bot < table.bots; bot++)
        if (!plays[bot]) {
            table.byes[bot]++;
            table.points[bot] += 2 * (table.players - 1);
        }
}

static Schedule *begin(const ScheduleOptions *options) {
    memset(&table, 0, sizeof table);
    table.bots = options->bots;
    table.players = options->players;
    return make(options);
}

/* The next round before it is played. */
static RoundSeen next_round(Schedule *schedule) {
    uint32_t count = 0;
    while (schedule_next(schedule, &round_fixtures[count]))
        count++;
    return look_at(round_fixtures, count);
}

static void play_round(Schedule *schedule, uint32_t count, Judge *judge) {
    enter(round_fixtures, count, judge);
    for (uint32_t f = 0; f < count; f++)
        add_result(schedule, &round_fixtures[f], judge);
}

static void the_first_round_is_the_upper_half_against_the_lower(void **unused) {
    (void)unused;
    ScheduleOptions options = {.format = FORMAT_SWISS, .bots = 9, .players = 2};
    Schedule *schedule = begin(&options);
    RoundSeen seen = next_round(schedule);
    assert_int_equal(seen.fixtures, 4);
    for (uint32_t f = 0; f < 4; f++) {
        const uint32_t *bots = round_fixtures[f].bots;
        assert_int_equal(bots[0] > bots[1] ? bots[0] - bots[1] : bots[1] - bots[0], 4);
    }
    assert_int_equal(schedule_total(schedule), 4 * 4); /* four rounds for nine bots */
    schedule_free(schedule);
}

static void winners_meet_winners_in_the_second_round(void **unused) {
    (void)unused;
    ScheduleOptions options = {.format = FORMAT_SWISS, .bots = 8, .players = 2};
    Schedule *schedule = begin(&options);
    next_round(schedule);
    play_round(schedule, 4, favourites_win);
    next_round(schedule);
    for (uint32_t f = 0; f < 4; f++) { /* 0v2 1v3 4v6 5v7 */
        const uint32_t *bots = round_fixtures[f].bots;
        assert_int_equal(bots[0] ^ bots[1], 2);
    }
    schedule_free(schedule);
}

static void nine_bots_have_byes_and_no_avoidable_rematch(void **unused) {
    (void)unused;
    static Judge *const judges[] = {favourites_win, favourites_lose, all_draw, random_result};
    for (size_t j = 0; j < 4; j++) {
        ScheduleOptions options = {.format = FORMAT_SWISS, .bots = 9, .players = 2, .rounds = 9};
        Schedule *schedule = begin(&options);
        for (uint32_t round = 1; round <= 9; round++) {
            bool possible = round_without_rematch(false);
            bool fresh = round_without_rematch(true);
            RoundSeen seen = next_round(schedule);
            assert_int_equal(seen.fixtures, 4);
            assert_int_equal(seen.byes, 1);
            assert_true(seen.rematches == 0 || !possible);
            assert_true(seen.bye_fresh || !fresh);
            assert_true(round > 4 || (seen.rematches == 0 && seen.bye_lowest));
            play_round(schedule, 4, judges[j]);
        }
        assert_true(schedule_finished(schedule));
        schedule_free(schedule);
    }
}

/* Every round of small tournaments, as long as they can last, compared with trying all pairings. */
static void rematches_happen_only_if_unavoidable(void **unused) {
    (void)unused;
    uint32_t stuck = 0;
    uint64_t seed_before = judge_seed;
    for (uint32_t bots = 3; bots <= 10; bots++)
        for (uint32_t seed = 0; seed < 40; seed++) {
            ScheduleOptions options = {.format = FORMAT_SWISS,
                                       .bots = bots,
                                       .players = 2,
                                       .rounds = bots - 1 + bots % 2,
                                       .seed = seed};
            judge_seed = seed_before + seed;
            Schedule *schedule = begin(&options);
            for (uint32_t round = 0; round < options.rounds; round++) {
                bool possible = round_without_rematch(false);
                RoundSeen seen = next_round(schedule);
                assert_true((seen.rematches == 0) == possible);
                stuck += !possible;
                play_round(schedule, seen.fixtures, random_result);
            }
            schedule_free(schedule);
        }
    judge_seed = seed_before;
    assert_true(stuck > 0); /* otherwise the test shows little */
}

static void swiss_rounds_of_any_size_are_fair(void **unused) {
    (void)unused;
    uint64_t apart = 0;
    uint64_t fixtures = 0;
    uint64_t seed_before = judge_seed;
    for (uint32_t bots = 11; bots <= 60; bots++)
        for (uint32_t seed = 0; seed < 10; seed++) {
            ScheduleOptions options = {
                .format = FORMAT_SWISS, .bots = bots, .players = 2, .seed = seed};
            judge_seed = seed_before + seed;
            Schedule *schedule = begin(&options);
            while (!schedule_finished(schedule)) {
                RoundSeen seen = next_round(schedule);
                assert_int_equal(seen.fixtures, bots / 2);
                assert_int_equal(seen.byes, bots % 2);
                assert_int_equal(seen.rematches, 0);
                assert_true(seen.bye_fresh && seen.bye_lowest);
                apart += seen.apart;
                fixtures += seen.fixtures;
                play_round(schedule, seen.fixtures, random_result);
            }
            schedule_free(schedule);
        }
    judge_seed = seed_before;
    double mean = (double)apart / 2 / (double)fixtures;
    printf("opponents are %.2f points apart on average\n", mean);
    assert_true(mean < 0.5);
}

static void places_are_by_points_then_by_the_opponents_points(void **unused) {
    (void)unused;
    ScheduleOptions options = {.format = FORMAT_SWISS, .bots = 8, .players = 2};
    Schedule *schedule = begin(&options);
    while (!schedule_finished(schedule)) {
        RoundSeen seen = next_round(schedule);
        play_round(schedule, seen.fixtures, favourites_win);
    }
    /* 0v4 1v5 2v6 3v7, 0v2 1v3 4v6 5v7, 0v1, and of those with one win 2v4 3v5, and 6v7. */
    static const uint32_t points[8] = {6, 4, 4, 4, 2, 2, 2, 0};
    uint32_t places[8];
    assert_true(schedule_places(schedule, places));
    for (uint32_t a = 0; a < 8; a++)
        assert_int_equal(table.points[a], points[a]);
    uint32_t sums[8] = {0};
    for (uint32_t a = 0; a < 8; a++)
        for (uint32_t b = 0; b < 8; b++)
            sums[a] += table.met[a][b] ? points[b] : 0;
    for (uint32_t a = 0; a < 8; a++) {
        uint32_t place = 1;
        for (uint32_t b = 0; b < 8; b++)
            place += points[b] > points[a] || (points[b] == points[a] && sums[b] > sums[a]);
        assert_int_equal(places[a], place);
    }
    assert_true(sums[1] != sums[3]); /* otherwise tie-breaks would not matter */
    schedule_free(schedule);
}

static void if_all_draw_all_share_a_place(void **unused) {
    (void)unused;
    ScheduleOptions options = {.format = FORMAT_SWISS, .bots = 8, .players = 2};
    Tournament all = play(&options, all_draw, 1);
    uint32_t places[8];
    assert_true(schedule_places(all.schedule, places));
    for (uint32_t i = 0; i < 8; i++)
        assert_int_equal(places[i], 1);
    tournament_free(&all);
}

/* Groups: the total of rematches in a tournament. The minimum is unknown; these are known to be
   possible. */
static void groups_of_more_than_two_avoid_rematches(void **unused) {
    (void)unused;
    static const struct {
        uint32_t bots;
        uint32_t players;
        uint32_t rounds;
        uint32_t rematches; /* at most */
    } shapes[] = {{9, 3, 2, 0}, {32, 4, 4, 0}, {30, 4, 4, 0}, {60, 6, 4, 0}, {8, 4, 2, 4}};
    uint64_t seed_before = judge_seed;
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (uint32_t seed = 0; seed < 5; seed++) {
            ScheduleOptions options = {.format = FORMAT_SWISS,
                                       .bots = shapes[s].bots,
                                       .players = shapes[s].players,
                                       .rounds = shapes[s].rounds,
                                       .seed = seed};
            judge_seed = seed_before + seed;
            Schedule *schedule = begin(&options);
            for (uint32_t round = 0; round < shapes[s].rounds; round++) {
                RoundSeen seen = next_round(schedule);
                assert_int_equal(seen.fixtures, shapes[s].bots / shapes[s].players);
                assert_int_equal(seen.byes, shapes[s].bots % shapes[s].players);
                assert_true(seen.rematches <= shapes[s].rematches);
                assert_true(seen.bye_fresh && seen.bye_lowest);
                play_round(schedule, seen.fixtures, random_result);
            }
            assert_true(schedule_finished(schedule));
            schedule_free(schedule);
        }
    judge_seed = seed_before;
}

static void a_round_of_a_thousand_bots_is_made_in_time(void **unused) {
    (void)unused;
    static const uint32_t players[] = {2, 4};
    for (size_t p = 0; p < 2; p++) {
        ScheduleOptions options = {
            .format = FORMAT_SWISS, .bots = 1000, .players = players[p], .rounds = 12};
        int64_t longest = 0;
        Schedule *schedule = begin(&options);
        while (!schedule_finished(schedule)) {
            RoundSeen seen = next_round(schedule);
            assert_int_equal(seen.rematches, 0);
            enter(round_fixtures, seen.fixtures, random_result);
            int64_t start = clock_now();
            for (uint32_t f = 0; f < seen.fixtures; f++)
                add_result(schedule, &round_fixtures[f], random_result);
            int64_t taken = clock_now() - start;
            longest = taken > longest ? taken : longest;
        }
        printf("1,000 bots, %u players: at most %.0f ms per round\n", players[p],
               (double)longest / CLOCK_MS);
        assert_true(longest < 5000 * CLOCK_MS);
        schedule_free(schedule);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_round_is_the_upper_half_against_the_lower),
        cmocka_unit_test(winners_meet_winners_in_the_second_round),
        cmocka_unit_test(nine_bots_have_byes_and_no_avoidable_rematch),
        cmocka_unit_test(rematches_happen_only_if_unavoidable),
        cmocka_unit_test(swiss_rounds_of_any_size_are_fair),
        cmocka_unit_test(places_are_by_points_then_by_the_opponents_points),
        cmocka_unit_test(if_all_draw_all_share_a_place),
        cmocka_unit_test(groups_of_more_than_two_avoid_rematches),
        cmocka_unit_test(a_round_of_a_thousand_bots_is_made_in_time),
    };
    return cmocka_run_group_tests_name("swiss", tests, choose_seed, NULL);
}
