/* The rules of Aliens, one sentence per test; boards are drawn as text. The drawings and messages
   in the game's original document are tested here. */
#include "base/framing.h"
#include "games/aliens/aliens.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct Fixture {
    AliensSetup *setup;
    AliensState *state;
    AliensOrders *orders[2];
    Notes notes;
} Fixture;

/* A board from drawn rows. Neither player has energy, and none drops during the test. */
static Fixture *board(uint32_t rows, const char *drawing) {
    Fixture *fixture = calloc(1, sizeof *fixture);
    uint32_t cols = (uint32_t)strlen(drawing) / rows;
    char config[120];
    snprintf(config, sizeof config, "{\"rows\":%u,\"cols\":%u,\"energyInterval\":1000}", rows,
             cols);
    GameFile none = {0};
    GameFile file = {"config", slice_of(config)};
    Error error;
    GameSetup *setup = aliens_setup(&file, &none, 2, &error);
    if (!setup)
        fail_msg("%s", error.text);
    fixture->setup = (AliensSetup *)setup;
    fixture->state = (AliensState *)game_state_new(setup);
    aliens_init(setup, 1, &fixture->state->head);
    fixture->state->head.turn = 1;
    fixture->state->energy[0] = fixture->state->energy[1] = 0;
    memcpy(fixture->state->grid, drawing, fixture->setup->cells);
    for (int player = 0; player < 2; player++) {
        fixture->orders[player] = (AliensOrders *)game_orders_new(setup);
        fixture->orders[player]->head.kind = ORDERS_GIVEN;
    }
    return fixture;
}

static void done(Fixture *fixture) {
    free(fixture->orders[0]);
    free(fixture->orders[1]);
    free(fixture->state);
    aliens_setup_free(&fixture->setup->head);
    free(fixture);
}

static void step(Fixture *fixture) {
    const GameOrders *orders[2] = {&fixture->orders[0]->head, &fixture->orders[1]->head};
    aliens_step(&fixture->setup->head, &fixture->state->head, orders, &fixture->notes);
}

static bool say(Fixture *fixture, uint32_t player, const char *answer, Error *error) {
    notes_clear(&fixture->notes);
    return game_aliens.read(&fixture->setup->head, &fixture->state->head, player, slice_of(answer),
                            &fixture->orders[player]->head, &fixture->notes, error);
}

static void expect(const Fixture *fixture, const char *drawing) {
    char is[1000] = "";
    memcpy(is, fixture->state->grid, fixture->setup->cells);
    assert_string_equal(is, drawing);
}

static void check_battle(uint32_t rows, const char *before, const char *after) {
    Fixture *fixture = board(rows, before);
    step(fixture);
    expect(fixture, after);
    done(fixture);
}

/* The four drawings in the document, with rows added to those that are smaller than the smallest
   grid. */
static void two_adjacent_enemies_both_die(void **unused) {
    (void)unused;
    check_battle(4,
                 "....."
                 ".ab.."
                 "....."
                 ".....",
                 "....."
                 ".xx.."
                 "....."
                 ".....");
}

static void a_unit_between_two_enemies_dies(void **unused) {
    (void)unused;
    check_battle(4,
                 "....."
                 ".aba."
                 "....."
                 ".....",
                 "....."
                 ".axa."
                 "....."
                 ".....");
}

static void of_five_units_in_a_cluster_two_survive(void **unused) {
    (void)unused;
    check_battle(4,
                 "...ab"
                 ".aba."
                 "...b."
                 ".....",
                 "...xx"
                 ".axx."
                 "...b."
                 ".....");
}

static void of_ten_units_in_a_cluster_four_survive(void **unused) {
    (void)unused;
    check_battle(4,
                 "...ab."
                 ".bab.."
                 ".bab.."
                 "...ab.",
                 "...xb."
                 ".bxx.."
                 ".bxx.."
                 "...xb.");
}

static void units_move_simultaneously_and_can_swap_places(void **unused) {
    (void)unused;
    Fixture *fixture = board(4, "aa............bb");
    Error error;
    assert_true(say(fixture, 0, "[{\"from\":0,\"to\":1},{\"from\":1,\"to\":0}]", &error));
    step(fixture);
    expect(fixture, "aa............bb");
    done(fixture);
}

static void all_units_that_meet_on_a_square_die_even_one_that_stayed(void **unused) {
    (void)unused;
    Fixture *fixture = board(4, "aaa.....a.....b.");
    Error error;
    assert_true(say(fixture, 0, "[{\"from\":0,\"to\":1},{\"from\":2,\"to\":1}]", &error));
    step(fixture);
    expect(fixture, ".x......a.....b.");
    done(fixture);
}

static void a_unit_that_moves_onto_energy_destroys_it(void **unused) {
    (void)unused;
    Fixture *fixture = board(4, "a..........*...b");
    Error error;
    assert_true(say(fixture, 1, "[{\"from\":15,\"to\":11}]", &error));
    step(fixture);
    expect(fixture, "a..........b....");
    assert_int_equal(fixture->state->energy[1], 0);
    done(fixture);
}

static void energy_goes_to_the_adjacent_player_and_to_nobody_if_both_are_adjacent(void **unused) {
    (void)unused;
    Fixture *fixture = board(5, "a*a.............b.*...a*b");
    step(fixture);
    assert_int_equal(fixture->state->energy[0], 1);
    assert_int_equal(fixture->state->energy[1], 0);
    expect(fixture, "a.a.............b.*...a.b");
    done(fixture);
}

static void a_unit_on_the_enemy_spawn_razes_it_permanently(void **unused) {
    (void)unused;
    Fixture *fixture = board(4, "..........a....b");
    fixture->state->energy[1] = 1;
    step(fixture);
    assert_int_equal(fixture->state->razed[1], 1);
    assert_int_equal(fixture->state->energy[1], 1);
    Buffer view = {0};
    game_aliens.view(&fixture->setup->head, &fixture->state->head, 1, &view);
    assert_non_null(
        strstr(buffer_string(&view), "\"p2\":{\"food\":1,\"spawn\":10,\"spawnDisabled\":true}"));
    buffer_free(&view);
    done(fixture);
}

static void no_unit_spawns_while_the_square_is_occupied(void **unused) {
    (void)unused;
    Fixture *fixture = board(4, ".....a.........b");
    fixture->state->energy[0] = 2;
    step(fixture);
    assert_int_equal(fixture->state->energy[0], 2);
    Error error;
    assert_true(say(fixture, 0, "[{\"from\":5,\"to\":1}]", &error));
    step(fixture);
    assert_int_equal(fixture->state->energy[0], 1);
    expect(fixture, ".a...a.........b");
    done(fixture);
}

static void the_first_turn_spawns_one_unit_each_and_drops_energy_symmetrically(void **unused) {
    (void)unused;
    GameFile none = {0};
    GameSetup *setup = aliens_setup(&none, &none, 2, NULL);
    AliensState *state = (AliensState *)game_state_new(setup);
    for (uint64_t seed = 0; seed < 50; seed++) {
        aliens_init(setup, seed, &state->head);
        GameOrders nothing = {ORDERS_NONE, 0};
        const GameOrders *orders[2] = {&nothing, &nothing};
        aliens_step(setup, &state->head, orders, NULL);
        assert_int_equal(state->grid[21], 'a');
        assert_int_equal(state->grid[378], 'b');
        uint32_t drops = 0;
        for (uint32_t square = 0; square < 400; square++)
            if (state->grid[square] == '*') {
                drops++;
                assert_int_equal(state->grid[399 - square], '*');
            }
        assert_int_equal(drops, 2);
    }
    free(state);
    aliens_setup_free(setup);
}

static void a_player_without_units_loses_and_two_draw(void **unused) {
    (void)unused;
    Fixture *fixture = board(4, "ab..........bb..");
    step(fixture);
    GameResult result;
    aliens_result(&fixture->setup->head, &fixture->state->head, &result);
    assert_int_equal(result.end, END_ELIMINATION);
    assert_int_equal(result.rank[0], 2);
    assert_int_equal(result.rank[1], 1);
    done(fixture);
    fixture = board(4, "ab..............");
    step(fixture);
    aliens_result(&fixture->setup->head, &fixture->state->head, &result);
    assert_int_equal(result.rank[0], 1);
    assert_int_equal(result.rank[1], 1);
    done(fixture);
}

static void the_view_matches_the_document(void **unused) {
    (void)unused;
    GameFile config = {"config", slice_of("{\"rows\":4,\"cols\":4,\"maxTurns\":20}")};
    GameFile none = {0};
    GameSetup *setup = aliens_setup(&config, &none, 2, NULL);
    AliensState *state = (AliensState *)game_state_new(setup);
    aliens_init(setup, 1, &state->head);
    state->energy[0] = state->energy[1] = 0;
    state->grid[5] = 'a';
    state->grid[10] = 'b';
    Buffer view = {0};
    game_aliens.view(setup, &state->head, 0, &view);
    assert_string_equal(
        buffer_string(&view),
        "{\"player\":\"a\",\"state\":{\"rows\":4,\"cols\":4,\"p1\":{\"food\":0,\"spawn\":5},"
        "\"p2\":{\"food\":0,\"spawn\":10},\"grid\":\".....a....b.....\",\"maxTurns\":20,"
        "\"turnsElapsed\":0}}\n");
    buffer_free(&view);
    free(state);
    aliens_setup_free(setup);
}

static void the_answer_in_the_document_is_accepted(void **unused) {
    (void)unused;
    Fixture *fixture = board(5, "............a........a..b");
    Error error;
    assert_true(say(
        fixture, 0,
        "[\n  {\n    \"from\": 12,\n    \"to\": 11\n  },\n  {\n    \"from\": 21,\n    \"to\": 20\n"
        "  }\n]",
        &error));
    assert_int_equal(fixture->orders[0]->head.count, 2);
    step(fixture);
    expect(fixture, "...........a........a...b");
    done(fixture);
}

static void moves_that_are_not_allowed_are_rejected_one_by_one(void **unused) {
    (void)unused;
    static const struct {
        const char *answer;
        const char *reason;
    } cases[] = {
        {"[{\"from\":5,\"to\":7}]", "move from 5 to 7 is not to an adjacent square"},
        {"[{\"from\":5,\"to\":5.5}]", "move from 5 to 5.5 is not between whole numbers"},
        {"[{\"from\":5,\"to\":-1}]", "move from 5 to -1 is off the grid"},
        {"[{\"from\":15,\"to\":14}]", "move from 15 to 14 does not start at one of your units"},
        {"[{\"from\":5,\"to\":4},{\"from\":5,\"to\":6}]",
         "move from 5 to 6 is a second move for that unit"},
        {"[{\"from\":7,\"to\":8}]", "move from 7 to 8 is not to an adjacent square"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Fixture *fixture = board(4, ".....a.a.......b");
        Error error;
        assert_true(say(fixture, 0, cases[i].answer, &error));
        uint32_t at = 0;
        uint32_t player = 9;
        Slice text;
        assert_true(notes_next_refusal(&fixture->notes, &at, &player, &text));
        assert_int_equal(player, 0);
        assert_string_equal(text.at, cases[i].reason);
        assert_int_equal(fixture->notes.refused[0], 1);
        done(fixture);
    }
}

static void staying_and_whole_numbers_with_a_decimal_point_are_allowed(void **unused) {
    (void)unused;
    Fixture *fixture = board(4, ".....a.........b");
    Error error;
    assert_true(say(fixture, 0, "[{\"from\":5.0,\"to\":5,\"why\":\"tired\"}]", &error));
    assert_int_equal(fixture->orders[0]->head.count, 1);
    assert_int_equal(fixture->notes.refused[0], 0);
    done(fixture);
}

static void unknown_members_may_have_any_value(void **unused) {
    (void)unused;
    char deep[200];
    snprintf(deep, sizeof deep, "[{\"from\":5,\"to\":4,\"x\":%.*s%.*s}]", 70,
             "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[", 70,
             "]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]");
    const char *const answers[] = {
        "[{\"from\":5,\"to\":4,\"x\":1,\"x\":2}]",
        "[{\"from\":5,\"to\":4,\"x\":\"\\ud800\"}]",
        deep,
    };
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
        Fixture *fixture = board(4, ".....a.........b");
        Error error = {0};
        if (!say(fixture, 0, answers[i], &error))
            fail_msg("%s", error.text);
        assert_int_equal(fixture->orders[0]->head.count, 1);
        done(fixture);
    }
}

static void an_answer_in_an_invalid_format_is_rejected(void **unused) {
    (void)unused;
    static const char *const answers[] = {
        "x",
        "{}",
        "[1]",
        "[{\"from\":1}]",
        "[{\"to\":1}]",
        "[{\"from\":\"1\",\"to\":2}]",
        "[{\"from\":1,\"to\":null}]",
        "[}",
        "[1,]",
    };
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
        Fixture *fixture = board(4, ".....a.........b");
        Error error = {0};
        assert_false(say(fixture, 0, answers[i], &error));
        assert_true(strlen(error.text) > 10);
        done(fixture);
    }
}

static void a_bot_that_fails_loses_and_two_draw(void **unused) {
    (void)unused;
    for (int both = 0; both < 2; both++) {
        Fixture *fixture = board(4, ".....a.........b");
        fixture->orders[0]->head.kind = ORDERS_FORFEIT;
        fixture->orders[1]->head.kind = both ? ORDERS_FORFEIT : ORDERS_GIVEN;
        step(fixture);
        GameResult result;
        aliens_result(&fixture->setup->head, &fixture->state->head, &result);
        assert_int_equal(result.end, END_FORFEIT);
        assert_int_equal(result.rank[0], both ? 1 : 2);
        assert_int_equal(result.rank[1], 1);
        done(fixture);
    }
}

static void without_a_configuration_the_defaults_apply(void **unused) {
    (void)unused;
    GameFile none = {0};
    AliensSetup *setup = (AliensSetup *)aliens_setup(&none, &none, 2, NULL);
    assert_int_equal(setup->rows, 20);
    assert_int_equal(setup->cols, 20);
    assert_int_equal(setup->head.turns_max, 100);
    assert_int_equal(setup->energy_interval, 3);
    assert_int_equal(setup->spawn[0], 21);
    assert_int_equal(setup->spawn[1], 378);
    assert_int_equal(setup->head.talk.turn_ms, 2000);
    aliens_setup_free(&setup->head);
}

static void enemies_can_swap_places_and_then_fight(void **unused) {
    (void)unused;
    Fixture *fixture = board(4, "ab.a...........b");
    Error error;
    assert_true(say(fixture, 0, "[{\"from\":0,\"to\":1}]", &error));
    assert_true(say(fixture, 1, "[{\"from\":1,\"to\":0}]", &error));
    step(fixture);
    expect(fixture, "xx.a...........b");
    done(fixture);
}

static void three_units_that_meet_on_a_square_die_regardless_of_owner(void **unused) {
    (void)unused;
    Fixture *fixture = board(4, "a.a..b.....a...b");
    Error error;
    assert_true(say(fixture, 0, "[{\"from\":0,\"to\":1},{\"from\":2,\"to\":1}]", &error));
    assert_true(say(fixture, 1, "[{\"from\":5,\"to\":1},{\"from\":15,\"to\":14}]", &error));
    step(fixture);
    expect(fixture, ".x.........a..b.");
    done(fixture);
}

static void units_that_died_in_a_collision_do_not_fight(void **unused) {
    (void)unused;
    Fixture *fixture = board(4, "a.ab........a..b");
    Error error;
    assert_true(say(fixture, 0, "[{\"from\":0,\"to\":1},{\"from\":2,\"to\":1}]", &error));
    assert_true(say(fixture, 1, "[{\"from\":3,\"to\":2}]", &error));
    step(fixture);
    expect(fixture, ".xb.........a..b");
    done(fixture);
}

static void units_at_the_ends_of_neighbouring_rows_are_not_adjacent(void **unused) {
    (void)unused;
    check_battle(4, "...ab...........", "...ab...........");
}

static void marks_of_dead_units_disappear_after_one_turn(void **unused) {
    (void)unused;
    Fixture *fixture = board(4, "ab..........a..b");
    step(fixture);
    expect(fixture, "xx..........a..b");
    step(fixture);
    expect(fixture, "............a..b");
    done(fixture);
}

static void no_unit_spawns_where_one_has_just_died(void **unused) {
    (void)unused;
    Fixture *fixture = board(4, "a....ab........b");
    fixture->state->energy[0] = 1;
    step(fixture);
    expect(fixture, "a....xx........b");
    assert_int_equal(fixture->state->energy[0], 1);
    step(fixture);
    expect(fixture, "a....a.........b");
    assert_int_equal(fixture->state->energy[0], 0);
    done(fixture);
}

static void a_unit_that_has_just_spawned_gathers(void **unused) {
    (void)unused;
    Fixture *fixture = board(4, "**.............b");
    fixture->state->energy[0] = 1;
    step(fixture);
    expect(fixture, "*....a.........b");
    assert_int_equal(fixture->state->energy[0], 1);
    done(fixture);
}

static void an_energy_counts_once_regardless_of_adjacent_units(void **unused) {
    (void)unused;
    Fixture *fixture = board(5, ".a...a*a...a............b");
    step(fixture);
    expect(fixture, ".a...a.a...a............b");
    assert_int_equal(fixture->state->energy[0], 1);
    done(fixture);
}

static void units_gather_every_adjacent_energy(void **unused) {
    (void)unused;
    Fixture *fixture = board(4, "a*..*..........b");
    step(fixture);
    assert_int_equal(fixture->state->energy[0], 2);
    done(fixture);
}

static uint32_t count_energy(const Fixture *fixture) {
    uint32_t found = 0;
    for (uint32_t square = 0; square < fixture->setup->cells; square++)
        found += fixture->state->grid[square] == '*';
    return found;
}

static void energy_drops_when_the_turns_elapsed_are_a_multiple_of_the_interval(void **unused) {
    (void)unused;
    for (uint32_t turn = 0; turn < 12; turn++) {
        Fixture *fixture =
            board(8, "a...............................b...............................");
        fixture->setup->energy_interval = 3;
        fixture->state->head.turn = turn;
        step(fixture);
        uint32_t dropped =
            count_energy(fixture) + fixture->state->energy[0] + fixture->state->energy[1];
        assert_int_equal(dropped > 0, turn % 3 == 0);
        done(fixture);
    }
}

/* Two free pairs are left: squares 0 and 24, and squares 4 and 20. The centre, square 12, is also
   empty. */
static void energy_drops_on_free_pairs_with_equal_probability_and_never_on_the_centre(
    void **unused) {
    (void)unused;
    uint32_t first = 0;
    for (uint64_t seed = 0; seed < 400; seed++) {
        Fixture *fixture = board(5, ".***."
                                    "*****"
                                    "**.**"
                                    "*****"
                                    ".***.");
        fixture->setup->energy_interval = 1;
        fixture->state->random = random_seeded(seed);
        step(fixture);
        assert_int_equal(fixture->state->grid[12], '.');
        bool corners = fixture->state->grid[0] == '*';
        assert_int_equal(fixture->state->grid[24] == '*', corners);
        assert_int_equal(fixture->state->grid[4] == '*', !corners);
        assert_int_equal(fixture->state->grid[20] == '*', !corners);
        first += corners;
        done(fixture);
    }
    assert_in_range(first, 150, 250);
}

static void without_a_free_pair_no_energy_drops(void **unused) {
    (void)unused;
    /* Square 0 is empty, but its counterpart has an x when energy drops. */
    Fixture *fixture = board(4, ".aaa"
                                "aaaa"
                                "aaaa"
                                "aaab");
    fixture->setup->energy_interval = 1;
    Random before = fixture->state->random;
    step(fixture);
    expect(fixture, ".aaa"
                    "aaaa"
                    "aaaa"
                    "aaax");
    assert_memory_equal(&before, &fixture->state->random, sizeof before);
    done(fixture);
}

static void at_the_turn_limit_the_match_is_a_draw(void **unused) {
    (void)unused;
    Fixture *fixture = board(4, "aa.............b");
    fixture->state->head.turn = 98;
    step(fixture);
    assert_int_equal(fixture->state->head.over, 0);
    step(fixture);
    assert_int_equal(fixture->state->head.over, 1);
    GameResult result;
    aliens_result(&fixture->setup->head, &fixture->state->head, &result);
    assert_int_equal(result.end, END_TURN_LIMIT);
    assert_int_equal(result.rank[0], 1);
    assert_int_equal(result.rank[1], 1);
    done(fixture);
}

static void energy_saves_a_player_without_units_only_if_it_can_spawn_in_that_turn(void **unused) {
    (void)unused;
    for (uint32_t razed = 0; razed < 2; razed++) {
        Fixture *fixture = board(4, "ab..b..........b");
        fixture->state->energy[0] = 5;
        fixture->state->razed[0] = razed;
        step(fixture);
        expect(fixture, razed ? "xb..b..........b" : "xb..ba.........b");
        assert_int_equal(fixture->state->head.over, razed);
        assert_int_equal(fixture->state->lost[0], razed);
        assert_int_equal(fixture->state->lost[1], 0);
        done(fixture);
    }
}

static void the_first_allowed_move_of_a_unit_counts(void **unused) {
    (void)unused;
    Fixture *fixture = board(4, ".....a.........b");
    Error error;
    assert_true(say(fixture, 0,
                    "[{\"from\":5,\"to\":15},{\"from\":5,\"to\":1},{\"from\":5,\"to\":5}]",
                    &error));
    assert_int_equal(fixture->orders[0]->head.count, 1);
    assert_int_equal(fixture->notes.refused[0], 2);
    step(fixture);
    expect(fixture, ".a.............b");
    done(fixture);
}

static void the_rules_reject_a_move_off_the_grid(void **unused) {
    (void)unused;
    static const uint8_t moves[] = {ALIENS_UP, ALIENS_RIGHT, ALIENS_RIGHT + 1, 255};
    for (size_t i = 0; i < sizeof moves; i++) {
        Fixture *fixture = board(4, "...a...........b");
        fixture->orders[0]->move[3] = moves[i];
        step(fixture);
        expect(fixture, "...a...........b");
        uint32_t at = 0;
        uint32_t player = 9;
        Slice text;
        assert_true(notes_next_refusal(&fixture->notes, &at, &player, &text));
        assert_int_equal(player, 0);
        assert_string_equal(text.at, "the move of the unit at 3 leads off the grid");
        done(fixture);
    }
}

static void events_describe_what_happened(void **unused) {
    (void)unused;
    Fixture *fixture = board(4, "aa*..b..a*a..b..");
    fixture->notes.wants_events = true;
    fixture->state->energy[1] = 1;
    fixture->state->head.turn = 1;
    Error error;
    assert_true(say(fixture, 0, "[{\"from\":1,\"to\":2},{\"from\":8,\"to\":9}]", &error));
    assert_true(say(fixture, 1, "[{\"from\":13,\"to\":9}]", &error));
    step(fixture);
    fixture->notes.events[fixture->notes.events_length] = '\0';
    assert_string_equal(fixture->notes.events, "a tramples the energy at 2\n"
                                               "a tramples the energy at 9\n"
                                               "a dies in a collision at 9\n"
                                               "b dies in a collision at 9\n"
                                               "the spawn of a is razed\n"
                                               "the spawn of b is razed\n");
    done(fixture);
}

static void an_invalid_configuration_is_rejected_with_file_line_and_field(void **unused) {
    (void)unused;
    static const struct {
        const char *config;
        const char *message;
    } cases[] = {
        {"{\"rows\":3}", "c.json:1: \"rows\" must be a whole number from 4 to 100, not 3"},
        {"{\n\"colour\":3}",
         "c.json:2: unknown field \"colour\"; known: rows, cols, maxTurns, energyInterval"},
        {"{\"cols\":\"20\"}",
         "c.json:1: \"cols\" must be a whole number from 4 to 100, not a string"},
        {"[]", "c.json:1: expected a JSON object, found an array"},
        {"{", "c.json: line 1, column 2: expected a member name in quotes"},
        {"{\"rows\":20}", "c.json:1: \"rows\" is also set in m.json; remove one of them"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        GameFile config = {"c.json", slice_of(cases[i].config)};
        GameFile map = {i == 5 ? "m.json" : NULL, slice_of(aliens_maps[0].text)};
        Error error = {0};
        assert_null(aliens_setup(&config, &map, 2, &error));
        assert_string_equal(error.text, cases[i].message);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_adjacent_enemies_both_die),
        cmocka_unit_test(a_unit_between_two_enemies_dies),
        cmocka_unit_test(of_five_units_in_a_cluster_two_survive),
        cmocka_unit_test(of_ten_units_in_a_cluster_four_survive),
        cmocka_unit_test(units_move_simultaneously_and_can_swap_places),
        cmocka_unit_test(all_units_that_meet_on_a_square_die_even_one_that_stayed),
        cmocka_unit_test(a_unit_that_moves_onto_energy_destroys_it),
        cmocka_unit_test(energy_goes_to_the_adjacent_player_and_to_nobody_if_both_are_adjacent),
        cmocka_unit_test(a_unit_on_the_enemy_spawn_razes_it_permanently),
        cmocka_unit_test(no_unit_spawns_while_the_square_is_occupied),
        cmocka_unit_test(the_first_turn_spawns_one_unit_each_and_drops_energy_symmetrically),
        cmocka_unit_test(a_player_without_units_loses_and_two_draw),
        cmocka_unit_test(the_view_matches_the_document),
        cmocka_unit_test(the_answer_in_the_document_is_accepted),
        cmocka_unit_test(moves_that_are_not_allowed_are_rejected_one_by_one),
        cmocka_unit_test(staying_and_whole_numbers_with_a_decimal_point_are_allowed),
        cmocka_unit_test(unknown_members_may_have_any_value),
        cmocka_unit_test(an_answer_in_an_invalid_format_is_rejected),
        cmocka_unit_test(a_bot_that_fails_loses_and_two_draw),
        cmocka_unit_test(without_a_configuration_the_defaults_apply),
        cmocka_unit_test(enemies_can_swap_places_and_then_fight),
        cmocka_unit_test(three_units_that_meet_on_a_square_die_regardless_of_owner),
        cmocka_unit_test(units_that_died_in_a_collision_do_not_fight),
        cmocka_unit_test(units_at_the_ends_of_neighbouring_rows_are_not_adjacent),
        cmocka_unit_test(marks_of_dead_units_disappear_after_one_turn),
        cmocka_unit_test(no_unit_spawns_where_one_has_just_died),
        cmocka_unit_test(a_unit_that_has_just_spawned_gathers),
        cmocka_unit_test(an_energy_counts_once_regardless_of_adjacent_units),
        cmocka_unit_test(units_gather_every_adjacent_energy),
        cmocka_unit_test(energy_drops_when_the_turns_elapsed_are_a_multiple_of_the_interval),
        cmocka_unit_test(energy_drops_on_free_pairs_with_equal_probability_and_never_on_the_centre),
        cmocka_unit_test(without_a_free_pair_no_energy_drops),
        cmocka_unit_test(at_the_turn_limit_the_match_is_a_draw),
        cmocka_unit_test(energy_saves_a_player_without_units_only_if_it_can_spawn_in_that_turn),
        cmocka_unit_test(the_first_allowed_move_of_a_unit_counts),
        cmocka_unit_test(the_rules_reject_a_move_off_the_grid),
        cmocka_unit_test(events_describe_what_happened),
        cmocka_unit_test(an_invalid_configuration_is_rejected_with_file_line_and_field),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
