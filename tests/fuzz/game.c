/* fuzz_play for a target that is built once for each game: meson.build defines FUZZ_GAME. */
#include "fuzz.h"

#include <string.h>

const GamePlay *fuzz_play(void) {
    for (const GamePlay *const *play = plays_all; *play; play++)
        if (strcmp((*play)->game->name, FUZZ_GAME) == 0)
            return *play;
    fuzz_broken("no game is called %s", FUZZ_GAME);
}
