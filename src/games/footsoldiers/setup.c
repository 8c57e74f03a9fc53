/* Sets up a match of Footsoldiers: reads configuration and map. */
#include "base/json_object.h"
#include "base/memory.h"
#include "games/footsoldiers/footsoldiers.h"

#include <assert.h>
#include <stddef.h>
#include <stdlib.h>

/* ---- the configuration ---- */

/* A whole number in the configuration, or three: one per type of soldier. The limits keep all sums
   and products in a match far from overflowing. */
typedef struct ConfigNumber {
    const char *name;
    int64_t low;
    int64_t high;
    size_t offset;
} ConfigNumber;

static const ConfigNumber numbers[] = {
    {"initial-money", 0, 1000000000, offsetof(FootsoldiersSetup, initial_money)},
    {"money-per-turn", 0, 1000000, offsetof(FootsoldiersSetup, money_per_turn)},
    {"max-distance-from-base", 0, 1000000, offsetof(FootsoldiersSetup, max_distance)},
    {"total-turns", 1, 10000, offsetof(FootsoldiersSetup, total_turns)},
    {"bot-memory-limit-kib", 1024, 1 << 30, offsetof(FootsoldiersSetup, memory_kib)},
    {"bot-initialisation-time", 1, 3600, offsetof(FootsoldiersSetup, initialisation_seconds)},
};

static const ConfigNumber sections[] = {
    {"health", 1, 1000000000, offsetof(FootsoldiersSetup, health)},
    {"speed", 0, FOOTSOLDIERS_SPEED_MAX, offsetof(FootsoldiersSetup, speed)},
    {"damage", 0, 1000000000, offsetof(FootsoldiersSetup, damage)},
    {"cost", 0, 1000000000, offsetof(FootsoldiersSetup, cost)},
};

static int64_t *field_of(FootsoldiersSetup *setup, const ConfigNumber *field) {
    return (int64_t *)(void *)((char *)setup + field->offset);
}

static bool read_section(FootsoldiersSetup *setup, const JsonObject *config,
                         const ConfigNumber *section, Error *error) {
    static const char *const types[] = {"scout", "assassin", "tank", NULL};
    uint32_t node;
    if (!json_object_member(config, 0, section->name, JSON_OBJECT, &node, error))
        return false;
    if (node == JSON_NONE)
        return true;
    Error inner;
    bool good = json_object_allow_only(config, node, types, &inner);
    for (int type = 0; type < FOOTSOLDIERS_TYPES && good; type++)
        good = json_object_int(config, node, types[type], section->low, section->high,
                               &field_of(setup, section)[type], &inner);
    return good || error_set(error, "%s (in \"%s\")", inner.text, section->name);
}

static bool read_config(FootsoldiersSetup *setup, const JsonObject *config, Error *error) {
    static const char *const known[] = {"initial-money",
                                        "money-per-turn",
                                        "max-distance-from-base",
                                        "total-turns",
                                        "bot-memory-limit-kib",
                                        "bot-initialisation-time",
                                        "allowed-commands",
                                        "view-newline",
                                        "health",
                                        "speed",
                                        "damage",
                                        "cost",
                                        NULL};
    if (!json_object_allow_only(config, 0, known, error))
        return false;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (!json_object_int(config, 0, numbers[i].name, numbers[i].low, numbers[i].high,
                             field_of(setup, &numbers[i]), error))
            return false;
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
        if (!read_section(setup, config, &sections[i], error))
            return false;
    return json_object_bool(config, 0, "view-newline", &setup->view_newline, error);
}

/* ---- the map ---- */

/* Checks every character of the map; finds its size and the bases. */
static bool survey_map(FootsoldiersSetup *setup, const char *name, Slice text, Error *error) {
    bool found[2] = {false, false};
    Slice line;
    for (int32_t y = 0; slice_line(&text, &line); y++) {
        if (y == FOOTSOLDIERS_SIDE_MAX)
            return error_set(error, "%s:%d: a map has at most %d lines", name, y + 1,
                             FOOTSOLDIERS_SIDE_MAX);
        if (line.length > FOOTSOLDIERS_SIDE_MAX)
            return error_set(error, "%s:%d: the line has %zu characters; the limit is %d", name,
                             y + 1, line.length, FOOTSOLDIERS_SIDE_MAX);
        int32_t length = (int32_t)line.length;
        for (int32_t x = 0; x < length; x++) {
            char c = line.at[x];
            if (c == ' ' || c == 'X')
                continue;
            if (c != '1' && c != '2')
                return error_set(error,
                                 c > ' ' && c < 127
                                     ? "%s:%d:%d: expected 1, 2, X or a space, not '%c'"
                                     : "%s:%d:%d: expected 1, 2, X or a space, not the byte %d",
                                 name, y + 1, x + 1, c > ' ' && c < 127 ? c : (unsigned char)c);
            int player = c - '1';
            if (found[player])
                return error_set(error, "%s:%d:%d: a second %c; the first is in line %d, column %d",
                                 name, y + 1, x + 1, c, setup->base[player].y + 1,
                                 setup->base[player].x + 1);
            found[player] = true;
            setup->base[player] = (FootsoldiersSquare){x, y};
        }
        setup->width = length > setup->width ? length : setup->width;
        setup->height = y + 1;
    }
    for (int player = 0; player < 2; player++)
        if (!found[player])
            return error_set(error, "%s: the map has no %d, the base of player%d", name, player + 1,
                             player + 1);
    return true;
}

/* Each row of `solid` begins and ends with a word of zeros, so that 64 squares can be read from any
   place that overlaps the map. */
static void set_solid(FootsoldiersSetup *setup, FootsoldiersSquare square) {
    uint32_t bit = (uint32_t)square.x + 64;
    setup->solid[(uint32_t)square.y * setup->solid_stride + bit / 64] |= UINT64_C(1) << bit % 64;
}

static int by_place(const void *one, const void *other) {
    FootsoldiersSquare left = ((const FootsoldiersFixture *)one)->at;
    FootsoldiersSquare right = ((const FootsoldiersFixture *)other)->at;
    return left.x != right.x ? left.x - right.x : left.y - right.y;
}

/* Builds `fixtures` and `solid` from a map that survey_map accepted. */
static void build_map(FootsoldiersSetup *setup, Slice text) {
    Slice rest = text;
    Slice line;
    uint32_t count = 0;
    for (size_t i = 0; i < text.length; i++)
        count += text.at[i] == 'X' || text.at[i] == '1' || text.at[i] == '2';
    assert(count >= 2); /* the bases */
    setup->fixtures = xcalloc(count, sizeof *setup->fixtures);
    setup->solid_stride = (uint32_t)(setup->width + 63) / 64 + 2;
    setup->solid = xcalloc((size_t)setup->height * setup->solid_stride, sizeof *setup->solid);
    for (int32_t y = 0; slice_line(&rest, &line); y++)
        for (int32_t x = 0; x < (int32_t)line.length; x++) {
            if (line.at[x] == ' ')
                continue;
            FootsoldiersFixture *fixture = &setup->fixtures[setup->fixture_count++];
            fixture->at = (FootsoldiersSquare){x, y};
            fixture->kind = line.at[x] == 'X' ? FOOTSOLDIERS_ROCK
                                              : FOOTSOLDIERS_BASE + (uint32_t)(line.at[x] - '1');
            set_solid(setup, fixture->at);
        }
    qsort(setup->fixtures, setup->fixture_count, sizeof *setup->fixtures, by_place);
}

/* Reads the text of a map into the setup: size, bases, fixtures and `solid`. */
static bool read_map(FootsoldiersSetup *setup, const char *name, Slice text, Error *error) {
    if (!survey_map(setup, name, text, error))
        return false;
    build_map(setup, text);
    return true;
}

/* ---- both files ---- */

/* The most soldiers that can exist: each player can build one per turn, and must pay for it. */
static uint32_t soldiers_max(const FootsoldiersSetup *setup) {
    int64_t cheapest = setup->cost[0];
    for (int type = 1; type < FOOTSOLDIERS_TYPES; type++)
        cheapest = setup->cost[type] < cheapest ? setup->cost[type] : cheapest;
    int64_t builds = setup->total_turns;
    int64_t money = setup->initial_money + setup->money_per_turn * (setup->total_turns - 1);
    if (cheapest > 0 && money / cheapest < builds)
        builds = money / cheapest;
    return (uint32_t)(2 * builds);
}

static void finish_setup(FootsoldiersSetup *setup) {
    setup->head.turns_max = (uint32_t)setup->total_turns;
    setup->head.talk.start_ms = (uint32_t)setup->initialisation_seconds * 1000;
    setup->head.talk.memory_kib = (uint32_t)setup->memory_kib;
    if (!setup->view_newline)
        setup->head.talk.waiting_hint =
            "views end without a newline, because the configuration has \"view-newline\": false";
    for (int type = 0; type < FOOTSOLDIERS_TYPES; type++)
        if (setup->speed[type] > setup->fastest)
            setup->fastest = (int32_t)setup->speed[type];
    setup->soldiers_max = soldiers_max(setup);
    setup->head.state_size =
        sizeof(FootsoldiersState) + setup->soldiers_max * sizeof(FootsoldiersSoldier);
    setup->head.orders_size = sizeof(FootsoldiersOrders);
    footsoldiers_write_fixtures(setup);
}

GameSetup *footsoldiers_setup(const GameFile *config, const GameFile *map, uint32_t players,
                              Error *error) {
    if (!game_takes(&game_footsoldiers, players, error))
        return NULL;
    FootsoldiersSetup *setup = xcalloc(1, sizeof *setup);
    *setup = (FootsoldiersSetup){
        .head = {.game = &game_footsoldiers, .players = 2, .talk = game_footsoldiers.talk},
        .initial_money = 10,
        .money_per_turn = 3,
        .max_distance = 5,
        .total_turns = 100,
        .memory_kib = 2621440,
        .initialisation_seconds = 15,
        .health = {9, 6, 12},
        .speed = {6, 5, 2},
        .damage = {3, 5, 2},
        .cost = {10, 11, 12},
        .view_newline = true,
    };
    const char *map_name = map->name ? map->name : "default map";
    Slice map_text = map->name ? map->text : slice_of(footsoldiers_maps[0].text);
    JsonObject file = {0};
    bool good = json_object_parse(&file, config->name, config->text, error) &&
                read_config(setup, &file, error) && read_map(setup, map_name, map_text, error);
    json_object_free(&file);
    if (!good) {
        footsoldiers_setup_free(&setup->head);
        return NULL;
    }
    finish_setup(setup);
    return &setup->head;
}

void footsoldiers_setup_free(GameSetup *head) {
    FootsoldiersSetup *setup = (FootsoldiersSetup *)head;
    free(setup->fixtures);
    free(setup->solid);
    buffer_free(&setup->fixture_text);
    free(setup);
}
