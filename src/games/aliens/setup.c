/* Sets up a match of Aliens: reads configuration and map. */
#include "base/json_object.h"
#include "base/memory.h"
#include "games/aliens/aliens.h"

#include <stdlib.h>

static bool read_fields(AliensSetup *setup, const JsonObject *config, Error *error) {
    static const char *const known[] = {"rows", "cols", "maxTurns", "energyInterval", NULL};
    int64_t rows = setup->rows;
    int64_t cols = setup->cols;
    int64_t turns = setup->head.turns_max;
    int64_t interval = setup->energy_interval;
    if (!json_object_allow_only(config, 0, known, error) ||
        !json_object_int(config, 0, "rows", ALIENS_SIDE_MIN, ALIENS_SIDE_MAX, &rows, error) ||
        !json_object_int(config, 0, "cols", ALIENS_SIDE_MIN, ALIENS_SIDE_MAX, &cols, error) ||
        !json_object_int(config, 0, "maxTurns", 1, 100000, &turns, error) ||
        !json_object_int(config, 0, "energyInterval", 1, 100000, &interval, error))
        return false;
    setup->rows = (uint32_t)rows;
    setup->cols = (uint32_t)cols;
    setup->head.turns_max = (uint32_t)turns;
    setup->energy_interval = (uint32_t)interval;
    return true;
}

/* Precomputes the neighbours of every square, because most of a turn is spent on looking them up.
   They are in the order of AliensMove, starting with ALIENS_UP. */
static void find_neighbours(AliensSetup *setup) {
    uint32_t cols = setup->cols;
    uint32_t cells = setup->cells;
    for (uint32_t square = 0; square < cells; square++) {
        uint32_t col = square % cols;
        uint16_t *next = setup->next[square];
        next[0] = (uint16_t)(square >= cols ? square - cols : cells);
        next[1] = (uint16_t)(square + cols < cells ? square + cols : cells);
        next[2] = (uint16_t)(col > 0 ? square - 1 : cells);
        next[3] = (uint16_t)(col + 1 < cols ? square + 1 : cells);
    }
}

GameSetup *aliens_setup(const GameFile *config, const GameFile *map, uint32_t players,
                        Error *error) {
    if (!game_takes(&game_aliens, players, error))
        return NULL;
    AliensSetup read = {
        .head = {.game = &game_aliens, .players = 2, .turns_max = 100},
        .rows = 20,
        .cols = 20,
        .energy_interval = 3,
    };
    read.head.talk = read.head.game->talk;
    JsonObject files[2] = {0};
    bool good = json_object_parse(&files[0], map->name, map->text, error) &&
                json_object_parse(&files[1], config->name, config->text, error) &&
                json_object_disjoint(&files[1], &files[0], error) &&
                read_fields(&read, &files[0], error) && read_fields(&read, &files[1], error);
    json_object_free(&files[0]);
    json_object_free(&files[1]);
    if (!good)
        return NULL;
    read.cells = read.rows * read.cols;
    read.spawn[0] = read.cols + 1;
    read.spawn[1] = (read.rows - 2) * read.cols + read.cols - 2;
    /* Sizes are rounded up to a multiple of eight bytes. At least one zero byte follows the grid:
       it stands for any square off the grid. */
    read.head.state_size = (sizeof(AliensState) + read.cells + 8) / 8 * 8;
    read.head.orders_size = (sizeof(AliensOrders) + read.cells + 7) / 8 * 8;
    AliensSetup *setup = xmalloc(sizeof *setup + read.cells * sizeof *setup->next);
    *setup = read;
    find_neighbours(setup);
    return &setup->head;
}

void aliens_setup_free(GameSetup *setup) {
    free(setup);
}
