/* Sets up a match of Underworld: reads configuration and map, lays out the board, and creates the
   state of the first turn. */
#include "base/memory.h"
#include "games/underworld/underworld.h"

#include "base/json_object.h"

#include <stdlib.h>
#include <string.h>

/* The two files are combined: a field may be in either. */
enum { MAP, CONFIG, FILES };

/* The fields of `rules`, except `vision`. */
static const struct {
    const char *thing;
    const char *field;
    size_t place; /* offset of an int32_t in the setup */
    int64_t low;
    int64_t high;
} values[] = {
#define PLACE(member) offsetof(UnderworldSetup, member)
    {"castle", "hitpoints", PLACE(castle.hitpoints), 1, UNDERWORLD_VALUE_MAX},
    {"barracks", "hitpoints", PLACE(barracks.hitpoints), 1, UNDERWORLD_VALUE_MAX},
    {"barracks", "cost", PLACE(barracks.cost), 0, UNDERWORLD_VALUE_MAX},
    {"farm", "hitpoints", PLACE(farm.hitpoints), 1, UNDERWORLD_VALUE_MAX},
    {"farm", "cost", PLACE(farm.cost), 0, UNDERWORLD_VALUE_MAX},
    {"farm", "income", PLACE(income), 0, UNDERWORLD_INCOME_MAX},
    {"warrior", "hitpoints", PLACE(warrior.hitpoints), 1, UNDERWORLD_VALUE_MAX},
    {"warrior", "cost", PLACE(warrior.cost), 0, UNDERWORLD_VALUE_MAX},
    {"warrior", "damage", PLACE(damage), 0, UNDERWORLD_VALUE_MAX},
    {"warrior", "range", PLACE(range), 0, UNDERWORLD_RANGE_MAX},
#undef PLACE
};
enum { VALUE_COUNT = sizeof values / sizeof *values };

static bool read_thing(UnderworldSetup *setup, const JsonObject *file, uint32_t rules,
                       const char *thing, Error *error) {
    const char *known[VALUE_COUNT + 1] = {0};
    uint32_t known_count = 0;
    uint32_t node;
    if (!json_object_member(file, rules, thing, JSON_OBJECT, &node, error))
        return false;
    if (node == JSON_NONE)
        return true;
    for (size_t i = 0; i < VALUE_COUNT; i++) {
        if (strcmp(values[i].thing, thing) != 0)
            continue;
        known[known_count++] = values[i].field;
        int64_t value = -1;
        if (!json_object_int(file, node, values[i].field, values[i].low, values[i].high, &value,
                             error))
            return false;
        if (value >= 0)
            *(int32_t *)(void *)((char *)setup + values[i].place) = (int32_t)value;
    }
    return json_object_allow_only(file, node, known, error);
}

static bool read_rules(UnderworldSetup *setup, const JsonObject *file, Error *error) {
    static const char *const known[] = {"castle", "barracks", "farm", "warrior", "vision", NULL};
    uint32_t rules;
    if (!json_object_member(file, 0, "rules", JSON_OBJECT, &rules, error))
        return false;
    if (rules == JSON_NONE)
        return true;
    int64_t vision = setup->vision;
    if (!json_object_allow_only(file, rules, known, error) ||
        !json_object_int(file, rules, "vision", 1, UNDERWORLD_VISION_MAX, &vision, error))
        return false;
    setup->vision = (uint32_t)vision;
    for (size_t i = 0; i < 4; i++)
        if (!read_thing(setup, file, rules, known[i], error))
            return false;
    return true;
}

/* Reads the numbers at the top level of a file. `money` goes to *money, because the state does not
   exist yet. */
static bool read_numbers(UnderworldSetup *setup, const JsonObject *file, int64_t *money,
                         Error *error) {
    static const char *const known[] = {"sizex",   "sizey",   "money", "maxTurns",
                                        "objects", "players", "rules", NULL};
    int64_t size_x = setup->size_x;
    int64_t size_y = setup->size_y;
    int64_t turns = setup->head.turns_max;
    if (!json_object_allow_only(file, 0, known, error) ||
        !json_object_int(file, 0, "sizex", 1, UNDERWORLD_SIDE_MAX, &size_x, error) ||
        !json_object_int(file, 0, "sizey", 1, UNDERWORLD_SIDE_MAX, &size_y, error) ||
        !json_object_int(file, 0, "money", 0, UNDERWORLD_MONEY_MAX, money, error) ||
        !json_object_int(file, 0, "maxTurns", 1, UNDERWORLD_TURNS_MAX, &turns, error))
        return false;
    setup->size_x = (uint32_t)size_x;
    setup->size_y = (uint32_t)size_y;
    setup->head.turns_max = (uint32_t)turns;
    return read_rules(setup, file, error);
}

/* Reads a required text of a seat into allocated memory. */
static bool read_seat_text(const JsonObject *file, uint32_t seat, const char *field, char **text,
                           Error *error) {
    uint32_t node;
    if (!json_object_member(file, seat, field, JSON_STRING, &node, error))
        return false;
    if (node == JSON_NONE)
        return json_object_error(file, seat, error, "\"%s\" is missing for this player", field);
    Slice given = file->json.nodes[node].text;
    if (!given.length || memchr(given.at, '\0', given.length))
        return json_object_error(file, node, error, "\"%s\" must be a non-empty string", field);
    *text = xcalloc(given.length + 1, 1);
    memcpy(*text, given.at, given.length);
    return true;
}

/* Reads a player in either form: `name` and `command`, or, as in files of the original server,
   `name`, `exeName`, `type` and `trusted`, which has no effect here. */
static bool read_seat(const JsonObject *file, uint32_t node, GameSeat *seat, Error *error) {
    static const char *const known[] = {"name", "command", "exeName", "type", "trusted", NULL};
    uint32_t type;
    bool trusted;
    if (!json_object_member(file, node, "type", JSON_STRING, &type, error))
        return false;
    if (type != JSON_NONE && !slice_equals(file->json.nodes[type].text, "process"))
        return json_object_error(file, type, error, "\"type\" must be \"process\", not \"%.*s\"",
                                 SLICE_ARGS(file->json.nodes[type].text));
    if (!json_object_allow_only(file, node, known, error) ||
        !json_object_bool(file, node, "trusted", &trusted, error))
        return false;
    bool original = json_member(&file->json, node, "exeName") != JSON_NONE;
    if (original && json_member(&file->json, node, "command") != JSON_NONE)
        return json_object_error(file, node, error,
                                 "a player can have \"command\" or \"exeName\", not both");
    return read_seat_text(file, node, "name", &seat->name, error) &&
           read_seat_text(file, node, original ? "exeName" : "command", &seat->command, error);
}

/* Reads the list `players` if the file has it. */
static bool read_seats(UnderworldSetup *setup, const JsonObject *file, Error *error) {
    const JsonNode *nodes = file->json.nodes;
    uint32_t list;
    if (!json_object_member(file, 0, "players", JSON_ARRAY, &list, error))
        return false;
    if (list == JSON_NONE)
        return true;
    uint32_t count = nodes[list].count;
    if (count < 2 || count > GAME_PLAYERS_MAX)
        return json_object_error(file, list, error, "\"players\" must name 2 to %d players, not %u",
                                 GAME_PLAYERS_MAX, count);
    if (setup->head.players && setup->head.players != count)
        return json_object_error(file, list, error,
                                 "\"players\" names %u players, but %u take part", count,
                                 setup->head.players);
    setup->head.players = count;
    setup->head.seats = xcalloc(count, sizeof *setup->head.seats);
    GameSeat *seat = setup->head.seats;
    for (uint32_t node = list + 1; node < nodes[list].next; node = nodes[node].next, seat++) {
        if (nodes[node].kind != JSON_OBJECT)
            return json_object_error(
                file, node, error,
                "a player must be an object with \"name\" and \"command\", not %s",
                json_kind_name(&file->json, node));
        if (!read_seat(file, node, seat, error))
            return false;
    }
    return true;
}

typedef struct Placed {
    uint32_t x;
    uint32_t y;
    uint8_t kind;
    uint32_t owner;
} Placed;

static bool read_number_of(const JsonObject *file, uint32_t object, const char *field, int64_t high,
                           uint32_t *number, Error *error) {
    int64_t value = -1;
    if (!json_object_int(file, object, field, 0, high, &value, error))
        return false;
    if (value < 0)
        return json_object_error(file, object, error, "\"%s\" is missing for this object", field);
    *number = (uint32_t)value;
    return true;
}

static bool read_object(const UnderworldSetup *setup, const JsonObject *file, uint32_t node,
                        Placed *placed, Error *error) {
    static const char *const known[] = {"x", "y", "type", "owner", NULL};
    if (file->json.nodes[node].kind != JSON_OBJECT)
        return json_object_error(
            file, node, error,
            "an entry of \"objects\" must be an object with \"x\", \"y\", \"type\" and \"owner\", "
            "not %s",
            json_kind_name(&file->json, node));
    uint32_t type;
    if (!json_object_allow_only(file, node, known, error) ||
        !read_number_of(file, node, "x", setup->size_x - 1, &placed->x, error) ||
        !read_number_of(file, node, "y", setup->size_y - 1, &placed->y, error) ||
        !json_object_member(file, node, "type", JSON_STRING, &type, error))
        return false;
    if (type == JSON_NONE)
        return json_object_error(file, node, error, "\"type\" is missing for this object");
    Slice letter = file->json.nodes[type].text;
    if (letter.length != 1 || !*letter.at || !strchr("WBCF#", *letter.at))
        return json_object_error(file, type, error,
                                 "\"type\" must be W, B, C, F or #, not \"%.*s\"",
                                 SLICE_ARGS(letter));
    placed->kind = (uint8_t)*letter.at;
    placed->owner = 0;
    if (placed->kind != UNDERWORLD_WALL)
        return read_number_of(file, node, "owner", GAME_PLAYERS_MAX - 1, &placed->owner, error);
    int64_t owner = -1;
    if (!json_object_int(file, node, "owner", -1, GAME_PLAYERS_MAX - 1, &owner, error))
        return false;
    return owner < 0 || json_object_error(file, node, error, "a wall must have owner -1");
}

/* Counts the players that own objects: the highest owner plus one. */
static bool count_owners(const UnderworldSetup *setup, const JsonObject *file, uint32_t list,
                         uint32_t *players, Error *error) {
    const JsonNode *nodes = file->json.nodes;
    *players = 0;
    for (uint32_t node = list + 1; node < nodes[list].next; node = nodes[node].next) {
        Placed placed = {0};
        if (!read_object(setup, file, node, &placed, error))
            return false;
        if (placed.kind != UNDERWORLD_WALL && placed.owner >= *players)
            *players = placed.owner + 1;
    }
    return true;
}

static bool place_objects(const UnderworldSetup *setup, const JsonObject *file, uint32_t list,
                          UnderworldState *state, Error *error) {
    const JsonNode *nodes = file->json.nodes;
    const UnderworldCell *grid = underworld_grid_const(setup, state);
    bool castle[GAME_PLAYERS_MAX] = {false};
    for (uint32_t node = list + 1; node < nodes[list].next; node = nodes[node].next) {
        Placed placed = {0};
        if (!read_object(setup, file, node, &placed, error))
            return false;
        if (grid[underworld_cell(setup, placed.x, placed.y)].kind != UNDERWORLD_FREE)
            return json_object_error(file, node, error, "a second object at (%u,%u)", placed.x,
                                     placed.y);
        underworld_put(setup, state, placed.x, placed.y, placed.kind, placed.owner);
        castle[placed.owner] |= placed.kind == UNDERWORLD_CASTLE;
    }
    for (uint32_t player = 0; player < setup->head.players; player++)
        if (!castle[player])
            return json_object_error(file, list, error, "player %u has no castle", player);
    return true;
}

static uint32_t smaller(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

/* Computes the layout of grid and state, and lists the cells in range of a warrior. */
static void lay_out(UnderworldSetup *setup) {
    /* No warrior reaches farther than across the board. The margin is at least one cell wide, so
       that the neighbours of every cell exist. */
    int32_t margin_x = (int32_t)smaller((uint32_t)setup->range, setup->size_x - 1);
    int32_t margin_y = (int32_t)smaller((uint32_t)setup->range, setup->size_y - 1);
    uint32_t rim_x = (uint32_t)margin_x + (margin_x == 0);
    uint32_t rim_y = (uint32_t)margin_y + (margin_y == 0);
    setup->stride = setup->size_x + rim_x;
    setup->origin = rim_y * setup->stride + rim_x;
    setup->grid_cells = (setup->size_y + 2 * rim_y) * setup->stride + rim_x;
    setup->grid_offset =
        (uint32_t)(sizeof(UnderworldState) + setup->head.players * sizeof(UnderworldPlayer));
    setup->objects_offset =
        setup->grid_offset + setup->grid_cells * (uint32_t)sizeof(UnderworldCell);
    setup->head.state_size =
        setup->objects_offset + (size_t)setup->size_x * setup->size_y * sizeof(UnderworldObject);
    setup->head.orders_size = sizeof(UnderworldOrders);
    size_t square = (size_t)(2 * margin_x + 1) * (size_t)(2 * margin_y + 1);
    setup->reach = xcalloc(square, sizeof *setup->reach);
    for (int32_t y = -margin_y; y <= margin_y; y++)
        for (int32_t x = -margin_x; x <= margin_x; x++)
            if ((x || y) && x * x + y * y <= setup->range * setup->range)
                setup->reach[setup->reach_count++] = y * (int32_t)setup->stride + x;
}

/* The file that contains the field, or NULL. At most one of the files contains a given field. */
static const JsonObject *holder(const JsonObject *files, const char *field, uint32_t *node) {
    for (int i = 0; i < FILES; i++) {
        *node = json_member(&files[i].json, 0, field);
        if (*node != JSON_NONE)
            return &files[i];
    }
    return NULL;
}

static bool read_board(UnderworldSetup *setup, const JsonObject *files, int64_t money,
                       Error *error) {
    static const char *const needed[] = {"sizex", "sizey", "objects"};
    const JsonObject *file = NULL;
    uint32_t list = JSON_NONE;
    for (size_t i = 0; i < 3; i++) {
        file = holder(files, needed[i], &list);
        if (!file)
            return json_object_error(&files[MAP], 0, error, "\"%s\" is missing", needed[i]);
    }
    uint32_t owners = 0;
    if (!json_object_member(file, 0, "objects", JSON_ARRAY, &list, error) ||
        !count_owners(setup, file, list, &owners, error))
        return false;
    if (!setup->head.players && owners < 2)
        return json_object_error(file, list, error,
                                 "the objects are for %u player%s; at least 2 are needed", owners,
                                 owners == 1 ? "" : "s");
    if (!setup->head.players)
        setup->head.players = owners;
    if (owners != setup->head.players)
        return json_object_error(file, list, error,
                                 "the objects are for %u player%s, but %u take part", owners,
                                 owners == 1 ? "" : "s", setup->head.players);
    lay_out(setup);
    setup->initial = game_state_new(&setup->head);
    UnderworldState *state = (UnderworldState *)setup->initial;
    state->head.used = setup->objects_offset;
    for (uint32_t player = 0; player < setup->head.players; player++)
        state->players[player].money = money;
    return place_objects(setup, file, list, state, error);
}

/* Chooses the map if none is given: the default one, or none if the configuration has its own
   board. */
static bool choose_map(const JsonObject *config, uint32_t players, GameFile *map, Error *error) {
    if (json_member(&config->json, 0, "objects") != JSON_NONE ||
        json_member(&config->json, 0, "sizex") != JSON_NONE ||
        json_member(&config->json, 0, "sizey") != JSON_NONE)
        return true;
    uint32_t seats;
    if (!json_object_member(config, 0, "players", JSON_ARRAY, &seats, error))
        return false;
    if (!players)
        players = seats == JSON_NONE ? underworld_maps[0].players : config->json.nodes[seats].count;
    if (players < 2 || players > GAME_PLAYERS_MAX)
        return true; /* read_seats reports this */
    const GameMap *standard = game_default_map(&game_underworld, players);
    if (!standard)
        return error_set(error, "no default map for %u players; choose a map", players);
    *map = (GameFile){standard->name, slice_of(standard->text)};
    return true;
}

GameSetup *underworld_setup(const GameFile *config, const GameFile *map, uint32_t players,
                            Error *error) {
    if (players && !game_takes(&game_underworld, players, error))
        return NULL;
    UnderworldSetup *setup = xcalloc(1, sizeof *setup);
    *setup = (UnderworldSetup){
        .head = {.game = &game_underworld, .players = players, .turns_max = 1000},
        .castle = {.hitpoints = 10000},
        .barracks = {.hitpoints = 1500, .cost = 1500},
        .farm = {.hitpoints = 1000, .cost = 1000},
        .warrior = {.hitpoints = 500, .cost = 500},
        .income = 50,
        .damage = 100,
        .range = 2,
    };
    setup->head.talk = setup->head.game->talk;
    int64_t money = 3000;
    GameFile board = *map;
    JsonObject files[FILES] = {0};
    bool good = json_object_parse(&files[CONFIG], config->name, config->text, error) &&
                (map->name || choose_map(&files[CONFIG], players, &board, error)) &&
                json_object_parse(&files[MAP], board.name, board.text, error) &&
                json_object_disjoint(&files[CONFIG], &files[MAP], error);
    for (int i = 0; i < FILES && good; i++)
        good = read_numbers(setup, &files[i], &money, error) && read_seats(setup, &files[i], error);
    /* Errors about missing fields name the map or, without one, the configuration. */
    if (good && !board.name)
        files[MAP].file = files[CONFIG].file;
    good = good && read_board(setup, files, money, error);
    json_object_free(&files[MAP]);
    json_object_free(&files[CONFIG]);
    if (!good) {
        underworld_setup_free(&setup->head);
        return NULL;
    }
    return &setup->head;
}

void underworld_setup_free(GameSetup *head) {
    UnderworldSetup *setup = (UnderworldSetup *)head;
    if (!setup)
        return;
    for (uint32_t player = 0; head->seats && player < head->players; player++) {
        free(head->seats[player].name);
        free(head->seats[player].command);
    }
    free(head->seats);
    free(setup->reach);
    free(setup->initial);
    free(setup);
}
