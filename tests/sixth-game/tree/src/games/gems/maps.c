/* The built-in maps of Gems. A map sets the size of the board. */
#include "games/gems/gems.h"

const GameMap gems_maps[] = {
    {"standard", "11 x 11 squares", 0, "{\"rows\": 11, \"cols\": 11}\n"},
    {"small", "7 x 7 squares: players meet often", 0, "{\"rows\": 7, \"cols\": 7}\n"},
    {0},
};
