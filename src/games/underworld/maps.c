/* The built-in maps of Underworld. Money, turns and values are left to the configuration. */
#include "games/underworld/underworld.h"

static const char standard[] =
    "{\n"
    "  \"sizex\": 10, \"sizey\": 10,\n"
    "  \"objects\": [\n"
    "    {\"x\": 0, \"y\": 0, \"type\": \"C\", \"owner\": 0}, "
    "{\"x\": 0, \"y\": 1, \"type\": \"B\", \"owner\": 0},\n"
    "    {\"x\": 9, \"y\": 9, \"type\": \"C\", \"owner\": 1}, "
    "{\"x\": 9, \"y\": 8, \"type\": \"B\", \"owner\": 1},\n"
    "    {\"x\": 0, \"y\": 9, \"type\": \"C\", \"owner\": 2}, "
    "{\"x\": 1, \"y\": 9, \"type\": \"B\", \"owner\": 2},\n"
    "    {\"x\": 9, \"y\": 0, \"type\": \"C\", \"owner\": 3}, "
    "{\"x\": 8, \"y\": 0, \"type\": \"B\", \"owner\": 3},\n"
    "    {\"x\": 4, \"y\": 4, \"type\": \"#\"}, {\"x\": 5, \"y\": 4, \"type\": \"#\"},\n"
    "    {\"x\": 4, \"y\": 5, \"type\": \"#\"}, {\"x\": 5, \"y\": 5, \"type\": \"#\"}\n"
    "  ]\n"
    "}\n";

static const char duel[] =
    "{\n"
    "  \"sizex\": 10, \"sizey\": 10,\n"
    "  \"objects\": [\n"
    "    {\"x\": 0, \"y\": 0, \"type\": \"C\", \"owner\": 0}, "
    "{\"x\": 0, \"y\": 1, \"type\": \"B\", \"owner\": 0},\n"
    "    {\"x\": 9, \"y\": 9, \"type\": \"C\", \"owner\": 1}, "
    "{\"x\": 9, \"y\": 8, \"type\": \"B\", \"owner\": 1},\n"
    "    {\"x\": 4, \"y\": 4, \"type\": \"#\"}, {\"x\": 5, \"y\": 4, \"type\": \"#\"},\n"
    "    {\"x\": 4, \"y\": 5, \"type\": \"#\"}, {\"x\": 5, \"y\": 5, \"type\": \"#\"}\n"
    "  ]\n"
    "}\n";

static const char canyon[] =
    "{\n"
    "  \"sizex\": 17, \"sizey\": 9,\n"
    "  \"objects\": [\n"
    "    {\"x\": 0, \"y\": 4, \"type\": \"C\", \"owner\": 0}, "
    "{\"x\": 2, \"y\": 4, \"type\": \"B\", \"owner\": 0},\n"
    "    {\"x\": 16, \"y\": 4, \"type\": \"C\", \"owner\": 1}, "
    "{\"x\": 14, \"y\": 4, \"type\": \"B\", \"owner\": 1},\n"
    "    {\"x\": 8, \"y\": 0, \"type\": \"#\"}, {\"x\": 8, \"y\": 1, \"type\": \"#\"}, "
    "{\"x\": 8, \"y\": 3, \"type\": \"#\"},\n"
    "    {\"x\": 8, \"y\": 5, \"type\": \"#\"}, {\"x\": 8, \"y\": 7, \"type\": \"#\"}, "
    "{\"x\": 8, \"y\": 8, \"type\": \"#\"},\n"
    "    {\"x\": 5, \"y\": 2, \"type\": \"#\"}, {\"x\": 11, \"y\": 2, \"type\": \"#\"},\n"
    "    {\"x\": 5, \"y\": 6, \"type\": \"#\"}, {\"x\": 11, \"y\": 6, \"type\": \"#\"}\n"
    "  ]\n"
    "}\n";

static const char ring[] =
    "{\n"
    "  \"sizex\": 20, \"sizey\": 20,\n"
    "  \"objects\": [\n"
    "    {\"x\": 6, \"y\": 0, \"type\": \"C\", \"owner\": 0}, "
    "{\"x\": 6, \"y\": 2, \"type\": \"B\", \"owner\": 0},\n"
    "    {\"x\": 13, \"y\": 0, \"type\": \"C\", \"owner\": 1}, "
    "{\"x\": 13, \"y\": 2, \"type\": \"B\", \"owner\": 1},\n"
    "    {\"x\": 19, \"y\": 6, \"type\": \"C\", \"owner\": 2}, "
    "{\"x\": 17, \"y\": 6, \"type\": \"B\", \"owner\": 2},\n"
    "    {\"x\": 19, \"y\": 13, \"type\": \"C\", \"owner\": 3}, "
    "{\"x\": 17, \"y\": 13, \"type\": \"B\", \"owner\": 3},\n"
    "    {\"x\": 13, \"y\": 19, \"type\": \"C\", \"owner\": 4}, "
    "{\"x\": 13, \"y\": 17, \"type\": \"B\", \"owner\": 4},\n"
    "    {\"x\": 6, \"y\": 19, \"type\": \"C\", \"owner\": 5}, "
    "{\"x\": 6, \"y\": 17, \"type\": \"B\", \"owner\": 5},\n"
    "    {\"x\": 0, \"y\": 13, \"type\": \"C\", \"owner\": 6}, "
    "{\"x\": 2, \"y\": 13, \"type\": \"B\", \"owner\": 6},\n"
    "    {\"x\": 0, \"y\": 6, \"type\": \"C\", \"owner\": 7}, "
    "{\"x\": 2, \"y\": 6, \"type\": \"B\", \"owner\": 7},\n"
    "    {\"x\": 9, \"y\": 9, \"type\": \"#\"}, {\"x\": 10, \"y\": 9, \"type\": \"#\"},\n"
    "    {\"x\": 9, \"y\": 10, \"type\": \"#\"}, {\"x\": 10, \"y\": 10, \"type\": \"#\"}\n"
    "  ]\n"
    "}\n";

const GameMap underworld_maps[] = {
    {"standard", "10 x 10, a castle in every corner", 4, standard},
    {"duel", "10 x 10, castles in two opposite corners", 2, duel},
    {"canyon", "17 x 9, three passes through a ridge in the middle", 2, canyon},
    {"ring", "20 x 20, eight castles around the edge, all seats equal", 8, ring},
    {0},
};

/* Castles in rows of eight. */
void underworld_largest(Buffer *map) {
    const uint32_t row = 8;
    const uint32_t apart = UNDERWORLD_SIDE_MAX / row;
    buffer_format(map, "{\"sizex\": %d, \"sizey\": %d, \"objects\": [", UNDERWORLD_SIDE_MAX,
                  UNDERWORLD_SIDE_MAX);
    for (uint32_t i = 0; i < GAME_PLAYERS_MAX; i++)
        buffer_format(map,
                      "%s\n  {\"x\": %u, \"y\": %u, \"type\": \"C\", \"owner\": %u},"
                      " {\"x\": %u, \"y\": %u, \"type\": \"B\", \"owner\": %u}",
                      i ? "," : "", i % row * apart, i / row * apart, i, i % row * apart + 1,
                      i / row * apart, i);
    buffer_text(map, "\n]}\n");
}
