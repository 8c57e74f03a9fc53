/* The rules of Aliens, a sentence a test; boards are drawn as text. The drawings and messages of the game's document are here. */
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

/* A board from drawn rows; energy drops are far away in time and the players have none in hand. */
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

/* The four drawings of the document. Rows are added around those that are lower than a grid may be. */
static void two_enemies_side_by_side_both_die(void **unused) {
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

static void the_one_between_two_enemies_dies(void **unused) {
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

static void a_knot_of_five_leaves_two(void **unused) {
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

static void a_knot_of_ten_leaves_four(void **unused) {
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

static void units_move_at_once_and_may_swap_places(void **unused) {
    (void)unused;
    Fixture *fixture = board(4, "aa............bb");
    Error error;
    assert_true(say(fixture, 0, "[{\"from\":0,\"to\":1},{\"from\":1,\"to\":0}]", &error));
    step(fixture);
    expect(fixture, "aa............bb");
    done(fixture);
}

static void all_who_meet_on_a_square_die_also_one_that_stays(void **unused) {
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

static void energy_goes_to_the_one_beside_it_and_to_nobody_when_both_are(void **unused) {
    (void)unused;
    Fixture *fixture = board(5, "a*a.............b.*...a*b");
    step(fixture);
    assert_int_equal(fixture->state->energy[0], 1);
    assert_int_equal(fixture->state->energy[1], 0);
    expect(fixture, "a.a.............b.*...a.b");
    done(fixture);
}

static void a_unit_on_the_enemy_spawn_razes_it_for_good(void **unused) {
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

static void a_spawn_waits_while_its_square_is_taken(void **unused) {
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

static void the_first_turn_spawns_one_unit_each_and_drops_energy_in_symmetry(void **unused) {
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

static void no_units_at_the_end_of_a_turn_is_a_loss_and_for_both_a_tie(void **unused) {
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

static void the_view_is_the_one_of_the_document(void **unused) {
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

static void the_answer_of_the_document_is_understood(void **unused) {
    (void)unused;
    Fixture *fixture = board(5, "............a........a..b");
    Error error;
    assert_true(say(
        fixture, 0,
        "[\n  {\n    \"from\": 12,\n    \"to\": 11\n  },\n  {\n    \"from\": 21,\n    \"to\": 20\n  }\n]",
        &error));
    assert_int_equal(fixture->orders[0]->head.count, 2);
    step(fixture);
    expect(fixture, "...........a........a...b");
    done(fixture);
}

static void moves_that_are_not_allowed_are_refused_one_by_one(void **unused) {
    (void)unused;
    static const struct {
        const char *answer;
        const char *reason;
    } cases[] = {
        {"[{\"from\":5,\"to\":7}]", "move from 5 to 7 is not to an adjacent square"},
        {"[{\"from\":5,\"to\":5.5}]", "move from 5 to 5.5 is no whole number"},
        {"[{\"from\":5,\"to\":-1}]", "move from 5 to -1 is off the grid"},
        {"[{\"from\":15,\"to\":14}]", "move from 15 to 14 does not start at a unit of yours"},
        {"[{\"from\":5,\"to\":4},{\"from\":5,\"to\":6}]",
         "move from 5 to 6 is the second one of that unit"},
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

static void staying_and_whole_numbers_with_a_point_are_fine(void **unused) {
    (void)unused;
    Fixture *fixture = board(4, ".....a.........b");
    Error error;
    assert_true(say(fixture, 0, "[{\"from\":5.0,\"to\":5,\"why\":\"tired\"}]", &error));
    assert_int_equal(fixture->orders[0]->head.count, 1);
    assert_int_equal(fixture->notes.refused[0], 0);
    done(fixture);
}

static void an_invalid_format_is_refused_as_a_whole(void **unused) {
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
        Error error = {""};
        assert_false(say(fixture, 0, answers[i], &error));
        assert_true(strlen(error.text) > 10);
        done(fixture);
    }
}

static void a_bot_that_fails_loses_and_both_tie(void **unused) {
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

static void a_bad_configuration_gets_a_sentence_with_file_line_and_field(void **unused) {
    (void)unused;
    static const struct {
        const char *config;
        const char *message;
    } cases[] = {
        {"{\"rows\":3}", "c.json:1: \"rows\" must be a whole number from 4 to 100, not 3"},
        {"{\n\"colour\":3}",
         "c.json:2: unknown field \"colour\"; known here: rows, cols, maxTurns, energyInterval"},
        {"{\"cols\":\"20\"}",
         "c.json:1: \"cols\" must be a whole number from 4 to 100, not a string"},
        {"[]", "c.json:1: expected a JSON object, found an array"},
        {"{", "c.json: line 1, column 2: a member's name in quotes was expected here"},
        {"{\"rows\":20}",
         "c.json:1: \"rows\" is given here and in the map m.json as well; leave one out"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        GameFile config = {"c.json", slice_of(cases[i].config)};
        GameFile map = {i == 5 ? "m.json" : NULL, slice_of(aliens_maps[0].text)};
        Error error = {""};
        assert_null(aliens_setup(&config, &map, 2, &error));
        assert_string_equal(error.text, cases[i].message);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_enemies_side_by_side_both_die),
        cmocka_unit_test(the_one_between_two_enemies_dies),
        cmocka_unit_test(a_knot_of_five_leaves_two),
        cmocka_unit_test(a_knot_of_ten_leaves_four),
        cmocka_unit_test(units_move_at_once_and_may_swap_places),
        cmocka_unit_test(all_who_meet_on_a_square_die_also_one_that_stays),
        cmocka_unit_test(a_unit_that_moves_onto_energy_destroys_it),
        cmocka_unit_test(energy_goes_to_the_one_beside_it_and_to_nobody_when_both_are),
        cmocka_unit_test(a_unit_on_the_enemy_spawn_razes_it_for_good),
        cmocka_unit_test(a_spawn_waits_while_its_square_is_taken),
        cmocka_unit_test(the_first_turn_spawns_one_unit_each_and_drops_energy_in_symmetry),
        cmocka_unit_test(no_units_at_the_end_of_a_turn_is_a_loss_and_for_both_a_tie),
        cmocka_unit_test(the_view_is_the_one_of_the_document),
        cmocka_unit_test(the_answer_of_the_document_is_understood),
        cmocka_unit_test(moves_that_are_not_allowed_are_refused_one_by_one),
        cmocka_unit_test(staying_and_whole_numbers_with_a_point_are_fine),
        cmocka_unit_test(an_invalid_format_is_refused_as_a_whole),
        cmocka_unit_test(a_bot_that_fails_loses_and_both_tie),
        cmocka_unit_test(a_bad_configuration_gets_a_sentence_with_file_line_and_field),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
