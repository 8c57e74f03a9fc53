/* Configurations: any text is either accepted and playable, or rejected with an error that names
   the file. */
#include "fuzz.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const GamePlay *play = fuzz_play();
    GameFile config = {"fuzz.json", {(const char *)data, size}};
    GameFile none = {0};
    Error error = {0};
    GameSetup *setup = play->game->setup(&config, &none, play->game->players_min, &error);
    if (!setup && !strstr(error.text, "fuzz.json") && !strstr(error.text, "player"))
        fuzz_broken("%s: refused without naming the file: \"%s\"", play->game->name, error.text);
    if (!setup) /* some configurations set the number of players */
        setup = play->game->setup(&config, &none, 0, NULL);
    if (setup)
        fuzz_try_setup(play, setup);
    return 0;
}
