/* The rules of Gems: one behaviour per test. Boards are drawn as text: letters are players, digits
   are gems. */
#include "games/gems/gems.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SIDE = 4 };

typedef struct Match {
    GemsSetup *setup;
    GemsState *state;
    GemsOrders orders[GEMS_PLAYERS_MAX];
    Notes notes;
} Match;

static void give(Match *match, uint32_t player, const char *answer) {
    Error error;
    if (!game_gems.read(&match->setup->head, &match->state->head, player, slice_of(answer),
                        &match->orders[player].head, &match->notes, &error))
        fail_msg("%s", error.text);
}

/* A match with as many players as the drawing has letters. No gem appears beyond those drawn. */
static Match begin(const char *drawing) {
    Match match = {0};
    uint32_t players = strchr(drawing, 'c') ? 3 : 2;
    GameFile config = {"config",
                       slice_of("{\"rows\": 4, \"cols\": 4, \"gems\": 1, \"maxTurns\": 10}")};
    GameFile map = {0};
    Error error;
    GameSetup *setup = gems_setup(&config, &map, players, &error);
    if (!setup)
        fail_msg("%s", error.text);
    match.setup = (GemsSetup *)setup;
    match.state = (GemsState *)game_state_new(setup);
    gems_init(setup, 1, &match.state->head);
    match.setup->gems = 0;
    for (uint32_t square = 0; square < SIDE * SIDE; square++) {
        char c = drawing[square];
        match.state->gem[square] = (uint8_t)(c >= '1' && c <= '3' ? c - '0' : 0);
        if (c >= 'a' && c <= 'c') {
            match.state->player[c - 'a'].row = square / SIDE;
            match.state->player[c - 'a'].col = square % SIDE;
        }
    }
    for (uint32_t player = 0; player < players; player++)
        give(&match, player, "stay");
    return match;
}

static void step(Match *match) {
    const GameOrders *orders[GEMS_PLAYERS_MAX] = {&match->orders[0].head, &match->orders[1].head,
                                                  &match->orders[2].head};
    gems_step(&match->setup->head, &match->state->head, orders, &match->notes);
}

static void expect(const Match *match, const char *drawing) {
    Buffer drawn = {0};
    char board[SIDE * SIDE + 1] = "";
    game_gems.draw(&match->setup->head, &match->state->head, false, &drawn);
    for (uint32_t square = 0; square < SIDE * SIDE; square++)
        board[square] = drawn.data[2 * square];
    buffer_free(&drawn);
    assert_string_equal(board, drawing);
}

static void end(Match *match) {
    gems_setup_free(&match->setup->head);
    free(match->state);
}

static void all_players_move_at_once(void **unused) {
    (void)unused;
    Match match = begin("...."
                        ".ab."
                        "...."
                        "...c");
    give(&match, 0, "right\n");
    give(&match, 1, "left\n");
    give(&match, 2, "up\n");
    step(&match);
    expect(&match, "...."
                   ".ba."
                   "...c"
                   "....");
    end(&match);
}

static void a_move_off_the_board_is_rejected(void **unused) {
    (void)unused;
    Match match = begin("a..."
                        "...."
                        "...."
                        "...b");
    give(&match, 0, "up");
    give(&match, 1, "right");
    step(&match);
    expect(&match, "a..."
                   "...."
                   "...."
                   "...b");
    uint32_t at = 0;
    uint32_t player = 0;
    Slice reason = {0};
    assert_true(notes_next_refusal(&match.notes, &at, &player, &reason));
    assert_true(slice_equals(reason, "the move leads off the board"));
    end(&match);
}

static void a_player_collects_the_gem_it_reaches(void **unused) {
    (void)unused;
    Match match = begin("a3.."
                        "...."
                        "...."
                        "...b");
    give(&match, 0, "right");
    step(&match);
    expect(&match, ".a.."
                   "...."
                   "...."
                   "...b");
    assert_int_equal(match.state->player[0].points, 3);
    end(&match);
}

static void a_gem_that_two_players_reach_at_once_breaks(void **unused) {
    (void)unused;
    Match match = begin("a3b."
                        "...."
                        "...."
                        "....");
    give(&match, 0, "right");
    give(&match, 1, "left");
    step(&match);
    assert_int_equal(match.state->gem[1], 0);
    assert_int_equal(match.state->player[0].points, 0);
    assert_int_equal(match.state->player[1].points, 0);
    end(&match);
}

static void gems_appear_up_to_the_configured_number(void **unused) {
    (void)unused;
    Match match = begin("a..."
                        "...."
                        "...."
                        "...b");
    match.setup->gems = 3;
    step(&match);
    uint32_t gems = 0;
    for (uint32_t square = 0; square < SIDE * SIDE; square++)
        gems += match.state->gem[square] > 0;
    assert_int_equal(gems, 3);
    end(&match);
}

static void no_gem_appears_on_a_full_board(void **unused) {
    (void)unused;
    Match match = begin("a111"
                        "1111"
                        "1111"
                        "111b");
    match.setup->gems = 100;
    step(&match);
    expect(&match, "a111"
                   "1111"
                   "1111"
                   "111b");
    end(&match);
}

static void the_same_seed_gives_the_same_gems(void **unused) {
    (void)unused;
    Match one = begin("a..............b");
    Match two = begin("a..............b");
    gems_init(&one.setup->head, 7, &one.state->head);
    gems_init(&two.setup->head, 7, &two.state->head);
    assert_int_equal(game_digest(&one.state->head), game_digest(&two.state->head));
    gems_init(&two.setup->head, 8, &two.state->head);
    assert_int_not_equal(game_digest(&one.state->head), game_digest(&two.state->head));
    end(&one);
    end(&two);
}

static void most_points_win_at_the_turn_limit(void **unused) {
    (void)unused;
    Match match = begin("a.b."
                        "...."
                        "c..."
                        "....");
    match.state->player[1].points = 4;
    match.state->head.turn = 9;
    step(&match);
    GameResult result;
    gems_result(&match.setup->head, &match.state->head, &result);
    assert_true(match.state->head.over);
    assert_int_equal(result.end, END_TURN_LIMIT);
    assert_int_equal(result.rank[0], 2);
    assert_int_equal(result.rank[1], 1);
    assert_int_equal(result.rank[2], 2);
    assert_int_equal(result.score[1], 4);
    end(&match);
}

static void the_match_continues_without_a_failed_player_while_two_remain(void **unused) {
    (void)unused;
    Match match = begin("a.b."
                        "...."
                        "c..."
                        "....");
    match.state->player[0].points = 9;
    match.orders[0].head.kind = ORDERS_FORFEIT;
    step(&match);
    assert_false(match.state->head.over);
    expect(&match, "..b."
                   "...."
                   "c..."
                   "....");
    match.orders[1].head.kind = ORDERS_FORFEIT;
    step(&match);
    GameResult result;
    gems_result(&match.setup->head, &match.state->head, &result);
    assert_int_equal(result.end, END_FORFEIT);
    assert_int_equal(result.rank[0], 3);
    assert_int_equal(result.rank[1], 2);
    assert_int_equal(result.rank[2], 1);
    end(&match);
}

static void an_unknown_move_is_an_invalid_answer(void **unused) {
    (void)unused;
    Match match = begin("a..............b");
    Error error;
    assert_false(game_gems.read(&match.setup->head, &match.state->head, 0, slice_of("north\n"),
                                &match.orders[0].head, NULL, &error));
    assert_string_equal(error.text, "unknown move \"north\"; use up, down, left, right or stay");
    end(&match);
}

static void the_view_matches_the_rules_page(void **unused) {
    (void)unused;
    Match match = begin("a..2"
                        "...."
                        "..1."
                        "...b");
    Buffer view = {0};
    game_gems.view(&match.setup->head, &match.state->head, 1, &view);
    assert_string_equal(buffer_string(&view),
                        "{\"you\":1,\"turn\":0,\"maxTurns\":10,\"players\":["
                        "{\"row\":0,\"col\":0,\"points\":0,\"playing\":true},"
                        "{\"row\":3,\"col\":3,\"points\":0,\"playing\":true}],"
                        "\"grid\":[\"...2\",\"....\",\"..1.\",\"....\"]}\n");
    buffer_free(&view);
    end(&match);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_players_move_at_once),
        cmocka_unit_test(a_move_off_the_board_is_rejected),
        cmocka_unit_test(a_player_collects_the_gem_it_reaches),
        cmocka_unit_test(a_gem_that_two_players_reach_at_once_breaks),
        cmocka_unit_test(gems_appear_up_to_the_configured_number),
        cmocka_unit_test(no_gem_appears_on_a_full_board),
        cmocka_unit_test(the_same_seed_gives_the_same_gems),
        cmocka_unit_test(most_points_win_at_the_turn_limit),
        cmocka_unit_test(the_match_continues_without_a_failed_player_while_two_remain),
        cmocka_unit_test(an_unknown_move_is_an_invalid_answer),
        cmocka_unit_test(the_view_matches_the_rules_page),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
