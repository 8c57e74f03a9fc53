/* The rules of Planet Wars, one sentence per test. A world is written as one line: "name owner
   ships, ... ; id origin>destination owner ships turns, ...", with - for the owner of a neutral
   planet. The messages in the game's original document are tested here. */
#include "games/planetwars/planetwars.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct Fixture {
    PlanetwarsSetup *setup;
    PlanetwarsState *state;
    PlanetwarsOrders *orders[GAME_PLAYERS_MAX];
    Notes notes;
} Fixture;

/* The error of the last failed setup. */
static Error refused;

static GameSetup *set_up(const char *config, const char *map, uint32_t players) {
    GameFile config_file = {config ? "c.json" : NULL, slice_of(config ? config : "")};
    GameFile map_file = {map ? "m.json" : NULL, slice_of(map ? map : "")};
    refused.text[0] = '\0';
    return planetwars_setup(&config_file, &map_file, players, &refused);
}

static Fixture *start(const char *config, const char *map, uint32_t players) {
    Fixture *fixture = calloc(1, sizeof *fixture);
    GameSetup *setup = set_up(config, map, players);
    if (!setup)
        fail_msg("%s", refused.text);
    fixture->setup = (PlanetwarsSetup *)setup;
    fixture->state = (PlanetwarsState *)game_state_new(setup);
    planetwars_init(setup, 1, &fixture->state->head);
    for (uint32_t player = 0; player < players; player++)
        fixture->orders[player] = (PlanetwarsOrders *)game_orders_new(setup);
    return fixture;
}

/* A world from planets "name x y owner ships", each followed by a semicolon; owner 0 is neutral. */
static Fixture *world(uint32_t players, const char *planets) {
    char map[4000] = "{\"planets\":[";
    size_t used = strlen(map);
    char name[40];
    double x = 0;
    double y = 0;
    unsigned owner = 0;
    unsigned ships = 0;
    int length = 0;
    for (const char *at = planets;
         sscanf(at, " %39s %lf %lf %u %u;%n", name, &x, &y, &owner, &ships, &length) == 5;
         at += length) {
        char owned[30] = "";
        if (owner)
            snprintf(owned, sizeof owned, ",\"owner\":%u", owner);
        used += (size_t)snprintf(map + used, sizeof map - used,
                                 "%s{\"name\":\"%s\",\"x\":%.17g,\"y\":%.17g,\"ship_count\":%u%s}",
                                 at == planets ? "" : ",", name, x, y, ships, owned);
    }
    snprintf(map + used, sizeof map - used, "]}");
    return start(NULL, map, players);
}

static void done(Fixture *fixture) {
    for (uint32_t player = 0; player < fixture->setup->head.players; player++)
        free(fixture->orders[player]);
    free(fixture->state);
    planetwars_setup_free(&fixture->setup->head);
    free(fixture);
}

static void step(Fixture *fixture) {
    const GameOrders *orders[GAME_PLAYERS_MAX];
    for (uint32_t player = 0; player < fixture->setup->head.players; player++)
        orders[player] = &fixture->orders[player]->head;
    planetwars_step(&fixture->setup->head, &fixture->state->head, orders, &fixture->notes);
    for (uint32_t player = 0; player < fixture->setup->head.players; player++)
        memset(fixture->orders[player], 0, fixture->setup->head.orders_size);
}

static bool say_text(Fixture *fixture, uint32_t player, const char *answer, Error *error) {
    notes_clear(&fixture->notes);
    return game_planetwars.read(&fixture->setup->head, &fixture->state->head, player,
                                slice_of(answer), &fixture->orders[player]->head, &fixture->notes,
                                error);
}

/* Sets the moves of a player from "origin>destination ships", each followed by a semicolon. */
static void say(Fixture *fixture, uint32_t number, const char *moves) {
    char answer[2000] = "{\"moves\":[";
    size_t used = strlen(answer);
    char origin[40];
    char destination[40];
    unsigned ships = 0;
    int length = 0;
    for (const char *at = moves;
         sscanf(at, " %39[^>]>%39s %u;%n", origin, destination, &ships, &length) == 3; at += length)
        used += (size_t)snprintf(answer + used, sizeof answer - used,
                                 "%s{\"origin\":\"%s\",\"destination\":\"%s\",\"ship_count\":%u}",
                                 at == moves ? "" : ",", origin, destination, ships);
    snprintf(answer + used, sizeof answer - used, "]}\n");
    Error error;
    if (!say_text(fixture, number - 1, answer, &error))
        fail_msg("%s", error.text);
}

static void expect(const Fixture *fixture, const char *expected) {
    Buffer is = {0};
    const PlanetwarsSite *sites = fixture->setup->sites;
    const PlanetwarsPlanet *planets = planetwars_planets(fixture->setup, fixture->state);
    for (uint32_t i = 0; i < fixture->setup->planet_count; i++) {
        buffer_format(&is, "%s%s ", i ? ", " : "", sites[i].name);
        if (planets[i].owner)
            buffer_uint(&is, planets[i].owner);
        else
            buffer_char(&is, '-');
        buffer_format(&is, " %llu", (unsigned long long)planets[i].ships);
    }
    const PlanetwarsExpedition *expeditions =
        planetwars_expeditions(fixture->setup, fixture->state);
    for (uint32_t i = 0; i < fixture->state->expedition_count; i++)
        buffer_format(&is, "%s %llu %s>%s %u %llu %u", i ? "," : ";",
                      (unsigned long long)expeditions[i].id, sites[expeditions[i].origin].name,
                      sites[expeditions[i].destination].name, expeditions[i].owner,
                      (unsigned long long)expeditions[i].ships, expeditions[i].turns_remaining);
    assert_string_equal(buffer_string(&is), expected);
    buffer_free(&is);
}

static void expect_refusal(const Fixture *fixture, const char *reason) {
    uint32_t at = 0;
    uint32_t player = 0;
    Slice text = {"", 0};
    assert_true(notes_next_refusal(&fixture->notes, &at, &player, &text));
    assert_string_equal(text.at, reason);
    assert_false(notes_next_refusal(&fixture->notes, &at, &player, &text));
}

static void expect_view(const Fixture *fixture, uint32_t number, const char *expected) {
    Buffer is = {0};
    game_planetwars.view(&fixture->setup->head, &fixture->state->head, number - 1, &is);
    assert_string_equal(buffer_string(&is), expected);
    buffer_free(&is);
}

static GameResult result_of(const Fixture *fixture) {
    GameResult result;
    planetwars_result(&fixture->setup->head, &fixture->state->head, &result);
    return result;
}

/* ---- the document ---- */

static const char document_state[] = "{\n"
                                     "  \"planets\": [\n"
                                     "    {\n"
                                     "      \"ship_count\": 2,\n"
                                     "      \"x\": -2.0,\n"
                                     "      \"y\": 0.0,\n"
                                     "      \"owner\": 1,\n"
                                     "      \"name\": \"your planet\"\n"
                                     "    },\n"
                                     "    {\n"
                                     "      \"ship_count\": 4,\n"
                                     "      \"x\": 2.0,\n"
                                     "      \"y\": 0.0,\n"
                                     "      \"owner\": 2,\n"
                                     "      \"name\": \"enemy planet\"\n"
                                     "    },\n"
                                     "    {\n"
                                     "      \"ship_count\": 2,\n"
                                     "      \"x\": 0.0,\n"
                                     "      \"y\": 2.0,\n"
                                     "      \"owner\": null,\n"
                                     "      \"name\": \"neutral planet\"\n"
                                     "    }\n"
                                     "  ],\n"
                                     "  \"expeditions\": [\n"
                                     "    {\n"
                                     "      \"id\": 169,\n"
                                     "      \"ship_count\": 8,\n"
                                     "      \"origin\": \"your planet\",\n"
                                     "      \"destination\": \"enemy planet\",\n"
                                     "      \"owner\": 1,\n"
                                     "      \"turns_remaining\": 2\n"
                                     "    }\n"
                                     "  ]\n"
                                     "}\n";

static const char document_map[] =
    "{\"planets\":["
    "{\"name\":\"your planet\",\"x\":-2,\"y\":0,\"ship_count\":2,\"owner\":1},"
    "{\"name\":\"enemy planet\",\"x\":2,\"y\":0,\"ship_count\":4,\"owner\":2},"
    "{\"name\":\"neutral planet\",\"x\":0,\"y\":2,\"ship_count\":2}]}";

static Fixture *document_world(void) {
    Fixture *fixture = start(NULL, document_map, 2);
    planetwars_expeditions(fixture->setup, fixture->state)[0] = (PlanetwarsExpedition){
        .id = 169, .ships = 8, .turns_remaining = 2, .owner = 1, .origin = 0, .destination = 1};
    fixture->state->expedition_count = 1;
    fixture->state->next_id = 170;
    planetwars_players(fixture->state)[0].expeditions = 1;
    return fixture;
}

/* The lines in the document, without the white space between the parts. */
static void the_view_matches_the_document_on_one_line(void **unused) {
    (void)unused;
    char line[1000];
    size_t length = 0;
    bool quoted = false;
    for (const char *c = document_state; *c; c++) {
        quoted ^= *c == '"';
        if (quoted || (*c != ' ' && *c != '\n'))
            line[length++] = *c;
    }
    line[length++] = '\n';
    line[length] = '\0';
    Fixture *fixture = document_world();
    expect_view(fixture, 1, line);
    done(fixture);
}

static void the_command_in_the_document_is_carried_out(void **unused) {
    (void)unused;
    Fixture *fixture = document_world();
    Error error;
    assert_true(say_text(fixture, 0,
                         "{\n"
                         "  \"moves\": [\n"
                         "    {\n"
                         "      \"origin\": \"your planet\",\n"
                         "      \"destination\": \"enemy planet\",\n"
                         "      \"ship_count\": 2\n"
                         "    }\n"
                         "  ]\n"
                         "}\n",
                         &error));
    assert_int_equal(fixture->notes.refused[0], 0);
    step(fixture);
    expect(fixture, "your planet 1 1, enemy planet 2 5, neutral planet - 2; "
                    "169 your planet>enemy planet 1 8 1, 170 your planet>enemy planet 1 2 3");
    done(fixture);
}

/* ---- a turn ---- */

static void owned_planets_build_one_ship_and_neutral_ones_none(void **unused) {
    (void)unused;
    Fixture *fixture = world(2, "a 0 0 1 6; b 9 0 2 1; c 5 5 0 6;");
    step(fixture);
    expect(fixture, "a 1 7, b 2 2, c - 6");
    step(fixture);
    expect(fixture, "a 1 8, b 2 3, c - 6");
    done(fixture);
}

static void all_ships_in_the_view_can_leave_and_the_new_one_holds_the_planet(void **unused) {
    (void)unused;
    Fixture *fixture = world(2, "a 0 0 1 6; b 9 0 2 6;");
    say(fixture, 1, "a>b 6;");
    step(fixture);
    expect(fixture, "a 1 1, b 2 7; 0 a>b 1 6 8");
    done(fixture);
}

static void the_ship_just_built_cannot_leave(void **unused) {
    (void)unused;
    Fixture *fixture = world(2, "a 0 0 1 6; b 9 0 2 6;");
    say(fixture, 1, "a>b 7;");
    expect_refusal(fixture, "moves[0], 7 from \"a\" to \"b\": not enough ships");
    step(fixture);
    expect(fixture, "a 1 7, b 2 7");
    done(fixture);
}

static void later_moves_can_use_what_earlier_ones_left(void **unused) {
    (void)unused;
    Fixture *fixture = world(2, "a 0 0 1 6; b 9 0 2 6;");
    say(fixture, 1, "a>b 4; a>b 3; a>b 2; a>b 1;");
    assert_int_equal(fixture->notes.refused[0], 2);
    step(fixture);
    expect(fixture, "a 1 1, b 2 7; 0 a>b 1 4 8, 1 a>b 1 2 8");
    done(fixture);
}

static void ships_that_arrive_cannot_leave_in_the_same_turn(void **unused) {
    (void)unused;
    Fixture *fixture = world(2, "a 0 0 1 6; b 1 0 1 2; c 9 0 2 6;");
    say(fixture, 1, "a>b 6; b>c 3;");
    expect_refusal(fixture, "moves[1], 3 from \"b\" to \"c\": not enough ships");
    step(fixture);
    expect(fixture, "a 1 1, b 1 9, c 2 7");
    done(fixture);
}

static void the_travel_time_is_the_distance_rounded_up(void **unused) {
    (void)unused;
    assert_int_equal(planetwars_travel(0, 0, 3, 4), 5);
    assert_int_equal(planetwars_travel(-3, 5, 3, 5), 6);
    assert_int_equal(planetwars_travel(0, 0, 1, 1), 2);
    assert_int_equal(planetwars_travel(0, 0, 5.0001, 0), 6);
    assert_int_equal(planetwars_travel(-1e6, -1e6, 1e6, 1e6), 2828428);
    /* 2,000,000 and 1 apart: just above a whole distance. */
    assert_int_equal(planetwars_travel(-1e6, 0, 1e6, 1), 2000001);
    /* Travel times between whole coordinates are exact. */
    for (uint64_t across = 0; across < 400; across++)
        for (uint64_t up = 1; up < 400; up++) {
            uint64_t turns = planetwars_travel(-7, 11, -7 + (double)across, 11 - (double)up);
            uint64_t square = across * across + up * up;
            assert_true(turns * turns >= square && (turns - 1) * (turns - 1) < square);
        }
}

static void an_expedition_arrives_after_its_travel_time(void **unused) {
    (void)unused;
    Fixture *fixture = world(2, "a 0 0 1 6; b 3 4 2 1; c 99 0 2 1;");
    say(fixture, 1, "a>b 6;");
    step(fixture);
    expect(fixture, "a 1 1, b 2 2, c 2 2; 0 a>b 1 6 4");
    for (int turn = 0; turn < 3; turn++)
        step(fixture);
    expect(fixture, "a 1 4, b 2 5, c 2 5; 0 a>b 1 6 1");
    step(fixture);
    expect(fixture, "a 1 5, b - 0, c 2 6");
    done(fixture);
}

static void a_travel_time_of_one_turn_means_arrival_in_the_same_turn(void **unused) {
    (void)unused;
    Fixture *fixture = world(2, "a 0 0 1 6; b 1 0 0 2; c 0.2 0 0 1; d 9 0 2 1;");
    say(fixture, 1, "a>b 3; a>c 3;");
    step(fixture);
    expect(fixture, "a 1 1, b 1 1, c 1 2, d 2 2");
    done(fixture);
}

static void an_expedition_to_its_own_origin_arrives_in_the_same_turn(void **unused) {
    (void)unused;
    Fixture *fixture = world(2, "a 0 0 1 6; b 9 0 2 1;");
    say(fixture, 1, "a>a 6;");
    step(fixture);
    expect(fixture, "a 1 7, b 2 2");
    assert_int_equal(fixture->state->next_id, 1);
    done(fixture);
}

static void a_planet_in_the_same_place_is_reached_in_the_same_turn(void **unused) {
    (void)unused;
    Fixture *fixture = world(2, "a 0 0 1 6; b 0 0 2 1;");
    say(fixture, 1, "a>b 6;");
    step(fixture);
    expect(fixture, "a 1 1, b 1 4");
    done(fixture);
}

static void fleets_of_one_owner_are_merged_before_they_fight(void **unused) {
    (void)unused;
    Fixture *fixture = world(2, "a 0 0 1 3; b 2 0 1 3; c 1 0 0 4; d 9 0 2 1;");
    say(fixture, 1, "a>c 3; b>c 3;");
    step(fixture);
    expect(fixture, "a 1 1, b 1 1, c 1 2, d 2 2");
    done(fixture);
}

static void a_fleet_that_comes_home_joins_the_ships_there(void **unused) {
    (void)unused;
    Fixture *fixture = world(2, "a 0 0 1 3; b 1 0 1 3; c 1 1 2 5;");
    say(fixture, 1, "a>b 3;");
    say(fixture, 2, "c>b 5;");
    step(fixture);
    expect(fixture, "a 1 1, b 1 2, c 2 1");
    done(fixture);
}

static void the_largest_fleet_wins_and_loses_as_many_as_the_second_has(void **unused) {
    (void)unused;
    Fixture *fixture = world(3, "a 0 0 1 9; b 1 1 2 7; c 2 0 3 4; d 1 0 0 5;");
    say(fixture, 1, "a>d 9;");
    say(fixture, 2, "b>d 7;");
    say(fixture, 3, "c>d 4;");
    step(fixture);
    expect(fixture, "a 1 1, b 2 1, c 3 1, d 1 2");
    done(fixture);
}

static void ships_of_a_neutral_planet_form_a_fleet(void **unused) {
    (void)unused;
    Fixture *fixture = world(2, "a 0 0 1 3; b 2 0 2 3; c 1 0 0 5; d 1 1 0 4;");
    say(fixture, 1, "a>c 3;");
    say(fixture, 2, "b>c 2;");
    step(fixture);
    expect(fixture, "a 1 1, b 2 2, c - 2, d - 4");
    done(fixture);
}

static void a_tie_for_the_largest_destroys_all_fleets(void **unused) {
    (void)unused;
    Fixture *fixture = world(3, "a 0 0 1 6; b 1 1 2 6; c 2 0 3 4; d 1 0 3 2;");
    say(fixture, 1, "a>d 6;");
    say(fixture, 2, "b>d 6;");
    step(fixture);
    expect(fixture, "a 1 1, b 2 1, c 3 5, d - 0");
    step(fixture);
    expect(fixture, "a 1 2, b 2 2, c 3 6, d - 0");
    done(fixture);
}

static void a_tie_for_second_place_does_not_matter(void **unused) {
    (void)unused;
    Fixture *fixture = world(3, "a 0 0 1 6; b 1 1 2 4; c 2 0 3 4; d 1 0 0 4;");
    say(fixture, 1, "a>d 6;");
    say(fixture, 2, "b>d 4;");
    say(fixture, 3, "c>d 4;");
    step(fixture);
    expect(fixture, "a 1 1, b 2 1, c 3 1, d 1 2");
    done(fixture);
}

static void the_ship_just_built_takes_part_in_combat(void **unused) {
    (void)unused;
    Fixture *fixture = world(2, "a 0 0 1 6; b 1 0 2 5; c 9 0 2 1;");
    say(fixture, 1, "a>b 6;");
    step(fixture);
    expect(fixture, "a 1 1, b - 0, c 2 2");
    done(fixture);
}

static void an_empty_neutral_planet_falls_to_a_single_ship(void **unused) {
    (void)unused;
    Fixture *fixture = world(2, "a 0 0 1 6; b 1 0 0 0; c 9 0 2 1;");
    say(fixture, 1, "a>b 1;");
    step(fixture);
    expect(fixture, "a 1 6, b 1 1, c 2 2");
    done(fixture);
}

static void expeditions_that_meet_in_space_pass_each_other(void **unused) {
    (void)unused;
    Fixture *fixture = world(2, "a 0 0 1 6; b 2 0 2 6;");
    say(fixture, 1, "a>b 6;");
    say(fixture, 2, "b>a 6;");
    step(fixture);
    step(fixture);
    expect(fixture, "a 2 4, b 1 4");
    done(fixture);
}

static void ids_count_up_from_zero_by_player_then_move(void **unused) {
    (void)unused;
    Fixture *fixture = world(3, "a 0 0 1 6; b 9 0 2 6; c 0 9 3 6;");
    say(fixture, 3, "c>a 1; c>b 2;");
    say(fixture, 1, "a>c 3; a>b 1;");
    step(fixture);
    expect(fixture, "a 1 3, b 2 7, c 3 4; 0 a>c 1 3 8, 1 a>b 1 1 8, 2 c>a 3 1 8, 3 c>b 3 2 12");
    say(fixture, 2, "b>b 1; b>a 2;");
    step(fixture);
    assert_int_equal(fixture->state->next_id, 6);
    done(fixture);
}

static void expeditions_stay_in_the_order_of_their_ids_when_some_arrive(void **unused) {
    (void)unused;
    Fixture *fixture = world(2, "a 0 0 1 9; b 9 0 2 9; c 2 0 1 1;");
    say(fixture, 1, "a>b 1; a>c 1; a>b 2; a>c 1;");
    step(fixture);
    say(fixture, 2, "b>a 3;");
    step(fixture);
    expect(fixture, "a 1 6, b 2 8, c 1 5; 0 a>b 1 1 7, 2 a>b 1 2 7, 4 b>a 2 3 8");
    assert_int_equal(fixture->state->head.used,
                     sizeof(PlanetwarsState) + 2 * sizeof(PlanetwarsPlayer) +
                         3 * sizeof(PlanetwarsPlanet) + 3 * sizeof(PlanetwarsExpedition));
    done(fixture);
}

/* ---- the end ---- */

static void the_match_ends_although_neutral_ships_remain(void **unused) {
    (void)unused;
    Fixture *fixture = world(2, "a 0 0 1 6; b 1 0 2 2; c 9 0 0 4;");
    say(fixture, 1, "a>b 6;");
    step(fixture);
    assert_true(fixture->state->head.over);
    GameResult result = result_of(fixture);
    assert_int_equal(result.end, END_ELIMINATION);
    assert_int_equal(result.rank[0], 1);
    assert_int_equal(result.rank[1], 2);
    assert_false(result.scored);
    done(fixture);
}

static void a_player_with_only_an_expedition_is_alive_and_gets_views(void **unused) {
    (void)unused;
    Fixture *fixture = world(2, "a 0 0 1 6; b 1 0 2 6; c 9 0 0 4;");
    say(fixture, 1, "a>b 6;");
    say(fixture, 2, "b>c 6;");
    step(fixture);
    expect(fixture, "a 1 1, b 1 5, c - 4; 1 b>c 2 6 7");
    assert_false(fixture->state->head.over);
    assert_true(game_planetwars.is_active(&fixture->setup->head, &fixture->state->head, 1));
    for (int turn = 0; turn < 7; turn++)
        step(fixture);
    expect(fixture, "a 1 8, b 1 12, c 2 2");
    done(fixture);
}

static void eliminated_players_get_no_more_views_and_the_others_continue(void **unused) {
    (void)unused;
    Fixture *fixture = world(3, "a 0 0 1 6; b 1 0 2 2; c 9 0 3 4;");
    say(fixture, 1, "a>b 6;");
    step(fixture);
    assert_false(fixture->state->head.over);
    assert_false(game_planetwars.is_active(&fixture->setup->head, &fixture->state->head, 1));
    assert_true(game_planetwars.is_active(&fixture->setup->head, &fixture->state->head, 0));
    assert_true(game_planetwars.is_active(&fixture->setup->head, &fixture->state->head, 2));
    done(fixture);
}

static void after_500_turns_living_players_tie_and_the_others_rank_by_death(void **unused) {
    (void)unused;
    Fixture *fixture = world(4, "a 0 0 1 9; b 1 0 2 2; c 9 0 3 4; d 2 0 4 1;");
    assert_int_equal(fixture->setup->head.turns_max, 500);
    say(fixture, 1, "a>b 5; a>d 4;");
    for (int turn = 0; turn < 499; turn++)
        step(fixture);
    assert_false(fixture->state->head.over);
    step(fixture);
    assert_true(fixture->state->head.over);
    GameResult result = result_of(fixture);
    assert_int_equal(result.end, END_TURN_LIMIT);
    assert_int_equal(result.rank[0], 1);
    assert_int_equal(result.rank[1], 4);
    assert_int_equal(result.rank[2], 1);
    assert_int_equal(result.rank[3], 3);
    done(fixture);
}

static void if_nobody_is_alive_those_who_died_last_tie(void **unused) {
    (void)unused;
    Fixture *fixture = world(3, "a 0 0 1 2; b 1 0 2 1; c 0 1 3 1; d 1 1 0 5;");
    say(fixture, 1, "a>c 2;");
    say(fixture, 2, "b>d 1;");
    step(fixture);
    expect(fixture, "a 1 1, b 2 1, c - 0, d - 4");
    say(fixture, 1, "a>b 1;");
    say(fixture, 2, "b>a 1;");
    step(fixture);
    expect(fixture, "a - 0, b - 0, c - 0, d - 4");
    GameResult result = result_of(fixture);
    assert_int_equal(result.end, END_ELIMINATION);
    assert_int_equal(result.rank[0], 1);
    assert_int_equal(result.rank[1], 1);
    assert_int_equal(result.rank[2], 3);
    done(fixture);
}

static void a_win_in_the_last_turn_is_a_win(void **unused) {
    (void)unused;
    Fixture *fixture = start("{\"max_turns\":1}",
                             "{\"planets\":[{\"name\":\"a\",\"x\":0,\"y\":0,\"ship_count\":6,"
                             "\"owner\":1},{\"name\":\"b\",\"x\":1,\"y\":0,\"ship_count\":1,"
                             "\"owner\":2}]}",
                             2);
    say(fixture, 1, "a>b 6;");
    step(fixture);
    GameResult result = result_of(fixture);
    assert_int_equal(result.end, END_ELIMINATION);
    assert_int_equal(result.rank[1], 2);
    done(fixture);
}

/* ---- the view ---- */

static void every_player_sees_itself_as_1_and_the_others_counting_up(void **unused) {
    (void)unused;
    Fixture *fixture = world(3, "a 0 0 1 6; b 9 0 2 6; c 0 9 3 6;");
    say(fixture, 1, "a>b 1;");
    say(fixture, 3, "c>b 2;");
    step(fixture);
    static const unsigned seen[3][3] = {{1, 2, 3}, {3, 1, 2}, {2, 3, 1}};
    for (uint32_t player = 0; player < 3; player++) {
        char expected[1000];
        snprintf(expected, sizeof expected,
                 "{\"planets\":["
                 "{\"ship_count\":6,\"x\":0.0,\"y\":0.0,\"owner\":%u,\"name\":\"a\"},"
                 "{\"ship_count\":7,\"x\":9.0,\"y\":0.0,\"owner\":%u,\"name\":\"b\"},"
                 "{\"ship_count\":5,\"x\":0.0,\"y\":9.0,\"owner\":%u,\"name\":\"c\"}],"
                 "\"expeditions\":["
                 "{\"id\":0,\"ship_count\":1,\"origin\":\"a\",\"destination\":\"b\",\"owner\":%u,"
                 "\"turns_remaining\":8},"
                 "{\"id\":1,\"ship_count\":2,\"origin\":\"c\",\"destination\":\"b\",\"owner\":%u,"
                 "\"turns_remaining\":12}]}\n",
                 seen[player][0], seen[player][1], seen[player][2], seen[player][0],
                 seen[player][2]);
        expect_view(fixture, player + 1, expected);
    }
    done(fixture);
}

static void the_first_view_of_hex_has_six_planets_and_no_expeditions(void **unused) {
    (void)unused;
    Fixture *fixture = start(NULL, NULL, 2);
    expect_view(fixture, 1,
                "{\"planets\":["
                "{\"ship_count\":6,\"x\":-6.0,\"y\":0.0,\"owner\":1,\"name\":\"protos\"},"
                "{\"ship_count\":6,\"x\":-3.0,\"y\":5.0,\"owner\":null,\"name\":\"duteros\"},"
                "{\"ship_count\":6,\"x\":3.0,\"y\":5.0,\"owner\":null,\"name\":\"tritos\"},"
                "{\"ship_count\":6,\"x\":6.0,\"y\":0.0,\"owner\":2,\"name\":\"tetartos\"},"
                "{\"ship_count\":6,\"x\":3.0,\"y\":-5.0,\"owner\":null,\"name\":\"pemptos\"},"
                "{\"ship_count\":6,\"x\":-3.0,\"y\":-5.0,\"owner\":null,\"name\":\"extos\"}],"
                "\"expeditions\":[]}\n");
    done(fixture);
}

static void coordinates_have_a_decimal_point_and_names_are_escaped(void **unused) {
    (void)unused;
    Fixture *fixture =
        start(NULL,
              "{\"planets\":[{\"name\":\"a \\\"b\\\" \\\\ \\u00e4%s\",\"x\":1e6,\"y\":-0,"
              "\"ship_count\":1000000000000,\"owner\":1},"
              "{\"name\":\"c\",\"x\":10,\"y\":-12.125,\"ship_count\":1.0,\"owner\":2},"
              "{\"name\":\"d\",\"x\":1e-9,\"y\":0.1,\"ship_count\":0,\"owner\":null}]}",
              2);
    expect_view(fixture, 1,
                "{\"planets\":[{\"ship_count\":1000000000000,\"x\":1000000.0,\"y\":0.0,"
                "\"owner\":1,\"name\":\"a \\\"b\\\" \\\\ \xc3\xa4%s\"},"
                "{\"ship_count\":1,\"x\":10.0,\"y\":-12.125,\"owner\":2,\"name\":\"c\"},"
                "{\"ship_count\":0,\"x\":1.0e-09,\"y\":0.1,\"owner\":null,\"name\":\"d\"}],"
                "\"expeditions\":[]}\n");
    Error error;
    assert_true(say_text(fixture, 0,
                         "{\"moves\":[{\"origin\":\"a \\u0022b\\u0022 \\\\ \xc3\xa4%s\","
                         "\"destination\":\"\\u0063\",\"ship_count\":5}]}",
                         &error));
    assert_int_equal(fixture->orders[0]->head.count, 1);
    done(fixture);
}

static void the_longest_names_and_largest_numbers_fit_into_a_view(void **unused) {
    (void)unused;
    char name[2 * PLANETWARS_NAME_MAX + 1] = "";
    for (int i = 0; i < PLANETWARS_NAME_MAX; i++)
        memcpy(name + 2 * i, "\\\"", 3);
    char map[1000];
    snprintf(map, sizeof map,
             "{\"planets\":[{\"name\":\"%s\",\"x\":-0.1234567890123456,\"y\":-1e-300,"
             "\"ship_count\":6,\"owner\":1},{\"name\":\"b\",\"x\":-999999.987654321,\"y\":0,"
             "\"ship_count\":6,\"owner\":2}]}",
             name);
    Fixture *fixture = start(NULL, map, 2);
    planetwars_expeditions(fixture->setup, fixture->state)[0] = (PlanetwarsExpedition){
        .id = UINT64_MAX, .ships = UINT64_MAX, .turns_remaining = UINT32_MAX, .owner = 2};
    fixture->state->expedition_count = 1;
    char expected[2000];
    snprintf(expected, sizeof expected,
             "{\"planets\":[{\"ship_count\":6,\"x\":-0.1234567890123456,\"y\":-1.0e-300,"
             "\"owner\":1,\"name\":\"%s\"},{\"ship_count\":6,\"x\":-999999.987654321,\"y\":0.0,"
             "\"owner\":2,\"name\":\"b\"}],\"expeditions\":[{\"id\":18446744073709551615,"
             "\"ship_count\":18446744073709551615,\"origin\":\"%s\",\"destination\":\"%s\","
             "\"owner\":2,\"turns_remaining\":4294967295}]}\n",
             name, name, name);
    expect_view(fixture, 1, expected);
    done(fixture);
}

/* ---- the answer ---- */

static void moves_that_are_not_allowed_are_rejected_one_by_one(void **unused) {
    (void)unused;
    static const struct {
        const char *move;
        const char *reason;
    } cases[] = {
        {"x>b 1;", "moves[0], 1 from \"x\" to \"b\": origin does not exist"},
        {"a>x 1;", "moves[0], 1 from \"a\" to \"x\": destination does not exist"},
        {"b>a 1;", "moves[0], 1 from \"b\" to \"a\": origin not owned"},
        {"c>a 1;", "moves[0], 1 from \"c\" to \"a\": origin not owned"},
        {"a>b 7;", "moves[0], 7 from \"a\" to \"b\": not enough ships"},
        {"a>b 0;", "moves[0], 0 from \"a\" to \"b\": zero ships"},
        /* If several reasons apply, the first in this order is given. */
        {"x>y 0;", "moves[0], 0 from \"x\" to \"y\": origin does not exist"},
        {"b>y 0;", "moves[0], 0 from \"b\" to \"y\": destination does not exist"},
        {"b>a 0;", "moves[0], 0 from \"b\" to \"a\": origin not owned"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Fixture *fixture = world(2, "a 0 0 1 6; b 9 0 2 6; c 5 5 0 6;");
        char moves[100];
        snprintf(moves, sizeof moves, "%s a>c 2;", cases[i].move);
        say(fixture, 1, moves);
        expect_refusal(fixture, cases[i].reason);
        assert_int_equal(fixture->notes.refused[0], 1);
        assert_int_equal(fixture->orders[0]->head.count, 1);
        step(fixture);
        expect(fixture, "a 1 5, b 2 7, c - 6; 0 a>c 1 2 7");
        done(fixture);
    }
}

static void a_ship_count_can_be_any_unsigned_64_bit_number(void **unused) {
    (void)unused;
    Fixture *fixture = world(2, "a 0 0 1 6; b 9 0 2 6;");
    Error error;
    assert_true(say_text(fixture, 0,
                         "{\"moves\":[{\"origin\":\"a\",\"destination\":\"b\","
                         "\"ship_count\":18446744073709551615}]}",
                         &error));
    expect_refusal(fixture, "moves[0], 18446744073709551615 from \"a\" to \"b\": not enough ships");
    done(fixture);
}

static void unknown_members_are_ignored_and_moves_can_be_empty(void **unused) {
    (void)unused;
    Fixture *fixture = world(2, "a 0 0 1 6; b 9 0 2 6;");
    Error error;
    assert_true(say_text(fixture, 0, "{\"moves\":[]}", &error));
    assert_int_equal(fixture->orders[0]->head.kind, ORDERS_GIVEN);
    assert_int_equal(fixture->orders[0]->head.count, 0);
    assert_true(say_text(fixture, 0,
                         "{\"mood\":null,\"moves\":[{\"why\":[1,{}],\"ship_count\":2,"
                         "\"destination\":\"b\",\"origin\":\"a\"}],\"x\":{}}\r\n",
                         &error));
    assert_int_equal(fixture->orders[0]->head.count, 1);
    done(fixture);
}

static void an_answer_in_an_invalid_format_is_rejected_as_a_whole(void **unused) {
    (void)unused;
    static const struct {
        const char *answer;
        const char *message;
    } cases[] = {
        {"",
         "the answer is not valid JSON: line 1, column 1: unexpected end; expected a JSON value"},
        {"attack!", "the answer is not valid JSON: line 1, column 1: expected a JSON value"},
        {"{\"moves\":[}", "the answer is not valid JSON: line 1, column 11: expected a JSON value"},
        {"{\"moves\":[]} {\"moves\":[]}",
         "the answer is not valid JSON: line 1, column 14: unexpected text after the JSON value"},
        {"{\"moves\":[],\"moves\":[]}",
         "the answer is not valid JSON: line 1, column 13: duplicate member name"},
        {"[]", "the answer must be an object with \"moves\", not an array"},
        {"{}", "the answer has no \"moves\""},
        {"{\"moves\":{}}", "\"moves\" must be an array, not an object"},
        {"{\"moves\":null}", "\"moves\" must be an array, not null"},
        {"{\"moves\":[1]}", "moves[0] must be an object, not a number"},
        {"{\"moves\":[{\"destination\":\"b\",\"ship_count\":1}]}", "moves[0] has no \"origin\""},
        {"{\"moves\":[{\"origin\":\"a\",\"ship_count\":1}]}", "moves[0] has no \"destination\""},
        {"{\"moves\":[{\"origin\":\"a\",\"destination\":\"b\"}]}",
         "moves[0] has no \"ship_count\""},
        {"{\"moves\":[{\"origin\":1,\"destination\":\"b\",\"ship_count\":1}]}",
         "\"origin\" of moves[0] must be a planet's name, not a number"},
        {"{\"moves\":[{\"origin\":\"a\",\"destination\":null,\"ship_count\":1}]}",
         "\"destination\" of moves[0] must be a planet's name, not null"},
        {"{\"moves\":[{\"origin\":\"a\",\"destination\":\"b\",\"ship_count\":\"1\"}]}",
         "\"ship_count\" of moves[0] must be a number, not a string"},
        {"{\"moves\":[{\"origin\":\"a\",\"destination\":\"b\",\"ship_count\":-1}]}",
         "\"ship_count\" of moves[0] must be a whole number from 0 to 18446744073709551615 in "
         "digits only, not -1"},
        {"{\"moves\":[{\"origin\":\"a\",\"destination\":\"b\",\"ship_count\":1.0}]}",
         "\"ship_count\" of moves[0] must be a whole number from 0 to 18446744073709551615 in "
         "digits only, not 1.0"},
        {"{\"moves\":[{\"origin\":\"a\",\"destination\":\"b\",\"ship_count\":1e0}]}",
         "\"ship_count\" of moves[0] must be a whole number from 0 to 18446744073709551615 in "
         "digits only, not 1e0"},
        {"{\"moves\":[{\"origin\":\"a\",\"destination\":\"b\","
         "\"ship_count\":18446744073709551616}]}",
         "\"ship_count\" of moves[0] must be a whole number from 0 to 18446744073709551615 in "
         "digits only, not 18446744073709551616"},
        {"{\"moves\":[{\"origin\":\"a\",\"destination\":\"b\",\"ship_count\":1,\"ship_count\":1}]}",
         "the answer is not valid JSON: line 1, column 58: duplicate member name"},
        {"{\"moves\":[{\"origin\":\"x\",\"destination\":\"b\",\"ship_count\":1},7]}",
         "moves[1] must be an object, not a number"},
    };
    Fixture *fixture = world(2, "a 0 0 1 6; b 9 0 2 6;");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Error error = {0};
        assert_false(say_text(fixture, 0, cases[i].answer, &error));
        assert_string_equal(error.text, cases[i].message);
        assert_int_equal(fixture->orders[0]->head.kind, ORDERS_NONE);
        assert_int_equal(fixture->orders[0]->head.count, 0);
        assert_int_equal(fixture->notes.refused[0], 0);
    }
    done(fixture);
}

static void read_fills_the_orders_that_it_counts(void **unused) {
    (void)unused;
    Fixture *fixture = world(2, "a 0 0 1 6; b 9 0 2 6;");
    const PlanetwarsMove moves[] = {
        {.ships = 2, .origin = 0, .destination = 1},
        {.ships = 1, .origin = 0, .destination = 1},
    };
    memset(fixture->orders[0], 0xaa, fixture->setup->head.orders_size);
    say(fixture, 1, "a>b 2; a>b 1;");
    assert_int_equal(fixture->orders[0]->head.kind, ORDERS_GIVEN);
    assert_int_equal(fixture->orders[0]->head.count, 2);
    assert_memory_equal(fixture->orders[0]->moves, moves, sizeof moves);
    done(fixture);
}

static void the_number_of_expeditions_under_way_is_limited(void **unused) {
    (void)unused;
    Buffer map = {0};
    assert_true(planetwars_generate(2, 1, 100, &map, NULL));
    Fixture *fixture = start(NULL, buffer_string(&map), 2);
    assert_int_equal(fixture->setup->under_way_max, 16 * 201);
    done(fixture);
    buffer_free(&map);
    fixture = world(2, "a 0 0 1 4200; b 9 0 2 4200;");
    Buffer answer = {0};
    buffer_text(&answer, "{\"moves\":[");
    for (int i = 0; i < 3078; i++)
        buffer_format(&answer, "%s{\"origin\":\"a\",\"destination\":\"b\",\"ship_count\":1}",
                      i ? "," : "");
    buffer_text(&answer, "]}");
    Error error;
    assert_true(say_text(fixture, 0, buffer_string(&answer), &error));
    buffer_free(&answer);
    assert_int_equal(fixture->orders[0]->head.count, 3072);
    assert_int_equal(fixture->notes.refused[0], 6);
    uint32_t at = 0;
    uint32_t player = 0;
    Slice text;
    assert_true(notes_next_refusal(&fixture->notes, &at, &player, &text));
    assert_string_equal(text.at,
                        "moves[3072], 1 from \"a\" to \"b\": too many expeditions under way");
    step(fixture);
    assert_int_equal(fixture->state->expedition_count, 3072);
    /* The other player can still send expeditions. */
    say(fixture, 1, "a>b 1;");
    expect_refusal(fixture, "moves[0], 1 from \"a\" to \"b\": too many expeditions under way");
    say(fixture, 2, "b>a 1;");
    assert_int_equal(fixture->notes.refused[1], 0);
    step(fixture);
    assert_int_equal(fixture->state->expedition_count, 3073);
    done(fixture);
}

static void step_rejects_what_read_rejects(void **unused) {
    (void)unused;
    static const PlanetwarsMove moves[] = {{1, 99, 1}, {1, 0, 99},         {1, 1, 0}, {0, 0, 1},
                                           {7, 0, 1},  {UINT64_MAX, 0, 1}, {2, 0, 1}};
    Fixture *fixture = world(2, "a 0 0 1 6; b 9 0 2 6;");
    fixture->orders[0]->head = (GameOrders){ORDERS_GIVEN, 7};
    memcpy(fixture->orders[0]->moves, moves, sizeof moves);
    notes_clear(&fixture->notes);
    step(fixture);
    expect(fixture, "a 1 5, b 2 7; 0 a>b 1 2 8");
    static const char *const reasons[] = {
        "moves[0]: origin does not exist", "moves[1]: destination does not exist",
        "moves[2]: origin not owned",      "moves[3]: zero ships",
        "moves[4]: not enough ships",      "moves[5]: not enough ships",
    };
    uint32_t at = 0;
    uint32_t player = 9;
    Slice text;
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++) {
        assert_true(notes_next_refusal(&fixture->notes, &at, &player, &text));
        assert_string_equal(text.at, reasons[i]);
    }
    assert_false(notes_next_refusal(&fixture->notes, &at, &player, &text));
    done(fixture);
}

/* ---- bots that fail ---- */

static void a_bot_that_fails_makes_no_moves_and_its_planets_and_fleets_stay(void **unused) {
    (void)unused;
    assert_int_equal(game_planetwars.talk.on_timeout, FAILURE_SKIPS);
    assert_int_equal(game_planetwars.talk.on_exit, FAILURE_SKIPS);
    assert_int_equal(game_planetwars.talk.on_malformed, FAILURE_SKIPS);
    assert_int_equal(game_planetwars.talk.framing, FRAMING_LINE);
    assert_int_equal(game_planetwars.talk.turn_ms, 1000);
    assert_int_equal(game_planetwars.talk.start_ms, 5000);
    static const uint32_t kinds[] = {ORDERS_NONE, ORDERS_FORFEIT};
    for (size_t i = 0; i < 2; i++) {
        Fixture *fixture = world(2, "a 0 0 1 6; b 9 0 2 6;");
        say(fixture, 1, "a>b 2;");
        step(fixture);
        say(fixture, 1, "a>b 1;");
        fixture->orders[0]->head.kind = kinds[i];
        step(fixture);
        expect(fixture, "a 1 6, b 2 8; 0 a>b 1 2 7");
        assert_false(fixture->state->head.over);
        done(fixture);
    }
}

/* ---- the log ---- */

static void events_describe_departures_combat_and_eliminations(void **unused) {
    (void)unused;
    Fixture *fixture = world(3, "a 0 0 1 9; b 1 0 2 2; c 0 1 0 1; d 9 0 3 4; e 1 1 0 9;");
    say(fixture, 3, "d>a 1;");
    say(fixture, 2, "b>e 2;");
    say(fixture, 1, "a>b 5; a>c 1; a>a 1;");
    notes_clear(&fixture->notes);
    fixture->notes.wants_events = true;
    step(fixture);
    char is[2000] = "";
    memcpy(is, fixture->notes.events, fixture->notes.events_length);
    assert_string_equal(is, "player 1 sends 5 from a to b, to arrive in turn 1\n"
                            "player 1 sends 1 from a to c, to arrive in turn 1\n"
                            "player 1 sends 1 from a to a, to arrive in turn 1\n"
                            "player 2 sends 2 from b to e, to arrive in turn 1\n"
                            "player 3 sends 1 from d to a, to arrive in turn 9\n"
                            "a: player 1 has 4 after an arrival\n"
                            "b: player 2 1, player 1 5; player 1 takes it with 4\n"
                            "c: neutral 1, player 1 1; all are destroyed\n"
                            "e: neutral 9, player 2 2; it stays neutral with 7\n"
                            "player 2 is eliminated\n");
    done(fixture);
}

/* ---- maps and configuration ---- */

static void the_default_map_for_two_is_hex(void **unused) {
    (void)unused;
    static const struct {
        const char *name;
        double x;
        double y;
        uint32_t owner;
    } planets[] = {{"protos", -6, 0, 1},  {"duteros", -3, 5, 0}, {"tritos", 3, 5, 0},
                   {"tetartos", 6, 0, 2}, {"pemptos", 3, -5, 0}, {"extos", -3, -5, 0}};
    Fixture *fixture = start(NULL, NULL, 2);
    assert_string_equal(game_default_map(&game_planetwars, 2)->name, "hex");
    assert_int_equal(fixture->setup->planet_count, 6);
    for (size_t i = 0; i < 6; i++) {
        const PlanetwarsSite *site = &fixture->setup->sites[i];
        assert_string_equal(site->name, planets[i].name);
        assert_true(site->x == planets[i].x && site->y == planets[i].y);
        assert_int_equal(site->owner, planets[i].owner);
        assert_int_equal(site->ships, 6);
    }
    /* protos to tetartos; then to duteros: the root of 34. */
    assert_int_equal(fixture->setup->travel[3], 12);
    assert_int_equal(fixture->setup->travel[1], 6);
    done(fixture);
}

static int compare_numbers(const void *a, const void *b) {
    uint64_t left = *(const uint64_t *)a;
    uint64_t right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

/* Distance, ships and kind of every planet as seen from a player's first planet, sorted. */
static void measure(const PlanetwarsSetup *setup, uint32_t owner, uint64_t *seen) {
    uint32_t home = 0;
    while (setup->sites[home].owner != owner)
        home++;
    for (uint32_t i = 0; i < setup->planet_count; i++) {
        const PlanetwarsSite *site = &setup->sites[i];
        uint64_t kind = site->owner == owner ? 0 : site->owner ? 1 : 2;
        seen[i] =
            (uint64_t)setup->travel[home * setup->planet_count + i] << 32 | site->ships << 2 | kind;
    }
    qsort(seen, setup->planet_count, sizeof *seen, compare_numbers);
}

static void the_built_in_maps_are_fair_and_every_number_of_players_has_one(void **unused) {
    (void)unused;
    for (const GameMap *map = planetwars_maps; map->name; map++) {
        Fixture *fixture = start(NULL, map->text, map->players);
        uint64_t first[PLANETWARS_PLANETS_MAX];
        uint64_t other[PLANETWARS_PLANETS_MAX];
        measure(fixture->setup, 1, first);
        for (uint32_t owner = 2; owner <= map->players; owner++) {
            measure(fixture->setup, owner, other);
            assert_memory_equal(first, other, fixture->setup->planet_count * sizeof *first);
        }
        size_t memory =
            fixture->setup->head.state_size + map->players * fixture->setup->head.orders_size;
        assert_true(memory < 800000);
        done(fixture);
    }
    for (uint32_t players = 2; players <= GAME_PLAYERS_MAX; players++)
        done(start(NULL, NULL, players));
}

static void generated_maps_look_the_same_from_every_home(void **unused) {
    (void)unused;
    for (uint32_t players = 2; players <= GAME_PLAYERS_MAX; players++)
        for (uint64_t seed = 0; seed < (players < 12 ? 30 : 3); seed++) {
            uint32_t largest = (PLANETWARS_PLANETS_MAX - 1) / players;
            uint32_t size = (uint32_t)seed * 7 % (largest < 20 ? largest + 1 : 20);
            Buffer map = {0};
            Error error;
            assert_true(planetwars_generate(players, seed, size, &map, &error));
            Fixture *fixture = start(NULL, buffer_string(&map), players);
            const PlanetwarsSetup *setup = fixture->setup;
            uint32_t rings = setup->planet_count / players;
            uint32_t centre = setup->planet_count - 1;
            assert_int_equal(setup->planet_count, rings * players + 1);
            if (size)
                assert_int_equal(rings, size);
            for (uint32_t a = 0; a < rings * players; a++) {
                uint32_t next_a = a / players * players + (a % players + 1) % players;
                assert_int_equal(setup->sites[a].ships, setup->sites[next_a].ships);
                assert_int_equal(setup->sites[a].owner, a < players ? a + 1 : 0);
                assert_int_equal(setup->travel[a * setup->planet_count + centre],
                                 setup->travel[next_a * setup->planet_count + centre]);
                for (uint32_t b = 0; b < rings * players; b++) {
                    uint32_t next_b = b / players * players + (b % players + 1) % players;
                    assert_int_equal(setup->travel[a * setup->planet_count + b],
                                     setup->travel[next_a * setup->planet_count + next_b]);
                }
            }
            done(fixture);
            buffer_free(&map);
        }
}

static void the_same_seed_makes_the_same_map_and_another_seed_another(void **unused) {
    (void)unused;
    Buffer maps[3] = {{0}, {0}, {0}};
    for (size_t i = 0; i < 3; i++)
        assert_true(planetwars_generate(3, i == 2 ? 6 : 5, 4, &maps[i], NULL));
    assert_string_equal(buffer_string(&maps[0]), buffer_string(&maps[1]));
    assert_string_not_equal(buffer_string(&maps[0]), buffer_string(&maps[2]));
    for (size_t i = 0; i < 3; i++)
        buffer_free(&maps[i]);
    /* The map for a seed must never change. */
    Buffer map = {0};
    assert_true(planetwars_generate(3, 7, 1, &map, NULL));
    assert_string_equal(
        buffer_string(&map),
        "{\"planets\": [\n"
        "  {\"name\": \"home 1\", \"x\": -1.348, \"y\": -4.875, \"ship_count\": 10, "
        "\"owner\": 1},\n"
        "  {\"name\": \"home 2\", \"x\": 4.896, \"y\": 1.27, \"ship_count\": 10, \"owner\": 2},\n"
        "  {\"name\": \"home 3\", \"x\": -3.548, \"y\": 3.605, \"ship_count\": 10, \"owner\": 3},\n"
        "  {\"name\": \"centre\", \"x\": 0.0, \"y\": 0.0, \"ship_count\": 20}\n"
        "]}\n");
    buffer_free(&map);
    Error error;
    assert_false(planetwars_generate(1, 1, 1, &map, &error));
    assert_string_equal(error.text, "Planet Wars is for 2 to 64 players, not 1");
    assert_false(planetwars_generate(10, 1, 26, &map, &error));
    assert_string_equal(error.text, "a map for 10 players has 1 to 25 planets for each, not 26");
}

static void owners_beyond_the_players_and_planets_without_ships_are_neutral(void **unused) {
    (void)unused;
    Fixture *fixture = world(2, "a 0 0 1 6; b 9 0 2 6; c 0 9 3 6; d 9 9 1 0; e 5 5 77 2;");
    expect(fixture, "a 1 6, b 2 6, c - 6, d - 0, e - 2");
    done(fixture);
}

static void a_player_may_start_with_several_planets(void **unused) {
    (void)unused;
    Fixture *fixture = world(2, "a 0 0 1 6; b 9 0 2 6; c 0 9 1 6;");
    assert_int_equal(planetwars_players(fixture->state)[0].planets, 2);
    done(fixture);
}

static void max_turns_and_planets_may_be_in_either_file(void **unused) {
    (void)unused;
    Fixture *fixture = start("{\"max_turns\":7}", NULL, 2);
    assert_int_equal(fixture->setup->head.turns_max, 7);
    done(fixture);
    fixture = start(document_map, NULL, 2);
    assert_int_equal(fixture->setup->planet_count, 3);
    done(fixture);
    fixture = start(document_map, "{\"max_turns\":8}", 2);
    assert_int_equal(fixture->setup->head.turns_max, 8);
    assert_int_equal(fixture->setup->planet_count, 3);
    done(fixture);
}

static void names_are_found_on_the_largest_map(void **unused) {
    (void)unused;
    Buffer map = {0};
    assert_true(planetwars_generate(5, 3, 51, &map, NULL));
    Fixture *fixture = start(NULL, buffer_string(&map), 5);
    assert_int_equal(fixture->setup->planet_count, 256);
    for (uint32_t i = 0; i < 256; i++)
        assert_int_equal(planetwars_find(fixture->setup, slice_of(fixture->setup->sites[i].name)),
                         i);
    assert_int_equal(planetwars_find(fixture->setup, slice_of("nowhere")), 256);
    assert_int_equal(planetwars_find(fixture->setup, slice_of("")), 256);
    done(fixture);
    buffer_free(&map);
}

#define A "{\"name\":\"a\",\"x\":0,\"y\":0,\"ship_count\":6,\"owner\":1}"
#define B "{\"name\":\"b\",\"x\":0,\"y\":0,\"ship_count\":6,\"owner\":2}"

static void an_invalid_map_is_rejected_with_file_line_and_field(void **unused) {
    (void)unused;
    static const struct {
        const char *map;
        const char *message;
    } cases[] = {
        {"", "m.json: line 1, column 1: unexpected end; expected a JSON value"},
        {"[]", "m.json:1: expected a JSON object, found an array"},
        {"{}", "m.json:1: \"planets\" is missing"},
        {"{\"planets\":{}}", "m.json:1: \"planets\" must be an array, not an object"},
        {"{\"planets\":[]}",
         "m.json:1: \"planets\" must contain 2 to 256 planets for 2 players, not 0"},
        {"{\"planets\":[" A "]}",
         "m.json:1: \"planets\" must contain 2 to 256 planets for 2 players, not 1"},
        {"{\n\"planets\":[" A "," A "]}",
         "m.json:2: planets[1] has the same name, \"a\", as planets[0]"},
        {"{\"planets\":[\n" A ",\n{\"name\":\"b\",\"x\":0,\"y\":0,\"ship_count\":6}]}",
         "m.json:1: no planet with ships has the owner 2; each of the 2 players needs one"},
        {"{\"planets\":[\n" A ",\n{\"name\":\"b\",\"x\":0,\"y\":0,\"ship_count\":0,\"owner\":2}]}",
         "m.json:1: no planet with ships has the owner 2; each of the 2 players needs one"},
        {"{\"planets\":[\n" A ",\n7]}", "m.json:3: planets[1] must be an object, not a number"},
        {"{\"planets\":[" A "," B "],\n\"expeditions\":[]}",
         "m.json:2: unknown field \"expeditions\"; known: max_turns, planets"},
        {"{\"planets\":[" A ",\n{\"name\":\"b\",\"x\":0,\"y\":0,\"ship_count\":6,\"size\":2}]}",
         "m.json:2: unknown field \"size\"; known: name, x, y, ship_count, owner"},
        {"{\"planets\":[" A ",\n{\"x\":0,\"y\":0,\"ship_count\":6}]}",
         "m.json:2: planets[1] has no \"name\""},
        {"{\"planets\":[" A ",\n{\"name\":\"b\",\"y\":0,\"ship_count\":6}]}",
         "m.json:2: planets[1] has no \"x\""},
        {"{\"planets\":[" A ",\n{\"name\":\"b\",\"x\":0,\"ship_count\":6}]}",
         "m.json:2: planets[1] has no \"y\""},
        {"{\"planets\":[" A ",\n{\"name\":\"b\",\"x\":0,\"y\":0}]}",
         "m.json:2: planets[1] has no \"ship_count\""},
        {"{\"planets\":[" A ",\n{\"name\":7,\"x\":0,\"y\":0,\"ship_count\":6}]}",
         "m.json:2: \"name\" must be a string, not a number"},
        {"{\"planets\":[" A ",\n{\"name\":\"\",\"x\":0,\"y\":0,\"ship_count\":6}]}",
         "m.json:2: \"name\" of planets[1] must have 1 to 60 bytes, not 0"},
        {"{\"planets\":[" A
         ",\n{\"name\":\"0123456789012345678901234567890123456789012345678901234567890\","
         "\"x\":0,\"y\":0,\"ship_count\":6}]}",
         "m.json:2: \"name\" of planets[1] must have 1 to 60 bytes, not 61"},
        {"{\"planets\":[" A ",\n{\"name\":\"b\\n\",\"x\":0,\"y\":0,\"ship_count\":6}]}",
         "m.json:2: \"name\" of planets[1] must not contain control characters"},
        {"{\"planets\":[" A ",\n{\"name\":\"b\",\"x\":\"0\",\"y\":0,\"ship_count\":6}]}",
         "m.json:2: \"x\" must be a number, not a string"},
        {"{\"planets\":[" A ",\n{\"name\":\"b\",\"x\":0,\"y\":-1000000.5,\"ship_count\":6}]}",
         "m.json:2: \"y\" must be a number from -1000000 to 1000000, not -1000000.5"},
        {"{\"planets\":[" A ",\n{\"name\":\"b\",\"x\":1e999,\"y\":0,\"ship_count\":6}]}",
         "m.json:2: \"x\" must be a number from -1000000 to 1000000, not 1e999"},
        {"{\"planets\":[" A ",\n{\"name\":\"b\",\"x\":0,\"y\":0,\"ship_count\":-1}]}",
         "m.json:2: \"ship_count\" must be a whole number from 0 to 1000000000000, not -1"},
        {"{\"planets\":[" A ",\n{\"name\":\"b\",\"x\":0,\"y\":0,\"ship_count\":1000000000001}]}",
         "m.json:2: \"ship_count\" must be a whole number from 0 to 1000000000000, not "
         "1000000000001"},
        {"{\"planets\":[" A ",\n{\"name\":\"b\",\"x\":0,\"y\":0,\"ship_count\":1,\"owner\":0}]}",
         "m.json:2: \"owner\" must be a whole number from 1 to 1000000, not 0"},
        {"{\"planets\":[" A
         ",\n{\"name\":\"b\",\"x\":0,\"y\":0,\"ship_count\":1,\"owner\":\"2\"}]}",
         "m.json:2: \"owner\" must be a whole number from 1 to 1000000, not a string"},
        {"{\"planets\":[" A "," B ",\n]}", "m.json: line 2, column 1: expected a JSON value"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_null(set_up(NULL, cases[i].map, 2));
        assert_string_equal(refused.text, cases[i].message);
    }
}

static void an_invalid_configuration_is_rejected_with_file_line_and_field(void **unused) {
    (void)unused;
    static const struct {
        const char *config;
        const char *map;
        const char *message;
    } cases[] = {
        {"{\"max_turns\":0}", NULL,
         "c.json:1: \"max_turns\" must be a whole number from 1 to 100000, not 0"},
        {"{\n\"max_turns\":\"9\"}", NULL,
         "c.json:2: \"max_turns\" must be a whole number from 1 to 100000, not a string"},
        {"{\"turns\":9}", NULL, "c.json:1: unknown field \"turns\"; known: max_turns, planets"},
        {"{\n\"planets\":[]}", "{\"planets\":[" A "," B "]}",
         "c.json:2: \"planets\" is also set in m.json; remove one of them"},
        {"{\"max_turns\":9}", "{\"max_turns\":9,\"planets\":[" A "," B "]}",
         "c.json:1: \"max_turns\" is also set in m.json; remove one of them"},
        {"{\"planets\":[" A "]}", NULL,
         "c.json:1: \"planets\" must contain 2 to 256 planets for 2 players, not 1"},
        {"{", NULL, "c.json: line 1, column 2: expected a member name in quotes"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_null(set_up(cases[i].config, cases[i].map, 2));
        assert_string_equal(refused.text, cases[i].message);
    }
    assert_null(set_up(NULL, NULL, 1));
    assert_string_equal(refused.text, "Planet Wars is for 2 to 64 players, not 1");
    assert_null(set_up(NULL, NULL, 65));
    assert_string_equal(refused.text, "Planet Wars is for 2 to 64 players, not 65");
    assert_null(set_up(NULL, planetwars_maps[0].text, 3));
    assert_string_equal(
        refused.text,
        "m.json:1: no planet with ships has the owner 3; each of the 3 players needs one");
}

/* ---- drawing and JSON ---- */

static void state_and_orders_are_written_as_json_with_the_owners_own_numbers(void **unused) {
    (void)unused;
    Fixture *fixture = world(2, "a 0 0 1 6; b 1 0 2 2;");
    Buffer text = {0};
    say(fixture, 2, "b>a 2;");
    game_planetwars.orders_json(&fixture->setup->head, &fixture->orders[1]->head, &text);
    assert_string_equal(buffer_string(&text),
                        "{\"moves\":[{\"origin\":\"b\",\"destination\":\"a\",\"ship_count\":2}]}");
    buffer_clear(&text);
    say(fixture, 1, "a>b 2;");
    say(fixture, 2, "");
    step(fixture);
    game_planetwars.state_json(&fixture->setup->head, &fixture->state->head, &text);
    assert_string_equal(
        buffer_string(&text),
        "{\"planets\":[{\"ship_count\":5,\"x\":0.0,\"y\":0.0,\"owner\":1,\"name\":\"a\"},"
        "{\"ship_count\":1,\"x\":1.0,\"y\":0.0,\"owner\":2,\"name\":\"b\"}],\"expeditions\":[],"
        "\"players\":[{\"planets\":1,\"expeditions\":0,\"died\":null},"
        "{\"planets\":1,\"expeditions\":0,\"died\":null}],\"turn\":1,\"max_turns\":500}");
    Json json = {0};
    Error error;
    assert_true(json_parse(&json, (Slice){text.data, text.length}, &error));
    json_free(&json);
    buffer_free(&text);
    done(fixture);
}

static void the_drawing_shows_planets_at_their_coordinates(void **unused) {
    (void)unused;
    Fixture *fixture = world(2, "a 0 0 1 6; b 9 0 2 6; c 0 2 0 3;");
    say(fixture, 1, "a>b 2;");
    step(fixture);
    step(fixture);
    step(fixture);
    Buffer text = {0};
    game_planetwars.draw(&fixture->setup->head, &fixture->state->head, false, &text);
    assert_string_equal(buffer_string(&text), "          c:3\n"
                                              "\n"
                                              "\n"
                                              "\n"
                                              "          a:7           o                     b:9\n"
                                              "1: 1 planet, 9 ships, 1 expedition\n"
                                              "2: 1 planet, 9 ships, 0 expeditions\n");
    buffer_free(&text);
    done(fixture);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_view_matches_the_document_on_one_line),
        cmocka_unit_test(the_command_in_the_document_is_carried_out),
        cmocka_unit_test(owned_planets_build_one_ship_and_neutral_ones_none),
        cmocka_unit_test(all_ships_in_the_view_can_leave_and_the_new_one_holds_the_planet),
        cmocka_unit_test(the_ship_just_built_cannot_leave),
        cmocka_unit_test(later_moves_can_use_what_earlier_ones_left),
        cmocka_unit_test(ships_that_arrive_cannot_leave_in_the_same_turn),
        cmocka_unit_test(the_travel_time_is_the_distance_rounded_up),
        cmocka_unit_test(an_expedition_arrives_after_its_travel_time),
        cmocka_unit_test(a_travel_time_of_one_turn_means_arrival_in_the_same_turn),
        cmocka_unit_test(an_expedition_to_its_own_origin_arrives_in_the_same_turn),
        cmocka_unit_test(a_planet_in_the_same_place_is_reached_in_the_same_turn),
        cmocka_unit_test(fleets_of_one_owner_are_merged_before_they_fight),
        cmocka_unit_test(a_fleet_that_comes_home_joins_the_ships_there),
        cmocka_unit_test(the_largest_fleet_wins_and_loses_as_many_as_the_second_has),
        cmocka_unit_test(ships_of_a_neutral_planet_form_a_fleet),
        cmocka_unit_test(a_tie_for_the_largest_destroys_all_fleets),
        cmocka_unit_test(a_tie_for_second_place_does_not_matter),
        cmocka_unit_test(the_ship_just_built_takes_part_in_combat),
        cmocka_unit_test(an_empty_neutral_planet_falls_to_a_single_ship),
        cmocka_unit_test(expeditions_that_meet_in_space_pass_each_other),
        cmocka_unit_test(ids_count_up_from_zero_by_player_then_move),
        cmocka_unit_test(expeditions_stay_in_the_order_of_their_ids_when_some_arrive),
        cmocka_unit_test(the_match_ends_although_neutral_ships_remain),
        cmocka_unit_test(a_player_with_only_an_expedition_is_alive_and_gets_views),
        cmocka_unit_test(eliminated_players_get_no_more_views_and_the_others_continue),
        cmocka_unit_test(after_500_turns_living_players_tie_and_the_others_rank_by_death),
        cmocka_unit_test(if_nobody_is_alive_those_who_died_last_tie),
        cmocka_unit_test(a_win_in_the_last_turn_is_a_win),
        cmocka_unit_test(every_player_sees_itself_as_1_and_the_others_counting_up),
        cmocka_unit_test(the_first_view_of_hex_has_six_planets_and_no_expeditions),
        cmocka_unit_test(coordinates_have_a_decimal_point_and_names_are_escaped),
        cmocka_unit_test(the_longest_names_and_largest_numbers_fit_into_a_view),
        cmocka_unit_test(moves_that_are_not_allowed_are_rejected_one_by_one),
        cmocka_unit_test(a_ship_count_can_be_any_unsigned_64_bit_number),
        cmocka_unit_test(unknown_members_are_ignored_and_moves_can_be_empty),
        cmocka_unit_test(an_answer_in_an_invalid_format_is_rejected_as_a_whole),
        cmocka_unit_test(read_fills_the_orders_that_it_counts),
        cmocka_unit_test(the_number_of_expeditions_under_way_is_limited),
        cmocka_unit_test(step_rejects_what_read_rejects),
        cmocka_unit_test(a_bot_that_fails_makes_no_moves_and_its_planets_and_fleets_stay),
        cmocka_unit_test(events_describe_departures_combat_and_eliminations),
        cmocka_unit_test(the_default_map_for_two_is_hex),
        cmocka_unit_test(the_built_in_maps_are_fair_and_every_number_of_players_has_one),
        cmocka_unit_test(generated_maps_look_the_same_from_every_home),
        cmocka_unit_test(the_same_seed_makes_the_same_map_and_another_seed_another),
        cmocka_unit_test(owners_beyond_the_players_and_planets_without_ships_are_neutral),
        cmocka_unit_test(a_player_may_start_with_several_planets),
        cmocka_unit_test(max_turns_and_planets_may_be_in_either_file),
        cmocka_unit_test(names_are_found_on_the_largest_map),
        cmocka_unit_test(an_invalid_map_is_rejected_with_file_line_and_field),
        cmocka_unit_test(an_invalid_configuration_is_rejected_with_file_line_and_field),
        cmocka_unit_test(state_and_orders_are_written_as_json_with_the_owners_own_numbers),
        cmocka_unit_test(the_drawing_shows_planets_at_their_coordinates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
