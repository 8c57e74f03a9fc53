/* Sets up a match of Gems: reads configuration and map. */
#include "base/json_object.h"
#include "base/memory.h"
#include "games/gems/gems.h"

#include <stdlib.h>

static bool read_fields(GemsSetup *setup, const JsonObject *object, Error *error) {
    static const char *const known[] = {"rows", "cols", "gems", "maxTurns", NULL};
    int64_t rows = setup->rows;
    int64_t cols = setup->cols;
    int64_t gems = setup->gems;
    int64_t turns = setup->head.turns_max;
    if (!json_object_allow_only(object, 0, known, error) ||
        !json_object_int(object, 0, "rows", GEMS_SIDE_MIN, GEMS_SIDE_MAX, &rows, error) ||
        !json_object_int(object, 0, "cols", GEMS_SIDE_MIN, GEMS_SIDE_MAX, &cols, error) ||
        !json_object_int(object, 0, "gems", 1, 100, &gems, error) ||
        !json_object_int(object, 0, "maxTurns", 1, 10000, &turns, error))
        return false;
    setup->rows = (uint32_t)rows;
    setup->cols = (uint32_t)cols;
    setup->gems = (uint32_t)gems;
    setup->head.turns_max = (uint32_t)turns;
    return true;
}

GameSetup *gems_setup(const GameFile *config, const GameFile *map, uint32_t players, Error *error) {
    if (!game_takes(&game_gems, players, error))
        return NULL;
    GemsSetup read = {
        .head = {.game = &game_gems, .players = players, .turns_max = 100},
        .rows = 11,
        .cols = 11,
        .gems = 5,
    };
    read.head.talk = game_gems.talk;
    JsonObject files[2] = {0};
    bool good = json_object_parse(&files[0], map->name, map->text, error) &&
                json_object_parse(&files[1], config->name, config->text, error) &&
                json_object_disjoint(&files[1], &files[0], error) &&
                read_fields(&read, &files[0], error) && read_fields(&read, &files[1], error);
    json_object_free(&files[0]);
    json_object_free(&files[1]);
    if (!good)
        return NULL;
    read.head.state_size = (sizeof(GemsState) + read.rows * read.cols + 7) / 8 * 8;
    read.head.orders_size = sizeof(GemsOrders);
    GemsSetup *setup = xmalloc(sizeof *setup);
    *setup = read;
    return &setup->head;
}

void gems_setup_free(GameSetup *setup) {
    free(setup);
}
