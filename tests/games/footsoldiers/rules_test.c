/* The rules of Footsoldiers, one sentence per test; boards are drawn as text: S A T are player1's
   scout, assassin and tank, s a t are player2's, and a dot is free. The commands and the state in
   the game's original document are tested here. */
#include "base/framing.h"
#include "base/random.h"
#include "games/footsoldiers/footsoldiers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct Fixture {
    FootsoldiersSetup *setup;
    FootsoldiersState *state;
    FootsoldiersOrders orders[2];
    Notes notes;
} Fixture;

/* A board from a drawing. Soldiers have full health, face down, and their destination is their
   square. */
static Fixture *board_with(const char *config, const char *drawing) {
    static const char letters[] = "SATsat";
    Fixture *fixture = calloc(1, sizeof *fixture);
    char *map = strdup(drawing);
    for (char *c = map; *c; c++)
        if (!strchr("12X\n", *c))
            *c = ' ';
    GameFile config_file = {config ? "config" : NULL, slice_of(config ? config : "")};
    GameFile map_file = {"map", slice_of(map)};
    Error error;
    GameSetup *setup = footsoldiers_setup(&config_file, &map_file, 2, &error);
    if (!setup)
        fail_msg("%s", error.text);
    fixture->setup = (FootsoldiersSetup *)setup;
    fixture->state = (FootsoldiersState *)game_state_new(setup);
    footsoldiers_init(setup, 1, &fixture->state->head);
    FootsoldiersSquare at = {0, 0};
    for (const char *c = drawing; *c; c++) {
        const char *letter = strchr(letters, *c);
        if (letter)
            footsoldiers_place(fixture->setup, fixture->state, (uint32_t)(letter - letters) / 3,
                               (FootsoldiersType)((letter - letters) % 3), at, at,
                               FOOTSOLDIERS_DOWN);
        at = *c == '\n' ? (FootsoldiersSquare){0, at.y + 1} : (FootsoldiersSquare){at.x + 1, at.y};
    }
    free(map);
    return fixture;
}

static Fixture *board(const char *drawing) {
    return board_with(NULL, drawing);
}

static void done(Fixture *fixture) {
    free(fixture->state);
    footsoldiers_setup_free(&fixture->setup->head);
    free(fixture);
}

static bool say(Fixture *fixture, uint32_t player, const char *answer, Error *error) {
    return game_footsoldiers.read(&fixture->setup->head, &fixture->state->head, player,
                                  slice_of(answer), &fixture->orders[player].head, &fixture->notes,
                                  error);
}

static void step(Fixture *fixture) {
    const GameOrders *orders[2] = {&fixture->orders[0].head, &fixture->orders[1].head};
    notes_clear(&fixture->notes);
    footsoldiers_step(&fixture->setup->head, &fixture->state->head, orders, &fixture->notes);
}

/* Plays one turn with these answers; NULL: no answer. */
static void turn(Fixture *fixture, const char *first, const char *second) {
    const char *answers[2] = {first, second};
    for (uint32_t player = 0; player < 2; player++) {
        Error error;
        fixture->orders[player] = (FootsoldiersOrders){0};
        if (answers[player] && !say(fixture, player, answers[player], &error))
            fail_msg("%s", error.text);
    }
    step(fixture);
}

static void expect(const Fixture *fixture, const char *drawing) {
    Buffer text = {0};
    game_footsoldiers.draw(&fixture->setup->head, &fixture->state->head, false, &text);
    char *is = strdup(buffer_string(&text));
    *strstr(is, "player1 (") = '\0';
    assert_string_equal(is, drawing);
    free(is);
    buffer_free(&text);
}

static void expect_refusal(const Fixture *fixture, uint32_t who, const char *reason) {
    uint32_t at = 0;
    uint32_t player = 9;
    Slice text;
    assert_true(notes_next_refusal(&fixture->notes, &at, &player, &text));
    assert_int_equal(player, who);
    assert_string_equal(text.at, reason);
    assert_false(notes_next_refusal(&fixture->notes, &at, &player, &text));
}

static FootsoldiersSoldier *soldier_on(const Fixture *fixture, int32_t x, int32_t y) {
    for (uint32_t i = 0; i < fixture->state->soldier_count; i++) {
        FootsoldiersSoldier *soldier = &fixture->state->soldier[i];
        if (soldier->at.x == x && soldier->at.y == y)
            return soldier;
    }
    fail_msg("no soldier at (%d, %d)", x, y);
    abort();
}

static void send_to(const Fixture *fixture, int32_t x, int32_t y, int32_t to_x, int32_t to_y) {
    soldier_on(fixture, x, y)->destination = (FootsoldiersSquare){to_x, to_y};
}

/* ---- setup ---- */

static void without_files_the_default_values_and_map_apply(void **unused) {
    (void)unused;
    GameFile none = {0};
    FootsoldiersSetup *setup = (FootsoldiersSetup *)footsoldiers_setup(&none, &none, 2, NULL);
    static const int64_t numbers[4][3] = {{9, 6, 12}, {6, 5, 2}, {3, 5, 2}, {10, 11, 12}};
    assert_int_equal(setup->initial_money, 10);
    assert_int_equal(setup->money_per_turn, 3);
    assert_int_equal(setup->max_distance, 5);
    assert_int_equal(setup->head.turns_max, 100);
    assert_memory_equal(setup->health, numbers[0], sizeof numbers[0]);
    assert_memory_equal(setup->speed, numbers[1], sizeof numbers[1]);
    assert_memory_equal(setup->damage, numbers[2], sizeof numbers[2]);
    assert_memory_equal(setup->cost, numbers[3], sizeof numbers[3]);
    assert_int_equal(setup->head.talk.memory_kib, 2621440);
    assert_int_equal(setup->head.talk.start_ms, 15000);
    assert_int_equal(setup->base[0].x, 1);
    assert_int_equal(setup->base[0].y, 3);
    assert_int_equal(setup->base[1].x, 65);
    assert_int_equal(setup->base[1].y, 3);
    FootsoldiersState *state = (FootsoldiersState *)game_state_new(&setup->head);
    footsoldiers_init(&setup->head, 1, &state->head);
    assert_int_equal(state->player[0].health, 40);
    assert_int_equal(state->player[1].health, 40);
    Fixture fixture = {.setup = setup, .state = state};
    expect(&fixture, "................XXXXX...XXXXXXXXXXXXXXXXXXX...XXXXX................\n"
                     "X...X............................X............................X...X\n"
                     ".................................X.................................\n"
                     ".1....X.....................................................X....2.\n"
                     ".................................X.................................\n"
                     "X...X............................X............................X...X\n"
                     "................XXXXX...XXXXXXXXXXXXXXXXXXX...XXXXX................\n");
    free(state);
    footsoldiers_setup_free(&setup->head);
}

static void a_configuration_may_omit_fields_at_any_level(void **unused) {
    (void)unused;
    Fixture *fixture = board_with("{\"health\":{\"tank\":20},\"speed\":{},\"total-turns\":7,"
                                  "\"bot-initialisation-time\":2,\"bot-memory-limit-kib\":4096,"
                                  "\"allowed-commands\":{\"py\":\"python3 <bot-file>\"}}",
                                  "1.2");
    assert_int_equal(fixture->setup->health[FOOTSOLDIERS_SCOUT], 9);
    assert_int_equal(fixture->setup->health[FOOTSOLDIERS_TANK], 20);
    assert_int_equal(fixture->setup->speed[FOOTSOLDIERS_ASSASSIN], 5);
    assert_int_equal(fixture->setup->head.turns_max, 7);
    assert_int_equal(fixture->setup->head.talk.start_ms, 2000);
    assert_int_equal(fixture->setup->head.talk.memory_kib, 4096);
    done(fixture);
}

static void the_lines_of_a_map_may_differ_in_length(void **unused) {
    (void)unused;
    Fixture *fixture = board("X\n\n1..X\n.2");
    expect(fixture, "X...\n....\n1..X\n.2..\n");
    done(fixture);
}

static void every_built_in_map_is_valid_and_fair(void **unused) {
    (void)unused;
    for (const GameMap *map = footsoldiers_maps; map->name; map++) {
        GameFile none = {0};
        GameFile file = {map->name, slice_of(map->text)};
        FootsoldiersSetup *setup = (FootsoldiersSetup *)footsoldiers_setup(&none, &file, 2, NULL);
        assert_non_null(setup);
        size_t width = (size_t)setup->width;
        size_t height = (size_t)setup->height;
        size_t differences[2] = {0, 0}; /* when mirrored, and when rotated by half a turn */
        for (size_t y = 0; y < height; y++)
            for (size_t x = 0; x < width; x++) {
                char here = map->text[y * (width + 1) + x];
                char swapped = here == '1' ? '2' : here == '2' ? '1' : here;
                size_t across = width - 1 - x;
                differences[0] += map->text[y * (width + 1) + across] != swapped;
                differences[1] += map->text[(height - 1 - y) * (width + 1) + across] != swapped;
            }
        assert_true(differences[0] == 0 || differences[1] == 0);
        footsoldiers_setup_free(&setup->head);
    }
}

static void check_refused(const char *config, const char *map, const char *message) {
    GameFile config_file = {config ? "c.json" : NULL, slice_of(config ? config : "")};
    GameFile map_file = {map ? "m.txt" : NULL, slice_of(map ? map : "")};
    Error error = {0};
    assert_null(footsoldiers_setup(&config_file, &map_file, 2, &error));
    assert_string_equal(error.text, message);
}

static void an_invalid_configuration_is_rejected_with_file_line_and_field(void **unused) {
    (void)unused;
    static const struct {
        const char *config;
        const char *message;
    } cases[] = {
        {"{\"total-turns\":0}",
         "c.json:1: \"total-turns\" must be a whole number from 1 to 10000, not 0"},
        {"{\"total-turns\":10001}",
         "c.json:1: \"total-turns\" must be a whole number from 1 to 10000, not 10001"},
        {"{\n\n\"initial-money\":-1}",
         "c.json:3: \"initial-money\" must be a whole number from 0 to 1000000000, not -1"},
        {"{\"money-per-turn\":1.5}",
         "c.json:1: \"money-per-turn\" must be a whole number from 0 to 1000000, not 1.5"},
        {"{\"max-distance-from-base\":\"5\"}",
         "c.json:1: \"max-distance-from-base\" must be a whole number from 0 to 1000000, not a "
         "string"},
        {"{\"bot-memory-limit-kib\":0}",
         "c.json:1: \"bot-memory-limit-kib\" must be a whole number from 1024 to 1073741824, not "
         "0"},
        {"{\"bot-initialisation-time\":3601}",
         "c.json:1: \"bot-initialisation-time\" must be a whole number from 1 to 3600, not 3601"},
        {"{\"view-newline\":1}", "c.json:1: \"view-newline\" must be true or false, not a number"},
        {"{\"speed\":6}", "c.json:1: \"speed\" must be an object, not a number"},
        {"{\"speed\":{\n\"scout\":32}}",
         "c.json:2: \"scout\" must be a whole number from 0 to 31, not 32 (in \"speed\")"},
        {"{\"health\":{\"tank\":0}}",
         "c.json:1: \"tank\" must be a whole number from 1 to 1000000000, not 0 (in \"health\")"},
        {"{\"damage\":{\"assassin\":null}}",
         "c.json:1: \"assassin\" must be a whole number from 0 to 1000000000, not null (in "
         "\"damage\")"},
        {"{\"cost\":{\"Scout\":10}}",
         "c.json:1: unknown field \"Scout\"; did you mean \"scout\"? (in \"cost\")"},
        {"{\n\"colour\":3}",
         "c.json:2: unknown field \"colour\"; known: initial-money, money-per-turn, "
         "max-distance-from-base, total-turns, bot-memory-limit-kib, bot-initialisation-time, "
         "allowed-commands, view-newline, health, speed, damage, cost"},
        {"[]", "c.json:1: expected a JSON object, found an array"},
        {"{", "c.json: line 1, column 2: expected a member name in quotes"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_refused(cases[i].config, NULL, cases[i].message);
}

static void an_invalid_map_is_rejected_with_file_line_and_column(void **unused) {
    (void)unused;
    static const struct {
        const char *map;
        const char *message;
    } cases[] = {
        {"1 2\n  o", "m.txt:2:3: expected 1, 2, X or a space, not 'o'"},
        {"1 2\n.", "m.txt:2:1: expected 1, 2, X or a space, not '.'"},
        {"1\t2", "m.txt:1:2: expected 1, 2, X or a space, not the byte 9"},
        {"1 2 \303\244", "m.txt:1:5: expected 1, 2, X or a space, not the byte 195"},
        {"1 2\n X1", "m.txt:2:3: a second 1; the first is in line 1, column 1"},
        {"1 2 2", "m.txt:1:5: a second 2; the first is in line 1, column 3"},
        {"X 2", "m.txt: the map has no 1, the base of player1"},
        {"X 1", "m.txt: the map has no 2, the base of player2"},
        {"", "m.txt: the map has no 1, the base of player1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_refused(NULL, cases[i].map, cases[i].message);
    char large[520];
    memset(large, ' ', 501);
    memcpy(large + 501, "\n12", 4);
    check_refused(NULL, large, "m.txt:1: the line has 501 characters; the limit is 500");
    memset(large, '\n', 500);
    memcpy(large + 500, "12", 3);
    check_refused(NULL, large, "m.txt:501: a map has at most 500 lines");
    GameFile none = {0};
    Error error;
    assert_null(footsoldiers_setup(&none, &none, 3, &error));
    assert_string_equal(error.text, "Footsoldiers is for 2 players, not 3");
}

/* ---- the view ---- */

/* The state in the document, on one line and with its map in the order of the squares. */
static void the_view_matches_the_document(void **unused) {
    (void)unused;
    char map[9 * 80] = "";
    for (int y = 0; y < 4; y++)
        sprintf(map + strlen(map), "%*s\n", 67, y == 1 ? "X" : "");
    map[3 * 68 + 1] = '1';
    map[3 * 68 + 65] = '2';
    Fixture *fixture = board(map);
    turn(fixture, NULL, NULL);
    footsoldiers_place(fixture->setup, fixture->state, 0, FOOTSOLDIERS_ASSASSIN,
                       (FootsoldiersSquare){5, 10}, (FootsoldiersSquare){6, 7}, FOOTSOLDIERS_UP);
    soldier_on(fixture, 5, 10)->health = 5;
    Buffer view = {0};
    game_footsoldiers.view(&fixture->setup->head, &fixture->state->head, 0, &view);
    assert_string_equal(
        buffer_string(&view),
        "{\"you\":\"player1\",\"map\":["
        "{\"type\":\"Base\",\"position\":{\"x\":1,\"y\":3},\"team\":\"player1\"},"
        "{\"position\":{\"x\":5,\"y\":10},\"type\":\"Assassin\",\"health\":5,\"team\":\"player1\","
        "\"destination\":{\"x\":6,\"y\":7},\"attack-direction\":\"Up\"},"
        "{\"type\":\"Base\",\"position\":{\"x\":65,\"y\":3},\"team\":\"player2\"},"
        "{\"position\":{\"x\":66,\"y\":1},\"type\":\"Rock\"}],"
        "\"turns-remaining\":99,"
        "\"player1\":{\"team\":\"player1\",\"money\":13,\"base\":{\"x\":1,\"y\":3},\"health\":40},"
        "\"player2\":{\"team\":\"player2\",\"money\":13,\"base\":{\"x\":65,\"y\":3},\"health\":40}}"
        "\n");
    buffer_clear(&view);
    game_footsoldiers.view(&fixture->setup->head, &fixture->state->head, 1, &view);
    assert_memory_equal(view.data, "{\"you\":\"player2\",\"map\":[", 24);
    buffer_free(&view);
    done(fixture);
}

static void the_map_of_a_view_is_ordered_by_x_then_y(void **unused) {
    (void)unused;
    Fixture *fixture = board(".s.X\n"
                             "X1S.\n"
                             "T..2");
    Buffer view = {0};
    game_footsoldiers.view(&fixture->setup->head, &fixture->state->head, 0, &view);
    static const char *const order[] = {"0,\"y\":1", "0,\"y\":2", "1,\"y\":0", "1,\"y\":1",
                                        "2,\"y\":1", "3,\"y\":0", "3,\"y\":2"};
    const char *at = buffer_string(&view);
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        char entry[40];
        snprintf(entry, sizeof entry, "\"position\":{\"x\":%s}", order[i]);
        at = strstr(at, "\"position\"");
        assert_non_null(at);
        assert_memory_equal(at, entry, strlen(entry));
        at++;
    }
    assert_null(strstr(at, "\"position\""));
    buffer_free(&view);
    done(fixture);
}

static void a_view_ends_with_a_newline_unless_the_configuration_says_otherwise(void **unused) {
    (void)unused;
    static const char *const configs[] = {"{\"view-newline\":true}", "{\"view-newline\":false}"};
    for (int i = 0; i < 2; i++) {
        Fixture *fixture = board_with(configs[i], "1.2");
        Buffer view = {0};
        game_footsoldiers.view(&fixture->setup->head, &fixture->state->head, 0, &view);
        assert_int_equal(view.data[view.length - 1], i ? '}' : '\n');
        assert_ptr_equal(memchr(view.data, '\n', view.length),
                         i ? NULL : view.data + view.length - 1);
        buffer_free(&view);
        done(fixture);
    }
}

/* ---- commands ---- */

static void the_commands_in_the_document_are_accepted(void **unused) {
    (void)unused;
    static const struct {
        const char *answer;
        FootsoldiersOrders orders;
    } cases[] = {
        {"No-op", {{ORDERS_GIVEN, 0}, FOOTSOLDIERS_NO_OP, 0, {0, 0}, {0, 0}, 0, 0}},
        {"Build Scout (1, 2) (3, 4) Up",
         {{ORDERS_GIVEN, 1},
          FOOTSOLDIERS_BUILD,
          FOOTSOLDIERS_SCOUT,
          {1, 2},
          {3, 4},
          FOOTSOLDIERS_UP,
          0}},
        {"Build Assassin (1, 2) (3, 4) Down",
         {{ORDERS_GIVEN, 1},
          FOOTSOLDIERS_BUILD,
          FOOTSOLDIERS_ASSASSIN,
          {1, 2},
          {3, 4},
          FOOTSOLDIERS_DOWN,
          0}},
        {"Build Tank (1, 2) (3, 4) Left",
         {{ORDERS_GIVEN, 1},
          FOOTSOLDIERS_BUILD,
          FOOTSOLDIERS_TANK,
          {1, 2},
          {3, 4},
          FOOTSOLDIERS_LEFT,
          0}},
        {"Move (1, 2) to (3, 4)", {{ORDERS_GIVEN, 1}, FOOTSOLDIERS_MOVE, 0, {1, 2}, {3, 4}, 0, 0}},
        {"Change attack direction (4, 10) to Left",
         {{ORDERS_GIVEN, 1},
          FOOTSOLDIERS_CHANGE_DIRECTION,
          0,
          {4, 10},
          {0, 0},
          FOOTSOLDIERS_LEFT,
          0}},
        {"Change attack direction (4, 10) to Right",
         {{ORDERS_GIVEN, 1},
          FOOTSOLDIERS_CHANGE_DIRECTION,
          0,
          {4, 10},
          {0, 0},
          FOOTSOLDIERS_RIGHT,
          0}},
        {" \tMove (0, 000000002) to (999999999, 4) \r\n",
         {{ORDERS_GIVEN, 1}, FOOTSOLDIERS_MOVE, 0, {0, 2}, {999999999, 4}, 0, 0}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Fixture *fixture = board("1.2");
        memset(&fixture->orders[1], 255, sizeof fixture->orders[1]);
        assert_true(say(fixture, 1, cases[i].answer, NULL));
        assert_memory_equal(&fixture->orders[1], &cases[i].orders, sizeof cases[i].orders);
        done(fixture);
    }
}

static void an_invalid_command_is_rejected_with_the_column_of_the_error(void **unused) {
    (void)unused;
    static const struct {
        const char *answer;
        const char *message;
    } cases[] = {
        {"", "the answer is empty; to do nothing, answer No-op"},
        {" \n", "the answer is empty; to do nothing, answer No-op"},
        {"no-op",
         "\"no-op\" is not a command: column 1: expected No-op, Build, Move or Change attack "
         "direction"},
        {"No-op!", "\"No-op!\" is not a command: column 6: expected the end of the line, as in "
                   "\"No-op\""},
        {"Build Knight (1, 2) (3, 4) Up",
         "\"Build Knight (1, 2) (3, 4) Up\" is not a command: column 7: expected Scout, Assassin "
         "or Tank, as in \"Build Scout (3, 4) (20, 5) Up\""},
        {"Build Scout (1,2) (3, 4) Up",
         "\"Build Scout (1,2) (3, 4) Up\" is not a command: column 15: expected \", \", as in "
         "\"Build Scout (3, 4) (20, 5) Up\""},
        {"Build Scout (1, 2) (3, 4)",
         "\"Build Scout (1, 2) (3, 4)\" is not a command: column 26: expected \" \", as in \"Build "
         "Scout (3, 4) (20, 5) Up\""},
        {"Build Scout (1, 2) (3, 4) up",
         "\"Build Scout (1, 2) (3, 4) up\" is not a command: column 27: expected Down, Left, Up or "
         "Right, as in \"Build Scout (3, 4) (20, 5) Up\""},
        {"Move (1, -2) to (3, 4)",
         "\"Move (1, -2) to (3, 4)\" is not a command: column 10: expected a number, as in \"Move "
         "(3, 4) to (20, 5)\""},
        {"Move (1, 2)  to (3, 4)",
         "\"Move (1, 2)  to (3, 4)\" is not a command: column 12: expected \" to \", as in \"Move "
         "(3, 4) to (20, 5)\""},
        {"Move (1, 2) to (1234567890, 4)",
         "\"Move (1, 2) to (1234567890, 4)\" is not a command: column 17: expected a number of at "
         "most nine digits, as in \"Move (3, 4) to (20, 5)\""},
        {"Change attack direction (4, 10) to Leftwards",
         "\"Change attack direction (4, 10) to Leftwards\" is not a command: column 40: expected "
         "the end of the line, as in \"Change attack direction (3, 4) to Left\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Fixture *fixture = board("1.2");
        Error error = {0};
        assert_false(say(fixture, 0, cases[i].answer, &error));
        assert_string_equal(error.text, cases[i].message);
        done(fixture);
    }
}

static void a_build_is_paid_at_once_and_sets_the_direction(void **unused) {
    (void)unused;
    Fixture *fixture = board("1......2");
    turn(fixture, "Build Scout (1, 0) (1, 0) Right", "No-op");
    expect(fixture, "1S.....2\n");
    assert_int_equal(fixture->notes.refused[0], 0);
    assert_int_equal(fixture->state->player[0].money, 10 - 10 + 3);
    assert_int_equal(fixture->state->player[1].money, 10 + 3);
    assert_int_equal(soldier_on(fixture, 1, 0)->direction, FOOTSOLDIERS_RIGHT);
    assert_int_equal(soldier_on(fixture, 1, 0)->health, 9);
    done(fixture);
}

static void a_new_soldier_moves_and_strikes_in_the_turn_it_is_built(void **unused) {
    (void)unused;
    Fixture *fixture = board("1......2");
    turn(fixture, "Build Scout (1, 0) (9, 0) Right", NULL);
    expect(fixture, "1.....S2\n");
    assert_int_equal(fixture->state->player[1].health, 40 - 3);
    done(fixture);
}

static void a_build_fails_without_money_too_far_away_or_on_an_occupied_square(void **unused) {
    (void)unused;
    static const struct {
        const char *command;
        const char *reason;
    } cases[] = {
        {"Build Tank (1, 0) (1, 0) Up", "Build Tank at (1, 0): it costs 12, and you have 11"},
        {"Build Scout (6, 0) (6, 0) Up",
         "Build Scout at (6, 0): too far, 6 squares from your base; at most 5 are allowed"},
        {"Build Scout (2, 4) (6, 0) Up",
         "Build Scout at (2, 4): too far, 6 squares from your base; at most 5 are allowed"},
        {"Build Scout (0, 0) (6, 0) Up", "Build Scout at (0, 0): occupied by a rock or a base"},
        {"Build Scout (2, 1) (6, 0) Up", "Build Scout at (2, 1): occupied by a rock or a base"},
        {"Build Assassin (2, 0) (6, 0) Up", "Build Assassin at (2, 0): occupied by a soldier"},
        {"Build Assassin (3, 0) (6, 0) Up", "Build Assassin at (3, 0): occupied by a soldier"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Fixture *fixture =
            board_with("{\"initial-money\":11,\"damage\":{\"scout\":0}}", "1.Ss....2\n"
                                                                          "..X......\n");
        turn(fixture, cases[i].command, NULL);
        expect_refusal(fixture, 0, cases[i].reason);
        assert_int_equal(fixture->state->soldier_count, 2);
        assert_int_equal(fixture->state->player[0].money, 11 + 3);
        done(fixture);
    }
}

static void a_build_at_the_maximum_distance_is_allowed_even_off_the_map(void **unused) {
    (void)unused;
    Fixture *fixture = board("1.2");
    turn(fixture, "Build Scout (2, 3) (2, 3) Up", NULL);
    expect(fixture, "1.2\n...\n...\n..S\n");
    done(fixture);
}

static void if_both_build_on_one_square_player1_gets_it(void **unused) {
    (void)unused;
    Fixture *fixture = board("1..2");
    turn(fixture, "Build Scout (1, 0) (1, 0) Up", "Build Scout (1, 0) (1, 0) Up");
    expect(fixture, "1S.2\n");
    expect_refusal(fixture, 1, "Build Scout at (1, 0): occupied by a soldier");
    assert_int_equal(fixture->state->player[1].money, 13);
    done(fixture);
}

static void a_move_gives_a_soldier_a_new_destination(void **unused) {
    (void)unused;
    Fixture *fixture = board("1......\nT......\n......2");
    turn(fixture, "Move (0, 1) to (6, 1)", NULL);
    expect(fixture, "1......\n..T....\n......2\n");
    turn(fixture, NULL, NULL);
    expect(fixture, "1......\n....T..\n......2\n");
    done(fixture);
}

static void a_move_without_an_own_soldier_fails(void **unused) {
    (void)unused;
    Fixture *fixture = board("1.s...2");
    turn(fixture, "Move (1, 0) to (6, 1)", NULL);
    expect_refusal(fixture, 0, "Move (1, 0): no soldier is there");
    turn(fixture, "Move (2, 0) to (6, 1)", NULL);
    expect_refusal(fixture, 0, "Move (2, 0): the soldier there belongs to the enemy");
    assert_int_equal(soldier_on(fixture, 2, 0)->destination.x, 2);
    turn(fixture, NULL, "Change attack direction (3, 0) to Up");
    expect_refusal(fixture, 1, "Change attack direction (3, 0): no soldier is there");
    done(fixture);
}

static void a_change_of_direction_changes_nothing_else(void **unused) {
    (void)unused;
    Fixture *fixture = board("1.s...2");
    turn(fixture, NULL, "Change attack direction (2, 0) to Left");
    assert_int_equal(soldier_on(fixture, 2, 0)->direction, FOOTSOLDIERS_LEFT);
    expect(fixture, "1.s...2\n");
    done(fixture);
}

static void orders_that_cannot_be_read_from_text_are_rejected(void **unused) {
    (void)unused;
    static const FootsoldiersOrders cases[] = {
        {{ORDERS_GIVEN, 1}, FOOTSOLDIERS_BUILD, 3, {1, 1}, {1, 1}, 0, 0},
        {{ORDERS_GIVEN, 1}, FOOTSOLDIERS_BUILD, 0, {1, 1}, {1, 1}, 4, 0},
        {{ORDERS_GIVEN, 1}, FOOTSOLDIERS_BUILD, 0, {1, 1}, {-1, 1}, 0, 0},
        {{ORDERS_GIVEN, 1}, FOOTSOLDIERS_BUILD, 0, {-1, 1}, {1, 1}, 0, 0},
        {{ORDERS_GIVEN, 1}, FOOTSOLDIERS_BUILD, 0, {INT32_MIN, INT32_MIN}, {1, 1}, 0, 0},
        {{ORDERS_GIVEN, 1}, FOOTSOLDIERS_MOVE, 0, {2, 0}, {INT32_MAX, 1}, 0, 0},
        {{ORDERS_GIVEN, 1}, FOOTSOLDIERS_CHANGE_DIRECTION, 0, {2, 0}, {0, 0}, 99, 0},
        {{ORDERS_GIVEN, 1}, 77, 0, {2, 0}, {0, 0}, 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Fixture *fixture = board("1.S...2");
        FootsoldiersSoldier before = fixture->state->soldier[0];
        fixture->orders[0] = cases[i];
        step(fixture);
        assert_int_equal(fixture->notes.refused[0], 1);
        assert_int_equal(fixture->state->soldier_count, 1);
        assert_memory_equal(&fixture->state->soldier[0], &before, sizeof before);
        done(fixture);
    }
}

/* ---- movement ---- */

static void a_soldier_moves_as_many_squares_as_its_speed(void **unused) {
    (void)unused;
    Fixture *fixture = board("1.........\n"
                             "S.........\n"
                             "A.........\n"
                             "T.........\n"
                             ".........2");
    for (int32_t y = 1; y < 4; y++)
        send_to(fixture, 0, y, 20, y);
    step(fixture);
    expect(fixture, "1.........\n"
                    "......S...\n"
                    ".....A....\n"
                    "..T.......\n"
                    ".........2\n");
    done(fixture);
}

static void a_soldier_at_its_destination_stays(void **unused) {
    (void)unused;
    Fixture *fixture = board("1..\n.S.\n..2");
    turn(fixture, NULL, NULL);
    expect(fixture, "1..\n.S.\n..2\n");
    done(fixture);
}

static void soldiers_walk_around_rocks_bases_and_soldiers(void **unused) {
    (void)unused;
    Fixture *fixture = board(".1....\n"
                             ".XXX..\n"
                             "S.aX..\n"
                             ".XXX..\n"
                             "....2.");
    send_to(fixture, 0, 2, 2, 2);
    step(fixture); /* next to the assassin, which is on the destination */
    expect(fixture, ".1....\n"
                    ".XXX..\n"
                    ".SaX..\n"
                    ".XXX..\n"
                    "....2.\n");
    done(fixture);
    fixture = board("1.....\n"
                    ".T.2..");
    send_to(fixture, 1, 1, 4, 1);
    step(fixture);
    expect(fixture, "1.....\n"
                    "..T2..\n");
    step(fixture); /* around the base it would be three more steps, so it waits */
    expect(fixture, "1.....\n"
                    "..T2..\n");
    done(fixture);
}

static void a_soldier_can_walk_off_the_map(void **unused) {
    (void)unused;
    Fixture *fixture = board("1X2\n"
                             "SX.\n"
                             ".X.");
    send_to(fixture, 0, 1, 2, 1);
    step(fixture); /* below the rocks: three steps down and around, three to the right and up */
    expect(fixture, "1X2\n"
                    ".XS\n"
                    ".X.\n");
    done(fixture);
    fixture = board("SX.2\n"
                    "1X..\n"
                    "XX..");
    send_to(fixture, 0, 0, 2, 0);
    step(fixture);
    expect(fixture, ".XS2\n"
                    "1X..\n"
                    "XX..\n");
    done(fixture);
}

static void if_no_square_is_nearer_a_soldier_stays(void **unused) {
    (void)unused;
    Fixture *fixture = board("1....2...\n"
                             ".........\n"
                             ".TX...Xt.\n"
                             ".........");
    send_to(fixture, 1, 2, 5, 2); /* (2, 1) and (2, 3) are no nearer than its own square, */
    send_to(fixture, 7, 2, 3, 2); /* nor are (6, 1) and (6, 3), though their x is smaller */
    step(fixture);
    expect(fixture, "1....2...\n"
                    ".........\n"
                    ".TX...Xt.\n"
                    ".........\n");
    done(fixture);
}

static void at_equal_distance_the_smaller_x_then_the_smaller_y_is_preferred(void **unused) {
    (void)unused;
    Fixture *fixture = board("1......2\n"
                             "........\n"
                             ".T......\n"
                             "........\n"
                             "........");
    send_to(fixture, 1, 2, 6, 4); /* (3, 2), (2, 3) and (1, 4) are equally near */
    step(fixture);
    expect(fixture, "1......2\n"
                    "........\n"
                    "........\n"
                    "........\n"
                    ".T......\n");
    done(fixture);
    fixture = board("1......2\n"
                    "........\n"
                    "......t.\n"
                    "........\n"
                    "........");
    send_to(fixture, 6, 2, 2, 0); /* the same to the left: here the smallest x is straight ahead */
    step(fixture);
    expect(fixture, "1......2\n"
                    "........\n"
                    "....t...\n"
                    "........\n"
                    "........\n");
    done(fixture);
    fixture = board("1.......\n"
                    "........\n"
                    "..AX...2\n"
                    "........\n"
                    "........");
    send_to(fixture, 2, 2, 3, 2); /* a rock: (2, 2) itself is one step away, as near as any other */
    step(fixture);
    expect(fixture, "1.......\n"
                    "........\n"
                    "..AX...2\n"
                    "........\n"
                    "........\n");
    done(fixture);
    fixture = board("1........\n"
                    ".........\n"
                    "A...XX..2\n"
                    ".........\n"
                    "....T....");
    send_to(fixture, 0, 2, 4, 2);
    step(fixture); /* (3, 2), (4, 1) and (4, 3) are one away from the rock */
    expect(fixture, "1........\n"
                    ".........\n"
                    "...AXX..2\n"
                    ".........\n"
                    "....T....\n");
    done(fixture);
    fixture = board("1.......\n"
                    "...A....\n"
                    "..XXX..2\n"
                    "........\n"
                    "........");
    send_to(fixture, 3, 1, 3, 9);
    step(fixture); /* (1, 4) and (5, 4) are equally near */
    expect(fixture, "1.......\n"
                    "........\n"
                    "..XXX..2\n"
                    "........\n"
                    ".A......\n");
    done(fixture);
    fixture = board("1.....X.\n"
                    ".XXX..X.\n"
                    ".TX...X2\n"
                    ".XXX..X.\n"
                    "......X.");
    fixture->setup->speed[FOOTSOLDIERS_TANK] = 4;
    send_to(fixture, 1, 2, 3, 2); /* in a dead end, no square is nearer than its own */
    step(fixture);
    assert_non_null(soldier_on(fixture, 1, 2));
    done(fixture);
    fixture = board("1.....\n"
                    "...X..\n"
                    "T.XXX2\n"
                    "...X..\n"
                    "......");
    fixture->setup->speed[FOOTSOLDIERS_TANK] = 5;
    send_to(fixture, 0, 2, 3, 2); /* (2, 1), (2, 3), (1, 2) are two away: the smallest x */
    step(fixture);
    expect(fixture, "1.....\n"
                    "...X..\n"
                    ".TXXX2\n"
                    "...X..\n"
                    "......\n");
    done(fixture);
    fixture = board("1.....\n"
                    "...X..\n"
                    "TXXXX2\n"
                    "...X..\n"
                    "......");
    fixture->setup->speed[FOOTSOLDIERS_TANK] = 5;
    send_to(fixture, 0, 2, 3, 2); /* (2, 1) and (2, 3) are two away: the smaller y */
    step(fixture);
    expect(fixture, "1.....\n"
                    "..TX..\n"
                    ".XXXX2\n"
                    "...X..\n"
                    "......\n");
    done(fixture);
}

static void player1_moves_first_if_the_turns_remaining_are_even(void **unused) {
    (void)unused;
    for (int odd = 0; odd < 2; odd++) {
        Fixture *fixture = board_with("{\"damage\":{\"tank\":0}}", "1.....2\n"
                                                                   ".T...t.\n"
                                                                   ".......");
        fixture->state->head.turn = (uint32_t)odd; /* 100 remain, or 99 */
        send_to(fixture, 1, 1, 3, 1);
        send_to(fixture, 5, 1, 3, 1);
        step(fixture);
        expect(fixture, odd ? "1.....2\n"
                              "..Tt...\n"
                              ".......\n"
                            : "1.....2\n"
                              "...Tt..\n"
                              ".......\n");
        done(fixture);
    }
}

static void a_players_soldiers_move_in_the_order_of_their_squares(void **unused) {
    (void)unused;
    Fixture *fixture = board("1....2\n"
                             "SS....\n"
                             "......");
    send_to(fixture, 0, 1, 5, 1);
    send_to(fixture, 1, 1, 5, 1);
    step(fixture); /* the left one moves first and takes the square */
    expect(fixture, "1....2\n"
                    "....SS\n"
                    "......\n");
    assert_int_equal(fixture->state->soldier_count, 2);
    done(fixture);
    fixture = board("1XXXX2\n"
                    "T.XXXX\n"
                    "TXXXXX");
    send_to(fixture, 0, 1, 1, 1);
    send_to(fixture, 0, 2, 1, 1);
    step(fixture); /* the upper one leaves, and the lower one follows onto its square */
    expect(fixture, "1XXXX2\n"
                    "TTXXXX\n"
                    ".XXXXX\n");
    done(fixture);
}

/* ---- attack ---- */

static void a_soldier_strikes_the_first_enemy_clockwise_from_its_direction(void **unused) {
    (void)unused;
    static const struct {
        FootsoldiersDirection direction;
        FootsoldiersSquare struck;
    } cases[] = {
        {FOOTSOLDIERS_DOWN, {1, 1}}, /* nobody below: the enemy on the left */
        {FOOTSOLDIERS_LEFT, {1, 1}},
        {FOOTSOLDIERS_UP, {3, 1}}, /* above is a friend */
        {FOOTSOLDIERS_RIGHT, {3, 1}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Fixture *fixture = board("1.S...2\n"
                                 ".tAt...");
        soldier_on(fixture, 2, 1)->direction = (uint8_t)cases[i].direction;
        step(fixture);
        int32_t other = 4 - cases[i].struck.x;
        assert_int_equal(soldier_on(fixture, cases[i].struck.x, 1)->health, 12 - 5);
        assert_int_equal(soldier_on(fixture, other, 1)->health, 12);
        done(fixture);
    }
}

static void clockwise_is_down_left_up_right(void **unused) {
    (void)unused;
    static const FootsoldiersSquare around[] = {{1, 2}, {0, 1}, {1, 0}, {2, 1}};
    for (uint8_t facing = 0; facing < 4; facing++)
        for (uint8_t absent = 0; absent < 4; absent++) {
            Fixture *fixture = board("...\n"
                                     ".A.\n"
                                     "...\n"
                                     "1.2");
            for (uint8_t i = 0; i < 4; i++)
                if (i != absent)
                    footsoldiers_place(fixture->setup, fixture->state, 1, FOOTSOLDIERS_TANK,
                                       around[i], around[i], FOOTSOLDIERS_DOWN);
            soldier_on(fixture, 1, 1)->direction = facing;
            step(fixture);
            uint8_t struck = facing == absent ? (uint8_t)((facing + 1) % 4) : facing;
            for (uint8_t i = 0; i < 4; i++)
                if (i != absent)
                    assert_int_equal(soldier_on(fixture, around[i].x, around[i].y)->health,
                                     i == struck ? 7 : 12);
            done(fixture);
        }
}

static void only_enemy_soldiers_and_the_enemy_base_are_targets(void **unused) {
    (void)unused;
    Fixture *fixture = board("XS2\n"
                             ".1S\n"
                             "...");
    step(fixture);
    assert_int_equal(fixture->state->player[0].health, 40);
    assert_int_equal(fixture->state->player[1].health, 40 - 3 - 3);
    assert_int_equal(soldier_on(fixture, 1, 0)->health, 9);
    done(fixture);
}

static void a_soldier_at_zero_health_still_strikes_and_is_struck(void **unused) {
    (void)unused;
    Fixture *fixture = board("1......2\n"
                             "..AsA...\n"
                             "........");
    soldier_on(fixture, 3, 1)->health = 5;
    soldier_on(fixture, 3, 1)->direction = FOOTSOLDIERS_LEFT;
    step(fixture); /* both assassins strike the scout, and it strikes back */
    expect(fixture, "1......2\n"
                    "..A.A...\n"
                    "........\n");
    assert_int_equal(soldier_on(fixture, 2, 1)->health, 6 - 3);
    assert_int_equal(soldier_on(fixture, 4, 1)->health, 6);
    done(fixture);
    fixture = board("1.Aa...2");
    fixture->state->soldier[0].health = fixture->state->soldier[1].health = 1;
    step(fixture);
    expect(fixture, "1......2\n");
    assert_int_equal(fixture->state->soldier_count, 0);
    done(fixture);
}

static void soldiers_at_zero_health_are_removed_after_all_attacks(void **unused) {
    (void)unused;
    Fixture *fixture = board("1.At...2");
    step(fixture);
    expect(fixture, "1.At...2\n");
    assert_int_equal(soldier_on(fixture, 2, 0)->health, 4);
    assert_int_equal(soldier_on(fixture, 3, 0)->health, 7);
    step(fixture);
    step(fixture); /* three strikes of five, and three of two */
    expect(fixture, "1......2\n");
    done(fixture);
}

/* ---- movement and attack compared with a slow reference ---- */

enum { PLANE = 200, MIDDLE = 80 }; /* large enough for all of these tests */

typedef struct Plane {
    char solid[PLANE][PLANE]; /* [x][y] */
    int steps[PLANE][PLANE];
} Plane;

/* Breadth-first search over the whole plane; then all squares are compared as the rule says. */
static void move_slowly(Plane *plane, FootsoldiersSoldier *soldier, int speed) {
    static int queue[PLANE * PLANE][2];
    int own_x = soldier->at.x + MIDDLE;
    int own_y = soldier->at.y + MIDDLE;
    int goal_x = soldier->destination.x + MIDDLE;
    int goal_y = soldier->destination.y + MIDDLE;
    if (own_x == goal_x && own_y == goal_y)
        return;
    memset(plane->steps, -1, sizeof plane->steps);
    int head = 0;
    int tail = 0;
    plane->steps[own_x][own_y] = 0;
    queue[tail][0] = own_x;
    queue[tail++][1] = own_y;
    while (head < tail) {
        int x = queue[head][0];
        int y = queue[head++][1];
        static const int around[4][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};
        for (int i = 0; i < 4; i++) {
            int next_x = x + around[i][0];
            int next_y = y + around[i][1];
            if (next_x < 0 || next_y < 0 || next_x >= PLANE || next_y >= PLANE ||
                plane->solid[next_x][next_y] || plane->steps[next_x][next_y] >= 0)
                continue;
            plane->steps[next_x][next_y] = plane->steps[x][y] + 1;
            queue[tail][0] = next_x;
            queue[tail++][1] = next_y;
        }
    }
    int best_x = own_x;
    int best_y = own_y;
    for (int x = 0; x < PLANE; x++)
        for (int y = 0; y < PLANE; y++) {
            if (plane->steps[x][y] < 0 || plane->steps[x][y] > speed)
                continue;
            if (abs(x - goal_x) + abs(y - goal_y) < abs(best_x - goal_x) + abs(best_y - goal_y)) {
                best_x = x;
                best_y = y;
            }
        }
    plane->solid[own_x][own_y] = 0;
    plane->solid[best_x][best_y] = 1;
    soldier->at = (FootsoldiersSquare){best_x - MIDDLE, best_y - MIDDLE};
}

static int by_x_then_y(const void *one, const void *other) {
    FootsoldiersSquare left = ((const FootsoldiersSoldier *)one)->at;
    FootsoldiersSquare right = ((const FootsoldiersSoldier *)other)->at;
    return left.x != right.x ? left.x - right.x : left.y - right.y;
}

static void strike_slowly(const FootsoldiersSetup *setup, FootsoldiersState *state, uint32_t by) {
    static const int around[4][2] = {{0, 1}, {-1, 0}, {0, -1}, {1, 0}};
    const FootsoldiersSoldier *attacker = &state->soldier[by];
    int32_t damage = (int32_t)setup->damage[attacker->type];
    for (int i = 0; i < 4; i++) {
        int32_t x = attacker->at.x + around[(attacker->direction + i) % 4][0];
        int32_t y = attacker->at.y + around[(attacker->direction + i) % 4][1];
        FootsoldiersSquare base = setup->base[!attacker->player];
        int32_t *health =
            base.x == x && base.y == y ? &state->player[!attacker->player].health : NULL;
        for (uint32_t j = 0; j < state->soldier_count; j++)
            if (state->soldier[j].at.x == x && state->soldier[j].at.y == y &&
                state->soldier[j].player != attacker->player)
                health = &state->soldier[j].health;
        if (health) {
            *health -= damage;
            return;
        }
    }
}

static void turn_slowly(const FootsoldiersSetup *setup, FootsoldiersState *state) {
    static Plane plane;
    memset(plane.solid, 0, sizeof plane.solid);
    for (uint32_t i = 0; i < setup->fixture_count; i++)
        plane.solid[setup->fixtures[i].at.x + MIDDLE][setup->fixtures[i].at.y + MIDDLE] = 1;
    for (uint32_t i = 0; i < state->soldier_count; i++)
        plane.solid[state->soldier[i].at.x + MIDDLE][state->soldier[i].at.y + MIDDLE] = 1;
    uint32_t remaining = setup->head.turns_max - state->head.turn;
    uint32_t first = remaining % 2 == 0 ? 0 : 1;
    for (uint32_t i = 0; i < state->soldier_count; i++)
        if (state->soldier[i].player == first)
            move_slowly(&plane, &state->soldier[i], (int)setup->speed[state->soldier[i].type]);
    for (uint32_t i = 0; i < state->soldier_count; i++)
        if (state->soldier[i].player != first)
            move_slowly(&plane, &state->soldier[i], (int)setup->speed[state->soldier[i].type]);
    qsort(state->soldier, state->soldier_count, sizeof *state->soldier, by_x_then_y);
    for (uint32_t i = 0; i < state->soldier_count; i++)
        strike_slowly(setup, state, i);
}

/* A map of rocks of random density, with soldiers in and around it that have random
   destinations. */
static Fixture *random_board(Random *random) {
    char config[300];
    snprintf(config, sizeof config,
             "{\"cost\":{\"scout\":0},\"total-turns\":%u,"
             "\"health\":{\"scout\":1000,\"assassin\":1000,\"tank\":1000},"
             "\"speed\":{\"scout\":%u,\"assassin\":%u,\"tank\":%u}}",
             30 + random_below(random, 2), random_below(random, 12),
             random_below(random, random_below(random, 4) ? 7 : 32), random_below(random, 4));
    uint32_t width = 3 + random_below(random, random_below(random, 4) ? 12 : 70);
    uint32_t height = 2 + random_below(random, 12);
    uint32_t density = random_below(random, 45);
    char drawing[80 * 16];
    char *c = drawing;
    for (uint32_t y = 0; y < height; y++) {
        for (uint32_t x = 0; x < width; x++)
            *c++ = random_below(random, 100) < density ? 'X' : '.';
        *c++ = '\n';
    }
    *c = '\0';
    drawing[random_below(random, width - 1)] = '1';
    drawing[(height - 1) * (width + 1) + random_below(random, width - 1)] = '2';
    Fixture *fixture = board_with(config, drawing);
    uint32_t wanted = 1 + random_below(random, random_below(random, 3) ? 10 : 50);
    for (uint32_t i = 0; i < wanted; i++) {
        FootsoldiersSquare at = {(int32_t)random_below(random, width + 6) - 3,
                                 (int32_t)random_below(random, height + 6) - 3};
        FootsoldiersSquare to = {(int32_t)random_below(random, width + 8),
                                 (int32_t)random_below(random, height + 8)};
        bool taken = false;
        for (uint32_t j = 0; j < fixture->setup->fixture_count; j++)
            taken |= memcmp(&fixture->setup->fixtures[j].at, &at, sizeof at) == 0;
        for (uint32_t j = 0; j < fixture->state->soldier_count; j++)
            taken |= memcmp(&fixture->state->soldier[j].at, &at, sizeof at) == 0;
        if (!taken)
            footsoldiers_place(fixture->setup, fixture->state, random_below(random, 2),
                               (FootsoldiersType)random_below(random, 3), at, to,
                               (FootsoldiersDirection)random_below(random, 4));
    }
    fixture->state->player[0].health = fixture->state->player[1].health = 100000;
    return fixture;
}

static void movement_and_attack_match_a_slow_reference(void **unused) {
    (void)unused;
    Random random = random_seeded(20240607);
    uint32_t moved = 0;
    for (int boards = 0; boards < 150; boards++) {
        Fixture *fixture = random_board(&random);
        FootsoldiersState *slow = (FootsoldiersState *)game_state_new(&fixture->setup->head);
        for (int turns = 0; turns < 6; turns++) {
            memcpy(slow, fixture->state, fixture->setup->head.state_size);
            turn_slowly(fixture->setup, slow);
            step(fixture);
            assert_int_equal(slow->soldier_count, fixture->state->soldier_count);
            assert_memory_equal(slow->soldier, fixture->state->soldier,
                                slow->soldier_count * sizeof *slow->soldier);
            for (int player = 0; player < 2; player++)
                assert_int_equal(slow->player[player].health,
                                 fixture->state->player[player].health);
            moved += slow->soldier_count;
        }
        free(slow);
        done(fixture);
    }
    assert_true(moved > 4000);
}

/* ---- money, the counter and the end ---- */

static void at_the_end_of_a_turn_both_are_paid_and_the_counter_decreases(void **unused) {
    (void)unused;
    Fixture *fixture = board_with("{\"money-per-turn\":7}", "1..2");
    assert_int_equal(footsoldiers_turns_remaining(fixture->setup, fixture->state), 100);
    assert_int_equal(fixture->state->player[0].money, 10);
    step(fixture);
    assert_int_equal(footsoldiers_turns_remaining(fixture->setup, fixture->state), 99);
    assert_int_equal(fixture->state->player[0].money, 17);
    assert_int_equal(fixture->state->player[1].money, 17);
    done(fixture);
}

static void check_end(Fixture *fixture, GameEnd end, uint32_t first, uint32_t second) {
    GameResult result;
    footsoldiers_result(&fixture->setup->head, &fixture->state->head, &result);
    assert_int_equal(result.end, end);
    assert_int_equal(fixture->state->head.over, end != END_NONE);
    assert_int_equal(result.rank[0], first);
    assert_int_equal(result.rank[1], second);
    assert_int_equal(game_footsoldiers.is_active(&fixture->setup->head, &fixture->state->head, 0),
                     end == END_NONE);
    done(fixture);
}

static void a_player_without_health_loses_and_two_draw(void **unused) {
    (void)unused;
    for (int both = 0; both < 2; both++) {
        Fixture *fixture = board("s1....2S");
        fixture->state->player[0].health = both ? 3 : 4;
        fixture->state->player[1].health = 2;
        step(fixture);
        assert_int_equal(fixture->state->player[1].health, 0); /* not negative */
        check_end(fixture, END_ELIMINATION, 1, both ? 1 : 2);
    }
    Fixture *fixture = board("s1....2S");
    step(fixture);
    check_end(fixture, END_NONE, 1, 1);
}

static void when_no_turns_remain_the_match_is_a_draw(void **unused) {
    (void)unused;
    Fixture *fixture = board_with("{\"total-turns\":2}", "s1....2.");
    step(fixture);
    assert_int_equal(fixture->state->head.over, 0);
    step(fixture);
    assert_int_equal(fixture->state->player[0].health, 34);
    check_end(fixture, END_TURN_LIMIT, 1, 1);
}

static void health_at_zero_in_the_last_turn_decides_the_match(void **unused) {
    (void)unused;
    Fixture *fixture = board_with("{\"total-turns\":1}", "s1....2.");
    fixture->state->player[0].health = 1;
    step(fixture);
    check_end(fixture, END_ELIMINATION, 2, 1);
}

/* ---- bots that fail ---- */

static void a_bot_is_restarted_four_times_and_skips_turns_after_other_failures(void **unused) {
    (void)unused;
    const GameTalk *talk = &game_footsoldiers.talk;
    assert_int_equal(talk->framing, FRAMING_LINE);
    assert_string_equal(talk->hello, "Ready");
    assert_string_equal(talk->greeting, "");
    assert_int_equal(talk->turn_ms, 1000);
    assert_int_equal(talk->start_ms, 15000);
    assert_int_equal(talk->restarts, 4);
    assert_int_equal(talk->on_exit, FAILURE_RESTARTS);
    assert_int_equal(talk->on_no_hello, FAILURE_RESTARTS);
    assert_int_equal(talk->on_timeout, FAILURE_SKIPS);
    assert_int_equal(talk->on_malformed, FAILURE_SKIPS);
}

static void without_a_command_the_turn_continues_as_usual(void **unused) {
    (void)unused;
    Fixture *fixture = board("1......\nT......\n......2");
    send_to(fixture, 0, 1, 6, 1);
    fixture->orders[0].command = FOOTSOLDIERS_MOVE; /* left over from before; there was no answer */
    fixture->orders[0].head.kind = ORDERS_NONE;
    step(fixture);
    expect(fixture, "1......\n..T....\n......2\n");
    assert_int_equal(fixture->notes.refused[0], 0);
    assert_int_equal(fixture->state->player[0].money, 13);
    done(fixture);
}

static void a_disqualified_player_loses_and_two_draw(void **unused) {
    (void)unused;
    for (uint32_t who = 1; who < 4; who++) {
        Fixture *fixture = board("1..S...2");
        send_to(fixture, 3, 0, 6, 0);
        for (uint32_t player = 0; player < 2; player++)
            fixture->orders[player].head.kind = who >> player & 1 ? ORDERS_FORFEIT : ORDERS_GIVEN;
        step(fixture);
        expect(fixture, "1..S...2\n");
        check_end(fixture, END_FORFEIT, who == 1 ? 2 : 1, who == 2 ? 2 : 1);
    }
}

/* ---- log, drawing and JSON ---- */

static void events_describe_what_happened(void **unused) {
    (void)unused;
    Fixture *fixture = board("1.As..S2");
    fixture->notes.wants_events = true;
    fixture->state->soldier[1].health = 4;
    turn(fixture, "Change attack direction (2, 0) to Right", "Build Scout (4, 0) (4, 0) Up");
    fixture->notes.events[fixture->notes.events_length] = '\0';
    assert_string_equal(
        fixture->notes.events,
        "player1 turns the Assassin at (2, 0) to face right\n"
        "player2 builds a Scout at (4, 0)\n"
        "player1's Assassin at (2, 0) strikes the Scout at (3, 0), which has 0 left\n"
        "player2's Scout at (3, 0) strikes the Assassin at (2, 0), which has 3 left\n"
        "player1's Scout at (6, 0) strikes the base of player2, which has 37 left\n"
        "player2's Scout at (3, 0) falls\n");
    done(fixture);
}

static void the_drawing_has_a_line_for_each_player(void **unused) {
    (void)unused;
    Fixture *fixture = board("1.At2");
    footsoldiers_place(fixture->setup, fixture->state, 1, FOOTSOLDIERS_SCOUT,
                       (FootsoldiersSquare){5000, 1}, (FootsoldiersSquare){1, 1},
                       FOOTSOLDIERS_DOWN);
    Buffer text = {0};
    game_footsoldiers.draw(&fixture->setup->head, &fixture->state->head, false, &text);
    assert_string_equal(
        buffer_string(&text),
        "1.At2\n"
        "player1 (S A T): health 40, money 10, scouts 0, assassins 1, tanks 0\n"
        "player2 (s a t): health 40, money 10, scouts 1, assassins 0, tanks 1, out of sight 1\n");
    buffer_free(&text);
    done(fixture);
}

static void state_and_orders_are_written_as_json(void **unused) {
    (void)unused;
    Fixture *fixture = board("1.2");
    Buffer text = {0};
    game_footsoldiers.state_json(&fixture->setup->head, &fixture->state->head, &text);
    assert_string_equal(
        buffer_string(&text),
        "{\"map\":[{\"type\":\"Base\",\"position\":{\"x\":0,\"y\":0},\"team\":\"player1\"},"
        "{\"type\":\"Base\",\"position\":{\"x\":2,\"y\":0},\"team\":\"player2\"}],"
        "\"turns-remaining\":100,"
        "\"player1\":{\"team\":\"player1\",\"money\":10,\"base\":{\"x\":0,\"y\":0},\"health\":40},"
        "\"player2\":{\"team\":\"player2\",\"money\":10,\"base\":{\"x\":2,\"y\":0},"
        "\"health\":40}}");
    static const char *const cases[][2] = {
        {"No-op", "{\"command\":\"No-op\"}"},
        {"Build Tank (1, 2) (3, 4) Left",
         "{\"command\":\"Build\",\"type\":\"Tank\",\"position\":{\"x\":1,\"y\":2},"
         "\"destination\":{\"x\":3,\"y\":4},\"attack-direction\":\"Left\"}"},
        {"Move (1, 2) to (3, 4)", "{\"command\":\"Move\",\"position\":{\"x\":1,\"y\":2},"
                                  "\"destination\":{\"x\":3,\"y\":4}}"},
        {"Change attack direction (4, 10) to Left",
         "{\"command\":\"Change attack direction\",\"position\":{\"x\":4,\"y\":10},"
         "\"attack-direction\":\"Left\"}"},
        {"nonsense", "null"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (!say(fixture, 0, cases[i][0], NULL))
            fixture->orders[0].head.kind = ORDERS_NONE;
        buffer_clear(&text);
        game_footsoldiers.orders_json(&fixture->setup->head, &fixture->orders[0].head, &text);
        assert_string_equal(buffer_string(&text), cases[i][1]);
    }
    buffer_free(&text);
    done(fixture);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_files_the_default_values_and_map_apply),
        cmocka_unit_test(a_configuration_may_omit_fields_at_any_level),
        cmocka_unit_test(the_lines_of_a_map_may_differ_in_length),
        cmocka_unit_test(every_built_in_map_is_valid_and_fair),
        cmocka_unit_test(an_invalid_configuration_is_rejected_with_file_line_and_field),
        cmocka_unit_test(an_invalid_map_is_rejected_with_file_line_and_column),
        cmocka_unit_test(the_view_matches_the_document),
        cmocka_unit_test(the_map_of_a_view_is_ordered_by_x_then_y),
        cmocka_unit_test(a_view_ends_with_a_newline_unless_the_configuration_says_otherwise),
        cmocka_unit_test(the_commands_in_the_document_are_accepted),
        cmocka_unit_test(an_invalid_command_is_rejected_with_the_column_of_the_error),
        cmocka_unit_test(a_build_is_paid_at_once_and_sets_the_direction),
        cmocka_unit_test(a_new_soldier_moves_and_strikes_in_the_turn_it_is_built),
        cmocka_unit_test(a_build_fails_without_money_too_far_away_or_on_an_occupied_square),
        cmocka_unit_test(a_build_at_the_maximum_distance_is_allowed_even_off_the_map),
        cmocka_unit_test(if_both_build_on_one_square_player1_gets_it),
        cmocka_unit_test(a_move_gives_a_soldier_a_new_destination),
        cmocka_unit_test(a_move_without_an_own_soldier_fails),
        cmocka_unit_test(a_change_of_direction_changes_nothing_else),
        cmocka_unit_test(orders_that_cannot_be_read_from_text_are_rejected),
        cmocka_unit_test(a_soldier_moves_as_many_squares_as_its_speed),
        cmocka_unit_test(a_soldier_at_its_destination_stays),
        cmocka_unit_test(soldiers_walk_around_rocks_bases_and_soldiers),
        cmocka_unit_test(a_soldier_can_walk_off_the_map),
        cmocka_unit_test(if_no_square_is_nearer_a_soldier_stays),
        cmocka_unit_test(at_equal_distance_the_smaller_x_then_the_smaller_y_is_preferred),
        cmocka_unit_test(player1_moves_first_if_the_turns_remaining_are_even),
        cmocka_unit_test(a_players_soldiers_move_in_the_order_of_their_squares),
        cmocka_unit_test(a_soldier_strikes_the_first_enemy_clockwise_from_its_direction),
        cmocka_unit_test(clockwise_is_down_left_up_right),
        cmocka_unit_test(only_enemy_soldiers_and_the_enemy_base_are_targets),
        cmocka_unit_test(a_soldier_at_zero_health_still_strikes_and_is_struck),
        cmocka_unit_test(soldiers_at_zero_health_are_removed_after_all_attacks),
        cmocka_unit_test(movement_and_attack_match_a_slow_reference),
        cmocka_unit_test(at_the_end_of_a_turn_both_are_paid_and_the_counter_decreases),
        cmocka_unit_test(a_player_without_health_loses_and_two_draw),
        cmocka_unit_test(when_no_turns_remain_the_match_is_a_draw),
        cmocka_unit_test(health_at_zero_in_the_last_turn_decides_the_match),
        cmocka_unit_test(a_bot_is_restarted_four_times_and_skips_turns_after_other_failures),
        cmocka_unit_test(without_a_command_the_turn_continues_as_usual),
        cmocka_unit_test(a_disqualified_player_loses_and_two_draw),
        cmocka_unit_test(events_describe_what_happened),
        cmocka_unit_test(the_drawing_has_a_line_for_each_player),
        cmocka_unit_test(state_and_orders_are_written_as_json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
