/* Sets up a match of Planet Wars: reads configuration and map, and measures the distances. */
#include "base/json_object.h"
#include "base/memory.h"
#include "games/planetwars/planetwars.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Differences, squares and sums of whole coordinates within PLANETWARS_REACH are exact, and so is
   the root of a square number: planets 3 and 4 apart in x and y are exactly 5 apart. For other
   coordinates, bots get the same result from the same formula with doubles. */
uint32_t planetwars_travel(double x, double y, double other_x, double other_y) {
    double across = x - other_x;
    double up = y - other_y;
    uint32_t turns = (uint32_t)ceil(sqrt(across * across + up * up));
    return turns ? turns : 1;
}

/* FNV-1a */
static uint32_t slot_of(Slice name) {
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < name.length; i++)
        hash = (hash ^ (unsigned char)name.at[i]) * 16777619u;
    return (hash ^ hash >> 16) % PLANETWARS_INDEX_SIZE;
}

/* The slot of the name, or the free slot where it belongs. */
static uint32_t probe(const PlanetwarsSetup *setup, Slice name) {
    uint32_t slot = slot_of(name);
    for (;; slot = (slot + 1) % PLANETWARS_INDEX_SIZE) {
        if (!setup->index[slot])
            return slot;
        const PlanetwarsSite *site = &setup->sites[setup->index[slot] - 1];
        if (site->name_length == name.length && memcmp(site->name, name.at, name.length) == 0)
            return slot;
    }
}

uint32_t planetwars_find(const PlanetwarsSetup *setup, Slice name) {
    if (name.length == 0 || name.length > PLANETWARS_NAME_MAX)
        return setup->planet_count;
    uint32_t found = setup->index[probe(setup, name)];
    return found ? found - 1 : setup->planet_count;
}

static bool read_name(PlanetwarsSetup *setup, const JsonObject *map, uint32_t object,
                      uint32_t number, Error *error) {
    uint32_t node = JSON_NONE;
    if (!json_object_member(map, object, "name", JSON_STRING, &node, error))
        return false;
    if (node == JSON_NONE)
        return json_object_error(map, object, error, "planets[%u] has no \"name\"", number);
    Slice name = map->json.nodes[node].text;
    if (name.length == 0 || name.length > PLANETWARS_NAME_MAX)
        return json_object_error(map, node, error,
                                 "\"name\" of planets[%u] must have 1 to %d bytes, not %zu", number,
                                 PLANETWARS_NAME_MAX, name.length);
    for (size_t i = 0; i < name.length; i++)
        if ((unsigned char)name.at[i] < ' ' || name.at[i] == 0x7f)
            return json_object_error(map, node, error,
                                     "\"name\" of planets[%u] must not contain control characters",
                                     number);
    uint32_t slot = probe(setup, name);
    if (setup->index[slot])
        return json_object_error(map, node, error,
                                 "planets[%u] has the same name, \"%.*s\", as planets[%u]", number,
                                 SLICE_ARGS(name), setup->index[slot] - 1u);
    PlanetwarsSite *site = &setup->sites[number];
    memcpy(site->name, name.at, name.length);
    site->name_length = (uint32_t)name.length;
    setup->index[slot] = (uint16_t)(number + 1);
    return true;
}

static bool read_coordinate(const JsonObject *map, uint32_t object, uint32_t number,
                            const char *field, double *value, Error *error) {
    uint32_t node = JSON_NONE;
    if (!json_object_member(map, object, field, JSON_NUMBER, &node, error))
        return false;
    if (node == JSON_NONE)
        return json_object_error(map, object, error, "planets[%u] has no \"%s\"", number, field);
    if (!json_number(&map->json, node, value) || fabs(*value) > PLANETWARS_REACH)
        return json_object_error(map, node, error,
                                 "\"%s\" must be a number from -1000000 to 1000000, not %.*s",
                                 field, SLICE_ARGS(map->json.nodes[node].text));
    *value += 0.0; /* -0 becomes 0 */
    return true;
}

/* A neutral planet may have the owner null, as in the view. */
static bool read_owner(const PlanetwarsSetup *setup, const JsonObject *map, uint32_t object,
                       PlanetwarsSite *site, Error *error) {
    uint32_t node = json_member(&map->json, object, "owner");
    int64_t owner = 0;
    bool null = node != JSON_NONE && map->json.nodes[node].kind == JSON_NULL;
    if (!null && !json_object_int(map, object, "owner", 1, 1000000, &owner, error))
        return false;
    if (site->ships > 0 && owner <= setup->head.players)
        site->owner = (uint32_t)owner;
    return true;
}

static bool read_planet(PlanetwarsSetup *setup, const JsonObject *map, uint32_t object,
                        uint32_t number, Error *error) {
    static const char *const known[] = {"name", "x", "y", "ship_count", "owner", NULL};
    PlanetwarsSite *site = &setup->sites[number];
    int64_t ships = -1;
    if (map->json.nodes[object].kind != JSON_OBJECT)
        return json_object_error(map, object, error, "planets[%u] must be an object, not %s",
                                 number, json_kind_name(&map->json, object));
    if (!json_object_allow_only(map, object, known, error) ||
        !read_name(setup, map, object, number, error) ||
        !read_coordinate(map, object, number, "x", &site->x, error) ||
        !read_coordinate(map, object, number, "y", &site->y, error) ||
        !json_object_int(map, object, "ship_count", 0, PLANETWARS_SHIPS_MAX, &ships, error))
        return false;
    if (ships < 0)
        return json_object_error(map, object, error, "planets[%u] has no \"ship_count\"", number);
    site->ships = (uint64_t)ships;
    return read_owner(setup, map, object, site, error);
}

static bool read_planets(PlanetwarsSetup *setup, const JsonObject *map, uint32_t list,
                         Error *error) {
    const JsonNode *nodes = map->json.nodes;
    uint32_t count = nodes[list].count;
    if (count < setup->head.players || count > PLANETWARS_PLANETS_MAX)
        return json_object_error(
            map, list, error, "\"planets\" must contain %u to %d planets for %u players, not %u",
            setup->head.players, PLANETWARS_PLANETS_MAX, setup->head.players, count);
    setup->planet_count = count;
    setup->sites = xcalloc(count, sizeof *setup->sites);
    uint64_t seated[GAME_PLAYERS_MAX + 1] = {0};
    uint32_t number = 0;
    for (uint32_t node = list + 1; node < nodes[list].next; node = nodes[node].next, number++) {
        if (!read_planet(setup, map, node, number, error))
            return false;
        seated[setup->sites[number].owner]++;
    }
    for (uint32_t player = 1; player <= setup->head.players; player++)
        if (!seated[player])
            return json_object_error(
                map, list, error,
                "no planet with ships has the owner %u; each of the %u players "
                "needs one",
                player, setup->head.players);
    return true;
}

static bool read_fields(PlanetwarsSetup *setup, const JsonObject *config, Error *error) {
    static const char *const known[] = {"max_turns", "planets", NULL};
    int64_t turns = setup->head.turns_max;
    uint32_t planets = JSON_NONE;
    if (!json_object_allow_only(config, 0, known, error) ||
        !json_object_int(config, 0, "max_turns", 1, PLANETWARS_TURNS_MAX, &turns, error) ||
        !json_object_member(config, 0, "planets", JSON_ARRAY, &planets, error))
        return false;
    setup->head.turns_max = (uint32_t)turns;
    return planets == JSON_NONE || read_planets(setup, config, planets, error);
}

/* If neither file has planets and no map was given, the default map is used; if there is none for
   that number of players, one is generated. */
static bool read_files(PlanetwarsSetup *setup, const GameFile *config, const GameFile *map,
                       Error *error) {
    const GameMap *standard = game_default_map(&game_planetwars, setup->head.players);
    JsonObject files[2] = {0};
    Buffer made = {0};
    bool good = json_object_parse(&files[0], map->name, map->text, error) &&
                json_object_parse(&files[1], config->name, config->text, error) &&
                json_object_disjoint(&files[1], &files[0], error) &&
                read_fields(setup, &files[0], error) && read_fields(setup, &files[1], error);
    if (good && !setup->planet_count && map->name)
        good = json_object_error(&files[0], 0, error, "\"planets\" is missing");
    if (good && !setup->planet_count) {
        if (!standard)
            good = planetwars_generate(setup->head.players, 1, 0, &made, error);
        GameFile file = {"default map",
                         standard ? slice_of(standard->text) : (Slice){made.data, made.length}};
        json_object_free(&files[0]);
        good = good && json_object_parse(&files[0], file.name, file.text, error) &&
               read_fields(setup, &files[0], error);
    }
    json_object_free(&files[0]);
    json_object_free(&files[1]);
    buffer_free(&made);
    return good;
}

static void measure_distances(PlanetwarsSetup *setup) {
    uint32_t count = setup->planet_count;
    setup->travel = xcalloc((size_t)count * count, sizeof *setup->travel);
    for (uint32_t from = 0; from < count; from++)
        for (uint32_t to = 0; to < count; to++)
            setup->travel[from * count + to] = planetwars_travel(
                setup->sites[from].x, setup->sites[from].y, setup->sites[to].x, setup->sites[to].y);
}

/* Every expedition has at least one ship, so there are never more expeditions than ships, including
   those that can still be built. */
static void size_blocks(PlanetwarsSetup *setup) {
    uint64_t ships = (uint64_t)setup->planet_count * setup->head.turns_max;
    for (uint32_t i = 0; i < setup->planet_count; i++)
        ships += setup->sites[i].ships;
    setup->under_way_max = setup->planet_count * PLANETWARS_UNDER_WAY_PER_PLANET;
    if (setup->under_way_max < PLANETWARS_UNDER_WAY_LEAST)
        setup->under_way_max = PLANETWARS_UNDER_WAY_LEAST;
    if (ships < setup->under_way_max)
        setup->under_way_max = (uint32_t)ships;
    setup->expeditions_max = setup->head.players * setup->under_way_max;
    if (ships < setup->expeditions_max)
        setup->expeditions_max = (uint32_t)ships;
    setup->head.state_size = sizeof(PlanetwarsState) +
                             setup->head.players * sizeof(PlanetwarsPlayer) +
                             setup->planet_count * sizeof(PlanetwarsPlanet) +
                             setup->expeditions_max * sizeof(PlanetwarsExpedition);
    setup->head.orders_size =
        sizeof(PlanetwarsOrders) + setup->under_way_max * sizeof(PlanetwarsMove);
}

GameSetup *planetwars_setup(const GameFile *config, const GameFile *map, uint32_t players,
                            Error *error) {
    if (!game_takes(&game_planetwars, players, error))
        return NULL;
    PlanetwarsSetup *setup = xcalloc(1, sizeof *setup);
    setup->head = (GameSetup){
        .game = &game_planetwars,
        .players = players,
        .turns_max = 500,
        .talk = game_planetwars.talk,
    };
    if (!read_files(setup, config, map, error)) {
        planetwars_setup_free(&setup->head);
        return NULL;
    }
    measure_distances(setup);
    size_blocks(setup);
    planetwars_prepare_view(setup);
    return &setup->head;
}

void planetwars_setup_free(GameSetup *head) {
    PlanetwarsSetup *setup = (PlanetwarsSetup *)head;
    free(setup->sites);
    free(setup->travel);
    buffer_free(&setup->text);
    free(setup);
}
