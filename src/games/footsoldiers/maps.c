/* The built-in maps of Footsoldiers: 1 and 2 are the bases, X is a rock. All are fair to both
   sides. */
#include "games/footsoldiers/footsoldiers.h"

static const char standard[] =
    "                XXXXX   XXXXXXXXXXXXXXXXXXX   XXXXX                \n"
    "X   X                            X                            X   X\n"
    "                                 X                                 \n"
    " 1    X                                                     X    2 \n"
    "                                 X                                 \n"
    "X   X                            X                            X   X\n"
    "                XXXXX   XXXXXXXXXXXXXXXXXXX   XXXXX                \n";

/* Two lanes, above and below a ridge that cannot be crossed. */
static const char lanes[] = "                                         \n"
                            "    X       XX     XXX     XX       X    \n"
                            "    X                               X    \n"
                            "          XXXXXXXXXXXXXXXXXXXXX          \n"
                            "         XXXXXXXXXXXXXXXXXXXXXXX         \n"
                            " 1    X  XXXXXXXXXXXXXXXXXXXXXXX  X    2 \n"
                            "         XXXXXXXXXXXXXXXXXXXXXXX         \n"
                            "          XXXXXXXXXXXXXXXXXXXXX          \n"
                            "    X                               X    \n"
                            "    X       XX     XXX     XX       X    \n"
                            "                                         \n";

/* Small, with the bases in opposite corners; it stays the same when rotated by half a turn. */
static const char quarry[] = "                     \n"
                             "   X        X        \n"
                             "  1     X   X    X   \n"
                             "   X    X            \n"
                             "        X     XXX    \n"
                             "  XXX                \n"
                             "          X          \n"
                             "                XXX  \n"
                             "    XXX     X        \n"
                             "            X    X   \n"
                             "   X    X   X     2  \n"
                             "        X        X   \n"
                             "                     \n";

const GameMap footsoldiers_maps[] = {
    {"standard", "67 x 7: a long field with a gate in the middle", 0, standard},
    {"lanes", "41 x 11: two ways around a ridge", 0, lanes},
    {"quarry", "21 x 13: bases in the corners, fights start early", 0, quarry},
    {0},
};

/* A column of rocks with gaps between the bases. */
void footsoldiers_largest(Buffer *map) {
    const uint32_t side = FOOTSOLDIERS_SIDE_MAX;
    for (uint32_t y = 0; y < side; y++) {
        for (uint32_t x = 0; x < side; x++) {
            bool middle = y == side / 2;
            bool rock = x == side / 2 && y % 3 != 0;
            buffer_char(map, middle && x == 1          ? '1'
                             : middle && x == side - 2 ? '2'
                             : rock                    ? 'X'
                                                       : ' ');
        }
        buffer_char(map, '\n');
    }
}
