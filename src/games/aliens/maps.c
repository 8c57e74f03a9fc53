/* The built-in maps of Aliens. A map sets the size of the grid, which determines the spawns. Armies
   need 44 turns to cross the corridor, so its matches are longer. */
#include "games/aliens/aliens.h"

const GameMap aliens_maps[] = {
    {"standard", "20 x 20, the default", 0, "{\"rows\": 20, \"cols\": 20}\n"},
    {"duel", "10 x 10, fights start early", 0, "{\"rows\": 10, \"cols\": 10}\n"},
    {"corridor", "9 rows of 41: long and narrow, 200 turns", 0,
     "{\"rows\": 9, \"cols\": 41, \"maxTurns\": 200}\n"},
    {0},
};

void aliens_largest(Buffer *map) {
    buffer_format(map, "{\"rows\": %d, \"cols\": %d}\n", ALIENS_SIDE_MAX, ALIENS_SIDE_MAX);
}
