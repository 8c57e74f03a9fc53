/* The scenes of all games. See scene.h. */
#include "scene.h"

#include "games_list.h"

#define DECLARE(name) extern const BenchScene scene_##name;
GAMES(DECLARE)

#define ENTRY(name) &scene_##name,
const BenchScene *const scenes_all[] = {GAMES(ENTRY) NULL};
