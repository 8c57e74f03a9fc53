#include "../play.h"
#include "games/planetwars/planetwars.h"
const GamePlay play_planetwars = {.game = &game_planetwars};
