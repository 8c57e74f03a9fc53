/* Maps: any text is either accepted and playable, or rejected with an error that names the file. */
#include "fuzz.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    /* A map is for a certain number of players, which the text may not say, so these are tried. */
    static const uint32_t players[] = {2, 0, 1, 3, 4, 6, 8};
    const GamePlay *play = fuzz_play();
    GameFile map = {"fuzz.map", {(const char *)data, size}};
    GameFile none = {0};
    GameSetup *setup = NULL;
    for (size_t i = 0; i < sizeof players / sizeof *players && !setup; i++) {
        if (players[i] &&
            (players[i] < play->game->players_min || players[i] > play->game->players_max))
            continue;
        Error error = {0};
        setup = play->game->setup(&none, &map, players[i], &error);
        if (!setup && !strstr(error.text, "fuzz.map") && !strstr(error.text, "player"))
            fuzz_broken("%s: refused without naming the file: \"%s\"", play->game->name,
                        error.text);
    }
    if (setup)
        fuzz_try_setup(play, setup);
    return 0;
}
