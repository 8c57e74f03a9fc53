/* The rules of Underworld, one sentence per test; boards are drawn as text with two letters per
   cell: the object and its owner. The messages and commands in the game's original document are
   tested here. */
#include "base/framing.h"
#include "base/random.h"
#include "games/underworld/underworld.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct Fixture {
    UnderworldSetup *setup;
    UnderworldState *state;
    UnderworldOrders *orders[GAME_PLAYERS_MAX];
    Notes notes;
} Fixture;

static const GameFile none = {0};

/* A match before its first turn; the test fails if the configuration is invalid. */
static Fixture *match_of(const char *config, uint32_t players) {
    GameFile file = {config ? "c.json" : NULL, slice_of(config ? config : "")};
    Error error;
    GameSetup *setup = underworld_setup(&file, &none, players, &error);
    if (!setup) {
        fail_msg("%s", error.text);
        abort();
    }
    Fixture *fixture = calloc(1, sizeof *fixture);
    fixture->setup = (UnderworldSetup *)setup;
    fixture->state = (UnderworldState *)game_state_new(setup);
    underworld_init(setup, 1, &fixture->state->head);
    for (uint32_t player = 0; player < setup->players; player++) {
        fixture->orders[player] = (UnderworldOrders *)game_orders_new(setup);
        fixture->orders[player]->head.kind = ORDERS_GIVEN;
    }
    return fixture;
}

/* A match with only castles, in the first cells. `rules` is the content of the configuration's
   "rules". */
static Fixture *match_on(uint32_t size_x, uint32_t size_y, uint32_t players, const char *rules) {
    Buffer text = {0};
    buffer_format(&text, "{\"sizex\":%u,\"sizey\":%u,\"rules\":{%s},\"objects\":[", size_x, size_y,
                  rules);
    for (uint32_t player = 0; player < players; player++)
        buffer_format(&text, "%s{\"x\":%u,\"y\":%u,\"type\":\"C\",\"owner\":%u}", player ? "," : "",
                      player % size_x, player / size_x, player);
    buffer_text(&text, "]}");
    Fixture *fixture = match_of(buffer_string(&text), players);
    buffer_free(&text);
    return fixture;
}

/* Removes everything from the board. */
static void clear(Fixture *fixture) {
    UnderworldSetup *setup = fixture->setup;
    memset(underworld_grid(setup, fixture->state), 0, setup->head.state_size - setup->grid_offset);
    fixture->state->object_count = 0;
    fixture->state->head.used = setup->objects_offset;
}

/* A board as drawn. Everyone has 3000 money. */
static Fixture *board_with(const char *rules, uint32_t players, const char *drawing) {
    uint32_t size_x = ((uint32_t)strcspn(drawing, "\n") + 1) / 3;
    uint32_t size_y = ((uint32_t)strlen(drawing) + 1) / (size_x * 3);
    Fixture *fixture = match_on(size_x, size_y, players, rules);
    clear(fixture);
    for (uint32_t y = 0; y < size_y; y++)
        for (uint32_t x = 0; x < size_x; x++) {
            const char *cell = drawing + (size_t)3 * (y * size_x + x);
            if (*cell != '.')
                underworld_put(fixture->setup, fixture->state, x, y, (uint8_t)cell[0],
                               cell[0] == '#' ? 0 : (uint32_t)(cell[1] - '0'));
        }
    return fixture;
}

static Fixture *board(const char *drawing) {
    return board_with("", 3, drawing);
}

static void done(Fixture *fixture) {
    for (uint32_t player = 0; player < fixture->setup->head.players; player++)
        free(fixture->orders[player]);
    free(fixture->state);
    underworld_setup_free(&fixture->setup->head);
    free(fixture);
}

static bool say(Fixture *fixture, uint32_t player, const char *answer, Error *error) {
    return game_underworld.read(&fixture->setup->head, &fixture->state->head, player,
                                slice_of(answer), &fixture->orders[player]->head, &fixture->notes,
                                error);
}

/* Plays a turn with the answers of the first three players (NULL: none), then clears them. */
static void turn(Fixture *fixture, const char *first, const char *second, const char *third) {
    const char *answers[] = {first, second, third};
    const GameOrders *orders[GAME_PLAYERS_MAX];
    notes_clear(&fixture->notes);
    for (uint32_t player = 0; player < fixture->setup->head.players; player++) {
        orders[player] = &fixture->orders[player]->head;
        if (player < 3 && answers[player])
            assert_true(say(fixture, player, answers[player], NULL));
    }
    underworld_step(&fixture->setup->head, &fixture->state->head, orders, &fixture->notes);
    for (uint32_t player = 0; player < fixture->setup->head.players; player++)
        fixture->orders[player]->head = (GameOrders){ORDERS_GIVEN, 0};
}

static void expect(Fixture *fixture, const char *drawing) {
    const UnderworldCell *grid = underworld_grid(fixture->setup, fixture->state);
    Buffer is = {0};
    for (uint32_t y = 0; y < fixture->setup->size_y; y++)
        for (uint32_t x = 0; x < fixture->setup->size_x; x++) {
            UnderworldCell cell = grid[underworld_cell(fixture->setup, x, y)];
            char whose = cell.side ? (char)('0' + cell.side - 1) : cell.kind ? '#' : '.';
            buffer_char(&is, cell.kind ? (char)cell.kind : '.');
            buffer_char(&is, whose);
            buffer_char(&is, x + 1 < fixture->setup->size_x ? ' ' : '\n');
        }
    is.length--;
    assert_string_equal(buffer_string(&is), drawing);
    buffer_free(&is);
}

static UnderworldObject *at(Fixture *fixture, uint32_t x, uint32_t y) {
    UnderworldCell cell =
        underworld_grid(fixture->setup, fixture->state)[underworld_cell(fixture->setup, x, y)];
    assert_int_not_equal(cell.side, 0);
    return &underworld_objects(fixture->setup, fixture->state)[cell.object];
}

static int64_t *money(Fixture *fixture, uint32_t player) {
    return &fixture->state->players[player].money;
}

/* The first reason for a rejected order of the player in the last turn, or "". */
static const char *refusal(const Fixture *fixture, uint32_t player) {
    uint32_t place = 0;
    uint32_t whose;
    Slice text;
    while (notes_next_refusal(&fixture->notes, &place, &whose, &text))
        if (whose == player)
            return text.at;
    return "";
}

static GameResult result(const Fixture *fixture) {
    GameResult is;
    underworld_result(&fixture->setup->head, &fixture->state->head, &is);
    return is;
}

static bool is_active(const Fixture *fixture, uint32_t player) {
    return game_underworld.is_active(&fixture->setup->head, &fixture->state->head, player);
}

static void expect_view(const Fixture *fixture, uint32_t player, const char *text) {
    Buffer view = {0};
    game_underworld.view(&fixture->setup->head, &fixture->state->head, player, &view);
    assert_string_equal(buffer_string(&view), text);
    buffer_free(&view);
}

/* ---- setup ---- */

static void the_default_map_is_for_four_with_3000_money(void **unused) {
    (void)unused;
    Fixture *fixture = match_of(NULL, 0);
    assert_int_equal(fixture->setup->head.players, 4);
    assert_int_equal(fixture->setup->head.turns_max, 1000);
    for (uint32_t player = 0; player < 4; player++)
        assert_int_equal(*money(fixture, player), 3000);
    expect(fixture, "C0 .. .. .. .. .. .. .. B3 C3\n"
                    "B0 .. .. .. .. .. .. .. .. ..\n"
                    ".. .. .. .. .. .. .. .. .. ..\n"
                    ".. .. .. .. .. .. .. .. .. ..\n"
                    ".. .. .. .. ## ## .. .. .. ..\n"
                    ".. .. .. .. ## ## .. .. .. ..\n"
                    ".. .. .. .. .. .. .. .. .. ..\n"
                    ".. .. .. .. .. .. .. .. .. ..\n"
                    ".. .. .. .. .. .. .. .. .. B1\n"
                    "C2 B2 .. .. .. .. .. .. .. C1");
    done(fixture);
}

static void there_is_a_map_for_two(void **unused) {
    (void)unused;
    Fixture *fixture = match_of("{\"money\": 4000}", 2);
    assert_int_equal(*money(fixture, 1), 4000);
    expect(fixture, "C0 .. .. .. .. .. .. .. .. ..\n"
                    "B0 .. .. .. .. .. .. .. .. ..\n"
                    ".. .. .. .. .. .. .. .. .. ..\n"
                    ".. .. .. .. .. .. .. .. .. ..\n"
                    ".. .. .. .. ## ## .. .. .. ..\n"
                    ".. .. .. .. ## ## .. .. .. ..\n"
                    ".. .. .. .. .. .. .. .. .. ..\n"
                    ".. .. .. .. .. .. .. .. .. ..\n"
                    ".. .. .. .. .. .. .. .. .. B1\n"
                    ".. .. .. .. .. .. .. .. .. C1");
    done(fixture);
}

static void every_built_in_map_is_valid_for_its_number_of_players(void **unused) {
    (void)unused;
    for (const GameMap *map = underworld_maps; map->name; map++)
        for (int given = 0; given < 2; given++) {
            GameFile file = {map->name, slice_of(map->text)};
            Error error = {0};
            GameSetup *setup = underworld_setup(&none, &file, given ? map->players : 0, &error);
            assert_string_equal(error.text, "");
            assert_non_null(setup);
            assert_int_equal(setup->players, map->players);
            underworld_setup_free(setup);
        }
}

static void the_default_values_match_the_table(void **unused) {
    (void)unused;
    Fixture *fixture = match_of(NULL, 4);
    const UnderworldSetup *setup = fixture->setup;
    assert_int_equal(setup->castle.hitpoints, 10000);
    assert_int_equal(setup->barracks.hitpoints, 1500);
    assert_int_equal(setup->barracks.cost, 1500);
    assert_int_equal(setup->farm.hitpoints, 1000);
    assert_int_equal(setup->farm.cost, 1000);
    assert_int_equal(setup->income, 50);
    assert_int_equal(setup->warrior.hitpoints, 500);
    assert_int_equal(setup->warrior.cost, 500);
    assert_int_equal(setup->damage, 100);
    assert_int_equal(setup->range, 2);
    assert_int_equal(setup->vision, 0);
    done(fixture);
}

static void every_value_can_be_configured(void **unused) {
    (void)unused;
    Fixture *fixture =
        match_of("{\"maxTurns\": 7, \"money\": 11, \"rules\": {\"castle\": {\"hitpoints\": 1}, "
                 "\"barracks\": {\"hitpoints\": 2, \"cost\": 3}, "
                 "\"farm\": {\"hitpoints\": 4, \"cost\": 5, \"income\": 6}, "
                 "\"warrior\": {\"hitpoints\": 7, \"cost\": 8, \"damage\": 9, \"range\": 10}, "
                 "\"vision\": 12}}",
                 4);
    const UnderworldSetup *setup = fixture->setup;
    assert_int_equal(setup->head.turns_max, 7);
    assert_int_equal(*money(fixture, 3), 11);
    assert_int_equal(setup->castle.hitpoints, 1);
    assert_int_equal(setup->barracks.hitpoints, 2);
    assert_int_equal(setup->barracks.cost, 3);
    assert_int_equal(setup->farm.hitpoints, 4);
    assert_int_equal(setup->farm.cost, 5);
    assert_int_equal(setup->income, 6);
    assert_int_equal(setup->warrior.hitpoints, 7);
    assert_int_equal(setup->warrior.cost, 8);
    assert_int_equal(setup->damage, 9);
    assert_int_equal(setup->range, 10);
    assert_int_equal(setup->vision, 12);
    assert_int_equal(at(fixture, 0, 0)->hitpoints, 1);
    done(fixture);
}

static void the_configuration_may_name_the_bots_and_thus_their_number(void **unused) {
    (void)unused;
    Fixture *fixture = match_of("{\"players\": [{\"name\": \"one\", \"command\": \"./a b\"}, "
                                "{\"name\": \"two\", \"command\": \"python3 c.py\"}]}",
                                0);
    assert_int_equal(fixture->setup->head.players, 2);
    assert_string_equal(fixture->setup->head.seats[0].name, "one");
    assert_string_equal(fixture->setup->head.seats[0].command, "./a b");
    assert_string_equal(fixture->setup->head.seats[1].command, "python3 c.py");
    done(fixture);
}

static void the_configuration_may_be_a_file_of_the_original_server(void **unused) {
    (void)unused;
    Fixture *fixture = match_of(
        "{\"players\": ["
        "{\"exeName\": \"python3 bots/one.py\", \"type\" : \"process\", \"name\": \"bot\", "
        "\"trusted\": false},"
        "{\"exeName\": \"./two\", \"type\": \"process\", \"name\": \"bot\"}],"
        "\"money\": 3000, \"sizex\": 3, \"sizey\": 1, \"maxTurns\": 10, \"objects\": ["
        "{\"x\": 0, \"y\": 0, \"type\": \"C\", \"owner\": 0},"
        "{\"x\": 1, \"y\": 0, \"type\": \"#\", \"owner\": -1},"
        "{\"x\": 2, \"y\": 0, \"type\": \"C\", \"owner\": 1}]}",
        0);
    assert_int_equal(fixture->setup->head.players, 2);
    assert_string_equal(fixture->setup->head.seats[0].name, "bot");
    assert_string_equal(fixture->setup->head.seats[0].command, "python3 bots/one.py");
    assert_string_equal(fixture->setup->head.seats[1].command, "./two");
    done(fixture);
}

static void configuration_and_map_may_be_one_file_or_two(void **unused) {
    (void)unused;
    static const char inside[] =
        "\"sizex\":2,\"sizey\":1,\"objects\":[{\"x\":0,\"y\":0,\"type\":\"C\",\"owner\":1},"
        "{\"x\":1,\"y\":0,\"type\":\"C\",\"owner\":0}]";
    char one[400];
    char two[400];
    snprintf(one, sizeof one, "{\"money\":5,%s}", inside);
    snprintf(two, sizeof two, "{%s}", inside);
    GameFile whole = {"whole", slice_of(one)};
    GameFile map = {"map", slice_of(two)};
    GameFile rest = {"rest", slice_of("{\"money\":5}")};
    GameSetup *first = underworld_setup(&whole, &none, 2, NULL);
    GameSetup *second = underworld_setup(&rest, &map, 2, NULL);
    assert_non_null(first);
    assert_non_null(second);
    assert_int_equal(first->state_size, second->state_size);
    assert_memory_equal(((UnderworldSetup *)first)->initial, ((UnderworldSetup *)second)->initial,
                        first->state_size);
    underworld_setup_free(first);
    underworld_setup_free(second);
}

/* ---- views and answers ---- */

static void the_first_view_begins_with_the_size_line(void **unused) {
    (void)unused;
    static const char view[] = "10 10 4 2\n"
                               "money 3000\n"
                               "0 0 0 C 10000\n"
                               "8 0 3 B 1500\n"
                               "9 0 3 C 10000\n"
                               "0 1 0 B 1500\n"
                               "4 4 -1 # -1\n"
                               "5 4 -1 # -1\n"
                               "4 5 -1 # -1\n"
                               "5 5 -1 # -1\n"
                               "9 8 1 B 1500\n"
                               "0 9 2 C 10000\n"
                               "1 9 2 B 1500\n"
                               "9 9 1 C 10000\n"
                               "end\n";
    Fixture *fixture = match_of(NULL, 4);
    expect_view(fixture, 2, view);
    turn(fixture, NULL, NULL, NULL);
    expect_view(fixture, 2, strchr(view, '\n') + 1);
    done(fixture);
}

/* `money 1000`, a wall at (12, 42), and a warrior of player 0 at (13, 1) that has 41 hitpoints. */
static void view_lines_match_the_document(void **unused) {
    (void)unused;
    Fixture *fixture = match_on(20, 50, 2, "");
    fixture->state->head.turn = 1;
    *money(fixture, 0) = 1000;
    underworld_put(fixture->setup, fixture->state, 13, 1, UNDERWORLD_WARRIOR, 0);
    underworld_put(fixture->setup, fixture->state, 12, 42, UNDERWORLD_WALL, 0);
    at(fixture, 13, 1)->hitpoints = 41;
    expect_view(fixture, 0,
                "money 1000\n"
                "0 0 0 C 10000\n"
                "1 0 1 C 10000\n"
                "13 1 0 W 41\n"
                "12 42 -1 # -1\n"
                "end\n");
    done(fixture);
}

/* The program splits every line at blanks and reads the third word of an object as its owner and
   the fourth as its type, until the line `end`. */
static void the_program_in_the_document_can_play(void **unused) {
    (void)unused;
    Fixture *fixture = board("C0 B0 ..\n"
                             ".. W0 ..\n"
                             ".. .. C1");
    Buffer view = {0};
    Buffer answer = {0};
    fixture->state->head.turn = 1;
    game_underworld.view(&fixture->setup->head, &fixture->state->head, 0, &view);
    Slice rest = {view.data, view.length};
    Slice line;
    while (slice_line(&rest, &line) && !slice_equals(line, "end")) {
        Slice words[5];
        uint32_t count = 0;
        while (count < 5 && slice_word(&line, &words[count]))
            count++;
        if (slice_equals(words[0], "money")) {
            assert_int_equal(count, 2);
            continue;
        }
        int64_t owner;
        assert_int_equal(count, 5);
        assert_true(slice_int(words[2], &owner));
        if (owner == 0 && (*words[3].at == 'W' || *words[3].at == 'B'))
            buffer_format(&answer, "%s %.*s %.*s E\n", *words[3].at == 'W' ? "move" : "spawn",
                          SLICE_ARGS(words[0]), SLICE_ARGS(words[1]));
    }
    assert_int_equal(rest.length, 0);
    buffer_text(&answer, "build 0 1 F\nend\n");
    turn(fixture, buffer_string(&answer), NULL, NULL);
    expect(fixture, "C0 B0 W0\n"
                    "F0 .. W0\n"
                    ".. .. C1");
    buffer_free(&view);
    buffer_free(&answer);
    done(fixture);
}

static void handshake_and_limits_match_the_document(void **unused) {
    (void)unused;
    const GameTalk *talk = &game_underworld.talk;
    assert_string_equal(talk->greeting, "Who are you?\n");
    assert_string_equal(talk->hello, "crayfish");
    assert_int_equal(talk->framing, FRAMING_END_LINE);
    assert_int_equal(talk->turn_ms, 1000);
    assert_int_equal(talk->start_ms, 5000);
    assert_int_equal(talk->answer_limit, 2 * 1024 * 1024);
    assert_int_equal(talk->on_timeout, FAILURE_FORFEITS);
    assert_int_equal(talk->on_exit, FAILURE_FORFEITS);
    assert_int_equal(talk->on_malformed, FAILURE_FORFEITS);
    assert_int_equal(talk->on_no_hello, FAILURE_FORFEITS);
}

static void with_limited_vision_a_player_sees_walls_and_what_is_near_its_objects(void **unused) {
    (void)unused;
    Fixture *fixture = board_with("\"vision\":2", 2,
                                  "W0 .. W1 W1 ## ..\n"
                                  ".. W1 .. .. .. ..\n"
                                  "W1 .. W1 .. .. ..\n"
                                  "W1 .. .. .. .. C0\n"
                                  ".. .. .. W1 W1 ..");
    fixture->state->head.turn = 1;
    expect_view(fixture, 0,
                "money 3000\n"
                "0 0 0 W 500\n"
                "2 0 1 W 500\n"
                "4 0 -1 # -1\n"
                "1 1 1 W 500\n"
                "0 2 1 W 500\n"
                "5 3 0 C 10000\n"
                "4 4 1 W 500\n"
                "end\n");
    done(fixture);
}

static void the_commands_in_the_document_are_accepted(void **unused) {
    (void)unused;
    static const UnderworldOrder wanted[] = {{UNDERWORLD_MOVE, 'N', 1, 2},
                                             {UNDERWORLD_SPAWN, 'S', 3, 4},
                                             {UNDERWORLD_BUILD, 'F', 5, 6},
                                             {UNDERWORLD_BUILD, 'B', 7, 8}};
    Fixture *fixture = match_on(10, 10, 2, "");
    const UnderworldOrders *orders = fixture->orders[0];
    assert_true(say(fixture, 0,
                    "    move  1 2 N\r\n  spawn 3 4 S \n\nbuild 5 6 F\nbuild 7 8 B\nend\n", NULL));
    assert_int_equal(orders->head.count, 4);
    assert_memory_equal(orders->order, wanted, sizeof wanted);
    assert_int_equal(fixture->notes.refused[0], 0);
    Buffer json = {0};
    game_underworld.orders_json(&fixture->setup->head, &orders->head, &json);
    assert_string_equal(buffer_string(&json),
                        "[{\"command\":\"move\",\"x\":1,\"y\":2,\"dir\":\"N\"},"
                        "{\"command\":\"spawn\",\"x\":3,\"y\":4,\"dir\":\"S\"},"
                        "{\"command\":\"build\",\"x\":5,\"y\":6,\"obj\":\"F\"},"
                        "{\"command\":\"build\",\"x\":7,\"y\":8,\"obj\":\"B\"}]");
    buffer_free(&json);
    done(fixture);
}

static void words_after_the_fourth_are_ignored(void **unused) {
    (void)unused;
    Fixture *fixture = match_on(10, 10, 2, "");
    assert_true(say(fixture, 0, "move 1 2 N please and thank you\nend\n", NULL));
    assert_int_equal(fixture->orders[0]->head.count, 1);
    assert_int_equal(fixture->notes.refused[0], 0);
    done(fixture);
}

static void unknown_and_impossible_commands_are_ignored_with_a_reason(void **unused) {
    (void)unused;
    static const struct {
        const char *answer;
        const char *reason;
    } cases[] = {
        {"dance 1 2 N\n", "dance 1 2 N: unknown command; known: move, spawn, build"},
        {"Move 1 1 N\n", "Move 1 1 N: unknown command; known: move, spawn, build"},
        {"move 1 1\n", "move 1 1: expected x, y and N, S, E or W"},
        {"build 1 1\n", "build 1 1: expected x, y and B or F"},
        {"move one 1 N\n", "move one 1 N: x and y must be whole numbers"},
        {"move 1.0 1 N\n", "move 1.0 1 N: x and y must be whole numbers"},
        {"move 3 1 N\n", "move 3 1 N: off the board"},
        {"move 1 -1 N\n", "move 1 -1 N: off the board"},
        {"move 65537 1 N\n", "move 65537 1 N: off the board"},
        {"move 99999999999999999999 1 N\n",
         "move 99999999999999999999 1 N: x and y must be whole numbers"},
        {"move 1 1 n\n", "move 1 1 n: the direction must be N, S, E or W"},
        {"move 1 1 NE\n", "move 1 1 NE: the direction must be N, S, E or W"},
        {"build 1 1 C\n", "build 1 1 C: only B (barracks) and F (farm) can be built"},
        {"build 1 1 W\n", "build 1 1 W: only B (barracks) and F (farm) can be built"},
        {"move 0 0 S\n", "move 0 0 S: none of your warriors is there"},
        {"move 2 2 N\n", "move 2 2 N: none of your warriors is there"},
        {"move 0 2 S\n", "move 0 2 S: leads off the board"},
        {"move 0 2 E\nmove 0 2 E\n", "move 0 2 E: this warrior already has a move"},
        {"spawn 0 0 S\n", "spawn 0 0 S: none of your barracks is there"},
        {"spawn 1 0 N\n", "spawn 1 0 N: leads off the board"},
        {"spawn 1 0 E\nspawn 1 0 S\n", "spawn 1 0 S: this barracks already has an order"},
        {"build 2 2 F\n", "build 2 2 F: none of your buildings is within distance 2"},
        {"build 0 2 F\n", "build 0 2 F: the cell is occupied"},
        {"spawn 1 0 W\n", "spawn 1 0 W: the cell is occupied"},
        {"move 0 2 N\n", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Fixture *fixture = board("C0 B0 ..\n"
                                 ".. .. ..\n"
                                 "W0 .. W1");
        turn(fixture, cases[i].answer, NULL, NULL);
        assert_string_equal(refusal(fixture, 0), cases[i].reason);
        done(fixture);
    }
}

static void an_answer_has_at_most_4096_lines_of_1024_bytes(void **unused) {
    (void)unused;
    Fixture *fixture = match_on(10, 10, 2, "");
    Buffer answer = {0};
    for (int i = 0; i < 4096; i++)
        buffer_text(&answer, i % 2 ? "move 1 1 N\n" : "\n");
    buffer_text(&answer, "end\n");
    Error error = {0};
    assert_true(say(fixture, 0, buffer_string(&answer), &error));
    assert_int_equal(fixture->orders[0]->head.count, 2048);
    answer.length -= 4;
    buffer_text(&answer, "\nend\n");
    assert_false(say(fixture, 0, buffer_string(&answer), &error));
    assert_string_equal(error.text, "more than 4096 lines in a turn");
    buffer_clear(&answer);
    buffer_text(&answer, "move 1 1 N");
    while (answer.length < 1024)
        buffer_char(&answer, ' ');
    buffer_text(&answer, "\r\nend\r\n");
    assert_true(say(fixture, 0, buffer_string(&answer), &error));
    assert_int_equal(fixture->orders[0]->head.count, 1);
    answer.length = 1024;
    buffer_text(&answer, "x\nend\n");
    assert_false(say(fixture, 0, buffer_string(&answer), &error));
    assert_string_equal(error.text, "line 1 has 1025 bytes; the limit is 1024");
    buffer_free(&answer);
    done(fixture);
}

static void the_last_message_is_gg(void **unused) {
    (void)unused;
    Fixture *fixture = match_on(10, 10, 2, "");
    Buffer text = {0};
    game_underworld.farewell(&fixture->setup->head, &fixture->state->head, 1, &text);
    assert_string_equal(buffer_string(&text), "gg\nend\n");
    buffer_free(&text);
    done(fixture);
}

/* ---- income ---- */

static void every_farm_pays_before_anything_else(void **unused) {
    (void)unused;
    Fixture *fixture = board("C0 F0 F0 .. F1 C1\n"
                             "B0 .. .. .. .. ..");
    *money(fixture, 0) = 400;
    *money(fixture, 1) = 0;
    turn(fixture, "spawn 0 1 E\n", NULL, NULL);
    expect(fixture, "C0 F0 F0 .. F1 C1\n"
                    "B0 W0 .. .. .. ..");
    assert_int_equal(*money(fixture, 0), 0);
    assert_int_equal(*money(fixture, 1), 50);
    done(fixture);
}

/* ---- movement ---- */

static const char peace[] = "\"warrior\":{\"damage\":0}";

static void check_moves(const char *before, const char *answer, const char *after) {
    Fixture *fixture = board_with(peace, 2, before);
    turn(fixture, answer, NULL, NULL);
    expect(fixture, after);
    done(fixture);
}

static void the_four_directions_match_the_table(void **unused) {
    (void)unused;
    static const char before[] = ".. .. ..\n"
                                 ".. W0 ..\n"
                                 ".. .. ..";
    check_moves(before, "move 1 1 N\n", ".. W0 ..\n.. .. ..\n.. .. ..");
    check_moves(before, "move 1 1 S\n", ".. .. ..\n.. .. ..\n.. W0 ..");
    check_moves(before, "move 1 1 E\n", ".. .. ..\n.. .. W0\n.. .. ..");
    check_moves(before, "move 1 1 W\n", ".. .. ..\nW0 .. ..\n.. .. ..");
}

static void no_warrior_enters_a_cell_that_stays_occupied(void **unused) {
    (void)unused;
    check_moves("W0 W1 W0 ## W0 F0", "move 0 0 E\nmove 2 0 E\nmove 4 0 E\n", "W0 W1 W0 ## W0 F0");
}

static void the_first_valid_move_counts(void **unused) {
    (void)unused;
    check_moves(".. .. ..\nW0 .. ..\n.. .. ..",
                "move 0 1 W\nmove 0 1 X\nmove 0 1 N\nmove 0 1 E\nmove 0 1 S\n",
                "W0 .. ..\n.. .. ..\n.. .. ..");
    /* A valid move counts as the first even if it is blocked. */
    check_moves("## .. ..\nW0 .. ..", "move 0 1 N\nmove 0 1 E\n", "## .. ..\nW0 .. ..");
}

static void warriors_that_want_the_same_cell_do_not_move(void **unused) {
    (void)unused;
    check_moves("W0 .. W0", "move 0 0 E\nmove 2 0 W\n", "W0 .. W0");
    Fixture *fixture = board_with(peace, 3, ".. W2 ..\nW0 .. W1");
    turn(fixture, "move 0 1 E\n", "move 2 1 W\n", "move 1 0 S\n");
    expect(fixture, ".. W2 ..\nW0 .. W1");
    assert_string_equal(refusal(fixture, 1), "move 2 1 W: another warrior wants the same cell");
    done(fixture);
}

static void warriors_that_want_to_swap_do_not_move(void **unused) {
    (void)unused;
    Fixture *fixture = board_with(peace, 2, ".. W0 W1 ..");
    turn(fixture, "move 1 0 E\n", "move 2 0 W\n", NULL);
    expect(fixture, ".. W0 W1 ..");
    assert_string_equal(refusal(fixture, 0), "move 1 0 E: two warriors cannot swap places");
    done(fixture);
}

static void a_line_of_warriors_moves_together(void **unused) {
    (void)unused;
    check_moves("W0 W0 W0 ..", "move 0 0 E\nmove 1 0 E\nmove 2 0 E\n", ".. W0 W0 W0");
}

static void a_line_behind_a_blocked_warrior_stays(void **unused) {
    (void)unused;
    check_moves("W0 W0 W0 ##", "move 0 0 E\nmove 1 0 E\nmove 2 0 E\n", "W0 W0 W0 ##");
    check_moves("W0 W0 W0 .. W0", "move 0 0 E\nmove 1 0 E\nmove 2 0 E\nmove 4 0 W\n",
                "W0 W0 W0 .. W0");
    check_moves("W0 W0 W0 W0", "move 0 0 E\nmove 1 0 E\nmove 2 0 E\nmove 3 0 W\n", "W0 W0 W0 W0");
}

static void a_closed_ring_of_warriors_moves_together(void **unused) {
    (void)unused;
    Fixture *fixture = board_with(peace, 4, "W0 W1\nW3 W2");
    assert_true(say(fixture, 3, "move 0 1 N\n", NULL));
    turn(fixture, "move 0 0 E\n", "move 1 0 S\n", "move 1 1 W\n");
    expect(fixture, "W3 W0\nW2 W1");
    done(fixture);
}

static void a_ring_with_a_contested_cell_stays(void **unused) {
    (void)unused;
    check_moves("W0 W0 W0\nW0 W0 ..",
                "move 0 0 E\nmove 1 0 S\nmove 1 1 W\nmove 0 1 N\nmove 2 0 W\n",
                "W0 W0 W0\nW0 W0 ..");
}

enum { SIDE = 5, CELLS = SIDE * SIDE };

/* The positions after moving: applies the rule literally until nothing changes. */
static void move_slowly(const UnderworldSetup *setup, const uint8_t *kind, const uint8_t *order,
                        uint32_t *to) {
    uint32_t wants[CELLS];
    for (uint32_t cell = 0; cell < CELLS; cell++) {
        uint32_t x = cell % SIDE;
        uint32_t y = cell / SIDE;
        wants[cell] = to[cell] = cell;
        if (order[cell] && underworld_target(setup, x, y, order[cell], &x, &y))
            wants[cell] = to[cell] = y * SIDE + x;
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t cell = 0; cell < CELLS; cell++) {
            uint32_t target = to[cell];
            if (target == cell)
                continue;
            bool swap = wants[target] == cell;
            bool taken = kind[target] != UNDERWORLD_FREE && to[target] == target;
            bool contested = false;
            for (uint32_t other = 0; other < CELLS; other++)
                contested |= other != cell && other != target && wants[other] == target;
            if (swap || taken || contested) {
                to[cell] = cell;
                changed = true;
            }
        }
    }
}

/* A board with warriors of four players, identified by their hitpoints, and orders for most of
   them. */
static void scatter(Fixture *fixture, Random *random, uint8_t *kind, uint8_t *order) {
    uint32_t density = 20 + random_below(random, 81);
    clear(fixture);
    fixture->state->head.turn = 0;
    fixture->state->head.over = fixture->state->end = 0;
    for (uint32_t player = 0; player < 4; player++)
        fixture->state->players[player].out = 0;
    for (uint32_t cell = 0; cell < CELLS; cell++) {
        kind[cell] = order[cell] = 0;
        if (random_below(random, 100) >= density)
            continue;
        uint32_t x = cell % SIDE;
        uint32_t y = cell / SIDE;
        uint32_t owner = random_below(random, 4);
        kind[cell] = (uint8_t) "#FWWWWWWWWWWWWWWWWWWWWWWWW"[random_below(random, 26)];
        underworld_put(fixture->setup, fixture->state, x, y, kind[cell], owner);
        if (kind[cell] != UNDERWORLD_WARRIOR)
            continue;
        at(fixture, x, y)->hitpoints = (int32_t)(1000 + cell);
        if (random_below(random, 10) == 0)
            continue;
        order[cell] = (uint8_t) "NSEW"[random_below(random, 4)];
        UnderworldOrders *orders = fixture->orders[owner];
        orders->order[orders->head.count++] =
            (UnderworldOrder){UNDERWORLD_MOVE, order[cell], (uint16_t)x, (uint16_t)y};
    }
}

static void movement_matches_a_slow_reference(void **unused) {
    (void)unused;
    Random random = random_seeded(3);
    Fixture *fixture = match_on(SIDE, SIDE, 4, peace);
    uint32_t moved = 0;
    uint32_t followed = 0;
    for (int round = 0; round < 20000; round++) {
        uint8_t kind[CELLS];
        uint8_t order[CELLS];
        uint32_t to[CELLS];
        scatter(fixture, &random, kind, order);
        move_slowly(fixture->setup, kind, order, to);
        turn(fixture, NULL, NULL, NULL);
        for (uint32_t cell = 0; cell < CELLS; cell++) {
            if (kind[cell] != UNDERWORLD_WARRIOR)
                continue;
            assert_int_equal(at(fixture, to[cell] % SIDE, to[cell] / SIDE)->hitpoints, 1000 + cell);
            moved += to[cell] != cell;
            followed += to[cell] != cell && kind[to[cell]] == UNDERWORLD_WARRIOR;
        }
    }
    assert_true(moved > 10000);
    assert_true(followed > 1000);
    done(fixture);
}

/* ---- battle ---- */

static void damage_is_divided_between_the_enemies_in_range(void **unused) {
    (void)unused;
    Fixture *fixture = board("W0 .. F1\n"
                             ".. W1 ..\n"
                             "C2 .. ..");
    turn(fixture, NULL, NULL, NULL);
    /* The warrior of player 0 hits three objects, that of player 1 hits two. */
    assert_int_equal(at(fixture, 2, 0)->hitpoints, 1000 - 33);
    assert_int_equal(at(fixture, 1, 1)->hitpoints, 500 - 33);
    assert_int_equal(at(fixture, 0, 2)->hitpoints, 10000 - 33 - 50);
    assert_int_equal(at(fixture, 0, 0)->hitpoints, 500 - 50);
    done(fixture);
}

static void range_2_is_euclidean(void **unused) {
    (void)unused;
    Fixture *fixture = board("F1 F1 F1 F1 F1\n"
                             "F1 F1 F1 F1 F1\n"
                             "F1 F1 W0 F1 F1\n"
                             "F1 F1 F1 F1 F1\n"
                             "F1 F1 F1 F1 F1");
    turn(fixture, NULL, NULL, NULL);
    for (int y = 0; y < 5; y++)
        for (int x = 0; x < 5; x++)
            if (x != 2 || y != 2) /* 100 / 12 is 8.33 */
                assert_int_equal(at(fixture, (uint32_t)x, (uint32_t)y)->hitpoints,
                                 (x - 2) * (x - 2) + (y - 2) * (y - 2) <= 4 ? 1000 - 8 : 1000);
    done(fixture);
}

static void parts_are_rounded_to_the_nearest_whole_halves_up(void **unused) {
    (void)unused;
    static const struct {
        int damage;
        int enemies;
        int part;
    } cases[] = {{100, 3, 33}, {101, 2, 51}, {5, 2, 3},  {1, 2, 1}, {1, 3, 0},
                 {2, 3, 1},    {7, 4, 2},    {10, 4, 3}, {9, 4, 2}, {0, 1, 0}};
    static const uint32_t places[4][2] = {{0, 1}, {1, 0}, {2, 1}, {1, 2}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char rules[80];
        snprintf(rules, sizeof rules, "\"warrior\":{\"damage\":%d}", cases[i].damage);
        Fixture *fixture = board_with(rules, 2, ".. .. ..\n.. W0 ..\n.. .. ..");
        for (int j = 0; j < cases[i].enemies; j++)
            underworld_put(fixture->setup, fixture->state, places[j][0], places[j][1],
                           UNDERWORLD_FARM, 1);
        turn(fixture, NULL, NULL, NULL);
        for (int j = 0; j < cases[i].enemies; j++)
            assert_int_equal(at(fixture, places[j][0], places[j][1])->hitpoints,
                             1000 - cases[i].part);
        done(fixture);
    }
}

static void walls_and_own_objects_take_no_damage_and_no_share(void **unused) {
    (void)unused;
    Fixture *fixture = board("## W0 F0\n"
                             ".. F1 ..");
    turn(fixture, NULL, NULL, NULL);
    assert_int_equal(at(fixture, 1, 1)->hitpoints, 900);
    assert_int_equal(at(fixture, 2, 0)->hitpoints, 1000);
    done(fixture);
}

static void all_warriors_strike_before_the_dead_are_removed(void **unused) {
    (void)unused;
    Fixture *fixture = board("W0 .. W1 .. ..");
    at(fixture, 0, 0)->hitpoints = 100;
    at(fixture, 2, 0)->hitpoints = 100;
    turn(fixture, NULL, NULL, NULL);
    expect(fixture, ".. .. .. .. ..");
    done(fixture);
    fixture = board("W0 .. W1 .. ..");
    at(fixture, 0, 0)->hitpoints = 101;
    turn(fixture, NULL, NULL, NULL);
    assert_int_equal(at(fixture, 0, 0)->hitpoints, 1);
    done(fixture);
}

static void battle_follows_movement(void **unused) {
    (void)unused;
    Fixture *fixture = board("W0 .. .. W1 .. .. W1");
    turn(fixture, "move 0 0 E\n", "move 6 0 W\n", NULL);
    assert_int_equal(at(fixture, 1, 0)->hitpoints, 400);
    assert_int_equal(at(fixture, 3, 0)->hitpoints, 400);
    assert_int_equal(at(fixture, 5, 0)->hitpoints, 500);
    done(fixture);
    fixture = board("W0 .. W1 .. ..");
    turn(fixture, NULL, "move 2 0 E\n", NULL);
    assert_int_equal(at(fixture, 0, 0)->hitpoints, 500);
    done(fixture);
}

/* Puts one warrior of player 0 on each cell in turn, with farms of player 1 everywhere else. */
static void check_reach(uint32_t size_x, uint32_t size_y, int range) {
    char rules[80];
    snprintf(rules, sizeof rules, "\"warrior\":{\"range\":%d}", range);
    Fixture *fixture = match_on(size_x, size_y, 2, rules);
    for (uint32_t spot = 0; spot < size_x * size_y; spot++) {
        clear(fixture);
        fixture->state->head.over = fixture->state->end = 0;
        for (uint32_t cell = 0; cell < size_x * size_y; cell++)
            underworld_put(fixture->setup, fixture->state, cell % size_x, cell / size_x,
                           cell == spot ? UNDERWORLD_WARRIOR : UNDERWORLD_FARM, cell != spot);
        turn(fixture, NULL, NULL, NULL);
        for (uint32_t cell = 0; cell < size_x * size_y; cell++) {
            int dx = (int)(cell % size_x) - (int)(spot % size_x);
            int dy = (int)(cell / size_x) - (int)(spot / size_x);
            bool hit = cell != spot && dx * dx + dy * dy <= range * range;
            assert_int_equal(at(fixture, cell % size_x, cell / size_x)->hitpoints <
                                 (cell == spot ? 500 : 1000),
                             hit);
        }
    }
    done(fixture);
}

static void a_warrior_strikes_exactly_what_is_in_range(void **unused) {
    (void)unused;
    for (int range = 0; range <= UNDERWORLD_RANGE_MAX; range += range < 8 ? 1 : 8) {
        check_reach(6, 6, range);
        check_reach(1, 6, range);
        check_reach(6, 1, range);
        check_reach(3, 2, range);
    }
}

static void the_maximum_damage_does_not_overflow(void **unused) {
    (void)unused;
    Fixture *fixture = board_with("\"warrior\":{\"damage\":1000000000}", 2,
                                  "W0 W0 W0 W0 W0\n"
                                  "W0 W0 C1 W0 W0\n"
                                  "W0 W0 W0 W0 W0");
    turn(fixture, NULL, NULL, NULL);
    expect(fixture, "W0 W0 W0 W0 W0\n"
                    "W0 W0 .. W0 W0\n"
                    "W0 W0 W0 W0 W0");
    done(fixture);
}

/* ---- spawning ---- */

static void a_barracks_spawns_one_warrior_for_its_cost(void **unused) {
    (void)unused;
    Fixture *fixture = board(".. .. ..\n"
                             ".. B0 ..\n"
                             ".. .. ..");
    turn(fixture, "spawn 1 1 N\nspawn 1 1 S\n", NULL, NULL);
    expect(fixture, ".. W0 ..\n"
                    ".. B0 ..\n"
                    ".. .. ..");
    assert_int_equal(*money(fixture, 0), 2500);
    assert_int_equal(at(fixture, 1, 0)->hitpoints, 500);
    done(fixture);
}

static void the_first_valid_order_of_a_barracks_counts_even_without_effect(void **unused) {
    (void)unused;
    Fixture *fixture = board("## .. ..\n"
                             "B0 .. ..");
    turn(fixture, "spawn 0 1 W\nspawn 0 1 X\nspawn 0 1 N\nspawn 0 1 E\n", NULL, NULL);
    expect(fixture, "## .. ..\n"
                    "B0 .. ..");
    assert_int_equal(*money(fixture, 0), 3000);
    done(fixture);
}

static void a_cell_whose_warrior_leaves_or_dies_is_free_for_spawning(void **unused) {
    (void)unused;
    Fixture *fixture = board("B0 W0 .. .. W1 B1");
    at(fixture, 4, 0)->hitpoints = 1;
    turn(fixture, "move 1 0 E\nspawn 0 0 E\n", "spawn 5 0 W\n", NULL);
    expect(fixture, "B0 W0 W0 .. W1 B1");
    assert_int_equal(at(fixture, 4, 0)->hitpoints, 500);
    done(fixture);
}

static void a_barracks_that_falls_in_the_battle_still_spawns(void **unused) {
    (void)unused;
    Fixture *fixture = board("B0 .. W1\n"
                             ".. C0 C1");
    at(fixture, 0, 0)->hitpoints = 1;
    turn(fixture, "spawn 0 0 E\n", NULL, NULL);
    expect(fixture, ".. W0 W1\n"
                    ".. C0 C1");
    done(fixture);
}

static void two_players_who_spawn_on_one_cell_get_nothing_even_if_one_cannot_pay(void **unused) {
    (void)unused;
    Fixture *fixture = board("B0 .. B1");
    *money(fixture, 1) = 0;
    turn(fixture, "spawn 0 0 E\n", "spawn 2 0 W\n", NULL);
    expect(fixture, "B0 .. B1");
    assert_int_equal(*money(fixture, 0), 3000);
    assert_string_equal(refusal(fixture, 0), "spawn 0 0 E: more than one request for that cell");
    done(fixture);
}

static void two_barracks_of_one_player_spawn_one_warrior_on_one_cell(void **unused) {
    (void)unused;
    Fixture *fixture = board("B0 .. B0");
    turn(fixture, "spawn 0 0 E\nspawn 2 0 W\n", NULL, NULL);
    expect(fixture, "B0 W0 B0");
    assert_int_equal(*money(fixture, 0), 2500);
    done(fixture);
}

static void spawning_is_paid_in_the_order_of_commands(void **unused) {
    (void)unused;
    Fixture *fixture = board("B0 .. B0 .. B0 ..");
    *money(fixture, 0) = 1499;
    turn(fixture, "spawn 4 0 E\nspawn 0 0 E\nspawn 2 0 E\n", NULL, NULL);
    expect(fixture, "B0 W0 B0 .. B0 W0");
    assert_int_equal(*money(fixture, 0), 499);
    assert_string_equal(refusal(fixture, 0), "spawn 2 0 E: not enough money");
    done(fixture);
}

static void a_new_warrior_neither_moves_nor_fights_in_that_turn(void **unused) {
    (void)unused;
    Fixture *fixture = board("B0 .. .. W1");
    turn(fixture, "spawn 0 0 E\nmove 1 0 E\n", NULL, NULL);
    expect(fixture, "B0 W0 .. W1");
    assert_int_equal(at(fixture, 1, 0)->hitpoints, 500);
    assert_int_equal(at(fixture, 3, 0)->hitpoints, 500);
    done(fixture);
}

/* ---- building ---- */

static void a_building_must_be_within_distance_2_of_an_own_building(void **unused) {
    (void)unused;
    for (int y = 0; y < 5; y++)
        for (int x = 0; x < 5; x++) {
            Fixture *fixture = board("W0 .. .. .. B1\n"
                                     ".. .. .. .. ..\n"
                                     ".. .. F0 .. ..\n"
                                     ".. .. .. .. ..\n"
                                     ".. .. .. .. ..");
            char answer[60];
            snprintf(answer, sizeof answer, "build %d %d F\n", x, y);
            turn(fixture, answer, NULL, NULL);
            int square = (x - 2) * (x - 2) + (y - 2) * (y - 2);
            assert_int_equal(*money(fixture, 0), 3050 - (square > 0 && square <= 4 ? 1000 : 0));
            done(fixture);
        }
}

static void castles_barracks_and_farms_are_buildings_but_warriors_are_not(void **unused) {
    (void)unused;
    Fixture *fixture = board("C0 .. .. ## .. B0 .. ## F0 .. .. ## W0 ..");
    *money(fixture, 0) = 9950;
    turn(fixture, "build 1 0 F\nbuild 6 0 B\nbuild 10 0 F\nbuild 13 0 F\n", NULL, NULL);
    expect(fixture, "C0 F0 .. ## .. B0 B0 ## F0 .. F0 ## W0 ..");
    assert_int_equal(*money(fixture, 0), 10000 - 1000 - 1500 - 1000);
    assert_string_equal(refusal(fixture, 0),
                        "build 13 0 F: none of your buildings is within distance 2");
    done(fixture);
}

static void distance_is_measured_from_buildings_at_the_start_of_the_turn(void **unused) {
    (void)unused;
    /* A building built in this turn does not count yet. */
    Fixture *fixture = board("C0 .. .. .. ..");
    turn(fixture, "build 2 0 F\nbuild 4 0 F\n", NULL, NULL);
    expect(fixture, "C0 .. F0 .. ..");
    done(fixture);
    /* In the next turn it does. */
    fixture = board("C0 .. F0 .. .. C1 C2");
    turn(fixture, "build 4 0 F\n", NULL, NULL);
    expect(fixture, "C0 .. F0 .. F0 C1 C2");
    done(fixture);
    /* A building that falls in this turn still counts, even for its own cell. */
    fixture = board("F0 .. W1 C0 C1");
    at(fixture, 0, 0)->hitpoints = 1;
    turn(fixture, "build 0 0 B\n", NULL, NULL);
    expect(fixture, "B0 .. W1 C0 C1");
    done(fixture);
}

static void two_players_who_build_on_one_cell_get_nothing(void **unused) {
    (void)unused;
    Fixture *fixture = board("C0 .. C1");
    *money(fixture, 1) = 0;
    turn(fixture, "build 1 0 F\n", "build 1 0 F\n", NULL);
    expect(fixture, "C0 .. C1");
    assert_int_equal(*money(fixture, 0), 3000);
    assert_string_equal(refusal(fixture, 0), "build 1 0 F: more than one request for that cell");
    done(fixture);
}

static void a_player_who_wants_two_kinds_on_one_cell_gets_neither(void **unused) {
    (void)unused;
    Fixture *fixture = board("C0 .. C1");
    turn(fixture, "build 1 0 F\nbuild 1 0 B\nbuild 1 0 F\n", NULL, NULL);
    expect(fixture, "C0 .. C1");
    turn(fixture, "build 1 0 F\nbuild 1 0 F\n", NULL, NULL);
    expect(fixture, "C0 F0 C1");
    assert_int_equal(*money(fixture, 0), 2000);
    done(fixture);
}

static void building_happens_and_is_paid_after_spawning(void **unused) {
    (void)unused;
    Fixture *fixture = board("C0 .. C1\n"
                             "B0 .. ..");
    *money(fixture, 0) = 1400;
    turn(fixture, "build 1 0 F\nspawn 0 1 E\n", NULL, NULL);
    expect(fixture, "C0 .. C1\n"
                    "B0 W0 ..");
    assert_string_equal(refusal(fixture, 0), "build 1 0 F: not enough money");
    *money(fixture, 0) = 3000;
    turn(fixture, "build 1 1 F\nmove 1 1 E\nspawn 0 1 E\n", NULL, NULL);
    expect(fixture, "C0 .. C1\n"
                    "B0 W0 W0");
    assert_string_equal(refusal(fixture, 0), "build 1 1 F: the cell is occupied");
    done(fixture);
}

static void a_cell_contested_by_two_spawns_is_free_for_building(void **unused) {
    (void)unused;
    Fixture *fixture = board("B0 .. B1");
    turn(fixture, "spawn 0 0 E\nbuild 1 0 F\n", "spawn 2 0 W\n", NULL);
    expect(fixture, "B0 F0 B1");
    done(fixture);
}

static void building_is_paid_in_the_order_of_players_and_commands(void **unused) {
    (void)unused;
    Fixture *fixture = board("C0 .. .. C1 .. ..");
    *money(fixture, 0) = 1999;
    turn(fixture, "build 2 0 F\nbuild 1 0 F\n", "build 5 0 B\nbuild 4 0 B\n", NULL);
    expect(fixture, "C0 .. F0 C1 B1 B1");
    assert_int_equal(*money(fixture, 0), 999);
    assert_int_equal(*money(fixture, 1), 0);
    done(fixture);
}

/* ---- the end ---- */

static void a_player_without_a_castle_loses_and_the_last_player_wins(void **unused) {
    (void)unused;
    Fixture *fixture = board_with("", 2, "C0 B0 .. W0 C1 B1");
    at(fixture, 4, 0)->hitpoints = 50;
    turn(fixture, NULL, NULL, NULL);
    GameResult is = result(fixture);
    assert_true(fixture->state->head.over);
    assert_int_equal(is.end, END_ELIMINATION);
    assert_int_equal(is.rank[0], 1);
    assert_int_equal(is.rank[1], 2);
    assert_false(is_active(fixture, 0));
    done(fixture);
}

static void a_player_with_two_castles_loses_when_both_have_fallen(void **unused) {
    (void)unused;
    Fixture *fixture = board_with("", 2, "C0 B0 .. W0 C1 .. .. C1");
    at(fixture, 4, 0)->hitpoints = 50;
    turn(fixture, NULL, NULL, NULL);
    assert_false(fixture->state->head.over);
    assert_true(is_active(fixture, 1));
    done(fixture);
}

static void players_rank_by_when_they_lost(void **unused) {
    (void)unused;
    Fixture *fixture = board_with("", 4, "C0 .. C1 .. .. C2 .. W0 .. C3");
    at(fixture, 5, 0)->hitpoints = 50;
    at(fixture, 9, 0)->hitpoints = 50;
    turn(fixture, NULL, NULL, NULL);
    assert_false(fixture->state->head.over);
    assert_false(is_active(fixture, 2));
    assert_true(is_active(fixture, 1));
    at(fixture, 2, 0)->hitpoints = 50;
    turn(fixture, "move 7 0 W\n", NULL, NULL);
    turn(fixture, "move 6 0 W\n", NULL, NULL);
    turn(fixture, "move 5 0 W\n", NULL, NULL);
    GameResult is = result(fixture);
    assert_true(fixture->state->head.over);
    assert_int_equal(is.rank[0], 1);
    assert_int_equal(is.rank[1], 2);
    assert_int_equal(is.rank[2], 3);
    assert_int_equal(is.rank[3], 3);
    done(fixture);
}

static void if_nobody_is_left_those_who_lost_last_share_first_place(void **unused) {
    (void)unused;
    Fixture *fixture = board_with("", 3, "C0 .. W1 ## ## W0 .. C1");
    at(fixture, 0, 0)->hitpoints = 1;
    at(fixture, 7, 0)->hitpoints = 1;
    underworld_absent(&fixture->setup->head, &fixture->state->head, 2);
    turn(fixture, NULL, NULL, NULL);
    GameResult is = result(fixture);
    assert_true(fixture->state->head.over);
    assert_int_equal(is.end, END_ELIMINATION);
    assert_int_equal(is.rank[0], 1);
    assert_int_equal(is.rank[1], 1);
    assert_int_equal(is.rank[2], 3);
    done(fixture);
}

static void after_the_last_turn_the_remaining_players_share_first_place(void **unused) {
    (void)unused;
    Fixture *fixture = match_of("{\"maxTurns\":2}", 4);
    fixture->orders[3]->head.kind = ORDERS_FORFEIT;
    turn(fixture, "end\n", "end\n", "end\n");
    assert_false(fixture->state->head.over);
    turn(fixture, "end\n", "end\n", "end\n");
    assert_true(fixture->state->head.over);
    GameResult is = result(fixture);
    assert_int_equal(is.end, END_TURN_LIMIT);
    assert_int_equal(is.rank[0], 1);
    assert_int_equal(is.rank[1], 1);
    assert_int_equal(is.rank[2], 1);
    assert_int_equal(is.rank[3], 4);
    done(fixture);
}

static void objects_of_a_lost_player_stay_fight_and_can_be_destroyed(void **unused) {
    (void)unused;
    Fixture *fixture = board_with("", 3, "C0 .. .. W0 .. .. W1 .. .. C2");
    turn(fixture, NULL, NULL, NULL);
    assert_int_equal(result(fixture).rank[1], 3);
    turn(fixture, "move 3 0 E\n", "move 6 0 E\n", NULL);
    /* Player 1 has lost: its order does not count, but its warrior strikes. */
    expect(fixture, "C0 .. .. .. W0 .. W1 .. .. C2");
    assert_int_equal(at(fixture, 4, 0)->hitpoints, 400);
    assert_int_equal(at(fixture, 6, 0)->hitpoints, 400);
    at(fixture, 6, 0)->hitpoints = 1;
    turn(fixture, NULL, NULL, NULL);
    expect(fixture, "C0 .. .. .. W0 .. .. .. .. C2");
    done(fixture);
}

static void a_bot_that_fails_loses_at_once_and_its_objects_stay(void **unused) {
    (void)unused;
    Fixture *fixture = board_with("", 3, "C0 .. W0 C1 .. .. C2");
    fixture->orders[0]->head.kind = ORDERS_FORFEIT;
    turn(fixture, NULL, NULL, NULL);
    assert_false(fixture->state->head.over);
    assert_false(is_active(fixture, 0));
    assert_int_equal(at(fixture, 3, 0)->hitpoints, 9900);
    assert_int_equal(result(fixture).rank[0], 3);
    done(fixture);
}

static void if_failures_leave_one_player_the_turn_is_still_resolved(void **unused) {
    (void)unused;
    Fixture *fixture = board_with("", 2, "C0 .. W0 C1 B1 ..");
    fixture->orders[0]->head.kind = ORDERS_FORFEIT;
    turn(fixture, NULL, "spawn 4 0 E\n", NULL);
    expect(fixture, "C0 .. W0 C1 B1 W1");
    assert_true(fixture->state->head.over);
    assert_int_equal(result(fixture).end, END_FORFEIT);
    assert_int_equal(result(fixture).rank[1], 1);
    assert_int_equal(result(fixture).rank[0], 2);
    done(fixture);
}

static void warriors_of_a_failed_bot_can_destroy_the_last_castle_in_the_same_turn(void **unused) {
    (void)unused;
    Fixture *fixture = board_with("", 2, "C0 .. W0 C1 B1 ..");
    fixture->orders[0]->head.kind = ORDERS_FORFEIT;
    at(fixture, 3, 0)->hitpoints = 1;
    turn(fixture, NULL, NULL, NULL);
    assert_true(fixture->state->head.over);
    assert_int_equal(result(fixture).rank[0], 1);
    assert_int_equal(result(fixture).rank[1], 1);
    done(fixture);
}

static void a_bot_that_fails_the_handshake_loses_before_the_first_turn(void **unused) {
    (void)unused;
    Fixture *fixture = board_with("", 3, "C0 .. .. C1 .. .. C2");
    underworld_absent(&fixture->setup->head, &fixture->state->head, 1);
    assert_false(fixture->state->head.over);
    assert_false(is_active(fixture, 1));
    fixture->orders[2]->head.kind = ORDERS_FORFEIT;
    turn(fixture, NULL, NULL, NULL);
    assert_true(fixture->state->head.over);
    assert_int_equal(result(fixture).rank[0], 1);
    assert_int_equal(result(fixture).rank[2], 2);
    assert_int_equal(result(fixture).rank[1], 3);
    done(fixture);
}

/* ---- log, drawing, JSON and configuration errors ---- */

static void events_describe_what_happened(void **unused) {
    (void)unused;
    Fixture *fixture = board_with("", 2,
                                  "C0 B0 .. W0 C1 ..\n"
                                  ".. .. .. .. .. ..");
    at(fixture, 4, 0)->hitpoints = 50;
    fixture->notes.wants_events = true;
    turn(fixture, "spawn 1 0 E\nbuild 0 1 F\n", NULL, NULL);
    fixture->notes.events[fixture->notes.events_length] = '\0';
    assert_string_equal(fixture->notes.events, "player 1 loses the castle at (4,0)\n"
                                               "player 0 spawns a warrior at (2,0)\n"
                                               "player 0 builds a farm at (0,1)\n"
                                               "player 1 has no castle left and is eliminated\n");
    done(fixture);
}

static void the_board_is_drawn_and_written_as_json(void **unused) {
    (void)unused;
    Fixture *fixture = board_with("", 2,
                                  "C0 .. ##\n"
                                  "W1 .. C1");
    Buffer text = {0};
    game_underworld.draw(&fixture->setup->head, &fixture->state->head, false, &text);
    assert_string_equal(buffer_string(&text), "C0 .  #\n"
                                              "W1 .  C1\n"
                                              "player 0: money 3000, C 1, B 0, F 0, W 0\n"
                                              "player 1: money 3000, C 1, B 0, F 0, W 1\n");
    buffer_clear(&text);
    fixture->state->players[1].out = 4;
    game_underworld.state_json(&fixture->setup->head, &fixture->state->head, &text);
    assert_string_equal(
        buffer_string(&text),
        "{\"turn\":0,\"maxTurns\":1000,\"sizex\":3,\"sizey\":2,\"players\":[{\"money\":3000,"
        "\"lostInTurn\":null},{\"money\":3000,\"lostInTurn\":3}],\"objects\":["
        "{\"x\":0,\"y\":0,\"type\":\"C\",\"owner\":0,\"hitpoints\":10000},"
        "{\"x\":2,\"y\":0,\"type\":\"#\",\"owner\":-1,\"hitpoints\":-1},"
        "{\"x\":0,\"y\":1,\"type\":\"W\",\"owner\":1,\"hitpoints\":500},"
        "{\"x\":2,\"y\":1,\"type\":\"C\",\"owner\":1,\"hitpoints\":10000}]}");
    buffer_free(&text);
    done(fixture);
}

#define OBJECT(x, y, type, owner) \
 "{\"x\":" #x ",\"y\":" #y ",\"type\":\"" type "\",\"owner\":" #owner "}"
#define BOARD(objects) "{\"sizex\":3,\n\"sizey\":2,\n\"objects\":[" objects "]}"
#define CASTLES OBJECT(0, 0, "C", 0) "," OBJECT(2, 1, "C", 1)

static void an_invalid_configuration_is_rejected_with_file_line_and_field(void **unused) {
    (void)unused;
    static const struct {
        const char *config;
        const char *map; /* NULL: not given */
        uint32_t players;
        const char *message;
    } cases[] = {
        {"{", NULL, 4, "c.json: line 1, column 2: expected a member name in quotes"},
        {"[]", NULL, 4, "c.json:1: expected a JSON object, found an array"},
        {"{\n\"colour\":3}", NULL, 4,
         "c.json:2: unknown field \"colour\"; known: sizex, sizey, money, maxTurns, objects, "
         "players, rules"},
        {"{\"money\":-1}", NULL, 4,
         "c.json:1: \"money\" must be a whole number from 0 to 1000000000000, not -1"},
        {"{\"money\":[3000,3000]}", NULL, 4,
         "c.json:1: \"money\" must be a whole number from 0 to 1000000000000, not an array"},
        {"{\"maxTurns\":0}", NULL, 4,
         "c.json:1: \"maxTurns\" must be a whole number from 1 to 100000, not 0"},
        {"{\"rules\":3}", NULL, 4, "c.json:1: \"rules\" must be an object, not a number"},
        {"{\"rules\":{\"tower\":{}}}", NULL, 4,
         "c.json:1: unknown field \"tower\"; known: castle, barracks, farm, warrior, vision"},
        {"{\"rules\":{\"castle\":{\"cost\":5}}}", NULL, 4,
         "c.json:1: unknown field \"cost\"; known: hitpoints"},
        {"{\"rules\":{\"warrior\":7}}", NULL, 4,
         "c.json:1: \"warrior\" must be an object, not a number"},
        {"{\"rules\":{\"warrior\":{\"range\":33}}}", NULL, 4,
         "c.json:1: \"range\" must be a whole number from 0 to 32, not 33"},
        {"{\"rules\":{\"farm\":{\"hitpoints\":0}}}", NULL, 4,
         "c.json:1: \"hitpoints\" must be a whole number from 1 to 1000000000, not 0"},
        {"{\"rules\":{\"farm\":{\"income\":1000001}}}", NULL, 4,
         "c.json:1: \"income\" must be a whole number from 0 to 1000000, not 1000001"},
        {"{\"rules\":{\"vision\":0}}", NULL, 4,
         "c.json:1: \"vision\" must be a whole number from 1 to 400, not 0"},
        {"{\"money\":1}", "{\"money\":2}", 2,
         "c.json:1: \"money\" is also set in m.json; remove one of them"},
        {"{}", NULL, 1, "Underworld is for 2 to 64 players, not 1"},
        {"{}", NULL, 65, "Underworld is for 2 to 64 players, not 65"},
        {"{}", NULL, 5, "no default map for 5 players; choose a map"},
        {"{}", "{\"sizey\":2,\"objects\":[]}", 2, "m.json:1: \"sizex\" is missing"},
        {"{\"sizex\":2,\"objects\":[]}", NULL, 2, "c.json:1: \"sizey\" is missing"},
        {"{}", "{\"sizex\":2,\"sizey\":2}", 2, "m.json:1: \"objects\" is missing"},
        {"{}", "{\"sizex\":201}", 2,
         "m.json:1: \"sizex\" must be a whole number from 1 to 200, not 201"},
        {"{}", "{\"sizex\":2,\"sizey\":2,\"objects\":{}}", 2,
         "m.json:1: \"objects\" must be an array, not an object"},
        {"{}", BOARD("7"), 2,
         "m.json:3: an entry of \"objects\" must be an object with \"x\", \"y\", \"type\" and "
         "\"owner\", not a number"},
        {"{}", BOARD("{\"y\":0}"), 2, "m.json:3: \"x\" is missing for this object"},
        {"{}", BOARD("{\"x\":0,\"y\":0}"), 2, "m.json:3: \"type\" is missing for this object"},
        {"{}", BOARD("{\"x\":0,\"y\":0,\"type\":\"F\"}"), 2,
         "m.json:3: \"owner\" is missing for this object"},
        {"{}", BOARD("{\"x\":0,\"y\":0,\"type\":\"F\",\"hp\":1}"), 2,
         "m.json:3: unknown field \"hp\"; known: x, y, type, owner"},
        {"{}", BOARD(OBJECT(3, 0, "C", 0)), 2,
         "m.json:3: \"x\" must be a whole number from 0 to 2, not 3"},
        {"{}", BOARD(OBJECT(0, 2, "C", 0)), 2,
         "m.json:3: \"y\" must be a whole number from 0 to 1, not 2"},
        {"{}", BOARD(OBJECT(0, 0, "castle", 0)), 2,
         "m.json:3: \"type\" must be W, B, C, F or #, not \"castle\""},
        {"{}", BOARD(OBJECT(0, 0, "C", 64)), 2,
         "m.json:3: \"owner\" must be a whole number from 0 to 63, not 64"},
        {"{}", BOARD(OBJECT(0, 0, "#", 0)), 2, "m.json:3: a wall must have owner -1"},
        {"{}", BOARD(CASTLES ",\n" OBJECT(2, 1, "#", -1)), 2, "m.json:4: a second object at (2,1)"},
        {"{}", BOARD(OBJECT(0, 0, "C", 0) "," OBJECT(2, 1, "B", 1)), 2,
         "m.json:3: player 1 has no castle"},
        {"{}", BOARD(CASTLES "," OBJECT(0, 1, "W", 3)), 4, "m.json:3: player 2 has no castle"},
        {"{}", BOARD(CASTLES "," OBJECT(0, 1, "C", 2)), 2,
         "m.json:3: the objects are for 3 players, but 2 take part"},
        {"{}", BOARD(CASTLES), 3, "m.json:3: the objects are for 2 players, but 3 take part"},
        {"{}", BOARD(OBJECT(0, 0, "C", 0)), 0,
         "m.json:3: the objects are for 1 player; at least 2 are needed"},
        {"{\"players\":{}}", NULL, 0, "c.json:1: \"players\" must be an array, not an object"},
        {"{\"players\":[1]}", NULL, 0, "c.json:1: \"players\" must name 2 to 64 players, not 1"},
        {"{\"players\":[]}", BOARD(CASTLES), 0,
         "c.json:1: \"players\" must name 2 to 64 players, not 0"},
        {"{\"players\":[1,2]}", NULL, 0,
         "c.json:1: a player must be an object with \"name\" and \"command\", not a number"},
        {"{\"players\":[{\"name\":\"a\"},2]}", NULL, 0,
         "c.json:1: \"command\" is missing for this player"},
        {"{\"players\":[{\"name\":\"\",\"command\":\"x\"},2]}", NULL, 0,
         "c.json:1: \"name\" must be a non-empty string"},
        {"{\"players\":[{\"name\":\"a\",\"command\":\"x\\u0000\"},2]}", NULL, 0,
         "c.json:1: \"command\" must be a non-empty string"},
        {"{\"players\":[{\"name\":\"a\",\"command\":\"x\",\"age\":4},2]}", NULL, 0,
         "c.json:1: unknown field \"age\"; known: name, command, exeName, type, trusted"},
        {"{\"players\":[{\"name\":\"a\",\"command\":\"x\",\"exeName\":\"x\"},2]}", NULL, 0,
         "c.json:1: a player can have \"command\" or \"exeName\", not both"},
        {"{\"players\":[{\"type\":\"socket\",\"family\":\"unix\",\"addr\":\"a\"},2]}", NULL, 0,
         "c.json:1: \"type\" must be \"process\", not \"socket\""},
        {"{\"players\":[{\"name\":\"a\",\"command\":\"x\"},{\"name\":\"b\",\"command\":\"y\"}]}",
         NULL, 4, "c.json:1: \"players\" names 2 players, but 4 take part"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        GameFile config = {"c.json", slice_of(cases[i].config)};
        GameFile map = {cases[i].map ? "m.json" : NULL, slice_of(cases[i].map ? cases[i].map : "")};
        Error error = {0};
        assert_null(underworld_setup(&config, &map, cases[i].players, &error));
        assert_string_equal(error.text, cases[i].message);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_default_map_is_for_four_with_3000_money),
        cmocka_unit_test(there_is_a_map_for_two),
        cmocka_unit_test(every_built_in_map_is_valid_for_its_number_of_players),
        cmocka_unit_test(the_default_values_match_the_table),
        cmocka_unit_test(every_value_can_be_configured),
        cmocka_unit_test(the_configuration_may_name_the_bots_and_thus_their_number),
        cmocka_unit_test(the_configuration_may_be_a_file_of_the_original_server),
        cmocka_unit_test(configuration_and_map_may_be_one_file_or_two),
        cmocka_unit_test(the_first_view_begins_with_the_size_line),
        cmocka_unit_test(view_lines_match_the_document),
        cmocka_unit_test(the_program_in_the_document_can_play),
        cmocka_unit_test(handshake_and_limits_match_the_document),
        cmocka_unit_test(with_limited_vision_a_player_sees_walls_and_what_is_near_its_objects),
        cmocka_unit_test(the_commands_in_the_document_are_accepted),
        cmocka_unit_test(words_after_the_fourth_are_ignored),
        cmocka_unit_test(unknown_and_impossible_commands_are_ignored_with_a_reason),
        cmocka_unit_test(an_answer_has_at_most_4096_lines_of_1024_bytes),
        cmocka_unit_test(the_last_message_is_gg),
        cmocka_unit_test(every_farm_pays_before_anything_else),
        cmocka_unit_test(the_four_directions_match_the_table),
        cmocka_unit_test(no_warrior_enters_a_cell_that_stays_occupied),
        cmocka_unit_test(the_first_valid_move_counts),
        cmocka_unit_test(warriors_that_want_the_same_cell_do_not_move),
        cmocka_unit_test(warriors_that_want_to_swap_do_not_move),
        cmocka_unit_test(a_line_of_warriors_moves_together),
        cmocka_unit_test(a_line_behind_a_blocked_warrior_stays),
        cmocka_unit_test(a_closed_ring_of_warriors_moves_together),
        cmocka_unit_test(a_ring_with_a_contested_cell_stays),
        cmocka_unit_test(movement_matches_a_slow_reference),
        cmocka_unit_test(damage_is_divided_between_the_enemies_in_range),
        cmocka_unit_test(range_2_is_euclidean),
        cmocka_unit_test(parts_are_rounded_to_the_nearest_whole_halves_up),
        cmocka_unit_test(walls_and_own_objects_take_no_damage_and_no_share),
        cmocka_unit_test(all_warriors_strike_before_the_dead_are_removed),
        cmocka_unit_test(battle_follows_movement),
        cmocka_unit_test(a_warrior_strikes_exactly_what_is_in_range),
        cmocka_unit_test(the_maximum_damage_does_not_overflow),
        cmocka_unit_test(a_barracks_spawns_one_warrior_for_its_cost),
        cmocka_unit_test(the_first_valid_order_of_a_barracks_counts_even_without_effect),
        cmocka_unit_test(a_cell_whose_warrior_leaves_or_dies_is_free_for_spawning),
        cmocka_unit_test(a_barracks_that_falls_in_the_battle_still_spawns),
        cmocka_unit_test(two_players_who_spawn_on_one_cell_get_nothing_even_if_one_cannot_pay),
        cmocka_unit_test(two_barracks_of_one_player_spawn_one_warrior_on_one_cell),
        cmocka_unit_test(spawning_is_paid_in_the_order_of_commands),
        cmocka_unit_test(a_new_warrior_neither_moves_nor_fights_in_that_turn),
        cmocka_unit_test(a_building_must_be_within_distance_2_of_an_own_building),
        cmocka_unit_test(castles_barracks_and_farms_are_buildings_but_warriors_are_not),
        cmocka_unit_test(distance_is_measured_from_buildings_at_the_start_of_the_turn),
        cmocka_unit_test(two_players_who_build_on_one_cell_get_nothing),
        cmocka_unit_test(a_player_who_wants_two_kinds_on_one_cell_gets_neither),
        cmocka_unit_test(building_happens_and_is_paid_after_spawning),
        cmocka_unit_test(a_cell_contested_by_two_spawns_is_free_for_building),
        cmocka_unit_test(building_is_paid_in_the_order_of_players_and_commands),
        cmocka_unit_test(a_player_without_a_castle_loses_and_the_last_player_wins),
        cmocka_unit_test(a_player_with_two_castles_loses_when_both_have_fallen),
        cmocka_unit_test(players_rank_by_when_they_lost),
        cmocka_unit_test(if_nobody_is_left_those_who_lost_last_share_first_place),
        cmocka_unit_test(after_the_last_turn_the_remaining_players_share_first_place),
        cmocka_unit_test(objects_of_a_lost_player_stay_fight_and_can_be_destroyed),
        cmocka_unit_test(a_bot_that_fails_loses_at_once_and_its_objects_stay),
        cmocka_unit_test(if_failures_leave_one_player_the_turn_is_still_resolved),
        cmocka_unit_test(warriors_of_a_failed_bot_can_destroy_the_last_castle_in_the_same_turn),
        cmocka_unit_test(a_bot_that_fails_the_handshake_loses_before_the_first_turn),
        cmocka_unit_test(events_describe_what_happened),
        cmocka_unit_test(the_board_is_drawn_and_written_as_json),
        cmocka_unit_test(an_invalid_configuration_is_rejected_with_file_line_and_field),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
