/* The rules of Planet Wars, in the order of docs/rules/planetwars.md. `planetwars_step` near the
   end is the list of a turn's stages. */
#include "base/json_object.h"
#include "base/memory.h"
#include "games/planetwars/planetwars.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- set-up ---- */

/* Differences, squares and sums of whole coordinates are exact within PLANETWARS_REACH, and so is
   the root of a square number: places 3 and 4 apart are 5 apart. For others it is what a bot
   computes that uses the same formula with doubles. */
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

/* The slot in which the name stands, or the free one in which it should. */
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
                                 "planets[%u] has the name \"%.*s\" of planets[%u]", number,
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

/* A planet of nobody may say so with null, as the view does. */
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
            map, list, error, "\"planets\" must hold %u to %d planets for %u players, not %u",
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

/* Where neither file has planets and no map was given, the standard map is read; for a number of
   players that has none, one is made. */
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
        GameFile file = {"standard map",
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

/* Every expedition has a ship, so there are never more of them than ships that are there or can be
   built. */
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
    if (players < game_planetwars.players_min || players > game_planetwars.players_max) {
        error_set(error, "Planet Wars is for %u to %u players, not %u", game_planetwars.players_min,
                  game_planetwars.players_max, players);
        return NULL;
    }
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

/* Bytes of the state that matter: up to the last expedition. */
static uint32_t used_bytes(const PlanetwarsSetup *setup, const PlanetwarsState *state) {
    return (uint32_t)((uintptr_t)(planetwars_expeditions(setup, state) + state->expedition_count) -
                      (uintptr_t)state);
}

/* Nothing here is left to chance: the seed is not used. */
void planetwars_init(const GameSetup *head, uint64_t seed, GameState *state_head) {
    const PlanetwarsSetup *setup = (const PlanetwarsSetup *)head;
    PlanetwarsState *state = (PlanetwarsState *)state_head;
    (void)seed;
    memset(state, 0, head->state_size);
    PlanetwarsPlanet *planets = planetwars_planets(setup, state);
    for (uint32_t i = 0; i < setup->planet_count; i++) {
        planets[i].owner = setup->sites[i].owner;
        planets[i].ships = setup->sites[i].ships;
        if (planets[i].owner)
            planetwars_players(state)[planets[i].owner - 1].planets++;
    }
    state->head.used = used_bytes(setup, state);
}

/* ---- a turn ---- */

/* What the stages of one turn share. */
typedef struct Turn {
    const PlanetwarsSetup *setup;
    PlanetwarsState *state;
    PlanetwarsPlayer *players;
    PlanetwarsPlanet *planets;
    PlanetwarsExpedition *expeditions;
    Notes *notes;
    uint32_t first_arrived; /* the expedition; `expedition_count` when none arrived */
    uint64_t visited[PLANETWARS_PLANETS_MAX / 64]; /* a bit for each planet where some arrived */
    uint32_t arrived[PLANETWARS_PLANETS_MAX];      /* the first of them; only there */
} Turn;

static bool tells(const Turn *turn) {
    return turn->notes && turn->notes->wants_events;
}

static const char *name_of(const Turn *turn, uint32_t planet) {
    return turn->setup->sites[planet].name;
}

/* One new ship on every planet that a player owns. */
static void construct_ships(Turn *turn) {
    for (uint32_t i = 0; i < turn->setup->planet_count; i++)
        turn->planets[i].ships += turn->planets[i].owner != 0;
}

const char *planetwars_refusal(const PlanetwarsSetup *setup, const PlanetwarsState *state,
                               uint32_t player, const PlanetwarsMove *move, uint64_t ships,
                               uint32_t under_way) {
    if (move->origin >= setup->planet_count)
        return "origin does not exist";
    if (move->destination >= setup->planet_count)
        return "destination does not exist";
    if (planetwars_planets(setup, state)[move->origin].owner != player + 1)
        return "origin not owned";
    if (move->ships == 0)
        return "zero ships";
    if (move->ships > ships)
        return "not enough ships";
    if (under_way >= setup->under_way_max)
        return "too many expeditions under way";
    return NULL;
}

static void depart(Turn *turn, uint32_t player, const PlanetwarsMove *move) {
    PlanetwarsState *state = turn->state;
    turn->planets[move->origin].ships -= move->ships;
    turn->players[player].expeditions++;
    PlanetwarsExpedition *expedition = &turn->expeditions[state->expedition_count++];
    *expedition = (PlanetwarsExpedition){
        .id = state->next_id++,
        .ships = move->ships,
        .turns_remaining =
            turn->setup->travel[move->origin * turn->setup->planet_count + move->destination],
        .owner = player + 1,
        .origin = (uint16_t)move->origin,
        .destination = (uint16_t)move->destination,
    };
    if (tells(turn))
        notes_event(turn->notes, "player %u sends %llu from %s to %s, to arrive in turn %u",
                    player + 1, (unsigned long long)move->ships, name_of(turn, move->origin),
                    name_of(turn, move->destination),
                    state->head.turn + expedition->turns_remaining);
}

/* Players in their order, the moves of each in theirs. The ship that was just constructed stays:
   what may leave is one less than there is, and an owned planet is never empty. */
static void dispatch_expeditions(Turn *turn, const GameOrders *const *all_orders) {
    const PlanetwarsSetup *setup = turn->setup;
    for (uint32_t player = 0; player < setup->head.players; player++) {
        const PlanetwarsOrders *orders = (const PlanetwarsOrders *)all_orders[player];
        if (orders->head.kind != ORDERS_GIVEN)
            continue;
        for (uint32_t i = 0; i < orders->head.count; i++) {
            const PlanetwarsMove *move = &orders->moves[i];
            uint64_t ships =
                move->origin < setup->planet_count ? turn->planets[move->origin].ships - 1 : 0;
            /* The state's own room only matters to who has put more ships into it than the map
               says. */
            uint32_t under_way = turn->state->expedition_count < setup->expeditions_max
                                     ? turn->players[player].expeditions
                                     : UINT32_MAX;
            const char *reason =
                planetwars_refusal(setup, turn->state, player, move, ships, under_way);
            if (!reason)
                depart(turn, player, move);
            else
                notes_refuse(turn->notes, player, "moves[%u]: %s", i, reason);
        }
    }
}

/* All expeditions move one step. Those that arrive are linked by planet, in the order of their ids,
   which is why this goes backwards. */
static void ship_movement(Turn *turn) {
    uint32_t count = turn->state->expedition_count;
    memset(turn->visited, 0, sizeof turn->visited);
    turn->first_arrived = count;
    for (uint32_t i = count; i-- > 0;) {
        PlanetwarsExpedition *expedition = &turn->expeditions[i];
        if (--expedition->turns_remaining > 0)
            continue;
        uint32_t planet = expedition->destination;
        uint64_t bit = UINT64_C(1) << planet % 64;
        expedition->next = turn->visited[planet / 64] & bit ? turn->arrived[planet] : count;
        turn->visited[planet / 64] |= bit;
        turn->arrived[planet] = i;
        turn->first_arrived = i;
        turn->players[expedition->owner - 1].expeditions--;
    }
}

typedef struct Fleet {
    uint32_t owner; /* 0: the ships of a neutral planet */
    uint64_t ships;
} Fleet;

static void tell_combat(const Turn *turn, uint32_t planet, uint32_t before, const Fleet *fleets,
                        uint32_t count) {
    const PlanetwarsPlanet *now = &turn->planets[planet];
    char text[240] = "";
    size_t used = 0;
    for (uint32_t i = 0; i < count && used < sizeof text; i++) {
        char owner[24] = "neutral";
        if (fleets[i].owner)
            snprintf(owner, sizeof owner, "player %u", fleets[i].owner);
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s %llu", i ? ", " : "", owner,
                                 (unsigned long long)fleets[i].ships);
    }
    unsigned long long left = now->ships;
    if (count == 1)
        notes_event(turn->notes, "%s: player %u has %llu after an arrival", name_of(turn, planet),
                    now->owner, left);
    else if (left == 0)
        notes_event(turn->notes, "%s: %s; all are destroyed", name_of(turn, planet), text);
    else if (now->owner == 0)
        notes_event(turn->notes, "%s: %s; it stays neutral with %llu", name_of(turn, planet), text,
                    left);
    else
        notes_event(turn->notes, "%s: %s; player %u %s it with %llu", name_of(turn, planet), text,
                    now->owner, now->owner == before ? "holds" : "takes", left);
}

static void change_owner(Turn *turn, PlanetwarsPlanet *planet, uint32_t owner) {
    if (planet->owner)
        turn->players[planet->owner - 1].planets--;
    if (owner)
        turn->players[owner - 1].planets++;
    planet->owner = owner;
}

/* The fleets of one owner are merged, those on the planet among them. The largest wins and loses as
   many as the second has. */
static void fight(Turn *turn, uint32_t number) {
    PlanetwarsPlanet *planet = &turn->planets[number];
    uint32_t before = planet->owner;
    Fleet fleets[GAME_PLAYERS_MAX + 1];
    uint32_t count = 1;
    fleets[0] = (Fleet){planet->owner, planet->ships};
    for (uint32_t i = turn->arrived[number]; i < turn->state->expedition_count;
         i = turn->expeditions[i].next) {
        uint32_t fleet = 0;
        while (fleet < count && fleets[fleet].owner != turn->expeditions[i].owner)
            fleet++;
        if (fleet == count)
            fleets[count++] = (Fleet){turn->expeditions[i].owner, 0};
        fleets[fleet].ships += turn->expeditions[i].ships;
    }
    Fleet largest = fleets[0];
    uint64_t second = 0;
    for (uint32_t i = 1; i < count; i++)
        if (fleets[i].ships > largest.ships) {
            second = largest.ships;
            largest = fleets[i];
        } else if (fleets[i].ships > second) {
            second = fleets[i].ships;
        }
    planet->ships = largest.ships - second;
    uint32_t owner = planet->ships ? largest.owner : 0;
    if (owner != planet->owner)
        change_owner(turn, planet, owner);
    if (tells(turn))
        tell_combat(turn, number, before, fleets, count);
}

static void combat(Turn *turn) {
    for (uint32_t word = 0; word * 64 < turn->setup->planet_count; word++)
        for (uint64_t bits = turn->visited[word]; bits; bits &= bits - 1)
            fight(turn, word * 64 + (uint32_t)__builtin_ctzll(bits));
}

/* Expeditions that have arrived are no more. The others close up, and what becomes free is zero
   again. */
static void disband_arrived(Turn *turn) {
    uint32_t count = turn->state->expedition_count;
    uint32_t kept = turn->first_arrived;
    if (kept == count)
        return;
    for (uint32_t i = kept; i < count; i++)
        if (turn->expeditions[i].turns_remaining > 0)
            turn->expeditions[kept++] = turn->expeditions[i];
    memset(&turn->expeditions[kept], 0, (count - kept) * sizeof *turn->expeditions);
    turn->state->expedition_count = kept;
}

/* Who owns neither planet nor expedition is out. */
static void judge(Turn *turn) {
    PlanetwarsState *state = turn->state;
    uint32_t alive = 0;
    for (uint32_t player = 0; player < turn->setup->head.players; player++) {
        PlanetwarsPlayer *one = &turn->players[player];
        if (one->planets || one->expeditions) {
            alive++;
        } else if (!one->died) {
            one->died = state->head.turn;
            notes_event(turn->notes, "player %u is out", player + 1);
        }
    }
    if (alive < 2)
        state->end = END_ELIMINATION;
    else if (state->head.turn == turn->setup->head.turns_max)
        state->end = END_TURN_LIMIT;
    state->head.over = state->end != END_NONE;
}

void planetwars_step(const GameSetup *setup, GameState *head, const GameOrders *const *orders,
                     Notes *notes) {
    Turn turn;
    turn.setup = (const PlanetwarsSetup *)setup;
    turn.state = (PlanetwarsState *)head;
    turn.players = planetwars_players(turn.state);
    turn.planets = planetwars_planets(turn.setup, turn.state);
    turn.expeditions = planetwars_expeditions(turn.setup, turn.state);
    turn.notes = notes;
    assert(!head->over);
    construct_ships(&turn);
    dispatch_expeditions(&turn, orders);
    ship_movement(&turn);
    combat(&turn);
    disband_arrived(&turn);
    head->turn++;
    judge(&turn);
    head->used = used_bytes(turn.setup, turn.state);
}

/* The living share the first place; the dead rank by how long they lived. When nobody lives, those
   who died last are first. */
void planetwars_result(const GameSetup *setup, const GameState *head, GameResult *result) {
    const PlanetwarsState *state = (const PlanetwarsState *)head;
    int64_t lived[GAME_PLAYERS_MAX];
    for (uint32_t player = 0; player < setup->players; player++) {
        uint32_t died = planetwars_players(state)[player].died;
        lived[player] = died ? died : INT64_MAX;
    }
    *result = (GameResult){.end = (GameEnd)state->end};
    game_rank_by(setup->players, lived, result->rank);
}
