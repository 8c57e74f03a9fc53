/* The rules of Capture the flag, one sentence per test; maps are drawn as text and views are
   compared as a whole. The messages and the configuration in the game's original document are
   tested here. */
#include "base/framing.h"
#include "games/ctf/ctf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define STANDARD_RULES                                                         \
 "Rules { nRounds = 100, nSoldiers = 3, pointsKill = 1, pointsCapture = 100, " \
 "grenadeRange = 10, grenadeCooldown = 8 }\n"

typedef struct Fixture {
    CtfSetup *setup;
    CtfState *state;
    CtfOrders *orders[2];
    Notes notes;
    Buffer text;
} Fixture;

static Fixture *start_with(const char *config, const char *map) {
    Fixture *fixture = calloc(1, sizeof *fixture);
    GameFile config_file = {config ? "config" : NULL, slice_of(config ? config : "")};
    GameFile map_file = {map ? "map" : NULL, slice_of(map ? map : "")};
    Error error;
    GameSetup *setup = ctf_setup(&config_file, &map_file, 2, &error);
    if (!setup)
        fail_msg("%s", error.text);
    fixture->setup = (CtfSetup *)setup;
    fixture->state = (CtfState *)game_state_new(setup);
    ctf_init(setup, 1, &fixture->state->head);
    for (int team = 0; team < 2; team++)
        fixture->orders[team] = (CtfOrders *)game_orders_new(setup);
    fixture->notes.wants_events = true;
    return fixture;
}

/* A match on a drawn map: range 3, default points, plenty of rounds. */
static Fixture *start(int soldiers, int cooldown, const char *map) {
    char config[200];
    snprintf(config, sizeof config,
             "Rules { nRounds = 99, nSoldiers = %d, pointsKill = 1, pointsCapture = 100, "
             "grenadeRange = 3, grenadeCooldown = %d }\n",
             soldiers, cooldown);
    return start_with(config, map);
}

static void done(Fixture *fixture) {
    free(fixture->orders[0]);
    free(fixture->orders[1]);
    free(fixture->state);
    buffer_free(&fixture->text);
    ctf_setup_free(&fixture->setup->head);
    free(fixture);
}

static bool say(Fixture *fixture, uint32_t team, const char *answer, Error *error) {
    return game_ctf.read(&fixture->setup->head, &fixture->state->head, team, slice_of(answer),
                         &fixture->orders[team]->head, &fixture->notes, error);
}

/* Plays one round. The answers are given without the final empty line. */
static void play(Fixture *fixture, const char *a, const char *b) {
    const char *const answers[] = {a, b};
    notes_clear(&fixture->notes);
    for (uint32_t team = 0; team < 2; team++) {
        char answer[200];
        Error error;
        snprintf(answer, sizeof answer, "%s\n%s", answers[team], *answers[team] ? "\n" : "");
        if (!say(fixture, team, answer, &error))
            fail_msg("%s", error.text);
    }
    const GameOrders *orders[] = {&fixture->orders[0]->head, &fixture->orders[1]->head};
    ctf_step(&fixture->setup->head, &fixture->state->head, orders, &fixture->notes);
}

static void play_rounds(Fixture *fixture, int rounds) {
    for (int i = 0; i < rounds; i++)
        play(fixture, "", "");
}

/* Compares a view, given without the final empty line. */
static void expect_view(Fixture *fixture, uint32_t team, const char *lines) {
    char expected[2000];
    snprintf(expected, sizeof expected, "%s\n", lines);
    buffer_clear(&fixture->text);
    game_ctf.view(&fixture->setup->head, &fixture->state->head, team, &fixture->text);
    assert_string_equal(buffer_string(&fixture->text), expected);
}

/* Compares the log of the last round. */
static void expect_events(const Fixture *fixture, const char *lines) {
    char events[NOTES_BYTES + 1];
    memcpy(events, fixture->notes.events, fixture->notes.events_length);
    events[fixture->notes.events_length] = '\0';
    assert_string_equal(events, lines);
}

static void expect_refusal(const Fixture *fixture, uint32_t team, const char *reason) {
    uint32_t at = 0;
    uint32_t player = 9;
    Slice text;
    assert_true(notes_next_refusal(&fixture->notes, &at, &player, &text));
    assert_int_equal(player, team);
    assert_string_equal(text.at, reason);
    assert_int_equal(fixture->notes.refused[team], 1);
    assert_int_equal(fixture->notes.refused[1 - team], 0);
}

static uint32_t number_of(const Fixture *fixture, char name) {
    uint32_t number = 0;
    while (ctf_name(fixture->setup, number) != name)
        number++;
    return number;
}

static CtfSoldier *soldier(const Fixture *fixture, char name) {
    return &fixture->state->soldier[number_of(fixture, name)];
}

static void expect_at(const Fixture *fixture, char name, int x, int y) {
    assert_int_equal(soldier(fixture, name)->at.x, x);
    assert_int_equal(soldier(fixture, name)->at.y, y);
}

static void put(const Fixture *fixture, char name, int x, int y) {
    soldier(fixture, name)->at = (CtfSquare){(uint8_t)x, (uint8_t)y};
}

/* Makes the soldier carry the enemy's flag. */
static void give_flag(const Fixture *fixture, char name) {
    uint32_t number = number_of(fixture, name);
    fixture->state->flag[1 - ctf_team(fixture->setup, number)] =
        (CtfFlag){.at = fixture->state->soldier[number].at, .carrier = (uint8_t)number};
}

/* ---- setup ---- */

static void the_rules_in_the_document_are_the_defaults(void **unused) {
    (void)unused;
    Fixture *given = start_with(STANDARD_RULES, NULL);
    Fixture *standard = start_with(NULL, NULL);
    assert_memory_equal(&given->setup->rules, &standard->setup->rules, sizeof(CtfRules));
    const CtfRules *rules = &standard->setup->rules;
    assert_int_equal(rules->rounds, 100);
    assert_int_equal(rules->soldiers, 3);
    assert_int_equal(rules->points_kill, 1);
    assert_int_equal(rules->points_capture, 100);
    assert_int_equal(rules->grenade_range, 10);
    assert_int_equal(rules->grenade_cooldown, 8);
    assert_int_equal(standard->setup->head.turns_max, 100);
    done(given);
    done(standard);
}

static void white_space_and_field_order_do_not_matter(void **unused) {
    (void)unused;
    static const char *const configs[] = {
        "Rules{nRounds=7,nSoldiers=2,pointsKill=-3,pointsCapture=5,grenadeRange=0,"
        "grenadeCooldown=1}",
        "  Rules\t{ grenadeCooldown =1 ,\tgrenadeRange= 0, pointsCapture = 5 , nSoldiers = 2,"
        " pointsKill = -3,nRounds = 7\t}  \r\n",
    };
    for (size_t i = 0; i < 2; i++) {
        Fixture *fixture = start_with(configs[i], NULL);
        const CtfRules *rules = &fixture->setup->rules;
        assert_int_equal(rules->rounds, 7);
        assert_int_equal(rules->soldiers, 2);
        assert_int_equal(rules->points_kill, -3);
        assert_int_equal(rules->points_capture, 5);
        assert_int_equal(rules->grenade_range, 0);
        assert_int_equal(rules->grenade_cooldown, 1);
        done(fixture);
    }
}

static void the_map_follows_the_rules_or_has_its_own_file(void **unused) {
    (void)unused;
    static const char *const given[][2] = {
        {STANDARD_RULES "A.a\n.#.\nb.B\n", NULL},
        {STANDARD_RULES "A.a\r\n.#.\r\nb.B", NULL},
        {STANDARD_RULES "A.a\n.#.\nb.B\n\n\n", NULL},
        {STANDARD_RULES, "A.a\n.#.\nb.B\n"},
        {NULL, "A.a\n.#.\nb.B\n"},
    };
    for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
        Fixture *fixture = start_with(given[i][0], given[i][1]);
        const CtfSetup *setup = fixture->setup;
        assert_int_equal(setup->width, 3);
        assert_int_equal(setup->height, 3);
        assert_memory_equal(setup->tiles, "A.a.#.b.B", 9);
        assert_int_equal(setup->spawn[0].x, 0);
        assert_int_equal(setup->spawn[0].y, 0);
        assert_int_equal(setup->spawn[1].x, 2);
        assert_int_equal(setup->spawn[1].y, 2);
        assert_int_equal(setup->base[0].x, 2);
        assert_int_equal(setup->base[0].y, 0);
        assert_int_equal(setup->base[1].x, 0);
        assert_int_equal(setup->base[1].y, 2);
        done(fixture);
    }
}

static void an_invalid_configuration_is_rejected_with_file_line_and_field(void **unused) {
    (void)unused;
    static const struct {
        const char *config;
        const char *map;
        const char *message;
    } cases[] = {
        {"", NULL,
         "c.txt:1:1: expected \"Rules\" at the start of the line of rules, not the end of the "
         "line"},
        {"A.a\nb.B\n", NULL,
         "c.txt:1:1: expected \"Rules\" at the start of the line of rules, not \"A.a\""},
        {"Rules nRounds", NULL, "c.txt:1:7: expected \"{\" after \"Rules\", not \"nRounds\""},
        {"Rules { }", NULL,
         "c.txt:1:9: expected one of nRounds, nSoldiers, pointsKill, pointsCapture, grenadeRange "
         "and grenadeCooldown, not \"}\""},
        {"Rules { nRounds = 5, colour = 3 }", NULL,
         "c.txt:1:22: expected one of nRounds, nSoldiers, pointsKill, pointsCapture, grenadeRange "
         "and grenadeCooldown, not \"colour\""},
        {"Rules { nRounds = 5, nSoldier = 3 }", NULL,
         "c.txt:1:22: unknown field \"nSoldier\"; did you mean \"nSoldiers\"?"},
        {"Rules { nRounds = 5, }", NULL,
         "c.txt:1:22: expected one of nRounds, nSoldiers, pointsKill, pointsCapture, grenadeRange "
         "and grenadeCooldown, not \"}\""},
        {"Rules { nRounds = 5, nRounds = 6 }", NULL, "c.txt:1:22: \"nRounds\" is set twice"},
        {"Rules { nRounds : 5 }", NULL,
         "c.txt:1:17: expected \"=\" after the name of a field, not \":\""},
        {"Rules { nRounds = ", NULL,
         "c.txt:1:19: \"nRounds\" must be a whole number from 1 to 100000, not the end of the "
         "line"},
        {"Rules { nRounds = 0 }", NULL,
         "c.txt:1:19: \"nRounds\" must be a whole number from 1 to 100000, not \"0\""},
        {"Rules { nRounds = 100001 }", NULL,
         "c.txt:1:19: \"nRounds\" must be a whole number from 1 to 100000, not \"100001\""},
        {"Rules { nRounds = ten }", NULL,
         "c.txt:1:19: \"nRounds\" must be a whole number from 1 to 100000, not \"ten\""},
        {"Rules { nRounds = 1.5 }", NULL,
         "c.txt:1:19: \"nRounds\" must be a whole number from 1 to 100000, not \"1.5\""},
        {"Rules { nSoldiers = 8 }", NULL,
         "c.txt:1:21: \"nSoldiers\" must be a whole number from 1 to 7, not \"8\""},
        {"Rules { nSoldiers = 0 }", NULL,
         "c.txt:1:21: \"nSoldiers\" must be a whole number from 1 to 7, not \"0\""},
        {"Rules { pointsKill = 1000001 }", NULL,
         "c.txt:1:22: \"pointsKill\" must be a whole number from -1000000 to 1000000, not "
         "\"1000001\""},
        {"Rules { pointsCapture = -1000001 }", NULL,
         "c.txt:1:25: \"pointsCapture\" must be a whole number from -1000000 to 1000000, not "
         "\"-1000001\""},
        {"Rules { grenadeRange = -1 }", NULL,
         "c.txt:1:24: \"grenadeRange\" must be a whole number from 0 to 1000, not \"-1\""},
        {"Rules { grenadeCooldown = 99999999999999999999 }", NULL,
         "c.txt:1:27: \"grenadeCooldown\" must be a whole number from 0 to 10000, not "
         "\"99999999999999999999\""},
        {"Rules { nRounds = 5 nSoldiers = 3 }", NULL,
         "c.txt:1:21: expected \",\" or \"}\" after a field, not \"nSoldiers\""},
        {"Rules { nRounds = 5,\nnSoldiers = 3 }", NULL,
         "c.txt:1:21: expected one of nRounds, nSoldiers, pointsKill, pointsCapture, grenadeRange "
         "and grenadeCooldown, not the end of the line"},
        {"Rules { nRounds = 5 } x", NULL,
         "c.txt:1:23: expected the end of the line after the rules, not \"x\""},
        {"Rules { nRounds = 5, nSoldiers = 3, pointsCapture = 100, grenadeRange = 10, "
         "grenadeCooldown = 8 }",
         NULL,
         "c.txt:1: \"pointsKill\" is missing; nRounds, nSoldiers, pointsKill, pointsCapture, "
         "grenadeRange and grenadeCooldown are all required"},
        {STANDARD_RULES "A.a\nb.\n", NULL, "c.txt:3: the row has 2 squares; the first row has 3"},
        {STANDARD_RULES "A.a\nb.B.\n", NULL, "c.txt:3: the row has 4 squares; the first row has 3"},
        {STANDARD_RULES "A.a\n\nb.B\n", NULL, "c.txt:3: empty line inside the map"},
        {STANDARD_RULES "A.a\nb B\n", NULL,
         "c.txt:3:2: a square must be one of . # A B a b, not \" \""},
        {STANDARD_RULES "A.a\nb.B\nA..\n", NULL,
         "c.txt:4:1: a second \"A\"; the first is in line 2"},
        {STANDARD_RULES "a.a\nb.B\n", NULL, "c.txt:2:3: a second \"a\"; the first is in line 2"},
        {STANDARD_RULES "..a\nb.B\n", NULL, "c.txt: the map has no \"A\", the spawn of team A"},
        {STANDARD_RULES "A.a\nb..\n", NULL, "c.txt: the map has no \"B\", the spawn of team B"},
        {STANDARD_RULES "A..\nb.B\n", NULL, "c.txt: the map has no \"a\", the base of team A"},
        {STANDARD_RULES "A.a\n..B\n", NULL, "c.txt: the map has no \"b\", the base of team B"},
        {STANDARD_RULES "A.a\nb.B\n", "A.a\nb.B\n",
         "c.txt:2: the map is also set in m.txt; remove one of them"},
        {NULL, "", "m.txt: the map has no \"A\", the spawn of team A"},
        {NULL, STANDARD_RULES "A.a\nb.B\n",
         "m.txt:1: a map has no line of rules; a file with one is a configuration"},
        {NULL, "A.a\nb.\xff\n", "m.txt:2:3: a square must be one of . # A B a b, not \"?\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        GameFile config = {cases[i].config ? "c.txt" : NULL,
                           slice_of(cases[i].config ? cases[i].config : "")};
        GameFile map = {cases[i].map ? "m.txt" : NULL, slice_of(cases[i].map ? cases[i].map : "")};
        Error error = {0};
        assert_null(ctf_setup(&config, &map, 2, &error));
        assert_string_equal(error.text, cases[i].message);
    }
}

static void a_map_has_at_most_200_rows_of_200_squares(void **unused) {
    (void)unused;
    GameFile none = {0};
    for (int too_much = 0; too_much < 3; too_much++) {
        size_t width = too_much == 1 ? 201 : 200;
        size_t height = too_much == 2 ? 201 : 200;
        Buffer text = {0};
        for (size_t y = 0; y < height; y++) {
            for (size_t x = 0; x < width; x++)
                buffer_char(&text, y == 0 && x < 4 ? "AaBb"[x] : '.');
            buffer_char(&text, '\n');
        }
        GameFile map = {"m.txt", {text.data, text.length}};
        Error error = {0};
        GameSetup *setup = ctf_setup(&none, &map, 2, &error);
        assert_string_equal(error.text, too_much == 0 ? ""
                                        : too_much == 1
                                            ? "m.txt:1: a row has at most 200 squares, not 201"
                                            : "m.txt:201: a map has at most 200 rows");
        assert_int_equal(setup != NULL, too_much == 0);
        ctf_setup_free(setup);
        buffer_free(&text);
    }
}

static void other_numbers_of_players_than_two_are_rejected(void **unused) {
    (void)unused;
    GameFile none = {0};
    Error error;
    assert_null(ctf_setup(&none, &none, 3, &error));
    assert_string_equal(error.text, "Capture the flag is for 2 players, not 3");
}

static void soldiers_have_names_and_start_on_their_spawn_with_a_full_cooldown(void **unused) {
    (void)unused;
    static const char *const names[] = {"LX",         "LMXY",         "LMNXYZ",        "LMNPWXYZ",
                                        "LMNPQVWXYZ", "LMNPQRUVWXYZ", "LMNPQRSTUVWXYZ"};
    for (int count = 1; count <= 7; count++) {
        Fixture *fixture = start(count, 5, "A.a\nb.B\n");
        for (uint32_t number = 0; number < 2 * (uint32_t)count; number++) {
            assert_int_equal(ctf_name(fixture->setup, number), names[count - 1][number]);
            const CtfSoldier *is = &fixture->state->soldier[number];
            bool of_a = number >= (uint32_t)count;
            assert_int_equal(is->at.x, of_a ? 0 : 2);
            assert_int_equal(is->at.y, of_a ? 0 : 1);
            assert_int_equal(is->cooldown, 5);
            assert_int_equal(is->alive, 1);
        }
        done(fixture);
    }
}

static void the_three_built_in_maps_are_symmetric_under_half_a_turn(void **unused) {
    (void)unused;
    static const uint32_t sizes[][2] = {{15, 15}, {25, 24}, {31, 31}};
    assert_string_equal(ctf_maps[0].name, "standard");
    for (size_t i = 0; i < 3; i++) {
        Fixture *fixture = start_with(NULL, ctf_maps[i].text);
        const CtfSetup *setup = fixture->setup;
        assert_int_equal(setup->width, sizes[i][0]);
        assert_int_equal(setup->height, sizes[i][1]);
        uint32_t cells = setup->width * setup->height;
        for (uint32_t at = 0; at < cells; at++) {
            static const char tiles[] = ".#ABab";
            static const char turned[] = ".#BAba";
            assert_int_equal(setup->tiles[cells - 1 - at],
                             turned[strchr(tiles, setup->tiles[at]) - tiles]);
        }
        done(fixture);
    }
    assert_null(ctf_maps[3].name);
}

/* ---- the view ---- */

static void the_first_view_begins_with_the_team_and_the_map(void **unused) {
    (void)unused;
    Fixture *fixture = start_with(STANDARD_RULES "A...a\n..#..\nb...B\n", NULL);
    expect_view(fixture, 0,
                "A\n"
                "A...a\n"
                "..#..\n"
                "b...B\n"
                "\n"
                "0 0\n"
                "Flag 4 0\n"
                "Soldier X 0 0 8 True No\n"
                "Soldier Y 0 0 8 True No\n"
                "Soldier Z 0 0 8 True No\n"
                "EnemyFlag 0 2\n"
                "Enemy L 4 2 True No\n"
                "Enemy M 4 2 True No\n"
                "Enemy N 4 2 True No\n");
    expect_view(fixture, 1,
                "B\n"
                "A...a\n"
                "..#..\n"
                "b...B\n"
                "\n"
                "0 0\n"
                "Flag 0 2\n"
                "Soldier L 4 2 8 True No\n"
                "Soldier M 4 2 8 True No\n"
                "Soldier N 4 2 8 True No\n"
                "EnemyFlag 4 0\n"
                "Enemy X 0 0 True No\n"
                "Enemy Y 0 0 True No\n"
                "Enemy Z 0 0 True No\n");
    play(fixture, "X R", "");
    expect_view(fixture, 1,
                "0 0\n"
                "Flag 0 2\n"
                "Soldier L 4 2 7 True No\n"
                "Soldier M 4 2 7 True No\n"
                "Soldier N 4 2 7 True No\n"
                "EnemyFlag 4 0\n"
                "Enemy X 1 0 True No\n"
                "Enemy Y 0 0 True No\n"
                "Enemy Z 0 0 True No\n");
    done(fixture);
}

static void soldiers_are_listed_by_name_in_alphabetical_order(void **unused) {
    (void)unused;
    Fixture *fixture = start(4, 1, "A.a\nb.B\n");
    play_rounds(fixture, 1);
    expect_view(fixture, 0,
                "0 0\n"
                "Flag 2 0\n"
                "Soldier W 0 0 0 True No\n"
                "Soldier X 0 0 0 True No\n"
                "Soldier Y 0 0 0 True No\n"
                "Soldier Z 0 0 0 True No\n"
                "EnemyFlag 0 1\n"
                "Enemy L 2 1 True No\n"
                "Enemy M 2 1 True No\n"
                "Enemy N 2 1 True No\n"
                "Enemy P 2 1 True No\n");
    done(fixture);
}

static void only_own_grenades_are_listed_the_oldest_first_then_by_the_throwers_name(void **unused) {
    (void)unused;
    Fixture *fixture = start(2, 0, "A.....a\n.......\nb.....B\n");
    play(fixture, "Y S (1,1)", "L S (5,1)");
    play(fixture, "Y S (2,1)\nX S (3,0)", "");
    expect_view(fixture, 0,
                "0 0\n"
                "Flag 6 0\n"
                "Soldier X 0 0 0 True No\n"
                "Soldier Y 0 0 0 True No\n"
                "Grenade 1 1 1\n"
                "Grenade 3 0 2\n"
                "Grenade 2 1 2\n"
                "EnemyFlag 0 2\n"
                "Enemy L 6 2 True No\n"
                "Enemy M 6 2 True No\n");
    expect_view(fixture, 1,
                "0 0\n"
                "Flag 0 2\n"
                "Soldier L 6 2 0 True No\n"
                "Soldier M 6 2 0 True No\n"
                "Grenade 5 1 1\n"
                "EnemyFlag 6 0\n"
                "Enemy X 0 0 True No\n"
                "Enemy Y 0 0 True No\n");
    done(fixture);
}

/* ---- a round: respawns and explosions ---- */

/* The whole life of a grenade that kills a teammate of its thrower and an enemy, view by view. */
static void a_grenade_explodes_after_three_rounds_and_the_dead_respawn_one_round_later(
    void **unused) {
    (void)unused;
    Fixture *fixture = start(2, 4, "A...a\n.....\nb...B\n");
    play_rounds(fixture, 4);
    put(fixture, 'M', 2, 1);
    play(fixture, "X S (1,1)", "");
    expect_events(fixture, "X throws a grenade at (1,1)\n");
    expect_view(fixture, 0,
                "0 0\n"
                "Flag 4 0\n"
                "Soldier X 0 0 3 True No\n"
                "Soldier Y 0 0 0 True No\n"
                "Grenade 1 1 2\n"
                "EnemyFlag 0 2\n"
                "Enemy L 4 2 True No\n"
                "Enemy M 2 1 True No\n");
    play(fixture, "X R", "");
    expect_view(fixture, 0,
                "0 0\n"
                "Flag 4 0\n"
                "Soldier X 1 0 2 True No\n"
                "Soldier Y 0 0 0 True No\n"
                "Grenade 1 1 1\n"
                "EnemyFlag 0 2\n"
                "Enemy L 4 2 True No\n"
                "Enemy M 2 1 True No\n");
    play(fixture, "X R", "");
    play(fixture, "X R", "");
    expect_events(fixture, "the grenade of X explodes at (1,1)\n"
                           "M dies at (2,1): A 1 - B 0\n"
                           "X dies at (2,0): A 1 - B 1\n"
                           "Y dies at (0,0): A 1 - B 2\n");
    expect_refusal(fixture, 0, "X has an order, but is dead");
    expect_view(fixture, 0,
                "1 2\n"
                "Flag 4 0\n"
                "Soldier X 2 0 0 False No\n"
                "Soldier Y 0 0 0 False No\n"
                "EnemyFlag 0 2\n"
                "Enemy L 4 2 True No\n"
                "Enemy M 2 1 False No\n");
    play(fixture, "X D", "");
    expect_events(fixture, "M is back at (4,2)\n"
                           "X is back at (0,0)\n"
                           "Y is back at (0,0)\n");
    expect_view(fixture, 0,
                "1 2\n"
                "Flag 4 0\n"
                "Soldier X 0 1 3 True No\n"
                "Soldier Y 0 0 3 True No\n"
                "EnemyFlag 0 2\n"
                "Enemy L 4 2 True No\n"
                "Enemy M 4 2 True No\n");
    done(fixture);
}

/* A grenade that is about to explode is no longer listed: views show 2, then 1, then nothing. */
static void the_last_view_before_an_explosion_does_not_list_the_grenade(void **unused) {
    (void)unused;
    Fixture *fixture = start(1, 0, "A...a\n.....\nb...B\n");
    play(fixture, "X S (3,0)", "");
    play_rounds(fixture, 2);
    assert_int_equal(fixture->state->grenade_count, 1);
    expect_view(fixture, 0,
                "0 0\n"
                "Flag 4 0\n"
                "Soldier X 0 0 0 True No\n"
                "EnemyFlag 0 2\n"
                "Enemy L 4 2 True No\n");
    play_rounds(fixture, 1);
    expect_events(fixture, "the grenade of X explodes at (3,0)\n");
    assert_int_equal(fixture->state->grenade_count, 0);
    done(fixture);
}

static void an_explosion_reaches_exactly_three_by_three_squares(void **unused) {
    (void)unused;
    for (int y = 0; y < 5; y++)
        for (int x = 0; x < 5; x++) {
            Fixture *fixture = start(1, 0, "A.....\n......\n......\n......\n.....B\na....b\n");
            play(fixture, "X S (2,1)", "");
            play_rounds(fixture, 2);
            put(fixture, 'L', x, y);
            play_rounds(fixture, 1);
            assert_int_equal(soldier(fixture, 'L')->alive, !(x >= 1 && x <= 3 && y <= 2));
            done(fixture);
        }
}

static void explosions_precede_orders_so_nobody_escapes_in_the_same_round(void **unused) {
    (void)unused;
    Fixture *fixture = start(1, 0, "A.....a\n.......\nb.....B\n");
    put(fixture, 'L', 2, 1);
    play(fixture, "X S (2,1)", "");
    play_rounds(fixture, 2);
    put(fixture, 'L', 3, 1);
    play(fixture, "", "L R");
    assert_int_equal(soldier(fixture, 'L')->alive, 0);
    expect_at(fixture, 'L', 3, 1);
    done(fixture);
}

static void a_soldier_that_leaves_one_round_earlier_survives(void **unused) {
    (void)unused;
    Fixture *fixture = start(1, 0, "A.....a\n.......\nb.....B\n");
    play(fixture, "X S (2,1)", "");
    play_rounds(fixture, 1);
    put(fixture, 'L', 3, 1);
    play(fixture, "", "L R");
    play_rounds(fixture, 1);
    assert_int_equal(soldier(fixture, 'L')->alive, 1);
    done(fixture);
}

static void a_soldier_can_die_in_the_round_in_which_it_respawns(void **unused) {
    (void)unused;
    Fixture *fixture = start(1, 0, "A.....a\n.......\nb.....B\n");
    put(fixture, 'L', 1, 0);
    play(fixture, "X S (1,0)", "");
    put(fixture, 'X', 4, 0);
    play(fixture, "X S (5,2)", "");
    play_rounds(fixture, 1);
    play_rounds(fixture, 1);
    expect_events(fixture, "the grenade of X explodes at (1,0)\n"
                           "L dies at (1,0): A 1 - B 0\n");
    play(fixture, "", "L U");
    expect_events(fixture, "L is back at (6,2)\n"
                           "the grenade of X explodes at (5,2)\n"
                           "L dies at (6,2): A 2 - B 0\n");
    play(fixture, "", "L U");
    expect_events(fixture, "L is back at (6,2)\n");
    expect_at(fixture, 'L', 6, 1);
    done(fixture);
}

static void grenades_explode_in_throwing_order_and_a_soldier_dies_only_once(void **unused) {
    (void)unused;
    Fixture *fixture = start(2, 0, "A.....a\n.......\nb.....B\n");
    put(fixture, 'L', 1, 2);
    put(fixture, 'M', 6, 0);
    play(fixture, "Y S (1,1)\nX S (0,1)", "L S (2,1)");
    put(fixture, 'X', 3, 0);
    put(fixture, 'Y', 3, 0);
    play_rounds(fixture, 3);
    expect_events(fixture, "the grenade of L explodes at (2,1)\n"
                           "L dies at (1,2): A 1 - B 0\n"
                           "X dies at (3,0): A 1 - B 1\n"
                           "Y dies at (3,0): A 1 - B 2\n"
                           "the grenade of X explodes at (0,1)\n"
                           "the grenade of Y explodes at (1,1)\n");
    done(fixture);
}

static void dead_soldiers_cool_down_too(void **unused) {
    (void)unused;
    Fixture *fixture = start(1, 0, "A.....a\n.......\nb.....B\n");
    play(fixture, "X S (0,1)", "");
    play_rounds(fixture, 2);
    soldier(fixture, 'X')->cooldown = 2;
    play_rounds(fixture, 1);
    expect_view(fixture, 0,
                "0 1\n"
                "Flag 6 0\n"
                "Soldier X 0 0 1 False No\n"
                "EnemyFlag 0 2\n"
                "Enemy L 6 2 True No\n");
    done(fixture);
}

static void a_dead_carrier_drops_the_flag_and_its_teammates_can_pick_it_up(void **unused) {
    (void)unused;
    Fixture *fixture = start(2, 0, "A.....a\n.......\nb.....B\n");
    put(fixture, 'X', 4, 1);
    give_flag(fixture, 'X');
    play(fixture, "", "L S (4,1)");
    play_rounds(fixture, 3);
    expect_events(fixture, "the grenade of L explodes at (4,1)\n"
                           "X dies at (4,1): A 0 - B 1\n"
                           "X drops the flag of B at (4,1)\n");
    expect_view(fixture, 1,
                "1 0\n"
                "Flag 4 1\n"
                "Soldier L 6 2 0 True No\n"
                "Soldier M 6 2 0 True No\n"
                "EnemyFlag 6 0\n"
                "Enemy X 4 1 False No\n"
                "Enemy Y 0 0 True No\n");
    /* The flag's own team cannot touch it. */
    put(fixture, 'M', 4, 1);
    play(fixture, "", "M S");
    expect_view(fixture, 1,
                "1 0\n"
                "Flag 4 1\n"
                "Soldier L 6 2 0 True No\n"
                "Soldier M 4 1 0 True No\n"
                "EnemyFlag 6 0\n"
                "Enemy X 0 0 True No\n"
                "Enemy Y 0 0 True No\n");
    put(fixture, 'Y', 3, 1);
    play(fixture, "Y R", "");
    expect_events(fixture, "");
    play(fixture, "Y U", "");
    expect_events(fixture, "Y picks up the flag of B at (4,1)\n");
    expect_view(fixture, 1,
                "1 0\n"
                "Flag 4 0\n"
                "Soldier L 6 2 0 True No\n"
                "Soldier M 4 1 0 True No\n"
                "EnemyFlag 6 0\n"
                "Enemy X 0 0 True No\n"
                "Enemy Y 4 0 True B\n");
    done(fixture);
}

/* ---- a round: orders ---- */

/* The document: U is y--, D is y++, L is x--, R is x++, S stays. */
static void the_five_directions_match_the_document(void **unused) {
    (void)unused;
    static const struct {
        const char *order;
        int x;
        int y;
    } cases[] = {{"X U", 2, 0}, {"X D", 2, 2}, {"X L", 1, 1}, {"X R", 3, 1}, {"X S", 2, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Fixture *fixture = start(1, 8, "A...a\n.....\nb...B\n");
        put(fixture, 'X', 2, 1);
        play(fixture, cases[i].order, "");
        expect_at(fixture, 'X', cases[i].x, cases[i].y);
        done(fixture);
    }
}

static void a_soldier_without_an_order_only_cools_down(void **unused) {
    (void)unused;
    Fixture *fixture = start(2, 3, "A...a\n.....\nb...B\n");
    put(fixture, 'X', 0, 2);
    play(fixture, "Y R", "");
    assert_int_equal(fixture->state->flag[1].carrier, CTF_NOBODY);
    expect_at(fixture, 'X', 0, 2);
    assert_int_equal(soldier(fixture, 'X')->cooldown, 2);
    assert_int_equal(soldier(fixture, 'Y')->cooldown, 2);
    play_rounds(fixture, 3);
    assert_int_equal(soldier(fixture, 'X')->cooldown, 0);
    play(fixture, "X S", "");
    assert_int_equal(fixture->state->flag[1].carrier, number_of(fixture, 'X'));
    done(fixture);
}

static void map_edges_and_obstacles_stop_a_soldier(void **unused) {
    (void)unused;
    static const struct {
        const char *order;
        const char *reason;
    } cases[] = {
        {"X U", "X moves U from (0,0): off the map"},
        {"X L", "X moves L from (0,0): off the map"},
        {"X R", "X moves R from (0,0): an obstacle is in the way"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Fixture *fixture = start(1, 8, "A#..a\n.....\nb...B\n");
        play(fixture, cases[i].order, "");
        expect_at(fixture, 'X', 0, 0);
        expect_refusal(fixture, 0, cases[i].reason);
        done(fixture);
    }
    Fixture *fixture = start(1, 8, "A#..a\n.....\nb...B\n");
    play(fixture, "", "L R");
    expect_refusal(fixture, 1, "L moves R from (4,2): off the map");
    play(fixture, "", "L D");
    expect_refusal(fixture, 1, "L moves D from (4,2): off the map");
    done(fixture);
}

/* From the spawn to the first points, view by view. */
static void a_flag_is_picked_up_carried_home_and_captured(void **unused) {
    (void)unused;
    Fixture *fixture = start(1, 0, "Aab.B\n");
    play(fixture, "X R", "");
    play(fixture, "X R", "");
    /* On the flag, but not carrying it yet. */
    expect_events(fixture, "");
    expect_view(fixture, 0,
                "0 0\n"
                "Flag 1 0\n"
                "Soldier X 2 0 0 True No\n"
                "EnemyFlag 2 0\n"
                "Enemy L 4 0 True No\n");
    play(fixture, "X L", "");
    expect_events(fixture, "X picks up the flag of B at (2,0)\n");
    expect_view(fixture, 0,
                "0 0\n"
                "Flag 1 0\n"
                "Soldier X 1 0 0 True B\n"
                "EnemyFlag 1 0\n"
                "Enemy L 4 0 True No\n");
    expect_view(fixture, 1,
                "0 0\n"
                "Flag 1 0\n"
                "Soldier L 4 0 0 True No\n"
                "EnemyFlag 1 0\n"
                "Enemy X 1 0 True B\n");
    /* Nothing is captured without an order; the next order captures it, wherever it leads. */
    play(fixture, "", "");
    expect_view(fixture, 1,
                "0 0\n"
                "Flag 1 0\n"
                "Soldier L 4 0 0 True No\n"
                "EnemyFlag 1 0\n"
                "Enemy X 1 0 True B\n");
    play(fixture, "X L", "");
    expect_events(fixture, "X captures the flag of B: A 100 - B 0\n");
    expect_view(fixture, 0,
                "100 0\n"
                "Flag 1 0\n"
                "Soldier X 0 0 0 True No\n"
                "EnemyFlag 2 0\n"
                "Enemy L 4 0 True No\n");
    done(fixture);
}

static void a_flag_is_picked_up_when_an_order_begins_on_it(void **unused) {
    (void)unused;
    Fixture *fixture = start(1, 0, "Aa..b.B\n");
    put(fixture, 'X', 3, 0);
    play(fixture, "X R", "");
    play(fixture, "X R", "");
    expect_view(fixture, 0,
                "0 0\n"
                "Flag 1 0\n"
                "Soldier X 5 0 0 True B\n"
                "EnemyFlag 5 0\n"
                "Enemy L 6 0 True No\n");
    done(fixture);
}

/* The document: soldiers can only pick up the enemy's flag. */
static void a_team_cannot_pick_up_its_own_flag(void **unused) {
    (void)unused;
    Fixture *fixture = start(1, 0, "Aa..b.B\n");
    put(fixture, 'X', 1, 0);
    play(fixture, "X R", "");
    expect_view(fixture, 0,
                "0 0\n"
                "Flag 1 0\n"
                "Soldier X 2 0 0 True No\n"
                "EnemyFlag 4 0\n"
                "Enemy L 6 0 True No\n");
    done(fixture);
}

static void a_carried_flag_cannot_be_picked_up(void **unused) {
    (void)unused;
    Fixture *fixture = start(2, 0, "Aa..b.B\n");
    put(fixture, 'X', 4, 0);
    put(fixture, 'Y', 4, 0);
    play(fixture, "X S\nY S", "");
    expect_view(fixture, 0,
                "0 0\n"
                "Flag 1 0\n"
                "Soldier X 4 0 0 True B\n"
                "Soldier Y 4 0 0 True No\n"
                "EnemyFlag 4 0\n"
                "Enemy L 6 0 True No\n"
                "Enemy M 6 0 True No\n");
    done(fixture);
}

static void picking_up_the_enemy_flag_on_the_own_base_scores_in_the_same_order(void **unused) {
    (void)unused;
    Fixture *fixture = start(2, 0, "A.a...b\n.......\n......B\n");
    put(fixture, 'Y', 2, 0);
    give_flag(fixture, 'Y');
    put(fixture, 'L', 4, 1);
    /* The carrier is on its base and dies there before its next order. */
    play(fixture, "", "L S (2,1)");
    play_rounds(fixture, 2);
    play(fixture, "Y S", "");
    expect_events(fixture, "the grenade of L explodes at (2,1)\n"
                           "Y dies at (2,0): A 0 - B 1\n"
                           "Y drops the flag of B at (2,0)\n");
    put(fixture, 'X', 1, 0);
    play(fixture, "X R", "");
    expect_events(fixture, "Y is back at (0,0)\n");
    expect_view(fixture, 0,
                "0 1\n"
                "Flag 2 0\n"
                "Soldier X 2 0 0 True No\n"
                "Soldier Y 0 0 0 True No\n"
                "EnemyFlag 2 0\n"
                "Enemy L 4 1 True No\n"
                "Enemy M 6 2 True No\n");
    play(fixture, "X R", "");
    expect_events(fixture, "X picks up the flag of B at (2,0)\n"
                           "X captures the flag of B: A 100 - B 1\n");
    expect_view(fixture, 0,
                "100 1\n"
                "Flag 2 0\n"
                "Soldier X 3 0 0 True No\n"
                "Soldier Y 0 0 0 True No\n"
                "EnemyFlag 6 0\n"
                "Enemy L 4 1 True No\n"
                "Enemy M 6 2 True No\n");
    done(fixture);
}

static void a_returned_flag_can_be_taken_in_the_same_round_only_by_a_later_name(void **unused) {
    (void)unused;
    static const char carriers[] = {'X', 'Y'};
    static const char waiting[] = {'Y', 'X'};
    for (int i = 0; i < 2; i++) {
        Fixture *fixture = start(2, 0, "A.a...b\n.......\n......B\n");
        put(fixture, carriers[i], 2, 0);
        give_flag(fixture, carriers[i]);
        put(fixture, waiting[i], 6, 0);
        play(fixture, "X S\nY S", "");
        assert_int_equal(fixture->state->points[0], 100);
        assert_int_equal(fixture->state->flag[1].carrier,
                         i == 0 ? number_of(fixture, 'Y') : CTF_NOBODY);
        done(fixture);
    }
}

/* Both teams capture in one round; the log shows that L came before X. */
static void orders_are_carried_out_by_name_regardless_of_team(void **unused) {
    (void)unused;
    Fixture *fixture = start(1, 0, "A.a...b\n.......\n......B\n");
    put(fixture, 'X', 2, 0);
    give_flag(fixture, 'X');
    put(fixture, 'L', 6, 0);
    give_flag(fixture, 'L');
    play(fixture, "X S", "L S");
    expect_events(fixture, "L captures the flag of A: A 0 - B 100\n"
                           "X captures the flag of B: A 100 - B 100\n");
    done(fixture);
}

/* ---- a round: grenades ---- */

static void soldiers_of_both_teams_can_share_a_square(void **unused) {
    (void)unused;
    Fixture *fixture = start(2, 8, "A.....a\n.......\nb.....B\n");
    put(fixture, 'X', 2, 1);
    put(fixture, 'L', 4, 1);
    put(fixture, 'Y', 3, 0);
    put(fixture, 'M', 3, 2);
    play(fixture, "X R\nY D", "L L\nM U");
    for (const char *name = "XYLM"; *name; name++)
        expect_at(fixture, *name, 3, 1);
    assert_int_equal(fixture->notes.refused[0] + fixture->notes.refused[1], 0);
    done(fixture);
}

static void a_throw_that_is_not_allowed_is_ignored_but_the_move_counts(void **unused) {
    (void)unused;
    static const struct {
        const char *order;
        int cooldown;
        const char *reason;
    } cases[] = {
        {"X D (4,0)", 0, "X throws at (4,0) from (0,0): out of range"},
        {"X D (2,2)", 0, "X throws at (2,2) from (0,0): out of range"},
        {"X D (1,1)", 0, "X throws at (1,1) from (0,0): an obstacle is in the way"},
        {"X D (-1,0)", 0, "X throws at (-1,0) from (0,0): off the map"},
        {"X D (0,-1)", 0, "X throws at (0,-1) from (0,0): off the map"},
        {"X D (7,0)", 0, "X throws at (7,0) from (0,0): off the map"},
        {"X D (0,3)", 0, "X throws at (0,3) from (0,0): off the map"},
        {"X D (0,99999999999999999999)", 0, "X throws at (0,2147483647) from (0,0): off the map"},
        {"X D (-99999999999999999999,0)", 0, "X throws at (-2147483648,0) from (0,0): off the map"},
        {"X D (1,0)", 1, "X throws at (1,0) from (0,0): still cooling down"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Fixture *fixture = start(1, cases[i].cooldown, "A.....a\n.#.....\nb.....B\n");
        play(fixture, cases[i].order, "");
        expect_refusal(fixture, 0, cases[i].reason);
        assert_int_equal(fixture->state->grenade_count, 0);
        expect_at(fixture, 'X', 0, 1);
        done(fixture);
    }
}

static void the_range_is_measured_in_steps_from_the_square_before_the_move(void **unused) {
    (void)unused;
    Fixture *fixture = start(1, 0, "A.....a\n.......\nb.....B\n");
    play(fixture, "X R (2,1)", "");
    assert_int_equal(fixture->state->grenade_count, 1);
    expect_at(fixture, 'X', 1, 0);
    play(fixture, "X R (4,1)", "");
    assert_int_equal(fixture->state->grenade_count, 1);
    expect_at(fixture, 'X', 2, 0);
    play(fixture, "X L (4,1)", "");
    assert_int_equal(fixture->state->grenade_count, 2);
    done(fixture);
}

/* After a throw, the soldier can throw again `grenadeCooldown` rounds later, not before. */
static void a_throw_sets_the_cooldown(void **unused) {
    (void)unused;
    Fixture *fixture = start(1, 4, "A.....a\n.......\nb.....B\n");
    for (int cooldown = 4; cooldown > 0; cooldown--) {
        assert_int_equal(soldier(fixture, 'X')->cooldown, cooldown);
        play(fixture, "X S (3,0)", "");
        assert_int_equal(fixture->state->grenade_count, 0);
    }
    play(fixture, "X S (3,0)", "");
    assert_int_equal(fixture->state->grenade_count, 1);
    for (int cooldown = 3; cooldown > 0; cooldown--) {
        assert_int_equal(soldier(fixture, 'X')->cooldown, cooldown);
        play(fixture, "X S (3,0)", "");
    }
    assert_int_equal(soldier(fixture, 'X')->cooldown, 0);
    play(fixture, "X S (3,0)", "");
    expect_events(fixture, "X throws a grenade at (3,0)\n");
    done(fixture);
}

/* Three rounds of throws by all fourteen soldiers are the most grenades there can be. */
static void without_a_cooldown_all_soldiers_can_throw_every_round(void **unused) {
    (void)unused;
    Fixture *fixture = start(7, 0, "A.....a\n.......\nb.....B\n");
    for (int i = 0; i < 20; i++)
        play(fixture, "T S (3,0)\nU S (3,0)\nV S (3,0)\nW S (3,0)\nX S (3,0)\nY S (3,0)\nZ S (3,0)",
             "L S (3,2)\nM S (3,2)\nN S (3,2)\nP S (3,2)\nQ S (3,2)\nR S (3,2)\nS S (3,2)");
    assert_int_equal(fixture->state->grenade_count, CTF_GRENADES_MAX);
    assert_int_equal(fixture->state->head.used, sizeof(CtfState));
    done(fixture);
}

static void killing_a_teammate_gives_the_points_to_the_other_team(void **unused) {
    (void)unused;
    Fixture *fixture =
        start_with("Rules { nRounds = 9, nSoldiers = 3, pointsKill = 7, pointsCapture = "
                   "50, grenadeRange = 3, grenadeCooldown = 0 }",
                   "A.....a\n.......\nb.....B\n");
    play(fixture, "X S (0,0)", "");
    play_rounds(fixture, 3);
    assert_int_equal(fixture->state->points[0], 0);
    assert_int_equal(fixture->state->points[1], 21);
    done(fixture);
}

/* ---- the end ---- */

static GameResult result_of(const Fixture *fixture) {
    GameResult result;
    ctf_result(&fixture->setup->head, &fixture->state->head, &result);
    return result;
}

static void after_the_last_round_the_higher_score_wins(void **unused) {
    (void)unused;
    Fixture *fixture = start_with(STANDARD_RULES, NULL);
    play_rounds(fixture, 99);
    assert_int_equal(fixture->state->head.over, 0);
    assert_int_equal(result_of(fixture).end, END_NONE);
    fixture->state->points[1] = 101;
    play_rounds(fixture, 1);
    assert_int_equal(fixture->state->head.over, 1);
    GameResult result = result_of(fixture);
    assert_int_equal(result.end, END_SCORE);
    assert_true(result.scored);
    assert_int_equal(result.rank[0], 2);
    assert_int_equal(result.rank[1], 1);
    assert_int_equal(result.score[0], 0);
    assert_int_equal(result.score[1], 101);
    assert_false(game_ctf.is_active(&fixture->setup->head, &fixture->state->head, 0));
    done(fixture);
}

static void equal_scores_are_a_draw(void **unused) {
    (void)unused;
    Fixture *fixture = start_with(STANDARD_RULES, NULL);
    play_rounds(fixture, 100);
    GameResult result = result_of(fixture);
    assert_int_equal(result.end, END_TURN_LIMIT);
    assert_int_equal(result.rank[0], 1);
    assert_int_equal(result.rank[1], 1);
    done(fixture);
}

/* ---- bots that fail ---- */

static void a_team_that_fails_loses_regardless_of_score_and_two_draw(void **unused) {
    (void)unused;
    for (int both = 0; both < 2; both++) {
        Fixture *fixture = start(1, 0, "A.....a\n.......\nb.....B\n");
        Error error;
        fixture->state->points[0] = 500;
        fixture->orders[0]->head.kind = ORDERS_FORFEIT;
        assert_true(say(fixture, 1, "L U\n\n", &error));
        if (both)
            fixture->orders[1]->head.kind = ORDERS_FORFEIT;
        const GameOrders *orders[] = {&fixture->orders[0]->head, &fixture->orders[1]->head};
        ctf_step(&fixture->setup->head, &fixture->state->head, orders, NULL);
        assert_int_equal(fixture->state->head.over, 1);
        assert_int_equal(fixture->state->head.turn, 1);
        expect_at(fixture, 'L', 6, 2);
        GameResult result = result_of(fixture);
        assert_int_equal(result.end, END_FORFEIT);
        assert_int_equal(result.rank[0], both ? 1 : 2);
        assert_int_equal(result.rank[1], 1);
        assert_int_equal(result.score[0], 500);
        done(fixture);
    }
}

/* Each of these disqualifies team A in its first round. */
static void a_malformed_answer_is_rejected_with_its_line_and_the_reason(void **unused) {
    (void)unused;
    static const struct {
        const char *answer;
        const char *message;
    } cases[] = {
        {"X\n\n", "line 1: X has no direction; use U, D, L, R or S"},
        {"X \n\n", "line 1: X has no direction; use U, D, L, R or S"},
        {"X N\n\n", "line 1: \"N\" is not a direction; use U, D, L, R or S"},
        {"X u\n\n", "line 1: \"u\" is not a direction; use U, D, L, R or S"},
        {"X UU\n\n", "line 1: \"UU\" is not a direction; use U, D, L, R or S"},
        {"X -\n\n", "line 1: \"-\" is not a direction; use U, D, L, R or S"},
        {"X U(1,2)\n\n", "line 1: \"U(1,2)\" is not a direction; use U, D, L, R or S"},
        {"L U\n\n", "line 1: \"L\" is not one of your soldiers; you have X Y Z"},
        {"W U\n\n", "line 1: \"W\" is not one of your soldiers; you have X Y Z"},
        {"x U\n\n", "line 1: \"x\" is not one of your soldiers; you have X Y Z"},
        {"XX U\n\n", "line 1: \"XX\" is not one of your soldiers; you have X Y Z"},
        {"X U\nY D\nX S\n\n", "line 3: X already has an order"},
        {"X S (1, 2)\n\n", "line 1: \"(1,\" is not a square; write it as (3,4)"},
        {"X S ( 1,2)\n\n", "line 1: \"(\" is not a square; write it as (3,4)"},
        {"X S 1,2\n\n", "line 1: \"1,2\" is not a square; write it as (3,4)"},
        {"X S (1,2\n\n", "line 1: \"(1,2\" is not a square; write it as (3,4)"},
        {"X S (1.5,2)\n\n", "line 1: \"(1.5,2)\" is not a square; write it as (3,4)"},
        {"X S (1,2,3)\n\n", "line 1: \"(1,2,3)\" is not a square; write it as (3,4)"},
        {"X S (12)\n\n", "line 1: \"(12)\" is not a square; write it as (3,4)"},
        {"X S (,)\n\n", "line 1: \"(,)\" is not a square; write it as (3,4)"},
        {"X S (-,1)\n\n", "line 1: \"(-,1)\" is not a square; write it as (3,4)"},
        {"X S (+1,1)\n\n", "line 1: \"(+1,1)\" is not a square; write it as (3,4)"},
        {"X S ()\n\n", "line 1: \"()\" is not a square; write it as (3,4)"},
        {"X S (\n\n", "line 1: \"(\" is not a square; write it as (3,4)"},
        {"X S (1,2) now\n\n", "line 1: \"now\" is one word too many; expected the end of the line"},
        {"X U\n \n\n", "line 2 contains only blanks; an answer ends with an empty line"},
        {"X U\n\nY U\n", "line 2 is empty and ends the answer, but more lines follow"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Fixture *fixture = start(3, 0, "A.....a\n.......\nb.....B\n");
        Error error = {0};
        assert_false(say(fixture, 0, cases[i].answer, &error));
        assert_string_equal(error.text, cases[i].message);
        done(fixture);
    }
}

static void orders_for_dead_soldiers_must_be_well_formed(void **unused) {
    (void)unused;
    Fixture *fixture = start(1, 0, "A.....a\n.......\nb.....B\n");
    Error error;
    soldier(fixture, 'X')->alive = 0;
    assert_true(say(fixture, 0, "X U\n\n", &error));
    assert_false(say(fixture, 0, "X up\n\n", &error));
    done(fixture);
}

static void blanks_around_words_and_crlf_line_ends_are_allowed(void **unused) {
    (void)unused;
    Fixture *fixture = start(3, 0, "A.....a\n.......\nb.....B\n");
    Error error;
    assert_true(say(fixture, 0, "  X\t R  (1,-2)  \r\nY D \r\n\r\n", &error));
    assert_int_equal(fixture->orders[0]->head.count, 2);
    const CtfOrder *x = &fixture->orders[0]->order[number_of(fixture, 'X')];
    assert_int_equal(x->move, CTF_RIGHT);
    assert_int_equal(x->throws, 1);
    assert_int_equal(x->x, 1);
    assert_int_equal(x->y, -2);
    const CtfOrder *y = &fixture->orders[0]->order[number_of(fixture, 'Y')];
    assert_int_equal(y->move, CTF_DOWN);
    assert_int_equal(y->throws, 0);
    assert_true(say(fixture, 0, "\n", &error));
    assert_int_equal(fixture->orders[0]->head.count, 0);
    done(fixture);
}

/* A line of blanks is a line like any other. */
static void an_answer_ends_with_an_empty_line(void **unused) {
    (void)unused;
    Framing framing = {.kind = game_ctf.talk.framing};
    static const char stream[] = "X D \nY D\n \nZ D\n\nX D\n";
    assert_int_equal(framing_find(&framing, stream, sizeof stream - 1, false), 16);
    framing_reset(&framing);
    assert_int_equal(framing_find(&framing, stream + 16, sizeof stream - 17, true), 0);
}

/* ---- the log and the drawings ---- */

/* The other tests check the text of every event. Here: no event when nothing happens, and none if
   events are not requested. */
static void moves_are_not_events_and_events_are_only_recorded_on_request(void **unused) {
    (void)unused;
    Fixture *fixture = start(1, 0, "A.....a\n.......\nb.....B\n");
    play(fixture, "X R", "L L");
    expect_events(fixture, "");
    fixture->notes.wants_events = false;
    play(fixture, "X R (1,1)", "L L");
    expect_events(fixture, "");
    done(fixture);
}

static void the_board_shows_the_most_important_thing_on_each_square(void **unused) {
    (void)unused;
    Fixture *fixture = start(2, 2, "A.#...a\n.......\nb.....B\n");
    put(fixture, 'X', 3, 1);
    give_flag(fixture, 'X');
    put(fixture, 'Y', 1, 1);
    soldier(fixture, 'Y')->alive = 0;
    put(fixture, 'M', 5, 0);
    soldier(fixture, 'M')->cooldown = 0;
    const GameOrders nothing = {ORDERS_NONE, 0};
    CtfOrders orders = {.head = {ORDERS_GIVEN, 1}};
    orders.order[number_of(fixture, 'M')] =
        (CtfOrder){.move = CTF_STAY, .throws = 1, .x = 5, .y = 1};
    const GameOrders *given[] = {&nothing, &orders.head};
    soldier(fixture, 'Y')->alive = 1;
    ctf_step(&fixture->setup->head, &fixture->state->head, given, NULL);
    soldier(fixture, 'Y')->alive = 0;
    buffer_clear(&fixture->text);
    game_ctf.draw(&fixture->setup->head, &fixture->state->head, false, &fixture->text);
    assert_string_equal(buffer_string(&fixture->text),
                        "+ . # . . M a\n"
                        ". _ . X . 2 .\n"
                        "- . . . . . L\n"
                        "A: 0 points; X has the flag, Y is dead\n"
                        "B: 0 points; L cools down (1), M cools down (1)\n");
    done(fixture);
}

static void states_and_orders_are_written_as_json(void **unused) {
    (void)unused;
    Fixture *fixture = start(1, 0, "A.a\nb.B\n");
    put(fixture, 'X', 0, 1);
    play(fixture, "X U (1,1)", "");
    buffer_clear(&fixture->text);
    game_ctf.state_json(&fixture->setup->head, &fixture->state->head, &fixture->text);
    assert_string_equal(
        buffer_string(&fixture->text),
        "{\"round\":1,\"rounds\":99,\"map\":[\"A.a\",\"b.B\"],\"points\":[0,0],"
        "\"flags\":[{\"team\":\"A\",\"x\":2,\"y\":0,\"carrier\":null},"
        "{\"team\":\"B\",\"x\":0,\"y\":0,\"carrier\":\"X\"}],"
        "\"soldiers\":[{\"name\":\"L\",\"team\":\"B\",\"x\":2,\"y\":1,\"cooldown\":0,"
        "\"alive\":true},"
        "{\"name\":\"X\",\"team\":\"A\",\"x\":0,\"y\":0,\"cooldown\":0,\"alive\":true}],"
        "\"grenades\":[{\"team\":\"A\",\"thrower\":\"X\",\"x\":1,\"y\":1,\"countdown\":2}]}");
    buffer_clear(&fixture->text);
    game_ctf.orders_json(&fixture->setup->head, &fixture->orders[0]->head, &fixture->text);
    assert_string_equal(buffer_string(&fixture->text),
                        "[{\"soldier\":\"X\",\"move\":\"U\",\"throw\":{\"x\":1,\"y\":1}}]");
    done(fixture);
}

static void invalid_orders_are_rejected_and_those_for_enemy_soldiers_are_ignored(void **unused) {
    (void)unused;
    Fixture *fixture = start(1, 0, "A.....a\n.......\nb.....B\n");
    CtfOrders orders = {.head = {ORDERS_GIVEN, 99}};
    orders.order[number_of(fixture, 'X')].move = 77;
    orders.order[number_of(fixture, 'L')].move = CTF_UP;
    const GameOrders nothing = {ORDERS_NONE, 0};
    const GameOrders *given[] = {&orders.head, &nothing};
    ctf_step(&fixture->setup->head, &fixture->state->head, given, &fixture->notes);
    expect_refusal(fixture, 0, "X has an order without a move");
    expect_at(fixture, 'L', 6, 2);
    done(fixture);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_rules_in_the_document_are_the_defaults),
        cmocka_unit_test(white_space_and_field_order_do_not_matter),
        cmocka_unit_test(the_map_follows_the_rules_or_has_its_own_file),
        cmocka_unit_test(an_invalid_configuration_is_rejected_with_file_line_and_field),
        cmocka_unit_test(a_map_has_at_most_200_rows_of_200_squares),
        cmocka_unit_test(other_numbers_of_players_than_two_are_rejected),
        cmocka_unit_test(soldiers_have_names_and_start_on_their_spawn_with_a_full_cooldown),
        cmocka_unit_test(the_three_built_in_maps_are_symmetric_under_half_a_turn),
        cmocka_unit_test(the_first_view_begins_with_the_team_and_the_map),
        cmocka_unit_test(soldiers_are_listed_by_name_in_alphabetical_order),
        cmocka_unit_test(only_own_grenades_are_listed_the_oldest_first_then_by_the_throwers_name),
        cmocka_unit_test(
            a_grenade_explodes_after_three_rounds_and_the_dead_respawn_one_round_later),
        cmocka_unit_test(the_last_view_before_an_explosion_does_not_list_the_grenade),
        cmocka_unit_test(an_explosion_reaches_exactly_three_by_three_squares),
        cmocka_unit_test(explosions_precede_orders_so_nobody_escapes_in_the_same_round),
        cmocka_unit_test(a_soldier_that_leaves_one_round_earlier_survives),
        cmocka_unit_test(a_soldier_can_die_in_the_round_in_which_it_respawns),
        cmocka_unit_test(grenades_explode_in_throwing_order_and_a_soldier_dies_only_once),
        cmocka_unit_test(dead_soldiers_cool_down_too),
        cmocka_unit_test(a_dead_carrier_drops_the_flag_and_its_teammates_can_pick_it_up),
        cmocka_unit_test(the_five_directions_match_the_document),
        cmocka_unit_test(a_soldier_without_an_order_only_cools_down),
        cmocka_unit_test(map_edges_and_obstacles_stop_a_soldier),
        cmocka_unit_test(a_flag_is_picked_up_carried_home_and_captured),
        cmocka_unit_test(a_flag_is_picked_up_when_an_order_begins_on_it),
        cmocka_unit_test(a_team_cannot_pick_up_its_own_flag),
        cmocka_unit_test(a_carried_flag_cannot_be_picked_up),
        cmocka_unit_test(picking_up_the_enemy_flag_on_the_own_base_scores_in_the_same_order),
        cmocka_unit_test(a_returned_flag_can_be_taken_in_the_same_round_only_by_a_later_name),
        cmocka_unit_test(orders_are_carried_out_by_name_regardless_of_team),
        cmocka_unit_test(soldiers_of_both_teams_can_share_a_square),
        cmocka_unit_test(a_throw_that_is_not_allowed_is_ignored_but_the_move_counts),
        cmocka_unit_test(the_range_is_measured_in_steps_from_the_square_before_the_move),
        cmocka_unit_test(a_throw_sets_the_cooldown),
        cmocka_unit_test(without_a_cooldown_all_soldiers_can_throw_every_round),
        cmocka_unit_test(killing_a_teammate_gives_the_points_to_the_other_team),
        cmocka_unit_test(after_the_last_round_the_higher_score_wins),
        cmocka_unit_test(equal_scores_are_a_draw),
        cmocka_unit_test(a_team_that_fails_loses_regardless_of_score_and_two_draw),
        cmocka_unit_test(a_malformed_answer_is_rejected_with_its_line_and_the_reason),
        cmocka_unit_test(orders_for_dead_soldiers_must_be_well_formed),
        cmocka_unit_test(blanks_around_words_and_crlf_line_ends_are_allowed),
        cmocka_unit_test(an_answer_ends_with_an_empty_line),
        cmocka_unit_test(moves_are_not_events_and_events_are_only_recorded_on_request),
        cmocka_unit_test(the_board_shows_the_most_important_thing_on_each_square),
        cmocka_unit_test(states_and_orders_are_written_as_json),
        cmocka_unit_test(invalid_orders_are_rejected_and_those_for_enemy_soldiers_are_ignored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
