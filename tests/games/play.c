/* See play.h. */
#include "play.h"

#include "games_list.h"

#include <stdio.h>
#include <stdlib.h>

#define DECLARE(name) extern const GamePlay play_##name;
GAMES(DECLARE)

#define ENTRY(name) &play_##name,
const GamePlay *const plays_all[] = {GAMES(ENTRY) NULL};

GameSetup *play_setup(const GamePlay *play, const PlayCase *with) {
    GameFile config = {with->config ? "config" : NULL, slice_of(with->config ? with->config : "")};
    GameFile map = {with->map ? "map" : NULL, slice_of(with->map ? with->map : "")};
    Error error;
    GameSetup *setup = play->game->setup(&config, &map, with->players, &error);
    if (!setup) {
        fprintf(stderr, "%s: %s\n", play->game->name, error.text);
        exit(1);
    }
    return setup;
}
