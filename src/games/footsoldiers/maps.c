/* The standard maps of Footsoldiers, and how the text of a map is read: 1 and 2 are the bases, X is
   a rock. All standard maps are the same for both sides. */
#include "base/memory.h"
#include "games/footsoldiers/footsoldiers.h"

#include <assert.h>
#include <stdlib.h>

static const char standard[] =
    "                XXXXX   XXXXXXXXXXXXXXXXXXX   XXXXX                \n"
    "X   X                            X                            X   X\n"
    "                                 X                                 \n"
    " 1    X                                                     X    2 \n"
    "                                 X                                 \n"
    "X   X                            X                            X   X\n"
    "                XXXXX   XXXXXXXXXXXXXXXXXXX   XXXXX                \n";

/* Two lanes, one above and one below a ridge that nobody crosses. */
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

/* Small, with the bases in opposite corners and half a turn between the two sides. */
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
    {"quarry", "21 x 13: bases in the corners, the first fight comes soon", 0, quarry},
    {0},
};

/* ---- reading one ---- */

/* Looks at every character of the map: finds its size and the bases, and whatever does not belong
   there. */
static bool survey_map(FootsoldiersSetup *setup, const char *name, Slice text, Error *error) {
    bool found[2] = {false, false};
    Slice line;
    for (int32_t y = 0; slice_line(&text, &line); y++) {
        if (y == FOOTSOLDIERS_SIDE_MAX)
            return error_set(error, "%s:%d: a map has at most %d lines", name, y + 1,
                             FOOTSOLDIERS_SIDE_MAX);
        if (line.length > FOOTSOLDIERS_SIDE_MAX)
            return error_set(error,
                             "%s:%d: the line has %zu characters, and at most %d are allowed", name,
                             y + 1, line.length, FOOTSOLDIERS_SIDE_MAX);
        int32_t length = (int32_t)line.length;
        for (int32_t x = 0; x < length; x++) {
            char c = line.at[x];
            if (c == ' ' || c == 'X')
                continue;
            if (c != '1' && c != '2')
                return error_set(error,
                                 c > ' ' && c < 127
                                     ? "%s:%d:%d: '%c' is none of 1, 2, X and space"
                                     : "%s:%d:%d: the byte %d is none of 1, 2, X and space",
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
            return error_set(error, "%s: there is no %d, the base of player%d", name, player + 1,
                             player + 1);
    return true;
}

/* A row of `solid` has a word of zeros in front and one behind, so that 64 squares can be had from
   any place that touches the map. */
static void set_solid(FootsoldiersSetup *setup, FootsoldiersSquare square) {
    uint32_t bit = (uint32_t)square.x + 64;
    setup->solid[(uint32_t)square.y * setup->solid_stride + bit / 64] |= UINT64_C(1) << bit % 64;
}

static int by_place(const void *one, const void *other) {
    FootsoldiersSquare left = ((const FootsoldiersFixture *)one)->at;
    FootsoldiersSquare right = ((const FootsoldiersFixture *)other)->at;
    return left.x != right.x ? left.x - right.x : left.y - right.y;
}

/* Makes the list and the bits of a map that has passed the survey. */
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

bool footsoldiers_read_map(FootsoldiersSetup *setup, const char *name, Slice text, Error *error) {
    if (!survey_map(setup, name, text, error))
        return false;
    build_map(setup, text);
    return true;
}
